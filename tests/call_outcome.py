"""What a call comes to: a result, or a clear refusal. Anything else fails the test that calls."""

import dis
import re
import signal
import threading
import warnings
from contextlib import contextmanager

from sklearn.utils._param_validation import InvalidParameterError

RAISE = dis.opmap["RAISE_VARARGS"]

KNOWN = re.compile(r"""
    Found\ array\ with | Found\ input\ variables\ with | Expected\ 2D\ array | Expected\ 2D\ container
    | Found\ array\ with\ dim | Unknown\ label\ type | Complex\ data\ not\ supported | np\.matrix\ is\ not\ supported
    | Sparse\ data\ was\ passed | Singleton\ array | Expected\ sequence\ or\ array-like
    | dtype='numeric'\ is\ not\ compatible
""", re.VERBOSE)
"""How scikit-learn begins to refuse data: known to its users, though it names no argument."""

CONVERSION = re.compile("could not convert string to float|setting an array element with a sequence|"
                        ".*argument must be a string or a real number")
"""How NumPy and Python refuse what is no number, which scikit-learn hands on."""

EXPECTED = re.compile("The number of unique classes is greater than 50%|y has [0-9]+ class(es)? of one sample|"
                      "honest=[0-9]+ gives|[0-9]+ of [0-9]+ folds of honest are left out|"
                      "[a-z_]+ has ended the fit after [0-9]+ of [0-9]+ folds")
"""Warnings that fit many cases: of scikit-learn, of classes that are small, and of folds that are not done."""


def outcome(call, *names):
    """(result, None) or (None, refusal).

    A refusal is a TypeError or a ValueError, no subclass but scikit-learn's for parameters, that code has raised on
    purpose and that names an argument: X, y or one of `names`. A call that warns has failed.
    """
    result = refusal = None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = call()
        except (TypeError, ValueError) as error:
            refusal = error
    told = [f"{warning.category.__name__}: {warning.message}" for warning in seen]
    assert [text for text in told if not EXPECTED.search(text)] == []
    if refusal is not None:
        assert_clear(refusal, names)
    return result, refusal


def assert_clear(error, names):
    """Fail unless `error` says which argument is wrong; with `error` as the cause, for its traceback."""
    message = str(error)
    named = re.search(rf"\b({'|'.join(('X', 'y', *map(re.escape, names)))})\b", message)
    clear = type(error) in (TypeError, ValueError, InvalidParameterError) and (
        (on_purpose(error) and (named or KNOWN.match(message))) or CONVERSION.match(message))
    if not clear:
        raise AssertionError(f"{type(error).__name__} is not clear: {message}") from error


def on_purpose(error):
    """Whether a `raise` of Python raised it, or a door of the compiled core."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return code.co_filename.endswith((".pyx", ".pxd")) or code.co_code[trace.tb_lasti] == RAISE


@contextmanager
def within(seconds):
    """Context that fails after so many seconds: a guard against what would take for ever."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number, frame):
        raise AssertionError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
