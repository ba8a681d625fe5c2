"""Small pieces of text that several floors show."""

from moeliga.base.typing import Integer, Number


def count(n: Integer, noun: str) -> str:
    """Return "1 feature" or "2 features": a number and what is counted."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def duration(seconds: Number) -> str:
    """Seconds as a short text.

    Examples
    --------
    >>> from moeliga.base.text import duration
    >>> duration(3.21), duration(119), duration(7000), duration(200_000)
    ('3 s', '2 min', '1.9 h', '2.3 d')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86_400 else f"{seconds / 86_400:.1f} d"
