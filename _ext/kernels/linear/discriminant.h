/* discriminant: the judge LinearDiscriminantAnalysis.
 *
 * whole: solver and shrinkage, one of MOE_DISCRIMINANT_...; whether the svd solver divides by n - n_classes, as
 * scikit-learn's did before 1.9, instead of n. real: shrinkage, tol of the svd solver. Priors are the classes' shares.
 * Answers are probabilities. O(n k^2 + k^3), or O(n^2 k + n^3) where there are more features than rows; what is nearly
 * singular costs some 40 k^3 more (Jacobi's rotations). Leaving each row out costs O(n k C) more, with a given
 * shrinkage 40 k^3 too; rows without which what is left is singular, or nearly so, are answered for by learning anew.
 * Leave-one-out is not for MOE_DISCRIMINANT_AUTO, and with a given shrinkage for rows that are not scaled: the svd
 * solver does not depend on the scale.
 */
#ifndef MOE_LINEAR_DISCRIMINANT_H
#define MOE_LINEAR_DISCRIMINANT_H

#include "linear/solver.h"

#define MOE_DISCRIMINANT_SVD 0
#define MOE_DISCRIMINANT_LSQR 1   /* no shrinkage, or the one that is given */
#define MOE_DISCRIMINANT_AUTO 2   /* lsqr, shrunk as O. Ledoit and M. Wolf have it (2004), class by class */

typedef struct {
    int32_t *counts, *chosen;  /* [n_classes], [width] */
    int32_t *n_present;        /* [1] classes that have rows */
    double *offsets, *shrunk;  /* [n_classes] */
    double *least;             /* [1] below 1: no singular value is cut; so much of the scatter has to stay */
    double *scale, *diagonal, *apart; /* [k] */
    double *values, *work;     /* [width], [2 * width] */
    moe_matrix_t means;        /* [n_classes, k] of the rows that are solved for */
    moe_matrix_t within;       /* [n, k], rows without the means of their classes */
    moe_matrix_t joined;       /* [n, width] */
    moe_matrix_t gram, vectors; /* [width, width] */
    moe_matrix_t between, axes; /* [n_classes, width] */
    moe_matrix_t solution, whitened, rest; /* [width, n_classes] */
    moe_matrix_t turned;       /* [k, n] of the rows of a class */
    double *weights;           /* [n] */
} moe_discriminant_t;

/* What stands ready to learn without one row. */
typedef struct {
    moe_judges_task_t task;
    double *learn, *ask; /* [n_features, n - 1], [n_features] */
    int32_t *labels;     /* [n - 1] */
    uint8_t *work;
} moe_discriminant_rest_t;

static inline int64_t moe_discriminant_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows,
                                           moe_discriminant_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, width = n < k ? n : k, c = task->n_classes;
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->chosen = moe_buffers_next(buffer, width * 4, &at);
    work->offsets = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->shrunk = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->scale = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->apart = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->least = moe_solver_matrix(buffer, 1, 1, &at).cells;
    work->n_present = moe_buffers_next(buffer, 4, &at);
    work->diagonal = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->values = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->work = moe_solver_matrix(buffer, 2, width, &at).cells;
    work->means = moe_solver_matrix(buffer, c, k, &at);
    work->within = moe_solver_matrix(buffer, n, k, &at);
    work->joined = moe_solver_matrix(buffer, n, width, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
    work->vectors = moe_solver_matrix(buffer, width, width, &at);
    work->between = moe_solver_matrix(buffer, c, width, &at);
    work->axes = moe_solver_matrix(buffer, c, width, &at);
    work->solution = moe_solver_matrix(buffer, width, c, &at);
    work->whitened = moe_solver_matrix(buffer, width, c, &at);
    work->rest = moe_solver_matrix(buffer, width, c, &at);
    work->turned = moe_solver_matrix(buffer, k, n, &at);
    work->weights = moe_solver_matrix(buffer, 1, n, &at).cells;
    return at;
}

static inline int64_t moe_discriminant_lay_rest(uint8_t *buffer, const moe_judges_task_t *task,
                                                moe_discriminant_rest_t *rest)
{
    const int64_t n = task->n_learn, k = task->n_features;
    moe_rows_t rows;
    moe_discriminant_t work;
    int64_t at = 0;
    rest->learn = moe_solver_matrix(buffer, k, n, &at).cells;
    rest->ask = moe_solver_matrix(buffer, 1, k, &at).cells;
    rest->labels = moe_buffers_next(buffer, n * 4, &at);
    rest->task = *task;
    rest->task.n_learn--;
    rest->task.n_ask = 1;
    rest->task.learn = rest->learn;
    rest->task.ask = rest->ask;
    rest->task.labels = rest->labels;
    rest->work = moe_buffers_next(buffer, moe_discriminant_lay(NULL, task, &rows, &work), &at);
    return at;
}

static inline int64_t moe_discriminant_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_discriminant_t work;
    moe_discriminant_rest_t rest;
    const int64_t size = moe_discriminant_lay(NULL, task, &rows, &work);
    return plan->leave_one_out ? size + moe_discriminant_lay_rest(NULL, task, &rest) : size;
}

#define MOE_TEMPLATE "linear/discriminant.inc.h"
#include "base/levels.inc.h"
#define MOE_TEMPLATE "linear/without.inc.h"
#include "base/levels.inc.h"

static inline void moe_discriminant_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                            double *answers)
{
    MOE_AT(plan->level, moe_without_answers)(plan, task, work, answers);
}

#endif
