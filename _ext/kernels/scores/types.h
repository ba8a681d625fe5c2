/* types: what a score is computed from.
 *
 * Answers as a judge gives them (judges/types.h), for rows in the order of the caller's table; sums are taken in that
 * order. Every score is larger for better answers. Where scikit-learn raises an error or says that a score is not
 * defined (classes that are missing, too few rows) it is NaN.
 */
#ifndef MOE_SCORES_TYPES_H
#define MOE_SCORES_TYPES_H

#include "base/base.h"

#define MOE_SCORES_UAR 0 /* hits */
#define MOE_SCORES_ACCURACY 1
#define MOE_SCORES_F1 2
#define MOE_SCORES_F1_MACRO 3
#define MOE_SCORES_MATTHEWS 4
#define MOE_SCORES_ROC_AUC 5 /* ranks */
#define MOE_SCORES_ROC_AUC_OVR 6
#define MOE_SCORES_ROC_AUC_OVR_WEIGHTED 7
#define MOE_SCORES_ROC_AUC_OVO 8
#define MOE_SCORES_ROC_AUC_OVO_WEIGHTED 9
#define MOE_SCORES_AVERAGE_PRECISION 10
#define MOE_SCORES_NEG_LOG_LOSS 11 /* probabilities */
#define MOE_SCORES_NEG_BRIER 12
#define MOE_SCORES_SOFT_UAR 13
#define MOE_SCORES_R2 14 /* of a regression */
#define MOE_SCORES_NEG_SQUARED 15
#define MOE_SCORES_NEG_ROOT_SQUARED 16
#define MOE_SCORES_NEG_ABSOLUTE 17
#define MOE_SCORES 18

typedef struct {
    const double *answers; /* [n, n_classes] */
    const int32_t *labels; /* [n] classes of the rows; NULL for a regression */
    const double *target;  /* [n] of a regression, or NULL */
    const uint8_t *learnt; /* [n_classes] 1 = the judge has learnt from a row of the class; NULL for a regression */
    int32_t n;
    int32_t n_classes; /* 1 for a regression */
    int32_t positive;  /* class that F1 and average precision of two classes are of */
    int32_t decisions; /* 1: answers are decision values, not probabilities */
    /* Groups of rows that have the same answers, all in [0, 1]; else NULL and 0: each row has its own. */
    const int32_t *groups;   /* [n_groups] the row of `answers` and `counts` that is theirs */
    const int32_t *counts;   /* rows of each class */
    const int32_t *group_of; /* [n] the same row, of each row that is scored; only for losses */
    const double *losses;    /* likewise what a row of each class loses; only for losses */
    int32_t n_groups;
} moe_scores_task_t;

/* The answer for a class in a group of rows. */
typedef struct {
    double answer;
    int32_t own;   /* rows of the class */
    int32_t other; /* of others */
} moe_scores_item_t;

/* The workspace of a score. */
typedef struct {
    double *positives; /* [n] answers for rows of a class */
    double *negatives; /* [n] for other rows */
    double *spare;     /* [n] */
    int64_t *tally;    /* [3, n_classes] rows of a class that were recognised, that there are, that were taken for it */
    int64_t *sure_tally; /* [3, n_classes] the same of rows that are sure (scores/ranks.h) */
    int32_t *sure;       /* [n] class that a row is sure of, -1 = none */
    int32_t *unsure;     /* [n] the other rows */
    int32_t *rest;       /* [n] class by class, rows that are not sure or sure of another class */
    int64_t *ends;       /* [n_classes] where those of a class end */
    int32_t *sizes;           /* [n] rows of groups */
    moe_scores_item_t *items; /* [n + 1] */
} moe_scores_work_t;

#endif
