"""CPU seconds of what the compiled core does, in the moeliga that is installed: python wheels/kernels.py

One line of JSON; each the least of several repeats on one thread. check.py compares two builds by it. The small calls
are those in which the way from Python into the core takes a share.
"""

import json
import time

import numpy as np

from moeliga import DecisionTreeClassifier, evaluate_subsets, pareto_rank, separability, shared_fitness
from moeliga._ext import bits, vary
from moeliga.parameters.variation import binomial_limits

REPEATS = 7
LEAST_SECONDS = 0.05


def least(call):
    """Least seconds of a call, each repeat of so many calls that the clock can tell."""
    begun = time.process_time()
    call()
    n = max(1, int(LEAST_SECONDS / max(time.process_time() - begun, 1e-6)))
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for _ in range(n):
            call()
        found.append((time.process_time() - begun) / n)
    return min(found)


def main():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 60), dtype=np.float32), np.arange(1000) % 3
    X[:, :4] += y[:, None]
    masks = rng.random((40, 60)) < rng.random((40, 1))
    masks[:, 0] = True
    points, seed = rng.random((90, 3)), np.array([1, 2], dtype=np.uint64)
    packed, fitness, flips = bits.pack(masks.view(np.uint8)), rng.random(40) + 0.1, binomial_limits(60, 1 / 60)
    tree, small = DecisionTreeClassifier(n_jobs=1).fit(X, y), X[:1].astype(float)
    calls = {
        "subsets": lambda: evaluate_subsets(X, y, masks, n_jobs=1, random_state=0),
        "tree": lambda: DecisionTreeClassifier(n_jobs=1).fit(X, y),
        "separability": lambda: separability(X, y),
        "prediction of one": lambda: tree.predict(small),
        "ranks": lambda: pareto_rank(points),
        "sharing": lambda: shared_fitness(points, space="objective", sigma=0.5),
        "bits": lambda: bits.count(packed),
        "offspring": lambda: vary.offspring(seed, (2, 0, 1), packed, fitness, 60, 30, "roulette", 2, "one_point", 0.9,
                                            flips),
    }
    print(json.dumps({name: least(call) for name, call in calls.items()}))


if __name__ == "__main__":
    main()
