"""A test for many cases fails with the names of those that fail, and no other."""

import pytest
from every import for_every


def test_cases_that_fail_are_named():
    @for_every(["good", "bad", "worse"])
    def small(case):
        """Is said."""
        assert case == "good", f"{case} is wrong"

    with pytest.raises(pytest.fail.Exception) as told:
        small()
    assert "bad:\nbad is wrong" in str(told.value) and "worse:\nworse is wrong" in str(told.value)
    assert "good:" not in str(told.value)
    assert (small.__name__, small.__doc__) == ("small", "Is said.")
    for_every(["good"])(lambda case: None)()
