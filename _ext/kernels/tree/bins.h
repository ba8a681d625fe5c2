/* bins: reading codes, and the threshold between two codes.
 *
 * A threshold is the midpoint of two consecutive distinct *values* of the node.
 * It is mapped back to a code because values that the node has not seen may lie
 * between them: those up to the midpoint go left, the others right.
 */
#ifndef MOE_TREE_BINS_H
#define MOE_TREE_BINS_H

#include "tree/types.h"

static inline uint32_t moe_bins_code(const moe_data_t *data, int64_t feature, int64_t sample)
{
    int64_t at = feature * data->n_samples + sample;
    return data->code_width == 1 ? ((const uint8_t *)data->codes)[at] : ((const uint16_t *)data->codes)[at];
}

/* Code of a missing value = number of codes of known values. */
static inline int32_t moe_bins_missing(const moe_data_t *data, int64_t feature)
{
    return (int32_t)(data->offset[feature + 1] - data->offset[feature]);
}

/* Entry of `lower` or `upper`: a float is a double too, so thresholds do not depend on the width. */
static inline double moe_bins_edge(const moe_data_t *data, const void *edges, int64_t at)
{
    return data->value_width == 4 ? (double)((const float *)edges)[at] : ((const double *)edges)[at];
}

/* Midpoint of a < b, rounded once; a itself where rounding would give b. The sum of numbers
 * whose half is denormal is exact, the halves are not: they are for sums that overflow. */
static inline double moe_bins_midpoint(double a, double b)
{
    double sum = a + b, middle = sum - sum == 0.0 ? 0.5 * sum : 0.5 * a + 0.5 * b;
    return middle >= b || middle < a ? a : middle;
}

/* The largest code in [a, b) whose values are all up to `middle`, which lies between those of a and of b, and the
 * threshold itself. Where coding is by quantiles, a code that `middle` falls into goes right as a whole and the
 * threshold moves to its edge. */
static inline int32_t moe_bins_place(const moe_data_t *data, int64_t feature, int32_t a, int32_t b, double middle,
                                     double *threshold /* OUT */)
{
    int64_t first = data->offset[feature];
    int32_t low = a; /* largest code in [a, b) with upper <= middle */
    for (int32_t n = b - a; n > 1;) { /* it is in [low, low + n); no branch on the data */
        int32_t half = n / 2;
        low += moe_bins_edge(data, data->upper, first + low + half) <= middle ? half : 0;
        n -= half;
    }
    double next = moe_bins_edge(data, data->lower, first + low + 1);
    *threshold = middle < next ? middle : moe_bins_midpoint(moe_bins_edge(data, data->upper, first + low), next);
    return low;
}

/* The largest code that goes left of the split between codes a < b of the node, and the threshold itself. */
static inline int32_t moe_bins_threshold(const moe_data_t *data, int64_t feature, int32_t a, int32_t b,
                                         double *threshold /* OUT */)
{
    const int64_t first = data->offset[feature];
    const double middle = moe_bins_midpoint(moe_bins_edge(data, data->upper, first + a),
                                            moe_bins_edge(data, data->lower, first + b));
    return moe_bins_place(data, feature, a, b, middle, threshold);
}

#endif
