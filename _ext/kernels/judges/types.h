/* types: parameters, task and answers of a judge.
 *
 * A judge is a model that scores a subset of features: it learns from the training rows ("learn") and predicts other
 * rows ("ask"). Its answers are a table, from which every score is computed (scores/). Rows come in the order of the
 * caller's table and features in ascending order, so that sums have one order and ties one winner.
 *
 * Every judge J has two functions:
 *   int64_t moe_J_size(const moe_judges_plan_t *, const moe_judges_task_t *)   bytes of its workspace; reads only the
 *       integers of the task, and does not fall when one of them rises
 *   void moe_J_answers(const moe_judges_plan_t *, const moe_judges_task_t *, uint8_t *work, double *answers)
 * Its moe_J_lay or moe_J_lay_out lays the workspace over a buffer and returns its bytes; with NULL it only counts them.
 * answers/ scales the rows and calls the judge that the plan names.
 */
#ifndef MOE_JUDGES_TYPES_H
#define MOE_JUDGES_TYPES_H

#include "base/base.h"
#include "base/poll.h"

#define MOE_JUDGES_BAYES 0         /* GaussianNB */
#define MOE_JUDGES_NEIGHBOURS 1    /* KNeighborsClassifier, KNeighborsRegressor */
#define MOE_JUDGES_RIDGE 2         /* RidgeClassifier, Ridge */
#define MOE_JUDGES_LEAST_SQUARES 3 /* LinearRegression */
#define MOE_JUDGES_DISCRIMINANT 4  /* LinearDiscriminantAnalysis */
#define MOE_JUDGES_LOGISTIC 5      /* LogisticRegression */
#define MOE_JUDGES_SVM 6           /* LinearSVC */
#define MOE_JUDGES 7               /* number of judges */

#define MOE_JUDGES_LEARN 0 /* parts of a split: training samples, samples to predict, and neither */
#define MOE_JUDGES_ASK 1
#define MOE_JUDGES_NEITHER 2

#define MOE_SCALING_NONE 0
#define MOE_SCALING_STANDARD 1 /* StandardScaler */
#define MOE_SCALING_RANGE 2    /* MinMaxScaler, to [0, 1] */

/* Parameters of a judge, checked; they mean what those of scikit-learn's class do. */
typedef struct {
    int32_t judge;         /* one of MOE_JUDGES_... */
    int32_t scaling;       /* one of MOE_SCALING_..., learnt from the training rows */
    int32_t leave_one_out; /* 1: predict each training row after learning from all others */
    int32_t level;         /* instruction set, see moe_base_level */
    int32_t only_argmax;   /* 1: only the largest answer of a row counts, so that judges need not normalise answers to
                              probabilities */
    int32_t decision_values; /* 1: a judge that has both returns decision values, not probabilities, which are rounded
                              to equal numbers where decision values are far apart */
    int32_t whole[4];      /* integer parameters, see the judge */
    double real[4];        /* real parameters, see the judge */
    const double *priors;  /* [n_classes] prior or weight of each class, see the judge, or NULL */
} moe_judges_plan_t;

/* One subset of features on one split. Rows are already scaled, except with leave_one_out: then the judge scales, since
 * the scaling for each row is learnt without it. */
typedef struct {
    double *learn;         /* [n_features, n_learn] training rows, feature after feature; may be overwritten */
    double *ask;           /* [n_features, n_ask] rows to predict, likewise; NULL with leave_one_out */
    const int32_t *labels; /* [n_learn] classes, 0 <= label < n_classes; NULL for a regression */
    const double *target;  /* [n_learn] target of a regression, or NULL */
    const double *weights; /* [n_learn] weight of each row, >= 0 and at least one > 0; NULL: all 1. Only for judges
                              whose class of scikit-learn takes sample weights */
    int32_t n_features;
    int32_t n_learn;
    int32_t n_ask;         /* n_learn with leave_one_out */
    int32_t n_classes;     /* 1 for a regression */
    moe_poll_t *poll;        /* asks the caller whether to stop; NULL: never stop */
} moe_judges_task_t;

/* answers: OUT [n_ask, n_classes]. A classifier writes the probability or the decision value of each class (of two
 * classes -d and d). A class without a training row has probability 0 or decision value -HUGE_VAL. The predicted class
 * is the first one with the largest answer. A regressor writes the prediction. */

#endif
