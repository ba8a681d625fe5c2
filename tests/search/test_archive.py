"""The archive: what is not dominated, the best of every size, and what becomes of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive.dominance
from moeliga import Constraints, LocalImprovement
from moeliga._ext import bits
from moeliga.data.feature_space import build_space
from moeliga.search import archive as archive_module
from moeliga.search.archive import PER_SIZE, Archive
from paper_operators import PAPER
from single_search import single_search

SMALL = {**PAPER, "population_size": 14, "n_generations": 6, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 20,
         "n_jobs": 1, "local_improvement": LocalImprovement(2, 9, 3, 2)}


def data(rng, n_samples=40, n_features=24, n_classes=2):
    """Noise and, in every fourth feature, something of the class."""
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::4] += y[:, None] / 2
    return X, y


def archive_of(n_features, n_objectives, primary=0, every_size=False):
    """An empty archive of subsets of single features."""
    names = np.array([f"x{f}" for f in range(n_features)])
    return Archive(build_space(n_features, names, Constraints()), n_objectives, primary, every_size)


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
@pytest.mark.parametrize("n_features", [8, 64, 65])
def test_the_first_are_exactly_the_non_dominated(rng, n_features, n_objectives):
    """With fixed objectives: brute force over everything added, in whatever portions, with repetitions."""
    masks = np.unique(rng.random((60, n_features)) < 0.5, axis=0)
    values = rng.integers(0, 5, size=(len(masks), n_objectives)) / 4
    packed = bits.pack(masks.astype(np.uint8))
    archive, seen = archive_of(n_features, n_objectives), set()
    for _ in range(12):
        rows = rng.integers(len(masks), size=rng.integers(0, 12))
        archive.add(packed[rows], values[rows])
        seen |= set(rows.tolist())
        best = {i for i in seen if not any(naive.dominance.dominates(values[j], values[i]) for j in seen)}
        found = zip(archive.bits[archive.non_dominated], archive.objectives[archive.non_dominated], strict=True)
        assert {row.tobytes(): value.tolist() for row, value in found} == {
            packed[i].tobytes(): values[i].tolist() for i in best}
        assert len(archive) == len(archive.bits) == len(archive.objectives) == len(archive.sizes)


def test_the_latest_objectives_count():
    """A member that is seen again gets its new values, and is dominated or not by them."""
    one, two = bits.pack(np.array([[1, 0]], dtype=np.uint8)), bits.pack(np.array([[0, 1]], dtype=np.uint8))
    archive = archive_of(2, 2)
    archive.add(np.concatenate((one, two)), np.array([[0.5, 0.5], [0.6, 0.4]]))
    assert archive.non_dominated.tolist() == [True, True]
    archive.add(one, np.array([[0.7, 0.5]]))
    assert archive.objectives.tolist() == [[0.6, 0.4], [0.7, 0.5]] and archive.non_dominated.tolist() == [False, True]
    archive.add(two, np.array([[0.6, 0.9]]))
    archive.add(one, np.array([[0.5, 0.5]]))
    assert archive.objectives.tolist() == [[0.6, 0.9], [0.5, 0.5]] and archive.non_dominated.tolist() == [True, False]


def test_the_last_of_equal_chromosomes_counts():
    """Two copies in one portion are one member."""
    row = bits.pack(np.array([[1, 0]], dtype=np.uint8))
    archive = archive_of(2, 1)
    archive.add(np.concatenate((row, row)), np.array([[0.9], [0.2]]))
    assert archive.objectives.tolist() == [[0.2]]


@pytest.mark.parametrize("every_size", [False, True])
@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_it_holds_the_best_of_every_size_too(rng, n_objectives, every_size):
    """Brute force over all that was ever seen and not lost, by the latest values; and the same after `restore`. Sizes
    end at the largest of a non-dominated one, unless every size is asked for."""
    primary = n_objectives - 1
    masks = np.unique(rng.random((60, 9)) < 0.4, axis=0)
    masks = masks[masks.any(axis=1)]
    packed = bits.pack(masks.astype(np.uint8))
    archive, held, n_larger = archive_of(9, n_objectives, primary, every_size), {}, 0
    for _ in range(15):
        rows = rng.integers(len(masks), size=rng.integers(1, 12))
        values = rng.integers(5, size=(len(rows), n_objectives)) / 4
        archive.add(packed[rows], values)
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            held.pop(row, None)
            held[row] = value
        best = [row for row, rank in zip(held, naive.dominance.rank(list(held.values())), strict=True) if rank == 1]
        kept = set(best)
        largest = max(masks[row].sum() for row in best)
        for size in range(1, 10 if every_size else largest + 1):
            shelf = [row for row in held if masks[row].sum() == size]
            kept.update(sorted(shelf, key=lambda row: -held[row][primary])[:PER_SIZE])
        held = {row: value for row, value in held.items() if row in kept}
        n_larger += sum(masks[row].sum() > largest for row in held)
        again = archive_of(9, n_objectives, primary, every_size)
        again.restore(archive.state())
        for one in (archive, again):
            assert one.objectives.tolist() == list(held.values())
            assert one.sizes.tolist() == [masks[row].sum() for row in held]
            assert one.non_dominated.tolist() == [row in best for row in held]
            assert_array_equal(one.bits, packed[list(held)])
    assert (n_larger > 0) == every_size


def test_the_search_is_the_same_and_the_front_no_worse(rng, monkeypatch):
    """More subsets are scored again, on the same splits: what was found without is found or dominated."""
    n_better = 0
    for seed in range(5):
        X, y, found = *data(rng), []
        for n in (0, PER_SIZE):
            monkeypatch.setattr(archive_module, "PER_SIZE", n)
            found.append(single_search(**SMALL, random_state=seed).fit(X, y))
        one, two = found
        for name in one.history_.keys() - {"seconds", "archive_size"}:
            assert_array_equal(one.history_[name], two.history_[name])
        assert np.all(two.history_["archive_size"] >= one.history_["archive_size"])
        both = np.concatenate((two.pareto_front_.objectives, one.pareto_front_.objectives))
        rank = np.array(naive.dominance.rank(both.tolist()))
        assert np.all(rank[: len(two.pareto_front_)] == 1)
        n_better += np.any(rank > 1) or len(two.pareto_front_) > len(one.pareto_front_)
    assert n_better > 0


def test_sizes_are_those_of_whole_subsets(rng):
    """Groups and forced features count in full."""
    X, y = data(rng)
    states = []
    single_search(**SMALL, constraints__groups=[[0, 1, 2], [5, 6]], constraints__must_include=[9],
                  random_state=0, callbacks=states.append).fit(X, y)
    archive, space = states[-1].search.archive, states[-1].search.space
    sizes = space.masks(space.chromosomes(archive.bits)).sum(axis=1)
    best = np.array(naive.dominance.rank(archive.objectives.tolist())) == 1
    assert_array_equal(archive.sizes, sizes)
    assert sizes.max() == sizes[best].max() and not best.all()
    for size in set(sizes.tolist()):
        of_size = np.flatnonzero(sizes == size)
        others = of_size[np.argsort(-archive.objectives[of_size, 0], kind="stable")][PER_SIZE:]
        assert best[others].all()
