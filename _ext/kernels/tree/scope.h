/* scope: renumber the classes of a node.
 *
 * Of many classes few occur in a small node. There, and in all nodes below it, they are renumbered 0, 1, ... in their
 * order, so that the cost of a node is at most proportional to its samples. Each scope has at most a quarter of the
 * classes of the scope around it.
 */
#ifndef MOE_TREE_SCOPE_H
#define MOE_TREE_SCOPE_H

#include "tree/node.h"

#define MOE_SCOPE_MANY 64 /* up to this number classes are not renumbered */
#define MOE_SCOPE_DEPTH 9 /* 65,536 classes, divided by 4 at each level */

/* The numbering of the classes of a scope. */
typedef struct {
    int32_t *classes; /* [n_classes] class of the data set behind each number */
    int32_t n_classes;
} moe_scope_t;

/* Write node `at` as moe_node_open does, from class counts numbered as in a scope; returns 1 if it may be split. */
static inline int moe_scope_open(const moe_training_t *training, const moe_scope_t *scope,
                                 const int32_t *counts /* IN [scope->n_classes] */, int32_t n, int32_t depth,
                                 int32_t at, const moe_tree_t *tree)
{
    const int32_t n_classes = training->data->n_classes;
    moe_node_t *node = tree->nodes + at;
    const int open = moe_node_open(node, counts, scope->n_classes, n, depth, training->stopping, NULL);
    node->label = scope->classes[node->label];
    if (tree->node_counts) {
        int32_t *row = tree->node_counts + (int64_t)at * n_classes;
        memset(row, 0, (size_t)n_classes * sizeof(int32_t));
        for (int32_t c = 0; c < scope->n_classes; c++) row[scope->classes[c]] = counts[c];
    }
    return open;
}

#endif
