"""Options about features, from names to indices: names, patterns, and files of groups, costs and subsets."""

import csv
import io
import os
import re
from pathlib import Path

import numpy as np

from moeliga.cli.names import canonical_names, check_known, matching_names
from moeliga.cli.table import parse_cell
from moeliga.cli.text_files import read_text
from moeliga.results.front import ParetoFront

MUST_INCLUDE, EXCLUDE, GROUPS, COSTS, SUBSETS = (
    "constraints.must_include", "constraints.exclude", "constraints.groups", "constraints.costs", "init.subsets")
"""Paths of the parameters of the selector that concern features."""


def resolve_names(parameters, names, dropped, encoded=None):
    """Return two dicts: all parameters with indices of features in place of names, and those about features with names.

    `parameters` are as `moeliga.cli.options.parameters_of` returns them, `names` the names of all features. Files of
    groups and costs may also name the columns in `dropped`, without effect. `encoded` maps each encoded column of text
    to the features made of it. A ValueError or OSError names the option or the file.
    """
    given, shown = dict(parameters), {}
    index_of = {name: f for f, name in enumerate(names)}
    for path, flag in ((MUST_INCLUDE, "--must-include"), (EXCLUDE, "--exclude")):
        if path in given:
            shown[path] = matching_names(flag, given[path], names, others=dropped)
            given[path] = [index_of[feature] for feature in shown[path]]
    if GROUPS in given or encoded:
        own = groups_of(given[GROUPS], names, dropped) if GROUPS in given else {}
        taken = {feature for features in own.values() for feature in features}
        shown[GROUPS] = own | {f"{column}=": features for column, features in (encoded or {}).items()
                               if taken.isdisjoint(features)}
        given[GROUPS] = {group: [index_of[name] for name in features] for group, features in shown[GROUPS].items()}
    if COSTS in given:
        shown[COSTS] = read_costs(given[COSTS], names, dropped)
        given[COSTS] = [shown[COSTS][name] for name in names]
    if SUBSETS in given:
        shown[SUBSETS] = [subset for path in given[SUBSETS] for subset in subsets_of(path, names, dropped)]
        given[SUBSETS] = [[index_of[feature] for feature in subset] for subset in shown[SUBSETS]]
    return given, shown


def read_pairs(path, second, names, dropped):
    """Yield (where, feature, text) for each row of a CSV file with the columns feature and `second`. `where` is the
    file and line for messages, `text` the cell of `second`. Rows of features in `dropped` are left out."""
    canonical, dropped, seen = canonical_names(names, dropped), canonical_names(dropped, names), set()
    lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = [cell.strip() for cell in next(filter(None, lines), [])]
        if header != ["feature", second]:
            raise ValueError(f"{path}: the first line must be feature,{second}, got {','.join(header)!r}")
        for cells in filter(None, lines):
            where = f"{path}, line {lines.line_num}"
            if len(cells) != 2:
                raise ValueError(f"{where}: must hold a feature and a {second}, got {','.join(cells)!r}")
            text, value = cells[0], cells[1].strip()
            text = text if text in canonical or text in dropped else text.strip()
            feature = canonical.get(text, text)
            if feature in seen:
                raise ValueError(f"{where}: {feature!r} must be named once")
            seen.add(feature)
            if feature in canonical:
                yield where, feature, value
            elif feature not in dropped:
                check_known(where, [feature], names, "feature")
    except csv.Error as error:
        raise ValueError(f"{path}, line {lines.line_num}: {error}") from error


def groups_of(text, names, dropped):
    """Return the features of each group (dict); `text` is a file, or a pattern with the group in parentheses."""
    if os.path.exists(text):
        pairs = [(feature, group) for _, feature, group in read_pairs(text, "group", names, dropped) if group]
        problem = f"{text}: no feature has a group"
    else:
        pairs = pairs_by_pattern(text, names)
        problem = f"--feature-groups must match the name of a feature, got {text!r}"
    if not pairs:
        raise ValueError(problem)
    groups = {}
    for feature, group in pairs:
        groups.setdefault(group, []).append(feature)
    return groups


def pairs_by_pattern(pattern, names):
    """Return a list of (feature, text in the first parentheses) for the names that match a regular expression."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"--feature-groups must be a file or a regular expression, got {pattern!r}: "
                         f"{error}") from error
    if not compiled.groups:
        raise ValueError(f"--feature-groups must be a file, or a regular expression with parentheses, got {pattern!r}")
    matches = [(name, compiled.fullmatch(name.strip()) or compiled.fullmatch(name)) for name in names]
    return [(name, found[1].strip()) for name, found in matches if found and found[1] is not None]


def read_costs(path, names, dropped):
    """Return the cost of each feature (dict) as a file gives it; raise ValueError unless every feature has one."""
    costs = {}
    for where, feature, text in read_pairs(path, "cost", names, dropped):
        cost = parse_cell(text)
        if cost is None or not cost >= 0:
            raise ValueError(f"{where}: the cost of {feature!r} must be a finite number >= 0, got {text!r}")
        costs[feature] = cost
    for name in names:
        if name not in costs:
            raise ValueError(f"{path}: every feature must have a cost, got none for {name!r}")
    return costs


def subsets_of(path, names, dropped):
    """Return the subsets in a file (list of lists of names): the names on its lines, or from a front.json the members
    that a search has found; other members (of rankings, all features) are left out, as every search adds its own."""
    if path.endswith(".json"):
        front = ParetoFront.from_json(Path(path))
        subsets = [front.features(i) for i in np.flatnonzero(front.source == "search")]
    else:
        subsets = [[line for line in read_text(path).splitlines() if line.strip()]]
    canonical = canonical_names(names, dropped)
    subsets = [[canonical.get(name, name) for name in subset] for subset in subsets]
    for subset in subsets:
        check_known(path, subset, names, "feature")
        if not subset:
            raise ValueError(f"{path}: a subset must have a feature")
    return subsets
