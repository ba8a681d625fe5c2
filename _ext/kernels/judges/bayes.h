/* bayes: Gaussian naive Bayes, GaussianNB of scikit-learn.
 *
 * log p(c | x) = log prior_c - 1/2 sum over features f of (log(2 pi v_cf) + (x_f - m_cf)^2 / v_cf) + constant, where
 * v_cf is the variance of class c plus epsilon = smoothing times the largest variance of any selected feature.
 * real[0] = smoothing > 0; priors = probabilities of the classes, or NULL: their frequencies in the training rows.
 * If no selected feature varies, all classes that occur get the same probability (scikit-learn's are NaN then, and it
 * also predicts the first class).
 *
 * Leave-one-out subtracts each row from the sums of its class and of all rows: O(k n C), with a logarithm for each
 * term. It requires rows without weights.
 */
#ifndef MOE_JUDGES_BAYES_H
#define MOE_JUDGES_BAYES_H

#include "base/buffers.h"
#include "base/elementary.h"
#include "judges/scaling.h"

#define MOE_BAYES_TILE 64 /* rows that are predicted together */
#define MOE_BAYES_LANES 8 /* features whose moments are summed together */
#define MOE_BAYES_REGISTERS 4 /* registers of rows that are summed over features together */
#define MOE_BAYES_TWO_PI 6.283185307179586
#define MOE_BAYES_TINY 0x1p-1022 /* smallest normal double; inverses of smaller variances may overflow */

/* Workspace of a task; n = n_learn, k features, C classes. */
typedef struct {
    int32_t *starts;   /* [C + 1] position in `rows` where each class begins */
    int32_t *rows;     /* [n] training rows, class by class, ascending in each */
    double *column;    /* [n, LANES] values of LANES features in the order of `rows`; leave-one-out: [n], of one */
    double *means;     /* [C, k]; leave-one-out: [n] means of one feature without each row */
    double *variances; /* [C, k], inverses when predicting; leave-one-out: [n] sums of squares without each row */
    double *constants; /* [C] terms that do not depend on the row; before that, with weights, class frequencies */
    double *joint;     /* [C, TILE], leave-one-out: [C, n], joint log likelihoods */
    double *epsilons;  /* leave-one-out: [n] epsilon without each row; -1: no feature varies */
    double *factors;   /* leave-one-out: [n] scale of one feature, learnt without each row */
    int32_t *columns;  /* [k] column of each feature in task->ask */
} moe_bayes_work_t;

static inline int64_t moe_bayes_lay_out(uint8_t *buffer, const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                        moe_bayes_work_t *work)
{
    const int64_t n = task->n_learn, C = task->n_classes, one = plan->leave_one_out;
    const int64_t n_numbers = one ? n : C * task->n_features;
    int64_t at = 0;
    work->starts = moe_buffers_next(buffer, (C + 1) * 4, &at);
    work->rows = moe_buffers_next(buffer, n * 4, &at);
    work->column = moe_buffers_next(buffer, n * (one ? 1 : MOE_BAYES_LANES) * 8, &at);
    work->means = moe_buffers_next(buffer, n_numbers * 8, &at);
    work->variances = moe_buffers_next(buffer, n_numbers * 8, &at);
    work->constants = moe_buffers_next(buffer, C * 8, &at);
    work->joint = moe_buffers_next(buffer, C * (one ? n : MOE_BAYES_TILE) * 8, &at);
    work->epsilons = moe_buffers_next(buffer, one * n * 8, &at);
    work->factors = moe_buffers_next(buffer, one * n * 8, &at);
    work->columns = moe_buffers_next(buffer, (one ? 0 : task->n_features) * (int64_t)4, &at);
    return at;
}

static inline int64_t moe_bayes_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_bayes_work_t work;
    return moe_bayes_lay_out(NULL, plan, task, &work);
}

/* Sort the training rows by class, stably, into work->rows, and set work->starts. O(n). */
static inline void moe_bayes_sort(const moe_judges_task_t *task, const moe_bayes_work_t *work)
{
    const int32_t n = task->n_learn, C = task->n_classes;
    memset(work->starts, 0, (size_t)(C + 1) * 4);
    for (int32_t i = 0; i < n; i++) work->starts[task->labels[i] + 1]++;
    for (int32_t c = 0; c < C; c++) work->starts[c + 1] += work->starts[c];
    for (int32_t i = 0; i < n; i++) work->rows[work->starts[task->labels[i]]++] = i;
    for (int32_t c = C; c > 0; c--) work->starts[c] = work->starts[c - 1];
    work->starts[0] = 0;
}

/* Moments of each feature that occurs in any of several subsets, learnt once for all of them. */
typedef struct {
    moe_bayes_work_t work; /* means and variances [C, n_features] */
    double *spreads;       /* [n_features] sum of squared deviations from the mean of all rows */
    int32_t n_features;
} moe_bayes_shared_t;

/* Lay them over `buffer` and return their size in bytes; with NULL only the size. `task` has all these features. */
static inline int64_t moe_bayes_lay_shared(uint8_t *buffer, const moe_judges_plan_t *plan,
                                           const moe_judges_task_t *task, moe_bayes_shared_t *shared /* OUT */)
{
    int64_t at = 0;
    shared->n_features = task->n_features;
    shared->spreads = moe_buffers_next(buffer, (int64_t)task->n_features * 8, &at);
    return at + moe_bayes_lay_out(buffer ? buffer + at : NULL, plan, task, &shared->work);
}

#define MOE_TEMPLATE "judges/bayes.inc.h"
#include "base/levels.inc.h"

/* Learn from the training rows of a task and predict: see judges/types.h. O((n_learn + n_ask C) k). */
static inline void moe_bayes_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                     double *answers)
{
    moe_bayes_work_t work;
    moe_bayes_lay_out(buffer, plan, task, &work);
    moe_bayes_sort(task, &work);
    MOE_AT(plan->level, moe_bayes_answers)(plan, task, &work, answers);
}

/* Learn the moments of each feature of a task; not for leave-one-out, nor for rows with weights. O(n_learn k). */
static inline void moe_bayes_learn_shared(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_bayes_shared_t *shared /* contents OUT */)
{
    moe_bayes_sort(task, &shared->work);
    MOE_AT(plan->level, moe_bayes_learn_shared)(task, shared);
}

/* Write what moe_bayes_answers would for the subset whose features are the columns `columns` of task->ask. */
static inline void moe_bayes_answer_subset(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                           const moe_bayes_shared_t *shared,
                                           const int32_t *columns /* IN [k] ascending */, uint8_t *buffer,
                                           double *answers)
{
    moe_bayes_work_t work;
    moe_bayes_lay_out(buffer, plan, task, &work);
    MOE_AT(plan->level, moe_bayes_answer_subset)(plan, task, shared, columns, &work, answers);
}

#endif
