/* scan: the cuts of one feature in one node. A template: included by grow.h once
 * for each width of entries, with MOE_ENTRY the type and MOE_T(name) the name.
 *
 * A cut is first valued in single precision, many at a time; only where the best
 * of a feature could exceed the best cut so far is the feature scanned exactly.
 */

/* Running sums over entries [0, n - 1), -1 where the code does not change behind an
 * entry: sl[p] = sum of squared class counts of entries 0..p; sq[p] = sum over them
 * of the node's count of their class. */
static inline void MOE_T(moe_scan_sums)(const MOE_ENTRY *entries /* IN [n] */, int32_t n,
                                        const moe_data_t *data, const int32_t *counts /* IN [n_classes] */,
                                        int32_t *left /* workspace [n_classes], all 0 */,
                                        int32_t *sl /* OUT [n - 1] */, int32_t *sq /* OUT [n - 1] */)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    int32_t l_sum = 0, q_sum = 0;
    MOE_ENTRY entry = entries[0];
    for (int32_t p = 0; p < n - 1; p++) {
        uint32_t c = (uint32_t)(entry >> id_bits) & mask;
        MOE_ENTRY next = entries[p + 1];
        int32_t l = left[c];
        left[c] = l + 1;
        l_sum += 2 * l + 1;
        q_sum += counts[c];
        sl[p] = l_sum | -(int32_t)!((entry ^ next) >> code_shift); /* no branch: it would be mispredicted */
        sq[p] = q_sum;
        entry = next;
    }
}

/* For two classes: ones[p] = entries of class 1 among 0..p, or -1 as above. */
static inline void MOE_T(moe_scan_ones)(const MOE_ENTRY *entries /* IN [n] */, int32_t n,
                                        const moe_data_t *data, int32_t *ones /* OUT [n - 1] */)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    int32_t sum = 0;
    MOE_ENTRY entry = entries[0];
    for (int32_t p = 0; p < n - 1; p++) {
        MOE_ENTRY next = entries[p + 1];
        sum += (int32_t)(entry >> id_bits & 1);
        ones[p] = sum | -(int32_t)!((entry ^ next) >> code_shift);
        entry = next;
    }
}

/* Whether some cut of entries [0, n) could exceed `best`: no "no" is ever wrong. */
static inline int MOE_T(moe_scan_promising)(const MOE_ENTRY *entries, int32_t n, const moe_data_t *data,
                                            const int32_t *counts, int64_t s_node, int32_t min_leaf,
                                            int32_t *left, int32_t *sums /* workspace [2, n + lanes] */,
                                            const moe_cut_t *best)
{
    const float *rise = data->rise, *fall = data->fall + (data->n_samples - n);
    int32_t from = min_leaf - 1, to = n - min_leaf;
    float score;
    if (data->n_classes == 2) {
        MOE_T(moe_scan_ones)(entries, n, data, sums);
        memset(sums + to, -1, MOE_VALUE_LANES * sizeof(int32_t));
        score = moe_value_two(sums, rise, fall, from, to, n, counts[1]);
    } else {
        int32_t *sq = sums + n + MOE_VALUE_LANES;
        memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
        MOE_T(moe_scan_sums)(entries, n, data, counts, left, sums, sq);
        memset(sums + to, -1, MOE_VALUE_LANES * sizeof(int32_t));
        score = moe_value_many(sums, sq, rise, fall, from, to, (int32_t)s_node);
    }
    return (double)score > best->score * (1.0 - MOE_VALUE_CLOSE);
}

/* Try every cut between different codes of entries [0, end), in ascending order,
 * exactly. The left side starts with n_left samples of class counts `left`, and
 * the sums s_left, s_right; `left` is used up. O(end). */
static inline void MOE_T(moe_scan_exact)(const MOE_ENTRY *entries /* IN */, int32_t end, const moe_data_t *data,
                                         const int32_t *twice /* IN [n_classes] */, int32_t n_node,
                                         int32_t min_leaf, int32_t feature, int32_t start, int missing_left,
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
                moe_cut_t cut = {score, s_left, s_right, (uint64_t)n_left, (uint64_t)n_right,
                                 feature, start + p + 1, missing_left};
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
static inline void MOE_T(moe_scan_feature)(const MOE_ENTRY *column, int32_t start, int32_t end,
                                           const moe_data_t *data,
                                           const int32_t *counts /* IN [n_classes] of the node */,
                                           const int32_t *twice /* IN [n_classes] 2 * counts */, uint64_t s_node,
                                           int32_t min_leaf, int32_t feature, uint32_t missing_code,
                                           int32_t *left /* workspace [n_classes] */,
                                           int32_t *sums /* workspace [2, n_train + lanes] */,
                                           moe_cut_t *best /* IN and OUT */)
{
    const MOE_ENTRY *entries = column + start;
    const int code_shift = data->id_bits + data->label_bits;
    const int32_t n = end - start;
    const int missing = (uint32_t)(entries[n - 1] >> code_shift) == missing_code;
    if (n >= MOE_VALUE_MIN && n <= MOE_VALUE_MAX && !missing &&
        !MOE_T(moe_scan_promising)(entries, n, data, counts, (int64_t)s_node, min_leaf, left, sums, best))
        return;
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    MOE_T(moe_scan_exact)(entries, n, data, twice, n, min_leaf, feature, start, 0, 0, 0, s_node, left, best);
    if (!missing) return;
    /* the same cuts once more, with the missing values on the left */
    int32_t known = n;
    memset(left, 0, (size_t)data->n_classes * sizeof(int32_t));
    while ((uint32_t)(entries[known - 1] >> code_shift) == missing_code) {
        known--;
        left[(uint32_t)(entries[known] >> data->id_bits) & (((uint32_t)1 << data->label_bits) - 1)]++;
    }
    uint64_t s_left = 0, s_right = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        int64_t l = left[c], r = counts[c] - left[c];
        s_left += (uint64_t)(l * l);
        s_right += (uint64_t)(r * r);
    }
    MOE_T(moe_scan_exact)(entries, known, data, twice, n, min_leaf, feature, start, 1, n - known, s_left, s_right,
                          left, best);
}
