"""Compiled judges for parameters and data that hypothesis draws: what scikit-learn answers, or a clear refusal."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from call_outcome import outcome
from moeliga import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    evaluate_subsets,
)
from state import image
from strategies import SEEDS, cases

pick = st.sampled_from
NEIGHBOURS = st.fixed_dictionaries({"n_neighbors": st.integers(1, 40), "weights": pick(("uniform", "distance")),
                                    "metric": pick(("euclidean", "manhattan", "minkowski")), "p": pick((1, 2)),
                                    "algorithm": st.just("brute")})
RULES = {"max_depth": pick((0, 1, 3, None)), "min_samples_split": pick((2, 6)), "min_samples_leaf": pick((1, 4))}
MODELS = {  # a model, whether it is a regressor, and the digits to which docs/judges.md says that it is scikit-learn's
    "bayes": (st.builds(GaussianNB, var_smoothing=pick((1e-9, 1e-3, 1.0))), False, 1e-9),
    "neighbours": (NEIGHBOURS.map(lambda given: KNeighborsClassifier(**given)), False, 1e-9),
    "near targets": (NEIGHBOURS.map(lambda given: KNeighborsRegressor(**given)), True, 1e-9),
    "ridge": (st.builds(Ridge, alpha=pick((1e-3, 1.0, 1e3)), fit_intercept=st.booleans()), True, 1e-9),
    "least squares": (st.builds(LinearRegression, fit_intercept=st.booleans()), True, 1e-9),
    "discriminant": (st.builds(LinearDiscriminantAnalysis, solver=st.just("lsqr"), shrinkage=pick((0.1, 0.5, 1.0))),
                     False, 1e-9),
    "logistic": (st.builds(LogisticRegression, C=pick((0.01, 1.0, 100.0)), fit_intercept=st.booleans(),
                           solver=st.just("newton-cholesky"), tol=st.just(1e-12), max_iter=st.just(1000)), False, 1e-6),
    "ridge classes": (st.builds(RidgeClassifier, alpha=pick((1e-3, 1.0, 1e3)), fit_intercept=st.booleans(),
                                class_weight=pick((None, "balanced", {0: 3.0}))), False, 1e-9),
    "svm": (st.builds(LinearSVC, C=pick((0.01, 1.0)), dual=st.just(False), tol=st.just(1e-12),
                      max_iter=st.just(100_000), class_weight=pick((None, "balanced"))), False, 1e-6),
    "tree": (st.builds(DecisionTreeClassifier, **RULES), False, 1e-9),
    "tree of targets": (st.builds(DecisionTreeRegressor, **RULES), True, 1e-9),
    "forest": (st.builds(RandomForestClassifier, pick((1, 4)), random_state=SEEDS, **RULES), False, 1e-9),
    "extra trees": (st.builds(ExtraTreesClassifier, pick((1, 4)), random_state=SEEDS, **RULES), False, 1e-9),
    "forest of targets": (st.builds(RandomForestRegressor, pick((1, 4)), random_state=SEEDS, **RULES), True, 1e-9),
}
SCALERS = (None, None, StandardScaler, MinMaxScaler)
KINDS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "whole": lambda rng, n: rng.integers(-3, 4, n).astype(float),
    "two values": lambda rng, n: rng.integers(0, 2, n) * 2.0,
    "constant": lambda rng, n: np.full(n, 0.1),
    "one other": lambda rng, n: (np.arange(n) == rng.integers(n)).astype(float),
    "shifted": lambda rng, n: 1000 + rng.normal(size=n),
    "skewed": lambda rng, n: np.exp(rng.normal(size=n)),
}
DECISIONS = ("balanced_accuracy", "accuracy", "f1_macro")
"""Scores that need no probabilities."""

SCORES = {False: ("neg_log_loss", "neg_brier_score", "balanced_accuracy", "accuracy", "f1_macro"),
          True: ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error")}


@st.composite
def problems(draw, regression):
    """X with degenerate columns and rows, y, subsets, and splits that hold every class: all as they are given."""
    rng = np.random.default_rng(draw(SEEDS))
    n_classes, n, n_features = draw(st.integers(2, 4)), draw(st.integers(16, 40)), draw(st.integers(1, 6))
    y = rng.permutation(np.concatenate((np.repeat(np.arange(n_classes), 4), rng.integers(0, 2, n - 4 * n_classes))))
    X = np.column_stack([KINDS[draw(pick(tuple(KINDS)))](rng, n) for _ in range(n_features)])
    X[:, 0] += y * draw(pick((0, 1)))
    if n_features > 1 and draw(st.booleans()):
        X[:, 1] = X[:, 0] * 2
    if draw(st.booleans()):
        X[y == 0] = X[np.argmax(y == 0)]  # rows of one class that are all the same
    parts = np.empty(n, dtype=int)
    for c in range(n_classes):
        rows = rng.permutation(np.flatnonzero(y == c))
        parts[rows] = np.arange(len(rows)) % 2
    splits = [tuple(np.flatnonzero(parts == side) for side in sides) for sides in ((0, 1), (1, 0))]
    masks = rng.random((4, n_features)) < 0.6
    masks[np.arange(4), rng.integers(0, n_features, 4)] = True
    return X, (rng.normal(size=n) + X[:, 0]) if regression else y, masks, splits


def by_scikit_learn(model, X, y, masks, splits, scoring, digits):
    """Mean scores of each subset, and whether they are sure: no prediction is within rounding of another one."""
    scores, sure = [], []
    for mask in masks:
        found, clear = [], True
        for learn, ask in splits:
            chosen = X[:, mask]
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                model.fit(chosen[learn], y[learn])
                clear &= varies(model, chosen[learn], y[learn])
                if hasattr(model, "predict_proba"):
                    shares = np.sort(model.predict_proba(chosen[ask]), axis=1)
                    clear &= np.isfinite(shares).all() and (not (shares[:, -1] - shares[:, -2] < 10 * digits).any()
                                                            or scoring in ("neg_log_loss", "neg_brier_score"))
                elif hasattr(model, "decision_function"):
                    values = model.decision_function(chosen[ask])
                    values = np.sort(np.column_stack((-values, values)) if values.ndim == 1 else values, axis=1)
                    clear &= not (values[:, -1] - values[:, -2] < 10 * digits).any()
                # of constant columns scikit-learn's answers are no numbers
                found.append(get_scorer(scoring)(model, chosen[ask], y[ask]) if clear else 0.0)
        scores.append(np.mean(found))
        sure.append(clear)
    return np.array(scores), np.array(sure)


def varies(model, X, y):
    """Whether a feature differs within a class by more than rounding, without which a discriminant has no scale."""
    last = model[-1] if hasattr(model, "steps") else model
    if not isinstance(last, LinearDiscriminantAnalysis):
        return True
    X = model[0].transform(X) if hasattr(model, "steps") else X
    return any(np.ptp(X[y == c], axis=0).max() > 1e-9 * np.abs(X).max() for c in np.unique(y))


def near(model, X, masks, splits):
    """Whether two rows to learn from are equally far, up to rounding, from one asked for, where one is left out."""
    last = model[-1] if hasattr(model, "steps") else model
    if not hasattr(last, "n_neighbors"):
        return False
    for mask in masks:
        for learn, ask in splits:
            part = X[:, mask]
            if hasattr(model, "steps"):
                part = model[0].fit(part[learn]).transform(part)
            apart = np.abs(part[ask][:, None] - part[learn][None])
            far = np.sort(apart.sum(axis=2) if last.metric == "manhattan" or (
                last.metric == "minkowski" and last.p == 1) else np.sqrt((apart**2).sum(axis=2)), axis=1)
            k = last.n_neighbors
            # distances near 0 decide the weights, those around place k the neighbours
            if ((far > 0) & (far < 1e-6)).any() or (last.weights == "distance" and (far < 1e-6).any()):
                return True
            if k < far.shape[1] and (far[:, k] - far[:, k - 1] <= 1e-9 * (1 + far[:, k])).any():
                return True
    return False


@pytest.mark.parametrize("kind", MODELS)
@given(data=st.data())
@cases(10)
def test_scores_are_those_of_scikit_learn(kind, data):
    """On degenerate columns, equal rows, tiny classes and as many neighbours as there are rows; for one, two and three
    threads the same bits; what scikit-learn refuses is refused."""
    models, regression, digits = MODELS[kind]
    model, scaler = data.draw(models, label="model"), data.draw(pick(SCALERS), label="scaler")
    if kind.startswith(("tree", "forest", "extra")):  # which read unscaled values: thresholds have no rounding
        scaler = None
    model = model if scaler is None else make_pipeline(scaler(), model)
    X, y, masks, splits = data.draw(problems(regression), label="problem")
    scores = SCORES[regression] if regression or hasattr(model, "predict_proba") else DECISIONS
    scoring = data.draw(pick(scores), label="scoring")
    before = image(X), image(y)
    name = {"balanced_accuracy": "uar"}.get(scoring, scoring)
    found = []
    for n_jobs in (1, 2, 3):
        scores, refusal = outcome(lambda n_jobs=n_jobs: evaluate_subsets(
            X, y, masks, estimator=model, objectives=(name,), scoring=name, cv=splits, n_jobs=n_jobs), "n_neighbors")
        found.append((None if scores is None else scores.tobytes(), str(refusal)))
    assert len(set(found)) == 1 and (image(X), image(y)) == before
    last = model[-1] if scaler is not None else model
    least = min(len(learn) for learn, _ in splits)
    if getattr(last, "n_neighbors", 0) > least:
        assert "n_neighbors" in str(refusal)
        return
    assert refusal is None, refusal
    if near(model, X, masks, splits):
        return
    wanted, sure = by_scikit_learn(model, X, y, masks, splits, scoring, digits)
    assert np.isfinite(scores).all()
    scale = max(1.0, float(np.abs(y).max()) ** 2)
    assert_allclose(scores[sure, 0], wanted[sure], rtol=10 * digits, atol=10 * digits * scale)
