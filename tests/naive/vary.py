"""Twin of the vary room: the same draws in the same order, on lists of bool.

A seed is two integers, an address is (purpose, population, generation), a population is a list of masks. No
argument is changed.
"""

from itertools import accumulate

from naive.draw import Stream, subset


def roulette(stream, fitness):
    """The first individual whose cumulative fitness exceeds a share, drawn uniformly, of the whole."""
    cumulative = list(accumulate(fitness))
    target = stream.unit() * cumulative[-1]
    return next(i for i, reached in enumerate(cumulative) if reached > target)


def tournament(stream, fitness, size):
    """The fittest of `size` individuals drawn with replacement; ties to the lowest index."""
    rivals = [stream.below(len(fitness)) for _ in range(size)]
    return min(rivals, key=lambda rival: (-fitness[rival], rival))


def spin(stream, fitness, selection, tournament_size):
    """One individual drawn by fitness."""
    return roulette(stream, fitness) if selection == "roulette" else tournament(stream, fitness, tournament_size)


def cross(stream, a, b, crossover):
    """Two children of two masks."""
    n_features = len(a)
    if n_features < 2:  # nowhere to cut
        return list(a), list(b)
    if crossover == "one_point":
        cut = 1 + stream.below(n_features - 1)
        swapped = [f >= cut for f in range(n_features)]
    elif crossover == "two_point":
        first, last = sorted([stream.below(n_features), stream.below(n_features)])
        swapped = [first <= f <= last for f in range(n_features)]
    else:
        words = [stream.word() for _ in range(0, n_features, 64)]
        swapped = [words[f // 64] >> f % 64 & 1 == 1 for f in range(n_features)]
    return (
        [y if swap else x for x, y, swap in zip(a, b, swapped, strict=True)],
        [x if swap else y for x, y, swap in zip(a, b, swapped, strict=True)],
    )


def flip(stream, mask, n_flips):
    """The mask with `n_flips` distinct random bits flipped."""
    flipped = subset(stream, len(mask), n_flips)
    return [bool(on) != (f in flipped) for f, on in enumerate(mask)]


def repair(stream, mask, limits=None):
    """The mask, brought within limits (least, most, weights, witness): features off at random while it weighs too much,
    then features that still fit on at random while it weighs too little, the witness where none fits."""
    least, most, weights, witness = limits or (1, len(mask), [1] * len(mask), None)
    mask = [bool(on) for on in mask]

    def weight():
        return sum(w for w, on in zip(weights, mask, strict=True) if on)

    while weight() > most:
        selected = [f for f, on in enumerate(mask) if on]
        mask[selected[stream.below(len(selected))]] = False
    while weight() < least:
        fitting = [f for f, on in enumerate(mask) if not on and weights[f] <= most - weight()]
        if not fitting:
            return [bool(on) for on in witness]
        mask[fitting[stream.below(len(fitting))]] = True
    return mask


def mate(stream, parents, fitness, selection, tournament_size, crossover, crossover_rate, flip_limits,
         limits=None):
    """Two children: two spins, the crossover, then for each child its number of flips, these, its repair."""
    a = parents[spin(stream, fitness, selection, tournament_size)]
    b = parents[spin(stream, fitness, selection, tournament_size)]
    if stream.unit() < crossover_rate:
        a, b = cross(stream, a, b, crossover)
    children = []
    for child in (a, b):
        word = stream.word()
        n_flips = sum(word >= int(limit) for limit in flip_limits)
        children.append(repair(stream, flip(stream, child, n_flips), limits))
    return children


def create(seed, address, counts, n_features, limits=None):
    """Random masks with given numbers of selected features, repaired."""
    population = []
    for i, count in enumerate(counts):
        stream = Stream(seed, *address, i, 0)
        selected = subset(stream, n_features, int(count))
        population.append(repair(stream, [f in selected for f in range(n_features)], limits))
    return population


def scatter(seed, address, n, n_features, limits=None):
    """Masks whose bits are on with probability 1/2 each: one word for 64 bits, then the repair."""
    population = []
    for i in range(n):
        stream = Stream(seed, *address, i, 0)
        words = [stream.word() for _ in range(0, n_features, 64)]
        population.append(repair(stream, [words[f // 64] >> f % 64 & 1 == 1 for f in range(n_features)],
                                 limits))
    return population


def select(seed, address, fitness, n, selection, tournament_size):
    """Indices of `n` individuals drawn by fitness, with replacement."""
    return [spin(Stream(seed, *address, i, 0), fitness, selection, tournament_size) for i in range(n)]


def offspring(seed, address, parents, fitness, n_children, selection, tournament_size, crossover, crossover_rate,
              flip_limits, limits=None):
    """Children of parents selected by fitness, a pair from each stream; of an odd number the last pair gives one."""
    children = []
    for pair in range((n_children + 1) // 2):
        stream = Stream(seed, *address, pair, 0)
        children += mate(stream, parents, fitness, selection, tournament_size, crossover, crossover_rate, flip_limits,
                         limits)
    return children[:n_children]


def distinct(seed, address, population, n_flips, tries, limits=None):
    """(population, changed): a later copy gets `n_flips` random bits flipped until it is new, or `tries` are over."""
    result, changed = [], []
    for i, mask in enumerate(population):
        stream = Stream(seed, *address, i, 0)
        mask, flipped = [bool(on) for on in mask], 0
        while mask in result and flipped < tries:
            mask = repair(stream, flip(stream, mask, n_flips), limits)
            flipped += 1
        result.append(mask)
        changed.append(flipped > 0)
    return result, changed
