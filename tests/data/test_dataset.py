"""The coded data set: ranks, orders, scaled values, sizes of the validation parts."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import naive.evaluate
from moeliga._ext import relief, tree
from moeliga.data import dataset as dataset_module
from moeliga.data.dataset import Dataset, Samples, varies
from moeliga.data.problem import ROWS, Problem


def problem(rng, n_samples=50, n_features=5, n_classes=3, n_levels=7, missing=0.1):
    X = rng.integers(n_levels, size=(n_samples, n_features)) * 0.7 - 1
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.integers(n_classes, size=n_samples)


def assert_same(a, b):
    for name, value in vars(a).items():
        np.testing.assert_array_equal(value, getattr(b, name), err_msg=name, strict=True)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n_samples", [1, 2, 15, 16, 17, 100])
def test_codes_are_ranks(rng, n_samples, missing):
    """The code of a value is the number of smaller distinct ones; a missing value has the code after the last."""
    X, y = problem(rng, n_samples, missing=missing)
    dataset = Dataset.encode(X, y, 3)
    for f, column in enumerate(X[dataset.rows].T):
        distinct = sorted(set(column[~np.isnan(column)].tolist()))
        ref = [len(distinct) if np.isnan(value) else distinct.index(value) for value in column.tolist()]
        np.testing.assert_array_equal(dataset.codes[f], ref)
        np.testing.assert_array_equal(dataset.lower[dataset.offset[f] : dataset.offset[f + 1]], distinct)
    assert dataset.upper is dataset.lower


@pytest.mark.parametrize("dtype", [">f8", ">f4", "<f8", "<f4"])
def test_byte_order_does_not_matter(rng, dtype):
    """The data set is that of the machine's own."""
    X, y = problem(rng)
    X = X.astype(dtype)
    ref = Dataset.encode(X.astype(X.dtype.newbyteorder("=")), y, 3)
    assert_same(Dataset.encode(X, y, 3), ref)


def test_order_sorts_the_samples_of_each_feature(rng):
    """Each row of `order` is a permutation along which the codes ascend, missing values last."""
    X, y = problem(rng, 200)
    dataset = Dataset.encode(X, y, 3)
    np.testing.assert_array_equal(np.sort(dataset.order, axis=1), np.tile(np.arange(200), (5, 1)))
    ascending = np.take_along_axis(dataset.codes, dataset.order.astype(np.intp), axis=1).astype(int)
    assert np.all(np.diff(ascending, axis=1) >= 0)


def test_samples_stand_class_by_class_in_their_old_order(rng):
    """`rows` sorts by class and is stable; labels and class_start agree with it; an empty class has no samples."""
    X, y = problem(rng, 60, n_classes=4)
    y[y == 2] = 3
    dataset = Dataset.encode(X, y, 4)
    np.testing.assert_array_equal(dataset.rows, sorted(range(60), key=lambda i: (y[i], i)))
    np.testing.assert_array_equal(dataset.labels, sorted(y))
    np.testing.assert_array_equal(np.diff(dataset.class_start), [np.sum(y == c) for c in range(4)])
    assert (dataset.n_features, dataset.n_samples, dataset.n_classes) == (5, 60, 4)


@pytest.mark.parametrize(
    ("n_values", "missing", "codes"),
    [(255, 1, np.uint8), (256, 0, np.uint8), (256, 1, np.uint16), (257, 0, np.uint16)],
)
def test_codes_take_a_byte_up_to_256_of_them(rng, n_values, missing, codes):
    """The code of missing values counts; one wide feature makes all wide."""
    X = np.column_stack([rng.permutation(n_values), np.zeros(n_values)]).astype(float)
    X = np.concatenate((X, np.full((missing, 2), np.nan)))
    dataset = Dataset.encode(X, np.zeros(len(X), dtype=int), 1)
    assert dataset.codes.dtype == codes
    np.testing.assert_array_equal(dataset.codes[0], np.where(np.isnan(X[:, 0]), n_values, X[:, 0]))


@pytest.mark.parametrize(("n_samples", "order"), [(65_536, np.uint16), (65_537, np.uint32)])
def test_order_takes_two_bytes_up_to_65536_samples(n_samples, order):
    """The last sample number still fits."""
    X = -(np.arange(n_samples) % 100.0)[:, None]
    dataset = Dataset.encode(X, np.zeros(n_samples, dtype=int), 1)
    assert dataset.order.dtype == order
    assert np.all(np.diff(X[dataset.order[0], 0]) >= 0)


@pytest.mark.parametrize(("n_values", "missing"), [(65_535, 0), (65_535, 1), (65_536, 0)])
def test_coding_is_exact_up_to_65536_codes(rng, n_values, missing):
    """The most codes that 16 bits hold, with and without the one of missing values."""
    values = rng.permutation(n_values).astype(float)
    X = np.append(values, np.full(missing, np.nan))[:, None]
    dataset = Dataset.encode(X, np.zeros(len(X), dtype=int), 1)
    assert dataset.upper is dataset.lower
    np.testing.assert_array_equal(dataset.codes[0], np.append(values, np.full(missing, n_values)))


@pytest.mark.parametrize(
    ("n_values", "missing", "n_codes"), [(65_537, 0, 65_536), (65_536, 1, 65_535), (200_000, 0, 65_536)]
)
def test_more_values_share_codes_of_about_equal_size(rng, n_values, missing, n_codes):
    """Quantile codes: every value lies within the edges of its code, edges do not overlap, groups are alike."""
    values = rng.permutation(rng.normal(size=n_values))
    X = np.append(values, np.full(missing, np.nan))[:, None]
    dataset = Dataset.encode(X, np.zeros(len(X), dtype=int), 1)
    codes, lower, upper = dataset.codes[0][:n_values].astype(int), dataset.lower, dataset.upper
    assert len(lower) == len(upper) == n_codes
    assert np.all(lower[1:] > upper[:-1])
    np.testing.assert_array_equal(lower, np.sort(values)[np.searchsorted(np.sort(codes), np.arange(n_codes))])
    assert np.all((lower[codes] <= values) & (values <= upper[codes]))
    assert set(np.bincount(codes).tolist()) <= {n_values // n_codes, n_values // n_codes + 1}
    assert np.all(dataset.codes[0][n_values:] == n_codes)


def test_frequent_values_keep_a_code_of_their_own(rng):
    """Where half of the samples are 0, the other values still have codes, and 0 shares its own with few."""
    values = np.concatenate((np.zeros(100_000), rng.normal(size=100_000)))
    dataset = Dataset.encode(values[:, None], np.zeros(len(values), dtype=int), 1)
    zero = dataset.codes[0][0]
    assert np.count_nonzero(dataset.codes[0] == zero) <= 100_004
    assert len(dataset.lower) > 30_000


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_thresholds_agree_with_quantile_codes(rng, missing):
    """Codes and raw values of all samples fall into the same leaves, those not trained on included."""
    X = rng.normal(size=(150_000, 2))
    X[:, 1] = np.round(X[:, 1] * 20_000)  # about 100,000 distinct values, some frequent
    X[rng.random(X.shape) < missing] = np.nan
    y = np.sort(rng.integers(2, size=len(X)))
    dataset = Dataset.encode(X, y, 2)
    assert dataset.upper is not dataset.lower
    marks = (rng.random(len(X)) < 0.995).astype(np.uint8)
    nodes, thresholds, _ = tree.grow(dataset, np.arange(2, dtype=np.int32), marks, 100, 2, 1)
    assert len(nodes) > 100
    np.testing.assert_array_equal(nodes["label"][tree.apply(nodes, thresholds, X)], tree.label(dataset, nodes))


def test_exact_and_quantile_features_stand_side_by_side(rng):
    """A feature of few values keeps exact codes beside one of too many."""
    X = np.column_stack([rng.permutation(70_000), np.arange(70_000) % 3]).astype(float)
    dataset = Dataset.encode(X, np.zeros(len(X), dtype=int), 1)
    np.testing.assert_array_equal(dataset.offset, [0, 65_536, 65_539])
    np.testing.assert_array_equal(dataset.lower[65_536:], [0, 1, 2])
    np.testing.assert_array_equal(dataset.upper[65_536:], [0, 1, 2])


@pytest.mark.parametrize("missing", [0.0, 0.2, 1.0])
def test_values_are_scaled_as_the_twin_does(rng, missing):
    """Min-max to [0, 1], bit for bit; constant features are 0; a missing value is the mean of the known ones; a
    feature without known values is 0; rows are padded with 0."""
    X, y = problem(rng, 40, 6, missing=missing)
    X[:, 1] = 3.5
    X[:, 2] = rng.normal(size=40) * 1e-3
    X[::3, 4] = np.nan
    X[:, 5] = np.nan
    dataset = Dataset.encode(X, y, 3)
    assert (dataset.values.dtype, dataset.values.shape) == (np.float32, (6, 48))
    np.testing.assert_array_equal(dataset.values[:, :40], naive.evaluate.scale(X[dataset.rows]))
    assert not dataset.values[:, 40:].any()
    assert not dataset.values[[1, 5]].any()


@pytest.mark.parametrize(
    ("column", "scaled"),
    [
        ([-1.7e308, 0.0, 1.7e308], [0.0, 0.5, 1.0]),  # the range is beyond float64
        ([-1.7e308, np.nan, 1.7e308], [0.0, 0.5, 1.0]),
        ([5e-324, 0.0, 1e-323], [0.5, 0.0, 1.0]),  # denormals
        ([-5e-324, 5e-324, 0.0], [0.0, 1.0, 0.5]),
        ([-0.0, 0.0, -0.0], [0.0, 0.0, 0.0]),
        ([1e300, 1e300, 1e300], [0.0, 0.0, 0.0]),
        ([2.0, np.nan, np.nan], [0.0, 0.0, 0.0]),
        ([1.0, 1.0 + 2**-52, 1.0], [0.0, 1.0, 0.0]),
    ],
)
def test_extreme_ranges_scale_to_the_unit_interval(column, scaled):
    """No overflow, no division by zero, no warning."""
    with np.errstate(all="raise"):
        dataset = Dataset.encode(np.array(column)[:, None], np.zeros(3, dtype=int), 1)
    np.testing.assert_array_equal(dataset.values[0, :3], np.float32(scaled))


def test_reciprocals_are_correctly_rounded(rng):
    """1 / i for i = 1 to n_samples."""
    dataset = Dataset.encode(*problem(rng, 50), 3)
    assert dataset.reciprocal[1:].tolist() == [1 / i for i in range(1, 51)]


@pytest.mark.parametrize(
    ("validation_size", "sizes", "n_validation"),
    [
        (0.3, [10, 20, 30], [3, 6, 9]),  # 0.3 * 10 is above 3 in binary, and 3 in decimal
        (0.1, [10, 70, 1], [1, 7, 0]),
        (0.07, [100], [7]),
        (0.5, [1, 2, 3, 4], [0, 1, 2, 2]),
        (0.01, [2, 50], [1, 1]),
        (0.99, [2, 50], [1, 49]),
        (1e-300, [3], [1]),
        (np.float64(0.3), [10], [3]),
    ],
)
def test_validation_part_is_exact(validation_size, sizes, n_validation):
    """min(n_c - 1, max(1, ceil(validation_size n_c))), with the share as the decimal number that it prints as."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    got = Dataset.encode(np.zeros((len(y), 1)), y, len(sizes)).n_validation(validation_size)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, n_validation)


def test_a_class_of_two_is_needed_to_validate():
    """Singletons go to the training part only; with nothing else there is no validation part."""
    dataset = Dataset.encode(np.zeros((3, 1)), np.arange(3), 3)
    with pytest.raises(ValueError, match="y must have a class with at least 2 samples, got 3 classes of 1 sample"):
        dataset.n_validation(0.3)


def test_layout_and_width_of_the_input_do_not_matter(rng):
    """Fortran order, strides and float32 give the same data set as C order and float64; edges are as wide as X."""
    X, y = problem(rng, 70, 9)
    X = X.astype(np.float32).astype(np.float64)
    ref = Dataset.encode(X, y, 3)
    strided = np.zeros((140, 18))
    strided[::2, ::2] = X
    for other in (np.asfortranarray(X), strided[::2, ::2]):
        assert_same(Dataset.encode(other, y.astype(np.int8), 3), ref)
    single = Dataset.encode(X.astype(np.float32), y, 3)
    assert single.upper is single.lower
    assert (single.lower.dtype, ref.lower.dtype) == (np.float32, np.float64)
    assert_same(replace(single, lower=ref.lower, upper=ref.upper), ref)
    np.testing.assert_array_equal(single.lower, ref.lower)


@pytest.mark.parametrize("n_values", [9, 100_000])
def test_width_of_the_edges_does_not_matter_to_the_tree(rng, n_values):
    """Thresholds are midpoints of float64, for exact and for shared codes."""
    X = rng.permutation(np.resize(rng.normal(size=n_values).astype(np.float32), 70_000))[:, None]
    y, marks = rng.integers(2, size=70_000), (rng.random(70_000) < 0.98).astype(np.uint8)
    trees = [tree.grow(Dataset.encode(X.astype(dtype), y, 2), np.zeros(1, dtype=np.int32), marks, 100, 2, 1)
             for dtype in (np.float32, np.float64)]
    assert len(trees[0][0]) > 10
    for a, b in zip(*trees, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def test_threads_do_not_matter(rng):
    """The same data set for any number of threads."""
    X, y = problem(rng, 500, 60)
    ref = Dataset.encode(X, y, 3)
    for n_threads in (2, 3, 7):
        assert_same(Dataset.encode(X, y, 3, n_threads), ref)


@pytest.mark.parametrize("edges", [(np.float16, np.float16), (np.float32, np.float64), (np.int64, np.int64)])
def test_edges_are_of_one_type_of_number(rng, edges):
    """A data set with other edges is not read."""
    dataset = Dataset.encode(*problem(rng), 3)
    lower, upper = (dataset.lower.astype(dtype) for dtype in edges)
    with pytest.raises(ValueError, match="lower and dataset.upper must be float32 or float64, both the same, got"):
        tree.label(replace(dataset, lower=lower, upper=upper), np.zeros(1, dtype=tree.NODE))


def test_infinite_values_are_refused():
    """There is no range to scale by."""
    with pytest.raises(ValueError, match="X must be finite or NaN, got an infinite value in column 1"):
        Dataset.encode(np.array([[0.0, np.inf], [1.0, 0.0]]), np.arange(2), 2)


def test_inputs_stay_unchanged(rng):
    """Read-only input is accepted, nothing is written to it, and the data set keeps no view of it."""
    X, y = problem(rng)
    X_before, y_before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    dataset = Dataset.encode(X, y, 3)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    assert not any(np.shares_memory(array, source) for array in vars(dataset).values() for source in (X, y))


@pytest.mark.slow
def test_too_many_classes_are_refused():
    """Labels have 16 bits."""
    X, y = np.zeros((65_537, 1)), np.arange(65_537)
    with pytest.raises(ValueError, match="y must have at most 65536 classes, got 65537"):
        Dataset.encode(X, y, 65_537)
    assert Dataset.encode(X[1:], y[:-1], 65_536).labels[-1] == 65_535


def test_rows_are_padded_for_the_separability_room(rng):
    """A multiple of `relief.LANES`, never a whole vector more than needed."""
    for n_samples in (1, 15, 16, 17, 32):
        dataset = Dataset.encode(*problem(rng, n_samples), 3)
        assert dataset.values.shape[1] % relief.LANES == 0
        assert 0 <= dataset.values.shape[1] - n_samples < relief.LANES


# sparse data


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [1, 5000, 1 << 25], ids=["a column", "some columns", "all"])
def test_sparse_data_are_coded_like_dense(rng, monkeypatch, form, dtype, block):
    """Every array of the data set is the same, however many columns are made dense at a time."""
    X, y = problem(rng, 400, n_features=8)
    X[rng.random(X.shape) < 0.5] = 0.0
    X[:, 5] = np.arange(400)  # its codes need two bytes: the other blocks' do not
    X[:, 6] = 0.0
    X = X.astype(dtype)
    monkeypatch.setattr(dataset_module, "BLOCK_BYTES", block)
    assert_same(Dataset.encode(form(X), y, 3), Dataset.encode(X, y, 3))


def test_sparse_data_with_shared_codes_are_coded_like_dense(rng, monkeypatch):
    """A block with a feature of more than 65,536 distinct values has upper values of its own."""
    n_samples = 70_000
    X, y = np.zeros((n_samples, 3)), rng.integers(2, size=n_samples)
    X[:, 1] = rng.permutation(n_samples)
    X[::7, 2] = 1.5
    monkeypatch.setattr(dataset_module, "BLOCK_BYTES", 1)
    got, ref = Dataset.encode(sparse.csc_array(X), y, 2), Dataset.encode(X, y, 2)
    assert_same(got, ref)
    assert got.upper is not got.lower


def test_sparse_data_are_never_dense_as_a_whole(rng, monkeypatch):
    """Beside the data set itself, coding takes a fraction of the memory of the dense array."""
    X = sparse.random_array((1000, 1500), density=0.01, format="csc", random_state=rng)
    y = rng.integers(2, size=1000)
    monkeypatch.setattr(dataset_module, "BLOCK_BYTES", 1 << 19)
    tracemalloc.start()
    try:
        dataset = Dataset.encode(X, y, 2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    held = sum(value.nbytes for value in vars(dataset).values() if isinstance(value, np.ndarray))
    assert peak - held < 8 * 1000 * 1500 / 2


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize(("columns", "expected"), [
    ([[0, 0, 0]], False), ([[2, 2, 2]], False), ([[np.nan] * 3], False), ([[np.nan, 2, 2]], False),
    ([[0, 0, -1]], True), ([[2, 2, 0]], True), ([[np.nan, 0, 2]], True), ([[5, 5, 5], [0, 1, 0]], True),
])
def test_data_vary_if_a_column_does(form, columns, expected):
    """Missing values do not count; zeros do, stored or not."""
    assert varies(form(np.array(columns, dtype=float).T)) is expected


def test_samples_are_those_of_the_data_set(rng):
    """What splits are drawn over needs no values of X."""
    X, y = problem(rng)
    samples, dataset = Samples.sort(5, y, 3), Dataset.encode(X, y, 3)
    for name, value in vars(samples).items():
        np.testing.assert_array_equal(value, getattr(dataset, name), err_msg=name, strict=True)
    np.testing.assert_array_equal(samples.n_validation(0.3), dataset.n_validation(0.3))


@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_array,
                                  lambda X: X.astype(np.float32), lambda X: np.repeat(X, 2, axis=0)[::2]])
@pytest.mark.parametrize("n_samples", [3, ROWS, 2 * ROWS + 1])
def test_columns_are_values_feature_after_feature(n_samples, form, rng):
    """However X lies in memory, and however many blocks of rows there are."""
    X = rng.integers(-4, 5, size=(n_samples, 7)).astype(float)
    found = Problem(form(X), np.zeros(n_samples), False).columns()
    np.testing.assert_array_equal(found, X.T)
    assert found.dtype == np.float64 and found.flags.c_contiguous
