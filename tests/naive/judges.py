"""Compiled judges the slow way: one row, one class, one feature after the other; leave-one-out as so many fits."""

import math


def scaled(kind, learn, ask):
    """Rows to learn from and to answer for, scaled by what the first say: lists of lists."""
    columns = []
    for column, asked in zip(zip(*learn, strict=True), zip(*ask, strict=True), strict=True):
        n, centre, scale = len(column), 0.0, 1.0
        if kind == "standard":
            centre = math.fsum(column) / n
            variance = math.fsum((x - centre) ** 2 for x in column) / n
            constant = variance <= n * 2.0**-52 * variance + (n * centre * 2.0**-52) ** 2
            scale = 1.0 if constant else math.sqrt(variance)
        elif kind == "range":
            centre, span = min(column), max(column) - min(column)
            scale = 1.0 if span < 10 * 2.0**-52 else span
        columns.append([[(x - centre) / scale for x in part] for part in (column, asked)])
    return [[list(row) for row in zip(*part, strict=True)] for part in zip(*columns, strict=True)]


def variance(column):
    mean = math.fsum(column) / len(column)
    return math.fsum((x - mean) ** 2 for x in column) / len(column)


def bayes(learn, labels, ask, n_classes, smoothing, priors=None):
    """Probabilities of Gaussian naive Bayes: list of lists."""
    added = smoothing * max(map(variance, zip(*learn, strict=True)))
    table = []
    for row in ask:
        joint = []
        for c in range(n_classes):
            own = [x for x, label in zip(learn, labels, strict=True) if label == c]
            share = len(own) / len(learn) if priors is None else priors[c]
            if not own or share == 0:
                joint.append(-math.inf)
                continue
            terms = [math.log(share)]
            for x, column in zip(row, zip(*own, strict=True), strict=True):
                spread, mean = variance(column) + added, math.fsum(column) / len(column)
                terms.append(-0.5 * (math.log(2 * math.pi * spread) + (x - mean) ** 2 / spread))
            joint.append(math.fsum(terms))
        shares = [math.exp(value - max(joint)) for value in joint]
        table.append([share / math.fsum(shares) for share in shares])
    return table


def neighbours(learn, known, ask, n_classes, number, weights, manhattan):
    """Shares of classes among the nearest rows, or for `n_classes` None the mean of their targets: list of lists.

    Of rows equally far the first ones.
    """
    table = []
    for row in ask:
        distances = [math.fsum(abs(a - b) for a, b in zip(x, row, strict=True)) if manhattan else
                     math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(x, row, strict=True))) for x in learn]
        nearest = sorted(range(len(learn)), key=distances.__getitem__)[:number]
        counts = [1.0] * number
        if weights == "distance":
            same = any(distances[i] == 0 for i in nearest)
            counts = [float(distances[i] == 0) if same else 1 / distances[i] for i in nearest]
        total = math.fsum(counts)
        if n_classes is None:
            table.append([math.fsum(w * known[i] for w, i in zip(counts, nearest, strict=True)) / total])
        else:
            table.append([math.fsum(w for w, i in zip(counts, nearest, strict=True) if known[i] == c) / total
                          for c in range(n_classes)])
    return table


def kept(distances, number):
    """Rows that scikit-learn's heap keeps of distances in their order: its largest stands first, and a nearer one goes
    down from there, by the right side only if that is larger: list."""
    heap = [(math.inf, -1)] * number
    for row, distance in enumerate(distances):
        at = 0
        while distance < heap[0][0] or at:
            sides = [side for side in (2 * at + 1, 2 * at + 2) if side < number]
            largest = max(sides, key=lambda side: heap[side][0], default=None)  # the left one of equal ones
            if largest is None or not distance < heap[largest][0]:
                heap[at] = distance, row
                break
            heap[at], at = heap[largest], largest
    return [row for _, row in heap]


def answers(model, scaling, X, known, learn, ask, n_classes):
    """What `model(learn, known, ask, n_classes)` answers for some rows of X; `ask` None = leave-one-out."""
    if ask is None:
        return [answers(model, scaling, X, known, [j for j in learn if j != i], [i], n_classes)[0] for i in learn]
    rows, asked = scaled(scaling, [list(X[i]) for i in learn], [list(X[i]) for i in ask])
    return model(rows, [known[i] for i in learn], asked, n_classes)
