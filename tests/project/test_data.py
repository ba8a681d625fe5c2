"""The paper's data sets, where they are at hand: coding, evaluation, and a short search on each."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from moeliga import DecisionTreeClassifier, Evaluation, LocalImprovement, evaluate_subsets
from moeliga.base.random_streams import Purpose, seed_words
from naive.evaluate import evaluate
from single_search import single_search

NAMES = ("arrhythmia", "arrhythmia13", "dermatology", "isolet", "leukemia", "madelon", "mfeat", "movement_libras",
         "optdigits")


@pytest.fixture(params=NAMES)
def parts(request, paper_data):
    """X_train, y_train, X_test, y_test of one data set."""
    path = paper_data / f"{request.param}.npz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not there")
    with np.load(path, allow_pickle=False) as data:
        return data["X_train"], data["y_train"], data["X_test"], data["y_test"]


@pytest.mark.quick(3)
def test_a_short_search_with_local_improvement_completes(parts):
    """The search finds a valid front, and its choice can be used on the test part."""
    X_train, y_train, X_test, y_test = parts
    selector = single_search(population_size=12, n_generations=2, evaluation=Evaluation(n_rescore_splits=2),
                             local_improvement=LocalImprovement(1, 8, 2, every=1), random_state=0,
                             n_jobs=2).fit(X_train, y_train)
    front = selector.pareto_front_
    assert len(front) and front.supports.any(axis=1).all()
    tree = DecisionTreeClassifier(max_depth=100).fit(selector.transform(X_train), y_train)
    chance = 1 / len(np.unique(y_train))
    assert balanced_accuracy_score(y_test, tree.predict(selector.transform(X_test))) > chance


def test_objectives_equal_the_twin_on_real_data(parts, rng):
    """Five features, one split: UAR and separability as the brute-force tree and the loops of the twin give them."""
    X, y = parts[:2]
    chosen = rng.permutation(len(y))[:150]
    classes, y = np.unique(y[chosen], return_inverse=True)
    order = np.argsort(y, kind="stable")
    X, y = X[chosen][order].astype(np.float64), y[order]
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[rng.choice(X.shape[1], 5, replace=False)] = True
    sizes = np.bincount(y)
    n_validation = np.where(sizes > 1, np.minimum(sizes - 1, np.maximum(1, np.ceil(0.3 * sizes))), 0).astype(int)
    uar, separability = evaluate(X, y, len(classes), [mask], seed_words(3), Purpose.PUBLIC, 0, 0, [0], 1, False,
                                 n_validation, int(np.ceil(0.3 * len(y))), True)
    got = evaluate_subsets(X, y, [mask], n_splits=1, objectives=("uar", "separability"), random_state=3)
    assert got.tolist() == [[uar[0][0], separability[0]]]
