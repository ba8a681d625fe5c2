"""Linear judges the slow way: NumPy's solvers on whole matrices; answers as `_ext/kernels/judges/types.h` has them."""

import numpy as np


def table_of(values, present, n_classes, absent):
    """Columns of the classes that have rows, and `absent` for the others."""
    table = np.full((len(values), n_classes), absent)
    table[:, present] = values
    return table


def weights_of(labels, balanced):
    """Of each row: the number of rows over (the number of classes times the rows of its class)."""
    present, counts = np.unique(labels, return_counts=True)
    weights = len(labels) / (len(present) * counts) if balanced else np.ones(len(present))
    return weights[np.searchsorted(present, labels)]


def ridge(learn, known, ask, n_classes, alpha=1.0, intercept=True, balanced=False):
    """Decision values of RidgeClassifier, one class against the others, or for `n_classes` None what Ridge predicts:
    least squares with rows of sqrt(alpha) times the identity below."""
    X, A, known = np.array(learn), np.array(ask), np.asarray(known)
    present = [0] if n_classes is None else np.unique(known)
    Y = known[:, None] if n_classes is None else np.where(known[:, None] == present, 1.0, -1.0)
    weights = np.ones(len(X)) if n_classes is None else weights_of(known, balanced)
    means = [np.average(part, axis=0, weights=weights) if intercept else 0.0 for part in (X, Y)]
    rows = np.vstack([(X - means[0]) * np.sqrt(weights)[:, None], np.sqrt(alpha) * np.eye(X.shape[1])])
    targets = np.vstack([(Y - means[1]) * np.sqrt(weights)[:, None], np.zeros((X.shape[1], Y.shape[1]))])
    values = (A - means[0]) @ np.linalg.lstsq(rows, targets, rcond=1e-12)[0] + means[1]
    return values if n_classes is None else table_of(values, present, n_classes, -np.inf)


def ledoit_wolf(rows):
    """The shrunken covariance of rows: the mean squared error of each product, by all products of all rows."""
    n, k = rows.shape
    scale = rows.std(axis=0)
    scale[scale == 0] = 1.0
    Z = (rows - rows.mean(axis=0)) / scale
    covariance = Z.T @ Z / n
    target = np.trace(covariance) / k * np.eye(k)
    distance = np.sum((covariance - target) ** 2)
    error = sum(np.sum((np.outer(z, z) - covariance) ** 2) for z in Z) / n**2
    shrinkage = min(error, distance) / distance if distance > 0 and k > 1 else 0.0
    return scale[:, None] * ((1 - shrinkage) * covariance + shrinkage * target) * scale


def discriminant(learn, labels, ask, n_classes, shrinkage=0.0, tolerance=1e-4, fewer=False):
    """Probabilities of normal classes with one covariance; shrinkage None: that of the svd solver, which leaves out
    directions of small singular values of what is standardised within classes; `fewer`: divided by the rows less the
    classes."""
    X, A, labels = np.array(learn), np.array(ask), np.asarray(labels)
    present, counts = np.unique(labels, return_counts=True)
    means = np.array([X[labels == c].mean(axis=0) for c in present])
    priors = counts / len(X)
    within = X - means[np.searchsorted(present, labels)]
    if shrinkage is None:
        spread = within.std(axis=0)
        spread[spread < 1e-12 * np.abs(X).max(axis=0)] = np.inf
        _, values, vectors = np.linalg.svd(within / spread / np.sqrt(len(X)), full_matrices=False)
        values *= np.sqrt(len(X) / (len(X) - fewer * len(present)))
        root = (vectors / spread)[values > tolerance] / values[values > tolerance, None]
        inverse = root.T @ root
    elif shrinkage == "auto":
        inverse = np.linalg.inv(sum(p * ledoit_wolf(X[labels == c]) for p, c in zip(priors, present, strict=True)))
    else:
        covariance = within.T @ within / len(X)
        inverse = np.linalg.inv((1 - shrinkage) * covariance + shrinkage * np.trace(covariance) / X.shape[1] * np.eye(
            X.shape[1]))
    away = A[:, None, :] - means
    values = np.log(priors) - 0.5 * np.einsum("icf,fg,icg->ic", away, inverse, away)
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    return table_of(shares / shares.sum(axis=1, keepdims=True), present, n_classes, 0.0)


def descend(objective, start, n_steps=200):
    """The minimum of a smooth convex function, by Newton's method with halved steps.

    objective : function of x, to (value, gradient, Hessian)
    """
    x = start
    for _ in range(n_steps):
        value, gradient, hessian = objective(x)
        step = -np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
        if -gradient @ step < 1e-17 * (1 + abs(value)):  # twice what is missing to the minimum
            break
        length = 1.0
        while length > 1e-9 and objective(x + length * step)[0] > value + 1e-4 * length * (gradient @ step):
            length /= 2
        if length <= 1e-9:
            break
        x = x + length * step
    return x


def logistic(learn, labels, ask, n_classes, strength=1.0, intercept=True, balanced=False):
    """Probabilities of LogisticRegression with C = `strength`: the whole Hessian of all logits."""
    X, A, labels = np.array(learn), np.array(ask), np.asarray(labels)
    present, weights = np.unique(labels), weights_of(labels, balanced)
    free = present[1:] if len(present) == 2 else present  # of two classes the first one's logit is 0
    Z, asked = (np.hstack([part, np.ones((len(part), 1))]) if intercept else part for part in (X, A))
    k, width = X.shape[1], Z.shape[1]
    penalty = np.tile(np.arange(width) < k, len(free)) / strength
    hits = (labels[:, None] == free).astype(float)

    def shares_of(theta, rows):
        values = rows @ theta.reshape(len(free), width).T
        values = np.hstack([np.zeros((len(rows), len(present) - len(free))), values])
        values -= values.max(axis=1, keepdims=True)
        shares = np.exp(values)
        return shares / shares.sum(axis=1, keepdims=True)

    def objective(theta):
        shares = shares_of(theta, Z)
        value = -weights @ np.log(shares[np.arange(len(Z)), np.searchsorted(present, labels)])
        shares = shares[:, -len(free):]
        gradient = ((shares - hits) * weights[:, None]).T @ Z
        hessian = np.zeros((len(free), width, len(free), width))
        for a in range(len(free)):
            for b in range(len(free)):
                factor = weights * shares[:, a] * ((a == b) - shares[:, b])
                hessian[a, :, b] = (Z * factor[:, None]).T @ Z
        size = len(theta)
        return (value + 0.5 * theta @ (penalty * theta), gradient.ravel() + penalty * theta,
                hessian.reshape(size, size) + np.diag(penalty))

    theta = descend(objective, np.zeros(len(free) * width))
    return table_of(shares_of(theta, asked), present, n_classes, 0.0)


def svm(learn, labels, ask, n_classes, cost=1.0, scaling=1.0, intercept=True, balanced=False):
    """Decision values of LinearSVC: each class against the others, whose rows have weight 1, but with two classes."""
    X, A, labels = np.array(learn), np.array(ask), np.asarray(labels)
    present, weights = np.unique(labels), weights_of(labels, balanced)
    Z, asked = (np.hstack([part, np.full((len(part), 1), scaling)]) if intercept else part for part in (X, A))
    values = []
    for c in present[1:] if len(present) == 2 else present:
        sign = np.where(labels == c, 1.0, -1.0)
        costs = cost * np.where((labels == c) | (len(present) == 2), weights, 1.0)

        def objective(theta, sign=sign, costs=costs):
            short = np.maximum(1.0 - sign * (Z @ theta), 0.0)
            active = Z[short > 0] * costs[short > 0, None]
            return (0.5 * theta @ theta + costs @ short**2, theta - 2 * Z.T @ (costs * sign * short),
                    np.eye(Z.shape[1]) + 2 * active.T @ Z[short > 0])

        values.append(asked @ descend(objective, np.zeros(Z.shape[1])))
    values = [-values[0], values[0]] if len(present) == 2 else values
    return table_of(np.array(values).T, present, n_classes, -np.inf)
