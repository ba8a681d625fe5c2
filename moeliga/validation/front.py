"""The fronts of a cross-fitted search: its members and baselines, with their honest scores."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from moeliga._ext import dominance
from moeliga.data.subsets import bits_of, row_keys
from moeliga.results.front import ParetoFront, build_front
from moeliga.validation.candidates import Slot, best_of_ranges, size_ranges


class Fronts(NamedTuple):
    """The result of a cross-fitted search."""

    front: ParetoFront  # non-dominated subsets, the best of every slot, and the baselines that the constraints allow
    slots: np.ndarray  # int64: index of each member in `Answers.slots`; -1 = no honest score
    baselines: ParetoFront  # all features, and the first of each ranking


def honest_fronts(ready, outcome, baselines, answers):
    """Return the `Fronts` of the final search, given its `Preparation` and `Outcome`.

    `baselines` are the slots of ``outcome.baselines``; `answers` None = no honest scores.
    """
    search, found, others = ready.search, outcome.found, outcome.baselines
    space, primary, n_found = search.whole, search.objectives.primary, len(outcome.found.bits)
    parts = {name: np.concatenate((part, getattr(others, name))) for name, part in vars(found).items()}
    bits, objectives, in_search, scores, judged = parts.values()
    sizes = space.sizes(space.chromosomes(bits))
    known = [] if answers is None else answers.slots
    slots, kept = np.full(len(bits), -1, dtype=np.int64), np.zeros(len(bits), dtype=bool)
    kept[:n_found] = dominance.rank(found.objectives) == 1
    best = best_of_ranges(sizes[:n_found], found.objectives[:, primary], size_ranges(ready.bands))
    for limits, place in best.items():
        slot = Slot("search", *limits)
        if slot in known:
            kept[place], slots[place] = True, known.index(slot)
    source = np.array(["search"] * n_found + [slot.source for slot in baselines[: len(others.bits)]], dtype=object)
    first = {key: place for place, key in reversed(list(enumerate(row_keys(bits))))}
    for place, (slot, key) in enumerate(zip(baselines, row_keys(others.bits), strict=False), n_found):
        slots[place] = known.index(slot) if slot in known else -1
        same, allowed = first[key], sizes[place] - space.n_forced <= space.most
        # a subset that the search found keeps its slot, unless it is all features: they are the same in each fold
        if slots[place] >= 0 and allowed and (same == place or slots[same] < 0 or slot.source == "all"):
            kept[same], slots[same], source[same] = True, slots[place], slot.source
    honest, source = None, source.astype(str)
    if answers is not None:
        scored, lacking = answers.honesty, slots < 0
        honest = replace(scored, score=np.where(lacking, np.nan, scored.score[slots]),
                         folds=np.where(lacking[:, None], np.nan, scored.folds[slots]))
    expanded = space.expanded(space.chromosomes(bits))
    arguments = (expanded, objectives, in_search, scores, search.objectives, ready.feature_names,
                 outcome.n_rescore_splits)
    further = {"source": source, "honest": honest, "judged": judged}
    front = build_front(*arguments, kept=kept, **further)
    baselines = build_front(*arguments, kept=np.arange(len(bits)) >= n_found, **further)
    slot_of = dict(zip(row_keys(expanded[kept]), slots[kept].tolist(), strict=True))
    rows = row_keys(bits_of(front.supports))
    return Fronts(front, np.array([slot_of[key] for key in rows], dtype=np.int64), baselines)
