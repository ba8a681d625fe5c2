"""The tests over data sets are held to published examples, to scipy, and to what they promise."""

from xml.etree import ElementTree

import numpy as np
import pytest
from evidence import module
from paper import significance
from scipy import stats

# J. Demsar, JMLR 7 (2006), Table 6: ranks of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets
DEMSAR = np.array([
    [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1],
    [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3], [3, 1, 4, 2]])

@pytest.fixture
def printed():
    """The MOELIGA paper's own comparison: 14 data sets, 12 methods, its own first."""
    return np.array(list(module("printed").PRINTED.values()))


def test_demsars_example():
    """Friedman 9.28, Iman-Davenport 3.69, mean ranks, critical differences 1.25 and 1.12, z and p of the control."""
    scores = -DEMSAR
    np.testing.assert_allclose(significance.ranks(scores).mean(axis=0), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert significance.friedman(scores, ties=False).statistic == pytest.approx(9.28, abs=5e-3)
    assert significance.iman_davenport(scores, ties=False).statistic == pytest.approx(3.69, abs=5e-3)
    assert significance.critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert significance.critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=5e-3)
    control, *others = significance.against_control(scores, 0)
    assert control is None
    np.testing.assert_allclose([-test.statistic for test in others], [2.342, 0.512, 2.416], atol=1e-3)
    np.testing.assert_allclose([test.p for test in others], [0.019, 0.607, 0.016], atol=2e-3)
    # Holm: 0.016 < 0.05/3 and 0.019 < 0.05/2 are rejected, 0.607 is not
    assert (significance.holm([test.p for test in others]) < 0.05).tolist() == [True, False, True]


def test_the_papers_own_table(printed):
    """Friedman 39.70, Iman-Davenport 4.52 and a mean rank of 2.46 come out again, from the printed numbers.

    Nine of the eleven differences stay significant, as the paper says, with one-sided p-values; seven with two-sided.
    """
    assert significance.friedman(printed, ties=False).statistic == pytest.approx(39.70, abs=5e-3)
    assert significance.iman_davenport(printed, ties=False).statistic == pytest.approx(4.52, abs=5e-3)
    assert significance.ranks(printed).mean(axis=0)[0] == pytest.approx(2.46, abs=5e-3)
    p = np.array([test.p for test in significance.against_control(printed, 0)[1:]])
    assert (significance.holm(p / 2) < 0.05).sum() == 9
    assert (significance.holm(p) < 0.05).sum() == 7


def test_friedman_is_scipys(printed, rng):
    """With ties, which scipy corrects for, and without."""
    for scores in (rng.standard_normal((9, 5)), rng.integers(0, 4, size=(12, 6)), printed):
        found, theirs = significance.friedman(scores), stats.friedmanchisquare(*np.transpose(scores))
        assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9)
        assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_the_tests_keep_their_level(rng):
    """Of 400 tables without any difference about 5 % are found different; Iman-Davenport's p against its own rank."""
    p = np.array([significance.iman_davenport(rng.standard_normal((8, 5))).p for _ in range(400)])
    assert 0.01 < np.mean(p < 0.05) < 0.1


def test_equal_scores_are_no_difference():
    same = np.ones((5, 3))
    assert significance.friedman(same) == (0.0, 1.0)
    assert significance.iman_davenport(same).p == 1.0
    assert significance.iman_davenport(np.tile([3.0, 2.0, 1.0], (5, 1))).p == 0.0


@pytest.mark.parametrize("scores, message", [
    ([[1, 2]], r"at least 2 rows and 2 columns, got shape \(1, 2\)"), ([1, 2], "at least 2 rows"),
    ([[1, 2], [3, np.nan]], "must be finite")])
def test_tables_that_cannot_be_ranked_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        significance.friedman(scores)


def test_holm_by_hand():
    """.01 x 4, .02 x 3, .03 x 2 is not below the one before, .5 x 1."""
    np.testing.assert_allclose(significance.holm([0.5, 0.01, 0.03, 0.02]), [0.5, 0.04, 0.06, 0.06])
    assert significance.holm([0.9, 0.8]).max() == 1.0


def test_cliques_are_the_largest_groups():
    assert significance.cliques([1.0, 1.5, 2.2, 4.0, 4.1], 1.3) == [(0, 2), (3, 4)]
    assert significance.cliques([1.0, 2.0, 3.0], 1.0) == [(0, 1), (1, 2)]
    assert significance.cliques([1.0, 3.0], 1.0) == []


def test_overlapping_splits_are_corrected_for(rng):
    """Without overlap it is the t-test; with it p is larger; no difference has p = 1."""
    d = rng.standard_normal(10) + 0.5
    plain = stats.ttest_1samp(d, 0)
    assert significance.overlapping_t(d, 0.0) == pytest.approx((plain.statistic, plain.pvalue), rel=1e-9)
    assert significance.overlapping_t(d, 3 / 7).statistic == pytest.approx(
        plain.statistic * np.sqrt(0.1 / (0.1 + 3 / 7)), rel=1e-9)
    assert significance.overlapping_t(np.zeros(4), 0.5) == (0.0, 1.0)
    assert significance.overlapping_t(np.full(4, -0.1), 0.5) == (-np.inf, 0.0)
    with pytest.raises(ValueError, match="at least 2 entries, got 1"):
        significance.overlapping_t([0.1], 0.5)


def test_the_diagram_is_drawn(printed):
    """Every name with its mean rank at its place on the line; bars as many as groups."""
    picture = ElementTree.fromstring(significance.diagram([f"<{i}>" for i in range(12)], printed, "the paper's table"))
    words = [found.text for found in picture.iter("{http://www.w3.org/2000/svg}text")]
    means = stats.rankdata(-printed, axis=1).mean(axis=0)
    for place, mean in enumerate(means):
        assert words.count(f"<{place}> ({mean:.2f})") == 1
    lines = [(found.get("stroke"), found.get("points")) for found in picture.iter("{http://www.w3.org/2000/svg}polyline")]
    apart = significance.critical_difference(12, len(printed))
    groups = {frozenset(np.flatnonzero((means >= low) & (means <= low + apart))) for low in means}
    largest = [group for group in groups if len(group) > 1 and not any(group < other for other in groups)]
    assert [colour for colour, _ in lines].count("firebrick") == len(largest)
    for mean in means:
        assert any(points.startswith(f"{200 + 500 * (mean - 1) / 11:.1f},80.0 ") for _, points in lines)
