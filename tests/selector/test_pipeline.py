"""What is deployed: the chosen columns and the model, in scikit-learn's parts; and the places of features."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cross_fitted import data, small
from moeliga import DecisionTreeClassifier
from single_search import single_search

FOREST = RandomForestClassifier(5, random_state=3)


def test_it_is_the_model_on_the_chosen_columns(rng):
    """Fitted by hand, it says the same of rows that it has not seen, whatever kind X is of; groups are for folds."""
    X, y = data(rng, 60)
    new, _ = data(rng, 20)
    for kind in (np.asarray, csr_matrix, lambda X: X.tolist()):
        selector = small(FOREST).fit(kind(X), y)
        expected = FOREST.fit(X[:, selector.support_], y).predict_proba(new[:, selector.support_])
        found = selector.pipeline(kind(X), y, groups=np.arange(60) // 3).predict_proba(kind(new))
        assert_array_equal(found, expected)


@pytest.mark.parametrize("library", [pd, pl])
def test_tables_are_read_by_name(rng, library):
    """Other columns may be elsewhere, or missing; nullable ones and booleans are numbers."""
    X, y = data(rng, 60)
    X[:, 1] = X[:, 1] > 0
    table = library.DataFrame({f"c{f}": X[:, f].astype(bool) if f == 1 else X[:, f] for f in range(9)})
    selector = small(LogisticRegression(), constraints__must_include=["c1"]).fit(table, y)
    pipeline = selector.pipeline(table, y)
    chosen = [f"c{f}" for f in np.flatnonzero(selector.support_)]
    expected = LogisticRegression().fit(X[:, selector.support_], y).predict_proba(X[:, selector.support_])
    assert_array_equal(pipeline.predict_proba(table[chosen[::-1]]), expected)
    assert list(pipeline[-1].feature_names_in_) == chosen


def test_arrays_are_read_by_place_after_a_table(rng):
    """scikit-learn's warning says that names are missing; the model is the same."""
    X, y = data(rng, 60)
    selector = small(LogisticRegression()).fit(pd.DataFrame(X, columns=list("abcdefghi")), y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        pipeline = selector.pipeline(X, y)
    expected = LogisticRegression().fit(X[:, selector.support_], y)
    assert_array_equal(pipeline.predict_proba(X), expected.predict_proba(X[:, selector.support_]))


def test_nullable_columns_are_numbers(rng):
    """Those of pandas."""
    X, y = data(rng, 60)
    X = X.round()
    table = pd.DataFrame(X.astype(int), columns=list("abcdefghi")).astype("Int64")
    pipeline = small().fit(table, y).pipeline(table, pd.Series(y, dtype="Int64"))
    assert set(pipeline.predict(table)) <= {0, 1}


@pytest.mark.slow
def test_it_follows_the_choice(rng):
    """And what `fit` gets goes to the model."""
    X, y = data(rng, 60)
    weight = rng.uniform(0.1, 5, 60)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    selector = small(model).fit(X, y, logisticregression__sample_weight=weight)
    for place in range(len(selector.pareto_front_)):
        part = X[:, selector.select(index=place).support_]
        expected = model.fit(part, y, logisticregression__sample_weight=weight).predict_proba(part)
        found = selector.pipeline(X, y, logisticregression__sample_weight=weight)
        assert_array_equal(found.predict_proba(X), expected)


def test_it_is_a_regressor_for_a_regressor(rng):
    """With the scores of one."""
    X, _ = data(rng, 60)
    y = X[:, 0] + rng.normal(size=60)
    selector = small(LinearRegression()).fit(X, y)
    part = X[:, selector.support_]
    assert selector.pipeline(X, y).score(X, y) == LinearRegression().fit(part, y).score(part, y)


@pytest.mark.slow
def test_its_seed_is_that_of_the_search(rng):
    """The same selector, and one of the same fit, give the same forest; another seed another one."""
    X, y = data(rng, 60)
    seeds = [small(RandomForestClassifier(2), random_state=seed).fit(X, y).pipeline(X, y)[-1].random_state
             for seed in (0, 0, 1)]
    assert seeds[0] == seeds[1] != seeds[2]


@pytest.mark.slow
def test_it_is_read_without_moeliga(rng, tmp_path):
    """In a process that cannot import it."""
    X, y = data(rng, 60)
    pipeline = small(FOREST).fit(X, y).pipeline(X, y)
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps((pipeline, X)))
    program = ("import sys, pickle; sys.modules['moeliga'] = None; "
               f"pipeline, X = pickle.load(open({str(path)!r}, 'rb')); print(*pipeline.predict(X))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(label) for label in pipeline.predict(X)]


def test_other_features_are_refused(rng):
    """More columns than in the fit, or other names."""
    X, y = data(rng, 60)
    with pytest.raises(ValueError, match="9 features"):
        small().fit(X, y).pipeline(X[:, :4], y)
    table = pd.DataFrame(X, columns=list("abcdefghi"))
    with pytest.raises(ValueError, match="feature names"):
        small().fit(table, y).pipeline(table.rename(columns={"a": "z"}), y)
    with pytest.raises(ValueError, match="^y must have a value for each sample, got None$"):
        small().fit(X, y).pipeline(X, None)


def counted(masks, f):
    """Share of masks that have a feature."""
    return np.mean([mask[f] for mask in masks])


def test_places_go_by_the_candidates_of_all_folds(rng):
    """Counted one by one: a place before another has the larger share, or as much and the larger share of the front."""
    X, y = data(rng, 60)
    selector = small().fit(X, y)
    candidates = [mask for slot, masks in selector.fold_supports_.items() if slot.source == "search" for mask in masks]
    front = selector.pareto_front_
    members = [mask for mask, source in zip(front.supports, front.source, strict=True) if source == "search"]
    keys = [(-counted(candidates, f), -counted(members, f), -counted(selector.baselines_.supports, f), f)
            for f in range(9)]
    assert selector.ranking_.tolist() == [sorted(keys).index(key) + 1 for key in keys]
    before = selector.ranking_
    assert_array_equal(selector.select("best").ranking_, before)


def test_places_without_honest_scores_go_by_the_front(rng):
    """The only subsets that there are."""
    X, y = data(rng, 60)
    selector = single_search(population_size=8, n_generations=2, random_state=0).fit(X, y)
    keys = [(-counted(selector.pareto_front_.supports, f), f) for f in range(9)]
    assert selector.ranking_.tolist() == [sorted(keys).index(key) + 1 for key in keys]
    assert selector.pipeline(X, y).predict(X).shape == (60,)


class Seeing(HistGradientBoostingClassifier):
    """A model that notes which columns it takes for categories."""

    seen = []

    def fit(self, X, y):
        super().fit(X, y)
        self.seen.append(self.is_categorical_)
        return self


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", [
    lambda column: column.astype("category"), lambda column: column.astype(object), lambda column: column,
    lambda column: column.astype("Int64")], ids=["category", "object", "int", "nullable"])
def test_categories_are_numbers_for_the_model_as_in_the_folds(rng, monkeypatch, form):
    """What it has learnt is what its honest score is of; the order of columns stays."""
    monkeypatch.setattr(Seeing, "seen", [])
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    code = rng.integers(12, size=200)
    X["b"] = form(pd.Series(code))
    X["d"] = form(pd.Series(code[::-1].copy()))
    y = (code % 2 + (X["a"] > 1)).to_numpy().clip(0, 1)
    model = Seeing(max_iter=5, min_samples_leaf=2, random_state=0)
    selector = small(model, constraints__must_include=["a", "b", "d"]).fit(X, y)
    pipeline = selector.pipeline(X, y)
    assert all(kinds is None for kinds in Seeing.seen)
    chosen = X.columns[selector.support_]
    assert list(pipeline[-1].feature_names_in_) == list(chosen)
    plain = X[chosen].astype(float)
    expected = clone(model).fit(plain, y).predict_proba(plain)
    assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict_proba(X[chosen[::-1]]), expected)


@pytest.mark.quick(3)
@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
@pytest.mark.parametrize("names", [list("abcd"), [0, 1, 2, 3]], ids=str)
def test_missing_values_of_any_kind_are_read_as_in_the_fit(rng, names, missing):
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=names)
    code = rng.integers(3, size=80).astype(object)
    code[3] = missing
    X[names[1]] = code
    y = (np.arange(80) % 2 + (X[names[0]] > 1)).to_numpy().clip(0, 1)
    selector = small(DecisionTreeClassifier(), constraints__must_include=[1]).fit(X, y)
    pipeline = selector.pipeline(X, y)
    values = X.to_numpy(dtype=object)
    values[3, 1] = np.nan
    plain = values.astype(float)[:, selector.support_]
    assert_array_equal(pipeline.predict(X), DecisionTreeClassifier().fit(plain, y).predict(plain))


def test_encoded_columns_stay_where_they_are(rng):
    """A forest that is deployed has the columns of the forests that were asked, in their order."""
    X = pd.DataFrame({"k": pd.Categorical(rng.choice(list("rgb"), 90)), "a": rng.normal(size=90),
                      "m": pd.Categorical(rng.choice(list("xy"), 90)), "b": rng.normal(size=90)})
    y = (np.arange(90) % 2 + (X["k"] == "r")).to_numpy().clip(0, 1)
    selector = small(FOREST, constraints__encode="onehot").fit(X, y)
    whole = selector.pareto_front_.n_selected.argmax()
    pipeline = selector.select(index=int(whole)).pipeline(X, y)
    values = selector.transform(X)
    expected = clone(FOREST).fit(values, y).predict_proba(values)
    assert_array_equal(pipeline.predict_proba(X), expected)
