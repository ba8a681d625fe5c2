"""Evaluation: on which splits and samples subsets are scored."""

from numbers import Integral, Real

from sklearn.base import BaseEstimator

from moeliga.base.checks import check_choice, check_count, check_number

SPLIT_MODES = ("individual", "generation")
REEVALUATE = ("all", "none", "average")


class Evaluation(BaseEstimator):
    """How subsets are scored in the search: splits, repetitions, samples (paper, Eq. uar, Algorithm "Evaluate
    population").

    Parameters
    ----------
    n_splits : int >= 1, default=3
        N_T: random stratified splits per evaluation. Without a part where the selector's `cv` gives the splits.
    validation_size : float in (0, 1), default=0.3
        Share of each class that is held out; at least one sample and never all. A class of one sample is only ever
        in the training part.
    split_mode : {"individual", "generation"}, default="generation"
        Every evaluation draws its own splits (paper), or all individuals of a generation share them.
    reevaluate : {"all", "none", "average"}, default="average"
        Survivors get fresh splits (paper); or keep their values; or average over all splits seen so far.
    n_rescore_splits : int >= 0, default=50
        Fresh splits on which the final front is scored again before the choice is made; 0 = keep the values of the
        search, which flatter.
    subsample : None, int >= 2 or float in (0, 1], default=None
        Samples that splits are drawn from, and that objective III looks among: None = all; else so many, or such a
        share, drawn afresh for every generation, stratified by class (of fixed splits such a share of each part). Each
        class keeps two samples at least. The final front is scored on all of them.

    Examples
    --------
    >>> from moeliga import Evaluation, MOELIGASelector
    >>> MOELIGASelector(evaluation=Evaluation(n_splits=5)).evaluation
    Evaluation(n_splits=5)
    >>> MOELIGASelector().set_params(evaluation__n_splits=5).evaluation
    Evaluation(n_splits=5)
    """

    def __init__(self, n_splits=3, validation_size=0.3, split_mode="generation", reevaluate="average",
                 n_rescore_splits=50, subsample=None):
        self.n_splits = n_splits
        self.validation_size = validation_size
        self.split_mode = split_mode
        self.reevaluate = reevaluate
        self.n_rescore_splits = n_rescore_splits
        self.subsample = subsample

    def validate(self, name="evaluation"):
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        check_count(f"{name}.n_splits", self.n_splits, 1)
        check_number(f"{name}.validation_size", self.validation_size, Real, 0, 1, closed="neither")
        check_choice(f"{name}.split_mode", self.split_mode, SPLIT_MODES)
        check_choice(f"{name}.reevaluate", self.reevaluate, REEVALUATE)
        check_count(f"{name}.n_rescore_splits", self.n_rescore_splits, 0)
        check_subsample(f"{name}.subsample", self.subsample)


def check_subsample(name, subsample):
    """Raise TypeError or ValueError if `subsample` is neither None, a share nor a number of samples."""
    if subsample is None:
        return
    if isinstance(subsample, Integral) and not isinstance(subsample, bool):
        check_count(name, subsample, 2)
    else:
        check_number(name, subsample, Real, 0, 1, closed="right")
