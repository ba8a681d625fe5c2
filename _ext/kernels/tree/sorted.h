/* sorted: limits of the estimates of sorted features, and the trial of one feature. */
#ifndef MOE_TREE_SORTED_H
#define MOE_TREE_SORTED_H

#include "tree/split.h"

/* Node sizes for which splits are estimated. Up to MAX, twice the sums of squares fit in 31 bits; below MIN it is
 * faster to try all splits exactly. */
#define MOE_SORTED_MAX 32767
#define MOE_SORTED_MIN 8
/* MAX for nodes of two classes: counts, and half-integers beside them, are exact floats. */
#define MOE_SORTED_MAX_TWO 4194303
/* Relative error bound of an estimate: below 8 * 2^-24. */
#define MOE_SORTED_ERROR 1e-6f

/* A trial: evaluate exactly the splits of one feature with a high estimate. */
typedef struct {
    float cutoff;      /* smallest estimate to be tried */
    int32_t position;  /* index of the feature in the subset */
    moe_split_t *best; /* IN and OUT */
} moe_sorted_trial_t;

#endif
