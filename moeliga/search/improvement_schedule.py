"""How often local improvement is due, and how much of it."""

import math


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
