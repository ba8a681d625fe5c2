/* workspace: the buffers that a tree is grown in, and their sizes. */
#ifndef MOE_TREE_WORKSPACE_H
#define MOE_TREE_WORKSPACE_H

#include "base/buffers.h"
#include "tree/types.h"

/* Features that are scanned together, and the entries of each between two stops. */
#define MOE_TREE_MANY 4
#define MOE_TREE_CHUNK 256

/* What a thread works with: the columns of its tree, which it may share with others,
 * and a desk of its own. */
typedef struct {
    void *entries;      /* [k + 1, n_train + MOE_TREE_PAD in all] a column for each sorted feature; the samples */
    void *stamps;       /* [n_samples] entry of code 0 of each sample */
    void *spare;        /* [n_train + MOE_TREE_PAD] right side during a partition */
    uint64_t *totals;   /* [MOE_TREE_MANY, MOE_TREE_CHUNK] running sums of scans */
    uint64_t *tally;    /* [1 + MOE_TREE_MANY, n_classes] of the node; of scans */
    float *values;      /* [k] best cut of each feature of a node */
    int32_t *present;   /* [n_classes] counts of the classes that occur in a node */
    int32_t second;     /* the higher class of a node of two, else -1 */
    float kept_value;   /* of the best counted feature of a node so far, 0 = none */
    int32_t kept_feature;
    int32_t kept[3 * 16]; /* its sums (tree/histogram.inc.h), which are wanted again to try it exactly */
    moe_frame_t *stack; /* [n_branch + 1] */
    int32_t *lists;     /* [moe_tree_lists(k, n_branch, max_depth)] */
    int32_t *counts;    /* [3, n_classes] node, left, right */
    int32_t *names;     /* [2 n_classes] classes of each scope (tree/classifier.inc.h) */
    uint8_t *side;      /* [n_samples + MOE_TREE_PAD] 1 = goes left */
} moe_work_t;

static inline int64_t moe_tree_max_nodes(int64_t n_train) { return 2 * n_train - 1; }

/* A list is shorter than the one that it was made from, and there is at most one
 * per level that waits: k + (k - 1) + ... over min(k, levels) terms. */
static inline int64_t moe_tree_lists(int64_t k, int64_t n_train, int64_t max_depth)
{
    int64_t levels = (max_depth < n_train ? max_depth : n_train) + 1;
    int64_t terms = levels < k ? levels : k;
    return k + terms * k - terms * (terms - 1) / 2;
}

/* Lay the columns of a tree of n_train samples and k features over `buffer` (aligned
 * to 8) and return their size in bytes; with NULL only the size. */
static inline int64_t moe_tree_columns(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                       moe_work_t *work /* OUT */)
{
    int64_t at = 0;
    work->entries = moe_parts_next(buffer, ((k + 1) * n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->stamps = moe_parts_next(buffer, (int64_t)data->n_samples * data->entry_width, &at);
    return at;
}

/* The same for what each thread has to itself, which grows branches of at most n_branch
 * samples of a tree of n_train. */
static inline int64_t moe_tree_desk(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t n_branch,
                                    int64_t k, int64_t max_depth, moe_work_t *work /* OUT */)
{
    const int64_t whole = (int64_t)sizeof(int32_t), wide = (int64_t)sizeof(uint64_t), n_classes = data->n_classes;
    int64_t at = 0;
    work->spare = moe_parts_next(buffer, (n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->totals = moe_parts_next(buffer, MOE_TREE_MANY * MOE_TREE_CHUNK * wide, &at);
    work->tally = moe_parts_next(buffer, (1 + MOE_TREE_MANY) * n_classes * wide, &at);
    work->values = moe_parts_next(buffer, k * (int64_t)sizeof(float), &at);
    work->present = moe_parts_next(buffer, n_classes * whole, &at);
    work->stack = moe_parts_next(buffer, (n_branch + 1) * (int64_t)sizeof(moe_frame_t), &at);
    work->lists = moe_parts_next(buffer, moe_tree_lists(k, n_branch, max_depth) * whole, &at);
    work->counts = moe_parts_next(buffer, 3 * n_classes * whole, &at);
    work->names = moe_parts_next(buffer, 2 * n_classes * whole, &at);
    work->side = moe_parts_next(buffer, data->n_samples + MOE_TREE_PAD, &at);
    return at;
}

/* The same for one thread that grows a whole tree: columns, then desk. */
static inline int64_t moe_tree_work(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                    int64_t max_depth, moe_work_t *work /* OUT */)
{
    int64_t at = moe_tree_columns(buffer, data, n_train, k, work);
    return at + moe_tree_desk(buffer ? buffer + at : NULL, data, n_train, n_train, k, max_depth, work);
}

#endif
