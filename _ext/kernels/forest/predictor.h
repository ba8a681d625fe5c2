/* predictor: what the trees of a forest say of samples, added tree by tree. */
#ifndef MOE_FOREST_PREDICTOR_H
#define MOE_FOREST_PREDICTOR_H

#include "forest/types.h"

/* Samples that go down a tree one after the other, while it is in the cache. */
#define MOE_PREDICTOR_BLOCK 64

/* A forest, and the samples that go down it. */
typedef struct {
    const moe_forest_node_t *nodes;   /* all trees */
    const int64_t *node_start;        /* [n_trees + 1] */
    const moe_forest_share_t *shares; /* NULL for a target */
    const int64_t *share_start;       /* [n_trees + 1] */
    const uint64_t *drawn;            /* [n_trees, n_words] bit i: not down this tree; NULL = all down all */
    const double *samples;            /* [n_samples, n_features]; NaN = missing */
    int64_t n_words;
    int64_t n_samples;
    int64_t n_features;
    int64_t n_outputs; /* classes, or 1 */
    int32_t n_trees;
} moe_forest_walk_t;

/* Add what the trees say of the samples of a block, in the order of the trees, and count them. */
static inline void moe_forest_walk(const moe_forest_walk_t *walk, int64_t block,
                                   double *sums /* IN and OUT [n_samples, n_outputs] */,
                                   int32_t *n_votes /* IN and OUT [n_samples] */)
{
    const int64_t start = block * MOE_PREDICTOR_BLOCK, n_features = walk->n_features;
    const int64_t end = start + MOE_PREDICTOR_BLOCK < walk->n_samples ? start + MOE_PREDICTOR_BLOCK : walk->n_samples;
    for (int32_t t = 0; t < walk->n_trees; t++) {
        const moe_forest_node_t *nodes = walk->nodes + walk->node_start[t];
        const moe_forest_share_t *shares = walk->shares ? walk->shares + walk->share_start[t] : NULL;
        const uint64_t *drawn = walk->drawn ? walk->drawn + t * walk->n_words : NULL;
        for (int64_t i = start; i < end; i++) {
            const double *sample = walk->samples + i * n_features;
            const moe_forest_node_t *node = nodes;
            if (drawn && (drawn[i >> 6] >> (i & 63) & 1)) continue;
            while (node->feature >= 0) {
                const double value = sample[node->feature];
                const int left = (value <= node->threshold) | ((value != value) & node->other);
                node = nodes + node->left + !left;
            }
            n_votes[i]++;
            if (!shares) {
                sums[i] += node->threshold;
                continue;
            }
            for (int32_t j = 0; j < node->other; j++) {
                const moe_forest_share_t *share = shares + node->left + j;
                sums[i * walk->n_outputs + share->label] += share->share;
            }
        }
    }
}

#endif
