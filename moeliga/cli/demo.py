"""The command `moeliga demo`: search data that ship with scikit-learn, and test the result on held-out samples."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split

from moeliga.cli.run_folder import save_plot
from moeliga.results.run_record import Record
from moeliga.results.text import BY_OPTION, front_lines, visible
from moeliga.selector import MOELIGASelector
from moeliga.tree import DecisionTreeClassifier


def run_demo(arguments):
    """Run the command with the arguments `out`, `seed` and `n_jobs`."""
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.3, stratify=data.target,
                                            random_state=arguments.seed)
    print(f"Breast cancer data of scikit-learn: {len(X) + len(X_test)} samples, {X.shape[1]} features, 2 classes.\n"
          f"{len(X_test)} samples are held out, stratified by class; the search sees the other {len(X)}.\n", flush=True)
    selector = MOELIGASelector(random_state=arguments.seed, n_jobs=arguments.n_jobs, verbose=1)
    selector.fit(X, y).pareto_front_.feature_names = data.feature_names
    record = Record.of(selector)
    print(f"\n{record.ended(BY_OPTION)}\n\nPareto front, with UAR ± standard error on {record.front.n_rescore_splits} "
          f"validation splits of the {len(X)} samples:\n")
    print("\n".join(front_lines(record)))
    print(f"\n* chosen by {record.how}: {', '.join(record.front.features(record.chosen))}")
    print(f"\nDecision tree on the {len(X_test)} held-out samples, ± standard error (so few cannot tell small "
          "differences):\n")
    for name, mask in (("chosen", selector.support_), ("all", np.ones(X.shape[1], dtype=bool))):
        uar, error = held_out_uar(X[:, mask], y, X_test[:, mask], y_test)
        print(f"  {name:>6} {mask.sum():4d} features   UAR {uar:.3f} ± {error:.3f}")
    names = ("front.png", *(f"front-{i}.png" for i in range(2, 10_000)))
    path = next(folder / name for name in names if not (folder / name).exists())
    problem = save_plot(record, path)
    print(f"\n{visible(f'No plot: {problem}' if problem else f'Plot of the front: {path}')}")


def held_out_uar(X, y, X_test, y_test):
    """Return the UAR of a tree on held-out rows, and its standard error as a mean of binomial shares: two floats."""
    tree = DecisionTreeClassifier(max_depth=100).fit(X, y)
    recalls = recall_score(y_test, tree.predict(X_test), average=None)
    sizes = np.unique(y_test, return_counts=True)[1]
    return recalls.mean(), np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(sizes)
