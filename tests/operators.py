"""The paper's operators, for tests that rest on what they do: how many are evaluated again, elites, f''."""

PAPER = {"survival": "moga", "evaluation__split_mode": "individual", "evaluation__reevaluate": "all",
         "init": "staggered", "variation": "one_point", "feature_prior": None}
"""Parameters for `set_params`."""


def fitting(parameters, survival="nsga2"):
    """Return parameters without those of `MOGA` where survival is by competition, which has none."""
    if parameters.get("survival", survival) != "nsga2":
        return parameters
    return {name: value for name, value in parameters.items() if not name.startswith("survival__")}
