/* distance: squared distances between individuals, in decision space or in objective space.
 *
 * Distances are computed on demand, or all are stored in a matrix.
 */
#ifndef MOE_NICHE_DISTANCE_H
#define MOE_NICHE_DISTANCE_H

#include <float.h>

#include "base/poll.h"
#include "bits/bits.h"

/* The source of squared distances: the matrix if it is not NULL, else the chromosomes, else the objectives. */
typedef struct {
    const double *d2;         /* [n, n] */
    const uint64_t *bits;     /* [n, n_words(n_features)] */
    const double *objectives; /* [n, n_objectives] */
    const double *ranges;     /* [n_objectives] see moe_niche_ranges; an objective of range 0 contributes 0 */
    int64_t n_features;
    int32_t n_objectives;
    int32_t n;
} moe_niche_space_t;

/* Return d^2(x, y) of individuals i and j: in decision space h / F (Eq. `distX`); in objective space the sum over
 * objectives m of ((o_m(x) - o_m(y)) / range_m)^2 (Eq. `distO`). */
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
        const double range = space->ranges[m];
        if (range == 0.0) continue;
        const double step = range > 0.0 ? (a[m] - b[m]) / range : (0.5 * b[m] - 0.5 * a[m]) / range;
        sum += step * step;
    }
    return sum;
}

/* Return the cost of one distance in steps (base/poll.h). */
static inline int64_t moe_niche_distance_cost(const moe_niche_space_t *space)
{
    return space->d2 || !space->bits ? 4 : 4 + moe_bits_words(space->n_features) / 8;
}

/* Fill the matrix of all squared distances; space->d2 is NULL. O(n^2 F / 64) or O(n^2 M). */
static inline void moe_niche_matrix(const moe_niche_space_t *space, double *d2 /* OUT [n, n] */, moe_poll_t *poll)
{
    for (int32_t i = 0; i < space->n; i++) {
        if (moe_poll_stops(poll, i * moe_niche_distance_cost(space))) return;
        for (int32_t j = 0; j <= i; j++)
            d2[(int64_t)i * space->n + j] = d2[(int64_t)j * space->n + i] = moe_niche_d2(space, i, j);
    }
}

/* Compute max - min of each objective; if that overflows float64, minus the half of it. */
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
        if (ranges[m] > DBL_MAX) ranges[m] = 0.5 * low - 0.5 * high;
    }
}

#endif
