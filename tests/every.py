"""One test for many cases that take no time each, such as all files of a folder."""

import pytest


def for_every(cases):
    """Return a decorator: the test is called with each of `cases`, and fails with the names of those that fail."""
    def decorator(test):
        def each():
            failed = {}
            for case in cases:
                try:
                    test(case)
                except AssertionError as error:
                    failed[str(case)] = str(error)
            if failed:
                pytest.fail("\n\n".join(f"{case}:\n{text}" for case, text in failed.items()), pytrace=False)

        each.__name__, each.__qualname__, each.__doc__, each.__module__ = (
            test.__name__, test.__qualname__, test.__doc__, test.__module__)
        return each

    return decorator
