"""Evaluation of whole populations: one parallel region over individuals x (trees + separability)."""
from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from coded cimport coded, widths
from kernels cimport (DRAW_SAMPLE, RELIEF_LANES, address_t, base_level, bits_count, bits_list, bits_padded,
                      buffers_next, data_t, draw_instances, draw_open, draw_split, grow_tree, lay_tree, max_nodes,
                      node_t, predictor_size, queued_t, relief_add, relief_astray, relief_in_unit, relief_mean,
                      relief_samples_t, relief_size, relief_sum_t, score_r2, score_uar, stopping_t, stream_t,
                      training_t, tree_t, workspace_t)
cimport omp

# Below this many (entries of trees + differences of separability) one thread is faster than starting two.
cdef int64_t SMALL_WORK = 100_000

# Rough seconds of a round: of the tasks between two calls of `check`.
cdef double ROUND = 0.25


def threads():
    """OpenMP and instruction set as this build and machine have them: dict of `enabled`, `version` (yyyymm, 0 = none),
    `max_threads`, `level` (see `tree.LEVEL`)."""
    return {"enabled": bool(omp.enabled()), "version": omp.version(), "max_threads": omp.max_threads(),
            "level": base_level()}


def pause():
    """Give the OpenMP runtime's threads back (call before a fork; no region may be active)."""
    omp.pause()


cdef struct job_t:
    # one call of `Evaluator.evaluate`, as every task sees it
    const data_t *data
    const stopping_t *stopping
    relief_samples_t samples
    const int32_t *class_start
    const int32_t *n_validation
    const uint64_t *bits
    const int32_t *features
    const int32_t *individuals
    const int32_t *by_size
    const int32_t *sizes
    relief_sum_t *sums      # of each separability
    address_t address
    int64_t n_words, max_k
    double tree_seconds, instance_seconds  # rough, for each feature of a subset
    int32_t n, n_strata, n_train, n_splits, n_instances
    int32_t first, n_now    # instances of this round: n_now from the first
    bint shared, replace


cdef struct scratch_t:
    # scratch of one task, laid out over its thread's row of the workspace
    int32_t *selected
    uint8_t *marks
    uint8_t *tree       # of a tree
    node_t *nodes
    double *means
    uint8_t *paths
    int32_t *instances  # of a separability
    uint8_t *relief


cdef int64_t _lay_out(const job_t *job, bint is_tree, uint8_t *buffer, scratch_t *scratch) noexcept nogil:
    """Lay the scratch of a tree, or of a separability, over `buffer` (may be NULL) and return its size in bytes."""
    cdef int64_t n_samples = job.data.n_samples, n_train = job.n_train, k = job.max_k, at = 0
    cdef int64_t n_nodes = max_nodes(n_train)
    cdef workspace_t work
    scratch.selected = <int32_t *>buffers_next(buffer, k * 4, &at)
    scratch.marks = <uint8_t *>buffers_next(buffer, n_samples, &at)
    if is_tree:
        scratch.tree = <uint8_t *>buffers_next(buffer,
                                               lay_tree(NULL, job.data, n_train, k, job.stopping.max_depth, &work), &at)
        scratch.nodes = <node_t *>buffers_next(buffer, n_nodes * <int64_t>sizeof(node_t), &at)
        scratch.means = <double *>buffers_next(buffer, n_nodes * 8 if job.data.target != NULL else 0, &at)
        scratch.paths = <uint8_t *>buffers_next(buffer, predictor_size(job.data, n_train), &at)
    else:
        scratch.instances = <int32_t *>buffers_next(buffer, <int64_t>job.n_instances * 4, &at)
        scratch.relief = <uint8_t *>buffers_next(buffer, relief_size(n_samples, k, job.n_instances), &at)
    return at


def room(int32_t n_samples, int32_t n_classes, int64_t n_codes, int32_t n_train, int64_t k, int32_t max_depth,
         int32_t n_instances, bint target):
    """Bytes of the workspace that each thread of `Evaluator.evaluate` has.

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

    Returns
    -------
    n_bytes : int
    n_open : int
        Of these, the stack of nodes that wait: a few are ever there, whatever the tree.
    """
    cdef data_t data
    cdef stopping_t stopping = stopping_t(max_depth, 2, 1)
    cdef job_t job
    cdef scratch_t laid
    cdef int64_t nothing = 0
    data.n_samples = n_samples
    data.n_classes = n_classes
    data.target = &nothing if target else NULL
    widths(&data, n_codes)
    job.data = &data
    job.stopping = &stopping
    job.max_k = k
    job.n_train = n_train
    job.n_instances = n_instances
    cdef int64_t n_bytes = max(_lay_out(&job, True, NULL, &laid), _lay_out(&job, False, NULL, &laid))
    return n_bytes, n_train * <int64_t>sizeof(queued_t)


cdef double _seconds(const job_t *job, int64_t task) noexcept nogil:
    """Rough seconds of a task."""
    if job.n_instances and task < job.n:
        return job.sizes[job.by_size[task]] * job.instance_seconds * job.n_now
    if job.n_instances:
        task -= job.n
    return job.sizes[job.by_size[task // job.n_splits]] * job.tree_seconds


cdef void _task(const job_t *job, int64_t task, uint8_t *buffer, double *score, double *separability) noexcept nogil:
    """One tree (fit, predict, UAR or R2) or some instances of one separability; writes one cell.
    Separabilities come first, and larger subsets before smaller ones, so that the last tasks are short."""
    cdef scratch_t scratch
    cdef workspace_t work
    cdef training_t training
    cdef tree_t tree
    cdef stream_t stream
    cdef bint is_tree = job.n_instances == 0 or task >= job.n
    cdef int64_t t = task - job.n if is_tree and job.n_instances else task
    cdef int64_t p = job.by_size[t // job.n_splits] if is_tree else job.by_size[t]
    cdef uint32_t test = <uint32_t>(t % job.n_splits) if is_tree else DRAW_SAMPLE
    cdef int32_t k, n_nodes
    _lay_out(job, is_tree, buffer, &scratch)
    k = bits_list(job.bits + p * job.n_words, job.n_words, job.features, scratch.selected)
    stream = draw_open(job.address, 0 if job.shared else <uint32_t>job.individuals[p], test)
    if is_tree:
        draw_split(&stream, job.class_start, job.n_validation, job.n_strata, scratch.marks)
        lay_tree(scratch.tree, job.data, job.n_train, k, job.stopping.max_depth, &work)
        training = training_t(job.data, scratch.marks, scratch.selected, job.stopping, k, job.n_train)
        tree = tree_t(scratch.nodes, NULL, NULL, scratch.means, NULL)
        n_nodes = grow_tree(&training, &work, &tree)
        if job.data.target == NULL:
            score[p * job.n_splits + test] = score_uar(job.data, scratch.nodes, n_nodes, job.class_start, scratch.marks,
                                                       1, scratch.paths)
        else:
            score[p * job.n_splits + test] = score_r2(job.data, scratch.nodes, n_nodes, scratch.means, scratch.marks, 1,
                                                      scratch.paths)
    else:
        draw_instances(&stream, job.data.n_samples, job.n_instances, job.first, job.n_now, job.replace, scratch.marks,
                       scratch.instances)
        relief_add(&job.samples, scratch.selected, k, scratch.instances, job.n_now, job.data.level, scratch.relief,
                   job.sums + p)
        separability[p] = relief_mean(job.sums + p, k)


cdef class Evaluator:
    """Objectives I and III of whole populations on one data set.

    Parameters
    ----------
    dataset : moeliga.data.dataset.Dataset
    n_validation : ndarray of int32, shape (n_classes,)
        Validation samples of each class (or stratum), 0 <= n_validation[c] < n_c, not all 0.
    max_depth, min_samples_split, min_samples_leaf : int
        Of the decision tree.

    Notes
    -----
    Owns the workspace (a NumPy array that grows with the largest subset seen): not for use from two Python threads
    at a time.
    """
    cdef object dataset, workspace
    cdef data_t data
    cdef stopping_t stopping
    cdef const float[:, ::1] values
    cdef const int32_t[::1] class_start, n_validation, hits_from, hits_to
    cdef int32_t n_train

    def __init__(self, dataset, const int32_t[::1] n_validation, int32_t max_depth, int32_t min_samples_split,
                 int32_t min_samples_leaf):
        cdef int32_t c, astray
        cdef int64_t f
        self.dataset = dataset
        self.data = coded(dataset)
        self.values = dataset.values
        self.class_start = dataset.class_start
        self.n_validation = n_validation
        self.hits_from = dataset.hits_from
        self.hits_to = dataset.hits_to
        if self.values.shape[0] != dataset.offset.shape[0] - 1 or self.values.shape[1] < self.data.n_samples \
                or self.values.shape[1] % RELIEF_LANES:
            raise ValueError(f"dataset.values must have {dataset.offset.shape[0] - 1} rows of at least "
                             f"{self.data.n_samples} columns, a multiple of {RELIEF_LANES}, got shape "
                             f"({self.values.shape[0]}, {self.values.shape[1]})")
        for f in range(self.values.shape[0]):
            if not relief_in_unit(&self.values[f, 0], self.data.n_samples):
                raise ValueError(f"dataset.values must be in [0, 1] for every sample, row {f} is not")
        if self.hits_from.shape[0] != self.data.n_samples or self.hits_to.shape[0] != self.data.n_samples:
            raise ValueError(f"dataset.hits_from and dataset.hits_to must have {self.data.n_samples} entries, got "
                             f"{self.hits_from.shape[0]} and {self.hits_to.shape[0]}")
        astray = relief_astray(&self.hits_from[0], &self.hits_to[0], self.data.n_samples)
        if astray >= 0:
            raise ValueError(f"dataset's hits of sample {astray} must be a range in [0, {self.data.n_samples}) with "
                             f"{astray} in it, got [{self.hits_from[astray]}, {self.hits_to[astray]})")
        if n_validation.shape[0] != self.class_start.shape[0] - 1:
            raise ValueError(f"n_validation must have {self.class_start.shape[0] - 1} entries, "
                             f"got {n_validation.shape[0]}")
        self.n_train = self.data.n_samples
        for c in range(n_validation.shape[0]):
            if not 0 <= n_validation[c] < self.class_start[c + 1] - self.class_start[c]:
                raise ValueError(f"n_validation[{c}] must be in [0, "
                                 f"{self.class_start[c + 1] - self.class_start[c]}), got {n_validation[c]}")
            self.n_train -= n_validation[c]
        if self.n_train == self.data.n_samples:
            raise ValueError("n_validation must be > 0 for at least one class")
        if max_depth < 0 or min_samples_split < 2 or min_samples_leaf < 1:
            raise ValueError("max_depth must be >= 0, min_samples_split >= 2, min_samples_leaf >= 1, got "
                             f"{max_depth}, {min_samples_split}, {min_samples_leaf}")
        self.stopping.max_depth = max_depth
        self.stopping.min_samples_split = min_samples_split
        self.stopping.min_samples_leaf = min_samples_leaf
        self.workspace = np.empty((0, 0), dtype=np.uint64)

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
        n_splits : int >= 0; 0 = no trees
        shared : bool
            All rows use the splits and instances of individual 0 (common random numbers).
        n_instances : int >= 0; instances of objective III, 0 = no separability
        replace : bool
        n_threads : int >= 1
        check : callable or None
            Called without arguments a few times a second; what it raises ends the evaluation. A single tree is not cut.
        tree_seconds, instance_seconds : float >= 0
            Rough seconds of a tree, and of an instance, for each feature of a subset: when `check` is called.

        Returns
        -------
        score : ndarray of float64, shape (n, n_splits)
            UAR in [0, 1]; for a data set with a target R2, at most 1.
        separability : ndarray of float64, shape (n,), in [-1, 1]; NaN if n_instances is 0

        Raises
        ------
        ValueError : if a shape does not agree, a feature is out of range, a row is empty or a number is negative.

        Notes
        -----
        Each task writes its own cell and draws from its own address, and instances are added in their order, however
        they are cut: the result does not depend on `n_threads` and `check`.
        """
        cdef job_t job
        cdef scratch_t scratch
        cdef int64_t n = bits.shape[0], n_positions = features.shape[0], n_features = self.values.shape[0], i
        cdef int64_t n_tasks, task, begin, end, n_round
        cdef double work = 0, seconds
        cdef bint last
        if n_positions < 1 or bits.shape[1] != (n_positions + 63) // 64:
            raise ValueError(f"bits must have {(n_positions + 63) // 64} words a row for {n_positions} features, "
                             f"got {bits.shape[1]}")
        for i in range(n_positions):
            if not 0 <= features[i] < n_features or (i and features[i] <= features[i - 1]):
                raise ValueError(f"features must be ascending and in [0, {n_features}), got {features[i]} at {i}")
        if individuals.shape[0] != n:
            raise ValueError(f"individuals must have {n} entries, got {individuals.shape[0]}")
        for i in range(n):
            if individuals[i] < 0:
                raise ValueError(f"individuals must be >= 0, got {individuals[i]}")
        if seed.shape[0] != 2:
            raise ValueError(f"seed must have 2 words, got {seed.shape[0]}")
        if n_splits < 0 or n_threads < 1:
            raise ValueError(f"n_splits must be >= 0 and n_threads >= 1, got {n_splits} and {n_threads}")
        cdef int64_t row = bits_padded(&bits[0, 0], n, n_positions) if n else -1
        if row >= 0:
            raise ValueError(f"bits must have no bit at or beyond {n_positions}, got one in row {row}")
        if n_instances < 0 or (n_instances > self.data.n_samples and not replace):
            raise ValueError(f"n_instances must be in [0, {self.data.n_samples}], got {n_instances}")
        score_ = np.empty((n, n_splits))
        separability_ = np.full(n, np.nan)
        n_tasks = n * (n_splits + (n_instances > 0))
        if n_tasks == 0:
            return score_, separability_
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
        cdef double[:, ::1] score = score_
        cdef double[::1] separability = separability_
        purpose, population, generation = address
        job.address.seed[0] = seed[0]
        job.address.seed[1] = seed[1]
        job.address.purpose = purpose
        job.address.population = population
        job.address.generation = generation
        job.data = &self.data
        job.stopping = &self.stopping
        job.samples = relief_samples_t(&self.values[0, 0], &self.hits_from[0], &self.hits_to[0], self.values.shape[1],
                                       self.data.n_samples)
        job.class_start = &self.class_start[0]
        job.n_strata = <int32_t>self.n_validation.shape[0]
        job.n_validation = &self.n_validation[0]
        job.bits = &bits[0, 0]
        job.features = &features[0]
        job.individuals = &individuals[0]
        job.by_size = &by_size[0]
        job.sizes = &sizes[0]
        cdef uint64_t[:, ::1] sums = np.zeros((n, sizeof(relief_sum_t) // 8), dtype=np.uint64)
        job.sums = <relief_sum_t *>&sums[0, 0]
        job.tree_seconds = tree_seconds
        job.instance_seconds = instance_seconds
        job.n_words = bits.shape[1]
        job.n = <int32_t>n
        job.n_train = self.n_train
        job.n_splits = n_splits
        job.n_instances = n_instances
        job.shared = shared
        job.replace = replace
        work *= <int64_t>self.n_train * n_splits + <int64_t>n_instances * self.data.n_samples // 16
        if work < SMALL_WORK:
            n_threads = 1
        cdef int64_t n_bytes = max(_lay_out(&job, True, NULL, &scratch), _lay_out(&job, False, NULL, &scratch))
        if self.workspace.shape[0] < n_threads or self.workspace.shape[1] * 8 < n_bytes:
            self.workspace = np.empty((n_threads, n_bytes // 8), dtype=np.uint64)
        cdef uint8_t[:, ::1] workspace = self.workspace.view(np.uint8)
        cdef int64_t row_bytes = workspace.shape[1]
        cdef uint8_t *rows = &workspace[0, 0]
        cdef double *score_cells = &score[0, 0] if n_splits else NULL
        cdef double *separability_cells = &separability[0]
        job.first, job.n_now = 0, n_instances
        if check is not None and job.max_k * instance_seconds * n_instances > ROUND:
            job.n_now = max(1, <int32_t>(ROUND / (job.max_k * instance_seconds)))
        while True:
            last = job.first + job.n_now == n_instances
            end, n_round = 0, n_tasks if last else n  # trees come with the last instances
            while end < n_round:
                begin, seconds = end, 0
                while end < n_round and (check is None or end < begin + n_threads or seconds < ROUND * n_threads):
                    seconds += _seconds(&job, end)
                    end += 1
                for task in prange(begin, end, nogil=True, schedule="dynamic", chunksize=1, num_threads=n_threads):
                    _task(&job, task, rows + threadid() * row_bytes, score_cells, separability_cells)
                if check is not None:
                    check()
            if last:
                return score_, separability_
            job.first += job.n_now
            job.n_now = min(job.n_now, n_instances - job.first)
