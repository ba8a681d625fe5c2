/* relief: objective III, nearest miss minus nearest hit (Eq. `mdist`).
 *
 * Values are float32, feature-major, scaled to [0, 1]; rows are `stride` long, a
 * multiple of MOE_RELIEF_LANES, and 0 beyond n_samples. Samples stand class by
 * class, so the hits of a sample are one contiguous range.
 *
 * A distance is the float32 sum over the selected features in ascending order:
 * lanes are samples, so the order of that sum is the same for every vector width.
 * Rounding: relative error below k * 2^-24 for k selected features.
 */
#ifndef MOE_RELIEF_H
#define MOE_RELIEF_H

#include <math.h>

#include "base.h"

#define MOE_RELIEF_LANES 16
#define MOE_RELIEF_BLOCK 4 /* instances whose distances are summed together */

/* L1 distances of MOE_RELIEF_BLOCK instances to all samples. The accumulators
 * (4 x 16 floats) stay in registers; each value loaded serves 4 instances. */
MOE_CLONES
static void moe_relief_distances(const float *values /* IN [F, stride] */,
                                 const int32_t *selected /* IN [k] */,
                                 const float *centres /* IN [k, MOE_RELIEF_BLOCK] */, int32_t k,
                                 int64_t stride,
                                 float *distances /* OUT [MOE_RELIEF_BLOCK, stride] */)
{
    for (int64_t s = 0; s < stride; s += MOE_RELIEF_LANES) {
        float sums[MOE_RELIEF_BLOCK][MOE_RELIEF_LANES];
        memset(sums, 0, sizeof sums);
        for (int32_t f = 0; f < k; f++) {
            const float *row = values + selected[f] * stride + s;
            const float *centre = centres + (int64_t)f * MOE_RELIEF_BLOCK;
            for (int b = 0; b < MOE_RELIEF_BLOCK; b++)
                for (int l = 0; l < MOE_RELIEF_LANES; l++) sums[b][l] += fabsf(row[l] - centre[b]);
        }
        for (int b = 0; b < MOE_RELIEF_BLOCK; b++)
            memcpy(distances + b * stride + s, sums[b], sizeof sums[b]);
    } /* end: for s */
}

/* Smallest of distances[from, to); INFINITY if the range is empty. */
static inline float moe_relief_nearest(const float *distances, int32_t from, int32_t to)
{
    float nearest = INFINITY;
    for (int32_t s = from; s < to; s++)
        if (distances[s] < nearest) nearest = distances[s];
    return nearest;
}

/* M_d of one subset. An instance without a hit or without a miss is skipped; if
 * none is left, M_d = 0. O(n_instances * n_samples * k). */
static inline double moe_relief_separability(
    const float *values /* IN [F, stride] */, const int32_t *class_start /* IN [n_classes + 1] */,
    const uint16_t *labels /* IN [n_samples] */, const int32_t *selected /* IN [k], ascending */,
    const int32_t *instances /* IN [n_instances] */, int32_t n_samples, int64_t stride, int32_t k,
    int32_t n_instances, float *centres /* workspace [k, MOE_RELIEF_BLOCK] */,
    float *distances /* workspace [MOE_RELIEF_BLOCK, stride] */)
{
    double sum = 0.0;
    int32_t counted = 0;
    for (int32_t first = 0; first < n_instances; first += MOE_RELIEF_BLOCK) {
        int32_t n_block = n_instances - first < MOE_RELIEF_BLOCK ? n_instances - first : MOE_RELIEF_BLOCK;
        for (int32_t f = 0; f < k; f++)
            for (int32_t b = 0; b < MOE_RELIEF_BLOCK; b++)
                centres[f * MOE_RELIEF_BLOCK + b] =
                    values[selected[f] * stride + instances[first + (b < n_block ? b : 0)]];
        moe_relief_distances(values, selected, centres, k, stride, distances);
        for (int32_t b = 0; b < n_block; b++) {
            const float *row = distances + b * stride;
            int32_t self = instances[first + b];
            int32_t from = class_start[labels[self]], to = class_start[labels[self] + 1];
            if (to - from < 2 || to - from == n_samples) continue; /* no hit, or no miss */
            float hit = moe_relief_nearest(row, from, self), hit_after = moe_relief_nearest(row, self + 1, to);
            float miss = moe_relief_nearest(row, 0, from), miss_after = moe_relief_nearest(row, to, n_samples);
            if (hit_after < hit) hit = hit_after;
            if (miss_after < miss) miss = miss_after;
            sum += (double)miss - (double)hit;
            counted++;
        }
    } /* end: for first */
    return counted ? sum / ((double)k * (double)counted) : 0.0;
}

#endif
