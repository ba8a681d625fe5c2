"""Metadata of a fit: sample weights, groups and other arguments of estimators, splitters and scorers."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from inspect import Parameter, signature
from itertools import chain

import numpy as np
import sklearn
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from moeliga.base.checks import conversion
from moeliga.data.frame import missing_in
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor

PER_SAMPLE = ("sample_weight", "groups")
"""Metadata that must have one entry for each sample, whichever object receives them."""


@dataclass(frozen=True, eq=False)
class Metadata:
    """The metadata of a fit for three methods: dicts from name to value, without entries that are None."""

    fit: dict  # for the estimator's `fit`
    split: dict  # for the splitter's `split`
    score: dict  # for the scorer
    n_samples: int  # a value of this length has one entry for each sample, and is cut with the samples
    # pairs (attribute, name) of values that are never cut, though a part of the samples may have their length by chance
    whole: frozenset = frozenset()

    def part(self, rows):
        """Return the metadata of some rows: Metadata."""
        kinds = ("fit", "split", "score")
        whole = {(kind, name) for kind in kinds for name in getattr(self, kind) if not self.is_cut(kind, name)}
        return Metadata(*(self.at(kind, rows) for kind in kinds), len(rows), frozenset(whole))

    def at(self, kind, rows):
        """Return the metadata of some rows of X for "fit", "split" or "score": dict."""
        return {name: _safe_indexing(value, rows) if self.is_cut(kind, name) else value
                for name, value in getattr(self, kind).items()}

    def is_cut(self, kind, name):
        """Return True if a value has one entry for each sample, and is cut with the samples."""
        return (kind, name) not in self.whole and length(getattr(self, kind)[name]) == self.n_samples


def length(value):
    """Return the number of entries of an array, a sequence or a table; None for anything else."""
    if isinstance(value, str | bytes | Mapping | Set | type):
        return None
    shape = getattr(value, "shape", None)
    if shape is not None:
        return shape[0] if isinstance(shape, tuple) and shape else None
    try:
        return len(value) if hasattr(value, "__getitem__") else None
    except TypeError:
        return None


def plain(value):
    """Return an extension array of a library of tables, such as pandas' text in Arrow's memory, as NumPy's array."""
    dtype = getattr(value, "dtype", None)
    extension = dtype is not None and not isinstance(dtype, np.dtype) and not hasattr(value, "iloc")
    return np.asarray(value) if extension and getattr(value, "ndim", 0) == 1 else value


def check_entries(name, value, n_samples, what):
    """Raise ValueError unless metadata of `PER_SAMPLE` have `n_samples` entries, TypeError unless these can be indexed.

    `what` is the name by which the metadata are received, `name` that by which they were given.
    """
    n = length(value)
    if what in PER_SAMPLE and n != n_samples:
        got = f"a {type(value).__name__}" if isinstance(value, Mapping | Set) else "a single value" if n is None else n
        raise ValueError(f"{name} must have {n_samples} entries, one for each sample of X, got {got}")
    if n == n_samples:
        try:
            _safe_indexing(value, np.zeros(1, dtype=np.int64))
        except Exception as error:
            raise TypeError(f"{name} must be an array, a sequence or a table that can be indexed, got a "
                            f"{type(value).__name__}: {error}") from error


def check_groups(name, groups):
    """Return groups; raise TypeError or ValueError unless they are a vector of sortable labels, none of them missing.
    """
    with conversion(name):
        try:
            labels = np.asarray(groups)
        except ValueError as error:
            raise ValueError(f"{name} must be one label for each sample: {error}") from error
        if labels.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {labels.shape}")
        missing = np.flatnonzero(missing_in(labels, groups))
        if len(missing):
            raise ValueError(f"{name} must have no missing labels, got {labels[missing[0]]} at position {missing[0]}")
        try:
            np.unique(labels)
        except (TypeError, ValueError) as error:  # of arrays as labels
            raise TypeError(f"{name} must hold labels that can be sorted: {error}") from error
    return labels.astype(object) if labels.dtype.kind == "T" else groups  # which scikit-learn's splitters do not take


def route(selector, params, n_samples, estimator, cv, guides=False):
    """Distribute the `params` of a fit to the estimator, the splitter `cv` and the scorer: return Metadata.

    With ``sklearn.set_config(enable_metadata_routing=True)`` each object gets what it has requested, as the selector's
    `get_metadata_routing` says. Without, `groups` go to the splitter, the rest to the estimator's `fit`, and nothing to
    the scorer. `guides`: the estimator guides the search, as a judge of the islands does, and is not deployed.

    ValueError if a length is wrong, if `groups` come without `cv` or are no labels, or if the estimator's fit does not
    take the rest; TypeError if the entries cannot be indexed, or if groups cannot be sorted; with routing also
    scikit-learn's errors, for metadata that no object requested.
    """
    params = {name: plain(value) for name, value in params.items() if value is not None}
    for name, value in params.items():
        check_entries(name, value, n_samples, name.rpartition("__")[2])
    if "groups" in params and (cv is None or isinstance(cv, str)):
        raise ValueError("groups must come with honest, or with cv=GroupKFold() or cv=StratifiedGroupKFold(): random "
                         f"splits would put samples of one group on both sides; got honest=None, cv={cv!r}")
    if sklearn.get_config()["enable_metadata_routing"]:
        routed = process_routing(selector, "fit", **params)
        found = dict(routed["estimator"]["fit"]), dict(routed["splitter"]["split"]), dict(routed["scorer"]["score"])
        for what, value in [*chain(*map(dict.items, found))]:
            given = next(name for name, param in params.items() if param is value)
            check_entries(given, value, n_samples, what)
            if what == "groups":
                found[1][what] = check_groups(given, value)
        return Metadata(*found, n_samples)
    split = {"groups": check_groups("groups", params.pop("groups"))} if "groups" in params else {}
    check_takes(estimator, params, "islands=Islands(judges=[{}])" if guides else "{}",
                ", and estimator=None" if guides and selector.estimator is not None else "")
    return Metadata(params, split, {}, n_samples)


def router(owner, estimator, cv, scorer):
    """Return scikit-learn's MetadataRouter for a selector, whose class is called `owner`.

    The selector's fit calls estimator.fit, cv.split and the scorer, and so does its fit_transform, which pipelines
    call: scikit-learn 1.6 does not see that by itself.
    """
    # a number, or an iterable of splits, requests nothing, and `check_cv` would use up a generator
    splits = cv if hasattr(cv, "get_metadata_routing") and not isinstance(cv, type) else []
    found = MetadataRouter(owner=owner)
    for name, called, callee in (("estimator", estimator, "fit"), ("splitter", check_cv(splits), "split"),
                                 ("scorer", scorer, "score")):
        mapping = MethodMapping().add(caller="fit", callee=callee).add(caller="fit_transform", callee=callee)
        found.add(**{name: called}, method_mapping=mapping)
    return found


def check_takes(estimator, names, form="{}", more=""):
    """Raise ValueError if the fit of an estimator does not take metadata called `names`.

    The message advises another estimator, written in the `form` in which a user passes it, and then `more`.

    A fit with ``**params``, as those of meta-estimators, may take anything; a pipeline passes ``step__name`` to its
    steps.
    """
    if type(estimator) is Pipeline and not sklearn.get_config()["enable_metadata_routing"]:
        steps = dict(estimator.steps)
        for name in names:
            step, _, rest = name.partition("__")
            if not rest or step not in steps:
                raise ValueError(f"{name} must be passed as step__{rest or name} to a pipeline, where step is one of "
                                 f"{', '.join(map(repr, steps))}")
            if hasattr(steps[step], "fit"):
                check_takes(steps[step], [rest], form, more)
        return
    taken = metadata_of_fit(estimator.fit)
    odd = [] if taken is None else [name for name in names if name not in taken]
    if not odd:
        return
    model = " ".join(repr(estimator).split())
    ours = next((cls for cls in type(estimator).mro() if cls.__module__.startswith("moeliga.")), None)
    instead = f"another {'estimator' if form == '{}' else 'judge'} that takes {'it' if len(odd) == 1 else 'them'}"
    if ours is not None:
        model = f"moeliga.{model}"  # users may not have named this class, and scikit-learn has one of the same name
        package = "tree" if issubclass(ours, DecisionTreeClassifier | DecisionTreeRegressor) else "ensemble"
        instead = f"{form.format(f'sklearn.{package}.{ours.__name__}()')}, or {instead}"
    only = f"besides X and y takes {', '.join(taken)} alone" if taken else "takes X and y alone"
    raise ValueError(f"{', '.join(odd)} must not be given for {model}, whose fit {only}: pass {instead}{more}")


def metadata_of_fit(fit):
    """Return the names of a fit's parameters besides X and y: list of str, or None if it may take any."""
    try:
        parameters = signature(fit).parameters.values()
    except (TypeError, ValueError):  # compiled functions need not have one
        return None
    if any(parameter.kind == Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters if parameter.kind != Parameter.VAR_POSITIONAL][2:]
