"""The program `moeliga`: its commands, their errors and exit statuses."""

import argparse
import errno
import json
import os
import shlex
import sys
import traceback
from contextlib import suppress

from moeliga.base.signals import Terminated, terminable
from moeliga.base.text import STEERING, visible
from moeliga.base.versions import show_versions, versions
from moeliga.cli.demo import run_demo
from moeliga.cli.options import add_options, with_option_names
from moeliga.cli.run_folder import read_results
from moeliga.cli.select import (
    BROKEN_PIPE,
    FAILURE,
    INTERRUPT,
    OK,
    TERMINATED,
    USAGE,
    mute,
    run_select,
    warnings_as_lines,
)
from moeliga.cli.values import number
from moeliga.results.files import write_file
from moeliga.results.rules import RULES
from moeliga.results.text import BY_OPTION, facts, front_lines, result_lines
from moeliga.visualisation.report import report_of

STORAGE_ERRORS = (errno.ENOSPC, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no quota
"""Errors of the disk: no other command line would have avoided them, so the exit status is FAILURE."""


class Parser(argparse.ArgumentParser):
    """A parser without abbreviated options, whose errors are one line."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message):
        self.exit(USAGE, f"moeliga: error: {visible(message)}\n")


def build_parser():
    """Return the parser of all commands."""
    top = Parser(prog="moeliga", description="Multi-objective feature selection. The exit status is 0 after success, "
                 "1 after a failure, 2 for wrong usage or input, 130 after Ctrl-C, 141 where nobody reads the "
                 "output any more, 143 after SIGTERM.")
    top.add_argument("--version", action="version", version=f"moeliga {versions()['moeliga']}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo", help="select features of a data set that ships with scikit-learn",
        description="Select pixels of the handwritten digits that ship with scikit-learn, and test them on rows that "
        "the search never sees. Takes about a minute.")
    demo.add_argument("--out", default="moeliga-demo", metavar="DIR",
                      help="folder for the plot: front.png or, where that exists, front-2.png and so on (default: "
                      "moeliga-demo)")
    demo.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="threads; the result does not depend on them "
                      "(default: -1, all processors)")
    demo.add_argument("--seed", type=number(int, 0), default=0, metavar="S", help="same seed, same result (default: 0)")
    demo.set_defaults(run=run_demo)
    select = commands.add_parser(
        "select", help="select features of a data file",
        description="Select features of a data set. Writes into DIR front.csv and front.json (the Pareto front, one "
        "row a member), selected.txt (the chosen features, one a line), history.csv (one row a generation), "
        "settings.json (what is needed to repeat the run), report.html and, with matplotlib, front.png. Ctrl-C and "
        "SIGTERM end the search early, or the scores of held-out rows, write what there is, and exit with status 130 "
        "or 143; a second one aborts.")
    add_options(select)
    select.set_defaults(run=run_select)
    show = commands.add_parser(
        "show", help="print the results in a folder, choose again, write the report",
        description="Print what moeliga select has written into RUN: the front, the chosen subset, how the run ended. "
        "Options choose another member of the front, without searching again; the folder stays as it is.")
    show.add_argument("folder", metavar="RUN", help="folder that moeliga select has written")
    show.add_argument("--rule", choices=RULES, help="choose again by a rule; not with --index or --n-features")
    show.add_argument("--n-features", type=number(int, 1), metavar="N", help="the best member of N features")
    show.add_argument("--max-features", type=number(int, 1), metavar="N", help="a member of at most N features")
    show.add_argument("--max-cost", type=number(float, 0), metavar="X", help="a member of at most this total cost")
    show.add_argument("--index", type=number(int, 0), metavar="I", help="the member at this place of the front, from 0")
    show.add_argument("--json", action="store_true", help="print JSON, for scripts")
    show.add_argument("--html", metavar="FILE", help="write the report, with this choice, and print at most the JSON")
    show.add_argument("--force", action="store_true", help="replace the file of --html")
    show.set_defaults(run=run_show)
    commands.add_parser("versions", help="print versions, for a bug report").set_defaults(
        run=lambda arguments: show_versions())
    return top


def main(argv=None):
    """Run a command; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell has closed it, or the process has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    with suppress(AttributeError):  # the caller may have replaced the stream by one without this method
        sys.stdout.reconfigure(errors="replace")
    arguments = build_parser().parse_args(argv)
    arguments.command, arguments.searched = shlex.join(["moeliga", *argv]), False
    try:
        with terminable():
            status = arguments.run(arguments) or OK
            sys.stdout.flush()
            return status
    except KeyboardInterrupt as error:
        print("moeliga: interrupted", file=sys.stderr)
        return TERMINATED if isinstance(error, Terminated) else INTERRUPT
    except BrokenPipeError:  # a reader of the output, such as head, has stopped reading
        mute()
        return BROKEN_PIPE
    except OSError as error:
        status = FAILURE if error.errno in STORAGE_ERRORS else USAGE
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (argparse.ArgumentTypeError, ImportError, TypeError, ValueError) as error:
        status, message = USAGE, with_option_names(" ".join(str(error).split()))
    except Exception as error:
        lines = [*traceback.format_exc().splitlines(), f"moeliga: failed: {type(error).__name__}: {error}"]
        print(*map(visible, lines), sep="\n", file=sys.stderr)
        return FAILURE
    print(f"moeliga: error: {visible(message)}", file=sys.stderr)
    return FAILURE if arguments.searched else status  # after a search the input was not wrong


def run_show(arguments):
    """Run the command `moeliga show`."""
    for option, given in (("--index", arguments.index), ("--n-features", arguments.n_features)):
        if arguments.rule is not None and given is not None:
            raise ValueError(f"--rule cannot be combined with {option}, which chooses without a rule")
    record = read_results(arguments.folder).with_choice(
        arguments.rule, n_features=arguments.n_features, max_features=arguments.max_features,
        max_cost=arguments.max_cost, index=arguments.index)
    if arguments.html is not None:
        name = os.path.basename(record.settings.get("file", ""))
        if os.path.exists(arguments.html) and not arguments.force:
            raise ValueError(f"{arguments.html} exists; choose another name, or replace it with --force")
        with warnings_as_lines():
            text = report_of(record, f"Feature selection: {name}")
        write_file(arguments.html, text.encode(errors="backslashreplace"), overwrite=True)
    if arguments.json:
        text = json.dumps(facts(record), indent=2, ensure_ascii=False)
        if STEERING.search(text.replace("\n", "")):  # a terminal must see escapes
            text = json.dumps(facts(record), indent=2)
        print(text)
    elif arguments.html is None:
        lines = [*front_lines(record), "", record.ended(BY_OPTION), *result_lines(record), "",
                 *record.front.features(record.chosen)]
        print(*map(visible, lines), sep="\n")
