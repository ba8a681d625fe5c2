"""The selectors of most tests: those of one search."""

from moeliga import MOELIGASelector

FIRST_FORM = {"rule": "r1", "islands": None, "local_improvement": "parent", "population_size": 90, "n_generations": 300}


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
    return kind.from_preset(preset, estimator=estimator, **form).set_params(**parameters)
