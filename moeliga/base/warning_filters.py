"""Warnings: the lines that they point to, and their filters, which the threads of a process share."""

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

NOISE = "`sklearn.utils.parallel.delayed` should be used"
"""Beginning of a warning of scikit-learn's forests when several fit in threads, which empty each other's filters."""

SKIPPED_PACKAGES = {"moeliga", "sklearn", "joblib", "contextlib", "threading"}
"""Packages between a warning and the line that it points to."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line that called the package, directly or through scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in SKIPPED_PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=2 if frame is None else level)  # no such line in a thread


@contextmanager
def quiet(hidden: bool = True) -> Iterator[None]:
    """Context that shows no warnings, if they are to be `hidden`. Main threads only.

    Threads share the filters, and restore each other's if their contexts overlap: superfluous warnings in other threads
    are better than a program that shows none for ever.
    """
    if not hidden or threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def without_noise():
    """Context of fits in threads, which shows no `NOISE`, and leaves the filters as they were. Main threads only.

    Other warnings are shown as before, even if a thread that outlives the context restores its `showwarning`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        show = warnings.showwarning

        def show_others(message, *rest, **options):
            if not str(message).startswith(NOISE):
                show(message, *rest, **options)

        warnings.showwarning = show_others
        yield
