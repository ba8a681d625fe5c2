"""How searches side by side share threads."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from moeliga.validation.crew import Crew


@pytest.mark.parametrize(("n", "most", "shares"), [
    (2, 2, [[2], [1, 1]]), (7, 3, [[7], [4, 3], [3, 2, 2]]), (1, 2, [[1], [1, 1]])])
def test_a_crew_shares_its_threads_out(n, most, shares):
    """Whoever is there has some of them, and who is left alone has all."""
    crew, inside = Crew(n, most), []
    with ExitStack() as stack:
        for expected in shares[:most]:
            inside.append(stack.enter_context(crew.place()))
            assert [share.n for share in inside] == expected
        with ThreadPoolExecutor(1) as pool, ExitStack() as late:  # there is no room before another leaves
            waiting = pool.submit(lambda: late.enter_context(crew.place()))
            with pytest.raises(TimeoutError):
                waiting.result(0.05)
            stack.close()
            assert waiting.result(10).n == n


def test_who_leaves_gives_its_threads_to_the_others():
    """Also where nobody waits for a place."""
    crew, first = Crew(7, 3), ExitStack()
    with crew.place() as second, crew.place() as third:
        first.enter_context(crew.place())
        assert (second.n, third.n) == (3, 2)
        first.close()
        assert (second.n, third.n) == (4, 3)


def test_places_of_a_crew_go_to_who_came_first():
    """And not to who has just left."""
    crew, order = Crew(1, 1), []

    def come(number):
        with crew.place():
            order.append(number)

    with crew.place():
        threads_of = []
        for number in range(5):
            threads_of.append(threading.Thread(target=come, args=(number,)))
            threads_of[-1].start()
            while len(crew.waiting) <= number:
                time.sleep(0.001)
    for thread in threads_of:
        thread.join()
    assert order == [*range(5)]
