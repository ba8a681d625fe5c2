# Checks of what `Evaluator` is given, each of one argument or of a few that belong together.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from kernels cimport (ASK, LEARN, NEITHER, N_SCORES, RELIEF_LANES, SCORES_AVERAGE_PRECISION, SCORES_F1, SCORES_R2,
                      SCORES_UAR, bits_padded, data_t, relief_invalid_hits)

# Most samples of a forest's tree, each as often as it counts.
cdef enum:
    MOST_COUNTED_SAMPLES = 1 << 22


cdef inline check_values(const data_t *data, int64_t n_features, const float[:, ::1] values,
                         const int32_t[::1] hits_from, const int32_t[::1] hits_to):
    """Raise ValueError unless objective III can read the scaled values, and the range of hits of each sample."""
    cdef int64_t n_samples = data.n_samples
    cdef int32_t astray
    if values.shape[0] != n_features or values.shape[1] < n_samples or values.shape[1] % RELIEF_LANES:
        raise ValueError(f"dataset.values must have {n_features} rows of at least {n_samples} columns, a multiple of "
                         f"{RELIEF_LANES}, got shape ({values.shape[0]}, {values.shape[1]})")
    if hits_from.shape[0] != n_samples or hits_to.shape[0] != n_samples:
        raise ValueError(f"dataset.hits_from and dataset.hits_to must have {n_samples} entries, got "
                         f"{hits_from.shape[0]} and {hits_to.shape[0]}")
    astray = relief_invalid_hits(&hits_from[0], &hits_to[0], data.n_samples)
    if astray >= 0:
        raise ValueError(f"dataset's hits of sample {astray} must be a range in [0, {n_samples}) with "
                         f"{astray} in it, got [{hits_from[astray]}, {hits_to[astray]})")


cdef inline int32_t count_training(const int32_t[::1] class_start, const int32_t[::1] n_validation) except -1:
    """Return the number of training samples of a drawn split, after checking the validation samples of each class."""
    cdef int32_t n_classes = <int32_t>class_start.shape[0] - 1, n_samples = class_start[n_classes], n_train, c
    if n_validation.shape[0] != n_classes:
        raise ValueError(f"n_validation must have {n_classes} entries, got {n_validation.shape[0]}")
    n_train = n_samples
    for c in range(n_classes):
        if not 0 <= n_validation[c] < class_start[c + 1] - class_start[c]:
            raise ValueError(f"n_validation[{c}] must be in [0, {class_start[c + 1] - class_start[c]}), got "
                             f"{n_validation[c]}")
        n_train -= n_validation[c]
    if n_train == n_samples:
        raise ValueError("n_validation must be > 0 for at least one class")
    return n_train


cdef inline int32_t check_score(const data_t *data, int32_t score, int32_t positive) except -1:
    """Return the number of the score, for -1 that of UAR or R2, if the data have it."""
    cdef bint regression = data.target != NULL
    if score == -1:
        score = SCORES_R2 if regression else SCORES_UAR
    if not 0 <= score < N_SCORES or (score >= SCORES_R2) != regression:
        raise ValueError(f"score must be the number of a score of {'a target' if regression else 'classes'}, got "
                         f"{score}")
    if score in (SCORES_F1, SCORES_AVERAGE_PRECISION) and not 0 <= positive < data.n_classes:
        raise ValueError(f"positive must be in [0, {data.n_classes}), got {positive}")
    return score


cdef inline tuple count_parts(const uint8_t[:, ::1] splits, int64_t n_samples):
    """Return the training and the validation samples of each fixed split: two ndarrays of int32, shape (n_splits,)."""
    parts = np.asarray(splits)
    if parts.shape[0] < 1 or parts.shape[1] != n_samples or parts.max() > NEITHER:
        raise ValueError(f"splits must be 0, 1 or 2 for {n_samples} samples of at least one split, got "
                         f"shape ({parts.shape[0]}, {parts.shape[1]})")
    n_learn = (parts == LEARN).sum(axis=1, dtype=np.int32)
    n_ask = (parts == ASK).sum(axis=1, dtype=np.int32)
    if not (n_learn.all() and n_ask.all()):
        raise ValueError("splits must have a sample to learn from and one to answer for in each, split "
                         f"{np.flatnonzero((n_learn == 0) | (n_ask == 0))[0]} has not")
    return n_learn, n_ask


cdef inline int64_t check_counts(weights, int64_t n_samples, int64_t most_drawn) except -1:
    """Return the most that the samples of a node can count together, if all weights are whole numbers."""
    cdef int64_t most
    if len(weights) != n_samples or np.any((weights < 0) | (weights != np.floor(weights))):
        raise ValueError(f"weights must be {n_samples} whole numbers >= 0")
    most = max(1, most_drawn * int(weights.max()))
    if most > MOST_COUNTED_SAMPLES:
        raise ValueError(f"weights must add up to {MOST_COUNTED_SAMPLES} at most, got {most}")
    return most


cdef inline check_subsets(const uint64_t[:, ::1] bits, const int32_t[::1] features, const int32_t[::1] individuals,
                          int64_t n_features):
    """Raise ValueError unless each row of `bits` can be a subset of `features`, with the number of an individual."""
    cdef int64_t n = bits.shape[0], n_positions = features.shape[0], i, row
    if n_positions < 1 or bits.shape[1] != (n_positions + 63) // 64:
        raise ValueError(f"bits must have {(n_positions + 63) // 64} words a row for {n_positions} features, "
                         f"got {bits.shape[1]}")
    for i in range(n_positions):
        if not 0 <= features[i] < n_features or (i and features[i] <= features[i - 1]):
            raise ValueError(f"features must be ascending and in [0, {n_features}), got {features[i]} at {i}")
    if individuals.shape[0] != n:
        raise ValueError(f"individuals must have {n} entries, got {individuals.shape[0]}")
    for i in range(n):
        if individuals[i] < 0:
            raise ValueError(f"individuals must be >= 0, got {individuals[i]}")
    row = bits_padded(&bits[0, 0], n, n_positions) if n else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {n_positions}, got one in row {row}")
