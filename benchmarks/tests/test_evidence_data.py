"""The paper's data sets: found where they are, checked where they come from, and refused in clear words."""

import io
import re
import tarfile
import zipfile

import numpy as np
import pytest
from paper import datasets as paper
from paper import facts, sources
from sklearn import datasets as bundled
from sklearn.utils import Bunch


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """An empty local folder and an empty cache."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    monkeypatch.setenv("MOELIGA_DATA_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def made(rng):
    """X and y of 12 rows, some of them equal."""
    X = rng.integers(0, 3, size=(12, 4)).astype(np.float64)
    X[6:9] = X[:3]
    y = np.arange(12) % 3
    y[6:9] = y[:3]
    return X, y


def test_all_fourteen_of_the_paper_are_known():
    """Each can be had from somewhere: files of the authors, OpenML or UCI."""
    assert len(facts.FACTS) == 14
    assert all(known.files or known.openml or known.url for known in facts.FACTS.values())


def test_facts_are_those_of_the_files_at_hand(paper_data, monkeypatch):
    """Samples, features, classes and digest of every NPZ file; mfeat has no digest, its values are rounded."""
    monkeypatch.setenv("MOELIGA_DATA", str(paper_data))
    at_hand = [name for name in paper.names() if name in facts.FACTS]
    assert at_hand
    for name in at_hand:
        data, known = paper.whole(name), facts.FACTS[name]
        assert (*data.X.shape, len(np.unique(data.y))) == (known.samples, known.features, known.classes), name
        assert known.digest in (None, sources.digest(data.X, data.y)), name


def test_whole_joins_the_parts_of_a_file_and_says_which_is_which(folder, made):
    X, y = made
    np.savez(folder / "mine.npz", X_train=X[:8], y_train=y[:8], X_test=X[8:], y_test=y[8:])
    data = paper.whole("mine")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.in_test.tolist() == [False] * 8 + [True] * 4


def test_files_of_the_authors_are_read(folder, made, monkeypatch):
    """ARFF files under their names in the authors' folder; the last attribute is the class."""
    X, y = made
    features = "".join(f"@attribute a{f} numeric\n" for f in range(4))
    head = f"@relation r\n{features}@attribute class {{u,v,w}}\n@data\n"
    known = facts.FACTS["yeoh"]
    for file, rows in zip(known.files, (slice(0, 8), slice(8, 12)), strict=True):
        (folder / file).parent.mkdir(exist_ok=True)
        lines = (",".join(map(str, row)) + "," + "uvw"[label] for row, label in zip(X[rows], y[rows], strict=True))
        (folder / file).write_text(head + "\n".join(lines) + "\n")
    data = paper.whole("yeoh")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.in_test.sum() == 4


def test_the_digest_minds_values_and_classes_and_nothing_else(made, rng):
    """Not the order of rows, the names of classes, or the sign of 0."""
    X, y = made
    order = rng.permutation(12)
    same = sources.digest(X, y)
    assert sources.digest(np.where(X == 0, -0.0, X)[order], np.array(["p", "b", "m"])[y][order]) == same
    other = X.copy()
    other[3, 2] += 1e-9
    assert sources.digest(other, y) != same
    swapped = y.copy()
    swapped[[3, 4]] = y[[4, 3]]
    assert sources.digest(X, swapped) != same
    assert sources.digest(X[:, ::-1], y) != same


def test_a_set_that_cannot_be_had_says_what_was_tried_and_what_to_do():
    with pytest.raises(SystemExit) as caught:
        paper.whole("all-leukemia")
    message = str(caught.value)
    assert re.search(r"'all-leukemia' cannot be had; tried\n  NPZ file: .*\n  the authors' ARFF files: .*is not there\n"
                     r"  OpenML and UCI: neither has it\nWhat to do: put all-leukemia.npz .*ldvignolo", message)


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(SystemExit, match=r"'nothing' cannot be had(.|\n)*none of the paper's: madelon, dermatology"):
        paper.whole("nothing")


def openml_of(X, y, calls):
    """A stand-in for scikit-learn's fetch_openml: nominal attributes are text, as in OpenML's files."""
    pandas = pytest.importorskip("pandas")

    def fetch(data_id, as_frame, parser, data_home, n_retries):
        calls.append(data_id)
        frame = pandas.DataFrame(X, columns=[f"V{f}" for f in range(X.shape[1])])
        frame["V1"] = frame["V1"].astype(int).astype(str).astype("category")
        return Bunch(data=frame, target=pandas.Series(y))

    return fetch


def test_what_comes_from_openml_is_checked(made, monkeypatch):
    """The right data are taken, other values and other shapes refused with both digests or shapes."""
    X, y = made
    calls = []
    monkeypatch.setattr(bundled, "fetch_openml", openml_of(X, np.array(["a", "b", "c"])[y], calls))
    known = facts.Facts(12, 4, 3, 2, openml=(7,), digest=sources.digest(X, y))
    monkeypatch.setitem(facts.FACTS, "made", known)
    data = paper.whole("made")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.in_test is None and calls == [7]
    monkeypatch.setitem(facts.FACTS, "made", known._replace(digest="0" * 64))
    with pytest.raises(SystemExit, match=rf"must have the digest {'0' * 64}, got {known.digest}"):
        paper.whole("made")
    monkeypatch.setitem(facts.FACTS, "made", known._replace(samples=13))
    with pytest.raises(SystemExit, match=r"must have \(13, 4, 3\) samples, features and classes, got \(12, 4, 3\)"):
        paper.whole("made")


def test_a_first_download_is_remembered(made, monkeypatch, capsys):
    """Without a digest of its own a set must at least stay what it was."""
    X, y = made
    monkeypatch.setattr(bundled, "fetch_openml", openml_of(X, y, []))
    monkeypatch.setitem(facts.FACTS, "made", facts.Facts(12, 4, 3, 2, openml=(7,)))
    paper.whole("made")
    assert sources.digest(X, y) in capsys.readouterr().out
    paper.whole("made")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(bundled, "fetch_openml", openml_of(X + 1, y, []))
    with pytest.raises(SystemExit, match="must have the digest"):
        paper.whole("made")


def test_data_sets_side_by_side_must_have_the_same_rows(made, monkeypatch):
    """mfeat is six data sets of OpenML."""
    X, y = made
    monkeypatch.setattr(bundled, "fetch_openml", openml_of(X, y, []))
    wide, labels, names = sources.openml((1, 2))
    np.testing.assert_array_equal(wide, np.hstack((X, X)))
    assert len(names) == 8 and labels.tolist() == [str(label) for label in y]
    turns = iter((y, y[::-1]))
    monkeypatch.setattr(bundled, "fetch_openml", lambda **options: openml_of(X, next(turns), [])(**options))
    with pytest.raises(ValueError, match="must have the same rows"):
        sources.openml((1, 2))


def test_rows_are_treated_as_the_authors_did():
    """dermatology loses the rows without an age; arrhythmia gets zeros, and loses class 8."""
    X = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    y = np.array(["1", "8", "8"])
    kept, labels, _ = sources.as_the_authors("dermatology", X, y, None)
    assert kept.tolist() == [[2.0, 3.0], [4.0, 5.0]] and labels.tolist() == ["8", "8"]
    kept, labels, _ = sources.as_the_authors("arrhythmia", X, y, None)
    assert kept.tolist() == [[1.0, 0.0]] and labels.tolist() == ["1"]


def test_the_archive_of_uci_is_unpacked(folder, made, monkeypatch):
    """A ZIP with a tar.gz with two tables; it is downloaded once, and classes are matched by the names of samples."""
    X, y = made
    names = [f"s{i}" for i in range(12)]
    tables = {"data.csv": ",g0,g1,g2,g3\n" + "".join(
        f"{name},{','.join(map(str, row))}\n" for name, row in zip(names, X, strict=True)),
        "labels.csv": ",Class\n" + "".join(f"{name},c{y[i]}\n" for i, name in reversed(list(enumerate(names))))}
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as tar:
        for name, text in tables.items():
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("folder.tar.gz", inner.getvalue())
    asked = []

    def answer(url, timeout):
        asked.append(url)
        return io.BytesIO(outer.getvalue())

    monkeypatch.setattr(sources.urllib.request, "urlopen", answer)
    for _ in range(2):
        values, labels, genes = sources.rna_seq("https://example.org/a.zip")
        np.testing.assert_array_equal(values, X)
        assert labels.tolist() == [f"c{label}" for label in y]
        assert genes.tolist() == ["g0", "g1", "g2", "g3"]
    assert asked == ["https://example.org/a.zip"]


def test_the_table_of_data_sets_has_a_row_for_each(capsys):
    paper.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 14 and len({line.count("|") for line in lines}) == 1
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {name}" for name in facts.FACTS]
