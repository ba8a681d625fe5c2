"""The study of hints: rows for every member, and the comparison within members of one size."""

import numpy as np
import pytest
from evidence import AT_HAND, module, save_parts
from scipy.stats import pearsonr
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

pytestmark = AT_HAND


@pytest.fixture
def hints():
    return module("hints")


@pytest.mark.evidence
def test_the_command_asks_every_member_and_resumes(hints, tmp_path, monkeypatch, capsys):
    """Rows with all hints, sizes that occur more than once, a summary; a second run is idle."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    X, y = load_wine(return_X_y=True)
    save_parts(tmp_path / "mine.npz", X[::2], y[::2])
    monkeypatch.setattr(hints, "EVALUATIONS", 300)
    command = ["mine", "--splits", "2", "--out", str(tmp_path / "out")]
    assert hints.main(command) == 0
    rows = hints.Results(tmp_path / "out" / "hints.csv", hints.COLUMNS).rows
    assert {row["split"] for row in rows} == {"0", "1"} and all(row["status"] == "ok" for row in rows)
    assert all(np.isfinite(float(row[hint])) for row in rows for hint in hints.HINTS)
    sizes = [row["size"] for row in rows if row["split"] == "0"]
    assert len(set(sizes)) < len(sizes)
    printed = capsys.readouterr().out
    assert "Members of one size" in printed and "| nearest neighbour | 1 |" in printed
    assert (tmp_path / "out" / "hints-summary.csv").exists()
    hints.main(command)
    assert hints.Results(tmp_path / "out" / "hints.csv", hints.COLUMNS).rows == rows


@pytest.mark.evidence
def test_hints_see_only_what_they_are_given(hints):
    """The nearest neighbour is that of a leave-one-out; a column that tells the classes apart has the best of each."""
    X, y = load_wine(return_X_y=True)
    clear = np.column_stack((y / 2, y / 2)) + np.random.default_rng(0).normal(size=(len(y), 2)) / 100
    blurred = X[:, :2] / X[:, :2].max(axis=0)
    found = cross_val_predict(KNeighborsClassifier(1), blurred, y, cv=LeaveOneOut())
    assert hints.nearest(blurred, y) == pytest.approx(balanced_accuracy_score(y, found))
    for name, hint in hints.OF_COLUMNS.items():
        assert hint(clear, y) > hint(blurred, y), name
        assert hint(blurred, y) == hint(blurred, y), name


def test_members_are_compared_within_their_size(hints):
    """A hint that follows the size alone tells nothing; one that follows the test UAR does; single members are left
    out."""
    random = np.random.default_rng(1)
    rows, tests = [], {}
    for split in range(4):
        for size in (1, 2, 3, 9):
            for place in range(1 if size == 9 else 4):
                test = float(random.random())
                tests.setdefault((split, size), []).append(test)
                values = dict.fromkeys(hints.HINTS, 0.5) | {
                    "score": test + random.normal() / 5, "separability": -test, "naive Bayes": size * 1.0}
                rows.append({"data": "d", "split": str(split), "seed": "0", "size": str(size), "place": str(place),
                             "status": "ok", "test": str(test)} | {name: str(value) for name, value in values.items()})
    lines = {line[0]: line[1:] for line in hints.summary(rows)}
    pairs = [(split, size) for split, size in tests if size != 9]
    best = np.mean([max(tests[pair]) - np.mean(tests[pair]) for pair in pairs])
    worst = np.mean([min(tests[pair]) - np.mean(tests[pair]) for pair in pairs])
    score = [[float(row["score"]) for row in rows if (int(row["split"]), int(row["size"])) == pair] for pair in pairs]
    expected = pearsonr(np.ravel([np.array(values) - np.mean(values) for values in score]),
                        np.ravel([np.array(tests[pair]) - np.mean(tests[pair]) for pair in pairs])).statistic
    assert lines["score"][1] == pytest.approx(expected) and 0 < lines["score"][4] < best
    assert lines["separability"][1] == pytest.approx(-1) and lines["separability"][4] == pytest.approx(worst)
    assert np.isnan(lines["naive Bayes"][1]) and lines["naive Bayes"][4] == pytest.approx(0, abs=1e-12)
    assert lines["separability"][0] == 1 and lines["separability"][2:4] == [0, 1]
