"""Names that other selectors give to parameters, and what there is here in their place."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

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


def own_names(init: Init) -> Init:
    """Return a constructor that says what there is in place of a name of another selector's."""
    @wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        check_names(params, TypeError)
        init(self, *args, **params)
    return checked  # type: ignore[return-value]
