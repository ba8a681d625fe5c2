/* parallel: grow one tree by many threads.
 *
 *     top        the nodes of more than `alone` samples, depth by depth; those of one depth are the frontier. A task
 *                is one feature of one node: its splits are estimated, tried, and its column is partitioned
 *     subtrees   below the top; each is grown by one thread (tree/classifier.inc.h), as subtrees are disjoint slices
 *                of the columns
 *     numbers    at the end, nodes are renumbered as if one thread had grown the tree
 *
 * No result depends on the number of threads or on `alone`: splits are compared exactly, and the descendants of a node
 * have consecutive numbers, so a subtree is numbered by itself and moved as a block.
 *
 *     slots during growth:  [ top | subtree 0 ......... | subtree 1 .... ]   2 n_train - 1 in all,
 *                                                            2 n - 2 for a subtree of n samples
 *
 * The columns of all features are partitioned at a node of the top, even constant ones, so that a subtree can start
 * from them.
 *
 * Limits: n_train (k + 1) / alone < 2^31.
 */
#ifndef MOE_TREE_PARALLEL_H
#define MOE_TREE_PARALLEL_H

#include "tree/gini.h"
#include "tree/workspace.h"

/* Least number of pieces in which the samples of a frontier are marked; each node has at least one. */
#define MOE_PARALLEL_PIECES 16

/* Features that are estimated in one task: running class sums of two side by side hides their latency. */
#define MOE_PARALLEL_GROUP 2

/* A node of the frontier. */
typedef struct {
    int32_t node, start, end, depth;
    uint64_t s_node;    /* sum of the squared class counts */
    float cutoff;       /* a feature whose estimate is >= cutoff is promising: it may have the best split */
    int32_t promising;  /* number of promising features of the frontier, up to and including this node */
    int keep_left, keep_right;
    moe_split_t best;
} moe_parallel_node_t;

/* A subtree; its root is a node of the top. */
typedef struct {
    int32_t node, start, end, depth;
    int32_t first;   /* slot of the first node below the root */
    int32_t n_nodes; /* nodes below the root */
} moe_parallel_subtree_t;

typedef struct {
    moe_training_t training;
    moe_tree_t tree; /* the arrays have 2 n_train - 1 slots */
    int32_t alone;   /* largest number of samples of the root of a subtree */
    moe_workspace_t columns; /* shared entries and base entries; `side` for the top */
    int32_t n_columns;    /* k, plus one for the samples if a feature is counted */
    int32_t n_nodes;      /* nodes of the top so far */
    int32_t n_subtrees, n_frontier, n_next;
    moe_parallel_subtree_t *subtrees; /* [n_train / 2 + 1], as an open node has at least 2 samples */
    const int32_t *by_size; /* [n_subtrees] subtrees in descending order of size */
    moe_parallel_node_t *frontier; /* [moe_parallel_frontier()] */
    moe_parallel_node_t *next;     /* the next frontier, one depth below */
    float *estimates;       /* [frontier, k] estimate of each feature of each node */
    int32_t *promising;     /* [frontier * k] indices into `estimates` */
    moe_split_t *splits;    /* [frontier * k] best split of each promising feature */
    int32_t *identity;      /* [k] 0, 1, ... */
    int32_t n_pieces;       /* pieces of each node */
    int32_t *piece_counts;  /* [frontier + MOE_PARALLEL_PIECES, n_classes] left class counts of each piece */
} moe_parallel_t;

/* Return the largest number of nodes of a frontier. */
static inline int64_t moe_parallel_frontier(int64_t n_train, int64_t alone)
{
    return n_train / ((alone < 1 ? 1 : alone) + 1) + 1;
}

/* Lay out the buffers of the top over `buffer` (aligned to 8); return their size in bytes, with NULL only the size. */
static inline int64_t moe_parallel_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                       int64_t alone, moe_parallel_t *grower /* OUT */)
{
    int64_t at = 0, frontier = moe_parallel_frontier(n_train, alone);
    const int64_t size_32 = (int64_t)sizeof(int32_t);
    grower->subtrees = moe_buffers_next(buffer, (n_train / 2 + 1) * (int64_t)sizeof(moe_parallel_subtree_t), &at);
    grower->frontier = moe_buffers_next(buffer, frontier * (int64_t)sizeof(moe_parallel_node_t), &at);
    grower->next = moe_buffers_next(buffer, frontier * (int64_t)sizeof(moe_parallel_node_t), &at);
    grower->splits = moe_buffers_next(buffer, frontier * k * (int64_t)sizeof(moe_split_t), &at);
    grower->estimates = moe_buffers_next(buffer, frontier * k * (int64_t)sizeof(float), &at);
    grower->promising = moe_buffers_next(buffer, frontier * k * size_32, &at);
    grower->identity = moe_buffers_next(buffer, k * size_32, &at);
    grower->piece_counts = moe_buffers_next(buffer,
                                            (frontier + MOE_PARALLEL_PIECES) * (int64_t)data->n_classes * size_32, &at);
    return at;
}

#endif
