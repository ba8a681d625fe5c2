"""Data and masks for the public functions, and separability by a double loop."""

import math
from fractions import Fraction

import numpy as np

import naive.niche
import naive.regression


def data(rng, sizes=(12, 7, 9), n_features=9):
    """Classes of given sizes in random order, with missing values; every third feature tells something."""
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = np.round(rng.normal(size=(len(y), n_features)), 1)
    X[:, ::3] += y[:, None]
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def random_masks(rng, n, n_features):
    """Masks of all densities, never empty."""
    masks = rng.random((n, n_features)) < rng.random((n, 1))
    masks[np.arange(n), rng.integers(n_features, size=n)] = True
    return masks


def scaled(X):
    """Columns over [0, 1]; constant ones are 0, missing values the mean of the known."""
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    Z = (X - low) / np.where(high > low, high - low, 1.0)
    return np.where(np.isnan(Z), np.nanmean(Z, axis=0), Z)


def slow_separability(X, hits, mask, instances):
    """Nearest miss minus nearest hit, by a double loop; hits[i, j] = j is a hit of i."""
    Z, terms = scaled(X)[:, mask], []
    for i in instances:
        hit = miss = math.inf
        for j in range(len(X)):
            distance = np.abs(Z[i] - Z[j]).sum()
            if j != i and hits[i, j]:
                hit = min(hit, distance)
            if not hits[i, j]:
                miss = min(miss, distance)
        if hit < math.inf and miss < math.inf:
            terms.append((miss - hit) / mask.sum())
    return np.mean(terms) if terms else 0.0


def target_data(rng, n_samples=60, n_features=9):
    """A target of eighths, some equal, that every third feature tells something of; missing values."""
    y = rng.integers(300, size=n_samples) / 8
    X = np.round(rng.normal(size=(n_samples, n_features)), 1)
    X[:, ::3] += y[:, None] / 10
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def target_hits(y, neighbours):
    """hits[i, j] = j is a hit of i, in the order of y."""
    rows = np.argsort(y, kind="stable")
    hits = np.zeros((len(y), len(y)), dtype=bool)
    hits[np.ix_(rows, rows)] = naive.regression.hits(y[rows].tolist(), Fraction(str(neighbours)))
    return hits
