"""The command that compares builds: what it leaves out, what it calls a failure, and that it leaves no switch out."""

import re
import sys

import pytest

import builds


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Runs the command with a stand-in for every program that it starts: `answer(command)` is what one prints."""
    def started(answer, *arguments):
        def run(command, folder, timeout, **variables):
            said = answer([str(part) for part in command], folder)
            if isinstance(said, Exception):
                raise said
            return said

        monkeypatch.setattr(builds, "run", run)
        monkeypatch.setattr(builds.shutil, "which", lambda name: None if name.startswith("no-") else name)
        monkeypatch.setattr(builds, "pythons", lambda further: [builds.Python(sys.executable, (3, 11, 0), True)])
        monkeypatch.setattr("sys.argv", ["builds.py", "--folder", str(tmp_path), *arguments])
        return builds.main()

    return started


def same(command, folder):
    """What a build that finds the same results says."""
    return f"noise\n113 cases: none different; {folder / 'moeliga' / '__init__.py'}\n"


def test_every_switch_is_built_with():
    """Those that choose code do; the others change what is reported or required."""
    switches = set(re.findall(r"^  (MOELIGA_\w+)", (builds.ROOT / "setup.py").read_text(), re.MULTILINE))
    used = {name for variables in builds.BUILDS.values() for name in variables}
    assert switches - used == {"MOELIGA_REQUIRE_OPENMP", "MOELIGA_SANITIZE"}
    assert used - switches == {"CC"}


def test_a_build_works_on_a_copy(commands, tmp_path, capsys):
    """The sources are there, without what was compiled from them before."""
    seen = []

    def answer(command, folder):
        seen.append(command[1])
        assert (folder / "_ext" / "tree.pyx").exists() and (folder / "tests" / "golden.json").exists()
        assert folder.parent == tmp_path and not list(folder.rglob("*.so"))
        return same(command, folder)

    assert commands(answer, "--only", "plain loops") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == [name for name in builds.BUILDS if "plain" in name]
    assert seen == ["setup.py", "tests/golden.py"] * len(lines)


@pytest.mark.parametrize("step", ["setup.py", "tests/golden.py", "-m"])
def test_a_failure_is_shown(commands, capsys, step):
    """A build that fails, differs, or whose tests fail: status 1, and all it printed. The next one is made all the
    same."""
    def answer(command, folder):
        if command[1] == step and "O2" in folder.name:
            return builds.Failure("everything\nit said")
        return same(command, folder)

    assert commands(answer, "--suite", "--only", "gcc -O") == 1
    out = capsys.readouterr().out
    assert "everything\nit said" in out and out.count("FAILED") == 1 and out.count("none different") > 3


def test_results_of_another_package_count_for_nothing(commands, capsys):
    """As where an installed one gets in the way."""
    def answer(command, folder):
        return same(command, folder.parent)

    assert commands(answer, "--only", "gcc -O2") == 1
    assert "compared another package" in capsys.readouterr().out


def test_what_is_not_there_is_left_out(commands, monkeypatch, capsys):
    """No such compiler, or one without OpenMP: it says so, and nothing has failed."""
    monkeypatch.setitem(builds.BUILDS, "gcc -O2", {"CC": "no-such-compiler"})

    def answer(command, folder):
        return builds.Failure("OpenMP does not work with this compiler: ...") if command[1] == "setup.py" else ""

    assert commands(answer, "--only", "gcc -O") == 0
    out = capsys.readouterr().out
    assert "left out: no-such-compiler is not installed" in out and "left out: gcc has no OpenMP here" in out


@pytest.mark.slow
def test_programs_run_in_an_environment_of_their_own(monkeypatch, tmp_path):
    """Switches and paths of the caller do not reach them; what they print comes back, whatever their status."""
    monkeypatch.setenv("MOELIGA_PLAIN", "1")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("CFLAGS", "-Og")
    program = ("import os, sys; print(sorted(set(os.environ) & {'MOELIGA_PLAIN', 'PYTHONPATH', 'CFLAGS', 'CC'})); "
               "sys.exit(int(sys.argv[1]))")
    assert builds.run([sys.executable, "-c", program, 0], tmp_path, 60, CC="gcc") == "['CC']\n"
    with pytest.raises(builds.Failure, match="'CC'"):
        builds.run([sys.executable, "-c", program, 3], tmp_path, 60, CC="gcc")
    with pytest.raises(builds.Failure, match="timed out"):
        builds.run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 1)


@pytest.mark.slow
def test_this_python_comes_first(monkeypatch):
    """And one of each minor version."""
    found = builds.pythons([sys.executable, "/no/such/python"])
    assert found[0] == (sys.executable, sys.version_info[:3], True)
    minors = [python.version[:2] for python in found]
    assert len(set(minors)) == len(minors) and min(minors) >= (3, 11)
    assert not any(python.own for python in found[1:])
