"""Twin of the bits room: a chromosome is a list of bool, one for each feature."""

from naive import niche


def pack(masks):
    """Words of each mask: bit f % 64 of word f // 64 is feature f."""
    return [
        [sum(2**place for place, on in enumerate(mask[f : f + 64]) if on) for f in range(0, len(mask), 64)]
        for mask in masks
    ]


def unpack(rows, n_features):
    """Masks of packed chromosomes; inverse of `pack`."""
    digits = ["".join(f"{int(word):064b}"[::-1] for word in row) for row in rows]
    return [[digit == "1" for digit in line[:n_features]] for line in digits]


def count(masks):
    """Number of selected features of each mask."""
    return [sum(mask) for mask in masks]


def hamming(masks):
    """Number of features in which each two masks differ."""
    return [[sum(x != y for x, y in zip(a, b, strict=True)) for b in masks] for a in masks]


def same_as(masks, last=False):
    """Place of the first, or last, mask that equals each."""
    places = range(len(masks))
    return [(max if last else min)(j for j in places if masks[j] == mask) for mask in masks]


def lift(masks, features, n_features):
    """Masks over all features of masks over a template's: position j stands for feature features[j]."""
    lifted = []
    for mask in masks:
        selected = {int(feature) for on, feature in zip(mask, features, strict=True) if on}
        lifted.append([feature in selected for feature in range(n_features)])
    return lifted


def expand(masks, positions, groups, forced):
    """Masks over all features of masks over positions: position j stands for the features groups[positions[j]]."""
    expanded = []
    for mask in masks:
        selected = {f for on, place in zip(mask, positions, strict=True) if on for f in groups[place]}
        expanded.append([always or f in selected for f, always in enumerate(forced)])
    return expanded


def total(masks, features, values):
    """Sum of a value of each selected feature, in ascending order."""
    return [niche.total(values[f] for on, f in zip(mask, features, strict=True) if on) for mask in masks]
