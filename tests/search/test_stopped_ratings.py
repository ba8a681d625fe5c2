"""A stop that comes while individuals are ranked: what a search keeps of them."""

import signal

import numpy as np
import pytest
from recorded_searches import small

from arbitrary import data
from moeliga.base.signals import Terminated, terminable
from moeliga.search import islands, population

SURVIVALS = {"succession": {}, "competition": {"survival": "nsga2"}}


@pytest.fixture
def stop_in(monkeypatch):
    """Function: stop the search by a signal in the ranking with this number, from 1 on; its list of ranked individuals.

    The kernel asks only where it takes long; here it asks in that one.
    """
    def stop_in(number, stop=signal.SIGINT):
        ranked = []

        def asking(kernel):
            def rank(objectives, check=None):
                if check is not None:
                    ranked.append(len(objectives))
                    if len(ranked) == number:
                        signal.raise_signal(stop)
                        check()
                return kernel(objectives, check)
            return rank

        for name in ("rank", "fronts"):
            monkeypatch.setattr(population.dominance, name, asking(getattr(population.dominance, name)))
        return ranked

    return stop_in


def stopped_after(generation, X, y, replacement=None, **parameters):
    """A search that a callback stops after a generation."""
    return small(replacement, callbacks=lambda state: state.generation == generation, **parameters).fit(X, y)


def assert_same_front(found, reference):
    for name in ("supports", "objectives"):
        assert np.array_equal(getattr(found.pareto_front_, name), getattr(reference.pareto_front_, name))


def assert_stopped_like(found, reference):
    """An interrupted search has the front and the history of one that was stopped after the same generation."""
    assert found.stop_reason_ == "interrupt"
    assert_same_front(found, reference)
    assert found.history_["hypervolume"].tolist() == reference.history_["hypervolume"].tolist()


@pytest.mark.parametrize("name", SURVIVALS)
def test_the_first_generation_is_kept(rng, stop_in, name):
    X, y = data(rng)
    reference = stopped_after(0, X, y, **SURVIVALS[name])
    ranked = stop_in(1)
    assert_stopped_like(small(**SURVIVALS[name]).fit(X, y), reference)
    assert ranked[0] == 12


@pytest.mark.parametrize("name", SURVIVALS)
def test_the_first_generation_is_dropped_where_there_will_be_no_result(rng, tmp_path, stop_in, name):
    """As SIGTERM has it: nobody is asked any more, and nothing else is ranked."""
    ranked, states = stop_in(1, signal.SIGTERM), []
    with terminable(), pytest.raises(Terminated):
        small(**SURVIVALS[name], checkpoint=tmp_path / "search.npz", callbacks=states.append).fit(*data(rng))
    assert (ranked, states) == ([12], [])


@pytest.mark.parametrize(("name", "number"), [("succession", 2), ("succession", 4), ("competition", 4)])
def test_a_later_generation_is_dropped(rng, stop_in, name, number):
    """By competition two are ranked in a generation: parents and children, and who is left."""
    X, y = data(rng)
    generation = {"succession": number - 1, "competition": number // 2}[name]
    reference = stopped_after(generation - 1, X, y, **SURVIVALS[name])
    stop_in(number)
    assert_stopped_like(small(**SURVIVALS[name]).fit(X, y), reference)


@pytest.mark.parametrize("replacement", ["parent", "complete"])
def test_an_unfinished_improvement_is_dropped(rng, stop_in, replacement):
    """Of generation 2, the first that is improved: it stays as it was before."""
    X, y = data(rng)
    before = small(replacement, local_improvement__every=3, callbacks=lambda state: state.generation == 2).fit(X, y)
    ranked = stop_in(4)
    found = small(replacement).fit(X, y)
    assert ranked[:4] == [12, 12, 12, 7]
    assert_stopped_like(found, before)
    assert found.history_["n_replaced"].tolist() == [0, 0, 0]


def test_islands_are_not_ranked_together(rng, stop_in):
    """The generation is dropped, of which each island was ranked already; the archive has seen its individuals."""
    X, y = data(rng)
    ranked = stop_in(7)
    found = small(islands__n=3).fit(X, y)
    assert found.stop_reason_ == "interrupt"
    assert found.history_["generation"].tolist() == [0]
    assert ranked == [12] * 6 + [36]


def test_what_a_checkpoint_holds_is_kept(rng, tmp_path, stop_in):
    """A search that is stopped while its checkpoint is read has the result of that, and can go on later."""
    X, y = data(rng)
    whole, path = small().fit(X, y), tmp_path / "search.npz"
    reference = stopped_after(2, X, y, checkpoint=path)
    stop_in(1)
    found = small(checkpoint=path).fit(X, y)
    assert_stopped_like(found, reference)
    assert_same_front(small(checkpoint=path).fit(X, y), whole)


def test_max_time_ends_a_ranking(rng, monkeypatch):
    """As a signal does: the generation is dropped."""
    X, y = data(rng)
    reference, ranks, kernel = stopped_after(1, X, y), [], population.dominance.rank

    def rank(objectives, check=None):
        if check is not None:
            ranks.append(check.__self__)
            if len(ranks) == 3:
                ranks[-1].max_time = 0.0
                check()
        return kernel(objectives, check)

    monkeypatch.setattr(population.dominance, "rank", rank)
    found = small(max_time=3600).fit(X, y)
    assert found.stop_reason_ == "max_time"
    assert_same_front(found, reference)
    assert np.array_equal(found.history_["generation"], [0, 1])


def test_a_signal_before_the_first_evaluation_has_its_usual_effect(rng, monkeypatch):
    """While the search was built: nothing is known yet."""
    X, y = data(rng)
    start = islands.Islands.start

    def later(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        return start(self, *arguments)

    monkeypatch.setattr(islands.Islands, "start", later)
    with pytest.raises(KeyboardInterrupt):
        small().fit(X, y)
