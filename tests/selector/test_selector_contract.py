"""MOELIGASelector as a scikit-learn estimator: contract, parameters, cloning, pipelines and searches over it."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from small_selectors import data, small

from moeliga import (
    MOGA,
    Cardinality,
    DecisionTreeClassifier,
    FitnessSharing,
    LocalImprovement,
)


@parametrize_with_checks([small()])
def test_keeps_every_contract_of_a_scikit_learn_selector(estimator, check):
    """scikit-learn's own checks hold, all of them."""
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([small(GaussianNB())])
def test_keeps_every_contract_with_any_classifier(estimator, check):
    """The same checks where joblib evaluates."""
    check(estimator)


def test_in_a_pipeline_it_selects_before_the_classifier(rng):
    """The classifier sees the selected columns only."""
    X, y = data(rng)
    pipeline = make_pipeline(small(), GaussianNB()).fit(X, y)
    assert pipeline[-1].n_features_in_ == pipeline[0].support_.sum()
    assert pipeline.predict(X).shape == y.shape


@pytest.mark.slow
def test_grid_search_reaches_into_the_mechanisms(rng):
    """local_improvement__every and friends are parameters of a grid search, in two processes too."""
    X, y = data(rng)
    grid = {"moeligaselector__local_improvement__every": [1, 2], "moeligaselector__evaluation__n_splits": [1, 2]}
    search = GridSearchCV(make_pipeline(small(), GaussianNB()), grid, cv=2, n_jobs=2, error_score="raise").fit(X, y)
    assert search.best_estimator_[0].local_improvement.every in (1, 2)
    one = GridSearchCV(make_pipeline(small(), GaussianNB()), grid, cv=2, n_jobs=1).fit(X, y)
    assert_array_equal(search.cv_results_["mean_test_score"], one.cv_results_["mean_test_score"])


def test_cross_validation_of_a_pipeline(rng):
    """cross_val_score finds the class in features that tell it."""
    X, y = data(rng)
    X[:, 2] = 3 * y + 0.1 * X[:, 2]
    pipeline = make_pipeline(small(n_generations=5, rule="best"), DecisionTreeClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9


def test_clone_has_the_same_parameters_and_is_unfitted(rng):
    """clone copies the mechanisms, and nothing of the fit."""
    selector = small(survival=MOGA(2, 2, sharing=FitnessSharing(sigma=0.2)),
                     objectives=("uar", Cardinality(gamma=-1.0))).fit(*data(rng))
    copy = clone(selector)
    assert copy.survival.sharing is not selector.survival.sharing
    assert copy.survival.sharing.sigma == 0.2
    assert copy.objectives[1].gamma == -1.0
    assert not hasattr(copy, "pareto_front_")


def test_set_params_of_mechanisms(rng):
    """Double underscores reach into the value objects, and get_params shows them."""
    selector = small().set_params(local_improvement__every=7, evaluation__n_splits=5)
    assert selector.local_improvement.every == 7
    assert selector.get_params()["local_improvement__every"] == 7
    with pytest.raises(ValueError, match="every_other"):
        selector.set_params(local_improvement__every_other=1)


def test_pickle_round_trip_keeps_the_result_and_no_data(rng):
    """A loaded selector transforms and selects as before, and is small however large X was."""
    X, y = data(rng, n_samples=2000, n_features=20)
    selector = small(n_generations=0, local_improvement=None).fit(X, y)
    pickled = pickle.dumps(selector)
    loaded = pickle.loads(pickled)
    assert len(pickled) < X.nbytes / 20
    assert_same(loaded, selector)
    assert_array_equal(loaded.transform(X), selector.transform(X))
    assert_array_equal(loaded.select("best").support_, selector.select("best").support_)


def test_fit_does_not_change_parameters(rng):
    """After a fit the parameters are the objects that were given."""
    selector = small(callbacks=[print_nothing])
    before = selector.get_params(deep=False)
    selector.fit(*data(rng))
    after = selector.get_params(deep=False)
    assert all(after[name] is value for name, value in before.items())


@pytest.mark.quick(1)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("parameters", [
    {}, {"survival": "moga", "survival__n_elite": 60, "survival__generation_gap": 5},
    {"estimator": GaussianNB()}],
    ids=["default", "moga", "estimator"])
def test_integers_of_numpy_are_integers(rng, tmp_path, parameters):
    """Also where a product of theirs is more than their kind can hold: the search is the same, without a warning."""
    X, y = data(rng, n_features=20)

    def search(kind):
        sizes = {"population_size": 80, "n_generations": 2, "survival__n_elite": 10, "survival__generation_gap": 10,
                 "evaluation__n_rescore_splits": 4, "patience": 5, "max_features": 9, "verbose": 0, "n_jobs": 1,
                 "evaluation__n_splits": 2}
        below = {"n_populations": 3, "population_size": 70, "n_generations": 2, "every": 1}
        settings = LocalImprovement(**{name: kind(number) for name, number in below.items()})
        numbers = {name: kind(number) for name, number in sizes.items()}
        more = {name: kind(value) if isinstance(value, int) else value for name, value in parameters.items()}
        return small(**{**numbers, "local_improvement": settings, **more},
                     checkpoint=tmp_path / f"{kind.__name__}.npz").fit(X, y)

    plain, numpy = search(int), search(np.int8)
    assert_same(plain, numpy)
    assert type(numpy.population_size) is np.int8
    assert numpy.estimate_time(X, y).n_evaluations == plain.estimate_time(X, y).n_evaluations


def print_nothing(state):
    """A callback that does nothing, and can be pickled."""


def test_a_second_fit_is_as_the_first(rng):
    """Nothing of an earlier fit, on other data, is left."""
    X, y = data(rng)
    selector = small().fit(*data(rng, n_samples=20, n_features=6))
    assert_same(selector.fit(X, y), small().fit(X, y))
    assert selector.n_features_in_ == 9
