"""Build the compiled rooms: one .pyx of _ext/ becomes one extension moeliga._ext.<room>.

Switches (environment variables, 1 = on):
  MOELIGA_REQUIRE_OPENMP  stop if the OpenMP probe fails (wheels)
  MOELIGA_NO_OPENMP       build without OpenMP
  MOELIGA_FULL_API        build for this CPython alone; otherwise one build serves every CPython from 3.11 on (abi3)
  MOELIGA_PLAIN           build plain loops: no vector types, no instruction-set clones
  MOELIGA_DEBUG           bounds checks in the doors, -O0 -g, warnings are errors
  MOELIGA_OPTIMISE        value for -O; 3 if it is not given
  MOELIGA_SANITIZE        value for -fsanitize=, e.g. address,undefined; -O1 -g (see tests/sanitize.py)

To build for another machine, name it as Python's own cross builds do: _PYTHON_HOST_PLATFORM, e.g. linux-aarch64 (with
_PYTHON_SYSCONFIGDATA_NAME). Probes are then compiled and not run.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOMS = ("code", "draw", "bits", "vary", "dominance", "niche", "relief", "tree", "forest", "judges", "scores",
         "evaluate")
KERNELS = sorted(str(path) for path in Path("_ext/kernels").rglob("*.h"))

PROBE = """
#include <omp.h>
int main(void) { int n = 0;
#pragma omp parallel for reduction(+ : n)
  for (int i = 0; i < 100; i++) n += omp_get_num_threads() > 0;
  return n == 100 ? 0 : 1; }
"""

NOTHING = "int main(void) { return 0; }"

HARDENED = ("-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-Wl,-z,text")
"""For linkers that know them: the table of functions is fixed before the first call, the stack holds no code, and code
is never written to."""


def on(switch):
    return os.environ.get(switch, "0") not in ("", "0")


def probe(compiler, source, compile_args, link_args, run):
    """Compile, link and (if `run`, and it is for this machine) run a program; True if all of it works."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "probe.c")
        path.write_text(source)
        try:
            objects = compiler.compile([str(path)], output_dir=folder, extra_postargs=compile_args)
            compiler.link_executable(objects, "probe", output_dir=folder, extra_postargs=link_args)
            if run and "_PYTHON_HOST_PLATFORM" not in os.environ:
                subprocess.run([str(Path(folder, "probe"))], check=True, timeout=60)
        except Exception:  # any failure of a foreign tool means: not available
            return False
    return True


class build_rooms(build_ext):
    """Chooses the flags for the compiler at hand, then builds, several rooms at a time."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count()

    def run(self):
        self.in_place = self.inplace  # which setuptools forgets while it builds
        super().run()
        if self.in_place:
            self.forget_others()

    def forget_others(self):
        """Remove what an earlier build in place has left under names that this Python would import first."""
        for extension in self.extensions:
            built = Path(self.get_ext_fullpath(extension.name))
            for suffix in EXTENSION_SUFFIXES:
                other = built.with_name(extension.name.rpartition(".")[2] + suffix)
                if other != built:
                    other.unlink(missing_ok=True)

    def build_extensions(self):
        msvc = self.compiler.compiler_type == "msvc"
        compile_args = ["/O2", "/fp:precise", "/std:c11"] if msvc else [
            f"-O{os.environ.get('MOELIGA_OPTIMISE', '3')}", "-std=c11", "-ffp-contract=off", "-Wall", "-Wextra",
            "-fvisibility=hidden"]
        link_args = [] if msvc else self.hardening()
        to_debug = self.in_place or on("MOELIGA_DEBUG") or os.environ.get("MOELIGA_SANITIZE")
        if sys.platform == "linux" and not to_debug:
            compile_args.append("-g0")  # Python's own flags have -g, which leaves the builder's folders in a wheel
            link_args.append("-Wl,--strip-all")
        if not msvc and sysconfig.get_platform().endswith(("-x86_64", "-amd64")):
            if probe(self.compiler, NOTHING, ["-march=x86-64-v2"], [], run=True):
                compile_args.append("-march=x86-64-v2")
        if on("MOELIGA_DEBUG") and not msvc:
            compile_args += ["-O0", "-g", "-Wshadow", "-Werror"]
        if os.environ.get("MOELIGA_SANITIZE"):
            # -fno-wrapv: Python's own flags define signed overflow, and then nobody reports it
            compile_args += ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-wrapv", "-fno-sanitize-recover=all",
                             f"-fsanitize={os.environ['MOELIGA_SANITIZE']}"]
            link_args.append(f"-fsanitize={os.environ['MOELIGA_SANITIZE']}")
        openmp_compile, openmp_link = self.openmp(msvc)
        for extension in self.extensions:
            extension.extra_compile_args = compile_args + openmp_compile
            extension.extra_link_args = link_args + openmp_link
        super().build_extensions()

    def hardening(self):
        """Flags that the linker knows of `HARDENED`; it also forgets where Python's own library is, which no room needs
        and which is another folder where a wheel is installed."""
        own = {word for word in (sysconfig.get_config_var("LDSHARED") or "").split() if word.startswith("-Wl,-rpath")}
        self.compiler.linker_so = [word for word in self.compiler.linker_so if word not in own]
        return [flag for flag in HARDENED if probe(self.compiler, NOTHING, [], [flag], run=False)]

    def openmp(self, msvc):
        """Flags for OpenMP, empty if it is not wanted or does not work."""
        if on("MOELIGA_NO_OPENMP"):
            return [], []
        if msvc:
            candidates = [(["/openmp"], [])]
        elif sys.platform == "darwin":
            candidates = [(["-Xpreprocessor", "-fopenmp"], ["-lomp"]), (["-fopenmp"], ["-fopenmp"])]
        else:
            candidates = [(["-fopenmp"], ["-fopenmp"])]
        for compile_args, link_args in candidates:
            if probe(self.compiler, PROBE, compile_args, link_args, run=True):
                return compile_args, link_args
        message = "OpenMP does not work with this compiler: moeliga will run on one thread"
        if on("MOELIGA_REQUIRE_OPENMP"):
            raise SystemExit(f"{message}, and MOELIGA_REQUIRE_OPENMP is set")
        print(f"warning: {message}", file=sys.stderr)
        return [], []


# the stable ABI: CPython's alone, from 3.11 on with buffers; CPython without the GIL has none
stable = (sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
          and not on("MOELIGA_FULL_API"))
macros = [("MOELIGA_PLAIN", "1")] if on("MOELIGA_PLAIN") else []
if stable:
    macros.append(("Py_LIMITED_API", "0x030B0000"))
extensions = [
    Extension(f"moeliga._ext.{room}", [f"_ext/{room}.pyx"], include_dirs=["_ext/kernels"], depends=KERNELS,
              define_macros=macros, py_limited_api=stable)
    for room in ROOMS
]
directives = {"language_level": 3, "boundscheck": on("MOELIGA_DEBUG"), "wraparound": False, "cdivision": True,
              "initializedcheck": False, "embedsignature": True, "freethreading_compatible": True}
setup(
    ext_modules=cythonize(extensions, include_path=["_ext"], compiler_directives=directives,
                          build_dir=os.environ.get("MOELIGA_CYTHON_DIR", "build/cython")),
    cmdclass={"build_ext": build_rooms},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if stable else {},
)
