"""The searches of a fit take no more than 1.3 times the memory of one search."""

import os

import pytest
from fold_memory import peaks

pytestmark = [pytest.mark.soak, pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's /proc to measure")]

MOST = 1.3


@pytest.mark.parametrize(("size", "threads"), [("1500x3000", 1), ("100x20000", 1), ("20000x50", 1), ("20000x50", 2)])
def test_folds_take_little_more_memory_than_one_search(size, threads):
    """Peaks of the process, which is what users see."""
    one, several = peaks(size, 0, threads), peaks(size, 3, threads)
    print(size, threads, one, several)
    assert several["process"] <= MOST * one["process"], (one, several)
