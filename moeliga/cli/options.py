"""The options of `moeliga select`: one table, which argparse reads and docs/command-line.md repeats."""

import argparse
import re
from dataclasses import dataclass, field
from inspect import signature

from moeliga.cli import values
from moeliga.parameters.evaluation import REEVALUATE, SPLIT_MODES
from moeliga.parameters.islands import COMBINATIONS
from moeliga.parameters.presets import PRESETS
from moeliga.results.rules import RULES
from moeliga.selector import MOELIGASelector

GROUPS = {
    "data": None,
    "search": "NAME[,KEY=VALUE] is a name, perhaps with parameters of its own, as in parent,every=10,n_populations=2.",
    "evaluation": "How subsets are scored.",
    "features": "Which subsets are allowed.",
    "limits": None,
    "choice": "Which member of the front is chosen.",
    "output": None,
}
"""Headings of `--help`, and the description below each, or None."""


@dataclass(frozen=True)
class Option:
    """An option of `moeliga select`, with the parameter of the selector that it sets."""

    flag: str  # "--name", or "file" for the positional argument
    group: str  # one of `GROUPS`
    text: str  # for `--help`; `help` adds the default
    metavar: str | None = None
    parse: object = str  # function from text to value that raises ArgumentTypeError; None for flags
    path: str | None = None  # of the parameter that it sets, as "evaluation.n_splits"; None if it sets none
    more: dict = field(default_factory=dict)  # further arguments of `ArgumentParser.add_argument`

    @property
    def name(self):
        """Name of the attribute in the parsed arguments."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def help(self):
        """The text, with the default unless there is none or the text names it."""
        default = self.more.get("default")
        if self.path is not None and default is None:
            default = MOELIGASelector().get_params().get(self.path.replace(".", "__"))
        known = default is None or default is False or default == [] or "(default: " in self.text
        return self.text if known else f"{self.text} (default: {default})"


def keys(name, form, *leave_out):
    """Return the KEYs of a short form of a parameter as one text: the parameters of the object that it stands for."""
    kind = type(MOELIGASelector(**{name: form}).stands_for(name))
    return ", ".join(key for key in signature(kind).parameters if key not in leave_out)


def forms(name):
    """Return the short forms of a parameter of the selector, such as "nsga2" and "moga" for `survival`."""
    return MOELIGASelector.short_forms[name][0]


NAMED = "NAME[,KEY=VALUE]"
PATH = "of scikit-learn, or an import path such as my_module:name"
MANY = {"action": "append"}

OPTIONS = (
    Option("file", "data", ".csv, .tsv or .txt with a line of column names, perhaps with .gz or .bz2; .parquet; .arff; "
           "or .npz with arrays X and y, or X_train and y_train", "FILE", more={"nargs": "?"}),
    Option("--target", "data", "column of the class labels, or of the numbers for a regressor; or array of them (NPZ; "
           "default: y or y_train)", "NAME"),
    Option("--drop", "data", "columns that are no features, such as an identifier: names or patterns with * or ?, with "
           "spaces or commas between them, or @FILE with one of these a line; may be given several times", "COLUMN",
           more={"action": "extend", "nargs": "+", "default": []}),
    Option("--encode", "data", "turn columns of text with at most 20 values into features column=value of zeros and "
           "ones, which are selected together", parse=None, more={"action": "store_true"}),
    Option("--groups", "data", "a column (NPZ: an array) that is no feature and says which samples belong together: no "
           "fold of --honest parts them; a --cv that is no splitter of groups parts them in the search", "COLUMN"),
    Option("--sample-weight", "data", "a column (NPZ: an array) that is no feature and holds the weights of samples, "
           "for an --estimator that takes them", "COLUMN"),
    Option("--test", "data", "samples that the search does not see, with the same columns in any order, and perhaps "
           "others: every member of the front is scored on them", "FILE"),
    Option("--separator", "data", "what separates the values of a CSV file (default: a comma, or a semicolon with "
           "--decimal ,; a tab, \\t, in .tsv)", "CHAR"),
    Option("--decimal", "data", "the decimal point of a CSV file (default: a point)", "CHAR"),

    Option("--preset", "search", "the parameters to start from", more={"choices": PRESETS, "default": "default"}),
    Option("--objectives", "search", "what is maximised, of uar, cardinality, cost, separability and import paths of "
           "functions f(mask, X, y), as in uar,cardinality,gamma=-1,separability (default: "
           "uar,cardinality,separability)", f"{NAMED},...", values.objectives, "objectives"),
    Option("--population", "search", "subsets in a population", "N", values.number(int, 2), "population_size"),
    Option("--generations", "search", "generations of the search", "N", values.number(int, 0), "n_generations"),
    Option("--n-islands", "search", "populations that evolve side by side", "N", values.number(int, 1), "islands.n"),
    Option("--sizes", "search", "bands of sizes that have populations of their own: auto, none, or the largest size of "
           "each, as in 5,10,20", "N,...", values.band_sizes, "islands.sizes"),
    Option("--migration-interval", "search", "generations from one migration between islands to the next", "N",
           values.number(int, 1), "islands.every"),
    Option("--survival", "search", f"who survives a generation: nsga2, or moga (the paper's); "
           f"keys of moga: {keys('survival', 'moga')}; parameters of sharing follow it, as in "
           "moga,sharing=niche,sharing__sigma=0.1", NAMED, values.short_form(forms("survival"), "ways to survive"),
           "survival"),
    Option("--init", "search", "sizes of the first subsets: log_uniform, or staggered (the paper's); "
           f"keys of log_uniform: {keys('init', 'log_uniform', 'subsets')}; keys of staggered: "
           f"{keys('init', 'staggered', 'subsets')}", NAMED, values.short_form(forms("init"), "ways to begin"), "init"),
    Option("--initial-subsets", "search", "subsets to start from: one name a line, such as selected.txt; or a "
           "front.json, those of its members that a search has found; may be given several times", "FILE",
           path="init.subsets", more=MANY),
    Option("--variation", "search", "crossover: one_point, two_point or uniform; "
           f"keys: {keys('variation', 'uniform', 'crossover')}", NAMED,
           values.short_form(forms("variation"), "kinds of crossover"), "variation"),
    Option("--feature-prior", "search", "scoring function by which features that look better by themselves are added "
           "more often: f_classif, mutual_info_classif, chi2, f_regression, mutual_info_regression, or the import path "
           "of a function f(X, y) that returns scores; none: all alike; auto: f_classif for a classifier, without "
           f"missing values and --subsample; keys: {keys('feature_prior', 'auto', 'score_func')}", NAMED,
           values.short_form(forms("feature_prior"), "scoring functions of scikit-learn", paths=True), "feature_prior"),
    Option("--local-improvement", "search", "what becomes of the best of a subordinate population: parent, complete, "
           f"selection; none: no local improvement; keys: {keys('local_improvement', 'parent', 'replacement')}", NAMED,
           values.short_form(forms("local_improvement"), "kinds of replacement"), "local_improvement"),
    Option("--archive", "search", "join the front with all non-dominated subsets ever seen, or with --no-archive do "
           "not", parse=None, path="archive", more={"action": argparse.BooleanOptionalAction}),

    Option("--estimator", "evaluation", f"the model that is deployed: a class {PATH}, as in "
           "RandomForestClassifier,n_estimators=50; it answers for samples outside the searches, and does not guide "
           "them (default: a random forest)", NAMED, values.estimator, "estimator"),
    Option("--scale", "evaluation", "scale features to mean 0 and deviation 1 before the --estimator, by the samples "
           "that it is fitted to", parse=None, more={"action": "store_true"}),
    Option("--honest", "evaluation", "folds on which the search is made again, for honest scores; or a splitter "
           f"{PATH}, as in GroupKFold,n_splits=4; none: one search, without them", f"N|{NAMED}", values.splitter,
           "honest"),
    Option("--judge", "evaluation", f"the model that guides the search, a class {PATH}; trees, forests, naive Bayes, "
           "neighbours and linear models are compiled, others hundreds of times slower; several guide together, as in "
           "GaussianNB,KNeighborsClassifier,n_neighbors=3 (default: the compiled tree)", NAMED, values.judges,
           "islands.judges"),
    Option("--combine", "evaluation", "the score of several judges: the mean of theirs, or the lowest",
           path="islands.combine", more={"choices": COMBINATIONS}),
    Option("--scoring", "evaluation", f"scorer of the deployed model, of what guides the search too: a name {PATH} "
           "(default: UAR)", "NAME", values.scoring, "scoring"),
    Option("--cv", "evaluation", "fixed splits in place of random ones: a number of folds, or a splitter "
           f"{PATH}, as in GroupKFold,n_splits=4; oob: the forests of --judge answer for the samples that their trees "
           "have not drawn", f"N|{NAMED}", values.splitter, "cv"),
    Option("--n-splits", "evaluation", "random splits for each evaluation", "N", values.number(int, 1),
           "evaluation.n_splits"),
    Option("--validation-size", "evaluation", "share of each class that is held out", "X", values.number(float),
           "evaluation.validation_size"),
    Option("--split-mode", "evaluation", "every individual has its own splits, or all of a generation share them",
           path="evaluation.split_mode", more={"choices": SPLIT_MODES}),
    Option("--reevaluate", "evaluation", "survivors get fresh splits and count by these (all) or by the average of all "
           "so far; or they keep their values (none)", path="evaluation.reevaluate", more={"choices": REEVALUATE}),
    Option("--n-rescore-splits", "evaluation", "fresh splits on which the final front is scored again", "N",
           values.number(int, 0), "evaluation.n_rescore_splits"),
    Option("--subsample", "evaluation", "number or share of the samples that a generation is evaluated on, drawn "
           "afresh and stratified by class; the final front is scored on all (default: all)", "N|SHARE", values.literal,
           "evaluation.subsample"),

    Option("--must-include", "features", "features of every subset, each with the rest of its group: a name, a pattern "
           "with * or ?, or @FILE with one of these a line; may be given several times", "NAME",
           path="constraints.must_include", more=MANY),
    Option("--exclude", "features", "features of no subset; as for --must-include (columns that are no features belong "
           "to --drop)", "NAME", path="constraints.exclude", more=MANY),
    Option("--feature-groups", "features", "features that are selected together: a CSV file with the columns feature "
           "and group; or a regular expression that matches whole names and has the group in its parentheses, as in "
           "'(.*)_.*'; features in no group stand alone", "FILE|PATTERN", path="constraints.groups"),
    Option("--feature-costs", "features", "for the objective cost and for --max-cost: a CSV file with the columns "
           "feature and cost", "FILE", path="constraints.costs"),
    Option("--min-features", "features", "size of the smallest subset", "N", values.number(int, 1),
           "constraints.min_features"),
    Option("--max-features", "features", "size of the largest subset, or its share of the features (default: no limit)",
           "N|SHARE", values.count_or_share, "max_features"),

    Option("--max-time", "limits", "seconds of the whole fit: searches, scores and models", "SECONDS",
           values.number(float, 0), "max_time"),
    Option("--max-evaluations", "limits", "subsets evaluated at most, in each search", "N", values.number(int, 1),
           "max_evaluations"),
    Option("--patience", "limits", "generations without a larger hypervolume after which the search stops", "N",
           values.number(int, 1), "patience"),
    Option("--checkpoint", "limits", "save the search in FILE every N generations (default: 10) and at its end; where "
           "FILE is there already, go on from it", "FILE[,every=N]", values.checkpoint, "checkpoint"),
    Option("--seed", "limits", "same seed, same result", "S", values.number(int, 0), "random_state", {"default": 0}),
    Option("--n-jobs", "limits", "threads, or workers for an --estimator or a --judge; the result does not depend on "
           "them (default: -1, all processors)", "N", int, "n_jobs", {"default": -1}),

    Option("--rule", "choice", f"a rule, one of {', '.join(RULES)}, or the import path of a function of the front",
           "NAME", values.rule, "rule"),
    Option("--margin", "choice", "of the rule no_loss: standard errors of the difference to the best that count as no "
           "loss; more: smaller subsets (default: 0.25)", "X", values.number(float, 0)),
    Option("--n-features", "choice", "the best member of N features, or else of the nearest smaller number; not with "
           "--rule", "N", values.number(int, 1)),
    Option("--max-cost", "choice", "choose among members of at most this total of --feature-costs; the cheapest one if "
           "there is none", "X", values.number(float, 0)),

    Option("--out", "output", "folder for the results; new, or empty", "DIR", more={"required": True}),
    Option("--force", "output", "replace the results in DIR", parse=None, more={"action": "store_true"}),
    Option("--quiet", "output", "print errors only", parse=None, more={"action": "store_true"}),
)
"""All options; a parameter comes before its own parameters, as setting it would undo theirs."""


def add_options(parser):
    """Add `OPTIONS` to a parser; parameters that are not given, without a default here, are absent from its result."""
    groups = {name: parser.add_argument_group(name, text) for name, text in GROUPS.items()}
    exclusive = groups["choice"].add_mutually_exclusive_group()
    for option in OPTIONS:
        given = {"help": option.help.replace("%", "%%"), "type": option.parse, "metavar": option.metavar,
                 "default": None if option.path is None else argparse.SUPPRESS, **option.more}
        given = {name: value for name, value in given.items() if value is not None}
        group = exclusive if option.flag in ("--rule", "--n-features") else groups[option.group]
        group.add_argument(option.flag, **given)


def parameters_of(arguments):
    """Return the selector's parameters in the parsed arguments: dict from path to value, in the order of `OPTIONS`."""
    found = {}
    for option in OPTIONS:
        if option.path is not None and hasattr(arguments, option.name):
            value = getattr(arguments, option.name)
            form, inner = value if isinstance(value, values.Named) else (value, {})
            found |= {option.path: form, **{f"{option.path}.{key}": entry for key, entry in inner.items()}}
    return found


def with_option_names(message):
    """Return an error's message with the names of options in place of the parameters that they set."""
    flags = {option.path: option.flag for option in OPTIONS if option.path is not None}
    flags |= {name: f"--{name.replace('_', '-')}" for name in ("index", "n_features", "max_cost")}  # of `choose`

    def flag(found):
        advice = found[0].endswith("=")  # "max_features= takes"; elsewhere a name may be an ordinary word
        return flags[found[1]] if advice or "." in found[1] or found.start() == 0 else found[0]

    names = "|".join(map(re.escape, sorted(flags, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.'\"-])({names})(?:=(?= )|(?=[ =]))", flag, message)


def configure(selector, parameters):
    """Set parameters of a selector by their paths; a ValueError begins with the option that sets the parameter."""
    for path, value in parameters.items():
        try:
            selector.set_params(**{path.replace(".", "__"): value})
        except ValueError as error:
            own = [option for option in OPTIONS if option.path and f"{path}.".startswith(f"{option.path}.")]
            raise ValueError(f"{max(own, key=lambda option: len(option.path)).flag}: {error}") from error
