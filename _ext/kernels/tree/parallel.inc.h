/* parallel: what a thread does for a tree that many grow (tree/parallel.h). A template like tree/sorted.inc.h. */
#include "tree/bins.h"
#include "tree/histogram.h"
#include "tree/parallel.h"

/* The root: stamps, samples, and class counts into those of node 0. */
static inline void MOE_T(moe_parallel_root)(moe_parallel_t *grower)
{
    const moe_training_t *training = &grower->training;
    MOE_ENTRY *samples = (MOE_ENTRY *)grower->columns.entries + training->k * (int64_t)training->n_train;
    MOE_T(moe_columns_stamps)(training, (MOE_ENTRY *)grower->columns.stamps, samples);
    MOE_T(moe_partition_count)(samples, 0, training->n_train, training->data, grower->tree.node_counts);
}

/* Fill the column of feature j. */
static inline void MOE_T(moe_parallel_fill)(moe_parallel_t *grower, int32_t j, moe_workspace_t *work)
{
    (void)work;
    if (grower->training.data->counted[grower->training.features[j]]) return;
    MOE_T(moe_columns_fill)(grower->training.data, (const MOE_ENTRY *)grower->columns.stamps,
                            grower->training.features[j], grower->training.n_train,
                            (MOE_ENTRY *)grower->columns.entries + j * (int64_t)grower->training.n_train);
}

/* Copy the counts of a node into a workspace; returns the slice of the node. */
static MOE_INLINE MOE_SLICE MOE_T(moe_parallel_enter)(const moe_parallel_t *grower, const moe_parallel_node_t *open,
                                                      moe_workspace_t *own /* IN and OUT */)
{
    const moe_training_t *training = &grower->training;
    const int32_t n_classes = training->data->n_classes;
    const MOE_ENTRY *all = (const MOE_ENTRY *)grower->columns.entries + open->start;
    memcpy(own->counts, grower->tree.node_counts + (int64_t)open->node * n_classes,
           (size_t)n_classes * sizeof(int32_t));
    const MOE_SLICE slice = {training->data, training->features, all, all + training->k * (int64_t)training->n_train,
                             training->n_train, open->s_node, open->end - open->start,
                             MOE_T(moe_splitter_present)(training->data, own), training->stopping->min_samples_leaf};
    return slice;
}

/* Estimate a group of the features of a node: -1 = constant, infinite = to be tried. */
static inline void MOE_T(moe_parallel_estimate)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const int32_t k = grower->training.k, *features = grower->training.features;
    const int32_t n_groups = (k + MOE_PARALLEL_GROUP - 1) / MOE_PARALLEL_GROUP;
    const int32_t from = task % n_groups * MOE_PARALLEL_GROUP;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    moe_workspace_t own = *work;
    const MOE_SLICE slice = MOE_T(moe_parallel_enter)(grower, grower->frontier + task / n_groups, &own);
    own.estimates = grower->estimates + task / n_groups * (int64_t)k;
    for (int32_t j = from; j < k && j < from + MOE_PARALLEL_GROUP; j++) {
        const MOE_ENTRY *entries = slice.columns + j * slice.stride;
        const int counted = data->counted[features[j]];
        const int varies = counted || (entries[0] ^ entries[slice.n - 1]) >> code_shift;
        own.estimates[j] = varies ? INFINITY : -1.0f;
        if (varies && MOE_T(moe_splitter_estimates)(&slice, features[j], counted, entries, own.second))
            waiting[counted][n_waiting[counted]++] = j;
    }
    for (int counted = 0; counted < 2; counted++)
        if (n_waiting[counted])
            MOE_T(moe_splitter_estimate)(&slice, grower->places, waiting[counted], n_waiting[counted], counted, &own);
}

/* Find the best split of a promising feature exactly. */
static inline void MOE_T(moe_parallel_try)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const int32_t place = grower->promising[task], position = place % grower->training.k;
    const moe_parallel_node_t *open = grower->frontier + place / grower->training.k;
    moe_workspace_t own = *work;
    const MOE_SLICE slice = MOE_T(moe_parallel_enter)(grower, open, &own);
    grower->splits[task] = moe_gini_none(slice.s_node, (uint64_t)slice.n);
    MOE_T(moe_splitter_try)(&slice, position, grower->estimates[place], open->bar, &own, grower->splits + task);
}

/* Mark the sides of a piece of the samples of a node, and count the classes of the left one. */
static inline void MOE_T(moe_parallel_mark)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const moe_parallel_node_t *open = grower->frontier + task / grower->n_pieces;
    const int32_t n = open->end - open->start, piece = task % grower->n_pieces, j = open->best.feature;
    if (j < 0) return; /* no split */
    const int32_t feature = grower->training.features[j], below = open->best.below;
    const int32_t from = open->start + (int32_t)((int64_t)n * piece / grower->n_pieces);
    const int32_t to = open->start + (int32_t)((int64_t)n * (piece + 1) / grower->n_pieces);
    const int32_t missing_code = open->best.missing_left ? moe_bins_missing(data, feature) : -1;
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits, counted = data->counted[feature];
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    const int64_t column = (counted ? grower->training.k : j) * (int64_t)grower->training.n_train;
    const MOE_ENTRY *entries = (const MOE_ENTRY *)grower->columns.entries + column;
    int32_t *left_counts = grower->piece_counts + task * (int64_t)data->n_classes;
    uint8_t *side = grower->columns.side;
    (void)work;
    memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = from; p < to; p++) {
        const uint32_t sample = (uint32_t)entries[p] & id_mask;
        const int32_t code = counted ? (int32_t)MOE_HISTOGRAM_CODE(feature,
                                                                   sample) : (int32_t)(entries[p] >> code_shift);
        const int left = (code <= below) | (code == missing_code);
        side[sample] = (uint8_t)left;
        left_counts[(uint32_t)(entries[p] >> id_bits) & label_mask] += left;
    }
}

/* Divide a column of a node; that of the samples is the last one. */
static inline void MOE_T(moe_parallel_partition)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const moe_parallel_node_t *open = grower->frontier + task / grower->n_columns;
    const int32_t j = task % grower->n_columns, in_order = open->best.missing_left ? -1 : open->best.feature;
    if (!open->keep_left && !open->keep_right) return;
    if (j < grower->training.k && (j == in_order || data->counted[grower->training.features[j]])) return;
    MOE_T(moe_partition_sides)(grower->columns.side, (uint32_t)(((uint64_t)1 << data->id_bits) - 1), open->start,
                               open->end, open->keep_left, open->keep_right, (MOE_ENTRY *)work->spare,
                               (MOE_ENTRY *)grower->columns.entries + j * (int64_t)grower->training.n_train);
}

/* Grow the subtree that is the i-th by size. */
static inline void MOE_T(moe_parallel_subtree)(moe_parallel_t *grower, int32_t i, moe_workspace_t *work)
{
    const int32_t n_classes = grower->training.data->n_classes;
    moe_parallel_subtree_t *subtree = grower->subtrees + grower->by_size[i];
    const moe_queued_t root = {subtree->node, subtree->start, subtree->end, subtree->depth, 0, 0, 0, 0};
    moe_workspace_t own = *work;
    own.entries = grower->columns.entries;
    memcpy(own.counts, grower->tree.node_counts + (int64_t)subtree->node * n_classes,
           (size_t)n_classes * sizeof(int32_t));
    const int32_t end = MOE_T(moe_classifier_subtree)(&grower->training, &root, subtree->first, &own, &grower->tree);
    subtree->n_nodes = end - subtree->first;
}
