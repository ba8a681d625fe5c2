"""Warnings: where they point, and their filters, which the threads of a process have in common."""

import re
import sys
import threading
import warnings
from contextlib import contextmanager

FILTERS = threading.RLock()
"""Held by who changes the filters of warnings while searches run in threads, which have them in common: contexts that
put them back must not overlap. Held during a fork too, or a child could wait for a thread that it does not have."""

NOISE = "`sklearn.utils.parallel.delayed` should be used"
"""Warning of scikit-learn's forests where several fit in threads: they empty each other's filters for a moment."""


PASSED_ON = {"moeliga", "sklearn", "joblib", "contextlib", "threading"}
"""Packages between a warning and the line that it points to."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's that has called the package, through scikit-learn or not."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED_ON:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=2 if frame is None else level)  # no such line in a thread


class Unheard(threading.local):
    """Beginnings of the warnings that a thread does not show, whatever others do to the filters."""

    starts: tuple[str, ...] = ()


UNHEARD = Unheard()


@contextmanager
def unheard(start):
    """Context that shows no warnings of this thread that begin with `start`.

    A filter alone is not enough: scikit-learn's threads put filters back without a lock. All of these that run beside
    this one are in `without_noise`.
    """
    before = UNHEARD.starts
    UNHEARD.starts = (*before, start)
    try:
        with FILTERS, warnings.catch_warnings():
            warnings.filterwarnings("ignore", re.escape(start))
            yield
    finally:
        UNHEARD.starts = before


@contextmanager
def without_noise():
    """Context of fits in threads, which shows no `NOISE`, nor what is `unheard`, and leaves the filters as they were.
    Main threads only.

    Other warnings go where they would go: threads that outlive the context may put its `showwarning` back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught = warnings.catch_warnings()
    with FILTERS:
        caught.__enter__()
    try:
        show = warnings.showwarning

        def show_others(message, *rest, **options):
            if not str(message).startswith((NOISE, *UNHEARD.starts)):
                show(message, *rest, **options)

        warnings.showwarning = show_others
        yield
    finally:
        with FILTERS:
            caught.__exit__(None, None, None)
