/* grower: the trees.
 *
 * An entry is one training sample in one feature, (code | label | sample) in as
 * few bits as the data set needs: 4 bytes where they suffice, else 8. The loops
 * over entries (tree/sorted.inc.h, tree/histogram.inc.h, tree/classifier.inc.h) are written once and compiled for both,
 * and for each instruction set.
 */
#ifndef MOE_TREE_GROWER_H
#define MOE_TREE_GROWER_H

#include <math.h>

#include "tree/gini.h"
#include "tree/histogram.h"
#include "tree/node.h"
#include "tree/parallel.h"
#include "tree/scope.h"
#include "tree/sorted.h"
#include "tree/variance.h"
#if MOE_HAS_LEVELS
#include <immintrin.h>
#endif

#define MOE_TEMPLATE "tree/widths.inc.h"
#include "base/levels.inc.h"

typedef int32_t moe_grower_classifier_t(const moe_data_t *, const uint8_t *, const int32_t *, int32_t, int32_t, uint8_t,
                                        const moe_stopping_t *, moe_workspace_t *, moe_node_t *, double *, int32_t *);

typedef int32_t moe_grower_regressor_t(const moe_data_t *, const uint8_t *, const int32_t *, int32_t, int32_t, uint8_t,
                                       const moe_stopping_t *, moe_workspace_t *, moe_node_t *, double *, double *,
                                       int32_t *);

/* The loops for the data set's entries and instruction set. */
static inline moe_grower_classifier_t *moe_grower_classifier_loops(const moe_data_t *data)
{
#if MOE_HAS_LEVELS
    if (data->level == 4) return data->entry_width == 4 ? moe_classifier_grow_4_v4 : moe_classifier_grow_8_v4;
    if (data->level == 3) return data->entry_width == 4 ? moe_classifier_grow_4_v3 : moe_classifier_grow_8_v3;
#endif
    return data->entry_width == 4 ? moe_classifier_grow_4_v0 : moe_classifier_grow_8_v0;
}

/* Grow a tree on the samples with marks[s] == wanted, over `features` (ascending).
 * Returns the number of nodes; node 0 is the root. Depth-first, left first; the
 * children of a node get neighbouring numbers. O(k n_train depth). */
static inline int32_t moe_grower_classifier(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                            const int32_t *features /* IN [k], ascending */, int32_t k, int32_t n_train,
                                            uint8_t wanted, const moe_stopping_t *stopping, moe_workspace_t *work,
                                            moe_node_t *nodes /* OUT [2 n_train - 1] */,
                                            double *thresholds /* OUT [2 n_train - 1] or NULL */,
                                            int32_t *node_counts /* OUT [2 n_train - 1, n_classes] or NULL */)
{
    return moe_grower_classifier_loops(data)(data, marks, features, k, n_train, wanted, stopping, work, nodes,
                                             thresholds, node_counts);
}

/* The same for a regression tree (tree/variance.h). */
static inline moe_grower_regressor_t *moe_grower_regressor_loops(const moe_data_t *data)
{
#if MOE_HAS_LEVELS
    if (data->level == 4) return data->entry_width == 4 ? moe_regressor_grow_4_v4 : moe_regressor_grow_8_v4;
    if (data->level == 3) return data->entry_width == 4 ? moe_regressor_grow_4_v3 : moe_regressor_grow_8_v3;
#endif
    return data->entry_width == 4 ? moe_regressor_grow_4_v0 : moe_regressor_grow_8_v0;
}

/* Grow a regression tree; like moe_grower_classifier, for data with a target and without counted features. */
static inline int32_t moe_grower_regressor(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                           const int32_t *features /* IN [k], ascending */, int32_t k, int32_t n_train,
                                           uint8_t wanted, const moe_stopping_t *stopping, moe_workspace_t *work,
                                           moe_node_t *nodes /* OUT [2 n_train - 1] */,
                                           double *thresholds /* OUT [2 n_train - 1] or NULL */,
                                           double *means /* OUT [2 n_train - 1] of the target */,
                                           int32_t *sizes /* OUT [2 n_train - 1] samples, or NULL */)
{
    return moe_grower_regressor_loops(data)(data, marks, features, k, n_train, wanted, stopping, work, nodes,
                                            thresholds, means, sizes);
}

#endif
