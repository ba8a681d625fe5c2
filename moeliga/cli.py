"""The command line: moeliga demo, moeliga select, moeliga versions."""

import argparse
import hashlib
import math
import shlex
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split

from moeliga.cells import count
from moeliga.front import RULES
from moeliga.plan import PRESETS
from moeliga.results import FILES, results_folder, save_plot, write_results
from moeliga.selector import MOELIGASelector
from moeliga.settings import REPLACEMENTS
from moeliga.tables import read_table
from moeliga.tree import DecisionTreeClassifier
from moeliga.versions import show_versions, versions

SMALLEST_POPULATION = 21
"""20 individuals survive a generation: the elite and the generational gap."""

EARLY = {"interrupt": "Ctrl-C", "max_time": "--max-time", "max_evaluations": "--max-evaluations"}
"""What ends a search early, by `stop_reason_`."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message):
        self.exit(2, f"moeliga: error: {message}\n")


def number(kind, low):
    """A type of argument: an int or a float of at least `low`."""
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value < math.inf:
            what = "an integer" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"must be {what} of at least {low}, got {text!r}")
        return value
    return parse


def build_parser():
    """Options that are called like a parameter of the selector, and were given, become that parameter."""
    top = Parser(prog="moeliga", description="Multi-objective feature selection.")
    top.add_argument("--version", action="version", version=f"moeliga {versions()['moeliga']}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo", help="select features of a data set that ships with scikit-learn",
        description="Select features of the breast cancer data that ship with scikit-learn, and test them on samples "
        "that the search never sees. Takes about ten seconds.")
    demo.add_argument("--out", default="moeliga-demo", metavar="DIR",
                      help="folder for the plot: front.png or, where that exists, front-2.png and so on (default: "
                      "moeliga-demo)")
    demo.set_defaults(run=run_demo)
    select = commands.add_parser(
        "select", help="select features of a CSV or NPZ file", argument_default=argparse.SUPPRESS,
        description="Select features of a data set. Writes into DIR front.csv (the Pareto front, one row a member), "
        "selected.txt (the chosen features, one a line), history.csv (one row a generation), settings.json (what is "
        "needed to repeat the run) and, with matplotlib, front.png. Ctrl-C ends the search early and keeps the front "
        "so far; a second one aborts.")
    data = select.add_argument_group("data")
    data.add_argument("file", metavar="FILE", help=".csv, .tsv or .txt with a line of column names; or .npz with "
                      "arrays X and y, or X_train and y_train")
    data.add_argument("--target", default=None, metavar="NAME", help="column of the class labels (needed for CSV), or "
                      "array of them (NPZ; default: y or y_train)")
    data.add_argument("--drop", "--exclude", action="append", default=[], metavar="COLUMN",
                      help="a column that is not a feature, such as an identifier; may be given several times")
    data.add_argument("--separator", default=None, metavar="CHAR", help="what separates the values of a CSV file "
                      "(default: a comma; a tab in .tsv)")
    search = select.add_argument_group("search")
    search.add_argument("--preset", choices=PRESETS, default="default", help="the parameters to start from (default: "
                        "default)")
    search.add_argument("--generations", dest="n_generations", type=number(int, 0), metavar="N", help="default: 300")
    search.add_argument("--population", dest="population_size", type=number(int, SMALLEST_POPULATION), metavar="N",
                        help=f"default: 90; at least {SMALLEST_POPULATION}")
    search.add_argument("--n-splits", type=number(int, 1), metavar="N", help="validation splits for each evaluation "
                        "(default: 3)")
    search.add_argument("--local-improvement", choices=(*REPLACEMENTS, "none"), help="default: parent")
    search.add_argument("--max-time", type=number(float, 0), metavar="SECONDS", help="then begin no more generation")
    search.add_argument("--max-evaluations", type=number(int, 1), metavar="N", help="evaluate at most so many subsets")
    choice = select.add_argument_group("choice").add_mutually_exclusive_group()
    choice.add_argument("--rule", choices=RULES, help="how a member of the front is chosen (default: r1)")
    choice.add_argument("--n-features", type=number(int, 1), default=None, metavar="N",
                        help="choose the best member of N features, or else of the nearest smaller number")
    output = select.add_argument_group("output")
    output.add_argument("--out", required=True, metavar="DIR", help="folder for the results; new, or empty")
    output.add_argument("--force", action="store_true", default=False, help="replace the results in DIR")
    output.add_argument("--quiet", action="store_true", default=False, help="print errors only")
    select.set_defaults(run=run_select)
    for command in (demo, select):
        command.add_argument("--seed", dest="random_state", type=number(int, 0), default=0, metavar="S",
                             help="same seed, same result (default: 0)")
        command.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="threads; the result does not depend "
                             "on them (default: -1, all processors)")
    commands.add_parser("versions", help="print versions, for a bug report").set_defaults(
        run=lambda arguments: show_versions())
    return top


def main(argv=None):
    """Run a command; returns the exit status: 0, 2 for wrong usage or input, 130 after an interrupt."""
    argv = sys.argv[1:] if argv is None else argv
    with suppress(AttributeError):  # a stream in place of the standard one may not have it
        sys.stdout.reconfigure(errors="replace")
    arguments = build_parser().parse_args(argv)
    arguments.command = shlex.join(["moeliga", *argv])
    try:
        arguments.run(arguments)
        return 0
    except KeyboardInterrupt:
        print("moeliga: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except ValueError as error:
        message = " ".join(str(error).split())
    print(f"moeliga: error: {message}", file=sys.stderr)
    return 2


def fit(selector, X, y, names):
    """Fit without pandas: the front gets the names here. Returns it."""
    front = selector.fit(X, y).pareto_front_
    front.feature_names = names
    return front


def ended(selector):
    """How the search ended, in a sentence."""
    generations, seconds = selector.history_["generation"][-1], selector.history_["seconds"][-1]
    text = f"{count(generations, 'generation')}, {selector.n_evaluations_:,} subsets evaluated, {seconds:.1f} s"
    early = EARLY.get(selector.stop_reason_)
    return f"Stopped early by {early} after {text}." if early else f"{text}."


def run_demo(arguments):
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.3, stratify=data.target,
                                            random_state=arguments.random_state)
    print(f"Breast cancer data of scikit-learn: {len(data.data)} samples, {X.shape[1]} features, 2 classes.\n"
          f"{len(X_test)} samples are held out, stratified by class; the search sees the other {len(X)}.\n", flush=True)
    selector = MOELIGASelector(random_state=arguments.random_state, n_jobs=arguments.n_jobs, verbose=1)
    front = fit(selector, X, y, data.feature_names)
    print(f"\n{ended(selector)}\n\nPareto front, with UAR ± standard error on {selector.n_rescore_splits} validation "
          f"splits of the {len(X)} samples:\n")
    print("\n".join(front_table(front, selector.index_)))
    print(f"\n* chosen by rule {selector.rule!r}: {', '.join(front.features(selector.index_))}")
    print(f"\nDecision tree on the {len(X_test)} held-out samples, ± standard error (so few cannot tell small "
          "differences):\n")
    for name, mask in (("chosen", selector.support_), ("all", np.ones(X.shape[1], dtype=bool))):
        uar, error = held_out_uar(X[:, mask], y, X_test[:, mask], y_test)
        print(f"  {name:>6} {mask.sum():4d} features   UAR {uar:.3f} ± {error:.3f}")
    names = ("front.png", *(f"front-{i}.png" for i in range(2, 10_000)))
    path = next(folder / name for name in names if not (folder / name).exists())
    problem = save_plot(selector, path)
    print(f"\nNo plot: {problem}" if problem else f"\nPlot of the front: {path}")


def held_out_uar(X, y, X_test, y_test):
    """UAR of a tree on held-out rows, and its standard error: a mean of binomial shares."""
    tree = DecisionTreeClassifier(max_depth=100).fit(X, y)
    recalls = recall_score(y_test, tree.predict(X_test), average=None)
    sizes = np.unique(y_test, return_counts=True)[1]
    return recalls.mean(), np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(sizes)


def front_table(front, chosen, width=None):
    """The front as aligned lines, the lists of features cut to the width of the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns if width is None else width
    separability = front.objectives[:, front.names.index("separability")]
    lines = ["  size            UAR  separability     R1  features"]
    for i in range(len(front)):
        mark = "*" if i == chosen else " "
        line = (f"{mark} {front.n_selected[i]:4d}  {front.score[i]:.3f} ± {front.score_se[i]:.3f}  "
                f"{separability[i]:12.3f}  {front.r1[i]:5.3f}  ")
        lines.append(line + shorten(front.features(i), width - len(line)))
    return lines


def shorten(names, width):
    """As many of the names as fit into the width, but at least one, and how many more there are."""
    for shown in range(len(names), 0, -1):
        text = ", ".join(names[:shown]) + (f", + {len(names) - shown}" if shown < len(names) else "")
        if len(text) <= width:
            break
    return text


def run_select(arguments):
    selector = build_selector(vars(arguments))
    table = read_table(arguments.file, arguments.target, drop=arguments.drop, separator=arguments.separator)
    with open(arguments.file, "rb") as file:
        facts = {"command": arguments.command, "file": arguments.file, "seed": arguments.random_state,
                 "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    n_classes = len(np.unique(table.y))
    say = (lambda text: None) if arguments.quiet else print
    say(f"{arguments.file}: {count(len(table.X), 'sample')}, {count(table.X.shape[1], 'feature')}, "
        f"{n_classes} class{'es' if n_classes > 1 else ''}.")
    with results_folder(arguments.out, arguments.force) as folder:
        front = fit(selector, table.X, table.y, table.feature_names)
        how = f" by rule {selector.rule!r}"
        if arguments.n_features is not None:
            size = nearest_size(front, arguments.n_features)
            selector.select(n_features=size)
            how = "" if size == arguments.n_features else f", as no member has {arguments.n_features}"
        problem = write_results(folder, selector, facts)
    if selector.stop_reason_ == "interrupt":
        print(ended(selector), file=sys.stderr)
    else:
        say(ended(selector))
    chosen = selector.index_
    error = f" ± {front.score_se[chosen]:.3f}" if np.isfinite(front.score_se[chosen]) else ""
    smallest, largest = front.n_selected[[0, -1]]
    sizes = count(largest, "feature") if smallest == largest else f"{smallest} to {largest} features"
    say(f"Pareto front: {count(len(front), 'subset')} of {sizes}.\n"
        f"Chosen{how}: {count(front.n_selected[chosen], 'feature')}, UAR {front.score[chosen]:.3f}{error} on "
        f"validation splits of these samples; expect less on others.\n"
        f"Written to {arguments.out}: {', '.join(FILES[:-1] if problem else FILES)}.")
    if problem:
        say(f"No plot: {problem}")


def build_selector(options):
    """The selector that the options of `moeliga select` ask for."""
    known = MOELIGASelector().get_params(deep=False)
    parameters = {name: value for name, value in options.items() if name in known}
    if parameters.get("local_improvement") == "none":
        parameters["local_improvement"] = None
    selector = MOELIGASelector.from_preset(options["preset"], verbose=0 if options["quiet"] else 1, **parameters)
    if selector.rule == "one_se" and selector.n_rescore_splits < 2:
        raise ValueError(f"--rule one_se needs standard errors, which the preset {options['preset']!r} does not give")
    if selector.max_evaluations is not None and selector.max_evaluations < selector.population_size:
        raise ValueError(f"--max-evaluations must be at least {selector.population_size}, the size of the population, "
                         f"got {selector.max_evaluations}")
    return selector


def nearest_size(front, n_features):
    """The largest size on the front that is not above `n_features`; the smallest size if all are above."""
    sizes = front.n_selected
    return int(max(sizes[sizes <= n_features], default=sizes[0]))
