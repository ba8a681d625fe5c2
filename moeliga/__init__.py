"""Multi-objective feature selection: a Pareto front of small, accurate, well-separated feature subsets."""

from importlib.metadata import version

from moeliga.callbacks import PrintProgress, ProgressBar
from moeliga.checkpoint import Checkpoint
from moeliga.convergence_display import ConvergenceDisplay
from moeliga.frequency_display import FeatureFrequencyDisplay
from moeliga.front import ParetoFront
from moeliga.front_display import ParetoFrontDisplay
from moeliga.initialisation import LogUniformInit, StaggeredInit
from moeliga.measures import evaluate_subsets, pareto_rank, separability, shared_fitness
from moeliga.optimism import OptimismReport, optimism_report
from moeliga.optimism_display import OptimismDisplay
from moeliga.prior import FeaturePrior
from moeliga.report import write_report
from moeliga.selector import MOELIGASelector
from moeliga.settings import Cardinality, FeatureCost, FitnessSharing, LocalImprovement, Separability
from moeliga.stability import StabilityReport, stability_report
from moeliga.stability_display import StabilityDisplay
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor
from moeliga.variation import Variation
from moeliga.versions import show_versions

__version__ = version("moeliga")

__all__ = [
    "Cardinality",
    "Checkpoint",
    "ConvergenceDisplay",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "FeatureCost",
    "FeatureFrequencyDisplay",
    "FeaturePrior",
    "FitnessSharing",
    "LocalImprovement",
    "LogUniformInit",
    "MOELIGASelector",
    "OptimismReport",
    "OptimismDisplay",
    "ParetoFront",
    "ParetoFrontDisplay",
    "PrintProgress",
    "ProgressBar",
    "Separability",
    "StabilityDisplay",
    "StabilityReport",
    "StaggeredInit",
    "Variation",
    "evaluate_subsets",
    "optimism_report",
    "pareto_rank",
    "separability",
    "shared_fitness",
    "show_versions",
    "stability_report",
    "write_report",
]
