"""What users write, with the types that they get back: `mypy --strict tests/typed/uses.py` finds nothing to say.

`tests/project/test_typed.py` also runs every function here, and looks whether the values are of these types.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, assert_type

import numpy as np
from numpy.typing import ArrayLike, NDArray

import moeliga
from moeliga import (
    MOGA,
    Cardinality,
    Checkpoint,
    Constraints,
    ConvergenceDisplay,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    FeatureCost,
    FeatureFrequencyDisplay,
    FeaturePrior,
    FitnessSharing,
    Islands,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    NoLoss,
    OptimismDisplay,
    OptimismReport,
    ParetoFront,
    ParetoFrontDisplay,
    PrintProgress,
    ProgressBar,
    RandomForestClassifier,
    RandomForestRegressor,
    Separability,
    StabilityDisplay,
    StabilityReport,
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
from moeliga.results.assessment import Assessment
from moeliga.results.summary import Summary
from moeliga.search.state import State
from moeliga.search.time_estimate import TimeEstimate
from moeliga.validation.candidates import Slot

X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(60, 6))
target: NDArray[np.float64] = X[:, 0] + X[:, 1]
y: NDArray[np.int64] = (target > 0).astype(np.int64)
names = ["a", "b", "c", "d", "e", "f"]
rows: list[list[float]] = X.tolist()
labels: list[int] = y.tolist()


class Table:
    """As much of a data frame as NumPy and scikit-learn need; those of pandas may have no types."""

    def __init__(self) -> None:
        self.shape = X.shape

    def __len__(self) -> int:
        return len(X)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.float64]:
        return X if dtype is None else X.astype(dtype)


class Stump(DecisionTreeClassifier):
    """A classifier of the user's own, whose `fit` takes weights."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return super().fit(X, y)


class Halves:
    """A splitter of the user's own."""

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        return 2

    def split(self, X: NDArray[np.float64], y: object = None,
              groups: object = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        rows = np.arange(len(X))
        yield rows[::2], rows[1::2]
        yield rows[1::2], rows[::2]


class Diary:
    """A callback of scikit-learn's protocol."""

    def setup(self, estimator: MOELIGASelector, context: Any) -> None:
        pass

    def on_fit_task_begin(self, estimator: MOELIGASelector, context: Any) -> None:
        pass

    def on_fit_task_end(self, estimator: MOELIGASelector, context: Any, *, fitted_estimator: MOELIGASelector) -> None:
        if context.task_name == "generation":
            assert_type(fitted_estimator.support_, NDArray[np.bool_])

    def teardown(self, estimator: MOELIGASelector, context: Any) -> None:
        pass


def agreement(estimator: DecisionTreeClassifier, X: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """A scorer."""
    return float((estimator.predict(X) == y).mean())


def spread(mask: NDArray[np.bool_], X: NDArray[np.float64], y: NDArray[np.int64]) -> np.float64:
    """An objective."""
    return np.float64(X[:, mask].std())


def smallest(front: ParetoFront) -> int:
    """A rule."""
    return int(front.n_selected.argmin())


def watch(state: State) -> bool:
    """A callback, which stops the search if it returns True."""
    assert_type(state.generation, int)
    assert_type(state.n_generations, int)
    assert_type(state.row["best_score"], float)
    assert_type(state.row["front_size"], int)
    assert_type(state.supports, NDArray[np.bool_])
    assert_type(state.objectives, NDArray[np.float64])
    assert_type(state.best_score(3), float | None)
    assert_type(state.evaluations_per_second, float)
    assert_type(state.seconds_left, float)
    row: dict[str, float] = state.row
    return row["hypervolume"] > 2.0


def small() -> MOELIGASelector:
    """A search that takes no time."""
    return MOELIGASelector(n_generations=1, population_size=12, evaluation=Evaluation(n_rescore_splits=2),
                           honest=None, islands=None, random_state=0)


def fitted() -> MOELIGASelector:
    return small().fit(X, y)


def use_version(folder: Path) -> None:
    assert_type(moeliga.__version__, str)
    assert_type(show_versions(), None)


def use_selector(folder: Path) -> None:
    selector = small()
    assert_type(selector, MOELIGASelector)
    assert_type(selector.fit(X, y), MOELIGASelector)
    assert_type(selector.fit(rows, labels), MOELIGASelector)
    assert_type(selector.estimate_time(X, y), TimeEstimate)
    assert_type(selector.select("best"), MOELIGASelector)
    assert_type(selector.select(smallest), MOELIGASelector)
    assert_type(selector.select(lambda front: front.score.argmax()), MOELIGASelector)
    assert_type(selector.select(max_features=np.int64(6)), MOELIGASelector)
    assert_type(selector.select(index=0), MOELIGASelector)
    assert_type(selector.set_callbacks(Diary()), MOELIGASelector)
    assert_type(selector.fit(X, y), MOELIGASelector)
    assert_type(selector.get_params(), dict[str, Any])
    assert_type(selector.set_params(n_generations=2, estimator__max_depth=3, estimator=DecisionTreeClassifier()),
                MOELIGASelector)
    selector.get_metadata_routing()
    assert_type(MOELIGASelector.from_preset("paper", n_generations=1, random_state=0), MOELIGASelector)
    assert_type(MOELIGASelector.from_preset("default", evaluation__n_splits=5), MOELIGASelector)


def use_estimate(folder: Path) -> None:
    estimate = small().estimate_time(X, y)
    assert_type(estimate.seconds, float)
    assert_type(estimate.n_evaluations, int)
    assert_type(estimate.n_measured, int)
    assert_type(estimate.seconds_measured, float)
    assert_type(float(estimate), float)
    assert_type(str(estimate), str)


def use_fitted_attributes(folder: Path) -> None:
    selector = fitted()
    assert_type(selector.pareto_front_, ParetoFront)
    assert_type(selector.initial_front_, ParetoFront)
    assert_type(selector.support_, NDArray[np.bool_])
    assert_type(selector.index_, int)
    assert_type(selector.history_["generation"], NDArray[np.int64])
    assert_type(selector.history_["n_evaluations"], NDArray[np.int64])
    assert_type(selector.history_["hypervolume"], NDArray[np.float64])
    assert_type(selector.history_["median_size"], NDArray[np.float64])
    history: dict[str, NDArray[Any]] = selector.history_
    for name, column in history.items():
        assert_type(name, str)
        assert_type(column, NDArray[Any])
    assert_type(selector.initial_survival_, NDArray[np.int64])
    assert_type(selector.stop_reason_, str)
    assert_type(selector.n_evaluations_, int)
    assert_type(selector.classes_, NDArray[Any])
    assert_type(selector.n_features_in_, int)


def use_honest_scores(folder: Path) -> None:
    selector = small().set_params(honest=2, estimator=Stump()).fit(X, y)
    assert_type(selector.baselines_, ParetoFront)
    assert_type(selector.honest_score_, float)
    assert_type(selector.honest_interval_, tuple[float, float])
    assert_type(selector.fold_supports_, dict[Slot, NDArray[np.bool_]])
    assert_type(selector.feature_frequency_, NDArray[np.float64])
    assert_type(selector.ranking_, NDArray[np.int64])
    assert_type(selector.pareto_front_.honest_score, NDArray[np.float64])
    assert_type(selector.pareto_front_.honest_se, NDArray[np.float64])
    assert_type(selector.pareto_front_.worth, NDArray[np.float64])
    assert_type(selector.pareto_front_.dominated, NDArray[np.bool_])
    found = selector.assess(NoLoss(margin=0.5, must_reduce=True), max_features=np.int64(4))
    assert_type(found, Assessment)
    assert_type(found.index, int)
    assert_type(found.interval, tuple[float, float])
    summary = selector.summary()
    assert_type(summary, Summary)
    assert_type(summary.rows, list[dict[str, Any]])
    assert_type(summary.sentences, list[str])
    MOELIGASelector(honest=[(np.arange(40), np.arange(40, 60))], rule=NoLoss())
    MOELIGASelector(honest=Halves(), islands=Islands(judges=[Stump()]))


def use_transformer(folder: Path) -> None:
    selector = fitted()
    assert_type(selector.get_support(), NDArray[np.bool_])
    assert_type(selector.get_support(indices=False), NDArray[np.bool_])
    assert_type(selector.get_support(indices=True), NDArray[np.intp])
    assert_type(selector.get_feature_names_out(), NDArray[np.object_])
    assert_type(selector.get_feature_names_out(names), NDArray[np.object_])
    assert_type(selector.transform(X), NDArray[np.float64])
    assert_type(selector.transform(X.astype(np.float32)), NDArray[np.float32])
    assert_type(selector.transform(rows), NDArray[Any])
    assert_type(selector.transform([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), NDArray[Any])
    assert_type(selector.transform(Table()), NDArray[Any])
    assert_type(selector.inverse_transform(selector.transform(X)), NDArray[np.float64])
    chosen: list[list[float]] = selector.transform(X).tolist()
    assert_type(selector.inverse_transform(chosen), NDArray[Any])
    assert_type(small().fit_transform(X, y), NDArray[np.float64])
    assert_type(small().fit_transform(rows, labels), NDArray[Any])
    assert_type(selector.set_output(transform="default"), MOELIGASelector)
    assert_type(selector.set_output(), MOELIGASelector)
    frames = fitted().set_output(transform="pandas")
    same: MOELIGASelector = frames
    assert_type(same.support_, NDArray[np.bool_])
    assert_type(frames.fit(X, y).support_, NDArray[np.bool_])
    assert_type(frames.get_support(), NDArray[np.bool_])


def use_frames(folder: Path) -> None:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

    table: Any = pandas.DataFrame(X, columns=names)
    selector = small().set_output(transform="pandas").fit(table, table["a"] > 0)
    assert_type(selector.transform(table), Any)
    assert_type(small().set_output(transform="pandas").fit_transform(table, y), Any)
    assert_type(selector.feature_names_in_, NDArray[np.object_])
    assert_type(selector.pareto_front_.feature_names, NDArray[np.str_] | NDArray[np.object_])
    assert_type(selector.pareto_front_.to_frame(), Any)


def use_parameters(folder: Path) -> None:
    selector = MOELIGASelector(
        DecisionTreeClassifier(max_depth=4),
        scoring=None,
        cv=None,
        honest=None,
        rule="knee",
        objectives=("uar", Cardinality(lambda_=None), "cost", Separability(samples=20), spread),
        evaluation=Evaluation(n_splits=2, validation_size=0.25, split_mode="generation", reevaluate="average",
                              n_rescore_splits=2, subsample=0.5),
        max_features=None,
        constraints=Constraints(must_include=["x0"], exclude=None, groups=None, costs=[1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
                                min_features=1, encode=None),
        population_size=12,
        n_generations=1,
        islands=Islands(n=2, sizes=None, judges=None, every=np.int64(1)),
        survival=MOGA(n_elite=2, generation_gap=2, selection="tournament", tournament_size=2,
                      sharing=FitnessSharing(mode="niche", sigma=0.1)),
        init=StaggeredInit(fractions=(0.5, 0.5), rates=[0.2, 0.5], subsets=[
            ["x0", "x1"], [0, 3], X[0] > 0, [True, False, False, False, False, True], fitted()]),
        variation=Variation(crossover="uniform", schedule=(10.0, 0.1)),
        feature_prior=FeaturePrior(share=1),
        local_improvement=LocalImprovement(n_populations=1, population_size=10, n_generations=1, every=1),
        archive=False,
        max_time=60.0,
        max_evaluations=1000,
        patience=5,
        checkpoint=folder / "search.npz",
        callbacks=[watch, PrintProgress(sizes=(2,)), lambda state: state.generation > 5],
        verbose=0,
        random_state=np.int64(0),
        n_jobs=1,
    )
    assert_type(selector.fit(X, y).pareto_front_.cost, NDArray[np.float64] | None)
    assert_type(selector.archive, bool | np.bool_)
    assert_type(selector.population_size, int | np.integer[Any])
    assert_type(selector.evaluation, Evaluation | None)


def use_short_forms(folder: Path) -> None:
    MOELIGASelector(variation="two_point", survival=MOGA(sharing=None), local_improvement="selection",
                    init="staggered", checkpoint="search.npz", callbacks=watch, rule=smallest,
                    random_state=np.random.default_rng(0))
    MOELIGASelector(survival=MOGA(sharing="mean_distance"), local_improvement=None,
                    checkpoint=Checkpoint("search.npz", every=5), random_state=np.random.RandomState(0), verbose=True)
    MOELIGASelector(objectives=["uar"], max_features=np.int64(3), constraints=Constraints(
        must_include=["a"], exclude=np.array([4, 5]), costs=np.ones(6), groups=["x", "x", None, "z", "z", "z"]))
    MOELIGASelector(constraints=Constraints((0, 1), exclude=names[4:], groups=[["a", "b"], ["c", "d"]]),
                    init=LogUniformInit(subsets=fitted().pareto_front_.supports))
    MOELIGASelector(constraints=Constraints(groups={"first": ["a", "b"], "second": ["c", "d"]}), callbacks=(watch,))
    MOELIGASelector(survival="moga", evaluation=Evaluation(reevaluate="none"), init="log_uniform",
                    feature_prior="mutual_info_classif", variation=Variation(mutation="chromosome"),
                    local_improvement="complete")
    MOELIGASelector(survival="nsga2", evaluation=Evaluation(subsample=np.int64(40)), islands=Islands(3, None))
    MOELIGASelector(constraints=Constraints(encode="onehot"))
    MOELIGASelector(constraints=Constraints(groups={1: [0, 1], 2: [2, 3]}, exclude=[]), callbacks=[],
                    init=StaggeredInit(subsets=[]))


def use_signals(folder: Path) -> None:
    with stop_on("SIGINT", "SIGTERM") as nothing:
        assert_type(nothing, None)
        assert_type(fitted().stop_reason_, str)


def use_other_estimators(folder: Path) -> None:
    selector = small().set_params(islands=Islands(sizes=None, judges=[Stump()]), scoring=agreement, cv=Halves())
    assert_type(selector.fit(X, y, sample_weight=np.ones(len(y))), MOELIGASelector)
    MOELIGASelector(Stump(), scoring=agreement, cv=Halves())
    MOELIGASelector(Stump(), scoring="f1_macro", cv=3)
    MOELIGASelector(Stump(), cv="oob")
    MOELIGASelector(Stump(), cv=Halves().split(X))
    MOELIGASelector(Stump(), cv=[(np.arange(40), np.arange(40, 60))])
    MOELIGASelector(Stump(), cv=[(list(range(40)), list(range(40, 60)))])
    regressor = small().set_params(estimator=DecisionTreeRegressor(max_depth=3))
    assert_type(regressor.fit(X, target), MOELIGASelector)
    MOELIGASelector(DecisionTreeRegressor(), objectives=("r2", "cardinality"))


def use_front(folder: Path) -> None:
    front = fitted().pareto_front_
    assert_type(len(front), int)
    assert_type(front.supports, NDArray[np.bool_])
    assert_type(front.objectives, NDArray[np.float64])
    assert_type(front.names, tuple[str, ...])
    assert_type(front.primary, int)
    assert_type(front.n_selected, NDArray[np.int64])
    assert_type(front.score, NDArray[np.float64])
    assert_type(front.score_se, NDArray[np.float64])
    assert_type(front.search_objectives, NDArray[np.float64])
    assert_type(front.feature_names, NDArray[np.str_] | NDArray[np.object_])
    assert_type(front.cost, NDArray[np.float64] | None)
    assert_type(front.cardinality_ratio, NDArray[np.float64])
    assert_type(front.r1, NDArray[np.float64])
    assert_type(front.hypervolume, float)
    assert_type(front.features(0), list[str])
    assert_type(front.features(front.score.argmax()), list[str])
    assert_type(front.choose(), int)
    assert_type(front.choose("one_se"), int)
    assert_type(front.choose(smallest), int)
    assert_type(front.choose(max_features=6), int)
    assert_type(front.choose(n_features=front.n_selected[0]), int)
    assert_type(front.choose(index=0), int)
    assert_type(front.columns(chosen=0), dict[str, NDArray[Any] | list[list[str]]])
    for size, score, error in zip(front.n_selected, front.score, front.score_se, strict=True):
        assert f"{size:3d} features  UAR {score:.3f} ± {error:.3f}"


def use_files(folder: Path) -> None:
    front = fitted().pareto_front_
    assert_type(front.to_csv(folder / "front.csv", chosen=0), None)
    assert_type(front.to_csv(str(folder / "front.csv"), overwrite=True), None)
    assert_type(front.to_json(), str)
    assert_type(front.to_json(folder / "front.json"), None)
    assert_type(ParetoFront.from_json(folder / "front.json"), ParetoFront)
    assert_type(ParetoFront.from_json(front.to_json()), ParetoFront)
    again = ParetoFront(front.supports, front.objectives, front.names, front.primary, front.score_se,
                        front.search_objectives, front.feature_names)
    assert_type(again, ParetoFront)


def use_parquet(folder: Path) -> None:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401

    assert_type(fitted().pareto_front_.to_parquet(folder / "front.parquet"), None)


def use_settings(folder: Path) -> None:
    assert_type(Cardinality().values([1, 5], 10), NDArray[np.float64])
    assert_type(Cardinality(lambda_=None).values(fitted().pareto_front_.n_selected, 6), NDArray[np.float64])
    assert_type(FeatureCost().values([0.0, 2.0], 8.0), NDArray[np.float64])
    assert_type(Separability(samples=0.5, replace=False).n_instances(150), int)
    assert_type(StaggeredInit(spread=0.1).counts(10, 100, np.zeros(2, dtype=np.uint64)), NDArray[np.int64])
    assert_type(LogUniformInit(largest=0.5).counts(10, 100, np.zeros(2, dtype=np.uint64)), NDArray[np.int64])
    assert_type(FeaturePrior("f_classif", offset=1).weights(np.array([0.5, 2.0])), NDArray[np.float64])
    MOELIGASelector(feature_prior=lambda X, y: [1.0, 2.0])
    assert_type(Variation(schedule="exponential").rate(50, 100), float)
    assert_type(Variation().flip_limits(50, 100, 6), NDArray[np.uint64])
    assert_type(LocalImprovement(every=10).set_params(replacement="complete"), LocalImprovement)
    assert_type(FitnessSharing(rank_normalisation="sum").get_params(), dict[str, Any])
    assert_type(Checkpoint(folder / "search.npz").validate(), None)
    assert Cardinality.name == "cardinality" and FeatureCost.name == "cost" and Separability.name == "separability"


def use_classifier(folder: Path) -> None:
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=2, n_jobs=1)
    assert_type(tree.fit(X, y), DecisionTreeClassifier)
    assert_type(tree.predict(X), NDArray[Any])
    assert_type(tree.predict_proba(X), NDArray[np.float64])
    assert_type(tree.apply(X), NDArray[np.int32])
    assert_type(tree.score(X, y, np.ones(len(y))), float)
    assert_type(tree.get_depth(), int)
    assert_type(tree.get_n_leaves(), int)
    assert_type(tree.classes_, NDArray[Any])
    assert_type(tree.n_classes_, int)
    assert_type(tree.n_features_in_, int)
    assert_type(tree.nodes_, NDArray[np.void])
    assert_type(tree.thresholds_, NDArray[np.float64])
    assert_type(tree.counts_, NDArray[np.int32])
    assert_type(tree.get_params(deep=False), dict[str, Any])
    assert_type(tree.set_params(max_depth=None), DecisionTreeClassifier)


def use_regressor(folder: Path) -> None:
    tree = DecisionTreeRegressor(max_depth=3)
    assert_type(tree.fit(X, target), DecisionTreeRegressor)
    assert_type(tree.predict(rows), NDArray[np.float64])
    assert_type(tree.apply(X), NDArray[np.int32])
    assert_type(tree.score(X, target), float)
    assert_type(tree.values_, NDArray[np.float64])
    assert_type(tree.counts_, NDArray[np.int32])


def use_forests(folder: Path) -> None:
    forest = RandomForestClassifier(5, max_features=0.5, max_samples=20, oob_score=True, random_state=0, n_jobs=1)
    assert_type(forest.fit(X, y), RandomForestClassifier)
    assert_type(forest.predict(X), NDArray[Any])
    assert_type(forest.predict_proba(X), NDArray[np.float64])
    assert_type(forest.feature_importances_, NDArray[np.float64])
    assert_type(forest.oob_score_, float)
    assert_type(forest.oob_decision_function_, NDArray[np.float64])
    assert_type(ExtraTreesClassifier(5, max_features="log2").fit(X, y).score(X, y), float)
    regressor = RandomForestRegressor(5, max_features=None, max_depth=3)
    assert_type(regressor.fit(X, target), RandomForestRegressor)
    assert_type(regressor.predict(rows), NDArray[np.float64])
    assert_type(ExtraTreesRegressor(5, max_features=2).fit(X, target), ExtraTreesRegressor)


def use_building_blocks(folder: Path) -> None:
    masks = np.eye(6, dtype=bool)
    objectives = evaluate_subsets(X, y, masks, objectives=("uar", "cardinality"), random_state=0)
    assert_type(objectives, NDArray[np.float64])
    assert_type(evaluate_subsets(X, target, masks, estimator=DecisionTreeRegressor(max_depth=2), n_jobs=1),
                NDArray[np.float64])
    assert_type(separability(X, y), float)
    assert_type(separability([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1], [True], samples=2), float)
    assert_type(pareto_rank(objectives), NDArray[np.int32])
    assert_type(pareto_rank([[1.0, 0.0], [0.0, 1.0]]), NDArray[np.int32])
    assert_type(shared_fitness(objectives, masks, mode="niche"), NDArray[np.float64])
    assert_type(shared_fitness(objectives, space="objective"), NDArray[np.float64])


def use_optimism_report(folder: Path) -> None:
    report = optimism_report(small(), X, y, n_permutations=1, n_splits=2, random_state=0)
    assert_type(report, OptimismReport)
    assert_type(report.front, ParetoFront)
    assert_type(report.index, NDArray[np.intp])
    assert_type(report.n_selected, NDArray[np.int64])
    assert_type(report.chosen, int | None)
    assert_type(report.search_score, NDArray[np.float64])
    assert_type(report.score, NDArray[np.float64])
    assert_type(report.fresh_score, NDArray[np.float64])
    assert_type(report.fresh_se, NDArray[np.float64])
    assert_type(report.test_score, NDArray[np.float64])
    assert_type(report.test_se, NDArray[np.float64])
    assert_type(report.null_score, NDArray[np.float64])
    assert_type(report.p_value, NDArray[np.float64])
    assert_type(report.hypervolume, float)
    assert_type(report.hypervolume_p_value, float)
    assert_type(report.null_hypervolume, NDArray[np.float64])
    assert_type(report.chance, float)
    assert_type(report.n_train, int)
    assert_type(report.n_test, int)
    assert_type(report.n_permutations, int)
    assert_type(report.split_luck, NDArray[np.float64])
    assert_type(report.sample_fit, NDArray[np.float64])
    assert_type(report.summary(), str)
    optimism_report(small(), X[:40], y[:40], X_test=X[40:], y_test=y[40:], n_permutations=0)


def use_stability_report(folder: Path) -> None:
    report = stability_report(small(), X, y, n_runs=3, optional=0.1, association=0.1, random_state=0)
    assert_type(report, StabilityReport)
    assert_type(report.supports, NDArray[np.bool_])
    assert_type(report.feature_names, NDArray[np.str_] | NDArray[np.object_])
    assert_type(report.n_selected, NDArray[np.int64])
    assert_type(report.frequency, NDArray[np.float64])
    assert_type(report.kind, NDArray[np.str_])
    assert_type(report.stability, float)
    assert_type(report.stability_se, float)
    assert_type(report.interval, tuple[float, float])
    assert_type(report.pairs, NDArray[np.int64])
    assert_type(report.pair_association, NDArray[np.float64])
    assert_type(report.groups, list[NDArray[np.int64]])
    assert_type(report.group_frequency, NDArray[np.float64])
    assert_type(report.n_runs, int)
    assert_type(report.order(), NDArray[np.intp])
    assert_type(report.summary(max_features=3), str)
    stability_report(small(), X, y, n_runs=2, resample=None, rule="best")


def use_html_report(folder: Path) -> None:
    selector = small().fit(X[::2], y[::2])
    assert_type(write_report(selector, folder / "report.html"), None)
    assert_type(write_report(selector, str(folder / "report.html"), X=X[::2], y=y[::2], X_test=X[1::2],
                             y_test=y[1::2], title="Typed", overwrite=True), None)


def use_displays(folder: Path) -> None:
    from matplotlib import pyplot  # type: ignore[import-not-found, unused-ignore]

    selector = fitted()
    front = ParetoFrontDisplay.from_selector(selector, axes=("n_selected", "separability"), color=None, initial=True)
    assert_type(front, ParetoFrontDisplay)
    front.plot(axes=np.array(["n_selected", "score"]))
    assert_type(front.plot(front.ax_, cmap="magma"), ParetoFrontDisplay)
    assert_type(ParetoFrontDisplay([1, 2], [0.8, 0.9], r1=[0.79, 0.88], n_features=30, chosen=1), ParetoFrontDisplay)
    way = ConvergenceDisplay.from_selector(selector, against="seconds")
    assert_type(way, ConvergenceDisplay)
    assert_type(ConvergenceDisplay(selector.history_, n_features=6).plot(), ConvergenceDisplay)
    shares = FeatureFrequencyDisplay.from_selector(selector, max_features=3)
    assert_type(shares, FeatureFrequencyDisplay)
    assert_type(shares.order_, NDArray[np.intp])
    assert_type(FeatureFrequencyDisplay(["a", "b"], [0.5, 1.0], chosen=[False, True], n_members=4).plot(),
                FeatureFrequencyDisplay)
    luck = OptimismDisplay.from_selector(selector, held_out=selector.pareto_front_.score)
    assert_type(luck, OptimismDisplay)
    assert_type(OptimismDisplay([1, 3], [0.8, 1.0], score=[0.75, 0.9], n_features=4).plot(), OptimismDisplay)
    stable = StabilityDisplay.from_selector(small(), X, y, n_runs=2, random_state=0)
    assert_type(stable, StabilityDisplay)
    assert_type(stable.report, StabilityReport)
    assert_type(StabilityDisplay.from_report(stable.report, max_features=3), StabilityDisplay)
    assert_type(StabilityDisplay(stable.report).plot().order_, NDArray[np.intp])
    pyplot.close("all")


def use_callbacks(folder: Path) -> None:
    with open(folder / "log.txt", "w") as file:
        selector = small().set_params(callbacks=[watch, PrintProgress(file), PrintProgress(sizes=[1, 2])])
        assert_type(selector.fit(X, y).stop_reason_, str)


def use_progress_bar(folder: Path) -> None:
    import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401

    bar = ProgressBar(sizes=(2,))
    assert_type(small().set_params(callbacks=bar).fit(X, y), MOELIGASelector)
    assert_type(bar.sizes, list[int])
    assert_type(bar.close(), None)
