"""A compiled judge: what the core reads of an estimator of scikit-learn; and how its parameters are checked."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from moeliga._ext.judges import KINDS, SHRINKAGES
from moeliga.base.random_streams import seed_words

TREE, FOREST = -1, -2
"""Kinds of the compiled tree and forest, which read the coded data and no values."""

ROW_COST, PAIR_COST = 1e-7, 1e-9
"""Seconds, rounded up, for each feature: of a row, of two rows that are compared."""

ITERATIONS = 20
"""Iterations of logistic regression and support vector machines, about."""


class NotCompiled(Exception):
    """A parameter that the compiled form of an estimator does not have, written as it is given."""


@dataclass(frozen=True, eq=False)
class Judge:
    """A compiled judge: scikit-learn's estimator as numbers, see `_ext/kernels/judges/types.h`."""

    name: str  # of scikit-learn's class
    kind: int  # of `KINDS`, or `TREE` or `FOREST`
    regression: bool
    closed: bool  # leave-one-out has a closed form
    whole: tuple = ()  # parameters that are integers
    real: tuple = ()  # parameters that are not
    priors: np.ndarray | None = None  # float64, shape (n_classes,); of linear judges weights of the classes
    scaling: int = 0  # of `SCALINGS`
    model: object = None  # the forest of this package
    class_weight: dict | str | None = None  # weights of classes by label; of trees and forests "balanced", too
    weights: np.ndarray | None = None  # float64, shape (n_samples,): how often each row of X counts, see `weighed`

    @property
    def coded(self):
        """True if it reads the coded data, in which values may be missing, and not the values."""
        return self.kind in (TREE, FOREST)

    @property
    def balanced(self):
        """True if it weighs each class by the number of its training rows."""
        linear = self.kind in (KINDS["ridge"], KINDS["logistic"], KINDS["svm"])
        return bool(self.whole[1]) if linear else isinstance(self.class_weight, str)

    @property
    def bagged(self):
        """True if trees answer for the samples that they have not drawn."""
        return self.kind == FOREST and bool(self.model.bootstrap)

    @property
    def rules(self):
        """The max_depth, min_samples_split and min_samples_leaf of the compiled tree, or the usual ones: tuple."""
        return self.whole if self.kind == TREE else (0, 2, 1)

    @property
    def n_trees(self):
        """Of a forest, as what follows: int."""
        return int(self.model.n_estimators)

    @property
    def stopping(self):
        """Its max_depth, min_samples_split and min_samples_leaf: tuple."""
        return self.model.rules()

    @property
    def random_cuts(self):
        """True if thresholds are random: bool."""
        return self.model.random_cuts

    @property
    def seed(self):
        """Its seed, two words, or None: ndarray of uint64."""
        return None if self.model.random_state is None else seed_words(self.model.random_state)

    def drawn(self, n_samples):
        """Return how many of `n_samples` a tree draws, 0 = it has all: int."""
        return self.model.n_drawn(n_samples)

    def tried(self, n_features):
        """Return how many of `n_features` are drawn at a node, 0 = all are tried: int."""
        return self.model.n_tried(n_features)

    @property
    def decides(self):
        """True if it answers with decision values, and not with probabilities."""
        return self.kind in (KINDS["ridge"], KINDS["svm"]) and not self.regression

    @property
    def centres(self):
        """True if it centres X where the model, scikit-learn's discriminant "lsqr", does not.

        Its decision values are then the model's but for a number that all classes of a sample have in common.
        """
        return self.kind == KINDS["discriminant"] and self.whole[0] != SHRINKAGES["svd"]

    @property
    def numbers(self):
        """All of it as numbers but the priors: tuple."""
        return self.kind, self.scaling, *self.whole, *self.real

    def seconds(self, n_samples, n_splits, one_out):
        """Return rough seconds for each feature of a subset, on `n_splits` splits of `n_samples`: float."""
        if self.kind == FOREST:
            return n_splits * n_samples * self.n_trees * ROW_COST
        if self.kind == KINDS["neighbours"]:
            return n_splits * n_samples**2 * (1.0 if one_out else 0.21) * PAIR_COST
        iterated = self.kind in (KINDS["logistic"], KINDS["svm"])
        return n_splits * n_samples * ROW_COST * (ITERATIONS if iterated else 1)


def check_usual(parameters, *pairs):
    """Raise NotCompiled for the first of some parameters that has not its usual value: pairs (name, value)."""
    for name, usual in pairs:
        same = parameters[name] == usual
        if not (isinstance(same, bool | np.bool_) and same):  # of arrays it is one for each entry
            raise NotCompiled(f"{name}={parameters[name]!r}")


def number(parameters, name, kind, fits):
    """Return a parameter that has to be a number of a kind, Integral or Real, for which ``fits`` is True."""
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, kind) or not fits(value):
        raise NotCompiled(f"{name}={value!r}")
    return value


def positive(parameters, name):
    """Return a parameter that has to be a number above 0, and finite."""
    return float(number(parameters, name, Real, lambda value: 0 < value < np.inf))


def whole(parameters, name, least, most=(1 << 31) - 1):
    """Return a parameter that has to be an integer in [least, most]."""
    return int(number(parameters, name, Integral, lambda value: least <= value <= most))


def choice(parameters, name, *values):
    """Raise NotCompiled unless a parameter that is text, or None, is one of some values."""
    value = parameters[name]
    if not (value is None or isinstance(value, (str, bool))) or value not in values:
        raise NotCompiled(f"{name}={value!r}")


def check_class_weight(parameters):
    """Return the weights of classes that are given as a dict, or None; ValueError if one is wrong."""
    weights = parameters.get("class_weight")
    if not isinstance(weights, dict):
        return None
    for label, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, Real):
            raise NotCompiled(f"class_weight={weights!r}")
        if not 0 <= weight < np.inf:
            raise ValueError(f"class_weight must be finite and >= 0, got {weight!r} for {label!r}")
    return weights or None
