"""Searches on folds beside that on all samples, for all of which workers of Dask evaluate."""

import importlib.util
import json
import signal
import sys

import numpy as np
import pytest
from programs import run_program

from cross_fitted import assert_same_fit, data, small
from moeliga import Checkpoint

pytestmark = [
    pytest.mark.distributed,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left behind"),
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="pip install 'moeliga[dask]'"),
]

BEGIN = """
import os, signal, time
import numpy as np
from cross_fitted import bits_of, data, small
from programs import digest, tell
from cluster_programs import dask, one_dies, send_everything, sent
send_everything()
from moeliga import Checkpoint
from moeliga.search import checkpoint, islands
from moeliga.validation import cross_fitting, searches
cross_fitting.WORTH_SECONDS = 0.0
X, y = data(np.random.default_rng(0))
MORE = {"n_generations": 4, "islands__every": 2, "n_jobs": -1}
begun = []

class ThreadedSearches(searches.ThreadedSearches):
    def __init__(self, plan, data, saver, shares=None):
        begun.append(len(data))
        super().__init__(plan, data, saver, shares)

cross_fitting.ThreadedSearches = ThreadedSearches

def found(selector):
    front = selector.pareto_front_
    return digest(front.supports, *(np.frombuffer(bits_of(values), dtype=np.uint8) for values in (
        front.objectives, front.honest_score, front.honest_se, selector.support_)), selector.n_evaluations_)
"""
"""What programs begin with."""


def here():
    """What one process finds, a search after the other."""
    return small(n_generations=4, islands__every=2).fit(*data(np.random.default_rng(0)))


def test_any_number_of_workers_finds_the_same():
    """Whether bands are tasks of several generations, or slices of one; also if a worker dies in the middle of one."""
    told = run_program(BEGIN + """
if __name__ == "__main__":
    tell(found=found(small(**MORE).fit(X, y)))
    for n_workers in (2, 3):
        begun.clear()
        with dask(n_workers, processes=False):
            tell(found=found(small(**MORE).fit(X, y)), begun=begun, n_sent=len(sent))
    with dask(), one_dies(islands.evolve_on_worker) as died:
        tell(found=found(small(**MORE).fit(X, y)), died=died())
    with dask(40, processes=False):  # more than islands, which are then sliced
        tell(found=found(small(**MORE).fit(X, y)))
""")
    assert len({each["found"] for each in told}) == 1
    assert told[1]["begun"] == told[2]["begun"] == [3]
    assert told[1]["n_sent"] > 4 * 4 and told[3]["died"]


def test_a_fit_that_is_killed_goes_on_from_all_of_its_searches(tmp_path):
    """At once, while none has ended; then here, with the bits of one that was never killed."""
    file = tmp_path / "state.npz"
    told = run_program(BEGIN + f"""
PATH = {json.dumps(str(file))}
save = checkpoint.Saver.save

def killed(self):
    save(self)
    folds = [fold.get("progress", {{}}).get("generation", 0) for fold in self.state.get("folds", {{}}).values()]
    if min(self.state.get("progress", {{}}).get("generation", 0), max(folds, default=0)) > 1:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    number = os.fork()
    if not number:
        checkpoint.Saver.save = killed
        with dask(processes=False):
            small(**MORE, checkpoint=Checkpoint(PATH, every=1)).fit(X, y)
        os._exit(0)
    tell(signal=os.WTERMSIG(os.waitpid(number, 0)[1]))
""")
    assert told == [{"signal": signal.SIGKILL}]
    seen = []
    again = small(n_generations=4, islands__every=2, checkpoint=Checkpoint(file),
                  callbacks=lambda state: seen.append((state.fold, state.generation)) and None)
    assert_same_fit(again.fit(*data(np.random.default_rng(0))), here())
    assert (None, 1) not in seen and any((fold, 1) not in seen for fold in range(3)) and (2, 4) in seen


def test_ctrl_c_and_limits_end_all_searches():
    """While all are under way; nothing of them is left, and the front so far is the result."""
    told = run_program(BEGIN + """
import threading
follow = islands.Islands.next_generation

def pressed(self, populations, generation, n_generations):
    if generation == 2 and threading.current_thread() is threading.main_thread():
        os.kill(os.getpid(), signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() and generation == 3:
        while not self.search.budget.urgent:
            time.sleep(0.01)
    return follow(self, populations, generation, n_generations)

def left():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("moeliga")]

if __name__ == "__main__":
    with dask(processes=False):
        limited = small(**{**MORE, "n_generations": 10**6, "max_time": 3.0}).fit(X, y)
        tell(reason=limited.stop_reason_, honest=bool(np.isfinite(limited.honest_score_)), left=left())
        islands.Islands.next_generation = pressed
        selector = small(**MORE).fit(X, y)
        tell(reason=selector.stop_reason_, honest=hasattr(selector, "_answers") and selector._answers is not None,
             left=left())
""")
    assert told[0] == {"reason": "max_time", "honest": True, "left": []}
    assert told[1] == {"reason": "interrupt", "honest": False, "left": []}
