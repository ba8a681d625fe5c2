/* types: input and workspace of a score.
 *
 * A score is computed from the answers of a judge (judges/types.h), for rows in the order of the caller's table; sums
 * are taken in that order. Every score is larger for better answers. It is NaN where scikit-learn raises an error or
 * warns that the score is undefined (missing classes, too few rows).
 */
#ifndef MOE_SCORES_TYPES_H
#define MOE_SCORES_TYPES_H

#include "base/base.h"

#define MOE_SCORES_UAR 0 /* computed from predicted classes (scores/hits.h) */
#define MOE_SCORES_ACCURACY 1
#define MOE_SCORES_F1 2
#define MOE_SCORES_F1_MACRO 3
#define MOE_SCORES_MATTHEWS 4
#define MOE_SCORES_ROC_AUC 5 /* computed from ranks (scores/ranks.h) */
#define MOE_SCORES_ROC_AUC_OVR 6
#define MOE_SCORES_ROC_AUC_OVR_WEIGHTED 7
#define MOE_SCORES_ROC_AUC_OVO 8
#define MOE_SCORES_ROC_AUC_OVO_WEIGHTED 9
#define MOE_SCORES_AVERAGE_PRECISION 10
#define MOE_SCORES_NEG_LOG_LOSS 11 /* computed from probabilities (scores/losses.h) */
#define MOE_SCORES_NEG_BRIER 12
#define MOE_SCORES_SOFT_UAR 13
#define MOE_SCORES_R2 14 /* scores of a regression (scores/losses.h) */
#define MOE_SCORES_NEG_SQUARED 15
#define MOE_SCORES_NEG_ROOT_SQUARED 16
#define MOE_SCORES_NEG_ABSOLUTE 17
#define MOE_SCORES 18 /* number of scores */

/* Answers and truth. */
typedef struct {
    const double *answers; /* [n, n_classes] */
    const int32_t *labels; /* [n] classes of the rows; NULL for a regression */
    const double *target;  /* [n] target of a regression, or NULL */
    const uint8_t *learnt; /* [n_classes] 1: the class has a training row; NULL for a regression */
    int32_t n;
    int32_t n_classes; /* 1 for a regression */
    int32_t positive;  /* the class whose F1, and with two classes whose average precision, is computed */
    int32_t decisions; /* 1: answers are decision values, not probabilities */
    /* Groups of rows that share their answers, all in [0, 1]; NULL and 0 if each row has its own answers. */
    const int32_t *groups;   /* [n_groups] the row of `answers` and `counts` of each group */
    const int32_t *counts;   /* [., n_classes] rows of each class */
    const int32_t *group_of; /* [n] the row of `losses` of each scored row; only for losses */
    const double *losses;    /* [., n_classes] loss of a row of each class; only for losses */
    int32_t n_groups;
} moe_scores_task_t;

/* The answer for a class, shared by a group of rows. */
typedef struct {
    double answer;
    int32_t own;   /* rows of the class in the group */
    int32_t other; /* rows of the other classes considered */
} moe_scores_item_t;

/* Workspace of a score. A row is one-hot if its answer is 1 for one class and 0 for all others, else mixed. */
typedef struct {
    double *positives;        /* [n] answers for rows of the positive class */
    double *negatives;        /* [n] answers for other rows */
    double *spare;            /* [max(n, n_classes)] scratch */
    int64_t *tally;           /* [3, n_classes] correctly predicted rows of a class, its rows, rows predicted as it */
    int64_t *one_hot_tally;   /* [3, n_classes] the same of one-hot rows alone */
    int32_t *one_hot;         /* [n] class with the answer 1, -1: the row is mixed */
    int32_t *mixed;           /* [n] mixed rows */
    int32_t *listed;          /* [n] rows that are mixed, or one-hot for a wrong class, class by class */
    int64_t *ends;            /* [n_classes] end of each class in `listed` */
    int32_t *sizes;           /* [n] rows of each group */
    moe_scores_item_t *items; /* [n + 1] */
} moe_scores_work_t;

#endif
