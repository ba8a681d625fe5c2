"""Regression: what the leaf size of the tree that guides a search is worth on new samples.

  python benchmarks/honest/regression.py --splits 4      what is lacking, rows to results/regression.csv

Each fit, of 30 generations, is for one deployed model and guided by a regression tree with leaves of so many samples.
Diabetes, which scikit-learn has, is split 70 to 30 anew; the others are made, with 200 training samples (`wide`: 100,
`clinic`: 400) and 2,000 others. About two and a half seconds a fit, leaves of one sample nine.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from options import positive
from paper.results import Results

from moeliga import DecisionTreeRegressor, Islands, MOELIGASelector, RandomForestRegressor

RESULTS = Path(__file__).resolve().parent / "results"
LEAVES, LIMITS, N_OTHERS = (1, 5, 10), (1, 2, 3, 6), 2000
NOISY, NOISY_LEAVES = ("diabetes", "clinic"), (1, 3, 5, 10)
"""Tables of patients, and the leaves that are compared on them."""

N_TRAIN = {"wide": 100, "clinic": 400}
"""Training samples of made sets; others have 200."""

COLUMNS = ("set", "split", "model", "leaf", "n_selected", "test", "test_all", "honest", "cpu",
           *(f"test_{limit}" for limit in LIMITS))
MODELS = {"ridge": lambda: make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 3, 11))),
          "forest": lambda: RandomForestRegressor(random_state=0, max_features=1.0),
          "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsRegressor())}


def linear(n, rng):
    """Eight of fifty features, of growing weight."""
    X = rng.standard_normal((n, 50))
    return X, X[:, :8] @ np.linspace(0.3, 1, 8) + 1.5 * rng.standard_normal(n)


def mixed(n, rng):
    """A third of the features whole numbers, a third zeros and ones; a product, and much noise."""
    X = rng.standard_normal((n, 30))
    X[:, ::3], X[:, 1::3] = np.round(X[:, ::3]), X[:, 1::3] > 0
    return X, X[:, 0] + X[:, 1] + X[:, 2] * X[:, 5] + 0.5 * X[:, 3] + 1.5 * rng.standard_normal(n)


def clean(n, rng):
    """A sine, a product and a step, nearly without noise."""
    X = rng.standard_normal((n, 30))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + (X[:, 3] > 0) + 0.05 * rng.standard_normal(n)


def wide(n, rng):
    """Five of five hundred features, and a product."""
    X = rng.standard_normal((n, 500))
    return X, X[:, :5].sum(1) + 0.5 * X[:, 5] * X[:, 6] + rng.standard_normal(n)


def clinic(n, rng):
    """Forty features of patients, in five correlated blocks, and an outcome of which the truth itself has R2 .36.

    24 skewed laboratory values, a tenth of each unknown and set to the median; eight scores of five grades; eight
    findings of one patient in six. Seven of them count: two laboratory values by their logarithm, one above a limit, a
    score, a finding, and a value where there is another finding.
    """
    hidden = 0.7 * (rng.standard_normal((n, 5))[:, np.arange(40) % 5] + rng.standard_normal((n, 40)))
    values, grades, findings = np.exp(0.6 * hidden[:, :24]), np.digitize(hidden[:, 24:32], (-1, 0, 0.7, 1.5)), (
        hidden[:, 32:] > 1)
    told = (hidden[:, 0] + 0.6 * hidden[:, 6] + (values[:, 12] > 1.5) + 0.4 * grades[:, 2] + findings[:, 1]
            + findings[:, 3] * hidden[:, 18])
    values[rng.random(values.shape) < 0.1] = np.nan
    values = np.where(np.isnan(values), np.nanmedian(values, axis=0), values)
    y = told / told.std() + np.sqrt(0.9) * rng.standard_t(4, n)
    return np.column_stack((values, grades, findings)), y


def scaled(make, noise):
    """A made set with scaled features, and ten that tell nothing."""
    def made(n, rng, seed):
        X, y = make(n, noise=noise, random_state=seed)
        X = (X - X.mean(0)) / X.std(0)
        return np.column_stack((X, rng.standard_normal((n, 10)) * X.std())), y
    return made


MADE = {"friedman1": lambda n, rng, seed: make_friedman1(n, 20, noise=1.0, random_state=seed),
        "linear": linear, "mixed": mixed, "clean": clean, "friedman2": scaled(make_friedman2, 300.0),
        "friedman3": scaled(make_friedman3, 0.2), "wide": wide, "clinic": clinic}
SETS = ("diabetes", *MADE)


def parts_of(name, seed):
    """X_train, X_test, y_train, y_test of a split."""
    if name == "diabetes":
        return train_test_split(*load_diabetes(return_X_y=True), test_size=0.3, random_state=seed)
    n, rng, make = N_TRAIN.get(name, 200), np.random.default_rng(seed), MADE[name]
    X, y = make(n + N_OTHERS, rng, seed) if name.startswith("friedman") else make(n + N_OTHERS, rng)
    return X[:n], X[n:], y[:n], y[n:]


def row_of(parts, model, leaf, seed):
    """What a fit finds: dict."""
    X, others, y, known = parts

    def tested(support):
        return r2_score(known, model().fit(X[:, support], y).predict(others[:, support]))

    begun = time.process_time()
    guide = DecisionTreeRegressor(min_samples_leaf=leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = MOELIGASelector(model(), islands=Islands(judges=[guide]), random_state=seed, n_generations=30,
                                   n_jobs=1).fit(X, y)
    row = {"cpu": time.process_time() - begun, "n_selected": int(selector.support_.sum()),
           "honest": selector.honest_score_, "test": tested(selector.support_),
           "test_all": tested(np.ones(X.shape[1], dtype=bool))}
    return row | {f"test_{limit}": tested(selector.select(max_features=limit).support_) for limit in LIMITS}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    parser.add_argument("--splits", type=positive, default=4)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(argv)
    results = Results(options.results / "regression.csv", COLUMNS)
    results.ready()
    for seed in range(options.splits):
        for name in options.sets:
            parts = parts_of(name, seed)
            for model, make in MODELS.items():
                for leaf in NOISY_LEAVES if name in NOISY else LEAVES:
                    key = {"set": name, "split": str(seed), "model": model, "leaf": str(leaf)}
                    if not any(key.items() <= row.items() for row in results.rows):
                        results.add([key | row_of(parts, make, leaf, seed)])
                        print(*key.values(), results.rows[-1]["test"], flush=True)


if __name__ == "__main__":
    main()
