"""Changes to the bytes of a file, drawn from a generator: the same ones for the same seed, on every machine."""

import re

INTERESTING = (0, 1, 0x0A, 0x22, 0x27, 0x2C, 0x7F, 0x80, 0xFF)
"""Bytes at which formats change their minds."""

LONGEST = 20_000
"""Most bytes of a changed file."""


def mutated(rng, seeds, tokens):
    """One of the seeds, changed in one to four ways.

    Parameters
    ----------
    rng : random.Random
    seeds : list of bytes
    tokens : list of bytes

    Returns
    -------
    data : bytes, at most `LONGEST` of them or as many as the longest seed has
    """
    data = rng.choice(seeds)
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(WAYS)(rng, data, seeds, tokens)[: max(LONGEST, *map(len, seeds))]
    return data


def span(rng, data):
    """A piece of the data: (begin, end), short ones as a rule."""
    begin = rng.randint(0, len(data))
    return begin, min(len(data), begin + rng.choice((1, 2, 4, 8, 40, len(data))))


def flip_bit(rng, data, seeds, tokens):
    if not data:
        return data
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def set_byte(rng, data, seeds, tokens):
    begin, _ = span(rng, data)
    return data[:begin] + bytes([rng.choice(INTERESTING)]) + data[begin + 1 :]


def cut_short(rng, data, seeds, tokens):
    return data[: rng.randint(0, len(data))]


def leave_out(rng, data, seeds, tokens):
    begin, end = span(rng, data)
    return data[:begin] + data[end:]


def repeat(rng, data, seeds, tokens):
    begin, end = span(rng, data)
    times = min(rng.choice((2, 3, 50, 5000)), LONGEST // max(1, end - begin))
    return data[:begin] + data[begin:end] * times + data[end:]


def insert(rng, data, seeds, tokens):
    place = rng.randint(0, len(data))
    return data[:place] + rng.choice(tokens) * rng.choice((1, 1, 1, 2, 1000)) + data[place:]


def overwrite(rng, data, seeds, tokens):
    place, token = rng.randint(0, len(data)), rng.choice(tokens)
    return data[:place] + token + data[place + len(token) :]


def splice(rng, data, seeds, tokens):
    other = rng.choice(seeds)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def move(rng, data, seeds, tokens):
    begin, end = span(rng, data)
    rest, place = data[:begin] + data[end:], rng.randint(0, len(data) - (end - begin))
    return rest[:place] + data[begin:end] + rest[place:]


def other_number(rng, data, seeds, tokens):
    """A number in the text becomes another one."""
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", data))
    if not found:
        return data
    begin, end = rng.choice(found).span()
    number = rng.choice((b"0", b"-1", b"1e999", b"9" * 30, b"9" * 5000, b"0.5", b"-0.0", b"nan", b'"1"', b"[1]",
                         b"null"))
    return data[:begin] + number + data[end:]


WAYS = (flip_bit, set_byte, cut_short, leave_out, repeat, insert, overwrite, splice, move, other_number)
