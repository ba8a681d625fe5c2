"""The board: any selector, on outer splits of real data sets, judged by seven deployed models.

  python benchmarks/board/run.py moeliga all kbest --sets sonar dermatology --splits 3
  python benchmarks/board/run.py --dry-run                 what all entries on all sets would cost
  python benchmarks/board/run.py mine --enter mine.py      a selector of one's own, see README.md

What each entry will cost is said before it runs: from rows that are there, else from a probe. Rows go to
results/board.csv as soon as an entry is done with a split, and what is there is passed over; moeliga's own rows of
other commits are done again with --renew. Entries are told the number of features that moeliga chose on the same rows
for the same model, where it has a row. `page.py` makes the tables of README.md.
"""

import argparse
import datetime
import runpy
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from board.entries import ENTRIES
from board.models import MODELS
from board.protocol import COLUMNS, KEY, LIMIT, contest
from machine import cpu, output_of
from options import positive, sets_of
from paper import datasets
from paper.competitors import Missing, need
from paper.cost import spoken
from paper.protocol import outer_splits
from paper.results import Results

RESULTS = Path(__file__).resolve().parent / "results"
SETS = ("sonar", "dermatology", "ionosphere", "lung_small", "sorlie", "soybean", "colon_alon", "srbct", "christensen",
        "lymphoma", "glioma", "movement_libras", "leukemia", "arrhythmia", "nakayama", "braintumor", "orlraws10p",
        "subramanian", "arcene", "cnae9", "madelon", "basehock", "mfeat", "splice", "spambase", "waveform5000",
        "optdigits", "isolet")
"""From cheap to dear."""

PROBE = (64, 32)
"""Samples and features on which an entry is tried that has no rows yet."""


def commit():
    """The last commit that changed the package, with "+" if it was changed since."""
    code = (":(top)moeliga", ":(top)_ext", ":(top)setup.py")
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", *code)
    return output_of("git", "log", "-1", "--format=%h", "--", *code) + ("+" if changed else "")


class Board:
    """What is known, and what is lacking.

    Parameters
    ----------
    results : Results
    entries : dict from str to Entry
    renew : str or None
        Commit of moeliga whose rows alone count as done.
    """

    def __init__(self, results, entries, renew=None):
        self.results, self.entries, self.renew = results, entries, renew

    def known(self, name, split):
        """The last row of each choice on a split: dict from KEY to dict."""
        return {tuple(row[column] for column in KEY): row for row in self.results.rows
                if (row["set"], row["split"]) == (name, str(split))}

    def wanted(self, name, split, label, models, told=True):
        """Sizes that a job lacks, by model: None for its own, moeliga's for the same model."""
        entry, known, found = self.entries[label], self.known(name, split), {}
        if (name, str(split), label, "", "", "") in known:
            return {}
        if entry.needs and self.given(name, split, entry) is None:
            return {}
        for model in models if entry.models is None else [model for model in models if model in entry.models]:
            sizes = []
            own = known.get((name, str(split), label, "", model, ""))
            if entry.own and (own is None or (entry.ours and self.renew not in (None, own["commit"]))):
                sizes.append(None)
            size = known.get((name, str(split), "moeliga", "", model, ""))
            if told and entry.told and size is not None:
                k = size["features"]
                if k != "0" and (name, str(split), label, "", model, k) not in known:
                    sizes.append(int(k))
            if sizes:
                found[model] = sizes
        return found

    def given(self, name, split, entry):
        """What an entry needs of moeliga's rows on a split, of the first model that has it; None where none has."""
        known = self.known(name, split)
        for model in MODELS:
            row = known.get((name, str(split), "moeliga", "", model, ""))
            if row is not None and row[entry.needs]:
                return float(row[entry.needs])
        return None

    def expected(self, label, shape, set_name):
        """Seconds of a job, by the rows of the set, else by those of others and their size; None without rows."""
        jobs = {}
        for row in self.results.rows:
            if row["entry"] == label and row["spent"]:
                key = row["set"], row["split"]
                spent, size = jobs.get(key, (0.0, 0))
                jobs[key] = spent + float(row["spent"]), int(row["samples"]) * int(row["of"])
        same = [spent for (name, _), (spent, _) in jobs.items() if name == set_name]
        if same:
            return float(np.median(same))
        return float(np.median([spent * shape / size for spent, size in jobs.values()])) if jobs else None


def probed(entry, parts, models):
    """Seconds of a job by a small part of its rows, as if they grew with samples and features."""
    X, y = parts[0][:, :PROBE[1]], parts[1]
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:PROBE[0]])
    known, classes = np.unique(y[rows], return_inverse=True)
    few = X[rows], classes, X[rows], classes
    models = models if entry.models is None else [model for model in models if model in entry.models]
    found = contest(entry, few, 0, {model: [None] if entry.own else [2] for model in models})
    spent = sum(row.get("spent", 0.0) for row in found)
    return spent * parts[0].size / few[0].size


def entries_of(paths):
    """The entries of the board, and those of files that define `ENTRIES`."""
    found = dict(ENTRIES)
    for path in paths:
        if not path.is_file():
            raise SystemExit(f"argument --enter: there is no file {path}")
        try:
            found |= runpy.run_path(str(path))["ENTRIES"]
        except KeyError as error:
            if error.args != ("ENTRIES",):
                raise
            raise SystemExit(f"argument --enter: {path} must define ENTRIES, see benchmarks/board/README.md") from None
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entries", nargs="*", metavar="ENTRY", help=f"of {', '.join(ENTRIES)}; default: all")
    parser.add_argument("--enter", nargs="+", type=Path, default=[], metavar="FILE", help="files with entries")
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET", help="default: those of the board at hand")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="MODEL")
    parser.add_argument("--splits", type=positive, default=10)
    parser.add_argument("--own", action="store_true", help="own sizes only")
    parser.add_argument("--renew", action="store_true", help="moeliga's rows of other commits again")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of processor time for a fit")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(argv)
    entries, at_hand = entries_of(options.enter), {*datasets.names(), *datasets.extra()}
    if unknown := [name for name in options.entries if name not in entries]:
        parser.error(f"there is no entry {unknown[0]!r}; at hand: {', '.join(sorted(entries))}")
    names = sets_of(parser, options.sets, SETS, at_hand)
    facts = {"commit": commit(), "machine": cpu()}
    board = Board(Results(options.results / "board.csv", COLUMNS), entries, facts["commit"] if options.renew else None)
    if not options.dry_run:
        board.results.ready()
    for label in options.entries or entries:
        entry = entries[label]
        try:
            need(entry.package or "scikit-learn")
        except Missing as error:
            print(f"{label}: passed over, {error}", flush=True)
            continue
        run(board, label, names, options, facts)


def run(board, label, names, options, facts):
    """Say what an entry costs, and do what is lacking."""
    def lacking(name, split):
        return board.wanted(name, split, label, options.models, not options.own)

    jobs = [(split, name) for split in range(options.splits) for name in names if lacking(name, split)]
    if not jobs:
        print(f"{label}: nothing to do", flush=True)
        return
    data = {name: datasets.whole(name) for name in dict.fromkeys(name for _, name in jobs)}
    splits = {name: [split for split in outer_splits(whole, options.splits) if split.name != "own"]
              for name, whole in data.items()}

    def parts(name, split):
        whole, where = data[name], splits[name][split]
        return whole.X[where.train], whole.y[where.train], whole.X[where.test], whole.y[where.test]

    shapes = {name: 0.7 * whole.X.size for name, whole in data.items()}
    seconds = {name: board.expected(label, shapes[name], name) for name in data}
    how = "from its rows"
    if None in seconds.values() and board.entries[label].needs:
        how, seconds = "from moeliga's rows", {name: board.expected("moeliga", shapes[name], name) for name in data}
    elif None in seconds.values():
        how, some = "from a probe", probed(board.entries[label], parts(jobs[0][1], 0), options.models)
        seconds = {name: some * shapes[name] / shapes[jobs[0][1]] for name in data}
    cost = spoken(sum(seconds[name] for _, name in jobs))
    print(f"{label}: {len(jobs)} splits to do, about {cost} of one core {how}, and what judges", flush=True)
    for split, name in [] if options.dry_run else jobs:
        board.results.refresh()
        wanted = lacking(name, split)
        if not wanted:  # done by another process, or left out since
            continue
        if any((name, str(before), label, "", "", "") in board.known(name, before) for before in range(split)):
            continue  # an earlier split failed: the set is left out
        given = board.given(name, split, board.entries[label]) if board.entries[label].needs else None
        rows = contest(board.entries[label], parts(name, split), split, wanted, options.limit, given)
        now = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")}
        board.results.add([{"set": name, "split": split, "entry": label} | row | facts | now for row in rows])
        said = ", ".join(f"{row['model']} {row['test']:.3f} ({row['features']})" for row in rows
                         if row["status"] == "ok" and not row["choice"]) or rows[0]["status"]
        print(f"{label} {name} {split}: {said}, {sum(row.get('spent', 0.0) for row in rows):.1f} s", flush=True)


if __name__ == "__main__":
    main()
