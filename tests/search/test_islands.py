"""Islands: what migrates, and what each has for itself."""

import itertools
import os

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.naive_bayes import GaussianNB
from three_islands import Watch, data, small

import naive.dominance
from moeliga import Checkpoint, LocalImprovement, StaggeredInit
from moeliga.base.random_streams import island_seed, seed_words
from moeliga.search import build as preparation
from moeliga.search import islands
from moeliga.search.build import prepare
from moeliga.search.islands import migrate_along_ring
from moeliga.search.population import rank_together, split_equally
from thread_backend import ThreadBackend


def first(mask, X, y):
    """An objective."""
    return float(mask[0])


# one and several


@pytest.mark.parametrize("options", [{}, {"survival": "nsga2", "evaluation__reevaluate": "average"}], ids=str)
def test_one_island_is_no_island(options):
    """Whatever the interval: nobody has anywhere to go."""
    first, second = (small(islands__n=1, islands__every=interval, **options).fit(*data()) for interval in (1, 3))
    assert_same(first, second)


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", [
    {}, {"archive": False, "evaluation__n_rescore_splits": 0},
    {"evaluation__reevaluate": "none", "survival__n_elite": 5},
    {"local_improvement": LocalImprovement(2, 9, 3, 1)}], ids=str)
def test_islands_that_never_meet_are_searches_of_their_own(monkeypatch, options):
    """With an interval of as many generations as there are, each goes the way of a search with its seed, generation by
    generation; the front is that of all together."""
    together = Watch()
    joined = small(**options, islands__every=8, callbacks=together).fit(*data())
    last, n_evaluations, replaced = [], np.zeros(9, dtype=int), np.zeros(9, dtype=int)
    for number in range(3):
        own = Watch()
        monkeypatch.setattr(preparation, "seed_words", lambda state, n=number: island_seed(seed_words(state), n))
        alone = small(**options, islands__n=1, callbacks=own).fit(*data())
        for generation in range(9):
            assert own.known(generation, 0) == together.known(generation, number)
        last += zip(own.states[-1].supports.tolist(), own.states[-1].objectives.tolist(), strict=True)
        n_evaluations += alone.history_["n_evaluations"]
        replaced += alone.history_["n_replaced"]
    assert_array_equal(joined.history_["n_evaluations"], n_evaluations)
    assert_array_equal(joined.history_["n_replaced"], replaced)
    rank = naive.dominance.rank([values for _, values in last])
    assert joined.history_["front_size"][8] == rank.count(1)
    if not joined.archive:
        first = {tuple(mask) for (mask, _), r in zip(last, rank, strict=True) if r == 1}
        assert {tuple(mask) for mask in joined.pareto_front_.supports.tolist()} == first


def test_each_island_has_random_numbers_of_its_own():
    """No two begin alike, and the seed of the first is that of the search."""
    X, y = data()
    ready = prepare(small(islands__n=4), X, y, {})[1]
    alone = prepare(small(islands__n=1), X, y, {})[1]
    parts = np.split(ready.bits, 4)
    assert_array_equal(parts[0], alone.bits)
    assert len({part.tobytes() for part in parts}) == 4
    seeds = {tuple(search.seed.tolist()) for search in islands.Islands(ready.search).searches}
    assert len(seeds) == 4 and tuple(alone.search.seed.tolist()) in seeds


@pytest.mark.parametrize("interval", [1, 2, 3, 8])
def test_they_meet_after_so_many_generations(monkeypatch, interval):
    """Before the next one, and not after the last."""
    calls, watch = [], Watch()

    def counted(search, populations):
        calls.append(watch.states[-1].generation)
        return migrate_along_ring(search, populations)

    monkeypatch.setattr(islands, "migrate_along_ring", counted)
    small(islands__every=interval, callbacks=watch).fit(*data())
    assert calls == [generation for generation in range(1, 8) if generation % interval == 0]


def test_history_is_that_of_all_together():
    """Columns of each generation, counted anew from the islands."""
    watch = Watch()
    history = small(callbacks=watch).fit(*data()).history_
    for generation, state in enumerate(watch.states):
        masks, values = state.supports, state.objectives
        assert len(masks) == len(values) == 60
        assert_array_equal(values, np.concatenate([part.objectives for part in watch.islands[generation]]))
        assert history["best_score"][generation] == values[:, 0].max()
        assert history["max_size"][generation] == masks.sum(axis=1).max()
        assert history["median_size"][generation] == np.median(masks.sum(axis=1))
        assert history["front_size"][generation] == naive.dominance.rank(values.tolist()).count(1)


def test_given_subsets_are_on_the_first_island():
    """The others begin without them; they count as long as any island holds them."""
    watch = Watch()
    given = [[5, 10], [1, 2, 3]]
    selector = small(init__subsets=given, callbacks=watch, n_generations=4).fit(*data())
    masks = [np.isin(np.arange(30), subset) for subset in given]
    there = [[any((row == mask).all() for row in state.supports) for mask in masks] for state in watch.states]
    begin = watch.states[0].supports
    assert begin[:2].tolist() == [mask.tolist() for mask in masks]
    assert not any((row == mask).all() for row in begin[20:] for mask in masks)
    assert selector.history_["n_initial"].tolist() == [sum(row) for row in there]


# migration


def prepared(**parameters):
    """The search of a selector, and its islands after a few generations."""
    watch = Watch()
    small(callbacks=watch, n_generations=4, **parameters).fit(*data())
    return watch.states[-1].search, watch.islands[-1]


@pytest.mark.parametrize("options", [
    {}, {"islands__n": 2}, {"survival": "nsga2"}, {"evaluation__reevaluate": "average", "population_size": 40},
    {"population_size": 10}, {"local_improvement": None, "population_size": 7}], ids=str)
def test_the_best_of_a_front_replace_the_worst_of_the_next_island(options):
    """As many as a tenth of a population, that are not there yet; all others stay as they are."""
    search, before = prepared(**options)
    after = migrate_along_ring(search, before)
    most, n_new = max(1, len(before[0]) // 10), 0
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        source = before[place - 1]
        rows = {row.tobytes(): i for i, row in enumerate(source.bits)}
        own = {row.tobytes(): i for i, row in enumerate(old.bits)}
        assert len(new) == len(old) == len({row.tobytes() for row in new.bits})
        came = [row.tobytes() for row in new.bits if row.tobytes() not in own]
        able = [row for row, i in rows.items() if source.rank[i] == 1 and row not in own]
        assert len(came) == min(most, len(able))
        n_new += len(came)
        for row, values, n in zip(new.bits, new.objectives, new.n_scored, strict=True):
            part = source if row.tobytes() in came else old
            i = (rows if row.tobytes() in came else own)[row.tobytes()]
            assert values.tolist() == part.objectives[i].tolist() and n == part.n_scored[i]
        left = set(own) - {row.tobytes() for row in new.bits}
        worst = [(old.rank[own[row]], -old.fitness[own[row]]) for row in left]
        stayed = [(old.rank[i], -old.fitness[i]) for row, i in own.items() if row not in left]
        assert not left or min(worst) >= max(stayed)
        assert new.rank.tolist() == search.rate(new.take(np.arange(len(new)))).rank.tolist()
    assert n_new > 0


def test_who_is_there_already_does_not_come():
    """Islands that are the same stay as they are."""
    search, before = prepared()
    for new in migrate_along_ring(search, [before[0]] * 3):
        assert new.bits.tolist() == before[0].bits.tolist()
        assert new.fitness.tolist() == before[0].fitness.tolist()


def test_all_set_out_before_the_first_arrives():
    """Nobody is passed on to the island after the next, not even by two islands that change places."""
    search, before = prepared()
    after = migrate_along_ring(search, before)
    turned = migrate_along_ring(search, before[1:] + before[:1])
    assert [part.bits.tolist() for part in turned] == [part.bits.tolist() for part in after[1:] + after[:1]]


def test_migrants_are_the_fittest_of_a_front():
    """By fitness, then by R1, as templates are chosen."""
    search, before = prepared(population_size=30)
    new = migrate_along_ring(search, before)[1]
    own = {row.tobytes() for row in before[1].bits}
    source = before[0]
    sizes = search.space.sizes(source.chromosomes)
    score = source.objectives[:, search.objectives.primary]
    r1 = 1 - np.sqrt((1 - score) ** 2 + (sizes / 30) ** 2)
    first = [i for i in np.flatnonzero(source.rank == 1) if source.bits[i].tobytes() not in own]
    first.sort(key=lambda i: (-source.fitness[i], -r1[i]))
    assert [row.tobytes() for row in new.bits if row.tobytes() not in own] == [
        source.bits[i].tobytes() for i in first[:3]]


def test_migration_makes_a_difference():
    """What comes has children; it does not stay where it is put by chance alone."""
    found = [small(islands__every=interval).fit(*data()).history_ for interval in (1, 3, 8)]
    for one, other in itertools.combinations(found, 2):
        assert one["hypervolume"].tolist() != other["hypervolume"].tolist()
    assert found[1]["best_score"][:4].tolist() == found[2]["best_score"][:4].tolist()


@pytest.mark.parametrize("structure", [
    {"constraints__groups": [f // 3 for f in range(30)], "constraints__must_include": [0], "constraints__exclude": [4],
     "constraints__min_features": 6,
     "max_features": 12},
    {"constraints__min_features": 3, "max_features": 5},
    {"constraints__must_include": [2, 7], "feature_prior": "f_classif"}], ids=str)
def test_constraints_hold_on_every_island(structure):
    """In every generation; migrants bring nothing else."""
    watch = Watch()
    small(islands__every=1, callbacks=watch, **structure).fit(*data())
    masks = np.concatenate([state.supports for state in watch.states])
    sizes = masks.sum(axis=1)
    assert sizes.min() >= structure.get("constraints__min_features", 1)
    assert sizes.max() <= structure.get("max_features", 30)
    assert masks[:, structure.get("constraints__must_include", [])].all()
    assert not masks[:, structure.get("constraints__exclude", [])].any()
    if "constraints__groups" in structure:
        groups = masks[:, [f for f in range(30) if f not in (3, 4, 5)]].reshape(len(masks), 9, 3)
        assert np.array_equal(groups.any(axis=2), groups.all(axis=2))


def test_parts_of_what_was_gathered_are_what_they_were(rng):
    """All islands as one population, and back."""
    search, before = prepared()
    whole = rank_together(before)
    assert whole.rank.tolist() == naive.dominance.rank(whole.objectives.tolist())
    assert whole.fitness.tolist() == [value for part in before for value in part.fitness.tolist()]
    for part, old in zip(split_equally(whole, 3), before, strict=True):
        search.rate(part)
        for name in ("bits", "objectives", "n_scored", "rank", "fitness"):
            assert_array_equal(getattr(part, name), getattr(old, name))


# limits


@pytest.mark.quick(2)
@pytest.mark.parametrize("most", range(60, 700, 41))
def test_max_evaluations_is_that_of_all_together(tmp_path, most):
    """Never exceeded, in whatever it falls; a search that goes on ends as if there had been no limit."""
    path = tmp_path / "search.npz"
    cut = small(max_evaluations=most, checkpoint=Checkpoint(path, every=100)).fit(*data())
    assert cut.n_evaluations_ <= most and cut.stop_reason_ == "max_evaluations"
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


def test_patience_and_callbacks_stop_all_islands():
    """After a generation of all of them."""
    selector = small(callbacks=lambda state: state.generation == 5).fit(*data())
    assert (selector.stop_reason_, selector.history_["generation"][-1]) == ("callback", 5)
    volumes = small(n_generations=40, patience=2).fit(*data()).history_["hypervolume"]
    assert len(volumes) < 41 and max(volumes[-2:]) <= max(volumes[:-2])


@pytest.mark.skipif(os.name == "nt", reason="no such signals here")
def test_an_interrupt_drops_the_generation_of_all_islands(tmp_path, ctrl_c_in):
    """One that comes while the second of them is under way leaves no trace of the first."""
    path = tmp_path / "search.npz"
    with ctrl_c_in(5):
        cut = small(checkpoint=path).fit(*data())
    assert (cut.stop_reason_, cut.history_["generation"][-1]) == ("interrupt", 4)
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


def test_estimates_count_every_island():
    """Planned evaluations, and the time left."""
    X, y = data()
    setting = {"objectives": (first,), "survival": "moga", "local_improvement": None, "n_generations": 5}
    one, three = (small(**setting, islands__n=n).estimate_time(X, y).n_evaluations for n in (1, 3))
    assert (one, three) == (120, 360)
    assert small(**setting).fit(X, y).n_evaluations_ == 360
    watch = []
    small(**setting, callbacks=lambda state: watch.append((state.seconds_left, state.evaluations_per_second))).fit(X, y)
    assert [round(seconds * rate) for seconds, rate in watch] == [300, 240, 180, 120, 60, 0]
    # four times two subordinate populations of nine, evaluated four times
    assert small(survival="moga").estimate_time(X, y).n_evaluations == 3 * (20 * 9 + 4 * 2 * 9 * 4)


@pytest.mark.slow
def test_memory_is_estimated_for_all_islands(monkeypatch):
    """Of wide chromosomes: four times as much where they are held; what comes back from workers is on top."""
    jobs = []
    monkeypatch.setattr(preparation, "require", lambda what, parts: jobs.append(parts))
    X, y = np.zeros((20, 50_000), dtype=np.float32), np.arange(20) % 2
    X[:, 0] = y
    setting = {"population_size": 900, "objectives": ("uar", "cardinality"), "local_improvement": None,
               "init": StaggeredInit(fractions=(1.0,), rates=(0.001,)), "evaluation__n_splits": 1,
               "evaluation__n_rescore_splits": 1}
    with joblib.parallel_config(ThreadBackend()):
        for n_islands, n_jobs in ((1, 1), (4, 1), (4, None)):
            prepare(small(**setting, islands__n=n_islands, n_jobs=n_jobs), X, y, {})[1]
    held = [next(part.n_bytes for part in parts if " of 900" in part.name)
            for parts in jobs[1::2]]  # each after the copy of X
    chromosomes = 900 * 50_000 // 8
    assert held[1] - held[0] > 4 * 4 * chromosomes
    assert held[2] - held[1] > 3 * 4 * chromosomes  # the generations up to a migration


def test_numbers_of_numpy_and_limits():
    """Islands count for the least number of evaluations, whatever kind of integer their number is."""
    X, y = data()
    with pytest.raises(ValueError, match=r"max_evaluations must be >= population_size=20 \* 3 islands .*, got 59"):
        small(max_evaluations=59).fit(X, y)
    assert small(max_evaluations=60).fit(X, y).n_evaluations_ == 60
    numbers = {"islands__n": np.int8(3), "population_size": np.int8(60), "islands__every": np.int8(3)}
    short = {"local_improvement": None, "n_generations": 4}
    assert_same(small(**short, **numbers).fit(X, y),
                small(**short, **{name: int(number) for name, number in numbers.items()}).fit(X, y))


def test_another_classifier_has_islands_too():
    """Here, one after the other, and its subsets by joblib as ever."""
    setting = {"estimator": GaussianNB(), "population_size": 8, "n_generations": 2, "evaluation__n_rescore_splits": 0,
               "survival": "moga", "local_improvement": None, "islands__every": 1, "evaluation__n_splits": 1}
    selector = small(**setting).fit(*data())
    assert selector.n_evaluations_ == 72
    with joblib.parallel_config(ThreadBackend()):
        assert_same(small(**setting).fit(*data()), selector)
