"""The Relief family, of the package skrebate.

Tried with skrebate 0.8.4. The paper ran 0.61, where more than ten classes counted as a continuous target and could not
be told otherwise; here the kind of target is given, so movement_libras, arrhythmia, isolet and gcm are treated as what
they are.
"""

import numpy as np
from paper.competitors.selection import Missing, need, ranked

NEIGHBOURS = 20
"""Of ReliefF in the authors' script, or n - 1 where there are fewer samples; all else as skrebate has it."""


def relief(name, X, y, n_features, **parameters):
    """The ranking of one of skrebate's classes."""
    version = need("skrebate")
    try:
        import skrebate

        kind = "binary" if len(np.unique(y)) == 2 else "multiclass"
        method = getattr(skrebate, name)(n_features_to_select=n_features or X.shape[1], n_jobs=1, label_type=kind,
                                         **parameters)
    except (ImportError, TypeError, AttributeError) as error:
        raise Missing(f"skrebate {version} does not work with this NumPy and scikit-learn ({error}): "
                      "pip install 'skrebate>=0.8'") from error
    # fit changes X where all features are continuous
    return ranked(method.fit(X.copy(), y).feature_importances_, n_features)


def relieff(X, y, n_features, random_state):
    return relief("ReliefF", X, y, n_features, n_neighbors=min(NEIGHBOURS, len(y) - 1))


def surf(X, y, n_features, random_state):
    return relief("SURF", X, y, n_features)


def surf_star(X, y, n_features, random_state):
    return relief("SURFstar", X, y, n_features)


def multisurf(X, y, n_features, random_state):
    return relief("MultiSURF", X, y, n_features)


def multisurf_star(X, y, n_features, random_state):
    return relief("MultiSURFstar", X, y, n_features)
