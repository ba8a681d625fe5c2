"""The variants of the ablation: a preset, switches, and perhaps a remedy against fitting the training samples.

A name says what it is: "paper + survival" is the paper preset with one switch, "default - prior" the defaults without
one of theirs, "default & screen100" the same with a remedy, "nsga2 + two_objectives" the competitor with the
preset's initialisation and two objectives. Any combination may be written so. "curve of mi" is no search, see `curves`.
"""

from dataclasses import dataclass

import numpy as np
from paper.budget import SHORT
from paper.competitors import nsga
from paper.competitors.filters import forest_importance
from paper.curves import NAMES as CURVES
from paper.curves import PREFIX, Curve
from paper.found import Found
from paper.remedies import REMEDIES
from paper.remedies.screen import anova_scores
from sklearn.ensemble import ExtraTreesClassifier

from moeliga import FeaturePrior, MOELIGASelector, Variation


def extra_trees_importance(X, y, random_state=None):
    return ExtraTreesClassifier(500, random_state=random_state, n_jobs=1).fit(X, y).feature_importances_


def class_by_class(X, y):
    """The best features of each class, by ANOVA's F of it against the rest, in turn: minus the best of their ranks."""
    scores = [anova_scores(X, y == label) for label in np.unique(y)]
    ranks = np.argsort(np.argsort(-np.array(scores), axis=1, kind="stable"), axis=1)
    return -(ranks.min(axis=0) + ranks.mean(axis=0) / 1000 / X.shape[1])


SWITCHES = {
    "mean": {"survival__sharing__rank_normalisation": "mean"},
    "no_sharing": {"survival__sharing": None},
    "objective_sharing": {"survival__sharing__space": "objective", "survival__sharing__sigma": 0.1},
    "survival": {"survival": "nsga2"},
    "generation_splits": {"evaluation__split_mode": "generation"},
    "average": {"evaluation__reevaluate": "average"},
    "no_reevaluation": {"evaluation__reevaluate": "none"},
    "log_uniform": {"init": "log_uniform"},
    "mutation_one": {"variation__mutation_rate": 1.0},
    "uniform": {"variation__crossover": "uniform"},
    "prior": {"feature_prior": "auto"},
    "strong_prior": {"feature_prior": FeaturePrior(share=0.9)},
    "forest_prior": {"feature_prior": FeaturePrior(forest_importance)},
    "extra_trees_prior": {"feature_prior": FeaturePrior(extra_trees_importance)},
    "strong_trees_prior": {"feature_prior": FeaturePrior(extra_trees_importance, share=0.9)},
    "class_prior": {"feature_prior": FeaturePrior(class_by_class)},
    "strong_class_prior": {"feature_prior": FeaturePrior(class_by_class, share=0.9)},
    "no_li": {"local_improvement": None},
    "li_full": {"local_improvement__population_size": 50, "local_improvement__n_generations": 70},
    "li_short": SHORT,
    "archive": {"archive": True},
    "rescore": {"evaluation__n_rescore_splits": 50},
    "two_objectives": {"objectives": ("uar", "cardinality")},
    "ten_splits": {"evaluation__n_splits": 10},
    "tenth": {"evaluation__validation_size": 0.1},
    "fifth": {"evaluation__validation_size": 0.2},
    "half": {"evaluation__validation_size": 0.5},
}
"""Parameters that a switch sets; "two__words" is one of a value object."""

MOGA = ("mean", "archive", "rescore")
"""On top of the paper preset: what saves its result from accidents. The search is the paper's."""

DEFAULT = (*MOGA, "survival", "generation_splits", "average", "log_uniform", "prior", "uniform", "li_short")
"""The constructor's defaults."""

BASES = {"paper": (), "moga": MOGA, "default": DEFAULT, "nsga2": MOGA}
"""Switches, on top of the paper preset, of what a name begins with."""

GROUPS = {
    "bases": ("default", "paper", "moga", "nsga2", "nsga2 + two_objectives", "nsga2 + log_uniform",
              "nsga2 + log_uniform + prior"),
    "added": (*(f"paper + {name}" for name in (
        "mean", "no_sharing", "objective_sharing", "survival", "generation_splits", "average", "no_reevaluation",
        "log_uniform", "mutation_one", "uniform", "prior", "no_li", "archive", "rescore",
        "two_objectives")), "paper + average", "paper + archive + rescore"),
    "removed": tuple(f"default - {name}" for name in DEFAULT if name not in ("mean", "li_short")),
    "more": tuple(f"default + {name}" for name in (
        "no_li", "li_full", "two_objectives")),
    "priors": tuple(f"default - prior + {name}" for name in (
        "strong_prior", "forest_prior", "extra_trees_prior", "strong_trees_prior", "class_prior",
        "strong_class_prior")),
    "remedies": (*(f"default + {name}" for name in ("half", "ten_splits", "fifth", "tenth")),
                 *(f"default & {name}" for name in REMEDIES)),
    "curves": CURVES,
}
"""Variants that are run together; a variant may be in two."""

ON_REQUEST = ("curves",)
"""Groups that are not run unless they are named: they take as long as all others together."""


@dataclass(frozen=True)
class Variant:
    """What a name stands for.

    Attributes
    ----------
    base : str
        Key of `BASES`.
    switches : tuple of str
        In the order in which they are set.
    remedy : str
        Key of `REMEDIES`, or "".
    reference : str
        Name of the variant that it differs from in one point; "" for a base.
    """

    base: str
    switches: tuple
    remedy: str
    reference: str

    @classmethod
    def parse(cls, name):
        """The variant of a name.

        Raises
        ------
        ValueError : if it is none.
        """
        head, _, remedy = name.partition(" & ")
        base, *words = head.split(" ")
        if base not in BASES or len(words) % 2 or (remedy and (remedy not in REMEDIES or base == "nsga2")):
            raise ValueError(f"a variant must be one of {', '.join(BASES)}, then ' + SWITCH' or ' - SWITCH', then "
                             f"perhaps ' & ' and one of {', '.join(REMEDIES)} (not for nsga2), got {name!r}")
        switches = list(BASES[base])
        for sign, switch in zip(words[::2], words[1::2], strict=True):
            if sign == "+" and switch in SWITCHES:
                switches.append(switch)
            elif sign == "-" and switch in switches:
                switches.remove(switch)
            else:
                raise ValueError(f"'+' takes one of {', '.join(SWITCHES)}, '-' one that is there, got '{sign} {switch}'"
                                 f" in {name!r}")
        reference = head if remedy else " ".join([base, *words[:-2]]) if words else ""
        return cls(base, tuple(switches), remedy, reference)

    def selector(self, budget, seed):
        """The selector of a search, with the budget from now on."""
        variation = Variation(crossover="one_point")  # an object, so that switches reach into it
        preset = MOELIGASelector.from_preset("paper", random_state=seed, n_jobs=1, variation=variation)
        if not budget.full:
            preset.set_params(**SHORT)
        for switch in self.switches:
            preset.set_params(**SWITCHES[switch])
        return budget.given_to(preset)

    def search(self, X, y, budget, seed):
        """`Found` of a search in the training part.

        Raises
        ------
        Missing : if a package is not installed.
        """
        if self.remedy:
            return REMEDIES[self.remedy](self.selector, X, y, budget, seed)
        selector = self.selector(budget, seed)
        if self.base == "nsga2":
            return Found.by_rules(*nsga.front_of(selector, X, y, budget.evaluations_of(selector), budget.seconds))
        selector.fit(X, y)
        return Found.by_rules(selector.pareto_front_, selector.n_evaluations_, note=selector.stop_reason_)


def of_name(name):
    """The variant, or the curve, of a name.

    Raises
    ------
    ValueError : if it is none.
    """
    return Curve.parse(name) if name.startswith(PREFIX) else Variant.parse(name)


def named(names):
    """Names of variants from names and groups, each once, bases first: list of str.

    Raises
    ------
    ValueError : if there is no such variant or group.
    """
    found = dict.fromkeys(GROUPS["bases"])
    wanted = [variant for name in names for variant in GROUPS.get(name, (name,))]
    for name in wanted:
        of_name(name)
    return [name for name in found if name in wanted] + [name for name in dict.fromkeys(wanted) if name not in found]
