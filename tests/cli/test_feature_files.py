"""What a command line says of features: the same as lists in Python; every refusal names the file, line and value."""

import numpy as np
import pytest

from moeliga import ParetoFront
from moeliga.cli.feature_files import COSTS, EXCLUDE, GROUPS, MUST_INCLUDE, SUBSETS, resolve_names

NAMES = ["id_a", "id_b", "x", "mean r", "mean s", "odd*", "odd1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(parameters):
    with pytest.raises(ValueError) as caught:
        resolve_names(parameters, NAMES, ["label"])
    return str(caught.value)


@pytest.mark.parametrize("texts, expected", [
    (["x"], ["x"]), (["mean *"], ["mean r", "mean s"]), (["id_?", "x"], ["id_a", "id_b", "x"]), (["odd*"], ["odd*"]),
    (["mean s", "mean *"], ["mean r", "mean s"]), (["@names.txt"], ["id_b", "mean r", "mean s"]),
])
@pytest.mark.parametrize("name", [MUST_INCLUDE, EXCLUDE])
def test_names_patterns_and_files(folder, name, texts, expected):
    """A name itself comes before the pattern that it could be; the order is that of the data, each once."""
    (folder / "names.txt").write_text("mean *\n\nid_b\n")
    given, shown = resolve_names({name: texts, "evaluation.n_splits": 3}, NAMES, [])
    assert shown == {name: expected}
    assert given == {name: [NAMES.index(feature) for feature in expected], "evaluation.n_splits": 3}


def test_groups_by_file_and_by_pattern(folder):
    """Features that are not named, or have an empty group, stand alone; dropped ones may be named."""
    text = '\ufefffeature, group\nmean r,m\n"mean s",m\nlabel,m\nx,\nid_b,i\n'
    (folder / "groups.csv").write_text(text, encoding="utf-8")
    given, shown = resolve_names({GROUPS: "groups.csv"}, NAMES, ["label"])
    assert shown[GROUPS] == {"m": ["mean r", "mean s"], "i": ["id_b"]}
    assert given[GROUPS] == {"m": [3, 4], "i": [1]}
    given, shown = resolve_names({GROUPS: r"(\w+)[_ ]\w"}, NAMES, [])
    assert shown[GROUPS] == {"id": ["id_a", "id_b"], "mean": ["mean r", "mean s"]}
    assert given[GROUPS] == {"id": [0, 1], "mean": [3, 4]}


def test_spaces_around_names_may_be_left_out(folder):
    """In options and files, if only one feature can be meant; an exact name comes first."""
    names = [" a", "lead", " lead", "b_1", " b_2"]
    (folder / "costs.csv").write_text("feature,cost\na,1\nlead,2\n lead,3\nb_1 ,4\n b_2,5\n")
    (folder / "start.txt").write_text("a\nlead\n b_2\n")
    given, shown = resolve_names({MUST_INCLUDE: ["a", "b_?"], EXCLUDE: ["lead"], COSTS: "costs.csv", GROUPS: "(.*)_.",
                             SUBSETS: ["start.txt"]}, names, [])
    assert given == {MUST_INCLUDE: [0, 3, 4], EXCLUDE: [1], COSTS: [1, 2, 3, 4, 5], GROUPS: {"b": [3, 4]},
                     SUBSETS: [[0, 1, 4]]}
    assert shown[MUST_INCLUDE] == [" a", "b_1", " b_2"] and shown[SUBSETS] == [[" a", "lead", " b_2"]]


def test_names_of_columns_left_out_mean_these(folder):
    """They do not mean other columns whose names differ only in spaces."""
    (folder / "costs.csv").write_text("feature,cost\na,1\n a,2\nb,3\n")
    given, _ = resolve_names({COSTS: "costs.csv", MUST_INCLUDE: [" a"]}, [" a", "b"], ["a"])
    assert given == {COSTS: [2, 3], MUST_INCLUDE: [0]}
    (folder / "start.txt").write_text("a\n")
    for parameters in ({MUST_INCLUDE: ["a"]}, {EXCLUDE: ["a,b"]}, {SUBSETS: ["start.txt"]}):
        with pytest.raises(ValueError, match="no feature is called 'a'"):
            resolve_names(parameters, [" a", "b"], ["a"])


def test_groups_by_a_pattern_do_not_see_spaces_around_names(folder):
    """A header may have a space behind each comma; a pattern that has the spaces matches too."""
    names = ["a1x", "a1y", " b1x", " b1y", " b2x"]
    _, shown = resolve_names({GROUPS: "(..).*"}, names, [])
    assert shown[GROUPS] == {"a1": ["a1x", "a1y"], "b1": [" b1x", " b1y"], "b2": [" b2x"]}
    _, shown = resolve_names({GROUPS: " (.).*"}, names, [])
    assert shown[GROUPS] == {"b": [" b1x", " b1y", " b2x"]}


def test_costs(folder):
    lines = [f"{name},{place / 2}" for place, name in reversed(list(enumerate(NAMES)))]
    (folder / "costs.csv").write_text("\n".join(["feature,cost", *lines]))
    given, shown = resolve_names({COSTS: "costs.csv"}, NAMES, [])
    np.testing.assert_array_equal(given[COSTS], np.arange(7) / 2)
    assert shown[COSTS]["x"] == 1.0


def test_subsets_of_lists_and_of_a_front(folder):
    (folder / "one.txt").write_text("x\nmean r\n")
    supports = np.array([[1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1, 0]], dtype=bool)
    values = np.array([[0.5], [0.6]])
    ParetoFront(supports, values, ["uar"], 0, values[:, 0].copy(), values.copy(), np.array(NAMES)).to_json("front.json")
    given, shown = resolve_names({SUBSETS: ["one.txt", "front.json"]}, NAMES, [])
    assert shown[SUBSETS] == [["x", "mean r"], ["id_a"], ["id_a", "odd*"]]
    assert given[SUBSETS] == [[2, 3], [0], [0, 5]]
    ParetoFront(supports, values, ["uar"], 0, values[:, 0].copy(), values.copy(), np.array(NAMES),
                source=["search", "all"]).to_json("all.json")
    assert resolve_names({SUBSETS: ["all.json"]}, NAMES, [])[0][SUBSETS] == [[0]]  # all features have no band


@pytest.mark.parametrize("name, value, content, message", [
    (MUST_INCLUDE, ["z"], "", "--must-include: no feature is called 'z'; there are 7 columns: id_a, id_b, x, mean r, "
     "mean s, odd*, odd1"),
    (EXCLUDE, ["z*"], "", "--exclude: no feature is called 'z*'; "),
    (GROUPS, "id_", "", "--feature-groups must be a file, or a regular expression with parentheses, got "),
    (GROUPS, "(id_", "", "--feature-groups must be a file or a regular expression, got '(id_': "),
    (GROUPS, "(q)", "", "--feature-groups must match the name of a feature, got '(q)'"),
    (GROUPS, "f.csv", "", "f.csv: the first line must be feature,group, got ''"),
    (GROUPS, "f.csv", "x,g\n", "f.csv: the first line must be feature,group, got 'x,g'"),
    (GROUPS, "f.csv", "feature,group\nx\n", "f.csv, line 2: must hold a feature and a group, got 'x'"),
    (GROUPS, "f.csv", "feature,group\nq,g\n", "f.csv, line 2: no feature is called 'q'; "),
    (GROUPS, "f.csv", "feature,group\nx,g\nx,h\n", "f.csv, line 3: 'x' must be named once"),
    (GROUPS, "f.csv", "feature,group\nx,\n", "f.csv: no feature has a group"),
    (GROUPS, "f.csv", 'feature,group\nx,"g\n', "f.csv, line 2: unexpected end of data"),
    (COSTS, "f.csv", "feature,cost\nx,-1\n",
     "f.csv, line 2: the cost of 'x' must be a finite number >= 0, got '-1'"),
    (COSTS, "f.csv", "feature,cost\nx,\n",
     "f.csv, line 2: the cost of 'x' must be a finite number >= 0, got ''"),
    (COSTS, "f.csv", "feature,cost\nx,1\n", "f.csv: every feature must have a cost, got none for 'id_a'"),
    (SUBSETS, ["f.csv"], "x\nq\n", "f.csv: no feature is called 'q'; "),
    (SUBSETS, ["f.csv"], "\n", "f.csv: a subset must have a feature"),
])
def test_refusals(folder, name, value, content, message):
    (folder / "f.csv").write_text(content)
    assert refusal({name: value}).startswith(message)


@pytest.mark.parametrize("name, value", [(MUST_INCLUDE, ["@f.csv"]), (GROUPS, "f.csv"),
                                         (COSTS, "f.csv"), (SUBSETS, ["f.csv"])])
def test_files_that_are_no_text(folder, name, value):
    """All of them name the file, the byte and its line."""
    (folder / "f.csv").write_bytes(b"feature,cost\n\xe9,1\n")
    assert refusal({name: value}) in ("f.csv: not UTF-8 text, found the byte 0xe9 in line 2; save the file as UTF-8, "
                                      "which Excel calls CSV UTF-8",
                                      "f.csv: the first line must be feature,group, got 'feature,cost'")


@pytest.mark.parametrize("pattern", ["(a{99999999999})", "(" * 20_000, "(?P<n>a)(?P<n>b)"],
                         ids=["large", "deep", "twice"])
def test_patterns_that_are_none(pattern):
    """Too large, too deeply nested, or wrong."""
    assert refusal({GROUPS: pattern}).startswith("--feature-groups must be a file or a regular expression, got ")


def test_absent_files(folder):
    for name, value in ((COSTS, "absent.csv"), (SUBSETS, ["absent.txt"]), (EXCLUDE, ["@absent"])):
        with pytest.raises(FileNotFoundError):
            resolve_names({name: value}, NAMES, [])
