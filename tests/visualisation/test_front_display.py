"""Drawing fronts: members, errors, the choice, and the honest curve."""

import re
from collections import deque
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from drawn import legend_of, pyplot, tick_labels
from matplotlib.text import Text
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from moeliga import (
    Constraints,
    ConvergenceDisplay,
    Evaluation,
    MOELIGASelector,
    NoLoss,
    OptimismDisplay,
    ParetoFrontDisplay,
    write_report,
)
from moeliga.results.rules import RULES
from moeliga.results.run_record import Record
from single_search import single_search

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


@pytest.mark.quick(2)
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


def test_members_without_an_honest_score_are_not_on_the_curve():
    """The curve has the best of the other members of each size, in any order."""
    honest = {"score": [np.nan, 0.6, 0.7, 0.5, np.nan, 0.8, np.nan], "se": 7 * [0.1], "name": "UAR",
              "all_features": np.nan, "rules": {}}
    sizes, score = [1, 2, 2, 2, 4, 4, 5], 7 * [0.7]
    line = ParetoFrontDisplay(sizes, score, r1=score, n_features=9, honest=honest).plot().honest_
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([2, 4], [0.7, 0.8])


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


@pytest.mark.parametrize("kind", [list, np.array, pd.Index, pd.Series, deque], ids=["list", "array", "index", "column",
                                                                                    "deque"])
def test_axes_may_be_any_sequence_of_names(selector, kind):
    display = ParetoFrontDisplay.from_selector(selector, axes=kind(["separability", "score"]), initial=np.True_)
    expected = ParetoFrontDisplay.from_selector(selector, axes=("separability", "score"), initial=True)
    for drawn, other in ((display.points_, expected.points_), (display.initial_points_, expected.initial_points_)):
        np.testing.assert_array_equal(drawn.get_offsets(), other.get_offsets())
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("separability", "UAR")


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
    for axes in (("n_selected", "auc"), "ab", ("score",), 5, ([1], [2]), {"score", "r1"}, np.array("score")):
        with pytest.raises(ValueError, match=f"axes must be two of {columns}, got {re.escape(repr(axes))}$"):
            ParetoFrontDisplay.from_selector(selector, axes=axes)
    for color in ("red", [1]):
        with pytest.raises(ValueError, match=f"color must be None or one of {columns}, got {re.escape(repr(color))}$"):
            ParetoFrontDisplay.from_selector(selector, color=color)
    for initial in ("a", 1):
        with pytest.raises(TypeError, match=f"^initial must be True or False, got {initial!r}$"):
            ParetoFrontDisplay.from_selector(selector, initial=initial)
    with pytest.raises(ValueError, match="initial must be False for a display without a first generation, got True"):
        ParetoFrontDisplay([1], [0.9], r1=[0.8], n_features=3).plot(initial=True)


# the honest curve


@pytest.fixture(scope="module")
def honest():
    X, y = load_wine(return_X_y=True)
    return MOELIGASelector(GaussianNB(), honest=3, n_generations=3, population_size=20, random_state=0).fit(X, y)


def test_the_honest_curve_is_the_best_honest_score_of_every_size(honest):
    """It has a band of one standard error, a line for all features, and the scores in the search behind."""
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
        f"chosen: {honest.support_.sum()} features, {honest.honest_score_:.3f} ({low:.3f} to {high:.3f}),\n"
        "corrected for selection bias"]


def test_a_choice_that_was_not_assessed_has_scores_of_the_axis(honest):
    """`moeliga show` makes one from files: the legend has its honest score, or else its score in the search by name."""
    front, record = honest.pareto_front_, Record.of(honest).with_choice(max_features=2)
    place = record.chosen
    assert np.isnan(record.worth.score) and np.isfinite(front.honest_score[place])
    display = ParetoFrontDisplay._of(front, place, record.names, record.worth).plot()
    size = f"chosen: {front.n_selected[place]} feature{'s' if front.n_selected[place] > 1 else ''}, "
    assert legend_of(display.ax_)[-1] == f"{size}{front.honest_score[place]:.3f} ± {front.honest_se[place]:.3f}"
    search = f"{size}UAR {front.score[place]:.3f} ± {front.score_se[place]:.3f} in the search"
    assert legend_of(display.plot(axes=("n_selected", "score")).ax_)[-1] == f"{search}, R1 {front.r1[place]:.3f}"
    display.honest["score"] = np.where(np.arange(len(front)) == place, np.nan, front.honest_score)
    assert legend_of(display.plot().ax_)[-1].startswith(search)


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


def squeezed(search, **changes):
    """The display of three members with honest scores of 0.5 to 0.7, and given ones in the search."""
    honest = {"score": [0.5, 0.6, 0.7], "se": [0.01, 0.01, np.nan], "name": "R2", "all_features": 0.65,
              "rules": {"best": 2}, **changes}
    return ParetoFrontDisplay([1, 2, 3], search, r1=[0.5, 0.6, 0.7], n_features=5, score_name="R2", chosen=2,
                              honest=honest)


@pytest.mark.parametrize(("search", "label"), [([-50.0, 0.4, 0.72], "R2 in the search, 1 off the axis"),
                                               ([-50.0, 0.4, 9.0], "R2 in the search, 2 off the axis"),
                                               ([0.2, 0.4, 0.72], "R2 in the search")])
def test_outlying_scores_in_the_search_leave_the_axis_to_honest_ones(search, label):
    """The model that guides may be far worse than the deployed one; the legend counts its scores off the axis."""
    display = squeezed(search).plot()
    assert legend_of(display.ax_)[0] == label
    low, high = display.ax_.get_ylim()
    assert -0.1 < low <= 0.4 and 0.7 <= high < 1
    np.testing.assert_array_equal(display.points_.get_offsets()[:, 1], search)


def test_equal_honest_scores_hide_none_in_the_search():
    """A span of 0 says nothing on outliers."""
    display = squeezed([-50.0, 0.4, 0.72], score=3 * [0.7], se=3 * [0.0], all_features=np.nan).plot()
    assert legend_of(display.ax_)[0] == "R2 in the search" and display.ax_.get_ylim()[0] < -50


def test_the_ring_of_a_choice_without_an_honest_score_is_at_its_score_in_the_search():
    display = squeezed([0.4, 0.5, 0.6], score=[0.5, 0.6, np.nan]).plot()
    assert display.chosen_.get_offsets().tolist() == [[3, 0.6]]


@pytest.mark.slow
def test_scores_of_two_models_have_two_names(honest):
    """The model that guides the search is scored by UAR, the deployed model by `scoring`."""
    X, y = load_wine(return_X_y=True)
    other = MOELIGASelector(GaussianNB(), honest=2, scoring="recall_macro", n_generations=0, population_size=20,
                            random_state=0).fit(X, y)
    display = ParetoFrontDisplay.from_selector(other)
    assert display.ax_.get_ylabel() == "honest recall_macro"
    assert legend_of(display.ax_)[:2] == ["UAR in the search", "honest recall_macro ± standard error"]
    assert ConvergenceDisplay.from_selector(other).ax_.get_ylabel() == "UAR, hypervolume"
    display = OptimismDisplay.from_selector(other)
    assert legend_of(display.ax_) == ["UAR as the search saw it", "honest recall_macro", "UAR on fresh splits"]
    np.testing.assert_array_equal(display.honest_.get_ydata(), other.pareto_front_.honest_score)
    assert display.ax_.get_ylabel() == "score"


def test_what_the_search_has_not_seen_has_no_score_there(honest, tmp_path):
    """For all features and rankings the front holds a copy of the fresh score."""
    front, display = honest.pareto_front_, OptimismDisplay.from_selector(honest)
    unseen = np.isnan(display.search_.get_ydata())
    assert unseen.any() and not unseen[front.source == "search"].any()
    np.testing.assert_array_equal(front.search_objectives[unseen], front.objectives[unseen])
    assert unseen[front.n_selected == 13].all()
    write_report(honest, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert f"in the search {front.search_objectives[~unseen, 0].mean():.3f}" in text and "nan" not in text.lower()
    columns = text[text.index('aria-label="Scores"'):].split("<tr")[2:2 + len(front)]
    cells = [re.findall("<td[^>]*>(.*?)</td>", row) for row in columns]
    assert [row[2] == row[4] == "" for row in cells] == unseen.tolist()


def test_other_axes_show_the_members_of_a_cross_fitted_front(honest):
    """They do so as without honest scores, which are a column like any other."""
    front = honest.pareto_front_
    display = ParetoFrontDisplay.from_selector(honest, axes=("score", "honest_score"), color=None)
    known = np.isfinite(front.honest_score)
    np.testing.assert_array_equal(display.points_.get_offsets()[known],
                                  np.column_stack((front.score, front.honest_score))[known])
    assert display.honest_ is display.all_features_ is display.band_ is None and display.rules_ == {}
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("UAR", "honest UAR")


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{}, {"axes": ("separability", "score"), "color": "honest_score"}], ids=str)
def test_a_score_of_a_long_name_leaves_the_legend_whole(rng, options):
    """It has fewer columns; none of it is outside the figure, and the axes keep half of the width."""
    X, y = np.round(rng.normal(size=(60, 6)), 1), np.arange(60) % 2
    selector = MOELIGASelector(GaussianNB(), scoring="neg_log_loss", honest=2, n_generations=1, population_size=8,
                               random_state=0).fit(X, y)
    display = ParetoFrontDisplay.from_selector(selector, **options)
    for name in ("roc_auc", "neg_root_mean_squared_log_error"):
        display.score_name = display.honest["name"] = name
        display.plot(**options)
        figure = display.figure_
        figure.draw_without_rendering()
        assert display.ax_.get_legend().get_window_extent().x1 <= figure.bbox.x1
        assert display.ax_.get_window_extent().width >= 0.5 * figure.bbox.width
        assert display.ax_.get_legend().get_texts()[-1].get_text().startswith(
            "chosen: 1 feature" if selector.support_.sum() == 1 else f"chosen: {selector.support_.sum()} features")
        assert ("honest" in display.ax_.get_legend().get_texts()[-1].get_text()) == bool(options)


def test_a_score_without_r1_has_no_colours(rng):
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    selector = single_search(scoring="neg_log_loss", rule="best", n_generations=1, population_size=8,
                             random_state=0).fit(X, y)
    assert np.isnan(selector.pareto_front_.r1).all()
    display = ParetoFrontDisplay.from_selector(selector)
    assert display.colorbar_ is None
    assert "R1" not in display.ax_.get_legend().get_texts()[-1].get_text()


def test_members_without_a_colour_are_drawn(honest):
    """In grey: R1 of members without an honest score is unknown."""
    front = honest.pareto_front_
    assert np.isnan(front.r1).any()
    display = ParetoFrontDisplay.from_selector(honest, axes=("n_selected", "score"))
    colours = display.points_.to_rgba(display.points_.get_array())
    assert np.all(colours[np.isnan(front.r1)] == [0.8, 0.8, 0.8, 1.0])
    assert not np.ma.is_masked(display.points_.get_offsets())


def test_names_of_rules_stay_in_the_picture(honest):
    """They stand to the left of members in the right half of the axis, as it is drawn."""
    _, ax = pyplot.subplots(figsize=(4.8, 3.6))
    display = ParetoFrontDisplay.from_selector(honest, ax)
    for text in display.rules_.values():
        place = ax.transAxes.inverted().transform(ax.transData.transform((text.xy[0], 0)))[0]
        assert (text.get_ha() == "right") == (place > 0.5)


def test_all_features_are_those_that_are_allowed():
    """The line is of the columns that are not excluded; a rule that must reduce does not choose these."""
    X, y = load_wine(return_X_y=True)
    selector = MOELIGASelector(GaussianNB(), honest=2, n_generations=1, population_size=20, random_state=0,
                               constraints=Constraints(exclude=[0, 5])).fit(X, y)
    legend = legend_of(ParetoFrontDisplay.from_selector(selector).ax_)
    assert any(text.startswith("all 11 features: ") for text in legend)
    selector.select(NoLoss(margin=0, must_reduce=True))
    assert selector.pareto_front_.source[selector.index_] != "all"
