"""
A noisy clinical table
======================

A table as it comes from a ward: an identifier, a date, gaps, a laboratory value entered twice under two names, and a
column that was filled in after the outcome.
What has to be done before the search, what the search can be told, and what it copes with.
"""

# %%
# 500 stays; readmission depends on age, creatinine, haemoglobin and the number of earlier stays, through noise.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.ensemble import HistGradientBoostingClassifier

from moeliga import Constraints, FeatureFrequencyDisplay, MOELIGASelector

rng = np.random.default_rng(3)
n = 500
table = pd.DataFrame({
    "patient": [f"P{number:05d}" for number in rng.permutation(n)],
    "admitted": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), unit="D"),
    "age": rng.normal(68, 12, n), "female": rng.random(n) < 0.5, "earlier_stays": rng.poisson(1.5, n),
    "creatinine": rng.lognormal(0.1, 0.4, n), "haemoglobin": rng.normal(12.5, 1.8, n), "sodium": rng.normal(139, 4, n),
    "pulse": rng.normal(82, 14, n), "temperature": rng.normal(37, 0.6, n), "crp": rng.lognormal(2, 1, n)})
risk = (0.05 * (table["age"] - 68) + 1.6 * (table["creatinine"] - 1.1) - 0.5 * (table["haemoglobin"] - 12.5)
        + 0.6 * (table["earlier_stays"] - 1.5))
readmitted = np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "yes", "no")
table["creatinine_mg_dl"] = table["creatinine"] + rng.normal(0, 0.02, n)
table["letter_sent"] = (readmitted == "yes") ^ (rng.random(n) < 0.05)
for name in ("creatinine", "haemoglobin", "crp", "sodium"):
    table.loc[rng.random(n) < 0.15, name] = np.nan
table["earlier_stays"] = table["earlier_stays"].astype("Int64").mask(rng.random(n) < 0.05)

# %%
# As it stands the table is refused, and one message names all columns that are no features.

try:
    MOELIGASelector().fit(table, readmitted)
except ValueError as error:
    print(error)

# %%
# The model takes gaps, so the search does too. ``exclude`` names what is no feature, and what nobody knows when the
# prediction is due: the letter. It counts before X is converted, so that these columns may hold anything.

known = Constraints(exclude=["patient", "admitted", "letter_sent"])
model = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=7)
setting = {"honest": 5, "population_size": 30, "n_generations": 15, "random_state": 0}
selector = MOELIGASelector(model, constraints=known, **setting).fit(table, readmitted)
print(selector.summary())

# %%
# Had the letter been left in, the score would be splendid, and honest of samples, but not of the future: no
# cross-fitting sees that a column is known too late.

leaky = MOELIGASelector(model, constraints=Constraints(exclude=["patient", "admitted"]), **setting)
leaky.fit(table, readmitted)
print(f"with the letter: {leaky.honest_score_:.3f} by {', '.join(leaky.get_feature_names_out())}")

# %%
# How often each column is in the subsets of the front. The two creatinines share their place: either will do.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
FeatureFrequencyDisplay.from_selector(selector, ax=ax)
plt.show()
