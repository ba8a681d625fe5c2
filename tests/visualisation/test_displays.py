"""Drawing histories, frequencies, stability and optimism."""

import re
import sys

import matplotlib
import numpy as np
import pytest
from drawn import legend_of, pyplot, tick_labels
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from moeliga import (
    ConvergenceDisplay,
    Evaluation,
    FeatureFrequencyDisplay,
    MOELIGASelector,
    OptimismDisplay,
    ParetoFrontDisplay,
    StabilityDisplay,
    StabilityReport,
    stability_report,
    write_report,
)
from single_search import single_search

# ConvergenceDisplay


@pytest.mark.parametrize("against, label", [
    ("generation", "generation"), ("n_evaluations", "subsets evaluated"), ("seconds", "seconds")])
def test_the_history_is_drawn(selector, against, label):
    """Scores above, sizes below, on the same axis."""
    history = selector.history_
    display = ConvergenceDisplay.from_selector(selector, against=against)
    for line, name in ((display.hypervolume_, "archive_hypervolume"), (display.best_score_, "best_score"),
                       (display.median_size_, "median_size"), (display.best_score_size_, "best_score_size")):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack((history[against], history[name])))
    low, high = display.range_.get_paths()[0].get_extents().intervaly
    assert (low, high) == (history["min_size"].min(), history["max_size"].max())
    assert display.hypervolume_.axes is display.best_score_.axes is display.ax_
    assert display.median_size_.axes is display.range_.axes is display.sizes_ax_
    assert display.figure_ is display.ax_.figure is display.sizes_ax_.figure
    assert (display.ax_.get_ylabel(), display.sizes_ax_.get_ylabel()) == ("UAR, hypervolume", "features, of 13")
    assert display.sizes_ax_.get_xlabel() == label
    assert legend_of(display.ax_) == ["hypervolume", "best UAR of each generation"]
    assert legend_of(display.sizes_ax_) == ["smallest to largest", "median", "of the best UAR"]


def test_the_history_fits_into_given_axes(selector):
    """Two axes take a panel each, one takes both; more are refused."""
    figure, pair = pyplot.subplots(1, 2)
    display = ConvergenceDisplay.from_selector(selector, pair)
    assert display.ax_ is pair[0] and display.sizes_ax_ is pair[1] and display.figure_ is figure
    _, ax = pyplot.subplots()
    display = ConvergenceDisplay.from_selector(selector, ax)
    assert display.ax_ is ax and display.sizes_ax_.yaxis.get_label_position() == "right"
    assert len(legend_of(ax)) == 5 and display.sizes_ax_.get_legend() is None
    assert ax.get_zorder() > display.sizes_ax_.get_zorder()  # lines above the band
    assert ax.get_xlabel() == "generation"
    with pytest.raises(ValueError, match="ax must be None, one Axes or two, got 3"):
        ConvergenceDisplay.from_selector(selector, pyplot.subplots(1, 3)[1])


def test_sizes_of_a_history_have_a_logarithmic_axis_where_they_need_one():
    history = {"generation": [0, 1], "archive_hypervolume": [0.5, 0.6], "best_score": [0.6, 0.7],
               "best_score_size": [600, 30],
               "min_size": [600, 20], "median_size": [900.0, 400.5], "max_size": [7000, 600]}
    display = ConvergenceDisplay(history, n_features=20_000).plot()
    assert display.sizes_ax_.get_yscale() == "log"
    assert tick_labels(display.sizes_ax_.yaxis) == ["20", "50", "100", "200", "500", "1,000", "2,000", "5,000"]
    assert tick_labels(display.sizes_ax_.xaxis) == ["0", "1"]
    for length, between in ((20, " "), (21, "\n")):
        display = ConvergenceDisplay(history, n_features=20_000, score_name=length * "s").plot()
        assert display.ax_.get_ylabel() == f"{length * 's'},{between}hypervolume"


@pytest.mark.parametrize(("n", "marker"), [(30, "o"), (31, "None")])
def test_generations_are_marked_where_they_are_few(n, marker):
    """Scores that are never above 0 have no hypervolume."""
    history = {"generation": range(n), "archive_hypervolume": np.zeros(n), "best_score": np.full(n, -0.5),
               **dict.fromkeys(("best_score_size", "min_size", "median_size", "max_size"), np.full(n, 3))}
    display = ConvergenceDisplay(history, n_features=4, score_name="loss").plot()
    assert display.best_score_.get_marker() == display.median_size_.get_marker() == marker
    assert display.hypervolume_ is None and display.ax_.get_ylabel() == "loss"


def test_a_search_without_generations_has_one_point():
    X, y = load_wine(return_X_y=True)
    selector = single_search(n_generations=0, local_improvement=None, random_state=0).fit(X, y)
    display = ConvergenceDisplay.from_selector(selector)
    assert display.best_score_.get_marker() == "o" and len(display.best_score_.get_xdata()) == 1
    assert display.sizes_ax_.get_xlim() == (-0.6, 0.6)


def test_an_unknown_axis_of_the_history_is_refused(selector):
    for against in ("time", None):
        rule = r"against must be one of \('generation', 'n_evaluations', 'seconds'\)"
        with pytest.raises(ValueError, match=f"{rule}, got {against!r}"):
            ConvergenceDisplay.from_selector(selector, against=against)


# FeatureFrequencyDisplay


def test_bars_are_the_share_of_members_that_hold_a_feature(selector):
    """From frequent to rare, the chosen in red, those in no member counted only."""
    front = selector.pareto_front_
    display = FeatureFrequencyDisplay.from_selector(selector)
    shares = {name: sum(name in front.features(i) for i in range(len(front))) / len(front)
              for name in front.feature_names}
    drawn = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert [bar.get_width() for bar in display.bars_] == [shares[name] for name in drawn]
    assert sorted(drawn) == sorted(name for name, share in shares.items() if share)
    widths = [bar.get_width() for bar in display.bars_]
    assert widths == sorted(widths, reverse=True)
    red = matplotlib.colors.to_rgba("tab:red")
    assert {name for name, bar in zip(drawn, display.bars_, strict=True) if bar.get_facecolor() == red} == set(
        front.features(selector.index_))
    n_unheld = sum(share == 0 for share in shares.values())
    assert display.ax_.get_xlabel() == (f"share of the {len(front)} members that hold the feature\n"
                                        f"not shown: {n_unheld} in no member")


def test_only_the_most_frequent_of_many_features_are_drawn(rng):
    """The rest is counted; among equals the chosen come first, then the order of the data."""
    frequency = rng.integers(0, 4, 20_000) / 8
    chosen = (rng.random(20_000) < 0.01) & (frequency > 0)
    names = np.array([f"gene_{f}" for f in range(20_000)])
    display = FeatureFrequencyDisplay(names, frequency, chosen=chosen, n_members=8).plot(max_features=60)
    order = sorted(range(20_000), key=lambda f: (-frequency[f], not chosen[f], f))
    assert display.order_.tolist() == order[:60]
    held, left_chosen = np.count_nonzero(frequency), sum(chosen[f] for f in order[60:])
    assert display.ax_.get_xlabel().split("\n", 1)[1] == (
        f"not shown: {held - 60:,} less frequent ({left_chosen:,} of them chosen),\n{20_000 - held:,} in no member")
    assert len(display.bars_) == 60
    with pytest.raises(ValueError, match="max_features must be >= 1, got 0"):
        display.plot(max_features=0)


def test_names_are_legible():
    """A name too long is cut in the middle; a dollar sign is no formula; what would steer a terminal, to which
    matplotlib's warning of a font without it goes, is written out; five features need no more than five rows."""
    names = ["$a$", "b" * 20 + "c" * 20, "\x1b[31md\u202e"]
    display = FeatureFrequencyDisplay(names, [1, 0.5, 0.5], chosen=[False] * 3, n_members=2).plot()
    display.figure_.canvas.draw()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [r"\$a\$", "b" * 15 + "…" + "c" * 16, r"\x1b[31md\u202e"]
    assert display.ax_.get_legend() is None
    assert display.ax_.get_xlabel().endswith("all features are shown")
    assert display.figure_.get_figheight() < 3


def test_no_label_leaves_the_figure(selector):
    """With the longest names and lines of text."""
    names = [f"{'a_very_long_name_of_a_feature_' * 3}{f}" for f in range(40)]
    frequency = np.linspace(1, 0.1, 40)
    display = FeatureFrequencyDisplay(names, frequency, chosen=frequency < 0.5, n_members=123).plot()
    display.figure_.canvas.draw()
    box = display.figure_.get_tightbbox()
    assert box.x0 >= 0 and box.x1 <= display.figure_.get_figwidth()
    assert box.y0 >= 0 and box.y1 <= display.figure_.get_figheight()


# StabilityDisplay


def stability_of(frequency, kind):
    """A report of 10 runs, as far as it is drawn."""
    return StabilityReport(
        supports=np.zeros((10, len(frequency)), dtype=bool), frequency=np.array(frequency), kind=np.array(kind),
        feature_names=np.array([f"x{f}" for f in range(len(frequency))]), stability=0.5, interval=(0.25, 0.75),
        confidence=0.9, core=0.8, optional=0.2)


def test_bars_are_the_share_of_runs_that_chose_a_feature():
    """From frequent to rare, coloured by kind; the title has the index, the lines are the limits."""
    kind = ["rare", "core", "never", "optional", "interchangeable", "core"]
    display = StabilityDisplay.from_report(stability_of([0.1, 0.8, 0.0, 0.5, 0.5, 1.0], kind))
    assert display.order_.tolist() == [5, 1, 3, 4, 0]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["x5", "x1", "x3", "x4", "x0"]
    assert [bar.get_width() for bar in display.bars_] == [1.0, 0.8, 0.5, 0.5, 0.1]
    assert legend_of(display.ax_) == ["core", "interchangeable", "optional", "rare"]
    handles = display.ax_.get_legend().legend_handles
    shown = {text: handle.get_facecolor() for text, handle in zip(legend_of(display.ax_), handles, strict=True)}
    assert [bar.get_facecolor() for bar in display.bars_] == [shown[kind[f]] for f in display.order_]
    assert len(set(shown.values())) == 4
    assert [line.get_xdata()[0] for line in display.ax_.lines] == [0.8, 0.2]
    assert display.ax_.get_title(loc="left") == "stability 0.50, 90% interval 0.25 to 0.75"
    assert display.ax_.get_xlabel() == "share of the 10 runs that chose the feature\nnot shown: 1 never chosen"


def test_a_selector_is_repeated_and_drawn():
    """The report is that of stability_report with the same options; the selector stays as it is."""
    X, y = load_iris(return_X_y=True)
    selector = single_search(n_generations=1, population_size=8, local_improvement=None)
    options = {"n_runs": 3, "rule": "best", "random_state": 0}
    display = StabilityDisplay.from_selector(selector, X, y, max_features=2, **options)
    assert_array_equal(display.report.supports, stability_report(selector, X, y, **options).supports)
    assert len(display.order_) <= 2 and not hasattr(selector, "support_")
    with pytest.raises(ValueError, match="max_features must be >= 1, got 0"):
        StabilityDisplay.from_selector(selector, X, y, max_features=0)


def test_only_the_features_chosen_most_often_are_drawn():
    """The label counts the others, in given axes too."""
    frequency = np.where(np.arange(20_000) < 50, 0.3, 0.0)
    report = stability_of(frequency, np.where(frequency > 0, "optional", "never"))
    _, ax = pyplot.subplots()
    display = StabilityDisplay.from_report(report, ax, max_features=7)
    assert display.ax_ is ax and display.order_.tolist() == list(range(7))
    assert ax.get_xlabel().endswith("not shown: 43 less frequent, 19,950 never chosen")
    assert StabilityDisplay(report).plot(max_features=50).ax_.get_xlabel().endswith("not shown: 19,950 never chosen")
    with pytest.raises(ValueError, match="max_features must be >= 1, got 0"):
        display.plot(max_features=0)


# all displays


@pytest.mark.parametrize("display", [ParetoFrontDisplay, ConvergenceDisplay, FeatureFrequencyDisplay])
def test_an_unfitted_selector_is_refused(display):
    with pytest.raises(NotFittedError):
        display.from_selector(single_search())


@pytest.mark.parametrize("call", [
    ParetoFrontDisplay.from_selector, ConvergenceDisplay.from_selector, FeatureFrequencyDisplay.from_selector,
    OptimismDisplay.from_selector, lambda other: write_report(other, "x"),
])
@pytest.mark.parametrize("other", [5, GaussianNB(), MOELIGASelector], ids=str)
def test_what_is_no_selector_is_named(call, other):
    with pytest.raises(TypeError, match=f"^selector must be a MOELIGASelector, got {re.escape(repr(other))}$"):
        call(other)


def test_what_is_no_report_is_named():
    with pytest.raises(TypeError, match="^report must be a StabilityReport, got 5$"):
        StabilityDisplay.from_report(5)


@pytest.mark.parametrize("display", [
    ParetoFrontDisplay([1], [0.9], r1=[0.8], n_features=3),
    ConvergenceDisplay({}, n_features=3),
    FeatureFrequencyDisplay(["a"], [1.0], chosen=[True], n_members=1),
    StabilityDisplay(stability_of([1.0], ["core"])),
], ids=lambda display: type(display).__name__)
def test_without_matplotlib_the_error_names_the_extra(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    name = type(display).__name__
    with pytest.raises(ImportError, match=rf"^{name} needs matplotlib: pip install 'moeliga\[plot\]'$"):
        display.plot()


# OptimismDisplay


def test_scores_of_the_search_of_fresh_splits_and_of_held_out_samples_are_drawn(selector):
    """Each at the size of its member; a line joins the three."""
    front = selector.pareto_front_
    held_out = np.linspace(0.5, 0.9, len(front))
    display = OptimismDisplay.from_selector(selector, held_out=held_out)
    for line, values in ((display.search_, front.search_objectives[:, 0]), (display.rescored_.lines[0], front.score),
                         (display.held_out_, held_out)):
        np.testing.assert_array_equal(line.get_xdata(), front.n_selected)
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert legend_of(display.ax_) == ["as the search saw it", "on held-out samples", "on fresh splits"]
    columns = (front.search_objectives[:, 0], front.score, held_out)
    joins = np.array([line[:, 1] for line in display.ax_.collections[0].get_segments()])
    np.testing.assert_array_equal(joins, np.column_stack((np.min(columns, axis=0), np.max(columns, axis=0))))


def test_the_sizes_of_one_generation_are_drawn():
    """The band has no width: it is a bar."""
    display = ConvergenceDisplay({"generation": [0], **dict.fromkeys(
        ("archive_hypervolume", "best_score"), [0.5]), "best_score_size": [4], "min_size": [2], "median_size": [5],
        "max_size": [9]}, n_features=10).plot()
    assert display.range_.get_linewidth()[0] > 1
    np.testing.assert_array_equal(np.unique(display.range_.get_paths()[0].vertices, axis=0), [[0, 2], [0, 9]])


def test_optimism_without_scores_that_are_not_there():
    display = OptimismDisplay([1, 2], [0.8, 0.9], n_features=4, score_name="accuracy").plot()
    assert display.rescored_ is display.held_out_ is None and display.ax_.get_ylabel() == "accuracy"
    X, y = load_wine(return_X_y=True)
    selector = single_search(n_generations=0, evaluation=Evaluation(n_rescore_splits=0), random_state=0).fit(X, y)
    assert OptimismDisplay.from_selector(selector).rescored_ is None


def test_optimism_refuses_what_does_not_fit(selector):
    with pytest.raises(ValueError, match=r"held_out must have \d+ scores, one for each member, got shape \(2,\)"):
        OptimismDisplay.from_selector(selector, held_out=[0.5, 0.5])
    for held_out in (len(selector.pareto_front_) * ["a"], [[0.5], 0.5]):
        with pytest.raises(ValueError, match="^held_out must be a sequence of numbers: "):
            OptimismDisplay.from_selector(selector, held_out=held_out)
    with pytest.raises(NotFittedError):
        OptimismDisplay.from_selector(single_search())
