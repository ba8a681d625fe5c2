"""The selector's parameters as options of the command line, made from its signature and docstring."""

import argparse
import inspect
import re

from moeliga.cli.specs import (
    checkpoint,
    estimator,
    feature_prior,
    literal,
    number,
    objectives,
    rule,
    scoring,
    splitter,
    value_object,
)
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.local_improvement import LocalImprovement
from moeliga.parameters.moga import FitnessSharing
from moeliga.parameters.variation import Variation
from moeliga.results.front import RULES
from moeliga.selector import MOELIGASelector

LEFT_OUT = {
    "callbacks": "functions of a running search are for Python",
    "stop_signals": "Ctrl-C and SIGTERM end the search with a result",
    "verbose": "--quiet turns the progress off",
    "random_state": "--seed, and 0 unless it is given: the same command gives the same result",
}
"""Parameters without an option of their own, and why."""

SHORT = {"n_generations": "--generations", "population_size": "--population"}
"""Names of options that came before those made from the parameters; both are taken."""

LEAST = {"n_generations": 0, "population_size": 2, "n_splits": 1, "max_time": 0, "max_evaluations": 1, "patience": 1,
         "n_elite": 0, "generation_gap": 0, "n_islands": 1, "migration_interval": 1, "n_per_size": 0,
         "n_rescore_splits": 0, "min_features": 1, "max_features": 1}

VALUE_OBJECTS = {
    "init": ({"staggered": StaggeredInit, "log_uniform": LogUniformInit}, None),
    "variation": (Variation, "crossover"), "sharing": (FitnessSharing, "mode"),
    "local_improvement": (LocalImprovement, "replacement"),
}
"""What a name with parameters stands for, by the name or for all, and which parameter the name itself is."""

PATH = "of scikit-learn, or an import path such as my_module:name"
OWN = {
    "estimator": (estimator, "NAME[,KEY=VALUE]", f"Classifier of objective 1: a class {PATH}, as in "
                  "RandomForestClassifier,n_estimators=50. (default: the compiled tree of depth 100, which is by far "
                  "the fastest)"),
    "scoring": (scoring, "NAME", f"Scorer of objective 1: a name {PATH}. (default: UAR)"),
    "cv": (splitter, "N|NAME[,KEY=VALUE]", "Fixed splits in place of random ones: a number of folds, or a splitter "
           f"{PATH}, as in GroupKFold,n_splits=4."),
    "objectives": (objectives, "NAME[,KEY=VALUE],...", "What is maximised, of uar, cardinality, cost, separability and "
                   "import paths of functions f(mask, X, y), as in uar,cardinality,gamma=-1,separability. (default: "
                   "uar,cardinality,separability)"),
    "subsample": (literal, "N|SHARE", "So many samples, or such a share, that a generation is evaluated on, drawn "
                  "afresh and stratified by class. The final front is scored on all. (default: all)"),
    "feature_prior": (feature_prior, "NAME[,KEY=VALUE]", "Scoring function by which features that look better by "
                      "themselves are added more often: f_classif, mutual_info_classif, chi2, or the import path of a "
                      "function f(X, y) that returns scores; none: all alike; keys: share, offset. (default: auto: "
                      "f_classif for a classifier, without missing values and --subsample)"),
    "rule": (rule, "NAME", f"A rule, one of {', '.join(RULES)}, or the import path of a function of the front. "
             "(default: r1)"),
    "initial_subsets": (str, "FILE", "Subsets to start from: one name a line, such as selected.txt; or a front.json, "
                        "all of its members. May be given several times."),
    "must_include": (str, "NAME", "Features of every subset, each with the rest of its group: a name, a pattern with * "
                     "or ?, or @FILE with one of these a line. May be given several times."),
    "exclude": (str, "NAME", "Features of no subset; as for --must-include. (Columns that are no features belong to "
                "--drop.)"),
    "feature_groups": (str, "FILE|PATTERN", "Features that are selected together: a CSV file with the columns feature "
                       "and group; or a regular expression that matches whole names and has the group in its "
                       "parentheses, as in '(.*)_.*'. Features in no group stand alone."),
    "feature_costs": (str, "FILE", "For the objective cost and for --max-cost: a CSV file with the columns feature and "
                      "cost."),
    "max_evaluations": (number(int, 1), "N", "Subsets evaluated at most."),
    "max_time": (number(float, 0), "SECONDS", "Then begin no more generation."),
    "checkpoint": (checkpoint, "FILE[,every=N]", "Save the search in FILE every N generations (default: 10) and at its "
                   "end; where FILE is there already, go on from it."),
    "n_jobs": (int, "N", "Threads, or workers for an --estimator; the result does not depend on them. (default: "
               "-1, all processors)"),
}
"""Parameters that the docstring does not tell in the words of a command line: type of the argument, its form, help."""

REPEATED = ("must_include", "exclude", "initial_subsets")


def add_parameters(group, choice):
    """Add an option for each parameter of the selector but those in `LEFT_OUT`.

    Parameters
    ----------
    group : argparse group
    choice : argparse group
        For `rule`.
    """
    defaults = inspect.signature(MOELIGASelector).parameters
    for name, (kind, text) in documented().items():
        if name in LEFT_OUT:
            continue
        flag, default = "--" + name.replace("_", "-"), defaults[name].default
        told = text + ("" if default is None else f" (default: {default})")
        options = {"dest": name, "default": argparse.SUPPRESS}
        if isinstance(default, bool):
            options |= {"action": argparse.BooleanOptionalAction}
        elif name in OWN:
            options["type"], options["metavar"], told = OWN[name]
            options |= {"action": "append"} if name in REPEATED else {}
        else:
            options |= parser_of(name, kind)
            told = " ".join(filter(None, (options.pop("more", ""), told)))
        options["help"] = told.strip().replace("%", "%%")
        if name in SHORT:
            group.add_argument(SHORT[name], **options)
            options["help"] = argparse.SUPPRESS
        (choice if name == "rule" else group).add_argument(flag, **options)


def documented():
    """Type and text of each parameter in the docstring: dict from name to (str, str), in the order of the signature."""
    section = inspect.getdoc(MOELIGASelector).split("\nParameters\n")[1].split("\nAttributes\n")[0]
    found = {name: (kind, " ".join(text.split()).replace("`", ""))
             for name, kind, text in re.findall(r"^(\w+) : (.*)\n((?:    .*\n|\n)*)", section, re.MULTILINE)}
    return {name: found[name] for name in inspect.signature(MOELIGASelector).parameters}


def parser_of(name, kind):
    """What argparse is told of a parameter whose documented type is `kind`; "more" goes into the help."""
    found = re.findall(r'"(\w+)"|(None)', kind.partition(", default")[0])
    words = dict.fromkeys(word or "none" for word, _ in found)
    if name in VALUE_OBJECTS:
        own, key = VALUE_OBJECTS[name]
        kinds = [(f" of {word}", kind) for word, kind in own.items()] if isinstance(own, dict) else [("", own)]
        keys = [f"keys{of}: " + ", ".join(parameter for parameter in inspect.signature(kind).parameters
                                          if parameter != key) for of, kind in kinds]
        return {"type": lambda text: value_object(text, own, key), "metavar": "NAME[,KEY=VALUE]",
                "more": "; ".join([f"One of {', '.join(words)}", *keys]) + "."}
    if kind.startswith("{"):
        return {"choices": list(words)}
    if re.search(r"\bint\b", kind):
        return {"type": number(int, LEAST.get(name)), "metavar": "N"}
    if re.search(r"\bfloat\b", kind):
        return {"type": number(float, LEAST.get(name)), "metavar": "X"}
    return {"type": literal, "metavar": "VALUE"}
