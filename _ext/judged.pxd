# A compiled judge, and the rows that it learns from, as the C kernels see them: checked once, shared by the judges and
# the evaluate rooms.
from libc.math cimport HUGE_VAL
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.string cimport memset

from coded cimport check_sizes, widths
from kernels cimport (DISCRIMINANT_AUTO, DISCRIMINANT_LSQR, DISCRIMINANT_SVD, JUDGES, JUDGES_BAYES, JUDGES_DISCRIMINANT,
                      JUDGES_LEAST_SQUARES, JUDGES_LOGISTIC, JUDGES_NEIGHBOURS, JUDGES_RIDGE, JUDGES_SVM, SCALING_NONE,
                      SCALING_RANGE, answers_data_t, base_level, data_t, judges_plan_t)


cdef inline check_linear(const judges_plan_t *plan):
    """Raise ValueError unless the parameters of a linear judge are in range, and allow leave-one-out if it is asked."""
    cdef double number = plan.real[0], other = plan.real[1]
    cdef int32_t kind = plan.whole[0]
    cdef bint right = 0 <= number < HUGE_VAL and 0 <= other < HUGE_VAL
    cdef bint closed = False
    if plan.judge == JUDGES_RIDGE:
        closed = number > 0 and plan.scaling == SCALING_NONE
    elif plan.judge == JUDGES_LEAST_SQUARES:
        right = right and number == 0
    elif plan.judge == JUDGES_DISCRIMINANT:
        right = right and DISCRIMINANT_SVD <= kind <= DISCRIMINANT_AUTO and number <= 1
        closed = kind == DISCRIMINANT_SVD or (kind == DISCRIMINANT_LSQR and plan.scaling == SCALING_NONE)
    elif plan.judge == JUDGES_LOGISTIC or plan.judge == JUDGES_SVM:
        right = right and number > 0 and (other > 0 or plan.judge == JUDGES_LOGISTIC) and plan.whole[2] >= 0
    if not right:
        raise ValueError(f"judge.real must be as _ext/kernels/linear has it, got {number} and {other}, with "
                         f"judge.whole {kind}, {plan.whole[1]}, {plan.whole[2]}")
    if plan.leave_one_out and not closed:
        raise ValueError(f"leave-one-out has no closed form for judge {plan.judge} with these parameters: rows to "
                         "answer for must be given")


cdef inline judges_plan_t judges_plan(judge, int32_t n_classes, bint leave_one_out, int32_t level) except *:
    """Check the parameters of a judge and point to them; the caller keeps `judge` alive.

    judge : object with the attributes of `moeliga.evaluation.compiled_judge.Judge`:
        kind, scaling int, whole tuple of int, real tuple of float, priors float64 [n_classes] or None
    """
    cdef judges_plan_t plan
    cdef const double[::1] priors
    cdef int32_t i
    plan.judge, plan.scaling = judge.kind, judge.scaling
    plan.leave_one_out, plan.level, plan.only_argmax, plan.decision_values = leave_one_out, level, False, False
    if not 0 <= plan.judge < JUDGES or not SCALING_NONE <= plan.scaling <= SCALING_RANGE:
        raise ValueError(f"judge must be of a kind and a scaling of _ext/kernels/judges, got {plan.judge} and "
                         f"{plan.scaling}")
    if not 0 <= level <= base_level():
        raise ValueError(f"level must be in [0, {base_level()}], got {level}")
    for i in range(4):
        plan.whole[i] = judge.whole[i] if i < len(judge.whole) else 0
        plan.real[i] = judge.real[i] if i < len(judge.real) else 0.0
    if plan.judge == JUDGES_NEIGHBOURS and plan.whole[0] < 1:
        raise ValueError(f"judge.whole[0], the neighbours, must be >= 1, got {plan.whole[0]}")
    if plan.judge not in (JUDGES_BAYES, JUDGES_NEIGHBOURS):
        check_linear(&plan)
    plan.priors = NULL
    if judge.priors is not None:
        priors = judge.priors
        if priors.shape[0] != n_classes:
            raise ValueError(f"priors must have {n_classes} entries, one for each class, got {priors.shape[0]}")
        plan.priors = &priors[0]
    return plan


cdef inline answers_data_t judged_data(const double[:, ::1] table, const int32_t[::1] labels,
                                       const double[::1] target, int32_t n_classes) except *:
    """Check the table and what is known of its rows, and point to them: `labels` or `target` is None."""
    cdef answers_data_t data
    cdef int64_t n_samples = table.shape[1], i
    if not 1 <= table.shape[0] < 1 << 31 or not 1 <= n_samples <= 1 << 30:
        raise ValueError(f"table must have 1 to 2**31 - 1 features and 1 to 2**30 samples, got {table.shape[0]} and "
                         f"{n_samples}")
    if (labels is None) == (target is None):
        raise ValueError("labels or target must be given, and not both")
    data.table, data.labels, data.target, data.weights = &table[0, 0], NULL, NULL, NULL
    data.n_samples = <int32_t>n_samples
    data.n_classes = n_classes
    if n_classes < 1 or (target is not None and n_classes != 1):
        raise ValueError(f"n_classes must be >= 1, and 1 for a target, got {n_classes}")
    if target is not None:
        if target.shape[0] != n_samples:
            raise ValueError(f"target must have {n_samples} entries, got {target.shape[0]}")
        data.target = &target[0]
        return data
    if labels.shape[0] != n_samples:
        raise ValueError(f"labels must have {n_samples} entries, got {labels.shape[0]}")
    for i in range(n_samples):
        if not 0 <= labels[i] < n_classes:
            raise ValueError(f"labels must be in [0, {n_classes}), got {labels[i]}")
    data.labels = &labels[0]
    return data


cdef inline const double *weights_of(const judges_plan_t *plan, const answers_data_t *data,
                                     const double[::1] weights) except *:
    """Check the weights of rows to learn from, and point to them; NULL for None."""
    cdef int64_t i
    if weights is None:
        return NULL
    if plan.judge in (JUDGES_NEIGHBOURS, JUDGES_DISCRIMINANT):
        raise ValueError(f"weights must be None for judge {plan.judge}, which takes none")
    if plan.judge in (JUDGES_RIDGE, JUDGES_LOGISTIC, JUDGES_SVM) and plan.whole[1]:
        raise ValueError("weights must be None beside balanced classes")
    if weights.shape[0] != data.n_samples:
        raise ValueError(f"weights must have {data.n_samples} entries, got {weights.shape[0]}")
    for i in range(data.n_samples):
        if not 0 <= weights[i] < HUGE_VAL:
            raise ValueError(f"weights must be finite and >= 0, got {weights[i]} at {i}")
        if plan.leave_one_out and (plan.judge != JUDGES_RIDGE or weights[i] == 0):
            raise ValueError("leave-one-out has no closed form with weights but for ridge, and those above 0, got "
                             f"{weights[i]} at {i} for judge {plan.judge}")
    return &weights[0]


cdef inline check_learnable(const judges_plan_t *plan, int64_t n_learn):
    """Raise ValueError unless there are enough rows to learn from."""
    cdef int64_t n_others = n_learn - plan.leave_one_out
    if n_others < 1:
        raise ValueError(f"a judge must have a row to learn from, got {n_others}")
    if plan.judge == JUDGES_NEIGHBOURS and plan.whole[0] > n_others:
        raise ValueError(f"n_neighbors must be at most {n_others}, the rows to learn from, got {plan.whole[0]}")


cdef inline data_t uncoded(samples, const double[::1] target) except *:
    """Check samples without values, for judges alone; the caller keeps them alive. Of `target`, None for classes, only
    whether it is there is for the core to see."""
    cdef const uint16_t[::1] labels = samples.labels
    cdef const int32_t[::1] class_start = samples.class_start
    cdef int64_t n_samples = labels.shape[0], n_features = samples.n_features
    cdef data_t data
    check_sizes(n_features, n_samples, class_start)
    memset(&data, 0, sizeof(data))
    data.labels = &labels[0]
    data.target = NULL if target is None else <int64_t *>&target[0]
    data.n_features = <int32_t>n_features
    data.n_samples = <int32_t>n_samples
    data.n_classes = <int32_t>class_start.shape[0] - 1 if target is None else 1
    data.level = base_level()
    widths(&data, 1)
    return data
