"""Objects that a text on the command line stands for: numbers, value objects, estimators, splitters, functions.

One grammar: NAME, or NAME,KEY=VALUE,KEY=VALUE. Values are read as Python where they can be, else as text.
"""

import argparse
import ast
import difflib
import math
import os
import pkgutil
import re
import sys

from sklearn import model_selection
from sklearn.base import clone
from sklearn.metrics import get_scorer_names
from sklearn.utils.discovery import all_estimators

from moeliga.base.checks import is_finite
from moeliga.parameters.feature_prior import NAMED, FeaturePrior
from moeliga.parameters.objectives import Cardinality, FeatureCost, Separability
from moeliga.results.front import RULES
from moeliga.search.checkpoint import Checkpoint

OBJECTIVES = {"cardinality": Cardinality, "cost": FeatureCost, "separability": Separability}


def number(kind, low=None):
    """A type of argument: an int or a float, of at least `low`."""
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (is_finite(value) and (low is None or low <= value)):
            what = "an integer" if kind is int else "a number"
            rule = "" if low is None else f" of at least {low}"
            raise argparse.ArgumentTypeError(f"must be {what}{rule}, got {text!r}")
        return value
    return parse


def literal(text):
    """A Python value where the text is one, "none" as None; else the text."""
    if text.lower() == "none":
        return None
    try:
        return ast.literal_eval(text)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):  # of too many brackets, and of {[]: 1}
        return text


def specs(text):
    """NAME,KEY=VALUE,NAME,...: list of (name, parameters); commas inside of brackets and quotes separate nothing."""
    found = []
    parts = re.findall(r"""(?:[^,\[({'"]|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|'[^']*'|"[^"]*")+""", text)
    if ",".join(parts) != text:
        raise argparse.ArgumentTypeError(f"must close its brackets and quotes, and have no empty parts, got {text!r}")
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            found.append((part.strip(), {}))
        elif found:
            found[-1][1][key.strip()] = literal(value.strip())
        else:
            raise argparse.ArgumentTypeError(f"must begin with a name, got {text!r}")
    if not found or not all(name for name, _ in found):
        raise argparse.ArgumentTypeError(f"must be a name, perhaps with ,KEY=VALUE, got {text!r}")
    return found


def spec(text):
    """One name with its parameters."""
    found = specs(text)
    if len(found) > 1:
        raise argparse.ArgumentTypeError(f"must be one name, perhaps with ,KEY=VALUE, got {text!r}")
    return found[0]


def made(kind, parameters, name=None):
    """An object of a class, or from a function, by keys and values; those with "__" are set afterwards."""
    own = {key: value for key, value in parameters.items() if "__" not in key}
    nested = {key: value for key, value in parameters.items() if key not in own}
    try:
        found = kind(**own)
        return found.set_params(**nested) if nested else found
    except (AttributeError, TypeError, ValueError) as error:
        given = ",".join(f"{key}={value}" for key, value in parameters.items()) or "no parameters"
        raise argparse.ArgumentTypeError(f"{name or kind.__name__} does not take {given}: {error}") from error


def value_object(text, own, key):
    """A short form, or the value object that a name with parameters stands for.

    Parameters
    ----------
    text : str
    own : class, or dict from name to class
    key : str or None
        Parameter that the name itself is.
    """
    name, parameters = spec(text)
    if name.lower() == "none":
        return None
    if not parameters:
        return name
    if isinstance(own, dict) and name not in own:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(own)} where it has parameters, got {text!r}")
    return made(own[name] if isinstance(own, dict) else own, {**({key: name} if key else {}), **parameters})


def objectives(text):
    """Names, value objects and functions."""
    return tuple(made(OBJECTIVES[name], parameters) if parameters and name in OBJECTIVES else
                 imported(name) if re.search(r"[.:]", name) else name for name, parameters in specs(text))


def imported(path):
    """What an import path names, as in package.module.name or module:name; the current folder is looked in too."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return pkgutil.resolve_name(path)
    except (AttributeError, ImportError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot import {path!r}: {error}") from error


def estimator(text):
    """A classifier or regressor: a class of scikit-learn by its name, or a class, a function that makes one, or one by
    path."""
    name, parameters = spec(text)
    if name.lower() == "none":
        return None
    if re.search(r"[.:]", name):
        found = imported(name)
    else:
        known = dict(all_estimators(type_filter=["classifier", "regressor"]))
        found = chosen_from(name, known, "classifiers and regressors of scikit-learn")
    if isinstance(found, type) or not hasattr(found, "get_params"):
        return made(found, parameters, name)
    return made(lambda **own: clone(found).set_params(**own), parameters, name)


def splitter(text):
    """A number of folds, or a splitter of scikit-learn by its name or path."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    name, parameters = spec(text)
    if name.lower() == "none":
        return None
    if re.search(r"[.:]", name):
        found = imported(name)
        return made(found, parameters, name) if callable(found) else found
    known = {key: kind for key, kind in vars(model_selection).items() if isinstance(kind, type)
             and hasattr(kind, "split") and key not in ("BaseCrossValidator", "BaseShuffleSplit")}
    return made(chosen_from(name, known, "splitters of scikit-learn"), parameters)


def checkpoint(text):
    """A file, perhaps with how often it is written; a name of a file may hold commas."""
    path, comma, every = text.rpartition(",every=")
    if not comma:
        return text
    return Checkpoint(path, literal(every))


def feature_prior(text):
    """A scoring function by its name in scikit-learn or by path, or the value object of one with parameters."""
    name, parameters = spec(text)
    if name.lower() == "none":
        return None
    found = imported(name) if re.search(r"[.:]", name) else chosen_from(
        name, {key: key for key in NAMED}, "scoring functions of scikit-learn")
    return made(FeaturePrior, {"score_func": found, **parameters}) if parameters else found


def scoring(text):
    """The name of a scorer, or a function by path."""
    if text.lower() == "none":
        return None
    if re.search(r"[.:]", text):
        return imported(text)
    return chosen_from(text, {name: name for name in get_scorer_names()}, "scorers of scikit-learn")


def rule(text):
    """The name of a rule, or a function by path."""
    return imported(text) if re.search(r"[.:]", text) else chosen_from(text, {name: name for name in RULES}, "rules")


def chosen_from(name, known, what):
    """The entry of a name; a message with the nearest names, or all where there are few."""
    if name in known:
        return known[name]
    near = list(known) if len(known) < 12 else difflib.get_close_matches(name, known, n=4, cutoff=0.5)
    hint = f": {', '.join(near)}" if len(known) < 12 else f"; near it: {', '.join(near)}" if near else ""
    raise argparse.ArgumentTypeError(f"must be one of the {what}, or an import path with a dot, got {name!r}{hint}")
