/* losses: scores of how near answers are to the truth. */
#ifndef MOE_SCORES_LOSSES_H
#define MOE_SCORES_LOSSES_H

#include <math.h>

#include "base/elementary.h"
#include "scores/types.h"

#define MOE_LOSSES_LEAST 0x1p-52 /* probability that counts, the machine's precision; the largest is 1 less that */

/* Logarithm of a share, of which those at the ends are known. */
static inline double moe_losses_log_share(double share, double of_least, double of_most)
{
    if (share >= 1.0 - MOE_LOSSES_LEAST) return of_most; /* pure leaves of trees: most rows */
    return share <= MOE_LOSSES_LEAST ? of_least : moe_elementary_log(share);
}

/* Of some answers the share of a class; of two classes the second one's counts. */
static inline double moe_losses_share(const moe_scores_task_t *task, const double *row, int32_t label)
{
    return task->n_classes == 2 && !label ? 1.0 - row[1] : row[label];
}

/* Sum over the classes of the squared differences of some answers to what is true of a row of a class. */
static inline double moe_losses_squares(const moe_scores_task_t *task, const double *row, int32_t label)
{
    double sum = 0.0;
    for (int32_t c = 0; c < task->n_classes; c++) {
        double share = row[c];
        if (task->decisions) share = share < -1.0 ? 0.0 : share > 1.0 ? 1.0 : (share + 1.0) / 2.0;
        const double difference = share - (double)(c == label);
        sum += difference * difference;
    }
    return sum;
}

/* Write what the rows of each class in some groups lose, for all scores of losses that follow; others are left out. */
static inline void moe_losses_of_groups(int32_t score, const moe_scores_task_t *task, int64_t n_groups,
                                        double *losses /* OUT [n_groups, n_classes] */)
{
    const double of_least = moe_elementary_log(MOE_LOSSES_LEAST), of_most = moe_elementary_log(1.0 - MOE_LOSSES_LEAST);
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t first = g * task->n_classes;
        const double *row = task->answers + first;
        for (int32_t c = 0; c < task->n_classes; c++) {
            if (!task->counts[first + c]) continue;
            if (score == MOE_SCORES_NEG_LOG_LOSS)
                losses[first + c] = moe_losses_log_share(moe_losses_share(task, row, c), of_least, of_most);
            else
                losses[first + c] = moe_losses_squares(task, row, c);
        }
    }
}

/* What a row in a group loses. */
static inline double moe_losses_known(const moe_scores_task_t *task, int64_t i)
{
    return task->losses[task->group_of[i] * (int64_t)task->n_classes + task->labels[i]];
}

/* Mean logarithm of the probability of the true class. */
static inline double moe_losses_log(const moe_scores_task_t *task)
{
    const double of_least = moe_elementary_log(MOE_LOSSES_LEAST), of_most = moe_elementary_log(1.0 - MOE_LOSSES_LEAST);
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        if (task->losses) {
            sum += moe_losses_known(task, i);
            continue;
        }
        const double share = moe_losses_share(task, task->answers + i * task->n_classes, task->labels[i]);
        sum += moe_losses_log_share(share, of_least, of_most);
    }
    return sum / (double)task->n;
}

/* `moe_losses_squares` of a row. */
static inline double moe_losses_row(const moe_scores_task_t *task, int64_t i)
{
    if (task->losses) return moe_losses_known(task, i);
    return moe_losses_squares(task, task->answers + i * task->n_classes, task->labels[i]);
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
    int varies = 0;
    if (task->n < 2) return NAN;
    for (int64_t i = 0; i < task->n; i++) {
        mean += task->target[i];
        varies |= task->target[i] != task->target[0];
    }
    mean /= (double)task->n;
    for (int64_t i = 0; varies && i < task->n; i++) { /* else the mean may differ by rounding */
        const double difference = task->target[i] - mean;
        spread += difference * difference;
    }
    const double error = moe_losses_squared(task);
    if (spread > 0.0) return 1.0 - error / (spread / (double)task->n);
    return error > 0.0 ? 0.0 : 1.0;
}

#endif
