"""How much memory things need, against what they are measured to take.

`MOELIGA_LIMITS=1` measures larger cases too, of up to 8 GB with X.
"""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.naive_bayes import GaussianNB

import measured_memory
from interpreters import environment
from measured_memory import (
    CASES,
    FEW_OF_MANY,
    LARGE,
    SCORED,
    in_a_fork,
    in_a_process,
    linux,
    normals,
    recorded,
    search,
)
from moeliga import Constraints, DecisionTreeClassifier, StaggeredInit
from moeliga.base import memory
from moeliga.data.feature_space import build_space
from moeliga.data.memory_estimate import fit_parts
from moeliga.data.problem import Problem
from moeliga.evaluation.judges import recognise
from moeliga.evaluation.subsample import n_drawn
from moeliga.search.build import given_bits
from moeliga.search.feature_prior import n_together
from moeliga.search.resolve import resolve
from single_search import single_search

MOST = 2
"""Bound of the estimate, as a multiple of what is measured."""

FLOOR = 60 << 20
"""A measured case takes at least this much, so that what Python takes anyway does not count."""


@pytest.fixture(scope="module")
def measuring():
    """A process that has imported everything, and measures each case in a fork."""
    with subprocess.Popen([sys.executable, measured_memory.__file__], env=environment(__file__), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process


@pytest.mark.soak
@linux
@pytest.mark.parametrize("name", [*CASES, *(LARGE if os.environ.get("MOELIGA_LIMITS") else [])])
def test_the_estimate_bounds_what_is_measured(measuring, name, tmp_path):
    """Neither so low that what is let through fails, nor more than twice as high.

    One of three measurements must say so: where the system takes pages of libraries away before a fit and gives them
    back during it, a measurement is too large by as much; where one worker does the work of two, it is too small.
    """
    for _ in range(3):
        if "workers" in name:  # they would share the memory of a fork
            done = in_a_process(name, folder=tmp_path)
            assert done.returncode == 0, done.stderr
            found = json.loads(done.stdout.splitlines()[-1])
        else:
            found = in_a_fork(measuring, name, tmp_path)
        print(name, found)
        if found["measured"] <= found["estimated"] <= MOST * found["measured"]:
            break
    assert found["measured"] >= FLOOR, found
    assert 1 <= found["estimated"] / found["measured"] <= MOST, found


def promised(X, **parameters):
    """The estimate for a fit to data of the type and shape of X, whatever the values."""
    plan, problem = resolve(single_search(**parameters)), Problem(X, np.arange(X.shape[0]) % 2, False)
    names, subsample = np.array([f"x{f}" for f in range(X.shape[1])]), plan.evaluation.subsample
    space = build_space(X.shape[1], names, Constraints())
    parts = fit_parts(plan, problem, space, plan.islands.n * [space], given_bits(plan, space, names),
                   n_seen=n_drawn(subsample, problem),
                   n_ranked=n_together(plan.feature_prior, X.shape[0], subsample is not None), n_trees=0, n_ahead=0,
                   is_coded=True, judges=[recognise(DecisionTreeClassifier(max_depth=100))], splits=None, answers=False)
    return sum(part.n_bytes for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize(("row", "shape", "sparse"), [
    ("5,000,000 x 50", (5_000_000, 50), False), ("1,000,000 x 500", (1_000_000, 500), False),
    ("200 x 1,000,000", (200, 1_000_000), False), ("the same, sparse, 1 %", (200, 1_000_000), True)])
def test_the_guide_promises_what_the_estimate_says(row, shape, sparse):
    """The table of docs/big-data.md: the estimate for data of a type and shape, whatever the values."""
    path = Path(__file__).resolve().parents[2] / "docs" / "big-data.md"
    if not path.exists():
        pytest.skip("the guide is not here")
    X = np.broadcast_to(np.float32(0), shape)
    if sparse:
        ends = np.linspace(0, 2_000_000, shape[0] + 1).astype(np.int32)
        X = scipy.sparse.csr_array((np.zeros(ends[-1], dtype=np.float32), np.zeros(ends[-1], dtype=np.int32), ends),
                                   shape=shape)
    cells = [memory.size(8 * X.nnz if sparse else 4 * shape[0] * shape[1])]
    init = {"init": FEW_OF_MANY["init"]} if shape[1] == 1_000_000 else {}
    for parameters in ({}, {"evaluation__subsample": 20_000},
                       {"evaluation__subsample": 20_000, "evaluation__n_rescore_splits": 0}):
        cells.append(memory.size(promised(X, **init, **parameters)))
    assert f"| {row} | {' | '.join(cells)} |" in path.read_text(encoding="utf-8"), cells


# what is in a file


@pytest.fixture(scope="module", params=["C", "F"])
def mapped(request, tmp_path_factory):
    """Data row by row or column by column, in a file that is mapped into memory; and the labels."""
    X, y = normals(40_000, 100)
    path = tmp_path_factory.mktemp("mapped") / "X.npy"
    np.save(path, np.asarray(X, order=request.param))
    return np.load(path, mmap_mode="r"), y


@pytest.mark.soak
@pytest.mark.parametrize("parameters", [
    {}, {"checkpoint": "search.npz"}, {"evaluation__subsample": 2000},
    {"evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0, "checkpoint": "search.npz"},
    {"estimator": GaussianNB(), "evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0}], ids=str)
def test_a_mapped_file_of_float32_is_never_copied_as_a_whole(monkeypatch, tmp_path, mapped, parameters):
    """Neither in float64 nor at all: what NumPy holds is what the estimate says, and the result that of an array."""
    monkeypatch.chdir(tmp_path)
    (X, y), estimates = mapped, recorded(monkeypatch.setattr)
    setting = {**SCORED, "init": StaggeredInit(fractions=(1.0,), rates=(0.02,)), "population_size": 6, **parameters}
    search(**{**setting, "checkpoint": None}).fit(X[:500], y[:500])
    tracemalloc.start()
    try:
        found = search(**setting).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= estimates[-1] + (6 << 20)  # a block of X where it is hashed, and what Python takes
    if setting.get("evaluation__n_rescore_splits") == 0:
        assert peak < X.nbytes // 2
    setting.pop("checkpoint", None)
    assert found.pareto_front_.objectives.tobytes() == search(**setting).fit(
        np.array(X), y).pareto_front_.objectives.tobytes()
