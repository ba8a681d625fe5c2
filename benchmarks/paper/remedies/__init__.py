"""Ways to make a search fit the training samples less, each tried on top of a variant.

Each is a function of `make`, X and y of the outer training part, a budget and a seed, and returns `Found`. `make` gives
an unfitted selector for a budget and a seed. None of them sees the outer test part.
"""

from functools import partial

from paper.remedies.screen import screened

REMEDIES = {"screen100": partial(screened, 100), "screen300": partial(screened, 300)}
"""By the word after "&" in the name of a variant."""
