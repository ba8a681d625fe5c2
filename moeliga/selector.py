"""MOELIGASelector: the search as a scikit-learn feature selector."""

from contextlib import ExitStack
from copy import copy, deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags

from moeliga.base.budget import Interrupted
from moeliga.base.checks import check_choice
from moeliga.base.estimator import BaseEstimator, MetaEstimatorMixin, unchanged_by_failure
from moeliga.base.signals import Stopping, stop_signals
from moeliga.base.text import say
from moeliga.base.typing import (
    Boolean,
    FixedSplits,
    History,
    Integer,
    Number,
    PathLike,
    Predictor,
    RandomState,
    Samples,
    Scoring,
    Splits,
)
from moeliga.base.warning_filters import warn
from moeliga.callbacks import progress_callbacks
from moeliga.evaluation.capabilities import takes_missing
from moeliga.evaluation.predictors import Guided
from moeliga.parameters.checkpoint import Checkpoint
from moeliga.parameters.constraints import Constraints
from moeliga.parameters.evaluation import Evaluation
from moeliga.parameters.feature_prior import SCORE_FUNCS, FeaturePrior, ScoreFunction
from moeliga.parameters.foreign_names import refuse_foreign_names, suggesting_names
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.islands import Islands
from moeliga.parameters.local_improvement import REPLACEMENTS, LocalImprovement, Replacement
from moeliga.parameters.moga import MOGA
from moeliga.parameters.objectives import Objectives
from moeliga.parameters.presets import PRESETS
from moeliga.parameters.short_forms import ShortForms
from moeliga.parameters.variation import Crossover, Variation
from moeliga.results.front import ParetoFront
from moeliga.results.rules import Rule, rule_for
from moeliga.search.build import prepare, warn_of_blind
from moeliga.search.callback_protocol import CallbackSupportMixin, Generations, with_callbacks
from moeliga.search.checkpoint import Saver, marks_of
from moeliga.search.loop import fronts_of, outcome_of, run, tell_of_few
from moeliga.search.progress import Progress
from moeliga.search.state import Callbacks
from moeliga.search.time_estimate import TimeEstimate, estimate, slow_fit_warning, tell
from moeliga.validation.choice import Choice
from moeliga.validation.cross_fitting import CrossFitting
from moeliga.validation.summary import line_of


class MOELIGASelector(Guided, Choice, ShortForms, CallbackSupportMixin, MetaEstimatorMixin, BaseEstimator):
    """Multi-objective feature selection: subsets of every size, and what each is worth on new samples for the model
    that is deployed.

    MOELIGA: a multi-objective genetic algorithm with evolutionary local improvement. All objectives are maximised:
    the unweighted average recall (UAR) of a decision tree on random validation splits of the training data, the
    share of features left out, and the distance to the nearest sample of another class less the distance to the
    nearest of the same class. The search is made again on each of `honest` folds; the deployed model, fitted to the
    best subsets of every range of sizes, to the first features of two rankings and to all features, answers for the
    samples held out, and `rule` chooses by these answers.

    Parameters
    ----------
    estimator : classifier, regressor or None, default=None
        The model that is deployed, with scikit-learn's methods: it answers for the samples of each fold, by joblib, and
        does not guide the search, see `Islands` for that. None = a random forest; with `honest=None`, where no model
        is asked, the tree that guides the search. With a regressor y is a continuous target: the search is guided by
        the R2 of a regression tree with leaves of five samples at least, splits are stratified by deciles of the
        target, and in objective III the samples with the nearest targets replace those of the same class, see
        `Separability`. If it is a tree of this package, it guides the search, too. Columns that its parameters name by
        number are places among those of a subset, which it gets as an array.
    scoring : str, callable or None, default=None
        scikit-learn scorer of the deployed model, or "soft_uar", the smooth form of UAR; None = UAR (balanced
        accuracy), for a regressor R2. A score of the compiled core guides the search, too, and objective I has its
        name: "uar", "soft_uar", "accuracy", "f1", "f1_macro", "matthews_corrcoef", "roc_auc", "roc_auc_ovr",
        "roc_auc_ovo" (both also "_weighted"), "average_precision", "neg_log_loss", "neg_brier_score", "r2",
        "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error". Any other scorer guides the
        search only with `honest=None` or judges in `islands`, where joblib evaluates it; else UAR, or R2, guides the
        search, and the scorer judges the deployed model alone. For honest scores a scorer gets stored answers: a
        callable ``f(model, X, y)`` gets a model with `predict`, `predict_proba` and `decision_function` as far as the
        real one has them, and in place of X the numbers of the rows, shape (n, 1).
    cv : int, splitter, iterable, 'oob' or None, default=None
        Fixed splits for objective I in place of random ones, drawn once at the start of each search. Splits with a row
        twice, or in both parts, are evaluated by joblib. "oob" is for judges that are forests: their trees answer for
        the samples that they have not drawn.
    honest : int, splitter, iterable of pairs of rows, or None, default=5
        Folds of the cross-fitting. The search of a fold sees a part of the samples, and the model is scored on the
        others. A number stands for folds at random, stratified by class or deciles, which keep `groups` together.
        None: a single search, without honest scores, in place of one for each fold and a final one; for selectors
        inside a cross-validation.
    rule : str, NoLoss or callable, default="no_loss"
        How `support_` is chosen from the front, by honest scores, see `ParetoFront.choose`.
    objectives : sequence or None, default=None
        None = ("uar", "cardinality", "separability"), with "r2" in place of "uar" for a regressor, or the name of the
        score that guides the search ("score" of a function without one). A sequence holds this name, "cardinality" or
        `Cardinality`, "cost" or `FeatureCost`, "separability" or `Separability`, and callables ``f(mask, X, y) ->
        float``, to be maximised. Callables get X as it was given, sparse X as CSC or CSR.
    evaluation : Evaluation or None, default=None
        Splits, validation share, repetitions, re-scoring of the front, subsamples; None = `Evaluation()`.
    max_features : int, float in (0, 1] or None, default=None
        Size of the largest subset that is evaluated, at most the number of features, or its share of them, rounded up;
        None = no upper limit.
    constraints : Constraints or None, default=None
        Features that are always or never selected, groups, costs, the smallest size; None = `Constraints()`, none.
    population_size : int >= 2, default=60
        Individuals of each island (N_p).
    n_generations : int >= 0, default=60
        Generations of each search after the initial population.
    islands : "sizes", Islands or None, default="sizes"
        Main populations that evolve in parallel: "sizes" = one for every band of sizes, see `Islands`; None = one
        (paper).
    survival : "nsga2", "moga" or MOGA, default="nsga2"
        How the individuals of the next generation are chosen. "moga": elites and the generational gap, by rank and
        shared fitness (paper); "nsga2": the best of parents and as many children, by dominance front and crowding
        distance, with parents from tournaments of two.
    init : "log_uniform", "staggered", LogUniformInit or StaggeredInit, default="log_uniform"
        Sizes of the initial subsets, "staggered" as in the paper or "log_uniform" with many small ones; and initial
        subsets of the user's own.
    variation : "one_point", "two_point", "uniform" or Variation, default="uniform"
        Crossover, which the short forms name ("one_point" is the paper's), and mutation.
    feature_prior : str, callable, FeaturePrior or None, default="auto"
        Scoring function of single features: those that score better are added more often, to the initial subsets and
        to children. "f_classif", "mutual_info_classif" or "chi2", for a regressor "f_regression" or
        "mutual_info_regression", or a callable ``f(X, y)`` that returns scores or (scores, p-values). "auto" is
        "f_classif", and None for a regressor, for X with missing values, and with subsamples. None (paper): all
        features equally often.
    local_improvement : "parent", "complete", "selection", None or LocalImprovement, default=None
        Subordinate populations ("parent": as in the paper); the short forms name how they replace individuals, None =
        there are none: with bands of sizes they find nothing more.
    archive : bool, default=True
        Build the front from all non-dominated individuals ever evaluated, and from the two best of every size that
        are not dominated when they are re-scored, and not from the last generation alone.
    max_time : float or None, default=None
        Seconds of the fit: for checking and coding X, for all searches, which get equal shares of the rest, for
        re-scoring their fronts and for the deployed model. The expected time of the latter two is reserved, for
        re-scoring at most half of a share; if that is too little, the front is re-scored on fewer splits, see its
        `n_rescore_splits`. An unfinished generation is dropped, but the initial population always gets a second, and
        two subsets at least; the front is re-scored on at least two splits, unless that would be more than ten seconds
        late. Folds for which no time is left are left out. A warning tells of both.
    max_evaluations : int or None, default=None
        Maximum number of subsets that each search evaluates; at least `population_size` for each island.
    patience : int or None, default=None
        Number of generations without a larger hypervolume after which a search stops. Not for losses, which have none.
    checkpoint : path, Checkpoint or None, default=None
        File in which the search is saved every ten generations and at its end. If it exists when `fit` begins, the
        search is resumed from it, with the result of an uninterrupted one to the last bit; see `Checkpoint`. Callbacks
        are asked first about the generation that is in the file.
    callbacks : callable, list or tuple of callables, or None, default=None
        Called with a `moeliga.callbacks.State` after every generation of each search, which stops when one returns
        True. For callbacks of scikit-learn's protocol, which see the search on all samples alone, see `set_callbacks`.
    verbose : int, default=0
        1 = a progress bar, 2 = a line for each generation; a long search begins with an estimate of its time.
    random_state : None, int, RandomState or Generator, default=None
        The same int gives the same result, for any `n_jobs`.
    n_jobs : int or None, default=None
        Threads of the compiled core, or joblib workers for other estimators; None = 1, -1 = all. In a worker, and in
        evaluations without workers, BLAS, OpenMP and nested joblib have one thread. Under `joblib.parallel_config` with
        a backend of remote workers ("dask", "ray"), 1 evaluates in this process, any other value on these workers; see
        the notes.

    Attributes
    ----------
    pareto_front_ : ParetoFront
        The result: every member can be chosen later with `select`.
    baselines_ : ParetoFront
        Subsets that it has to beat: all features, and the first ones of each ranking. Empty without honest scores.
    honest_score_ : float
        Score of the chosen subset on new samples: that of the deployed model on samples outside the searches, without
        the bias of choosing (BBC-CV). NaN without honest scores.
    honest_interval_ : tuple of two floats
        Interval of 90 % around it.
    initial_front_ : ParetoFront
        The front of the initial population, re-scored on the same splits as `pareto_front_`, for comparison.
    support_ : ndarray of bool, shape (n_features_in_,)
        Mask of the chosen member.
    index_ : int
        Index of the chosen member in `pareto_front_`.
    history_ : dict of ndarray
        One entry per generation: generation, hypervolume, archive_hypervolume (the best so far; without an archive of
        the population's), best_score, best_score_size, min_size, median_size, max_size, front_size, archive_size,
        n_replaced, n_initial, n_samples (used for the evaluation), n_evaluations, seconds. Of the search on all
        samples; with several islands they describe all individuals together.
    initial_survival_ : ndarray of int, shape (n_initial_subsets,)
        Last generation in which a main population held each of the subsets of `init`; a repeated subset has the number
        of its first copy. -1 = it was not even in the initial population.
    stop_reason_ : str
        "n_generations", "patience", "max_time", "max_evaluations", "callback", "interrupt" for Ctrl-C, or the name of
        another signal, see `stop_on`.
    n_evaluations_ : int
        Subsets evaluated by all searches (re-scoring not counted).
    fold_supports_ : dict from Slot to ndarray of bool, shape (n_folds, n_features)
        Candidates of the folds that are done, by source and range of sizes.
    feature_frequency_ : ndarray of float64, shape (n_features_in_,), in [0, 1]
        Share of the folds whose candidate of the chosen subset's source and range of sizes has the feature: how far the
        choice depends on single samples. NaN without honest scores. `stability_report` says more.
    ranking_ : ndarray of int64, shape (n_features_in_,)
        Place of each feature, 1 = chosen first, whatever the rule: by the share of the search's candidates that have
        it, over all folds and ranges of sizes. Ties go by the share of the front's members from the search, which is
        all there is without honest scores, then by that of the rankings' first features, then by column.
    classes_ : ndarray of shape (n_classes,)
        Class labels; for classification only.
    n_features_in_ : int
    feature_names_in_ : ndarray of object, shape (n_features_in_,)
        Column names of X, if it has some and all are strings.
    encoding_ : moeliga.data.one_hot.Encoding or None
        What `Constraints(encode="onehot")` made of X: `values` maps the columns that were encoded to their values. The
        features, their number and names, are then those after it.

    Notes
    -----
    Parameters of value objects can be set by scikit-learn's nested names, also in place of a short form:
    ``set_params(evaluation__n_splits=5, islands__n=2)``. Of `rule`, `checkpoint` and `survival="nsga2"`, and of what is
    None and stands for no object, the object comes first: ``set_params(survival=MOGA(n_elite=5))``.

    Cost: for each search and each island about 2 n_generations (population_size + local improvement's n_populations x
    population_size x n_generations / every) evaluations of `n_splits` trees. With survival="moga", or
    reevaluate="none", half of that. `honest=K` makes K searches more, on (K - 1)/K of the samples each, and fits the
    deployed model K times to some ten to thirty subsets.

    Subsamples: each generation, with all islands and their local improvement, is evaluated on one subsample, which is
    coded when the generation begins; the rest of X is not read. After the search all data are coded, and each member of
    the front is scored on them, at the cost of `n_rescore_splits` trees on `1 - validation_size` of the samples;
    `max_time` reserves the time for that. Objective III, whose cost grows with the square of the samples, is then
    measured on one more subsample, on every instance of it. Callables always get all rows.

    Signals: Ctrl-C, and each signal of `stop_on`, ends the search within about a second (a compiled tree that takes
    longer, 1e-7 s for each sample and feature at most, is finished), and the front so far is re-scored, on as many
    splits as ten seconds allow, two at least; a second signal has its usual effect, such as KeyboardInterrupt. After
    the last fold nothing is left to end, and the first signal changes nothing. A signal during the re-scoring leaves
    the scores of the search, and rule "r1", or "best" for a loss, in place of "one_se". With a `checkpoint`, SIGTERM
    without `stop_on` saves the search, and then has its usual effect. All this applies to the main thread, if the
    program has no handler of its own.

    Memory: the compiled tree and separability need the data coded, about three times a dense X in float32, for sparse X
    too; X itself is never made dense. With another judge, without separability, bands and honest scores, which take a
    ranking by a forest, nothing is coded; its workers share one copy of X, in files that joblib maps into memory, and
    each takes the columns of one subset.

    Many machines: with the compiled tree, and under a `joblib.parallel_config` with a backend other than joblib's own
    for this machine ("loky", "multiprocessing", "threading", "sequential"), evaluations of about a quarter of a second
    or more are cut into slices and sent to its workers. Each worker holds the coded data, and uses as many threads as
    OpenMP gives it (OMP_NUM_THREADS). Slices that a worker did not finish are evaluated by another one; after three
    failures in a row the search goes on in this process. The result is that of one thread, bit for bit. With several
    islands, whole islands are sent, up to the next migration or for 20 generations, if that takes a quarter of a second
    or more, and either a single generation takes less or there are as many islands as workers; callbacks are then
    called, and a checkpoint is written, when these generations are back.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moeliga import MOELIGASelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=10, honest=3, random_state=0).fit(X, y)
    >>> selector.transform(X).shape[1] == selector.support_.sum()
    np.True_
    >>> selector.honest_score_ > 0.9
    True
    >>> selector.select("best").pareto_front_.honest_score[selector.index_] > 0.95
    np.True_
    """

    short_forms = {
        "evaluation": ({None: Evaluation}, (Evaluation,)),
        "constraints": ({None: Constraints}, (Constraints,)),
        "islands": ({"sizes": Islands, None: partial(Islands, sizes=None)}, (Islands,)),
        "survival": ({"nsga2": None, "moga": MOGA}, (MOGA,)),
        "init": ({"log_uniform": LogUniformInit, "staggered": StaggeredInit}, (LogUniformInit, StaggeredInit)),
        "variation": ({kind: partial(Variation, crossover=kind) for kind in get_args(Crossover)}, (Variation,)),
        "feature_prior": ({None: None, "auto": partial(FeaturePrior, "auto"),
                           **{name: partial(FeaturePrior, name) for names in SCORE_FUNCS.values() for name in names}},
                          (FeaturePrior,)),
        "local_improvement": ({None: None, **{kind: partial(LocalImprovement, replacement=kind)
                                              for kind in REPLACEMENTS}}, (LocalImprovement,)),
    }

    initial_front_: ParetoFront
    history_: History
    initial_survival_: NDArray[np.int64]
    stop_reason_: str
    n_evaluations_: int
    classes_: NDArray[Any]
    feature_names_in_: NDArray[np.object_]

    @suggesting_names
    def __init__(self, estimator: Predictor | None = None, *, scoring: Scoring | None = None,
                 cv: FixedSplits | None = None, honest: Splits | None = 5, rule: Rule = "no_loss",
                 objectives: Objectives | None = None, evaluation: Evaluation | None = None,
                 max_features: Number | None = None, constraints: Constraints | None = None,
                 population_size: Integer = 60, n_generations: Integer = 60,
                 islands: Literal["sizes"] | Islands | None = "sizes",
                 survival: Literal["nsga2", "moga"] | MOGA = "nsga2",
                 init: Literal["log_uniform", "staggered"] | LogUniformInit | StaggeredInit = "log_uniform",
                 variation: Crossover | Variation = "uniform",
                 feature_prior: ScoreFunction | FeaturePrior | None = "auto",
                 local_improvement: Replacement | LocalImprovement | None = None, archive: Boolean = True,
                 max_time: Number | None = None, max_evaluations: Integer | None = None,
                 patience: Integer | None = None, checkpoint: PathLike | Checkpoint | None = None,
                 callbacks: Callbacks | None = None, verbose: Integer | Boolean = 0, random_state: RandomState = None,
                 n_jobs: Integer | None = None) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.honest = honest
        self.rule = rule
        self.objectives = objectives
        self.evaluation = evaluation
        self.max_features = max_features
        self.constraints = constraints
        self.population_size = population_size
        self.n_generations = n_generations
        self.islands = islands
        self.survival = survival
        self.init = init
        self.variation = variation
        self.feature_prior = feature_prior
        self.local_improvement = local_improvement
        self.archive = archive
        self.max_time = max_time
        self.max_evaluations = max_evaluations
        self.patience = patience
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_preset(cls, name: Literal["default", "paper"], **parameters: Any) -> Self:
        """Return a selector with a named set of parameters.

        Parameters
        ----------
        name : {"default", "paper"}
            "paper": the algorithm as printed, where the defaults differ: one search without honest scores, of one
            population of 90 and 300 generations, rule "r1", survival by moga, with shared fitness divided by the sum
            over the rank, individual splits and re-evaluation of every individual, staggered sizes, one-point
            crossover, no feature prior, no archive, no re-scoring, and long local improvement.
        **parameters
            Parameters that override the preset, nested names such as ``evaluation__n_splits=5`` too.

        Raises
        ------
        ValueError : if there is no such preset or parameter.
        """
        check_choice("name", name, PRESETS)
        return cls(**deepcopy(PRESETS[name])).set_params(**parameters)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, or by ``name__parameter`` in a value object, which replaces its short form.

        Returns self; ValueError if there is no such parameter, or ``name`` stands for no value object.
        """
        refuse_foreign_names(params, ValueError)
        return super().set_params(**params)

    def stands_for(self, name: str) -> Any:
        """Return the value object that a parameter is or stands for, or None."""
        prior = self.feature_prior
        if name == "feature_prior" and callable(prior) and not isinstance(prior, type | FeaturePrior):
            return FeaturePrior(prior)
        return super().stands_for(name)

    @with_callbacks
    def fit(self, X: Samples, y: ArrayLike, **params: Any) -> Self:
        """Search for the front.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers
            NaN = missing; no infinity. NaN and sparse X are allowed if the estimator allows them, as the compiled tree
            does.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes, at least one of them with two samples; for a regressor finite
            numbers.
        **params : dict from name to value; None counts as not given
            Metadata. `groups` goes to `cv`, everything else (`sample_weight`, or ``step__sample_weight`` for a step
            of a pipeline) to the estimator's `fit` with the rows of each training part. After
            ``sklearn.set_config(enable_metadata_routing=True)`` they go where estimator, scorer and splitter
            requested them.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError : for a parameter, X, y or metadata, naming argument, rule and value; for a checkpoint of
            another fit, damaged or in use; what estimators, scorers, splitters and callables raise is passed on.
        MemoryError : if more memory is needed than is free, here or on a worker, saying for what.
        RuntimeError : if remote workers have no moeliga, or another version.

        Warns
        -----
        UserWarning : if y has classes of one sample, which UAR does not count; if there are fewer folds than `honest`
            asks for, some cannot be used, or time or a signal has ended the fit before they were done; if `scoring`
            fails for predictions; if the judge, or the deployed model, learns nothing from the samples of a fold; if
            honest scores have no standard errors for the rule "one_se"; if the fit will take ten minutes or more; if
            joblib evaluates a judge because of a parameter; if the front was scored again on fewer splits than asked
            for.
        RuntimeWarning : if remote workers are lost (the search goes on here), or a checkpoint could not be written.
        """
        with ExitStack() as fit:
            with unchanged_by_failure(self, "_unread"):
                plan, ready = prepare(self, X, y, params)
                stops = fit.enter_context(Stopping(stop_signals(), plan.checkpoint is not None))
                search, names, n_rescored = ready.search, ready.feature_names, plan.evaluation.n_rescore_splits
                X, y = ready.problem.X, ready.problem.y
                tasks = Generations(self, plan, X, y, params, names)
                own = progress_callbacks(plan.verbose)
                cross = CrossFitting(plan, ready, own, stops)
                warn_of_blind(plan, ready, cross.folds)
                progress = Progress.begin(ready, plan.patience)
                saver = Saver(plan.checkpoint, lambda: marks_of(plan.parameters, search, X, y, names, params,
                                                                cross.folds))
                with saver, ExitStack() as stack:
                    for watcher in own:
                        stack.callback(getattr(watcher, "close", lambda: None))
                    stack.callback(cross.close)
                    with stops.ending(search.budget), search.objectives.workers():
                        with saver.tracking(None, search, progress) as keep:
                            if plan.verbose and progress.generation < 0:
                                tell(cross.estimate(estimate(search, ready.bits, plan.n_generations, n_rescored)))
                                search.budget.restart()  # the estimate counts, too
                            cross.begin(saver)
                            reason = run(search, ready.bits, plan.n_generations, n_rescored, progress,
                                         [tasks, *cross.callbacks_for(None)], tasks.begin, keep,
                                         slow_fit_warning(search, ready.bits, plan.n_generations, 1 + len(cross.folds)))
                        if search.budget.abandoned:
                            raise Interrupted("a signal ended the search")
                        search.budget.close()
                        outcome = outcome_of(search, progress, n_rescored)
                        tell_of_few(outcome, n_rescored, search.budget)
                    if not search.budget.stopped:  # by a signal that came while the front was scored again, too
                        cross.run(saver, progress.history["seconds"][-1])
                tasks.close()
                answers = cross.answers()
            _, self.initial_front_ = fronts_of(search, outcome, names)
            self.pareto_front_, self._slots, self.baselines_ = cross.fronts(outcome, answers)
            self._answers, self._seed = answers, search.seed
            self.fold_supports_ = cross.supports()
            self.history_ = History({name: np.array(column) for name, column in progress.history.items()})
            self.initial_survival_ = progress.survival.last
            self.stop_reason_ = cross.reason or search.budget.reason or reason
            self.n_evaluations_ = search.budget.n_evaluations + cross.n_evaluations
            for name in ("index_", "support_", "honest_score_", "honest_interval_", "_chosen"):
                vars(self).pop(name, None)  # of an earlier fit; a rule of the user's may fail
            rule = rule_for(self.pareto_front_, plan.rule)
            if rule != plan.rule and self.pareto_front_.honest is not None:
                warn(f"rule='one_se' needs standard errors, and the honest scores have none: rule={rule!r} was used")
            self.select(rule)
            cross.warn_if_short(search.budget.reason)
            if plan.verbose:
                say(line_of(self))
            tasks.end()
        return self

    def estimate_time(self, X: Samples, y: ArrayLike, **params: Any) -> TimeEstimate:
        """Estimate how long `fit` will take, from the evaluation of some of its initial subsets.

        Parameters
        ----------
        X, y, **params
            As for `fit`. An iterator given as `cv` or `honest` is consumed.

        Returns
        -------
        estimate : moeliga.search.time_estimate.TimeEstimate
            `seconds`, estimated for `n_evaluations` from `n_measured` subsets that took `seconds_measured`.
            ``str(estimate)`` says it in words, ``float(estimate)`` is the seconds.

        Raises
        ------
        TypeError, ValueError, MemoryError : as `fit`.

        Notes
        -----
        Takes what a search does before its first subset (the features are ranked, by a forest too), and a second, or
        a few evaluations and fits of the model if they take longer. It assumes that subsets stay as large as the
        initial ones, and that neither `patience` nor callbacks stop the search: if few features are enough, the fit is
        faster. The selector and the result of its fit stay the same. With `verbose` the fit itself makes the estimate,
        and prints it if it is ten seconds or more.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from moeliga import MOELIGASelector
        >>> X, y = load_wine(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=10, random_state=0)
        >>> selector.estimate_time(X, y).n_evaluations
        15120
        """
        selector = copy(self)
        selector.random_state = deepcopy(self.random_state)  # a generator would be advanced
        plan, ready = prepare(selector, X, y, params)
        with ready.search.objectives.workers():
            one = estimate(ready.search, ready.bits, plan.n_generations, plan.evaluation.n_rescore_splits)
            return CrossFitting(plan, ready).estimate(one)

    if TYPE_CHECKING:
        @overload
        def set_output(self, *, transform: Literal["default"] | None = None) -> Self: ...
        @overload
        def set_output(self, *, transform: Literal["pandas", "polars"]) -> "SelectorOfFrames": ...
        def set_output(self, *, transform: str | None = None) -> Any: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        guides, model = self._predictors()
        predictors = [predictor for predictor in (*guides, model) if predictor is not None]
        tags.input_tags.allow_nan = all(map(takes_missing, predictors))
        tags.input_tags.sparse = all(get_tags(predictor).input_tags.sparse for predictor in predictors)
        return tags


if TYPE_CHECKING:
    class SelectorOfFrames(MOELIGASelector):
        """A selector after `set_output` with the name of a library, pandas or polars."""

        def transform(self, X: Samples) -> Any: ...
        def fit_transform(self, X: Samples, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...
