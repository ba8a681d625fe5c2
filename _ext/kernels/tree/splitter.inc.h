/* best: the best cut of a node. A template like tree/sorted.inc.h.
 *
 * First every feature that varies is valued, in single precision and several at
 * once (tree/sorted.inc.h, tree/histogram.inc.h); then those whose value may be the best are tried exactly,
 * in ascending order.
 */

/* The classes that occur in the node of class counts work->counts; returns how many. */
static MOE_INLINE int32_t MOE_T(moe_best_present)(const moe_data_t *data, moe_work_t *work)
{
    int32_t n_present = 0, last = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        work->tally[c] = (uint64_t)work->counts[c] << 32;
        work->present[n_present] = work->counts[c];
        n_present += work->counts[c] > 0;
        if (work->counts[c]) last = c;
    }
    work->second = n_present == 2 ? last : -1;
    work->kept_value = 0.0f;
    work->kept_feature = -1;
    return n_present;
}

/* Whether a feature that varies is valued before it is tried. */
static MOE_INLINE int MOE_T(moe_best_filters)(const moe_data_t *data, int32_t feature, int counted,
                                               const MOE_ENTRY *entries, int32_t n, int32_t second)
{
    if (n > (second >= 0 && !counted ? MOE_SCAN_MAX_TWO : MOE_SCAN_MAX)) return 0;
    if (counted) return 1;
    return MOE_HAS_VECTORS && n >= MOE_SCAN_MIN &&
           (int32_t)(entries[n - 1] >> (data->id_bits + data->label_bits)) != moe_bin_missing(data, feature);
}

/* Value up to MOE_TREE_MANY features of one kind, those at the places `waiting` of
 * `varying`; returns the largest value. */
static MOE_INLINE float MOE_T(moe_best_values)(const moe_data_t *data, const int32_t *features, const int32_t *varying,
                                               const int32_t *waiting, int32_t n_waiting, int counted,
                                               const MOE_ENTRY *all, int64_t stride, const MOE_ENTRY *samples,
                                               int32_t n_present, int32_t n, uint64_t s_node, int32_t min_leaf,
                                               moe_work_t *work)
{
    float values[MOE_TREE_MANY], largest = 0.0f;
#if MOE_HAS_VECTORS
    if (!counted) {
        const MOE_ENTRY *entries[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) /* three are valued as four, the last one twice */
            entries[i] = all + varying[waiting[i < n_waiting ? i : n_waiting - 1]] * stride;
        if (n_waiting == 1)
            MOE_T(moe_scan_values)(entries, 1, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
        else if (n_waiting == 2)
            MOE_T(moe_scan_values)(entries, 2, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
        else
            MOE_T(moe_scan_values)(entries, MOE_TREE_MANY, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
    } else
#endif
    {
        int32_t several[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) several[i] = features[varying[waiting[i < n_waiting ? i : n_waiting - 1]]];
        if (n_waiting == 1)
            MOE_T(moe_count_values)(data, samples, n_present, n, several, 1, s_node, min_leaf, work, values);
        else if (n_waiting == 2)
            MOE_T(moe_count_values)(data, samples, n_present, n, several, 2, s_node, min_leaf, work, values);
        else
            MOE_T(moe_count_values)(data, samples, n_present, n, several, MOE_TREE_MANY, s_node, min_leaf, work, values);
    }
    for (int i = 0; i < n_waiting; i++) {
        work->values[waiting[i]] = values[i];
        if (values[i] > largest) largest = values[i];
    }
    return largest;
}

/* Try exactly the cuts of one feature that vary, by the way that its value allows;
 * `position` is its place in the subset. */
static MOE_INLINE void MOE_T(moe_best_try)(const moe_data_t *data, int32_t feature, int32_t position, float value,
                                            const MOE_ENTRY *entries, const MOE_ENTRY *samples, int32_t n_present,
                                            int32_t n, uint64_t s_node, int32_t min_leaf, float bar,
                                            moe_work_t *work, moe_cut_t *best /* IN and OUT */)
{
    (void)value;
    (void)bar;
    if (data->counted[feature])
        MOE_T(moe_count_feature)(data, samples, n_present, n, s_node, min_leaf, feature, position, work, best);
#if MOE_HAS_VECTORS
    else if (value < INFINITY)
        MOE_T(moe_scan_values)(&entries, 1, n, data, s_node, min_leaf, work, NULL, bar, position, best);
#endif
    else
        MOE_T(moe_scan_feature)(entries, n, data, work->counts, s_node, min_leaf, position,
                                moe_bin_missing(data, feature), work->counts + data->n_classes, best);
}

/* Best cut of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no cut". A perfect cut ends the search:
 * nothing can be better, ties go to the lower feature, and both sides are leaves,
 * so that nobody needs the list. */
static MOE_INLINE int32_t MOE_T(moe_best_cut)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                                  const moe_rules_t *rules, const moe_frame_t *frame,
                                                  const MOE_ENTRY *samples, moe_work_t *work,
                                                  moe_cut_t *best /* OUT */)
{
    const uint64_t s_node = frame->s_node;
    const int32_t n = frame->end - frame->start, min_leaf = rules->min_samples_leaf;
    const int32_t *list = work->lists + frame->list;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries + frame->start;
    int32_t *varying = work->lists + frame->list + frame->n_list;
    const int32_t n_present = MOE_T(moe_best_present)(data, work);
    int32_t n_varying = 0, n_kept = 0, waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    float *values = work->values, bar = 0.0f;
    *best = moe_cut_none(s_node, (uint64_t)n);
    for (int32_t j = 0; j < frame->n_list; j++) {
        const MOE_ENTRY *entries = all + list[j] * stride;
        const int counted = data->counted[features[list[j]]];
        if (!counted && !((entries[0] ^ entries[n - 1]) >> code_shift)) continue;
        varying[n_varying] = list[j];
        values[n_varying++] = INFINITY; /* not valued: will be tried exactly */
        if (!MOE_T(moe_best_filters)(data, features[list[j]], counted, entries, n, work->second)) continue;
        waiting[counted][n_waiting[counted]++] = n_varying - 1;
        if (n_waiting[counted] < MOE_TREE_MANY) continue;
        float value = MOE_T(moe_best_values)(data, features, varying, waiting[counted], MOE_TREE_MANY, counted, all,
                                             stride, samples, n_present, n, s_node, min_leaf, work);
        n_waiting[counted] = 0;
        if (value > bar) bar = value;
        if (bar > (float)n - 0.5f) break; /* perfect: any other cut is lower by more than 1/2 */
    }
    for (int counted = 0; counted < 2; counted++) {
        if (!n_waiting[counted] || bar > (float)n - 0.5f) continue;
        float value = MOE_T(moe_best_values)(data, features, varying, waiting[counted], n_waiting[counted], counted,
                                             all, stride, samples, n_present, n, s_node, min_leaf, work);
        if (value > bar) bar = value;
    }
    bar *= 1.0f - 2.0f * MOE_SCAN_CLOSE; /* two values may be off, one up and one down */
    for (int32_t j = 0; j < n_varying; j++) {
        const int32_t feature = varying[j];
        varying[n_kept] = feature;
        n_kept += values[j] >= 0.0f;
        if (values[j] < bar) continue;
        MOE_T(moe_best_try)(data, features[feature], feature, values[j], all + feature * stride, samples, n_present, n,
                             s_node, min_leaf, bar, work, best);
        if (best->feature >= 0 && moe_cut_is_perfect(best)) break;
    }
    return n_kept;
}
