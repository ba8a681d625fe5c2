"""Text of files, and the errors of libraries that read files."""

from contextlib import contextmanager


def read_text(path):
    """Return the text of a file, UTF-8 with or without a byte order mark, with its line ends as they are."""
    with open(path, newline="", encoding="utf-8-sig") as file, library(path):
        return file.read()


@contextmanager
def library(path):
    """Turn any error of a library that reads a file into a ValueError that names the file.

    Errors of the system, such as a file that is not there, stay what they are: only they name a file.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text, found the byte {error.object[error.start]:#04x}") from error
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise ValueError(f"{path}: {error or type(error).__name__}") from error
