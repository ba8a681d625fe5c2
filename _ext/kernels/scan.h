/* scan: the cuts of sorted features in one node. A template: compiled for each
 * instruction set (levels.h) and width of entries, MOE_ENTRY the type and
 * MOE_T(name) the name.
 *
 * A node is searched in two passes. The first values the best cut of every feature
 * in single precision, many cuts at a time: a filter that may call a feature
 * promising that is not, never the reverse. The second tries the cuts of the
 * promising features exactly: mostly those of one.
 *
 * Loops over lanes have no remainder (most nodes are small): they read up to
 * MOE_LANES entries too many and leave out the cuts that do not count.
 */
#ifndef MOE_SCAN_H
#define MOE_SCAN_H

#include "cut.h"

/* Largest node that is valued: twice the sums of squares fit in 31 bits. */
#define MOE_SCAN_MAX 32767
/* A value is off by less than 8 * 2^-24 of itself. */
#define MOE_SCAN_CLOSE 1e-6f
#endif

/* Running sums over entries [0, n) of two features at once (their chains of
 * additions run side by side). The low half of totals[p] is the sum, over entries
 * 0..p, of the entries of the same class before it; the high half the sum of the
 * node's count of its class. With s the squared class counts of entries 0..p:
 * s = 2 low + p + 1; and of those behind p: s_node + s - 2 high. */
static MOE_INLINE void MOE_T(moe_scan_totals)(const MOE_ENTRY *a /* IN [n] */, const MOE_ENTRY *b /* IN [n] */,
                                              int32_t n, int both, const moe_data_t *data,
                                              uint64_t *tally_a /* IN [n_classes] node's count << 32, used up */,
                                              uint64_t *tally_b, uint64_t *totals_a /* OUT [n] */,
                                              uint64_t *totals_b)
{
    const int id_bits = data->id_bits;
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    uint64_t total_a = 0, total_b = 0;
    for (int32_t p = 0; p < n; p++) {
        uint32_t class_a = (uint32_t)(a[p] >> id_bits) & mask;
        uint64_t share_a = tally_a[class_a];
        tally_a[class_a] = share_a + 1;
        totals_a[p] = total_a += share_a;
        if (both) {
            uint32_t class_b = (uint32_t)(b[p] >> id_bits) & mask;
            uint64_t share_b = tally_b[class_b];
            tally_b[class_b] = share_b + 1;
            totals_b[p] = total_b += share_b;
        }
    }
}

#if MOE_HAS_VECTORS
/* -1 in the lanes p + 0, 1, ... whose code changes behind them. */
static MOE_INLINE void MOE_T(moe_scan_changes)(const MOE_ENTRY *entries, int code_shift,
                                               MOE_WHOLE *changes /* OUT */)
{
#if MOE_ENTRY_BITS == 32
    MOE_WHOLE here = *(const MOE_WHOLE_AT *)entries, next = *(const MOE_WHOLE_AT *)(entries + 1);
    *changes = ((here ^ next) & (int32_t)-((uint32_t)1 << code_shift)) != 0;
#else
    const MOE_WIDE_AT *at = (const MOE_WIDE_AT *)entries, *behind = (const MOE_WIDE_AT *)(entries + 1);
    MOE_WIDE here[2] = {(at[0] ^ behind[0]) >> code_shift, (at[1] ^ behind[1]) >> code_shift};
    *changes = __builtin_shufflevector((MOE_WHOLE)here[0], (MOE_WHOLE)here[1], MOE_LANES_EVEN) != 0;
#endif
}

/* 1 in the lanes whose entry is of class 1, of two classes. */
static MOE_INLINE void MOE_T(moe_scan_ones)(const MOE_ENTRY *entries, int id_bits, MOE_WHOLE *ones /* OUT */)
{
#if MOE_ENTRY_BITS == 32
    *ones = *(const MOE_WHOLE_AT *)entries >> id_bits & 1;
#else
    const MOE_WIDE_AT *at = (const MOE_WIDE_AT *)entries;
    MOE_WIDE here[2] = {at[0] >> id_bits, at[1] >> id_bits};
    *ones = __builtin_shufflevector((MOE_WHOLE)here[0], (MOE_WHOLE)here[1], MOE_LANES_EVEN) & 1;
#endif
}
#endif

/* Largest s_left / n_left + s_right / n_right over the cuts of entries [0, n) that
 * leave min_leaf entries on each side; 0 if there is none. */
static MOE_INLINE float MOE_T(moe_scan_many)(const MOE_ENTRY *entries, int32_t n, const moe_data_t *data,
                                             int32_t s_node, int32_t min_leaf,
                                             const uint64_t *totals /* IN [n], readable beyond */)
{
    const float *rise = data->rise + 1, *fall = data->fall + (data->n_samples - n) + 1;
    const int code_shift = data->id_bits + data->label_bits;
    const int32_t from = min_leaf - 1, to = n - min_leaf;
#if MOE_HAS_VECTORS
    const MOE_WHOLE ramp = MOE_LANES_RAMP;
    MOE_WHOLE best = {0}, valid;
    for (int32_t p = from; p < to; p += MOE_LANES) {
        const MOE_WHOLE_AT *pair = (const MOE_WHOLE_AT *)(totals + p);
        const MOE_REALS up = *(const MOE_REALS_AT *)(rise + p), down = *(const MOE_REALS_AT *)(fall + p);
        MOE_T(moe_scan_changes)(entries + p, code_shift, &valid);
        valid &= ramp < to - p;
        MOE_WHOLE low = __builtin_shufflevector(pair[0], pair[1], MOE_LANES_EVEN);
        MOE_WHOLE high = __builtin_shufflevector(pair[0], pair[1], MOE_LANES_ODD);
        MOE_WHOLE left = low + low + ramp + (p + 1);
        MOE_WHOLE right = left + s_node - high - high;
        MOE_REALS score = __builtin_convertvector(left, MOE_REALS) * up +
                            __builtin_convertvector(right, MOE_REALS) * down;
        MOE_L(moe_lanes_raise)(&score, &valid, &best);
    }
    return MOE_L(moe_lanes_largest)(&best);
#else
    float best = 0.0f;
    for (int32_t p = from; p < to; p++) {
        int32_t left = 2 * (int32_t)(uint32_t)totals[p] + p + 1;
        int32_t right = left + s_node - 2 * (int32_t)(totals[p] >> 32);
        float score = (float)left * rise[p] + (float)right * fall[p];
        if ((entries[p] ^ entries[p + 1]) >> code_shift && score > best) best = score;
    }
    return best;
#endif
}

/* The same for two classes, n - 2 (l1 l0 / n_left + r1 r0 / n_right); n_ones =
 * entries of class 1. */
static MOE_INLINE float MOE_T(moe_scan_two)(const MOE_ENTRY *entries, int32_t n, const moe_data_t *data,
                                            int32_t n_ones, int32_t min_leaf)
{
    const float *rise = data->rise + 1, *fall = data->fall + (data->n_samples - n) + 1;
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const int32_t from = min_leaf - 1, to = n - min_leaf;
#if MOE_HAS_VECTORS
    const MOE_WHOLE ramp = MOE_LANES_RAMP;
    MOE_WHOLE best = {0}, before = {0}, valid, ones;
    for (int32_t p = 0; p < to; p += MOE_LANES) {
        const MOE_REALS up = *(const MOE_REALS_AT *)(rise + p), down = *(const MOE_REALS_AT *)(fall + p);
        MOE_T(moe_scan_changes)(entries + p, code_shift, &valid);
        MOE_T(moe_scan_ones)(entries + p, id_bits, &ones);
        valid &= (ramp < to - p) & (ramp >= from - p);
        MOE_L(moe_lanes_prefix)(&ones);
        ones += before;
        before = __builtin_shufflevector(ones, ones, MOE_LANES_LAST);
        MOE_REALS l1 = __builtin_convertvector(ones, MOE_REALS), r1 = (float)n_ones - l1;
        MOE_REALS n_left = __builtin_convertvector(ramp + (p + 1), MOE_REALS);
        MOE_REALS mixed = l1 * (n_left - l1) * up + r1 * ((float)n - n_left - r1) * down;
        MOE_REALS score = (float)n - (mixed + mixed);
        MOE_L(moe_lanes_raise)(&score, &valid, &best);
    }
    return MOE_L(moe_lanes_largest)(&best);
#else
    float best = 0.0f;
    int32_t ones = 0;
    for (int32_t p = 0; p < to; p++) {
        ones += (int32_t)(entries[p] >> id_bits & 1);
        float l1 = (float)ones, l0 = (float)(p + 1) - l1, r1 = (float)n_ones - l1, r0 = (float)(n - p - 1) - r1;
        float score = (float)n - 2.0f * (l1 * l0 * rise[p] + r1 * r0 * fall[p]);
        if (p >= from && (entries[p] ^ entries[p + 1]) >> code_shift && score > best) best = score;
    }
    return best;
#endif
}

/* Set the tally of a scan back to the node's, by the shorter of two ways. */
static MOE_INLINE void MOE_T(moe_scan_reset)(const MOE_ENTRY *entries, int32_t n, const moe_data_t *data,
                                             const uint64_t *shares /* IN [n_classes] */,
                                             uint64_t *tally /* OUT [n_classes] */)
{
    if (n >= data->n_classes) {
        memcpy(tally, shares, (size_t)data->n_classes * sizeof(uint64_t));
        return;
    }
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    for (int32_t p = 0; p < n; p++) {
        uint32_t c = (uint32_t)(entries[p] >> data->id_bits) & mask;
        tally[c] = shares[c];
    }
}

/* Values of two features, entries a and b of a node (of the first alone unless
 * `both`): the score of the best cut, in single precision. */
static MOE_INLINE void MOE_T(moe_scan_values)(const MOE_ENTRY *a, const MOE_ENTRY *b, int32_t n, int both,
                                              const moe_data_t *data, uint64_t s_node, int32_t min_leaf,
                                              moe_work_t *work, float *value_a /* OUT */, float *value_b /* OUT */)
{
    if (data->n_classes == 2) {
        *value_a = MOE_T(moe_scan_two)(a, n, data, work->counts[1], min_leaf);
        if (both) *value_b = MOE_T(moe_scan_two)(b, n, data, work->counts[1], min_leaf);
        return;
    }
    const uint64_t *shares = work->tally;
    uint64_t *tally_a = work->tally + data->n_classes, *tally_b = tally_a + data->n_classes;
    uint64_t *totals_a = work->totals, *totals_b = totals_a + n + MOE_TREE_PAD;
    MOE_T(moe_scan_reset)(a, n, data, shares, tally_a);
    if (both) MOE_T(moe_scan_reset)(b, n, data, shares, tally_b);
    MOE_T(moe_scan_totals)(a, b, n, both, data, tally_a, tally_b, totals_a, totals_b);
    *value_a = MOE_T(moe_scan_many)(a, n, data, (int32_t)s_node, min_leaf, totals_a);
    if (both) *value_b = MOE_T(moe_scan_many)(b, n, data, (int32_t)s_node, min_leaf, totals_b);
}

/* Try every cut between different codes of entries [0, end), in ascending order,
 * exactly. The left side starts with n_left samples of class counts `left`, and
 * the sums s_left, s_right; `left` is used up. O(end). */
static MOE_INLINE void MOE_T(moe_scan_exact)(const MOE_ENTRY *entries /* IN */, int32_t end, const moe_data_t *data,
                                             const int32_t *twice /* IN [n_classes] */, int32_t n_node,
                                             int32_t min_leaf, int32_t feature, int missing_left,
                                             int32_t n_left, uint64_t s_left, uint64_t s_right,
                                             int32_t *left /* workspace [n_classes] */,
                                             moe_cut_t *best /* IN and OUT */)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    const double *reciprocal = data->reciprocal;
    double bar = best->score * (1.0 - MOE_CUT_CLOSE);
    MOE_ENTRY entry = entries[0];
    for (int32_t p = 0; p < end - 1; p++) {
        uint32_t c = (uint32_t)(entry >> id_bits) & mask;
        MOE_ENTRY next = entries[p + 1];
        int64_t step = 2 * (int64_t)left[c]++ + 1; /* (l + 1)^2 - l^2 */
        s_left += (uint64_t)step;
        s_right += (uint64_t)(step - twice[c]); /* (t - l - 1)^2 - (t - l)^2 */
        n_left++;
        if ((next ^ entry) >> code_shift) {
            int32_t n_right = n_node - n_left;
            double score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
            if (score > bar && n_left >= min_leaf && n_right >= min_leaf) {
                moe_cut_t cut = {score, s_left, s_right, (uint64_t)n_left, (uint64_t)n_right, feature,
                                 (int32_t)(entry >> code_shift), (int32_t)(next >> code_shift), missing_left};
                moe_cut_offer(&cut, best, &bar);
            }
        }
        entry = next;
    } /* end: for p */
}

/* Try every cut of one feature whose entries [0, n) are not all of one code;
 * `missing_code` is the code of its missing values, which stand at the end. */
static MOE_INLINE void MOE_T(moe_scan_feature)(const MOE_ENTRY *entries, int32_t n, const moe_data_t *data,
                                               const int32_t *counts /* IN [n_classes] of the node */,
                                               const int32_t *twice /* IN [n_classes] 2 * counts */, uint64_t s_node,
                                               int32_t min_leaf, int32_t feature, int32_t missing_code,
                                               int32_t *left /* workspace [n_classes] */,
                                               moe_cut_t *best /* IN and OUT */)
{
    const int code_shift = data->id_bits + data->label_bits;
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    MOE_T(moe_scan_exact)(entries, n, data, twice, n, min_leaf, feature, 0, 0, 0, s_node, left, best);
    if ((int32_t)(entries[n - 1] >> code_shift) != missing_code) return;
    /* the same cuts once more, with the missing values on the left */
    int32_t known = n;
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    while ((int32_t)(entries[known - 1] >> code_shift) == missing_code) {
        known--;
        left[(uint32_t)(entries[known] >> data->id_bits) & (((uint32_t)1 << data->label_bits) - 1)]++;
    }
    uint64_t s_left = 0, s_right = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        int64_t l = left[c], r = counts[c] - left[c];
        s_left += (uint64_t)(l * l);
        s_right += (uint64_t)(r * r);
    }
    MOE_T(moe_scan_exact)(entries, known, data, twice, n, min_leaf, feature, 1, n - known, s_left, s_right, left,
                          best);
}
