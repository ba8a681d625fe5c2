/* mutate: flip random bits. */
#ifndef MOE_VARY_MUTATE_H
#define MOE_VARY_MUTATE_H

#include "vary/repair.h"

/* Flip m distinct bits, all m-subsets equally likely (Floyd's method). `picked` is all 0 before and after the call. */
static inline void moe_vary_flip(moe_stream_t *stream, int64_t n_features, int64_t m,
                                 uint64_t *picked /* workspace [n_words] */, uint64_t *bits)
{
    if (m == 1) { /* the usual case needs no set */
        moe_bits_flip(bits, (int64_t)moe_draw_below(stream, (uint64_t)n_features));
        return;
    }
    for (int64_t j = n_features - m; j < n_features; j++) {
        int64_t pick = (int64_t)moe_draw_below(stream, (uint64_t)j + 1);
        if (moe_bits_get(picked, pick)) pick = j;
        moe_bits_set(picked, pick);
    }
    if (m > 0) {
        for (int64_t w = 0; w < moe_bits_words(n_features); w++) {
            bits[w] ^= picked[w];
            picked[w] = 0;
        }
    }
}

/* Return the number of flips: the number of limits that are <= one random word. */
static inline int32_t moe_vary_n_flips(moe_stream_t *stream, const uint64_t *limits, int32_t n_limits)
{
    uint64_t word = moe_draw_word(stream);
    int32_t n_flips = 0;
    while (n_flips < n_limits && word >= limits[n_flips]) n_flips++;
    return n_flips;
}

#endif
