"""Twin of the feature prior: ranks by counting, draws one after the other."""

import math

from naive.draw import Stream


def weights(scores, offset):
    """(1 + offset) / (rank + offset); before rank r stand r - 1 features that are better, or as good and before."""
    values = [-math.inf if math.isnan(score) else score for score in scores]
    ranks = [1 + sum(other > value or (other == value and g < f) for g, other in enumerate(values))
             for f, value in enumerate(values)]
    return [(1.0 + offset) / (rank + offset) for rank in ranks]


def redrawn(seed, address, mask, old, weights, share, sizes=None):
    """The mask, with a share of what is new in it drawn anew, by weight, from what would be new too.

    Positions change places with those of the same size, smaller sizes first. Each round draws as many as are missing,
    and leaves out what it has drawn already.
    """
    sizes = sizes or [1] * len(mask)
    mask, stream = list(mask), Stream(seed, *address, 0)
    out = [f for f, on in enumerate(mask) if on and not old[f] and stream.unit() < share]
    for f in out:
        mask[f] = False
    candidates, step = [f for f, on in enumerate(mask) if not on and not old[f]], 0
    for size in sorted({sizes[f] for f in out}):
        left = sum(sizes[f] == size for f in out)
        while left:
            step += 1
            stream = Stream(seed, *address, step)
            pool, reached = [f for f in candidates if sizes[f] == size and not mask[f]], []
            for f in pool:
                reached.append(weights[f] + (reached[-1] if reached else 0.0))
            for _ in range(left):
                target = stream.unit() * reached[-1]
                f = next(f for f, total in zip(pool, reached, strict=True) if total > target)
                left -= not mask[f]
                mask[f] = True
    return mask
