"""Honest scores are those of new samples: on noise, on planted rules, and whatever the samples held out are."""

import math
import statistics

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from cross_fitted import data, small
from moeliga import DecisionTreeClassifier, MOELIGASelector
from moeliga.parameters.islands import Islands
from moeliga.search import ranking
from moeliga.validation.bootstrap import excess_variance, mixed_estimate, weight_632_plus

SMALL = {"population_size": 20, "n_generations": 8, "objectives": ("uar", "cardinality")}


@pytest.fixture
def few_trees(monkeypatch):
    """Rankings by small forests, which would take most of the time of small searches."""
    monkeypatch.setattr(ranking, "N_TREES", 10)


def uar_of(model, X, y, X_new, y_new):
    predicted = model.fit(X, y).predict(X_new)
    return np.mean([np.mean(predicted[y_new == label] == label) for label in np.unique(y_new)])


@pytest.mark.slow
def test_noise_is_worth_chance(few_trees):
    found = []
    for number in range(100):
        rng, n_classes = np.random.default_rng(number), 2 + number % 3
        X, y = rng.normal(size=(60, 200)), rng.permutation(np.arange(60) % n_classes)
        selector = MOELIGASelector(GaussianNB(), islands=Islands(sizes=(4, 8, 16)), random_state=number,
                                   **SMALL).fit(X, y)
        front, index = selector.pareto_front_, selector.index_
        found.append(np.array([selector.honest_score_, *selector.honest_interval_, front.honest_score[index],
                               front.score[index]]) - 1 / n_classes)
    honest, low, high, of_folds, in_search = np.array(found).T
    assert abs(honest.mean()) < 0.02
    assert np.sum((low <= 0) & (0 <= high)) >= 85
    # what it is that is taken off
    assert of_folds.mean() > 0.05
    assert in_search.mean() > 0.1


RULES = {"linear": lambda X: X[:, 0] + X[:, 1] - X[:, 2], "xor": lambda X: X[:, 0] * X[:, 1],
         "three": lambda X: X[:, 0] * X[:, 1] * X[:, 2]}


@pytest.mark.slow
def test_planted_rules_are_worth_what_fresh_samples_say(few_trees):
    """Of neighbours on 8 features, where a tenth of the labels is wrong; searches so long that they find the rule. The
    standard error of the mean, which is checked, is about half of the bound."""
    found = []
    for place, rule in enumerate(RULES.values()):
        for n_samples, n_fits in ((100, 12), (300, 8), (1000, 4)):
            for number in range(n_fits):
                rng = np.random.default_rng([place, n_samples, number])
                X = rng.normal(size=(n_samples + 20_000, 8))
                y = (rule(X) > 0) ^ (rng.random(len(X)) < 0.1)
                X, X_new, y, y_new = X[:n_samples], X[n_samples:], y[:n_samples], y[n_samples:]
                model = KNeighborsClassifier(9)
                selector = MOELIGASelector(model, islands=Islands(sizes=(3, 6)), random_state=number,
                                           **SMALL | {"population_size": 30, "n_generations": 12}).fit(X, y)
                test = uar_of(model, selector.transform(X), y, selector.transform(X_new), y_new)
                low, high = selector.honest_interval_
                found.append((selector.honest_score_ - test, low <= test <= high))
    difference, covered = np.array(found).T
    assert difference.std() / len(difference) ** 0.5 < 0.006
    assert abs(difference.mean()) < 0.01
    assert covered.mean() > 0.85


def test_samples_held_out_change_nothing_of_their_fold(rng):
    X, y = load_wine(return_X_y=True)
    parts = np.array_split(rng.permutation(len(y)), 3)
    folds = [(np.setdiff1d(np.arange(len(y)), part), part) for part in parts]

    def fitted(X, y):
        seen = [[], [], []]

        def watch(state):
            if state.fold is not None:
                seen[state.fold] += [state.supports, state.objectives]

        selector = MOELIGASelector(DecisionTreeClassifier(), honest=folds, n_generations=4, population_size=12,
                                   callbacks=watch, random_state=0).fit(X, y)
        for slot, supports in selector.fold_supports_.items():
            for fold, support in enumerate(supports):
                seen[fold].append((slot, support.tolist()))
        return [[value.tobytes() if isinstance(value, np.ndarray) else value for value in part] for part in seen]

    before = fitted(X, y)
    for held_out, part in enumerate(parts):
        X_other, y_other = X.copy(), y.copy()
        X_other[part] = rng.normal(scale=1e6, size=X[part].shape)
        y_other[part] = rng.permutation(y[part])
        after = fitted(X_other, y_other)
        for fold in range(3):
            assert (after[fold] == before[fold]) == (fold == held_out)


def test_the_weight_of_scores_outside_grows_with_what_choosing_adds():
    candidates = np.array([0.5, 0.6, np.nan, 0.7])  # 0.6 without a choice
    assert weight_632_plus(0.8, np.array([0.8, np.nan]), candidates) == pytest.approx(0.632)
    assert weight_632_plus(0.8, np.array([0.9]), candidates) == pytest.approx(0.632)
    assert weight_632_plus(0.8, np.array([0.6, 0.6]), candidates) == pytest.approx(1)
    assert weight_632_plus(0.8, np.array([0.5]), candidates) == pytest.approx(1)
    assert weight_632_plus(0.8, np.array([0.7]), candidates) == pytest.approx(0.632 / (1 - 0.368 / 2))
    assert weight_632_plus(0.5, np.array([0.4]), candidates) == pytest.approx(0.632)  # chosen by something else
    assert mixed_estimate(0.8, np.array([0.6, np.nan, 0.8]), 0.75, 0.0)[0] == pytest.approx(0.25 * 0.8 + 0.75 * 0.7)
    assert np.isnan(mixed_estimate(0.8, np.array([np.nan]), 0.75, 0.0)[1]).all()


def test_intervals_are_wider_where_folds_differ_by_more_than_their_samples_explain():
    drawn = np.array([0.7, 0.8, 0.9])  # variance 0.02 / 3
    assert excess_variance(np.array([0.8, 0.8, 0.8]), drawn, 3) == 0
    assert excess_variance(np.array([0.8, 0.9]), drawn, 2) == 0  # 0.005 < 0.04 / 3 of two folds of half of the samples
    assert excess_variance(np.array([0.5, 0.9]), drawn, 2) == pytest.approx((0.08 - 0.04 / 3) * 1.5)
    assert excess_variance(np.array([0.5]), drawn, 1) == 0
    assert excess_variance(np.array([0.5, 0.9, 0.7]), drawn, 1) == 0  # each fold holds all samples out
    assert excess_variance(np.array([0.5, np.nan, 0.9]), drawn, 3) == pytest.approx((0.08 - 0.02) * 1.5)
    assert excess_variance(np.tile([0.1, 0.9], 11), drawn, 22) == 0
    # the same folds again say nothing new
    once = excess_variance(np.array([0.5, 0.9]), drawn, 2)
    assert excess_variance(np.tile([0.5, 0.9], 5), drawn, 2) == pytest.approx(once)
    outside = np.arange(101.0)
    assert mixed_estimate(50.0, outside, 0.8, 0.0) == (50, (5, 95))
    low, high = mixed_estimate(50.0, outside, 0.8, 100.0)[1]
    assert (50 - low, high - 50) == pytest.approx((np.hypot(45, 16.45), np.hypot(45, 16.45)))


@pytest.mark.slow
def test_folds_that_come_again_leave_the_interval(rng):
    """The same answers: its interval is as wide, but for candidates that other seeds have found."""
    X, y = data(rng)
    pairs = [(np.setdiff1d(np.arange(48), part), part) for part in np.array_split(rng.permutation(48), 4)]
    y[pairs[0][1]] = 1 - y[pairs[0][1]]  # a fold unlike the others
    found = []
    for times in (1, 3):
        selector = small(honest=times * pairs).fit(X, y)
        whole = int(np.flatnonzero(selector.pareto_front_.source == "all")[0])
        found.append(selector.select(index=whole))
    once, thrice = found
    assert thrice.honest_score_ == pytest.approx(once.honest_score_, rel=0.01)
    assert thrice.honest_interval_ == pytest.approx(once.honest_interval_, rel=0.01)
    assert np.diff(once.honest_interval_)[0] > 0.1


@pytest.mark.slow
def test_a_fold_without_a_score_does_not_count(rng):
    """One sample has no area under a curve: errors and interval are those of the other folds."""
    X, y = data(rng)
    parts = np.array_split(rng.permutation(48), 4)
    parts = [*parts[:3], parts[3][:1], parts[3][1:]]
    selector = small(honest=[(np.setdiff1d(np.arange(48), part), part) for part in parts], scoring="roc_auc")
    front = selector.fit(X, y).pareto_front_
    known = np.isfinite(front.honest_score)
    folds = front.honest.folds[known]
    assert np.isnan(folds[:, 3]).all() and np.isfinite(np.delete(folds, 3, axis=1)).all()
    share = np.mean([len(part) / (48 - len(part)) for part in parts])
    expected = [statistics.stdev(scores) * math.sqrt(1 / 4 + share) for scores in np.delete(folds, 3, axis=1).tolist()]
    np.testing.assert_allclose(front.honest_se[known], expected)
