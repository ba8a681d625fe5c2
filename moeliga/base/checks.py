"""Checks of arguments: each message names the argument, the rule and the value."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

LARGEST = 2**31 - 1
"""Largest number of things: what the kernels can count."""

ALIGNED: tuple[Literal["C"], Literal["A"]] = ("C", "A")
"""What the kernels require of an array: numbers of fields of a packed structure, or of a file, may begin anywhere."""


def check_number(name, value, kind, low=None, high=None, closed="both"):
    """`value` if it is a number of `kind` in the range; else TypeError or ValueError naming all three.

    Parameters
    ----------
    name : str
    value : object
    kind : {numbers.Integral, numbers.Real}
    low, high : number or None
        None = no limit on this side.
    closed : {"both", "left", "right", "neither"}
        Which limits belong to the range.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind):
        raise TypeError(f"{name} must be {'an integer' if kind is Integral else 'a number'}, got {value!r}")
    if not issubclass(kind, Integral) and not is_finite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    above = low is None or value > low or (value == low and closed in ("both", "left"))
    below = high is None or value < high or (value == high and closed in ("both", "right"))
    if not (above and below):
        if high is None:
            rule = f"{'>=' if closed in ('both', 'left') else '>'} {low}"
        else:
            rule = f"in {'[' if closed in ('both', 'left') else '('}{low}, {high}"
            rule += "]" if closed in ("both", "right") else ")"
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    return value


def check_count(name, value, low):
    """`value` if it is an integer >= `low` that the kernels can count to; else as `check_number`."""
    check_number(name, value, Integral, low)
    if value > LARGEST:
        raise ValueError(f"{name} must be <= {LARGEST}, got {value!r}")
    return value


def check_path(name, value):
    """`value` if it is a path; `open` would take a number for a file that is open already, and close it."""
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be a path, got {value!r}")
    return value


def is_finite(value):
    """Whether a number is finite as a float: no integer beyond them all, either."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_choice(name, value, choices):
    """`value` if it is one of `choices`, which are str or None; else ValueError."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}, got {value!r}")
    return value


def check_sequence(name, value, of):
    """`value` as a list if it can be iterated over, more than once, and is no str; else TypeError."""
    scalar = isinstance(value, np.ndarray) and value.ndim == 0
    if isinstance(value, str | Iterator) or scalar or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {of}, got {value!r}")
    return list(value)


def resolve(name, value, short_forms, *kinds):
    """The value object that `value` stands for: itself, with Python's integers, or the object of a short form.

    Parameters
    ----------
    name : str
        Of the parameter, for messages.
    value : str, None or of one of `kinds`
    short_forms : dict from short form (str or None) to a value object or None
    *kinds : classes of value objects

    Raises
    ------
    ValueError : if `value` is neither.
    """
    if isinstance(value, kinds):
        value.validate(name)
        return with_python_integers(value)
    if (value is None or isinstance(value, str)) and value in short_forms:
        return short_forms[value]
    forms = [repr(form) for form in short_forms] + [f"a {kind.__name__}" for kind in kinds]
    raise ValueError(f"{name} must be {', '.join(forms[:-1])} or {forms[-1]}, got {value!r}")


def with_python_integers(settings):
    """An estimator or a value object; if it has NumPy's integers, which overflow in a product with others of their
    kind, a copy that has Python's."""
    parameters = settings.get_params(deep=False).items()
    integers = {name: int(value) for name, value in parameters if isinstance(value, np.integer)}
    if integers:
        settings = copy(settings)
        vars(settings).update(integers)
    return settings


@contextmanager
def conversion(names="X and y"):
    """Context in which scikit-learn and NumPy turn arguments into arrays and look for what is not finite.

    Without NumPy's warnings: numbers whose sum is beyond float64 are fine, and numbers that are beyond it themselves
    are refused, Python's integers by the ValueError of this context.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowError as error:
        raise ValueError(f"{names} must hold numbers that fit into float64: {error}") from error


def check_labels(y):
    """Distinct class labels and the place of each sample's among them: ndarray of shape (n_classes,), of int (n,).

    Raises
    ------
    ValueError, TypeError : if y are no class labels, or such as cannot be sorted.
    """
    with conversion():
        if y.dtype.kind == "S" or (y.dtype == object and y.size and isinstance(y.flat[0], bytes)):
            # scikit-learn refuses them since 1.7
            raise TypeError("y must hold class labels that can be sorted: not bytes, which y.astype(str) turns into "
                            f"text, got {y.flat[0]!r}")
        try:
            check_classification_targets(y)
            classes = np.unique(y)
            return classes, np.searchsorted(classes, y)  # unique's own inverse takes four times as much memory
        except TypeError as error:
            raise TypeError(f"y must hold class labels that can be sorted: {error}") from error


def check_target(y):
    """A continuous target as ndarray of float64, shape (n,); ValueError unless it holds finite numbers."""
    try:
        with np.errstate(over="ignore"):
            y = y.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers for a regressor: {error}") from error
    if not np.all(np.isfinite(y)):
        raise ValueError(f"y must be finite, got {y[~np.isfinite(y)][0]}")
    return y
