"""The samples that subsets are evaluated on, as the compiled core, remote workers and other estimators take them."""

from dataclasses import dataclass

import numpy as np

from moeliga._ext import draw
from moeliga._ext.evaluate import Evaluator
from moeliga.base.cached_property import kept
from moeliga.base.hashing import digest
from moeliga.data.dataset import Dataset, Samples


@dataclass(frozen=True, eq=False)
class Ground:
    """The samples that subsets are evaluated on: all, or a subsample.

    It travels to remote workers as what the compiled core needs: the coded samples, and how they are split.

    Attributes
    ----------
    samples : Samples, or Dataset where the compiled core is at work
    n_validation : ndarray of int32, shape (n_classes,)
    rules : tuple of int
        Of the compiled tree: max_depth, min_samples_split and min_samples_leaf.
    rows : ndarray of int64 or None
        Rows of X that they are, ascending; None = all.
    splits : list of pairs of ndarray, or None
        Fixed splits, with some rows of each part; None = as they are, or none.
    """

    samples: Samples
    n_validation: np.ndarray
    rules: tuple
    rows: np.ndarray | None = None
    splits: list | None = None

    @property
    def n_samples(self):
        return self.samples.n_samples

    @property
    def n_features(self):
        return self.samples.n_features

    @kept
    def evaluator(self):
        """Return the compiled core on these samples: `_ext.evaluate.Evaluator`, or None where nothing is coded."""
        coded = isinstance(self.samples, Dataset)
        return Evaluator(self.samples, self.n_validation, *self.rules) if coded else None

    @kept
    def table(self):
        """Return the rows of X as other estimators get them: `Rows`."""
        rows = self.samples.rows if self.rows is None else self.rows[self.samples.rows]
        seen = self.rows if self.splits is None else np.unique(np.concatenate(
            [part for parts in self.splits for part in parts]))
        return Rows(self.samples.class_start, self.n_validation, rows, seen, self.splits)

    @kept
    def arrays(self):
        """Return all arrays that the compiled core needs, each once: list of ndarray."""
        target = self.samples.target
        values = [*vars(self.samples).values(), *(() if target is None else vars(target).values()), self.n_validation]
        return list({id(value): value for value in values if isinstance(value, np.ndarray)}.values())

    @kept
    def fingerprint(self):
        """Return the SHA-256 of the content, so that another fit on the same data finds them at the worker."""
        return digest(np.array(self.rules), *self.arrays)

    @property
    def n_bytes(self):
        return sum(array.nbytes for array in self.arrays)

    def __sizeof__(self):
        """Return the size in bytes: Dask keeps account of what its workers hold."""
        return self.n_bytes

    def __getstate__(self):
        return {"samples": self.samples, "n_validation": self.n_validation, "rules": self.rules, "rows": None,
                "splits": None, "fingerprint": self.fingerprint}


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of X that splits are drawn over, as an estimator of scikit-learn gets them.

    Attributes
    ----------
    class_start, n_validation : ndarray of int32, see `Samples` and `Ground`
    rows : ndarray of int64, shape (n_samples,)
        Row of X that each sample is.
    seen : ndarray of int64 or None
        Rows of X that estimators see, ascending; None = all.
    splits : list of pairs of ndarray, or None, see `Ground`
    """

    class_start: np.ndarray
    n_validation: np.ndarray
    rows: np.ndarray
    seen: np.ndarray | None
    splits: list | None

    def places(self, rows):
        """Return the places of rows of X among those that estimators see."""
        return rows if self.seen is None else np.searchsorted(self.seen, rows)

    def drawn(self, seed, address, n_splits):
        """Yield the stratified splits at an address, as rows of X: pairs (train, validation)."""
        for test in range(n_splits):
            marks = draw.split(seed, (*address, test), self.class_start, self.n_validation)
            yield self.rows[marks == 0], self.rows[marks == 1]
