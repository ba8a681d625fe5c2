"""Multi-objective feature selection: a Pareto front of small, accurate, well-separated feature subsets."""

from importlib.metadata import version

from moeliga.analysis.optimism import OptimismReport, optimism_report
from moeliga.analysis.stability import StabilityReport, stability_report
from moeliga.base.versions import show_versions
from moeliga.callbacks import PrintProgress, ProgressBar
from moeliga.functions import evaluate_subsets, pareto_rank, separability, shared_fitness
from moeliga.parameters.feature_prior import FeaturePrior
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.mechanisms import Cardinality, FeatureCost, FitnessSharing, LocalImprovement, Separability
from moeliga.parameters.variation import Variation
from moeliga.results.front import ParetoFront
from moeliga.search.checkpoint import Checkpoint
from moeliga.selector import MOELIGASelector
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor
from moeliga.visualisation.convergence import ConvergenceDisplay
from moeliga.visualisation.frequency import FeatureFrequencyDisplay
from moeliga.visualisation.front import ParetoFrontDisplay
from moeliga.visualisation.optimism import OptimismDisplay
from moeliga.visualisation.report import write_report
from moeliga.visualisation.stability import StabilityDisplay

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
