"""What many workers would do for a search: measured with a few on this machine, predicted for 16, 64 and 256.

  python benchmarks/efficiency.py [NAME ..]      data sets of the paper, and `wide`, 100,000 features that are made up
  python benchmarks/efficiency.py --quick        dermatology and madelon, few generations

The way to the workers is measured with a cluster of Dask on this machine: seconds for each task and for a trip. A
search on one thread then tells which of its evaluations would be sent, how long each takes and how many bytes. From
these comes its time with any number of workers of one thread each, see cluster_model.py. The prediction for the workers
of this machine stands beside what the same search took with them; both found the same.

Fits with honest scores are predicted from a search with bands of sizes, recorded on one thread: the share of the rest
of the samples on each fold, and the generations that are recorded again and again, up to the number of a default fit.
All other columns are of a search without bands. Islands are predicted from the times of searches with other seeds, one
search for each island. Needs the extra "dask".
"""

import argparse
import os
import pickle
import sys
import time
from contextlib import contextmanager
from unittest import mock

import joblib
import numpy as np
from bench_dataset import DATA, load, normals
from cluster_model import BANDWIDTH, Banded, Evaluation, Exploration, Way, fits, islands, predicted
from machine import cpu
from threadpoolctl import threadpool_limits

from moeliga import MOELIGASelector
from moeliga import selector as selector_module
from moeliga.base.versions import versions
from moeliga.distributed import dispatcher
from moeliga.distributed.dispatcher import Remote
from moeliga.distributed.replay import CallLog
from moeliga.evaluation.objectives import Objectives
from moeliga.search import build as preparation
from moeliga.search import islands as search_islands
from moeliga.search import local_improvement as local

WIDE = "wide"
WORKERS = (16, 64, 256)
FOLDS, GENERATIONS = 5, 60
"""Of a fit with the defaults."""

N_TASKS = 400
"""Tasks without work that the way is measured with."""


class Recorder:
    """Stands for workers elsewhere: notes what they would be sent, and leaves it to be done here.

    Attributes
    ----------
    sent : list of Evaluation and Exploration
    whole : Exploration or None
        The subordinate populations that are being explored, if they would be sent.
    aside : float
        Seconds that taking notes has taken.
    """

    lost, serves_threads, n_workers, n_searches = False, False, 1, 1

    def __init__(self, n_jobs):
        Recorder.ground, Recorder.sent, Recorder.whole, Recorder.aside = None, [], None, 0.0
        self.evaluation = None

    @contextmanager
    def workers(self):
        yield

    def evaluate(self, ground, seconds, subsets, individuals, common, budget):
        """Asked by `Objectives.run_core`, which then evaluates here."""
        begun, Recorder.ground = time.perf_counter(), ground
        some = None if subsets.n_positions == ground.n_features else subsets.positions
        one, two = (len(pickle.dumps((subsets.bits[:n], some, individuals[:n], *common))) for n in (1, 2))
        answer = 8 * (common[2] + 1)
        self.evaluation = seconds, two - one + answer, 2 * one - two
        Recorder.aside += time.perf_counter() - begun

    def call_workers(self, ground, function, jobs, budget):
        """Asked by `local.explore_all`, which then explores here."""
        Recorder.whole = Exploration([], [])
        Recorder.sent.append(Recorder.whole)


def in_slices(objectives, rough, ground, subsets, individuals, common, budget, original=Objectives.run_core):
    """Seconds of this thread for an evaluation in the slices that `WORKERS[0]` workers would get."""
    begun, n_slices = time.thread_time(), dispatcher.n_slices(rough.sum(), WORKERS[0])
    with mock.patch.object(objectives, "remote", None):
        for rows in dispatcher.split_by_work(np.argsort(-rough, kind="stable"), n_slices):
            original(objectives, ground, subsets[rows], individuals[rows], common, budget)
    return time.thread_time() - begun


def run_core(self, *arguments, original=Objectives.run_core):
    """`Objectives.run_core`, noted."""
    self.remote.evaluation = None
    begun, used = time.perf_counter(), time.thread_time()
    found = original(self, *arguments)
    if self.remote.evaluation is not None and Recorder.whole is None:
        seconds, used, begun = time.perf_counter() - begun, time.thread_time() - used, time.perf_counter()
        rough, row_bytes, task_bytes = self.remote.evaluation
        more = in_slices(self, rough, *arguments) / used
        Recorder.sent.append(Evaluation(rough, seconds, row_bytes, task_bytes, more))
        Recorder.aside += time.perf_counter() - begun
    return found


def explored(search, jobs, original=local.explore_all):
    """`local.explore_all`, noted."""
    yield from original(search, jobs)
    Recorder.whole = None


def explore(search, positions, number, original=local.explore):
    """`local.explore`, noted."""
    begun = time.perf_counter()
    found = original(search, positions, number)
    ended = time.perf_counter()
    if Recorder.whole is not None:
        log = CallLog()
        log.add(found.chromosomes.lifted(search.space.n_groups), found.objectives)
        n_generations = 1 + search.local_improvement.n_generations
        Recorder.whole.parts.append(ended - begun)
        Recorder.whole.n_bytes.append(len(pickle.dumps((positions, found))) + n_generations * len(pickle.dumps(log)))
        Recorder.aside += time.perf_counter() - ended
    return found


def recorded(X, y, **setting):
    """A search on one thread: its seconds, what of it would be sent, and the fitted selector."""
    with (mock.patch.object(preparation, "runs_remotely", lambda n_jobs: True),
          mock.patch.object(preparation, "Remote", Recorder), mock.patch.object(Objectives, "run_core", run_core),
          mock.patch.object(local, "explore_all", explored), mock.patch.object(local, "explore", explore)):
        begun = time.perf_counter()
        selector = MOELIGASelector().set_params(n_jobs=1, **setting).fit(X, y)
        return time.perf_counter() - begun - Recorder.aside, Recorder.sent, selector


def measured_way(ground):
    """Seconds of a trip and of each task to the workers that joblib is set to, and seconds that placing data takes."""
    remote = Remote(None)
    begun = time.perf_counter()
    remote.open(ground, lambda: None)
    placed = time.perf_counter() - begun

    def empty(n):
        begun = time.perf_counter()
        call = remote.version, ground.fingerprint, bool, (), remote.transport.handle
        remote.transport.answers([call] * n, lambda: None)
        return time.perf_counter() - begun

    empty(N_TASKS)  # connections are made, modules imported
    trip = float(np.median([empty(1) for _ in range(20)]))
    dispatch = float(np.median([(empty(N_TASKS) - trip) / (N_TASKS - 1) for _ in range(3)]))
    remote.close()
    return Way(dispatch, trip, np.inf), placed


def epochs_of(selector, interval):
    """Seconds of generation 0, and of every `interval` generations after it."""
    seconds = np.asarray(selector.history_["seconds"])
    return np.diff(seconds[::interval], prepend=0.0)


def recorded_bands(X, y, **setting):
    """A search with bands on one thread, in seconds of its thread: Banded."""
    bands, evaluations, sliced, begun = [], [], [], time.thread_time()

    def noted(self, ground, subsets, individuals, common, budget, original=Objectives.run_core):
        rough = self.seconds(ground, subsets.counts(), 1, common[2], common[4])
        begun = time.thread_time()
        found = original(self, ground, subsets, individuals, common, budget)
        seconds = time.thread_time() - begun
        evaluations.append((rough, seconds))
        sliced.append((seconds, in_slices(self, rough, ground, subsets, individuals, common, budget, original)))
        return found

    def followed(*arguments, original=search_islands.advance_island):
        before = len(evaluations)
        found = original(*arguments)
        rough, seconds = zip(*evaluations[before:], strict=True)
        bands.append((np.concatenate(rough), sum(seconds)))
        del evaluations[before:]
        return found

    def prepared(*arguments, original=selector_module.prepare):
        begun = time.thread_time()
        found = original(*arguments)
        prepared.seconds, prepared.n_islands = time.thread_time() - begun, found[1].search.n_islands
        prepared.n_bytes = found[1].search.ground.n_bytes
        return found

    with (mock.patch.object(Objectives, "run_core", noted),
          mock.patch.object(search_islands, "advance_island", followed),
          mock.patch.object(selector_module, "prepare", prepared)):
        MOELIGASelector().set_params(honest=None, n_jobs=1, **setting).fit(X, y)
    whole, apart = np.sum(sliced, axis=0)
    n, seconds = prepared.n_islands, time.thread_time() - begun - prepared.seconds - apart
    generations = [bands[place : place + n] for place in range(0, len(bands), n)]
    here = (seconds - sum(each for _, each in (*bands, *evaluations))) / len(generations)
    return Banded(prepared.seconds, evaluations[:n], evaluations[n:], generations, here, prepared.n_bytes,
                  apart / whole)


def study(name, options):
    """Measure and predict one data set; prints its row."""
    X, y = normals(200, 100_000) if name == WIDE else load(name)
    setting = {"random_state": options.seed, "n_generations": options.generations}
    whole = recorded_bands(X, y, **setting)
    searches = [whole, *[whole.scaled(1 - 1 / FOLDS)] * FOLDS]
    setting |= {"honest": None, "islands": None}
    total, sent, selector = recorded(X, y, **setting)
    ground = Recorder.ground
    with joblib.parallel_config("dask"):
        way, placed = measured_way(ground)
        begun = time.perf_counter()
        there = MOELIGASelector().set_params(**setting).fit(X, y)
        measured = time.perf_counter() - begun
    if not np.array_equal(there.pareto_front_.objectives, selector.pareto_front_.objectives):
        raise SystemExit(f"{name}: the workers have found something else")
    seeds = range(options.seed + 1, options.seed + options.seeds)
    epochs = np.array([epochs_of(each, options.interval) for each in (
        selector, *(recorded(X, y, **{**setting, "random_state": seed})[2] for seed in seeds))])
    model = Way(way.dispatch, way.trip, options.bandwidth)
    n_here = options.workers
    here = predicted(total, sent, n_here, way)[0] + placed
    n_bytes = sum(part.elapsed(n_here, way)[2] for part in sent)
    row = [f"{len(X)} x {X.shape[1]}", f"{total:.1f}", f"{selector.n_evaluations_ / total:.0f}",
           f"{sum(part.seconds for part in sent) / total:.0%}",
           f"{1e6 * way.dispatch:.0f} / {1e3 * way.trip:.1f}", f"{ground.n_bytes / 1e6:.1f} / {placed:.2f}",
           f"{n_bytes / selector.n_evaluations_:.0f}", f"{total / measured:.2f} ({total / here:.2f})"]
    for n_workers in WORKERS:
        elapsed, transit = predicted(total, sent, n_workers, model)
        row.append(f"{total / elapsed:.1f} ({transit:.0%})")
    for n_workers in (1 + FOLDS, WORKERS[0]):
        row.append("{:.0%} ({:.0%})".format(*fits(searches, GENERATIONS, options.interval, n_workers, model)[::-1]))
    row.append(f"{whole.more:.2f}")
    row += [f"{islands(epochs, n_workers, model, population_bytes(selector)):.0%}" for n_workers in WORKERS]
    print("|", name, "|", " | ".join(row), "|", flush=True)


def population_bytes(selector):
    """Bytes of a population there and back: words of the chromosomes, and about eight numbers for each."""
    return 2 * 8 * selector.population_size * (-(-selector.n_features_in_ // 64) + 8)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that are at hand, and wide")
    parser.add_argument("--quick", action="store_true", help="few generations of two data sets")
    parser.add_argument("--generations", type=int, default=30, metavar="N")
    parser.add_argument("--interval", type=int, default=10, metavar="N", help="generations between migrations")
    parser.add_argument("--seeds", type=int, default=4, metavar="N", help="searches that islands are drawn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="processes on this machine")
    parser.add_argument("--bandwidth", type=float, default=BANDWIDTH, metavar="BYTES", help="a second; for predictions")
    options = parser.parse_args(argv)
    if options.quick:
        options.names, options.generations, options.seeds, options.interval = ["dermatology", "madelon"], 4, 2, 2
    unknown = sorted({*options.names} - {*DATA, WIDE})
    if unknown:
        parser.error(f"argument NAME: must be one of {', '.join([*DATA, WIDE])}, got {', '.join(unknown)}")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        parser.exit(1, "distributed is not installed: pip install 'moeliga[dask]'\n")

    with (threadpool_limits(1), LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
          as cluster, Client(cluster) as client):
        client.wait_for_workers(options.workers)
        found = versions()
        print(f"{options.generations} generations, seed {options.seed}; {options.workers} workers of one thread of "
              f"{cpu()}; {', '.join(f'{name} {value}' for name, value in found.items() if name != 'platform')}\n")
        columns = ["data set", "size", "seconds, one thread", "evaluations/s", "sent", "task, us / trip, ms",
                   "data, MB / s", "bytes an evaluation", f"{options.workers} workers: measured (predicted)",
                   *(f"{n} workers" for n in WORKERS),
                   *(f"{n} workers, a fit (folds after it)" for n in (1 + FOLDS, WORKERS[0])), "slices over one piece",
                   *(f"{n} islands" for n in WORKERS)]
        print("|", " | ".join(columns), "|")
        print("|" + "---|" * len(columns))
        for name in options.names or [*DATA, WIDE]:
            study(name, options)


if __name__ == "__main__":
    sys.exit(main())
