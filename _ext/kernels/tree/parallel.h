/* parallel: one tree, grown by many threads.
 *
 *     top        the nodes of more than `alone` samples, depth by depth: those of one depth are the
 *                frontier; a thread takes a feature of a node at a time: estimates its splits, tries
 *                them, divides its column
 *     subtrees   below the top, each grown by one thread (tree/classifier.inc.h): subtrees are
 *                disjoint slices of the columns
 *     numbers    those of a tree that one thread grows alone
 *
 * No result depends on the threads, nor on `alone`: splits are compared exactly, and the
 * descendants of a node have consecutive numbers, so a subtree is numbered on its own and
 * moved as a block.
 *
 *     slots while it grows:  [ top | subtree 0 ......... | subtree 1 .... ]   2 n_train - 1 in all,
 *                                                            2 n - 2 for a subtree of n samples
 *
 * A node of the top has all features in its list: their columns are divided even if
 * they are constant, so that a subtree can start from them.
 *
 * Limits: n_train (k + 1) / alone < 2^31.
 */
#ifndef MOE_TREE_PARALLEL_H
#define MOE_TREE_PARALLEL_H

#include "tree/gini.h"
#include "tree/workspace.h"

/* Pieces that the samples of a frontier are marked in: so many, or one for each node. */
#define MOE_PARALLEL_PIECES 16

/* Features that are estimated together: sums of classes gain by being run side by side. */
#define MOE_PARALLEL_GROUP 2

/* A node of the frontier. */
typedef struct {
    int32_t node, start, end, depth;
    uint64_t s_node;    /* sum of its squared class counts */
    float bar;          /* estimate from which on a feature is promising */
    int32_t promising;  /* promising features of the nodes of the frontier up to this one */
    int keep_left, keep_right;
    moe_split_t best;
} moe_parallel_node_t;

/* A subtree; its root is a node of the top. */
typedef struct {
    int32_t node, start, end, depth;
    int32_t first;   /* slot of its first node below the root */
    int32_t n_nodes; /* below the root */
} moe_parallel_subtree_t;

typedef struct {
    moe_training_t training;
    moe_tree_t tree; /* of 2 n_train - 1 slots */
    int32_t alone;   /* samples of the largest node that is the root of a subtree */
    moe_workspace_t columns; /* entries and stamps; side, for the top */
    int32_t n_columns;    /* k, and one more for the samples if a feature is counted */
    int32_t n_nodes;      /* of the top */
    int32_t n_subtrees, n_frontier, n_next;
    moe_parallel_subtree_t *subtrees; /* [n_train / 2 + 1]: an open node has two samples at least */
    const int32_t *by_size; /* [n_subtrees] subtrees, the largest first */
    moe_parallel_node_t *frontier; /* [moe_parallel_frontier] */
    moe_parallel_node_t *next;     /* the same of the depth below */
    float *estimates;       /* [frontier, k] */
    int32_t *promising;     /* [frontier * k] places in `estimates` */
    moe_split_t *splits;    /* [frontier * k] best split of each promising feature */
    int32_t *places;        /* [k] 0, 1, ... */
    int32_t n_pieces;       /* of each node */
    int32_t *piece_counts;  /* [frontier + MOE_PARALLEL_PIECES, n_classes] of the left side */
} moe_parallel_t;

/* Nodes of more than `alone` samples in a frontier, at most. */
static inline int64_t moe_parallel_frontier(int64_t n_train, int64_t alone)
{
    return n_train / ((alone < 1 ? 1 : alone) + 1) + 1;
}

/* Lay the buffers of the top over `buffer` (aligned to 8) and return their size in
 * bytes; with NULL only the size. */
static inline int64_t moe_parallel_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                       int64_t alone, moe_parallel_t *grower /* OUT */)
{
    int64_t at = 0, frontier = moe_parallel_frontier(n_train, alone);
    const int64_t whole = (int64_t)sizeof(int32_t);
    grower->subtrees = moe_buffers_next(buffer, (n_train / 2 + 1) * (int64_t)sizeof(moe_parallel_subtree_t), &at);
    grower->frontier = moe_buffers_next(buffer, frontier * (int64_t)sizeof(moe_parallel_node_t), &at);
    grower->next = moe_buffers_next(buffer, frontier * (int64_t)sizeof(moe_parallel_node_t), &at);
    grower->splits = moe_buffers_next(buffer, frontier * k * (int64_t)sizeof(moe_split_t), &at);
    grower->estimates = moe_buffers_next(buffer, frontier * k * (int64_t)sizeof(float), &at);
    grower->promising = moe_buffers_next(buffer, frontier * k * whole, &at);
    grower->places = moe_buffers_next(buffer, k * whole, &at);
    grower->piece_counts = moe_buffers_next(buffer, (frontier + MOE_PARALLEL_PIECES) * (int64_t)data->n_classes * whole,
                                            &at);
    return at;
}

#endif
