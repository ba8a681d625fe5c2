/* types: the trees of a forest, and the workspace in which one is grown.
 *
 * A node of a forest needs only a few drawn features, once: a tree keeps no sorted columns as tree/columns.inc.h does,
 * but the list of samples of each node, and reads their codes in the features that it draws.
 *
 * Limits: those of tree/types.h; a tree draws at most n_samples samples, so sums are no larger than there.
 */
#ifndef MOE_FOREST_TYPES_H
#define MOE_FOREST_TYPES_H

#include "base/buffers.h"
#include "draw/draw.h"
#include "tree/types.h"

/* Nodes of up to this size are sorted by comparing all pairs; an index in them fits into MOE_FOREST_FEW_BITS. */
#define MOE_FOREST_FEW 32
#define MOE_FOREST_FEW_BITS 5

/* The test number (draw/draw.h) under which a tree draws its samples; a node draws under its own number. */
#define MOE_FOREST_BAG 0xFFFFFFFFu

/* A node; its children are neighbours: left, left + 1. Twin of `forest.NODE`. */
typedef struct {
    double threshold; /* values <= threshold go left; in a leaf of a target, its mean */
    int32_t feature;  /* -1 = leaf */
    int32_t left;     /* index of the left child; in a leaf of classes, index of its first share */
    int32_t other;    /* 1 = missing values go left; in a leaf of classes, the number of its shares */
    int32_t size;     /* sum of the weights of its samples */
} moe_forest_node_t;

/* The share of a class that occurs in a leaf. Twin of `forest.SHARE`. */
typedef struct {
    double share; /* count / size of the leaf */
    int32_t label;
    int32_t count;
} moe_forest_share_t;

/* What all trees of a forest have in common. */
typedef struct {
    const moe_data_t *data;
    const int64_t *rows;     /* [n_samples] row of each sample in the caller's table; read for `drawn` only */
    const int32_t *learn;    /* [n_learn] samples to learn from, ascending; NULL = all */
    const int32_t *features; /* [n_features] features that may be drawn, ascending; NULL = all */
    int32_t n_learn;
    int32_t n_features;
    moe_address_t address;   /* of the draws: individual = tree, test = node */
    moe_stopping_t stopping; /* counts distinct samples */
    int32_t n_drawn;         /* draws of samples for a tree, with replacement; 0 = all samples, without drawing */
    int32_t min_weight;      /* smallest sum of weights on either side of a split; 0 = any */
    int32_t n_tried;         /* features drawn at a node, more if none of them has a split; 0 = all, in their order */
    const int32_t *weights;  /* [n_samples] weight >= 0 of each sample: its probability to be drawn is proportional
                                to it, or without drawing it counts as that many samples; NULL = 1 each. Sum < 2^31;
                                without drawing, data->reciprocal has n_learn * (largest weight) entries, and the
                                weighted targets sum to < 2^62 in magnitude */
    const void *values;      /* [n_features, n_samples], value_width bytes: upper edge of the code of each sample;
                                NaN = missing. Not NULL = each feature has one random threshold */
} moe_forest_plan_t;

/* A tree; the caller owns the arrays. */
typedef struct {
    moe_forest_node_t *nodes;   /* [2 n_most - 1] */
    double *gains;              /* [2 n_most - 1] decrease of the impurity by each split, summed over its samples */
    moe_forest_share_t *shares; /* [n_most], or NULL for a target */
    uint64_t *drawn;            /* [ceil(n_samples / 64)] bit r: row r was drawn; NULL = not asked for */
    int32_t n_nodes;            /* OUT */
    int32_t n_shares;           /* OUT */
} moe_forest_tree_t;

/* A queued node; its samples are [start, end). */
typedef struct {
    int32_t node, start, end, depth;
    int32_t size;     /* sum of the weights of its samples */
    int32_t first;    /* the lower of two classes, if its entries have the form of two classes, else -1 */
    int32_t second;   /* the higher one */
    int32_t n_second; /* sum of the weights of the second class */
    uint64_t sum;     /* sum of the squared class counts; in regression the sum of the target, an int64 */
} moe_forest_queued_t;

/* The workspace of a thread. */
typedef struct {
    int32_t *samples;  /* [n_learn] samples of the tree, node by node, ascending in each node */
    uint64_t *entries; /* [n_most] entries of these samples, weight << 32 | low half (forest/scan.inc.h) */
    int32_t *spare_samples;  /* [n_most] right side during a partition */
    uint64_t *spare_entries; /* [n_most] likewise */
    int32_t *weights;  /* [n_samples] how often each sample was drawn, or its own weight */
    int32_t *codes;    /* [n_most] codes of the samples of a node in a feature */
    double *values;    /* [n_most] their values, if thresholds are random */
    double *best_values; /* [n_most] values in the feature of the best split so far; the two buffers are swapped */
    uint64_t *keys;    /* [n_most] code << 32 | index in the node, ascending */
    int64_t *z;        /* [n_most] weight * (target - integer part of the node's mean) */
    int32_t *chain;    /* [n_most] index + 1 of the next sample with the same code, 0 = none */
    int32_t *heads;    /* [65,537] index + 1 of the first sample with each code; 0 between uses */
    uint64_t *code_bits; /* [1025] bitset of the codes that occur; 0 between uses */
    int32_t *counts;   /* [n_classes] class counts of the node; 0 between nodes */
    int32_t *left;     /* [n_classes] class counts of the left side */
    int32_t *present;  /* [n_classes] classes that occur in the node */
    int32_t *features; /* [n_features] features, in their original order between nodes */
    int32_t *swaps;    /* [n_features] swaps of the draws of a node */
    moe_forest_queued_t *queue; /* [n_most + 1] */
} moe_forest_work_t;

#define MOE_FOREST_CODES 65537 /* including the code of missing values */
#define MOE_FOREST_WORDS ((MOE_FOREST_CODES + 63) / 64)

/* Return the largest number of distinct samples of a tree. */
static inline int64_t moe_forest_max_samples(const moe_forest_plan_t *plan)
{
    return plan->n_drawn && plan->n_drawn < plan->n_learn ? plan->n_drawn : plan->n_learn;
}

/* Lay out the workspace over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_forest_lay(uint8_t *buffer, const moe_forest_plan_t *plan, moe_forest_work_t *work /* OUT */)
{
    const int64_t n_most = moe_forest_max_samples(plan), n_samples = plan->data->n_samples;
    const int64_t n_classes = plan->data->n_classes, n_features = plan->n_features;
    const int64_t size_32 = (int64_t)sizeof(int32_t), size_64 = (int64_t)sizeof(uint64_t);
    int64_t at = 0;
    work->samples = moe_buffers_next(buffer, plan->n_learn * size_32, &at);
    work->entries = moe_buffers_next(buffer, n_most * size_64, &at);
    work->spare_samples = moe_buffers_next(buffer, n_most * size_32, &at);
    work->spare_entries = moe_buffers_next(buffer, n_most * size_64, &at);
    work->weights = moe_buffers_next(buffer, n_samples * size_32, &at);
    work->codes = moe_buffers_next(buffer, n_most * size_32, &at);
    work->values = moe_buffers_next(buffer, n_most * size_64, &at);
    work->keys = moe_buffers_next(buffer, n_most * size_64, &at);
    work->best_values = (double *)work->keys; /* random thresholds need no keys: reuse their buffer */
    work->z = moe_buffers_next(buffer, n_most * size_64, &at);
    work->chain = moe_buffers_next(buffer, n_most * size_32, &at);
    work->heads = moe_buffers_next(buffer, MOE_FOREST_CODES * size_32, &at);
    work->code_bits = moe_buffers_next(buffer, MOE_FOREST_WORDS * size_64, &at);
    work->counts = moe_buffers_next(buffer, n_classes * size_32, &at);
    work->left = moe_buffers_next(buffer, n_classes * size_32, &at);
    work->present = moe_buffers_next(buffer, n_classes * size_32, &at);
    work->features = moe_buffers_next(buffer, n_features * size_32, &at);
    work->swaps = moe_buffers_next(buffer, n_features * size_32, &at);
    work->queue = moe_buffers_next(buffer, (n_most + 1) * (int64_t)sizeof(moe_forest_queued_t), &at);
    return at;
}

/* Zero the buffers that are 0 between uses, and list the features in their order. */
static inline void moe_forest_clear(const moe_forest_plan_t *plan, moe_forest_work_t *work)
{
    memset(work->heads, 0, MOE_FOREST_CODES * sizeof(int32_t));
    memset(work->code_bits, 0, MOE_FOREST_WORDS * sizeof(uint64_t));
    memset(work->counts, 0, (size_t)plan->data->n_classes * sizeof(int32_t));
    for (int32_t f = 0; f < plan->n_features; f++) work->features[f] = plan->features ? plan->features[f] : f;
}

#endif
