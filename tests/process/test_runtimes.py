"""Fits beside each other and beside other runtimes: threads of Python's and Dask's, limits, OpenMP of others."""

import importlib.util
import os
import shutil
import subprocess
import sys

import joblib
import pytest
from programs import run_program

from moeliga._ext import evaluate

pytestmark = [pytest.mark.process,
              pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc"),
              pytest.mark.skipif(not evaluate.threads()["enabled"], reason="this build has no OpenMP")]

AT_MOST = min(2, evaluate.threads()["max_threads"])
SHOT = """
from programs import watched_work, tell
from moeliga._ext import evaluate

for n_jobs in (2, -1, 3):
    evaluate.pause()
    tell(**watched_work(n_jobs))
"""


def threads_of(told, digest):
    """Most threads beside Python's in each fit; all gave the same bits."""
    assert {line["digest"] for line in told} == {digest}
    return [line["threads"] for line in told]


# several fits at a time


def test_fits_in_several_threads_at_once():
    """Other data, other seeds: each gives the bits of a lone fit, and each thread of Python's has as many threads as
    it asked for."""
    told = run_program("""
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from programs import Watch, in_threads, others, tell, work

ref = [work(1, seed) for seed in range(3)]
for n_jobs in (1, 2):
    with Watch() as watch:
        found = in_threads(*(partial(work, n_jobs, seed) for seed in range(3)))
    tell(same=found == ref, threads=watch.most)
with ThreadPoolExecutor(2) as executor:
    tell(same=list(executor.map(work, [2] * 6, [0, 1, 2] * 2)) == 2 * ref)
""")
    assert all(line["same"] for line in told)
    assert told[0]["threads"] == 0
    assert AT_MOST - 1 <= told[1]["threads"] <= 3 * (AT_MOST - 1)


def test_one_selector_in_several_threads():
    """Fitted on the same data by all at once, it has the bits of a lone fit; a copy each, too."""
    told = run_program("""
from sklearn.base import clone
from programs import SIZES, data, found_by, in_threads, tell
from single_search import single_search

X, y = data()
selector = single_search(**SIZES, random_state=0, n_jobs=2)
ref = found_by(clone(selector).fit(X, y))
tell(same=[found_by(each) == ref for each in in_threads(*3 * [lambda: selector.fit(X, y)])])
tell(same=[found_by(each) == ref for each in in_threads(*3 * [lambda: clone(selector).fit(X, y)])])
""")
    assert told == 2 * [{"same": [True] * 3}]


def test_searches_with_workers_in_several_threads():
    """They share joblib's processes, or threads, or have none."""
    told = run_program("""
import joblib
from programs import in_threads, score_by_joblib, tell

def with_threads(n_jobs):
    with joblib.parallel_config("threading"):
        return score_by_joblib(n_jobs)

ref = score_by_joblib(1)
for function in (score_by_joblib, with_threads):
    for n_jobs in (1, 2):
        tell(same=[found == ref for found in in_threads(*3 * [lambda: function(n_jobs)])])
""")
    assert told == 4 * [{"same": [True] * 3}]


def test_threads_of_blas_are_as_before_after_searches_in_several_threads():
    """One that begins while another ends neither finds more than one thread nor leaves one behind for ever; a child
    that is forked meanwhile is neither held up nor left with one thread."""
    told = run_program("""
import threading
import numpy  # BLAS
from threadpoolctl import threadpool_info
from moeliga.base.threads import BLAS, one_thread
from programs import in_child, tell

def blas():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

def overlap():
    with one_thread():
        inside.set()
        end.wait()
        tell(found=sorted(blas()))

def hold():
    with BLAS.lock:
        held.set()
        release.wait()

def child():
    with one_thread():
        tell(found=sorted(blas()))
    tell(same=blas() == before)

before = blas()
tell(many=before != {1})
inside, end, held, release = (threading.Event() for _ in range(4))
one, two = (threading.Thread(target=target) for target in (overlap, hold))
with one_thread():
    one.start()
    inside.wait()
two.start()
held.wait()
in_child(child)
release.set()
end.set()
one.join()
tell(same=blas() == before)
""", OPENBLAS_NUM_THREADS="3", MKL_NUM_THREADS="3")
    if not told[0]["many"]:
        pytest.skip("this BLAS has one thread, or is not known to threadpoolctl")
    assert told[1:] == 2 * [{"found": [1]}, {"same": True}]


def test_threads_of_dask(digest):
    """Its scheduler's threads are threads of Python's: each has what it asks for."""
    pytest.importorskip("dask", reason="dask is not installed")
    told = run_program("""
import dask
from programs import Watch, tell, work

work(2)
with Watch() as watch:
    found = dask.compute(*[dask.delayed(work, pure=False)(2) for _ in range(4)], scheduler="threads", num_workers=2)
for each in found:
    tell(digest=each, threads=watch.most)
""")
    assert max(threads_of(told, digest)) <= 3 * (AT_MOST - 1)  # the main thread has kept its own
    assert len(told) == 4


@pytest.mark.parametrize("processes", [False, True])
def test_workers_of_dask_distributed(digest, processes):
    """Two workers in threads of this process, or in processes, each of which stands for one processor."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    told = run_program(f"""
from distributed import Client, LocalCluster
from programs import watched_work, tell, work

if __name__ == "__main__":
    work(2)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes={processes}, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            for each in client.gather([client.submit(watched_work, 2, pure=False) for _ in range(4)]):
                tell(**each)
""")
    found = threads_of(told, digest)
    assert len(found) == 4
    assert max(found) <= (0 if processes else 3 * (AT_MOST - 1))


# limits


@pytest.mark.parametrize(("limit", "most"), [
    ({"OMP_NUM_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "3"}, 3), ({"OMP_THREAD_LIMIT": "1"}, 1),
    ({"OMP_THREAD_LIMIT": "2", "OMP_NUM_THREADS": "3"}, 2),
], ids=str)
def test_limits_of_the_environment(digest, limit, most):
    """Two jobs, all, three: never more threads than the runtime may have."""
    wanted = (2, joblib.cpu_count(), 3)
    assert threads_of(run_program(SHOT, **limit), digest) == [min(number, most) - 1 for number in wanted]


def test_a_limit_on_all_threads_of_a_process_holds_for_fits_in_several(digest):
    """OpenMP gives a team fewer threads than it asks for, or none: the same bits, and no waiting."""
    told = run_program("""
from programs import Watch, in_threads, tell, work

with Watch() as watch:
    found = in_threads(*3 * [lambda: work(3)])
for each in found:
    tell(digest=each, threads=watch.most)
""", OMP_THREAD_LIMIT="2", OMP_NUM_THREADS="3", OMP_DYNAMIC="true")
    assert len(threads_of(told, digest)) == 3


@pytest.mark.skipif(shutil.which("taskset") is None, reason="no taskset")
def test_a_process_of_one_processor_has_one_thread(digest):
    """Affinity when the runtime starts limits all; narrowed later, what `n_jobs=-1` stands for."""
    one = str(min(os.sched_getaffinity(0)))
    assert threads_of(run_program(SHOT, before=("taskset", "-c", one)), digest) == [0, 0, 0]
    told = run_program(f"""
import os
from programs import watched_work, tell
from moeliga._ext import evaluate

tell(**watched_work(2))
evaluate.pause()
os.sched_setaffinity(0, {{{one}}})
tell(**watched_work(-1))
""")
    assert threads_of(told, digest) == [AT_MOST - 1, 0]


@pytest.mark.parametrize("files", [
    {"cpu.max": "100000 100000"},
    {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "100000"},
], ids=["v2", "v1"])
def test_a_control_group_of_one_processor_has_one_thread(digest, files, tmp_path):
    """In a container with one processor's time `n_jobs=-1` is one thread, other numbers are what they say; here the
    files that describe such a group, seen by one process and its children."""
    lines = ["set -e", "mount -t tmpfs none /sys/fs/cgroup"]
    for name, content in files.items():
        lines += [f"mkdir -p $(dirname /sys/fs/cgroup/{name})", f"echo {content} > /sys/fs/cgroup/{name}"]
    script = tmp_path / "confined"
    script.write_text("\n".join([*lines, 'exec "$@"']))
    before = ("unshare", "--user", "--map-root-user", "--mount", "sh", str(script))
    if not shutil.which("unshare") or subprocess.run([*before, "true"], capture_output=True).returncode:
        pytest.skip("mounting in a name space of one's own is not allowed here")
    assert threads_of(run_program(SHOT, before=before, OMP_NUM_THREADS="3"), digest) == [1, 0, 2]


def test_limits_of_threadpoolctl(digest):
    """They hold for the thread that sets them, in it and in what it forks; afterwards all is as before."""
    told = run_program("""
from threadpoolctl import threadpool_limits
from programs import watched_work, in_child, tell
from moeliga._ext import evaluate

tell(**watched_work(2))
evaluate.pause()
with threadpool_limits(1):
    tell(**watched_work(2))
    in_child(lambda: tell(**watched_work(2)))
tell(**watched_work(2))
""")
    assert threads_of(told, digest) == [AT_MOST - 1, 0, 0, AT_MOST - 1]


# other runtimes in the process


BOOSTING = """
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from programs import watched_work, data, digest, in_child, others, score_by_joblib, tell, work
from moeliga._ext import evaluate

few = HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=4)

def boost():
    X, y = data(n_samples=3000, n_features=10)
    return digest(few.fit(X, y).predict_proba(X))

def select():
    return score_by_joblib(1, estimator=few, population_size=6)
"""


def test_scikit_learn_s_runtime_before_and_after(digest):
    """Gradient boosting has an OpenMP of its own: neither changes the other's bits or threads, before or after."""
    told = run_program(BOOSTING + """
first = boost()
theirs = others()
tell(same=True, digest=work(2), threads=others() - theirs)
tell(same=boost() == first, digest=work(2), threads=others() - theirs)
tell(same=boost() == first, digest=work(1), threads=others() - theirs)
evaluate.pause()
tell(same=boost() == first, digest=work(1), threads=others() - theirs)
in_child(lambda: tell(same=True, **watched_work(2)))
""")
    assert all(line["same"] for line in told)
    assert threads_of(told, digest) == [*3 * [AT_MOST - 1], 0, AT_MOST - 1]


def test_scikit_learn_s_runtime_inside_a_search():
    """Gradient boosting as the estimator has one thread, and so does not hang in a child forked after it had many."""
    told = run_program(BOOSTING + """
ref = select()
tell(same=True, threads=others())
boost()
in_child(lambda: tell(same=select() == ref, threads=others()))
tell(same=select() == ref)
""")
    assert all(line["same"] for line in told)
    assert [line["threads"] for line in told[:2]] == [0, 0]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("first", ["torch", "programs"])
def test_torch_s_runtime_in_the_process(digest, first):
    """Whichever is loaded first: the same bits on both sides, and threads of ours do not depend on torch's."""
    told = run_program(f"""
import {first}
import torch
from programs import watched_work, in_child, others, tell, work
from moeliga._ext import evaluate

torch.set_num_threads(2)
matrix = torch.arange(512 * 512, dtype=torch.float64).reshape(512, 512) / 1e5

def multiply():
    return float((matrix @ matrix).sin().sum())

ref = multiply()
theirs = others()
for _ in range(3):
    tell(same=True, digest=work(2), threads=others() - theirs)
    tell(same=multiply() == ref, digest=work(1), threads=others() - theirs)
in_child(lambda: tell(same=True, **watched_work(2)))
""")
    assert all(line["same"] for line in told)
    found = threads_of(told, digest)
    assert max(found) <= AT_MOST - 1
