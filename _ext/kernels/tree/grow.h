/* grow: the decision tree.
 *
 * An entry is one training sample in one feature, (code | label | sample) in as
 * few bits as the data set needs: 4 bytes where they suffice, else 8. The loops
 * over entries (tree/scan.inc.h, tree/count.inc.h, tree/split.inc.h) are written once and compiled for both,
 * and for each instruction set.
 */
#ifndef MOE_GROW_H
#define MOE_GROW_H

#include <math.h>

#include "tree/bin.h"
#include "tree/cut.h"
#include "tree/gain.h"
#if MOE_HAS_LEVELS
#include <immintrin.h>
#endif

/* Most frequent class, ties to the lowest. */
static inline int32_t moe_grow_majority(const int32_t *counts, int32_t n_classes)
{
    int32_t best = 0, most = counts[0];
    for (int32_t c = 1; c < n_classes; c++) { /* without a branch: it would be mispredicted */
        int more = counts[c] > most;
        best = more ? c : best;
        most = more ? counts[c] : most;
    }
    return best;
}

/* Whether the rules let a node of n samples be split. */
static inline int moe_grow_allows(const moe_rules_t *rules, int32_t n, int32_t depth)
{
    return depth < rules->max_depth && n >= rules->min_samples_split && n / 2 >= rules->min_samples_leaf;
}

/* A leaf without a label. */
static inline moe_node_t moe_grow_leaf(void)
{
    const moe_node_t leaf = {-1, -1, -1, -1, 0};
    return leaf;
}

/* Write a leaf; returns 1 if the node may be split further. */
static inline int moe_grow_open(moe_node_t *node, const int32_t *counts, int32_t n_classes, int32_t n,
                                int32_t depth, const moe_rules_t *rules,
                                int32_t *node_counts /* OUT [n_classes] or NULL */)
{
    *node = moe_grow_leaf();
    node->label = moe_grow_majority(counts, n_classes);
    if (node_counts) memcpy(node_counts, counts, (size_t)n_classes * sizeof(int32_t));
    return counts[node->label] < n && moe_grow_allows(rules, n, depth);
}

/* Write the rule of a node that is cut. A missing value that it has not `seen` goes to
 * the larger side. */
static inline void moe_grow_rule(const moe_data_t *data, int64_t feature, const moe_cut_t *cut, int seen,
                                 moe_node_t *node, double *threshold /* OUT */)
{
    const int32_t missing_code = moe_bin_missing(data, feature);
    if (cut->above == missing_code) { /* all known values left, the missing ones right */
        node->code = missing_code - 1;
        *threshold = INFINITY;
    } else {
        node->code = moe_bin_threshold(data, feature, cut->below, cut->above, threshold);
    }
    if (seen ? cut->missing_left : cut->n_left >= cut->n_right) node->missing = missing_code;
}

#define MOE_TEMPLATE "tree/nodes.inc.h"
#include "base/levels.inc.h"

typedef int32_t moe_grow_t(const moe_data_t *, const uint8_t *, const int32_t *, int32_t, int32_t, uint8_t,
                           const moe_rules_t *, moe_work_t *, moe_node_t *, double *, int32_t *);

typedef int32_t moe_regress_t(const moe_data_t *, const uint8_t *, const int32_t *, int32_t, int32_t, uint8_t,
                              const moe_rules_t *, moe_work_t *, moe_node_t *, double *, double *, int32_t *);

/* The loops for the data set's entries and instruction set. */
static inline moe_grow_t *moe_grow_loops(const moe_data_t *data)
{
#if MOE_HAS_LEVELS
    if (data->level == 4) return data->entry_width == 4 ? moe_split_all_4_v4 : moe_split_all_8_v4;
    if (data->level == 3) return data->entry_width == 4 ? moe_split_all_4_v3 : moe_split_all_8_v3;
#endif
    return data->entry_width == 4 ? moe_split_all_4_v0 : moe_split_all_8_v0;
}

/* Grow a tree on the samples with marks[s] == wanted, over `features` (ascending).
 * Returns the number of nodes; node 0 is the root. Depth-first, left first; the
 * children of a node get neighbouring numbers. O(k n_train depth). */
static inline int32_t moe_grow(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                               const int32_t *features /* IN [k], ascending */, int32_t k, int32_t n_train,
                               uint8_t wanted, const moe_rules_t *rules, moe_work_t *work,
                               moe_node_t *nodes /* OUT [2 n_train - 1] */,
                               double *thresholds /* OUT [2 n_train - 1] or NULL */,
                               int32_t *node_counts /* OUT [2 n_train - 1, n_classes] or NULL */)
{
    return moe_grow_loops(data)(data, marks, features, k, n_train, wanted, rules, work, nodes, thresholds,
                                node_counts);
}

/* The same for a regression tree (tree/gain.h). */
static inline moe_regress_t *moe_grow_target_loops(const moe_data_t *data)
{
#if MOE_HAS_LEVELS
    if (data->level == 4) return data->entry_width == 4 ? moe_regress_all_4_v4 : moe_regress_all_8_v4;
    if (data->level == 3) return data->entry_width == 4 ? moe_regress_all_4_v3 : moe_regress_all_8_v3;
#endif
    return data->entry_width == 4 ? moe_regress_all_4_v0 : moe_regress_all_8_v0;
}

/* Grow a regression tree; like moe_grow, for data with a target and without counted features. */
static inline int32_t moe_grow_target(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                      const int32_t *features /* IN [k], ascending */, int32_t k, int32_t n_train,
                                      uint8_t wanted, const moe_rules_t *rules, moe_work_t *work,
                                      moe_node_t *nodes /* OUT [2 n_train - 1] */,
                                      double *thresholds /* OUT [2 n_train - 1] or NULL */,
                                      double *means /* OUT [2 n_train - 1] of the target */,
                                      int32_t *sizes /* OUT [2 n_train - 1] samples, or NULL */)
{
    return moe_grow_target_loops(data)(data, marks, features, k, n_train, wanted, rules, work, nodes, thresholds,
                                       means, sizes);
}

#endif
