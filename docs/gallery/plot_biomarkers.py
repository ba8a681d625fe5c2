"""
A few markers of thousands
==========================

Ninety patients, two thousand expressed genes: which few tell the two diagnoses apart, and what is that worth on
patients that nobody has seen?
With so many genes some look good by chance, so the score of the search is too high, and the honest one matters.
"""

# %%
# The data are made, so that the truth is known: four processes differ between the diagnoses, each read by five genes
# that say almost the same. The other 1,980 genes are noise.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga import MOELIGASelector, OptimismDisplay

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 45)
processes = rng.normal(size=(90, 4)) + y[:, None] * [1.2, 1.0, 1.0, 0.8]
X = rng.normal(size=(90, 2000))
X[:, :20] = np.repeat(processes, 5, axis=1) + 0.4 * rng.normal(size=(90, 20))

# %%
# The model that is deployed is a logistic regression. ``max_features=20``, since nobody pays for a larger panel.

model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
selector = MOELIGASelector(model, max_features=20, honest=5, population_size=30, n_generations=15, random_state=0)
selector.fit(X, y)
print(selector.summary())

# %%
# Three scores of each subset: what the search went by, the same tree on fresh splits of the same patients, and, as
# diamonds, the deployed model's answers for patients outside of the searches. The first is too high, because the search
# has chosen by it; fresh splits do not mend that, and diamonds above the others are rankings' first genes, which a
# logistic regression uses better than a tree.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
OptimismDisplay.from_selector(selector, ax=ax)
plt.show()

# %%
# ``ranking_`` counts how often each gene comes back when the search is made again on other patients. Of a process that
# five genes read, now one and now another comes back; so the processes are found more surely than single genes.

first = np.argsort(selector.ranking_)[:10]
print("first ten genes:", *first)
print("of the twenty that differ:", (first < 20).sum(), "- processes:", len({gene // 5 for gene in first if gene < 20}))

# %%
# What goes to the clinic is one fitted model that takes the whole array and reads the chosen genes only.

deployed = selector.pipeline(X, y)
print(deployed[-1].n_features_in_, "genes:", *np.flatnonzero(selector.support_))
