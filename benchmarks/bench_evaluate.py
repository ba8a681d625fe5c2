"""All three objectives of a population of subsets."""

import time

import numpy as np
import rivals
from bench_dataset import DATA, load

from moeliga import StaggeredInit, evaluate_subsets
from moeliga._ext import bits, draw, vary
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset

N_SUBSETS, N_SPLITS = 90, 3

STEP = {"isolet": 6, "madelon": 3, "mfeat": 3, "optdigits": 3}
"""Both sides get every third or sixth of the 90 subsets, which stand by size, where the rival would take minutes."""


def staggered(n_features):
    """Masks like those of the initial population: 55, 30 and 15 % of them with 3, 15 and 35 % of the features."""
    seed = seed_words(0)
    counts = StaggeredInit().counts(N_SUBSETS, n_features, seed)
    return bits.unpack(vary.create(seed, (Purpose.INITIALISE, 0, 0), counts, n_features), n_features)


class Evaluate:
    """`evaluate_subsets` with everything that it does, coding the data included, against a loop over subsets."""

    params = (DATA, (1, 2))
    param_names = ("data", "threads")
    quick = (("wine", 1), ("breast_cancer", 1), ("made", 1))
    steps = {**STEP, "breast_cancer": 3, "made": 9, "wine": 3}
    unit = "subset"

    def setup(self, data, threads):
        self.clock = "cpu" if threads == 1 else "wall"
        self.X, self.y = load(data)
        self.masks = staggered(self.X.shape[1])[:: self.steps.get(data, 1)]
        self.count = len(self.masks)
        if threads > 1:
            rivals.evaluate_subsets(self.X[:50], self.y[:50] % 2, self.masks[:2], 1, threads)  # starts the workers

    def time_moeliga(self, data, threads):
        return evaluate_subsets(self.X, self.y, self.masks, n_splits=N_SPLITS, random_state=0, n_jobs=threads)

    def time_rival(self, data, threads):
        return rivals.evaluate_subsets(self.X, self.y, self.masks, N_SPLITS, threads)

    def same_draws(self):
        """The rival's answers on the splits and instances that `evaluate_subsets` draws for random_state=0."""
        dataset = Dataset.encode(self.X, self.y, int(self.y.max()) + 1)
        n_validation, n, seed = dataset.n_validation(0.3), dataset.n_samples, seed_words(0)
        scaled, rows = rivals.scale(self.X), []
        for p, mask in enumerate(self.masks):
            address = (Purpose.PUBLIC, 0, 0, p)
            marks = [draw.split(seed, (*address, i), dataset.class_start, n_validation) for i in range(N_SPLITS)]
            splits = [(dataset.rows[mark == 0], dataset.rows[mark == 1]) for mark in marks]
            instances = dataset.rows[draw.instances(seed, (*address, draw.SAMPLE), n, -(-3 * n // 10), True)]
            rows.append(rivals.evaluate_subset(self.X, scaled, self.y, mask, splits, instances, p))
        return np.array(rows)

    def agreement(self, data, threads):
        """On the same splits and instances; the times are taken with the rival's own draws."""
        ours, theirs = self.time_moeliga(data, threads), self.same_draws()
        sizes = np.unique(self.masks.sum(axis=1)).tolist()
        return ", ".join((
            rivals.check_mean("UAR", ours[:, 0], theirs[:, 0]),
            rivals.check_close("cardinality", ours[:, 1], theirs[:, 1], 1e-12),
            rivals.check_close("separability", ours[:, 2], theirs[:, 2], 1e-5),
            f"{self.count} subsets of {', '.join(map(str, sizes))} features"))


class Threads:
    """`evaluate_subsets` on 2 threads against 1. Not gated: the ratio tells how busy the machine is."""

    params = (DATA,)
    param_names = ("data",)
    quick = (("digits",),)
    unit = "subset"
    clock = "wall"
    gated = False

    def setup(self, data):
        self.X, self.y = load(data)
        self.masks = staggered(self.X.shape[1])[:: STEP.get(data, 1)]
        self.count = len(self.masks)

    def time_moeliga(self, data):
        return evaluate_subsets(self.X, self.y, self.masks, n_splits=N_SPLITS, random_state=0, n_jobs=2)

    def time_rival(self, data):
        return evaluate_subsets(self.X, self.y, self.masks, n_splits=N_SPLITS, random_state=0, n_jobs=1)

    def agreement(self, data):
        if self.time_moeliga(data).tobytes() != self.time_rival(data).tobytes():
            raise rivals.Disagreement("the answers of 2 threads and of 1 must be identical, but are not")
        return "identical"


AUTHORS = {
    "dermatology, k=1.4": ("dermatology", 1.4, 0.55),
    "movement_libras, k=5": ("movement_libras", 5, 1.43),
    "arrhythmia, k=12": ("arrhythmia", 12, 3.6),
    "leukemia, k=315": ("leukemia", 315, 0.82),
    "optdigits, k=13": ("optdigits", 13, 269),
    "madelon, k=71": ("madelon", 71, 460),
    "madelon, k=217": ("madelon", 217, 1362),
}
"""The authors' C++ program: data set, mean features of an evaluation, CPU milliseconds of an evaluation.

Measured once, elsewhere: mlpack 3.2 and MPI with the program's own flags, gcc 12, two workers on two busy cores of an
AMD EPYC; three splits and three objectives, as here. On dermatology most of its evaluations are of one feature.
"""


class Authors:
    """Evaluations in a CPU second, at the sizes at which the authors' program was measured elsewhere."""

    params = (tuple(AUTHORS),)
    param_names = ("figure",)
    quick = ()

    def setup(self, figure):
        data, k, _ = AUTHORS[figure]
        if data not in DATA:
            raise NotImplementedError(f"the data set {data!r} is not at hand; see MOELIGA_DATA")
        X, y = load(data)
        n_subsets = 10 if data in STEP else N_SUBSETS
        counts = np.full(n_subsets, int(k), dtype=np.int64)
        counts[: round(n_subsets * (k - int(k)))] += 1
        self.features = np.arange(X.shape[1], dtype=np.int32)
        self.bits = vary.create(seed_words(0), (Purpose.INITIALISE, 0, 0), counts, X.shape[1])
        self.individuals = np.arange(n_subsets, dtype=np.int32)
        self.dataset = Dataset.encode(X, y, int(y.max()) + 1)
        self.evaluator = Evaluator(self.dataset, self.dataset.n_validation(0.3), 100, 2, 1)

    def time_evaluate(self, figure):
        self.evaluator.evaluate(self.bits, self.features, self.individuals, seed_words(0), (Purpose.PUBLIC, 0, 0),
                                N_SPLITS, False, -(-3 * self.dataset.n_samples // 10), True, 1)

    def track_evaluations(self, figure):
        """Median of five measurements of at least 50 ms."""
        self.time_evaluate(figure)
        rates = []
        for _ in range(5):
            began, calls = time.process_time(), 0
            while time.process_time() - began < 0.05:
                self.time_evaluate(figure)
                calls += 1
            rates.append(calls * len(self.bits) / (time.process_time() - began))
        return float(np.median(rates))

    track_evaluations.unit = "evaluations/CPU second"

    def note(self, figure):
        return f"authors' program: {1000 / AUTHORS[figure][2]:.4g}, measured elsewhere"
