/* value: the best cut of a feature in single precision, sixteen cuts at a time.
 *
 * A filter: it may call a feature promising that is not, never the reverse. The
 * loops have no remainder (most nodes are small): their inputs are padded with
 * cuts that do not count.
 */
#ifndef MOE_VALUE_H
#define MOE_VALUE_H

#include "base.h"

#define MOE_VALUE_LANES 16
/* Largest node that is valued: twice the sums of squares fit in 31 bits. */
#define MOE_VALUE_MAX 32767
/* Smallest one; below, the exact scan alone is faster. */
#define MOE_VALUE_MIN 12
/* A value is off by less than 6 * 2^-24 of itself. */
#define MOE_VALUE_CLOSE 1e-6

#if MOE_HAS_VECTORS
typedef float moe_reals_t __attribute__((vector_size(4 * MOE_VALUE_LANES)));
typedef int32_t moe_whole_t __attribute__((vector_size(4 * MOE_VALUE_LANES)));

static inline __attribute__((always_inline)) void moe_value_reals(const float *from, moe_reals_t *to)
{
    memcpy(to, from, sizeof *to);
}

static inline __attribute__((always_inline)) void moe_value_whole(const int32_t *from, moe_whole_t *to)
{
    memcpy(to, from, sizeof *to);
}

/* best = larger of best and score where `counts` is not negative. Floats that are
 * not negative compare like their bits. */
static inline __attribute__((always_inline)) void moe_value_raise(const moe_reals_t *score,
                                                                  const moe_whole_t *counts, moe_whole_t *best)
{
    moe_whole_t bits = (moe_whole_t)*score & (*counts >= 0);
    moe_whole_t larger = bits > *best;
    *best = (bits & larger) | (*best & ~larger);
}

static inline __attribute__((always_inline)) float moe_value_largest(const moe_whole_t *best)
{
    int32_t largest = 0;
    float value;
    for (int lane = 0; lane < MOE_VALUE_LANES; lane++) largest = (*best)[lane] > largest ? (*best)[lane] : largest;
    memcpy(&value, &largest, sizeof value);
    return value;
}
#endif

/* Largest s_left / n_left + s_right / n_right over cuts [from, to); 0 if there is none.
 * sl, sq: see moe_scan_sums; rise[p + 1] = 1 / n_left, fall[p + 1] = 1 / n_right.
 * All arrays are readable for MOE_VALUE_LANES - 1 entries beyond `to`; sl is -1 there. */
MOE_CLONES
static float moe_value_many(const int32_t *sl, const int32_t *sq, const float *rise, const float *fall,
                            int32_t from, int32_t to, int32_t s_node)
{
#if MOE_HAS_VECTORS
    moe_whole_t best = {0}, left, query;
    moe_reals_t up, down;
    for (int32_t p = from; p < to; p += MOE_VALUE_LANES) {
        moe_value_whole(sl + p, &left);
        moe_value_whole(sq + p, &query);
        moe_value_reals(rise + p + 1, &up);
        moe_value_reals(fall + p + 1, &down);
        moe_whole_t right = s_node + left - query - query;
        moe_reals_t score = __builtin_convertvector(left, moe_reals_t) * up +
                            __builtin_convertvector(right, moe_reals_t) * down;
        moe_value_raise(&score, &left, &best);
    }
    return moe_value_largest(&best);
#else
    float best = 0.0f;
    for (int32_t p = from; p < to; p++) {
        float score = (float)sl[p] * rise[p + 1] + (float)(s_node + sl[p] - 2 * sq[p]) * fall[p + 1];
        if (sl[p] >= 0 && score > best) best = score;
    }
    return best;
#endif
}

/* The same for two classes, n - 2 (l1 l0 / n_left + r1 r0 / n_right), from ones[p],
 * the entries of class 1 on the left; n_ones = entries of class 1 in the node. */
MOE_CLONES
static float moe_value_two(const int32_t *ones, const float *rise, const float *fall, int32_t from,
                           int32_t to, int32_t n, int32_t n_ones)
{
#if MOE_HAS_VECTORS
    const moe_reals_t ramp = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    moe_whole_t best = {0}, left;
    moe_reals_t up, down;
    for (int32_t p = from; p < to; p += MOE_VALUE_LANES) {
        moe_value_whole(ones + p, &left);
        moe_value_reals(rise + p + 1, &up);
        moe_value_reals(fall + p + 1, &down);
        moe_reals_t n_left = ramp + (float)(p + 1);
        moe_reals_t l1 = __builtin_convertvector(left, moe_reals_t), r1 = (float)n_ones - l1;
        moe_reals_t mixed = l1 * (n_left - l1) * up + r1 * ((float)n - n_left - r1) * down;
        moe_reals_t score = (float)n - (mixed + mixed);
        moe_value_raise(&score, &left, &best);
    }
    return moe_value_largest(&best);
#else
    float best = 0.0f;
    for (int32_t p = from; p < to; p++) {
        float l1 = (float)ones[p], l0 = (float)(p + 1) - l1, r1 = (float)n_ones - l1;
        float r0 = (float)(n - p - 1) - r1;
        float score = (float)n - 2.0f * (l1 * l0 * rise[p + 1] + r1 * r0 * fall[p + 1]);
        if (ones[p] >= 0 && score > best) best = score;
    }
    return best;
#endif
}

#endif
