"""Several deployed models for one fit: searches and candidates do not depend on the model, only the answers do."""

from copy import copy
from dataclasses import replace

import numpy as np

from moeliga.data.problem import Problem
from moeliga.results.honesty import Honesty
from moeliga.validation.deployed import Deployed


def with_model(selector, X, y, model):
    """Return the fit that the selector would have made with another deployed model, bit for bit, without a search.

    Parameters
    ----------
    selector : MOELIGASelector, fitted to X and y, with honest scores
        Its searches are guided by what guides those of the other one: a tree of this package as the model would differ
        from that in its depth.
    X : ndarray of float, shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    model : classifier

    Returns
    -------
    other : MOELIGASelector
        Its `baselines_` are those of the first model.
    """
    known, found = selector._answers, []
    deployed = deployed_of(selector, X, y, model)
    for fold in range(known.n_folds):
        test = known.rows[known.fold == fold]
        masks = np.array([selector.fold_supports_[slot][fold] for slot in known.slots])
        found.append(deployed.answers_for(masks, np.setdiff1d(np.arange(len(y)), test), test, fold))
    other = copy(selector)
    other.estimator = model
    methods = set.intersection(*map(set, found))
    other._answers = replace(known, answers={method: np.concatenate([answers[method] for answers in found], axis=1)
                                             for method in methods})
    other.pareto_front_ = front = copy(selector.pareto_front_)
    scored, lacking = other._answers.honesty, selector._slots < 0
    front.honest = Honesty(np.where(lacking, np.nan, scored.score[selector._slots]),
                           np.where(lacking[:, None], np.nan, scored.folds[selector._slots]), scored.share)
    return other.select()


def deployed_of(selector, X, y, model):
    """Return the model as it is asked in the selector's fit: Deployed."""
    known = selector._answers
    return Deployed(model, Problem.from_data(X, y, False), known.metadata, known.seed, selector.n_jobs,
                    len(known.answers) > 1)


def subsets_of(selector):
    """Return the subset of each slot by the search on all samples: ndarray of bool, shape (n_slots, n_features)."""
    front, baselines, found = selector.pareto_front_, selector.baselines_, []
    for place, slot in enumerate(selector._answers.slots):
        if slot.source == "search":
            supports = front.supports[selector._slots == place]
        else:
            sizes = baselines.n_selected
            supports = baselines.supports[(baselines.source == slot.source) & (slot.least <= sizes)
                                          & (sizes <= slot.most)]
        found.append(supports[0] if len(supports) else np.zeros(selector.n_features_in_, dtype=bool))
    return np.array(found)
