/* histogram: counted features (few codes, none missing) and their splits. */
#ifndef MOE_TREE_HISTOGRAM_H
#define MOE_TREE_HISTOGRAM_H

#include "tree/gini.h"

/* Most splits of a counted feature, and most codes. */
#define MOE_HISTOGRAM_SPLITS 16
#define MOE_HISTOGRAM_CODES (MOE_HISTOGRAM_SPLITS + 1)

/* Row q = the 16 numbers from index q on: 1 in the lanes of splits below code q. They lie in one cache line. */
static const uint16_t moe_histogram_rows[2 * MOE_HISTOGRAM_SPLITS]
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Sums over the classes c, for each split: of r_c^2, of r_c t_c and of r_c, with r_c the count of c on the right side
 * and t_c its count in the node. */
typedef struct {
    uint64_t s_right[MOE_HISTOGRAM_SPLITS], cross[MOE_HISTOGRAM_SPLITS], n_right[MOE_HISTOGRAM_SPLITS];
} moe_histogram_t;

/* Evaluate every split of a counted feature exactly, in ascending order. s_left = s_node + s_right - 2 cross. */
static inline void moe_histogram_exact(const moe_histogram_t *sums, uint64_t n, uint64_t s_node, uint64_t min_leaf,
                                       int32_t feature, const double *reciprocal, moe_split_t *best /* IN and OUT */)
{
    double cutoff = best->score * (1.0 - MOE_SPLIT_ERROR);
    uint64_t before = n; /* n_right of the split before */
    for (int32_t lane = MOE_HISTOGRAM_SPLITS - 1; lane >= 0 && sums->n_right[lane]; lane--) {
        uint64_t n_right = sums->n_right[lane], n_left = n - n_right, s_right = sums->s_right[lane];
        if (n_right == before) continue; /* no sample has the code between this split and the one before */
        before = n_right;
        uint64_t s_left = s_node + s_right - 2 * sums->cross[lane];
        double score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
        if (score <= cutoff || n_left < min_leaf || n_right < min_leaf) continue;
        int32_t next = lane - 1; /* the split above the next code that occurs */
        while (next >= 0 && sums->n_right[next] == n_right) next--;
        moe_split_t split = {score, s_left, s_right, n_left, n_right, feature, MOE_HISTOGRAM_SPLITS - 1 - lane,
                         MOE_HISTOGRAM_SPLITS - 1 - next, 0};
        moe_gini_update_best(&split, best, &cutoff);
    }
}

#endif
