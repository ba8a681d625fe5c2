"""What tests/golden.json holds the results of: a name for each case, and a function of the number of threads."""

from cases import kernels, searches, trees

CASES = {**kernels.CASES, **trees.CASES, **searches.CASES}
"""Functions from the number of threads to a dict of named results: arrays, numbers or text."""
