"""Which of several subsets of one size carries over? What the training part can say of it, by more than their scores.

  python benchmarks/paper/hints.py --quick       two small sets, two outer splits
  python benchmarks/paper/hints.py [NAME ..]     the sets for choosing, ten outer splits; says its cost first

A search whose archive keeps eight of every size returns several members of most sizes. Of each member stand the hints,
all of the training part alone, beside its test UAR; between members of one size of one split the two are compared: by
the correlation of their deviations from the mean over the members, and by the test UAR of the member that a hint takes,
less that mean.
Results: hints.csv (a row for each member) and hints-summary.csv.
"""

import sys
import warnings
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import comparison, grid, tables
from paper.ablation import CHOOSING, EVALUATIONS, QUICK, jobs_of
from paper.budget import Budget
from paper.measures import outer_scores, recalls, used
from paper.results import KEY, Results
from paper.variants import of_name
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import moeliga
from moeliga import Separability
from moeliga.search import archive

VARIANT, PER_SIZE = "default", 8
FOLDS, TREES, SMALL_PARTS = 5, 100, 0.15


def uar(y, predicted):
    return recalls(y, predicted)[0].mean()


def small_parts(columns, y):
    """UAR of trees on 100 splits with validation parts half as large as the search's."""
    return moeliga.evaluate_subsets(columns, y, np.ones((1, columns.shape[1]), dtype=bool), n_splits=100,
                                    validation_size=SMALL_PARTS, objectives=("uar",), random_state=0)[0, 0]


def separability(columns, y):
    """Objective III over all samples."""
    every = Separability(samples=len(y), replace=False)
    return moeliga.evaluate_subsets(columns, y, np.ones((1, columns.shape[1]), dtype=bool), objectives=("uar", every),
                                    random_state=0)[0, 1]


def nearest(columns, y):
    """UAR of the nearest other sample."""
    return uar(y, y[NearestNeighbors(n_neighbors=1).fit(columns).kneighbors(return_distance=False)[:, 0]])


def bayes(columns, y):
    """UAR of naive Bayes in a cross-validation."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")  # it then is in some folds only
        return uar(y, cross_val_predict(GaussianNB(), columns, y, cv=folds))


def forest(columns, y):
    """UAR of a random forest on the samples that its trees have not seen."""
    found = RandomForestClassifier(TREES, oob_score=True, random_state=0).fit(columns, y)
    return uar(y, found.classes_[np.nan_to_num(found.oob_decision_function_).argmax(axis=1)])


def alone(columns, y):
    """How well the features do one by one: mean logarithm of ANOVA's F."""
    with np.errstate(divide="ignore", invalid="ignore"):  # constant columns, and perfect ones
        scores = f_classif(columns, y)[0]
    return float(np.mean(np.log(np.clip(np.nan_to_num(scores, nan=0.0, posinf=1e9), 1e-9, 1e9))))


OF_COLUMNS = {"small validation parts": small_parts, "separability": separability, "nearest neighbour": nearest,
              "naive Bayes": bayes, "random forest": forest, "single features": alone}
"""Hints by the columns of a member, scaled to [0, 1] and without gaps."""

HINTS = ("score", "score in the search", *OF_COLUMNS)
COLUMNS = (*KEY, "choice", "place", "size", "test", *HINTS, "status", "date", "cpu", "versions")


def perform(job, data, known, budget):
    """Rows of a search: one for each member of its front."""
    X_train, y_train, X_test, y_test, _ = data.parts(job.split)
    selector = of_name(VARIANT).selector(budget, int(job.seed))
    with patch.object(archive, "PER_SIZE", PER_SIZE):
        front = selector.fit(X_train, y_train).pareto_front_
    masks, whole = used(front.supports, X_train)
    whole = make_pipeline(SimpleImputer(keep_empty_features=True), MinMaxScaler()).fit_transform(whole)
    test = outer_scores(front.supports, X_train, y_train, X_test, y_test)
    rows = []
    for place, mask in enumerate(masks):
        hints = [front.score[place], front.search_objectives[place, front.primary],
                 *(hint(whole[:, mask], y_train) for hint in OF_COLUMNS.values())]
        rows.append(dict(zip(KEY, job.key, strict=True)) | dict(zip(HINTS, map(float, hints), strict=True)) | {
            "place": place, "size": int(mask.sum()), "test": float(test[place]), "status": "ok"})
    return rows


def groups(rows):
    """Members of one size of one search, where there are several: dict from data set to list of (hints, tests).

    Hints are an ndarray of shape (n_members, n_hints), tests one of shape (n_members,).
    """
    found = {}
    for row in rows:
        if row["status"] == "ok":
            found.setdefault((row["data"], row["split"], row["seed"], int(row["size"])), []).append(
                ([float(row[hint]) for hint in HINTS], float(row["test"])))
    by_data = {}
    for (data, *_), members in found.items():
        if len(members) > 1:
            hints, tests = zip(*members, strict=True)
            by_data.setdefault(data, []).append((np.array(hints), np.array(tests)))
    return by_data


def correlation(pairs, place):
    """Of a hint with the test UAR, both less their means over each group; NaN where one of them never differs."""
    hint, test = (np.concatenate(parts) for parts in zip(*(
        (hints[:, place] - hints[:, place].mean(), tests - tests.mean()) for hints, tests in pairs), strict=True))
    size = np.sqrt((hint @ hint) * (test @ test))
    return float(hint @ test / size) if size else np.nan


def gain(pairs, place):
    """Test UAR of the members with the largest hint of their groups, less the mean of the group; mean over groups."""
    return float(np.mean([tests[hints[:, place] == hints[:, place].max()].mean() - tests.mean()
                          for hints, tests in pairs]))


HEADER = ("hint", "sets", "correlation", "sets above", "below", "gain", "sets ahead", "behind", "p")


def summary(rows):
    """Lines of the table, see `HEADER`: means over data sets; `p` is Wilcoxon's of the gains, without correction."""
    lines, by_data = [], groups(rows)
    for place, hint in enumerate(HINTS):
        related = [value for value in (correlation(pairs, place) for pairs in by_data.values()) if value == value]
        gains = comparison.compare({data: np.array([gain(pairs, place)]) for data, pairs in by_data.items()})
        lines.append([hint, len(by_data), float(np.mean(related)) if related else np.nan,
                      int(np.sum(np.greater(related, 0))), int(np.sum(np.less(related, 0))), gains.difference,
                      gains.ahead, gains.behind, gains.p])
    return lines


def main(argv=None):
    parser = grid.parser(__doc__, "two small data sets, two outer splits, 1,000 evaluations")
    options = parser.parse_args(argv)
    if options.seed != "0" or options.generations is not None:
        parser.error("--seed and --generations are not for this study: a search has the number of its split for a seed")
    options.names = options.names or list(QUICK if options.quick else CHOOSING)
    options = grid.defaults(options)
    budget = Budget(evaluations=1000 if options.quick else EVALUATIONS)
    jobs = jobs_of(options.names, [VARIANT], options.splits, 1, budget)
    results = Results(options.out / "hints.csv", COLUMNS)
    failed = grid.run(jobs, results, n_splits=options.splits, again=options.again, dry=options.dry_run,
                      limit=options.limit, n_jobs=options.jobs, scheduler=options.scheduler,
                      rows_of=partial(perform, budget=budget), expected=lambda job: 5.0, columns=("size", "test"),
                      shown=lambda rows: max(rows, key=lambda row: row["score"]))
    if groups(results.rows) and not options.dry_run:
        lines = summary(results.rows)
        print("\n" + tables.markdown("Members of one size: what tells which carries over", HEADER, (
            [*(f"{cell:+.3f}" if isinstance(cell, float) else cell for cell in line[:-1]), f"{line[-1]:.2g}"]
            for line in lines)))
        tables.write(options.out / "hints-summary.csv", HEADER, lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
