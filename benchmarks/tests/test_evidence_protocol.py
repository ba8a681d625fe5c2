"""Outer splits keep copies together and classes in proportion, and the judge's numbers are scikit-learn's."""


import numpy as np
import pytest
from evidence import module
from paper import judge, protocol
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from sklearn.tree import DecisionTreeClassifier


@pytest.fixture
def data(rng):
    """90 rows of unequal classes, 20 of them copies of others."""
    X = rng.standard_normal((90, 3))
    X[70:] = X[rng.integers(0, 60, size=20)]
    _, groups = np.unique(X, axis=0, return_inverse=True)
    y = np.array([0, 0, 0, 1, 1, 2])[groups.ravel() % 6]  # NumPy 2.0.0 gives a column
    return module("datasets").DataSet("made", X, y, None, "")


# splits


def test_copies_are_equal_rows():
    """0 and -0 are equal."""
    groups = protocol.copies(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0]]))
    assert groups[0] == groups[2] != groups[1]


def test_no_row_has_a_copy_on_the_other_side(data):
    for split in protocol.outer_splits(data):
        train, test = (set(map(tuple, data.X[part])) for part in (split.train, split.test))
        assert not train & test
        assert sorted([*split.train, *split.test]) == list(range(90))


def test_classes_are_in_proportion(data):
    """Below 30 % by less than the largest group, and never above."""
    largest = np.bincount(protocol.copies(data.X)).max()
    wanted = np.array([max(1, round(0.3 * n)) for n in np.bincount(data.y)])
    for split in protocol.outer_splits(data):
        assert split.note == ""
        below = wanted - np.bincount(data.y[split.test], minlength=3)
        assert below.min() >= 0 and below.max() < largest


def test_without_copies_the_share_is_exact(data, rng):
    clean = type(data)("clean", rng.standard_normal((90, 3)), data.y, None, "")
    for split in protocol.outer_splits(clean):
        wanted = [max(1, round(0.3 * n)) for n in np.bincount(data.y)]
        assert np.bincount(data.y[split.test]).tolist() == wanted


def test_splits_come_from_the_seed_alone(data):
    """The same again; the first ones do not depend on how many follow; another seed gives others."""
    few, many = protocol.outer_splits(data, 2, seed=4), protocol.outer_splits(data, 6, seed=4)
    for one, other in zip(few, many, strict=False):
        np.testing.assert_array_equal(one.test, other.test)
    assert len({tuple(split.test) for split in many}) == 6
    assert {tuple(split.test) for split in many}.isdisjoint(
        tuple(split.test) for split in protocol.outer_splits(data, 6, seed=5))


def test_the_own_split_comes_first_and_unchanged(data):
    own = np.arange(90) % 4 == 0
    split, *others = protocol.outer_splits(type(data)("own", data.X, data.y, own, ""), 2)
    assert split.name == protocol.OWN and [other.name for other in others] == ["0", "1"]
    np.testing.assert_array_equal(split.test, np.flatnonzero(own))
    np.testing.assert_array_equal(split.train, np.flatnonzero(~own))


def test_a_class_of_one_distinct_row_is_trained_on_and_said():
    y = np.array([0, 0, 0, 0, 1, 1, 2])
    groups = np.array([0, 1, 2, 3, 4, 4, 5])
    in_test, note = protocol.draw(y, groups, 0.3, np.random.default_rng(0))
    assert set(y[in_test]) == {0}
    assert note == "classes [1, 2] have one distinct row and are in the training part only"


def test_a_class_of_few_large_groups_has_its_smallest_in_the_test_part():
    """Four copies of one row and three of another: the share would be two."""
    y, groups = np.zeros(7, dtype=int), np.array([0, 0, 0, 0, 1, 1, 1])
    in_test, note = protocol.draw(y, groups, 0.3, np.random.default_rng(0))
    assert in_test.tolist() == [False] * 4 + [True] * 3 and note == ""


# judge


@pytest.mark.parametrize("n_classes", [2, 5])
def test_scores_are_those_of_scikit_learn(rng, n_classes):
    """UAR is balanced accuracy; the other metric comes from the confusion matrix; for two classes they coincide."""
    y_true = np.sort(np.arange(60) % n_classes)
    y_true[:8] = n_classes - 1  # classes of unequal sizes, else false alarms and misses have the same mean
    y_pred = np.where(rng.random(60) < 0.6, y_true, rng.integers(0, n_classes, 60))
    scores = judge.scores_of(y_true, y_pred)
    assert scores.uar == pytest.approx(balanced_accuracy_score(y_true, y_pred), rel=1e-12)
    counts = confusion_matrix(y_true, y_pred)
    both = []
    for label in range(n_classes):
        others = [other for other in range(n_classes) if other != label]
        rejected = counts[others][:, others].sum()
        both.append((counts[label, label] / counts[label].sum() + rejected / counts[others].sum()) / 2)
    assert scores.ovr == pytest.approx(np.mean(both), rel=1e-12)
    assert (scores.ovr == pytest.approx(scores.uar)) == (n_classes == 2)


def test_classes_that_are_not_in_the_test_part_do_not_count():
    """A class that was predicted and does not occur is no recall of 0."""
    assert judge.scores_of([0, 0, 1], [0, 2, 1]).uar == pytest.approx(0.75)
    assert judge.scores_of([0, 0], [0, 1])[:2] == (0.5, 0.75)


@pytest.mark.evidence
def test_the_standard_error_is_that_of_test_parts_drawn_anew(rng):
    """Classes recognised with known chances: the spread of UAR over many test parts of the same size."""
    chance, y_true = np.array([0.9, 0.6, 0.75]), np.repeat([0, 1, 2], [40, 25, 60])
    drawn = []
    for _ in range(400):
        y_pred = np.where(rng.random(len(y_true)) < chance[y_true], y_true, (y_true + 1) % 3)
        drawn.append(judge.scores_of(y_true, y_pred))
    # the standard deviation of 400 numbers has a standard error of 3.5 %
    assert np.std([scores.uar for scores in drawn]) == pytest.approx(np.mean([s.se for s in drawn]), rel=0.15)


def test_the_tree_is_a_mean_over_seeds(parts):
    X_train, y_train, X_test, y_test = parts
    support = np.arange(13) % 3 == 0
    scores = [balanced_accuracy_score(y_test, DecisionTreeClassifier(max_depth=100, random_state=seed).fit(
        X_train[:, support], y_train).predict(X_test[:, support])) for seed in range(judge.TREES)]
    assert judge.judge(support, *parts)["tree"].uar == pytest.approx(np.mean(scores), rel=1e-12)


def test_every_classifier_of_the_paper_learns_and_is_scaled_by_itself(parts):
    """Features in other units change nothing, for test data too: scaling is part of the model."""
    X_train, y_train, X_test, y_test = parts
    support = np.arange(13) != 4
    found = judge.judge(support, X_train, y_train, X_test, y_test, tuple(judge.CLASSIFIERS))
    assert list(found) == ["tree", "forest", "adaboost", "svm", "bayes", "mlp"]
    assert min(scores.uar for scores in found.values()) > 0.85
    units = 2.0 ** np.arange(-24, 25, 4)  # powers of two: scaled back, the values are the same to the last bit
    scaled = judge.judge(support, X_train * units, y_train, X_test * units, y_test, ("adaboost", "svm", "bayes", "mlp"))
    for name, scores in scaled.items():
        assert scores == found[name], name


def test_a_classifier_that_gives_up_costs_its_own_score_only(monkeypatch, parts):
    def stubborn(k, n_classes, seed):
        raise ValueError("worse than random")

    monkeypatch.setitem(judge.CLASSIFIERS, "adaboost", lambda *arguments: type("Stubborn", (), {"fit": stubborn})())
    found = judge.judge(np.ones(13, dtype=bool), *parts, ("adaboost", "bayes"))
    assert np.isnan(found["adaboost"].uar) and found["bayes"].uar > 0.9


def test_an_empty_subset_has_no_score(parts):
    nothing = np.zeros(13, dtype=bool)
    assert np.isnan(judge.judge(nothing, *parts)["tree"].uar)
    assert np.isnan(judge.fresh_score(nothing, *parts[:2])[0])


def test_fresh_scores_are_of_splits_of_the_training_part(parts):
    """Against as many splits of scikit-learn's tree, within the noise of both."""
    X_train, y_train, _, _ = parts
    support = np.arange(13) % 4 == 0
    score, error = judge.fresh_score(support, X_train, y_train)
    random, theirs = np.random.default_rng(0), []
    for _ in range(judge.FRESH_SPLITS):
        held = np.concatenate([random.permutation(np.flatnonzero(y_train == c))[: int(np.ceil(
            0.3 * np.count_nonzero(y_train == c)))] for c in range(3)])
        kept = np.setdiff1d(np.arange(len(y_train)), held)
        model = DecisionTreeClassifier(random_state=0).fit(X_train[kept][:, support], y_train[kept])
        theirs.append(balanced_accuracy_score(y_train[held], model.predict(X_train[held][:, support])))
    assert abs(score - np.mean(theirs)) < 4 * np.hypot(error, np.std(theirs) / np.sqrt(50))
    assert 0.65 < error / (np.std(theirs) / np.sqrt(50)) < 1.55  # each side is known to a tenth
