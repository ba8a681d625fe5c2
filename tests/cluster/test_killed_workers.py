"""Workers of joblib, Dask and Ray that are killed at random moments, over and over, while the machine is busy."""

import importlib.util
import sys

import pytest
from programs import run_program

from tiers import FUZZ

pytestmark = [pytest.mark.distributed,
              pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for workers")]

PROGRAMS, KILLS = (10, 5) if FUZZ == "long" else (1, 2)
"""Programs of each kind, and workers that each of them kills."""

PHASES = """
import numpy as np
import joblib
from sklearn.naive_bayes import BernoulliNB
from cluster_programs import dask, fit, fit_while_workers_are_killed, send_everything
from cross_fitted import data, small
from moeliga.validation import cross_fitting
from programs import digest, found_by, tell
send_everything()
cross_fitting.WORTH_SECONDS = 0.0

def generation(**more):
    return fit(**{"n_generations": 5, **more})

def island(**more):
    return fit(**{"n_generations": 8, "islands__n": 3, "islands__every": 4, **more})

def fold(**more):
    selector = small(population_size=40, n_generations=8, **more).fit(*data(np.random.default_rng(0), 120, 60))
    return digest(selector.pareto_front_.honest_score, selector.ranking_) + found_by(selector)

"""

BY_JOBLIB = ("estimator=BernoulliNB(), population_size=8, evaluation__n_splits=2, evaluation__n_rescore_splits=2, "
             "local_improvement=None, n_generations=2, ")
"""Options of a search that joblib's own workers have a part in."""

KILLING = "fit_while_workers_are_killed(lambda: {phase}({options}), {workers!r}, {n}, {seed})"

BACKENDS = {  # what the command lines of its workers hold, and a program
    "loky": ("popen_loky", f"""
if __name__ == "__main__":
    {KILLING}
    joblib.externals.loky.get_reusable_executor().shutdown()
"""),
    "distributed": ("spawn_main", f"""
if __name__ == "__main__":
    with dask():
        {KILLING}
"""),
    "ray": ("ray::PoolActor", f"""
if __name__ == "__main__":
    import ray
    from ray.util.joblib import register_ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=-1):
        {KILLING}
    ray.shutdown()
""")}

LOST = {"TerminatedWorkerError", "BrokenProcessPool", "KilledWorker", "ActorDiedError", "RayActorError",
        "WorkerCrashedError"}
"""Errors that say that a worker has been killed: joblib's, Dask's and Ray's own."""


@pytest.mark.parametrize(("backend", "phase"), [
    (backend, phase) for backend in BACKENDS for phase in ("generation", "island", "fold")
    if (backend, phase) != ("loky", "fold")])  # folds are searched in threads, not by joblib's own workers
def test_a_killed_worker_is_an_error_or_nothing(backend, phase):
    """The bits of a fit whose workers all live, or the backend's error; the next fit starts workers of its own."""
    if backend != "loky" and importlib.util.find_spec(backend) is None:
        pytest.skip(f"needs {backend}")
    options = BY_JOBLIB if backend == "loky" and phase != "fold" else ""
    whole = run_program(PHASES + f"tell(digest={phase}({options}n_jobs=1))")[0]["digest"]
    workers, program = BACKENDS[backend]
    for seed in range(PROGRAMS):
        told = run_program(PHASES + program.format(phase=phase, options=f"{options}n_jobs=2", workers=workers,
                                                   n=KILLS, seed=seed), RAY_USAGE_STATS_ENABLED="0")
        assert sum(fit["n_killed"] for fit in told) >= KILLS
        assert told[-1]["digest"] == whole
        assert {fit["digest"] for fit in told if "digest" in fit} <= {whole}
        assert {fit["error"] for fit in told if "error" in fit} <= LOST, told
