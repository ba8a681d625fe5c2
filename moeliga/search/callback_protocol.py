"""A search as a task of scikit-learn's callback protocol, with one subtask for each generation.

A callback of this protocol has the methods `setup`, `on_fit_task_begin`, `on_fit_task_end` and `teardown`, and is set
with `set_callbacks`. scikit-learn has the protocol from 1.9 on (`sklearn.callback`); for older versions this module has
the few methods that are needed, without the propagation of callbacks from meta-estimators.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from moeliga.base.typing import FitCallback
from moeliga.results.rules import rule_for
from moeliga.results.text import Chosen, choice_names
from moeliga.search.loop import fronts_of, outcome_of

HOOKS = ("setup", "on_fit_task_begin", "on_fit_task_end", "teardown")

Fit = TypeVar("Fit", bound=Callable[..., Any])


class Context:
    """A task in the tree of tasks, like `sklearn.callback.CallbackContext`; calls the hooks of callbacks."""

    def __init__(self, estimator, task_name, task_id, max_subtasks, parent=None):
        self.estimator_name = type(estimator).__name__ if parent is None else parent.estimator_name
        self.callbacks = getattr(estimator, "_skl_callbacks", []) if parent is None else parent.callbacks
        self.task_name = task_name
        self.task_id = task_id
        self.max_subtasks = max_subtasks
        self.parent = parent
        self.n_subtasks = 0

    def subcontext(self, task_name="", max_subtasks=0):
        """Return the `Context` of the next subtask."""
        child = Context(None, task_name, self.n_subtasks, max_subtasks, self)
        self.n_subtasks += 1
        return child

    def call_on_fit_task_begin(self, *, estimator, **values):
        self.call("on_fit_task_begin", estimator, values)

    def call_on_fit_task_end(self, *, estimator, **values):
        """Call `on_fit_task_end` of all callbacks; return True if one of them stops the search."""
        return self.call("on_fit_task_end", estimator, values)

    def call(self, hook, estimator, values):
        def value(name):
            if name != "fitted_estimator":
                return values.get(name)
            attributes = values.get("reconstruction_attributes")
            return None if attributes is None else with_attributes(estimator, attributes())

        answers = []
        for callback in self.callbacks:
            method = getattr(callback, hook)
            names = [name for name, parameter in signature(method).parameters.items()
                     if parameter.kind is Parameter.KEYWORD_ONLY]
            answers.append(bool(method(estimator, self, **{name: value(name) for name in names})))
        return any(answers)


def with_attributes(estimator, attributes):
    """Return a shallow copy of an estimator with further attributes."""
    copy = object.__new__(type(estimator))
    vars(copy).update(vars(estimator) | attributes)
    return copy


class OwnCallbackSupport:
    """Replaces `sklearn.callback.CallbackSupportMixin` for versions of scikit-learn without it."""

    def set_callbacks(self, *callbacks: FitCallback) -> Self:
        """Set callbacks that watch the fit.

        Parameters
        ----------
        *callbacks : objects with the methods `setup`, `on_fit_task_begin`, `on_fit_task_end` and `teardown`
            A call without any removes those that were set.

        Returns
        -------
        self

        Raises
        ------
        TypeError : if a callback lacks one of the methods.
        """
        for callback in callbacks:
            missing = [hook for hook in HOOKS if isinstance(callback, type) or not hasattr(callback, hook)]
            if missing:
                raise TypeError(f"callbacks must be objects with the methods {', '.join(HOOKS)}, got {callback!r}")
        if callbacks:
            self._skl_callbacks = list(callbacks)
        else:
            vars(self).pop("_skl_callbacks", None)
        return self

    def _init_callback_context(self, task_name="fit", max_subtasks=0):
        self._callback_fit_ctx = Context(self, task_name, 0, max_subtasks)
        self._skl_callbacks_to_teardown = []
        for callback in self._callback_fit_ctx.callbacks:
            self._skl_callbacks_to_teardown.append(callback)
            callback.setup(estimator=self, context=self._callback_fit_ctx)
        return self._callback_fit_ctx


def own_with_callbacks(fit):
    """Decorate a fit so that callbacks are torn down however it ends, if they were set up."""

    @wraps(fit)
    def managed(estimator, *arguments, **options):
        with ExitStack() as stack:
            try:
                return fit(estimator, *arguments, **options)
            finally:
                context = vars(estimator).pop("_callback_fit_ctx", None)
                for callback in reversed(vars(estimator).pop("_skl_callbacks_to_teardown", [])):
                    stack.callback(callback.teardown, estimator=estimator, context=context)

    return managed


if TYPE_CHECKING:
    CallbackSupportMixin = OwnCallbackSupport
    def with_callbacks(fit: Fit) -> Fit: ...
else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:
        CallbackSupportMixin, with_callbacks = OwnCallbackSupport, own_with_callbacks


class Generations:
    """Tells the selector's callbacks when the fit and each generation begin and end.

    It is itself a callback of `run`, called with the `State` after each generation; True = a callback stops the search.
    As `fitted_estimator` hooks get the selector as if the search had ended there, with re-scored fronts; it is built
    only for hooks with this parameter, and changes nothing of the search. They get X, y and `metadata` by these names.
    """

    def __init__(self, selector, plan, X, y, metadata, feature_names):
        self.selector, self.plan = selector, plan
        self.values = {"X": X, "y": y, "metadata": metadata}
        self.feature_names = feature_names
        self.task = None
        self.fit = selector._init_callback_context(max_subtasks=plan.n_generations + 1)
        self.fit.call_on_fit_task_begin(estimator=selector, **self.values)

    def begin(self):
        """Tell the callbacks that a generation begins."""
        self.task = self.fit.subcontext(task_name="generation")
        self.task.call_on_fit_task_begin(estimator=self.selector, **self.values)

    def __call__(self, state):
        task, self.task = self.task, None
        return task.call_on_fit_task_end(estimator=self.selector, **self.values,
                                         reconstruction_attributes=lambda: self.attributes(state))

    def attributes(self, state):
        """Return the fitted attributes of the selector as if the search had ended at `state`: dict."""
        progress, sampler = state.progress, state.search.sampler
        ground = sampler.ground
        try:
            outcome = outcome_of(state.search, progress, self.plan.evaluation.n_rescore_splits)
        finally:
            sampler.ground = ground  # re-scoring has changed it, and the search goes on with this one
        front, initial = fronts_of(state.search, outcome, self.feature_names)
        rule = rule_for(front, self.plan.rule)
        index = front.choose(rule)
        return {
            "pareto_front_": front,
            "baselines_": front.part(np.zeros(0, dtype=np.intp)),
            "honest_score_": np.nan,
            "honest_interval_": (np.nan, np.nan),
            "fold_supports_": {},
            "_answers": None,
            "_seed": state.search.seed,
            "_slots": np.full(len(front), -1),
            "initial_front_": initial,
            "index_": index,
            "support_": front.supports[index].copy(),
            "_chosen": Chosen(*choice_names(rule, {}), None),
            "history_": {name: np.array(column) for name, column in progress.history.items()},
            "initial_survival_": progress.survival.last.copy(),
            "stop_reason_": "callback",
            "n_evaluations_": state.row["n_evaluations"],
        }

    def close(self):
        """Tell the callbacks that the last generation has ended, if it was begun and then dropped."""
        if self.task is not None:
            self.task.call_on_fit_task_end(estimator=self.selector, **self.values)
            self.task = None

    def end(self):
        """Tell the callbacks that the fit has ended and its result is set."""
        self.fit.call_on_fit_task_end(estimator=self.selector, **self.values, reconstruction_attributes=dict)
