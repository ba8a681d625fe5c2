"""Cases of the rooms code, relief, tree and evaluate, and of the functions and estimators that stand on them."""

from functools import partial

import numpy as np

from cases.tables import KEY, masks, table, whole
from moeliga import (
    Cardinality,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FeatureCost,
    Separability,
    evaluate_subsets,
    separability,
)
from moeliga._ext import bits, code, draw, evaluate, relief, tree
from moeliga.data.dataset import Dataset

CLASSES = ("few", "missing", "many", "wide", "odd", "twenty", "large", "sparse")
RULES = {"all": (100, 2, 1), "shallow": (3, 2, 1), "coarse": (100, 9, 4)}


def coded(name, n_threads):
    """A table as the kernels read it."""
    X, y = table(name)
    if name == "target":
        return Dataset.encode_target(X, y, n_threads=n_threads)
    return Dataset.encode(X, y, table(name).n_classes, n_threads)


def of_nodes(nodes):
    """Nodes as plain numbers: int32, shape (n_nodes, 5)."""
    return nodes.view(np.int32).reshape(len(nodes), -1)


# code


def coding(name, n_threads):
    """All arrays of a data set."""
    dataset = coded(name, n_threads)
    found = {field: getattr(dataset, field) for field in (
        "labels", "class_start", "rows", "codes", "order", "lower", "upper", "offset", "values", "hits_from",
        "hits_to", "counted")}
    if dataset.target is not None:
        found |= {"steps": dataset.target.steps, "centre": dataset.target.centre, "exponent": dataset.target.exponent}
    return found | {"validation": dataset.n_validation(0.3)}


def layouts(n_threads):
    """Single precision, and columns and rows in other orders."""
    X = table("many").X
    rows = np.argsort(whole(200, len(X), 10**9), kind="stable")
    names = "codes", "order", "lower", "upper", "offset", "values", "known"
    return {f"{layout}: {name}": array for layout, cells in {
        "single": X.astype(np.float32), "by column": np.asfortranarray(X), "every other": X[:, ::2]}.items()
        for name, array in zip(names, code.encode(cells, rows, n_threads), strict=True)}


# relief


def relief_of(name, n_threads):
    """Subsets of all sizes, few instances and many: measured by the sieve and without it."""
    dataset, found = coded(name, n_threads), {}
    n, level = dataset.n_samples, dataset.level
    for k in sorted({1, 5, dataset.n_features // 2, dataset.n_features}):
        selected = np.sort(np.argsort(whole(210 + k, dataset.n_features, 10**9), kind="stable")[:k]).astype(np.int32)
        for instances in (7, n, 3 * n):
            chosen = draw.instances(KEY, (12, 0, 0, 0, draw.SAMPLE), n, instances, instances > n)
            found[f"{k} features, {instances} instances"] = relief.separability(
                dataset.values, dataset.hits_from, dataset.hits_to, selected, chosen, level)
    return {"separability": np.array(list(found.values()))}


def public_separability(n_threads):
    """The public measure: of classes, of a target, of some samples."""
    found = {name: separability(*table(name)) for name in ("few", "missing", "wide", "odd", "sparse")}
    X, y = table("target")
    found |= {f"target, {share}": separability(X, y, neighbours=share) for share in (0.05, 0.1, 0.5)}
    X, y = table("wide")
    mask = masks(220, 1, 130)[0]
    return found | {"a subset": separability(X, y, mask, samples=0.3, replace=True, random_state=3),
                    "some": separability(X, y, mask, samples=40, random_state=4)}


# tree


def grown(name, n_threads):
    """Trees of a data set under every rule, alone and with others, and where all its samples fall."""
    dataset = coded(name, n_threads)
    marks = (whole(230, dataset.n_samples, 3) == 0).astype(np.uint8)
    marks[0] = 0
    half = np.arange(0, dataset.n_features, 2, dtype=np.int32)
    every, nothing = np.arange(dataset.n_features, dtype=np.int32), np.zeros_like(marks)
    X = table(name).X
    X, found = np.ascontiguousarray(X if isinstance(X, np.ndarray) else X.toarray()), {}
    for rule, part in (("all", "whole"), ("all", "part"), ("shallow", "part"), ("coarse", "whole")):
        features, left_out = (every, nothing) if part == "whole" else (half, marks)
        depth, *sizes = RULES[rule]
        limits = (min(depth, 6) if name == "large" else depth, *sizes)
        if name == "target":
            nodes, thresholds, *rest = tree.regress(dataset, features, left_out, *limits)
        else:
            alone = max(1, dataset.n_samples // 10)  # larger nodes are shared by the threads
            nodes, thresholds, *rest = tree.grow(dataset, features, left_out, *limits, n_threads, alone)
            rest.append(tree.label(dataset, nodes))
        rest.append(tree.apply(nodes, thresholds, X, n_threads))
        names = ("means", "sizes", "leaves") if name == "target" else ("counts", "labels", "leaves")
        found |= {f"{rule}, {part}: {entry}": array for entry, array in
                  zip(("nodes", "thresholds", *names), (of_nodes(nodes), thresholds, *rest), strict=True)}
    return found


def estimators(n_threads):
    """The trees as estimators: what they predict for other samples than they know."""
    found = {}
    for name in ("few", "missing", "many", "twenty", "sparse"):
        X, y = table(name)
        model = DecisionTreeClassifier(min_samples_leaf=2, n_jobs=n_threads).fit(X[::2], y[::2])
        found |= {f"{name}: thresholds": model.thresholds_, f"{name}: predicted": model.predict(X),
                  f"{name}: shares": model.predict_proba(X)}
    X, y = table("target")
    for depth in (None, 3):
        model = DecisionTreeRegressor(max_depth=depth, n_jobs=n_threads).fit(X[::2], y[::2])
        found |= {f"target, {depth}: thresholds": model.thresholds_, f"target, {depth}: means": model.values_,
                  f"target, {depth}: predicted": model.predict(X)}
    return found


# evaluate


def evaluated(name, n_threads):
    """Scores and separabilities of subsets: own splits and shared ones, whole chromosomes and short ones."""
    dataset = coded(name, n_threads)
    n_features, n_instances = dataset.n_features, -(-dataset.n_samples // 3)
    found, every = {}, np.arange(n_features, dtype=np.int32)
    odd = every[1::2].copy()
    subsets = bits.pack(masks(240, 16, n_features).view(np.uint8))
    short = bits.pack(masks(242, 9, len(odd)).view(np.uint8))
    numbers = np.arange(16, dtype=np.int32)
    for rule, part, rows, features, shared, replace in (("all", "own", subsets, every, False, True),
                                                        ("all", "shared", subsets, every, True, False),
                                                        ("shallow", "short", short, odd, False, True),
                                                        ("coarse", "short, shared", short, odd, True, True)):
        room = evaluate.Evaluator(dataset, dataset.n_validation(0.3), *RULES[rule])
        score, distance = room.evaluate(rows, features, numbers[: len(rows)] + 5, KEY, (6, 2**33 + 1, 4), 3, shared,
                                        n_instances, replace, n_threads)
        found |= {f"{rule}, {part}: score": score, f"{rule}, {part}: separability": distance}
    return found


def subsets_of(name, n_threads):
    """`evaluate_subsets` with every kind of objective."""
    X, y = table(name)
    n_features = X.shape[1]
    score = "r2" if name == "target" else "uar"
    costs = whole(250, n_features, 90) / 4
    common = {"estimator": DecisionTreeRegressor(max_depth=4) if name == "target" else None, "random_state": 7,
              "n_jobs": n_threads}
    settings = {
        "default": {},
        "shared": {"shared": True, "n_splits": 5, "validation_size": 0.45},
        "costs": {"objectives": (score, FeatureCost(), Cardinality(3.0, -0.5)), "feature_costs": costs},
        "instances": {"objectives": (Separability(20, replace=False, neighbours=0.3), score)},
    }
    return {setting: evaluate_subsets(X, y, masks(251, 14, n_features), **common, **options)
            for setting, options in settings.items()}


CASES = {
    **{f"code: {name}": partial(coding, name) for name in (*CLASSES, "target")},
    "code: layouts": layouts,
    **{f"relief: {name}": partial(relief_of, name) for name in ("few", "missing", "many", "wide", "odd", "target")},
    "relief: public": public_separability,
    **{f"tree: {name}": partial(grown, name) for name in (*CLASSES, "target")},
    "tree: estimators": estimators,
    **{f"evaluate: {name}": partial(evaluated, name)
       for name in ("few", "missing", "many", "wide", "odd", "twenty", "sparse", "target")},
    **{f"evaluate: subsets of {name}": partial(subsets_of, name) for name in ("missing", "wide", "sparse", "target")},
}
