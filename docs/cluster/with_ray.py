"""A search on a Ray cluster, or on this machine where there is none: python with_ray.py data.npz [auto]

"auto" finds the cluster that `ray start` has made on this machine. The file holds `X` and `y`.
Needs: pip install 'moeliga[ray]'
"""

import sys

import joblib
import numpy as np
import ray
from ray.util.joblib import register_ray

from moeliga import MOELIGASelector


def main(path, address="local"):
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    ray.init(address)
    register_ray()
    with joblib.parallel_config("ray", n_jobs=-1):  # without n_jobs, Ray's backend is one worker
        selector = MOELIGASelector(random_state=0, checkpoint="search.npz", verbose=2).fit(X, y)
    selector.pareto_front_.to_csv("front.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
