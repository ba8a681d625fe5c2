"""Time two builds of moeliga against each other, on the cases of run.py.

    python benchmarks/two_builds.py FOLDER OTHER                        folders that hold the package, built in place
    python benchmarks/two_builds.py FOLDER OTHER --only tree,relief     some groups

Each build has a process of its own; the two are asked in turn, in changing order, for the CPU time of the same calls on
one thread. A ratio is the median over rounds of OTHER's time / FOLDER's: above 1, FOLDER is the faster.
`python tests/builds.py --folder` leaves such folders.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from options import build_folder
from run import LEAST_SECONDS, RACES, cases, group_list, repeats_for, seconds_of

import moeliga

ROUNDS = 15


def serve(groups, profile):
    """Answer another process: the file of the package, and then a line with the name of each case, then seconds of
    one call for each line that holds a number of calls; 0 ends the case."""
    answers, sys.stdout = sys.stdout, sys.stderr
    print(moeliga.__file__, file=answers, flush=True)
    for name, benchmark, parameters in cases(groups, profile):
        if "threads" in name and "threads=1" not in name:
            continue
        print(name, file=answers, flush=True)
        while repeats := int(sys.stdin.readline()):
            print(seconds_of(time.process_time, benchmark.time_moeliga, parameters, repeats), file=answers, flush=True)


class Build:
    """A process that runs cases with the package of one folder."""

    def __init__(self, folder, options):
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), str(folder), "--serve", "--profile", options.profile, "--only",
             ",".join(options.only)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"})
        self.folder, self.found = folder, self.line()

    def line(self):
        return self.process.stdout.readline().strip()

    def seconds(self, repeats):
        print(repeats, file=self.process.stdin, flush=True)
        return float(self.line()) if repeats else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=build_folder)
    parser.add_argument("other", type=build_folder)
    parser.add_argument("--only", type=group_list, default=list(RACES), metavar="GROUP,...")
    parser.add_argument("--profile", choices=list(LEAST_SECONDS), default="quick")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.only, options.profile)
    builds, ratios = [Build(folder, options) for folder in (options.folder, options.other)], []
    for build in builds:
        if not Path(build.found).is_relative_to(build.folder):
            for each in builds:
                each.process.kill()
            raise SystemExit(f"{build.folder}: its package is not what is imported, {build.found or 'nothing'} is")
    print("| case | ms | other, ms | ratio |\n|---|---|---|---|")
    while (name := builds[0].line()) and builds[1].line() == name:
        repeats = repeats_for(min([build.seconds(1) for build in builds] + [build.seconds(1) for build in builds]),
                              LEAST_SECONDS[options.profile])
        rounds = np.array([[builds[i].seconds(repeats) for i in order][::order[1] - order[0]]
                           for order in [(0, 1), (1, 0)] * ((ROUNDS + 1) // 2)])
        for build in builds:
            build.seconds(0)
        ratios.append(np.median(rounds[:, 1] / rounds[:, 0]))
        ours, others = np.median(rounds, axis=0) * 1e3
        print(f"| {name} | {ours:.4g} | {others:.4g} | {ratios[-1]:.3f} |", flush=True)
    print(f"| geometric mean of {len(ratios)} | | | {np.exp(np.mean(np.log(ratios))):.3f} |")
    return max(build.process.wait() for build in builds)


if __name__ == "__main__":
    sys.exit(main())
