/* sharing: the sharing function, shared fitness and normalised fitness.
 *
 * Squared distances suffice for clusters: the squared distance of x to the centroid c of a cluster K is
 *     |x - c|^2 = mean over y in K of d^2(x, y) - 1/2 mean over y, z in K of d^2(y, z).
 * All sums run over members in ascending order; only +, -, *, / and sqrt are used, which every IEEE 754 machine rounds
 * alike.
 */
#ifndef MOE_NICHE_SHARING_H
#define MOE_NICHE_SHARING_H

#include <math.h>

#include "niche/cluster.h"

/* Return x^alpha for x in [0, 1) and alpha > 0, by squarings and square roots over the binary digits of alpha: the C
 * library's pow differs between machines, sqrt does not. Exact for alpha = 1; relative error below 1e-14 up to 16. */
static inline double moe_niche_power(double x, double alpha)
{
    double integer_part = floor(alpha), fractional_part = alpha - integer_part, result = 1.0, factor = x;
    if (alpha == 1.0) return x;
    for (uint64_t e = integer_part > 1048576.0 ? 1048576u : (uint64_t)integer_part; e; e >>= 1) {
        if (e & 1) result *= factor;
        factor *= factor;
    }
    for (factor = x; fractional_part > 0.0;) {
        factor = sqrt(factor);
        fractional_part *= 2.0;
        if (fractional_part >= 1.0) {
            result *= factor;
            fractional_part -= 1.0;
        }
    }
    return result;
}

/* Return the sharing function S = 1 - (d / sigma)^alpha if d < sigma, else 0 (Eq. `sharingfun`). */
static inline double moe_niche_sharing(double d2, double sigma, double alpha)
{
    double d = sqrt(d2);
    return d < sigma ? 1.0 - moe_niche_power(d / sigma, alpha) : 0.0;
}

/* Compute the shared fitness f'(x): f(x) times the product, over the clusters that contain x in order of creation, of 1
 * - S(d(x, centroid)) (Eq. `eqsharedfit`). paper: a sum, called a recursion; authors: a product; we: the product. */
static inline void moe_niche_cluster_fitness(const moe_niche_space_t *space, const double *fitness /* IN [n] */,
                                             const uint64_t *members /* IN [n_clusters, n_words(n)] */,
                                             int32_t n_clusters, double sigma, double alpha,
                                             int32_t *list /* workspace [n] */, double *shared /* OUT [n] */,
                                             moe_poll_t *poll)
{
    const int32_t n = space->n;
    const int64_t n_words = moe_bits_words(n);
    memcpy(shared, fitness, (size_t)n * sizeof(double));
    for (int32_t c = 0; c < n_clusters; c++) {
        const uint64_t *cluster = members + c * n_words;
        int32_t m = 0;
        for (int32_t i = moe_niche_next(cluster, 0, n); i < n; i = moe_niche_next(cluster, i + 1, n)) list[m++] = i;
        double spread = 0.0; /* mean over y, z in K of d^2(y, z) */
        for (int32_t a = 0; a < m; a++) {
            if (moe_poll_stops(poll, m * moe_niche_distance_cost(space))) return;
            for (int32_t b = 0; b < m; b++) spread += moe_niche_d2(space, list[a], list[b]);
        }
        spread /= (double)m * (double)m;
        for (int32_t a = 0; a < m; a++) {
            double mean = 0.0;
            if (moe_poll_stops(poll, m * moe_niche_distance_cost(space))) return;
            for (int32_t b = 0; b < m; b++) mean += moe_niche_d2(space, list[a], list[b]);
            double to_centroid = mean / (double)m - 0.5 * spread;
            if (to_centroid < 0.0) to_centroid = 0.0; /* rounding only */
            shared[list[a]] *= 1.0 - moe_niche_sharing(to_centroid, sigma, alpha);
        }
    } /* end: for c */
}

/* Compute f'(x) = f(x) / (1 + sum of S(d(x, y)) over the other individuals y of the same rank): the niche count of the
 * MOGA that the paper builds on. */
static inline void moe_niche_count_fitness(const moe_niche_space_t *space, const double *fitness,
                                           const int32_t *rank, double sigma, double alpha,
                                           double *shared /* OUT [n] */, moe_poll_t *poll)
{
    for (int32_t i = 0; i < space->n; i++) {
        double count = 1.0;
        if (moe_poll_stops(poll, space->n * moe_niche_distance_cost(space))) return;
        for (int32_t j = 0; j < space->n; j++)
            if (j != i && rank[j] == rank[i]) count += moe_niche_sharing(moe_niche_d2(space, i, j), sigma, alpha);
        shared[i] = fitness[i] / count;
    }
}

/* Compute f'(x) = f(x) * (mean distance of x to all others), or f(x) if that mean is 0. authors: the same divided by
 * n_r - 1, which is 0 for a rank of one individual; the division cancels in f'', so it is left out. */
static inline void moe_niche_distance_fitness(const moe_niche_space_t *space, const double *fitness,
                                              double *shared /* OUT [n] */, moe_poll_t *poll)
{
    for (int32_t i = 0; i < space->n; i++) {
        double sum = 0.0;
        if (moe_poll_stops(poll, space->n * moe_niche_distance_cost(space))) return;
        for (int32_t j = 0; j < space->n; j++) sum += sqrt(moe_niche_d2(space, i, j));
        shared[i] = sum > 0.0 ? fitness[i] * (sum / (double)(space->n - 1)) : fitness[i];
    }
}

/* Compute f''(x) = f(x) f'(x) / sum of f'(y) over y of the same rank (Eq. `eqnormasfit`), times n_r if `by_mean`. If
 * the sum is 0, all f' of the rank count as equal. `sums` and `counts` are indexed by rank. */
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
        double fraction = sums[rank[i]] > 0.0 ? shared[i] / sums[rank[i]] : 1.0 / n_r;
        normalised[i] = fitness[i] * (by_mean ? fraction * n_r : fraction);
    }
}

#endif
