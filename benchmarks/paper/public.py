"""Public data sets that are not the paper's, from OpenML, as NPZ files beside the others.

  python benchmarks/paper/public.py                      which are known, and which are at hand
  python benchmarks/paper/public.py vehicle wdbc         puts them into the folder extra beside MOELIGA_DATA's
  python benchmarks/paper/public.py mine=1494            any other data set of OpenML, by its number

It needs a network, and says so where there is none. What comes is checked: the file with the checksum of OpenML's
description, the data with the shape that is expected and with a SHA-256 (`sources.digest`). Nobody could look at these
sets where this was written, so the digest of a first download is kept beside the cache, and later ones must have it.
Features that are not numbers are refused. The studies read such a set as one without parts of its own.
"""

import argparse
import hashlib
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import numpy as np

from moeliga.cli.files import read_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import datasets, sources

SERVER = "https://www.openml.org"


class Public(NamedTuple):
    """A data set of OpenML: its number, and what it should hold; None = not known.

    `digest` is that of `sources.digest`.
    """

    openml: int
    samples: int | None = None
    features: int | None = None
    classes: int | None = None
    digest: str | None = None


PUBLIC = {
    "vehicle": Public(54, 846, 18, 4),
    "segment": Public(36, 2310, 19, 7),
    "satimage": Public(182, 6430, 36, 6),
    "wdbc": Public(1510, 569, 30, 2),
    "qsar-biodeg": Public(1494, 1055, 41, 2),
    "semeion": Public(1501, 1593, 256, 10),
    "hill-valley": Public(1479, 1212, 100, 2),
    "steel-plates-fault": Public(40982, 1941, 27, 7),
    "micro-mass": Public(1515, 571, 1300, 20),
    "gina_agnostic": Public(1038, 3468, 970, 2),
    "bioresponse": Public(4134, 3751, 1776, 2),
}
"""By name; shapes as OpenML's catalogue has them."""


def answer(url):
    """What a server sends: bytes.

    Raises
    ------
    OSError : with the address, where nothing comes.
    """
    try:
        with urllib.request.urlopen(url, timeout=sources.TIMEOUT) as opened:
            return opened.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise OSError(f"nothing came from {url} ({getattr(error, 'reason', error)}): this needs a network") from error


def described(number, server):
    """OpenML's description of a data set: dict with "url", "default_target_attribute", perhaps "md5_checksum"."""
    return json.loads(answer(f"{server}/api/v1/json/data/{number}"))["data_set_description"]


def download(name, facts, server=SERVER):
    """X (float64) and y (int) of a data set of OpenML, checked.

    Raises
    ------
    OSError : where nothing comes.
    ValueError : if something else comes than is expected, or a feature is no number.
    """
    said = described(facts.openml, server)
    path = sources.cache() / f"openml-{facts.openml}.arff"
    if not path.exists():
        content = answer(said["url"])
        wanted, found = said.get("md5_checksum"), hashlib.md5(content, usedforsecurity=False).hexdigest()
        if wanted not in (None, found):
            raise ValueError(f"the file of {name} must have the MD5 {wanted}, got {found}")
        partial = path.with_suffix(".part")
        partial.write_bytes(content)
        partial.replace(path)
    left_out = [said.get(key, []) for key in ("ignore_attribute", "row_id_attribute")]
    table = read_table(path, said["default_target_attribute"],
                       drop=[one for some in left_out for one in ([some] if isinstance(some, str) else some)])
    X, y = np.asarray(table.X, dtype=np.float64), np.unique(table.y, return_inverse=True)[1]
    shape = (*X.shape, len(np.unique(y)))
    known = facts._replace(**{key: value for key, value in zip(("samples", "features", "classes"), shape, strict=True)
                              if getattr(facts, key) is None})
    sources.check(name, X, y, known)
    return X, y


def write(path, X, y):
    """An NPZ file as the studies read them: all rows in the training part."""
    partial = path.with_name(f".{path.name}")
    np.savez_compressed(partial, X_train=X, y_train=y, X_test=X[:0], y_test=y[:0])
    partial.replace(path)


def main(argv=None, server=SERVER):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PUBLIC)}, or NAME=NUMBER of OpenML")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="default: extra, beside the folder of MOELIGA_DATA")
    options, failed = parser.parse_args(argv), False
    into = datasets.folder().parent / "extra" if options.into is None else options.into
    if not options.names:
        for name, facts in PUBLIC.items():
            where = "at hand" if (into / f"{name}.npz").is_file() else f"OpenML {facts.openml}"
            print(f"{name}: {facts.samples} x {facts.features}, {facts.classes} classes, {where}")
    for text in options.names:
        name, _, number = text.partition("=")
        if (number and not number.isdecimal()) or (not number and name not in PUBLIC):
            parser.error(f"NAME must be one of {', '.join(PUBLIC)}, or NAME=NUMBER, got {text!r}")
        try:
            X, y = download(name, Public(int(number)) if number else PUBLIC[name], server)
        except (OSError, ValueError, KeyError) as error:
            print(f"{name}: cannot be had: {error}", file=sys.stderr)
            failed = True
            continue
        into.mkdir(parents=True, exist_ok=True)
        write(into / f"{name}.npz", X, y)
        print(f"{name}: {X.shape[0]} x {X.shape[1]}, {len(np.unique(y))} classes, SHA-256 {sources.digest(X, y)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
