/* ridge: the judges RidgeClassifier, Ridge and LinearRegression.
 *
 * whole: fit_intercept, whether classes are balanced. real: alpha (0 for LinearRegression), tol of LinearRegression.
 * priors: a weight for each class, or NULL; rows may have weights too, but not beside balanced classes.
 * Answers of a classifier are decision values, one class against the others. O(n k^2 + k^3), or O(n^2 k + n^3) where
 * there are more features than rows; leave-one-out costs twice as much, with balanced classes this for each class.
 * Leave-one-out requires alpha > 0, weights > 0 and rows that are not scaled.
 */
#ifndef MOE_LINEAR_RIDGE_H
#define MOE_LINEAR_RIDGE_H

#include "linear/solver.h"

#define MOE_RIDGE_SAFE 0x1p300 /* squares of numbers from its inverse up to it are well within float64 */

/* Workspace of a task; width = min(n, k) columns of the reduced rows. */
typedef struct {
    double *weights, *roots;     /* [n] weights of the rows; their square roots */
    double *means, *intercepts;  /* [n_classes] means of the targets; scratch */
    moe_matrix_t targets, residuals; /* [n, n_classes] */
    moe_matrix_t gram, vectors;  /* [width, width] Gram matrix or its Cholesky factor; right singular vectors */
    moe_matrix_t solution, step; /* [width, n_classes] coefficients of the reduced rows; a refinement of them */
    moe_matrix_t sums;           /* [n_classes + 1, width] sums of the rows of each class, and of all */
    moe_matrix_t augmented;      /* [n, width + n_classes] rows with their targets, for the SVD */
    double *values;              /* [width] singular values */
    double *work;                /* [2 * augmented.stride] scratch of the SVD */
    int32_t *pivots;             /* [width] column permutation of the SVD */
    int32_t *counts;             /* [n_classes] training rows */
} moe_ridge_t;

/* Lay the buffers of the linear system of rows with `width` columns, behind byte *at. */
static inline void moe_ridge_lay_system(uint8_t *buffer, const moe_judges_task_t *task, int64_t width, int64_t *at,
                                        moe_ridge_t *work /* OUT */)
{
    const int64_t n = task->n_learn, c = task->n_classes;
    work->weights = moe_solver_matrix(buffer, 1, n, at).cells;
    work->roots = moe_solver_matrix(buffer, 1, n, at).cells;
    work->means = moe_solver_matrix(buffer, 1, c, at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, at).cells;
    work->targets = moe_solver_matrix(buffer, n, c, at);
    work->gram = moe_solver_matrix(buffer, width, width, at);
    work->solution = moe_solver_matrix(buffer, width, c, at);
    work->sums = moe_solver_matrix(buffer, c + 1, width, at);
    work->counts = moe_buffers_next(buffer, c * 4, at);
}

static inline int64_t moe_ridge_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows, moe_ridge_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, width = n < k ? n : k, c = task->n_classes;
    const int64_t joined = moe_base_round_up(width, 8) + moe_base_round_up(c, 8);
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    moe_ridge_lay_system(buffer, task, width, &at, work);
    work->residuals = moe_solver_matrix(buffer, n, c, &at);
    work->vectors = moe_solver_matrix(buffer, width, width, &at);
    work->step = moe_solver_matrix(buffer, width, c, &at);
    work->augmented = moe_solver_matrix(buffer, n, joined, &at);
    work->values = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->work = moe_solver_matrix(buffer, 2, joined, &at).cells;
    work->pivots = moe_buffers_next(buffer, width * 4, &at);
    return at;
}

static inline int64_t moe_ridge_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_ridge_t work;
    (void)plan;
    return moe_ridge_lay(NULL, task, &rows, &work);
}

/* What many subsets of the features of a task share: centred rows X, the Gram matrix X' X, and X' targets. */
typedef struct {
    moe_rows_t rows;
    moe_ridge_t work; /* only gram, solution (X' targets), means and counts */
} moe_ridge_shared_t;

/* Lay it over `buffer` and return its size in bytes; with NULL only the size. `task` has all these features. */
static inline int64_t moe_ridge_lay_shared(uint8_t *buffer, const moe_judges_task_t *task, moe_ridge_shared_t *shared)
{
    const int64_t n = task->n_learn, k = task->n_features;
    moe_rows_t *rows = &shared->rows;
    int64_t at = 0;
    rows->n = task->n_learn;
    rows->k = rows->width = task->n_features;
    rows->constant = 0.0;
    rows->poll = task->poll;
    rows->x = rows->reduced = moe_solver_matrix(buffer, n, k, &at);
    rows->centre = moe_solver_matrix(buffer, 1, k, &at).cells;
    rows->squares = moe_solver_matrix(buffer, 1, k, &at).cells;
    rows->sums = moe_solver_matrix(buffer, 1, k, &at).cells;
    moe_ridge_lay_system(buffer, task, k, &at, &shared->work);
    return at;
}

#define MOE_TEMPLATE "linear/ridge.inc.h"
#include "base/levels.inc.h"

static inline void moe_ridge_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                     double *answers)
{
    MOE_AT(plan->level, moe_ridge_answers)(plan, task, work, answers);
}

/* Compute it, and centre task->ask. Requires alpha > 0, not for leave-one-out. O(n k^2). */
static inline void moe_ridge_learn_shared(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_ridge_shared_t *shared /* contents OUT */)
{
    MOE_AT(plan->level, moe_ridge_learn_shared)(plan, task, shared);
}

/* Write what moe_ridge_answers would for the subset of k <= n_learn features that are the columns `columns` of `asked`;
 * task->ask is scratch. Return 0, without answers, if the system is nearly singular. O(k^3 + k n_ask n_classes). */
static inline int moe_ridge_answer_subset(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_ridge_shared_t *shared, const double *asked /* [., n_ask] */,
                                          const int32_t *columns /* [k], ascending */, uint8_t *work, double *answers)
{
    return MOE_AT(plan->level, moe_ridge_answer_subset)(plan, task, shared, asked, columns, work, answers);
}

#endif
