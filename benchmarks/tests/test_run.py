"""A slower build is found out, and what cannot be compared is refused."""

import json
import subprocess
import sys

import pytest
from evidence import FOLDER


class Rigged:
    """A race whose two sides take no time; the ratios come from `ratios`, one for each measurement."""

    params = (("a", "b"),)
    param_names = ("which",)
    quick = (("a",), ("b",))
    unit = "call"
    fault = None

    def setup(self, which):
        pass

    def time_moeliga(self, which):
        pass

    time_rival = time_moeliga

    def agreement(self, which):
        if self.fault:
            raise self.fault
        return "identical"


def record(ratio, gated=True):
    return {"group": "rigged", "ours_ms": 1.0, "rival_ms": ratio, "ratio": ratio, "rounds": 3, "clock": "cpu",
            "unit": "call", "gated": gated}


@pytest.fixture
def rig(run, monkeypatch):
    """run.py with the rigged race alone; `rig(a=[...], b=[...])` gives the ratios it will measure."""

    def set_ratios(**ratios):
        left = {which: list(values) for which, values in ratios.items()}
        monkeypatch.setattr(run, "race", lambda benchmark, parameters, profile, more=1: record(
            left[parameters[0]].pop(0)))
        return left

    monkeypatch.setattr(run, "RACES", {"rigged": Rigged})
    monkeypatch.setattr(run, "FIGURES", {})
    monkeypatch.setattr(run, "facts", lambda: {"cores": 2, "cpu": "a cpu", "compiler": "cc", "versions": dict.fromkeys(
        ("moeliga", "numpy", "scikit-learn", "python"), "1")})
    return set_ratios


@pytest.fixture
def baseline(tmp_path):
    """Writes a file as --json does, and gives its path."""

    def write(profile="quick", form=1, **ratios):
        cases = {f"rigged which={which}": record(ratio) for which, ratio in ratios.items()}
        path = tmp_path / "baseline.json"
        path.write_text(json.dumps({"format": form, "profile": profile, "cases": cases}))
        return str(path)

    return write


def test_compare_finds_regressions_and_cases_of_one_side(run):
    """Below (1 - tolerance) times the baseline is a regression; at it is none."""
    now = {"same": 10.0, "slower": 6.9, "at the limit": 7.0, "faster": 20.0, "new": 1.0}
    before = {"same": 10.0, "slower": 10.0, "at the limit": 10.0, "faster": 10.0, "gone": 5.0}
    assert run.compare(now, before, 0.3) == (["slower"], ["new"], ["gone"])


def test_slower_build_exits_1(run, rig, baseline, capsys):
    rig(a=[5.0, 5.0, 6.0], b=[10.0])
    assert run.main(["--against", baseline(a=10.0, b=10.0)]) == 1
    assert "- regressed: rigged which=a, ratio 6.00, was 10.00" in capsys.readouterr().out


def test_suspect_is_measured_again_and_its_best_ratio_counts(run, rig, baseline):
    """One bad measurement is no regression; good ones are not repeated."""
    left = rig(a=[5.0, 9.0, 1.0], b=[10.0, 1.0])
    assert run.main(["--against", baseline(a=10.0, b=10.0)]) == 0
    assert left == {"a": [1.0], "b": [1.0]}


def test_cases_of_one_side_are_listed_and_no_failure(run, rig, baseline, capsys):
    rig(a=[1.0], b=[1.0])
    assert run.main(["--against", baseline(a=1.0, c=9.0)]) == 0
    output = capsys.readouterr().out
    assert "- not in the file: rigged which=b" in output
    assert "- only in the file: rigged which=c" in output


def test_written_file_is_a_baseline(run, rig, tmp_path):
    """What --json writes, --against reads."""
    rig(a=[2.0, 2.0], b=[3.0, 3.0])
    path = str(tmp_path / "out.json")
    assert run.main(["--json", path]) == 0
    assert run.read_baseline(path, "quick") == {"rigged which=a": 2.0, "rigged which=b": 3.0}
    assert run.main(["--against", path]) == 0


def test_disagreement_exits_2_and_names_the_case(run, rivals, rig, monkeypatch, capsys):
    rig(a=[], b=[])
    monkeypatch.setattr(Rigged, "fault", rivals.Disagreement("x must agree to 0, but differs by 1"))
    assert run.main([]) == 2
    assert "disagreement: rigged which=a: x must agree to 0" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, message", [
    (["--only", "rigged,nonsense"], "argument --only: must be groups out of rigged, got 'nonsense'"),
    (["--tolerance", "1"], "argument --tolerance: must be a number in [0, 1), got '1'"),
    (["--tolerance", "x"], "argument --tolerance: must be a number in [0, 1), got 'x'"),
    (["--profile", "slow"], "argument --profile: invalid choice: 'slow'"),
    (["--against", "/nowhere/x.json"], "argument --against: cannot be read: No such file or directory, got"),
    (["--json", "/nowhere/x.json"], "argument --json: must be in a folder that exists, got '/nowhere/x.json'")])
def test_bad_arguments_exit_2_naming_argument_rule_and_value(run, rig, capsys, arguments, message):
    with pytest.raises(SystemExit) as caught:
        run.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cases": []}', '{"cases": {"a": 1}, "profile": "quick"}'])
def test_broken_baseline_is_refused(run, tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="must be a file that --json has written, got .*broken.json"):
        run.read_baseline(path, "quick")


def test_baseline_of_another_kind_is_refused(run, rig, baseline, capsys):
    """Another profile or format, or a ratio that is none."""
    with pytest.raises(SystemExit) as caught:
        run.main(["--against", baseline(profile="full", a=1.0)])
    assert caught.value.code == 2
    assert "argument --against: must be of the profile 'quick', got 'full'" in capsys.readouterr().err
    with pytest.raises(ValueError, match="must have format 1, got 0"):
        run.read_baseline(baseline(form=0, a=1.0), "quick")
    for ratio in (0.0, -1.0, float("nan"), "fast", True):
        with pytest.raises(ValueError, match="must hold ratios > 0, got"):
            run.read_baseline(baseline(a=ratio), "quick")


def test_baseline_at_hand_is_of_the_quick_profile(run):
    """The file in the repository can be compared with."""
    assert run.read_baseline(FOLDER / "baseline.json", "quick")


def test_race_counts_rounds_and_takes_the_median_ratio(run):
    """A side that sleeps twice as long has about twice the time."""
    spent = {"ours": 0, "rival": 0}

    class Race(Rigged):
        def time_moeliga(self, which):
            spent["ours"] += 1

        def time_rival(self, which):
            spent["rival"] += 1
            sum(range(20_000))

    found = run.race(Race(), ("a",), "quick")
    assert found["rounds"] >= run.LEAST_ROUNDS
    assert found["ratio"] > 5
    assert spent["ours"] > spent["rival"] > 0


@pytest.mark.slow
def test_two_builds_run_the_same_cases(run):
    """A build against itself: every case of a group on one thread once, and times that are about the same."""
    root = str(FOLDER.parent)
    out = subprocess.run([sys.executable, str(FOLDER / "two_builds.py"), root, root, "--only", "niche"],
                         check=True, text=True, capture_output=True).stdout
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in out.splitlines()[2:]]
    assert [row[0] for row in rows[:-1]] == [name for name, _, _ in run.cases(["niche"], "quick")]
    assert all(0.5 < float(row[-1]) < 2 for row in rows)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("package", "message"), [
    (None, "must be a folder that holds moeliga/__init__.py, got "),
    ("raise ImportError('not built')", "its package is not what is imported, nothing is"),
])
def test_two_builds_are_those_of_their_folders(tmp_path, package, message):
    """A folder without the package, or with one that cannot be imported, is refused, wherever the command runs."""
    if package is not None:
        (tmp_path / "moeliga").mkdir()
        (tmp_path / "moeliga" / "__init__.py").write_text(package)
    done = subprocess.run([sys.executable, str(FOLDER / "two_builds.py"), str(FOLDER.parent), ".", "--only", "niche"],
                          text=True, capture_output=True, cwd=tmp_path, timeout=120)
    assert done.returncode and message in done.stderr.splitlines()[-1] and not done.stdout
