"""MOELIGASelector: the search as a scikit-learn feature selector."""

from contextlib import ExitStack
from copy import copy, deepcopy

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from moeliga.base.budget import Interrupted
from moeliga.base.checks import check_choice
from moeliga.base.signals import stopping
from moeliga.callbacks import watchers
from moeliga.evaluation.estimator_scorer import find_scorer
from moeliga.evaluation.metadata import router
from moeliga.search.build import prepare
from moeliga.search.callback_protocol import CallbackSupportMixin, Generations, with_callbacks
from moeliga.search.checkpoint import marks_of, saving
from moeliga.search.evolution import Patience
from moeliga.search.improvement_schedule import Pace
from moeliga.search.loop import Progress, Survival, final_fronts, run
from moeliga.search.resolve import PRESETS
from moeliga.search.time_estimate import estimate, tell
from moeliga.tree import estimator_or_tree


class MOELIGASelector(CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Multi-objective feature selection: a Pareto front of subsets that classify well, are small, and separate the
    classes.

    MOELIGA: a multi-objective genetic algorithm with evolutionary local improvement. All objectives are maximised:
    the unweighted average recall (UAR) of a decision tree on random validation splits of the training data, the
    share of features left out, and the distance to the nearest sample of another class less the distance to the
    nearest of the same class.

    Parameters
    ----------
    estimator : classifier, regressor or None, default=None
        What objective I scores. None or a `moeliga.DecisionTreeClassifier` is evaluated by the compiled core (None
        means max_depth=100, the paper's), and so is a `moeliga.DecisionTreeRegressor`; any other scikit-learn
        classifier or regressor by joblib. With a regressor y is a continuous target: objective I is R2, splits are
        stratified by deciles of the target, and objective III takes the nearest samples in the target for those of
        the same class, see `Separability`.
    scoring : str, callable or None, default=None
        scikit-learn scorer for objective I; None = UAR (balanced accuracy), for a regressor R2. With a scorer or
        `cv`, also a compiled tree is evaluated by joblib.
    cv : int, splitter, iterable or None, default=None
        Fixed splits for objective I in place of random ones; drawn once, at the start.
    n_splits : int, default=3
        N_T: random stratified splits per evaluation.
    validation_size : float in (0, 1), default=0.3
        Share of each class that is held out; at least one sample and never all. A class of one sample is only ever
        in the training part.
    split_mode : {"individual", "generation"}, default="generation"
        Every evaluation draws its own splits (paper), or all individuals of a generation share them.
    subsample : None, int >= 2, float in (0, 1] or "auto", default=None
        Samples that splits are drawn from, and that objective III looks among: None = all; else so many, or such a
        share, drawn afresh for every generation, stratified by class (of fixed splits such a share of each part). Each
        class keeps two samples at least. "auto": 1,000, and twice as many whenever chance has too great a part in how
        the scores of the front differ. The final front is scored on all of them; see the notes.
    objectives : sequence or None, default=None
        None = ("uar", "cardinality", "separability"), for a regressor with "r2" in place of "uar". Else of "uar" or
        "r2", the score, "cardinality" or `Cardinality`, "cost" or `FeatureCost`, "separability" or `Separability`,
        and callables ``f(mask, X, y) -> float``, to be maximised. Callables get X as it was given: sparse X as CSC
        or CSR.
    population_size : int, default=90
        N_p, of each island.
    n_generations : int, default=300
    n_islands : int, default=1
        Main populations that evolve side by side, each with its own random numbers and local improvement; the archive,
        the limits and the result are of all of them. Among workers elsewhere each can be a task of many generations,
        see the notes.
    migration_interval : int, default=10
        Generations from one migration between islands to the next: the fittest of each front, a tenth of the
        population at most, come to the next island, and from the last to the first, in place of its worst.
    n_elite : int or "front", default=10
        Best individuals that survive, by survival="moga". "front": all that are not dominated; of more than half of
        the population that half which has the largest crowding distances.
    generation_gap : int, default=10
        Further individuals that survive, drawn by fitness, by survival="moga".
    reevaluate : {"all", "none", "average"}, default="average"
        Survivors get fresh splits (paper); or keep their values; or average over all splits seen so far.
    archive : bool, default=True
        Join the front with all non-dominated individuals ever seen.
    n_per_size : int, default=0
        So many subsets of every size with the best scores, up to the size of the largest non-dominated one, are kept
        in the archive too, and scored again with the front: some of them turn out to belong to it.
    n_rescore_splits : int, default=50
        Fresh splits on which the final front is scored again before the choice is made; 0 = keep the values of the
        search, which flatter.
    survival : {"moga", "nsga2"}, default="nsga2"
        Who survives a generation. "moga": elites and the generational gap, by rank and shared fitness (paper);
        "nsga2": the best of parents and as many children, by dominance front and crowding distance. Then parents are
        drawn by tournaments of two, and n_elite, generation_gap, sharing and the selection of `variation` have no part.
    init : "staggered", "log_uniform", StaggeredInit or LogUniformInit, default="log_uniform"
        Sizes of the initial subsets: "staggered" the paper's, "log_uniform" with many small ones.
    initial_subsets : list of subsets or None, default=None
        Subsets that join the initial population, of several islands that of the first: masks of shape (n_features,),
        feature names, feature indices, or fitted selectors (anything with `get_support`). `initial_survival_` tells
        what became of them.
    variation : "one_point", "two_point", "uniform" or Variation, default="uniform"
        Selection, crossover (the short forms name it; "one_point" is the paper's) and mutation.
    feature_prior : str, callable, FeaturePrior or None, default="auto"
        Scoring function by which features that look better by themselves are added more often, in the initial
        subsets and to children: "f_classif", "mutual_info_classif" or "chi2", for a regressor "f_regression" or
        "mutual_info_regression", or a callable ``f(X, y)`` that returns scores or (scores, p-values). "auto" is
        "f_classif", and None for a regressor, where X has missing values, and with `subsample`. None (paper): all
        alike.
    sharing : "cluster", "niche", "mean_distance", None or FitnessSharing, default="cluster"
        Fitness sharing, by survival="moga"; the short forms name the mode.
    local_improvement : "parent", "front", "complete", "selection", None or LocalImprovement, default="parent"
        Subordinate populations; the short forms name the replacement.
    must_include : array-like of feature names or indices, or a mask, or None, default=None
        Features of every subset, each with the rest of its group.
    exclude : array-like of feature names or indices, or a mask, or None, default=None
        Features of no subset; the rest of their groups stays.
    feature_groups : sequence of F labels, sequence or dict of subsets, or None, default=None
        Features that are selected together, as the columns of a one-hot block or the channels of a sensor: a label
        for each feature (equal labels are a group; None and NaN stand alone), or the groups as feature names or
        indices (features in none stand alone).
    feature_costs : array-like of float, shape (n_features,), >= 0, or None, default=None
        For the objective "cost" and for ``select(max_cost=)``.
    min_features : int, default=1
    max_features : int or None, default=None
        Size of every subset the search looks at; None = no upper limit.
    rule : str or callable, default="r1"
        How `support_` is chosen from the front, see `ParetoFront.choose`.
    max_time : float or None, default=None
        Seconds for the search and for scoring its front again, for which the expected time is set aside, at most half
        of them; where that is too little, the front is scored on fewer splits, see its `n_rescore_splits`. A generation
        that is under way is dropped. The initial population is always evaluated, and the front scored on two splits.
    max_evaluations : int or None, default=None
        Subsets evaluated by the search at most; at least `population_size` x `n_islands`.
    patience : int or None, default=None
        Stop after so many generations without a larger hypervolume.
    checkpoint : path, Checkpoint or None, default=None
        File in which the search is saved every ten generations and at its end. If it is there when `fit` begins, the
        search goes on from it and ends with the bits of an uninterrupted one; see `Checkpoint`.
    callbacks : callable, list or tuple of callables, or None, default=None
        Called with a `moeliga.callbacks.State` after every generation; the search stops when one returns True. For
        callbacks of scikit-learn's protocol see `set_callbacks`.
    stop_signals : sequence of str, default=("SIGINT",)
        Names of signals that end the search with the best front so far: "SIGINT" is Ctrl-C; batch systems and
        containers send "SIGTERM", or another one if they are asked to. See the notes.
    verbose : int, default=0
        1 = a progress bar, 2 = a line for each generation; before a long search an estimate of its time.
    random_state : None, int, RandomState or Generator, default=None
        The same int gives the same result, for any `n_jobs`.
    n_jobs : int or None, default=None
        Threads of the compiled core, or joblib workers for other estimators; None = 1, -1 = all. In a worker, and in
        evaluations without workers, BLAS, OpenMP and nested joblib have one thread. Under `joblib.parallel_config` with
        a backend whose workers are elsewhere ("dask", "ray"), 1 stays here, and all else are these workers; see the
        notes.

    Attributes
    ----------
    pareto_front_ : ParetoFront
        The result: every member can be chosen later with `select`.
    initial_front_ : ParetoFront
        The front of the first generation, re-scored on the same splits as `pareto_front_`, to compare with.
    support_ : ndarray of bool, shape (n_features_in_,)
        Mask of the chosen member.
    index_ : int
        Place of the chosen member in `pareto_front_`.
    history_ : dict of ndarray
        One entry per generation: generation, hypervolume, best_score, best_score_size, min_size, median_size,
        max_size, front_size, archive_size, n_replaced, n_initial, n_samples (that it was evaluated on), n_evaluations,
        seconds. With several islands they are of all individuals together, the front that of all.
    initial_survival_ : ndarray of int, shape (n_initial_subsets,)
        Last generation in which the main population, or one of several, held each of `initial_subsets`; -1 = a copy of
        an earlier one.
    stop_reason_ : str
        "n_generations", "patience", "max_time", "max_evaluations", "callback", "interrupt" for Ctrl-C, or the name of
        another of the `stop_signals`.
    n_evaluations_ : int
        Subsets evaluated by the search (re-scoring not counted).
    classes_ : ndarray of shape (n_classes,)
        Of a classification.
    n_features_in_ : int
    feature_names_in_ : ndarray of object, shape (n_features_in_,)
        Column names of X, if it has some and all are strings.

    Notes
    -----
    Cost: about 2 n_generations (population_size + local improvement's n_populations x population_size x n_generations
    / every) evaluations of `n_splits` trees each, for each of the islands. With survival="moga", or reevaluate="none",
    half of that.

    Subsamples: all of a generation, of all islands and their local improvement, are evaluated on the same samples,
    which are coded when it begins; the rest of X is not touched. "auto" takes twice as many from the next generation on
    when the mean squared standard error of the scores on the first front, by Nadeau and Bengio's formula for
    overlapping splits, is more than 1/16 of the variance of these scores, until it has all; never fewer. What fewer
    samples have said is then forgotten: parents are evaluated again whatever `reevaluate` says, and the archive and
    `patience` begin anew. After the search all of the data are coded, and each member of the front is scored on all of
    them, at the cost of `n_rescore_splits` trees on `1 - validation_size` of the samples; `max_time` sets the time for
    that aside. Objective III, whose cost grows with the square, is then measured on one more subsample, on every
    instance of it. Callables always get all rows.

    Signals: each of `stop_signals` ends the search within about a second (an evaluation that takes longer is finished,
    except by another classifier) and the front so far is scored again; the second one has its usual effect, such as
    KeyboardInterrupt. One that comes when the search is over and its front is being scored again leaves the scores of
    the search, and rule "r1" in place of "one_se". With a `checkpoint`, SIGINT and SIGTERM also save it where they are
    not among the `stop_signals`, and then have their usual effect. All this in the main thread, and only where the
    program has no handler of its own.

    Memory: the compiled tree and separability need the data coded, about three times a dense X in float32, also where
    X is sparse; X itself is never made dense. With another classifier and without separability nothing is coded; its
    workers share one copy of X, in files that joblib maps into memory, and each takes the columns of one subset.

    Many machines: with the compiled tree, and under a `joblib.parallel_config` with a backend that is not one of
    joblib's own for this machine ("loky", "multiprocessing", "threading", "sequential", which are a matter of threads),
    evaluations that take about a quarter of a second or more go to its workers, in slices. Each worker holds the coded
    data, and evaluates with as many threads as OpenMP gives it (OMP_NUM_THREADS). What a worker did not finish is
    evaluated by another one; after three failures in a row the search goes on in this process. The result is that of
    one thread, bit for bit. Several islands go there whole, up to the next migration or for 20 generations, where that
    takes a quarter of a second or more, and a generation less or the islands are as many as the workers; callbacks are
    then asked about these generations, and a checkpoint written, when they are back.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moeliga import MOELIGASelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=10, local_improvement=None, random_state=0).fit(X, y)
    >>> selector.transform(X).shape[1] == selector.support_.sum()
    np.True_
    >>> selector.select("best").pareto_front_.score.max() > 0.85
    np.True_
    """

    def __init__(self, estimator=None, *, scoring=None, cv=None, n_splits=3, validation_size=0.3,
                 split_mode="generation", subsample=None, objectives=None, population_size=90,
                 n_generations=300, n_islands=1, migration_interval=10, n_elite=10, generation_gap=10,
                 reevaluate="average", archive=True, n_per_size=0, n_rescore_splits=50, survival="nsga2",
                 init="log_uniform", initial_subsets=None, variation="uniform", feature_prior="auto", sharing="cluster",
                 local_improvement="parent", must_include=None, exclude=None, feature_groups=None,
                 feature_costs=None, min_features=1, max_features=None, rule="r1", max_time=None,
                 max_evaluations=None, patience=None, checkpoint=None, callbacks=None, stop_signals=("SIGINT",),
                 verbose=0, random_state=None, n_jobs=None):
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.n_splits = n_splits
        self.validation_size = validation_size
        self.split_mode = split_mode
        self.subsample = subsample
        self.objectives = objectives
        self.population_size = population_size
        self.n_generations = n_generations
        self.n_islands = n_islands
        self.migration_interval = migration_interval
        self.n_elite = n_elite
        self.generation_gap = generation_gap
        self.reevaluate = reevaluate
        self.archive = archive
        self.n_per_size = n_per_size
        self.n_rescore_splits = n_rescore_splits
        self.survival = survival
        self.init = init
        self.initial_subsets = initial_subsets
        self.variation = variation
        self.feature_prior = feature_prior
        self.sharing = sharing
        self.local_improvement = local_improvement
        self.must_include = must_include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.feature_costs = feature_costs
        self.min_features = min_features
        self.max_features = max_features
        self.rule = rule
        self.max_time = max_time
        self.max_evaluations = max_evaluations
        self.patience = patience
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.stop_signals = stop_signals
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def from_preset(cls, name, **parameters):
        """A selector with a named set of parameters.

        Parameters
        ----------
        name : {"default", "paper"}
            "paper": the algorithm as printed, for all that is another one by default: who survives (moga, and f''
            divided by the sum over the rank), splits of their own and fresh values for every individual, staggered
            sizes, one-point crossover, no feature prior, no archive, no re-scoring, and long local improvement.
        **parameters
            Override the preset.

        Raises
        ------
        ValueError : if there is no such preset.
        """
        check_choice("name", name, PRESETS)
        return cls(**{**deepcopy(PRESETS[name]), **parameters})

    @with_callbacks
    def fit(self, X, y, **params):
        """Search for the front.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers
            NaN = missing; no infinity. NaN and sparse X as far as the estimator takes them; the compiled tree takes
            both.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes, one of them with two samples; for a regressor finite numbers.
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
        TypeError, ValueError : naming the argument, the rule and the value.
        MemoryError : if more memory is needed than is free, here or on a worker, saying for what.
        RuntimeError : if workers elsewhere have no moeliga, or another version.

        Warns
        -----
        UserWarning : if `n_elite`, `generation_gap`, `sharing` or a selection were set, and have no part in `survival`.
        RuntimeWarning : if workers elsewhere are lost (the search goes on here), or a checkpoint could not be written.
        """
        ready = prepare(self, X, y, params)
        plan, search, names = ready.plan, ready.search, ready.feature_names
        settings = plan.settings
        tasks = Generations(self, ready.X, ready.y, params, names)
        own, progress = watchers(settings.verbose), Progress(
            Survival(ready.given), Patience(settings.patience),
            [Pace(search.local_improvement) for _ in range(search.n_islands)])
        saved = saving(plan.checkpoint, search, progress,
                       lambda: marks_of(self, search, ready.X, ready.y, names, params))
        with ExitStack() as stack:
            for watcher in own:
                stack.callback(getattr(watcher, "close", lambda: None))
            stack.enter_context(stopping(search.budget, plan.stop_signals, plan.checkpoint is not None))
            stack.enter_context(search.objectives.workers())
            with saved as keep:
                if settings.verbose and progress.generation < 0:
                    tell(estimate(search, ready.bits, settings.n_generations, settings.n_rescore_splits))
                    search.budget.restart()
                reason = run(search, ready.bits, settings.n_generations, settings.n_rescore_splits, progress,
                             [tasks, *own, *plan.callbacks], tasks.begin, keep)
            if search.budget.abandoned:
                raise Interrupted("a signal ended the search")
            search.budget.close()
            front, initial = final_fronts(search, progress, settings.n_rescore_splits, names)
        tasks.close()
        self.pareto_front_ = front
        self.initial_front_ = initial
        self.history_ = {name: np.array(column) for name, column in progress.history.items()}
        self.initial_survival_ = progress.survival.last
        self.stop_reason_ = search.budget.reason or reason
        self.n_evaluations_ = search.budget.n_evaluations
        unscored = self.rule == "one_se" and not np.isfinite(front.score_se).all()  # a signal came in between
        self.select("r1" if unscored else self.rule)
        tasks.end()
        return self

    def estimate_time(self, X, y, **params):
        """Estimate how long `fit` will take, from the evaluation of some of its initial subsets.

        Parameters
        ----------
        X, y, **params
            As for `fit`. An iterator given as `cv` is used up.

        Returns
        -------
        estimate : moeliga.search.time_estimate.TimeEstimate
            Its `seconds`, and what they rest on: `n_evaluations` planned, `n_measured` subsets that took
            `seconds_measured`. ``str(estimate)`` says it in words, ``float(estimate)`` is the seconds.

        Raises
        ------
        TypeError, ValueError : as `fit`.

        Notes
        -----
        Takes about a second, or a few evaluations if they take longer. Subsets are taken to stay as large as the
        initial ones, and nothing is known of `patience` and of callbacks that stop the search: where few features
        are enough fits are faster. The selector is not changed, and its fit finds the same as without. With `verbose`
        the fit itself estimates, and says so if it will take ten seconds or more.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from moeliga import MOELIGASelector
        >>> X, y = load_wine(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=10, random_state=0)
        >>> selector.estimate_time(X, y).n_evaluations
        1932
        """
        selector = copy(self)
        selector.random_state = deepcopy(self.random_state)  # a generator would be advanced
        ready = prepare(selector, X, y, params)
        with ready.search.objectives.workers():
            settings = ready.plan.settings
            return estimate(ready.search, ready.bits, settings.n_generations, settings.n_rescore_splits)

    def select(self, rule=None, *, n_features=None, max_features=None, max_cost=None, index=None):
        """Choose a member of the front again, without searching again; sets `support_` and `index_`.

        Parameters
        ----------
        rule : str, callable or None
            None = the selector's own `rule`; see `ParetoFront.choose` for this and the other parameters.
        n_features, max_features, index : int, optional
        max_cost : float, optional

        Returns
        -------
        self
        """
        check_is_fitted(self, "pareto_front_")
        self.index_ = self.pareto_front_.choose(self.rule if rule is None else rule, n_features=n_features,
                                                max_features=max_features, max_cost=max_cost, index=index)
        self.support_ = self.pareto_front_.supports[self.index_].copy()
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_clone__(self):
        """A clone in which selectors among `initial_subsets` stay fitted: what they have selected is the parameter."""
        twin = super().__sklearn_clone__()
        twin.initial_subsets = deepcopy(self.initial_subsets)
        return twin

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        tree = estimator_or_tree(self.estimator)
        if hasattr(tree, "__sklearn_tags__") and not isinstance(tree, type):
            taken = get_tags(tree).input_tags
            tags.input_tags.allow_nan, tags.input_tags.sparse = taken.allow_nan, taken.sparse
        else:
            tags.input_tags.allow_nan = True
        return tags

    def get_metadata_routing(self):
        """What `fit` passes on to the estimator's `fit`, the splitter's `split` and the scorer.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRouter
            Of the objects "estimator", "splitter" and "scorer".
        """
        tree = estimator_or_tree(self.estimator)
        return router(self, tree, find_scorer(tree, self.scoring))
