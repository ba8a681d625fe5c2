"""Searches on real clusters of one machine: Dask, Ray, an executor; workers that die or lack something."""

import importlib.util
import sys
from pathlib import Path

import pytest
from scene import SIZES, data, found_by, play

from moeliga import MOELIGASelector

SCRIPTS = Path(__file__).resolve().parents[1] / "docs" / "cluster"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left behind")

BEGIN = """
import os, sys, warnings
import joblib
from scene import SIZES, data, found_by, tell
from moeliga import MOELIGASelector, lines, objectives, remote, stability_report, worker

objectives.WORTH_SECONDS, remote.LEAST_SECONDS = 0.0, 1e-9  # everything is sent, in many slices

def fit(**parameters):
    return found_by(MOELIGASelector(**{**SIZES, "random_state": 0, **parameters}).fit(*data()))

def held():
    return len(worker.STORE.desks)

sent = []

def counting(line):
    answers = line.answers

    def counted(self, calls, check):
        sent.extend(type(call[4]).__name__ for call in calls)  # what goes along for the data
        return answers(self, calls, check)

    line.answers = counted

counting(lines.JoblibLine)
counting(lines.DaskLine)
"""
DASK = BEGIN + """
from distributed import Client, LocalCluster

def cluster_of(n_workers=2, threads_per_worker=1, **options):
    return LocalCluster(n_workers=n_workers, threads_per_worker=threads_per_worker, dashboard_address=None, **options)
"""


@pytest.fixture(scope="module")
def digest():
    """What one thread of this process finds."""
    return found_by(MOELIGASelector(**SIZES, random_state=0, n_jobs=1).fit(*data()))


def needs(package, extra):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install 'moeliga[{extra}]'")


# Dask


def test_dask_finds_the_same(digest):
    """With a future for the data, that all workers get; a fit within one of its tasks, as of a report, stays there."""
    needs("distributed", "dask")
    told = play(DASK + """
def report(n_jobs):
    selector = MOELIGASelector(**{**SIZES, "local_improvement": None})
    return stability_report(selector, *data(), n_runs=2, random_state=0, n_jobs=n_jobs).summary()

if __name__ == "__main__":
    tell(report=report(1))
    with cluster_of(processes=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        with joblib.parallel_config("dask"):
            tell(digest=fit(), n_sent=len(sent), kinds=sorted(set(sent)), held=held())
            tell(digest=fit(n_jobs=1), n_sent=len(sent))
            tell(report=report(-1))
            tell(there=joblib.Parallel()(joblib.delayed(remote.elsewhere)(-1) for _ in range(4)))
""")
    ref, first, alone, report, nested = told
    assert first["digest"] == alone["digest"] == digest
    assert first["n_sent"] == alone["n_sent"] > 20
    assert first["kinds"] == ["Future"] and first["held"] == 1  # the workers are in the program's own process
    assert report == ref
    assert nested == {"there": [False] * 4}


def test_dask_s_workers_may_die(digest):
    """One in the middle of a slice, then all at once, and the data with them: the slices are evaluated again."""
    needs("distributed", "dask")
    told = play(DASK + """
work = worker.work

def die_once(mark, *arguments):
    answer = work(*arguments)
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return answer

def kill_all(state):
    if state.generation == 2:
        for process in pids:
            os.kill(process, 9)

if __name__ == "__main__":
    import functools, tempfile
    warnings.simplefilter("error", RuntimeWarning)
    with cluster_of() as cluster, Client(cluster) as client, tempfile.TemporaryDirectory() as folder:
        client.wait_for_workers(2)
        with joblib.parallel_config("dask", wait_for_workers_timeout=60):
            lines.work = functools.partial(die_once, os.path.join(folder, "mark"))
            tell(digest=fit(), died=os.path.exists(os.path.join(folder, "mark")))
            lines.work = work
            pids = list(client.run(os.getpid).values())
            tell(digest=fit(callbacks=kill_all), n=len(pids))
            client.wait_for_workers(2)
            tell(others=not set(client.run(os.getpid).values()) & set(pids))
""")
    assert told[0] == {"digest": digest, "died": True}
    assert told[1]["digest"] == digest and told[1]["n"] >= 1
    assert told[2] == {"others": True}


def test_islands_on_dask_are_those_of_here():
    """As tasks of several generations, also if a worker dies in the middle of one."""
    needs("distributed", "dask")
    setting = {**SIZES, "n_generations": 5, "n_islands": 3, "migration_interval": 2, "random_state": 0}
    told = play(DASK + """
from moeliga import islands

setting = {"n_generations": 5, "n_islands": 3, "migration_interval": 2}
work = worker.work

def die_once(mark, *arguments):
    answer = work(*arguments)
    if arguments[2] is islands.evolve_at and not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return answer

if __name__ == "__main__":
    import functools, tempfile
    warnings.simplefilter("error", RuntimeWarning)
    with cluster_of() as cluster, Client(cluster) as client, tempfile.TemporaryDirectory() as folder:
        client.wait_for_workers(2)
        with joblib.parallel_config("dask", wait_for_workers_timeout=60):
            lines.work = functools.partial(die_once, os.path.join(folder, "mark"))
            tell(digest=fit(**setting), n_sent=len(sent), died=os.path.exists(os.path.join(folder, "mark")))
""")
    assert told[0]["digest"] == found_by(MOELIGASelector(**setting, n_jobs=1).fit(*data()))
    assert told[0]["died"] and 3 * 3 < told[0]["n_sent"]  # the initial population and the front go in slices


def test_dask_without_workers(digest):
    """A single one is enough; when it is gone the search waits as joblib would, or until its time is over."""
    needs("distributed", "dask")
    told = play(DASK + """
def leave(state):
    if state.generation == 2:
        cluster.scale(0)
        while client.ncores():
            time.sleep(0.01)

def outcome(timeout, **parameters):
    global cluster, client
    with cluster_of(1, processes=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        selector = MOELIGASelector(**{**SIZES, "random_state": 0, "callbacks": leave, **parameters})
        with joblib.parallel_config("dask", wait_for_workers_timeout=timeout):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                selector.fit(*data())
        tell(n_sent=len(sent), reason=selector.stop_reason_, digest=found_by(selector),
             last=int(selector.history_["generation"][-1]),
             told=[str(each.message) for each in caught if "no worker" in str(each.message)])

if __name__ == "__main__":
    import time
    outcome(1)
    outcome(600, max_time=5, n_rescore_splits=0, n_generations=5)
""")
    waited, limited = told
    assert waited["n_sent"] > 10 and waited["digest"] == digest
    assert len(waited["told"]) == 1 and waited["told"][0].startswith("the workers are lost, the search goes on in this")
    assert limited["reason"] == "max_time" and limited["last"] == 2 and limited["told"] == []


def test_dask_s_workers_that_cannot_take_part(tmp_path, digest):
    """Another version, no package, too little memory: said before anything is sent, with the checkpoint untouched."""
    needs("distributed", "dask")
    told = play(DASK + f"""
def pretend(version):
    worker.own_version = lambda: version

def hide():
    for name in [name for name in sys.modules if name.partition(".")[0] == "moeliga"]:
        del sys.modules[name]
    sys.modules["moeliga"] = None

def starve(dask_worker):
    dask_worker.memory_manager.memory_limit = 1 << 10

def outcome(change, *arguments):
    with cluster_of(1, 2) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        with joblib.parallel_config("dask"):
            def change_now(state):
                if state.generation == 1:
                    client.run(change, *arguments)
                    state.search.objectives.remote.close()  # as after a failure
            try:
                fit(callbacks=change_now, checkpoint=file)
            except (MemoryError, remote.WorkerError) as error:
                return type(error).__name__, str(error)

if __name__ == "__main__":
    folder = {str(tmp_path)!r}
    for number, (change, arguments) in enumerate([(pretend, ("0.0.7",)), (hide, ()), (starve, ())]):
        file = os.path.join(folder, f"search{{number}}.npz")
        kind, text = outcome(change, *arguments)
        tell(kind=kind, text=text, saved=os.path.exists(file), digest=fit(checkpoint=file, n_jobs=1))
""")
    version, package, memory = told
    assert [line["kind"] for line in told] == ["WorkerError", "WorkerError", "MemoryError"]
    assert "must have moeliga" in version["text"] and "as here, got 0.0.7 at" in version["text"]
    assert "and what it needs, but one of them" in package["text"] and "No module named" in package["text"]
    assert "of memory for the coded data, and 0 MiB are free at" in memory["text"]
    assert all(line["saved"] and line["digest"] == digest for line in told)


def test_a_scheduler_of_dask_that_is_lost(digest):
    """The search says so, and goes on alone."""
    needs("distributed", "dask")
    told = play(DASK + """
import subprocess, time

if __name__ == "__main__":
    def lose(state):
        if state.generation == 1:
            scheduler.kill()
            scheduler.wait()

    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
               "--scheduler-file", "scheduler.json"]
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        scheduler = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while not os.path.exists("scheduler.json"):
            time.sleep(0.1)
        workers = [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file",
                                     "scheduler.json", "--nthreads", "2", "--no-nanny", "--no-dashboard",
                                     "--death-timeout", "5"], stderr=subprocess.DEVNULL)]
        client = Client(scheduler_file="scheduler.json", timeout=5)
        client.wait_for_workers(1)
        with joblib.parallel_config("dask", wait_for_workers_timeout=2), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            tell(digest=fit(callbacks=lose), told=[str(w.message) for w in told if "lost" in str(w.message)])
        for process in workers:
            process.kill()
            process.wait()
        os._exit(0)  # the client waits for its scheduler
""")
    assert told[0]["digest"] == digest
    assert len(told[0]["told"]) == 1
    assert told[0]["told"][0].startswith("the workers are lost, the search goes on in this process and finds the same")


# Ray


def test_ray_finds_the_same(digest):
    """With a reference to the data, which a machine holds once."""
    needs("ray", "ray")
    told = play(BEGIN + """
import ray
from ray.util.joblib import register_ray

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=-1):
        tell(digest=fit(), n_sent=len(sent), kinds=sorted(set(sent)), held=held())
    ray.shutdown()
""", RAY_USAGE_STATS_ENABLED="0")
    assert told[0]["digest"] == digest
    assert told[0]["n_sent"] > 20
    assert told[0]["kinds"] == ["Reference"] and told[0]["held"] == 0


# executors, as those of MPI


def test_an_executor_finds_the_same(digest):
    """By the backend of the guide's script for MPI, here with processes of the standard library."""
    if not SCRIPTS.is_dir():
        pytest.skip("the guide is not here")
    told = play(BEGIN + f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
sys.path.insert(0, {str(SCRIPTS)!r})
from executor import ExecutorBackend

if __name__ == "__main__":
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        with joblib.parallel_config(ExecutorBackend(executor, 2)):
            tell(digest=fit(), n_sent=len(sent), n_data=sent.count("Cargo"), held=held())
""")
    assert told[0]["digest"] == digest
    assert told[0]["n_sent"] > 20 > told[0]["n_data"] > 0 == told[0]["held"]


def test_the_scripts_of_the_guide_are_programs():
    """Each compiles; what it runs on is not here."""
    if not SCRIPTS.is_dir():
        pytest.skip("the guide is not here")
    scripts = sorted(SCRIPTS.glob("*.py"))
    assert [script.stem for script in scripts] == ["dask_local", "executor", "kubernetes", "mpi", "slurm", "with_ray"]
    for script in scripts:
        compile(script.read_text(encoding="utf-8"), str(script), "exec")
