"""Islands that keep to bands of sizes: how they begin, what they find for each other, and that they stay in them."""

import itertools
import os
import re
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB
from small_selectors import every_fifth as data
from three_islands import Watch

import naive.dominance
from case_names import named
from moeliga import Checkpoint, DecisionTreeRegressor, LocalImprovement, LogUniformInit, StaggeredInit
from moeliga._ext import bits as bits_room
from moeliga.base.random_streams import island_seed
from moeliga.data.subsets import row_keys
from moeliga.search import build as preparation
from moeliga.search import islands, local_improvement, ranking
from moeliga.search.build import prepare
from moeliga.search.islands import Islands, from_archive
from moeliga.search.local_improvement import explore
from moeliga.search.ranking import seeds_of
from paper_operators import fitting
from single_search import single_search
from thread_backend import ThreadBackend

LOCAL = LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)
SMALL = {"population_size": 14, "n_generations": 7, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 3, "local_improvement": LOCAL, "random_state": 1,
         "islands__sizes": (3, 6, 12), "islands__every": 2, "n_jobs": 1}


@pytest.fixture(autouse=True)
def small_forests():
    """A ranking by ten trees takes milliseconds, and is as good a beginning here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "N_TREES", 10)
        yield


def few(mask, X, y):
    """An objective: the smaller, the better."""
    return float(1 - mask.mean())


def many(mask, X, y):
    """An objective: the larger, the better."""
    return float(mask.mean())


def small(estimator=None, **parameters):
    """A selector of three bands that takes milliseconds."""
    return single_search(estimator, **fitting({**SMALL, **parameters}))


def watched(estimator=None, X_y=None, **parameters):
    """(fitted selector, watch) of a small search."""
    watch = Watch()
    return small(estimator, callbacks=watch, **parameters).fit(*(X_y or data())), watch


def masks_of(search, bits):
    """Masks over all features of full chromosomes: ndarray of bool."""
    return search.space.masks(search.space.chromosomes(bits))


# in their bands


GROUPS = [f // 3 for f in range(30)]
STRUCTURES = [
    {}, {"islands__n": 2}, {"islands__every": 1, "survival": "nsga2"}, {"archive": False, "islands__n": 2},
    {"evaluation__reevaluate": "none", "survival__n_elite": 5}, {"init": "log_uniform"},
    {"init": StaggeredInit(rates=(0.03, 0.5, 1.0), spread=0.3)}, {"init": LogUniformInit(20, 1.0)},
    {"feature_prior": "f_classif"}, {"constraints__groups": GROUPS, "islands__sizes": (6, 12, 21)},
    {"constraints__groups": [f // 2 for f in range(20)] + [None] * 10, "init": "log_uniform"},
    {"constraints__must_include": [3, 4], "constraints__exclude": [0, 29], "max_features": 9},
    {"constraints__must_include": [3, 4], "constraints__groups": GROUPS, "islands__sizes": (6, 12, 21)},
    {"constraints__min_features": 5, "islands__sizes": (2, 6, 30)},
    {"evaluation__subsample": 0.5}, {"objectives": (many, "cardinality")}, {"objectives": (few, "uar")},
]


@pytest.mark.quick(2)
@pytest.mark.parametrize("replacement", ["parent", "complete", "selection"])
@pytest.mark.parametrize("structure", STRUCTURES, ids=named)
def test_every_population_stays_in_its_band(structure, replacement):
    """In every generation, before local improvement and after it, and when others have come from the archive."""
    seen, advance = [], islands.advance

    def noted(search, *arguments):
        population = advance(search, *arguments)
        seen.append((search.space, population.bits))
        return population

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(islands, "advance", noted)
        local = LocalImprovement(2, 9, 3, 1, replacement)
        selector, watch = watched(local_improvement=local, **structure)
    search, edges = watch.states[-1].search, structure.get("islands__sizes", SMALL["islands__sizes"])
    assert len(watch.islands) == 8 and len(seen) == 7 * len(search.bands)
    seen += [(space, part.bits) for parts in watch.islands for space, part in zip(search.bands, parts, strict=True)]
    for space, chromosomes in seen:
        masks = masks_of(search, chromosomes)
        sizes = masks.sum(axis=1)
        assert len({sum(size > edge for edge in edges) for size in sizes.tolist()}) == 1
        assert space.least + space.n_forced <= sizes.min() and sizes.max() <= space.most + space.n_forced
        assert masks[:, structure.get("constraints__must_include", [])].all()
        assert not masks[:, structure.get("constraints__exclude", [])].any()
    assert selector.stop_reason_ == "n_generations"


def test_bands_of_a_search_are_those_of_its_sizes():
    """One population for each, from small to large, or so many rounds of them; without sizes the whole space."""
    X, y = data()
    for n in (1, 2):
        search = prepare(small(islands__n=n), X, y, {})[1].search
        assert [(band.least, band.most) for band in search.bands] == n * [(1, 3), (4, 6), (7, 12)]
        assert search.banded and search.archive.every_size and search.n_islands == 3 * n
    automatic = prepare(single_search(islands="sizes"), X, y, {})[1].search
    assert [(band.least, band.most) for band in automatic.bands] == [(1, 6), (7, 15)]
    for free in (None, small(islands__sizes=None).islands):
        search = prepare(small().set_params(islands=free), X, y, {})[1].search
        assert search.bands == [search.whole] and not search.banded and not search.archive.every_size


# how they begin


def test_sizes_may_be_an_array():
    """As may be any sequence of numbers."""
    found = [small(islands__sizes=sizes, init="log_uniform").fit(*data()).pareto_front_.supports
             for sizes in ((2, 4, 9), np.array([2, 4, 9]), np.array([2, 4, 9], dtype=np.int8))]
    for supports in found[1:]:
        assert_array_equal(supports, found[0])


def test_the_largest_size_may_be_a_small_integer_of_numpy():
    """Whose products with numbers of features would not fit."""
    X, y = np.tile(data()[0], 9), data()[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        one, two = (single_search(islands="sizes", max_features=most, n_generations=1, random_state=0).fit(X, y)
                    for most in (100, np.int8(100)))
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)


@pytest.mark.parametrize("structure", [{}, {"constraints__groups": GROUPS, "islands__sizes": (6, 12, 21)},
                                       {"islands__n": 2, "population_size": 8}], ids=str)
def test_a_band_begins_with_the_first_features_of_the_rankings(monkeypatch, structure):
    """Its own subsets stand first, then those; islands of the same band have others at random."""
    known = []
    monkeypatch.setattr(preparation, "seeds_of", lambda *given: known.append(seeds_of(*given)) or known[-1])
    ready = prepare(small(**structure), *data(), {})[1]
    parts = np.split(ready.bits, ready.search.n_islands)
    assert len(known) == len(parts) and sum(map(len, known)) > len(known)
    for part, first in zip(parts, known, strict=True):
        assert 1 <= len(first) <= 6
        assert_array_equal(part[: len(first)], first)
        assert len(set(row_keys(part))) == len(part)
    if "islands__n" in structure:
        for one, other, first in zip(parts, parts[3:], known, strict=False):
            assert set(row_keys(one)) & set(row_keys(other)) == set(row_keys(first))


def test_subsets_of_the_user_begin_in_their_band():
    """On the first island of that; they go before the rankings' and count while any island holds them."""
    given = [[5, 10], [1, 2, 3, 4, 6, 7, 8], [29], [0, 9, 11, 12]]
    selector, watch = watched(init__subsets=given, islands__n=2)
    masks = [np.isin(np.arange(30), subset) for subset in given]
    begun = [masks_of(watch.states[0].search, part.bits) for part in watch.islands[0]]
    assert begun[0][:2].tolist() == [masks[0].tolist(), masks[2].tolist()]
    assert begun[1][0].tolist() == masks[3].tolist() and begun[2][0].tolist() == masks[1].tolist()
    for part in begun[3:]:
        assert not any((row == mask).all() for row in part for mask in (masks[1], masks[2], masks[3]))
    there = [[any((row == mask).all() for row in state.supports) for mask in masks] for state in watch.states]
    assert selector.history_["n_initial"].tolist() == [sum(row) for row in there]
    assert selector.initial_survival_.tolist() == [max(g for g, row in enumerate(there) if row[place])
                                                   for place in range(4)]


@pytest.mark.parametrize(("given", "message"), [
    ([[0]] + [[f] for f in range(14)], "init.subsets must hold at most population_size=14 subsets of a band of "
                                       "islands.sizes, got 15"),
    ([[0], list(range(13))], "init.subsets[1] must be in a band of islands.sizes, got 13 features; max_features, or "
                             "islands.sizes, set the largest size")], ids=["many", "large"])
def test_subsets_without_a_place_are_an_error(given, message):
    """More than a population of their band has, or in no band; as many as there are places are no error."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        small(init__subsets=given).fit(*data())
    ready = prepare(small(init__subsets=[[f, f + 1, f + 2] for f in range(14)]), *data(), {})[1]
    assert_array_equal(ready.bits[:14], ready.given)


# what they find for each other


def test_subordinate_populations_find_smaller_subsets_for_the_band_below(monkeypatch):
    """They are archived at once; with the next migration the best of them join the band that they are in."""
    found, arrived = set(), set()
    original, migrate = local_improvement.explore, islands.from_archive

    def explored(search, positions, number):
        population = original(search, positions, number)
        keys = row_keys(population.chromosomes.lifted(search.n_groups))
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
    monkeypatch.setattr(islands, "from_archive", migrated)
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
        new, sizes = from_archive(search, old), masks_of(search, archive.bits).sum(axis=1)
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
        search.archive.hold(*(np.concatenate([getattr(part, name) for part in populations[:place + 1]])
                              for name in ("bits", "objectives")))
        assert from_archive(search, population) is population


@pytest.mark.parametrize(("interval", "archive"), [(1, True), (2, True), (3, True), (8, True), (2, False)])
def test_they_meet_after_so_many_generations(monkeypatch, interval, archive):
    """Before the next one, each of them, and not after the last; without an archive nobody comes."""
    calls, watch = [], Watch()

    def counted(search, population):
        calls.append(watch.states[-1].generation)
        return from_archive(search, population)

    monkeypatch.setattr(islands, "from_archive", counted)
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
        key for key, best in zip(held, archive.first, strict=True) if best}
    for size in range(1, 13):
        best = sorted(values[sizes == size, search.objectives.primary], reverse=True)
        kept = sorted((row[search.objectives.primary] for key, row in held.items()
                       if sizes[keys.index(key)] == size), reverse=True)
        assert kept[:2] == best[:2]
    assert archive.sizes.max() == 12


# other searches


@pytest.mark.parametrize("options", [{"evaluation__subsample": 0.4}, {"objectives": (few, "uar", "cardinality")},
                                     {"islands__n": 2, "archive": False, "evaluation__n_rescore_splits": 0}], ids=named)
def test_the_front_is_of_all_bands_together(options):
    """Of what the last populations and the archive hold, what is not dominated."""
    selector, watch = watched(**options)
    front = selector.pareto_front_
    assert set(naive.dominance.rank(front.objectives.tolist())) == {1}
    state = watch.states[-1]
    held = {row.tobytes() for row in state.supports}
    if state.search.archive is not None:
        held |= {row.tobytes() for row in masks_of(state.search, state.search.archive.bits)}
    assert {row.tobytes() for row in front.supports} <= held
    sizes = [state.search.space.sizes(part.chromosomes) for part in watch.islands[-1]]
    history = selector.history_
    assert history["min_size"][-1] == min(map(min, sizes)) and history["max_size"][-1] == max(map(max, sizes))
    assert history["median_size"][-1] == np.median(np.concatenate(sizes))


def test_regressions_and_other_estimators_have_bands():
    """Of the compiled tree for regression, which ranks by its own F-test, and of any classifier of scikit-learn."""
    X, y = data()
    selector, watch = watched(DecisionTreeRegressor(max_depth=4), (X, X[:, 3] + X[:, 7] ** 2), n_generations=3)
    best = [np.flatnonzero(masks_of(watch.states[0].search, part.bits)[0]).tolist() for part in watch.islands[0]]
    assert best[0] in ([3], [7]) and all({3, 7} & set(subset) for subset in best)
    assert selector.history_["max_size"][-1] > 6
    other = {"n_generations": 2, "population_size": 8, "local_improvement": None, "evaluation__n_splits": 1,
             "evaluation__n_rescore_splits": 0, "survival": "nsga2", "evaluation__reevaluate": "none"}
    selector, watch = watched(GaussianNB(), **other)
    assert selector.n_evaluations_ == 3 * 8 * 3 and len(watch.islands[-1]) == 3


@pytest.mark.parametrize(("form", "names"), [(np.asarray, ["forest"]), (csr_array, ["forest"])])
def test_missing_values_leave_fewer_rankings(monkeypatch, form, names):
    """The forest's alone."""
    known = []
    monkeypatch.setattr(preparation, "seeds_of", lambda *given: known.append(given[0]) or seeds_of(*given))
    X, y = data()
    X[::6, 5] = np.nan
    selector, watch = watched(X_y=(form(X), y), n_generations=2)
    assert [list(rankings) for rankings in known] == 3 * [names]
    assert len(watch.islands[-1]) == 3 and selector.stop_reason_ == "n_generations"


# limits


def test_limits_and_estimates_count_every_island():
    """The least number of evaluations, all of a generation, and those that are planned."""
    X, y = data()
    with pytest.raises(ValueError, match=r"^max_evaluations must be >= population_size=14 \* 6 islands .*, got 83$"):
        small(islands__n=2, max_evaluations=83).fit(X, y)
    assert small(islands__n=2, max_evaluations=84).fit(X, y).n_evaluations_ == 84
    setting = {"local_improvement": None, "survival": "moga", "evaluation__reevaluate": "all"}
    one, two = (small(**setting, islands__n=n).estimate_time(X, y).n_evaluations for n in (1, 2))
    assert (one, two) == (3 * 14 * 8, 6 * 14 * 8)
    assert small(**setting).fit(X, y).n_evaluations_ == one
    cut = small(**setting, max_evaluations=100).fit(X, y)
    assert (cut.n_evaluations_, cut.stop_reason_) == (84, "max_evaluations")


def test_patience_waits_for_the_front_of_all_bands():
    """The hypervolume of the history is that of all populations together."""
    volumes = small(n_generations=40, patience=2).fit(*data()).history_["hypervolume"]
    assert len(volumes) < 41 and max(volumes[-2:]) <= max(volumes[:-2])


@pytest.mark.quick(2)
@pytest.mark.parametrize("most", range(42, 600, 37))
def test_max_evaluations_is_that_of_all_together(tmp_path, most):
    """Never exceeded, in whatever it falls; a search that goes on ends as if there had been no limit."""
    path = tmp_path / "search.npz"
    cut = small(max_evaluations=most, checkpoint=Checkpoint(path, every=100)).fit(*data())
    assert cut.n_evaluations_ <= most and cut.stop_reason_ == "max_evaluations"
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


# the same bits


def fit(**parameters):
    """Search with workers in threads."""
    with joblib.parallel_config(ThreadBackend()):
        return small(n_jobs=None, **parameters).fit(*data())


KINDS = [
    {}, {"islands__n": 2, "survival": "nsga2", "evaluation__reevaluate": "average"}, {"archive": False},
    {"local_improvement": LocalImprovement(2, 9, 3, 1), "islands__every": 5},
    {"local_improvement": LocalImprovement(2, 9, 3, 2, "selection"), "survival__n_elite": 5},
    {"constraints__groups": GROUPS, "islands__sizes": (6, 12, 21), "init": "log_uniform"},
    {"constraints__must_include": [3], "max_features": 10, "feature_prior": "f_classif", "init__subsets": [[3, 5]]},
    {"patience": 2, "n_generations": 20},
]


@pytest.mark.quick(1, rest="distributed")
@pytest.mark.parametrize("parameters", KINDS, ids=str)
def test_bands_evolve_elsewhere_as_they_do_here(sent, monkeypatch, parameters):
    """By any number of threads, or of workers, to which they go for all generations up to the next migration."""
    here = small(**parameters).fit(*data())
    for n_jobs in (2, 3):
        assert_same(small(**{**parameters, "n_jobs": n_jobs}).fit(*data()), here)
    assert sent == []
    for n_workers in (2, 5):
        sent.clear()
        monkeypatch.setattr(ThreadBackend, "n_workers", n_workers)
        assert_same(fit(**parameters), here)
        interval, end = parameters.get("islands__every", 2), parameters.get("n_generations", 7)
        tasks = [range(begin, min(begin + interval, end + 1))
                 for begin in range(1, here.history_["generation"][-1] + 1, interval)]
        assert list(dict.fromkeys(map(tuple, sent))) == [tuple(task) for task in tasks]


@pytest.mark.quick(1)
@pytest.mark.parametrize("generation", range(8))
def test_a_search_goes_on_from_any_generation(sent, tmp_path, generation):
    """Crashed here or with workers, and begun again here or with workers: the bits of an uninterrupted one."""
    def crash(state):
        assert state.generation != generation

    whole = small().fit(*data())
    ways = (fit, lambda **parameters: small(**parameters).fit(*data()))
    for begin, go_on in itertools.product(ways, ways):
        path = tmp_path / "search.npz"
        with pytest.raises(AssertionError):
            begin(callbacks=crash, checkpoint=Checkpoint(path, every=1))
        assert_same(go_on(checkpoint=path), whole)
        path.unlink()


@pytest.mark.skipif(os.name == "nt", reason="no such signals here")
def test_an_interrupt_leaves_no_trace_of_a_migration(tmp_path, ctrl_c_in):
    """One that comes in the generation after a migration: it takes place again when the search goes on."""
    path = tmp_path / "search.npz"
    with ctrl_c_in(5):
        cut = small(checkpoint=path).fit(*data())
    assert (cut.stop_reason_, cut.history_["generation"][-1]) == ("interrupt", 4)
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


def test_a_population_out_of_its_band_is_no_checkpoint(tmp_path):
    """Two islands that have changed places: each subset is allowed, but not there. A file of other sizes is refused."""
    path = tmp_path / "search.npz"
    small(checkpoint=path).fit(*data())
    with np.load(path) as file:
        arrays = dict(file)
    for name in ("bits", "objectives", "n_scored"):
        entry = arrays[f"progress.population.{name}"]
        arrays[f"progress.population.{name}"] = np.concatenate((entry[14:28], entry[:14], entry[28:]))
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"island 0\.bits must select 1 to 3 features"):
        small(checkpoint=path).fit(*data())
    path.unlink()
    small(checkpoint=path).fit(*data())
    with pytest.raises(ValueError, match="islands"):
        small(checkpoint=path, islands__sizes=(3, 6, 11)).fit(*data())
    with pytest.raises(ValueError, match="islands"):
        small(checkpoint=path, islands__sizes=None).fit(*data())

