"""Data sets and tables of more than 2^31 cells: the last columns come out as they do alone, by every reader.

They take addresses and hardly any memory, as zeros that nobody has written. Coding so many takes memory, and
`MOELIGA_LIMITS=1` runs it.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from test_limits import large, marked

from case_names import named
from moeliga._ext import forest, judges, relief, tree
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise


def zeros(shape, dtype=np.float64):
    """Zeros that nobody has written; the test is skipped where there are not as many addresses."""
    try:
        return np.zeros(shape, dtype=dtype)
    except MemoryError:
        pytest.skip(f"no addresses for {shape} of {np.dtype(dtype)}")


def far(n_samples, n_features, n_used, regression=False):
    """A data set whose last columns alone are there: the others are zeros that nobody has written."""
    X, y = marked(n_samples, n_used, n_used - 1, n_classes=3)
    X = np.round(X, 1)
    small = Dataset.encode_target(X, X[:, 1] + y) if regression else Dataset.encode(X, y, 3)
    wide = {}
    for name in ("codes", "order", "values"):
        array = getattr(small, name)
        wide[name] = zeros((n_features, array.shape[1]), array.dtype)
        wide[name][-n_used:] = array
    offset = np.concatenate([np.zeros(n_features - n_used, dtype=np.int64), small.offset])
    counted = np.concatenate([np.full(n_features - n_used, not regression, dtype=np.uint8), small.counted])
    parts = {name: getattr(small, name) for name in small.__dataclass_fields__}
    return small, Dataset(**parts | wide | {"n_features": n_features, "offset": offset, "counted": counted})


CELLS = pytest.mark.parametrize(("n_samples", "n_features"), [
    (300, 1000),
    pytest.param(40_000, 55_000, marks=pytest.mark.slow),  # 2.2e9 cells, 15 GB of addresses
    pytest.param(65_536, 32_769, marks=pytest.mark.slow),  # one column more than 2^31 cells
])


@CELLS
def test_columns_beyond_two_thousand_million_cells(n_samples, n_features):
    """The last columns of a very large data set give what they give alone, to the bit."""
    n_used = 20
    small, wide = far(n_samples, n_features, n_used)
    seed, individuals = np.array([1, 2], dtype=np.uint64), np.arange(3, dtype=np.int32)
    bits = np.array([[2**n_used - 1], [2**19 + 1], [0b1010101]], dtype=np.uint64)
    results = []
    for data in (small, wide):
        features = np.arange(data.n_features - n_used, data.n_features, dtype=np.int32)
        evaluator = Evaluator(data, data.n_validation(0.3), 100, 2, 1)
        results.append(evaluator.evaluate(bits, features, individuals, seed, (1, 0, 0), 2, False, 40, True, 2))
        nodes, thresholds, _ = tree.grow(data, features, np.zeros(n_samples, dtype=np.uint8), 12, 2, 1, 2)
        nodes["feature"][nodes["feature"] >= 0] -= features[0]
        results[-1] += (nodes, thresholds, np.array(relief.separability(
            data.values, data.hits_from, data.hits_to, features, individuals)))
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()


@CELLS
@pytest.mark.parametrize("regression", [False, True])
def test_forests_of_columns_beyond_two_thousand_million_cells(n_samples, n_features, regression):
    """All columns are tried in their order: trees whose nodes ask the last ones, as of these alone, to the bit."""
    n_used = 5
    small, wide = far(n_samples, n_features, n_used, regression)
    results = []
    for data in (small, wide):
        importances = np.zeros(data.n_features)
        nodes, *rest = forest.grow(data, np.array([1, 2], dtype=np.uint64), (Purpose.FOREST, 0, 0), (3, 2, 1),
                                   n_samples, 0, False, 0, 2, importances, None, 2)
        nodes["feature"][nodes["feature"] >= 0] -= data.n_features - n_used
        results.append((nodes, *[part for part in rest if part is not None], importances[-n_used:]))
        if regression:
            features = np.arange(data.n_features - n_used, data.n_features, dtype=np.int32)
            nodes, *rest = tree.regress(data, features, np.zeros(n_samples, dtype=np.uint8), 6, 2, 1)
            nodes["feature"][nodes["feature"] >= 0] -= features[0]
            results[-1] += (nodes, *rest)
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()


@CELLS
@pytest.mark.parametrize("model", [GaussianNB(), make_pipeline(StandardScaler(), RidgeClassifier()),
                                   LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), LinearSVC(dual=False),
                                   LogisticRegression(), KNeighborsClassifier(3)], ids=named)
def test_judges_of_columns_beyond_two_thousand_million_cells(n_samples, n_features, model):
    """The last columns of a very large table give the answers that they give alone, to the bit; no more than 17 GB of
    addresses, and hardly any memory."""
    n_used = 4
    X, y = marked(n_samples, n_used, n_used - 1, n_classes=3)
    small = np.ascontiguousarray(X.T, dtype=np.float64)
    wide = zeros((n_features, n_samples))
    wide[-n_used:] = small
    learn, ask = np.arange(0, n_samples, 40, dtype=np.int32), np.arange(1, n_samples, 40, dtype=np.int32)
    one, two = (judges.answers(recognise(model), table, np.arange(len(table) - n_used, len(table), dtype=np.int32),
                               learn, ask, labels=y.astype(np.int32), n_classes=3) for table in (small, wide))
    assert one.tobytes() == two.tobytes()


@large
def test_coding_two_thousand_million_cells():
    """From a sparse X, 16 GB and 3 minutes: the last columns come out as they do alone."""
    X, y = marked(40_000, 55_000, 54_999, form="csc")
    wide, small = Dataset.encode(X, y, 2, 2), Dataset.encode(X[:, -30:], y, 2)
    for name in ("codes", "order", "values"):
        assert_array_equal(getattr(wide, name)[-30:], getattr(small, name))
    assert_array_equal(np.diff(wide.offset)[-30:], np.diff(small.offset))
