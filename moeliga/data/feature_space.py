"""The subsets that a search may visit: groups, features that are always or never selected, and limits of size."""

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import NamedTuple

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga.base.cached_property import cached_property
from moeliga.base.checks import check_number, check_sequence
from moeliga.data.labelled import aligned
from moeliga.data.subsets import Subsets, bits_of


class Limits(NamedTuple):
    """Limits of a chromosome: the weights of its selected positions must sum to a number in [least, most]."""

    least: int  # >= 0
    most: int  # >= max(1, least), at most the weight of all positions
    weights: np.ndarray | None = None  # int32, shape (n_positions,), > 0; None = 1 each
    witness: np.ndarray | None = None  # uint64, shape (n_words,), an allowed chromosome; needed with `weights`


@dataclass(eq=False)
class Space:
    """The subsets that a search may visit, as chromosomes: bits for groups of features neither forced nor excluded.

    Position p of a full chromosome is group p; position p of a shorter one, over a template, is group positions[p].
    """

    n_features: int  # F
    start: np.ndarray  # int32, shape (n_groups + 1,): group g is members[start[g]:start[g + 1]]
    members: np.ndarray  # int32, shape (n_free,): free features; groups are in the order of their first features
    forced: np.ndarray  # bool, shape (F,): features of every subset
    least: int  # fewest free features of a subset
    most: int  # most free features of a subset
    witness: np.ndarray  # bool, shape (n_groups,): the groups of an allowed subset

    @property
    def n_groups(self):
        return len(self.start) - 1

    @cached_property
    def positions(self):
        """The positions of a full chromosome: ndarray of int32, shape (n_groups,)."""
        return np.arange(self.n_groups, dtype=np.int32)

    @cached_property
    def weights(self):
        """The number of features of each group: ndarray of int32, shape (n_groups,)."""
        return np.diff(self.start)

    @property
    def grouped(self):
        """True if a group has more than one feature."""
        return len(self.members) > self.n_groups

    @cached_property
    def n_forced(self):
        return int(np.count_nonzero(self.forced))

    def chromosomes(self, bits):
        """Return the bits of full chromosomes as `Subsets` of all groups."""
        return Subsets(bits, self.positions)

    def subsets(self, chromosomes):
        """Return chromosomes, `Subsets` of groups, as `Subsets` of features."""
        if not self.grouped and not self.n_forced:
            return Subsets(chromosomes.bits, self.members[chromosomes.positions])
        return Subsets(self.expanded(chromosomes), np.arange(self.n_features, dtype=np.int32))

    def expanded(self, chromosomes):
        """Return chromosomes as bits over all features: ndarray of uint64, shape (n, ceil(F / 64))."""
        return bits_room.expand(chromosomes.bits, chromosomes.positions, self.start, self.members,
                                bits_of(self.forced[None])[0], self.n_features)

    def masks(self, chromosomes):
        """Return chromosomes as masks over all features: ndarray of bool, shape (n, F)."""
        return bits_room.unpack(self.expanded(chromosomes), self.n_features)

    def sizes(self, chromosomes):
        """Return the number of features of each subset, forced ones included: ndarray of int32, shape (n,)."""
        return self.subsets(chromosomes).counts()

    def allows(self, chromosomes):
        """Return True for each subset of an allowed size: ndarray of bool, shape (n,)."""
        sizes = self.sizes(chromosomes) - self.n_forced
        return (self.least <= sizes) & (sizes <= self.most)

    def ratios(self, chromosomes):
        """Return CR = (F - k) / F of each subset (Eq. featureratio): ndarray of float64, shape (n,)."""
        return (self.n_features - self.sizes(chromosomes)) / self.n_features

    def limits(self, positions):
        """Return the `Limits` of chromosomes over the groups `positions`; None if only the empty one is forbidden."""
        if not self.grouped:
            if self.least == 1 and self.most >= len(positions):
                return None
            return Limits(self.least, min(self.most, len(positions)))
        weights = self.weights[positions]
        # the template itself, all of its groups, is an allowed subset
        witness = self.witness if len(positions) == self.n_groups else np.ones(len(positions), dtype=bool)
        return Limits(self.least, min(self.most, int(weights.sum())), weights, bits_of(witness[None])[0])

    def within(self, least, most):
        """Return the `Space` of the subsets of `least` to `most` features, forced ones counted; None if it is empty."""
        low, high = max(self.least, least - self.n_forced), min(self.most, most - self.n_forced)
        if high < max(1, low):
            return None
        witness = allowed_groups(self.weights, low, high)
        return None if witness is None else replace(self, least=low, most=high, witness=witness)

    def groups_of(self, name, mask):
        """Return the groups that a mask over the features selects: ndarray of bool, shape (n_groups,).

        The mask may lack forced features. ValueError, with the rule, if the subset is not allowed.
        """
        free = np.zeros(self.n_features, dtype=bool)
        free[self.members] = True
        outside = mask & ~free & ~self.forced
        if outside.any():
            raise ValueError(f"{name} must not hold features of constraints.exclude, got feature "
                             f"{np.flatnonzero(outside)[0]}")
        taken = np.add.reduceat(mask[self.members], self.start[:-1], dtype=np.int64)
        split = np.flatnonzero((taken > 0) & (taken < self.weights))
        if len(split):
            group = self.members[self.start[split[0]] : self.start[split[0] + 1]]
            raise ValueError(f"{name} must hold all features of a group or none, got {taken[split[0]]} of the group "
                             f"{group.tolist()}")
        if not self.least <= taken.sum() <= self.most:
            raise ValueError(f"{name} must have {self.least + self.n_forced} to {self.most + self.n_forced} features, "
                             f"those of constraints.must_include counted, got {int(taken.sum()) + self.n_forced}")
        return taken > 0


def build_space(n_features, feature_names, constraints, max_features=None):
    """Return the `Space` that constraints allow; raise TypeError or ValueError if these are wrong or contradictory."""
    forced, never = np.zeros(n_features, dtype=bool), np.zeros(n_features, dtype=bool)
    for name, mask in (("must_include", forced), ("exclude", never)):
        given = getattr(constraints, name)
        known = np.asarray(given) if given is not None and np.size(given) else np.zeros(0)
        none = known.dtype == bool and len(known) == n_features and not known.any()
        if known.size and not none:
            mask[subset_index(f"constraints.{name}", given, n_features, feature_names)] = True
    both = np.flatnonzero(forced & never)
    if len(both):
        name = str(feature_names[both[0]])
        raise ValueError("constraints.must_include and constraints.exclude must not share a feature, got "
                         f"{name!r} in both")
    label = group_labels(constraints.groups, n_features, feature_names)
    # a forced feature forces its group; an excluded one leaves its group
    forced |= np.isin(label, label[forced]) & ~never
    free = np.flatnonzero(~forced & ~never)
    if not len(free):
        raise ValueError("constraints.must_include and constraints.exclude must leave features to choose from, got "
                         f"{int(forced.sum())} and {int(never.sum())} of {n_features}")
    _, first, group = np.unique(label[free], return_index=True, return_inverse=True)
    group = np.argsort(np.argsort(first))[group]  # numbered by their first features
    order = np.argsort(group, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(group)))).astype(np.int32)
    least, most, witness = size_limits(np.diff(start), int(forced.sum()), n_features, constraints.min_features,
                                       max_features)
    return Space(n_features, start, free[order].astype(np.int32), forced, least, most, witness)


def size_limits(weights, n_forced, n_features, min_features, max_features):
    """Return `least`, `most` and `witness` of a `Space` whose groups have `weights` features."""
    check_number("constraints.min_features", min_features, Integral, 1, n_features)
    if max_features is not None:
        check_number("max_features", max_features, Integral, 1, n_features)
        if max_features < min_features:
            raise ValueError(f"max_features must be >= constraints.min_features={min_features}, got {max_features}")
        if max_features <= n_forced:
            raise ValueError(f"max_features must be > {n_forced}, the number of features of "
                             f"constraints.must_include and their groups, got {max_features}")
    total = int(weights.sum())
    least = max(0, min_features - n_forced)
    most = total if max_features is None else min(total, max_features - n_forced)
    if least > total:
        raise ValueError(f"constraints.min_features must be <= {total + n_forced}, the features that "
                         f"constraints.exclude leaves, got {min_features}")
    witness = allowed_groups(weights, least, most)
    if witness is None:
        raise ValueError(f"constraints.groups must allow a subset of {max(1, least) + n_forced} to {most + n_forced} "
                         "features (constraints.min_features to max_features), got groups of "
                         f"{sorted(set(weights.tolist()))} features")
    return least, most, witness


def allowed_groups(weights, least, most):
    """Return a mask of one or more groups whose weights sum to a number in [least, most]; None if there are none."""
    if weights.max() == 1 or (least <= 1 and weights.min() <= most):
        chosen = np.zeros(len(weights), dtype=bool)
        chosen[np.argsort(weights, kind="stable")[: max(1, least)]] = True
        return chosen
    return fitting_groups(weights, max(1, least), most)


def fitting_groups(weights, least, most):
    """Return the mask of `allowed_groups` in general, by dynamic programming over the sums. O(n_groups most)."""
    last_group = np.full(most + 1, -1, dtype=np.int64)  # for each sum the last group of a set that has it; -1 = no set
    last_group[0] = len(weights)
    for group, weight in enumerate(weights.tolist()):
        if weight > most:
            continue
        reached = (last_group[: most + 1 - weight] >= 0) & (last_group[weight:] < 0)
        last_group[weight:][reached] = group
        sums = np.flatnonzero(last_group[least:] >= 0)
        if len(sums):
            chosen, weight_left = np.zeros(len(weights), dtype=bool), least + int(sums[0])
            while weight_left:
                chosen[last_group[weight_left]] = True
                weight_left -= int(weights[last_group[weight_left]])
            return chosen
    return None


def group_labels(groups, n_features, feature_names):
    """Return for each feature the first feature of its group: int64, shape (F,); `groups` is that of `Constraints`."""
    alone = np.arange(n_features)
    if groups is None:
        return alone
    if isinstance(groups, dict):
        subsets = [(f"constraints.groups[{name!r}]", subset) for name, subset in groups.items()]
    else:
        entries = check_sequence("constraints.groups", aligned("constraints.groups", groups, feature_names),
                                 "labels or of subsets")
        nested = [not isinstance(entry, str) and hasattr(entry, "__len__") for entry in entries]
        if not all(nested):
            if len(entries) != n_features or any(nested):
                raise ValueError(f"constraints.groups must be {n_features} labels, one for each feature, or subsets "
                                 f"of features, got {len(entries)} entries")
            places = {}
            return np.array([f if entry is None or entry != entry else places.setdefault(entry, f)
                             for f, entry in enumerate(entries)])
        subsets = [(f"constraints.groups[{place}]", subset) for place, subset in enumerate(entries)]
    label, taken, places = alone.copy(), np.zeros(n_features, dtype=bool), {}
    for name, subset in subsets:
        index = np.unique(subset_index(name, subset, n_features, feature_names, places))
        if taken[index].any():
            raise ValueError(f"{name} must not share features with another group, got {subset!r}")
        taken[index] = True
        label[index] = index[0]
    return label


def check_costs(name, costs, n_features, feature_names):
    """Return checked costs of the features: ndarray of float64, shape (F,), or None; `name` is for messages."""
    if costs is None:
        return None
    costs = np.asarray(aligned(name, costs, feature_names))
    if costs.dtype.kind not in "iuf" or costs.shape != (n_features,):
        raise ValueError(f"{name} must be {n_features} numbers, one for each feature of X, got an array of "
                         f"{costs.dtype} of shape {costs.shape}")
    costs = costs.astype(np.float64)
    bad = ~(np.isfinite(costs) & (costs >= 0))
    if bad.any():
        raise ValueError(f"{name} must be finite and >= 0, got {costs[bad][0]} for feature "
                         f"{np.flatnonzero(bad)[0]}")
    with np.errstate(over="ignore"):
        total = np.add.accumulate(costs)[-1]
    if not 0 < total < math.inf:
        rule = ("must be > 0 for at least one feature, got 0 for all" if total == 0 else
                "must have a finite sum, got inf")
        raise ValueError(f"{name} {rule}")
    return costs


def initial_masks(subsets, n_features, feature_names):
    """Return the subsets of `init` as masks: ndarray of bool, shape (n_subsets, F)."""
    subsets = [] if subsets is None else check_sequence("init.subsets", subsets, "subsets")
    masks, places = np.zeros((len(subsets), n_features), dtype=bool), {}
    for place, (mask, subset) in enumerate(zip(masks, subsets, strict=True)):
        if hasattr(subset, "get_support"):
            subset = subset.get_support()
        mask[subset_index(f"init.subsets[{place}]", subset, n_features, feature_names, places)] = True
    return masks


def subset_index(name, subset, n_features, feature_names, places=None):
    """Return the indices of the features of a subset, which is given as mask, names or indices: ndarray of int.

    `places`, a dict from name to index, is filled when first needed: pass one dict for many subsets.
    """
    members = np.asarray(subset)
    if members.dtype == bool:
        members = np.asarray(aligned(name, subset, feature_names))
    if members.ndim != 1 or (len(members) and members.dtype.kind not in "biuUOT"):
        raise ValueError(f"{name} must be a mask, names or integer indices, got {subset!r}")
    if members.dtype == bool:
        if len(members) != n_features:
            raise ValueError(f"{name} must have {n_features} entries, one for each feature of X, got {len(members)}")
        members = np.flatnonzero(members)
    elif members.dtype.kind in "UOT":
        places = {} if places is None else places
        if not places:
            places.update({feature: place for place, feature in enumerate(feature_names)})
        for feature in members.tolist():
            if feature not in places:
                raise ValueError(f"{name} must name features of X, got the unknown name {feature!r}")
        members = np.array([places[feature] for feature in members.tolist()], dtype=np.int64)
    if len(members) == 0:
        raise ValueError(f"{name} must not be empty, got {subset!r}")
    if members.min() < 0 or members.max() >= n_features:
        raise ValueError(f"{name} must hold indices in [0, {n_features}), got {members.tolist()}")
    return members
