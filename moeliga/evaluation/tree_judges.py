"""Trees and forests, of this package and of scikit-learn, as compiled judges: functions that read their parameters."""

from numbers import Integral, Real

from moeliga.evaluation.compiled_judge import FOREST, TREE, Parameters
from moeliga.tree import check_stopping


def own_tree(parameters):
    """Return the arguments of `Judge` for a tree of this package: dict."""
    rules = check_stopping(parameters["max_depth"], parameters["min_samples_split"], parameters["min_samples_leaf"])
    return {"kind": TREE, "closed": False, "whole": rules}


def read_stopping(parameters):
    """Return checked max_depth, min_samples_split and min_samples_leaf of scikit-learn's trees and forests: tuple."""
    depth = None if parameters["max_depth"] is None else parameters.whole("max_depth", 1)
    n_split, n_leaf = parameters.whole("min_samples_split", 2), parameters.whole("min_samples_leaf", 1)
    return check_stopping(depth, n_split, n_leaf)


def check_unsupported(parameters):
    """Raise NotCompiled for a parameter of scikit-learn's trees and forests that the compiled ones do not have."""
    parameters.check_choice("criterion", "gini", "squared_error")
    parameters.check_equal(min_weight_fraction_leaf=0, max_leaf_nodes=None, min_impurity_decrease=0, ccp_alpha=0)
    parameters.check_choice("monotonic_cst", None)


def read_class_weight(parameters):
    """Return checked `class_weight`: a dict, "balanced" or None."""
    given = parameters.get("class_weight")  # regressors have none
    if not isinstance(given, dict):
        Parameters(class_weight=given).check_choice("class_weight", None, "balanced")
        return given
    return parameters.class_weight()


def tree(parameters):
    """Return the arguments of `Judge` for a tree of scikit-learn: dict."""
    check_unsupported(parameters)
    parameters.check_choice("splitter", "best")
    parameters.check_choice("max_features", None)
    return {"kind": TREE, "closed": False, "whole": read_stopping(parameters),
            "class_weight": read_class_weight(parameters)}


def forest(kind, parameters):
    """Return the arguments of `Judge` for a forest, of this package or of scikit-learn; `kind` is our class: dict."""
    if "criterion" in parameters:
        check_unsupported(parameters)
        read_stopping(parameters)
        parameters.check_equal(warm_start=False)
        parameters.check_choice("oob_score", False, True)
    seed, tried, share = (parameters[name] for name in ("random_state", "max_features", "max_samples"))
    if not (seed is None or isinstance(seed, Integral)):
        parameters.refuse("random_state")
    if "criterion" in parameters and isinstance(share, Real) and not isinstance(share, Integral) and share > 1:
        parameters.refuse("max_samples")
    model = kind(**{name: parameters[name] for name in kind().get_params()})
    rules, codes = model.rules(), {None: 0.0, "sqrt": -1.0, "log2": -2.0}
    model.n_tried(1)
    parameters.check_equal(min_weight_fraction_leaf=0)
    if isinstance(tried, Integral):
        codes[tried] = -2.0 - float(tried)
    return {"kind": FOREST, "closed": False, "model": model,
            "whole": (model.n_estimators, *rules, kind.random_cuts, model.bootstrap, -1 if seed is None else seed),
            "class_weight": read_class_weight(parameters),
            "real": (codes[tried] if tried in codes else float(tried),
                     -1.0 if share is None else int(share) if isinstance(share, Integral) else float(share))}
