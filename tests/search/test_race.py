"""Races: who would enter the front is evaluated again before."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive.niche
from moeliga import Checkpoint, LocalImprovement, MOELIGASelector, StaggeredInit
from moeliga.base.random_streams import Purpose
from moeliga.evaluation.objectives import Objectives
from operators import PAPER

LOCAL = LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)
SMALL = {**PAPER, "population_size": 16, "n_generations": 6, "n_elite": 3, "generation_gap": 3, "n_rescore_splits": 2,
         "local_improvement": LOCAL, "reevaluate": "average", "n_confirmations": 4, "random_state": 0}
KINDS = [{}, {"reevaluate": "lower_bound"}, {"survival": "nsga2"}, {"split_mode": "generation"},
         {"local_improvement": LocalImprovement(**{**LOCAL.get_params(), "replacement": "complete"})}]


def data(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 20))
    X[:, ::5] += y[:, None]
    return X, y


@pytest.fixture
def calls(monkeypatch):
    """Addresses, chromosomes, splits shared, objectives and scores of every evaluation."""
    found, original = [], Objectives.evaluate

    def evaluate(self, bits, features, address, *rest, **options):
        values = original(self, bits, features, address, *rest, **options)
        found.append((address, bits.copy(), values[0].copy(), values[1].copy()))
        return values

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    return found


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_nobody_is_on_the_front_without_so_many_evaluations(options):
    """In any generation but the first, also after local improvement; of the others most have fewer."""
    seen = []

    def watch(state):
        population = state.population
        first = np.array(naive.niche.rank(population.objectives.tolist())) == 1
        seen.append((population.n_scored[first].min(), population.n_scored[~first].tolist()))

    MOELIGASelector(**{**SMALL, **options}, callbacks=watch).fit(*data())
    assert seen[0][0] == 1 and all(least >= 5 for least, _ in seen[1:])
    assert any(n < 5 for _, others in seen[1:] for n in others)


@pytest.mark.parametrize("options", KINDS[:4], ids=str)
def test_a_turn_is_a_fresh_evaluation_of_those_who_would_enter(calls, options):
    """On splits of its own, of nobody who has had enough; all evaluations are counted."""
    selector = MOELIGASelector(**{**SMALL, **options}).fit(*data())
    races = [call for call in calls if call[0][0] in (Purpose.RACE, Purpose.RACE_AFTER)]
    addresses = [address for address, *_ in races]
    assert len(set(addresses)) == len(addresses) > 5
    for before, after in zip(addresses, addresses[1:], strict=False):
        assert after[1] in (0, before[1] + 1)  # turns are numbered
    assert sum(len(bits) for address, bits, *_ in calls if address[0] != Purpose.RESCORE) == selector.n_evaluations_
    again = [set(scores.ravel().tolist()) for *_, scores in races]
    assert sum(one != two for one, two in zip(again, again[1:], strict=False)) > len(again) / 2
    counts = {}
    for address, bits, *_ in races:
        for row in bits:
            counts[address[0], address[2], row.tobytes()] = counts.get((address[0], address[2], row.tobytes()), 0) + 1
    assert max(counts.values()) <= 4


def test_luck_does_not_enter():
    """Where there is nothing to find, the best score that a front shows is nearer to chance."""
    rng, best = np.random.default_rng(0), {0: [], 8: []}
    for seed in range(6):
        X, y = rng.normal(size=(60, 30)), np.arange(60) % 2
        for n in best:
            setting = {**SMALL, "local_improvement": None, "n_confirmations": n, "n_splits": 2, "random_state": seed}
            found = MOELIGASelector(**setting).fit(X, y)
            best[n].append(found.history_["best_score"][1:].mean())
    # chance is one half
    assert np.mean(best[8]) - 0.5 < 0.8 * (np.mean(best[0]) - 0.5)


@pytest.mark.parametrize("options", KINDS[:3], ids=str)
def test_the_limit_of_evaluations_holds_in_the_middle_of_a_race(tmp_path, options):
    """The generation is dropped, and a search that goes on ends as if there had been none."""
    X, y = data()
    setting = {**SMALL, **options, "n_generations": 3}
    whole = MOELIGASelector(**setting).fit(X, y)
    for generation, n_before in enumerate(whole.history_["n_evaluations"][:-1].tolist()):
        path = tmp_path / f"{generation}.npz"
        # enough to begin the next one, and for one more
        limit = n_before + (33 if options.get("survival") == "nsga2" else 17)
        part = MOELIGASelector(**setting, max_evaluations=limit, checkpoint=Checkpoint(path, every=100)).fit(X, y)
        assert part.stop_reason_ == "max_evaluations" and n_before + 15 < part.n_evaluations_ <= limit
        assert part.history_["n_evaluations"].tolist() == whole.history_["n_evaluations"][: generation + 1].tolist()
        on = MOELIGASelector(**setting, checkpoint=path).fit(X, y)
        assert_array_equal(on.pareto_front_.supports, whole.pareto_front_.supports)
        assert on.pareto_front_.objectives.tobytes() == whole.pareto_front_.objectives.tobytes()
        assert on.history_["n_evaluations"].tolist() == whole.history_["n_evaluations"].tolist()


def test_a_race_after_local_improvement_is_cut_short_with_it(tmp_path):
    """The generation stays as it was before, and is not the one from which a search goes on."""
    X, y = data()
    local = LocalImprovement(**{**LOCAL.get_params(), "every": 1, "replacement": "front"})
    setting = {**SMALL, "init": StaggeredInit(rates=(0.3, 0.5, 0.7)), "local_improvement": local}
    replaced = MOELIGASelector(**setting).fit(X, y).history_["n_replaced"]
    last = int(np.flatnonzero(replaced)[-1])
    whole = MOELIGASelector(**{**setting, "n_generations": last}).fit(X, y)
    for limit in range(whole.n_evaluations_ - 3, whole.n_evaluations_):
        setting |= {"n_generations": last, "checkpoint": tmp_path / f"{limit}.npz"}
        part = MOELIGASelector(**setting, max_evaluations=limit).fit(X, y)
        assert part.stop_reason_ == "max_evaluations" and part.n_evaluations_ <= limit
        assert part.history_["n_replaced"].tolist() == [*replaced[:last], 0]
        on = MOELIGASelector(**setting).fit(X, y)
        assert on.pareto_front_.objectives.tobytes() == whole.pareto_front_.objectives.tobytes()
        assert on.history_["n_replaced"].tolist() == replaced[: last + 1].tolist()


def test_the_estimate_of_time_counts_no_races():
    """Their number is not known before."""
    X, y = data()
    one, two = (MOELIGASelector(**{**SMALL, "n_confirmations": n}).estimate_time(X, y) for n in (0, 4))
    assert one.n_evaluations == two.n_evaluations
