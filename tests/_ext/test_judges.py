"""Compiled judges: their slow twins, scikit-learn's classes on the same rows, instruction sets, bad input."""

import dataclasses
import functools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.metrics import recall_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from threadpoolctl import threadpool_limits

from moeliga import evaluate_subsets
from moeliga._ext import judges, tree
from moeliga.evaluation.judges import recognise
from naive import judges as naive

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]
SCALERS = {"none": None, "standard": StandardScaler(), "range": MinMaxScaler()}


def piped(scaling, model):
    return model if SCALERS[scaling] is None else make_pipeline(SCALERS[scaling], model)


def asked(model, X, y, selected, learn, ask=None, n_classes=None):
    """Answers of the compiled judge, the same for every instruction set."""
    selected, learn = np.asarray(selected, dtype=np.int32), np.asarray(learn, dtype=np.int32)
    ask = None if ask is None else np.asarray(ask, dtype=np.int32)
    table = np.ascontiguousarray(np.asarray(X, dtype=np.float64).T)
    known = {"target": np.asarray(y, dtype=np.float64)} if n_classes is None else {
        "labels": np.asarray(y, dtype=np.int32), "n_classes": n_classes}
    found = [judges.answers(recognise(model), table, selected, learn, ask, level=level, **known) for level in LEVELS]
    assert all(one.tobytes() == found[0].tobytes() for one in found)
    return found[0]


def split(rng, n):
    rows = rng.permutation(n)
    return np.sort(rows[: 2 * n // 3]), np.sort(rows[2 * n // 3 :])


def noise(rng, n=41, n_features=7, n_classes=3):
    """Features of several scales, one of them constant, and labels."""
    X = rng.normal(size=(n, n_features)) * 10.0 ** rng.integers(-3, 4, n_features) + rng.normal(size=n_features)
    X[:, 2] = 0.1
    return X, rng.integers(0, n_classes, n)


@pytest.mark.parametrize("scaling", SCALERS)
@pytest.mark.parametrize("left_out", [False, True])
def test_bayes_is_its_twin(scaling, left_out, rng):
    for smoothing, priors in ((1e-9, None), (0.3, [0.2, 0.5, 0.3]), (1e-9, [0.0, 0.5, 0.5])):
        X, y = noise(rng)
        learn, ask = split(rng, len(X))
        ask = None if left_out else ask
        model = piped(scaling, GaussianNB(var_smoothing=smoothing, priors=priors))
        found = asked(model, X, y, [0, 2, 3, 6], learn, ask, 3)
        slow = functools.partial(naive.bayes, smoothing=smoothing, priors=priors)
        wanted = naive.answers(slow, scaling, X[:, [0, 2, 3, 6]].tolist(), y, learn, ask, 3)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("scaling", SCALERS)
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_are_their_twins(scaling, left_out, metric, weights, rng):
    for number, target in ((1, False), (5, False), (5, True)):
        X, y = noise(rng)
        if weights == "distance":
            X[30:] = X[:11]  # at distance 0
        y = rng.normal(size=len(y)) if target else y
        learn, ask = split(rng, len(X))
        ask = None if left_out else ask
        kind = KNeighborsRegressor if target else KNeighborsClassifier
        found = asked(piped(scaling, kind(number, weights=weights, metric=metric)), X, y, [0, 2, 3, 6], learn, ask,
                      None if target else 3)
        slow = functools.partial(naive.neighbours, number=number, weights=weights, manhattan=metric == "manhattan")
        wanted = naive.answers(slow, scaling, X[:, [0, 2, 3, 6]].tolist(), y, learn, ask, None if target else 3)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def rows_of(kind, rng, n, n_features):
    """Rows that rounding is hard on, or that are equally far: ndarray, shape (n, n_features)."""
    X = rng.normal(size=(n, n_features))
    if kind == "few values":
        return rng.integers(0, 3, X.shape).astype(float)
    if kind == "large numbers":  # whole ones, too large for their squares to be exact in single precision
        return np.round(X * 1e5)
    if kind == "copies":
        return X[rng.integers(0, n // 8, n)]
    if kind == "tenths":
        return np.round(X, 1)
    if kind == "constant":
        X[:, 1:] = 0.1
        X[:, 0] = rng.integers(0, 2, n)
        return X
    if kind == "far":
        return 1e7 + np.round(X, 2)
    if kind == "outliers":
        return X * np.where(rng.random((n, 1)) < 0.1, 1e30, 1.0)
    if kind == "scales":
        return X * 10.0 ** rng.integers(-60, 60, n_features)
    return X * {"tiny": 1e-130, "huge": 1e130, "small": 1e-60, "large": 1e60, "any": 1.0}[kind]


@pytest.mark.quick(4)
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("kind", ["any", "few values", "large numbers", "copies", "tenths", "constant", "far",
                                  "outliers", "scales", "tiny", "huge", "small", "large"])
def test_neighbours_are_those_of_the_heap(kind, left_out, rng):
    """The same rows, of equally far ones too, for one feature and several, few and many neighbours and classes."""
    for n, n_features, n_classes in ((47, 1, 2), (61, 6, 20)):
        X, y = rows_of(kind, rng, n, n_features), rng.integers(0, n_classes, n)
        learn, ask = (np.arange(n), None) if left_out else split(rng, n)
        asked_rows = learn if left_out else ask
        for number, manhattan in ((1, False), (5, True), (5, False), (20, False), (len(learn) - left_out, True)):
            model = KNeighborsClassifier(number, p=1 if manhattan else 2)
            found = asked(model, X, y, range(n_features), learn, ask, n_classes)
            for row, answer in zip(asked_rows, found, strict=True):
                others = learn[learn != row]
                differences = [[a - b for a, b in zip(X[i].tolist(), X[row].tolist(), strict=True)] for i in others]
                distances = [functools.reduce(lambda total, d: total + (abs(d) if manhattan else d * d), one, 0.0)
                             for one in differences]
                wanted = np.bincount(y[others[naive.kept(distances, number)]], minlength=n_classes) / number
                np.testing.assert_array_equal(answer, wanted)


@pytest.mark.parametrize("n", [300, 2600])
def test_many_equally_far_rows_are_those_of_the_heap(n, rng):
    """More of them than are listed, on small whole numbers: distances are exact in any order."""
    X, y = rng.integers(0, 4, (n + 20, 12)).astype(float), rng.integers(0, 3, n + 20)
    for number, n_features in ((5, 2), (5, 12), (40, 12)):
        found = asked(KNeighborsClassifier(number), X, y, range(n_features), np.arange(n), n + np.arange(20), 3)
        for row, answer in zip(X[n:, :n_features], found, strict=True):
            distances = ((X[:n, :n_features] - row) ** 2).sum(axis=1).tolist()
            wanted = np.bincount(y[naive.kept(distances, number)], minlength=3) / number
            np.testing.assert_array_equal(answer, wanted)


def test_rough_distances_lose_no_neighbour(rng):
    """Distances that are summed only where a rough one says so, against those of scikit-learn's trees, at any scale."""
    X = rng.normal(size=(900, 40))
    X[:, 0] *= 30  # large squares beside small differences
    y, learn, ask = rng.integers(0, 9, 900), *split(rng, 900)
    for scale, shift in ((1.0, 0.0), (1e-80, 0.0), (1e80, 0.0), (1.0, 1e7), (1e-160, 0.0)):
        Z = X * scale + shift
        for number in (1, 4, 50):
            model = KNeighborsClassifier(number, algorithm="kd_tree")
            with np.errstate(all="ignore"):
                wanted = model.fit(Z[learn], y[learn]).predict_proba(Z[ask])
            if scale > 1e-160:
                np.testing.assert_array_equal(asked(model, Z, y, range(40), learn, ask, 9), wanted)
            else:  # squares underflow: any neighbours will do, the shares of which are shares
                np.testing.assert_allclose(asked(model, Z, y, range(40), learn, ask, 9).sum(axis=1), 1.0)


@pytest.mark.parametrize("scaling", SCALERS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_bayes_is_that_of_scikit_learn(load, scaling, rng):
    X, y = load(return_X_y=True)
    for _ in range(3):
        learn, ask = split(rng, len(X))
        selected = np.sort(rng.choice(X.shape[1], X.shape[1] // 2, replace=False))
        model = piped(scaling, GaussianNB())
        found = asked(model, X, y, selected, learn, ask, y.max() + 1)
        model.fit(X[np.ix_(learn, selected)], y[learn])
        np.testing.assert_allclose(found, model.predict_proba(X[np.ix_(ask, selected)]), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found.argmax(axis=1), model.predict(X[np.ix_(ask, selected)]))


@pytest.mark.parametrize("scale", [1.0, 2.0**600, 2.0**1016], ids=["usual", "square overflows", "near the end"])
def test_classes_by_log_likelihoods_are_those_by_probabilities(scale, rng):
    """Of 1 to 70 rows that are answered for: whole registers, parts of one, and where nothing is known."""
    X, y = noise(rng, 120)
    X[:, 1] *= scale
    masks = np.array([[True] * 7, [False, True] * 3 + [False]])
    for n_ask in (1, 3, 7, 8, 9, 31, 33, 64, 70):
        ask, learn = np.arange(n_ask), np.arange(n_ask, 120)
        for shared in (False, True):
            found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=GaussianNB(), cv=[(learn, ask)],
                                     shared=shared)[:, 0]
            for mask, score in zip(masks, found, strict=True):
                chosen = asked(GaussianNB(), X, y, np.flatnonzero(mask), learn, ask, 3).argmax(axis=1)
                np.testing.assert_allclose(score, recall_score(y[ask], chosen, labels=np.unique(y[ask]),
                                                               average="macro"), rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [2.0**-508, 2.0**-512, 2.0**-516, 2.0**-520])
def test_bayes_of_variances_without_an_inverse_is_that_of_scikit_learn(scale, weighted, rng):
    """They have lost digits; where also what smooths them is 0, they alone decide."""
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 3
    X = (X + 0.5 * y[:, None]) * scale
    learn, ask, weights = np.arange(40), np.arange(40, 60), rng.integers(1, 4, 60) / 1.0
    wanted = GaussianNB().fit(X[learn], y[learn], weights[learn] if weighted else None).predict_proba(X[ask])
    if weighted:
        known = {"labels": y.astype(np.int32), "n_classes": 3, "weights": weights}
        found = judges.answers(recognise(GaussianNB()), np.ascontiguousarray(X.T), np.arange(5, dtype=np.int32),
                               learn.astype(np.int32), ask.astype(np.int32), **known)
    else:
        found = asked(GaussianNB(), X, y, range(5), learn, ask, 3)
        left = [GaussianNB().fit(np.delete(X, i, 0), np.delete(y, i)).predict_proba(X[i : i + 1])[0] for i in range(60)]
        np.testing.assert_allclose(asked(GaussianNB(), X, y, range(5), range(60), None, 3), left, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)
    masks = np.tril(np.ones((5, 5), dtype=bool))
    scores = evaluate_subsets(X, y, masks, estimator=GaussianNB(), scoring="accuracy", cv=[(learn, ask)],
                              objectives=("accuracy",))
    right = [np.mean(GaussianNB().fit(X[learn, :k], y[learn]).predict(X[ask, :k]) == y[ask]) for k in range(1, 6)]
    np.testing.assert_allclose(scores[:, 0], right, rtol=1e-12)


@pytest.mark.quick(6)
@pytest.mark.parametrize("scaling", SCALERS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_are_those_of_scikit_learn(metric, weights, scaling, rng):
    """Many pixels are equally far, and their distances are whole numbers: ties are exact without a scaler."""
    for load in (load_wine, load_digits):
        X, y = load(return_X_y=True)
        if scaling != "none" and load is load_digits:
            continue  # ties that are rounded
        learn, ask = split(rng, len(X))
        selected = np.sort(rng.choice(X.shape[1], X.shape[1] // 2, replace=False))
        for number in (1, 5, 20):
            model = piped(scaling, KNeighborsClassifier(number, metric=metric, weights=weights, algorithm="brute"))
            found = asked(model, X, y, selected, learn, ask, y.max() + 1)
            with threadpool_limits(1):
                model.fit(X[np.ix_(learn, selected)], y[learn])
                wanted = model.predict_proba(X[np.ix_(ask, selected)])
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 if metric == "euclidean" else 1e-12)
            np.testing.assert_array_equal(found.argmax(axis=1), wanted.argmax(axis=1))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_of_a_target_are_those_of_scikit_learn(weights, rng):
    X, y = load_diabetes(return_X_y=True)
    learn, ask = split(rng, len(X))
    model = KNeighborsRegressor(7, weights=weights, algorithm="brute")
    found = asked(model, X, y, range(10), learn, ask)
    np.testing.assert_allclose(found[:, 0], model.fit(X[learn], y[learn]).predict(X[ask]), rtol=1e-10)


@pytest.mark.parametrize("number", [2, 16, 18, 36, 118, 1300])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_of_a_target_are_added_nearest_first(weights, number, rng):
    """And of two equally far the first row: the same bits for few neighbours and for many."""
    X, y, rows = rng.permutation(1500), rng.normal(size=1510), np.arange(1500)
    asked_for = 745.5 + np.arange(10)  # rows are equally far in pairs
    found = asked(KNeighborsRegressor(number, weights=weights), np.append(X, asked_for)[:, None], y, [0], rows,
                  1500 + np.arange(10))
    for value, answer in zip(asked_for, found[:, 0], strict=True):
        nearest = np.lexsort((rows, abs(X - value)))[:number]
        shares = 1.0 / abs(X - value)[nearest] if weights == "distance" else np.ones(number)
        assert answer == np.add.accumulate(shares * y[nearest])[-1] / np.add.accumulate(shares)[-1]


def test_rough_distances_leave_a_row_itself_out(rng):
    X, y = rng.normal(size=(500, 40)), rng.integers(0, 4, 500)
    model = KNeighborsClassifier(5, algorithm="kd_tree").fit(X, y)
    near = model.kneighbors(return_distance=False)
    wanted = np.stack([(y[near] == c).mean(axis=1) for c in range(4)], axis=1)
    np.testing.assert_allclose(asked(model, X, y, range(40), range(500), None, 4), wanted, rtol=0, atol=1e-15)


def test_a_class_of_one_row_is_left_out():
    """Without its only row nobody knows it, and it is never answered."""
    X, y = np.arange(7.0)[:, None] ** 2, [0, 0, 0, 1, 1, 1, 2]
    for model in (GaussianNB(), KNeighborsClassifier(1)):
        found = asked(model, X, y, [0], range(7), None, 3)
        assert found[6, 2] == 0.0 and found[6].sum() == 1.0
        for i in range(7):
            rest = [j for j in range(7) if j != i]
            assert model.fit(X[rest], np.array(y)[rest]).predict(X[[i]])[0] == found[i].argmax()


def test_constant_features_tell_nothing():
    """scikit-learn answers with numbers that are none, and predicts the first class that there is."""
    X, y = np.full((6, 2), 3.5), np.array([1, 1, 2, 2, 2, 1])
    with np.errstate(all="ignore"):
        assert GaussianNB().fit(X, y).predict(X).tolist() == [1] * 6
    for ask in (range(6), None):
        np.testing.assert_array_equal(asked(GaussianNB(), X, y, [0, 1], range(6), ask, 3), [[0, 0.5, 0.5]] * 6)
    for ask in ([0, 5], None):
        found = asked(KNeighborsClassifier(5, algorithm="brute", weights="distance"), X, y, [0], range(6), ask, 3)
        np.testing.assert_array_equal(found.sum(axis=1), 1.0)
    for number in (0.0, 3.0):
        found = asked(KNeighborsClassifier(1), np.full((6, 2), number), y, [0, 1], range(6), [0, 5], 3)
        np.testing.assert_array_equal(found, [[0, 1, 0]] * 2)  # the first row
    np.testing.assert_array_equal(  # all distances are equal: all rows are neighbours
        asked(KNeighborsClassifier(6), X, y, [0], range(6), [0], 3), [[0, 0.5, 0.5]])


def test_what_is_left_without_an_outlier():
    """One row holds nearly all of the variance: what is left without it is not a difference of large numbers."""
    X = np.array([[1.0], [1.0 + 1e-6], [1.0 - 1e-6], [1.0 + 3e-6], [1e6], [1.0]])
    y = [0, 0, 1, 1, 1, 0]
    slow = functools.partial(naive.bayes, smoothing=1e-9)
    for scaling in SCALERS:
        found = asked(piped(scaling, GaussianNB()), X, y, [0], range(6), None, 2)
        wanted = naive.answers(slow, scaling, X.tolist(), y, range(6), None, 2)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


def test_bad_arguments_are_refused(rng):
    X, y = noise(rng)
    table, labels, rows = np.ascontiguousarray(X.T), y.astype(np.int32), np.arange(41, dtype=np.int32)
    selected, model = np.arange(3, dtype=np.int32), recognise(KNeighborsClassifier(41))

    def refused(match, judge=model, table=table, selected=selected, learn=rows, ask=rows, **more):
        with pytest.raises(ValueError, match=match):
            judges.answers(judge, table, selected, learn, ask, **{"labels": labels, "n_classes": 3, **more})

    refused("n_neighbors must be at most 40", learn=rows[:40])
    refused("n_neighbors must be at most 40", ask=None)
    refused("a row to learn from", recognise(GaussianNB()), learn=rows[:1], ask=None)
    refused("n_classes must be >= 1", n_classes=0)
    refused(r"labels must be in \[0, 2\)", n_classes=2)
    refused("labels must have 41 entries, got 40", labels=labels[:40])
    refused("target must have 41 entries, got 40", labels=None, target=np.zeros(40), n_classes=1)
    refused("labels or target must be given", target=np.zeros(41))
    refused(r"selected must be ascending and in \[0, 7\), got 7 at 0", selected=selected + 7)
    refused("selected must be ascending", selected=np.zeros(2, dtype=np.int32))
    refused("selected must not be empty", selected=selected[:0])
    refused(r"learn must be in \[0, 41\)", learn=rows + 1)
    refused(r"ask must be in \[0, 41\)", ask=rows - 1)
    refused("judge must be of a kind", dataclasses.replace(model, kind=99))
    refused("the neighbours, must be >= 1", dataclasses.replace(model, whole=(0, 0, 0)))
    refused("priors must have 3 entries, .*, got 2", dataclasses.replace(model, priors=np.zeros(2)))
    refused("level must be in", level=9)
    assert judges.answers(model, table, selected, rows, rows[:0], labels=labels, n_classes=3).shape == (0, 3)


@pytest.mark.parametrize("n", [8, 41, 203])
@pytest.mark.parametrize("order", ["ascending", "few", "shuffled", "twice"])
def test_rows_are_read_in_any_order(rng, n, order):
    """The answers are those of a table of these rows alone, at every level."""
    X, y = noise(rng, n, 5)
    y[:3] = range(3)
    learn = np.sort(np.concatenate((np.arange(3), 3 + rng.permutation(n - 3)[: n // 2])))
    if order == "few":
        learn = learn[: max(3, n // 6)]
    elif order == "shuffled":
        learn = rng.permutation(learn)
    elif order == "twice":
        learn = np.repeat(learn, 2)
    ask = np.flatnonzero(rng.random(n) < 0.6)
    rows = np.concatenate((learn, ask))
    for model in (GaussianNB(), KNeighborsClassifier(3), piped("standard", GaussianNB())):
        found = asked(model, X, y, [0, 1, 3, 4], learn, ask, 3)
        alone = asked(model, X[rows], y[rows], [0, 1, 3, 4], np.arange(len(learn)), len(learn) + np.arange(len(ask)), 3)
        np.testing.assert_array_equal(found, alone)
