"""Fits in processes forked, spawned or of a pool: no hang, no more threads than promised, the same bits."""

import sys

import joblib
import pytest
from programs import alone, run_program

from moeliga._ext import evaluate

pytestmark = [pytest.mark.process,
              pytest.mark.skipif(sys.platform != "linux", reason="counts threads and processes in /proc"),
              pytest.mark.skipif(not evaluate.threads()["enabled"], reason="this build has no OpenMP")]

AT_MOST = min(2, evaluate.threads()["max_threads"])
SHARE = max(1, joblib.cpu_count() // 2)


@pytest.fixture(scope="module")
def digest_by_joblib():
    """The same of a search with another classifier."""
    return alone("score_by_joblib")


def check(told, digest, beside):
    """Every fit gave these bits, and had so many threads beside Python's."""
    assert [(line["digest"], line["threads"]) for line in told] == [(digest, beside)] * len(told)


# forks


def test_parent_children_and_grandchildren_in_turns(digest):
    """Each with one thread and with two, after parallel regions of all its ancestors."""
    told = run_program("""
from programs import watched_work, in_child, tell

def child(n_jobs):
    tell(n=n_jobs, **watched_work(n_jobs))
    in_child(lambda: tell(n=n_jobs, **watched_work(n_jobs)))

tell(n=2, **watched_work(2))
for n_jobs in (2, 1):
    in_child(lambda: child(n_jobs))
    tell(n=2, **watched_work(2))
""")
    assert [line["n"] for line in told] == [2, 2, 2, 2, 1, 1, 2]
    check([line for line in told if line["n"] == 1], digest, 0)
    check([line for line in told if line["n"] == 2], digest, AT_MOST - 1)


def test_a_fork_from_a_thread(digest):
    """The thread has worked in parallel, and so has the main thread; the child is a copy of the thread."""
    told = run_program("""
from programs import watched_work, in_child, in_threads, tell, work

def thread():
    work(2)
    in_child(lambda: tell(**watched_work(2)))

work(2)
in_threads(thread)
tell(**watched_work(2))
""")
    check(told, digest, AT_MOST - 1)
    assert len(told) == 2


@pytest.mark.parametrize("forking", ["main", "other"])
def test_a_fork_in_the_middle_of_another_thread_s_parallel_region(digest, forking):
    """Whichever of them forks: the child works on with threads of its own, and the region ends as it should."""
    told = run_program(f"""
import threading
from programs import watched_work, in_child, long_region, tell, work

done = threading.Event()
ref = long_region(1)

def compute():
    while not done.is_set():
        tell(region=long_region(2) == ref)

def fork():
    work(2)
    for _ in range(4):
        done.wait(0.1)
        in_child(lambda: tell(**watched_work(2)))
    done.set()

main, other = (fork, compute) if {forking == "main"} else (compute, fork)
thread = threading.Thread(target=other)
thread.start()
main()
thread.join()
""")
    assert all(line["region"] for line in told if "region" in line)
    children = [line for line in told if "digest" in line]
    assert len(children) == 4 and len(told) > 5
    check(children, digest, AT_MOST - 1)


def test_a_fork_in_the_middle_of_another_thread_s_search(digest_by_joblib):
    """That thread's estimator holds BLAS at one thread; the child is not held up, nor is the parent."""
    told = run_program("""
import threading
from programs import in_child, score_by_joblib, tell

done = threading.Event()

def search():
    while not done.is_set():
        tell(digest=score_by_joblib(1))

thread = threading.Thread(target=search)
thread.start()
for _ in range(6):
    done.wait(0.02)
    in_child(lambda: tell(digest=score_by_joblib(1)))
done.set()
thread.join()
""")
    assert {line["digest"] for line in told} == {digest_by_joblib}
    assert len(told) > 6


def test_a_fork_waits_for_a_thread_that_looks_through_the_libraries():
    """The system holds a lock meanwhile, and in the child nobody would let it go."""
    told = run_program("""
import threading, time
from moeliga.base import threads
from programs import in_child, tell

entered, looking, look = threading.Event(), [False], threads.ThreadpoolController

def slow():
    looking[0] = True
    entered.set()
    time.sleep(0.5)
    looking[0] = False
    return look()

def use(after):
    with threads.one_thread():
        tell(after=after)

threads.ThreadpoolController = slow
thread = threading.Thread(target=use, args=["in the other thread"])
thread.start()
entered.wait()

def child():
    tell(looking=looking[0])
    use("in the child")

in_child(child)
thread.join()
use("in the parent")

def forks():
    for _ in range(2):
        in_child(lambda: use("in a grandchild"))
    other = threading.Thread(target=use, args=["in a thread of the child"], daemon=True)
    other.start()
    other.join(60)

in_child(forks)
""")
    assert [line["looking"] for line in told if "looking" in line] == [False]
    assert sorted(line["after"] for line in told if "after" in line) == [
        "in a grandchild", "in a grandchild", "in a thread of the child", "in the child", "in the other thread",
        "in the parent"]


def test_a_child_does_not_wait_for_workers_of_its_parent(digest_by_joblib):
    """joblib's processes answer to the parent alone: the child warns and is a worker itself; reports too."""
    told = run_program("""
import warnings
from programs import data, family, in_child, score_by_joblib, tell, SIZES
from moeliga import optimism_report
from single_search import single_search

def watched_work(n_jobs):
    selector = single_search(**{**SIZES, "population_size": 10, "local_improvement": None})
    report = optimism_report(selector, *data(n_features=10), n_permutations=2, random_state=0, n_jobs=n_jobs)
    tell(digest=score_by_joblib(n_jobs), report=report.summary(), workers=len(family()))

def child():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        watched_work(2)
    tell(warnings=sorted({str(warning.message) for warning in caught}))

watched_work(1)
tell(digest=score_by_joblib(2), workers=len(family()))
in_child(child)
in_child(lambda: in_child(child))
tell(digest=score_by_joblib(2), workers=len(family()))
""")
    alone, parent, one, after_one, two, after_two, again = told
    assert alone["digest"] == digest_by_joblib
    assert parent == again == {"digest": digest_by_joblib, "workers": 2}
    assert one == two == alone and one["workers"] == 0
    assert after_one == after_two == {"warnings": [
        "joblib has one worker instead of 2: this process was forked from one that had workers already; for more, "
        "start processes by 'spawn' (multiprocessing), not 'fork'"]}


# pools of processes


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_of_multiprocessing_and_concurrent_futures(digest, method):
    """A process has the threads that it asks for; one of `multiprocessing.Pool` stands for one processor, and has one
    thread. Neither hears of joblib."""
    told = run_program(f"""
import multiprocessing, warnings
from concurrent.futures import ProcessPoolExecutor
from programs import watched_work, tell

context = multiprocessing.get_context("{method}")
tell(beside=1, **watched_work(2))
with ProcessPoolExecutor(2, context) as executor:
    for found in executor.map(watched_work, [2, 2]):
        tell(beside=1, **found)
with context.Pool(1, warnings.simplefilter, ("error",)) as pool:
    for found in pool.map(watched_work, [2, -1]):
        tell(beside=0, **found)
tell(beside=1, **watched_work(2))
""")
    check([line for line in told if line["beside"]], digest, AT_MOST - 1)
    check([line for line in told if not line["beside"]], digest, 0)
    assert len(told) == 6


@pytest.mark.parametrize(("backend", "options", "beside"), [
    ("loky", "", min(2, SHARE) - 1), ("loky", ", inner_max_num_threads=2", 1), ("multiprocessing", "", 0),
    ("threading", "", 0)])
def test_workers_of_joblib_keep_to_their_share(digest, backend, options, beside):
    """Two workers with two jobs each: processes of loky have what joblib gives them, all others one thread."""
    told = run_program(f"""
import joblib
from programs import watched_work, in_child, others, tell
from moeliga._ext import evaluate

tell(**watched_work(2))
evaluate.pause()  # threads are counted for the whole process
with joblib.parallel_config("{backend}"{options}):
    blas = max(joblib.Parallel(2)(joblib.delayed(others)() for _ in range(2)))  # joblib sets its number too
    for found in joblib.Parallel(2)(joblib.delayed(watched_work)(2) for _ in range(3)):
        tell(digest=found["digest"], threads=found["threads"] - blas)
    every, = joblib.Parallel(2)(joblib.delayed(watched_work)(n_jobs) for n_jobs in (-1, 1))[:1]
tell(**watched_work(2))
in_child(lambda: tell(**watched_work(2)))
tell(digest=every["digest"], threads=every["threads"] - blas)
""")
    check([told[0], *told[4:6]], digest, AT_MOST - 1)
    check(told[1:4], digest, beside)
    assert told[6]["digest"] == digest
    assert told[6]["threads"] < max(2 if options else 1, SHARE if backend == "loky" else 1)


def test_inside_a_cross_validation_there_are_no_more_processes_than_its_own():
    """Two processes, each with a search with two jobs: the scores of one process, and no third one at any time."""
    told = run_program("""
import threading
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from programs import SIZES, data, family, fit, tell
from single_search import single_search

def scores(estimator, n_outer, n_inner):
    sizes = {**SIZES, "population_size": 10, "n_generations": 1, "local_improvement": None, "random_state": 0}
    pipeline = make_pipeline(single_search(estimator, n_jobs=n_inner, **sizes), BernoulliNB())
    X, y = data(n_samples=60, n_features=20)
    return cross_val_score(pipeline, X, y, cv=3, n_jobs=n_outer, error_score="raise").tolist()

def look():
    global most
    while not over.wait(0.1):
        most = max(most, len(family()))

fit(2)
most, over = 0, threading.Event()
thread = threading.Thread(target=look)
thread.start()
for estimator in (None, BernoulliNB()):
    tell(same=scores(estimator, 2, 2) == scores(estimator, 1, 1))
over.set()
thread.join()
tell(most=most)
""")
    assert told == [{"same": True}, {"same": True}, {"most": 2}]


# what is left


def test_threads_are_given_back(digest):
    """At `pause` those of the thread that calls it, at the end of a thread its own, at a fork those of the forking
    thread; none stays after an error, none grows from fit to fit."""
    told = run_program("""
import time
from programs import watched_work, fit, in_child, in_threads, others, tell, work
from moeliga._ext import evaluate

class Mine(Exception):
    pass

def fail(state):
    raise Mine

def count(what):
    tell(what=what, threads=others())

for _ in range(3):
    work(2)
count("fits")
evaluate.pause()
count("pause")
in_threads(lambda: work(2))
time.sleep(0.2)
count("thread")
for _ in range(3):
    try:
        fit(2, callbacks=fail)
    except Mine:
        count("error")
tell(what="again", **watched_work(2))
in_child(lambda: count("child"))
count("fork")
tell(what="again", **watched_work(2))
""")
    counts = [(line["what"], line["threads"]) for line in told]
    more = AT_MOST - 1
    assert counts == [("fits", more), ("pause", 0), ("thread", 0), *3 * [("error", more)], ("again", more),
                      ("child", 0), ("fork", 0), ("again", more)]
    assert {line["digest"] for line in told if "digest" in line} == {digest}


def test_no_process_outlives_a_fit_with_workers(digest_by_joblib):
    """None after the program, which `run_program` looks for; after an error or Ctrl-C no more than joblib keeps ready,
    and the next fit is as good as the first."""
    told = run_program("""
from programs import family, score_by_joblib, tell

def ending(error):
    def stop(state):
        raise error
    return stop

for error in (ZeroDivisionError, KeyboardInterrupt):
    tell(digest=score_by_joblib(2))
    try:
        score_by_joblib(2, callbacks=ending(error))
    except error:
        tell(error=error.__name__, enough=len(family()) <= 2)
tell(digest=score_by_joblib(2), enough=len(family()) == 2)
""")
    found = {"digest": digest_by_joblib}
    assert told == [found, {"error": "ZeroDivisionError", "enough": True}, found,
                    {"error": "KeyboardInterrupt", "enough": True}, found | {"enough": True}]
