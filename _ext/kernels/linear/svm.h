/* svm: the judge LinearSVC with the squared hinge, at the optimum.
 *
 * whole: fit_intercept, whether classes are balanced. real: C, intercept_scaling. priors: a weight for each class, or
 * NULL; rows may have weights too, but not beside balanced classes. Answers are decision values.
 * Minimise |theta|^2 / 2 + sum_i cost_i max(0, 1 - sign_i theta' x_i)^2. As in liblinear, the intercept is the
 * coefficient of a constant column and so has a penalty, and with more than two classes each one is separated from the
 * others, whose rows have weight 1. Take Newton steps until no row enters or leaves the margin, at most 100 a class:
 * each O(n k^2 + k^3), less where few rows do; with more features than rows n takes the place of k.
 * S. S. Keerthi and D. DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs (2005).
 */
#ifndef MOE_LINEAR_SVM_H
#define MOE_LINEAR_SVM_H

#include "linear/solver.h"

/* Workspace of a task; width = columns of the reduced rows. A row is in the margin if its slack is positive. */
typedef struct {
    double *sign, *cost, *decision, *decision_step; /* [n] 1 or -1; cost of an error; decision value, its step */
    double *pull;                                  /* [n] minus the derivative of the loss by the decision value */
    double *theta, *next, *gradient;               /* [width] coefficients, the next ones; gradient of the loss */
    double *intercepts;                            /* [n_classes] */
    uint8_t *inside;                               /* [n] 1: the row is in the margin, and in work->active_gram */
    int32_t *counts;                               /* [n_classes] training rows of weight > 0 */
    moe_matrix_t changed, weighed;                 /* [n, width] rows that enter or leave the margin; weighted ones */
    moe_matrix_t transposed;                       /* [width, n] rows */
    moe_matrix_t active_gram, hessian;             /* [width, width] sum of cost x x' in the margin; I + 2 of it */
    moe_matrix_t step;                             /* [width, 1] direction of the step */
    moe_matrix_t solution;                         /* [width, n_classes] coefficients of each class */
} moe_svm_t;

static inline int64_t moe_svm_lay(uint8_t *buffer, const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                  moe_rows_t *rows, moe_svm_t *work)
{
    const int64_t n = task->n_learn, c = task->n_classes;
    int64_t at = 0;
    moe_solver_lay(buffer, task, plan->whole[0] ? plan->real[1] : 0.0, &at, rows);
    const int64_t width = rows->width;
    work->sign = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->cost = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->decision = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->decision_step = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->pull = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->theta = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->next = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->gradient = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->inside = moe_buffers_next(buffer, n, &at);
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->changed = moe_solver_matrix(buffer, n, width, &at);
    work->weighed = moe_solver_matrix(buffer, n, width, &at);
    work->transposed = moe_solver_matrix(buffer, width, n, &at);
    work->active_gram = moe_solver_matrix(buffer, width, width, &at);
    work->hessian = moe_solver_matrix(buffer, width, width, &at);
    work->step = moe_solver_matrix(buffer, width, 1, &at);
    work->solution = moe_solver_matrix(buffer, width, c, &at);
    return at;
}

static inline int64_t moe_svm_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_svm_t work;
    return moe_svm_lay(NULL, plan, task, &rows, &work);
}

#define MOE_TEMPLATE "linear/svm.inc.h"
#include "base/levels.inc.h"

static inline void moe_svm_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                   double *answers)
{
    MOE_AT(plan->level, moe_svm_answers)(plan, task, work, answers);
}

#endif
