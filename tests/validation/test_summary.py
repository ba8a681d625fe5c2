"""The summary: what each rule chooses and what that is worth."""

import math
import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import hamming_loss, make_scorer
from sklearn.naive_bayes import GaussianNB

from cross_fitted import data, small
from moeliga import MOELIGASelector, NoLoss
from moeliga.results.rules import RULES
from moeliga.results.run_record import Record
from moeliga.results.summary import Summary, kept_all, notes
from moeliga.results.text import Names, Worth, honest_text, score_text, verdict
from moeliga.validation.summary import baselines_shown


@pytest.fixture(scope="module")
def selector():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moeliga.search.ranking.N_TREES", 5)
        return small().fit(*data(np.random.default_rng(0)))


def test_a_row_for_each_rule_is_what_the_rule_chooses(selector):
    """With its assessment; then all features, and the best of each ranking."""
    front, baselines = selector.pareto_front_, selector.baselines_
    rows = selector.summary().rows
    assert [row["rule"] for row in rows] == [*RULES, "", "", ""]
    assert [row["chosen"] for row in rows] == [True, *(len(rows) - 1) * [False]]
    for rule, row in zip(RULES, rows, strict=False):
        found = selector.assess(rule)
        assert found.index == front.choose(rule)
        assert (row["n_selected"], row["source"]) == (front.n_selected[found.index], front.source[found.index])
        assert (row["honest_score"], row["low"], row["high"]) == (found.score, *found.interval)
        assert (row["difference"], row["difference_low"], row["difference_high"]) == (
            found.difference, *found.difference_interval)
    scores = {source: max(score for score, name in zip(baselines.honest_score, baselines.source, strict=True)
                          if name == source) for source in ("all", "f_classif", "forest")}
    assert [(row["source"], row["honest_score"]) for row in rows[6:]] == list(scores.items())
    assert [row["difference"] for row in rows[7:]] == [scores[name] - scores["all"] for name in ("f_classif", "forest")]
    assert math.isnan(rows[6]["difference"])


@pytest.mark.parametrize("method", ["assess", "select"])
def test_an_unknown_limit_is_refused_by_name(selector, method):
    with pytest.raises(TypeError, match=rf"\b{method}\(\) got an unexpected keyword argument 'foo'"):
        getattr(selector, method)(foo=1)


def test_the_best_of_a_ranking_is_one_that_has_a_score():
    """A scorer may have none for some; all features come first, whatever the others are called."""
    baselines = SimpleNamespace(source=np.array(["a", "a", "a", "b", "all"]),
                                honest_score=np.array([0.5, math.nan, 0.7, math.nan, 0.6]))
    assert baselines_shown(baselines) == [4, 2]


def test_one_row_is_chosen_where_a_function_has_the_name_of_a_rule(selector):
    """And chooses the same."""
    def best(front):
        return front.choose("best")

    named_so = pickle.loads(pickle.dumps(selector)).set_params(rule=best).select()
    rows = named_so.summary().rows
    assert [row["rule"] for row in rows[: len(RULES) + 1]] == ["best", *RULES]
    assert [row["chosen"] for row in rows] == [True, *(len(rows) - 1) * [False]]


def test_the_text_has_the_rows(selector):
    """Columns are aligned, and a star marks what is chosen."""
    lines = repr(selector.summary()).splitlines()
    assert [line[0] for line in lines[1:10]] == ["*", *8 * [" "]]
    assert [line.split()[0].lstrip("*") or line.split()[1] for line in lines[1:10]] == [*RULES, "-", "-", "-"]
    for line, row in zip(lines[1:], selector.summary().rows, strict=False):
        numbers = re.findall(r"[+-]?\d+\.\d{3}", line)
        values = [row[name] for name in ("honest_score", "low", "high", "difference", "difference_low",
                                         "difference_high")]
        assert [float(number) for number in numbers] == [float(f"{value:.3f}") for value in values if value == value]
    assert lines[0].split()[3:5] == ["honest", "UAR"]
    assert f"{selector.honest_score_:.3f}" in " ".join(lines[10:])


@pytest.mark.slow
def test_html_and_frames_have_the_rows(selector):
    """A cell for each column."""
    shown = selector.summary()._repr_html_()
    assert shown.count("<tr>") == 10
    assert shown.count("<td>") == 9 * 7
    summary, record = selector.summary(), Record.of(selector)
    assert summary.ended == record.ended() and shown.endswith(f"<p>{summary.ended}</p>")
    assert summary.ended not in " ".join(repr(summary).split())  # which is the same for the same seed
    assert record.with_choice("best").summary.ended == summary.ended
    pytest.importorskip("pandas")
    frame = selector.summary().to_frame()
    assert frame["honest_score"].tolist() == [row["honest_score"] for row in selector.summary().rows]


class Evil:
    """A rule that cannot be hashed, with a name that is markup."""

    __hash__ = None
    __name__ = "<b>&"

    def __call__(self, front):
        return 0


@pytest.mark.quick(1)
@pytest.mark.parametrize(("rule", "name"), [(NoLoss(1.0), "NoLoss(margin=1.0)"), (Evil(), "<b>&"),
                                            (lambda front: 0, "<lambda>")], ids=["NoLoss", "object", "function"])
def test_the_selector_s_own_rule_comes_first(rng, rule, name):
    """Whatever it is."""
    selector = small(honest=2, rule=rule).fit(*data(rng))
    summary = selector.summary()
    assert summary.rows[0]["rule"] == name
    assert summary.rows[0]["chosen"]
    assert [row["rule"] for row in summary.rows[1:7]] == list(RULES)
    assert "<b>" not in summary._repr_html_()


def test_one_search_has_a_summary_too(rng):
    """It says that its score is too high."""
    selector = small(honest=None).fit(*data(rng))
    summary = selector.summary()
    assert [row["rule"] for row in summary.rows] == list(RULES)
    assert all(math.isnan(row["honest_score"]) for row in summary.rows)
    assert "too high for new samples" in " ".join(repr(summary).split())


@pytest.mark.slow
def test_all_features_are_said_to_be_kept(selector, monkeypatch):
    """Where the rule keeps them, with the first rule that does not; a choice by hand says nothing of the kind."""
    whole = selector.pareto_front_.n_selected.tolist().index(9)
    try:
        selector.select(index=whole)
        assert "all features are kept" not in repr(selector.summary())
        selector.select(NoLoss(margin=0))
        assert ("all features are kept" in repr(selector.summary())) == selector.support_.all()
        monkeypatch.setattr(selector, "_chosen", selector._chosen._replace(row="no_loss"))
        monkeypatch.setattr(selector, "index_", whole)
        rows, text = selector.summary().rows, " ".join(repr(selector.summary()).split())
        assert any(row["difference"] > 0 for row in rows if row["source"] != "all")
        assert "All features are kept: averaged over neighbouring sizes, no smaller subset scores as well." in text
    finally:
        monkeypatch.undo()
        selector.select()
    assert "all features are kept" not in repr(selector.summary()) or selector.support_.all()


@pytest.mark.parametrize(("sources", "sentence"), [
    (("all", "search"), " A rule such as 'knee', or max_features, chooses fewer at the loss shown."), (("all",), "")])
def test_what_is_said_where_all_features_are_kept(sources, sentence):
    """With the first rule that chooses fewer; nothing of rules where there is nothing smaller."""
    rows = [{"rule": rule, "source": source, "difference": -0.1 * (source != "all")}
            for rule, source in (("no_loss", "all"), ("knee", "search"), ("", "f_classif")) if source != "search" or
            source in sources]
    front = SimpleNamespace(source=np.array(sources))
    assert kept_all(rows, front) == f"Nothing smaller is as good here: all features are kept.{sentence}"


def test_a_choice_by_size_is_told_in_the_sentence(selector):
    """And has a row of its own, with a star and with what it is worth."""
    size = int(selector.pareto_front_.n_selected[0])
    try:
        selector.select(n_features=size)
        text, rows = " ".join(repr(selector.summary()).split()), selector.summary().rows
        assert f"Chosen by n_features {size}: {size} of 9 features" in text
        assert [row["rule"] for row in rows] == [f"n_features {size}", *RULES, "", "", ""]
        assert [row["chosen"] for row in rows] == [True, *9 * [False]]
        assert (rows[0]["honest_score"], rows[0]["low"]) == (selector.honest_score_, selector.honest_interval_[0])
    finally:
        selector.select()


@pytest.mark.quick(1)
@pytest.mark.parametrize(("rule", "limits", "row", "how"), [
    ("best", {}, "best", "rule 'best'"), ("knee", {}, "knee", "rule 'knee'"),
    ("one_se", {"max_features": 5}, "one_se, max_features 5", "rule 'one_se', max_features 5"),
    (None, {"max_features": 6}, "no_loss, max_features 6", "rule 'no_loss', max_features 6"),
    (NoLoss(margin=3), {}, "NoLoss(margin=3)", "rule 'NoLoss(margin=3)'"), (None, {"index": 0}, "index 0", "index 0")])
def test_what_has_chosen_is_told(selector, rule, limits, row, how):
    """Also where another rule chooses the same member: what a choice is worth depends on how it was made."""
    try:
        selector.select(rule, **limits)
        summary = selector.summary()
        chosen, = [entry for entry in summary.rows if entry["chosen"]]
        assert (chosen["rule"], chosen["honest_score"]) == (row, selector.honest_score_)
        assert summary.sentences[0].startswith(f"Chosen by {how}: ")
        assert repr(pickle.loads(pickle.dumps(selector)).summary()) == repr(summary)
    finally:
        selector.select()


def test_a_rule_that_fails_leaves_the_choice(rng):
    """Rules are asked again of drawn samples, where they may fail."""
    selector = small().fit(*data(rng))
    before, fronts = (selector.index_, selector.honest_score_, *selector.support_), []

    def rule(front):
        fronts.append(front)
        return (selector.index_ + 1) % len(front) if len(fronts) == 1 else len(front)

    with pytest.raises(ValueError, match="the index that rule returns must be in"):
        selector.select(rule)
    assert len(fronts) == 2 and (selector.index_, selector.honest_score_, *selector.support_) == before


def first(mask, X, y):
    return float(mask[0])


@pytest.mark.parametrize(("honest", "said"), [(3, "honest UAR 0."), (None, "UAR 0.")])
def test_scores_of_classifiers_are_uar_whatever_the_objectives(rng, honest, said):
    selector = small(honest=honest, objectives=(first, "cardinality")).fit(*data(rng))
    assert said in " ".join(repr(selector.summary()).split()).replace("1.000", "0.999")
    assert "R2" not in repr(selector.summary())


def test_a_fit_of_no_fold_has_no_columns_of_honest_scores(rng):
    """A sentence says that there are none, as a warning has; without `honest` there is none to say."""
    with pytest.warns(UserWarning, match="after 0 of 3 folds: there are no honest scores"):
        summary = small(max_time=1e-6).fit(*data(rng)).summary()
    assert summary.sentences[1:] == ["There are no honest scores; a warning of the fit says why."]
    assert summary.columns == ("rule", "size", "source")
    assert {len(cells) for cells in summary.cells()} == {3} and "90 %" not in repr(summary)
    assert small(honest=None).fit(*data(rng)).summary().sentences[1:] == []


def with_notes(source="search", n_selected=3, difference=0.0, baseline="forest", rule="no_loss", width=0.2, score=0.9,
               unit=True):
    """What is said of a choice with such a difference to all features, whose interval is wide."""
    row = {"rule": rule, "chosen": True, "n_selected": n_selected, "source": source, "honest_score": score,
           "difference": difference, "difference_low": difference - width / 2,
           "difference_high": difference + width / 2}
    other = {**row, "rule": "", "chosen": False, "source": baseline}
    front = SimpleNamespace(source=np.array([source]), n_selected=np.array([n_selected]), unit=unit,
                            honest=SimpleNamespace(folds=np.zeros((1, 3)), constant=False))
    return notes(front, 0, rule, [row, other])


def test_lines_of_rankings_keep_what_choosing_adds():
    """They are the best of many; all features are one."""
    text = ("Honest scores use the deployed model's predictions for samples held out of 3 searches; "
            "corrected for selection bias")
    assert with_notes()[0] == f"{text}, except in lines without a rule (the best of a ranking)."
    assert with_notes(baseline="all")[0] == f"{text}."


def test_wide_intervals_are_said_of_these_samples():
    """However many they are."""
    assert with_notes()[1:] == ["The intervals are wider than the differences: these samples cannot tell the rules "
                                "apart."]
    assert with_notes(difference=0.5)[1:] == []


@pytest.mark.parametrize(("options", "said"), [
    ({"difference": 0.09}, True), ({"difference": -0.11}, False), ({"width": 0.041}, True), ({"width": 0.039}, False),
    ({"width": 0.41, "score": -10.0, "unit": False}, True), ({"width": 0.39, "score": -10.0, "unit": False}, False)],
    ids=str)
def test_intervals_are_wide_beyond_twice_the_difference(options, said):
    """Or beyond twice what few care for: 0.02 of a score in [0, 1], and of another 0.02 of the score itself."""
    assert len(with_notes(**options)[1:]) == said


def test_a_single_feature_is_not_said_to_be_kept():
    """There is nothing smaller."""
    assert with_notes("all", 2)[1].startswith("All features are kept")
    assert not any("kept" in note for note in with_notes("all", 1))


@pytest.mark.parametrize(("place", "text"), [
    (0, "1 of 2 features, UAR 0.800 in the search, too high for new samples, honest UAR of all features 0.900"),
    (1, "2 of 2 features, honest UAR 0.880 (0.800 to 0.900)")])
def test_all_features_are_told_by_their_honest_score(place, text):
    """Not beside a score in the search without a word on it, nor beside themselves."""
    front = SimpleNamespace(n_selected=np.array([1, 2]), n_features=2, score=np.array([0.8, 0.7]),
                            score_se=np.full(2, np.nan), honest_score=np.array([np.nan, 0.9]),
                            honest_se=np.full(2, np.nan), source=np.array(["search", "all"]))
    worth = Worth(all_features=0.9) if place == 0 else Worth(0.88, 0.8, 0.9, 0.9)
    assert verdict(front, place, worth, Names("UAR", "UAR")) == text


def test_an_interval_that_is_unknown_is_not_written():
    """Nor is it in the table: a scorer may have no number for the answers of any bootstrap sample."""
    front = SimpleNamespace(n_selected=np.array([1]), n_features=2, honest_score=np.array([0.5]),
                            source=np.array(["search"]))
    said = verdict(front, 0, Worth(0.5, all_features=0.4), Names("UAR", "UAR"))
    assert said == "1 of 2 features, honest UAR 0.500, all features 0.400"


@pytest.mark.parametrize(("generations", "folds", "reason", "end"), [
    (3, 2, "max_time", " s, with 2 of 4 folds."), (3, 0, "max_time", " s, with too few of 4 folds."),
    (2, 2, "max_time", " s."), (3, 4, "max_time", " s."), (3, 2, "n_generations", " s.")])
def test_folds_that_were_left_out_are_told(generations, folds, reason, end):
    """Where all generations were done, which alone would not be early."""
    honest = SimpleNamespace(folds=np.zeros((1, folds))) if folds else None
    settings = {"parameters": {"honest": 4, "n_generations": 3}, "stop_reason": reason, "n_evaluations": 9}
    history = {"generation": np.arange(generations + 1), "seconds": np.arange(generations + 1)}
    record = Record(SimpleNamespace(honest=honest), 0, "", history, settings, Names("UAR", "UAR"), None, Worth())
    assert record.ended().endswith(end) and record.ended().startswith("Stopped early") == (reason == "max_time")


def test_another_choice_keeps_what_is_said_of_honest_scores(selector):
    """As `moeliga show --rule` makes it: what is said is of that choice."""
    record = Record.of(selector)
    for rule in ("best", "knee"):
        selector.select(rule)
        assert record.with_choice(rule).summary.sentences == selector.summary().sentences
    selector.select()
    assert record.with_choice(max_features=2).summary.sentences[1].startswith("Honest scores ")


def by_hand(*rows, **options):
    """A summary of rows of (rule, source, honest score)."""
    unknown = dict.fromkeys(("low", "high", "difference", "difference_low", "difference_high"), math.nan)
    return Summary([{"rule": rule, "chosen": False, "n_selected": 3, "source": source, "honest_score": score, **unknown}
                    for rule, source, score in rows], ["Chosen."], **options)


def test_one_honest_score_is_enough_for_its_columns():
    """Where it is unknown the cells are empty."""
    summary = by_hand(("best", "search", 0.5), ("", "forest", math.nan))
    assert len(summary.columns) == 7
    assert [cells[3] for cells in summary.cells()] == ["0.500", ""]


def test_all_features_have_the_score_of_their_own_row():
    """Not that of a rule that has chosen them, which is without what choosing adds."""
    assert by_hand(("best", "all", 0.5), ("", "all", 0.6)).all_features == 0.6
    assert math.isnan(by_hand(("best", "all", 0.5)).all_features)


def test_another_choice_keeps_how_the_search_ended():
    first = by_hand(("best", "search", 0.5), ended="Early.")
    again = first.with_choice("best", SimpleNamespace(honest=None), 0, "Other.")
    assert (again.ended, again.sentences, again.rows[0]["chosen"]) == ("Early.", ["Other."], True)


def test_what_is_rounded_to_zero_has_no_sign():
    """But a plus where differences have one."""
    row = dict.fromkeys(("honest_score", "low", "difference"), -0.0003) | dict.fromkeys(
        ("high", "difference_low", "difference_high"), 0.5)
    row |= {"rule": "best", "chosen": True, "n_selected": 3, "source": "search"}
    summary = Summary([row, {**row, "honest_score": 0.9}], ["Chosen."])
    assert summary.cells()[0][3:6] == ["0.000", "0.000 to 0.500", "+0.000"]


@pytest.mark.parametrize(("error", "text"), [(0.02, "0.500 ± 0.020"), (0.0, "0.500"), (np.nan, "0.500")])
def test_an_error_of_zero_or_nan_is_not_written(error, text):
    """Equal answers of few splits, or one fold, say nothing of how sure a score is."""
    front = SimpleNamespace(score=np.array([0.5]), score_se=np.array([error]), honest_score=np.array([0.5]),
                            honest_se=np.array([error]))
    assert score_text(front, 0) == honest_text(front, 0) == text


@pytest.mark.parametrize(("scoring", "regression", "names"), [
    (None, False, ("UAR", "UAR")), ("uar", False, ("UAR", "UAR")), ("balanced_accuracy", False, ("UAR", "UAR")),
    ("accuracy", False, ("accuracy", "accuracy")), ("top_k_accuracy", False, ("top_k_accuracy", "UAR")),
    (make_scorer(hamming_loss, greater_is_better=False), False, ("neg_score", "UAR")),
    (lambda model, X, y: 0.0, False, ("score", "UAR")), (None, True, ("R2", "R2")), ("r2", True, ("R2", "R2"))])
def test_scores_have_one_name_however_scoring_is_spelt(scoring, regression, names):
    """That of the objective: "UAR" of "uar" too."""
    estimator = Ridge() if regression else GaussianNB()
    selector = MOELIGASelector(estimator, scoring=scoring)
    if not regression:
        selector.classes_ = np.arange(2)
    assert Names.of(selector) == names


def test_functions_of_one_name_are_told_apart_by_what_they_choose(rng):
    """And NumPy's numbers are numbers."""
    selector = small(rule=lambda front: 0).fit(*data(rng))
    last = len(selector.pareto_front_) - 1
    row, = [row for row in selector.select(lambda front: last).summary().rows if row["chosen"]]
    assert row["n_selected"] == selector.support_.sum()
    row, = [row for row in selector.select(n_features=selector.pareto_front_.n_selected[0]).summary().rows
            if row["chosen"]]
    assert row["rule"] == f"n_features {selector.support_.sum()}"
