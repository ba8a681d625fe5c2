/* sorted: the splits of sorted features in one node. A template: compiled for each instruction set (base/levels.inc.h)
 * and each width of entries; MOE_ENTRY is the type of an entry, MOE_T(name) the name of a function.
 *
 * A node is searched in two passes. The first estimates the best split of every feature in single precision, many
 * splits at a time: a filter that may call a feature promising that is not, never the reverse. The second tries the
 * splits of the promising features exactly: mostly those of one.
 *
 * Loops over lanes have no remainder loop, as most nodes are small: they read up to MOE_LANES entries too many and mask
 * invalid splits.
 */
#include "tree/gini.h"
#include "tree/sorted.h"
#include "tree/workspace.h"

/* Compute running sums over entries [from, to) of n_features features side by side, so that their chains of additions
 * overlap. `sums` and `tally` continue from the chunk before; a class has a tally of (node's count) << 32 at first. Low
 * half of totals[p]: the sum, over entries up to p, of the number of earlier entries of the same class. High half: the
 * sum of the node's count of their classes. With s the sum of the squared class counts of the entries up to p: s = 2
 * low + p + 1; of the entries behind p: s_node + s - 2 high. */
static MOE_INLINE void MOE_T(moe_sorted_totals)(const MOE_ENTRY *const entries[] /* IN [n_features, n] */,
                                                int n_features, int32_t from, int32_t to, const moe_data_t *data,
                                                uint64_t *tally /* IN and OUT [n_classes, n_features] */,
                                                uint64_t sums[] /* IN and OUT [n_features] */,
                                                uint64_t *totals /* OUT [n_features, MOE_TREE_CHUNK] */)
{
    const int id_bits = data->id_bits;
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    for (int32_t p = from; p < to; p++)
        for (int f = 0; f < n_features; f++) {
            uint64_t *cell = tally + ((uint32_t)(entries[f][p] >> id_bits) & mask) * (uint32_t)n_features + f;
            uint64_t sum = sums[f] + *cell;
            *cell += 1;
            totals[f * MOE_TREE_CHUNK + p - from] = sum;
            sums[f] = sum;
        }
}

#if MOE_HAS_VECTORS
/* Set lane i of `changes` to -1 if entries i and i + 1 differ in their codes, else to 0. */
static MOE_INLINE void MOE_T(moe_sorted_changes)(const MOE_ENTRY *entries, int code_shift, MOE_WHOLE *changes /* OUT */)
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

/* Set lane i of `ones` to 1 if entry i is of class `one`, else to 0. */
static MOE_INLINE void MOE_T(moe_sorted_ones)(const MOE_ENTRY *entries, const moe_data_t *data, int32_t one,
                                              MOE_WHOLE *ones /* OUT */)
{
    const int32_t mask = (int32_t)(((uint32_t)1 << data->label_bits) - 1);
#if MOE_ENTRY_BITS == 32
    MOE_WHOLE labels = *(const MOE_WHOLE_AT *)entries >> data->id_bits;
#else
    const MOE_WIDE_AT *at = (const MOE_WIDE_AT *)entries;
    MOE_WIDE here[2] = {at[0] >> data->id_bits, at[1] >> data->id_bits};
    MOE_WHOLE labels = __builtin_shufflevector((MOE_WHOLE)here[0], (MOE_WHOLE)here[1], MOE_LANES_EVEN);
#endif
    *ones = ((labels & mask) == one) & 1;
}
#endif

/* Update `best` by the split behind entry p, with its exact sums. */
static MOE_INLINE void MOE_T(moe_sorted_update_best)(const MOE_SLICE *slice, const MOE_ENTRY *entries, int32_t p,
                                                     uint64_t s_left, uint64_t s_right, int32_t position,
                                                     moe_split_t *best /* IN and OUT */)
{
    const double *reciprocal = slice->data->reciprocal;
    const int code_shift = slice->data->id_bits + slice->data->label_bits;
    const int32_t n_left = p + 1, n_right = slice->n - n_left;
    double cutoff, score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
    moe_split_t split = {score, s_left, s_right, (uint64_t)n_left, (uint64_t)n_right, position,
                         (int32_t)(entries[p] >> code_shift), (int32_t)(entries[p + 1] >> code_shift), 0};
    moe_gini_update_best(&split, best, &cutoff);
}

#if MOE_HAS_VECTORS
/* Score the splits behind entries [from, to) of a chunk, s_left / n_left + s_right / n_right in single precision.
 * Without a trial raise `estimate` to the best score, lane by lane; with one, try those of a high score exactly. Splits
 * with fewer than min_leaf samples on a side are masked. */
static MOE_INLINE void MOE_T(moe_sorted_chunk)(const MOE_SLICE *slice, const MOE_ENTRY *entries, int32_t from,
                                               int32_t to, const uint64_t *totals /* IN [MOE_TREE_CHUNK] */,
                                               const moe_sorted_trial_t *trial /* NULL = only estimate */,
                                               MOE_WHOLE *estimate /* IN and OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n, first = slice->min_leaf - 1, last = n - slice->min_leaf;
    const uint32_t s_node = (uint32_t)slice->s_node;
    const float *rise = data->rise + 1, *fall = data->fall + (data->n_samples - n) + 1;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_WHOLE ramp = MOE_LANES_RAMP;
    if (last < to) to = last;
    for (int32_t p = from; p < to; p += MOE_LANES) {
        const MOE_WHOLE_AT *pair = (const MOE_WHOLE_AT *)(totals + p - from);
        const MOE_REALS inv_left = *(const MOE_REALS_AT *)(rise + p), inv_right = *(const MOE_REALS_AT *)(fall + p);
        MOE_WHOLE valid;
        MOE_T(moe_sorted_changes)(entries + p, code_shift, &valid);
        valid &= (ramp < last - p) & (ramp >= first - p);
        MOE_UNSIGNED low = (MOE_UNSIGNED)__builtin_shufflevector(pair[0], pair[1], MOE_LANES_EVEN);
        MOE_UNSIGNED high = (MOE_UNSIGNED)__builtin_shufflevector(pair[0], pair[1], MOE_LANES_ODD);
        MOE_UNSIGNED left = low + low + (MOE_UNSIGNED)ramp + (uint32_t)(p + 1);
        MOE_UNSIGNED right = left + s_node - high - high;
        MOE_REALS score = __builtin_convertvector((MOE_WHOLE)left, MOE_REALS) * inv_left +
                          __builtin_convertvector((MOE_WHOLE)right, MOE_REALS) * inv_right;
        if (!trial) {
            MOE_L(moe_lanes_max_where)(&score, &valid, estimate);
            continue;
        }
        MOE_WHOLE candidates = valid & (MOE_WHOLE)(score >= trial->cutoff) & 1;
        if (MOE_L(moe_lanes_horizontal_max)(&candidates) == 0.0f) continue;
        for (int lane = 0; lane < MOE_LANES; lane++)
            if (candidates[lane])
                MOE_T(moe_sorted_update_best)(slice, entries, p + lane, (uint64_t)left[lane], (uint64_t)right[lane],
                                              trial->position, trial->best);
    }
}

/* Score the splits of a node of two classes likewise, all entries at once: n - 2 (l1 l0 / n_left + r1 r0 / n_right),
 * where l and r are the counts of the classes on both sides; n_ones = entries of class `one`. */
static MOE_INLINE void MOE_T(moe_sorted_binary)(const MOE_SLICE *slice, const MOE_ENTRY *entries, int32_t one,
                                                int32_t n_ones, const moe_sorted_trial_t *trial,
                                                MOE_WHOLE *estimate /* IN and OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n, first = slice->min_leaf - 1, last = n - slice->min_leaf;
    const float *rise = data->rise + 1, *fall = data->fall + (data->n_samples - n) + 1;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_WHOLE ramp = MOE_LANES_RAMP;
    MOE_WHOLE before = {0}, valid, ones;
    for (int32_t p = 0; p < last; p += MOE_LANES) {
        const MOE_REALS inv_left = *(const MOE_REALS_AT *)(rise + p), inv_right = *(const MOE_REALS_AT *)(fall + p);
        MOE_T(moe_sorted_changes)(entries + p, code_shift, &valid);
        MOE_T(moe_sorted_ones)(entries + p, data, one, &ones);
        valid &= (ramp < last - p) & (ramp >= first - p);
        MOE_L(moe_lanes_prefix)(&ones);
        ones += before;
        before = __builtin_shufflevector(ones, ones, MOE_LANES_LAST);
        MOE_REALS l1 = __builtin_convertvector(ones, MOE_REALS), r1 = (float)n_ones - l1;
        MOE_REALS n_left = __builtin_convertvector(ramp + (p + 1), MOE_REALS);
        MOE_REALS mixed = l1 * (n_left - l1) * inv_left + r1 * ((float)n - n_left - r1) * inv_right;
        MOE_REALS score = (float)n - (mixed + mixed);
        if (!trial) {
            MOE_L(moe_lanes_max_where)(&score, &valid, estimate);
            continue;
        }
        MOE_WHOLE candidates = valid & (MOE_WHOLE)(score >= trial->cutoff) & 1;
        if (MOE_L(moe_lanes_horizontal_max)(&candidates) == 0.0f) continue;
        for (int lane = 0; lane < MOE_LANES; lane++) {
            if (!candidates[lane]) continue;
            uint64_t left_1 = (uint64_t)ones[lane], left_0 = (uint64_t)(p + lane + 1) - left_1;
            uint64_t right_1 = (uint64_t)n_ones - left_1, right_0 = (uint64_t)(n - n_ones) - left_0;
            MOE_T(moe_sorted_update_best)(slice, entries, p + lane, left_0 * left_0 + left_1 * left_1,
                                          right_0 * right_0 + right_1 * right_1, trial->position, trial->best);
        }
    }
}

/* Reset the tally of some features to the node's counts: all classes, or those of the entries if fewer. */
static MOE_INLINE void MOE_T(moe_sorted_reset)(const MOE_SLICE *slice, const MOE_ENTRY *const entries[], int n_features,
                                               const uint64_t *node /* IN [n_classes] */,
                                               uint64_t *tally /* OUT [n_classes, n_features] */)
{
    const moe_data_t *data = slice->data;
    if (slice->n >= data->n_classes) {
        for (int32_t c = 0; c < data->n_classes; c++)
            for (int f = 0; f < n_features; f++) tally[c * n_features + f] = node[c];
        return;
    }
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    for (int32_t p = 0; p < slice->n; p++)
        for (int f = 0; f < n_features; f++) {
            uint32_t c = (uint32_t)(entries[f][p] >> data->id_bits) & mask;
            tally[c * (uint32_t)n_features + f] = node[c];
        }
}

/* Estimate the score of the best split of each feature in single precision; or, with `trial` and one feature, try
 * exactly its splits of a high score. */
static MOE_INLINE void MOE_T(moe_sorted_estimate)(const MOE_SLICE *slice,
                                                  const MOE_ENTRY *const entries[] /* IN [n_features, n] */,
                                                  int n_features, const moe_sorted_trial_t *trial /* or NULL */,
                                                  moe_workspace_t *work, float estimates[] /* OUT [n_features] */)
{
    const int32_t n = slice->n, last = n - slice->min_leaf;
    MOE_WHOLE estimate[MOE_TREE_UNROLL] = {{0}};
    if (work->second_class >= 0) {
        for (int f = 0; f < n_features; f++)
            MOE_T(moe_sorted_binary)(slice, entries[f], work->second_class, work->counts[work->second_class], trial,
                                     estimate + f);
    } else {
        uint64_t *tally = work->tally + slice->data->n_classes, sums[MOE_TREE_UNROLL] = {0};
        MOE_T(moe_sorted_reset)(slice, entries, n_features, work->tally, tally);
        for (int32_t from = 0; from < last; from += MOE_TREE_CHUNK) {
            int32_t to = n - from < MOE_TREE_CHUNK ? n : from + MOE_TREE_CHUNK;
            MOE_T(moe_sorted_totals)(entries, n_features, from, to, slice->data, tally, sums, work->totals);
            for (int f = 0; f < n_features; f++)
                MOE_T(moe_sorted_chunk)(slice, entries[f], from, to, work->totals + f * MOE_TREE_CHUNK, trial,
                                        estimate + f);
        }
    }
    for (int f = 0; f < n_features && !trial; f++) estimates[f] = MOE_L(moe_lanes_horizontal_max)(estimate + f);
}
#endif

/* Evaluate every split between different codes of entries [0, end) exactly, in ascending order of threshold. The left
 * side starts with the samples that `start` describes, whose class counts are `left`; `left` is overwritten. O(end). */
static MOE_INLINE void MOE_T(moe_sorted_exact)(const MOE_SLICE *slice, const MOE_ENTRY *entries /* IN */, int32_t end,
                                               const moe_split_t *start, const int32_t *counts /* IN [n_classes] */,
                                               int32_t *left /* workspace [n_classes] */,
                                               moe_split_t *best /* IN and OUT */)
{
    const int id_bits = slice->data->id_bits, code_shift = id_bits + slice->data->label_bits;
    const uint32_t mask = ((uint32_t)1 << slice->data->label_bits) - 1;
    const double *reciprocal = slice->data->reciprocal;
    const int32_t n_node = slice->n, min_leaf = slice->min_leaf;
    uint64_t s_left = start->s_left, s_right = start->s_right;
    int32_t n_left = (int32_t)start->n_left;
    double cutoff = best->score * (1.0 - MOE_SPLIT_ERROR);
    MOE_ENTRY entry = entries[0];
    for (int32_t p = 0; p < end - 1; p++) {
        uint32_t c = (uint32_t)(entry >> id_bits) & mask;
        MOE_ENTRY next = entries[p + 1];
        int64_t step = 2 * (int64_t)left[c]++ + 1; /* (l + 1)^2 - l^2 */
        s_left += (uint64_t)step;
        s_right += (uint64_t)(step - 2 * (int64_t)counts[c]); /* (t - l - 1)^2 - (t - l)^2 */
        n_left++;
        if ((next ^ entry) >> code_shift) {
            int32_t n_right = n_node - n_left;
            double score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
            if (score > cutoff && n_left >= min_leaf && n_right >= min_leaf) {
                moe_split_t split = {score, s_left, s_right, (uint64_t)n_left, (uint64_t)n_right, start->feature,
                                     (int32_t)(entry >> code_shift), (int32_t)(next >> code_shift),
                                     start->missing_left};
                moe_gini_update_best(&split, best, &cutoff);
            }
        }
        entry = next;
    } /* end: for p */
}

/* Evaluate every split of one feature exactly, whose codes are not all equal; its missing values have the code
 * `missing_code` and are at the end. */
static MOE_INLINE void MOE_T(moe_sorted_feature)(const MOE_SLICE *slice, const MOE_ENTRY *entries, int32_t position,
                                                 int32_t missing_code, moe_workspace_t *work,
                                                 moe_split_t *best /* IN and OUT */)
{
    const moe_data_t *data = slice->data;
    const int code_shift = data->id_bits + data->label_bits;
    const int32_t n = slice->n, *counts = work->counts;
    int32_t *left = work->counts + data->n_classes;
    moe_split_t start = {0.0, 0, slice->s_node, 0, 0, position, 0, 0, 0};
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    MOE_T(moe_sorted_exact)(slice, entries, n, &start, counts, left, best);
    if ((int32_t)(entries[n - 1] >> code_shift) != missing_code) return;
    /* the same splits once more, with missing values on the left */
    int32_t known = n;
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    while ((int32_t)(entries[known - 1] >> code_shift) == missing_code) {
        known--;
        left[(uint32_t)(entries[known] >> data->id_bits) & (((uint32_t)1 << data->label_bits) - 1)]++;
    }
    start.s_right = 0;
    start.n_left = (uint64_t)(n - known);
    start.missing_left = 1;
    for (int32_t c = 0; c < data->n_classes; c++) {
        int64_t l = left[c], r = counts[c] - left[c];
        start.s_left += (uint64_t)(l * l);
        start.s_right += (uint64_t)(r * r);
    }
    MOE_T(moe_sorted_exact)(slice, entries, known, &start, counts, left, best);
}
