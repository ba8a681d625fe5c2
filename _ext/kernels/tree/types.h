/* types: the coded data set, stopping rules, nodes and trees.
 *
 * A data set is coded once: the code of a value is its rank among the distinct values of its feature; a missing value
 * (NaN) has the code after the last. `order` lists the samples of each feature by ascending code.
 *
 * Limits: n_samples <= 2^30 (a tree has 2 n - 1 nodes), distinct values of a feature <= 65,536 (the missing value
 * included), n_classes <= 65,536. Squared class counts sum to < 2^62; so do the magnitudes of a target.
 */
#ifndef MOE_TREE_TYPES_H
#define MOE_TREE_TYPES_H

#include "base/base.h"

/* Entries that vector loops may read beyond the end; their contents do not matter. */
#define MOE_TREE_PAD 16

typedef struct {
    const void *codes;      /* [F, n_samples], code_width bytes each */
    const void *order;      /* [F, n_samples], order_width bytes each */
    const void *lower;      /* [offset[F]] smallest value of each code, value_width bytes (tree/bins.h) */
    const void *upper;      /* [offset[F]] largest value of each code; = lower where coding is exact */
    const int64_t *offset;  /* [F + 1] codes of feature f: lower[offset[f] .. offset[f + 1]) */
    const uint8_t *counted; /* [F] 1 = at most MOE_HISTOGRAM_CODES codes, none missing (tree/histogram.inc.h) */
    const uint16_t *labels; /* [n_samples] */
    const int64_t *target;  /* [n_samples] regression (tree/variance.h); NULL = classification */
    const double *reciprocal; /* [n_samples + 1] 1.0 / i; entry 0 is not used */
    const float *rise;        /* [n_samples + 1 + MOE_TREE_PAD] 1.0 / i, rounded to float */
    const float *fall;        /* [n_samples + 1 + MOE_TREE_PAD] fall[i] = rise[n_samples - i] */
    int32_t n_features; /* F */
    int32_t n_samples;
    int32_t n_classes;
    int32_t code_width;  /* 1 or 2 */
    int32_t order_width; /* 2 or 4 */
    int32_t value_width; /* 4 or 8: lower and upper are floats or doubles */
    int32_t entry_width; /* 4 or 8: bytes of an entry */
    int32_t id_bits;     /* an entry is code << (id_bits + label_bits) | label << id_bits | sample */
    int32_t label_bits;  /* 0 in regression: entries bear no label */
    int32_t level;       /* instruction set to use, at most moe_base_level() */
} moe_data_t;

typedef struct {
    int32_t max_depth;         /* depth of the deepest leaf, >= 0 */
    int32_t min_samples_split; /* >= 2 */
    int32_t min_samples_leaf;  /* >= 1 */
} moe_stopping_t;

/* Input of a tree. */
typedef struct {
    const moe_data_t *data;
    const uint8_t *marks;           /* [n_samples] 0 = training sample */
    const int32_t *features;        /* [k] features, ascending */
    const moe_stopping_t *stopping;
    int32_t k;
    int32_t n_train; /* training samples */
} moe_training_t;

/* A node; its children are neighbours: left, left + 1. Twin of `tree.NODE`. */
typedef struct {
    int32_t feature; /* -1 = leaf */
    int32_t left;    /* index of the left child */
    int32_t code;    /* codes <= code go left */
    int32_t missing; /* code of missing values, if they go left; -1 = they go right */
    int32_t label;   /* majority class, ties to the lowest; 0 in regression */
} moe_node_t;

/* A tree; the arrays have room for 2 n_train - 1 nodes; NULL = not wanted. */
typedef struct {
    moe_node_t *nodes;
    double *thresholds;   /* of split nodes only */
    int32_t *node_counts; /* [., n_classes] classification: training samples of each class */
    double *means;        /* regression, never NULL: mean of the target */
    int32_t *sizes;       /* regression: number of training samples */
} moe_tree_t;

/* A queued node: its samples are entries [start, end) of the column of every feature in lists[list .. list + n_list),
 * the features that may still vary in it. */
typedef struct {
    int32_t node, start, end, depth;
    int64_t list;
    uint64_t s_node; /* sum of the squared class counts; in regression the sum of the target, an int64 */
    int32_t n_list;
    int32_t scope; /* index of the scope in which its classes are numbered (tree/classifier.inc.h) */
} moe_queued_t;

#endif
