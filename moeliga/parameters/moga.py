"""MOGA: survival by elites and a generational gap, with fitness sharing."""

from functools import partial

from sklearn.base import BaseEstimator

from moeliga._ext import vary
from moeliga.base.checks import check_choice, check_count
from moeliga.parameters.mechanisms import FitnessSharing
from moeliga.parameters.short_forms import ShortForms


class MOGA(ShortForms, BaseEstimator):
    """Survival by succession, the paper's (Algorithm 1): elites and a generational gap, by rank and shared fitness.

    Parameters
    ----------
    n_elite : int >= 0, default=10
        Best individuals that survive.
    generation_gap : int >= 0, default=10
        Further individuals that survive, drawn by fitness. Both together are fewer than the smallest population, main
        or subordinate.
    selection : {"roulette", "tournament"}, default="roulette"
        How parents, and the generational gap, are drawn by f''.
    tournament_size : int >= 1, default=3
    sharing : "cluster", "niche", "mean_distance", None or FitnessSharing, default="cluster"
        Fitness sharing; the short forms name the mode.

    Examples
    --------
    >>> from moeliga import MOGA, MOELIGASelector
    >>> MOELIGASelector(survival=MOGA(n_elite=5)).set_params(survival__sharing__sigma=0.1).survival
    MOGA(n_elite=5, sharing=FitnessSharing(sigma=0.1))
    """

    short_forms = {
        "sharing": ({None: None, **{mode: partial(FitnessSharing, mode=mode)
                                    for mode in ("cluster", "niche", "mean_distance")}}, (FitnessSharing,)),
    }

    def __init__(self, n_elite=10, generation_gap=10, selection="roulette", tournament_size=3, sharing="cluster"):
        self.n_elite = n_elite
        self.generation_gap = generation_gap
        self.selection = selection
        self.tournament_size = tournament_size
        self.sharing = sharing

    def validate(self, name="survival"):
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        check_count(f"{name}.n_elite", self.n_elite, 0)
        check_count(f"{name}.generation_gap", self.generation_gap, 0)
        check_choice(f"{name}.selection", self.selection, vary.SELECTIONS)
        check_count(f"{name}.tournament_size", self.tournament_size, 1)
        self.resolved("sharing", f"{name}.")
