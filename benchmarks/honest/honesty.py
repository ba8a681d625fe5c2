"""A fit for several deployed models on an outer split, and what its honest scores turn out to be worth there."""

import time

import numpy as np
from honest.panel import deployed_of, subsets_of, with_model
from paper import datasets
from paper.protocol import draw
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from moeliga import DecisionTreeClassifier, MOELIGASelector, NoLoss, RandomForestClassifier
from moeliga.data.problem import Problem
from moeliga.search.ranking import rank_features

MODELS = {
    "tree": DecisionTreeClassifier(max_depth=100),  # as deep as the one that guides
    "forest": RandomForestClassifier(),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "svm": make_pipeline(StandardScaler(), SVC()),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}
RULES = {**{f"no_loss {margin:g}": NoLoss(margin) for margin in (0.0, 0.125, 0.25)}, "one_se": "one_se"}
MOST_TRAINED = 630
"""Training rows at most; the others are tested on."""

KEY = ("set", "split", "setting", "model")
CHOICES = (*KEY, "rule", "n_selected", "source", "honest", "low", "high", "folds", "difference", "difference_low",
           "difference_high", "test", "test_se", "test_all", "samples", "of", "classes", "seconds")
"""Columns, a row for each choice: `honest` is without what choosing adds, `folds` with it. `seconds` are a processor's;
the first model has those of the searches."""

SLOTS = (*KEY, "source", "least", "most", "n_selected", "folds", "folds_se", "in_search", "test")
"""Columns, a row for each slot; `in_search` is nothing where another slot has the same subset. What the fit did not ask
about, the first three features of the rankings, has no score from the folds."""

FEW = 3
"""First features of the rankings, to compare with as few of the search."""


def whole(name):
    """X and y of a data set, its parts put together."""
    X_train, y_train, X_test, y_test = datasets.load(name)
    return np.vstack((X_train, X_test)), np.concatenate((y_train, y_test))


def rows_of(y, split):
    """Training and test rows of an outer split, 70 to 30 by class."""
    share = max(0.3, 1 - MOST_TRAINED / len(y))
    in_test, _ = draw(y, np.arange(len(y)), share, np.random.default_rng([split, len(y)]))
    return np.flatnonzero(~in_test), np.flatnonzero(in_test)


def uar(predicted, y):
    """UAR of predictions, and its standard error: two floats.

    Recalls are binomial, taken half a sample away from 0 and 1 for the error.
    """
    recalls, variances = [], []
    for label in np.unique(y):
        right = predicted[y == label] == label
        share = (right.sum() + 0.5) / (len(right) + 1)
        recalls.append(right.mean())
        variances.append(share * (1 - share) / len(right))
    return float(np.mean(recalls)), float(np.sqrt(np.sum(variances)) / len(recalls))


def study(name, split, setting="", models=MODELS, keep=None, **parameters):
    """Fit on the training rows of an outer split, and judge what every model chooses by the test rows.

    Parameters
    ----------
    name : str
    split : int
    setting : str
        Name of `parameters`.
    models : dict from str to classifier
    keep : callable or None
        Gets each model's name, its fitted selector, and its UAR on the test rows with each slot, ndarray.
    **parameters
        Of the selector.

    Returns
    -------
    choices, slots : lists of dict
        Rows with the columns `CHOICES` and `SLOTS`.
    """
    X, y = whole(name)
    train, test = rows_of(y, split)
    begun, first, choices, slots = time.process_time(), None, [], []
    for label, model in models.items():
        if first is None:
            first = MOELIGASelector(model, random_state=split, **parameters).fit(X[train], y[train])
            selector, subsets, few = first, subsets_of(first), few_of(first, X[train], y[train])
        else:
            selector = with_model(first, X[train], y[train], model)
        seconds = time.process_time() - begun
        answers = selector._answers
        deployed, masks = deployed_of(selector, X, y, model), np.concatenate((subsets, list(few.values())))
        asked = deployed.answers_for(masks, train, test, answers.n_folds)["predict"]
        scores = [uar(predicted, np.unique(y, return_inverse=True)[1][test]) for predicted in asked]
        key = {"set": name, "split": split, "setting": setting, "model": label}
        choices += choices_of(selector, scores, key | {
            "samples": len(train), "of": X.shape[1], "classes": len(np.unique(y)), "seconds": seconds})
        slots += slots_of(selector, subsets, scores, key)
        slots += [key | {"source": source, "least": FEW, "most": FEW, "n_selected": FEW, "folds": np.nan,
                         "folds_se": np.nan, "in_search": np.nan, "test": score}
                  for source, (score, _) in zip(few, scores[len(subsets):], strict=True)]
        if keep is not None:
            keep(label, selector, np.array(scores))
        begun = time.process_time()
    return choices, slots


def few_of(selector, X, y):
    """The first features of the rankings of a fit to X and y: dict from source to ndarray of bool, masks."""
    orders = rank_features(Problem.from_data(X, y, False), selector._answers.seed, selector.n_jobs)
    return {source: np.isin(np.arange(X.shape[1]), order[:FEW]) for source, order in orders.items()}


def choices_of(selector, scores, key):
    """Rows of `CHOICES`; `scores` are pairs of UAR and error on the test rows for each slot."""
    front, rows = selector.pareto_front_, []
    for name, rule in RULES.items():
        found = selector.assess(rule)
        test, test_se = scores[selector._slots[found.index]]
        rows.append(key | {
            "rule": name, "n_selected": int(front.n_selected[found.index]), "source": str(front.source[found.index]),
            "honest": found.score, "low": found.interval[0], "high": found.interval[1],
            "folds": float(front.honest_score[found.index]), "difference": found.difference,
            "difference_low": found.difference_interval[0], "difference_high": found.difference_interval[1],
            "test": test, "test_se": test_se,
            "test_all": next(score for slot, (score, _) in zip(selector._answers.slots, scores, strict=True)
                             if slot.source == "all")})
    return rows


def slots_of(selector, subsets, scores, key):
    """Rows of `SLOTS`."""
    answers, front = selector._answers, selector.pareto_front_
    scored, rows = answers.honesty, []
    in_search = dict(zip(selector._slots.tolist(), front.score.tolist(), strict=True))
    for place, slot in enumerate(answers.slots):
        rows.append(key | {
            "source": slot.source, "least": slot.least, "most": slot.most, "n_selected": int(subsets[place].sum()),
            "folds": float(scored.score[place]), "folds_se": float(scored.errors()[place]),
            "in_search": in_search.get(place, np.nan), "test": scores[place][0]})
    return rows
