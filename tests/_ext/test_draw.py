"""The draw room: Philox4x64-10, addresses, splits, instances."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

import naive.draw
from moeliga._ext import draw

ONES = 2**64 - 1
PI = [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89]

# Random123, tests/kat_vectors, lines "philox4x64 10": counter, key, words
KNOWN_ANSWERS = [
    ([0] * 4, [0] * 2, [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]),
    ([ONES] * 4, [ONES] * 2, [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0]),
    (PI, [0x452821E638D01377, 0xBE5466CF34E90C6C],
     [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6]),
]

ADDRESSES = [
    (0, 0, 0, 0, 0),
    (1, 2, 3, 4, 5),
    (6, 2**40 + 7, 299, 89, draw.SAMPLE),
    (2**32 - 1, 2**64 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1),
]


def numpy_words(key, address, n):
    """The same stream by NumPy's Philox, which increments its counter before it draws a block."""
    purpose, population, generation, individual, test = address
    parts = [0, individual + (test << 32), generation + (purpose << 32), population]
    counter = sum(part << 64 * i for i, part in enumerate(parts))
    generator = np.random.Philox(counter=(counter - 1) % 2**256, key=int(key[0]) + (int(key[1]) << 64))
    return generator.random_raw(n)


def uniform(outcomes, n_outcomes):
    """Whether all of `n_outcomes` occur, equally often but for chance (one false alarm in a million)."""
    counts = Counter(outcomes)
    return len(counts) == n_outcomes and chisquare(list(counts.values())).pvalue > 1e-6


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_twin_gives_the_published_known_answers(counter, key, words):
    """The twin's Philox4x64-10 is the one of its authors."""
    assert naive.draw.philox(counter, key) == words


def test_first_block_of_the_null_address_is_the_published_one():
    """The kernel's Philox4x64-10 is the one of its authors, with nothing in between."""
    assert draw.words(np.zeros(2, np.uint64), (0, 0, 0, 0, 0), 4).tolist() == KNOWN_ANSWERS[0][2]


@pytest.mark.parametrize("address", ADDRESSES)
def test_words_equal_numpy_philox_at_the_same_counter(key, address):
    """A stream is NumPy's Philox with the address as its counter, over several blocks."""
    assert_array_equal(draw.words(key, address, 4003), numpy_words(key, address, 4003))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 21])
def test_words_equal_the_twin(key, address, n):
    """Twin and kernel give the same words, at the edges of blocks too."""
    stream = naive.draw.Stream(key, *address)
    assert draw.words(key, address, n).tolist() == [stream.word() for _ in range(n)]


def test_a_longer_stream_begins_with_the_shorter_one(key):
    """How much is drawn does not change what is drawn first."""
    assert_array_equal(draw.words(key, ADDRESSES[1], 100)[:37], draw.words(key, ADDRESSES[1], 37))


def test_every_part_of_an_address_opens_another_stream(key):
    """No two addresses or seeds share a word, not even where two parts change places."""
    addresses = [tuple(1 + 100 * (part == changed) for part in range(5)) for changed in range(6)]
    streams = [draw.words(key, address, 64) for address in addresses]
    streams += [draw.words(key ^ np.array(flip, np.uint64), addresses[5], 64) for flip in ([1, 0], [0, 1], [1, 1])]
    streams += [draw.words(key[::-1].copy(), addresses[5], 64)]
    assert len(np.unique(np.concatenate(streams))) == 64 * len(streams)


def test_units_equal_the_twin_and_lie_in_the_half_open_unit_interval(key):
    """A unit is the upper 53 bits of a word: never 1, and exact."""
    stream = naive.draw.Stream(key, *ADDRESSES[1])
    units = draw.units(key, ADDRESSES[1], 1000)
    assert units.tolist() == [stream.unit() for _ in range(1000)]
    assert units.min() >= 0 and units.max() < 1
    assert_array_equal(units, (draw.words(key, ADDRESSES[1], 1000) >> np.uint64(11)) * 2.0**-53)


def test_units_are_uniform(key):
    """Every twentieth of the unit interval is hit equally often."""
    assert uniform(np.floor(20 * draw.units(key, ADDRESSES[1], 100_000)).tolist(), 20)


@pytest.mark.parametrize("below", [1, 2, 3, 10, 20531, 2**32, 2**63 + 1, 2**64 - 1])
def test_integers_equal_the_twin(key, below):
    """Twin and kernel agree on bounded integers up to the largest bound, and keep the bound."""
    stream = naive.draw.Stream(key, *ADDRESSES[1])
    integers = draw.integers(key, ADDRESSES[1], below, 200).tolist()
    assert integers == [stream.below(below) for _ in range(200)]
    assert max(integers) < below


def test_integers_are_uniform(key):
    """Every number below 10 is drawn equally often."""
    assert uniform(draw.integers(key, ADDRESSES[1], 10, 100_000).tolist(), 10)


@pytest.mark.parametrize("sizes", [[1], [2], [1, 1, 1], [5, 7], [64, 63, 65, 1], [300, 4, 50]])
def test_split_equals_the_twin_and_has_exact_counts(key, rng, sizes):
    """Each class gives exactly the validation samples it is asked for, none and all included."""
    class_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    for test, n_validation in enumerate([np.zeros(len(sizes)), np.array(sizes), *rng.integers(0, sizes, (8, len(sizes)),
                                                                                              endpoint=True)]):
        n_validation = n_validation.astype(np.int32)
        address = (6, 0, 1, 2, test)
        marks = draw.split(key, address, class_start, n_validation)
        assert marks.dtype == np.uint8
        assert marks.tolist() == naive.draw.split(naive.draw.Stream(key, *address), class_start, n_validation)
        assert_array_equal(np.add.reduceat(marks, class_start[:-1]), n_validation)


def test_split_of_no_class_is_empty(key):
    """Without classes there is nothing to split."""
    assert draw.split(key, ADDRESSES[0], np.zeros(1, np.int32), np.zeros(0, np.int32)).shape == (0,)


def test_every_stratified_split_is_equally_likely(key):
    """C(4, 1) C(5, 2) splits, each as often as the others."""
    class_start, n_validation = np.array([0, 4, 9], np.int32), np.array([1, 2], np.int32)
    splits = [draw.split(key, (6, 0, 0, 0, i), class_start, n_validation).tobytes() for i in range(8000)]
    assert uniform(splits, math.comb(4, 1) * math.comb(5, 2))


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize(("n_samples", "n_instances"), [(1, 1), (2, 1), (2, 2), (63, 20), (64, 64), (65, 1)])
def test_instances_equal_the_twin(key, n_samples, n_instances, replace):
    """Twin and kernel draw the same instances in the same order."""
    instances = draw.instances(key, ADDRESSES[2], n_samples, n_instances, replace)
    assert instances.dtype == np.int32
    stream = naive.draw.Stream(key, *ADDRESSES[2])
    assert instances.tolist() == naive.draw.instances(stream, n_samples, n_instances, replace)


def test_instances_with_replacement_are_the_bounded_integers_of_the_stream(key):
    """With replacement there may be more instances than samples, in the order drawn."""
    instances = draw.instances(key, ADDRESSES[2], 7, 5000, True)
    assert_array_equal(instances, draw.integers(key, ADDRESSES[2], 7, 5000))
    assert uniform(instances.tolist(), 7)


def test_instances_without_replacement_ascend_and_every_set_is_equally_likely(key):
    """C(6, 3) sets, each as often as the others, and never a sample twice."""
    sets = [tuple(draw.instances(key, (6, 0, 0, i, draw.SAMPLE), 6, 3, False).tolist()) for i in range(8000)]
    assert all(a < b < c for a, b, c in sets)
    assert uniform(sets, math.comb(6, 3))


def test_inputs_may_be_read_only_and_stay_as_they_were(key):
    """A door reads its inputs only."""
    class_start, n_validation = np.array([0, 4, 9], np.int32), np.array([1, 2], np.int32)
    inputs = [key, class_start, n_validation]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    draw.words(key, ADDRESSES[0], 3)
    draw.split(key, ADDRESSES[0], class_start, n_validation)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


@pytest.mark.parametrize("door", [
    lambda seed, address: draw.words(seed, address, 1),
    lambda seed, address: draw.units(seed, address, 1),
    lambda seed, address: draw.integers(seed, address, 2, 1),
    lambda seed, address: draw.split(seed, address, np.array([0, 2], np.int32), np.array([1], np.int32)),
    lambda seed, address: draw.instances(seed, address, 2, 1, True),
])
def test_every_door_checks_seed_and_address(key, door):
    """A seed of the wrong length or type and an address that does not fit are refused."""
    with pytest.raises(ValueError, match=r"seed must have 2 words, got 3"):
        door(np.zeros(3, np.uint64), ADDRESSES[0])
    with pytest.raises(ValueError, match=r"dtype mismatch"):
        door(np.zeros(2, np.int64), ADDRESSES[0])
    with pytest.raises(ValueError, match=r"unpack"):
        door(key, (1, 2, 3))
    for part in range(5):
        for value in (-1, 2 ** (64 if part == 1 else 32)):
            with pytest.raises(OverflowError):
                door(key, tuple(value if i == part else 0 for i in range(5)))


@pytest.mark.parametrize(("call", "message"), [
    (lambda key: draw.words(key, ADDRESSES[0], -1), r"n must be >= 0, got -1"),
    (lambda key: draw.units(key, ADDRESSES[0], -2), r"n must be >= 0, got -2"),
    (lambda key: draw.integers(key, ADDRESSES[0], 5, -1), r"n must be >= 0, got -1"),
    (lambda key: draw.integers(key, ADDRESSES[0], 0, 1), r"below must be >= 1, got 0"),
    (lambda key: draw.instances(key, ADDRESSES[0], 0, 1, True), r"n_samples must be >= 1, got 0"),
    (lambda key: draw.instances(key, ADDRESSES[0], 5, 0, True), r"n_instances must be .*, got 0"),
    (lambda key: draw.instances(key, ADDRESSES[0], 5, 6, False),
     r"n_instances must be in \[1, 5\] without replacement, got 6"),
])
def test_numbers_out_of_range_are_refused(key, call, message):
    """The message gives the name, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call(key)


@pytest.mark.parametrize(("class_start", "n_validation", "message"), [
    ([0, 3], [1, 1], r"class_start must have 3 entries, got 2"),
    ([0, 3, 5], [1, 3], r"n_validation\[1\] must be in \[0, 2\], got 3"),
    ([0, 3, 5], [-1, 1], r"n_validation\[0\] must be in \[0, 3\], got -1"),
    ([0, 3, 2], [1, 0], r"n_validation\[1\] must be in \[0, -1\], got 0"),
    ([-2, 3], [1], r"class_start must begin with 0, got -2"),
    ([2, 3], [1], r"class_start must begin with 0, got 2"),
    ([-1], [], r"class_start must begin with 0, got -1"),
])
def test_split_refuses_classes_that_do_not_agree(key, class_start, n_validation, message):
    """Nothing that a kernel trusts is left unchecked, the first class's start included."""
    with pytest.raises(ValueError, match=message):
        draw.split(key, ADDRESSES[0], np.array(class_start, np.int32), np.array(n_validation, np.int32))
