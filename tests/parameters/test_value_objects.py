"""The value objects: what their parameters mean in numbers."""

import decimal
import math
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, chisquare, kstest
from sklearn.base import clone

from moeliga import (
    MOGA,
    Cardinality,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.base.checks import check_choice, check_count, check_number, check_sequence
from moeliga.base.random_streams import seed_words
from moeliga.parameters.initialisation import grown
from moeliga.parameters.variation import binomial_limits

KINDS = [StaggeredInit, LogUniformInit, Variation, FeaturePrior, FitnessSharing, LocalImprovement, Cardinality,
         Separability]


# all of them


@pytest.mark.parametrize("kind", KINDS)
def test_constructors_only_store(kind):
    """clone, get_params and set_params work with any values; nothing is checked before `validate`."""
    names = list(kind().get_params())
    setting = kind(**dict.fromkeys(names, object))
    assert setting.get_params() == dict.fromkeys(names, object)
    assert clone(setting).get_params() == setting.get_params()
    assert kind().set_params(**{names[0]: 5}).get_params()[names[0]] == 5
    with pytest.raises((TypeError, ValueError)):
        setting.validate()


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_are_valid(kind):
    """validate says nothing, and changes nothing."""
    setting = kind()
    before = setting.get_params()
    assert setting.validate() is None
    assert setting.get_params() == before


@pytest.mark.parametrize("kind", KINDS)
def test_repr_can_be_evaluated(kind):
    """What is printed is what was written."""
    assert repr(eval(repr(kind()))) == repr(kind())


# checks


@pytest.mark.parametrize(("value", "low", "high", "closed", "rule"), [
    (0, 1, None, "both", ">= 1"),
    (1, 1, None, "neither", "> 1"),
    (0, 1, 3, "both", "in [1, 3]"),
    (4, 1, 3, "both", "in [1, 3]"),
    (1, 1, 3, "right", "in (1, 3]"),
    (3, 1, 3, "left", "in [1, 3)"),
    (3, 1, 3, "neither", "in (1, 3)"),
])
def test_check_number_refuses_what_is_out_of_range(value, low, high, closed, rule):
    """Integers and floats alike; the message is name, rule and value."""
    numbers = (value, int), (float(value), float), (np.float32(value), np.floating), (Fraction(value), Fraction)
    for number, kind in numbers:
        with pytest.raises(ValueError) as caught:
            check_number("depth", number, kind, low, high, closed)
        assert str(caught.value) == f"depth must be {rule}, got {number!r}"


@pytest.mark.parametrize("closed", ["both", "left", "right", "neither"])
def test_check_number_gives_back_what_is_in_range(closed):
    """Ends belong to the range as `closed` says."""
    assert check_number("x", 2, int, 1, 3, closed) == 2
    if closed in ("both", "left"):
        assert check_number("x", 1, int, 1, 3, closed) == 1
    if closed in ("both", "right"):
        assert check_number("x", 3, int, 1, 3, closed) == 3
    assert check_number("x", 10**400, int, 1) == 10**400
    with pytest.raises(ValueError, match="^x must be finite, got 1000"):
        check_number("x", 10**400, Real)


def test_counts_are_those_of_the_kernels():
    """An integer from the least to 2^31 - 1."""
    assert check_count("n", 2**31 - 1, 3) == 2**31 - 1
    for value, rule in ((2, ">= 3, got 2"), (2**31, "<= 2147483647, got 2147483648"),
                        (10**30, "<= 2147483647, got 1000")):
        with pytest.raises(ValueError, match=f"^n must be {rule}"):
            check_count("n", value, 3)


@pytest.mark.parametrize("value", ["abc", 3, None, iter([1]), (entry for entry in [1])])
def test_sequences_can_be_read_again(value):
    """No text, and nothing that is used up: parameters serve many fits."""
    assert check_sequence("x", (1, 2), "numbers") == check_sequence("x", np.array([1, 2]), "numbers") == [1, 2]
    with pytest.raises(TypeError, match="^x must be a sequence of numbers, got "):
        check_sequence("x", value, "numbers")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_check_number_refuses_what_is_not_finite(value):
    """With or without a range."""
    with pytest.raises(ValueError, match="^x must be finite, got "):
        check_number("x", value, float)


@pytest.mark.parametrize("value", ["1", None, [1], True, np.True_, np.array([1])])
def test_check_number_refuses_what_is_no_number(value):
    """Booleans are no numbers here."""
    with pytest.raises(TypeError, match="^x must be an? (number|integer), got "):
        check_number("x", value, int)


@pytest.mark.parametrize("value", ["c", 1, ["a"], np.array(["a", "b"]), None])
def test_check_choice_names_the_choices(value):
    """Whatever was given instead, hashable or not."""
    with pytest.raises(ValueError, match=r"^kind must be one of \('a', 'b'\), got "):
        check_choice("kind", value, {"a": 1, "b": 2})


def test_resolved_takes_short_forms_and_objects():
    """A short form stands for its object; an object for itself, once it is checked; None for none."""
    assert repr(MOGA(sharing="niche").resolved("sharing")) == "FitnessSharing(mode='niche')"
    assert MOGA(sharing=None).resolved("sharing") is None
    assert MOGA(sharing=FitnessSharing(sigma=1)).resolved("sharing").sigma == 1
    with pytest.raises(ValueError, match="^survival.sharing.sigma must be > 0, got 0$"):
        MOGA(sharing=FitnessSharing(sigma=0)).resolved("sharing", "survival.")
    rule = "^sharing must be None, 'cluster', 'niche', 'mean_distance' or a FitnessSharing, got "
    for other in ("nich", 3, FitnessSharing, LocalImprovement(), []):
        with pytest.raises(ValueError, match=rule):
            MOGA(sharing=other).resolved("sharing")


def test_resolved_takes_objects_of_several_classes():
    """Each is checked; a message names all."""
    for mine in (LogUniformInit(2), StaggeredInit(spread=0.5)):
        assert repr(MOELIGASelector(init=mine).resolved("init")) == repr(mine)
    with pytest.raises(ValueError, match="^init.smallest must be >= 1, got 0$"):
        MOELIGASelector(init=LogUniformInit(0)).resolved("init")
    rule = "^init must be 'log_uniform', 'staggered', a LogUniformInit or a StaggeredInit, got 3$"
    with pytest.raises(ValueError, match=rule):
        MOELIGASelector(init=3).resolved("init")


def test_resolved_has_python_s_integers():
    """NumPy's of eight bits would overflow in a product; the user's own object is not changed."""
    mine = LocalImprovement(n_populations=np.int8(100))
    found = MOELIGASelector(local_improvement=mine).resolved("local_improvement")
    assert (type(found.n_populations), found.n_populations) == (int, 100)
    assert type(mine.n_populations) is np.int8


# StaggeredInit


def test_the_paper_s_population_has_50_27_and_13_individuals():
    """P = 90: 55 %, 30 % and 15 %, with 3 %, 15 % and 35 % of the features, exactly."""
    counts = StaggeredInit().counts(90, 1000, None)
    assert counts.tolist() == [30] * 50 + [150] * 27 + [350] * 13


@pytest.mark.parametrize(("population_size", "parts"), [(1, [1, 0, 0]), (2, [1, 1, 0]), (10, [6, 3, 1]),
                                                        (100, [55, 30, 15]), (91, [50, 27, 14])])
def test_parts_follow_the_cumulative_fractions(population_size, parts):
    """Every end is rounded, halves up, in exact arithmetic: no individual is lost or counted twice."""
    counts = StaggeredInit().counts(population_size, 1000, None)
    assert [np.count_nonzero(counts == k) for k in (30, 150, 350)] == parts


@pytest.mark.parametrize(("n_features", "sizes"), [(1, {1}), (3, {1}), (10, {1, 2, 4}), (50, {2, 8, 18}),
                                                   (90, {3, 14, 32})])
def test_sizes_are_rounded_halves_up_and_at_least_one(n_features, sizes):
    """0.15 x 50 = 7.5 is 8, 0.35 x 10 = 3.5 is 4, as written and not as stored in binary."""
    assert set(StaggeredInit().counts(90, n_features, None).tolist()) == sizes


def test_other_fractions_and_rates():
    """Any number of parts."""
    assert StaggeredInit((0.25, 0.75), (0.5, 1.0)).counts(8, 6, None).tolist() == [3, 3] + [6] * 6
    assert StaggeredInit((1.0,), (1e-9,)).counts(3, 10, None).tolist() == [1] * 3
    assert StaggeredInit((0.0, 1.0), (0.5, 0.1)).counts(3, 10, None).tolist() == [1] * 3


def test_spread_draws_normal_numbers_and_clips_them(seed):
    """Sizes follow Normal(rate F, s F), rounded; they stay in [1, F] and depend on the seed alone."""
    init, words = StaggeredInit((1.0,), (0.5,), spread=0.05), seed_words(seed)
    counts = init.counts(2000, 10_000, words)
    assert kstest((counts - 5000) / 500, "norm").pvalue > 1e-6
    assert_array_equal(counts, init.counts(2000, 10_000, words))
    assert_array_equal(counts[:100], init.counts(100, 10_000, words))
    assert np.any(counts != init.counts(2000, 10_000, seed_words(seed + 1)))
    wide = StaggeredInit(spread=2.0).counts(500, 10, words)
    assert set(wide.tolist()) >= {1, 10}
    assert wide.min() == 1
    assert wide.max() == 10


# LogUniformInit


@pytest.mark.parametrize(("init", "n_features", "low", "high"), [
    (LogUniformInit(), 300, 1, 100), (LogUniformInit(3, 0.1), 1000, 3, 100), (LogUniformInit(5, 0.01), 100, 5, 5),
    (LogUniformInit(7, 0.5), 4, 4, 4), (LogUniformInit(1, 1.0), 9, 1, 9), (LogUniformInit(1, 0.5), 3, 1, 2),
])
def test_log_uniform_sizes_have_their_law(seed, init, n_features, low, high):
    """P(k) = ln((k + 1) / k) / ln((high + 1) / low), from the smallest to the largest; chi-squared with 10^-6."""
    counts = init.counts(4000, n_features, seed_words(seed))
    assert counts.dtype == np.int64 and low <= counts.min() and counts.max() <= high
    sizes = np.arange(low, high + 1)
    share = np.log1p(1 / sizes) / np.log((high + 1) / low)
    assert_allclose(share.sum(), 1)
    if low < high:
        assert chisquare(np.bincount(counts, minlength=high + 1)[low:], 4000 * share).pvalue > 1e-6


@pytest.mark.parametrize(("low", "high"), [(1, 2), (1, 101), (7, 1001), (3, 700_000)])
def test_log_uniform_sizes_are_those_of_exact_powers(low, high):
    """Where the power is nearly a whole number, and anywhere else."""
    wholes = np.linspace(low, high, 40).astype(int)
    units = np.log(wholes / low) / np.log(high / low)
    units = np.concatenate((units, np.nextafter(units, 0), np.nextafter(units, 1), units * 0.999, [0.0, 0.5]))
    with localcontext(Context(prec=60)):
        for unit in units.clip(0, 1 - 2**-53).tolist():
            exact = low * ((Decimal(high) / low).ln() * Decimal(unit)).exp()
            assert grown(low, high, unit) == int(exact.to_integral_value(ROUND_FLOOR))


def test_log_uniform_sizes_depend_on_the_seed_and_the_place_alone(seed):
    """Not on how many there are."""
    init, words = LogUniformInit(), seed_words(seed)
    counts = init.counts(50, 1000, words)
    assert_array_equal(counts, init.counts(50, 1000, words))
    assert_array_equal(counts[:10], init.counts(10, 1000, words))
    assert np.any(counts != init.counts(50, 1000, seed_words(seed + 1)))
    assert len(init.counts(0, 1000, words)) == 0


def test_largest_is_rounded_as_it_is_written():
    """Halves up: 0.15 x 50 = 7.5 is 8."""
    words = seed_words(0)
    assert LogUniformInit(8, 0.15).counts(20, 50, words).tolist() == [8] * 20
    assert LogUniformInit(7, 0.15).counts(200, 50, words).max() == 8


# Variation


def test_exponential_schedule_falls_from_ten_to_a_tenth():
    """start (end / start)^(g / G): equal factors, the ends exactly."""
    rates = [Variation(schedule="exponential").rate(g, 100) for g in range(101)]
    assert (rates[0], rates[50], rates[100]) == (10.0, 1.0, 0.1)
    assert_allclose(rates, 10.0 * 0.01 ** (np.arange(101) / 100), rtol=1e-14)


def test_any_schedule_and_none():
    """(start, end) may rise too; without a schedule the rate is constant."""
    assert [Variation(schedule=(1, 4)).rate(g, 2) for g in range(3)] == [1.0, 2.0, 4.0]
    assert [Variation(mutation_rate=3).rate(g, 2) for g in range(3)] == [3.0] * 3


def test_flip_limits_are_those_of_the_binomial_law():
    """"bit": Binomial(F, rate / F); a rate above F flips every bit; "chromosome": at most one flip."""
    assert_array_equal(Variation().flip_limits(1, 9, 50), binomial_limits(50, 0.15 / 50))
    assert_array_equal(Variation(schedule="exponential").flip_limits(9, 9, 50), binomial_limits(50, 0.1 / 50))
    assert Variation(mutation_rate=7.0).flip_limits(1, 9, 5).tolist() == [0] * 5
    assert Variation(mutation_rate=0.0).flip_limits(1, 9, 5).tolist() in ([], [2**64 - 1] * 5)
    assert_array_equal(Variation(mutation="chromosome", mutation_rate=0.25).flip_limits(1, 9, 50), [3 * 2**62])


@pytest.mark.parametrize("n", [1, 2, 10, 65, 1000])
@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.15, 0.5, 0.97])
def test_binomial_limits_equal_scipy_s_distribution(n, p):
    """limits[i] / 2^64 = P(number <= i); what is missing at the end is 1 within 2^-64."""
    limits = binomial_limits(n, p)
    assert limits.dtype == np.uint64
    assert len(limits) <= n
    assert np.all(limits[1:] >= limits[:-1])
    assert_allclose(limits / 2.0**64, binom.cdf(np.arange(len(limits)), n, p), rtol=1e-9, atol=1e-15)
    if len(limits) < n:
        assert binom.sf(len(limits) - 1, n, p) < 1e-15


@pytest.mark.parametrize(("n", "p"), [(3, 0.5), (7, 0.25), (20, 0.125)])
def test_binomial_limits_are_exact_to_the_last_bit_but_one(n, p):
    """For probabilities that are binary fractions: 2^64 P(number <= i) in exact arithmetic, less one at most."""
    exact, total = [], Fraction(0)
    for i in range(n):
        total += math.comb(n, i) * Fraction(p) ** i * (1 - Fraction(p)) ** (n - i)
        exact.append(math.floor(total * 2**64))
    limits = binomial_limits(n, p).tolist()
    assert all(right - limit in (0, 1) for limit, right in zip(limits, exact[: len(limits)], strict=True))
    assert all(limit >= 2**64 - 1 for limit in exact[len(limits):])


def test_few_limits_are_kept_where_few_flips_are_expected():
    """The table is as long as what can happen, not as F."""
    assert len(binomial_limits(100_000, 1.5e-6)) < 40
    assert not binomial_limits(10, 0.15).flags.writeable


# Cardinality


def reference(lambda_, gamma, n_features, n_selected):
    """1 / (1 + exp(-lambda (CR + gamma))) to 60 digits, from the power series of exp."""
    with decimal.localcontext() as context:
        context.prec = 80
        x = Decimal(repr(lambda_)) * (Decimal(n_features - n_selected) / n_features + Decimal(repr(gamma)))
        term = total = Decimal(1)
        halved = -x / 1024
        for i in range(1, 80):
            term *= halved / i
            total += term
        return float(1 / (1 + total**1024))


@pytest.mark.parametrize("n_features", [1, 7, 90, 16063])
@pytest.mark.parametrize(("lambda_", "gamma"), [(0.5, 0.0), (0.1, 2.0), (20.0, -1.0), (3.0, 0.3)])
def test_cr_lambda_is_correctly_rounded(n_features, lambda_, gamma):
    """Every size, to the last bit; and as NumPy's exp has it, within rounding."""
    sizes = np.unique(np.linspace(0, n_features, 40).astype(int))
    got = Cardinality(lambda_, gamma).values(sizes, n_features)
    assert got.tolist() == [reference(lambda_, gamma, n_features, int(k)) for k in sizes]
    ratio = (n_features - sizes) / n_features
    assert_allclose(got, 1 / (1 + np.exp(-lambda_ * (ratio + gamma))), rtol=0, atol=1e-15)


@pytest.mark.parametrize("cardinality", [Cardinality(), Cardinality(None), Cardinality(20.0, -1.0)])
def test_objective_two_falls_with_every_feature(cardinality):
    """Strictly: it changes no rank."""
    assert np.all(np.diff(cardinality.values(np.arange(201), 200)) < 0)


def test_plain_cr_is_the_share_of_features_left_out():
    """lambda_=None; any shape of input, repeated sizes too."""
    assert Cardinality(None).values([0, 1, 5, 5, 10], 10).tolist() == [1.0, 0.9, 0.5, 0.5, 0.0]
    assert Cardinality().values([], 10).shape == (0,)
    assert Cardinality().values([5, 1, 5], 10).tolist() == [Cardinality().values([k], 10)[0] for k in (5, 1, 5)]


def test_extreme_maps_saturate():
    """An exponential beyond every number gives 0 or 1, not an error."""
    assert Cardinality(1e9, -1.0).values([1, 9], 10).tolist() == [0.0, 0.0]
    assert Cardinality(1e9, 1.0).values([1, 9], 10).tolist() == [1.0, 1.0]
    assert Cardinality(1.0, -1e300).values([1], 10).tolist() == [0.0]


def test_numbers_do_not_depend_on_the_caller_s_decimal_context():
    """A coarse context of the caller's own changes nothing."""
    with decimal.localcontext() as context:
        context.prec = 3
        context.traps[decimal.Inexact] = False
        assert Cardinality(0.7).values([3], 7)[0] == reference(0.7, 0.0, 7, 3)
        assert Variation(schedule=(3.0, 7.0)).rate(1, 3) == pytest.approx(3 * (7 / 3) ** (1 / 3), rel=1e-15)


# Separability


@pytest.mark.parametrize(("samples", "n_samples", "n_instances"), [
    (0.3, 10, 3), (0.3, 11, 4), (0.3, 1, 1), (1.0, 7, 7), (1e-9, 7, 1), (0.1, 30, 3), (0.7, 10, 7), (5, 7, 5),
    (7, 7, 7), (0.07, 100, 7), (0.55, 20, 11),
])
def test_instances_are_a_number_or_a_share_rounded_up(samples, n_samples, n_instances):
    """ceil(samples n) of the number as it is written: 0.07 x 100 is 7, not 7.000000000000001."""
    for replace in (True, False):
        assert Separability(samples, replace).n_instances(n_samples) == n_instances


def test_more_instances_than_samples_need_replacement():
    """Without it the message tells how many there are."""
    assert Separability(9, True).n_instances(7) == 9
    with pytest.raises(ValueError, match="^separability.samples must be <= 7, the number of samples, without "
                                         "replacement, got 9$"):
        Separability(9, False).n_instances(7)


def test_one_is_an_instance_and_one_point_zero_is_all():
    """An integer is a number, a float is a share."""
    assert Separability(1).n_instances(50) == 1
    assert Separability(1.0).n_instances(50) == 50
    assert Separability(np.int64(2)).n_instances(50) == 2
    assert Separability(np.float64(0.5)).n_instances(50) == 25
