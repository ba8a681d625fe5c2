"""
Categories: all columns or none
===============================

A category of a table becomes several columns of a model.
To select half of them is no answer to the question which *variables* are needed: a form asks for the district, or it
does not.
``Constraints(groups=...)`` keeps the columns of a variable together.
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
# pandas encodes the text, and the name of each column says which variable it is of: that is the group.

X = pd.get_dummies(flats, prefix_sep="=", dtype=float)
groups = [name.partition("=")[0] for name in X.columns]
print(len(flats.columns), "variables,", len(X.columns), "columns")

# %%
# One selector with groups, and one without.

model = make_pipeline(StandardScaler(), Ridge())
setting = {"honest": 5, "population_size": 30, "n_generations": 15, "random_state": 0}
free = MOELIGASelector(model, **setting).fit(X, rent)
together = MOELIGASelector(model, constraints=Constraints(groups=groups), **setting).fit(X, rent)
for name, selector in (("free", free), ("together", together)):
    variables = {column.partition("=")[0] for column in selector.get_feature_names_out()}
    print(f"{name:8s}  R2 {selector.honest_score_:.3f}  {selector.support_.sum():2d} columns of {len(variables)} "
          f"variables: {', '.join(sorted(variables))}")

# %%
# A column stands for each subset, a row for each variable: with groups it is there as a whole, or not at all.

order = sorted(set(groups))
fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
for ax, (name, selector) in zip(axes, (("free", free), ("together", together)), strict=True):
    supports = selector.pareto_front_.supports
    share = np.array([supports[:, [group == variable for group in groups]].mean(axis=1) for variable in order])
    image = ax.imshow(share, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    ax.set(title=name, xlabel="columns selected", yticks=range(len(order)), yticklabels=order,
           xticks=range(len(supports)), xticklabels=selector.pareto_front_.n_selected)
    ax.tick_params(axis="x", labelsize="x-small", labelrotation=90)
fig.colorbar(image, label="share of a variable's columns")
plt.show()

# %%
# On the command line ``moeliga select flats.csv --target rent --regression --encode onehot`` does both steps.
