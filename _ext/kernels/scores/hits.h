/* hits: scores of the predicted classes, from counts. */
#ifndef MOE_SCORES_HITS_H
#define MOE_SCORES_HITS_H

#include <math.h>

#include "scores/types.h"

/* Count by class; returns the number of rows that were recognised. O(n n_classes). */
static inline int64_t moe_hits_count(const moe_scores_task_t *task, int64_t *tally /* OUT [3, n_classes] */)
{
    const int32_t n_classes = task->n_classes;
    int64_t n_hits = 0, *hits = tally, *true_ = hits + n_classes, *taken = true_ + n_classes;
    memset(tally, 0, 3 * (size_t)n_classes * sizeof(int64_t));
    for (int64_t i = 0; i < task->n; i++) {
        const double *row = task->answers + i * n_classes;
        const int32_t label = task->labels[i];
        int32_t best = 0;
        double most = row[0];
        for (int32_t c = 1; c < n_classes; c++) {
            const int more = row[c] > most;
            best = more ? c : best;
            most = more ? row[c] : most;
        }
        const int hit = best == label;
        hits[label] += hit;
        true_[label]++;
        taken[best]++;
        n_hits += hit;
    }
    return n_hits;
}

/* Count the rows of each class alone. */
static inline void moe_hits_true(const moe_scores_task_t *task, int64_t *counts /* OUT [n_classes] */)
{
    memset(counts, 0, (size_t)task->n_classes * sizeof(int64_t));
    for (int64_t i = 0; i < task->n; i++) counts[task->labels[i]]++;
}

/* Mean over the classes that occur of the share that was recognised (Eq. `eq:uar`). */
static inline double moe_hits_uar(const int64_t *tally, int32_t n_classes)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < n_classes; c++) {
        if (!tally[n_classes + c]) continue;
        sum += (double)tally[c] / (double)tally[n_classes + c];
        n_present++;
    }
    return n_present ? sum / (double)n_present : NAN;
}

/* F1 of a class: 0 where it neither occurs nor is predicted. */
static inline double moe_hits_f1(const int64_t *tally, int32_t n_classes, int32_t c)
{
    const int64_t both = tally[n_classes + c] + tally[2 * n_classes + c];
    return both ? 2.0 * (double)tally[c] / (double)both : 0.0;
}

/* Mean of F1 over the classes that occur or are predicted. */
static inline double moe_hits_f1_macro(const int64_t *tally, int32_t n_classes)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < n_classes; c++) {
        if (!tally[n_classes + c] && !tally[2 * n_classes + c]) continue;
        sum += moe_hits_f1(tally, n_classes, c);
        n_present++;
    }
    return n_present ? sum / (double)n_present : NAN;
}

/* Matthews' correlation of the true and the predicted class: 0 where one of them does not vary. */
static inline double moe_hits_matthews(const int64_t *tally, int32_t n_classes, int64_t n_hits, int64_t n)
{
    int64_t both = 0, true_ = 0, taken = 0; /* n <= 2^30 */
    for (int32_t c = 0; c < n_classes; c++) {
        both += tally[n_classes + c] * tally[2 * n_classes + c];
        true_ += tally[n_classes + c] * tally[n_classes + c];
        taken += tally[2 * n_classes + c] * tally[2 * n_classes + c];
    }
    const double product = (double)(n * n - taken) * (double)(n * n - true_);
    return product > 0.0 ? (double)(n_hits * n - both) / sqrt(product) : 0.0;
}

#endif
