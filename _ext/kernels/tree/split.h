/* split: a split of a node, and the comparison of two splits.
 *
 * Order of candidates: lower feature, then lower threshold, then missing values right before left. A later candidate
 * replaces an earlier one only if it is better.
 */
#ifndef MOE_TREE_SPLIT_H
#define MOE_TREE_SPLIT_H

#include "tree/types.h"

/* Relative error bound of a score in double precision: below 5 * 2^-53 (rounding of s, of the reciprocal, of the
 * products and of the sum). Scores that differ by more are told apart as doubles. */
#define MOE_SPLIT_ERROR 4e-15

typedef struct {
    double score; /* s_left / n_left + s_right / n_right, rounded */
    uint64_t s_left, s_right, n_left, n_right; /* s: sums of squared class counts; in regression sums of z, int64
                                                  (tree/variance.h) */
    int32_t feature;      /* -1 = no split */
    int32_t below, above; /* neighbouring codes that occur in the node: codes <= `below` go left */
    int32_t missing_left; /* missing values go left */
} moe_split_t;

/* Compute out = a * b + c * d in 128 bits, low word first; no overflow for a, c < 2^62 and b, d < 2^31. */
static inline void moe_split_dot(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t out[2])
{
    uint64_t low = a * b;
    out[0] = low + c * d;
    out[1] = moe_base_mulhi(a, b) + moe_base_mulhi(c, d) + (out[0] < low);
}

/* Compute out = wide * factor in 192 bits, low word first. */
static inline void moe_split_scale(const uint64_t wide[2], uint64_t factor, uint64_t out[3])
{
    uint64_t carry = moe_base_mulhi(wide[0], factor);
    out[0] = wide[0] * factor;
    out[1] = wide[1] * factor + carry;
    out[2] = moe_base_mulhi(wide[1], factor) + (out[1] < carry);
}

/* Return the sign of the difference of two scores, 0 if doubles cannot tell it. */
static inline int moe_split_compare(const moe_split_t *split, const moe_split_t *best)
{
    if (split->score > best->score * (1.0 + MOE_SPLIT_ERROR)) return 1;
    return split->score < best->score * (1.0 - MOE_SPLIT_ERROR) ? -1 : 0;
}

/* Return whether `split` precedes the earlier candidate `best` in the order of candidates, if they are equally good:
 * only a split with missing values left can come after one of a higher threshold. */
static inline int moe_split_precedes(const moe_split_t *split, const moe_split_t *best)
{
    return split->feature == best->feature && split->below < best->below;
}

#endif
