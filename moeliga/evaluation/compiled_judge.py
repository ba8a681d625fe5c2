"""Compiled judges: estimators as numbers for the compiled core, and checks of the estimators' parameters."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from moeliga._ext.judges import KINDS, SHRINKAGES
from moeliga.base.random_streams import seed_words

TREE, FOREST = -1, -2
"""Kinds of the compiled tree and forest, which read the coded data and no values."""

ROW_COST, PAIR_COST = 1e-7, 1e-9
"""Upper estimates in seconds for each feature: of a row; of a comparison of two rows."""

ITERATIONS = 20
"""Typical number of iterations of logistic regression and of support vector machines."""


class NotCompiled(Exception):
    """Raised for an estimator without a compiled form; the message is the parameter that is the reason."""


@dataclass(frozen=True, eq=False)
class Judge:
    """A compiled judge: scikit-learn's estimator as numbers, see `_ext/kernels/judges/types.h`."""

    name: str  # of scikit-learn's class
    kind: int  # of `KINDS`, or `TREE` or `FOREST`
    regression: bool
    closed: bool  # leave-one-out has a closed form
    whole: tuple = ()  # parameters that are integers
    real: tuple = ()  # parameters that are floats
    priors: np.ndarray | None = None  # float64, shape (n_classes,); for linear judges the weights of the classes
    scaling: int = 0  # of `SCALINGS`
    model: object = None  # for `FOREST`: the forest of this package
    class_weight: dict | str | None = None  # weights of classes by label; for trees and forests "balanced", too
    weights: np.ndarray | None = None  # float64, shape (n_samples,): how often each row of X counts, see `with_weights`

    @property
    def coded(self):
        """True if it reads the coded data, where values may be missing; False if it reads the values themselves."""
        return self.kind in (TREE, FOREST)

    @property
    def balanced(self):
        """True if it weighs each class by the number of its training rows."""
        linear = self.kind in (KINDS["ridge"], KINDS["logistic"], KINDS["svm"])
        return bool(self.whole[1]) if linear else isinstance(self.class_weight, str)

    @property
    def bagged(self):
        """True if it is a forest whose trees can predict the samples that they have not drawn (out of bag)."""
        return self.kind == FOREST and bool(self.model.bootstrap)

    @property
    def rules(self):
        """The max_depth, min_samples_split and min_samples_leaf of a single tree; (0, 2, 1) for other judges: tuple."""
        return self.whole if self.kind == TREE else (0, 2, 1)

    @property
    def n_trees(self):
        """The number of trees of a forest: int."""
        return int(self.model.n_estimators)

    @property
    def stopping(self):
        """The max_depth, min_samples_split and min_samples_leaf of a forest: tuple of int."""
        return self.model.rules()

    @property
    def random_cuts(self):
        """True if a forest draws its thresholds at random: bool."""
        return self.model.random_cuts

    @property
    def seed(self):
        """The seed of a forest, ndarray of uint64 of shape (2,); None if it has none."""
        return None if self.model.random_state is None else seed_words(self.model.random_state)

    def drawn(self, n_samples):
        """Return the number of samples that a tree of a forest draws from `n_samples`, 0 = it takes all: int."""
        return self.model.n_drawn(n_samples)

    def tried(self, n_features):
        """Return the number of features that a forest draws at a node from `n_features`, 0 = all are tried: int."""
        return self.model.n_tried(n_features)

    @property
    def decides(self):
        """True if it is a classifier that predicts decision values, and no probabilities."""
        return self.kind in (KINDS["ridge"], KINDS["svm"]) and not self.regression

    @property
    def centres(self):
        """True if it centres X where the model, scikit-learn's discriminant "lsqr", does not.

        Its decision values then differ from the model's by a number that is the same for all classes of a sample.
        """
        return self.kind == KINDS["discriminant"] and self.whole[0] != SHRINKAGES["svd"]

    @property
    def numbers(self):
        """Its kind, its scaling, and its parameters in `whole` and `real`: tuple of numbers."""
        return self.kind, self.scaling, *self.whole, *self.real

    def seconds(self, n_samples, n_splits, one_out):
        """Estimate the seconds for each feature of a subset, on `n_splits` splits of `n_samples`: float."""
        if self.kind == FOREST:
            return n_splits * n_samples * self.n_trees * ROW_COST
        if self.kind == KINDS["neighbours"]:
            return n_splits * n_samples**2 * (1.0 if one_out else 0.21) * PAIR_COST
        iterated = self.kind in (KINDS["logistic"], KINDS["svm"])
        return n_splits * n_samples * ROW_COST * (ITERATIONS if iterated else 1)


class Parameters(dict):
    """The parameters of an estimator by name, and checks that raise NotCompiled for a value without a compiled form."""

    def check_equal(self, **values):
        """Raise NotCompiled for the first of the named parameters that has another value."""
        for name, value in values.items():
            same = self[name] == value
            if not (isinstance(same, bool | np.bool_) and same):  # an array is compared entry by entry
                self.refuse(name)

    def check_choice(self, name, *values):
        """Raise NotCompiled unless a parameter is one of `values`, each of them text, a bool or None."""
        value = self[name]
        if not (value is None or isinstance(value, (str, bool))) or value not in values:
            self.refuse(name)

    def number(self, name, kind, fits):
        """Return a parameter that must be of `kind`, Integral or Real, and for which ``fits(value)`` must be True."""
        value = self[name]
        if isinstance(value, bool) or not isinstance(value, kind) or not fits(value):
            self.refuse(name)
        return value

    def positive(self, name):
        """Return a parameter that must be a finite number above 0: float."""
        return float(self.number(name, Real, lambda value: 0 < value < np.inf))

    def whole(self, name, least, most=(1 << 31) - 1):
        """Return a parameter that must be an integer in [least, most]: int."""
        return int(self.number(name, Integral, lambda value: least <= value <= most))

    def class_weight(self):
        """Return checked `class_weight`: a dict with entries or None; ValueError for a number that is no weight."""
        weights = self.get("class_weight")
        if not isinstance(weights, dict):
            return None
        for label, weight in weights.items():
            if isinstance(weight, bool) or not isinstance(weight, Real):
                self.refuse("class_weight")
            if not 0 <= weight < np.inf:
                raise ValueError(f"class_weight must be finite and >= 0, got {weight!r} for {label!r}")
        return weights or None

    def refuse(self, name):
        """Raise NotCompiled for a parameter."""
        raise NotCompiled(f"{name}={self[name]!r}")
