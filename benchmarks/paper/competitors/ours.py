"""moeliga itself, under the same interface."""

from paper.competitors.selection import Selection

from moeliga import MOELIGASelector

FIRST_FORM = {"honest": None, "rule": "r1", "islands": None, "population_size": 90, "n_generations": 300,
              "local_improvement": "parent"}
"""The defaults that the pages of evidence speak of: one search, scored and chosen by a tree."""


def search(preset, X, y, n_features, random_state, **parameters):
    """A search with a preset, one thread; the choice is R1, or with a size the best member up to it.

    `others` has the member with the best score and, where the front was scored again, the smallest within one standard
    error of it.
    """
    first = FIRST_FORM if preset == "default" else {}
    selector = MOELIGASelector.from_preset(preset, random_state=random_state or 0, n_jobs=1, **{**first, **parameters})
    selector.fit(X, y)
    return choice(selector.pareto_front_, n_features, selector.n_evaluations_)


def choice(front, n_features, evaluations):
    """`Selection` from a front."""
    index = front.choose("r1") if n_features is None else front.choose("best", max_features=n_features)
    rules = ("best",) if front.score_se[0] != front.score_se[0] else ("best", "one_se")
    others = {} if n_features else {rule: front.supports[front.choose(rule)] for rule in rules}
    return Selection(front.supports[index].copy(), evaluations=evaluations, others=others,
                     in_search=float(front.search_objectives[index, front.primary]), note=f"front of {len(front)}")


def default(X, y, n_features, random_state, **parameters):
    return search("default", X, y, n_features, random_state, **parameters)


def paper(X, y, n_features, random_state, **parameters):
    return search("paper", X, y, n_features, random_state, **parameters)
