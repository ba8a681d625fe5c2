"""Commands: how the tests of the command line run them, and the data that they are for."""

import csv
import os
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

import moeliga
from moeliga.cli.files import read_table
from moeliga.cli.main import main

PNG = b"\x89PNG\r\n\x1a\n"
ENVIRONMENT = os.environ | {"PYTHONUTF8": "1", "PYTHONPATH": str(Path(moeliga.__file__).parents[1])}
"""Of commands in another process: this package, and text in UTF-8."""

DATA = ["select", "wine.csv", "--target", "class", "--drop", "id", "--out", "run"]

SELECT = [*DATA, "--honest", "none", "--sizes", "none", "--population", "90", "--local-improvement", "parent",
          "--generations", "6"]
"""One search, without honest scores."""

HONEST = [*DATA, "--honest", "3", "--estimator", "GaussianNB", "--population", "20", "--generations", "3",
          "--n-jobs", "1"]
"""A search that is made again on three folds."""


def write_wine():
    """Write the wine data as CSV; the identifier is no feature, one name has a semicolon."""
    data = load_wine()
    names = ["id", *data.feature_names[:-1], "proline; raw", "class"]
    with open("wine.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(names)
        for i, row in enumerate(data.data):
            lines.writerow([f"w{i}", *row, data.target_names[data.target[i]]])
    return data


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def run(capsys, *argv):
    """Exit status, standard output and standard error of a command."""
    try:
        status = main(list(argv))
    except SystemExit as caught:
        status = caught.code
    return status, *capsys.readouterr()


def refusal(path, target="y", **options):
    """Return the message by which a reader refuses a file, without the folder of the test."""
    with pytest.raises(ValueError) as caught:
        read_table(path, target, **options)
    return str(caught.value).replace(f"{path.parent}/", "")
