"""A Pareto front as a table or a file: pandas, CSV, JSON, Parquet."""

import errno
import io
import reprlib
from numbers import Integral
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_number, check_path
from moeliga.base.text import html_table, score_format
from moeliga.base.typing import Boolean, Integer, PathLike
from moeliga.results.files import DataFrame, data_frame, joined, write_csv, write_file
from moeliga.results.front_json import front_to_json, parse_front

MOST_ROWS, MOST_NAMES = 100, 8
"""Most members, and most names of a member's features, that a notebook shows."""

OWN = ("n_selected", "honest_score", "honest_se", "source", "score_se", "r1", "total_cost", "chosen", "features")
"""Names of the fixed columns; an objective of such a name gets the prefix "objective_"."""


class Export:
    """The methods of `ParetoFront` that write it to a table or a file, one row for each member, and read it back.

    `self` is annotated as Any: the module of `ParetoFront` imports this one.
    """

    def columns(self: Any, chosen: Integer | None = None) -> dict[str, NDArray[Any] | list[list[str]]]:
        """Return the columns of a table: dict from name to ndarray or list, each of length m.

        "honest_score", "honest_se" and "source" are only for a cross-fitted search, a column for each judge only for
        several judges, "total_cost" only for features with costs, "chosen" only if the index of a member is given:
        TypeError or ValueError unless it is an integer in [0, m).
        """
        columns: dict[str, NDArray[Any] | list[list[str]]] = {"n_selected": self.n_selected}
        if self.honest is not None:
            columns |= {"honest_score": self.honest_score, "honest_se": self.honest_se, "source": self.source}
        for name, values in zip(self.names, self.objectives.T, strict=True):
            columns[f"objective_{name}" if name in OWN else name] = values
        columns["score_se"] = self.score_se
        columns |= {f"judge_{name}" if name in OWN or name in columns else name: values
                    for name, values in self.judges.items()}
        columns["r1"] = self.r1
        if self.cost is not None:
            columns["total_cost"] = self.cost
        if chosen is not None:
            check_number("chosen", chosen, Integral, 0, len(self), closed="left")
            columns["chosen"] = (np.arange(len(self)) == chosen).astype(np.int64)
        columns["features"] = [self.features(i) for i in range(len(self))]
        return columns

    def _repr_html_(self: Any) -> str:
        """Return a table for a notebook: names beyond `MOST_NAMES` and members beyond `MOST_ROWS` are counted only."""
        cells = {}
        for name, values in self.columns().items():
            shown = values[:MOST_ROWS]
            if name == "features":
                cells[name] = [", ".join(names[:MOST_NAMES]) + f", + {len(names) - MOST_NAMES}" * (
                    len(names) > MOST_NAMES) for names in shown]
            else:
                of = {"honest_se": self.honest_score, "score_se": self.objectives[:, self.primary]}.get(name, values)
                form = score_format(of) if isinstance(of, np.ndarray) and of.dtype.kind == "f" else ""
                cells[name] = ["" if value != value else format(value, form) for value in shown]
        more = f"<p>{len(self) - MOST_ROWS:,} more</p>" if len(self) > MOST_ROWS else ""
        return html_table(cells) + more

    def to_frame(self: Any) -> "DataFrame":
        """Return the front as a pandas DataFrame: sizes, honest scores, objectives, standard errors, R1 and names.

        Its columns are those of `columns`. ImportError without pandas.
        """
        return data_frame(self, self.columns())

    def to_csv(self: Any, path: PathLike, *, chosen: Integer | None = None, overwrite: Boolean = False) -> None:
        """Write the front as CSV in UTF-8, one line for each member below the column names. Needs no pandas.

        Parameters
        ----------
        path : str or path
        chosen : int or None, default=None
            Index of the chosen member, such as a selector's `index_`; adds a column that is 1 there and 0 elsewhere.
        overwrite : bool, default=False
            Replace an existing file.

        Raises
        ------
        FileExistsError : if there is such a file, unless `overwrite`.
        TypeError, ValueError : if `path` is no path, `chosen` no index of a member, or `overwrite` no bool.
        OSError : if the file cannot be written, as FileNotFoundError where there is no such folder, and
            IsADirectoryError where `path` is one.

        Notes
        -----
        Numbers keep all their digits: `float` gives the same bits back, and so does pandas' ``read_csv`` from version
        3.1 on; before, with ``float_precision="round_trip"``. An unknown standard error is an empty cell. Feature names
        are separated by ";"; a name that holds one, or a quotation mark, is quoted as in CSV.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sklearn.datasets import load_iris
        >>> from moeliga import MOELIGASelector
        >>> X, y = load_iris(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "front.csv")
        ...     selector.pareto_front_.to_csv(path, chosen=selector.index_)
        ...     path.read_text().splitlines()[0]
        'n_selected,uar,cardinality,separability,score_se,r1,chosen,features'
        """
        columns: dict[str, Any] = self.columns(chosen)
        columns["features"] = [joined(names) for names in columns["features"]]
        write_csv(path, columns, overwrite)

    @overload
    def to_json(self: Any, path: None = None, *, overwrite: Boolean = False) -> str: ...
    @overload
    def to_json(self: Any, path: PathLike, *, overwrite: Boolean = False) -> None: ...
    def to_json(self: Any, path: PathLike | None = None, *, overwrite: Boolean = False) -> str | None:
        """Return the whole front as JSON text, or write it to a file, for `from_json`. Needs no pandas.

        Parameters
        ----------
        path : str, path or None, default=None
            None returns the text.
        overwrite : bool, default=False
            Replace an existing file.

        Returns
        -------
        text : str, or None if it was written to a file

        Raises
        ------
        FileExistsError, TypeError, ValueError, OSError : as `to_csv`.

        Notes
        -----
        One object: "format", "version", "feature_names", "objective_names", "primary" (index of the score among the
        objectives), "n_rescore_splits" and "members", a list of objects with "features" (their indices in
        "feature_names"), "objectives", "score_se" (null = unknown), "search_objectives" and, if features have costs,
        "cost". A cross-fitted search has "share" and maybe "constant" and "unit" (of `Honesty`), and its members
        "source", "honest_score" and "honest_folds" (null = none). A search by several judges has their names, "judges",
        and its members their scores, likewise. Numbers keep all their digits.
        """
        text = front_to_json(self)
        if path is None:
            return text
        write_file(path, text.encode() + b"\n", overwrite)
        return None

    @classmethod
    def from_json(cls, source: PathLike) -> Self:
        """Return the front that `to_json` has written, equal to the last bit.

        Parameters
        ----------
        source : str or path
            A file, or the text itself, which begins with "{".

        Returns
        -------
        front : ParetoFront

        Raises
        ------
        TypeError : if `source` is neither str nor path.
        ValueError : if the text is not such a front, saying what is wrong with it.
        OSError : if the file cannot be read, as FileNotFoundError where there is none.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moeliga import MOELIGASelector, ParetoFront
        >>> X, y = load_iris(return_X_y=True)
        >>> front = MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X, y).pareto_front_
        >>> bool((ParetoFront.from_json(front.to_json()).objectives == front.objectives).all())
        True
        """
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls(**parse_front(source))
        try:
            with open(check_path("source", source), "rb") as file:
                text = file.read()
        except OSError as error:
            rule = "source must be a file, or JSON text, which begins with '{'"
            if isinstance(source, str) and error.errno == errno.ENAMETOOLONG:  # text, maybe after a byte order mark
                raise ValueError(f"{rule}, got {reprlib.repr(source)}") from None
            if isinstance(source, str) and error.errno in (errno.ENOENT, errno.EISDIR):
                error.strerror = f"{error.strerror}; {rule}"
            raise
        return cls(**parse_front(text))

    def to_parquet(self: Any, path: PathLike, *, chosen: Integer | None = None, overwrite: Boolean = False) -> None:
        """Write the front as Parquet: the columns of `to_csv`, with feature names as lists of strings.

        Parameters
        ----------
        path, chosen, overwrite
            As for `to_csv`.

        Raises
        ------
        ImportError : without pyarrow; pandas is not needed.
        FileExistsError, TypeError, ValueError, OSError : as `to_csv`.

        Notes
        -----
        An unknown standard error is null.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError("ParetoFront.to_parquet needs pyarrow: pip install 'moeliga[files]'") from error
        columns = self.columns(chosen)
        names = pyarrow.array(columns.pop("features"), type=pyarrow.list_(pyarrow.string()))
        arrays = {name: pyarrow.array(values, from_pandas=True) for name, values in columns.items()}
        table = pyarrow.table({**arrays, "features": names})
        content = io.BytesIO()
        parquet.write_table(table, content)
        write_file(path, content.getvalue(), overwrite)
