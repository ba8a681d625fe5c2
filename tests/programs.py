"""Programs that fit in processes and threads of all kinds, and what runs them.

A program prints what happened, a line of JSON each (`tell`); `run_program` runs it, sees to it that it ends and that
nothing is left of it, and returns what it said. The functions above are for programs, which run in other processes."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import BernoulliNB

from moeliga import DecisionTreeClassifier, LocalImprovement, evaluate_subsets
from single_search import single_search

SECONDS = 240
"""In which a program has to end; one that waits for ever is ended. On an idle machine none needs a tenth of it."""

SIZES = {"population_size": 30, "n_generations": 3, "evaluation__n_rescore_splits": 5,
         "local_improvement": LocalImprovement(n_populations=1, population_size=20, n_generations=2, every=2)}


def data(seed=0, n_samples=150, n_features=140):
    """Enough that the kernels think threads worth their while."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::7] += y[:, None]
    return X, y


def digest(*arrays):
    """Their bits, as one number."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def fit(n_jobs, seed=0, **parameters):
    """Search, with the compiled tree or another estimator: digest of the result."""
    selector = single_search(**{**SIZES, "random_state": seed, "n_jobs": n_jobs, **parameters}).fit(*data(seed))
    return found_by(selector)


def found_by(selector):
    """Digest of what a fitted selector found."""
    front = selector.pareto_front_
    return digest(front.supports, front.objectives, front.search_objectives, front.score_se, selector.support_)


def work(n_jobs, seed=0):
    """All that has parallel regions, a search and a tree alone: digest of what they give."""
    X, y = data(seed, n_samples=20_000, n_features=25)
    return fit(n_jobs, seed) + digest(DecisionTreeClassifier(max_depth=6, n_jobs=n_jobs).fit(X, y).predict(X))


def long_region(n_jobs):
    """One call into the compiled core that takes about half a second, all of it in one parallel region."""
    X, y = data(1, n_samples=400)
    return digest(evaluate_subsets(X, y, np.ones((60, 140), dtype=bool), n_splits=20, random_state=0, n_jobs=n_jobs))


def score_by_joblib(n_jobs, seed=0, **parameters):
    """A search whose subsets joblib's workers score: digest of the result."""
    return fit(n_jobs, seed, **{
        "estimator": BernoulliNB(), "population_size": 12, "n_generations": 1, "evaluation__n_splits": 2,
        "evaluation__n_rescore_splits": 2, "local_improvement": None, **parameters})


KNOWN = set()  # system's numbers of all threads of Python's that were seen here, ended ones too


def others():
    """Threads of this process that Python did not start: those of OpenMP, and of BLAS if it has any.

    Those seen in each of three looks. One of Python's that has ended stays with the system for as long as that has no
    time for it, so their numbers are kept."""
    found = None
    for pause in (0, 0.001, 0.001):
        time.sleep(pause)
        tasks = {task for task in os.listdir("/proc/self/task") if name_of(task)}
        while None in (begun := {thread.native_id for thread in threading.enumerate()}):  # one that is beginning
            time.sleep(0.001)
        KNOWN.update(map(str, begun | {os.getpid()}))  # a child's main thread keeps its parent's number
        found = tasks if found is None else found & tasks
    return len(found - KNOWN)


def name_of(thread):
    """The system's name for a thread, empty if it has ended or belongs to the allocator that comes with pyarrow."""
    try:
        name = Path(f"/proc/self/task/{thread}/comm").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if name.startswith("jemalloc") else name


class Watch:
    """Looks all the time, while it is open, how many threads there are that Python did not start: at most `most`."""

    def __enter__(self):
        self.most, self.over = others(), threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        while os.path.exists(f"/proc/self/task/{self.thread.native_id}"):  # Python forgets it before the system does
            time.sleep(0.001)
        self.most = max(self.most, others())

    def look(self):
        while not self.over.wait(0.002):
            self.most = max(self.most, others())


def watched_work(n_jobs, seed=0):
    """`work`, watched: digest and most threads beside Python's."""
    with Watch() as watch:
        found = work(n_jobs, seed)
    return {"digest": found, "threads": watch.most}


def tell(**said):
    """Print a line that `run_program` returns; safe in a child too."""
    os.write(1, (json.dumps(said) + "\n").encode())


def status_of_child(function):
    """Call a function in a forked child: its status, as `os.waitpid` gives it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)  # of Python 3.12, where there are threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def in_child(function):
    """Call a function in a forked child, and wait for it."""
    if os.waitstatus_to_exitcode(status_of_child(function)):
        raise RuntimeError("the child failed")


def in_threads(*functions):
    """Call functions at the same time, each in a thread of its own: list of what they return."""
    results, start = [None] * len(functions), threading.Barrier(len(functions))

    def run(place, function):
        start.wait()
        results[place] = function()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def family():
    """Processes that descend from this one, without those that only keep account of shared memory."""
    parents, found = {process: (stat_of(process) or (0, 0))[1] for process in processes()}, {os.getpid()}
    while new := {process for process, parent in parents.items() if parent in found} - found:
        found |= new
    return [process for process in found - {os.getpid()} if "tracker" not in command_of(process)]


def processes():
    """Numbers of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_of(process):
    """State, parent, group and session of a process; None if it has ended."""
    try:
        state, *numbers = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if state in "ZX" else (state, *map(int, numbers[:3]))


def command_of(process):
    """The command line of a process, empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


# running programs


def alone(function="work", **environment):
    """What a function gives on one thread of a process that does nothing else."""
    return run_program(f"import programs; programs.tell(digest=programs.{function}(1))", **environment)[0]["digest"]


def run_program(program, *, before=(), **environment):
    """Run a program in a session of its own: list of what it told.

    Parameters
    ----------
    program : str
    before : sequence of str
        A command that runs the program.
    **environment
        In addition to this process's, which is cleared of numbers of threads; BLAS has one.

    Notes
    -----
    Fails if the program takes `SECONDS`, if it fails itself, or if ten seconds after its end one of its processes is
    still there. Whatever is left of it is killed.
    """
    paths = [str(Path(__file__).parent), *(path for path in sys.path if path)]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "LOKY_"))}
    known |= {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    process = subprocess.Popen([*before, sys.executable, "-X", "faulthandler", "-c", program], text=True,
                               env=known | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        try:
            out, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            for member in members(process.pid):
                os.kill(member, signal.SIGABRT)  # which says where it is
            out, errors = process.communicate(timeout=SECONDS)
            raise AssertionError(f"no end after {SECONDS} seconds:\n{out}\n{errors}") from None
        deadline = time.monotonic() + 10
        while (left := members(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left, f"left behind: {[command_of(member) for member in left]}"
    finally:
        for member in members(process.pid):
            os.kill(member, signal.SIGKILL)
        process.wait()
    assert process.returncode == 0, f"{process.returncode}\n{out}\n{errors}"
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]  # Ray prints lines of its own


def members(session):
    """Processes of a session that have not ended."""
    return [process for process in processes() if (stat_of(process) or (0,) * 4)[3] == session]
