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
        The file. If it is there when `fit` begins, the search goes on from it.
    every : int >= 1, default=10
        Generations between two saves. The last complete generation is saved too when the search ends, in whatever way
        Python lets it end.

    Notes
    -----
    A file is written beside, flushed to the disk, and then renamed: there is always a whole one. It holds numbers and
    JSON, never pickles. It goes with the data and the parameters that it was made for: with others `fit` refuses it
    and says what differs. Of the parameters, these may change: n_generations (unless the mutation rate follows a
    schedule), patience, max_evaluations, max_time (which counts from the last start), n_rescore_splits, rule,
    callbacks, verbose and n_jobs. With random_state=None the search goes on with the seed of the file.

    Examples
    --------
    A search of five generations, and the same one taken up again and led to the tenth:

    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import Checkpoint, MOELIGASelector
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     setting = Checkpoint(os.path.join(folder, "search.npz"), every=5)
    ...     for n in (5, 10):
    ...         selector = MOELIGASelector(n_generations=n, checkpoint=setting, random_state=0).fit(X, y)
    >>> selector.history_["generation"].tolist() == list(range(11))
    True
    """

    def __init__(self, path: PathLike, every: Integer = 10) -> None:
        self.path = path
        self.every = every

    def validate(self, name: str = "checkpoint") -> None:
        check_path(f"{name}.path", self.path)
        check_number(f"{name}.every", self.every, Integral, 1)
        if "\0" in os.fsdecode(self.path):
            raise ValueError(f"{name}.path must hold no null character, got {self.path!r}")
        path = Path(self.path)
        if path.is_dir():
            raise ValueError(f"{name}.path must be a file, got the folder {str(path)!r}")
        if not path.parent.is_dir():
            raise ValueError(f"{name}.path must be in a folder that exists, got {str(path)!r}")
