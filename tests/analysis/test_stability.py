"""Reports of how often features are chosen again: the kinds of features, each against a slow twin."""

import html
import itertools
import math
from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csc_array, csr_matrix
from scipy.stats import spearmanr
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from moeliga import DecisionTreeRegressor, MOELIGASelector, stability_report
from moeliga.analysis import stability_index as agreement
from moeliga.analysis.resampling import resampled_rows
from moeliga.analysis.stability import kinds
from moeliga.analysis.stability_index import centred_ranks, connected_groups, interchangeable_pairs, stability_index
from moeliga.base.random_streams import spawn
from paper_operators import PAPER
from single_search import single_search

SMALL = {"n_generations": 3, "population_size": 21, "local_improvement": None, "evaluation__n_rescore_splits": 5}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def report(wine):
    return stability_report(single_search(**SMALL), *wine, n_runs=5, random_state=0)


# kinds of features


@pytest.fixture
def table(rng):
    """40 runs over 12 features of which some are copies, monotone functions, or stand in for each other."""
    values = rng.standard_normal((60, 12))
    values[:, 1] = values[:, 0]
    values[:, 3] = -np.exp(values[:, 2])
    values[:, 5] = values[:, 4] + 0.3 * rng.standard_normal(60)
    values[:, 7] = 3.0  # constant
    values[rng.random((60, 12)) < 0.03] = np.nan
    supports = rng.random((40, 12)) < rng.random(12)
    for one in (0, 2, 4, 8):
        supports[:, one + 1] = ~supports[:, one] & (rng.random(40) < 0.8)
    return values, supports


def pairs_by_loops(values, supports, optional, association):
    found = {}
    for i, j in itertools.combinations(range(supports.shape[1]), 2):
        one, other = supports[:, i].mean(), supports[:, j].mean()
        ranks = [centred_ranks(values[:, [f]])[:, 0] for f in (i, j)]
        size = math.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum())
        rho = abs(ranks[0] @ ranks[1]) / size if size else 0.0
        together = (supports[:, i] & supports[:, j]).mean()
        if min(one, other) >= optional and together <= one * other / 2 + 1e-12 and rho >= association:
            found[i, j] = rho
    return found


@pytest.mark.parametrize("block", [1, 3, 5, 512])
@pytest.mark.parametrize("optional, association", [(0.2, 0.8), (0.05, 0.5), (0.4, 0.05), (0.2, 1.0)])
def test_stand_ins_are_those_of_all_pairs(table, block, optional, association, monkeypatch):
    """Brute force; whatever the size of a block."""
    monkeypatch.setattr(agreement, "BLOCK", block)
    with np.errstate(all="raise"):
        pairs, associations = interchangeable_pairs(*table, optional, association)
    wanted = pairs_by_loops(*table, optional, association)
    assert dict(zip(map(tuple, pairs.tolist()), associations, strict=True)) == pytest.approx(wanted)
    assert pairs.tolist() == sorted(pairs.tolist())


def test_limits_of_stand_ins_belong_to_them(rng):
    """Two copies, each in half of eight runs, and together in one: half of what chance would give."""
    supports = np.zeros((8, 2), dtype=bool)
    supports[:4, 0] = supports[3:7, 1] = True
    values = np.repeat(rng.random((9, 1)), 2, axis=1)
    assert interchangeable_pairs(values, supports, 0.5, 1.0)[0].tolist() == [[0, 1]]
    supports[4, 0] = True  # together in two runs, where chance would give 2.5
    assert interchangeable_pairs(values, supports, 0.5, 1.0)[0].tolist() == []


def test_association_is_spearmans(rng):
    """Without missing values: scipy's; a copy and any monotone function are exactly 1."""
    values = rng.integers(0, 9, (50, 4)).astype(float)
    values[:, 1] = -(values[:, 0] ** 3)
    values[:, 2] += values[:, 0]
    supports = np.eye(4, dtype=bool)[rng.permutation(np.arange(12) % 4)]
    pairs, associations = interchangeable_pairs(values, supports, 0.1, 1e-9)
    assert associations[pairs.tolist().index([0, 1])] == 1.0
    rho = spearmanr(values).statistic
    assert_allclose(associations, [abs(rho[i, j]) for i, j in pairs.tolist()], rtol=1e-12)
    ranks = centred_ranks(np.array([[1.0], [np.nan], [5.0], [5.0], [7.0]]))
    assert_array_equal(ranks[:, 0], [-3, 0, 0, 0, 3])


def test_nothing_stands_in_for_anything_where_nothing_is_chosen_often(rng):
    pairs, associations = interchangeable_pairs(rng.random((9, 5)), np.eye(5, dtype=bool), 0.3, 0.1)
    assert pairs.shape == (0, 2) and associations.shape == (0,)


def test_kinds_go_by_the_first_that_fits():
    frequency = np.array([0.0, 0.1, 0.2, 0.5, 0.8, 1.0, 0.3])
    pairs = np.array([[2, 4], [4, 6]])
    assert kinds(frequency, pairs, 0.8, 0.2).tolist() == [
        "never", "rare", "interchangeable", "optional", "core", "core", "interchangeable"]
    assert kinds(frequency, np.zeros((0, 2), dtype=int), 0.3, 0.3).tolist() == [
        "never", "rare", "rare", "core", "core", "core", "core"]


def test_groups_are_joined_by_pairs():
    """Directly or through others; the most frequent first."""
    frequency = np.array([0.2, 0.5, 0.3, 0.5, 0.9, 0.2])
    groups = connected_groups(np.array([[0, 2], [1, 2], [3, 4]]), frequency)
    assert [group.tolist() for group in groups] == [[1, 2, 0], [4, 3]]
    assert connected_groups(np.zeros((0, 2), dtype=np.int64), frequency) == []


def test_a_copied_column_is_interchangeable(seed):
    """One feature decides the class, and is there twice: each run takes one of the two, and neither is at fault."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    X = rng.random((80, 8))
    X[:, 2] = X[:, 6] = y + 0.4 * rng.random(80)
    # an archive would keep both, and the same one of them would be chosen each time
    selector = single_search(archive=False, **{**SMALL, **PAPER, "n_generations": 1})
    report = stability_report(selector, X, y, n_runs=24, random_state=seed)
    assert report.pairs.tolist() == [[2, 6]] and report.pair_association.tolist() == [1.0]
    assert set(report.kind[[2, 6]]) <= {"interchangeable", "core"} and "interchangeable" in report.kind
    assert [sorted(group.tolist()) for group in report.groups] == [[2, 6]]
    assert report.group_frequency.tolist() == [1.0]
    assert "; at least one of them in 100%" in report.summary()
    assert html.unescape(report._repr_html_()) == f"<pre>{report.summary()}</pre>"
    frame = pytest.importorskip("pandas") and report.to_frame()
    partners = frame.set_index("feature")["interchangeable_with"]
    assert (partners["x2"], partners["x6"]) == (["x6"], ["x2"])


# the report


def test_frequencies_are_those_of_the_runs(wine, report):
    """Each run made again by hand."""
    X, y = wine
    seeds = spawn(0, 10)
    for run in range(5):
        rows = resampled_rows(y, "subsample", 0.5, np.random.default_rng(seeds[2 * run]))
        selector = single_search(**SMALL, random_state=seeds[2 * run + 1]).fit(X[rows], y[rows])
        assert_array_equal(report.supports[run], selector.support_)
    assert_array_equal(report.frequency, report.supports.sum(axis=0) / 5)
    assert_array_equal(report.n_selected, report.supports.sum(axis=1))
    assert (report.stability, report.stability_se) == stability_index(report.supports)
    low, high = report.interval
    assert_allclose([low, high], [max(-0.25, report.stability - 1.959964 * report.stability_se),
                                  min(1, report.stability + 1.959964 * report.stability_se)], rtol=1e-6)


@pytest.mark.parametrize(("runs", "wanted"), [
    ([[0, 1, 2], [0, 1, 2, 3, 4], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]], (None, 1.0)),
    ([[0, 1], [1, 2, 3], [0, 5, 6], [1, 7, 8, 9, 10]], (-1 / 3, None))])
def test_an_interval_ends_where_stabilities_do(wine, runs, wanted):
    """At -1 / (n_runs - 1) and 1, however wide it would be."""
    supports = [np.isin(np.arange(13), run) for run in runs]
    with patch("moeliga.analysis.stability.Replications.outcomes",
               lambda self, tasks, *rest: [(support, np.arange(13).astype(str)) for support in supports]):
        found = stability_report(single_search(**SMALL), *wine, n_runs=4, random_state=0, confidence=1 - 1e-12)
    for end, bound in zip(found.interval, wanted, strict=True):
        assert end == bound if bound is not None else abs(end - found.stability) < 7.2 * found.stability_se


@pytest.mark.slow
def test_same_report_for_any_n_jobs(wine, report):
    """Bit for bit; and more runs leave the first as they are."""
    other = stability_report(single_search(**SMALL, random_state=3), *wine, n_runs=5, random_state=0, n_jobs=2)
    more = stability_report(single_search(**SMALL, n_jobs=2), *wine, n_runs=6, random_state=0, n_jobs=1)
    assert_array_equal(other.supports, report.supports)
    assert (other.stability, other.interval) == (report.stability, report.interval)
    assert_array_equal(more.supports[:5], report.supports)
    different = stability_report(single_search(**SMALL), *wine, n_runs=5, random_state=1)
    assert not np.array_equal(different.supports, report.supports)


def test_seeds_alone_vary_without_resampling(wine):
    X, y = wine
    report = stability_report(single_search(**SMALL), X, y, n_runs=3, resample=None, random_state=0)
    for support, seed in zip(report.supports, spawn(0, 6)[1::2], strict=True):
        assert_array_equal(support, single_search(**SMALL, random_state=seed).fit(X, y).support_)
    assert "the same samples with other seeds" in report.summary()


def test_the_rule_of_the_report_chooses(wine):
    """In place of the selector's."""
    def smallest(front):
        return 0

    one = stability_report(single_search(**SMALL), *wine, n_runs=2, rule=smallest, random_state=0)
    two = stability_report(single_search(**SMALL, rule=smallest), *wine, n_runs=2, random_state=0)
    assert_array_equal(one.supports, two.supports)
    best = stability_report(single_search(**SMALL), *wine, n_runs=2, rule="best", random_state=0)
    assert best.n_selected.sum() > one.n_selected.sum()


def test_the_selector_stays_as_it_is(wine, report):
    fitted = single_search(**SMALL, random_state=0).fit(*wine)
    before = {name: id(value) for name, value in vars(fitted).items()}
    again = stability_report(fitted, *wine, n_runs=5, rule="r1", random_state=0)
    assert {name: id(value) for name, value in vars(fitted).items()} == before
    assert_array_equal(again.supports, report.supports)


@pytest.mark.parametrize("resample", ["subsample", "bootstrap"])
def test_small_classes_survive(resample, rng):
    """A class of one sample, and one of two, are in every run."""
    y = np.array(["rare"] + ["few"] * 2 + ["many"] * 20)
    report = stability_report(single_search(**SMALL), rng.random((23, 4)), y, n_runs=4,
                              resample=resample,
                              random_state=0)
    assert report.supports.shape == (4, 4)


def test_tables_and_texts(wine):
    """Names, order, kinds, and how many are not named."""
    pandas = pytest.importorskip("pandas")
    names = [f"feature {f}" for f in range(13)]
    report = stability_report(single_search(**SMALL, rule="best"),
                              pandas.DataFrame(wine[0], columns=names), wine[1],
                              n_runs=6, optional=0.01, core=1.0, random_state=0)
    frame = report.to_frame()
    assert frame.columns.tolist() == ["feature", "frequency", "kind", "interchangeable_with"]
    assert frame["frequency"].tolist() == sorted(report.frequency[report.frequency > 0], reverse=True)
    for name, frequency, kind in zip(frame["feature"], frame["frequency"], frame["kind"], strict=True):
        assert report.frequency[names.index(name)] == frequency and report.kind[names.index(name)] == kind
    lines = report.summary(max_features=1).splitlines()
    assert lines[0] == "6 runs on random parts of the samples"
    low, high = report.interval
    assert lines[1] == f"stability {report.stability:.3f}, 95% interval {low:.3f} to {high:.3f}"
    n_optional = np.count_nonzero(report.kind == "optional")
    assert sum("more" in line for line in report.summary(max_features=n_optional).splitlines()) == 0
    assert n_optional > 1 and any(line.startswith("optional: ") and line.endswith(f", {n_optional - 1} more")
                                  for line in lines)
    assert lines[-1] == f"0 rare, {np.count_nonzero(report.frequency == 0)} never"
    assert repr(report) == f"<StabilityReport of 6 runs: stability {report.stability:.3f}; summary() shows it>"
    report.n_selected = np.array([9, 1, 2, 3, 2, 3])
    assert report.summary().splitlines()[2] == "1 to 9 features chosen, median 2.5, of 13"


@pytest.mark.parametrize("options, error, message", [
    ({"n_runs": 1}, ValueError, "n_runs must be >= 2, got 1"),
    ({"resample": "jackknife"}, ValueError,
     r"resample must be one of \('subsample', 'bootstrap', 'folds', None\), got 'jackknife'"),
    ({"subsample_size": 1.0}, ValueError, r"subsample_size must be in \(0, 1\), got 1.0"),
    ({"core": 0}, ValueError, r"core must be in \(0, 1\], got 0"),
    ({"optional": 0.9}, ValueError, r"optional must be in \(0, 0.8\], got 0.9"),
    ({"association": 1.5}, ValueError, r"association must be in \(0, 1\], got 1.5"),
    ({"confidence": 1}, ValueError, r"confidence must be in \(0, 1\), got 1"),
    ({"rule": "first"}, ValueError, "rule must be one of .* or a callable, got 'first'"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
])
def test_bad_arguments_are_named(wine, options, error, message):
    with pytest.raises(error, match=message):
        stability_report(single_search(**SMALL), *wine, **options)


def test_folds_of_a_fit_are_runs(wine):
    """Those of the range of sizes that the rule chooses from, without a search; the selector stays as it is."""
    X, y = wine
    selector = MOELIGASelector(GaussianNB(), honest=3, random_state=0, n_generations=2, population_size=20).fit(X, y)
    with patch.object(MOELIGASelector, "fit", side_effect=AssertionError):
        report = stability_report(selector, X, y, resample="folds")
        largest = stability_report(selector, X, y, resample="folds", rule=lambda front: len(front) - 1)
    assert_array_equal(report.frequency, selector.feature_frequency_)
    assert any(np.array_equal(report.supports, masks) for masks in selector.fold_supports_.values())
    assert (report.stability, report.stability_se) == stability_index(report.supports)
    assert largest.frequency.tolist() == 13 * [1.0] and np.isnan(largest.stability)
    assert not selector.support_.all() and report.frequency.min() < 1
    assert report.summary().startswith("3 runs on the training samples of each fold")
    assert largest.stability_text(2) == "stability nan, all features chosen"
    report.stability, report.interval = 0.25, (np.nan, np.nan)
    assert report.summary().splitlines()[1] == "stability 0.250, too few runs for an interval"
    for other in (X[:, :12], np.hstack((X, X[:, :1]))):
        with pytest.raises(ValueError, match=f"X must have the 13 features of the fit, got {other.shape[1]}"):
            stability_report(selector, other, y, resample="folds")
    with pytest.raises(ValueError, match="selector must have an honest score of its chosen subset .* got honest=None"):
        stability_report(single_search(**SMALL, random_state=0).fit(X, y), X, y, resample="folds")
    with pytest.raises(NotFittedError):
        stability_report(selector.__class__(), X, y, resample="folds")


@pytest.mark.parametrize("resample", ["subsample", "bootstrap"])
def test_runs_of_a_regressor_are_drawn_by_deciles(rng, resample):
    """Each decile has its share of the rows; the runs are fits to them."""
    X = rng.normal(size=(60, 5))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    selector = single_search(DecisionTreeRegressor(), **SMALL)
    report = stability_report(selector, X, y, n_runs=2, resample=resample, random_state=0)
    deciles = np.argsort(np.argsort(y)) * 6 // 60  # of at least ten samples each
    for run in range(2):
        draw, seed = spawn(0, 4)[2 * run : 2 * run + 2]
        rows = resampled_rows(deciles, resample, 0.5, np.random.default_rng(draw))
        again = single_search(DecisionTreeRegressor(), **SMALL, random_state=seed).fit(X[rows], y[rows])
        assert_array_equal(report.supports[run], again.support_)
    assert report.frequency[0] == 1.0


def test_other_estimators_are_refused(wine):
    with pytest.raises(TypeError, match=r"selector must be a MOELIGASelector, got GaussianNB\(\)"):
        stability_report(GaussianNB(), *wine)
    with pytest.raises(ValueError, match="^y must have a value for each sample, got None$"):
        stability_report(single_search(**SMALL), wine[0], None)


def test_columns_that_nobody_reads_may_hold_anything(wine):
    """As in a fit."""
    X, y = wine
    odd = X.copy()
    odd[0, 3], odd[1, 3] = np.inf, np.nan
    selector = single_search(**SMALL).set_params(constraints__exclude=[3])
    reports = [stability_report(selector, data, y, n_runs=2, random_state=0) for data in (X, odd)]
    assert_array_equal(*(report.frequency for report in reports))
    with pytest.raises(ValueError, match="infinity|infinite"):
        stability_report(single_search(**SMALL), odd, y, n_runs=2, random_state=0)


@pytest.mark.parametrize("kind", [csr_matrix, csc_array, coo_array])
def test_sparse_data_give_the_report_of_the_dense(wine, kind):
    X, y = wine[0] * (wine[0] > np.median(wine[0], axis=0)), wine[1]
    selector = single_search(**SMALL)
    dense, sparse = (stability_report(selector, given, y, n_runs=5, optional=0.1, association=0.05, random_state=0)
                     for given in (X, kind(X)))
    assert_array_equal(sparse.supports, dense.supports)
    assert len(dense.pairs)
    assert_array_equal(sparse.pairs, dense.pairs)
    assert_array_equal(sparse.pair_association, dense.pair_association)


def test_sparse_data_are_refused_by_a_model_that_does_not_take_them(wine):
    selector = MOELIGASelector(HistGradientBoostingClassifier(), n_generations=1)
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        stability_report(selector, csr_matrix(wine[0]), wine[1], n_runs=2, random_state=0)
