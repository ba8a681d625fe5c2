"""The protocol: moeliga and a peer do the same job on the same rows, and the same judge looks at what they chose.

Features are chosen on the training part only. The judge is scikit-learn's decision tree, fitted on the training part
with the chosen features: the plain UAR (unweighted mean of the recalls of the classes) on the test part, averaged over
tree seeds. Both sides run on one thread, so that seconds of processor time can be compared and trees be counted.
"""

import argparse
import importlib
import importlib.metadata
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

import moeliga

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench_dataset import BUNDLED
from counted import CountedTree
from machine import cpu
from paper import datasets

FOLDS = 3
"""Folds on which the peers score a subset; moeliga draws as many random splits."""

JUDGES = 10
"""Seeds of the judging tree: scikit-learn's breaks ties at random."""

NOT_INSTALLED = 3
"""Exit code where the peer is missing; 2 is a wrong command line."""

COLUMNS = ("data set", "method", "features", "test UAR", "± se", "CPU seconds", "subsets scored", "trees grown")

NOTES = """
Comparable: the rows used, the classifier, the metric, the number of splits for each subset (3), the threads (1), and
the judge. Not comparable: the peers here score on fixed folds and return one subset; moeliga draws new splits for
every evaluation and returns a front, whose other members are in the same price. "best up to k" is the member with the
highest re-scored UAR among those that are no larger than the peer's subset, chosen without the test part. Trees of
moeliga: those of the search; re-scoring adds 50 for each candidate of the front. "± se" is the standard error of a
test UAR for the size of the test part: smaller differences mean nothing, and one split and one seed prove little in
any case.
"""


@dataclass(frozen=True, eq=False)
class Data:
    """A data set, cut in two once and for all."""

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class Row:
    """A line of the table; None where there is no value.

    `peer` is the label of the peer that the line belongs to, None for lines that belong to all of them.
    """

    data: str
    method: str
    n_features: int
    score: float | None
    error: float | None
    seconds: float | None = None
    n_subsets: int | None = None
    n_trees: int | None = None
    peer: str | None = None

    def cells(self):
        formats = ("{}", "{}", "{}", "{:.3f}", "{:.3f}", "{:.1f}", "{:,}", "{:,}")
        values = (self.data, self.method, self.n_features, self.score, self.error, self.seconds, self.n_subsets,
                  self.n_trees)
        return ["–" if value is None else form.format(value) for form, value in zip(formats, values, strict=True)]


def load(name):
    """`Data` by name: a set of scikit-learn, cut 70 % to 30 % by class, or an NPZ file of `MOELIGA_DATA` as it is.

    Raises
    ------
    SystemExit : with the names there are, if there is no such set.
    """
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
        return Data(name, X_train, y_train, X_test, y_test)
    try:
        return Data(name, *datasets.load(name))
    except SystemExit as error:
        raise SystemExit(f"{error}; every installation of scikit-learn has {', '.join(BUNDLED)}") from None


def tree(seed):
    """The classifier inside every search."""
    return CountedTree(max_depth=100, random_state=seed)


def folds(seed):
    """The splits on which peers score."""
    return StratifiedKFold(FOLDS, shuffle=True, random_state=seed)


def judge(support, data):
    """(UAR, its standard error) of a subset on the test part; (None, None) for an empty subset.

    The recall of a class is averaged over `JUDGES` trees; its variance is that of a share of the class's test samples.
    """
    if not support.any():
        return None, None
    recalls, classes = 0.0, np.unique(data.y_test)
    for seed in range(JUDGES):
        model = DecisionTreeClassifier(max_depth=100, random_state=seed).fit(data.X_train[:, support], data.y_train)
        predicted = model.predict(data.X_test[:, support])
        recalls += recall_score(data.y_test, predicted, labels=classes, average=None, zero_division=0.0) / JUDGES
    sizes = np.array([np.count_nonzero(data.y_test == label) for label in classes])
    error = np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(classes)
    return float(np.mean(recalls)), float(error)


def timed(search, data, seed):
    """(support, subsets scored, trees grown, seconds of processor time) of a peer's search."""
    CountedTree.grown = 0
    began = time.process_time()
    support, n_subsets = search(data.X_train, data.y_train, seed)
    seconds = time.process_time() - began
    return np.asarray(support, dtype=bool), n_subsets, CountedTree.grown, seconds


def compare(data, searches, seed, n_generations):
    """Rows of one data set.

    Parameters
    ----------
    data : Data
    searches : dict from label to callable
        ``search(X, y, seed)`` returns a mask and the number of subsets that were scored, or None.
    seed : int
    n_generations : int

    Yields
    ------
    row : Row
    """
    everything = np.ones(data.X_train.shape[1], dtype=bool)
    yield Row(data.name, "all features", len(everything), *judge(everything, data))
    began = time.process_time()
    selector = moeliga.MOELIGASelector(n_generations=n_generations, random_state=seed, n_jobs=1, honest=None, rule="r1",
                                       islands=None, population_size=90, local_improvement="parent")
    selector.fit(data.X_train, data.y_train)
    seconds, front = time.process_time() - began, selector.pareto_front_
    yield Row(data.name, "moeliga, R1", int(selector.support_.sum()), *judge(selector.support_, data), seconds,
              selector.n_evaluations_, selector.n_evaluations_ * moeliga.Evaluation().n_splits)
    for label, search in searches.items():
        support, n_subsets, n_trees, seconds = timed(search, data, seed)
        size = int(support.sum())
        yield Row(data.name, label, size, *judge(support, data), seconds, n_subsets, n_trees, label)
        if size >= front.n_selected.min():
            member = front.supports[front.choose("best", max_features=size)]
            yield Row(data.name, f"moeliga, best up to {size}", int(member.sum()), *judge(member, data), peer=label)


def losses(rows):
    """Sentences that say where moeliga is behind a peer: in test UAR, in size at no better UAR, in time."""
    sentences = []
    for theirs in (row for row in rows if row.peer and row.seconds is not None):
        chosen = next(row for row in rows if row.data == theirs.data and row.method == "moeliga, R1")
        same = [row for row in rows if row.data == theirs.data and row.peer == theirs.peer and row is not theirs]
        where = f"{theirs.data}, {theirs.method}:"
        if theirs.score is not None:
            for ours in (chosen, *same):
                if ours.score < theirs.score:
                    sentences.append(f"{where} test UAR of '{ours.method}' lower by {theirs.score - ours.score:.3f} "
                                     f"(one standard error is {max(ours.error, theirs.error):.3f})")
                elif ours.score == theirs.score and ours.n_features > theirs.n_features:
                    sentences.append(f"{where} '{ours.method}' needs {ours.n_features} features for the same test "
                                     f"UAR, not {theirs.n_features}")
        if theirs.seconds < chosen.seconds:
            sentences.append(f"{where} takes {theirs.seconds:.1f} s, moeliga {chosen.seconds:.1f} s")
    return sentences


def need(package):
    """Version of an installed package; without it a message and the exit code `NOT_INSTALLED`."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        print(f"{package} is not installed: pip install 'moeliga[bench]' (or {package} alone)", file=sys.stderr)
        raise SystemExit(NOT_INSTALLED) from None


def main(doc, package, searches, notes, argv=None):
    """Command line of a peer's script: prints the table, what can be compared, and where moeliga loses.

    Parameters
    ----------
    doc : str
        Docstring of the script.
    package : str
        Name of the peer's distribution.
    searches : dict, see `compare`
    notes : str
        What is special about this peer.
    argv : list of str or None
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["breast_cancer"],
                        help=f"data sets: {', '.join(BUNDLED)}, or files of MOELIGA_DATA; default: breast_cancer")
    parser.add_argument("--seed", type=int, default=0, help="of every search")
    parser.add_argument("--generations", type=int, default=300, help="of moeliga's search")
    options = parser.parse_args(argv)
    version = need(package)
    sets = [load(name) for name in options.names]
    versions = {"moeliga": moeliga.__version__, package: version}
    versions |= {name: importlib.metadata.version(name) for name in ("scikit-learn", "numpy")}
    print(f"{', '.join(f'{name} {number}' for name, number in versions.items())}, Python {platform.python_version()}; "
          f"{cpu()}; seed {options.seed}, moeliga's defaults with {options.generations} generations.\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    rows = []
    for data in sets:
        for row in compare(data, searches, options.seed, options.generations):
            rows.append(row)
            print("| " + " | ".join(row.cells()) + " |", flush=True)
    for text in (notes, NOTES):
        print("\n" + " ".join(text.split()))
    print("\nWhere moeliga loses:\n")
    print("\n".join(f"- {sentence}" for sentence in losses(rows)) or "- nowhere in this table")
