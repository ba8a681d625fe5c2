"""A property that is computed once, and that no other thread can lock."""

import threading

from moeliga.base.cached_property import cached_property


class Slow:
    n_calls = 0

    def __init__(self, wait=None):
        self.wait = wait

    @cached_property
    def value(self):
        """A value."""
        Slow.n_calls += 1
        if self.wait is not None:
            self.wait()
        return [1]


def test_it_is_computed_once_for_each_object():
    one, two, before = Slow(), Slow(), Slow.n_calls
    assert one.value is one.value and one.value is not two.value
    assert Slow.n_calls == before + 2 and Slow.value.__doc__ == "A value."


def test_one_object_does_not_wait_for_another():
    """A child that is forked while another thread computes would wait for ever."""
    entered, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: Slow(lambda: (entered.set(), go_on.wait(60))).value)
    thread.start()
    entered.wait(60)
    found = []
    other = threading.Thread(target=lambda: found.append(Slow().value), daemon=True)
    other.start()
    other.join(20)
    waited = not found
    go_on.set()
    thread.join()
    other.join()
    assert not waited
