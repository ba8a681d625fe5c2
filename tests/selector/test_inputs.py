"""Inputs are never changed: not by any public function or method, in whatever form they come, also where it fails."""

import copy
import inspect
import types
import warnings
from functools import partial

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import moeliga
from moeliga import Constraints, MOELIGASelector
from moeliga._ext import dominance, niche, tree
from single_search import single_search
from state import untouched

OWN = {"fit", "fit_transform", "select", "set_params", "set_callbacks", "set_output", "set_score_request", "plot",
       "__call__", "close"}
"""Methods that are there to change their own object."""

X = np.random.default_rng(0).integers(0, 2, (36, 6)).astype(float)
X[:, :3] = np.random.default_rng(1).integers(0, 100, (36, 3))
Y = np.arange(36) % 3
X[:, 0] += 20 * Y
MASKS = np.array([[1, 0, 1, 0, 0, 1], [0, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=bool)
POINTS = np.array([[0.5, 0.25, 0.0], [0.75, 0.0, 0.5], [0.5, 0.0, 0.0]])
NAMES = np.array(list("abcdef"))


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **{
        "population_size": 6, "n_generations": 1, "evaluation__n_rescore_splits": 2,
        "local_improvement": None, "random_state": 0, **parameters})


class Watching:
    """A callback of scikit-learn's protocol that does nothing."""

    def setup(self, estimator, context):
        pass

    on_fit_task_begin = on_fit_task_end = teardown = setup


# a call of everything public


FORESTS = (moeliga.RandomForestClassifier, moeliga.ExtraTreesClassifier, moeliga.RandomForestRegressor,
           moeliga.ExtraTreesRegressor)


@pytest.fixture(scope="module")
def made():
    """Fitted things, reports and a front, each made once."""
    states = []
    selector = small(callbacks=states.append).fit(X, Y)
    return types.SimpleNamespace(
        selector=selector, front=selector.pareto_front_, state=states[-1], plain=small().fit(X, Y),
        wide=small(constraints__min_features=5, max_features=5).fit(X, Y),
        tree=moeliga.DecisionTreeClassifier(n_jobs=2).fit(X, Y),
        regressor=moeliga.DecisionTreeRegressor().fit(X, Y.astype(float)),
        forests=[kind(3, bootstrap=True, oob_score=True, n_jobs=2).fit(X, Y) for kind in FORESTS],
        optimism=moeliga.optimism_report(small(), X, Y, n_permutations=2, n_splits=2, random_state=0),
        stability=moeliga.stability_report(small(), X, Y, n_runs=2, random_state=0),
    )


def methods(thing, **calls):
    """Calls of an object's methods, each with its arguments: dict from "Class.method" to (method, *arguments)."""
    return {f"{type(thing).__name__}.{name}": (getattr(thing, name), *arguments) for name, arguments in calls.items()}


def calls_with_data(made, X, y, path):
    """Those that take a data set, by name; `path` is for a file."""
    return {
        **methods(small(n_jobs=2), fit=(X, y), estimate_time=(X, y)),
        **methods(small(BernoulliNB(), cv=2), fit_transform=(X, y)),
        **methods(made.selector, transform=(X,), pipeline=(X, y)),
        **methods(made.wide, inverse_transform=(X,)),
        **methods(moeliga.DecisionTreeClassifier(n_jobs=2), fit=(X, y)),
        **methods(made.tree, predict=(X,), predict_proba=(X,), apply=(X,), score=(X, y)),
        **methods(moeliga.DecisionTreeRegressor(), fit=(X, y)),
        **methods(made.regressor, predict=(X,), apply=(X,), score=(X, y)),
        **{name: call for forest in made.forests for name, call in {
            **methods(type(forest)(3, bootstrap=True, oob_score=True), fit=(X, y)),
            **methods(forest, predict=(X,), score=(X, y)),
            **(methods(forest, predict_proba=(X,)) if hasattr(forest, "predict_proba") else {})}.items()},
        "evaluate_subsets": (moeliga.evaluate_subsets, X, y, MASKS),
        "separability": (moeliga.separability, X, y),
        "optimism_report": (partial(moeliga.optimism_report, n_permutations=1, n_splits=2), made.selector, X, y),
        "stability_report": (partial(moeliga.stability_report, n_runs=2), made.selector, X, y),
        "StabilityDisplay.from_selector": (
            partial(moeliga.StabilityDisplay.from_selector, n_runs=2), made.selector, X, y),
        "write_report": (partial(moeliga.write_report, X=X, y=y, X_test=X, y_test=y), made.selector, path),
    }


def other_calls(made, path):
    """All others, by name."""
    estimators = [moeliga.Cardinality(), moeliga.Checkpoint(path), moeliga.DecisionTreeClassifier(),
                  moeliga.DecisionTreeRegressor(), moeliga.FeatureCost(), moeliga.FitnessSharing(),
                  moeliga.LocalImprovement(), moeliga.Separability(),
                  moeliga.StaggeredInit([0.5, 0.5], [0.25, 0.5], 0.5), moeliga.Variation(schedule=[10.0, 0.5]),
                  moeliga.LogUniformInit(), moeliga.FeaturePrior(), moeliga.Constraints(), moeliga.Evaluation(),
                  moeliga.Islands(), moeliga.MOGA(), moeliga.NoLoss(), small(), *(kind() for kind in FORESTS)]
    settings = [thing for thing in estimators if hasattr(thing, "validate")]
    cardinality, cost, spread, variation = (estimators[place] for place in (0, 4, 8, 9))
    shares = partial(moeliga.FeatureFrequencyDisplay, chosen=MASKS[0], n_members=3)
    front = partial(moeliga.ParetoFrontDisplay, r1=[0.5, 0.75], n_features=6, score_se=POINTS[0, :2],
                    objectives={"a": [1, 2]})
    optimism = partial(moeliga.OptimismDisplay, [1, 2], POINTS[0, :2], n_features=6)
    history = partial(moeliga.ConvergenceDisplay, made.selector.history_, n_features=6)
    return {
        **{name: call for thing in estimators for name, call in methods(
            thing, get_params=(), set_params=(), get_metadata_routing=()).items()},
        **{name: call for thing in settings for name, call in methods(thing, validate=()).items()},
        **methods(moeliga.MOGA(), described=(), resolved=("sharing",), stands_for=("sharing",)),
        **methods(small(), described=(), resolved=("init",), stands_for=("init",)),
        "stop_on": (moeliga.stop_on, "SIGTERM"),
        **methods(cardinality, values=(np.array([1, 5, 3]), 9)),
        **methods(cost, values=(np.array([0.5, 2.0]), 2.5)),
        **methods(spread, counts=(20, 9, np.array([1, 2], dtype=np.uint64))),
        **methods(moeliga.LogUniformInit(), counts=(20, 9, np.array([1, 2], dtype=np.uint64))),
        **methods(moeliga.FeaturePrior(), scores=(X, Y, np.array([1, 2], dtype=np.uint64)),
                  weights=(np.array([0.5, np.nan, 2.0]),)),
        **methods(variation, rate=(3, 9), flip_limits=(3, 9, 50)),
        **methods(moeliga.Separability(), n_instances=(40,)),
        **methods(made.tree, get_depth=(), get_n_leaves=(), rules=(), set_score_request=()),
        **methods(made.regressor, get_depth=(), get_n_leaves=(), rules=(), set_score_request=()),
        **{name: call for forest in made.forests for name, call in methods(
            forest, n_drawn=(40,), n_tried=(len(NAMES),), rules=(), set_score_request=()).items()},
        **methods(made.selector, from_preset=("paper",), get_feature_names_out=(NAMES,), get_support=(True,)),
        **methods(copy.deepcopy(made.plain), assess=("best",), deployed=(), guides=(), guide_scoring=(),
                  select=("best",), summary=(), set_callbacks=(Watching(),), set_output=()),
        **methods(made.front, choose=(lambda front: 0,), columns=(0,), features=(0,), from_json=(made.front.to_json(),),
                  part=(np.array([0]),), to_csv=(path,), to_frame=(), to_json=(path,),
                  to_parquet=(path,)),
        **methods(history(), from_selector=(made.selector,), plot=()),
        **methods(shares(NAMES.tolist(), MASKS.mean(axis=0)), from_selector=(made.selector,), plot=()),
        **methods(optimism(), from_selector=(made.selector,), plot=()),
        **methods(front([1, 2], [0.5, 0.75]), from_selector=(made.selector,), plot=()),
        **methods(moeliga.StabilityDisplay(made.stability), from_report=(made.stability,), plot=()),
        **methods(made.optimism, summary=(), to_frame=()),
        **methods(made.stability, order=(), stability_text=(3,), summary=(), to_frame=()),
        **methods(moeliga.PrintProgress(), __call__=(made.state,), fold_done=(0,)),
        **methods(moeliga.ProgressBar(), __call__=(made.state,), close=(), fold_done=(0,)),
        **{type(thing).__name__: (partial(type(thing), **thing.get_params(deep=False)),) for thing in estimators},
        "MOELIGASelector": (partial(MOELIGASelector, constraints=Constraints(groups=[[0, 1]])), GaussianNB()),
        "ConvergenceDisplay": (history,),
        "FeatureFrequencyDisplay": (shares, NAMES, MASKS.mean(axis=0)),
        "OptimismDisplay": (optimism,),
        "OptimismReport": (partial(moeliga.OptimismReport, **vars(made.optimism)),),
        "ParetoFront": (moeliga.ParetoFront, MASKS.copy(), POINTS.copy(), ["uar", "a", "b"], 0, np.zeros(3),
                        POINTS.copy(), NAMES, np.ones(3)),
        "ParetoFrontDisplay": (front, [1, 2], [0.5, 0.75]),
        "PrintProgress": (moeliga.PrintProgress, None, [1, 2]),
        "ProgressBar": (moeliga.ProgressBar, [1, 2]),
        "StabilityDisplay": (moeliga.StabilityDisplay, made.stability),
        "StabilityReport": (partial(moeliga.StabilityReport, **vars(made.stability)),),
        "pareto_rank": (moeliga.pareto_rank, POINTS),
        "shared_fitness": (moeliga.shared_fitness, POINTS, MASKS),
        "show_versions": (moeliga.show_versions,),
    }


def public():
    """Names of everything public that can be called: functions, classes, methods."""
    for name in moeliga.__all__:
        thing = getattr(moeliga, name)
        yield name
        if isinstance(thing, type):
            yield from (f"{name}.{method}" for method in dir(thing) if callable(getattr(thing, method))
                        and (method == "__call__" and method in vars(thing) or not method.startswith("_")))


def owned(function):
    """What a call has beside its arguments: its object, unless it is there to be changed; what `partial` holds."""
    held = []
    while isinstance(function, partial):
        held += [*function.args, *function.keywords.values()]
        function = function.func
    if inspect.ismethod(function) and not inspect.isclass(function.__self__) and function.__name__ not in OWN:
        held.append(function.__self__)
    return held


def call(function, *arguments):
    """Call; False if it fails. What is given to it stays as it is either way."""
    with untouched(*owned(function), *arguments), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*arguments)
        except (TypeError, ValueError):
            return False
    return True


def test_everything_public_has_a_call(made):
    """A new function or method is given one above."""
    pytest.importorskip("tqdm")
    with_data, others = calls_with_data(made, X, Y, "path"), other_calls(made, "path")
    assert set(public()) == with_data.keys() | others.keys()
    assert not with_data.keys() & others.keys()
    assert set(WITH_DATA) == with_data.keys()
    assert all(issubclass(getattr(moeliga, name), BaseEstimator) for name in moeliga.__all__
               if f"{name}.get_params" in others)


SLOW = ("optimism_report", "stability_report", "StabilityDisplay.from_selector", "write_report")
"""They do what `MOELIGASelector.fit` does, several times."""

WITH_DATA = (
    *(f"MOELIGASelector.{name}" for name in "fit fit_transform estimate_time transform inverse_transform "
      "pipeline".split()),
    *(f"DecisionTreeClassifier.{name}" for name in "fit predict predict_proba apply score".split()),
    *(f"DecisionTreeRegressor.{name}" for name in "fit predict apply score".split()),
    *(f"{kind.__name__}.{name}" for kind in FORESTS for name in "fit predict predict_proba score".split()
      if hasattr(kind, name)),
    "evaluate_subsets", "separability", *SLOW)


@pytest.mark.parametrize("name", sorted(set(public()) - set(WITH_DATA)))
def test_calls_leave_what_they_are_given(made, tmp_path, monkeypatch, name):
    """Every function and method that takes no data set, with objects, arrays, lists and dicts."""
    pytest.importorskip("tqdm")
    for word, package in (("frame", "pandas"), ("parquet", "pyarrow"), ("Display", "matplotlib")):
        if word in name:
            pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with sklearn.config_context(enable_metadata_routing="request" in name):
        assert call(*other_calls(made, tmp_path / "file")[name])


# forms of X: functions of an array and a path


def mapped(mode):
    def form(X, path):
        np.save(path, X)
        return np.load(path, mmap_mode=mode)
    return form


def unaligned(X, path):
    """In a packed structure, where no number begins at a whole word."""
    packed = np.zeros(X.shape, dtype=np.dtype([("byte", "u1"), ("value", "f8")], align=False))
    packed["value"] = X
    assert not packed["value"].flags.aligned
    return packed["value"]


def locked(X, path=None):
    X = X.copy()
    X.flags.writeable = False
    return X


def locked_sparse(X, path):
    X = sparse.csc_array(X)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


def in_parts(kind):
    """Sparse: every cell in two halves, zeros too, and indices in falling order."""
    def form(X, path):
        table = X if kind is sparse.csr_array else X.T
        n_major, n_minor = table.shape
        indices = np.tile(np.repeat(np.arange(n_minor, dtype=np.int32)[::-1], 2), n_major)
        values = np.repeat(table[:, ::-1], 2, axis=1).ravel() / 2
        return kind((values, indices, np.arange(n_major + 1, dtype=np.int32) * 2 * n_minor), shape=X.shape)
    return form


def long_indices(X, path):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def table(library, dtype=float):
    def form(X, path):
        columns = dict(zip(NAMES.tolist(), X.T.copy(), strict=False))
        frame = pytest.importorskip(library).DataFrame(columns)
        return frame if dtype is float else frame.astype(dtype)
    return form


DENSE = {
    "C": lambda X, path: X.copy(),
    "Fortran": lambda X, path: np.asfortranarray(X),
    "every second row": lambda X, path: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X, path: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X, path: X[::-1, ::-1].copy()[::-1, ::-1],
    "part of a larger one": lambda X, path: np.pad(X, 3, constant_values=7)[3:-3, 3:-3],
    "read-only": locked,
    "read-only Fortran": lambda X, path: locked(np.asfortranarray(X)),
    "Fortran f4": lambda X, path: np.asfortranarray(X, dtype=np.float32),
    "unaligned": unaligned,
    "file, read": mapped("r"),
    "file, written": mapped("r+"),
    "file, copied when written": mapped("c"),
    **{kind: lambda X, path, kind=kind: X.astype(kind) for kind in (
        "f4", "f2", ">f8", ">f4", "longdouble", "i1", "i2", "i4", "i8", ">i4", "u1", "u2", "u4", "u8", "O")},
    "bool": lambda X, path: X > 0,
    "subclass": lambda X, path: X.view(type("Subclass", (np.ndarray,), {})),
    "masked": lambda X, path: np.ma.masked_array(X, mask=X < 0),
    "lists": lambda X, path: X.tolist(),
}
"""Every function takes them."""

OTHERS = {
    "pandas": table("pandas"), "pandas, nullable": table("pandas", "Int64"), "polars": table("polars"),
    "missing": lambda X, path: np.where(X == 50, np.nan, X),
    **{kind.__name__: lambda X, path, kind=kind: kind(X) for kind in (
        sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.lil_array,
        sparse.dok_array, sparse.bsr_array)},
    **{f"{kind.__name__} in parts": in_parts(kind) for kind in (sparse.csr_array, sparse.csc_array)},
    "text": lambda X, path: np.full(X.shape, "a"), "objects": lambda X, path: np.array([[{}] * X.shape[1]] * len(X)),
    "infinite": lambda X, path: np.where(X == X.max(), np.inf, X),
    "infinite, sparse": lambda X, path: sparse.csr_array(np.where(X == X.max(), np.inf, X)),
    "long indices": long_indices, "read-only sparse": locked_sparse,
}
"""Some functions refuse some of them."""

WRONG = {
    "complex": lambda X, path: X + 1j,
    "deep": lambda X, path: X[None], "empty": lambda X, path: X[:0],
    "narrow": lambda X, path: X[:, :0],
    "ragged": lambda X, path: [[1.0, 2.0], [3.0]], "flat": lambda X, path: X[:, 0],
}
"""Every function refuses them."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", WITH_DATA)
def test_x_stays_as_it_is_in_every_form(made, tmp_path, monkeypatch, name):
    """Taken or refused, not a bit of it changes, nor of what it is a view of."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    forms = {**DENSE, **OTHERS, **WRONG}
    if name in SLOW:
        forms = {form: forms[form] for form in ("Fortran", "read-only", "f4", "lists", "csr_array", "deep")}
    for number, (form, change) in enumerate(forms.items()):
        if form.startswith(("pandas", "polars")):
            pytest.importorskip(form.partition(",")[0])
        given = change(X[:, :5] if name.endswith("inverse_transform") else X, tmp_path / f"{number}.npy")
        worked = call(*calls_with_data(made, given, Y, tmp_path / f"{number}.html")[name])
        assert worked or form not in DENSE, f"{name} does not take X as {form}"
        assert not worked or form not in WRONG, f"{name} takes X as {form}"


LABELS = {
    "int": Y, "list": Y.tolist(), "text": np.array(list("abc"))[Y], "object": np.array(list("abc"), dtype=object)[Y],
    "bool": Y > 0, "float": Y.astype(float), "small": Y.astype(">i2"), "strided": np.repeat(Y, 3)[::3],
    "read-only": locked(Y), "column": Y[:, None], "backwards": Y[::-1].copy()[::-1],
    "one class": np.zeros(36, dtype=int), "short": Y[:-1], "missing": np.where(Y == 1, np.nan, Y), "deep": Y[None],
    "nothing": None, "complex": Y + 1j, "Series": "Series", "category": "category", "string": "string",
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", LABELS)
def test_y_stays_as_it_is_in_every_form(made, tmp_path, monkeypatch, form):
    """Labels and numbers, and what is neither."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    given = LABELS[form]
    if isinstance(given, str):
        pd = pytest.importorskip("pandas")
        given = pd.Series(Y) if form == "Series" else pd.Series(np.array(list("abc"))[Y], dtype=form)
    worked = set()
    for name, (function, *arguments) in calls_with_data(made, X, given, tmp_path / "report.html").items():
        if any(value is given for value in [*arguments, *owned(function)]) and call(function, *arguments):
            worked.add(name)
    assert len(worked) >= 8 or form in ("one class", "short", "missing", "deep", "nothing", "complex")
    assert "DecisionTreeRegressor.score" in worked or "MOELIGASelector.fit" not in worked or given is not Y


@pytest.mark.quick(5)
@pytest.mark.parametrize("form", [form for form in DENSE if form not in ("longdouble", "f2")])
def test_masks_objectives_and_costs_stay_as_they_are(tmp_path, form):
    """Of the building blocks; where they are refused too."""
    masks, points = DENSE[form](MASKS.astype(float), tmp_path / "1.npy"), DENSE[form](64 * POINTS, tmp_path / "2.npy")
    costs = DENSE[form](np.ones((1, 6)), tmp_path / "3.npy")[0]
    evaluate = partial(moeliga.evaluate_subsets, feature_costs=None if form in ("bool", "O") else costs,
                       objectives=["uar", "cardinality"], n_jobs=2)
    assert call(evaluate, X, Y, masks)
    assert call(moeliga.separability, X, Y, masks[0])
    assert call(moeliga.pareto_rank, points)
    assert call(moeliga.shared_fitness, points, masks)
    assert not call(evaluate, X, Y, masks[0])
    assert not call(moeliga.shared_fitness, points, masks[:1])


@pytest.fixture(autouse=True, scope="module")
def closed():
    """The figures that were drawn."""
    yield
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")


def test_the_kernels_get_numbers_where_the_processor_can_read_them(monkeypatch):
    """Numbers that begin at odd addresses are copied: reading them there ends the process on some processors."""
    seen = []

    def note(function, *arguments):
        seen.append(all(each.flags.aligned for each in arguments if isinstance(each, np.ndarray)))
        return function(*arguments)

    for room, name in ((dominance, "rank"), (niche, "objective_distances"), (tree, "apply")):
        monkeypatch.setattr(room, name, partial(note, getattr(room, name)))
    odd, points = (np.frombuffer(b"\0" + array.tobytes(), offset=1).reshape(array.shape) for array in (X, POINTS))
    assert not odd.flags.aligned and not points.flags.aligned
    fitted = moeliga.DecisionTreeClassifier().fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(odd), fitted.predict(X))
    np.testing.assert_array_equal(moeliga.pareto_rank(points), moeliga.pareto_rank(POINTS))
    np.testing.assert_array_equal(moeliga.shared_fitness(points, space="objective", sigma=1.0),
                                  moeliga.shared_fitness(POINTS, space="objective", sigma=1.0))
    assert len(seen) == 8 and all(seen)
