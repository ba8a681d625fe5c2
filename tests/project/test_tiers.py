"""Every test runs in one tier: plain `pytest` leaves out what `.ci/run` runs after it."""

import re
import tomllib
from itertools import combinations, product
from pathlib import Path

import pytest

from tiers import covering, sort_cases, spread

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
LEFT_OUT = re.search(r'-m "not \((.*)\)"', OPTIONS["addopts"])[1]
MARKERS = [re.match(r"\w+", line)[0] for line in OPTIONS["markers"]]


def test_every_marker_but_quick_is_left_out():
    assert sorted([*LEFT_OUT.split(" or "), "quick"]) == sorted(MARKERS)


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="not a checkout")
def test_the_check_of_a_commit_runs_what_is_left_out():
    """After the README's command, with the words of pyproject.toml, in two parts that are all of it."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    alone = re.search(r'^alone="(.*?)"', script, re.MULTILINE)[1]
    assert set(alone.split(" or ")) < set(LEFT_OUT.split(" or "))
    side_by_side = '\n.venv/bin/pytest -q -n 2 --dist worksteal -m "($rest) and not ($alone)"\n'
    lines = ['-c "$command"', f'\nrest="{LEFT_OUT}"\n', side_by_side, '\n.venv/bin/pytest -q -m "$alone"\n']
    places = [script.index(line) for line in lines]
    assert places == sorted(places)


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="not a checkout")
def test_the_check_of_a_commit_has_the_rivals():
    """It installs the packages of `bench` and runs the modules that ask for them, by the word that it looks for."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = ['["bench"]', "| xargs python -m pip install",
             "\ngrep -lw rivals benchmarks/tests/test_*.py | MOELIGA_RIVALS=all xargs pytest"]
    places = [script.index(line) for line in lines]
    assert places == sorted(places)
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks" / "tests").glob("test_*.py")]
    assert sum("rivals" in text for text in texts) > 3
    assert not any(f'importorskip("{name}"' in text for text in texts
                   for name in ("pymoo", "mlxtend", "boruta", "skrebate", "sklearn_genetic"))


@pytest.mark.parametrize("name", MARKERS)
def test_every_marker_is_used_and_told(name):
    """By a test; and in the README of the tests."""
    files = [path.read_text(encoding="utf-8") for folder in ("tests", "benchmarks/tests")
             for path in (ROOT / folder).rglob("test_*.py")]
    assert any(f"pytest.mark.{name}" in text or f'rest="{name}"' in text for text in files)
    assert f"| `{name}` |" in (ROOT / "tests" / "README.md").read_text(encoding="utf-8") or name == "quick"


@pytest.mark.parametrize(("n_cases", "n", "places"), [
    (7, 1, {0}), (7, 2, {0, 6}), (7, 3, {0, 3, 6}), (3, 5, {0, 1, 2}),
])
def test_cases_are_spread(n_cases, n, places):
    assert spread(n_cases, n) == places


@pytest.mark.parametrize("sizes", [(1,), (5,), (3, 4), (2, 3, 5), (4, 2, 2, 3)], ids=str)
@pytest.mark.parametrize("strength", [1, 2])
def test_chosen_cases_have_all_values_or_pairs(sizes, strength):
    """And not many more cases than that needs: at least the product of the largest sizes."""
    cases = [dict(zip("abcd", places, strict=False)) for places in product(*map(range, sizes))]
    chosen = [cases[place] for place in covering(cases, strength)]
    names = "abcd"[:len(sizes)]
    for group in combinations(names, min(strength, len(sizes))):
        assert {tuple(case[name] for name in group) for case in chosen} == {
            tuple(case[name] for name in group) for case in cases}
    least = 1
    for size in sorted(sizes)[-strength:]:
        least *= size
    assert least <= len(chosen) <= 1.5 * least


class Item:
    """A test as far as `sort_cases` looks."""

    def __init__(self, name, which, rest=None, **params):
        self.path, self.originalname, self.added = Path("test_x.py"), name, []
        self.mark = which and pytest.mark.quick(which, **({"rest": rest} if rest else {})).mark
        self.callspec = type("Callspec", (), {"params": params})

    def get_closest_marker(self, name):
        return self.mark if name == "quick" else None

    def add_marker(self, marker):
        self.added.append(marker)


def test_the_other_cases_get_a_marker_and_seeds_go_with_their_case():
    """By function; one without the mark stays as it is."""
    items = [Item("one", 1, a=a, seed=seed) for a in (10, 20) for seed in (0, 1)]
    others = [Item("two", "values", "golden", a=a, b=b) for a in (1, 2) for b in (1, 2)]
    plain = [Item("three", None, a=a) for a in (1, 2)]
    sort_cases([*items, *others, *plain])
    assert [item.added for item in items] == [[], [], ["slow"], ["slow"]]
    assert [item.added for item in others] == [[], ["golden"], ["golden"], []]
    assert [item.added for item in plain] == [[], []]


def test_cases_are_called_the_same_in_every_process(request):
    """No name has an address in it: what runs tests side by side compares their names."""
    assert [item.nodeid for item in request.session.items if " at 0x" in item.nodeid] == []
