"""The folder of results that `moeliga select` writes."""

import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from moeliga.export import write_csv
from moeliga.front_display import ParetoFrontDisplay
from moeliga.versions import versions

FILES = ("front.csv", "selected.txt", "history.csv", "settings.json", "front.png")


@contextmanager
def results_folder(path, force=False):
    """A folder whose FILES appear all together when the block ends, and not at all if it fails.

    Made, and tried out, before the block begins. Yields a folder beside which they will appear.

    Parameters
    ----------
    path : str or path
    force : bool, default=False
        Take a folder that is not empty; FILES in it are replaced, or removed where the block writes none.

    Raises
    ------
    ValueError : if `path` is no folder, or not empty.
    OSError : if it cannot be made or written to.
    """
    path = Path(path)
    new = not path.exists()
    if not new and not path.is_dir():
        raise ValueError(f"{path} is not a folder")
    if not new and not force and any(path.iterdir()):
        raise ValueError(f"{path} is not empty; choose another folder, or replace the results in it with --force")
    path.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(prefix=".unfinished-", dir=path) as staging:
            yield Path(staging)
            for name in FILES:
                with suppress(FileNotFoundError):
                    if Path(staging, name).exists():
                        os.replace(Path(staging, name), path / name)
                    else:
                        os.remove(path / name)
    except BaseException:
        if new:
            with suppress(OSError):
                path.rmdir()
        raise


def write_results(folder, selector, facts):
    """Write FILES.

    Parameters
    ----------
    folder : path
    selector : MOELIGASelector, fitted
    facts : dict
        What else settings.json says: the command, the data.

    Returns
    -------
    problem : str or None
        Why there is no plot.
    """
    front, chosen = selector.pareto_front_, selector.index_
    front.to_csv(folder / "front.csv", chosen=chosen)
    (folder / "selected.txt").write_text("".join(f"{name}\n" for name in front.features(chosen)), encoding="utf-8")
    write_csv(folder / "history.csv", selector.history_)
    settings = {
        **facts,
        "parameters": selector.get_params(deep=False),
        "stop_reason": selector.stop_reason_,
        "n_evaluations": selector.n_evaluations_,
        "versions": versions(),
    }
    text = json.dumps(settings, indent=2, default=lambda value: {type(value).__name__: value.get_params(deep=False)})
    (folder / "settings.json").write_text(text + "\n", encoding="utf-8")
    return save_plot(selector, folder / "front.png")


def save_plot(selector, path):
    """Save a plot of the front as PNG; returns why not, if it cannot be drawn."""
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
        ParetoFrontDisplay.from_selector(selector, figure.subplots())
        figure.savefig(path)
    except ImportError:
        return f"{path.name} needs matplotlib: pip install 'moeliga[plot]'"
    except Exception as error:  # whatever is wrong with matplotlib: the search must not be lost for a plot
        return f"{path.name} could not be drawn: {error}"
    return None
