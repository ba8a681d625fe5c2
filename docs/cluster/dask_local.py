"""A search with Dask on this machine, to try things out: python dask_local.py data.npz

The file holds `X` and `y`. Needs: pip install 'moeliga[dask]'
"""

import sys

import joblib
import numpy as np
from distributed import Client, LocalCluster

from moeliga import MOELIGASelector


def main(path):
    with np.load(path) as data, LocalCluster(n_workers=2, threads_per_worker=2) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        with joblib.parallel_config("dask"):
            selector = MOELIGASelector(random_state=0, n_generations=30, verbose=2).fit(data["X"], data["y"])
        selector.pareto_front_.to_csv("front.csv")


if __name__ == "__main__":  # the workers import this file
    main(*sys.argv[1:])
