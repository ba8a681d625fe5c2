"""How many threads, and that a fork after a parallel region does not hang."""

import os
import subprocess
import sys
import warnings
from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import Mock

import joblib
import numpy as np
import pytest
import threadpoolctl
from threadpoolctl import ThreadpoolController

from moeliga._ext import evaluate
from moeliga.base import threads
from moeliga.base.threads import (
    cluster_is_lost,
    local_backend_if_lost,
    n_threads,
    n_workers,
    one_thread,
    require_workers,
)
from thread_backend import LostBackend

AT_MOST = evaluate.threads()["max_threads"]

FORK = """
import os
import signal
import numpy as np
import moeliga.base.threads
from moeliga._ext import evaluate
from moeliga.data.dataset import Dataset

rng = np.random.default_rng(0)
y = np.arange(300) % 2
dataset = Dataset.encode(rng.normal(size=(300, 40)) + y[:, None], y, 2)
bits = np.full((30, 1), 2**40 - 1, dtype=np.uint64)
evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1)

def run(n_threads):
    return evaluator.evaluate(bits, np.arange(40, dtype=np.int32), np.arange(30, dtype=np.int32),
                              np.arange(2, dtype=np.uint64), (6, 0, 0), 3, False, 90, True, n_threads)

ref = run(1)

def same():
    return all(np.array_equal(a, b) for a, b in zip(run(2), ref))

signal.alarm(50)  # ends the process, hanging or not; a child has its own
assert same()
for _ in range(3):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if same() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert same()
"""


@pytest.mark.parametrize(
    ("n_jobs", "n"),
    [(None, 1), (1, 1), (2, min(2, AT_MOST)), (np.int64(2), min(2, AT_MOST)), (10**6, AT_MOST), (-(10**6), 1)],
)
def test_n_jobs_is_read_as_joblib_reads_it(n_jobs, n):
    """None is 1; a number is that many, but never more than OpenMP allows; far below 0 is still one."""
    assert n_threads(n_jobs) == n


def test_minus_one_is_every_processor():
    """-1 all, -2 all but one, within what OpenMP allows."""
    assert n_threads(-1) == min(joblib.cpu_count(), AT_MOST)
    assert n_threads(-2) == max(1, min(joblib.cpu_count() - 1, AT_MOST))


@pytest.mark.parametrize("n_jobs", [0, True, False, 1.0, "2", np.int64(0), np.True_])
def test_anything_else_is_refused(n_jobs):
    """0 and what is not an integer: the message gives the value."""
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0, got "):
        n_threads(n_jobs)


def test_joblib_context_sets_the_default():
    """`parallel_config` says what None means, and nothing else."""
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert n_threads(None) == min(2, AT_MOST)
        assert n_threads(1) == 1


@pytest.mark.skipif(not evaluate.threads()["enabled"], reason="built without OpenMP")
def test_threadpoolctl_limits_are_kept():
    """Inside a limit of one OpenMP thread there is one, whatever n_jobs says."""
    with threadpoolctl.threadpool_limits(1, user_api="openmp"):
        assert n_threads(-1) == n_threads(8) == 1
    assert evaluate.threads()["max_threads"] == AT_MOST


@pytest.mark.process
def test_a_joblib_worker_keeps_to_its_share():
    """Two worker processes share the processors: no nested oversubscription."""
    shares = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(n_threads)(-1) for _ in range(2))
    assert all(1 <= share <= max(1, joblib.cpu_count() // 2) for share in shares)


def test_a_cluster_that_is_lost_leaves_the_processors_of_this_machine():
    """The core's threads are on this machine, even if joblib's cluster is lost."""
    assert not cluster_is_lost() and isinstance(local_backend_if_lost("threading"), nullcontext)
    with joblib.parallel_config(LostBackend(lost=False)):
        assert n_threads(-1) == min(3, AT_MOST) and not cluster_is_lost()
    with joblib.parallel_config(LostBackend(lost=True)):
        assert n_threads(-1) == n_threads(None) == AT_MOST and n_threads(1) == 1 and cluster_is_lost()
        with local_backend_if_lost("threading"):
            assert joblib.Parallel()(joblib.delayed(abs)(-number) for number in range(3)) == [0, 1, 2]
            assert not cluster_is_lost()


@pytest.mark.parametrize("error", [TimeoutError("no worker"), ConnectionError("closed"), AttributeError("closed")])
def test_a_cluster_without_workers_is_an_error_and_a_lost_one_is_none(monkeypatch, error):
    """The fit goes on without a cluster that is lost; one that never had workers was started wrongly."""
    require_workers(1)
    with joblib.parallel_config(LostBackend(lost=False)):
        require_workers(-1)
        monkeypatch.setattr(LostBackend, "effective_n_jobs", Mock(side_effect=error))
        with pytest.raises(TimeoutError, match="^no worker$") if type(error) is TimeoutError else nullcontext():
            require_workers(-1)


def test_no_backend_of_this_machine_is_asked(monkeypatch):
    """A local backend cannot be lost, and would warn inside another one."""
    monkeypatch.setattr("moeliga.base.threads.effective_n_jobs", None)
    for backend in ("loky", "threading", "multiprocessing", "sequential"):
        with joblib.parallel_config(backend):
            assert not cluster_is_lost()


def test_a_process_of_a_pool_has_one_worker(monkeypatch):
    """It may start no processes, of which joblib would warn, but threads."""
    monkeypatch.setattr("moeliga.base.threads.current_process", lambda: SimpleNamespace(daemon=True))
    monkeypatch.setattr("joblib._parallel_backends.mp.current_process", lambda: SimpleNamespace(daemon=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert n_workers(2) == n_workers(-1) == n_threads(2) == 1
        with joblib.parallel_config("multiprocessing"):
            assert n_workers(2) == 1
        with joblib.parallel_config("threading"):
            assert n_workers(2) == 2


def test_threads_are_reported():
    """The build says whether it has OpenMP; without, there is one thread."""
    report = evaluate.threads()
    assert set(report) == {"enabled", "version", "max_threads", "level"}
    assert report["enabled"] == (report["version"] > 0)
    assert report["max_threads"] >= 1 and (report["enabled"] or report["max_threads"] == 1)


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_fork_after_a_parallel_region_does_not_hang():
    """Parent and children work with two threads each, in turns, and get the same bits."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    environment.pop("OMP_NUM_THREADS", None)
    done = subprocess.run([sys.executable, "-c", FORK], env=environment, timeout=55, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# libraries


def test_libraries_are_listed_once_until_a_module_is_imported(monkeypatch):
    """They are listed anew even if the number of modules is the same, as another one was removed."""
    listed = []
    monkeypatch.setattr(threads, "ThreadpoolController", lambda: listed.append(1) or ThreadpoolController())
    monkeypatch.setattr(threads, "LIBRARIES", threads.Libraries())
    for n, (come, go) in enumerate((("one", None), ("two", "one"), ("three", "two")), 1):
        monkeypatch.setitem(sys.modules, f"module_{come}", object())
        monkeypatch.delitem(sys.modules, f"module_{go}", raising=False)
        for _ in range(3):
            with one_thread():
                assert {library["num_threads"] for library in ThreadpoolController().info()} == {1}
        assert len(listed) == n


@pytest.mark.parametrize("user_api", ["openmp", "blas"])
def test_a_library_that_comes_later_has_one_thread_too(monkeypatch, user_api):
    """A library that is loaded later, by an import, is limited too."""
    controllers = ThreadpoolController().select(user_api=user_api)
    if not len(controllers):
        pytest.skip("threadpoolctl knows no such library here")
    late = controllers.lib_controllers[0]
    loaded = [each for each in ThreadpoolController().lib_controllers if each.filepath != late.filepath]
    monkeypatch.setattr(threads, "ThreadpoolController", lambda: ThreadpoolController._from_controllers(loaded))
    monkeypatch.setattr(threads, "LIBRARIES", threads.Libraries())
    before = late.num_threads
    try:
        late.set_num_threads(2)
        with one_thread():
            assert late.num_threads == 2
        loaded.append(late)
        monkeypatch.setitem(sys.modules, "module_of_the_library", object())
        with one_thread():
            assert late.num_threads == 1
        assert late.num_threads == 2
    finally:
        late.set_num_threads(before)


# workers


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (-1, joblib.cpu_count()), (50, 50)])
def test_workers_are_as_many_as_asked(n_jobs, expected):
    """Processes are not bound to the threads of OpenMP."""
    with threadpoolctl.threadpool_limits(1):
        assert n_workers(n_jobs) == expected


def test_workers_of_a_context():
    """None stands for the n_jobs of an enclosing parallel_config."""
    with joblib.parallel_config("threading", n_jobs=3):
        assert n_workers(None) == 3
        assert n_workers(1) == 1


@pytest.mark.parametrize("n_jobs", [0, "2", True, 1.5])
def test_bad_numbers_of_workers_are_refused(n_jobs):
    """They are refused as for threads."""
    with pytest.raises(ValueError, match="^n_jobs must be None or an integer other than 0, got "):
        n_workers(n_jobs)


@pytest.mark.process
def test_a_worker_has_no_more_workers_than_its_share():
    """A process has its share of the processors, a thread only itself."""
    with joblib.parallel_config("loky", inner_max_num_threads=2):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(n_workers)(5) for _ in range(2))
    assert set(found) <= {1, 2}
    found = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(n_workers)(5) for _ in range(2))
    assert set(found) == {1}
