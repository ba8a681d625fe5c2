"""Estimates of time: planned evaluations, a measurement, and that neither changes a search."""

import re
import time
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from same_search import assert_same
from scipy.stats import linregress
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from arbitrary import sized
from moeliga import LocalImprovement, StaggeredInit
from moeliga.base.text import duration
from moeliga.search import time_estimate as forecast
from moeliga.search.build import prepare
from moeliga.search.time_estimate import TimeEstimate, fit_line, n_subordinates, planned_main, tell
from paper_operators import PAPER, fitting
from single_search import single_search

LOCAL = {"n_populations": 2, "population_size": 9, "n_generations": 3, "every": 2}
SMALL = {**PAPER, "population_size": 12, "n_generations": 5, "survival__n_elite": 2, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}
data = sized(40, 30, 2, shuffled=True)


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **fitting({**SMALL, **parameters}))


def size(mask, X, y):
    """An objective that wants many features."""
    return float(mask.sum())


@pytest.fixture
def clock(monkeypatch):
    """A clock under which an evaluation takes 2 s and a tenth of a second for each feature."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def slow(mask, X, y):
        now[0] += 2.0 + 0.1 * mask.sum()
        return float(mask.sum())

    return slow


# plans


@pytest.mark.parametrize("reevaluate", ["all", "average"])
@pytest.mark.parametrize("n_generations", [0, 1, 5])
def test_without_local_improvement_the_plan_is_exact(rng, reevaluate, n_generations):
    """The whole population in every generation."""
    X, y = data(rng)
    selector = small(evaluation__reevaluate=reevaluate, n_generations=n_generations)
    assert selector.fit(X, y).n_evaluations_ == selector.estimate_time(X, y).n_evaluations == 12 * (1 + n_generations)


def test_survivors_that_keep_their_values_are_not_planned(rng):
    """reevaluate="none": only offspring, and a few copies that were changed."""
    X, y = data(rng)
    selector = small(evaluation__reevaluate="none")
    assert selector.estimate_time(X, y).n_evaluations == 12 + 5 * 8
    assert 12 + 5 * 8 <= selector.fit(X, y).n_evaluations_ <= 12 + 5 * 10


@pytest.mark.parametrize("replacement", ["parent", "complete"])
def test_local_improvement_is_planned(rng, replacement):
    """Subordinate populations at full length; comparisons and changed copies come on top."""
    X, y = data(rng)
    selector = small(objectives=(size,), init=StaggeredInit((1.0,), (0.7,)),
                     local_improvement=LocalImprovement(**LOCAL, replacement=replacement))
    expected = 12 * 6 + 2 * 2 * 9 * 4
    assert selector.estimate_time(X, y).n_evaluations == expected
    assert 0 <= selector.fit(X, y).n_evaluations_ - expected <= 2 * 2 * 2 + 2 * 12


@pytest.mark.parametrize(("n_features", "each"), [(1, 0), (2, 3), (3, 7), (4, 9 * 4), (200, 9 * 4)])
def test_small_templates_are_enumerated(rng, n_features, each):
    """2^k - 1 subsets where the population is not smaller; one feature is not improved."""
    X, y = data(rng, n_features=400)
    selector = small(local_improvement=LocalImprovement(**LOCAL), init=StaggeredInit((1.0,), (n_features / 400,)))
    assert selector.estimate_time(X, y).n_evaluations == 12 * 6 + 2 * 2 * each
    if n_features == 3:  # as large as the population is small enough
        selector.set_params(local_improvement__population_size=7)
        assert selector.estimate_time(X, y).n_evaluations == 12 * 6 + 2 * 2 * 7


def test_counts_up_to_each_generation(rng):
    """Local improvement in generations 2 and 4, of two individuals."""
    X, y = data(rng)
    search = prepare(small(local_improvement=LocalImprovement(**LOCAL)), X, y, {})[1].search
    assert [planned_main(search, 12, generation) for generation in range(6)] == [12, 24, 36, 48, 60, 72]
    assert [n_subordinates(search, generation) for generation in range(6)] == [0, 0, 2, 2, 4, 4]


# estimates


def test_the_estimate_is_a_line_over_the_number_of_features(rng, clock):
    """With a clock that is one: main population at its mean size, subordinate ones at half of it, re-scoring."""
    X, y = data(rng)
    options = {"objectives": (clock,), "init": StaggeredInit((0.5, 0.5), (0.1, 0.5)), "evaluation__n_rescore_splits": 6,
               "evaluation__n_splits": 3}
    got = small(**options).estimate_time(X, y)
    mean = 2.0 + 0.1 * (3 + 15) / 2
    assert_allclose(got.seconds, mean * (72 + 6 * 2))
    assert got.n_measured == 4
    assert_allclose(got.seconds_measured, 4 * 2.0 + 0.1 * (3 + 3 + 15 + 15))
    assert float(got) == got.seconds
    got = small(**options, local_improvement=LocalImprovement(**LOCAL)).estimate_time(X, y)
    assert_allclose(got.seconds, mean * (72 + 6 * 2) + (2.0 + 0.1 * 4.5) * 144)
    got = small(**options, evaluation__subsample=10).estimate_time(X, y)  # of 40, which the front is scored on
    assert_allclose(got.seconds, mean * (72 + 4 * 6 * 2))


def test_short_measurements_are_repeated_with_more_subsets(rng, clock, monkeypatch):
    """Until they are long enough, or the part of the population is used up."""
    X, y = data(rng)
    options = {"objectives": (clock,), "population_size": 40, "init": StaggeredInit((1.0,), (0.1,))}
    # one evaluation takes 2.3 s
    for enough, each in ((0.0, 1), (2.4, 1 + 2), (10.0, 1 + 2 + 4 + 8), (1e9, 1 + 2 + 4 + 8 + 10)):
        monkeypatch.setattr(forecast, "ENOUGH_SECONDS", enough)
        assert small(**options).estimate_time(X, y).n_measured == 4 * each


@pytest.mark.parametrize(("limits", "n_evaluations", "seconds"), [
    ({"max_evaluations": 36}, 36, 0.5), ({"max_evaluations": 10**6}, 72, 1.0), ({"max_time": 7.0}, 3, None),
    ({"max_time": 20.0, "evaluation__n_rescore_splits": 50}, 3, None),
])
def test_limits_shorten_the_estimate(rng, clock, monkeypatch, limits, n_evaluations, seconds):
    """Half of the evaluations take half of the time; max_time is not exceeded: there are fewer evaluations of 2.3 s,
    and fewer splits score the front again."""
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: 0.0)  # what comes before takes no time
    X, y = data(rng)
    options = {"objectives": (clock,), "init": StaggeredInit((1.0,), (0.1,)), "evaluation__n_rescore_splits": 0}
    got, full = small(**options | limits).estimate_time(X, y), small(**options).estimate_time(X, y)
    assert got.n_evaluations == n_evaluations
    assert_allclose(got.seconds, limits["max_time"] if seconds is None else full.seconds * seconds)
    assert got.n_measured == (1 if "max_time" in limits else full.n_measured) and full.n_measured > 1


def test_scores_of_the_front_may_be_late_but_not_for_ever(rng, clock, monkeypatch):
    """Two splits of half of the population take 27.6 s: by ten seconds beyond `max_time` they are not made."""
    monkeypatch.setattr("moeliga.base.budget.time.monotonic", lambda: 0.0)
    X, y = data(rng)
    options = {"objectives": (clock,), "init": StaggeredInit((1.0,), (0.1,)), "evaluation__n_rescore_splits": 2,
               "evaluation__n_splits": 1}
    for limit, seconds in ((7.0, 17.0), (40.0, 47.6), (60.0, 60.0)):
        assert_allclose(small(**options, max_time=limit).estimate_time(X, y).seconds, seconds)


@pytest.mark.quick(4)
@pytest.mark.parametrize("options", [
    {}, {"estimator": GaussianNB()}, {"estimator": GaussianNB(), "cv": 3, "n_jobs": 2}, {"population_size": 5},
    {"constraints__must_include": [1], "constraints__groups": [[2, 3], [4, 5, 6]]},
], ids=str)
def test_an_estimate_is_positive_and_changes_nothing(rng, options):
    """The fit afterwards is the fit without; the selector is not fitted by it."""
    X, y = data(rng)
    selector = small(**options, n_generations=1)
    before = dict(vars(selector))
    got = selector.estimate_time(X, y)
    assert vars(selector) == before
    assert got.seconds > 0
    assert got.n_measured >= 2
    assert_same(selector.fit(X, y), small(**options, n_generations=1).fit(X, y))


def test_a_generator_of_random_numbers_is_not_advanced(rng, seed):
    """RandomState and Generator are as they were."""
    X, y = data(rng)
    for make in (np.random.RandomState, np.random.default_rng):
        selector = small(random_state=make(seed))
        selector.estimate_time(X, y)
        assert_same(selector.fit(X, y), small(random_state=make(seed)).fit(X, y))


def test_an_estimate_takes_metadata_and_refuses_what_fit_refuses(rng):
    """The same checks, the same words."""
    X, y = data(rng)
    selector = small(GaussianNB(), cv=StratifiedKFold(2))
    assert selector.estimate_time(X, y, sample_weight=np.ones(40)).seconds > 0
    with pytest.raises(ValueError, match="^sample_weight must have 40 entries"):
        selector.estimate_time(X, y, sample_weight=np.ones(39))
    with pytest.raises(TypeError, match="^islands.judges must be a classifier"):
        small(KMeans()).estimate_time(X, y)


@pytest.mark.parametrize("n", [3, 4, 9])
def test_the_line_is_that_of_least_squares(rng, n):
    """As SciPy has it; the error is that of the mean."""
    x, y = rng.normal(size=n), rng.uniform(10, 20, n)
    y[np.argsort(x)] = np.sort(y)  # it rises
    expected = linregress(x, y)
    level, slope, error = fit_line(x, y)
    assert_allclose((level, slope), (max(0, expected.intercept), expected.slope))
    assert_allclose(error, expected.stderr * np.std(x))


def test_a_line_does_not_fall_and_two_points_have_no_error():
    """More features do not take less time."""
    level, slope, error = fit_line(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))
    assert (level, slope) == (2.0, 0.0)
    assert_allclose(error, np.sqrt(2 / 1 / 3))
    assert np.isnan(fit_line(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))[2])


def test_one_size_has_no_interval(rng):
    """A line through one point says nothing of how far others would be from it."""
    X, y = data(rng)
    got = small(max_features=1).estimate_time(X, y)
    assert np.isnan(got.interval).all()
    assert "nan" not in str(got)
    assert " to " not in str(got)


def test_the_interval_is_of_the_measurement(rng, clock, monkeypatch):
    """None around a clock that is a line; wide where evaluations of one size take now long, now not."""
    X, y = data(rng)
    options = {"init": StaggeredInit((0.25, 0.25, 0.25, 0.25), (0.1, 0.2, 0.3, 0.5))}
    got = small(objectives=(clock,), **options).estimate_time(X, y)
    assert_allclose(got.interval, got.seconds)
    assert "(" not in str(got)
    times = iter([0.0, 1.0, 9.0, 1.0, 9.0] * 100)

    def moody(mask, X, y):
        clock(mask, X, y)
        for _ in range(int(next(times))):
            clock(mask, X, y)
        return 1.0

    got = small(objectives=(moody,), **options).estimate_time(X, y)
    assert 0 <= got.interval[0] < got.seconds < got.interval[1]
    assert f"({duration(got.interval[0])} to {duration(got.interval[1])})" in str(got)


# announcements


@pytest.mark.slow
def test_a_fit_of_more_than_ten_minutes_is_warned_of(rng, monkeypatch):
    """Without `verbose`, once, with what would be faster; not where there is a limit, and nothing changes."""
    X, y = data(rng)
    slow = partial(small, BernoulliNB(), population_size=6)
    ref = slow().fit(X, y)
    monkeypatch.setattr(forecast, "LOOKED_SECONDS", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slow().fit(X, y)
    monkeypatch.setattr(forecast, "WARNED_SECONDS", 0.0)
    with pytest.warns(UserWarning) as caught:
        assert_same(slow().fit(X, y), ref)
    text, = (str(each.message) for each in caught)
    assert text.startswith("the fit will take about ")
    assert "to make it faster: a compiled judge and a compiled scoring" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slow(max_time=1000.0).fit(X, y)


def test_what_is_warned_of_is_how_long_it_takes(rng, clock, monkeypatch):
    """By the clock that is a line, of the first subsets: so many evaluations in each of the searches."""
    X, y = data(rng)
    monkeypatch.setattr(forecast, "LOOKED_SECONDS", 0.0)
    options = {"objectives": (clock,), "init": StaggeredInit((1.0,), (0.1,)), "n_generations": 99}
    with pytest.warns(UserWarning, match=f"about {re.escape(duration(12 * 100 * 2.3))}, estimated from 12 evaluations"):
        small(**options).fit(X, y)


def looked_at(monkeypatch, ready, n_searches, max_evaluations=None):
    """What is said of a search of six generations of twelve, the first of which took 24 s: list of str."""
    monkeypatch.setattr(forecast, "LOOKED_SECONDS", 0.0)
    search = ready.search
    search.budget.max_evaluations = max_evaluations
    every = search.space.subsets(search.space.chromosomes(ready.bits))
    search.budget.spend(12, search.objectives.work(search.ground, every), 24.0)
    look = forecast.slow_fit_warning(search, ready.bits, 5, n_searches)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        look()
        look()
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(("n_searches", "max_evaluations", "told"), [
    (6, None, "14 min"), (6, 60, "12 min"), (6, 10**6, "14 min"), (5, None, "12 min"), (5, 49, None), (4, None, None)])
def test_a_long_fit_is_warned_of_once(rng, monkeypatch, n_searches, max_evaluations, told):
    """Ten minutes or more, by two seconds for each of 72 evaluations of each search, or as many as are allowed."""
    ready = prepare(small(), *data(rng), {})[1]
    said = looked_at(monkeypatch, ready, n_searches, max_evaluations)
    assert [text.split(";")[0] for text in said] == [
        f"the fit will take about {told}, estimated from 12 evaluations that took 24 s"] * (told is not None)


@pytest.mark.parametrize(("n_searches", "n_threads", "many", "ways"), [
    (1, 2, 40, ""), (3, 2, 40, ""), (4, 2, 40, "a smaller honest, "), (1, 2, 39, "evaluation__subsample=39, "),
    (1, 1, 40, "n_jobs=-1, "), (4, 1, 39, "n_jobs=-1, evaluation__subsample=39, a smaller honest, ")])
def test_ways_to_be_faster_are_those_that_are_left(rng, monkeypatch, n_searches, n_threads, many, ways):
    """Not fewer folds than two, nor a subsample of all samples, nor threads that are used already."""
    monkeypatch.setattr(forecast.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(forecast, "MANY_SAMPLES", many)
    monkeypatch.setattr(forecast, "WARNED_SECONDS", 0.0)
    said, = looked_at(monkeypatch, prepare(small(n_jobs=n_threads), *data(rng), {})[1], n_searches)
    assert said.endswith(f"; to make it faster: {ways}fewer n_generations; max_time sets a limit")


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_a_long_search_is_announced(rng, monkeypatch, capsys, verbose):
    """Before it begins, on the standard error; the estimate costs neither evaluations nor time of the search."""
    X, y = data(rng)
    ref = small().fit(X, y)
    monkeypatch.setattr(forecast, "LONG_SECONDS", 0.0)
    capsys.readouterr()
    assert_same(small(verbose=verbose).fit(X, y), ref)
    assert ("moeliga: about" in capsys.readouterr().err) == (verbose > 0)


def test_only_long_ones(capsys):
    """Ten seconds or more."""
    text = "moeliga: about 10 s for 3,000 evaluations, estimated from 7 that took 0.25 s\n"
    for seconds, said in ((9.9, ""), (10.0, text)):
        tell(TimeEstimate(seconds, 3000, 7, 0.25))
        assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0 s"), (59.4, "59 s"), (59.9, "60 s"), (60, "1 min"), (3599, "60 min"), (3600, "1.0 h"), (172_799, "48.0 h"),
    (172_800, "2.0 d"),
])
def test_durations_in_words(seconds, text):
    """Seconds, minutes, hours, days."""
    assert duration(seconds) == text


def test_a_notebook_shows_the_words_of_an_estimate():
    estimated = TimeEstimate(90.0, 3000, 7, 0.25)
    assert estimated._repr_html_() == f"<pre>{estimated}</pre>"
