"""What a method returns, and the word for a method that is not installed."""

import importlib.metadata
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Selection:
    """What a method has chosen.

    Attributes
    ----------
    mask : ndarray of bool, shape (n_features,), or None
        None where a method that only ranks was given no size.
    seconds : float
        Processor time of the choice.
    evaluations : int or None
        Subsets scored; None for a method that scores none.
    in_search : float
        Score of the chosen subset as the method saw it; NaN for a method that scores none.
    ranking : ndarray of int, shape (n_features,), or None
        Features from best to worst, where the method ranks.
    note : str
    others : dict from str to ndarray of bool
        Further choices from the same run.
    path : dict from int to ndarray of bool
        Subsets of all sizes that the search went through.
    """

    mask: np.ndarray | None
    seconds: float = np.nan
    evaluations: int | None = None
    in_search: float = np.nan
    ranking: np.ndarray | None = None
    note: str = ""
    others: dict = field(default_factory=dict)
    path: dict = field(default_factory=dict)


class Missing(ImportError):
    """A package that a method needs is not there."""


def need(package):
    """Version of an installed distribution.

    Raises
    ------
    Missing : with the command that installs it.
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Missing(f"{package} is not installed: pip install {package}, or pip install 'moeliga[bench]'") from None


def top(ranking, n_features):
    """Mask of the first features of a ranking; None without a size."""
    if n_features is None:
        return None
    mask = np.zeros(len(ranking), dtype=bool)
    mask[ranking[:n_features]] = True
    return mask


def ranked(scores, n_features, **facts):
    """`Selection` of the features with the largest scores; the earlier feature goes first among equals, NaN last."""
    scores = np.where(np.isnan(scores), -np.inf, scores)
    ranking = np.argsort(-scores, kind="stable")
    return Selection(top(ranking, n_features), ranking=ranking, **facts)


def chosen(places, n_features):
    """Mask of the features at some places."""
    mask = np.zeros(n_features, dtype=bool)
    mask[list(places)] = True
    return mask
