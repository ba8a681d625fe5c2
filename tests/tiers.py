"""Tiers: which cases of a test that has many are quick, and which are left to a slower run.

`@pytest.mark.quick(3)` keeps three cases quick, evenly spaced; `quick("values")` those in which every value of every
parameter occurs, `quick("pairs")` those in which every two values of two parameters meet. The other cases get the
marker `slow`, or what `rest=` names, and run with it. A seed is no parameter: all its values share the case's tier.
Tests of random inputs draw fewer of them: `MOELIGA_FUZZ` is quick, full or long.
"""

import os
from itertools import combinations

FUZZ = os.environ.get("MOELIGA_FUZZ", "quick")
PERCENT = {"quick": 20, "full": 100, "long": 4000}[FUZZ]
"""Random inputs in per cent of the number that a test names."""


def spread(n_cases, n):
    """Return n of the places 0, 1, ..., n_cases - 1, evenly spaced, the first and the last among them."""
    if n >= n_cases:
        return set(range(n_cases))
    return {0} if n == 1 else {round(i * (n_cases - 1) / (n - 1)) for i in range(n)}


def covering(cases, strength):
    """Return places of cases in which all combinations of `strength` values of different parameters occur that occur
    in any: a greedy choice, which prefers values that it has used least.

    Parameters
    ----------
    cases : list of dict
        Of each case, parameter to something that its value is known by.
    """
    tuples = [set(combinations(sorted(case.items()), min(strength, len(case)))) for case in cases]
    left, used, chosen = set().union(*tuples), {}, set()
    while left:
        best = max(range(len(cases)), key=lambda i: (
            len(tuples[i] & left), -sum(used.get(value, 0) for value in cases[i].items())))
        chosen.add(best)
        left -= tuples[best]
        for value in cases[best].items():
            used[value] = used.get(value, 0) + 1
    return chosen


def sort_cases(items):
    """Give the cases that are not quick the marker of the others."""
    functions = {}
    for item in items:
        mark = item.get_closest_marker("quick")
        if mark is not None:
            functions.setdefault((item.path, item.originalname), (mark, []))[1].append(item)
    for mark, members in functions.values():
        values = [tuple(sorted((name, id(value)) for name, value in item.callspec.params.items() if name != "seed"))
                  for item in members]
        cases = list(dict.fromkeys(values))
        which, = mark.args
        places = (spread(len(cases), which) if isinstance(which, int)
                  else covering([dict(case) for case in cases], {"values": 1, "pairs": 2}[which]))
        quick = {cases[place] for place in places}
        for item, case in zip(members, values, strict=True):
            if case not in quick:
                item.add_marker(mark.kwargs.get("rest", "slow"))
