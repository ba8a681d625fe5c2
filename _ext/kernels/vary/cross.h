/* cross: crossover of two chromosomes. */
#ifndef MOE_VARY_CROSS_H
#define MOE_VARY_CROSS_H

#include "bits/bits.h"
#include "draw/draw.h"

enum { MOE_VARY_ONE_POINT = 0, MOE_VARY_TWO_POINT = 1, MOE_VARY_UNIFORM = 2 };

/* Exchange the bits [from, to) of two chromosomes. */
static inline void moe_vary_exchange(uint64_t *a, uint64_t *b, int64_t from, int64_t to)
{
    for (int64_t w = from >> 6; w * 64 < to; w++) {
        uint64_t mask = ~(uint64_t)0;
        if (w == from >> 6) mask &= ~(uint64_t)0 << (from & 63);
        if (to - w * 64 < 64) mask &= ((uint64_t)1 << (to & 63)) - 1;
        uint64_t swap = (a[w] ^ b[w]) & mask;
        a[w] ^= swap;
        b[w] ^= swap;
    }
}

/* Cross two chromosomes in place, by one point, two points or uniformly. One of fewer than two bits has no crossover
 * point and stays as it is. */
static inline void moe_vary_cross(moe_stream_t *stream, int64_t n_features, int32_t kind, uint64_t *a,
                                  uint64_t *b)
{
    if (n_features < 2) return;
    if (kind == MOE_VARY_ONE_POINT) {
        int64_t point = 1 + (int64_t)moe_draw_below(stream, (uint64_t)n_features - 1);
        moe_vary_exchange(a, b, point, n_features);
    } else if (kind == MOE_VARY_TWO_POINT) {
        int64_t from = (int64_t)moe_draw_below(stream, (uint64_t)n_features);
        int64_t to = (int64_t)moe_draw_below(stream, (uint64_t)n_features);
        if (from > to) {
            int64_t swap = from;
            from = to;
            to = swap;
        }
        moe_vary_exchange(a, b, from, to + 1);
    } else {
        for (int64_t w = 0; w < moe_bits_words(n_features); w++) {
            uint64_t swap = (a[w] ^ b[w]) & moe_draw_word(stream);
            a[w] ^= swap;
            b[w] ^= swap;
        }
    }
}

#endif
