"""A search under MPI: mpiexec -n 9 python -m mpi4py.futures mpi.py data.npz

The first process holds the search, the others are its workers. Beside this file has to be executor.py.
The file holds `X` and `y`. Needs: pip install moeliga mpi4py, and an MPI
"""

import sys

import joblib
import numpy as np
from executor import ExecutorBackend
from mpi4py.futures import MPIPoolExecutor

from moeliga import MOELIGASelector


def main(path):
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    with MPIPoolExecutor() as executor:
        executor.bootup()
        with joblib.parallel_config(ExecutorBackend(executor, executor.num_workers)):
            selector = MOELIGASelector(random_state=0, checkpoint="search.npz", verbose=2).fit(X, y)
    selector.pareto_front_.to_csv("front.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
