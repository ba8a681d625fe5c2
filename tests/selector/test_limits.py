"""What happens at the limits: very many features, samples, individuals, classes; each works, or is refused in
words.

`MOELIGA_LIMITS=1` runs the whole of them, which takes 20 GB of memory and fifteen minutes of two cores; what each takes
is written there. Without it the same ways are gone on a smaller scale, in seconds.
"""

import os
import re

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

from moeliga import (
    MOGA,
    DecisionTreeClassifier,
    FitnessSharing,
    LocalImprovement,
    Separability,
    StaggeredInit,
    Variation,
    evaluate_subsets,
    separability,
)
from moeliga.data.problem import Problem
from paper_operators import fitting
from single_search import single_search

large = pytest.mark.skipif(not os.environ.get("MOELIGA_LIMITS"), reason="MOELIGA_LIMITS=1 runs it")


def search(**parameters):
    return single_search(**fitting({
        "population_size": 10, "n_generations": 2, "survival__n_elite": 2, "survival__generation_gap": 2,
        "evaluation__n_rescore_splits": 2,
        "local_improvement": LocalImprovement(n_populations=1, population_size=6, n_generations=1, every=2),
        "objectives": ("uar", "cardinality", Separability(samples=50)), "random_state": 0, **parameters}))


def check_front(front, n_features):
    """A front is what it says it is, whatever its size."""
    assert front.supports.shape == (len(front), n_features) and len(front)
    assert_array_equal(front.supports.sum(axis=1), front.n_selected)
    assert front.n_selected.min() >= 1 and np.isfinite(front.objectives).all()
    assert_array_equal(np.sort(front.n_selected), front.n_selected)
    better = (front.objectives[:, None] >= front.objectives).all(axis=2) & (
        front.objectives[:, None] > front.objectives).any(axis=2)
    assert not better.any()


def same_for_two_threads(X, y, **parameters):
    """The front of a fit, after a second fit with two threads that gave the same bits."""
    one, two = (search(n_jobs=n_jobs, **parameters).fit(X, y).pareto_front_ for n_jobs in (1, 2))
    assert_array_equal(one.supports, two.supports)
    assert one.objectives.tobytes() == two.objectives.tobytes()
    check_front(one, X.shape[1])
    return one


def marked(n_samples, n_features, place, *, n_classes=2, form=None):
    """float32, noise everywhere but at one place, which tells the classes; dense, or sparse with few values."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % n_classes
    if form is None:
        X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
        X[:, place] += 3 * y
        return X, y
    X = scipy.sparse.random(n_samples, n_features, 0.001, "lil", np.float32, rng)
    X[:, place] = y[:, None] + 1
    return X.asformat(form), y


# features


@pytest.mark.slow
@pytest.mark.parametrize("form", [None, "csr", "csc"])
def test_a_million_features(form):
    """Ten samples of them; the last feature is the one that counts, and a subset to start from."""
    X, y = marked(12, 1_000_000, 999_999, form=form)
    front = same_for_two_threads(X, y, population_size=6, survival__n_elite=1, survival__generation_gap=1,
                                 init__subsets=[[999_999]],
                                 init=StaggeredInit(rates=(1e-6, 1e-5, 1e-3)), feature_prior=None)
    assert front.features(front.choose("best")) == ["x999999"]


@large
@pytest.mark.parametrize("form", [None, "csr"])
def test_a_million_features_of_a_hundred_samples(form):
    """The subsets that a search starts with by default, of up to 350,000 features; 2.5 GB, 4 minutes."""
    X, y = marked(100, 1_000_000, 999_999, form=form)
    same_for_two_threads(X, y, population_size=20)


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_hardly_any_features(n_features):
    """One feature leaves nothing to search for, and there are fewer subsets than individuals."""
    X, y = marked(30, n_features, 0)
    front = same_for_two_threads(X, y)
    assert front.n_selected.max() <= n_features


def test_many_groups_named_by_many_features():
    """Names are looked up once, not once for each group."""
    n_features = 20_000
    names = np.array([f"gene {f}" for f in range(n_features)])
    pandas = pytest.importorskip("pandas")
    X, y = marked(10, n_features, 7)
    groups = {g: names[g : g + 2].tolist() for g in range(0, n_features, 2)}
    front = search(constraints__groups=groups, population_size=6, survival__n_elite=1, survival__generation_gap=1).fit(
        pandas.DataFrame(X, columns=names), y).pareto_front_
    assert_array_equal(front.supports[:, ::2], front.supports[:, 1::2])


# samples


@pytest.mark.quick(2)
@pytest.mark.parametrize("n_samples", [65_535, 65_536, 65_537, 300_000])
def test_many_samples(n_samples):
    """Around the number from which on the number of a sample takes four bytes, and beyond."""
    X, y = marked(n_samples, 2, 1)
    front = same_for_two_threads(X, y, objectives=("uar", "cardinality"), evaluation__n_splits=1, population_size=3,
                                 survival__n_elite=1,
                                 survival__generation_gap=1, estimator=DecisionTreeClassifier(max_depth=4))
    assert front.features(0) == ["x1"]


@large
def test_five_million_samples():
    """Of 20 features; 2.2 GB and 10 minutes. Instances of objective III are counted, not a share of the samples."""
    X, y = marked(5_000_000, 20, 19)
    same_for_two_threads(X, y, population_size=6, n_generations=1, evaluation__n_splits=1,
                         evaluation__n_rescore_splits=0,
                         local_improvement=None, objectives=("uar", "cardinality", Separability(samples=100)))


def test_too_many_samples_or_features_are_refused():
    """By their number, before anything is read."""
    for shape, what in (((2**30 + 1, 1), "at most 1,073,741,824 samples, got 1,073,741,825"),
                        ((2, 2**31), "at most 2,147,483,647 features, got 2,147,483,648")):
        X = np.broadcast_to(np.float32(0), shape)
        with pytest.raises(ValueError, match=f"X must have {what}"):
            Problem.from_data(X, np.zeros(2, dtype=int), False)
    X = scipy.sparse.csr_array((2, 2**31), dtype=np.float32)
    with pytest.raises(ValueError, match="X must have at most 2,147,483,647 features, got 2,147,483,648"):
        search().fit(X, [0, 1])


# individuals


@pytest.mark.quick(1)
@pytest.mark.parametrize("sharing", ["cluster", FitnessSharing(sigma=0.2), "niche", "mean_distance", None,
                                     FitnessSharing(space="objective", sigma=0.05)], ids=str)
def test_ten_thousand_individuals(sharing):
    """Ranked, shared, told apart and archived in far less than a minute."""
    X, y = marked(30, 60, 59)
    same_for_two_threads(X, y, population_size=10_000, n_generations=1, evaluation__n_splits=1,
                         survival__sharing=sharing,
                         local_improvement=None, objectives=("uar", "cardinality"))


@large
def test_ten_thousand_individuals_of_ten_thousand_features():
    """With local improvement that joins populations; 1.5 GB and 4 minutes."""
    X, y = marked(100, 10_000, 9_999)
    same_for_two_threads(X, y, population_size=10_000, evaluation__n_splits=1, local_improvement=LocalImprovement(
        n_populations=2, population_size=20, n_generations=2, every=2, replacement="complete"))


@pytest.mark.parametrize("sizes", [{"max_features": 3000}, {"constraints__min_features": 6000}])
def test_a_size_that_most_children_miss(sizes):
    """Thousands of positions are switched in each of them, and it takes no longer than the rest."""
    X, y = marked(10, 20_000, 7)
    front = search(population_size=30, n_generations=3, local_improvement=None, init=StaggeredInit((1.0,), (0.3,)),
                   variation=Variation(crossover="uniform"), **sizes).fit(X, y).pareto_front_
    check_front(front, 20_000)
    assert sizes.get("min_features", 1) <= front.n_selected.min()
    assert front.n_selected.max() <= sizes.get("max_features", 20_000)


# classes


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_classes", [63, 64, 65, 256, 257, 300, 1000])
def test_many_classes(n_classes):
    """More than a byte holds, with nodes of few samples: trees like those of the plain way, for any threads."""
    X, y = marked(4 * n_classes, 6, 5, n_classes=n_classes)
    front = same_for_two_threads(X, y, population_size=8)
    assert 0 < front.score.max() <= 1


@pytest.mark.parametrize("n_classes", [65_535, 65_536])
def test_the_most_classes(n_classes):
    """Two samples of each, evaluated by the search's own tree, which keeps no counts of classes."""
    y = np.arange(2 * n_classes) % n_classes
    X = np.stack([np.arange(2 * n_classes) % 7, y], axis=1).astype(np.float32)
    score = evaluate_subsets(X, y, [[False, True]], n_splits=1, objectives=("uar",),
                             estimator=DecisionTreeClassifier(max_depth=20))
    # with as many samples of every class all cuts are equal, and the first one wins: 20 classes leave one by one
    assert_allclose(score[0, 0], 21 / n_classes)
    assert separability(X[-100:], y[-100:] % 3) < 1


@pytest.mark.slow
def test_a_tree_of_many_classes_tells_the_last_one_like_any_other():
    """A tree of its own keeps the counts of every class for every node: 400 MB here."""
    y = np.arange(10_000) % 5_000
    X = np.stack([np.arange(10_000) % 7, y], axis=1).astype(np.float32)
    model = DecisionTreeClassifier().fit(X, y)
    assert model.n_classes_ == 5_000 and model.predict(X[-1:]).tolist() == [4_999]


@pytest.mark.slow
def test_too_many_classes_are_refused():
    """A label has two bytes."""
    y = np.arange(2 * 65_537) % 65_537
    X = y[:, None].astype(np.float32)
    for door in (lambda: search().fit(X, y), lambda: DecisionTreeClassifier().fit(X, y)):
        with pytest.raises(ValueError, match="y must have at most 65536 classes, got 65537"):
            door()


@large
def test_a_thousand_classes_of_a_hundred_samples():
    """With as many features; 1 GB and 5 minutes."""
    X, y = marked(100_000, 100, 99, n_classes=1000)
    same_for_two_threads(X, y, population_size=8, n_generations=1, evaluation__n_splits=1, local_improvement=None)


# numbers


@pytest.mark.parametrize(("parameters", "message"), [
    ({"evaluation__n_splits": 2**31}, "evaluation.n_splits must be <= 2147483647, got 2147483648"),
    ({"evaluation__n_rescore_splits": 2**31}, "evaluation.n_rescore_splits must be <= 2147483647, got 2147483648"),
    ({"population_size": 2**31}, "population_size must be <= 2147483647, got 2147483648"),
    ({"n_generations": 2**32}, "n_generations must be <= 2147483647, got 4294967296"),
    ({"survival": MOGA(tournament_size=2**31)},
     "survival.tournament_size must be <= 2147483647, got 2147483648"),
    ({"objectives": ("uar", Separability(samples=2**31))},
     "separability.samples must be <= 2147483647, got 2147483648"),
    ({"local_improvement": LocalImprovement(population_size=2**31)},
     "local_improvement.population_size must be <= 2147483647, got 2147483648"),
    ({"estimator": DecisionTreeClassifier(min_samples_leaf=2**31)},
     "min_samples_leaf must be in [1, 2147483647], got 2147483648"),
], ids=str)
def test_numbers_beyond_their_type_are_refused_before_the_search(parameters, message):
    """Not in the middle of it, and by their names."""
    X, y = marked(20, 3, 0)
    with pytest.raises(ValueError, match=re.escape(message)):
        search(**parameters).fit(X, y)


@pytest.mark.parametrize("parameters", [
    {"population_size": 2**31 - 1}, {"population_size": 10**8, "survival__sharing": None},
    {"evaluation__n_rescore_splits": 2**31 - 1}, {"evaluation__n_splits": 2**31 - 1},
    {"local_improvement": LocalImprovement(population_size=2**31 - 1)},
], ids=str)
def test_what_no_memory_holds_is_refused_before_the_search(parameters):
    """Numbers that their types hold, and memory does not."""
    X, y = marked(20, 3000, 0)
    with pytest.raises(MemoryError, match="fit needs about .* GiB of memory besides X"):
        search(**parameters).fit(X, y)


@pytest.mark.parametrize("parameters", [
    {"estimator": DecisionTreeClassifier(max_depth=2**40)}, {"patience": 2**40}, {"max_evaluations": 2**70},
    {"max_time": 1e300}, {"local_improvement": LocalImprovement(every=2**70)},
    {"variation": Variation(mutation_rate=1e300)}, {"random_state": 2**200},
    {"init": StaggeredInit(spread=1e300)}, {"constraints__costs": [1e300, 1e-300, 0.0]},
], ids=str)
def test_numbers_that_may_be_as_large_as_they_like(parameters):
    """They limit nothing, or are cut to what there is."""
    X, y = marked(20, 3, 0)
    same_for_two_threads(X, y, **parameters)
