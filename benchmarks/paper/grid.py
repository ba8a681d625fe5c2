"""The runner of all experiments: jobs that are done once, by one process or many, and survive an interruption.

A job is a data set, an outer split, a method with its setting, and a seed. Each result is written as soon as it is
known; the same command again does only what is missing.
"""

import argparse
import datetime
import shlex
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import sklearn
from machine import cpu
from paper import competitors, cost, crew, datasets
from paper.crew import Needed
from paper.facts import FACTS
from paper.judge import CLASSIFIERS, fresh_score, judge
from paper.protocol import N_SPLITS, OWN
from paper.results import KEY

import moeliga

RESULTS = Path(__file__).resolve().parent / "results"
QUICK = ("dermatology", "movement_libras")
"""Data sets of the quick versions: few samples, few features."""

QUICK_GENERATIONS = 20


@dataclass(frozen=True)
class Job:
    """One choice of features, or several from one run.

    `setting` names the parameters, which are options of the method; "" for none.
    """

    data: str
    split: str
    method: str
    seed: str = "0"
    setting: str = ""
    parameters: dict = field(default_factory=dict, compare=False)

    @property
    def key(self):
        return (self.data, self.split, self.method, self.setting, self.seed)


def seed_of(split, first=0):
    """Seed of all methods on an outer split, str: `first` on the first random one and on the own parts.

    The other random ones count on from it: searches from one seed begin with the same features, and if those of all
    splits did, their luck would not average out.
    """
    return str(first + (0 if split == OWN else int(split)))


def jobs_of(names, methods, n_splits, seed="0", parameters=None):
    """Jobs of all methods on all splits, moeliga first on each: others need its size or its budget.

    Parameters
    ----------
    names, methods : sequence of str
    n_splits : int
        Random outer splits; the set's own parts come on top, where it has some.
    seed : str
        The first one of `seed_of`.
    parameters : dict from method to dict, or None
    """
    ordered = sorted(methods, key=lambda method: method != "moeliga")
    parameters, found = parameters or {}, []
    for name in names:
        own = [] if name in FACTS and not has_own(name) else [OWN]
        for split in [*own, *(str(i) for i in range(n_splits))]:
            found += [Job(name, split, method, seed_of(split, int(seed)), "", parameters.get(method, {}))
                      for method in ordered]
    return found


def has_own(name):
    """Whether the local copy of a data set has parts of its own."""
    try:
        return name in datasets.names() or (datasets.folder() / FACTS[name].files[0]).is_file()
    except (SystemExit, KeyError, IndexError):  # no folder, no set of the paper, no file of the authors
        return False


def size_for(job, results):
    """Number of features that a method is told: the paper's on a set's own parts, else that of moeliga's choice.

    Raises
    ------
    Needed : if there is no search of moeliga on the same rows, where one is needed.
    """
    if job.split == OWN and job.data in FACTS:
        return FACTS[job.data].k
    return int(ours(job, results)["features"])


def ours(job, results):
    """The row of moeliga on the same rows."""
    row = results.find((job.data, job.split, "moeliga", "", job.seed))
    if row is None or row["status"] != "ok":
        raise Needed("it needs a search of moeliga on the same rows first")
    return row


def perform(job, data, results, classifiers):
    """Rows of a job: the choice, and further ones from the same run; `results` are `Known`."""
    X_train, y_train, X_test, y_test, note = data.parts(job.split)
    method, options = competitors.METHODS[job.method], dict(job.parameters)
    told = size_for(job, results) if method.sized else None
    if method.needs:
        value = float(ours(job, results)[method.needs])
        options[method.needs] = int(value) if method.needs == "evaluations" else value
    # on a set's own parts, as the authors ran it: with their seeds
    seed = None if job.split == OWN and job.seed == "0" else int(job.seed)
    found = competitors.select(job.method, X_train, y_train, told, seed, **options)
    rows = []
    for choice, mask in {"": found.mask, **found.others}.items():
        fresh, fresh_se = fresh_score(mask, X_train, y_train)
        row = dict(zip(KEY, job.key, strict=True))
        row |= {"choice": choice, "told": "" if told is None else told, "features": int(mask.sum()), "fresh": fresh,
                "fresh_se": fresh_se, "samples": len(y_train) + len(y_test), "classes": len(np.unique(data.whole.y)),
                "of": len(mask), "status": "ok", "chosen": " ".join(map(str, np.flatnonzero(mask))),
                "note": "; ".join(filter(None, (found.note, note)))}
        if not choice:
            row |= {"in_search": found.in_search, "seconds": found.seconds,
                    "evaluations": "" if found.evaluations is None else found.evaluations}
        for name, scores in judge(mask, X_train, y_train, X_test, y_test, classifiers).items():
            row |= {f"{name}_{score}": value for score, value in scores._asdict().items()}
        rows.append(row)
    return rows


def facts_of_run():
    """Columns that say where and with what a row was made."""
    names = {"moeliga": moeliga.__version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__,
             "python": sys.version.split()[0]}
    for package in ("mlxtend", "boruta", "skrebate", "sklearn-genetic-opt", "pymoo"):
        try:
            names[package] = competitors.need(package)
        except competitors.Missing:
            continue
    return {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "cpu": cpu(),
            "versions": ", ".join(f"{name} {number}" for name, number in names.items()),
            "command": shlex.join(["python", f"benchmarks/paper/{Path(sys.argv[0]).name}", *sys.argv[1:]])}


def run(jobs, results, *, n_splits=N_SPLITS, classifiers=("tree",), again=False, dry=False, limit=None, rows_of=None,
        expected=None, columns=("features", "tree_uar"), shown=lambda rows: rows[0], n_jobs=1, scheduler=None):
    """Do the jobs that are not done.

    Parameters
    ----------
    jobs : list of Job
        Of one data set after the other, else it is read again and again.
    results : Results
    n_splits : int
    classifiers : sequence of str
    again : bool
        Also those that failed.
    dry : bool
        Say only what it would cost.
    limit : float or None
        Leave out, and name, jobs that are expected to take more seconds.
    rows_of : callable or None
        From a job, its `Data` and `Known` to rows, in place of `perform`.
    expected : callable or None
        From a job to seconds, in place of the rules of `cost`.
    columns : (str, str)
        Of the features and the test UAR that a line of progress shows.
    shown : callable
        From the rows of a job to the one that it shows; default: the first.
    n_jobs : int
        Jobs at the same time, by processes of this machine, or of the cluster.
    scheduler : str or None
        Address of the scheduler of a Dask cluster.

    Returns
    -------
    failed : int
        Jobs that raised an error. Those that lack a package, or another job, are left out and said.
    """
    if not dry:
        results.ready()
    done = {tuple(row[name] for name in KEY): row["status"] for row in results.rows if not row["choice"]}
    todo = [job for job in jobs if job.key not in done or (again and done[job.key] != "ok")]
    expected = expected or (lambda job: cost.expected(job, FACTS.get(job.data), results.rows))
    rows_of = rows_of or partial(perform, classifiers=classifiers)
    seconds = {job.key: expected(job) for job in todo}
    left = [job for job in todo if limit is None or seconds[job.key] <= limit]
    if limit is not None:
        long = dict.fromkeys(f"{job.data} {job.method} ({cost.spoken(seconds[job.key])} each)"
                             for job in todo if seconds[job.key] > limit)
        print(f"left out, because they would take longer than {cost.spoken(limit)}: {', '.join(long) or 'none'}")
    total = cost.spoken(sum(seconds[job.key] for job in left))
    print(f"{len(jobs)} jobs, {len(jobs) - len(todo)} done, {len(left)} to do: about {total} of one core, give or take "
          f"a factor of three; results in {results.path}", flush=True)
    failed, said_already, where = 0, set(), facts_of_run()
    with crew.backend(scheduler):
        done = crew.outcomes([] if dry else left, results, rows_of, n_splits, n_jobs)
        for place, (job, kind, said, elapsed) in enumerate(done, 1):
            label = f"[{place}/{len(left)}] {job.data} {job.split} {job.method} {job.setting}".rstrip()
            if kind in ("missing", "needed"):  # no row: done as soon as it can be
                if said not in said_already:
                    print(f"{label}: left out, {said}", flush=True)
                said_already.add(said)
                continue
            if kind == "failed":
                failed += 1
                said = [dict(zip(KEY, job.key, strict=True)) | {"status": said}]
                print(f"{label}: {said[0]['status']}", flush=True)
            else:
                row = shown(said)
                print(f"{label}: {row[columns[0]]} features, test UAR {row[columns[1]]:.3f}, {elapsed:.1f} s",
                      flush=True)
            results.add([row | {name: value for name, value in where.items() if name in results.columns}
                         for row in said])
    results.refresh()  # other processes may have added rows
    return failed


COUNTED = "of every method on the first outer split, from which the others count on; default: 0"
"""What --seed is of where seeds are those of `seed_of`."""


def parser(description, quick, methods=(), workers=True, seed="of every method; default: 0"):
    """Options that the scripts share; `workers` for those that `run` jobs, `seed` says what a seed is of."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("names", nargs="*", help="data sets; default: all of the paper's that are at hand")
    found.add_argument("--quick", action="store_true", help=quick)
    found.add_argument("--splits", type=int, help="random outer splits")
    found.add_argument("--generations", type=int, help=f"of moeliga; default: 300, quick {QUICK_GENERATIONS}")
    found.add_argument("--seed", default="0", help=seed)
    found.add_argument("--out", type=Path, help="folder of the results; default: benchmarks/paper/results, "
                       "quick: a folder in it that git ignores")
    found.add_argument("--dry-run", action="store_true", help="say only what it would cost")
    found.add_argument("--limit", type=float, metavar="SECONDS", help="leave out jobs that are expected to take longer")
    found.add_argument("--again", action="store_true", help="do again what failed")
    if workers:
        found.add_argument("--jobs", type=int, default=1, metavar="N", help="at the same time, one thread each")
        found.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that does the jobs; --jobs -1 "
                           "takes all of its workers")
    if methods:
        found.add_argument("--methods", nargs="+", choices=methods, default=list(methods), metavar="METHOD",
                           help=f"default: all of {', '.join(methods)}")
        found.add_argument("--classifiers", nargs="+", choices=list(CLASSIFIERS), default=None, metavar="NAME",
                           help=f"that judge; default: all of {', '.join(CLASSIFIERS)}, quick: tree")
    return found


def reader(description):
    """Options of the scripts that read what sota.py wrote; see `folder_of`."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--quick", action="store_true", help="results of sota.py --quick")
    found.add_argument("--out", type=Path, help="folder of the results")
    return found


def folder_of(options):
    """The folder of the results that options name."""
    return options.out or (RESULTS / "quick" if options.quick else RESULTS)


def defaults(options):
    """Fill in what depends on --quick.

    Raises
    ------
    SystemExit : if shorter searches would get among those of 300 generations.
    """
    quick = options.quick
    if options.generations not in (None, 300) and options.out is None and not quick:
        raise SystemExit(f"--generations {options.generations} needs --out: {RESULTS} holds searches of 300")
    options.names = options.names or (list(QUICK) if quick else [name for name in datasets.names() if name in FACTS])
    options.splits = (2 if quick else N_SPLITS) if options.splits is None else options.splits
    if options.generations is None:
        options.generations = QUICK_GENERATIONS if quick else 300
    options.out = options.out or (RESULTS / "quick" if quick else RESULTS)
    if "classifiers" in options:
        options.classifiers = options.classifiers or (["tree"] if quick else list(CLASSIFIERS))
    return options
