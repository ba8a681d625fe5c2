"""Filters of warnings, which the threads of a process have in common."""

import threading
import warnings
from contextlib import contextmanager

FILTERS = threading.RLock()
"""Held by who changes the filters of warnings while searches run in threads, which have them in common: contexts that
put them back must not overlap. Held during a fork too, or a child could wait for a thread that it does not have."""

NOISE = "`sklearn.utils.parallel.delayed` should be used"
"""What forests of scikit-learn warn of where several fit in threads: they empty each other's filters for a moment."""


@contextmanager
def without_noise():
    """Context of fits in threads, which shows no `NOISE`, and leaves the filters as they were. Main threads only.

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
            if not str(message).startswith(NOISE):
                show(message, *rest, **options)

        warnings.showwarning = show_others
        yield
    finally:
        with FILTERS:
            caught.__exit__(None, None, None)
