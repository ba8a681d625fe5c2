/* scope: the classes of a node, numbered anew.
 *
 * Of many classes few occur in a small node: there, and in all below it, they are
 * numbered 0, 1, ... anew, in their order, so that a node never costs more than its
 * samples. Each such scope has a quarter of the classes of the one around it, or less.
 */
#ifndef MOE_TREE_SCOPE_H
#define MOE_TREE_SCOPE_H

#include "tree/node.h"

#define MOE_SCOPE_MANY 64 /* fewer classes are not numbered anew */
#define MOE_SCOPE_DEPTH 9 /* 65,536 classes, a quarter, ... */

/* The classes of a scope. */
typedef struct {
    int32_t *names; /* [n_classes] which classes of the data set they are */
    int32_t n_classes;
} moe_scope_t;

/* Write node `at` as the leaf that moe_node_open makes of counts of a scope. */
static inline int moe_scope_open(const moe_training_t *training, const moe_scope_t *scope,
                                 const int32_t *counts /* IN [scope->n_classes] */, int32_t n, int32_t depth,
                                 int32_t at, const moe_tree_t *tree)
{
    const int32_t n_classes = training->data->n_classes;
    moe_node_t *node = tree->nodes + at;
    const int open = moe_node_open(node, counts, scope->n_classes, n, depth, training->stopping, NULL);
    node->label = scope->names[node->label];
    if (tree->node_counts) {
        int32_t *row = tree->node_counts + (int64_t)at * n_classes;
        memset(row, 0, (size_t)n_classes * sizeof(int32_t));
        for (int32_t c = 0; c < scope->n_classes; c++) row[scope->names[c]] = counts[c];
    }
    return open;
}

#endif
