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

#if defined(__GNUC__) /* one vector of 16 floats, whatever registers the machine has */
typedef float moe_lanes_t __attribute__((vector_size(4 * MOE_RELIEF_LANES)));
typedef int32_t moe_signs_t __attribute__((vector_size(4 * MOE_RELIEF_LANES)));

/* sum += |row - centre|; plain loops over the lanes are 5 to 7 times slower here,
 * because the compiler keeps their sums in memory. */
static inline __attribute__((always_inline)) void
moe_relief_add(const float *row /* IN [MOE_RELIEF_LANES] */, float centre, moe_lanes_t *sum /* IN and OUT */)
{
    moe_lanes_t step;
    memcpy(&step, row, sizeof step);
    step -= centre;
    *sum += (moe_lanes_t)((moe_signs_t)step & 0x7FFFFFFF);
}
#else
typedef struct {
    float lane[MOE_RELIEF_LANES];
} moe_lanes_t;

static inline void moe_relief_add(const float *row, float centre, moe_lanes_t *sum)
{
    for (int l = 0; l < MOE_RELIEF_LANES; l++) sum->lane[l] += fabsf(row[l] - centre);
}
#endif

/* L1 distances of MOE_RELIEF_BLOCK instances to all samples. The sums (4 x 16
 * floats) stay in registers; each value loaded serves 4 instances. */
MOE_CLONES
static void moe_relief_distances(const float *values /* IN [F, stride] */,
                                 const int32_t *selected /* IN [k] */,
                                 const float *centres /* IN [k, MOE_RELIEF_BLOCK] */, int32_t k,
                                 int64_t stride,
                                 float *distances /* OUT [MOE_RELIEF_BLOCK, stride] */)
{
    for (int64_t s = 0; s < stride; s += MOE_RELIEF_LANES) {
        moe_lanes_t sum0, sum1, sum2, sum3;
        memset(&sum0, 0, sizeof sum0);
        sum1 = sum2 = sum3 = sum0;
        for (int32_t f = 0; f < k; f++) {
            const float *row = values + selected[f] * stride + s;
            const float *centre = centres + (int64_t)f * MOE_RELIEF_BLOCK;
            moe_relief_add(row, centre[0], &sum0);
            moe_relief_add(row, centre[1], &sum1);
            moe_relief_add(row, centre[2], &sum2);
            moe_relief_add(row, centre[3], &sum3);
        }
        memcpy(distances + s, &sum0, sizeof sum0);
        memcpy(distances + stride + s, &sum1, sizeof sum1);
        memcpy(distances + 2 * stride + s, &sum2, sizeof sum2);
        memcpy(distances + 3 * stride + s, &sum3, sizeof sum3);
    } /* end: for s */
}

/* Smallest of distances[from, to); INFINITY if the range is empty. Floats that are
 * not negative compare like their bits, and a minimum of integers vectorises. */
MOE_CLONES
static float moe_relief_nearest(const float *distances, int32_t from, int32_t to)
{
    uint32_t nearest = 0x7F800000u; /* INFINITY */
    float result;
    for (int32_t s = from; s < to; s++) {
        uint32_t bits;
        memcpy(&bits, distances + s, sizeof bits);
        nearest = bits < nearest ? bits : nearest;
    }
    memcpy(&result, &nearest, sizeof result);
    return result;
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
