"""MOELIGASelector as a scikit-learn estimator: contract, data, parameters, choice."""

import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from small_selectors import SMALL_LOCAL, data, small

import moeliga
from moeliga import (
    MOGA,
    Cardinality,
    DecisionTreeClassifier,
    FitnessSharing,
    LocalImprovement,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    Variation,
)
from paper_operators import PAPER
from single_search import single_search

# scikit-learn


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


# data


def test_data_frames_name_the_features(rng):
    """A pandas frame gives feature names in the front and in the output; set_output gives a frame back."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    frame = pd.DataFrame(X, columns=[f"gene {c}" for c in "abcdefghi"])
    selector = small().set_output(transform="pandas").fit(frame, y)
    assert_array_equal(selector.feature_names_in_, frame.columns)
    names = selector.get_feature_names_out()
    assert_array_equal(names, frame.columns[selector.support_])
    assert selector.pareto_front_.features(selector.index_) == list(names)
    pd.testing.assert_frame_equal(selector.transform(frame), frame[list(names)])
    assert_same(selector, small().fit(X, y))


def test_polars_frames_too(rng):
    """A polars frame is as good as a pandas one."""
    pl = pytest.importorskip("polars")
    X, y = data(rng)
    frame = pl.DataFrame(X, schema=list("abcdefghi"))
    selector = small().set_output(transform="polars").fit(frame, y)
    assert selector.transform(frame).columns == selector.get_feature_names_out().tolist()
    assert selector.transform(frame).equals(frame[selector.get_feature_names_out().tolist()])
    assert_same(selector, small().fit(X, y))


def test_without_names_features_are_numbered(rng):
    """x0, x1, ... in the front, in get_feature_names_out, and in subsets to start from."""
    X, y = data(rng)
    selector = small(init__subsets=[["x2", "x5"]]).fit(X, y)
    assert selector.pareto_front_.features(selector.index_) == selector.get_feature_names_out().tolist()
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("labels", [["sick", "healthy"], [7, -3], [False, True]])
def test_labels_may_be_anything(rng, labels):
    """Only the classes matter, not what they are called."""
    X, y = data(rng)
    selector = small().fit(X, np.array(labels)[y])
    assert_array_equal(selector.classes_, np.sort(labels))
    order = np.argsort(labels)  # class numbers go by sorted label
    assert_same(selector, small().fit(X, order[y] if labels[0] > labels[1] else y))


def test_layout_and_dtype_of_x_change_nothing(rng):
    """Fortran, read-only, strided, float32, integer and list data give the same result."""
    X, y = data(rng)
    X = np.round(4 * X)
    ref = small().fit(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    for variant in (np.asfortranarray(X), frozen, np.repeat(X, 2, axis=0)[::2], X.astype(np.float32),
                    X.astype(np.int16), X.tolist()):
        got = small().fit(variant, y)
        assert_same(got, ref)
        assert_array_equal(got.transform(variant), X[:, ref.support_])


def test_missing_values_are_fine_for_the_tree(rng):
    """NaN passes through to the compiled tree, and through transform."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    selector = small().fit(X, y)
    assert_array_equal(selector.transform(X), X[:, selector.support_])


def test_missing_values_are_refused_where_the_estimator_refuses_them(rng):
    """GaussianNB takes no NaN, so neither does the selector."""
    X, y = data(rng)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        small(GaussianNB()).fit(X, y)


@pytest.mark.quick(2)
@pytest.mark.parametrize("replacement", ["parent", "complete", "selection"])
@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_one_feature_has_one_subset(rng, estimator, replacement):
    """F = 1 is valid: the front is the one subset there is."""
    X, y = data(rng)
    selector = small(estimator, local_improvement=LocalImprovement(**SMALL_LOCAL, replacement=replacement))
    selector.fit(X[:, 2:3], y)
    assert selector.pareto_front_.supports.tolist() == [[True]]
    assert_array_equal(selector.transform(X[:, 2:3]), X[:, 2:3])


def test_a_class_of_one_sample_is_only_trained_on(rng):
    """It is in no validation part: the UAR is that of the other classes, which a perfect feature tells apart."""
    X, y = data(rng)
    y[0] = 2
    X[:, 0] = y
    selector = small(init__subsets=[[0]]).fit(X, y)
    assert_array_equal(selector.classes_, [0, 1, 2])
    assert selector.pareto_front_.score.max() == 1
    assert selector.support_.tolist() == [True] + 8 * [False]


def test_two_samples_of_one_class_and_one_of_another_are_the_least(rng):
    """The smallest data there is: one split, one validation sample."""
    selector = small().fit([[0.0, 1.0], [1.0, 1.0], [5.0, 2.0]], ["a", "a", "b"])
    assert selector.pareto_front_.score.max() <= 1


# random state


@pytest.mark.parametrize("make", [int, np.int64, np.random.RandomState, np.random.default_rng])
def test_the_same_random_state_gives_the_same_result(seed, rng, make):
    """An int, a RandomState and a Generator in the same state repeat a run."""
    X, y = data(rng)
    one, two = small(random_state=make(seed)).fit(X, y), small(random_state=make(seed)).fit(X, y)
    assert_same(one, two)


def test_different_random_states_give_different_runs(seed, rng):
    """Another seed, no seed, and a generator used twice: each run is another one."""
    X, y = data(rng, n_features=30)
    generator = np.random.default_rng(seed)
    states = (seed, seed + 1, None, None, generator, generator)
    runs = [small(random_state=state).fit(X, y).pareto_front_.search_objectives.tobytes() for state in states]
    assert len(set(runs)) == len(runs)


# choice


@pytest.fixture
def fitted(rng):
    """A selector with members of one, two and three features: each of three bits tells half of the classes apart."""
    X, y = data(rng, n_samples=80, n_classes=8)
    X[:, :3] = (y[:, None] >> np.arange(3) & 1) + 0.1 * X[:, :3]
    selector = small(init__subsets=[[0], [0, 1], [0, 1, 2]]).fit(X, y)
    assert {1, 2, 3} <= set(selector.pareto_front_.n_selected.tolist())
    return selector


@pytest.mark.parametrize("rule", ["r1", "r1_lambda", "knee", "one_se", "best"])
def test_select_sets_the_member_that_the_front_chooses(fitted, rule):
    """index_ and support_ follow the rule; the front stays."""
    front = fitted.pareto_front_
    assert fitted.select(rule) is fitted
    assert fitted.index_ == front.choose(rule)
    assert_array_equal(fitted.support_, front.supports[fitted.index_])
    assert fitted.pareto_front_ is front


def test_select_by_size_and_place(fitted):
    """n_features, max_features, index, and a callable."""
    front = fitted.pareto_front_
    size = int(front.n_selected[-1])
    assert fitted.select(n_features=size).support_.sum() == size
    assert fitted.select("best", max_features=size - 1).support_.sum() < size
    assert fitted.select(index=1).index_ == 1
    assert fitted.select(lambda front: len(front) - 1).index_ == len(front) - 1


def test_select_without_arguments_is_the_choice_of_fit(fitted):
    """None means the selector's own rule."""
    chosen = fitted.index_
    assert fitted.select("best").select().index_ == chosen
    fitted.set_params(rule="best")
    assert fitted.select().index_ == fitted.pareto_front_.choose("best")


def test_support_is_a_copy(fitted):
    """Writing to support_ does not change the front."""
    fitted.support_[:] = True
    assert not fitted.pareto_front_.supports[fitted.index_].all()


def test_rule_of_fit_may_be_a_callable(rng):
    """The selector's rule gets the front."""
    selector = small(rule=largest).fit(*data(rng))
    assert selector.index_ == len(selector.pareto_front_) - 1


def largest(front):
    """Index of the largest member."""
    return int(np.flatnonzero(front.n_selected == front.n_selected.max())[-1])


def test_a_failing_rule_leaves_the_front(rng):
    """The search is not lost: another rule can choose."""
    selector = small(rule=lambda front: len(front))
    with pytest.raises(ValueError, match="the index that rule returns must be in"):
        selector.fit(*data(rng))
    assert selector.select("r1").support_.any()


@pytest.mark.parametrize("method", ["select", "get_support", "get_feature_names_out"])
def test_nothing_is_chosen_before_fit(method):
    """An unfitted selector says so."""
    with pytest.raises(NotFittedError):
        getattr(small(), method)()


# presets


def test_default_preset_is_the_default():
    """from_preset("default") changes nothing."""
    assert repr(MOELIGASelector.from_preset("default")) == repr(MOELIGASelector())


def test_paper_preset_makes_the_choices_of_the_paper():
    """f'' over the sum of the rank, no archive, no re-scoring; parameters override."""
    selector = MOELIGASelector.from_preset("paper", n_generations=5, archive=True)
    assert selector.survival.sharing.rank_normalisation == "sum"
    assert selector.evaluation.n_rescore_splits == 0
    assert (selector.n_generations, selector.archive) == (5, True)


def test_presets_are_not_shared_between_selectors():
    """Setting a parameter of one selector's mechanism leaves the preset alone."""
    MOELIGASelector.from_preset("paper").set_params(survival__sharing__sigma=0.5)
    assert MOELIGASelector.from_preset("paper").survival.sharing.sigma == 0.0025


def test_unknown_preset_is_refused():
    """The message names those there are."""
    with pytest.raises(ValueError, match=re.escape("name must be one of ('default', 'paper'), got 'fast'")):
        MOELIGASelector.from_preset("fast")


# options reach the search


@pytest.mark.parametrize("parameters", [
    {"init": StaggeredInit(spread=0.25)},
    {"init": StaggeredInit(fractions=(1.0,), rates=(0.5,))},
    {"init": "log_uniform"},
    {"feature_prior": "auto"},
    {"survival": "nsga2"},
    {"init__subsets": [[0, 1], [3]]},
    {"variation": "two_point"},
    {"variation": "uniform"},
    {"survival__selection": "tournament"},
    {"variation": Variation(mutation="chromosome", mutation_rate=0.5)},
    {"variation": Variation(schedule="exponential")},
    {"survival__sharing": None},
    {"survival__sharing": FitnessSharing(mode="niche", sigma=0.5)},
    {"survival__sharing": "mean_distance"},
    {"survival__sharing": FitnessSharing(space="objective", sigma=0.5)},
    {"survival__sharing": FitnessSharing(sigma=0.5, alpha=2.0)},
    {"survival__sharing": FitnessSharing(sigma=0.5, rank_normalisation="sum")},
    {"local_improvement": None},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL)},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL, replacement="complete")},
    {"evaluation__reevaluate": "none"},
    {"evaluation__reevaluate": "average"},
    {"evaluation__split_mode": "generation"},
    {"archive": False},
    {"evaluation__n_rescore_splits": 0},
    {"evaluation__n_splits": 1},
    {"evaluation__validation_size": 0.5},
    {"objectives": ("uar", "cardinality")},
    {"objectives": ("uar",)},
    {"objectives": ("uar", Cardinality(lambda_=None), Separability(samples=5, replace=False))},
    {"survival__n_elite": 0, "survival__generation_gap": 0},
    {"survival__n_elite": 7, "survival__generation_gap": 0},
    {"population_size": 13},
    {"estimator": DecisionTreeClassifier(max_depth=1)},
], ids=str)
def test_every_option_leaves_a_valid_front_and_changes_the_search(rng, parameters):
    """An option is not without effect, and members of the front are distinct, non-empty and non-dominated."""
    X, y = data(rng, n_features=40, n_classes=3)
    base, paths = {**PAPER, "n_generations": 4, "survival__sharing": FitnessSharing(sigma=0.5),
                   "local_improvement": LocalImprovement(**SMALL_LOCAL, replacement="selection")}, []
    for options in (base, {**base, **parameters}):
        paths.append([])
        got = small(**options, callbacks=paths[-1].append).fit(X, y)
    front = got.pareto_front_
    assert front.supports.any(axis=1).all()
    assert len(np.unique(front.supports, axis=0)) == len(front)
    assert_array_equal(moeliga.pareto_rank(front.objectives), 1)
    assert np.all(np.diff(front.n_selected) >= 0)
    assert got.history_["generation"].tolist() == [0, 1, 2, 3, 4]
    assert_array_equal(got.support_, front.supports[got.index_])
    changes_the_search = any(one.supports.tobytes() != two.supports.tobytes() or
                             one.objectives.tobytes() != two.objectives.tobytes()
                             for one, two in zip(*paths, strict=True))
    assert changes_the_search or parameters.keys() <= {"archive", "evaluation__n_rescore_splits"}


@pytest.mark.parametrize("form", [
    ["x2", "x5"], [2, 5], np.array([2, 5]), np.isin(np.arange(9), [2, 5]), np.isin(np.arange(9), [2, 5]).tolist(),
], ids=["names", "indices", "array", "mask", "list of bool"])
def test_subsets_to_start_from_have_many_forms(rng, form):
    """Names, indices and masks mean the same, and the first place of the population is theirs."""
    X, y = data(rng)
    seen = []
    small(init__subsets=[form], callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(np.flatnonzero(seen[0][0]), [2, 5])


def test_subsets_to_start_from_may_be_an_array_of_masks(rng):
    """One mask a row, such as the supports of an earlier front."""
    X, y = data(rng)
    front, seen = small().fit(X, y).pareto_front_, []
    small(init__subsets=front.supports, callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(seen[0][:len(front)], front.supports)


def test_a_clone_starts_from_the_same_subsets(rng):
    """Fitted selectors among them stay fitted, as a search over parameters needs, and are its own copies."""
    X, y = data(rng)
    fitted = SelectKBest(k=2).fit(X, y)
    selector = small(init__subsets=[[0, 3], fitted])
    twin = clone(selector)
    assert_array_equal(twin.fit(X, y).pareto_front_.supports, selector.fit(X, y).pareto_front_.supports)
    assert twin.init.subsets[1] is not fitted and not hasattr(clone(selector), "support_")
    assert GridSearchCV(selector, {"evaluation__n_splits": [1, 2]}, cv=2, scoring=lambda one, X, y: one.index_).fit(X,
                                                                                                                    y)


@pytest.mark.parametrize("verbose", [0, 1, 2, True, False])
def test_verbose_prints_as_asked(rng, capsys, verbose):
    """0 is silent; 1 is a bar on the standard error; 2 is a line a generation; both end with a line on the choice."""
    if verbose == 1:
        pytest.importorskip("tqdm")
    small(verbose=verbose).fit(*data(rng))
    out, err = capsys.readouterr()
    assert out.count("\n") == (3 if verbose == 2 else 0)
    assert bool(err) == bool(verbose)
    assert err.count("features, UAR") == (verbose > 0)


# first generation


@pytest.mark.parametrize("n_rescore_splits", [0, 5])
def test_the_front_of_the_first_generation_is_that_of_a_search_without_generations(n_rescore_splits):
    """Bit for bit, and whatever comes after it; scored on the same splits as the last front."""
    X, y = load_wine(return_X_y=True)
    options = {"archive": False, "local_improvement": None, "evaluation__n_rescore_splits": n_rescore_splits,
               "random_state": 3}
    none = single_search(n_generations=0, **options).fit(X, y)
    some = single_search(n_generations=4, **options).fit(X, y)
    for first in (none.initial_front_, some.initial_front_):
        for name in ("supports", "objectives", "score_se", "search_objectives"):
            assert_array_equal(getattr(first, name), getattr(none.pareto_front_, name))
