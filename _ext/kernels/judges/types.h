/* types: what a judge is asked, and what it answers.
 *
 * A judge is a model that scores a subset of features: it learns from some rows and answers for others.
 * Its answers are a table, from which every score is computed (scores/). Rows come in the order of the
 * caller's table and features in ascending order, so that sums have one order and ties one winner.
 *
 * Every judge J has two functions:
 *   int64_t moe_J_size(const moe_judges_plan_t *, const moe_judges_task_t *)   bytes of its workspace; reads the
 *       numbers of the task alone, and does not fall when one of them rises
 *   void moe_J_answers(const moe_judges_plan_t *, const moe_judges_task_t *, uint8_t *work, double *answers)
 * answers/ scales the rows and asks the judge that the plan names.
 */
#ifndef MOE_JUDGES_TYPES_H
#define MOE_JUDGES_TYPES_H

#include "base/base.h"
#include "base/ear.h"

#define MOE_JUDGES_BAYES 0         /* GaussianNB */
#define MOE_JUDGES_NEIGHBOURS 1    /* KNeighborsClassifier, KNeighborsRegressor */
#define MOE_JUDGES_RIDGE 2         /* RidgeClassifier, Ridge */
#define MOE_JUDGES_LEAST_SQUARES 3 /* LinearRegression */
#define MOE_JUDGES_DISCRIMINANT 4  /* LinearDiscriminantAnalysis */
#define MOE_JUDGES_LOGISTIC 5      /* LogisticRegression */
#define MOE_JUDGES_SVM 6           /* LinearSVC */
#define MOE_JUDGES 7

#define MOE_JUDGES_LEARN 0 /* parts of a split: samples to learn from, to answer for, and neither */
#define MOE_JUDGES_ASK 1
#define MOE_JUDGES_NEITHER 2

#define MOE_SCALING_NONE 0
#define MOE_SCALING_STANDARD 1 /* StandardScaler */
#define MOE_SCALING_RANGE 2    /* MinMaxScaler, to [0, 1] */

/* How a judge is set: its parameters, checked, as scikit-learn's class of that name has them. */
typedef struct {
    int32_t judge;         /* one of MOE_JUDGES_... */
    int32_t scaling;       /* one of MOE_SCALING_..., learnt from the rows to learn from */
    int32_t leave_one_out; /* 1: the rows to answer for are those to learn from, each answered for without itself */
    int32_t level;         /* instruction set, see moe_base_level */
    int32_t largest;       /* 1: which answer of a row is the largest is all that counts, so that judges may spare
                              what makes probabilities of them */
    int32_t decide;        /* 1: a judge that has both answers with decision values, not with probabilities, which are
                              equal where values are far from each other */
    int32_t whole[4];      /* parameters that are integers, see the judge */
    double real[4];        /* parameters that are not */
    const double *priors;  /* [n_classes] a number for each class, see the judge, or NULL */
} moe_judges_plan_t;

/* One subset on one split. Rows are scaled already, but with leave_one_out: there each row is answered for by a
 * scaling that is learnt without it, which is for the judge to do. */
typedef struct {
    double *learn;         /* [n_features, n_learn] rows to learn from, feature after feature; may be overwritten */
    double *ask;           /* [n_features, n_ask] rows to answer for, likewise; NULL with leave_one_out */
    const int32_t *labels; /* [n_learn] classes, 0 <= label < n_classes, or NULL */
    const double *target;  /* [n_learn] of a regression, or NULL */
    const double *weights; /* [n_learn] how often each row counts, >= 0 and one of them above; NULL: all once. For
                              those judges whose class of scikit-learn takes weights of samples */
    int32_t n_features;
    int32_t n_learn;
    int32_t n_ask;         /* n_learn with leave_one_out */
    int32_t n_classes;     /* 1 for a target */
    moe_ear_t *ear;        /* NULL: answered to the end */
} moe_judges_task_t;

/* answers: OUT [n_ask, n_classes]. Of a classifier with probabilities those; with decision values those of
 * each class, and of two classes -d and d. A class of no row to learn from has 0 as its probability, -HUGE_VAL
 * as its decision value. The predicted class is the first one of the largest answer. Of a regressor the prediction. */

#endif
