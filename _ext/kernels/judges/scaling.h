/* scaling: features as StandardScaler and MinMaxScaler of scikit-learn scale them.
 *
 * Sums go over MOE_SCALING_LANES running sums, whatever the instruction set. What is learnt from all rows but one
 * takes that row out of the sums; where little would be left of them they are summed again without it.
 */
#ifndef MOE_JUDGES_SCALING_H
#define MOE_JUDGES_SCALING_H

#include <math.h>

#include "judges/types.h"

#define MOE_SCALING_LANES 8
#define MOE_SCALING_LEFT 0.01 /* less of a sum of squares than that is summed again */
#define MOE_SCALING_EPSILON 0x1p-52

/* Mean, and sum of the squared distances from it. */
typedef struct {
    double mean;
    double square;
} moe_scaling_moments_t;

#define MOE_TEMPLATE "judges/scaling.inc.h"
#include "base/levels.inc.h"

/* Scale the rows to learn from and those to answer for, in place, by what is learnt from the first. O(k n). */
static inline void moe_scaling_apply(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    MOE_AT(plan->level, moe_scaling_apply)(plan->scaling, task);
}

#endif
