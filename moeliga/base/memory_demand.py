"""How much memory something needs, before anything of it is taken: the parts that are there at one time.

The caller's own X is not counted, nor what Python and the libraries take anyway.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Memory for one purpose.

    Attributes
    ----------
    name : str
    n_bytes : int
        Written to.
    reserved : int
        Asked for, n_bytes at least.
    """

    name: str
    n_bytes: int
    reserved: int = 0

    def against(self, limit):
        """What counts for a `memory.Limit`."""
        return max(self.n_bytes, self.reserved) if limit.reserved else self.n_bytes


@dataclass(frozen=True)
class Demand:
    """Memory that is needed at most.

    Attributes
    ----------
    what : str
        What needs it.
    stages : list of lists of `Part`
        Those of a stage are there at the same time, those of different stages are not.
    """

    what: str
    stages: list

    @property
    def n_bytes(self):
        """Of the largest stage, as far as it is written to: int."""
        return max(sum(part.n_bytes for part in stage) for stage in self.stages)

    @property
    def reserved(self):
        """Of the largest stage, all that is asked for: int."""
        return max(sum(max(part.n_bytes, part.reserved) for part in stage) for stage in self.stages)

    def against(self, limit):
        """What counts for a `memory.Limit`: int."""
        return self.reserved if limit.reserved else self.n_bytes

    def largest(self, limit):
        """Parts of the largest stage, the largest first, those that hardly count left out."""
        stage = max(self.stages, key=lambda parts: sum(part.against(limit) for part in parts))
        parts = sorted(stage, key=lambda part: -part.against(limit))
        return [part for part in parts if part.against(limit) * 50 >= self.against(limit)]
