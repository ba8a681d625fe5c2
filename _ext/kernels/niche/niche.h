/* niche: distances between individuals, clusters, shared fitness.
 *
 * Squared distances suffice for clusters: for a cluster K of m members,
 *   |x - c|^2 = mean over y in K of d^2(x, y) - 1/2 mean over y, z in K of d^2(y, z).
 * All sums run over members in ascending order; only +, -, *, /, sqrt are used,
 * which every IEEE 754 machine rounds alike.
 */
#ifndef MOE_NICHE_H
#define MOE_NICHE_H

#include <math.h>

#include "bits/bits.h"

/* Where squared distances come from: a matrix, or else chromosomes, or else objectives. */
typedef struct {
    const double *d2;         /* [n, n] */
    const uint64_t *bits;     /* [n, n_words(n_features)] */
    const double *objectives; /* [n, n_objectives] */
    const double *ranges;     /* [n_objectives] observed; an objective of range 0 counts 0 */
    int64_t n_features;
    int32_t n_objectives;
    int32_t n;
} moe_niche_space_t;

/* d^2(x, y) between individuals i and j: h / F in decision space (Eq. `distX`), in objective
 * space the sum over objectives, each divided by its range (Eq. `distO`). */
static MOE_INLINE double moe_niche_d2(const moe_niche_space_t *space, int32_t i, int32_t j)
{
    if (space->d2) return space->d2[(int64_t)i * space->n + j];
    if (space->bits) {
        const int64_t n_words = moe_bits_words(space->n_features);
        return (double)moe_bits_hamming(space->bits + i * n_words, space->bits + j * n_words, n_words) /
               (double)space->n_features;
    }
    const double *a = space->objectives + (int64_t)i * space->n_objectives;
    const double *b = space->objectives + (int64_t)j * space->n_objectives;
    double sum = 0.0;
    for (int32_t m = 0; m < space->n_objectives; m++) {
        if (space->ranges[m] <= 0.0) continue;
        double step = (a[m] - b[m]) / space->ranges[m];
        sum += step * step;
    }
    return sum;
}

/* All of them; `space` has none yet. O(n^2 F / 64) or O(n^2 M). */
static inline void moe_niche_matrix(const moe_niche_space_t *space, double *d2 /* OUT [n, n] */)
{
    for (int32_t i = 0; i < space->n; i++)
        for (int32_t j = 0; j <= i; j++)
            d2[(int64_t)i * space->n + j] = d2[(int64_t)j * space->n + i] = moe_niche_d2(space, i, j);
}

/* Observed range of each objective. */
static inline void moe_niche_ranges(const double *objectives /* IN [n, n_objectives] */, int32_t n,
                                    int32_t n_objectives, double *ranges /* OUT [n_objectives] */)
{
    for (int32_t m = 0; m < n_objectives; m++) {
        double low = objectives[m], high = objectives[m];
        for (int32_t i = 1; i < n; i++) {
            double value = objectives[(int64_t)i * n_objectives + m];
            if (value < low) low = value;
            if (value > high) high = value;
        }
        ranges[m] = high - low;
    }
}

/* x^alpha for x in [0, 1) and alpha > 0, by squarings and square roots over the
 * binary digits of alpha: the C library's pow differs between machines, sqrt
 * does not. Exact for alpha = 1; relative error below 1e-14 for alpha <= 16. */
static inline double moe_niche_power(double x, double alpha)
{
    double whole = floor(alpha), rest = alpha - whole, result = 1.0, factor = x;
    if (alpha == 1.0) return x;
    for (uint64_t e = whole > 1048576.0 ? 1048576u : (uint64_t)whole; e; e >>= 1) {
        if (e & 1) result *= factor;
        factor *= factor;
    }
    for (factor = x; rest > 0.0;) {
        factor = sqrt(factor);
        rest *= 2.0;
        if (rest >= 1.0) {
            result *= factor;
            rest -= 1.0;
        }
    }
    return result;
}

/* S = 1 - (d / sigma)^alpha if d < sigma, else 0 (Eq. `sharingfun`). */
static inline double moe_niche_sharing(double d2, double sigma, double alpha)
{
    double d = sqrt(d2);
    return d < sigma ? 1.0 - moe_niche_power(d / sigma, alpha) : 0.0;
}

/* Most bits that differ between two chromosomes nearer than sigma > 0. Division and square
 * root round monotonically, so it can be sought by halving. */
static inline int64_t moe_niche_most(int64_t n_features, double sigma)
{
    int64_t low = 0, high = n_features; /* low is near */
    while (low < high) {
        int64_t h = low + (high - low + 1) / 2;
        if (sqrt((double)h / (double)n_features) < sigma)
            low = h;
        else
            high = h - 1;
    }
    return low;
}

/* Whether at most `most` bits differ; far ones are mostly told apart by their first words. */
static inline int moe_niche_within(const uint64_t *a, const uint64_t *b, int64_t n_words, int64_t most)
{
    int64_t h = 0, w = 0;
    for (; w < n_words && w < 4 && h <= most; w++) h += moe_base_popcount(a[w] ^ b[w]);
    for (; w < n_words && h <= most; w += 16)
        h += moe_bits_hamming(a + w, b + w, n_words - w < 16 ? n_words - w : 16);
    return h <= most;
}

/* The graph "d < sigma": bit j of row i. */
static inline void moe_niche_near(const moe_niche_space_t *space, double sigma, uint64_t *near /* OUT [n, n_words(n)] */)
{
    const int64_t n_words = moe_bits_words(space->n), n_own = moe_bits_words(space->n_features);
    const int by_bits = space->bits && !space->d2;
    const int64_t most = by_bits ? moe_niche_most(space->n_features, sigma) : 0;
    memset(near, 0, (size_t)(space->n * n_words) * sizeof(uint64_t));
    for (int32_t i = 0; i < space->n; i++)
        for (int32_t j = 0; j <= i; j++) {
            const int is_near = by_bits ? moe_niche_within(space->bits + i * n_own, space->bits + j * n_own, n_own, most)
                                        : sqrt(moe_niche_d2(space, i, j)) < sigma;
            if (!is_near) continue;
            moe_bits_set(near + i * n_words, j);
            moe_bits_set(near + j * n_words, i);
        }
}

/* The first member of a set from `i` on; n if there is none before it. */
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

/* Whether a set has a member outside another one. */
static MOE_INLINE int moe_niche_outside(const uint64_t *set, const uint64_t *other, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++)
        if (set[w] & ~other[w]) return 1;
    return 0;
}

/* Clusters: cliques of the graph "d < sigma", built greedily in population order.
 *  (A) individual i joins every cluster all of whose members are nearer than sigma;
 *  (B) for each j < i with d(i, j) < sigma: if some cluster contains both, nothing;
 *      else the first cluster that contains i and all of whose members are nearer
 *      than sigma to j takes j; else a new cluster {i, j}.
 * paper: "S > 0 for all x and y in the same cluster", clusters may overlap; the
 * construction is the authors'. Returns the number of clusters needed so far: a
 * value above `capacity` means that the buffers must be larger. Who is near nobody
 * before him costs nothing. */
static inline int32_t moe_niche_clusters(const uint64_t *near /* IN [n, n_words(n)] */, int32_t n, int32_t capacity,
                                         int32_t *work /* workspace [2 capacity] */,
                                         uint64_t *members /* OUT [capacity, n_words(n)] */)
{
    const int64_t n_words = moe_bits_words(n);
    int32_t *own = work, *founders = work + capacity; /* clusters of i; a member of each cluster */
    int32_t n_clusters = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint64_t *near_i = near + i * n_words;
        int32_t n_own = 0, j = moe_niche_next(near_i, 0, i);
        if (j == i) continue;
        for (int32_t c = 0; c < n_clusters; c++) { /* (A) */
            if (!moe_bits_get(near_i, founders[c])) continue; /* most are told by this */
            if (moe_niche_outside(members + c * n_words, near_i, n_words)) continue;
            moe_bits_set(members + c * n_words, i);
            own[n_own++] = c;
        }
        for (; j < i; j = moe_niche_next(near_i, j + 1, i)) { /* (B) */
            int together = 0;
            int32_t home = -1;
            for (int32_t o = 0; o < n_own && !together; o++) together = moe_bits_get(members + own[o] * n_words, j);
            if (together) continue;
            for (int32_t o = 0; o < n_own && home < 0; o++)
                if (!moe_niche_outside(members + own[o] * n_words, near + j * n_words, n_words)) home = own[o];
            if (home < 0) {
                if (n_clusters == capacity) return capacity + 1;
                founders[n_clusters] = i;
                own[n_own++] = home = n_clusters++;
                memset(members + home * n_words, 0, (size_t)n_words * sizeof(uint64_t));
                moe_bits_set(members + home * n_words, i);
            }
            moe_bits_set(members + home * n_words, j);
        } /* end: for j */
    } /* end: for i */
    return n_clusters;
}

/* f'(x): starts at f(x); for each cluster that contains x, in order of creation,
 * f' <- f' (1 - S(d(x, centroid))) (Eq. `eqsharedfit`). paper: prints a sum and
 * speaks of a recursion; authors: a product; we: the product. */
static inline void moe_niche_cluster_fitness(const moe_niche_space_t *space, const double *fitness /* IN [n] */,
                                             const uint64_t *members /* IN [n_clusters, n_words(n)] */,
                                             int32_t n_clusters, double sigma, double alpha,
                                             int32_t *list /* workspace [n] */, double *shared /* OUT [n] */)
{
    const int32_t n = space->n;
    const int64_t n_words = moe_bits_words(n);
    memcpy(shared, fitness, (size_t)n * sizeof(double));
    for (int32_t c = 0; c < n_clusters; c++) {
        const uint64_t *cluster = members + c * n_words;
        int32_t m = 0;
        for (int32_t i = moe_niche_next(cluster, 0, n); i < n; i = moe_niche_next(cluster, i + 1, n)) list[m++] = i;
        double spread = 0.0; /* mean over y, z in K of d^2(y, z) */
        for (int32_t a = 0; a < m; a++)
            for (int32_t b = 0; b < m; b++) spread += moe_niche_d2(space, list[a], list[b]);
        spread /= (double)m * (double)m;
        for (int32_t a = 0; a < m; a++) {
            double mean = 0.0;
            for (int32_t b = 0; b < m; b++) mean += moe_niche_d2(space, list[a], list[b]);
            double to_centroid = mean / (double)m - 0.5 * spread;
            if (to_centroid < 0.0) to_centroid = 0.0; /* rounding only */
            shared[list[a]] *= 1.0 - moe_niche_sharing(to_centroid, sigma, alpha);
        }
    } /* end: for c */
}

/* f'(x) = f(x) / (1 + sum of S(d(x, y)) over the others of the same rank): the
 * niche count of the MOGA that the paper builds on. */
static inline void moe_niche_count_fitness(const moe_niche_space_t *space, const double *fitness,
                                           const int32_t *rank, double sigma, double alpha,
                                           double *shared /* OUT [n] */)
{
    for (int32_t i = 0; i < space->n; i++) {
        double count = 1.0;
        for (int32_t j = 0; j < space->n; j++)
            if (j != i && rank[j] == rank[i]) count += moe_niche_sharing(moe_niche_d2(space, i, j), sigma, alpha);
        shared[i] = fitness[i] / count;
    }
}

/* f'(x) = f(x) times the mean distance of x to all others; f(x) where that is 0.
 * authors: the same divided by n_r - 1, which is 0 for a lone rank; the division
 * cancels in f'', so it is left out. */
static inline void moe_niche_distance_fitness(const moe_niche_space_t *space, const double *fitness,
                                              double *shared /* OUT [n] */)
{
    for (int32_t i = 0; i < space->n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < space->n; j++) sum += sqrt(moe_niche_d2(space, i, j));
        shared[i] = sum > 0.0 ? fitness[i] * (sum / (double)(space->n - 1)) : fitness[i];
    }
}

/* f''(x) = f(x) f'(x) / sum of f'(y) over y of the same rank (Eq. `eqnormasfit`),
 * with `by_mean` times n_r. If the sum is 0, f' counts as equal for all of the
 * rank. `sums` and `counts` are indexed by rank. */
static inline void moe_niche_normalise(const double *fitness /* IN [n] */,
                                       const double *shared /* IN [n] */,
                                       const int32_t *rank /* IN [n], 1..n */, int32_t n, int by_mean,
                                       double *sums /* workspace [n + 1] */,
                                       int32_t *counts /* workspace [n + 1] */,
                                       double *normalised /* OUT [n] */)
{
    for (int32_t r = 0; r <= n; r++) {
        sums[r] = 0.0;
        counts[r] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        sums[rank[i]] += shared[i];
        counts[rank[i]]++;
    }
    for (int32_t i = 0; i < n; i++) {
        double n_r = (double)counts[rank[i]];
        double share = sums[rank[i]] > 0.0 ? shared[i] / sums[rank[i]] : 1.0 / n_r;
        normalised[i] = fitness[i] * (by_mean ? share * n_r : share);
    }
}

#endif
