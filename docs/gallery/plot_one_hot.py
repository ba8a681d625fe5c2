"""
Categories: all columns or none
===============================

A category of a table becomes several columns of a model.
To select half of them is no answer to the question which *variables* are needed: a form asks for the district, or it
does not.
``Constraints(encode="onehot")`` encodes a table, and keeps the columns of a variable together.
"""

# %%
# Flats: a rent that depends on size, age and district, and on nothing else in the table.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga import Constraints, MOELIGASelector

rng = np.random.default_rng(0)
n = 600
flats = pd.DataFrame({
    "size": rng.uniform(30, 140, n), "age": rng.integers(0, 90, n), "floor": rng.integers(0, 8, n),
    "district": rng.choice(list("ABCDEF"), n), "heating": rng.choice(["gas", "oil", "district"], n),
    "agent": rng.choice([f"agent {k}" for k in range(8)], n), "balcony": rng.random(n) < 0.5})
rent = (8 * flats["size"] - 1.5 * flats["age"] + flats["district"].map(dict(zip("ABCDEF", (0, 40, 90, 150, 220, 300),
                                                                                strict=True))) + rng.normal(0, 60, n))

# %%
# One selector takes the table as it is; the other the columns that pandas makes of it, each for itself.

model = make_pipeline(StandardScaler(), Ridge())
setting = {"honest": 5, "population_size": 30, "n_generations": 15, "random_state": 0}
X = pd.get_dummies(flats, prefix_sep="=", dtype=float)
free = MOELIGASelector(model, **setting).fit(X, rent)
together = MOELIGASelector(model, constraints=Constraints(encode="onehot"), **setting).fit(flats, rent)
print(len(flats.columns), "variables,", together.n_features_in_, "features")
for name, selector in (("free", free), ("together", together)):
    variables = {column.partition("=")[0] for column in selector.get_feature_names_out()}
    print(f"{name:8s}  R2 {selector.honest_score_:.3f}  {selector.support_.sum():2d} columns of {len(variables)} "
          f"variables: {', '.join(sorted(variables))}")

# %%
# What is deployed takes tables as they are, too; a district that the fit has not seen is none of those that it has.

deployed = together.pipeline(flats, rent)
print(deployed.predict(flats.head(2).assign(district=["B", "Z"])).round())

# %%
# A column stands for each subset, a row for each variable: with groups it is there as a whole, or not at all.

order = sorted(flats.columns)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
for ax, (name, selector) in zip(axes, (("free", free), ("together", together)), strict=True):
    supports, of = selector.pareto_front_.supports, [f.partition("=")[0] for f in selector.feature_names_in_]
    share = np.array([supports[:, [variable == other for other in of]].mean(axis=1) for variable in order])
    image = ax.imshow(share, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    ax.set(title=name, xlabel="columns selected", yticks=range(len(order)), yticklabels=order,
           xticks=range(len(supports)), xticklabels=selector.pareto_front_.n_selected)
    ax.tick_params(axis="x", labelsize="x-small", labelrotation=90)
fig.colorbar(image, label="share of a variable's columns")
plt.show()

# %%
# On the command line, for a forest:
# ``moeliga select flats.csv --target rent --encode --estimator moeliga.RandomForestRegressor --out run``
