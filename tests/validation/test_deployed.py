"""The deployed model: which rows and columns it is fitted to, and that it is the same for any number of workers."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from scipy.sparse import csc_matrix, csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn_objects import Listening

import moeliga
from cross_fitted import data, problem
from moeliga.base.budget import Interrupted
from moeliga.data.problem import Problem
from moeliga.evaluation.metadata import Metadata
from moeliga.validation.deployed import Deployed

TRAIN, TEST = np.arange(30), np.arange(30, 48)


def masks_of(rng, n=6):
    masks = rng.random((n, 9)) < 0.5
    masks[:, 0] = True
    masks[3] = masks[0]
    return masks


def asked(model, X, y, masks, key, *, n_jobs=1, fit=None, fold=0, every=True, train=TRAIN):
    deployed = Deployed(model, Problem.from_data(X, y, False), Metadata(fit or {}, {}, {}, len(y)), key, n_jobs, every)
    return deployed.answers_for(masks, train, TEST, fold)


@pytest.mark.parametrize("labels", [np.array([0, 1, 2]), np.array(["u", "v", "w"])], ids=["numbers", "texts"])
@pytest.mark.parametrize("model", [GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())],
                         ids=["model", "pipeline"])
def test_answers_are_those_of_a_plain_loop(rng, key, model, labels):
    """Fit on the training rows of the columns, answer for the others; bit for bit."""
    X, y = data(rng, n_classes=3)
    y, masks = labels[y], masks_of(rng)
    found = asked(model, X, y, masks, key)
    for place, mask in enumerate(masks):
        fitted = clone(model).fit(X[:, mask][TRAIN], y[TRAIN])
        assert_array_equal(labels[found["predict"][place]], fitted.predict(X[:, mask][TEST]))
        assert_array_equal(found["predict_proba"][place], fitted.predict_proba(X[:, mask][TEST]))
    assert set(found) == {"predict", "predict_proba"} | ({"decision_function"} & set(dir(model)))


@pytest.mark.parametrize(("labels", "kind"), [([0, 1], str), ([False, True], str), (["0", "1"], int),
                                              (["0", "1"], object)], ids=str)
def test_predicted_labels_of_another_kind_are_refused(rng, key, labels, kind):
    """As scikit-learn's scores refuse them: they are none of the classes, and would score 0."""
    class Other(GaussianNB):
        def predict(self, X):
            return super().predict(X).astype(int if kind is object else kind).astype(kind)

    X, y = data(rng)
    y = np.array(labels)[y]
    with pytest.raises(ValueError, match="mix of|same type|Mix of"):
        balanced_accuracy_score(y, Other().fit(X, y).predict(X))
    with pytest.raises(TypeError, match=r"^estimator must predict labels of y, such as .*, but Other.predict gave .*\n"
                                        "estimator was fitted to"):
        asked(Other(), X, y, masks_of(rng), key)


def test_classes_that_the_training_rows_lack(rng, key):
    """Their columns are 0."""
    X, y = data(rng, n_classes=3)
    train, masks = TRAIN[y[TRAIN] != 1], masks_of(rng)
    found = asked(GaussianNB(), X, y, masks, key, train=train)
    for place, mask in enumerate(masks):
        fitted = GaussianNB().fit(X[train][:, mask], y[train])
        assert_array_equal(found["predict"][place], fitted.predict(X[:, mask][TEST]))
        assert_array_equal(found["predict_proba"][place][:, [0, 2]], fitted.predict_proba(X[:, mask][TEST]))
        assert not found["predict_proba"][place][:, 1].any()


@pytest.mark.parametrize("make", [csr_array, csc_matrix])
def test_sparse_x_is_answered_for_as_dense_x_is(rng, key, make):
    """Models get CSR."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.5] = 0
    masks, model = masks_of(rng), LogisticRegression(solver="liblinear")
    sparse = asked(model, make(X), y, masks, key)
    for place, mask in enumerate(masks):
        fitted = clone(model).fit(csr_array(X[:, mask][TRAIN]), y[TRAIN])
        assert_array_equal(sparse["predict"][place], fitted.predict(X[:, mask][TEST]))


def test_a_model_without_a_seed_answers_the_same_twice(rng, key):
    """Its seed is the search's and the fold's; one that it has is kept."""
    X, y = data(rng)
    masks, forest = masks_of(rng), RandomForestClassifier(3)
    one, same, other = (asked(forest, X, y, masks, key, fold=fold)["predict_proba"] for fold in (0, 0, 1))
    assert_array_equal(one, same)
    assert (one != other).any()
    assert_array_equal(one[0], one[3])
    forest.set_params(random_state=5)
    found = asked(forest, X, y, masks, key, fold=7)["predict_proba"]
    assert_array_equal(found[0], clone(forest).fit(X[:, masks[0]][TRAIN], y[TRAIN]).predict_proba(X[:, masks[0]][TEST]))


def test_any_number_of_workers_gives_the_same_bits(rng, key):
    """Threads, also those of an enclosing context."""
    X, y = data(rng)
    masks, model = masks_of(rng, 9), make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss"))
    one = asked(model, X, y, masks, key)
    others = [asked(model, X, y, masks, key, n_jobs=n_jobs) for n_jobs in (2, 5)]
    with parallel_config("threading", n_jobs=3):
        others.append(asked(model, X, y, masks, key, n_jobs=None))
    for other in others:
        assert one.keys() == other.keys()
        for name, values in one.items():
            assert_array_equal(values, other[name])


@pytest.mark.slow
def test_processes_give_the_same_bits(rng, key):
    """With loky."""
    X, y = data(rng)
    masks, model = masks_of(rng), RandomForestClassifier(3)
    one = asked(model, X, y, masks, key)
    with parallel_config("loky"):
        assert_array_equal(asked(model, X, y, masks, key, n_jobs=2)["predict_proba"], one["predict_proba"])


def test_weights_go_to_the_fit_with_the_training_rows(rng, key, heard):
    """Lists and arrays; what is no entry for each sample goes as it is. Equal masks are fitted once."""
    X, y = data(rng)
    weights, masks = rng.random(48), masks_of(rng)
    asked(Listening(), X, y, masks, key, fit={"sample_weight": weights, "tags": list(range(48)), "mode": "x"})
    assert len(heard) == 5
    for X_given, y_given, weights_given, others in heard:
        assert X_given.shape[0] == 30
        assert_array_equal(y_given, y[TRAIN])
        assert_array_equal(weights_given, weights[TRAIN])
        assert others == {"tags": list(range(30)), "mode": "x"}


def test_probabilities_are_not_asked_for_without_need(rng, key):
    """They may fail, or take long."""
    class Failing(GaussianNB):
        def predict_proba(self, X):
            raise ValueError("asked")

    X, y = data(rng)
    assert set(asked(Failing(), X, y, masks_of(rng), key, every=False)) == {"predict"}
    with pytest.raises(ValueError, match="^asked\nestimator was fitted to"):
        asked(Failing(), X, y, masks_of(rng), key)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_work_can_be_stopped_before_each_fit(rng, key, n_jobs):
    """What was begun is finished, and nothing else is left running."""
    X, y = data(rng)
    calls = []

    def check():
        calls.append(0)
        if len(calls) >= 3:
            raise Interrupted

    deployed = Deployed(GaussianNB(), problem(X, y), Metadata({}, {}, {}, 48), key, n_jobs, False)
    with pytest.raises(Interrupted):
        deployed.answers_for(masks_of(rng), TRAIN, TEST, 0, check)
    assert len(calls) == 4


@pytest.mark.parametrize("large", [False, True])
def test_large_forests_have_their_threads_inside(rng, key, monkeypatch, large):
    """One after the other, in this thread, where two would not be small together; the answers are the same."""
    X, y = data(rng)
    masks, seen, fit = masks_of(rng), [], moeliga.RandomForestClassifier.fit

    def watched(model, X, y):
        seen.append((model.n_jobs, threading.current_thread() is threading.main_thread()))
        return fit(model, X, y)

    model = moeliga.RandomForestClassifier(5)
    one = asked(model, X, y, masks, key)
    monkeypatch.setattr(moeliga.RandomForestClassifier, "fit", watched)
    if large:
        monkeypatch.setattr("moeliga.validation.deployed.PARALLEL_BYTES", 1000)
    found = asked(model, X, y, masks, key, n_jobs=2)
    assert {method: values.tobytes() for method, values in found.items()} == {
        method: values.tobytes() for method, values in one.items()}
    assert set(seen) == ({(2, True)} if large else {(None, False)})
    seen.clear()
    for others in (RandomForestClassifier(5), make_pipeline(model)):  # these have no threads that are the core's
        asked(others, X, y, masks, key, n_jobs=2)
    assert set(seen) == {(None, False)}
    with parallel_config("loky", n_jobs=2):  # workers of their own
        assert not Deployed(model, problem(X, y), Metadata({}, {}, {}, 48), key, None, False).threads_inside(30)


@pytest.mark.parametrize(("n_jobs", "limit", "asked", "seconds"), [
    (1, 1e9, [[1], [6], [1]], sum(1 + n for n in (2, 3, 9, 40))),
    (2, 1e9, [[1, 3], [6, 3], [1, 3]], 41),  # the largest is waited for
    (3, 1e9, [[1, 3, 6], [6, 3], [1, 3, 6]], 28 / 3),  # more than 9 features are not together
    (1, 50, [[1]], 4 * 102), (1, 105, [[1], [6]], 4 * 102)], ids=str)
def test_the_time_of_the_answers_is_told_from_two_sizes(rng, key, monkeypatch, n_jobs, limit, asked, seconds):
    """In a straight line, without what the first fit takes to begin, as many at a time as there will be; not beyond
    the time. A fit takes a second, and as much for each feature, here, and the first one a hundred more."""
    (X, y), now, fits = data(rng), [0.0], []

    def ask(self, masks, train, test, fold):
        fits.append(masks.sum(axis=1).tolist())
        now[0] += 1 + masks.sum(axis=1).max() + 100 * (len(fits) == 1)

    monkeypatch.setattr("moeliga.validation.deployed.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Deployed, "answers_for", ask)
    deployed = Deployed(GaussianNB(), Problem.from_data(X, y, False), Metadata({}, {}, {}, len(y)), key, n_jobs, False)
    masks = np.tri(9, dtype=bool)[[2, 8, 0, 5]]
    assert deployed.seconds(masks, [2, 3, 9, 40], TRAIN, TEST, lambda: now[0] > limit) == seconds
    assert fits == asked


def test_all_features_alone_tell_the_time_too(rng, key):
    X, y = data(rng)
    deployed = Deployed(GaussianNB(), Problem.from_data(X, y, False), Metadata({}, {}, {}, len(y)), key, 1, False)
    assert 0 < deployed.seconds(np.ones((1, 9), dtype=bool), [9, 9], TRAIN, TEST, lambda: False) < np.inf
