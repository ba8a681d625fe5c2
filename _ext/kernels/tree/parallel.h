/* trunk: one tree, grown by many threads.
 *
 *     trunk      the nodes of more than `alone` samples, level by level; a thread takes a feature
 *                of a node at a time: values its cuts, tries them, divides its column
 *     branches   what hangs on the trunk, each grown by one thread (tree/classifier.inc.h): branches are
 *                disjoint slices of the columns
 *     numbers    those of a tree that one thread grows alone
 *
 * No result depends on the threads, nor on `alone`: cuts are compared exactly, and the
 * descendants of a node have consecutive numbers, so a branch is numbered on its own and
 * moved as a block.
 *
 *     slots while it grows:  [ trunk | branch 0 ......... | branch 1 .... ]   2 n_train - 1 in all,
 *                                                            2 n - 2 for a branch of n samples
 *
 * A node of the trunk has all features in its list: their columns are divided even if
 * they are constant, so that a branch can start from them.
 *
 * Limits: n_train (k + 1) / alone < 2^31.
 */
#ifndef MOE_TREE_PARALLEL_H
#define MOE_TREE_PARALLEL_H

#include "tree/gini.h"
#include "tree/workspace.h"

/* Pieces that the samples of a level are marked in: so many, or one for each node. */
#define MOE_TRUNK_PIECES 16

/* Features that are valued together: sums of classes gain by being run side by side. */
#define MOE_TRUNK_GROUP 2

/* A node of the trunk. */
typedef struct {
    int32_t node, start, end, depth;
    uint64_t s_node;    /* sum of its squared class counts */
    float bar;          /* value from which on a feature is promising */
    int32_t promising;  /* promising features of the nodes of the level up to this one */
    int keep_left, keep_right;
    moe_cut_t best;
} moe_limb_t;

/* A branch; its root is a node of the trunk. */
typedef struct {
    int32_t node, start, end, depth;
    int32_t first;   /* slot of its first node below the root */
    int32_t n_nodes; /* below the root */
} moe_branch_t;

typedef struct {
    const moe_data_t *data;
    const int32_t *features; /* [k], ascending */
    const moe_rules_t *rules;
    int32_t k, n_train, alone;
    moe_work_t columns;   /* entries and stamps; side, for the trunk */
    moe_node_t *nodes;    /* [2 n_train - 1] slots */
    double *thresholds;   /* [2 n_train - 1] */
    int32_t *node_counts; /* [2 n_train - 1, n_classes] */
    int32_t n_columns;    /* k, and one more for the samples if a feature is counted */
    int32_t n_nodes;      /* of the trunk */
    int32_t n_branches, n_limbs, n_next;
    moe_branch_t *branches; /* [n_train / 2 + 1]: an open node has two samples at least */
    const int32_t *by_size; /* [n_branches] branches, the largest first */
    moe_limb_t *limbs;      /* [moe_trunk_limbs] the level at hand */
    moe_limb_t *next;       /* the same below it */
    float *values;          /* [limbs, k] */
    int32_t *promising;     /* [limbs * k] places in `values` */
    moe_cut_t *cuts;        /* [limbs * k] best cut of each promising feature */
    int32_t *places;        /* [k] 0, 1, ... */
    int32_t n_pieces;       /* of each limb */
    int32_t *piece_counts;  /* [limbs + MOE_TRUNK_PIECES, n_classes] of the left side */
} moe_trunk_t;

/* Nodes of more than `alone` samples in a level, at most. */
static inline int64_t moe_trunk_limbs(int64_t n_train, int64_t alone)
{
    return n_train / ((alone < 1 ? 1 : alone) + 1) + 1;
}

/* Lay the buffers of the trunk over `buffer` (aligned to 8) and return their size in
 * bytes; with NULL only the size. */
static inline int64_t moe_trunk_work(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k, int64_t alone,
                                     moe_trunk_t *trunk /* OUT */)
{
    int64_t at = 0, limbs = moe_trunk_limbs(n_train, alone);
    const int64_t whole = (int64_t)sizeof(int32_t);
    trunk->branches = moe_parts_next(buffer, (n_train / 2 + 1) * (int64_t)sizeof(moe_branch_t), &at);
    trunk->limbs = moe_parts_next(buffer, limbs * (int64_t)sizeof(moe_limb_t), &at);
    trunk->next = moe_parts_next(buffer, limbs * (int64_t)sizeof(moe_limb_t), &at);
    trunk->cuts = moe_parts_next(buffer, limbs * k * (int64_t)sizeof(moe_cut_t), &at);
    trunk->values = moe_parts_next(buffer, limbs * k * (int64_t)sizeof(float), &at);
    trunk->promising = moe_parts_next(buffer, limbs * k * whole, &at);
    trunk->places = moe_parts_next(buffer, k * whole, &at);
    trunk->piece_counts = moe_parts_next(buffer, (limbs + MOE_TRUNK_PIECES) * (int64_t)data->n_classes * whole, &at);
    return at;
}

#endif
