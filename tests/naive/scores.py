"""Scores the slow way: pairs of rows counted one by one, fractions in place of floats, the logarithm of `math`."""

import math
from fractions import Fraction
from itertools import combinations


def mean(values, weights=None):
    """Of numbers, exactly where they are fractions; None of no numbers."""
    values = list(values)
    weights = [1] * len(values) if weights is None else weights
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights) if values else None


def auc(right, wrong):
    """The share of pairs in the right order, ties counting half; None without a pair."""
    pairs = [Fraction(1 if a > b else 0) + Fraction(a == b, 2) for a in right for b in wrong]
    return mean(pairs)


def average_precision(answers, mine):
    """Mean, over the rows of a class, of the precision among the rows with answers not below theirs; 0 without any."""
    shares = [Fraction(sum(own for other, own in zip(answers, mine, strict=True) if other >= answer),
                       sum(other >= answer for other in answers))
              for answer, own in zip(answers, mine, strict=True) if own]
    return mean(shares) or 0


def hits(name, predicted, labels, classes, positive):
    """Scores of predicted classes."""
    pairs = list(zip(predicted, labels, strict=True))
    right = {c: sum(p == t == c for p, t in pairs) for c in classes}
    taken, true = {c: predicted.count(c) for c in classes}, {c: labels.count(c) for c in classes}
    f1 = {c: Fraction(2 * right[c], taken[c] + true[c]) if taken[c] + true[c] else Fraction(0) for c in classes}
    if name == "accuracy":
        return mean(Fraction(p == t) for p, t in pairs)
    if name in ("uar", "balanced_accuracy"):
        return mean(Fraction(right[c], true[c]) for c in classes if true[c])
    if name == "f1":
        return f1[positive]
    if name == "f1_macro":
        return mean(f1[c] for c in classes if taken[c] + true[c])
    covariance = {(a, b): sum((p == c) * (t == c) for c in classes for p, t in zip(a, b, strict=True)) * len(labels)
                  - sum(a.count(c) * b.count(c) for c in classes)
                  for a, b in [(tuple(predicted), tuple(labels)), (tuple(predicted),) * 2, (tuple(labels),) * 2]}
    p, t = tuple(predicted), tuple(labels)
    product = covariance[p, p] * covariance[t, t]
    return covariance[p, t] / math.sqrt(product) if product else 0


def ranks(name, answers, labels, classes):
    """Scores of the order of the answers, of three classes or more."""
    counts = [labels.count(c) for c in classes]
    columns = [[row[c] for row in answers] for c in classes]
    if name == "average_precision":
        return mean(average_precision(columns[c], [label == c for label in labels]) for c in classes)

    def of(c, others):
        rows = list(zip(columns[c], labels, strict=True))
        return auc([a for a, label in rows if label == c], [a for a, label in rows if label in others])

    if "_ovr" in name:
        return mean((of(c, set(classes) - {c}) for c in classes), counts if "weighted" in name else None)
    pairs = list(combinations(classes, 2))
    return mean(((of(a, {b}) + of(b, {a})) / 2 for a, b in pairs),
                [counts[a] + counts[b] for a, b in pairs] if "weighted" in name else None)


def classes_score(name, answers, labels, positive, learnt, decisions):
    """A score of classes, as `value`."""
    classes = range(len(answers[0]))
    predicted = [row.index(max(row)) for row in answers]
    if name in ("uar", "balanced_accuracy", "accuracy", "f1", "f1_macro", "matthews_corrcoef"):
        return hits(name, predicted, labels, classes, positive)
    shares = [[min(max((a + 1) / 2, 0.0), 1.0) for a in row] if decisions else row for row in answers]
    brier = [sum((share - (c == label)) ** 2 for c, share in enumerate(row))
             for row, label in zip(shares, labels, strict=True)]
    if name == "soft_uar":
        losses = {c: mean(min(b / 2, 1.0) for b, label in zip(brier, labels, strict=True) if label == c)
                  for c in classes}
        return 1 - mean(loss for loss in losses.values() if loss is not None)
    known = [c for c in classes if learnt[c]]
    if len(classes) == 2:
        if len(known) < 2:
            return None
        if name == "neg_brier_score":
            return -mean(brier) / 2
        if name == "average_precision":
            return average_precision([row[positive] for row in answers], [label == positive for label in labels])
    if sorted(set(labels)) != known or len(known) < 2:
        return None
    if name == "neg_brier_score":
        return -mean(brier) / (2 if len(known) == 2 else 1)
    if name == "neg_log_loss":
        eps = 2.0**-52
        own = [(1 - row[1] if len(classes) == 2 and label == 0 else row[label])
               for row, label in zip(answers, labels, strict=True)]
        return mean(math.log(min(max(share, eps), 1 - eps)) for share in own)
    if len(classes) == 2:
        return auc(*([row[1] for row, label in zip(answers, labels, strict=True) if label == c] for c in (1, 0)))
    return None if name == "roc_auc" else ranks(name, answers, labels, known)


def target_score(name, answers, target):
    """A score of a regression, as `value`."""
    errors = [Fraction(a) - Fraction(t) for a, t in zip(answers, target, strict=True)]
    squared = mean(error * error for error in errors)
    if name == "neg_mean_squared_error":
        return -squared
    if name == "neg_root_mean_squared_error":
        return -math.sqrt(squared)
    if name == "neg_mean_absolute_error":
        return -mean(map(abs, errors))
    if len(target) < 2:
        return None
    centre = mean(map(Fraction, target))
    spread = mean((Fraction(t) - centre) ** 2 for t in target)
    return 1 - squared / spread if spread else Fraction(squared == 0)


def value(name, answers, labels=None, target=None, positive=1, learnt=None, decisions=False):
    """The score of answers, lists of numbers: float, NaN where it is not defined. Arguments as of the room."""
    if labels is None:
        found = target_score(name, [row[0] for row in answers], target)
    else:
        found = classes_score(name, answers, labels, positive, learnt or [1] * len(answers[0]), decisions)
    return math.nan if found is None else float(found)
