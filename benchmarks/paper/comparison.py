"""Paired comparisons of variants: over the outer splits of a data set, and over data sets."""

from typing import NamedTuple

import numpy as np
from paper import significance
from scipy import stats

SHARE = 3 / 7
"""Test samples for each training sample, for Nadeau and Bengio's correction."""

LEVEL = 0.05


class Comparison(NamedTuple):
    """Of a variant with its reference by one measure, over data sets; the larger the better for the variant.

    `p` is of Wilcoxon's signed-rank test, two-sided, over the mean differences of the data sets; `holm` the same with
    Holm's correction; `sign` of the sign test. Effect sizes: `biserial`, the matched-pairs rank-biserial correlation in
    [-1, 1], and `d`, mean over standard deviation. `ahead` and `behind` count data sets, `surely` those of them on
    which Nadeau and Bengio's t-test over the outer splits has p < .05.
    """

    sets: int
    difference: float
    median: float
    p: float
    holm: float
    sign: float
    biserial: float
    d: float
    ahead: int
    behind: int
    surely_ahead: int
    surely_behind: int


def by_split(rows, value, seedless=()):
    """Values by data set, outer split and seed, for each variant.

    Parameters
    ----------
    rows : list of dict
        Of one budget. A job that was done again counts once, by its last row.
    value : callable
        From a row to a float; NaN where there is none.
    seedless : sequence of str
        Variants that are no searches, and are run once: a value of theirs stands for all seeds of the searches.

    Returns
    -------
    values : dict from variant to dict from data set to dict from split to dict from seed to float
    """
    latest = {}
    for row in rows:
        if row["status"] == "ok":
            latest[row["method"], row["data"], row["split"], row["seed"]] = value(row)
    values = {}
    for (variant, data, split, seed), number in latest.items():
        if not np.isnan(number):
            values.setdefault(variant, {}).setdefault(data, {}).setdefault(split, {})[seed] = number
    seeds = {seed: None for _, _, _, seed in latest}
    for variant in values.keys() & set(seedless):
        for splits in values[variant].values():
            for split, own in splits.items():
                splits[split] = dict.fromkeys(seeds, float(np.mean(list(own.values()))))
    return values


def over_seeds(splits):
    """Means over the seeds of each split: list of float, from a dict from split to dict from seed to float."""
    return [float(np.mean(list(seeds.values()))) for seeds in splits.values()]


def differences(values, variant, reference):
    """Of each data set with both, over the splits that both have: dict from data set to ndarray of float64.

    Of a split only seeds that both have count: searches from one seed begin alike, and their luck is in part the same.
    """
    found = {}
    for data, splits in values.get(variant, {}).items():
        apart = []
        for split, seeds in splits.items():
            other = values.get(reference, {}).get(data, {}).get(split, {})
            pairs = [seeds[seed] - other[seed] for seed in seeds if seed in other]
            if pairs:
                apart.append(np.mean(pairs))
        if apart:
            found[data] = np.array(apart)
    return found


def signed_ranks(means):
    """(p of Wilcoxon's test, rank-biserial correlation); 1 and 0 where nothing differs."""
    means = np.asarray(means)[np.asarray(means) != 0]
    if not len(means):
        return 1.0, 0.0
    ranks = stats.rankdata(np.abs(means))
    biserial = float(np.sum(ranks * np.sign(means)) / ranks.sum())
    return float(stats.wilcoxon(means).pvalue), biserial


def compare(found):
    """`Comparison` of the differences of `differences`, without Holm's correction; None without any."""
    if not found:
        return None
    means = np.array([numbers.mean() for numbers in found.values()])
    means[np.abs(means) < 1e-12] = 0.0
    ahead, behind = int(np.sum(means > 0)), int(np.sum(means < 0))
    p, biserial = signed_ranks(means)
    sign = float(stats.binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0
    spread = means.std(ddof=1) if len(means) > 1 else np.nan
    sure = [np.sign(numbers.mean()) for numbers in found.values()
            if len(numbers) > 1 and significance.overlapping_t(numbers, SHARE).p < LEVEL]
    return Comparison(len(means), float(means.mean()), float(np.median(means)), p, np.nan, sign, biserial,
                      float(means.mean() / spread) if spread else 0.0, ahead, behind, sure.count(1.0),
                      sure.count(-1.0))


def family(values, pairs):
    """Comparisons of (variant, reference) pairs, corrected by Holm within each reference: dict from pair to Comparison.

    Pairs without common results are left out.
    """
    found = {pair: compare(differences(values, *pair)) for pair in pairs}
    found = {pair: result for pair, result in found.items() if result is not None}
    for reference in {reference for _, reference in found}:
        own = [pair for pair in found if pair[1] == reference]
        corrected = significance.holm([found[pair].p for pair in own])
        for pair, p in zip(own, corrected, strict=True):
            found[pair] = found[pair]._replace(holm=float(p))
    return found


def mean_ranks(values):
    """(mean rank of each variant, data sets): over the sets on which all variants have the same splits.

    Returns
    -------
    ranks : dict from variant to float; empty with fewer than two variants or sets
    sets : list of str
    """
    variants = list(values)
    sets = [data for data in dict.fromkeys(data for sets in values.values() for data in sets)
            if len({frozenset(values[variant].get(data, {})) for variant in variants}) == 1]
    if len(variants) < 2 or len(sets) < 2:
        return {}, sets
    scores = [[np.mean(over_seeds(values[variant][data])) for variant in variants] for data in sets]
    return dict(zip(variants, significance.ranks(np.round(scores, 12)).mean(axis=0).tolist(), strict=True)), sets
