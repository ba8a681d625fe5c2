/* repair: bring chromosomes within the limits on their weight. */
#ifndef MOE_VARY_REPAIR_H
#define MOE_VARY_REPAIR_H

#include "bits/bits.h"
#include "draw/draw.h"

/* The allowed chromosomes: the weights of their selected positions sum to at least `least` and at most `most`. */
typedef struct {
    int64_t least, most;
    const int32_t *weights;  /* [n_features] > 0; NULL = 1 each */
    const uint64_t *witness; /* [n_words] an allowed chromosome; read with weights only */
} moe_vary_limits_t;

static inline int64_t moe_vary_weight(const moe_vary_limits_t *limits, int64_t n_words, const uint64_t *bits)
{
    if (!limits->weights) return moe_bits_count(bits, n_words);
    int64_t weight = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = bits[w]; word; word &= word - 1) weight += limits->weights[w * 64 + moe_base_lowest(word)];
    return weight;
}

/* Return the first position >= f that is selected (`on`) or not selected (not `on`) and weighs at most `max_weight`;
 * n_features if there is none. */
static inline int64_t moe_vary_next_position(const moe_vary_limits_t *limits, int64_t n_features, const uint64_t *bits,
                                             int64_t f, int on, int64_t max_weight)
{
    while (f < n_features) {
        uint64_t word = (on ? bits[f >> 6] : ~bits[f >> 6]) >> (f & 63);
        if (!word) {
            f = (f | 63) + 1;
            continue;
        }
        f += moe_base_lowest(word);
        if (f >= n_features || limits->weights[f] <= max_weight) break;
        f++;
    }
    return f < n_features ? f : n_features;
}

/* Return the nth position, from 0, that is selected (`on`) or not selected; the caller ensures that it exists. */
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

/* Flip one random position that is selected (`on`) or not selected, and with weights weighs at most `max_weight`.
 * `weight` is the weight of the chromosome. Returns the weight of the position, 0 if there is no such position. */
static inline int64_t moe_vary_flip_one(moe_stream_t *stream, const moe_vary_limits_t *limits, int64_t n_features,
                                        uint64_t *bits, int on, int64_t weight, int64_t max_weight)
{
    int64_t n = 0, nth, f;
    if (!limits->weights) { /* count by words: there may be many candidates */
        n = on ? weight : n_features - weight;
        if (!n) return 0;
        moe_bits_flip(bits, moe_vary_nth(bits, on, (int64_t)moe_draw_below(stream, (uint64_t)n)));
        return 1;
    }
    for (f = moe_vary_next_position(limits, n_features, bits, 0, on, max_weight); f < n_features;
         f = moe_vary_next_position(limits, n_features, bits, f + 1, on, max_weight))
        n++;
    if (!n) return 0;
    nth = (int64_t)moe_draw_below(stream, (uint64_t)n);
    f = moe_vary_next_position(limits, n_features, bits, 0, on, max_weight);
    while (nth--) f = moe_vary_next_position(limits, n_features, bits, f + 1, on, max_weight);
    moe_bits_flip(bits, f);
    return limits->weights[f];
}

/* Unselect random positions while the chromosome weighs too much, then select random ones that fit while it weighs too
 * little; if none fits, copy the witness. */
static inline void moe_vary_repair(moe_stream_t *stream, int64_t n_features, const moe_vary_limits_t *limits,
                                   uint64_t *bits)
{
    int64_t n_words = moe_bits_words(n_features), weight = moe_vary_weight(limits, n_words, bits);
    while (weight > limits->most) weight -= moe_vary_flip_one(stream, limits, n_features, bits, 1, weight, INT64_MAX);
    while (weight < limits->least) {
        int64_t added = moe_vary_flip_one(stream, limits, n_features, bits, 0, weight, limits->most - weight);
        weight += added;
        if (!added) {
            memcpy(bits, limits->witness, (size_t)n_words * sizeof(uint64_t));
            return;
        }
    }
}

#endif
