"""How often local improvement is due, and how much of it."""

import math
from numbers import Integral

from moeliga.base.checks import check_number


class Pace:
    """When the main population is improved next, and by how many subordinate populations.

    Parameters
    ----------
    setting : LocalImprovement or None
        None: never.

    Attributes
    ----------
    n_populations : int
    every : int
        Generations from the last improvement to the next.
    due : int
        Generation of the next improvement.
    """

    def __init__(self, setting):
        self.setting = setting
        if setting is not None:
            self.n_populations, self.every = setting.n_populations, setting.every
        self.due = math.inf if setting is None else self.every

    def state(self):
        """Return what a checkpoint holds of it."""
        return {} if self.setting is None else {"n_populations": self.n_populations, "every": self.every,
                                                "due": self.due}

    def restore(self, state):
        """Take what a checkpoint holds."""
        if self.setting is not None:
            most = self.setting.most_populations
            self.n_populations = check_number("n_populations", state["n_populations"], Integral, 1, most)
            self.every = check_number("every", state["every"], Integral, 1, 4 * self.setting.every)
            self.due = check_number("due", state["due"], Integral, 1)

    def look(self, generation, n_replaced):
        """Note how many individuals an improvement has replaced in a generation; the others are passed over."""
        if generation < self.due:
            return
        usual = self.setting.every
        if self.setting.adaptive and 2 * n_replaced >= self.n_populations:
            self.n_populations = min(self.n_populations + 1, self.setting.most_populations)
            self.every = max(-(-self.every // 2), -(-usual // 2))
        elif self.setting.adaptive and not n_replaced:
            self.n_populations, self.every = max(self.n_populations - 1, 1), min(2 * self.every, 4 * usual)
        self.due = generation + self.every
