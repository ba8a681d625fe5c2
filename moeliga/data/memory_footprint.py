"""How much memory coded data and the work on them take, in closed form."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from moeliga._ext import code, evaluate, relief
from moeliga.base.memory_demand import Demand, Part
from moeliga.data.dataset import BLOCK_BYTES

EXACT_ORDER = 1 << 16
"""Samples up to which a sample's number takes two bytes."""

TILE_BYTES, TILE_COLUMNS = 1 << 23, 16
"""As in `_ext/code.pyx`."""

LOOKED_AT = 1 << 22
"""Cells of X that a look takes in."""

LEVELS = 20
"""Levels that trees are taken to have where memory is only touched as they grow."""


@dataclass(frozen=True)
class Table:
    """What is known of X and y before they are coded.

    Attributes
    ----------
    n_samples, n_features : int
    itemsize : int
        4 or 8: float32 or float64.
    n_classes : int
        1 for a target.
    n_stored : int or None
        Values of a sparse X; None = dense.
    converted : int
        Bytes of a copy of X in another format.
    n_codes : float or None
        Distinct values of a feature, on average; None = not known: as many as there can be.
    most_codes : int or None
        Of the feature with most of them.
    """

    n_samples: int
    n_features: int
    itemsize: int
    n_classes: int = 2
    n_stored: int | None = None
    converted: int = 0
    n_codes: float | None = None
    most_codes: int | None = None

    @classmethod
    def of(cls, X, n_classes):
        """What can be said without a look at the values.

        Parameters
        ----------
        X : ndarray or CSC or CSR of float32 or float64
        n_classes : int
        """
        if not issparse(X):
            return cls(*X.shape, X.dtype.itemsize, n_classes)
        converted = 0 if X.format == "csc" else X.nnz * (X.dtype.itemsize + X.indices.itemsize) + 8 * X.shape[1]
        return cls(*X.shape, X.dtype.itemsize, n_classes, X.nnz, converted)

    def looked_at(self, X):
        """The same with the codes of some columns of X counted."""
        n_looked = min(self.n_features, max(1, LOOKED_AT // self.n_samples))
        columns = np.unique(np.linspace(0, self.n_features - 1, n_looked).round().astype(int))
        X = X[:, columns].toarray() if issparse(X) else X[:, columns]
        counts = [min(code.MAX, len(np.unique(X[:, f]))) for f in range(len(columns))]
        return replace(self, n_codes=float(np.mean(counts)), most_codes=max(counts))

    def rows(self, n):
        """The same of `n` of the samples: `Table`."""
        stored, converted = (value and value * n // self.n_samples for value in (self.n_stored, self.converted))
        codes, most = (value and min(value, n) for value in (self.n_codes, self.most_codes))
        return replace(self, n_samples=n, n_stored=stored, converted=converted, n_codes=codes, most_codes=most)

    @property
    def cells(self):
        return self.n_samples * self.n_features

    @property
    def code_limit(self):
        """Codes that a feature has at most: int."""
        return min(self.n_samples, code.MAX) if self.most_codes is None else self.most_codes

    @property
    def edges(self):
        """Bytes of the smallest value of each code, and of the largest where values share a code."""
        n_codes = float(self.code_limit)
        if self.n_codes is not None:
            n_codes = self.n_codes
        elif self.n_stored is not None:
            n_codes = min(n_codes, self.n_stored / self.n_features + 1)
        return int(self.n_features * n_codes * self.itemsize) * (2 if self.code_limit == code.MAX else 1)

    def columns(self, n_features):
        """Bytes of the coded columns of so many features, without their edges."""
        width = (1 if self.code_limit < 256 else 2) + (2 if self.n_samples <= EXACT_ORDER else 4)
        padded = -(-self.n_samples // relief.LANES) * relief.LANES
        return n_features * (self.n_samples * width + 4 * padded)

    def coded(self):
        """The coded data, which stay: `Part`."""
        kept = self.columns(self.n_features) + self.edges + 13 * self.n_features + 50 * self.n_samples
        return Part(f"the coded data ({self.n_samples:,} samples x {self.n_features:,} features)", kept)

    def coding(self, n_threads):
        """What coding them takes besides: `Part`."""
        n_columns, taken = self.n_features, 32 * self.n_features + 24 * self.n_samples
        if self.n_stored is not None:  # a block of columns after the other
            n_columns = min(n_columns, max(1, BLOCK_BYTES // (self.n_samples * self.itemsize)))
            taken += self.converted + self.edges + self.columns(n_columns) + n_columns * self.n_samples * self.itemsize
        stride = 8 * ((self.n_samples + 15) // 8 * 8 + 8)
        tile = min(max(TILE_BYTES // stride, 1), TILE_COLUMNS, max(n_columns // (4 * n_threads), 1))
        return Part("coding them", taken + n_threads * (tile + 2) * stride)

    def smaller(self):
        """Ways to have less of it: list of pairs (how, table)."""
        ways = [("half of the features", replace(self, n_features=max(1, self.n_features // 2))),
                ("half of the samples", replace(self, n_samples=max(1, self.n_samples // 2)))]
        return ([("X as float32", replace(self, itemsize=4))] if self.itemsize == 8 else []) + ways


@dataclass(frozen=True)
class Work:
    """Evaluation by the compiled core: who evaluates what.

    Attributes
    ----------
    n_threads : int
    n_largest : int
        Features of the largest subset.
    n_train : int
        Samples of a training part.
    n_instances : int
        Of objective III.
    max_depth : int
        Of trees.
    """

    n_threads: int
    n_largest: int
    n_train: int
    n_instances: int
    max_depth: int

    def part(self, table, target):
        """Work spaces of the threads: `Part`."""
        sizes = []
        for depth in (min(self.max_depth, LEVELS), self.max_depth):
            n_bytes, n_open = evaluate.room(table.n_samples, table.n_classes, table.code_limit, self.n_train,
                                            self.n_largest, depth, self.n_instances, target)
            sizes.append((n_bytes, n_open))
        (touched, n_open), (reserved, _) = sizes
        return Part(f"the work of {self.n_threads} thread{'s'[: self.n_threads > 1]} on subsets of up to "
                    f"{self.n_largest:,} features", self.n_threads * (touched - n_open), self.n_threads * reserved)


@dataclass(frozen=True)
class Tree:
    """A fit of a single tree, over all features.

    Attributes
    ----------
    table : Table
    target : bool
    n_threads : int
    """

    table: Table
    target: bool
    n_threads: int

    @classmethod
    def of(cls, X, n_classes, threads):
        """The fit of a tree to checked data of so many classes, None = to a target, by so many threads."""
        return cls(Table.of(X, n_classes or 1), n_classes is None, threads)

    def looked_at(self, X):
        """The same with the codes of some columns of X counted."""
        return replace(self, table=self.table.looked_at(X))

    def demand(self):
        """`Demand`"""
        table, n = self.table, self.table.n_samples
        bits = (n - 1).bit_length() + (table.n_classes - 1).bit_length() + table.code_limit.bit_length()
        width = 4 if bits <= 32 else 8
        columns = Part("the columns of the tree", (table.n_features + 2) * n * width)
        desks = Part("the threads", self.n_threads * n * (width + 1), self.n_threads * n * (width + 1 + 40))
        node = 48 if self.target else 28 + 4 * table.n_classes
        nodes = Part(f"the nodes of {table.n_classes:,} classes" if not self.target else "the nodes",
                     2 * n * node, 3 * n * node)
        return Demand("fit", [[table.coded(), table.coding(self.n_threads)], [table.coded(), columns, desks, nodes]])

    def smaller(self):
        """Ways to need less: list of pairs (how, tree)."""
        ways = [("n_jobs=1", replace(self, n_threads=1))] if self.n_threads > 1 else []
        return ways + [(how, replace(self, table=table)) for how, table in self.table.smaller()]
