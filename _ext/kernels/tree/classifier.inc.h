/* classifier: the nodes of one tree. A template like tree/sorted.inc.h.
 *
 * One more column than the features have (tree/partition.inc.h) holds the samples themselves, class by
 * class; counted features (tree/histogram.inc.h) need only that one. A feature that is constant in a node
 * is constant below it and is not looked at again.
 */
#include "tree/bins.h"
#include "tree/scope.h"
#include "tree/workspace.h"

/* Mark the sides of a split, count the classes of the left one, and write the rule
 * of the node. A missing value that the node has not seen goes to the larger side. */
static MOE_INLINE void MOE_T(moe_classifier_mark)(const moe_data_t *data, int64_t feature,
                                                  const MOE_ENTRY *entries /* IN, of the feature, or samples */,
                                                  const moe_queued_t *queued, const moe_split_t *split,
                                                  const int32_t *counts, moe_node_t *node, double *threshold /* OUT */,
                                                  uint8_t *side, int32_t *running /* workspace [n] */,
                                                  int32_t *left_counts)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    const int32_t missing_code = moe_bins_missing(data, feature);
    int seen = 0;
    if (data->counted[feature]) {
        const MOE_ENTRY *samples = entries + queued->start;
        const int32_t n = queued->end - queued->start;
        int32_t n_left = 0, before = 0;
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
    } else {
        memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
        seen = (int32_t)(entries[queued->end - 1] >> code_shift) == missing_code;
        /* the left ones stand first, unless missing values are among them */
        const int32_t middle = split->missing_left ? queued->end : queued->start + (int32_t)split->n_left;
        for (int32_t p = queued->start; p < middle; p++) {
            MOE_ENTRY entry = entries[p];
            int32_t code = (int32_t)(entry >> code_shift);
            int left = code <= split->below || code == missing_code;
            side[(uint32_t)entry & id_mask] = (uint8_t)left;
            left_counts[(uint32_t)(entry >> id_bits) & label_mask] += left;
        }
        for (int32_t p = middle; p < queued->end; p++) side[(uint32_t)entries[p] & id_mask] = 0;
    }
    moe_node_split(data, feature, split, seen, node, threshold);
}

/* Open a scope for a node and all below it: number the classes that occur in it anew, in
 * its counts and in its entries. */
static MOE_INLINE void MOE_T(moe_classifier_rename)(const moe_data_t *data, const int32_t *features,
                                                    const moe_queued_t *queued, int64_t stride, MOE_ENTRY *samples,
                                                    const moe_scope_t *around,
                                                    int32_t *numbers /* workspace [n_classes] */, moe_workspace_t *work,
                                                    moe_scope_t *scope /* OUT */)
{
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    const int32_t *list = work->lists + queued->list;
    scope->names = around->names + around->n_classes;
    scope->n_classes = 0;
    for (int32_t c = 0; c < around->n_classes; c++) {
        if (!work->counts[c]) continue;
        numbers[c] = scope->n_classes;
        scope->names[scope->n_classes] = around->names[c];
        work->counts[scope->n_classes++] = work->counts[c]; /* what is written has been read */
    }
    for (int32_t j = samples ? -1 : 0; j < queued->n_list; j++) {
        if (j >= 0 && data->counted[features[list[j]]]) continue;
        MOE_ENTRY *entries = j < 0 ? samples : (MOE_ENTRY *)work->entries + list[j] * stride;
        for (int32_t p = queued->start; p < queued->end; p++) {
            const uint32_t c = (uint32_t)(entries[p] >> data->id_bits) & mask;
            entries[p] ^= (MOE_ENTRY)(c ^ (uint32_t)numbers[c]) << data->id_bits;
        }
    }
}

/* Grow the subtree of `root`, whose class counts are in the workspace: its nodes get the numbers
 * from n_nodes on. Returns the number after the last. */
static inline int32_t MOE_T(moe_classifier_subtree)(const moe_data_t *data, const int32_t *features, int32_t k,
                                                    int32_t n_train, const moe_stopping_t *stopping,
                                                    const moe_queued_t *root, int32_t n_nodes, moe_workspace_t *work,
                                                    moe_node_t *nodes, double *thresholds, int32_t *node_counts)
{
    const int32_t n_classes = data->n_classes;
    int32_t n_queued = 1, n_counted = 0, counted_node = root->node;
    int32_t *counts = work->counts, *left_counts = counts + n_classes, *right_counts = left_counts + n_classes;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries;
    int64_t stride = n_train;
    moe_data_t here = *data; /* as the scope of a node has it */
    moe_scope_t scopes[MOE_SCOPE_DEPTH] = {{work->names, n_classes}};
    for (int32_t c = 0; c < n_classes; c++) work->names[c] = c;
    for (int32_t j = 0; j < k; j++) {
        work->lists[j] = j;
        n_counted += data->counted[features[j]];
    }
    MOE_ENTRY *samples = n_counted ? all + k * stride : NULL; /* sorted features can do without */
    work->queue[0] = *root;
    work->queue[0].list = 0;
    work->queue[0].n_list = k;
    work->queue[0].s_node = 0;
    for (int32_t c = 0; c < n_classes; c++) work->queue[0].s_node += (uint64_t)counts[c] * (uint64_t)counts[c];
    while (n_queued) {
        moe_queued_t parent = work->queue[--n_queued];
        moe_split_t split;
        double threshold;
        here.n_classes = scopes[parent.scope].n_classes;
        if (parent.node != counted_node)
            MOE_T(moe_partition_count)(samples ? samples : all + work->lists[parent.list] * stride, parent.start,
                                       parent.end, &here, counts);
        if (here.n_classes > MOE_SCOPE_MANY && parent.end - parent.start <= here.n_classes / 4) {
            const moe_scope_t *around = scopes + parent.scope++;
            MOE_T(moe_classifier_rename)(&here, features, &parent, stride, samples, around, left_counts, work,
                                         scopes + parent.scope);
            here.n_classes = scopes[parent.scope].n_classes;
        }
        int32_t n_varying = MOE_T(moe_splitter_best)(&here, features, stride, stopping, &parent,
                                                     samples ? samples + parent.start : NULL, work, &split);
        if (split.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_node_t *node = nodes + parent.node;
        int counted = data->counted[features[split.feature]];
        MOE_T(moe_classifier_mark)(&here, features[split.feature], counted ? samples : all + split.feature * stride,
                                   &parent, &split, counts, node, &threshold, work->side, (int32_t *)work->spare,
                                   left_counts);
        for (int32_t c = 0; c < here.n_classes; c++) right_counts[c] = counts[c] - left_counts[c];
        node->feature = features[split.feature];
        node->left = n_nodes;
        if (thresholds) thresholds[parent.node] = threshold;
        n_nodes += 2;

        int32_t n_left = (int32_t)split.n_left, depth = parent.depth + 1;
        moe_queued_t left = {node->left, parent.start, parent.start + n_left, depth, parent.list, split.s_left,
                             parent.n_list, parent.scope};
        moe_queued_t right = {node->left + 1, parent.start + n_left, parent.end, depth, parent.list, split.s_right,
                              parent.n_list, parent.scope};
        if (n_varying < parent.n_list) { /* the children get the shorter list */
            left.list = right.list = parent.list + parent.n_list;
            left.n_list = right.n_list = n_varying;
        }
        int keep_left = moe_scope_open(scopes + parent.scope, left_counts, n_classes, n_left, depth, stopping,
                                       left.node, nodes, node_counts);
        int keep_right = moe_scope_open(scopes + parent.scope, right_counts, n_classes, (int32_t)split.n_right, depth,
                                        stopping, right.node, nodes, node_counts);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_partition_columns)(data, features, &parent, keep_left, keep_right, stride, work->lists + left.list,
                                     left.n_list, split.missing_left ? -1 : split.feature, samples, work);
        if (keep_right) work->queue[n_queued++] = right;
        if (keep_left) work->queue[n_queued++] = left;
        counted_node = (keep_left ? left : right).node; /* the next one */
        memcpy(counts, keep_left ? left_counts : right_counts, (size_t)here.n_classes * sizeof(int32_t));
    } /* end: while n_queued */
    return n_nodes;
}

/* See moe_grower_classifier. */
static inline int32_t MOE_T(moe_classifier_grow)(const moe_data_t *data, const uint8_t *marks, const int32_t *features,
                                                 int32_t k, int32_t n_train, uint8_t wanted,
                                                 const moe_stopping_t *stopping, moe_workspace_t *work,
                                                 moe_node_t *nodes, double *thresholds, int32_t *node_counts)
{
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries, *stamps = (MOE_ENTRY *)work->stamps;
    MOE_ENTRY *samples = all + k * (int64_t)n_train;
    const moe_queued_t root = {0, 0, n_train, 0, 0, 0, 0, 0};
    MOE_T(moe_columns_stamps)(data, marks, wanted, stamps, samples);
    MOE_T(moe_partition_count)(samples, 0, n_train, data, work->counts);
    if (!moe_node_open(nodes, work->counts, data->n_classes, n_train, 0, stopping, node_counts)) return 1;
    for (int32_t j = 0; j < k; j++)
        if (!data->counted[features[j]])
            MOE_T(moe_columns_fill)(data, stamps, features[j], n_train, all + j * (int64_t)n_train);
    return MOE_T(moe_classifier_subtree)(data, features, k, n_train, stopping, &root, 1, work, nodes, thresholds,
                                         node_counts);
}
