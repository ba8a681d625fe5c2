/* ridge: the judges RidgeClassifier, Ridge and LinearRegression.
 *
 * whole: fit_intercept, whether classes are balanced. real: alpha (0 for LinearRegression), tol of LinearRegression.
 * priors: a weight for each class, or NULL; rows may have weights too, but not beside balanced classes.
 * Answers of a classifier are decision values, one class against the others. O(n k^2 + k^3), or O(n^2 k + n^3) where
 * there are more features than rows; leaving each row out costs once more as much, with balanced classes as often as
 * there are classes. Leave-one-out is for alpha > 0, weights above 0 and rows that are not scaled.
 */
#ifndef MOE_LINEAR_RIDGE_H
#define MOE_LINEAR_RIDGE_H

#include "linear/solver.h"

#define MOE_RIDGE_FAR 0x1p300 /* up to it and down to its inverse, squares are far from the ends of float64 */

typedef struct {
    double *weights, *roots;     /* [n] */
    double *means, *intercepts;  /* [n_classes] of the targets; workspace */
    moe_matrix_t targets, rest;  /* [n, n_classes] */
    moe_matrix_t gram, vectors;  /* [width, width] */
    moe_matrix_t solution, step; /* [width, n_classes] */
    moe_matrix_t sums;           /* [n_classes and 1, width] rows of each class, and of all */
    moe_matrix_t joined;         /* [n, width and n_classes] */
    double *values;              /* [width] */
    double *work;                /* [2 * joined.stride] */
    int32_t *chosen;             /* [width] */
    int32_t *counts;             /* [n_classes] */
} moe_ridge_t;

/* What is learnt of rows of `width` columns, behind byte *at. */
static inline void moe_ridge_lay_learnt(uint8_t *buffer, const moe_judges_task_t *task, int64_t width, int64_t *at,
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
    moe_ridge_lay_learnt(buffer, task, width, &at, work);
    work->rest = moe_solver_matrix(buffer, n, c, &at);
    work->vectors = moe_solver_matrix(buffer, width, width, &at);
    work->step = moe_solver_matrix(buffer, width, c, &at);
    work->joined = moe_solver_matrix(buffer, n, joined, &at);
    work->values = moe_solver_matrix(buffer, 1, width, &at).cells;
    work->work = moe_solver_matrix(buffer, 2, joined, &at).cells;
    work->chosen = moe_buffers_next(buffer, width * 4, &at);
    return at;
}

static inline int64_t moe_ridge_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_rows_t rows;
    moe_ridge_t work;
    (void)plan;
    return moe_ridge_lay(NULL, task, &rows, &work);
}

/* What is made once for many subsets of the features of a task: centred rows, their products, those with targets. */
typedef struct {
    moe_rows_t rows;
    moe_ridge_t work; /* gram, solution (rows' targets), means and counts of it */
} moe_ridge_all_t;

/* Lay it over `buffer` and return its size in bytes; with NULL only the size. `task` has all features. */
static inline int64_t moe_ridge_lay_all(uint8_t *buffer, const moe_judges_task_t *task, moe_ridge_all_t *all)
{
    const int64_t n = task->n_learn, k = task->n_features;
    moe_rows_t *rows = &all->rows;
    int64_t at = 0;
    rows->n = task->n_learn;
    rows->k = rows->width = task->n_features;
    rows->constant = 0.0;
    rows->ear = task->ear;
    rows->own = rows->solved = moe_solver_matrix(buffer, n, k, &at);
    rows->centre = moe_solver_matrix(buffer, 1, k, &at).cells;
    rows->squares = moe_solver_matrix(buffer, 1, k, &at).cells;
    rows->sums = moe_solver_matrix(buffer, 1, k, &at).cells;
    moe_ridge_lay_learnt(buffer, task, k, &at, &all->work);
    return at;
}

#define MOE_TEMPLATE "linear/ridge.inc.h"
#include "base/levels.inc.h"

static inline void moe_ridge_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                     double *answers)
{
    MOE_AT(plan->level, moe_ridge_answers)(plan, task, work, answers);
}

/* Make it; task->ask is centred, too. For ridge of alpha > 0 on other rows than are learnt from. O(n k^2). */
static inline void moe_ridge_make(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                  const moe_ridge_all_t *all /* is OUT */)
{
    MOE_AT(plan->level, moe_ridge_make)(plan, task, all);
}

/* What moe_ridge_answers says of a subset of at most n_learn features, the columns at `places` of `asked`; task->ask is
 * scratch. Returns 0 if it does not: what there is to solve is nearly singular. O(k^3 + k n_ask n_classes). */
static inline int moe_ridge_take(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                 const moe_ridge_all_t *all, const double *asked /* [., n_ask] */,
                                 const int32_t *places /* [k], ascending */, uint8_t *work, double *answers)
{
    return MOE_AT(plan->level, moe_ridge_take)(plan, task, all, asked, places, work, answers);
}

#endif
