/* gini: the score of a split of a classification tree (CART: Gini impurity), compared exactly.
 *
 * score = s_left / n_left + s_right / n_right, where s is the sum of the squared class counts of a side; the decrease
 * of the Gini impurity, times n, is score - s / n. Sums are integers. Scores are compared as doubles, and exactly
 * (192-bit integers) wherever doubles cannot tell: so a tie is a tie, and the tree is a function of the data alone.
 */
#ifndef MOE_TREE_GINI_H
#define MOE_TREE_GINI_H

#include "tree/split.h"

/* Up to this n, scores that are close as doubles are equal, and no exact comparison is needed. Scores of a node of n
 * samples are fractions with denominators <= n^2 / 4 and values <= n, so distinct ones differ by at least 16 / n^5,
 * relatively, which for n <= 1024 exceeds the error of doubles. */
#define MOE_GINI_SMALL 1024

/* Return "no split", with the score of the undivided node, which every split must exceed (no zero-gain splits). */
static inline moe_split_t moe_gini_no_split(uint64_t s_node, uint64_t n_node)
{
    moe_split_t none = {(double)s_node / (double)n_node, s_node, 0, n_node, 1, -1, 0, 0, 0};
    return none;
}

/* Return the sign of the exact difference of two scores. */
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

/* Return whether `split` replaces `best` (see "order of candidates" in tree/split.h). */
static inline int moe_gini_replaces(const moe_split_t *split, const moe_split_t *best)
{
    int sign = moe_split_compare(split, best);
    if (sign == 0 && split->n_left + split->n_right > MOE_GINI_SMALL) sign = moe_gini_compare(split, best);
    return sign > 0 || (sign == 0 && moe_split_precedes(split, best));
}

/* Replace `best` by `split` if it is better; then *cutoff becomes the score below which splits need no comparison. */
static inline void moe_gini_update_best(const moe_split_t *split, moe_split_t *best /* IN and OUT */,
                                        double *cutoff /* IN and OUT */)
{
    if (!moe_gini_replaces(split, best)) return;
    *best = *split;
    *cutoff = split->score * (1.0 - MOE_SPLIT_ERROR);
}

static inline int moe_gini_is_perfect(const moe_split_t *split)
{
    return split->s_left == split->n_left * split->n_left && split->s_right == split->n_right * split->n_right;
}

#endif
