"""A small search guided by each compiled judge on each data set, and the test score of its choice under the same model.

  python benchmarks/judges/run.py --dry-run        searches that are missing, and about how long they take
  python benchmarks/judges/run.py                  all of them, a row each in results/searches.csv
  python benchmarks/judges/run.py --sets isolet --judges ridge svm

A search has one population of 20 subsets of up to 50 features for 6 generations, on at most 600 training samples,
rule "best"; its choice is fitted to the whole training part and scored by UAR on the test part. It is there to show
that every judge goes through, and what it costs; such a search is far too short to say which judge is best.
Searches that have a row are passed over. Seconds are processor time of this process, one thread.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from options import sets_of
from paper import datasets
from paper.results import Results

from moeliga import Evaluation, Islands, MOELIGASelector

RESULTS = Path(__file__).resolve().parent / "results"
SETS = ("dermatology", "movement_libras", "leukemia", "arrhythmia", "arrhythmia13", "madelon", "mfeat", "optdigits",
        "isolet")
COLUMNS = ("set", "samples", "of", "classes", "judge", "evaluations", "seconds", "front", "n_selected", "score", "test")
JUDGES = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(20, random_state=0),
    "forest, out of bag": RandomForestClassifier(50, random_state=0),
    "extra-trees": ExtraTreesClassifier(20, random_state=0),
    "naive Bayes": GaussianNB(),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
    "ridge, balanced": make_pipeline(StandardScaler(), RidgeClassifier(class_weight="balanced")),
    "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "svm": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}
NAMES = {"bayes": "naive Bayes", "out-of-bag": "forest, out of bag"}
"""What speed.py and bench_judges.py call judges that have another name in the rows and tables of this study."""

SETTING = {"honest": None, "rule": "best", "population_size": 20, "n_generations": 6, "local_improvement": None,
           "random_state": 0, "n_jobs": 1}
MOST_FEATURES = 50
EVALUATION = {"subsample": 600, "n_rescore_splits": 5}


def selector_of(judge, n_features):
    """The search that one judge guides, alone."""
    cv = "oob" if judge.endswith("out of bag") else None
    return MOELIGASelector(islands=Islands(judges=[JUDGES[judge]], sizes=None), cv=cv,
                           evaluation=Evaluation(**EVALUATION), max_features=min(MOST_FEATURES, n_features), **SETTING)


def row_of(name, judge):
    """The row of a search."""
    X, y, X_test, y_test = datasets.load(name)
    begun = time.process_time()
    selector = selector_of(judge, X.shape[1]).fit(X, y)
    seconds, mask = time.process_time() - begun, selector.support_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that stop before the optimum
        model = clone(JUDGES[judge]).fit(X[:, mask], y)
    return {"set": name, "samples": len(y), "of": X.shape[1], "classes": len(np.unique(y)), "judge": judge,
            "evaluations": selector.n_evaluations_, "seconds": seconds, "front": len(selector.pareto_front_),
            "n_selected": int(mask.sum()), "score": float(selector.pareto_front_.score[selector.index_]),
            "test": float(balanced_accuracy_score(y_test, model.predict(X_test[:, mask])))}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET")
    parser.add_argument("--judges", nargs="+", default=list(JUDGES), choices=JUDGES, metavar="JUDGE",
                        type=lambda name: NAMES.get(name, name), help=f"out of {', '.join([*JUDGES, *NAMES])}")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(argv)
    results = Results(options.results / "searches.csv", COLUMNS)
    known = {(row["set"], row["judge"]) for row in results.rows}
    names = sets_of(parser, options.sets, SETS, {*datasets.names(), *datasets.extra()})
    missing = [(name, judge) for name in names for judge in options.judges
               if (name, judge) not in known]
    if options.dry_run:
        seconds = []
        for name, judge in missing:
            X, y, _, _ = datasets.load(name)
            seconds.append(float(selector_of(judge, X.shape[1]).estimate_time(X, y)))
        print(f"{len(missing)} searches, about {sum(seconds):.0f} s; the dearest: " + ", ".join(
            f"{name} by {judge} {seconds[place]:.0f} s" for place, (name, judge) in sorted(
                enumerate(missing), key=lambda pair: -seconds[pair[0]])[:5]))
        return
    results.ready()
    for name, judge in missing:
        row = row_of(name, judge)
        results.add([row])
        print(f"{name}, {judge}: {row['seconds']:.2f} s, {row['n_selected']} features, {row['test']:.3f}", flush=True)


if __name__ == "__main__":
    main()
