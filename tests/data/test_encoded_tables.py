"""`Constraints(encode="onehot")`: as with pandas' dummies and their groups, in the fit and in all that follows."""

import pickle
import re
from html import unescape

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import OneHotEncoder

from moeliga import Constraints, FeatureCost, MOELIGASelector, optimism_report, stability_report, write_report
from moeliga.data.one_hot import Encoding, one_hot_encode, sort_values

pd = pytest.importorskip("pandas")
N = 60
Y = np.arange(N) % 2
CODED = ["city", "size", "band"]
ONEHOT = Constraints(encode="onehot")


def small(**parameters):
    """A selector that takes little time."""
    return MOELIGASelector(GaussianNB()).set_params(**{
        "honest": 2, "population_size": 6, "n_generations": 2, "evaluation__n_rescore_splits": 2, "random_state": 0,
        **parameters})


@pytest.fixture
def frame(rng):
    """Text, a value of one row, categories of numbers and of intervals, missing values; text that holds numbers."""
    frame = pd.DataFrame({
        "age": rng.normal(size=N) + Y, "city": rng.choice(["Rome", "Oslo"], N), "old": pd.array(Y == 1, "boolean"),
        "size": pd.Categorical(rng.choice([3, 10, 2], N)), "band": pd.cut(rng.normal(size=N), 3),
        "digits": rng.choice(["1", "2"], N), "noise": rng.normal(size=N)}, index=np.arange(N)[::-1])
    frame.loc[N - 6, "city"] = "Bern"
    frame.loc[N - 1, "city"] = frame.loc[N - 2, "size"] = None
    return frame


def dummies(frame):
    """What pandas makes of it, with the columns of a variable where the variable was."""
    found = pd.get_dummies(frame, prefix_sep="=", columns=CODED, dtype=float)
    return found[[name for column in frame for name in found if name == column or name.startswith(f"{column}=")]]


def labels(table):
    return [name.partition("=")[0] for name in table]


def test_the_features_are_those_of_pandas_and_of_scikit_learn(frame):
    before, expected = frame.copy(), dummies(frame)
    X, constraints, encoding = one_hot_encode(frame, ONEHOT)
    pd.testing.assert_frame_equal(X, expected)
    pd.testing.assert_frame_equal(frame, before)
    assert constraints.groups == [labels(expected).index(label) and list(frame).index(label)
                                  for label in labels(expected)] and constraints.encode is None
    new = frame.assign(city=["Paris", None, "Oslo"] * (N // 3))
    theirs = OneHotEncoder(categories=list(map(list, encoding.values.values())), handle_unknown="ignore",
                           sparse_output=False).fit_transform(new[CODED])
    np.testing.assert_array_equal(encoding.table(new).filter(like="="), theirs)
    assert encoding.table(X) is X


def test_a_fit_is_that_of_the_dummies_and_their_groups(frame):
    """Folds have the same features, though one value is in one of them alone; new data have those of the fit."""
    X = dummies(frame)
    fitted, other = small(constraints=ONEHOT).fit(frame, Y), small(constraints__groups=labels(X)).fit(X, Y)
    for name in ("objectives", "honest_score", "supports"):
        np.testing.assert_array_equal(getattr(fitted.pareto_front_, name), getattr(other.pareto_front_, name))
    assert fitted.feature_names_in_.tolist() == list(X) and fitted.honest_score_ == other.honest_score_
    new = frame.iloc[:7].assign(city="Paris")
    for setting in ("default", "pandas"):
        fitted.set_output(transform=setting), other.set_output(transform=setting)
        for member in range(len(fitted.pareto_front_)):
            fitted.select(index=member), other.select(index=member)
            ours, theirs = (table.loc[:, fitted.support_] for table in (
                fitted.encoding_.table(new), dummies(new).reindex(columns=X.columns, fill_value=0.0)))
            np.testing.assert_array_equal(ours.astype(float), theirs.astype(float))
            np.testing.assert_array_equal(np.asarray(fitted.transform(new), dtype=float), ours.astype(float))
            np.testing.assert_array_equal(fitted.transform(X), other.transform(X))
    assert fitted.transform(new).index.equals(new.index) and list(fitted.transform(new)) == list(ours)
    np.testing.assert_array_equal(fitted.get_feature_names_out(list(frame)), fitted.get_feature_names_out())


@pytest.mark.slow
def test_a_report_of_html_is_that_of_the_dummies(frame, tmp_path):
    X, new = dummies(frame), frame.iloc[:7].assign(city="Paris")
    fitted, other = small(constraints=ONEHOT).fit(frame, Y), small(constraints__groups=labels(X)).fit(X, Y)
    write_report(fitted, tmp_path / "a.html", X=frame, y=Y, X_test=new, y_test=Y[:7])
    write_report(other, tmp_path / "b.html", X=X, y=Y, X_test=fitted.encoding_.table(new), y_test=Y[:7])
    ours, theirs = (re.findall(r"<tr>.*", (tmp_path / name).read_text()) for name in ("a.html", "b.html"))
    assert ours[:5] == theirs[:5]


def program_of(fitted, path):
    """The Python in a report."""
    write_report(fitted, path)
    return unescape(re.search("<pre><code>(.*?)</code></pre>", path.read_text(), re.DOTALL)[1])


def test_the_program_of_a_report_encodes_as_the_fit(frame, tmp_path):
    """Also samples that lack values, have others, or none: with scikit-learn alone, and the same names."""
    fitted = small(constraints=Constraints(encode="onehot", groups=None, must_include=CODED)).fit(frame, Y)
    code = program_of(fitted, tmp_path / "report.html")
    assert "moeliga" not in code
    alone = frame.iloc[[0]].assign(city=np.nan)
    for part in (frame, frame.iloc[:5], frame.iloc[:7].assign(city="Paris"), alone):
        found = {"X": part}
        exec(code, found)
        np.testing.assert_array_equal(np.asarray(found["X_selected"], dtype=float),
                                      np.asarray(fitted.transform(part), dtype=float))
        assert found["select"].get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()


@pytest.mark.quick(1)
@pytest.mark.parametrize("values", [
    pd.to_datetime(["2020-01-01", "2021-02-03"]), pd.to_datetime(["2020-01-01", "2021-02-03"]).tz_localize("UTC"),
    pd.to_datetime([1, 2], unit="ns"), pd.to_timedelta([1, 50], unit="h"), pd.period_range("2020", periods=2, freq="D"),
], ids=["dates", "zone", "nanoseconds", "spans", "periods"])
def test_the_program_of_a_report_reads_dates(frame, tmp_path, values):
    """Whose values are no literals, and are compared as text: NumPy's of a date is another than its own."""
    frame = frame.assign(city=pd.Categorical(values[Y]))
    frame.loc[N - 1, "city"] = None
    fitted = small(constraints=Constraints(encode="onehot", must_include=["city"])).fit(frame, Y)
    found = {"X": frame}
    exec(program_of(fitted, tmp_path / "report.html"), found)
    np.testing.assert_array_equal(np.asarray(found["X_selected"], float), np.asarray(fitted.transform(frame), float))
    assert np.asarray(fitted.transform(frame), float).any(axis=0).all()


@pytest.mark.slow
@pytest.mark.parametrize(("report", "given"), [
    (optimism_report, {"n_permutations": 1, "n_splits": 2}), (stability_report, {"n_runs": 2})],
    ids=["optimism", "stability"])
def test_reports_are_those_of_the_dummies(frame, report, given):
    X, new = dummies(frame), frame.iloc[:7].assign(city="Paris")
    fitted, other = small(constraints=ONEHOT).fit(frame, Y), small(constraints__groups=labels(X)).fit(X, Y)
    ours, theirs = dict(given), dict(given)
    if report is optimism_report:
        ours |= {"X_test": new, "y_test": Y[:7]}
        theirs |= {"X_test": fitted.encoding_.table(new), "y_test": Y[:7]}
    pd.testing.assert_frame_equal(report(fitted, frame, Y, random_state=0, **ours).to_frame(),
                                  report(other, X, Y, random_state=0, **theirs).to_frame())


@pytest.mark.slow
def test_what_is_deployed_takes_the_table_as_it_is(frame):
    """Values that it has not seen as well; it is read without moeliga."""
    fitted, new = small(constraints=ONEHOT).fit(frame, Y), frame.iloc[:9].assign(city=[None, "Paris", "Oslo"] * 3)
    for member in range(len(fitted.pareto_front_)):
        fitted.select(index=member)
        saved = pickle.dumps(fitted.pipeline(frame, Y))
        assert b"moeliga" not in saved
        model = GaussianNB().fit(np.asarray(fitted.transform(frame), float)[:, ::-1], Y)
        np.testing.assert_allclose(pickle.loads(saved).predict_proba(new), model.predict_proba(
            np.asarray(fitted.transform(new), float)[:, ::-1]))


@pytest.mark.parametrize("cells", [[None], [np.nan], [1], [True], [pd.NA], ["Paris"]], ids=str)
def test_one_row_is_deployed_as_many_are(frame, cells):
    """Also where its column is no text, as that of a missing cell alone."""
    fitted = small(constraints=Constraints(encode="onehot", must_include=["city"])).fit(frame, Y)
    model = fitted.pipeline(frame, Y)
    one = frame.iloc[:1].assign(city=pd.Series(cells, index=frame.index[:1]))
    many = pd.concat([frame.iloc[:1].assign(city=[None]), frame.iloc[1:]])
    np.testing.assert_array_equal(model.predict_proba(one), model.predict_proba(many)[:1])


def test_a_cost_is_paid_for_the_first_feature_of_a_column(frame):
    """The others cost nothing."""
    costs = dict(zip(frame, range(1, 8), strict=True))
    X, constraints, _ = one_hot_encode(frame, Constraints(costs=list(costs.values()), encode="onehot"))
    columns = labels(X)
    assert list(constraints.costs) == [costs[column] * (columns.index(column) == place)
                                       for place, column in enumerate(columns)]


def test_columns_of_one_name_are_named(frame):
    """As they stand in the table, not as what they would become."""
    with pytest.raises(ValueError, match=r"^X must have distinct column names, got 'city' \(2 times\)$"):
        one_hot_encode(pd.concat([frame, frame[["city"]]], axis=1), ONEHOT)


def test_categories_may_be_many(frame):
    """Whatever their number; as text they are too many."""
    many = np.array([f"v{row:02d}" for row in range(N)])
    found, _, encoding = one_hot_encode(frame.assign(city=pd.Categorical(many)), ONEHOT)
    assert encoding.values["city"] == many.tolist() and found.shape[1] == 4 + N + 2 * 3
    assert "city" not in one_hot_encode(frame.assign(city=many), ONEHOT)[2].values


def test_columns_that_are_not_read_are_not_encoded(frame):
    """They stay as they are."""
    found, constraints, encoding = one_hot_encode(frame, Constraints(exclude=["city"], encode="onehot"))
    assert list(encoding.values) == ["size", "band"]
    pd.testing.assert_series_equal(found["city"], frame["city"])
    assert [name for name, unread in zip(found, constraints.exclude, strict=True) if unread] == ["city"]


def test_values_of_several_types_are_in_the_order_of_their_text():
    """The same in every process, whatever order a set has."""
    assert sort_values({"b", 10, 9, "a", 1.5}) == [1.5, 10, 9, "a", "b"]
    assert sort_values({"b", "a"}) == ["a", "b"] and sort_values({10, 9}) == [9, 10]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_keeps_its_type(dtype):
    """And takes no more memory than it has to."""
    encoding = Encoding()
    encoding.take("b", ["y", None, "x"])
    found, names = encoding.encode(np.array([[1, 9], [2, 9], [3, 9]], dtype=dtype), ["a", "b"], {"b": ["y", None, "x"]})
    assert found.tolist() == [[1, 0, 1], [2, 0, 0], [3, 1, 0]] and found.dtype == dtype
    assert names == ["a", "b=x", "b=y"]


def test_rows_keep_their_labels_where_all_columns_are_encoded(frame):
    found = one_hot_encode(frame[["city", "size"]], ONEHOT)[0]
    pd.testing.assert_index_equal(found.index, frame.index)


@pytest.mark.slow
def test_constraints_are_on_the_columns_of_the_table(frame):
    """A column stands for its features, and its cost is paid once, by name, by index and by mask."""
    costs = np.arange(1.0, 8)
    mask = np.arange(7) == 1
    for must, never in ((["city"], ["band", "noise"]), ([1], [4, 6]), (mask, np.isin(np.arange(7), [4, 6]))):
        fitted = small(objectives=("uar", FeatureCost()), constraints=Constraints(
            must, never, {"both": ["age", "size"]}, costs, encode="onehot")).fit(frame, Y)
        front, names = fitted.pareto_front_, fitted.feature_names_in_.tolist()
        assert "band" in names and "band=" not in "".join(names)
        supports = pd.DataFrame(front.supports, columns=names)
        assert supports.filter(like="city=").all(axis=None) and not supports[["band", "noise"]].any(axis=None)
        together = supports[["age"]].join(supports.filter(like="size="))
        assert (together.nunique(axis=1) == 1).all()
        paid = 2 + 5 * supports["age"] + 3 * supports["old"] + 6 * supports["digits"]
        np.testing.assert_array_equal(front.cost, paid)


@pytest.mark.slow
def test_polars(frame):
    pl = pytest.importorskip("polars")
    table = frame[["age", "city", "noise"]].assign(city=frame["city"].astype(object).where(frame["city"].notna(), None))
    theirs = pl.DataFrame({"age": table["age"].to_numpy(), "city": table["city"].tolist(),
                           "noise": table["noise"].to_numpy()})
    fitted = small(constraints=ONEHOT).fit(table, Y)
    for kind in (pl.String, pl.Categorical, pl.Enum(["Rome", "Bern", "Oslo", "Nice"])):
        same = theirs.with_columns(pl.col("city").cast(kind))
        other = small(constraints__encode="onehot", constraints__must_include=["city"]).fit(same, Y)
        np.testing.assert_array_equal(other.feature_names_in_, fitted.feature_names_in_)
        wanted = one_hot_encode(table, ONEHOT)[0].to_numpy()[:, other.support_]
        np.testing.assert_array_equal(other.transform(same), wanted)
        assert other.set_output(transform="polars").transform(same).columns == other.get_feature_names_out().tolist()
        assert len(other.pipeline(same, Y).predict(same[:3])) == 3


def test_inside_a_column_transformer(frame):
    chosen = make_column_transformer((small(constraints=ONEHOT), ["age", "city"]), ("drop", ["noise"]),
                                     verbose_feature_names_out=False).fit(frame, Y)
    assert set(chosen.get_feature_names_out()) <= {"age", "city=Bern", "city=Oslo", "city=Rome"}


def test_a_table_without_such_columns_stays_as_it_is(frame):
    numbers = frame[["age", "old", "noise"]]
    fitted, other = small(constraints=ONEHOT).fit(numbers, Y), small().fit(numbers, Y)
    assert fitted.encoding_ is None
    np.testing.assert_array_equal(fitted.pareto_front_.objectives, other.pareto_front_.objectives)


@pytest.mark.parametrize("change, message", [
    (lambda frame: np.zeros((N, 2)), "^X must be a table of pandas or polars for constraints.encode='onehot', got "
                                     "ndarray$"),
    (lambda frame: frame.rename(columns={"age": 7}),
     "^X must have names of columns that are str for constraints.encode='onehot', got 7$"),
    (lambda frame: frame.assign(**{"city=Rome": 1}),
     r"^X must have distinct column names, got 'city=Rome' \(2 times\)$"),
    (lambda frame: frame.assign(city=[f"p{row}" for row in range(N)]),
     r"^X must hold numbers, but 1 column does not: 'city' \(\w+, text of 60 values, 'p0' in row 0\); .* text of at "
     "most 20 values "),
    (lambda frame: frame.assign(city=[1, "x"] * (N // 2)), r"1 column does not: 'city' \(object, 'x' in row 1\)"),
    (lambda frame: frame.assign(city=pd.Timestamp("2020")), r"1 column does not: 'city' \(datetime64"),
])
def test_what_cannot_be_encoded(frame, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        small(constraints=ONEHOT).fit(change(frame), Y)


def test_a_table_that_lacks_columns_of_the_fit(frame):
    fitted = small(constraints=Constraints(must_include=["city"], encode="onehot")).fit(frame, Y)
    with pytest.raises(ValueError, match="^X must have the columns that fit has encoded, got none called 'city'$"):
        fitted.transform(frame.drop(columns="city"))
