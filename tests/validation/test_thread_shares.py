"""Parallel searches share threads."""

import threading
import time
from contextlib import ExitStack

import pytest

from moeliga.validation.thread_shares import ThreadShares

SECONDS = 10
"""Longer than any thread takes: after a fault they might wait for ever."""


def start(target, *args):
    """Start and return a daemon thread, which does not keep the tests from ending."""
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(("n", "most", "expected"), [
    (2, 2, [[2], [1, 1]]), (7, 3, [[7], [4, 3], [3, 2, 2]]), (1, 2, [[1], [1, 1]])])
def test_searches_have_equal_shares_of_the_threads(n, most, expected):
    """A search that runs alone has all threads; one more than `most` waits."""
    shares, inside, alone = ThreadShares(n, most), [], []

    def come():
        with shares.acquire() as share:
            alone.append(share.n)

    with ExitStack() as stack:
        for each in expected[:most]:
            inside.append(stack.enter_context(shares.acquire()))
            assert [share.n for share in inside] == each
        late = start(come)
        late.join(0.05)
        assert not alone  # it waits for another one to end
    late.join(SECONDS)
    assert alone == [n]


def test_a_search_that_ends_leaves_its_threads_to_the_others():
    """Also if no search waits."""
    shares, first = ThreadShares(7, 3), ExitStack()
    with shares.acquire() as second, shares.acquire() as third:
        first.enter_context(shares.acquire())
        assert (second.n, third.n) == (3, 2)
        first.close()
        assert (second.n, third.n) == (4, 3)


def test_searches_start_in_the_order_in_which_they_came():
    """Five searches wait while one runs."""
    shares, order = ThreadShares(1, 1), []

    def come(number):
        with shares.acquire():
            order.append(number)

    with shares.acquire():
        threads_of, end = [], time.monotonic() + SECONDS
        for number in range(5):
            threads_of.append(start(come, number))
            while len(shares.waiting) <= number and time.monotonic() < end:
                time.sleep(0.001)
    for thread in threads_of:
        thread.join(SECONDS)
    assert order == [*range(5)]
