"""The folds of a cross-fitted search."""

from numbers import Integral

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from moeliga.base.random_streams import Purpose, random_states
from moeliga.base.text import count
from moeliga.base.warning_filters import quiet, warn
from moeliga.data.dataset import varies
from moeliga.data.problem import Problem
from moeliga.evaluation.estimator_scorer import splits_of
from moeliga.evaluation.path import has_needed_classes
from moeliga.results.text import shorten


def folds_of(honest, problem, metadata, seed, scoring=None, cv=None):
    """Return the folds: list of pairs (train, test) of ndarray of int64, rows of X; empty, or at least two.

    An integer `honest` is the number of random folds, stratified by class or deciles of the target, with the samples of
    a group together; there are fewer, with a UserWarning, if no class but the largest has as many samples, or groups.
    Folds that cannot be searched are left out, with a UserWarning; if fewer than two are left, or all hold out the same
    class, there are none. ValueError if a splitter, which gets the metadata's `split` entries, gives fewer than two
    folds, or a row in both parts; and if `cv` cannot split the training samples of a fold. `scoring` and `cv` are those
    of the guide.
    """
    if isinstance(honest, Integral):
        groups = metadata.split.get("groups")
        found = random_folds(int(honest), problem, groups, seed)
    else:
        found = list(splits_of("honest", honest, problem, metadata.split))
        if len(found) < 2:
            raise ValueError(f"honest must give at least two (train, test) pairs of rows, got {len(found)} from "
                             f"{honest!r}")
        for train, test in found:
            if len(np.intersect1d(train, test)):
                raise ValueError("honest must give training and test rows that have none in common, got "
                                 f"{np.intersect1d(train, test)[0]} in both")
    kept = [(np.sort(train), np.sort(test)) for train, test in found
            if len(test) and searchable(problem, train, metadata, scoring, cv)]
    if len(kept) < len(found):
        few = "" if len(kept) > 1 else ", so there are no honest scores"
        what = ("only one target value or only constant features" if problem.regression else
                "only one class, no class of two samples, only constant features, or a class too small for the score")
        warn(f"{len(found) - len(kept)} of {len(found)} folds of honest are left out{few}: they hold out no samples, "
             f"or their training samples have {what}")
    return kept if len(kept) > 1 and hold_out_two_classes(problem, kept) else []


def hold_out_two_classes(problem, folds):
    """Return True if the folds hold out two classes, or for a regressor; warn of classes that no fold holds out."""
    if problem.regression:
        return True
    labels, n_samples = np.unique(problem.labels, return_counts=True)
    held = np.unique(problem.labels[np.concatenate([test for _, test in folds])])
    if len(held) < 2:
        warn(f"the folds of honest hold out samples of class {problem.values[held[0]]!s} alone, so there are "
             "no honest scores")
        return False
    missing = [str(problem.values[label]) for label in labels[n_samples > 1] if label not in held]
    if missing:
        what = f"class {missing[0]}" if len(missing) == 1 else f"{len(missing)} classes ({shorten(missing, 60)})"
        warn(f"the folds of honest hold out no sample of {what}, so honest scores tell nothing of "
             f"{'it' if len(missing) == 1 else 'them'}")
    return True


def searchable(problem, rows, metadata, scoring, cv):
    """Return True if the rows have at least two classes, a varying feature, and splits on which a score is defined."""
    values, sizes = np.unique(problem.y[rows], return_counts=True)
    if len(values) < 2 or not (problem.regression or sizes.max() > 1) or not varies(problem.X, rows):
        return False
    part = Problem(np.empty((len(rows), 0)), problem.y[rows], problem.regression)  # splitters do not read X
    try:
        return has_needed_classes(scoring, cv, part, metadata.part(rows))
    except ValueError as error:
        raise ValueError(f"{error} (of the {len(rows)} training samples of a fold of honest)") from error


def random_folds(n_folds, problem, groups, seed):
    """Return `n_folds` random folds, or as many as the data allow: list of pairs (train, test)."""
    n_samples, labels = len(problem.y), problem.classes()
    groups = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    units = np.arange(n_samples) if groups is None else groups
    # the second largest class must have a unit for each fold
    several = sorted(len(np.unique(units[labels == label])) for label in np.unique(labels))
    most = len(np.unique(units)) if problem.regression else several[-2]
    if most < n_folds:
        whose = "there are not" if problem.regression else "no class but the largest has"
        given = f"{most} folds" if most > 1 else "no honest scores"
        warn(f"honest={n_folds} gives {given} here: {whose} more than "
             f"{count(most, 'sample' if groups is None else 'group')}")
    n_folds = min(n_folds, most)
    if n_folds < 2:
        return []
    state, = random_states(seed, (Purpose.FOLD, 0, 0, 0, 0))
    rows = np.zeros(n_samples)
    plain, stratified = (KFold, StratifiedKFold) if groups is None else (GroupKFold, StratifiedGroupKFold)
    kind = stratified if np.bincount(labels).max() >= n_folds else plain
    with quiet():  # scikit-learn warns of a class with fewer samples than folds
        return list(kind(n_folds, shuffle=True, random_state=state).split(rows, labels, groups))
