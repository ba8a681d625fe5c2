/* relief: objective III, nearest miss minus nearest hit (Eq. `mdist`).
 *
 * Values are float32, feature-major, scaled to [0, 1]; rows are `stride` long, a
 * multiple of MOE_RELIEF_LANES, and 0 beyond n_samples. Samples stand class by class, or
 * by ascending target, so the hits of sample s are one range, [hits_from[s], hits_to[s]),
 * which holds s itself; all other samples are its misses.
 *
 * A distance is the float32 sum over the selected features in ascending order:
 * lanes are samples, so the order of that sum is the same for every vector width.
 * Rounding: relative error below k * 2^-24 for k selected features.
 */
#ifndef MOE_RELIEF_RELIEF_H
#define MOE_RELIEF_RELIEF_H

#include <math.h>

#include "base/buffers.h"
#include "relief/sieve.h"

/* Sums of differences of bytes: an instruction of x86-64, four of aarch64. */
#if MOE_HAS_LEVELS || MOE_HAS_NEON
#define MOE_HAS_SIEVE 1
#else
#define MOE_HAS_SIEVE 0
#endif

#define MOE_RELIEF_LANES 16
#define MOE_RELIEF_BLOCK 4    /* instances whose distances are summed together */
#define MOE_RELIEF_GROUP 128  /* instances that pass over the samples together, a multiple of the block */
#define MOE_RELIEF_TILE 512   /* most samples of a tile */
#define MOE_RELIEF_ROWS 8     /* features that pass over a tile together: 16 KB, whatever the stride of the rows */

/* Whether all values of a row are in [0, 1]; not a number is not. */
static inline int moe_relief_in_unit(const float *row, int32_t n_samples)
{
    int outside = 0;
    for (int32_t s = 0; s < n_samples; s++) outside |= !(row[s] >= 0.0f && row[s] <= 1.0f);
    return !outside;
}

/* First sample whose hits are no range with the sample in it; -1 if there is none. */
static inline int32_t moe_relief_astray(const int32_t *hits_from, const int32_t *hits_to, int32_t n_samples)
{
    for (int32_t s = 0; s < n_samples; s++)
        if (hits_from[s] < 0 || hits_from[s] > s || hits_to[s] <= s || hits_to[s] > n_samples) return s;
    return -1;
}

/* The samples, and which are the hits of each. */
typedef struct {
    const float *values;      /* [F, stride] */
    const int32_t *hits_from; /* [n_samples] */
    const int32_t *hits_to;   /* [n_samples] */
    int64_t stride;
    int32_t n_samples;
} moe_relief_samples_t;

/* The workspace of one subset. */
typedef struct {
    float *hits, *misses; /* [MOE_RELIEF_GROUP] */
    float *centres;       /* [MOE_RELIEF_GROUP, MOE_RELIEF_ROWS] (relief/nearest.inc.h) */
    float *distances;     /* [n_instances rounded up to a block, at most MOE_RELIEF_GROUP, MOE_RELIEF_TILE] */
#if MOE_HAS_SIEVE
    moe_sieve_t sieve; /* in their place */
#endif
} moe_relief_workspace_t;

#define MOE_TEMPLATE "relief/nearest.inc.h"
#include "base/levels.inc.h"
#if MOE_HAS_SIEVE
#define MOE_TEMPLATE "relief/sieve.inc.h"
#include "base/levels.inc.h"
#endif

/* Where the sieve pays (measured): enough features to win what an instance costs
 * anyway, enough instances to win what laying it out costs, and not so many features
 * that their errors of rounding, which add up, reach the spread of the distances.
 * And not more memory than this (4 million values: 20 MB). */
#define MOE_RELIEF_SIEVED 4194304
#define MOE_RELIEF_SIEVED_K 1024
static inline int moe_relief_by_sieve(int64_t n_samples, int64_t k, int64_t n_instances)
{
    return MOE_HAS_SIEVE && k * (n_instances - 100) > 7 * n_instances && k <= MOE_RELIEF_SIEVED_K &&
           n_samples * k <= MOE_RELIEF_SIEVED;
}

/* Lay a workspace over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
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

/* Bytes of the workspace for subsets of at most k features. */
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

/* The loops for an instruction set, at most moe_base_level(). */
static inline moe_relief_group_t *moe_relief_loops(int32_t level)
{
    return MOE_AT(level, moe_nearest_group);
}

#if MOE_HAS_SIEVE
typedef struct {
    void (*open)(const moe_relief_samples_t *, const int32_t *, moe_sieve_t *);
    void (*block)(const moe_sieve_t *, const moe_relief_samples_t *, const int32_t *, int32_t, float *, float *);
} moe_relief_sieve_t;

static inline moe_relief_sieve_t moe_relief_sieve(int32_t level)
{
    return (moe_relief_sieve_t){MOE_AT(level, moe_sieve_open), MOE_AT(level, moe_sieve_block)};
}
#endif

/* What instances have added to M_d so far; 0, 0 before the first. */
typedef struct {
    double sum;      /* of the differences, one after the other */
    int64_t counted; /* instances with a hit and a miss */
} moe_relief_sum_t;

/* Add instances to M_d of one subset: slices of them, in their order, give the bits of all in one call. An
 * instance without a hit or without a miss is skipped. O(n_instances * n_samples * k). */
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
    if (sieved) loops.open(samples, selected, &workspace.sieve);
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

/* M_d of a subset of k features; 0 if no instance is counted. */
static inline double moe_relief_mean(const moe_relief_sum_t *sum, int32_t k)
{
    return sum->counted ? sum->sum / ((double)k * (double)sum->counted) : 0.0;
}

#endif
