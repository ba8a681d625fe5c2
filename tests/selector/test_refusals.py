"""Parameters that a selector refuses: each message names the argument, the rule and the value."""

import re

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from small_selectors import data, small

from moeliga import (
    MOGA,
    Cardinality,
    Checkpoint,
    DecisionTreeClassifier,
    FeaturePrior,
    FitnessSharing,
    Islands,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    NoLoss,
    PrintProgress,
    Separability,
    StaggeredInit,
    Variation,
    optimism_report,
    separability,
    stability_report,
)
from moeliga.search.resolve import resolve
from single_search import single_search


def constant(mask, X, y):
    """An objective that is always 1."""
    return 1.0


def objective(value):
    """An objective that always returns the value."""

    def given(mask, X, y):
        return value

    return given


SUBSETS = "init.subsets[0] must be a mask, names or integer indices, got "
TERMS = ("objectives must hold 'uar', 'cardinality', 'cost', 'separability', Cardinality, FeatureCost, Separability or "
         "callables, got ")
RULE = ("rule must be one of ('no_loss', 'one_se', 'best', 'knee', 'r1', 'r1_lambda'), a NoLoss or a callable, got ")
HONEST = "honest must be a number of folds, a splitter, an iterable of (train, test) pairs of rows, or None, got "
CV = "cv must be a number of folds, a splitter, an iterable of (train, test) pairs of rows, 'oob' or None, got "
REEVALUATE = "evaluation.reevaluate must be one of ('all', 'none', 'average'), got "
INIT = "init must be 'log_uniform', 'staggered', a LogUniformInit or a StaggeredInit, got "
SHARING = "survival.sharing must be None, 'cluster', 'niche', 'mean_distance' or a FitnessSharing, got "
LOCAL = "local_improvement must be None, 'parent', 'complete', 'selection' or a LocalImprovement, got "
VARIATION = "variation must be 'one_point', 'two_point', 'uniform' or a Variation, got "
SCHEDULE = "variation.schedule must be None, 'exponential' or (start, end), got "
BAD_PARAMETERS = [
    ({"evaluation__n_splits": 0}, ValueError, "evaluation.n_splits must be >= 1, got 0"),
    ({"evaluation__n_splits": 2.5}, TypeError, "evaluation.n_splits must be an integer, got 2.5"),
    ({"evaluation__n_splits": True}, TypeError, "evaluation.n_splits must be an integer, got True"),
    ({"evaluation__n_splits": 2**31}, ValueError, "evaluation.n_splits must be <= 2147483647, got 2147483648"),
    ({"evaluation__validation_size": 0}, ValueError, "evaluation.validation_size must be in (0, 1), got 0"),
    ({"evaluation__validation_size": 1.0}, ValueError, "evaluation.validation_size must be in (0, 1), got 1.0"),
    ({"evaluation__validation_size": float("nan")}, ValueError, "evaluation.validation_size must be finite, got nan"),
    ({"evaluation__validation_size": "0.3"}, TypeError, "evaluation.validation_size must be a number, got '0.3'"),
    ({"evaluation__split_mode": "x"}, ValueError,
     "evaluation.split_mode must be one of ('individual', 'generation'), got 'x'"),
    ({"evaluation__split_mode": ["individual"]}, ValueError,
     "evaluation.split_mode must be one of ('individual', 'generation'), got ['individual']"),
    ({"evaluation__subsample": 1}, ValueError, "evaluation.subsample must be >= 2, got 1"),
    ({"evaluation__subsample": 0.0}, ValueError, "evaluation.subsample must be in (0, 1], got 0.0"),
    ({"evaluation__subsample": 1.5}, ValueError, "evaluation.subsample must be in (0, 1], got 1.5"),
    ({"evaluation__subsample": float("nan")}, ValueError, "evaluation.subsample must be finite, got nan"),
    ({"evaluation__subsample": 2**31}, ValueError, "evaluation.subsample must be <= 2147483647, got 2147483648"),
    ({"evaluation__subsample": "auto"}, TypeError, "evaluation.subsample must be a number, got 'auto'"),
    ({"evaluation__subsample": True}, TypeError, "evaluation.subsample must be a number, got True"),
    ({"evaluation__subsample": [20]}, TypeError, "evaluation.subsample must be a number, got [20]"),
    ({"evaluation__subsample": 20, "objectives": ["uar", Separability(samples=21, replace=False)]}, ValueError,
     "separability.samples must be <= 20, the number of samples, without replacement, got 21"),
    ({"objectives": "uar"}, TypeError, "objectives must be a sequence of objectives, got 'uar'"),
    ({"objectives": 3}, TypeError, "objectives must be a sequence of objectives, got 3"),
    ({"objectives": np.array(3)}, TypeError, "objectives must be a sequence of objectives, got array(3)"),
    ({"objectives": iter(["uar"])}, TypeError, None),
    ({"objectives": ()}, ValueError, "objectives must hold 'uar' or begin with a callable, got []"),
    ({"objectives": ["cardinality"]}, ValueError,
     "objectives must hold 'uar' or begin with a callable, got ['cardinality']"),
    ({"objectives": ["uar", "size"]}, ValueError, TERMS + "'size'"),
    ({"objectives": ["uar", Cardinality]}, ValueError, TERMS + repr(Cardinality)),
    ({"objectives": ["uar", None]}, ValueError, TERMS + "None"),
    ({"objectives": ["uar", "uar"]}, ValueError, "objectives must be distinct, got ['uar', 'uar']"),
    ({"objectives": ["uar", "separability", Separability()]}, ValueError,
     "objectives must be distinct, got ['uar', 'separability', 'separability']"),
    ({"objectives": [objective(float("nan"))]}, ValueError, "objective 'given' must be finite, got nan"),
    ({"objectives": ["uar", objective(float("inf"))]}, ValueError, "objective 'given' must be finite, got inf"),
    ({"objectives": ["uar", objective(None)]}, TypeError, "objective 'given' must return a number, got None"),
    ({"objectives": ["uar", objective([1, 2])]}, TypeError, "objective 'given' must return a number, got [1, 2]"),
    ({"objectives": ["uar", objective("a")]}, TypeError, "objective 'given' must return a number, got 'a'"),
    ({"objectives": ["uar", objective("0.5")]}, TypeError, "objective 'given' must return a number, got '0.5'"),
    ({"objectives": ["uar", Cardinality(lambda_=0)]}, ValueError, "cardinality.lambda_ must be > 0, got 0"),
    ({"objectives": ["uar", Cardinality(lambda_="x")]}, TypeError, "cardinality.lambda_ must be a number, got 'x'"),
    ({"objectives": ["uar", Cardinality(gamma=-float("inf"))]}, ValueError,
     "cardinality.gamma must be finite, got -inf"),
    ({"objectives": ["uar", Cardinality(lambda_=10**309)]}, ValueError,
     f"cardinality.lambda_ must be finite, got {10**309}"),
    ({"objectives": ["uar", Separability(samples=0)]}, ValueError, "separability.samples must be >= 1, got 0"),
    ({"objectives": ["uar", Separability(samples=0.0)]}, ValueError,
     "separability.samples must be in (0, 1], got 0.0"),
    ({"objectives": ["uar", Separability(samples=1.5)]}, ValueError,
     "separability.samples must be in (0, 1], got 1.5"),
    ({"objectives": ["uar", Separability(samples="all")]}, TypeError,
     "separability.samples must be a number, got 'all'"),
    ({"objectives": ["uar", Separability(samples=41, replace=False)]}, ValueError,
     "separability.samples must be <= 40, the number of samples, without replacement, got 41"),
    ({"objectives": ["uar", Separability(replace=None)]}, TypeError,
     "separability.replace must be True or False, got None"),
    ({"population_size": 1}, ValueError, "population_size must be >= 2, got 1"),
    ({"population_size": 10**20}, ValueError, f"population_size must be <= 2147483647, got {10**20}"),
    ({"population_size": 12.0}, TypeError, "population_size must be an integer, got 12.0"),
    ({"n_generations": -1}, ValueError, "n_generations must be >= 0, got -1"),
    ({"survival__n_elite": -1}, ValueError, "survival.n_elite must be >= 0, got -1"),
    ({"survival__n_elite": None}, TypeError, "survival.n_elite must be an integer, got None"),
    ({"survival__n_elite": "front"}, TypeError, "survival.n_elite must be an integer, got 'front'"),
    ({"survival__generation_gap": -1}, ValueError, "survival.generation_gap must be >= 0, got -1"),
    ({"survival": "moga", "survival__n_elite": 4, "survival__generation_gap": 4}, ValueError,
     "survival.n_elite + generation_gap must be < 8, the smallest population_size (main or subordinate), got 4 + 4"),
    ({"survival": "moga", "survival__n_elite": 12, "survival__generation_gap": 0, "local_improvement": None},
     ValueError,
     "survival.n_elite + generation_gap must be < 12, the smallest population_size (main or subordinate), got 12 + 0"),
    ({"evaluation__reevaluate": "some"}, ValueError, REEVALUATE + "'some'"),
    ({"evaluation__reevaluate": None}, ValueError, REEVALUATE + "None"),
    ({"survival": "nsga3"}, ValueError, "survival must be 'nsga2', 'moga' or a MOGA, got 'nsga3'"),
    ({"survival": None}, ValueError, "survival must be 'nsga2', 'moga' or a MOGA, got None"),
    ({"archive": None}, TypeError, "archive must be True or False, got None"),
    ({"evaluation__n_rescore_splits": -1}, ValueError, "evaluation.n_rescore_splits must be >= 0, got -1"),
    ({"evaluation__n_rescore_splits": None}, TypeError, "evaluation.n_rescore_splits must be an integer, got None"),
    ({"islands__n": 0}, ValueError, "islands.n must be >= 1, got 0"),
    ({"islands__n": 2.0}, TypeError, "islands.n must be an integer, got 2.0"),
    ({"islands__n": None}, TypeError, "islands.n must be an integer, got None"),
    ({"islands__n": 2, "max_evaluations": 23}, ValueError,
     "max_evaluations must be >= population_size=12 * 2 islands (islands.n, one or more for each of islands.sizes), "
     "got 23"),
    ({"islands": "size"}, ValueError, "islands must be 'sizes', None or an Islands, got 'size'"),
    ({"islands__sizes": "small"}, TypeError, "islands.sizes must be a sequence of numbers, got 'small'"),
    ({"islands__sizes": 5}, TypeError, "islands.sizes must be a sequence of numbers, got 5"),
    ({"islands__sizes": ()}, ValueError, "islands.sizes must hold ascending numbers, got ()"),
    ({"islands__sizes": (4, 4)}, ValueError, "islands.sizes must hold ascending numbers, got (4, 4)"),
    ({"islands__sizes": (4, 5.5)}, TypeError, "islands.sizes must be an integer, got 5.5"),
    ({"islands__sizes": (0, 4)}, ValueError, "islands.sizes must be >= 1, got 0"),
    ({"islands__sizes": (2,), "constraints__min_features": 3}, ValueError,
     "islands.sizes must end with a larger number, as constraints and max_features allow subsets of 3 to 9 features, "
     "got (2,)"),
    ({"islands__sizes": (2,), "init__subsets": [[1, 2, 3]]}, ValueError,
     "init.subsets[0] must be in a band of islands.sizes, got 3 features; max_features, or islands.sizes, set the "
     "largest size"),
    ({"islands__every": 0}, ValueError, "islands.every must be >= 1, got 0"),
    ({"islands__every": True}, TypeError, "islands.every must be an integer, got True"),
    ({"init": None}, ValueError, INIT + "None"),
    ({"init": "random"}, ValueError, INIT + "'random'"),
    ({"init": StaggeredInit}, ValueError, INIT + str(StaggeredInit)),
    ({"init": LogUniformInit(0)}, ValueError, "init.smallest must be >= 1, got 0"),
    ({"init": LogUniformInit(1.5)}, TypeError, "init.smallest must be an integer, got 1.5"),
    ({"init": LogUniformInit(largest=0)}, ValueError, "init.largest must be in (0, 1], got 0"),
    ({"init": LogUniformInit(largest=1.01)}, ValueError, "init.largest must be in (0, 1], got 1.01"),
    ({"init": StaggeredInit((0.5, 0.4), (0.1, 0.2))}, ValueError,
     "init.fractions must sum to 1, got (0.5, 0.4), which sum to 0.9"),
    ({"init": StaggeredInit((0.5, 0.5), (0.1,))}, ValueError,
     "init.fractions and init.rates must have the same length, at least 1, got 2 and 1"),
    ({"init": StaggeredInit((), ())}, ValueError,
     "init.fractions and init.rates must have the same length, at least 1, got 0 and 0"),
    ({"init": StaggeredInit((1.5, -0.5), (0.1, 0.2))}, ValueError, "init.fractions must be in [0, 1], got 1.5"),
    ({"init": StaggeredInit(1, 0.1)}, TypeError, "init.fractions must be a sequence of numbers, got 1"),
    ({"init": StaggeredInit((1,), 0.1)}, TypeError, "init.rates must be a sequence of numbers, got 0.1"),
    ({"init": StaggeredInit((1,), (0,))}, ValueError, "init.rates must be in (0, 1], got 0"),
    ({"init": StaggeredInit((1,), (-0.2,))}, ValueError, "init.rates must be in (0, 1], got -0.2"),
    ({"init": StaggeredInit((1,), (1.1,))}, ValueError, "init.rates must be in (0, 1], got 1.1"),
    ({"init": StaggeredInit(spread=-0.1)}, ValueError, "init.spread must be >= 0, got -0.1"),
    ({"init__subsets": "abc"}, TypeError, "init.subsets must be a sequence of subsets, got 'abc'"),
    ({"init__subsets": 5}, TypeError, "init.subsets must be a sequence of subsets, got 5"),
    ({"init__subsets": [[]]}, ValueError, "init.subsets[0] must not be empty, got []"),
    ({"init__subsets": [[0], [False] * 9]}, ValueError,
     f"init.subsets[1] must not be empty, got {[False] * 9}"),
    ({"init__subsets": [[True, False]]}, ValueError,
     "init.subsets[0] must have 9 entries, one for each feature of X, got 2"),
    ({"init__subsets": [["x0", "height"]]}, ValueError,
     "init.subsets[0] must name features of X, got the unknown name 'height'"),
    ({"init__subsets": [[0, 9]]}, ValueError,
     "init.subsets[0] must hold indices in [0, 9), got [0, 9]"),
    ({"init__subsets": [[-1]]}, ValueError, "init.subsets[0] must hold indices in [0, 9), got [-1]"),
    ({"init__subsets": [[0.5]]}, ValueError, SUBSETS + "[0.5]"),
    ({"init__subsets": [3]}, ValueError, SUBSETS + "3"),
    ({"init__subsets": ["x0"]}, ValueError, SUBSETS + "'x0'"),
    ({"init__subsets": [[f] for f in range(9)] + [[0, f] for f in range(1, 5)]}, ValueError,
     "init.subsets must hold at most population_size=12 subsets, got 13"),
    ({"constraints__must_include": ["none such"]}, ValueError,
     "constraints.must_include must name features of X, got the unknown name 'none such'"),
    ({"constraints__must_include": [0, 1], "constraints__exclude": [1]}, ValueError,
     "constraints.must_include and constraints.exclude must not share a feature, got 'x1' in both"),
    ({"constraints__exclude": range(9)}, ValueError,
     "constraints.must_include and constraints.exclude must leave features to choose from, got 0 and 9 of 9"),
    ({"constraints__groups": ["a"]}, ValueError,
     "constraints.groups must be 9 labels, one for each feature, or subsets of features, got 1 entries"),
    ({"constraints__costs": [1, 2]}, ValueError,
     "constraints.costs must be 9 numbers, one for each feature of X, got an array of int64 of shape (2,)"),
    ({"objectives": ("uar", "cost")}, ValueError, "constraints.costs must be given for the objective 'cost', got None"),
    ({"constraints__encode": "one-hot"}, ValueError,
     "constraints.encode must be one of (None, 'onehot'), got 'one-hot'; did you mean 'onehot'?"),
    ({"constraints__min_features": 10}, ValueError, "constraints.min_features must be in [1, 9], got 10"),
    ({"max_features": 0}, ValueError, "max_features must be >= 1, got 0"),
    ({"max_features": 10}, ValueError, "max_features must be in [1, 9], got 10"),
    ({"max_features": 1.5}, ValueError, "max_features must be in (0, 1], got 1.5"),
    ({"max_features": "half"}, TypeError, "max_features must be a number, got 'half'"),
    ({"init__subsets": [[0, 1]], "constraints__groups": [[1, 2]]}, ValueError,
     "init.subsets[0] must hold all features of a group or none, got 1 of the group [1, 2]"),
    ({"variation": "three_point"}, ValueError, VARIATION + "'three_point'"),
    ({"variation": None}, ValueError, VARIATION + "None"),
    ({"survival": MOGA(selection="best")}, ValueError,
     "survival.selection must be one of ('roulette', 'tournament'), got 'best'"),
    ({"survival": MOGA(tournament_size=0)}, ValueError, "survival.tournament_size must be >= 1, got 0"),
    ({"variation": Variation(crossover="x")}, ValueError,
     "variation.crossover must be one of ('one_point', 'two_point', 'uniform'), got 'x'"),
    ({"variation": Variation(crossover_rate=1.1)}, ValueError, "variation.crossover_rate must be in [0, 1], got 1.1"),
    ({"variation": Variation(crossover_rate=-0.1)}, ValueError,
     "variation.crossover_rate must be in [0, 1], got -0.1"),
    ({"variation": Variation(mutation="swap")}, ValueError,
     "variation.mutation must be one of ('bit', 'chromosome'), got 'swap'"),
    ({"variation": Variation(mutation_rate=-1)}, ValueError, "variation.mutation_rate must be >= 0, got -1"),
    ({"variation": Variation(mutation="chromosome", mutation_rate=1.1)}, ValueError,
     "variation.mutation_rate must be in [0, 1], got 1.1"),
    ({"variation": Variation(schedule="linear")}, ValueError,
     "variation.schedule must be one of (None, 'exponential'), got 'linear'"),
    ({"variation": Variation(schedule=5)}, ValueError, SCHEDULE + "5"),
    ({"variation": Variation(schedule=(3, 2, 1))}, ValueError, SCHEDULE + "(3, 2, 1)"),
    ({"variation": Variation(schedule=(1, 0))}, ValueError, "variation.schedule must be > 0, got 0"),
    ({"variation": Variation(mutation="chromosome", schedule=(1, 1))}, ValueError,
     "variation.schedule must be None for mutation='chromosome', got (1, 1)"),
    ({"feature_prior": "anova"}, ValueError, "feature_prior must be one of (None, 'auto', 'f_classif', "
     "'mutual_info_classif', 'chi2', 'f_regression', 'mutual_info_regression'), a scoring function or a FeaturePrior, "
     "got 'anova'"),
    ({"feature_prior": FeaturePrior}, TypeError,
     f"feature_prior must be a scoring function, the name of one, a FeaturePrior or None, got {FeaturePrior}"),
    ({"feature_prior": FeaturePrior(share=1.5)}, ValueError, "feature_prior.share must be in [0, 1], got 1.5"),
    ({"feature_prior": FeaturePrior(offset=-1)}, ValueError, "feature_prior.offset must be >= 0, got -1"),
    ({"feature_prior": "f_regression"}, ValueError, "feature_prior must be one of ('f_classif', 'mutual_info_classif', "
     "'chi2') or a callable for a classifier, got 'f_regression'"),
    ({"survival__sharing": "crowding"}, ValueError, SHARING + "'crowding'"),
    ({"survival__sharing": 0.0025}, ValueError, SHARING + "0.0025"),
    ({"survival__sharing": FitnessSharing(mode="x")}, ValueError,
     "survival.sharing.mode must be one of ('cluster', 'niche', 'mean_distance'), got 'x'"),
    ({"survival__sharing": FitnessSharing(space="both")}, ValueError,
     "survival.sharing.space must be one of ('decision', 'objective'), got 'both'"),
    ({"survival__sharing": FitnessSharing(sigma=0)}, ValueError, "survival.sharing.sigma must be > 0, got 0"),
    ({"survival__sharing": FitnessSharing(alpha=-1)}, ValueError, "survival.sharing.alpha must be > 0, got -1"),
    ({"survival__sharing": FitnessSharing(rank_normalisation="max")}, ValueError,
     "survival.sharing.rank_normalisation must be one of ('sum', 'mean'), got 'max'"),
    ({"local_improvement": "PR"}, ValueError, LOCAL + "'PR'"),
    ({"local_improvement": True}, ValueError, LOCAL + "True"),
    ({"local_improvement": LocalImprovement(n_populations=0)}, ValueError,
     "local_improvement.n_populations must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(population_size=1)}, ValueError,
     "local_improvement.population_size must be >= 2, got 1"),
    ({"local_improvement": LocalImprovement(n_generations=0)}, ValueError,
     "local_improvement.n_generations must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(every=0)}, ValueError, "local_improvement.every must be >= 1, got 0"),
    ({"local_improvement": LocalImprovement(replacement="x")}, ValueError,
     "local_improvement.replacement must be one of ('parent', 'complete', 'selection'), got 'x'"),
    ({"local_improvement": LocalImprovement(patience=0)}, ValueError,
     "local_improvement.patience must be >= 1, got 0"),
    ({"rule": "r2"}, ValueError, RULE + "'r2'"),
    ({"rule": None}, ValueError, RULE + "None"),
    ({"rule": NoLoss}, ValueError, RULE + repr(NoLoss)),
    ({"rule": ["r1"]}, ValueError, RULE + "['r1']"),
    ({"rule": "one_se", "evaluation__n_rescore_splits": 1}, ValueError,
     "evaluation.n_rescore_splits must be >= 2 for rule='one_se', got 1"),
    ({"rule": "one_se", "evaluation__n_rescore_splits": 0, "cv": 3}, ValueError,
     "evaluation.n_rescore_splits must be >= 1 for rule='one_se', got 0"),
    ({"rule": "one_se", "objectives": [constant]}, ValueError,
     f"objectives must hold 'uar' for rule='one_se', got [{constant!r}]"),
    ({"rule": "r1_lambda", "objectives": ["uar"]}, ValueError,
     "objectives must hold 'cardinality' for rule='r1_lambda', got ['uar']"),
    ({"rule": objective("a")}, TypeError, None),
    ({"max_time": -1}, ValueError, "max_time must be >= 0, got -1"),
    ({"max_time": "1h"}, TypeError, "max_time must be a number, got '1h'"),
    ({"max_time": float("inf")}, ValueError, "max_time must be finite, got inf"),
    ({"max_evaluations": 11}, ValueError, "max_evaluations must be >= population_size=12, got 11"),
    ({"max_evaluations": 1e3}, TypeError, "max_evaluations must be an integer, got 1000.0"),
    ({"patience": 0}, ValueError, "patience must be >= 1, got 0"),
    ({"checkpoint": 5}, TypeError, "checkpoint must be a path, a Checkpoint or None, got 5"),
    ({"checkpoint": Checkpoint(5)}, TypeError, "checkpoint.path must be a path, got 5"),
    ({"checkpoint": Checkpoint("x", every=0)}, ValueError, "checkpoint.every must be >= 1, got 0"),
    ({"checkpoint": "/"}, ValueError, "checkpoint.path must be a file, got the folder '/'"),
    ({"callbacks": "stop"}, TypeError, "callbacks must be a callable or a list of callables, got 'stop'"),
    ({"callbacks": [print, 5]}, TypeError, "callbacks must be a callable or a list of callables, got 5"),
    ({"verbose": -1}, ValueError, "verbose must be >= 0, got -1"),
    ({"verbose": "yes"}, TypeError, "verbose must be an integer, got 'yes'"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
    ({"random_state": "x"}, ValueError,
     "random_state must be None, an integer, a RandomState or a Generator, got 'x'"),
    ({"random_state": 1.5}, ValueError,
     "random_state must be None, an integer, a RandomState or a Generator, got 1.5"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"n_jobs": "2"}, ValueError, "n_jobs must be None or an integer other than 0, got '2'"),
    ({"estimator": "tree"}, TypeError, "estimator must be an object, not a name: pass RandomForestClassifier() of "
     "scikit-learn, for example, got 'tree'"),
    ({"estimator": GaussianNB}, TypeError,
     f"estimator must be an instance, not a class: pass GaussianNB(), got {GaussianNB}"),
    ({"islands__judges": [make_pipeline(ColumnTransformer([("one", "passthrough", "age")]), GaussianNB())]}, ValueError,
     "islands.judges must not pick columns by name or type: it gets the selected ones as an array without names; put "
     "this step into a pipeline before the selector, got "
     "ColumnTransformer(transformers=[('one', 'passthrough', 'age')])"),
    ({"islands__judges": [KMeans()]}, TypeError, "islands.judges must be a classifier or a regressor, got KMeans()"),
    ({"islands__judges": []}, ValueError,
     "islands.judges must hold at least one classifier or regressor, got []: pass None for the default, the tree"),
    ({"islands__combine": "max"}, ValueError, "islands.combine must be one of ('mean', 'min'), got 'max'"),
    ({"islands__judges": GaussianNB()}, TypeError,
     "islands.judges must be a sequence of classifiers or regressors, got GaussianNB()"),
    ({"honest": 1}, ValueError, "honest must be >= 2, got 1"),
    ({"honest": True}, TypeError, HONEST + "True"),
    ({"honest": "five"}, TypeError, HONEST + "'five'"),
    ({"honest": 2.5}, TypeError, HONEST + "2.5"),
    ({"honest": np.array(2)}, TypeError, HONEST + "array(2)"),
    ({"honest": b"x"}, TypeError, HONEST + "b'x'"),
    ({"honest": [(1, 2, 3)]}, ValueError, "honest must give (train, test) pairs of rows of X: "
                                          "too many values to unpack (expected 2)"),
    ({"rule": NoLoss(margin=-1)}, ValueError, "rule.margin must be >= 0, got -1"),
    ({"rule": NoLoss(must_reduce=True), "constraints__min_features": 9}, ValueError,
     "rule.must_reduce must be False where constraints allow no fewer than all 9 features"),
    ({"rule": NoLoss(must_reduce=True), "constraints__groups": 9 * [0]}, ValueError, None),
    ({"rule": NoLoss(must_reduce="yes")}, TypeError, "rule.must_reduce must be True or False, got 'yes'"),
    ({"estimator": DecisionTreeClassifier(max_depth=-1)}, ValueError, "max_depth must be >= 0, got -1"),
    ({"scoring": np.array([1, 2])}, TypeError, "scoring must be a str, a callable or None, got array([1, 2])"),
    ({"scoring": ["accuracy"]}, TypeError, "scoring must be a str, a callable or None, got ['accuracy']"),
    ({"scoring": "recall_of_all"}, ValueError, None),
    ({"scoring": objective("a")}, TypeError, "scoring must return a number, got 'a'"),
    ({"scoring": objective(float("nan"))}, ValueError, "objective 'given' must be finite, got nan"),
    ({"cv": 21}, ValueError, "cv=21 must split the samples of X: n_splits=21 cannot be greater than "
     "the number of members in each class."),
    ({"cv": StratifiedKFold(21)}, ValueError,
     "cv=StratifiedKFold(n_splits=21, random_state=None, shuffle=False) must split the samples of X: n_splits=21 "
     "cannot be greater than the number of members in each class."),
    ({"cv": 1}, ValueError, "cv must be >= 2, got 1"),
    ({"cv": "k"}, TypeError, CV + "'k'"),
    ({"cv": b"k"}, TypeError, CV + "b'k'"),
    ({"cv": [(1, 2, 3)]}, ValueError, "cv must give (train, test) pairs of rows of X: "
                                      "too many values to unpack (expected 2)"),
    ({"cv": []}, ValueError, "cv must give at least one split, got none from []"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS,
                         ids=[f"{i}-{'-'.join(row[0])}" for i, row in enumerate(BAD_PARAMETERS)])
def test_bad_parameters_are_named_with_rule_and_value(rng, parameters, error, message):
    """A bad value raises at fit, with the name, the rule and the value (None: the words are scikit-learn's)."""
    moga = {"survival": "moga"} if any(name.startswith("survival__") for name in parameters) else {}
    with pytest.raises(error, match=message and f"^{re.escape(message)}(; did you mean '\\w+'\\?)?$"):
        small(**{**moga, **parameters}).fit(*data(rng))


@pytest.mark.parametrize(("name", "value", "message"), [
    ("evaluation", 3, "evaluation must be None or an Evaluation, got 3"),
    ("constraints", {"exclude": [1]}, "constraints must be None or a Constraints, got {'exclude': [1]}"),
    ("islands", 4, "islands must be 'sizes', None or an Islands, got 4")])
def test_value_objects_are_of_their_kind(rng, name, value, message):
    """Those whose short form is None alone."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        single_search(**{name: value}).fit(*data(rng))


def test_a_deployed_model_must_not_pick_columns_by_name(rng):
    model = make_pipeline(ColumnTransformer([("one", "passthrough", ["age"])]), GaussianNB())
    message = ("estimator must not pick columns by name or type: it gets the selected ones as an array without names; "
               "put this step into a pipeline before the selector, got "
               "ColumnTransformer(transformers=[('one', 'passthrough', ['age'])])")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        MOELIGASelector(model).fit(*data(rng))


@pytest.mark.parametrize(("parameters", "name"), [
    ({"rule": "1se"}, "one_se"), ({"scoring": "roc-auc"}, "roc_auc"), ({"scoring": "F1-macro"}, "f1_macro"),
    ({"islands": "size"}, "sizes"), ({"local_improvement": "Parents"}, "parent"), ({"survival": "nsga"}, "nsga2"),
    ({"feature_prior": "f_class"}, "f_classif"), ({"evaluation__split_mode": "generations"}, "generation"),
    ({"rule": "xyz"}, None), ({"scoring": "qqqqqq"}, None)])
def test_the_nearest_name_is_offered(rng, parameters, name):
    """Where one is near."""
    with pytest.raises(ValueError, match=rf"; did you mean '{name}'\?$" if name else "got '(xyz|qqqqqq)'$"):
        small(**parameters).fit(*data(rng))


def test_presets_and_rules_of_a_front_are_offered_too(rng):
    with pytest.raises(ValueError, match=r"^name must be one of \('default', 'paper'\), got 'fast'; did you mean "
                       r"'default'\?$"):
        MOELIGASelector.from_preset("fast")
    with pytest.raises(ValueError, match=r"got 'one_SE'; did you mean 'one_se'\?$"):
        small().fit(*data(rng)).select("one_SE")


@pytest.mark.parametrize("name", ["n_features_to_select", "n_features", "k_features", "k"])
def test_the_one_size_of_other_selectors_is_explained(name):
    message = (f"^{name} is no parameter of MOELIGASelector, whose fit finds subsets of many sizes: choose one of them "
               r"with select\(n_features=5\), or bound all with max_features=5$")
    with pytest.raises(TypeError, match=message):
        MOELIGASelector(**{name: 5})
    with pytest.raises(ValueError, match=message):
        MOELIGASelector().set_params(**{name: 5})
    with pytest.raises(TypeError, match="^generations is no parameter of MOELIGASelector; did you mean "
                       r"'n_generations'\?$"):
        MOELIGASelector(generations=5)


@pytest.mark.parametrize(("name", "owner"), [
    ("n_splits", "evaluation=Evaluation"), ("costs", "constraints=Constraints"), ("judges", "islands=Islands")])
def test_parameters_of_value_objects_are_pointed_to(name, owner):
    """They were the selector's own once, or may be another's."""
    with pytest.raises(TypeError, match=rf"^{name} is no parameter of MOELIGASelector: it is one of {owner}\({name}="):
        MOELIGASelector(**{name: 3})


def test_every_parameter_has_a_bad_value():
    """The table above covers all parameters of the constructor."""
    selector = single_search(survival="moga")
    own = {key for name in ("evaluation", "constraints", "islands", "survival", "init") for key in selector.get_params()
           if key.startswith(f"{name}__") and "sharing__" not in key} - {"init__smallest", "init__largest"}
    own -= {"survival__selection", "survival__tournament_size"}  # as `MOGA`
    wanted = selector.get_params(deep=False).keys() - {"evaluation", "constraints"} | own
    assert {name for row in BAD_PARAMETERS for name in row[0]} == wanted


def test_bad_parameters_are_found_before_the_search(rng):
    """No generation is run before a parameter is refused."""
    called = []
    for parameters in ({"rule": "r2"}, {"evaluation__n_rescore_splits": -1}, {"cv": []}, {"scoring": "none such"},
                       {"n_jobs": 0},
                       {"rule": "one_se", "evaluation__n_rescore_splits": 0},
                       {"rule": "r1_lambda", "objectives": ["uar"]}):
        with pytest.raises(ValueError):
            small(callbacks=called.append, **parameters).fit(*data(rng))
    assert not called


@pytest.mark.parametrize("samples", [30_000_000, 2**31 - 1])
def test_more_instances_than_anybody_waits_for_are_refused(rng, samples):
    """One subset would take seconds to minutes, in which no signal is heard; before anything is evaluated."""
    X, y = data(rng)
    message = (rf"samples must be <= \d+ for {len(y)} samples, got {samples}: each subset would take "
               r"[\d,]+ distances; samples=1.0 with replace=False takes each sample once")
    with pytest.raises(ValueError, match=f"^separability.{message}"):
        small(objectives=("uar", "cardinality", Separability(samples=samples))).fit(X, y)
    with pytest.raises(ValueError, match=f"^{message}"):
        separability(X, y, samples=samples, replace=True)
    assert Separability(samples=3 * len(y)).n_instances(len(y)) == 3 * len(y)
    assert Separability(samples=10**5).n_instances(10**5) == 10**5


def test_more_islands_than_anybody_waits_for_are_refused(rng):
    """With what they would cost."""
    with pytest.raises(ValueError, match="islands.n must be <= 10000, got 1000000: each generation would evaluate "
                                         "population_size subsets for each of them"):
        small(islands=Islands(n=10**6), max_time=3).fit(*data(rng))


class Untagged:
    """A classifier of another package, as scikit-learn had them before its tags."""

    _estimator_type = "classifier"

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(("name", "given"), [
    ("estimator", {"estimator": Untagged(), "honest": 2}),
    ("islands.judges", {"islands": Islands(judges=[Untagged()])})], ids=["estimator", "judge"])
def test_a_model_without_tags_is_named(rng, name, given):
    """scikit-learn's own error does not say which it is."""
    with pytest.raises(TypeError, match=f"^{name} must have scikit-learn's estimator tags: .*, got <"):
        single_search().set_params(**given).fit(*data(rng))


@pytest.mark.parametrize("around", [lambda s: s, lambda s: make_pipeline(s, GaussianNB()),
                                    lambda s: VotingClassifier([("a", GaussianNB()), ("b", s)]),
                                    lambda s: GridSearchCV(make_pipeline(s, GaussianNB()), {"n": [s]})])
def test_a_selector_is_not_its_own_estimator(rng, around):
    """Nor a part of it: each would ask the other for ever."""
    X, y = data(rng)
    selector = small()
    selector.estimator = around(selector)
    for ask in (selector.fit, selector.estimate_time):
        with pytest.raises(TypeError, match="^estimator must not hold the selector, or itself, in its param"):
            ask(X, y)
    selector.estimator = make_pipeline(small(), GaussianNB())  # another one may stand there
    assert repr(resolve(selector.set_params(honest=2)).model) == repr(selector.estimator)


@pytest.mark.parametrize(("name", "around"), [
    ("estimator", lambda s: s), ("islands", lambda s: Islands(judges=[s])),
    ("islands", lambda s: Islands(judges=[GaussianNB(), make_pipeline(s, GaussianNB())])), ("evaluation", lambda s: s),
    ("checkpoint", lambda s: s), ("survival", lambda s: MOGA(sharing=s))])
def test_a_selector_is_in_none_of_its_parameters(rng, name, around):
    """For reports too, which clone it."""
    X, y = data(rng)
    selector = small()
    setattr(selector, name, around(selector))
    for ask in (lambda: selector.fit(X, y), lambda: stability_report(selector, X, y, n_runs=2, random_state=0),
                lambda: optimism_report(selector, X, y, n_permutations=1, random_state=0)):
        with pytest.raises(TypeError, match=f"^{name} must not hold the selector, or itself, in its parameters"):
            ask()


@pytest.mark.parametrize("name", ["rule__margin", "checkpoint__every", "local_improvement__every"])
def test_nested_names_need_an_object(name):
    """In place of a text or None that stands for none."""
    with pytest.raises(ValueError, match=f"{name} cannot be set: {name.partition('__')[0]}=.* has no parameters"):
        MOELIGASelector().set_params(**{name: 3})


@pytest.mark.parametrize("parameters", [
    {"scoring": "neg_log_loss", "estimator": GaussianNB()}, {"scoring": "neg_brier_score"}], ids=str)
def test_patience_needs_a_score_with_a_hypervolume(rng, parameters):
    """Of one below 0 it is 0 at all times; beside a deployed model the tree's own score guides."""
    X, y = data(rng)
    with pytest.raises(ValueError, match=f"patience must be None for a search by '{parameters['scoring']}', got 3"):
        resolve(small(patience=3, **parameters))
    resolve(small(patience=3, **{**parameters, "scoring": "accuracy"}))


def test_a_class_of_callbacks_is_none():
    """It would be made of each state, and say nothing."""
    with pytest.raises(TypeError, match=r"^callbacks must be made, as in PrintProgress\(\), got the class "):
        MOELIGASelector(callbacks=PrintProgress).fit(np.zeros((4, 2)), [0, 0, 1, 1])


@pytest.mark.parametrize("name", ["exclude", "must_include"])
def test_a_mask_of_nothing_is_none(rng, name):
    """As an empty list is: it may have been computed."""
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    found = [MOELIGASelector(honest=None, n_generations=1, population_size=8, random_state=0).set_params(
        **{f"constraints__{name}": value}).fit(X, y).support_.tolist() for value in (None, [], np.zeros(4, dtype=bool))]
    assert found[0] == found[1] == found[2]
    with pytest.raises(ValueError, match="must have 4 entries"):
        MOELIGASelector(honest=None).set_params(**{f"constraints__{name}": np.zeros(3, dtype=bool)}).fit(X, y)


@pytest.mark.parametrize("parameters", [
    {"objectives": ("uar", lambda mask, X, y: X.fill(0))}, {"objectives": ("uar", lambda mask, X, y: y.fill(0))},
    {"feature_prior": lambda X, y: X.fill(0)}], ids=["X", "y", "prior"])
def test_functions_cannot_change_the_data(rng, parameters):
    """Which are the caller's own arrays."""
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    before = X.copy()
    with pytest.raises(ValueError, match="read-only"):
        MOELIGASelector(honest=None, n_generations=1, population_size=8, **parameters).fit(X, y)
    assert np.array_equal(X, before) and np.array_equal(y, np.arange(30) % 2)
