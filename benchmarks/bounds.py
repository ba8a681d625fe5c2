"""What a unit of each judge's work costs, in cycles of the processor, and the least that its instructions allow.

  python benchmarks/bounds.py mfeat breast_cancer --features 22

One thread, one random subset, one split; process time x clock. The least is that of the busiest resource of a core with
registers of 64 bytes, which does two additions, two multiplications and two loads of a register a cycle, and one store:
operations are counted as the judge needs them, once, each operand as near as it can be. Products and sums are apart,
since bits must not depend on whether a processor fuses them.
"""

import argparse
import re
import time
import warnings
from pathlib import Path

import numpy as np
from bench_dataset import KNOWN, load
from machine import cpu
from options import positive, sets_of
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from moeliga._ext import bits, draw, forest, tree
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise

LANES = 8
"""Doubles of a register."""

EXP = 17
"""Additions of an exp, and multiplications."""

N_TREES = 20
SEED = seed_words(0)
ADDRESS = (Purpose.PUBLIC, 0, 0)


def least(adds=0.0, muls=0.0, loads=0.0, stores=0.0, lanes=LANES):
    """Cycles of the busiest resource, of so many operations on single numbers."""
    return max(adds / (2 * lanes), muls / (2 * lanes), loads / (2 * lanes), stores / lanes)


def of_bayes(n, m, k, C):
    """Moments in two passes: 5 additions and a product; of an answer in a feature and a class 2 of either."""
    units = m * k * C
    return units, least(2 * units + 5 * n * k + EXP * m * C, 2 * units + n * k + EXP * m * C, units + 3 * n * k, n * k)


def of_neighbours(n, m, k, C):
    """A bound of a distance, in single precision: a product and an addition of a feature; of 4 x 32 distances at once 6
    registers are loaded."""
    units = m * n * k
    return units, least(units, units, 6 * 16 / 128 * units, lanes=2 * LANES)


def solved(n, m, k, C):
    """Products and sums of a linear system: the Gram matrix, half of it, its factor, a right side for each class, and
    answers."""
    wide, long = min(n, k), max(n, k)
    units = long * wide * (wide + 1) // 2 + wide**3 // 6 + n * k * C + wide**2 * C + m * k * C
    return units, least(units, units)


def passed(n, m, k, C):
    """A pass over the rows to learn from: a product for their decision values, and one for the gradient."""
    units = n * k * (1 if C == 2 else C)
    return units, least(2 * units, 2 * units)


JUDGES = {
    "naive Bayes": (GaussianNB(), "row asked x feature x class", of_bayes),
    "neighbours": (KNeighborsClassifier(), "row asked x row learnt x feature", of_neighbours),
    "ridge": (RidgeClassifier(), "product and sum", solved),
    "discriminant": (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), "product and sum", solved),
    "logistic regression": (LogisticRegression(), "row x feature x logit; least: of one pass", passed),
    "linear SVM": (LinearSVC(), "row x feature x class; least: of one pass", passed),
}
"""Estimator, unit, and the function of (rows to learn from, rows asked, features, classes) to (units, least cycles)."""


def seconds(run, at_least=0.2):
    """CPU seconds of a call, the least of five means."""
    run()
    times = []
    for _ in range(5):
        calls, began = 0, time.process_time()
        while calls == 0 or time.process_time() - began < at_least / 5:
            run()
            calls += 1
        times.append((time.process_time() - began) / calls)
    return min(times)


def by(evaluator, n_features, subset):
    """Seconds of an evaluation of a subset on a split, its score included."""
    mask = np.zeros((1, n_features), dtype=np.uint8)
    mask[0, subset] = 1
    packed, features, individuals = bits.pack(mask), np.arange(n_features, dtype=np.int32), np.zeros(1, dtype=np.int32)
    return seconds(lambda: evaluator.evaluate(packed, features, individuals, SEED, ADDRESS, 1, True, 0, True, 1))


def of_tree(dataset, subset, marks, n_classes):
    """Seconds of a tree, its steps (samples x features of the nodes that are not pure), the least of one."""
    counts = tree.grow(dataset, subset, marks, 100, 2, 1)[2]
    steps = counts[(counts > 0).sum(axis=1) > 1].sum() * len(subset)
    evaluator = Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1)
    return by(evaluator, dataset.n_features, subset), steps, 2.0 if n_classes == 2 else 3.6


def of_forest(dataset):
    """Seconds of the trees of a forest, their steps (samples x features drawn of the nodes that are split), the least
    of one: two loads for a code, two stores, of its place and of its class, and the cut."""
    n_tried = max(1, int(np.sqrt(dataset.n_features)))

    def grow():
        return forest.grow(dataset, SEED, (Purpose.FOREST, 0, 0), (100, 2, 1), dataset.n_samples, n_tried, False, 0,
                           N_TREES, np.zeros(dataset.n_features))

    nodes = grow()[0]
    return seconds(grow), int(nodes["size"][nodes["feature"] >= 0].sum()) * n_tried, 3.0


def rows(name, n_chosen, clock):
    """Rows of the table for a data set."""
    X, y = load(name)
    X, n_classes = X.astype(np.float64), int(y.max()) + 1
    subset = np.sort(np.random.default_rng(0).choice(X.shape[1], min(n_chosen, X.shape[1]), replace=False))
    subset = subset.astype(np.int32)
    dataset = Dataset.encode(X, y, n_classes)
    marks = draw.split(SEED, (*ADDRESS, 0, 0), dataset.class_start, dataset.n_validation(0.3))
    learn, ask = (np.sort(dataset.rows[marks == part]).astype(np.int32) for part in (0, 1))
    table = np.ascontiguousarray(((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)).T)
    kept = Dataset.encode(X[learn][:, subset], y[learn], n_classes)
    for judge, unit, (spent, units, bound) in (
            ("tree", "step, see above", of_tree(dataset, subset, marks, n_classes)),
            ("forest", "step in a node that is split", of_forest(kept))):
        yield name, judge, unit, units, spent * clock / units, bound
    for judge, (model, unit, count) in JUDGES.items():
        evaluator = Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1, judge=recognise(model), table=table)
        spent = by(evaluator, dataset.n_features, subset)
        units, bound = count(len(learn), len(ask), len(subset), n_classes)
        yield name, judge, unit, units, spent * clock / units, bound / units


def rated():
    """Clock of the processor in Hz, as the system has it, or None."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^cpu MHz\s*:\s*([0-9.]+)", info.read_text(), re.MULTILINE) if info.exists() else None
    return float(found[1]) * 1e6 if found else None


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help=f"out of {', '.join(sorted(KNOWN))}")
    parser.add_argument("--features", type=positive, default=22, help="of the subset (default: 22)")
    parser.add_argument("--clock", type=float, metavar="GHZ", help="of the processor (default: what the system says)")
    options = parser.parse_args(argv)
    names = sets_of(parser, options.names, (), KNOWN)
    clock = options.clock * 1e9 if options.clock else rated()
    if clock is None:
        parser.error("the system does not say how fast the processor is: --clock")
    print(f"{options.features} features; {cpu()}, {clock / 1e9:.2f} GHz.\n")
    print("| data set | judge | unit | units | cycles a unit | least | ratio |\n" + "|---" * 7 + "|")
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for data, judge, unit, units, cycles, bound in rows(name, options.features, clock):
                print(f"| {data} | {judge} | {unit} | {units:,} | {cycles:.3g} | {bound:.3g} | {cycles / bound:.1f} |",
                      flush=True)


if __name__ == "__main__":
    main()
