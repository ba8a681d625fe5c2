"""Objective III the slow way: every distance summed feature by feature, every nearest hit and miss looked for."""

import numpy as np


def separability(values, hits, selected, instances):
    """M_d of one subset (Eq. `mdist`).

    Parameters
    ----------
    values : ndarray of float32, shape (n_features, n_samples), scaled to [0, 1]
    hits : ndarray of bool, shape (n_samples, n_samples), whether j is a hit of i
    selected : features, ascending
    instances : samples, in the order in which their terms are summed

    Returns
    -------
    separability : float; 0 if no instance has both a hit and a miss
    """
    total, counted = 0.0, 0
    for i in instances:
        distance = np.zeros(len(hits), dtype=np.float32)
        for f in selected:
            distance += np.abs(values[f] - values[f, i])
        miss = distance[~hits[i]]
        hit = distance[hits[i] & (np.arange(len(hits)) != i)]  # an instance is not its own hit
        if len(hit) and len(miss):
            total += float(miss.min()) - float(hit.min())
            counted += 1
    return total / (len(selected) * counted) if counted else 0.0
