"""Drawing fronts, histories, frequencies and stability."""

import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
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
)
from moeliga.results.rules import RULES
from single_search import single_search

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.text import Text


@pytest.fixture(scope="module")
def selector():
    X, y = load_wine(return_X_y=True)
    return single_search(n_generations=5, local_improvement=None, random_state=0).fit(X, y)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def tick_labels(axis):
    axis.figure.canvas.draw()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ParetoFrontDisplay

def test_every_member_is_drawn_at_its_size_and_score(selector):
    """Points are (size, score) of the members, coloured by R1, with bars of one standard error."""
    front = selector.pareto_front_
    display = ParetoFrontDisplay.from_selector(selector)
    np.testing.assert_array_equal(display.points_.get_offsets(), np.column_stack((front.n_selected, front.score)))
    np.testing.assert_array_equal(display.points_.get_array(), front.r1)
    bars = np.array([bar[:, 1] for bar in display.errorbar_.lines[2][0].get_segments()])
    np.testing.assert_allclose(bars, np.column_stack((front.score - front.score_se, front.score + front.score_se)))
    assert display.figure_ is display.ax_.figure
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("selected features, of 13", "UAR")
    assert display.colorbar_.ax.get_ylabel() == "R1"


def test_the_chosen_member_is_ringed_and_named(selector):
    """The ring is at the selector's choice, also after another choice, and the legend says what it is."""
    selector.select("best")
    front, index = selector.pareto_front_, selector.index_
    display = ParetoFrontDisplay.from_selector(selector)
    np.testing.assert_array_equal(display.chosen_.get_offsets(), [[front.n_selected[index], front.score[index]]])
    label = display.ax_.get_legend().get_texts()[0].get_text()
    assert label == (f"chosen: {front.n_selected[index]} features, UAR {front.score[index]:.3f} ± "
                     f"{front.score_se[index]:.3f}, R1 {front.r1[index]:.3f}")


def test_plot_takes_axes_and_colours_and_returns_the_display(selector):
    figure, ax = pyplot.subplots()
    display = ParetoFrontDisplay.from_selector(selector, ax, cmap="magma")
    assert display.ax_ is ax and display.figure_ is figure
    assert display.points_.get_cmap().name == "magma"
    assert display.plot() is display and display.ax_ is not ax


def test_without_standard_errors_there_are_no_bars():
    for score_se in (None, [np.nan, np.nan]):
        display = ParetoFrontDisplay([1, 2], [0.8, 0.9], r1=[0.7, 0.8], n_features=5, score_se=score_se, chosen=0)
        display.plot()
        assert display.errorbar_ is None
        assert display.ax_.get_legend().get_texts()[0].get_text() == "chosen: 1 feature, UAR 0.800, R1 0.700"


def test_a_front_of_one_member_is_drawn():
    display = ParetoFrontDisplay([3], [0.9], r1=[0.8], n_features=34).plot()
    assert display.colorbar_ is None and display.chosen_ is None and display.ax_.get_legend() is None
    assert tick_labels(display.ax_.xaxis) == ["3"]


@pytest.mark.parametrize("sizes, scale, labels", [
    ([1, 2, 3, 4, 5], "linear", ["1", "2", "3", "4", "5"]),
    ([1, 2], "linear", ["1", "2"]),
    ([1, 24], "linear", ["0", "5", "10", "15", "20", "25"]),
    ([5900, 6400], "linear", ["5,900", "6,000", "6,100", "6,200", "6,300", "6,400"]),
    ([2, 10, 80], "log", ["2", "5", "10", "20", "50"]),
    ([1, 100, 20_000], "log", ["1", "10", "100", "1,000", "10,000"]),
])
def test_sizes_are_legible_from_5_to_20000_features(sizes, scale, labels):
    """Whole numbers, few of them; a logarithmic axis where sizes span more than a decade."""
    score = np.linspace(0.5, 0.9, len(sizes))
    display = ParetoFrontDisplay(sizes, score, r1=score, n_features=20_531).plot()
    assert display.ax_.get_xscale() == scale
    assert tick_labels(display.ax_.xaxis) == labels


def test_the_line_is_the_best_score_with_at_most_so_many_features():
    display = ParetoFrontDisplay([1, 2, 2, 4], [0.5, 0.6, 0.8, 0.7], r1=[0.5, 0.6, 0.8, 0.7], n_features=9).plot()
    line = display.ax_.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 2, 4])
    np.testing.assert_array_equal(line.get_ydata(), [0.5, 0.8, 0.8, 0.8])


def test_another_score_has_its_own_name():
    X, y = load_wine(return_X_y=True)
    selector = single_search(scoring="accuracy", n_generations=0,
                             evaluation=Evaluation(n_splits=2, n_rescore_splits=2), population_size=21,
                             local_improvement=None, random_state=0).fit(X, y)
    assert ParetoFrontDisplay.from_selector(selector).ax_.get_ylabel() == "accuracy"


@pytest.mark.parametrize("axes", [("score", "n_selected"), ("separability", "n_selected"), ("cardinality", "r1"),
                                  ("n_selected", "uar")])
def test_any_two_columns_can_be_the_axes(selector, axes):
    """Points, ring, bars and labels follow."""
    front, index = selector.pareto_front_, selector.index_
    columns = {"n_selected": front.n_selected, "score": front.score, "r1": front.r1,
               **dict(zip(front.names, front.objectives.T, strict=True))}
    labels = {"n_selected": "selected features, of 13", "score": "UAR", "r1": "R1"}
    display = ParetoFrontDisplay.from_selector(selector, axes=axes, color="separability")
    points = np.column_stack([columns[name] for name in axes])
    np.testing.assert_array_equal(display.points_.get_offsets(), points)
    np.testing.assert_array_equal(display.points_.get_array(), front.objectives[:, 2])
    np.testing.assert_array_equal(display.chosen_.get_offsets(), points[[index]])
    assert display.colorbar_.ax.get_ylabel() == "separability"
    assert [display.ax_.get_xlabel(), display.ax_.get_ylabel()] == [labels.get(name, name) for name in axes]
    assert len(display.ax_.lines) == (len(display.errorbar_.lines[1]) if display.errorbar_ else 0)  # no other line
    if axes[0] == "score":
        bars = np.array([bar[:, 0] for bar in display.errorbar_.lines[2][0].get_segments()])
        np.testing.assert_allclose(bars, np.column_stack((front.score - front.score_se, front.score + front.score_se)))
    else:
        assert display.errorbar_ is None


def test_the_first_generation_is_drawn_on_demand(selector):
    """Small dots on the same axes; the scale of sizes has room for both."""
    first = selector.initial_front_
    assert ParetoFrontDisplay.from_selector(selector).initial_points_ is None
    display = ParetoFrontDisplay.from_selector(selector, initial=True, color=None)
    np.testing.assert_array_equal(display.initial_points_.get_offsets(),
                                  np.column_stack((first.n_selected, first.score)))
    assert legend_of(display.ax_)[0] == "front of the first generation"
    assert display.colorbar_ is None
    display = ParetoFrontDisplay.from_selector(selector, initial=True, axes=("separability", "score"))
    np.testing.assert_array_equal(display.initial_points_.get_offsets(),
                                  np.column_stack((first.objectives[:, 2], first.score)))
    wide = ParetoFrontDisplay([5, 6], [0.5, 0.6], r1=[0.5, 0.6], n_features=9000,
                              initial={"n_selected": [3000], "score": [0.4], "r1": [0.3]}).plot(initial=True)
    assert wide.ax_.get_xscale() == "log"


def test_wrong_columns_are_named(selector):
    columns = r"\('uar', 'cardinality', 'separability', 'n_selected', 'score', 'r1'\)"
    for axes in (("n_selected", "auc"), "ab", ("score",)):
        with pytest.raises(ValueError, match=f"axes must be two of {columns}, got .*{axes[-1]}"):
            ParetoFrontDisplay.from_selector(selector, axes=axes)
    with pytest.raises(ValueError, match=f"color must be None or one of {columns}, got 'red'"):
        ParetoFrontDisplay.from_selector(selector, color="red")
    with pytest.raises(ValueError, match="initial must be False for a display without a first generation, got True"):
        ParetoFrontDisplay([1], [0.9], r1=[0.8], n_features=3).plot(initial=True)


# the honest curve


@pytest.fixture(scope="module")
def honest():
    X, y = load_wine(return_X_y=True)
    return MOELIGASelector(GaussianNB(), honest=3, n_generations=3, population_size=20, random_state=0).fit(X, y)


def test_the_honest_curve_is_the_best_honest_score_of_every_size(honest):
    """With a band of one standard error, all features as a line, and the scores in the search behind."""
    front = honest.pareto_front_
    best = {}
    for size, score, error in zip(front.n_selected, front.honest_score, front.honest_se, strict=True):
        if np.isfinite(score) and score > best.get(size, (-1, 0))[0]:
            best[size] = score, error
    display = ParetoFrontDisplay.from_selector(honest)
    np.testing.assert_array_equal(display.honest_.get_xydata(), [(size, best[size][0]) for size in sorted(best)])
    band = display.band_.get_paths()[0].vertices
    for size, (score, error) in best.items():
        heights = band[band[:, 0] == size, 1]
        np.testing.assert_allclose([heights.min(), heights.max()], [score - error, score + error])
    everything, = honest.baselines_.honest_score[honest.baselines_.source == "all"]
    assert set(display.all_features_.get_ydata()) == {everything}
    np.testing.assert_array_equal(display.points_.get_offsets(), np.column_stack((front.n_selected, front.score)))
    assert display.points_.get_zorder() < display.honest_.get_zorder()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("selected features, of 13", "honest UAR")
    low, high = honest.honest_interval_
    assert legend_of(display.ax_) == [
        "UAR in the search", "honest UAR ± standard error", f"all 13 features: {everything:.3f}",
        f"chosen: {honest.support_.sum()} features, {honest.honest_score_:.3f} ({low:.3f} to {high:.3f})"]


def test_rules_are_named_at_what_they_choose(honest):
    """Each once, joined where they agree; the selector's own choice in red, with a ring, also after another choice."""
    front = honest.pareto_front_
    for rule in ("knee", "no_loss"):
        honest.select(rule)
        display = ParetoFrontDisplay.from_selector(honest)
        named = {name: (label.xy, label.get_color()) for text, label in display.rules_.items()
                 for name in text.split(", ")}
        assert sorted(named) == sorted(RULES)
        for name, (place, color) in named.items():
            index = front.choose(name)
            assert place == (front.n_selected[index], front.honest_score[index])
            assert (color == "tab:red") == (index == honest.index_)
        np.testing.assert_array_equal(display.chosen_.get_offsets(), [[
            front.n_selected[honest.index_], front.honest_score[honest.index_]]])
    display.figure_.canvas.draw()
    boxes = [Text.get_window_extent(label) for label in display.rules_.values()]
    frame = display.ax_.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 for box in boxes)
    assert all(low.y1 < high.y0 for low, high in pairwise(sorted(boxes, key=lambda box: box.y0)))


def test_scores_of_two_models_have_two_names(honest):
    """What guides the search is scored by UAR; the deployed model by what `scoring` says."""
    X, y = load_wine(return_X_y=True)
    other = MOELIGASelector(GaussianNB(), honest=2, scoring="recall_macro", n_generations=0, population_size=20,
                            random_state=0).fit(X, y)
    display = ParetoFrontDisplay.from_selector(other)
    assert display.ax_.get_ylabel() == "honest recall_macro"
    assert legend_of(display.ax_)[:2] == ["UAR in the search", "honest recall_macro ± standard error"]
    assert ConvergenceDisplay.from_selector(other).ax_.get_ylabel() == "UAR, hypervolume"
    display = OptimismDisplay.from_selector(other)
    assert legend_of(display.ax_) == ["UAR in the search", "honest recall_macro", "UAR on fresh splits"]
    np.testing.assert_array_equal(display.honest_.get_ydata(), other.pareto_front_.honest_score)
    assert display.ax_.get_ylabel() == "score"


def test_other_axes_show_the_members_of_a_cross_fitted_front(honest):
    """As without honest scores, which are a column like others."""
    front = honest.pareto_front_
    display = ParetoFrontDisplay.from_selector(honest, axes=("score", "honest_score"), color=None)
    known = np.isfinite(front.honest_score)
    np.testing.assert_array_equal(display.points_.get_offsets()[known],
                                  np.column_stack((front.score, front.honest_score))[known])
    assert display.honest_ is display.all_features_ is display.band_ is None and display.rules_ == {}
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("UAR", "honest UAR")


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
    with pytest.raises(ValueError, match="ax must be None, one Axes or two, got 3"):
        ConvergenceDisplay.from_selector(selector, pyplot.subplots(1, 3)[1])


def test_sizes_of_a_history_have_a_logarithmic_axis_where_they_need_one():
    history = {"generation": [0, 1], "archive_hypervolume": [0.5, 0.6], "best_score": [0.6, 0.7],
               "best_score_size": [600, 30],
               "min_size": [600, 20], "median_size": [900.0, 40.5], "max_size": [7000, 600]}
    display = ConvergenceDisplay(history, n_features=20_000).plot()
    assert display.sizes_ax_.get_yscale() == "log"
    assert tick_labels(display.sizes_ax_.yaxis) == ["20", "50", "100", "200", "500", "1,000", "2,000", "5,000"]
    assert tick_labels(display.sizes_ax_.xaxis) == ["0", "1"]


def test_a_search_without_generations_has_one_point():
    X, y = load_wine(return_X_y=True)
    selector = single_search(n_generations=0, local_improvement=None, random_state=0).fit(X, y)
    display = ConvergenceDisplay.from_selector(selector)
    assert display.best_score_.get_marker() == "o" and len(display.best_score_.get_xdata()) == 1


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
    """A name too long is cut in the middle; a dollar sign is no formula; five features need no more than five rows."""
    names = ["$a$", "b" * 20 + "c" * 20, "d"]
    display = FeatureFrequencyDisplay(names, [1, 0.5, 0.5], chosen=[False] * 3, n_members=2).plot()
    display.figure_.canvas.draw()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [r"\$a\$", "b" * 15 + "…" + "c" * 16, "d"]
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
    """And how many are not; in given axes too."""
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
    assert legend_of(display.ax_) == ["in the search", "on held-out samples", "on fresh splits"]
    columns = (front.search_objectives[:, 0], front.score, held_out)
    joins = np.array([line[:, 1] for line in display.ax_.collections[0].get_segments()])
    np.testing.assert_array_equal(joins, np.column_stack((np.min(columns, axis=0), np.max(columns, axis=0))))


def test_optimism_without_scores_that_are_not_there():
    display = OptimismDisplay([1, 2], [0.8, 0.9], n_features=4, score_name="accuracy").plot()
    assert display.rescored_ is display.held_out_ is None and display.ax_.get_ylabel() == "accuracy"
    X, y = load_wine(return_X_y=True)
    selector = single_search(n_generations=0, evaluation=Evaluation(n_rescore_splits=0), random_state=0).fit(X, y)
    assert OptimismDisplay.from_selector(selector).rescored_ is None


def test_optimism_refuses_what_does_not_fit(selector):
    with pytest.raises(ValueError, match=r"held_out must have \d+ scores, one for each member, got shape \(2,\)"):
        OptimismDisplay.from_selector(selector, held_out=[0.5, 0.5])
    with pytest.raises(NotFittedError):
        OptimismDisplay.from_selector(single_search())
