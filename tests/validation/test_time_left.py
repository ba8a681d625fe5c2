"""The division of `max_time`, by a clock that the tests set."""

import math

import pytest

from moeliga.base.budget import Budget, Interrupted
from moeliga.validation.time_left import GRACE, LATE, SLOWER, TimeLeft


@pytest.fixture
def clock(monkeypatch):
    """A list with the seconds of the clock as its only entry."""
    now = [100.0]
    monkeypatch.setattr("moeliga.validation.time_left.time.monotonic", lambda: now[0])
    return now


def left(max_time, build_seconds=0.0, model_seconds=0.0):
    """Return a `TimeLeft` with known seconds of the model."""
    found = TimeLeft(max_time, build_seconds)
    found.model_seconds = model_seconds
    return found


def test_without_a_limit_there_is_time_for_everything():
    time_left = left(None, 10.0, 10.0)
    assert time_left(5) == math.inf and time_left.share(5, 0) is None and time_left.parallel_share(5, 6, 2) is None
    assert time_left.n_affordable(5, 0, 1, 2) == 5


def test_time_passes(clock):
    time_left = left(50.0, model_seconds=4.0)
    assert time_left() == 50.0 and time_left(2) == 50.0 - 2 * SLOWER * 4.0
    clock[0] += 45.0
    assert time_left() == 5.0 and time_left(2) == -5.0


@pytest.mark.parametrize(("n_left", "n_done", "share"), [
    (3, 0, 100 / 3 - 5.0),  # an equal share of each
    (10, 0, 100 / 4 - 5.0),  # 25 seconds are twice the building and the model: four of ten
    (1, 2, 100 - 5.0)])
def test_searches_in_turn_share_what_is_left(clock, n_left, n_done, share):
    assert left(100.0, 10.0, 4.0).share(n_left, n_done) == pytest.approx(share)


def test_two_folds_share_what_is_left_however_little(clock):
    """The scores of a single fold are of no use."""
    assert left(30.0, 10.0, 4.0).share(10, 0) == 15.0 - 5.0
    assert left(30.0, 10.0, 4.0).share(10, 1) == 30.0 - 5.0
    assert left(20.0, 10.0, 4.0).share(10, 2) == 20.0 - 5.0  # not enough for one


def test_answers_of_the_model_may_be_a_little_late(clock):
    """After that they are interrupted, for the reason "max_time"."""
    budget, time_left = Budget(), left(50.0)
    check = time_left.checker(budget)
    clock[0] += 50.0 + 0.9 * GRACE
    check()
    assert budget.reason is None
    clock[0] += 0.2 * GRACE
    with pytest.raises(Interrupted):
        check()
    assert budget.reason == "max_time"


@pytest.mark.parametrize(("limit", "n_left", "n_done", "share"), [
    (100.0, 4, 0, 20.0),
    (41.0, 3, 0, 10.25), (40.0, 3, 0, 40.0),  # two folds need 10 seconds of building and 5 of the model each
    (30.5, 1, 2, 15.25), (30.0, 1, 2, 30.0)])
def test_the_search_before_has_all_where_no_two_folds_begin(clock, limit, n_left, n_done, share):
    assert left(limit, 10.0, 4.0).first_share(n_left, n_done) == pytest.approx(share)


def test_searches_side_by_side_begin_by_turns(clock):
    time_left = left(100.0, 0.0, 4.0)
    assert time_left.parallel_share(5, 6, 2) == pytest.approx((1 - LATE) * 75.0 / 3)
    clock[0] += 90.0
    assert time_left.parallel_share(5, 2, 2) == 0.0


@pytest.mark.parametrize(("limit", "n_done", "n_beside", "most", "n"), [
    (1000.0, 0, 1, 2, 5),
    (86.0, 0, 1, 2, 5),  # three turns of 20 seconds of building, and five times 5 seconds of the model
    (84.0, 0, 1, 2, 4), (79.0, 0, 1, 2, 3),  # four of them take three turns as well, and three take two
    (51.0, 0, 1, 2, 2), (50.0, 0, 1, 2, 0), (50.0, 1, 1, 2, 1), (25.0, 1, 1, 2, 0), (46.0, 0, 0, 6, 5)])
def test_folds_begin_that_there_is_time_for(clock, limit, n_done, n_beside, most, n):
    """A single fold is never begun alone."""
    assert left(limit, 10.0, 4.0).n_affordable(5 - n_done, n_done, n_beside, most) == min(n, 5 - n_done)
