"""MOELIGASelector as a scikit-learn estimator: contract, data, parameters, messages."""

import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import moeliga
from moeliga import (
    Cardinality,
    Checkpoint,
    DecisionTreeClassifier,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    Variation,
)

SMALL_LOCAL = {"n_populations": 1, "population_size": 8, "n_generations": 2, "every": 1}
SMALL = {"population_size": 12, "n_generations": 2, "n_elite": 2, "generation_gap": 2, "n_rescore_splits": 3,
         "random_state": 0}


def small(estimator=None, **parameters):
    """A selector that takes milliseconds."""
    return MOELIGASelector(estimator, **{**SMALL, "local_improvement": LocalImprovement(**SMALL_LOCAL), **parameters})


def data(rng, n_samples=40, n_features=9, n_classes=2):
    """Noise and, in columns 2 and 5, the class with noise."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features))
    X[:, [2, 5]] += 2 * y[:, None]
    return X, y


def assert_same_result(one, two):
    """Both found the same front, the same way, and chose the same member."""
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)
    assert_array_equal(one.pareto_front_.objectives, two.pareto_front_.objectives)
    for name in one.history_.keys() - {"seconds"}:
        assert_array_equal(one.history_[name], two.history_[name], err_msg=name)
    assert_array_equal(one.support_, two.support_)


# scikit-learn


@parametrize_with_checks([small(), small(GaussianNB())])
def test_keeps_every_contract_of_a_scikit_learn_selector(estimator, check):
    """scikit-learn's own checks hold, all of them, for the compiled tree and for any classifier."""
    check(estimator)


def test_in_a_pipeline_it_selects_before_the_classifier(rng):
    """The classifier sees the selected columns only."""
    X, y = data(rng)
    pipeline = make_pipeline(small(), GaussianNB()).fit(X, y)
    assert pipeline[-1].n_features_in_ == pipeline[0].support_.sum()
    assert pipeline.predict(X).shape == y.shape


def test_grid_search_reaches_into_the_mechanisms(rng):
    """local_improvement__every and friends are parameters of a grid search, in two processes too."""
    X, y = data(rng)
    grid = {"moeligaselector__local_improvement__every": [1, 2], "moeligaselector__n_splits": [1, 2]}
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
    selector = small(sharing=FitnessSharing(sigma=0.2), objectives=("uar", Cardinality(gamma=-1.0))).fit(*data(rng))
    copy = clone(selector)
    assert copy.sharing is not selector.sharing
    assert copy.sharing.sigma == 0.2
    assert copy.objectives[1].gamma == -1.0
    assert not hasattr(copy, "pareto_front_")


def test_set_params_of_mechanisms(rng):
    """Double underscores reach into the value objects, and get_params shows them."""
    selector = small().set_params(local_improvement__every=7, n_splits=5)
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
    assert_same_result(loaded, selector)
    assert_array_equal(loaded.transform(X), selector.transform(X))
    assert_array_equal(loaded.select("best").support_, selector.select("best").support_)


def test_fit_does_not_change_parameters(rng):
    """After a fit the parameters are the objects that were given."""
    selector = small(callbacks=[print_nothing])
    before = selector.get_params(deep=False)
    selector.fit(*data(rng))
    after = selector.get_params(deep=False)
    assert all(after[name] is value for name, value in before.items())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("parameters", [{}, {"n_per_size": 2}, {"survival": "nsga2"}, {"estimator": GaussianNB()}],
                         ids=["default", "n_per_size", "nsga2", "estimator"])
def test_integers_of_numpy_are_integers(rng, tmp_path, parameters):
    """Also where a product of theirs is more than their kind can hold: the search is the same, without a warning."""
    X, y = data(rng, n_features=20)

    def search(kind):
        sizes = {"population_size": 80, "n_generations": 2, "n_elite": 60, "generation_gap": 5, "n_rescore_splits": 4,
                 "patience": 5, "max_features": 9, "verbose": 0, "n_jobs": 1, "n_splits": 2, "n_per_size": 0}
        below = {"n_populations": 3, "population_size": 70, "n_generations": 2, "every": 1}
        settings = LocalImprovement(**{name: kind(number) for name, number in below.items()})
        numbers = {name: kind(number) for name, number in sizes.items()}
        more = {name: kind(value) if isinstance(value, int) else value for name, value in parameters.items()}
        return small(**{**numbers, "local_improvement": settings, **more},
                     checkpoint=tmp_path / f"{kind.__name__}.npz").fit(X, y)

    plain, numpy = search(int), search(np.int8)
    assert_same_result(plain, numpy)
    assert type(numpy.population_size) is np.int8
    assert numpy.estimate_time(X, y).n_evaluations == plain.estimate_time(X, y).n_evaluations


def print_nothing(state):
    """A callback that does nothing, and can be pickled."""


def test_a_second_fit_is_as_the_first(rng):
    """Nothing of an earlier fit, on other data, is left."""
    X, y = data(rng)
    selector = small().fit(*data(rng, n_samples=20, n_features=6))
    assert_same_result(selector.fit(X, y), small().fit(X, y))
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
    assert_same_result(selector, small().fit(X, y))


def test_polars_frames_too(rng):
    """A polars frame is as good as a pandas one."""
    pl = pytest.importorskip("polars")
    X, y = data(rng)
    frame = pl.DataFrame(X, schema=list("abcdefghi"))
    selector = small().set_output(transform="polars").fit(frame, y)
    assert selector.transform(frame).columns == selector.get_feature_names_out().tolist()
    assert selector.transform(frame).equals(frame[selector.get_feature_names_out().tolist()])
    assert_same_result(selector, small().fit(X, y))


def test_without_names_features_are_numbered(rng):
    """x0, x1, ... in the front, in get_feature_names_out, and in subsets to start from."""
    X, y = data(rng)
    selector = small(initial_subsets=[["x2", "x5"]]).fit(X, y)
    assert selector.pareto_front_.features(selector.index_) == selector.get_feature_names_out().tolist()
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("labels", [["sick", "healthy"], [7, -3], [False, True]])
def test_labels_may_be_anything(rng, labels):
    """Only the classes matter, not what they are called."""
    X, y = data(rng)
    selector = small().fit(X, np.array(labels)[y])
    assert_array_equal(selector.classes_, np.sort(labels))
    order = np.argsort(labels)  # class numbers go by sorted label
    assert_same_result(selector, small().fit(X, order[y] if labels[0] > labels[1] else y))


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
        assert_same_result(got, ref)
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
    selector = small(initial_subsets=[[0]]).fit(X, y)
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
    assert_same_result(one, two)


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
    selector = small(initial_subsets=[[0], [0, 1], [0, 1, 2]]).fit(X, y)
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
    assert selector.sharing.rank_normalisation == "sum"
    assert selector.n_rescore_splits == 0
    assert (selector.n_generations, selector.archive) == (5, True)


def test_presets_are_not_shared_between_selectors():
    """Setting a parameter of one selector's mechanism leaves the preset alone."""
    MOELIGASelector.from_preset("paper").set_params(sharing__sigma=0.5)
    assert MOELIGASelector.from_preset("paper").sharing.sigma == 0.0025


def test_unknown_preset_is_refused():
    """The message names those there are."""
    with pytest.raises(ValueError, match=re.escape("name must be one of ('default', 'paper'), got 'fast'")):
        MOELIGASelector.from_preset("fast")


# options reach the search


@pytest.mark.parametrize("parameters", [
    {"init": StaggeredInit(spread=0.25)},
    {"init": StaggeredInit(fractions=(1.0,), rates=(0.5,))},
    {"initial_subsets": [[0, 1], [3]]},
    {"variation": "two_point"},
    {"variation": "uniform"},
    {"variation": Variation(selection="tournament")},
    {"variation": Variation(mutation="chromosome", mutation_rate=0.5)},
    {"variation": Variation(schedule="exponential")},
    {"sharing": None},
    {"sharing": FitnessSharing(mode="niche", sigma=0.5)},
    {"sharing": "mean_distance"},
    {"sharing": FitnessSharing(space="objective", sigma=0.5)},
    {"sharing": FitnessSharing(sigma=0.5, alpha=2.0)},
    {"sharing": FitnessSharing(sigma=0.5, rank_normalisation="sum")},
    {"local_improvement": None},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL)},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL, replacement="complete")},
    {"reevaluate": "none"},
    {"reevaluate": "average"},
    {"split_mode": "generation"},
    {"archive": False},
    {"n_rescore_splits": 0},
    {"n_splits": 1},
    {"validation_size": 0.5},
    {"objectives": ("uar", "cardinality")},
    {"objectives": ("uar",)},
    {"objectives": ("uar", Cardinality(lambda_=None), Separability(samples=5, replace=False))},
    {"n_elite": 0, "generation_gap": 0},
    {"n_elite": 7, "generation_gap": 0},
    {"population_size": 13},
    {"estimator": DecisionTreeClassifier(max_depth=1)},
], ids=str)
def test_every_option_leaves_a_valid_front_and_changes_the_search(rng, parameters):
    """An option is not without effect, and members of the front are distinct, non-empty and non-dominated."""
    X, y = data(rng, n_features=40, n_classes=3)
    base, paths = {"n_generations": 4, "sharing": FitnessSharing(sigma=0.5),
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
    assert changes_the_search or parameters.keys() <= {"archive", "n_rescore_splits"}


@pytest.mark.parametrize("form", [
    ["x2", "x5"], [2, 5], np.array([2, 5]), np.isin(np.arange(9), [2, 5]), np.isin(np.arange(9), [2, 5]).tolist(),
], ids=["names", "indices", "array", "mask", "list of bool"])
def test_subsets_to_start_from_have_many_forms(rng, form):
    """Names, indices and masks mean the same, and the first place of the population is theirs."""
    X, y = data(rng)
    seen = []
    small(initial_subsets=[form], callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(np.flatnonzero(seen[0][0]), [2, 5])


def test_subsets_to_start_from_may_be_an_array_of_masks(rng):
    """One mask a row, such as the supports of an earlier front."""
    X, y = data(rng)
    front, seen = small().fit(X, y).pareto_front_, []
    small(initial_subsets=front.supports, callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(seen[0][:len(front)], front.supports)


def test_a_clone_starts_from_the_same_subsets(rng):
    """Fitted selectors among them stay fitted, as a search over parameters needs, and are its own copies."""
    X, y = data(rng)
    fitted = SelectKBest(k=2).fit(X, y)
    selector = small(initial_subsets=[[0, 3], fitted])
    twin = clone(selector)
    assert_array_equal(twin.fit(X, y).pareto_front_.supports, selector.fit(X, y).pareto_front_.supports)
    assert twin.initial_subsets[1] is not fitted and not hasattr(clone(selector), "support_")
    assert GridSearchCV(selector, {"n_splits": [1, 2]}, cv=2, scoring=lambda one, X, y: one.index_).fit(X, y)


@pytest.mark.parametrize("verbose", [0, 1, 2, True, False])
def test_verbose_prints_as_asked(rng, capsys, verbose):
    """0 is silent; 1 is a bar on the standard error; 2 is a line a generation."""
    if verbose == 1:
        pytest.importorskip("tqdm")
    small(verbose=verbose).fit(*data(rng))
    out, err = capsys.readouterr()
    assert out.count("\n") == (3 if verbose == 2 else 0)
    assert bool(err) == (verbose == 1)


# messages


def constant(mask, X, y):
    """An objective that is always 1."""
    return 1.0


def objective(value):
    """An objective that always returns the value."""

    def given(mask, X, y):
        return value

    return given


SUBSETS = "initial_subsets[0] must be a mask, names or integer indices, got "
TERMS = ("objectives must hold 'uar', 'cardinality', 'cost', 'separability', Cardinality, FeatureCost, Separability or "
         "callables, got ")
RULE = "rule must be one of ('r1', 'r1_lambda', 'knee', 'one_se', 'best') or a callable, got "
REEVALUATE = "reevaluate must be one of ('all', 'none', 'average', 'lower_bound'), got "
INIT = "init must be 'staggered', 'log_uniform', a StaggeredInit or a LogUniformInit, got "
SHARING = "sharing must be None, 'cluster', 'niche', 'mean_distance' or a FitnessSharing, got "
LOCAL = "local_improvement must be None, 'parent', 'front', 'complete', 'selection' or a LocalImprovement, got "
VARIATION = "variation must be 'one_point', 'two_point', 'uniform' or a Variation, got "
SCHEDULE = "variation.schedule must be None, 'exponential' or (start, end), got "
BAD_PARAMETERS = [
    ({"n_splits": 0}, ValueError, "n_splits must be >= 1, got 0"),
    ({"n_splits": 2.5}, TypeError, "n_splits must be an integer, got 2.5"),
    ({"n_splits": True}, TypeError, "n_splits must be an integer, got True"),
    ({"n_splits": 2**31}, ValueError, "n_splits must be <= 2147483647, got 2147483648"),
    ({"validation_size": 0}, ValueError, "validation_size must be in (0, 1), got 0"),
    ({"validation_size": 1.0}, ValueError, "validation_size must be in (0, 1), got 1.0"),
    ({"validation_size": float("nan")}, ValueError, "validation_size must be finite, got nan"),
    ({"validation_size": "0.3"}, TypeError, "validation_size must be a number, got '0.3'"),
    ({"split_mode": "x"}, ValueError, "split_mode must be one of ('individual', 'generation'), got 'x'"),
    ({"split_mode": ["individual"]}, ValueError,
     "split_mode must be one of ('individual', 'generation'), got ['individual']"),
    ({"objectives": "uar"}, TypeError, "objectives must be a sequence of objectives, got 'uar'"),
    ({"objectives": 3}, TypeError, "objectives must be a sequence of objectives, got 3"),
    ({"objectives": np.array(3)}, TypeError, "objectives must be a sequence of objectives, got array(3)"),
    ({"objectives": iter(["uar"])}, TypeError, None),
    ({"objectives": ()}, ValueError, "objectives must hold 'uar' or begin with a callable, got []"),
    ({"objectives": ["cardinality"]}, ValueError,
     "objectives must hold 'uar' or begin with a callable, got ['cardinality']"),
    ({"objectives": ["uar", "size"]}, ValueError, TERMS + "'size'"),
    ({"objectives": ["uar", Cardinality]}, ValueError, TERMS + repr(Cardinality)),
    ({"objectives": ["uar", None]}, ValueError, TERMS + "None"),
    ({"objectives": ["uar", "uar"]}, ValueError, "objectives must be distinct, got ['uar', 'uar']"),
    ({"objectives": ["uar", "separability", Separability()]}, ValueError,
     "objectives must be distinct, got ['uar', 'separability', 'separability']"),
    ({"objectives": [objective(float("nan"))]}, ValueError, "objective 'given' must be finite, got nan"),
    ({"objectives": ["uar", objective(float("inf"))]}, ValueError, "objective 'given' must be finite, got inf"),
    ({"objectives": ["uar", objective(None)]}, TypeError, "objective 'given' must return a number, got None"),
    ({"objectives": ["uar", objective([1, 2])]}, TypeError, "objective 'given' must return a number, got [1, 2]"),
    ({"objectives": ["uar", objective("a")]}, TypeError, "objective 'given' must return a number, got 'a'"),
    ({"objectives": ["uar", Cardinality(lambda_=0)]}, ValueError, "cardinality.lambda_ must be > 0, got 0"),
    ({"objectives": ["uar", Cardinality(lambda_="x")]}, TypeError, "cardinality.lambda_ must be a number, got 'x'"),
    ({"objectives": ["uar", Cardinality(gamma=-float("inf"))]}, ValueError,
     "cardinality.gamma must be finite, got -inf"),
    ({"objectives": ["uar", Cardinality(lambda_=10**309)]}, ValueError,
     f"cardinality.lambda_ must be finite, got {10**309}"),
    ({"objectives": ["uar", Separability(samples=0)]}, ValueError, "separability.samples must be >= 1, got 0"),
    ({"objectives": ["uar", Separability(samples=0.0)]}, ValueError,
     "separability.samples must be in (0, 1], got 0.0"),
    ({"objectives": ["uar", Separability(samples=1.5)]}, ValueError,
     "separability.samples must be in (0, 1], got 1.5"),
    ({"objectives": ["uar", Separability(samples="all")]}, TypeError,
     "separability.samples must be a number, got 'all'"),
    ({"objectives": ["uar", Separability(samples=41, replace=False)]}, ValueError,
     "separability.samples must be <= 40, the number of samples, without replacement, got 41"),
    ({"objectives": ["uar", Separability(replace=None)]}, TypeError,
     "separability.replace must be True or False, got None"),
    ({"population_size": 1}, ValueError, "population_size must be >= 2, got 1"),
    ({"population_size": 10**20}, ValueError, f"population_size must be <= 2147483647, got {10**20}"),
    ({"population_size": 12.0}, TypeError, "population_size must be an integer, got 12.0"),
    ({"n_generations": -1}, ValueError, "n_generations must be >= 0, got -1"),
    ({"n_elite": -1}, ValueError, "n_elite must be >= 0, got -1"),
    ({"n_elite": None}, TypeError, "n_elite must be an integer, got None"),
    ({"n_elite": "all"}, ValueError, "n_elite must be an integer or 'front', got 'all'"),
    ({"n_elite": "front", "generation_gap": 4}, ValueError,
     "n_elite + generation_gap must be < 8, the smallest population_size (main or subordinate), got 4 + 4"),
    ({"generation_gap": -1}, ValueError, "generation_gap must be >= 0, got -1"),
    ({"n_elite": 4, "generation_gap": 4}, ValueError,
     "n_elite + generation_gap must be < 8, the smallest population_size (main or subordinate), got 4 + 4"),
    ({"n_elite": 12, "generation_gap": 0, "local_improvement": None}, ValueError,
     "n_elite + generation_gap must be < 12, the smallest population_size (main or subordinate), got 12 + 0"),
    ({"reevaluate": "some"}, ValueError, REEVALUATE + "'some'"),
    ({"reevaluate": None}, ValueError, REEVALUATE + "None"),
    ({"reevaluate": "lower_bound", "n_splits": 1}, ValueError,
     "n_splits must be >= 2 for reevaluate='lower_bound', got 1"),
    ({"reevaluate": "lower_bound", "cv": 3}, ValueError,
     "cv must be None for reevaluate='lower_bound', which needs fresh splits, got 3"),
    ({"reevaluate": "lower_bound", "objectives": [np.count_nonzero]}, ValueError,
     f"objectives must hold 'uar' for reevaluate='lower_bound', got {[np.count_nonzero]}"),
    ({"n_confirmations": -1}, ValueError, "n_confirmations must be >= 0, got -1"),
    ({"n_confirmations": True}, TypeError, "n_confirmations must be an integer, got True"),
    ({"n_confirmations": 3}, ValueError,
     "n_confirmations must be 0 unless reevaluate is 'average' or 'lower_bound', got 3"),
    ({"n_confirmations": 2, "reevaluate": "average", "cv": 3}, ValueError,
     "n_confirmations must be 0 where cv fixes the splits, got 2"),
    ({"survival": "nsga3"}, ValueError, "survival must be one of ('moga', 'nsga2'), got 'nsga3'"),
    ({"survival": None}, ValueError, "survival must be one of ('moga', 'nsga2'), got None"),
    ({"archive": None}, TypeError, "archive must be True or False, got None"),
    ({"n_rescore_splits": -1}, ValueError, "n_rescore_splits must be >= 0, got -1"),
    ({"n_rescore_splits": None}, TypeError, "n_rescore_splits must be an integer, got None"),
    ({"n_per_size": -1}, ValueError, "n_per_size must be >= 0, got -1"),
    ({"n_per_size": 2.0}, TypeError, "n_per_size must be an integer, got 2.0"),
    ({"n_per_size": 2, "archive": False}, ValueError,
     "n_per_size must be 0 for archive=False and for n_rescore_splits=0, got 2"),
    ({"n_per_size": 1, "n_rescore_splits": 0}, ValueError,
     "n_per_size must be 0 for archive=False and for n_rescore_splits=0, got 1"),
    ({"init": None}, ValueError, INIT + "None"),
    ({"init": "random"}, ValueError, INIT + "'random'"),
    ({"init": StaggeredInit}, ValueError, INIT + str(StaggeredInit)),
    ({"init": LogUniformInit(0)}, ValueError, "init.smallest must be >= 1, got 0"),
    ({"init": LogUniformInit(1.5)}, TypeError, "init.smallest must be an integer, got 1.5"),
    ({"init": LogUniformInit(largest=0)}, ValueError, "init.largest must be in (0, 1], got 0"),
    ({"init": LogUniformInit(largest=1.01)}, ValueError, "init.largest must be in (0, 1], got 1.01"),
    ({"init": StaggeredInit((0.5, 0.4), (0.1, 0.2))}, ValueError,
     "init.fractions must sum to 1, got (0.5, 0.4), which sum to 0.9"),
    ({"init": StaggeredInit((0.5, 0.5), (0.1,))}, ValueError,
     "init.fractions and init.rates must have the same length, at least 1, got 2 and 1"),
    ({"init": StaggeredInit((), ())}, ValueError,
     "init.fractions and init.rates must have the same length, at least 1, got 0 and 0"),
    ({"init": StaggeredInit((1.5, -0.5), (0.1, 0.2))}, ValueError, "init.fractions must be in [0, 1], got 1.5"),
    ({"init": StaggeredInit(1, 0.1)}, TypeError, "init.fractions must be a sequence of numbers, got 1"),
    ({"init": StaggeredInit((1,), 0.1)}, TypeError, "init.rates must be a sequence of numbers, got 0.1"),
    ({"init": StaggeredInit((1,), (0,))}, ValueError, "init.rates must be in (0, 1], got 0"),
    ({"init": StaggeredInit((1,), (-0.2,))}, ValueError, "init.rates must be in (0, 1], got -0.2"),
    ({"init": StaggeredInit((1,), (1.1,))}, ValueError, "init.rates must be in (0, 1], got 1.1"),
    ({"init": StaggeredInit(spread=-0.1)}, ValueError, "init.spread must be >= 0, got -0.1"),
    ({"initial_subsets": "abc"}, TypeError, "initial_subsets must be a sequence of subsets, got 'abc'"),
    ({"initial_subsets": 5}, TypeError, "initial_subsets must be a sequence of subsets, got 5"),
    ({"initial_subsets": [[]]}, ValueError, "initial_subsets[0] must not be empty, got []"),
    ({"initial_subsets": [[0], [False] * 9]}, ValueError,
     f"initial_subsets[1] must not be empty, got {[False] * 9}"),
    ({"initial_subsets": [[True, False]]}, ValueError,
     "initial_subsets[0] must have 9 entries, one for each feature of X, got 2"),
    ({"initial_subsets": [["x0", "height"]]}, ValueError,
     "initial_subsets[0] must name features of X, got the unknown name 'height'"),
    ({"initial_subsets": [[0, 9]]}, ValueError,
     "initial_subsets[0] must hold indices in [0, 9), got [0, 9]"),
    ({"initial_subsets": [[-1]]}, ValueError, "initial_subsets[0] must hold indices in [0, 9), got [-1]"),
    ({"initial_subsets": [[0.5]]}, ValueError, SUBSETS + "[0.5]"),
    ({"initial_subsets": [3]}, ValueError, SUBSETS + "3"),
    ({"initial_subsets": ["x0"]}, ValueError, SUBSETS + "'x0'"),
    ({"initial_subsets": [[f] for f in range(9)] + [[0, f] for f in range(1, 5)]}, ValueError,
     "initial_subsets must hold at most population_size=12 subsets, got 13"),
    ({"must_include": ["none such"]}, ValueError,
     "must_include must name features of X, got the unknown name 'none such'"),
    ({"must_include": [0, 1], "exclude": [1]}, ValueError,
     "must_include and exclude must not share a feature, got 'x1' in both"),
    ({"exclude": range(9)}, ValueError,
     "must_include and exclude must leave features to choose from, got 0 and 9 of 9"),
    ({"feature_groups": ["a"]}, ValueError,
     "feature_groups must be 9 labels, one for each feature, or subsets of features, got 1 entries"),
    ({"feature_costs": [1, 2]}, ValueError,
     "feature_costs must be 9 numbers, one for each feature of X, got an array of int64 of shape (2,)"),
    ({"objectives": ("uar", "cost")}, ValueError, "feature_costs must be given for the objective 'cost', got None"),
    ({"min_features": 10}, ValueError, "min_features must be in [1, 9], got 10"),
    ({"max_features": 0}, ValueError, "max_features must be in [1, 9], got 0"),
    ({"initial_subsets": [[0, 1]], "feature_groups": [[1, 2]]}, ValueError,
     "initial_subsets[0] must hold all features of a group or none, got 1 of the group [1, 2]"),
    ({"variation": "three_point"}, ValueError, VARIATION + "'three_point'"),
    ({"variation": None}, ValueError, VARIATION + "None"),
    ({"variation": Variation(selection="best")}, ValueError,
     "variation.selection must be one of ('roulette', 'tournament'), got 'best'"),
    ({"variation": Variation(tournament_size=0)}, ValueError, "variation.tournament_size must be >= 1, got 0"),
    ({"variation": Variation(crossover="x")}, ValueError,
     "variation.crossover must be one of ('one_point', 'two_point', 'uniform'), got 'x'"),
    ({"variation": Variation(crossover_rate=1.1)}, ValueError, "variation.crossover_rate must be in [0, 1], got 1.1"),
    ({"variation": Variation(crossover_rate=-0.1)}, ValueError,
     "variation.crossover_rate must be in [0, 1], got -0.1"),
    ({"variation": Variation(mutation="swap")}, ValueError,
     "variation.mutation must be one of ('bit', 'chromosome', 'balanced'), got 'swap'"),
    ({"variation": Variation(mutation_rate=-1)}, ValueError, "variation.mutation_rate must be >= 0, got -1"),
    ({"variation": Variation(mutation="chromosome", mutation_rate=1.1)}, ValueError,
     "variation.mutation_rate must be in [0, 1], got 1.1"),
    ({"variation": Variation(schedule="linear")}, ValueError,
     "variation.schedule must be one of (None, 'exponential'), got 'linear'"),
    ({"variation": Variation(schedule=5)}, ValueError, SCHEDULE + "5"),
    ({"variation": Variation(schedule=(3, 2, 1))}, ValueError, SCHEDULE + "(3, 2, 1)"),
    ({"variation": Variation(schedule=(1, 0))}, ValueError, "variation.schedule must be > 0, got 0"),
    ({"variation": Variation(mutation="chromosome", schedule=(1, 1))}, ValueError,
     "variation.schedule must be None for mutation='chromosome', got (1, 1)"),
    ({"feature_prior": "anova"}, ValueError, "feature_prior.score_func must be one of ('f_classif', "
     "'mutual_info_classif', 'chi2', 'f_regression', 'mutual_info_regression'), got 'anova'"),
    ({"feature_prior": FeaturePrior}, TypeError,
     f"feature_prior must be a scoring function, the name of one, a FeaturePrior or None, got {FeaturePrior}"),
    ({"feature_prior": FeaturePrior(share=1.5)}, ValueError, "feature_prior.share must be in [0, 1], got 1.5"),
    ({"feature_prior": FeaturePrior(offset=-1)}, ValueError, "feature_prior.offset must be >= 0, got -1"),
    ({"feature_prior": "f_regression"}, ValueError, "feature_prior must be one of ('f_classif', 'mutual_info_classif', "
     "'chi2') or a callable for a classifier, got 'f_regression'"),
    ({"sharing": "crowding"}, ValueError, SHARING + "'crowding'"),
    ({"sharing": 0.0025}, ValueError, SHARING + "0.0025"),
    ({"sharing": FitnessSharing(mode="x")}, ValueError,
     "sharing.mode must be one of ('cluster', 'niche', 'mean_distance'), got 'x'"),
    ({"sharing": FitnessSharing(space="both")}, ValueError,
     "sharing.space must be one of ('decision', 'objective'), got 'both'"),
    ({"sharing": FitnessSharing(sigma=0)}, ValueError, "sharing.sigma must be > 0, got 0"),
    ({"sharing": FitnessSharing(alpha=-1)}, ValueError, "sharing.alpha must be > 0, got -1"),
    ({"sharing": FitnessSharing(rank_normalisation="max")}, ValueError,
     "sharing.rank_normalisation must be one of ('sum', 'mean'), got 'max'"),
    ({"local_improvement": "PR"}, ValueError, LOCAL + "'PR'"),
    ({"local_improvement": True}, ValueError, LOCAL + "True"),
    ({"local_improvement": LocalImprovement(n_populations=0)}, ValueError,
     "local_improvement.n_populations must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(population_size=1)}, ValueError,
     "local_improvement.population_size must be >= 2, got 1"),
    ({"local_improvement": LocalImprovement(n_generations=0)}, ValueError,
     "local_improvement.n_generations must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(every=0)}, ValueError, "local_improvement.every must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(replacement="x")}, ValueError,
     "local_improvement.replacement must be one of ('parent', 'front', 'complete', 'selection'), got 'x'"),
    ({"local_improvement": LocalImprovement(patience=0)}, ValueError,
     "local_improvement.patience must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(adaptive=1)}, TypeError,
     "local_improvement.adaptive must be True or False, got 1"),
    ({"local_improvement": LocalImprovement(adaptive=True, replacement="complete")}, ValueError,
     "local_improvement.adaptive must be False for replacement='complete', got True"),
    ({"rule": "r2"}, ValueError, RULE + "'r2'"),
    ({"rule": None}, ValueError, RULE + "None"),
    ({"rule": ["r1"]}, ValueError, RULE + "['r1']"),
    ({"rule": "one_se", "n_rescore_splits": 1}, ValueError,
     "n_rescore_splits must be >= 2 for rule='one_se', got 1"),
    ({"rule": "one_se", "n_rescore_splits": 0, "cv": 3}, ValueError,
     "n_rescore_splits must be >= 1 for rule='one_se', got 0"),
    ({"rule": "one_se", "objectives": [constant]}, ValueError,
     f"objectives must hold 'uar' for rule='one_se', got [{constant!r}]"),
    ({"rule": "r1_lambda", "objectives": ["uar"]}, ValueError,
     "objectives must hold 'cardinality' for rule='r1_lambda', got ['uar']"),
    ({"rule": objective("a")}, TypeError, None),
    ({"max_time": -1}, ValueError, "max_time must be >= 0, got -1"),
    ({"max_time": "1h"}, TypeError, "max_time must be a number, got '1h'"),
    ({"max_time": float("inf")}, ValueError, "max_time must be finite, got inf"),
    ({"max_evaluations": 11}, ValueError, "max_evaluations must be >= population_size=12, got 11"),
    ({"max_evaluations": 1e3}, TypeError, "max_evaluations must be an integer, got 1000.0"),
    ({"patience": 0}, ValueError, "patience must be >= 1, got 0"),
    ({"checkpoint": 5}, TypeError, "checkpoint must be a path, a Checkpoint or None, got 5"),
    ({"checkpoint": Checkpoint(5)}, TypeError, "checkpoint.path must be a path, got 5"),
    ({"checkpoint": Checkpoint("x", every=0)}, ValueError, "checkpoint.every must be >= 1, got 0"),
    ({"checkpoint": "/"}, ValueError, "checkpoint.path must be a file, got the folder '/'"),
    ({"stop_signals": "SIGTERM"}, TypeError, "stop_signals must be a sequence of names of signals, got 'SIGTERM'"),
    ({"callbacks": "stop"}, TypeError, "callbacks must be a callable or a list of callables, got 'stop'"),
    ({"callbacks": [print, 5]}, TypeError, "callbacks must be a callable or a list of callables, got 5"),
    ({"verbose": -1}, ValueError, "verbose must be >= 0, got -1"),
    ({"verbose": "yes"}, TypeError, "verbose must be an integer, got 'yes'"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
    ({"random_state": "x"}, ValueError,
     "random_state must be None, an integer, a RandomState or a Generator, got 'x'"),
    ({"random_state": 1.5}, ValueError,
     "random_state must be None, an integer, a RandomState or a Generator, got 1.5"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"n_jobs": "2"}, ValueError, "n_jobs must be None or an integer other than 0, got '2'"),
    ({"estimator": "tree"}, TypeError, "estimator must be a classifier, a regressor or None, got 'tree'"),
    ({"estimator": KMeans()}, TypeError, "estimator must be a classifier, a regressor or None, got KMeans()"),
    ({"estimator": GaussianNB}, TypeError, f"estimator must be a classifier, a regressor or None, got {GaussianNB}"),
    ({"estimator": DecisionTreeClassifier(max_depth=-1)}, ValueError, "max_depth must be >= 0, got -1"),
    ({"scoring": ["accuracy"]}, TypeError, "scoring must be a str, a callable or None, got ['accuracy']"),
    ({"scoring": "recall_of_all"}, ValueError, None),
    ({"scoring": objective("a")}, TypeError, "scoring must return a number, got 'a'"),
    ({"scoring": objective(float("nan"))}, ValueError, "objective 'uar' must be finite, got nan"),
    ({"cv": 21}, ValueError, "n_splits=21 cannot be greater than the number of members in each class."),
    ({"cv": StratifiedKFold(21)}, ValueError,
     "n_splits=21 cannot be greater than the number of members in each class."),
    ({"cv": 1}, ValueError, None),
    ({"cv": "k"}, ValueError, None),
    ({"cv": []}, ValueError, "cv must give at least one split, got none from []"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS,
                         ids=[f"{i}-{'-'.join(row[0])}" for i, row in enumerate(BAD_PARAMETERS)])
def test_bad_parameters_are_named_with_rule_and_value(rng, parameters, error, message):
    """A bad value raises at fit, with the name, the rule and the value (None: the words are scikit-learn's)."""
    with pytest.raises(error, match=message and f"^{re.escape(message)}$"):
        small(**parameters).fit(*data(rng))


def test_every_parameter_has_a_bad_value():
    """The table above covers all parameters of the constructor."""
    assert {name for row in BAD_PARAMETERS for name in row[0]} == small().get_params(deep=False).keys()


def test_bad_parameters_are_found_before_the_search(rng):
    """No generation is run before a parameter is refused."""
    called = []
    for parameters in ({"rule": "r2"}, {"n_rescore_splits": -1}, {"cv": []}, {"scoring": "none such"}, {"n_jobs": 0},
                       {"rule": "one_se", "n_rescore_splits": 0}, {"rule": "r1_lambda", "objectives": ["uar"]}):
        with pytest.raises(ValueError):
            small(callbacks=called.append, **parameters).fit(*data(rng))
    assert not called


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize(("change", "error", "message"), [
    (lambda X, y: (X, np.zeros(40)), ValueError, "^y must have at least 2 classes, got 1 class: 0.0$"),
    (lambda X, y: (X, ["a"] * 40), ValueError, "^y must have at least 2 classes, got 1 class: 'a'$"),
    (lambda X, y: (X, np.arange(40)), ValueError,
     "^y must have a class with at least 2 samples, got 40 classes of 1 sample$"),
    (lambda X, y: (np.ones((40, 3)), y), ValueError,
     "^X must have a feature with two distinct values, all features are constant$"),
    (lambda X, y: (np.full((40, 3), np.nan), y), ValueError,
     "^X must have a feature with two distinct values, all features are constant$"),
    (lambda X, y: (X[:0], y[:0]), ValueError, "0 sample"),
    (lambda X, y: (X[:1], y[:1]), ValueError, "1 sample"),
    (lambda X, y: (X[:, :0], y), ValueError, "0 feature"),
    (lambda X, y: (np.where(X > 1, np.inf, X), y), ValueError, "X contains infinity"),
    (lambda X, y: (X[:, 0], y), ValueError, "Expected 2D array"),
    (lambda X, y: (X[None], y), ValueError, "dim 3"),
    (lambda X, y: (X, y[:-1]), ValueError, "inconsistent numbers of samples"),
    (lambda X, y: (X, None), ValueError, "requires y"),
    (lambda X, y: (X, np.stack([y, y], axis=1)), ValueError, "1d array"),
    (lambda X, y: (X, X[:, 0]), ValueError, "Unknown label type: continuous"),
    (lambda X, y: (X, np.where(y, np.nan, 1.0)), ValueError, "y contains NaN"),
    (lambda X, y: (X + 1j, y), ValueError, "Complex data"),
    (lambda X, y: (np.full((40, 3), "red"), y), ValueError, "could not convert string to float"),
], ids=["one class", "one string class", "only single samples", "constant", "all missing", "no rows", "one row",
        "no columns", "infinity", "1-d", "3-d", "lengths", "no y", "2-d y", "continuous y", "NaN in y", "complex",
        "text"])
def test_bad_data_are_refused(rng, change, error, message):
    """Data that cannot be searched raise before the search, with a reason."""
    with pytest.raises(error, match=message):
        small().fit(*change(*data(rng)))


def test_a_frame_with_text_columns_is_refused(rng):
    """Columns must be numbers; nothing is coded behind the user's back."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    frame = pd.DataFrame(X).assign(colour=["red"] * len(X))
    frame.columns = frame.columns.astype(str)
    with pytest.raises(ValueError, match="could not convert string to float"):
        small().fit(frame, y)


def test_transform_refuses_another_number_of_features(rng):
    """X must be as wide as at fit."""
    X, y = data(rng)
    with pytest.raises(ValueError, match="8 features"):
        small().fit(X, y).transform(X[:, :8])


# first generation


@pytest.mark.parametrize("n_rescore_splits", [0, 5])
def test_the_front_of_the_first_generation_is_that_of_a_search_without_generations(n_rescore_splits):
    """Bit for bit, and whatever comes after it; scored on the same splits as the last front."""
    X, y = load_wine(return_X_y=True)
    options = {"archive": False, "local_improvement": None, "n_rescore_splits": n_rescore_splits, "random_state": 3}
    none = MOELIGASelector(n_generations=0, **options).fit(X, y)
    some = MOELIGASelector(n_generations=4, **options).fit(X, y)
    for first in (none.initial_front_, some.initial_front_):
        for name in ("supports", "objectives", "score_se", "search_objectives"):
            assert_array_equal(getattr(first, name), getattr(none.pareto_front_, name))
