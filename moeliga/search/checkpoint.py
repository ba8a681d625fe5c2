"""Checkpoints: a search on disk, to go on after a crash, a shutdown or a limit as if nothing had happened."""

import contextlib
import io
import json
import os
import warnings
import zipfile
from importlib.metadata import version
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from moeliga.base.checks import check_number
from moeliga.base.hashing import digest
from moeliga.results.json_values import plain
from moeliga.search.population import Population, parted

FORMAT, VERSION = "moeliga.checkpoint", 5
"""What a file says it is."""

NEUTRAL = ("callbacks", "checkpoint", "evaluation.n_rescore_splits", "max_evaluations", "max_time", "n_generations",
           "n_jobs", "patience", "random_state", "rule", "verbose")
"""Parameters of the selector that may change before a search goes on: they say how far it goes and how it is shown and
chosen from, not what it does. (random_state counts by the seed that it stands for.)"""

HISTORY = ("generation", "hypervolume", "best_score", "best_score_size", "min_size", "median_size", "max_size",
           "front_size", "archive_size", "n_replaced", "n_initial", "n_samples", "n_evaluations", "seconds")
"""Columns of the history of a search."""

ARRAYS = {  # name: (dtype, number of dimensions)
    "bits": ("<u8", 2), "objectives": ("<f8", 2), "n_scored": ("<i8", 1),
    "initial_bits": ("<u8", 2), "initial_objectives": ("<f8", 2),
    "archive_bits": ("<u8", 2), "archive_objectives": ("<f8", 2),
    "survival": ("<i8", 1),
}


class Saver:
    """Saves a search, and brings it back.

    Parameters
    ----------
    setting : Checkpoint
    search : Search
    marks : dict from str to what JSON holds
        What the search goes with: version, data, parameters, seed.
    """

    def __init__(self, setting, search, marks):
        self.path, self.every = Path(setting.path), setting.every
        self.search, self.marks = search, marks
        self.latest, self.saved = None, -1

    def keep(self, progress):
        """A generation is complete."""
        archive, budget = self.search.archive, self.search.budget
        known = (np.zeros((0, progress.population.bits.shape[1]), dtype=np.uint64),
                 np.zeros((0, progress.population.objectives.shape[1])))
        if archive is not None:
            known = archive.bits, archive.objectives
        population, initial = progress.population, progress.initial
        self.latest = {
            "generation": progress.generation,
            "n_evaluations": budget.n_evaluations,
            "seconds": budget.seconds,
            "best": progress.waiting.best,
            "waited": progress.waiting.waited,
            "replaced": list(progress.replaced),
            "history": {name: list(column) for name, column in progress.history.items()},
        }, {
            "bits": population.bits, "objectives": population.objectives, "n_scored": population.n_scored,
            "initial_bits": initial.bits, "initial_objectives": initial.objectives,
            "archive_bits": known[0], "archive_objectives": known[1], "survival": progress.survival.last.copy(),
        }
        if progress.generation % self.every == 0:
            self.save()

    def save(self):
        """Write the last complete generation, if it is not on the disk yet. What goes wrong is a warning: the search
        itself is worth more."""
        if self.latest is None or self.latest[0]["generation"] == self.saved:
            return
        state, arrays = self.latest
        content = io.BytesIO()
        head = {"format": FORMAT, "version": VERSION, "marks": self.marks, "state": state}
        np.savez(content, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
        try:
            replace(self.path, content.getbuffer())
        except OSError as error:
            warnings.warn(f"the checkpoint could not be written, the search goes on: {error}", RuntimeWarning,
                          stacklevel=2)
        else:
            self.saved = state["generation"]

    def load(self, progress):
        """Bring a search back to where the file says; nothing happens without a file.

        Raises
        ------
        ValueError : if the file is not a checkpoint, is damaged, or goes with something else, saying what.
        OSError : if it cannot be read.
        """
        if not self.path.exists():
            return
        head, arrays = read(self.path)
        differ = difference(head["marks"], self.marks)
        if differ:
            raise ValueError(f"checkpoint {str(self.path)!r} must go with this fit, but {differ}; choose another path, "
                             "or remove the file to begin again")
        try:
            self.restore(progress, head["state"], arrays)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(damaged(self.path, error)) from error
        self.saved = progress.generation

    def restore(self, progress, state, arrays):
        """Restore the search from what `read` returns; any error means that this search has not saved it."""
        search, chromosomes = self.search, self.search.space.chromosomes
        generation, history = check_number("generation", state["generation"], Integral, 0), state["history"]
        check_history(history, generation + 1)
        check_replaced(state["replaced"], history["n_replaced"], search.n_islands)
        waited = check_number("waited", state["waited"], Integral, 0)
        n_evaluations = check_number("n_evaluations", state["n_evaluations"], Integral, 0)
        seconds, best = check_number("seconds", state["seconds"], Real, 0), check_number("best", state["best"], Real)
        for name in ("", "initial_", "archive_"):
            self.check_subsets(name, arrays[f"{name}bits"], arrays[f"{name}objectives"])
        n = search.n_islands * self.marks["parameters"]["population_size"]
        n_given = len(progress.survival.last)
        if len(arrays["bits"]) != n or len(arrays["n_scored"]) != n or len(arrays["survival"]) != n_given:
            raise ValueError("bits, n_scored or survival have a wrong length")
        if arrays["n_scored"].min() < 1 or not np.all(np.isin(arrays["survival"], np.arange(-1, generation + 1))):
            raise ValueError(f"n_scored must be >= 1, and survival in [-1, {generation}]")
        population = Population(chromosomes(arrays["bits"]), arrays["objectives"], arrays["n_scored"])
        progress.settle(generation, [search.rate(island) for island in parted(population, search.n_islands)])
        first = arrays["initial_bits"], arrays["initial_objectives"]
        progress.initial = Population(chromosomes(first[0]), first[1], np.ones(len(first[0]), dtype=np.int64))
        if search.archive is not None:
            search.archive.restore(arrays["archive_bits"], arrays["archive_objectives"])
        progress.survival.last = arrays["survival"]
        progress.waiting.best, progress.waiting.waited = float(best), waited
        for row, replaced in enumerate(state["replaced"]):
            progress.note(row, replaced)
        progress.history.update({name: list(column) for name, column in history.items()})
        search.budget.go_on(n_evaluations, float(seconds))

    def check_subsets(self, name, bits, objectives):
        """Refuse chromosomes that the search does not allow, and objectives that it cannot have given."""
        space, n_objectives = self.search.space, len(self.search.objectives.terms)
        if bits.shape != (len(objectives), (space.n_groups + 63) // 64) or objectives.shape[1] != n_objectives:
            raise ValueError(f"{name}bits have the shape {bits.shape}, {name}objectives {objectives.shape}")
        if not len(bits) and name != "archive_":
            raise ValueError(f"{name}bits must not be empty")
        masks = space.masks(space.chromosomes(bits))  # raises if there is a bit in the padding
        sizes = masks.sum(axis=1) - space.n_forced
        if np.any((sizes < space.least) | (sizes > space.most)):
            raise ValueError(f"{name}bits must select {space.least} to {space.most} features")
        if not np.all(np.isfinite(objectives)):
            raise ValueError(f"{name}objectives must be finite")


def check_history(history, n):
    """Refuse what is not n numbers in each column."""
    if sorted(history) != sorted(HISTORY):
        raise ValueError(f"the history must have the columns {HISTORY}, got {sorted(history)}")
    for name, column in history.items():
        if not isinstance(column, list) or len(column) != n:
            raise ValueError(f"the history does not have {n} rows")
        for value in column:
            check_number(f"history[{name!r}]", value, Real)


def check_replaced(replaced, totals, n_islands):
    """Refuse what are not numbers >= 0 for each island that add up to those of all, in every generation."""
    if len(replaced) != len(totals):
        raise ValueError(f"replaced does not have {len(totals)} rows")
    for row, total in zip(replaced, totals, strict=True):
        numbers = [check_number("replaced", number, Integral, 0) for number in row]
        if len(numbers) != n_islands or sum(numbers) != total:
            raise ValueError(f"replaced must be {n_islands} numbers that add up to {total}, got {row!r}")


@contextlib.contextmanager
def saving(setting, search, progress, marks):
    """Context in which a search is saved; it begins where the file says.

    Parameters
    ----------
    setting : Checkpoint or None
        None = nothing is saved.
    search : Search
    progress : Progress
    marks : callable that returns `marks_of` the search

    Yields
    ------
    keep : callable
        To be called with the progress after each complete generation. The last of them is saved on leaving.
    """
    if setting is None:
        yield lambda progress: None
        return
    saver = Saver(setting, search, marks())
    saver.load(progress)
    try:
        yield saver.keep
    finally:
        saver.save()


def seed_in(path):
    """The seed of the search in a checkpoint: ndarray of uint64, shape (2,), or None without a file."""
    if not Path(path).exists():
        return None
    seed = read(path)[0]["marks"].get("seed")
    words = seed if isinstance(seed, list) else []
    if len(words) != 2 or not all(type(word) is int and 0 <= word < 2**64 for word in words):
        raise ValueError(damaged(path, f"its seed is {seed!r}"))
    return np.array(words, dtype=np.uint64)


def read(path):
    """(head, arrays) of a checkpoint; see `Saver.load` for errors."""
    try:
        with zipfile.ZipFile(path) as file:
            for entry in file.infolist():
                if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > os.path.getsize(path):
                    raise ValueError(f"{entry.filename} is compressed")  # no bombs
        with np.load(path, allow_pickle=False) as file:
            head = json.loads(file["head"].tobytes())
            if not isinstance(head, dict) or head.get("format") != FORMAT:
                raise ValueError("it has another format")
            if head["version"] != VERSION:
                raise ValueError(f"it has version {head['version']!r}, this moeliga reads version {VERSION}")
            if not isinstance(head["marks"], dict) or not isinstance(head["state"], dict):
                raise ValueError("its head is incomplete")
            arrays = {name: file[name] for name in ARRAYS}
        for name, (dtype, n_dimensions) in ARRAYS.items():
            if arrays[name].dtype != np.dtype(dtype) or arrays[name].ndim != n_dimensions:
                raise ValueError(f"{name} is {arrays[name].dtype} of {arrays[name].ndim} dimensions")
            arrays[name] = np.ascontiguousarray(arrays[name])
        return head, arrays
    except OSError:
        raise
    except Exception as error:  # whatever bytes may be in the file
        raise ValueError(damaged(path, error)) from error


def damaged(path, error):
    return f"checkpoint {os.fspath(path)!r} must be a file that moeliga has written, and whole: {error}"


def difference(old, new):
    """What differs between two marks, in words; empty if nothing."""
    for name in new:
        if name == "parameters":
            before, now = old.get(name, {}), new[name]
            changed = [key for key in {**now, **before} if before.get(key) != now.get(key)]
            if changed:
                key = changed[0]
                return f"it was made with {key}={before.get(key)!r}, got {now.get(key)!r}"
        elif name in ("version", "seed"):
            if old.get(name) != new[name]:
                return f"it was made with {name} {old.get(name)}, got {new[name]}"
        elif old.get(name) != new[name]:
            return f"it was made with another {name}"
    return ""


def replace(path, content):
    """Write bytes to a file such that there is always a whole one, the old or the new, also after a power failure."""
    beside = path.with_name(f".{path.name}.part")  # always the same: what a crash leaves there is written over
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    with contextlib.suppress(OSError):  # not every system can flush a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def marks_of(parameters, search, X, y, feature_names, metadata):
    """What a search goes with: dict of what JSON holds.

    Parameters
    ----------
    parameters : dict from str to object
        Of the selector, see `ShortForms.described`.
    search : Search
    X, y : the data
    feature_names : ndarray of str
    metadata : dict from str to array-like
    """
    neutral = set(NEUTRAL) - ({"n_generations"} if search.variation.schedule is not None else set())
    splits = getattr(search.objectives.scorer, "splits", None)
    return {
        "version": version("moeliga"),
        "X": digest(X),
        "y": digest(y),
        "feature names": digest(feature_names),
        "metadata": {name: digest(np.asarray(value)) for name, value in sorted(metadata.items()) if value is not None},
        "feature prior": None if search.prior is None else digest(search.prior.weights),
        "splits": None if splits is None else digest(splits.rows, splits.ends),
        "parameters": {name: plain(value) for name, value in sorted(parameters.items())
                       if name not in neutral and name != "cv"},
        "seed": [int(word) for word in search.seed],
    }
