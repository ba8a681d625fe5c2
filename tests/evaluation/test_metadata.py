"""Metadata of a fit: to whom sample weights and groups go, with scikit-learn's routing and without."""

import numpy as np
import pytest
import sklearn
import sklearn.tree
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn_objects import Listening, data, differ, small

import cross_fitted
from case_names import named
from moeliga import DecisionTreeClassifier, Islands, MOELIGASelector
from moeliga.evaluation.metadata import Metadata, length, metadata_of_fit, plain
from moeliga.search.build import prepare

# metadata


@pytest.mark.quick(1)
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


@pytest.mark.quick("values")
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
    assert_same(small().fit(X, y, sample_weight=None, groups=None), small().fit(X, y))


WEIGHTS = "must have 48 entries, one for each sample of X, got "


@pytest.mark.parametrize("route", [False, True])
@pytest.mark.parametrize(("estimator", "params", "message"), [
    (GaussianNB(), {"sample_weight": np.ones(47)}, "sample_weight " + WEIGHTS + "47$"),
    (GaussianNB(), {"sample_weight": 3.0}, "sample_weight " + WEIGHTS + "a single value$"),
    (GaussianNB(), {"sample_weight": "balanced"}, "sample_weight " + WEIGHTS + "a single value$"),
    (GaussianNB(), {"groups": [1, 2]}, "groups " + WEIGHTS + "2$"),
    (GaussianNB(), {"sample_weight": set(range(48))}, "sample_weight " + WEIGHTS + "a set$"),
    (make_pipeline(GaussianNB()), {"gaussiannb__sample_weight": [1]}, "gaussiannb__sample_weight " + WEIGHTS + "1$"),
    (GaussianNB(), {"groups": np.ones(48)}, r"groups must come with honest, or with cv=GroupKFold\(\)"),
    (None, {"groups": np.ones(48)}, r"groups must come with honest, or with cv=GroupKFold\(\)"),
], ids=["short", "scalar", "text", "groups", "set", "nested", "no cv", "no cv, tree"])
def test_metadata_that_cannot_be_are_refused(rng, estimator, params, message, route):
    """Before the search, with the name, the rule and the value, with routing and without."""
    called = []
    with sklearn.config_context(enable_metadata_routing=route), pytest.raises(ValueError, match="^" + message):
        small(estimator, callbacks=called.append).fit(*data(rng), **params)
    assert not called


@pytest.mark.parametrize("route", [False, True])
@pytest.mark.parametrize("parts", [{"cv": GroupKFold(2)}, {"honest": 3}], ids=str)
@pytest.mark.parametrize(("label", "message"), [
    (None, "groups must have no missing labels, got None at position 7"),
    (np.nan, "groups must have no missing labels, got nan at position 7"),
    (3, "groups must hold labels that can be sorted: "),
])
def test_groups_that_are_no_labels_are_refused(rng, parts, label, message, route):
    """With their name, by folds and by fixed splits: a missing label is no group of its own."""
    groups = np.array(["a", "b", "c", "d"] * 12, dtype=object)
    groups[7] = label
    with sklearn.config_context(enable_metadata_routing=route), pytest.raises((TypeError, ValueError), match=message):
        small(**parts).fit(*data(rng), groups=groups)


@pytest.mark.parametrize("options", [{}, {"estimator": DecisionTreeClassifier()}, {"cv": 3}, {"scoring": "accuracy"}],
                         ids=str)
@pytest.mark.parametrize("name", ["sample_weight", "temperature"])
def test_the_compiled_tree_takes_no_metadata_and_says_what_does(rng, options, name):
    """Weights are not dropped in silence; the message names an estimator that takes them."""
    message = (rf"^{name} must not be given for moeliga\.DecisionTreeClassifier\(.*\), whose fit takes X and y alone: "
               r"pass islands=Islands\(judges=\[sklearn\.tree\.DecisionTreeClassifier\(\)\]\), or another judge that "
               rf"takes it{', and estimator=None' if 'estimator' in options else ''}$")
    with pytest.raises(ValueError, match=message):
        small(**options).fit(*data(rng), **{name: np.ones(48)})


@pytest.mark.parametrize("options", [{}, {"estimator": DecisionTreeClassifier()},
                                     {"islands": Islands(judges=[DecisionTreeClassifier()])}], ids=str)
def test_what_the_compiled_tree_says_does(rng, options):
    """Typed as the message has it, it is taken."""
    X, y = data(rng)
    selector = MOELIGASelector(honest=None, n_generations=1, population_size=6, random_state=0).set_params(**options)
    with pytest.raises(ValueError, match="must not be given") as error:
        selector.fit(X, y, sample_weight=np.ones(48))
    advised = str(error.value).partition(": pass ")[2].partition(", or ")[0]
    parameters = eval(f"dict({advised})", {"sklearn": sklearn, "Islands": Islands})
    if str(error.value).endswith(", and estimator=None"):
        parameters["estimator"] = None
    selector.set_params(**parameters).fit(X, y, sample_weight=np.ones(48))


def test_a_tree_of_the_user_s_may_take_weights(rng):
    """A subclass with a `fit` of its own is asked like any classifier."""

    class Weighted(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight):
            keep = sample_weight > 0
            return super().fit(X[keep], y[keep])

    X, y = data(rng)
    weighted = small(Weighted()).fit(X, y, sample_weight=(X[:, 1] > -1.0).astype(float))
    assert differ(weighted, small(Weighted()).fit(X, y, sample_weight=np.ones(48)))


@pytest.mark.parametrize(("estimator", "name", "message"), [
    (None, "sample_weight", r"sample_weight must not be given for moeliga\.RandomForestClassifier\(\), whose fit takes "
     r"X and y alone: pass sklearn\.ensemble\.RandomForestClassifier\(\), or another estimator that takes it"),
    (KNeighborsClassifier(), "sample_weight", r"sample_weight must not be given for KNeighborsClassifier\(\), whose "
     "fit takes X and y alone: pass another estimator that takes it"),
    (GaussianNB(), "temperature", r"temperature must not be given for GaussianNB\(\), whose fit besides X and y takes "
     "sample_weight alone: pass another estimator that takes it"),
    (make_pipeline(StandardScaler(), GaussianNB()), "sample_weight", "sample_weight must be passed "
     "as step__sample_weight to a pipeline, where step is one of 'standardscaler', 'gaussiannb'"),
    (make_pipeline(StandardScaler(), GaussianNB()), "bayes__sample_weight", "bayes__sample_weight must be passed "
     "as step__sample_weight to a pipeline, where step is one of 'standardscaler', 'gaussiannb'"),
    (make_pipeline("passthrough", KNeighborsClassifier()), "kneighborsclassifier__sample_weight", "sample_weight "
     r"must not be given for KNeighborsClassifier\(\), whose fit .*"),
], ids=named)
def test_what_a_fit_does_not_take_is_refused_before_the_search(rng, estimator, name, message):
    """And not by Python, when the first model is fitted."""
    called = []
    with pytest.raises(ValueError, match=f"^{message}$"):
        MOELIGASelector(estimator, callbacks=called.append).fit(*data(rng), **{name: np.ones(48)})
    assert not called


def test_what_a_compiled_fit_takes_is_not_known():
    """It need not have a signature."""
    assert metadata_of_fit(dict.update) is None
    assert metadata_of_fit(GaussianNB().fit) == ["sample_weight"]


def test_what_passes_anything_on_is_asked(rng):
    """What a fit does with any metadata is not known before."""

    class Anything(GaussianNB):
        def fit(self, X, y, **params):
            raise LookupError(", ".join(params))

    with pytest.raises(LookupError, match="^temperature\nestimator was fitted to "):
        MOELIGASelector(Anything()).fit(*data(rng), temperature=1.0)


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


@pytest.mark.quick(2)
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


@pytest.mark.slow
def test_aliases_and_workers(rng, routing, heard):
    """Requests under another name work, in two processes as in one."""
    X, y = data(rng)
    estimator = GaussianNB().set_fit_request(sample_weight="trust")
    fits = [small(estimator, scoring=weighing(sample_weight=False), n_jobs=n_jobs, n_generations=1).fit(
        X, y, trust=np.abs(X[:, 0])) for n_jobs in (1, 2)]
    assert_same(*fits)
    assert differ(fits[0], small(estimator, n_generations=1).fit(X, y))


@pytest.mark.slow
def test_a_pipeline_routes_inside(rng, routing, heard):
    """The configuration reaches the workers too, so that pipelines route there."""
    X, y = data(rng)
    weight = np.abs(X[:, 0])
    inner = make_pipeline(StandardScaler().set_fit_request(sample_weight=False),
                          GaussianNB().set_fit_request(sample_weight=True))
    options = {"scoring": weighing(sample_weight=False), "n_generations": 1}
    one, two = (small(inner, n_jobs=n, **options).fit(X, y, sample_weight=weight) for n in (1, 2))
    assert_same(one, two)
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


@pytest.mark.parametrize("route", [False, True])
def test_groups_stay_together_in_folds_of_a_number(rng, route):
    """With routing or without: no fold of honest=3 holds a part of a group; no model, scorer or search gets them."""
    X, y = data(rng)
    groups = rng.permutation(np.arange(48) % 8)
    with sklearn.config_context(enable_metadata_routing=route):
        selector = MOELIGASelector(GaussianNB(), honest=3, n_generations=1, population_size=8, random_state=0)
        selector.fit(X, y, groups=groups)
    answers = selector._answers
    assert answers.n_folds == 3 and sorted(answers.rows.tolist()) == list(range(48))
    for group in range(8):
        assert len(set(answers.fold[groups[answers.rows] == group].tolist())) == 1
    assert_array_equal(answers.units, groups[answers.rows])
    assert answers.metadata.fit == {} and answers.metadata.score == {}


def test_routing_of_a_selector(rng):
    """Three objects, each called by fit and fit_transform; a generator of splits is not used up by the question."""
    X, y = data(rng)
    routing = get_routing_for_object(small(GaussianNB(), cv=3))
    assert {name for name, _ in routing} == {"estimator", "splitter", "scorer"}
    for name, method in (("estimator", "fit"), ("splitter", "split"), ("scorer", "score")):
        pairs = [(pair.caller, pair.callee) for pair in routing._route_mappings[name].mapping]
        assert pairs == [("fit", method), ("fit_transform", method)]
    selector = small(GaussianNB(), cv=StratifiedKFold(3).split(X, y))
    selector.get_metadata_routing()
    with sklearn.config_context(enable_metadata_routing=True):
        assert_same(selector.fit(X, y), small(GaussianNB(), cv=3).fit(X, y))


def test_weights_are_routed_without_a_scorer_of_the_callers(rng):
    """The default score has none: nobody has to say so, in a pipeline either."""
    X, y = data(rng)
    weight = rng.random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        selector = MOELIGASelector(model, honest=3, n_generations=1, population_size=8, random_state=0)
        selector.fit(X, y, sample_weight=weight)
        plain = clone(selector).fit(X, y)
        assert not np.array_equal(plain.baselines_.honest_score, selector.baselines_.honest_score)
        kept = selector._answers.metadata
        assert (kept.fit, kept.split, kept.score) == ({}, {}, {})  # scores need none, and nobody else does
        make_pipeline(small(), model).fit(X, y, sample_weight=weight)


def test_what_is_not_by_sample_stays_whole(rng):
    """Also where a part of the samples is as many as it has entries."""
    weight, table = rng.random(120), list(range(80))
    part = Metadata({"sample_weight": weight, "table": table}, {}, {"table": table}, 120).part(np.arange(80))
    assert part.at("fit", np.arange(5))["table"] is part.at("score", np.arange(5))["table"] is table
    assert_array_equal(part.at("fit", np.arange(5))["sample_weight"], weight[:5])
    assert part.part(np.arange(7)).at("fit", np.arange(3))["table"] is table


@pytest.mark.parametrize("route", [False, True])
def test_groups_may_be_text_of_any_length(rng, route):
    """Which scikit-learn's splitters do not take."""
    X, y = data(rng)
    groups = np.array(["a", "bb", "ccc", "d"] * 12)
    with sklearn.config_context(enable_metadata_routing=route):
        assert_same(*(small(cv=GroupKFold(2)).fit(X, y, groups=labels)
                      for labels in (groups, groups.astype(np.dtypes.StringDType()))))


def test_columns_of_tables_stay_what_they_are():
    """Only other arrays of a library of tables become NumPy's."""
    pd = pytest.importorskip("pandas")
    column = pd.Series([1.0, 2.0], dtype="Float64")
    assert plain(column) is column
    assert type(plain(column.array)) is np.ndarray


@pytest.mark.slow
def test_groups_of_a_library_of_tables_are_labels(rng):
    """Text in Arrow's memory cannot be taken by places as arrays can."""
    pd = pytest.importorskip("pandas")
    X, y = cross_fitted.data(rng)
    labels = [f"g{i // 3}" for i in range(len(y))]
    found = [cross_fitted.small().fit(X, y, groups=groups).honest_score_
             for groups in (labels, pd.array(labels, dtype="string"), pd.Categorical(labels), pd.Series(labels))]
    assert len(set(found)) == 1


@pytest.mark.parametrize("judges", [None, [GaussianNB()]])
def test_what_the_scorer_gets_does_not_reach_another_score(rng, routing, judges):
    """The tree that guides is compiled, whatever the deployed model's scorer gets; a judge has that scorer."""
    X, y = cross_fitted.data(rng)
    model = GaussianNB().set_fit_request(sample_weight=False)
    selector = cross_fitted.small(model, scoring=weighing(sample_weight=True))
    if judges is not None:
        selector.set_params(islands=Islands(judges=[model]))
    _, ready = prepare(selector, X, y, {"sample_weight": rng.integers(1, 3, len(y))})
    assert bool(ready.path.compiled) == (judges is None)
