/* mutate: flips, and moves that keep the number of selected features. */
#ifndef MOE_VARY_MUTATE_H
#define MOE_VARY_MUTATE_H

#include "vary/repair.h"

/* Flip m distinct bits, every m-subset alike (Floyd's method).
 * `picked` is all 0 before and after the call. */
static inline void moe_vary_flip(moe_stream_t *stream, int64_t n_features, int64_t m,
                                 uint64_t *picked /* workspace [n_words] */, uint64_t *bits)
{
    if (m == 1) { /* the usual case: no set is needed */
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

/* Number of flips: how many limits are not above one random word. */
static inline int32_t moe_vary_n_flips(moe_stream_t *stream, const uint64_t *limits, int32_t n_limits)
{
    uint64_t word = moe_draw_word(stream);
    int32_t n_flips = 0;
    while (n_flips < n_limits && word >= limits[n_flips]) n_flips++;
    return n_flips;
}

/* m moves, one after the other: a removal, an addition or a swap with equal chance. A flip
 * adds far more often than it removes where few positions are selected; of moves as many
 * remove as add. What cannot be, a removal from none or an addition to all, is left out. */
static inline void moe_vary_move(moe_stream_t *stream, int64_t n_features, int64_t m, uint64_t *bits)
{
    for (; m > 0; m--) {
        const int64_t n_on = moe_bits_count(bits, moe_bits_words(n_features));
        const uint64_t kind = moe_draw_below(stream, 3);
        int64_t out = -1, in = -1;
        if (kind != 1 && n_on > 0) out = moe_vary_nth(bits, 1, (int64_t)moe_draw_below(stream, (uint64_t)n_on));
        if (kind != 0 && n_on < n_features)
            in = moe_vary_nth(bits, 0, (int64_t)moe_draw_below(stream, (uint64_t)(n_features - n_on)));
        if (out >= 0) moe_bits_flip(bits, out);
        if (in >= 0) moe_bits_flip(bits, in);
    }
}

#endif
