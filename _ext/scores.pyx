"""Scores: how good a judge's answers are."""
from libc.stdint cimport int32_t, uint8_t

import numpy as np

from kernels cimport (SCORES_ACCURACY, SCORES_AVERAGE_PRECISION, SCORES_F1, SCORES_F1_MACRO, SCORES_MATTHEWS,
                      SCORES_NEG_ABSOLUTE, SCORES_NEG_BRIER, SCORES_NEG_LOG_LOSS, SCORES_NEG_ROOT_SQUARED,
                      SCORES_NEG_SQUARED, SCORES_R2, SCORES_ROC_AUC, SCORES_ROC_AUC_OVO, SCORES_ROC_AUC_OVO_WEIGHTED,
                      SCORES_ROC_AUC_OVR, SCORES_ROC_AUC_OVR_WEIGHTED, SCORES_SOFT_UAR, SCORES_UAR, score_size,
                      score_value, scores_task_t)

NUMBERS = {
    "uar": SCORES_UAR, "balanced_accuracy": SCORES_UAR, "accuracy": SCORES_ACCURACY, "f1": SCORES_F1,
    "f1_macro": SCORES_F1_MACRO, "matthews_corrcoef": SCORES_MATTHEWS, "roc_auc": SCORES_ROC_AUC,
    "roc_auc_ovr": SCORES_ROC_AUC_OVR, "roc_auc_ovr_weighted": SCORES_ROC_AUC_OVR_WEIGHTED,
    "roc_auc_ovo": SCORES_ROC_AUC_OVO, "roc_auc_ovo_weighted": SCORES_ROC_AUC_OVO_WEIGHTED,
    "average_precision": SCORES_AVERAGE_PRECISION, "neg_log_loss": SCORES_NEG_LOG_LOSS,
    "neg_brier_score": SCORES_NEG_BRIER, "soft_uar": SCORES_SOFT_UAR, "r2": SCORES_R2,
    "neg_mean_squared_error": SCORES_NEG_SQUARED, "neg_root_mean_squared_error": SCORES_NEG_ROOT_SQUARED,
    "neg_mean_absolute_error": SCORES_NEG_ABSOLUTE,
}
"""Numbers of the scores, by scikit-learn's names; "uar" and "soft_uar" are ours."""


def value(name, const double[:, ::1] answers, const int32_t[::1] labels=None, const double[::1] target=None,
          int32_t positive=1, const uint8_t[::1] learnt=None, bint decisions=False):
    """Return the score of answers.

    Parameters
    ----------
    name : str, of `NUMBERS`
    answers : ndarray of float64, shape (n, n_classes), not NaN
        Probabilities, or decision values; of a regression predictions, shape (n, 1).
    labels : ndarray of int32, shape (n,), in [0, n_classes), or None
    target : ndarray of float64, shape (n,), or None
        Of a regression.
    positive : int in [0, n_classes), default=1
        Class that "f1" and "average_precision" of two classes are of.
    learnt : ndarray of uint8, shape (n_classes,), or None, default=None
        1 = the judge has learnt from a row of the class; None = from all.
    decisions : bool, default=False
        Answers are decision values.

    Returns
    -------
    value : float
        Larger is better; NaN where it is not defined, see `kernels/scores/types.h`.

    Raises
    ------
    ValueError : if there is no such score, a shape does not agree or a number is out of range.
    """
    cdef scores_task_t task
    cdef int32_t score, i
    cdef Py_ssize_t n = answers.shape[0], n_classes = answers.shape[1]
    if name not in NUMBERS:
        raise ValueError(f"name must be one of {tuple(NUMBERS)}, got {name!r}")
    score = NUMBERS[name]
    if (labels is None) == (target is None) or (score >= SCORES_R2) != (labels is None):
        raise ValueError(f"{'target' if score >= SCORES_R2 else 'labels'} alone must be given for {name!r}")
    if not 1 <= n <= 1 << 30 or not 1 <= n_classes <= 65536 or (labels is None and n_classes != 1):
        raise ValueError("answers must have 1 to 2**30 rows, and a column for each of 1 to 65,536 classes, or one of a "
                         f"regression, got shape ({n}, {n_classes})")
    if np.isnan(answers).any():
        raise ValueError("answers must not be NaN")
    if learnt is None:
        learnt = np.ones(n_classes, dtype=np.uint8)
    if learnt.shape[0] != n_classes:
        raise ValueError(f"learnt must have {n_classes} entries, got {learnt.shape[0]}")
    if score in (SCORES_F1, SCORES_AVERAGE_PRECISION) and not 0 <= positive < n_classes:
        raise ValueError(f"positive must be in [0, {n_classes}), got {positive}")
    if (labels.shape[0] if target is None else target.shape[0]) != n:
        raise ValueError(f"labels or target must have {n} entries, as answers has rows")
    if target is None:
        for i in range(n):
            if not 0 <= labels[i] < n_classes:
                raise ValueError(f"labels must be in [0, {n_classes}), got {labels[i]}")
    task.answers, task.learnt, task.labels, task.target = &answers[0, 0], &learnt[0], NULL, NULL
    task.groups, task.counts, task.group_of, task.losses, task.n_groups = NULL, NULL, NULL, NULL, 0
    task.n, task.n_classes, task.positive, task.decisions = <int32_t>n, <int32_t>n_classes, positive, decisions
    if target is None:
        task.labels = &labels[0]
    else:
        task.target = &target[0]
    cdef uint8_t[::1] work = np.empty(score_size(n, n_classes) // 8, dtype=np.uint64).view(np.uint8)
    return score_value(score, &task, &work[0])
