/* grower: grow the trees of a forest, each by one thread. */
#ifndef MOE_FOREST_GROWER_H
#define MOE_FOREST_GROWER_H

#include <math.h>

#include "base/poll.h"
#include "forest/draws.h"
#include "tree/gini.h"
#include "tree/node.h"
#include "tree/variance.h"

#define MOE_TEMPLATE "forest/grower.inc.h"
#include "base/levels.inc.h"

/* Grow tree `number` of a forest, depth-first, left child first; node 0 is the root. O(n_tried n_samples depth). If the
 * poll stops it, the tree is incomplete and unusable. */
static inline void moe_forest_grow(const moe_forest_plan_t *plan, uint32_t number, moe_poll_t *poll /* or NULL */,
                                   moe_forest_work_t *work,
                                   moe_forest_tree_t *tree /* its arrays are OUT; `drawn` is 0 before */)
{
    MOE_AT(plan->data->level, moe_grower_tree)(plan, number, poll, work, tree);
}

/* Write the value of each sample in one feature: the upper edge of its code; NaN = missing. */
static inline void moe_forest_values(const moe_data_t *data, int64_t feature, void *values /* row OUT */)
{
    const int32_t missing_code = moe_bins_missing(data, feature);
    for (int64_t s = 0; s < data->n_samples; s++) {
        const int32_t code = (int32_t)moe_bins_code(data, feature, s);
        const double value = code == missing_code ? NAN
                                                  : moe_bins_edge(data, data->upper, data->offset[feature] + code);
        if (data->value_width == 4)
            ((float *)values)[feature * data->n_samples + s] = (float)value;
        else
            ((double *)values)[feature * data->n_samples + s] = value;
    }
}

/* Add to each importance the feature's fraction of the total gain of a tree; `own` is 0 before and after. */
static inline void moe_forest_importances(const moe_forest_tree_t *tree, double *own /* workspace [n_features] */,
                                          double *importances /* IN and OUT [n_features] */)
{
    double total = 0.0;
    for (int32_t i = 0; i < tree->n_nodes; i++) {
        if (tree->nodes[i].feature < 0) continue;
        own[tree->nodes[i].feature] += tree->gains[i];
        total += tree->gains[i];
    }
    for (int32_t i = 0; i < tree->n_nodes; i++) {
        const int32_t feature = tree->nodes[i].feature;
        if (feature < 0) continue;
        if (total > 0.0) importances[feature] += own[feature] / total; /* own[feature] is 0 from its second node on */
        own[feature] = 0.0;
    }
}

#endif
