"""Limits of evaluations and of time, by themselves and in a search."""

import signal
import time
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB

from arbitrary import sized
from moeliga import Islands, LocalImprovement, ParetoFront, StaggeredInit
from moeliga._ext import code
from moeliga.base.budget import Budget, Interrupted, until_interrupted
from moeliga.search import islands
from moeliga.search.build import build, prepare
from paper_operators import PAPER, fitting
from single_search import single_search

LOCAL = LocalImprovement(population_size=7, n_populations=2, n_generations=2, every=2)
SMALL = {**PAPER, "population_size": 12, "n_generations": 10**9, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 0, "local_improvement": None, "random_state": 0}
data = sized(30, 20, 3)


def small(**parameters):
    return single_search(**fitting({**SMALL, **parameters}))


@pytest.fixture
def clock(monkeypatch):
    """An objective whose evaluation moves a fake clock on by a second; its `now` is the time."""

    def evaluation(mask, X, y):
        evaluation.now += 1.0
        return float(mask[:3].sum())

    evaluation.now = 0.0
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: evaluation.now)
    monkeypatch.setattr("moeliga.search.evolution.time.perf_counter", lambda: evaluation.now)
    return evaluation


# in a search


def test_no_time_leaves_the_initial_population(rng):
    """max_time=0 still evaluates generation 0, so that there is a result."""
    selector = small(local_improvement=LOCAL, max_time=0).fit(*data(rng))
    assert selector.stop_reason_ == "max_time"
    assert selector.history_["generation"].tolist() == [0]
    assert selector.support_.any()


@pytest.mark.quick(4)
@pytest.mark.parametrize(("population_size", "n", "limit", "expected"), [
    (12, 1000, 0, 2), (12, 1000, 24, 24), (12, 1000, 47, 46), (12, 2, 0, 2), (12, 3, 29, 28), (12, 4, 1e9, 48),
    (100, 1, 0, 2), (100, 1, 24.0, 24), (100, 1, 71, 70), (100, 3, 1e9, 300)])
def test_time_ends_the_initial_population_of_many(rng, clock, monkeypatch, tmp_path, population_size, n, limit,
                                                       expected):
    """There are those subsets that time was left for, two at least, of each island about as many; they are those that a
    search without a limit begins with, and no checkpoint holds them."""
    made, seed = [], islands.island_seed
    monkeypatch.setattr(islands, "island_seed", lambda *numbers: made.append(numbers) or seed(*numbers))
    X, y = data(rng)
    setting = {"objectives": ("uar", "cardinality", clock), "population_size": population_size, "n_generations": 1,
               "islands": Islands(n=n, sizes=None), "callbacks": lambda state: seen.append(state.supports) or True}
    seen = []
    small(**setting, max_time=limit, checkpoint=tmp_path / "kept").fit(X, y)
    assert len(seen[0]) == expected and clock.now <= expected + 2
    assert len(made) <= 1 + -(-expected // 2)  # searches of islands: not of those that time is short for
    assert (tmp_path / "kept").exists() == (expected == population_size * n)
    small(**{**setting, "islands": Islands(n=min(n, 4), sizes=None)}).fit(X, y)
    turns = [island for _ in range(0, population_size, 2) for island in range(n)][: expected // 2]  # two subsets each
    parts = np.split(seen[0], np.cumsum(2 * np.bincount(turns))[:-1])
    for part, whole in zip(parts, np.split(seen[1], min(n, 4)), strict=False):
        np.testing.assert_array_equal(part, whole[:len(part)])


class Slow(StaggeredInit):
    """Random subsets; making those of one population takes a second of the fake clock."""

    def counts(self, *arguments):
        Slow.n_made += 1
        Slow.clock.now += 1.0
        return super().counts(*arguments)


@pytest.mark.parametrize(("limit", "expected"), [(None, 50), (1e9, 50), (20, 10), (40, 20), (0, 2)])
def test_time_ends_the_making_of_many_islands(rng, clock, monkeypatch, tmp_path, limit, expected):
    """At half of max_time, for the other half is for their evaluation; no checkpoint holds a part of them, and those
    that there are are those of a search without a limit."""
    monkeypatch.setattr("moeliga.search.build.ALWAYS", 24)
    X, y = data(rng)
    Slow.clock, Slow.n_made, seen = clock, 0, []
    setting = {"n_generations": 1, "islands": Islands(n=50, sizes=None),
               "callbacks": lambda state: seen.append(state.supports) or True}
    found = small(**setting, init=Slow(), max_time=limit, checkpoint=tmp_path / "kept").fit(X, y)
    assert Slow.n_made == 1 + expected  # one more is asked for the memory that is needed, and takes time as well
    assert found.stop_reason_ == ("callback" if expected == 50 else "max_time")
    assert (tmp_path / "kept").exists() == (expected == 50)
    small(**setting, init=StaggeredInit()).fit(X, y)
    np.testing.assert_array_equal(seen[0], seen[1][:len(seen[0])])


def test_islands_that_nobody_needs_any_more_are_not_made(rng, clock):
    """The budget is checked before each island is made."""
    Slow.clock, Slow.n_made = clock, 0
    plan, ready = prepare(small(islands=Islands(n=50, sizes=None), init=Slow()), *data(rng), {})
    made = Slow.n_made

    class Ending(Budget):
        def check(self):
            if Slow.n_made == made + 4:
                raise Interrupted

    with pytest.raises(Interrupted):
        build(plan, ready.problem, ready.feature_names, ready.metadata, budget=Ending())
    assert Slow.n_made == made + 4


@pytest.mark.parametrize("local_improvement", [None, LOCAL])
@pytest.mark.parametrize("limit", [12, 13, 23, 24, 30, 100, 101])
def test_time_cuts_a_generation_short(rng, clock, limit, local_improvement):
    """No evaluation begins after max_time; an unfinished generation is dropped and not counted."""
    X, y = data(rng)
    selector = small(objectives=("uar", "cardinality", clock), max_time=limit, local_improvement=local_improvement)
    selector.fit(X, y)
    assert clock.now == limit
    assert selector.stop_reason_ == "max_time"
    assert limit - 50 < selector.n_evaluations_ <= limit
    assert selector.n_evaluations_ == selector.history_["n_evaluations"][-1]
    if local_improvement is None:  # a dropped improvement leaves its generation as it was
        whole = small(objectives=selector.objectives, n_generations=len(selector.history_["generation"]) - 1).fit(X, y)
        np.testing.assert_array_equal(whole.pareto_front_.objectives, selector.pareto_front_.objectives)


@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "CSR"])
def test_time_cuts_the_coding_of_a_generation_short(rng, clock, monkeypatch, form):
    """Coding a subsample takes ten seconds and checks the budget; coding before the search counts, too."""
    encode, n = code.encode, []

    def lasting(X, rows, n_threads, check):
        clock.now += 10.0
        n.append(clock.now)
        check()
        return encode(X, rows, n_threads, check)

    monkeypatch.setattr(code, "encode", lasting)
    X, y = data(rng)
    found = small(evaluation__subsample=20, max_time=35).fit(form(X), y)
    assert found.stop_reason_ == "max_time" and n == [10.0, 20.0, 30.0, 40.0]
    assert found.history_["generation"].tolist() == [0, 1, 2]


def test_time_to_score_the_front_again_is_set_aside(rng, clock):
    """The reserve goes by the time of earlier evaluations, and the whole fit keeps max_time."""
    X, y = data(rng)
    for limit in (200, 400, 1000):
        clock.now = 0.0
        selector = small(objectives=("uar", "cardinality", clock), evaluation__n_splits=1,
                         evaluation__n_rescore_splits=2, max_time=limit)
        selector.fit(X, y)
        assert selector.stop_reason_ == "max_time"
        assert 0.5 * limit <= selector.n_evaluations_ < clock.now <= limit


def test_at_most_half_of_it(rng, clock):
    """At most half of max_time is reserved, however long re-scoring may take."""
    selector = small(objectives=("uar", "cardinality", clock), evaluation__n_splits=1,
                     evaluation__n_rescore_splits=2000, max_time=100)
    selector.fit(*data(rng))
    assert 36 <= selector.n_evaluations_ <= 50  # whole generations


class Ticking(GaussianNB):
    """A classifier whose training takes a second of the fake clock."""

    def fit(self, X, y):
        Ticking.clock.now += 1.0
        return super().fit(X, y)


@pytest.mark.quick(1)
@pytest.mark.parametrize("limit", [0, 100, 200, 1000])
def test_the_front_is_scored_again_on_as_many_splits_as_there_is_time_for(rng, clock, capsys, limit):
    """At least two splits; the front holds their number, and the scores of a fit with that n_rescore_splits."""
    X, y = data(rng)
    Ticking.clock = clock
    settings = {"estimator": Ticking(), "n_generations": 0, "evaluation__n_splits": 2}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        front = small(**settings, evaluation__n_rescore_splits=60, max_time=limit).fit(X, y).pareto_front_
    said, n_splits = [str(each.message) for each in caught], front.n_rescore_splits
    assert capsys.readouterr() == ("", "")
    assert n_splits == 2 if limit == 0 else clock.now <= limit
    if n_splits < 60:
        assert said == [f"max_time leaves time to score the front again on {n_splits} of n_rescore_splits=60 splits"]
        assert limit == 0 or clock.now > 0.9 * limit
    else:
        assert said == [] and limit > 0
    other = small(**settings, evaluation__n_rescore_splits=n_splits).fit(X, y).pareto_front_
    if limit:  # without any time the initial population ends early, too
        np.testing.assert_array_equal(other.objectives, front.objectives)
        np.testing.assert_array_equal(other.score_se, front.score_se)
    assert ParetoFront.from_json(front.to_json()).n_rescore_splits == n_splits


@pytest.mark.parametrize(("grace", "n_splits"), [(10.0, 2), (5.0, 0)])
def test_a_front_whose_scoring_again_would_end_too_late_keeps_the_scores_of_the_search(rng, clock, monkeypatch, grace,
                                                                                       n_splits):
    """Two subsets on two splits take four seconds after max_time=0, and four more on two fresh splits."""
    Ticking.clock = clock
    monkeypatch.setattr("moeliga.base.budget.GRACE", grace)
    with pytest.warns(UserWarning, match="max_time leaves ") as caught:
        front = small(estimator=Ticking(), n_generations=0, evaluation__n_splits=2, evaluation__n_rescore_splits=60,
                      max_time=0).fit(*data(rng)).pareto_front_
    assert clock.now == 4 + 2 * n_splits and front.n_rescore_splits == n_splits
    if not n_splits:
        assert [str(each.message) for each in caught] == [
            "max_time leaves no time to score the front again: the front keeps the scores of the search, which are too "
            "high for new samples"]
        np.testing.assert_array_equal(front.objectives, front.search_objectives)


def test_splits_of_the_user_s_are_all_used(rng, clock):
    """Splits given as cv are the same in the search and after it, so the limit does not reduce their number."""
    Ticking.clock = clock
    for limit in (60, 12):
        clock.now = 0.0
        front = small(estimator=Ticking(), cv=4, evaluation__n_rescore_splits=5, max_time=limit).fit(
            *data(rng)).pareto_front_
        assert front.n_rescore_splits == 5 and np.isfinite(front.score_se).all()


# by itself


def test_evaluations_are_counted_and_the_reason_stays():
    """The first refusal is final, with its reason, also for fewer evaluations."""
    budget = Budget(max_evaluations=10)
    assert budget.allows(10)
    budget.spend(4, 4.0, 1.0)
    assert budget.allows(6)
    assert budget.reason is None
    assert not budget.allows(7)
    assert not budget.allows(1)
    assert budget.reason == "max_evaluations"
    assert budget.n_evaluations == 4


def test_time_ends():
    """After max_time nothing may begin."""
    budget = Budget(max_time=0.01)
    time.sleep(0.02)
    assert not budget.allows(0)
    assert budget.reason == "max_time"
    assert budget.seconds >= 0.02


def test_time_cuts_short_only_where_there_is_something_to_hand_back():
    """The initial population is not cut short, nor is re-scoring after the search."""
    budget = Budget(max_time=0)
    budget.check()
    budget.timed = True
    with pytest.raises(Interrupted):
        budget.check()
    assert budget.reason == "max_time"
    budget.close()
    budget.check()


def test_a_limit_of_evaluations_cuts_nothing_short():
    """max_evaluations is checked before a generation begins, not in it."""
    budget = Budget(max_evaluations=10)
    budget.timed = True
    budget.spend(11, 11.0, 1.0)
    budget.check()


def test_time_of_what_comes_after_goes_by_work(monkeypatch):
    """Time is estimated from all work so far; at most half of the time is reserved."""
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: now[0])
    now = [100.0]
    budget = Budget(max_time=50)
    budget.set_aside(7.0)
    assert (budget.reserve, budget.share(7.0)) == (0.0, 1.0)  # nothing is known yet
    # time and evaluations of an earlier run say nothing of this machine
    budget.restore({"n_evaluations": 1000, "seconds": 300.0})
    budget.spend(10, 4.0, 3.0)
    budget.spend(1, 16.0, 7.0)
    budget.set_aside(8.0)
    assert budget.reserve == 4.0
    budget.set_aside(1000.0)
    assert budget.reserve == 25.0 == budget.seconds_left
    now[0] = 130.0
    assert budget.seconds_left == -5.0
    assert budget.share(20.0) == 1.0 and budget.share(80.0) == 0.5
    now[0] = 151.0
    assert budget.share(80.0) == 0.0


def test_what_comes_before_is_taken_off_the_time(monkeypatch):
    """`restart` leaves the rest of max_time, or an equal share of it; 0 if all of it has passed."""
    now = [5.0]
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: now[0])
    budget = Budget(max_time=50)
    now[0] = 15.0
    budget.restart()
    assert (budget.max_time, budget.seconds) == (40.0, 0.0)
    now[0] = 19.0
    budget.restart(4)
    assert (budget.max_time, budget.seconds, budget.seconds_left) == (9.0, 0.0, 9.0)
    now[0] = 29.0
    budget.restart()
    assert budget.max_time == 0.0 and not budget.allows(0)
    budget = Budget()
    budget.restart(3)
    assert budget.max_time is None and budget.seconds == 0.0


@pytest.mark.parametrize("max_time, share", [(None, 0.25), (1000, 0.25), (4, 0.1)])
def test_a_signal_leaves_ten_seconds_for_what_comes_after(monkeypatch, max_time, share):
    """A signal leaves ten seconds, or the rest of `max_time` if that is less."""
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: 0.0)
    budget = Budget(max_time=max_time)
    budget.spend(10, 1.0, 2.0)
    budget.interrupt(signal.SIGINT, keep=True)
    budget.close()
    assert budget.share(20.0) == share and budget.share(1.0) == 1.0


def test_without_limits_everything_is_allowed():
    """Limits of None are no limits."""
    budget = Budget()
    budget.spend(10**12, 1e12, 1e9)
    assert budget.share(1e15) == 1.0 and budget.seconds_left == np.inf
    assert budget.allows(10**12)
    budget.timed = True
    budget.check()


@pytest.mark.parametrize(("number", "reason"), [(signal.SIGINT, "interrupt"), (signal.SIGTERM, "SIGTERM")])
def test_a_signal_cuts_short(number, reason):
    """Interrupted is raised by the next check, or at once in the context of a user's code."""
    budget = Budget()
    budget.interrupt(number, keep=True)
    assert (budget.reason, budget.abandoned) == (reason, False)
    with pytest.raises(Interrupted):
        budget.check()
    with pytest.raises(Interrupted), budget.interruptible():
        pytest.fail("it must not begin")
    budget = Budget()
    with pytest.raises(Interrupted), budget.interruptible():
        budget.interrupt(number, keep=False)
        pytest.fail("it must not go on")
    assert budget.abandoned
    assert not budget.immediate


def test_code_that_catches_errors_does_not_swallow_it():
    """Interrupted is a KeyboardInterrupt, which `except Exception` does not catch."""
    assert issubclass(Interrupted, KeyboardInterrupt)
    assert not issubclass(Interrupted, Exception)


def test_entries_for_joblib_end_with_the_first_check_that_raises():
    """The check precedes each entry; entries end with the first Interrupted, which is not passed on to joblib."""
    budget, taken = Budget(), []
    for entry in until_interrupted("abcd", budget.check):
        taken.append(entry)
        if entry == "b":
            budget.interrupt(signal.SIGINT, keep=True)
    assert taken == ["a", "b"]
    assert list(until_interrupted("abcd", Budget().check)) == ["a", "b", "c", "d"]
