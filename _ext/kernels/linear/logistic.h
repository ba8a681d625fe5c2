/* logistic: the judge LogisticRegression.
 *
 * whole: fit_intercept, whether classes are balanced, max_iter. real: C, tol. priors: a weight for each class, or NULL;
 * rows may have weights too, but not beside balanced classes.
 * Answers are probabilities. Steps of limited-memory BFGS from 0 until no entry of the gradient of the mean loss is
 * above tol, as scikit-learn's lbfgs has it, or rounding lets it come no nearer, at most max_iter; where there are more
 * features than rows, until the length of the gradient is not above it. What is taken for the Hessian before any pair
 * is known comes from the rows, at steps 0, 4, 16, ..: of up to MOE_LOGISTIC_FEW features the block of each logit, of
 * more their mean. It leaves a third of the gradients. A gradient costs O(n k C), with n in the place of k where there
 * are more features than rows.
 * J. Nocedal and S. J. Wright, Numerical Optimization, second edition (2006), algorithm 7.4.
 */
#ifndef MOE_LINEAR_LOGISTIC_H
#define MOE_LINEAR_LOGISTIC_H

#include "linear/solver.h"

#define MOE_LOGISTIC_TILE MOE_PRODUCT_ROWS /* rows whose probabilities are computed together */
#define MOE_LOGISTIC_STRIDE (MOE_LOGISTIC_TILE + 8) /* of a logit's tile: not a power of two, which caches dislike */
#define MOE_LOGISTIC_GROUP 16 /* rows whose decision values are */
#define MOE_LOGISTIC_PAIRS 10 /* moves and changes that are remembered, as many as scipy's L-BFGS-B does */
#define MOE_LOGISTIC_IDLE 100 /* steps without a lower loss or gradient after which rounding is all that moves them */
#define MOE_LOGISTIC_FEW 32 /* features whose blocks cost at most about eight gradients */

typedef struct {
    double *weights;                /* [n, and a group] 0 behind n */
    int32_t *counts, *logit;        /* [n_classes] rows; the logit of a class, -1: none */
    double *intercepts;             /* [n_classes] */
    int32_t n_logits;               /* 1 for two classes */
    int32_t width;                  /* coefficients of a logit, with the intercept */
    int32_t n_penalised;            /* those before the intercept */
    int32_t n_pairs, newest;        /* pairs that there are, and the place of the last one */
    int by_blocks;                  /* whether each logit has its block of the Hessian, if there is one yet */
    double scale;                   /* of what is taken for the inverse Hessian */
    moe_matrix_t design;            /* [n, width] */
    moe_matrix_t groups;            /* [groups of rows, width, GROUP] */
    moe_matrix_t chance;            /* [n_logits, TILE] decision values, probabilities, errors */
    double *own, *most, *total, *losses; /* [TILE] */
    moe_matrix_t weighed;           /* [TILE, width] */
    moe_matrix_t gram;              /* [width, width] factor of the mean block */
    moe_matrix_t parts;             /* [n_logits, width * width] blocks */
    moe_matrix_t blocks;            /* [width * width, n_logits] their factors */
    moe_matrix_t theta, gradient, next, slope, step, rest; /* [n_logits, width] */
    moe_matrix_t image;             /* [n_logits, width] what stands for the inverse Hessian times the gradient */
    moe_matrix_t moves, changes;    /* [PAIRS, n_logits * theta.stride] of coefficients, of the gradient with them */
    moe_matrix_t images;            /* likewise, of the image */
    double products[MOE_LOGISTIC_PAIRS];
    moe_matrix_t turned;            /* [width, n_logits] */
    moe_matrix_t solution;          /* [width, n_classes] */
    moe_ear_t *ear;                 /* or NULL */
} moe_logistic_t;

static inline int64_t moe_logistic_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows,
                                       moe_logistic_t *work)
{
    const int64_t n = task->n_learn, c = task->n_classes, n_groups = (n + MOE_LOGISTIC_GROUP - 1) / MOE_LOGISTIC_GROUP;
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    work->ear = task->ear;
    const int64_t width = (int64_t)rows->width + 1, few = width < MOE_LOGISTIC_FEW + 1 ? width : MOE_LOGISTIC_FEW + 1;
    work->weights = moe_solver_matrix(buffer, 1, n + MOE_LOGISTIC_GROUP, &at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->logit = moe_buffers_next(buffer, c * 4, &at);
    work->design = moe_solver_matrix(buffer, n, width, &at);
    work->groups = moe_solver_matrix(buffer, n_groups * width, MOE_LOGISTIC_GROUP, &at);
    work->chance = moe_solver_matrix(buffer, c, MOE_LOGISTIC_STRIDE, &at);
    work->own = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->most = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->total = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->losses = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->weighed = moe_solver_matrix(buffer, MOE_LOGISTIC_TILE, width, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
    work->parts = moe_solver_matrix(buffer, c * few, few, &at);
    work->blocks = moe_solver_matrix(buffer, few * few, c, &at);
    work->theta = moe_solver_matrix(buffer, c, width, &at);
    work->gradient = moe_solver_matrix(buffer, c, width, &at);
    work->next = moe_solver_matrix(buffer, c, width, &at);
    work->slope = moe_solver_matrix(buffer, c, width, &at);
    work->step = moe_solver_matrix(buffer, c, width, &at);
    work->rest = moe_solver_matrix(buffer, c, width, &at);
    work->image = moe_solver_matrix(buffer, c, width, &at);
    work->moves = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->changes = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->images = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->turned = moe_solver_matrix(buffer, width, c, &at);
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

#define MOE_TEMPLATE "linear/hessian.inc.h"
#include "base/levels.inc.h"
#define MOE_TEMPLATE "linear/logistic.inc.h"
#include "base/levels.inc.h"

static inline void moe_logistic_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                        double *answers)
{
    MOE_AT(plan->level, moe_logistic_answers)(plan, task, work, answers);
}

#endif
