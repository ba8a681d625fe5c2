"""Weights of classes and of samples in compiled judges: scikit-learn's answers with the same weights."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn import ensemble
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from case_names import named
from moeliga import Evaluation, Islands, evaluate_subsets
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.data.problem import Problem
from moeliga.evaluation.judges import judge_of
from moeliga.evaluation.metadata import Metadata
from moeliga.evaluation.path import path_of
from moeliga.evaluation.subsample import PUBLIC, stratified_rows
from single_search import single_search

CLASSES = {0: 3, 1: 1, 2: 5}


def data(rng, n_samples=90, n_classes=3):
    """Classes that overlap, in an order of their own, without ties."""
    X = rng.normal(size=(n_samples, 6))
    y = np.digitize(X[:, 0] + X[:, 3] + rng.normal(size=n_samples), [0.0, 1.0][: n_classes - 1])
    return X, y


def masks_of(rng, n=5):
    masks = rng.random((n, 6)) < 0.5
    masks[:, 0] = True
    return masks


def by_scikit_learn(model, X, y, masks, scoring, weights=None, name="sample_weight", cv=None):
    """The mean score of each subset on stratified folds."""
    scorer, rows = get_scorer(scoring), []
    for mask in masks:
        scores = []
        for learn, ask in (cv or StratifiedKFold(3)).split(X, y):
            more = {} if weights is None else {name: weights[learn]}
            scores.append(scorer(clone(model).fit(X[learn][:, mask], y[learn], **more), X[ask][:, mask], y[ask]))
        rows.append(np.mean(scores))
    return np.array(rows)


def search(judge, **parameters):
    return single_search(**{"islands": Islands(judges=[judge], sizes=None), "population_size": 8, "n_generations": 2,
                            "evaluation": Evaluation(n_rescore_splits=2), "local_improvement": None, "rule": "best",
                            "objectives": ("uar", "cardinality"), "random_state": 0, "n_jobs": 1, **parameters})


def judged(model, problem, **fit):
    """The judge of a model, and what keeps it from being compiled."""
    return judge_of(model, problem, Metadata(fit, {}, {}, len(problem.y)))


TIGHT = LogisticRegression(tol=1e-10, solver="newton-cg", max_iter=1000, C=10)
PRUNED = {"max_depth": 3, "min_samples_leaf": 20, "random_state": 0}
BY_CLASS = [RidgeClassifier(), RidgeClassifier(0.1, fit_intercept=False), TIGHT,
            LinearSVC(tol=1e-10, dual=False, max_iter=10000, C=0.1), make_pipeline(StandardScaler(), RidgeClassifier()),
            DecisionTreeClassifier(**PRUNED), DecisionTreeClassifier(**PRUNED, min_samples_split=90),
            make_pipeline(MinMaxScaler(), DecisionTreeClassifier(**PRUNED))]


@pytest.mark.quick(2)
@pytest.mark.parametrize("weights", [CLASSES, {2: 4}, {0: 0.5, 1: 1.5, 2: 1}], ids=str)
@pytest.mark.parametrize("model", BY_CLASS, ids=named)
def test_weights_of_classes(rng, model, weights):
    """Trees count distinct samples where they stop, and the weights in what a split gains; nodes are large, so that no
    two splits are equally good."""
    X, y = data(rng, 300)
    model = clone(model)
    (model.steps[-1][1] if hasattr(model, "steps") else model).set_params(class_weight=weights)
    for scoring, name in (("uar", "balanced_accuracy"), ("f1_macro",) * 2):
        masks = masks_of(rng)
        found = evaluate_subsets(X, y, masks, objectives=(scoring,), scoring=scoring, estimator=model, cv=3)
        assert_allclose(found[:, 0], by_scikit_learn(model, X, y, masks, name), rtol=1e-12)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(**PRUNED, class_weight="balanced"), make_pipeline(
    StandardScaler(), DecisionTreeClassifier(**PRUNED, class_weight="balanced"))], ids=named)
def test_balanced_trees(rng, model):
    """The weights are those of the classes of each split's rows to learn from, of a subsample of these."""
    X, y = data(rng, 200)
    masks, scorer = masks_of(rng), get_scorer("balanced_accuracy")
    for subsample in (None, 150):
        found = evaluate_subsets(X, y, masks, n_splits=4, objectives=("uar",), estimator=model, subsample=subsample,
                                 random_state=5)
        part, known = np.arange(200), Samples.sort(6, y, 3)
        if subsample is not None:
            part = stratified_rows(known, subsample, seed_words(5), (PUBLIC, 0, 0, 0))
            known = Samples.sort(6, y[part], 3)
        for p, mask in enumerate(masks):
            scores = []
            for t in range(4):
                marks = draw.split(seed_words(5), (Purpose.PUBLIC, 0, 0, p, t), known.class_start,
                                   known.n_validation(0.3))
                learn, ask = (np.sort(part[known.rows[marks == side]]) for side in (0, 1))
                scores.append(scorer(clone(model).fit(X[learn][:, mask], y[learn]), X[ask][:, mask], y[ask]))
            assert_allclose(found[p, 0], np.mean(scores), rtol=1e-12)


def test_balanced_forests_are_those_of_their_weights(rng):
    """Out of bag each class of n rows weighs 1 / n; a tree of fixed splits has weights of its own in each."""
    X, y = data(rng)
    masks, sizes = masks_of(rng), np.bincount(y)
    by_hand = dict(enumerate((np.lcm.reduce(sizes) // sizes).tolist()))
    found = [evaluate_subsets(X, y, masks, objectives=("neg_log_loss",), scoring="neg_log_loss", cv="oob", n_jobs=n,
                              estimator=ensemble.RandomForestClassifier(40, class_weight=weights, random_state=0))
             for weights, n in (("balanced", 1), (by_hand, 2))]
    assert_array_equal(*found)
    model = ensemble.RandomForestClassifier(3, class_weight="balanced")
    path = path_of([model], None, 3, ["uar"], Problem(X, y, False))
    assert (path.judges, path.reasons) == ((None,), ("class_weight='balanced'",))
    with pytest.raises(TypeError, match="not compiled with class_weight='balanced'"):
        evaluate_subsets(X, y, masks, estimator=model, cv=3)
    large = Problem(X, np.arange(90) % 5, False)
    assert judged(model, large) == (None, "class_weight='balanced'")
    assert judged(model, Problem(X, y, False), sample_weight=np.ones(90)) == (None, "sample_weight")


BY_SAMPLE = [GaussianNB(), GaussianNB(var_smoothing=0.3), RidgeClassifier(class_weight={1: 2}), TIGHT,
             LinearSVC(tol=1e-10, dual=False, max_iter=10000, C=0.1, class_weight={0: 2}),
             DecisionTreeClassifier(**PRUNED), DecisionTreeClassifier(**PRUNED, class_weight=CLASSES)]


@pytest.mark.quick(5)
@pytest.mark.parametrize("model", BY_SAMPLE, ids=named)
@pytest.mark.parametrize("form", ["whole", "zeros", "halves"])
def test_weights_of_samples(rng, model, form):
    """Members of the front have the scores of fits with the weights of the rows that they learn from; rows of weight 0
    are not learnt from, and scores count every row once."""
    X, y = data(rng, 300)
    weights = rng.integers(1, 5, len(y)) / 1.0
    weights = {"whole": weights, "zeros": np.where(weights < 2, 0.0, weights), "halves": weights / 2}[form]
    assert judged(model, Problem(X, y, False), sample_weight=weights)[1] is None
    front = search(model, cv=3).fit(X, y, sample_weight=weights).pareto_front_
    wanted = by_scikit_learn(model, X, y, front.supports, "balanced_accuracy", weights)
    assert_allclose(front.score, wanted, rtol=1e-12)
    other = search(model, cv=3).fit(X, y).pareto_front_
    assert len(other) != len(front) or (other.score != front.score).any()


OF_TARGETS = [Ridge(0.1), LinearRegression(), make_pipeline(StandardScaler(), Ridge()),
              DecisionTreeRegressor(random_state=0, max_depth=4, min_samples_leaf=5)]


@pytest.mark.parametrize("model", OF_TARGETS, ids=named)
def test_weights_of_samples_of_a_target(rng, model):
    """Of a tree whole numbers, some of them 0."""
    X, _ = data(rng)
    y, weights = X @ rng.normal(size=6) + rng.normal(size=len(X)), rng.random(len(X))
    if isinstance(model, DecisionTreeRegressor):
        weights = np.floor(4 * weights)
    name = "ridge__sample_weight" if hasattr(model, "steps") else "sample_weight"
    assert judged(model, Problem(X, y, True), **{name: weights})[1] is None
    front = search(model, cv=KFold(3), objectives=("r2", "cardinality")).fit(X, y, **{name: weights}).pareto_front_
    wanted = by_scikit_learn(model, X, y, front.supports, "r2", weights, name, KFold(3))
    assert_allclose(front.score, wanted, rtol=1e-10)


def test_whole_weights_are_rows_that_stand_several_times(rng):
    """A forest of one tree, of all samples, is the tree of this package on the repeated rows."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    masks, (learn, ask) = masks_of(rng), next(StratifiedKFold(3).split(X, y))
    repeated = np.repeat(learn, [CLASSES[label] for label in y[learn]])
    rows = np.concatenate((repeated, ask))
    both = [(np.arange(len(repeated)), np.arange(len(repeated), len(rows)))]
    plain = evaluate_subsets(X[rows], y[rows], masks, objectives=("uar",), estimator=DecisionTreeClassifier(), cv=both)
    found = evaluate_subsets(X, y, masks, objectives=("uar",), cv=[(learn, ask)],
                             estimator=DecisionTreeClassifier(class_weight=CLASSES))
    assert_array_equal(found, plain)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e100])
def test_whole_weights_of_a_target_are_rows_that_stand_several_times(rng, scale):
    """Sums of targets are whole numbers, and stay so with large weights, in coarser steps."""
    X, _ = data(rng)
    y = scale * (X[:, 0] + X[:, 3] ** 2 + rng.normal(size=len(X)))
    X[rng.random(X.shape) < 0.05] = np.nan
    masks, (learn, ask) = masks_of(rng), next(KFold(3).split(X, y))
    weights, cv, model = rng.integers(1, 6, len(X)), [(learn, ask)], DecisionTreeRegressor()
    rows = np.concatenate((np.repeat(learn, weights[learn]), ask))
    both = [(np.arange(len(rows) - len(ask)), np.arange(len(rows) - len(ask), len(rows)))]
    plain = evaluate_subsets(X[rows], y[rows], masks, objectives=("r2",), estimator=model, cv=both)
    for factor in (1, 0.25, 9000):
        found = evaluate_subsets(X, y, masks, objectives=("r2",), estimator=model, cv=cv,
                                 sample_weight=factor * weights)
        assert_allclose(found, plain, rtol=1e-9)
    assert_array_equal(found, evaluate_subsets(X, y, masks, objectives=("r2",), estimator=model, cv=cv, n_jobs=3,
                                               sample_weight=factor * weights))


GIVEN = [*((model, "balanced_accuracy", "uar") for model in (
    GaussianNB(), RidgeClassifier(), DecisionTreeClassifier(**PRUNED), make_pipeline(StandardScaler(), GaussianNB()))),
    *((model, "r2", "r2") for model in OF_TARGETS)]


@pytest.mark.parametrize(("model", "scoring", "name"), GIVEN, ids=named)
def test_weights_of_samples_of_given_subsets(rng, model, scoring, name):
    """The scores of fits with the weights; of a subsample of the rows, that of theirs."""
    X, y = data(rng, 300)
    y = y + rng.normal(size=300) if name == "r2" else y
    masks, weights, folds = masks_of(rng), rng.integers(0, 4, 300), KFold(3)
    found = evaluate_subsets(X, y, masks, objectives=(name,), estimator=model, cv=folds, sample_weight=list(weights))
    to = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    assert_allclose(found[:, 0], by_scikit_learn(model, X, y, masks, scoring, weights, to, folds), rtol=1e-9)
    ones = [evaluate_subsets(X, y, masks, objectives=(name,), estimator=model, subsample=100, random_state=1, **given)
            for given in ({}, {"sample_weight": np.ones(300)}, {"sample_weight": np.where(weights, 1, 0)})]
    assert_allclose(ones[0], ones[1], rtol=1e-12)
    assert (ones[0] != ones[2]).any()


def test_weights_that_given_subsets_do_not_take(rng):
    X, y = data(rng)
    masks, weights = masks_of(rng), rng.integers(1, 4, 90)
    for model, given, error, message in (
            (None, weights, ValueError, r"sample_weight must not be given for moeliga\.DecisionTreeClassifier"),
            (KNeighborsClassifier(), weights, ValueError, "sample_weight must not be given for KNeighborsClassifier"),
            (DecisionTreeClassifier(), rng.random(90), TypeError, "which is not compiled with sample_weight"),
            (GaussianNB(), weights[1:], ValueError, "sample_weight must have 90 entries, .* got 89"),
            (GaussianNB(), 3, ValueError, "sample_weight must have 90 entries, .* got a single value"),
            (GaussianNB(), -weights, ValueError, "sample_weight must be finite and >= 0, got -"),
            (GaussianNB(), np.zeros(90), ValueError, "sample_weight must have an entry above 0")):
        with pytest.raises(error, match=message):
            evaluate_subsets(X, y, masks, estimator=model, sample_weight=given)


@pytest.mark.slow
@pytest.mark.parametrize("model", [ensemble.RandomForestRegressor(30), ensemble.ExtraTreesRegressor(30)], ids=named)
def test_weighted_forests_of_a_target_are_as_good_as_scikit_learn_s(model):
    apart = []
    for number in range(20):
        rng = np.random.default_rng(number)
        X, y = data(rng, 150)
        y, weights = y + rng.normal(size=150), rng.integers(0, 4, 150)
        masks, model = masks_of(rng, 3), clone(model).set_params(random_state=number)
        found = evaluate_subsets(X, y, masks, objectives=("r2",), estimator=model, cv=KFold(3), sample_weight=weights)
        apart.append(np.mean(found[:, 0] - by_scikit_learn(model, X, y, masks, "r2", weights, cv=KFold(3))))
    assert all(apart) and abs(np.mean(apart)) < 2 * np.std(apart, ddof=1) / np.sqrt(len(apart))


@pytest.mark.slow
@pytest.mark.parametrize("model", [ensemble.RandomForestClassifier(30), ensemble.ExtraTreesClassifier(30),
                                   DecisionTreeClassifier()], ids=named)
def test_what_draws_is_as_good_as_scikit_learn_s(model):
    """Forests, and trees in which splits are equally good: the mean of paired differences over twenty data sets is
    within two standard errors."""
    apart = []
    for number in range(20):
        rng = np.random.default_rng(number)
        X, y = data(rng, 150)
        masks, model = masks_of(rng, 3), clone(model).set_params(class_weight={0: 1, 1: 6, 2: 2}, random_state=number)
        found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=model, cv=3)[:, 0]
        apart.append(np.mean(found - by_scikit_learn(model, X, y, masks, "balanced_accuracy")))
    assert all(apart) and abs(np.mean(apart)) < 2 * np.std(apart, ddof=1) / np.sqrt(len(apart))


def test_forests_of_equal_weights_are_those_without(rng):
    """Trees are the same if all weights are multiplied."""
    X, y = data(rng)
    masks = masks_of(rng)
    for kind in (ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier):
        found = [evaluate_subsets(X, y, masks, objectives=("neg_log_loss",), scoring="neg_log_loss", random_state=5,
                                  estimator=kind(5, class_weight=weights, random_state=1), n_jobs=n_jobs)
                 for weights, n_jobs in ((None, 1), ({0: 3, 1: 3, 2: 3}, 2), ({0: 1, 1: 3, 2: 2}, 1),
                                         ({0: 0.5, 1: 1.5, 2: 1}, 2))]
        assert_array_equal(found[0], found[1])
        assert_array_equal(found[2], found[3])
        assert (found[0] != found[2]).any()


@pytest.mark.slow
def test_ridge_leaves_a_row_out_with_all_its_copies(rng):
    """In closed form where each row has a weight above 0; other judges with weights have splits."""
    X, y = data(rng, 40)
    masks, weights = masks_of(rng, 3), rng.integers(1, 4, 40) / 1.0
    model = RidgeClassifier(0.5, class_weight=CLASSES)
    found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=model, cv=LeaveOneOut())[:, 0]
    for mask, score in zip(masks, found, strict=True):
        answers = cross_val_predict(model, X[:, mask], y, cv=LeaveOneOut())
        assert_allclose(score, get_scorer("balanced_accuracy")._score_func(y, answers))
    front = search(model, cv=LeaveOneOut()).fit(X, y, sample_weight=weights).pareto_front_
    for mask, score in zip(front.supports, front.score, strict=True):
        answers = [clone(model).fit(X[learn][:, mask], y[learn], weights[learn]).predict(X[ask][:, mask])[0]
                   for learn, ask in LeaveOneOut().split(X)]
        assert_allclose(score, get_scorer("balanced_accuracy")._score_func(y, answers))


def test_which_weights_leave_the_closed_form(rng):
    """Of ridge those above 0, of other judges none."""
    X, y = data(rng)
    weights = np.where(np.arange(90) % 2, 1.0, 2.0)
    for model, shift, closed in ((RidgeClassifier(), 0, True), (RidgeClassifier(class_weight=CLASSES), 0, True),
                                 (RidgeClassifier(), 1, False), (GaussianNB(), 0, False),
                                 (LogisticRegression(), 0, False)):
        assert judged(model, Problem(X, y, False), sample_weight=weights - shift)[0].closed == closed
    assert judged(GaussianNB(), Problem(X, y, False))[0].closed


def test_priors_of_the_caller_stay_with_weights(rng):
    """And those that the weights would give are others."""
    X, y = data(rng)
    masks, weights, cv = masks_of(rng), rng.integers(1, 4, 90), KFold(3)
    model = GaussianNB(priors=[0.7, 0.2, 0.1])
    found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=model, cv=cv, sample_weight=weights)
    assert_allclose(found[:, 0], by_scikit_learn(model, X, y, masks, "balanced_accuracy", weights, cv=cv), rtol=1e-12)


def test_weights_are_as_large_as_the_core_can_count():
    """A node counts up to 2**22: of 64 rows 65536 each, of balanced classes the product of all but the smallest."""
    X, y = np.random.default_rng(0).normal(size=(64, 6)), np.arange(64) % 2
    for weight, which in ((65536, None), (65537, "class_weight={0: 65537, 1: 1}")):
        judge, reason = judged(DecisionTreeClassifier(class_weight={0: weight, 1: 1}), Problem(X, y, False))
        assert (judge is None, reason) == (which is not None, which)
    forest = ensemble.RandomForestClassifier(3, class_weight={0: 65536, 1: 1}, random_state=0)
    found = evaluate_subsets(X, y, np.ones((1, 6), dtype=bool), objectives=("uar",), estimator=forest, cv="oob")
    assert found == 0.5  # trees draw the class 0 alone
    for sizes, which in (((32, 32, 32, 32), None), ((32, 32, 32, 33), "class_weight='balanced'"),
                         ((2, 2046), None), ((2, 2048), "class_weight='balanced'")):
        labels = np.repeat(np.arange(len(sizes)), sizes)
        problem = Problem(np.zeros((len(labels), 1)), labels, False)
        judge, reason = judged(DecisionTreeClassifier(class_weight="balanced"), problem)
        assert (judge is None, reason) == (which is not None, which)


@pytest.mark.slow
def test_weights_go_with_the_rows_of_subsamples(rng):
    """Random splits of a part of the samples; threads change nothing."""
    X, y = data(rng)
    weights = rng.integers(0, 4, 90) / 1.0
    for model in (GaussianNB(), DecisionTreeClassifier(), RidgeClassifier(), ensemble.RandomForestClassifier(3)):
        given = {"evaluation": Evaluation(subsample=60, n_rescore_splits=2)}
        fits = [search(model, n_jobs=n_jobs, **given).fit(X, y, sample_weight=weights) for n_jobs in (1, 3)]
        assert_same(*fits)

    class Joblib(RidgeClassifier):
        """The same, of a class that is not compiled."""

    pair = [search(model, **given).fit(X, y, sample_weight=weights).pareto_front_
            for model in (RidgeClassifier(), Joblib())]
    assert_array_equal(pair[0].supports, pair[1].supports)
    assert_allclose(pair[0].objectives, pair[1].objectives, rtol=1e-12)


def test_a_pipeline_that_routes_weights_is_not_compiled(rng):
    """They may be for its scaler, too."""
    X, y = data(rng)
    problem, model = Problem(X, y, False), make_pipeline(StandardScaler(), GaussianNB())
    assert judged(model, problem, gaussiannb__sample_weight=np.ones(90))[1] is None
    with sklearn.config_context(enable_metadata_routing=True):
        assert judged(model, problem, sample_weight=np.ones(90)) == (None, "sample_weight")
        assert judged(GaussianNB(), problem, sample_weight=np.ones(90))[1] is None


def test_what_is_not_compiled_is_named(rng):
    X, y = data(rng)
    problem, weights = Problem(X, y, False), rng.integers(1, 4, 90) / 1.0
    target = Problem(X, X[:, 0], True)
    for model, fit, name in (
            (RidgeClassifier(class_weight="balanced"), {"sample_weight": weights}, "sample_weight"),
            (KNeighborsClassifier(), {"sample_weight": weights}, "sample_weight"),
            (GaussianNB(), {"sample_weight": weights, "other": 1}, "other"),
            (make_pipeline(StandardScaler(), GaussianNB()), {"standardscaler__sample_weight": weights},
             "standardscaler__sample_weight"),
            (GaussianNB(), {"sample_weight": weights[:, None]}, "sample_weight"),
            (GaussianNB(), {"sample_weight": ["one"] * 90}, "sample_weight"),
            (DecisionTreeClassifier(), {"sample_weight": rng.random(90)}, "sample_weight"),
            (DecisionTreeClassifier(class_weight={0: 1e6, 1: 1}), {}, "class_weight={0: 1000000.0, 1: 1}"),
            (LogisticRegression(class_weight={0: 0}), {}, "class_weight={0: 0}")):
        assert judged(model, problem, **fit) == (None, name)
    assert judged(DecisionTreeRegressor(), target, sample_weight=rng.random(90)) == (None, "sample_weight")
    both = Metadata({"sample_weight": weights}, {}, {"sample_weight": weights}, 90)  # scores count rows once
    assert judge_of(GaussianNB(), problem, both) == (None, "sample_weight")
    with pytest.raises(TypeError, match="not compiled with class_weight={0: 0}"):
        evaluate_subsets(X, y, masks_of(rng), estimator=LogisticRegression(class_weight={0: 0}))


def test_wrong_weights_are_refused(rng):
    X, y = data(rng)
    for weights, message in ((-1, "must be finite and >= 0, got -1.0"), (np.nan, "must be finite and >= 0, got nan"),
                             (np.inf, "must be finite and >= 0, got inf"), (0, "must have an entry above 0")):
        with pytest.raises(ValueError, match="^sample_weight " + message):
            search(GaussianNB()).fit(X, y, sample_weight=np.full(90, weights))
    for weights, message in (({0: -1}, "must be finite and >= 0, got -1 for 0"), ({1: np.nan}, "got nan for 1"),
                             ({7: 1}, r"must have class labels of y as keys, got 7, which is none of \[0, 1, 2\]"),
                             ({0: 0, 1: 0, 2: 0}, "must have a weight above 0")):
        for model in (RidgeClassifier, DecisionTreeClassifier, LinearSVC):
            with pytest.raises(ValueError, match="^class_weight .*" + message):
                evaluate_subsets(X, y, masks_of(rng), estimator=model(class_weight=weights))
    with pytest.raises(ValueError, match="^sample_weight and class_weight must give a sample a weight above 0, all"):
        judged(DecisionTreeClassifier(class_weight={0: 0}), Problem(X, y, False), sample_weight=(y == 0) * 1.0)
