/* sorted: which splits of sorted features are estimated, and which are tried. */
#ifndef MOE_TREE_SORTED_H
#define MOE_TREE_SORTED_H

#include "tree/split.h"

/* Largest node that is estimated: twice the sums of squares fit in 31 bits. Smallest
 * one: below, trying all splits exactly is faster. */
#define MOE_SORTED_MAX 32767
#define MOE_SORTED_MIN 8
/* The same for nodes of two classes: counts, and half a sample beside them, are floats. */
#define MOE_SORTED_MAX_TWO 4194303
/* An estimate is off by less than 8 * 2^-24 of itself. */
#define MOE_SORTED_CLOSE 1e-6f

/* The splits of one feature that are tried exactly. */
typedef struct {
    float bar;         /* those of at least this estimate */
    int32_t position;  /* place of the feature in the subset */
    moe_split_t *best; /* IN and OUT */
} moe_sorted_trial_t;

#endif
