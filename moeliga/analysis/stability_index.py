"""Stability of the choice of features over several runs, and pairs of interchangeable features."""

import numpy as np
from scipy.sparse import coo_array, issparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata

BLOCK = 512
"""Most features whose associations with all others are in memory at a time."""

ROUNDING = 1e-12
"""Largest standard error that may be rounding of 0."""


def stability_index(supports):
    """Return the stability of the subsets chosen in M runs from d features, and its standard error: two floats.

    `supports` is ndarray of bool, shape (M, d), M >= 2. With the share p_f of runs that chose feature f, and k_i
    features chosen in run i, k on average:
    stability = 1 - (mean over f of M / (M - 1) p_f (1 - p_f)) / (k / d (1 - k / d)) (Definition 4 of Nogueira,
    Sechidis and Brown), in [-1 / (M - 1), 1]; both are NaN if every run chose all features. Its variance for large M is
    4 / M^2 times the sum over runs of (phi_i - mean phi)^2, with
    phi_i = (mean over f of z_if p_f - k_i k / d^2 + stability / 2 (2 k_i k / d^2 - k_i / d - k / d + 1)) /
    (k / d (1 - k / d)) (their Theorem 7); it is NaN where that is 0 for runs that differ, as two of one size always do:
    they are too few to tell.

    It is 1 only if all runs agree. For subsets drawn at random its expectation is 0 if they are of one size; if sizes
    differ it is lower by their variance / ((M - 1) k (d - k)), which vanishes as M grows.

    >>> import numpy as np
    >>> from moeliga.analysis.stability_index import stability_index
    >>> stability_index(np.array([[1, 1, 0, 0], [1, 1, 0, 0]], dtype=bool))
    (1.0, 0.0)
    """
    n_runs, n_features = supports.shape
    share = supports.mean(axis=0)
    filled = supports.sum(axis=1) / n_features
    fill = supports.sum() / supports.size
    spread = fill * (1.0 - fill)
    if spread == 0:
        return np.nan, np.nan
    stability = 1.0 - n_runs / (n_runs - 1) * np.mean(share * (1.0 - share)) / spread
    overlap = np.where(supports, share, 0.0).mean(axis=1)
    phi = (overlap - filled * fill + stability / 2.0 * (2.0 * filled * fill - filled - fill + 1.0)) / spread
    error = 2.0 / n_runs * np.sqrt(np.sum((phi - phi.mean()) ** 2))
    return float(stability), float(error) if error > ROUNDING or (supports == supports[0]).all() else np.nan


def interchangeable_pairs(values, supports, optional, association):
    """Return the pairs of interchangeable features and their associations, as defined by `StabilityReport`.

    Shapes: `values` (n_samples, n_features), dense or sparse, NaN = missing; `supports` (n_runs, n_features), bool;
    pairs (n_pairs, 2), ascending; associations (n_pairs,). Cost: O(c^2 (n_samples + n_runs)) for c features in at least
    `optional` of the runs.
    """
    counts = supports.sum(axis=0)
    often = np.flatnonzero(counts / len(supports) >= optional)
    values = values[:, often].toarray() if issparse(values) else values[:, often]
    counts, chosen, ranks = counts[often], supports[:, often].astype(np.float64), centred_ranks(values)
    squares = (ranks * ranks).sum(axis=0)
    found, associations = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0)]
    for begin in range(0, len(often), BLOCK):
        block = slice(begin, begin + BLOCK)
        together = chosen[:, block].T @ chosen
        apart = 2 * len(supports) * together <= np.outer(counts[block], counts)  # integers: no rounding
        sizes = np.sqrt(np.outer(squares[block], squares))
        rho = np.abs(ranks[:, block].T @ ranks) / np.where(sizes > 0, sizes, 1.0)
        first, second = np.nonzero(np.triu(apart & (rho >= association), begin + 1))
        found.append(np.column_stack((often[first + begin], often[second])))
        associations.append(rho[first, second])
    return np.concatenate(found), np.concatenate(associations)


def centred_ranks(values):
    """Return twice the rank of each value in its column, minus the mean: integers as float64; 0 for a missing value.

    Sums of their products are exact up to 100,000 samples, so that a copied column has a correlation of exactly 1.
    """
    ranks = rankdata(values, axis=0, nan_policy="omit")
    return np.nan_to_num(2.0 * ranks - (np.sum(~np.isnan(values), axis=0) + 1))


def connected_groups(pairs, frequency):
    """Return the connected components of the pairs: list of ndarray of int, in each the most frequent feature first."""
    features, vertices = np.unique(pairs, return_inverse=True)
    first, second = vertices.reshape(pairs.shape).T
    graph = coo_array((np.ones(len(pairs)), (first, second)), shape=(len(features), len(features)))
    n_groups, member = connected_components(graph, directed=False)
    groups = [features[member == group] for group in range(n_groups)]
    return [group[np.lexsort((group, -frequency[group]))] for group in groups]
