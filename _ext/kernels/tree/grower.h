/* grower: grow trees.
 *
 * An entry is one training sample in one feature, (code | label | sample) in as few bits as the data set needs: 4 bytes
 * if they suffice, else 8. The loops over entries (tree/sorted.inc.h, tree/histogram.inc.h, tree/classifier.inc.h) are
 * written once and compiled for both widths and for each instruction set.
 */
#ifndef MOE_TREE_GROWER_H
#define MOE_TREE_GROWER_H

#include <math.h>

#include "tree/batch.h"
#include "tree/gini.h"
#include "tree/histogram.h"
#include "tree/node.h"
#include "tree/parallel.h"
#include "tree/queue.h"
#include "tree/scope.h"
#include "tree/sorted.h"
#include "tree/variance.h"

#define MOE_TEMPLATE "tree/widths.inc.h"
#include "base/levels.inc.h"

typedef int32_t moe_grower_t(const moe_training_t *, moe_workspace_t *, const moe_tree_t *);

/* Return the grower for the data set's kind of target, width of entries and instruction set. */
static inline moe_grower_t *moe_grower_loops(const moe_data_t *data)
{
    const int32_t level = data->level;
    if (data->target)
        return data->entry_width == 8 ? MOE_AT(level, moe_regressor_grow_8) : MOE_AT(level, moe_regressor_grow_4);
    return data->entry_width == 8 ? MOE_AT(level, moe_classifier_grow_8) : MOE_AT(level, moe_classifier_grow_4);
}

/* Grow a classification tree, or a regression tree if the data set has a target (then no feature is counted). Returns
 * the number of nodes; node 0 is the root. Depth-first, left child first; the children of a node have neighbouring
 * numbers. O(k n_train depth). */
static inline int32_t moe_grower_grow(const moe_training_t *training, moe_workspace_t *work,
                                      const moe_tree_t *tree /* its arrays are OUT */)
{
    return moe_grower_loops(training->data)(training, work, tree);
}

/* Grow the same trees as moe_grower_grow would for each member's features. Classification trees count in work->hits the
 * samples that they label correctly, or answer (work->answers); regression trees answer. */
static inline void moe_grower_batch(const moe_batch_t *batch, moe_batch_work_t *work)
{
    const int32_t level = batch->data->level;
    if (batch->data->target)
        (batch->data->entry_width == 8 ? MOE_AT(level, moe_regressors_grow_8)
                                       : MOE_AT(level, moe_regressors_grow_4))(batch, work);
    else
        (batch->data->entry_width == 8 ? MOE_AT(level, moe_batch_grow_8)
                                       : MOE_AT(level, moe_batch_grow_4))(batch, work);
}

#endif
