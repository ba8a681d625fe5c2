"""Data, and two objectives that are arbitrary: known for every mask, without structure."""

import zlib

import numpy as np


def sized(n_samples, n_features, n_classes, shuffled=False):
    """Return a function of `data` with these default sizes; `shuffled`: its rows are in random order."""
    def data(rng, n_samples=n_samples, n_features=n_features, n_classes=n_classes):
        """Noise and, in every third feature, something of the class."""
        y = np.arange(n_samples) % n_classes
        y = rng.permutation(y) if shuffled else y
        X = rng.normal(size=(n_samples, n_features))
        X[:, ::3] += y[:, None]
        return X, y

    return data


data = sized(30, 20, 3)


def holed(rng, n_samples, n_features, regression=False):
    """Noise with ties, missing values and something of three classes, or of a target."""
    X = rng.normal(size=(n_samples, n_features)).round(1)
    signal = X[:, 2] + X[:, 5] + rng.normal(size=n_samples)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, signal if regression else (signal > -0.5).astype(int) + (signal > 1)


def masks_with_a_signal(rng, n, n_features):
    """Masks for `holed`, each with a feature that tells something."""
    masks = rng.random((n, n_features)) < 0.4
    masks[:, 2] = True
    return masks


def first(mask, X, y):
    """A number in [0, 1) that depends on every bit of the mask, and on nothing else."""
    return zlib.crc32(np.packbits(mask)) / 2**32


def second(mask, X, y):
    """Another one."""
    return zlib.crc32(np.packbits(~mask)) / 2**32


def expected(masks):
    """Values of both objectives for many masks."""
    return np.array([[first(mask, None, None), second(mask, None, None)] for mask in masks])
