"""Checkpoints that are damaged, foreign or hostile: each is an error that says so, and runs nothing."""

import hashlib
import math
import os
import pickle

import numpy as np
import pytest
from archives import array_bytes, zipped
from checkpointed import data, rewritten, small
from same_search import assert_same
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import cross_fitted
from moeliga import Checkpoint, Constraints, Variation
from moeliga.base import hashing
from moeliga.base.atomic_file import replace
from moeliga.base.hashing import digest
from moeliga.search import checkpoint


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """(bytes of a checkpoint after four generations, the uninterrupted selector)."""
    path = tmp_path_factory.mktemp("saved") / "state.npz"
    X, y = data()
    small(checkpoint=path, n_generations=4).fit(X, y)
    return path.read_bytes(), small(n_generations=5).fit(X, y)


WHOLE = "must be a complete file that moeliga has written"


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
    (lambda head: head.update(version=2), "it has version 2, this moeliga reads version 9"),
    (lambda head: head.pop("marks"), "'marks'"),
    (lambda head: head.update(version=9.0), "it has version 9.0, this moeliga reads version 9"),
    *((lambda head, value=value: head["marks"].update(parameters=value), "its head is incomplete")
      for value in ([], [["rule", 1]], "text", 3, None)),
    (lambda head: head["marks"].pop("parameters"), "'parameters'"),
    (lambda head: head["state"]["progress"]["patience"].pop("best"), "'best'"),
    (lambda head: head["state"]["progress"].update(generation=7), "must be a list of 8 numbers, got"),
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
    rule = "population must have 12 individuals, and initial one at least"
    for part, n, got in ((".population.", 11, "11 and "), (".initial.", 0, "12 and 0")):
        path.write_bytes(saved[0])
        with np.load(path) as file:
            arrays = {name: entry[: n if part in name else None] for name, entry in file.items()}
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=f"{rule}, got {got}"):
            small(checkpoint=path).fit(*data())


def test_a_seed_or_a_survival_that_no_search_has_is_refused(path, saved):
    """The seed counts where the selector names none, the survival where there are subsets of the user's own."""
    path.write_bytes(saved[0])
    for seed in ([1], [1, -1], [1, 2**64], [1.0, 2], [True, 2], "12"):
        path.write_bytes(rewritten(path, lambda head, seed=seed: head["marks"].update(seed=seed)))
        with pytest.raises(ValueError, match=WHOLE) as caught:
            small(checkpoint=path, random_state=None).fit(*data())
        assert str(caught.value).endswith(f"its seed is {seed!r}; choose another path")
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
            (lambda: small(checkpoint=path, local_improvement=None).fit(X, y),
             "but it was made with local_improvement"),
            (lambda: small(checkpoint=path, random_state=2).fit(X, y),
             r"but it was made with another random_state: the seed \["),
            (lambda: small(checkpoint=path, estimator=GaussianNB()).fit(X, y),
             r"made with islands.judges=None, got \[\{'sklearn.naive_bayes.GaussianNB'"),
            (lambda: small(checkpoint=path, cv=3).fit(X, y), "but it was made with other splits of cv"),
            (lambda: small(checkpoint=path).fit(X + 1e-9, y), "but it was made with another X"),
            (lambda: small(checkpoint=path).fit(X.astype(np.float32), y), "but it was made with another X"),
            (lambda: small(checkpoint=path).fit(X, y[::-1]), "but it was made with another y"),
            (lambda: small(checkpoint=path).fit(X, y.astype(str)), "but it was made with another y"),
            (lambda: small(checkpoint=path).fit(pd.DataFrame(X, columns=names), y), "made with other feature names")):
        with pytest.raises(ValueError, match=message):
            fit()
    assert path.read_bytes() == saved[0]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("given", "message"), [
    ({"random_state": 1}, r"another random_state: the seed \[.*\], got \["),
    ({"constraints": Constraints(exclude=[3])}, r"constraints\.exclude=None, got \[3\]"),
    ({"honest": 4}, "other folds of honest"),
    ({"honest": KFold(3)}, "other folds of honest"),
], ids=str)
def test_what_was_changed_is_told_and_not_what_follows_from_it(path, given, message):
    """Another seed has other folds, and other constraints another prior."""
    options = {"honest": 3, "islands": None, "feature_prior": "f_classif", "checkpoint": path}
    cross_fitted.small(**options).fit(*data())
    with pytest.raises(ValueError, match=f"must go with this fit, but it was made with {message}"):
        cross_fitted.small(**{**options, **given}).fit(*data())


@pytest.mark.parametrize(("first", "second"), [(1.0, 1), (1, 1.0)])
def test_a_number_is_not_a_share(path, first, second):
    """One feature at most, or all of them."""
    small(checkpoint=path, max_features=first).fit(*data())
    with pytest.raises(ValueError, match=f"it was made with max_features={first}, got {second};"):
        small(checkpoint=path, max_features=second).fit(*data())


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


def test_what_could_not_be_written_is_tried_again_at_the_end(path, monkeypatch):
    """Though no generation has come since."""
    calls = []

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) <= 2:
            raise OSError("the disk is full")
        replace(*arguments)

    monkeypatch.setattr(checkpoint, "replace", failing)
    with pytest.warns(RuntimeWarning, match="could not be written, the search goes on: the disk is full"):
        small(checkpoint=Checkpoint(path, every=1), n_generations=1).fit(*data())
    assert len(calls) == 3 and checkpoint.read(path)[0]["state"]["progress"]["generation"] == 1


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
