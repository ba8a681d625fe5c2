"""Honest scores in tables and files, and back."""

import csv
import json
import math
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cross_fitted import assert_same_front, bits_of
from moeliga.results.front import ParetoFront
from moeliga.results.honesty import Honesty


def front_of(rng, n=6, n_folds=3, honest=True):
    """A front with members that were cross-fitted, one that was not, and one that a fold has no score of."""
    supports = rng.random((n, 8)) < 0.5
    objectives, folds = rng.random((n, 2)), rng.normal(size=(n, n_folds))
    score = folds.mean(axis=1)
    folds[1], score[1], folds[2, 1:2] = np.nan, np.nan, np.nan
    return ParetoFront(supports, objectives, ("uar", "cardinality"), 0, rng.random(n), rng.random((n, 2)),
                       np.array([f"x{f}" for f in range(8)]),
                       source=np.array(["search", "forest", "all"])[np.arange(n) % 3],
                       honest=Honesty(score, folds, 0.3) if honest else None)


@pytest.mark.parametrize("options", [{}, {"n_folds": 1}, {"n": 3, "n_folds": 5}, {"honest": False}], ids=str)
def test_a_front_comes_back_from_json_with_its_honest_scores(rng, tmp_path, options):
    """Bit for bit, also from a file; and sources without honest scores."""
    front = front_of(rng, **options)
    front.to_json(tmp_path / "front.json")
    for again in (ParetoFront.from_json(front.to_json()), ParetoFront.from_json(tmp_path / "front.json")):
        assert_same_front(again, front)
        assert again.to_json() == front.to_json()


def test_a_front_without_members_comes_back(rng):
    """With the share, which is all that it has."""
    again = ParetoFront.from_json(front_of(rng).part(np.zeros(6, dtype=bool)).to_json())
    assert len(again) == 0
    assert again.honest.share == 0.3


def test_csv_has_honest_scores_as_they_are(rng, tmp_path):
    """An unknown one is an empty cell; `float` gives the bits back."""
    front = front_of(rng)
    front.to_csv(tmp_path / "front.csv")
    with open(tmp_path / "front.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in ("honest_score", "honest_se"):
        found = np.array([float(row[name]) if row[name] else math.nan for row in rows])
        assert bits_of(found) == bits_of(getattr(front, name))
    assert [row["source"] for row in rows] == front.source.tolist()
    assert np.isnan(front.honest_se[1])
    assert np.isfinite(front.honest_se[[0, 3, 4, 5]]).all()


def test_a_notebook_shows_where_members_come_from(rng):
    front = front_of(rng)
    rows = [re.findall("<td>(.*?)</td>", row) for row in front._repr_html_().split("<tr>")[2:]]
    names = list(front.columns())
    assert [row[names.index("source")] for row in rows] == front.source.tolist()
    assert [row[names.index("honest_score")] for row in rows] == [
        "" if math.isnan(score) else f"{score:.3f}" for score in front.honest_score]
    assert [row[names.index("n_selected")] for row in rows] == [str(size) for size in front.n_selected]


def test_tables_of_other_libraries_have_honest_scores(rng, tmp_path):
    """pandas and Parquet."""
    front = front_of(rng)
    pytest.importorskip("pandas")
    frame = front.to_frame()
    assert_array_equal(frame["honest_score"], front.honest_score)
    assert_array_equal(frame["honest_se"], front.honest_se)
    assert frame["source"].tolist() == front.source.tolist()
    parquet = pytest.importorskip("pyarrow.parquet")
    front.to_parquet(tmp_path / "front.parquet")
    table = parquet.read_table(tmp_path / "front.parquet").to_pydict()
    assert table["source"] == front.source.tolist()
    assert table["honest_score"] == [None if score != score else score for score in front.honest_score.tolist()]


@pytest.mark.quick(6)
@pytest.mark.parametrize(("entry", "value", "message"), [
    ("honest_score", "0.5", "honest_score must be a number, got '0.5'"),
    ("honest_score", True, "honest_score must be a number, got True"),
    ("honest_score", math.inf, "honest_score must be finite, got inf"),
    ("honest_folds", None, "honest_folds must have 3 numbers for each member, got None"),
    ("honest_folds", 3, "honest_folds must have 3 numbers for each member, got 3"),
    ("honest_folds", {"a": 1, "b": 2, "c": 3}, "honest_folds must have 3 numbers for each member, got {"),
    ("honest_folds", [0.5, 0.5], "honest_folds must have 3 numbers for each member, got 2"),
    ("honest_folds", [0.5, 0.5, "x"], "honest_folds must be a number, got 'x'"),
    ("honest_folds", [0.5, 0.5, math.nan], "honest_folds must be finite, got nan"),
    ("honest_folds", [0.5, 0.5, 10**400], "honest_folds must be finite, got 1000"),
    ("source", 3, "source must be a list of names, got ["),
    ("source", "a\0", "source must hold no null characters, got ["),
    ("source", None, "source must be a list of names, got ["),
    ("source", "a" * 400_000, "source must be short, got 400,000 characters"),
    ("share", -0.5, "share must be >= 0, got -0.5"),
    ("share", None, "share must be a number, got None"),
    ("share", [1], "share must be a number, got [1]"),
    ("share", math.nan, "share must be finite, got nan"),
])
def test_other_entries_are_refused(rng, entry, value, message):
    """In a front of many members, naming the entry and the value."""
    front = front_of(rng, n=3)
    content = json.loads(front.part(np.arange(1200) % 3).to_json())
    (content if entry == "share" else content["members"][5])[entry] = value
    with pytest.raises(ValueError) as error:
        ParetoFront.from_json(json.dumps(content))
    assert str(error.value).startswith(f"source must be a front that to_json has written: {message}")


@pytest.mark.parametrize("entry", ["honest_score", "honest_folds", "source"])
def test_an_entry_that_is_missing_is_refused(rng, entry):
    """By its name."""
    content = json.loads(front_of(rng).to_json())
    del content["members"][2][entry]
    with pytest.raises(ValueError, match=f"'{entry}' is missing"):
        ParetoFront.from_json(json.dumps(content))


def test_a_part_has_its_honest_scores(rng):
    """And its sources."""
    front = front_of(rng)
    part = front.part([4, 1])
    assert_array_equal(part.honest.folds, front.honest.folds[[4, 1]])
    assert_array_equal(part.source, front.source[[4, 1]])
    assert part.honest.share == 0.3


def test_a_part_has_what_the_whole_has(rng):
    """Of its members, in their order; what is of the front alone stays as it is."""
    objectives, rows = rng.random((5, 2)), [4, 1]
    front = ParetoFront(rng.random((5, 8)) < 0.5, objectives, ("uar", "cardinality"), 1, rng.random(5),
                        rng.random((5, 2)), np.arange(8).astype(str), rng.random(5), 7, judges={"one": rng.random(5)})
    part = front.part(rows)
    for name in ("supports", "objectives", "score", "score_se", "search_objectives", "n_selected", "cost"):
        assert_array_equal(getattr(part, name), getattr(front, name)[rows])
    assert_array_equal(part.judges["one"], front.judges["one"][rows])
    assert_array_equal(part.feature_names, front.feature_names)
    assert (part.names, part.primary, part.n_rescore_splits) == (("uar", "cardinality"), 1, 7)
