"""The command `moeliga select`: from a data file to a folder of results."""

import hashlib
import os
import re
import shlex
import signal
import sys
import warnings
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import replace

import numpy as np
from sklearn.base import is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga.base.budget import Budget
from moeliga.base.signals import Stopping, stop_on
from moeliga.base.text import count, first_of, visible
from moeliga.cli.feature_files import resolve_names
from moeliga.cli.files import read_table
from moeliga.cli.names import AllBut
from moeliga.cli.options import configure, parameters_of
from moeliga.cli.run_folder import FILES, check_no_input_replaced, results_folder, write_results
from moeliga.data.missing import Incomplete, describe_columns
from moeliga.data.one_hot import Encoding
from moeliga.data.problem import unlike_labels
from moeliga.evaluation.held_out import held_out_scores
from moeliga.evaluation.warning_tally import Tally
from moeliga.results.front import renamed
from moeliga.results.rules import NoLoss
from moeliga.results.run_record import Record
from moeliga.results.text import BY_OPTION, result_lines
from moeliga.selector import MOELIGASelector
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor, estimator_or_tree

OK, FAILURE, USAGE, INTERRUPT, BROKEN_PIPE, TERMINATED = 0, 1, 2, 130, 141, 143
"""Exit statuses: USAGE for a wrong command line or wrong input, FAILURE for any other error, INTERRUPT after Ctrl-C,
TERMINATED after SIGTERM."""

DATA_FILE = re.compile(r"\.(csv|tsv|txt|parquet|arff|npz)(\.gz|\.bz2)?$", re.IGNORECASE)
"""Ends of the names of data files."""

STATUS_BY_REASON = {"interrupt": INTERRUPT, "SIGTERM": TERMINATED}
"""Exit statuses after signals that end the search with a result, by the `stop_reason_` that they set."""


def run_select(arguments):
    """Run `moeliga select` and return the exit status: that of a signal, if one came before all files were written."""
    if arguments.file is None:  # --drop takes all words after it, so the last may be FILE
        if not (arguments.drop and (os.path.exists(arguments.drop[-1]) or DATA_FILE.search(arguments.drop[-1]))):
            raise ValueError("the following arguments are required: FILE")
        arguments.file = arguments.drop.pop()
    check_no_input_replaced(arguments.out, shlex.split(arguments.command))
    given = parameters_of(arguments)
    if arguments.scale:
        given["estimator"] = scaled(given.get("estimator"), arguments)
    selector = build_selector(given, arguments)  # errors of options come before large data are read
    metadata = {name: getattr(arguments, name) for name in ("groups", "sample_weight")
                if getattr(arguments, name) is not None}
    regression = is_regressor(estimator_or_tree(selector.estimator))
    table, test = read_tables(arguments, metadata, regression)
    encoded = {column: table.encoding.names(column) for column in table.encoding.values} if table.encoding else {}
    given, shown = resolve_names(given, table.feature_names.tolist(), table.left_out, encoded)
    configure(selector, given)
    if not regression and (found := unlike_labels(table.y)):
        raise ValueError(f"{arguments.file}: the target must hold class labels, got {found}; for a continuous target "
                         "give --estimator moeliga.RandomForestRegressor or another regressor, for classes write text")
    facts = facts_of(arguments, table, test)
    n_classes = len(np.unique(table.y))
    kind = "a continuous target" if regression else f"{n_classes} class{'es' if n_classes > 1 else ''}"
    say = (lambda *lines: None) if arguments.quiet else print_lines
    say(f"{arguments.file}: {count(len(table.X), 'sample')}, {count(table.X.shape[1], 'feature')}, "
        f"{kind}.", *table.notes)
    record, problem, status = search_and_write(selector, table, test, arguments, facts, shown)
    if selector.stop_reason_ in STATUS_BY_REASON:
        status = STATUS_BY_REASON[selector.stop_reason_]
        print(record.ended(BY_OPTION), file=sys.stderr)
    else:
        say(record.ended(BY_OPTION))
    say(f"Written to {arguments.out}: {', '.join(FILES[:-1] if problem else FILES)}.")
    if problem:
        say(f"No plot: {problem}")
    say(*result_lines(record))
    return status


def search_and_write(selector, table, test, arguments, facts, shown):
    """Search, score held-out samples and write the results, with `facts` and `shown` in settings.json; return the
    `Record`, the reason why there is no plot (or None), and the exit status."""
    function = selector.rule if callable(selector.rule) else None
    if function is not None:  # it may fail: a rule chooses first, so that the search is not lost
        selector.rule = "best" if selector.honest is None else "no_loss"
    with ExitStack() as stack, results_folder(arguments.out, arguments.force) as folder:
        with redirect_stdout(sys.stderr):  # for progress, and for what a classifier prints
            search(selector, table, arguments)
            # until all files are written a first signal must not lose the search
            stopping = stack.enter_context(Stopping([signal.SIGINT, signal.SIGTERM], saved=False))
            arguments.searched = True
            with warnings_as_lines(arguments.quiet):
                held_out, status = (None, OK) if test is None else score_held_out(selector, table, test, stopping)
            if function is not None and not choose_by_function(selector, function):
                status = FAILURE
        if held_out is None:
            facts.pop("held_out", None)
        record = Record.of(selector, facts=facts, parameters=shown, held_out=held_out, how=choose(selector, arguments))
        with warnings_as_lines(arguments.quiet):  # of fonts that lack a character of a name
            try:
                problem = write_results(folder, record, f"Feature selection: {os.path.basename(arguments.file)}")
            except OSError as error:  # that of a full disk names no file
                error.filename = error.filename or arguments.out
                raise
    return record, problem, status if stopping.number is None else 128 + stopping.number


def print_lines(*lines):
    """Print lines; once the reader has gone, as head does, print nothing more, and let the results be written."""
    try:
        print(*map(visible, lines), sep="\n", flush=True)
    except BrokenPipeError:
        mute()


def mute():
    """Redirect the standard output to the null device."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def search(selector, table, arguments):
    """Fit the selector to the table; SIGTERM ends this with a result. A ValueError names columns as the file does."""
    try:
        with stop_on("SIGTERM"), warnings_as_lines(arguments.quiet):
            selector.fit(table.X, table.y, **table.metadata)
    except Incomplete as error:
        raise ValueError(f"{arguments.file}: features must have no missing values for {error.model}, got some in "
                         f"{describe_columns(error.columns, table.feature_names)}: fill them, leave these columns "
                         "out with --drop, or take another model, as the default ones take missing values") from error
    except ValueError as error:
        names = table.feature_names.tolist()
        text = re.sub(r"'x(\d+)'", lambda found: repr(names[int(found[1])]), str(error))
        for own, what in (("y ", "the target"), ("X ", "the features")):
            if text.startswith(own):
                text = f"{arguments.file}: {what} {text.removeprefix(own)}"
        raise ValueError(text) from error
    selector.pareto_front_ = renamed(selector.pareto_front_, table.feature_names)


@contextmanager
def warnings_as_lines(quiet=False):
    """Print each kind of warning in the block as one line of standard error at its end; if `quiet`, hide most."""
    tally = Tally()
    try:
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore")
                warnings.filterwarnings("default", "the checkpoint .* could not be written")  # it was asked for
            with tally.collecting():
                yield
    finally:
        for (category, _, _), (text, number) in tally.items():
            times = f" ({number:,} times)" if number > 1 else ""
            kind = "" if category is UserWarning else f"{category.__name__}: "
            print(f"moeliga: warning: {kind}{visible(' '.join(text.split()))}{times}", file=sys.stderr)


def scaled(estimator, arguments):
    """Return the pipeline for `--scale`: a StandardScaler before the estimator."""
    if estimator is None:
        raise ValueError("--scale needs an --estimator: a tree does not depend on the scale of features")
    if arguments.sample_weight is not None:
        raise ValueError("--scale must not be given with --sample-weight, which a pipeline does not pass on")
    return make_pipeline(StandardScaler(), estimator)


def build_selector(given, arguments):
    """Return the selector with the parameters `given`, those about features still as texts, after checks of options
    that depend on each other; remove the rule from `given` if `--margin` sets it."""
    selector = MOELIGASelector.from_preset(arguments.preset, verbose=0 if arguments.quiet else 1)
    configure(selector, given)
    if arguments.margin is not None:
        if selector.rule != "no_loss":
            raise ValueError("--margin must be given with the rule no_loss only, got "
                             f"{arguments.margin:g} with {selector.rule!r}")
        selector.rule = NoLoss(arguments.margin)
        given.pop("rule", None)  # it would undo the margin
    if selector.honest is None and type(given.get("estimator")) not in (
            type(None), DecisionTreeClassifier, DecisionTreeRegressor):
        raise ValueError("--estimator must be a tree of moeliga with --honest none, as no model is deployed then; to "
                         "guide the search by another model, give --judge and --sizes none")
    n_rescored = selector.get_params()["evaluation__n_rescore_splits"]
    if selector.rule == "one_se" and selector.honest is None and n_rescored < 2:
        own = "evaluation.n_rescore_splits" in given
        because = "--n-rescore-splits" if own else f"the preset {arguments.preset!r}"
        raise ValueError(f"--rule one_se needs standard errors, which {because} does not give: set "
                         "--n-rescore-splits to at least 2")
    if selector.max_evaluations is not None and selector.max_evaluations < selector.population_size:
        raise ValueError(f"--max-evaluations must be at least {selector.population_size}, the size of the population, "
                         f"got {selector.max_evaluations}")
    if arguments.max_cost is not None and "constraints.costs" not in given:
        raise ValueError(f"--max-cost needs --feature-costs, got {arguments.max_cost:g} alone")
    if arguments.max_cost is not None and callable(selector.rule):
        raise ValueError("--max-cost must not be given with a function as --rule, which has its own way to choose")
    return selector


def read_tables(arguments, metadata, regression):
    """Return the table to search in, and that of `--test` or None: with the same features and no new classes."""
    def read(path, drop, encoding, text_labels=False):
        return read_table(path, arguments.target, drop=drop, separator=arguments.separator,
                          decimal=arguments.decimal, encoding=encoding, metadata=metadata, text_labels=text_labels,
                          requested=[*getattr(arguments, "must_include", ()), *getattr(arguments, "exclude", ())])

    table = read(arguments.file, arguments.drop, Encoding() if arguments.encode else None)
    if arguments.test is None:
        return table, None
    encoding = Encoding(table.encoding.values) if table.encoding else None
    test = read(arguments.test, AllBut(columns_of(table, arguments.target, metadata)), encoding,
                table.y.dtype.kind == "U")
    ours, theirs = table.feature_names.tolist(), test.feature_names.tolist()
    column_of = {name: f for f, name in enumerate(theirs)}
    missing = [name for name in ours if name not in column_of]
    if missing:
        raise ValueError(f"{arguments.test}: must have the features of {arguments.file}, got no "
                         f"{first_of(map(repr, missing))}")
    if ours != theirs:
        test = replace(test, X=test.X[:, [column_of[name] for name in ours]], feature_names=table.feature_names)
    new = sorted(set(test.y.tolist()) - set(table.y.tolist()), key=str)
    if new and not regression:
        raise ValueError(f"{arguments.test}: the classes must be among those of {arguments.file}, got {new[0]!r}")
    return table, test


def columns_of(table, target, metadata):
    """Return the names of the columns of the file that a table was made from: set of str."""
    values = table.encoding.values if table.encoding else {}
    made = {name for column in values for name in table.encoding.names(column)}
    return {target, *metadata.values(), *values, *(set(table.feature_names.tolist()) - made)}


def score_held_out(selector, table, test, stopping):
    """Return the scores of the front on the held-out table, or None if that fails, and the exit status. A signal that
    `stopping` receives ends only this scoring."""
    metadata = {name: values for name, values in table.metadata.items() if name != "groups"}  # for splitters
    budget = Budget()
    try:
        with stopping.ending(budget), budget.interruptible():
            return held_out_scores(selector, table.X, table.y, test.X, test.y, **metadata), OK
    except KeyboardInterrupt:
        print("moeliga: interrupted; no held-out scores", file=sys.stderr)
        return None, INTERRUPT
    except Exception as error:
        print(f"moeliga: error: no held-out scores: {visible(' '.join(str(error).split()))}", file=sys.stderr)
        return None, FAILURE


def facts_of(arguments, table, test):
    """Return the entries of settings.json about the command and its data: dict."""
    npz = arguments.file.lower().endswith(".npz")
    data = {"n_samples": len(table.X), "named": not npz, **({"dropped": list(table.dropped)} if table.dropped else {})}
    if table.encoding is not None and table.encoding.values:
        data["encoded"] = dict(table.encoding.values)
    facts = {"command": arguments.command, "file": arguments.file, "sha256": digest(arguments.file),
             "seed": arguments.seed, "data": data}
    if test is not None:
        facts["held_out"] = {"file": arguments.test, "n_samples": len(test.X), "sha256": digest(arguments.test)}
    return facts


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def choose_by_function(selector, function):
    """Let a user's function choose the member and return True; if it fails, print the error, keep the choice that the
    selector's rule has made, and return False."""
    try:
        selector.select(function)
    except Exception as error:
        said = visible(" ".join(str(error).split()))
        print("moeliga: error: the function of --rule has failed, so the rule "
              f"{selector.rule!r} has chosen instead: {type(error).__name__}: {said}",
              file=sys.stderr)
        return False
    selector.rule = function
    return True


def choose(selector, arguments):
    """Choose by --n-features and --max-cost; return a text on how, or None if the selector's own text is right. If no
    member has this size or cost, choose the nearest one: an error would lose the search."""
    front, limit, size = selector.pareto_front_, arguments.max_cost, arguments.n_features
    if limit is None and size is None:
        return None
    within = np.ones(len(front), dtype=bool) if limit is None else front.cost <= limit
    if not within.any():
        selector.select(index=int(np.argmin(front.cost)))
        return f"index {selector.index_}, as no member costs at most {limit:g}"
    if size is None:
        selector.select(max_cost=limit)
        return None
    sizes = front.n_selected[within]
    chosen = int(max(sizes[sizes <= size], default=sizes[0]))
    selector.select(n_features=chosen, max_cost=limit)
    return None if chosen == size else f"{selector._chosen.how}, as no member has {size}"
