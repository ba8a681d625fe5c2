"""Signals that end a search: Ctrl-C, SIGTERM, and those that a user names."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from moeliga.base.budget import Interrupted

ALWAYS = ("SIGKILL", "SIGSTOP")
"""Signals that no program can catch."""

ALSO: ContextVar[tuple[signal.Signals, ...]] = ContextVar("moeliga_stop_signals", default=())
"""The signals of `stop_on`, which end a search with a result as Ctrl-C does."""


@contextmanager
def stop_on(*names: str) -> Iterator[None]:
    """Context in which these signals end a search with the best front so far, as Ctrl-C always does.

    Batch systems and containers send SIGTERM, or another signal if they are asked to. A fit then scores its front again
    and ends as usual; `stop_reason_` is the name of the signal.

    Parameters
    ----------
    *names : str
        Names of signals, such as "SIGTERM" or "SIGUSR1".

    Raises
    ------
    ValueError : for a name that this system does not have, or of a signal that no program can catch.

    Notes
    -----
    Works in the main thread, for signals that the program does not handle itself. Nested contexts add their signals.

    Examples
    --------
    >>> import moeliga
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> with moeliga.stop_on("SIGTERM"):
    ...     selector = moeliga.MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X, y)
    >>> selector.stop_reason_
    'n_generations'
    """
    numbers = []
    for name in names:
        if not isinstance(name, str) or name in ALWAYS or name not in signal.Signals.__members__:
            raise ValueError("stop_on must get names of signals that this system has and a program can catch, such as "
                             f"'SIGTERM', got {name!r}")
        numbers.append(signal.Signals[name])
    token = ALSO.set((*ALSO.get(), *numbers))
    try:
        yield
    finally:
        ALSO.reset(token)


def stop_signals():
    """Return the signals that end a search with a result: list of signal.Signals."""
    return [signal.SIGINT, *ALSO.get()]


@contextmanager
def stopping(budget, kept, saved):
    """Context in which signals stop a search within about a second; the second of a kind has its usual effect.

    After the signals in `kept` the search has a result. Any other, or one before the first evaluation, takes its usual
    effect when the context is left, so a checkpoint is written first: with `saved`, SIGTERM is always caught.
    Works in the main thread, for signals that the program does not handle itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {}

    def note(number, frame):  # does not print: the signal may have interrupted a print
        signal.signal(number, usual.pop(number))
        budget.interrupt(number, number in kept)

    for number in {*kept, *([signal.SIGTERM] if saved else [])}:
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
        if lost not in (None, signal.SIGINT):  # Interrupted is a KeyboardInterrupt: SIGINT's usual effect
            signal.raise_signal(lost)
