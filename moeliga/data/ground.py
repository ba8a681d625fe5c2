"""The samples on which subsets are evaluated, by the compiled core, here or on remote workers, or by scikit-learn."""

from dataclasses import dataclass, fields, replace

import numpy as np

from moeliga._ext import draw
from moeliga._ext.evaluate import Evaluator
from moeliga.base.cached_property import cached_property
from moeliga.base.hashing import digest
from moeliga.data.dataset import Dataset, Samples


@dataclass(frozen=True, eq=False)
class Ground:
    """The samples on which subsets are evaluated: all, or a subsample.

    Its pickle, for remote workers, holds only what the compiled core needs: the coded samples, and their splits.
    """

    samples: Samples  # a Dataset for the compiled core
    n_validation: np.ndarray  # int32, shape (n_classes,)
    rules: tuple = (0, 2, 1)  # max_depth, min_samples_split and min_samples_leaf of the compiled tree
    rows: np.ndarray | None = None  # int64: the rows of X, ascending; None = all
    splits: list | None = None  # pairs of arrays: subsampled rows of each fixed split; None = all of them, or no splits
    score: tuple = (-1, 0)  # number of the compiled score, and the index of its positive class
    parts: np.ndarray | None = None  # uint8, shape (n_splits, n_samples): fixed splits, see `Evaluator`
    scored: tuple = ()  # a Ground for each compiled judge, if there are several, or if they read other samples
    judge: object = None  # `Judge` in place of the compiled tree, or None
    columns: np.ndarray | None = None  # float64, shape (n_features, n_samples): for a judge, in the order of X
    targets: np.ndarray | None = None  # float64, shape (n_samples,): for a judge of a regression, in the order of X
    weights: np.ndarray | None = None  # float64, shape (n_samples,): how often a row counts, in the order of X
    one_out: bool = False  # a judge predicts every sample after learning from others, see `Evaluator`

    @property
    def n_samples(self):
        return self.samples.n_samples

    @property
    def n_features(self):
        return self.samples.n_features

    @property
    def dataset(self):
        """The coded samples: Dataset, or None if they are not coded."""
        return self.samples if isinstance(self.samples, Dataset) else None

    @cached_property
    def evaluator(self):
        """The compiled core on these samples: `_ext.evaluate.Evaluator`, or None if it has nothing to read."""
        if self.columns is None and not isinstance(self.samples, Dataset):
            return None
        judge, forest = (None, self.judge) if self.columns is None else (self.judge, None)
        return Evaluator(self.samples, self.n_validation, *self.rules, *self.score, self.parts, judge, self.columns,
                         self.targets, self.one_out, forest, self.weights)

    def fresh(self, level=None):
        """Return the same samples with an evaluator of their own; `level` is the highest instruction set for it."""
        samples, scored = self.samples, self.scored
        if level is not None and isinstance(samples, Dataset):
            samples = replace(samples, level=min(samples.level, level))
        return replace(self, samples=samples, scored=tuple(ground.fresh(level) for ground in scored))

    @cached_property
    def table(self):
        """The rows of X for estimators of scikit-learn: `Rows`."""
        rows = self.samples.rows if self.rows is None else self.rows[self.samples.rows]
        seen = self.rows if self.splits is None else np.unique(np.concatenate(
            [part for parts in self.splits for part in parts]))
        return Rows(self.samples.class_start, self.n_validation, rows, seen, self.splits)

    @cached_property
    def parts_by_name(self):
        """The arrays and numbers that the compiled core needs, those of `scored` included, by name: dict."""
        target = getattr(self.samples, "target", None)
        found = {**vars(self.samples), **({} if target is None else vars(target)), "n_validation": self.n_validation,
                 "parts": self.parts, "columns": self.columns, "targets": self.targets, "weights": self.weights,
                 "priors": getattr(self.judge, "priors", None), "rules": self.rules, "score": self.score,
                 "one_out": self.one_out, "judge": () if self.judge is None else self.judge.numbers}
        for number, ground in enumerate(self.scored):
            found |= {f"{number} {name}": part for name, part in ground.parts_by_name.items()}
        return found

    @cached_property
    def arrays(self):
        """All arrays that the compiled core needs, each once: list of ndarray."""
        parts = self.parts_by_name.values()
        return list({id(part): part for part in parts if isinstance(part, np.ndarray)}.values())

    @cached_property
    def fingerprint(self):
        """The SHA-256 of the content, by which a worker recognises data that it has already."""
        places = {id(array): place for place, array in enumerate(self.arrays)}
        parts = [f"{name} {places.get(id(part), part)!r}" for name, part in self.parts_by_name.items()
                 if name.rpartition(" ")[2] not in ("level", "target")]  # the same bits with any instruction set
        return digest(np.array(parts), *self.arrays)

    @property
    def n_bytes(self):
        return sum(array.nbytes for array in self.arrays)

    def __sizeof__(self):
        """Return the size in bytes, which Dask uses to account for the memory of its workers."""
        return self.n_bytes

    def __getstate__(self):
        return {**{field.name: getattr(self, field.name) for field in fields(self)}, "rows": None, "splits": None,
                "fingerprint": self.fingerprint}


def parts_of(splits, rows):
    """Return fixed splits for the compiled core, 0 = train, 1 = test, 2 = neither: uint8, shape (n_splits, n_samples).

    `splits` are pairs of rows of X without a row in common, and `rows` is the row of X of each sample.
    """
    parts, place = np.full((len(splits), len(rows)), 2, dtype=np.uint8), np.empty(rows.max() + 1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    for part, (train, test) in zip(parts, splits, strict=True):
        part[place[train]], part[place[test]] = 0, 1
    return parts


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of X on which an estimator of scikit-learn is evaluated, and their splits."""

    class_start: np.ndarray  # as in `Samples`
    n_validation: np.ndarray  # as in `Ground`, and so is `splits`
    rows: np.ndarray  # int64, shape (n_samples,): the row of X of each sample
    seen: np.ndarray | None  # int64: the rows of X that estimators get, ascending; None = all
    splits: list | None

    def places(self, rows):
        """Return the indices of rows of X within `seen`."""
        return rows if self.seen is None else np.searchsorted(self.seen, rows)

    def drawn(self, seed, address, n_splits):
        """Yield the random stratified splits of an address, as rows of X: pairs (train, validation)."""
        for test in range(n_splits):
            marks = draw.split(seed, (*address, test), self.class_start, self.n_validation)
            yield self.rows[marks == 0], self.rows[marks == 1]
