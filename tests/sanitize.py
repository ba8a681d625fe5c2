"""Run the compiled rooms where every access to memory, or between threads, is watched.

  python tests/sanitize.py address             the suite under AddressSanitizer and UndefinedBehaviorSanitizer (gcc)
  python tests/sanitize.py address --quick     the tests of the compiled rooms
  python tests/sanitize.py thread              tests/stress.py under ThreadSanitizer (clang and its OpenMP runtime)
  python tests/sanitize.py valgrind            tests/stress.py on little data under valgrind: values never set, too
  python tests/sanitize.py address --plant overrun     plant a bug, and succeed only if it is reported

Each builds a copy of the sources in a temporary folder; nothing is written to the checkout. Run it with the Python that
has what the tests need. It ends with an error if a test fails or anything is reported, also by a child process.

Debian: `apt install gcc`; `apt install clang libomp-dev`; `apt install valgrind`. CC names another compiler.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import nullcontext
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
QUICK = ("batch", "bits", "code", "cut", "dominance", "draw", "elementary", "evaluate", "forest", "judges", "linear",
         "niche", "regression", "relief", "scores", "tree", "vary")
"""Tests of the compiled rooms."""

UNFIT = ("tests/data/test_memory_estimate.py", "tests/data/test_memory_refusal.py", "tests/base/test_memory_free.py",
         "tests/process/test_leaks.py", "tests/_ext/test_fences.py")
"""Not for AddressSanitizer: tests of how much memory is taken, of which it takes several times as much, and one with a
child that reads outside of memory on purpose."""

REFUSED = re.compile(r"(==\d+==WARNING: AddressSanitizer failed to allocate 0x[0-9a-f]+ bytes\s*)*")
"""No report: a test wants more memory than there is, and gets none."""

BEHIND_THE_END = ("moe_sorted_changes", "moe_sorted_ones")
"""Functions that read whole vectors of entries, also those behind the end of a node, which another thread may be
writing. Lanes behind the end are masked before anything is done with them, so ThreadSanitizer shall let these be."""

PLANTS = {  # tool: {name: (file, what is there, what to write instead)}
    "address": {
        "overrun": ("_ext/kernels/draw/draw.h", "memset(marks, 0, (size_t)class_start[n_classes])",
                    "memset(marks, 0, (size_t)class_start[n_classes] + 1)"),
        "outside": ("_ext/kernels/dominance/rank.h", "for (int32_t i = 0; i < n; i++) rank[i] = 1;",
                    "for (int32_t i = 0; i <= n; i++) rank[i] = 1;"),
        "shift": ("_ext/kernels/bits/bits.h", "bits[f >> 6] |= (uint64_t)1 << (f & 63)",
                  "bits[f >> 6] |= (uint64_t)1 << f"),
        "signed": ("_ext/kernels/tree/workspace.h", "return 2 * n_train - 1;",
                   "return 2 * n_train - 1 + 0 * (int64_t)(INT32_MAX + (int32_t)n_train);"),
        "unaligned": ("_ext/task.pxd", "    scratch.paths = <uint8_t *>buffers_next(",
                      "    scratch.means = <double *>(4 + <uint8_t *>scratch.means)\n"
                      "    scratch.paths = <uint8_t *>buffers_next("),
    },
    "thread": {
        "race": ("_ext/evaluate.pyx", "rows + threadid() * row_bytes", "rows + 0 * threadid()"),
    },
    "valgrind": {
        "unset": ("_ext/kernels/draw/draw.h", "memset(marks, 0, (size_t)class_start[n_classes])", "(void)marks"),
        "overrun": ("_ext/kernels/dominance/rank.h", "for (int32_t i = 0; i < n; i++) rank[i] = 1;",
                    "for (int32_t i = 0; i <= n; i++) rank[i] = 1;"),
    },
}


def run(command, folder, environment=(), errors=None):
    """Run a command in a folder, with some variables besides our own, and its messages in a file if one is given;
    returns its exit code."""
    environment = dict(environment)
    print("+", *(f"{name}={value}" for name, value in environment.items()), *command, flush=True)
    with errors.open("w") if errors else nullcontext() as stderr:
        return subprocess.run(list(map(str, command)), cwd=folder, env={**os.environ, **environment},
                              stderr=stderr).returncode


def compiler(*names):
    """The compiler to use: CC, or the first of some names that is there."""
    for name in [os.environ["CC"]] if os.environ.get("CC") else names:
        if shutil.which(name):
            return name
    raise SystemExit(f"no compiler found, tried {', '.join(names)}")


def library(compiler, name):
    """Where a compiler has a library: where it looks itself, or beside the program."""
    said = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
    beside = Path(shutil.which(compiler)).resolve().parents[1] / "lib" / name
    for path in (Path(said.strip()), beside):
        if path.is_absolute() and path.exists():
            return path.resolve()
    raise SystemExit(f"{compiler} has no {name}")


def sources():
    """Every file that is no build, by its path from the root."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in {"build", "dist", "__pycache__"} and name[0] != "."]
        yield from (Path(folder, name).relative_to(ROOT) for name in names
                    if name[0] != "." and not name.endswith((".so", ".pyd", ".whl")))


def copy(folder, plant):
    """Copy the sources, as far as they are not there yet; with a plant, change them. Files that stay as they are keep
    their times, so that only what changes is built again."""
    tree = folder / "moeliga"
    for path in sources():
        content = ROOT.joinpath(path).read_bytes()
        if plant and path == Path(plant[0]):
            there, instead = (word.encode() for word in plant[1:])
            if content.count(there) < 1:
                raise SystemExit(f"{path} does not have {plant[1]!r}")
            content = content.replace(there, instead)
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)
    return tree


def build(tree, environment):
    """Build the rooms in place, in the copy."""
    if run([sys.executable, "setup.py", "-q", "build_ext", "--inplace", f"-j{os.cpu_count()}"], tree,
           {"MOELIGA_REQUIRE_OPENMP": "1", **environment}):
        raise SystemExit("the build has failed")


def paths(tree):
    """Environment in which `import moeliga` finds the copy, and everything else where it is now."""
    return {"PYTHONPATH": os.pathsep.join([str(tree), *(path for path in sys.path if "site-packages" in path)]),
            "PYTHONMALLOC": "malloc"}


def host(cc, folder):
    """Build a Python interpreter that ThreadSanitizer starts with, from the library of the one that runs."""
    source, program = Path(folder, "host.c"), Path(folder, "python")
    source.write_text("#include <Python.h>\nint main(int n, char **words) { return Py_BytesMain(n, words); }\n")
    libraries = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LIBPL")
    version = sysconfig.get_config_var("LDVERSION")
    words = [cc, "-g", "-fsanitize=thread", source, f"-I{sysconfig.get_paths()['include']}", "-o", program, "-rdynamic",
             *(f"-L{path}" for path in libraries), f"-Wl,-rpath,{libraries[0]}", f"-lpython{version}", "-lm", "-ldl"]
    if run(words, folder):
        raise SystemExit("a Python with ThreadSanitizer cannot be linked here")
    return program


def avx512():
    """Whether the processor has AVX-512, as far as the system says."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx512f" in cpuinfo.read_text()


def address(folder, tree, options):
    """Exit code of the suite, or of the tests of the compiled rooms."""
    cc = compiler("gcc")
    build(tree, {"CC": cc, "MOELIGA_SANITIZE": "address,undefined,float-cast-overflow"})
    tests = [f"tests/_ext/test_{name}.py" for name in QUICK] if options.quick or options.plant else options.tests
    watched = {  # what Python does not free is not ours to report: tests/process/test_leaks.py looks for leaks
        # the second for the exceptions of libraries in C++, which AddressSanitizer wraps when it starts
        "LD_PRELOAD": f"{library(cc, 'libasan.so')} {library(cc, 'libstdc++.so.6')}",
        # GCC 12 stores whole registers of AVX-512 in frames that this check puts at multiples of 32 bytes, and traps
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:"
                        f"detect_stack_use_after_return={int(not avx512())}:log_path={folder}/report-a",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        **paths(tree),
    }
    if shutil.which("pgrep"):  # joblib asks it for the children of a worker; it hangs where AddressSanitizer is loaded
        aside = folder / "bin" / "pgrep"
        aside.parent.mkdir(exist_ok=True)
        aside.write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec {shutil.which("pgrep")} "$@"\n')
        aside.chmod(0o755)
        watched["PATH"] = os.pathsep.join([str(aside.parent), os.environ["PATH"]])
    active = ("import ctypes, sys, moeliga; ctypes.CDLL(None).__asan_init; "
              "assert moeliga.__path__ == sys.argv[1:], moeliga.__path__")
    if run([sys.executable, "-c", active, tree / "moeliga"], tree, watched):
        return 1
    errors = folder / "errors"  # where UndefinedBehaviorSanitizer writes, beside AddressSanitizer it knows no log_path
    code = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--maxfail=20", "--capture=sys",
                *([] if options.quick else ["-m", ""]), *(f"--ignore={name}" for name in UNFIT), *tests],
               tree, watched, errors)
    said = errors.read_text(errors="replace")
    if "runtime error:" in said:
        errors.rename(folder / "report-u")
    else:
        sys.stderr.write(said)
    return code


def thread(folder, tree, options):
    """Exit code of `stress.py` with several threads."""
    cc = compiler("clang", *(f"clang-{version}" for version in range(22, 13, -1)))
    build(tree, {"CC": cc, "MOELIGA_SANITIZE": "thread"})
    known = folder / "known.txt"
    known.write_text("".join(f"race_top:{name}*\n" for name in BEHIND_THE_END))
    environment = {
        **paths(tree),
        "PYTHONHOME": sys.base_prefix,
        "OMP_NUM_THREADS": "8",
        # tells ThreadSanitizer what OpenMP's regions and barriers order; without it every region is a false report
        "OMP_TOOL_LIBRARIES": str(library(cc, "libarcher.so")),
        "ARCHER_OPTIONS": "verbose=1",
        "TSAN_OPTIONS": f"ignore_noninstrumented_modules=1:halt_on_error=1:log_path={folder}/report:"
                        f"suppressions={known}",
    }
    # before LLVM 18 it cannot start where addresses are more random than this
    randomness = Path("/proc/sys/vm/mmap_rnd_bits")
    fixed = ["setarch", "-R"] if randomness.exists() and int(randomness.read_text()) > 28 else []
    return run([*fixed, host(cc, folder), "tests/stress.py", "--rounds", 2 if options.quick else 10], tree, environment)


def valgrind(folder, tree, options):
    """Exit code of `stress.py` on little data, each access and each bit that a branch rests on watched."""
    build(tree, {"CC": compiler("gcc"), "CFLAGS": "-g"})
    found = folder / "found.xml"
    watch = ["valgrind", "--tool=memcheck", "--show-leak-kinds=none", "--track-origins=yes", "--num-callers=20",
             "--error-limit=no", "--child-silent-after-fork=yes", "--xml=yes", f"--xml-file={found}"]
    code = run([*watch, sys.executable, "tests/stress.py", "--small", "--threads", "2",
                "--rounds", 1 if options.quick or options.plant else 3], tree,
               {**paths(tree), "OMP_WAIT_POLICY": "passive"})  # valgrind runs one thread at a time: waiting takes turns
    report = folder / "report-v"
    for error in ElementTree.parse(found).getroot().iter("error"):
        frames = [(frame.findtext("fn"), frame.findtext("file"), frame.findtext("line"), frame.findtext("obj") or "")
                  for frame in error.iter("frame")]
        if any(Path(where).is_relative_to(tree) for *_, where in frames):  # others are the interpreter's, or NumPy's
            what = error.findtext("what") or error.findtext("xwhat/text")
            with report.open("a") as file:
                print(what, *(f"  {fn} {file}:{line} {Path(where).name}" for fn, file, line, where in frames),
                      sep="\n", file=file)
    return code or int(report.exists())


def main():
    tools = {tool.__name__: tool for tool in (address, thread, valgrind)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=tools)
    parser.add_argument("--quick", action="store_true", help="some of the tests, or few rounds")
    parser.add_argument("--tests", type=shlex.split, default=[], metavar="WORDS",
                        help='arguments of pytest in place of all tests, for "address"')
    parser.add_argument("--plant", metavar="BUG", help="one of those in PLANTS for the tool")
    parser.add_argument("--folder", type=Path, help="build there, and leave it: the next time less is built")
    options = parser.parse_args()
    if options.plant and options.plant not in PLANTS[options.tool]:
        parser.error(f"--plant must be one of {', '.join(PLANTS[options.tool])} for {options.tool}")
    with tempfile.TemporaryDirectory(prefix="moeliga-") as temporary:
        folder = options.folder.absolute() if options.folder else Path(temporary)
        tree = copy(folder, PLANTS[options.tool].get(options.plant))
        code = tools[options.tool](folder, tree, options)
        reports = sorted(path for path in folder.glob("report*")
                         if not REFUSED.fullmatch(path.read_text(errors="replace")))
        for path in reports:
            print(f"--- {path.name}", path.read_text(errors="replace")[:8000], sep="\n")
            path.unlink()
    if options.plant:
        print(f"{options.tool}: {options.plant} was {'reported' if code and reports else 'not reported'}")
        return 0 if code and reports else 1
    print(f"{options.tool}: exit code {code}, {len(reports)} reports")
    return 1 if code or reports else 0


if __name__ == "__main__":
    sys.exit(main())
