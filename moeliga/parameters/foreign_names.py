"""Errors for names of parameters that other selectors have: they say what replaces them here."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from moeliga.base.text import suggestion

SIZES = ("n_features_to_select", "n_features", "k_features", "k")
"""Parameters of other selectors for the size of their single subset."""

Constructor = TypeVar("Constructor", bound=Callable[..., None])


def refuse_foreign_names(params: dict[str, Any], error: type[Exception]) -> None:
    """Raise an error of this type if a parameter has a name in `SIZES`."""
    for name in SIZES:
        if name in params:
            raise error(f"{name} is no parameter of MOELIGASelector, whose fit finds subsets of many sizes: choose one "
                        f"of them with select(n_features={params[name]!r}), or bound all with "
                        f"max_features={params[name]!r}")


def owner_hint(kind: type, name: str) -> str:
    """Return the end of a message that names the value object with this parameter: str, "" if none has it."""
    known: Any = kind()
    for key in known.get_params():
        owner, _, own = key.rpartition("__")
        if own == name and owner:
            return f": it is one of {owner}={type(known.stands_for(owner)).__name__}({name}=...)"
    return ""


def suggesting_names(init: Constructor) -> Constructor:
    """Return a constructor whose error for an unknown name suggests what to use: a method, value object or name."""
    @wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        refuse_foreign_names(params, TypeError)
        for name in params.keys() - signature(init).parameters.keys():
            own = owner_hint(type(self), name) or suggestion(name, signature(init).parameters)
            raise TypeError(f"{name} is no parameter of {type(self).__name__}{own}")
        init(self, *args, **params)
    return checked  # type: ignore[return-value]
