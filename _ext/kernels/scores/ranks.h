/* ranks: scores of the order of the rows by their answers. */
#ifndef MOE_SCORES_RANKS_H
#define MOE_SCORES_RANKS_H

#include <math.h>

#include "scores/groups.h"
#include "scores/sorting.h"
#include "scores/types.h"

/* The rows of a task (scores/types.h): one-hot ones, as most rows of a tree are, are counted, mixed ones sorted. */
typedef struct {
    const moe_scores_task_t *task;
    const moe_scores_work_t *work; /* work->tally holds the number of rows of each class */
    int64_t n_mixed;               /* rows in work->mixed */
} moe_ranks_t;

/* Numbers of answers for a class among some rows: all, 0, between and 1. Those between are in an array; if any is below
 * 0 or above 1, all are in the array and count as between. */
typedef struct {
    int64_t n, zeros, between, ones;
} moe_ranks_side_t;

/* Find the one-hot rows and count them by class. O(n n_classes). */
static inline moe_ranks_t moe_ranks_find_one_hot(const moe_scores_task_t *task, const moe_scores_work_t *work)
{
    const int32_t n_classes = task->n_classes;
    int64_t *hits = work->one_hot_tally, *actual = hits + n_classes, *predicted = actual + n_classes;
    moe_ranks_t ranks = {task, work, 0};
    memset(hits, 0, 3 * (size_t)n_classes * sizeof(int64_t));
    for (int32_t i = 0; i < task->n; i++) {
        const double *row = task->answers + i * (int64_t)n_classes;
        const int32_t label = task->labels[i];
        int32_t best = 0, n_other = 0;
        for (int32_t c = 0; c < n_classes; c++) {
            best = row[c] == 1.0 ? c : best;
            n_other += row[c] != 0.0;
        }
        const int is_one_hot = n_other == 1 && row[best] == 1.0;
        work->one_hot[i] = is_one_hot ? best : -1;
        work->mixed[ranks.n_mixed] = i;
        ranks.n_mixed += !is_one_hot;
        hits[label] += is_one_hot && best == label;
        actual[label] += is_one_hot;
        predicted[best] += is_one_hot;
    }
    return ranks;
}

/* Append the zeros and ones to the array. */
static inline void moe_ranks_join(moe_ranks_side_t *side, double *values)
{
    for (int64_t i = 0; i < side->zeros; i++) values[side->between++] = 0.0;
    for (int64_t i = 0; i < side->ones; i++) values[side->between++] = 1.0;
    side->zeros = side->ones = 0;
}

/* Return whether comparing all pairs of the two arrays is faster than sorting them. */
static inline int moe_ranks_pairwise(const moe_ranks_side_t *p, const moe_ranks_side_t *n)
{
    return p->between * n->between <= 16 * (p->between + n->between);
}

/* Gather the answers for class `positive`, unsorted: of its rows work->positives, of others work->negatives. O(n). */
static inline void moe_ranks_partition(const moe_ranks_t *ranks, int32_t positive, moe_ranks_side_t *of_class /* OUT */,
                                       moe_ranks_side_t *of_others /* OUT */)
{
    const moe_scores_task_t *task = ranks->task;
    const moe_scores_work_t *work = ranks->work;
    const int64_t *hits = work->one_hot_tally, *actual = hits + task->n_classes, *predicted = actual + task->n_classes;
    const int64_t n_positive = work->tally[positive], others_ones = predicted[positive] - hits[positive];
    const int64_t others_zeros = task->n - ranks->n_mixed - actual[positive] - others_ones;
    moe_ranks_side_t p = {n_positive, actual[positive] - hits[positive], 0, hits[positive]};
    moe_ranks_side_t n = {task->n - n_positive, others_zeros, 0, others_ones};
    int outside = 0;
    for (int64_t u = 0; u < ranks->n_mixed; u++) {
        const int32_t i = work->mixed[u];
        const double answer = task->answers[i * (int64_t)task->n_classes + positive];
        const int is_p = task->labels[i] == positive, is_n = !is_p;
        const int zero = answer == 0.0, one = answer == 1.0, between = !zero & !one;
        work->positives[p.between] = answer; /* p.between, n.between <= u */
        work->negatives[n.between] = answer;
        p.zeros += is_p & zero;
        n.zeros += is_n & zero;
        p.ones += is_p & one;
        n.ones += is_n & one;
        p.between += is_p & between;
        n.between += is_n & between;
        outside |= !(answer >= 0.0 && answer <= 1.0);
    }
    if (outside) {
        moe_ranks_join(&p, work->positives);
        moe_ranks_join(&n, work->negatives);
    }
    *of_class = p;
    *of_others = n;
}

/* List class by class the rows that are mixed, or one-hot for a wrong class, in work->listed. O(n). */
static inline void moe_ranks_list(const moe_ranks_t *ranks)
{
    const moe_scores_work_t *work = ranks->work;
    const int32_t *labels = ranks->task->labels;
    int64_t *ends = work->ends, before = 0;
    for (int32_t c = 0; c < ranks->task->n_classes; c++) {
        ends[c] = before;
        before += work->tally[c] - work->one_hot_tally[c];
    }
    for (int32_t i = 0; i < ranks->task->n; i++)
        if (work->one_hot[i] != labels[i]) work->listed[ends[labels[i]]++] = i;
}

/* Gather the answers for class `positive` of the listed rows of class c; return whether one is outside [0, 1]. */
static inline int moe_ranks_of_class(const moe_ranks_t *ranks, int32_t c, int32_t positive, double *values /* OUT */,
                                     moe_ranks_side_t *of_class /* OUT */)
{
    const moe_scores_work_t *work = ranks->work;
    const int64_t n_classes = ranks->task->n_classes, n_hits = work->one_hot_tally[c];
    moe_ranks_side_t side = {work->tally[c], c == positive ? 0 : n_hits, 0, c == positive ? n_hits : 0};
    int outside = 0;
    for (int64_t r = c ? work->ends[c - 1] : 0; r < work->ends[c]; r++) {
        const double answer = ranks->task->answers[work->listed[r] * n_classes + positive];
        const int zero = answer == 0.0, one = answer == 1.0;
        values[side.between] = answer;
        side.zeros += zero;
        side.ones += one;
        side.between += !zero & !one;
        outside |= !(answer >= 0.0 && answer <= 1.0);
    }
    *of_class = side;
    return outside;
}

/* Gather as `moe_ranks_partition`, but of all other rows only those of class `negative`. */
static inline void moe_ranks_partition_pair(const moe_ranks_t *ranks, int32_t positive, int32_t negative,
                                            moe_ranks_side_t *p /* OUT */, moe_ranks_side_t *n /* OUT */)
{
    const int outside = moe_ranks_of_class(ranks, positive, positive, ranks->work->positives, p) |
                       moe_ranks_of_class(ranks, negative, positive, ranks->work->negatives, n);
    if (!outside) return;
    moe_ranks_join(p, ranks->work->positives);
    moe_ranks_join(n, ranks->work->negatives);
}

/* Return the area under the ROC curve: the fraction of pairs of a row of class `positive` and one of class `negative`
 * (-1: of any other) that are in the right order, ties counting half; NaN without a pair. O(n log n) of these rows,
 * O(n) if they are one-hot. */
static inline double moe_ranks_auc(const moe_ranks_t *ranks, int32_t positive, int32_t negative)
{
    if (ranks->task->groups) return moe_groups_auc(ranks->task, ranks->work, positive, negative);
    double *positives = ranks->work->positives, *negatives = ranks->work->negatives;
    int64_t below = 0, up_to = 0, doubled; /* n <= 2^30 */
    moe_ranks_side_t p, n;
    if (negative < 0)
        moe_ranks_partition(ranks, positive, &p, &n);
    else
        moe_ranks_partition_pair(ranks, positive, negative, &p, &n);
    if (!p.n || !n.n) return NAN;
    doubled = p.zeros * n.zeros + p.ones * (2 * n.n - n.ones) + 2 * p.between * n.zeros;
    if (moe_ranks_pairwise(&p, &n)) {
        for (int64_t i = 0; i < p.between; i++)
            for (int64_t j = 0; j < n.between; j++)
                doubled += (negatives[j] < positives[i]) + (negatives[j] <= positives[i]);
        return (double)doubled / (2.0 * (double)p.n * (double)n.n);
    }
    moe_sorting_sort(positives, p.between, ranks->work->spare);
    moe_sorting_sort(negatives, n.between, ranks->work->spare);
    for (int64_t i = 0; i < p.between; i++) {
        const double answer = positives[i];
        while (below < n.between && negatives[below] < answer) below++;
        if (up_to < below) up_to = below;
        while (up_to < n.between && negatives[up_to] == answer) up_to++;
        doubled += below + up_to;
    }
    return (double)doubled / (2.0 * (double)p.n * (double)n.n);
}

/* Return the average precision of class `positive`: the sum over thresholds, in descending order, of the precision
 * weighted by the recall that the threshold adds; 0 without a row of the class. O(n log n). */
static inline double moe_ranks_precision(const moe_ranks_t *ranks, int32_t positive)
{
    if (ranks->task->groups) return moe_groups_precision(ranks->task, ranks->work, positive);
    double *positives = ranks->work->positives, *negatives = ranks->work->negatives;
    moe_ranks_side_t p, n;
    double sum = 0.0;
    moe_ranks_partition(ranks, positive, &p, &n);
    const int few = moe_ranks_pairwise(&p, &n);
    moe_sorting_sort(positives, p.between, ranks->work->spare);
    if (!few) moe_sorting_sort(negatives, n.between, ranks->work->spare);
    if (p.ones) sum += moe_groups_precision_step(p.n, p.ones, p.ones, n.ones);
    for (int64_t left = p.between, n_others = n.between; left > 0;) { /* rows below the threshold */
        const double threshold = positives[left - 1];
        const int64_t before = left;
        while (left > 0 && positives[left - 1] == threshold) left--;
        if (few) {
            n_others = 0;
            for (int64_t j = 0; j < n.between; j++) n_others += negatives[j] < threshold;
        }
        while (!few && n_others > 0 && negatives[n_others - 1] >= threshold) n_others--;
        sum += moe_groups_precision_step(p.n, before - left, p.ones + p.between - left, n.ones + n.between - n_others);
    }
    if (p.zeros) sum += moe_groups_precision_step(p.n, p.zeros, p.n, n.n);
    return sum;
}

/* Return the mean over the classes that occur of the area under the ROC curve of each against all others, or with
 * `precision` of its average precision; `weighted` by their rows or not. */
static inline double moe_ranks_each(const moe_ranks_t *ranks, int precision, int weighted)
{
    const int64_t *counts = ranks->work->tally;
    double sum = 0.0, weights = 0.0;
    for (int32_t c = 0; c < ranks->task->n_classes; c++) {
        if (!counts[c]) continue;
        const double weight = weighted ? (double)counts[c] : 1.0;
        sum += weight * (precision ? moe_ranks_precision(ranks, c) : moe_ranks_auc(ranks, c, -1));
        weights += weight;
    }
    return sum / weights;
}

/* Return the mean over pairs of classes of the area under the ROC curve, averaged over which of the two is positive;
 * `weighted` by the rows of both or not (Hand and Till 2001). O(n_classes n log n): each row occurs only in the pairs
 * of its own class. */
static inline double moe_ranks_pairs(const moe_ranks_t *ranks, int weighted)
{
    const int64_t *counts = ranks->work->tally;
    double sum = 0.0, weights = 0.0;
    if (!ranks->task->groups) moe_ranks_list(ranks);
    for (int32_t a = 0; a < ranks->task->n_classes; a++) {
        for (int32_t b = a + 1; b < ranks->task->n_classes; b++) {
            if (!counts[a] || !counts[b]) continue;
            const double weight = weighted ? (double)(counts[a] + counts[b]) : 1.0;
            sum += weight * ((moe_ranks_auc(ranks, a, b) + moe_ranks_auc(ranks, b, a)) / 2.0);
            weights += weight;
        }
    }
    return sum / weights;
}

#endif
