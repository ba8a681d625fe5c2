/* logistic: the judge LogisticRegression, at the optimum.
 *
 * whole: fit_intercept, whether classes are balanced. real: C. priors: a weight for each class, or NULL; rows may have
 * weights too, but not beside balanced classes.
 * Answers are probabilities. Newton's steps, at most 100, until decision values are expected to be within 1e-7 of the
 * optimum: their systems are solved by a factor for two classes, by conjugate gradients for more. A step costs
 * O(n k^2 + k^3), and for more than two classes O(n k C) for each gradient; with n in the place of k where there are
 * more features than rows.
 */
#ifndef MOE_LINEAR_LOGISTIC_H
#define MOE_LINEAR_LOGISTIC_H

#include "linear/solver.h"

typedef struct {
    double *weights;                /* [n] */
    double *scale;                  /* [n] workspace */
    int32_t *counts, *logit;        /* [n_classes] rows; the logit of a class, -1: none */
    double *intercepts;             /* [n_classes] */
    int32_t n_logits;               /* 1 for two classes */
    int32_t width;                  /* coefficients of a logit, with the intercept */
    int32_t n_penalised;            /* those before the intercept */
    moe_matrix_t design, weighed;   /* [n, width] */
    moe_matrix_t turned;            /* [width, n] */
    moe_matrix_t gram;              /* [width, width] */
    moe_matrix_t decision, chance, moved, trial, other; /* [n_logits, n] */
    moe_matrix_t errors;            /* [n, n_logits] */
    moe_matrix_t sums;              /* [n_logits, width] */
    moe_matrix_t theta, gradient, step, rest, direction, image, better; /* [width, n_logits] */
    moe_matrix_t solution;          /* [width, n_classes] */
} moe_logistic_t;

static inline int64_t moe_logistic_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows,
                                       moe_logistic_t *work)
{
    const int64_t n = task->n_learn, c = task->n_classes;
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    const int64_t width = (int64_t)rows->width + 1;
    work->weights = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->scale = moe_solver_matrix(buffer, 1, n, &at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->logit = moe_buffers_next(buffer, c * 4, &at);
    work->design = moe_solver_matrix(buffer, n, width, &at);
    work->weighed = moe_solver_matrix(buffer, n, width, &at);
    work->turned = moe_solver_matrix(buffer, width, n, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
    work->decision = moe_solver_matrix(buffer, c, n, &at);
    work->chance = moe_solver_matrix(buffer, c, n, &at);
    work->moved = moe_solver_matrix(buffer, c, n, &at);
    work->trial = moe_solver_matrix(buffer, c, n, &at);
    work->other = moe_solver_matrix(buffer, c, n, &at);
    work->errors = moe_solver_matrix(buffer, n, c, &at);
    work->sums = moe_solver_matrix(buffer, c, width, &at);
    work->theta = moe_solver_matrix(buffer, width, c, &at);
    work->gradient = moe_solver_matrix(buffer, width, c, &at);
    work->step = moe_solver_matrix(buffer, width, c, &at);
    work->rest = moe_solver_matrix(buffer, width, c, &at);
    work->direction = moe_solver_matrix(buffer, width, c, &at);
    work->image = moe_solver_matrix(buffer, width, c, &at);
    work->better = moe_solver_matrix(buffer, width, c, &at);
    work->solution = moe_solver_matrix(buffer, width, c, &at);
    return at;
}

static inline int64_t moe_logistic_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_logistic_t work;
    (void)plan;
    return moe_logistic_lay(NULL, task, &rows, &work);
}

#define MOE_TEMPLATE "linear/logistic.inc.h"
#include "base/levels.inc.h"

static inline void moe_logistic_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                        double *answers)
{
#if MOE_HAS_LEVELS
    if (plan->level == 4) {
        moe_logistic_answers_v4(plan, task, work, answers);
        return;
    }
    if (plan->level == 3) {
        moe_logistic_answers_v3(plan, task, work, answers);
        return;
    }
#endif
    moe_logistic_answers_v0(plan, task, work, answers);
}

#endif
