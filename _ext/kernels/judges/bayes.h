/* bayes: Gaussian naive Bayes, GaussianNB of scikit-learn.
 *
 * A class's variance of a feature has `smoothing` times the largest variance of any selected feature added to it.
 * real[0] = smoothing > 0; priors = probabilities of the classes, or NULL = their shares of the rows to learn from.
 * If no selected feature varies, all classes there are get the same probability (scikit-learn's are not numbers, and it
 * predicts the first class, too).
 *
 * Leave-one-out takes a row out of the sums of its class and of all: O(k n C), with a logarithm for each. It is for
 * rows without weights.
 */
#ifndef MOE_JUDGES_BAYES_H
#define MOE_JUDGES_BAYES_H

#include "base/buffers.h"
#include "base/elementary.h"
#include "judges/scaling.h"

#define MOE_BAYES_TILE 64 /* rows that are answered for together */
#define MOE_BAYES_LANES 8 /* features whose moments are summed together */
#define MOE_BAYES_REGISTERS 4 /* of rows that are summed over features together */
#define MOE_BAYES_TWO_PI 6.283185307179586
#define MOE_BAYES_TINY 0x1p-1022 /* below, numbers have fewer digits, and their inverses may be too large */

/* The workspace of a task. */
typedef struct {
    int32_t *starts;   /* [C + 1] of the classes among the rows in their order */
    int32_t *rows;     /* [n_learn] class by class */
    double *column;    /* [n_learn, LANES] some features, class by class; leave-one-out: [n_learn], one */
    double *means;     /* [k, C], leave-one-out: [n_learn] of the feature without each row */
    double *variances; /* [k, C], leave-one-out: [n_learn] likewise */
    double *constants; /* [C] what does not depend on the row; before, with weights, the shares of the classes */
    double *joint;     /* [C, TILE], leave-one-out: [C, n_learn], log likelihoods */
    double *epsilons;  /* leave-one-out: [n_learn] what is added to variances */
    double *factors;   /* leave-one-out: [n_learn] of the scaling */
    int32_t *places;   /* [k] of the columns of features among those to answer for */
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
    work->places = moe_buffers_next(buffer, (one ? 0 : task->n_features) * (int64_t)4, &at);
    return at;
}

static inline int64_t moe_bayes_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_bayes_work_t work;
    return moe_bayes_lay_out(NULL, plan, task, &work);
}

/* Rows in the order of their classes, and in their own within a class. O(n). */
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

/* What is learnt of each feature that any of some subsets has. */
typedef struct {
    moe_bayes_work_t work; /* its means and variances */
    double *spreads;       /* [n_features] sum of squared distances from the mean over all rows */
    int32_t n_features;
} moe_bayes_all_t;

/* Lay it over `buffer` and return its size in bytes; with NULL only the size. `task` has all features. */
static inline int64_t moe_bayes_lay_all(uint8_t *buffer, const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                        moe_bayes_all_t *all)
{
    int64_t at = 0;
    all->n_features = task->n_features;
    all->spreads = moe_buffers_next(buffer, (int64_t)task->n_features * 8, &at);
    return at + moe_bayes_lay_out(buffer ? buffer + at : NULL, plan, task, &all->work);
}

#define MOE_TEMPLATE "judges/bayes.inc.h"
#include "base/levels.inc.h"

static inline void moe_bayes_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                     double *answers)
{
    moe_bayes_work_t work;
    moe_bayes_lay_out(buffer, plan, task, &work);
    moe_bayes_sort(task, &work);
    MOE_AT(plan->level, moe_bayes_answers)(plan, task, &work, answers);
}

/* Learn of each feature of a task by itself: for subsets of them, on other rows than are learnt from, all of which
 * count once. O(n_learn k). */
static inline void moe_bayes_make(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                  const moe_bayes_all_t *all /* is OUT */)
{
    moe_bayes_sort(task, &all->work);
    MOE_AT(plan->level, moe_bayes_make)(task, all);
}

/* What moe_bayes_answers says of a subset, whose rows to answer for are the columns at `places` of task->ask. */
static inline void moe_bayes_take(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                  const moe_bayes_all_t *all, const int32_t *places /* [k], ascending */,
                                  uint8_t *buffer, double *answers)
{
    moe_bayes_work_t work;
    moe_bayes_lay_out(buffer, plan, task, &work);
    MOE_AT(plan->level, moe_bayes_some)(plan, task, all, places, &work, answers);
}

#endif
