/* logistic: the judge LogisticRegression.
 *
 * whole: fit_intercept, whether classes are balanced, max_iter. real: C, tol. priors: a weight for each class, or NULL;
 * rows may have weights too, but not beside balanced classes. Answers are probabilities.
 * Minimise sum_i w_i (log sum_l exp z_il - z_i,own) + |theta|^2 / (2 C), with logits z = design theta, by
 * limited-memory BFGS from theta = 0, in at most max_iter steps. Stop as scikit-learn's lbfgs, when no entry of the
 * gradient of the mean loss is above tol (with more features than rows: when its length is not), or when rounding
 * prevents progress. The initial Hessian H0 comes from the rows, at steps 0, 4, 16, ..: for up to MOE_LOGISTIC_BLOCKED
 * features a block for each logit, for more the mean of the blocks. With it, a third of the gradients is needed. A
 * gradient costs O(n k C), with more features than rows O(n^2 C).
 * J. Nocedal and S. J. Wright, Numerical Optimization, second edition (2006), algorithm 7.4.
 */
#ifndef MOE_LINEAR_LOGISTIC_H
#define MOE_LINEAR_LOGISTIC_H

#include "linear/solver.h"

#define MOE_LOGISTIC_TILE MOE_PRODUCT_ROWS /* rows whose probabilities are computed together */
#define MOE_LOGISTIC_STRIDE (MOE_LOGISTIC_TILE + 8) /* of a logit's tile: not 2^i, to avoid cache conflicts */
#define MOE_LOGISTIC_GROUP 16 /* rows whose decision values are computed together */
#define MOE_LOGISTIC_PAIRS 10 /* pairs (s, y) that are stored, as many as in scipy's L-BFGS-B */
#define MOE_LOGISTIC_STALLED 100 /* steps without a lower loss or gradient: only rounding moves them */
#define MOE_LOGISTIC_BLOCKED 32 /* most features with a block for each logit: these cost about eight gradients */

/* Workspace of a task. */
typedef struct {
    double *weights;                /* [n + GROUP] weight of each row; 0 from n on */
    int32_t *counts, *logit;        /* [n_classes] training rows; the logit of a class, -1: none */
    double *intercepts;             /* [n_classes] */
    int32_t n_logits;               /* 1 for two classes */
    int32_t width;                  /* coefficients of a logit, with the intercept */
    int32_t n_penalised;            /* coefficients before the intercept */
    int32_t n_pairs, newest;        /* number of stored pairs, and the position of the newest */
    int by_blocks;                  /* 1: H0 has a block for each logit; 0: one mean block */
    double gamma;                   /* scale of H0^-1: s' y / y' H0^-1 y of the newest pair */
    moe_matrix_t design;            /* [n, width] centred, reduced rows and the constant 1 */
    moe_matrix_t groups;            /* [groups of rows, width, GROUP] the same, transposed */
    moe_matrix_t prob;              /* [n_logits, TILE] decision values, then probabilities, then weighted errors */
    double *own, *most, *total, *losses; /* [TILE] decision value of the own class, largest one, sum of exp, loss */
    moe_matrix_t weighed;           /* [TILE, width] weighted rows */
    moe_matrix_t gram;              /* [width, width] mean block, or its Cholesky factor */
    moe_matrix_t blocks;            /* [n_logits, width * width] blocks of H0 */
    moe_matrix_t factors;           /* [width * width, n_logits] their factors */
    moe_matrix_t theta, gradient;   /* [n_logits, width] coefficients, and gradient of the loss at them */
    moe_matrix_t next, next_gradient; /* [n_logits, width] the same of the next step */
    moe_matrix_t step, q;           /* [n_logits, width] direction of the step; vector q of algorithm 7.4, or scratch */
    moe_matrix_t h0_gradient;       /* [n_logits, width] H0^-1 gradient */
    moe_matrix_t s, y;              /* [PAIRS, n_logits * theta.stride] differences of coefficients, of gradients */
    moe_matrix_t h0_y;              /* likewise, H0^-1 y */
    double s_dot_y[MOE_LOGISTIC_PAIRS]; /* s' y of each pair */
    moe_matrix_t transposed;        /* [width, n_logits] scratch of moe_hessian_solve */
    moe_matrix_t solution;          /* [width, n_classes] coefficients of each class */
    moe_poll_t *poll;                 /* or NULL */
} moe_logistic_t;

static inline int64_t moe_logistic_lay(uint8_t *buffer, const moe_judges_task_t *task, moe_rows_t *rows,
                                       moe_logistic_t *work)
{
    const int64_t n = task->n_learn, c = task->n_classes, n_groups = (n + MOE_LOGISTIC_GROUP - 1) / MOE_LOGISTIC_GROUP;
    int64_t at = 0;
    moe_solver_lay(buffer, task, 0.0, &at, rows);
    work->poll = task->poll;
    const int64_t width = (int64_t)rows->width + 1,
                  few = width < MOE_LOGISTIC_BLOCKED + 1 ? width : MOE_LOGISTIC_BLOCKED + 1;
    work->weights = moe_solver_matrix(buffer, 1, n + MOE_LOGISTIC_GROUP, &at).cells;
    work->intercepts = moe_solver_matrix(buffer, 1, c, &at).cells;
    work->counts = moe_buffers_next(buffer, c * 4, &at);
    work->logit = moe_buffers_next(buffer, c * 4, &at);
    work->design = moe_solver_matrix(buffer, n, width, &at);
    work->groups = moe_solver_matrix(buffer, n_groups * width, MOE_LOGISTIC_GROUP, &at);
    work->prob = moe_solver_matrix(buffer, c, MOE_LOGISTIC_STRIDE, &at);
    work->own = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->most = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->total = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->losses = moe_solver_matrix(buffer, 1, MOE_LOGISTIC_TILE, &at).cells;
    work->weighed = moe_solver_matrix(buffer, MOE_LOGISTIC_TILE, width, &at);
    work->gram = moe_solver_matrix(buffer, width, width, &at);
    work->blocks = moe_solver_matrix(buffer, c * few, few, &at);
    work->factors = moe_solver_matrix(buffer, few * few, c, &at);
    work->theta = moe_solver_matrix(buffer, c, width, &at);
    work->gradient = moe_solver_matrix(buffer, c, width, &at);
    work->next = moe_solver_matrix(buffer, c, width, &at);
    work->next_gradient = moe_solver_matrix(buffer, c, width, &at);
    work->step = moe_solver_matrix(buffer, c, width, &at);
    work->q = moe_solver_matrix(buffer, c, width, &at);
    work->h0_gradient = moe_solver_matrix(buffer, c, width, &at);
    work->s = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->y = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->h0_y = moe_solver_matrix(buffer, MOE_LOGISTIC_PAIRS, c * work->theta.stride, &at);
    work->transposed = moe_solver_matrix(buffer, width, c, &at);
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
