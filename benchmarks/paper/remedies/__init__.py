"""Ways to make a search fit the training samples less, each tried on top of a variant.

Each is a function of `make`, X and y of the outer training part, a budget and a seed, and returns `Found`. `make` gives
an unfitted selector for a budget and a seed. None of them sees the outer test part.
"""

from paper.remedies.consensus import consensus, merged
from paper.remedies.hold_out import hold_out, hold_out_stop
from paper.remedies.null_front import calibrated

REMEDIES = {"hold_out": hold_out, "hold_out_stop": hold_out_stop, "null": calibrated, "consensus": consensus,
            "merged": merged}
"""By the word after "&" in the name of a variant."""
