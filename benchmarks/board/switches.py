"""moeliga with one of its defaults switched, as entries of the board: what its defaults rest on.

  python benchmarks/board/run.py "3 folds" default --enter benchmarks/board/switches.py \\
      --results benchmarks/board/results/switches --sets sonar dermatology ionosphere lung_small sorlie

`defaults.py` compares each with "default" on the same splits, and "another seed" says how much of a difference is luck.
"""

from functools import partial
from unittest import mock

from board.contestants import Ours
from board.entries import Entry

from moeliga import (
    DecisionTreeClassifier,
    Evaluation,
    FeaturePrior,
    Islands,
    NoLoss,
    RandomForestClassifier,
    Separability,
    Variation,
)
from moeliga.search import build
from moeliga.search.ranking import seeds_of

SMALLEST, LARGEST = 6, 96
"""Ends of the first and of the last band of `sizes="auto"`."""


class Margins(Ours):
    """The defaults, chosen by other margins too."""

    MARGINS = (0.0, 0.125, 0.5, 1.0)

    def choices(self):
        supports = self.selector.pareto_front_.supports
        found = {f"margin {margin:g}": self.selector.assess(NoLoss(margin=margin)) for margin in self.MARGINS}
        return {name: (supports[which.index], which.score) for name, which in found.items()}


class OtherSeed(Ours):
    def __init__(self, model, random_state, n_features=None):
        super().__init__(model, random_state + 1000)


class Bands(Ours):
    """Bands whose ends grow by another factor than two."""

    def __init__(self, model, random_state, n_features=None, factor=2.0):
        super().__init__(model, random_state)
        self.factor = factor

    def fit(self, X, y):
        self.selector.set_params(islands=Islands(sizes=edges(X.shape[1], self.factor)))
        return super().fit(X, y)


class Unseeded(Ours):
    """Bands that begin with drawn subsets alone, without the first features of rankings."""

    def fit(self, X, y):
        with mock.patch.object(build, "seeds_of", lambda rankings, space: seeds_of({}, space)):
            return super().fit(X, y)


def edges(n_features, factor):
    """Ends of bands up to half of the features and `LARGEST`: tuple of int."""
    end, found, edge = max(1, min(LARGEST, n_features // 2)), [], float(SMALLEST)
    while round(edge) < end:
        found.append(round(edge))
        edge *= factor
    return (*found, end)


def switched(selector=Ours, **parameters):
    return Entry(partial(selector, **parameters), asks=True, told=False, ours=True)


def leaf(size):
    return switched(islands=Islands(judges=[DecisionTreeClassifier(max_depth=100, min_samples_leaf=size)]))


ENTRIES = {
    "default": switched(Margins),
    "another seed": switched(OtherSeed),
    "3 folds": switched(honest=3),
    "10 folds": switched(honest=10),
    "30 generations": switched(n_generations=30),
    "100 generations": switched(n_generations=100),
    "local improvement": switched(local_improvement="parent"),
    "no prior": switched(feature_prior=None),
    "leaves of 3": leaf(3),
    "leaves of 5": leaf(5),
    "bands x 4": switched(Bands, factor=4.0),
    "bands x 1.4": switched(Bands, factor=2**0.5),
    "no archive": switched(archive=False),
    "no rankings": switched(Unseeded),
    "soft": switched(scoring="soft_uar"),
    "out of bag": switched(cv="oob", scoring="soft_uar",
                           islands=Islands(judges=[RandomForestClassifier(20)])),
    "population of 30": switched(population_size=30),
    "population of 120": switched(population_size=120),
    "one split": switched(evaluation=Evaluation(n_splits=1)),
    "ten splits": switched(evaluation=Evaluation(n_splits=10)),
    "two populations": switched(islands=Islands(n=2)),
    "every 5": switched(islands=Islands(every=5)),
    "every 20": switched(islands=Islands(every=20)),
    "crossover .6": switched(variation=Variation(crossover_rate=0.6)),
    "offset 1": switched(feature_prior=FeaturePrior(offset=1.0)),
    "offset 100": switched(feature_prior=FeaturePrior(offset=100.0)),
    "a tenth of samples": switched(objectives=("uar", "cardinality", Separability(samples=0.1))),
    "all samples": switched(objectives=("uar", "cardinality", Separability(samples=1.0))),
}
"""By name. Margins of the rule are further choices of "default"."""
