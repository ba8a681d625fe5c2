"""Names that other selectors give to parameters, and what there is here in their place."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from moeliga.base.text import meant

SIZES = ("n_features_to_select", "n_features", "k_features", "k")
"""Sizes of the one subset that others select."""

Init = TypeVar("Init", bound=Callable[..., None])


def check_names(params: dict[str, Any], error: type[Exception]) -> None:
    """Raise an error for a name of another selector's size."""
    for name in SIZES:
        if name in params:
            raise error(f"{name} is no parameter of MOELIGASelector, whose fit finds subsets of many sizes: choose one "
                        f"of them with select(n_features={params[name]!r}), or bound all with "
                        f"max_features={params[name]!r}")


def inner(kind: type, name: str) -> str:
    """Return the end of the message that names the value object of a selector with this parameter: str, "" for none."""
    known: Any = kind()
    for key in known.get_params() if hasattr(known, "stands_for") else ():
        owner, _, own = key.rpartition("__")
        if own == name and owner:
            return f": it is one of {owner}={type(known.stands_for(owner)).__name__}({name}=...)"
    return ""


def own_names(init: Init) -> Init:
    """Return a constructor that says what there is in place of another selector's name, or the nearest of its own."""
    @wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        check_names(params, TypeError)
        for name in params.keys() - signature(init).parameters.keys():
            own = inner(type(self), name) or meant(name, signature(init).parameters)
            raise TypeError(f"{name} is no parameter of {type(self).__name__}{own}")
        init(self, *args, **params)
    return checked  # type: ignore[return-value]
