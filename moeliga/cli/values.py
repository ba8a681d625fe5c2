"""Parsers of values on the command line: numbers, estimators, splitters, functions, short forms of parameters.

Names may have parameters, as in NAME,KEY=VALUE,KEY=VALUE. A VALUE is a Python literal, or else text.
"""

import argparse
import ast
import difflib
import math
import os
import pkgutil
import re
import sys
from typing import NamedTuple

from sklearn import model_selection
from sklearn.base import clone
from sklearn.metrics import get_scorer_names
from sklearn.utils.discovery import all_estimators

from moeliga.base.checks import is_finite
from moeliga.parameters.checkpoint import Checkpoint
from moeliga.parameters.objectives import Cardinality, FeatureCost, Separability
from moeliga.results.rules import RULES

OBJECTIVES = {"cardinality": Cardinality, "cost": FeatureCost, "separability": Separability}


class Named(NamedTuple):
    """A short form of a parameter, and values for the parameters of the object that it stands for."""

    form: object
    parameters: dict


def number(kind, low=None):
    """Return a parser of numbers of a kind (int or float) that are at least `low`."""
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


def count_or_share(text):
    """Return an integer of at least 1, or a float in (0, 1]."""
    value = literal(text)
    if type(value) not in (int, float) or not (value >= 1 if type(value) is int else 0 < value <= 1):
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, or a share in (0, 1], got {text!r}")
    return value


def band_sizes(text):
    """Return "auto", None for "none", or a list of integers >= 1: the largest size of each band."""
    if text in ("auto", "none"):
        return None if text == "none" else text
    return [number(int, 1)(part.strip()) for part in text.split(",")]


def literal(text):
    """Return None for "none", the value of a Python literal, or else the text itself."""
    if text.lower() == "none":
        return None
    try:
        return ast.literal_eval(text)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):  # as for too many brackets, or {[]: 1}
        return text


def split_names(text):
    """Return a list of (name, parameters) for NAME,KEY=VALUE,NAME,..., split outside of brackets and quotes."""
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


def split_name(text):
    """Return the name and parameters of NAME,KEY=VALUE,..."""
    found = split_names(text)
    if len(found) > 1:
        raise argparse.ArgumentTypeError(f"must be one name, perhaps with ,KEY=VALUE, got {text!r}")
    return found[0]


def look_up(name, known, what, paths=True):
    """Return the object of a name: None for "none" if `known` has None, an import by its path, or an entry of `known`.

    For another name raise an ArgumentTypeError that lists similar names, or all if they are fewer than twelve.
    """
    if name.lower() == "none" and None in known:
        return None
    if paths and re.search(r"[.:]", name):
        return imported(name)
    if name in known:
        return known[name]
    names = [name for name in known if name is not None]
    if len(names) < 12:
        hint = f": {', '.join(names)}"
    else:
        near = difflib.get_close_matches(name, names, n=4, cutoff=0.5)
        hint = f"; near it: {', '.join(near)}" if near else ""
    path = ", or an import path with a dot" if paths else ""
    raise argparse.ArgumentTypeError(f"must be one of the {what}{path}, got {name!r}{hint}")


def imported(path):
    """Return the object at an import path, package.module.name or module:name, also from the current folder."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return pkgutil.resolve_name(path)
    except (AttributeError, ImportError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot import {path!r}: {error}") from error


def build(kind, parameters, name=None):
    """Return the result of calling `kind` with `parameters`; those with "__" are set afterwards, by `set_params`."""
    own = {key: value for key, value in parameters.items() if "__" not in key}
    nested = {key: value for key, value in parameters.items() if key not in own}
    try:
        found = kind(**own)
        return found.set_params(**nested) if nested else found
    except (AttributeError, TypeError, ValueError) as error:
        given = ",".join(f"{key}={value}" for key, value in parameters.items()) or "no parameters"
        raise argparse.ArgumentTypeError(f"{name or kind.__name__} does not take {given}: {error}") from error


def short_form(forms, what, paths=False):
    """Return a parser of NAME[,KEY=VALUE] into a `Named`; `forms` are those of a parameter: names, and None."""
    def parse(text):
        name, parameters = split_name(text)
        return Named(look_up(name, {form: form for form in forms}, what, paths), parameters)
    return parse


def estimator(text):
    """Return a classifier or regressor by its name in scikit-learn, or by the path of a class, function or object."""
    return predictor(*split_name(text))


def predictor(name, parameters):
    """Return a classifier or regressor with the given parameters, or None for "none"."""
    known = {} if re.search(r"[.:]", name) else dict(all_estimators(type_filter=["classifier", "regressor"]))
    found = look_up(name, {None: None} | known, "classifiers and regressors of scikit-learn")
    if found is None:
        return None
    if hasattr(found, "get_params") and not isinstance(found, type):
        return build(lambda **own: clone(found).set_params(**own), parameters, name)
    model = build(found, parameters, name) if callable(found) else found
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise argparse.ArgumentTypeError(f"{name} must be, or make, a classifier or regressor, got {model!r}")
    return model


def judges(text):
    """Return a list of classifiers or regressors, or None for "none"."""
    found = [predictor(*split) for split in split_names(text)]
    return None if found == [None] else found


def splitter(text):
    """Return a number of folds, "oob", None for "none", or a splitter by its name in scikit-learn or import path."""
    if text == "oob":
        return text
    if re.fullmatch(r"\d+", text):
        return int(text)
    name, parameters = split_name(text)
    known = {None: None} | {key: kind for key, kind in vars(model_selection).items() if isinstance(kind, type)
                            and hasattr(kind, "split") and key not in ("BaseCrossValidator", "BaseShuffleSplit")}
    found = look_up(name, known, "splitters of scikit-learn")
    return build(found, parameters, name) if callable(found) else found


def objectives(text):
    """Return a tuple of objectives: names, value objects where parameters are given, and functions by import path."""
    return tuple(objective(name, parameters) for name, parameters in split_names(text))


def objective(name, parameters):
    """Return an objective by its name, a value object of it if parameters are given, or a function by import path."""
    if parameters and name not in OBJECTIVES:
        given = ",".join(f"{key}={value}" for key, value in parameters.items())
        raise argparse.ArgumentTypeError(f"{name} does not take {given}: it has no parameters")
    if parameters:
        return build(OBJECTIVES[name], parameters)
    return imported(name) if re.search(r"[.:]", name) else name


def scoring(text):
    """Return the name of a scorer, the function at an import path, or None for "none"."""
    names = ("uar", "soft_uar", *get_scorer_names())
    return look_up(text, {None: None} | {name: name for name in names}, "scorers of scikit-learn")


def rule(text):
    """Return the name of a rule, or the function at an import path."""
    return look_up(text, {name: name for name in RULES}, "rules")


def checkpoint(text):
    """Return the path of a file, which may contain commas, or for PATH,every=N a `Checkpoint`."""
    path, comma, every = text.rpartition(",every=")
    return Checkpoint(path, literal(every)) if comma else text
