/* grower: the nodes of one tree of a forest. A template: see base/levels.inc.h.
 *
 * Among equally good splits the feature drawn first wins, then the lowest threshold. A split without gain is not made,
 * unless thresholds are random: there it may be the only way to go on.
 */
#include "forest/sort.inc.h"
#include "forest/scan.inc.h"

/* Find the best split of a node. Draw n_tried features, then more until one has a split, or until one varies and no
 * split so far leaves enough samples on both sides (with min_weight > 0 no split counts as leaving enough). With random
 * thresholds *middle is the threshold of the best split. */
static MOE_INLINE void MOE_L(moe_grower_best)(const moe_forest_plan_t *plan, const MOE_SCAN_SLICE *slice, int kind,
                                              moe_stream_t *stream, double *middle /* OUT */,
                                              moe_split_t *best /* OUT */)
{
    const int32_t n_features = plan->n_features;
    int32_t i = 0;
    int varied = 0, allowed = 0; /* a drawn feature varies; a split of one leaves enough samples */
    uint64_t rest = 0;
    double cutoff;
    *best = kind == MOE_SCAN_TARGET ? moe_variance_no_split(slice->z_node, slice->size)
                                    : moe_gini_no_split(slice->s_node, (uint64_t)slice->size);
    if (plan->values) best->score = -1.0;
    cutoff = best->score * (1.0 - MOE_SPLIT_ERROR);
    for (; i < n_features; i++) {
        if (plan->n_tried && i >= plan->n_tried && (best->feature >= 0 || (varied && !allowed))) break;
        const int32_t feature = plan->n_tried ? moe_draws_feature(stream, i, n_features, slice->work, &rest)
                                              : slice->work->features[i];
        if (plan->values) {
            varied |= MOE_L(moe_scan_random)(plan, slice, kind, feature, rest, middle, best, &cutoff);
        } else if (MOE_L(moe_sort_codes)(plan->data, feature, slice->samples, slice->n, slice->work->codes)) {
            varied = 1;
            allowed |= MOE_L(moe_scan_best)(slice, kind, feature, best, &cutoff) & !slice->min_weight;
        }
    }
    if (plan->n_tried) moe_draws_restore(i, slice->work);
}

/* Find the best split of a node of any kind, and its threshold; best->feature = -1 if there is none. */
static MOE_INLINE void MOE_L(moe_grower_search)(const moe_forest_plan_t *plan, const MOE_SCAN_SLICE *slice,
                                                moe_stream_t *stream, double *middle /* OUT */,
                                                double *threshold /* OUT */, moe_split_t *best /* OUT */)
{
    const moe_data_t *data = plan->data;
    if (slice->kind == MOE_SCAN_TARGET)
        MOE_L(moe_grower_best)(plan, slice, MOE_SCAN_TARGET, stream, middle, best);
    else if (slice->kind == MOE_SCAN_TWO)
        MOE_L(moe_grower_best)(plan, slice, MOE_SCAN_TWO, stream, middle, best);
    else
        MOE_L(moe_grower_best)(plan, slice, MOE_SCAN_CLASSES, stream, middle, best);
    if (best->feature < 0) return;
    const int64_t first = data->offset[best->feature];
    const int32_t missing_code = moe_bins_missing(data, best->feature);
    const int known = plan->values ? *middle < INFINITY : best->above < missing_code;
    if (!known)
        *middle = INFINITY; /* all known values go left, missing ones right */
    else if (!plan->values)
        *middle = moe_bins_midpoint(moe_bins_edge(data, data->upper, first + best->below),
                                    moe_bins_edge(data, data->lower, first + best->above));
    *threshold = *middle;
    if (known && data->lower != data->upper) /* quantile codes: the threshold must not fall inside a code */
        moe_bins_place(data, best->feature, best->below, best->above, *middle, threshold);
}

/* Return the decrease of the impurity by a split, summed over the samples of the node; never negative. */
static MOE_INLINE double MOE_L(moe_grower_gain)(const MOE_SCAN_SLICE *slice, const moe_split_t *split)
{
    const int target = slice->kind == MOE_SCAN_TARGET;
    const double left = (double)(int64_t)split->s_left, right = (double)(int64_t)split->s_right;
    const double all = target ? (double)slice->z_node : (double)(int64_t)slice->s_node;
    const double gain = (target ? left * left : left) / (double)(int64_t)split->n_left
                      + (target ? right * right : right) / (double)(int64_t)split->n_right
                      - (target ? all * all : all) / (double)slice->size;
    return gain > 0.0 ? gain : 0.0;
}

/* Count the classes of a node of possibly more than two. If two are left, rewrite its entries in the form of two
 * classes, weight << 32 | (weight if the sample is of the second class), which its descendants keep. */
static MOE_INLINE void MOE_L(moe_grower_classes)(moe_forest_queued_t *queued /* IN and OUT */,
                                                 uint64_t *entries /* IN and OUT [n] */, int32_t n,
                                                 MOE_SCAN_SLICE *slice /* IN and OUT */)
{
    int32_t *counts = slice->work->counts, *present = slice->work->present;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t c = (uint32_t)entries[i];
        if (!counts[c]) present[slice->n_present++] = (int32_t)c;
        counts[c] += (int32_t)(entries[i] >> 32);
    }
    if (slice->n_present > 2) return;
    queued->first = present[0]; /* samples are sorted by class */
    queued->second = present[1];
    queued->n_second = counts[present[1]];
    for (int32_t i = 0; i < n; i++) {
        const uint64_t weight = entries[i] >> 32;
        entries[i] = weight << 32 | ((uint32_t)entries[i] == (uint32_t)queued->second ? weight : 0);
    }
    counts[queued->first] = counts[queued->second] = slice->n_present = 0;
}

/* Write z = weight * (target - mean_floor) of each sample; returns whether the target varies. */
static MOE_INLINE int MOE_L(moe_grower_target)(const MOE_SCAN_SLICE *slice, int64_t mean_floor)
{
    const int64_t *target = slice->data->target;
    const int32_t *samples = slice->samples;
    int64_t *MOE_RESTRICT z = slice->work->z;
    int varies = 0;
    for (int32_t i = 0; i < slice->n; i++) {
        const int64_t value = target[samples[i]];
        varies |= value != target[samples[0]];
        z[i] = (int64_t)(slice->entries[i] >> 32) * (value - mean_floor);
    }
    return varies;
}

/* Append the share of one class to a leaf. */
static MOE_INLINE void MOE_L(moe_grower_share)(const moe_forest_queued_t *queued, int32_t c, int32_t count,
                                               moe_forest_tree_t *tree)
{
    tree->shares[tree->n_shares++] = (moe_forest_share_t){(double)count / (double)queued->size, c, count};
    tree->nodes[queued->node].other++;
}

/* Write the shares of all classes that occur in a leaf. */
static MOE_INLINE void MOE_L(moe_grower_shares)(const MOE_SCAN_SLICE *slice, const moe_forest_queued_t *queued,
                                                moe_forest_tree_t *tree)
{
    const int32_t *present = slice->work->present, *counts = slice->work->counts;
    const int32_t n_first = queued->size - queued->n_second;
    tree->nodes[queued->node].left = tree->n_shares;
    if (queued->first >= 0) {
        if (n_first) MOE_L(moe_grower_share)(queued, queued->first, n_first, tree);
        if (queued->n_second) MOE_L(moe_grower_share)(queued, queued->second, queued->n_second, tree);
    } else if (!slice->n_present) { /* a pure node, whose classes were not counted */
        MOE_L(moe_grower_share)(queued, (int32_t)(uint32_t)slice->entries[0], queued->size, tree);
    }
    for (int32_t i = 0; i < slice->n_present; i++)
        MOE_L(moe_grower_share)(queued, present[i], counts[present[i]], tree);
}

/* Partition the samples of a node stably, left ones first. Returns their number; `packed` = sum of their entries;
 * `has_missing` = whether a value of the feature is missing in the node. */
static MOE_INLINE int32_t MOE_L(moe_grower_divide)(const moe_forest_plan_t *plan, const MOE_SCAN_SLICE *slice,
                                                   const moe_split_t *split, double middle,
                                                   int32_t *samples /* IN and OUT [n] */,
                                                   uint64_t *entries /* IN and OUT [n] */, uint64_t *packed /* OUT */,
                                                   int *has_missing /* OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t missing_code = moe_bins_missing(data, split->feature);
    const int32_t left_code = split->missing_left ? missing_code : -1;
    int32_t to = 0, n_right = 0, *spare_samples = slice->work->spare_samples, *codes = slice->work->codes;
    uint64_t *spare_entries = slice->work->spare_entries, sum = 0;
    const double *values = slice->work->best_values;
    const int random_thresholds = plan->values != NULL;
    int any_missing = 0;
    if (!random_thresholds) MOE_L(moe_sort_codes)(data, split->feature, samples, slice->n, codes);
    for (int32_t i = 0; i < slice->n; i++) {
        const int left = random_thresholds ? MOE_L(moe_scan_left)(values[i], middle, split->missing_left)
                                           : (codes[i] <= split->below) | (codes[i] == left_code);
        const uint64_t entry = entries[i];
        samples[to] = spare_samples[n_right] = samples[i];
        entries[to] = spare_entries[n_right] = entry;
        sum += entry & (0 - (uint64_t)left);
        to += left;
        n_right += !left;
        any_missing |= random_thresholds ? values[i] != values[i] : codes[i] == missing_code;
    }
    memcpy(samples + to, spare_samples, (size_t)n_right * sizeof(int32_t));
    memcpy(entries + to, spare_entries, (size_t)n_right * sizeof(uint64_t));
    *packed = sum;
    *has_missing = any_missing;
    return to;
}

/* Write a queued node as a leaf, or split it and write its children to `waiting`. Returns the number of children
 * written, 0 or 2. */
static MOE_INLINE int32_t MOE_L(moe_grower_node)(const moe_forest_plan_t *plan, uint32_t number,
                                                 moe_forest_queued_t queued, moe_forest_work_t *work,
                                                 moe_forest_queued_t *waiting /* OUT [2] */, moe_forest_tree_t *tree)
{
    const moe_data_t *data = plan->data;
    const int32_t n = queued.end - queued.start, size = queued.size, target = data->target != NULL;
    int32_t *samples = work->samples + queued.start;
    uint64_t *entries = work->entries + queued.start, packed;
    int64_t mean_floor = 0;
    double mean_fraction, middle = 0.0, threshold = 0.0;
    MOE_SCAN_SLICE slice = {data, work, samples, entries, MOE_SCAN_TARGET, n, size, plan->stopping.min_samples_leaf,
                            plan->min_weight, 0, 0, queued.sum, 0};
    moe_forest_node_t *node = tree->nodes + queued.node;
    moe_split_t split;
    int splittable = target || queued.sum < (uint64_t)size * (uint64_t)size, has_missing;
    *node = (moe_forest_node_t){0.0, -1, 0, 0, size};
    tree->gains[queued.node] = 0.0;
    split.feature = -1;
    if (target) {
        mean_floor = moe_variance_mean((int64_t)queued.sum, size, &mean_fraction);
        node->threshold = (double)mean_floor + mean_fraction;
        slice.z_node = (int64_t)queued.sum - mean_floor * size;
        splittable = MOE_L(moe_grower_target)(&slice, mean_floor);
    } else if (splittable && queued.first < 0) {
        MOE_L(moe_grower_classes)(&queued, entries, n, &slice);
    }
    if (!target) slice.kind = queued.first < 0 ? MOE_SCAN_CLASSES : MOE_SCAN_TWO;
    slice.n_second = queued.n_second;
    if (splittable && size / 2 >= plan->min_weight && moe_node_allows(&plan->stopping, n, queued.depth)) {
        moe_stream_t stream = moe_draw_open(plan->address, number, (uint32_t)queued.node);
        MOE_L(moe_grower_search)(plan, &slice, &stream, &middle, &threshold, &split);
    }
    if (!target && split.feature < 0) MOE_L(moe_grower_shares)(&slice, &queued, tree);
    for (int32_t i = 0; i < slice.n_present; i++) work->counts[work->present[i]] = 0;
    if (split.feature < 0) return 0;

    const int32_t n_left = MOE_L(moe_grower_divide)(plan, &slice, &split, middle, samples, entries, &packed,
                                                    &has_missing);
    const int missing = has_missing ? split.missing_left : split.n_left > split.n_right; /* unseen ones go to the
                                                                                            larger side */
    *node = (moe_forest_node_t){threshold, split.feature, tree->n_nodes, missing, size};
    tree->gains[queued.node] = MOE_L(moe_grower_gain)(&slice, &split);
    moe_forest_queued_t *left = waiting + 1, *right = waiting; /* the last one is grown first: left before right */
    *left = *right = queued;
    left->node = tree->n_nodes;
    right->node = tree->n_nodes + 1;
    left->end = right->start = queued.start + n_left;
    left->depth = right->depth = queued.depth + 1;
    left->size = (int32_t)split.n_left;
    right->size = (int32_t)split.n_right;
    left->n_second = (int32_t)(uint32_t)packed;
    right->n_second = queued.n_second - left->n_second;
    left->sum = split.s_left + (uint64_t)mean_floor * split.n_left;
    right->sum = target ? queued.sum - left->sum : split.s_right;
    tree->n_nodes += 2;
    return 2;
}

/* Grow one tree (see moe_forest_grow). */
static inline void MOE_L(moe_grower_tree)(const moe_forest_plan_t *plan, uint32_t number, moe_poll_t *poll,
                                          moe_forest_work_t *work, moe_forest_tree_t *tree)
{
    const moe_data_t *data = plan->data;
    const int32_t n = moe_draws_bag(plan, number, work);
    const int64_t n_tried = plan->n_tried ? plan->n_tried : plan->n_features;
    int32_t n_queued = 1, size = 0;
    uint64_t sum = 0;
    for (int32_t i = 0, in_class = 0; i < n; i++) {
        const int32_t s = work->samples[i], weight = work->weights[s];
        size += weight;
        work->entries[i] = (uint64_t)(uint32_t)weight << 32 | (data->target ? 0u : data->labels[s]);
        if (tree->drawn) tree->drawn[plan->rows[s] >> 6] |= (uint64_t)1 << (plan->rows[s] & 63);
        if (data->target) {
            sum += (uint64_t)(weight * data->target[s]);
            continue;
        }
        in_class += weight; /* samples are sorted by class */
        if (i + 1 < n && data->labels[work->samples[i + 1]] == data->labels[s]) continue;
        sum += (uint64_t)in_class * (uint64_t)in_class;
        in_class = 0;
    }
    work->queue[0] = (moe_forest_queued_t){0, 0, n, 0, size, -1, -1, 0, sum};
    tree->n_nodes = 1;
    tree->n_shares = 0;
    while (n_queued--) {
        if (moe_poll_stops(poll, (work->queue[n_queued].end - work->queue[n_queued].start) * n_tried)) return;
        n_queued += MOE_L(moe_grower_node)(plan, number, work->queue[n_queued], work, work->queue + n_queued, tree);
    }
}
