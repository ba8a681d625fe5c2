"""
Sensors that cost
=================

A pump is watched by twelve sensors, whose prices differ by a factor of forty.
Which of them have to be bought to see a fault coming?
The question is not how few sensors, but how little money.
"""

# %%
# A fault shows in vibration, pressure and temperature. The expensive sensors measure the same with less noise.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestClassifier

from moeliga import Constraints, MOELIGASelector

rng = np.random.default_rng(0)
n = 400
fault = rng.integers(2, size=n)
vibration, pressure, heat = rng.normal(size=(3, n)) + np.outer([1.6, 1.0, 0.8], fault)
noise, price = {}, {}
for signal, name in ((vibration, "vibration"), (pressure, "pressure"), (heat, "heat")):
    for grade, spread, cost in (("cheap", 1.5, 5), ("good", 0.6, 40), ("best", 0.1, 200)):
        noise[f"{name}, {grade}"] = signal + spread * rng.normal(size=n)
        price[f"{name}, {grade}"] = cost
for name in ("flow", "current", "sound"):
    noise[name], price[name] = rng.normal(size=n), 10
X = pd.DataFrame(noise)

# %%
# The objective ``"cost"`` takes the place of the number of features; ``groups`` would keep the channels of one sensor
# together.

selector = MOELIGASelector(RandomForestClassifier(50), objectives=("uar", "cost"),
                           constraints=Constraints(costs=list(price.values())), honest=5, population_size=40,
                           n_generations=20, random_state=0)
selector.fit(X, fault)
front = selector.pareto_front_
known = np.isfinite(front.honest_score)
for place in np.flatnonzero(known)[np.argsort(front.cost[known])]:
    print(f"{front.cost[place]:4.0f} euros  honest UAR {front.honest_score[place]:.3f}  "
          f"{'; '.join(front.features(place)) if front.n_selected[place] < 5 else 'more'}")

# %%
# What each euro buys. Grey are all subsets by the score in the search, a tree's; those with bars have an honest score:
# the best of their size, or of their range of sizes, of which cheaper ones have none. The choice of a limit is a choice
# among points that are there already: no search is made again.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(front.cost, front.score, "o", color="0.6", mfc="none", label="in the search")
ax.errorbar(front.cost[known], front.honest_score[known], front.honest_se[known], fmt="o", capsize=3,
            label="honest score of a random forest")
for limit, colour in ((210, "C1"), (500, "C2")):
    chosen = selector.select("best", max_cost=limit).index_
    ax.plot(front.cost[chosen], front.score[chosen], "o", color=colour, markersize=12, mfc="none",
            label=f"at most {limit} euros: " + "; ".join(front.features(chosen)))
ax.set(xlabel="price of the sensors, euros", ylabel="UAR", xscale="log", xticks=(5, 20, 50, 200, 700),
       xticklabels=(5, 20, 50, 200, 700))
fig.legend(loc="outside upper left", fontsize="small")
plt.show()

# %%
# The score of a limit, without what choosing adds, and the interval around it:

for limit in (210, 500):
    found = selector.assess("best", max_cost=limit)
    print(f"at most {limit} euros: {found.score:.3f}, {found.interval[0]:.3f} to {found.interval[1]:.3f}")
