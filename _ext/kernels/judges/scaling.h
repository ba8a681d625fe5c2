/* scaling: features as StandardScaler and MinMaxScaler of scikit-learn scale them.
 *
 * Sums go over MOE_SCALING_LANES running sums, whatever the instruction set. Moments of all rows but one are made by
 * subtracting that row from the sums; where this would cancel most of a sum, it is computed anew without the row.
 */
#ifndef MOE_JUDGES_SCALING_H
#define MOE_JUDGES_SCALING_H

#include <math.h>

#include "judges/types.h"

#define MOE_SCALING_LANES 8
#define MOE_SCALING_CANCELLED 0.01 /* smaller remaining fractions of a sum of squares are computed anew */
#define MOE_SCALING_EPSILON 0x1p-52 /* machine precision of a double */

/* Mean, and sum of the squared deviations from it. */
typedef struct {
    double mean;
    double square;
} moe_scaling_moments_t;

#define MOE_TEMPLATE "judges/scaling.inc.h"
#include "base/levels.inc.h"

/* Scale the training rows and the rows to predict in place, by the moments or ranges of the training rows. O(k n). */
static inline void moe_scaling_apply(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    MOE_AT(plan->level, moe_scaling_apply)(plan->scaling, task);
}

#endif
