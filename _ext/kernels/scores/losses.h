/* losses: scores of how near answers are to the truth. */
#ifndef MOE_SCORES_LOSSES_H
#define MOE_SCORES_LOSSES_H

#include <math.h>

#include "base/elementary.h"
#include "scores/types.h"

/* Mean logarithm of the probability of the true class, between the machine's precision and 1 less that. Of two classes
 * the second one's probability counts. */
static inline double moe_losses_log(const moe_scores_task_t *task)
{
    const double least = 0x1p-52, of_least = moe_elementary_log(least), of_most = moe_elementary_log(1.0 - least);
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        const double *row = task->answers + i * task->n_classes;
        double share = row[task->labels[i]];
        if (task->n_classes == 2 && !task->labels[i]) share = 1.0 - row[1];
        if (share >= 1.0 - least) /* pure leaves of trees: most rows */
            sum += of_most;
        else
            sum += share <= least ? of_least : moe_elementary_log(share);
    }
    return sum / (double)task->n;
}

/* Sum over the classes of the squared differences of a row's answers to the truth. */
static inline double moe_losses_row(const moe_scores_task_t *task, int64_t i)
{
    const double *row = task->answers + i * task->n_classes;
    double sum = 0.0;
    for (int32_t c = 0; c < task->n_classes; c++) {
        double share = row[c];
        if (task->decisions) share = share < -1.0 ? 0.0 : share > 1.0 ? 1.0 : (share + 1.0) / 2.0;
        const double difference = share - (double)(c == task->labels[i]);
        sum += difference * difference;
    }
    return sum;
}

/* Mean of `moe_losses_row`, of two classes half of it; less is better, so it is below 0. */
static inline double moe_losses_brier(const moe_scores_task_t *task, int two)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) sum += moe_losses_row(task, i);
    return -(two ? 0.5 : 1.0) * (sum / (double)task->n);
}

/* The smooth form of UAR: 1 - mean over the classes that occur of the mean of half of `moe_losses_row`, at most 1, over
 * their rows. Decision values are cut to [-1, 1] and taken from there to [0, 1]. */
static inline double moe_losses_soft_uar(const moe_scores_task_t *task, const int64_t *counts,
                                         double *sums /* workspace [n_classes] */)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < task->n_classes; c++) sums[c] = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        const double half = moe_losses_row(task, i) / 2.0;
        sums[task->labels[i]] += half < 1.0 ? half : 1.0;
    }
    for (int32_t c = 0; c < task->n_classes; c++) {
        if (!counts[c]) continue;
        sum += sums[c] / (double)counts[c];
        n_present++;
    }
    return n_present ? 1.0 - sum / (double)n_present : NAN;
}

/* Mean squared error of a regression. */
static inline double moe_losses_squared(const moe_scores_task_t *task)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        const double error = task->target[i] - task->answers[i];
        sum += error * error;
    }
    return sum / (double)task->n;
}

/* Mean absolute error of a regression. */
static inline double moe_losses_absolute(const moe_scores_task_t *task)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) sum += fabs(task->target[i] - task->answers[i]);
    return sum / (double)task->n;
}

/* Coefficient of determination: 1 - (squared errors) / (squared differences from the mean). Where all rows have one
 * target, 1 without error and 0 else; NaN of less than two rows. */
static inline double moe_losses_r2(const moe_scores_task_t *task)
{
    double mean = 0.0, spread = 0.0;
    if (task->n < 2) return NAN;
    for (int64_t i = 0; i < task->n; i++) mean += task->target[i];
    mean /= (double)task->n;
    for (int64_t i = 0; i < task->n; i++) {
        const double difference = task->target[i] - mean;
        spread += difference * difference;
    }
    const double error = moe_losses_squared(task);
    if (spread > 0.0) return 1.0 - error / (spread / (double)task->n);
    return error > 0.0 ? 0.0 : 1.0;
}

#endif
