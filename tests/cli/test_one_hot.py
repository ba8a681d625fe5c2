"""`--encode`: columns of text as features `column=value`, of all formats and of test files."""

import html
import json
from pathlib import Path

import numpy as np
import pytest
from commands import run

from moeliga.cli.files import read_table
from moeliga.data.one_hot import Encoding

pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

FRAME = pd.DataFrame({"a": [1.5, 2.5, 3.5, 4.5], "city": ["Rome", "Oslo", None, "Rome"], "b": [1, 0, 1, 0],
                      "size": ["s", "m", "l", "m"], "y": ["u", "v", "u", "v"]})


def write(folder, frame, name="data.csv"):
    path = folder / name
    frame.to_parquet(path) if name.endswith(".parquet") else frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name, frame", [
    ("data.csv", FRAME), ("data.parquet", FRAME),
    ("dictionary.parquet", FRAME.astype({"city": "category", "size": "category"}))])
def test_text_becomes_what_get_dummies_makes_of_it(tmp_path, name, frame):
    """Columns stay in order; a missing value has zeros in all features."""
    table = read_table(write(tmp_path, frame, name), "y", encoding=Encoding())
    expected = pd.get_dummies(FRAME.drop(columns="y"), prefix_sep="=", columns=["city", "size"], dtype=float)
    assert table.feature_names.tolist() == ["a", "city=Oslo", "city=Rome", "b", "size=l", "size=m", "size=s"]
    np.testing.assert_array_equal(table.X, expected[table.feature_names])
    assert table.notes == ("Encoded 2 columns of text (in brackets the number of values): city (2), size (3).",)


def test_arff_too(tmp_path):
    path = tmp_path / "data.arff"
    path.write_text("@relation r\n@attribute c {x,z}\n@attribute y {u,v}\n@data\nx,u\n?,v\n z,u\n")
    np.testing.assert_array_equal(read_table(path, "y", encoding=Encoding()).X, [[1, 0], [0, 0], [0, 1]])


def test_too_many_values_are_no_category(tmp_path):
    frame = pd.DataFrame({"who": [f"p{i}" for i in range(21)], "size": ["s"] * 21, "y": range(21)})
    with pytest.raises(ValueError, match=r"but 1 column is not: 'who' \(text of 21 values\); encode as numbers, or "
                       "leave out with --drop who$"):
        read_table(write(tmp_path, frame), "y", encoding=Encoding())
    assert read_table(write(tmp_path, frame[:20]), "y", encoding=Encoding()).X.sum() == 40


def test_a_test_file_has_the_values_of_the_training_file(tmp_path):
    """Values that only the test file has become zeros, also if all of its values look like numbers."""
    train = pd.DataFrame({"c": ["1", "2", "x"], "d": ["u", "v", "u"], "y": [0, 1, 0]})
    known = read_table(write(tmp_path, train), "y", encoding=Encoding()).encoding
    test = pd.DataFrame({"c": ["2", "1", "7"], "d": ["w", None, "v"], "y": [0, 1, 0]})
    table = read_table(write(tmp_path, test, "test.csv"), "y", encoding=Encoding(known.values))
    assert table.feature_names.tolist() == ["c=1", "c=2", "c=x", "d=u", "d=v"]
    assert table.X.tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]


def test_a_name_that_is_there_already_is_refused(tmp_path):
    frame = pd.DataFrame({"c": ["x", "z"], "c=x": [1, 2], "y": [0, 1]})
    with pytest.raises(ValueError, match="two columns are called 'c=x'$"):
        read_table(write(tmp_path, frame), "y", encoding=Encoding())


def test_select_takes_or_leaves_the_values_of_a_column_together(tmp_path, monkeypatch, capsys, rng):
    """One group of features for each column, beside those of the user; FILE may follow the words of --drop."""
    monkeypatch.chdir(tmp_path)
    y = np.arange(60) % 2
    frame = pd.DataFrame({"id_1": range(60), "id_2": [f"p{i}" for i in range(60)], "a": rng.normal(size=60),
                          "b": 1.0 * y, "city": rng.choice(["Rome", "Oslo", "Bern"], 60), "y": y})
    write(tmp_path, frame)
    write(tmp_path, frame.assign(city="Nice"), "test.csv")
    status, out, _ = run(capsys, "select", "--target", "y", "--out", "run", "--honest", "none", "--generations", "2",
                         "--encode", "--feature-groups", "(a|b)", "--test", "test.csv", "--drop", "id_*", "data.csv")
    assert status == 0 and out.startswith("data.csv: 60 samples, 5 features, 2 classes.\n"
                                          "Encoded 1 column of text (in brackets the number of values): city (3).\n")
    settings = json.loads(Path("run/settings.json").read_text())
    assert settings["parameters"]["constraints.groups"] == {
        "a": ["a"], "b": ["b"], "city=": ["city=Bern", "city=Oslo", "city=Rome"]}
    assert settings["data"]["encoded"] == {"city": ["Bern", "Oslo", "Rome"]}
    assert "before encoding" in html.unescape(Path("run/report.html").read_text())
    settings["data"]["encoded"] = ["city"]
    Path("run/settings.json").write_text(json.dumps(settings))
    status, _, err = run(capsys, "show", "run")
    assert status == 2 and "settings.json: data.encoded must give the values of each column, as folders of" in err
    for line in Path("run/front.csv").read_text().splitlines()[1:]:
        assert line.count("city=") in (0, 3)
