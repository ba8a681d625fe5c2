/* splitter: find the best split of a node. A template like tree/sorted.inc.h.
 *
 * First the best split of every feature that varies is estimated, in single precision and for several features at once
 * (tree/sorted.inc.h, tree/histogram.inc.h); then the features whose estimate may be the best are tried exactly, in
 * ascending order.
 */
#include "tree/bins.h"
#include "tree/gini.h"
#include "tree/sorted.h"
#include "tree/workspace.h"

/* List the counts of the classes that occur in the node whose class counts are work->counts, and reset what is kept for
 * a node; returns the number of these classes. */
static MOE_INLINE int32_t MOE_T(moe_splitter_present)(const moe_data_t *data, moe_workspace_t *work)
{
    int32_t n_present = 0, last = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        work->tally[c] = (uint64_t)work->counts[c] << 32;
        work->present[n_present] = work->counts[c];
        n_present += work->counts[c] > 0;
        if (work->counts[c]) last = c;
    }
    work->second_class = n_present == 2 ? last : -1;
    work->best_counted_estimate = 0.0f;
    work->best_counted = -1;
    return n_present;
}

/* Return whether a feature that varies is estimated before it is tried; `second_class`: see the workspace. */
static MOE_INLINE int MOE_T(moe_splitter_estimable)(const MOE_SLICE *slice, int32_t feature, int counted,
                                                    const MOE_ENTRY *entries, int32_t second_class)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n;
    if (n > (second_class >= 0 && !counted ? MOE_SORTED_MAX_TWO : MOE_SORTED_MAX)) return 0;
    if (counted) return 1;
    return MOE_HAS_VECTORS && n >= MOE_SORTED_MIN &&
           (int32_t)(entries[n - 1] >> (data->id_bits + data->label_bits)) != moe_bins_missing(data, feature);
}

/* Estimate up to MOE_TREE_UNROLL features of one kind, varying[pending[i]], into work->estimates[pending[i]]; returns
 * the largest. */
static MOE_INLINE float MOE_T(moe_splitter_estimate)(const MOE_SLICE *slice, const int32_t *varying,
                                                     const int32_t *pending, int32_t n_pending, int counted,
                                                     moe_workspace_t *work)
{
    float estimates[MOE_TREE_UNROLL], largest = 0.0f;
    int32_t positions[MOE_TREE_UNROLL];
    for (int i = 0; i < MOE_TREE_UNROLL; i++) /* three are estimated as four, the last one twice */
        positions[i] = varying[pending[i < n_pending ? i : n_pending - 1]];
#if MOE_HAS_VECTORS
    if (!counted) {
        const MOE_ENTRY *entries[MOE_TREE_UNROLL];
        for (int i = 0; i < MOE_TREE_UNROLL; i++) entries[i] = slice->columns + positions[i] * slice->stride;
        if (n_pending == 1)
            MOE_T(moe_sorted_estimate)(slice, entries, 1, NULL, work, estimates);
        else if (n_pending == 2)
            MOE_T(moe_sorted_estimate)(slice, entries, 2, NULL, work, estimates);
        else
            MOE_T(moe_sorted_estimate)(slice, entries, MOE_TREE_UNROLL, NULL, work, estimates);
    } else
#endif
    {
        (void)counted; /* without vectors only counted features are estimated */
        for (int i = 0; i < MOE_TREE_UNROLL; i++) positions[i] = slice->features[positions[i]];
        if (n_pending == 1)
            MOE_T(moe_histogram_estimate)(slice, positions, 1, work, estimates);
        else if (n_pending == 2)
            MOE_T(moe_histogram_estimate)(slice, positions, 2, work, estimates);
        else
            MOE_T(moe_histogram_estimate)(slice, positions, MOE_TREE_UNROLL, work, estimates);
    }
    for (int i = 0; i < n_pending; i++) {
        work->estimates[pending[i]] = estimates[i];
        if (estimates[i] > largest) largest = estimates[i];
    }
    return largest;
}

/* Try the splits of one feature that varies exactly, by the method that fits its estimate (INFINITY = all splits, one
 * by one); `position` is its index in the subset. */
static MOE_INLINE void MOE_T(moe_splitter_try)(const MOE_SLICE *slice, int32_t position, float estimate, float cutoff,
                                               moe_workspace_t *work, moe_split_t *best /* IN and OUT */)
{
    const int32_t feature = slice->features[position];
    const MOE_ENTRY *entries = slice->columns + position * slice->stride;
    const moe_sorted_trial_t trial = {cutoff, position, best};
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

/* Find the best split of a node. Writes the features that vary in it behind its list and returns their number; `best`
 * starts as "no split". A perfect split ends the search: nothing can be better, ties go to the lower feature, and both
 * sides are leaves, so the list is not read. */
static MOE_INLINE int32_t MOE_T(moe_splitter_best)(const MOE_SLICE *slice, const moe_queued_t *queued,
                                                   moe_workspace_t *work, moe_split_t *best /* OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n, *features = slice->features, *list = work->lists + queued->list;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t *varying = work->lists + queued->list + queued->n_list;
    int32_t n_varying = 0, n_kept = 0, pending[2][MOE_TREE_UNROLL], n_pending[2] = {0, 0};
    float *estimates = work->estimates, cutoff = 0.0f;
    *best = moe_gini_no_split(slice->s_node, (uint64_t)n);
    for (int32_t j = 0; j < queued->n_list; j++) {
        const MOE_ENTRY *entries = slice->columns + list[j] * slice->stride;
        const int counted = data->counted[features[list[j]]];
        if (!counted && !((entries[0] ^ entries[n - 1]) >> code_shift)) continue;
        varying[n_varying] = list[j];
        estimates[n_varying++] = INFINITY; /* not estimated: it will be tried exactly */
        if (!MOE_T(moe_splitter_estimable)(slice, features[list[j]], counted, entries, work->second_class)) continue;
        pending[counted][n_pending[counted]++] = n_varying - 1;
        if (n_pending[counted] < MOE_TREE_UNROLL) continue;
        float estimate = MOE_T(moe_splitter_estimate)(slice, varying, pending[counted], MOE_TREE_UNROLL, counted, work);
        n_pending[counted] = 0;
        if (estimate > cutoff) cutoff = estimate;
        if (cutoff > (float)n - 0.5f) break; /* perfect: any other score is lower by more than 1/2 */
    }
    for (int counted = 0; counted < 2; counted++) {
        if (!n_pending[counted] || cutoff > (float)n - 0.5f) continue;
        float estimate = MOE_T(moe_splitter_estimate)(slice, varying, pending[counted], n_pending[counted], counted,
                                                      work);
        if (estimate > cutoff) cutoff = estimate;
    }
    cutoff *= 1.0f - 2.0f * MOE_SORTED_ERROR; /* two estimates may be off, one up and one down */
    for (int32_t j = 0; j < n_varying; j++) {
        const int32_t position = varying[j];
        varying[n_kept] = position;
        n_kept += estimates[j] >= 0.0f;
        if (estimates[j] < cutoff) continue;
        MOE_T(moe_splitter_try)(slice, position, estimates[j], cutoff, work, best);
        if (best->feature >= 0 && moe_gini_is_perfect(best)) break;
    }
    return n_kept;
}
