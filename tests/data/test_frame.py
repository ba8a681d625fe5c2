"""Tables of pandas and polars, and labels: what counts as numbers, what is missing, what one message names."""

import re
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from moeliga import (
    Constraints,
    DecisionTreeClassifier,
    MOELIGASelector,
    RandomForestClassifier,
    evaluate_subsets,
    optimism_report,
    separability,
    stability_report,
    write_report,
)
from moeliga.data.frame import read_labels, read_pair, read_table, unread_columns
from moeliga.evaluation.held_out import held_out_scores

pd = pytest.importorskip("pandas")
N = 48
Y = np.arange(N) % 2


def small(**parameters):
    """A selector that takes little time."""
    return MOELIGASelector().set_params(**{
        "honest": None, "population_size": 6, "n_generations": 1, "evaluation__n_rescore_splits": 2,
        "random_state": 0, **parameters})


def columns(rng):
    """Columns of every kind of number, and the floats that they stand for: two dicts."""
    whole, real, truth = rng.integers(0, 5, N) + Y, rng.normal(size=N) + Y, rng.random(N) < 0.3 + 0.4 * Y
    gap = np.arange(N) == 7
    kinds = {
        "int": whole, "bool": truth, "Int64": pd.array(whole, dtype="Int64"),
        "Int64 gap": pd.arrays.IntegerArray(whole, gap), "boolean": pd.array(truth, dtype="boolean"),
        "boolean gap": pd.arrays.BooleanArray(truth, gap), "Float64 gap": pd.arrays.FloatingArray(real, gap),
        "category": pd.Categorical(whole), "category gap": pd.Categorical(np.where(gap, np.nan, whole)),
        "object": np.array([Decimal(int(value)) for value in whole], dtype=object),
        "object gap": np.array([pd.NA if hole else value for value, hole in zip(real.tolist(), gap, strict=True)],
                               dtype=object),
        "object none": np.array([None if hole else value for value, hole in zip(truth.tolist(), gap, strict=True)],
                                dtype=object)}
    plain = {name: np.where(gap & ("gap" in name or "none" in name), np.nan, truth if "bool" in name or "none" in name
                            else real if name in ("Float64 gap", "object gap") else whole) for name in kinds}
    return kinds, plain


@pytest.mark.slow
def test_every_kind_of_number_is_the_float_that_it_stands_for(rng, tmp_path):
    """Everything that takes data finds the same in a table of these columns as in floats."""
    kinds, plain = columns(rng)
    frame, X = pd.DataFrame(kinds), np.column_stack(list(plain.values())).astype(float)
    before = frame.copy()
    masks = rng.random((5, X.shape[1])) < 0.5
    masks[:, 3] = True
    for call in (lambda X: evaluate_subsets(X, Y, masks, random_state=0), lambda X: [separability(X, Y)],
                 lambda X: DecisionTreeClassifier().fit(X, Y).predict_proba(X),
                 lambda X: small().fit(X, Y).pareto_front_.objectives,
                 lambda X: small(honest=2).fit(X, Y).pareto_front_.honest_score,
                 lambda X: small(constraints__must_include=range(6)).fit(X, Y).transform(X),
                 lambda X: held_out_scores(small().fit(X, Y), X, Y, X, Y),
                 lambda X: optimism_report(small(), X, Y, X_test=X, y_test=Y, n_permutations=1, n_splits=2,
                                           random_state=0).test_score,
                 lambda X: stability_report(small(), X, Y, n_runs=2, random_state=0).supports):
        np.testing.assert_array_equal(call(frame), call(X))
    write_report(small().fit(frame, Y), tmp_path / "a.html", X=frame, y=Y, X_test=frame, y_test=Y)
    pd.testing.assert_frame_equal(frame, before)


def test_a_table_of_polars(rng):
    """Nulls, booleans, decimals and text of an excluded column."""
    pl = pytest.importorskip("polars")
    X = np.column_stack([rng.normal(size=N) + Y, rng.integers(0, 9, N), Y])
    X[3, 1] = np.nan
    frame = pl.DataFrame({"a": X[:, 0], "b": [None if value != value else int(value) for value in X[:, 1]],
                          "c": (Y > 0).tolist(), "d": ["x"] * N})
    fitted = small(constraints__exclude=["d"]).fit(frame, Y)
    other = small(constraints__exclude=[3]).fit(np.column_stack([X, np.zeros(N)]), Y)
    np.testing.assert_array_equal(fitted.pareto_front_.objectives, other.pareto_front_.objectives)
    np.testing.assert_array_equal(fitted.transform(frame), other.transform(np.column_stack([X, np.zeros(N)])))
    with pytest.raises(ValueError, match=r"1 column does not: 'd' \(String, 'x' in row 0\)"):
        small().fit(frame, Y)
    assert frame["d"].to_list() == ["x"] * N


def test_a_column_of_sequences_of_one_length_is_named():
    """NumPy makes two dimensions of it."""
    with pytest.raises(ValueError, match=r"1 column does not: 'b' \(object, \[1, 2\] in row 0\)"):
        small().fit(pd.DataFrame({"a": Y + 0.0, "b": pd.Series([[1, 2]] * N)}), Y)


class Both(list):
    """A number that is a sequence too."""

    def __float__(self):
        return 1.0


def test_a_column_whose_values_are_numbers_but_not_alike():
    """Each by itself is a number; together they are no column of them."""
    frame = pd.DataFrame({"a": np.arange(2.0), "b": pd.Series([1.0, Both([2, 3])], dtype=object)})
    with pytest.raises(ValueError, match=r"'b' \(object, numbers and others\)"):
        read_table(frame)


@pytest.mark.slow
def test_excluded_columns_may_hold_anything(rng, tmp_path):
    """They are no part of any conversion, by name, by index or by mask, in the fit and in all that follows."""
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(N)], "a": rng.normal(size=N) + Y, "b": rng.normal(size=N),
                          "born": pd.date_range("2020", periods=N), "any": [{}, []] * (N // 2)})
    empty = frame.assign(id=0.0, born=0.0, any=0.0)
    for exclude in (["id", "born", "any"], [0, 3, 4], np.array([True, False, False, True, True])):
        fitted = small(constraints=Constraints(exclude=exclude)).fit(frame, Y)
        other = small(constraints=Constraints(exclude=exclude)).fit(empty, Y)
        np.testing.assert_array_equal(fitted.pareto_front_.objectives, other.pareto_front_.objectives)
        assert fitted.feature_names_in_.tolist() == list(frame)
        np.testing.assert_array_equal(fitted.transform(frame), frame.loc[:, fitted.support_])
        assert fitted.transform(frame).dtype == np.float64
    assert fitted.set_output(transform="pandas").transform(frame).equals(frame.loc[:, fitted.support_])
    write_report(fitted, tmp_path / "a.html", X=frame, y=Y, X_test=frame, y_test=Y)
    for report in (stability_report(fitted, frame, Y, n_runs=2, random_state=0),
                   optimism_report(fitted, frame, Y, n_permutations=1, n_splits=2, random_state=0)):
        assert report.to_frame() is not None
    with pytest.raises(ValueError, match="^constraints.exclude must name features of X, got the unknown name 'ID'$"):
        small(constraints__exclude=["ID"]).fit(frame, Y)


def test_one_message_names_all_columns_that_are_no_numbers():
    frame = pd.DataFrame({"a": np.arange(3.0), "who": ["x", "y", "z"], "born": pd.date_range("2020", periods=3),
                          "size": pd.Categorical(["s", "m", "s"]), "mixed": pd.Series([1, None, "red"], dtype=object),
                          "day": pd.Series([date(2020, 1, 2)] * 3, dtype=object), "z": np.arange(3) * 1j})
    with pytest.raises(ValueError) as caught:
        read_table(frame)
    assert re.sub(r"\[[nu]s\]", "[s]", str(caught.value).replace("(str,", "(object,")) == (
        "X must hold numbers, but 6 columns do not: 'who' (object, text of 3 values, 'x' in row 0), 'born' "
        "(datetime64[s], Timestamp('2020-01-01 00:00:00') in row 0), 'size' (category, text of 2 values, 's' in row "
        "0), 'mixed' (object, 'red' in row 2), 'day' (object, datetime.date(2020, 1, 2) in row 0), 'z' (complex128, 0j "
        "in row 0); drop them from X or, in a search, leave them out with Constraints(exclude=[...]), or encode "
        "categories and text of at most 20 values with Constraints(encode='onehot')")
    with pytest.raises(ValueError, match=r"but 10 columns do not: .*'c9' \(\w+, 'x' in row 0\); "):
        read_table(pd.DataFrame({f"c{i}": ["x"] for i in range(10)}))
    with pytest.raises(ValueError, match=r"but 12 columns do not: .*'c9' \(\w+, 'x' in row 0\) and 2 more; "):
        read_table(pd.DataFrame({f"c{i}": ["x"] for i in range(12)}))


def test_names_of_several_columns_are_listed():
    with pytest.raises(ValueError, match=r"^X must have distinct column names, got 'a' \(3 times\), 'b' \(2 times\)$"):
        read_table(pd.DataFrame(np.zeros((2, 6)), columns=list("abcaab")))


@pytest.mark.parametrize("y, message", [
    ([1.0, np.nan, np.nan], "got nan at position 1 and 1 other"),
    (["a", None, "b"], "got None at position 1"),
    (pd.Series([1, 2, pd.NA], dtype="Int64", index=[5, 6, 7]), "got .* at position 2"),
    (pd.array(["a", pd.NA, None], dtype="string"), "got <NA> at position 1 and 1 other"),
    (pd.Categorical(["a", None, "b"]), "got nan at position 1"),
    (pd.to_datetime(["2020", None]), "got NaT at position 1"),
    (np.array(["a", None, "b"], dtype=np.dtypes.StringDType(na_object=None)), "got None at position 1"),
    (np.array(["a", np.nan, "b"], dtype=np.dtypes.StringDType(na_object=np.nan)), "got nan at position 1"),
    (["a", np.nan, "b"], "got nan at position 1"),  # of which NumPy makes the text "nan"
])
def test_a_missing_label_is_placed(y, message):
    """Positions are counted from 0, whatever the index says."""
    with pytest.raises(ValueError, match=f"^y must have no missing values, {message}$"):
        read_labels(y)


@pytest.mark.parametrize("values, dtype, kind", [([1, 0, 2], "Int64", "i"), ([True, False], "boolean", "b"),
                                                 ([0.5, 1.0], "Float64", "f")])
def test_nullable_labels_are_numbers(values, dtype, kind):
    labels = read_labels(pd.Series(values, dtype=dtype))
    assert labels.dtype.kind == kind and labels.tolist() == values
    assert small().fit(np.c_[Y, Y + 1.0], pd.Series(Y, dtype="Int64")).classes_.dtype == np.int64


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_labels_in_a_table_of_one_column_are_those_of_the_column(rng):
    """With their type, and the place of a missing one."""
    text = np.array(["no", "yes"])[Y]
    for column in (pd.Series(Y, dtype="Int64"), pd.Series(Y == 1, dtype="boolean"), pd.Series(text, dtype="category"),
                   text.astype(np.dtypes.StringDType())):
        table = column.to_frame() if hasattr(column, "to_frame") else column[:, None]
        alone, found = (DecisionTreeClassifier().fit(np.c_[Y, Y + 1.0], y).classes_ for y in (column, table))
        assert found.dtype == alone.dtype and found.tolist() == alone.tolist()
    missing = np.where(np.arange(N) == 7, None, text.astype(object))
    for table in (pd.DataFrame({"label": missing}), missing[:, None], missing[:, None].tolist()):
        with pytest.raises(ValueError, match="^y must have no missing values, got .* at position 7$"):
            small().fit(np.c_[Y, Y + 1.0], table)


def test_labels_of_text_of_any_length_are_text(rng):
    """scikit-learn's checks have no name for their type."""
    X, names = rng.normal(size=(N, 3)), np.array(["a", "bb", "ccc"])
    text = names[np.arange(N) % 3]
    labels = text.astype(np.dtypes.StringDType())
    for model in (DecisionTreeClassifier(), RandomForestClassifier(2), small()):
        model.fit(X, labels)
        assert model.classes_.dtype.kind == "U" and set(model.classes_) <= set(names)
    masks = np.ones((1, 3), dtype=bool)
    np.testing.assert_array_equal(evaluate_subsets(X, labels, masks, random_state=0),
                                  evaluate_subsets(X, text, masks, random_state=0))


def test_data_that_are_no_tables_stay_what_they_are():
    X, y = [[1.0, 2.0]], ["a"]
    assert read_pair(X, y) == (X, y) and read_pair(X, y)[0] is X
    frame = pd.DataFrame({"a": [1, 2], "b": [True, False]})
    assert read_table(frame) is frame


def test_many_columns_are_set_at_once(rng):
    """Also where labels of the index repeat; columns of other kinds stay between them."""
    values = rng.normal(size=(6, 150))
    frame = pd.DataFrame(values, columns=[f"c{i}" for i in range(150)], index=list("aabbcc")).astype("Float64")
    frame["c7"] = np.arange(6)
    found = read_table(frame)
    values[:, 7] = np.arange(6)
    np.testing.assert_array_equal(found.to_numpy(), values)
    assert found.columns.equals(frame.columns) and found.index.equals(frame.index) and found["c7"].dtype == np.int64
    assert frame["c0"].dtype == "Float64"


@pytest.mark.parametrize("n", [2, 150])
def test_a_table_without_plain_columns_keeps_its_rows(n):
    """And what the user has given stays as it is."""
    frame = pd.DataFrame({f"c{i}": ["1", None, "3"] for i in range(n)}, index=list("aab"))
    before, found = frame.copy(), read_table(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert found.index.equals(frame.index) and found.columns.equals(frame.columns)
    np.testing.assert_array_equal(found.to_numpy(), np.tile([[1], [np.nan], [3]], n))


@pytest.mark.parametrize("names", [None, [0, 1, 2], ["a", 1, "b"]])
def test_columns_without_names_are_called_by_their_places(names):
    """As scikit-learn takes tables whose names are not all text."""
    assert unread_columns(["x1", "x2"], 3, names).tolist() == [False, True, True]
