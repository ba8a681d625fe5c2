"""What a search asks of the engine: sizes of subsets and of nodes, and what each costs.

  python benchmarks/workload.py movement_libras madelon --generations 300

Runs the `paper` preset on data sets and keeps one subset of every population that it evaluates, drawn at random. These
subsets are then evaluated again on one thread, one by one. A tree's work is counted in steps: samples x features,
summed over the nodes that are split or tried.
"""

import argparse
import time
from unittest import mock

import numpy as np
from bench_dataset import DATA, load
from machine import cpu

from moeliga import MOELIGASelector
from moeliga._ext import bits as bits_room
from moeliga._ext import draw, tree
from moeliga._ext.evaluate import Evaluator
from moeliga.data.dataset import Dataset

SIZES = (10, 30, 100)
"""Bounds of the groups of subsets, in features."""

NODES = (16, 64, 256, 1024)
"""Bounds of the groups of nodes, in samples."""

N_SUBSETS = 400
SEED = np.array([1, 2], dtype=np.uint64)


class Recorder(Evaluator):
    """An evaluator that remembers one subset of every population, as features, and how many it stands for."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        Recorder.rng, Recorder.subsets, Recorder.weights = np.random.default_rng(0), [], []

    def evaluate(self, bits, features, *arguments):
        row = int(Recorder.rng.integers(len(bits)))
        mask = bits_room.unpack(bits[row : row + 1], len(features))[0].astype(bool)
        Recorder.subsets.append(features[mask])
        Recorder.weights.append(len(bits))
        return super().evaluate(bits, features, *arguments)


def seconds(evaluator, packed, features, n_splits, n_instances):
    """CPU seconds of an evaluation, the mean over at least 3 ms."""
    individuals, calls, began = np.zeros(1, dtype=np.int32), 0, time.process_time()
    while calls == 0 or time.process_time() - began < 3e-3:
        evaluator.evaluate(packed, features, individuals, SEED, (6, 0, 0), n_splits, False, n_instances, True, 1)
        calls += 1
    return (time.process_time() - began) / calls


def measure(dataset, subsets):
    """Columns of the sampled subsets: features, seconds of three trees and of a separability, steps by size of node."""
    n_validation = dataset.n_validation(0.3)
    evaluator = Evaluator(dataset, n_validation, 100, 2, 1)
    features, rows = np.arange(dataset.n_features, dtype=np.int32), []
    marks = draw.split(SEED, (6, 0, 0, 0, 0), dataset.class_start, n_validation)
    for subset in subsets:
        mask = np.zeros((1, dataset.n_features), dtype=np.uint8)
        mask[0, subset] = 1
        packed = bits_room.pack(mask)
        counts = tree.grow(dataset, subset.astype(np.int32), marks, 100, 2, 1)[2]
        impure = counts[(counts > 0).sum(axis=1) > 1].sum(axis=1)
        steps = np.bincount(np.digitize(impure, NODES), weights=impure, minlength=len(NODES) + 1) * len(subset)
        rows.append((len(subset), seconds(evaluator, packed, features, 3, 0),
                     seconds(evaluator, packed, features, 0, -(-3 * dataset.n_samples // 10)), *steps))
    return np.array(rows).T


def groups(bounds):
    """Names of the groups that `numpy.digitize` makes."""
    names = [f"< {bounds[0]}", *(f"{low} to {high - 1}" for low, high in zip(bounds, bounds[1:], strict=False))]
    return [*names, f">= {bounds[-1]}"]


def shares(weights, which, n):
    """Shares of groups 0 .. n - 1 in the sum of weights, as text in %."""
    sums = np.bincount(which, weights=weights, minlength=n)
    return " / ".join(f"{share:.0%}" for share in sums / sums.sum())


def row(name, n_generations):
    """One row of the table."""
    X, y = load(name)
    with mock.patch("moeliga.data.ground.Evaluator", Recorder):
        selector = MOELIGASelector.from_preset("paper", n_generations=n_generations, random_state=0, n_jobs=-1)
        selector.fit(X, y)
    weights = np.array(Recorder.weights, dtype=float)
    drawn = np.random.default_rng(1).choice(len(weights), min(N_SUBSETS, len(weights)), replace=False,
                                            p=weights / weights.sum())
    dataset = Dataset.encode(X, y, int(y.max()) + 1)
    sizes, trees, separability, *steps = measure(dataset, [Recorder.subsets[i] for i in drawn])
    steps = np.array(steps)
    which = np.digitize(sizes, SIZES)
    by_node = " / ".join(f"{share:.0%}" for share in steps.sum(axis=1) / steps.sum())
    total = trees + separability
    return (name, selector.n_evaluations_, f"{np.average(sizes):.1f}",
            shares(np.ones(len(sizes)), which, len(SIZES) + 1),
            shares(total, which, len(SIZES) + 1), f"{trees.sum() / total.sum():.0%}", by_node,
            f"{trees.sum() / 3 / steps.sum() * 1e9:.2f}",
            f"{separability.sum() / (sizes.sum() * dataset.n_samples * -(-3 * dataset.n_samples // 10)) * 1e9:.3f}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=DATA, metavar="NAME", help=f"out of {', '.join(DATA)}")
    parser.add_argument("--generations", type=int, default=300)
    options = parser.parse_args(argv)
    print(f"Preset `paper`, {options.generations} generations; {cpu()}.\n")
    columns = ("data set", "evaluations", "mean k", f"subsets by k: {', '.join(groups(SIZES))}", "time by k",
               "trees in time", f"steps by samples in the node: {', '.join(groups(NODES))}", "ns per step",
               "ns per difference")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for name in options.names:
        print("| " + " | ".join(map(str, row(name, options.generations))) + " |", flush=True)


if __name__ == "__main__":
    main()
