"""Searches on real clusters of Dask: workers that come late, are slow, die, or lack something."""

import importlib.util
import sys

import pytest
from programs import SIZES, data, found_by, run_program

from single_search import single_search

pytestmark = [
    pytest.mark.distributed,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left behind"),
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="pip install 'moeliga[dask]'"),
]


def test_dask_finds_the_same(found_here):
    """With a future for the data, that all workers get; a fit within one of its tasks, as of a report, stays there."""
    told = run_program("""
import joblib
from programs import SIZES, data, tell
from cluster_programs import dask, fit, held, sent, send_everything
send_everything()
from moeliga import stability_report
from moeliga.distributed import dispatcher
from single_search import single_search

def report(n_jobs):
    selector = single_search(**{**SIZES, "local_improvement": None})
    return stability_report(selector, *data(), n_runs=2, random_state=0, n_jobs=n_jobs).summary()

if __name__ == "__main__":
    tell(report=report(1))
    with dask(processes=False):
        tell(digest=fit(), n_sent=len(sent), kinds=sorted(set(sent)), held=held())
        tell(digest=fit(n_jobs=1), n_sent=len(sent))
        tell(report=report(-1))
        tell(there=joblib.Parallel()(joblib.delayed(dispatcher.runs_remotely)(-1) for _ in range(4)))
""")
    ref, first, alone, report, nested = told
    assert first["digest"] == alone["digest"] == found_here
    assert first["n_sent"] == alone["n_sent"] > 20
    assert first["kinds"] == ["Future"] and first["held"] == 1  # the workers are in the program's own process
    assert report == ref
    assert nested == {"there": [False] * 4}


def test_workers_may_die(found_here):
    """One in the middle of a slice, then all at once, and the data with them: the slices are evaluated again."""
    told = run_program("""
import os, warnings
from programs import tell
from cluster_programs import dask, fit, one_dies, send_everything
send_everything()

def kill_all(state):
    if state.generation == 2:
        for process in pids:
            os.kill(process, 9)

if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    with dask() as client:
        with one_dies() as died:
            tell(digest=fit(), died=died())
        pids = list(client.run(os.getpid).values())
        tell(digest=fit(callbacks=kill_all), n=len(pids))
        client.wait_for_workers(2)
        tell(others=not set(client.run(os.getpid).values()) & set(pids))
""")
    assert told[0] == {"digest": found_here, "died": True}
    assert told[1]["digest"] == found_here and told[1]["n"] >= 1
    assert told[2] == {"others": True}


@pytest.mark.parametrize("seconds", [0.5, 1000])
def test_a_worker_may_be_slow(found_here, seconds):
    """It waits so long before each task. What it is late with is evaluated by the other one too, which does more."""
    told = run_program(f"""
import time
from concurrent.futures import ThreadPoolExecutor
from distributed import WorkerPlugin
from programs import tell
from cluster_programs import dask, fit, sent, send_everything
send_everything()

class Pool(ThreadPoolExecutor):
    n_begun = 0

    def submit(self, function, *arguments):
        self.n_begun += 1
        return super().submit(late, self.seconds, function, *arguments)

def late(seconds, function, *arguments):
    time.sleep(seconds)
    return function(*arguments)

class Slow(WorkerPlugin):
    def setup(self, worker):
        worker.executors["default"] = Pool(1)
        worker.executors["default"].seconds = {seconds} if worker.name == 0 else 0

def begun(dask_worker):
    return dask_worker.name, dask_worker.executors["default"].n_begun

if __name__ == "__main__":
    with dask() as client:
        client.register_plugin(Slow())
        tell(digest=fit(), n_sent=len(sent), begun=sorted(client.run(begun).values()))
""")
    (_, slow), (_, other) = told[0]["begun"]
    assert told[0]["digest"] == found_here
    assert slow < other  # on a busy machine Dask may give it nothing
    assert told[0]["n_sent"] > 20 and (seconds < 1 or slow <= 1)  # it never comes to its second task


def test_islands_are_those_of_here():
    """As tasks of several generations, also if a worker dies in the middle of one."""
    setting = {**SIZES, "n_generations": 5, "islands__n": 3, "islands__every": 2, "random_state": 0}
    told = run_program("""
import warnings
from programs import tell
from cluster_programs import dask, fit, one_dies, sent, send_everything
send_everything()
from moeliga.search import islands

if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    with dask(), one_dies(islands.evolve_on_worker) as died:
        tell(digest=fit(n_generations=5, islands__n=3, islands__every=2), n_sent=len(sent), died=died())
""")
    assert told[0]["digest"] == found_by(single_search(**setting, n_jobs=1).fit(*data()))
    assert told[0]["died"] and 3 * 3 < told[0]["n_sent"]  # the initial population and the front go in slices


def test_no_client_or_no_worker_is_an_error_before_the_fit(tmp_path):
    """joblib's own words; a checkpoint stays as it was."""
    file = tmp_path / "search.npz"
    single_search(**{**SIZES, "n_generations": 0}, random_state=0, checkpoint=file).fit(*data())
    before = file.read_bytes()
    client, worker = run_program(f"""
import time
import joblib
from programs import tell
from cluster_programs import dask, fit, send_everything
send_everything()

def no_worker():
    with dask(1, patience=1, processes=False) as client:
        client.cluster.scale(0)
        while client.ncores():
            time.sleep(0.01)
        fit(checkpoint={str(file)!r})

if __name__ == "__main__":
    for begin in (lambda: joblib.parallel_config("dask"), no_worker):
        try:
            begin()
        except Exception as error:
            tell(kind=type(error).__name__, text=str(error))
""")
    assert client["kind"] == "ValueError" and "first create a Dask Client" in client["text"]
    assert worker["kind"] == "TimeoutError" and "no worker after 1 seconds" in worker["text"]
    assert file.read_bytes() == before


def test_without_workers(found_here):
    """A single one is enough; when it is gone the search waits as joblib would, or until its time is over."""
    told = run_program("""
import time, warnings
from programs import data, found_by, tell
from cluster_programs import dask, search, sent, send_everything
send_everything()

def leave(state):
    if state.generation == 2:
        client.cluster.scale(0)
        while client.ncores():
            time.sleep(0.01)

def outcome(patience, **parameters):
    global client
    with dask(1, patience=patience, processes=False) as client, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector = search(callbacks=leave, **parameters).fit(*data())
    tell(n_sent=len(sent), reason=selector.stop_reason_, digest=found_by(selector),
         last=int(selector.history_["generation"][-1]),
         told=[str(each.message) for each in caught if "no worker" in str(each.message)])

if __name__ == "__main__":
    outcome(1)
    outcome(600, max_time=5, evaluation__n_rescore_splits=0, n_generations=5)
""")
    waited, limited = told
    assert waited["n_sent"] > 10 and waited["digest"] == found_here
    assert len(waited["told"]) == 1 and waited["told"][0].startswith("the workers are lost, the search goes on in this")
    assert limited["reason"] == "max_time" and limited["last"] == 2 and limited["told"] == []


def test_workers_that_cannot_take_part(tmp_path, found_here):
    """Another version, no package, too little memory: said before anything is sent, with the checkpoint untouched."""
    told = run_program(f"""
import os, sys
from programs import tell
from cluster_programs import dask, fit, send_everything
send_everything()
from moeliga.distributed import dispatcher, worker

def pretend(dask_worker, version):
    worker.usual, worker.own_version = worker.own_version, lambda: version

def starve(dask_worker):
    memory = dask_worker.memory_manager
    memory.usual, memory.memory_limit = memory.memory_limit, 1 << 10

def hide(dask_worker):
    for name in [name for name in sys.modules if name.partition(".")[0] == "moeliga"]:
        del sys.modules[name]
    sys.modules["moeliga"] = None

def recover(dask_worker):
    memory = dask_worker.memory_manager
    worker.own_version, memory.memory_limit = worker.usual, getattr(memory, "usual", memory.memory_limit)

def outcome(change, **arguments):
    def change_now(state):
        if state.generation == 1:
            client.run(change, **arguments)
            state.search.objectives.remote.close()  # as after a failure
    try:
        fit(callbacks=change_now, checkpoint=file)
    except (MemoryError, dispatcher.WorkerError) as error:
        return type(error).__name__, str(error)

if __name__ == "__main__":
    folder = {str(tmp_path)!r}
    with dask(1, 2) as client:
        for number, (change, arguments) in enumerate([(pretend, {{"version": "0.0.7"}}), (starve, {{}}), (hide, {{}})]):
            file = os.path.join(folder, f"search{{number}}.npz")
            kind, text = outcome(change, **arguments)
            tell(kind=kind, text=text, saved=os.path.exists(file), digest=fit(checkpoint=file, n_jobs=1))
            if change is not hide:
                client.run(recover)
""")
    version, memory, package = told
    assert [line["kind"] for line in told] == ["WorkerError", "MemoryError", "WorkerError"]
    assert "must have moeliga" in version["text"] and "as here, got 0.0.7 at" in version["text"]
    assert "and its dependencies, but on one of them" in package["text"] and "No module named" in package["text"]
    assert "of memory for the coded data, and 0 MiB are free at" in memory["text"]
    assert all(line["saved"] and line["digest"] == found_here for line in told)


@pytest.mark.parametrize("more", ["", "honest=2, "], ids=["one search", "folds"])
def test_a_scheduler_that_is_lost(found_here, more):
    """The search says so, and goes on alone, as do those on folds; its checkpoint is that of any other."""
    told = run_program("""
import os, subprocess, sys, tempfile, time, warnings
import joblib
from distributed import Client
from programs import tell
from cluster_programs import fit, send_everything
send_everything()

def lose(state):
    if state.generation == 1:
        scheduler.kill()
        scheduler.wait()

def start(module, *options):
    return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", "scheduler.json",
                             "--no-dashboard", *options], stderr=subprocess.DEVNULL)

if __name__ == "__main__":
    here = fit({more})
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        scheduler = start("dask_scheduler", "--port", "0")
        while not os.path.exists("scheduler.json"):
            time.sleep(0.1)
        worker = start("dask_worker", "--nthreads", "2", "--no-nanny", "--death-timeout", "5")
        client = Client(scheduler_file="scheduler.json", timeout=5)
        client.wait_for_workers(1)
        with joblib.parallel_config("dask", wait_for_workers_timeout=2), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            fit({more}callbacks=lose, checkpoint="search.npz", n_generations=2)
        tell(told=[str(each.message) for each in told if "lost" in str(each.message)],
             here=here, digest=fit({more}checkpoint="search.npz"))
        worker.kill()
        worker.wait()
        os._exit(0)  # the client waits for its scheduler
""".replace("{more}", more))
    assert told[0]["digest"] == told[0]["here"] and (more or told[0]["here"] == found_here)
    assert len(told[0]["told"]) == 1
    assert told[0]["told"][0].startswith("the workers are lost, the search goes on in this process and finds the same")
