"""The searches of a fit take no more than 1.3 times the memory of one search."""

import os

import pytest
from fold_memory import main, peaks

needs_proc = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK),
                                reason="needs Linux's /proc to measure")

MOST = 1.3


@pytest.mark.parametrize("size", ["nosuch", "0x0", "30x0", "3x", "3x4x5"])
def test_what_is_no_size_is_refused(size, capsys):
    with pytest.raises(SystemExit):
        main([size])
    assert f"must be two integers of at least 1 with an x between, got '{size}'" in capsys.readouterr().err


@pytest.mark.slow
@needs_proc
def test_a_fit_that_fails_says_why(capfd):
    """Two rows are too few."""
    with pytest.raises(SystemExit, match="2x10: the fit failed"):
        peaks("2x10", 5, 1)
    assert "Error: " in capfd.readouterr().err


@pytest.mark.soak
@needs_proc
@pytest.mark.parametrize(("size", "threads"), [("1500x3000", 1), ("100x20000", 1), ("20000x50", 1), ("20000x50", 2)])
def test_folds_take_little_more_memory_than_one_search(size, threads):
    """Peaks of the process, which is what users see."""
    one, several = peaks(size, 0, threads), peaks(size, 3, threads)
    print(size, threads, one, several)
    assert several["process"] <= MOST * one["process"], (one, several)
