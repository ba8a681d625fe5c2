"""What islands that keep to bands of sizes find for each other: the archive, and migrations from it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from small_selectors import every_fifth as data
from three_bands import GROUPS, few, masks_of, small, watched
from three_islands import Watch

import naive.dominance
from case_names import named
from moeliga import LocalImprovement
from moeliga._ext import bits as bits_room
from moeliga.base.random_streams import island_seed
from moeliga.data.subsets import row_keys
from moeliga.search import build as preparation
from moeliga.search import islands, local_improvement
from moeliga.search.build import prepare
from moeliga.search.islands import Islands, migrate_from_archive
from moeliga.search.local_improvement import explore

pytestmark = pytest.mark.usefixtures("small_forests")


def test_subordinate_populations_find_smaller_subsets_for_the_band_below(monkeypatch):
    """They are archived at once; with the next migration the best of them join the band that they are in."""
    found, arrived = set(), set()
    original, migrate = local_improvement.explore, islands.migrate_from_archive

    def explored(search, positions, number):
        population = original(search, positions, number)
        keys = row_keys(population.chromosomes.lifted(search.space.n_groups))
        sizes = search.space.sizes(population.chromosomes)
        smaller = {key for key, size in zip(keys, sizes, strict=True) if size < search.space.least}
        found.update(smaller)
        assert search.space.sizes(population.chromosomes).max() <= search.space.most
        return population

    def migrated(search, population):
        after = migrate(search, population)
        arrived.update(set(row_keys(after.bits)) - set(row_keys(population.bits)))
        return after

    monkeypatch.setattr(local_improvement, "explore", explored)
    monkeypatch.setattr(islands, "migrate_from_archive", migrated)
    selector, watch = watched(n_generations=12)
    archived = set(row_keys(watch.states[-1].search.archive.bits))
    assert found & archived and found & arrived
    sizes = [selector.pareto_front_.n_selected.min(), selector.pareto_front_.n_selected.max()]
    assert sizes[0] <= 3 and len(found) > 20


@pytest.mark.parametrize("survival", ["moga", "nsga2"])
def test_subordinate_populations_are_those_of_a_search_over_all_sizes(survival):
    """Whatever the band of their template, they search all of its subsets, smaller ones too, in every generation."""
    X, y = data()
    banded = prepare(small(survival=survival), X, y, {})[1].search
    free = prepare(small(survival=survival, islands__sizes=None), X, y, {})[1].search
    free = replace(free, objectives=replace(free.objectives, seed=island_seed(free.seed, 2)))
    own, wanted = (explore(search, np.arange(0, 22, 2, dtype=np.int32), 5)
                   for search in (Islands(banded).searches[2], free))
    assert_array_equal(own.bits, wanted.bits)
    assert_array_equal(own.objectives, wanted.objectives)
    assert own.chromosomes.counts().min() < 7


@pytest.mark.parametrize("replacement", ["parent", "complete", "selection"])
def test_a_subordinate_population_may_leave_the_band_altogether(replacement):
    """Then it replaces nobody: where small subsets are better at everything, none of a large band is left in it."""
    local = LocalImprovement(2, 9, 6, 1, replacement)
    selector = small(objectives=(few,), islands__sizes=(20, 30), local_improvement=local, survival="moga",
                     survival__n_elite=1, survival__generation_gap=1).fit(*data())
    assert selector.stop_reason_ == "n_generations"


@pytest.mark.quick(3)
@pytest.mark.parametrize("options", [
    {}, {"survival": "nsga2"}, {"population_size": 30, "evaluation__reevaluate": "average"}, {"islands__n": 2},
    {"population_size": 8}, {"constraints__groups": GROUPS, "islands__sizes": (6, 12, 21)},
    {"constraints__must_include": [7]}], ids=str)
def test_the_best_of_the_archive_replace_the_worst_of_their_band(options):
    """As many as a tenth of a population, of those that are in the band and not there yet, by rank, f'' and R1 among
    each other; they bring their objectives; all others stay as they are, in their order."""
    _, watch = watched(n_generations=4, **options)
    state, n_new = watch.states[-1], 0
    archive = state.search.archive
    for search, old in zip(Islands(state.search).searches, watch.islands[-1], strict=True):
        new, sizes = migrate_from_archive(search, old), masks_of(search, archive.bits).sum(axis=1)
        own, keys = set(row_keys(old.bits)), row_keys(archive.bits)
        latest = dict(zip(keys, archive.objectives.tolist(), strict=True))
        low, high = search.space.least + search.space.n_forced, search.space.most + search.space.n_forced
        able = [i for i, key in enumerate(keys) if key not in own and low <= sizes[i] <= high]
        if not able:
            assert new is old
            continue
        rated = search.rate(islands.Population(search.space.chromosomes(archive.bits[able]), archive.objectives[able],
                                               np.ones(len(able), dtype=np.int64)))
        r1 = 1 - np.sqrt((1 - archive.objectives[able, search.objectives.primary]) ** 2 + (sizes[able] / 30) ** 2)
        best = sorted(range(len(able)), key=lambda i: (rated.rank[i], -rated.fitness[i], -r1[i]))
        came = [keys[able[i]] for i in best[: max(1, len(old) // 10)]]
        worst_last = sorted(range(len(old)), key=lambda i: (old.rank[i], -old.fitness[i]))
        stayed = sorted(worst_last[: len(old) - len(came)])
        assert row_keys(new.bits) == [row_keys(old.bits)[i] for i in stayed] + came
        assert new.objectives.tolist() == old.objectives[stayed].tolist() + [latest[key] for key in came]
        assert new.n_scored.tolist() == old.n_scored[stayed].tolist() + [1] * len(came)
        assert new.rank.tolist() == search.rate(new.take(np.arange(len(new)))).rank.tolist()
        n_new += len(came)
    assert n_new > 0


def test_nobody_comes_from_an_archive_without_others_of_the_band():
    """A population of all that it holds stays the very same."""
    ready = prepare(small(), *data(), {})[1]
    sea = Islands(ready.search)
    populations = sea.start(ready.bits)
    for place, (search, population) in enumerate(zip(sea.searches, populations, strict=True)):
        search.archive.replace_all(*(np.concatenate([getattr(part, name) for part in populations[:place + 1]])
                              for name in ("bits", "objectives")))
        assert migrate_from_archive(search, population) is population


@pytest.mark.parametrize(("interval", "archive"), [(1, True), (2, True), (3, True), (8, True), (2, False)])
def test_they_meet_after_so_many_generations(monkeypatch, interval, archive):
    """Before the next one, each of them, and not after the last; without an archive nobody comes."""
    calls, watch = [], Watch()

    def counted(search, population):
        calls.append(watch.states[-1].generation)
        return migrate_from_archive(search, population)

    monkeypatch.setattr(islands, "migrate_from_archive", counted)
    small(islands__every=interval, archive=archive, callbacks=watch).fit(*data())
    assert calls == [g for g in range(1, 7) if g % interval == 0 for _ in range(3)] * archive


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{}, {"survival": "nsga2", "islands__n": 2}, {"objectives": (few, "cardinality")}],
                         ids=named)
def test_the_archive_holds_the_best_of_every_size_of_every_band(monkeypatch, options):
    """Brute force over all that the search has shown it: not dominated by the latest values, or of the two best of its
    size; fixed values, so that nothing is lost before."""
    seen, add = {}, preparation.Archive.add

    def noted(archive, bits, values):
        for key, row in zip(row_keys(bits), values.tolist(), strict=True):
            seen[key] = row
        add(archive, bits, values)

    def score(mask, X, y):
        return float(np.cos(mask @ np.arange(1, 31) ** 1.7) / 2 + 0.5)

    monkeypatch.setattr(preparation.Archive, "add", noted)
    _, watch = watched(**{"objectives": (score, "cardinality"), **options})
    search = watch.states[-1].search
    archive, keys = search.archive, list(seen)
    rows = np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(len(keys), -1)
    sizes, values = bits_room.count(rows), np.array(list(seen.values()))
    first = np.array(naive.dominance.rank(values.tolist())) == 1
    held = dict(zip(row_keys(archive.bits), archive.objectives.tolist(), strict=True))
    assert held.items() <= seen.items()
    assert {key for key, best in zip(keys, first, strict=True) if best} == {
        key for key, best in zip(held, archive.non_dominated, strict=True) if best}
    for size in range(1, 13):
        best = sorted(values[sizes == size, search.objectives.primary], reverse=True)
        kept = sorted((row[search.objectives.primary] for key, row in held.items()
                       if sizes[keys.index(key)] == size), reverse=True)
        assert kept[:2] == best[:2]
    assert archive.sizes.max() == 12
