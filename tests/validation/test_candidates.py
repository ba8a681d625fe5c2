"""Candidates: which subsets of a search are asked about, and that held out samples have no part in them."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import f_oneway, pearsonr
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB

from cross_fitted import data, ready, small
from moeliga import Constraints
from moeliga._ext import bits, draw
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import bits_of
from moeliga.forest.classifier import RandomForestClassifier
from moeliga.forest.regressor import RandomForestRegressor
from moeliga.search.loop import outcome_of, run
from moeliga.search.progress import Progress
from moeliga.validation.candidates import Slot, baselines_of, best_of_ranges, candidates_of, ranking_of, size_ranges
from moeliga.validation.deployed import Deployed


def searched(selector, X, y):
    """A search that has ended: the preparation, and its outcome."""
    plan, begun = ready(selector, X, y)
    progress = Progress.begin(begun, plan.patience)
    run(begun.search, begun.bits, plan.n_generations, plan.evaluation.n_rescore_splits, progress, [])
    begun.search.budget.close()
    return begun, outcome_of(begun.search, progress, plan.evaluation.n_rescore_splits)


@pytest.mark.parametrize(("n_features", "options", "wanted"), [
    (9, {}, [(k, k) for k in range(1, 7)] + [(7, 9)]),
    (60, {}, [(k, k) for k in range(1, 7)] + [(7, 12), (13, 30)]),
    (30, {"max_features": 4}, [(k, k) for k in range(1, 5)]),
    (60, {"max_features": 0.2}, [(k, k) for k in range(1, 7)] + [(7, 12)]),
    (16, {"max_features": 0.2}, [(k, k) for k in range(1, 5)]),
    (100, {"max_features": 0.07}, [(k, k) for k in range(1, 8)]),
    (30, {"islands__sizes": (2, 5, 11)}, [(1, 1), (2, 2), (3, 5), (6, 11)]),
    (30, {"islands__sizes": (2, 5), "constraints__must_include": [3, 4]}, [(3, 3), (4, 4), (5, 5)]),
    (30, {"islands__sizes": (4, 9), "constraints__min_features": 3}, [(3, 3), (4, 4), (5, 9)]),
    (30, {"islands": None, "max_features": 8}, [(k, k) for k in range(1, 9)]),
    (2, {}, [(1, 1), (2, 2)]),
    (1, {}, [(1, 1)]),
], ids=str)
def test_slots_are_the_sizes_of_the_first_band_and_the_further_bands(rng, n_features, options, wanted):
    """Also where islands have no bands of their own; forced features count."""
    X, y = data(rng, n_features=n_features)
    _, begun = ready(small(**options), X, y)
    assert size_ranges(begun.bands) == wanted


def test_the_best_of_every_slot(rng):
    """By a loop: the best score, then the smaller subset, then the first."""
    for _ in range(50):
        sizes, scores = rng.integers(1, 12, size=20), rng.integers(4, size=20) / 4
        ranges = [(1, 1), (2, 2), (3, 7), (8, 20), (21, 30)]
        wanted = {}
        for least, most in ranges:
            for place in range(20):
                best = wanted.get((least, most))
                if least <= sizes[place] <= most and (best is None or scores[place] > scores[best] or (
                        scores[place] == scores[best] and sizes[place] < sizes[best])):
                    wanted[least, most] = place
        assert best_of_ranges(sizes, scores, ranges) == wanted


@pytest.mark.parametrize("options", [{}, {"islands": None}, {"archive": False}, {"evaluation__n_rescore_splits": 0},
                                     {"constraints__must_include": [4], "max_features": 7}], ids=str)
def test_a_search_gives_the_best_of_every_slot_by_its_own_score(rng, options):
    """Of all that it has found, by brute force over the masks."""
    begun, outcome = searched(small(**options), *data(rng, n_features=14))
    found = candidates_of(begun, outcome)
    space = begun.search.whole
    masks = space.masks(space.chromosomes(outcome.found.bits))
    scores = outcome.found.objectives[:, 0]
    for least, most in size_ranges(begun.bands):
        places = [i for i in range(len(masks)) if least <= masks[i].sum() <= most]
        assert (Slot("search", least, most) in found) == bool(places)
        if places:
            best = min(places, key=lambda i: (-scores[i], masks[i].sum(), i))
            assert_array_equal(found[Slot("search", least, most)], masks[best])
    assert list(found)[-1] == Slot("all", 14, 14)
    assert found[Slot("all", 14, 14)].all()


def test_baselines_are_scored_as_what_the_search_finds(rng):
    """On the same splits: subsets of the front, in another order, have the scores that they have there."""
    plan, begun = ready(small(), *data(rng))
    search, progress = begun.search, Progress.begin(begun, plan.patience)
    run(search, begun.bits, 0, 3, progress, [])
    found = outcome_of(search, progress, 3).found
    places = np.arange(1, len(found.bits))[::-1]
    search.baselines = found.bits[places]
    baselines = outcome_of(search, progress, 3).baselines
    assert len(np.unique(found.scores[places], axis=0)) > 1
    for name in ("bits", "scores", "objectives"):
        assert_array_equal(getattr(baselines, name), getattr(found, name)[places])


def test_places_of_features_go_by_folds_then_the_front_then_the_baselines(rng):
    """By a plain sort; of so few subsets that many shares are equal."""
    def masks(n):
        return rng.random((n, 6)) < 0.5

    def share(found, f):
        return sum(bool(mask[f]) for mask in found) / max(1, len(found))

    for _ in range(100):
        folds = {Slot("search", 1, 1): masks(1), Slot("search", 2, 4): masks(1), Slot("forest", 2, 4): masks(2)}
        folds = folds if rng.random() < 0.7 else {}
        front = SimpleNamespace(supports=masks(4), source=rng.choice(["search", "forest"], size=4), n_features=6)
        baselines = SimpleNamespace(supports=masks(rng.integers(3)))
        candidates = [mask for slot, found in folds.items() if slot.source == "search" for mask in found]
        members = [mask for mask, source in zip(front.supports, front.source, strict=True) if source == "search"]
        order = sorted(range(6), key=lambda f: (
            -share(candidates, f), -share(members, f), -share(baselines.supports, f), f))
        assert [order[place - 1] for place in ranking_of(folds, front, baselines)] == list(range(6))


def first(scores, n):
    """The n features of the best scores, as a mask; of equal ones the first."""
    mask = np.zeros(len(scores), dtype=bool)
    mask[sorted(range(len(scores)), key=lambda f: (-scores[f], f))[:n]] = True
    return mask


@pytest.mark.parametrize("regression", [False, True])
def test_rankings_are_those_of_other_libraries(rng, regression):
    """SciPy's tests of each feature; and the importances of the forest, which `tests/forest` compares with its twin,
    with the search's own seed."""
    X, y = data(rng, n_features=20, n_classes=3)
    y = X[:, 0] + X[:, 4] ** 2 + rng.normal(size=48) if regression else y
    _, begun = ready(small(DummyRegressor() if regression else None), X, y)
    found = baselines_of(begun)
    word = draw.words(begun.search.seed, (Purpose.ESTIMATOR << 8 | Purpose.RANK, 0, 0, 0, 0), 1)[0]
    forest = (RandomForestRegressor if regression else RandomForestClassifier)(5, random_state=int(word) >> 33)
    scores = {"forest": forest.fit(X, y).feature_importances_,
              "f_regression" if regression else "f_classif":
              [abs(pearsonr(column, y)[0]) if regression else f_oneway(*(column[y == c] for c in range(3)))[0]
               for column in X.T]}
    for name, values in scores.items():
        for least, most in [(1, 6), (7, 12)]:
            assert_array_equal(found.pop(Slot(name, least, most)), first(values, most))
    assert list(found) == [Slot("all", 20, 20)]


@pytest.mark.parametrize(("options", "largest"), [({}, 96), ({"islands": None}, 96), ({"max_features": 20}, 20),
                                                  ({"islands__sizes": (3, 9)}, 9)], ids=str)
def test_rankings_go_on_where_the_search_ends(rng, options, largest):
    """Up to half of the features, unless the largest size is said."""
    _, begun = ready(small(**options), *data(rng, n_features=400))
    sizes = {slot.most: mask.sum() for slot, mask in baselines_of(begun).items() if slot.source == "forest"}
    assert [most for most in sizes if most > largest] == ([192] if largest == 96 else [])
    assert sizes == {most: most for most in sizes}
    assert max(most for _, most in size_ranges(begun.bands)) == largest


def test_the_first_of_a_ranking_count_the_features_of_every_subset(rng):
    """As the sizes of the search do: the best others fill up what these leave of a band."""
    X, y = data(rng, n_features=20)
    _, begun = ready(small(constraints__must_include=[4, 11], max_features=9, islands__sizes=(5, 9)), X, y)
    space, scores = begun.search.whole, [f_oneway(column[y == 0], column[y == 1])[0] for column in X.T]
    others = [f for f in np.argsort(scores)[::-1] if f not in (4, 11)]
    found = {slot: space.masks(space.chromosomes(bits_of(groups[None])))[0]
             for slot, groups in baselines_of(begun).items() if slot.source == "f_classif"}
    assert [(slot.least, slot.most) for slot in found] == [(2, 5), (6, 9)]
    for slot, mask in found.items():
        assert_array_equal(np.flatnonzero(mask), sorted([4, 11, *others[: slot.most - 2]]))


@pytest.mark.parametrize("n_features", [1, 2, 9])
def test_all_features_are_one_candidate(rng, n_features):
    """Though the largest band goes as far, and the first of a ranking are then all, too."""
    _, begun = ready(small(), *data(rng, n_features=n_features))
    assert size_ranges(begun.bands)[-1][1] == n_features
    assert [slot.source for slot, groups in baselines_of(begun).items() if groups.all()] == ["all"]


def test_missing_values_leave_the_forest(rng):
    """The F-test is not defined."""
    X, y = data(rng, n_features=14)
    X[3, 3] = np.nan
    _, begun = ready(small(HistGradientBoostingClassifier()), X, y)
    assert {slot.source for slot in baselines_of(begun)} == {"forest", "all"}


@pytest.mark.parametrize(("constraints", "max_features"), [
    (Constraints(must_include=[3, 7], exclude=[0]), 9),
    (Constraints(exclude=[0, 1, 2]), None),
    (Constraints(groups=[f // 3 for f in range(15)]), 9),
    (Constraints(groups=[f // 2 for f in range(15)], must_include=[4], exclude=[9], min_features=4), None),
    (Constraints(min_features=5), None),
], ids=str)
def test_constraints_hold_for_every_candidate(rng, constraints, max_features):
    """Of every fold, and of the front; "all" has all allowed features, whatever the largest size is."""
    X, y = data(rng, n_features=15)
    selector = small(DummyClassifier(), constraints=constraints, max_features=max_features, honest=2).fit(X, y)
    include, exclude = (set(given or ()) for given in (constraints.must_include, constraints.exclude))
    groups = [{f for f in range(15) if constraints.groups[f] == label} - exclude
              for label in set(constraints.groups or ())]
    include |= set().union(*(group for group in groups if group & include))

    def hold(mask):
        chosen = set(np.flatnonzero(mask).tolist())
        assert include <= chosen
        assert not exclude & chosen
        assert all(group <= chosen or not group & chosen for group in groups)
        assert len(chosen) >= constraints.min_features

    n_all = 15 - len(exclude)
    for slot, masks in selector.fold_supports_.items():
        for mask in masks:
            hold(mask)
            assert slot.least <= mask.sum() <= slot.most or slot.source not in ("search", "all")
            assert mask.sum() == n_all if slot.source == "all" else mask.sum() <= (max_features or 15)
    assert Slot("all", n_all, n_all) in selector.fold_supports_
    for mask in selector.pareto_front_.supports:
        hold(mask)
        assert mask.sum() <= (max_features or 15)


# held out samples


class Listening(GaussianNB):
    """A classifier that tells what it is fitted to."""

    heard = []

    def fit(self, X, y):
        Listening.heard.append((X, y))
        return super().fit(X, y)


@pytest.fixture
def asked(monkeypatch):
    """The masks that the model is asked about, fold after fold: list."""
    masks, ask = [], Deployed.answers_for

    def listening(self, *given):
        masks.append(given[0])
        return ask(self, *given)

    monkeypatch.setattr(Deployed, "answers_for", listening)
    return masks


PAIRS = [(np.arange(16, 48), np.arange(16)), (np.r_[:16, 32:48], np.arange(16, 32)), (np.arange(32), np.arange(32, 48))]


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{}, {"islands": None, "feature_prior": None, "archive": False},
                                     {"evaluation__subsample": 24, "local_improvement": "parent"}], ids=str)
def test_what_a_fold_holds_out_has_no_part_in_its_candidates(rng, asked, options):
    """Other values and classes there: not a bit of the fold's candidates is another, while those of other folds are."""
    X, y = data(rng, n_features=14)
    selector = small(honest=PAIRS, **options).fit(X, y)
    held = PAIRS[1][1]
    X, y = X.copy(), y.copy()
    X[held], y[held] = 100 * rng.normal(size=(16, 14)) ** 3, rng.permutation(y[held] ^ 1)
    selector.fit(X, y)
    assert [len(masks) == 1 for masks in asked] == 2 * [True, False, False, False]  # the model is tried first
    same = [one.tobytes() == other.tobytes() for one, other in zip(asked[1:4], asked[5:], strict=True)]
    assert same == [False, True, False]


def test_the_model_sees_the_training_rows_of_the_candidates(rng, asked, monkeypatch):
    """Fold after fold, each distinct candidate once, the largest first, after a trial; and no other fit is made."""
    monkeypatch.setattr(Listening, "heard", [])
    X, y = data(rng)
    small(Listening(), honest=PAIRS).fit(X, y)
    heard = iter(Listening.heard)
    for (train, _), masks in zip([PAIRS[0], *PAIRS], asked, strict=True):
        left, sizes = {mask.tobytes(): mask for mask in masks}, []
        while left:
            X_given, y_given = next(heard)
            assert_array_equal(y_given, y[train])
            key, = (key for key, mask in left.items()
                    if np.array_equal(X_given, X[np.ix_(train, np.flatnonzero(mask))]))
            sizes.append(left.pop(key).sum())
        assert sizes == sorted(sizes, reverse=True)
    assert not list(heard)


def test_bits_and_masks_of_a_slot_agree(rng):
    """Chromosomes over groups become masks over features."""
    X, y = data(rng, n_features=15)
    begun, outcome = searched(small(constraints__groups=[f // 3 for f in range(15)], islands__sizes=(6, 15)), X, y)
    for slot, mask in candidates_of(begun, outcome).items():
        assert mask.reshape(5, 3).all(axis=1).sum() * 3 == mask.sum()
        if slot.source == "search":
            groups = bits.unpack(outcome.found.bits, 5)
            assert any(np.array_equal(np.repeat(row, 3), mask) for row in groups)
