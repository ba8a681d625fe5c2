"""No room reads or writes beside the arrays that it is given: they lie between pages that nobody may touch.

Sanitizers do not see the gathers and masked loads of AVX-512, and valgrind does not know them.
"""

import ctypes
import dataclasses
import mmap
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from interpreters import environment
from moeliga import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from moeliga._ext import code, evaluate, relief, tree
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise

PAGE = mmap.PAGESIZE
KEY = np.arange(2, dtype=np.uint64)
LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]


def fenced(array, at_end):
    """A copy of an array that ends, or begins, where memory does."""
    array = np.ascontiguousarray(array)
    n_pages = -(-array.nbytes // PAGE)
    memory = mmap.mmap(-1, (n_pages + 2) * PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (0, n_pages + 1):
        if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(address + page * PAGE), PAGE, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = (n_pages + 1) * PAGE - array.nbytes if at_end else PAGE
    copy = np.frombuffer(memory, array.dtype, array.size, start).reshape(array.shape)
    copy[...] = array
    return copy


def fence(dataset, at_end):
    """The same data set between fences."""
    fields = {field.name: getattr(dataset, field.name) for field in dataclasses.fields(dataset)}
    arrays = {name: fenced(array, at_end) for name, array in fields.items() if isinstance(array, np.ndarray)}
    if dataset.target is not None:
        arrays["target"] = dataclasses.replace(dataset.target, steps=fenced(dataset.target.steps, at_end))
    return dataclasses.replace(dataset, **arrays)


def widened(dataset, code_width, order_width):
    """The same data set with numbers of other widths."""
    return dataclasses.replace(dataset, codes=dataset.codes.astype(f"u{code_width}"),
                               order=dataset.order.astype(f"u{order_width}"))


def work(dataset, at_end):
    """Everything that reads a data set: all results."""
    n_features, n_samples = dataset.n_features, dataset.n_samples
    features = fenced(np.arange(n_features, dtype=np.int32), at_end)
    marks = fenced((np.arange(n_samples) % 4 == 0).view(np.uint8), at_end)
    bits = fenced(np.array([[(1 << n_features) - 1], [1 << (n_features - 1)], [3]], dtype=np.uint64), at_end)
    room = evaluate.Evaluator(dataset, fenced(dataset.n_validation(0.3), at_end), 100, 2, 1)
    found = [array for n_instances, shared in ((5, False), (400, True))  # the second by the sieve, trees together
             for array in room.evaluate(bits, features, fenced(np.arange(3, dtype=np.int32), at_end),
                                        fenced(KEY, at_end), (6, 0, 0), 3, shared, n_instances, True, 1)]
    target = dataset.target is not None
    table = fenced(np.random.default_rng(0).normal(size=(n_features, n_samples)), at_end)
    judge = recognise(Ridge() if target else GaussianNB())
    kinds = (RandomForestRegressor, ExtraTreesRegressor) if target else (RandomForestClassifier, ExtraTreesClassifier)
    given = {"judge": judge, "table": table, "target": fenced(table[0], at_end) if target else None}
    for more in ({"forest": recognise(kinds[0](3))}, {"forest": recognise(kinds[1](3, bootstrap=True))}, given):
        room = evaluate.Evaluator(dataset, fenced(dataset.n_validation(0.3), at_end), 0, 2, 1, **more)
        for shared in (False, True):  # judges one by one, and together
            found.append(room.evaluate(bits, features, fenced(np.arange(3, dtype=np.int32), at_end),
                                       fenced(KEY, at_end), (6, 0, 0), 3, shared, 0, True, 1)[0])
    instances = fenced(np.arange(n_samples, dtype=np.int32)[::-1], at_end)
    found.append(np.array(relief.separability(dataset.values, dataset.hits_from, dataset.hits_to, features, instances,
                                              dataset.level)))
    if dataset.target is not None:
        return [*found, *tree.regress(dataset, features, marks, 100, 2, 1)]
    for n_threads, alone in ((1, 0), (2, 3)):
        found += tree.grow(dataset, features, marks, 100, 2, 1, n_threads, alone)
    return [*found, tree.label(dataset, fenced(found[-3], at_end))]


def datasets(sizes):
    """Data sets of every kind of column, of so many samples: rows that fill a vector, and rows that do not."""
    rng = np.random.default_rng(0)
    for n_samples in sizes:
        X = rng.normal(size=(n_samples, 9))
        X[:, 3:6] = np.round(X[:, 3:6])
        X[rng.random(n_samples) < 0.2, 7] = np.nan
        for y, n_classes in ((np.arange(n_samples) % 2, 2), (np.arange(n_samples) % 3, 3)):
            yield Dataset.encode(X, y, n_classes)
        yield Dataset.encode_target(X, rng.normal(size=n_samples))


def cross(level, *sizes):
    """Compare what comes out between fences with what comes out elsewhere; a read beside an array ends the process."""
    for known in datasets(sizes):
        for widths in ((1, 2), (1, 4), (2, 2), (2, 4)):
            if known.codes.itemsize > widths[0]:
                continue
            dataset = dataclasses.replace(widened(known, *widths), level=level)
            for at_end in (True, False):
                found, ref = work(fence(dataset, at_end), at_end), work(dataset, at_end)
                assert [array.tobytes() for array in found] == [array.tobytes() for array in ref]


def cross_tables():
    """The same for tables that are coded, row by row, column by column and backwards."""
    rng = np.random.default_rng(1)
    for n_samples, n_features in ((4, 3), (53, 40), (400, 60)):
        for dtype in (np.float32, np.float64):
            X, rows = rng.normal(size=(n_samples, n_features)).astype(dtype), rng.permutation(n_samples)
            ref = [array.tobytes() for array in code.encode(X, rows, 1)]
            for at_end in (True, False):
                by_row, by_column = fenced(X, at_end), fenced(X.T, at_end).T
                backwards = fenced(X[::-1, ::-1], at_end)[::-1, ::-1]
                for table in (by_row, by_column, backwards):
                    for n_threads in (1, 2):
                        found = code.encode(table, fenced(rows, at_end), n_threads)
                        assert [array.tobytes() for array in found] == ref


def touch(at_end, first, n_bytes):
    """Read some bytes of three floats, and beside them."""
    array = fenced(np.arange(3, dtype=np.float32), at_end)
    ctypes.string_at(array.ctypes.data + first, n_bytes)


def survives(call):
    """Run a function of this file in a process of its own."""
    program = f"import test_fences; test_fences.{call}"
    quiet = environment(__file__) | {"OMP_WAIT_POLICY": "passive"}  # two threads that spin would take a second core
    done = subprocess.run([sys.executable, "-c", program], env=quiet, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr or f"ended by signal {-done.returncode}"


pytestmark = pytest.mark.skipif(not hasattr(mmap, "MAP_ANONYMOUS"), reason="fences are made by mprotect")


@pytest.mark.slow
def test_a_fence_is_a_fence():
    """A byte too far ends the process."""
    for at_end in (True, False):
        survives(f"touch({at_end}, 0, 12)")
        with pytest.raises(AssertionError, match="signal"):
            survives(f"touch({at_end}, {0 if at_end else -1}, 13)")


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["4, 53", "16, 300"])
@pytest.mark.parametrize("level", LEVELS)
def test_rooms_stay_inside_a_data_set(level, sizes):
    """For every instruction set of this machine, and every width of codes and sample numbers."""
    survives(f"cross({level}, {sizes})")


@pytest.mark.slow
def test_coding_stays_inside_a_table():
    """Forwards and backwards."""
    survives("cross_tables()")
