"""Islands that keep to bands of sizes: how they begin, and that they stay in them."""

import itertools
import os
import re
import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB
from small_selectors import every_fifth as data
from three_bands import GROUPS, SMALL, few, masks_of, small, watched

import naive.dominance
from case_names import named
from moeliga import Checkpoint, DecisionTreeRegressor, LocalImprovement, LogUniformInit, StaggeredInit
from moeliga.data.subsets import row_keys
from moeliga.search import build as preparation
from moeliga.search import islands
from moeliga.search.build import prepare
from moeliga.search.ranking import first_prefixes
from single_search import single_search
from thread_backend import ThreadBackend

pytestmark = pytest.mark.usefixtures("small_forests")


def many(mask, X, y):
    """An objective: the larger, the better."""
    return float(mask.mean())


# in their bands


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
    monkeypatch.setattr(preparation, "first_prefixes", lambda *given: known.append(first_prefixes(*given)) or known[-1])
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
    monkeypatch.setattr(preparation, "first_prefixes", lambda *given: known.append(given[0]) or first_prefixes(*given))
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


@pytest.mark.quick(1)
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

