"""Parts of the samples for the searches of reports, with groups of samples kept together."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold

from moeliga.evaluation.held_out import stratified

RESAMPLE = ("subsample", "bootstrap", "folds", None)
Resample: TypeAlias = Literal["subsample", "bootstrap", "folds"] | None

TRIES = 1000
"""Most draws of groups until a draw has two samples of each class."""


def resampled_rows(labels: NDArray[np.int64], how: Resample, share: float, random: np.random.Generator,
                   groups: NDArray[np.int64] | None = None, classes: bool = True) -> NDArray[np.intp]:
    """Return the rows of one run: ndarray of int, ascending; a subsample has a `share` of each class.

    With `groups`, numbers from 0, whole groups are drawn, and `share` is a share of the groups; ValueError if no draw
    has two samples of each class, or its only one. Without `classes` the labels are deciles of a target, and a draw
    may lack some.
    """
    if how is None:
        return np.arange(len(labels))
    if groups is not None:
        return group_rows(labels if classes else np.zeros_like(labels), how, share, random, groups)
    drawn = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        if how == "subsample":
            part = random.permutation(rows)[: max(2, int(np.ceil(share * len(rows))))]
        else:
            part = random.choice(rows, len(rows))
            while len(rows) > 1 and np.all(part == part[0]):  # copies of a single sample
                part = random.choice(rows, len(rows))
        drawn.append(part)
    return np.sort(np.concatenate(drawn))


def group_rows(labels: NDArray[np.int64], how: Resample, share: float, random: np.random.Generator,
               groups: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the rows of randomly drawn groups, see `resampled_rows`."""
    n, least = int(groups.max()) + 1, np.minimum(np.bincount(labels), 2)
    members = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    for _ in range(TRIES):
        drawn = random.permutation(n)[: max(2, int(np.ceil(share * n)))] if how == "subsample" else random.choice(n, n)
        rows = np.sort(np.concatenate([members[group] for group in drawn]))
        known = np.bincount(labels[np.unique(rows)], minlength=len(least))
        if len(np.unique(drawn)) > 1 and np.all(known >= least):
            return rows
    raise ValueError("groups must allow random draws of groups that hold two samples of each class of y, got none in "
                     f"{TRIES} draws from {n} groups; pass more, smaller groups")


def held_out_part(labels: NDArray[np.int64], share: float, seed: int,
                  groups: NDArray[np.int64] | None = None, classes: bool = True) -> NDArray[np.intp]:
    """Return the rows of a random share of each class: ndarray of int, ascending.

    With `groups` and `classes`, as for `resampled_rows`, it is one of 1 / `share` stratified folds of whole groups,
    rounded, at least two; ValueError if each fold holds all samples of some class.
    """
    if groups is None:
        return stratified(labels, share, seed)
    n_folds = min(max(2, round(1 / share)), int(groups.max()) + 1)
    if n_folds > 1:
        state = int(np.random.default_rng(seed).integers(2**32))
        folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=state)
        for train, test in folds.split(labels, labels, groups):
            if len(test) and len(train) and not (classes and len(np.setdiff1d(labels, labels[train]))):
                return test
    raise ValueError("groups must leave samples of each class of y to search on when whole groups are held out, got "
                     f"{int(groups.max()) + 1} groups; pass X_test and y_test")
