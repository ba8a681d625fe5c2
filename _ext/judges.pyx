"""Judges: compiled models of scikit-learn, which learn from some rows and answer for others."""
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

import numpy as np

from judged cimport check_learnable, judged_data, judges_plan, weights_of
from kernels cimport (DISCRIMINANT_AUTO, DISCRIMINANT_LSQR, DISCRIMINANT_SVD, JUDGES_BAYES, JUDGES_DISCRIMINANT,
                      JUDGES_LEAST_SQUARES, JUDGES_LOGISTIC, JUDGES_NEIGHBOURS, JUDGES_RIDGE, JUDGES_SVM, SCALING_NONE,
                      SCALING_RANGE, SCALING_STANDARD, TOGETHER_MAX_BYTES, answers_data_t, answers_fill, answers_size,
                      answers_split_t, base_level, judges_plan_t, together_features, together_is_supported,
                      together_lay_out, together_t)

KINDS = {"bayes": JUDGES_BAYES, "neighbours": JUDGES_NEIGHBOURS, "ridge": JUDGES_RIDGE,
         "least_squares": JUDGES_LEAST_SQUARES, "discriminant": JUDGES_DISCRIMINANT, "logistic": JUDGES_LOGISTIC,
         "svm": JUDGES_SVM}
"""Numbers of the judges."""

SCALINGS = {"none": SCALING_NONE, "standard": SCALING_STANDARD, "range": SCALING_RANGE}
"""Numbers of the scalings: none, StandardScaler, MinMaxScaler."""

SHRINKAGES = {"svd": DISCRIMINANT_SVD, "lsqr": DISCRIMINANT_LSQR, "auto": DISCRIMINANT_AUTO}
"""Numbers of the discriminant's solvers; "auto": lsqr with that shrinkage."""


def workspace_bytes(judge, int32_t n_learn, int32_t n_ask, int32_t k, int32_t n_classes, bint target,
                    int64_t n_subsets=1, int64_t n_features=1):
    """Return the bytes of the workspace of each thread of `evaluate.Evaluator` for a judge, its answers and scores.

    Parameters
    ----------
    judge : moeliga.evaluation.compiled_judge.Judge
    n_learn, n_ask, k : int >= 1
        Most rows to learn from, rows to answer for, and features.
    n_classes : int >= 1; 1 for a target
    target : bool
    n_subsets : int >= 1, default=1
        Subsets that are evaluated on the same splits: what they share is made once.
    n_features : int >= 1, default=1
        Of the table.

    Returns
    -------
    n_bytes : int
        Also for leave-one-out, if `n_learn` and `n_ask` are the number of samples.
    """
    cdef int32_t one_out
    cdef int64_t most = 0, made = 0
    cdef judges_plan_t plan
    cdef together_t shared
    cdef answers_data_t data
    cdef answers_split_t split = answers_split_t(NULL, NULL, n_learn, n_ask)
    cdef double nothing = 0
    memset(&data, 0, sizeof(data))
    data.n_classes = n_classes
    data.target = &nothing if target else NULL
    data.weights = &nothing
    for one_out in range(1 + judge.closed):
        plan = judges_plan(judge, n_classes, one_out, 0)
        most = max(most, answers_size(&data, &plan, &split, k))
    data.weights = NULL
    plan = judges_plan(judge, n_classes, False, 0)
    if n_subsets > 1 and together_is_supported(&data, &plan):
        together_lay_out(NULL, &data, &plan, &split, (n_features + 63) // 64,
                         together_features(n_subsets, k, n_features), k, &shared, &made)
        made = min(made, <int64_t>TOGETHER_MAX_BYTES)
        if plan.judge == JUDGES_BAYES:  # a subset's own rows are not gathered then
            made = max(0, made - <int64_t>k * (n_learn + n_ask) * 8)
        most += made + n_subsets * <int64_t>sizeof(void *)
    return most + n_ask * (<int64_t>n_classes * 8 + 72) + <int64_t>n_learn * 16 + <int64_t>k * 4 + n_classes * 64


def answers(judge, const double[:, ::1] table, const int32_t[::1] selected, const int32_t[::1] learn,
            const int32_t[::1] ask=None, const int32_t[::1] labels=None, const double[::1] target=None,
            int32_t n_classes=1, int32_t level=base_level(), const double[::1] weights=None):
    """Return the answers of a judge for one subset of features on one split.

    Parameters
    ----------
    judge : moeliga.evaluation.compiled_judge.Judge
    table : ndarray of float64, shape (n_features, n_samples), finite
    selected : ndarray of int32, shape (k,), ascending, in [0, n_features)
    learn : ndarray of int32, shape (n_learn,), in [0, n_samples)
        Rows to learn from.
    ask : ndarray of int32, shape (n_ask,), likewise, or None
        Rows to answer for; None = those to learn from, each without itself.
    labels : ndarray of int32, shape (n_samples,), in [0, n_classes), or None
    target : ndarray of float64, shape (n_samples,), or None
        Of a regression.
    n_classes : int >= 1; 1 for a target
    level : int, default=the best one of this machine
        Instruction set (see `tree.LEVEL`); the result does not depend on it.
    weights : ndarray of float64, shape (n_samples,), finite and >= 0, or None
        How often each row to learn from counts; None = once. Not for neighbours, discriminants and balanced classes.

    Returns
    -------
    answers : ndarray of float64, shape (n_ask, n_classes)
        Probabilities of the classes, or decision values; of a regression the prediction. See `kernels/judges/types.h`.

    Raises
    ------
    ValueError : if a shape does not agree, a number is out of range, or there are too few rows to learn from.
    """
    cdef answers_data_t data = judged_data(table, labels, target, n_classes)
    cdef judges_plan_t plan = judges_plan(judge, n_classes, ask is None, level)
    data.weights = weights_of(&plan, &data, weights)
    cdef answers_split_t split
    cdef int32_t k = <int32_t>selected.shape[0], i
    if k < 1:
        raise ValueError("selected must not be empty")
    for i in range(k):
        if not 0 <= selected[i] < table.shape[0] or (i and selected[i] <= selected[i - 1]):
            raise ValueError(f"selected must be ascending and in [0, {table.shape[0]}), got {selected[i]} at {i}")
    for name, rows in (("learn", learn), ("ask", ask)):
        if rows is not None and np.any((np.asarray(rows) < 0) | (np.asarray(rows) >= data.n_samples)):
            raise ValueError(f"{name} must be in [0, {data.n_samples})")
    check_learnable(&plan, learn.shape[0])
    if labels is None and plan.judge in (JUDGES_BAYES, JUDGES_DISCRIMINANT, JUDGES_LOGISTIC, JUDGES_SVM):
        raise ValueError(f"labels must be given for judge {plan.judge}, a classifier")
    split.learn, split.n_learn = &learn[0], <int32_t>learn.shape[0]
    split.ask, split.n_ask = NULL, split.n_learn
    if ask is not None:
        split.n_ask = <int32_t>ask.shape[0]
        split.ask = &ask[0] if split.n_ask else NULL
    result = np.empty((split.n_ask, n_classes))
    if not split.n_ask:
        return result
    cdef double[:, ::1] cells = result
    cdef uint8_t[::1] work = np.empty(answers_size(&data, &plan, &split, k) // 8, dtype=np.uint64).view(np.uint8)
    with nogil:
        answers_fill(&data, &plan, &split, &selected[0], k, &work[0], NULL, &cells[0, 0])
    return result
