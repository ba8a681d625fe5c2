"""What callbacks see, and what progress looks like."""

import gc
import io
import pickle
import re
import sys
import types
from copy import copy, deepcopy
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from moeliga import (
    Evaluation,
    FeaturePrior,
    LocalImprovement,
    MOELIGASelector,
    NoLoss,
    PrintProgress,
    ProgressBar,
    StaggeredInit,
)
from moeliga.callbacks import progress_callbacks
from moeliga.search import ranking
from paper_operators import PAPER, fitting
from single_search import single_search

SMALL = {**PAPER, "population_size": 12, "n_generations": 4, "survival__n_elite": 2, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}


def fit(rng, watch, n_features=30, **parameters):
    """A short search that a callback watches."""
    y = rng.permutation(np.arange(40) % 2)
    X = rng.normal(size=(40, n_features))
    X[:, ::3] += y[:, None]
    return single_search(**fitting({**SMALL, **parameters}), callbacks=watch).fit(X, y)


# state


@pytest.mark.parametrize("options", [{}, {"constraints__groups": [[0, 1, 2], [3, 4]],
                                          "constraints__must_include": [7]}], ids=str)
def test_best_score_of_small_subsets(rng, options):
    """Over the features of X, forced ones and groups included."""
    states = []
    fit(rng, states.append, **options)
    for state in states:
        sizes = state.supports.sum(axis=1)
        for most in (0, 1, 3, 30):
            scores = state.objectives[sizes <= most, 0]
            assert state.best_score(most) == (scores.max() if len(scores) else None)
    assert state.best_score(0) is None
    assert state.best_score(30) == state.row["best_score"]


def test_time_left_follows_the_plan(rng):
    """Improvements in generations 2 and 4: the second is expected to take as many evaluations as the first did."""
    states = []
    fit(rng, states.append, init=StaggeredInit((1.0,), (0.6,)),
        local_improvement=LocalImprovement(n_populations=1, population_size=10, n_generations=2, every=2))
    first = states[2].row["n_evaluations"] - 36
    for state, n_left in zip(states, (48 + 2 * 30, 36 + 2 * 30, 24 + first, 12 + first, 0), strict=True):
        rate = state.row["n_evaluations"] / state.row["seconds"]
        assert_allclose([state.seconds_left, state.evaluations_per_second], [n_left / rate, rate], rtol=1e-12)


def test_time_left_without_local_improvement(rng):
    """As many evaluations in each generation."""
    states = []
    fit(rng, states.append)
    for state, n_left in zip(states, (48, 36, 24, 12, 0), strict=True):
        assert_allclose(state.seconds_left * state.row["n_evaluations"], n_left * state.row["seconds"], rtol=1e-12)


def test_limits_shorten_the_time_left(rng):
    """max_time and max_evaluations; never below 0."""
    states = []
    fit(rng, states.append, n_generations=10**6, max_time=0.0)
    assert states[0].seconds_left == 0
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    told = []
    MOELIGASelector(GaussianNB(), honest=2, population_size=6, n_generations=10**6, max_time=0.5, random_state=0,
                    callbacks=lambda state: told.append((state.seconds_left, state.fit_seconds_left))).fit(X, y)
    assert all(0 <= left <= max(0, of_fit) <= 0.5 for left, of_fit in told)
    states.clear()
    fit(rng, states.append, n_generations=10**6, max_evaluations=36)
    assert [round(state.seconds_left * state.evaluations_per_second) for state in states] == [24, 12, 0]


def test_time_left_by_hand(rng):
    """24 evaluations took 6 s, 36 are left: 9 s of this search, and as long as all of it for each of those after it."""
    states = []
    fit(rng, states.append)
    state, budget = states[1], states[1].search.budget
    row = {**state.row, "seconds": 6.0}
    for max_time, others, expected in (
            (None, {}, 9), (None, {"n_folds": 3}, 9 + 3 * 15), (None, {"n_folds": 3, "fold": 1}, 9 + 15),
            (None, {"n_folds": 3, "fold": 2}, 9), (10.0, {}, 4), (10.0, {"n_folds": 3}, 4 + 3 * 10),
            (99.0, {"n_folds": 3, "fit_seconds_left": 20.0}, 20), (99.0, {"fit_seconds_left": -1.0}, 0)):
        budget.max_time = max_time
        assert replace(state, row=row, **others).seconds_left == pytest.approx(expected)


def test_what_a_callback_does_to_objectives_stays_its_own(rng):
    """They are a copy."""
    states = []
    fit(rng, states.append)
    before = states[0].objectives.tolist()
    states[0].objectives[:] = -1.0
    assert states[0].objectives.tolist() == before


def test_what_a_callback_sets_is_for_the_next_fit(rng, monkeypatch):
    """Also where it sets parameters of value objects: the search, and the choice from its front, stay as they are."""
    monkeypatch.setattr(ranking, "N_TREES", 5)
    X, y = rng.normal(size=(40, 6)), rng.permutation(np.arange(40) % 2)
    X[:, :3] += y[:, None] / 2

    def found(change):
        selector = MOELIGASelector(GaussianNB(), honest=2, population_size=8, n_generations=2, rule=NoLoss(0.0),
                                   evaluation=Evaluation(n_splits=2), feature_prior=FeaturePrior(share=0.25),
                                   random_state=0)
        return selector.set_params(callbacks=[lambda state: change(selector)]).fit(X, y)

    def change(selector):
        selector.rule.margin = 100.0
        selector.feature_prior.share = 1.0
        selector.callbacks.append(lambda state: True)
        selector.set_params(population_size=4, n_generations=0, evaluation__n_splits=1, max_features=1)

    plain, changed = found(lambda selector: None), found(change)
    assert_array_equal(changed.pareto_front_.objectives, plain.pareto_front_.objectives)
    assert (changed.index_, changed.n_evaluations_) == (plain.index_, plain.n_evaluations_)
    assert plain.select(NoLoss(100.0)).index_ < changed.index_


# lines


LINE = re.compile(r"generation +(\d+)/4  UAR in the search: best (\d\.\d{3}) with (\d+) features?(?: \((.*?)\))?  "
                  r"hypervolume (\d\.\d{3})  front (\d+)  evaluations (\d+) \([\d,]+/s\)  \d+\.\d s, \d+ s left\n")


def test_a_line_says_what_the_history_says(rng, capsys):
    """Best scores, hypervolume, evaluations; time gone and time left."""
    stream, states = io.StringIO(), []
    selector = fit(rng, [PrintProgress(stream, sizes=[2, 9]), states.append], init=StaggeredInit((1.0,), (0.4,)))
    lines = [LINE.fullmatch(line) for line in stream.getvalue().splitlines(keepends=True)]
    assert len(lines) == 5
    for line, state, row in zip(lines, states, zip(*selector.history_.values(), strict=True), strict=True):
        row = dict(zip(selector.history_, row, strict=True))
        assert int(line[1]) == row["generation"]
        assert (line[2], int(line[3])) == (f"{row['best_score']:.3f}", row["best_score_size"])
        assert (line[5], int(line[6])) == (f"{row['hypervolume']:.3f}", row["front_size"])
        assert int(line[7]) == row["n_evaluations"]
        known = [(size, state.best_score(size)) for size in (2, 9) if size < row["best_score_size"]]
        assert line[4] == (", ".join(f"{score:.3f} with up to {size}" for size, score in known if score is not None)
                           or None)
    assert capsys.readouterr().out == ""


def test_lines_go_to_the_standard_output(rng, capsys):
    """Unless another stream is given."""
    fit(rng, PrintProgress())
    assert len(LINE.findall(capsys.readouterr().out)) == 5


# bar


@pytest.mark.parametrize("columns", [None, 80, 200, 60, 30])
def test_the_bar_shows_the_same(rng, capsys, monkeypatch, columns):
    """Time left, best scores, hypervolume, evaluations a second, as far as they fit; at the end it is closed and full.

    Without a terminal there are 80 columns.
    """
    tqdm = pytest.importorskip("tqdm.std")
    monkeypatch.setattr(tqdm, "_screen_shape_wrapper", lambda: lambda stream: (columns, 24))
    bar = ProgressBar()
    selector = fit(rng, bar)
    bar.close()
    shown = capsys.readouterr().err.rstrip("\n").replace("\n", "\r").split("\r")
    assert max(map(len, shown)) <= (columns or 80)
    row = {name: column[-1] for name, column in selector.history_.items()}
    score, size = f"{row['best_score']:.3f}", row["best_score_size"]
    rest = {200: rf"(, .*)?, hypervolume {row['hypervolume']:.3f}, [\d,]+ evaluations/s\]", 60: r"\]"}
    best = rf", search UAR {score}, {size} features?" if columns not in (30, 60) else ""
    left = r"\[\d\d:\d\d, 0 s left" if columns != 30 else ""
    assert re.match(rf"moeliga: 100%\|.*\| 4/4 {left}{best}{rest.get(columns, '')}", shown[-1])


@pytest.mark.parametrize(("scoring", "line", "bar"), [("accuracy",) * 3, (
    "balanced_accuracy", "UAR", "UAR"), ("neg_log_loss", "neg_log_loss", "score")])
def test_the_score_is_that_of_the_search(rng, monkeypatch, capsys, scoring, line, bar):
    """By the name that it has elsewhere, so that nobody takes it for an honest one; a bar has room for short names."""
    tqdm = pytest.importorskip("tqdm.std")
    monkeypatch.setattr(tqdm, "_screen_shape_wrapper", lambda: lambda stream: (200, 24))
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    watch = [PrintProgress(), ProgressBar()]
    single_search(GaussianNB(), scoring=scoring, rule="best", n_generations=1, population_size=6,
                  callbacks=watch).fit(X, y)
    watch[1].close()
    shown = capsys.readouterr()
    assert shown.out.count(f"  {line} in the search: best ") == 2
    assert re.search(rf", search {bar} -?\d\.\d\d\d, \d features?, ", shown.err)


def test_a_notebook_gets_a_bar_without_widgets(rng, monkeypatch, capfd):
    """One output, replaced as the search goes on: nothing of tqdm, nothing red, and the last state is saved."""
    shown = []
    show = types.SimpleNamespace(update=lambda bar: shown.append((bar._repr_html_(), repr(bar))))
    display = types.SimpleNamespace(display=lambda bar, display_id: show.update(bar) or show)
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    bar = ProgressBar()
    fit(rng, bar)
    bar.close()
    html, text = shown[-1]
    assert html.startswith('<progress value="4" max="4"></progress> <code>moeliga: 4/4 [') and "evaluations/s" in html
    assert text.startswith("moeliga: 4/4 [") and '<progress value="0"' in shown[0][0]
    assert capfd.readouterr() == ("", "")


def test_a_bar_serves_many_fits(rng, capsys):
    """Each starts at 0; closing twice does no harm."""
    pytest.importorskip("tqdm")
    bar = ProgressBar()
    fit(rng, bar)
    fit(rng, bar)
    assert bar.bar.n == 4
    bar.close()
    bar.close()
    assert capsys.readouterr().err.count("100%") >= 2


@pytest.mark.parametrize("make", [ProgressBar, PrintProgress])
@pytest.mark.parametrize(("sizes", "error", "message"), [
    (3, TypeError, "sizes must be a sequence of integers, got 3"),
    ([0], ValueError, "sizes must be >= 1, got 0"),
    ([2.5], TypeError, "sizes must be an integer, got 2.5"),
])
def test_bad_sizes_are_refused(make, sizes, error, message):
    """With the name, the rule and the value."""
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        make(sizes=sizes)


def test_without_tqdm_there_are_lines(monkeypatch):
    """verbose=1 then prints as verbose=2 does; ProgressBar itself says what to install."""
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert [type(watcher) for watcher in progress_callbacks(1)] == [PrintProgress]
    with pytest.raises(ImportError, match=re.escape("pip install 'moeliga[progress]'")):
        ProgressBar()


def test_what_is_watched_at_each_level(monkeypatch):
    """0 = nothing, 1 = the bar, 2 = lines."""
    pytest.importorskip("tqdm")
    assert progress_callbacks(0) == []
    assert [type(watcher) for level in (1, 2) for watcher in progress_callbacks(level)] == [ProgressBar, PrintProgress]


def test_a_stream_is_kept_by_copies_and_not_by_pickles():
    """A clone prints to the same file, which cannot be pickled."""
    watch = PrintProgress(stream=sys.stderr, sizes=[4])
    for copied in (copy(watch), deepcopy(watch), clone(single_search(callbacks=watch)).callbacks):
        assert copied is not watch
        assert vars(copied) == vars(watch)
    read = pickle.loads(pickle.dumps(watch))
    assert (read.stream, read.sizes) == (None, [4])
    watch.seen = []  # of a class derived from it
    assert deepcopy(watch).seen is not watch.seen
    assert copy(watch).seen is watch.seen


class FullDisk(io.StringIO):
    """A stream that takes a few texts, and then nothing."""

    def __init__(self, n_taken):
        super().__init__()
        self.n_taken = n_taken

    def write(self, text):
        self.n_taken -= 1
        if self.n_taken < 0:
            raise OSError(28, "No space left on device")
        return len(text)


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("make", [lambda: None, lambda: FullDisk(0), lambda: FullDisk(8), closed],
                         ids=["none", "full", "filling", "closed"])
@pytest.mark.parametrize("verbose", [1, 2])
@pytest.mark.filterwarnings("error")
def test_a_stream_that_takes_nothing_ends_no_search(rng, monkeypatch, verbose, make):
    """Nor does it change one: a search of hours is worth more than its bar."""
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    found, stream = [], make()
    for level in (0, verbose):
        selector = MOELIGASelector(GaussianNB(), honest=2, population_size=6, n_generations=2, random_state=0,
                                   verbose=level)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", stream)
            patched.setattr(sys, "stdout", stream)
            found.append(selector.fit(X, y))
    assert_array_equal(found[0].pareto_front_.objectives, found[1].pareto_front_.objectives)
    assert found[0].honest_score_ == found[1].honest_score_
    del selector
    gc.collect()  # a broken bar does not try again


def test_a_bar_is_no_part_of_a_copy():
    """A terminal is not: a selector with its own bar is cloned, pickled and copied after a fit."""
    pytest.importorskip("tqdm")
    selector = single_search(callbacks=ProgressBar(), n_generations=1, population_size=6, random_state=0)
    X = np.random.default_rng(0).normal(size=(30, 4))
    selector.fit(X, np.arange(30) % 2)
    for copied in (pickle.loads(pickle.dumps(selector)), deepcopy(selector)):
        assert_array_equal(copied.transform(X), selector.transform(X))
    again = clone(selector).fit(X, np.arange(30) % 2)
    assert_array_equal(again.support_, selector.support_)
