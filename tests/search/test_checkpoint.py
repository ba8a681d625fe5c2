"""Checkpoints: what is saved, what comes back, and what a damaged or foreign file does."""

import signal
from types import SimpleNamespace

import numpy as np
import pytest
from checkpointed import data, rewritten, small
from same_search import assert_same
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from moeliga import Checkpoint, FeaturePrior, LocalImprovement, Variation
from moeliga.search import checkpoint
from moeliga.search.progress import Survival


class Crash(Exception):
    """What a test throws into a search."""


def crash_at(generation):
    def callback(state):
        if state.generation == generation:
            raise Crash

    return callback


class Stops:
    """A callback of scikit-learn's protocol that asks a callable after each generation."""

    def __init__(self, answer):
        self.answer = answer

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.parent is None:
            return False
        return self.answer(SimpleNamespace(generation=fitted_estimator.history_["generation"][-1]))

    def teardown(self, estimator, context):
        pass


OPTIONS = [
    {},
    {"evaluation__reevaluate": "average", "archive": False},
    {"evaluation__reevaluate": "none", "survival__sharing": None, "local_improvement": None},
    {"local_improvement": LocalImprovement(population_size=9, n_generations=4, every=3, replacement="selection")},
    {"local_improvement": LocalImprovement(population_size=9, n_generations=4, every=3)},
    {"variation": Variation(schedule="exponential"), "evaluation__split_mode": "generation"},
    {"constraints__groups": [f // 2 for f in range(30)], "constraints__must_include": [3], "max_features": 9,
     "init__subsets": [[4, 5], [10, 11, 12, 13]]},
    {"estimator": GaussianNB(), "objectives": ("uar", "cardinality"), "n_generations": 4},
    {"estimator": GaussianNB(), "cv": KFold(3), "n_generations": 4},
    {"patience": 3},
    {"survival__n_elite": 5, "evaluation__reevaluate": "none"},
    {"islands__n": 3, "islands__every": 4, "n_generations": 9, "init__subsets": [[4, 5]]},
    {"islands__n": 2, "islands__every": 2, "n_generations": 7, "evaluation__reevaluate": "average", "survival": "nsga2",
     "local_improvement": LocalImprovement(population_size=9, n_generations=4, every=1)},
    {"survival": "nsga2", "init": "log_uniform", "variation": Variation(mutation="chromosome", mutation_rate=1.0)},
    {"feature_prior": FeaturePrior("mutual_info_classif", share=0.8)},
    {"survival": "nsga2", "evaluation__reevaluate": "average", "evaluation__split_mode": "generation"},
    {"survival": "nsga2", "evaluation__reevaluate": "none", "max_features": 9, "local_improvement": LocalImprovement(
        population_size=9, n_generations=4, every=3, replacement="complete")},
]


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_search_that_goes_on_ends_as_if_nothing_had_happened(path, options):
    """Crashed after any generation, and begun again with the same parameters: the same bits."""
    X, y = data()
    whole = small(**options).fit(X, y)
    last = int(whole.history_["generation"][-1])
    for generation in sorted({0, 1, last // 2, last}):
        with pytest.raises(Crash):
            small(**options, checkpoint=Checkpoint(path, every=100), callbacks=crash_at(generation)).fit(X, y)
        again = small(**options, checkpoint=path)
        assert_same(again.fit(X, y), whole)
        path.unlink()


def test_a_finished_search_is_not_repeated(path):
    """Its front is scored again, and nothing else is evaluated; with more generations it goes on."""
    X, y = data()
    first = small(checkpoint=path).fit(X, y)
    generations = []
    again = small(checkpoint=path, callbacks=lambda state: generations.append(state.generation)).fit(X, y)
    assert_same(again, first)
    assert generations == [12]  # that of the file
    longer = small(checkpoint=path, n_generations=17, callbacks=lambda state: generations.append(state.generation))
    assert_same(longer.fit(X, y), small(n_generations=17).fit(X, y))
    assert generations == [12, 12, 13, 14, 15, 16, 17]


@pytest.mark.parametrize("protocol", [False, True])
def test_a_search_that_a_callback_has_stopped_stays_there(path, protocol):
    """Also where it was ended between the saving of a generation and the callback's word."""
    def fitted(answer, **parameters):
        selector = small(checkpoint=path, **parameters)
        if protocol:
            return selector.set_callbacks(Stops(answer)).fit(*data())
        return selector.set_params(callbacks=answer).fit(*data())

    def third(state):
        return state.generation == 3

    whole = small(callbacks=third).fit(*data())
    assert whole.stop_reason_ == "callback"
    with pytest.raises(Crash):
        fitted(crash_at(3))
    for n_generations in (small().n_generations, 3, 100):
        again = fitted(third, n_generations=n_generations)
        assert again.stop_reason_ == "callback"
        assert_same(again, whole)
    seen = []
    assert fitted(lambda state: seen.append(state.generation), n_generations=2).stop_reason_ == "n_generations"
    assert not seen  # the file is beyond
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


@pytest.mark.quick(3)
@pytest.mark.parametrize("limits", [{"max_time": 0}] + [{"max_evaluations": n} for n in (13, 60, 118, 150, 200)],
                         ids=str)
def test_a_limit_that_cuts_a_generation_short_leaves_no_trace(path, limits):
    """Also one that falls into local improvement, whose half-finished work is not saved."""
    X, y = data()
    given = {"init__subsets": [[5], [10], [0, 5, 10]]}  # how long they stay is told as well
    cut = small(checkpoint=path, **given, **limits).fit(X, y)
    assert cut.stop_reason_ in limits
    assert_same(small(checkpoint=path, **given).fit(X, y), small(**given).fit(X, y))


@pytest.mark.slow
def test_a_generation_that_was_cut_short_is_not_saved_by_folds(path):
    """They write the file anew when the search on all samples, which has gone on from it, has ended."""
    X, y = data()
    options = {"honest": 2, "init__subsets": [[5], [10], [0, 5, 10]], "n_generations": 3}
    whole = small(**options).fit(X, y)
    n = small(**{**options, "n_generations": 2}, checkpoint=path).fit(X, y).history_["n_evaluations"][2]
    cut = small(**options, checkpoint=path, max_evaluations=n + 30).fit(X, y)
    assert cut.stop_reason_ == "max_evaluations" and cut.history_["generation"][-1] == 3  # in local improvement
    assert_same(small(**options, checkpoint=path).fit(X, y), whole)


@pytest.mark.parametrize("generation", [2, 3, 7])
def test_an_interrupt_leaves_no_trace(path, generation):
    """Ctrl-C between two generations, or before one with local improvement."""
    X, y = data()

    def interrupt(state):
        if state.generation == generation:
            signal.raise_signal(signal.SIGINT)

    cut = small(checkpoint=path, callbacks=interrupt).fit(X, y)
    assert cut.stop_reason_ == "interrupt"
    assert_same(small(checkpoint=path).fit(X, y), small().fit(X, y))


def test_saved_every_so_many_generations(path):
    """And at the end, whatever it is."""
    saved = []

    def look(state):
        head = checkpoint.read(path)[0] if path.exists() else {"state": {"progress": {"generation": None}}}
        saved.append(head["state"]["progress"]["generation"])

    small(checkpoint=Checkpoint(path, every=5), callbacks=look).fit(*data())
    assert saved == 5 * [0] + 5 * [5] + 3 * [10]
    assert checkpoint.read(path)[0]["state"]["progress"]["generation"] == 12


def test_without_a_seed_the_search_goes_on_with_that_of_the_file(path):
    """random_state=None."""
    X, y = data()
    first = small(checkpoint=path, random_state=None).fit(X, y)
    assert_same(small(checkpoint=path, random_state=None).fit(X, y), first)


def test_seconds_add_up_and_the_limit_counts_from_the_last_start(path):
    """The history goes on where it stood; max_time does not end it at once."""
    X, y = data()
    first = small(checkpoint=path, n_generations=3).fit(X, y)
    content = rewritten(path, lambda head: head["state"]["budget"].update(seconds=1000.0))
    path.write_bytes(content)
    again = small(checkpoint=path, max_time=500).fit(X, y)
    assert again.stop_reason_ == "n_generations"
    assert again.history_["seconds"][3] == first.history_["seconds"][3] < 1000 < again.history_["seconds"][4]


def test_survival_is_that_of_the_last_generation_with_a_subset():
    """Also of one that comes back; what a checkpoint has given, or got, stays that of its generation."""
    given = np.array([[1], [2], [3]], dtype=np.uint64)
    survival = Survival(given)
    survival.record(given[1:], 0)
    kept = survival.state()
    survival.record(given[:1], 1)
    assert kept["last"].tolist() == [-1, 0, 0]
    saved = survival.state()
    survival.restore(saved, 1)
    assert survival.record(given[:2], 2) == 2
    assert survival.state()["last"].tolist() == [2, 2, 0] and saved["last"].tolist() == [1, 0, 0]
