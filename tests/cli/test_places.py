"""Places where the command line reads and writes; a search survives if a place is full or gone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT, SELECT, run

from moeliga.cli.run_folder import FILES, write_results

NOT_UTF_8 = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file systems take UTF-8 names alone")


@NOT_UTF_8
@pytest.mark.parametrize("options", [["--checkpoint", "d\udcf6.npz"], ["--out", "d\udcf6"]], ids=["checkpoint", "out"])
def test_a_name_that_is_not_utf_8_loses_no_search(wine_csv, capsys, options):
    """Old archives have such names: settings and report hold them with escapes, and are read again."""
    status, _, err = run(capsys, *SELECT, "--quiet", *options)
    assert (status, err) == (0, "")
    folder = Path(dict(zip(options[::2], options[1::2], strict=True)).get("--out", "run"))
    settings = json.loads((folder / "settings.json").read_bytes())
    assert "d\udcf6" in settings["command"]
    assert "\\udcf6" in (folder / "report.html").read_text(encoding="utf-8")
    status, out, _ = run(capsys, "show", str(folder), "--html", "again.html")
    assert (status, out) == (0, "")
    assert run(capsys, "show", str(folder))[0] == 0


@pytest.mark.parametrize(("make", "message"), [
    (lambda: os.symlink("nowhere", "run"), "run is a link to what does not exist"),
    (lambda: os.symlink("run", "run"), "run is a link to what does not exist"),
    (lambda: Path("run").write_text("mine"), "run is not a folder")], ids=["dangling", "loop", "file"])
def test_what_is_no_folder_is_named(wine_csv, capsys, make, message):
    make()
    assert run(capsys, *SELECT, "--quiet") == (2, "", f"moeliga: error: {message}\n")


def test_a_folder_has_a_name(wine_csv, capsys):
    """An empty name comes from an unset variable of the shell; it is not the working folder."""
    before = sorted(os.listdir())
    assert run(capsys, *SELECT, "--quiet", "--out", "") == (2, "", "moeliga: error: --out must name a folder, got ''\n")
    assert sorted(os.listdir()) == before


def test_a_full_disk_is_told_with_the_folder(wine_csv, capsys, monkeypatch):
    """The system's error of a write names no file."""
    def fail(*arguments):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr("moeliga.cli.select.write_results", fail)
    assert run(capsys, *SELECT, "--quiet") == (1, "", "moeliga: error: run: No space left on device\n")


def test_a_folder_that_is_removed_meanwhile_is_made_again(wine_csv, capsys, monkeypatch):
    """A program that cleans temporary folders may remove it; the search must not be lost."""
    def removed(folder, record, title):
        shutil.rmtree(folder.parent)
        return write_results(folder, record, title)
    monkeypatch.setattr("moeliga.cli.select.write_results", removed)
    assert run(capsys, *SELECT, "--quiet") == (0, "", "")
    assert {"front.csv", "settings.json", "report.html"} <= set(os.listdir("run")) <= set(FILES)


def test_quiet_is_not_silent_about_a_checkpoint_that_is_not_there(wine_csv, capsys, monkeypatch):
    """A user who asks for a checkpoint relies on it."""
    def full(path, content):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr("moeliga.search.checkpoint.replace", full)
    status, out, err = run(capsys, *SELECT, "--quiet", "--checkpoint", "saved.npz")
    assert (status, out) == (0, "")
    assert "saved.npz' could not be written, the search goes on: [Errno 28] No space left on device" in err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no working folder can be removed there")
@pytest.mark.parametrize("redirection", ["", ">&-", "2>&-", ">&- 2>&-"])
def test_a_process_without_a_folder_or_streams(wine_csv, tmp_path, redirection):
    """All paths are absolute, and the working folder is gone; the shell has closed the streams."""
    gone = tmp_path / "gone"
    gone.mkdir()
    data, found = tmp_path / "wine.csv", tmp_path / "found"
    words = [str(data) if word == "wine.csv" else word for word in SELECT] + ["--out", str(found)]
    command = f'cd "{gone}" && rmdir "{gone}" && "{sys.executable}" -m moeliga {" ".join(words)} {redirection}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert (done.returncode, "Traceback" in done.stderr + done.stdout) == (0, False), done.stderr
    assert (found / "report.html").exists()
