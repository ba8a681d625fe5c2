"""What options of several scripts have in common: numbers, folders with a build, and data sets that must be there."""

import argparse
from pathlib import Path


def positive(text):
    """An integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def build_folder(text):
    """Absolute path of a folder that holds the package."""
    folder = Path(text).resolve()
    if not (folder / "moeliga" / "__init__.py").is_file():
        raise argparse.ArgumentTypeError(f"must be a folder that holds moeliga/__init__.py, got {folder}")
    return folder


def sets_of(parser, asked, known, at_hand):
    """Names of the data sets to go on with: those asked for, else all known ones, as far as they are at hand.

    Says which are not; ends the script where nobody knows a name, or none is left.

    Parameters
    ----------
    parser : ArgumentParser
    asked : list of str
    known, at_hand : collections of str
        What is at hand need not be known.
    """
    for name in asked:
        if name not in known and name not in at_hand:
            parser.error(f"there is no set {name!r}; at hand: {', '.join(sorted(at_hand))}")
    left_out = [name for name in asked or known if name not in at_hand]
    if left_out:
        print(f"left out, because they are not at hand: {', '.join(left_out)}", flush=True)
    found = [name for name in asked or known if name in at_hand]
    if not found:
        parser.error("none of the sets is at hand; see MOELIGA_DATA")
    return found
