"""The value objects: what they store, and how their parameters are checked."""

from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
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
    """The repr is the expression that made the object."""
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
    """A count is an integer from its lower limit to 2^31 - 1."""
    assert check_count("n", 2**31 - 1, 3) == 2**31 - 1
    for value, rule in ((2, ">= 3, got 2"), (2**31, "<= 2147483647, got 2147483648"),
                        (10**30, "<= 2147483647, got 1000")):
        with pytest.raises(ValueError, match=f"^n must be {rule}"):
            check_count("n", value, 3)


@pytest.mark.parametrize("value", ["abc", 3, None, iter([1]), (entry for entry in [1])])
def test_sequences_can_be_read_again(value):
    """Text is refused, and so is an iterator, as a parameter serves several fits."""
    assert check_sequence("x", (1, 2), "numbers") == check_sequence("x", np.array([1, 2]), "numbers") == [1, 2]
    with pytest.raises(TypeError, match="^x must be a sequence of numbers, got "):
        check_sequence("x", value, "numbers")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_check_number_refuses_what_is_not_finite(value):
    """Infinity and NaN are refused with or without a range."""
    with pytest.raises(ValueError, match="^x must be finite, got "):
        check_number("x", value, float)


@pytest.mark.parametrize("value", ["1", None, [1], True, np.True_, np.array([1])])
def test_check_number_refuses_what_is_no_number(value):
    """Booleans are refused, too."""
    with pytest.raises(TypeError, match="^x must be an? (number|integer), got "):
        check_number("x", value, int)


@pytest.mark.parametrize("value", ["c", 1, ["a"], np.array(["a", "b"]), None])
def test_check_choice_names_the_choices(value):
    """The value may be of any type, hashable or not."""
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
