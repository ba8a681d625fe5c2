"""MOELIGASelector among scikit-learn's objects: metadata, routing, sparse and missing data, workers, frames."""

import os
import signal
import sys

import joblib
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metadata_routing import get_routing_for_object
from threadpoolctl import threadpool_info, threadpool_limits

from moeliga import DecisionTreeClassifier, LocalImprovement, MOELIGASelector, evaluate_subsets
from moeliga.dataset import Dataset
from moeliga.metadata import length
from moeliga.wrapper import SHARED_BYTES, EstimatorScorer, Splits, takes_sparse

SMALL = {"population_size": 8, "n_generations": 2, "n_elite": 2, "generation_gap": 2, "n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}
LOCAL = LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return MOELIGASelector(estimator, **{**SMALL, **parameters})


def data(rng, n_samples=48, n_features=9, n_classes=2):
    """Noise and, in every third feature, something of the class; rows in random order."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::3] += y[:, None]
    return X, y


def holes(X, rng):
    """X with more than half of its cells 0."""
    return np.where(rng.random(X.shape) < 0.6, 0.0, X)


def assert_same_result(one, two):
    """The same front, bit for bit, found in the same way."""
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)
    assert_array_equal(one.pareto_front_.objectives, two.pareto_front_.objectives)
    assert_array_equal(one.pareto_front_.score_se, two.pareto_front_.score_se)
    for name in one.history_.keys() - {"seconds"}:
        assert_array_equal(one.history_[name], two.history_[name], err_msg=name)


def differ(one, two):
    """Whether two fits found other scores."""
    return one.history_["best_score"].tolist() != two.history_["best_score"].tolist()


class Listening(GaussianNB):
    """A classifier that tells what came with each fit."""

    heard = []

    def fit(self, X, y, sample_weight=None, **others):
        Listening.heard.append((X, y, sample_weight, others))
        return super().fit(X, y, sample_weight)


@pytest.fixture
def heard():
    Listening.heard = []
    return Listening.heard


@pytest.fixture
def routing():
    """scikit-learn with metadata routing."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# metadata


@pytest.mark.parametrize("form", [np.asarray, list, "series"], ids=["array", "list", "series"])
def test_sample_weight_is_for_the_fit_and_not_for_the_score(rng, form):
    """Every member of the front has the mean of scikit-learn's cross_val_score with the same weights."""
    X, y = data(rng)
    weight = rng.random(len(y)) ** 4
    form = pytest.importorskip("pandas").Series if form == "series" else form
    front = small(GaussianNB(), cv=3).fit(X, y, sample_weight=form(weight)).pareto_front_
    for mask, score in zip(front.supports, front.score, strict=True):
        scores = cross_val_score(GaussianNB(), X[:, mask], y, cv=StratifiedKFold(3), scoring="balanced_accuracy",
                                 params={"sample_weight": weight})
        assert_allclose(score, np.mean(scores), rtol=1e-14)


def test_sample_weight_goes_with_its_rows_in_random_splits(rng, heard):
    """Weights that name their rows find them again in every part, re-scoring included; so do other metadata."""
    X, y = data(rng)
    names = [f"row {i}" for i in range(len(y))]
    small(make_pipeline(FunctionTransformer(), Listening()), n_generations=1).fit(
        X, y, listening__sample_weight=X[:, 0] - X.min(), listening__names=names, listening__tone=[1, 2, 3],
        listening__nothing=None)
    assert len(heard) >= 2 * 8 * 3
    for part, labels, weight, others in heard:
        rows = np.flatnonzero(np.isin(X[:, 0] - X.min(), weight))
        assert len(rows) == len(part) == len(weight)
        assert sorted(others["names"]) == sorted(names[row] for row in rows)
        assert_array_equal(np.sort(labels), np.sort(y[rows]))
        assert others["tone"] == [1, 2, 3]
        assert "nothing" not in others


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("cv", [GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut()], ids=str)
def test_groups_stay_together(rng, cv, n_jobs):
    """`groups` reaches the splitter: scores are those of cross_val_score with the same groups."""
    X, y = data(rng)
    groups = rng.permutation(np.arange(len(y)) % 5)
    front = small(GaussianNB(), cv=cv, n_jobs=n_jobs, n_generations=1).fit(X, y, groups=groups).pareto_front_
    for mask, score in zip(front.supports, front.score, strict=True):
        scores = cross_val_score(GaussianNB(), X[:, mask], y, cv=cv, groups=groups, scoring="balanced_accuracy")
        assert_allclose(score, np.mean(scores), rtol=1e-14)


def test_the_compiled_tree_takes_groups_too(rng):
    """With `cv` it is evaluated by scikit-learn, and `groups` is for the splitter."""
    X, y = data(rng)
    groups = np.arange(len(y)) % 4
    front = small(cv=GroupKFold(2)).fit(X, y, groups=groups).pareto_front_
    scores = cross_val_score(DecisionTreeClassifier(), X[:, front.supports[0]], y, cv=GroupKFold(2), groups=groups,
                             scoring="balanced_accuracy")
    assert_allclose(front.score[0], np.mean(scores), rtol=1e-14)


def test_metadata_that_are_none_are_none(rng):
    """fit(X, y, sample_weight=None, groups=None) is fit(X, y), also of the compiled tree."""
    X, y = data(rng)
    assert_same_result(small().fit(X, y, sample_weight=None, groups=None), small().fit(X, y))


WEIGHTS = "must have 48 entries, one for each sample of X, got "


@pytest.mark.parametrize("route", [False, True])
@pytest.mark.parametrize(("estimator", "params", "message"), [
    (GaussianNB(), {"sample_weight": np.ones(47)}, "sample_weight " + WEIGHTS + "47$"),
    (GaussianNB(), {"sample_weight": 3.0}, "sample_weight " + WEIGHTS + "a single value$"),
    (GaussianNB(), {"sample_weight": "balanced"}, "sample_weight " + WEIGHTS + "a single value$"),
    (GaussianNB(), {"groups": [1, 2]}, "groups " + WEIGHTS + "2$"),
    (make_pipeline(GaussianNB()), {"gaussiannb__sample_weight": [1]}, "gaussiannb__sample_weight " + WEIGHTS + "1$"),
    (GaussianNB(), {"groups": np.ones(48)}, r"groups must come with cv, as in cv=GroupKFold\(\)"),
    (None, {"groups": np.ones(48)}, r"groups must come with cv, as in cv=GroupKFold\(\)"),
], ids=["short", "scalar", "text", "groups", "nested", "no cv", "no cv, tree"])
def test_metadata_that_cannot_be_are_refused(rng, estimator, params, message, route):
    """Before the search, with the name, the rule and the value, with routing and without."""
    called = []
    with sklearn.config_context(enable_metadata_routing=route), pytest.raises(ValueError, match="^" + message):
        small(estimator, callbacks=called.append).fit(*data(rng), **params)
    assert not called


@pytest.mark.parametrize("options", [{}, {"estimator": DecisionTreeClassifier()}, {"cv": 3}, {"scoring": "accuracy"}],
                         ids=str)
@pytest.mark.parametrize("name", ["sample_weight", "temperature"])
def test_the_compiled_tree_takes_no_metadata_and_says_what_does(rng, options, name):
    """Weights are not dropped in silence; the message names an estimator that takes them."""
    message = rf"^{name} must not be given for the compiled tree.*estimator=sklearn\.tree\.DecisionTreeClassifier\(\)"
    with pytest.raises(ValueError, match=message):
        small(**options).fit(*data(rng), **{name: np.ones(48)})


def test_a_tree_of_the_user_s_may_take_weights(rng):
    """A subclass with a `fit` of its own is asked like any classifier."""

    class Weighted(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight):
            keep = sample_weight > 0
            return super().fit(X[keep], y[keep])

    X, y = data(rng)
    weighted = small(Weighted()).fit(X, y, sample_weight=(X[:, 1] > -1.0).astype(float))
    assert differ(weighted, small(Weighted()).fit(X, y, sample_weight=np.ones(48)))


def test_what_an_estimator_does_not_take_is_its_own_error(rng):
    """KNeighborsClassifier takes no weights."""
    with pytest.raises(TypeError, match="sample_weight"):
        small(KNeighborsClassifier()).fit(*data(rng), sample_weight=np.ones(48))


@pytest.mark.parametrize(("value", "expected"), [
    ([1, 2], 2), (np.zeros((3, 2)), 3), (np.float64(1), None), (1, None), ("ab", None), (b"ab", None),
    ({"a": 1}, None), (sparse.csr_array((4, 2)), 4), (None, None), ((), 0),
], ids=repr)
def test_length_of_metadata(value, expected):
    """Arrays, sequences and sparse arrays have one; numbers, text and mappings are passed as they are."""
    assert length(value) == expected


# metadata routing


def weighing(**requests):
    """A scorer that requests metadata."""
    return make_scorer(balanced_accuracy_score).set_score_request(**requests)


@pytest.mark.parametrize(("for_fit", "for_score"), [(True, True), (True, False), (False, True), (False, False)])
def test_metadata_go_where_they_are_requested(rng, routing, for_fit, for_score):
    """Scores are those of cross_val_score with the same requests, whoever takes the weights."""
    X, y = data(rng)
    weight, groups = rng.random(len(y)) ** 4, rng.permutation(np.arange(len(y)) % 5)
    estimator = GaussianNB().set_fit_request(sample_weight=for_fit)
    scorer = weighing(sample_weight=for_score)
    params = {"groups": groups} | ({"sample_weight": weight} if for_fit or for_score else {})
    selector = small(estimator, cv=GroupKFold(3), scoring=scorer).fit(X, y, **params)
    for mask, score in zip(selector.pareto_front_.supports, selector.pareto_front_.score, strict=True):
        scores = cross_val_score(estimator, X[:, mask], y, cv=GroupKFold(3), scoring=scorer, params=params)
        assert_allclose(score, np.mean(scores), rtol=1e-14)


def test_aliases_and_workers(rng, routing, heard):
    """Requests under another name work, in two processes as in one."""
    X, y = data(rng)
    estimator = GaussianNB().set_fit_request(sample_weight="trust")
    fits = [small(estimator, scoring=weighing(sample_weight=False), n_jobs=n_jobs, n_generations=1).fit(
        X, y, trust=np.abs(X[:, 0])) for n_jobs in (1, 2)]
    assert_same_result(*fits)
    assert differ(fits[0], small(estimator, n_generations=1).fit(X, y))


def test_a_pipeline_routes_inside(rng, routing, heard):
    """The configuration reaches the workers too, so that pipelines route there."""
    X, y = data(rng)
    weight = np.abs(X[:, 0])
    inner = make_pipeline(StandardScaler().set_fit_request(sample_weight=False),
                          GaussianNB().set_fit_request(sample_weight=True))
    options = {"scoring": weighing(sample_weight=False), "n_generations": 1}
    one, two = (small(inner, n_jobs=n, **options).fit(X, y, sample_weight=weight) for n in (1, 2))
    assert_same_result(one, two)
    assert differ(one, small(inner, **options).fit(X, y))


def test_inside_a_pipeline_the_selector_gets_its_share(rng, routing, heard):
    """The weights that the selector's estimator requested come through the pipeline around it."""
    X, y = data(rng)
    estimator = Listening().set_fit_request(sample_weight=True)
    outer = make_pipeline(small(estimator, scoring=weighing(sample_weight=False), n_generations=0),
                          GaussianNB().set_fit_request(sample_weight=False))
    outer.fit(X, y, sample_weight=np.ones(len(y)))
    assert heard
    assert all(weight is not None for _, _, weight, _ in heard)


def test_unrequested_metadata_are_scikit_learn_s_errors(rng, routing):
    """Requests that were not set, and metadata that nobody knows."""
    X, y = data(rng)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        small(GaussianNB()).fit(X, y, sample_weight=np.ones(48))
    for estimator in (None, GaussianNB().set_fit_request(sample_weight=True)):
        with pytest.raises(TypeError, match=r"MOELIGASelector\.fit got unexpected argument.*colour"):
            small(estimator).fit(X, y, colour="red")
    with pytest.raises(TypeError, match=r"MOELIGASelector\.fit got unexpected argument.*groups"):
        small(GaussianNB(), cv=StratifiedKFold(2)).fit(X, y, groups=np.ones(48))


def test_routing_of_a_selector(rng):
    """Three objects, each called by fit; a generator of splits is not used up by the question."""
    X, y = data(rng)
    routing = get_routing_for_object(small(GaussianNB(), cv=3))
    assert {name for name, _ in routing} == {"estimator", "splitter", "scorer"}
    for name, method in (("estimator", "fit"), ("splitter", "split"), ("scorer", "score")):
        (pair,) = routing._route_mappings[name].mapping
        assert (pair.caller, pair.callee) == ("fit", method)
    selector = small(GaussianNB(), cv=StratifiedKFold(3).split(X, y))
    selector.get_metadata_routing()
    with sklearn.config_context(enable_metadata_routing=True):
        assert_same_result(selector.fit(X, y), small(GaussianNB(), cv=3).fit(X, y))


# workers


def test_neither_one_job_nor_none_needs_joblib(rng, monkeypatch):
    """n_jobs=1, and None where joblib has not been loaded, are plain loops: they work without joblib."""
    X, y = data(rng)
    options = {"estimator": GaussianNB(), "cv": KFold(3), "objectives": ("uar", "separability")}
    ref = small(**options).fit(X, y)
    for name in [name for name in sys.modules if name.partition(".")[0] == "joblib"] + ["sklearn.utils.parallel"]:
        monkeypatch.setitem(sys.modules, name, None)
    for n_jobs in (1, None):
        assert_same_result(small(**options, n_jobs=n_jobs).fit(X, y), ref)
        assert_same_result(small(n_jobs=n_jobs).fit(X, y), small(n_jobs=1).fit(X, y))
    with pytest.raises(ImportError):
        small(**options, n_jobs=2).fit(X, y)


def test_one_pool_for_a_fit(rng, monkeypatch):
    """All generations, local improvement and re-scoring share it; each generation is a few batches."""
    import sklearn.utils.parallel as module

    pools, calls = [], []

    class Counting(module.Parallel):
        def __init__(self, **options):
            pools.append(self)
            super().__init__(**options)

        def __call__(self, tasks):
            tasks = list(tasks)
            calls.append(len(tasks))
            return super().__call__(tasks)

    monkeypatch.setattr(module, "Parallel", Counting)
    X, y = data(rng)
    options = {"local_improvement": LOCAL, "population_size": 20, "n_generations": 3}
    selector = small(GaussianNB(), n_jobs=2, **options).fit(X, y)
    assert len(pools) == 1
    assert len(calls) > selector.n_evaluations_ / 20
    assert max(calls) == 8
    assert_same_result(selector, small(GaussianNB(), **options).fit(X, y))


def described(scorer):
    """What a worker finds in its copy of the scorer: for each array whether and how it is shared."""
    arrays = {name: value for name, value in vars(scorer).items() if isinstance(value, np.ndarray)}
    arrays |= {"weight": scorer.metadata.fit["sample_weight"], "cv": scorer.splits.rows}
    if sparse.issparse(scorer.X):
        arrays |= {"X": scorer.X.data, "indices": scorer.X.indices}
    return os.getpid(), {name: (array.filename, array.flags.writeable) if isinstance(array, np.memmap) else array.nbytes
                         for name, array in arrays.items()}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_workers_share_one_copy_of_the_data(rng, monkeypatch, form):
    """X, weights and splits are read-only maps of the same files in every worker and every generation."""
    from sklearn.utils.parallel import delayed

    found, score = [], EstimatorScorer.score

    def watched(scorer, *arguments):
        found.extend(scorer.pool(delayed(described)(scorer) for _ in range(4)))
        return score(scorer, *arguments)

    monkeypatch.setattr(EstimatorScorer, "score", watched)
    X, y = data(rng, n_samples=2000)
    small(BernoulliNB(), cv=LeaveOneGroupOut(), n_jobs=2, objectives=("uar",), population_size=4, n_elite=1,
          generation_gap=1).fit(form(holes(X, rng)), np.array(["no", "yes"], dtype=object)[y],
                                sample_weight=np.ones(2000), groups=np.arange(2000) % 5)
    assert len(found) == 4 * 4
    assert os.getpid() not in {process for process, _ in found}
    for _, arrays in found:
        assert arrays == found[0][1]
        assert not any(arrays[name][1] for name in ("X", "weight", "cv", "labels"))
        assert all(size <= SHARED_BYTES for size in arrays.values() if isinstance(size, int))


class Cautious(GaussianNB):
    """A classifier that refuses to work where it could take more than one processor."""

    def fit(self, X, y):
        assert joblib.effective_n_jobs(-1) == 1 or self.var_smoothing == 1
        assert {library["num_threads"] for library in threadpool_info()} <= {1}
        return super().fit(X, y)


def threads():
    """Threads of each BLAS and OpenMP library."""
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


@pytest.mark.parametrize(("backend", "n_jobs"), [("loky", 1), ("loky", 2), ("threading", 2)])
def test_estimators_have_one_thread(rng, backend, n_jobs):
    """BLAS, OpenMP and, in workers, joblib, though two were allowed; afterwards all is as it was."""
    options = {"inner_max_num_threads": 2} if backend == "loky" else {}
    with threadpool_limits(2):
        before = threads()
        with joblib.parallel_config(backend, **options):
            small(Cautious(var_smoothing=1 if n_jobs == 1 else 1e-9), n_jobs=n_jobs, n_generations=1).fit(*data(rng))
        assert threads() == before


class Pressing(GaussianNB):
    """A classifier during whose fit a terminal sends Ctrl-C to the worker."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGINT)
        return super().fit(X, y)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_in_a_terminal_leaves_the_workers_alone(rng):
    """The signal reaches the whole process group; the search decides, and its workers finish their work."""
    X, y = data(rng)
    assert_same_result(small(Pressing(), n_jobs=2).fit(X, y), small(GaussianNB()).fit(X, y))


def press(state):
    """A callback during which Ctrl-C is pressed."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_the_search_with_workers_too(rng, n_jobs):
    """The front so far is the result."""
    selector = small(GaussianNB(), n_jobs=n_jobs, n_generations=10**6, callbacks=press).fit(*data(rng))
    assert selector.stop_reason_ == "interrupt"
    assert selector.support_.any()


class Failing(GaussianNB):
    """A classifier that cannot."""

    def fit(self, X, y):
        raise ZeroDivisionError("mine")


def test_an_error_in_a_worker_comes_through(rng):
    """With its own type and words."""
    with pytest.raises(ZeroDivisionError, match="mine"):
        small(Failing(), n_jobs=2).fit(*data(rng))


def test_inside_other_workers_there_are_no_more_workers_than_their_share(rng):
    """Nested in a grid search of two processes, each with two jobs: the same scores."""
    X, y = data(rng)
    pipeline = make_pipeline(small(GaussianNB(), n_jobs=2, n_generations=0), GaussianNB())
    grid = {"moeligaselector__n_splits": [1, 2]}
    one, two = (GridSearchCV(pipeline, grid, cv=2, n_jobs=n, error_score="raise").fit(X, y) for n in (1, 2))
    assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    scores = cross_val_score(pipeline, X, y, cv=2, n_jobs=2, error_score="raise")
    pipeline.set_params(moeligaselector__n_jobs=1)
    assert_array_equal(scores, cross_val_score(pipeline, X, y, cv=2, error_score="raise"))


@pytest.mark.parametrize("splits", [
    lambda X, y: [(list(range(0, 48, 2)), tuple(range(1, 48, 2))), (np.arange(24), np.arange(30, 48))],
    lambda X, y: ((X[:, 0] > cut, X[:, 0] <= cut) for cut in (-0.3, 0.5)),
    lambda X, y: LeaveOneOut(),
    lambda X, y: StratifiedKFold(3).split(X, y),
], ids=["indices", "masks", "one out", "generator"])
def test_any_splits_in_any_number_of_workers(rng, splits):
    """Lists, tuples, masks, generators: scores are those of cross_val_score on the same splits."""
    X, y = data(rng)
    kwargs = {"scoring": "accuracy", "n_generations": 1}
    one, two = (small(GaussianNB(), cv=splits(X, y), n_jobs=n, **kwargs).fit(X, y) for n in (1, 2))
    assert_same_result(one, two)
    for mask, score in zip(one.pareto_front_.supports, one.pareto_front_.score, strict=True):
        again = splits(X, y)
        again = again if hasattr(again, "split") else list(again)
        scores = cross_val_score(GaussianNB(), X[:, mask], y, cv=again, scoring="accuracy")
        assert_allclose(score, np.mean(scores), rtol=1e-14)


def test_splits_are_kept_in_order():
    """Parts of different sizes, empty ones among them, come back as they were."""
    parts = [([0, 2], [1]), ([3], []), (np.array([True, False, True, True]), np.array([1]))]
    splits = Splits(parts, 4)
    assert len(splits) == 3
    assert [(train.tolist(), test.tolist()) for train, test in splits] == [
        ([0, 2], [1]), ([3], []), ([0, 2, 3], [1])]
    assert len(Splits([], 4)) == 0
    assert list(Splits([], 4)) == []


# sparse and missing data

FORMS = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.csc_matrix, sparse.lil_array]
DENSE = FunctionTransformer(lambda X: X.toarray() if sparse.issparse(X) else X, accept_sparse=True)


@pytest.mark.parametrize("options", [
    {},
    {"estimator": DecisionTreeClassifier(max_depth=2), "local_improvement": LOCAL},
    {"cv": 3},
    {"scoring": "accuracy", "objectives": ("uar", "cardinality")},
    {"estimator": SklearnTree()},
    {"estimator": SklearnTree(max_depth=3), "objectives": ("uar", "cardinality"), "n_jobs": 2},
    {"estimator": make_pipeline(DENSE, StandardScaler(), LogisticRegression())},
    {"objectives": ("cardinality", "uar")},
], ids=["compiled", "local", "cv", "scoring", "tree", "workers", "linear", "no separability"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_give_the_result_of_the_dense(rng, options, form):
    """Bit for bit: compiled and external, scored on drawn and on fixed splits."""
    X, y = data(rng, n_classes=3)
    X = holes(X, rng)
    got, ref = small(**options).fit(form(X), y), small(**options).fit(X, y)
    assert_same_result(got, ref)
    assert_array_equal(got.transform(form(X)).toarray(), X[:, got.support_])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("estimator", [None, BernoulliNB()], ids=["compiled", "external"])
def test_every_sparse_format_will_do(rng, form, estimator):
    """CSR, CSC and what is converted to them, arrays and matrices; transform gives a sparse result."""
    X, y = data(rng)
    X = holes(X, rng)
    given = form(X)
    selector = small(estimator).fit(given, y)
    assert_same_result(selector, small(estimator).fit(X, y))
    assert sparse.issparse(selector.transform(given))
    assert_array_equal(selector.transform(given).toarray(), selector.transform(X))


def test_cells_given_in_parts_are_summed(rng):
    """A sparse X with repeated and explicit zero cells is the matrix it stands for."""
    X, y = data(rng)
    X = holes(X, rng)
    row, column = np.nonzero(np.ones_like(X))
    parts = np.concatenate([X.ravel() - 1, np.ones(X.size)])
    pieces = sparse.coo_array((parts, (np.tile(row, 2), np.tile(column, 2))), shape=X.shape)
    given = sparse.csr_array((48, 9))
    order = np.argsort(np.tile(row, 2), kind="stable")
    given.data, given.indices = parts[order], np.tile(column, 2)[order].astype(np.int32)
    given.indptr = np.arange(49, dtype=np.int32) * 18
    whole = pieces.toarray()
    for estimator in (None, BernoulliNB()):
        assert_same_result(small(estimator).fit(given, y), small(estimator).fit(whole, y))


class Format(BernoulliNB):
    """A classifier that tells what it was given."""

    seen = set()

    def fit(self, X, y):
        Format.seen.add((type(X), X.dtype.name))
        return super().fit(X, y)


@pytest.mark.parametrize(("form", "expected"), [(sparse.csr_matrix, sparse.csr_matrix),
                                                (sparse.csc_array, sparse.csr_array)])
def test_an_estimator_that_takes_sparse_data_never_sees_dense(rng, monkeypatch, form, expected):
    """Without separability nothing is made dense or coded, in the search or before it."""

    def refused(*arguments, **options):
        raise AssertionError("coded")

    def guarded(toarray):
        def guard(array, *arguments, **options):
            assert array.dtype != np.float32, "X was made dense"  # scikit-learn may do so to its own integers
            return toarray(array, *arguments, **options)

        return guard

    X, y = data(rng)
    given = form(holes(X, rng).astype(np.float32))
    Format.seen = set()
    for kind in {type(given), expected}:
        monkeypatch.setattr(kind, "toarray", guarded(kind.toarray))
    monkeypatch.setattr(Dataset, "encode", refused)
    small(Format(), objectives=("uar", "cardinality")).fit(given, y)
    assert Format.seen == {(expected, "float32")}


def test_callables_get_x_as_it_was_given(rng):
    """A sparse X is not made dense for them either."""
    X, y = data(rng)
    seen = set()

    def objective(mask, X, y):
        seen.add(type(X))
        return float(mask.sum())

    small(objectives=("uar", objective)).fit(sparse.csc_array(X), y)
    assert seen == {sparse.csc_array}


@pytest.mark.parametrize("estimator", [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB()),
                                       make_pipeline(MaxAbsScaler(), GaussianNB()), make_pipeline(GaussianNB())],
                         ids=str)
def test_sparse_data_are_refused_where_the_estimator_refuses_them(rng, estimator):
    """With scikit-learn's words."""
    X, y = data(rng)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        small(estimator).fit(sparse.csr_array(X), y)


@pytest.mark.parametrize(("form", "change"), [
    (sparse.csr_array, lambda X: np.zeros_like(X)),
    (sparse.csc_array, lambda X: np.ones_like(X)),
    (np.asarray, lambda X: np.full_like(X, np.nan)),
    (np.asarray, lambda X: np.where(X > 0, 2.0, np.nan)),
    (sparse.csr_array, lambda X: np.where(X > 0, 2.0, np.nan)),
], ids=["zeros", "ones", "missing", "constant", "sparse constant"])
def test_constant_data_are_refused(rng, form, change):
    """Missing values do not count; zeros that are not stored do."""
    X, y = data(rng)
    with pytest.raises(ValueError, match="^X must have a feature with two distinct values"):
        small().fit(form(change(X)), y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_one_cell_that_differs_is_enough(rng, form):
    """A feature that is constant but for one cell, stored or not."""
    _, y = data(rng)
    for value in (0.0, 1.0):
        X = np.full((48, 3), value)
        X[5, 1] = 1.0 - value
        assert small().fit(form(X), y).support_.any()


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("estimator", [None, SklearnTree(), RandomForestClassifier(2)], ids=str)
def test_missing_values_reach_estimators_that_take_them(rng, estimator, form):
    """scikit-learn's trees take NaN, and so does the selector; through transform too."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    if form is not np.asarray and estimator is not None:
        with pytest.raises(ValueError, match="NaN"):  # scikit-learn's trees take missing values in dense X only
            small(estimator).fit(form(X), y)
        return
    selector = small(estimator).fit(form(X), y)
    if form is not np.asarray:
        assert_same_result(selector, small(estimator).fit(X, y))
    got = selector.transform(form(X))
    assert_array_equal(got.toarray() if sparse.issparse(got) else got, X[:, selector.support_])


def test_evaluate_subsets_takes_sparse_data(rng):
    """The same values as of the dense array."""
    X, y = data(rng)
    X, masks = holes(X, rng), np.eye(9, dtype=bool)
    assert_array_equal(evaluate_subsets(sparse.csr_array(X), y, masks, random_state=0),
                       evaluate_subsets(X, y, masks, random_state=0))


@pytest.mark.parametrize("estimator", [SklearnTree(), BernoulliNB(), HistGradientBoostingClassifier(max_iter=2),
                                       make_pipeline(MaxAbsScaler(), SklearnTree()), GaussianNB()], ids=str)
def test_tags_are_those_of_the_estimator(estimator):
    """Sparse data and missing values are taken as far as the estimator takes them."""
    got, ref = small(estimator).__sklearn_tags__().input_tags, clone(estimator).__sklearn_tags__().input_tags
    assert (got.sparse, got.allow_nan) == (ref.sparse, ref.allow_nan)


def test_tags_of_the_compiled_tree():
    """It takes both."""
    for estimator in (None, DecisionTreeClassifier()):
        tags = small(estimator).__sklearn_tags__().input_tags
        assert (tags.sparse, tags.allow_nan) == (True, True)


@pytest.mark.parametrize(("estimator", "expected"), [
    (BernoulliNB(), True),
    (GaussianNB(), False),
    (make_pipeline(MaxAbsScaler(), BernoulliNB()), True),
    (make_pipeline(DENSE, GaussianNB()), True),
    (make_pipeline("passthrough", DENSE, GaussianNB()), True),
    (make_pipeline(make_pipeline(DENSE, StandardScaler()), GaussianNB()), True),
    (make_pipeline(StandardScaler(), GaussianNB()), False),
    (make_pipeline("passthrough", GaussianNB()), False),
    (make_pipeline(GaussianNB()), False),
], ids=str)
def test_a_pipeline_that_makes_data_dense_may_try(estimator, expected):
    """Its first step decides, whatever its tag says; the search of a classifier that refuses does not begin."""
    assert takes_sparse(estimator) is expected


@parametrize_with_checks([
    small(SklearnTree(), n_generations=1),
    small(BernoulliNB(), n_generations=1, objectives=("uar", "cardinality")),
    small(HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2), n_generations=0, population_size=4,
          n_elite=1, generation_gap=1),
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
    assert_same_result(selector, small(estimator).fit(X, y))
    for out in ("pandas", "polars"):
        got = selector.set_output(transform=out).transform(frame)
        assert type(got) is type(frame_of(out, X))
        assert list(got.columns) == selector.get_feature_names_out().tolist()
        assert_array_equal(got.to_numpy(), X[:, selector.support_])
    assert_array_equal(selector.set_output(transform="default").transform(frame), X[:, selector.support_])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_in_a_pipeline_and_a_grid_search_of_two_processes(rng, kind):
    """Names survive a step before and a step after, in every fold and process."""
    X, y = data(rng)
    pipeline = make_pipeline(StandardScaler(), small(GaussianNB(), n_generations=1), GaussianNB())
    pipeline.set_output(transform=kind)
    grid = {"moeligaselector__n_splits": [1, 2]}
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
    assert_same_result(selector, small(GaussianNB(), n_generations=1).fit(X, codes))


def test_labels_keep_their_type_in_every_part(rng, heard):
    """dtype and values, in training and validation."""
    X, y = data(rng)
    for labels in (np.array(["no", "yes"], dtype=object), np.array([True, False]), np.array([7, 2], dtype=np.int8)):
        heard.clear()
        small(Listening(), n_generations=0).fit(X, labels[y])
        assert {part.dtype for _, part, _, _ in heard} == {labels.dtype}
        assert {value for _, part, _, _ in heard for value in part.tolist()} == set(labels.tolist())


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
        assert_same_result(small(estimator, n_generations=1, n_jobs=n_jobs).fit(variant, y), ref)


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
