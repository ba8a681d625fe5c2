"""The versions and the hardware features of this installation."""

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from moeliga._ext import evaluate

PACKAGES = ("moeliga", "numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "matplotlib", "tqdm", "pandas",
            "pyarrow")


@cache
def own_version() -> str:
    """Return the version of moeliga installed here."""
    return version("moeliga")


class Versioned:
    """Base class of objects that users pickle: only the version that wrote a pickle can read it."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_moeliga_version": own_version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written = state.pop("_moeliga_version", "an unknown version")
        if written != own_version():
            raise ValueError(f"a pickled {type(self).__name__} must be of moeliga {own_version()}, the version that is "
                             f"installed, got one of {written}: fit again, or install that version")
        self.__dict__.update(state)


def system() -> str:
    """Return the text of `platform.platform()`, without the program that it runs to find the processor's name."""
    library = "".join(platform.libc_ver())
    parts = platform.system(), platform.release(), platform.machine(), library and f"with-{library}"
    return "-".join(part for part in parts if part)


def versions() -> dict[str, str]:
    """Return the facts that `show_versions` prints, by name."""
    facts = {"python": sys.version.split()[0], "platform": system(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    threads = evaluate.threads()
    facts["openmp"] = f"yes, version {threads['version']}" if threads["enabled"] else "no: one thread only"
    facts["threads"] = str(threads["max_threads"])
    facts["instruction set"] = f"x86-64-v{threads['level']}" if threads["level"] else "as compiled"
    return facts


def show_versions() -> None:
    """Print versions, OpenMP, threads and instruction set, for a bug report.

    Examples
    --------
    >>> import moeliga
    >>> moeliga.show_versions()  # doctest: +ELLIPSIS
    python: ...
    """
    for name, fact in versions().items():
        print(f"{name}: {fact}")
