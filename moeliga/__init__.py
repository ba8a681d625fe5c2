"""Multi-objective feature selection: subsets of every size, and what each is worth on new samples."""

from importlib.metadata import version

from moeliga.analysis.optimism import OptimismReport, optimism_report
from moeliga.analysis.stability import StabilityReport, stability_report
from moeliga.base.signals import stop_on
from moeliga.base.versions import show_versions
from moeliga.callbacks import PrintProgress, ProgressBar
from moeliga.forest.classifier import ExtraTreesClassifier, RandomForestClassifier
from moeliga.forest.regressor import ExtraTreesRegressor, RandomForestRegressor
from moeliga.functions import evaluate_subsets, pareto_rank, separability, shared_fitness
from moeliga.parameters.checkpoint import Checkpoint
from moeliga.parameters.constraints import Constraints
from moeliga.parameters.evaluation import Evaluation
from moeliga.parameters.feature_prior import FeaturePrior
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.islands import Islands
from moeliga.parameters.local_improvement import LocalImprovement
from moeliga.parameters.moga import MOGA, FitnessSharing
from moeliga.parameters.objectives import Cardinality, FeatureCost, Separability
from moeliga.parameters.variation import Variation
from moeliga.results.front import ParetoFront
from moeliga.results.rules import NoLoss
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
    "Cardinality", "Checkpoint", "Constraints", "ConvergenceDisplay", "DecisionTreeClassifier", "DecisionTreeRegressor",
    "Evaluation", "ExtraTreesClassifier", "ExtraTreesRegressor", "FeatureCost", "FeatureFrequencyDisplay",
    "FeaturePrior", "FitnessSharing", "Islands", "LocalImprovement", "LogUniformInit", "MOELIGASelector", "MOGA",
    "NoLoss", "OptimismDisplay", "OptimismReport", "ParetoFront", "ParetoFrontDisplay", "PrintProgress", "ProgressBar",
    "RandomForestClassifier", "RandomForestRegressor", "Separability", "StabilityDisplay", "StabilityReport",
    "StaggeredInit", "Variation", "evaluate_subsets", "optimism_report", "pareto_rank", "separability",
    "shared_fitness", "show_versions", "stability_report", "stop_on", "write_report",
]
