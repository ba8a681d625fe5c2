"""The folder of results that `moeliga select` writes and `moeliga show` reads."""

import csv
import json
import os
import reprlib
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from moeliga.base.atomic_file import remove_stale_folders, temporary_folder
from moeliga.base.checks import check_count, check_number
from moeliga.cli.table import parse_labels
from moeliga.results.files import write_csv
from moeliga.results.front import ParetoFront
from moeliga.results.front_json import numbers
from moeliga.results.json_values import to_json
from moeliga.results.run_record import Record
from moeliga.results.summary import Summary
from moeliga.results.text import Names, Worth
from moeliga.visualisation.report import report_of
from moeliga.visualisation.svg import plot_front

FILES = ("front.csv", "front.json", "selected.txt", "history.csv", "settings.json", "report.html", "front.png")

STAGING = ".unfinished-"
"""Beginning of the names of the folders that hold results until all files are written."""

REQUIRED_ENTRIES = {"parameters": dict, "stop_reason": str, "n_evaluations": int, "versions": dict, "how": str,
                    "command": str, "file": str, "sha256": str, "data.n_samples": int, "data.named": bool}
HELD_OUT_ENTRIES = {"held_out.file": str, "held_out.n_samples": int, "held_out.sha256": str}
"""Entries that settings.json must have, and their types; the second only with held-out samples."""

HISTORY_COLUMNS = ("generation", "seconds", "archive_hypervolume", "best_score", "best_score_size", "min_size",
                   "median_size", "max_size")
"""Columns that history.csv must have."""


@contextmanager
def results_folder(path, force=False):
    """Yield a temporary folder whose FILES move to `path` when the block ends; if the block fails, none does.

    The folder `path` is made, and writing into it is tested, before the block begins. It must be empty unless `force`:
    then FILES in it are replaced, or removed if the block does not write them; none of FILES may be a folder there.
    Temporary folders that dead runs have left are removed.
    """
    if not os.fspath(path):
        raise ValueError("--out must name a folder, got ''")
    path = Path(path)
    new = not path.exists()
    if new and path.is_symlink():
        raise ValueError(f"{path} is a link to what does not exist")
    if not new and not path.is_dir():
        raise ValueError(f"{path} is not a folder")
    remove_stale_folders(path, STAGING)
    if not new and not force and any(not entry.name.startswith(".moeliga-") for entry in path.iterdir()):
        raise ValueError(f"{path} is not empty; choose another folder, or replace the results in it with --force")
    path.mkdir(parents=True, exist_ok=True)
    check_replaceable(path)
    try:
        with temporary_folder(path, STAGING, "results") as staging:
            yield staging
            check_replaceable(path)
            for name in FILES:
                with suppress(FileNotFoundError):
                    if Path(staging, name).exists():
                        os.replace(Path(staging, name), path / name)
                    else:
                        os.remove(path / name)
    except BaseException:
        if new:
            with suppress(OSError):
                path.rmdir()
        raise


def check_no_input_replaced(path, words):
    """Raise ValueError if a word of the command line names one of FILES in a folder, as an input or a checkpoint."""
    def real(name):
        with suppress(OSError):  # a relative name, but the working folder was removed
            return os.path.realpath(name)

    results = {real(os.path.join(path, name)) for name in FILES} - {None}
    for word in words:
        for name in (word, word.partition("=")[2]):
            if real(name.removeprefix("@")) in results:
                raise ValueError(f"--out {path} would replace {name.removeprefix('@')}, which the command names; "
                                 "choose another folder")


def check_replaceable(path):
    """Raise ValueError if one of FILES in a folder is itself a folder."""
    for name in FILES:
        if (path / name).is_dir() and not (path / name).is_symlink():
            raise ValueError(f"{path / name} is a folder, which the results must not replace; move it away")


def write_results(folder, record, title):
    """Write FILES into a folder; return the reason why there is no plot, or None. Names of files that are not UTF-8 are
    written with escapes."""
    front, chosen = record.front, record.chosen
    folder.mkdir(parents=True, exist_ok=True)  # if somebody has removed it, the search must not be lost
    front.to_csv(folder / "front.csv", chosen=chosen)
    front.to_json(folder / "front.json")
    (folder / "selected.txt").write_text("".join(f"{name}\n" for name in front.features(chosen)), encoding="utf-8")
    write_csv(folder / "history.csv", record.history)
    settings = {**record.settings, "score_names": record.names._asdict(), "summary": record.summary.to_settings(),
                "chosen": {"index": chosen, "how": record.how, "worth": record.worth_settings()}}
    if record.held_out is not None:
        settings["held_out"] = {**settings.get("held_out", {}), "scores": record.held_out}
    escaped = {"encoding": "utf-8", "errors": "backslashreplace"}
    (folder / "settings.json").write_text(to_json(settings) + "\n", **escaped)
    (folder / "report.html").write_text(report_of(record, title), **escaped)
    return save_plot(record, folder / "front.png")


def read_results(folder):
    """Return the `Record` that `write_results` has written; a ValueError says which file is invalid, and why."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder of results")
    path = folder / "front.json"
    if not path.exists():
        raise ValueError(f"{folder} is not a folder of results: it has no {path.name}")
    try:
        front = ParetoFront.from_json(path)
        path = folder / "settings.json"
        settings = json.loads(path.read_bytes())
        choice, held_out = settings.pop("chosen"), None
        front.choose(index=check_count("chosen.index", choice["index"], 0))
        if "held_out" in settings:
            held_out = np.array(numbers("held_out", settings["held_out"].pop("scores"), len(front)))
        summary = Summary.from_settings(settings.pop("summary"))
        worth = Worth(**{name: np.nan if value is None else check_number(f"chosen.worth.{name}", value, Real)
                         for name, value in choice["worth"].items()})
        check_types({**settings, "how": choice["how"]}, held_out is not None)
        names = Names(**settings.pop("score_names"))
        settings["parameters"]["evaluation.n_rescore_splits"]  # raises a KeyError if it is missing
        check_columns(settings["data"], front.n_features)
        path = folder / "history.csv"
        history = read_history(path)
    except KeyError as error:
        raise ValueError(f"{path}: not written by moeliga select: {error} is missing") from error
    except (AttributeError, RecursionError, TypeError, ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from error
    return Record(front, choice["index"], choice["how"], history, settings, names, summary, worth, held_out)


def check_types(settings, has_held_out):
    """Raise KeyError or ValueError unless settings hold the entries that they must have, of the right types."""
    entries = settings | {f"{part}.{name}": value for part in ("data", "held_out", "score_names", "versions")
                          if isinstance(settings.get(part), dict) for name, value in settings[part].items()}
    kinds = REQUIRED_ENTRIES | {name: str for name in entries if name.startswith(("score_names.", "versions."))}
    for name, kind in (kinds | HELD_OUT_ENTRIES if has_held_out else kinds).items():
        if not isinstance(entries[name], kind):
            raise ValueError(f"{name} must be of type {kind.__name__}, got {reprlib.repr(entries[name])}")


def check_columns(data, n_features):
    """Raise TypeError or ValueError for invalid dropped or encoded columns among the settings of the data."""
    dropped, encoded = data.get("dropped", []), data.get("encoded", {})
    for column in dropped:
        check_number("data.dropped", column, Integral, 0, n_features + len(dropped), closed="left")
    if dropped != sorted(set(dropped)):
        raise ValueError(f"data.dropped must ascend, got {reprlib.repr(dropped)}")
    if not isinstance(encoded, dict) or not all(isinstance(values, list) for values in encoded.values()):
        raise ValueError(f"data.encoded must give the values of each column, as folders of earlier versions do not,"
                         f" got {reprlib.repr(encoded)}")


def read_history(path):
    """Return the columns of history.csv: dict from str to ndarray of numbers."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file)) or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(f"row {number} must have {len(names)} values, got {len(row)}")
    columns = {name: parse_labels([row[i] for row in rows]) for i, name in enumerate(names)}
    for name in (*HISTORY_COLUMNS, *columns):
        if not len(columns[name]) or columns[name].dtype.kind not in "if":
            raise ValueError(f"{name} must hold numbers, got {reprlib.repr(columns[name].tolist())}")
    return columns


def save_plot(record, path):
    """Save a plot of the front as PNG; return the reason if it cannot be drawn, else None."""
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
        plot_front(record, figure.subplots())
        figure.savefig(path)
    except ImportError:
        return f"{path.name} needs matplotlib: pip install 'moeliga[plot]'"
    except Exception as error:  # any fault of matplotlib: the search must not be lost for a plot
        return f"{path.name} could not be drawn: {error}"
    return None
