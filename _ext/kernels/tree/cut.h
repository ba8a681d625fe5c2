/* cut: what a cut is worth, and which of two is better.
 *
 * Gini: a cut is worth s_left / n_left + s_right / n_right, where s is the sum of
 * the squared class counts of a side. Sums are integers. Scores are compared as
 * doubles, and exactly (192-bit integers) wherever doubles cannot tell: so a tie
 * is a tie, and the tree is a function of the data alone.
 *
 * Order of candidates: lower feature, then lower threshold, then missing values
 * right before left. A later one replaces an earlier one only if it is better.
 */
#ifndef MOE_CUT_H
#define MOE_CUT_H

#include "tree/tree.h"

/* A double score is off by less than 5 * 2^-53 of itself (rounding of s, of the
 * reciprocal, of the products and of the sum); two are told apart beyond this. */
#define MOE_CUT_CLOSE 4e-15

/* Scores of a node of n samples are fractions with denominators up to n^2 / 4, and
 * at most n: two that differ do so by 16 / n^5 of themselves at least. Up to this
 * n that is more than doubles confuse: close scores are equal there. */
#define MOE_CUT_SMALL 1024

typedef struct {
    double score; /* s_left / n_left + s_right / n_right, rounded */
    uint64_t s_left, s_right, n_left, n_right; /* s: in regression sums of the target, which are int64 (tree/gain.h) */
    int32_t feature;      /* -1 = no cut */
    int32_t below, above; /* codes of the node next to the cut: up to `below` go left */
    int32_t missing_left; /* missing values go left */
} moe_cut_t;

/* "No cut": what every cut of the node must exceed (no zero-gain splits). */
static inline moe_cut_t moe_cut_none(uint64_t s_node, uint64_t n_node)
{
    moe_cut_t none = {(double)s_node / (double)n_node, s_node, 0, n_node, 1, -1, 0, 0, 0};
    return none;
}

/* out = a * b + c * d, 128 bits, low word first; no overflow for a, c < 2^62, b, d < 2^31. */
static inline void moe_cut_dot(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t out[2])
{
    uint64_t low = a * b;
    out[0] = low + c * d;
    out[1] = moe_base_mulhi(a, b) + moe_base_mulhi(c, d) + (out[0] < low);
}

/* out = wide * factor, 192 bits, low word first. */
static inline void moe_cut_scale(const uint64_t wide[2], uint64_t factor, uint64_t out[3])
{
    uint64_t carry = moe_base_mulhi(wide[0], factor);
    out[0] = wide[0] * factor;
    out[1] = wide[1] * factor + carry;
    out[2] = moe_base_mulhi(wide[1], factor) + (out[1] < carry);
}

/* Sign of the exact difference of two scores. */
static inline int moe_cut_compare(const moe_cut_t *a, const moe_cut_t *b)
{
    uint64_t a_top[2], b_top[2], a_wide[3], b_wide[3];
    moe_cut_dot(a->s_left, a->n_right, a->s_right, a->n_left, a_top);
    moe_cut_dot(b->s_left, b->n_right, b->s_right, b->n_left, b_top);
    moe_cut_scale(a_top, b->n_left * b->n_right, a_wide);
    moe_cut_scale(b_top, a->n_left * a->n_right, b_wide);
    for (int w = 2; w >= 0; w--)
        if (a_wide[w] != b_wide[w]) return a_wide[w] < b_wide[w] ? -1 : 1;
    return 0;
}

/* Sign of the difference of two scores as far as doubles tell it, else 0. */
static inline int moe_cut_differs(const moe_cut_t *cut, const moe_cut_t *best)
{
    if (cut->score > best->score * (1.0 + MOE_CUT_CLOSE)) return 1;
    return cut->score < best->score * (1.0 - MOE_CUT_CLOSE) ? -1 : 0;
}

/* Whether `cut` comes before `best`, which was offered earlier, where both are equally good: only
 * a cut with missing values left can come after one of higher threshold. */
static inline int moe_cut_precedes(const moe_cut_t *cut, const moe_cut_t *best)
{
    return cut->feature == best->feature && cut->below < best->below;
}

/* Whether `cut` replaces `best` (see "order of candidates"). */
static inline int moe_cut_replaces(const moe_cut_t *cut, const moe_cut_t *best)
{
    int sign = moe_cut_differs(cut, best);
    if (sign == 0 && cut->n_left + cut->n_right > MOE_CUT_SMALL) sign = moe_cut_compare(cut, best);
    return sign > 0 || (sign == 0 && moe_cut_precedes(cut, best));
}

/* Offer a cut of the node; `bar` = score from which on a cut has to be compared. */
static inline void moe_cut_offer(const moe_cut_t *cut, moe_cut_t *best /* IN and OUT */, double *bar /* IN and OUT */)
{
    if (!moe_cut_replaces(cut, best)) return;
    *best = *cut;
    *bar = cut->score * (1.0 - MOE_CUT_CLOSE);
}

static inline int moe_cut_is_perfect(const moe_cut_t *cut)
{
    return cut->s_left == cut->n_left * cut->n_left && cut->s_right == cut->n_right * cut->n_right;
}

#endif
