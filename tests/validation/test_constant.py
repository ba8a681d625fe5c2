"""A deployed model that learns nothing from the samples of a fold: its scores tell no subset from another."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier

from cross_fitted import data, metadata, small
from moeliga import NoLoss
from moeliga.results.front import ParetoFront
from moeliga.validation.answers import Answers
from moeliga.validation.candidates import Slot

MESSAGE = "^estimator predicts the same for all samples held out by a fold, whatever the features: it learns nothing"


def of_one_kind(predicted, y, fold):
    """Whether it is constant by plain loops: one answer for a fold, and samples of some fold that differ."""
    told = {f: {row[i] for row in predicted for i in range(len(fold)) if fold[i] == f} for f in fold}
    seen = {f: {y[i] for i in range(len(fold)) if fold[i] == f} for f in fold}
    return all(len(found) == 1 for found in told.values()) and any(len(found) > 1 for found in seen.values())


def test_constant_by_plain_loops(rng):
    """Folds of one sample, or of one class, say nothing of it; neither does a subset that is answered for otherwise."""
    seen = {True: 0, False: 0}
    for _ in range(300):
        fold = np.sort(rng.integers(4, size=rng.integers(1, 9)))  # some folds are empty
        y = rng.integers(2, size=len(fold)) if rng.random() < 0.7 else fold % 2
        predicted = np.tile(rng.integers(2, size=4)[fold], (3, 1))
        if rng.random() < 0.5:
            predicted[rng.integers(3), rng.integers(len(fold))] ^= 1
        slots = [Slot("search", 1, 2), Slot("forest", 3, 3), Slot("all", 9, 9)]
        answers = Answers(slots, np.arange(len(fold)), fold, {"predict": predicted}, y, np.arange(2), None,
                          metadata(len(fold)), np.arange(len(fold)), 0.25, np.array([3, 4], dtype=np.uint64),
                          np.zeros(0, dtype=np.int64))
        expected = of_one_kind(predicted.tolist(), y.tolist(), fold.tolist())
        assert answers.constant() == answers.honesty.constant == expected
        seen[expected] += 1
    assert min(seen.values()) > 30


def test_answers_of_another_method_that_differ_are_not_constant():
    """Predictions may be one class where probabilities tell samples apart."""
    y, decisions = np.arange(4) % 2, np.array([[0.1, 0.2, 0.1, 0.1]])
    alike = Answers([Slot("all", 9, 9)], np.arange(4), np.arange(4) // 2,
                    {"decision_function": np.full((1, 4), 0.1), "predict": np.zeros((1, 4), dtype=np.int64)}, y,
                    np.arange(2), None, metadata(4), np.arange(4), 1.0, np.array([3, 4], dtype=np.uint64),
                    np.zeros(0, dtype=np.int64))
    assert alike.constant()
    assert not replace(alike, answers={**alike.answers, "decision_function": decisions}).constant()


@pytest.mark.quick(1)
@pytest.mark.parametrize("model", [HistGradientBoostingClassifier(), HistGradientBoostingRegressor()], ids=str)
def test_all_features_are_kept(rng, model):
    """It is said in a warning and in the summary, survives JSON, and limits hold; other rules are as ever."""
    X, y = data(rng)
    if isinstance(model, HistGradientBoostingRegressor):
        y = X[:, 0] + rng.normal(size=len(y))
    with pytest.warns(UserWarning, match=f"{MESSAGE} from 32 samples, and honest scores cannot distinguish subsets$"):
        selector = small(model).fit(X, y)
    front = selector.pareto_front_
    assert front.honest.constant and selector.support_.all()
    assert selector.assess().difference_interval == (0.0, 0.0)
    assert any(sentence.startswith("The deployed model predicts the same for all samples of a fold, whatever the ")
               for sentence in selector.summary().sentences)
    again = ParetoFront.from_json(front.to_json())
    assert again.honest.constant and again.choose() == selector.index_
    most = max(size for size in front.n_selected[np.isfinite(front.honest_score)] if size < 9)
    assert front.n_selected[front.choose(max_features=7)] <= 7
    assert front.n_selected[front.choose(NoLoss(must_reduce=True))] == most
    assert front.n_selected[front.choose("best")] == front.n_selected.min()
    assert front.part(np.arange(len(front))).honest.constant
    front.honest = replace(front.honest, constant=False)
    assert "constant" not in front.to_json()
    assert front.n_selected[front.choose()] == front.n_selected.min()


def test_the_fewest_samples_that_the_model_learns_from_are_told(rng):
    """Folds may be of any size."""
    X, y = data(rng)
    folds = [np.arange(12), np.arange(12, 16), np.arange(16, 36)]
    pairs = [(np.setdiff1d(np.arange(48), test), test) for test in folds]
    with pytest.warns(UserWarning, match=f"{MESSAGE} from 28 samples,"):
        small(DummyClassifier(), honest=pairs).fit(X, y)


@pytest.mark.filterwarnings("error")
def test_a_perfect_score_is_no_constant_answer():
    """All candidates may be equal because each is enough."""
    y = np.repeat([0, 1], 24)
    X = np.repeat(y[:, None], 4, axis=1) + np.linspace(0, 0.1, 48 * 4).reshape(48, 4)
    selector = small(DecisionTreeClassifier(), honest=2).fit(X, y)
    assert selector.honest_score_ == 1.0 and not selector.pareto_front_.honest.constant
    assert selector.support_.sum() == 1


def test_a_hostile_flag_is_refused(rng):
    """By its name."""
    X, y = data(rng)
    front = small().fit(X, y).pareto_front_
    text = front.to_json().replace('"share":', '"constant": 1, "share":')
    with pytest.raises(ValueError, match="constant must be True or False, got 1"):
        ParetoFront.from_json(text)
