"""Evaluation of whole populations: one parallel region over individuals x (trees + separability)."""
from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from coded cimport coded, widths
from evaluation cimport (MOST_COUNTED_SAMPLES, check_counts, check_score, check_subsets, check_values, count_parts,
                         count_training)
from judged cimport check_learnable, judged_data, judges_plan, uncoded, weights_of
from kernels cimport (SCORES_ACCURACY, SCORES_AVERAGE_PRECISION, SCORES_MATTHEWS, SCORES_NEG_SQUARED, SCORES_R2,
                      SCORES_ROC_AUC, SCORES_UAR, answers_data_t, base_level, bits_count, data_t, forest_values,
                      judges_plan_t, poll_t, queued_t, relief_samples_t, relief_sum_t, shares_scale_t, stopping_t)
from rounds cimport finish_task, new_round, next_task, poll_of, raise_error, round_t, set_tasks, wait_for_tasks
from task cimport OF_FORESTS, SAVED, forest_t, job_t, lay_out, run_task, scratch_t, task_seconds, together
cimport omp

# Below this many (entries of trees + differences of separability) one thread is faster than starting two.
cdef int64_t SMALL_WORK = 100_000

# Rough seconds of a round: of the tasks between two calls of `check`.
cdef double ROUND = 0.25

# Rough seconds of a batch of trees, at most; batches for each thread, at least.
cdef double BATCH = 0.5
cdef int64_t BATCHES = 4

MOST_COUNTED = MOST_COUNTED_SAMPLES
"""Most samples of a forest's tree, each as often as it counts."""


def threads():
    """Return what OpenMP this build has, and the instruction set that it uses on this machine.

    dict of `enabled`, `version` (yyyymm, 0 = none), `max_threads`, `level` (see `tree.LEVEL`)
    """
    return {"enabled": bool(omp.enabled()), "version": omp.version(), "max_threads": omp.max_threads(),
            "level": base_level()}


def pause():
    """Release the threads of the OpenMP runtime: to be called before a fork, and in no parallel region."""
    omp.pause()


def workspace_bytes(int32_t n_samples, int32_t n_classes, int64_t n_codes, int32_t n_train, int64_t k,
                    int32_t max_depth, int32_t n_instances, bint target, bint answers=False, bint forest=False,
                    int64_t n_subsets=1, int64_t n_features=1):
    """Return the bytes of the workspace of each thread of `Evaluator.evaluate`.

    Parameters
    ----------
    n_samples : int >= 1
    n_classes : int >= 1; 1 for a target
    n_codes : int
        Most codes of a feature, missing values not counted.
    n_train : int in [1, n_samples]
    k : int >= 1
        Features of the largest subset.
    max_depth : int >= 0
    n_instances : int >= 0
    target : bool
    answers : bool, default=False
        Scores are computed from answers, for all samples at most; else UAR or R2 from the nodes of the tree.
    forest : bool, default=False
        Forests are grown, and not trees.
    n_subsets : int >= 1, default=1
        Subsets that are evaluated on the same splits: their trees are grown together.
    n_features : int >= 1, default=1
        Of the data set.

    Returns
    -------
    n_bytes : int
    n_open : int
        Of these, the stack of open nodes, of which few are ever written, whatever the tree.
    """
    cdef data_t data
    cdef stopping_t stopping = stopping_t(max_depth, 2, 1)
    cdef job_t job
    cdef scratch_t laid
    cdef forest_t grown
    cdef int64_t nothing = 0
    data.n_samples = n_samples
    data.n_classes = n_classes
    data.target = &nothing if target else NULL
    widths(&data, n_codes)
    job.data = &data
    job.stopping = &stopping
    job.max_k = k
    job.n_train = n_train
    job.n_ask = n_samples
    job.given, job.plan, job.forest = NULL, NULL, NULL
    grown.plan.data = &data
    if forest:
        job.forest = &grown
    job.score = SCORES_R2 if target else SCORES_UAR
    if answers:
        job.score = SCORES_NEG_SQUARED if target else SCORES_ACCURACY
    job.n_instances = n_instances
    job.n_batch = 0
    cdef int64_t n_bytes = max(lay_out(&job, True, NULL, &laid), lay_out(&job, False, NULL, &laid))
    job.n = <int32_t>n_subsets
    job.n_positions, job.n_words = n_features, (n_features + 63) // 64
    job.n_batch = together(&job)
    n_bytes = max(n_bytes, lay_out(&job, True, NULL, &laid))
    return n_bytes, n_train * <int64_t>sizeof(queued_t)


cdef void _run_tasks(const job_t *job, round_t *round, int32_t thread, uint8_t *buffer, double *score,
                     double *separability) noexcept nogil:
    """Run tasks of a round until none is left; thread 0, the caller's, then waits for those of the others."""
    cdef poll_t poll = poll_of(round, thread)
    cdef int64_t task = next_task(round)
    while task >= 0:
        run_task(job, task, buffer, score, separability, NULL if round.check == NULL else &poll)
        finish_task(round)
        task = next_task(round)
    if thread == 0 and round.check != NULL:
        wait_for_tasks(round)


cdef class Evaluator:
    """Objectives I and III of whole populations on one data set.

    Parameters
    ----------
    dataset : moeliga.data.dataset.Dataset
    n_validation : ndarray of int32, shape (n_classes,)
        Validation samples of each class (or stratum), 0 <= n_validation[c] < n_c, not all 0.
    max_depth, min_samples_split, min_samples_leaf : int
        Of the decision tree.
    score : int, default=-1
        Number of the score of objective I, see `scores.NUMBERS`; -1 = UAR, or R2.
    positive : int, default=1
        Class that "f1" and "average_precision" of two classes are of.
    splits : ndarray of uint8, shape (n_splits, n_samples), or None, default=None
        Fixed splits: 0 = the sample is learnt from, 1 = it is answered for, 2 = neither. None = splits are drawn.
    judge : moeliga.evaluation.compiled_judge.Judge or None, default=None
        A judge in place of the tree. `dataset` may then be without codes (`Samples`), and has no objective III.
    table : ndarray of float64, shape (n_features, n_samples), finite, or None, default=None
        The values as the judge reads them, rows in the order of the caller's table (`dataset.rows` are their numbers).
    target : ndarray of float64, shape (n_samples,), or None, default=None
        Of a judge for regression, likewise.
    leave_one_out : bool, default=False
        The one split of a judge: it answers for every sample, after learning from all others. Of a forest: its trees
        answer for the samples that they have not drawn; those that all have drawn are not scored.
    forest : moeliga.evaluation.compiled_judge.Judge or None, default=None
        A forest in place of the tree, which reads the codes, too. Its trees draw from the seed of the user, or from one
        that is drawn for each subset and split.
    weights : ndarray of float64, shape (n_samples,), finite and >= 0, or None, default=None
        How often each row counts where it is learnt from, rows as in `table`; scores count each once. For a forest
        whole numbers.

    Notes
    -----
    Owns the workspace (a NumPy array that grows with the largest subset seen): not for use from two Python threads
    at a time.
    """
    cdef object dataset, workspace
    cdef data_t data
    cdef stopping_t stopping
    cdef const float[:, ::1] values
    cdef const int32_t[::1] class_start, n_validation, hits_from, hits_to, sample_of, n_learn
    cdef const uint8_t[:, ::1] splits
    cdef const double[::1] target
    cdef shares_scale_t scale
    cdef int32_t n_train, n_ask, score, positive
    cdef object judge
    cdef const double[:, ::1] table
    cdef const double[::1] judged_target
    cdef const int32_t[::1] labels_of
    cdef judges_plan_t plan
    cdef answers_data_t judged
    cdef object forest
    cdef forest_t grown
    cdef const uint8_t[::1] cells
    cdef const int32_t[::1] tried, drawn, counts
    cdef const double[::1] weights, reciprocal
    cdef const int64_t[::1] steps
    cdef job_t job

    def __init__(self, dataset, const int32_t[::1] n_validation, int32_t max_depth, int32_t min_samples_split,
                 int32_t min_samples_leaf, int32_t score=-1, int32_t positive=1, const uint8_t[:, ::1] splits=None,
                 judge=None, const double[:, ::1] table=None, const double[::1] target=None,
                 bint leave_one_out=False, forest=None, const double[::1] weights=None):
        self.dataset, self.judge, self.table, self.judged_target = dataset, judge, table, target
        self.weights = weights
        self.class_start = dataset.class_start
        self.n_validation = n_validation
        if judge is not None and not hasattr(dataset, "codes"):
            self.data = uncoded(dataset, target)
            self.values = None
        else:
            self._set_coded(dataset)
        self.n_train = count_training(self.class_start, n_validation)
        self.n_ask = self.data.n_samples - self.n_train
        self._set_score(score, positive)
        self._set_splits(splits)
        self._set_judge(leave_one_out)
        self._set_forest(forest, leave_one_out)
        if weights is not None and judge is None:
            self._set_counts()
        if max_depth < 0 or min_samples_split < 2 or min_samples_leaf < 1:
            raise ValueError("max_depth must be >= 0, min_samples_split >= 2, min_samples_leaf >= 1, got "
                             f"{max_depth}, {min_samples_split}, {min_samples_leaf}")
        self.stopping.max_depth = max_depth
        self.stopping.min_samples_split = min_samples_split
        self.stopping.min_samples_leaf = min_samples_leaf
        self._set_job()
        self.workspace = np.empty((0, 0), dtype=np.uint64)

    cdef _set_coded(self, dataset):
        """Point to what trees and objective III read."""
        self.data = coded(dataset)
        self.values = dataset.values
        self.hits_from = dataset.hits_from
        self.hits_to = dataset.hits_to
        check_values(&self.data, dataset.offset.shape[0] - 1, self.values, self.hits_from, self.hits_to)

    cdef _set_judge(self, bint leave_one_out):
        """Point to what a judge reads, and to its parameters."""
        cdef int64_t n_samples = self.data.n_samples, n_least
        if self.judge is None:
            return
        if self.table is None or self.table.shape[0] != self.data.n_features or self.table.shape[1] != n_samples:
            raise ValueError(f"table must have the shape ({self.data.n_features}, {n_samples}) for a judge")
        if (self.judged_target is not None) != (self.data.target != NULL):
            raise ValueError("target must be given for a judge for regression, and for no other")
        if leave_one_out:
            self.n_train = self.n_ask = self.data.n_samples
        n_least = self.n_train if self.splits is None or leave_one_out else np.min(self.n_learn)
        self.plan = judges_plan(self.judge, self.data.n_classes, leave_one_out, self.data.level)
        self.plan.only_argmax = SCORES_UAR <= self.score <= SCORES_MATTHEWS
        # as scikit-learn's scorers ask; by leave-one-out in closed form values have parts that differ from row to row
        self.plan.decision_values = not leave_one_out and self.score in (SCORES_ROC_AUC, SCORES_AVERAGE_PRECISION)
        check_learnable(&self.plan, n_least)
        self.labels_of = None
        if self.judged_target is None:
            self.labels_of = np.asarray(self.dataset.labels).astype(np.int32)[np.asarray(self.sample_of)]
        self.judged = judged_data(self.table, self.labels_of, self.judged_target, self.data.n_classes)
        self.judged.weights = weights_of(&self.plan, &self.judged, self.weights)

    cdef _set_counts(self):
        """Set how often each sample counts in the trees of a forest, and 1 / i up to the most that a node can count."""
        weights = np.asarray(self.weights)
        if self.forest is None:
            raise ValueError("weights must be for a judge, or for a forest")
        most = check_counts(weights, self.data.n_samples, max(self.n_train, int(np.max(self.drawn))))
        counts = np.empty(self.data.n_samples, dtype=np.int32)
        counts[np.asarray(self.sample_of)] = weights
        self.counts = counts
        self.grown.plan.weights = &self.counts[0]
        reciprocal = np.zeros(max(most, self.data.n_samples) + 1)
        reciprocal[1:] = 1.0 / np.arange(1, len(reciprocal))
        self.reciprocal = reciprocal
        self.data.reciprocal = &self.reciprocal[0]
        if self.data.target != NULL:
            known = self.dataset.target.counted(most)
            self.steps = known.steps
            self.data.target = &self.steps[0]
            self.scale = shares_scale_t(known.centre, known.low, known.high, known.exponent)

    cdef _set_forest(self, forest, bint out_of_bag):
        """Set how forests are grown: their trees, seeds, stopping rules, and the samples that each tree draws."""
        cdef uint8_t[::1] cells
        cdef int64_t f
        self.forest = forest
        if forest is None:
            return
        if self.judge is not None or self.values is None or forest.n_trees < 1:
            raise ValueError("a forest must have a tree, codes, and no judge beside it")
        if out_of_bag and self.splits is not None:
            raise ValueError("splits must be None out of bag")
        if out_of_bag:
            self.n_train = self.n_ask = self.data.n_samples
        self.grown.n_trees, self.grown.seeded = forest.n_trees, forest.seed is not None
        self.grown.out_of_bag = out_of_bag
        self.grown.plan.data, self.grown.plan.rows = &self.data, NULL
        self.grown.plan.values, self.grown.plan.weights, self.grown.plan.min_weight = NULL, NULL, 0
        self.grown.plan.address.purpose = OF_FORESTS
        self.grown.plan.address.population, self.grown.plan.address.generation = 0, 0
        if forest.seed is not None:
            self.grown.plan.address.seed[0], self.grown.plan.address.seed[1] = forest.seed
        (self.grown.plan.stopping.max_depth, self.grown.plan.stopping.min_samples_split,
         self.grown.plan.stopping.min_samples_leaf) = forest.stopping
        if forest.random_cuts:
            cells = np.empty(self.data.n_features * <int64_t>self.data.n_samples * self.data.value_width,
                             dtype=np.uint8)
            for f in range(self.data.n_features):
                forest_values(&self.data, f, &cells[0])
            self.cells = cells
            self.grown.plan.values = &cells[0]
        sizes = [self.n_train] if self.splits is None else self.n_learn
        self.drawn = np.array([forest.drawn(int(size)) for size in sizes], dtype=np.int32)
        self.tried = np.zeros(0, dtype=np.int32)
        if np.any(np.asarray(self.drawn) < 0) or np.any(np.asarray(self.drawn) > np.asarray(sizes)):
            raise ValueError(f"forest.drawn must be in [0, {max(sizes)}], got {np.asarray(self.drawn).tolist()}")
        if out_of_bag and not self.drawn[0]:
            raise ValueError("forest.drawn must be above 0 out of bag, got 0")

    cdef _set_tried(self, int32_t k):
        """Set the number of features that forests draw at a node, for subsets of 1 to `k` features."""
        tried = np.array([self.forest.tried(size) for size in range(1, k + 1)], dtype=np.int32)
        if np.any((tried < 0) | (tried > np.arange(1, k + 1))):
            raise ValueError(f"forest.tried must be in [0, k] of k features, got {tried.tolist()}")
        self.tried = tried

    cdef _set_score(self, int32_t score, int32_t positive):
        """Set the score, and what it is computed from besides the answers: the order of the rows, and the target."""
        cdef bint regression = self.data.target != NULL
        self.score, self.positive = check_score(&self.data, score, positive), positive
        if self.dataset.rows.shape[0] != self.data.n_samples:
            raise ValueError(f"dataset.rows must have {self.data.n_samples} entries, got "
                             f"{self.dataset.rows.shape[0]}")
        self.sample_of = np.argsort(self.dataset.rows).astype(np.int32)
        if regression and self.judge is not None:
            target = np.empty(self.data.n_samples)
            target[np.asarray(self.sample_of)] = self.judged_target
            self.target = target
        elif regression:
            known = self.dataset.target
            self.target = known.values(known.steps)
            self.scale = shares_scale_t(known.centre, known.low, known.high, known.exponent)

    cdef _set_splits(self, const uint8_t[:, ::1] splits):
        """Set fixed splits, and the most samples that one learns from and answers for."""
        self.splits = splits
        if splits is None:
            return
        n_learn, n_ask = count_parts(splits, self.data.n_samples)
        self.n_learn, self.n_train, self.n_ask = n_learn, n_learn.max(), n_ask.max()

    cdef _set_job(self):
        """Set what the tasks of all calls share; a call adds its subsets, draws and numbers of splits and instances."""
        self.job.data, self.job.stopping = &self.data, &self.stopping
        self.job.class_start, self.job.n_validation = &self.class_start[0], &self.n_validation[0]
        self.job.n_strata = <int32_t>self.n_validation.shape[0]
        self.job.sample_of = &self.sample_of[0]
        self.job.n_train, self.job.n_ask = self.n_train, self.n_ask
        self.job.score, self.job.positive, self.job.scale = self.score, self.positive, self.scale
        self.job.plan, self.job.forest = NULL, NULL
        self.job.given, self.job.n_learn, self.job.target = NULL, NULL, NULL
        if self.judge is not None:
            self.job.plan, self.job.judged = &self.plan, self.judged
        if self.forest is not None:
            self.job.forest = &self.grown
        if self.values is not None:
            self.job.samples = relief_samples_t(&self.values[0, 0], &self.hits_from[0], &self.hits_to[0],
                                                self.values.shape[1], self.data.n_samples)
        if self.splits is not None:
            self.job.given, self.job.n_learn = &self.splits[0, 0], &self.n_learn[0]
        if self.data.target != NULL:
            self.job.target = &self.target[0]

    cdef _check_numbers(self, int32_t n_splits, int32_t n_instances, bint replace):
        """Raise ValueError unless the data have as many splits, and instances of objective III."""
        if n_splits < 0:
            raise ValueError(f"n_splits must be >= 0, got {n_splits}")
        if self.splits is not None and n_splits not in (0, self.splits.shape[0]):
            raise ValueError(f"n_splits must be 0 or {self.splits.shape[0]}, the fixed splits, got {n_splits}")
        if n_instances and self.values is None:
            raise ValueError(f"n_instances must be 0 for a dataset without codes, got {n_instances}")
        if n_instances < 0 or (n_instances > self.data.n_samples and not replace):
            raise ValueError(f"n_instances must be in [0, {self.data.n_samples}], got {n_instances}")

    cdef int64_t _set_batch(self, job_t *job, int32_t n_threads, bint checked):
        """Set the number of subsets of a task, several where their splits are the same; return the number of tasks."""
        cdef int64_t n = job.n, n_splits = job.n_splits, n_others = n if job.n_instances else 0, n_together
        job.n_batch = 0
        if n_splits and (job.shared or job.given != NULL):
            n_together = together(job)
            if n_threads > 1:
                n_together = min(n_together, 1 + n * n_splits // (BATCHES * n_threads))
            if checked:
                n_together = min(n_together, <int64_t>(BATCH * SAVED / max(job.max_k * job.tree_seconds, 1e-9)))
            if n_together > 1:
                job.n_batch = n_together
                return n_others + (n + n_together - 1) // n_together * n_splits
        return n_others + n * n_splits

    cdef _run(self, job_t *job, int64_t n_tasks, int32_t n_threads, check, double *score, double *separability):
        """Run all tasks, in rounds between which `check` is called; threads write into `score` and `separability`."""
        cdef scratch_t scratch
        cdef int64_t n_bytes = max(lay_out(job, True, NULL, &scratch), lay_out(job, False, NULL, &scratch))
        cdef int64_t first, end, n_round
        cdef int32_t thread
        cdef double seconds
        cdef bint last
        if self.workspace.shape[0] < n_threads or self.workspace.shape[1] * 8 < n_bytes:
            self.workspace = np.empty((0, 0), dtype=np.uint64)  # makes room for the larger one
            self.workspace = np.empty((n_threads, n_bytes // 8), dtype=np.uint64)
        cdef uint8_t[:, ::1] workspace = self.workspace.view(np.uint8)
        cdef int64_t row_bytes = workspace.shape[1]
        cdef uint8_t *rows = &workspace[0, 0]
        job.first, job.n_now = 0, job.n_instances
        if check is not None and job.max_k * job.instance_seconds * job.n_instances > ROUND:
            job.n_now = max(1, <int32_t>(ROUND / (job.max_k * job.instance_seconds)))
        raised = []
        cdef round_t round = new_round(check, raised)
        while True:
            last = job.first + job.n_now == job.n_instances
            end, n_round = 0, n_tasks if last else job.n  # trees come with the last instances
            while end < n_round:
                first, seconds = end, 0
                while end < n_round and (check is None or end < first + n_threads or seconds < ROUND * n_threads):
                    seconds += task_seconds(job, end)
                    end += 1
                set_tasks(&round, first, end)
                for thread in prange(n_threads, nogil=True, schedule="static", chunksize=1, num_threads=n_threads):
                    _run_tasks(job, &round, thread, rows + thread * row_bytes, score, separability)
                raise_error(raised)
                if check is not None:
                    check()
            if last:
                return
            job.first += job.n_now
            job.n_now = min(job.n_now, job.n_instances - job.first)

    def evaluate(self, const uint64_t[:, ::1] bits, const int32_t[::1] features, const int32_t[::1] individuals,
                 const uint64_t[::1] seed, address, int32_t n_splits, bint shared, int32_t n_instances, bint replace,
                 int32_t n_threads, check=None, double tree_seconds=0.0, double instance_seconds=0.0):
        """Evaluate every row of `bits` (Algorithm "Evaluate population", lines 1 to 12).

        Parameters
        ----------
        bits : ndarray of uint64, shape (n, ceil(n_positions / 64)); no row is empty
        features : ndarray of int32, shape (n_positions,), ascending
            Feature of the data set that each position stands for.
        individuals : ndarray of int32, shape (n,)
            Number of each row in its population: part of the address of its draws.
        seed : ndarray of uint64, shape (2,)
        address : tuple (purpose, population, generation)
        n_splits : int >= 0; 0 = no trees; of fixed splits their number
        shared : bool
            All rows use the splits and instances of individual 0 (common random numbers).
        n_instances : int >= 0; instances of objective III, 0 = no separability
        replace : bool
        n_threads : int >= 1
        check : callable or None
            Called without arguments a few times a second, also inside a long task; what it raises ends the evaluation.
        tree_seconds, instance_seconds : float >= 0
            Rough seconds of a tree, and of an instance, for each feature of a subset: when `check` is called.

        Returns
        -------
        score : ndarray of float64, shape (n, n_splits)
            Larger is better; NaN where it is not defined, see `kernels/scores/types.h`.
        separability : ndarray of float64, shape (n,), in [-1, 1]; NaN if n_instances is 0

        Raises
        ------
        ValueError : if a shape does not agree, a feature is out of range, a row is empty or a number is negative.

        Notes
        -----
        Each task writes its own cell and draws from its own address, and instances are added in their order, however
        they are cut: the result does not depend on `n_threads` and `check`.
        """
        cdef job_t job = self.job
        cdef int64_t n = bits.shape[0], i
        cdef double work = 0
        check_subsets(bits, features, individuals, self.data.n_features)
        self._check_numbers(n_splits, n_instances, replace)
        if seed.shape[0] != 2:
            raise ValueError(f"seed must have 2 words, got {seed.shape[0]}")
        if n_threads < 1:
            raise ValueError(f"n_threads must be >= 1, got {n_threads}")
        score_ = np.empty((n, n_splits))
        separability_ = np.full(n, np.nan)
        if n == 0 or (n_splits == 0 and n_instances == 0):
            return score_, separability_
        cdef double[:, ::1] score = score_
        cdef double[::1] separability = separability_
        sizes_ = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] sizes = sizes_
        job.max_k = 0
        for i in range(n):
            sizes[i] = bits_count(&bits[i, 0], bits.shape[1])
            if sizes[i] == 0:
                raise ValueError(f"bits must select a feature in every row, row {i} is empty")
            job.max_k = max(job.max_k, sizes[i])
            work += sizes[i]
        by_size_ = np.argsort(-sizes_, kind="stable").astype(np.int32)
        cdef const int32_t[::1] by_size = by_size_
        cdef uint64_t[:, ::1] sums = np.zeros((n, sizeof(relief_sum_t) // 8), dtype=np.uint64)
        job.bits, job.features, job.individuals = &bits[0, 0], &features[0], &individuals[0]
        job.n, job.n_words, job.n_positions = <int32_t>n, bits.shape[1], features.shape[0]
        job.sizes, job.by_size = &sizes[0], &by_size[0]
        job.sums = <relief_sum_t *>&sums[0, 0]
        job.address.seed[0], job.address.seed[1] = seed[0], seed[1]
        job.address.purpose, job.address.population, job.address.generation = address
        job.n_splits, job.n_instances, job.shared, job.replace = n_splits, n_instances, shared, replace
        job.tree_seconds, job.instance_seconds = tree_seconds, instance_seconds
        if self.forest is not None:
            if self.tried.shape[0] < job.max_k:
                self._set_tried(<int32_t>job.max_k)
            self.grown.tried, self.grown.drawn = &self.tried[0], &self.drawn[0]
            work *= self.grown.n_trees
        work *= <int64_t>self.n_train * n_splits + <int64_t>n_instances * self.data.n_samples // 16
        if work < SMALL_WORK:
            n_threads = 1
        self._run(&job, self._set_batch(&job, n_threads, check is not None), n_threads, check,
                  &score[0, 0] if n_splits else NULL, &separability[0])
        return score_, separability_
