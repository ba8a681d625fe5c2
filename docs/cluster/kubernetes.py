"""A search on Kubernetes, with the operator of Dask: python kubernetes.py data.npz IMAGE

IMAGE is a container with Python, moeliga[dask] and bokeh, of the same versions as here. The operator must run:

  helm install --repo https://helm.dask.org --create-namespace -n dask-operator --generate-name dask-kubernetes-operator

The file holds `X` and `y`. Needs: pip install 'moeliga[dask]' dask-kubernetes
"""

import sys

import joblib
import numpy as np
from dask_kubernetes.operator import KubeCluster
from distributed import Client

from moeliga import MOELIGASelector

PODS, CORES = 8, 16


def main(path, image):
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    resources = {"requests": {"cpu": str(CORES), "memory": "32Gi"}, "limits": {"cpu": str(CORES), "memory": "32Gi"}}
    with KubeCluster(name="moeliga", image=image, n_workers=PODS, resources=resources,
                     worker_command=["dask", "worker", "--nworkers", "1", "--nthreads", str(CORES)]) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(1)
            with joblib.parallel_config("dask", wait_for_workers_timeout=3600):
                selector = MOELIGASelector(random_state=0, checkpoint="search.npz", verbose=2).fit(X, y)
    selector.pareto_front_.to_csv("front.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
