"""Searches for data and parameters that hypothesis draws: a clear refusal, or what the twins say, bit for bit."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.feature_selection import f_classif
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB

from single_search import single_search

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import assume, given
from hypothesis import strategies as st

import naive.dominance
from call_outcome import outcome
from expected import for_classes, for_target
from moeliga import (
    MOGA,
    Cardinality,
    Checkpoint,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FeatureCost,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    LogUniformInit,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.parameters.evaluation import REEVALUATE
from moeliga.search import build
from moeliga.search.ranking import rank_features
from naive.islands import Archipelago
from paper_operators import fitting, plainly
from state import image
from strategies import WILD, cases, classified, predicted

TINY = {"population_size": 6, "n_generations": 2, "survival__n_elite": 2, "survival__generation_gap": 1,
        "evaluation__n_rescore_splits": 2}
LOCAL = {"n_populations": 2, "population_size": 5, "n_generations": 1, "every": 1}


@st.composite
def searches(draw, n_features):
    """Parameters of a selector, and the same as options of the twin; there are subsets enough for a population."""
    pair = st.sampled_from
    sizes = {"population_size": 3, "survival__n_elite": 1, "survival__generation_gap": 1} if n_features == 2 else {}
    local = {**LOCAL, "population_size": 3} if n_features == 2 else dict(LOCAL)
    parameters = {
        **TINY, **sizes, "evaluation__n_splits": draw(st.integers(1, 3)),
        "evaluation__validation_size": draw(pair((0.3, 0.5, 0.05))),
        "evaluation__split_mode": draw(pair(("individual", "generation"))),
        "evaluation__reevaluate": draw(pair(("all", "none", "average"))),
        "archive": draw(st.booleans()), "evaluation__n_rescore_splits": draw(pair((0, 2))),
        "survival": draw(pair(("moga", "nsga2")))}
    parameters |= {"survival__selection": draw(pair(("roulette", "tournament"))),
                   "islands__n": draw(pair((1, 1, 1, 2, 3))), "islands__every": draw(pair((1, 2))),
                   "islands__sizes": draw(pair((None, None, "auto", (1, 2), (2, 9))))}
    options = dict(parameters)
    rates = draw(pair(((0.03, 0.15, 0.35), (0.9, 1.0, 0.5))))
    init = draw(pair(("staggered", "log_uniform")))
    sharing = {"space": draw(pair(("decision", "objective"))), "sigma": draw(pair((0.0025, 0.5, 1e308))),
               "alpha": draw(pair((1.0, 0.3))), "rank_normalisation": draw(pair(("mean", "sum")))}
    mode = draw(pair(("cluster", "niche", "mean_distance", None)))
    replacement = draw(pair(("parent", "complete", "selection", None)))
    variation = {"crossover": draw(pair(("one_point", "two_point", "uniform"))),
                 "mutation_rate": draw(pair((0.15, 2.0, 0.0)))}
    options |= {"init": init, "rates": rates, "survival__sharing": mode, **sharing, "replacement": replacement,
                **variation,
                **{f"sub_{name}" if name in TINY else name: value for name, value in local.items()}}
    scores = draw(st.none() | st.lists(pair((0.0, 1.0, 2.5, -np.inf)), min_size=n_features, max_size=n_features))
    parameters["feature_prior"] = None
    if scores is not None:
        prior = {"share": draw(pair((0.0, 0.5, 1.0))), "offset": draw(pair((0, 10.0)))}
        options |= {"scores": scores, **prior}
        parameters["feature_prior"] = FeaturePrior(lambda X, y: scores, **prior)
    parameters |= {
        "init": StaggeredInit(rates=rates) if init == "staggered" else init,
        "survival__sharing": None if mode is None else FitnessSharing(mode, **sharing),
        "variation": Variation(**variation),
        "local_improvement": None if replacement is None else LocalImprovement(**local, replacement=replacement)}
    return parameters, options


@given(problem=classified(n_classes=2, most_samples=12, least_features=2), data=st.data())
@cases(15)
def test_a_search_is_that_of_the_twin(monkeypatch, problem, data):
    """Front, history and choice, bit for bit, for any labels and any table; constant data are refused."""
    X, y = problem
    parameters, options = data.draw(searches(X.meaning.shape[1]))
    orders = []  # the rankings of scikit-learn's functions depend on the type of X too
    monkeypatch.setattr(build, "rank_features", lambda *given: orders.append(rank_features(*given)) or orders[-1])
    seed, n_jobs = data.draw(st.integers(0, 10**30)), data.draw(st.sampled_from((None, 2)))
    before = image(X.value), image(y.value)
    selector, refusal = outcome(
        lambda: single_search(**fitting(parameters), random_state=seed, n_jobs=n_jobs).fit(X.value,
                                                                                           y.value))
    assert (image(X.value), image(y.value)) == before
    if all(len(set(column[~np.isnan(column)].tolist())) < 2 for column in X.meaning.T):
        assert "X must have a feature with two distinct values" in str(refusal)
        return
    assert refusal is None, refusal
    if options["islands__sizes"] is not None:
        options["rankings"] = [order.tolist() for order in orders[0].values()]
        if options["islands__sizes"] == "auto":  # there are four features at most
            options["islands__sizes"] = X.meaning.shape[1:]
    front, history, chosen = Archipelago(X.meaning, y.meaning, seed_words(seed), **plainly(options)).run()
    assert selector.pareto_front_.supports.tolist() == [list(mask) for mask, _ in front]
    assert selector.pareto_front_.objectives.tolist() == [values for _, values in front]
    for name in history[0]:
        assert selector.history_[name].tolist() == [row[name] for row in history], name
    assert selector.index_ == chosen and selector.classes_.tolist() == y.classes


@given(predicted(most_samples=20), st.integers(0, 99))
@cases(10)
def test_a_search_for_a_target_is_scored_by_the_twin(problem, seed):
    """R2 and separability of every member of the front, on the splits of its last scoring."""
    X, y = problem
    assume(any(len(set(column[~np.isnan(column)].tolist())) > 1 for column in X.meaning.T))
    before = image(X.value), image(y.value)
    selector, refusal = outcome(lambda: single_search(
        DecisionTreeRegressor(), **fitting(TINY), random_state=seed).fit(X.value, y.value))
    assert refusal is None and (image(X.value), image(y.value)) == before
    front, n = selector.pareto_front_, len(y.meaning)
    assert_front(front)
    r2, apart = for_target(X.meaning, y.meaning, front.supports, seed_words(seed), (Purpose.RESCORE, 0, 0),
                           n_splits=2, shared=True, validation_size=0.3, n_instances=n, replace=False)
    assert front.score.tolist() == r2
    assert front.objectives[:, 2].tolist() == apart


def assert_front(front):
    """Members differ, none dominates another but in a cross-fitted search, sizes ascend, all numbers are finite."""
    rows = front.objectives.tolist()
    assert np.all(np.isfinite(front.objectives)) and front.supports.any(axis=1).all()
    assert front.dominated.tolist() == [rank > 1 for rank in naive.dominance.rank(rows)]
    assert front.honest is not None or not front.dominated.any()
    assert len({row.tobytes() for row in front.supports}) == len(front)
    assert np.all(np.diff(front.n_selected) >= 0)


# parameters

N, FEATURES = 12, 5
X = np.round(np.random.default_rng(0).normal(size=(N, FEATURES)), 1)
Y = np.arange(N) % 2
X[:, 1] += Y
NAMES = [f"x{f}" for f in range(FEATURES)]
SUBSETS = (None, [], [0], [4, 4], ["x1"], ["x1", "x3"], [True, False, True, False, False], np.array([0, 2]), [5], [-1],
           ["no"], [0.5], [[0]], [None], "x1", 3, np.zeros(5, dtype=bool), np.ones(5, dtype=bool), [True], range(5),
           np.array(["x0"], dtype=np.dtypes.StringDType()), [10**30], {0, 1}, {"x0": 1}, b"x0", [np.nan])
SIZES = (0, 1, 2, 3, 4, 5, 12, -1, 2**31, 2**63, 10**30, -(10**30), np.int8(4), 3.0, "3", None, True, np.nan, [3], 1j)
NUMBERS = (None, 0, 1, 0.5, 1.0, -0.0, 1e-300, 5e-324, 1e308, np.inf, np.nan, -1, 2, 10**400, np.float32(0.5), "0.5",
           True, [0.5], 1j, np.longdouble("1e4000"))


def first(mask, X, y):
    return float(mask[0])


def one_of(*values):
    return st.sampled_from(values)


def objects(kind, **pools):
    """A value object with a value of its pool for one parameter."""
    return st.one_of(*(st.sampled_from(pool).map(lambda value, name=name: kind(**{name: value}))
                       for name, pool in pools.items()))


POOLS = {
    "estimator": one_of(None, GaussianNB(), GaussianNB, Ridge(), object(), "tree", DecisionTreeRegressor(),
                        DecisionTreeRegressor)
    | objects(DecisionTreeClassifier, max_depth=SIZES, min_samples_split=SIZES, min_samples_leaf=SIZES, n_jobs=SIZES),
    "scoring": one_of(None, np.array([1, 2]), "accuracy", "no such scorer", "r2", 3, lambda *rest: 0.5,
                      lambda *rest: "x", lambda *rest: np.nan),
    "cv": one_of(None, 2, 0, 1, 13, -3, 10**30, 2.5, "x", KFold(3), GroupKFold(2), [], [([0, 1], [2, 3])],
                 [([0], [99])], [([], [])], 7 * [(np.arange(6), np.arange(6, 12))], [1, 2], np.nan),
    "evaluation": WILD,
    "constraints": WILD,
    "islands": WILD | st.just("sizes"),
    "evaluation__n_splits": one_of(*SIZES),
    "evaluation__validation_size": one_of(*NUMBERS),
    "evaluation__split_mode": WILD | one_of("individual", "generation"),
    "evaluation__subsample": WILD | one_of(None, "all", *SIZES, *NUMBERS),
    "objectives": one_of(
        None, (), ("uar",), ["separability", "uar"], ("uar", "cost"), ("cost",), ("r2",), ["uar", "uar"], (first,),
        ("uar", first), (first, first), (lambda *rest: "x",), (lambda *rest: np.inf,), "uar", 3, {"uar": 1},
        iter(("uar",)), (Cardinality,), (FeatureCost(), "uar"), [None], [["uar"]])
    | objects(Cardinality, lambda_=NUMBERS, gamma=NUMBERS).map(lambda term: ("uar", term))
    | objects(Separability, samples=(*NUMBERS, *SIZES), replace=NUMBERS, neighbours=NUMBERS).map(
        lambda term: (term, "uar")),
    "population_size": one_of(*SIZES),
    "n_generations": one_of(*SIZES),
    "islands__n": one_of(*SIZES),
    "islands__every": one_of(*SIZES),
    "islands__combine": one_of("mean", "min", "max", None),
    "islands__sizes": WILD | one_of("auto", *SIZES, (1,), (2, 4), [1, 2, 3, 4, 5], (5, 10**30), (3, 2), (1, 1), (0, 3),
                                    (2.0, 3), ("2", 3), (None,), np.array([2, 4]), np.array([[1, 2]]), range(1, 4),
                                    iter((1, 2)), {2: 1}, {3}),
    "survival__n_elite": one_of(*SIZES),
    "survival__generation_gap": one_of(*SIZES),
    "evaluation__reevaluate": WILD | one_of(*REEVALUATE),
    "archive": WILD | one_of(True, False),
    "evaluation__n_rescore_splits": one_of(*SIZES),
    "survival": WILD | one_of("moga", "nsga2") | objects(
        MOGA, selection=("tournament", "x", None, 3), tournament_size=SIZES, n_elite=SIZES, generation_gap=SIZES),
    "init": WILD | objects(
        StaggeredInit, spread=NUMBERS,
        fractions=((1.0,), (), (0.5, 0.5, 0.0), (1, 0, 0), 3, "abc", (0.1, 0.2, 0.3), [1j] * 3, (np.nan,) * 3,
                   (10**400, 0, 0), (0.55, 0.45, 5e-324)),
        rates=((1, 1, 1), (5e-324,) * 3, (0, 0, 0), (1,), 3, (None,) * 3, (10**400,) * 3, iter((0.1, 0.2, 0.3))))
    | objects(LogUniformInit, smallest=SIZES, largest=NUMBERS),
    "init__subsets": one_of(None, [], 7 * [[0]], 3, "x0", [[]], {}) | one_of(*SUBSETS).map(
        lambda subset: [subset, [1]]),
    "variation": WILD | st.just("uniform") | objects(
        Variation, crossover=("two_point", 1, None, ["uniform"]), crossover_rate=NUMBERS,
        mutation=("chromosome", "x", None), mutation_rate=NUMBERS,
        schedule=("exponential", "x", (1, 0.1), (0.1, 5), (0, 1), (1,), (1e308, 5e-324), (np.nan, 1), 3, ("a", "b"),
                  (10**400, 1), {1: 2, 3: 4})),
    "feature_prior": one_of(
        None, "f_classif", "chi2", "f_regression", "no such function", 3, FeaturePrior, [], len, f_classif,
        lambda X, y: np.abs(X).max(axis=0), lambda X, y: (range(5), None), lambda X, y: [np.nan] * 5,
        lambda X, y: [np.inf, np.nan, -np.inf, 0, 0], lambda X, y: "x", lambda X, y: np.ones((5, 1)),
        lambda X, y: [1j] * 5)
    | objects(FeaturePrior, score_func=("chi2", "x", None, 3, len), share=NUMBERS, offset=NUMBERS),
    "survival__sharing": WILD | st.just("niche") | objects(
        FitnessSharing, mode=("niche", "x", None, 3, ["cluster"]), space=("objective", "x", None), sigma=NUMBERS,
        alpha=NUMBERS, rank_normalisation=("sum", "x", None)),
    "local_improvement": WILD | objects(
        LocalImprovement, n_populations=SIZES, population_size=SIZES, n_generations=SIZES, every=SIZES, patience=SIZES,
        replacement=("complete", "selection", "x", None)),
    "constraints__must_include": one_of(*SUBSETS),
    "constraints__exclude": one_of(*SUBSETS),
    "constraints__groups": WILD | one_of(
        None, [0, 0, 1, 1, 2], ["a", None, "a", np.nan, "b"], [[0, 1], [2]], {"a": [0], "b": ["x1", "x2"]},
        {"a": [0, 9]}, [[0, 1], [1, 2]], [[]], [], "ab", 3, [0, 0], [[0], 1, 2, 3, 4], {"a": 3}, {},
        [1.5, 1.5, True, 1, "1"], [{}, [0]], np.array([1, 1, 2, 2, 3]), (range(5),), [[0, 1, 2, 3, 4]],
        [(0,), (0,), 1, 1, 2], [b"a"] * 5),
    "constraints__costs": one_of(None, [1, 2, 3, 4, 5], [0] * 5, [0, 0, 1e308, 1e308, 0], [1, -1, 1, 1, 1], [1] * 4,
                            [np.nan] * 5, "abcde", 3, [5e-324] * 5, [True] * 5, [[1]] * 5, [None] * 5, {},
                            [10**400, 1, 1, 1, 1], np.ones(5, dtype=np.float16), [2**63] * 5),
    "constraints__min_features": one_of(*SIZES),
    "constraints__encode": WILD | one_of(None, "onehot"),  # of an array nothing is encoded
    "max_features": one_of(*SIZES),
    "rule": WILD.filter(lambda value: not callable(value)) | one_of(
        "knee", "one_se", "best", "r1_lambda", len, lambda front: 0, lambda front: "x", lambda front: -1,
        lambda front: 10**30),
    "islands__judges": WILD | one_of(None, [], [GaussianNB()], [Ridge()], [GaussianNB(), GaussianNB()], [GaussianNB]),
    "honest": WILD | one_of(None, 2, 3, 7, 1, True, KFold(2), [], [([0, 1, 2, 3, 4, 5], [6, 7])], "x"),
    "max_time": one_of(*NUMBERS),
    "max_evaluations": one_of(*SIZES),
    "patience": one_of(*SIZES),
    "checkpoint": one_of(None, 3, b"x", True, ".", "no/such/folder", "a\0b", "", Checkpoint(None), Checkpoint("s", 0),
                         Checkpoint("s", "x"), Checkpoint, sys),
    "callbacks": one_of(None, [], 3, "x", [len, 3], lambda state: True, lambda state: "yes", [lambda state: None], {},
                        {1: 2}, GaussianNB(), (lambda state: np.bool_(True),)),
    "verbose": one_of(0, 1, 2, -1, True, "x", 10**30),
    "random_state": WILD | one_of(np.random.default_rng(0), np.random.RandomState(0)),
    "n_jobs": one_of(None, 1, 2, 0, -1, True, 1.0, "2", np.int8(1), [], np.nan),
}
"""Values of each parameter: right ones, wrong ones, and some that are right in the company of others."""

INNER = {
    "objectives": ("separability", "cardinality", "cost", "objective"),
    "scoring": ("objective",),
    "cv": ("n_splits", "groups"),
    "local_improvement": ("population_size",),
    "estimator": ("max_depth", "min_samples_split", "min_samples_leaf", "n_jobs"),
}
"""Other names that a refusal may give, by the parameter that they belong to."""


def test_every_parameter_has_its_values():
    """A new one gets its own above."""
    selector = single_search(survival="moga")
    wanted = selector.get_params(deep=False).keys()
    assert wanted <= POOLS.keys() <= selector.get_params().keys()
    for name in ("evaluation", "constraints", "islands"):
        assert {key for key in selector.get_params() if key.startswith(f"{name}__")} <= POOLS.keys()


@given(st.data())
@cases(60)
def test_any_parameters_are_refused_by_name_or_obeyed(tmp_path, monkeypatch, data):
    """One or two parameters at a time: a refusal that names one, or a front that keeps the rules, is scored by the
    twin where the compiled tree scores, and is found again."""
    monkeypatch.chdir(tmp_path)
    names = data.draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=1, max_size=2, unique=True))
    values = {name: data.draw(POOLS[name], label=name) for name in names}
    given = {**TINY, "local_improvement": LocalImprovement(**LOCAL), "max_evaluations": 60, "random_state": 0, **values}
    selector, refusal = outcome(lambda: single_search(**fitting(given)).fit(X, Y),
                                *(name.replace("__", ".") for name in names), *names,
                                *(inner for name in names for inner in INNER.get(name, ())))
    if refusal is not None:
        return
    front = selector.pareto_front_
    assert_front(front)
    assert_constraints(front.supports, values)
    assert 0 <= selector.index_ < len(front) and selector.support_.tolist() == front.supports[selector.index_].tolist()
    n_splits = given["evaluation__n_rescore_splits"]
    elsewhere = {"estimator", "scoring", "cv", "objectives", "random_state", "evaluation", "islands__judges"}
    if not elsewhere & set(names) and n_splits:
        uar, apart = for_classes(
            X, Y, front.supports, seed_words(0), (Purpose.RESCORE, 0, 0), n_splits=int(n_splits), shared=True,
            validation_size=float(given.get("evaluation__validation_size", 0.3)), n_instances=N, replace=False,
            rules=(100, 2, 1))
        assert front.score.tolist() == uar
        # of a subsample objective III is that of another subsample
        assert "evaluation__subsample" in names or front.objectives[:, 2].tolist() == apart
    if not {"random_state", "max_time", "callbacks"} & set(names):
        again = single_search(**fitting(given)).fit(X, Y).pareto_front_
        assert_array_equal(again.supports, front.supports)
        assert_array_equal(again.objectives, front.objectives)


def assert_constraints(supports, given):
    """What min_features, max_features, must_include and exclude ask of every member."""
    sizes = supports.sum(axis=1)
    assert sizes.min() >= given.get("constraints__min_features",
                                    1) and sizes.max() <= (given.get("max_features") or FEATURES)
    for name, kept in (("must_include", True), ("exclude", False)):
        subset = given.get(f"constraints__{name}")
        if subset is not None and len(subset):
            places = [NAMES.index(entry) if isinstance(entry, str) else entry for entry in subset]
            wanted = np.flatnonzero(subset) if np.asarray(subset).dtype == bool else places
            assert (supports[:, wanted] == kept).all()
