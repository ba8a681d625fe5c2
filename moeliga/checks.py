"""Checks of arguments: each message names the argument, the rule and the value."""

import math
from numbers import Integral

import numpy as np


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
    if not isinstance(value, Integral) and not math.isfinite(value):
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


def check_choice(name, value, choices):
    """`value` if it is one of `choices`, which are str or None; else ValueError."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}, got {value!r}")
    return value


def check_sequence(name, value, of):
    """`value` as a list if it can be iterated over and is no str; else TypeError."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {of}, got {value!r}")
    return list(value)


def resolve(name, value, short_forms, kind):
    """The value object that `value` stands for: itself, or the object of a short form.

    Parameters
    ----------
    name : str
        Of the parameter, for messages.
    value : str, None or `kind`
    short_forms : dict from short form (str or None) to a value object or None
    kind : class of value objects

    Raises
    ------
    ValueError : if `value` is neither.
    """
    if isinstance(value, kind):
        value.validate(name)
        return value
    if (value is None or isinstance(value, str)) and value in short_forms:
        return short_forms[value]
    forms = ", ".join(repr(form) for form in short_forms)
    raise ValueError(f"{name} must be {forms} or a {kind.__name__}, got {value!r}")
