"""Draw how time grows with samples, features, subset size, population, classes and threads.

  python benchmarks/growth.py            writes benchmarks/growth.png and prints the fitted exponents; minutes
  python benchmarks/growth.py --quick    the first points of each curve; seconds

Each point is the median of up to three measurements of synthetic data: CPU time of one thread, wall time against
threads. An exponent is fitted to the upper half of the points of its curve.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench_dataset import normals
from bench_evaluate import staggered
from bench_niche import next_chromosomes, population
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

from moeliga import FitnessSharing
from moeliga._ext import bits, relief
from moeliga._ext.evaluate import Evaluator
from moeliga.data.dataset import Dataset

SEED = np.array([1, 2], dtype=np.uint64)
LEAST_SECONDS, MOST_SECONDS = 0.02, 4.0
QUICK_POINTS = 4


@dataclass(frozen=True)
class Curve:
    """Time of one thing against one size; `prepare(value)` makes the call to be timed."""

    axis: str
    name: str
    setting: str
    values: tuple
    prepare: object


def coded(n, n_features, n_classes=2):
    X, y = normals(n, n_features, n_classes)
    return Dataset.encode(X, y, n_classes)


def evaluation(dataset, masks, n_splits, n_instances, n_threads=1):
    """The call that evaluates all rows of `masks`."""
    evaluator = Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1)
    packed = bits.pack(np.ascontiguousarray(masks).view(np.uint8))
    features = np.arange(dataset.n_features, dtype=np.int32)
    individuals = np.arange(len(masks), dtype=np.int32)
    return lambda: evaluator.evaluate(packed, features, individuals, SEED, (6, 0, 0), n_splits, False, n_instances,
                                      True, n_threads)


def tree(n, k, n_classes=2):
    """Fit, predict and UAR of one tree."""
    return evaluation(coded(n, k, n_classes), np.ones((1, k), dtype=bool), 1, 0)


def separability(n, k):
    dataset = coded(n, k)
    selected = np.arange(k, dtype=np.int32)
    instances = np.random.default_rng(0).integers(n, size=3 * n // 10).astype(np.int32)
    return lambda: relief.separability(dataset.values, dataset.hits_from, dataset.hits_to, selected, instances)


def encode(n, n_features):
    X, y = normals(n, n_features)
    return lambda: Dataset.encode(X, y, 2)


def next_generation(n_individuals, n_features):
    """Rank, sharing, selection, variation."""
    individuals = population(n_individuals, n_features)
    return lambda: next_chromosomes(individuals.rate(FitnessSharing()))


def generation(n_individuals, n_threads=1, n=500, n_features=100):
    """Three objectives of a staggered population of any size."""
    masks = staggered(n_features)[np.arange(n_individuals) * 89 % 90]  # every size is there in any part of it
    return evaluation(coded(n, n_features), masks, 3, 3 * n // 10, n_threads)


def steps(low, high):
    """1, 3, 10, 30, ... from `low` to `high`."""
    values = [int(factor * 10**power) for power in range(7) for factor in (1, 3)]
    return tuple(value for value in values if low <= value <= high)


def doublings(high):
    """1, 2, 4, ... and `high`."""
    return tuple(sorted({high, *(2**power for power in range(high.bit_length()))}))


CURVES = (
    Curve("n", "tree", "k=20, C=2", steps(1000, 1_000_000), lambda n: tree(n, 20)),
    Curve("n", "separability", "k=20, 0.3 n instances", steps(1000, 100_000), lambda n: separability(n, 20)),
    Curve("n", "encode", "F=20", steps(1000, 1_000_000), lambda n: encode(n, 20)),
    Curve("F", "encode", "n=200", steps(100, 100_000), lambda F: encode(200, F)),
    Curve("F", "rank to variation", "P=90", steps(100, 100_000), lambda F: next_generation(90, F)),
    Curve("k", "tree", "n=1000, C=2", steps(10, 3000), lambda k: tree(1000, k)),
    Curve("k", "separability", "n=1000, 300 instances", steps(10, 10_000), lambda k: separability(1000, k)),
    Curve("P", "evaluation", "n=500, F=100", steps(30, 1000), lambda P: generation(P)),
    Curve("P", "rank to variation", "F=1000", steps(30, 3000), lambda P: next_generation(P, 1000)),
    Curve("C", "tree", "n=3000, k=20", doublings(256)[1:], lambda C: tree(3000, 20, C)),
    Curve("threads", "evaluation", "P=300, n=500, F=100", doublings(os.cpu_count() or 1),
          lambda n_threads: generation(300, n_threads)),
)

AXES = {
    "n": "samples n",
    "F": "features of the data set F",
    "k": "features of the subset k",
    "P": "individuals P",
    "C": "classes C",
    "threads": "threads (wall time)",
}


def measure(call, clock):
    """Median seconds of up to three measurements, fewer where one takes long."""
    began = clock()
    call()
    first = clock() - began
    repeats = max(1, round(LEAST_SECONDS / max(first, 1e-6)))
    seconds = [first] if repeats == 1 else []
    while len(seconds) < 3 and sum(seconds) * repeats < MOST_SECONDS:
        began = clock()
        for _ in range(repeats):
            call()
        seconds.append((clock() - began) / repeats)
    return float(np.median(seconds))


def points(curve, quick):
    """(values, seconds) of a curve."""
    values = curve.values[:QUICK_POINTS] if quick else curve.values
    clock = time.perf_counter if curve.axis == "threads" else time.process_time
    return values, [measure(curve.prepare(value), clock) for value in values]


def exponent(values, seconds):
    """Slope of log time over log size in the upper half of the points; NaN with fewer than two points."""
    half = min(len(values) // 2, len(values) - 2)
    if half < 0:
        return float("nan")
    return float(np.polyfit(np.log(values[half:]), np.log(seconds[half:]), 1)[0])


def draw(measured, path):
    """One panel for each axis."""
    figure = Figure(figsize=(12, 7.2), layout="constrained")
    for panel, (axis, label) in zip(figure.subplots(2, 3).flat, AXES.items(), strict=True):
        for place, (curve, values, seconds) in enumerate(row for row in measured if row[0].axis == axis):
            panel.loglog(values, seconds, "os^"[place] + "-", markersize=4,
                         label=f"{curve.name} ~ {axis}$^{{{exponent(values, seconds):.2f}}}$\n({curve.setting})")
        panel.set(xlabel=label, ylabel="seconds")
        if axis in ("C", "threads"):  # less than a power of ten
            values = [value for curve, values, _ in measured if curve.axis == axis for value in values]
            panel.set_xticks(values, [str(value) for value in values])
            panel.xaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_major_locator(LogLocator(subs=range(1, 10)))
            panel.yaxis.set_major_formatter(FormatStrFormatter("%g"))
            panel.yaxis.set_minor_locator(NullLocator())
        panel.margins(y=0.15)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=9, frameon=False)
    figure.savefig(path, dpi=80)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK_POINTS} points of each curve")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("growth.png"), metavar="FILE",
                        help="the figure; default: growth.png beside this script")
    options = parser.parse_args(argv)
    if not options.out.parent.is_dir():
        parser.error(f"argument --out: must be in a folder that exists, got {str(options.out)!r}")
    measured = []
    print("| against | time of | with | from | to | seconds, first and last | exponent |")
    print("|---|---|---|---|---|---|---|")
    for curve in CURVES:
        values, seconds = points(curve, options.quick)
        measured.append((curve, values, seconds))
        print(f"| {curve.axis} | {curve.name} | {curve.setting} | {values[0]} | {values[-1]} | {seconds[0]:.2g}, "
              f"{seconds[-1]:.2g} | {exponent(values, seconds):.2f} |", flush=True)
    draw(measured, options.out)


if __name__ == "__main__":
    sys.exit(main())
