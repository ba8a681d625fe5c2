"""The selectors of most tests: those of one search."""

from copy import copy

from moeliga import DecisionTreeClassifier, DecisionTreeRegressor, MOELIGASelector

FIRST_FORM = {"honest": None, "rule": "r1", "islands": None, "local_improvement": "parent", "population_size": 90,
              "n_generations": 300}


def single_search(estimator=None, *, preset="default", kind=MOELIGASelector, **parameters):
    """Return a selector of one search without bands and cross-fitting, guided by `estimator`.

    Parameters
    ----------
    estimator : classifier, regressor or None, default=None
        None = the compiled tree.
    preset : {"default", "paper"}, default="default"
    kind : type, default=MOELIGASelector
    **parameters
        Parameters that override these, nested names such as ``evaluation__n_splits=5`` too.
    """
    form = FIRST_FORM if preset == "default" else {}
    selector = kind.from_preset(preset, **form).set_params(**parameters)
    return guided(selector, estimator)


def guided(selector, estimator):
    """Return a selector of one search, guided by `estimator` from now on."""
    if estimator is None or isinstance(estimator, type) or not hasattr(estimator, "fit") or (
            type(estimator) in (DecisionTreeClassifier, DecisionTreeRegressor)):
        selector.estimator = estimator
    else:
        selector.islands = copy(selector.stands_for("islands"))
        selector.islands.judges = [estimator]
    return selector
