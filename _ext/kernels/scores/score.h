/* score: computes a score by its number. */
#ifndef MOE_SCORES_SCORE_H
#define MOE_SCORES_SCORE_H

#include "base/buffers.h"
#include "scores/groups.h"
#include "scores/hits.h"
#include "scores/losses.h"
#include "scores/ranks.h"

/* Lay the workspace over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_score_lay(uint8_t *buffer, int64_t n, int64_t n_classes, moe_scores_work_t *work /* OUT */)
{
    const int64_t wide = (int64_t)sizeof(double);
    int64_t at = 0;
    work->positives = moe_buffers_next(buffer, n * wide, &at);
    work->negatives = moe_buffers_next(buffer, n * wide, &at);
    work->spare = moe_buffers_next(buffer, (n > n_classes ? n : n_classes) * wide, &at);
    work->tally = moe_buffers_next(buffer, 3 * n_classes * (int64_t)sizeof(int64_t), &at);
    work->one_hot_tally = moe_buffers_next(buffer, 3 * n_classes * (int64_t)sizeof(int64_t), &at);
    work->one_hot = moe_buffers_next(buffer, n * (int64_t)sizeof(int32_t), &at);
    work->mixed = moe_buffers_next(buffer, n * (int64_t)sizeof(int32_t), &at);
    work->listed = moe_buffers_next(buffer, n * (int64_t)sizeof(int32_t), &at);
    work->ends = moe_buffers_next(buffer, n_classes * (int64_t)sizeof(int64_t), &at);
    work->sizes = moe_buffers_next(buffer, n * (int64_t)sizeof(int32_t), &at);
    work->items = moe_buffers_next(buffer, (n + 1) * (int64_t)sizeof(moe_scores_item_t), &at);
    return at;
}

/* Return the bytes of the workspace for n rows. */
static inline int64_t moe_score_size(int64_t n, int64_t n_classes)
{
    moe_scores_work_t work;
    return moe_score_lay(NULL, n, n_classes, &work);
}

/* Return the number of classes that occur, or 0 if these are not exactly the classes with training rows: then scores of
 * probabilities, and of more than two classes, are undefined. */
static inline int32_t moe_score_classes(const moe_scores_task_t *task, const int64_t *counts)
{
    int32_t n_present = 0;
    for (int32_t c = 0; c < task->n_classes; c++) {
        if ((counts[c] > 0) != (task->learnt[c] != 0)) return 0;
        n_present += counts[c] > 0;
    }
    return n_present;
}

/* Return a score of a regression. */
static inline double moe_score_target(int32_t score, const moe_scores_task_t *task)
{
    if (score == MOE_SCORES_R2) return moe_losses_r2(task);
    if (score == MOE_SCORES_NEG_ABSOLUTE) return -moe_losses_absolute(task);
    const double squared = moe_losses_squared(task);
    return score == MOE_SCORES_NEG_SQUARED ? -squared : -sqrt(squared);
}

/* Return a score of predicted classes. */
static inline double moe_score_hits(int32_t score, const moe_scores_task_t *task, const moe_scores_work_t *work)
{
    const int64_t n_hits = task->groups ? moe_groups_count(task, work->tally) : moe_hits_count(task, work->tally);
    switch (score) {
    case MOE_SCORES_UAR: return moe_hits_uar(work->tally, task->n_classes);
    case MOE_SCORES_ACCURACY: return (double)n_hits / (double)task->n;
    case MOE_SCORES_F1: return moe_hits_f1(work->tally, task->n_classes, task->positive);
    case MOE_SCORES_F1_MACRO: return moe_hits_f1_macro(work->tally, task->n_classes);
    default: return moe_hits_matthews(work->tally, task->n_classes, n_hits, task->n);
    }
}

/* Return a score of ranks or of probabilities. */
static inline double moe_score_probabilities(int32_t score, const moe_scores_task_t *task,
                                             const moe_scores_work_t *work)
{
    const int64_t *counts = work->tally;
    const int two = task->n_classes == 2;
    if (task->groups)
        moe_groups_class_counts(task, work);
    else
        moe_hits_class_counts(task, work->tally);
    if (score == MOE_SCORES_SOFT_UAR) return moe_losses_soft_uar(task, counts, work->spare);
    if (two && !(task->learnt[0] && task->learnt[1])) return NAN; /* a class was not learnt */
    const int ranked = score <= MOE_SCORES_AVERAGE_PRECISION && !task->groups;
    const moe_ranks_t ranks = ranked ? moe_ranks_find_one_hot(task, work) : (moe_ranks_t){task, work, 0};
    if (two && score == MOE_SCORES_AVERAGE_PRECISION) return moe_ranks_precision(&ranks, task->positive);
    if (two && score == MOE_SCORES_NEG_BRIER) return moe_losses_brier(task, 1);
    const int32_t n_present = moe_score_classes(task, counts);
    if (n_present < 2) return NAN;
    if (score == MOE_SCORES_NEG_LOG_LOSS) return moe_losses_log(task);
    if (score == MOE_SCORES_NEG_BRIER) return moe_losses_brier(task, n_present == 2);
    if (two) return moe_ranks_auc(&ranks, 1, -1);
    switch (score) {
    case MOE_SCORES_ROC_AUC_OVR: return moe_ranks_each(&ranks, 0, 0);
    case MOE_SCORES_ROC_AUC_OVR_WEIGHTED: return moe_ranks_each(&ranks, 0, 1);
    case MOE_SCORES_ROC_AUC_OVO: return moe_ranks_pairs(&ranks, 0);
    case MOE_SCORES_ROC_AUC_OVO_WEIGHTED: return moe_ranks_pairs(&ranks, 1);
    case MOE_SCORES_AVERAGE_PRECISION: return moe_ranks_each(&ranks, 1, 0);
    default: return NAN; /* roc_auc requires two classes */
    }
}

/* Return whether an answer is NaN, as a judge's answers may be if its sums overflow. */
static inline int moe_score_has_nan(const moe_scores_task_t *task)
{
    const int64_t n_cells = task->groups ? 0 : (int64_t)task->n * task->n_classes;
    int64_t found = 0; /* as wide as an answer: compilers take several at a time */
    for (int64_t i = 0; i < n_cells; i++) found |= -(int64_t)(task->answers[i] != task->answers[i]);
    return found != 0;
}

/* Return score MOE_SCORES_...; NaN without rows, or if an answer is NaN. O(n n_classes), of ranks times log n. */
static inline double moe_score_value(int32_t score, const moe_scores_task_t *task,
                                     uint8_t *buffer /* workspace [moe_score_size()] aligned to 8 */)
{
    moe_scores_work_t work;
    moe_score_lay(buffer, task->n, task->n_classes, &work);
    if (!task->n || moe_score_has_nan(task)) return NAN;
    if (score >= MOE_SCORES_R2) return moe_score_target(score, task);
    return score < MOE_SCORES_ROC_AUC ? moe_score_hits(score, task, &work)
                                      : moe_score_probabilities(score, task, &work);
}

#endif
