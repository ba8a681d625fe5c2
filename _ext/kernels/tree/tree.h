/* tree: the structures of the decision tree, and the sizes of its buffers.
 *
 * A data set is coded once: the code of a value is its rank among the distinct
 * values of its feature; a missing value (NaN) has the code after the last.
 * `order` lists the samples of each feature by ascending code.
 *
 * Limits: n_samples <= 2^30 (a tree has 2 n - 1 nodes), distinct values of a feature <= 65,536 (the missing
 * value included), n_classes <= 65,536. Squared class counts sum to < 2^62; so do the magnitudes of a target.
 */
#ifndef MOE_TREE_H
#define MOE_TREE_H

#include "base/parts.h"

/* Entries that vector loops may read beyond the end (zeros, or whatever is there). */
#define MOE_TREE_PAD 16

/* Features that are scanned together, and the entries of each between two stops. */
#define MOE_TREE_MANY 4
#define MOE_TREE_CHUNK 256

typedef struct {
    const void *codes;      /* [F, n_samples], code_width bytes each */
    const void *order;      /* [F, n_samples], order_width bytes each */
    const void *lower;      /* [offset[F]] smallest value of each code, value_width bytes (tree/bin.h) */
    const void *upper;      /* [offset[F]] largest value of each code; = lower where coding is exact */
    const int64_t *offset;  /* [F + 1] codes of feature f: lower[offset[f] .. offset[f + 1]) */
    const uint8_t *counted; /* [F] 1 = at most MOE_COUNT_CODES codes, none missing (tree/count.inc.h) */
    const uint16_t *labels; /* [n_samples] */
    const int64_t *target;  /* [n_samples] regression (tree/gain.h); NULL = classification */
    const double *reciprocal; /* [n_samples + 1] 1.0 / i; entry 0 is not used */
    const float *rise;        /* [n_samples + 1 + MOE_TREE_PAD] the same, rounded to float */
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
    int32_t max_depth;         /* levels of splits, >= 0 */
    int32_t min_samples_split; /* >= 2 */
    int32_t min_samples_leaf;  /* >= 1 */
} moe_rules_t;

/* A node; children are neighbours: left, left + 1. Twin of `tree.NODE`. */
typedef struct {
    int32_t feature; /* -1 = leaf */
    int32_t left;    /* index of the left child */
    int32_t code;    /* codes <= code go left */
    int32_t missing; /* this code goes left too; -1 = none */
    int32_t label;   /* majority class, ties to the lowest; 0 in regression */
} moe_node_t;

/* A node that waits to be split: its samples are [start, end) of every feature
 * in lists[list, list + n_list), the features that may still vary in it. */
typedef struct {
    int32_t node, start, end, depth;
    int64_t list;
    uint64_t s_node; /* sum of the squared class counts; in regression the sum of the target, an int64 */
    int32_t n_list;
    int32_t scope; /* in which its classes are numbered (tree/split.inc.h) */
} moe_frame_t;

/* What a thread works with: the columns of its tree, which it may share with others,
 * and a desk of its own. */
typedef struct {
    void *entries;      /* [k + 1, n_train + MOE_TREE_PAD in all] a column for each sorted feature; the samples */
    void *stamps;       /* [n_samples] entry of code 0 of each sample */
    void *spare;        /* [n_train + MOE_TREE_PAD] right side during a partition */
    uint64_t *totals;   /* [MOE_TREE_MANY, MOE_TREE_CHUNK] running sums of scans */
    uint64_t *tally;    /* [1 + MOE_TREE_MANY, n_classes] of the node; of scans */
    float *values;      /* [k] best cut of each feature of a node */
    int32_t *present;   /* [n_classes] counts of the classes that occur in a node */
    int32_t second;     /* the higher class of a node of two, else -1 */
    float kept_value;   /* of the best counted feature of a node so far, 0 = none */
    int32_t kept_feature;
    int32_t kept[3 * 16]; /* its sums (tree/count.inc.h), which are wanted again to try it exactly */
    moe_frame_t *stack; /* [n_branch + 1] */
    int32_t *lists;     /* [moe_tree_lists(k, n_branch, max_depth)] */
    int32_t *counts;    /* [3, n_classes] node, left, right */
    int32_t *names;     /* [2 n_classes] classes of each scope (tree/split.inc.h) */
    uint8_t *side;      /* [n_samples + MOE_TREE_PAD] 1 = goes left */
} moe_work_t;

static inline int64_t moe_tree_max_nodes(int64_t n_train) { return 2 * n_train - 1; }

/* A list is shorter than the one that it was made from, and there is at most one
 * per level that waits: k + (k - 1) + ... over min(k, levels) terms. */
static inline int64_t moe_tree_lists(int64_t k, int64_t n_train, int64_t max_depth)
{
    int64_t levels = (max_depth < n_train ? max_depth : n_train) + 1;
    int64_t terms = levels < k ? levels : k;
    return k + terms * k - terms * (terms - 1) / 2;
}

/* Lay the columns of a tree of n_train samples and k features over `buffer` (aligned
 * to 8) and return their size in bytes; with NULL only the size. */
static inline int64_t moe_tree_columns(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                       moe_work_t *work /* OUT */)
{
    int64_t at = 0;
    work->entries = moe_parts_next(buffer, ((k + 1) * n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->stamps = moe_parts_next(buffer, (int64_t)data->n_samples * data->entry_width, &at);
    return at;
}

/* The same for what each thread has to itself, which grows branches of at most n_branch
 * samples of a tree of n_train. */
static inline int64_t moe_tree_desk(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t n_branch,
                                    int64_t k, int64_t max_depth, moe_work_t *work /* OUT */)
{
    const int64_t whole = (int64_t)sizeof(int32_t), wide = (int64_t)sizeof(uint64_t), n_classes = data->n_classes;
    int64_t at = 0;
    work->spare = moe_parts_next(buffer, (n_train + MOE_TREE_PAD) * data->entry_width, &at);
    work->totals = moe_parts_next(buffer, MOE_TREE_MANY * MOE_TREE_CHUNK * wide, &at);
    work->tally = moe_parts_next(buffer, (1 + MOE_TREE_MANY) * n_classes * wide, &at);
    work->values = moe_parts_next(buffer, k * (int64_t)sizeof(float), &at);
    work->present = moe_parts_next(buffer, n_classes * whole, &at);
    work->stack = moe_parts_next(buffer, (n_branch + 1) * (int64_t)sizeof(moe_frame_t), &at);
    work->lists = moe_parts_next(buffer, moe_tree_lists(k, n_branch, max_depth) * whole, &at);
    work->counts = moe_parts_next(buffer, 3 * n_classes * whole, &at);
    work->names = moe_parts_next(buffer, 2 * n_classes * whole, &at);
    work->side = moe_parts_next(buffer, data->n_samples + MOE_TREE_PAD, &at);
    return at;
}

/* The same for one thread that grows a whole tree: columns, then desk. */
static inline int64_t moe_tree_work(uint8_t *buffer, const moe_data_t *data, int64_t n_train, int64_t k,
                                    int64_t max_depth, moe_work_t *work /* OUT */)
{
    int64_t at = moe_tree_columns(buffer, data, n_train, k, work);
    return at + moe_tree_desk(buffer ? buffer + at : NULL, data, n_train, n_train, k, max_depth, work);
}

#endif
