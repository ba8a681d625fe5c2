"""A finished search as one HTML file: pictures, tables, settings, and a program that repeats the selection."""

import numpy as np
from numpy.typing import ArrayLike

from moeliga.base.checks import check_given, check_instance, check_sparse
from moeliga.base.text import score_format, visible
from moeliga.base.typing import Boolean, PathLike, Samples
from moeliga.data.frame import check_columns, read_pair
from moeliga.evaluation.held_out import held_out_scores
from moeliga.results.files import write_file
from moeliga.results.json_values import to_json
from moeliga.results.run_record import Record, checksum
from moeliga.results.text import honest_text, other_scores, score_text, search_scores, shorten, texts
from moeliga.selector import MOELIGASelector
from moeliga.visualisation import html as markup
from moeliga.visualisation.convergence import has_hypervolume
from moeliga.visualisation.display import check_selector
from moeliga.visualisation.front import choices_of
from moeliga.visualisation.program import program
from moeliga.visualisation.svg import draw_pictures

MOST_MEMBERS, MOST_FEATURES, LONGEST_NAMES, LONGEST_VALUE = 100, 200, 120, 400
"""Limits of the tables: rows of members, rows of features, characters of names in a row, characters of a parameter."""


def write_report(selector: MOELIGASelector, path: PathLike, *, X: Samples | None = None, y: ArrayLike | None = None,
                 X_test: Samples | None = None, y_test: ArrayLike | None = None, title: str = "Feature selection",
                 overwrite: Boolean = False) -> None:
    """Write a report on a fitted selector: one HTML file that loads nothing from anywhere.

    It begins with what the chosen subset, and those of other rules, are worth on new samples. It holds the front, the
    course of the search, the features that members share, how much too high the scores of the search are, all
    parameters, the seed and versions, and a few lines of Python that repeat the selection with scikit-learn alone.
    Pictures need matplotlib; without it the tables remain.

    Parameters
    ----------
    selector : MOELIGASelector, fitted
    path : str or path
    X, y : array-like of shape (n_samples, n_features), perhaps sparse, and (n_samples,), or None, default=None
        The data of the fit: the report gives their size and SHA-256 checksum (`moeliga.results.run_record.checksum`).
    X_test, y_test : likewise of n_test samples, or None, default=None
        Samples that the search never saw. Each member of the front is then fitted to X and y and scored on these.
    title : str, default="Feature selection"
    overwrite : bool, default=False
        Replace an existing file.

    Raises
    ------
    FileExistsError : if there is such a file, unless `overwrite`.
    NotFittedError : if the selector is not fitted; TypeError if it is no MOELIGASelector.
    TypeError, ValueError : if `path` is no path, `title` no str, or `overwrite` no bool; if X comes without y, or
        X_test without y_test or X; if X has other columns than in the fit, or y another length; for what the model does
        not take.
    OSError : if the file cannot be written, as FileNotFoundError where there is no such folder.

    Notes
    -----
    Tables end after 100 subsets or 200 features; the program has all chosen features. The same selector and data give
    the same file, byte by byte, with the same versions.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector, write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.html")
    ...     write_report(selector, path, X=X[::2], y=y[::2], X_test=X[1::2], y_test=y[1::2], title="Iris")
    ...     path.read_text(encoding="utf-8").splitlines()[0]
    '<!DOCTYPE html>'
    """
    check_selector(selector)
    check_instance("title", title, str)
    exclude = getattr(selector.constraints, "exclude", None)
    X, y = read_pair(check_sparse("X", X), y, exclude, selector.encoding_)
    X_test, y_test = read_pair(check_sparse("X_test", X_test), y_test, exclude, selector.encoding_)
    check_data(selector, X, y, X_test, y_test)
    known = data_facts(selector, X, y, X_test, y_test)
    held_out = None if X_test is None else held_out_scores(selector, X, y, X_test, y_test)
    write_file(path, report_of(Record.of(selector, facts=known, held_out=held_out), title).encode(), overwrite)


def data_facts(selector, X, y, X_test, y_test):
    """Return the sizes and checksums of the given data, for the settings of a `Record`: dict."""
    known = {"data": {"named": hasattr(selector, "feature_names_in_")}}
    if selector.encoding_ is not None:
        known["data"]["encoded"] = dict(selector.encoding_.values)
    if X is not None:
        known["data"]["n_samples"] = np.shape(X)[0]
        known["sha256"] = checksum(X, y)
    if X_test is not None:
        known["held_out"] = {"n_samples": len(y_test), "sha256": checksum(X_test, y_test)}
    return known


def check_data(selector, X, y, X_test, y_test):
    """Raise ValueError unless X and y, X_test and y_test come in pairs of equal length, with the columns of the fit."""
    for values, labels, names in ((X, y, ("X", "y")), (X_test, y_test, ("X_test", "y_test"))):
        if (values is None) != (labels is None):
            given, missing = names if labels is None else names[::-1]
            raise ValueError(f"{missing} must be given with {given}, got None")
        if values is not None:
            shape, n_features = np.shape(values), selector.n_features_in_
            if len(shape) != 2 or shape[1] != n_features:
                raise ValueError(f"{names[0]} must have {n_features} columns, as in the fit, got shape {shape}")
            check_columns(names[0], values, getattr(selector, "feature_names_in_", None))
            if shape[0] != len(check_given(names[1], labels)):
                raise ValueError(f"{names[1]} must have {shape[0]} entries, one for each row of {names[0]}, got "
                                 f"{len(labels)}")
    if X_test is not None and X is None:
        raise ValueError("X must be given with X_test, got None: members are fitted to it before they are scored")


def report_of(record, title):
    """Return the report on a `Record` as HTML text."""
    try:
        pictures, problem = draw_pictures(record), None
    except ImportError as error:
        pictures, problem = {}, f"There are no pictures: {error}."
    except Exception as error:  # any fault of matplotlib: the search must not be lost for a picture
        pictures, problem = {}, f"There are no pictures, as they could not be drawn: {error}"

    def picture(name, caption):
        return [markup.figure(*pictures[name], caption)] if name in pictures else []

    defaults = {name: to_json(value, 1) for name, value in MOELIGASelector().described().items()}
    honest, values = record.front.honest is not None, parameters(record)
    changed = {name: text for name, text in values.items() if defaults.get(name) != text}
    sentences = record.summary.sentences[1:]
    if record.held_out is not None:
        sentences.append(f"On {record.settings['held_out']['n_samples']:,} held-out samples the chosen subset has "
                         f"{record.names.honest} {texts(record.held_out)[record.chosen]}.")
    return markup.page(title, [
        markup.paragraph(record.summary.sentences[0]),
        *([summary_table(record)] if honest else []),
        *map(markup.paragraph, sentences),
        *([markup.paragraph(problem, "note")] if problem else []),
        markup.heading("Front"),
        *picture("front", CAPTION if honest else "Each dot is a subset; bars are one standard error either way, "
                 f"{'the colour is R1, ' if record.front.unit else ''}the ring is the chosen subset. The grey line is "
                 "the best score up to each number of features."),
        front_table(record),
        markup.heading("Chosen subset"),
        chosen_table(record),
        markup.heading("The same selection with scikit-learn alone"),
        markup.code(program(record), "Program"),
        markup.heading("How much too high the scores in the search are"),
        *map(markup.paragraph, cautions(record)),
        *picture("optimism", "Scores of each subset, of those that are known: honest, as the search saw them, on fresh "
                 "splits of the same samples, and on samples that the search never saw."),
        optimism_table(record),
        markup.heading("How the search went"),
        markup.paragraph(record.ended()),
        *picture("convergence", ("The best hypervolume that the archive has had, the best score of each generation, "
                                 "both " if has_hypervolume(record.history) else "The best score of each generation, ")
                 + "as the search saw them, and the sizes of the subsets: smallest to largest as a band."),
        markup.heading("Features that the subsets share"),
        *picture("frequency", "Subsets of one front descend from each other: a high share does not say that another "
                 "sample of the data would give the same feature."),
        frequency_table(record),
        markup.heading("Data and settings"),
        pairs_table("fact", "value", facts(record), "Facts"),
        pairs_table("changed parameter", "value", changed, "Parameters that differ from their defaults"),
        pairs_table("other parameter", "value", {name: text for name, text in values.items() if name not in changed},
                    "Parameters at their defaults"),
        markup.heading("Versions"),
        pairs_table("package", "version", record.settings["versions"], "Versions"),
    ])


CAPTION = (
    "The line is the best honest score of every size, the band one standard error either way, dashes are all features, "
    "names mark the choices of rules, the ring is the chosen subset. The line is too high, because it is the best of "
    "many; the scores of the rules above are corrected for that. Grey circles are scores in the search.")


def summary_table(record):
    """Return the table of the members that the rules choose, and of baselines."""
    # narrow pages hide the source, but baselines differ only in this: put it in place of their rule
    rows = [(f"({source})" if rule.strip() == "-" else rule, size, source, *(
                f"{value} ({around})".replace(" to ", "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}") if around else value
                for value, around in ((score, low_high), (difference, ends))))
            for rule, size, source, score, low_high, difference, ends in record.summary.cells()]
    kinds = zip(("rule", "size", "source", record.summary.columns[3], "vs all"),
                ("short", "number", "spare", "range", "range"), zip(*rows, strict=True), strict=True)
    marked = [place for place, row in enumerate(record.summary.rows) if row["chosen"]]
    return markup.table(list(kinds), label="Summary", marked=marked[0] if marked else None)


def front_table(record):
    """Return the table of the members."""
    front, members, names = record.front, range(len(record.front)), record.names
    rules = [["chosen"] if i == record.chosen else [] for i in members]
    for rule, place in choices_of(front).items():
        rules[place].append(rule)
    scores = [(names.search, "number", [score_text(front, i) for i in members])]
    if front.honest is not None:
        scores = [(f"honest {names.honest}", "number", [honest_text(front, i) for i in members]),
                  ("source", "short", front.source), (f"{names.search} in the search", *scores[0][1:])]
    costs = [] if front.cost is None else [("total cost", "number", [f"{cost:g}" for cost in front.cost])]
    return markup.table([
        ("index", "short", [str(i) for i in members]),
        ("features", "number", [f"{size:,}" for size in front.n_selected]),
        scores[0],
        ("chosen by", "text", [", ".join(names) for names in rules]),
        *scores[1:],
        *((name, "number", cells) for name, cells in other_scores(front)),
        ("R1", "number", texts(front.r1)),
        *costs,
        ("names", "long", [shorten([*map(visible, front.features(i))], LONGEST_NAMES) for i in members]),
    ], label="Pareto front", marked=record.chosen, most=MOST_MEMBERS, left_out="subsets")


def chosen_table(record):
    """Return the table of the chosen features."""
    front = record.front
    chosen = np.flatnonzero(front.supports[record.chosen])
    return markup.table([
        ("feature", "text", list(map(visible, front.feature_names[chosen]))),
        ("column", "number", [f"{f:,}" for f in chosen]),
        ("in subsets", "number", [f"{share:.0%}" for share in front.supports[:, chosen].mean(axis=0)]),
    ], label="Chosen features", most=MOST_FEATURES, left_out="features")


def frequency_table(record):
    """Return the table of the features in at least one subset, from frequent to rare."""
    front = record.front
    held = front.supports.sum(axis=0)
    order = np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
    return markup.table([
        ("feature", "text", list(map(visible, front.feature_names[order]))),
        ("in subsets", "number", [f"{n:,} of {len(front):,}" for n in held[order]]),
        ("chosen", "text", ["yes" if chosen else "" for chosen in front.supports[record.chosen, order]]),
    ], label="Frequency of features", most=MOST_FEATURES, left_out="features that some subset holds")


def optimism_table(record):
    """Return the table of the scores of each member: those of all kinds that are known."""
    front = record.front
    search = search_scores(front)
    columns = [("features", "number", [f"{size:,}" for size in front.n_selected])]
    if front.honest is not None:
        columns.append((f"honest {record.names.honest}", "number", texts(front.honest_score)))
    columns.append((f"{record.names.search} as the search saw it", "number", texts(search)))
    if front.n_rescore_splits:
        columns += [("on fresh splits", "number", [score_text(front, i) for i in range(len(front))]),
                    ("optimism", "number", [
                        "" if np.isnan(gap) else f"{gap:+{score_format(search)}}" for gap in search - front.score])]
    if record.held_out is not None:
        columns.append(("on held-out samples", "number", texts(record.held_out)))
    return markup.table(columns, label="Scores", marked=record.chosen, most=MOST_MEMBERS, left_out="subsets")


MEASURED_OPTIMISM = (
    " On sixteen data sets with classes, after short searches, the reported UAR of the chosen subset was above that on "
    "samples held out by 0.07 at most, on average 0.03, where the search had 146 to 478 samples, and by 0.09 to 0.41, "
    "on average 0.25, where it had 28 to 74.")
"""Measured differences between reported scores and scores of new samples, from docs/first-form.md."""


def cautions(record):
    """Yield sentences (str) on how far the scores can be trusted."""
    if record.front.honest is not None:
        yield ("The scores in the search are those of the judge, and are too high, because the search kept what scored "
               "well. Honest scores use the deployed model's predictions for samples held out of the search that found "
               "the subset.")
        return
    if record.front.n_rescore_splits:
        yield ("The scores in the search are too high, because it kept what scored well. Scoring again on fresh splits "
               "takes that luck away, but not the fit to the samples; standard errors are over splits of the "
               "same samples.")
    else:
        asked = record.settings["parameters"]["evaluation.n_rescore_splits"]
        yield ("The scores are those of the search itself, which are too high: nothing was scored again "
               f"({'a signal came before' if asked else 'n_rescore_splits=0'}).")
    if record.held_out is None:
        usual = MEASURED_OPTIMISM if record.names.search == "UAR" else ""
        yield f"Expect less of new samples.{usual} moeliga.optimism_report measures how much less on your data."
    else:
        yield ("Held-out samples were never seen by the search. Choosing a subset by their scores would make these too "
               "high as well.")


def pairs_table(name, value, pairs, label):
    """Return the table of a dict from str to str, whose columns are called `name` and `value`."""
    return markup.table([(name, "name", list(pairs)), (value, "text", list(pairs.values()))], label=label)


def facts(record):
    """Return the known facts on the data, the seed and the end of the search: dict from str to str."""
    settings, front = record.settings, record.front
    data, held = settings.get("data", {}), settings.get("held_out", {})
    samples = f"{data['n_samples']:,} samples, " if "n_samples" in data else ""
    found = {
        "command": settings.get("command"),
        "file": settings.get("file"),
        "data": f"{samples}{front.supports.shape[1]:,} features",
        "SHA-256 of the data": settings.get("sha256"),
        "held-out file": held.get("file"),
        "SHA-256 of the held-out data": held.get("sha256"),
        "seed": to_json(settings["parameters"].get("random_state")),
        "end of the search": f"{settings['stop_reason']}: {record.ended()}",
    }
    return {name: fact for name, fact in found.items() if fact}


def parameters(record):
    """Return the parameters as JSON, shortened where long: dict from str to str."""
    texts = {name: to_json(value, 1) for name, value in record.settings["parameters"].items()}
    return {name: text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} … ({len(text):,} characters)"
            for name, text in texts.items()}
