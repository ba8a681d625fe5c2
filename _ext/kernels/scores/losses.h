/* losses: scores of the distance of answers from the truth. */
#ifndef MOE_SCORES_LOSSES_H
#define MOE_SCORES_LOSSES_H

#include <math.h>

#include "base/elementary.h"
#include "scores/types.h"

#define MOE_LOSSES_LEAST 0x1p-52 /* machine precision: probabilities are clipped to [this, 1 - this] */

/* Return the logarithm of a clipped probability; `of_least` and `of_most` are those of the limits. */
static inline double moe_losses_log_probability(double probability, double of_least, double of_most)
{
    if (probability >= 1.0 - MOE_LOSSES_LEAST) return of_most; /* most rows of trees: pure leaves */
    return probability <= MOE_LOSSES_LEAST ? of_least : moe_elementary_log(probability);
}

/* Return the probability of class `label` in a row of answers; with two classes that of the second one decides. */
static inline double moe_losses_probability(const moe_scores_task_t *task, const double *row, int32_t label)
{
    return task->n_classes == 2 && !label ? 1.0 - row[1] : row[label];
}

/* Return the sum over classes of (p_c - [c = label])^2, with decision values clipped to [-1, 1], mapped to [0, 1]. */
static inline double moe_losses_squares(const moe_scores_task_t *task, const double *row, int32_t label)
{
    double sum = 0.0;
    for (int32_t c = 0; c < task->n_classes; c++) {
        double probability = row[c];
        if (task->decisions)
            probability = probability < -1.0 ? 0.0 : probability > 1.0 ? 1.0 : (probability + 1.0) / 2.0;
        const double difference = probability - (double)(c == label);
        sum += difference * difference;
    }
    return sum;
}

/* Compute the loss of a row of each class in each group, unless the group has none, for a score of probabilities. */
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
                losses[first + c] = moe_losses_log_probability(moe_losses_probability(task, row, c), of_least, of_most);
            else
                losses[first + c] = moe_losses_squares(task, row, c);
        }
    }
}

/* Return the precomputed loss of row i. */
static inline double moe_losses_of_row_in_group(const moe_scores_task_t *task, int64_t i)
{
    return task->losses[task->group_of[i] * (int64_t)task->n_classes + task->labels[i]];
}

/* Return the mean logarithm of the probability of the true class. */
static inline double moe_losses_log(const moe_scores_task_t *task)
{
    const double of_least = moe_elementary_log(MOE_LOSSES_LEAST), of_most = moe_elementary_log(1.0 - MOE_LOSSES_LEAST);
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        if (task->losses) {
            sum += moe_losses_of_row_in_group(task, i);
            continue;
        }
        const double probability = moe_losses_probability(task, task->answers + i * task->n_classes, task->labels[i]);
        sum += moe_losses_log_probability(probability, of_least, of_most);
    }
    return sum / (double)task->n;
}

/* Return `moe_losses_squares` of row i. */
static inline double moe_losses_squares_of_row(const moe_scores_task_t *task, int64_t i)
{
    if (task->losses) return moe_losses_of_row_in_group(task, i);
    return moe_losses_squares(task, task->answers + i * task->n_classes, task->labels[i]);
}

/* Return minus the mean of `moe_losses_squares`, or with `two` minus half of it: the negative Brier score. */
static inline double moe_losses_brier(const moe_scores_task_t *task, int two)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) sum += moe_losses_squares_of_row(task, i);
    return -(two ? 0.5 : 1.0) * (sum / (double)task->n);
}

/* Return the smooth UAR: 1 - mean over the classes that occur of the mean of min(1, `moe_losses_squares` / 2). */
static inline double moe_losses_soft_uar(const moe_scores_task_t *task, const int64_t *counts,
                                         double *sums /* workspace [n_classes] */)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < task->n_classes; c++) sums[c] = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        const double half = moe_losses_squares_of_row(task, i) / 2.0;
        sums[task->labels[i]] += half < 1.0 ? half : 1.0;
    }
    for (int32_t c = 0; c < task->n_classes; c++) {
        if (!counts[c]) continue;
        sum += sums[c] / (double)counts[c];
        n_present++;
    }
    return n_present ? 1.0 - sum / (double)n_present : NAN;
}

/* Return the mean squared error of a regression. */
static inline double moe_losses_squared(const moe_scores_task_t *task)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) {
        const double error = task->target[i] - task->answers[i];
        sum += error * error;
    }
    return sum / (double)task->n;
}

/* Return the mean absolute error of a regression. */
static inline double moe_losses_absolute(const moe_scores_task_t *task)
{
    double sum = 0.0;
    for (int64_t i = 0; i < task->n; i++) sum += fabs(task->target[i] - task->answers[i]);
    return sum / (double)task->n;
}

/* Return the coefficient of determination: 1 - sum (y - f)^2 / sum (y - mean)^2. If all targets are equal, 1 without
 * error and 0 otherwise; NaN for less than two rows. */
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
    for (int64_t i = 0; varies && i < task->n; i++) { /* equal targets: the rounded mean may differ from them */
        const double difference = task->target[i] - mean;
        spread += difference * difference;
    }
    const double error = moe_losses_squared(task);
    if (spread > 0.0) return 1.0 - error / (spread / (double)task->n);
    return error > 0.0 ? 0.0 : 1.0;
}

#endif
