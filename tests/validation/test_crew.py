"""How searches side by side share threads."""

import threading
import time
from contextlib import ExitStack

import pytest

from moeliga.validation.crew import Crew

SECONDS = 10
"""More than any of them takes; a fault may let them wait for ever."""


def begun(target, *args):
    """A thread that has begun, and does not keep the tests from ending if it waits for ever."""
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(("n", "most", "shares"), [
    (2, 2, [[2], [1, 1]]), (7, 3, [[7], [4, 3], [3, 2, 2]]), (1, 2, [[1], [1, 1]])])
def test_a_crew_shares_its_threads_out(n, most, shares):
    """Whoever is there has some of them, and who is left alone has all."""
    crew, inside, alone = Crew(n, most), [], []

    def come():
        with crew.acquire() as share:
            alone.append(share.n)

    with ExitStack() as stack:
        for expected in shares[:most]:
            inside.append(stack.enter_context(crew.acquire()))
            assert [share.n for share in inside] == expected
        late = begun(come)
        late.join(0.05)
        assert not alone  # there is no room before another leaves
    late.join(SECONDS)
    assert alone == [n]


def test_who_leaves_gives_its_threads_to_the_others():
    """Also where nobody waits for a place."""
    crew, first = Crew(7, 3), ExitStack()
    with crew.acquire() as second, crew.acquire() as third:
        first.enter_context(crew.acquire())
        assert (second.n, third.n) == (3, 2)
        first.close()
        assert (second.n, third.n) == (4, 3)


def test_places_of_a_crew_go_to_who_came_first():
    """And not to who has just left."""
    crew, order = Crew(1, 1), []

    def come(number):
        with crew.acquire():
            order.append(number)

    with crew.acquire():
        threads_of, end = [], time.monotonic() + SECONDS
        for number in range(5):
            threads_of.append(begun(come, number))
            while len(crew.waiting) <= number and time.monotonic() < end:
                time.sleep(0.001)
    for thread in threads_of:
        thread.join(SECONDS)
    assert order == [*range(5)]
