/* answers: gathers and scales the rows of a task, and calls the judge that the plan names. */
#ifndef MOE_ANSWERS_ANSWERS_H
#define MOE_ANSWERS_ANSWERS_H

#include "judges/bayes.h"
#include "judges/neighbours.h"
#include "linear/discriminant.h"
#include "linear/logistic.h"
#include "linear/ridge.h"
#include "linear/svm.h"

/* The caller's table, with the classes or target and the weights of its rows. */
typedef struct {
    const double *table;   /* [F, n_samples] feature after feature */
    const int32_t *labels; /* [n_samples] classes, or NULL */
    const double *target;  /* [n_samples] target of a regression, or NULL */
    const double *weights; /* [n_samples] weight of each row when it is a training row, >= 0; NULL: all 1 */
    int32_t n_samples;
    int32_t n_classes; /* 1 for a regression */
} moe_answers_data_t;

/* A split: indices of rows of the table, each part in ascending order. */
typedef struct {
    const int32_t *learn; /* [n_learn] training rows */
    const int32_t *ask;   /* [n_ask] rows to predict; NULL: leave-one-out, the training rows */
    int32_t n_learn;
    int32_t n_ask; /* n_learn with leave-one-out */
} moe_answers_split_t;

/* Return the bytes of the judge's workspace. */
static inline int64_t moe_answers_judge_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    switch (plan->judge) {
    case MOE_JUDGES_BAYES: return moe_bayes_size(plan, task);
    case MOE_JUDGES_NEIGHBOURS: return moe_neighbours_size(plan, task);
    case MOE_JUDGES_DISCRIMINANT: return moe_discriminant_size(plan, task);
    case MOE_JUDGES_LOGISTIC: return moe_logistic_size(plan, task);
    case MOE_JUDGES_SVM: return moe_svm_size(plan, task);
    default: return moe_ridge_size(plan, task);
    }
}

/* Return whether the answers of a classifier are decision values, not probabilities. */
static inline int moe_answers_decisions(const moe_judges_plan_t *plan)
{
    const int both = plan->judge == MOE_JUDGES_DISCRIMINANT || plan->judge == MOE_JUDGES_LOGISTIC;
    return plan->judge == MOE_JUDGES_RIDGE || plan->judge == MOE_JUDGES_SVM || (both && plan->decision_values);
}

/* Call the judge that the plan names. */
static inline void moe_answers_judge(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *work,
                                     double *answers)
{
    switch (plan->judge) {
    case MOE_JUDGES_BAYES: moe_bayes_answers(plan, task, work, answers); break;
    case MOE_JUDGES_NEIGHBOURS: moe_neighbours_answers(plan, task, work, answers); break;
    case MOE_JUDGES_DISCRIMINANT: moe_discriminant_answers(plan, task, work, answers); break;
    case MOE_JUDGES_LOGISTIC: moe_logistic_answers(plan, task, work, answers); break;
    case MOE_JUDGES_SVM: moe_svm_answers(plan, task, work, answers); break;
    default: moe_ridge_answers(plan, task, work, answers);
    }
}

/* Lay the task of a subset of k features and its judge's workspace over `buffer`, or NULL; return their bytes. */
static inline int64_t moe_answers_lay_out(uint8_t *buffer, const moe_answers_data_t *data,
                                          const moe_judges_plan_t *plan, const moe_answers_split_t *split, int32_t k,
                                          moe_judges_task_t *task, uint8_t **work)
{
    const int64_t n_learn = split->n_learn, n_ask = plan->leave_one_out ? 0 : split->n_ask;
    int64_t at = 0;
    task->n_features = k;
    task->n_learn = split->n_learn;
    task->n_ask = split->n_ask;
    task->n_classes = data->n_classes;
    task->poll = NULL;
    task->learn = moe_buffers_next(buffer, k * n_learn * 8, &at);
    task->ask = moe_buffers_next(buffer, k * n_ask * 8, &at);
    task->labels = moe_buffers_next(buffer, n_learn * 4, &at);
    task->target = moe_buffers_next(buffer, data->target ? n_learn * 8 : 0, &at);
    task->weights = moe_buffers_next(buffer, data->weights ? n_learn * 8 : 0, &at);
    *work = moe_buffers_next(buffer, moe_answers_judge_size(plan, task), &at);
    return at;
}

/* Return the bytes of the workspace for a subset of k features. */
static inline int64_t moe_answers_size(const moe_answers_data_t *data, const moe_judges_plan_t *plan,
                                       const moe_answers_split_t *split, int32_t k)
{
    moe_judges_task_t task;
    uint8_t *work;
    return moe_answers_lay_out(NULL, data, plan, split, k, &task, &work);
}

/* Copy the selected features of training rows and rows to predict, both while a column is in the cache. O(k n). */
static inline void moe_answers_gather(const moe_answers_data_t *data, const int32_t *selected,
                                      const moe_answers_split_t *split, const moe_judges_task_t *task, int32_t n_ask)
{
    for (int64_t f = 0; f < task->n_features; f++) {
        const double *column = data->table + (int64_t)selected[f] * data->n_samples;
        if (moe_poll_stops(task->poll, task->n_learn)) return;
        double *learn = task->learn + f * split->n_learn, *ask = task->ask + f * n_ask;
        for (int32_t i = 0; i < split->n_learn; i++) learn[i] = column[split->learn[i]];
        for (int32_t i = 0; i < n_ask; i++) ask[i] = column[split->ask[i]];
    }
}

/* Return the weights of the training rows; NULL, which means equal weights, if there are none or all are 0. */
static inline const double *moe_answers_weights(const moe_answers_data_t *data, const moe_answers_split_t *split,
                                                double *weights /* OUT [n_learn] */)
{
    int any = 0;
    for (int32_t i = 0; data->weights && i < split->n_learn; i++) {
        weights[i] = data->weights[split->learn[i]];
        any |= weights[i] > 0.0;
    }
    return any ? weights : NULL;
}

/* Learn from the training rows with k features and predict the rows to ask. O(k n), and the cost of the judge. */
static inline void moe_answers_fill(const moe_answers_data_t *data, const moe_judges_plan_t *plan,
                                    const moe_answers_split_t *split, const int32_t *selected, int32_t k,
                                    uint8_t *buffer /* moe_answers_size */, moe_poll_t *poll /* or NULL */,
                                    double *answers /* OUT [n_ask, n_classes] */)
{
    moe_judges_task_t task;
    uint8_t *work;
    moe_answers_lay_out(buffer, data, plan, split, k, &task, &work);
    task.poll = poll;
    moe_answers_gather(data, selected, split, &task, plan->leave_one_out ? 0 : split->n_ask);
    int32_t *labels = (int32_t *)task.labels;
    double *target = (double *)task.target;
    for (int32_t i = 0; data->labels && i < split->n_learn; i++) labels[i] = data->labels[split->learn[i]];
    for (int32_t i = 0; data->target && i < split->n_learn; i++) target[i] = data->target[split->learn[i]];
    if (moe_poll_stops(poll, 0)) return;
    task.weights = moe_answers_weights(data, split, (double *)task.weights);
    if (!data->target) task.target = NULL;
    if (!data->labels) task.labels = NULL;
    if (!plan->leave_one_out) moe_scaling_apply(plan, &task);
    moe_answers_judge(plan, &task, work, answers);
}

#endif
