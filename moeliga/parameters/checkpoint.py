"""Checkpoint: where and how often a search is saved."""

import os
from numbers import Integral
from pathlib import Path

from moeliga.base.checks import check_number, check_path
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer, PathLike


class Checkpoint(BaseEstimator):
    """Where and how often a search is saved.

    Parameters
    ----------
    path : str or path
        The file. If it exists when `fit` begins, the search is resumed from it.
    every : int >= 1, default=10
        Generations between two saves. The last complete generation is also saved when the search ends, by an error or
        a signal too.

    Notes
    -----
    A new file is written beside the old one, flushed to the disk, and then renamed: it is always complete. One search
    at a time may use it: a second one is refused, where the system has locks. It holds numbers and JSON, no pickles.
    `fit` refuses it for other data and parameters, and names the difference. These parameters may change: n_generations
    (unless the mutation rate follows a schedule; fewer than are saved change nothing), patience, max_evaluations,
    max_time (which counts from the last start), n_rescore_splits, rule, callbacks, verbose and n_jobs. With
    random_state=None the seed of the file is used. Functions are compared by their bytecode, enclosed variables and
    defaults, so a search with functions can be resumed by the same version of Python only; variables that a function
    reads from its module, and the state of objects without `get_params`, are not compared.

    Examples
    --------
    A search of five generations, resumed up to the tenth:

    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import Checkpoint, MOELIGASelector
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     setting = Checkpoint(os.path.join(folder, "search.npz"), every=5)
    ...     for n in (5, 10):
    ...         selector = MOELIGASelector(n_generations=n, honest=None, checkpoint=setting, random_state=0).fit(X, y)
    >>> selector.history_["generation"].tolist() == list(range(11))
    True
    """

    def __init__(self, path: PathLike, every: Integer = 10) -> None:
        self.path = path
        self.every = every

    def validate(self, name: str = "checkpoint") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_path(f"{name}.path", self.path)
        check_number(f"{name}.every", self.every, Integral, 1)
        path, real = Path(self.path), Path(os.path.realpath(self.path))
        if path.is_dir():
            raise ValueError(f"{name}.path must be a file, got the folder {str(path)!r}")
        if os.path.lexists(real) and not real.is_file():  # a pipe would be read for ever; a link to itself
            raise ValueError(f"{name}.path must be an ordinary file, got a pipe, a device or a link to itself, "
                             f"{str(path)!r}")
        if not real.parent.is_dir():
            raise ValueError(f"{name}.path must be in a folder that exists, got {str(path)!r}")
