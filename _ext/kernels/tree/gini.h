/* gini: what a split of a classification tree is worth (CART: Gini), exactly.
 *
 * A split is worth s_left / n_left + s_right / n_right, where s is the sum of
 * the squared class counts of a side. Sums are integers. Scores are compared as
 * doubles, and exactly (192-bit integers) wherever doubles cannot tell: so a tie
 * is a tie, and the tree is a function of the data alone.
 */
#ifndef MOE_TREE_GINI_H
#define MOE_TREE_GINI_H

#include "tree/split.h"

/* Scores of a node of n samples are fractions with denominators up to n^2 / 4, and
 * at most n: two that differ do so by 16 / n^5 of themselves at least. Up to this
 * n that is more than doubles confuse: close scores are equal there. */
#define MOE_GINI_SMALL 1024

/* "No split": what every split of the node must exceed (no zero-gain splits). */
static inline moe_split_t moe_gini_none(uint64_t s_node, uint64_t n_node)
{
    moe_split_t none = {(double)s_node / (double)n_node, s_node, 0, n_node, 1, -1, 0, 0, 0};
    return none;
}

/* Sign of the exact difference of two scores. */
static inline int moe_gini_compare(const moe_split_t *a, const moe_split_t *b)
{
    uint64_t a_top[2], b_top[2], a_wide[3], b_wide[3];
    moe_split_dot(a->s_left, a->n_right, a->s_right, a->n_left, a_top);
    moe_split_dot(b->s_left, b->n_right, b->s_right, b->n_left, b_top);
    moe_split_scale(a_top, b->n_left * b->n_right, a_wide);
    moe_split_scale(b_top, a->n_left * a->n_right, b_wide);
    for (int w = 2; w >= 0; w--)
        if (a_wide[w] != b_wide[w]) return a_wide[w] < b_wide[w] ? -1 : 1;
    return 0;
}

/* Whether `split` replaces `best` (see "order of candidates"). */
static inline int moe_gini_replaces(const moe_split_t *split, const moe_split_t *best)
{
    int sign = moe_split_differs(split, best);
    if (sign == 0 && split->n_left + split->n_right > MOE_GINI_SMALL) sign = moe_gini_compare(split, best);
    return sign > 0 || (sign == 0 && moe_split_precedes(split, best));
}

/* Offer a split of the node; `bar` = score from which on a split has to be compared. */
static inline void moe_gini_offer(const moe_split_t *split, moe_split_t *best /* IN and OUT */,
                                  double *bar /* IN and OUT */)
{
    if (!moe_gini_replaces(split, best)) return;
    *best = *split;
    *bar = split->score * (1.0 - MOE_SPLIT_CLOSE);
}

static inline int moe_gini_is_perfect(const moe_split_t *split)
{
    return split->s_left == split->n_left * split->n_left && split->s_right == split->n_right * split->n_right;
}

#endif
