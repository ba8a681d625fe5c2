"""How objective I is computed: by the compiled core or by joblib, with a tree or another judge, on which splits."""

from dataclasses import dataclass

from sklearn.model_selection import LeaveOneOut

from moeliga.evaluation.estimator_scorer import Splits, fixed_splits
from moeliga.evaluation.judges import Judge, judge_of
from moeliga.evaluation.scores import compiled_score, is_compiled
from moeliga.parameters.objectives import Separability
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor


@dataclass(frozen=True, eq=False)
class Path:
    """How objective I is computed."""

    score: tuple | None  # of the compiled core, see `Ground`; None = joblib computes it
    coded: bool  # the data are coded for the compiled core
    judge: Judge | None  # in place of the compiled tree
    reason: str | None  # the parameter that keeps a judge from being compiled
    one_out: bool  # by leave-one-out in closed form
    splits: Splits | None  # of a user's `cv`, else

    @property
    def n_fixed(self):
        """The number of splits that do not change, or None."""
        if self.splits is None:
            return 1 if self.one_out else None
        return len(self.splits)


def path_of(model, scoring, cv, terms, problem, metadata=None):
    """Find how objective I is computed: Path.

    Parameters
    ----------
    model : classifier or regressor
        What guides.
    scoring, cv : as for the selector
    terms : list
        The objectives, see `resolve_objectives`.
    problem : Problem
    metadata : Metadata or None
        For the model's fit, the splitter and the scorer.
    """
    scored = is_compiled(scoring, problem.regression)
    judge, reason = judge_of(model, metadata) if scored else (None, None)
    one_out = judge is not None and judge.closed and type(cv) is LeaveOneOut
    splits = None
    if cv is not None and not one_out:
        splits = fixed_splits(cv, problem, None if metadata is None else metadata.split)
    ours = judge is not None or type(model) in (DecisionTreeClassifier, DecisionTreeRegressor)
    compiled = scored and ours and (splits is None or splits.are_parts())
    judge = judge if compiled else None
    trees = compiled and judge is None and any(isinstance(term, str) for term in terms)
    return Path(compiled_score(scoring, problem) if compiled else None,
                trees or any(isinstance(term, Separability) for term in terms), judge, reason, one_out, splits)
