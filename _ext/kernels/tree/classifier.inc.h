/* classifier: grow the nodes of one classification tree. A template like tree/sorted.inc.h.
 *
 * Behind the columns of the features (tree/partition.inc.h) one more column holds the samples themselves, by class;
 * counted features (tree/histogram.inc.h) need only that one. A feature that is constant in a node is constant in its
 * descendants and is not examined there again.
 */
#include "tree/bins.h"
#include "tree/queue.h"
#include "tree/scope.h"

/* Mark in work->side which samples of a split go left, and count the classes of the left side. Returns whether a value
 * of the feature is missing in the node (0 for counted features). */
static MOE_INLINE int MOE_T(moe_classifier_mark)(const MOE_SLICE *slice, const moe_split_t *split,
                                                 moe_workspace_t *work, int32_t *left_counts /* OUT [n_classes] */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n, feature = slice->features[split->feature], *counts = work->counts;
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    const int32_t missing_code = moe_bins_missing(data, feature);
    uint8_t *side = work->side;
    if (data->counted[feature]) {
        const MOE_ENTRY *samples = slice->samples;
        int32_t n_left = 0, before = 0, *running = (int32_t *)work->spare;
        for (int32_t p = 0; p < n; p++) { /* one loop over all classes: each end of a loop is mispredicted */
            uint32_t s = (uint32_t)samples[p] & id_mask;
            int left = MOE_HISTOGRAM_CODE(feature, s) <= split->below;
            side[s] = (uint8_t)left;
            running[p] = n_left += left;
        }
        for (int32_t c = 0, end = 0; c < data->n_classes; c++) {
            end += counts[c];
            n_left = end ? running[end - 1] : 0;
            left_counts[c] = n_left - before;
            before = n_left;
        }
        return 0;
    }
    /* left samples come first, unless missing values go left too */
    const MOE_ENTRY *entries = slice->columns + split->feature * slice->stride;
    const int32_t middle = split->missing_left ? n : (int32_t)split->n_left;
    memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = 0; p < middle; p++) {
        MOE_ENTRY entry = entries[p];
        int32_t code = (int32_t)(entry >> code_shift);
        int left = code <= split->below || code == missing_code;
        side[(uint32_t)entry & id_mask] = (uint8_t)left;
        left_counts[(uint32_t)(entry >> id_bits) & label_mask] += left;
    }
    for (int32_t p = middle; p < n; p++) side[(uint32_t)entries[p] & id_mask] = 0;
    return (int32_t)(entries[n - 1] >> code_shift) == missing_code;
}

/* Open a scope (tree/scope.h) for a node and its descendants: renumber the classes that occur in the node, in its
 * counts and in its entries. */
static MOE_INLINE void MOE_T(moe_classifier_renumber)(const moe_training_t *training, const moe_queued_t *queued,
                                                      MOE_ENTRY *samples, const moe_scope_t *outer,
                                                      moe_workspace_t *work, moe_scope_t *scope /* OUT */)
{
    const moe_data_t *data = training->data;
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    const int64_t stride = training->n_train;
    const int32_t *list = work->lists + queued->list;
    int32_t *numbers = work->counts + data->n_classes; /* the counts of the left side are unused here */
    scope->classes = outer->classes + outer->n_classes;
    scope->n_classes = 0;
    for (int32_t c = 0; c < outer->n_classes; c++) {
        if (!work->counts[c]) continue;
        numbers[c] = scope->n_classes;
        scope->classes[scope->n_classes] = outer->classes[c];
        work->counts[scope->n_classes++] = work->counts[c]; /* in place: n_classes <= c */
    }
    for (int32_t j = samples ? -1 : 0; j < queued->n_list; j++) {
        if (j >= 0 && data->counted[training->features[list[j]]]) continue;
        MOE_ENTRY *entries = j < 0 ? samples : (MOE_ENTRY *)work->entries + list[j] * stride;
        for (int32_t p = queued->start; p < queued->end; p++) {
            const uint32_t c = (uint32_t)(entries[p] >> data->id_bits) & mask;
            entries[p] ^= (MOE_ENTRY)(c ^ (uint32_t)numbers[c]) << data->id_bits;
        }
    }
}

/* Grow the subtree of `root`, whose class counts are in work->counts; its nodes get numbers from n_nodes on. Returns
 * the number after the last one. */
static inline int32_t MOE_T(moe_classifier_subtree)(const moe_training_t *training, const moe_queued_t *root,
                                                    int32_t n_nodes, moe_workspace_t *work, const moe_tree_t *tree)
{
    const moe_data_t *data = training->data;
    const int32_t n_classes = data->n_classes, k = training->k, *features = training->features;
    const int64_t stride = training->n_train;
    int32_t n_queued = 1, n_counted = 0, counted_node = root->node;
    int32_t *counts = work->counts, *left_counts = counts + n_classes, *right_counts = left_counts + n_classes;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries;
    moe_data_t scoped = *data; /* the data set with the class count of the node's scope */
    moe_scope_t scopes[MOE_SCOPE_DEPTH] = {{work->scope_classes, n_classes}};
    for (int32_t c = 0; c < n_classes; c++) work->scope_classes[c] = c;
    for (int32_t j = 0; j < k; j++) {
        work->lists[j] = j;
        n_counted += data->counted[features[j]];
    }
    MOE_ENTRY *samples = n_counted ? all + k * stride : NULL; /* sorted features need no column of samples */
    work->queue[0] = *root;
    work->queue[0].list = 0;
    work->queue[0].n_list = k;
    work->queue[0].s_node = 0;
    for (int32_t c = 0; c < n_classes; c++) work->queue[0].s_node += (uint64_t)counts[c] * (uint64_t)counts[c];
    while (n_queued) {
        moe_queued_t parent = work->queue[--n_queued], left, right;
        if (moe_poll_stops(work->poll, (int64_t)(parent.end - parent.start) * parent.n_list)) break;
        moe_split_t split;
        scoped.n_classes = scopes[parent.scope].n_classes;
        if (parent.node != counted_node)
            MOE_T(moe_partition_count)(samples ? samples : all + work->lists[parent.list] * stride, parent.start,
                                       parent.end, &scoped, counts);
        if (scoped.n_classes > MOE_SCOPE_MANY && parent.end - parent.start <= scoped.n_classes / 4) {
            const moe_scope_t *outer = scopes + parent.scope++;
            MOE_T(moe_classifier_renumber)(training, &parent, samples, outer, work, scopes + parent.scope);
            scoped.n_classes = scopes[parent.scope].n_classes;
        }
        const MOE_SLICE slice = {&scoped, features, all + parent.start, samples ? samples + parent.start : NULL, stride,
                                 parent.s_node, parent.end - parent.start, MOE_T(moe_splitter_present)(&scoped, work),
                                 training->stopping->min_samples_leaf};
        const int32_t n_varying = MOE_T(moe_splitter_best)(&slice, &parent, work, &split);
        if (split.feature < 0) continue; /* it stays the leaf as which it was opened */

        const int has_missing = MOE_T(moe_classifier_mark)(&slice, &split, work, left_counts);
        for (int32_t c = 0; c < scoped.n_classes; c++) right_counts[c] = counts[c] - left_counts[c];
        const double threshold = moe_node_split(data, features[split.feature], &split, has_missing, n_nodes,
                                                tree->nodes + parent.node);
        if (tree->thresholds) tree->thresholds[parent.node] = threshold;

        const moe_scope_t *scope = scopes + parent.scope;
        moe_queue_children(&parent, &split, split.s_left, split.s_right, n_nodes, n_varying, &left, &right);
        n_nodes += 2;
        const int keep_left = moe_scope_open(training, scope, left_counts, (int32_t)split.n_left, left.depth, left.node,
                                             tree);
        const int keep_right = moe_scope_open(training, scope, right_counts, (int32_t)split.n_right, right.depth,
                                              right.node, tree);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_partition_columns)(training, &parent, &left, &split, keep_left, keep_right, samples, work);
        if (keep_right) work->queue[n_queued++] = right;
        if (keep_left) work->queue[n_queued++] = left;
        counted_node = keep_left ? left.node : right.node; /* the next node in the queue */
        memcpy(counts, keep_left ? left_counts : right_counts, (size_t)scoped.n_classes * sizeof(int32_t));
    } /* end: while n_queued */
    return n_nodes;
}

/* Grow a classification tree (see moe_grower_grow). */
static inline int32_t MOE_T(moe_classifier_grow)(const moe_training_t *training, moe_workspace_t *work,
                                                 const moe_tree_t *tree)
{
    const int32_t n_train = training->n_train, n_classes = training->data->n_classes;
    MOE_ENTRY *samples = (MOE_ENTRY *)work->entries + training->k * (int64_t)n_train;
    const moe_queued_t root = {0, 0, n_train, 0, 0, 0, 0, 0};
    MOE_T(moe_columns_bases)(training, (MOE_ENTRY *)work->bases, samples);
    MOE_T(moe_partition_count)(samples, 0, n_train, training->data, work->counts);
    if (!moe_node_open(tree->nodes, work->counts, n_classes, n_train, 0, training->stopping, tree->node_counts))
        return 1;
    MOE_T(moe_columns_all)(training, work);
    return MOE_T(moe_classifier_subtree)(training, &root, 1, work, tree);
}
