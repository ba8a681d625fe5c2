"""NSGA-II, of the package pymoo, with everything but the search itself as moeliga has it.

The same chromosomes, the paper's initial population, the same objectives from the same compiled evaluator on splits as
the paper has them (three fresh ones for every subset), the same archive, the same re-scoring on fresh splits and the
same choice. The operators are those that are usual with it: binary tournament by rank and crowding, one-point
crossover with rate 0.9, each bit flipped with probability 1/F.
"""

import time

import numpy as np
from paper.competitors.ours import choice
from paper.competitors.selection import need

from moeliga import MOELIGASelector
from moeliga._ext import bits as bits_room
from moeliga.base.random_streams import Purpose
from moeliga.results.front import build_front
from moeliga.search.build import prepare
from moeliga.search.evolution import MAIN

GENERATIONS = 300
"""Where no budget is given: the paper's number, 90 evaluations each."""


def nsga2(X, y, n_features, random_state, evaluations=None, seconds=None, **parameters):
    """NSGA-II for as many evaluations as given, or until so many seconds of processor time have passed.

    Parameters
    ----------
    evaluations : int or None
    seconds : float or None
        Looked at after every generation; re-scoring comes on top of it.
    **parameters
        Of `MOELIGASelector`: population_size, n_splits, objectives and the like.
    """
    selector = setting(random_state, **parameters)
    if evaluations is None and seconds is None:
        evaluations = (GENERATIONS + 1) * selector.population_size
    front, count = front_of(selector, X, y, evaluations, seconds)
    return choice(front, n_features, count)


def setting(random_state, **parameters):
    """The selector whose objectives, splits, archive and re-scoring NSGA-II has: the paper's, with the last two."""
    return MOELIGASelector.from_preset("paper", random_state=random_state or 0, n_jobs=1, **{
        "archive": True, "evaluation__n_rescore_splits": 50, **parameters})


def front_of(selector, X, y, evaluations, seconds):
    """(front, evaluations) of NSGA-II in place of a selector's own search.

    Parameters
    ----------
    selector : MOELIGASelector
        Whose initial population, objectives, splits, archive and re-scoring it has.
    evaluations : int or None
    seconds : float or None
        Either ends it.
    """
    need("pymoo")
    began = time.process_time()
    ready = prepare(selector, X, y, {})[1]
    search, count = ready.search, 0

    def objectives_of(masks):
        nonlocal generation
        bits = bits_room.pack(np.ascontiguousarray(masks, dtype=bool).view(np.uint8))
        objectives = evaluate(search, bits, (Purpose.EVALUATE, MAIN, generation))[0]
        search.archive.add(bits, objectives)
        generation += 1
        return objectives

    generation = 0
    initial = bits_room.unpack(ready.bits, search.space.n_groups)
    algorithm, problem = build(objectives_of, initial, len(search.objectives.terms), selector.random_state)
    while (evaluations is None or count < evaluations) and (seconds is None or time.process_time() - began < seconds):
        off = algorithm.ask()
        if off is None or not len(off):  # every subset of a small space has been seen
            break
        off = off if evaluations is None else off[: evaluations - count]
        algorithm.evaluator.eval(problem, off, algorithm=algorithm)
        algorithm.tell(infills=off)
        count += len(off)
    n_splits = selector.stands_for("evaluation").n_rescore_splits
    fresh, scores = evaluate(search, search.archive.bits, (Purpose.RESCORE, MAIN, 0), n_splits=n_splits, shared=True,
                             exhaustive=True)
    front = build_front(search.archive.bits, fresh, search.archive.objectives, scores[:, 0], search.objectives,
                        ready.feature_names, n_splits)
    return front, count


def evaluate(search, bits, address, **options):
    subsets = search.space.subsets(search.space.chromosomes(bits))
    return search.objectives.evaluate(search.ground, subsets, address, **options)


def build(objectives_of, initial, n_objectives, seed):
    """pymoo's algorithm, ready to be asked, and its problem.

    Parameters
    ----------
    objectives_of : callable
        From masks, ndarray of bool, to objectives, all to be maximised.
    initial : ndarray of bool, shape (population_size, n_positions)
    """
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.core.repair import Repair
    from pymoo.core.termination import NoTermination
    from pymoo.operators.crossover.pntx import SinglePointCrossover
    from pymoo.operators.mutation.bitflip import BitflipMutation

    random = np.random.default_rng(seed)

    class NotEmpty(Repair):
        """An empty subset gets one random feature, as in moeliga."""

        def _do(self, problem, X, **options):
            for row in np.flatnonzero(~X.any(axis=1)):
                X[row, random.integers(X.shape[1])] = True
            return X

    class Subsets(Problem):
        def _evaluate(self, X, out, **options):
            out["F"] = -objectives_of(X)  # pymoo minimises

    problem = Subsets(n_var=initial.shape[1], n_obj=n_objectives, xl=False, xu=True, vtype=bool)
    algorithm = NSGA2(pop_size=len(initial), sampling=initial, crossover=SinglePointCrossover(prob=0.9),
                      mutation=BitflipMutation(), repair=NotEmpty(), eliminate_duplicates=True)
    algorithm.setup(problem, termination=NoTermination(), seed=seed, verbose=False)
    return algorithm, problem
