/* types: the trees of a forest, and what one of them is grown in.
 *
 * A tree of a forest looks at a few features of a node and forgets them: it keeps no sorted columns
 * as tree/columns.inc.h does, but the samples of each node, and reads the codes of the features that it draws.
 *
 * Limits: those of tree/types.h; a tree draws at most n_samples samples, so sums are no larger than there.
 */
#ifndef MOE_FOREST_TYPES_H
#define MOE_FOREST_TYPES_H

#include "base/buffers.h"
#include "draw/draw.h"
#include "tree/types.h"

/* Up to so many samples are sorted by comparing all pairs; positions among them fit into MOE_FOREST_FEW_BITS. */
#define MOE_FOREST_FEW 32
#define MOE_FOREST_FEW_BITS 5

/* The test number under which a tree draws its samples; a node draws under its own number. */
#define MOE_FOREST_BAG 0xFFFFFFFFu

/* A node; children are neighbours: left, left + 1. Twin of `forest.NODE`. */
typedef struct {
    double threshold; /* values <= threshold go left; of a leaf of a target, its mean */
    int32_t feature;  /* -1 = leaf */
    int32_t left;     /* the left child; of a leaf of classes, its first share */
    int32_t other;    /* 1 = missing values go left; of a leaf of classes, the number of its shares */
    int32_t size;     /* samples, as often as they were drawn */
} moe_forest_node_t;

/* A class that occurs in a leaf. Twin of `forest.SHARE`. */
typedef struct {
    double share; /* count / size of the leaf */
    int32_t label;
    int32_t count;
} moe_forest_share_t;

/* What all trees of a forest are grown by. */
typedef struct {
    const moe_data_t *data;
    const int64_t *rows;     /* [n_samples] the row of the table of each sample; for `drawn` alone */
    const int32_t *learn;    /* [n_learn] the samples that trees are grown on, ascending; NULL = all */
    const int32_t *features; /* [n_features] those that they look at, ascending; NULL = all */
    int32_t n_learn;
    int32_t n_features;
    moe_address_t address;   /* individual = tree, test = node */
    moe_stopping_t stopping; /* counts distinct samples */
    int32_t n_drawn;         /* samples of a tree, drawn with replacement; 0 = all, without drawing */
    int32_t min_weight;      /* least number of samples, as often as they count, on either side of a split; 0 = any */
    int32_t n_tried;         /* features drawn at a node, more if these have no split; 0 = all, in their order */
    const int32_t *weights;  /* [n_samples] how often each sample counts, >= 0: it is drawn so much more often, or
                                without drawing it stands so often; NULL = once. They sum to < 2^31; without drawing
                                data->reciprocal has an entry for n_learn times the largest, and so many targets sum
                                to < 2^62 in magnitude */
    const void *values;      /* [n_features, n_samples], value_width bytes: upper edge of the code of each sample; NaN =
                                missing. Not NULL: one random threshold for each feature */
} moe_forest_plan_t;

/* A tree that is grown. */
typedef struct {
    moe_forest_node_t *nodes;   /* [2 n_most - 1] */
    double *gains;              /* [2 n_most - 1] decrease of the impurity, of all samples of the node together */
    moe_forest_share_t *shares; /* [n_most], or NULL for a target */
    uint64_t *drawn;            /* [ceil(n_samples / 64)] bit r: row r was drawn; NULL = not asked for */
    int32_t n_nodes;            /* OUT */
    int32_t n_shares;           /* OUT */
} moe_forest_tree_t;

/* A node that waits. */
typedef struct {
    int32_t node, start, end, depth;
    int32_t size;     /* samples, as often as they were drawn */
    int32_t first;    /* the lower one of two classes whose entries say so, else -1 */
    int32_t second;   /* the other one */
    int32_t n_second; /* samples of it */
    uint64_t sum;     /* of the squared class counts; in regression of the target, an int64 */
} moe_forest_queued_t;

/* What a thread grows trees in. */
typedef struct {
    int32_t *samples;  /* [n_most] of the tree, node by node, in each ascending */
    uint64_t *entries; /* [n_most] of them, weight << 32 | what is counted (forest/scan.inc.h) */
    int32_t *spare_samples;  /* [n_most] right side while a node is divided */
    uint64_t *spare_entries; /* [n_most] */
    int32_t *weights;  /* [n_samples] how often each was drawn, or its weight */
    int32_t *codes;    /* [n_most] of the samples of a node in a feature */
    double *values;    /* [n_most] of them, where thresholds are random */
    double *best_values; /* [n_most] in the feature of the best split so far, likewise: the two change places */
    uint64_t *keys;    /* [n_most] code << 32 | place in the node, ascending */
    int64_t *z;        /* [n_most] weight times target, counted from the whole part of its mean */
    int32_t *chain;    /* [n_most] place + 1 of the next sample of the same code */
    int32_t *heads;    /* [65,537] place + 1 of the first sample of each code; 0 between uses */
    uint64_t *found;   /* [1025] codes that occur, a bit each; 0 between uses */
    int32_t *counts;   /* [n_classes] of the node; 0 between nodes */
    int32_t *left;     /* [n_classes] of the left side */
    int32_t *present;  /* [n_classes] that occur in the node */
    int32_t *features; /* [n_features] in their order between nodes */
    int32_t *swaps;    /* [n_features] */
    moe_forest_queued_t *queue; /* [n_most + 1] */
} moe_forest_work_t;

#define MOE_FOREST_CODES 65537 /* the missing value included */
#define MOE_FOREST_WORDS ((MOE_FOREST_CODES + 63) / 64)

/* Most distinct samples of a tree. */
static inline int64_t moe_forest_most(const moe_forest_plan_t *plan)
{
    return plan->n_drawn && plan->n_drawn < plan->n_learn ? plan->n_drawn : plan->n_learn;
}

/* Lay the workspace over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_forest_lay(uint8_t *buffer, const moe_forest_plan_t *plan, moe_forest_work_t *work /* OUT */)
{
    const int64_t n_most = moe_forest_most(plan), n_samples = plan->data->n_samples;
    const int64_t n_classes = plan->data->n_classes, n_features = plan->n_features;
    const int64_t whole = (int64_t)sizeof(int32_t), wide = (int64_t)sizeof(uint64_t);
    int64_t at = 0;
    work->samples = moe_buffers_next(buffer, plan->n_learn * whole, &at);
    work->entries = moe_buffers_next(buffer, n_most * wide, &at);
    work->spare_samples = moe_buffers_next(buffer, n_most * whole, &at);
    work->spare_entries = moe_buffers_next(buffer, n_most * wide, &at);
    work->weights = moe_buffers_next(buffer, n_samples * whole, &at);
    work->codes = moe_buffers_next(buffer, n_most * whole, &at);
    work->values = moe_buffers_next(buffer, n_most * wide, &at);
    work->keys = moe_buffers_next(buffer, n_most * wide, &at);
    work->best_values = (double *)work->keys; /* random thresholds need no keys */
    work->z = moe_buffers_next(buffer, n_most * wide, &at);
    work->chain = moe_buffers_next(buffer, n_most * whole, &at);
    work->heads = moe_buffers_next(buffer, MOE_FOREST_CODES * whole, &at);
    work->found = moe_buffers_next(buffer, MOE_FOREST_WORDS * wide, &at);
    work->counts = moe_buffers_next(buffer, n_classes * whole, &at);
    work->left = moe_buffers_next(buffer, n_classes * whole, &at);
    work->present = moe_buffers_next(buffer, n_classes * whole, &at);
    work->features = moe_buffers_next(buffer, n_features * whole, &at);
    work->swaps = moe_buffers_next(buffer, n_features * whole, &at);
    work->queue = moe_buffers_next(buffer, (n_most + 1) * (int64_t)sizeof(moe_forest_queued_t), &at);
    return at;
}

/* What is 0 between uses, and the features in their order. */
static inline void moe_forest_clear(const moe_forest_plan_t *plan, moe_forest_work_t *work)
{
    memset(work->heads, 0, MOE_FOREST_CODES * sizeof(int32_t));
    memset(work->found, 0, MOE_FOREST_WORDS * sizeof(uint64_t));
    memset(work->counts, 0, (size_t)plan->data->n_classes * sizeof(int32_t));
    for (int32_t f = 0; f < plan->n_features; f++) work->features[f] = plan->features ? plan->features[f] : f;
}

#endif
