"""How long a search goes on after a signal, and after `max_time`.

    python benchmarks/stopping.py [--data FILE.npz] [--repeats N]

Sends SIGINT at random moments of searches of a data set of the paper (isolet, the largest, unless another file is
given) and measures the time until `fit` is back, with the front so far; nothing is scored again. Then the time that a
fit takes beyond its `max_time`, re-scoring included.
"""

import argparse
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
from options import positive

from moeliga import Evaluation, MOELIGASelector

FOLDER = Path(os.environ.get("MOELIGA_DATA", Path(__file__).resolve().parents[2] / "shared" / "data" / "paper"))


def after_signal(X, y, n_jobs, delay):
    """Seconds from a signal, sent `delay` seconds after the start of a fit, to its end."""
    main, sent = threading.main_thread().ident, []

    def send():
        time.sleep(delay)
        sent.append(time.perf_counter())
        signal.pthread_kill(main, signal.SIGINT)

    selector = MOELIGASelector(n_generations=10**9, evaluation=Evaluation(n_rescore_splits=0), random_state=0,
                               n_jobs=n_jobs)
    thread = threading.Thread(target=send)
    thread.start()
    try:
        selector.fit(X, y)
    except KeyboardInterrupt:  # before the initial population was evaluated
        pass
    ended = time.perf_counter()
    thread.join()
    return ended - sent[0]


def beyond_limit(X, y, n_jobs, limit):
    """Seconds that a fit takes longer than `max_time`."""
    begun = time.perf_counter()
    MOELIGASelector(n_generations=10**9, max_time=limit, random_state=0, n_jobs=n_jobs).fit(X, y)
    return time.perf_counter() - begun - limit


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER / "isolet.npz", metavar="FILE.npz")
    parser.add_argument("--repeats", type=positive, default=20, metavar="N")
    arguments = parser.parse_args(argv)
    if not arguments.data.is_file():
        parser.error(f"argument --data: there is no file {arguments.data}; see MOELIGA_DATA")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell, and so fit, ignore it
    with np.load(arguments.data) as file:
        X, y = file["X_train"], file["y_train"]
    print(f"{arguments.data.stem}: {len(X)} x {X.shape[1]}")
    delays = np.random.default_rng(0).uniform(1.0, 20.0, arguments.repeats)
    for n_jobs in (1, 2):
        times = np.array([after_signal(X, y, n_jobs, delay) for delay in delays])
        print(f"{n_jobs} threads, {len(times)} signals: median {np.median(times):.2f} s, largest {times.max():.2f} s")
    for limit in (20, 60, 120):
        print(f"max_time={limit}, 2 threads: {beyond_limit(X, y, 2, limit):+.1f} s")


if __name__ == "__main__":
    main()
