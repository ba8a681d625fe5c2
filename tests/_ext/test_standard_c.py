"""The kernels for a compiler that is neither GCC nor clang: C11 without extensions, and what MSVC has for them."""

import subprocess
import sysconfig
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "_ext" / "kernels"
HEADERS = sorted(str(path.relative_to(KERNELS)) for path in KERNELS.rglob("*.h") if not path.name.endswith(".inc.h"))

SYSTEM = """
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
"""

MSVC = """
#undef __GNUC__
#undef __clang__
#undef __SIZEOF_INT128__
#define _MSC_VER 1944
#define _M_X64 1
#define __restrict restrict
"""
"""The names that a kernel goes by, once the headers of the system's own compiler have been read."""

INTRINSICS = """
unsigned long long __umulh(unsigned long long, unsigned long long);
long long _InterlockedExchangeAdd64(long long volatile *, long long);
long long __iso_volatile_load64(const volatile long long *);
"""
"""Those of MSVC's <intrin.h>, from its reference, that the kernels call."""


@pytest.fixture
def compiled(tmp_path):
    """Function that has sources, a text for each file name, read by the compiler: messages of the compiler."""
    (tmp_path / "intrin.h").write_text(INTRINSICS.replace("long long", "int64_t").replace(
        "unsigned int64_t", "uint64_t"))
    compiler = (sysconfig.get_config_var("CC") or "cc").split()

    def read(sources, *flags):
        for name, text in sources.items():
            (tmp_path / name).write_text(text)
        try:
            return subprocess.run(
                [*compiler, "-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Wvla", "-Wno-unused-function",
                 "-fopenmp", f"-I{KERNELS}", "-I.", *flags, *sources], cwd=tmp_path, capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip("no C compiler")
    return read


def test_kernels_are_standard_c(compiled):
    source = SYSTEM + MSVC + "".join(f'#include "{header}"\n' for header in HEADERS) + "int nothing;\n"
    found = compiled({"all.c": source}, "-Werror", "-fsyntax-only")
    assert found.returncode == 0, found.stderr


def test_msvc_meets_no_directive_that_openmp_2_lacks(compiled):
    """It knows `atomic` for an update alone, without `read` and `capture`: what the kernels need is a call there."""
    directives = {}
    for name, names in (("gnu", ""), ("msvc", MSVC)):
        found = compiled({f"{name}.c": SYSTEM + names + '#include "base/openmp.h"\n'}, "-E")
        assert found.returncode == 0, found.stderr
        directives[name] = [line.split("omp")[1].split() for line in found.stdout.splitlines() if "#pragma omp" in line]
    assert directives == {"gnu": [["atomic", "capture"], ["atomic", "read"]], "msvc": []}


@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_includes_what_it_needs(compiled, header):
    """Alone and twice, with and without the extensions."""
    twice = f'#include "{header}"\n' * 2 + "int nothing;\n"
    found = compiled({"own.c": twice, "other.c": SYSTEM + MSVC + twice}, "-fsyntax-only")
    assert found.returncode == 0, found.stderr
