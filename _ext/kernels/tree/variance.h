/* variance: what a split of a regression tree is worth (CART: reduction of variance), exactly.
 *
 * The target of a sample is an integer, and sums of it are exact (limits: tree/types.h). In a node
 * of n samples it is counted from the whole part of the node's mean: with z the sums
 * of that, a split is worth
 *
 *     z_left^2 / n_left + z_right^2 / n_right
 *
 * which differs between splits of a node as the reduction of the sum of squares does, and is
 * small where the mean is all that the samples have in common. Scores are compared as doubles
 * (tree/split.h), and exactly wherever these cannot tell: by d^2 / (n_left n_right) with
 * d = n_right z_left - n_left z_right, which is the reduction times n. d is 0 if the split
 * gains nothing.
 *
 * All of it is compiled into the loops: called as a function of the baseline instruction set
 * from loops of a later one, it took most of the time of a tree.
 */
#ifndef MOE_TREE_VARIANCE_H
#define MOE_TREE_VARIANCE_H

#include "tree/split.h"

/* Mean of n >= 1 integers: the whole number below it, and the rest, in [0, 1). */
static MOE_INLINE int64_t moe_variance_mean(int64_t sum, int32_t n, double *part /* OUT */)
{
    int64_t whole = sum / n, rest = sum % n;
    if (rest < 0) {
        whole--;
        rest += n;
    }
    *part = (double)rest / (double)n;
    return whole;
}

/* "No split": what every split of a node must exceed, whose z is `z` in all. It gains nothing. */
static MOE_INLINE moe_split_t moe_variance_none(int64_t z, int32_t n)
{
    moe_split_t none = {(double)z * (double)z / (double)n, 0, 0, 1, 1, -1, 0, 0, 0};
    return none;
}

/* |d| of a split, 128 bits, low word first; < 2^94. */
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

/* out = d^2 * factor, 256 bits, low word first; no overflow for d < 2^94, factor < 2^60. */
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

/* Sign of the exact difference of the gains of two splits of a node. */
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

/* Offer a split of the node (see "order of candidates" in tree/split.h). */
static MOE_INLINE void moe_variance_offer(const moe_split_t *split, moe_split_t *best /* IN and OUT */)
{
    int sign = moe_split_differs(split, best);
    if (sign == 0) sign = moe_variance_compare(split, best);
    if (sign > 0 || (sign == 0 && moe_split_precedes(split, best))) *best = *split;
}

#endif
