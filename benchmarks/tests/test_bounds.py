"""The bounds of the judges count what loops would count."""

import importlib

import pytest


def test_every_judge_has_a_bound(monkeypatch):
    """Its units are counted, and cost something."""
    def once(run):
        run()
        return 1.0

    bounds = importlib.import_module("bounds")
    monkeypatch.setattr(bounds, "seconds", once)
    rows = list(bounds.rows("wine", 5, 1e9))
    assert [row[1] for row in rows] == ["tree", "forest", *bounds.JUDGES]
    for _, judge, _, units, cycles, bound in rows:
        assert units > 0 and cycles == 1e9 / units and 0 < bound < 10, judge


def test_products_of_a_linear_system_are_counted():
    """As loops make them: the upper half of the Gram matrix, and a product for each class and row asked."""
    n, m, k, n_classes = 30, 11, 4, 3
    gram = sum(1 for _ in range(n) for f in range(k) for _ in range(f, k))
    units, _ = importlib.import_module("bounds").solved(n, m, k, n_classes)
    assert units == gram + k**3 // 6 + n * k * n_classes + k * k * n_classes + m * k * n_classes


@pytest.mark.parametrize("script, command", [("bounds", ["nosuch"]), ("judges.speed", ["--sets", "nosuch"])])
def test_a_set_that_is_not_there_is_named(script, command, capsys):
    with pytest.raises(SystemExit):
        importlib.import_module(script).main(command)
    assert "there is no set 'nosuch'; at hand: " in capsys.readouterr().err
