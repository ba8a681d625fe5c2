/* hits: scores of predicted classes, from a tally of hits (correct predictions), rows and predictions of each class. */
#ifndef MOE_SCORES_HITS_H
#define MOE_SCORES_HITS_H

#include <math.h>

#include "scores/types.h"

/* Predict for each row the first class with the largest answer; fill the tally, return all hits. O(n n_classes). */
static inline int64_t moe_hits_count(const moe_scores_task_t *task, int64_t *tally /* OUT [3, n_classes] */)
{
    const int32_t n_classes = task->n_classes;
    int64_t n_hits = 0, *hits = tally, *actual = hits + n_classes, *predicted = actual + n_classes;
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
        actual[label]++;
        predicted[best]++;
        n_hits += hit;
    }
    return n_hits;
}

/* Count only the rows of each class. */
static inline void moe_hits_class_counts(const moe_scores_task_t *task, int64_t *counts /* OUT [n_classes] */)
{
    memset(counts, 0, (size_t)task->n_classes * sizeof(int64_t));
    for (int64_t i = 0; i < task->n; i++) counts[task->labels[i]]++;
}

/* Return the mean over the classes that occur of their recall, hits / rows (Eq. `eq:uar`). */
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

/* Return F1 of a class, 2 hits / (rows + predicted); 0 if it neither occurs nor is predicted. */
static inline double moe_hits_f1(const int64_t *tally, int32_t n_classes, int32_t c)
{
    const int64_t both = tally[n_classes + c] + tally[2 * n_classes + c];
    return both ? 2.0 * (double)tally[c] / (double)both : 0.0;
}

/* Return the mean of F1 over the classes that occur or are predicted. */
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

/* Return Matthews' correlation of the true and the predicted class: with t_c rows and p_c predictions of each class,
 * (n hits - sum t p) / sqrt((n^2 - sum p^2) (n^2 - sum t^2)); 0 where one of them does not vary. */
static inline double moe_hits_matthews(const int64_t *tally, int32_t n_classes, int64_t n_hits, int64_t n)
{
    int64_t both = 0, actual = 0, predicted = 0; /* n <= 2^30 */
    for (int32_t c = 0; c < n_classes; c++) {
        both += tally[n_classes + c] * tally[2 * n_classes + c];
        actual += tally[n_classes + c] * tally[n_classes + c];
        predicted += tally[2 * n_classes + c] * tally[2 * n_classes + c];
    }
    const double product = (double)(n * n - predicted) * (double)(n * n - actual);
    return product > 0.0 ? (double)(n_hits * n - both) / sqrt(product) : 0.0;
}

#endif
