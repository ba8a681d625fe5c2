"""The words that parameters take, as types."""

from typing import Literal, TypeAlias

Crossover: TypeAlias = Literal["one_point", "two_point", "uniform"]
Mutation: TypeAlias = Literal["bit", "chromosome", "balanced"]
Normalisation: TypeAlias = Literal["mean", "sum"]
Reevaluate: TypeAlias = Literal["all", "none", "average"]
Replacement: TypeAlias = Literal["parent", "front", "complete", "selection"]
Selection: TypeAlias = Literal["roulette", "tournament"]
Sharing: TypeAlias = Literal["cluster", "niche", "mean_distance"]
Space: TypeAlias = Literal["decision", "objective"]
SplitMode: TypeAlias = Literal["individual", "generation"]
Survival: TypeAlias = Literal["moga", "nsga2"]
