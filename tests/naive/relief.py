"""Objective III the slow way: every distance summed feature by feature, every nearest hit and miss looked for."""

import numpy as np


def separability(values, labels, selected, instances):
    """M_d of one subset (Eq. `mdist`).

    Parameters
    ----------
    values : ndarray of float32, shape (n_features, n_samples), scaled to [0, 1]
    labels : sequence of int, length n_samples
    selected : features, ascending
    instances : samples, in the order in which their terms are summed

    Returns
    -------
    separability : float; 0 if no instance has both a hit and a miss
    """
    labels = np.asarray(labels)
    total, counted = 0.0, 0
    for i in instances:
        distance = np.zeros(len(labels), dtype=np.float32)
        for f in selected:
            distance += np.abs(values[f] - values[f, i])
        same = labels == labels[i]
        miss = distance[~same]
        same[i] = False  # an instance is not its own hit
        hit = distance[same]
        if len(hit) and len(miss):
            total += float(miss.min()) - float(hit.min())
            counted += 1
    return total / (len(selected) * counted) if counted else 0.0
