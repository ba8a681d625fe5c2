"""The separability room against its slow twin, and the promises of its door."""

import numpy as np
import pytest

import naive.relief
from moeliga._ext import relief, tree


def pad(values):
    """Rows of `values` (n_features, n_samples), padded with 0 as the kernel wants them."""
    n_features, n_samples = values.shape
    padded = np.zeros((n_features, -(-n_samples // relief.LANES) * relief.LANES), dtype=np.float32)
    padded[:, :n_samples] = values
    return padded


def starts(sizes):
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)


def problem(rng, sizes, n_features, n_levels=None):
    """Random values in [0, 1] (on a grid of `n_levels` if given) and class starts."""
    values = rng.random((n_features, sum(sizes)), dtype=np.float32)
    if n_levels:
        values = (np.floor(values * n_levels) / n_levels).astype(np.float32)
    return values, starts(sizes)


def ranges(class_start):
    """hits_from, hits_to of classes."""
    sizes = np.diff(class_start)
    return np.repeat(class_start[:-1], sizes), np.repeat(class_start[1:], sizes)


def both(values, class_start, selected, instances):
    """The kernel's answer for classes, the same for every instruction set, and the twin's."""
    return both_of(values, *ranges(class_start), selected, instances)


def both_of(values, hits_from, hits_to, selected, instances):
    """The same for any ranges of hits."""
    selected, instances = np.asarray(selected, dtype=np.int32), np.asarray(instances, dtype=np.int32)
    got = {relief.separability(pad(values), hits_from, hits_to, selected, instances, level)
           for level in range(tree.LEVEL + 1)}
    assert len(got) == 1
    samples = np.arange(len(hits_from))
    hits = (hits_from[:, None] <= samples) & (samples < hits_to[:, None])
    return got.pop(), naive.relief.separability(values, hits, selected.tolist(), instances.tolist())


@pytest.mark.parametrize(
    "sizes",
    [[1], [2], [1, 1], [2, 1], [7, 8], [8, 8], [9, 8], [1, 14, 1], [31, 1, 1, 30], [20, 13], [3] * 20, [40, 0, 25]],
    ids=str,
)
@pytest.mark.parametrize("n_selected", [1, 2, 5, 17])
def test_same_bits_as_the_twin(seed, sizes, n_selected):
    """Bit for bit the slow twin's number, whatever the sizes: around a vector, singletons, an empty class."""
    rng = np.random.default_rng([seed, n_selected, *sizes])
    for n_levels in (None, 3):  # continuous, and with ties
        values, class_start = problem(rng, sizes, 17, n_levels)
        selected = np.sort(rng.choice(17, n_selected, replace=False))
        for n_instances in (1, 2, 3, 4, 5, 8, 11):
            got, ref = both(values, class_start, selected, rng.integers(sum(sizes), size=n_instances))
            assert got == ref


def test_same_bits_as_the_twin_on_random_problems(rng):
    """Bit for bit the slow twin's number on problems of random size, every sample an instance."""
    for _ in range(20):
        sizes = rng.integers(1, 40, size=rng.integers(1, 6)).tolist()
        n_features = int(rng.integers(1, 90))
        values, class_start = problem(rng, sizes, n_features, rng.choice([0, 2, 5]))
        selected = np.flatnonzero(rng.random(n_features) < 0.5)
        selected = selected if len(selected) else np.array([n_features - 1])
        got, ref = both(values, class_start, selected, np.arange(sum(sizes)))
        assert got == ref


@pytest.mark.parametrize(("n_samples", "n_selected", "n_instances"),
                         [(2, 1, 5), (17, 3, 40), (130, 9, 150), (1029, 5, 30), (1029, 12, 400)])
def test_same_bits_as_the_twin_for_any_ranges(rng, n_samples, n_selected, n_instances):
    """Hits need no classes: a range of its own for each sample, as short as itself and as long as everything; sieved
    and not, within one span of samples and across several."""
    values, _ = problem(rng, [n_samples], n_selected)
    samples, reach = np.arange(n_samples), rng.integers(0, n_samples // 2 + 1, size=(2, n_samples))
    reach[:, :: 5] = 0
    hits_from = np.maximum(samples - reach[0], 0).astype(np.int32)
    hits_to = np.minimum(samples + 1 + reach[1], n_samples).astype(np.int32)
    hits_from[n_samples // 2], hits_to[n_samples // 2] = 0, n_samples
    got, ref = both_of(values, hits_from, hits_to, np.arange(n_selected), rng.integers(n_samples, size=n_instances))
    assert got == ref


@pytest.mark.parametrize("k", [1, 2, 3])
def test_constant_opposite_classes_are_one(k):
    """Two classes, constant at opposite corners: every miss is k away and every hit 0."""
    values = np.repeat(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32), 5, axis=1)
    got, _ = both(values, starts([5, 5]), np.arange(k), np.arange(10))
    assert got == 1.0


def test_mirrored_classes_are_minus_one():
    """Every sample lies on a miss and opposite to its only hit: the objective's other end."""
    values = np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]], dtype=np.float32)
    got, _ = both(values, starts([2, 2]), [0, 1], np.arange(4))
    assert got == -1.0


@pytest.mark.parametrize("sizes", [[1], [12], [1, 1, 1], [16, 0]], ids=str)
def test_nothing_to_compare_is_zero(rng, sizes):
    """One class only, or nothing but singletons: no instance has both a hit and a miss."""
    values, class_start = problem(rng, sizes, 3)
    got, _ = both(values, class_start, [0, 2], np.arange(sum(sizes)))
    assert got == 0.0


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_levels", [None, 2, 16, 240, 250])
@pytest.mark.parametrize(("sizes", "n_selected"), [([300, 301], 40), ([40] * 15 + [1, 2], 9), ([512, 512, 5], 24)])
def test_same_bits_as_the_twin_where_samples_are_sieved(rng, sizes, n_selected, n_levels):
    """Many instances and features: most samples are ruled out by rounded distances, and the bits stay the same.
    Values that the rounding keeps exactly, and others; duplicates; classes across the spans of 512 samples."""
    values, class_start = problem(rng, sizes, n_selected, n_levels)
    values[:, sum(sizes) // 2] = values[:, 0]
    selected, instances = np.arange(n_selected), rng.integers(sum(sizes), size=500)
    got, ref = both(values, class_start, selected, instances)
    assert got == ref


@pytest.mark.parametrize(("n_selected", "n_instances"),
                         [(7, 300), (8, 131), (9, 150), (16, 150), (20, 140), (1030, 140)])
def test_same_bits_as_the_twin_in_several_passes(rng, n_selected, n_instances):
    """Not sieved, but more features, instances and samples than pass over each other at once."""
    values, class_start = problem(rng, [512, 512, 5], n_selected)
    got, ref = both(values, class_start, np.arange(n_selected), rng.integers(1029, size=n_instances))
    assert got == ref


def test_sieved_samples_in_one_point(rng):
    """All samples at the same place, and two places: every coarse distance is a tie."""
    values = np.full((30, 700), 0.3, dtype=np.float32)
    got, ref = both(values, starts([350, 350]), np.arange(30), rng.integers(700, size=200))
    assert got == ref == 0.0
    values[:, 200:500] = 0.7
    got, ref = both(values, starts([350, 350]), np.arange(30), rng.integers(700, size=200))
    assert got == ref


def test_singleton_classes_are_skipped_but_are_misses():
    """A class of one has no hit, so it is no instance that counts; for others it is the nearest miss."""
    values = np.array([[0.0, 0.25, 0.5]], dtype=np.float32)
    got, _ = both(values, starts([2, 1]), [0], [0, 1, 2])
    assert got == ((0.5 - 0.25) + (0.25 - 0.25)) / 2


def test_duplicates_are_hits():
    """Self is excluded by index, not by value: a copy of an instance is a hit at distance 0."""
    values = np.array([[0.5, 0.5, 1.0]], dtype=np.float32)
    got, _ = both(values, starts([2, 1]), [0], [0, 0, 1])
    assert got == 0.5


@pytest.mark.parametrize("n_samples", [15, 16, 17, 33])
def test_padding_is_never_a_neighbour(rng, n_samples):
    """Whatever stands in the padding, the result is the same."""
    values, class_start = problem(rng, [n_samples - 7, 7], 4)
    clean, dirty = pad(values), pad(values)
    dirty[:, n_samples:] = np.resize([0.5, np.nan, -9.0], dirty[:, n_samples:].shape)
    selected, instances = np.arange(4, dtype=np.int32), np.arange(n_samples, dtype=np.int32)
    assert relief.separability(dirty, *ranges(class_start), selected, instances) == relief.separability(
        clean, *ranges(class_start), selected, instances
    )


def test_features_left_out_do_not_matter(rng):
    """Only the selected rows are read."""
    values, class_start = problem(rng, [9, 12], 6)
    selected, instances = np.array([1, 4], dtype=np.int32), np.arange(21, dtype=np.int32)
    ref = relief.separability(pad(values[[1, 4]]), *ranges(class_start), np.array([0, 1], dtype=np.int32), instances)
    values[[0, 2, 3, 5]] = np.nan
    assert relief.separability(pad(values), *ranges(class_start), selected, instances) == ref


def test_inputs_stay_unchanged(rng):
    """Read-only arrays are accepted, and nothing is written to them."""
    values, class_start = problem(rng, [9, 9], 3)
    arrays = [pad(values), *ranges(class_start), np.arange(3, dtype=np.int32), np.arange(18, dtype=np.int32)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    relief.separability(*arrays)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hits_from": []}, "hits_from and hits_to must have an entry for each sample, got 0 and 10"),
        ({"hits_to": [10] * 9}, "hits_from and hits_to must have an entry for each sample, got 10 and 9"),
        ({"hits_from": [0] * 17, "hits_to": [17] * 17}, "values must have 32 columns, got 16"),
        ({"hits_from": [0, 0, 3] + [3] * 7}, r"hits of sample 2 must be .* in \[0, 10\) with 2 in it, got \[3, 10\)"),
        ({"hits_from": [0, -1] + [0] * 8}, r"hits of sample 1 must be .*, got \[-1, 10\)"),
        ({"hits_to": [10] * 9 + [9]}, r"hits of sample 9 must be .*, got \[0, 9\)"),
        ({"hits_to": [10] * 3 + [11] * 7}, r"hits of sample 3 must be .*, got \[0, 11\)"),
        ({"selected": []}, "selected and instances must not be empty, got 0 and 2 entries"),
        ({"instances": []}, "selected and instances must not be empty, got 1 and 0 entries"),
        ({"selected": [0, 3]}, r"selected must be in \[0, 3\), got 3"),
        ({"selected": [-1]}, r"selected must be in \[0, 3\), got -1"),
        ({"instances": [0, 10]}, r"instances must be in \[0, 10\), got 10"),
        ({"instances": [-1]}, r"instances must be in \[0, 10\), got -1"),
        ({"values": np.zeros((3, 10))}, "Buffer dtype mismatch"),
    ],
)
def test_bad_input_is_refused(change, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    arguments = {"hits_from": [0] * 10, "hits_to": [10] * 10, "selected": [1], "instances": [0, 9]}
    arguments = {name: np.array(value, dtype=np.int32) for name, value in arguments.items()}
    arguments["values"] = np.zeros((3, 16), dtype=np.float32)
    for name, value in change.items():
        arguments[name] = value if name == "values" else np.array(value, dtype=np.int32)
    with pytest.raises(ValueError, match=message):
        relief.separability(**arguments)
