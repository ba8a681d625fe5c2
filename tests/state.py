"""What a caller owns, as something that can be compared before and after a call: values to the last bit, and the state
of the process that all its parts share."""

import decimal
import gc
import locale
import logging
import multiprocessing
import os
import pickle
import random
import signal
import struct
import sys
import threading
import types
import warnings
from collections.abc import Mapping
from contextlib import contextmanager

import numpy as np
import sklearn
from scipy import sparse
from threadpoolctl import threadpool_info

FOUND_OUT = ("_has_canonical_format", "_has_sorted_indices")
"""What scipy has found out about the entries of a sparse array, and notes on it; the entries are compared."""

ITSELF = type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | types.GeneratorType


def image(value, above=()):
    """A value as nested tuples that are equal only if it is the same to the last bit.

    Arrays: type, dtype, shape, strides, whether they may be written to, address, and the bytes of the whole array that
    they are a view of. Containers: their entries, in order; of tables their columns. Objects: their attributes, or else
    their pickle; functions and what has no pickle: which one it is.
    """
    if id(value) in above:
        return "above", above.index(id(value))
    above = (*above, id(value))
    if isinstance(value, float):
        return type(value), struct.pack("d", value)
    if value is None or isinstance(value, int | str | bytes | complex | range | np.generic):
        return type(value), value.tobytes() if isinstance(value, np.generic) else value
    if isinstance(value, np.ndarray):
        return array_image(value, above)
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return type(value), pickle.dumps(value)
    if isinstance(value, Mapping):
        return type(value), tuple((image(key, above), image(entry, above)) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(image(entry, above) for entry in value)
    if isinstance(value, set | frozenset):
        return type(value), frozenset(image(entry, above) for entry in value)
    if isinstance(value, ITSELF):
        return "itself", id(value)
    if type(value).__name__ == "DataFrame":
        parts = [getattr(value, "index", ()), *(value[name] for name in value.columns)]
        return type(value), tuple(value.columns), tuple(image(part, above) for part in parts)
    if type(value).__name__ in ("Series", "Index", "RangeIndex"):
        return type(value), str(value.name), str(value.dtype), image(value.to_list(), above)
    if hasattr(value, "__dict__"):
        attributes = {name: entry for name, entry in vars(value).items()
                      if not (sparse.issparse(value) and name in FOUND_OUT)}
        return type(value), image(attributes, above)
    try:
        return type(value), pickle.dumps(value)
    except Exception:  # it has none
        return "itself", id(value)


def array_image(array, above=()):
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    entries = image(whole.ravel().tolist(), above) if whole.dtype.hasobject else whole.tobytes()
    mask = image(np.ma.getmaskarray(array), above) if isinstance(array, np.ma.MaskedArray) else None
    return (type(array), array.dtype.descr, array.shape, array.strides, array.flags.writeable, whole.flags.writeable,
            array.__array_interface__["data"][0], entries, mask)


def ambient():
    """What all parts of a process share: dict from what it is to something that can be compared."""
    umask = os.umask(0)
    os.umask(umask)
    shared = {
        "NumPy's generator": pickle.dumps(np.random.get_state()),
        "Python's generator": random.getstate(),
        "environment": dict(os.environ),
        "current folder": os.getcwd(),
        "permissions of new files": umask,
        "import path": tuple(sys.path),
        "warnings": (tuple(warnings.filters), id(warnings.showwarning)),
        "signals": {number: id(signal.getsignal(number)) for number in signal.valid_signals()},
        "locale": locale.setlocale(locale.LC_ALL),
        "decimal context": repr(decimal.getcontext()),
        "NumPy's errors": (np.geterr(), np.geterrcall(), np.getbufsize()),
        "NumPy's printing": repr(np.get_printoptions()),
        "scikit-learn's configuration": sklearn.get_config(),
        "threads of libraries": sorted((library["filepath"], library["num_threads"]) for library in threadpool_info()),
        "start of processes": multiprocessing.get_start_method(),
        "streams": (id(sys.stdin), id(sys.stdout), id(sys.stderr)),
        "hooks": (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile(), threading.excepthook),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()),
        "garbage collection": (gc.isenabled(), gc.get_threshold(), gc.get_debug()),
        "logging": (logging.root.level, tuple(logging.root.handlers), logging.root.manager.disable),
    }
    if "matplotlib" in sys.modules:
        shared["matplotlib's settings"] = repr(dict(sys.modules["matplotlib"].rcParams))
    return shared


@contextmanager
def untouched(*values):
    """Context in which these values and what the process shares stay as they are, however it is left."""
    before, around = image(values), ambient()
    try:
        yield
    finally:
        after = image(values)
        for place, value in enumerate(values):
            assert after[1][place] == before[1][place], f"value {place}, {type(value).__name__}, has changed"
        for what, found in ambient().items():
            assert what not in around or found == around[what], f"{what} has changed"
