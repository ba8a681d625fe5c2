"""
One in twenty
=============

Five per cent of the samples are of the class that matters.
A model that never finds it has an accuracy of 95 %, so accuracy is the wrong score; moeliga's is the unweighted average
recall (UAR), in which both classes count alike, and any scorer of scikit-learn can take its place.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga import MOELIGASelector

X, y = make_classification(800, 40, n_informative=6, n_redundant=4, weights=[0.95], flip_y=0.02, class_sep=1.2,
                           shuffle=False, random_state=0)
print("positives:", y.sum(), "of", len(y))

# %%
# The deployed model has balanced class weights. There are two fits: one by UAR, which is the default, and one by
# average precision, which goes by the order of the scores alone. The score guides the search, and is that of the
# model's answers outside of it. The folds are stratified, so that each has its positives. Accuracy would be .95 without
# any feature.

model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
setting = {"honest": 3, "population_size": 30, "n_generations": 12, "random_state": 0}
found = {"UAR": MOELIGASelector(model, **setting).fit(X, y),
         "average precision": MOELIGASelector(model, scoring="average_precision", **setting).fit(X, y)}
for name, selector in found.items():
    low, high = selector.honest_interval_
    print(f"{name:18s} {selector.support_.sum():2d} features, {(np.flatnonzero(selector.support_) < 10).sum()} of them "
          f"of the ten that say something; honest score {selector.honest_score_:.2f}, {low:.2f} to {high:.2f}")

# %%
# The two fronts, each by the score of its own search. The dotted lines are all features; the dashed one is what a model
# that always says "no" would have.

fig, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for ax, name, nothing in zip(axes, found, (0.5, y.mean()), strict=True):
    front, others = found[name].pareto_front_, found[name].baselines_
    rows = np.flatnonzero(np.isfinite(front.honest_score) & (front.source == "search"))
    ax.errorbar(front.n_selected[rows], front.honest_score[rows], front.honest_se[rows], marker="o", capsize=3)
    ax.axhline(others.honest_score[others.source == "all"][0], color="0.4", linestyle=":")
    ax.axhline(nothing, color="0.4", linestyle="--")
    ax.set(title=name, xlabel="features", ylabel="honest score", xscale="log")
plt.show()
