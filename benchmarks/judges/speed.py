"""`evaluate_subsets` with a compiled judge against the loop over scikit-learn, on each of the paper's data sets.

  python benchmarks/judges/speed.py                             every judge, all 90 subsets: an hour
  python benchmarks/judges/speed.py --judges bayes ridge --sets isolet --every 3
  python benchmarks/judges/speed.py --shared --judges bayes ridge      the same splits for all subsets

Subsets are those of a first generation, three splits each, the same on both sides: others for every subset, as
`evaluate_subsets` has them by itself, or the same for all, as in a search. Processor time of one thread, both
sides alternately; a cell is the median of the rounds' ratios. Scores must agree as in `bench_judges.py`.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import rivals
from bench_dataset import KNOWN
from bench_judges import ALONE, SAME, JudgeAlone
from judges.run import NAMES, SETS
from options import positive, sets_of

KINDS = ("bayes", "neighbours", "ridge", "discriminant", "logistic", "svm")
TIED = ("discriminant", "ridge")
"""Judges to whom two classes may be equal but for rounding, as on a feature of few values."""

SHORT = {name: short for short, name in NAMES.items()}
"""Names of the judges in bench_judges.py by those of run.py."""

FEW = 500
"""Training rows of a set below which the rival's constant costs count most."""


class Cell(JudgeAlone):
    """A judge on a data set, with every so-many-th subset."""

    def __init__(self, every, shared):
        self.step, self.shared = every, shared

    def every(self, data):
        return self.step


def ratio_of(judge, name, every, rounds, shared):
    """The median ratio, our milliseconds for a subset, the training rows, and how scores agree: a tuple."""
    case, ratios = Cell(every, shared), []
    case.setup(judge, name)
    case.time_moeliga(judge, name)
    for _ in range(rounds):
        begun = time.process_time()
        ours = case.time_moeliga(judge, name)
        between = time.process_time()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs = case.time_rival(judge, name)
        ratios.append((time.process_time() - between) / (between - begun))
        spent = (between - begun) / case.count
    if judge in SAME and judge not in TIED:
        said = rivals.check_close("UAR", ours, theirs, 1e-12)
    else:
        said = rivals.check_mean("UAR", ours, theirs)
    return float(np.median(ratios)), 1e3 * spent, len(case.splits[0][0][0]), said


def mean_of(ratios):
    return f"{np.exp(np.mean(np.log(ratios))):.1f}" if ratios else "–"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", nargs="+", choices=[*ALONE], default=KINDS, metavar="JUDGE",
                        type=lambda name: SHORT.get(name, name),
                        help=f"out of {', '.join(ALONE)}")
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET", help=f"out of {', '.join(SETS)}")
    parser.add_argument("--every", type=positive, default=1, metavar="N", help="every N-th of the 90 subsets")
    parser.add_argument("--rounds", type=positive, default=3, help="default: 3")
    parser.add_argument("--shared", action="store_true", help="the same splits for all subsets, as in a search")
    options = parser.parse_args(argv)
    names = sets_of(parser, options.sets, SETS, KNOWN)
    print(f"| judge | {' | '.join(names)} | < {FEW} rows | all |")
    print("|---" * (len(names) + 3) + "|")
    for judge in options.judges:
        ratios, few = [], []
        print(f"| {judge} |", end="", flush=True)
        for name in names:
            ratio, spent, n_rows, said = ratio_of(judge, name, options.every, options.rounds, options.shared)
            ratios.append(ratio)
            few += [ratio] * (n_rows < FEW)
            print(f" {ratio:.3g} |", end="", flush=True)
            print(f"{judge}, {name}: {spent:.3g} ms a subset, {n_rows} rows, {said}", file=sys.stderr)
        print(f" {mean_of(few)} | {mean_of(ratios)} |", flush=True)


if __name__ == "__main__":
    main()
