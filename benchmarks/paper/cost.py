"""What a job will cost: from rows that are there already, else by rule of thumb.

The rules were fitted by eye to runs on one core of a Xeon of 2023; they are good to a factor of about three.
"""

import math
import statistics

EVALUATIONS = 2000
"""Subsets that a default search evaluates in a generation, local improvement included."""


def tree(n, k, share=1.0):
    """One tree of scikit-learn, with what calls it; `share` is that of its full depth."""
    return 2.5e-3 + 3e-8 * n * math.log2(n) * k * share


def forest(n, k, n_trees):
    return n_trees * (5e-4 + 3e-8 * n * math.log2(n) * math.sqrt(k))


def forward(n, F, k):
    return sum((F - j) * 3 * tree(n, j + 1) for j in range(k))


RULES = {
    "all": lambda n, F, C, k, g: 20 * tree(n, F),
    "random": lambda n, F, C, k, g: 0.01,
    "moeliga": lambda n, F, C, k, g: EVALUATIONS * g * 5e-7 * n * max(1, C / 8),
    "relieff": lambda n, F, C, k, g: n * F * C * 1e-5,
    "surf": lambda n, F, C, k, g: n * F * C * 2e-5,
    "mi": lambda n, F, C, k, g: F * (2e-3 + 1e-5 * n),
    "rfe": lambda n, F, C, k, g: F * tree(n, F / 2, min(1, 3 / math.log2(n))),
    "kbest": lambda n, F, C, k, g: 1e-8 * n * F,
    "sfs": lambda n, F, C, k, g: forward(n, F, k),
    "sffs": lambda n, F, C, k, g: 3 * forward(n, F, k),
    "boruta": lambda n, F, C, k, g: 100 * forest(n, 2 * F, 100),
    "importance": lambda n, F, C, k, g: forest(n, F, 500),
    "rfecv": lambda n, F, C, k, g: 4 * min(F, 300) * tree(n, F / 2),
    "genetic-opt": lambda n, F, C, k, g: 8000 * 3 * tree(n, F / 2),
}
"""Seconds of a choice, from training samples, features, classes, size and generations."""

SAME = {"moeliga-paper": "moeliga", "nsga2": "moeliga", "nsga2-time": "moeliga", "boruta-own": "boruta",
        "surf*": "surf", "multisurf": "surf", "multisurf*": "surf", "relieff-own": "relieff", "multisurf-own": "surf",
        "mi-own": "mi", "kbest-own": "kbest", "importance-own": "importance"}
"""Methods that cost about what others do."""


def guess(method, n, F, C, k, generations):
    """Seconds of a choice and of judging it, by rule."""
    chosen = RULES[SAME.get(method, method)](n, F, C, k, generations)
    return chosen + 25 * tree(n, k) + 1 + 5e-3 * n  # the perceptron takes most of the judging


def expected(job, facts, rows):
    """Seconds of a job: the median of earlier rows of its data, method and setting, else by rule.

    Parameters
    ----------
    job : grid.Job
    facts : facts.Facts or None
        None for a set that is not the paper's: its cost is taken for that of dermatology.
    rows : list of dict
    """
    known = [float(row["seconds"]) for row in rows if row["status"] == "ok" and row["seconds"] and not row["choice"]
             and all(row[name] == getattr(job, name) for name in ("data", "method", "setting"))]
    if known:
        return statistics.median(known)
    n, F, C, k = (250, 34, 6, 6) if facts is None else (0.7 * facts.samples, facts.features, facts.classes, facts.k)
    return guess(job.method, n, F, C, k, job.parameters.get("n_generations", 300))


def spoken(seconds):
    """"3 min", "2.5 h" and the like."""
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"
