"""Run one search, without folds, on each of the paper's data sets and print what it found, as a Markdown table.

  python benchmarks/paper/run.py --quick               every data set, 30 generations, the paper's population sizes
  python benchmarks/paper/run.py --full NAME [NAME..]  the paper preset in full: 300 generations

Test UAR: the compiled tree, fitted on the training part with the chosen features. The choice (R1) is made on training
data only. "best on test" is the best member of the front by *test* UAR: what nobody can choose in advance. "ovr" is
the mean over classes of (recall + specificity) / 2, the metric that the paper's own column very likely shows.

"tree / separability / rest": where the seconds went, in %. Every 50th evaluation of a population is made again, once
without separability and once without trees; the time that this takes is not counted.
"""

import argparse
import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np

from moeliga import DecisionTreeClassifier, MOELIGASelector
from moeliga._ext.evaluate import Evaluator
from moeliga.base.versions import versions

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from machine import cpu
from paper import datasets
from paper.judge import scores_of

COLUMNS = ("data set", "train x features", "classes", "seconds", "evaluations", "evaluations/s",
           "tree / separability / rest", "front", "features",
           "in search", "re-scored", "test UAR", "test ovr", "test UAR, all features", "best on test")


def test_scores(support, X_train, y_train, X_test, y_test):
    """(UAR, ovr balanced accuracy) on the test part."""
    tree = DecisionTreeClassifier(max_depth=100).fit(X_train[:, support], y_train)
    return scores_of(y_test, tree.predict(X_test[:, support]))[:2]


class TimedEvaluator(Evaluator):
    """An evaluator that keeps account of its time: seconds of evaluations, and of their parts in a sample."""

    every = 50
    calls, seconds, trees, separability, extra = 0, 0.0, 0.0, 0.0, 0.0

    def evaluate(self, bits, features, individuals, seed, address, n_splits, shared, n_instances, replace, n_threads,
                 *pauses):
        began = time.perf_counter()
        results = super().evaluate(bits, features, individuals, seed, address, n_splits, shared, n_instances, replace,
                                   n_threads, *pauses)
        done = time.perf_counter()
        account = TimedEvaluator
        account.seconds += done - began
        if account.calls % account.every == 0:
            super().evaluate(bits, features, individuals, seed, address, n_splits, shared, 0, replace, n_threads)
            between = time.perf_counter()
            super().evaluate(bits, features, individuals, seed, address, 0, shared, n_instances, replace, n_threads)
            ended = time.perf_counter()
            account.trees += between - done
            account.separability += ended - between
            account.extra += ended - done
        account.calls += 1
        return results

    @classmethod
    def restart(cls):
        cls.calls, cls.seconds, cls.trees, cls.separability, cls.extra = 0, 0.0, 0.0, 0.0, 0.0

    @classmethod
    def mark(cls, state):
        """Remember the account after a generation: what comes after the last one, the re-scoring, is no search."""
        cls.search = cls.seconds, cls.trees, cls.separability, cls.extra

    @classmethod
    def account(cls, elapsed):
        """Seconds of a search that took `elapsed` with the extra measurements; "tree / separability / rest" in %."""
        evaluations, trees, separability, extra = cls.search
        seconds = elapsed - extra
        both = evaluations / seconds
        tree = trees / (trees + separability) * both
        return seconds, f"{tree:.0%} / {both - tree:.0%} / {1 - both:.0%}"


def measure(name, preset, n_generations, seed, n_jobs, verbose):
    """One row of the table."""
    parts = datasets.load(name)
    X_train, y_train = parts[:2]
    TimedEvaluator.restart()
    with mock.patch("moeliga.data.ground.Evaluator", TimedEvaluator):
        selector = MOELIGASelector.from_preset(preset, n_generations=n_generations, random_state=seed, n_jobs=n_jobs,
                                               honest=None, verbose=verbose,
                                               callbacks=TimedEvaluator.mark).fit(X_train, y_train)
    front, chosen = selector.pareto_front_, selector.index_
    uar, ovr = test_scores(selector.support_, *parts)
    everything, _ = test_scores(np.ones(X_train.shape[1], dtype=bool), *parts)
    on_test = [test_scores(support, *parts)[0] for support in front.supports]
    seconds, shares = TimedEvaluator.account(selector.history_["seconds"][-1])
    best = int(np.argmax(on_test))
    column = front.names.index("uar")
    rescored = "" if np.isnan(front.score_se[chosen]) else f"{front.score[chosen]:.3f}"
    return (name, f"{X_train.shape[0]} x {X_train.shape[1]}", len(selector.classes_), f"{seconds:.1f}",
            selector.n_evaluations_, f"{selector.n_evaluations_ / seconds:.0f}",
            shares, len(front), selector.support_.sum(),
            f"{front.search_objectives[chosen, column]:.3f}", rescored, f"{uar:.3f}",
            f"{ovr:.3f}", f"{everything:.3f}", f"{on_test[best]:.3f} ({front.n_selected[best]})")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="data sets; default: all at hand")
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true", help="30 generations, default preset")
    size.add_argument("--full", action="store_true", help="300 generations, paper preset")
    parser.add_argument("--preset", choices=("default", "paper"), help="override the preset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--verbose", type=int, default=0)
    options = parser.parse_args(argv)
    preset = options.preset or ("paper" if options.full else "default")
    n_generations = 300 if options.full else 30
    facts = versions()
    print(f"Preset `{preset}`, {n_generations} generations, seed {options.seed}; "
          f"{facts['threads'] if options.n_jobs == -1 else options.n_jobs} threads of {cpu()}; moeliga "
          f"{facts['moeliga']}, numpy {facts['numpy']}, scikit-learn {facts['scikit-learn']}, Python "
          f"{facts['python']}.\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for name in options.names or datasets.names():
        row = measure(name, preset, n_generations, options.seed, options.n_jobs, options.verbose)
        print("| " + " | ".join(map(str, row)) + " |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
