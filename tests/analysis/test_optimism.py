"""What of a front is luck: each number against one that is worked out in another way."""

import html
import signal
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_matrix
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score, recall_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from moeliga import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    Islands,
    MOELIGASelector,
    evaluate_subsets,
    optimism_report,
)
from moeliga.analysis import optimism
from moeliga.analysis.optimism import best_at_most, improving_members
from moeliga.analysis.permutation_test import p_value
from moeliga.analysis.replication import Replications, without_folds
from moeliga.base.random_streams import spawn
from moeliga.evaluation.held_out import stratified, uar_error
from moeliga.search import ranking
from single_search import single_search

SMALL = {"n_generations": 2, "population_size": 21, "local_improvement": None, "evaluation__n_rescore_splits": 5}
ARRAYS = ("index", "n_selected", "search_score", "score", "fresh_score", "fresh_se", "test_score", "test_se",
          "null_score", "p_value", "null_hypervolume")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def report(wine):
    return optimism_report(single_search(**SMALL), *wine, n_permutations=4, random_state=0)


def front_of(sizes, scores):
    return SimpleNamespace(n_selected=np.array(sizes), score=np.array(scores))


# pieces


def test_steps_are_the_members_that_beat_all_smaller_ones(rng):
    """Brute force; of equal sizes the better, of equal members the first."""
    for _ in range(50):
        m = int(rng.integers(1, 9))
        front = front_of(rng.integers(1, 6, m), rng.integers(0, 6, m) / 5)
        sizes, scores = front.n_selected.tolist(), front.score.tolist()
        kept = [i for i in range(m) if all(
            scores[i] > scores[j] or sizes[j] > sizes[i] or (sizes[j] == sizes[i] and scores[j] == scores[i] and j >= i)
            for j in range(m) if j != i)]
        assert improving_members(front).tolist() == sorted(kept, key=lambda i: sizes[i])


def test_best_at_most_is_nan_where_no_member_is_so_small():
    front = front_of([2, 3, 3, 7], [0.5, 0.4, 0.9, 0.8])
    assert_array_equal(best_at_most(front, [1, 2, 3, 5, 9]), [np.nan, 0.5, 0.9, 0.9, 0.9])


def test_p_value_counts_the_real_one_among_the_shuffled():
    """Ties reach it, missing values do not; without permutations there is none."""
    null = np.array([[0.5, np.nan], [0.7, 0.1], [0.6, 0.9]])
    assert_array_equal(p_value(np.array([0.6, 0.5]), null), [3 / 4, 2 / 4])
    assert_array_equal(p_value(np.array([0.9, 1.0]), null), [1 / 4, 1 / 4])
    assert_array_equal(p_value(np.array([np.nan, 0.5]), null), [np.nan, 2 / 4])
    assert np.isnan(p_value(np.array([0.9]), np.zeros((0, 1)))).all()


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_held_out_samples_are_stratified(rng, share, seed):
    """Of each class about the share, at least one and never all; a class of one sample stays in training."""
    labels = rng.permutation(np.repeat([0, 1, 2, 3], [1, 2, 11, 40]))
    rows = stratified(labels, share, seed)
    assert_array_equal(rows, np.unique(rows))
    counts = np.bincount(labels[rows], minlength=4)
    assert counts[0] == 0 and counts[1] == 1
    for n, held in ((11, counts[2]), (40, counts[3])):
        assert 0 <= held - share * n < 1
    assert not np.array_equal(rows, stratified(labels, share, seed + 1))


def test_error_of_uar_is_that_of_drawing_samples_again(rng):
    """Against the standard deviation of UAR over 4000 draws of test samples from the recalls that it supposes."""
    sizes, hits = [9, 20, 6], [7, 20, 2]
    y = np.repeat([0, 1, 2], sizes)
    predictions = np.concatenate([[c] * hit + [c + 1] * (n - hit) for c, (n, hit) in enumerate(zip(sizes, hits,
                                                                                                strict=True))])
    error = uar_error(SimpleNamespace(predict=lambda X: predictions), None, y)
    recalls = [rng.binomial(n, (hit + 1) / (n + 2), 4000) / n for n, hit in zip(sizes, hits, strict=True)]
    # the standard error of a standard deviation of 4000 draws is 1.1 % of it
    assert_allclose(error, np.std(np.mean(recalls, axis=0)), rtol=0.05)
    assert uar_error(SimpleNamespace(predict=lambda X: y), None, y) > 0


# the report


def test_rows_are_what_the_front_says(report):
    """Sizes, scores and places belong together, from small to large and from low to high."""
    front, index = report.front, report.index
    assert_array_equal(report.n_selected, front.n_selected[index])
    assert_array_equal(report.score, front.score[index])
    assert_array_equal(report.search_score, front.search_objectives[index, 0])
    assert np.all(np.diff(report.n_selected) > 0) and np.all(np.diff(report.score) > 0)
    assert report.score[-1] == front.score.max() and report.n_selected[0] == front.n_selected.min()
    assert index[report.chosen] == front.choose("r1")
    assert (report.n_train, report.n_test) == (178 - 54 - 1, 55) and report.n_permutations == 4
    assert report.chance == 1 / 3 and report.hypervolume == front.hypervolume
    assert_array_equal(report.split_luck + report.sample_fit, (report.search_score - report.fresh_score)
                       + (report.fresh_score - report.test_score))


def test_held_out_score_is_the_tree_on_samples_never_seen(wine):
    """Fitted and scored again with scikit-learn's measure."""
    X, y = wine[0], np.array(["one", "two", "three"])[wine[1]]
    test = np.arange(len(y)) % 4 == 1
    report = optimism_report(single_search(**SMALL), X[~test], y[~test], X_test=X[test].tolist(),
                             y_test=y[test],
                             n_permutations=0, random_state=1)
    assert (report.n_train, report.n_test) == (np.sum(~test), np.sum(test))
    for row, place in enumerate(report.index):
        mask = report.front.supports[place]
        tree = DecisionTreeClassifier(max_depth=100).fit(X[~test][:, mask], y[~test])
        predictions = tree.predict(X[test][:, mask])
        assert_allclose(report.test_score[row], balanced_accuracy_score(y[test], predictions), rtol=1e-12)
        recalls = recall_score(y[test], predictions, average=None)
        sizes = np.unique(y[test], return_counts=True)[1]
        smooth = (recalls * sizes + 1) / (sizes + 2)
        assert_allclose(report.test_se[row], np.sqrt(np.sum(smooth * (1 - smooth) / sizes)) / 3, rtol=1e-12)
    assert np.isnan(report.p_value).all() and report.null_score.shape == (0, len(report.index))


@pytest.mark.slow
def test_fresh_score_is_that_of_the_compiled_core_on_other_splits(wine):
    """Two means over random splits of the same samples differ by their standard errors."""
    X, y = wine
    report = optimism_report(single_search(**SMALL), X, y, X_test=X[::3], y_test=y[::3],
                             n_permutations=0,
                             n_splits=200, random_state=0)
    other = evaluate_subsets(X, y, report.front.supports[report.index], n_splits=200, objectives=("uar",), shared=True,
                             random_state=5)[:, 0]
    assert np.all(np.abs(report.fresh_score - other) < 4 * np.sqrt(2) * report.fresh_se)


def test_shuffled_searches_are_searches_with_shuffled_labels(wine, report):
    """Made again by hand: the training samples, their labels in another order, the same statistics."""
    X, y = wine
    split_seed, search_seed, _, *seeds = spawn(0, 11)
    train = np.setdiff1d(np.arange(len(y)), stratified(y, 0.3, split_seed))
    real = single_search(**SMALL, random_state=search_seed).fit(X[train], y[train]).pareto_front_
    assert_array_equal(real.objectives, report.front.objectives)
    for i in range(4):
        shuffled = np.random.default_rng(seeds[2 * i]).permutation(y[train])
        assert_array_equal(np.bincount(shuffled), np.bincount(y[train]))
        front = single_search(**SMALL, random_state=seeds[2 * i + 1]).fit(X[train], shuffled).pareto_front_
        assert front.hypervolume == report.null_hypervolume[i]
        best = [front.score[front.n_selected <= size].max() for size in report.n_selected]
        assert_array_equal(report.null_score[i], best)
    assert_array_equal(report.p_value, [(1 + np.sum(column >= score)) / 5 for column, score in
                                        zip(report.null_score.T, report.score, strict=True)])
    assert report.hypervolume_p_value == (1 + np.sum(report.null_hypervolume >= report.hypervolume)) / 5
    assert report.null_score.max() < 0.6 < report.score.max()  # wine has something to find


@pytest.mark.slow
def test_p_values_are_right_where_there_is_nothing_to_find(seed):
    """On noise a p of 1/4 comes up a quarter of the time, whatever the search does."""
    selector = single_search(**{**SMALL, "n_generations": 1, "evaluation__n_rescore_splits": 2})
    small, n_trials = 0, 60
    for trial in range(n_trials):
        rng = np.random.default_rng([seed, trial])
        report = optimism_report(selector, rng.random((24, 6)), rng.permutation(np.repeat([0, 1], 12)),
                                 n_permutations=3, n_splits=2, random_state=trial)
        small += report.hypervolume_p_value <= 0.25
    low, high = binom.ppf([0.0005, 0.9995], n_trials, 0.25)
    assert low <= small <= high


@pytest.mark.slow
def test_luck_with_splits_is_seen_on_noise(seed):
    """Without re-scoring, what the front shows is too high; held-out scores are those of guessing. Over 12 data sets,
    by the standard errors of the means."""
    selector = single_search(n_generations=10, local_improvement=None, evaluation=Evaluation(n_rescore_splits=0))
    luck, held_out, errors = [], [], []
    for trial in range(12):
        X, y = np.random.default_rng([seed, trial]).random((60, 30)), np.repeat([0, 1], 30)
        report = optimism_report(selector, X, y, n_permutations=0, random_state=trial)
        assert_array_equal(report.score, report.search_score)
        luck.append(report.split_luck[-1])
        held_out.append(report.test_score[-1])
        errors.append(report.test_se[-1])
    assert np.mean(luck) > 3 * np.std(luck, ddof=1) / np.sqrt(12)
    assert abs(np.mean(held_out) - 0.5) < 4 * np.sqrt(np.mean(np.square(errors)) / 12)


def test_honest_scores_stand_beside_what_the_deployed_model_keeps(wine, monkeypatch):
    """A row for each member of the fit on the training part that has one; shuffled searches have no folds."""
    X, y = wine
    selector = MOELIGASelector(GaussianNB()).set_params(honest=3, **SMALL)
    folds, search = [], Replications.search

    def noted(*given):
        fitted = search(*given)
        folds.append(fitted.honest)
        return fitted

    monkeypatch.setattr(Replications, "search", noted)
    report = optimism_report(selector, X, y, n_permutations=1, n_splits=3, random_state=0)
    assert folds == [None, None, 3]
    split_seed, search_seed, _, *seeds = spawn(0, 5)
    test = stratified(y, 0.3, split_seed)
    train = np.setdiff1d(np.arange(len(y)), test)
    again = clone(selector).set_params(random_state=search_seed).fit(X[train], y[train])
    front = again.pareto_front_
    assert_array_equal(report.honest_score, front.honest_score[np.isfinite(front.honest_score)])
    for row, place in enumerate(report.index):
        mask = front.supports[place]
        model = GaussianNB().fit(X[train][:, mask], y[train])
        assert_allclose(report.deployed_score[row], balanced_accuracy_score(y[test], model.predict(X[test][:, mask])),
                        rtol=1e-12)
    assert report.index[report.chosen] == again.index_
    alone = MOELIGASelector().set_params(honest=None, **SMALL)
    real = clone(alone).set_params(random_state=search_seed).fit(X[train], y[train]).pareto_front_
    shuffled = np.random.default_rng(seeds[0]).permutation(y[train])
    null = clone(alone).set_params(random_state=seeds[1]).fit(X[train], shuffled).pareto_front_
    assert (report.hypervolume, report.null_hypervolume[0]) == (real.hypervolume, null.hypervolume)
    assert_array_equal(report.null_score[0], best_at_most(null, report.n_selected))
    assert_array_equal(report.p_value, p_value(best_at_most(real, report.n_selected), report.null_score))
    assert "deployed, held out" in report.summary() and report.to_frame()["honest_score"].notna().all()
    searched = front.source[report.index] == "search"
    assert not searched.all() and np.isfinite(report.search_score[searched]).all()
    assert np.isnan(report.search_score[front.source[report.index] == "all"]).all()  # a copy


@pytest.mark.parametrize("honest", [None, 2])
def test_regressors_have_reports_too(rng, honest):
    """R2 on samples held out by deciles, by scikit-learn; nothing is guessed."""
    X = rng.normal(size=(60, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    selector = MOELIGASelector(DecisionTreeRegressor()).set_params(honest=honest, **SMALL)
    report = optimism_report(selector, X, y, n_permutations=1, n_splits=3, random_state=0)
    deciles = np.argsort(np.argsort(y)) * 6 // 60  # of at least ten samples each
    test = stratified(deciles, 0.3, spawn(0, 1)[0])
    train = np.setdiff1d(np.arange(60), test)
    for row, place in enumerate(report.index):
        mask = report.front.supports[place]
        tree = DecisionTreeRegressor().fit(X[train][:, mask], y[train])
        wanted = r2_score(y[test], tree.predict(X[test][:, mask]))
        assert_allclose(report.test_score[row], wanted, rtol=1e-9)
        assert_allclose(report.deployed_score[row], wanted if honest else np.nan, rtol=1e-9)
    assert np.isnan(report.chance) and np.isnan(report.test_se).all()
    assert report.test_score.max() > 0.8 > 0.3 > report.null_score.max()
    with pytest.raises(ValueError, match="objectives must hold 'r2' for optimism_report"):
        optimism_report(selector.set_params(objectives=(lambda mask, X, y: 0.5, "cardinality")), X, y)


def hits(model, X, y):
    """A scorer that is not compiled."""
    return float(np.mean(model.predict(X) == y))


def test_scoring_is_of_the_deployed_model(wine, monkeypatch):
    """Also on samples held out; what guides the search goes by UAR."""
    monkeypatch.setattr(ranking, "N_TREES", 10)
    X, y = wine
    selector = MOELIGASelector(GaussianNB(), scoring=hits, honest=2, islands=None, population_size=6,
                               n_generations=0)
    report = optimism_report(selector, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2], n_permutations=0, n_splits=2,
                             random_state=0)
    for row, place in enumerate(report.index):
        mask = report.front.supports[place]
        predictions = GaussianNB().fit(X[::2][:, mask], y[::2]).predict(X[1::2][:, mask])
        assert report.deployed_score[row] == pytest.approx(accuracy_score(y[1::2], predictions))
    assert report.chance == 1 / 3 and np.isfinite(report.test_se).all()


def test_a_panel_is_scored_by_its_worst_judge(wine):
    """Where the search is; what guessing gives, and the error, is known of one judge alone."""
    X, y = wine
    judges = [GaussianNB(), KNeighborsClassifier(1)]
    selector = single_search(judges[0], **SMALL)
    selector.islands.judges, selector.islands.combine = judges, "min"
    report = optimism_report(selector, X[::2], y[::2], X_test=X[1::2], y_test=y[1::2], n_permutations=0, n_splits=2,
                             random_state=0)
    for row, place in enumerate(report.index):
        mask = report.front.supports[place]
        scores = [balanced_accuracy_score(y[1::2], judge.fit(X[::2][:, mask], y[::2]).predict(X[1::2][:, mask]))
                  for judge in judges]
        assert report.test_score[row] == pytest.approx(min(scores))
    assert np.isnan(report.test_se).all() and np.isnan(report.chance)


def test_searches_alone_are_guided_as_those_with_folds():
    """By the judges of islands and the scoring, or where there are none by the tree and UAR."""
    for judges, scoring in (([GaussianNB()], hits), (None, None)):
        alone = without_folds(MOELIGASelector(BernoulliNB(), islands=Islands(judges=judges), scoring=hits))
        assert (alone.honest, alone.scoring, alone.guide_scoring()) == (None, scoring, scoring)
        assert [type(guide) for guide in alone.guides()] == [type(judges[0]) if judges else DecisionTreeClassifier]


@pytest.mark.slow
def test_a_search_by_a_judge_has_a_report(wine):
    """The deployed model is another one, and the shuffled searches are guided by the judge."""
    selector = MOELIGASelector(islands=Islands(judges=[GaussianNB()]), scoring="accuracy").set_params(honest=2, **SMALL)
    report = optimism_report(selector, *wine, n_permutations=1, n_splits=2, random_state=0)
    alone = without_folds(selector)
    assert alone.honest is None and alone.scoring == "accuracy" and type(alone.guides()[0]) is GaussianNB
    assert np.isfinite(report.null_score).all() and not np.array_equal(report.test_score, report.deployed_score)


# promises


@pytest.mark.slow
def test_same_report_for_any_n_jobs(wine, report):
    """Bit for bit; and more permutations leave the first as they are."""
    other = optimism_report(single_search(**SMALL, random_state=9), *wine, n_permutations=4, random_state=0, n_jobs=2)
    more = optimism_report(single_search(**SMALL, n_jobs=2), *wine, n_permutations=5, random_state=0, n_jobs=1)
    for name in ARRAYS:
        assert_array_equal(getattr(other, name), getattr(report, name))
    assert_array_equal(more.null_score[:4], report.null_score)
    assert_array_equal(more.test_score, report.test_score)
    different = optimism_report(single_search(**SMALL), *wine, n_permutations=0, random_state=1)
    assert not np.array_equal(different.fresh_score, report.fresh_score)


@pytest.mark.parametrize(("own", "given", "n_workers"), [(2, None, 2), (2, 1, 1), (None, None, 1), (None, 3, 3)])
def test_searches_beside_each_other_are_silent_and_alone(wine, tmp_path, own, given, n_workers):
    """So many as the report is told, or else the selector; each has one thread, and no file that another has, too."""
    selector = single_search(**SMALL, n_jobs=own, verbose=2, checkpoint=tmp_path / "search")
    replications = Replications(selector, *wine, given)
    inner = replications.selector
    assert replications.n_workers == n_workers
    assert (inner.n_jobs, inner.verbose, inner.checkpoint) == (1, 0, None)
    assert (selector.n_jobs, selector.verbose) == (own, 2)


@pytest.mark.slow
def test_the_selector_stays_as_it_is(wine, report):
    """A fitted one keeps its result, an unfitted one stays unfitted; both give the same report."""
    fitted = single_search(**SMALL, random_state=0, verbose=0).fit(*wine)
    before = {name: id(value) for name, value in vars(fitted).items()}
    again = optimism_report(fitted, *wine, n_permutations=1, random_state=0)
    assert {name: id(value) for name, value in vars(fitted).items()} == before
    assert_array_equal(again.test_score, report.test_score)
    unfitted = single_search(**SMALL)
    optimism_report(unfitted, *wine, n_permutations=0)
    assert not hasattr(unfitted, "pareto_front_")


@pytest.mark.slow
def test_names_scores_and_other_classifiers(wine):
    """A DataFrame's names are in the report; another score has neither a chance level nor an error of UAR."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(wine[0][:, :4], columns=list("abcd"))
    y = pandas.Series(np.array(["x", "y", "z"])[wine[1]])
    selector = single_search(GaussianNB(), scoring="accuracy", **SMALL)
    report = optimism_report(selector, X, y, n_permutations=1, n_splits=3, random_state=0)
    assert set(report.front.feature_names) == set("abcd")
    assert html.unescape(report._repr_html_()) == f"<pre>{report.summary()}</pre>"
    assert np.isnan(report.chance) and np.isnan(report.test_se).all() and "guessing" not in report.summary()
    frame = report.to_frame()
    assert frame.columns.tolist() == ["n_selected", "search_score", "score", "fresh_score", "fresh_se", "test_score",
                                      "test_se", "honest_score", "deployed_score", "null_median", "p_value", "features"]
    assert frame["features"].tolist() == [report.front.features(i) for i in report.index]
    assert_array_equal(frame["null_median"], report.null_score[0])


def test_summary_tells_all(report):
    lines = report.summary().splitlines()
    assert lines[0] == "123 samples searched, 55 held out, 4 permutations"
    assert len(lines) == 2 + len(report.index) + 3
    row = lines[2 + report.chosen]
    assert row.startswith("*") and row.split()[1] == str(report.n_selected[report.chosen])
    assert f"{report.test_score[report.chosen]:.3f} ± {report.test_se[report.chosen]:.3f}" in row
    null = report.null_hypervolume
    assert lines[-3].startswith(f"hypervolume {report.hypervolume:.3f}; shuffled {null.min():.3f} to {null.max():.3f}")
    assert lines[-2:] == ["guessing gives 0.333", "* = chosen"]
    assert repr(report) == (f"<OptimismReport of {len(report.index)} subsets, 55 samples held out, 4 permutations; "
                            f"summary() shows it>")


def test_ctrl_c_ends_the_report(wine):
    """And not only the search that is under way."""
    selector = single_search(**SMALL, callbacks=lambda state: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        optimism_report(selector, *wine, random_state=0)


@pytest.mark.parametrize("options, error, message", [
    ({"test_size": 1.0}, ValueError, r"test_size must be in \(0, 1\), got 1.0"),
    ({"n_permutations": -1}, ValueError, "n_permutations must be >= 0, got -1"),
    ({"n_permutations": 2.5}, TypeError, "n_permutations must be an integer, got 2.5"),
    ({"n_splits": 1}, ValueError, "n_splits must be >= 2, got 1"),
    ({"X_test": [[0.0]]}, ValueError, "X_test and y_test must be given together, got X_test alone"),
    ({"y_test": [0]}, ValueError, "X_test and y_test must be given together, got y_test alone"),
    ({"X_test": [[0.0]], "y_test": [0]}, ValueError, "X_test must have 13 features, as X has, got 1"),
    ({"X_test": [[0.0] * 13], "y_test": 5}, ValueError, "^y_test must have a value for each sample, got 5$"),
    ({"X_test": [[0.0] * 13], "y_test": [5]}, ValueError, r"y_test must hold classes of y only, got \[5\]"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
])
def test_bad_arguments_are_named(wine, options, error, message):
    with pytest.raises(error, match=message):
        optimism_report(single_search(**SMALL), *wine, **options)


def test_columns_of_the_samples_held_out_go_by_their_names(wine):
    """They are not taken by place; without names they are."""
    pd = pytest.importorskip("pandas")
    X, y = pd.DataFrame(wine[0]).add_prefix("f"), wine[1]
    search = partial(optimism_report, single_search(**SMALL), X[::2], y[::2], y_test=y[1::2], n_permutations=0,
                     n_splits=2, random_state=0)
    plain = optimism_report(single_search(**SMALL), wine[0][::2], y[::2], X_test=wine[0][1::2], y_test=y[1::2],
                            n_permutations=0, n_splits=2, random_state=0)
    for X_test in (X[1::2], X[1::2].to_numpy()):
        assert_array_equal(search(X_test=X_test).test_score, plain.test_score)
    rule = "^X_test must have the columns that were fitted, in their order, got "
    with pytest.raises(ValueError, match=rule + "them in another order$"):
        search(X_test=X[1::2].iloc[:, ::-1])
    with pytest.raises(ValueError, match=rule + "the unknown 'g'; none called 'f3'$"):
        search(X_test=X[1::2].rename(columns={"f3": "g"}))


def test_bad_selectors_and_data_are_named(wine):
    X, y = wine
    with pytest.raises(TypeError, match=r"selector must be a MOELIGASelector, got GaussianNB\(\)"):
        optimism_report(GaussianNB(), X, y)
    with pytest.raises(ValueError, match="y must have at least 2 classes, got 1 class: 0"):
        Replications(single_search(), X, np.zeros(len(X), dtype=int), 1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        optimism_report(single_search(), X, y[:-1])
    for lacking in (None, 0):  # of the kind that `fit` raises
        with pytest.raises(ValueError, match=f"^y must have a value for each sample, got {lacking}$"):
            optimism_report(single_search(), X, lacking)
    selector = single_search(**SMALL, objectives=(lambda mask, X, y: 0.5, "cardinality"))
    with pytest.raises(ValueError, match=r"objectives must hold 'uar' for optimism_report, got \(<function"):
        optimism_report(selector, X, y)


def test_errors_of_fresh_scores_and_no_area_of_losses(wine, monkeypatch):
    """Two scores that are 0.2 apart have a mean with an error of 0.1; as much is left out as in the search."""
    asked = []

    def fresh(found, X, y, masks, *others):
        asked.append((len(X), len(y), *others))
        return np.tile([0.5, 0.7], (len(masks), 1))

    monkeypatch.setattr(optimism, "fresh_scores", fresh)
    selector = MOELIGASelector(scoring="neg_log_loss", honest=None, islands=None, n_generations=0, population_size=4,
                               evaluation=Evaluation(validation_size=0.4))
    report = optimism_report(selector, *wine, n_permutations=1, n_splits=2, random_state=0)
    assert asked == [(report.n_train, report.n_train, 0.4, 2, spawn(0, 3)[2])]
    assert_allclose(np.column_stack((report.fresh_score, report.fresh_se)), [[0.6, 0.1]] * len(report.index))
    assert np.isnan([report.hypervolume, report.hypervolume_p_value, *report.null_hypervolume]).all()


@pytest.mark.slow
def test_losses_have_no_hypervolume(wine):
    """There is no area between a score below 0 and (0, 0): nothing is said of it, least of all that p is 1."""
    selector = MOELIGASelector(scoring="neg_log_loss", honest=None, islands=None, n_generations=1, population_size=12)
    report = optimism_report(selector, *wine, n_permutations=3, random_state=0)
    assert np.isnan([report.hypervolume, report.hypervolume_p_value, *report.null_hypervolume]).all()
    assert "hypervolume" not in report.summary() and report.p_value.min() == 0.25
    assert "1 permutation\n" in optimism_report(selector, *wine, n_permutations=1, random_state=0).summary()


def test_wrong_parameters_are_refused_with_the_message_of_fit(wine):
    with pytest.raises(ValueError, match="^estimator must be None, or a tree of moeliga, where honest=None"):
        optimism_report(MOELIGASelector(Ridge(), honest=None), *wine)


@pytest.mark.parametrize("given", [False, True])
def test_sparse_data_give_the_report_of_the_dense(wine, given):
    """Also where the samples to hold out are given, sparse or not."""
    X, y = wine[0] * (wine[0] > np.median(wine[0], axis=0)), wine[1]
    reports = []
    for made, other in ((np.asarray, np.asarray), (csr_matrix, csc_array), (csc_array, np.asarray))[:2 + given]:
        held = {"X_test": other(X[::3]), "y_test": y[::3]} if given else {}
        reports.append(optimism_report(single_search(**SMALL), made(X), y, n_permutations=1, n_splits=5,
                                       random_state=0, **held))
    for report in reports[1:]:
        for name in ARRAYS:
            assert_array_equal(getattr(report, name), getattr(reports[0], name))
