"""What the studies of moeliga's own parameters share: settings, their jobs, and the measure that ranks them.

The measure is the paper's R1 with plain CR: 1 - sqrt((1 - UAR)^2 + (k/F)^2), with the UAR of the judging tree on the
outer test part. Which member of the front it is taken of is decided on the training part; the paper seems to take the
member with the largest value itself, which nobody could choose. The value of a setting is the median over the outer
splits, which stand in for the paper's five replications on one split.
"""

import itertools

import numpy as np
from paper import grid
from paper.protocol import OWN

from moeliga import Cardinality, FitnessSharing

METHOD = "moeliga-paper"
"""The paper preset, of which the settings change some parameters."""

REPLICATIONS = 5
"""Outer splits, as many as the paper has replications."""


def lambda_of(value):
    """Objective II with a lambda; None is CR itself."""
    return Cardinality(lambda_=value)


def sharing_of(sigma):
    return FitnessSharing(sigma=sigma, rank_normalisation="sum")  # the rest is the preset's


def product(axes):
    """All combinations: list of dict from axis to value."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def named(setting):
    """Its name in the column `setting`: "sigma=0.0025 lambda=None"."""
    return " ".join(f"{name}={value}" for name, value in setting.items())


def jobs(names, settings, n_splits, seed, generations, parameters):
    """Jobs of all settings on all random outer splits.

    Parameters
    ----------
    settings : list of dict
    parameters : callable
        From a setting to parameters of the selector.
    """
    return [grid.Job(name, str(split), METHOD, seed, named(setting),
                     {"n_generations": generations, **parameters(setting)})
            for name in names for split in range(n_splits) for setting in settings]


def measure(row):
    """R1 with plain CR and the test UAR, of one row."""
    share = int(row["features"]) / int(row["of"])
    return 1 - float(np.hypot(1 - float(row["tree_uar"]), share))


def medians(rows, settings):
    """Median over the splits of each data set and setting: dict from (data, name of the setting) to (float, int).

    The second number counts the splits. Settings that are not asked for, and failed jobs, are left out.
    """
    wanted, found = {named(setting) for setting in settings}, {}
    for row in rows:
        if row["status"] == "ok" and not row["choice"] and row["split"] != OWN and row["setting"] in wanted:
            found.setdefault((row["data"], row["setting"]), {})[row["split"], row["seed"]] = measure(row)
    return {key: (float(np.median(list(values.values()))), len(values)) for key, values in found.items()}
