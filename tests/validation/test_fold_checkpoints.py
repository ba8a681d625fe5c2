"""Cross-fitting gone on from a checkpoint in every phase."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cross_fitted import Acting, Crash, assert_same_fit, assert_same_front, at, crash, data, interrupt, small
from moeliga import Checkpoint
from moeliga.search import checkpoint
from moeliga.search.loop import run
from moeliga.validation.extent import Extent


@pytest.mark.quick(1)
@pytest.mark.parametrize(("fold", "generation"), [(None, 0), (None, 2), (0, 0), (1, 1), (1, 2), (2, 0)])
def test_a_fit_goes_on_from_any_search(rng, tmp_path, fold, generation):
    """With the bits, and the evaluations, of an uninterrupted one."""
    X, y = data(rng)
    path = tmp_path / "state.npz"
    whole = small().fit(X, y)
    with pytest.raises(Crash):
        small(checkpoint=Checkpoint(path, every=1), callbacks=at(fold, generation, crash)).fit(X, y)
    assert_same_fit(small(checkpoint=path).fit(X, y), whole)


def test_a_finished_fit_read_again_scores_all_features_on_the_same_samples(rng, tmp_path):
    """Those of the last generation, where nothing scores the front again."""
    X, y = data(rng)
    subsampled = {"evaluation__subsample": 24, "evaluation__n_rescore_splits": 0, "checkpoint": tmp_path / "state.npz"}
    whole = small(**subsampled).fit(X, y)
    again = small(**subsampled).fit(X, y)
    assert_same_fit(again, whole)
    assert_same_front(again.baselines_, whole.baselines_)
    assert_same_front(small(**{**subsampled, "checkpoint": None}).fit(X, y).baselines_, whole.baselines_)


@pytest.mark.quick(1)
@pytest.mark.parametrize("action", [crash, interrupt])
@pytest.mark.filterwarnings("ignore:interrupt has ended the fit")
def test_a_fit_goes_on_from_the_answers_of_the_model(rng, tmp_path, acting, action):
    """Of any fold; those that are done are not asked again."""
    X, y = data(rng)
    path = tmp_path / "state.npz"
    whole = small(Acting()).fit(X, y)
    n_fits = Acting.fits
    acting(n_fits // 2, action)
    if action is crash:
        with pytest.raises(Crash):
            small(Acting(), checkpoint=path).fit(X, y)
    else:
        small(Acting(), checkpoint=path).fit(X, y)
    acting(None, crash)
    assert_same_fit(small(Acting(), checkpoint=path).fit(X, y), whole)
    assert 0 < Acting.fits < n_fits
    acting(1, crash)
    assert_same_fit(small(Acting(), checkpoint=path).fit(X, y), whole)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The bytes of the checkpoint of a fit that has ended."""
    path = tmp_path_factory.mktemp("finished") / "state.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moeliga.search.ranking.N_TREES", 5)
        small(checkpoint=path).fit(*data(np.random.default_rng(0)))
    return path.read_bytes()


def forged(path, change):
    """Change the state, and the arrays by their paths, in a checkpoint."""
    head, arrays = checkpoint.read(path)
    change(head["state"], arrays)
    content = {"head": np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays}
    with open(path, "wb") as file:
        np.savez(file, **content)


def setting(name, value):
    """Set an entry of the second fold."""
    def change(state, arrays):
        state["folds"]["1"][name] = value

    return change


def array(name, make):
    """Change an array of the second fold."""
    def change(state, arrays):
        arrays[f"folds.1.{name}"] = make(arrays[f"folds.1.{name}"])

    return change


def extent(**entries):
    """Set entries of how far the search on the second fold has gone."""
    def change(state, arrays):
        state["folds"]["1"]["extent"].update(entries)

    return change


def slot(place, make):
    """Put another slot of the second fold in a place."""
    def change(state, arrays):
        slots = state["folds"]["1"]["slots"]
        slots[place] = make(slots)

    return change


@pytest.mark.quick(13)
@pytest.mark.parametrize("change", [
    slot(0, lambda slots: slots[1]), slot(-1, lambda slots: ["search", 77, 77]),
    array("answers.predict", lambda answers: answers - answers.max() + 2),
    lambda state, arrays: state.update(folds=5), lambda state, arrays: state["folds"].update({"1": 7}),
    lambda state, arrays: state["folds"].update({"1": []}),
    setting("slots", None), setting("slots", []), setting("slots", [["search", 1, 1]]),
    setting("n_evaluations", -1), setting("n_evaluations", "x"),
    array("supports", lambda masks: masks[:-1]), array("supports", lambda masks: masks.astype(int)),
    array("answers.predict", lambda answers: answers + 2), array("answers.predict", lambda answers: answers - 2),
    array("answers.predict", lambda answers: answers * 0.5), array("answers.predict", lambda answers: answers[:, 1:]),
    array("answers.predict", lambda answers: answers.astype("U3")),
    array("answers.predict", lambda answers: answers[..., None]),
    lambda state, arrays: arrays.update({"folds.1.answers.fit": arrays["folds.1.answers.predict"]}),
    setting("extent", None), setting("extent", {}), extent(reason="interrupt"), extent(reason=7), extent(more=1),
    extent(n_generations=2.5), extent(patience="3"), extent(max_evaluations=-1), extent(n_rescore_splits=None),
], ids=range(29))
def test_a_forged_fold_is_refused_as_other_damage_is(finished, tmp_path, change):
    """And runs nothing."""
    X, y = data(np.random.default_rng(0))
    path = tmp_path / "state.npz"
    path.write_bytes(finished)
    forged(path, change)
    with pytest.raises(ValueError, match="must be a complete file that moeliga has written: "):
        small(checkpoint=path).fit(X, y)


def test_answers_that_are_no_class_of_the_data_come_back(finished, tmp_path):
    """Of a model with classes of its own, they are -1."""
    X, y = data(np.random.default_rng(0))
    path = tmp_path / "state.npz"
    path.write_bytes(finished)
    forged(path, array("answers.predict", lambda answers: np.full_like(answers, -1)))
    again = small(checkpoint=path).fit(X, y)
    found = again._answers.answers["predict"][:, again._answers.fold == 1]
    assert found.size and (found == -1).all()


# further than before


@pytest.mark.quick(1)
@pytest.mark.parametrize(("before", "after"), [
    ({"n_generations": 1}, {}), ({"patience": 1}, {}), ({"max_evaluations": 30}, {}),
    ({"evaluation__n_rescore_splits": 3}, {}), ({"n_generations": 1, "n_jobs": 2}, {"n_jobs": 2})], ids=str)
def test_the_searches_on_folds_go_as_far_as_that_on_all_samples(rng, tmp_path, before, after):
    """What a limit has ended goes on where the limit is wider, with the bits of a fit in one go."""
    X, y = data(rng)
    setting = {"n_generations": 4, "checkpoint": tmp_path / "state.npz"}
    whole = small(n_generations=4).fit(X, y)
    first = small(**{**setting, **before}).fit(X, y)
    assert first.n_evaluations_ < whole.n_evaluations_ or "evaluation__n_rescore_splits" in before
    assert_same_fit(small(**setting, **after).fit(X, y), whole)


@pytest.mark.parametrize(("reason", "limits", "suffices"), [
    ("n_generations", {}, True), ("n_generations", {"n_generations": 3}, True),
    ("n_generations", {"n_generations": 5}, False), ("n_generations", {"patience": 9, "max_evaluations": None}, True),
    ("patience", {"n_generations": 9}, True), ("patience", {"patience": 3}, False),
    ("patience", {"patience": None}, False), ("max_evaluations", {"max_evaluations": 99}, True),
    ("max_evaluations", {"max_evaluations": None}, False), ("callback", {"n_generations": 9, "patience": None}, True),
    ("callback", {"n_rescore_splits": 3}, False), ("max_time", {}, False),
    ("n_generations", {"n_rescore_splits": 1}, False)], ids=str)
def test_which_limits_have_a_search_on_a_fold_go_on(reason, limits, suffices):
    """Wider ones than the limit that has ended it; a callback may end it anywhere."""
    def plan(n_generations=4, patience=2, max_evaluations=100, n_rescore_splits=2):
        return SimpleNamespace(n_generations=n_generations, patience=patience, max_evaluations=max_evaluations,
                               evaluation=SimpleNamespace(n_rescore_splits=n_rescore_splits))

    assert Extent.of(plan(), reason).suffices(plan(**limits)) == suffices


@pytest.mark.slow
def test_folds_searched_far_enough_are_not_searched_again(rng, tmp_path, acting):
    """Where limits are the same, narrower, or others than those that have ended the searches."""
    X, y = data(rng)
    setting = {"n_generations": 3, "checkpoint": tmp_path / "state.npz"}
    whole = small(Acting(), **setting).fit(X, y)
    acting(1, crash)
    for limits in ({}, {"n_generations": 2}, {"max_evaluations": 10**6}, {"patience": 10**3}):
        assert_same_fit(small(Acting(), **{**setting, **limits}).fit(X, y), whole)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:interrupt has ended the fit")
def test_what_an_earlier_fit_has_found_counts_until_a_fold_has_gone_further(rng, tmp_path):
    """Ctrl-C in a fold: it keeps what the model answered for what the shorter search had found."""
    X, y = data(rng)
    path = tmp_path / "state.npz"
    short = small(checkpoint=path).fit(X, y)
    stopped = small(n_generations=4, checkpoint=Checkpoint(path, every=1), callbacks=at(1, 3, interrupt)).fit(X, y)
    assert stopped.stop_reason_ == "interrupt"
    for slot, masks in stopped.fold_supports_.items():
        assert_array_equal(masks[1:], short.fold_supports_[slot][1:])
    assert_same_fit(small(n_generations=4, checkpoint=path).fit(X, y), small(n_generations=4).fit(X, y))


@pytest.mark.slow
def test_a_search_that_time_has_ended_goes_on_in_the_next_fit(rng, tmp_path):
    """Also if `max_time` is the same: it counts from the start of a fit."""
    X, y = data(rng)
    setting, seen = {"checkpoint": tmp_path / "state.npz", "max_time": 1e6}, []

    def run_short(search, bits, n_generations, *args, **kwargs):
        return run(search, bits, 1, *args, **kwargs) and "max_time"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moeliga.validation.searches.run", run_short)
        small(**setting).fit(X, y)
    again = small(**setting, callbacks=lambda state: seen.append((state.fold, state.generation))).fit(X, y)
    assert_same_fit(again, small().fit(X, y))
    assert seen == [(None, 2), *((fold, generation) for fold in range(3) for generation in (1, 2))]
