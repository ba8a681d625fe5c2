"""The report: a valid document that loads nothing, tells what the selector found, and a program that repeats it."""

import base64
import re
import sys
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import ExtraTreeClassifier

from moeliga import Constraints, DecisionTreeClassifier, MOELIGASelector, write_report
from moeliga.evaluation.held_out import held_out_scores
from moeliga.results.rules import RULES
from moeliga.results.run_record import checksum
from moeliga.visualisation.html import STYLE, table
from moeliga.visualisation.report import MEASURED_OPTIMISM, cautions
from paper_operators import PAPER
from single_search import single_search

VOID = {"meta", "img", "br", "hr", "link", "input"}
SHORT = {"n_generations": 4, "local_improvement": None, "random_state": 0}
NAMES = ["a<b>&\"c\"", "</title><script>alert(1)</script>", "it's", "ünï ☃", "$x_1$", "{brace}", "x;y", "-->", "  pad",
         "%s", "\\n", "&amp;", "z"]


class Document(HTMLParser):
    """A document as lists of what is in it; every element must be closed, in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.tables, self.code, self.text = [], [], [], "", ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_decl(self, declaration):
        assert not self.tags and declaration == "DOCTYPE html"

    def handle_starttag(self, tag, attributes):
        assert len({name for name, _ in attributes}) == len(attributes)
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        if "code" in self.open:
            self.code += data

    def table(self, *heading):
        """Rows of the table that begins with these headings."""
        found, = (rows[1:] for rows in self.tables if rows[0][: len(heading)] == list(heading))
        return found


@pytest.fixture(scope="module")
def wine():
    pd = pytest.importorskip("pandas")
    data = load_wine()
    frame = pd.DataFrame(data.data, columns=NAMES)
    return frame.iloc[::2], data.target[::2], frame.iloc[1::2], data.target[1::2]


@pytest.fixture(scope="module")
def selector(wine):
    return single_search(**SHORT).fit(*wine[:2])


@pytest.fixture(scope="module")
def report(wine, selector, tmp_path_factory):
    """Return the text of a report with all optional data, and its Document."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    X, y, X_test, y_test = wine
    write_report(selector, path, X=X, y=y, X_test=X_test, y_test=y_test, title="Wine <1>")
    text = path.read_text(encoding="utf-8")
    return text, Document(text)


def read(path):
    return Document(path.read_text(encoding="utf-8"))


def run_program(document, X):
    """Return X as the program of a report selects it."""
    space = {"X": X}
    exec(document.code, space)
    return space["X_selected"]


# the document


@pytest.mark.slow
def test_the_document_is_whole(report):
    """Doctype, language, encoding, a title, a view for phones, one h1, main; every element closed (see Document)."""
    text, document = report
    tags = [tag for tag, _ in document.tags]
    assert text.startswith("<!DOCTYPE html>\n") and document.tags[0] == ("html", {"lang": "en"})
    assert {"charset": "utf-8"} in [attributes for tag, attributes in document.tags if tag == "meta"]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in [
        attributes for tag, attributes in document.tags if tag == "meta"]
    for tag in ("head", "title", "body", "main", "h1", "style"):
        assert tags.count(tag) == 1
    assert "<title>Wine &lt;1&gt;</title>" in text


def test_nothing_leaves_the_file(report):
    """No script, no link, no font, no address but pictures that are in the file; nor in the pictures or the style."""
    text, document = report
    loading = {"script", "link", "iframe", "object", "embed", "a", "base", "form"}
    assert {tag for tag, _ in document.tags} & loading == set()
    for tag, attributes in document.tags:
        for name, value in attributes.items():
            if name in ("src", "href", "srcset", "action", "poster", "data", "background"):
                assert (tag, name) == ("img", "src") and value.startswith("data:image/svg+xml;base64,")
            assert not name.startswith("on") and name != "style"
    policy = {"http-equiv": "Content-Security-Policy",
              "content": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
    assert document.tags.index(("meta", policy)) < [tag for tag, _ in document.tags].index("style")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "url(" not in style and "@import" not in style and "@font-face" not in style
    for _, attributes in [entry for entry in document.tags if entry[0] == "img"]:
        tree = ElementTree.fromstring(base64.b64decode(attributes["src"].partition(",")[2]))
        for element in tree.iter():
            assert not element.tag.endswith(("}script", "}a")) and "@import" not in (element.text or "")
            for name, value in element.attrib.items():
                assert not name.endswith("href") or value.startswith(("#", "data:image/png;base64,"))
                assert "url(" not in value or re.fullmatch(r".*url\(#\w+\).*", value)


def test_every_picture_has_an_alternative_text(report, selector):
    front = selector.pareto_front_
    alts = [attributes["alt"] for tag, attributes in report[1].tags if tag == "img"]
    assert [alt.partition(" ")[0] for alt in alts] == ["Pareto", "UAR", "Above,", "Share"]
    assert f"{len(front)} subsets: number of features from {front.n_selected[0]} to {front.n_selected[-1]}" in alts[0]
    assert f"on fresh splits {front.score.mean():.3f}" in alts[1]


def test_names_are_text_and_never_markup(report, selector):
    """What is written in a name is read in the document, letter by letter."""
    text, document = report
    assert "<script>" not in text
    held = {name for name, share in zip(NAMES, selector.pareto_front_.supports.mean(axis=0), strict=True) if share}
    assert {row[0] for row in document.table("feature", "in subsets")} == held


@pytest.mark.slow
def test_names_are_never_commands_of_tex(selector, tmp_path):
    """A setting of matplotlib that hands every text to TeX does not reach the report."""
    matplotlib = pytest.importorskip("matplotlib")
    write_report(selector, tmp_path / "one.html")
    with matplotlib.rc_context({"text.usetex": True}):
        write_report(selector, tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


# what it says


def test_tables_hold_the_front(report, selector, wine):
    """They hold sizes, scores, choice and shares of members, as the selector does."""
    _, document = report
    front = selector.pareto_front_
    rows = document.table("index", "features", "UAR")
    for i, row in enumerate(rows):
        names = [rule for rule in RULES if front.choose(rule) == i] if row[3] else []
        assert row[3] == ", ".join(["chosen"] * (i == selector.index_) + names) and row[0] == str(i)
    assert sum(len(row[3].split(", ")) for row in rows if row[3]) == len(RULES) + 1
    assert [int(row[1]) for row in rows] == front.n_selected.tolist()
    assert [row[2] for row in rows] == [f"{score:.3f} ± {error:.3f}" for score, error in
                                        zip(front.score, front.score_se, strict=True)]
    chosen = document.table("feature", "column")
    assert [row[0] for row in chosen] == selector.get_feature_names_out().tolist()
    assert [int(row[1]) for row in chosen] == np.flatnonzero(selector.support_).tolist()
    shares = {row[0]: row[1] for row in document.table("feature", "in subsets", "chosen")}
    assert shares == {name: f"{n} of {len(front)}" for name, n in
                      zip(NAMES, front.supports.sum(axis=0), strict=True) if n}


def test_held_out_scores_are_those_of_scikit_learn(report, selector, wine):
    """A tree of scikit-learn is fitted for each member here."""
    X, y, X_test, y_test = wine
    expected = []
    for support in selector.pareto_front_.supports:
        tree = DecisionTreeClassifier(max_depth=100).fit(X.loc[:, support], y)
        expected.append(balanced_accuracy_score(y_test, tree.predict(X_test.loc[:, support])))
    np.testing.assert_array_equal(held_out_scores(selector, X, y, X_test, y_test), expected)
    rows = report[1].table("features", "UAR as the search saw it", "on fresh splits", "optimism", "on held-out samples")
    assert "Expect less of new samples" not in report[1].text
    assert [row[-1] for row in rows] == [f"{score:.3f}" for score in expected]
    search = selector.pareto_front_.search_objectives[:, 0]
    assert [row[3] for row in rows] == [f"{d:+.3f}" for d in search - selector.pareto_front_.score]
    text = f"On {len(y_test)} held-out samples the chosen subset has UAR {expected[selector.index_]:.3f}."
    assert text in report[1].text


@pytest.mark.slow
def test_held_out_scores_with_another_classifier_weights_and_sparse_data(wine):
    X, y, X_test, y_test = (np.asarray(part) for part in wine)
    weight = np.arange(len(y)) % 3 + 1.0
    selector = single_search(
        LogisticRegression(max_iter=50, C=0.01), scoring="accuracy", population_size=25, evaluation__n_splits=1,
        evaluation__n_rescore_splits=0, objectives=("accuracy", "cardinality"), **{**SHORT, "n_generations": 1})
    selector.fit(X / 100, y, sample_weight=weight)
    support = selector.pareto_front_.supports[-1]
    model = LogisticRegression(max_iter=50, C=0.01).fit(X[:, support] / 100, y, weight)
    for form in (np.asarray, csr_array, np.ndarray.tolist):
        scores = held_out_scores(selector, form(X / 100), y, form(X_test / 100), y_test, sample_weight=weight)
        assert scores[-1] == pytest.approx(model.score(X_test[:, support] / 100, y_test), abs=1e-12)


@pytest.mark.slow
def test_held_out_scores_are_the_same_each_time(wine):
    """This includes a classifier that draws random numbers."""
    X, y, X_test, y_test = wine
    selector = single_search(ExtraTreeClassifier(), population_size=25, evaluation__n_rescore_splits=0,
                             **{**SHORT,
                               "n_generations": 1}).fit(X, y)
    np.testing.assert_array_equal(*[held_out_scores(selector, X, y, X_test, y_test) for _ in range(2)])


def test_settings_seed_checksum_versions_and_end_are_told(report, selector, wine):
    _, document = report
    facts = dict(document.table("fact", "value"))
    assert facts["SHA-256 of the data"] == checksum(*wine[:2])
    assert facts["SHA-256 of the held-out data"] == checksum(*wine[2:])
    assert facts["seed"] == "0" and facts["end of the search"].startswith("n_generations: 4 generations, ")
    changed, others = (document.table(f"{kind} parameter", "value") for kind in ("changed", "other"))
    wanted = {"honest": "null", "islands.sizes": "null", "n_generations": "4", "population_size": "90",
              "random_state": "0", "rule": '"r1"'}
    assert dict(changed).items() >= wanted.items() and "islands.n" not in dict(changed)
    names = [row[0] for row in changed + others]
    assert len(set(names)) == len(names) and "evaluation.n_rescore_splits" in dict(others)
    assert {name for name in names if "." not in name} == set(selector.get_params(deep=False))
    assert "moeliga" in dict(document.table("package", "version"))


def test_checksum_sees_every_change():
    X, y = np.arange(6.0).reshape(2, 3), np.array([0, 1])
    sums = {checksum(X, y), checksum(X.reshape(3, 2), [0, 1]), checksum(X[::-1], y), checksum(X, y[::-1]),
            checksum(X + 1e-12, y), checksum(csr_array(X), y)}
    assert len(sums) == 6
    assert checksum(np.asfortranarray(X), y) == checksum(X, y)
    assert checksum(csr_array(X), y) == checksum(csr_array(X).tocsc(), y)


def test_a_report_begins_with_what_the_choice_is_worth(wine, tmp_path):
    """The sentence, then the table of all rules and baselines, before any score of the search; each rule is marked."""
    selector = MOELIGASelector(GaussianNB(), honest=3, population_size=20, n_generations=2, random_state=0)
    selector.fit(*wine[:2])
    write_report(selector, tmp_path / "report.html")
    document, summary = read(tmp_path / "report.html"), selector.summary()
    low, high = selector.honest_interval_
    sentence = f"honest UAR {selector.honest_score_:.3f} ({low:.3f} to {high:.3f}), all features "
    assert sentence in document.text.partition("vs all")[0]
    assert document.tags.index(("table", {})) < [tag for tag, _ in document.tags].index("img")
    rows = document.tables[0]
    assert rows[0] == ["rule", "size", "source", "honest UAR", "vs all"]
    assert [row[0].strip("* ") for row in rows[1:]] == [row["rule"] or f"({row['source']})" for row in summary.rows]
    assert [row[0].startswith("* ") for row in rows[1:]] == [row["chosen"] for row in summary.rows]
    assert [row[3].partition(" ")[0] for row in rows[1:]] == [f"{row['honest_score']:.3f}" for row in summary.rows]
    front = document.table("index", "features", "honest UAR", "chosen by")
    assert [row[3] for row in front if "chosen" in row[3]] == [front[selector.index_][3]]
    assert MEASURED_OPTIMISM not in document.text and "samples held out of 3 searches" in document.text
    alts = [attributes["alt"] for tag, attributes in document.tags if tag == "img"]
    assert f"honest UAR {selector.honest_score_:.3f}" in alts[0]


def test_pictures_have_the_colours_of_the_page(report):
    """They have no background; ink, lines and bars differ in light and dark mode."""
    for tag, attributes in report[1].tags:
        if tag == "img":
            svg = base64.b64decode(attributes["src"].partition(",")[2]).decode()
            assert "#ffffff" not in svg.partition("</style>")[2] and "fill: #000000" not in svg
            assert "@media (prefers-color-scheme: dark)" in svg and "var(--ink)" in svg
            names = set(re.findall(r"var\(--(\w+)\)", svg))
            assert names <= set(re.findall(r"--(\w+): #", svg.partition("@media")[0]))
            assert names <= set(re.findall(r"--(\w+): #", svg.partition("@media")[2]))


# the program


def test_the_program_repeats_the_selection_from_names(report, selector, wine):
    """By the names of columns, whatever is in them, also where the columns stand in another order."""
    X = wine[2]
    np.testing.assert_array_equal(run_program(report[1], X), selector.transform(X))
    np.testing.assert_array_equal(run_program(report[1], X[X.columns[::-1]]), selector.transform(X))


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_features", [5, 20_000])
def test_the_program_and_cut_tables_of_narrow_and_wide_data(tmp_path, rng, n_features):
    """The tables end where a note says so; the program has every chosen feature."""
    y = np.arange(40) % 2
    X = rng.normal(size=(40, n_features)) + y[:, None] * (np.arange(n_features) < 3)
    selector = single_search(**SHORT, **PAPER).fit(X, y).select("best")  # whose front has large members
    write_report(selector, tmp_path / "report.html")
    document = read(tmp_path / "report.html")
    np.testing.assert_array_equal(run_program(document, X), selector.transform(X))
    assert MEASURED_OPTIMISM in document.text  # nothing was held out
    size, held = selector.support_.sum(), selector.pareto_front_.supports.any(axis=0).sum()
    assert len(document.table("feature", "column")) == min(size, 200)
    assert len(document.table("feature", "in subsets", "chosen")) == min(held, 200)
    assert (f"{size - 200:,} of {size:,} features are not shown." in document.text) == (size > 200)
    note = f"{held - 200:,} of {held:,} features that some subset holds are not shown."
    assert (note in document.text) == (held > 200)
    assert held > 200 or n_features == 5


# files and arguments


@pytest.mark.slow
def test_the_same_selector_gives_the_same_file(tmp_path, selector):
    for name in "ab":
        write_report(selector, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_a_name_of_two_lines_is_the_same_everywhere(tmp_path, wine):
    """Its end of line is escaped in tables, as in pictures and in their descriptions."""
    X, y = wine[0].set_axis(["two\nlines", *wine[0].columns[1:]], axis=1), wine[1]
    selector = single_search(constraints=Constraints(must_include=["two\nlines"]), **SHORT).fit(X, y)
    write_report(selector, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "two\nlines" not in text and text.count(r"two\nlines") > 5


def test_narrow_pages_cut_no_word():
    """Neither a source nor a heading of the front's table is cut, though columns may be narrower than a word."""
    assert "td.spare { overflow-wrap: normal; }" in STYLE and "minmax(0, .8fr)" in STYLE


def test_a_choice_by_hand_is_called_so(tmp_path, wine):
    selector = single_search(**SHORT).fit(*wine[:2])
    selector.select(index=0 if selector.index_ else 1)
    write_report(selector, tmp_path / "report.html")
    assert f"Chosen by index {selector.index_}: " in read(tmp_path / "report.html").text


@pytest.mark.slow
def test_scores_that_were_not_scored_again(tmp_path, wine):
    """No errors, no column of fresh splits, no picture of a comparison, and a warning."""
    write_report(single_search(evaluation__n_rescore_splits=0, **SHORT).fit(*wine[:2]), tmp_path / "report.html")
    document = read(tmp_path / "report.html")
    assert "nothing was scored again (n_rescore_splits=0)" in document.text
    assert document.tables[2][0] == ["features", "UAR as the search saw it"]
    assert [tag for tag, _ in document.tags].count("img") == 3


def test_without_matplotlib_the_tables_remain(tmp_path, selector, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    write_report(selector, tmp_path / "report.html")
    document = read(tmp_path / "report.html")
    assert "There are no pictures: pictures need matplotlib: pip install 'moeliga[plot]'." in document.text
    assert len(document.table("index", "features")) == len(selector.pareto_front_)


@pytest.mark.slow
def test_a_file_is_replaced_only_when_asked_to(tmp_path, selector):
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="path must be a new file unless overwrite=True"):
        write_report(selector, path)
    assert path.read_text() == "mine"
    write_report(selector, path, overwrite=True)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("arguments, message", [
    ({"X": 0}, "y must be given with X, got None"),
    ({"y": 1}, "X must be given with y, got None"),
    ({"X": 0, "y": 1, "X_test": 2}, "y_test must be given with X_test, got None"),
    ({"X_test": 0, "y_test": 1},
     "X must be given with X_test, got None: members are fitted to it before they are scored"),
    ({"X": 0, "y": 3}, "y must have 89 entries, one for each row of X, got 88"),
])
def test_data_that_do_not_belong_together(tmp_path, selector, wine, arguments, message):
    wine = (*wine[:3], wine[3][:88])
    with pytest.raises(ValueError) as caught:
        write_report(selector, tmp_path / "x", **{name: wine[place] for name, place in arguments.items()})
    assert str(caught.value) == message and not (tmp_path / "x").exists()


def test_other_columns_and_unfitted_selectors(tmp_path, selector, wine):
    with pytest.raises(ValueError, match=r"X must have 13 columns, as in the fit, got shape \(89, 12\)"):
        write_report(selector, tmp_path / "x", X=wine[0].iloc[:, 1:], y=wine[1])
    X, y, X_test, y_test = wine
    for given in ({"X": X.iloc[:, ::-1], "y": y}, {"X": X, "y": y, "X_test": X_test.iloc[:, ::-1], "y_test": y_test}):
        name = [*given][-2]
        with pytest.raises(ValueError, match=f"^{name} must have the columns .*, got them in another order$"):
            write_report(selector, tmp_path / "x", **given)
    with pytest.raises(NotFittedError):
        write_report(single_search(), tmp_path / "x")


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"title": 5}, TypeError, "title must be a str, got 5"),
    ({"X": [[0.0] * 13], "y": 5}, ValueError, "y must have a value for each sample, got 5"),
])
def test_arguments_of_other_types(tmp_path, selector, arguments, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        write_report(selector, tmp_path / "x", **arguments)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(("marked", "shown"), [(None, "abc"), (1, "abc"), (2, "abc"), (3, "abd"), (4, "abe")])
def test_a_marked_row_is_always_shown(marked, shown):
    """It replaces the last of the rows shown, and the rows left out are counted."""
    text = table([("letter", "text", list("abcde"))], label="Letters", marked=marked, most=3, left_out="letters")
    assert "".join(re.findall("<td[^>]*>(.)</td>", text)) == shown
    assert "2 of 5 letters are not shown." in text
    assert text.count('<tr class="chosen">') == (marked is not None)
    assert "not shown" not in table([("letter", "text", list("abc"))], label="Letters", most=3)


@pytest.mark.parametrize(("asked", "why"), [(0, "(n_rescore_splits=0)"), (5, "(a signal came before)")])
def test_why_nothing_was_scored_again_is_told(asked, why):
    record = SimpleNamespace(front=SimpleNamespace(honest=None, n_rescore_splits=0), held_out=[0.5],
                             settings={"parameters": {"evaluation.n_rescore_splits": asked}})
    assert next(cautions(record)).endswith(f"nothing was scored again {why}.")
