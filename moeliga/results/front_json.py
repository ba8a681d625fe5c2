"""Write a Pareto front as JSON, and read it with checks that name what is wrong."""

import json
import reprlib
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_count, check_flag, check_number
from moeliga.results.honesty import Honesty

FORMAT, VERSION = "moeliga.ParetoFront", 1
"""The entries "format" and "version" of a JSON file."""

LARGEST_SHARE = 500
"""Most cells of a table for each character of the text: damaged texts must not take much memory. A front of up to 3,000
members has fewer, as each feature has a name."""


def front_to_json(front: Any) -> str:
    """Return a `ParetoFront` as JSON text in the format that `ParetoFront.to_json` documents."""
    sourced = front.honest is not None or any(front.source != "search")
    members: list[dict[str, Any]] = []
    for i, support in enumerate(front.supports):
        member = {"features": np.flatnonzero(support).tolist(), "objectives": front.objectives[i].tolist(),
                  "score_se": none_for_nan(front.score_se[i].item()),
                  "search_objectives": front.search_objectives[i].tolist()}
        member |= {"cost": front.cost[i].item()} if front.cost is not None else {}
        member |= {"source": str(front.source[i])} if sourced else {}
        if front.honest is not None:
            member |= {"honest_score": none_for_nan(front.honest.score[i].item()),
                       "honest_folds": list(map(none_for_nan, front.honest.folds[i].tolist()))}
        member |= {"judges": [scores[i].item() for scores in front.judges.values()]} if front.judges else {}
        members.append(member)
    return json.dumps({
        "format": FORMAT,
        "version": VERSION,
        "feature_names": front.feature_names.tolist(),
        "objective_names": list(front.names),
        "primary": front.primary,
        "n_rescore_splits": front.n_rescore_splits,
        **({} if front.honest is None else {"share": front.honest.share}),
        **({"constant": True} if front.honest is not None and front.honest.constant else {}),
        **({"unit": False} if front.honest is not None and not front.honest.unit else {}),
        **({"judges": list(front.judges)} if front.judges else {}),
        "members": members,
    }, allow_nan=False)


def none_for_nan(value: Any) -> Any:
    """Return None for NaN, which JSON lacks, else the value."""
    return None if value != value else value


def parse_front(text: str | bytes) -> dict[str, Any]:
    """Return the arguments of `ParetoFront` from JSON text: dict; ValueError says what is wrong with the text."""
    try:
        content = json.loads(text)
        if content.get("format") != FORMAT:
            raise ValueError(f"format must be {FORMAT!r}, got {content.get('format')!r}")
        if type(content["version"]) is not int or content["version"] != VERSION:  # True == 1 == 1.0
            raise ValueError(f"version must be {VERSION}, got {content['version']!r}")
        feature_names, names = texts(content, "feature_names"), texts(content, "objective_names")
        if len(set(names)) != len(names):
            raise ValueError(f"objective_names must be distinct, got {names}")
        members, primary = content["members"], content["primary"]
        check_number("primary", primary, Integral, 0, len(names), closed="left")
        for what, n in (("members", len(members)), ("characters of a name", max(map(len, feature_names)))):
            if n * len(feature_names) > LARGEST_SHARE * len(text):
                raise ValueError(f"{n:,} {what} and {len(feature_names):,} features are too many for a text of "
                                 f"{len(text):,} characters")
        supports = np.zeros((len(members), len(feature_names)), dtype=bool)
        for support, member in zip(supports, members, strict=True):
            for feature in member["features"]:
                support[check_number("features", feature, Integral, 0, len(support), closed="left")] = True
        tables = {name: np.array([numbers(name, member[name], len(names)) for member in members])
                  .reshape(-1, len(names)) for name in ("objectives", "search_objectives")}
        errors = [np.nan if member["score_se"] is None else check_number("score_se", member["score_se"], Real, 0)
                  for member in members]
        costs = [check_number("cost", member["cost"], Real, 0) for member in members if "cost" in member]
        if len(costs) not in (0, len(members)):
            raise ValueError(f"cost must be given for all members or none, got {len(costs)} of {len(members)}")
        return {
            "supports": supports, "names": names, "primary": primary, **tables,
            "score_se": np.array(errors, dtype=np.float64),
            "feature_names": np.array(feature_names),
            "cost": np.array(costs, dtype=np.float64) if costs else None,
            "n_rescore_splits": check_count("n_rescore_splits", content["n_rescore_splits"], 0),
            "source": sources(members, len(text)) if members and "source" in members[0] else None,
            "honest": honesty(content, members) if "share" in content else None,
            "judges": judges(content, members) if "judges" in content else None,
        }
    except KeyError as error:
        raise ValueError(f"source must be a front that to_json has written: {error} is missing") from error
    except (AttributeError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"source must be a front that to_json has written: {error}") from error


def sources(members: list[dict[str, Any]], n_characters: int) -> NDArray[np.str_]:
    """Return the sources of members in a text of `n_characters`: ndarray of str."""
    found = texts({"source": [member["source"] for member in members]}, "source")
    longest = max(map(len, found))
    if longest * len(found) > LARGEST_SHARE * n_characters:
        raise ValueError(f"source must be short, got {longest:,} characters")
    return np.array(found)


def honesty(content: Mapping[str, Any], members: list[dict[str, Any]]) -> Honesty:
    """Return the honest scores of a cross-fitted search: Honesty."""
    score = numbers("honest_score", [member["honest_score"] for member in members], len(members), unknown=True)
    n_folds = len(members[0]["honest_folds"]) if members else 0
    folds = [numbers("honest_folds", member["honest_folds"], n_folds, unknown=True) for member in members]
    constant, unit = content.get("constant", False), content.get("unit", True)
    check_flag("constant", constant)
    check_flag("unit", unit)
    return Honesty(np.array(score, dtype=np.float64), np.array(folds, dtype=np.float64).reshape(len(members), n_folds),
                   float(check_number("share", content["share"], Real, 0)), constant, unit)


def judges(content: Mapping[str, Any], members: list[dict[str, Any]]) -> dict[str, NDArray[np.float64]]:
    """Return the scores of several judges: dict from name to ndarray of float64, shape (m,)."""
    names = texts(content, "judges")
    if len(set(names)) != len(names):
        raise ValueError(f"judges must be distinct, got {names}")
    scores = np.array([numbers("judges", member["judges"], len(names)) for member in members], dtype=np.float64)
    return dict(zip(names, scores.reshape(-1, len(names)).T, strict=True))


def texts(content: Mapping[str, Any], name: str) -> list[str]:
    """Return the entry `name` of a JSON object; ValueError unless it is a non-empty list of str."""
    values = content[name]
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} must be a list of names, got {reprlib.repr(values)}")
    if b"\0" in "".join(values).encode():  # NumPy drops them; encode() refuses half a surrogate pair
        raise ValueError(f"{name} must hold no null characters, got {reprlib.repr(values)}")
    return values


def numbers(name: str, values: list[object], n: int, unknown: bool = False) -> list[float]:
    """Return n finite numbers as floats, with `unknown` NaN for None; TypeError or ValueError for others."""
    if not isinstance(values, list) or len(values) != n:
        got = len(values) if isinstance(values, list) else reprlib.repr(values)
        raise ValueError(f"{name} must have {n} numbers for each member, got {got}")
    return [np.nan if unknown and value is None else float(check_number(name, value, Real)) for value in values]
