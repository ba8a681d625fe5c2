"""Fuzz the readers of files by coverage, with atheris (pip install atheris).

  python tests/fuzz/run.py front --seconds 300                   one target; its findings are written into the folder
  python tests/fuzz/run.py all --seconds 60 --corpus corpus      all of them, one after the other; inputs are kept
  python tests/fuzz/run.py front --replay crash-0123abcd         what the target makes of a file, without atheris

A finding is anything but what the reader documents: another error, a refusal that does not name the file, a result
that breaks a promise, more than --timeout seconds for one input, or more than --memory megabytes. The process of its
target ends, with exit status 1 or more of libFuzzer's, and the input lies in --findings.
"""

import argparse
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
sys.path.append(str(TESTS.parent))  # where moeliga is not installed

INSTRUMENTED = ["moeliga", "csv", "json", "zipfile", "numpy.lib._format_impl", "numpy.lib._npyio_impl", "fuzz.targets"]
"""Modules whose branches count as coverage."""


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a name of tests/fuzz/targets.py, or all")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--corpus", type=Path,
                        help="folder that keeps the inputs, one folder a target (default: a temporary one)")
    parser.add_argument("--findings", type=Path, default=Path(),
                        help="folder for inputs that were findings (default: this one)")
    parser.add_argument("--timeout", type=int, default=20, help="most seconds for one input (default: 20)")
    parser.add_argument("--memory", type=int, default=2048, help="most megabytes (default: 2048)")
    parser.add_argument("--length", type=int, default=8192, help="most bytes of an input (default: 8192)")
    parser.add_argument("--replay", type=Path, help="a file to call the target with, once")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)  # of the process that fuzzes
    return parser.parse_args(argv)


def main(argv=None):
    """Returns the number of targets with a finding."""
    arguments = parse(argv)
    if arguments.work is not None:
        return fuzz(arguments)
    from fuzz import targets

    if arguments.replay is not None:
        targets.run(arguments.target, arguments.replay.read_bytes())
        return 0
    names = targets.TARGETS if arguments.target == "all" else [arguments.target]
    statuses = {name: run(name, arguments) for name in names}
    for name, status in statuses.items():
        print(f"{name}: {f'a finding, exit status {status}' if status else 'nothing found'}")
    return sum(status != 0 for status in statuses.values())


def run(name, arguments):
    """Fuzz one target in a process of its own, which libFuzzer ends; returns its exit status."""
    given = [f"--{option}={value}" for option, value in vars(arguments).items()
             if option not in ("target", "work", "replay") and value is not None]
    with tempfile.TemporaryDirectory() as work:
        return subprocess.run([sys.executable, __file__, name, *given, f"--work={work}"]).returncode


def fuzz(arguments):
    """Does not return."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from fuzz import targets
    target = targets.TARGETS[arguments.target]
    warnings.simplefilter("ignore")  # NumPy's, of headers that are no Python
    work = arguments.work / "files"
    corpus = (arguments.work if arguments.corpus is None else arguments.corpus) / arguments.target
    for folder in (corpus, work, arguments.findings):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        target.run(seed, work)
        (corpus / f"seed-{number}").write_bytes(seed)
    tokens = arguments.work / "tokens"
    tokens.write_text("".join(f'"{quoted(token)}"\n' for token in target.tokens))
    atheris.Setup([
        sys.argv[0], str(corpus), f"-max_total_time={arguments.seconds}", f"-timeout={arguments.timeout}",
        f"-rss_limit_mb={arguments.memory}", f"-max_len={arguments.length}", f"-dict={tokens}",
        f"-artifact_prefix={arguments.findings}/", "-len_control=10", "-print_final_stats=1",
    ], lambda data: target.run(data, work))
    atheris.Fuzz()


def quoted(token):
    """Bytes as libFuzzer's dictionaries have them, which hold short ones."""
    return "".join(f"\\x{byte:02x}" for byte in token[:60])


if __name__ == "__main__":
    sys.exit(main())
