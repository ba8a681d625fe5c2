/* cut: the best cut of one feature in one node.
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

#include "tree.h"

/* A double score is off by less than 5 * 2^-53 of itself (rounding of s, of the
 * reciprocal, of the products and of the sum); two are told apart beyond this. */
#define MOE_CUT_CLOSE 4e-15

typedef struct {
    double score; /* s_left / n_left + s_right / n_right, rounded */
    uint64_t s_left, s_right, n_left, n_right;
    int32_t feature;      /* -1 = no cut */
    int32_t position;     /* known entries before this one go left */
    int32_t missing_left; /* missing values go left */
} moe_cut_t;

/* "No cut": what every cut of the node must exceed (no zero-gain splits). */
static inline moe_cut_t moe_cut_none(uint64_t s_node, uint64_t n_node)
{
    moe_cut_t none = {(double)s_node / (double)n_node, s_node, 0, n_node, 1, -1, 0, 0};
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

/* Whether `cut` replaces `best` (see "order of candidates"). */
static inline int moe_cut_replaces(const moe_cut_t *cut, const moe_cut_t *best)
{
    if (cut->score > best->score * (1.0 + MOE_CUT_CLOSE)) return 1;
    int sign = moe_cut_compare(cut, best);
    /* only a cut with missing values left can come after one of higher threshold */
    return sign > 0 || (sign == 0 && cut->feature == best->feature && cut->position < best->position);
}

static inline int moe_cut_is_perfect(const moe_cut_t *cut)
{
    return cut->s_left == cut->n_left * cut->n_left && cut->s_right == cut->n_right * cut->n_right;
}

/* Try every cut between different codes of entries [start, end), in ascending
 * order. The left side starts with n_left samples of class counts `left`, and the
 * sums s_left, s_right; `left` is used up. O(end - start). */
static inline void moe_cut_scan(const moe_entry_t *entries /* IN */, int32_t start, int32_t end,
                                const double *reciprocal, const int32_t *twice /* IN [n_classes] */,
                                int32_t n_node, int32_t min_leaf, int32_t feature, int missing_left,
                                int32_t n_left, uint64_t s_left, uint64_t s_right,
                                int32_t *left /* workspace [n_classes] */,
                                moe_cut_t *best /* IN and OUT */)
{
    double bar = best->score * (1.0 - MOE_CUT_CLOSE);
    moe_entry_t entry = entries[start];
    for (int32_t p = start; p < end - 1; p++) {
        uint32_t c = moe_entry_label(entry);
        moe_entry_t next = entries[p + 1];
        int64_t step = 2 * (int64_t)left[c]++ + 1; /* (l + 1)^2 - l^2 */
        s_left += (uint64_t)step;
        s_right += (uint64_t)(step - twice[c]); /* (t - l - 1)^2 - (t - l)^2 */
        n_left++;
        if (moe_entry_code(next) != moe_entry_code(entry)) {
            int32_t n_right = n_node - n_left;
            double score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
            if (score > bar && n_left >= min_leaf && n_right >= min_leaf) {
                moe_cut_t cut = {score, s_left, s_right, (uint64_t)n_left, (uint64_t)n_right,
                                 feature, p + 1, missing_left};
                if (moe_cut_replaces(&cut, best)) {
                    *best = cut;
                    bar = score * (1.0 - MOE_CUT_CLOSE);
                    if (moe_cut_is_perfect(&cut)) return;
                }
            }
        }
        entry = next;
    } /* end: for p */
}

/* Best cut of one feature whose entries [start, end) are not all of one code;
 * `missing_code` is the code of its missing values, which stand at the end. */
static inline void moe_cut_feature(const moe_entry_t *entries, int32_t start, int32_t end,
                                   const double *reciprocal, int32_t n_classes,
                                   const int32_t *counts /* IN [n_classes] of the node */,
                                   const int32_t *twice /* IN [n_classes] 2 * counts */, uint64_t s_node,
                                   int32_t min_leaf, int32_t feature, uint32_t missing_code,
                                   int32_t *left /* workspace [n_classes] */,
                                   moe_cut_t *best /* IN and OUT */)
{
    memset(left, 0, (size_t)n_classes * sizeof(int32_t));
    moe_cut_scan(entries, start, end, reciprocal, twice, end - start, min_leaf, feature, 0, 0, 0, s_node,
                 left, best);
    if (moe_entry_code(entries[end - 1]) != missing_code) return;
    /* the same cuts once more, with the missing values on the left */
    int32_t known = end;
    memset(left, 0, (size_t)n_classes * sizeof(int32_t));
    while (moe_entry_code(entries[known - 1]) == missing_code)
        left[moe_entry_label(entries[--known])]++;
    uint64_t s_left = 0, s_right = 0;
    for (int32_t c = 0; c < n_classes; c++) {
        int64_t l = left[c], r = counts[c] - left[c];
        s_left += (uint64_t)(l * l);
        s_right += (uint64_t)(r * r);
    }
    moe_cut_scan(entries, start, known, reciprocal, twice, end - start, min_leaf, feature, 1, end - known,
                 s_left, s_right, left, best);
}

#endif
