"""Whether honest scores are honest: fits on outer splits of real data sets, judged by rows that they never saw.

  python benchmarks/honest/run.py                       all sets, as far as they are at hand
  python benchmarks/honest/run.py sonar srbct --splits 3
  python benchmarks/honest/run.py sonar --setting 40x25 --models tree svm

Rows go to results/choices.csv and results/slots.csv as soon as a split is done, and splits that are there are passed
over. `tables.py` makes the tables of README.md.
"""

import argparse
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from honest.honesty import CHOICES, MODELS, SLOTS, study
from options import positive, sets_of
from paper import datasets
from paper.results import Results

RESULTS = Path(__file__).resolve().parent / "results"
SETS = ("sonar", "ionosphere", "dermatology", "sorlie", "lung_small", "colon_alon", "srbct", "christensen", "soybean",
        "movement_libras", "arrhythmia", "leukemia", "lymphoma", "madelon", "glioma", "cnae9")
"""From cheap to dear; half of them have more than 300 features. The defaults were chosen by them."""

OTHERS = ("subramanian", "braintumor", "orlraws10p", "nakayama", "splice", "waveform5000", "spambase", "mfeat",
          "arcene", "basehock")
"""They had no part in that."""

SETTINGS = {"": {}, "40x25": {"population_size": 40, "n_generations": 25}, "90x60": {"population_size": 90}}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET",
                        help=f"of {', '.join((*SETS, *OTHERS))}, or another of the folder")
    parser.add_argument("--splits", type=positive, default=10, help="outer splits of each set")
    parser.add_argument("--setting", choices=SETTINGS, default="", help="of the selector; its defaults without")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the files")
    options = parser.parse_args(argv)
    choices, slots = Results(options.results / "choices.csv", CHOICES), Results(options.results / "slots.csv", SLOTS)
    names = sets_of(parser, options.sets, (*SETS, *OTHERS), {*datasets.names(), *datasets.extra()})
    for file in (choices, slots):
        file.ready()
    for split in range(options.splits):
        for name in names:
            done = {(row["set"], row["split"], row["setting"]) for row in choices.rows}
            if (name, str(split), options.setting) in done:
                continue
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "honest=5 gives")  # small classes: fewer folds
                found = study(name, split, options.setting, {model: MODELS[model] for model in options.models},
                              **SETTINGS[options.setting])
            for file, rows in zip((slots, choices), reversed(found), strict=True):
                file.add(rows)
            print(name, split, options.setting, round(sum({row["model"]: row["seconds"] for row in found[0]}.values())),
                  "s", flush=True)


if __name__ == "__main__":
    main()
