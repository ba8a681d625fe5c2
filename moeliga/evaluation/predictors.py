"""The models that guide a search, and the model that is deployed."""

from numbers import Integral
from typing import Any, Literal

from sklearn.base import is_regressor
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import Pipeline

from moeliga.base.checks import check_predictor, check_splits
from moeliga.base.typing import FixedSplits, Predictor, Scoring, Splits
from moeliga.evaluation.capabilities import check_column_choice
from moeliga.evaluation.estimator_scorer import find_scorer
from moeliga.evaluation.metadata import router
from moeliga.evaluation.scores import is_compiled
from moeliga.forest.classifier import RandomForestClassifier
from moeliga.forest.regressor import RandomForestRegressor
from moeliga.parameters.islands import Islands
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor


def guides_and_model(estimator, judges, honest):
    """Return the list of models that guide a search, and the deployed model of cross-fitting, or None: a pair.

    `judges` are those of `islands`, or None. TypeError or ValueError if `estimator` is no estimator, is of another kind
    than the judges, or would not be used.
    """
    judges = [] if judges is None else list(judges)
    given = [predictor for predictor in (estimator, *judges) if predictor is not None]
    check_estimator(estimator)
    if len({is_regressor(predictor) for predictor in given}) > 1:
        raise ValueError("estimator and the judges of islands must all be classifiers or all be regressors, got "
                         f"{estimator!r} and {judges!r}")
    for predictor in given:
        check_column_choice("estimator" if predictor is estimator else "islands.judges", predictor)
    check_splits("honest", honest)
    ours = type(estimator) in (DecisionTreeClassifier, DecisionTreeRegressor)
    if honest is None and estimator is not None and (judges or not ours):
        rule = ("None where honest=None and islands has judges: these guide the search, and no model is deployed"
                if judges else
                "None, or a tree of moeliga, where honest=None: no model is deployed then; to let another model guide "
                "the search, pass islands=Islands(judges=[model], sizes=None)")
        raise ValueError(f"estimator must be {rule}, got {estimator!r}")
    if given and is_regressor(given[0]):  # leaves of one sample would take three times as long, and bring nothing
        tree, forest = DecisionTreeRegressor(max_depth=100, min_samples_leaf=5), RandomForestRegressor()
    else:
        tree, forest = DecisionTreeClassifier(max_depth=100), RandomForestClassifier()
    guides = judges or [estimator if ours else tree]
    return guides, None if honest is None else forest if estimator is None else estimator


class Guided:
    """Mixin of a selector: the models that guide its search, and its deployed model, by its parameters."""

    estimator: Predictor | None
    scoring: Scoring | None
    cv: FixedSplits | None
    honest: Splits | None
    islands: Literal["sizes"] | Islands | None

    def guides(self) -> list[Any]:
        """Return the classifiers, or regressors, whose score guides the search: the judges of `islands`, or a tree."""
        return self._predictors()[0]

    def guide_scoring(self) -> Scoring | None:
        """Return the scorer of `guides`: `scoring`, unless that is for the deployed model only."""
        alone = self.honest is not None and not (isinstance(self.islands, Islands) and self.islands.judges)
        return guide_scoring(self.scoring, self.guides()[0], alone)

    def deployed(self) -> Any:
        """Return the model that subsets are for: `estimator` or its default; without `honest` the guiding model."""
        guides, model = self._predictors()
        return guides[0] if model is None else model

    def _predictors(self) -> tuple[list[Any], Any]:
        """Return the models that guide the search, and the deployed one; the defaults if parameters are wrong."""
        try:
            judges = self.islands.judges if isinstance(self.islands, Islands) else None
            return guides_and_model(self.estimator, judges, self.honest)
        except (TypeError, ValueError, AttributeError):  # `fit` raises it
            return guides_and_model(None, None, 5)

    def get_metadata_routing(self) -> Any:
        """Return the metadata that `fit` passes on to the estimator's `fit`, the splitter's `split` and the scorer.

        Returns
        -------
        routing : sklearn.utils.metadata_routing.MetadataRouter
            Of the objects "estimator", "splitter" and "scorer".
        """
        model = self.deployed()
        folds = self.cv if self.honest is None else self.honest
        if self.honest is not None and isinstance(folds, Integral):
            folds = StratifiedGroupKFold()  # requests groups, which a number of folds keeps together, too
        return router(type(self).__name__, model, folds, find_scorer(model, self.scoring))


def names_of(guides):
    """Return a distinct name for each of `guides`, its class (of a pipeline its last step's): tuple of str."""
    names = []
    for guide in guides:
        name = type(guide.steps[-1][1] if isinstance(guide, Pipeline) else guide).__name__
        n = sum(other.partition("-")[0] == name for other in names)
        names.append(f"{name}-{n + 1}" if n else name)
    return tuple(names)


def guide_scoring(scoring, guide, alone):
    """Return the scorer of the models that guide the search: `scoring`, or None for UAR or R2.

    `alone`: a compiled tree guides the search for another, deployed model; a `scoring` that is not compiled is then for
    the deployed model only.
    """
    return None if alone and not is_compiled(scoring, is_regressor(guide)) else scoring


def check_apart(name, value, above):
    """Raise TypeError if `value` is, or holds in its parameters, one of the objects `above`, which hold it."""
    if any(value is outer for outer in above):
        raise TypeError(f"{name} must not hold the selector, or itself, in its parameters, got a "
                        f"{type(value).__name__} that does")
    asked = not isinstance(value, type) and hasattr(value, "get_params")
    parts = value.get_params(deep=False) if asked else value
    parts = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list | tuple) else ()
    for part in parts:
        check_apart(name, part, (*above, value))


def check_estimator(estimator):
    """Raise TypeError unless `estimator` is a classifier, a regressor or None."""
    if isinstance(estimator, type):
        raise TypeError(f"estimator must be an instance, not a class: pass {estimator.__name__}(), got {estimator!r}")
    if isinstance(estimator, str):
        raise TypeError("estimator must be an object, not a name: pass RandomForestClassifier() of scikit-learn, for "
                        f"example, got {estimator!r}")
    if estimator is not None:
        check_predictor("estimator", estimator, "a classifier, a regressor or None")
