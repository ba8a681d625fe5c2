"""MOGA: survival by elites and a generational gap, with fitness sharing."""

from functools import partial
from numbers import Real
from typing import Literal, TypeAlias, get_args

from moeliga._ext import niche, vary
from moeliga.base.checks import check_choice, check_count, check_number
from moeliga.base.estimator import BaseEstimator
from moeliga.base.text import dotted
from moeliga.base.typing import Integer, Number
from moeliga.parameters.short_forms import ShortForms

Sharing: TypeAlias = Literal["cluster", "niche", "mean_distance"]
Space: TypeAlias = Literal["decision", "objective"]
Normalisation: TypeAlias = Literal["mean", "sum"]
Selection: TypeAlias = Literal["roulette", "tournament"]


class FitnessSharing(BaseEstimator):
    """Fitness sharing of `MOGA` (paper, Eqs. distO, distX, sharingfun, eqsharedfit, eqnormasfit).

    Parameters
    ----------
    mode : {"cluster", "niche", "mean_distance"}, default="cluster"
        "cluster": f' is penalised by the distance to the centroid of each cluster (paper); "niche": f' is f divided by
        1 + the sum of S within the rank; "mean_distance": f times the mean distance to the others.
    space : {"decision", "objective"}, default="decision"
        Distances between chromosomes, sqrt(h / F), or between objectives divided by their observed ranges.
    sigma : float > 0, default=0.0025
        Niche size. In decision space, with F < 160,000, the default affects exact copies only.
    alpha : float > 0, default=1.0
        Taper of the sharing function.
    rank_normalisation : {"mean", "sum"}, default="mean"
        f'' is f' divided by its mean over the rank, or by its sum (paper). With the sum a member of a crowded first
        front has less fitness than a single dominated individual.

    Examples
    --------
    >>> from moeliga import MOGA, FitnessSharing
    >>> MOGA(sharing=FitnessSharing(mode="niche", sigma=0.1))
    MOGA(sharing=FitnessSharing(mode='niche', sigma=0.1))
    """

    def __init__(self, mode: Sharing = "cluster", space: Space = "decision", sigma: Number = 0.0025,
                 alpha: Number = 1.0, rank_normalisation: Normalisation = "mean") -> None:
        self.mode = mode
        self.space = space
        self.sigma = sigma
        self.alpha = alpha
        self.rank_normalisation = rank_normalisation

    def validate(self, name: str = "sharing") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        of = dotted(name)
        check_choice(f"{of}mode", self.mode, niche.MODES)
        check_choice(f"{of}space", self.space, get_args(Space))
        check_number(f"{of}sigma", self.sigma, Real, 0, closed="neither")
        check_number(f"{of}alpha", self.alpha, Real, 0, closed="neither")
        check_choice(f"{of}rank_normalisation", self.rank_normalisation, niche.NORMALISATIONS)


class MOGA(ShortForms, BaseEstimator):
    """Survival by succession, the paper's (Algorithm 1): elites and a generational gap, by rank and shared fitness.

    Parameters
    ----------
    n_elite : int >= 0, default=10
        Number of the best individuals, which survive.
    generation_gap : int >= 0, default=10
        Number of further survivors, drawn by fitness. `n_elite` + `generation_gap` must be smaller than each
        population, main or subordinate.
    selection : {"roulette", "tournament"}, default="roulette"
        How parents and the further survivors are drawn by f''.
    tournament_size : int >= 1, default=3
        Individuals of a tournament, of which the best by f'' is drawn; for selection="tournament".
    sharing : "cluster", "niche", "mean_distance", None or FitnessSharing, default="cluster"
        Fitness sharing; a short form names its mode.

    Examples
    --------
    >>> from moeliga import MOGA, MOELIGASelector
    >>> MOELIGASelector(survival=MOGA(n_elite=5)).set_params(survival__sharing__sigma=0.1).survival
    MOGA(n_elite=5, sharing=FitnessSharing(sigma=0.1))
    """

    short_forms = {
        "sharing": ({None: None, **{mode: partial(FitnessSharing, mode=mode) for mode in get_args(Sharing)}},
                    (FitnessSharing,)),
    }

    def __init__(self, n_elite: Integer = 10, generation_gap: Integer = 10, selection: Selection = "roulette",
                 tournament_size: Integer = 3, sharing: Sharing | FitnessSharing | None = "cluster") -> None:
        self.n_elite = n_elite
        self.generation_gap = generation_gap
        self.selection = selection
        self.tournament_size = tournament_size
        self.sharing = sharing

    def validate(self, name: str = "survival") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_count(f"{name}.n_elite", self.n_elite, 0)
        check_count(f"{name}.generation_gap", self.generation_gap, 0)
        check_choice(f"{name}.selection", self.selection, vary.SELECTIONS)
        check_count(f"{name}.tournament_size", self.tournament_size, 1)
        self.resolved("sharing", f"{name}.")
