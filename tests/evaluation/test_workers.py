"""joblib workers: how many, what they share, what becomes of Ctrl-C and errors."""

import os
import signal
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from scipy import sparse
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn_objects import LOCAL, data, holes, small
from threadpoolctl import threadpool_info, threadpool_limits

from moeliga import MOGA
from moeliga.evaluation.estimator_scorer import SHARED_BYTES, EstimatorScorer, Splits


@pytest.mark.slow
def test_neither_one_job_nor_none_needs_joblib(rng, monkeypatch):
    """n_jobs=1, and None where joblib has not been loaded, are plain loops: they work without joblib."""
    X, y = data(rng)
    options = {"estimator": BernoulliNB(), "cv": KFold(3), "objectives": ("uar", "separability")}
    ref = small(**options).fit(X, y)
    for name in [name for name in sys.modules if name.partition(".")[0] == "joblib"] + ["sklearn.utils.parallel"]:
        monkeypatch.setitem(sys.modules, name, None)
    for n_jobs in (1, None):
        assert_same(small(**options, n_jobs=n_jobs).fit(X, y), ref)
        assert_same(small(n_jobs=n_jobs).fit(X, y), small(n_jobs=1).fit(X, y))
    with pytest.raises(ImportError):
        small(**options, n_jobs=2).fit(X, y)


@pytest.mark.slow
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
    # however slow the machine is, no batch is cut for time
    monkeypatch.setattr("moeliga.evaluation.estimator_scorer.BATCH_SECONDS", 1e9)
    X, y = data(rng)
    options = {"local_improvement": LOCAL, "population_size": 20, "n_generations": 3, "survival": MOGA(2, 2)}
    selector = small(BernoulliNB(), n_jobs=2, **options).fit(X, y)
    assert len(pools) == 1
    assert len(calls) > selector.n_evaluations_ / 20
    assert max(calls) == 8
    assert_same(selector, small(BernoulliNB(), **options).fit(X, y))


def described(scorer):
    """What a worker finds in its copy of the scorer: for each array whether and how it is shared."""
    arrays = {name: value for name, value in vars(scorer).items() if isinstance(value, np.ndarray)}
    arrays |= {"weight": scorer.metadata.fit["sample_weight"], "cv": scorer.splits.rows}
    if sparse.issparse(scorer.X):
        arrays |= {"X": scorer.X.data, "indices": scorer.X.indices}
    return os.getpid(), {name: (array.filename, array.flags.writeable) if isinstance(array, np.memmap) else array.nbytes
                         for name, array in arrays.items()}


@pytest.mark.quick(1)
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
    selector = small(BernoulliNB(), cv=LeaveOneGroupOut(), n_jobs=2, objectives=("uar",), population_size=4,
                     n_generations=2)
    selector.fit(form(holes(X, rng)), np.array(["no", "yes"], dtype=object)[y], sample_weight=np.ones(2000),
                 groups=np.arange(2000) % 5)
    assert len(found) >= 4 * 4 and len(found) % 4 == 0  # the initial population may go in several pieces
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


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "n_jobs"), [("loky", 1), ("loky", 2), ("threading", 2)])
def test_estimators_have_one_thread(rng, backend, n_jobs):
    """BLAS, OpenMP and, in workers, joblib, though two were allowed; afterwards all is as it was."""
    options = {"inner_max_num_threads": 2} if backend == "loky" else {}
    with threadpool_limits(2):
        before = threads()
        with joblib.parallel_config(backend, **options):
            small(Cautious(var_smoothing=1 if n_jobs == 1 else 1e-9), n_jobs=n_jobs, n_generations=1).fit(*data(rng))
        assert threads() == before


class Pressing(BernoulliNB):
    """A classifier during whose fit a terminal sends Ctrl-C to the worker."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGINT)
        return super().fit(X, y)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_in_a_terminal_leaves_the_workers_alone(rng):
    """The signal reaches the whole process group; the search decides, and its workers finish their work."""
    X, y = data(rng)
    assert_same(small(Pressing(), n_jobs=2).fit(X, y), small(BernoulliNB()).fit(X, y))


def press(state):
    """A callback during which Ctrl-C is pressed."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_the_search_with_workers_too(rng, n_jobs):
    """The front so far is the result."""
    selector = small(BernoulliNB(), n_jobs=n_jobs, n_generations=10**6, callbacks=press).fit(*data(rng))
    assert selector.stop_reason_ == "interrupt"
    assert selector.support_.any()


class Failing(BernoulliNB):
    """A classifier that cannot."""

    def fit(self, X, y):
        raise ZeroDivisionError("mine")


def test_an_error_in_a_worker_comes_through(rng):
    """With its own type and words."""
    with pytest.raises(ZeroDivisionError, match="mine"):
        small(Failing(), n_jobs=2).fit(*data(rng))


@pytest.mark.slow
def test_inside_other_workers_there_are_no_more_workers_than_their_share(rng):
    """Nested in a grid search of two processes, each with two jobs: the same scores."""
    X, y = data(rng)
    pipeline = make_pipeline(small(BernoulliNB(), n_jobs=2, n_generations=0), BernoulliNB())
    grid = {"moeligaselector__evaluation__n_splits": [1, 2]}
    one, two = (GridSearchCV(pipeline, grid, cv=2, n_jobs=n, error_score="raise").fit(X, y) for n in (1, 2))
    assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    scores = cross_val_score(pipeline, X, y, cv=2, n_jobs=2, error_score="raise")
    pipeline.set_params(moeligaselector__n_jobs=1)
    assert_array_equal(scores, cross_val_score(pipeline, X, y, cv=2, error_score="raise"))


@pytest.mark.slow
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
    one, two = (small(BernoulliNB(), cv=splits(X, y), n_jobs=n, **kwargs).fit(X, y) for n in (1, 2))
    assert_same(one, two)
    for mask, score in zip(one.pareto_front_.supports, one.pareto_front_.score, strict=True):
        again = splits(X, y)
        again = again if hasattr(again, "split") else list(again)
        scores = cross_val_score(BernoulliNB(), X[:, mask], y, cv=again, scoring="accuracy")
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
