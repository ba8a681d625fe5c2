"""Objectives II and III: what their parameters mean in numbers."""

import decimal
import re
from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_allclose

from moeliga import Cardinality, FeatureCost, Separability, Variation

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
    """It falls strictly, so the map changes no rank."""
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


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: Cardinality().values([1], 0), ValueError, "n_features must be >= 1, got 0"),
    (lambda: Cardinality().values([1], 2.5), TypeError, "n_features must be an integer, got 2.5"),
    (lambda: Cardinality().values(3, 10), ValueError, "n_selected must have one dimension, got shape ()"),
    (lambda: Cardinality(None).values(["a"], 10), TypeError, "n_selected[0] must be an integer, got 'a'"),
    (lambda: Cardinality().values([1, 2.9], 4), TypeError, "n_selected[0] must be an integer, got 1.0"),
    (lambda: Cardinality(None).values(["1", "2"], 4), TypeError, "n_selected[0] must be an integer, got '1'"),
    (lambda: Cardinality().values([np.nan], 4), TypeError, "n_selected[0] must be an integer, got nan"),
    (lambda: Cardinality().values([1, None], 4), TypeError, "n_selected[1] must be an integer, got None"),
    (lambda: Cardinality().values([True], 4), TypeError, "n_selected[0] must be an integer, got True"),
    (lambda: Cardinality().values([3, 9], 4), ValueError, "n_selected[1] must be in [0, 4], got 9"),
    (lambda: Cardinality().values(np.array([-1]), 4), ValueError, "n_selected[0] must be in [0, 4], got -1"),
    (lambda: Cardinality().values([2**70], 4), ValueError, f"n_selected[0] must be in [0, 4], got {2**70}"),
    (lambda: Cardinality(0).values([3], 10), ValueError, "cardinality.lambda_ must be > 0, got 0"),
    (lambda: FeatureCost().values([1.0], 0.0), ValueError, "total must be > 0, got 0.0"),
    (lambda: FeatureCost().values([1.0], "a"), TypeError, "total must be a number, got 'a'"),
    (lambda: FeatureCost().values(["a"], 1.0), TypeError, "costs[0] must be a number, got 'a'"),
    (lambda: FeatureCost().values([1, np.nan], 4), ValueError, "costs[1] must be finite, got nan"),
    (lambda: FeatureCost().values([np.inf], 4), ValueError, "costs[0] must be finite, got inf"),
    (lambda: FeatureCost().values([-0.5], 4), ValueError, "costs[0] must be in [0, 4], got -0.5"),
    (lambda: Separability(20).n_instances(0), ValueError, "n_samples must be >= 1, got 0"),
    (lambda: Separability().n_instances(2.5), TypeError, "n_samples must be an integer, got 2.5"),
    (lambda: Separability(2.5).n_instances(10), ValueError, "separability.samples must be in (0, 1], got 2.5"),
])
def test_bad_arguments_of_objectives_are_named(call, error, message):
    """Methods check their arguments, and the parameters too, which the constructor does not."""
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
