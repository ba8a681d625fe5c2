"""Data, and two objectives that are arbitrary: known for every mask, without structure."""

import zlib

import numpy as np


def data(rng, n_samples=30, n_features=20, n_classes=3):
    """Noise and, in every third feature, something of the class."""
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::3] += y[:, None]
    return X, y


def first(mask, X, y):
    """A number in [0, 1) that depends on every bit of the mask, and on nothing else."""
    return zlib.crc32(np.packbits(mask)) / 2**32


def second(mask, X, y):
    """Another one."""
    return zlib.crc32(np.packbits(~mask)) / 2**32


def expected(masks):
    """Values of both objectives for many masks."""
    return np.array([[first(mask, None, None), second(mask, None, None)] for mask in masks])
