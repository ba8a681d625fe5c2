/* steps: the steps in which many threads grow a tree. The caller owns the threads: the tasks of a step may run side by
 * side, each thread with its own workspace (`work`).
 *
 *     moe_steps_root; FILL for k tasks
 *     while moe_steps_frontier: ESTIMATE for its tasks, TRY for those of moe_steps_promising, MARK for those of
 *         moe_steps_choose, PARTITION for those of moe_steps_split
 *     moe_steps_place, then the caller sets by_size; SUBTREE for n_subtrees tasks
 *     moe_steps_number; moe_steps_move_top and, for each subtree, moe_steps_move_subtree
 */
#ifndef MOE_TREE_STEPS_H
#define MOE_TREE_STEPS_H

#include "tree/grower.h"

enum { MOE_STEPS_FILL, MOE_STEPS_ESTIMATE, MOE_STEPS_TRY, MOE_STEPS_MARK, MOE_STEPS_PARTITION, MOE_STEPS_SUBTREE };

typedef struct {
    void (*root)(moe_parallel_t *);
    void (*tasks[6])(moe_parallel_t *, int32_t, moe_workspace_t *);
} moe_steps_t;

#define MOE_STEPS_OF(set)                                                                   \
    {moe_parallel_root_##set, {moe_parallel_fill_##set, moe_parallel_estimate_##set, moe_parallel_try_##set, \
                             moe_parallel_mark_##set, moe_parallel_partition_##set, moe_parallel_subtree_##set}}

/* Return the steps for the data set's width of entries and instruction set. */
static inline const moe_steps_t *moe_steps_for(const moe_data_t *data)
{
    static const moe_steps_t plain[2] = {MOE_STEPS_OF(4_v0), MOE_STEPS_OF(8_v0)};
#if MOE_HAS_LEVELS
    static const moe_steps_t v3[2] = {MOE_STEPS_OF(4_v3), MOE_STEPS_OF(8_v3)};
    static const moe_steps_t v4[2] = {MOE_STEPS_OF(4_v4), MOE_STEPS_OF(8_v4)};
    if (data->level == 4) return v4 + (data->entry_width == 8);
    if (data->level == 3) return v3 + (data->entry_width == 8);
#endif
    return plain + (data->entry_width == 8);
}
#undef MOE_STEPS_OF

/* Run one task of a step. */
static inline void moe_steps_task(moe_parallel_t *grower, int step, int32_t task, moe_workspace_t *work)
{
    moe_steps_for(grower->training.data)->tasks[step](grower, task, work);
}

/* Add an open node to the next frontier, or to the subtrees if it is small. */
static inline void moe_steps_queue(moe_parallel_t *grower, int32_t node, int32_t start, int32_t end, int32_t depth)
{
    if (end - start > grower->alone) {
        moe_parallel_node_t *open_node = grower->next + grower->n_next++;
        open_node->node = node;
        open_node->start = start;
        open_node->end = end;
        open_node->depth = depth;
    } else {
        const moe_parallel_subtree_t subtree = {node, start, end, depth, 0, 0};
        grower->subtrees[grower->n_subtrees++] = subtree;
    }
}

/* Start a tree at its root. The caller has set `training`, `tree` and `alone`, and laid out the buffers. */
static inline void moe_steps_root(moe_parallel_t *grower)
{
    grower->n_columns = grower->training.k;
    for (int32_t j = 0; j < grower->training.k; j++) {
        grower->identity[j] = j;
        if (grower->training.data->counted[grower->training.features[j]]) grower->n_columns = grower->training.k + 1;
    }
    moe_steps_for(grower->training.data)->root(grower);
    grower->n_nodes = 1;
    grower->n_subtrees = grower->n_next = 0;
    if (moe_node_open(grower->tree.nodes, grower->tree.node_counts, grower->training.data->n_classes,
                      grower->training.n_train, 0, grower->training.stopping, NULL))
        moe_steps_queue(grower, 0, 0, grower->training.n_train, 0);
}

/* Advance to the next frontier; returns the number of ESTIMATE tasks, 0 = the top is complete. */
static inline int32_t moe_steps_frontier(moe_parallel_t *grower)
{
    const int32_t n_classes = grower->training.data->n_classes;
    moe_parallel_node_t *frontier = grower->next;
    grower->next = grower->frontier;
    grower->frontier = frontier;
    grower->n_frontier = grower->n_next;
    grower->n_next = 0;
    for (int32_t i = 0; i < grower->n_frontier; i++) {
        const int32_t *counts = grower->tree.node_counts + (int64_t)frontier[i].node * n_classes;
        frontier[i].s_node = 0;
        for (int32_t c = 0; c < n_classes; c++) frontier[i].s_node += (uint64_t)counts[c] * (uint64_t)counts[c];
    }
    return grower->n_frontier * ((grower->training.k + MOE_PARALLEL_GROUP - 1) / MOE_PARALLEL_GROUP);
}

/* List the promising features of the frontier; returns their number, which is the number of TRY tasks. */
static inline int32_t moe_steps_promising(moe_parallel_t *grower)
{
    int32_t n_promising = 0;
    for (int32_t i = 0; i < grower->n_frontier; i++) {
        const float *estimates = grower->estimates + i * (int64_t)grower->training.k;
        float cutoff = 0.0f;
        for (int32_t j = 0; j < grower->training.k; j++)
            if (estimates[j] < INFINITY && estimates[j] > cutoff) cutoff = estimates[j];
        cutoff *= 1.0f - 2.0f * MOE_SORTED_ERROR; /* two estimates may be off, one up and one down */
        for (int32_t j = 0; j < grower->training.k; j++)
            if (estimates[j] >= cutoff) grower->promising[n_promising++] = i * grower->training.k + j;
        grower->frontier[i].cutoff = cutoff;
        grower->frontier[i].promising = n_promising;
    }
    return n_promising;
}

/* Choose the best split of each node, if there is one; returns the number of MARK tasks. */
static inline int32_t moe_steps_choose(moe_parallel_t *grower)
{
    for (int32_t i = 0, task = 0; i < grower->n_frontier; i++) {
        moe_parallel_node_t *open_node = grower->frontier + i;
        double cutoff;
        open_node->best = moe_gini_no_split(open_node->s_node, (uint64_t)(open_node->end - open_node->start));
        for (; task < open_node->promising; task++)
            if (grower->splits[task].feature >= 0)
                moe_gini_update_best(grower->splits + task, &open_node->best, &cutoff);
    }
    grower->n_pieces = (MOE_PARALLEL_PIECES + grower->n_frontier - 1) / grower->n_frontier;
    return grower->n_frontier * grower->n_pieces;
}

/* Return the code of the last entry of sorted feature j in a node. */
static inline int32_t moe_steps_last_code(const moe_parallel_t *grower, const moe_parallel_node_t *open_node, int32_t j)
{
    const moe_data_t *data = grower->training.data;
    const int code_shift = data->id_bits + data->label_bits;
    const int64_t p = j * (int64_t)grower->training.n_train + open_node->end - 1;
    return data->entry_width == 4 ? (int32_t)(((const uint32_t *)grower->columns.entries)[p] >> code_shift)
                                  : (int32_t)(((const uint64_t *)grower->columns.entries)[p] >> code_shift);
}

/* Split the nodes of the frontier and queue their open children; returns the number of PARTITION tasks. */
static inline int32_t moe_steps_split(moe_parallel_t *grower)
{
    const moe_data_t *data = grower->training.data;
    const int32_t n_classes = data->n_classes;
    int any = 0;
    for (int32_t i = 0; i < grower->n_frontier; i++) {
        moe_parallel_node_t *open_node = grower->frontier + i;
        const moe_split_t *split = &open_node->best;
        open_node->keep_left = open_node->keep_right = 0;
        if (split->feature < 0) continue; /* it stays the leaf as which it was opened */
        const int32_t depth = open_node->depth + 1, n_left = (int32_t)split->n_left, n_right = (int32_t)split->n_right;
        const int32_t feature = grower->training.features[split->feature], left = grower->n_nodes, right = left + 1;
        const int32_t *counts = grower->tree.node_counts + (int64_t)open_node->node * n_classes;
        const int32_t *pieces = grower->piece_counts + (int64_t)i * grower->n_pieces * n_classes;
        int32_t *left_counts = grower->tree.node_counts + (int64_t)left * n_classes;
        int32_t *right_counts = left_counts + n_classes;
        for (int32_t c = 0; c < n_classes; c++) {
            left_counts[c] = 0;
            for (int32_t piece = 0; piece < grower->n_pieces; piece++)
                left_counts[c] += pieces[piece * (int64_t)n_classes + c];
            right_counts[c] = counts[c] - left_counts[c];
        }
        const int has_missing = !data->counted[feature] &&
            moe_steps_last_code(grower, open_node, split->feature) == moe_bins_missing(data, feature);
        grower->tree.thresholds[open_node->node] = moe_node_split(data, feature, split, has_missing, left,
                                                                  grower->tree.nodes + open_node->node);
        grower->n_nodes += 2;
        open_node->keep_left = moe_node_open(grower->tree.nodes + left, left_counts, n_classes, n_left, depth,
                                             grower->training.stopping, NULL);
        open_node->keep_right = moe_node_open(grower->tree.nodes + right, right_counts, n_classes, n_right, depth,
                                              grower->training.stopping, NULL);
        any |= open_node->keep_left | open_node->keep_right;
        if (open_node->keep_left) moe_steps_queue(grower, left, open_node->start, open_node->start + n_left, depth);
        if (open_node->keep_right) moe_steps_queue(grower, right, open_node->start + n_left, open_node->end, depth);
    } /* end: for i */
    return any ? grower->n_frontier * grower->n_columns : 0;
}

/* Assign a range of slots to each subtree. */
static inline void moe_steps_place(moe_parallel_t *grower)
{
    int32_t first = grower->n_nodes;
    for (int32_t b = 0; b < grower->n_subtrees; b++) {
        grower->subtrees[b].first = first;
        first += 2 * (grower->subtrees[b].end - grower->subtrees[b].start) - 2;
    }
}

/* Compute the final numbers of the nodes of the top, as one thread would give them: children when their parent is
 * split, depth-first, left first. Returns the number of nodes of the whole tree. */
static inline int32_t moe_steps_number(const moe_parallel_t *grower, int32_t *numbers /* OUT [n_nodes] of the top */,
                                       int32_t *below /* OUT [n_nodes] number of the left child */)
{
    memset(below, 0, (size_t)grower->n_nodes * sizeof(int32_t));
    for (int32_t b = 0; b < grower->n_subtrees; b++) below[grower->subtrees[b].node] = grower->subtrees[b].n_nodes;
    for (int32_t node = grower->n_nodes - 1; node >= 0; node--) { /* first pass: `below` = number of descendants */
        const int32_t left = grower->tree.nodes[node].left;
        if (left >= 0 && left < grower->n_nodes) below[node] = 2 + below[left] + below[left + 1];
    }
    const int32_t n_nodes = 1 + below[0];
    numbers[0] = 0;
    below[0] = 1;
    for (int32_t node = 0; node < grower->n_nodes; node++) { /* children follow their parent */
        const int32_t left = grower->tree.nodes[node].left;
        if (left < 0 || left >= grower->n_nodes) continue;
        numbers[left] = below[node];
        numbers[left + 1] = below[node] + 1;
        below[left + 1] = below[node] + 2 + below[left];
        below[left] = below[node] + 2;
    }
    return n_nodes;
}

/* Copy a node to its final place; thresholds of leaves are NaN. */
static inline void moe_steps_move(const moe_parallel_t *grower, int32_t from, int32_t to, int32_t left,
                                  const moe_tree_t *tree)
{
    const int32_t n_classes = grower->training.data->n_classes;
    tree->nodes[to] = grower->tree.nodes[from];
    tree->nodes[to].left = left;
    tree->thresholds[to] = left < 0 ? NAN : grower->tree.thresholds[from];
    memcpy(tree->node_counts + (int64_t)to * n_classes, grower->tree.node_counts + (int64_t)from * n_classes,
           (size_t)n_classes * sizeof(int32_t));
}

/* Copy the nodes of the top to their final places. */
static inline void moe_steps_move_top(const moe_parallel_t *grower, const int32_t *numbers, const int32_t *below,
                                      const moe_tree_t *tree /* its arrays are OUT */)
{
    for (int32_t node = 0; node < grower->n_nodes; node++)
        moe_steps_move(grower, node, numbers[node], grower->tree.nodes[node].left < 0 ? -1 : below[node], tree);
}

/* Copy the nodes of a subtree, without its root, to their final places. */
static inline void moe_steps_move_subtree(const moe_parallel_t *grower, const int32_t *below, int32_t b,
                                          const moe_tree_t *tree /* its arrays are OUT */)
{
    const moe_parallel_subtree_t *subtree = grower->subtrees + b;
    const int32_t shift = below[subtree->node] - subtree->first;
    for (int32_t node = subtree->first; node < subtree->first + subtree->n_nodes; node++) {
        const int32_t left = grower->tree.nodes[node].left;
        moe_steps_move(grower, node, node + shift, left < 0 ? -1 : left + shift, tree);
    }
}

#endif
