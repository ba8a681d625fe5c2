"""What the cases of tests are called, in any process."""

import re


def named(value):
    """Return `str` of a value, without the addresses of what is in it."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
