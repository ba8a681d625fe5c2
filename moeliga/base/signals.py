"""Signals that end a search: Ctrl-C, SIGTERM, and those that a user names."""

import signal
import threading
from contextlib import contextmanager

from moeliga.base.budget import Interrupted
from moeliga.base.checks import check_sequence

ALWAYS = ("SIGKILL", "SIGSTOP")
"""Signals that no program can catch."""


def resolve_signals(stop_signals):
    """Check the selector's `stop_signals`.

    Returns
    -------
    numbers : list of signal.Signals

    Raises
    ------
    TypeError, ValueError : naming the parameter, the rule and the value.
    """
    numbers = []
    for name in check_sequence("stop_signals", stop_signals, "names of signals"):
        if not isinstance(name, str) or name in ALWAYS or name not in signal.Signals.__members__:
            raise ValueError("stop_signals must hold names of signals that this system has and a program can catch, "
                             f"such as 'SIGINT' and 'SIGTERM', got {name!r}")
        numbers.append(signal.Signals[name])
    return numbers


@contextmanager
def stopping(budget, kept, saved):
    """Inside, signals stop a search within about a second; a second one of a kind has its usual effect.

    A signal after which the search has no result, because it is not in `kept` or nothing was evaluated yet, has its
    usual effect when the context is left: what has to be saved is saved inside.

    Works in the main thread, for signals that the program does not handle itself.

    Parameters
    ----------
    budget : Budget
    kept : list of signal.Signals
        After these the search has a result.
    saved : bool
        Whether there is something to save, so that SIGINT and SIGTERM are also noticed where they are not in `kept`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {}

    def note(number, frame):  # prints nothing: it may have interrupted somebody else's printing
        signal.signal(number, usual.pop(number))
        budget.interrupt(number, number in kept)

    for number in {*kept, *([signal.SIGINT, signal.SIGTERM] if saved else [])}:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            usual[number] = signal.signal(number, note)
    lost = None
    try:
        yield
    except Interrupted:
        lost = signal.SIGINT if budget.reason == "interrupt" else signal.Signals[budget.reason]
        raise
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        if lost not in (None, signal.SIGINT):  # that one is the exception itself
            signal.raise_signal(lost)
