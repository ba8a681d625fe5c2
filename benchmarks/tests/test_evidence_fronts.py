"""The fronts of the first and last generation are those of the selector."""


import numpy as np
import pytest
from evidence import module, save_parts
from sklearn.datasets import load_wine

from moeliga import MOELIGASelector


@pytest.fixture
def parts(monkeypatch, tmp_path):
    """A folder with one small data set; its training part."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    X, y = load_wine(return_X_y=True)
    return save_parts(tmp_path / "mine.npz", X, y)


@pytest.mark.slow
def test_the_command_writes_both_fronts_draws_them_and_searches_once(parts, tmp_path, capsys, monkeypatch):
    """Members, sizes and values of the paper preset's search on the training part; a second run draws only."""
    pytest.importorskip("matplotlib")
    fronts = module("fronts")
    command = ["mine", "--generations", "2", "--seed", "3", "--out", str(tmp_path / "out")]
    assert fronts.main(command) == 0
    rows = fronts.Results(tmp_path / "out" / "fronts.csv", fronts.COLUMNS).rows
    selector = MOELIGASelector.from_preset("paper", n_generations=2, random_state=3).fit(*parts)
    for kind, front in (("first", selector.initial_front_), ("last", selector.pareto_front_)):
        uar, size, separability, r1 = fronts.columns(rows, kind)
        np.testing.assert_allclose(uar, front.search_objectives[:, 0], rtol=1e-5)
        np.testing.assert_array_equal(size, front.n_selected)
        np.testing.assert_allclose(separability, front.search_objectives[:, 2], rtol=1e-5)
        np.testing.assert_allclose(r1, front.r1, rtol=1e-5)
    assert "| mine | 13 | " in capsys.readouterr().out
    picture = tmp_path / "out" / "fronts-mine.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    picture.unlink()
    monkeypatch.setattr(fronts, "perform", lambda *arguments: pytest.fail("searched again"))
    fronts.main(command)
    assert picture.exists()


def test_a_set_that_cannot_be_had_is_named(parts, tmp_path):
    with pytest.raises(SystemExit, match="the data set 'nosuch' cannot be had; tried"):
        module("fronts").main(["nosuch", "--generations", "2", "--out", str(tmp_path / "out")])
