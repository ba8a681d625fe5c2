"""Named sets of the selector's parameters."""

from typing import Any

from moeliga.parameters.evaluation import Evaluation
from moeliga.parameters.local_improvement import LocalImprovement
from moeliga.parameters.moga import MOGA, FitnessSharing

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # the paper's literal choices, where the defaults depart from them
    "paper": {"honest": None, "rule": "r1", "islands": None, "population_size": 90, "n_generations": 300,
              "evaluation": Evaluation(split_mode="individual", reevaluate="all", n_rescore_splits=0),
              "survival": MOGA(sharing=FitnessSharing(rank_normalisation="sum")), "init": "staggered",
              "variation": "one_point", "feature_prior": None, "archive": False,
              "local_improvement": LocalImprovement(population_size=50, n_generations=70)},
}
