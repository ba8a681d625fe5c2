"""Scores and splits of the user's own in the compiled core: as scikit-learn has them, and never by joblib."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import hamming_loss, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from arbitrary import sized
from case_names import named
from moeliga import (
    Checkpoint,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    Islands,
    LocalImprovement,
    MOELIGASelector,
    evaluate_subsets,
)
from moeliga._ext import scores as room
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.ground import Ground
from moeliga.data.problem import Problem
from moeliga.evaluation.estimator_scorer import EstimatorScorer
from moeliga.evaluation.metadata import Metadata
from moeliga.evaluation.scores import OF_TARGETS, soft_uar
from paper_operators import PAPER, fitting
from single_search import single_search
from thread_backend import everything_sent

TREE, REGRESSOR = DecisionTreeClassifier(max_depth=4), DecisionTreeRegressor(max_depth=4)
MANY = [name for name in room.NUMBERS if name not in OF_TARGETS and name not in ("f1", "roc_auc")]
TWO = ["f1", "roc_auc", "average_precision", "neg_log_loss", "neg_brier_score", "soft_uar", "f1_macro"]
SMALL = {**PAPER, "population_size": 8, "n_generations": 2, "survival__n_elite": 2, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 2, "local_improvement": None, "random_state": 0, "rule": "best"}
LOCAL = LocalImprovement(n_populations=2, population_size=6, n_generations=2, every=2)
DECIDING = [RidgeClassifier(), LinearSVC(tol=1e-10, max_iter=100_000),
            make_pipeline(StandardScaler(), RidgeClassifier(class_weight="balanced"))]
data = sized(60, 10, 3, shuffled=True)


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **fitting({**SMALL, **parameters}))


def subsets(rng, n_features, n=5):
    masks = rng.random((n, n_features)) < 0.4
    masks[:, 0] = True
    return masks


@pytest.fixture
def alone(monkeypatch):
    """No scorer of scikit-learn is asked by a search."""
    def score(*_):
        raise AssertionError("a search has asked joblib")

    monkeypatch.setattr(EstimatorScorer, "score", score)


def by_joblib(estimator, name, X, y, masks, n_splits):
    """Scores by scikit-learn's protocol on the splits that `evaluate_subsets` draws for all subsets."""
    problem = Problem(X, y, name in OF_TARGETS)
    samples = problem.samples()
    scorer = EstimatorScorer([estimator], name, None, problem, Metadata({}, {}, {}, len(y)))
    return scorer.score(Ground(samples, samples.n_validation(0.3), None).table, masks, seed_words(5),
                        (Purpose.PUBLIC, 0, 0), np.arange(len(masks)), n_splits, shared=True)[:, 0]


# evaluate_subsets


@pytest.mark.quick(5)
@pytest.mark.parametrize(("n_classes", "name"), [(2, name) for name in TWO] + [(3, name) for name in MANY])
def test_scores_on_drawn_splits_are_those_of_scikit_learn(rng, name, n_classes):
    """The same tree on the same splits, but for soft_uar, for which a tree's shares are corrected."""
    X, y = data(rng, n_classes=n_classes)
    masks = subsets(rng, 10)
    got = evaluate_subsets(X, y, masks, n_splits=4, objectives=(name.replace("balanced_accuracy", "uar"),),
                           estimator=TREE, scoring=name, shared=True, random_state=5)[:, 0]
    if name == "soft_uar":
        assert ((got > 0) & (got < 1)).all()
        return
    assert_allclose(got, by_joblib(TREE, name, X, y, masks, 4).mean(axis=1), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", sorted(OF_TARGETS))
def test_scores_of_a_target(rng, name):
    """On drawn splits and on fixed ones."""
    X, y = data(rng)
    y, masks = 1e3 + 50 * (X[:, 0] + X[:, 3] ** 2), subsets(rng, 10)
    given = {"objectives": (name,), "estimator": REGRESSOR, "scoring": name}
    drawn = evaluate_subsets(X, y, masks, n_splits=4, shared=True, random_state=5, **given)[:, 0]
    assert_allclose(drawn, by_joblib(REGRESSOR, name, X, y, masks, 4).mean(axis=1), rtol=1e-12, atol=1e-13)
    fixed = evaluate_subsets(X, y, masks, cv=KFold(4), **given)[:, 0]
    assert_allclose(fixed, [cross_val_score(REGRESSOR, X[:, mask], y, cv=KFold(4), scoring=name).mean()
                            for mask in masks], rtol=1e-12, atol=1e-13)


def pairs(X, y):
    """Parts of unequal sizes, rows in neither part, in no order."""
    return [([5, 3, 40, 41, 42, 7, 9], [0, 1, 2]), (np.arange(10, 50), np.arange(50, 60)[::-1]),
            (np.arange(60) % 3 == 0, np.arange(60) % 3 == 1)]


@pytest.mark.quick(2)
@pytest.mark.parametrize("cv", [
    3, KFold(4), StratifiedKFold(3, shuffle=True, random_state=2), LeaveOneOut(), ShuffleSplit(3, random_state=0),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), TimeSeriesSplit(3), pairs], ids=named)
@pytest.mark.parametrize("name", ["accuracy", "uar", "f1_macro"])
def test_given_splits_are_those_of_cross_val_score(rng, name, cv):
    """Any splitter, and pairs of rows."""
    X, y = data(rng)
    cv, masks = cv(X, y) if callable(cv) else cv, subsets(rng, 10)
    got = evaluate_subsets(X, y, masks, objectives=(name,), estimator=TREE, scoring=name, cv=cv, random_state=1)[:, 0]
    assert_allclose(got, [cross_val_score(TREE, X[:, mask], y, cv=cv, scoring="balanced_accuracy" if name == "uar" else
                                          name).mean() for mask in masks], rtol=1e-13)


def test_classes_that_the_training_part_lacks(rng):
    """Nobody predicts them; their rows count as errors."""
    X, y = data(rng, n_classes=3)
    cv = [(np.flatnonzero(y < 2), np.arange(0, 60, 2)), (np.flatnonzero(y > 0), np.arange(60))]
    cv = [(np.setdiff1d(train, test[: 20]), test[: 20]) for train, test in cv]
    got = evaluate_subsets(X, y, np.ones((1, 10), dtype=bool), objectives=("accuracy", "separability"), estimator=TREE,
                           scoring="accuracy", cv=cv, random_state=0)
    assert_allclose(got[0, 0], cross_val_score(TREE, X, y, cv=cv, scoring="accuracy").mean(), rtol=1e-14)
    with pytest.raises(ValueError, match="^objective 'neg_log_loss' must be finite, got nan: a split lacks a class"):
        evaluate_subsets(X, y, np.ones((1, 10), dtype=bool), objectives=("neg_log_loss",), scoring="neg_log_loss",
                         cv=cv)


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("labels", [(0, 1), (1, 0), (-1, 1), (1, 2), (False, True)], ids=named)
@pytest.mark.parametrize("name", ["f1", "average_precision", "roc_auc"])
def test_the_positive_class_is_that_of_scikit_learn(rng, name, labels):
    """1, or for areas the second one in order."""
    X, y = data(rng, n_classes=2)
    y, masks = np.array(labels)[y], subsets(rng, 10)
    got = evaluate_subsets(X, y, masks, objectives=(name,), estimator=TREE, scoring=name, cv=3)[:, 0]
    assert_allclose(got, [cross_val_score(TREE, X[:, mask], y, cv=3, scoring=name).mean() for mask in masks],
                    rtol=1e-13)


def test_of_several_classes_none_has_to_be_1(rng):
    """Average precision is then of each."""
    X, y = data(rng, n_classes=3)
    y, masks = np.array(["a", "b", "c"])[y], subsets(rng, 10)
    got = evaluate_subsets(X, y, masks, objectives=("average_precision",), estimator=TREE, scoring="average_precision",
                           cv=3)[:, 0]
    assert_allclose(got, [cross_val_score(TREE, X[:, mask], y, cv=3, scoring="average_precision").mean()
                          for mask in masks], rtol=1e-13)


@pytest.mark.parametrize(("labels", "parameters", "message"), [
    ("abc", {"scoring": "roc_auc"}, "scoring='roc_auc' is for two classes, got 3: 'roc_auc_ovr' is for more"),
    ("abc", {"scoring": "f1"}, "scoring='f1' is for two classes, got 3: 'f1_macro' is for more"),
    ("ab", {"scoring": "f1"}, r"scoring='f1' must have the class 1, the positive one: pass y as "
     r"0 and 1, got the classes \['a', 'b'\]"),
    ("ab", {"scoring": "average_precision"}, "scoring='average_precision' must have the class 1"),
    ("ab", {"scoring": "r2"}, "scoring must be one of 'uar', .* or None, got 'r2'"),
    ("ab", {"scoring": "recall"}, "scoring must be one of 'uar', .* or None, got 'recall'"),
    ("ab", {"scoring": "accuracy", "objectives": ("uar",)},
     r"objectives must hold 'accuracy' in place of 'uar' with scoring='accuracy', got \('uar',\)"),
    ("ab", {"cv": [([0, 1], [1, 2])]}, "cv must give rows to train on and others to validate on"),
    ("ab", {"cv": [([0, 0], [1, 2])]}, "cv must give rows to train on and others to validate on"),
    ("ab", {"cv": [([], [1, 2])]}, "cv must give rows to train on and others to validate on"),
    ("ab", {"cv": 3, "subsample": 0.5}, "subsample must be None with cv, got 0.5"),
])
def test_evaluate_subsets_refuses(rng, labels, parameters, message):
    """What the core cannot do, with the rule."""
    X, y = data(rng, n_classes=len(labels))
    with pytest.raises(ValueError, match=f"^{message}"):
        evaluate_subsets(X, np.array(list(labels))[y], subsets(rng, 10), **parameters)


@pytest.mark.parametrize("n_jobs", [2, 3, 7])
def test_same_bits_for_any_number_of_threads(rng, n_jobs):
    X, y = data(rng, 300, 30)
    masks = subsets(rng, 30, 40)
    for parameters in ({"scoring": "neg_log_loss"}, {"scoring": "soft_uar", "cv": KFold(3)}):
        one, more = (evaluate_subsets(X, y, masks, objectives=(parameters["scoring"], "separability"), random_state=0,
                                      n_jobs=n, **parameters) for n in (1, n_jobs))
        assert_array_equal(one, more)


def test_laplace_corrected_shares(rng):
    """soft_uar of a stump: one more of each class in either leaf."""
    y = np.array([0, 0, 0, 1, 1, 1, 1, 0, 1, 0])
    X = np.arange(10.0)[:, None]
    got = evaluate_subsets(X, y, [[True]], objectives=("soft_uar",), scoring="soft_uar",
                           estimator=DecisionTreeClassifier(max_depth=1), cv=[(np.arange(7), [7, 8])])
    right = (4 + 1) / (4 + 2)  # rows 3 to 6 on the one side of the cut
    assert_allclose(got[0, 0], 1 - (right**2 + (1 - right) ** 2) / 2, rtol=1e-14)


# searches


@pytest.mark.quick(4)
@pytest.mark.parametrize("options", [
    {"scoring": "roc_auc_ovr"}, {"cv": 3}, {"scoring": "neg_log_loss", "cv": StratifiedKFold(3)},
    {"scoring": "neg_brier_score", "evaluation__subsample": 30}, {"cv": KFold(3), "evaluation__subsample": 0.5},
    {"cv": KFold(3), "evaluation__subsample": 0.5, "objectives": ("uar", "cardinality")},
    {"scoring": "soft_uar", "local_improvement": LOCAL}, {"scoring": "accuracy", "islands__n": 2}], ids=named)
def test_a_search_never_asks_joblib(rng, alone, options):
    """Its front has a column called as the score is, and on fixed splits the values of cross_val_score."""
    X, y = data(rng)
    front = small(TREE, **options).fit(X, y).pareto_front_
    name = options.get("scoring", "uar")
    assert front.names[0] == name
    if "cv" in options:
        scoring = "balanced_accuracy" if name == "uar" else name
        assert_allclose(front.score, [cross_val_score(TREE, X[:, mask], y, cv=options["cv"], scoring=scoring).mean()
                                      for mask in front.supports], rtol=1e-12)


@pytest.mark.quick(1)
@pytest.mark.parametrize("subsample", [30, 0.6])
def test_thinned_splits_are_those_of_joblib(rng, subsample):
    """The same rows of each part of each split in every generation, so the same search as by a tree that is not known
    to be one; UAR has the same bits."""
    class Subclass(DecisionTreeClassifier):
        pass

    X, y = data(rng, 90)
    found = [small(kind(max_depth=4), cv=KFold(3), evaluation__subsample=subsample).fit(X, y)
             for kind in (DecisionTreeClassifier, Subclass)]
    assert_same(*found)


@pytest.mark.parametrize("parameters", [{"cv": [([0, 1, 2, 3, 20, 21], [3, 4, 5])]},
                                        {"cv": [([0, 0, 2, 3, 20, 21], [4, 5])]}], ids=["both", "twice"])
def test_rows_in_both_parts_or_twice_go_to_joblib(rng, parameters):
    """As before."""
    X, y = data(rng)
    front = small(TREE, **parameters).fit(X, y).pareto_front_
    (train, test), = parameters["cv"]
    assert_allclose(front.score, [np.mean([np.mean(model.predict(X[test][:, mask])[y[test] == c] == c)
                                           for c in np.unique(y[test])]) for mask in front.supports
                                  for model in [DecisionTreeClassifier(max_depth=4).fit(X[train][:, mask], y[train])]])


@pytest.mark.parametrize("options", [
    {"scoring": "neg_log_loss"}, {"scoring": "soft_uar", "cv": KFold(3)},
    {"cv": KFold(3), "evaluation__subsample": 0.5, "local_improvement": LOCAL}], ids=named)
def test_workers_elsewhere_find_the_same(rng, options, monkeypatch):
    """The score and the splits go with the data."""
    X, y = data(rng, 90)
    ref = small(TREE, **options, n_jobs=1).fit(X, y)
    with everything_sent(monkeypatch):
        assert_same(small(TREE, **options, n_jobs=2).fit(X, y), ref)


def test_a_checkpoint_goes_on(rng, tmp_path):
    """With the same bits; other splits are another search."""
    X, y = data(rng)
    options = {"scoring": "soft_uar", "cv": KFold(3), "checkpoint": Checkpoint(tmp_path / "search.npz")}
    ref = small(TREE, **options | {"checkpoint": None}, n_generations=4).fit(X, y)
    small(TREE, **options, n_generations=2).fit(X, y)
    assert_same(small(TREE, **options, n_generations=4).fit(X, y), ref)
    with pytest.raises(ValueError, match="splits"):
        small(TREE, **options | {"cv": KFold(4)}, n_generations=4).fit(X, y)


def test_groups_stay_on_their_side(rng, alone):
    X, y = data(rng)
    groups = np.arange(60) // 4
    front = small(TREE, cv=GroupKFold(3)).fit(X, y, groups=groups).pareto_front_
    assert_allclose(front.score, [cross_val_score(TREE, X[:, mask], y, cv=GroupKFold(3), groups=groups,
                                                  scoring="balanced_accuracy").mean() for mask in front.supports])


def test_estimates_of_time_count_fixed_splits(rng):
    X, y = data(rng)
    assert float(small(TREE, cv=KFold(3), scoring="accuracy").estimate_time(X, y)) > 0


# beside a deployed model


@pytest.mark.quick(3)
@pytest.mark.parametrize(("scoring", "column"), [
    (None, "uar"), ("roc_auc_ovr", "roc_auc_ovr"), ("soft_uar", "soft_uar"), ("recall_macro", "uar"),
    (lambda model, X, y: 0.5, "uar")], ids=named)
def test_the_guide_of_a_deployed_model(rng, alone, scoring, column):
    """It is scored as the model is, where the core has that score, else by UAR; honest scores are the model's."""
    X, y = data(rng)
    found = MOELIGASelector(GaussianNB(), scoring=scoring, honest=3, population_size=20, n_generations=1, islands=None,
                            evaluation=Evaluation(n_rescore_splits=2), random_state=0).fit(X, y)
    assert found.pareto_front_.names == (column, "cardinality", "separability")
    assert np.isfinite(found.honest_score_)


def test_soft_uar_as_a_scorer(rng):
    """1 - mean over classes of half the squared distance of the probabilities to the truth."""
    X, y = data(rng)
    y = np.array(["a", "b", "c"])[y]
    model = LogisticRegression().fit(X[:40], y[:40])
    losses = ((model.predict_proba(X) - (y[:, None] == model.classes_)) ** 2).sum(axis=1) / 2
    assert_allclose(soft_uar(model, X, y), 1 - np.mean([losses[y == c].mean() for c in model.classes_]), rtol=1e-14)


@pytest.mark.parametrize("missing", ["b", "c"])
def test_soft_uar_of_a_class_that_the_model_does_not_know(rng, missing):
    """It has no probability, and the least decision value."""
    X, y = data(rng)
    y = np.array(["a", "b", "c"])[y]
    X_known, y_known = X[y != missing], y[y != missing]
    place, truth = "abc".index(missing), y[:, None] == ["a", "b", "c"]
    shares = np.insert(LogisticRegression().fit(X_known, y_known).predict_proba(X), place, 0.0, axis=1)
    losses = ((shares - truth) ** 2).sum(axis=1) / 2
    assert_allclose(soft_uar(LogisticRegression().fit(X_known, y_known), X, y),
                    1 - np.mean([losses[y == c].mean() for c in "abc"]), rtol=1e-14)
    model = LinearSVC().fit(X_known, y_known)
    values = np.clip(model.decision_function(X), -1, 1)
    values = np.insert(np.column_stack((-values, values)), place, -1.0, axis=1)
    losses = np.minimum(((values - np.where(truth, 1, -1)) ** 2).sum(axis=1) / 8, 1)
    assert_allclose(soft_uar(model, X, y), 1 - np.mean([losses[y == c].mean() for c in "abc"]), rtol=1e-14)


def by_decisions(model, X, y, masks, splits):
    """soft_uar as algorithm.md has it for decision values: targets are -1 and 1, and values are cut to [-1, 1]."""
    scores = np.zeros((len(masks), len(splits)))
    for place, mask in enumerate(masks):
        for test, (learn, ask) in enumerate(splits):
            model.fit(X[learn][:, mask], y[learn])
            values = model.decision_function(X[ask][:, mask])
            values = np.column_stack((-values, values)) if values.ndim == 1 else values
            targets = np.where(y[ask][:, None] == model.classes_, 1, -1)
            losses = ((np.clip(values, -1, 1) - targets) ** 2).sum(axis=1) / 8
            scores[place, test] = 1 - np.mean([np.minimum(losses, 1)[y[ask] == c].mean() for c in model.classes_])
    return scores


@pytest.mark.quick(2)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", DECIDING, ids=named)
def test_soft_uar_of_decision_values(rng, alone, model, n_classes):
    """Of given subsets, on fixed splits, drawn ones and leave-one-out, and of those that a search has found."""
    X, y = data(rng, n_classes=n_classes)
    masks, splits = subsets(rng, 10), list(StratifiedKFold(3).split(X, y))
    given = {"objectives": ("soft_uar",), "scoring": "soft_uar", "estimator": model}
    wanted = by_decisions(model, X, y, masks, splits)
    assert ((wanted > 0) & (wanted < 1)).all()
    assert_allclose(evaluate_subsets(X, y, masks, cv=splits, **given)[:, 0], wanted.mean(axis=1), rtol=1e-6)
    front = small(model, scoring="soft_uar", cv=splits).fit(X, y).pareto_front_
    assert front.names[0] == "soft_uar"
    assert_allclose(front.score, by_decisions(model, X, y, front.supports, splits).mean(axis=1), rtol=1e-6)


@pytest.mark.parametrize("model", DECIDING, ids=named)
def test_soft_uar_of_decision_values_by_joblib(rng, model):
    """The scorer's value on drawn splits is that of the compiled core."""
    X, y = data(rng)
    masks = subsets(rng, 10)
    got = evaluate_subsets(X, y, masks, n_splits=4, objectives=("soft_uar",), estimator=model, scoring="soft_uar",
                           shared=True, random_state=5)[:, 0]
    assert_allclose(got, by_joblib(model, "soft_uar", X, y, masks, 4).mean(axis=1), rtol=1e-6)


def test_soft_uar_of_decision_values_left_out(rng):
    """Ridge in closed form: the values of all samples, each of what was learnt without it, are scored together."""
    X, y = data(rng, n_classes=2)
    masks, values = subsets(rng, 10), np.zeros(len(y))
    got = evaluate_subsets(X, y, masks, objectives=("soft_uar",), estimator=RidgeClassifier(), scoring="soft_uar",
                           cv=LeaveOneOut())[:, 0]
    for mask, score in zip(masks, got, strict=True):
        for learn, ask in LeaveOneOut().split(X):
            values[ask] = RidgeClassifier().fit(X[learn][:, mask], y[learn]).decision_function(X[ask][:, mask])
        losses = (np.clip(values, -1, 1) - (2 * y - 1)) ** 2 / 4
        assert_allclose(score, 1 - np.mean([losses[y == c].mean() for c in range(2)]), rtol=1e-9)


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", DECIDING, ids=named)
def test_soft_uar_of_a_deployed_model_that_decides(rng, model):
    """Its honest score is that of its answers, all together; a panel's the mean over judges."""
    X, y = data(rng)
    splits = list(StratifiedKFold(3).split(X, y))
    panel = Islands(judges=[model, GaussianNB()], sizes=None)
    found = MOELIGASelector(model, scoring="soft_uar", honest=splits, population_size=12, n_generations=1,
                            islands=panel, evaluation=Evaluation(n_rescore_splits=2), random_state=0).fit(X, y)
    front, base = found.pareto_front_, found.baselines_
    assert_allclose(front.score, np.mean(list(front.judges.values()), axis=0))
    values, asked = zip(*((model.fit(X[learn], y[learn]).decision_function(X[ask]), y[ask]) for learn, ask in splits),
                        strict=True)
    targets = np.where(np.concatenate(asked)[:, None] == np.arange(3), 1, -1)
    losses = np.minimum(((np.clip(np.concatenate(values), -1, 1) - targets) ** 2).sum(axis=1) / 8, 1)
    wanted = 1 - np.mean([losses[targets[:, c] == 1].mean() for c in range(3)])
    assert_allclose(base.honest_score[base.source.tolist().index("all")], wanted, rtol=1e-12)


def test_a_model_that_answers_with_neither_has_no_soft_uar(rng):
    """Nor has one whose decision values are of pairs of classes."""
    X, y = data(rng, n_classes=4)
    with pytest.raises(AttributeError, match="predict_proba"):
        soft_uar(VotingClassifier([("a", GaussianNB())]).fit(X, y), X, y)
    with pytest.raises(ValueError, match="must get one number for each of 4 classes from decision_function, got 6$"):
        soft_uar(SVC(decision_function_shape="ovo").fit(X, y), X, y)


# rules


@pytest.mark.parametrize("rule", ["r1", "r1_lambda"])
@pytest.mark.parametrize(("scoring", "name"), [
    *((name, name) for name in ("neg_log_loss", "matthews_corrcoef", "neg_brier_score", "mutual_info_score")),
    (make_scorer(hamming_loss, greater_is_better=False), "neg_score")], ids=named)
def test_r1_refuses_scores_without_a_unit(rng, scoring, name, rule):
    """Before the search, and afterwards."""
    X, y = data(rng)
    message = f"^rule='{rule}' needs a score in \\[0, 1\\], got '{name}': use 'no_loss', "
    with pytest.raises(ValueError, match=message):
        small(TREE, scoring=scoring, rule=rule).fit(X, y)
    found = small(TREE, scoring=scoring, rule="best", n_generations=0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        found.select(rule)


@pytest.mark.slow
def test_ranks_of_decision_values_that_depend_on_the_origin_are_not_compiled(rng):
    """scikit-learn's discriminant "lsqr" does not centre X: of several classes the areas are left to it."""
    X, y = data(rng)
    masks, models = subsets(rng, X.shape[1]), {
        solver: LinearDiscriminantAnalysis(solver, None if solver == "svd" else 0.2) for solver in ("svd", "lsqr")}
    splits, ask = list(StratifiedKFold(3).split(X, y)), {"objectives": ("average_precision",)}
    with pytest.raises(TypeError, match="scoring='average_precision' of several classes"):
        evaluate_subsets(X, y, masks, estimator=models["lsqr"], scoring="average_precision", cv=splits, **ask)
    for solver, labels in (("svd", y), ("lsqr", y == 1)):
        folds = splits if solver == "svd" else list(StratifiedKFold(3).split(X, labels))
        found = evaluate_subsets(X + 3, labels, masks, estimator=models[solver], scoring="average_precision", cv=folds,
                                 **ask)
        assert_allclose(found[:, 0], [cross_val_score(models[solver], X[:, mask] + 3, labels, cv=folds,
                                                      scoring="average_precision").mean() for mask in masks])
    islands = Islands(judges=[models["lsqr"]], sizes=None)
    front = MOELIGASelector(islands=islands, scoring="average_precision", honest=None, population_size=8, verbose=False,
                            n_generations=1, random_state=0, cv=splits).fit(X, y).pareto_front_
    for mask, score in zip(front.supports, front.objectives[:, 0], strict=True):
        assert score == pytest.approx(cross_val_score(models["lsqr"], X[:, mask], y, cv=splits,
                                                      scoring="average_precision").mean())
