"""Coding a table, bit for bit as the twin does it: any width, layout, size, number of threads."""

import re
import tracemalloc

import numpy as np
import pytest

import naive.code
from moeliga._ext import code

NAMES = ("codes", "order", "lower", "upper", "offset", "values", "n_known")


def assert_same(X, rows, *n_threads):
    """The room and the twin give the same bits, for each number of threads."""
    ref = naive.code.encode(X, rows)
    for n in n_threads:
        got = code.encode(X, rows, n)
        for name, a, b in zip(NAMES, got, ref, strict=True):
            np.testing.assert_array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"), name, strict=True)
            assert a.dtype == b.dtype, name
        assert (got[2] is got[3]) == (ref[2] is ref[3])


def with_missing(rng, X, share):
    """A copy of X with about this share of its cells missing, and of a column all."""
    X = np.where(rng.random(X.shape) < share, np.nan, X).astype(X.dtype)
    if share:
        X[:, rng.integers(X.shape[1])] = np.nan
    return X


KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.integers(-3, 4, size=shape).astype(float),
    "tenths": lambda rng, shape: rng.integers(-20, 20, size=shape) / 10,
    "signed zeros": lambda rng, shape: rng.choice([-0.0, 0.0, 1.0, -1.0], size=shape),
    "constant": lambda rng, shape: np.full(shape, -3.7),
    "tiny": lambda rng, shape: rng.integers(-9, 9, size=shape) * 5e-324,
    "huge": lambda rng, shape: rng.choice([-1.7e308, 1.7e308, 1e308, 0.0, 1.0], size=shape),
    "neighbours": lambda rng, shape: 1 + rng.integers(0, 40, size=shape) * 2.0**-52,  # differ in their low halves only
    "any bits": lambda rng, shape: rng.integers(2**64, size=shape, dtype=np.uint64).view(np.float64),
}


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_same_as_the_twin(rng, kind, dtype, missing):
    """Every kind of number, around the sizes of vectors, tiles of features and short sorts."""
    for n_samples, n_features in ((1, 1), (2, 3), (15, 16), (16, 17), (17, 33), (63, 2), (64, 5), (300, 4)):
        X = KINDS[kind](rng, (n_samples, n_features)).astype(dtype)
        X[np.isinf(X)] = np.nan
        assert_same(with_missing(rng, X, missing), rng.permutation(n_samples), 1, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_samples_that_differ_in_their_low_halves(rng, dtype):
    """Values that the first digits do not tell apart are sorted by the others, in runs of any length."""
    step = np.finfo(dtype).eps
    X = 1 + rng.integers(0, 5000, size=(3000, 3)) * dtype(step)
    X[:, 1] = np.where(rng.random(3000) < 0.5, -1, 1) * X[:, 1]
    X[:, 2] = rng.choice([0.1, 0.2, 0.3], size=3000) + rng.integers(0, 3, size=3000) * step
    assert_same(X.astype(dtype), rng.permutation(3000), 1, 2)


@pytest.mark.parametrize("n_threads", [2, 3, 7, 100, 2**30])
def test_threads_do_not_matter(rng, n_threads):
    """More threads than features or tiles, too; 40,000 values are enough for all to be used."""
    for shape in ((1000, 40), (20_000, 2), (40_000, 1), (40, 1000)):
        X = with_missing(rng, rng.normal(size=shape).astype(np.float32), 0.01)
        rows = rng.permutation(len(X))
        for a, b in zip(code.encode(X, rows, n_threads), code.encode(X, rows, 1), strict=True):
            np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layout_does_not_matter(rng, dtype):
    """Fortran order, strides, cells that are not aligned, reversed and repeated axes are read in place."""
    X = with_missing(rng, rng.normal(size=(70, 19)).astype(dtype), 0.1)
    rows = rng.permutation(70)
    spread = np.zeros((140, 57), dtype=dtype)
    spread[::2, ::3] = X
    packed = np.zeros((70, 19), dtype=[("flag", np.uint8), ("value", dtype)])  # cells at odd addresses
    packed["value"] = X
    for other in (np.asfortranarray(X), packed["value"], spread[::2, ::3], X[::-1].copy()[::-1],
                  X[:, ::-1].copy()[:, ::-1]):
        for name, a, b in zip(NAMES, code.encode(other, rows, 2), code.encode(X, rows, 1), strict=True):
            np.testing.assert_array_equal(a, b, name, strict=True)
    assert_same(np.broadcast_to(X[:, :1], X.shape), rows, 1)
    assert_same(np.broadcast_to(X[:1], X.shape), rows, 1)


@pytest.mark.parametrize("missing", [0.0, 0.001])
@pytest.mark.parametrize("n_samples", [65_535, 65_536, 65_537, 100_000])
def test_around_the_most_samples_and_codes_of_two_bytes(rng, n_samples, missing):
    """All distinct, frequent values among rare ones, few values: exact and shared codes side by side."""
    X = np.column_stack([rng.permutation(n_samples), np.round(rng.normal(size=n_samples) * 20_000),
                         np.where(rng.random(n_samples) < 0.5, 0, rng.normal(size=n_samples)),
                         np.arange(n_samples) % 3]).astype(np.float32)
    X = np.where(rng.random(X.shape) < missing, np.float32(np.nan), X)
    assert_same(X, rng.permutation(n_samples), 1, 2)


@pytest.mark.parametrize(("n_values", "missing", "width"), [(256, 0, 1), (255, 1, 1), (256, 1, 2), (257, 0, 2)])
def test_codes_take_no_more_bytes_than_they_need(rng, n_values, missing, width):
    """The code of missing values counts."""
    X = np.append(rng.permutation(n_values), np.full(missing, np.nan))[:, None]
    assert code.encode(X, np.arange(len(X)), 1)[0].itemsize == width
    assert_same(X, rng.permutation(len(X)), 1)


def test_means_of_known_values_are_rounded_once(rng):
    """Sums of terms of very different size, and of terms that lie half-way between two numbers."""
    for n_samples in (3, 50, 1000):
        X = 2.0 ** rng.integers(-1074, 900, size=(n_samples, 40)) * rng.random((n_samples, 40))
        X[0] = np.nan
        X[1] = 0.0
        X[2] = 2.0 ** rng.integers(-1000, 1000, size=40)  # from all of the range down to the least of numbers
        X[:, 0] = np.append([np.nan, 0.0, 1.0], np.full(n_samples - 3, 2.0**-53))
        X[:, 1] = np.append([np.nan, 0.0, 1.0], np.full(n_samples - 3, 2.0**-1074))
        assert_same(X, rng.permutation(n_samples), 1)


def test_rows_may_repeat(rng):
    """`rows` is any list of rows as long as X."""
    assert_same(rng.normal(size=(50, 3)), rng.integers(50, size=50), 1)


@pytest.mark.quick(1)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_is_that_of_the_result(rng, dtype, order):
    """No copy of X, no codes of two bytes on the way to codes of one: the result and a tile of columns."""
    for X in (rng.normal(size=(2000, 2000)), rng.integers(100, size=(2000, 2000))):
        X = np.asarray(X, dtype=dtype, order=order)
        rows = np.arange(len(X))
        tracemalloc.start()
        got = code.encode(X, rows, 2)
        extra = tracemalloc.get_traced_memory()[1] - sum({id(a): a.nbytes for a in got}.values())
        tracemalloc.stop()
        assert extra < 2**20


def test_inputs_stay_unchanged(rng):
    """Read-only arrays are accepted, and the result is no view of them."""
    X, rows = rng.normal(size=(30, 4)), np.arange(30)
    before = X.copy()
    X.flags.writeable = rows.flags.writeable = False
    got = code.encode(X, rows, 1)
    np.testing.assert_array_equal(X, before)
    assert not any(np.shares_memory(array, source) for array in got for source in (X, rows))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": [[1.0], [2.0]]}, TypeError, "X must be an array of float32 or float64, got list"),
        ({"X": np.zeros((2, 1), dtype=int)}, TypeError, "X must be an array of float32 or float64, got int64"),
        ({"X": np.zeros((2, 1), dtype=">f8")}, TypeError, "X must be an array of float32 or float64, got >f8"),
        ({"X": np.zeros(2)}, ValueError, r"X must have 1 to .* columns, got shape \(2,\)"),
        ({"X": np.zeros((2, 0))}, ValueError, r"X must have 1 to .* columns, got shape \(2, 0\)"),
        ({"X": np.zeros((0, 2))}, ValueError, r"X must have 1 to 2\*\*30 rows .*, got shape \(0, 2\)"),
        ({"X": np.array([[0.0, 1.0], [0.0, np.inf]])}, ValueError, "X must be finite .* infinite value in column 1"),
        ({"X": np.array([[-np.inf], [np.nan]])}, ValueError, "X must be finite .* infinite value in column 0"),
        ({"rows": np.arange(3)}, ValueError, "rows must have 2 entries, got 3"),
        ({"rows": np.array([0, 2])}, ValueError, r"rows must be in \[0, 2\), got 2"),
        ({"rows": np.array([-1, 0])}, ValueError, r"rows must be in \[0, 2\), got -1"),
        ({"n_threads": 0}, ValueError, "n_threads must be >= 1, got 0"),
    ],
)
def test_bad_input_is_refused(change, error, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    with pytest.raises(error, match=message):
        code.encode(**{"X": np.zeros((2, 1)), "rows": np.arange(2), "n_threads": 1} | change)


@pytest.mark.parametrize("shape", [(2**30 + 1, 1), (2, 2**31)])
def test_too_large_a_table_is_refused(shape):
    """A sample has 30 bits, a feature 31; the rule is checked before anything is read."""
    X = np.broadcast_to(np.zeros((1, 1)), shape)
    message = f"X must have 1 to 2**30 rows and 1 to 2**31 - 1 columns, got shape {shape}"
    with pytest.raises(ValueError, match=re.escape(message)):
        code.encode(X, np.arange(2), 1)
