"""The paper's operators, for tests that rest on what they do: how many are evaluated again, elites, f''."""

from moeliga.search.resolve import PRESETS

NAMES = ("survival", "split_mode", "reevaluate", "init", "variation", "feature_prior")

PAPER = {name: PRESETS["paper"][name] for name in NAMES}
