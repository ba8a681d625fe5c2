"""
A number to predict
===================

442 patients with diabetes, ten measurements, and how far the disease has gone a year later.
With a regressor as the deployed model the score is R2, and nothing else changes.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from moeliga import MOELIGASelector, NoLoss, ParetoFrontDisplay

data = load_diabetes(as_frame=True)
selector = MOELIGASelector(LinearRegression(), honest=10, population_size=30, n_generations=15, random_state=0)
selector.fit(data.data, data.target)
print(selector.summary())

# %%
# The line is the honest R2 of each size with its standard error, the dashed line all features; the names are the rules
# at what they choose.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ParetoFrontDisplay.from_selector(selector, ax=ax)
plt.show()

# %%
# A margin says how much may be lost, in standard errors of the difference to the best; a quarter is the default.
# Printed are size, honest R2 and names of what each chooses: the more may be lost, the smaller the panel.

for margin in (0.0, 0.25, 1.0, 2.0):
    selector.select(NoLoss(margin))
    print(f"margin {margin:.2f}: {selector.support_.sum()} features, honest R2 {selector.honest_score_:.3f}, "
          f"{', '.join(selector.get_feature_names_out())}")

# %%
# The model to deploy says what it does: its coefficients are those of the columns of the last choice.

model = selector.pipeline(data.data, data.target)
print(*(f"{name} {value:+.0f}" for name, value in zip(model[-1].feature_names_in_, np.asarray(model[-1].coef_),
                                                      strict=True)))
