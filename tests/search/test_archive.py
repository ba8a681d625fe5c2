"""The archive that keeps the best subsets of every size, and what becomes of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive.niche
from moeliga import LocalImprovement, MOELIGASelector
from moeliga._ext import bits
from moeliga.search.archive import SizedArchive
from operators import PAPER

SMALL = {**PAPER, "population_size": 14, "n_generations": 6, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 20,
         "n_jobs": 1, "local_improvement": LocalImprovement(2, 9, 3, 2)}


def data(rng, n_samples=40, n_features=24, n_classes=2):
    """Noise and, in every fourth feature, something of the class."""
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::4] += y[:, None] / 2
    return X, y


@pytest.mark.parametrize("per_size", [1, 2, 5])
@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_it_holds_the_non_dominated_and_the_best_of_every_size(rng, n_objectives, per_size):
    """Brute force over all that was ever seen and not lost, by the latest values."""
    primary = n_objectives - 1
    masks = np.unique(rng.random((60, 9)) < 0.4, axis=0)
    masks = masks[masks.any(axis=1)]
    packed = bits.pack(masks.astype(np.uint8))
    archive, held = SizedArchive(9, n_objectives, per_size, primary, bits.count), {}
    for _ in range(15):
        rows = rng.integers(len(masks), size=rng.integers(1, 12))
        values = rng.integers(5, size=(len(rows), n_objectives)) / 4
        archive.add(packed[rows], values)
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            held.pop(row, None)
            held[row] = value
        best = [row for row, rank in zip(held, naive.niche.rank(list(held.values())), strict=True) if rank == 1]
        kept = set(best)
        for size in range(1, max(masks[row].sum() for row in best) + 1):
            shelf = [row for row in held if masks[row].sum() == size]
            kept.update(sorted(shelf, key=lambda row: -held[row][primary])[:per_size])
        held = {row: value for row, value in held.items() if row in kept}
        assert archive.keys == [packed[row].tobytes() for row in held]
        assert archive.objectives.tolist() == list(held.values())
        assert_array_equal(archive.bits, packed[list(held)])


def test_the_search_is_the_same_and_the_front_no_worse(rng):
    """More subsets are scored again, on the same splits: what was found without is found or dominated."""
    n_better = 0
    for seed in range(5):
        X, y = data(rng)
        one, two = (MOELIGASelector().set_params(**SMALL, n_per_size=n, random_state=seed).fit(X, y) for n in (0, 2))
        for name in one.history_.keys() - {"seconds", "archive_size"}:
            assert_array_equal(one.history_[name], two.history_[name])
        assert np.all(two.history_["archive_size"] >= one.history_["archive_size"])
        both = np.concatenate((two.pareto_front_.objectives, one.pareto_front_.objectives))
        rank = np.array(naive.niche.rank(both.tolist()))
        assert np.all(rank[: len(two.pareto_front_)] == 1)
        n_better += np.any(rank > 1) or len(two.pareto_front_) > len(one.pareto_front_)
    assert n_better > 0


def test_sizes_are_those_of_whole_subsets(rng):
    """Groups and forced features count in full."""
    X, y = data(rng)
    states = []
    MOELIGASelector().set_params(**SMALL, n_per_size=3, constraints__groups=[[0, 1, 2], [5, 6]],
                                 constraints__must_include=[9], random_state=0,
                    callbacks=states.append).fit(X, y)
    archive, space = states[-1].search.archive, states[-1].search.space
    sizes = space.masks(archive.bits, space.positions).sum(axis=1)
    best = np.array(naive.niche.rank(archive.objectives.tolist())) == 1
    assert sizes.max() == sizes[best].max() and not best.all()
    for size in set(sizes.tolist()):
        of_size = np.flatnonzero(sizes == size)
        others = of_size[np.argsort(-archive.objectives[of_size, 0], kind="stable")][3:]
        assert best[others].all()
