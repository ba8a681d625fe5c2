"""What is fuzzed: our readers of files, with their seeds, what they may refuse, and what must hold of what they take.

A target is called with the bytes of a file. It ends quietly if they are refused in words that name the file, or if
what was read keeps the promises of the reader; anything else is a `Finding`.
"""

import argparse
import functools
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fuzz import seeds
from moeliga import ParetoFront
from moeliga.cli.feature_files import COSTS, GROUPS, MUST_INCLUDE, SUBSETS, resolve_names
from moeliga.cli.files import read_table
from moeliga.cli.run_folder import read_results
from moeliga.cli.values import split_names
from moeliga.results.rules import RULES
from moeliga.results.text import facts, front_lines, result_lines


class Finding(Exception):
    """A reader has done what it must not do."""


class Target(NamedTuple):
    """A reader under test.

    Attributes
    ----------
    run : callable(bytes, Path)
        Reads the bytes, as a file in the folder; raises a `Finding`, or whatever has escaped the reader.
    seeds : callable
        Returns inputs to begin with: list of bytes, all of them accepted.
    tokens : list of bytes
        What the format is made of.
    """

    run: object
    seeds: object
    tokens: list


def refused(call, names, kinds=(ValueError,)):
    """(what a call returns, False), or (None, True) where it refuses in words that hold one of `names`."""
    try:
        return call(), False
    except OSError as error:
        if error.errno is None:
            raise Finding(f"an OSError that no system has raised: {error}") from error
        return None, True
    except kinds as error:
        if type(error) not in kinds or not any(name in str(error) for name in names):
            raise Finding(f"{type(error).__name__} that names no file: {error}") from error
        return None, True


def holds(fact, promise):
    if not fact:
        raise Finding(f"not so: {promise}")


# tables


def archive(data, folder):
    path = folder / "data.npz"
    path.write_bytes(data)
    for options in ({}, {"drop": ["d"]}, {"drop": ["d"], "metadata": {"groups": "g", "sample_weight": "w"}}):
        table, failed = refused(lambda options=options: read_table(path, "y", **options), [str(path)])
        if not failed:
            check_table(table)


def check_table(table):
    """What `moeliga.cli.table.Table` promises."""
    n_samples, n_features = table.X.shape
    holds(n_samples and n_features and table.X.dtype in (np.float32, np.float64), "X is a table of floats")
    holds(not np.isinf(table.X).any(), "X is finite or missing")
    names = table.feature_names.tolist()
    holds(len(names) == len(set(names)) == n_features, "features have names, all different")
    holds(all(name.splitlines() == [name] and name.encode() for name in names), "a name is one line of text")
    for values in (table.y, *table.metadata.values()):
        holds(values.shape == (n_samples,) and values.dtype.kind in "biufU", "labels are text, numbers or booleans")
        holds(values.dtype.kind != "f" or not np.isnan(values).any(), "labels are not missing")
        np.unique(values)
    weights = table.metadata.get("sample_weight", np.zeros(1))
    holds(np.all(np.isfinite(weights)) and weights.min() >= 0, "weights are numbers >= 0")


def archive_entry(data, folder):
    """The first byte says which entry of an NPZ archive the others are."""
    if data:
        archive(seeds.with_entry(seeds.npz()[0], data[0], data[1:]), folder)


# files of features


def features_by(name, option, many):
    """A target for a file that an option names."""
    def run(data, folder):
        path = folder / name
        path.write_bytes(data)
        value = f"@{path}" if option == MUST_INCLUDE else str(path)
        answer, failed = refused(lambda: resolve_names({option: [value] if many else value}, seeds.FEATURES, ["label"]),
                                 [str(path), "--must-include", "source must be a front"])
        if not failed:
            check_features(option, answer[0][option])
    return run


def check_features(option, value):
    """Places of features, as the selector takes them."""
    places = range(len(seeds.FEATURES))
    if option == COSTS:
        holds(len(value) == len(places) and all(0 <= cost < np.inf for cost in value), "every feature has a cost")
    elif option == GROUPS:
        taken = [place for group in value.values() for place in group]
        holds(taken and len(taken) == len(set(taken)) and set(taken) <= set(places), "groups share no features")
    else:
        for subset in value if option == SUBSETS else [value]:
            holds(set(subset) <= set(places) and (subset or option == MUST_INCLUDE), "subsets hold features")


# results


def front_file(data, folder):
    path = folder / "front.json"
    path.write_bytes(data)
    front, failed = refused(lambda: ParetoFront.from_json(path), ["source must be a front"])
    if not failed:
        check_front(front)


def check_front(front):
    """It is written and read again as the same, and chooses by every rule or says why not."""
    holds(ParetoFront.from_json(front.to_json()).to_json() == front.to_json(), "a front comes back from JSON")
    for rule in RULES:
        chosen, failed = refused(lambda rule=rule: front.choose(rule), ["rule", "the front must have a member"])
        holds(failed or 0 <= chosen < len(front), "a rule chooses a member")


def results_folder(data, folder):
    """The first byte says which file of a folder of results the others are."""
    files = seeds.results()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    if data:
        (folder / list(files)[data[0] % len(files)]).write_bytes(data[1:])
    record, failed = refused(lambda: read_results(folder), [str(folder)])
    if not failed:
        check_front(record.front)
        holds(0 <= record.chosen < len(record.front), "the chosen member is one of the front")
        for lines in (front_lines(record, 80), result_lines(record), facts(record), record.ended()):
            holds(lines, "there is something to show")


# checkpoints


def checkpoint(data, folder):
    """Begin a search with a file, and lead it on where the file is taken."""
    path = folder / "search.npz"
    path.write_bytes(data)
    selector, failed = refused(lambda: seeds.search(path, 3).fit(*seeds.samples()), [f"checkpoint {str(path)!r} must"])
    if failed:
        holds(path.read_bytes() == data, "a file that is refused stays as it is")
        return
    front = selector.pareto_front_
    holds(len(front) and np.isfinite(front.objectives).all() and front.supports.any(axis=1).all(),
          "a search has a front")
    holds(all(len(column) == len(selector.history_["generation"]) for column in selector.history_.values()),
          "all columns of the history have one length")


def checkpoint_entry(data, folder):
    """The first byte says which entry of a checkpoint the others are."""
    if data:
        checkpoint(seeds.with_entry(seeds.checkpoint()[0], data[0], data[1:]), folder)


# texts of options


def option_text(data, folder):
    refused(lambda: split_names(data.decode(errors="replace")), ["must "], (argparse.ArgumentTypeError,))


JSON = [b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"9" * 400, b'"\\ud800"', b"[[[[[[[[", b"{}", b'"":']
NPY = [b"\x93NUMPY", b"'descr': '<f8'", b"'shape': (3,)", b"'|O'", b"'<U4'", b"'>i8'", b"'<M8[D]'", b"(-1,)",
       b"(99999999999,)", b"'fortran_order': True", b"[('a', '<f8')]", b"'<f8', (2,)"]
CSV = [b'"', b'""', b"\r", b"\0", b"\xff", b"NA", b"1_0", b"inf", b"1e999", b",,", b"y", b"\xef\xbb\xbf"]
TARGETS = {
    "npz": Target(archive, seeds.npz, [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", *NPY]),
    "npz-entry": Target(archive_entry, functools.partial(seeds.entries_of, seeds.npz), NPY),
    "groups": Target(features_by("groups.csv", GROUPS, False), seeds.groups, [*CSV, b"feature,group\n"]),
    "costs": Target(features_by("costs.csv", COSTS, False), seeds.costs, [*CSV, b"feature,cost\n", b"-1"]),
    "names": Target(features_by("names.txt", MUST_INCLUDE, True), seeds.names,
                    [b"*", b"[!a]", b"?", b"[z-a]", b"\xff", b"\0"]),
    "subset": Target(features_by("subset.txt", SUBSETS, True), seeds.subset, [b"\xff", b"\r", b"a\n"]),
    "subsets": Target(features_by("front.json", SUBSETS, True), seeds.front, JSON),
    "front": Target(front_file, seeds.front, [*JSON, b'"features": ', b'"cost": 1']),
    "results": Target(results_folder, seeds.files_of_results, [*JSON, *CSV, b'"held_out": {"scores": [1]}']),
    "checkpoint": Target(checkpoint, seeds.checkpoint, [b"PK\x03\x04", b"PK\x01\x02", *NPY]),
    "checkpoint-entry": Target(checkpoint_entry, functools.partial(seeds.entries_of, seeds.checkpoint), [*NPY, *JSON]),
    "options": Target(option_text, seeds.options,
                      [b"=", b",", b"{[]:1}", b"(", b"'", b"none", b"------", b"1e999", b"b''"]),
}
"""All of them, by name."""


def run(name, data, folder=None):
    """Call a target with the bytes of a file; in a folder, or in one that is made and removed."""
    if folder is not None:
        TARGETS[name].run(data, Path(folder))
        return
    with tempfile.TemporaryDirectory() as made:
        TARGETS[name].run(data, Path(made))
