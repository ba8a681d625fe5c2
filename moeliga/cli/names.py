"""Names of columns: which of them a text of the command line means, and what must hold of them."""

from fnmatch import fnmatchcase

from moeliga.base.text import count, cut, first_of
from moeliga.cli.text_files import read_text


class AllBut(frozenset):
    """In place of names and patterns of columns to drop: all columns but these, whatever they hold."""

    def respell(self, names):
        """Return names of columns, spelled as here where they differ in spaces around them only: list."""
        canonical = canonical_names(self.difference(names))
        return [name if name in self else canonical.get(name.strip(), name) for name in names]


def canonical_names(names, others=()):
    """Return dict from what a column may be called to its name: the name, or without spaces around it if one has it.

    The names of `others` mean these.
    """
    bare = {}
    for name in names:
        bare.setdefault(name.strip(), []).append(name)
    alone = {text: found[0] for text, found in bare.items() if len(found) == 1 and text not in others}
    return alone | {name: name for name in names}


def matching_names(where, texts, names, what="feature", others=()):
    """Return the names that match texts (names, patterns, both joined by commas, or @FILE), in the order of the data.

    A ValueError that begins with `where` names a text without a match; `what` says what was looked for. The names of
    `others`, columns that were left out, mean these.
    """
    if isinstance(texts, AllBut):
        return [name for name in names if name not in texts]
    found, canonical = set(), canonical_names(names, others)
    for text in texts:
        lines = read_text(text[1:]).splitlines() if text.startswith("@") and text not in canonical else [text]
        for line in lines:
            hits = expand_pattern(line, names, canonical, others)
            for part in [] if hits else filter(None, map(str.strip, line.split(","))):
                hits = expand_pattern(part, names, canonical, others)
                if not hits:
                    check_known(where, [part], names, what)
                found.update(hits)
            found.update(hits)
    return [name for name in names if name in found]


def exact_names(texts, names):
    """Return the names that texts, as for `matching_names`, hold as they are: set of str.

    Not by a pattern, and not in a file, which may be a pipe that can be read once.
    """
    canonical = canonical_names(names)
    parts = [part.strip() for text in texts for part in text.split(",")]
    return {canonical[text] for text in (*texts, *parts) if text and text in canonical}


def expand_pattern(text, names, canonical, others):
    """Return the names that a name, as in `canonical_names`, or a pattern stands for: list."""
    if text in canonical:
        return [canonical[text]]
    if text in others:
        return []
    return [name for name in names if fnmatchcase(name, text) or fnmatchcase(name.strip(), text)]


def column_purposes(path, target, metadata):
    """Return the purpose of each column that is no feature: dict; raise ValueError for a column with two purposes."""
    taken = {target: "target"}
    for what, column in metadata.items():
        if column in taken:
            raise ValueError(f"{path}: {column!r} must not be both the {taken[column]} and the {what}")
        taken[column] = what
    return taken


def check_names(path, names):
    """Raise ValueError for names of columns that are duplicates, not one line, or not valid text."""
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path}: two columns are called {cut(name)!r}")
        if name.splitlines() != [name]:
            raise ValueError(f"{path}: the name of a column must be one line, got {cut(name)!r}")
        if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
            raise ValueError(f"{path}: the name of a column must be text that UTF-8 can hold, without null characters, "
                             f"got {cut(name)!r}")
        seen.add(name)


def check_known(path, chosen, names, what):
    """Raise ValueError for a chosen name that is not among `names`."""
    known = set(names)
    for name in chosen:
        if name not in known:
            raise ValueError(f"{path}: no {what} is called {name!r}; {listed(names)}")


def listed(names, noun="column"):
    """Return the number of names and the first of them, for messages."""
    return f"{'there is' if len(names) == 1 else 'there are'} {count(len(names), noun)}: {first_of(map(cut, names), 8)}"
