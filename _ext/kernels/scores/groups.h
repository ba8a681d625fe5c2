/* groups: scores of rows that share their answers in groups, as the rows of a leaf of a tree do.
 *
 * Rows are counted group by group, not one by one; the scores are the same, bit for bit.
 */
#ifndef MOE_SCORES_GROUPS_H
#define MOE_SCORES_GROUPS_H

#include <math.h>

#include "scores/types.h"

#define MOE_GROUPS_FEW 12 /* up to this many items, comparing all pairs is faster than sorting */

/* Fill the tally and return the number of hits, as moe_hits_count does. O(n_groups n_classes). */
static inline int64_t moe_groups_count(const moe_scores_task_t *task, int64_t *tally /* OUT [3, n_classes] */)
{
    const int32_t n_classes = task->n_classes;
    int64_t n_hits = 0, *hits = tally, *actual = hits + n_classes, *predicted = actual + n_classes;
    memset(tally, 0, 3 * (size_t)n_classes * sizeof(int64_t));
    for (int32_t g = 0; g < task->n_groups; g++) {
        const double *row = task->answers + task->groups[g] * (int64_t)n_classes;
        const int32_t *counts = task->counts + task->groups[g] * (int64_t)n_classes;
        int32_t best = 0, size = 0;
        double most = row[0];
        for (int32_t c = 0; c < n_classes; c++) {
            const int more = row[c] > most;
            best = more ? c : best;
            most = more ? row[c] : most;
            size += counts[c];
            actual[c] += counts[c];
        }
        hits[best] += counts[best];
        predicted[best] += size;
        n_hits += counts[best];
    }
    return n_hits;
}

/* Count the rows of each class into work->tally, and of each group into work->sizes. O(n_groups n_classes). */
static inline void moe_groups_class_counts(const moe_scores_task_t *task, const moe_scores_work_t *work)
{
    const int32_t n_classes = task->n_classes;
    memset(work->tally, 0, (size_t)n_classes * sizeof(int64_t));
    for (int32_t g = 0; g < task->n_groups; g++) {
        const int32_t *counts = task->counts + task->groups[g] * (int64_t)n_classes;
        int32_t size = 0;
        for (int32_t c = 0; c < n_classes; c++) {
            size += counts[c];
            work->tally[c] += counts[c];
        }
        work->sizes[g] = size;
    }
}

/* Numbers of answers for a class that are 0, 1 and between, of the rows of that class and of the other class (or all
 * others). The groups with answers between are in work->items, in no order. */
typedef struct {
    int64_t n_items, zeros, ones, between, other_zeros, other_ones;
} moe_groups_partition_t;

/* Partition the groups by their answers for class `positive`, against `negative` (-1: all others). O(n_groups). */
static inline moe_groups_partition_t moe_groups_partition(const moe_scores_task_t *task, const moe_scores_work_t *work,
                                                          int32_t positive, int32_t negative)
{
    const int32_t n_classes = task->n_classes;
    moe_groups_partition_t part = {0, 0, 0, 0, 0, 0};
    for (int32_t g = 0; g < task->n_groups; g++) {
        const int64_t at = task->groups[g] * (int64_t)n_classes;
        const double answer = task->answers[at + positive];
        const int32_t own = task->counts[at + positive];
        const int32_t other = negative < 0 ? work->sizes[g] - own : task->counts[at + negative];
        const int zero = answer == 0.0, one = answer == 1.0, between = !zero & !one & ((own | other) > 0);
        work->items[part.n_items] = (moe_scores_item_t){answer, own, other};
        part.n_items += between;
        part.zeros += zero ? own : 0;
        part.other_zeros += zero ? other : 0;
        part.ones += one ? own : 0;
        part.other_ones += one ? other : 0;
        part.between += between ? own : 0;
    }
    return part;
}

/* Sort items by their answers. Shell sort: O(n^1.5). */
static inline void moe_groups_sort(moe_scores_item_t *items /* IN and OUT [n] */, int64_t n)
{
    int64_t gap = 1;
    while (gap < n / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int64_t i = gap; i < n; i++) {
            const moe_scores_item_t item = items[i];
            int64_t j = i;
            for (; j >= gap && items[j - gap].answer > item.answer; j -= gap) items[j] = items[j - gap];
            items[j] = item;
        }
    }
}

/* Return the number of pairs of a row of the class and one of the other in the right order, times 2; ties count 1. */
static inline int64_t moe_groups_pairs(moe_scores_item_t *items /* IN and OUT [n] */, int64_t n)
{
    int64_t doubled = 0, below = 0;
    if (n <= MOE_GROUPS_FEW) {
        for (int64_t i = 0; i < n; i++) {
            int64_t pairs = 0;
            for (int64_t j = 0; j < n; j++)
                pairs += items[j].other * ((items[j].answer < items[i].answer) + (items[j].answer <= items[i].answer));
            doubled += items[i].own * pairs;
        }
        return doubled;
    }
    moe_groups_sort(items, n);
    for (int64_t i = 0, end; i < n; i = end) { /* items with equal answers */
        int64_t own = 0, other = 0;
        for (end = i; end < n && items[end].answer == items[i].answer; end++) {
            own += items[end].own;
            other += items[end].other;
        }
        doubled += own * (2 * below + other);
        below += other;
    }
    return doubled;
}

/* Return the area under the ROC curve, as moe_ranks_auc does. O(n_groups^1.5). */
static inline double moe_groups_auc(const moe_scores_task_t *task, const moe_scores_work_t *work, int32_t positive,
                                    int32_t negative)
{
    const int64_t n_own = work->tally[positive];
    const int64_t n_other = negative < 0 ? task->n - n_own : work->tally[negative];
    if (!n_own || !n_other) return NAN;
    const moe_groups_partition_t part = moe_groups_partition(task, work, positive, negative);
    const int64_t doubled = part.zeros * part.other_zeros + part.ones * (2 * n_other - part.other_ones) +
                          2 * part.between * part.other_zeros + moe_groups_pairs(work->items, part.n_items);
    return (double)doubled / (2.0 * (double)n_own * (double)n_other);
}

/* Return what a threshold adds to the average precision: the recall n_new / n_own that it adds, times the precision
 * n_taken / (n_taken + n_others_taken) of all rows at or above it. */
static inline double moe_groups_precision_step(int64_t n_own, int64_t n_new, int64_t n_taken, int64_t n_others_taken)
{
    return (double)n_new / (double)n_own * ((double)n_taken / ((double)n_taken + (double)n_others_taken));
}

/* Return the average precision, as moe_ranks_precision does. O(n_groups^1.5). */
static inline double moe_groups_precision(const moe_scores_task_t *task, const moe_scores_work_t *work,
                                          int32_t positive)
{
    const moe_groups_partition_t part = moe_groups_partition(task, work, positive, -1);
    const moe_scores_item_t *items = work->items;
    const int64_t n_own = work->tally[positive];
    int64_t predicted = part.ones, others = part.other_ones;
    double sum = 0.0;
    moe_groups_sort(work->items, part.n_items);
    if (part.ones) sum += moe_groups_precision_step(n_own, part.ones, predicted, others);
    for (int64_t i = part.n_items - 1; i >= 0;) { /* thresholds in descending order */
        const double threshold = items[i].answer;
        int64_t n_new = 0;
        for (; i >= 0 && items[i].answer == threshold; i--) {
            n_new += items[i].own;
            others += items[i].other;
        }
        predicted += n_new;
        if (n_new) sum += moe_groups_precision_step(n_own, n_new, predicted, others);
    }
    if (part.zeros) sum += moe_groups_precision_step(n_own, part.zeros, n_own, task->n - n_own);
    return sum;
}

#endif
