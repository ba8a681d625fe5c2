"""On wide data and one thread the searches of a fit take no more than 1.3 times the memory of one search."""

import os

import pytest
from fold_memory import peaks

pytestmark = [pytest.mark.soak, pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's /proc to measure")]

MOST = 1.3


@pytest.mark.parametrize("size", ["1500x3000", "100x20000"])
def test_folds_take_little_more_memory_than_one_search(size):
    """Peaks of the process, which is what users see. Two threads and many rows take more, see README.md."""
    one, several = peaks(size, 0, 1), peaks(size, 3, 1)
    print(size, one, several)
    assert several["process"] <= MOST * one["process"], (one, several)
