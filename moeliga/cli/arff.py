"""Reading ARFF, the text format of Weka and OpenML: nominal, sparse and quoted values, missing ones, comments.

scipy reads neither sparse rows nor text; other readers name no line and value. Grammar as in the format's description:
https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/
"""

import re

from moeliga.cli.cells import table_of_rows, text_file

NUMBERS = ("numeric", "real", "integer")
"""Types of numbers: their attributes have None in place of declared values, and text and dates have none of these."""

ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
SINGLE, DOUBLE = r"[^'\\]*+(?:\\.[^'\\]*+)*", r'[^"\\]*+(?:\\.[^"\\]*+)*'
"""What stands between quotes. Runs of characters give nothing back, and a group only where the match fails anyway: the
time is linear. Possessive groups would say the same in fewer signs, but had bugs in several versions of Python."""
QUOTED = f"'({SINGLE})'|\"({DOUBLE})\""
CELL = re.compile(rf"""\s*+(?:(?:{QUOTED})\s*+|([^\s,'"{{}}][^,{{}}]*+|))(?=,|\Z)""")
"""One value of a row, in quotes or bare, up to the comma or the end. No part gives back what it has taken: the time
grows with the length of a row, whatever is in it."""
PART = re.compile(rf"""[^,'"]*+(?:(?:'{SINGLE}'|"{DOUBLE}")[^,'"]*+)*(?=,|\Z)""")
"""What stands before a comma that is in no quotes, or before the end."""
NAME = re.compile(rf"""\s*+(?:{QUOTED}|([^\s'"{{}},][^\s]*+))(?=\s|\Z)\s*+""")


def read_arff(path, target, drop, metadata):
    """Read an ARFF file: features are attributes of numbers, or nominal ones whose values are.

    Every attribute may be the target or one of `metadata`, also text and dates. A value that a sparse row leaves out is
    0, or the first value of a nominal attribute, as the format has it. "?" is missing.

    Raises
    ------
    ValueError : naming the file, the line and the value, also for what is not read: relational attributes, weights of
        rows.
    """
    with text_file(path) as file:
        lines = ((f"{path}, line {number}", line.strip()) for number, line in enumerate(file, 1))
        lines = ((where, line) for where, line in lines if line and not line.startswith("%"))
        attributes = read_header(path, lines)
        rows = ((where, read_row(where, line, attributes)) for where, line in lines)
        return table_of_rows(path, [name for name, _ in attributes], rows, target, drop, metadata, markers=())


def read_header(path, lines):
    """Attributes before the data: list of (name, dict whose keys are the declared values, or None); see `NUMBERS`."""
    attributes = []
    for where, line in lines:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            if not attributes:
                raise ValueError(f"{where}: no attributes before @data")
            return attributes
        if keyword == "@attribute":
            attributes.append(read_attribute(where, line[len(keyword) :]))
        elif keyword != "@relation":
            raise ValueError(f"{where}: a line before @data must begin with @relation or @attribute, got {line!r}")
    raise ValueError(f"{path}: no line @data")


def read_attribute(where, text):
    """(name, declared values) of a declaration without its keyword."""
    found = NAME.match(text)
    if not found:
        raise ValueError(f"{where}: an attribute must have a name and a type, got {text.strip()!r}")
    name, kind = value_of(found), text[found.end() :].strip()
    if kind.startswith("{") and kind.endswith("}"):
        values = split(where, kind[1:-1])
        if None in values or "" in values:
            raise ValueError(f"{where}: the values of {name!r} must not be missing or empty, got {kind!r}")
        return name, dict.fromkeys(values)
    if kind.lower() in NUMBERS:
        return name, None
    if kind.lower() == "string" or re.match(r"date\b", kind, re.IGNORECASE):
        return name, {}
    raise ValueError(f"{where}: the type of {name!r} must be numeric, real, integer, string, date or a list "
                     f"{{of, values}}, got {kind!r}")


def read_row(where, line, attributes):
    """Values of a row, dense or sparse: list of str, None = missing."""
    if line.startswith("{"):
        if not line.endswith("}") or re.search(r"}\s*,\s*{[^{}]*}\Z", line):
            raise ValueError(f"{where}: a sparse row must end in }}, and weights of rows are not read, got {line!r}")
        return checked(where, read_sparse(where, line[1:-1], attributes), attributes)
    if re.search(r",\s*{[^{}]*}\Z", line):
        raise ValueError(f"{where}: weights of rows are not read, got {line!r}")
    if "," not in line and len(attributes) > 1 and not line.startswith(("'", '"')):
        line = ",".join(line.split())
    cells = split(where, line)
    return checked(where, cells, attributes) if len(cells) == len(attributes) else cells


def read_sparse(where, text, attributes):
    cells = [next(iter(values)) if values else "" if values is not None else "0" for _, values in attributes]
    last = -1
    for part in split_quoted(where, text):
        found = re.fullmatch(r"([0-9]{1,9})\s+(.*)", part.strip(), re.DOTALL)
        place, entry = (int(found[1]), split(where, found[2])) if found else (-1, [])
        if not last < place < len(cells) or len(entry) != 1:
            raise ValueError(f"{where}: an entry of a sparse row must be a place from {last + 1} to {len(cells) - 1} "
                             f"and a value, got {part.strip()!r}")
        cells[place] = entry[0]
        last = place
    return cells


def checked(where, cells, attributes):
    """`cells`, refused if a nominal value is not declared."""
    for (name, values), cell in zip(attributes, cells, strict=True):
        if values and cell is not None and cell not in values:
            raise ValueError(f"{where}: {name!r} must be one of its declared values, got {cell!r}")
    return cells


def split(where, text):
    """Values between commas: list of str without their quotes, None = missing."""
    cells = []
    for found in matches(CELL, where, text):
        missing = found[3] is not None and found[3].rstrip() == "?"
        cells.append(None if missing else value_of(found))
    return cells


def split_quoted(where, text):
    """Parts between commas that stand in no quotes, as they are; none of an empty text."""
    return [found[0] for found in matches(PART, where, text)] if text.strip() else []


def matches(pattern, where, text):
    """Matches of a pattern one after the other, from the beginning to the end, each before a comma."""
    place = 0
    while place <= len(text):
        found = pattern.match(text, place)
        if not found:
            raise ValueError(f"{where}: a value or its quote does not end, got {text[place:].strip()!r}")
        yield found
        place = found.end() + 1


def value_of(found):
    """The text of a match: what stands in its quotes, or bare."""
    if found[3] is not None:
        return found[3].rstrip()
    text = found[1] if found[1] is not None else found[2]
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text)
