"""A small data set in two parts, as the scripts of benchmarks/paper read them."""

import numpy as np


def save_parts(path, X, y):
    """Write every fourth sample as the test part, the others as the training part; returns the latter."""
    test = np.arange(len(y)) % 4 == 0
    np.savez(path, X_train=X[~test], y_train=y[~test], X_test=X[test], y_test=y[test])
    return X[~test], y[~test]
