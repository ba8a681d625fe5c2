/* splitter: the best split of a node. A template like tree/sorted.inc.h.
 *
 * First every feature that varies is estimated, in single precision and several at once
 * (tree/sorted.inc.h, tree/histogram.inc.h); then those whose estimate may be the best are
 * tried exactly, in ascending order.
 */
#include "tree/bins.h"
#include "tree/gini.h"
#include "tree/sorted.h"
#include "tree/workspace.h"

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

/* Whether a feature that varies is estimated before it is tried; `second`: see the workspace. */
static MOE_INLINE int MOE_T(moe_splitter_estimates)(const MOE_SLICE *slice, int32_t feature, int counted,
                                                    const MOE_ENTRY *entries, int32_t second)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n;
    if (n > (second >= 0 && !counted ? MOE_SORTED_MAX_TWO : MOE_SORTED_MAX)) return 0;
    if (counted) return 1;
    return MOE_HAS_VECTORS && n >= MOE_SORTED_MIN &&
           (int32_t)(entries[n - 1] >> (data->id_bits + data->label_bits)) != moe_bins_missing(data, feature);
}

/* Estimate up to MOE_TREE_MANY features of one kind, those at the places `waiting` of
 * `varying`; returns the largest estimate. */
static MOE_INLINE float MOE_T(moe_splitter_estimate)(const MOE_SLICE *slice, const int32_t *varying,
                                                     const int32_t *waiting, int32_t n_waiting, int counted,
                                                     moe_workspace_t *work)
{
    float estimates[MOE_TREE_MANY], largest = 0.0f;
    int32_t places[MOE_TREE_MANY];
    for (int i = 0; i < MOE_TREE_MANY; i++) /* three are estimated as four, the last one twice */
        places[i] = varying[waiting[i < n_waiting ? i : n_waiting - 1]];
#if MOE_HAS_VECTORS
    if (!counted) {
        const MOE_ENTRY *entries[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) entries[i] = slice->columns + places[i] * slice->stride;
        if (n_waiting == 1)
            MOE_T(moe_sorted_estimate)(slice, entries, 1, NULL, work, estimates);
        else if (n_waiting == 2)
            MOE_T(moe_sorted_estimate)(slice, entries, 2, NULL, work, estimates);
        else
            MOE_T(moe_sorted_estimate)(slice, entries, MOE_TREE_MANY, NULL, work, estimates);
    } else
#endif
    {
        (void)counted; /* without vectors only such features are estimated */
        for (int i = 0; i < MOE_TREE_MANY; i++) places[i] = slice->features[places[i]];
        if (n_waiting == 1)
            MOE_T(moe_histogram_estimate)(slice, places, 1, work, estimates);
        else if (n_waiting == 2)
            MOE_T(moe_histogram_estimate)(slice, places, 2, work, estimates);
        else
            MOE_T(moe_histogram_estimate)(slice, places, MOE_TREE_MANY, work, estimates);
    }
    for (int i = 0; i < n_waiting; i++) {
        work->estimates[waiting[i]] = estimates[i];
        if (estimates[i] > largest) largest = estimates[i];
    }
    return largest;
}

/* Try exactly the splits of one feature that varies, by the way that its estimate allows;
 * `position` is its place in the subset. */
static MOE_INLINE void MOE_T(moe_splitter_try)(const MOE_SLICE *slice, int32_t position, float estimate, float bar,
                                               moe_workspace_t *work, moe_split_t *best /* IN and OUT */)
{
    const int32_t feature = slice->features[position];
    const MOE_ENTRY *entries = slice->columns + position * slice->stride;
    const moe_sorted_trial_t trial = {bar, position, best};
    (void)estimate;
    (void)trial;
    if (slice->data->counted[feature])
        MOE_T(moe_histogram_feature)(slice, feature, position, work, best);
#if MOE_HAS_VECTORS
    else if (estimate < INFINITY)
        MOE_T(moe_sorted_estimate)(slice, &entries, 1, &trial, work, NULL);
#endif
    else
        MOE_T(moe_sorted_feature)(slice, entries, position, moe_bins_missing(slice->data, feature), work, best);
}

/* Best split of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no split". A perfect split ends the search:
 * nothing can be better, ties go to the lower feature, and both sides are leaves,
 * so that nobody needs the list. */
static MOE_INLINE int32_t MOE_T(moe_splitter_best)(const MOE_SLICE *slice, const moe_queued_t *queued,
                                                   moe_workspace_t *work, moe_split_t *best /* OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n, *features = slice->features, *list = work->lists + queued->list;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t *varying = work->lists + queued->list + queued->n_list;
    int32_t n_varying = 0, n_kept = 0, waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    float *estimates = work->estimates, bar = 0.0f;
    *best = moe_gini_none(slice->s_node, (uint64_t)n);
    for (int32_t j = 0; j < queued->n_list; j++) {
        const MOE_ENTRY *entries = slice->columns + list[j] * slice->stride;
        const int counted = data->counted[features[list[j]]];
        if (!counted && !((entries[0] ^ entries[n - 1]) >> code_shift)) continue;
        varying[n_varying] = list[j];
        estimates[n_varying++] = INFINITY; /* not estimated: will be tried exactly */
        if (!MOE_T(moe_splitter_estimates)(slice, features[list[j]], counted, entries, work->second)) continue;
        waiting[counted][n_waiting[counted]++] = n_varying - 1;
        if (n_waiting[counted] < MOE_TREE_MANY) continue;
        float estimate = MOE_T(moe_splitter_estimate)(slice, varying, waiting[counted], MOE_TREE_MANY, counted, work);
        n_waiting[counted] = 0;
        if (estimate > bar) bar = estimate;
        if (bar > (float)n - 0.5f) break; /* perfect: any other split is lower by more than 1/2 */
    }
    for (int counted = 0; counted < 2; counted++) {
        if (!n_waiting[counted] || bar > (float)n - 0.5f) continue;
        float estimate = MOE_T(moe_splitter_estimate)(slice, varying, waiting[counted], n_waiting[counted], counted,
                                                      work);
        if (estimate > bar) bar = estimate;
    }
    bar *= 1.0f - 2.0f * MOE_SORTED_CLOSE; /* two may be off, one up and one down */
    for (int32_t j = 0; j < n_varying; j++) {
        const int32_t position = varying[j];
        varying[n_kept] = position;
        n_kept += estimates[j] >= 0.0f;
        if (estimates[j] < bar) continue;
        MOE_T(moe_splitter_try)(slice, position, estimates[j], bar, work, best);
        if (best->feature >= 0 && moe_gini_is_perfect(best)) break;
    }
    return n_kept;
}
