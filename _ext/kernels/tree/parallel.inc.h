/* parallel: the tasks of a tree that many threads grow (tree/parallel.h). A template like tree/sorted.inc.h. */
#include "tree/bins.h"
#include "tree/histogram.h"
#include "tree/parallel.h"

/* Prepare the root: write base entries and samples, and count the classes of node 0. */
static inline void MOE_T(moe_parallel_root)(moe_parallel_t *grower)
{
    const moe_training_t *training = &grower->training;
    MOE_ENTRY *samples = (MOE_ENTRY *)grower->columns.entries + training->k * (int64_t)training->n_train;
    MOE_T(moe_columns_bases)(training, (MOE_ENTRY *)grower->columns.bases, samples);
    MOE_T(moe_partition_count)(samples, 0, training->n_train, training->data, grower->tree.node_counts);
}

/* Fill the column of feature j; a counted feature has none. */
static inline void MOE_T(moe_parallel_fill)(moe_parallel_t *grower, int32_t j, moe_workspace_t *work)
{
    (void)work;
    if (grower->training.data->counted[grower->training.features[j]]) return;
    MOE_T(moe_columns_fill)(grower->training.data, (const MOE_ENTRY *)grower->columns.bases,
                            grower->training.features[j], grower->training.n_train,
                            (MOE_ENTRY *)grower->columns.entries + j * (int64_t)grower->training.n_train);
}

/* Copy the class counts of a node into a workspace; returns the slice of the node. */
static MOE_INLINE MOE_SLICE MOE_T(moe_parallel_enter)(const moe_parallel_t *grower,
                                                      const moe_parallel_node_t *open_node, moe_workspace_t *own)
{
    const moe_training_t *training = &grower->training;
    const int32_t n_classes = training->data->n_classes;
    const MOE_ENTRY *all = (const MOE_ENTRY *)grower->columns.entries + open_node->start;
    memcpy(own->counts, grower->tree.node_counts + (int64_t)open_node->node * n_classes,
           (size_t)n_classes * sizeof(int32_t));
    const MOE_SLICE slice = {training->data, training->features, all, all + training->k * (int64_t)training->n_train,
                             training->n_train, open_node->s_node, open_node->end - open_node->start,
                             MOE_T(moe_splitter_present)(training->data, own), training->stopping->min_samples_leaf};
    return slice;
}

/* Estimate the features of one task in a node: -1 = constant, INFINITY = must be tried exactly. */
static inline void MOE_T(moe_parallel_estimate)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const int32_t k = grower->training.k, *features = grower->training.features;
    const int32_t n_groups = (k + MOE_PARALLEL_GROUP - 1) / MOE_PARALLEL_GROUP;
    const int32_t from = task % n_groups * MOE_PARALLEL_GROUP;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t pending[2][MOE_TREE_UNROLL], n_pending[2] = {0, 0};
    moe_workspace_t own = *work;
    const MOE_SLICE slice = MOE_T(moe_parallel_enter)(grower, grower->frontier + task / n_groups, &own);
    own.estimates = grower->estimates + task / n_groups * (int64_t)k;
    for (int32_t j = from; j < k && j < from + MOE_PARALLEL_GROUP; j++) {
        const MOE_ENTRY *entries = slice.columns + j * slice.stride;
        const int counted = data->counted[features[j]];
        const int varies = counted || (entries[0] ^ entries[slice.n - 1]) >> code_shift;
        own.estimates[j] = varies ? INFINITY : -1.0f;
        if (varies && MOE_T(moe_splitter_estimable)(&slice, features[j], counted, entries, own.second_class))
            pending[counted][n_pending[counted]++] = j;
    }
    for (int counted = 0; counted < 2; counted++)
        if (n_pending[counted])
            MOE_T(moe_splitter_estimate)(&slice, grower->identity, pending[counted], n_pending[counted], counted, &own);
}

/* Find the best split by one promising feature exactly. */
static inline void MOE_T(moe_parallel_try)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const int32_t place = grower->promising[task], position = place % grower->training.k;
    const moe_parallel_node_t *open_node = grower->frontier + place / grower->training.k;
    moe_workspace_t own = *work;
    const MOE_SLICE slice = MOE_T(moe_parallel_enter)(grower, open_node, &own);
    grower->splits[task] = moe_gini_no_split(slice.s_node, (uint64_t)slice.n);
    MOE_T(moe_splitter_try)(&slice, position, grower->estimates[place], open_node->cutoff, &own, grower->splits + task);
}

/* Mark which samples of one piece of a node go left, and count their classes. */
static inline void MOE_T(moe_parallel_mark)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const moe_parallel_node_t *open_node = grower->frontier + task / grower->n_pieces;
    const int32_t n = open_node->end - open_node->start, piece = task % grower->n_pieces, j = open_node->best.feature;
    if (j < 0) return; /* the node has no split */
    const int32_t feature = grower->training.features[j], below = open_node->best.below;
    const int32_t from = open_node->start + (int32_t)((int64_t)n * piece / grower->n_pieces);
    const int32_t to = open_node->start + (int32_t)((int64_t)n * (piece + 1) / grower->n_pieces);
    const int32_t missing_code = open_node->best.missing_left ? moe_bins_missing(data, feature) : -1;
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

/* Partition one column of a node; the column of the samples is the last one. */
static inline void MOE_T(moe_parallel_partition)(moe_parallel_t *grower, int32_t task, moe_workspace_t *work)
{
    const moe_data_t *data = grower->training.data;
    const moe_parallel_node_t *open_node = grower->frontier + task / grower->n_columns;
    const int32_t j = task % grower->n_columns, in_order = open_node->best.missing_left ? -1 : open_node->best.feature;
    if (!open_node->keep_left && !open_node->keep_right) return;
    if (j < grower->training.k && (j == in_order || data->counted[grower->training.features[j]])) return;
    MOE_T(moe_partition_sides)(grower->columns.side, (uint32_t)(((uint64_t)1 << data->id_bits) - 1), open_node->start,
                               open_node->end, open_node->keep_left, open_node->keep_right, (MOE_ENTRY *)work->spare,
                               (MOE_ENTRY *)grower->columns.entries + j * (int64_t)grower->training.n_train);
}

/* Grow the subtree that is number i in descending order of size. */
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
