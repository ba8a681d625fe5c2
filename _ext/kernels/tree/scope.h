/* scope: the classes of a node, numbered anew.
 *
 * Of many classes few occur in a small node: there, and in all below it, they are
 * numbered 0, 1, ... anew, in their order, so that a node never costs more than its
 * samples. Each such scope has a quarter of the classes of the one around it, or less.
 */
#ifndef MOE_TREE_SCOPE_H
#define MOE_TREE_SCOPE_H

#include "tree/node.h"

#define MOE_SCOPE_MANY 64  /* fewer classes are not numbered anew */
#define MOE_SCOPE_DEPTH 9 /* 65,536 classes, a quarter, ... */

/* The classes of a scope. */
typedef struct {
    int32_t *names; /* [n_classes] which classes of the data set they are */
    int32_t n_classes;
} moe_scope_t;

/* Write a leaf into node `at` as moe_node_open does, whose counts are those of a scope. */
static inline int moe_scope_open(const moe_scope_t *scope, const int32_t *counts, int32_t n_classes, int32_t n,
                                 int32_t depth, const moe_stopping_t *stopping, int32_t at, moe_node_t *nodes /* OUT */,
                                 int32_t *node_counts /* OUT [nodes, n_classes] or NULL */)
{
    const int open = moe_node_open(nodes + at, counts, scope->n_classes, n, depth, stopping, NULL);
    nodes[at].label = scope->names[nodes[at].label];
    if (node_counts) {
        int32_t *row = node_counts + (int64_t)at * n_classes;
        memset(row, 0, (size_t)n_classes * sizeof(int32_t));
        for (int32_t c = 0; c < scope->n_classes; c++) row[scope->names[c]] = counts[c];
    }
    return open;
}

#endif
