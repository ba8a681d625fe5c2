"""moeliga with one of its defaults switched, as entries of the board: what its defaults rest on.

  python benchmarks/board/run.py "3 folds" default --enter benchmarks/board/switches.py \\
      --results benchmarks/board/results/switches --models tree bayes neighbours logistic svm \\
      --sets sonar dermatology ionosphere lung_small sorlie --splits 5

`defaults.py` compares each with "default" on the same splits, and "another seed" says how much of a difference is luck.
The sets above choose; what looks good there is run on those of `CONFIRMING`, which have no part in that.
"""

from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace
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
from moeliga.data import bands
from moeliga.search import build
from moeliga.search.ranking import first_prefixes
from moeliga.validation import answers, candidates, cross_fitting, front

CONFIRMING = ("soybean", "movement_libras", "colon_alon", "leukemia", "glioma")
"""Sets of fewer than 500 samples, named before any switch was run on them."""


class Switched(Ours):
    """A fit of which the default rule's choice alone is judged."""

    def choices(self):
        return {}


class Default(Ours):
    """The defaults, chosen by other margins too, and with other weights in the honest score of the choice."""

    MARGINS = (0.0, 0.125, 0.5, 1.0)
    WEIGHTS = (0.0, 0.632, 1.0)

    def choices(self):
        supports = self.selector.pareto_front_.supports
        found = {f"margin {margin:g}": self.selector.assess(NoLoss(margin=margin)) for margin in self.MARGINS}
        for weight in self.WEIGHTS:
            with mock.patch.object(answers, "weight_632_plus", lambda *scores, weight=weight: weight):
                found[f"weight {weight:g}"] = self.selector.assess()
        return {name: (supports[which.index], which.score) for name, which in found.items()}


class OtherSeed(Switched):
    def __init__(self, model, random_state, n_features=None):
        super().__init__(model, random_state + 1000)


class Bands(Switched):
    """Bands whose ends grow by another factor than two, or up to another number of features than 96."""

    def __init__(self, model, random_state, n_features=None, factor=2.0, largest=bands.LARGEST):
        super().__init__(model, random_state)
        self.factor, self.largest = factor, largest

    def fit(self, X, y):
        ends = list(edges(X.shape[1], self.factor, self.largest))
        with mock.patch.object(bands, "automatic_edges", lambda space, max_features: ends):
            return super().fit(X, y)


class Halves(Switched):
    """Two candidates of each source and band in place of one: the best of each half of the band's sizes."""

    def fit(self, X, y):
        with ExitStack() as stack:
            for room in (candidates, cross_fitting, front):
                stack.enter_context(mock.patch.object(room, "size_ranges", half_slots))
            for room in (candidates, cross_fitting):
                stack.enter_context(mock.patch.object(room, "baselines_of", half_baselines))
            return super().fit(X, y)


class Unseeded(Switched):
    """Bands that begin with drawn subsets alone, without the first features of rankings."""

    def fit(self, X, y):
        with mock.patch.object(build, "first_prefixes", lambda rankings, space: first_prefixes({}, space)):
            return super().fit(X, y)


def edges(n_features, factor=2.0, largest=bands.LARGEST):
    """Ends of bands as those of `sizes="auto"`, but for the factor, and the largest: tuple of int."""
    end, found, edge = min(largest, max(n_features // 2, min(n_features, 2 * bands.SMALLEST))), [], bands.SMALLEST
    while round(edge) < end:
        found.append(round(edge))
        edge *= factor
    if found and end < found[-1] * (1 + factor) / 2:
        found.pop()
    return (*found, end)


def halved(spaces):
    """Return the two halves of each range of sizes, of those that have one size the only one: list of Space."""
    found = []
    for space in spaces:
        least, most = space.least + space.n_forced, space.most + space.n_forced
        middle = (least + most) // 2
        found += [half for half in (space.within(least, middle), space.within(middle + 1, most)) if half is not None]
    return found


def half_slots(spaces, size_ranges=candidates.size_ranges):
    return size_ranges([*spaces[:1], *halved(spaces[1:])])


def half_baselines(ready, baselines_of=candidates.baselines_of):
    return baselines_of(SimpleNamespace(search=ready.search, rankings=ready.rankings, bands=halved(ready.bands),
                                        wider=halved(ready.wider)))


def switched(selector=Switched, **parameters):
    return Entry(partial(selector, **parameters), asks=True, told=False, ours=True)


def leaf(size):
    return switched(islands=Islands(judges=[DecisionTreeClassifier(max_depth=100, min_samples_leaf=size)]))


ENTRIES = {
    "default": switched(Default),
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
    "bands to 384": switched(Bands, largest=384),
    "two of each band": switched(Halves),
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
"""By name. Margins of the rule, and weights in the honest score, are further choices of "default"."""
