/* workspace: the buffers that a tree is grown in, and their sizes. */
#ifndef MOE_TREE_WORKSPACE_H
#define MOE_TREE_WORKSPACE_H

#include "base/buffers.h"
#include "base/ear.h"
#include "tree/types.h"

/* Features that are scanned together, and the entries of each between two stops. */
#define MOE_TREE_MANY 4
#define MOE_TREE_CHUNK 256

/* What a thread grows a tree in: the columns, which may be those of several threads, and what
 * it has to itself. */
typedef struct {
    void *entries;      /* [k + 1, n_train + MOE_TREE_PAD in all] a column for each sorted feature; the samples */
    void *stamps;       /* [n_samples] entry of code 0 of each sample */
    void *spare;        /* [n_train + MOE_TREE_PAD] right side during a partition */
    uint64_t *totals;   /* [MOE_TREE_MANY, MOE_TREE_CHUNK] running sums of sorted features */
    uint64_t *tally;    /* [1 + MOE_TREE_MANY, n_classes] of the node; of sorted features */
    float *estimates;   /* [k] best split of each feature of a node */
    int32_t *present;   /* [n_classes] counts of the classes that occur in a node */
    int32_t second;     /* the higher class of a node of two, else -1 */
    float kept_estimate; /* of the best counted feature of a node so far, 0 = none */
    int32_t kept_feature;
    int32_t kept[3 * 16]; /* its sums (tree/histogram.inc.h), which are wanted again to try it exactly */
    moe_queued_t *queue; /* [n_largest + 1] */
    int32_t *lists;     /* [moe_workspace_lists(k, n_largest, max_depth)] */
    int32_t *counts;    /* [3, n_classes] node, left, right */
    int32_t *names;     /* [2 n_classes] classes of each scope (tree/classifier.inc.h) */
    uint8_t *side;      /* [n_samples + MOE_TREE_PAD] 1 = goes left */
    moe_ear_t *ear;     /* NULL, as it is laid out: a tree is grown to its end */
} moe_workspace_t;

static inline int64_t moe_workspace_max_nodes(int64_t n_train) { return 2 * n_train - 1; }

/* A list is shorter than the one that it was made from, and there is at most one
 * per depth that waits: k + (k - 1) + ... over min(k, depths) terms. */
static inline int64_t moe_workspace_lists(int64_t k, int64_t n_train, int64_t max_depth)
{
    int64_t depths = (max_depth < n_train ? max_depth : n_train) + 1;
    int64_t terms = depths < k ? depths : k;
    return k + terms * k - terms * (terms - 1) / 2;
}

/* Lay the columns of a tree of n_train samples and k features over `buffer` (aligned
 * to 8) and return their size in bytes; with NULL only the size. */
static inline int64_t moe_workspace_lay_columns(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                                moe_workspace_t *work /* OUT */)
{
    int64_t at = 0;
    work->entries = moe_buffers_next(buffer, ((k + 1) * n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->stamps = moe_buffers_next(buffer, (int64_t)data->n_samples * data->entry_width, &at);
    return at;
}

/* The same for what each thread has to itself, which grows subtrees of at most n_largest
 * samples of a tree of n_train. */
static inline int64_t moe_workspace_lay_own(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t n_largest,
                                            int64_t k, int64_t max_depth, moe_workspace_t *work /* OUT */)
{
    const int64_t whole = (int64_t)sizeof(int32_t), wide = (int64_t)sizeof(uint64_t), n_classes = data->n_classes;
    int64_t at = 0;
    work->spare = moe_buffers_next(buffer, (n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->totals = moe_buffers_next(buffer, MOE_TREE_MANY * MOE_TREE_CHUNK * wide, &at);
    work->tally = moe_buffers_next(buffer, (1 + MOE_TREE_MANY) * n_classes * wide, &at);
    work->estimates = moe_buffers_next(buffer, k * (int64_t)sizeof(float), &at);
    work->present = moe_buffers_next(buffer, n_classes * whole, &at);
    work->queue = moe_buffers_next(buffer, (n_largest + 1) * (int64_t)sizeof(moe_queued_t), &at);
    work->lists = moe_buffers_next(buffer, moe_workspace_lists(k, n_largest, max_depth) * whole, &at);
    work->counts = moe_buffers_next(buffer, 3 * n_classes * whole, &at);
    work->names = moe_buffers_next(buffer, 2 * n_classes * whole, &at);
    work->side = moe_buffers_next(buffer, data->n_samples + MOE_TREE_PAD, &at);
    work->ear = NULL;
    return at;
}

/* The same for one thread that grows a whole tree: columns, then the rest. */
static inline int64_t moe_workspace_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                        int64_t max_depth, moe_workspace_t *work /* OUT */)
{
    int64_t at = moe_workspace_lay_columns(buffer, data, n_train, k, work);
    return at + moe_workspace_lay_own(buffer ? buffer + at : NULL, data, n_train, n_train, k, max_depth, work);
}

#endif
