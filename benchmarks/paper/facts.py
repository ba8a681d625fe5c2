"""What is known of the paper's 14 data sets before any of them is read."""

from typing import NamedTuple


class Facts(NamedTuple):
    """One data set of the paper.

    Samples, features and classes are those of the files, `printed` those of the paper's table where they differ.
    `k` is the number of features that the paper gives all its competitors: the size that its own search chose.
    `files` are the authors' two ARFF files (train, test) in the folder data/ of their repository, `openml` the numbers
    of the data set on OpenML, `url` an archive at UCI. `digest` is that of `sources.digest`; None where no copy could
    be looked at beforehand. `own` says whether the train and test parts of the NPZ file are the authors' own.
    """

    samples: int
    features: int
    classes: int
    k: int
    files: tuple = ()
    openml: tuple = ()
    url: str | None = None
    digest: str | None = None
    own: bool = True
    printed: str = ""
    note: str = ""


FACTS = {
    "madelon": Facts(
        2600, 500, 2, 22, ("madelon.trn.arff", "madelon.tst.arff"), (1485,),
        digest="54dc5f314bc9fb704ea79148fc1234ca2c308313f283fca7f45c9378cac3ce53", printed="2400 samples"),
    "dermatology": Facts(
        358, 34, 6, 6, ("additional/dermatology-5dobscv_trn.arff", "additional/dermatology-5dobscv_tst.arff"), (35,),
        digest="899e90542030a1a79537da15b5cd502ddf98ec3bfa80f921d820020bca51c1d4",
        note="without the 8 rows that have no age"),
    "movement_libras": Facts(
        360, 90, 15, 9, ("additional/movement_libras-5dobscv_trn.arff", "additional/movement_libras-5dobscv_tst.arff"),
        (299,), digest="f46be980874a9bf134d802e9b935036429e8eef320e350995d2853c0efda0092",
        note="12 rows of the authors' test part are also in their train part"),
    "arrhythmia": Facts(
        450, 279, 12, 11, ("additional/arrhythmia_trn.arff", "additional/arrhythmia_tst.arff"), (5,),
        digest="a1e91f9d01cc6c1be8859967046b997d7aefe235e3a57990323d7f558f7e80bc", printed="452 samples, 13 classes",
        note="missing values are 0, class 8 (2 rows) is left out, both as in the authors' files"),
    "smartphone-activity": Facts(
        10299, 561, 6, 8, ("additional/smartphone_activity_trn.arff", "additional/smartphone_activity_tst.arff"),
        (1478,), own=False),
    "isolet": Facts(
        7797, 617, 26, 44, (), (300,),
        digest="af99accc94315f1d8e2881404eaaefc61c47ad7a7bbf3bb2ed1a364a4de135b7", own=False,
        note="the parts of the NPZ file are a stratified 70/30 split: the authors' are not to be had"),
    "optdigits": Facts(
        5620, 64, 10, 10, ("additional/optdigits-5dobscv_trn.arff", "additional/optdigits-5dobscv_tst.arff"), (28,),
        digest="435a694c3f600c93c23b9c05c69e340eeb8906befa70509829f934f27f73cf91"),
    "mfeat": Facts(
        2000, 649, 10, 14, ("additional/mfeat_trn.arff", "additional/mfeat_tst.arff"), (12, 14, 16, 18, 20, 22),
        note="the NPZ file has 5 digits of each value, other sources more"),
    "gisette": Facts(
        7000, 5000, 2, 189, (), (41026,), own=False, printed="4999 features",
        note="the authors' conversion dropped a column"),
    "leukemia": Facts(
        72, 7129, 2, 30, ("leukemia_train_38x7129.arff", "leukemia_test_34x7129.arff"), (1104,),
        digest="b6130e6079665f72565acbc7ad51ab104a74b61eb2987e4b3351d1413e754b96"),
    "all-leukemia": Facts(
        327, 12558, 7, 168, ("additional/ALL-Leukemia_trn.arff", "additional/ALL-Leukemia_tst.arff"), own=False),
    "yeoh": Facts(
        248, 12625, 6, 270, ("additional/yeoh-trn.arff", "additional/yeoh-tst.arff"), own=False),
    "gcm": Facts(
        190, 16063, 14, 264, ("GCM_Training.arff", "GCM_Test.arff"), (1106,), own=False, printed="327 samples"),
    "tcga-pancan": Facts(
        801, 20531, 5, 302, (),
        url="https://archive.ics.uci.edu/static/public/401/gene+expression+cancer+rna+seq.zip", own=False),
}
"""By name. Numbers of features chosen (`k`): the paper's comparison; counts and files: the authors' repository."""

REPOSITORY = "https://github.com/ldvignolo/moeliga"
"""The authors', whose folder data/ holds the ARFF files."""
