/* ranks: scores of the order that answers put rows into. */
#ifndef MOE_SCORES_RANKS_H
#define MOE_SCORES_RANKS_H

#include <math.h>

#include "scores/groups.h"
#include "scores/sorting.h"
#include "scores/types.h"

/* The rows of a task. A sure one has the answer 1 for one class and 0 for all others, as most rows of a tree have: it
 * is counted, and only the others are sorted. */
typedef struct {
    const moe_scores_task_t *task;
    const moe_scores_work_t *work; /* work->tally has the rows of each class */
    int64_t n_unsure;
} moe_ranks_t;

/* The answers for a class, of rows of some classes: zeros, those between, which are in an array, and ones. If some are
 * below 0 or above 1, all are in the array. */
typedef struct {
    int64_t n, zeros, between, ones;
} moe_ranks_side_t;

/* Look for sure rows. O(n n_classes). */
static inline moe_ranks_t moe_ranks_look(const moe_scores_task_t *task, const moe_scores_work_t *work)
{
    const int32_t n_classes = task->n_classes;
    int64_t *hits = work->sure_tally, *true_ = hits + n_classes, *taken = true_ + n_classes;
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
        const int sure = n_other == 1 && row[best] == 1.0;
        work->sure[i] = sure ? best : -1;
        work->unsure[ranks.n_unsure] = i;
        ranks.n_unsure += !sure;
        hits[label] += sure && best == label;
        true_[label] += sure;
        taken[best] += sure;
    }
    return ranks;
}

/* Put the zeros and ones of a side into its array, too. */
static inline void moe_ranks_join(moe_ranks_side_t *side, double *values)
{
    for (int64_t i = 0; i < side->zeros; i++) values[side->between++] = 0.0;
    for (int64_t i = 0; i < side->ones; i++) values[side->between++] = 1.0;
    side->zeros = side->ones = 0;
}

/* Whether all pairs of the arrays are compared sooner than these are sorted. */
static inline int moe_ranks_few(const moe_ranks_side_t *p, const moe_ranks_side_t *n)
{
    return p->between * n->between <= 16 * (p->between + n->between);
}

/* The answers for a class, of the rows of that class, in work->positives, and of all others, in work->negatives, in no
 * order. O(n). */
static inline void moe_ranks_part(const moe_ranks_t *ranks, int32_t positive, moe_ranks_side_t *of_class /* OUT */,
                                  moe_ranks_side_t *of_others /* OUT */)
{
    const moe_scores_task_t *task = ranks->task;
    const moe_scores_work_t *work = ranks->work;
    const int64_t *hits = work->sure_tally, *true_ = hits + task->n_classes, *taken = true_ + task->n_classes;
    const int64_t n_positive = work->tally[positive], others_ones = taken[positive] - hits[positive];
    const int64_t others_zeros = task->n - ranks->n_unsure - true_[positive] - others_ones;
    moe_ranks_side_t p = {n_positive, true_[positive] - hits[positive], 0, hits[positive]};
    moe_ranks_side_t n = {task->n - n_positive, others_zeros, 0, others_ones};
    int astray = 0;
    for (int64_t u = 0; u < ranks->n_unsure; u++) {
        const int32_t i = work->unsure[u];
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
        astray |= !(answer >= 0.0 && answer <= 1.0);
    }
    if (astray) {
        moe_ranks_join(&p, work->positives);
        moe_ranks_join(&n, work->negatives);
    }
    *of_class = p;
    *of_others = n;
}

/* List the rows that are not surely right, class by class. O(n). */
static inline void moe_ranks_list(const moe_ranks_t *ranks)
{
    const moe_scores_work_t *work = ranks->work;
    const int32_t *labels = ranks->task->labels;
    int64_t *ends = work->ends, before = 0;
    for (int32_t c = 0; c < ranks->task->n_classes; c++) {
        ends[c] = before;
        before += work->tally[c] - work->sure_tally[c];
    }
    for (int32_t i = 0; i < ranks->task->n; i++)
        if (work->sure[i] != labels[i]) work->rest[ends[labels[i]]++] = i;
}

/* The answers for class `positive` of the rows of class c, which are listed; returns whether one is below 0 or above 1.
 * O(rows of c). */
static inline int moe_ranks_of_class(const moe_ranks_t *ranks, int32_t c, int32_t positive, double *values /* OUT */,
                                     moe_ranks_side_t *of_class /* OUT */)
{
    const moe_scores_work_t *work = ranks->work;
    const int64_t n_classes = ranks->task->n_classes, n_right = work->sure_tally[c];
    moe_ranks_side_t side = {work->tally[c], c == positive ? 0 : n_right, 0, c == positive ? n_right : 0};
    int astray = 0;
    for (int64_t r = c ? work->ends[c - 1] : 0; r < work->ends[c]; r++) {
        const double answer = ranks->task->answers[work->rest[r] * n_classes + positive];
        const int zero = answer == 0.0, one = answer == 1.0;
        values[side.between] = answer;
        side.zeros += zero;
        side.ones += one;
        side.between += !zero & !one;
        astray |= !(answer >= 0.0 && answer <= 1.0);
    }
    *of_class = side;
    return astray;
}

/* What `moe_ranks_part` says, of the rows of one other class. */
static inline void moe_ranks_pair(const moe_ranks_t *ranks, int32_t positive, int32_t negative,
                                  moe_ranks_side_t *p /* OUT */, moe_ranks_side_t *n /* OUT */)
{
    const int astray = moe_ranks_of_class(ranks, positive, positive, ranks->work->positives, p) |
                       moe_ranks_of_class(ranks, negative, positive, ranks->work->negatives, n);
    if (!astray) return;
    moe_ranks_join(p, ranks->work->positives);
    moe_ranks_join(n, ranks->work->negatives);
}

/* Area under the ROC curve: the share of pairs of two rows, one of the class `positive` and one of the class `negative`
 * (-1 = of any other), that are in the right order, ties counting half; NaN without a pair. O(n log n) of these rows,
 * O(n) where they are sure. */
static inline double moe_ranks_auc(const moe_ranks_t *ranks, int32_t positive, int32_t negative)
{
    if (ranks->task->groups) return moe_groups_auc(ranks->task, ranks->work, positive, negative);
    double *positives = ranks->work->positives, *negatives = ranks->work->negatives;
    int64_t below = 0, up_to = 0, twice; /* n <= 2^30 */
    moe_ranks_side_t p, n;
    if (negative < 0)
        moe_ranks_part(ranks, positive, &p, &n);
    else
        moe_ranks_pair(ranks, positive, negative, &p, &n);
    if (!p.n || !n.n) return NAN;
    twice = p.zeros * n.zeros + p.ones * (2 * n.n - n.ones) + 2 * p.between * n.zeros;
    if (moe_ranks_few(&p, &n)) {
        for (int64_t i = 0; i < p.between; i++)
            for (int64_t j = 0; j < n.between; j++)
                twice += (negatives[j] < positives[i]) + (negatives[j] <= positives[i]);
        return (double)twice / (2.0 * (double)p.n * (double)n.n);
    }
    moe_sorting_sort(positives, p.between, ranks->work->spare);
    moe_sorting_sort(negatives, n.between, ranks->work->spare);
    for (int64_t i = 0; i < p.between; i++) {
        const double answer = positives[i];
        while (below < n.between && negatives[below] < answer) below++;
        if (up_to < below) up_to = below;
        while (up_to < n.between && negatives[up_to] == answer) up_to++;
        twice += below + up_to;
    }
    return (double)twice / (2.0 * (double)p.n * (double)n.n);
}

/* Mean over classes of the precision at each threshold, weighted by the recall that it adds; 0 without a row of the
 * class. */
static inline double moe_ranks_precision(const moe_ranks_t *ranks, int32_t positive)
{
    if (ranks->task->groups) return moe_groups_precision(ranks->task, ranks->work, positive);
    double *positives = ranks->work->positives, *negatives = ranks->work->negatives;
    moe_ranks_side_t p, n;
    double sum = 0.0;
    moe_ranks_part(ranks, positive, &p, &n);
    const int few = moe_ranks_few(&p, &n);
    moe_sorting_sort(positives, p.between, ranks->work->spare);
    if (!few) moe_sorting_sort(negatives, n.between, ranks->work->spare);
    if (p.ones) sum += moe_groups_added(p.n, p.ones, p.ones, n.ones);
    for (int64_t left = p.between, n_others = n.between; left > 0;) { /* those below the threshold */
        const double threshold = positives[left - 1];
        const int64_t before = left;
        while (left > 0 && positives[left - 1] == threshold) left--;
        if (few) {
            n_others = 0;
            for (int64_t j = 0; j < n.between; j++) n_others += negatives[j] < threshold;
        }
        while (!few && n_others > 0 && negatives[n_others - 1] >= threshold) n_others--;
        sum += moe_groups_added(p.n, before - left, p.ones + p.between - left, n.ones + n.between - n_others);
    }
    if (p.zeros) sum += moe_groups_added(p.n, p.zeros, p.n, n.n);
    return sum;
}

/* Mean over the classes of the area under the curve of each against all others, or of its average precision; weighted
 * by their rows or not. */
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

/* Mean over the pairs of classes of the area under the curve, each being the positive one once; weighted by the rows
 * of both or not (Hand and Till 2001). O(n_classes n log n): each row counts in the pairs of its own class alone. */
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
