"""The command `moeliga demo`: select features of a data set of scikit-learn, and test them on held-out samples."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import get_scorer
from sklearn.model_selection import train_test_split

from moeliga.base.text import visible
from moeliga.base.threads import n_workers
from moeliga.cli.run_folder import save_plot
from moeliga.evaluation.held_out import fitted_scores, uar_error
from moeliga.results.front import renamed
from moeliga.results.proportions import NORMAL
from moeliga.results.run_record import Record
from moeliga.results.text import BY_OPTION
from moeliga.selector import MOELIGASelector


def run_demo(arguments):
    """Run `moeliga demo`; of the parsed arguments it reads `out`, `seed` and `n_jobs`."""
    n_workers(arguments.n_jobs)  # raises an error for a wrong number before the folder is made
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    data = load_digits()
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.3, stratify=data.target,
                                            random_state=arguments.seed)
    print(f"Handwritten digits of scikit-learn: {len(X) + len(X_test)} samples, {X.shape[1]} pixels, 10 classes.\n"
          f"The fit sees {len(X)} samples; the other {len(X_test)}, stratified by class, are held out.", flush=True)
    selector = MOELIGASelector(random_state=arguments.seed, n_jobs=arguments.n_jobs, verbose=1)
    selector.pareto_front_ = renamed(selector.fit(X, y).pareto_front_, data.feature_names)
    record = Record.of(selector)
    print(record.ended(BY_OPTION), save_new_plot(record, folder), "", record.summary, sep="\n")
    masks = np.array([selector.support_, np.ones(X.shape[1], dtype=bool)])
    (score, error), (score_all, error_all) = fitted_scores(
        selector.deployed(), masks, X, y, X_test, y_test, [get_scorer("balanced_accuracy"), uar_error],
        arguments.seed, {})
    low, high = selector.honest_interval_
    agrees = low - NORMAL * error <= score <= high + NORMAL * error
    print(f"\nOn the {len(X_test)} samples held out, by the same model: UAR {score:.3f} ± {error:.3f}, which "
          f"{'agrees with' if agrees else 'differs from'} the\nhonest score; all features {score_all:.3f} ± "
          f"{error_all:.3f} (standard errors).")


def save_new_plot(record, folder):
    """Draw the front into a new file of a folder; return a line that names the file, or says why there is none."""
    names = ("front.png", *(f"front-{i}.png" for i in range(2, 10_000)))
    path = next(folder / name for name in names if not (folder / name).exists())
    problem = save_plot(record, path)
    return visible(f"No plot: {problem}" if problem else f"Plot of the front: {path}")
