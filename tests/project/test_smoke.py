"""The smoke test of wheels passes with this build, and would not with another front."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def smoke(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "wheels")
    return importlib.import_module("smoke")


@pytest.mark.slow
def test_the_smoke_test_passes():
    """As it is run for a wheel, in a process of its own."""
    serial = [] if importlib.import_module("moeliga._ext.evaluate").threads()["enabled"] else ["--allow-serial"]
    done = subprocess.run([sys.executable, "-P", ROOT / "wheels" / "smoke.py", *serial], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("all rooms import; the front is the one it should be")


def test_the_smoke_test_knows_all_rooms(smoke):
    built, = re.findall(r"^ROOMS = (\([^)]*\))$", (ROOT / "setup.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert smoke.ROOMS == ast.literal_eval(built)


def test_another_front_is_refused(smoke, monkeypatch, capsys):
    monkeypatch.setattr(smoke.sys, "argv", ["smoke.py", "--allow-serial"])
    monkeypatch.setattr(smoke, "OPTIONAL", set())
    front = smoke.moeliga.MOELIGASelector(n_generations=1, honest=None, random_state=0).fit(
        *smoke.load_breast_cancer(return_X_y=True)).pareto_front_
    monkeypatch.setattr(smoke, "search", lambda n_jobs: front)
    with pytest.raises(SystemExit, match=f"n_jobs=1: another front .{smoke.digest(front)}, not {smoke.FRONT}"):
        smoke.main()
