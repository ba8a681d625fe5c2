"""Checkpoints: what is saved, what comes back, and what a damaged or foreign file does."""

import errno
import hashlib
import io
import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from archives import array_bytes, zipped
from same_search import assert_same
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from small_selectors import every_fifth as data

from moeliga import Checkpoint, FeaturePrior, LocalImprovement, Variation
from moeliga.base import hashing
from moeliga.base.hashing import digest
from moeliga.search import checkpoint
from paper_operators import fitting
from single_search import single_search

LOCAL = LocalImprovement(population_size=9, n_generations=4, every=3)


def small(**parameters):
    given = {"population_size": 12, "n_generations": 12, "survival__n_elite": 3, "survival__generation_gap": 2,
             "evaluation__n_rescore_splits": 4,
             "local_improvement": LOCAL, "random_state": 1, **parameters}
    return single_search(**fitting(given))


class Crash(Exception):
    """What a test throws into a search."""


def crash_at(generation):
    def callback(state):
        if state.generation == generation:
            raise Crash

    return callback


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.npz"


OPTIONS = [
    {},
    {"evaluation__reevaluate": "average", "archive": False},
    {"evaluation__reevaluate": "none", "survival__sharing": None, "local_improvement": None},
    {"local_improvement": LocalImprovement(population_size=9, n_generations=4, every=3, replacement="selection")},
    {"local_improvement": LocalImprovement(population_size=9, n_generations=4, every=3)},
    {"variation": Variation(schedule="exponential"), "evaluation__split_mode": "generation"},
    {"constraints__groups": [f // 2 for f in range(30)], "constraints__must_include": [3], "max_features": 9,
     "init__subsets": [[4, 5], [10, 11, 12, 13]]},
    {"estimator": GaussianNB(), "objectives": ("uar", "cardinality"), "n_generations": 4},
    {"estimator": GaussianNB(), "cv": KFold(3), "n_generations": 4},
    {"patience": 3},
    {"survival__n_elite": 5, "evaluation__reevaluate": "none"},
    {"islands__n": 3, "islands__every": 4, "n_generations": 9, "init__subsets": [[4, 5]]},
    {"islands__n": 2, "islands__every": 2, "n_generations": 7, "evaluation__reevaluate": "average", "survival": "nsga2",
     "local_improvement": LocalImprovement(population_size=9, n_generations=4, every=1)},
    {"survival": "nsga2", "init": "log_uniform", "variation": Variation(mutation="chromosome", mutation_rate=1.0)},
    {"feature_prior": FeaturePrior("mutual_info_classif", share=0.8)},
    {"survival": "nsga2", "evaluation__reevaluate": "average", "evaluation__split_mode": "generation"},
    {"survival": "nsga2", "evaluation__reevaluate": "none", "max_features": 9, "local_improvement": LocalImprovement(
        population_size=9, n_generations=4, every=3, replacement="complete")},
]


@pytest.mark.quick(6)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_search_that_goes_on_ends_as_if_nothing_had_happened(path, options):
    """Crashed after any generation, and begun again with the same parameters: the same bits."""
    X, y = data()
    whole = small(**options).fit(X, y)
    last = int(whole.history_["generation"][-1])
    for generation in sorted({0, 1, last // 2, last}):
        with pytest.raises(Crash):
            small(**options, checkpoint=Checkpoint(path, every=100), callbacks=crash_at(generation)).fit(X, y)
        again = small(**options, checkpoint=path)
        assert_same(again.fit(X, y), whole)
        path.unlink()


def test_a_finished_search_is_not_repeated(path):
    """Its front is scored again, and nothing else is evaluated; with more generations it goes on."""
    X, y = data()
    first = small(checkpoint=path).fit(X, y)
    generations = []
    again = small(checkpoint=path, callbacks=lambda state: generations.append(state.generation)).fit(X, y)
    assert_same(again, first)
    assert generations == []
    longer = small(checkpoint=path, n_generations=17, callbacks=lambda state: generations.append(state.generation))
    assert_same(longer.fit(X, y), small(n_generations=17).fit(X, y))
    assert generations == [13, 14, 15, 16, 17]


@pytest.mark.parametrize("limits", [{"max_time": 0}] + [{"max_evaluations": n} for n in (13, 60, 118, 150, 200)],
                         ids=str)
def test_a_limit_that_cuts_a_generation_short_leaves_no_trace(path, limits):
    """Also one that falls into local improvement, whose half-finished work is not saved."""
    X, y = data()
    cut = small(checkpoint=path, **limits).fit(X, y)
    assert cut.stop_reason_ in limits
    assert_same(small(checkpoint=path).fit(X, y), small().fit(X, y))


@pytest.mark.parametrize("generation", [2, 3, 7])
def test_an_interrupt_leaves_no_trace(path, generation):
    """Ctrl-C between two generations, or before one with local improvement."""
    X, y = data()

    def interrupt(state):
        if state.generation == generation:
            signal.raise_signal(signal.SIGINT)

    cut = small(checkpoint=path, callbacks=interrupt).fit(X, y)
    assert cut.stop_reason_ == "interrupt"
    assert_same(small(checkpoint=path).fit(X, y), small().fit(X, y))


def test_saved_every_so_many_generations(path):
    """And at the end, whatever it is."""
    saved = []

    def look(state):
        head = checkpoint.read(path)[0] if path.exists() else {"state": {"progress": {"generation": None}}}
        saved.append(head["state"]["progress"]["generation"])

    small(checkpoint=Checkpoint(path, every=5), callbacks=look).fit(*data())
    assert saved == 5 * [0] + 5 * [5] + 3 * [10]
    assert checkpoint.read(path)[0]["state"]["progress"]["generation"] == 12


def test_without_a_seed_the_search_goes_on_with_that_of_the_file(path):
    """random_state=None."""
    X, y = data()
    first = small(checkpoint=path, random_state=None).fit(X, y)
    assert_same(small(checkpoint=path, random_state=None).fit(X, y), first)


def test_seconds_add_up_and_the_limit_counts_from_the_last_start(path):
    """The history goes on where it stood; max_time does not end it at once."""
    X, y = data()
    first = small(checkpoint=path, n_generations=3).fit(X, y)
    content = rewritten(path, lambda head: head["state"]["budget"].update(seconds=1000.0))
    path.write_bytes(content)
    again = small(checkpoint=path, max_time=500).fit(X, y)
    assert again.stop_reason_ == "n_generations"
    assert again.history_["seconds"][3] == first.history_["seconds"][3] < 1000 < again.history_["seconds"][4]


# processes that die


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_moment_nothing_older_than_a_save_is_lost(path):
    """SIGKILL at 50 random moments of a run, some of them inside a write: each start goes on at the last save or later,
    there is always a whole file, and the end is the same."""
    X, y = data()
    began = time.perf_counter()
    whole = small(n_generations=40).fit(X, y)
    length = time.perf_counter() - began
    rng = np.random.default_rng(0)
    n_kills, reached = 0, -1
    while n_kills < 50:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                small(n_generations=40, checkpoint=Checkpoint(path, every=1), n_jobs=1).fit(X, y)
                status = 0
            finally:
                os._exit(status)
        time.sleep(rng.uniform(0, length / 5))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        n_kills += 1
        if path.exists():
            generation = checkpoint.read(path)[0]["state"]["progress"]["generation"]
            assert generation >= reached
            reached = generation
        if status == 0 or reached == 40:
            path.unlink()
            reached = -1
    assert_same(small(n_generations=40, checkpoint=path).fit(X, y), whole)
    assert {entry.name for entry in path.parent.iterdir()} == {path.name}


def test_a_full_disk_costs_the_save_and_not_the_search(path, monkeypatch):
    """A warning says so; the file before stays whole, and the next save may succeed."""
    X, y = data()
    small(checkpoint=path, n_generations=4).fit(X, y)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match=f"could not be written, the search goes on: .*{errno.ENOSPC}"):
        selector = small(checkpoint=path).fit(X, y)
    monkeypatch.undo()
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]
    assert_same(selector, small().fit(X, y))
    assert_same(small(checkpoint=path).fit(X, y), selector)


def test_a_relative_path_is_that_of_the_beginning(tmp_path, monkeypatch):
    """Wherever a callback goes."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    for n_generations in (2, 3):
        monkeypatch.chdir(tmp_path)
        selector = small(checkpoint=Checkpoint("state.npz", every=1), n_generations=n_generations,
                         callbacks=lambda state: os.chdir(tmp_path / "elsewhere"))
        selector.fit(*data())
        assert selector.checkpoint.path == "state.npz"
    assert os.listdir(tmp_path / "elsewhere") == []
    assert checkpoint.read(tmp_path / "state.npz")[0]["state"]["progress"]["generation"] == 3


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_link_and_permissions_stay(tmp_path):
    """The file that the link leads to is written, and stays a secret if it was one."""
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    link.symlink_to(target.name)
    small(checkpoint=link, n_generations=2).fit(*data())
    target.chmod(0o600)
    before = target.read_bytes()
    small(checkpoint=link, n_generations=3).fit(*data())
    assert link.is_symlink() and target.read_bytes() != before and target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("length", [250, 255])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, length):
    """What is written beside the file has a shorter name."""
    path = tmp_path / ("s" * length)
    selector = small(checkpoint=path, n_generations=2).fit(*data())
    assert_same(small(checkpoint=path, n_generations=2).fit(*data()), selector)
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_refused_before_the_search(tmp_path):
    """Paths are looked at first."""
    for wrong, message in ((tmp_path, "must be a file, got the folder"), ("a\0b", "must hold no null character, got "),
                           (tmp_path / "no" / "x", "must be in a folder that exists")):
        with pytest.raises(ValueError, match=message):
            small(checkpoint=wrong).fit(*data())


# searches at the same time

SEARCH = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from test_checkpoint import data, small

def wait(state):
    if state.generation == 1:
        print("searching", flush=True)
        sys.stdin.read()

try:
    small(checkpoint=sys.argv[1], random_state=int(sys.argv[2]), callbacks=wait).fit(*data())
    print("done", flush=True)
except ValueError as error:
    print(error, flush=True)
"""


def search(path, seed):
    """A process that searches, and waits after a generation until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", SEARCH, str(path), str(seed)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


REFUSED = "checkpoint '.*' must be used by one process and thread at a time, but another one is using it"


@pytest.mark.process
@pytest.mark.parametrize("seed", [1, 2])
def test_two_processes_with_one_checkpoint(path, seed):
    """The second is refused before it searches, the same search and another one; the first goes on."""
    first, line = search(path, 1)
    assert line == "searching"
    second, line = search(path, seed)
    assert re.match(REFUSED, line)
    second.communicate()
    assert first.communicate()[0] == "done\n"
    assert list(path.parent.iterdir()) == [path]
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


@pytest.mark.process
def test_a_killed_search_claims_nothing(path):
    """Another one goes on from its file at once."""
    small(checkpoint=path, n_generations=4).fit(*data())
    first, line = search(path.with_name("other.npz"), 1)
    first.kill()
    first.communicate()
    path.rename(path.with_name("other.npz"))
    assert_same(small(checkpoint=path.with_name("other.npz")).fit(*data()), small().fit(*data()))
    assert [entry.name for entry in path.parent.iterdir()] == ["other.npz"]


def test_threads_search_side_by_side(path):
    """Each with its own file; two with one are refused, and a search within a search too."""
    X, y = data()
    paths = [path, path.with_name("b.npz"), path.with_name("c.npz")]
    found = joblib.Parallel(n_jobs=3, backend="threading")(
        joblib.delayed(lambda place: small(checkpoint=place, n_generations=3).fit(X, y))(place) for place in paths)
    whole = small(n_generations=3).fit(X, y)
    for selector in found:
        assert_same(selector, whole)

    def fit_again(state):
        small(checkpoint=path, random_state=2).fit(X, y)

    with pytest.raises(ValueError, match=REFUSED):
        small(checkpoint=path, callbacks=fit_again).fit(X, y)
    assert sorted(path.parent.iterdir()) == sorted(paths)


# files that are not what they should be


def rewritten(path, change):
    """Bytes of a checkpoint whose head was changed."""
    with np.load(path) as file:
        arrays = dict(file)
    head = json.loads(arrays.pop("head").tobytes())
    change(head)
    content = io.BytesIO()
    np.savez(content, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
    return content.getvalue()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """(bytes of a checkpoint after four generations, the uninterrupted selector)."""
    path = tmp_path_factory.mktemp("saved") / "state.npz"
    X, y = data()
    small(checkpoint=path, n_generations=4).fit(X, y)
    return path.read_bytes(), small(n_generations=5).fit(X, y)


WHOLE = "must be a file that moeliga has written, and whole"


@pytest.mark.slow
def test_every_damage_is_an_error_or_harmless(path, saved):
    """Cut short anywhere, or with a bit flipped anywhere: refused, or the result is right all the same (a flipped time
    stamp). The file stays as it is."""
    content, whole = saved
    rng = np.random.default_rng(0)
    X, y = data()
    refused = 0
    damages = [content[:length] for length in rng.integers(len(content), size=40).tolist()]
    for place in rng.integers(len(content), size=160).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        damages.append(bytes(flipped))
    for damage in damages:
        path.write_bytes(damage)
        try:
            selector = small(checkpoint=path, n_generations=5).fit(X, y)
        except ValueError as error:
            assert WHOLE in str(error) or "must go with this fit" in str(error)
            assert path.read_bytes() == damage
            refused += 1
        else:
            assert_same(selector, whole)
    assert refused > 150


class Evil:
    def __reduce__(self):
        return os.system, ("exit 1",)


@pytest.mark.parametrize("content", [
    b"", b"hello", b"PK\x03\x04", pickle.dumps(Evil()),
    array_bytes(np.arange(3)),
    zipped(head=array_bytes(np.array([Evil()], dtype=object), allow_pickle=True)),
    zipped(head=array_bytes(np.frombuffer(b"{}", dtype=np.uint8))),
    zipped(head=array_bytes(np.frombuffer(b"[1]", dtype=np.uint8))),
    zipped(head=array_bytes(np.frombuffer(b"\xff", dtype=np.uint8))),
    zipped(head=b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (9" + 15 * b"9"
               + b",), }" + 60 * b" " + b"\n"),
], ids=range(10))
def test_foreign_files_are_refused(path, content):
    """Nothing of them is run, and they stay where they are."""
    path.write_bytes(content)
    for random_state in (1, None):
        with pytest.raises(ValueError, match=WHOLE):
            small(checkpoint=path, random_state=random_state).fit(*data())
    assert path.read_bytes() == content


def test_compressed_files_are_refused(path, saved):
    """However small a file is, what it unpacks to might be large."""
    path.write_bytes(saved[0])
    with np.load(path) as file:
        arrays = dict(file)
    np.savez_compressed(path, **arrays)
    with pytest.raises(ValueError, match="is compressed"):
        small(checkpoint=path).fit(*data())


CHANGES = [
    (lambda head: head.update(format="other"), "it has another format"),
    (lambda head: head.update(version=2), "it has version 2, this moeliga reads version 8"),
    (lambda head: head.pop("marks"), "'marks'"),
    (lambda head: head.update(version=7.0), "it has version 7.0, this moeliga reads version 8"),
    *((lambda head, value=value: head["marks"].update(parameters=value), "its head is incomplete")
      for value in ([], [["rule", 1]], "text", 3, None)),
    (lambda head: head["marks"].pop("parameters"), "'parameters'"),
    (lambda head: head["state"]["progress"]["patience"].pop("best"), "'best'"),
    (lambda head: head["state"]["progress"].update(generation=7), "the history does not have 8 rows"),
    (lambda head: head["state"]["progress"].update(generation="x"), "generation must be an integer, got 'x'"),
    (lambda head: head["state"]["progress"].update(generation=-1), "generation must be >= 0, got -1"),
    (lambda head: head["state"]["progress"]["patience"].update(best=math.nan), "best must be finite, got nan"),
    (lambda head: head["state"]["progress"]["patience"].update(waited=-1), "waited must be >= 0, got -1"),
    (lambda head: head["state"]["budget"].update(n_evaluations=-5), "n_evaluations must be >= 0, got -5"),
    (lambda head: head["state"]["budget"].update(n_evaluations=2.5), "n_evaluations must be an integer, got 2.5"),
    (lambda head: head["state"]["budget"].update(seconds=math.inf), "seconds must be finite, got inf"),
    (lambda head: head["state"]["progress"]["history"].update(best_score=5 * ["x"]),
     r"history\['best_score'\] must be a number, got 'x'"),
    (lambda head: head["state"]["progress"]["history"].pop("best_score"), "the history must have the columns "),
    (lambda head: head["state"]["progress"].update(history=3), "is not iterable"),
    (lambda head: head["state"].pop("budget"), "'budget'"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES, ids=range(len(CHANGES)))
def test_a_head_that_says_something_else_is_refused(path, saved, change, message):
    path.write_bytes(saved[0])
    path.write_bytes(rewritten(path, change))
    with pytest.raises(ValueError, match=message) as caught:
        small(checkpoint=path).fit(*data())
    assert WHOLE in str(caught.value)


@pytest.mark.parametrize(("name", "change", "message"), [
    ("progress.population.bits", lambda bits: bits[:-1],
     r"population.objectives must be an array of float64 of shape \(11, 3\), got float64 of shape \(12, 3\)"),
    ("progress.population.bits", lambda bits: bits.astype(np.int64), "population.bits must be an array of uint64 of"),
    ("progress.population.bits", lambda bits: np.hstack((bits, bits)), "population.bits must be an array of uint64 of"),
    ("progress.population.n_scored", lambda numbers: numbers - 1, "population.n_scored must be >= 1"),
    ("progress.population.n_scored", lambda numbers: numbers[:-1],
     r"population.n_scored must be an array of int64 of shape \(12,\), got int64 of shape \(11,\)"),
    ("progress.survival.last", lambda numbers: np.zeros(1, dtype="<i8"), r"survival must be an array of int64 of shape "
     r"\(0,\), got int64 of shape \(1,\)"),
    ("progress.initial.bits", lambda bits: bits[:0], r"initial.objectives must be an array of float64 of shape \(0, 3"),
    ("progress.population.objectives", lambda values: values * np.nan, "population.objectives must be finite"),
    ("archive.objectives", lambda values: values * np.inf, "archive.objectives must be finite"),
    ("progress.initial.bits", lambda bits: bits | np.uint64(2**63), "no bit at or beyond 30"),
    ("archive.bits", lambda bits: bits | np.uint64(2**63), "no bit at or beyond 30"),
    ("progress.population.bits", lambda bits: bits * np.uint64(0), "population.bits must select 1 to 30 features"),
    ("progress.history", lambda _: np.zeros(5), "history"),
    ("progress.nowhere.bits", lambda _: np.zeros(5), "nowhere"),
])
def test_arrays_that_say_something_else_are_refused(path, saved, name, change, message):
    """Of another length, not finite, of features that there are not, of none."""
    path.write_bytes(saved[0])
    with np.load(path) as file:
        arrays = dict(file)
    arrays[name] = change(arrays.get(name))
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        small(checkpoint=path, n_generations=5).fit(*data())
    assert WHOLE in str(caught.value)


def test_populations_of_another_size_are_refused(path, saved):
    """Though all that is known of them has the same length."""
    path.write_bytes(saved[0])
    with np.load(path) as file:
        arrays = {name: entry[: -1 if ".population." in name else None] for name, entry in file.items()}
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="population must have 12 individuals, and initial one at least, got 11 and "):
        small(checkpoint=path).fit(*data())


def test_a_seed_or_a_survival_that_no_search_has_is_refused(path, saved):
    """The seed counts where the selector names none, the survival where there are subsets of the user's own."""
    path.write_bytes(saved[0])
    for seed in ([1], [1, -1], [1, 2**64], [1.0, 2], "12"):
        path.write_bytes(rewritten(path, lambda head, seed=seed: head["marks"].update(seed=seed)))
        with pytest.raises(ValueError, match=WHOLE) as caught:
            small(checkpoint=path, random_state=None).fit(*data())
        assert str(caught.value).endswith(f"its seed is {seed!r}")
    path.unlink()
    given = {"init__subsets": [[0, 5]], "checkpoint": path}
    small(**given).fit(*data())
    with np.load(path) as file:
        arrays = dict(file)
    for last in (-2, 13):
        np.savez(path, **arrays | {"progress.survival.last": np.array([last])})
        with pytest.raises(ValueError, match=r"survival must be in \[-1, 12\]"):
            small(**given).fit(*data())


def test_a_search_of_other_data_or_settings_is_refused(path, saved):
    """The message says what differs; the file stays."""
    path.write_bytes(saved[0])
    X, y = data()
    names = [f"n{f}" for f in range(30)]
    import pandas as pd

    for fit, message in (
            (lambda: small(checkpoint=path, evaluation__n_splits=4).fit(X, y),
             "but it was made with evaluation.n_splits=3, got 4"),
            (lambda: small(checkpoint=path, random_state=2).fit(X, y), r"but it was made with seed \["),
            (lambda: small(checkpoint=path, estimator=GaussianNB()).fit(X, y),
             r"made with islands.judges=None, got \[\{'sklearn.naive_bayes.GaussianNB'"),
            (lambda: small(checkpoint=path, cv=3).fit(X, y), "but it was made with another splits"),
            (lambda: small(checkpoint=path).fit(X + 1e-9, y), "but it was made with another X"),
            (lambda: small(checkpoint=path).fit(X.astype(np.float32), y), "but it was made with another X"),
            (lambda: small(checkpoint=path).fit(X, y[::-1]), "but it was made with another y"),
            (lambda: small(checkpoint=path).fit(X, y.astype(str)), "but it was made with another y"),
            (lambda: small(checkpoint=path).fit(pd.DataFrame(X, columns=names), y), "made with another feature names")):
        with pytest.raises(ValueError, match=message):
            fit()
    assert path.read_bytes() == saved[0]


def test_another_closure_of_one_factory_is_another_objective(path):
    def weighted(weight):
        return lambda mask, X, y: weight * mask.sum()

    X, y = data()
    small(checkpoint=path, objectives=("uar", weighted(1)), n_generations=1).fit(X, y)
    small(checkpoint=path, objectives=("uar", weighted(1)), n_generations=2).fit(X, y)
    with pytest.raises(ValueError, match="but it was made with objectives="):
        small(checkpoint=path, objectives=("uar", weighted(-1)), n_generations=2).fit(X, y)


def test_what_may_change_may_change(path, saved):
    """How far it goes, how it is shown, what is chosen, on how many threads, and the layout of the data."""
    path.write_bytes(saved[0])
    X, y = data()
    selector = small(checkpoint=Checkpoint(str(path), every=2), n_generations=5, n_jobs=2, rule="best", patience=90,
                     max_time=1000, max_evaluations=10**6, verbose=0).fit(np.asfortranarray(X), y)
    assert_same(selector.select("r1"), saved[1])


def test_a_schedule_fixes_the_number_of_generations(path):
    """The mutation rate depends on it from the first generation on."""
    X, y = data()
    options = {"variation": Variation(schedule="exponential"), "checkpoint": path}
    small(**options).fit(X, y)
    with pytest.raises(ValueError, match="but it was made with n_generations=12, got 13"):
        small(**options, n_generations=13).fit(X, y)


@pytest.mark.parametrize("shape", [(), (0, 3), (3, 0), (1, 1), (50,), (50, 7), (7, 50), (5, 4, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_digest_of_blocks_is_that_of_the_whole(monkeypatch, shape, order):
    """However many rows are copied at a time."""
    X = np.asarray(np.random.default_rng(0).normal(size=shape), order=order)
    whole = hashlib.sha256(f"{X.dtype.str}{X.shape}".encode() + X.tobytes()).hexdigest()
    for n_bytes in (1, 64, 300, 1 << 22):
        monkeypatch.setattr(hashing, "BLOCK_BYTES", n_bytes)
        assert digest(X) == whole


def test_digest_is_of_values_and_types():
    """The same for every layout; another one for every change."""
    X = np.arange(12.0).reshape(3, 4)
    same = {digest(X), digest(np.asfortranarray(X)), digest(X[::-1][::-1])}
    other = [digest(array) for array in (X.T, X.astype("f4"), X.ravel(), X + 1, X[:, :3], X.astype(str),
                                         X.astype(str).astype(object), -X, X[:0])]
    assert len(same) == 1
    assert len({*same, *other}) == 9  # text is text
    assert digest(X, X) != digest(X)
