"""A search that tests of checkpoints save and go on with, its data, and files whose head was changed."""

import io
import json

import numpy as np
from small_selectors import every_fifth as data  # noqa: F401

from moeliga import LocalImprovement
from paper_operators import fitting
from single_search import single_search

LOCAL = LocalImprovement(population_size=9, n_generations=4, every=3)


def small(**parameters):
    given = {"population_size": 12, "n_generations": 12, "survival__n_elite": 3, "survival__generation_gap": 2,
             "evaluation__n_rescore_splits": 4,
             "local_improvement": LOCAL, "random_state": 1, **parameters}
    return single_search(**fitting(given))


def rewritten(path, change):
    """Bytes of a checkpoint whose head was changed."""
    with np.load(path) as file:
        arrays = dict(file)
    head = json.loads(arrays.pop("head").tobytes())
    change(head)
    content = io.BytesIO()
    np.savez(content, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
    return content.getvalue()
