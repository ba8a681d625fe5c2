/* variance: the score of a split of a regression tree (CART: reduction of variance), compared exactly.
 *
 * The target of a sample is an integer, and sums of it are exact (limits: tree/types.h). In a node of n samples,
 * z = target - floor(mean of the node); z_left and z_right are its sums over the sides; and
 *
 *     score = z_left^2 / n_left + z_right^2 / n_right.
 *
 * It differs between the splits of a node as the reduction of the sum of squares does, and it is small even if the mean
 * is large. Scores are compared as doubles (tree/split.h), and exactly wherever doubles cannot tell: by
 * d^2 / (n_left n_right), the reduction times n, with d = n_right z_left - n_left z_right; d = 0 without gain.
 *
 * All functions are inlined into the loops: called as functions of the baseline instruction set from loops of a later
 * one, they took most of the time of a tree.
 */
#ifndef MOE_TREE_VARIANCE_H
#define MOE_TREE_VARIANCE_H

#include "tree/split.h"

/* Split the mean of n >= 1 integers: return its floor, and its fraction in [0, 1). */
static MOE_INLINE int64_t moe_variance_mean(int64_t sum, int32_t n, double *mean_fraction /* OUT */)
{
    int64_t mean_floor = sum / n, remainder = sum % n;
    if (remainder < 0) {
        mean_floor--;
        remainder += n;
    }
    *mean_fraction = (double)remainder / (double)n;
    return mean_floor;
}

/* Return "no split" with the score of the undivided node, z^2 / n for the sum z of all n samples; to be exceeded. */
static MOE_INLINE moe_split_t moe_variance_no_split(int64_t z, int32_t n)
{
    moe_split_t none = {(double)z * (double)z / (double)n, 0, 0, 1, 1, -1, 0, 0, 0};
    return none;
}

/* Compute |d| of a split in 128 bits, low word first; < 2^94. */
static MOE_INLINE void moe_variance_difference(const moe_split_t *split, uint64_t out[2])
{
    const int64_t z_left = (int64_t)split->s_left, z_right = (int64_t)split->s_right;
    const uint64_t left = z_left < 0 ? 0 - split->s_left : split->s_left;
    const uint64_t right = z_right < 0 ? 0 - split->s_right : split->s_right;
    if ((z_left < 0) != (z_right < 0)) {
        moe_split_dot(left, split->n_right, right, split->n_left, out);
        return;
    }
    uint64_t a[2] = {left * split->n_right, moe_base_mulhi(left, split->n_right)};
    uint64_t b[2] = {right * split->n_left, moe_base_mulhi(right, split->n_left)};
    const int less = a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]);
    const uint64_t *more = less ? b : a, *fewer = less ? a : b;
    out[0] = more[0] - fewer[0];
    out[1] = more[1] - fewer[1] - (more[0] < fewer[0]);
}

/* Compute out = d^2 * factor in 256 bits, low word first; no overflow for d < 2^94 and factor < 2^60. */
static MOE_INLINE void moe_variance_square(const uint64_t d[2], uint64_t factor, uint64_t out[4])
{
    uint64_t scaled[3];
    moe_split_scale(d, factor, scaled);
    memset(out, 0, 4 * sizeof(uint64_t));
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 3 && i + j < 4; j++) {
            uint64_t low = d[i] * scaled[j], high = moe_base_mulhi(d[i], scaled[j]);
            low += carry;
            high += low < carry;
            out[i + j] += low;
            carry = high + (out[i + j] < low);
        }
        if (i == 0) out[3] = carry;
    }
}

/* Return the sign of the exact difference of the gains of two splits of a node. */
static MOE_INLINE int moe_variance_compare(const moe_split_t *a, const moe_split_t *b)
{
    uint64_t a_difference[2], b_difference[2], a_wide[4], b_wide[4];
    moe_variance_difference(a, a_difference);
    moe_variance_difference(b, b_difference);
    moe_variance_square(a_difference, b->n_left * b->n_right, a_wide);
    moe_variance_square(b_difference, a->n_left * a->n_right, b_wide);
    for (int w = 3; w >= 0; w--)
        if (a_wide[w] != b_wide[w]) return a_wide[w] < b_wide[w] ? -1 : 1;
    return 0;
}

/* Replace `best` by `split` if it is better (see "order of candidates" in tree/split.h). */
static MOE_INLINE void moe_variance_update_best(const moe_split_t *split, moe_split_t *best /* IN and OUT */)
{
    int sign = moe_split_compare(split, best);
    if (sign == 0) sign = moe_variance_compare(split, best);
    if (sign > 0 || (sign == 0 && moe_split_precedes(split, best))) *best = *split;
}

#endif
