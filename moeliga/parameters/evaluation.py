"""Evaluation: on which splits and samples subsets are scored."""

from numbers import Real
from typing import Literal, TypeAlias, get_args

from moeliga.base.checks import check_choice, check_count, check_count_or_share, check_number
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer, Number

SplitMode: TypeAlias = Literal["individual", "generation"]
SPLIT_MODES = get_args(SplitMode)

Reevaluate: TypeAlias = Literal["all", "none", "average"]
REEVALUATE = get_args(Reevaluate)


class Evaluation(BaseEstimator):
    """Splits, repetitions and samples on which subsets are scored (paper, Eq. uar, Algorithm "Evaluate population").

    Parameters
    ----------
    n_splits : int >= 1, default=3
        N_T: random stratified splits per evaluation; not used with the selector's `cv`.
    validation_size : float in (0, 1), default=0.3
        Share of each class that is held out, at least one sample and never all; the sample of a class of one is always
        used for training.
    split_mode : {"individual", "generation"}, default="generation"
        "individual": each evaluation draws its own splits (paper); "generation": a generation shares them.
    reevaluate : {"all", "none", "average"}, default="average"
        "all": survivors are evaluated on fresh splits (paper); "none": they keep their values; "average": they get the
        average over all their splits so far.
    n_rescore_splits : int >= 0, default=50
        Fresh splits on which the final front is scored again before a subset is chosen; 0 = keep the values of the
        search, which are too high.
    subsample : None, int >= 2 or float in (0, 1], default=None
        Number or share of the samples on which subsets are scored by all objectives: drawn afresh for each generation,
        stratified by class, at least two of each (with `cv`, the same share of each part of a split). The final front
        is scored on all samples. None = all.

    Examples
    --------
    >>> from moeliga import Evaluation, MOELIGASelector
    >>> MOELIGASelector(evaluation=Evaluation(n_splits=5)).evaluation
    Evaluation(n_splits=5)
    >>> MOELIGASelector().set_params(evaluation__n_splits=5).evaluation
    Evaluation(n_splits=5)
    """

    def __init__(self, n_splits: Integer = 3, validation_size: Number = 0.3, split_mode: SplitMode = "generation",
                 reevaluate: Reevaluate = "average", n_rescore_splits: Integer = 50,
                 subsample: Number | None = None) -> None:
        self.n_splits = n_splits
        self.validation_size = validation_size
        self.split_mode = split_mode
        self.reevaluate = reevaluate
        self.n_rescore_splits = n_rescore_splits
        self.subsample = subsample

    def validate(self, name: str = "evaluation") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_count(f"{name}.n_splits", self.n_splits, 1)
        check_number(f"{name}.validation_size", self.validation_size, Real, 0, 1, closed="neither")
        check_choice(f"{name}.split_mode", self.split_mode, SPLIT_MODES)
        check_choice(f"{name}.reevaluate", self.reevaluate, REEVALUATE)
        check_count(f"{name}.n_rescore_splits", self.n_rescore_splits, 0)
        if self.subsample is not None:
            check_count_or_share(f"{name}.subsample", self.subsample, 2)
