"""Time moeliga against scikit-learn and NumPy, and against an earlier run.

  python benchmarks/run.py                                          bundled data sets, under half a minute
  python benchmarks/run.py --profile full                           every case; the paper's data sets if MOELIGA_DATA
  python benchmarks/run.py --only tree,relief                       some groups
  python benchmarks/run.py --against benchmarks/baseline.json       exit 1 if a ratio has fallen

Every case first compares the answers of both sides; a disagreement ends the run with exit code 2. Then both are timed
alternately in this process, in several rounds, CPU time for one thread and wall time for more. Times are medians over
rounds, the ratio is the median of the rounds' ratios (rival / ours).

--against compares these ratios alone, never times: a case regresses if its ratio is below (1 - tolerance) times that
of the file. Ratios of short cases scatter where processors are busy: a case that seems to have regressed is measured up
to two more times with more rounds, and its best ratio counts. Cases on one side only are listed. Figures without a
rival in the same run, and the gain by threads, which tells how busy the machine is, are never compared.
"""

import argparse
import itertools
import json
import math
import sys
import time
from pathlib import Path

import bench_bits
import bench_dataset
import bench_draw
import bench_evaluate
import bench_fit
import bench_forest
import bench_judges
import bench_niche
import bench_relief
import bench_scores
import bench_tree
import bench_vary
import numpy as np
from machine import facts
from rivals import Disagreement

RACES = {
    "tree": bench_tree.Tree,
    "classifier": bench_tree.Classifier,
    "classifier-threads": bench_tree.ClassifierThreads,
    "regression-tree": bench_tree.RegressionTree,
    "regressor": bench_tree.Regressor,
    "forest": bench_forest.Fit,
    "forest-predict": bench_forest.Predict,
    "relief": bench_relief.Relief,
    "evaluate": bench_evaluate.Evaluate,
    "judge": bench_judges.Judge,
    "judge-alone": bench_judges.JudgeAlone,
    "threads": bench_evaluate.Threads,
    "scores": bench_scores.Scores,
    "niche": bench_niche.Niche,
}
"""Benchmarks with a rival."""

FIGURES = {
    "generation": bench_niche.Generation,
    "authors": bench_evaluate.Authors,
    "memory": bench_fit.Memory,
    "defaults": bench_scores.Defaults,
    "dataset": bench_dataset.Encode,
    "vary": bench_vary.Vary,
    "bits": bench_bits.Bits,
    "draw": bench_draw.Draw,
}
"""Benchmarks without: times and other numbers."""

ROUNDS = {"quick": 5, "full": 9}
LEAST_ROUNDS = 3
LEAST_SECONDS = {"quick": 0.02, "full": 0.05}
"""A side that is faster is called so often that one measurement takes about this long."""

MOST_SECONDS = {"quick": 1.0, "full": 20.0}
"""After so long a case gets no more than `LEAST_ROUNDS`."""

FORMAT = 1


def title(group, names, parameters):
    """Name of a case, as in tables and files."""
    return f"{group} " + ", ".join(f"{name}={value}" for name, value in zip(names, parameters, strict=True))


def cases(groups, profile):
    """(name, benchmark, parameters) of every case of some groups, ready to run; leaves out what cannot run here."""
    for group in groups:
        kind = {**RACES, **FIGURES}[group]
        for parameters in kind.quick if profile == "quick" else itertools.product(*kind.params):
            benchmark = kind()
            try:
                benchmark.setup(*parameters)
            except NotImplementedError:  # asv's way to say that a combination does not exist
                continue
            yield title(group, kind.param_names, parameters), benchmark, parameters


def seconds_of(clock, function, parameters, repeats):
    """Seconds of one call, the mean of `repeats`."""
    began = clock()
    for _ in range(repeats):
        function(*parameters)
    return (clock() - began) / repeats


def rounded(value):
    """Five digits: more than any clock here can tell."""
    return float(f"{value:.5g}")


def clock_of(benchmark):
    return time.perf_counter if getattr(benchmark, "clock", "cpu") == "wall" else time.process_time


def repeats_for(seconds, least):
    """Calls that take about `least` seconds together, if one takes `seconds`."""
    return max(1, math.ceil(least / max(seconds, 1e-6)))


def race(benchmark, parameters, profile, more=1):
    """Times of both sides and their ratio, as the record of a case; `more` multiplies the rounds."""
    clock, sides = clock_of(benchmark), (benchmark.time_moeliga, benchmark.time_rival)
    began = time.perf_counter()
    first = [seconds_of(clock, side, parameters, 1) for side in sides]
    repeats = [repeats_for(seconds, LEAST_SECONDS[profile]) for seconds in first]
    rounds = [first] if repeats == [1, 1] else []  # the comparison of answers has warmed up both sides
    while len(rounds) < LEAST_ROUNDS or (
            len(rounds) < more * ROUNDS[profile] and time.perf_counter() - began < more * MOST_SECONDS[profile]):
        seconds = [0.0, 0.0]
        for side in (0, 1) if len(rounds) % 2 else (1, 0):  # neither side is always the second
            seconds[side] = seconds_of(clock, sides[side], parameters, repeats[side])
        rounds.append(seconds)
    rounds = np.array(rounds) * 1e3 / getattr(benchmark, "count", 1)
    ours, rival = np.median(rounds, axis=0)
    ratio = np.median(rounds[:, 1] / rounds[:, 0])
    return {"ours_ms": rounded(ours), "rival_ms": rounded(rival), "ratio": rounded(ratio), "rounds": len(rounds),
            "clock": getattr(benchmark, "clock", "cpu"), "unit": benchmark.unit,
            "gated": getattr(benchmark, "gated", True)}


def figures(name, benchmark, parameters, profile):
    """(name, record) of each time and number of a benchmark without a rival."""
    for method in sorted(method for method in dir(benchmark) if method.startswith(("time_", "track_"))):
        function = getattr(benchmark, method)
        kind, _, what = method.partition("_")
        if kind == "track":
            record = {"value": rounded(function(*parameters)), "unit": function.unit}
        else:
            clock = clock_of(benchmark)
            repeats = repeats_for(seconds_of(clock, function, parameters, 1), LEAST_SECONDS[profile])
            times = [seconds_of(clock, function, parameters, repeats) for _ in range(LEAST_ROUNDS)]
            record = {"value": rounded(np.median(times) * 1e3), "unit": "ms"}
        record["note"] = benchmark.note(*parameters) if hasattr(benchmark, "note") and kind == "track" else ""
        yield f"{name}: {what}", record


def run_races(groups, profile):
    """Records of all cases with a rival; prints each as a row of the table."""
    records = {}
    for name, benchmark, parameters in cases(groups, profile):
        if not records:
            print("\n| case | ours, ms | rival, ms | ratio | agreement |\n|---|---|---|---|---|")
        try:
            agreement = benchmark.agreement(*parameters)
        except Disagreement as error:
            raise Disagreement(f"{name}: {error}") from None
        record = {"group": name.partition(" ")[0], **race(benchmark, parameters, profile), "agreement": agreement}
        records[name] = record
        print(f"| {name} | {record['ours_ms']:.4g} | {record['rival_ms']:.4g} | {record['ratio']:.2f} | {agreement} |",
              flush=True)
    return records


def run_figures(groups, profile):
    """Records of everything without a rival; prints each as a row of the table."""
    records = {}
    for name, benchmark, parameters in cases(groups, profile):
        for what, record in figures(name, benchmark, parameters, profile):
            if not records:
                print("\n| figure | value | unit | note |\n|---|---|---|---|")
            records[what] = record
            print(f"| {what} | {record['value']:.4g} | {record['unit']} | {record['note']} |", flush=True)
    return records


def print_means(records):
    """Geometric mean of the ratios of each group."""
    groups = dict.fromkeys(record["group"] for record in records.values())
    print("\n| group | cases | geometric mean of the ratios | times are for one | clock |\n|---|---|---|---|---|")
    for group in groups:
        own = [record for record in records.values() if record["group"] == group]
        mean = math.exp(np.mean([math.log(record["ratio"]) for record in own]))
        clocks = "/".join(sorted({record["clock"] for record in own}))
        print(f"| {group} | {len(own)} | {mean:.2f} | {own[0]['unit']} | {clocks} |")


def read_baseline(path, profile):
    """Ratios by case of an earlier run that may be compared with.

    Raises
    ------
    ValueError : naming the file and what is wrong with it.
    """
    try:
        found = json.loads(Path(path).read_text())
        ratios = {name: record["ratio"] for name, record in found["cases"].items() if record["gated"]}
        before = found["profile"]
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}, got {str(path)!r}") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ValueError(f"must be a file that --json has written, got {str(path)!r}") from None
    if found.get("format") != FORMAT:
        raise ValueError(f"must have format {FORMAT}, got {found.get('format')!r} in {str(path)!r}")
    if before != profile:
        raise ValueError(f"must be of the profile {profile!r}, got {before!r} in {str(path)!r}")
    for name, ratio in ratios.items():
        if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio < math.inf:
            raise ValueError(f"must hold ratios > 0, got {ratio!r} for {name!r} in {str(path)!r}")
    return ratios


def compare(ratios, baseline, tolerance):
    """Names of (regressed, new, missing) cases: ratio < (1 - tolerance) x baseline, only here, only there."""
    regressed = [name for name, ratio in ratios.items()
                 if name in baseline and ratio < (1 - tolerance) * baseline[name]]
    return regressed, [name for name in ratios if name not in baseline], [
        name for name in baseline if name not in ratios]


def measure_again(names, records, groups, profile, baseline, tolerance):
    """Measure suspects up to two more times with more rounds; the best ratio of each counts."""
    for more in (2, 3):
        suspects = [name for name in names if records[name]["ratio"] < (1 - tolerance) * baseline[name]]
        if not suspects:
            return
        print(f"\nMeasured again, {more} times as many rounds: {', '.join(suspects)}", flush=True)
        for name, benchmark, parameters in cases([group for group in groups if group in RACES], profile):
            if name in suspects:
                again = race(benchmark, parameters, profile, more)
                if again["ratio"] > records[name]["ratio"]:
                    records[name].update(again)


def report(records, baseline, tolerance):
    """Print the comparison; True if a case has regressed."""
    ratios = {name: record["ratio"] for name, record in records.items() if record["gated"]}
    regressed, new, missing = compare(ratios, baseline, tolerance)
    print(f"\nAgainst the file, tolerance {tolerance:g}: {len(ratios) - len(new)} cases compared, "
          f"{len(regressed)} regressed.")
    for name in regressed:
        print(f"- regressed: {name}, ratio {ratios[name]:.2f}, was {baseline[name]:.2f}")
    for name in new:
        print(f"- not in the file: {name}")
    for name in missing:
        print(f"- only in the file: {name}")
    return bool(regressed)


def group_list(text):
    """Argument of --only."""
    names = text.split(",")
    for name in names:
        if name not in RACES and name not in FIGURES:
            raise argparse.ArgumentTypeError(f"must be groups out of {','.join([*RACES, *FIGURES])}, got {name!r}")
    return list(dict.fromkeys(names))


def share(text):
    """Argument of --tolerance."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be a number in [0, 1), got {text!r}")
    return value


def parse(argv):
    """Options, with `baseline` (ratios by case, or None) read from --against."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", choices=("quick", "full"), default="quick")
    parser.add_argument("--only", type=group_list, default=[*RACES, *FIGURES], metavar="GROUP,...",
                        help=f"groups out of {', '.join([*RACES, *FIGURES])}; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare ratios with those of this file")
    parser.add_argument("--tolerance", type=share, default=0.3, help="share that a ratio may fall; default: 0.3")
    options = parser.parse_args(argv)
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"argument --json: must be in a folder that exists, got {str(options.json)!r}")
    options.baseline = None
    if options.against is not None:
        try:
            options.baseline = read_baseline(options.against, options.profile)
        except ValueError as error:
            parser.error(f"argument --against: {error}")
    return options


def main(argv=None):
    """Exit code: 0, 1 if a case has regressed, 2 if answers disagree."""
    options = parse(argv)
    about = facts()
    print(f"Profile `{options.profile}`; {about['cores']} cores of {about['cpu']}; {about['compiler']}; moeliga "
          f"{about['versions']['moeliga']}, numpy {about['versions']['numpy']}, scikit-learn "
          f"{about['versions']['scikit-learn']}, Python {about['versions']['python']}.")
    if options.profile == "full" and not set(bench_dataset.DATA) & set(bench_dataset.PAPER):
        print("The paper's data sets are not at hand (see MOELIGA_DATA): bundled ones in their place.")
    groups = options.only
    try:
        records = run_races([group for group in groups if group in RACES], options.profile)
    except Disagreement as error:
        print(f"disagreement: {error}", file=sys.stderr)
        return 2
    if records:
        print_means(records)
    numbers = run_figures([group for group in groups if group in FIGURES], options.profile)
    failed = False
    if options.baseline is not None:
        baseline = {name: ratio for name, ratio in options.baseline.items() if name.partition(" ")[0] in groups}
        shared = [name for name in records if name in baseline and records[name]["gated"]]
        measure_again(shared, records, groups, options.profile, baseline, options.tolerance)
        failed = report(records, baseline, options.tolerance)
    if options.json is not None:
        options.json.write_text(json.dumps(
            {"format": FORMAT, "profile": options.profile, **about, "cases": records, "figures": numbers},
            indent=1, ensure_ascii=False) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
