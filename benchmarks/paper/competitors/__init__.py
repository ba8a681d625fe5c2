"""The competitors, by name: those of the paper as its authors ran them, and others.

Every method is a function of X, y, a number of features (or None) and a seed (None = the authors' own), and returns a
`Selection`. What the authors' script sets is said with each, as far as their repository has it.
"""

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from paper.competitors import (
    baselines,
    boruta_py,
    elimination,
    filters,
    genetic_opt,
    nsga,
    ours,
    prefixes,
    relief,
    sequential,
)
from paper.competitors.selection import Missing, Selection, need
from sklearn.preprocessing import StandardScaler

__all__ = ["BASELINES", "METHODS", "PAPER", "Method", "Missing", "Selection", "need", "select"]


class Method(NamedTuple):
    """A competitor.

    `sized` says whether it is told how many features to choose; else it chooses the number itself. `scaled` ones get
    columns of mean 0 and variance 1, as in the authors' script. `needs` is what of a search of moeliga on the same
    rows it is given: "evaluations", "seconds".
    """

    search: object
    sized: bool = True
    scaled: bool = True
    needs: str | None = None


METHODS = {
    "moeliga": Method(ours.default, sized=False, scaled=False),
    "moeliga-paper": Method(ours.paper, sized=False, scaled=False),
    "all": Method(baselines.everything, sized=False),
    "random": Method(baselines.chance),
    "relieff": Method(relief.relieff),
    "surf": Method(relief.surf),
    "surf*": Method(relief.surf_star),
    "multisurf": Method(relief.multisurf),
    "multisurf*": Method(relief.multisurf_star),
    "mi": Method(filters.mutual_information),
    "rfe": Method(elimination.rfe),
    "kbest": Method(filters.anova),
    "sfs": Method(sequential.sfs),
    "sffs": Method(sequential.sffs),
    "boruta": Method(boruta_py.boruta),
    "importance": Method(filters.importance),
    "rfecv": Method(elimination.rfecv, sized=False),
    "boruta-own": Method(boruta_py.boruta, sized=False),
    "relieff-own": Method(prefixes.best_prefix(relief.relieff), sized=False),
    "multisurf-own": Method(prefixes.best_prefix(relief.multisurf), sized=False),
    "mi-own": Method(prefixes.best_prefix(filters.mutual_information), sized=False),
    "kbest-own": Method(prefixes.best_prefix(filters.anova), sized=False),
    "importance-own": Method(prefixes.best_prefix(filters.importance), sized=False),
    "genetic-opt": Method(genetic_opt.genetic, sized=False),
    "nsga2": Method(nsga.nsga2, sized=False, scaled=False, needs="evaluations"),
    "nsga2-time": Method(nsga.nsga2, sized=False, scaled=False, needs="seconds"),
}
"""By name. "boruta-own" takes what Boruta confirms, the other "-own" the best prefix of a ranking; "nsga2-time" has
moeliga's processor time instead of its number of evaluations."""

BASELINES = ("all", "random")
"""What every method has to beat; not methods themselves."""

PAPER = ("relieff", "surf", "surf*", "multisurf", "multisurf*", "mi", "rfe", "kbest", "sfs", "sffs", "boruta")
"""The competitors of the paper's table, in its order."""


def select(name, X, y, n_features=None, random_state=None, **options):
    """Choose features with a method.

    Parameters
    ----------
    name : str
        Key of `METHODS`.
    X : ndarray of float, shape (n_samples, n_features), no missing values
    y : ndarray of int, shape (n_samples,)
    n_features : int or None
        How many features to choose. None: a method that can chooses the number itself, another only ranks. Methods
        that are not `sized` are never told.
    random_state : int or None
        None = what the authors' script has; 0 where it has nothing.
    **options
        For the method's function: moeliga's parameters, the budget of NSGA-II.

    Returns
    -------
    selection : Selection

    Raises
    ------
    ValueError : if there is no such method.
    Missing : if a package is not installed.
    """
    if name not in METHODS:
        raise ValueError(f"name must be one of {', '.join(METHODS)}, got {name!r}")
    method = METHODS[name]
    if method.scaled:
        X = StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))
    began = time.process_time()
    found = method.search(X, y, n_features if method.sized else None, random_state, **options)
    return replace(found, seconds=time.process_time() - began)
