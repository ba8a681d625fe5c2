"""Searches on real clusters of one machine, Ray and an executor, or on none; `test_dask.py` has Dask."""

import importlib.util
import sys
from pathlib import Path

import joblib
import joblib._dask
import pytest
from programs import SIZES, data, run_program

from single_search import single_search

SCRIPTS = Path(__file__).resolve().parents[2] / "docs" / "cluster"
pytestmark = [pytest.mark.distributed,
              pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left behind")]


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="pip install 'moeliga[ray]'")
def test_ray_finds_the_same(found_here):
    """With a reference to the data, which a machine holds once."""
    told = run_program("""
import joblib
import ray
from ray.util.joblib import register_ray
from programs import tell
from cluster_programs import fit, held, sent, send_everything
send_everything()

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=-1):
        tell(digest=fit(), n_sent=len(sent), kinds=sorted(set(sent)), held=held())
    ray.shutdown()
""", RAY_USAGE_STATS_ENABLED="0")
    assert told[0]["digest"] == found_here
    assert told[0]["n_sent"] > 20
    assert told[0]["kinds"] == ["Reference"] and told[0]["held"] == 0


def test_an_executor_finds_the_same(found_here):
    """By the backend of the guide's script for MPI, here with processes of the standard library."""
    if not SCRIPTS.is_dir():
        pytest.skip("the guide is not here")
    told = run_program(f"""
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import joblib
from programs import tell
from cluster_programs import fit, held, sent, send_everything
send_everything()
sys.path.insert(0, {str(SCRIPTS)!r})
from executor import ExecutorBackend

if __name__ == "__main__":
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        with joblib.parallel_config(ExecutorBackend(executor, 2)):
            tell(digest=fit(), n_sent=len(sent), n_data=sent.count("Ground"), held=held())
""")
    assert told[0]["digest"] == found_here
    assert told[0]["n_sent"] > 20 > told[0]["n_data"] > 0 == told[0]["held"]


@pytest.mark.parametrize(("backend", "said"), [
    ("nowhere", "Invalid backend: nowhere"), ("dask", "dask is not installed")])
def test_a_backend_that_is_not_there_is_an_error_before_the_fit(tmp_path, monkeypatch, backend, said):
    """joblib's own words, and nothing is written."""
    monkeypatch.setattr(joblib._dask, "distributed", None)
    with pytest.raises(ValueError, match=said), joblib.parallel_config(backend):
        single_search(**SIZES, checkpoint=tmp_path / "search.npz").fit(*data())
    assert list(tmp_path.iterdir()) == []


def test_the_scripts_of_the_guide_are_programs():
    """Each compiles; what it runs on is not here."""
    if not SCRIPTS.is_dir():
        pytest.skip("the guide is not here")
    scripts = sorted(SCRIPTS.glob("*.py"))
    assert [script.stem for script in scripts] == ["dask_local", "executor", "kubernetes", "mpi", "slurm", "with_ray"]
    for script in scripts:
        compile(script.read_text(encoding="utf-8"), str(script), "exec")
