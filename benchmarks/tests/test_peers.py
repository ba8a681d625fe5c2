"""The comparison with peers: same rows for both, an honest judge, and a clear word where a peer is missing.

No peer needs to be installed.
"""

import importlib.metadata
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "protocol")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are not here")


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    """The scripts import the protocol from their own folder, and that the benchmarks from the one above."""
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.fixture
def protocol():
    return importlib.import_module("protocol")


@pytest.fixture
def wine(protocol):
    return protocol.load("wine")


def first_two(X, y, seed):
    """A search that looks at nothing."""
    return np.arange(X.shape[1]) < 2, 7


def test_a_bundled_set_is_cut_in_two_class_by_class(wine):
    """Every row of the set is in one part, 30 % of each class in the test part."""
    X, y = load_wine(return_X_y=True)
    both = np.vstack((wine.X_train, wine.X_test))
    assert sorted(map(tuple, both)) == sorted(map(tuple, X))
    assert np.abs(np.bincount(wine.y_test) - 0.3 * np.bincount(y)).max() <= 1


def test_a_set_of_the_folder_keeps_its_own_parts(protocol, tmp_path, monkeypatch):
    """MOELIGA_DATA names the folder, the name the file."""
    parts = {"X_train": np.eye(4), "y_train": np.arange(4) % 2, "X_test": np.ones((2, 4)), "y_test": np.arange(2)}
    np.savez(tmp_path / "mine.npz", **parts)
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    data = protocol.load("mine")
    for name, part in parts.items():
        np.testing.assert_array_equal(getattr(data, name), part)


def test_an_unknown_set_is_refused_with_the_names_there_are(protocol, tmp_path, monkeypatch):
    """Those of the folder and those of scikit-learn."""
    np.savez(tmp_path / "mine.npz", X=0)
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"'nothing'.*mine.*breast_cancer, digits, wine"):
        protocol.load("nothing")


def test_the_judge_is_the_mean_uar_of_trees_on_the_test_part(protocol, wine, rng):
    """Against scikit-learn's metric, tree by tree."""
    support = rng.random(13) < 0.4
    support[0] = True
    scores = []
    for seed in range(protocol.JUDGES):
        model = DecisionTreeClassifier(max_depth=100, random_state=seed).fit(wine.X_train[:, support], wine.y_train)
        scores.append(balanced_accuracy_score(wine.y_test, model.predict(wine.X_test[:, support])))
    assert protocol.judge(support, wine)[0] == pytest.approx(np.mean(scores), rel=1e-12)


@pytest.mark.evidence
def test_the_standard_error_is_that_of_test_parts_drawn_anew(protocol, rng, monkeypatch):
    """A feature that tells a class with known chance: the spread of UAR over many test parts of the same size."""
    monkeypatch.setattr(protocol, "JUDGES", 1)  # one feature: all trees are the same
    chance, y_test = np.array([0.9, 0.6]), np.repeat([0, 1], 40)
    drawn = []
    for _ in range(400):
        X_test = np.where(rng.random(80) < chance[y_test], y_test, 1 - y_test)[:, None]
        data = protocol.Data("made", np.array([[0], [1]]), np.array([0, 1]), X_test, y_test)
        drawn.append(protocol.judge(np.array([True]), data))
    scores, errors = np.array(drawn).T
    # the standard deviation of 400 numbers has a standard error of 3.5 %
    assert np.std(scores) == pytest.approx(np.mean(errors), rel=0.15)


def test_an_empty_subset_has_no_score(protocol, wine):
    """A peer may select nothing."""
    assert protocol.judge(np.zeros(13, dtype=bool), wine) == (None, None)


def test_trees_are_counted_through_clones(protocol, wine):
    """cross_val_score fits a clone for each fold; a forest counts all its trees."""
    counted = importlib.import_module("counted")
    counted.CountedTree.grown = 0
    cross_val_score(protocol.tree(0), wine.X_train, wine.y_train, cv=protocol.folds(0))
    assert counted.CountedTree.grown == protocol.FOLDS
    counted.CountedForest(n_estimators=5, random_state=0).fit(wine.X_train, wine.y_train)
    assert counted.CountedTree.grown == protocol.FOLDS + 5


def test_searches_see_the_training_part_only(protocol, wine):
    """What a peer gets is what moeliga gets."""
    seen = []

    def spy(X, y, seed):
        seen.append((X, y, seed))
        return first_two(X, y, seed)

    list(protocol.compare(wine, {"spy": spy}, seed=3, n_generations=1))
    (X, y, seed), = seen
    assert X is wine.X_train and y is wine.y_train and seed == 3


def test_rows_of_a_comparison(protocol, wine):
    """All features, the choice of moeliga, the peer, and the member of the front that is no larger."""
    everything, chosen, peer, member = protocol.compare(wine, {"first two": first_two}, seed=0, n_generations=2)
    assert everything.n_features == 13
    assert (chosen.method, chosen.n_trees) == ("moeliga, R1", 3 * chosen.n_subsets)
    assert (peer.n_features, peer.n_subsets, peer.n_trees) == (2, 7, 0)
    assert peer.score == protocol.judge(np.arange(13) < 2, wine)[0]
    assert member.n_features <= 2 and member.peer == "first two" and member.seconds is None


def test_a_peer_that_selects_nothing_has_no_counterpart(protocol, wine):
    """There is no member of size 0."""
    rows = list(protocol.compare(wine, {"none": lambda X, y, seed: (np.zeros(13, dtype=bool), None)}, 0, 1))
    assert [row.method for row in rows] == ["all features", "moeliga, R1", "none"]
    assert rows[-1].cells()[2:5] == ["0", "–", "–"]


def test_losses_are_told(protocol):
    """A lower score, more features for the same score, more time; nothing where moeliga is ahead."""
    def rows(score, size, seconds):
        return [protocol.Row("d", "moeliga, R1", 5, 0.8, 0.02, 2.0, 10, 30),
                protocol.Row("d", "peer", size, score, 0.02, seconds, 10, 30, "peer")]

    assert protocol.losses(rows(0.7, 3, 9.0)) == []
    assert "lower by 0.100" in protocol.losses(rows(0.9, 9, 9.0))[0]
    assert "needs 5 features for the same test UAR, not 3" in protocol.losses(rows(0.8, 3, 9.0))[0]
    assert "takes 1.0 s, moeliga 2.0 s" in protocol.losses(rows(0.7, 3, 1.0))[0]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_without_its_peer_says_so(protocol, monkeypatch, capsys, name):
    """Every script runs up to the search without its peer, and ends with a message and a code of its own."""
    def missing(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert ended.value.code == protocol.NOT_INSTALLED
    assert "is not installed: pip install" in capsys.readouterr().err


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_readme_shows_every_script(name):
    """Its command, and a table that it printed."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"`python benchmarks/peers/{name}.py " in text


def test_the_whole_printout(protocol, capsys):
    """Versions, a Markdown table with a row a method, notes, losses."""
    protocol.main("doc", "numpy", {"first two": first_two}, "A note\nof two lines.", ["wine", "--generations", "1"])
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 4 and len({line.count("|") for line in table}) == 1
    assert "A note of two lines." in lines
    assert lines[lines.index("Where moeliga loses:") + 2].startswith("- ")
