/* histogram: features of few codes, none missing, and their splits. */
#ifndef MOE_TREE_HISTOGRAM_H
#define MOE_TREE_HISTOGRAM_H

#include "tree/gini.h"

/* Splits of a counted feature, and codes, at most. */
#define MOE_HISTOGRAM_SPLITS 16
#define MOE_HISTOGRAM_CODES (MOE_HISTOGRAM_SPLITS + 1)

/* Overlapping rows; aligned, they lie in one line of the cache. */
static const uint16_t moe_histogram_rows[2 * MOE_HISTOGRAM_SPLITS]
#if defined(__GNUC__)
    __attribute__((aligned(64)))
#endif
    = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Sums over the classes of a node, for each split: squared counts on the right; count
 * on the right times count of the node; count on the right. */
typedef struct {
    uint64_t s_right[MOE_HISTOGRAM_SPLITS], cross[MOE_HISTOGRAM_SPLITS], n_right[MOE_HISTOGRAM_SPLITS];
} moe_histogram_t;

/* Try every split of a counted feature exactly, in ascending order. */
static inline void moe_histogram_exact(const moe_histogram_t *sums, uint64_t n, uint64_t s_node, uint64_t min_leaf,
                                       int32_t feature, const double *reciprocal, moe_split_t *best /* IN and OUT */)
{
    double bar = best->score * (1.0 - MOE_SPLIT_CLOSE);
    uint64_t before = n; /* on the right of the split before */
    for (int32_t lane = MOE_HISTOGRAM_SPLITS - 1; lane >= 0 && sums->n_right[lane]; lane--) {
        uint64_t n_right = sums->n_right[lane], n_left = n - n_right, s_right = sums->s_right[lane];
        if (n_right == before) continue; /* no sample has the code below this split */
        before = n_right;
        uint64_t s_left = s_node + s_right - 2 * sums->cross[lane];
        double score = (double)s_left * reciprocal[n_left] + (double)s_right * reciprocal[n_right];
        if (score <= bar || n_left < min_leaf || n_right < min_leaf) continue;
        int32_t next = lane - 1; /* split above the next code that occurs */
        while (next >= 0 && sums->n_right[next] == n_right) next--;
        moe_split_t split = {score, s_left, s_right, n_left, n_right, feature, MOE_HISTOGRAM_SPLITS - 1 - lane,
                         MOE_HISTOGRAM_SPLITS - 1 - next, 0};
        moe_gini_offer(&split, best, &bar);
    }
}

#endif
