"""Files to begin with, made by the program itself: small, right, and of every kind that a reader knows."""

import functools
import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from moeliga import Checkpoint, Evaluation, LogUniformInit, ParetoFront
from moeliga.cli.run_folder import write_results
from moeliga.results.run_record import Record
from single_search import single_search

FEATURES = ["a", "b c", "mean*", "d1", "d2"]
"""Names of the features that files of features speak of."""


# tables


def csv():
    return [
        b"a,b,y\n1,2.5,cat\n-3e2,NA,dog\n,nan,cat\n",
        b'\xef\xbb\xbf"a, b",d,g,w,y\r\n1,x,p1,0.5,0\r\n"2","y ""z""",p2,1,1\r\n?,,p1,2,0\r\n',
        b"a,y\n" + b"".join(b"%d,%d\n" % (i, i % 3) for i in range(40)),
    ]


def arff():
    return [
        b"% comment\n@relation r\n@attribute a numeric\n@attribute 'b c' {0, 1}\n@attribute y {cat, 'big dog'}\n@data\n"
        b"1,0,cat\n?,1,'big dog'\n% between\n-2e-3,?,cat\n",
        b"@RELATION r\n@ATTRIBUTE a REAL\n@attribute b integer\n@attribute y string\n@attribute d date 'yyyy'\n@data\n"
        b"{0 1.5, 2 x, 3 '2001'}\n{1 2,2 'it\\'s, {so}'}\n{2 \"z\"}\n",
        b"@relation r\n@attribute a numeric\n@attribute g {p, q}\n@attribute w real\n@attribute y {0, 1}\n"
        b"@attribute d string\n@data\n1 p 0.5 0 u\n2,q,1,1,'v w'\n",
    ]


def npz():
    """The first holds every array that the reader looks at."""
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    found = []
    for save, arrays in (
            (np.savez, {"X": X, "y": y, "feature_names": np.array(["a", "d"]), "g": np.array(["p", "q", "p"]),
                        "w": np.array([1.0, 0.5, 2.0]), "classes": np.array(["no", "yes"])}),
            (np.savez_compressed, {"X_train": X.astype(np.float32), "y_train": y.astype(str), "y": y > 0,
                                   "X_test": X})):
        content = io.BytesIO()
        save(content, **arrays)
        found.append(content.getvalue())
    return found


def parquet():
    import pyarrow as pa
    from pyarrow import parquet as files

    numbers = {"a": pa.array([1.5, None, 3.0]), "d": pa.array([1, 2, None]), "y": ["u", "v", "u"], "g": [1, 2, 1],
               "w": pa.array([1.0, 2.0, 0.5], pa.float32())}
    flags = {"a": pa.array([True, False, None]), "n": pa.nulls(3), "y": pa.array(["u", "v", "u"]).dictionary_encode()}
    snappy = {"compression": "snappy", "use_dictionary": False}
    found = []
    for columns, options in (
            (numbers, {"compression": "none"}), ({**flags, "d": pa.array([1, 2, 3], pa.timestamp("us"))}, snappy),
            ({**flags, "d": [[1], [2, 3], []]}, snappy), ({**flags, "d": [{"k": 1}, {"k": 2}, None]}, snappy),
            ({"a": [1.0] * 50, "y": list(range(50))}, {"row_group_size": 20})):
        content = io.BytesIO()
        files.write_table(pa.table(columns), content, **options)
        found.append(content.getvalue())
    return found


# files of features


def groups():
    return [b"feature,group\na,p\n\"b c\",q\nd1,q\nlabel,p\nd2,\n"]


def costs():
    return [b"feature,cost\na,1\nb c,0.5\nmean*,2e3\nd1,0\nd2,7\nlabel,9\n"]


def names():
    return [b"a\nd?\n\nb c\n", b"mean*\n[ad]*\n"]


def subset():
    return [b"a\nd1\n", b"mean*\r\nb c\r\n"]


def options():
    return [b"niche,sigma=0.1,alpha=2", b"uar,cardinality,gamma=-1,separability,samples=9",
            b"a,x='1,2',y={'k': (1,)},z=[1e-3]"]


# results


@functools.cache
def a_front():
    supports = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1]], dtype=bool)
    objectives = np.array([[0.5, 0.8], [0.625, 0.6], [0.75, 0.4]])
    return ParetoFront(supports, objectives, ("uar", "cardinality"), 0, np.array([0.1, np.nan, 0.0]), objectives - 0.25,
                       np.array(FEATURES), np.array([1.0, 1.5, 9.0]))


def front():
    return [a_front().to_json().encode()]


@functools.cache
def results():
    """Files of a folder of results: dict from name to bytes."""
    selector = search(None, 2).fit(*samples())
    data = {"n_samples": 12, "named": True}
    facts = {"command": "select", "file": "data.csv", "sha256": "0", "seed": 0, "data": data}
    with tempfile.TemporaryDirectory() as folder:
        write_results(Path(folder), Record.of(selector, facts=facts), "seeds")
        return {name: Path(folder, name).read_bytes() for name in ("front.json", "settings.json", "history.csv")}


def files_of_results():
    return [bytes([place]) + content for place, content in enumerate(results().values())]


# checkpoints


@functools.cache
def samples():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 5)), np.arange(12) % 2
    X[:, 1] += y
    return X, y


def search(path, n_generations):
    """A selector that takes milliseconds, and its seed from a checkpoint where there is one."""
    return single_search(population_size=6, n_generations=n_generations,
                         evaluation=Evaluation(n_rescore_splits=2), local_improvement=None,
                         init=LogUniformInit(subsets=[[0]]), random_state=0 if path is None else None,
                         checkpoint=None if path is None else Checkpoint(path, every=100))


@functools.cache
def checkpoint():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "search.npz")
        search(path, 2).fit(*samples())
        return [path.read_bytes()]


# entries of archives


def with_entry(archive, place, content):
    """Bytes of an archive in which one entry has another content; the archive itself is whole."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(changed, "w") as new:
        entries = old.infolist()
        for number, entry in enumerate(entries):
            new.writestr(entry.filename, content if number == place % len(entries) else old.read(entry))
    return changed.getvalue()


def entries_of(archives):
    """Each entry of the first archive, with its number in front."""
    with zipfile.ZipFile(io.BytesIO(archives()[0])) as file:
        return [bytes([number]) + file.read(entry) for number, entry in enumerate(file.infolist())]
