"""What the searches of a fit with honest scores make of several threads: side by side, and one after the other.

  python benchmarks/side_by_side.py [NAME ..]      data sets of the paper
  python benchmarks/side_by_side.py --quick        dermatology, few generations

A fit on one thread tells how long each of its searches takes, in seconds of the processor. From these comes the time
with more threads, as `ThreadShares` shares them out: a model, which can be compared where other programs run. A second
fit, with so many threads, must find the same. It tells how many searches its memory lets run at a time, and its
seconds of the processor, over those of the first, are what they cost. The fits of the deployed model are left out of
the model, not of that ratio.
"""

import argparse
import sys
import time
from unittest import mock

import numpy as np
from bench_dataset import DATA, load
from machine import cpu

from moeliga import MOELIGASelector
from moeliga import selector as selector_module
from moeliga.validation import cross_fitting
from moeliga.validation.thread_shares import ThreadShares

MOST = 630
"""Rows at most, as in the study of honest scores."""

GAIN = 1.85
"""How many times as fast two threads are inside one search, where nothing else is said."""


def speed(n_threads, gain):
    """How many times as fast a search is with so many threads as with one, if two are `gain` times as fast."""
    return n_threads ** np.log2(gain)


def side_by_side(seconds, n_threads, gain, most):
    """Seconds of searches that share threads, and that begin in their order, at most `most` at a time.

    Parameters
    ----------
    seconds : sequence of float
        Of each search on one thread.
    n_threads : int
    gain : float in [1, 2]
    most : int
    """
    waiting, left, elapsed = list(seconds), [], 0.0
    while waiting or left:
        n_free = min(most, n_threads) - len(left)
        left, waiting = left + waiting[:n_free], waiting[n_free:]
        shares = np.array([n_threads // len(left) + (place < n_threads % len(left)) for place in range(len(left))])
        speeds = speed(shares, gain)
        step = min(np.array(left) / speeds)
        elapsed += step
        left = [rest for rest in np.array(left) - step * speeds if rest > 1e-9]
    return elapsed


def fitted(X, y, **options):
    """A fitted selector, the seconds of the processor that it took, those of each search, that on all first, and how
    many searches its `ThreadShares` lets run at a time."""
    searches, crews = [], []

    def shares(n, most):
        crews.append(most)
        return ThreadShares(n, most)

    def timed(function):
        def call(*arguments, **named):
            begun = time.process_time()
            found = function(*arguments, **named)
            searches.append((function.__name__, time.process_time() - begun))
            return found
        return call

    begun = time.process_time()
    with (mock.patch.object(cross_fitting, "ThreadShares", shares),
          mock.patch.object(cross_fitting, "build", timed(cross_fitting.build)),
          mock.patch.object(cross_fitting, "search_one", timed(cross_fitting.search_one)),
          mock.patch.object(selector_module, "run", timed(selector_module.run)),
          mock.patch.object(selector_module, "outcome_of", timed(selector_module.outcome_of))):
        selector = MOELIGASelector().set_params(**options).fit(X, y)
    spent = time.process_time() - begun
    seconds = [value for _, value in searches]  # of `run`, `outcome_of`, then `build` and `search_one` of each fold
    searches = [sum(seconds[place : place + 2]) for place in range(0, len(seconds), 2)]
    return selector, spent, searches, max(crews, default=1)


def study(name, options):
    """Measure and predict one data set; prints its row."""
    X, y = load(name)
    rows = np.random.default_rng(options.seed).permutation(len(y))[:MOST]
    setting = {"random_state": options.seed, "n_generations": options.generations}
    one, spent, searches, _ = fitted(X[rows], y[rows], **setting)
    several, more, _, most = fitted(X[rows], y[rows], n_jobs=options.threads, **setting)
    if not np.array_equal(one.pareto_front_.honest_score, several.pareto_front_.honest_score, equal_nan=True):
        raise SystemExit(f"{name}: several threads have found something else")
    row = [f"{len(rows)} x {X.shape[1]}", f"{spent:.1f}", f"{sum(searches) / spent:.0%}", f"{most}"]
    for elapsed in (side_by_side(searches, options.threads, options.gain, most),
                    sum(searches) / speed(options.threads, options.gain)):
        row.append(f"{sum(searches) / options.threads / elapsed:.0%}")
    print("|", name, "|", " | ".join(row), f"| {more / spent:.2f} |", flush=True)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that are at hand")
    parser.add_argument("--quick", action="store_true", help="few generations of one data set")
    parser.add_argument("--generations", type=int, default=60, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--gain", type=float, default=GAIN, metavar="X", help="of two threads inside one search")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    if options.quick:
        options.names, options.generations = ["dermatology" if "dermatology" in DATA else DATA[0]], 4
    unknown = sorted({*options.names} - {*DATA})
    if unknown:
        parser.error(f"argument NAME: must be one of {', '.join(DATA)}, got {', '.join(unknown)}")
    print(f"{options.threads} threads, two of them in one search {options.gain:g} times as fast as one; "
          f"{options.generations} generations, seed {options.seed}; {cpu()}\n")
    columns = ["data set", "size", "seconds, one thread", "searches", "at a time", "so many at a time",
               "one after the other", f"seconds of processors, {options.threads} threads over one"]
    print("|", " | ".join(columns), "|")
    print("|" + "---|" * len(columns))
    for name in options.names or DATA:
        study(name, options)


if __name__ == "__main__":
    sys.exit(main())
