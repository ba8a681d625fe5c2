"""Scores of any scale are legible everywhere: losses of targets in any unit."""

import io
import re

import numpy as np
import pytest
from drawn import tick_labels
from sklearn.linear_model import Ridge

from cross_fitted import small
from moeliga import (
    ConvergenceDisplay,
    DecisionTreeRegressor,
    OptimismDisplay,
    ParetoFrontDisplay,
    PrintProgress,
    optimism_report,
    write_report,
)
from moeliga.base.text import score_format
from moeliga.results.run_record import Record
from moeliga.results.text import front_lines, result_lines
from moeliga.visualisation.svg import draw_pictures

pyplot = pytest.importorskip("matplotlib.pyplot")
UNITS = (1e-6, 1.0, 1e8)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(48, 9))
    return X, 20 + X[:, 0] + rng.normal(size=48)


@pytest.fixture(scope="module")
def losses(data):
    """A fit for each unit of the target."""
    X, y = data
    return {unit: small(Ridge(), scoring="neg_mean_absolute_error", rule="one_se").fit(X, y * unit) for unit in UNITS}


@pytest.mark.quick(1)
@pytest.mark.parametrize("unit", UNITS)
def test_scores_keep_their_digits(losses, unit):
    """Their number is the same in any unit."""
    selector = losses[unit]
    record, best = Record.of(selector), np.nanmax(selector.pareto_front_.honest_score)
    assert -2 * unit < best < -unit / 2
    for text in (repr(selector.summary()), "\n".join(front_lines(record)), "\n".join(result_lines(record)),
                 repr(selector.pareto_front_), selector.pareto_front_._repr_html_()):
        scores = re.findall(r"-\d+\.\d{3}(?:e[+-]\d+)?\b", text)
        told = [float(score) for score in scores if ("e" in score) == (unit != 1)]  # others are the search's R2
        assert told and max(map(abs, told)) < 4 * unit
    assert f"honest score up to {best:{'.3f' if unit == 1 else '.3e'}}>" in repr(selector.pareto_front_)


def test_what_the_summary_says_does_not_depend_on_the_unit(losses):
    """Smaller subsets and wide intervals are found in any unit."""
    texts = [" ".join(re.sub(r"[+-]?\d+\.\d{3}(e[+-]\d+)?", "#", repr(selector.summary())).split())
             for selector in losses.values()]
    assert texts[0] == texts[1] == texts[2]
    assert "The intervals are wider" in texts[0]


@pytest.mark.parametrize(("scores", "form"), [
    ([0.0], ".3f"), ([np.nan, 0.5], ".3f"), ([np.nan], ".3f"), ([], ".3f"), ([0.009, -0.0099], ".3e"), ([0.01], ".3f"),
    ([-999_999.0], ".3f"), ([1e6, 0.1], ".3e"), ([-np.inf, 0.3], ".3f")])
def test_the_largest_number_decides_the_format(scores, form):
    assert score_format(scores) == score_format([0.0], scores) == f"z{form}"


@pytest.mark.slow
def test_a_loss_has_no_hypervolume_to_show(losses, tmp_path, data):
    """Nor has its report, nor the lines of progress."""
    display = ConvergenceDisplay.from_selector(losses[1.0])
    assert display.hypervolume_ is None and display.ax_.get_ylabel() == "neg_mean_absolute_error"
    low, high = display.ax_.get_ylim()
    assert high < 0
    one = ConvergenceDisplay.from_selector(losses[1.0], pyplot.subplots()[1])
    names = [text.get_text() for text in one.ax_.get_legend().get_texts()]
    assert names[0].startswith("best ") and [name for name in names if name.startswith("features: ")] == names[1:]
    write_report(losses[1.0], tmp_path / "report.html")
    assert "ypervolume" not in (tmp_path / "report.html").read_text().replace("archive_hypervolume", "")
    stream = io.StringIO()
    small(Ridge(), scoring="neg_mean_absolute_error", callbacks=PrintProgress(stream)).fit(*data)
    assert "hypervolume" not in stream.getvalue() and "  front " in stream.getvalue()
    pyplot.close("all")


@pytest.mark.quick(1)
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_a_report_on_targets_is_not_on_uar(scoring, tmp_path, data):
    """The usual optimism is of UAR for classes; nor does the report mention an R1 that does not exist."""
    selector = small(DecisionTreeRegressor(max_depth=3), scoring=scoring, honest=None, islands=None).fit(*data)
    write_report(selector, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "UAR" not in text and "Expect less of new samples. moeliga.optimism_report" in text
    assert ("the colour is R1" in text) == (scoring is None)


def test_the_front_is_drawn_with_digits(losses):
    display = ParetoFrontDisplay.from_selector(losses[1e-6])
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert any("e-0" in text for text in texts) and not any("-0.000" in text for text in texts)
    pyplot.close("all")


@pytest.mark.parametrize("unit", UNITS)
def test_each_tick_has_its_whole_number(losses, unit):
    """No factor stands beside the axis, where the legend is."""
    for display in (ParetoFrontDisplay, OptimismDisplay, ConvergenceDisplay):
        ax = display.from_selector(losses[unit]).ax_
        labels = tick_labels(ax.yaxis)
        assert ax.yaxis.get_offset_text().get_text() == "" and ("e" in "".join(labels)) == (unit != 1)
    pyplot.close("all")


@pytest.mark.quick(1)
@pytest.mark.parametrize("unit", UNITS)
def test_the_alternative_text_of_a_picture_keeps_them(data, monkeypatch, unit):
    """Where the score in the search is R2, which has three decimals in any unit, and where the search has seen none."""
    record = Record.of(small(Ridge(), scoring="neg_max_error", rule="one_se").fit(data[0], data[1] * unit))
    for n_seen in (1, 0):
        told = draw_pictures(record)["optimism"][1]
        honest = re.search(r"over members honest (-\S+),", told)[1]
        assert float(honest) == pytest.approx(np.nanmean(record.front.honest_score), rel=2e-3)
        assert len(re.findall(r"in the search -?\d\.\d{3},", told)) == n_seen
        monkeypatch.setattr("moeliga.visualisation.svg.search_scores", lambda front: np.full(len(front), np.nan))


@pytest.mark.parametrize(("low", "high"), [(-2900010.0, -2900000.0), (1e9, 1.00001e9), (3e-3, 3.00001e-3),
                                          (1e6, 1e6 + 0.5), (1e-5, 9e-5), (-1e307, 1e307), (5e6, 5e6)])
def test_no_two_ticks_look_alike(low, high):
    """A label differs from its position by at most a hundredth of the distance to the next."""
    ax = ParetoFrontDisplay([1, 2], [low, high], r1=[np.nan, np.nan], n_features=2).plot().ax_
    labels = [float(text.replace("\N{MINUS SIGN}", "-")) for text in tick_labels(ax.yaxis)]
    ends = ax.yaxis.get_view_interval()
    ticks = [tick for tick in ax.yaxis.get_majorticklocs() if ends[0] <= tick <= ends[1]]
    assert len(ticks) > 3
    np.testing.assert_allclose(labels, ticks, rtol=0, atol=(ticks[1] - ticks[0]) / 100)
    pyplot.close("all")


def test_an_optimism_report_keeps_them_too(data):
    X, y = data
    selector = small(Ridge(), scoring="neg_mean_absolute_error",
                     objectives=("neg_mean_absolute_error", "cardinality"))  # by name, which are the usual ones
    report = optimism_report(selector, X, y * 1e-6, n_permutations=1, n_splits=2, random_state=0)
    assert "e-0" in report.summary() and "-0.000" not in report.summary()
