/* repair: chromosomes that are allowed. */
#ifndef MOE_VARY_REPAIR_H
#define MOE_VARY_REPAIR_H

#include "bits/bits.h"
#include "draw/draw.h"

/* Which chromosomes are allowed: those whose selected positions weigh at least
 * `least` and at most `most` together. */
typedef struct {
    int64_t least, most;
    const int32_t *weights;  /* [n_features] > 0; NULL = 1 each */
    const uint64_t *witness; /* [n_words] an allowed chromosome; with weights only */
} moe_vary_limits_t;

static inline int64_t moe_vary_weight(const moe_vary_limits_t *limits, int64_t n_words, const uint64_t *bits)
{
    if (!limits->weights) return moe_bits_count(bits, n_words);
    int64_t weight = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = bits[w]; word; word &= word - 1) weight += limits->weights[w * 64 + moe_base_lowest(word)];
    return weight;
}

/* The next position from `f` that is (`on`) or is not selected, weighs at most
 * `spare`; n_features if there is none. */
static inline int64_t moe_vary_next(const moe_vary_limits_t *limits, int64_t n_features, const uint64_t *bits,
                                    int64_t f, int on, int64_t spare)
{
    while (f < n_features) {
        uint64_t word = (on ? bits[f >> 6] : ~bits[f >> 6]) >> (f & 63);
        if (!word) {
            f = (f | 63) + 1;
            continue;
        }
        f += moe_base_lowest(word);
        if (f >= n_features || limits->weights[f] <= spare) break;
        f++;
    }
    return f < n_features ? f : n_features;
}

/* The nth position (from 0) that is (`on`) or is not selected; there are so many. */
static inline int64_t moe_vary_nth(const uint64_t *bits, int on, int64_t nth)
{
    for (int64_t w = 0;; w++) {
        uint64_t word = on ? bits[w] : ~bits[w];
        const int count = moe_base_popcount(word);
        if (nth >= count) {
            nth -= count;
            continue;
        }
        while (nth--) word &= word - 1;
        return w * 64 + moe_base_lowest(word);
    }
}

/* Switch one random position on or off (`on`: it is selected); of those that weigh at most
 * `spare`, where positions have weights. `weight` is that of the chromosome. Returns the
 * weight of the position, 0 if there is none. */
static inline int64_t moe_vary_switch(moe_stream_t *stream, const moe_vary_limits_t *limits, int64_t n_features,
                                      uint64_t *bits, int on, int64_t weight, int64_t spare)
{
    int64_t n = 0, nth, f;
    if (!limits->weights) { /* counted by words: there may be many to switch among very many */
        n = on ? weight : n_features - weight;
        if (!n) return 0;
        moe_bits_flip(bits, moe_vary_nth(bits, on, (int64_t)moe_draw_below(stream, (uint64_t)n)));
        return 1;
    }
    for (f = moe_vary_next(limits, n_features, bits, 0, on, spare); f < n_features;
         f = moe_vary_next(limits, n_features, bits, f + 1, on, spare))
        n++;
    if (!n) return 0;
    nth = (int64_t)moe_draw_below(stream, (uint64_t)n);
    f = moe_vary_next(limits, n_features, bits, 0, on, spare);
    while (nth--) f = moe_vary_next(limits, n_features, bits, f + 1, on, spare);
    moe_bits_flip(bits, f);
    return limits->weights[f];
}

/* Switch random positions off while the chromosome weighs too much, then random ones
 * on that still fit while it weighs too little; where none fits, take the witness. */
static inline void moe_vary_repair(moe_stream_t *stream, int64_t n_features, const moe_vary_limits_t *limits,
                                   uint64_t *bits)
{
    int64_t n_words = moe_bits_words(n_features), weight = moe_vary_weight(limits, n_words, bits);
    while (weight > limits->most) weight -= moe_vary_switch(stream, limits, n_features, bits, 1, weight, INT64_MAX);
    while (weight < limits->least) {
        int64_t added = moe_vary_switch(stream, limits, n_features, bits, 0, weight, limits->most - weight);
        weight += added;
        if (!added) {
            memcpy(bits, limits->witness, (size_t)n_words * sizeof(uint64_t));
            return;
        }
    }
}

#endif
