"""Whole fits with the defaults on 1, 2, 4 and more threads, by the clock; all must find the same.

  python benchmarks/threads.py [NAME ..]                       sets of fits.py
  python benchmarks/threads.py madelon --threads 8 16          others than 1, 2, 4, .. of this machine
  python benchmarks/threads.py --write                         the tables of README.md, from threads.csv

Each fit is a process of its own, bound to as many processors as it has threads: of different cores, as long as there
are enough. Fits that have processors of their own run at the same time, those of few threads first; one of all
processors runs alone. What is in the file for this processor is not done again.
"""

import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from board.run import commit
from fits import SETS, load
from machine import cpu
from options import positive, sets_of
from paper import datasets
from paper.page import filled, renewed
from paper.results import Results

from moeliga import MOELIGASelector

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "threads.csv"
COLUMNS = ("set", "samples", "of", "threads", "seconds", "cpu", "evaluations", "features", "found", "commit", "date",
           "machine", "processors")
"""A row for each set and number of threads. `found` is a digest of front, honest scores and choice."""


def cores():
    """Processors of this process, those of a core together: list of tuples of int."""
    at_hand, found = os.sched_getaffinity(0), set()
    for number in sorted(at_hand):
        path = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        parts = path.read_text().strip().split(",") if path.exists() else [str(number)]
        siblings = {one for part in parts for one in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
        found.add(tuple(sorted(siblings & at_hand)) or (number,))
    return sorted(found)


def taken(free, n_threads, n_cores):
    """Processors for a fit of so many threads, with the cores that they are of; None if too few are free.

    Parameters
    ----------
    free : list of tuple of int
        Cores that nobody has.
    n_threads : int
    n_cores : int
        Of the machine; a fit of more threads than these needs all of them, with all their processors.
    """
    wanted = min(n_threads, n_cores)
    if len(free) < wanted:
        return None
    mine = free[:wanted]
    rows = [core[place] for place in range(max(map(len, mine))) for core in mine if place < len(core)]
    return rows[:n_threads], mine


def fit(name, n_threads, **options):
    """Row of one fit in this process, without the columns of the machine: dict."""
    X, y = load(name)
    MOELIGASelector(random_state=0, n_jobs=n_threads, n_generations=1).fit(X[:, :8], y)  # modules, teams of threads
    begun, used = time.perf_counter(), time.process_time()
    selector = MOELIGASelector(random_state=0, n_jobs=n_threads, **options).fit(X, y)
    seconds, spent = time.perf_counter() - begun, time.process_time() - used
    front, digest = selector.pareto_front_, hashlib.sha256()
    for part in (front.supports, front.honest_score, selector.support_):
        digest.update(np.ascontiguousarray(part).tobytes())
    return {"set": name, "samples": len(y), "of": X.shape[1], "threads": n_threads, "seconds": seconds, "cpu": spent,
            "evaluations": selector.n_evaluations_, "features": int(selector.support_.sum()),
            "found": digest.hexdigest()[:16]}


def start(name, n_threads, processors, generations):
    """Process that prints the row of a fit on these processors."""
    more = [] if generations is None else ["--generations", str(generations)]
    return subprocess.Popen(
        [sys.executable, __file__, name, "--threads", str(n_threads), "--alone", *more], stdout=subprocess.PIPE,
        text=True, preexec_fn=lambda: os.sched_setaffinity(0, processors))


def run(jobs, keep, generations):
    """Run fits side by side; `keep` is called with the row of each. Returns the exit status.

    Parameters
    ----------
    jobs : list of (str, int)
        Names and numbers of threads, in the order in which they begin.
    keep : callable
    generations : int or None
    """
    free, under_way, failed = cores(), [], 0
    n_cores, n_processors = len(free), sum(map(len, free))
    waiting = [(name, min(n, n_processors)) for name, n in jobs]
    while waiting or under_way:
        while waiting and (place := taken(free, waiting[0][1], n_cores)):
            (name, n_threads), (processors, mine) = waiting.pop(0), place
            free = free[len(mine):]
            under_way.append((start(name, n_threads, processors, generations), name, n_threads, mine))
        for entry in [entry for entry in under_way if entry[0].poll() is not None]:
            process, name, n_threads, mine = entry
            under_way.remove(entry)
            free = sorted(free + mine)
            if process.returncode:
                print(f"{name}, {n_threads} threads: exit status {process.returncode}", flush=True)
                failed = 1
            else:
                keep(json.loads(process.stdout.read()))
        time.sleep(0.1)
    return failed


def same(rows):
    """Names of the sets on which fits of one commit have found different things: list of str."""
    found = {}
    for row in rows:
        found.setdefault((row["set"], row["commit"]), set()).add(row["found"])
    return sorted({name for (name, _), digests in found.items() if len(digests) > 1})


# tables


def threads(rows):
    """Seconds on one thread, and how many times as fast a fit is on more."""
    numbers = sorted({int(row["threads"]) for row in rows} - {1})
    lines = []
    for name in [name for name in SETS if any(row["set"] == name for row in rows)]:
        mine = {int(row["threads"]): row for row in rows if row["set"] == name}
        one, any_ = mine.get(1), next(iter(mine.values()))
        cells = []
        for number in numbers:
            row = mine.get(number)
            if row is None:
                cells.append("–")
            elif one is None:
                cells.append(f"({float(row['seconds']):.0f} s)")
            else:
                gain = float(one["seconds"]) / float(row["seconds"])
                cells.append(f"{gain:.2f} ({float(row['cpu']) / float(one['cpu']):.2f})")
        lines.append([name, f"{any_['samples']} x {any_['of']}", "–" if one is None else f"{float(one['seconds']):.3g}",
                      *cells])
    return ["set", "size", "seconds, one thread", *(f"{number} threads" for number in numbers)], lines


def of_two(rows):
    """The same of machines with two processors."""
    return threads([row for row in rows if int(row["processors"]) == 2])


def of_many(rows):
    """The same of machines with more."""
    return threads([row for row in rows if int(row["processors"]) > 2])


TABLES = {"two-threads": of_two, "threads": of_many}
"""By their names in the page."""


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)}; default: all at hand")
    parser.add_argument("--threads", nargs="+", type=positive, metavar="N", help="default: 1, 2, 4, .. of this machine")
    parser.add_argument("--generations", type=int, metavar="N", help="those of a default fit otherwise; to try things")
    parser.add_argument("--results", type=Path, default=FILE, help="needed with --generations")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)  # one fit here, its row on the output
    options = parser.parse_args(argv)
    if options.write:
        return renewed(["--write"], FOLDER / "README.md",
                       lambda text: filled(text, sys.modules[__name__], Results(FILE, COLUMNS).rows), __doc__)
    if options.alone:
        setting = {} if options.generations is None else {"n_generations": options.generations}
        print(json.dumps(fit(options.names[0], options.threads[0], **setting)))
        return 0
    if options.generations is not None and options.results == FILE:
        parser.error("argument --generations: results of other than default fits need a file of their own, --results")
    n_processors = sum(map(len, cores()))
    numbers = options.threads or [n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= n_processors]
    results = Results(options.results, COLUMNS)
    known = {(row["set"], int(row["threads"])) for row in results.rows if row["machine"] == cpu()}
    at_hand = {*datasets.names(), *datasets.extra(), "wide"}
    names = sets_of(parser, options.names, SETS, at_hand)
    results.ready()

    def keep(row):
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
        results.add([row | {"commit": commit(), "date": now, "machine": cpu(), "processors": n_processors}])
        print(f"{row['set']}, {row['threads']} threads: {row['seconds']:.1f} s, {row['cpu']:.1f} of processors",
              flush=True)

    failed = run([(name, n) for n in sorted(numbers) for name in names if (name, n) not in known], keep,
                 options.generations)
    differ = same(results.rows)
    for name in differ:
        print(f"{name}: fits have found different things", flush=True)
    return 1 if failed or differ else 0


if __name__ == "__main__":
    sys.exit(main())
