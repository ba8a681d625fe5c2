/* discriminant: the judge LinearDiscriminantAnalysis.
 *
 * whole[0]: solver and kind of shrinkage, one of MOE_DISCRIMINANT_...; whole[1]: whether the svd solver divides by
 * n - n_classes, as scikit-learn did before 1.9, instead of n. real: shrinkage, tol of the svd solver. Priors are the
 * relative frequencies of the classes. Answers are probabilities. O(n k^2 + k^3), or O(n^2 k + n^3) where there are
 * more features than rows; a nearly singular scatter costs some 40 k^3 more (Jacobi's rotations). Leave-one-out costs
 * O(n k C) more, with a given shrinkage also 40 k^3; a row is predicted by learning anew if the scatter without it is
 * singular, or nearly so. Leave-one-out does not support MOE_DISCRIMINANT_AUTO, and with a given shrinkage it requires
 * rows that are not scaled: only the svd solver is independent of the scale.
 */
#ifndef MOE_LINEAR_DISCRIMINANT_H
#define MOE_LINEAR_DISCRIMINANT_H

#include "linear/solver.h"

#define MOE_DISCRIMINANT_SVD 0
#define MOE_DISCRIMINANT_LSQR 1   /* a given shrinkage, or none */
#define MOE_DISCRIMINANT_AUTO 2   /* lsqr, with the shrinkage of O. Ledoit and M. Wolf (2004) for each class */

/* Workspace of a task; width = min(n, k) columns of the reduced rows. */
typedef struct {
    int32_t *counts, *pivots;   /* [n_classes] training rows; [width] column permutation of the SVD */
    int32_t *n_present;         /* [1] classes that have training rows */
    double *intercepts;         /* [n_classes] */
    double *shrinkages;         /* [n_classes] */
    double *margin;             /* [1] share of the scatter that must remain; < 1: no singular value is cut */
    double *scale, *diagonal, *weighed; /* [k] scale of each feature; shrunk variances, or scratch; scratch */
    double *values, *work;      /* [width] singular values; [2 * width] scratch */
    moe_matrix_t means;         /* [n_classes, k] class means of the reduced rows */
    moe_matrix_t within;        /* [n, k] deviations of the rows from the means of their classes */
    moe_matrix_t rotated;       /* [n, width] rows for the SVD, which rotates them; leave-one-out: on diagonal axes */
    moe_matrix_t gram, vectors; /* [width, width] Gram matrix or its Cholesky factor; right singular vectors */
    moe_matrix_t between, axes; /* [n_classes, width] weighted class means; axes of the space between classes */
    moe_matrix_t solution, whitened; /* [width, n_classes] coefficients; the same along `vectors` */
    moe_matrix_t residuals;     /* [width, n_classes] class means outside the space of `vectors` */
    moe_matrix_t transposed;    /* [k, n] rows of a class */
    double *weights;            /* [n] */
} moe_discriminant_t;

/* Task and workspace for learning anew without one row. */
typedef struct {
    moe_judges_task_t task;
    double *learn, *ask; /* [n_features, n - 1] the other rows, [n_features] the row */
    int32_t *labels;     /* [n - 1] */
    uint8_t *work;
} moe_discriminant_refit_t;

static inline int64_t moe_discriminant_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows,
                                           moe_discriminant_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, width = n < k ? n : k, c = task->n_classes;
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->pivots = moe_buffers_next(buffer, width * 4, &at);
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->shrinkages = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->scale = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->weighed = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->margin = moe_solver_matrix(buffer, 1, 1, &at).cells;
    work->n_present = moe_buffers_next(buffer, 4, &at);
    work->diagonal = moe_solver_matrix(buffer, 1, k, &at).cells;
    work->values = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->work = moe_solver_matrix(buffer, 2, width, &at).cells;
    work->means = moe_solver_matrix(buffer, c, k, &at);
    work->within = moe_solver_matrix(buffer, n, k, &at);
    work->rotated = moe_solver_matrix(buffer, n, width, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
    work->vectors = moe_solver_matrix(buffer, width, width, &at);
    work->between = moe_solver_matrix(buffer, c, width, &at);
    work->axes = moe_solver_matrix(buffer, c, width, &at);
    work->solution = moe_solver_matrix(buffer, width, c, &at);
    work->whitened = moe_solver_matrix(buffer, width, c, &at);
    work->residuals = moe_solver_matrix(buffer, width, c, &at);
    work->transposed = moe_solver_matrix(buffer, k, n, &at);
    work->weights = moe_solver_matrix(buffer, 1, n, &at).cells;
    return at;
}

static inline int64_t moe_discriminant_lay_refit(uint8_t *buffer, const moe_judges_task_t *task,
                                                 moe_discriminant_refit_t *refit)
{
    const int64_t n = task->n_learn, k = task->n_features;
    moe_rows_t rows;
    moe_discriminant_t work;
    int64_t at = 0;
    refit->learn = moe_solver_matrix(buffer, k, n, &at).cells;
    refit->ask = moe_solver_matrix(buffer, 1, k, &at).cells;
    refit->labels = moe_buffers_next(buffer, n * 4, &at);
    refit->task = *task;
    refit->task.n_learn--;
    refit->task.n_ask = 1;
    refit->task.learn = refit->learn;
    refit->task.ask = refit->ask;
    refit->task.labels = refit->labels;
    refit->work = moe_buffers_next(buffer, moe_discriminant_lay(NULL, task, &rows, &work), &at);
    return at;
}

static inline int64_t moe_discriminant_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_discriminant_t work;
    moe_discriminant_refit_t refit;
    const int64_t size = moe_discriminant_lay(NULL, task, &rows, &work);
    return plan->leave_one_out ? size + moe_discriminant_lay_refit(NULL, task, &refit) : size;
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
