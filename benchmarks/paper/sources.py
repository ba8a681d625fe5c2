"""Data sets from OpenML and UCI, and the check that what came is what was expected.

What is checked is not the file but the data: `digest` does not depend on the order of rows, nor on the names of
classes, so that one SHA-256 fits the authors' files, OpenML's and a local copy. A set whose data nobody could look at
beforehand has none in `facts`: then the digest of its first download is written beside the cache, and later ones must
have the same.
"""

import csv
import hashlib
import io
import os
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import numpy as np

CACHE = "MOELIGA_DATA_CACHE"
"""Variable of the environment that names the folder for downloads."""

TIMEOUT = 60
"""Seconds without an answer after which a download counts as failed."""


def cache():
    """Folder for downloads; made where it is missing."""
    path = Path(os.environ.get(CACHE, Path.home() / ".cache" / "moeliga-paper"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def digest(X, y):
    """SHA-256 of a data set, whatever the order of its rows and the names of its classes.

    Parameters
    ----------
    X : array-like of float, shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    digest : str of 64 hexadecimal digits
        Of the shape, of the rows as little-endian float64 in the order of their bytes, and of the classes of these
        rows, numbered as they first appear. Equal rows of different classes that appear nowhere before would make it
        ambiguous; the paper's sets have none.
    """
    X = np.ascontiguousarray(X, dtype="<f8") + 0.0  # -0 becomes 0
    rows = X.view(np.dtype((np.void, X.itemsize * X.shape[1]))).ravel()
    order = np.argsort(rows, kind="stable")
    numbers = {}
    codes = [numbers.setdefault(label, len(numbers)) for label in np.asarray(y)[order].tolist()]
    found = hashlib.sha256(repr(X.shape).encode())
    found.update(X[order].tobytes())
    found.update(np.array(codes, dtype="<i4").tobytes())
    return found.hexdigest()


def check(name, X, y, facts):
    """Raise ValueError unless the data of a download are those of `facts`; see the top of this file."""
    shape = (*X.shape, len(np.unique(y)))
    wanted = (facts.samples, facts.features, facts.classes)
    if shape != wanted:
        raise ValueError(f"{name} must have {wanted} samples, features and classes, got {shape}")
    found, recorded = digest(X, y), cache() / f"{name}.sha256"
    expected = facts.digest or (recorded.read_text().strip() if recorded.exists() else None)
    if expected is None:
        recorded.write_text(found + "\n")
        print(f"{name}: no digest to compare with; written to {recorded}: {found}")
    elif found != expected:
        raise ValueError(f"the data of {name} must have the digest {expected}, got {found}")


def openml(numbers):
    """Data sets of OpenML side by side, as one: X (float64, NaN = missing), y (str), names of features."""
    from sklearn.datasets import fetch_openml

    parts, names, y = [], [], None
    for number in numbers:
        bunch = fetch_openml(data_id=number, as_frame=True, parser="auto", data_home=cache(), n_retries=1)
        # nominal attributes hold numbers as text
        parts.append(bunch.data.astype(object).replace("?", np.nan).to_numpy().astype(np.float64))
        names += [str(column) for column in bunch.data.columns]
        labels = bunch.target.astype(str).to_numpy()
        if y is not None and not np.array_equal(y, labels):
            raise ValueError(f"OpenML's data sets {numbers} must have the same rows, got others in {number}")
        y = labels
    return np.hstack(parts), y, np.array(names)


def rna_seq(url):
    """UCI's gene expression cancer RNA-Seq: a ZIP that holds a tar.gz with a table of values and one of classes."""
    path = cache() / "tcga-pancan.zip"
    if not path.exists():
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
            content = answer.read()
        partial = path.with_suffix(".part")
        partial.write_bytes(content)
        partial.replace(path)
    with zipfile.ZipFile(path) as outer:
        inner = next(name for name in outer.namelist() if name.endswith(".tar.gz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(inner))) as folder:
            files = {Path(member.name).name: member for member in folder if member.isfile()}
            tables = [list(csv.reader(io.TextIOWrapper(folder.extractfile(files[name]), encoding="utf-8")))
                      for name in ("data.csv", "labels.csv")]
    values, labels = tables
    classes = {row[0]: row[1] for row in labels[1:]}
    X = np.array([row[1:] for row in values[1:]], dtype=np.float64)
    return X, np.array([classes[row[0]] for row in values[1:]]), np.array(values[0][1:])


def as_the_authors(name, X, y, names):
    """What the authors did to the rows of UCI's files before they split them."""
    if name == "dermatology":
        kept = ~np.isnan(X).any(axis=1)
    elif name == "arrhythmia":
        X, kept = np.nan_to_num(X, nan=0.0), y != "8"
    else:
        kept = np.ones(len(y), dtype=bool)
    return X[kept], y[kept], names


def download(name, facts):
    """X (float64), y (str) and feature names of a data set, checked.

    Raises
    ------
    OSError : where it cannot be had: no network, no such file.
    ImportError : without pandas, which reads OpenML's files.
    ValueError : if something else came.
    """
    X, y, names = as_the_authors(name, *(openml(facts.openml) if facts.openml else rna_seq(facts.url)))
    check(name, X, y, facts)
    return X, y, names
