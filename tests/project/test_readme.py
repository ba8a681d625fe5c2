"""The README is one screen, and its example prints what it says."""

import importlib
import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"

MOST_WORDS = 900


def test_it_stays_short():
    """Everything else is a page of the guide."""
    assert len(README.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_what_it_links_to_is_there():
    """Pages, the picture, and whatever else it names."""
    text = README.read_text(encoding="utf-8")
    targets = {target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)}
    assert "docs/_static/curve.svg" in targets
    assert {target for target in targets if not target.startswith("http") and not (ROOT / target).is_file()} == set()


@pytest.mark.docs
def test_examples_run_and_print_what_it_says(tmp_path, monkeypatch):
    """As in the guide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    found = list(importlib.import_module("examples").run_page(README))
    assert [printed for _, printed in found] == [example.prints for example, _ in found]
    assert len(found) == 1


def test_numbers_of_its_advice_are_those_of_its_example():
    """Sizes, difference and interval of the choice; the standard error of a score on 50 samples."""
    text = README.read_text(encoding="utf-8")
    signed = r"([-+]\d\.\d+)"
    chosen = re.search(rf"^\* no_loss +(\d+) +(\w+) .* {signed} +{signed} to {signed}$", text, re.MULTILINE)
    size, source, *numbers = chosen.groups()
    total = re.search(r"^  - +(\d+)  all", text, re.MULTILINE)[1]
    difference, low, high = (number.replace("0.", ".") for number in numbers)
    error = f"{math.sqrt(0.9 * 0.1 / 50):.2f}".replace("0.", ".")
    assert source == "forest" and difference[0] == "-"
    for sentence in (f"the choice of {size} of {total} features is worth {difference[1:]} less than all, with an "
                     f"interval of {low} to {high};", f"the choice is the first {size} features of a forest's ranking",
                     f"with 50 held out the standard error of a score of .9 is {error}"):
        assert sentence in text
