/* relief: objective III, mean distance to the nearest miss minus that to the nearest hit (Eq. `mdist`).
 *
 * Values are float32, feature-major, scaled to [0, 1]; rows have length `stride`, a multiple of MOE_RELIEF_LANES, and
 * are 0 from n_samples on. Samples are sorted by class, or by target, so that the hits of sample s are one range,
 * [hits_from[s], hits_to[s]), which contains s; all samples outside it are its misses.
 *
 * A distance is the float32 sum over the selected features in ascending order. Lanes are samples, so the order of that
 * sum is the same for every vector width. Rounding: relative error below k * 2^-24 for k selected features.
 */
#ifndef MOE_RELIEF_RELIEF_H
#define MOE_RELIEF_RELIEF_H

#include <math.h>

#include "base/buffers.h"
#include "relief/sieve.h"

/* 1 if byte-wise sums of absolute differences are fast: one instruction of x86-64, four of aarch64. */
#if MOE_HAS_LEVELS || MOE_HAS_NEON
#define MOE_HAS_SIEVE 1
#else
#define MOE_HAS_SIEVE 0
#endif

#define MOE_RELIEF_LANES 16
#define MOE_RELIEF_BLOCK 4    /* instances whose distances are computed together */
#define MOE_RELIEF_GROUP 128  /* instances that share one pass over the samples, a multiple of the block */
#define MOE_RELIEF_TILE 512   /* most samples of a tile */
#define MOE_RELIEF_ROWS 8     /* features of a tile that are processed together: 16 KB, whatever the stride */

/* Return whether all values of a row are in [0, 1]; NaN is not. */
static inline int moe_relief_in_unit(const float *row, int32_t n_samples)
{
    int outside = 0;
    for (int32_t s = 0; s < n_samples; s++) outside |= !(row[s] >= 0.0f && row[s] <= 1.0f);
    return !outside;
}

/* Return the first sample whose hits are not a valid range that contains it; -1 if there is none. */
static inline int32_t moe_relief_invalid_hits(const int32_t *hits_from, const int32_t *hits_to, int32_t n_samples)
{
    for (int32_t s = 0; s < n_samples; s++)
        if (hits_from[s] < 0 || hits_from[s] > s || hits_to[s] <= s || hits_to[s] > n_samples) return s;
    return -1;
}

/* The samples, and the range of the hits of each. */
typedef struct {
    const float *values;      /* [F, stride] */
    const int32_t *hits_from; /* [n_samples] */
    const int32_t *hits_to;   /* [n_samples] */
    int64_t stride;
    int32_t n_samples;
} moe_relief_samples_t;

/* The workspace for one subset of features. */
typedef struct {
    float *hits, *misses; /* [MOE_RELIEF_GROUP] */
    float *centres;       /* [MOE_RELIEF_GROUP, MOE_RELIEF_ROWS] (relief/nearest.inc.h) */
    float *distances;     /* [n_instances rounded up to a block, at most MOE_RELIEF_GROUP, MOE_RELIEF_TILE] */
#if MOE_HAS_SIEVE
    moe_sieve_t sieve; /* used instead of centres and distances */
#endif
} moe_relief_workspace_t;

#define MOE_TEMPLATE "relief/nearest.inc.h"
#include "base/levels.inc.h"
#if MOE_HAS_SIEVE
#define MOE_TEMPLATE "relief/sieve.inc.h"
#include "base/levels.inc.h"
#endif

/* Return whether the sieve is faster (measured): there must be enough features to repay its cost for each instance,
 * enough instances to repay its layout, and not so many features that their rounding errors, which add up, reach the
 * spread of the distances; and it must need no more memory than MOE_RELIEF_SIEVED values (4 million: 20 MB). */
#define MOE_RELIEF_SIEVED 4194304
#define MOE_RELIEF_SIEVED_K 1024
static inline int moe_relief_by_sieve(int64_t n_samples, int64_t k, int64_t n_instances)
{
    return MOE_HAS_SIEVE && k * (n_instances - 100) > 7 * n_instances && k <= MOE_RELIEF_SIEVED_K &&
           n_samples * k <= MOE_RELIEF_SIEVED;
}

/* Lay out a workspace over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_relief_lay(uint8_t *buffer, int64_t n_samples, int64_t k, int64_t n_instances, int sieved,
                                     moe_relief_workspace_t *workspace /* OUT */)
{
    const int64_t width = (int64_t)sizeof(float);
    int64_t at = 0, group = moe_base_round_up(n_instances, MOE_RELIEF_BLOCK);
    if (group > MOE_RELIEF_GROUP) group = MOE_RELIEF_GROUP;
    workspace->hits = moe_buffers_next(buffer, MOE_RELIEF_GROUP * width, &at);
    workspace->misses = moe_buffers_next(buffer, MOE_RELIEF_GROUP * width, &at);
#if MOE_HAS_SIEVE
    if (sieved) return at + moe_sieve_lay(buffer ? buffer + at : NULL, (int32_t)n_samples, (int32_t)k,
                                          &workspace->sieve);
#endif
    (void)sieved;
    (void)n_samples;
    (void)k;
    workspace->centres = moe_buffers_next(buffer, MOE_RELIEF_GROUP * MOE_RELIEF_ROWS * width, &at);
    workspace->distances = moe_buffers_next(buffer, group * MOE_RELIEF_TILE * width, &at);
    return at;
}

/* Return the bytes of a workspace that suffices for every subset of at most k features. */
static inline int64_t moe_relief_size(int64_t n_samples, int64_t k, int64_t n_instances)
{
    moe_relief_workspace_t workspace;
    int64_t size = moe_relief_lay(NULL, n_samples, k, n_instances, 0, &workspace);
#if MOE_HAS_SIEVE
    int64_t most = MOE_RELIEF_SIEVED / n_samples < k ? MOE_RELIEF_SIEVED / n_samples : k, sieved = 0;
    if (most > MOE_RELIEF_SIEVED_K) most = MOE_RELIEF_SIEVED_K;
    if (moe_relief_by_sieve(n_samples, most, n_instances))
        sieved = moe_relief_lay(NULL, n_samples, most, n_instances, 1, &workspace);
    if (sieved > size) size = sieved;
#endif
    return size;
}

typedef void moe_relief_group_t(const moe_relief_samples_t *, const int32_t *, int32_t, const int32_t *, int32_t,
                                const moe_relief_workspace_t *);

/* Return the loops for an instruction set <= moe_base_level(). */
static inline moe_relief_group_t *moe_relief_loops(int32_t level)
{
    return MOE_AT(level, moe_nearest_group);
}

#if MOE_HAS_SIEVE
typedef struct {
    void (*build)(const moe_relief_samples_t *, const int32_t *, moe_sieve_t *);
    void (*block)(const moe_sieve_t *, const moe_relief_samples_t *, const int32_t *, int32_t, float *, float *);
} moe_relief_sieve_t;

static inline moe_relief_sieve_t moe_relief_sieve(int32_t level)
{
    return (moe_relief_sieve_t){MOE_AT(level, moe_sieve_build), MOE_AT(level, moe_sieve_block)};
}
#endif

/* Partial sum of M_d over instances; 0, 0 before the first. */
typedef struct {
    double sum;      /* of (nearest miss - nearest hit), in order of the instances */
    int64_t counted; /* instances that have a hit and a miss */
} moe_relief_sum_t;

/* Add instances to the M_d of one subset. Adding slices of the instances in their order gives the same bits as one call
 * with all. An instance without a hit or without a miss is skipped. O(n_instances * n_samples * k). */
static inline void moe_relief_add(const moe_relief_samples_t *samples,
                                  const int32_t *selected /* IN [k], ascending */, int32_t k,
                                  const int32_t *instances /* IN [n_instances] */, int32_t n_instances, int32_t level,
                                  uint8_t *work /* workspace [moe_relief_size()] aligned to 8 */,
                                  moe_relief_sum_t *sum /* IN and OUT */)
{
    const int sieved = moe_relief_by_sieve(samples->n_samples, k, n_instances);
    moe_relief_workspace_t workspace;
    moe_relief_lay(work, samples->n_samples, k, n_instances, sieved, &workspace);
#if MOE_HAS_SIEVE
    const moe_relief_sieve_t loops = moe_relief_sieve(level);
    if (sieved) loops.build(samples, selected, &workspace.sieve);
#endif
    for (int32_t first = 0; first < n_instances; first += MOE_RELIEF_GROUP) {
        int32_t n_group = n_instances - first < MOE_RELIEF_GROUP ? n_instances - first : MOE_RELIEF_GROUP;
#if MOE_HAS_SIEVE
        for (int32_t g = 0; sieved && g < n_group; g += MOE_SIEVE_BLOCK)
            loops.block(&workspace.sieve, samples, instances + first + g,
                        n_group - g < MOE_SIEVE_BLOCK ? n_group - g : MOE_SIEVE_BLOCK, workspace.hits + g,
                        workspace.misses + g);
        if (!sieved)
#endif
            moe_relief_loops(level)(samples, selected, k, instances + first, n_group, &workspace);
        for (int32_t g = 0; g < n_group; g++) {
            if (workspace.hits[g] == INFINITY || workspace.misses[g] == INFINITY) continue; /* no hit, or no miss */
            sum->sum += (double)workspace.misses[g] - (double)workspace.hits[g];
            sum->counted++;
        }
    }
}

/* Return M_d of a subset of k features; 0 if no instance counted. */
static inline double moe_relief_mean(const moe_relief_sum_t *sum, int32_t k)
{
    return sum->counted ? sum->sum / ((double)k * (double)sum->counted) : 0.0;
}

#endif
