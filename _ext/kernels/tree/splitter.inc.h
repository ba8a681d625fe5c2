/* splitter: the best split of a node. A template like tree/sorted.inc.h.
 *
 * First every feature that varies is estimated, in single precision and several at
 * once (tree/sorted.inc.h, tree/histogram.inc.h); then those whose estimate may be the best are tried exactly,
 * in ascending order.
 */

/* The classes that occur in the node of class counts work->counts; returns how many. */
static MOE_INLINE int32_t MOE_T(moe_splitter_present)(const moe_data_t *data, moe_workspace_t *work)
{
    int32_t n_present = 0, last = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        work->tally[c] = (uint64_t)work->counts[c] << 32;
        work->present[n_present] = work->counts[c];
        n_present += work->counts[c] > 0;
        if (work->counts[c]) last = c;
    }
    work->second = n_present == 2 ? last : -1;
    work->kept_estimate = 0.0f;
    work->kept_feature = -1;
    return n_present;
}

/* Whether a feature that varies is estimated before it is tried. */
static MOE_INLINE int MOE_T(moe_splitter_estimates)(const moe_data_t *data, int32_t feature, int counted,
                                                    const MOE_ENTRY *entries, int32_t n, int32_t second)
{
    if (n > (second >= 0 && !counted ? MOE_SORTED_MAX_TWO : MOE_SORTED_MAX)) return 0;
    if (counted) return 1;
    return MOE_HAS_VECTORS && n >= MOE_SORTED_MIN &&
           (int32_t)(entries[n - 1] >> (data->id_bits + data->label_bits)) != moe_bins_missing(data, feature);
}

/* Estimate up to MOE_TREE_MANY features of one kind, those at the places `waiting` of
 * `varying`; returns the largest estimate. */
static MOE_INLINE float MOE_T(moe_splitter_estimate)(const moe_data_t *data, const int32_t *features,
                                                     const int32_t *varying, const int32_t *waiting, int32_t n_waiting,
                                                     int counted, const MOE_ENTRY *all, int64_t stride,
                                                     const MOE_ENTRY *samples, int32_t n_present, int32_t n,
                                                     uint64_t s_node, int32_t min_leaf, moe_workspace_t *work)
{
    float estimates[MOE_TREE_MANY], largest = 0.0f;
#if MOE_HAS_VECTORS
    if (!counted) {
        const MOE_ENTRY *entries[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) /* three are estimated as four, the last one twice */
            entries[i] = all + varying[waiting[i < n_waiting ? i : n_waiting - 1]] * stride;
        if (n_waiting == 1)
            MOE_T(moe_sorted_estimate)(entries, 1, n, data, s_node, min_leaf, work, estimates, 0.0f, 0, NULL);
        else if (n_waiting == 2)
            MOE_T(moe_sorted_estimate)(entries, 2, n, data, s_node, min_leaf, work, estimates, 0.0f, 0, NULL);
        else
            MOE_T(moe_sorted_estimate)(entries, MOE_TREE_MANY, n, data, s_node, min_leaf, work, estimates, 0.0f, 0,
                                       NULL);
    } else
#endif
    {
        int32_t several[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++)
            several[i] = features[varying[waiting[i < n_waiting ? i : n_waiting - 1]]];
        if (n_waiting == 1)
            MOE_T(moe_histogram_estimate)(data, samples, n_present, n, several, 1, s_node, min_leaf, work, estimates);
        else if (n_waiting == 2)
            MOE_T(moe_histogram_estimate)(data, samples, n_present, n, several, 2, s_node, min_leaf, work, estimates);
        else
            MOE_T(moe_histogram_estimate)(data, samples, n_present, n, several, MOE_TREE_MANY, s_node, min_leaf, work,
                                          estimates);
    }
    for (int i = 0; i < n_waiting; i++) {
        work->estimates[waiting[i]] = estimates[i];
        if (estimates[i] > largest) largest = estimates[i];
    }
    return largest;
}

/* Try exactly the splits of one feature that vary, by the way that its estimate allows;
 * `position` is its place in the subset. */
static MOE_INLINE void MOE_T(moe_splitter_try)(const moe_data_t *data, int32_t feature, int32_t position,
                                               float estimate, const MOE_ENTRY *entries, const MOE_ENTRY *samples,
                                               int32_t n_present, int32_t n, uint64_t s_node, int32_t min_leaf,
                                               float bar, moe_workspace_t *work, moe_split_t *best /* IN and OUT */)
{
    (void)estimate;
    (void)bar;
    if (data->counted[feature])
        MOE_T(moe_histogram_feature)(data, samples, n_present, n, s_node, min_leaf, feature, position, work, best);
#if MOE_HAS_VECTORS
    else if (estimate < INFINITY)
        MOE_T(moe_sorted_estimate)(&entries, 1, n, data, s_node, min_leaf, work, NULL, bar, position, best);
#endif
    else
        MOE_T(moe_sorted_feature)(entries, n, data, work->counts, s_node, min_leaf, position,
                                  moe_bins_missing(data, feature), work->counts + data->n_classes, best);
}

/* Best split of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no split". A perfect split ends the search:
 * nothing can be better, ties go to the lower feature, and both sides are leaves,
 * so that nobody needs the list. */
static MOE_INLINE int32_t MOE_T(moe_splitter_best)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                                   const moe_stopping_t *stopping, const moe_queued_t *queued,
                                                   const MOE_ENTRY *samples, moe_workspace_t *work,
                                                   moe_split_t *best /* OUT */)
{
    const uint64_t s_node = queued->s_node;
    const int32_t n = queued->end - queued->start, min_leaf = stopping->min_samples_leaf;
    const int32_t *list = work->lists + queued->list;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries + queued->start;
    int32_t *varying = work->lists + queued->list + queued->n_list;
    const int32_t n_present = MOE_T(moe_splitter_present)(data, work);
    int32_t n_varying = 0, n_kept = 0, waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    float *estimates = work->estimates, bar = 0.0f;
    *best = moe_gini_none(s_node, (uint64_t)n);
    for (int32_t j = 0; j < queued->n_list; j++) {
        const MOE_ENTRY *entries = all + list[j] * stride;
        const int counted = data->counted[features[list[j]]];
        if (!counted && !((entries[0] ^ entries[n - 1]) >> code_shift)) continue;
        varying[n_varying] = list[j];
        estimates[n_varying++] = INFINITY; /* not estimated: will be tried exactly */
        if (!MOE_T(moe_splitter_estimates)(data, features[list[j]], counted, entries, n, work->second)) continue;
        waiting[counted][n_waiting[counted]++] = n_varying - 1;
        if (n_waiting[counted] < MOE_TREE_MANY) continue;
        float estimate = MOE_T(moe_splitter_estimate)(data, features, varying, waiting[counted], MOE_TREE_MANY, counted,
                                                      all, stride, samples, n_present, n, s_node, min_leaf, work);
        n_waiting[counted] = 0;
        if (estimate > bar) bar = estimate;
        if (bar > (float)n - 0.5f) break; /* perfect: any other split is lower by more than 1/2 */
    }
    for (int counted = 0; counted < 2; counted++) {
        if (!n_waiting[counted] || bar > (float)n - 0.5f) continue;
        float estimate = MOE_T(moe_splitter_estimate)(data, features, varying, waiting[counted], n_waiting[counted],
                                                      counted, all, stride, samples, n_present, n, s_node, min_leaf,
                                                      work);
        if (estimate > bar) bar = estimate;
    }
    bar *= 1.0f - 2.0f * MOE_SORTED_CLOSE; /* two may be off, one up and one down */
    for (int32_t j = 0; j < n_varying; j++) {
        const int32_t feature = varying[j];
        varying[n_kept] = feature;
        n_kept += estimates[j] >= 0.0f;
        if (estimates[j] < bar) continue;
        MOE_T(moe_splitter_try)(data, features[feature], feature, estimates[j], all + feature * stride, samples,
                                n_present, n, s_node, min_leaf, bar, work, best);
        if (best->feature >= 0 && moe_gini_is_perfect(best)) break;
    }
    return n_kept;
}
