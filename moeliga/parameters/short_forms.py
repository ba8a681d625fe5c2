"""Short forms: strings and None that stand for a value object.

``local_improvement="parent"`` is short for ``local_improvement=LocalImprovement(replacement="parent")``. The parameters
of the object that a short form stands for can be set too: ``set_params(local_improvement__every=10)``.
"""

from moeliga.base.checks import with_python_integers


class ShortForms:
    """Mixin for estimators with parameters that are value objects and have short forms.

    A class has `short_forms`, a dict from the name of a parameter to (dict from short form to a function that makes the
    value object, or None where there is none; classes of value objects).
    """

    def get_params(self, deep=True):
        """Get parameters for this estimator.

        Parameters
        ----------
        deep : bool, default=True
            Whether to return the parameters of value objects and of the estimator too, as ``name__parameter``; also
            those of the object that a short form stands for.

        Returns
        -------
        params : dict from str to object
        """
        found = super().get_params(deep=deep)
        if deep:
            for name in self.short_forms:
                nested = self.stands_for(name)
                if nested is not getattr(self, name) and nested is not None:
                    found.update((f"{name}__{key}", value) for key, value in nested.get_params().items())
        return found

    def set_params(self, **params):
        """Set the parameters of this estimator.

        Parameters
        ----------
        **params : object
            By name, or ``name__parameter`` for one of a value object. A short form gives way to the object that it
            stands for.

        Returns
        -------
        self

        Raises
        ------
        ValueError : if there is no such parameter, or ``name`` stands for no value object.
        """
        super().set_params(**{key: value for key, value in params.items() if "__" not in key})
        nested = {key: value for key, value in params.items() if "__" in key}
        for key in nested:
            name = key.partition("__")[0]
            if name in self.short_forms:
                made = self.stands_for(name)
                if made is None:
                    raise ValueError(f"{key} cannot be set: {name}={getattr(self, name)!r} has no parameters")
                setattr(self, name, made)
        return super().set_params(**nested)

    def stands_for(self, name):
        """Return the value object that a parameter is, or is short for; None where it stands for none."""
        value, (forms, kinds) = getattr(self, name), self.short_forms[name]
        if isinstance(value, kinds):
            return value
        if (value is None or isinstance(value, str)) and forms.get(value) is not None:
            return forms[value]()
        return None

    def described(self):
        """Return the parameters with value objects taken apart: the name of the class for each, and its parameters.

        Whatever form they were written in: {"survival": "MOGA", "survival.n_elite": 10, ...}.
        """
        found = {}
        for name, value in self.get_params(deep=False).items():
            made = self.stands_for(name) if name in self.short_forms else None
            found[name] = value if made is None else type(made).__name__
            if made is not None:
                inner = made.described() if isinstance(made, ShortForms) else made.get_params(deep=False)
                found.update((f"{name}.{key}", entry) for key, entry in inner.items())
        return found

    def resolved(self, name, prefix=""):
        """Return the checked value object of a parameter, with Python's integers; None where it stands for none.

        Raises
        ------
        TypeError, ValueError : naming the parameter (after `prefix`), the rule and the value.
        """
        value, (forms, kinds) = getattr(self, name), self.short_forms[name]
        if not isinstance(value, kinds) and not ((value is None or isinstance(value, str)) and value in forms):
            shown = [repr(form) for form in forms] + [f"a {kind.__name__}" for kind in kinds]
            raise ValueError(f"{prefix}{name} must be {', '.join(shown[:-1])} or {shown[-1]}, got {value!r}")
        made = self.stands_for(name)
        if made is None:
            return None
        made.validate(f"{prefix}{name}")
        return with_python_integers(made)
