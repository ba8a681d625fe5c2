"""No network, no foreign process and no file that nobody asked for: every process is watched by an audit hook."""

import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import moeliga
from moeliga.cli.files import read_table

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open folders are named by /proc")

HOOK = '''
"""Python imports this when it starts, in workers too: what is done goes into a file, what must not be done fails."""
import json
import os
import sys

LOG = os.open(os.environ["MOELIGA_TEST_LOG"], os.O_WRONLY | os.O_APPEND)
NETWORK = ("socket.", "urllib.", "http.", "ftplib.", "imaplib.", "poplib.", "smtplib.", "telnetlib.", "nntplib.")
PROCESS = ("subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.startfile",
           "pty.spawn", "webbrowser.open")
PATHS = {"os.mkdir": 1, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.symlink": 2, "os.chmod": 1,
         "os.chown": 1, "os.truncate": 1, "os.utime": 1}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
OTHERS = ("numpy.testing", "scipy.stats._sampling", "threadpoolctl")
# NumPy 2.0 asks lscpu for a kind of processor, SciPy 1.13 makes a file and removes it, threadpoolctl 3.5 asks ldconfig


def place(path, folder=-1):
    if isinstance(path, int):
        return None
    path = os.fsdecode(path)
    return os.path.join(os.readlink(f"/proc/self/fd/{folder}") if folder != -1 else os.getcwd(), path)


def within(*modules):
    frame = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(modules):
            return True
        frame = frame.f_back
    return False


def note(entry):
    global LOG
    line = (json.dumps(entry) + "\\n").encode()
    try:
        os.write(LOG, line)
    except OSError:  # joblib 1.4 has closed it in a child that is about to become a worker
        path, LOG = os.environ["MOELIGA_TEST_LOG"], None
        LOG = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(LOG, line)


def hook(event, arguments):
    if LOG is None:
        return
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, int) or not (set(mode or "") & set("wax+") or flags & WRITING):
            return
        told = [place(path)]
    elif event in PATHS:
        n_paths = PATHS[event]
        folders = [value for value in arguments[n_paths:] if type(value) is int][-n_paths:]
        folders = folders if event in ("os.mkdir", "os.remove", "os.rmdir", "os.rename") else []
        told = [place(path, *folders[i : i + 1]) for i, path in enumerate(arguments[:n_paths])]
    elif event.startswith(NETWORK) or event in PROCESS or event == "pickle.find_class":
        told = [repr(arguments)]
        if event in PROCESS and within("joblib.externals.loky"):
            event = "worker"
    else:
        return
    if event == "os.mkdir" and told[0] == os.environ["MPLCONFIGDIR"]:
        return  # matplotlib's, when it is imported, although it is there
    if within(*OTHERS):
        return
    note([event, *filter(None, told)])
    if event.startswith(NETWORK) or event in PROCESS:
        raise PermissionError(f"{event} {arguments}")


sys.addaudithook(hook)
'''


@pytest.fixture(scope="session")
def fonts(tmp_path_factory):
    """matplotlib's list of fonts, which it writes, and asks a program for, the first time that it is imported."""
    folder = tmp_path_factory.mktemp("matplotlib")
    subprocess.run([sys.executable, "-c", "import importlib.util as u\nif u.find_spec('matplotlib'):\n"
                    "    import matplotlib.font_manager"], env={**os.environ, "MPLCONFIGDIR": str(folder)}, check=True)
    return folder


@pytest.fixture
def watched(tmp_path, fonts):
    """Runs a program; returns what it printed, and what the hook saw in all its processes: list of [event, ...]."""
    for name in ("hook", "home", "here", "out", "workers", "scratch"):
        (tmp_path / name).mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    places = [tmp_path / "hook", Path(moeliga.__file__).parents[1], Path(__file__).parents[1]]

    def run(program, *arguments):
        log = tmp_path / "log"
        log.write_text("")
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "MPLBACKEND": "Agg",
            "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(fonts), "HOME": str(tmp_path / "home"),
            "TMPDIR": str(tmp_path / "scratch"), "JOBLIB_TEMP_FOLDER": str(tmp_path / "workers"),
            "MOELIGA_TEST_LOG": str(log)}
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)], text=True,
                              cwd=tmp_path / "here", env=environment, capture_output=True, timeout=600)
        assert done.returncode == 0, done.stderr
        return done.stdout, [json.loads(line) for line in log.read_text().splitlines()]

    return run


def strange(events, *allowed):
    """The events that are neither of joblib's workers, which get their work by pickle, nor of files in allowed
    places."""
    def fine(path):
        return path == os.devnull or any(Path(path).is_relative_to(place) for place in allowed)

    return [[event, *paths] for event, *paths in events
            if event not in ("worker", "pickle.find_class") and not all(map(fine, paths))]


@pytest.mark.slow
def test_the_hook_sees_what_it_must(watched, tmp_path):
    """In the process itself and in workers; reading is no event."""
    _, events = watched("""
        import os, socket, subprocess, sys
        def attempt(function, *arguments):
            try:
                function(*arguments)
            except PermissionError:
                return True
        assert attempt(subprocess.run, ["uname"])
        assert attempt(os.system, "true")
        assert attempt(socket.getaddrinfo, "localhost", 80)
        if __name__ == "__main__":
            open(__import__("this").__file__).close()
            open("written", "w").close()
            os.rename("written", "renamed")
            os.remove("renamed", dir_fd=os.open(".", os.O_RDONLY))
            from joblib import Parallel, delayed
            assert Parallel(2)(delayed(attempt)(socket.getaddrinfo, name, 80) for name in "ab") == [True, True]
    """)
    here = str(tmp_path / "here")
    names = [event[0] for event in events if event[0] != "worker"]
    assert {"subprocess.Popen", "os.system", "socket.getaddrinfo", "open", "os.rename", "os.remove"} <= set(names)
    assert names.count("socket.getaddrinfo") == 3
    written, renamed = f"{here}/written", f"{here}/renamed"
    of_files = [event for event in events if here in event[-1]]
    assert of_files == [["open", written], ["os.rename", written, renamed], ["os.remove", renamed]]
    assert strange(events, here) and strange(of_files) == of_files and not strange(of_files, here)


@pytest.mark.slow
def test_importing_every_module(watched):
    """All of them, the compiled ones too."""
    printed, events = watched("""
        import importlib, pkgutil
        import moeliga
        for module in pkgutil.walk_packages(moeliga.__path__, "moeliga."):
            importlib.import_module(module.name)
            print(module.name)
    """)
    assert {"moeliga.cli.main", "moeliga.cli.files", "moeliga._ext.tree"} <= set(printed.split())
    assert strange(events) == []


@pytest.mark.slow
def test_versions(watched):
    """What a bug report should say is found out without asking another program."""
    printed, events = watched("import moeliga; moeliga.show_versions()")
    assert "platform: " in printed
    assert strange(events) == []


@pytest.mark.slow
def test_a_fit_in_threads(watched, tmp_path):
    """Two threads; a checkpoint is the only file, written beside and renamed."""
    out = tmp_path / "out"
    _, events = watched("""
        import sys
        from sklearn.datasets import load_iris
        from single_search import single_search
        X, y = load_iris(return_X_y=True)
        for n in (2, 4):
            single_search(n_generations=n, checkpoint=sys.argv[1], random_state=0, n_jobs=2, verbose=2).fit(X, y)
    """, out / "search.npz")
    assert strange(events, out) == []
    beside = {path for _, *paths in events for path in paths} - {f"{out}/search.npz"}
    assert beside and all(re.fullmatch(rf"{re.escape(str(out))}/\.moeliga-\S+\.(part|lock)", path) for path in beside)
    assert os.listdir(out) == ["search.npz"]


@pytest.mark.slow
def test_fits_and_reports_in_workers(watched, tmp_path):
    """joblib's own temporary folder is the only place that is written to, and is empty in the end."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    _, events = watched("""
        import sys
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.naive_bayes import BernoulliNB
        from moeliga import (ConvergenceDisplay, Evaluation, FeatureFrequencyDisplay, OptimismDisplay,
                             ParetoFrontDisplay, StabilityDisplay, optimism_report, stability_report, write_report)
        from single_search import single_search
        if __name__ == "__main__":
            X, y = (np.repeat(part, 10, axis=0) for part in load_iris(return_X_y=True))
            options = {"n_generations": 1, "local_improvement": None, "random_state": 0, "population_size": 8,
                       "evaluation": Evaluation(n_rescore_splits=2)}
            selector = single_search(BernoulliNB(), n_jobs=2, **options).fit(X, y)
            compiled = single_search(**options)
            optimism_report(compiled, X, y, n_permutations=2, n_splits=2, n_jobs=2)
            report = stability_report(compiled, X, y, n_runs=2, n_jobs=2)
            for display in (ConvergenceDisplay, FeatureFrequencyDisplay, OptimismDisplay, ParetoFrontDisplay):
                display.from_selector(selector)
            StabilityDisplay.from_report(report)
            write_report(selector, sys.argv[1], X=X, y=y, X_test=X, y_test=y)
    """, out / "report.html")
    assert strange(events, out, tmp_path / "workers") == []
    assert os.listdir(out) == ["report.html"]
    assert any(event[-1].startswith(f"{tmp_path}/workers/") for event in events)
    assert os.listdir(tmp_path / "workers") == []


COMMAND = "import sys; from moeliga.cli.main import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.slow
def test_the_demonstration(watched, tmp_path):
    """Its data ship with scikit-learn; its folder gets the plot."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "out" / "demo"
    printed, events = watched(COMMAND, "demo", "--out", out)
    assert "samples held out" in printed
    assert strange(events, out) == []
    assert os.listdir(out) == ["front.png"]


@pytest.mark.slow
def test_select_and_show(watched, tmp_path):
    """The results, all in their folder; showing them writes nothing but the report that it is asked for."""
    out = tmp_path / "out"
    rows = "".join(f"{i},{i * i % 7},{i % 3},{i % 2}\n" for i in range(40))
    (tmp_path / "here" / "data.csv").write_text(f"a,b,c,y\n{rows}")
    _, events = watched(COMMAND, "select", "data.csv", "--target", "y", "--out", out / "run", "--generations", "3",
                        "--n-jobs", "2")
    assert strange(events, out / "run") == []
    assert {"front.csv", "report.html", "selected.txt"} <= set(os.listdir(out / "run"))
    _, events = watched(COMMAND, "show", out / "run")
    assert strange(events) == []
    _, events = watched(COMMAND, "show", out / "run", "--html", out / "again.html")
    assert strange(events, out) == []
    assert sorted(os.listdir(out)) == ["again.html", "run"]
    for name in ("home", "here", "scratch"):
        assert set(os.listdir(tmp_path / name)) == ({"data.csv"} if name == "here" else set())


class Evil:
    """What runs when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("evil",)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*PyExtensionType")  # pyarrow 16 asks not to have it unpickled, and has not
def test_no_reader_unpickles(watched, tmp_path):
    """Pickles where arrays, checkpoints, results and Parquet's types could be: nothing of them is even looked up."""
    arrays = np.array([Evil()], dtype=object)
    np.savez(tmp_path / "data.npz", X=arrays.reshape(1, 1), y=np.array([0]), feature_names=arrays)
    np.savez(tmp_path / "search.npz", head=arrays)
    (tmp_path / "pickled.npz").write_bytes(pickle.dumps(Evil()))
    for name in ("data.csv", "data.arff", "data.parquet", "front.json"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    files, readable = sorted(str(path) for path in tmp_path.iterdir() if path.is_file()), 0
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        pass
    else:
        serialized = {b"ARROW:extension:name": b"arrow.py_extension_type",
                      b"ARROW:extension:metadata": pickle.dumps(Evil())}
        schema = pa.schema([pa.field("x", pa.int64(), metadata=serialized), pa.field("y", pa.int64())])
        parquet.write_table(pa.table({"x": [1, 2], "y": [0, 1]}, schema=schema), tmp_path / "typed.parquet")
        try:
            assert read_table(tmp_path / "typed.parquet", "y").X.tolist() == [[1.0], [2.0]]
            readable = 1
        except ValueError as error:  # pyarrow 16 leaves the type on
            assert "(extension" in str(error)
        files.append(str(tmp_path / "typed.parquet"))
    printed, events = watched("""
        import sys
        from moeliga import ParetoFront
        from moeliga.cli.files import read_table
        from single_search import single_search
        def fit(path):
            single_search(checkpoint=path).fit([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
        for path in sys.argv[1:]:
            for read in (lambda path: read_table(path, None), lambda path: read_table(path, "y"), ParetoFront.from_json,
                         fit):
                try:
                    read(path)
                except (ImportError, ValueError):
                    print("refused")
    """, *files)
    assert printed.split() == ["refused"] * (4 * len(files) - readable)
    assert not [event for event in events if event[0] == "pickle.find_class"]
    assert strange(events) == []
