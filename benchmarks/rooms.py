"""How long a search is in each of the compiled rooms."""

import importlib
import inspect
import pkgutil
import sys
import time
from contextlib import ExitStack, contextmanager
from functools import wraps
from types import SimpleNamespace
from unittest import mock

import moeliga
from moeliga._ext.evaluate import Evaluator

CORE = "moeliga._ext."


@contextmanager
def watched():
    """Seconds of the processor in each room, a dict that the block fills: calls of its functions, and of an Evaluator.

    A call from within another one counts for the outer room.
    """
    seconds, inside = {}, []

    def timed(room, function):
        @wraps(function)
        def call(*arguments, **options):
            if inside:
                return function(*arguments, **options)
            inside.append(room)
            began = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                seconds[room] = seconds.get(room, 0.0) + time.process_time() - began
                inside.clear()
        return call

    def stand_in(value):
        """The same with its functions timed; None for what is not of a room, or no function."""
        if inspect.ismodule(value) and value.__name__.startswith(CORE):
            names = {name: getattr(value, name) for name in dir(value)}
            return SimpleNamespace(**names | {name: stand_in(own) or own for name, own in names.items()})
        room = (getattr(value, "__module__", None) or "").removeprefix(CORE)
        if value is Evaluator:
            return type(value.__name__, (value,), {name: timed(room, function) for name, function in
                                                   vars(value).items() if not name.startswith("_")})
        if CORE + room in sys.modules and callable(value) and not inspect.isclass(value):
            return timed(room, value)
        return None

    for found in pkgutil.walk_packages(moeliga.__path__, "moeliga."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    with ExitStack() as stack:
        for path in [path for path in sys.modules if path.startswith("moeliga.") and not path.startswith(CORE[:-1])]:
            for name, value in list(vars(sys.modules[path]).items()):
                other = stand_in(value)
                if other is not None:
                    stack.enter_context(mock.patch.object(sys.modules[path], name, other))
        yield seconds
