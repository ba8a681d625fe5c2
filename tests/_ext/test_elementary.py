"""exp and log of the kernels, compiled alone: as near as their header says, also at the ends of their ranges."""

import ctypes
import math
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

SOURCE = """
#include "base/elementary.h"
void fill_exp(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = moe_elementary_exp(x[i]); }
void fill_log(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = moe_elementary_log(x[i]); }
"""


@pytest.fixture(scope="module")
def elementary(tmp_path_factory):
    """Functions exp and log of arrays."""
    folder = tmp_path_factory.mktemp("elementary")
    (folder / "elementary.c").write_text(SOURCE)
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    try:
        subprocess.run([*compiler, "-O3", "-std=c11", "-ffp-contract=off", "-fPIC", "-shared",
                        f"-I{ROOT / '_ext' / 'kernels'}", "elementary.c", "-o", "elementary.so"], cwd=folder,
                       check=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    library = ctypes.CDLL(str(folder / "elementary.so"))

    def fill(name, values):
        x, y = np.ascontiguousarray(values, dtype=np.float64), np.empty(len(values))
        getattr(library, name)(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), len(x))
        return y

    return {"exp": lambda x: fill("fill_exp", x), "log": lambda x: fill("fill_log", x)}


def units(found, wanted):
    """Distances in units of the last place."""
    return np.abs(found - wanted) / np.spacing(np.abs(wanted))


def test_exp_is_near(elementary, rng):
    for low, high in ((-745.0, 709.7), (-1.0, 1.0), (-745.1, -708.0)):
        x = rng.uniform(low, high, 20000)
        assert units(elementary["exp"](x), [math.exp(value) for value in x]).max() <= 2.0  # the library errs, too


def test_log_is_near(elementary, rng):
    for x in (np.exp(rng.uniform(-744, 709, 20000)), rng.uniform(0.4, 2.5, 20000), 1 + rng.uniform(-1e-9, 1e-9, 20000)):
        assert units(elementary["log"](x), [math.log(value) for value in x]).max() <= 2.0


def test_ends_of_the_ranges(elementary):
    x = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, 709.782712893384, 709.7827128933841, -745.1332191019412,
         -800.0]
    wanted = [1, 1, np.inf, 0, np.nan, 1, np.inf, math.exp(709.782712893384), np.inf, 0, 0]
    np.testing.assert_allclose(elementary["exp"](x), wanted, rtol=3e-16, atol=0)
    np.testing.assert_array_equal(elementary["log"]([0.0, -0.0, 1.0, np.inf, -1.0, -np.inf, np.nan]),
                                  [-np.inf, -np.inf, 0.0, np.inf, np.nan, np.nan, np.nan])
    np.testing.assert_allclose(elementary["log"]([5e-324, 1.7976931348623157e308]),
                               [math.log(5e-324), math.log(1.7976931348623157e308)], rtol=3e-16)
