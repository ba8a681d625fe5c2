"""The golden file: results of small data under all options, which every build on every machine has to find again.

    python tests/golden.py                      compare this build with tests/golden.json
    python tests/golden.py --write              make the file; one that is there is not overwritten: what would change
                                                is printed
    python tests/golden.py --write --overwrite  change it, and print what has changed

`tests/builds.py` compares several builds. A result stands in the file as its first values, exactly, and a digest of
all of them, so that a difference can be read.
"""

import argparse
import hashlib
import json
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

import moeliga
from cases import CASES
from moeliga._ext import evaluate
from moeliga.data.dataset import Dataset

FILE = Path(__file__).with_suffix(".json")
SHOWN = 3
"""Values of a result, or subsets, that are written out."""

THREADS = (1, 2, 3, 7)


class Way(NamedTuple):
    """One way to compute: the results are the same."""

    n_threads: int
    level: int
    """Instruction set, see `moeliga._ext.tree.LEVEL`."""

    def __str__(self):
        return f"{self.n_threads} threads, instruction set {self.level}"

    @contextmanager
    def taken(self):
        """Context in which OpenMP has so many threads and data sets are for this instruction set."""
        original = Dataset.of

        def of(*arguments):
            return replace(original(*arguments), level=self.level)

        with threadpool_limits(self.n_threads, user_api="openmp"), patch.object(Dataset, "of", of):
            yield


def ways():
    """All numbers of threads with the best instruction set, and one thread with each of the others."""
    best, enabled = evaluate.threads()["level"], evaluate.threads()["enabled"]
    return [*(Way(n_threads, best) for n_threads in (THREADS if enabled else THREADS[:1])),
            *(Way(1, level) for level in (0, 3) if level < best)]


def written(number):
    """A number, exactly: whole ones as decimals, others with hexadecimal digits."""
    if isinstance(number, float):
        mantissa, cross, exponent = number.hex().partition("p")
        return f"{mantissa.rstrip('0').rstrip('.')}{cross}{exponent}" if "." in mantissa else number.hex()
    return str(number)


def described(value):
    """A result as one line: type and shape, the first values, and a digest where there are more."""
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    kind = f"{array.dtype.name}[{','.join(map(str, array.shape))}]"
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)  # machines have several
    if array.dtype == bool:
        rows = np.packbits(np.atleast_2d(array), axis=1, bitorder="little")
        shown, n = [row.tobytes().hex() for row in rows[:SHOWN]], len(rows)
    else:
        shown, n = [written(number) for number in array.ravel()[:SHOWN].tolist()], array.size
    if n > SHOWN:
        content = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
        shown.append(f"#{hashlib.sha256(content).hexdigest()[:16]}")
    return " ".join([kind, *shown])


def results(name, way):
    """Results of a case as they stand in the file: dict of str."""
    with way.taken():
        return {entry: described(value) for entry, value in CASES[name](way.n_threads).items()}


def differences(expected, got):
    """What differs between two dicts of results: lines that can be read."""
    lines = []
    for entry in [*expected, *(entry for entry in got if entry not in expected)]:
        one, other = expected.get(entry, "nothing"), got.get(entry, "nothing")
        if one != other:
            lines.append(f"  {entry}\n    in the file {one}\n    found       {other}")
    return lines


def changes(old, new):
    """What differs between two files, case by case: lines."""
    return [line for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)
            for line in (name, *differences(old.get(name, {}), new.get(name, {})))]


def text(content):
    """The file: one line for each result."""
    return json.dumps(content, indent=0, ensure_ascii=False) + "\n"


def compare(names, content):
    """Compare this build with the file, in every way; prints what differs and returns the number of cases that do."""
    n_different = 0
    for name in names:
        for way in ways():
            lines = differences(content.get(name, {}), results(name, way))
            if lines:
                print("\n".join([f"{name}: {way}", *lines]))
                n_different += 1
                break
    return n_different


def write(overwrite):
    """Make the file; returns the exit status."""
    first, *others = ways()
    new = {name: results(name, first) for name in CASES}
    for way in others:
        for name in CASES:
            lines = differences(new[name], results(name, way))
            if lines:
                print("\n".join([f"{name}: {way} differs from {first}, nothing is written", *lines]))
                return 1
    old = json.loads(FILE.read_text()) if FILE.exists() else {}
    print("\n".join(changes(old, new)) if old else f"{len(new)} cases", end="\n" if old != new else "")
    if old == new:
        print("no change")
    elif old and not overwrite:
        print(f"{FILE.name} is left as it is; --overwrite changes it")
        return 1
    else:
        FILE.write_text(text(new))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the file")
    parser.add_argument("--overwrite", action="store_true", help="with --write: also if it is there and differs")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose names hold this")
    options = parser.parse_args()
    if options.write:
        return write(options.overwrite)
    names = [name for name in CASES if options.only in name]
    begun = time.perf_counter()
    n_different = compare(names, json.loads(FILE.read_text()))
    threads, levels = (sorted(set(column)) for column in zip(*ways(), strict=True))
    print(f"{len(names)} cases, threads {threads}, instruction sets {levels}, {time.perf_counter() - begun:.1f} s: "
          f"{n_different or 'none'} different; {moeliga.__file__}")
    return 1 if n_different or not names else 0


if __name__ == "__main__":
    sys.exit(main())
