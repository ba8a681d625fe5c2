"""Values that are labelled with the names of their features: a dict, or a Series of pandas."""

from collections.abc import Mapping

from moeliga.base.text import first_of


def aligned(name, values, feature_names):
    """Return the values of parameter `name`, one for each feature, in the order of the features.

    A mapping, or a Series whose index is not 0, 1, 2, ..., gives them by names; anything else is returned as it is.
    ValueError for labels that are no names of features, and for features without a value. `feature_names` None = the
    features have no names.
    """
    if isinstance(values, Mapping):
        labels, found = list(values), list(values.values())
    elif hasattr(values, "iloc") and getattr(values, "ndim", 0) == 1:
        labels, found = values.index.tolist(), values.tolist()
        if labels == list(range(len(labels))):
            return values
    else:
        return values
    if feature_names is None:
        raise ValueError(f"{name} must be an array, as X has no names of features, got a {type(values).__name__} with "
                         f"the labels {first_of(map(repr, labels))}")
    own = [*map(str, feature_names)]
    entries = dict(zip(labels, found, strict=True))
    known = set(own)
    unknown = [label for label in entries if label not in known]
    if unknown:
        raise ValueError(f"{name} must have features of X as labels, or be an array, got the unknown "
                         f"{first_of(map(repr, unknown))}")
    missing = [feature for feature in own if feature not in entries]
    if missing or len(entries) < len(labels):
        given = (f"none for {first_of(map(repr, missing))}" if missing else
                 f"{len(labels)} for {len(entries)} different labels")
        raise ValueError(f"{name} must have one entry for each feature of X, got {given}")
    return [entries[feature] for feature in own]
