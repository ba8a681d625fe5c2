"""What makes two searches the same."""

from numpy.testing import assert_array_equal


def assert_same(one, other):
    """Fronts, choice, counts and history of two fitted selectors, bit for bit; seconds are another matter."""
    for front in ("pareto_front_", "initial_front_"):
        for name in ("supports", "objectives", "search_objectives", "score_se"):
            assert getattr(getattr(one, front), name).tobytes() == getattr(getattr(other, front), name).tobytes()
    for name in ("index_", "n_evaluations_", "stop_reason_"):
        assert getattr(one, name) == getattr(other, name)
    assert_array_equal(one.initial_survival_, other.initial_survival_)
    assert one.history_.keys() == other.history_.keys()
    for name in one.history_.keys() - {"seconds"}:
        assert_array_equal(one.history_[name], other.history_[name], err_msg=name)
