/* svm: the judge LinearSVC with the squared hinge, at the optimum.
 *
 * whole: fit_intercept, whether classes are balanced. real: C, intercept_scaling. priors: a weight for each class, or
 * NULL; rows may have weights too, but not beside balanced classes. The intercept is a coefficient of a constant
 * column, with a penalty; of more than two classes each is separated from the others, whose rows have the weight 1, both as in
 * liblinear.
 * Answers are decision values. Newton's steps until rows stop to enter or leave the margin, at most 100 a class: each
 * O(n k^2 + k^3), less where few rows do; with n in the place of k where there are more features than rows.
 * S. S. Keerthi and D. DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs (2005).
 */
#ifndef MOE_LINEAR_SVM_H
#define MOE_LINEAR_SVM_H

#include "linear/solver.h"

typedef struct {
    double *sign, *cost, *decision, *moved, *pull; /* [n] */
    double *theta, *next, *gradient;               /* [width] */
    double *intercepts;                            /* [n_classes] */
    uint8_t *inside;                               /* [n] rows in the margin of work->sums */
    int32_t *counts;                               /* [n_classes] */
    moe_matrix_t changed, weighed;                 /* [n, width] rows that enter or leave */
    moe_matrix_t turned;                           /* [width, n] */
    moe_matrix_t sums, gram;                       /* [width, width] */
    moe_matrix_t step;                             /* [width, 1] */
    moe_matrix_t solution;                         /* [width, n_classes] */
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
    work->moved = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->pull = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->theta = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->next = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->gradient = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->inside = moe_buffers_next(buffer, n, &at);
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->changed = moe_solver_matrix(buffer, n, width, &at);
    work->weighed = moe_solver_matrix(buffer, n, width, &at);
    work->turned = moe_solver_matrix(buffer, width, n, &at);
    work->sums = moe_solver_matrix(buffer, width, width, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
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
