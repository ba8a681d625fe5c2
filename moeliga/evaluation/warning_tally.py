"""Warnings of thousands of fits, here and in workers: each kind is shown once, with its number."""

import threading
import warnings
from contextlib import contextmanager


class Tally(dict):
    """Maps each kind of warning, (category, file, line), to its first text and its count."""

    @contextmanager
    def collecting(self):
        """Context whose warnings are counted, not shown; the caller's filters hold. Only the main thread counts."""
        if threading.current_thread() is not threading.main_thread():  # `catch_warnings` is not safe with threads
            yield
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", append=True)
            try:
                yield
            finally:
                self.add({(each.category, each.filename, each.lineno): (str(each.message), 1)} for each in caught)

    def add(self, tallies):
        """Add the counts of other tallies."""
        for tally in tallies:
            for kind, (text, number) in tally.items():
                first, before = self.get(kind, (text, 0))
                self[kind] = first, before + number

    def tell(self):
        """Give one warning of each kind, at the line of its code, and empty the tally."""
        told = list(self.items())
        self.clear()
        for (category, *place), (text, number) in told:
            warnings.warn_explicit(f"{text} ({number:,} times)" if number > 1 else text, category, *place)
