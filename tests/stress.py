"""Work for tests/sanitize.py: every parallel region of the compiled rooms, many times, with several threads.

  python tests/stress.py --rounds 20 --threads 2,3,8       large enough that the rooms use their threads
  python tests/stress.py --small                           as little as reaches every kind of buffer once

Every result is compared with that of one thread, so that the program is a test without any tool too.
"""

import argparse
import sys
import threading

import numpy as np

from moeliga import DecisionTreeRegressor, Evaluation, LocalImprovement
from moeliga._ext import evaluate, tree
from moeliga.data.dataset import Dataset
from single_search import single_search

KEY = np.arange(2, dtype=np.uint64)


def table(rng, n_samples, n_features, kind):
    """A table of one kind: "real" values, few "codes" (which trees count), "missing" values, a "narrow" float32."""
    X = rng.normal(size=(n_samples, n_features))
    if kind == "codes":
        X = np.round(2 * X).clip(-6, 6)
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    return X.astype(np.float32, order="F") if kind == "narrow" else X


def same(found, ref):
    """Whether two results, or tuples of them, are of the same bits."""
    if isinstance(ref, tuple):
        return all(map(same, found, ref))
    return found.tobytes() == ref.tobytes()


def check(what, found, ref):
    if not same(found, ref):
        raise SystemExit(f"{what}: another result than that of one thread")


class Stress:
    """The work, for some numbers of threads and one seed."""

    def __init__(self, threads, seed, small):
        self.threads, self.small = threads, small
        self.rng = np.random.default_rng(seed)

    def sizes(self, n_samples, n_features):
        return (n_samples // 8, max(3, n_features // 4)) if self.small else (n_samples, n_features)

    def coding(self):
        """Data sets: two passes over tiles of features."""
        n_samples, n_features = self.sizes(400, 120)
        y = np.arange(n_samples) % 3
        for kind in ("real", "codes", "missing", "narrow"):
            X = table(self.rng, n_samples, n_features, kind)
            ref = Dataset.encode(X, y, 3)
            for n_threads in self.threads:
                dataset = Dataset.encode(X, y, 3, n_threads)
                for name in ("codes", "order", "lower", "upper", "offset", "values"):
                    check(f"{kind} {name}", getattr(dataset, name), getattr(ref, name))

    def evaluations(self):
        """Whole populations: trees and separabilities side by side, on one workspace."""
        n_samples, n_features = self.sizes(300, 130)
        masks = self.rng.random((12, n_features)) < 0.4
        masks[:, 0] = True
        bits = np.packbits(np.pad(masks, ((0, 0), (0, -n_features % 64))), axis=1, bitorder="little").view(np.uint64)
        for kind in ("real", "codes", "missing"):
            X = table(self.rng, n_samples, n_features, kind)
            for dataset in (Dataset.encode(X, np.arange(n_samples) % 4, 4),
                            Dataset.encode_target(X, self.rng.normal(size=n_samples))):
                room = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1)
                for replace, n_instances in ((True, 90), (True, 300), (False, n_samples)):  # the second by sieve
                    given = (np.ascontiguousarray(bits), np.arange(n_features, dtype=np.int32),
                             np.arange(len(bits), dtype=np.int32), KEY, (6, 0, 0), 3, False, n_instances, replace)
                    ref = room.evaluate(*given, 1)
                    for n_threads in self.threads:
                        check(f"{kind} evaluation", room.evaluate(*given, n_threads), ref)

    def trees(self):
        """One tree by many threads: large nodes together, then branches; and raw samples down it."""
        n_samples, n_features = self.sizes(4000, 40)
        features, marks = np.arange(n_features, dtype=np.int32), np.zeros(n_samples, dtype=np.uint8)
        for kind, n_classes in (("real", 3), ("real", 300), ("codes", 3), ("missing", 3)):  # 300: entries of 8 bytes
            X = table(self.rng, n_samples, n_features, kind)
            y = (np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) > 0) + self.rng.integers(0, 2, n_samples)
            dataset = Dataset.encode(X, y, n_classes)
            ref = tree.grow(dataset, features, marks, 100, 2, 1, 1)
            raw = np.tile(X.astype(np.float64), (1 if self.small else 8, 1))
            leaves = tree.apply(ref[0], ref[1], raw)
            for n_threads in self.threads:
                for alone in (n_samples // 100, n_samples // 5):
                    check(f"{kind} tree", tree.grow(dataset, features, marks, 100, 2, 1, n_threads, alone), ref)
                check(f"{kind} leaves", tree.apply(ref[0], ref[1], raw, n_threads), leaves)

    def fits(self):
        """Whole searches, two at a time in one process."""
        n_samples, n_features = self.sizes(240, 120)
        X = table(self.rng, n_samples, n_features, "missing")
        X[:, 0] = np.arange(n_samples) % 3
        fronts = {}

        def fit(name, estimator, y, n_jobs):
            local = LocalImprovement(n_populations=1, population_size=8, n_generations=1, every=1)
            selector = single_search(estimator, population_size=12, n_generations=1,
                                     evaluation=Evaluation(n_rescore_splits=2), local_improvement=local,
                                     random_state=0, n_jobs=n_jobs)
            front = selector.fit(X, y).pareto_front_
            fronts[name, n_jobs] = front.supports, front.objectives

        kinds = {"classification": (None, X[:, 0].astype(int)),
                 "regression": (DecisionTreeRegressor(), np.nan_to_num(X[:, 1]))}
        for n_jobs in (1, self.threads[0]):
            together = [threading.Thread(target=fit, args=(name, *kind, n_jobs)) for name, kind in kinds.items()]
            for thread in together:
                thread.start()
            for thread in together:
                thread.join()
        for name in kinds:
            check(name, fronts[name, self.threads[0]], fronts[name, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="how often, each time with other data")
    parser.add_argument("--threads", default="2,3,8", help="numbers of threads")
    parser.add_argument("--small", action="store_true", help="small data")
    options = parser.parse_args()
    if not evaluate.threads()["enabled"]:
        raise SystemExit("this build has no OpenMP")
    threads = [int(n) for n in options.threads.split(",")]
    for seed in range(options.rounds):
        stress = Stress(threads, seed, options.small)
        for work in (stress.coding, stress.evaluations, stress.trees, stress.fits):
            work()
            print(f"round {seed}: {work.__name__}", flush=True)
    print(f"level {evaluate.threads()['level']}, OpenMP {evaluate.threads()['version']}", file=sys.stderr)


if __name__ == "__main__":
    main()
