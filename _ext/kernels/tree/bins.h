/* bins: read codes, and find the threshold between two codes.
 *
 * A threshold is the midpoint of two consecutive distinct *values* of the node. It is mapped back to a code, because
 * values that do not occur in the node may lie between them: those up to the midpoint go left, the others right.
 */
#ifndef MOE_TREE_BINS_H
#define MOE_TREE_BINS_H

#include "tree/types.h"

static inline uint32_t moe_bins_code(const moe_data_t *data, int64_t feature, int64_t sample)
{
    int64_t at = feature * data->n_samples + sample;
    return data->code_width == 1 ? ((const uint8_t *)data->codes)[at] : ((const uint16_t *)data->codes)[at];
}

/* Return the code of a missing value, which is the number of codes of known values. */
static inline int32_t moe_bins_missing(const moe_data_t *data, int64_t feature)
{
    return (int32_t)(data->offset[feature + 1] - data->offset[feature]);
}

/* Return an entry of `lower` or `upper` as a double: that is exact, so thresholds do not depend on the width. */
static inline double moe_bins_edge(const moe_data_t *data, const void *edges, int64_t at)
{
    return data->value_width == 4 ? (double)((const float *)edges)[at] : ((const double *)edges)[at];
}

/* Return the midpoint of a < b, rounded once; `a` if rounding would give b. The sum comes first, because it is exact
 * where its half is denormal; halving first is for sums that overflow. */
static inline double moe_bins_midpoint(double a, double b)
{
    double sum = a + b, middle = sum - sum == 0.0 ? 0.5 * sum : 0.5 * a + 0.5 * b;
    return middle >= b || middle < a ? a : middle;
}

/* Return the largest code in [a, b) whose upper edge is <= `middle`, which lies between the values of a and of b, and
 * the threshold. Quantile codes may contain `middle`: such a code goes right, and the threshold moves to its edge. */
static inline int32_t moe_bins_place(const moe_data_t *data, int64_t feature, int32_t a, int32_t b, double middle,
                                     double *threshold /* OUT */)
{
    int64_t first = data->offset[feature];
    int32_t low = a; /* becomes the largest code in [a, b) with upper <= middle */
    for (int32_t n = b - a; n > 1;) { /* invariant: it is in [low, low + n); no branch on the data */
        int32_t half = n / 2;
        low += moe_bins_edge(data, data->upper, first + low + half) <= middle ? half : 0;
        n -= half;
    }
    double next = moe_bins_edge(data, data->lower, first + low + 1);
    *threshold = middle < next ? middle : moe_bins_midpoint(moe_bins_edge(data, data->upper, first + low), next);
    return low;
}

/* Return the largest code that goes left of the split between codes a < b of the node, and the threshold. */
static inline int32_t moe_bins_threshold(const moe_data_t *data, int64_t feature, int32_t a, int32_t b,
                                         double *threshold /* OUT */)
{
    const int64_t first = data->offset[feature];
    const double middle = moe_bins_midpoint(moe_bins_edge(data, data->upper, first + a),
                                            moe_bins_edge(data, data->lower, first + b));
    return moe_bins_place(data, feature, a, b, middle, threshold);
}

#endif
