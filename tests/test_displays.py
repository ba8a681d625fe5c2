"""Drawing a front."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from moeliga import MOELIGASelector, ParetoFrontDisplay

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture(scope="module")
def selector():
    X, y = load_wine(return_X_y=True)
    return MOELIGASelector(n_generations=5, local_improvement=None, random_state=0).fit(X, y)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def tick_labels(axis):
    axis.figure.canvas.draw()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


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


def test_another_score_is_not_called_uar():
    X, y = load_wine(return_X_y=True)
    selector = MOELIGASelector(scoring="accuracy", n_generations=0, n_splits=2, population_size=21, n_rescore_splits=2,
                               local_improvement=None, random_state=0).fit(X, y)
    assert ParetoFrontDisplay.from_selector(selector).ax_.get_ylabel() == "score"


def test_an_unfitted_selector_is_refused():
    with pytest.raises(NotFittedError):
        ParetoFrontDisplay.from_selector(MOELIGASelector())


def test_importing_moeliga_does_not_import_matplotlib():
    code = "import moeliga, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^ParetoFrontDisplay needs matplotlib: pip install 'moeliga\[plot\]'$"):
        ParetoFrontDisplay([1], [0.9], r1=[0.8], n_features=3).plot()
