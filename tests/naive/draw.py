"""Twin of the draw room: Philox4x64-10 and its streams, in Python integers."""

WORD = 2**64


def philox(counter, key):
    """Philox4x64-10 (Salmon et al., SC'11): four words from a counter of four words and a key of two."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        high_a, low_a = divmod(0xD2E7470EE14C6C93 * a, WORD)
        high_c, low_c = divmod(0xCA5A826395121157 * c, WORD)
        a, b, c, d = high_c ^ b ^ k, low_c, high_a ^ d ^ m, low_a
        k = (k + 0x9E3779B97F4A7C15) % WORD
        m = (m + 0xBB67AE8584CAA73B) % WORD
    return [a, b, c, d]


class Stream:
    """The random numbers at one address."""

    def __init__(self, seed, purpose, population, generation, individual, test):
        self.key = [int(word) for word in seed]
        self.address = [individual + 2**32 * test, generation + 2**32 * purpose, population]
        self.n_drawn = 0

    def word(self):
        """64 random bits: word n of the stream is word n % 4 of block n // 4."""
        block, place = divmod(self.n_drawn, 4)
        self.n_drawn += 1
        return philox([block, *self.address], self.key)[place]

    def unit(self):
        """Uniform in [0, 1): the upper 53 bits of a word."""
        return (self.word() >> 11) / 2**53

    def below(self, n):
        """Uniform in {0, ..., n - 1}: floor(n word / 2^64)."""
        return n * self.word() // WORD


def subset(stream, n, m):
    """Set of m distinct members of {0, ..., n - 1} by Floyd's method: m draws."""
    chosen = set()
    for last in range(n - m, n):
        pick = stream.below(last + 1)
        chosen.add(last if pick in chosen else pick)
    return chosen


def split(stream, class_start, n_validation):
    """Stratified split of samples that stand class by class: a list of bool, True = validation part."""
    marks = []
    for start, end, m in zip(class_start[:-1], class_start[1:], n_validation, strict=True):
        chosen = subset(stream, int(end) - int(start), int(m))
        marks += [sample in chosen for sample in range(int(end) - int(start))]
    return marks


def instances(stream, n_samples, n_instances, replace):
    """Instances of objective III: with replacement as drawn, without in ascending order."""
    if replace:
        return [stream.below(n_samples) for _ in range(n_instances)]
    return sorted(subset(stream, n_samples, n_instances))
