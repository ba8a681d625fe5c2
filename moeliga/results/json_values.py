"""Readable JSON for any parameter of a constructor: arrays, estimators, functions and others."""

import functools
import hashlib
import inspect
import json
import math
import re
from collections.abc import Mapping, Set
from numbers import Integral, Real
from types import CellType, CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.hashing import digest

WIDEST = 100
"""Most characters of a list or an object that is written on one line."""


def plain(value: object, within: tuple[Any, ...] | None = None) -> Any:
    """Return a readable JSON value for any value of a parameter: None, bool, int, float, str, list or dict.

    Numbers that JSON lacks become "nan", "inf" and "-inf"; arrays, tuples, series and other sequences become lists; a
    boolean mask becomes the indices where it is true; an estimator or value object ``{"module.Class": parameters}``,
    without the module for a class of this package; a fitted selector ``{"module.Class": {"support": indices}}``; a
    function or class its name; anything else its `repr` without addresses.

    If `within` is a tuple, of the functions that enclose the value, functions of one name are distinguished by their
    code, the values that they enclose and their defaults; enclosed objects without parameters are not.

    Examples
    --------
    >>> import numpy as np
    >>> from moeliga import Cardinality
    >>> from moeliga.results.json_values import plain
    >>> plain({"a": np.array([1, 2]), "b": Cardinality(), "c": len})
    {'a': [1, 2], 'b': {'Cardinality': {'gamma': 0.0, 'lambda_': 0.5}}, 'c': 'builtins.len'}
    >>> plain(np.array([False, True, True]))
    {'mask of 3': [1, 2]}
    """
    inner = functools.partial(plain, within=within)
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, Mapping):
        return {str(inner(key)): inner(entry) for key, entry in value.items()}
    if isinstance(value, type):
        return full_name(value)
    support = support_of(value)
    if support is not None:
        return {full_name(type(value)): {"support": np.flatnonzero(support).tolist()}}
    if hasattr(value, "get_params"):
        return {full_name(type(value)): inner(value.get_params(deep=False))}
    if isinstance(value, functools.partial):
        return {"functools.partial": inner([value.func, value.args, value.keywords])}
    if callable(value) and hasattr(value, "__qualname__"):
        return full_name(value) if within is None or value in within else function_identity(value, within)
    if isinstance(value, Set):
        return sorted((inner(entry) for entry in value), key=str)
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        if within:  # an enclosed array may be large
            return {"array": digest(value)}
        if value.dtype == bool and value.ndim == 1:
            return {f"mask of {len(value)}": np.flatnonzero(value).tolist()}
        return inner(value.tolist())
    if isinstance(value, list | tuple):
        return [inner(entry) for entry in value]
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def function_identity(function: Any, within: tuple[Any, ...]) -> Any:
    """Return the name of a function with its code, enclosed values and defaults: str or dict, see `plain`."""
    inner = functools.partial(plain, within=(*within, function))
    parts = {"self": inner(function.__self__)} if inspect.ismethod(function) else {}
    if hasattr(function, "__code__"):
        cells = [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
        parts["code"] = hashlib.sha256(repr(code_of(function.__code__)).encode()).hexdigest()[:16]
        parts["encloses"] = inner([*cells, function.__defaults__, function.__kwdefaults__])
    return {full_name(function): parts} if parts else full_name(function)


def code_of(code: Any) -> Any:
    """Return the parts of a code object that define what it does, without its file and line."""
    if isinstance(code, CodeType):
        return [code.co_code, code.co_names, code.co_varnames, [code_of(constant) for constant in code.co_consts]]
    return sorted(map(repr, code)) if isinstance(code, frozenset) else repr(code)


def support_of(value: object) -> NDArray[Any] | None:
    """Return the mask of a fitted selector, None for anything else."""
    if isinstance(value, type) or not hasattr(value, "get_support"):
        return None
    try:
        return np.asarray(value.get_support())
    except Exception:  # not fitted, or `get_support` needs arguments
        return None


def full_name(value: Any) -> str:
    """Return the name of a class or function with its module, without the module if it is of this package."""
    module = getattr(value, "__module__", None) or ""
    name = value.__qualname__
    return name if module.partition(".")[0] in ("moeliga", "") else f"{module}.{name}"


def to_json(value: object, indent: int = 0) -> str:
    """Return `plain(value)` as JSON text: short entries on one line, lists filled up to `WIDEST` characters a line."""
    value = plain(value)
    short = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, list | dict) or (len(short) + indent <= WIDEST and indent) or not value:
        return short
    space = " " * (indent + 2)
    if isinstance(value, dict):
        entries = [f"{json.dumps(key, ensure_ascii=False)}: {to_json(entry, indent + 2)}" for key, entry in
                   value.items()]
        return "{\n" + ",\n".join(space + entry for entry in entries) + "\n" + " " * indent + "}"
    lines, line = [], ""
    for place, entry in enumerate(value):
        text = to_json(entry, indent + 2) + ("," if place < len(value) - 1 else "")
        if line and (len(space) + len(line) + len(text) >= WIDEST or "\n" in text or "\n" in line):
            lines.append(line)
            line = ""
        line = f"{line} {text}" if line else text
    return "[\n" + "\n".join(space + line for line in [*lines, line]) + "\n" + " " * indent + "]"
