"""A single task that takes long hears that it shall stop: signals in the fit of a tree, the budget in an evaluation."""

import signal

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from moeliga import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    evaluate_subsets,
)
from moeliga._ext import dominance, forest, niche, tree
from moeliga.base.budget import Budget, Interrupted
from moeliga.data.dataset import Dataset


class Heard(Exception):
    """What a handler of a signal raises."""


sends_signals = pytest.mark.skipif(not hasattr(signal, "ITIMER_VIRTUAL"), reason="has no timer that sends signals")


@sends_signals
@pytest.mark.parametrize(("model", "n_samples"), [
    (DecisionTreeClassifier(), 60_000), (DecisionTreeClassifier(n_jobs=2), 60_000), (DecisionTreeRegressor(), 40_000)],
    ids=["classes", "two threads", "target"])
def test_a_signal_is_heard_inside_a_tree(rng, monkeypatch, model, n_samples):
    """A hundredth of a second of work after the data are coded: the tree is not grown to its end, the next one is."""
    X, y, few = rng.normal(size=(n_samples, 20)), rng.integers(2, size=n_samples), slice(500)
    whole, room = model.fit(X[few], y[few]).nodes_.tobytes(), ("regress" if hasattr(model, "values_") else "grow")
    grow = getattr(tree, room)

    def timed(*arguments):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
        return grow(*arguments)

    def tell(number, frame):
        raise Heard

    usual = signal.signal(signal.SIGVTALRM, tell)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(f"moeliga.tree.tree.{room}", timed)
            with pytest.raises(Heard) as caught:
                model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, usual)
    assert any(str(entry.path).endswith("tree.pyx") for entry in caught.traceback)  # not behind it
    assert model.fit(X[few], y[few]).nodes_.tobytes() == whole


def heard_in(room, call):
    """Whether a signal, after a twentieth of a second of work, ends a call from inside a compiled room."""
    def tell(number, frame):
        raise Heard

    usual = signal.signal(signal.SIGVTALRM, tell)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.06)
        with pytest.raises(Heard) as caught:
            call()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, usual)
    return any(str(entry.path).endswith(f"{room}.pyx") for entry in caught.traceback)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("form", "shape"), [(np.asarray, (3000, 1000)), (csr_array, (3000, 1000)),
                                             (np.asarray, (1_500_000, 1)), (np.asfortranarray, (500_000, 3))],
                         ids=["dense", "CSR", "one column", "column by column"])
def test_coding_asks_whether_to_go_on(rng, form, shape):
    """Between columns and inside them, in both passes; what is raised there comes out, and the next coding is what it
    was."""
    X, y, calls, last = form(rng.normal(size=shape)), rng.integers(3, size=shape[0]), [], [None]

    def check():
        calls.append(1)
        if len(calls) == last[0]:
            raise Heard

    Dataset.encode(X[:50], y[:50], 3, 1, check)
    assert not calls
    whole = Dataset.encode(X, y, 3, 1, check)
    n = len(calls)
    assert n > 4
    for last[0] in (1, n // 2, n):
        calls.clear()
        with pytest.raises(Heard):
            Dataset.encode(X, y, 3, 1, check)
        assert len(calls) == last[0]
    for name, array in vars(Dataset.encode(X, y, 3)).items():
        np.testing.assert_array_equal(array, getattr(whole, name), name)


@sends_signals
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_signal_is_heard_while_data_are_coded(rng, n_threads):
    """Where nobody is asked, handlers of signals run."""
    X, y = rng.normal(size=(4000, 2000)), rng.integers(3, size=4000)
    assert heard_in("code", lambda: Dataset.encode(X, y, 3, n_threads))


def shared(rng, mode, n, check):
    """Fitness sharing of n equal individuals at random places."""
    distances, rank = niche.objective_distances(rng.random((n, 3))), np.ones(n, dtype=np.int32)
    return niche.shared(distances, np.ones(n), rank, mode, 1e-9 if mode == "cluster" else 0.5, 1.0, check)


def ranking(kernel):
    """A kernel of `dominance` on the objectives of n individuals."""
    return lambda rng, n, check=None: kernel(rng.normal(size=(n, 3)), check)


def sharing(mode):
    return lambda rng, n, check=None: shared(rng, mode, n, check)


RANKINGS = {  # calls, and of how many individuals they take some tenths of a second
    "rank": (ranking(dominance.rank), 80_000), "fronts": (ranking(dominance.fronts), 80_000),
    "clusters": (lambda rng, n, check=None: niche.clusters(niche.objective_distances(rng.random((n, 3))), 1e-9, check),
                 20_000),
    "matrix": (lambda rng, n, check=None: niche.objective_distances(rng.random((n, 3))).matrix(check), 8000),
    "shared by clusters": (sharing("cluster"), 20_000), "shared by niches": (sharing("niche"), 15_000),
    "shared by distance": (sharing("mean_distance"), 15_000),
    "dominated": (lambda rng, n: dominance.dominated(np.full((n, 3), 9.0), rng.normal(size=(n, 3))), 20_000)}


@sends_signals
@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", RANKINGS)
def test_a_signal_is_heard_inside_a_ranking(rng, kind):
    """After a twentieth of a second of work; what is raised then comes out of the room, and not from behind it."""
    call, n = RANKINGS[kind]
    room = "dominance" if kind in {"rank", "fronts", "dominated"} else "niche"
    assert heard_in(room, lambda: call(rng, n))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in RANKINGS if kind != "dominated"])
def test_a_ranking_asks_whether_to_go_on(kind):
    """What is raised ends it at that question; who only answers changes nothing."""
    def call(check=None):
        kernel, n = RANKINGS[kind]
        return kernel(np.random.default_rng(0), n // 2, check)

    questions, last = [], None

    def check():
        questions.append(1)
        if len(questions) == last:
            raise Heard

    np.testing.assert_array_equal(call(check), call())
    n = len(questions)
    assert n > 1
    for last in {1, n // 2, n}:
        questions.clear()
        with pytest.raises(Heard):
            call(check)
        assert len(questions) == last


JUDGES = {"tree": DecisionTreeClassifier(), "target": DecisionTreeRegressor(),
          "trees together": DecisionTreeClassifier(), "forest": RandomForestClassifier(16, random_state=0),
          "forest of a target": ExtraTreesRegressor(8, random_state=0),
          "neighbours": KNeighborsClassifier(3), "logistic": LogisticRegression(), "svm": LinearSVC(),
          "ridge": RidgeClassifier(), "least squares": LinearRegression(), "singular": LinearRegression(),
          "discriminant": LinearDiscriminantAnalysis(), "shrunk": LinearDiscriminantAnalysis("lsqr", "auto"),
          "fewer rows": RidgeClassifier()}

SHAPES = {"svm": (40_000, 50), "ridge": (3000, 1000), "least squares": (3000, 1000), "singular": (1600, 400),
          "discriminant": (3000, 1000), "shrunk": (3000, 1000), "fewer rows": (3000, 1600)}
"""Rows, of which half are learnt from, and features, of those for which 12,000 x 50 are not the right ones."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", JUDGES)
def test_the_budget_is_asked_inside_a_task(rng, monkeypatch, kind):
    """More often than for few samples, where it is asked between tasks alone; what it raises there ends the evaluation,
    also of trees that are grown together. The next evaluation is what it was."""
    many, width = SHAPES.get(kind, (12_000, 50))
    X, y, calls, check = rng.normal(size=(many, width)), rng.integers(2, size=many), [], Budget.check
    if kind == "singular":
        X[:, width // 2:] = X[:, :width // 2]
    masks, last = np.ones((1 + (kind == "trees together"), width), dtype=bool), [None]
    masks[1:, :5] = False

    def counted(budget):
        calls.append(1)
        if len(calls) == last[0]:
            raise Interrupted
        check(budget)

    def score(n, stop=None):
        calls.clear()
        last[0] = stop
        name = "r2" if kind.endswith("target") or kind in ("least squares", "singular") else "uar"
        return evaluate_subsets(X[:n], y[:n], masks, estimator=JUDGES[kind], objectives=(name,), n_jobs=1, cv=[
            (np.arange(0, n, 2), np.arange(1, n, 2))], n_splits=1)

    monkeypatch.setattr(Budget, "check", counted)
    few, between = score(200), len(calls)
    whole, often = score(many), len(calls)
    assert often > between
    with pytest.raises(KeyboardInterrupt):
        score(many, between)
    assert score(200).tobytes() == few.tobytes() and score(many).tobytes() == whole.tobytes()


def test_a_signal_is_heard_while_others_are_waited_for(rng, monkeypatch):
    """`time.sleep` runs the handlers itself; what one raises ends the call."""
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        raise KeyboardInterrupt

    X = rng.normal(size=(20_000, 4))
    dataset = Dataset.encode(X, rng.integers(2, size=len(X)), 2)
    monkeypatch.setattr("time.sleep", sleep)
    for _ in range(50):  # until the thread that called is done before the other
        try:
            forest.grow(dataset, np.array([1, 2], dtype=np.uint64), (20, 0, 0), (8, 2, 1), len(X), 2, False, 0, 3,
                        np.zeros(4), None, 2)
        except KeyboardInterrupt:
            break
        assert not slept, "what the handler raised is lost"
    assert slept
