"""What must be an error: `mypy --strict` complains of every line that has none, and of every other kind of error.

Nothing here is run.
"""

import numpy as np
from numpy.typing import NDArray

from moeliga import (
    MOGA,
    Cardinality,
    Checkpoint,
    Constraints,
    ConvergenceDisplay,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    FeatureCost,
    FeatureFrequencyDisplay,
    FeaturePrior,
    FitnessSharing,
    Islands,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    OptimismReport,
    ParetoFront,
    ParetoFrontDisplay,
    PrintProgress,
    ProgressBar,
    Separability,
    StabilityDisplay,
    StaggeredInit,
    Variation,
    evaluate_subsets,
    optimism_report,
    pareto_rank,
    separability,
    shared_fitness,
    show_versions,
    stability_report,
    stop_on,
    write_report,
)
from moeliga.search.state import State

X: NDArray[np.float64] = np.zeros((60, 6))
y: NDArray[np.int64] = np.zeros(60, dtype=np.int64)


def misuse_parameters() -> None:
    MOELIGASelector("tree")  # type: ignore[arg-type]
    MOELIGASelector(DecisionTreeClassifier)  # type: ignore[arg-type]
    MOELIGASelector(None, "f1_macro")  # type: ignore[call-arg]
    MOELIGASelector(n_generation=10)  # type: ignore[call-arg]
    MOELIGASelector(scoring=3)  # type: ignore[arg-type]
    MOELIGASelector(scoring=lambda estimator: 1.0)  # type: ignore[arg-type]
    MOELIGASelector(cv="5")  # type: ignore[arg-type]
    MOELIGASelector(cv=[np.arange(60)])  # type: ignore[list-item]
    MOELIGASelector(evaluation="all")  # type: ignore[arg-type]
    MOELIGASelector(evaluation=Evaluation)  # type: ignore[arg-type]
    MOELIGASelector(objectives="uar")  # type: ignore[arg-type]
    MOELIGASelector(objectives=("uar", "size"))  # type: ignore[arg-type]
    MOELIGASelector(objectives=("uar", Cardinality))  # type: ignore[arg-type]
    MOELIGASelector(objectives=(lambda mask: 1.0,))  # type: ignore[arg-type, misc]
    MOELIGASelector(archive="yes")  # type: ignore[arg-type]
    MOELIGASelector(islands=3)  # type: ignore[arg-type]
    MOELIGASelector(survival="nsga3")  # type: ignore[arg-type]
    MOELIGASelector(survival=None)  # type: ignore[arg-type]
    MOELIGASelector(init="random")  # type: ignore[arg-type]
    MOELIGASelector(init=StaggeredInit)  # type: ignore[arg-type]
    MOELIGASelector(variation="three_point")  # type: ignore[arg-type]
    MOELIGASelector(feature_prior="anova")  # type: ignore[arg-type]
    MOELIGASelector(feature_prior=FeaturePrior)  # type: ignore[arg-type]
    MOELIGASelector(variation=FitnessSharing())  # type: ignore[arg-type]
    MOELIGASelector(local_improvement="parents")  # type: ignore[arg-type]
    MOELIGASelector(constraints={"exclude": ["a"]})  # type: ignore[arg-type]
    MOELIGASelector(max_features="2")  # type: ignore[arg-type]
    MOELIGASelector(rule="r2")  # type: ignore[arg-type]
    MOELIGASelector(rule=lambda front: "first")  # type: ignore[arg-type, return-value]
    MOELIGASelector(max_time="1 h")  # type: ignore[arg-type]
    MOELIGASelector(checkpoint=b"search.npz")  # type: ignore[arg-type]
    MOELIGASelector(callbacks=PrintProgress)  # type: ignore[arg-type]
    MOELIGASelector(callbacks="print")  # type: ignore[arg-type]
    MOELIGASelector(verbose="yes")  # type: ignore[arg-type]
    MOELIGASelector(random_state=0.5)  # type: ignore[arg-type]
    MOELIGASelector(n_jobs="all")  # type: ignore[arg-type]


def misuse_selector(selector: MOELIGASelector) -> None:
    MOELIGASelector.from_preset("papers")  # type: ignore[arg-type]
    selector.fit(X)  # type: ignore[call-arg]
    selector.fit(object(), y)  # type: ignore[arg-type]
    selector.estimate_time(X)  # type: ignore[call-arg]
    selector.select("biggest")  # type: ignore[arg-type]
    selector.select("best", 3)  # type: ignore[call-arg]
    selector.select(n_features="3")  # type: ignore[arg-type]
    selector.set_callbacks(print)  # type: ignore[arg-type]
    selector.get_support("indices")  # type: ignore[call-overload]
    selector.transform(object())  # type: ignore[call-overload]
    selector.inverse_transform()  # type: ignore[call-overload]
    selector.set_output(transform="numpy")  # type: ignore[call-overload]
    selector.set_output("pandas")  # type: ignore[call-overload]
    selector.predict(X)  # type: ignore[attr-defined]
    selector.pareto_front.choose()  # type: ignore[attr-defined]
    selector.support.sum()  # type: ignore[attr-defined]
    selector.history_[0]  # type: ignore[call-overload]
    selector.index_ = "first"  # type: ignore[assignment]


def misuse_front(front: ParetoFront) -> None:
    front.choose("biggest")  # type: ignore[arg-type]
    front.choose("best", 3)  # type: ignore[call-arg]
    front.choose(max_cost="cheap")  # type: ignore[arg-type]
    front.features("a")  # type: ignore[arg-type]
    front.to_csv()  # type: ignore[call-arg]
    front.to_csv("front.csv", 0)  # type: ignore[call-arg]
    front.to_json("front.json").splitlines()  # type: ignore[attr-defined]
    front.to_json(3)  # type: ignore[call-overload]
    front.cost[0]  # type: ignore[index]
    front.scores.max()  # type: ignore[attr-defined]
    front.r1 = front.score  # type: ignore[misc]
    ParetoFront()  # type: ignore[call-arg]
    ParetoFront.from_json(3)  # type: ignore[arg-type]


def misuse_settings() -> None:
    Cardinality(lambda_="0.5")  # type: ignore[arg-type]
    Cardinality().values("abc", 3)  # type: ignore[arg-type]
    FeatureCost(2.0)  # type: ignore[call-arg]
    Constraints(must_include="age")  # type: ignore[arg-type]
    Constraints(exclude=np.zeros(3))  # type: ignore[arg-type]
    Constraints(exclude={"a", "b"})  # type: ignore[arg-type]
    Constraints(exclude=[0.5])  # type: ignore[arg-type]
    Constraints(groups="aab")  # type: ignore[arg-type]
    Constraints(groups={"a": 1.5})  # type: ignore[arg-type]
    Constraints(costs="cheap")  # type: ignore[arg-type]
    Constraints(costs=["1"])  # type: ignore[list-item]
    Constraints(encode="ordinal")  # type: ignore[arg-type]
    Constraints(min_features=None)  # type: ignore[arg-type]
    Evaluation(n_splits=2.5)  # type: ignore[arg-type]
    Evaluation(validation_size="30 %")  # type: ignore[arg-type]
    Evaluation(split_mode="population")  # type: ignore[arg-type]
    Evaluation(reevaluate=True)  # type: ignore[arg-type]
    Evaluation(n_rescore_splits=None)  # type: ignore[arg-type]
    Evaluation(subsample="half")  # type: ignore[arg-type]
    Islands("three")  # type: ignore[arg-type]
    Islands(every=None)  # type: ignore[arg-type]
    MOGA(n_elite="front")  # type: ignore[arg-type]
    MOGA(selection="ranking")  # type: ignore[arg-type]
    MOGA(sharing="niches")  # type: ignore[arg-type]
    Separability(samples="all")  # type: ignore[arg-type]
    Separability(sample=0.5)  # type: ignore[call-arg]
    StaggeredInit(fractions=0.5)  # type: ignore[arg-type]
    LogUniformInit(largest="all")  # type: ignore[arg-type]
    LogUniformInit(subsets="abc")  # type: ignore[arg-type]
    StaggeredInit(subsets=["abc"])  # type: ignore[list-item]
    FeaturePrior(share="half")  # type: ignore[arg-type]
    Variation(crossover="two-point")  # type: ignore[arg-type]
    Variation(mutation="gene")  # type: ignore[arg-type]
    Variation(schedule="linear")  # type: ignore[arg-type]
    Variation(schedule=(10.0,))  # type: ignore[arg-type]
    FitnessSharing(mode="clusters")  # type: ignore[arg-type]
    FitnessSharing(space="decisions")  # type: ignore[arg-type]
    FitnessSharing(rank_normalisation=None)  # type: ignore[arg-type]
    LocalImprovement(replacement="PR")  # type: ignore[arg-type]
    LocalImprovement(every=2.5)  # type: ignore[arg-type]
    Checkpoint()  # type: ignore[call-arg]
    Checkpoint("search.npz", every="10")  # type: ignore[arg-type]


def misuse_trees(classifier: DecisionTreeClassifier, regressor: DecisionTreeRegressor) -> None:
    DecisionTreeClassifier(3)  # type: ignore[call-arg]
    DecisionTreeClassifier(max_depth="3")  # type: ignore[arg-type]
    DecisionTreeClassifier(criterion="gini")  # type: ignore[call-arg]
    classifier.fit(X)  # type: ignore[call-arg]
    classifier.fit(X, y, np.ones(60))  # type: ignore[call-arg]
    classifier.transform(X)  # type: ignore[attr-defined]
    classifier.values_.max()  # type: ignore[attr-defined]
    regressor.predict_proba(X)  # type: ignore[attr-defined]
    regressor.classes_.tolist()  # type: ignore[attr-defined]


def misuse_building_blocks() -> None:
    evaluate_subsets(X, y)  # type: ignore[call-arg]
    evaluate_subsets(X, y, np.eye(6), 3)  # type: ignore[call-arg]
    evaluate_subsets(X, y, np.eye(6), estimator=DecisionTreeClassifier)  # type: ignore[arg-type]
    separability(X)  # type: ignore[call-arg]
    separability(X, y, neighbours="ten")  # type: ignore[arg-type]
    pareto_rank(X, y)  # type: ignore[call-arg]
    shared_fitness(X, mode="sharing")  # type: ignore[arg-type]
    shared_fitness(X, space=None)  # type: ignore[arg-type]
    show_versions(True)  # type: ignore[call-arg]
    stop_on(2)  # type: ignore[arg-type]
    stop_on("SIGTERM").__enter__().close()  # type: ignore[attr-defined]


def misuse_reports(selector: MOELIGASelector, report: OptimismReport) -> None:
    optimism_report(DecisionTreeClassifier(), X, y)  # type: ignore[arg-type]
    optimism_report(selector, X, y, X, y)  # type: ignore[call-arg]
    report.chosen + 1  # type: ignore[operator]
    report.n_permutations = 3  # type: ignore[misc]
    stability_report(selector, X, y, resample="jackknife")  # type: ignore[arg-type]
    stability_report(selector, X, y, rule="biggest")  # type: ignore[arg-type]
    write_report(selector)  # type: ignore[call-arg]
    write_report(selector, "report.html", X, y)  # type: ignore[call-arg]


def misuse_displays(selector: MOELIGASelector) -> None:
    ParetoFrontDisplay.from_selector(selector.pareto_front_)  # type: ignore[arg-type]
    ParetoFrontDisplay.from_selector(selector, axes="score")  # type: ignore[arg-type]
    ParetoFrontDisplay.from_selector(selector, axes=("score",))  # type: ignore[arg-type]
    ParetoFrontDisplay([1], [0.8], n_features=3)  # type: ignore[call-arg]
    ConvergenceDisplay.from_selector(selector, against="time")  # type: ignore[arg-type]
    ConvergenceDisplay(selector.history_)  # type: ignore[call-arg]
    FeatureFrequencyDisplay("ab", [0.5, 1.0], chosen=[True, False], n_members=4)  # type: ignore[arg-type]
    StabilityDisplay.from_selector(selector, X, y, n_run=3)  # type: ignore[call-arg]
    StabilityDisplay(selector)  # type: ignore[arg-type]


def misuse_callbacks(state: State) -> None:
    PrintProgress(sizes="3")  # type: ignore[arg-type]
    PrintProgress("log.txt")  # type: ignore[arg-type]
    ProgressBar(3)  # type: ignore[arg-type]
    state.generation = 3  # type: ignore[misc]
    state.row["front_size"].hex()  # type: ignore[attr-defined]
    state.best_score(5) + 0.1  # type: ignore[operator]
    state.score.max()  # type: ignore[attr-defined]
