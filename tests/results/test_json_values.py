"""Any parameter as JSON that a person can read."""

import functools
import json
import os
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga import Constraints, LocalImprovement, StaggeredInit
from moeliga.results.json_values import plain, to_json
from single_search import single_search


def named(front):
    return 0


class Odd:
    pass


fitted = SelectKBest(f_classif, k=1).fit([[0.1, 1], [1, 1.5], [0, 1], [1.1, 1]], [0, 1, 0, 1])


@pytest.mark.parametrize("value, expected", [
    (None, None), (True, True), (np.True_, True), (3, 3), (np.int64(3), 3), (2.5, 2.5), (np.float32(0.5), 0.5),
    ("text", "text"), (np.str_("text"), "text"), (float("nan"), "nan"), (-np.inf, "-inf"), (b"x", "b'x'"),
    ((1, (2, "a")), [1, [2, "a"]]), ({"b", "a"}, ["a", "b"]), (OrderedDict(x=1), {"x": 1}), ({1: 2}, {"1": 2}),
    (np.arange(3), [0, 1, 2]), (np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
    (np.array(["a", None], dtype=object), ["a", None]), (np.array([True, False, True]), {"mask of 3": [0, 2]}),
    (range(2), "range(0, 2)"), (named, f"{__name__}.named"), (np.mean, "numpy.mean"),
    (StandardScaler, "sklearn.preprocessing._data.StandardScaler"),
    (functools.partial(named, 1, a=2), {"functools.partial": [f"{__name__}.named", [1], {"a": 2}]}),
    (fitted, {"sklearn.feature_selection._univariate_selection.SelectKBest": {"support": [0]}}),
    (GroupKFold(n_splits=4), "GroupKFold(n_splits=4, random_state=None, shuffle=False)"),
    ([(np.array([0, 1]), np.array([2]))], [[[0, 1], [2]]]),
])
def test_values(value, expected):
    got = plain(value)
    assert got == expected and type(got) is type(expected)


def test_series_and_frames_are_lists(rng):
    pd = pytest.importorskip("pandas")
    assert plain(pd.Series([1, 2])) == [1, 2]
    assert plain(pd.Index(["a", "b"])) == ["a", "b"]


def test_estimators_have_their_names_and_parameters():
    model = make_pipeline(StandardScaler(), LogisticRegression(C=10))
    (name, parameters), = plain(model).items()
    assert name == "sklearn.pipeline.Pipeline"
    step, inner = parameters["steps"][1]
    assert step == "logisticregression" and inner["sklearn.linear_model._logistic.LogisticRegression"]["C"] == 10
    assert plain(LocalImprovement(every=9))["LocalImprovement"]["every"] == 9


def test_addresses_are_left_out():
    """The same text in every process."""
    assert "0x" not in json.dumps(plain([Odd(), np.random.RandomState(0), lambda x: x, np.random.default_rng(0)]))


def test_every_parameter_of_a_selector_can_be_written():
    """Arrays, lists of subsets, estimators, functions: strict JSON, the same when it is read."""
    selector = single_search(
        RandomForestClassifier(n_estimators=3), scoring=named, cv=StratifiedKFold(3),
        objectives=("uar", named, LocalImprovement()),
        init=StaggeredInit(subsets=[np.array([True, False]), ["a"], [0], fitted]),
        constraints=Constraints(groups={"g": ["a", "b"]}, costs=np.array([1.0, np.pi]), must_include=np.array(["a"])),
        rule=named, callbacks=[print], random_state=np.random.RandomState(3), max_time=np.float64(3))
    parameters = selector.get_params(deep=False)
    text = to_json(parameters)
    assert json.loads(text, parse_constant=pytest.fail) == plain(parameters)
    assert json.loads(text)["constraints"]["Constraints"]["costs"] == [1.0, np.pi]


@pytest.mark.parametrize("value", [
    {}, [], [[]], {"a": {}}, {"a": list(range(1000)), "b": [["x" * 60] * 3, {"c": ["y" * 200]}]}, [[1, 2]] * 100,
    "a\n\"b\" ü", {"é": [None, True]}, [{"a": 1}, {"b": ["z" * 90, "z" * 90]}],
], ids=str)
def test_the_layout_loses_nothing(value):
    assert json.loads(to_json(value)) == value


def test_lists_of_numbers_fill_their_lines():
    """Not one number a line: a line is as long as it may be, but for the last."""
    lines = to_json({"a": list(range(1000))}).splitlines()[2:-2]
    assert {90 < len(line) <= 100 for line in lines[:-1]} == {True} and len(lines[-1]) <= 100


def test_short_entries_stay_on_one_line():
    assert to_json({"a": {"b": [1, 2]}, "c": None}) == '{\n  "a": {"b": [1, 2]},\n  "c": null\n}'


def made(number, array=None, default=1):
    """A closure of a factory."""
    def objective(mask, X, y, least=default, *, most=default):
        return number * mask.sum() if array is None else array[mask].sum()

    return objective


def recursive(number):
    def itself(n):
        return itself(n - 1) * number if n else 1

    return itself


def looking(words):
    return eval(f"lambda mask, X, y: len({words}) in {{'a', 'b', 'c'}}")  # a set among the constants


def test_functions_are_told_apart_where_it_matters():
    """By their code, what they enclose, and their defaults; names alone where people read them."""
    functions = [made(1), made(2), made(1, np.arange(3)), made(1, np.arange(3) + 1), made(1, default=2), recursive(1),
                 recursive(2), lambda mask: 1, lambda mask: 2, lambda mask: [1 for _ in mask],
                 lambda mask: [2 for _ in mask], functools.partial(made(1), least=3),
                 functools.partial(made(2), least=3), made(made(1)), made(made(2)),
                 SelectKBest(made(1), k=2).fit, SelectKBest(made(1), k=3).fit]
    texts = [json.dumps(plain(function, ())) for function in functions]
    assert len(set(texts)) == len(functions)
    assert plain(made(1), ()) == plain(made(1), ()) and plain(recursive(1), ()) == plain(recursive(1), ())
    assert plain(made(1)) == plain(made(2)) == f"{__name__}.made.<locals>.objective"
    assert plain(len, ()) == "builtins.len" and max(map(len, texts)) < 800


@pytest.mark.slow
def test_functions_are_told_alike_in_another_process():
    """Though sets have another order there, and modules may have another name."""
    source = ("import json, sys; sys.path[:0] = sys.argv[1:]; from test_json_values import made, looking, plain; "
              "print(json.dumps([plain(made(1), ()), plain(looking([]), ())]))")
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    told = subprocess.run([sys.executable, "-c", source, *folders], env=os.environ | {"PYTHONHASHSEED": "7"},
                          capture_output=True, text=True, check=True).stdout
    assert json.loads(told)[0] == json.loads(json.dumps(plain(made(1), ())).replace(__name__, "test_json_values"))
    assert json.loads(told)[1] == json.loads(json.dumps(plain(looking([]), ())).replace(__name__, "test_json_values"))
