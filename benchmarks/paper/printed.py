"""The paper's comparison as printed, and what an earlier, independent harness measured on the same splits."""

METHODS = ("moeliga", "relieff", "surf", "surf*", "multisurf", "multisurf*", "mi", "rfe", "kbest", "sfs", "sffs",
           "boruta")

PRINTED = {
    "dermatology": (0.96, 0.70, 0.69, 0.54, 0.65, 0.53, 0.67, 0.68, 0.50, 0.89, 0.89, 0.72),
    "optdigits": (0.91, 0.79, 0.81, 0.66, 0.83, 0.52, 0.81, 0.61, 0.81, 0.85, 0.85, 0.48),
    "movement_libras": (0.80, 0.38, 0.48, 0.28, 0.38, 0.28, 0.45, 0.44, 0.48, 0.60, 0.60, 0.32),
    "arrhythmia": (0.67, 0.28, 0.28, 0.23, 0.33, 0.26, 0.28, 0.28, 0.26, 0.38, 0.35, 0.25),
    "madelon": (0.80, 0.83, 0.83, 0.82, 0.82, 0.84, 0.63, 0.64, 0.76, 0.77, 0.77, 0.83),
    "smartphone-activity": (0.88, 0.66, 0.60, 0.60, 0.60, 0.60, 0.53, 0.64, 0.67, 0.79, 0.79, 0.56),
    "isolet": (0.88, 0.69, 0.48, 0.47, 0.47, 0.45, 0.62, 0.45, 0.66, 0.79, 0.80, 0.33),
    "mfeat": (0.96, 0.91, 0.84, 0.57, 0.74, 0.74, 0.90, 0.74, 0.91, 0.92, 0.92, 0.75),
    "gisette": (0.91, 0.93, 0.93, 0.93, 0.91, 0.93, 0.92, 0.91, 0.93, 0.90, 0.92, 0.92),
    "leukemia": (0.91, 0.91, 0.91, 0.65, 0.91, 0.76, 0.91, 0.91, 0.91, 0.91, 0.91, 0.65),
    "all-leukemia": (0.83, 0.70, 0.67, 0.67, 0.65, 0.74, 0.68, 0.63, 0.70, 0.65, 0.66, 0.78),
    "yeoh": (0.87, 0.78, 0.68, 0.78, 0.74, 0.77, 0.84, 0.78, 0.77, 0.79, 0.74, 0.97),
    "gcm": (0.66, 0.29, 0.48, 0.25, 0.30, 0.21, 0.30, 0.43, 0.35, 0.41, 0.43, 0.45),
    "tcga-pancan": (0.98, 0.96, 0.98, 0.97, 0.97, 0.96, 0.94, 0.95, 0.96, 0.97, 0.96, 0.95),
}
"""UAR by data set, in the order of `METHODS`: the paper's table of its comparison with other methods. Its first column
is very likely `ovr_balanced_accuracy`, the others plain UAR."""

SETS = ("dermatology", "optdigits", "movement_libras", "arrhythmia", "madelon", "isolet", "mfeat", "leukemia")

MEASURED = {
    "all": (0.921, 0.866, 0.640, 0.386, 0.755, 0.805, 0.934, 0.914),
    "kbest": (0.490, 0.822, 0.468, 0.244, 0.749, 0.642, 0.922, 0.914),
    "mi": (0.652, 0.817, 0.454, 0.339, 0.643, 0.612, 0.935, 0.914),
    "rfe": (0.677, 0.605, 0.461, 0.231, 0.610, None, 0.733, 0.914),
    "relieff": (0.685, 0.802, 0.272, 0.276, 0.795, None, 0.907, 0.914),
    "multisurf": (0.617, 0.827, 0.552, 0.220, 0.790, None, 0.834, 0.914),
    "importance": (0.648, 0.798, 0.474, 0.282, 0.833, 0.761, 0.938, 0.829),
    "sfs": (0.885, 0.861, 0.630, 0.349, 0.753, None, 0.927, None),
    "sffs": (0.885, 0.861, 0.630, 0.349, None, None, 0.927, None),
    "boruta": (0.648, None, 0.472, 0.296, 0.833, None, None, 0.914),
}
"""Test UAR by method, in the order of `SETS`: decision tree, mean over 20 of its seeds, features chosen on the training
rows; the splits are the sets' own parts and the sizes the paper's. Made with another program before this one."""
