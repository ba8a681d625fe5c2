"""Whether differences between methods over data sets, or between two methods on one data set, are more than noise.

Over data sets: Friedman's test on ranks, Iman and Davenport's form of it, differences from a control method with Holm's
correction, and Nemenyi's critical difference for all pairs. J. Demsar, Statistical comparisons of classifiers over
multiple data sets, Journal of Machine Learning Research 7 (2006), 1-30. On one data set: the t-test over outer splits,
corrected because their training parts overlap: C. Nadeau and Y. Bengio, Inference for the generalization error, Machine
Learning 52 (2003), 239-281.
"""

from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from scipy import stats


class Test(NamedTuple):
    """A statistic and its p-value."""

    statistic: float
    p: float


def ranks(scores):
    """Rank of every method on every data set; 1 is the best, equals share the mean.

    Parameters
    ----------
    scores : array-like of float, shape (n_data_sets, n_methods), larger is better

    Returns
    -------
    ranks : ndarray of float64, shape (n_data_sets, n_methods)

    Raises
    ------
    ValueError : if there are not two of each, or a score is not finite.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or min(scores.shape) < 2:
        raise ValueError(f"scores must have at least 2 rows and 2 columns, got shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite")
    return stats.rankdata(-scores, axis=1)


def friedman(scores, ties=True):
    """Friedman's test that all methods are equally good.

    Parameters
    ----------
    scores : as for `ranks`
    ties : bool
        Correct for equal scores, as scipy does. Demsar's paper does not.
    """
    ranked = ranks(scores)
    n, k = ranked.shape
    statistic = 12 * n / (k * (k + 1)) * (np.sum(ranked.mean(axis=0) ** 2) - k * (k + 1) ** 2 / 4)
    if ties:
        sizes = [np.unique(row, return_counts=True)[1] for row in ranked]
        equal = sum(np.sum(size**3 - size) for size in sizes)
        share = 1 - equal / (n * (k**3 - k))
        statistic = statistic / share if share else 0.0  # all scores are equal
    return Test(float(statistic), float(stats.chi2.sf(statistic, k - 1)))


def iman_davenport(scores, ties=True):
    """The F form of Friedman's test, which is less timid; infinite where all data sets rank the methods alike."""
    n, k = ranks(scores).shape
    statistic = friedman(scores, ties).statistic
    rest = n * (k - 1) - statistic
    form = (n - 1) * statistic / rest if rest > 1e-12 else np.inf
    return Test(float(form), float(stats.f.sf(form, k - 1, (k - 1) * (n - 1))))


def against_control(scores, control):
    """Every method against one of them, by mean ranks.

    Parameters
    ----------
    scores : as for `ranks`
    control : int
        Column of the method that the others are compared with.

    Returns
    -------
    tests : list of Test or None
        z and its two-sided p-value without correction; z > 0 where the control has the better rank. None for the
        control.
    """
    ranked = ranks(scores)
    n, k = ranked.shape
    means, error = ranked.mean(axis=0), np.sqrt(k * (k + 1) / (6 * n))
    values = (means - means[control]) / error
    return [None if j == control else Test(float(z), float(2 * stats.norm.sf(abs(z)))) for j, z in enumerate(values)]


def holm(p):
    """p-values corrected by Holm's step-down procedure: below alpha where it rejects.

    Parameters
    ----------
    p : array-like of float, shape (m,)

    Returns
    -------
    adjusted : ndarray of float64, shape (m,), in [0, 1]
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p)))))
    adjusted = np.empty(len(p))
    adjusted[order] = stepped
    return adjusted


def critical_difference(n_methods, n_data_sets, alpha=0.05):
    """Nemenyi's: mean ranks that are farther apart differ at level alpha, all pairs considered."""
    studentized = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(studentized * np.sqrt(n_methods * (n_methods + 1) / (6 * n_data_sets)))


def cliques(means, difference):
    """Largest groups of methods within a critical difference: list of (first, last), places in the order of ranks.

    Parameters
    ----------
    means : array-like of float, ascending
    """
    found = []
    for first, low in enumerate(means):
        last = max(place for place, high in enumerate(means) if high - low <= difference)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return found


def overlapping_t(differences, share):
    """Whether the mean difference over random splits of one data set is other than 0.

    Parameters
    ----------
    differences : array-like of float, shape (n_splits,)
    share : float
        Test samples for each training sample: 3/7 for splits of 70 % to 30 %.

    Returns
    -------
    test : Test
        t and its two-sided p-value, with the variance 1/n + share in place of 1/n: the training parts overlap, so the
        differences are not independent. p is 1 where all differences are 0.
    """
    differences = np.asarray(differences, dtype=np.float64)
    n = len(differences)
    if n < 2:
        raise ValueError(f"differences must have at least 2 entries, got {n}")
    variance = differences.var(ddof=1) * (1 / n + share)
    if variance == 0:
        equal = differences[0] == 0
        return Test(0.0 if equal else float(np.copysign(np.inf, differences[0])), 1.0 if equal else 0.0)
    t = differences.mean() / np.sqrt(variance)
    return Test(float(t), float(2 * stats.t.sf(abs(t), n - 1)))


def diagram(names, scores, title=""):
    """Critical-difference diagram: mean ranks on a line, bars over groups that Nemenyi's test cannot tell apart.

    Parameters
    ----------
    names : sequence of str, of the methods
    scores : as for `ranks`
    title : str

    Returns
    -------
    svg : str
        A picture, the same for the same numbers.
    """
    means = ranks(scores).mean(axis=0)
    n, k = np.shape(scores)
    order = np.argsort(means, kind="stable")
    difference = critical_difference(k, n)
    bars, half = cliques(means[order], difference), (k + 1) // 2
    top, deep = 80, 95 + 9 * len(bars)  # of the line of ranks, and of the first name
    parts = [text(450, 18, title, "middle", 14), line("black", 1, (200, top), (700, top))]
    place_of = {rank: 200 + 500 * (rank - 1) / (k - 1) for rank in (*range(1, k + 1), *means, 1 + difference)}
    for rank in range(1, k + 1):
        parts += [line("black", 1, (place_of[rank], top), (place_of[rank], top - 5)),
                  text(place_of[rank], top - 9, rank, "middle")]
    parts += [line("black", 2, (200, 50), (place_of[1 + difference], 50)),
              text(200, 44, f"critical difference {difference:.2f}", "start")]
    for place, method in enumerate(order):
        left, x = place < half, place_of[means[method]]
        y, side = deep + 18 * (place if left else k - 1 - place), 190 if left else 710
        parts += [line("black", 0.8, (x, top), (x, y), (side, y)),
                  text(side + (-5 if left else 5), y + 4, f"{names[method]} ({means[method]:.2f})",
                       "end" if left else "start")]
    for level, (first, last) in enumerate(bars):
        ends = place_of[means[order[first]]] - 3, place_of[means[order[last]]] + 3
        parts.append(line("firebrick", 3, *((x, top + 8 + 9 * level) for x in ends)))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {deep + 18 * half}" font-family="sans-serif">\n'
            + '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def line(colour, width, *points):
    """Of an SVG picture."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def text(x, y, words, anchor, size=12):
    """Of an SVG picture."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(str(words))}</text>'
