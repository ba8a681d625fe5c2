"""Checkpoints: a search is saved to a file, and goes on from there after a crash, a shutdown or a limit."""

import contextlib
import io
import json
import os
import threading
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from moeliga.base.atomic_file import claimed, replace
from moeliga.base.hashing import digest
from moeliga.base.text import cut
from moeliga.base.warning_filters import warn
from moeliga.results.json_values import plain

FORMAT, VERSION = "moeliga.checkpoint", 9
"""The name and the version of the file format."""

NEUTRAL = ("callbacks", "checkpoint", "evaluation.n_rescore_splits", "max_evaluations", "max_time", "n_generations",
           "n_jobs", "patience", "random_state", "rule", "verbose")
"""Parameters of the selector that may differ when a search goes on: they set how long it lasts, how it is shown and
which subset is chosen, not its generations. (random_state is compared by the seed that it gives.)"""


class Saver:
    """Saves and restores a search and those on its folds: a context manager, within which no other fit has the file.

    `setting` is a Checkpoint, None = nothing is saved; `marks` is a callable that returns `marks_of` the search.
    Searches in several threads may use one Saver at the same time.
    """

    def __init__(self, setting=None, marks=dict):
        self.saves = setting is not None
        self.state, self.unsaved, self.lock = {}, False, threading.RLock()
        self.claim = contextlib.ExitStack()
        if self.saves:
            self.path, self.every, self.marks = Path(setting.path), setting.every, marks()

    def __enter__(self):
        if self.saves:
            with contextlib.ExitStack() as claim:
                claim.enter_context(claimed(self.path, "checkpoint"))
                self.state = self.load()
                self.claim = claim.pop_all()
        return self

    def __exit__(self, *_):
        self.claim.close()

    def load(self):
        """Return the state in the file: dict, empty without a file.

        ValueError if the file is no checkpoint, is damaged or belongs to another fit, OSError if it cannot be read.
        """
        if not self.path.exists():
            return {}
        head, arrays = read(self.path)
        differ = difference(head["marks"], self.marks)
        if differ:
            raise ValueError(f"checkpoint {str(self.path)!r} must go with this fit, but {differ}; choose another path, "
                             "or remove the file to begin again")
        with self.damage_errors():
            return join_arrays(head["state"], arrays)

    @contextlib.contextmanager
    def damage_errors(self):
        """Turn errors within this context into a ValueError that the file is damaged."""
        try:
            yield
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(damage_message(self.path, error)) from error

    @contextlib.contextmanager
    def tracking(self, number, search, progress):
        """Restore the search on fold `number`, None = on all samples, and save it within this context.

        Yield a function to call with the progress after each complete generation; it writes the file after every
        `every` of them. The last one is written on leaving.
        """
        with self.damage_errors():
            known = self.state_of(number)
            if "progress" in known:
                progress.restore(known["progress"], search)
                if search.archive is not None:
                    search.archive.restore(known["archive"])
                search.budget.restore(known["budget"])

        def keep(progress):
            if self.saves:
                archive = search.archive
                self.store(number, {"progress": progress.state(), "archive": {} if archive is None else archive.state(),
                                    "budget": search.budget.state()})
                if progress.generation % self.every == 0:
                    self.save()

        try:
            yield keep
        finally:
            self.save()

    def store(self, number, state):
        """Add entries to the state of fold `number`, None = of the search on all samples."""
        with self.lock:
            known = self.state if number is None else self.state.setdefault("folds", {}).setdefault(str(number), {})
            known |= state
            self.unsaved = True

    def finish(self, number, found):
        """Save the result of fold `number`, a dict of arrays, dicts and what JSON holds, beside its search."""
        if self.saves:
            self.store(number, found)
            self.save()

    def fold(self, number, restored):
        """Return ``restored(number, state)`` if fold `number` is finished, else None."""
        with self.damage_errors():
            state = self.state_of(number)
            return restored(number, state) if "answers" in state else None

    def state_of(self, number):
        """Return the state of fold `number`, None = of the search on all samples: dict, empty if there is none."""
        found = self.state if number is None else self.state.get("folds", {}).get(str(number), {})
        if not isinstance(found, dict):
            raise ValueError(f"the state of fold {number} is {found!r}")
        return found

    def save(self):
        """Write the state to the file, unless that is done. An OSError becomes a warning: the searches go on."""
        with self.lock:
            if not self.unsaved:
                return
            state, arrays = split_arrays(self.state)
            content = io.BytesIO()
            head = {"format": FORMAT, "version": VERSION, "marks": self.marks, "state": state}
            np.savez(content, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
            try:
                replace(self.path, content.getbuffer())
            except OSError as error:
                warn(f"the checkpoint {os.fspath(self.path)!r} could not be written, the search goes on: "
                     f"{error}", RuntimeWarning)
            else:
                self.unsaved = False


def split_arrays(state, path=""):
    """Return a nested dict without its arrays, and a dict of these by their paths, such as "archive.bits"."""
    plain, arrays = {}, {}
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            arrays[path + name] = value
        elif isinstance(value, dict):
            plain[name], below = split_arrays(value, f"{path}{name}.")
            arrays |= below
        else:
            plain[name] = value
    return plain, arrays


def join_arrays(state, arrays):
    """Put the arrays of `split_arrays` back into its state, in place; return the state."""
    for path, array in arrays.items():
        *folders, name = path.split(".")
        place = state
        for folder in folders:
            place = place[folder]
        place[name] = array
    return state


def seed_in(path):
    """Return the seed of the search in a checkpoint: ndarray of uint64, shape (2,), or None without a file."""
    if not Path(path).exists():
        return None
    seed = read(path)[0]["marks"].get("seed")
    words = seed if isinstance(seed, list) else []
    if len(words) != 2 or not all(type(word) is int and 0 <= word < 2**64 for word in words):
        raise ValueError(damage_message(path, f"its seed is {seed!r}"))
    return np.array(words, dtype=np.uint64)


def read(path):
    """Return the head and the arrays of a checkpoint: two dicts; for errors see `Saver.load`."""
    try:
        with zipfile.ZipFile(path) as file:
            for entry in file.infolist():
                if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > os.path.getsize(path):
                    raise ValueError(f"{entry.filename} is compressed")  # no zip bombs
        with np.load(path, allow_pickle=False) as file:
            head = json.loads(file["head"].tobytes())
            if not isinstance(head, dict) or head.get("format") != FORMAT:
                raise ValueError("it has another format")
            if type(head["version"]) is not int or head["version"] != VERSION:  # True == 1 == 1.0
                raise ValueError(f"it has version {head['version']!r}, this moeliga reads version {VERSION}")
            if not all(isinstance(part, dict) for part in (head["marks"], head["state"], head["marks"]["parameters"])):
                raise ValueError("its head is incomplete")
            return head, {name: file[name] for name in file.files if name != "head"}
    except OSError:
        raise
    except Exception as error:  # any bytes may be in the file
        raise ValueError(damage_message(path, error)) from error


def damage_message(path, error):
    return (f"checkpoint {os.fspath(path)!r} must be a complete file that moeliga has written: {error}; choose another "
            "path")


MAX_SHOWN = 120
"""Most characters of a value in a message."""

MARK_NAMES = {"version": "version", "seed": "another random_state: the seed", "splits": "other splits of cv",
              "folds": "other folds of honest", "feature names": "other feature names", "groups": "other groups",
              "metadata": "other metadata"}
"""Names of marks in the message of `difference`; the others have their own name there."""


def difference(old, new):
    """Return the first difference of two marks in words: str, "" for none; 1 differs from 1.0, a share, and True."""
    for name in new:
        if name == "parameters":
            before, now = old.get(name, {}), new[name]
            changed = [key for key in now if as_json(before.get(key)) != as_json(now.get(key))]
            if changed:
                had, has = (cut(repr(mark.get(changed[0])), MAX_SHOWN) for mark in (before, now))
                return f"it was made with {changed[0]}={had}, got {has}"
        elif old.get(name) != new[name]:
            before, now = ("", "") if name not in ("version", "seed") else (f" {old.get(name)}", f", got {new[name]}")
            return f"it was made with {MARK_NAMES.get(name, f'another {name}')}{before}{now}"
    return ""


def as_json(value):
    return json.dumps(value, sort_keys=True)


def marks_of(parameters, search, X, y, feature_names, metadata, folds=None):
    """Return the marks of a search, which must equal those in its checkpoint: dict of values that JSON can hold.

    `parameters` are the selector's, see `ShortForms.described`, `metadata` is a dict from name to array-like, `folds`
    are the pairs of arrays of cross-fitting, or None.
    """
    neutral = set(NEUTRAL) - ({"n_generations"} if search.variation.schedule is not None else set())
    splits = search.sampler.fixed
    return {
        "version": version("moeliga"),
        "X": digest(X),
        "y": digest(y),
        "feature names": digest(feature_names),
        "metadata": {name: digest(np.asarray(value)) for name, value in sorted(metadata.items()) if value is not None},
        "parameters": {name: plain(value, ()) for name, value in sorted(parameters.items())
                       if name not in neutral and name not in ("cv", "honest")},
        "seed": [int(word) for word in search.seed],
        # these follow from the marks above, and come after them: `difference` returns the first
        "feature prior": None if search.prior is None else digest(search.prior.weights),
        "splits": search.sampler.one_out if splits is None else digest(splits.rows, splits.ends),
        "folds": None if folds is None else digest(*(part for fold in folds for part in fold)),
    }
