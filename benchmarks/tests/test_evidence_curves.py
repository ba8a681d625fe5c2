"""A competitor's curve over sizes holds its own subsets, is scored within the training part and compared as a front."""


import numpy as np
import pytest
from evidence import module, rivals, save_parts
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import StandardScaler


def searched(name, X, y):
    with rivals():
        return module("variants").of_name(name).search(X, y, module("budget").Budget(evaluations=400), 0)


@pytest.mark.evidence
@pytest.mark.parametrize("method", module("curves").METHODS)
def test_every_method_has_a_curve(parts, method):
    """One subset of each size, or fewer; a front of them, and a choice by each rule; the same again."""
    X, y = parts[:2]
    first, second = (searched(f"curve of {method}", X[:, :8], y) for _ in range(2))
    assert first.evaluations == 8 and set(first.choices) == {"r1", "best", "one_se", "five", "ten"}
    assert np.array_equal(first.front.supports, second.front.supports) and first.choices == second.choices
    assert np.all(np.diff(first.front.n_selected) > 0) and np.all(np.diff(first.front.score) > 0)


def test_a_ranking_gives_its_prefixes(parts):
    """Those of ANOVA's F by hand; what the curve leaves out has no better score than a smaller one."""
    X, y = parts[:2]
    order = np.argsort(-f_classif(StandardScaler().fit_transform(X), y)[0], kind="stable")
    masks = np.array([np.isin(np.arange(13), order[:size]) for size in range(1, 14)])
    assert np.array_equal(module("curves").subsets("kbest", X, y, 0), masks)
    scores, errors = module("measures").fresh_scores(masks, X, y, (0, 13))
    best = [place for place in range(13) if scores[place] > max([0.0, *scores[:place]])]
    front = searched("curve of kbest", X, y).front
    assert np.array_equal(front.supports, masks[best]) and np.array_equal(front.score, scores[best])
    assert np.array_equal(front.score_se, errors[best]) and 1 < len(front) < 13


def test_a_forward_selection_gives_its_path(parts):
    X, y = parts[:2]
    with rivals():
        masks = module("curves").subsets("sfs", X, y, 0)
    assert masks.sum(axis=1).tolist() == list(range(1, 14)) and np.all(masks[1:] >= masks[:-1])
    assert np.array_equal(masks[3], module("competitors").select("sfs", X, y, 4, 0).mask)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("method", "most"), [("kbest", 100), ("sfs", 20)])
def test_a_curve_ends_somewhere(rng, monkeypatch, method, most):
    """Small steps cost little; the others are done to the end that the page says."""
    if method == "sfs":
        monkeypatch.setattr(module("curves"), "LARGEST_FORWARD", most := 3)
    X, y = rng.normal(size=(40, 120)), np.arange(40) % 2
    with rivals():
        masks = module("curves").subsets(method, X, y, 0)
    assert masks.sum(axis=1).tolist() == list(range(1, most + 1))


@pytest.mark.parametrize("name", ["curve of nothing", "curve of moeliga", "curve of rfecv", "curve of mi + prior",
                                  "curve"])
def test_what_has_no_curve_is_refused(name):
    with pytest.raises(ValueError, match="got"):
        module("variants").named([name])


def test_curves_are_compared_with_the_defaults_alone():
    """And corrected by Holm among themselves, whatever other variants there are."""
    ablation, curves = module("ablation"), module("curves").NAMES[:2]
    variants = ["default", "paper", "nsga2", "default - prior", *curves]
    pairs = ablation.pairs_of(variants)
    assert [pair for pair in pairs if set(pair) & set(curves)] == [(name, "default") for name in curves]
    searches, others = ablation.families(variants)
    assert searches == variants[:4] and others == ["default", *curves]
    assert ablation.pairs_of(others) == [(name, "default") for name in curves]
    assert set(pairs) == {*ablation.pairs_of(searches), *ablation.pairs_of(others)}
    rng, comparison = np.random.default_rng(0), module("comparison")
    text = {"method", "data", "split", "seed", "setting", "status"}
    rows = [{column: str(rng.random() / (5 if name in curves else 1)) for column in ablation.COLUMNS
             if column not in text}
            | {"method": name, "data": f"set {i}", "split": "0", "seed": "0", "setting": "some", "status": "ok"}
            for name in variants for i in range(12)]
    everything = ablation.summaries(rows)[-1]
    alone = comparison.family(comparison.by_split(rows, ablation.MEASURES["test area"]),
                              [(name, "default") for name in curves])
    assert {pair: everything["some", "all", "test area", pair] for pair in alone} == alone
    assert {pair for _, _, _, pair in everything} == set(pairs)


@pytest.mark.evidence
def test_the_command_compares_them(monkeypatch, tmp_path, capsys):
    """Rows of the same kind as those of searches, ranks among themselves; only on request."""
    for name in ("paper", "extra"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path / "paper"))
    X, y = load_wine(return_X_y=True)
    for path, rows in (("paper/mine.npz", slice(None, None, 2)), ("extra/other.npz", slice(1, None, 2))):
        save_parts(tmp_path / path, X[rows], y[rows])
    ablation = module("ablation")
    assert not {*ablation.options_of(["mine"]).variants} & {*module("curves").NAMES}
    command = ["mine", "other", "--splits", "2", "--evaluations", "200", "--out", str(tmp_path / "out"), "--variants",
               "default", "curve of kbest", "curve of importance"]
    assert ablation.main(command) == 0
    rows = module("results").Results(tmp_path / "out" / "ablation.csv", ablation.COLUMNS).rows
    assert len(rows) == 12 and {row["status"] for row in rows} == {"ok"}
    row = next(row for row in rows if row["method"] == "curve of kbest" and row["data"] == "mine")
    data = module("crew").Data("mine", 2)
    parts = data.parts(row["split"])[:4]
    again = module("measures").measured(searched("curve of kbest", *parts[:2]), *parts)
    assert float(row["test_area"]) == pytest.approx(again["test_area"])
    ranks = (tmp_path / "out" / "ablation-ranks.csv").read_text().splitlines()
    assert sum(line.startswith("200 evaluations,all,test area,") and line.endswith(",3,2") for line in ranks) == 3
    assert "curve of importance | default" in capsys.readouterr().out
    assert (tmp_path / "out" / "ablation-evaluations.png").stat().st_size > 10_000
