"""Several judges that guide a search together: the mean or the lowest of the scores that each gets by itself."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from small_selectors import data

from case_names import named
from moeliga import (
    Checkpoint,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    Islands,
    LocalImprovement,
    MOELIGASelector,
    ParetoFront,
    evaluate_subsets,
    optimism_report,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.evaluation.objectives import combine_judges_on_splits
from moeliga.evaluation.predictors import names_of
from moeliga.results.run_record import Record
from moeliga.results.text import front_lines
from moeliga.search import time_estimate
from single_search import single_search
from thread_backend import everything_sent


class Near(KNeighborsClassifier):
    """Neighbours of a class that is not compiled."""


class Joblib(GaussianNB):
    """Likewise."""


TREE, BAYES, NEIGHBOURS = DecisionTreeClassifier(max_depth=4), GaussianNB(), KNeighborsClassifier(3, algorithm="brute")
RIDGE = make_pipeline(StandardScaler(), RidgeClassifier())
PANELS = [[BAYES, NEIGHBOURS], [NEIGHBOURS, TREE, BAYES], [Near(3), BAYES, Joblib(), TREE], [Joblib(), Near(1)]]
COLUMNS = [["GaussianNB", "KNeighborsClassifier"], ["KNeighborsClassifier", "DecisionTreeClassifier", "GaussianNB"],
           ["Near", "GaussianNB", "Joblib", "DecisionTreeClassifier"], ["Joblib", "Near"]]
LOCAL = LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)


def small(judges, combine="mean", *, n=1, **parameters):
    """A selector that takes milliseconds."""
    given = {"objectives": ("uar", "cardinality"), "population_size": 8, "n_generations": 2, "random_state": 0,
             "evaluation": Evaluation(n_rescore_splits=4), "local_improvement": None, "rule": "best", "n_jobs": 1,
             "islands": Islands(n=n, judges=judges, combine=combine, sizes=None, every=1), **parameters}
    return single_search(**given)


def scores_of(models, X, y, mask, splits, scoring="balanced_accuracy"):
    """Scores of each model on each split by scikit-learn's own loop: ndarray, shape (n_models, n_splits)."""
    scorer = get_scorer(scoring)
    return np.array([[scorer(model.fit(X[learn][:, mask], y[learn]), X[ask][:, mask], y[ask]) for learn, ask in splits]
                     for model in models])


def fresh(X, y, n_splits, samples=None):
    """The fresh splits of a front."""
    samples = Samples.sort(X.shape[1], y, len(np.unique(y))) if samples is None else samples
    marks = [draw.split(seed_words(0), (Purpose.RESCORE, 0, 0, 0, test), samples.class_start,
                        samples.n_validation(0.3)) for test in range(n_splits)]
    return [(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks]


@pytest.mark.quick(1)
@pytest.mark.parametrize("combine", ["mean", "min"])
@pytest.mark.parametrize(("judges", "columns"), list(zip(PANELS, COLUMNS, strict=True)), ids=named)
def test_a_front_has_the_scores_of_each_judge(rng, judges, columns, combine):
    """On the same fresh splits; the standard error is that of the means, or of the lowest judge."""
    X, y = data(rng)
    front = small(judges, combine).fit(X, y).pareto_front_
    assert list(front.judges) == columns and len(front)
    for place, mask in enumerate(front.supports):
        scores = scores_of(judges, X, y, mask, fresh(X, y, 4))
        assert_allclose([values[place] for values in front.judges.values()], scores.mean(axis=1))
        assert_allclose(front.score[place], getattr(scores.mean(axis=1), combine)())
        combined = scores.mean(axis=0) if combine == "mean" else scores[scores.mean(axis=1).argmin()]
        assert_allclose(front.score_se[place], combined.std(ddof=1) / 2, atol=1e-15)


@pytest.mark.quick(1)
@pytest.mark.parametrize("combine", ["mean", "min"])
def test_the_search_goes_by_what_judges_have_together(rng, combine):
    """On fixed splits each evaluation of a subset is the same: the plain mean, or minimum, of single judges."""
    X, y = data(rng)
    for judges in PANELS[1:3]:
        front = small(judges, combine, cv=StratifiedKFold(3)).fit(X, y).pareto_front_
        alone = np.array([scores_of(judges, X, y, mask, list(StratifiedKFold(3).split(X, y))).mean(axis=1)
                          for mask in front.supports])
        assert_allclose(front.search_objectives[:, 0], getattr(alone, combine)(axis=1))
        assert_allclose(front.score, front.search_objectives[:, 0])
        assert_allclose(np.array(list(front.judges.values())).T, alone)
    single = np.array([evaluate_subsets(X, y, front.supports, objectives=("uar",), estimator=judge, cv=3)[:, 0]
                       for judge in (BAYES, TREE)])
    assert_array_equal(front.judges["GaussianNB"], single[0])
    assert_array_equal(front.judges["DecisionTreeClassifier"], single[1])


def test_a_target(rng):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80] + rng.normal(size=(80, 10)) / 1000, y[:80]
    judges = [Ridge(), KNeighborsRegressor(algorithm="brute"), DecisionTreeRegressor(max_depth=2)]
    front = small(judges, "min", objectives=None, scoring="neg_mean_absolute_error").fit(X, y).pareto_front_
    for place, mask in enumerate(front.supports):
        scores = scores_of(judges, X, y, mask, fresh(X, y, 4, Samples.sort_target(10, y)), "neg_mean_absolute_error")
        assert_allclose([values[place] for values in front.judges.values()], scores.mean(axis=1))
        assert_allclose(front.score[place], scores.mean(axis=1).min())


@pytest.mark.quick(1)
@pytest.mark.parametrize("judge", [BAYES, Joblib()], ids=named)
def test_two_of_the_same_are_as_one(rng, judge):
    X, y = data(rng)
    for combine in ("mean", "min"):
        assert_same(small([judge, judge], combine).fit(X, y), small([judge]).fit(X, y))


@pytest.mark.slow
@pytest.mark.parametrize("options", [
    {}, {"cv": KFold(3)}, {"evaluation": Evaluation(subsample=24, n_rescore_splits=4)},
    {"cv": KFold(3), "evaluation": Evaluation(subsample=24, n_rescore_splits=4)}, {"n": 2},
    {"local_improvement": LOCAL}, {"objectives": None}, {"objectives": None, "local_improvement": LOCAL, "n": 2},
    {"objectives": None, "cv": KFold(3), "evaluation": Evaluation(subsample=0.6, n_rescore_splits=4)}], ids=named)
def test_compiled_judges_search_as_joblib_does(rng, options):
    """The same models, compiled and not; trees would break ties of their own."""
    X, y = data(rng, 60)
    fronts = [small(judges, **options).fit(X, y).pareto_front_
              for judges in ([BAYES, NEIGHBOURS], [BAYES, Near(3)], [Joblib(), NEIGHBOURS], [Joblib(), Near(3)])]
    for front in fronts[1:]:
        assert_array_equal(front.supports, fronts[0].supports)
        assert_allclose(front.objectives, fronts[0].objectives, atol=1e-12)
        assert_allclose(list(front.judges.values()), list(fronts[0].judges.values()), atol=1e-12)


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [
    {}, {"cv": KFold(3)}, {"objectives": None, "n": 2, "local_improvement": LOCAL},
    {"cv": KFold(3), "objectives": None, "evaluation": Evaluation(subsample=24)}], ids=named)
@pytest.mark.parametrize("judges", [[BAYES], [NEIGHBOURS, TREE, BAYES], [RIDGE, TREE]], ids=named)
def test_threads_and_workers_elsewhere_find_the_same(rng, judges, options, monkeypatch):
    X, y = data(rng, 60)
    ref = small(judges, **options).fit(X, y)
    assert_same(small(judges, **options, n_jobs=3).fit(X, y), ref)
    with everything_sent(monkeypatch):
        assert_same(small(judges, **options, n_jobs=2).fit(X, y), ref)


@pytest.mark.quick(1)
@pytest.mark.parametrize("judges", [[BAYES], [NEIGHBOURS, TREE, Joblib()]], ids=named)
def test_a_checkpoint_goes_on(rng, judges, tmp_path):
    """With the same bits; by another combination it is another search."""
    X, y = data(rng)
    kept = {"checkpoint": Checkpoint(tmp_path / "search.npz"), "local_improvement": LOCAL}
    ref = small(judges, local_improvement=LOCAL, n_generations=4).fit(X, y)
    small(judges, **kept).fit(X, y)
    found = small(judges, **kept, n_generations=4).fit(X, y)
    assert_same(found, ref)
    assert {name: scores.tolist() for name, scores in found.pareto_front_.judges.items()} == {
        name: scores.tolist() for name, scores in ref.pareto_front_.judges.items()}
    with pytest.raises(ValueError, match="combine"):
        small(judges, "min", **kept, n_generations=4).fit(X, y)


def test_leave_one_out_is_in_closed_form_if_all_judges_have_it(rng):
    """Else n splits for all, of one sample each."""
    X, y = data(rng, 24)
    closed, split = (small(judges, cv=LeaveOneOut(), scoring="accuracy", objectives=("accuracy", "cardinality"))
                     .fit(X, y).pareto_front_ for judges in ([BAYES, NEIGHBOURS], [BAYES, TREE]))
    rows = list(LeaveOneOut().split(X))
    for front, judges in ((closed, [BAYES, NEIGHBOURS]), (split, [BAYES, TREE])):
        for place, mask in enumerate(front.supports):
            wanted = scores_of(judges, X, y, mask, rows, "accuracy").mean(axis=1)
            assert_allclose([values[place] for values in front.judges.values()], wanted)
    assert np.isnan(closed.score_se).all() and not np.isnan(split.score_se).any()


def test_exports_have_a_column_for_each_judge(rng, tmp_path):
    X, y = data(rng)
    selector = small([BAYES, KNeighborsClassifier(1), KNeighborsClassifier(5)]).fit(X, y)
    front, names = selector.pareto_front_, ["GaussianNB", "KNeighborsClassifier", "KNeighborsClassifier-2"]
    for again in (ParetoFront.from_json(front.to_json()), pickle.loads(pickle.dumps(front)),
                  front.part(np.arange(len(front)))):
        assert list(again.judges) == names
        assert all(again.judges[name].tobytes() == front.judges[name].tobytes() for name in names)
    columns = front.columns()
    assert [name for name in columns if name in names] == names
    front.to_csv(tmp_path / "front.csv")
    header, first = (tmp_path / "front.csv").read_text().splitlines()[:2]
    cells = dict(zip(header.split(","), first.split(","), strict=True))
    assert [float(cells[name]) for name in names] == [front.judges[name][0] for name in names]
    assert all(name in front._repr_html_() for name in names)
    lines = front_lines(Record.of(selector), 200)
    assert all(name in lines[0] for name in names) and f"{front.judges[names[1]][0]:.3f}" in lines[1]
    for change in ('"judges": ["GaussianNB", "GaussianNB", "c"]', '"judges": ["a", "b"]'):
        with pytest.raises(ValueError, match="judges must"):
            ParetoFront.from_json(front.to_json().replace(f'"judges": ["{names[0]}", "{names[1]}", "{names[2]}"]',
                                                          change))


def test_without_fresh_splits_there_are_no_columns(rng):
    X, y = data(rng)
    front = small([BAYES, TREE], evaluation=Evaluation(n_rescore_splits=0)).fit(X, y).pareto_front_
    assert front.judges == {} and (front.objectives == front.search_objectives).all()
    assert small([BAYES]).fit(X, y).pareto_front_.judges == {}


def test_columns_do_not_take_the_place_of_others():
    front = ParetoFront(np.ones((1, 2), dtype=bool), [[0.5]], ("uar",), 0, [0.1], [[0.5]], np.array(["a", "b"]),
                        judges={"uar": [0.25], "r1": [0.75]})
    assert [front.columns()[name].tolist() for name in ("uar", "judge_uar", "judge_r1")] == [[0.5], [0.25], [0.75]]


def test_names_are_those_of_the_classes_each_once():
    scaled = make_pipeline(StandardScaler(), GaussianNB())
    assert names_of([GaussianNB(), scaled, KNeighborsClassifier(), GaussianNB()]) == (
        "GaussianNB", "GaussianNB-2", "KNeighborsClassifier", "GaussianNB-3")


def test_a_cross_fitted_search_has_them_too(rng):
    """Also for the baselines, on the same splits."""
    X, y = data(rng, 60)
    found = MOELIGASelector(LogisticRegression(), honest=2, islands=Islands(judges=[BAYES, TREE], combine="min"),
                            population_size=8, n_generations=1, random_state=0, n_jobs=1,
                            evaluation=Evaluation(n_rescore_splits=2)).fit(X, y)
    for front in (found.pareto_front_, found.baselines_):
        assert list(front.judges) == ["GaussianNB", "DecisionTreeClassifier"]
        assert_array_equal(np.minimum(*front.judges.values()), front.score)
        for place, mask in enumerate(front.supports):
            scores = scores_of([BAYES, TREE], X, y, mask, fresh(X, y, 2)).mean(axis=1)
            assert_allclose([values[place] for values in front.judges.values()], scores)


@pytest.mark.slow
def test_estimates_and_reports(rng):
    X, y = data(rng)
    selector = small([BAYES, Near(3)])
    assert float(selector.estimate_time(X, y)) > 0
    report = optimism_report(selector, X, y, n_permutations=1, n_splits=2, random_state=0)
    assert np.isfinite(report.test_score).all() and np.isnan(report.test_se).all()
    limited = small([BAYES, TREE], max_time=0.001, n_generations=500).fit(X, y)
    assert limited.stop_reason_ == "max_time" and limited.pareto_front_.judges


@pytest.mark.parametrize(("judges", "more", "error", "message"), [
    ([], {}, ValueError, r"islands.judges must hold at least one classifier or regressor, got \[\]: pass None"),
    ([BAYES, Ridge()], {}, ValueError, r"islands.judges must all be classifiers or all be regressors, got \[Gau"),
    ([BAYES, 5], {}, TypeError, "islands.judges must be a classifier or a regressor, got 5"),
    ([BAYES, RidgeClassifier()], {"scoring": "neg_log_loss"}, ValueError,
     "scoring must be a score that needs no probabilities, such as 'uar' or 'soft_uar', for RidgeClassifier, which has "
     "no predict_proba, got 'neg_log_loss'"),
    ([BAYES, LinearSVC()], {"scoring": "neg_brier_score"}, ValueError, "scoring must be .* for LinearSVC"),
    ([BAYES, KNeighborsClassifier(99)], {}, ValueError, "n_neighbors must be at most"),
    ([LinearRegression(), BAYES], {}, ValueError, "islands.judges must all be classifiers or all be regressors")],
    ids=named)
def test_what_is_wrong_is_refused(rng, judges, more, error, message):
    X, y = data(rng)
    if "scoring" in more:
        more = {**more, "objectives": (more["scoring"], "cardinality")}
    with pytest.raises(error, match=message):
        small(judges, **more).fit(X, y)


def test_a_tree_is_not_deployed_beside_judges_without_honest_scores(rng):
    """It would not be asked, though alone it is the guide."""
    with pytest.raises(ValueError, match="^estimator must be None where honest=None and islands has judges: these"):
        small([BAYES]).set_params(estimator=TREE).fit(*data(rng))


@pytest.mark.parametrize("combine", ["mean", "min"])
def test_scores_of_splits_together_by_a_plain_loop(rng, combine):
    """The means of all judges, or the scores of the judge that has the lowest mean."""
    scores = rng.random((20, 3, 4))
    found = combine_judges_on_splits(scores, combine)
    for judges, splits in zip(scores.tolist(), found, strict=True):
        expected = min(judges, key=sum) if combine == "min" else [sum(split) / 3 for split in zip(*judges, strict=True)]
        assert_allclose(splits, expected)


def test_other_refusals(rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match=r"islands.combine must be one of \('mean', 'min'\), got 'max'"):
        small([BAYES, TREE], "max").fit(X, y)
    with pytest.raises(ValueError, match="estimator and the judges of islands must all be classifiers or all be"):
        MOELIGASelector(Ridge(), islands=Islands(judges=[BAYES, TREE])).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight must not be given to several judges"):
        small([BAYES, TREE]).fit(X, y, sample_weight=np.ones(len(y)))
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"X must have no missing values for GaussianNB\(\)"):
        small([TREE, BAYES]).fit(X, y)


@pytest.mark.slow
def test_each_judge_that_is_not_compiled_is_told(rng, monkeypatch):
    monkeypatch.setattr(time_estimate, "TOLD_SECONDS", 0.0)
    X, y = data(rng)
    with pytest.warns(UserWarning, match="is a compiled judge, but not with") as told:
        small([BAYES, KNeighborsClassifier(metric="chebyshev"), RidgeClassifier(solver="lsqr")]).fit(X, y)
    assert [str(warning.message).partition(": ")[0] for warning in told] == [
        "KNeighborsClassifier(metric='chebyshev') is a compiled judge, but not with metric='chebyshev'",
        "RidgeClassifier(solver='lsqr') is a compiled judge, but not with solver='lsqr'"]
