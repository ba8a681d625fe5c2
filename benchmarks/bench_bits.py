"""Packed chromosomes."""

import numpy as np
from bench_niche import N_FEATURES, population

from moeliga._ext import bits


class Bits:
    """Packing, unpacking and counting one population."""

    params = ((90,), (500, N_FEATURES))
    param_names = ("P", "F")
    quick = ((90, N_FEATURES),)

    def setup(self, P, F):
        self.bits = population(P, F).bits
        self.masks = bits.unpack(self.bits, F).view(np.uint8)
        self.features = np.arange(0, 8 * F, 8, dtype=np.int32)

    def time_pack(self, P, F):
        bits.pack(self.masks)

    def time_unpack(self, P, F):
        bits.unpack(self.bits, F)

    def time_count(self, P, F):
        bits.count(self.bits)

    def time_hamming(self, P, F):
        bits.hamming(self.bits)

    def time_lift(self, P, F):
        bits.lift(self.bits, self.features, 8 * F)
