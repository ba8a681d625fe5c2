/* node: open and split the nodes of a tree. */
#ifndef MOE_TREE_NODE_H
#define MOE_TREE_NODE_H

#include <math.h>

#include "tree/bins.h"
#include "tree/split.h"

/* Return the most frequent class, ties to the lowest. */
static inline int32_t moe_node_majority(const int32_t *counts, int32_t n_classes)
{
    int32_t best = 0, most = counts[0];
    for (int32_t c = 1; c < n_classes; c++) { /* no branch: it would be mispredicted */
        int more = counts[c] > most;
        best = more ? c : best;
        most = more ? counts[c] : most;
    }
    return best;
}

/* Return whether the stopping rules allow to split a node of n samples. */
static inline int moe_node_allows(const moe_stopping_t *stopping, int32_t n, int32_t depth)
{
    return depth < stopping->max_depth && n >= stopping->min_samples_split && n / 2 >= stopping->min_samples_leaf;
}

/* Return a leaf without a label. */
static inline moe_node_t moe_node_leaf(void)
{
    const moe_node_t leaf = {-1, -1, -1, -1, 0};
    return leaf;
}

/* Write a node as a leaf with the majority label; returns 1 if it may be split. */
static inline int moe_node_open(moe_node_t *node, const int32_t *counts, int32_t n_classes, int32_t n,
                                int32_t depth, const moe_stopping_t *stopping,
                                int32_t *node_counts /* OUT [n_classes] or NULL */)
{
    *node = moe_node_leaf();
    node->label = moe_node_majority(counts, n_classes);
    if (node_counts) memcpy(node_counts, counts, (size_t)n_classes * sizeof(int32_t));
    return counts[node->label] < n && moe_node_allows(stopping, n, depth);
}

/* Write the split of a node and the number of its left child; returns the threshold. If no value of the feature is
 * missing in the node (`has_missing` = 0), missing values go to the larger side. */
static inline double moe_node_split(const moe_data_t *data, int32_t feature, const moe_split_t *split, int has_missing,
                                    int32_t left, moe_node_t *node /* OUT */)
{
    const int32_t missing_code = moe_bins_missing(data, feature);
    double threshold = INFINITY;
    node->feature = feature;
    node->left = left;
    if (split->above == missing_code) { /* all known values go left, missing ones right */
        node->code = missing_code - 1;
    } else {
        node->code = moe_bins_threshold(data, feature, split->below, split->above, &threshold);
    }
    if (has_missing ? split->missing_left : split->n_left > split->n_right) node->missing = missing_code;
    return threshold;
}

#endif
