"""The competitors choose what their libraries choose, with the settings that are written down.

Those of optional packages are skipped where the package is missing.
"""

import importlib
import importlib.metadata

import numpy as np
import pytest
from evidence import rivals
from paper import competitors
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import RFE, RFECV, SelectKBest, f_classif, mutual_info_classif
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from moeliga import MOGA, MOELIGASelector, evaluate_subsets

QUICK = {"moeliga": {"n_generations": 1}, "moeliga-paper": {"n_generations": 1},
         "genetic-opt": {"population_size": 4, "generations": 2}, "boruta": {"max_iter": 8},
         "boruta-own": {"max_iter": 25}, "nsga2": {"evaluations": 200}, "nsga2-time": {"seconds": 0.05}}
"""Options with which every method takes a second at most."""


@pytest.fixture
def select():
    """`competitors.select`; skips the test where a package is missing."""

    def attempt(*arguments, **options):
        with rivals():
            return competitors.select(*arguments, **options)

    return attempt


@pytest.fixture(scope="module")
def wine():
    """X and y of every second sample."""
    X, y = load_wine(return_X_y=True)
    return X[::2], y[::2]


@pytest.fixture
def planted(rng):
    """120 samples; features 2 and 5 of 8 tell the class, the others nothing."""
    y = np.arange(120) % 3
    X = rng.standard_normal((120, 8))
    X[:, 2] += 4 * (y == 1)
    X[:, 5] += 4 * (y == 2)
    return X, y


def names():
    """Names of all methods, without importing them at collection."""
    return [*QUICK, "relieff", "surf", "surf*", "multisurf", "multisurf*", "mi", "rfe", "kbest", "sfs", "sffs",
            "importance", "rfecv", "all", "random", "relieff-own", "multisurf-own", "mi-own", "kbest-own",
            "importance-own"]


def test_names_are_those_of_the_registry():
    assert sorted(names()) == sorted(competitors.METHODS)
    assert set(competitors.PAPER) < set(competitors.METHODS)


@pytest.mark.quick(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_every_method_finds_what_is_there(select, planted, name):
    """Two features that tell the classes, out of eight; a method that is told the size takes exactly these.

    Not the star forms: by their rule for far samples, features that tell the class alone lose what they gained.
    """
    X, y = planted
    before = X.copy()
    found = select(name, X, y, 2, 0, **QUICK.get(name, {}))
    np.testing.assert_array_equal(X, before)
    assert found.mask.dtype == bool and found.mask.shape == (8,)
    star, chance = name.endswith("*"), name == "random"
    early = name.startswith("moeliga") or name == "genetic-opt"  # which have not got there after a generation or two
    assert star or early or chance or found.mask[[2, 5]].all()
    assert found.seconds >= 0
    if competitors.METHODS[name].sized:
        assert found.mask.sum() == 2
    if found.ranking is not None:
        assert sorted(found.ranking) == list(range(8))
        assert star or chance or set(found.ranking[:2]) == {2, 5}


@pytest.mark.quick(1, rest="evidence")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in names() if name != "nsga2-time"])
def test_the_same_seed_chooses_the_same(select, wine, name):
    one, other = (select(name, *wine, 3, 5, **QUICK.get(name, {})) for _ in range(2))
    np.testing.assert_array_equal(one.mask, other.mask)
    assert one.evaluations == other.evaluations


def test_filters_are_those_of_scikit_learn(select, wine):
    X, y = scale(wine[0]), wine[1]
    kbest = SelectKBest(f_classif, k=4).fit(X, y)
    np.testing.assert_array_equal(select("kbest", *wine, 4).mask, kbest.get_support())
    scores = mutual_info_classif(X, y, random_state=42)
    assert set(np.flatnonzero(select("mi", *wine, 4).mask)) == set(np.argsort(-scores)[:4])
    assert select("mi", *wine).mask is None


def test_a_constant_feature_is_ranked_last(select, planted):
    X, y = planted
    X[:, 0] = 1.0
    assert select("kbest", X, y, 2).ranking[-1] == 0


@pytest.mark.slow
def test_elimination_is_that_of_scikit_learn(select, wine):
    """RFE with the authors' tree of depth 2; RFECV with the score of the size it takes."""
    raw, labels = load_breast_cancer(return_X_y=True)
    rfe, deeper = (RFE(DecisionTreeClassifier(max_depth=depth, random_state=0), n_features_to_select=8).fit(
        scale(raw[::2]), labels[::2]) for depth in (2, 5))
    assert (rfe.support_ != deeper.support_).any()
    np.testing.assert_array_equal(select("rfe", raw[::2], labels[::2], 8).mask, rfe.support_)
    assert set(select("rfe", raw[::2], labels[::2]).ranking[:8]) == set(np.flatnonzero(rfe.support_))
    X, y = scale(wine[0]), wine[1]
    search = RFECV(DecisionTreeClassifier(max_depth=100, random_state=3), scoring="balanced_accuracy",
                   cv=StratifiedKFold(3, shuffle=True, random_state=3)).fit(X, y)
    found = select("rfecv", *wine, 4, 3)
    np.testing.assert_array_equal(found.mask, search.support_)
    assert found.in_search == search.cv_results_["mean_test_score"].max()
    assert found.evaluations == 3 * 13


@pytest.mark.slow
def test_forward_selection_is_the_greedy_loop(select, wine):
    """Step by step the feature that adds most to the mean score of three folds; and the scores that it saw."""
    X, y = scale(wine[0]), wine[1]
    tree, taken, best = DecisionTreeClassifier(random_state=0), [], 0.0
    for _ in range(3):
        scores = {f: cross_val_score(tree, X[:, sorted([*taken, f])], y, cv=3, scoring="balanced_accuracy").mean()
                  for f in range(13) if f not in taken}
        taken.append(max(scores, key=scores.get))
        best = scores[taken[-1]]
    found = select("sfs", *wine, 3)
    assert sorted(taken) == np.flatnonzero(found.mask).tolist()
    assert found.in_search == pytest.approx(best, rel=1e-12)
    assert found.evaluations == 13 + 12 + 11
    assert sorted(found.path) == [1, 2, 3] and found.path[3].tolist() == found.mask.tolist()


def test_a_ranking_may_choose_its_size(select, wine):
    """The best prefix on splits that are the same for all, the smallest of equals; the ranking is the method's."""
    X, y = scale(wine[0]), wine[1]
    found, ranking = select("mi-own", *wine, 3, 5), select("mi", *wine, None, 5).ranking
    np.testing.assert_array_equal(found.ranking, ranking)
    masks = [np.isin(np.arange(13), ranking[:size]) for size in range(1, 14)]
    scores = evaluate_subsets(X, y, masks, n_splits=20, objectives=("uar",), shared=True, random_state=5)[:, 0]
    best = next(i for i, score in enumerate(scores) if score == scores.max())
    np.testing.assert_array_equal(found.mask, masks[best])
    assert found.in_search == scores.max() and found.evaluations == 13


def test_random_features_are_of_the_size_and_change_with_the_seed(select, wine):
    """Every feature comes up."""
    masks = np.array([select("random", *wine, 4, seed).mask for seed in range(40)])
    assert (masks.sum(axis=1) == 4).all() and masks.any(axis=0).all() and not masks.all(axis=0).any()
    assert select("all", *wine, 4).mask.all()


def test_nsga2_begins_where_the_paper_begins(select, wine):
    """With a budget of the initial population alone both have the same front and choice: only the search differs."""
    for seed in (0, 3):
        found = select("nsga2", *wine, None, seed, evaluations=90)
        ours = MOELIGASelector.from_preset("paper", archive=True, evaluation__n_rescore_splits=50, random_state=seed,
                                           max_evaluations=90).fit(*wine)
        assert ours.n_evaluations_ == found.evaluations == 90
        np.testing.assert_array_equal(found.mask, ours.support_)
        assert found.note == f"front of {len(ours.pareto_front_)}"
        assert found.in_search == ours.pareto_front_.search_objectives[ours.index_, 0]
        assert set(found.others) == {"best", "one_se"}
        for rule, mask in found.others.items():
            np.testing.assert_array_equal(mask, ours.pareto_front_.supports[ours.pareto_front_.choose(rule)])


def test_nsga2_keeps_to_its_budget(select, wine):
    """Exactly so many evaluations, a last generation cut short; or the time, and hardly more."""
    assert select("nsga2", *wine, None, 0, evaluations=1234).evaluations == 1234
    timed = select("nsga2-time", *wine, None, 0, seconds=0.2)
    assert 0.2 <= timed.seconds < 2


def test_nsga2_stops_when_a_small_space_is_exhausted(select, wine):
    """There are seven subsets of three features."""
    X, y = wine
    tiny = {"population_size": 10, "survival": MOGA(n_elite=1, generation_gap=1), "local_improvement": None}
    assert select("nsga2", X[:, :3], y, None, 0, evaluations=100, **tiny).evaluations == 7


def test_a_missing_package_is_named_with_the_command(wine, monkeypatch):
    def missing(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    for name, package in {"sffs": "mlxtend", "boruta": "boruta", "surf*": "skrebate", "nsga2": "pymoo",
                          "genetic-opt": "sklearn-genetic-opt"}.items():
        with pytest.raises(competitors.Missing, match=rf"^{package} is not installed: pip install {package}, or pip"):
            competitors.select(name, *wine, 3)


def test_an_unknown_method_is_refused(wine):
    with pytest.raises(ValueError, match="name must be one of moeliga, .*got 'nothing'"):
        competitors.select("nothing", *wine)
