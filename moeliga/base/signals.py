"""Signals that end a search: Ctrl-C, SIGTERM, and those that a user names."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from moeliga.base.budget import Interrupted

UNCATCHABLE = ("SIGKILL", "SIGSTOP")
"""Signals that no program can catch."""


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM inside of `terminable`; `except Exception` does not catch it."""


def terminate(number, frame):
    """Handle SIGTERM as Python does Ctrl-C."""
    raise Terminated


DEFAULT_HANDLERS = (signal.SIG_DFL, signal.default_int_handler, terminate)
"""Handlers of signals that the program does not handle itself."""

EXTRA_SIGNALS: ContextVar[tuple[signal.Signals, ...]] = ContextVar("moeliga_stop_signals", default=())
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
    ValueError : for what is no name of a signal that this system has and a program can catch.

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
        if not isinstance(name, str) or name in UNCATCHABLE or name not in signal.Signals.__members__:
            raise ValueError("stop_on must get names of signals that this system has and a program can catch, such as "
                             f"'SIGTERM', got {name!r}")
        numbers.append(signal.Signals[name])
    token = EXTRA_SIGNALS.set((*EXTRA_SIGNALS.get(), *numbers))
    try:
        yield
    finally:
        EXTRA_SIGNALS.reset(token)


@contextmanager
def terminable() -> Iterator[None]:
    """Context in which SIGTERM raises `Terminated`, so that what is open is closed.

    Works in the main thread, where a SIGTERM would end the process at once.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, terminate)
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def stop_signals():
    """Return the signals that end a search with a result: list of signal.Signals."""
    return [signal.SIGINT, *EXTRA_SIGNALS.get()]


class Stopping:
    """Context of a fit in which a signal ends searches within about a second; a second one of its kind acts as usual.

    After the signals in `kept` the fit has a result. Any other, or one before the first evaluation, takes its usual
    effect when the context is left, so a checkpoint is written first: with `saved`, SIGTERM is always caught.
    Works in the main thread, for signals that the program does not handle itself.
    """

    def __init__(self, kept, saved):
        self.kept, self.caught = kept, {*kept, *([signal.SIGTERM] if saved else [])}
        self.previous = {}  # handlers to restore; right at any moment, as a signal may interrupt these methods
        self.number = None  # the last signal, or the first after which there is no result
        self.budget = None  # of the search, or the fits, that signals end now

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            with self.restoring_on_error():
                for number in self.caught:
                    handler = signal.getsignal(number)
                    if handler in DEFAULT_HANDLERS:
                        self.previous[number] = handler
                        signal.signal(number, self.handle)
        return self

    def __exit__(self, kind, *_):
        with self.restoring_on_error():
            self.restore_handlers()
        lost = self.number is not None and (self.number not in self.kept or kind is Interrupted)
        if lost and not (self.number == signal.SIGINT and kind is Interrupted):  # Interrupted is a KeyboardInterrupt
            signal.raise_signal(self.number)

    def restore_handlers(self):
        for number, handler in self.previous.items():
            signal.signal(number, handler)

    @contextmanager
    def restoring_on_error(self):
        """Context that restores the handlers if it fails, as by a KeyboardInterrupt of a signal."""
        try:
            yield
        except BaseException:
            self.restore_handlers()
            raise

    def handle(self, number, frame):
        """Handle a signal without printing anything: it may have interrupted a print."""
        signal.signal(number, self.previous[number])
        if self.number is None or self.number in self.kept:
            self.number = number
        self.interrupt_budget()

    def interrupt_budget(self):
        """Interrupt the budget, if there is one and a signal has come."""
        if self.number is not None and self.budget is not None:
            self.budget.interrupt(self.number, self.number in self.kept)

    @contextmanager
    def ending(self, budget):
        """Context in which signals interrupt this budget; one that came before the context does so at once."""
        self.budget = budget
        self.interrupt_budget()
        try:
            yield
        finally:
            self.budget = None


def reset_in_child():
    """Let SIGTERM end a forked child as it ends any process: the fit to be ended is the parent's."""
    handler = signal.getsignal(signal.SIGTERM)
    if handler is terminate or isinstance(getattr(handler, "__self__", None), Stopping):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=reset_in_child)
