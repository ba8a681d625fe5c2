"""Whole fits with the defaults, beside the genetic search of sklearn-genetic-opt, NSGA-II by pymoo and RFECV.

  python benchmarks/fits.py [NAME ..]     what is lacking of these sets, `wide` is 100,000 features that are made up
  python benchmarks/fits.py --dry-run     what a trial says of the cost, and no more
  python benchmarks/fits.py --limit 3600  fits of up to an hour, those too that were left out for less
  python benchmarks/fits.py --write       the tables of README.md, from fits.csv; a test compares them

Fits are of the training part, of one thread, timed by the processor. A trial of each says first how long its fit
would take: one and three generations of a genetic search, ten and thirty of NSGA-II, or one tree of RFECV. What would
take more than five minutes is left out, as is what does. NSGA-II has as many evaluations as moeliga's fit made.
"""

import argparse
import datetime
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from bench_dataset import normals
from board.protocol import TooLong, timed
from board.run import commit
from honest import times as honest
from machine import cpu
from options import sets_of
from paper import datasets
from paper.competitors import Missing, need, nsga, select
from paper.cost import spoken
from paper.page import filled, renewed
from paper.results import Results
from rooms import watched
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from moeliga import MOELIGASelector

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "fits.csv"
COLUMNS = ("set", "samples", "of", "classes", "who", "cpu", "expected", "evaluations", "features", "rooms", "status",
           "commit", "date", "machine")
"""A row for each set and contestant. `expected` are seconds by the trial; `rooms` has the share of each compiled room
in moeliga's fit, or in its longer trial where that was all."""

BEFORE = FOLDER / "honest" / "results" / "times.csv"
"""By honest/times.py: what the form before took, with two threads and the start of Python."""

LIMIT = 300
"""Seconds of the processor that a fit may take, where nothing else is said."""

WIDE = "wide"
SETS = ("sonar", "dermatology", "ionosphere", "lung_small", "colon_alon", "leukemia", "movement_libras", "arrhythmia",
        "arrhythmia13", "christensen", "orlraws10p", "optdigits", "mfeat", "madelon", "isolet", WIDE)
"""Those of the paper, six others, and the made one."""

GENERATIONS = {"moeliga": 60, "genetic-opt": 80}
"""Of their defaults."""

POPULATION = 90
"""Individuals of NSGA-II."""


def load(name):
    """X and y of a training part."""
    return normals(200, 100_000) if name == WIDE else datasets.load(name)[:2]


def fit(who, X, y, evaluations=None, **options):
    """(features, evaluations, shares of rooms as text) of a fit."""
    if who == "moeliga":
        with watched() as rooms:
            began = time.process_time()
            selector = MOELIGASelector(random_state=0, n_jobs=1, **options).fit(X, y)
            spent = time.process_time() - began
        shares = " ".join(f"{room}:{seconds / spent:.3f}" for room, seconds in
                          sorted(rooms.items(), key=lambda item: -item[1]))
        return int(selector.support_.sum()), selector.n_evaluations_, shares
    if who == "nsga2":
        front, count = nsga.front_of(nsga.setting(0), X, y, evaluations, None)
        return int(front.supports[front.choose("no_loss")].sum()), count, ""
    found = select(who, X, y, None, 0, **options)
    return int(found.mask.sum()), found.evaluations, ""


def trial(who, X, y, evaluations, limit):
    """(seconds that a fit would take, shares of rooms as text); TooLong, if it takes twice the limit itself."""
    if who == "rfecv":
        rows = np.arange(len(y)) % 3 > 0
        began = time.process_time()
        DecisionTreeClassifier(max_depth=100, random_state=0).fit(X[rows], y[rows])
        tree, sizes = time.process_time() - began, X.shape[1] if X.shape[1] <= 1000 else 100
        return tree * sizes / 2 * 4.5, ""  # three folds of two thirds of the rows, and all of them
    name, counts, all_ = {
        "moeliga": ("n_generations", (1, 3), GENERATIONS["moeliga"]),
        "genetic-opt": ("generations", (1, 3), GENERATIONS["genetic-opt"]),
        "nsga2": ("evaluations", (10 * POPULATION, 30 * POPULATION), evaluations)}[who]
    seconds = []
    for count in counts:
        clock = [0.0, 0.0]
        with timed(clock, 2 * limit):
            rooms = fit(who, X, y, **{name: count})[2]
        seconds.append(clock[0])
    each = max(0.0, seconds[1] - seconds[0]) / (counts[1] - counts[0])
    return seconds[0] + each * (all_ - counts[0]), rooms


def measured(who, X, y, evaluations, limit, dry=False, keep=lambda row: None):
    """A row without the columns that name it; fits take `limit` seconds at most.

    `keep` is called with the row of a trial before a fit that takes more than `LIMIT`, and may be cut short.
    """
    if who == "nsga2" and not evaluations:
        return {"status": "needs the evaluations of moeliga's fit"}
    try:
        expected, rooms = trial(who, X, y, evaluations, limit)
    except TooLong:
        return {"status": f"a trial takes more than {2 * limit:g} s"}
    row = {"expected": float(expected), "rooms": rooms}
    if dry or expected > limit:
        return row | {"status": f"would take {'' if dry else 'more than '}{expected if dry else limit:.0f} s"}
    print(f"about {spoken(expected)}", flush=True)
    if expected > LIMIT:
        keep(row | {"status": f"would take more than {LIMIT} s"})
    clock = [0.0, 0.0]
    try:
        with timed(clock, limit):
            features, count, rooms = fit(who, X, y, **({"evaluations": evaluations} if who == "nsga2" else {}))
    except TooLong as error:
        return row | {"status": str(error)}
    return row | {"cpu": clock[0], "features": features, "evaluations": count, "rooms": rooms, "status": "ok"}


WHO = {"moeliga": None, "rfecv": None, "nsga2": "pymoo", "genetic-opt": "sklearn-genetic-opt"}
"""Contestants, and the packages that they need."""


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)}; default: all")
    parser.add_argument("--who", nargs="+", choices=WHO, default=list(WHO), metavar="WHO")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--limit", type=int, default=None, metavar="SECONDS",
                        help=f"of the processor that a fit may take, default {LIMIT}; what was left out is tried again")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    parser.add_argument("--results", type=Path, default=FILE)
    options = parser.parse_args(argv)
    if options.write:
        return renewed(["--write"], FOLDER / "README.md", lambda text: filled(text, sys.modules[__name__], rows(FILE)),
                       __doc__)
    at_hand = {*datasets.names(), *datasets.extra(), WIDE}
    names, results = sets_of(parser, options.names, SETS, at_hand), Results(options.results, COLUMNS)
    if not options.dry_run:
        results.ready()
    for name in names:
        for who in options.who:
            known = find(results.rows, name, who)
            if known and (known["cpu"] or options.limit is None) and not options.dry_run:
                continue
            try:
                need(WHO[who] or "scikit-learn")
            except Missing as error:
                print(f"{who}: passed over, {error}", flush=True)
                continue
            X, y = load(name)
            before = find(results.rows, name, "moeliga")

            def add(row, name=name, who=who, y=y, n_features=X.shape[1]):
                now = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
                results.add([{"set": name, "samples": len(y), "of": n_features, "classes": len(np.unique(y)),
                              "who": who, "commit": commit(), "date": now, "machine": cpu()} | row])

            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row = measured(who, X, y, before and int(before["evaluations"] or 0),
                               LIMIT if options.limit is None else options.limit, options.dry_run, add)
            print(f"{name} {who}: about {spoken(row['expected'])}, {row.get('cpu', 0.0):.1f} s, {row['status']}"
                  if row.get("expected", np.nan) == row.get("expected") else
                  f"{name} {who}: {row.get('cpu', 0.0):.1f} s, {row['status']}", flush=True)
            if not options.dry_run:
                add(row)
    return 0


def find(found, name, who):
    """The row of a contestant on a set; None without one."""
    return next((row for row in reversed(found) if (row["set"], row["who"]) == (name, who)), None)


# tables


def rows(path):
    return Results(path, COLUMNS).rows


def seconds(row):
    """Of a fit; in brackets what a trial expects, of one that was not made."""
    if row is None:
        return "–"
    if row["cpu"]:
        return f"{float(row['cpu']):.3g}"
    if row["expected"]:
        return f"({float(row['expected']):,.0f})"
    return f"> {row['status'].split()[-2]}" if "more than" in row["status"] else "–"


def times(found):
    """Seconds of each contestant and of the form before, how many times moeliga's they are, and evaluations."""
    before = {row["set"]: row for row in Results(BEFORE, honest.COLUMNS).rows if row["what"] == "before"}
    lines = []
    for name in [name for name in SETS if find(found, name, "moeliga")]:
        ours = find(found, name, "moeliga")
        cells = []
        for row in (before.get(name), *(find(found, name, who) for who in list(WHO)[1:])):
            both = row and row["cpu"] and ours["cpu"]
            cells.append(seconds(row) + (f", {float(row['cpu']) / float(ours['cpu']):.2g}" if both else ""))
        counts = " / ".join(f"{int(row['evaluations']):,}" if row and row["evaluations"] else "–"
                            for row in (find(found, name, who) for who in WHO))
        lines.append([name, f"{ours['samples']} x {ours['of']}", ours["classes"], seconds(ours), *cells, counts])
    return ["set", "size", "classes", "moeliga", "before", *list(WHO)[1:], "evaluations"], lines


def shares(found):
    """Shares of the compiled rooms in moeliga's fits, and of what is in none."""
    ours = [row for name in SETS if (row := find(found, name, "moeliga")) and row["rooms"]]
    parts = [{room: float(share) for room, _, share in (part.partition(":") for part in row["rooms"].split())}
             for row in ours]
    names = [room for room in sorted({room for part in parts for room in part},
                                     key=lambda room: -sum(part.get(room, 0.0) for part in parts))
             if any(part.get(room, 0.0) >= 0.005 for part in parts)]
    lines = [[row["set"], *(f"{part.get(room, 0.0):.0%}" for room in names), f"{1 - sum(part.values()):.0%}"]
             for row, part in zip(ours, parts, strict=True)]
    return ["set", *names, "elsewhere"], lines


TABLES = {"fits": times, "rooms": shares}
"""By their names in the page."""


if __name__ == "__main__":
    sys.exit(main())
