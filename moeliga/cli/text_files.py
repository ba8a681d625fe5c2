"""Text of files, and the errors of libraries that read files."""

import bz2
import gzip
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path

OPENERS = {"": open, ".gz": gzip.open, ".bz2": bz2.open}
"""How a text file is opened, by the last suffix of its name."""


def read_text(path):
    """Return the text of a file, UTF-8 with or without a byte order mark, with its line ends as they are."""
    with open(path, newline="", encoding="utf-8-sig") as file, translate_errors(path, text=True):
        return file.read()


@contextmanager
def translate_errors(path, text=False):
    """Turn any error of a library that reads a file into a ValueError that names the file.

    Errors of the system, such as a file that is not there, stay what they are: only they name a file. With `text` the
    file is one of text, and the error says where it is not UTF-8.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        said = str(error) or type(error).__name__
        if isinstance(error, UnicodeDecodeError):
            said = f"not UTF-8 text, found the byte {error.object[error.start]:#04x}"
        if text and (isinstance(error, UnicodeDecodeError) or "UTF8" in said):  # the second as pyarrow has it
            said = utf8_problem(path) or said
        raise ValueError(f"{path}: {said}") from error


def utf8_problem(path):
    """Return where a file is not UTF-8, and what to do: str, or None if that is not found."""
    with suppress(EOFError, OSError, zlib.error), OPENERS.get(Path(path).suffix.lower(), open)(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return (f"not UTF-8 text, found the byte {line[error.start]:#04x} in line {number}; save the file as "
                        "UTF-8, which Excel calls CSV UTF-8")
    return None
