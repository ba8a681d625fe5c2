"""Short forms: strings, and None, that stand for a value object.

``local_improvement="parent"`` is short for ``local_improvement=LocalImprovement(replacement="parent")``; it is replaced
by the object when one of its parameters is set, as by ``set_params(local_improvement__every=10)``. None that stands for
no object has no parameters.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from moeliga.base.estimator import BaseEstimator
from moeliga.base.text import suggestion


class ShortForms(BaseEstimator):
    """Base class of estimators whose parameters are value objects, or short forms of them.

    `short_forms` maps the name of a parameter to (dict from short form to a function that returns the value object, or
    to None for no object; classes of value objects).
    """

    short_forms: ClassVar[dict[str, tuple[dict[str | None, Callable[[], Any] | None], tuple[type, ...]]]]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, with `deep` also those of the estimator and of value objects.

        They are called ``name__parameter``; a short form has the parameters of its object.
        """
        found = super().get_params(deep=deep)
        if deep:
            for name in self.short_forms:
                nested = self.stands_for(name)
                if nested is not getattr(self, name) and nested is not None:
                    found.update((f"{name}__{key}", value) for key, value in nested.get_params().items())
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, or by ``name__parameter`` in a value object, which replaces its short form.

        ValueError if there is no such parameter, or ``name`` stands for no value object.
        """
        super().set_params(**{key: value for key, value in params.items() if "__" not in key})
        nested = {key: value for key, value in params.items() if "__" in key}
        for key in nested:
            name = key.partition("__")[0]
            if name in self.get_params(deep=False):
                made = self.stands_for(name) if name in self.short_forms else getattr(self, name)
                if not hasattr(made, "set_params"):
                    raise ValueError(f"{key} cannot be set: {name}={getattr(self, name)!r} has no parameters")
                setattr(self, name, made)
        return super().set_params(**nested)

    def stands_for(self, name: str) -> Any:
        """Return the value object of a parameter, which may be its short form; None if it has none."""
        value, (forms, kinds) = getattr(self, name), self.short_forms[name]
        if isinstance(value, kinds):
            return value
        make = forms.get(value) if value is None or isinstance(value, str) else None
        return None if make is None else make()

    def described(self) -> dict[str, Any]:
        """Return the parameters with each value object, or short form, as its class and its own parameters.

        For example {"survival": "MOGA", "survival.n_elite": 10, ...}.
        """
        found = {}
        for name, value in self.get_params(deep=False).items():
            made = self.stands_for(name) if name in self.short_forms else None
            found[name] = value if made is None else type(made).__name__
            if made is not None:
                inner = made.described() if isinstance(made, ShortForms) else made.get_params(deep=False)
                found.update((f"{name}.{key}", entry) for key, entry in inner.items())
        return found

    def resolved(self, name: str, prefix: str = "") -> Any:
        """Return a checked copy of the value object of a parameter; None if its short form stands for no object.

        The copy has Python's integers, as NumPy's overflow in products. TypeError or ValueError names the parameter
        (after `prefix`), the rule and the value.
        """
        value, made, (forms, kinds) = getattr(self, name), self.stands_for(name), self.short_forms[name]
        if made is not None:
            made.validate(f"{prefix}{name}")
            made = copy(made)
            for key, entry in vars(made).items():
                if isinstance(entry, np.integer):
                    setattr(made, key, int(entry))
        elif not ((value is None or isinstance(value, str)) and value in forms):
            shown = [repr(form) for form in forms]
            shown += [f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}" for kind in kinds]
            raise ValueError(f"{prefix}{name} must be {', '.join(shown[:-1])} or {shown[-1]}, got {value!r}"
                             f"{suggestion(value, forms)}")
        return made
