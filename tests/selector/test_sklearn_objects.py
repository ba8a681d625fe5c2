"""MOELIGASelector among scikit-learn's objects: its contracts, frames, labels, layouts."""


import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn_objects import Listening, data, small


@pytest.mark.slow
@parametrize_with_checks([
    small(SklearnTree(), n_generations=1),
    small(BernoulliNB(), n_generations=1, objectives=("uar", "cardinality")),
    small(HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2), n_generations=0, population_size=4),
    small(make_pipeline(MaxAbsScaler(), SklearnTree()), n_generations=1),
    small(cv=2, n_generations=1),
])
def test_keeps_every_contract_with_estimators_of_every_kind(estimator, check):
    """scikit-learn's own checks hold with sparse-capable and NaN-capable estimators, pipelines and fixed splits."""
    check(estimator)


# frames, labels, layouts


def frame_of(kind, X, names=None):
    """X as a data frame of a library."""
    names = [f"gene {f}" for f in range(X.shape[1])] if names is None else names
    if kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(X, columns=names)
    return pytest.importorskip("polars").DataFrame(X, schema=list(names))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("estimator", [None, GaussianNB()], ids=["compiled", "external"])
def test_frames_go_in_and_come_out(rng, kind, estimator):
    """set_output: a frame of the chosen columns under their names, of the one library or the other."""
    X, y = data(rng)
    frame = frame_of(kind, X)
    selector = small(estimator).fit(frame, y)
    assert_same(selector, small(estimator).fit(X, y))
    for out in ("pandas", "polars"):
        got = selector.set_output(transform=out).transform(frame)
        assert type(got) is type(frame_of(out, X))
        assert list(got.columns) == selector.get_feature_names_out().tolist()
        assert_array_equal(got.to_numpy(), X[:, selector.support_])
    assert_array_equal(selector.set_output(transform="default").transform(frame), X[:, selector.support_])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_in_a_pipeline_and_a_grid_search_of_two_processes(rng, kind):
    """Names survive a step before and a step after, in every fold and process."""
    X, y = data(rng)
    pipeline = make_pipeline(StandardScaler(), small(GaussianNB(), n_generations=1), GaussianNB())
    pipeline.set_output(transform=kind)
    grid = {"moeligaselector__evaluation__n_splits": [1, 2]}
    one, two = (GridSearchCV(pipeline, grid, cv=2, n_jobs=n, error_score="raise").fit(frame_of(kind, X), y)
                for n in (1, 2))
    assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    chosen = two.best_estimator_[1].get_feature_names_out().tolist()
    assert set(chosen) <= {f"gene {f}" for f in range(9)}
    assert list(two.best_estimator_[-1].feature_names_in_) == chosen


def test_other_names_are_refused(rng):
    """transform wants the columns of fit, in their order."""
    X, y = data(rng)
    selector = small().fit(frame_of("pandas", X), y)
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(frame_of("pandas", X, list("abcdefghi")))


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("labels", [
    np.array(["no", "yes", "perhaps"]), np.array(["no", "yes", "perhaps"], dtype=object), np.array([-5, 0, 12]),
    np.array([0.0, 1.0, 2.0]), np.array([3, 1, 2], dtype=np.uint8), [False, True, True], "categorical", "string",
], ids=["str", "object", "int", "float", "uint8", "bool", "categorical", "string"])
def test_labels_of_every_kind_reach_the_estimator_as_they_are(rng, labels, n_jobs):
    """The estimator is given the caller's labels, and what they are called changes nothing."""
    X, y = data(rng, n_classes=3)
    if isinstance(labels, str):
        pd = pytest.importorskip("pandas")
        given, named = pd.Series(np.array(["a", "b", "c"])[y]), np.array(["a", "b", "c"])[y]
        given = given.astype("category" if labels == "categorical" else "string")
    else:
        given = named = np.array(labels)[y]
    selector = small(GaussianNB(), n_jobs=n_jobs, n_generations=1).fit(X, given)
    assert_array_equal(selector.classes_, np.unique(named))
    codes = np.unique(named, return_inverse=True)[1]
    assert_same(selector, small(GaussianNB(), n_generations=1).fit(X, codes))


def test_labels_keep_their_type_in_every_part(rng, heard):
    """dtype and values, in training and validation."""
    X, y = data(rng)
    for labels in (np.array(["no", "yes"], dtype=object), np.array([True, False]), np.array([7, 2], dtype=np.int8)):
        heard.clear()
        small(Listening(), n_generations=0).fit(X, labels[y])
        assert {part.dtype for _, part, _, _ in heard} == {labels.dtype}
        assert {value for _, part, _, _ in heard for value in part.tolist()} == set(labels.tolist())


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", [LogisticRegression(), SklearnTree()], ids=str)
def test_layout_of_x_changes_nothing(rng, tmp_path, estimator, n_jobs):
    """Fortran order, strides, read-only maps of files: estimators get arrays of one layout, which they may write to."""
    X, y = data(rng)
    ref = small(estimator, n_generations=1).fit(X, y)
    mapped = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=float, shape=X.shape)
    mapped[:] = X
    mapped.flush()
    for variant in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], np.load(tmp_path / "X.npy", mmap_mode="r")):
        assert_same(small(estimator, n_generations=1, n_jobs=n_jobs).fit(variant, y), ref)


def test_estimators_may_write_to_what_they_get(rng, heard):
    """Parts are copies: in workers too they are writable, and contiguous."""
    X, y = data(rng)
    X.flags.writeable = False
    small(Listening(), n_generations=0).fit(np.asfortranarray(X), y, sample_weight=np.ones(48))
    for part, labels, weight, _ in heard:
        assert part.flags.writeable
        assert part.flags.c_contiguous
        assert labels.flags.writeable
        assert weight.flags.writeable


def test_float32_stays_float32(rng, heard):
    """Data are not copied into a larger type for the estimator."""
    X, y = data(rng)
    small(Listening(), n_generations=0).fit(X.astype(np.float32), y)
    assert {part.dtype for part, _, _, _ in heard} == {np.dtype(np.float32)}
