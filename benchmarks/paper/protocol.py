"""Outer splits: what a method may choose its features on, and what judges the choice.

A single split of sets of this size proves little, so comparisons rest on repeated stratified splits of all rows. Rows
that are equal in every feature stay on one side, else a tree could recognise them. The set's own parts, the authors'
where they are to be had, are a split of their own, "own", which is kept apart.
"""

from dataclasses import dataclass

import numpy as np

N_SPLITS = 10
TEST_SIZE = 0.3
OWN = "own"
"""Name of the split that a data set comes with; the others are called "0", "1", ..."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of a data set in two parts.

    Attributes
    ----------
    name : str
    train, test : ndarray of int, ascending
    note : str
        What could not be done as it should; "" as a rule.
    """

    name: str
    train: np.ndarray
    test: np.ndarray
    note: str = ""


def copies(X):
    """Number of the group of equal rows that each row belongs to: ndarray of int, shape (n_samples,)."""
    X = np.ascontiguousarray(X, dtype=np.float64) + 0.0
    rows = X.view(np.dtype((np.void, X.itemsize * X.shape[1]))).ravel()
    return np.unique(rows, return_inverse=True)[1]


def outer_splits(data, n_splits=N_SPLITS, seed=0, test_size=TEST_SIZE):
    """The splits of a data set: its own parts first, if it has some, then random ones.

    Parameters
    ----------
    data : DataSet
    n_splits : int >= 0
        Random stratified splits.
    seed : int >= 0
        The first splits do not depend on their number.
    test_size : float in (0, 1)

    Returns
    -------
    splits : list of Split
    """
    splits = []
    if data.in_test is not None:
        splits.append(Split(OWN, np.flatnonzero(~data.in_test), np.flatnonzero(data.in_test)))
    groups = copies(data.X)
    for i in range(n_splits):
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,)))
        in_test, note = draw(data.y, groups, test_size, random)
        splits.append(Split(str(i), np.flatnonzero(~in_test), np.flatnonzero(in_test), note))
    return splits


def draw(y, groups, test_size, random):
    """A stratified test part that takes groups whole.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
    groups : ndarray of int, shape (n_samples,)
        Rows of one number stay together. A group whose rows differ in class counts for the class of its first row.
    test_size : float in (0, 1)
    random : numpy.random.Generator

    Returns
    -------
    in_test : ndarray of bool, shape (n_samples,)
    note : str

    Notes
    -----
    Of a class of n rows max(1, round(test_size n)) go to the test part, or as many below as its groups allow; at least
    one group stays in the training part. A class of a single group goes there as a whole, and the note says so.
    """
    in_test, alone = np.zeros(len(y), dtype=bool), []
    numbers, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    for label in np.unique(y):
        own = np.flatnonzero(y[first] == label)
        if len(own) < 2:
            alone.append(int(label))
            continue
        left = max(1, round(test_size * int(sizes[own].sum())))
        order = random.permutation(own)
        taken = []
        for group in order:
            if sizes[group] <= left and len(taken) < len(own) - 1:
                taken.append(group)
                left -= sizes[group]
        if not taken:  # all groups are larger than the test part should be
            taken = [order[np.argmin(sizes[order])]]
        in_test |= np.isin(groups, numbers[taken])
    note = f"classes {alone} have one distinct row and are in the training part only" if alone else ""
    return in_test, note
