"""Metadata of a fit: sample weights, groups and whatever else estimators, splitters and scorers take."""

from dataclasses import dataclass
from numbers import Integral

import sklearn
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor

PER_SAMPLE = ("sample_weight", "groups")
"""Metadata that have one entry for each sample, whatever object they go to."""


@dataclass(frozen=True, eq=False)
class Metadata:
    """What a fit passes on; entries that are None are not in it.

    Attributes
    ----------
    fit, split, score : dict from name to value
        For the estimator's `fit`, the splitter's `split` and the scorer.
    n_samples : int
        A value of this length has one entry for each sample, and a part of the samples gets its part of it.
    """

    fit: dict
    split: dict
    score: dict
    n_samples: int

    def fit_at(self, rows):
        """What `fit` gets with some rows of X only."""
        return self.at(self.fit, rows)

    def score_at(self, rows):
        """What the scorer gets with some rows of X only."""
        return self.at(self.score, rows)

    def part(self, rows):
        """Return the metadata of some rows: Metadata."""
        return Metadata(self.fit_at(rows), self.at(self.split, rows), self.score_at(rows), len(rows))

    def at(self, entries, rows):
        return {name: _safe_indexing(value, rows) if length(value) == self.n_samples else value
                for name, value in entries.items()}


def length(value):
    """Number of entries of an array, a sequence or a frame; None for anything else."""
    if isinstance(value, str | bytes | dict) or not (hasattr(value, "shape") or hasattr(value, "__len__")):
        return None
    shape = getattr(value, "shape", None)
    if shape is None:
        return len(value)
    return shape[0] if len(shape) else None


def route(selector, params, n_samples, estimator, cv):
    """Send the metadata of a fit where they belong.

    With ``sklearn.set_config(enable_metadata_routing=True)`` as the objects requested them. Without: `groups` to the
    splitter and the rest to the estimator's `fit`, nothing to the scorer.

    Parameters
    ----------
    selector : object
        Whose `get_metadata_routing` scikit-learn asks.
    params : dict from name to value
    n_samples : int
    estimator : classifier or regressor
    cv : int, splitter, iterable, "oob" or None

    Returns
    -------
    metadata : Metadata

    Raises
    ------
    ValueError : if a length is wrong, if `groups` come without `cv`, or if something is left for the compiled tree.
    TypeError, UnsetMetadataPassedError : with routing, scikit-learn's, for metadata that nobody requested.
    """
    params = {name: value for name, value in params.items() if value is not None}
    for name, value in params.items():
        if name.rpartition("__")[2] in PER_SAMPLE and length(value) != n_samples:
            got = "a single value" if length(value) is None else length(value)
            raise ValueError(f"{name} must have {n_samples} entries, one for each sample of X, got {got}")
    if "groups" in params and (cv is None or isinstance(cv, str)):
        raise ValueError("groups must come with honest, or with cv=GroupKFold() or cv=StratifiedGroupKFold(): random "
                         f"splits would put samples of one group on both sides; got honest=None, cv={cv!r}")
    if sklearn.get_config()["enable_metadata_routing"]:
        routed = process_routing(selector, "fit", **params)
        return Metadata(dict(routed["estimator"]["fit"]), dict(routed["splitter"]["split"]),
                        dict(routed["scorer"]["score"]), n_samples)
    split = {name: params.pop(name) for name in ("groups",) if name in params}
    if params and takes_no_metadata(estimator):
        raise ValueError(f"{', '.join(params)} must not be given for the compiled tree, which takes no metadata: pass "
                         "estimator=sklearn.tree.DecisionTreeClassifier() or another classifier that does, "
                         f"got estimator={estimator!r}")
    return Metadata(params, split, {}, n_samples)


def router(owner, estimator, cv, scorer):
    """Return scikit-learn's MetadataRouter for a selector, whose class is called `owner`.

    Its fit calls estimator.fit, cv.split and the scorer, and so does its fit_transform, which pipelines call:
    scikit-learn 1.6 does not see that by itself.
    """
    # of an iterable of splits nothing can be requested, and to ask a generator would use it up
    splits = cv if isinstance(cv, Integral) or (hasattr(cv, "split") and not isinstance(cv, str)) else []
    found = MetadataRouter(owner=owner)
    for name, called, callee in (("estimator", estimator, "fit"), ("splitter", check_cv(splits), "split"),
                                 ("scorer", scorer, "score")):
        mapping = MethodMapping().add(caller="fit", callee=callee).add(caller="fit_transform", callee=callee)
        found.add(**{name: called}, method_mapping=mapping)
    return found


def takes_no_metadata(estimator):
    """Whether an estimator is the tree of this package, or a subclass that still fits X and y only."""
    return any(isinstance(estimator, tree) and type(estimator).fit is tree.fit
               for tree in (DecisionTreeClassifier, DecisionTreeRegressor))
