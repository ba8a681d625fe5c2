"""The tables of docs/first-form.md: those of the comparison with other methods, and those of the variants."""

from functools import partial

from paper.pages import competitors, variants


class Rows:
    """The results of a folder.

    Attributes
    ----------
    compared : competitors.Rows
    searches : variants.Rows
    """

    def __init__(self, folder):
        self.compared, self.searches = competitors.Rows(folder), variants.Rows(folder)


def of(part, table, found):
    """A table of one of the two."""
    return table(getattr(found, part))


TABLES = {**{name: partial(of, "compared", table) for name, table in competitors.TABLES.items()},
          **{name: partial(of, "searches", table) for name, table in variants.TABLES.items()}}
"""By the names in the page."""
