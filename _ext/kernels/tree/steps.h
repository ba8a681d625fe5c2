/* share: a decision tree that many threads grow, in steps. The caller owns the threads:
 * the tasks of a step may run side by side, each thread at its own desk (`work`).
 *
 *     moe_share_plant; FILL for k tasks
 *     while moe_share_level: VALUE for its tasks, TRY for those of moe_share_promise, MARK for
 *         those of moe_share_choose, DIVIDE for those of moe_share_settle
 *     moe_share_rest, then the caller sets by_size; BRANCH for n_branches tasks
 *     moe_share_number; moe_share_move_trunk and, for each branch, moe_share_move_branch
 */
#ifndef MOE_TREE_STEPS_H
#define MOE_TREE_STEPS_H

#include "tree/grower.h"

enum { MOE_SHARE_FILL, MOE_SHARE_VALUE, MOE_SHARE_TRY, MOE_SHARE_MARK, MOE_SHARE_DIVIDE, MOE_SHARE_BRANCH };

typedef struct {
    void (*plant)(moe_trunk_t *, const uint8_t *, uint8_t);
    void (*tasks[6])(moe_trunk_t *, int32_t, moe_work_t *);
} moe_share_steps_t;

#define MOE_SHARE_STEPS(set)                                                                   \
    {moe_trunk_plant_##set, {moe_trunk_fill_##set, moe_trunk_value_##set, moe_trunk_try_##set, \
                             moe_trunk_mark_##set, moe_trunk_divide_##set, moe_trunk_branch_##set}}

/* The steps for the data set's entries and instruction set. */
static inline const moe_share_steps_t *moe_share_steps(const moe_data_t *data)
{
    static const moe_share_steps_t plain[2] = {MOE_SHARE_STEPS(4_v0), MOE_SHARE_STEPS(8_v0)};
#if MOE_HAS_LEVELS
    static const moe_share_steps_t v3[2] = {MOE_SHARE_STEPS(4_v3), MOE_SHARE_STEPS(8_v3)};
    static const moe_share_steps_t v4[2] = {MOE_SHARE_STEPS(4_v4), MOE_SHARE_STEPS(8_v4)};
    if (data->level == 4) return v4 + (data->entry_width == 8);
    if (data->level == 3) return v3 + (data->entry_width == 8);
#endif
    return plain + (data->entry_width == 8);
}
#undef MOE_SHARE_STEPS

/* One task of a step. */
static inline void moe_share_task(moe_trunk_t *trunk, int step, int32_t task, moe_work_t *work)
{
    moe_share_steps(trunk->data)->tasks[step](trunk, task, work);
}

/* Let an open node wait: for the next level, or as a branch. */
static inline void moe_share_wait(moe_trunk_t *trunk, int32_t node, int32_t start, int32_t end, int32_t depth)
{
    if (end - start > trunk->alone) {
        moe_limb_t *limb = trunk->next + trunk->n_next++;
        limb->node = node;
        limb->start = start;
        limb->end = end;
        limb->depth = depth;
    } else {
        const moe_branch_t branch = {node, start, end, depth, 0, 0};
        trunk->branches[trunk->n_branches++] = branch;
    }
}

/* Start a tree on the samples with marks[s] == wanted. The caller has set the fields up
 * to `node_counts` and laid out the buffers. */
static inline void moe_share_plant(moe_trunk_t *trunk, const uint8_t *marks, uint8_t wanted)
{
    trunk->n_columns = trunk->k;
    for (int32_t j = 0; j < trunk->k; j++) {
        trunk->places[j] = j;
        if (trunk->data->counted[trunk->features[j]]) trunk->n_columns = trunk->k + 1;
    }
    moe_share_steps(trunk->data)->plant(trunk, marks, wanted);
    trunk->n_nodes = 1;
    trunk->n_branches = trunk->n_next = 0;
    if (moe_grow_open(trunk->nodes, trunk->node_counts, trunk->data->n_classes, trunk->n_train, 0, trunk->rules, NULL))
        moe_share_wait(trunk, 0, 0, trunk->n_train, 0);
}

/* Take the next level; returns the number of groups of features, 0 = nothing waits. */
static inline int32_t moe_share_level(moe_trunk_t *trunk)
{
    const int32_t n_classes = trunk->data->n_classes;
    moe_limb_t *limbs = trunk->next;
    trunk->next = trunk->limbs;
    trunk->limbs = limbs;
    trunk->n_limbs = trunk->n_next;
    trunk->n_next = 0;
    for (int32_t i = 0; i < trunk->n_limbs; i++) {
        const int32_t *counts = trunk->node_counts + (int64_t)limbs[i].node * n_classes;
        limbs[i].s_node = 0;
        for (int32_t c = 0; c < n_classes; c++) limbs[i].s_node += (uint64_t)counts[c] * (uint64_t)counts[c];
    }
    return trunk->n_limbs * ((trunk->k + MOE_TRUNK_GROUP - 1) / MOE_TRUNK_GROUP);
}

/* List the features whose best cut may be their node's; returns their number. */
static inline int32_t moe_share_promise(moe_trunk_t *trunk)
{
    int32_t n_promising = 0;
    for (int32_t i = 0; i < trunk->n_limbs; i++) {
        const float *values = trunk->values + i * (int64_t)trunk->k;
        float bar = 0.0f;
        for (int32_t j = 0; j < trunk->k; j++)
            if (values[j] < INFINITY && values[j] > bar) bar = values[j];
        bar *= 1.0f - 2.0f * MOE_SCAN_CLOSE; /* two values may be off, one up and one down */
        for (int32_t j = 0; j < trunk->k; j++)
            if (values[j] >= bar) trunk->promising[n_promising++] = i * trunk->k + j;
        trunk->limbs[i].bar = bar;
        trunk->limbs[i].promising = n_promising;
    }
    return n_promising;
}

/* Choose the best cut of each node, if there is one; returns the number of pieces to mark. */
static inline int32_t moe_share_choose(moe_trunk_t *trunk)
{
    for (int32_t i = 0, task = 0; i < trunk->n_limbs; i++) {
        moe_limb_t *limb = trunk->limbs + i;
        double bar;
        limb->best = moe_cut_none(limb->s_node, (uint64_t)(limb->end - limb->start));
        for (; task < limb->promising; task++)
            if (trunk->cuts[task].feature >= 0) moe_cut_offer(trunk->cuts + task, &limb->best, &bar);
    }
    trunk->n_pieces = (MOE_TRUNK_PIECES + trunk->n_limbs - 1) / trunk->n_limbs;
    return trunk->n_limbs * trunk->n_pieces;
}

/* Code of the last entry of sorted feature j in a node. */
static inline int32_t moe_share_last_code(const moe_trunk_t *trunk, const moe_limb_t *limb, int32_t j)
{
    const int code_shift = trunk->data->id_bits + trunk->data->label_bits;
    const int64_t p = j * (int64_t)trunk->n_train + limb->end - 1;
    return trunk->data->entry_width == 4 ? (int32_t)(((const uint32_t *)trunk->columns.entries)[p] >> code_shift)
                                         : (int32_t)(((const uint64_t *)trunk->columns.entries)[p] >> code_shift);
}

/* Cut the nodes of the level; returns the number of columns to divide. */
static inline int32_t moe_share_settle(moe_trunk_t *trunk)
{
    const moe_data_t *data = trunk->data;
    const int32_t n_classes = data->n_classes;
    int any = 0;
    for (int32_t i = 0; i < trunk->n_limbs; i++) {
        moe_limb_t *limb = trunk->limbs + i;
        const moe_cut_t *cut = &limb->best;
        limb->keep_left = limb->keep_right = 0;
        if (cut->feature < 0) continue; /* stays the leaf that it was opened as */
        const int32_t depth = limb->depth + 1, n_left = (int32_t)cut->n_left, n_right = (int32_t)cut->n_right;
        const int32_t feature = trunk->features[cut->feature], left = trunk->n_nodes, right = left + 1;
        const int32_t *counts = trunk->node_counts + (int64_t)limb->node * n_classes;
        const int32_t *pieces = trunk->piece_counts + (int64_t)i * trunk->n_pieces * n_classes;
        int32_t *left_counts = trunk->node_counts + (int64_t)left * n_classes, *right_counts = left_counts + n_classes;
        moe_node_t *node = trunk->nodes + limb->node;
        for (int32_t c = 0; c < n_classes; c++) {
            left_counts[c] = 0;
            for (int32_t piece = 0; piece < trunk->n_pieces; piece++)
                left_counts[c] += pieces[piece * (int64_t)n_classes + c];
            right_counts[c] = counts[c] - left_counts[c];
        }
        const int seen = !data->counted[feature] &&
                         moe_share_last_code(trunk, limb, cut->feature) == moe_bin_missing(data, feature);
        moe_grow_rule(data, feature, cut, seen, node, trunk->thresholds + limb->node);
        node->feature = feature;
        node->left = left;
        trunk->n_nodes += 2;
        limb->keep_left = moe_grow_open(trunk->nodes + left, left_counts, n_classes, n_left, depth, trunk->rules, NULL);
        limb->keep_right = moe_grow_open(trunk->nodes + right, right_counts, n_classes, n_right, depth, trunk->rules,
                                         NULL);
        any |= limb->keep_left | limb->keep_right;
        if (limb->keep_left) moe_share_wait(trunk, left, limb->start, limb->start + n_left, depth);
        if (limb->keep_right) moe_share_wait(trunk, right, limb->start + n_left, limb->end, depth);
    } /* end: for i */
    return any ? trunk->n_limbs * trunk->n_columns : 0;
}

/* Give each branch its slots. */
static inline void moe_share_rest(moe_trunk_t *trunk)
{
    int32_t first = trunk->n_nodes;
    for (int32_t b = 0; b < trunk->n_branches; b++) {
        trunk->branches[b].first = first;
        first += 2 * (trunk->branches[b].end - trunk->branches[b].start) - 2;
    }
}

/* Number the grown tree: children when their parent is split, depth-first, left first.
 * Returns the number of nodes. */
static inline int32_t moe_share_number(const moe_trunk_t *trunk, int32_t *numbers /* OUT [n_nodes] of the trunk */,
                                       int32_t *below /* OUT [n_nodes] number of a node's left child */)
{
    memset(below, 0, (size_t)trunk->n_nodes * sizeof(int32_t));
    for (int32_t b = 0; b < trunk->n_branches; b++) below[trunk->branches[b].node] = trunk->branches[b].n_nodes;
    for (int32_t node = trunk->n_nodes - 1; node >= 0; node--) { /* first: how many nodes are below */
        const int32_t left = trunk->nodes[node].left;
        if (left >= 0 && left < trunk->n_nodes) below[node] = 2 + below[left] + below[left + 1];
    }
    const int32_t n_nodes = 1 + below[0];
    numbers[0] = 0;
    below[0] = 1;
    for (int32_t node = 0; node < trunk->n_nodes; node++) { /* children stand behind their parent */
        const int32_t left = trunk->nodes[node].left;
        if (left < 0 || left >= trunk->n_nodes) continue;
        numbers[left] = below[node];
        numbers[left + 1] = below[node] + 1;
        below[left + 1] = below[node] + 2 + below[left];
        below[left] = below[node] + 2;
    }
    return n_nodes;
}

/* Copy a node to where it belongs; thresholds of leaves are NaN. */
static inline void moe_share_move(const moe_trunk_t *trunk, int32_t from, int32_t to, int32_t left, moe_node_t *nodes,
                                  double *thresholds, int32_t *node_counts)
{
    const int32_t n_classes = trunk->data->n_classes;
    nodes[to] = trunk->nodes[from];
    nodes[to].left = left;
    thresholds[to] = left < 0 ? NAN : trunk->thresholds[from];
    memcpy(node_counts + (int64_t)to * n_classes, trunk->node_counts + (int64_t)from * n_classes,
           (size_t)n_classes * sizeof(int32_t));
}

/* Copy the trunk. */
static inline void moe_share_move_trunk(const moe_trunk_t *trunk, const int32_t *numbers, const int32_t *below,
                                        moe_node_t *nodes /* OUT */, double *thresholds /* OUT */,
                                        int32_t *node_counts /* OUT */)
{
    for (int32_t node = 0; node < trunk->n_nodes; node++)
        moe_share_move(trunk, node, numbers[node], trunk->nodes[node].left < 0 ? -1 : below[node], nodes, thresholds,
                       node_counts);
}

/* Copy a branch without its root. */
static inline void moe_share_move_branch(const moe_trunk_t *trunk, const int32_t *below, int32_t b,
                                         moe_node_t *nodes /* OUT */, double *thresholds /* OUT */,
                                         int32_t *node_counts /* OUT */)
{
    const moe_branch_t *branch = trunk->branches + b;
    const int32_t shift = below[branch->node] - branch->first;
    for (int32_t node = branch->first; node < branch->first + branch->n_nodes; node++) {
        const int32_t left = trunk->nodes[node].left;
        moe_share_move(trunk, node, node + shift, left < 0 ? -1 : left + shift, nodes, thresholds, node_counts);
    }
}

#endif
