/* sorted: sizes of the nodes whose sorted features are estimated. */
#ifndef MOE_TREE_SORTED_H
#define MOE_TREE_SORTED_H

/* Largest node that is estimated: twice the sums of squares fit in 31 bits. Smallest
 * one: below, trying all splits exactly is faster. */
#define MOE_SORTED_MAX 32767
#define MOE_SORTED_MIN 8
/* The same for nodes of two classes: counts, and half a sample beside them, are floats. */
#define MOE_SORTED_MAX_TWO 4194303
/* An estimate is off by less than 8 * 2^-24 of itself. */
#define MOE_SORTED_CLOSE 1e-6f

#endif
