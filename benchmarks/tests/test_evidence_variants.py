"""The variants of the ablation are what their names say, spend what they are given, and repeat; so do the remedies."""


import numpy as np
import pytest
from evidence import AT_HAND, listed, module
from scipy.stats import f_oneway
from sklearn.metrics import balanced_accuracy_score

import moeliga
from moeliga import LocalImprovement, MOELIGASelector

FEW = 400
"""Evaluations: four searches of an initial population each."""

pytestmark = AT_HAND


@pytest.fixture
def variants():
    return module("variants")


@pytest.fixture
def budget():
    return module("budget").Budget


def names():
    """Of all variants that are run; curves have tests of their own."""
    return module("variants").named([name for name in module("variants").GROUPS if name != "curves"])


def searched(name, X, y, budget, seed=0):
    try:
        return module("variants").Variant.parse(name).search(X, y, budget, seed)
    except module("competitors").Missing as error:
        pytest.skip(str(error))


# variants


@pytest.mark.evidence
@pytest.mark.parametrize("name", [name for name in listed(names) if "bagging" not in name])
def test_every_variant_runs_within_its_budget_and_repeats(parts, budget, name):
    """A front, a choice by each rule, and the same again."""
    first, second = (searched(name, *parts[:2], budget(evaluations=FEW)) for _ in range(2))
    assert 0 < first.evaluations <= FEW
    assert set(first.choices) >= {"r1", "best", "five", "ten"} and len(first.front)
    assert all(0 <= place < len(first.front) for place in first.choices.values())
    assert np.array_equal(first.front.supports, second.front.supports) and first.choices == second.choices


def test_ensembles_get_fewer_evaluations(variants, budget):
    """Five trees in each of three splits count as five evaluations, ten splits as ten thirds."""
    of = lambda name: variants.Variant.parse(name).selector(budget(evaluations=9000), 0).max_evaluations  # noqa: E731
    assert of("default") == 9000 and of("default + ten_splits") == 2700 and of("default + bagging") == 1800


@pytest.mark.evidence
def test_ensembles_are_evaluated(parts, budget):
    """The initial population, the least that a search can do."""
    found = searched("paper + bagging + two_objectives", *parts[:2], budget(evaluations=90))
    assert found.evaluations == 90 and 0.5 < found.front.score.max() <= 1


@pytest.mark.parametrize("base", ["paper", "default"])
def test_bases_are_the_presets(variants, budget, base):
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


def test_one_switch_changes_one_thing(variants, budget):
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


@pytest.mark.parametrize("name", ["best", "paper + average + confirmations", "default + li_front", "best & null"])
def test_variants_of_the_past_are_compared_and_not_run(variants, name):
    """Their results name a reference; to run them is refused, naming a switch that is gone."""
    assert variants.of_name(name).reference in ("", "paper + average", "default", "best")
    with pytest.raises(ValueError, match="switches that there are, got .* with .*(confirmations|li_front)"):
        variants.named([name])
    assert variants.of_name("best - lower_bound - confirmations - balanced").past == ["n_per_size"]


def test_names_say_what_a_variant_differs_from(variants):
    pairs = {"paper": "", "paper + prior": "paper", "paper + average + confirmations": "paper + average",
             "best - prior": "best", "default - average": "default", "best & null": "best",
             "best - prior & null": "best - prior", "nsga2 + two_objectives": "nsga2"}
    assert {name: variants.Variant.parse(name).reference for name in pairs} == pairs


@pytest.mark.parametrize("name", ["worst", "paper +", "paper + nothing", "paper - prior", "best & nothing",
                                  "nsga2 & null", "paper * prior"])
def test_unknown_variants_are_refused(variants, name):
    with pytest.raises(ValueError, match="got"):
        variants.named([name])


def test_every_reference_is_run_too(variants):
    """Else a variant of the groups would have nothing to be compared with; of NSGA-II each differs from the plain."""
    run = set(names())
    assert {variants.Variant.parse(name).reference for name in run} - {""} <= run
    assert variants.named(["paper + prior", "bases"])[0] == "default"


# budgets


def test_time_is_processor_time(parts, budget, monkeypatch):
    """The clock says stop after the third look."""
    module_, ticks = module("budget"), iter([10.0, 10.1, 10.2, 11.1, 99.0])
    monkeypatch.setattr(module_.time, "process_time", lambda: next(ticks))
    selector = module("variants").Variant.parse("paper").selector(budget(seconds=1.0), 0)
    selector.fit(*parts[:2])
    assert selector.stop_reason_ == "callback" and selector.history_["generation"].tolist() == [0, 1, 2]


def test_parts_of_a_budget(budget):
    whole = [budget(evaluations=8000), budget(seconds=2.0), budget(generations=300)]
    assert [one.part(4).name for one in whole] == ["2000 evaluations", "0.5 s", "75 generations"]
    assert [one.kind for one in whole] == ["evaluations", "time", "paper"]
    assert [one.full for one in whole] == [False, False, True]


# remedies


@pytest.mark.parametrize("remedy", ["hold_out", "hold_out_stop"])
def test_the_hold_out_is_kept_from_the_search(parts, budget, monkeypatch, remedy):
    """The search gets the other rows alone; the choice of "hold_out" goes by one tree on the rows held out."""
    X, y = parts[:2]
    fitted, fit = [], MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y: fitted.append((X, y)) or fit(self, X, y))
    found = searched(f"default & {remedy}", X, y, budget(evaluations=1000))
    (seen, labels), = fitted
    hidden = np.array([not (row == seen).all(axis=1).any() for row in X])
    assert len(seen) + hidden.sum() == len(X) and 0.2 < hidden.mean() < 0.3
    assert np.array_equal(np.sort(np.bincount(y[hidden]) + np.bincount(labels)), np.sort(np.bincount(y)))
    tree = moeliga.DecisionTreeClassifier(max_depth=100)
    uar = [balanced_accuracy_score(y[hidden], tree.fit(seen[:, mask], labels).predict(X[hidden][:, mask]))
           for mask in found.front.supports]
    assert (found.front.score.tolist() == pytest.approx(uar)) == (remedy == "hold_out")


def test_the_hold_out_ends_the_search(parts, monkeypatch):
    """After five looks without growth, at every second generation."""
    hold_out = module("remedies.hold_out")
    watcher = hold_out.HoldOut(*parts[:2], np.arange(0, 100, 4))
    volumes = iter([0.5, 0.6, 0.6, 0.5, 0.6, 0.59, 0.6])
    monkeypatch.setattr(hold_out, "hypervolume", lambda scores, ratios: next(volumes))

    class State:
        population = type("Population", (), {"rank": np.array([1, 2])})
        supports = np.eye(13, dtype=bool)[:2]

        def __init__(self, generation):
            self.generation = generation

    answers = [watcher(State(generation)) for generation in range(13)]
    assert answers == [False] * 12 + [True] and watcher.best == 0.6 and len(watcher.known) == 1


def test_null_labels_are_shuffled(parts, budget, monkeypatch):
    """Two searches of half the budget on the same rows, the second with as many labels of each class."""
    X, y = parts[:2]
    fitted, fit = [], MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y: fitted.append((self, X, y)) or fit(self, X, y))
    found = searched("moga & null", X, y, budget(evaluations=FEW))
    (real, first, labels), (null, second, shuffled) = fitted
    assert first is second is X and np.array_equal(labels, y)
    assert np.array_equal(np.sort(shuffled), np.sort(y)) and 0.4 < np.mean(shuffled != y)
    assert real.max_evaluations == null.max_evaluations == FEW // 2
    assert found.evaluations == real.n_evaluations_ + null.n_evaluations_
    assert np.array_equal(found.front.score, real.pareto_front_.score)


def test_the_choice_goes_by_what_is_above_the_null_front(parts, budget, monkeypatch):
    """A null front that gets better with every feature leaves the smallest member; one without small members, too;
    one that is below chance changes nothing."""
    null_front = module("remedies.null_front")
    for null, smallest in ((lambda sizes: 0.4 + 0.3 * sizes, True), (lambda sizes: 0.0 * sizes, False),
                           (lambda sizes: np.where(sizes == sizes.min(), np.nan, 1.2), True)):
        monkeypatch.setattr(null_front, "best_at_most", lambda front, sizes, null=null: null(sizes))
        found = searched("moga & null", *parts[:2], budget(evaluations=FEW))
        sizes, best = found.front.n_selected, found.front.choose("best")
        assert sizes[best] > sizes.min()
        assert (sizes[found.choices["best"]] == sizes.min()) == smallest
        assert (found.choices["best"] == best) != smallest


def test_shuffled_labels_depend_on_the_seed():
    shuffled, y = module("remedies.null_front").shuffled, np.arange(50)
    assert np.array_equal(shuffled(y, 1), shuffled(y, 1)) and not np.array_equal(shuffled(y, 1), shuffled(y, 2))


@pytest.mark.parametrize("remedy", ["consensus", "merged"])
def test_consensus_takes_prefixes_of_shared_features(parts, budget, monkeypatch, remedy):
    """Four searches of a quarter of the budget on four fifths of the samples; prefixes by frequency, and members."""
    X, y = parts[:2]
    fitted, fit = [], MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y: fitted.append((self, X)) or fit(self, X, y))
    found = searched(f"default & {remedy}", X, y, budget(evaluations=8 * FEW))
    selectors = [selector for selector, _ in fitted]
    assert [selector.max_evaluations for selector in selectors] == [2 * FEW] * 4
    assert found.evaluations == sum(selector.n_evaluations_ for selector in selectors) <= 8 * FEW
    assert all(0.75 < len(seen) / len(X) < 0.82 for _, seen in fitted)
    assert len({seen.tobytes() for _, seen in fitted}) == 4
    shares = sum(selector.pareto_front_.supports.mean(axis=0) for selector in selectors)
    members = {mask.tobytes() for selector in selectors for mask in selector.pareto_front_.supports}
    prefix = [shares[mask].min() >= shares[~mask].max() - 1e-12 for mask in found.front.supports]
    member = [mask.tobytes() in members for mask in found.front.supports]
    assert all(prefix) if remedy == "consensus" else np.all(np.logical_or(prefix, member)) and not all(prefix)
    assert np.all(np.diff(found.front.n_selected) > 0) and np.all(np.diff(found.front.score) > 0)


@pytest.mark.parametrize("count", [4, 300])
def test_screening_leaves_the_best_single_features(parts, budget, count):
    """By SciPy's analysis of variance; with fewer features than that nothing is left out."""
    X, y = parts[:2]
    make = module("variants").Variant.parse("moga").selector
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
    scores = module("variants").class_by_class(np.hstack((noise, strong, weak)), y)
    order = np.argsort(-scores)
    assert {8, 9} < set(order[:3]) and set(order[:5]) == {5, 6, 7, 8, 9} and len(set(scores)) == 10
