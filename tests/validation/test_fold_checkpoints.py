"""Cross-fitting gone on from a checkpoint in every phase."""

import json

import numpy as np
import pytest

from cross_fitted import Acting, Crash, assert_same_fit, at, crash, data, interrupt, small
from moeliga import Checkpoint
from moeliga.search import checkpoint


@pytest.mark.quick(3)
@pytest.mark.parametrize(("fold", "generation"), [(None, 0), (None, 2), (0, 0), (1, 1), (1, 2), (2, 0)])
def test_a_fit_goes_on_from_any_search(rng, tmp_path, fold, generation):
    """With the bits, and the evaluations, of an uninterrupted one."""
    X, y = data(rng)
    path = tmp_path / "state.npz"
    whole = small().fit(X, y)
    with pytest.raises(Crash):
        small(checkpoint=Checkpoint(path, every=1), callbacks=at(fold, generation, crash)).fit(X, y)
    assert_same_fit(small(checkpoint=path).fit(X, y), whole)


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


@pytest.mark.parametrize("change", [
    lambda state, arrays: state.update(folds=5), lambda state, arrays: state["folds"].update({"1": 7}),
    lambda state, arrays: state["folds"].update({"1": []}),
    setting("slots", None), setting("slots", []), setting("slots", [["search", 1, 1]]),
    setting("n_evaluations", -1), setting("n_evaluations", "x"),
    array("supports", lambda masks: masks[:-1]), array("supports", lambda masks: masks.astype(int)),
    array("answers.predict", lambda answers: answers + 2), array("answers.predict", lambda answers: answers - 1),
    array("answers.predict", lambda answers: answers * 0.5), array("answers.predict", lambda answers: answers[:, 1:]),
    array("answers.predict", lambda answers: answers.astype("U3")),
    array("answers.predict", lambda answers: answers[..., None]),
    lambda state, arrays: arrays.update({"folds.1.answers.fit": arrays["folds.1.answers.predict"]}),
], ids=range(17))
def test_a_forged_fold_is_refused_as_other_damage_is(finished, tmp_path, change):
    """And runs nothing."""
    X, y = data(np.random.default_rng(0))
    path = tmp_path / "state.npz"
    path.write_bytes(finished)
    forged(path, change)
    with pytest.raises(ValueError, match="must be a file that moeliga has written, and whole: "):
        small(checkpoint=path).fit(X, y)
