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

#include "bits.h"

/* d^2(x, y) = h / F in decision space (Eq. `distX`). O(P^2 F / 64). */
static inline void moe_niche_decision(const uint64_t *bits /* IN [n, n_words] */, int32_t n,
                                      int64_t n_features, double *d2 /* OUT [n, n] */)
{
    int64_t n_words = moe_bits_words(n_features);
    for (int32_t i = 0; i < n; i++) {
        d2[(int64_t)i * n + i] = 0.0;
        for (int32_t j = 0; j < i; j++) {
            int32_t h = moe_bits_hamming(bits + i * n_words, bits + j * n_words, n_words);
            d2[(int64_t)i * n + j] = d2[(int64_t)j * n + i] = (double)h / (double)n_features;
        }
    }
}

/* d^2(x, y) in objective space, each objective divided by its observed range
 * (Eq. `distO`); an objective of range 0 counts 0. O(P^2 M). */
static inline void moe_niche_objective(const double *objectives /* IN [n, n_objectives] */, int32_t n,
                                       int32_t n_objectives, double *ranges /* workspace [n_objectives] */,
                                       double *d2 /* OUT [n, n] */)
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
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t m = 0; m < n_objectives; m++) {
                if (ranges[m] <= 0.0) continue;
                double step = (objectives[(int64_t)i * n_objectives + m] -
                               objectives[(int64_t)j * n_objectives + m]) / ranges[m];
                sum += step * step;
            }
            d2[(int64_t)i * n + j] = d2[(int64_t)j * n + i] = sum;
        }
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

/* Clusters: cliques of the graph "d < sigma", built greedily in population order.
 *  (A) individual i joins every cluster all of whose members are nearer than sigma;
 *  (B) for each j < i with d(i, j) < sigma: if some cluster contains both, nothing;
 *      else the first cluster that contains i and all of whose members are nearer
 *      than sigma to j takes j; else a new cluster {i, j}.
 * paper: "S > 0 for all x and y in the same cluster", clusters may overlap; the
 * construction is the authors'. Returns the number of clusters needed so far: a
 * value above `capacity` means that the buffer must be larger. */
static inline int32_t moe_niche_clusters(const double *d2 /* IN [n, n] */, int32_t n, double sigma,
                                         int32_t capacity,
                                         uint64_t *near /* workspace [n, n_words(n)] */,
                                         uint64_t *members /* OUT [capacity, n_words(n)] */)
{
    int64_t n_words = moe_bits_words(n);
    int32_t n_clusters = 0;
    memset(near, 0, (size_t)(n * n_words) * sizeof(uint64_t));
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            if (sqrt(d2[(int64_t)i * n + j]) < sigma) moe_bits_set(near + i * n_words, j);
    for (int32_t i = 0; i < n; i++) {
        const uint64_t *near_i = near + i * n_words;
        for (int32_t c = 0; c < n_clusters; c++) { /* (A) */
            uint64_t *cluster = members + c * n_words;
            uint64_t outside = 0;
            for (int64_t w = 0; w < n_words; w++) outside |= cluster[w] & ~near_i[w];
            if (!outside) moe_bits_set(cluster, i);
        }
        for (int32_t j = 0; j < i; j++) { /* (B) */
            if (!moe_bits_get(near_i, j)) continue;
            const uint64_t *near_j = near + j * n_words;
            int together = 0;
            int32_t home = -1;
            for (int32_t c = 0; c < n_clusters && !together; c++) {
                const uint64_t *cluster = members + c * n_words;
                if (!moe_bits_get(cluster, i)) continue;
                together = moe_bits_get(cluster, j);
                uint64_t outside = 0;
                for (int64_t w = 0; w < n_words; w++) outside |= cluster[w] & ~near_j[w];
                if (!outside && home < 0) home = c;
            }
            if (together) continue;
            if (home < 0) {
                if (n_clusters == capacity) return capacity + 1;
                home = n_clusters++;
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
static inline void moe_niche_cluster_fitness(const double *d2 /* IN [n, n] */,
                                             const double *fitness /* IN [n] */,
                                             const uint64_t *members /* IN [n_clusters, n_words(n)] */,
                                             int32_t n, int32_t n_clusters, double sigma, double alpha,
                                             int32_t *list /* workspace [n] */,
                                             double *shared /* OUT [n] */)
{
    int64_t n_words = moe_bits_words(n);
    memcpy(shared, fitness, (size_t)n * sizeof(double));
    for (int32_t c = 0; c < n_clusters; c++) {
        int32_t m = 0;
        for (int32_t i = 0; i < n; i++)
            if (moe_bits_get(members + c * n_words, i)) list[m++] = i;
        double spread = 0.0; /* mean over y, z in K of d^2(y, z) */
        for (int32_t a = 0; a < m; a++)
            for (int32_t b = 0; b < m; b++) spread += d2[(int64_t)list[a] * n + list[b]];
        spread /= (double)m * (double)m;
        for (int32_t a = 0; a < m; a++) {
            double mean = 0.0;
            for (int32_t b = 0; b < m; b++) mean += d2[(int64_t)list[a] * n + list[b]];
            double to_centroid = mean / (double)m - 0.5 * spread;
            if (to_centroid < 0.0) to_centroid = 0.0; /* rounding only */
            shared[list[a]] *= 1.0 - moe_niche_sharing(to_centroid, sigma, alpha);
        }
    } /* end: for c */
}

/* f'(x) = f(x) / (1 + sum of S(d(x, y)) over the others of the same rank): the
 * niche count of the MOGA that the paper builds on. */
static inline void moe_niche_count_fitness(const double *d2 /* IN [n, n] */, const double *fitness,
                                           const int32_t *rank, int32_t n, double sigma, double alpha,
                                           double *shared /* OUT [n] */)
{
    for (int32_t i = 0; i < n; i++) {
        double count = 1.0;
        for (int32_t j = 0; j < n; j++)
            if (j != i && rank[j] == rank[i])
                count += moe_niche_sharing(d2[(int64_t)i * n + j], sigma, alpha);
        shared[i] = fitness[i] / count;
    }
}

/* f'(x) = f(x) times the mean distance of x to all others; f(x) where that is 0.
 * authors: the same divided by n_r - 1, which is 0 for a lone rank; the division
 * cancels in f'', so it is left out. */
static inline void moe_niche_distance_fitness(const double *d2 /* IN [n, n] */, const double *fitness,
                                              int32_t n, double *shared /* OUT [n] */)
{
    for (int32_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) sum += sqrt(d2[(int64_t)i * n + j]);
        shared[i] = sum > 0.0 ? fitness[i] * (sum / (double)(n - 1)) : fitness[i];
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
