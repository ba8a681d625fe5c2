"""Decimal arithmetic that is the same on every machine."""

from decimal import ROUND_HALF_EVEN, Context, DivisionByZero, InvalidOperation, localcontext


def decimals(digits):
    """Context of decimal arithmetic with so many digits, in which numbers beyond its range are infinite or 0: the same
    on every machine, and whatever the caller's own context is."""
    return localcontext(Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999_999_999, Emax=999_999, clamp=0,
                                traps=[DivisionByZero, InvalidOperation]))
