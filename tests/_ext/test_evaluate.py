"""The evaluation room against the slow twin, and its promises: the same bits for any threads, subset or workspace."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import r2_score

import naive.evaluate
import naive.regression
from moeliga._ext import bits, draw, evaluate, scores, tree
from moeliga.data.dataset import Dataset

RULES = (100, 2, 1)
THREADS = (1, 2, 3, 7)


def problem(rng, n_samples, n_features, n_classes, missing=0.0):
    """Random data that a tree can learn a little from; each class has a sample, the last of three or more just one."""
    n_large = n_classes - (n_classes > 2)
    y = np.concatenate((np.arange(n_classes), rng.integers(n_large, size=n_samples - n_classes)))
    X = np.round(y[:, None] * rng.random(n_features) + 2 * rng.normal(size=(n_samples, n_features)), 1)
    X[rng.random(X.shape) < missing] = np.nan
    order = rng.permutation(n_samples)
    return X[order], y[order]


def random_masks(rng, n, n_features):
    masks = rng.random((n, n_features)) < rng.choice([0.05, 0.3, 0.9], size=(n, 1))
    masks[np.arange(n), rng.integers(n_features, size=n)] = True
    return masks


def run(evaluator, key, masks, features=None, individuals=None, address=(6, 0, 1), n_splits=3, shared=False,
        n_instances=5, replace=True, n_threads=1):
    """`Evaluator.evaluate` with masks and defaults."""
    features = np.arange(masks.shape[1]) if features is None else features
    individuals = np.arange(len(masks)) if individuals is None else individuals
    return evaluator.evaluate(bits.pack(np.ascontiguousarray(masks).view(np.uint8)), np.array(features, dtype=np.int32),
                              np.array(individuals, dtype=np.int32), key, address, n_splits, shared, n_instances,
                              replace, n_threads)


def assert_same(got, ref):
    """Bit for bit, NaN like NaN."""
    for a, b in zip(got, ref, strict=True):
        np.testing.assert_array_equal(a, b)


def twin(X, dataset, key, masks, address, individuals, n_splits, shared, n_validation, n_instances, replace, *rules):
    """The twin's answer, with the shape of the room's."""
    uar, separability = naive.evaluate.evaluate(
        X[dataset.rows], dataset.labels.astype(int), dataset.n_classes, masks, key, *address, individuals, n_splits,
        shared, n_validation, n_instances, replace, *rules)
    return np.array(uar).reshape(len(masks), n_splits), np.array(separability)


@pytest.mark.quick(1)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("n_samples", "n_features", "n_classes"), [(17, 1, 2), (30, 8, 3), (40, 65, 5), (33, 130, 2)])
def test_same_bits_as_the_twin(rng, key, n_samples, n_features, n_classes, missing, replace, shared):
    """Each cell is the UAR, or the separability, that one subset has on one split of its own address."""
    X, y = problem(rng, n_samples, n_features, n_classes, missing)
    dataset = Dataset.encode(X, y, n_classes)
    n_validation, masks = dataset.n_validation(0.3), random_masks(rng, 4, n_features)
    individuals, address = rng.permutation(1000)[:4], (3, 2**40 + 7, 12)
    n_instances = int(rng.integers(1, n_samples + 1))
    got = run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks, None, individuals, address, 2, shared,
              n_instances, replace)
    assert_same(got, twin(X, dataset, key, masks, address, individuals, 2, shared, n_validation, n_instances, replace))


@pytest.mark.parametrize("rules", [(0, 2, 1), (1, 2, 1), (3, 6, 1), (100, 2, 4), (2**31 - 1, 2, 1)])
def test_same_bits_as_the_twin_under_every_rule(rng, key, rules):
    """The limits of the tree reach it."""
    X, y = problem(rng, 50, 6, 3)
    dataset = Dataset.encode(X, y, 3)
    n_validation, masks = dataset.n_validation(0.25), random_masks(rng, 6, 6)
    got = run(evaluate.Evaluator(dataset, n_validation, *rules), key, masks)
    ref = twin(X, dataset, key, masks, (6, 0, 1), range(6), 3, False, n_validation, 5, True, min(rules[0], 100),
               *rules[1:])
    assert_same(got, ref)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 20])
def test_same_bits_as_the_twin_for_any_number_of_classes(rng, key, n_classes):
    """UAR averages over the classes of the validation part; a class of one sample is in the training part only."""
    X, y = problem(rng, 60, 4, n_classes)
    dataset = Dataset.encode(X, y, n_classes)
    n_validation, masks = dataset.n_validation(0.3), random_masks(rng, 6, 4)
    assert (n_validation[-1] == 0) == (n_classes > 2)
    got = run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks, n_instances=20)
    assert_same(got, twin(X, dataset, key, masks, (6, 0, 1), range(6), 3, False, n_validation, 20, True))


@pytest.mark.quick(4)
@pytest.mark.parametrize("target", [False, True])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("n_instances", [0, 1, 5, 127, 300])
def test_an_evaluation_that_is_cut_gives_the_same_bits(rng, key, n_instances, replace, target):
    """However rough the seconds: a call after each tree and each instance, after all of them, or none."""
    X, y = problem(rng, 300, 40, 3)
    dataset = Dataset.encode_target(X, rng.normal(size=300)) if target else Dataset.encode(X, y, 3)
    evaluator, masks = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), random_masks(rng, 6, 40)
    whole = run(evaluator, key, masks, n_instances=n_instances, replace=replace)
    for seconds, n_threads in ((0.0, 1), (1e-4, 2), (1e-3, 1), (2e-3, 3), (1e9, 7), (1e9, 1)):
        calls = []
        cut = evaluator.evaluate(
            bits.pack(masks.view(np.uint8)), np.arange(40, dtype=np.int32), np.arange(6, dtype=np.int32), key,
            (6, 0, 1), 3, False, n_instances, replace, n_threads, lambda: calls.append(1), seconds, seconds)  # noqa: B023
        assert_same(cut, whole)
        if (seconds, n_threads) == (1e9, 1):
            assert len(calls) == 6 * n_instances + 18
        elif seconds == 0.0:
            assert len(calls) == 1


def test_a_check_that_raises_ends_the_evaluation(rng, key):
    """With its error, in the middle of a single separability; the next evaluation is as ever."""
    X, y = problem(rng, 60, 12, 3)
    dataset = Dataset.encode(X, y, 3)
    evaluator, masks = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), random_masks(rng, 1, 12)
    arguments = (bits.pack(masks.view(np.uint8)), np.arange(12, dtype=np.int32), np.zeros(1, dtype=np.int32), key,
                 (6, 0, 1), 0, False)
    whole, calls = evaluator.evaluate(*arguments, 1000, True, 1), iter(range(3))

    def check():
        if next(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(*arguments, 2**31 - 1, True, 1, check, 0.0, 1.0)
    assert_same(evaluator.evaluate(*arguments, 1000, True, 1), whole)


def test_short_chromosomes_over_a_template_equal_long_ones(rng, key):
    """Position j of a short chromosome stands for features[j]: same cells as the lifted chromosome over all."""
    X, y = problem(rng, 80, 150, 3)
    dataset = Dataset.encode(X, y, 3)
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES)
    for k in (1, 63, 64, 65, 149):
        features = np.sort(rng.choice(150, k, replace=False))
        short = random_masks(rng, 8, k)
        lifted = np.zeros((8, 150), dtype=bool)
        lifted[:, features] = short
        assert_same(run(evaluator, key, short, features), run(evaluator, key, lifted))


def test_a_cell_depends_on_its_address_only(rng, key):
    """Any rows, in any order, evaluated again alone under their own numbers: the same cells."""
    X, y = problem(rng, 60, 12, 3)
    dataset = Dataset.encode(X, y, 3)
    evaluator, masks = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), random_masks(rng, 20, 12)
    uar, separability = run(evaluator, key, masks)
    for rows in ([3], [19, 0, 7], rng.permutation(20)):
        assert_same(run(evaluator, key, masks[rows], individuals=rows), (uar[rows], separability[rows]))
    assert_same(run(evaluator, key, masks, n_splits=2, n_instances=0), (uar[:, :2], np.full(20, np.nan)))
    assert_same(run(evaluator, key, masks, n_splits=0), (uar[:, :0], separability))


def test_every_part_of_the_address_changes_the_draws(rng, key):
    """Another purpose, population, generation, individual or seed means other splits; sharing means those of 0."""
    X, y = problem(rng, 60, 6, 3)
    dataset = Dataset.encode(X, y, 3)
    evaluator, masks = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), random_masks(rng, 10, 6)
    uar, separability = run(evaluator, key, masks)
    others = [
        run(evaluator, key, masks, address=address) for address in ((7, 0, 1), (6, 1, 1), (6, 2**32, 1), (6, 0, 2))
    ]
    others += [run(evaluator, key, masks, individuals=np.arange(10) + 1), run(evaluator, key + np.uint64(1), masks)]
    for other_uar, other_separability in others:
        assert not np.array_equal(other_uar, uar)
        assert not np.array_equal(other_separability, separability)
    zeros = run(evaluator, key, masks, individuals=np.zeros(10))
    assert_same(run(evaluator, key, masks, shared=True), zeros)


@pytest.mark.quick(1)
@pytest.mark.parametrize("shared", [False, True])
def test_same_bits_for_any_number_of_threads(rng, key, shared):
    """1, 2, 3 and 7 threads: work large enough to be shared out, more tasks than threads, and fewer."""
    X, y = problem(rng, 240, 70, 4, missing=0.05)
    dataset = Dataset.encode(X, y, 4)
    n_validation = dataset.n_validation(0.3)
    for n in (1, 2, 40):
        masks = random_masks(rng, n, 70)
        masks[0] = True  # 70 features x 168 samples x 9 splits: above the limit of small work
        ref, *others = (
            run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks, n_splits=9, shared=shared,
                n_instances=72, n_threads=n_threads)
            for n_threads in THREADS
        )
        for other in others:
            assert_same(other, ref)


@pytest.mark.parametrize(("n_samples", "n_features", "n_classes"), [(700, 40, 2), (300, 30, 26), (90, 300, 5)])
def test_same_bits_for_any_instruction_set(rng, key, n_samples, n_features, n_classes):
    """Plain loops, x86-64-v3 and -v4, as far as this machine has them; features of few values and of many."""
    X, y = problem(rng, n_samples, n_features, n_classes, missing=0.01)
    X[:, ::3] = rng.integers(1, 19, size=n_features)[::3] * rng.random(X[:, ::3].shape) // 1
    masks = random_masks(rng, 20, n_features)
    dataset = Dataset.encode(X, y, n_classes)
    assert set(dataset.counted) == {0, 1}
    results = []
    for level in range(dataset.level + 1):
        evaluator = evaluate.Evaluator(replace(dataset, level=level), dataset.n_validation(0.3), *RULES)
        results.append(run(evaluator, key, masks, n_instances=70))
    for result in results[1:]:
        assert_same(result, results[0])


def test_workspace_may_be_reused(rng, key):
    """Large, small, large again, with more or fewer threads: the same as by fresh evaluators."""
    X, y = problem(rng, 200, 90, 3)
    dataset = Dataset.encode(X, y, 3)
    n_validation = dataset.n_validation(0.3)
    used = evaluate.Evaluator(dataset, n_validation, *RULES)
    large, small = np.ones((12, 90), dtype=bool), np.eye(90, dtype=bool)[:12]
    calls = [(large, 2, 9), (small, 7, 0), (large, 1, 200), (small, 2, 9), (large, 3, 9), (large[:, :70], 2, 9)]
    for masks, n_threads, n_instances in calls:
        fresh = evaluate.Evaluator(dataset, n_validation, *RULES)
        options = {"n_threads": n_threads, "n_instances": n_instances}
        assert_same(run(used, key, masks, **options), run(fresh, key, masks, **options))


def test_objectives_are_within_their_ranges(rng, key):
    """UAR in [0, 1], separability in [-1, 1]; a perfect feature reaches UAR 1, a constant one 1 / n_classes."""
    X, y = problem(rng, 60, 5, 2)
    X[:, 0], X[:, 1] = y, 4.0
    dataset = Dataset.encode(X, y, 2)
    uar, separability = run(evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), key, np.eye(5, dtype=bool))
    assert np.all((uar >= 0) & (uar <= 1)) and np.all(np.abs(separability) <= 1)
    np.testing.assert_array_equal(uar[:2], [[1.0] * 3, [0.5] * 3])
    np.testing.assert_array_equal(separability[1], 0.0)


def test_nothing_to_do_gives_empty_results(rng, key):
    """No rows, no splits, no instances."""
    dataset = Dataset.encode(*problem(rng, 20, 3, 2), 2)
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES)
    uar, separability = run(evaluator, key, np.ones((0, 3), dtype=bool))
    assert uar.shape == (0, 3) and separability.shape == (0,)
    uar, separability = run(evaluator, key, np.ones((2, 3), dtype=bool), n_splits=0, n_instances=0)
    assert uar.shape == (2, 0) and np.all(np.isnan(separability))


def test_as_many_instances_as_wanted_with_replacement(rng, key):
    """Without replacement at most all samples, and then exactly all of them; with replacement, more."""
    X, y = problem(rng, 20, 3, 2)
    dataset = Dataset.encode(X, y, 2)
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES)
    masks = np.ones((2, 3), dtype=bool)
    _, separability = run(evaluator, key, masks, n_instances=20, replace=False)
    assert separability[0] == separability[1]
    assert np.isfinite(run(evaluator, key, masks, n_instances=500)[1]).all()


def test_inputs_stay_unchanged(rng, key):
    """Read-only arrays are accepted, and nothing is written to them or to the data set."""
    dataset = Dataset.encode(*problem(rng, 40, 9, 3), 3)
    n_validation, packed = dataset.n_validation(0.3), bits.pack(random_masks(rng, 6, 9).view(np.uint8))
    arrays = [n_validation, packed, np.arange(9, dtype=np.int32), np.arange(6, dtype=np.int32), key]
    arrays += [value for value in vars(dataset).values() if isinstance(value, np.ndarray)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    evaluate.Evaluator(dataset, n_validation, *RULES).evaluate(*arrays[1:5], (6, 0, 1), 3, False, 5, True, 2)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": np.ones((2, 2), dtype=np.uint64)}, "bits must have 1 words a row for 3 features, got 2"),
        ({"bits": np.array([[1], [0]], dtype=np.uint64)}, "bits must select a feature in every row, row 1 is empty"),
        ({"bits": np.array([[1], [8]], dtype=np.uint64)}, "bits must have no bit at or beyond 3, got one in row 1"),
        ({"bits": np.ones((2, 1), dtype=np.int64)}, "Buffer dtype mismatch"),
        ({"features": np.array([0, 1, 3], dtype=np.int32)}, r"features must be .* in \[0, 3\), got 3 at 2"),
        ({"features": np.array([0, 2, 1], dtype=np.int32)}, "features must be ascending .*, got 1 at 2"),
        ({"features": np.zeros(0, dtype=np.int32)}, "bits must have 0 words a row for 0 features, got 1"),
        ({"individuals": np.zeros(3, dtype=np.int32)}, "individuals must have 2 entries, got 3"),
        ({"individuals": np.array([0, -1], dtype=np.int32)}, "individuals must be >= 0, got -1"),
        ({"seed": np.zeros(3, dtype=np.uint64)}, "seed must have 2 words, got 3"),
        ({"n_splits": -1}, "n_splits must be >= 0, got -1"),
        ({"n_threads": 0}, "n_threads must be >= 1, got 0"),
        ({"n_instances": -1}, r"n_instances must be in \[0, 20\], got -1"),
        ({"n_instances": 21, "replace": False}, r"n_instances must be in \[0, 20\], got 21"),
    ],
)
def test_bad_input_is_refused(rng, key, change, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    dataset = Dataset.encode(*problem(rng, 20, 3, 2), 2)
    arguments = {
        "bits": np.ones((2, 1), dtype=np.uint64), "features": np.arange(3, dtype=np.int32),
        "individuals": np.arange(2, dtype=np.int32), "seed": key, "address": (1, 2, 3), "n_splits": 3,
        "shared": False, "n_instances": 4, "replace": True, "n_threads": 1,
    }
    with pytest.raises(ValueError, match=message):
        evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES).evaluate(**{**arguments, **change})


@pytest.mark.parametrize(
    ("n_validation", "rules", "message"),
    [
        ([3], RULES, "n_validation must have 2 entries, got 1"),
        ([3, 10], RULES, r"n_validation\[1\] must be in \[0, 10\), got 10"),
        ([-1, 3], RULES, r"n_validation\[0\] must be in \[0, 10\), got -1"),
        ([0, 0], RULES, "n_validation must be > 0 for at least one class"),
        ([3, 3], (-1, 2, 1), "max_depth must be >= 0, .* got -1, 2, 1"),
        ([3, 3], (5, 1, 1), "min_samples_split >= 2, .* got 5, 1, 1"),
        ([3, 3], (5, 2, 0), "min_samples_leaf >= 1, got 5, 2, 0"),
    ],
)
def test_bad_settings_are_refused(n_validation, rules, message):
    """An evaluator that could not work is not made."""
    dataset = Dataset.encode(np.zeros((20, 3)), np.repeat([0, 1], 10), 2)
    with pytest.raises(ValueError, match=message):
        evaluate.Evaluator(dataset, np.array(n_validation, dtype=np.int32), *rules)


def test_values_that_do_not_fit_the_data_set_are_refused():
    """The rows of values must be the features, hold all samples, and end in whole vectors."""
    dataset = Dataset.encode(np.zeros((20, 3)), np.repeat([0, 1], 10), 2)
    for values in (dataset.values[:2], np.ascontiguousarray(dataset.values[:, :16]),
                   np.ascontiguousarray(dataset.values[:, :31])):
        with pytest.raises(ValueError, match="values must have 3 rows of at least 20 columns, a multiple of 16, got"):
            evaluate.Evaluator(replace(dataset, values=values), np.array([3, 3], dtype=np.int32), *RULES)


# regression


def regression_problem(rng, n_samples, n_features, n_targets=10**6, missing=0.0):
    """Random data that a tree can learn a little from, and a target."""
    y = rng.integers(n_targets, size=n_samples) / 8
    X = np.round(y[:, None] / n_targets * rng.random(n_features) + rng.normal(size=(n_samples, n_features)) / 4, 1)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def target_twin(X, y, dataset, key, masks, n_validation, n_instances, rules=RULES, shared=False, replace=True):
    """The twin's answer for a target, with the shape of the room's."""
    hits = naive.regression.hits(np.sort(y).tolist(), Fraction("0.1"))
    r2, separability = naive.evaluate.evaluate_target(
        X[dataset.rows], dataset.target.steps, hits, masks, key, (6, 0, 1), range(len(masks)), 3, shared,
        dataset.class_start, n_validation, n_instances, replace, rules)
    return np.array(r2), np.array(separability)


@pytest.mark.quick(1)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("n_targets", [2, 9, 10**6])
@pytest.mark.parametrize(("n_samples", "n_features"), [(2, 1), (17, 3), (60, 65)])
def test_same_bits_as_the_twin_for_a_target(rng, key, n_samples, n_features, n_targets, missing, shared):
    """R2 of a regression tree, and separability with hits by the target."""
    X, y = regression_problem(rng, n_samples, n_features, n_targets, missing)
    dataset = Dataset.encode_target(X, y)
    n_validation, masks = dataset.n_validation(0.3), random_masks(rng, 4, n_features)
    got = run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks, n_instances=n_samples, shared=shared)
    assert_same(got, target_twin(X, y, dataset, key, masks, n_validation, n_samples, shared=shared))


@pytest.mark.parametrize("rules", [(0, 2, 1), (1, 2, 1), (3, 6, 1), (100, 2, 4)])
def test_same_bits_as_the_twin_for_a_target_under_every_rule(rng, key, rules):
    """The limits of the tree reach it."""
    X, y = regression_problem(rng, 50, 6)
    dataset = Dataset.encode_target(X, y)
    n_validation, masks = dataset.n_validation(0.25), random_masks(rng, 6, 6)
    got = run(evaluate.Evaluator(dataset, n_validation, *rules), key, masks)
    assert_same(got, target_twin(X, y, dataset, key, masks, n_validation, 5, rules))


def test_r2_is_scikit_learns(rng, key):
    """Of the targets themselves, on the splits that the evaluator draws."""
    X, y = regression_problem(rng, 300, 8)
    dataset = Dataset.encode_target(X, y)
    n_validation, masks = dataset.n_validation(0.3), random_masks(rng, 5, 8)
    r2, _ = run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks)
    X, y = X[dataset.rows], y[dataset.rows]
    for individual, mask in enumerate(masks):
        for test in range(3):
            marks = draw.split(key, (6, 0, 1, individual, test), dataset.class_start, n_validation)
            nodes, thresholds, means, _ = tree.regress(dataset, np.flatnonzero(mask).astype(np.int32), marks, *RULES)
            predicted = dataset.target.values(means)[tree.apply(nodes, thresholds, X[marks == 1])]
            np.testing.assert_allclose(r2[individual, test], r2_score(y[marks == 1], predicted), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("column", "r2"), [([0, 0, 0, 1, 1, 1], 1.0), ([0, 1, 0, 1, 0, 1], 0.0)])
def test_r2_without_spread_tells_right_from_wrong(key, column, r2):
    """A validation part of one sample: 1 if it is predicted exactly, else 0, as in scikit-learn."""
    X, y = np.array(column, dtype=float)[:, None], np.array([1.0, 1, 1, 2, 2, 2])
    X = np.column_stack([X, np.zeros(6)])
    dataset = Dataset.encode_target(X, y)
    evaluator = evaluate.Evaluator(dataset, np.array([1], dtype=np.int32), *RULES)
    got, _ = run(evaluator, key, np.array([[True, False]]), n_splits=20)
    assert set(got.ravel().tolist()) == {r2}


def test_a_perfect_feature_has_r2_1_and_a_constant_one_at_most_0(rng, key):
    """The ends of what there is to know."""
    X, y = regression_problem(rng, 100, 2, n_targets=4)
    X[:, 0], X[:, 1] = y, 4.0
    dataset = Dataset.encode_target(X, y)
    r2, separability = run(evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES), key, np.eye(2, dtype=bool))
    np.testing.assert_array_equal(r2[0], 1.0)
    assert np.all(r2[1] <= 0) and separability[1] == 0


@pytest.mark.quick(2)
@pytest.mark.parametrize("level", range(tree.LEVEL + 1))
def test_same_bits_for_a_target_for_any_threads_and_instruction_set(rng, key, level):
    """1, 2, 3 and 7 threads, plain loops and vectors."""
    X, y = regression_problem(rng, 240, 70, missing=0.05)
    dataset = Dataset.encode_target(X, y)
    n_validation, masks = dataset.n_validation(0.3), random_masks(rng, 12, 70)
    masks[0] = True
    ref = run(evaluate.Evaluator(dataset, n_validation, *RULES), key, masks, n_splits=9, n_instances=72)
    for n_threads in THREADS:
        evaluator = evaluate.Evaluator(replace(dataset, level=level), n_validation, *RULES)
        assert_same(run(evaluator, key, masks, n_splits=9, n_instances=72, n_threads=n_threads), ref)


@pytest.mark.parametrize(("change", "message"), [
    ({"hits_from": np.zeros(5, dtype=np.int32)}, "hits_from and dataset.hits_to must have 20 entries, got 5 and 20"),
    ({"hits_to": np.zeros(20, dtype=np.int32)}, r"hits of sample 0 must be a range in \[0, 20\) .*, got \[0, 0\)"),
])
def test_hits_that_are_no_ranges_are_refused(rng, change, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    dataset = Dataset.encode_target(*regression_problem(rng, 20, 3))
    with pytest.raises(ValueError, match=message):
        evaluate.Evaluator(replace(dataset, **change), dataset.n_validation(0.3), *RULES)


# scores from answers, and fixed splits; their values are tested with those of scikit-learn in tests/evaluation


@pytest.mark.parametrize(("target", "change", "message"), [
    (False, {"score": 99}, "score must be the number of a score of classes, got 99"),
    (False, {"score": scores.NUMBERS["r2"]}, "score must be the number of a score of classes, got"),
    (True, {"score": scores.NUMBERS["uar"]}, "score must be the number of a score of a target, got 0"),
    (False, {"score": scores.NUMBERS["f1"], "positive": 2}, r"positive must be in \[0, 2\), got 2"),
    (False, {"splits": np.zeros((0, 20), dtype=np.uint8)}, r"splits must be .*, got shape \(0, 20\)"),
    (False, {"splits": np.zeros((2, 19), dtype=np.uint8)}, r"splits must be .*, got shape \(2, 19\)"),
    (False, {"splits": np.full((1, 20), 3, dtype=np.uint8)}, "splits must be 0, 1 or 2 for 20 samples"),
    (False, {"splits": np.repeat([[0], [1]], 20, axis=1).astype(np.uint8)}, "splits must have a sample .*, split 0"),
])
def test_bad_scores_and_splits_are_refused(rng, target, change, message):
    """When the evaluator is made."""
    X, y = problem(rng, 20, 3, 2)
    dataset = Dataset.encode_target(X, y + rng.random(20)) if target else Dataset.encode(X, y, 2)
    with pytest.raises(ValueError, match=message):
        evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES, **change)


def test_fixed_splits_are_all_evaluated(rng, key):
    """As many as there are, or none; what is in neither part does not matter."""
    X, y = problem(rng, 30, 4, 2)
    dataset, masks = Dataset.encode(X, y, 2), random_masks(rng, 5, 4)
    splits = (np.arange(30) % 4 + np.zeros((2, 1))).clip(max=2).astype(np.uint8)
    splits[1] = splits[0][::-1]
    for score in (-1, scores.NUMBERS["accuracy"]):
        evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES, score, 1, splits)
        ref, _ = run(evaluator, key, masks, n_splits=2)
        for number, marks in enumerate(splits):
            kept = marks < 2
            part = Dataset.encode(X[np.sort(dataset.rows[kept])], y[np.sort(dataset.rows[kept])], 2)
            order = np.searchsorted(np.sort(dataset.rows[kept]), dataset.rows[kept])
            own = np.empty((1, kept.sum()), dtype=np.uint8)
            own[0, np.argsort(part.rows)[order]] = marks[kept]
            alone = evaluate.Evaluator(part, part.n_validation(0.3), *RULES, score, 1, own)
            np.testing.assert_array_equal(run(alone, key, masks, n_splits=1)[0][:, 0], ref[:, number])
        with pytest.raises(ValueError, match="n_splits must be 0 or 2, the fixed splits, got 3"):
            run(evaluator, key, masks)
