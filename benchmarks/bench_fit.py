"""Memory of a whole fit.

  python benchmarks/bench_fit.py FILE    fits the arrays X and y of an NPZ file, prints bytes added over X

The measurement needs a process of its own: a peak of memory never falls, and a child can inherit its parent's.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from bench_dataset import DATA, load, normals

from moeliga import Evaluation, MOELIGASelector

SYNTHETIC = "2000 x 20000"


def fit(X, y):
    """A short search of a few subsets: memory grows with the data and the largest subset, hardly with their number."""
    return MOELIGASelector(population_size=12, n_generations=1, evaluation=Evaluation(n_rescore_splits=1),
                           honest=None, islands=None, random_state=0, n_jobs=1).fit(X, y)


def memory(field):
    """Bytes of this process: "VmRSS" now, "VmHWM" at its peak."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(field))
    import resource  # not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # without /proc: the peak before stands for "now"
    return peak if sys.platform == "darwin" else peak * 1024


def added_bytes(X, y):
    """Peak memory that a fit adds to what the process holds, X included."""
    fit(np.random.default_rng(0).random((20, 4)), np.arange(20) % 2)  # loads what is loaded late
    before = memory("VmRSS")
    fit(X, y)
    return memory("VmHWM") - before


class Memory:
    """Peak memory that a fit adds, against X in float32."""

    params = ((*(name for name in ("isolet",) if name in DATA), SYNTHETIC),)
    param_names = ("data",)
    quick = ()
    timeout = 600

    def setup(self, data):
        self.X, self.y = normals(2000, 20_000) if data == SYNTHETIC else load(data)

    def peakmem_fit(self, data):
        fit(self.X, self.y)

    def track_added_memory(self, data):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "data.npz")
            np.savez(path, X=self.X, y=self.y)
            output = subprocess.run([sys.executable, __file__, str(path)], check=True, capture_output=True, text=True)
        return int(output.stdout) / self.X.nbytes

    track_added_memory.unit = "times X"


if __name__ == "__main__":
    with np.load(sys.argv[1]) as arrays:
        print(added_bytes(arrays["X"], arrays["y"]))
