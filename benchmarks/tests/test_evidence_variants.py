"""The variants of the ablation are what their names say, spend what they are given, and repeat; so do the remedies."""


import numpy as np
import pytest
from evidence import module, rivals
from paper import variants
from scipy.stats import f_oneway

import moeliga
from moeliga import LocalImprovement, MOELIGASelector

FEW = 400
"""Evaluations: four searches of an initial population each."""


@pytest.fixture
def budget():
    return module("budget").Budget


def names():
    """Of all variants that are run; curves have tests of their own."""
    return variants.named([name for name in variants.GROUPS if name != "curves"])


def searched(name, X, y, budget, seed=0):
    with rivals():
        return variants.Variant.parse(name).search(X, y, budget, seed)


# variants


@pytest.mark.evidence
@pytest.mark.parametrize("name", names())
def test_every_variant_runs_within_its_budget_and_repeats(parts, budget, name):
    """A front, a choice by each rule, and the same again."""
    first, second = (searched(name, *parts[:2], budget(evaluations=FEW)) for _ in range(2))
    assert 0 < first.evaluations <= FEW
    assert set(first.choices) >= {"r1", "best", "five", "ten"} and len(first.front)
    assert all(0 <= place < len(first.front) for place in first.choices.values())
    assert np.array_equal(first.front.supports, second.front.supports) and first.choices == second.choices


def test_more_splits_get_fewer_evaluations(budget):
    """Ten splits count as ten thirds of an evaluation."""
    of = lambda name: variants.Variant.parse(name).selector(budget(evaluations=9000), 0).max_evaluations  # noqa: E731
    assert of("default") == 9000 and of("default + ten_splits") == 2700


@pytest.mark.parametrize("base", ["paper", "default"])
def test_bases_are_the_presets(budget, base):
    """With the paper's budget all parameters are theirs; with less only the subordinate populations are smaller."""
    ours = variants.Variant.parse(base)
    preset = MOELIGASelector.from_preset(base, random_state=3, n_jobs=1)
    whole = ours.selector(budget(generations=300), 3)
    short_forms = {"variation": moeliga.Variation(crossover="one_point")}
    if base == "default":
        short_forms = {"variation": moeliga.Variation(), "local_improvement": LocalImprovement(), "honest": None,
                       "rule": "r1", "islands": None, "population_size": 90, "n_generations": 300}
    assert repr(whole.described()) == repr(preset.set_params(**short_forms).described())
    short = ours.selector(budget(evaluations=8000), 3)
    assert (short.local_improvement.population_size, short.local_improvement.n_generations) == (40, 8)
    whole = ours.selector(budget(evaluations=666_000), 3).local_improvement
    assert (whole.population_size, whole.n_generations) == ((50, 70) if base == "paper" else (40, 8))


def test_one_switch_changes_one_thing(budget):
    """Every switch of the table changes what it says and nothing else."""
    def flat(name, limit):
        selector = variants.Variant.parse(name).selector(limit, 0)
        return {key: repr(value) for key, value in selector.described().items()}

    limits = {"n_generations", "max_evaluations"}
    for switch, parameters in variants.SWITCHES.items():
        # with few evaluations it is short anyway
        limit = budget(generations=300) if switch == "li_short" else budget(evaluations=8000)
        base, other = flat("paper", limit), flat(f"paper + {switch}", limit)
        changed = {key for key in base if base[key] != other.get(key)} - limits
        named = {key.replace("__", ".") for key in parameters}
        assert changed, switch
        # parameters of an object that comes or goes change with it
        assert all(key in named or any(key.startswith(f"{name}.") for name in named) for key in changed), switch


def test_names_say_what_a_variant_differs_from():
    pairs = {"paper": "", "paper + prior": "paper", "paper + average + prior": "paper + average",
             "moga - mean": "moga", "default - average": "default", "moga & screen100": "moga",
             "moga - mean & screen100": "moga - mean", "nsga2 + two_objectives": "nsga2"}
    assert {name: variants.Variant.parse(name).reference for name in pairs} == pairs


@pytest.mark.parametrize("name", ["worst", "paper +", "paper + nothing", "paper - prior", "moga & nothing",
                                  "nsga2 & screen100", "paper * prior", "best", "default + lower_bound"])
def test_unknown_variants_are_refused(name):
    with pytest.raises(ValueError, match="got"):
        variants.named([name])


def test_every_reference_is_run_too():
    """Else a variant of the groups would have nothing to be compared with; of NSGA-II each differs from the plain."""
    run = set(names())
    assert {variants.Variant.parse(name).reference for name in run} - {""} <= run
    assert variants.named(["paper + prior", "bases"])[0] == "default"


# budgets


def test_time_is_processor_time(parts, budget, monkeypatch):
    """The clock says stop after the third look."""
    module_, ticks = module("budget"), iter([10.0, 10.1, 10.2, 11.1, 99.0])
    monkeypatch.setattr(module_.time, "process_time", lambda: next(ticks))
    selector = variants.Variant.parse("paper").selector(budget(seconds=1.0), 0)
    selector.fit(*parts[:2])
    assert selector.stop_reason_ == "callback" and selector.history_["generation"].tolist() == [0, 1, 2]


def test_kinds_of_a_budget(budget):
    whole = [budget(evaluations=8000), budget(seconds=2.0), budget(generations=300)]
    assert [one.kind for one in whole] == ["evaluations", "time", "paper"]
    assert [one.full for one in whole] == [False, False, True]


# remedies


@pytest.mark.parametrize("count", [4, 300])
def test_screening_leaves_the_best_single_features(parts, budget, count):
    """By SciPy's analysis of variance; with fewer features than that nothing is left out."""
    X, y = parts[:2]
    make = variants.Variant.parse("moga").selector
    found = module("remedies.screen").screened(count, make, X, y, budget(evaluations=FEW), 0)
    F = [f_oneway(*(column[y == label] for label in np.unique(y))).statistic for column in X.T]
    kept = np.argsort(-np.array(F))[:count]
    seen = np.flatnonzero(found.front.supports.any(axis=0))
    assert found.front.supports.shape[1] == X.shape[1] and set(seen) <= set(kept)
    if count > X.shape[1]:
        plain = searched("moga", X, y, budget(evaluations=FEW))
        assert np.array_equal(plain.front.supports, found.front.supports)


def test_the_prior_by_classes_takes_turns():
    """The first features of three classes are those that stand for one each, though the best three are of one."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    noise = random.normal(size=(90, 5))
    strong, weak = (y == 0)[:, None] * 9.0 + random.normal(size=(90, 3)), random.normal(size=(90, 2))
    weak[y == 1, 0] += 3.0
    weak[y == 2, 1] += 3.0
    scores = variants.class_by_class(np.hstack((noise, strong, weak)), y)
    order = np.argsort(-scores)
    assert {8, 9} < set(order[:3]) and set(order[:5]) == {5, 6, 7, 8, 9} and len(set(scores)) == 10
