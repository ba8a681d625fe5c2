"""Warnings of thousands of fits, here and in workers: each kind is told once, with its number."""

import threading
import warnings
from contextlib import contextmanager


class Tally(dict):
    """Kinds of warnings, (category, file, line), each with its first text and its number."""

    @contextmanager
    def collecting(self):
        """Context whose warnings are counted instead of shown; filters of the caller hold. Main threads only."""
        if threading.current_thread() is not threading.main_thread():  # threads share what catches warnings
            yield
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", append=True)
            try:
                yield
            finally:
                self.add({(each.category, each.filename, each.lineno): (str(each.message), 1)} for each in caught)

    def add(self, tallies):
        """Count the warnings of other tallies, too."""
        for tally in tallies:
            for kind, (text, number) in tally.items():
                first, before = self.get(kind, (text, 0))
                self[kind] = first, before + number

    def tell(self):
        """Warn once of each kind, from where the first came, and forget them."""
        told = list(self.items())
        self.clear()
        for (category, *place), (text, number) in told:
            warnings.warn_explicit(f"{text} ({number:,} times)" if number > 1 else text, category, *place)
