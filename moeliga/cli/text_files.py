"""Read text files, and translate the errors of libraries that read files."""

import bz2
import gzip
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path

OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open}
"""Functions that open a text file, by the last suffix of its name."""


def read_text(path):
    """Return the text of a UTF-8 file, without a byte order mark and with unchanged line ends."""
    with open(path, newline="", encoding="utf-8-sig") as file, translate_errors(path, text=True):
        return file.read()


@contextmanager
def translate_errors(path, text=False):
    """Turn any error of a library that reads a file into a ValueError that names the file.

    An OSError that names a file, such as one for a missing file, stays as it is. With `text` the file must be text, and
    the error says in which line it is not UTF-8.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        said = str(error) or type(error).__name__
        if isinstance(error, UnicodeDecodeError):
            said = f"not UTF-8 text, found the byte {error.object[error.start]:#04x}"
        if text and (isinstance(error, UnicodeDecodeError) or "UTF8" in said):  # pyarrow raises an error of its own
            said = utf8_problem(path) or said
        raise ValueError(f"{path}: {said}") from error


def utf8_problem(path):
    """Return a text on the first line of a file that is not UTF-8, and on what to do; None if there is no such line."""
    with suppress(EOFError, OSError, zlib.error), OPENERS.get(Path(path).suffix.lower(), open)(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return (f"not UTF-8 text, found the byte {line[error.start]:#04x} in line {number}; save the file as "
                        "UTF-8, which Excel calls CSV UTF-8")
    return None
