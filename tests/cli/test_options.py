"""Options of the command line: every parameter has one, and each sets the parameter that its text names."""

import argparse
import re
from inspect import signature
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from moeliga import (
    MOGA,
    Cardinality,
    Checkpoint,
    Constraints,
    Evaluation,
    FeaturePrior,
    FitnessSharing,
    Islands,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    NoLoss,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.cli.main import build_parser
from moeliga.cli.options import GROUPS, OPTIONS, configure, parameters_of, with_option_names
from moeliga.cli.select import build_selector
from moeliga.cli.values import band_sizes, split_names

MODULE = """
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
model = make_pipeline(StandardScaler(), LogisticRegression())
def make(C=1.0):
    return LogisticRegression(C=C)
def objective(mask, X, y):
    return 0.0
def rule(front):
    return 0
def score(estimator, X, y):
    return 0.5
def ranking(X, y):
    return [1, 2]
number = 3
"""


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    """Write a module of the user into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # so that it is taken away again
    (tmp_path / "my_report_module.py").write_text(MODULE)


def parse(*argv):
    return build_parser().parse_args(["select", "data.csv", "--out", "run", *argv])


def selector(*argv):
    """Return the selector that options ask for."""
    found = MOELIGASelector()
    configure(found, parameters_of(parse(*argv)))
    return found


def same(left, right):
    """Return True if two values are equal; estimators and value objects are compared by their parameters."""
    if isinstance(left, BaseEstimator):
        return type(left) is type(right) and left.get_params() == right.get_params()
    return type(left) is type(right) and left == right


def test_every_parameter_has_an_option():
    """By itself, or all parameters of its value object, but for functions of Python and what has another option.

    These are `verbose`, that is --quiet, and `constraints.encode`: the command encodes what it reads from files.
    """
    paths = [option.path for option in OPTIONS if option.path]
    without = {"callbacks", "verbose"}
    taken_apart = {"evaluation": Evaluation, "constraints": Constraints, "islands": Islands}
    expected = [name for name in signature(MOELIGASelector).parameters if name not in {*taken_apart, *without}]
    expected += [f"{name}.{key}" for name, kind in taken_apart.items() for key in signature(kind).parameters
                 if key != "encode"]
    assert sorted(paths) == sorted([*expected, "init.subsets"])
    assert without <= set(signature(MOELIGASelector).parameters)


def test_the_table_is_in_order():
    """Flags differ, groups exist, and a parameter comes before its own parameters, which it would replace."""
    flags, paths = [option.flag for option in OPTIONS], [option.path for option in OPTIONS if option.path]
    assert len(set(flags)) == len(flags) and {option.group for option in OPTIONS} == set(GROUPS)
    for path in paths:
        whole = path.partition(".")[0]
        assert whole not in paths or paths.index(whole) <= paths.index(path)


def test_keys_of_mechanisms_are_all_named():
    """Parameters of the value object behind a short form: in the text, or an option of their own."""
    paths = {option.path: option for option in OPTIONS if option.path}
    for name, kinds in (("survival", [MOGA]), ("init", [LogUniformInit, StaggeredInit]), ("variation", [Variation]),
                        ("feature_prior", [FeaturePrior]), ("local_improvement", [LocalImprovement])):
        itself = {"variation": "crossover", "feature_prior": "score_func", "local_improvement": "replacement"}
        for key in {key for kind in kinds for key in signature(kind).parameters} - {itself.get(name)}:
            assert f" {key}" in paths[name].text or f"{name}.{key}" in paths, key


def test_defaults_are_those_of_the_selector():
    """The text of an option names its default, where the parameter has one."""
    parameters = MOELIGASelector().get_params()
    for option in OPTIONS:
        default = parameters.get((option.path or "").replace(".", "__"))
        if default is not None:
            assert f"(default: {default})" in option.help, option.flag


def test_options_that_are_not_given_change_nothing():
    """The values of a preset stay."""
    assert parameters_of(parse()) == {"n_jobs": -1, "random_state": 0}


def test_parameters_of_presets_stay_beside_an_option():
    """The preset paper keeps its splits of every individual, with another number of splits."""
    found = MOELIGASelector.from_preset("paper")
    configure(found, parameters_of(parse("--n-splits", "5")))
    assert same(found.evaluation, Evaluation(n_splits=5, split_mode="individual", reevaluate="all", n_rescore_splits=0))


def test_the_page_of_the_guide_is_the_table():
    """One table for each group, one row for each option, in order."""
    page = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
    if not page.exists():
        pytest.skip("the guide is not here")
    text = page.read_text(encoding="utf-8")
    for group in GROUPS:
        rows = "".join(f"| {' | '.join(cells(option))} |\n" for option in OPTIONS if option.group == group)
        expected = f"### {group.capitalize()}\n\n| option | meaning | parameter |\n|---|---|---|\n{rows}\n"
        assert expected in text + "\n", expected


def cells(option):
    """Return the cells of an option on the page: how it is written, its help, its parameter."""
    value = option.metavar or "|".join(option.more.get("choices", ()))
    written = f"{option.flag} {value}".strip() if option.flag.startswith("--") else value
    text = re.sub(r"--[a-z][a-z-]*|'\S*'", lambda found: f"`{found[0]}`", option.help)  # as code: options and patterns
    return [f"`{written}`".replace("|", "\\|"), text, f"`{option.path}`" if option.path else ""]


@pytest.mark.quick(18)
@pytest.mark.parametrize("option, expected", [
    ("--n-splits 4", {"evaluation.n_splits": 4}), ("--validation-size 0.25", {"evaluation.validation_size": 0.25}),
    ("--split-mode individual", {"evaluation.split_mode": "individual"}),
    ("--reevaluate none", {"evaluation.reevaluate": "none"}),
    ("--n-rescore-splits 0", {"evaluation.n_rescore_splits": 0}), ("--subsample 400", {"evaluation.subsample": 400}),
    ("--subsample 0.1", {"evaluation.subsample": 0.1}), ("--subsample none", {"evaluation.subsample": None}),
    ("--archive", {"archive": True}), ("--no-archive", {"archive": False}),
    ("--init staggered", {"init": "staggered"}), ("--init log_uniform", {"init": "log_uniform"}),
    ("--survival nsga2", {"survival": "nsga2"}), ("--survival moga", {"survival": "moga"}),
    ("--variation one_point", {"variation": "one_point"}), ("--feature-prior chi2", {"feature_prior": "chi2"}),
    ("--feature-prior none", {"feature_prior": None}), ("--local-improvement none", {"local_improvement": None}),
    ("--local-improvement parent", {"local_improvement": "parent"}), ("--rule knee", {"rule": "knee"}),
    ("--n-islands 3", {"islands.n": 3}), ("--migration-interval 5", {"islands.every": 5}),
    ("--min-features 2", {"constraints.min_features": 2}), ("--max-features 5", {"max_features": 5}),
    ("--max-time 2.5", {"max_time": 2.5}), ("--patience 4", {"patience": 4}), ("--cv 5", {"cv": 5}),
    ("--cv none", {"cv": None}), ("--scoring f1_macro", {"scoring": "f1_macro"}),
    ("--estimator none", {"estimator": None}), ("--objectives uar,cost", {"objectives": ("uar", "cost")}),
    ("--must-include a --must-include b", {"constraints.must_include": ["a", "b"]}),
    ("--honest 3", {"honest": 3}), ("--honest none", {"honest": None}), ("--rule no_loss", {"rule": "no_loss"}),
    ("--judge none", {"islands.judges": None}), ("--combine min", {"islands.combine": "min"}),
    ("--generations 7", {"n_generations": 7}),
    ("--population 8", {"population_size": 8}),
    ("--seed 9", {"random_state": 9}), ("--n-jobs 2", {"n_jobs": 2}), ("--max-evaluations 99", {"max_evaluations": 99}),
    ("--survival moga,n_elite=3,sharing__sigma=0.1",
     {"survival": "moga", "survival.n_elite": 3, "survival.sharing__sigma": 0.1}),
])
def test_an_option_is_the_parameter_that_the_table_says(option, expected):
    found = {**{"n_jobs": -1, "random_state": 0}, **expected}
    given = parameters_of(parse(*option.split()))
    assert given == found and {path: type(value) for path, value in given.items()} == {
        path: type(value) for path, value in found.items()}


@pytest.mark.parametrize("flag, text, expected", [
    ("--init", "staggered,spread=0.1,fractions=(0.5,0.5),rates=(0.1,0.2)",
     StaggeredInit(spread=0.1, fractions=(0.5, 0.5), rates=(0.1, 0.2))),
    ("--init", "log_uniform,largest=0.25", LogUniformInit(largest=0.25)),
    ("--variation", "two_point,mutation=chromosome,mutation_rate=1",
     Variation(crossover="two_point", mutation="chromosome", mutation_rate=1)),
    ("--feature-prior", "chi2,share=0.25,offset=0", FeaturePrior("chi2", share=0.25, offset=0)),
    ("--survival", "moga,n_elite=3,selection=tournament,tournament_size=5,sharing=none",
     MOGA(n_elite=3, selection="tournament", tournament_size=5, sharing=None)),
    ("--local-improvement", "complete,every=9,patience=none",
     LocalImprovement(replacement="complete", every=9, patience=None)),
    ("--estimator", "RandomForestClassifier,n_estimators=7,criterion=entropy,max_features=None",
     RandomForestClassifier(n_estimators=7, criterion="entropy", max_features=None)),
    ("--estimator", "sklearn.linear_model.LogisticRegression,C=0.5", LogisticRegression(C=0.5)),
    ("--estimator", "my_report_module:make,C=0.25", LogisticRegression(C=0.25)),
])
def test_names_with_parameters(user_module, flag, text, expected):
    """The object that Python would make of it."""
    assert same(getattr(selector(flag, text), flag.removeprefix("--").replace("-", "_")), expected)


def test_parameters_of_parameters(user_module):
    """The sharing of a short form has parameters, and so has a feature prior by a function of the user."""
    found = selector("--survival", "moga,sharing=niche,sharing__sigma=0.1,sharing__space=objective").survival
    assert same(found.sharing, FitnessSharing(mode="niche", sigma=0.1, space="objective"))
    found = selector("--feature-prior", "my_report_module:ranking,share=1").feature_prior
    assert type(found) is FeaturePrior and found.score_func(None, None) == [1, 2] and found.share == 1
    assert selector("--feature-prior", "my_report_module:ranking").feature_prior(None, None) == [1, 2]
    found = selector("--init", "staggered,spread=0.1", "--initial-subsets", "a", "--initial-subsets", "b").init
    assert same(found, StaggeredInit(spread=0.1, subsets=["a", "b"]))


@pytest.mark.parametrize("flag, text, message", [
    ("--init", "log_uniform,spread=1", "--init: Invalid parameter 'spread' for estimator LogUniformInit()."),
    ("--feature-prior", "chi2,width=1", "--feature-prior: Invalid parameter 'width' for estimator FeaturePrior("),
    ("--local-improvement", "none,every=3",
     "--local-improvement: local_improvement__every cannot be set: local_improvement=None has no parameters"),
    ("--survival", "nsga2,n_elite=3",
     "--survival: survival__n_elite cannot be set: survival='nsga2' has no parameters"),
    ("--survival", "moga,sharing__width=3", "--survival: Invalid parameter 'width' for estimator FitnessSharing()."),
])
def test_parameters_that_are_not_there(flag, text, message):
    with pytest.raises(ValueError) as caught:
        selector(flag, text)
    assert str(caught.value).startswith(message)


def test_a_judge_guides_and_an_estimator_is_deployed():
    found = selector("--judge", "LogisticRegression,C=0.5", "--estimator", "GaussianNB", "--honest", "KFold,n_splits=3")
    judge, = found.islands.judges
    assert same(judge, LogisticRegression(C=0.5)) and found.islands.sizes == "auto"
    assert [type(guide) for guide in found.guides()] == [LogisticRegression]
    assert type(found.deployed()).__name__ == "GaussianNB"
    assert found.honest.get_n_splits() == 3


def test_several_judges_guide_together():
    found = selector("--judge", "LogisticRegression,C=0.5,GaussianNB", "--combine", "min").islands
    assert same(found.judges[0], LogisticRegression(C=0.5)) and found.combine == "min"
    assert [type(judge).__name__ for judge in found.judges] == ["LogisticRegression", "GaussianNB"]


def test_a_margin_is_of_the_rule():
    found = build_selector({}, parse("--margin", "0.5"))
    assert same(found.rule, NoLoss(margin=0.5))


def test_a_largest_size_is_a_number_or_a_share():
    assert [selector("--max-features", text).max_features for text in ("7", "0.5")] == [7, 0.5]


def test_objectives_with_parameters_and_functions(user_module):
    text = "uar,cardinality,gamma=-1,lambda_=none,separability,samples=9,my_report_module:objective"
    uar, cardinality, separability, own = selector("--objectives", text).objectives
    assert uar == "uar" and own(None, None, None) == 0.0
    assert type(cardinality) is Cardinality and cardinality.get_params() == {"gamma": -1, "lambda_": None}
    assert type(separability) is Separability and separability.samples == 9


def test_an_estimator_of_a_module_is_copied_and_set(user_module):
    model = selector("--estimator", "my_report_module.model,logisticregression__C=3").estimator
    import my_report_module
    assert type(model) is Pipeline and model[-1].C == 3 and my_report_module.model[-1].C == 1.0


def test_checkpoints():
    """A path, which may hold any character, perhaps with the number of generations between two writes."""
    assert selector("--checkpoint", "a,b=c.npz").checkpoint == "a,b=c.npz"
    found = selector("--checkpoint", "a,b.npz,every=3").checkpoint
    assert type(found) is Checkpoint and (found.path, found.every) == ("a,b.npz", 3)


def test_splitters_rules_and_scorers(user_module):
    """By the names of scikit-learn, or by path."""
    splitter = selector("--cv", "GroupKFold,n_splits=4").cv
    assert type(splitter) is GroupKFold and splitter.n_splits == 4
    splitter = selector("--cv", "sklearn.model_selection.StratifiedKFold,n_splits=3,shuffle=True").cv
    assert type(splitter) is StratifiedKFold and splitter.shuffle is True
    assert selector("--cv", "oob").cv == "oob"
    assert selector("--rule", "my_report_module:rule").rule(None) == 0
    assert selector("--scoring", "my_report_module:score").scoring(None, None, None) == 0.5


@pytest.mark.parametrize("flag, text, message", [
    ("--estimator", "RandomForest", "must be one of the classifiers and regressors of scikit-learn, or an import path "
     "with a dot, got 'RandomForest'; near it: RandomForestRegressor, RandomForestClassifier"),
    ("--estimator", "no_such_module.X", "cannot import 'no_such_module.X': No module named 'no_such_module'"),
    ("--estimator", "LogisticRegression,D=3", "LogisticRegression does not take D=3: "),
    ("--objectives", "uar,x=1,cardinality", "uar does not take x=1: it has no parameters"),
    ("--objectives", "uar,math:sqrt,C=3,d='a'", "math:sqrt does not take C=3,d=a: it has no parameters"),
    ("--estimator", "my_report_module:number",
     "my_report_module:number must be, or make, a classifier or regressor, got "),
    ("--estimator", "os.getcwd", "os.getcwd must be, or make, a classifier or regressor, got "),
    ("--estimator", "os.path", "os.path must be, or make, a classifier or regressor, got <module "),
    ("--estimator", "SVC,C=1,NuSVC", "must be one name, perhaps with ,KEY=VALUE, got 'SVC,C=1,NuSVC'"),
    ("--survival", "moga,n_elite", "must be one name, perhaps with ,KEY=VALUE, got 'moga,n_elite'"),
    ("--survival", "n_elite=1", "must begin with a name, got 'n_elite=1'"),
    ("--survival", "", "must be a name, perhaps with ,KEY=VALUE, got ''"),
    ("--init", "staggered,rates=(1", "must close its brackets and quotes, and have no empty parts, got "),
    ("--init", "random,largest=1", "must be one of the ways to begin, got 'random': log_uniform, staggered"),
    ("--init", "none", "must be one of the ways to begin, got 'none': log_uniform, staggered"),
    ("--feature-prior", "anova", "must be one of the scoring functions of scikit-learn, or an import path with a dot, "
     "got 'anova': auto, f_classif, mutual_info_classif, chi2, f_regression, mutual_info_regression"),
    ("--scoring", "balanced", "must be one of the scorers of scikit-learn, or an import path with a dot, got "),
    ("--rule", "nearest", "must be one of the rules, or an import path with a dot, got 'nearest': no_loss, one_se, "
     "best, "
     "knee, r1, r1_lambda"),
    ("--cv", "Kfold", "must be one of the splitters of scikit-learn, or an import path with a dot, got 'Kfold'; near "
     "it: KFold"),
    ("--split-mode", "all", "invalid choice: 'all'"),
    *(("--max-features", text, f"must be an integer of at least 1, or a share in (0, 1], got '{text}'")
      for text in ("0", "1.5", "half", "True", "nan")),
    ("--validation-size", "half", "must be a number, got 'half'"),
    ("--population", "1", "must be an integer of at least 2, got '1'"),
    ("--n-splits", 400 * "9", "must be an integer of at least 1, got '999"),
])
def test_texts_that_mean_nothing(user_module, capsys, flag, text, message):
    """Status 2 and one line that names the option, the rule and the value."""
    with pytest.raises(SystemExit) as caught:
        parse(flag, text)
    err = capsys.readouterr().err
    assert caught.value.code == 2 and err.count("\n") == 1
    assert err.startswith(f"moeliga: error: argument {flag}: {message}")


@pytest.mark.parametrize("text, expected", [
    ("a", [("a", {})]),
    ("a,b,c", [("a", {}), ("b", {}), ("c", {})]),
    ("a,x=1,y=b c,b,z=[1,2]", [("a", {"x": 1, "y": "b c"}), ("b", {"z": [1, 2]})]),
    ("a,x='1,2',y={'k': (1,)},z=1e-3", [("a", {"x": "1,2", "y": {"k": (1,)}, "z": 1e-3})]),
    ("a,x=none,y=None,z=True", [("a", {"x": None, "y": None, "z": True})]),
    ("a,x=b=c", [("a", {"x": "b=c"})]),
    ("a,x={[]: 1}", [("a", {"x": "{[]: 1}"})]),
    ("a,x=" + 999 * "-", [("a", {"x": 999 * "-"})]),
])
def test_the_grammar_of_names_and_keys(text, expected):
    assert split_names(text) == expected


@pytest.mark.parametrize(("text", "sizes"), [("auto", "auto"), ("none", None), ("5,10, 20", [5, 10, 20]), ("7", [7])])
def test_bands_of_sizes(text, sizes):
    assert band_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "5,", "0", "5,x", "5.5"])
def test_bands_of_sizes_are_integers(text):
    with pytest.raises(argparse.ArgumentTypeError, match="must be an integer of at least 1, got "):
        band_sizes(text)


@pytest.mark.parametrize(("message", "expected"), [
    ("evaluation.validation_size must be in (0, 1), got 2", "--validation-size must be in (0, 1), got 2"),
    ("constraints.must_include and constraints.exclude must not share", "--must-include and --exclude must not share"),
    ("max_features must be >= constraints.min_features=5, got 3", "--max-features must be >= --min-features=5, got 3"),
    ("honest must be at least 2, got 1", "--honest must be at least 2, got 1"),
    ("index must be in [0, 3], got 9", "--index must be in [0, 3], got 9"),
    ("data.csv: no honest cv in it", "data.csv: no honest cv in it"),
    ("run/settings.json: index must be in [0, 3]", "run/settings.json: index must be in [0, 3]")])
def test_messages_name_options(message, expected):
    """Parameters are replaced at the beginning of a message, parameters of parameters anywhere."""
    assert with_option_names(message) == expected
