"""The paper's operators, for tests that rest on what they do: how many are evaluated again, elites, f''."""

from copy import copy

from moeliga import MOGA, MOELIGASelector

PAPER = {"survival": "moga", "evaluation__split_mode": "individual", "evaluation__reevaluate": "all",
         "init": "staggered", "variation": "one_point", "feature_prior": None}
"""Parameters for `set_params`."""


def fitting(parameters, survival="nsga2"):
    """Return parameters without those of `MOGA` where survival is by competition, which has none.

    Value objects are copies: nested names change them in place.
    """
    way = parameters.get("survival", survival)
    competing = not (isinstance(way, MOGA) or (isinstance(way, str) and way == "moga"))
    return {name: copy(value) if name in MOELIGASelector.short_forms else value for name, value in parameters.items()
            if not (competing and name.startswith("survival__"))}


def plainly(parameters):
    """Return parameters as the twin calls them: without the names of value objects."""
    own = {"constraints__groups": "feature_groups", "islands__n": "n_islands", "islands__every": "migration_interval",
           "init__subsets": "initial_subsets"}
    return {own.get(name, name.rpartition("__")[2]): value for name, value in parameters.items()}
