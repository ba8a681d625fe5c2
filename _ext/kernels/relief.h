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
#define MOE_RELIEF_BLOCK 4    /* instances whose distances are summed together */
#define MOE_RELIEF_GROUP 256  /* instances that pass over the samples together, a multiple of the block */
#define MOE_RELIEF_TILE 512   /* most samples of a tile */
#define MOE_RELIEF_CACHE 65536 /* values of a tile, about: 256 KB */

/* Floats of the workspace for k features. */
static inline int64_t moe_relief_floats(int64_t k, int64_t n_instances)
{
    int64_t group = moe_base_round_up(n_instances, MOE_RELIEF_BLOCK);
    if (group > MOE_RELIEF_GROUP) group = MOE_RELIEF_GROUP;
    return 2 * MOE_RELIEF_GROUP + MOE_RELIEF_BLOCK * MOE_RELIEF_TILE + k * group;
}

#if MOE_HAS_VECTORS /* one vector of 16 floats, whatever registers the machine has */
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

/* L1 distances of MOE_RELIEF_BLOCK instances to the samples of one tile. The sums
 * (4 x 16 floats) stay in registers; each value loaded serves 4 instances. */
MOE_CLONES
static void moe_relief_distances(const float *values /* IN [F, stride], from the tile's first sample */,
                                 const int32_t *selected /* IN [k] */,
                                 const float *centres /* IN [k, MOE_RELIEF_BLOCK] */, int32_t k,
                                 int64_t stride, int32_t n_tile /* multiple of MOE_RELIEF_LANES */,
                                 float *distances /* OUT [MOE_RELIEF_BLOCK, MOE_RELIEF_TILE] */)
{
    for (int32_t s = 0; s < n_tile; s += MOE_RELIEF_LANES) {
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
        memcpy(distances + MOE_RELIEF_TILE + s, &sum1, sizeof sum1);
        memcpy(distances + 2 * MOE_RELIEF_TILE + s, &sum2, sizeof sum2);
        memcpy(distances + 3 * MOE_RELIEF_TILE + s, &sum3, sizeof sum3);
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

/* Lower *nearest to the smallest of the samples [from, to) that lie in the tile. */
static inline void moe_relief_lower(const float *distances, int32_t tile, int32_t tile_end, int32_t from,
                                    int32_t to, float *nearest)
{
    if (from < tile) from = tile;
    if (to > tile_end) to = tile_end;
    if (from >= to) return;
    float found = moe_relief_nearest(distances, from - tile, to - tile);
    if (found < *nearest) *nearest = found;
}

/* Samples of a tile: few enough that the selected rows of a tile stay in the cache. */
static inline int32_t moe_relief_tile(int32_t k)
{
    int32_t fits = MOE_RELIEF_CACHE / k / MOE_RELIEF_LANES * MOE_RELIEF_LANES;
    if (fits < 4 * MOE_RELIEF_LANES) return 4 * MOE_RELIEF_LANES;
    return fits < MOE_RELIEF_TILE ? fits : MOE_RELIEF_TILE;
}

/* Nearest hit and miss of a group of instances. */
static inline void moe_relief_group(const float *values, const int32_t *class_start, const uint16_t *labels,
                                    const int32_t *selected, const int32_t *instances /* IN [n_group] */,
                                    int32_t n_samples, int64_t stride, int32_t k, int32_t n_group,
                                    float *centres /* workspace [MOE_RELIEF_GROUP, k] */,
                                    float *distances /* workspace [MOE_RELIEF_BLOCK, MOE_RELIEF_TILE] */,
                                    float *hits /* OUT [n_group] */, float *misses /* OUT [n_group] */)
{
    const int32_t n_blocks = (n_group + MOE_RELIEF_BLOCK - 1) / MOE_RELIEF_BLOCK, n_tile = moe_relief_tile(k);
    for (int32_t f = 0; f < k; f++) {
        const float *row = values + selected[f] * stride;
        for (int32_t g = 0; g < n_blocks * MOE_RELIEF_BLOCK; g++) {
            int64_t block = g / MOE_RELIEF_BLOCK;
            centres[(block * k + f) * MOE_RELIEF_BLOCK + g % MOE_RELIEF_BLOCK] = row[instances[g < n_group ? g : 0]];
        }
    }
    for (int32_t g = 0; g < n_group; g++) hits[g] = misses[g] = INFINITY;
    for (int32_t tile = 0; tile < n_samples; tile += n_tile) {
        int32_t end = tile + n_tile < n_samples ? tile + n_tile : n_samples;
        int32_t padded = (end - tile + MOE_RELIEF_LANES - 1) / MOE_RELIEF_LANES * MOE_RELIEF_LANES;
        for (int32_t g = 0; g < n_group; g++) {
            if (g % MOE_RELIEF_BLOCK == 0)
                moe_relief_distances(values + tile, selected, centres + (int64_t)g * k, k, stride, padded, distances);
            float *row = distances + g % MOE_RELIEF_BLOCK * MOE_RELIEF_TILE;
            int32_t self = instances[g], from = class_start[labels[self]], to = class_start[labels[self] + 1];
            if (self >= tile && self < end) row[self - tile] = INFINITY; /* not its own hit */
            moe_relief_lower(row, tile, end, from, to, hits + g);
            moe_relief_lower(row, tile, end, 0, from, misses + g);
            moe_relief_lower(row, tile, end, to, n_samples, misses + g);
        }
    } /* end: for tile */
}

/* M_d of one subset. An instance without a hit or without a miss is skipped; if
 * none is left, M_d = 0. O(n_instances * n_samples * k). */
static inline double moe_relief_separability(
    const float *values /* IN [F, stride] */, const int32_t *class_start /* IN [n_classes + 1] */,
    const uint16_t *labels /* IN [n_samples] */, const int32_t *selected /* IN [k], ascending */,
    const int32_t *instances /* IN [n_instances] */, int32_t n_samples, int64_t stride, int32_t k,
    int32_t n_instances, float *work /* workspace [moe_relief_floats(k, n_instances)] */)
{
    float *hits = work, *misses = hits + MOE_RELIEF_GROUP, *distances = misses + MOE_RELIEF_GROUP;
    float *centres = distances + MOE_RELIEF_BLOCK * MOE_RELIEF_TILE;
    double sum = 0.0;
    int32_t counted = 0;
    for (int32_t first = 0; first < n_instances; first += MOE_RELIEF_GROUP) {
        int32_t n_group = n_instances - first < MOE_RELIEF_GROUP ? n_instances - first : MOE_RELIEF_GROUP;
        moe_relief_group(values, class_start, labels, selected, instances + first, n_samples, stride, k, n_group,
                         centres, distances, hits, misses);
        for (int32_t g = 0; g < n_group; g++) {
            if (hits[g] == INFINITY || misses[g] == INFINITY) continue; /* no hit, or no miss */
            sum += (double)misses[g] - (double)hits[g];
            counted++;
        }
    }
    return counted ? sum / ((double)k * (double)counted) : 0.0;
}

#endif
