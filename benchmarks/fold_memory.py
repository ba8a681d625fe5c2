"""What the K + 1 searches of a fit with honest scores take in memory, beside one search.

  python benchmarks/fold_memory.py [ROWSxFEATURES ..] [--folds K] [--threads N ..]

Data are normal float64; each fit is in a process of its own, with few individuals and one generation, and the default
model. Printed are the peaks of the resident size (Linux): of the process, with X and Python, and what the fit added.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from options import positive

from moeliga import MOELIGASelector
from moeliga.base.memory import numbers

SIZES = ("3000x6000", "200x20000", "20000x50")
SHORT = {"population_size": 12, "n_generations": 1, "random_state": 0}


def data(n_samples, n_features):
    """Three classes that five features tell a little of."""
    y = np.arange(n_samples) % 3
    X = np.random.default_rng(0).standard_normal((n_samples, n_features))
    X[:, :5] += y[:, None]
    return X, y


def measure(n_samples, n_features, folds, threads):
    """Print the peaks of a fit in this process, bytes, as JSON; `folds` 0 = one search alone."""
    selector = MOELIGASelector(honest=folds or None, n_jobs=threads, **SHORT)
    selector.fit(*data(200, 30))  # what libraries take at their first use
    X, y = data(n_samples, n_features)
    Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
    before = numbers("/proc/self/status")["VmRSS"]
    selector.fit(X, y)
    peak = numbers("/proc/self/status")["VmHWM"]
    print(json.dumps({"process": peak, "added": peak - before}))


def size_of(text):
    """The same text, if it is a size."""
    if not re.fullmatch("[1-9][0-9]*x[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"must be two integers of at least 1 with an x between, got {text!r}")
    return text


def peaks(size, folds, threads):
    """What `measure` prints in a process of its own: dict."""
    command = [sys.executable, __file__, size, "--measure", "--folds", str(folds), "--threads", str(threads)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{size}: the fit failed")
    return json.loads(done.stdout.splitlines()[-1])


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=size_of, default=SIZES, metavar="ROWSxFEATURES")
    parser.add_argument("--folds", type=int, default=5, metavar="K")
    parser.add_argument("--threads", type=positive, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.measure:
        return measure(*map(int, options.sizes[0].split("x")), options.folds, options.threads[0])
    print("| size | threads | one search, MiB | with folds | ratio | added by one search | with folds | ratio |")
    print("|" + "---|" * 8)
    for size in options.sizes:
        for threads in options.threads:
            one, all_ = peaks(size, 0, threads), peaks(size, options.folds, threads)
            cells = [f"{one[what] / 2**20:.0f} | {all_[what] / 2**20:.0f} | {all_[what] / one[what]:.2f}"
                     for what in ("process", "added")]
            print(f"| {size} | {threads} | {' | '.join(cells)} |", flush=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
