# Values of the objectives of a population, as the dominance and the niche rooms take them.


cdef inline check_objectives(const double[:, ::1] objectives):
    """Raise ValueError unless there is an objective, and every value is finite."""
    import numpy as np

    if objectives.shape[1] < 1:
        raise ValueError("objectives must have at least one column, got 0")
    if not np.all(np.isfinite(objectives)):
        raise ValueError("objectives must be finite, got NaN or infinity")
