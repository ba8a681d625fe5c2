"""Same seed, same bits: for any number of threads, from run to run and from process to process."""

import hashlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from interpreters import environment
from moeliga import LocalImprovement, StaggeredInit, Variation, evaluate_subsets
from moeliga._ext import evaluate
from moeliga.base.threads import n_threads
from paper_operators import PAPER, fitting
from single_search import single_search

THREADS = (1, 2, 3, 7)
LOCAL = LocalImprovement(n_populations=2, population_size=20, n_generations=4, every=2)
SIZES = {"population_size": 30, "n_generations": 4, "survival__n_elite": 4, "survival__generation_gap": 4}
VARIANTS = {
    "defaults": {"evaluation__n_rescore_splits": 10},
    "paper": {},
    "moga, shared splits, averaged": {
        **PAPER, "evaluation__split_mode": "generation", "evaluation__reevaluate": "average",
        "evaluation__n_rescore_splits": 10},
    "one flip": {"evaluation__n_rescore_splits": 10, "variation": Variation(mutation="chromosome", mutation_rate=1.0)},
    "selection": {**PAPER, "evaluation__reevaluate": "none", "evaluation__n_rescore_splits": 0,
                  "survival__sharing": "niche",
                  "local_improvement": LocalImprovement(**{**LOCAL.get_params(), "replacement": "selection"}),
                  "survival__selection": "tournament", "variation": Variation(schedule="exponential"),
                  "init": StaggeredInit(spread=0.25)},
}


def data(seed, n_samples=150, n_features=120, n_classes=3):
    """Enough that the kernels think threads worth their while."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = np.round(rng.normal(size=(n_samples, n_features)), 2)
    X[:, ::7] += y[:, None]
    return X, y


def search(variant, seed, n_jobs):
    """A fitted selector of one of the variants."""
    preset = "paper" if variant == "paper" else "default"
    parameters = fitting({**SIZES, "local_improvement": LOCAL, **VARIANTS[variant]},
                         "moga" if variant == "paper" else "nsga2")
    return single_search(preset=preset, **parameters, random_state=seed, n_jobs=n_jobs).fit(*data(seed))


def digest(selector):
    """Everything that a search finds, as one number: front, history without seconds, choice."""
    front, found = selector.pareto_front_, hashlib.sha256()
    for array in (front.supports, front.objectives, front.search_objectives, front.score_se, selector.support_):
        found.update(np.ascontiguousarray(array).tobytes())
    for name in sorted(selector.history_.keys() - {"seconds"}):
        found.update(selector.history_[name].tobytes())
    found.update(f"{selector.index_} {selector.stop_reason_} {selector.n_evaluations_}".encode())
    return found.hexdigest()


@pytest.fixture
def seven_threads():
    """Let OpenMP have seven threads, whatever the machine has."""
    if not evaluate.threads()["enabled"]:
        pytest.skip("this build has no OpenMP")
    with threadpool_limits(limits=7, user_api="openmp"):
        assert evaluate.threads()["max_threads"] == 7
        assert [n_threads(n) for n in THREADS] == list(THREADS)
        yield


@pytest.mark.quick(1)
@pytest.mark.parametrize("variant", VARIANTS)
def test_same_bits_for_any_number_of_threads(seven_threads, seed, variant):
    """1, 2, 3 and 7 threads, and again 7: front, history and choice are identical."""
    found = {digest(search(variant, seed, n_jobs)) for n_jobs in (*THREADS, 7)}
    assert len(found) == 1


@pytest.mark.slow
def test_other_seeds_and_variants_give_other_bits(seed):
    """The digest above does see differences."""
    found = {digest(search(variant, seed + step, 1)) for variant in VARIANTS for step in (0, 1)}
    assert len(found) == 2 * len(VARIANTS)


@pytest.mark.parametrize("shared", [False, True])
def test_evaluation_has_the_same_bits_for_any_number_of_threads(seven_threads, rng, shared):
    """One large call, all objectives."""
    X, y = data(0, n_samples=300)
    masks = rng.random((80, 120)) < 0.4
    found = {evaluate_subsets(X, y, masks, shared=shared, random_state=0, n_jobs=n).tobytes() for n in THREADS}
    assert len(found) == 1


@pytest.mark.slow
def test_same_bits_in_every_process(seed):
    """Another process, with another hash seed and another number of threads from its environment, finds the same."""
    program = textwrap.dedent("""
        import sys
        from test_reproducible import VARIANTS, digest, search
        for variant in VARIANTS:
            print(digest(search(variant, int(sys.argv[1]), -1)))
    """)
    outputs = set()
    for threads, hash_seed in (("1", "1"), ("3", "2")):
        variables = environment(__file__) | {"OMP_NUM_THREADS": threads, "PYTHONHASHSEED": hash_seed}
        outputs.add(subprocess.run([sys.executable, "-c", program, str(seed)], env=variables, check=True,
                                   capture_output=True, text=True).stdout)
    assert outputs == {"".join(f"{digest(search(variant, seed, 2))}\n" for variant in VARIANTS)}


def test_an_order_of_rows_that_keeps_that_of_each_class_changes_nothing(seed):
    """Samples are numbered class by class, and what the classes are called does not matter."""
    X, y = data(seed)
    order = np.argsort(y, kind="stable")
    parameters = {**SIZES, "local_improvement": LOCAL, "evaluation__n_rescore_splits": 3, "random_state": seed}
    one = single_search(**fitting(parameters)).fit(X, y)
    two = single_search(**fitting(parameters)).fit(X[order], np.array(["a", "b", "c"])[y[order]])
    assert digest(one) == digest(two)
