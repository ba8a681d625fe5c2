"""The objectives of a search, all maximised, evaluated for whole populations."""

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext.scores import NUMBERS
from moeliga.base.budget import Budget
from moeliga.base.checks import check_returned, check_sequence, read_only
from moeliga.distributed.dispatcher import WORTH_SECONDS
from moeliga.parameters.objectives import Cardinality, FeatureCost, Separability

TREE_COST, SEPARABILITY_COST = 1e-7, 1e-10
"""Upper estimates in seconds: of a tree for each sample and feature; of a distance of two samples for each feature."""

TREE_START, TYPICAL = 15, 0.1
"""Fixed cost of a tree, in features; and the share of its upper estimate that a tree takes typically."""

SCORES = {"uar": "a classifier", "r2": "a regressor"}
"""Names of objective I where `scoring` is None, and the kind of estimator that each is for."""

SHORT_FORMS = {"cardinality": Cardinality(), "cost": FeatureCost(), "separability": Separability()}


def resolve_objectives(objectives, score="uar"):
    """Return checked objectives without short forms: list of `score`, Cardinality, FeatureCost, Separability, callable.

    `score` is the name of objective I; no other name of a score is allowed. None for `objectives` means `score`,
    "cardinality" and "separability". TypeError or ValueError names the wrong entry.
    """
    objectives = (score, "cardinality", "separability") if objectives is None else objectives
    terms = []
    for entry in check_sequence("objectives", objectives, "objectives"):
        if isinstance(entry, str) and entry != score and entry in (*SCORES, *NUMBERS):
            whose = f"for {SCORES[score]}" if score in SCORES else f"with scoring={score!r}"
            raise ValueError(f"objectives must hold {score!r} in place of {entry!r} {whose}, got {objectives!r}")
        if isinstance(entry, str) and entry == score:
            terms.append(entry)
        elif isinstance(entry, str) and entry in SHORT_FORMS:
            terms.append(SHORT_FORMS[entry])
        elif isinstance(entry, Cardinality | FeatureCost | Separability):
            entry.validate(entry.name)
            terms.append(entry)
        elif callable(entry) and not isinstance(entry, type):
            terms.append(entry)
        else:
            raise ValueError(f"objectives must hold {score!r}, 'cardinality', 'cost', 'separability', Cardinality, "
                             f"FeatureCost, Separability or callables, got {entry!r}")
    names = [term_name(term) for term in terms]
    if len(set(names)) != len(names):
        raise ValueError(f"objectives must be distinct, got {names}")
    if not terms or not (score in terms or callable(terms[0])):
        raise ValueError(f"objectives must hold {score!r} or begin with a callable, got {names}")
    return terms


def check_costed(terms, costs, name="constraints.costs"):
    """Raise ValueError if `FeatureCost` is among the objectives `terms`, but `costs` is None."""
    if costs is None and any(isinstance(term, FeatureCost) for term in terms):
        raise ValueError(f"{name} must be given for the objective 'cost', got None")


def term_name(term):
    """Return the column name of an objective: str."""
    if callable(term):
        return getattr(term, "__name__", type(term).__name__)
    return term if isinstance(term, str) else term.name


def means(scores):
    """Return the means of scores over the last axis: ndarray. A running sum fixes the order of the additions."""
    return np.add.accumulate(scores, axis=-1)[..., -1] / scores.shape[-1]


def combine_judges(scores, combine):
    """Return the mean or the lowest over the judges of `scores`, float64 of shape (n, n_judges): shape (n,)."""
    return means(scores) if combine == "mean" else scores.min(axis=1)


def combine_judges_on_splits(scores, combine):
    """Combine the judges on each split: return scores of shape (n, n_splits), from `scores` (n, n_judges, n_splits).

    They are the means over the judges, or the scores of the judge whose mean over the splits is the lowest.
    """
    if combine == "mean":
        return means(scores.swapaxes(1, 2))
    return scores[np.arange(len(scores)), means(scores).argmin(axis=1)]


@dataclass(eq=False)
class Objectives:
    """The objectives of a search: evaluates subsets on any `Ground`, and keeps neither subsets nor samples."""

    terms: list  # see `resolve_objectives`
    scorer: object  # EstimatorScorer of the judges that are not compiled; None = all are compiled
    X: np.ndarray  # the caller's data, for callables
    y: np.ndarray
    seed: np.ndarray  # uint64, shape (2,)
    n_splits: int
    shared_splits: bool  # all individuals of a generation use the same splits
    n_threads: int
    n_samples: int  # of the whole data set
    costs: np.ndarray | None = None  # float64, shape (n_features,), for `FeatureCost`
    remote: object = None  # Remote, for evaluations that take long enough to be sent to workers
    n_fixed: int | None = None  # number of splits, where they are fixed; None = splits are drawn
    judges: tuple = (None,)  # for each judge of objective I its `Judge`; None = it is fitted by `scorer`
    combine: str = "mean"  # or "min": how the scores of several judges are combined
    judge_names: tuple = ()  # of the judges, if there are several
    share: object = None  # Share of this search in the threads of several searches; None = always `n_threads`

    @property
    def names(self):
        return tuple(term_name(term) for term in self.terms)

    @property
    def score(self):
        """The name of objective I, the score; None without it."""
        return next((term for term in self.terms if isinstance(term, str)), None)

    @property
    def primary(self):
        """The column of the score among the objectives, 0 without a score."""
        return 0 if self.score is None else self.terms.index(self.score)

    @property
    def threads(self):
        """The number of threads that the compiled core may use now."""
        return self.n_threads if self.share is None else self.share.n

    @property
    def n_parallel(self):
        """The number of evaluations that run at the same time."""
        if self.remote is not None and not self.remote.lost:
            return max(self.threads, self.remote.n_workers)
        return self.threads if self.scorer is None else self.scorer.n_workers

    @property
    def compiled_judges(self):
        """The indices in `judges` of those that are compiled: list of int."""
        return [place for place, judge in enumerate(self.judges) if judge is not None]

    def n_core_splits(self, n_splits):
        """Return the number of splits on which the compiled core scores a subset if the search asks for `n_splits`."""
        if self.score is None or not self.compiled_judges:
            return 0
        return n_splits if self.n_fixed is None else self.n_fixed * (n_splits > 0)

    def passes(self, n_splits):
        """Return the cost of an evaluation on `n_splits` splits as a multiple of one in the search: float >= 0."""
        return n_splits / self.n_splits if self.n_fixed is None else float(n_splits > 0)

    def instances(self, n_samples, exhaustive):
        """Return (number of instances of objective III, 0 without it; True if drawn with replacement)."""
        term = next((term for term in self.terms if isinstance(term, Separability)), None)
        if term is None:
            return 0, False
        return (n_samples, False) if exhaustive else (term.n_instances(n_samples), bool(term.replace))

    def work(self, ground, subsets, n_splits=None, exhaustive=False):
        """Return the cost of evaluating `subsets`, in a unit that a search does not change: float.

        For the compiled core it depends on the number of features, else on the numbers of subsets, splits and samples.
        With `exhaustive` the subsets are scored on the whole data set.
        """
        n_splits = self.n_splits if n_splits is None else n_splits
        share = ground.n_samples / self.n_samples
        scale = 1 / share if exhaustive else 1.0
        if self.scorer is None and not any(callable(term) for term in self.terms):
            n_instances, _ = self.instances(ground.n_samples, exhaustive)
            n_splits = self.n_core_splits(n_splits) * scale
            return float(self.seconds(ground, subsets.counts(), 1, n_splits, n_instances).sum())
        return len(subsets) * self.passes(n_splits) * share * scale

    @contextmanager
    def workers(self):
        """Context in which the workers of `scorer` and `remote` are started when needed, and released at the end."""
        with ExitStack() as stack:
            for source in filter(None, (self.scorer, self.remote)):
                stack.enter_context(source.workers())
            yield

    def evaluate(self, ground, subsets, address, individuals=None, *, n_splits=None, shared=None, exhaustive=False,
                 separability=None, budget=None):
        """Return objectives and scores of n subsets: float64, shapes (n, n_objectives) and (n, n_judges, n_splits).

        The scores are those of each judge on each split; without objective I there are none. `address` is (purpose,
        population, generation); `individuals`, int32, are the numbers of the subsets in their population, None = 0, 1,
        2, ... With `shared` all subsets have the same splits and instances; None for `n_splits` or `shared` means the
        setting of the search. With `exhaustive` objective III is over every instance once; `separability` are its
        values, if known. The budget is checked about once a second. ValueError if a score or objective is not finite.
        """
        n = len(subsets)
        budget = Budget() if budget is None else budget
        n_splits = self.n_splits if n_splits is None else n_splits
        shared = self.shared_splits if shared is None else shared
        individuals = np.arange(n, dtype=np.int32) if individuals is None else individuals
        instances = self.instances(ground.n_samples, exhaustive) if separability is None else (0, False)
        found, computed = self.core_scores(ground, subsets, individuals, address, self.n_core_splits(n_splits),
                                           shared, instances, budget)
        separability = computed if separability is None else separability
        n_features, masks = ground.n_features, None
        if self.score and self.scorer is not None:
            masks = subsets.masks(n_features)
            with budget.interruptible() if self.scorer.pool is None else nullcontext():
                scores = self.scorer.score(ground.table, masks, self.seed, address, individuals, n_splits, shared,
                                           budget)
            others = [place for place in range(len(self.judges)) if place not in found]
            found |= dict(zip(others, scores.swapaxes(0, 1), strict=True))
        scores = np.stack([found[place] for place in sorted(found)], axis=1) if found else np.zeros((n, 0, 0))
        columns = []
        for term in self.terms:
            if isinstance(term, Cardinality):
                column = term.values(subsets.counts(), n_features)
            elif isinstance(term, FeatureCost):
                costs = bits_room.total(subsets.bits, subsets.positions, self.costs)
                column = term.values(costs, np.add.accumulate(self.costs)[-1])
            elif isinstance(term, Separability):
                column = separability
            elif isinstance(term, str):
                column = combine_judges(means(scores), self.combine)
            else:
                masks = subsets.masks(n_features) if masks is None else masks
                with budget.interruptible():
                    column = np.array([self.call_objective(term, mask, budget) for mask in masks])
            if not np.all(np.isfinite(column)):
                named = isinstance(term, str) and term in NUMBERS
                why = (": a split lacks a class or a second sample that this score needs, or numbers of X or y are too "
                       "large to be squared" if named else "")
                raise ValueError(f"objective {term_name(term)!r} must be finite, got "
                                 f"{column[~np.isfinite(column)][0]}{why}")
            columns.append(column)
        return np.stack(columns, axis=1), scores

    def core_scores(self, ground, subsets, individuals, address, n_splits, shared, instances, budget):
        """Return a dict from the index of each compiled judge to its scores, (n, n_splits), and objective III."""
        found, separability, (n_instances, replace) = {}, None, instances
        if n_splits and ground.scored:  # each compiled judge has a ground of its own
            common = (self.seed, address, n_splits, shared, 0, False)
            for place, scored in zip(self.compiled_judges, ground.scored, strict=True):
                found[place] = self.run_core(scored, subsets, individuals, common, budget)[0]
            n_splits = 0
        if ground.evaluator is not None and n_splits + n_instances:
            common = (self.seed, address, n_splits, shared, n_instances, replace)
            scores, separability = self.run_core(ground, subsets, individuals, common, budget)
            found = dict.fromkeys(self.compiled_judges, scores) if n_splits else found
        return found, separability

    def call_objective(self, term, mask, budget):
        """Return the value of a callable objective for a subset: float; raise TypeError unless it is a number."""
        budget.check()
        X, y = read_only(self.X), read_only(self.y)
        return check_returned(f"objective {term_name(term)!r}", term(mask.copy(), X, y))  # it may change the mask

    def separability(self, ground, subsets, address, budget):
        """Return objective III alone, over every instance once: ndarray of float64, shape (n,)."""
        common = (self.seed, address, 0, True, ground.n_samples, False)
        return self.run_core(ground, subsets, np.arange(len(subsets), dtype=np.int32), common, budget)[1]

    def run_core(self, ground, subsets, individuals, common, budget):
        """Return (scores, separability) of `Evaluator.evaluate`, computed in this process or by remote workers.

        `common` holds the arguments of `Evaluator.evaluate` from `seed` to `replace`.
        """
        _, _, n_splits, _, n_instances, _ = common
        seconds = self.seconds(ground, subsets.counts(), 1, n_splits, n_instances)
        if self.remote is not None and not self.remote.lost and seconds.sum() / self.threads >= WORTH_SECONDS:
            found = self.remote.evaluate(ground, seconds, subsets, individuals, common, budget)
            if found is not None:
                return found
        return ground.evaluator.evaluate(subsets.bits, subsets.positions, individuals, *common, self.threads,
                                         budget.check, self.per_feature(ground, 1, 0), self.per_feature(ground, 0, 1))

    def seconds(self, ground, n_features, n_subsets, n_splits, n_instances):
        """Estimate the seconds of the compiled core on one thread for `n_subsets` with `n_features` in total."""
        seconds = self.per_feature(ground, n_splits, n_instances)
        if all(scored.judge is not None for scored in ground.scored or (ground,)):
            return n_features * seconds
        return (n_features + TREE_START * n_subsets) * TYPICAL * seconds

    def per_feature(self, ground, n_splits, n_instances):
        """Return an upper estimate of the seconds of the compiled core for each feature of a subset on one thread."""
        seconds = ground.n_samples * SEPARABILITY_COST * n_instances
        for scored in ground.scored or (ground,):
            if scored.judge is None:
                seconds += scored.n_samples * TREE_COST * n_splits
            else:
                seconds += scored.judge.seconds(scored.n_samples, n_splits, scored.one_out)
        return seconds

    def worth_sending(self, ground, n_features, n_subsets, n_generations, n_tasks=0):
        """Return True if populations should evolve on remote workers, `n_tasks` of them at the same time.

        They should if all generations together take long enough to be sent, and either a single one does not (else it
        is better cut into slices for all workers, although trees of different slices share no nodes), or the searches
        that run at the same time have at least as many populations as there are workers. A generation has `n_subsets`
        subsets with `n_features` features in total.
        """
        if self.remote is None or self.remote.lost or any(map(callable, self.terms)):
            return False
        n_instances, _ = self.instances(ground.n_samples, False)
        n_splits = self.n_core_splits(self.n_splits)
        generation = self.seconds(ground, n_features, n_subsets, n_splits, n_instances) / self.threads
        if generation * n_generations < WORTH_SECONDS:
            return False
        return generation < WORTH_SECONDS or n_tasks * self.remote.n_searches >= self.remote.n_workers
