"""Honest scores by plain loops with scikit-learn."""

import math
import re
import statistics
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    get_scorer,
    log_loss,
    make_scorer,
    r2_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from cross_fitted import assert_same_front, data, small
from moeliga.results.front import ParetoFront
from moeliga.results.honesty import Honesty

ROWS = np.random.default_rng(5).permutation(48)
PAIRS = [(np.setdiff1d(np.arange(48), part), part) for part in np.array_split(ROWS, 3)]


def pooled(model, method, X, y, masks, classes=None):
    """The targets and the answers of all folds, by a plain loop; classes that a model has not seen are 0."""
    answers = []
    for (train, test), mask in zip(PAIRS, masks, strict=True):
        fitted = clone(model).fit(X[:, mask][train], y[train])
        answer = getattr(fitted, method)(X[:, mask][np.sort(test)])
        if classes is not None and len(fitted.classes_) < len(classes):
            wide = np.zeros((len(test), len(classes)))
            wide[:, np.isin(classes, fitted.classes_)] = answer
            answer = wide
        answers.append(answer)
    return y[np.concatenate([np.sort(test) for _, test in PAIRS])], np.concatenate(answers)


def regression(rng):
    X = rng.normal(size=(48, 9))
    return X, X[:, 0] + 0.5 * X[:, 3] + rng.normal(size=48)


def texts(rng):
    X, y = data(rng, n_classes=3)
    return X, np.array(["low", "mid", "top"])[y]


def rare(rng):
    """The third class is held out by one fold alone, whose model has not seen it."""
    X, y = data(rng)
    y[PAIRS[1][1][:4]] = 2
    return X, y


def value_by_row(model, X, y):
    """A scorer that looks at X, the numbers of rows: what each row is worth."""
    assert X.shape == (len(y), 1)
    return float(np.sum(np.sqrt(1 + X[:, 0]) * (model.predict(X) == y)))


PLAIN = {
    "uar": (data, GaussianNB(), None, "predict", lambda y, answer: balanced_accuracy_score(y, answer)),
    "uar of texts": (texts, GaussianNB(), None, "predict", lambda y, answer: balanced_accuracy_score(y, answer)),
    "uar of a pipeline": (texts, make_pipeline(StandardScaler(), RidgeClassifier()), None, "predict",
                          lambda y, answer: balanced_accuracy_score(y, answer)),
    "uar without a class": (rare, GaussianNB(), None, "predict", lambda y, answer: balanced_accuracy_score(y, answer)),
    "r2": (regression, LinearRegression(), None, "predict", lambda y, answer: r2_score(y, answer)),
    "roc_auc": (data, GaussianNB(), "roc_auc", "predict_proba", lambda y, answer: roc_auc_score(y, answer[:, 1])),
    "roc_auc of decisions": (data, RidgeClassifier(), "roc_auc", "decision_function", roc_auc_score),
    "neg_log_loss": (texts, GaussianNB(), "neg_log_loss", "predict_proba", lambda y, answer: -log_loss(y, answer)),
    "neg_log_loss without a class": (rare, GaussianNB(), "neg_log_loss", "predict_proba",
                                     lambda y, answer: -log_loss(y, answer)),
    "scorer": (data, GaussianNB(), get_scorer("f1"), "predict",
               lambda y, answer: 2 * np.sum(answer * y) / (np.sum(answer) + np.sum(y))),
    "function of rows": (texts, GaussianNB(), value_by_row, "predict",
                         lambda y, answer: sum(math.sqrt(1 + row) * bool(hit) for row, hit in zip(
                             np.concatenate([np.sort(test) for _, test in PAIRS]), answer == y, strict=True))),
}


DEAR = ("uar of texts", "uar of a pipeline", "roc_auc of decisions", "neg_log_loss without a class")


@pytest.fixture(scope="module", params=[
    pytest.param(name, marks=pytest.mark.slow) if name in DEAR else name for name in PLAIN])
def fitted(request):
    """A fitted selector, its data, and how its scores are made plainly."""
    make, model, scoring, method, score = PLAIN[request.param]
    X, y = make(np.random.default_rng(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moeliga.search.ranking.N_TREES", 3)
        patch.setattr("moeliga.validation.answers.N_SCORED", 5)
        patch.setattr("moeliga.validation.answers.LEAST_BOOTSTRAPS", 2)
        selector = small(model, scoring=scoring, honest=PAIRS).fit(X, y)
    return SimpleNamespace(selector=selector, X=X, y=y, model=model, method=method, score=score,
                           classes=None if method != "predict_proba" else np.unique(y))


def test_honest_scores_are_those_of_a_plain_loop(fitted):
    """Fit to the training rows of a fold's candidates, answer for the others, score the answers of all folds."""
    selector = fitted.selector
    scores = dict(zip(selector._answers.slots, selector._answers.honesty.score, strict=True))
    assert list(scores) == list(selector.fold_supports_)
    for slot, masks in selector.fold_supports_.items():
        y, answer = pooled(fitted.model, fitted.method, fitted.X, fitted.y, masks, fitted.classes)
        assert_allclose(scores[slot], fitted.score(y, answer), rtol=1e-12, atol=0)
    for front in (selector.pareto_front_, selector.baselines_):
        known = np.isfinite(front.honest_score)
        assert known.any()
        for place in np.flatnonzero(known):
            size = front.n_selected[place]
            assert front.honest_score[place] in [score for slot, score in scores.items()
                                                 if slot.source == front.source[place] and slot.least <= size]


def test_scores_of_folds_are_those_of_their_answers(fitted):
    """Where these have one."""
    answers = fitted.selector._answers
    found, n = answers.honesty.folds, len(PAIRS)
    assert found.shape == (len(answers.slots), n)
    for slot, masks in enumerate(fitted.selector.fold_supports_.values()):
        y, answer = pooled(fitted.model, fitted.method, fitted.X, fitted.y, masks, fitted.classes)
        if fitted.score.__code__.co_names[:1] == ("sum",) or len(set(y)) > len(set(fitted.y[PAIRS[0][1]])):
            continue
        for fold in range(n):
            part = slice(16 * fold, 16 * fold + 16)
            assert_allclose(found[slot, fold], fitted.score(y[part], answer[part]), rtol=1e-12, atol=0)


@pytest.mark.slow
def test_a_part_that_lacks_a_class_has_no_log_loss(monkeypatch):
    """Nor has a bootstrap sample; the score of all answers is known, and the choice is."""
    X, y = rare(np.random.default_rng(3))
    monkeypatch.setattr("moeliga.validation.answers.N_SCORED", 20)
    selector = small(scoring="neg_log_loss", honest=PAIRS).fit(X, y)
    front = selector.pareto_front_
    assert np.isnan(front.honest.folds[:, [0, 2]]).all()
    assert np.isfinite(front.honest_score).any()
    assert math.isfinite(selector.honest_score_)
    assert_same_front(ParetoFront.from_json(front.to_json()), front)


@pytest.mark.parametrize(("scoring", "error", "message"), [
    ("roc_auc", ValueError, "scoring='roc_auc' is for two classes, got 3"),
    (lambda model, X, y: "good", TypeError, "scoring must return a number, got 'good'"),
])
def test_a_scorer_that_has_no_score_of_all_answers_is_an_error(rng, scoring, error, message):
    """Its own, or that of the rule."""
    X, y = data(rng, n_classes=3)
    with pytest.raises(error, match=message):
        small(scoring=scoring).fit(X, y)


def test_a_score_that_is_not_finite_is_unknown(rng):
    """Members with it are not chosen by it."""
    X, y = data(rng)
    selector = small(scoring=lambda model, X, y: -math.inf).fit(X, y)
    assert np.isnan(selector.pareto_front_.honest_score).all()
    assert math.isnan(selector.honest_score_)
    assert selector.support_.any()


# standard errors


@pytest.mark.parametrize("n_folds", [2, 3, 7])
def test_standard_errors_are_nadeau_and_bengio_s(rng, n_folds):
    """In plain Python: the variance over the folds times 1 / K + the share of test to training samples."""
    folds, share = rng.random((5, n_folds)), 0.3
    honest = Honesty(folds.mean(axis=1), folds, share)
    for place, values in enumerate(folds.tolist()):
        wanted = math.sqrt(statistics.variance(values) * (1 / n_folds + share))
        assert_allclose(honest.errors()[place], wanted, rtol=1e-12)
    for one, other in [(0, 1), (2, 4)]:
        differences = (folds[one] - folds[other]).tolist()
        wanted = math.sqrt(statistics.variance(differences) * (1 / n_folds + share))
        assert_allclose(honest.errors(other)[one], wanted, rtol=1e-12)
    assert honest.errors(3)[3] == 0


def test_one_fold_has_no_error():
    """And no part of it."""
    honest = Honesty(np.ones(2), np.ones((2, 1)), 0.5)
    assert np.isnan(honest.errors()).all()
    assert honest.part([1]).folds.shape == (1, 1)


def test_the_share_is_that_of_the_folds(rng):
    """Held-out samples for each training sample, on average."""
    X, y = data(rng)
    pairs = [(np.arange(10, 48), np.arange(10)), (np.arange(24), np.arange(24, 48))]
    front = small(honest=pairs).fit(X, y).pareto_front_
    assert_allclose(front.honest.share, (10 / 38 + 24 / 24) / 2, rtol=1e-15)


@pytest.mark.quick(1)
@pytest.mark.parametrize("target", [False, True])
def test_a_usual_score_is_the_same_by_any_of_its_names(rng, target):
    X, y = regression(rng) if target else data(rng)
    model = LinearRegression() if target else GaussianNB()
    found = [small(model, scoring=name).fit(X, y) for name in (
        (None, "r2") if target else (None, "uar", "balanced_accuracy"))]
    for other in found[1:]:
        assert (other.honest_score_, other.honest_interval_) == (found[0].honest_score_, found[0].honest_interval_)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("scoring", "least"), [
    ("accuracy", 0), ("f1_macro", 0), ("roc_auc", 0), ("matthews_corrcoef", -1), ("neg_log_loss", -math.inf),
    (make_scorer(accuracy_score), -math.inf)], ids=lambda value: str(value)[:20])
def test_scores_that_begin_at_0_have_no_interval_below(rng, scoring, least):
    X, y = rng.normal(size=(12, 6)), np.arange(12) % 2
    selector = small(scoring=scoring).fit(X, y)
    assert selector._answers.score_bounds[0] == least
    assert selector.honest_interval_[0] >= least


def test_a_class_of_one_sample_does_not_count(rng):
    """No model has learnt it that is asked for it."""
    X, y = data(rng)
    y[5] = 2
    with pytest.warns(UserWarning, match="UAR does not count this class"):
        selector = small().fit(X, y)
    answers = selector._answers
    for predicted, score in zip(answers.answers["predict"], answers.honesty.score, strict=True):
        assert score == pytest.approx(recall_score(answers.y, predicted, labels=[0, 1], average="macro"))


def reject(model, other):
    """A fitted model of which every third answer is another label."""
    class Rejecting(GaussianNB):
        def predict(self, X):
            found = super().predict(X).astype(object)
            found[::3] = other
            return np.array(found.tolist())

    return Rejecting()


@pytest.mark.quick(1)
@pytest.mark.parametrize("scoring", [None, "accuracy", "f1_macro"])
@pytest.mark.parametrize(("labels", "other"), [
    ([3, 7], -1), ([3, 7], 5), ([3, 7], 9), (["no", "yes"], "maybe"), (["no", "yes"], "zero"),
    ([False, True], 7)])
def test_an_answer_that_is_none_of_the_classes_is_wrong(rng, labels, other, scoring):
    """As scikit-learn's scores have it; it had counted as the next class."""
    X, y = data(rng)
    y = np.array(labels)[y]
    selector = small(reject(GaussianNB, other), scoring=scoring, honest=PAIRS).fit(X, y)
    front = selector.pareto_front_
    truth, predicted = pooled(reject(GaussianNB, other), "predict", X, y, [np.ones(9, dtype=bool)] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = {None: lambda: recall_score(truth, predicted, labels=labels, average="macro"),
                    "accuracy": lambda: accuracy_score(truth, predicted),
                    "f1_macro": lambda: f1_score(truth, predicted, average="macro")}[scoring]()
    assert front.honest_score[front.source == "all"][0] == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The least populated class", "ignore:y has 1 class")
def test_decisions_between_pairs_are_left_out_where_a_fold_lacks_a_class(rng):
    """Predictions are all that the score needs."""
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 4
    y[7] = 9
    selector = small(SVC(decision_function_shape="ovo"), scoring="accuracy").fit(X, y)
    assert np.isfinite(selector.honest_score_)


@pytest.mark.slow
def test_a_rule_without_standard_errors_says_so(rng):
    """Folds of one sample have no area under a curve."""
    X, y = data(rng)
    selector = small(scoring="roc_auc", honest=LeaveOneOut(), rule="one_se")
    with pytest.warns(UserWarning, match="rule='r1' was used"):
        selector.fit(X[:16], y[:16])
    assert selector.index_ == selector.pareto_front_.choose("r1")
    assert "Chosen by rule 'r1'" in repr(selector.summary())
    with pytest.raises(ValueError, match="honest scores have none: fewer than two folds have a score"):
        selector.select("one_se")


@pytest.mark.quick(1)
@pytest.mark.parametrize(("scoring", "unit"), [("neg_median_absolute_error", False), (None, True)])
def test_r1_is_of_scores_up_to_1(rng, scoring, unit):
    """Of the deployed model's, whatever guides the search; files know it, too."""
    selector = small(LinearRegression(), scoring=scoring).fit(*regression(rng))
    for front in (selector.pareto_front_, ParetoFront.from_json(selector.pareto_front_.to_json())):
        assert np.isfinite(front.r1[np.isfinite(front.honest_score)]).all() == unit
        for rule in ("r1", "r1_lambda"):
            if unit:
                assert front.choose(rule) == selector.pareto_front_.choose(rule)
            else:
                with pytest.raises(ValueError, match=f"rule='{rule}' needs a score in .0, 1., which honest scores are"):
                    front.choose(rule)
    rules = {row["rule"] for row in selector.summary().rows}
    assert ("r1" in rules) == unit


@pytest.mark.parametrize("change", [lambda found: found[:-1], lambda found: np.column_stack((found, found)),
                                    lambda found: np.append(found, 0), lambda found: found[0]],
                         ids=["one less", "two columns", "one more", "a number"])
def test_answers_for_other_samples_than_were_asked_for_are_an_error(rng, change):
    """Which names the method and both numbers, and where it was."""
    class Wrong(GaussianNB):
        def predict(self, X):
            return change(super().predict(X))

    message = r"^estimator must give one answer for each sample, but Wrong.predict gave shape \(.*\) for 16 samples\n"
    with pytest.raises(ValueError, match=message) as caught:
        small(Wrong()).fit(*data(rng))
    assert re.search("fitted to . of 9 features and 32 samples for fold 0 of honest", caught.value.__notes__[0])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_stops_an_iteration_is_told_of(rng, n_jobs):
    """Joblib's generators would make an error of it that says nothing of the model."""
    class Stopping(GaussianNB):
        def fit(self, X, y):
            raise StopIteration("mine")

    with pytest.raises(RuntimeError, match=r"^estimator raised StopIteration\('mine'\)\nestimator was fitted to "):
        small(Stopping(), n_jobs=n_jobs).fit(*data(rng))
