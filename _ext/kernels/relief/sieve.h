/* sieve: find the nearest hit and miss, with a filter by integer distances first.
 *
 * Values are rounded to multiples of 1/240, exactly so for counts scaled by a range that divides 240, as most small
 * integers do. Sums of absolute differences of bytes are cheap, eight features of eight samples in one instruction, and
 * they bound the true distances:
 *
 *      |coarse distance - 240 * distance| <= slack        (moe_sieve_build)
 *
 * Only samples that the bound does not exclude are measured exactly, by the same sum as in relief/nearest.inc.h: the
 * result is the same to the bit.
 */
#ifndef MOE_RELIEF_SIEVE_H
#define MOE_RELIEF_SIEVE_H

#include "base/buffers.h"

#define MOE_SIEVE_SCALE 240.0f
#define MOE_SIEVE_BLOCK 8   /* instances that share one pass over the samples */
#define MOE_SIEVE_SPAN 512  /* samples whose coarse distances are kept: they fit into the L1 cache */
#define MOE_SIEVE_PAD 16    /* coarse distances that may be read beyond the last one */

/* One subset of features, laid out for the sieve. */
typedef struct {
    uint8_t *tiles;    /* [n_tiles, n_chunks, 8 samples, 8 features] rounded values, then zeros */
    uint8_t *rounded;  /* [8, n_samples] the rounded values of a chunk, before they are interleaved */
    float *points;     /* [n_samples, k] values */
    uint64_t *queries; /* [n_chunks, MOE_SIEVE_BLOCK] rounded values of a block of instances */
    int32_t *coarse;   /* [MOE_SIEVE_BLOCK, MOE_SIEVE_SPAN + MOE_SIEVE_PAD] coarse distances */
    int32_t n_samples, k, n_tiles, n_chunks;
    double slack; /* largest error of a coarse distance */
} moe_sieve_t;

/* The nearest sample of one kind so far. */
typedef struct {
    float distance;
    int32_t max_coarse;
} moe_sieve_nearest_t;

/* Lay out a sieve over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_sieve_lay(uint8_t *buffer, int32_t n_samples, int32_t k, moe_sieve_t *sieve /* OUT */)
{
    int64_t at = 0, n_tiles = ((int64_t)n_samples + 15) / 16 * 2, n_chunks = ((int64_t)k + 7) / 8;
    sieve->n_samples = n_samples;
    sieve->k = k;
    sieve->n_tiles = (int32_t)n_tiles;
    sieve->n_chunks = (int32_t)n_chunks;
    sieve->tiles = moe_buffers_next(buffer, n_tiles * n_chunks * 64, &at);
    sieve->queries = moe_buffers_next(buffer, n_chunks * 64, &at);
    sieve->coarse = moe_buffers_next(buffer, MOE_SIEVE_BLOCK * (MOE_SIEVE_SPAN + MOE_SIEVE_PAD) * 4, &at);
    sieve->rounded = moe_buffers_next(buffer, 8 * (int64_t)n_samples, &at);
    sieve->points = moe_buffers_next(buffer, (int64_t)n_samples * k * (int64_t)sizeof(float), &at);
    return at;
}

#endif
