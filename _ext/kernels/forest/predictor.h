/* predictor: add the answers of the trees of a forest for raw samples, tree by tree. */
#ifndef MOE_FOREST_PREDICTOR_H
#define MOE_FOREST_PREDICTOR_H

#include "forest/types.h"

/* Samples of the smallest block: one word of `drawn` for each tree. */
#define MOE_PREDICTOR_WORD 64

/* Samples that descend a tree together. */
#define MOE_PREDICTOR_TOGETHER 8

/* A forest, and the samples to predict. */
typedef struct {
    const moe_forest_node_t *nodes;   /* nodes of all trees, one tree after the other */
    const int64_t *node_start;        /* [n_trees + 1] */
    const moe_forest_share_t *shares; /* NULL for a target */
    const int64_t *share_start;       /* [n_trees + 1] */
    const uint64_t *drawn;            /* [n_trees, n_words] bit i = skip sample i in this tree; NULL = no tree skips
                                         a sample */
    const double *samples;            /* [n_samples, n_features]; NaN = missing */
    int64_t n_words;
    int64_t n_samples;
    int64_t n_features;
    int64_t n_outputs; /* number of classes, or 1 for a target */
    int64_t n_block;   /* samples of a block, a multiple of 64; all descend one tree before the next */
    int32_t n_trees;
    int32_t is_checked; /* 1 = the trees are known to be valid; 0 = check them while descending */
} moe_forest_walk_t;

/* Find the leaves of up to MOE_PREDICTOR_TOGETHER samples, which descend together so that their cache misses overlap.
 * Return 1, or 0 if the tree is invalid: a feature >= n_features, or children that do not come after their parent. */
static inline int moe_forest_down(const moe_forest_node_t *nodes, int64_t n_nodes, int64_t n_features,
                                  const double *const *samples /* IN [n] */, int32_t n,
                                  int64_t *at /* OUT [n] */, const int is_checked)
{
    int is_moving = 1;
    for (int32_t k = 0; k < n; k++) at[k] = 0;
    while (is_moving) {
        is_moving = 0;
        for (int32_t k = 0; k < n; k++) {
            const moe_forest_node_t *node = nodes + at[k];
            if (node->feature < 0) continue;
            if (!is_checked && (node->feature >= n_features || node->left <= at[k] || node->left >= n_nodes - 1))
                return 0;
            const double value = samples[k][node->feature];
            const int left = (value <= node->threshold) | ((value != value) & node->other);
            at[k] = node->left + !left;
            is_moving = 1;
        }
    }
    return 1;
}

/* Add the answers and votes of one tree for the samples of a block; return 1, or 0 if the tree is invalid. */
static inline int moe_forest_walk_tree(const moe_forest_walk_t *walk, int32_t t, int64_t start, int64_t end,
                                       double *sums, int32_t *n_votes, const int is_checked)
{
    const moe_forest_node_t *nodes = walk->nodes + walk->node_start[t];
    const moe_forest_share_t *shares = walk->shares ? walk->shares + walk->share_start[t] : NULL;
    const int64_t n_nodes = walk->node_start[t + 1] - walk->node_start[t], n_outputs = walk->n_outputs;
    const int64_t n_shares = shares ? walk->share_start[t + 1] - walk->share_start[t] : 0;
    const uint64_t *drawn = walk->drawn ? walk->drawn + t * walk->n_words : NULL;
    const double *samples[MOE_PREDICTOR_TOGETHER];
    int64_t rows[MOE_PREDICTOR_TOGETHER], at[MOE_PREDICTOR_TOGETHER];
    if (!is_checked && n_nodes < 1) return 0;
    for (int64_t i = start; i < end;) {
        int32_t n = 0;
        for (; i < end && n < MOE_PREDICTOR_TOGETHER; i++) {
            if (drawn && (drawn[i >> 6] >> (i & 63) & 1)) continue;
            samples[n] = walk->samples + i * walk->n_features;
            rows[n++] = i;
        }
        if (!moe_forest_down(nodes, n_nodes, walk->n_features, samples, n, at, is_checked)) return 0;
        for (int32_t k = 0; k < n; k++) {
            const moe_forest_node_t *leaf = nodes + at[k];
            n_votes[rows[k]]++;
            if (!shares) {
                sums[rows[k]] += leaf->threshold;
                continue;
            }
            if (!is_checked && (leaf->left < 0 || leaf->other < 0 || leaf->other > n_shares - leaf->left)) return 0;
            for (int32_t j = 0; j < leaf->other; j++) {
                const moe_forest_share_t *share = shares + leaf->left + j;
                if (!is_checked && (share->label < 0 || share->label >= n_outputs)) return 0;
                sums[rows[k] * n_outputs + share->label] += share->share;
            }
        }
    }
    return 1;
}

/* Add the answers of all trees, in their order, for the samples of a block, and count the trees that answered; return
 * 1, or 0 if a tree is invalid. */
static inline int moe_forest_walk(const moe_forest_walk_t *walk, int64_t block,
                                  double *sums /* IN and OUT [n_samples, n_outputs] */,
                                  int32_t *n_votes /* IN and OUT [n_samples] */)
{
    const int64_t start = block * walk->n_block;
    const int64_t end = start + walk->n_block < walk->n_samples ? start + walk->n_block : walk->n_samples;
    for (int32_t t = 0; t < walk->n_trees; t++)
        if (!(walk->is_checked ? moe_forest_walk_tree(walk, t, start, end, sums, n_votes, 1)
                               : moe_forest_walk_tree(walk, t, start, end, sums, n_votes, 0)))
            return 0;
    return 1;
}

#endif
