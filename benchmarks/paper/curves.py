"""A competitor's curve over sizes: its subsets of all sizes, scored and chosen from as the front of a search is.

A ranking gives its prefixes, a forward selection the subsets that it goes through. All are scored on fresh splits of
the training part; those that are not dominated by score and size are the curve. Measures and rules of choice are those
of a front.
"""

from dataclasses import dataclass

import numpy as np
from paper import competitors
from paper.competitors.prefixes import prefixes
from paper.found import Found, front_of
from paper.measures import fresh_scores

PREFIX = "curve of "
METHODS = (*competitors.PAPER, "importance")
FORWARD = ("sfs", "sffs")
"""Methods that go through subsets; the others rank."""

LARGEST_FORWARD = 20
"""Features of the largest subset of a forward selection, or all features where there are fewer. Through many sizes it
takes days; what it adds beyond twenty features is little."""

NAMES = tuple(PREFIX + method for method in METHODS)


def subsets(method, X, y, seed):
    """What a method offers, from one feature on: ndarray of bool, shape (m, n_features).

    Raises
    ------
    Missing : if a package is not installed.
    """
    if method in FORWARD:
        path = competitors.select(method, X, y, min(LARGEST_FORWARD, X.shape[1]), seed).path
        return np.array([path[size] for size in sorted(path)])
    return prefixes(competitors.select(method, X, y, None, seed).ranking)


@dataclass(frozen=True)
class Curve:
    """Stands beside `Variant`: a competitor in place of a search.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    base, reference : str
        As those of a variant: a curve differs from the defaults in everything.
    """

    method: str
    base, reference = "curve", "default"

    @classmethod
    def parse(cls, name):
        """The curve of a name such as "curve of mi".

        Raises
        ------
        ValueError : if there is none.
        """
        if name not in NAMES:
            raise ValueError(f"a curve must be one of {', '.join(NAMES)}, got {name!r}")
        return cls(name.removeprefix(PREFIX))

    def search(self, X, y, budget, seed):
        """`Found`; the budget is for searches, a competitor takes what it takes.

        Raises
        ------
        Missing : if a package is not installed.
        """
        masks = subsets(self.method, X, y, seed)
        return Found.by_rules(front_of(masks, *fresh_scores(masks, X, y, (seed, len(masks)))), len(masks))
