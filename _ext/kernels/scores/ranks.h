/* ranks: scores of the order that answers put rows into. */
#ifndef MOE_SCORES_RANKS_H
#define MOE_SCORES_RANKS_H

#include <math.h>

#include "scores/sorting.h"
#include "scores/types.h"

/* The answers for a class, of the rows of that class and of those of another (-1 = all others), each in ascending
 * order. work->tally has the rows of each class. Returns the number of the former, and *n_negative of the latter.
 * O(n log n). */
static inline int64_t moe_ranks_sort(const moe_scores_task_t *task, int32_t positive, int32_t negative,
                                     const moe_scores_work_t *work, int64_t *n_negative /* OUT */)
{
    const int64_t n_positive = work->tally[positive];
    const int64_t n_others = negative < 0 ? task->n - n_positive : work->tally[negative];
    int64_t n_p = 0, n_n = 0, ones_p = 0, ones_n = 0; /* of shares few are neither 0 nor 1 */
    int astray = 0;
    for (int64_t i = 0; i < task->n; i++) {
        const double answer = task->answers[i * task->n_classes + positive];
        if (answer == 0.0) continue;
        const int32_t label = task->labels[i];
        const int of_class = label == positive, of_others = !of_class && (negative < 0 || label == negative);
        const int between = answer != 1.0;
        work->positives[n_p] = answer; /* n_p, n_n <= i */
        work->negatives[n_n] = answer;
        n_p += of_class & between;
        n_n += of_others & between;
        ones_p += of_class & !between;
        ones_n += of_others & !between;
        astray |= !(answer > 0.0 && answer <= 1.0);
    }
    moe_sorting_shares(work->positives, n_p, n_positive - n_p - ones_p, astray, n_positive, work->spare);
    moe_sorting_shares(work->negatives, n_n, n_others - n_n - ones_n, astray, n_others, work->spare);
    *n_negative = n_others;
    return n_positive;
}

/* Area under the ROC curve: the share of pairs of two rows, one of either class, that are in the right order, ties
 * counting half; NaN without a pair. See `moe_ranks_sort` for the classes. */
static inline double moe_ranks_auc(const moe_scores_task_t *task, int32_t positive, int32_t negative,
                                   const moe_scores_work_t *work)
{
    int64_t n_negative, below = 0, up_to = 0, twice = 0; /* n <= 2^30 */
    const int64_t n_positive = moe_ranks_sort(task, positive, negative, work, &n_negative);
    if (!n_positive || !n_negative) return NAN;
    for (int64_t i = 0; i < n_positive; i++) {
        const double answer = work->positives[i];
        while (below < n_negative && work->negatives[below] < answer) below++;
        if (up_to < below) up_to = below;
        while (up_to < n_negative && work->negatives[up_to] == answer) up_to++;
        twice += below + up_to;
    }
    return (double)twice / (2.0 * (double)n_positive * (double)n_negative);
}

/* Mean over classes of the precision at each threshold, weighted by the recall that it adds; 0 without a row of the
 * class. */
static inline double moe_ranks_precision(const moe_scores_task_t *task, int32_t positive,
                                         const moe_scores_work_t *work)
{
    int64_t n_negative, n_others;
    const int64_t n_positive = moe_ranks_sort(task, positive, -1, work, &n_negative);
    double sum = 0.0;
    n_others = n_negative;
    for (int64_t left = n_positive; left > 0;) {
        const double threshold = work->positives[left - 1];
        const int64_t before = left;
        while (left > 0 && work->positives[left - 1] == threshold) left--;
        while (n_others > 0 && work->negatives[n_others - 1] >= threshold) n_others--;
        const double taken = (double)(n_positive - left) + (double)(n_negative - n_others);
        sum += (double)(before - left) / (double)n_positive * ((double)(n_positive - left) / taken);
    }
    return sum;
}

/* Mean over the classes of the area under the curve of each against all others, or of its average precision; weighted
 * by their rows or not. */
static inline double moe_ranks_each(const moe_scores_task_t *task, int precision, int weighted, const int64_t *counts,
                                    const moe_scores_work_t *work)
{
    double sum = 0.0, weights = 0.0;
    for (int32_t c = 0; c < task->n_classes; c++) {
        if (!counts[c]) continue;
        const double weight = weighted ? (double)counts[c] : 1.0;
        sum += weight * (precision ? moe_ranks_precision(task, c, work) : moe_ranks_auc(task, c, -1, work));
        weights += weight;
    }
    return sum / weights;
}

/* Mean over the pairs of classes of the area under the curve, each being the positive one once; weighted by the rows
 * of both or not (Hand and Till 2001). O(n_classes n log n). */
static inline double moe_ranks_pairs(const moe_scores_task_t *task, int weighted, const int64_t *counts,
                                     const moe_scores_work_t *work)
{
    double sum = 0.0, weights = 0.0;
    for (int32_t a = 0; a < task->n_classes; a++) {
        for (int32_t b = a + 1; b < task->n_classes; b++) {
            if (!counts[a] || !counts[b]) continue;
            const double weight = weighted ? (double)(counts[a] + counts[b]) : 1.0;
            sum += weight * ((moe_ranks_auc(task, a, b, work) + moe_ranks_auc(task, b, a, work)) / 2.0);
            weights += weight;
        }
    }
    return sum / weights;
}

#endif
