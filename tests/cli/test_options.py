"""Options of the command line: none is forgotten, and each becomes the parameter that its text says."""

import argparse
from inspect import signature

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from moeliga import (
    Cardinality,
    Checkpoint,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.cli.main import build_parser
from moeliga.cli.options import LEFT_OUT, OWN, REPEATED, SHORT, add_parameters
from moeliga.cli.specs import specs

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
    """A module of the user's in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # so that it is taken away again
    (tmp_path / "my_report_module.py").write_text(MODULE)


def options():
    parser = argparse.ArgumentParser()
    add_parameters(parser, parser)
    return parser


def parse(*argv):
    return vars(build_parser().parse_args(["select", "data.csv", "--out", "run", *argv]))


def test_every_parameter_has_an_option():
    """What has none is listed, with a reason, and is a parameter; nothing else is listed anywhere."""
    parameters = set(signature(MOELIGASelector).parameters)
    found = {action.dest for action in options()._actions} - {"help"}
    assert found == parameters - set(LEFT_OUT)
    assert {*LEFT_OUT, *OWN, *REPEATED, *SHORT} <= parameters and all(LEFT_OUT.values())


def test_options_are_called_like_their_parameters():
    """Two have an older, shorter name too."""
    flags = {flag for action in options()._actions for flag in action.option_strings}
    parameters = set(signature(MOELIGASelector).parameters) - set(LEFT_OUT)
    assert {"--" + name.replace("_", "-") for name in parameters} <= flags
    assert parse("--n-generations", "7")["n_generations"] == parse("--generations", "7")["n_generations"] == 7


def test_options_that_are_not_given_change_nothing():
    """A preset's own values stay."""
    assert set(parse()) & set(signature(MOELIGASelector).parameters) == {"n_jobs", "random_state"}


@pytest.mark.parametrize("flag, text, expected", [
    ("--n-splits", "4", 4), ("--validation-size", "0.25", 0.25), ("--split-mode", "generation", "generation"),
    ("--n-elite", "3", 3), ("--generation-gap", "0", 0), ("--reevaluate", "none", "none"),
    ("--archive", None, True),
    ("--no-archive", None, False), ("--n-rescore-splits", "0", 0), ("--init", "staggered", "staggered"),
    ("--subsample", "400", 400), ("--subsample", "0.1", 0.1),
    ("--subsample", "none", None),
    ("--survival", "nsga2", "nsga2"), ("--n-per-size", "2", 2), ("--init", "log_uniform", "log_uniform"),
    ("--feature-prior", "f_classif", "f_classif"), ("--feature-prior", "none", None),
    ("--variation", "uniform", "uniform"), ("--sharing", "none", None), ("--sharing", "niche", "niche"),
    ("--local-improvement", "none", None), ("--local-improvement", "complete", "complete"), ("--rule", "knee", "knee"),
    ("--min-features", "2", 2), ("--max-features", "5", 5), ("--max-time", "2.5", 2.5), ("--patience", "4", 4),
    ("--cv", "5", 5), ("--cv", "none", None), ("--scoring", "f1_macro", "f1_macro"), ("--estimator", "none", None),
    ("--objectives", "uar,cost", ("uar", "cost")), ("--must-include", "a", ["a"]),
])
def test_plain_values(flag, text, expected):
    name = flag.removeprefix("--").removeprefix("no-").replace("-", "_")
    given = parse(flag) if text is None else parse(flag, text)
    assert given[name] == expected and type(given[name]) is type(expected)


@pytest.mark.parametrize("flag, text, expected", [
    ("--init", "staggered,spread=0.1,fractions=(0.5,0.5),rates=(0.1,0.2)",
     StaggeredInit(spread=0.1, fractions=(0.5, 0.5), rates=(0.1, 0.2))),
    ("--init", "log_uniform,largest=0.25", LogUniformInit(largest=0.25)),
    ("--variation", "uniform,selection=tournament,tournament_size=5",
     Variation(crossover="uniform", selection="tournament", tournament_size=5)),
    ("--variation", "uniform,mutation=chromosome,mutation_rate=1",
     Variation(crossover="uniform", mutation="chromosome", mutation_rate=1)),
    ("--feature-prior", "chi2,share=0.25,offset=0", FeaturePrior("chi2", share=0.25, offset=0)),
    ("--sharing", "niche,sigma=0.1,space=objective", FitnessSharing(mode="niche", sigma=0.1, space="objective")),
    ("--local-improvement", "complete,every=9,patience=none",
     LocalImprovement(replacement="complete", every=9, patience=None)),
    ("--estimator", "RandomForestClassifier,n_estimators=7,criterion=entropy,max_features=None",
     RandomForestClassifier(n_estimators=7, criterion="entropy", max_features=None)),
    ("--estimator", "sklearn.linear_model.LogisticRegression,C=0.5", LogisticRegression(C=0.5)),
    ("--estimator", "my_report_module:make,C=0.25", LogisticRegression(C=0.25)),
])
def test_names_with_parameters(user_module, flag, text, expected):
    """The object that Python would make of it."""
    found = parse(flag, text)[flag.removeprefix("--").replace("-", "_")]
    assert type(found) is type(expected) and found.get_params() == expected.get_params()


def test_objectives_with_parameters_and_functions(user_module):
    text = "uar,cardinality,gamma=-1,lambda_=none,separability,samples=9,my_report_module:objective"
    uar, cardinality, separability, own = parse("--objectives", text)["objectives"]
    assert uar == "uar" and own(None, None, None) == 0.0
    assert type(cardinality) is Cardinality and cardinality.get_params() == {"gamma": -1, "lambda_": None}
    assert type(separability) is Separability and separability.samples == 9


def test_an_estimator_of_a_module_is_copied_and_set(user_module):
    model = parse("--estimator", "my_report_module.model,logisticregression__C=3")["estimator"]
    import my_report_module
    assert type(model) is Pipeline and model[-1].C == 3 and my_report_module.model[-1].C == 1.0


def test_checkpoints():
    """A path, whatever is in it, perhaps with how often it is written."""
    assert parse("--checkpoint", "a,b=c.npz")["checkpoint"] == "a,b=c.npz"
    found = parse("--checkpoint", "a,b.npz,every=3")["checkpoint"]
    assert type(found) is Checkpoint and (found.path, found.every) == ("a,b.npz", 3)


def test_splitters_rules_and_scorers(user_module):
    """By the names of scikit-learn, or by path."""
    splitter = parse("--cv", "GroupKFold,n_splits=4")["cv"]
    assert type(splitter) is GroupKFold and splitter.n_splits == 4
    splitter = parse("--cv", "sklearn.model_selection.StratifiedKFold,n_splits=3,shuffle=True")["cv"]
    assert type(splitter) is StratifiedKFold and splitter.shuffle is True
    assert parse("--rule", "my_report_module:rule")["rule"](None) == 0
    assert parse("--scoring", "my_report_module:score")["scoring"](None, None, None) == 0.5
    assert parse("--feature-prior", "my_report_module:ranking")["feature_prior"](None, None) == [1, 2]
    found = parse("--feature-prior", "my_report_module:ranking,share=1")["feature_prior"]
    assert type(found) is FeaturePrior and found.score_func(None, None) == [1, 2] and found.share == 1


@pytest.mark.parametrize("flag, text, message", [
    ("--estimator", "RandomForest", "must be one of the classifiers and regressors of scikit-learn, or an import path "
     "with a dot, got 'RandomForest'; near it: RandomForestRegressor, RandomForestClassifier"),
    ("--estimator", "no_such_module.X", "cannot import 'no_such_module.X': No module named 'no_such_module'"),
    ("--estimator", "LogisticRegression,D=3", "LogisticRegression does not take D=3: "),
    ("--estimator", "my_report_module:number", "my_report_module:number does not take no parameters: "),
    ("--estimator", "SVC,C=1,NuSVC", "must be one name, perhaps with ,KEY=VALUE, got 'SVC,C=1,NuSVC'"),
    ("--sharing", "niche,sigma", "must be one name, perhaps with ,KEY=VALUE, got 'niche,sigma'"),
    ("--sharing", "sigma=1", "must begin with a name, got 'sigma=1'"),
    ("--sharing", "", "must be a name, perhaps with ,KEY=VALUE, got ''"),
    ("--init", "staggered,rates=(1", "must close its brackets and quotes, and have no empty parts, got "),
    ("--init", "random,largest=1", "must be one of staggered, log_uniform where it has parameters, got "),
    ("--init", "log_uniform,spread=1", "LogUniformInit does not take "),
    ("--feature-prior", "anova", "must be one of the scoring functions of scikit-learn, or an import path with a dot, "
     "got 'anova': auto, f_classif, mutual_info_classif, chi2, f_regression, mutual_info_regression"),
    ("--feature-prior", "chi2,width=1", "FeaturePrior does not take "),
    ("--sharing", "niche,width=1", "FitnessSharing does not take "),
    ("--scoring", "balanced", "must be one of the scorers of scikit-learn, or an import path with a dot, got "),
    ("--rule", "nearest", "must be one of the rules, or an import path with a dot, got 'nearest': r1, r1_lambda, knee, "
     "one_se, best"),
    ("--cv", "Kfold", "must be one of the splitters of scikit-learn, or an import path with a dot, got 'Kfold'; near "
     "it: KFold"),
    ("--split-mode", "all", "invalid choice: 'all'"),
    ("--max-features", "0", "must be an integer of at least 1, got '0'"),
    ("--validation-size", "half", "must be a number, got 'half'"),
    ("--n-elite", "all", "must be an integer of at least 0, got 'all'"),
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
    assert specs(text) == expected


def test_help_names_every_parameter_and_every_default():
    """The text of the docstring, with defaults of the signature."""
    text = " ".join(options().format_help().split())
    for name, parameter in signature(MOELIGASelector).parameters.items():
        if name not in LEFT_OUT and isinstance(parameter.default, int | float | str) and name not in OWN:
            assert f"(default: {parameter.default})" in text
    assert np.all([f"--{name.replace('_', '-')}" in text for name in signature(MOELIGASelector).parameters
                   if name not in {*LEFT_OUT, *SHORT}])
