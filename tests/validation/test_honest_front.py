"""The fronts of a cross-fitted search: which members they have, and whose honest score each of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cross_fitted import data, small
from moeliga import selector as selector_module


def fitted(rng, monkeypatch, n_features=9, **options):
    """A fitted selector and the outcome of its search on all samples."""
    outcomes, outcome_of = [], selector_module.outcome_of
    monkeypatch.setattr(selector_module, "outcome_of",
                        lambda *given: outcomes.append(outcome_of(*given)) or outcomes[-1])
    selector = small(**options).fit(*data(rng, n_features=n_features))
    return selector, outcomes[0]


def masks_of(bits, n_features):
    """Masks of chromosomes over all features, without constraints."""
    words = np.ascontiguousarray(bits).view(np.uint8)
    return np.unpackbits(words, axis=1, bitorder="little")[:, :n_features].astype(bool)


OPTIONS = [{}, {"n_features": 30}, {"islands": None}, {"archive": False}, {"max_features": 7, "n_features": 14},
           {"evaluation__n_rescore_splits": 0}]


@pytest.mark.quick(3)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_members_are_the_non_dominated_the_best_and_the_baselines(rng, monkeypatch, options):
    """By a loop over all that the search has found."""
    selector, outcome = fitted(rng, monkeypatch, **options)
    front, slots = selector.pareto_front_, selector._answers.slots
    n_features, most = front.n_features, options.get("max_features", front.n_features)
    masks, objectives = masks_of(outcome.found.bits, n_features), outcome.found.objectives
    scores = dict(zip(slots, selector._answers.honesty.score, strict=True))
    wanted = {mask.tobytes(): ("search", None) for place, mask in enumerate(masks) if not any(
        np.all(other >= objectives[place]) and np.any(other > objectives[place]) for other in objectives)}
    for slot, score in scores.items():
        places = [i for i in range(len(masks)) if slot.least <= masks[i].sum() <= slot.most]
        if slot.source == "search" and places:
            best = min(places, key=lambda i: (-objectives[i, 0], masks[i].sum(), i))
            wanted[masks[best].tobytes()] = "search", score
    n_ranked = 0
    for place, mask in enumerate(selector.baselines_.supports):
        size, source = mask.sum(), selector.baselines_.source[place]
        slot, = (slot for slot in slots if slot.source == source and (slot.most == size or source == "all"))
        assert selector.baselines_.honest_score[place] == scores[slot]
        # of two rankings with one subset the first
        if size <= most and wanted.get(mask.tobytes(), (None, None))[1] is None:
            wanted[mask.tobytes()] = source, scores[slot]
            n_ranked += 1
    assert n_ranked
    found = {mask.tobytes(): (source, None if np.isnan(score) else score)
             for mask, source, score in zip(front.supports, front.source, front.honest_score, strict=True)}
    assert len(found) == len(front)
    assert found.keys() == wanted.keys()
    for key, (source, score) in wanted.items():
        same = [scores[slot] for slot in slots if slot.source in ("f_classif", "forest")]
        assert found[key] == (source, score) or (source in ("f_classif", "forest") and found[key][1] in same)


def test_all_features_are_a_member_though_the_search_has_found_them(rng, monkeypatch):
    """With the honest score of the baseline, to which nothing differs, and under their own name."""
    selector, outcome = fitted(rng, monkeypatch)
    front, baselines = selector.pareto_front_, selector.baselines_
    assert front.supports[-1].all()
    assert front.source[-1] == "all"
    assert front.honest_score[-1] == baselines.honest_score[baselines.source == "all"][0]
    found = selector.assess(index=len(front) - 1)
    assert (found.difference, found.difference_interval) == (0, (0, 0))
    assert any(mask.all() for mask in masks_of(outcome.found.bits, 9))


@pytest.mark.parametrize(("most", "there"), [(None, True), (9, True), (8, False)])
def test_all_features_are_a_member_where_some_are_forced(rng, monkeypatch, most, there):
    """Forced ones count for the largest size, and not for what the search chooses from."""
    selector, _ = fitted(rng, monkeypatch, constraints__must_include=[1, 4, 7], max_features=most)
    front = selector.pareto_front_
    assert ("all" in front.source) == there == bool(front.supports.all(axis=1).any())
    assert np.isfinite(front.honest_score[front.source == "all"]).all()


def test_members_are_sorted_and_their_slots_go_along(rng, monkeypatch):
    """By size; the slot of each gives its score."""
    selector, _ = fitted(rng, monkeypatch, n_features=30)
    front, scores = selector.pareto_front_, selector._answers.honesty
    assert_array_equal(front.n_selected, np.sort(front.n_selected))
    for place, slot in enumerate(selector._slots):
        assert np.isnan(front.honest_score[place]) == (slot < 0)
        if slot >= 0:
            assert front.honest_score[place] == scores.score[slot]
            assert_array_equal(front.honest.folds[place], scores.folds[slot])


def test_baselines_are_scored_as_members_are(rng, monkeypatch):
    """On the same fresh splits: a member that is one has its values."""
    selector, _ = fitted(rng, monkeypatch)
    front, baselines = selector.pareto_front_, selector.baselines_
    for mask, objectives in zip(baselines.supports, baselines.objectives, strict=True):
        for place in np.flatnonzero((front.supports == mask).all(axis=1)):
            assert_array_equal(front.objectives[place], objectives)


def test_one_search_has_no_baselines(rng, monkeypatch):
    """And no sources but itself."""
    selector, _ = fitted(rng, monkeypatch, honest=None)
    assert len(selector.baselines_) == 0
    assert set(selector.pareto_front_.source) == {"search"}
    assert selector.pareto_front_.honest is None
    assert selector.fold_supports_ == {}
    assert np.isnan(selector.feature_frequency_).all()


def test_frequencies_are_of_the_folds_candidates_like_the_chosen_one(rng, monkeypatch):
    """By a count over the folds, for every member that has a slot; they follow the choice."""
    selector, _ = fitted(rng, monkeypatch, n_features=30)
    for place, source in enumerate(selector.pareto_front_.source):
        frequency = selector.select(index=place).feature_frequency_
        size = selector.support_.sum()
        slots = [slot for slot in selector.fold_supports_ if slot.source == source and slot.least <= size <= slot.most]
        if np.isnan(selector.pareto_front_.honest_score[place]):
            assert np.isnan(frequency).all()
        else:
            assert_array_equal(frequency, [
                np.mean([mask[f] for mask in selector.fold_supports_[slots[0]]]) for f in range(30)])


def test_all_features_are_no_subset_of_the_search(rng, monkeypatch):
    """Though it has found them, and nothing else is allowed; their line in a summary says so."""
    selector, _ = fitted(rng, monkeypatch, constraints__min_features=9)
    assert {slot.source for slot in selector.fold_supports_} == {"search", "all"}
    assert selector.pareto_front_.source.tolist() == ["all"]
