"""The bits room: packing, counting, lifting."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive.bits
from moeliga._ext import bits

N_FEATURES = [1, 63, 64, 65, 321, 20531]


@pytest.fixture(params=N_FEATURES)
def masks(rng, request):
    """Random masks, the empty and the full one among them."""
    masks = rng.random((7, request.param)) < rng.random((7, 1))
    masks[0], masks[1] = False, True
    return masks


def pack(masks):
    return bits.pack(np.ascontiguousarray(masks).view(np.uint8))


def test_pack_equals_the_twin(masks):
    """Bit f % 64 of word f // 64 is feature f, and all padding is 0."""
    assert pack(masks).tolist() == naive.bits.pack(masks.tolist())


def test_unpack_inverts_pack(masks):
    """A mask survives the round trip, as bool."""
    got = bits.unpack(pack(masks), masks.shape[1])
    assert got.dtype == np.bool_
    assert_array_equal(got, masks)
    assert naive.bits.unpack(pack(masks), masks.shape[1]) == masks.tolist()


def test_padding_is_zero(masks):
    """A full chromosome has exactly n_features bits."""
    n_features = masks.shape[1]
    full = pack(np.ones((1, n_features), np.bool_))[0].tolist()
    assert sum(word << 64 * i for i, word in enumerate(full)) == 2**n_features - 1


def test_pack_takes_any_nonzero_byte_as_selected():
    """A mask of uint8 need not be 0 and 1."""
    assert_array_equal(bits.pack(np.array([[0, 1, 2, 128, 255]], np.uint8)), [[0b11110]])


def test_unpack_leaves_padding_aside():
    """Bits beyond n_features are no features."""
    assert bits.unpack(np.array([[2**64 - 1]], np.uint64), 3).tolist() == [[True] * 3]


def test_count_equals_the_twin(masks):
    """The number of selected features, from none to all."""
    got = bits.count(pack(masks))
    assert got.dtype == np.int32
    assert got.tolist() == naive.bits.count(masks.tolist())


def test_hamming_equals_the_twin(masks):
    """Distances are symmetric, 0 on the diagonal, and count differing features."""
    got = bits.hamming(pack(masks))
    assert got.dtype == np.int32
    assert got.tolist() == naive.bits.hamming(masks.tolist())


@pytest.mark.parametrize("k", [1, 2, 63, 64, 65, 321])
@pytest.mark.parametrize("n_features", [321, 20531])
def test_lift_equals_the_twin(rng, k, n_features):
    """Position j of a short chromosome becomes feature features[j]; nothing else is selected."""
    features = np.sort(rng.choice(n_features, k, replace=False)).astype(np.int32)
    short = rng.random((5, k)) < 0.5
    short[0], short[1] = False, True
    got = bits.lift(pack(short), features, n_features)
    assert bits.unpack(got, n_features).tolist() == naive.bits.lift(short.tolist(), features, n_features)
    assert_array_equal(got, pack(bits.unpack(got, n_features)))  # padding is 0
    assert_array_equal(bits.count(got), bits.count(pack(short)))


def test_lift_over_all_features_changes_nothing(masks):
    """The template of all features is the identity."""
    packed = pack(masks)
    assert_array_equal(bits.lift(packed, np.arange(masks.shape[1], dtype=np.int32), masks.shape[1]), packed)


def test_lift_follows_features_that_do_not_ascend():
    """The order of `features` is the caller's."""
    assert_array_equal(bits.lift(np.array([[0b01], [0b10]], np.uint64), np.array([70, 3], np.int32), 100),
                       [[0, 1 << 6], [1 << 3, 0]])


@pytest.mark.parametrize("n_features", N_FEATURES)
def test_an_empty_population_stays_empty(n_features):
    """No chromosome in, no chromosome out."""
    n_words = -(-n_features // 64)
    none = bits.pack(np.zeros((0, n_features), np.uint8))
    assert none.shape == (0, n_words)
    assert bits.unpack(none, n_features).shape == (0, n_features)
    assert bits.count(none).shape == (0,)
    assert bits.hamming(none).shape == (0, 0)
    assert bits.lift(none, np.arange(n_features, dtype=np.int32), n_features).shape == (0, n_words)


def test_inputs_may_be_read_only_and_stay_as_they_were(rng):
    """A door reads its inputs only."""
    masks, features = (rng.random((3, 65)) < 0.5).view(np.uint8), np.arange(65, dtype=np.int32)
    packed = bits.pack(masks)
    inputs = [masks, packed, features]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    bits.pack(masks), bits.unpack(packed, 65), bits.count(packed), bits.hamming(packed), bits.lift(packed, features, 70)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


def test_another_dtype_is_refused(rng):
    """Words are uint64, masks uint8, features int32."""
    words = np.zeros((2, 1), np.uint64)
    for call in (lambda: bits.pack(np.zeros((2, 3))), lambda: bits.count(words.view(np.int64)),
                 lambda: bits.lift(words, np.zeros(3, np.int64), 3)):
        with pytest.raises(ValueError, match="dtype mismatch"):
            call()


@pytest.mark.parametrize(("call", "message"), [
    (lambda words: bits.pack(np.zeros((2, 0), np.uint8)), r"n_features must be >= 1, got 0"),
    (lambda words: bits.unpack(words, 0), r"n_features must be >= 1, got 0"),
    (lambda words: bits.unpack(words, -64), r"n_features must be >= 1, got -64"),
    (lambda words: bits.unpack(words, 64), r"bits must have 1 words a row for 64 features, got 2"),
    (lambda words: bits.unpack(words, 129), r"bits must have 3 words a row for 129 features, got 2"),
    (lambda words: bits.lift(words, np.arange(64, dtype=np.int32), 100), r"bits must have 1 words a row .*, got 2"),
    (lambda words: bits.lift(words, np.arange(0, dtype=np.int32), 100), r"n_features must be >= 1, got 0"),
    (lambda words: bits.lift(words, np.arange(65, dtype=np.int32), 0), r"n_features must be >= 1, got 0"),
    (lambda words: bits.lift(words, np.arange(65, dtype=np.int32), 64), r"features must be in \[0, 64\), got 64"),
    (lambda words: bits.lift(words, np.arange(-1, 64, dtype=np.int32), 64), r"features must be in \[0, 64\), got -1"),
    (lambda words: bits.lift(words, np.arange(65, dtype=np.int32), 65),
     r"bits must have no bit at or beyond 65, got one in row 1"),
])
def test_shapes_and_features_that_do_not_agree_are_refused(call, message):
    """The message gives the name, the rule and the value; a bit in the padding would read beyond `features`."""
    with pytest.raises(ValueError, match=message):
        call(np.array([[1, 0], [0, 2]], np.uint64))


@pytest.mark.parametrize("n_features", [1, 2, 64, 130])
def test_expand_equals_the_twin(rng, n_features):
    """Groups of any sizes, empty ones too, forced features, and any choice of positions."""
    for _ in range(5):
        n_groups = int(rng.integers(1, 80))
        group = rng.integers(n_groups, size=n_features)
        group[rng.random(n_features) < 0.2] = n_groups  # in no group
        groups = [np.flatnonzero(group == g).tolist() for g in range(n_groups)]
        start = np.concatenate(([0], np.cumsum([len(members) for members in groups]))).astype(np.int32)
        members = np.array(sum(groups, []), dtype=np.int32)
        forced = rng.random(n_features) < 0.1
        positions = np.sort(rng.choice(n_groups, rng.integers(1, n_groups + 1), replace=False)).astype(np.int32)
        masks = rng.random((6, len(positions))) < 0.4
        got = bits.expand(pack(masks), positions, start, members, pack(forced[None])[0], n_features)
        ref = naive.bits.expand(masks.tolist(), positions.tolist(), groups, forced.tolist())
        assert got.tolist() == naive.bits.pack(ref)


def test_total_equals_the_twin(rng, masks):
    """Bit for bit: the order of the additions is fixed."""
    n_features = masks.shape[1]
    values = rng.random(n_features + 3) * 10.0 ** rng.integers(-8, 8, size=n_features + 3)
    features = np.sort(rng.choice(n_features + 3, n_features, replace=False)).astype(np.int32)
    got = bits.total(pack(masks), features, values)
    assert got.tolist() == naive.bits.total(masks.tolist(), features.tolist(), values.tolist())


@pytest.mark.parametrize(("change", "message"), [
    ({"bits": np.array([[4]], np.uint64)}, r"bits must have no bit at or beyond 2, got one in row 0"),
    ({"bits": np.array([[1, 0]], np.uint64)}, r"bits must have 1 words a row for 2 features, got 2"),
    ({"positions": [0, 3]}, r"positions must be in \[0, 3\), got 3"),
    ({"start": [0, 2, 1, 4]}, r"start must ascend, got 1 after 2"),
    ({"start": [0, 1, 2, 3]}, r"start must run from 0 to 4, the number of members"),
    ({"start": [0]}, r"start must run from 0 to 4, the number of members"),
    ({"members": [0, 1, 2, 5]}, r"members must be in \[0, 5\), got 5"),
    ({"forced": np.array([32], np.uint64)}, r"forced must have no bit at or beyond 5"),
    ({"forced": np.array([0, 0], np.uint64)}, r"bits must have 1 words a row for 5 features, got 2"),
])
def test_expand_checks_its_arguments(change, message):
    """The message gives the name, the rule and the value."""
    given = {"bits": np.array([[3]], np.uint64), "positions": [0, 2], "start": [0, 1, 2, 4], "members": [0, 1, 2, 4],
             "forced": np.array([8], np.uint64)}
    asked = {name: np.array(value, np.int32) if isinstance(value, list) else value for name, value in
             {**given, **change}.items()}
    with pytest.raises(ValueError, match=message):
        bits.expand(*asked.values(), 5)
    assert bits.expand(*(np.array(value, np.int32) if isinstance(value, list) else value for value in given.values()),
                       5).tolist() == [[0b11101]]


def test_total_checks_its_arguments():
    """A position beyond the values, words that do not fit, and padding."""
    packed = np.array([[3]], np.uint64)
    with pytest.raises(ValueError, match=r"features must be in \[0, 2\), got 2"):
        bits.total(packed, np.array([0, 2], np.int32), np.ones(2))
    with pytest.raises(ValueError, match=r"bits must have 2 words a row for 65 features, got 1"):
        bits.total(packed, np.arange(65, dtype=np.int32), np.ones(65))
    with pytest.raises(ValueError, match=r"bits must have no bit at or beyond 1, got one in row 0"):
        bits.total(packed, np.array([0], np.int32), np.ones(2))


@pytest.mark.parametrize("n", [0, 1, 2, 40])
@pytest.mark.parametrize("n_features", [1, 64, 65, 321])
def test_same_as_equals_the_twin(rng, n, n_features):
    """Rows that differ in one bit anywhere are told apart, in the first word as in the last."""
    masks = rng.random((max(1, n // 4), n_features)) < 0.5
    masks = np.concatenate((masks, masks ^ (np.arange(n_features) == rng.integers(n_features))))
    masks = masks[rng.integers(len(masks), size=n)].reshape(n, n_features)
    for last in (False, True):
        got = bits.same_as(pack(masks), last)
        assert got.dtype == np.int32
        assert got.tolist() == naive.bits.same_as(masks.tolist(), last)


def test_same_as_tells_words_from_their_places():
    """A word that moves is another chromosome, and an empty one equals its like only."""
    rows = np.zeros((5, 3), np.uint64)
    rows[1, 0] = rows[2, 1] = rows[4, 0] = 7
    assert bits.same_as(rows).tolist() == [0, 1, 2, 0, 1]
    assert bits.same_as(rows, last=True).tolist() == [3, 4, 2, 3, 4]


def test_same_as_takes_rows_without_a_word_for_equal():
    """Nothing tells them apart."""
    rows = np.zeros((3, 0), np.uint64)
    assert bits.same_as(rows).tolist() == [0, 0, 0] and bits.same_as(rows, last=True).tolist() == [2, 2, 2]
