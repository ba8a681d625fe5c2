"""The building blocks as functions, for inputs that hypothesis draws: a clear refusal, or the twins' bits."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import assume, given
from hypothesis import strategies as st

import naive.dominance
import naive.evaluate
import naive.niche
import naive.regression
import naive.relief
from call_outcome import outcome
from expected import for_classes, for_target, share_of
from moeliga import (
    Cardinality,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Separability,
    evaluate_subsets,
    pareto_rank,
    separability,
    shared_fitness,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from naive.moeliga import Run
from state import image
from strategies import LAYOUTS, SEEDS, WILD, cases, classified, columns, masks, predicted

ADDRESS = (Purpose.PUBLIC, 0, 0)
SHARES = st.sampled_from((0.3, 0.3, 0.5, 0.999, 1e-3, 1e-300))
SETTINGS = st.fixed_dictionaries({
    "n_splits": st.integers(1, 3), "validation_size": SHARES, "shared": st.booleans(),
    "random_state": st.one_of(SEEDS, st.just(10**40)), "n_jobs": st.sampled_from((None, 1, 2, 3)),
})
POSITIVE = st.one_of(st.floats(0, 4, exclude_min=True), st.floats(0, exclude_min=True, allow_infinity=False))
RULES = st.sampled_from(((None, 2, 1), (None, 2, 1), (0, 2, 1), (2, 2, 1), (None, 7, 1), (None, 2, 3)))


def cardinality(k, n_features):
    """Objective II of the twin of the whole algorithm, with its default parameters."""
    return Run.cardinality(SimpleNamespace(o=SimpleNamespace(lambda_=0.5, gamma=0.0), n_features=n_features), k)


def of_evaluation(settings):
    return {name: settings[name] for name in ("n_splits", "shared", "validation_size")}


def rules_of(rules):
    return {"max_depth": rules[0], "min_samples_split": rules[1], "min_samples_leaf": rules[2]}


@given(classified(), RULES, SETTINGS, st.data())
@cases(35)
def test_subsets_have_the_objectives_of_the_twin(problem, rules, settings, data):
    """UAR, cardinality and separability, bit for bit; one class is refused; nothing is changed."""
    X, y = problem
    chosen = data.draw(masks(X.meaning.shape[1]))
    before = image(X.value), image(y.value), image(chosen.value)
    got, refusal = outcome(lambda: evaluate_subsets(
        X.value, y.value, chosen.value, estimator=DecisionTreeClassifier(**rules_of(rules)), **settings), "masks")
    assert (image(X.value), image(y.value), image(chosen.value)) == before
    if len(y.classes) == 1:
        assert "y must have at least 2 classes" in str(refusal)
        return
    assert refusal is None, refusal
    uar, apart = for_classes(
        X.meaning, y.meaning, chosen.meaning, seed_words(settings["random_state"]), ADDRESS, rules=rules,
        n_instances=share_of(0.3, len(y.meaning)), **of_evaluation(settings))
    assert got[:, 0].tolist() == uar
    assert got[:, 1].tolist() == [cardinality(k, X.meaning.shape[1]) for k in chosen.meaning.sum(axis=1).tolist()]
    assert got[:, 2].tolist() == apart


@given(predicted(), RULES, SETTINGS, st.data())
@cases(25)
def test_subsets_have_the_objectives_of_the_twin_for_a_target(problem, rules, settings, data):
    """R2, and separability with hits by the target, bit for bit; nothing is changed."""
    X, y = problem
    chosen = data.draw(masks(X.meaning.shape[1]))
    before = image(X.value), image(y.value), image(chosen.value)
    term = Separability(samples=data.draw(st.sampled_from((0.3, 1.0, 1, 40))), neighbours=data.draw(SHARES))
    got, refusal = outcome(lambda: evaluate_subsets(
        X.value, y.value, chosen.value, estimator=DecisionTreeRegressor(**rules_of(rules)),
        objectives=(term, "r2", Cardinality(lambda_=None)), **settings), "masks")
    assert (image(X.value), image(y.value), image(chosen.value)) == before
    assert refusal is None, refusal
    n, n_features = X.meaning.shape
    n_instances = term.samples if isinstance(term.samples, int) else share_of(term.samples, n)
    r2, apart = for_target(
        X.meaning, y.meaning, chosen.meaning, seed_words(settings["random_state"]), ADDRESS, rules=rules,
        n_instances=n_instances, neighbours=term.neighbours, **of_evaluation(settings))
    assert got[:, 0].tolist() == apart
    assert got[:, 1].tolist() == r2
    assert got[:, 2].tolist() == [(n_features - k) / n_features for k in chosen.meaning.sum(axis=1).tolist()]


@given(st.one_of(classified(), predicted()), st.data())
@cases(25)
def test_separability_is_that_of_the_twin(problem, data):
    """For classes and for a target, any mask, any number of instances with and without replacement."""
    X, y = problem
    n, n_features = X.meaning.shape
    mask = data.draw(st.one_of(st.none(), masks(n_features, 1)))
    value = None if mask is None else mask.value if isinstance(mask.value, list) else np.asarray(mask.value)[0]
    value = value[0] if isinstance(value, list) else value
    regression = not hasattr(y, "classes")
    neighbours = data.draw(SHARES) if regression else None
    samples, replace = data.draw(st.sampled_from((1.0, 0.5, 1e-3, 1, 5, 60))), data.draw(st.booleans())
    seed = data.draw(SEEDS)
    before = image(X.value), image(y.value), image(value)
    got, refusal = outcome(lambda: separability(X.value, y.value, value, samples=samples, replace=replace,
                                                neighbours=neighbours, random_state=seed), "mask", "samples")
    assert (image(X.value), image(y.value), image(value)) == before
    if not regression and len(y.classes) == 1:
        assert "y must have at least 2 classes" in str(refusal)
        return
    if isinstance(samples, int) and samples > n and not replace:
        assert f"samples must be <= {n}" in str(refusal)
        return
    assert refusal is None, refusal
    order = np.argsort(y.meaning, kind="stable")
    labels = y.meaning[order]
    hits = (naive.regression.hits(labels.tolist(), Fraction(repr(neighbours))) if regression
            else labels[:, None] == labels)
    wanted = samples if isinstance(samples, int) else share_of(samples, n)
    instances = draw.instances(seed_words(seed), (*ADDRESS, 0, draw.SAMPLE), n, wanted, replace)
    selected = range(n_features) if mask is None else np.flatnonzero(mask.meaning[0]).tolist()
    assert got == naive.relief.separability(naive.evaluate.scale(X.meaning[order]), hits, list(selected),
                                            instances.tolist())


@st.composite
def points(draw, bad=False):
    """Objectives of a population: array in any layout, and list of lists; with a value that is not finite if `bad`."""
    n = draw(st.one_of(st.integers(1, 12), st.sampled_from((33, 64, 65))))
    n_objectives = draw(st.integers(1, 4))
    values = np.nan_to_num(np.stack([draw(columns(n)) for _ in range(n_objectives)], axis=1))
    if n > 1 and draw(st.booleans()):
        values[-1] = values[0]
    if bad:
        values[draw(st.integers(0, n - 1)), 0] = draw(st.sampled_from((np.nan, np.inf, -np.inf)))
    return LAYOUTS[draw(st.sampled_from(tuple(LAYOUTS)))](values), values.tolist()


@given(points())
@cases(10)
def test_ranks_are_those_of_the_twin(objectives):
    """However large or small the objectives are."""
    value, rows = objectives
    before = image(value)
    got, refusal = outcome(lambda: pareto_rank(value), "objectives")
    assert refusal is None and image(value) == before
    assert got.tolist() == naive.dominance.rank(rows)


@given(points(), st.fixed_dictionaries({
    "mode": st.sampled_from(("cluster", "niche", "mean_distance")), "space": st.sampled_from(("decision", "objective")),
    "sigma": st.one_of(st.sampled_from((0.0025, 0.3, 0.7, 1.0, 5e-324, 1e308, 2)), POSITIVE),
    "alpha": st.one_of(st.sampled_from((1.0, 0.5, 2, 0.1, 5e-324, 1e308)), POSITIVE),
    "rank_normalisation": st.sampled_from(("mean", "sum")),
}), st.data())
@cases(50)
def test_shared_fitness_is_that_of_the_twin(objectives, setting, data):
    """Every mode and space, sigma and alpha from the least to the largest number."""
    value, rows = objectives
    chosen = data.draw(masks(data.draw(st.sampled_from((1, 2, 3, 6, 65))), len(rows), len(rows)))
    got, refusal = outcome(lambda: shared_fitness(value, chosen.value, **setting), "objectives")
    assert refusal is None, refusal
    rank = naive.dominance.rank(rows)
    fitness = naive.dominance.fitness(rank)
    if setting["space"] == "decision":
        d2 = naive.niche.decision_distances(chosen.meaning.tolist())
    else:
        d2 = naive.niche.objective_distances(rows)
    shared = naive.niche.shared(d2, fitness, rank, setting["mode"], float(setting["sigma"]), float(setting["alpha"]))
    assert got.tolist() == naive.niche.normalise(fitness, shared, rank, setting["rank_normalisation"])


# what is refused

X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
BAD_MASKS = {
    "an empty row": np.array([[1, 0], [0, 0]]),
    "three columns": np.ones((2, 3), dtype=bool),
    "one dimension": np.ones(2, dtype=bool),
    "three dimensions": np.ones((1, 1, 2), dtype=bool),
    "no rows": np.ones((0, 2), dtype=bool),
    "twos": np.array([[2, 0]]),
    "missing": np.array([[np.nan, 1.0]]),
    "text": np.array([["a", "b"]]),
    "text of numbers": np.array([["1", "0"]]),
    "dates": np.array([["2020-01-01", "2020-01-01"]], dtype="M8[D]"),
    "complex": np.array([[1j, 1]]),
    "rows of several lengths": [[1, 0], [1]],
    "objects": np.array([[object(), None]]),
    "None": None,
    "a number": 1,
    "a dict": {},
    "arrays in cells": np.array([[[1, 2], None]], dtype=object),
}


@given(st.sampled_from(tuple(BAD_MASKS)), st.booleans())
@cases(10)
def test_bad_masks_are_refused_in_words(name, alone):
    """As `masks` of subsets, or one of them as `mask`."""
    given = BAD_MASKS[name]
    _, refusal = outcome(lambda: evaluate_subsets(X, Y, given), "masks")
    assert refusal is not None
    if alone and isinstance(given, np.ndarray) and given.ndim == 2 and len(given):
        _, refusal = outcome(lambda: separability(X, Y, given[-1]), "mask")
        assert refusal is not None
    _, refusal = outcome(lambda: shared_fitness(X, given), "masks")
    assert refusal is not None


@given(points(bad=True))
@cases(5)
def test_objectives_that_are_not_finite_are_refused(objectives):
    """Wherever the value is."""
    for call in (pareto_rank, lambda value: shared_fitness(value, space="objective")):
        _, refusal = outcome(lambda call=call: call(objectives[0]), "objectives")
        assert refusal is not None


PARAMETERS = [
    (evaluate_subsets, ("n_splits", "validation_size", "objectives", "feature_costs", "estimator", "random_state",
                        "n_jobs")),
    (separability, ("samples", "replace", "neighbours", "random_state")),
    (shared_fitness, ("mode", "space", "sigma", "alpha", "rank_normalisation")),
]


@given(st.sampled_from(PARAMETERS), st.data())
@cases(20)
def test_any_parameter_is_refused_by_name_or_obeyed(function, data):
    """What is taken gives finite values, and the same ones again."""
    call, names = function
    name, value = data.draw(st.sampled_from(names)), data.draw(WILD)
    assume(not (name in ("n_splits", "samples") and isinstance(value, int) and 12 < value < 2**31))  # only slow
    arguments = {evaluate_subsets: (X, Y, np.eye(2)), separability: (X, Y), shared_fitness: (X, np.eye(6))}[call]
    given = {"random_state": 0, name: value} if call is not shared_fitness else {name: value}
    got, refusal = outcome(lambda: call(*arguments, **given), name)
    if refusal is None:
        assert np.all(np.isfinite(got))
        if given.get("random_state") is not None:
            assert_array_equal(got, call(*arguments, **given))
