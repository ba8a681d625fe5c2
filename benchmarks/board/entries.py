"""The entries of the board, from cheap to dear."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from board.contestants import Evolution, Guided, Linear, Method, Ours, Panel, Ranking, Sequential, mrmr


class Entry(NamedTuple):
    """What takes part.

    Attributes
    ----------
    make : callable
        From the deployed model, a seed and a number of features, or None for its own choice, to a selector: anything
        with `fit(X, y)` and `get_support()`. What else it may have stands in `contestants.py`.
    package : str or None
        That it needs; without it the entry is passed over.
    asks : bool
        Whether it uses the deployed model; else one fit serves all.
    own, told : bool
        Whether it chooses the number of features, and whether it can be told.
    most_samples, most_features : float
        That it can take in five minutes a fit.
    estimates : str
        The model whose score its estimate is of, where it does not use the deployed one.
    ours : bool
        Whether it is moeliga's, and another commit makes it another entry.
    needs : str or None
        Column of moeliga's row on the same rows whose number it is given, as `given`: "evaluations", "cpu".
    models : tuple of str or None
        Deployed models that it can take in five minutes a fit; None = all.
    """

    make: Callable
    package: str | None = None
    asks: bool = False
    own: bool = True
    told: bool = True
    most_samples: float = float("inf")
    most_features: float = float("inf")
    estimates: str = "tree"
    ours: bool = False
    needs: str | None = None
    models: tuple | None = None


def ranking(name, package=None, **limits):
    """A ranking of which the deployed model takes the best part."""
    return Entry(partial(Ranking, name), package, asks=True, **limits)


ENTRIES = {
    "moeliga": Entry(Ours, asks=True, told=False, ours=True),
    "moeliga-panel": Entry(Panel, asks=True, told=False, ours=True),
    "moeliga-guided": Entry(Guided, asks=True, told=False, ours=True, models=tuple(Guided.COMPILED)),
    "all": Entry(partial(Method, "all"), told=False),
    "random": Entry(partial(Method, "random"), own=False),
    "kbest": ranking("kbest"),
    "mi": ranking("mi"),
    "mrmr": ranking(mrmr),
    "importance": ranking("importance"),
    "l1": Entry(Linear, estimates="logistic"),
    "rfe": ranking("rfe", most_features=3000),
    "relieff": ranking("relieff", "skrebate", most_samples=2000),
    "surf": ranking("surf", "skrebate", most_samples=1000),
    "surf*": ranking("surf*", "skrebate", most_samples=1000),
    "multisurf": ranking("multisurf", "skrebate", most_samples=1000),
    "multisurf*": ranking("multisurf*", "skrebate", most_samples=1000),
    "rfecv": Entry(partial(Method, "rfecv"), told=False),
    "boruta": Entry(partial(Method, "boruta"), "boruta"),
    "sfs": Entry(partial(Sequential, "sfs"), "mlxtend", most_features=1000),
    "sffs": Entry(partial(Sequential, "sffs"), "mlxtend", most_features=100),
    "nsga2": Entry(Evolution, "pymoo", told=False, needs="evaluations"),
    "nsga2-time": Entry(partial(Evolution, limit="seconds"), "pymoo", told=False, needs="cpu"),
    "genetic-opt": Entry(partial(Method, "genetic-opt"), "sklearn-genetic-opt", told=False, most_features=3000),
    "moeliga-paper": Entry(partial(Method, "moeliga-paper"), told=False, ours=True),
}
"""By name. Rankings and moeliga use the deployed model; the others are as the paper's comparison has them."""
