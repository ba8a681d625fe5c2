"""Subsets as rows of bits, and conversions to and from masks and hashable keys."""

from dataclasses import dataclass

import numpy as np

from moeliga._ext import bits as bits_room


@dataclass(frozen=True, eq=False)
class Subsets:
    """Subsets of features, or of the groups of features that chromosomes are made of."""

    bits: np.ndarray  # uint64, shape (n, n_words): bit j of a row stands for positions[j]
    positions: np.ndarray  # int32, shape (n_positions,), ascending

    def __len__(self):
        return len(self.bits)

    def __getitem__(self, rows):
        """Return the subsets of some rows: `Subsets`."""
        return Subsets(self.bits[rows], self.positions)

    @property
    def n_positions(self):
        return len(self.positions)

    def counts(self):
        """Return the number of bits that are set in each row: ndarray of int32, shape (n,)."""
        return bits_room.count(self.bits)

    def lifted(self, n):
        """Return the same subsets as bits over all of `n` positions: ndarray of uint64, shape (n_subsets, n_words)."""
        return self.bits if self.n_positions == n else bits_room.lift(self.bits, self.positions, n)

    def masks(self, n):
        """Return the same subsets as masks over all of `n` positions: ndarray of bool, shape (n_subsets, n)."""
        return bits_room.unpack(self.lifted(n), n)


def bits_of(masks):
    """Return masks, bool of shape (n, n_positions), as rows of bits: ndarray of uint64, shape (n, n_words)."""
    return bits_room.pack(np.ascontiguousarray(masks).view(np.uint8))


def row_keys(bits):
    """Return each row of bits as a hashable key: list of bytes."""
    return np.ascontiguousarray(bits).view(np.dtype((np.void, bits.itemsize * bits.shape[1])))[:, 0].tolist()


def bits_of_keys(keys):
    """Return the rows of bits with these keys of `row_keys`: ndarray of uint64, shape (n, n_words)."""
    return np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(len(keys), -1)
