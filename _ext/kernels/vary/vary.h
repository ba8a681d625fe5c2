/* vary: selection, crossover, mutation, repair, distinctness.
 *
 * One pair of parents is one task with one stream; it draws in this order:
 * two spins, the crossover, then for each child the number of flips or moves,
 * these, and, if it came out too large or too small, the positions that are
 * switched.
 */
#ifndef MOE_VARY_H
#define MOE_VARY_H

#include "bits/bits.h"
#include "draw/draw.h"

enum { MOE_VARY_ROULETTE = 0, MOE_VARY_TOURNAMENT = 1 };
enum { MOE_VARY_ONE_POINT = 0, MOE_VARY_TWO_POINT = 1, MOE_VARY_UNIFORM = 2 };

typedef struct {
    int32_t selection;
    int32_t tournament_size;
    int32_t crossover;
    double crossover_rate;
    const uint64_t *flip_limits; /* flips = number of limits not above a random word */
    int32_t n_flip_limits;
    int32_t balanced; /* moves in place of flips */
} moe_vary_options_t;

/* Which chromosomes are allowed: those whose selected positions weigh at least
 * `least` and at most `most` together. */
typedef struct {
    int64_t least, most;
    const int32_t *weights;  /* [n_features] > 0; NULL = 1 each */
    const uint64_t *witness; /* [n_words] an allowed chromosome; with weights only */
} moe_vary_limits_t;

/* Index of the individual that a spin of the roulette hits: the first whose
 * cumulative fitness exceeds spin * total. paper: roulette wheel; authors: 100
 * discrete spins and the neighbour of the one hit; we: a continuous spin. */
static inline int32_t moe_vary_roulette(const double *cumulative /* IN [n], ascending */, int32_t n,
                                        double spin)
{
    double target = spin * cumulative[n - 1];
    int32_t low = 0, high = n - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (cumulative[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Fittest of `size` individuals drawn with replacement; ties to the lowest index. */
static inline int32_t moe_vary_tournament(moe_stream_t *stream, const double *fitness, int32_t n,
                                          int32_t size)
{
    int32_t best = -1;
    for (int32_t t = 0; t < size; t++) {
        int32_t rival = (int32_t)moe_draw_below(stream, (uint64_t)n);
        if (best < 0 || fitness[rival] > fitness[best] ||
            (fitness[rival] == fitness[best] && rival < best))
            best = rival;
    }
    return best;
}

static inline int32_t moe_vary_select(moe_stream_t *stream, const double *fitness,
                                      const double *cumulative, int32_t n, int32_t selection,
                                      int32_t tournament_size)
{
    if (selection == MOE_VARY_TOURNAMENT)
        return moe_vary_tournament(stream, fitness, n, tournament_size);
    return moe_vary_roulette(cumulative, n, moe_draw_unit(stream));
}

/* Exchange positions [from, to) of two chromosomes. */
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

/* Cross two children in place. A chromosome of one bit has no cut. */
static inline void moe_vary_cross(moe_stream_t *stream, int64_t n_features, int32_t kind, uint64_t *a,
                                  uint64_t *b)
{
    if (n_features < 2) return;
    if (kind == MOE_VARY_ONE_POINT) {
        int64_t cut = 1 + (int64_t)moe_draw_below(stream, (uint64_t)n_features - 1);
        moe_vary_exchange(a, b, cut, n_features);
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

static inline int64_t moe_vary_weight(const moe_vary_limits_t *limits, int64_t n_words, const uint64_t *bits)
{
    if (!limits->weights) return moe_bits_count(bits, n_words);
    int64_t weight = 0;
    for (int64_t w = 0; w < n_words; w++)
        for (uint64_t word = bits[w]; word; word &= word - 1) weight += limits->weights[w * 64 + moe_base_lowest(word)];
    return weight;
}

/* The next position from `f` that is (`on`) or is not selected, weighs at most
 * `room`; n_features if there is none. */
static inline int64_t moe_vary_next(const moe_vary_limits_t *limits, int64_t n_features, const uint64_t *bits,
                                    int64_t f, int on, int64_t room)
{
    while (f < n_features) {
        uint64_t word = (on ? bits[f >> 6] : ~bits[f >> 6]) >> (f & 63);
        if (!word) {
            f = (f | 63) + 1;
            continue;
        }
        f += moe_base_lowest(word);
        if (f >= n_features || limits->weights[f] <= room) break;
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
 * `room`, where positions have weights. `weight` is that of the chromosome. Returns the
 * weight of the position, 0 if there is none. */
static inline int64_t moe_vary_switch(moe_stream_t *stream, const moe_vary_limits_t *limits, int64_t n_features,
                                      uint64_t *bits, int on, int64_t weight, int64_t room)
{
    int64_t n = 0, nth, f;
    if (!limits->weights) { /* counted by words: there may be many to switch among very many */
        n = on ? weight : n_features - weight;
        if (!n) return 0;
        moe_bits_flip(bits, moe_vary_nth(bits, on, (int64_t)moe_draw_below(stream, (uint64_t)n)));
        return 1;
    }
    for (f = moe_vary_next(limits, n_features, bits, 0, on, room); f < n_features;
         f = moe_vary_next(limits, n_features, bits, f + 1, on, room))
        n++;
    if (!n) return 0;
    nth = (int64_t)moe_draw_below(stream, (uint64_t)n);
    f = moe_vary_next(limits, n_features, bits, 0, on, room);
    while (nth--) f = moe_vary_next(limits, n_features, bits, f + 1, on, room);
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

/* Exactly `count` random features on; `bits` is all 0 before the call. */
static inline void moe_vary_random(moe_stream_t *stream, int64_t n_features, int64_t count,
                                   uint64_t *bits)
{
    for (int64_t j = n_features - count; j < n_features; j++) {
        int64_t pick = (int64_t)moe_draw_below(stream, (uint64_t)j + 1);
        moe_bits_set(bits, moe_bits_get(bits, pick) ? j : pick);
    }
}

/* Select two parents, cross them, mutate and repair both children. */
static inline void moe_vary_mate(moe_stream_t *stream, const uint64_t *parents /* IN [n, n_words] */,
                                 const double *fitness /* IN [n] */,
                                 const double *cumulative /* IN [n] */, int32_t n, int64_t n_features,
                                 const moe_vary_options_t *options, const moe_vary_limits_t *limits,
                                 uint64_t *picked /* workspace [n_words] */,
                                 uint64_t *child_a /* OUT [n_words] */,
                                 uint64_t *child_b /* OUT [n_words] */)
{
    int64_t n_words = moe_bits_words(n_features);
    uint64_t *children[2] = {child_a, child_b};
    for (int i = 0; i < 2; i++) {
        int32_t parent = moe_vary_select(stream, fitness, cumulative, n, options->selection,
                                         options->tournament_size);
        memcpy(children[i], parents + parent * n_words, (size_t)n_words * sizeof(uint64_t));
    }
    if (moe_draw_unit(stream) < options->crossover_rate)
        moe_vary_cross(stream, n_features, options->crossover, child_a, child_b);
    for (int i = 0; i < 2; i++) {
        int32_t n_flips = moe_vary_n_flips(stream, options->flip_limits, options->n_flip_limits);
        if (options->balanced)
            moe_vary_move(stream, n_features, n_flips, children[i]);
        else
            moe_vary_flip(stream, n_features, n_flips, picked, children[i]);
        moe_vary_repair(stream, n_features, limits, children[i]);
    }
}

/* Slots of the table that finds equal individuals: a power of two, at most half of them in use. */
static inline int64_t moe_vary_slots(int64_t n)
{
    int64_t n_slots = 2;
    while (n_slots < 2 * n) n_slots *= 2;
    return n_slots;
}

/* Make individual i differ from all individuals before it: while it equals one,
 * flip n_flips random bits, at most `tries` times. Returns 1 if it was changed. */
static inline int moe_vary_distinct(moe_stream_t *stream, int32_t i, int64_t n_features,
                                    int64_t n_flips, int32_t tries, const moe_vary_limits_t *limits,
                                    int64_t n_slots, uint64_t *picked /* workspace [n_words] */,
                                    uint64_t *hashes /* IN and OUT [i + 1] */,
                                    int32_t *slots /* IN and OUT [n_slots] individual, from its hash on; -1 = free */,
                                    uint64_t *population /* IN and OUT [n, n_words] */)
{
    int64_t n_words = moe_bits_words(n_features);
    uint64_t *bits = population + i * n_words;
    for (int32_t t = 0;; t++) {
        const uint64_t hash = moe_bits_hash(bits, n_words);
        int64_t slot = (int64_t)(hash & (uint64_t)(n_slots - 1));
        int equal = 0;
        for (; slots[slot] >= 0; slot = (slot + 1) & (n_slots - 1)) {
            const int32_t j = slots[slot];
            equal = hashes[j] == hash && !memcmp(population + j * n_words, bits, (size_t)n_words * sizeof(uint64_t));
            if (equal) break;
        }
        hashes[i] = hash;
        if (!equal) slots[slot] = i;
        if (!equal || t == tries) return t > 0;
        moe_vary_flip(stream, n_features, n_flips, picked, bits);
        moe_vary_repair(stream, n_features, limits, bits);
    }
}

#endif
