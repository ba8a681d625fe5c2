"""A search on the nodes of a SLURM cluster: sbatch --time=24:00:00 --wrap "python slurm.py data.npz"

This process holds the search and asks SLURM for the nodes; both have to see the same Python.
The file holds `X` and `y`. Needs: pip install 'moeliga[dask]' dask-jobqueue
"""

import sys

import joblib
import numpy as np
from dask_jobqueue import SLURMCluster
from distributed import Client

from moeliga import MOELIGASelector, stop_on

NODES, CORES = 8, 32


def main(path):
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    # one process a node, so that the data are there once; it evaluates as many slices at a time as it has cores
    with SLURMCluster(cores=CORES, processes=1, memory="64GB", walltime="04:00:00") as cluster:
        cluster.adapt(minimum_jobs=1, maximum_jobs=NODES)  # jobs that end are replaced
        with Client(cluster) as client:
            client.wait_for_workers(1)
            with joblib.parallel_config("dask", wait_for_workers_timeout=3600), stop_on("SIGTERM"):
                selector = MOELIGASelector(random_state=0, checkpoint="search.npz", verbose=2).fit(X, y)
    selector.pareto_front_.to_csv("front.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
