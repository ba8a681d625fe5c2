/* cluster: build overlapping clusters of individuals whose pairwise distances are all < sigma. */
#ifndef MOE_NICHE_CLUSTER_H
#define MOE_NICHE_CLUSTER_H

#include <math.h>

#include "niche/distance.h"

/* Return the largest Hamming distance h with sqrt(h / F) < sigma, for sigma > 0. Division and square root round
 * monotonically, so bisection finds it. */
static inline int64_t moe_niche_max_hamming(int64_t n_features, double sigma)
{
    int64_t low = 0, high = n_features; /* invariant: a distance of `low` bits is < sigma */
    while (low < high) {
        int64_t h = low + (high - low + 1) / 2;
        if (sqrt((double)h / (double)n_features) < sigma)
            low = h;
        else
            high = h - 1;
    }
    return low;
}

/* Return whether at most `most` bits differ; the first 4 words mostly suffice to exclude a distant pair. */
static inline int moe_niche_within(const uint64_t *a, const uint64_t *b, int64_t n_words, int64_t most)
{
    int64_t h = 0, w = 0;
    for (; w < n_words && w < 4 && h <= most; w++) h += moe_base_popcount(a[w] ^ b[w]);
    for (; w < n_words && h <= most; w += 16)
        h += moe_bits_hamming(a + w, b + w, n_words - w < 16 ? n_words - w : 16);
    return h <= most;
}

/* Fill the adjacency matrix of the graph "d < sigma": bit j of row i. */
static inline void moe_niche_near(const moe_niche_space_t *space, double sigma,
                                  uint64_t *near /* OUT [n, n_words(n)] */, moe_poll_t *poll)
{
    const int64_t n_words = moe_bits_words(space->n), stride = moe_bits_words(space->n_features);
    const int by_bits = space->bits && !space->d2;
    const int64_t most = by_bits ? moe_niche_max_hamming(space->n_features, sigma) : 0;
    memset(near, 0, (size_t)(space->n * n_words) * sizeof(uint64_t));
    for (int32_t i = 0; i < space->n; i++) {
        if (moe_poll_stops(poll, i * moe_niche_distance_cost(space))) return;
        for (int32_t j = 0; j <= i; j++) {
            const int is_near = by_bits ? moe_niche_within(space->bits + i * stride, space->bits + j * stride, stride,
                                                           most)
                                        : sqrt(moe_niche_d2(space, i, j)) < sigma;
            if (!is_near) continue;
            moe_bits_set(near + i * n_words, j);
            moe_bits_set(near + j * n_words, i);
        }
    }
}

/* Return the first member >= i of a set; n if there is none below n. */
static MOE_INLINE int32_t moe_niche_next(const uint64_t *set, int32_t i, int32_t n)
{
    while (i < n) {
        const uint64_t word = set[i >> 6] >> (i & 63);
        if (word) {
            i += moe_base_lowest(word);
            break;
        }
        i = (i | 63) + 1;
    }
    return i < n ? i : n;
}

/* Return whether a set has a member that is not in `other`. */
static MOE_INLINE int moe_niche_outside(const uint64_t *set, const uint64_t *other, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++)
        if (set[w] & ~other[w]) return 1;
    return 0;
}

/* Build clusters, which are cliques of the graph "d < sigma", greedily in population order.
 *  (A) individual i joins every cluster all of whose members are nearer than sigma to it;
 *  (B) for each j < i with d(i, j) < sigma: if a cluster contains both, nothing; else the first cluster that contains i
 *      and all of whose members are nearer than sigma to j takes j; else create a cluster {i, j}.
 * paper: "S > 0 for all x and y in the same cluster", clusters may overlap; the construction is the authors'. Returns
 * the number of clusters; a value above `capacity` means that the buffers are too small. An individual without an
 * earlier neighbour costs nothing. */
static inline int32_t moe_niche_clusters(const uint64_t *near /* IN [n, n_words(n)] */, int32_t n, int32_t capacity,
                                         int32_t *work /* workspace [2 capacity] */,
                                         uint64_t *members /* OUT [capacity, n_words(n)] */, moe_poll_t *poll)
{
    const int64_t n_words = moe_bits_words(n);
    int32_t *joined = work, *first_members = work + capacity; /* clusters that contain i; one member of each cluster */
    int32_t n_clusters = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint64_t *near_i = near + i * n_words;
        int32_t n_joined = 0, j = moe_niche_next(near_i, 0, i);
        if (j == i) continue;
        if (moe_poll_stops(poll, n_clusters + n_words)) return 0;
        for (int32_t c = 0; c < n_clusters; c++) { /* (A) */
            if (!moe_bits_get(near_i, first_members[c])) continue; /* this test alone excludes most clusters */
            if (moe_niche_outside(members + c * n_words, near_i, n_words)) continue;
            moe_bits_set(members + c * n_words, i);
            joined[n_joined++] = c;
        }
        for (; j < i; j = moe_niche_next(near_i, j + 1, i)) { /* (B) */
            int shared = 0;
            if (moe_poll_stops(poll, n_joined)) return 0;
            int32_t target = -1;
            for (int32_t o = 0; o < n_joined && !shared; o++) shared = moe_bits_get(members + joined[o] * n_words, j);
            if (shared) continue;
            for (int32_t o = 0; o < n_joined && target < 0; o++)
                if (!moe_niche_outside(members + joined[o] * n_words, near + j * n_words, n_words)) target = joined[o];
            if (target < 0) {
                if (n_clusters == capacity) return capacity + 1;
                first_members[n_clusters] = i;
                joined[n_joined++] = target = n_clusters++;
                memset(members + target * n_words, 0, (size_t)n_words * sizeof(uint64_t));
                moe_bits_set(members + target * n_words, i);
            }
            moe_bits_set(members + target * n_words, j);
        } /* end: for j */
    } /* end: for i */
    return n_clusters;
}

#endif
