"""The kernels for a compiler that is neither GCC nor clang: C11 without extensions, and what MSVC has for them."""

import subprocess
import sysconfig
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "_ext" / "kernels"
HEADERS = sorted(str(path.relative_to(KERNELS)) for path in KERNELS.rglob("*.h") if not path.name.endswith(".inc.h"))

ALL = "".join(f'#include "{header}"\n' for header in HEADERS) + "int nothing;\n"

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

BARE = """
#undef __GNUC__
#undef __clang__
#undef __SIZEOF_INT128__
"""
"""A compiler that is none of the three."""

DEFINED = """
#include "intrin.h"
uint64_t __umulh(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide_t;
    return (uint64_t)((wide_t)a * b >> 64);
}
int64_t _InterlockedExchangeAdd64(int64_t volatile *number, int64_t by) { return (*number += by) - by; }
int64_t __iso_volatile_load64(const volatile int64_t *number) { return *number; }
"""
"""What they do, for a program that runs."""

CHECKED = """
#include "base/openmp.h"
#include "base/base.h"

static uint64_t high(uint64_t a, uint64_t b)
{
    uint64_t low = 0, sum = 0;
    for (int i = 0; i < 64; i++) {
        if (!(b >> i & 1)) continue;
        low += a << i;
        sum += (low < a << i) + (i ? a >> (64 - i) : 0);
    }
    return sum;
}

static int differs(uint64_t word, uint64_t other)
{
    int n = 0, lowest = 0;
    for (int i = 0; i < 64; i++) n += word >> i & 1;
    while (!(word >> lowest & 1)) lowest++;
    return moe_base_popcount(word) != n || moe_base_lowest(word) != lowest ||
           moe_base_mulhi(word, other) != high(word, other);
}

int main(void)
{
    uint64_t word = 1, other = UINT64_MAX;
    int64_t number = (int64_t)1 << 40;
    for (int i = 0; i < 1000; i++) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        other = other * 6364136223846793005u + 1442695040888963407u;
        const int shift = (int)(word >> 58);
        if (differs(word >> shift | 1, other) || differs(word << shift | UINT64_MAX << shift, word)) return 1;
    }
    if (differs(1, 1) || differs(UINT64_MAX, UINT64_MAX) || moe_base_popcount(0)) return 2;
    return moe_openmp_add(&number, 5) == (int64_t)1 << 40 && moe_openmp_read(&number) == ((int64_t)1 << 40) + 5 ? 0 : 3;
}
"""

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
    found = compiled({"all.c": SYSTEM + MSVC + ALL}, "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only")
    assert found.returncode == 0, found.stderr


def test_a_unit_may_include_every_header(compiled):
    """With the extensions: no macro of one family is defined again by another, in whatever order."""
    for includes in (ALL, "\n".join(reversed(ALL.splitlines()))):
        found = compiled({"all.c": includes}, "-Werror", "-fsyntax-only")
        assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("names", ["", MSVC, BARE], ids=["gnu", "msvc", "bare"])
def test_stand_ins_for_builtins_count_and_multiply(compiled, tmp_path, names):
    """A program compares what each compiler gets, on words with few and with many bits, with bits taken one by one."""
    program = SYSTEM + DEFINED + names + CHECKED
    found = compiled({"check.c": program}, "-Wno-unknown-pragmas", "-o", "check")
    assert found.returncode == 0, found.stderr
    assert subprocess.run([tmp_path / "check"], timeout=60).returncode == 0


def test_msvc_is_told_not_to_fuse_products(compiled):
    """The line comes before the first function: older versions fuse by default on ARM, and with AVX2."""
    found = compiled({"base.c": SYSTEM + MSVC + "int mark;\n#include \"base/base.h\"\n"}, "-E")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.split("int mark;")[1].splitlines()
    functions = [line for line in lines if line.startswith("static inline")]
    assert functions and "#pragma fp_contract(off)" in lines[:lines.index(functions[0])]


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
