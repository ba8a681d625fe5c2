"""`moeliga show`: what it tells, chooses, writes and refuses."""

import csv
import json
import re
from functools import partial
from pathlib import Path

import pytest
from commands import run

from moeliga import ParetoFront


def test_show_tells_what_select_told(run_folder, capsys):
    """Front, choice and end are printed from the folder alone."""
    front = ParetoFront.from_json("run/front.json")
    status, out, err = run(capsys, "show", "run")
    lines = out.splitlines()
    assert (status, err) == (0, "") and len(lines) == 1 + len(front) + 4 + int(front.n_selected[chosen_of(lines)]) + 1
    assert re.search(r"^6 generations, [\d,]+ subsets evaluated, [\d.]+ s\.$", out, re.MULTILINE)
    assert "\nChosen by rule 'no_loss': " in out
    assert lines[-int(front.n_selected[chosen_of(lines)]):] == Path("run/selected.txt").read_text().splitlines()


def chosen_of(lines):
    """Return the index of the line with a star."""
    return next(i for i, line in enumerate(lines) if line.startswith("* ")) - 1


@pytest.mark.parametrize("options, arguments", [
    ([], {"rule": "no_loss"}),
    (["--rule", "knee"], {"rule": "knee"}),
    (["--rule", "best", "--max-features", "3"], {"rule": "best", "max_features": 3}),
    (["--max-features", "2"], {"rule": "no_loss", "max_features": 2}),
    (["--n-features", "2"], {"n_features": 2}),
    (["--index", "0"], {"index": 0}),
])
def test_show_chooses_as_the_front_does_and_writes_nothing(run_folder, capsys, options, arguments):
    before = {path.name: path.read_bytes() for path in run_folder.iterdir()}
    front = ParetoFront.from_json("run/front.json")
    index = front.choose(**arguments)
    status, out, _ = run(capsys, "show", "run", *options)
    assert status == 0 and chosen_of(out.splitlines()) == index
    told = json.loads(run(capsys, "show", "run", "--json", *options)[1])
    assert told["chosen"]["index"] == index and told["chosen"]["features"] == front.features(index)
    assert {path.name: path.read_bytes() for path in run_folder.iterdir()} == before


def test_show_json_is_the_front(run_folder, capsys):
    """It is strict JSON for scripts, with every number to the last digit."""
    front = ParetoFront.from_json("run/front.json")
    told = json.loads(run(capsys, "show", "run", "--json")[1], parse_constant=pytest.fail)
    assert [member["uar"] for member in told["front"]] == front.score.tolist()
    assert [member["features"] for member in told["front"]] == [front.features(i) for i in range(len(front))]
    assert told["stop_reason"] == "n_generations"


@pytest.mark.slow
def test_show_writes_the_report_of_a_choice(run_folder, capsys, pictures):
    """It is that of select for the same choice, else another; an existing file is not overwritten."""
    assert run(capsys, "show", "run", "--html", "again.html") == (0, "", "")
    assert Path("again.html").read_bytes() == (run_folder / "report.html").read_bytes()
    assert run(capsys, "show", "run", "--html", "again.html") == (
        2, "", "moeliga: error: again.html exists; choose another name, or replace it with --force\n")
    assert run(capsys, "show", "run", "--rule", "best", "--html", "again.html", "--force") == (0, "", "")
    assert "Chosen by rule &#x27;best&#x27;: " in Path("again.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("argv, message", [
    (["absent"], "absent is not a folder of results"),
    (["."], ". is not a folder of results: it has no front.json"),
    (["run", "--n-features", "13"], "--n-features must be the size of a member of the front, got 13; "),
    (["run", "--index", "99"], "--index must be in [0, "),
    (["run", "--max-cost", "2"], "--max-cost must be None for a front without costs"),
    (["run", "--rule", "middle"], "argument --rule: invalid choice: 'middle'"),
])
def test_show_refuses(run_folder, capsys, argv, message):
    status, out, err = run(capsys, "show", *argv)
    assert (status, out) == (2, "") and err.startswith(f"moeliga: error: {message}") and err.count("\n") == 1


def test_advice_has_options(run_folder, capsys):
    """Messages name options instead of parameters of Python."""
    _, _, err = run(capsys, "show", "run", "--n-features", "13")
    assert err.endswith(" features (--max-features takes the best up to a size)\n")


@pytest.mark.quick(8)
@pytest.mark.parametrize("name, old, new, message", [
    ("front.json", '"format"', '"form"', "run/front.json: source must be a front that to_json has written: "),
    ("settings.json", '"chosen"', '"chose"', "run/settings.json: not written by moeliga select: 'chosen' is missing"),
    ("settings.json", '"index": ', '"index": null, "was": ',
     "run/settings.json: chosen.index must be an integer, got None"),
    ("settings.json", '"index": ', '"index": 9', "run/settings.json: index must be in [0, "),
    ("settings.json", '"stop_reason"', '"stop"', "run/settings.json: not written by moeliga select: 'stop_reason' is"),
    ("settings.json", "{", "", "run/settings.json: "),
    ("history.csv", "seconds", "hours", "run/history.csv: not written by moeliga select: 'seconds' is missing"),
    ("settings.json", '"stop_reason": ', '"stop_reason": 3, "x": ',
     "run/settings.json: stop_reason must be of type str, "
     "got 3"),
    ("settings.json", '"versions": {', '"versions": [], "x": {',
     "run/settings.json: versions must be of type dict, got []"),
    ("settings.json", '"data": {', '"data": 3, "x": {',
     "run/settings.json: not written by moeliga select: 'data.n_samples' is missing"),
    ("settings.json", "{", 100_000 * "[", "run/settings.json: "),
    ("history.csv", "\n0,", "\nzero,", "run/history.csv: generation must hold numbers, got ['zero', "),
    ("history.csv", "\n0,", "\n", "run/history.csv: row 0 must have 15 values, got 14"),
    ("history.csv", "archive_hypervolume", "hyper",
     "run/history.csv: not written by moeliga select: 'archive_hypervolume' is missing"),
    ("settings.json", '"summary"', '"table"', "run/settings.json: not written by moeliga select: 'summary' is missing"),
    ("settings.json", '"chosen": false', '"chosen": 3',
     "run/settings.json: summary.chosen must be true or false, got 3"),
    ("settings.json", '"sentences": [', '"sentences": [3, ', "run/settings.json: summary must have a score_name and "),
    ("settings.json", '"score": null', '"score": "high"',
     "run/settings.json: chosen.worth.score must be a number, got 'high'"),
    ("settings.json", '"search": "UAR"', '"guide": "UAR"', "run/settings.json: "),
    ("history.csv", "\n0,", "\n" + 200_000 * "0" + ",", "run/history.csv: field larger than field limit (131072)"),
])
def test_show_says_which_file_is_damaged(run_folder, capsys, request, name, old, new, message):
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit(131_072)))  # scipy.io.arff lifts it
    path = run_folder / name
    path.write_text(path.read_text().replace(old, new, 1))
    status, out, err = run(capsys, "show", "run")
    assert (status, out) == (2, "") and err.startswith(f"moeliga: error: {message}") and err.count("\n") == 1


def test_a_foreign_folder_cannot_steer_the_terminal(run_folder, capsys):
    """Names that would clear the screen, set a title, turn the text round or end the line are written out."""
    steering = {"\\u001b[2J": r"\x1b[2J", "\\u009b31m": r"\x9b31m", "\\u202e": r"\u202e", "\\n\\r": r"\n\r",
                "\\u0007": r"\x07", "\\u007f": r"\x7f"}
    path = run_folder / "front.json"
    names = json.loads(path.read_text())["feature_names"]
    for name, (escape, _) in zip(names, [*steering.items(), *steering.items(), ("é", "é")], strict=True):
        path.write_text(path.read_text().replace(f'"{name}"', f'"{name}{escape}"', 1))
    front = ParetoFront.from_json(path)
    for index in range(len(front)):
        status, out, err = run(capsys, "show", "run", "--index", str(index))
        assert (status, err) == (0, "")
        assert all(line.isprintable() for line in out.splitlines())
        assert len(out.splitlines()) == 1 + len(front) + 4 + int(front.n_selected[index]) + 1
        for name in front.features(index):
            assert name.encode("unicode_escape").decode("latin-1") in out or name in out
    Path("\x1b[2J.csv").write_text("a,y\n1,2\n")
    status, out, err = run(capsys, "select", "\x1b[2J.csv", "--target", "z", "--out", "other")
    assert (status, out) == (2, "") and err.startswith(r"moeliga: error: \x1b[2J.csv: no column 'z'; ")


def places(value, at=()):
    """Return the paths of all entries of a JSON text, each a tuple of keys and indices."""
    yield at
    below = value if isinstance(value, dict) else range(min(1, len(value))) if isinstance(value, list) else ()
    for key in below:
        yield from places(value[key], (*at, key))


@pytest.mark.slow
def test_every_entry_of_the_settings_may_be_damaged(run_folder, capsys, monkeypatch):
    """With an entry missing or of another type the folder is read, or there is a one-line error and the status 2."""
    path = Path("run/settings.json")
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["held_out"] = {"file": "f", "n_samples": 3, "sha256": "s", "scores": [
        0.5 for _ in ParetoFront.from_json("run/front.json").supports]}
    settings["data"]["dropped"] = [0]
    refused = set()
    for at in places(settings):
        for damage in ("drop", None, 10**400, "x", [99, 99], {"a": 1}):
            damaged = {"all": json.loads(json.dumps(settings))}
            place = damaged
            for key in ("all", *at)[:-1]:
                place = place[key]
            place[("all", *at)[-1]] = damage
            if damage == "drop":
                del place[("all", *at)[-1]]
            path.write_text(json.dumps(damaged.get("all", 3)), encoding="utf-8")
            status, _, err = run(capsys, "show", "run", "--html", "again.html", "--force")
            assert status in (0, 2) and err.count("\n") == status / 2, (at, damage, err)
            if status:
                assert err.startswith("moeliga: error: run")
                refused.add(at[:2])
    assert {("data",), ("data", "dropped"), ("held_out", "n_samples"), ("versions", "numpy"), ("command",)} <= refused


EVIL = "e\x1b[2Jvil\x9b\u202e\u2066"


@pytest.mark.slow
def test_no_name_steers_the_terminal_or_the_report(tmp_path, monkeypatch, capsys):
    """Names of the file, of a column, of the folder; in what is told, in errors, in JSON, and in the report."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{i % 2},{i * i % 5},{'ab'[i % 2]}" for i in range(40))
    Path(f"{EVIL}.csv").write_text(f"{EVIL},other,class\n{rows}\n", encoding="utf-8")
    told = [run(capsys, "select", f"{EVIL}.csv", "--target", "class", "--out", EVIL, "--generations", "1", "--honest",
                "2", "--estimator", "GaussianNB", "--n-jobs", "1"),
            run(capsys, "show", EVIL), run(capsys, "show", EVIL, "--json"),
            run(capsys, "show", EVIL, "--html", f"{EVIL}.html"), run(capsys, "show", EVIL, "--html", f"{EVIL}.html"),
            run(capsys, "show", EVIL, EVIL), run(capsys, "show", EVIL, "--rule", EVIL), run(capsys, EVIL),
            run(capsys, "show", f"no{EVIL}"),
            run(capsys, "select", f"{EVIL}.csv", "--target", f"no{EVIL}", "--out", "x")]
    assert [status for status, _, _ in told] == [0, 0, 0, 0, 2, 2, 2, 2, 2, 2]
    assert any(EVIL in member["features"] for member in json.loads(told[2][1])["front"])
    texts = [text for _, out, err in told for text in (out, err)]
    texts += [Path(f"{EVIL}.html").read_text(encoding="utf-8"), Path(EVIL, "report.html").read_text(encoding="utf-8")]
    for text in texts:
        assert not set(EVIL) & set(text) - set("e[2Jvil")
    assert "e\\x1b[2Jvil\\x9b\\u202e\\u2066.csv" in told[0][1] and "e\\x1b[2Jvil" in texts[-1]
