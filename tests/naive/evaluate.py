"""Algorithm "Evaluate population" the slow way: one subset, one split, one tree at a time."""

import math

import numpy as np

import naive.regression
import naive.relief
import naive.tree
from moeliga._ext import draw


def scale(X):
    """Min-max scaled columns as float32, shape (n_features, n_samples).

    Constant columns are 0; a missing value is the mean of the known ones; a range beyond float64 is halved first.
    """
    X = np.asarray(X, dtype=np.float64)
    values = np.zeros(X.shape[::-1], dtype=np.float32)
    for f, column in enumerate(X.T):
        known = ~np.isnan(column)
        if not known.any():
            continue
        low, high = float(column[known].min()), float(column[known].max())
        if math.isinf(high - low):
            column, low, high = column / 2, low / 2, high / 2
        scaled = (column - low) / (high - low) if high > low else np.where(known, 0.0, np.nan)
        scaled[~known] = math.fsum(scaled[known]) / known.sum()
        values[f] = scaled
    return values


def evaluate(
    X,
    y,
    n_classes,
    masks,
    seed,
    purpose,
    population,
    generation,
    individuals,
    n_splits,
    shared,
    n_validation,
    n_instances,
    replace,
    max_depth=100,
    min_samples_split=2,
    min_samples_leaf=1,
):
    """Objectives I and III of every mask.

    Parameters
    ----------
    X : ndarray of float, shape (n_samples, n_features); NaN = missing; rows sorted by class
    y : ndarray of int, shape (n_samples,), ascending, in [0, n_classes)
    masks : sequence of bool sequences of length n_features, none empty
    seed : ndarray of uint64, shape (2,)
    purpose, population, generation : int
    individuals : number of each mask in its population
    n_splits : int; 0 = no trees
    shared : bool; every mask uses the splits and instances of individual 0
    n_validation : validation samples of each class
    n_instances : int; 0 = no separability
    replace : bool

    Returns
    -------
    uar : list of lists of float, [len(masks)][n_splits]
    separability : list of float; NaN if n_instances is 0
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    class_start = np.searchsorted(y, np.arange(n_classes + 1)).astype(np.int32)
    n_validation = np.asarray(n_validation, dtype=np.int32)
    values = scale(X)
    uar, separability = [], []
    for mask, individual in zip(masks, individuals, strict=True):
        selected = np.flatnonzero(mask)
        where = (purpose, population, generation, 0 if shared else int(individual))
        uar.append([])
        for test in range(n_splits):
            held_out = draw.split(seed, (*where, test), class_start, n_validation) == 1
            chosen = X[:, selected]
            tree = naive.tree.grow(
                chosen[~held_out], y[~held_out], n_classes, max_depth, min_samples_split, min_samples_leaf
            )
            uar[-1].append(naive.tree.uar(y[held_out], naive.tree.predict(tree, chosen[held_out])))
        if n_instances:
            instances = draw.instances(seed, (*where, draw.SAMPLE), len(y), n_instances, replace)
            separability.append(
                naive.relief.separability(values, y[:, None] == y, selected.tolist(), instances.tolist()))
        else:
            separability.append(math.nan)
    return uar, separability


def evaluate_target(
    X,
    y,
    hits,
    masks,
    seed,
    address,
    individuals,
    n_splits,
    shared,
    strata,
    n_validation,
    n_instances,
    replace,
    rules=(100, 2, 1),
):
    """R2 and objective III of every mask.

    Parameters
    ----------
    X : ndarray of float, shape (n_samples, n_features); NaN = missing; rows by ascending target
    y : ndarray of int64, shape (n_samples,), the target in whole steps
    hits : ndarray of bool, shape (n_samples, n_samples), whether j is a hit of i
    address : (purpose, population, generation)
    strata : ndarray of int32, shape (n_strata + 1,), first sample of each, and the number of samples
    n_validation : validation samples of each stratum
    masks, seed, individuals, n_splits, shared, n_instances, replace : as for `evaluate`
    rules : max_depth, min_samples_split, min_samples_leaf

    Returns
    -------
    r2 : list of lists of float, [len(masks)][n_splits]
    separability : list of float; NaN if n_instances is 0
    """
    values = scale(X)
    r2, separability = [], []
    for mask, individual in zip(masks, individuals, strict=True):
        selected = np.flatnonzero(mask)
        where = (*address, 0 if shared else int(individual))
        r2.append([])
        for test in range(n_splits):
            held_out = draw.split(seed, (*where, test), strata, np.asarray(n_validation, dtype=np.int32)) == 1
            chosen = X[:, selected]
            tree = naive.regression.grow(chosen[~held_out], y[~held_out], *rules)
            predicted = naive.regression.predict(tree, chosen[held_out])
            r2[-1].append(naive.regression.r2(y[held_out].tolist(), predicted))
        if n_instances:
            instances = draw.instances(seed, (*where, draw.SAMPLE), len(y), n_instances, replace)
            separability.append(naive.relief.separability(values, hits, selected.tolist(), instances.tolist()))
        else:
            separability.append(math.nan)
    return r2, separability
