"""Names of columns: find those that an argument of the command line means, and check names."""

from fnmatch import fnmatchcase

from moeliga.base.text import count, cut, first_of
from moeliga.cli.text_files import read_text


class AllBut(frozenset):
    """Names of the columns to keep, given in place of the names and patterns of columns to drop."""

    def respell(self, names):
        """Return names of columns, each replaced by the one in this set that differs only in spaces around it: list."""
        canonical = canonical_names(self.difference(names))
        return [name if name in self else canonical.get(name.strip(), name) for name in names]


def canonical_names(names, others=()):
    """Return a dict from each text that stands for a column to its name: the name itself, and the name without spaces
    around it, unless that text stands for two columns, or is the name of a column in `others`."""
    bare = {}
    for name in names:
        bare.setdefault(name.strip(), []).append(name)
    alone = {text: found[0] for text, found in bare.items() if len(found) == 1 and text not in others}
    return alone | {name: name for name in names}


def matching_names(where, texts, names, what="feature", others=()):
    """Return the names that match texts (names, patterns, both joined by commas, or @FILE), in the order of `names`.

    A text that is the name of a column in `others`, those that were left out, matches none of `names`. A ValueError
    names the text without a match; it begins with `where` and calls the columns `what`.
    """
    if isinstance(texts, AllBut):
        return [name for name in names if name not in texts]
    found, canonical = set(), canonical_names(names, others)
    for text in texts:
        lines = read_text(text[1:]).splitlines() if text.startswith("@") and text not in canonical else [text]
        for line in lines:
            hits = expand_pattern(line, names, canonical, others)
            found.update(hits)
            if not hits:  # several names and patterns
                for part in filter(None, map(str.strip, line.split(","))):
                    hits = expand_pattern(part, names, canonical, others)
                    found.update(hits)
                    if not hits:
                        check_known(where, [part], names, what)
    return [name for name in names if name in found]


def exact_names(texts, names):
    """Return the names that texts, as for `matching_names`, give literally (set of str): not by a pattern, and not in
    an @FILE, which may be a pipe that can be read only once."""
    canonical = canonical_names(names)
    parts = [part.strip() for text in texts for part in text.split(",")]
    return {canonical[text] for text in (*texts, *parts) if text and text in canonical}


def expand_pattern(text, names, canonical, others):
    """Return the names (list) that a text means: a key of `canonical`, or a pattern; none for a name in `others`."""
    if text in canonical:
        return [canonical[text]]
    if text in others:
        return []
    return [name for name in names if fnmatchcase(name, text) or fnmatchcase(name.strip(), text)]


def column_purposes(path, target, metadata):
    """Return a dict from the target and the columns of metadata to their purpose; raise ValueError for two purposes."""
    taken = {target: "target"}
    for what, column in metadata.items():
        if column in taken:
            raise ValueError(f"{path}: {column!r} must not be both the {taken[column]} and the {what}")
        taken[column] = what
    return taken


def check_names(path, names):
    """Raise ValueError unless the names of columns are distinct, each one line, and valid text."""
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
    """Raise ValueError for the first of the `chosen` names that is not in `names`."""
    known = set(names)
    for name in chosen:
        if name not in known:
            raise ValueError(f"{path}: no {what} is called {name!r}; {listed(names)}")


def listed(names, noun="column"):
    """Return the number of names and the first eight as text, for messages."""
    return f"{'there is' if len(names) == 1 else 'there are'} {count(len(names), noun)}: {first_of(map(cut, names), 8)}"
