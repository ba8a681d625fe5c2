"""Cases of whole searches: one for each option of the selector."""

import os
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier as RandomForest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from cases.tables import table, whole
from moeliga import (
    Cardinality,
    Checkpoint,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    FeatureCost,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    RandomForestClassifier,
    RandomForestRegressor,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.results.rules import RULES
from paper_operators import PAPER, fitting
from single_search import single_search

HISTORY = ("generation", "hypervolume", "best_score", "best_score_size", "min_size", "median_size", "max_size",
           "front_size", "archive_size", "n_replaced", "n_initial", "n_evaluations")
"""Columns that are compared; seconds are not."""

LOCAL = {"n_populations": 2, "population_size": 9, "n_generations": 4, "every": 2}
SIZES = {"population_size": 14, "n_generations": 5, "survival__n_elite": 3, "survival__generation_gap": 3,
         "evaluation__n_rescore_splits": 4,
         "local_improvement": LocalImprovement(**LOCAL), "random_state": 1}
SMALL = {**PAPER, **SIZES}
FAST = SMALL | {"population_size": 9, "n_generations": 2, "evaluation__n_splits": 2, "evaluation__n_rescore_splits": 2,
                "local_improvement": None}
LARGE = SIZES | {"population_size": 24, "local_improvement": LocalImprovement(**LOCAL | {"population_size": 20})}
"""So much work that it is shared out over threads."""


class NearestMean(ClassifierMixin, BaseEstimator):
    """The class whose mean is nearest, in sixteenths: whole numbers all through."""

    def fit(self, X, y):
        steps = np.rint(16 * X).astype(np.int64)
        self.classes_ = np.unique(y)
        self.means_ = np.array([steps[y == label].sum(axis=0) // np.sum(y == label) for label in self.classes_])
        return self

    def predict(self, X):
        steps = np.rint(16 * X).astype(np.int64)
        return self.classes_[np.abs(steps[:, None] - self.means_).sum(axis=2).argmin(axis=1)]


def accuracy(model, X, y):
    """A scorer."""
    return np.count_nonzero(model.predict(X) == y) / len(y)


def evenness(mask, X, y):
    """An objective: the share of selected features of even number."""
    return np.count_nonzero(mask[::2]) / np.count_nonzero(mask)


def spread(X, y):
    """A scoring function: how far apart the sums of the classes are, in sixteenths."""
    steps = np.rint(16 * X).astype(np.int64)
    return np.ptp([steps[y == label].sum(axis=0) for label in np.unique(y)], axis=0)


def stop_at_three(state):
    """A callback."""
    return state.generation == 3


def outcome(selector):
    """What a search has found."""
    front, initial = selector.pareto_front_, selector.initial_front_
    columns = np.array([selector.history_[name] for name in HISTORY], dtype=np.float64)
    return {
        "chosen": front.supports[selector.index_],
        "its objectives": front.objectives[selector.index_],
        "end": f"{selector.stop_reason_}, {selector.n_evaluations_} evaluations, member {selector.index_} of "
               f"{len(front)}",
        "supports": front.supports,
        "objectives": front.objectives,
        "in the search": front.search_objectives,
        "errors": front.score_se,
        "initial": np.hstack((initial.supports, initial.objectives)),
        "history": columns,
        "survival": selector.initial_survival_,
    }


def search(name, parameters, n_threads):
    """A fit: with the paper's operators, unless there is a preset."""
    X, y = table(name)
    sizes, operators = LARGE if name == "wide" else SIZES, {} if "preset" in parameters else PAPER
    given = {**sizes, **operators, **parameters, "n_jobs": n_threads}
    preset = given.pop("preset", "default")
    survival = "nsga2" if preset == "default" else "moga"
    return outcome(single_search(preset=preset, **fitting(given, survival)).fit(X, y))


def other_estimators(n_threads):
    """scikit-learn's protocol. The workers are processes: always one of them."""
    X, y = table("small")
    found = {}
    for name, parameters in {"own splits": {}, "shared": {"evaluation__split_mode": "generation"},
                             "folds": {"cv": KFold(3)},
                             "scorer": {"scoring": accuracy, "objectives": ("accuracy", "cardinality")}}.items():
        selector = single_search(NearestMean(), **FAST | parameters).fit(X, y)
        found |= {f"{name}: {entry}": outcome(selector)[entry] for entry in ("end", "supports", "objectives")}
    return found


def choices(n_threads):
    """Members of one front, by every rule and limit."""
    costs = whole(300, 20, 60) / 4
    selector = single_search(**SMALL | {"n_jobs": n_threads, "constraints__costs": costs}).fit(*table("small"))
    front, found = selector.pareto_front_, {}
    for rule in RULES:
        found[rule] = selector.select(rule).index_
        found[f"{rule}, 5 features"] = front.choose(rule, max_features=5)
    budget = float(np.sort(front.cost)[len(front) // 2])
    return found | {"cost": front.cost, "in budget": front.choose("best", max_cost=budget), "r1 values": front.r1,
                    "one size": front.choose(n_features=int(front.n_selected[0]))}


def resumed(n_threads):
    """Searches that stop and go on from a file: at the end of a generation, and where a limit cuts one short."""
    X, y = table("small")
    found = {}
    for name, first, options in (("whole", {"n_generations": 3}, {}),
                                 ("cut", {"max_evaluations": 70}, {}),
                                 ("average", {"n_generations": 2},
                                  {"evaluation__reevaluate": "average", "archive": False})):
        with TemporaryDirectory() as folder:
            setting = SMALL | options | {"checkpoint": Checkpoint(os.path.join(folder, "state.npz"))}
            single_search(**setting | first, n_jobs=1).fit(X, y)
            selector = single_search(**setting, n_jobs=n_threads).fit(X, y)
        found |= {f"{name}: {entry}": outcome(selector)[entry] for entry in ("end", "objectives", "history")}
    return found


def weighted(n_threads):
    """Searches whose judges get weights of samples: none, some above 1, shares."""
    found = {}
    for name, (judge, weights) in {
            "tree": (SklearnTree(max_depth=5), whole(310, 45, 4)),
            "forest": (RandomForest(5, random_state=1), whole(311, 45, 3) / 2),
            "naive Bayes": (GaussianNB(), whole(312, 45, 9) / 8),
            "ridge": (make_pipeline(StandardScaler(), RidgeClassifier()), whole(313, 45, 5) / 4)}.items():
        weight = "ridgeclassifier__sample_weight" if name == "ridge" else "sample_weight"
        selector = single_search(judge, **FAST | {"n_jobs": n_threads, "rule": "best"}).fit(
            *table("small"), **{weight: weights})
        found |= {f"{name}: {entry}": outcome(selector)[entry] for entry in ("end", "supports", "objectives")}
    return found


def honest(n_threads):
    """Searches on folds too, and what the model that is deployed says of them: predictions are whole numbers."""
    found = {}
    for name, parameters in {"tree": {"estimator": DecisionTreeClassifier(max_depth=3), "honest": 3},
                             "forest": {"honest": 2, "islands": None}}.items():
        given = {"islands": "sizes", "rule": "no_loss", "population_size": 8, "n_generations": 3,
                 "evaluation__n_rescore_splits": 3, "local_improvement": None, "random_state": 7, **parameters}
        selector = single_search(**given, n_jobs=n_threads).fit(*table("small"))
        front = selector.pareto_front_
        found |= {f"{name}: {entry}": outcome(selector)[entry] for entry in ("end", "supports", "objectives")}
        found |= {f"{name}: scores": front.honest.score, f"{name}: folds": front.honest.folds,
                  f"{name}: worth": np.round([selector.honest_score_, *selector.honest_interval_], 9),
                  f"{name}: candidates": np.concatenate(list(selector.fold_supports_.values()))}
    return found


def local(**parameters):
    """The parameter `local_improvement` of these."""
    return {"local_improvement": LocalImprovement(**LOCAL | parameters)}


OPTIONS = {
    "wide: defaults": {"preset": "default"},
    "wide: paper's operators": {},
    "wide: paper": {"preset": "paper"},
    "wide: shared splits, average": {"evaluation__split_mode": "generation", "evaluation__reevaluate": "average"},
    "wide: nsga2": {"survival": "nsga2", "evaluation__split_mode": "generation", "evaluation__reevaluate": "average"},
    "wide: bands": {"preset": "default", "islands": "sizes", "islands__every": 2},
    "wide: complete, tournament": local(replacement="complete") | {
        "survival__selection": "tournament"},
    "small: defaults": {"preset": "default"},
    "small: paper's operators": {},
    "small: another seed": {"random_state": 2**70 + 1},
    "small: paper": {"preset": "paper", "evaluation__n_rescore_splits": 2},
    "small: splits": {"evaluation__n_splits": 2, "evaluation__validation_size": 0.21,
                      "evaluation__split_mode": "generation"},
    "small: a subsample": {"evaluation__subsample": 0.4},
    "small: nsga2": {"survival": "nsga2"},
    "small: nsga2, complete": local(replacement="complete") | {
        "survival": "nsga2", "evaluation__reevaluate": "none", "constraints__groups": [f // 2 for f in range(20)],
        "max_features": 9},
    "small: keep values": {"evaluation__reevaluate": "none"},
    "small: running means": {"evaluation__reevaluate": "average"},
    "small: no archive": {"archive": False},
    "small: no re-scoring": {"evaluation__n_rescore_splits": 0, "rule": "best"},
    "small: init spread": {"init": StaggeredInit(spread=0.25)},
    "small: init shares": {"init": StaggeredInit(fractions=(0.5, 0.5), rates=(0.2, 0.9))},
    "small: log-uniform sizes": {"init": "log_uniform", "constraints__groups": [f // 2 for f in range(20)]},
    "small: initial subsets": {"init__subsets": [[5], [5], [0, 10, 15]]},
    "small: two points": {"variation": "two_point"},
    "small: uniform": {"variation": Variation(crossover="uniform", crossover_rate=0.6, mutation_rate=1.5)},
    "small: tournament": {"survival__selection": "tournament", "survival__tournament_size": 2},
    "small: one flip": {"variation": Variation(crossover="one_point", mutation="chromosome", mutation_rate=0.7)},
    "small: feature prior": {"feature_prior": spread, "variation": Variation(crossover="one_point", mutation_rate=2.0)},
    "small: feature prior and groups": {
        "feature_prior": FeaturePrior(spread, share=1.0, offset=0), "max_features": 12,
        "constraints__groups": [f // 2 for f in range(15)] + [8] * 5,
        "variation": Variation(crossover="one_point", mutation_rate=2.0)},
    "small: exponential": {"variation": Variation(crossover="one_point", schedule="exponential")},
    "small: schedule": {"variation": Variation(crossover="one_point", schedule=(4.0, 0.3))},
    "small: no sharing": {"survival__sharing": None},
    "small: niches": {"survival__sharing": FitnessSharing(mode="niche", sigma=0.4, alpha=0.5)},
    "small: mean distance": {"survival__sharing": "mean_distance"},
    "small: clusters": {"survival__sharing": FitnessSharing(sigma=0.5, alpha=2.0, rank_normalisation="sum")},
    "small: objective space": {"survival__sharing": FitnessSharing(space="objective", sigma=0.3, alpha=1.3)},
    "small: no local improvement": {"local_improvement": None},
    "small: complete": local(replacement="complete"),
    "small: selection": local(replacement="selection"),
    "small: impatient": local(patience=1, n_generations=9),
    "small: enumerated": local(population_size=40) | {"population_size": 12},
    "small: forced": {"constraints__must_include": [3, 4], "constraints__exclude": [0, 19]},
    "small: groups": {"constraints__groups": [f // 3 for f in range(20)], "max_features": 9},
    "small: other groups": {"constraints__groups": {"a": [0, 5, 7], "b": [1, 2]}, "constraints__must_include": [5],
                            "constraints__min_features": 6},
    "small: sizes": {"constraints__min_features": 3, "max_features": 5, "survival__sharing": "niche"},
    "small: costs": {"objectives": ("uar", FeatureCost(), "cardinality"),
                     "constraints__costs": [f % 7 for f in range(20)]},
    "small: two objectives": {"objectives": ("uar", "cardinality"), "rule": "knee"},
    "small: shapes": {"objectives": (Cardinality(None), "uar", Separability(0.5, replace=False)), "rule": "r1_lambda"},
    "small: steep": {"objectives": ("uar", Cardinality(20.0, -1.0), Separability(10)), "rule": "one_se"},
    "small: a callable": {"objectives": ("uar", evenness, "cardinality")},
    "small: a tree": {"estimator": DecisionTreeClassifier(max_depth=2, min_samples_split=6, min_samples_leaf=3)},
    "small: islands": {"islands__n": 3, "islands__every": 2, "init__subsets": [[5], [0, 10, 15]]},
    "small: islands, nsga2": {"islands__n": 2, "islands__every": 1, "survival": "nsga2",
                              "evaluation__reevaluate": "average"},
    "small: bands": {"islands": "sizes", "islands__every": 2},
    "small: bands, nsga2": {"islands__sizes": (2, 5, 9), "islands__n": 2, "islands__every": 1, "survival": "nsga2",
                            "evaluation__reevaluate": "average", "init__subsets": [[5], [0, 10, 15]]},
    "small: bands, groups, complete": local(replacement="complete") | {
        "islands__sizes": (4, 8, 20), "islands__every": 2, "init": "log_uniform", "constraints__must_include": [3],
        "constraints__groups": [f // 2 for f in range(20)]},
    "small: evaluations": {"max_evaluations": 61},
    "small: patience": {"patience": 1, "n_generations": 30},
    "small: a callback": {"callbacks": stop_at_three},
    "small: roc_auc_ovr": {"scoring": "roc_auc_ovr"},
    "small: log loss on folds": {"scoring": "neg_log_loss", "cv": KFold(4), "rule": "best"},
    "small: soft_uar on folds, a subsample": {"scoring": "soft_uar", "cv": KFold(3), "evaluation__subsample": 0.5},
    "small: a forest out of bag": {"islands__judges": [RandomForestClassifier(12)], "cv": "oob", "rule": "best"},
    "small: a panel out of bag, log loss": {
        "islands__judges": [RandomForestClassifier(9), RandomForest(9, class_weight="balanced", random_state=3)],
        "cv": "oob", "scoring": "neg_log_loss", "rule": "best"},
    "small: a tree, classes weighted": {"islands__judges": [SklearnTree(max_depth=6, class_weight={0: 3, 2: 0.5})]},
    "small: a tree, balanced": {"islands__judges": [SklearnTree(max_depth=6, class_weight="balanced")]},
    "small: a panel, classes weighted": {
        "islands__judges": [RidgeClassifier(class_weight="balanced"), GaussianNB(priors=[0.5, 0.25, 0.25]),
                            LogisticRegression(class_weight={1: 2})]},
    "small: a panel": {"islands__judges": [DecisionTreeClassifier(max_depth=3), GaussianNB(), KNeighborsClassifier(3)]},
    "small: a panel, the lowest on folds": {
        "islands__judges": [ExtraTreesClassifier(5), KNeighborsClassifier(3)], "islands__combine": "min",
        "cv": KFold(3), "evaluation__subsample": 0.5},
    "few: defaults": {"preset": "default"},
    "missing: defaults": {"preset": "default"},
    "missing: bands": {"preset": "default", "islands": "sizes", "islands__every": 2},
    "missing: paper's operators": {},
    "missing: forests": {"islands__judges": [RandomForestClassifier(5), ExtraTreesClassifier(5, random_state=1)]},
    "many: defaults": {"preset": "default"},
    "odd: defaults": {"preset": "default"},
    "twenty: defaults": {"preset": "default"},
    "sparse: defaults": {"preset": "default"},
    "target: defaults": {"preset": "default", "estimator": DecisionTreeRegressor(max_depth=5)},
    "target: paper's operators": {"estimator": DecisionTreeRegressor(max_depth=5)},
    "target: bands": {"preset": "default", "estimator": DecisionTreeRegressor(max_depth=5), "islands": "sizes",
                      "islands__every": 2},
    "target: a forest": {"islands__judges": [RandomForestRegressor(5, max_features="sqrt")], "rule": "best"},
    "target: absolute error on folds": {"estimator": DecisionTreeRegressor(max_depth=5), "cv": KFold(3), "rule": "best",
                                        "scoring": "neg_mean_absolute_error"},
    "target: keep values": {"estimator": DecisionTreeRegressor(min_samples_leaf=4), "evaluation__reevaluate": "none",
                            "objectives": ("r2", "cardinality", Separability(neighbours=0.25)),
                            "survival__sharing": "niche"},
}

CASES = {
    **{f"search in {name}": partial(search, name.partition(":")[0], parameters)
       for name, parameters in OPTIONS.items()},
    "search: other estimators": other_estimators,
    "search: choices": choices,
    "search: resumed": resumed,
    "search: honest": honest,
    "search: weighted": weighted,
}
