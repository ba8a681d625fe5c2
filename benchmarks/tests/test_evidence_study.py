"""The studies of moeliga's own parameters: settings reach the search, medians and counts are what the rows say."""


import numpy as np
import pytest
from evidence import AT_HAND, module, save_parts
from sklearn.datasets import load_wine

from moeliga import MOELIGASelector

pytestmark = AT_HAND


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A folder with one small data set."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    X, y = load_wine(return_X_y=True)
    X, y = X[::2], y[::2]
    save_parts(tmp_path / "mine.npz", X, y)
    return tmp_path


@pytest.fixture
def study():
    return module("study")


def row(study, data, split, setting, uar, features=2, status="ok"):
    return {"data": data, "split": split, "setting": study.named(setting), "tree_uar": str(uar), "choice": "",
            "features": str(features), "of": "10", "status": status, "seed": "0", "method": study.METHOD}


def test_the_measure_is_the_distance_to_the_ideal_point(study):
    """UAR .6 with 3 of 10 features: 1 - .5."""
    assert study.measure({"tree_uar": "0.6", "features": "3", "of": "10"}) == pytest.approx(0.5)


def test_medians_are_over_random_splits(study):
    """Own parts, other settings and failures do not count."""
    one, other = {"sigma": 0.1}, {"sigma": 0.2}
    rows = [row(study, "d", split, one, uar) for split, uar in (("0", 0.5), ("1", 0.9), ("2", 0.8), ("own", 0.1))]
    rows += [row(study, "d", "3", one, 0.2, status="failed: x"), row(study, "d", "0", other, 0.7)]
    found = study.medians(rows, [one])
    assert found == {("d", "sigma=0.1"): (pytest.approx(1 - np.hypot(0.2, 0.2)), 3)}


@pytest.mark.parametrize("script, n_settings", [("refinement", 12), ("screening", 192)])
def test_every_setting_is_one_that_the_selector_takes(study, script, n_settings):
    """And all of them are different."""
    script_module = module(script)
    settings = study.product(script_module.AXES)
    assert len({study.named(setting) for setting in settings}) == len(settings) == n_settings
    X, y = np.eye(8), np.arange(8) % 2
    for setting in settings:
        selector = MOELIGASelector.from_preset("paper", n_generations=0, population_size=22,
                                               **script_module.parameters(setting))
        if selector.local_improvement is None:
            selector.fit(X, y)
    assert selector.survival.sharing.sigma == settings[-1]["sigma"]
    assert selector.evaluation.n_splits == settings[-1].get("splits", 3)


def test_lambda_does_not_change_the_search(study):
    """The finding of the refinement: the same front and choice for every lambda of one sigma, bit for bit."""
    script_module = module("refinement")
    X, y = load_wine(return_X_y=True)
    masks = []
    for setting in study.product(script_module.AXES):
        if setting["sigma"] == 0.005:
            parameters = script_module.parameters(setting)
            selector = MOELIGASelector.from_preset("paper", n_generations=6, random_state=1, **parameters)
            masks.append((selector.fit(X, y).pareto_front_.supports.tolist(), selector.support_.tolist()))
    assert len(masks) == 4 and all(found == masks[0] for found in masks)


def test_the_best_settings_are_ranked_and_counted(study):
    """Three of four settings; equals in the order of the grid."""
    screening = module("screening")
    settings = study.product(screening.AXES)[:4]
    rows = [row(study, "d", "0", setting, uar) for setting, uar in zip(settings, (0.5, 0.9, 0.9, 0.7), strict=True)]
    ranked = screening.best(rows, settings, 3)
    assert [setting for _, setting in ranked["d"]] == [settings[1], settings[2], settings[3]]
    assert screening.shares(ranked)["sigma"]["d"] == {settings[i]["sigma"]: 1 for i in (1, 2, 3)}
    assert screening.shares(ranked)["splits"]["d"] == {1: 3}


def test_the_table_has_a_cell_for_each_setting(study):
    refinement = module("refinement")
    settings = study.product(refinement.AXES)
    names, values = refinement.table([row(study, "d", "0", settings[5], 0.7)], settings)
    assert names == ["d"] and np.flatnonzero(~np.isnan(values[0])).tolist() == [5]
    assert refinement.table([], settings)[0] == []


@pytest.mark.evidence
@pytest.mark.parametrize("script, n_settings", [("refinement", 12), ("screening", 24)])
def test_the_commands_run_resume_and_draw(folder, capsys, script, n_settings):
    pytest.importorskip("matplotlib")
    script_module = module(script)
    command = ["mine", "--quick", "--splits", "1", "--generations", "0", "--out", str(folder / "out")]
    assert script_module.main(command) == 0
    assert f"{n_settings} jobs, 0 done, {n_settings} to do" in capsys.readouterr().out
    assert (folder / "out" / f"{script}.png").read_bytes().startswith(b"\x89PNG")
    assert script_module.main(command) == 0
    assert f"{n_settings} jobs, {n_settings} done, 0 to do" in capsys.readouterr().out
