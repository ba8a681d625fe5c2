"""
Reading an honest front
=======================

What does each size cost, and how sure is that?
The front of 569 tumours with 30 measurements, read from left to right.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from moeliga import MOELIGASelector, ParetoFrontDisplay

data = load_breast_cancer(as_frame=True)
selector = MOELIGASelector(RandomForestClassifier(30), honest=5, population_size=30, n_generations=15, random_state=0)
selector.fit(data.data, data.target)

# %%
# The line is the honest score of the deployed forest for each size, the band one standard error around it, the dashed
# line all features. The names mark the choices of the rules. The grey circles are the scores in the search: those of a
# tree, a weaker model than the forest, on the samples that the subsets were found with.

fig, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
ParetoFrontDisplay.from_selector(selector, ax=ax)
plt.show()

# %%
# Read it step by step: a step that rises by less than its error has bought nothing that these samples can show.

front = selector.pareto_front_
rows = np.flatnonzero(np.isfinite(front.honest_score) & (front.source == "search"))
print("size  honest    SE   step")
for before, row in zip([None, *rows[:-1]], rows, strict=True):
    step = "" if before is None else f"{front.honest_score[row] - front.honest_score[before]:+.3f}"
    print(f"{front.n_selected[row]:4d}   {front.honest_score[row]:.3f}  {front.honest_se[row]:.3f}  {step}")

# %%
# The summary compares with all features on the same samples: its last two columns are the difference, and what it may
# be by five searches.

print(selector.summary())

# %%
# And how far does the choice depend on single samples? In how many of the five searches is each feature in the subset
# of this size?

frequency = selector.feature_frequency_
order = np.argsort(-frequency, kind="stable")[: (frequency > 0).sum()]
fig, ax = plt.subplots(figsize=(7.5, 0.3 * len(order) + 1), layout="constrained")
colours = np.where(selector.support_[order], "C0", "0.75")
ax.barh(range(len(order)), 5 * frequency[order], color=colours)
ax.set(yticks=range(len(order)), yticklabels=data.data.columns[order], xlabel="of five searches (blue: chosen)",
       xlim=(0, 5))
ax.invert_yaxis()
plt.show()
