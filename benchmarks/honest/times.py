"""Times of whole fits with the defaults, beside those of another version, and of dear deployed models.

  python benchmarks/honest/times.py dermatology leukemia --against CHECKOUT   another version's folder, its rooms built
  python benchmarks/honest/times.py --models                                  on breast cancer

Fits alternate, each in a process of its own with two threads; rows go to results/times.csv, those that are there are
passed over. Only processor time, which is that of the whole process and of its workers, can be compared where other
programs run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from options import build_folder, positive
from paper import datasets
from paper.results import Results

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results"
COLUMNS = ("set", "samples", "of", "what", "run", "wall", "cpu", "n_selected", "honest", "curve")
MODELS = {"boosting": "HistGradientBoostingClassifier()", "forest": "RandomForestClassifier(n_estimators=100)"}

FIT = """
import json, os, sys, time
import moeliga
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from moeliga import MOELIGASelector
if os.path.dirname(os.path.dirname(moeliga.__file__)) != sys.argv[3]:
    sys.exit(f"{{sys.argv[3]}}: its package is not what is imported, {{moeliga.__file__}} is")
with np.load(sys.argv[1]) as data:
    X, y = data["X"], data["y"]
begun = time.perf_counter()
selector = MOELIGASelector({model} random_state=int(sys.argv[2]), n_jobs=2).fit(X, y)
found = {{"wall": time.perf_counter() - begun, "n_selected": int(selector.support_.sum())}}
front = selector.pareto_front_
if hasattr(selector, "honest_score_"):
    found["honest"] = selector.honest_score_
    found["curve"] = " ".join(f"{{size}}:{{score:.3f}}" for size, source, score in zip(
        front.n_selected, front.source, front.honest_score) if source == "search" and score == score)
print(json.dumps(found))
"""


def fit(X, y, run, checkout, model=""):
    """What a fit in a process of its own says: dict."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "fit.npz", X=X, y=y)
        done = subprocess.run([sys.executable, "-c", FIT.format(model=model), "fit.npz", str(run), str(checkout)],
                              env=os.environ | {"PYTHONPATH": str(checkout)}, cwd=folder, text=True,
                              stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{checkout}: the fit failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout.splitlines()[-1]) | {"cpu": cpu}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--against", type=build_folder, metavar="CHECKOUT")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--runs", type=positive, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(argv)
    results = Results(options.results / "times.csv", COLUMNS)
    results.ready()
    jobs = [(name, what, package, "") for name in options.sets
            for what, package in (("now", ROOT), ("before", options.against)) if package is not None]
    if options.models:
        jobs += [("breast_cancer", what, ROOT, f"{model},") for what, model in MODELS.items()]
    for run in range(options.runs):
        for name, what, package, model in jobs:
            if (name, what, str(run)) in {(row["set"], row["what"], row["run"]) for row in results.rows}:
                continue
            X, y = data_of(name)
            found = fit(X, y, run, package, model)
            results.add([{"set": name, "samples": len(y), "of": X.shape[1], "what": what, "run": run} | found])
            print(name, what, found, flush=True)


def data_of(name):
    """X and y of the training part of a data set, or of breast cancer."""
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(return_X_y=True)
    return datasets.load(name)[:2]


if __name__ == "__main__":
    main()
