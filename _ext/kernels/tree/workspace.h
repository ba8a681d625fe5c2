/* workspace: the buffers in which a tree is grown, and their sizes. */
#ifndef MOE_TREE_WORKSPACE_H
#define MOE_TREE_WORKSPACE_H

#include "base/buffers.h"
#include "base/poll.h"
#include "tree/types.h"

/* Features that are scanned together, and the entries of each that are scanned before the next is. */
#define MOE_TREE_UNROLL 4
#define MOE_TREE_CHUNK 256

/* The workspace of a thread that grows a tree: the columns, which several threads may share, and buffers of its own. */
typedef struct {
    void *entries;      /* [k + 1, n_train] + MOE_TREE_PAD: a column for each sorted feature, then the samples */
    void *bases;        /* [n_samples] base entry of each sample, (code 0 | label | sample) */
    void *spare;        /* [n_train + MOE_TREE_PAD] right side during a partition */
    uint64_t *totals;   /* [MOE_TREE_UNROLL, MOE_TREE_CHUNK] running sums of sorted features */
    uint64_t *tally;    /* [1 + MOE_TREE_UNROLL, n_classes] counts << 32 of the node; tallies of sorted features */
    float *estimates;   /* [k] estimated score of the best split by each feature of a node */
    int32_t *present;   /* [n_classes] counts of the classes that occur in a node, without gaps */
    int32_t second_class; /* the higher class of a node of two classes, else -1 */
    float best_counted_estimate; /* highest estimate of a counted feature of a node so far, 0 = none */
    int32_t best_counted;
    int32_t best_counted_sums[3 * 16]; /* its sums (tree/histogram.inc.h), which the exact trial needs again */
    moe_queued_t *queue; /* [n_largest + 1] */
    int32_t *lists;     /* [moe_workspace_lists(k, n_largest, max_depth)] */
    int32_t *counts;    /* [3, n_classes] class counts of a node, its left and its right side */
    int32_t *scope_classes; /* [2 n_classes] classes of the data set in each scope (tree/scope.h) */
    uint8_t *side;      /* [n_samples + MOE_TREE_PAD] 1 = goes left */
    moe_poll_t *poll;     /* set to NULL by the layout: a tree is grown to its end */
} moe_workspace_t;

static inline int64_t moe_workspace_max_nodes(int64_t n_train) { return 2 * n_train - 1; }

/* Return the length of all lists. A list is shorter than the list that it was made from, and at most one for each depth
 * is queued: k + (k - 1) + ... over min(k, depths) terms. */
static inline int64_t moe_workspace_lists(int64_t k, int64_t n_train, int64_t max_depth)
{
    int64_t depths = (max_depth < n_train ? max_depth : n_train) + 1;
    int64_t terms = depths < k ? depths : k;
    return k + terms * k - terms * (terms - 1) / 2;
}

/* Lay out the columns of a tree of n_train samples and k features over `buffer` (aligned to 8) and return their size in
 * bytes; with NULL only the size. */
static inline int64_t moe_workspace_lay_columns(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                                moe_workspace_t *work /* OUT */)
{
    int64_t at = 0;
    work->entries = moe_buffers_next(buffer, ((k + 1) * n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->bases = moe_buffers_next(buffer, (int64_t)data->n_samples * data->entry_width, &at);
    return at;
}

/* Lay out the buffers of one thread likewise, for subtrees of <= n_largest samples of a tree of n_train. */
static inline int64_t moe_workspace_lay_own(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t n_largest,
                                            int64_t k, int64_t max_depth, moe_workspace_t *work /* OUT */)
{
    const int64_t size_32 = (int64_t)sizeof(int32_t), size_64 = (int64_t)sizeof(uint64_t), n_classes = data->n_classes;
    int64_t at = 0;
    work->spare = moe_buffers_next(buffer, (n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->totals = moe_buffers_next(buffer, MOE_TREE_UNROLL * MOE_TREE_CHUNK * size_64, &at);
    work->tally = moe_buffers_next(buffer, (1 + MOE_TREE_UNROLL) * n_classes * size_64, &at);
    work->estimates = moe_buffers_next(buffer, k * (int64_t)sizeof(float), &at);
    work->present = moe_buffers_next(buffer, n_classes * size_32, &at);
    work->queue = moe_buffers_next(buffer, (n_largest + 1) * (int64_t)sizeof(moe_queued_t), &at);
    work->lists = moe_buffers_next(buffer, moe_workspace_lists(k, n_largest, max_depth) * size_32, &at);
    work->counts = moe_buffers_next(buffer, 3 * n_classes * size_32, &at);
    work->scope_classes = moe_buffers_next(buffer, 2 * n_classes * size_32, &at);
    work->side = moe_buffers_next(buffer, data->n_samples + MOE_TREE_PAD, &at);
    work->poll = NULL;
    return at;
}

/* Lay out the columns, then the buffers of one thread that grows a whole tree, likewise. */
static inline int64_t moe_workspace_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                        int64_t max_depth, moe_workspace_t *work /* OUT */)
{
    int64_t at = moe_workspace_lay_columns(buffer, data, n_train, k, work);
    return at + moe_workspace_lay_own(buffer ? buffer + at : NULL, data, n_train, n_train, k, max_depth, work);
}

#endif
