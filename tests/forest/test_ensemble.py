"""The forests as estimators of scikit-learn, against the slow twin and scikit-learn's own."""

import math
import pickle
import warnings

import numpy as np
import pytest
import sklearn.ensemble
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import moeliga
import naive.forest
from moeliga import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.target import Target
from moeliga.forest.class_weight import class_counts
from naive.forest import Plan

CLASSIFIERS, REGRESSORS = (RandomForestClassifier, ExtraTreesClassifier), (RandomForestRegressor, ExtraTreesRegressor)
KINDS = CLASSIFIERS + REGRESSORS


def data(kind, n=60, missing=0.0, seed=0):
    """A small problem for a kind of forest."""
    X, y = make_friedman1(n, 7, noise=1.0, random_state=seed)
    X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    return X, y if kind in REGRESSORS else np.array(["b", "a", "c"])[np.digitize(y, [12, 17])]


def answers(model, X):
    """Probabilities, or means."""
    return model.predict(X) if is_regressor(model) else model.predict_proba(X)


@parametrize_with_checks([kind(5, random_state=0) for kind in KINDS] + [RandomForestClassifier(5, oob_score=True)])
def test_keeps_the_conventions_of_scikit_learn(estimator, check):
    """Without an expected failure."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ samples were drawn by all trees")
        check(estimator)


@pytest.mark.quick("values")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parameters", [
    {}, {"max_features": 0.5, "min_samples_leaf": 3}, {"max_features": None, "bootstrap": True, "max_samples": 0.4},
    {"max_features": "log2", "max_depth": 3, "bootstrap": True, "max_samples": 20},
    {"max_features": 2, "min_weight_fraction_leaf": 0.07},
], ids=str)
def test_same_answers_and_importances_as_the_twin(kind, parameters):
    """To the bit, in and out of bag; rows of X stand in any order."""
    X, y = data(kind, missing=0.1)
    model = kind(6, random_state=4, oob_score=kind(**parameters).bootstrap, **parameters)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ samples were drawn by all trees")
        model.fit(X, y)
    regression = kind in REGRESSORS
    labels = y if regression else np.searchsorted(model.classes_, y)
    rows = np.argsort(labels, kind="stable")
    target = Target.code(y[rows]) if regression else None
    n_tried = {"sqrt": 2, "log2": 2, 0.5: 3, None: 7, 1.0: 7}.get(model.max_features, model.max_features)
    if n_tried == 7 and not model.bootstrap and not kind.random_cuts:
        n_tried = 0
    n_drawn = {None: 60, 0.4: 24}.get(model.max_samples, model.max_samples) if model.bootstrap else 0
    plan = Plan(None if regression else 3, n_drawn, n_tried, kind.random_cuts,
                (model.max_depth or 100, 2, model.min_samples_leaf), 5 * (model.min_weight_fraction_leaf > 0))
    steps = target.steps if regression else labels[rows]
    trees, bags = zip(*[naive.forest.grow(plan, X[rows], steps, seed_words(4), (Purpose.FOREST, 0, 0), t)
                        for t in range(6)], strict=True)
    new = data(kind, 200, 0.1, seed=1)[0]
    means = naive.forest.predict(trees, new)[0] / 6
    np.testing.assert_array_equal(answers(model, new), target.values(means[:, 0]) if regression else means)
    np.testing.assert_array_equal(model.feature_importances_, naive.forest.importances(trees, 7))
    if model.oob_score:
        sums, n_votes = naive.forest.predict(trees, X[rows], bags)
        with np.errstate(invalid="ignore"):
            means = sums / n_votes[:, None]
        found = model.oob_prediction_ if regression else model.oob_decision_function_
        np.testing.assert_array_equal(found[rows], target.values(means[:, 0]) if regression else means)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("class_weight", [{"a": 2, "b": 3}, {"c": 0.25}, {"a": 0.0}, "balanced"], ids=str)
def test_weights_of_classes_as_the_twin_counts(kind, bootstrap, class_weight):
    """To the bit: rows are drawn, or stand, so often; "balanced" is by the numbers of rows."""
    X, y = data(kind, missing=0.1)
    y = np.where(np.arange(60) < 30, y, np.array(["a", "b"])[np.arange(60) % 2])
    share = 0.125 * (class_weight == {"a": 2, "b": 3})
    model = kind(4, bootstrap=bootstrap, class_weight=class_weight, min_weight_fraction_leaf=share, random_state=4)
    model.fit(X, y)
    labels = np.searchsorted(model.classes_, y)
    sizes = np.bincount(labels)
    times = {"{'a': 2, 'b': 3}": [2, 3, 1], "{'c': 0.25}": [4, 4, 1], "{'a': 0.0}": [0, 1, 1],
             "balanced": np.lcm.reduce(sizes) // sizes // np.gcd.reduce(np.lcm.reduce(sizes) // sizes)}
    rows = np.argsort(labels, kind="stable")
    times = np.array(times[str(class_weight)])[labels[rows]]
    size = 60 if bootstrap else int(times.sum())
    plan = Plan(3, 60 if bootstrap else 0, 2, kind.random_cuts, min_weight=math.ceil(share * size))
    trees = [naive.forest.grow(plan, X[rows], labels[rows], seed_words(4), (Purpose.FOREST, 0, 0), t, times)[0]
             for t in range(4)]
    new = data(kind, 200, 0.1, seed=1)[0]
    np.testing.assert_array_equal(model.predict_proba(new), naive.forest.predict(trees, new)[0] / 4)
    np.testing.assert_array_equal(model.feature_importances_, naive.forest.importances(trees, 7))
    assert pickle.loads(pickle.dumps(model)).predict_proba(new).tobytes() == model.predict_proba(new).tobytes()


@pytest.mark.parametrize("n_samples", [20, 10**6])
def test_weights_that_are_too_large_are_rounded(n_samples):
    """To numbers of nearly the same ratios, which sum to no more than is asked for; none becomes 0."""
    sizes, values = np.array([n_samples - 3, 2, 1]), np.array([0, 1, 2])
    for class_weight, wanted in (({0: 1e-300, 1: 0, 2: 0.7}, None),
                                 ({0: 0.1, 1: 0.123456789, 2: 0.5}, [1, 1.23456789, 5]),
                                 ("balanced", [1 / (n_samples - 3), 1 / 2, 1])):
        for most in (2 * n_samples, 1 << 24, (1 << 31) - 1):
            found = class_counts(class_weight, values, sizes, most)
            assert 0 < found.astype(np.int64) @ sizes <= most
            assert ((found == 0) == ([False, True, False] if wanted is None else False)).all()
            if wanted is not None and most // n_samples > 10**5:
                np.testing.assert_allclose(found / found[2], np.array(wanted) / wanted[2], rtol=1e-4)
    assert class_counts({0: 2, 1: 4, 2: 6}, values, sizes, 3 * n_samples).tolist() == [1, 2, 3]
    assert class_counts({0: 4, 1: 1, 2: 2}, values, sizes, 4 * n_samples - 8).tolist() == [4, 1, 2]  # none too many


def test_a_fold_may_lack_a_class_that_has_a_weight():
    """Where all that it has are named: labels that are mistaken leave one without."""
    values, sizes = np.array([0, 2]), np.array([5, 4])
    assert class_counts({0: 3, 1: 7, 2: 6}, values, sizes, 100).tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"class labels of y as keys, got 1, which is none of \[0, 2\]"):
        class_counts({0: 3, 1: 7}, values, sizes, 100)


@pytest.mark.slow
@pytest.mark.parametrize("class_weight", ["balanced", {0: 1, 1: 5}, {1: 0.3}], ids=str)
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_weighed_as_well_as_scikit_learn(kind, class_weight):
    """Balanced accuracy on new rows, where one class is rare: the mean difference over twelve sets is within three
    standard errors, and "balanced" gains."""
    found = []
    for seed in range(12):
        X, y = make_classification(1000, 12, n_informative=5, weights=[0.9], flip_y=0.05, random_state=seed)
        found.append([balanced_accuracy_score(y[500:], model(60, min_samples_leaf=5, random_state=seed, **given)
                                              .fit(X[:500], y[:500]).predict(X[500:]))
                      for model, given in ((kind, {"class_weight": class_weight}), (kind, {}),
                                           (getattr(sklearn.ensemble, kind.__name__), {"class_weight": class_weight}))])
    ours, plain, theirs = np.transpose(found)
    assert abs(np.mean(ours - theirs)) < 3 * np.std(ours - theirs, ddof=1) / np.sqrt(12)
    assert (np.mean(ours - plain) > 0.05) == (class_weight != {1: 0.3})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_as_good_as_scikit_learn(kind):
    """Held-out scores on six data sets, four splits of each: the mean difference is within two standard errors."""
    theirs, differences = getattr(sklearn.ensemble, kind.__name__), []
    sets = [load_diabetes(return_X_y=True), make_friedman1(300, 10, noise=2.0, random_state=0),
            make_friedman1(120, 30, noise=1.0, random_state=1)]
    if kind in CLASSIFIERS:
        sets = [load_wine(return_X_y=True), load_breast_cancer(return_X_y=True)]
        sets += [make_classification(300, 12, n_informative=5, n_classes=c, flip_y=0.1, random_state=c)
                 for c in (2, 3, 4)]
    for X, y in sets:
        for seed in range(6):
            places = np.random.default_rng(seed).permutation(len(y))
            train, test = places[: len(y) // 2], places[len(y) // 2 :]
            differences.append(np.subtract(*[
                model(60, random_state=seed).fit(X[train], y[train]).score(X[test], y[test])
                for model in (kind, theirs)]))
    assert abs(np.mean(differences)) < 2 * np.std(differences, ddof=1) / np.sqrt(len(differences))


@pytest.mark.quick(1)
@pytest.mark.parametrize(("leaf", "tried"), [(5, "sqrt"), (20, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_leaves_end_trees_as_in_scikit_learn(kind, leaf, tried):
    """A drawn feature that varies counts, also where no split of it leaves enough on both sides: else trees are deeper,
    and those of random thresholds score up to .16 above scikit-learn's."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(600, 8)), 1)
    y = X[:, 0] + X[:, 1] * X[:, 2] / 2 + rng.normal(size=600)
    if kind in CLASSIFIERS:
        y = np.digitize(y, np.quantile(y, [0.33, 0.66]))
    differences = [np.subtract(*[model(30, min_samples_leaf=leaf, max_features=tried, random_state=seed)
                                 .fit(X[:300], y[:300]).score(X[300:], y[300:])
                                 for model in (kind, getattr(sklearn.ensemble, kind.__name__))]) for seed in range(12)]
    assert abs(np.mean(differences)) < 3 * np.std(differences, ddof=1) / np.sqrt(12)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS)
def test_importances_as_scikit_learn_has_them(kind):
    """Of 300 trees each: no feature differs by more than 0.03, and what carries nothing stands behind the rest."""
    X, y = data(kind, 300)
    ours, theirs = (model(300, random_state=0).fit(X, y).feature_importances_
                    for model in (kind, getattr(sklearn.ensemble, kind.__name__)))
    assert np.abs(ours - theirs).max() < 0.03
    assert set(np.argsort(ours)[:2]) == {5, 6}
    assert abs(ours.sum() - 1) < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_one_forest(kind):
    """For any number of threads, from a table of any layout, after pickling; another seed is another forest."""
    (X, y), (new, _) = data(kind, 100, 0.05), data(kind, 100, 0.05, seed=1)
    ref = kind(20, random_state=3).fit(X, y)
    own = answers(ref, new).tobytes()
    for n_jobs in (2, 3, 7, -1):
        assert answers(kind(20, random_state=3, n_jobs=n_jobs).fit(X, y), new).tobytes() == own
    for table in (np.asfortranarray(X), X.tolist()):
        assert answers(clone(ref).fit(table, y), new.tolist()).tobytes() == own
    assert answers(pickle.loads(pickle.dumps(ref)), np.asfortranarray(new)).tobytes() == own
    assert answers(kind(20, random_state=4).fit(X, y), new).tobytes() != own


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("together", [1, 80 * 40 * 3])
def test_trees_grown_a_few_at_a_time_are_the_same(monkeypatch, kind, together):
    """One by one, or three for each thread; importances and what each has drawn too."""
    X, y = data(kind, 40, 0.05)
    some = {"random_state": 3, **({"bootstrap": True, "oob_score": True} if kind is RandomForestClassifier else {})}
    grown = []
    for n_bytes in (None, together):
        if n_bytes is not None:
            monkeypatch.setattr("moeliga.forest.ensemble.GROWN_BYTES", n_bytes)
            monkeypatch.setattr("moeliga.forest.ensemble.BLOCK_BYTES", 2 * n_bytes)
        for n_jobs in (1, 2):
            model = kind(20, n_jobs=n_jobs, **some).fit(X, y)
            grown.append((answers(model, X).tobytes(), model.feature_importances_.tobytes(),
                          getattr(model, "oob_decision_function_", X[:0]).tobytes()))
    assert len(set(grown)) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_are_the_same_data(kind, form):
    """In training, out of bag and afterwards."""
    X, y = data(kind, 100)
    X[X < 0.5] = 0.0
    dense, thin = (kind(10, bootstrap=True, oob_score=True, random_state=0).fit(table, y) for table in (X, form(X)))
    assert answers(dense, X).tobytes() == answers(thin, form(X)).tobytes()
    assert dense.oob_score_ == thin.oob_score_


def test_where_nothing_is_drawn_it_is_the_compiled_tree():
    """One tree of the forest, or all of them."""
    for kind, tree in ((RandomForestClassifier, moeliga.DecisionTreeClassifier),
                       (RandomForestRegressor, moeliga.DecisionTreeRegressor)):
        X, y = data(kind, 200, 0.1)
        ours = kind(3, max_features=None, bootstrap=False, min_samples_leaf=2).fit(X, y)
        np.testing.assert_array_equal(ours.predict(X), tree(min_samples_leaf=2).fit(X, y).predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_data_without_a_split(kind):
    """One sample; constant features; features that are missing everywhere; one value of y: leaves alone."""
    X, y = data(kind, 30)
    flat = np.full((30, 2), 2.5)
    for table, target in ((X[:1], y[:1]), (flat, y), (np.full((30, 2), np.nan), y), (X, np.repeat(y[:1], 30))):
        model = kind(3, random_state=0).fit(table, target)
        assert not model.feature_importances_.any()
        assert len(np.unique(answers(model, table), axis=0)) == 1


def test_a_class_that_is_not_drawn_has_no_share():
    """One sample of a class: trees without it say 0, and it is in the classes."""
    X, y = np.arange(12.0)[:, None], np.array([0] * 11 + [5])
    model = RandomForestClassifier(400, random_state=0, oob_score=True).fit(X, y)
    assert model.classes_.tolist() == [0, 5]
    missed = 1 - model.predict_proba(X[11:])[0, 1]
    assert abs(missed - (11 / 12) ** 12) < 0.1
    assert model.oob_decision_function_[11].tolist() == [1.0, 0.0]


def test_samples_that_all_trees_have_drawn():
    """They have no score out of bag, and a warning says how many they are."""
    X, y = data(RandomForestClassifier, 60)
    with pytest.warns(UserWarning, match="[0-9]+ samples were drawn by all trees") as told:
        model = RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y)
    seen = ~np.isnan(model.oob_decision_function_).any(axis=1)
    assert 0 < seen.sum() < 60 and f"{60 - seen.sum()} samples" in str(told[0].message)
    assert model.oob_score_ == np.mean(model.classes_[model.oob_decision_function_[seen].argmax(axis=1)] == y[seen])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_samples_of_many_blocks_have_the_same_answers_out_of_bag(monkeypatch, form):
    """Of 64 samples each, and a smaller last one."""
    X, y = data(RandomForestClassifier, 150)
    whole = RandomForestClassifier(20, oob_score=True, random_state=0).fit(X, y).oob_decision_function_
    monkeypatch.setattr("moeliga.tree.BLOCK_BYTES", 1)
    parts = RandomForestClassifier(20, oob_score=True, random_state=0).fit(form(X), y).oob_decision_function_
    np.testing.assert_array_equal(parts, whole)


def test_a_share_of_the_samples_is_rounded():
    """To the nearest number, of two the even one, as the share is written; one at least."""
    for share, n_samples, n_drawn in ((0.27, 10, 3), (0.23, 10, 2), (0.25, 10, 2), (0.35, 10, 4), (0.01, 10, 1),
                                      (0.145, 100, 14), (1.0, 7, 7)):
        assert RandomForestClassifier(max_samples=share).n_drawn(n_samples) == n_drawn


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_above_those_of_the_data_are_all_of_these(kind):
    """A selector fits one model to subsets of every size."""
    X, y = data(kind)
    all_of_them = kind(4, max_features=None, bootstrap=True, random_state=0).fit(X, y)
    more = kind(4, max_features=8, bootstrap=True, max_samples=61, random_state=0).fit(X, y)
    assert answers(more, X).tobytes() == answers(all_of_them, X).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_has_no_importances_before_fit(kind):
    """As a tree: scikit-learn's selectors ask whether there are some."""
    with pytest.raises(NotFittedError):
        _ = kind().feature_importances_
    assert not hasattr(kind(), "feature_importances_")


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_forgets_what_the_one_before_had_out_of_bag(kind):
    X, y = data(kind)
    model = kind(30, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    names = {name for name in vars(model) if name.startswith("oob_") and name.endswith("_")}
    assert len(names) == 2
    assert not names & set(vars(model.set_params(oob_score=False).fit(X, y)))


@pytest.mark.parametrize(("parameters", "error", "message"), [
    ({"n_estimators": 0}, ValueError, "n_estimators must be >= 1, got 0"),
    ({"n_estimators": 2.5}, TypeError, "n_estimators must be an integer, got 2.5"),
    ({"max_features": "all"}, ValueError, "max_features must be 'sqrt', 'log2', a number or None, got 'all'"),
    ({"max_features": 0}, ValueError, "max_features must be >= 1, got 0"),
    ({"max_features": 1.5}, ValueError, r"max_features must be in \(0, 1\], got 1.5"),
    ({"max_depth": -1}, ValueError, "max_depth must be >= 0, got -1"),
    ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be in"),
    ({"min_weight_fraction_leaf": 0.6}, ValueError, r"min_weight_fraction_leaf must be in \[0, 0.5\], got 0.6"),
    ({"bootstrap": 1}, TypeError, "bootstrap must be True or False, got 1"),
    ({"bootstrap": False, "oob_score": True}, ValueError, "oob_score must be False without bootstrap, got True"),
    ({"bootstrap": False, "max_samples": 3}, ValueError, "max_samples must be None without bootstrap, got 3"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
    ({"n_jobs": 0}, ValueError, "n_jobs must"),
], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_refuses(kind, parameters, error, message):
    """The argument, the rule and the value."""
    X, y = data(kind)
    with pytest.raises(error, match=message):
        kind(**parameters).fit(X, y)


@pytest.mark.parametrize(("class_weight", "error", "message"), [
    ("balanced_subsample", ValueError, "class_weight must be a dict, 'balanced' or None, got 'balanced_subsample'"),
    ([{"a": 1}], ValueError, r"class_weight must be a dict, 'balanced' or None, got \[{'a': 1}\]"),
    ({"a": -1}, ValueError, r"class_weight\['a'\] must be >= 0, got -1"),
    ({"a": "2"}, TypeError, r"class_weight\['a'\] must be a number, got '2'"),
    ({"a": np.inf}, ValueError, r"class_weight\['a'\] must be finite, got inf"),
    ({"d": 2}, ValueError, "class_weight must have class labels of y as keys, got 'd', which is none of"),
    ({"a": 0, "b": 0, "c": 0}, ValueError, "class_weight must have a weight above 0"),
], ids=str)
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_refuses_weights(kind, class_weight, error, message):
    X, y = data(kind)
    with pytest.raises(error, match=message):
        kind(3, class_weight=class_weight).fit(X, y)
