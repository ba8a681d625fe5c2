"""Decimal arithmetic that is the same on every machine."""

from decimal import ROUND_HALF_EVEN, Context, DivisionByZero, InvalidOperation, localcontext
from fractions import Fraction


def decimals(digits):
    """Return a context of decimal arithmetic with `digits` digits, whatever the caller's own context is.

    Numbers beyond its range become infinite or 0.
    """
    return localcontext(Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999_999_999, Emax=999_999, clamp=0,
                                traps=[DivisionByZero, InvalidOperation]))


def as_written(number):
    """Return the decimal number that a float prints as: Fraction. 0.1 is exactly 1/10."""
    return Fraction(repr(float(number)))
