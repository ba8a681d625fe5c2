/* batch: many trees grown together, from the same samples and each from features of its own.
 *
 * Trees of a generation meet the same samples again and again: all of them at the root, those that split it by the
 * same feature below, and so on. So a node is searched once for all trees that come to it, its members, for the
 * features that any of them has; then each member takes the best of its own, and those that take the same go on
 * together. A member that is left alone grows the rest of its tree by itself. Samples that are asked for go along; a
 * leaf counts those of its label, or says the shares of the classes, or the mean of a target: the same of all of them.
 *
 * The columns of a node are kept while its children are grown, in a stack: where it is full, members go on alone.
 */
#ifndef MOE_TREE_BATCH_H
#define MOE_TREE_BATCH_H

#include "tree/predictor.h"
#include "tree/shares.h"
#include "tree/split.h"
#include "tree/workspace.h"

/* Bytes of a stack at most, and of a stack for each one that the root needs. Answers take as many at most. */
#define MOE_BATCH_MOST ((int64_t)1 << 25)
#define MOE_BATCH_DEEP 4
#define MOE_BATCH_LEVELS 64 /* of groups, at most: each is a call inside another */

/* What a batch is grown from. */
typedef struct {
    const moe_data_t *data; /* a target, or at most MOE_SCOPE_MANY classes */
    const moe_stopping_t *stopping;
    const uint8_t *marks;      /* [n_samples] 0 = learnt from, `wanted` = asked for */
    const uint64_t *const *bits; /* [n_members] chromosomes */
    const int32_t *features;   /* of each position */
    int64_t n_words;
    int32_t n_members;
    int32_t n_train; /* samples that are learnt from */
    uint8_t wanted;
    int32_t n_asked;       /* samples that are asked for; 0 = hits are counted, of classes */
    const int32_t *places; /* [n_samples] of those: the row of the answer; NULL = rows do not matter, of classes */
    int smooth;            /* see tree/shares.h */
    moe_ear_t *ear;        /* NULL: the trees are grown to their end */
} moe_batch_t;

/* What the leaves say that samples asked for come to. */
typedef struct {
    double *shares;   /* [n_leaves, n_classes] of the classes (tree/shares.h); [n_members, n_asked] means of a target,
                         which has none of the others */
    int32_t *counts;  /* [n_leaves, n_classes] samples asked for that come to it, of each class */
    int32_t *leaves;  /* [n_members, n_asked] those of a member, in no order */
    int32_t *n_of;    /* [n_members] how many these are */
    int32_t *leaf_of; /* [n_members, n_asked] the leaf of each row, where rows matter */
    int32_t n_leaves; /* of all members, those that several come to once: at most n_members n_asked */
} moe_batch_answers_t;

/* A leaf, and the samples asked for that come to it, [start, end) of the paths. */
typedef struct {
    int32_t start, end, label;
    int32_t n_correct;
} moe_batch_leaf_t;

/* Members that come to the same nodes, their features, and the columns of these. */
typedef struct {
    void *columns;     /* [n_features + 1, stride] sorted ones; the samples */
    int32_t *features; /* [n_features] of the data set, ascending */
    int32_t *members;  /* [n_members] */
    int32_t *starts;   /* [n_members + 1] */
    int32_t *lists;    /* places of the features of member m: lists[starts[m] .. starts[m + 1]), ascending */
    int64_t stride;
    int32_t n_features, n_members;
} moe_batch_group_t;

/* A node of a group that may be split. */
typedef struct {
    const int32_t *counts;   /* [n_classes], NULL for a target */
    int64_t sum;             /* of the target */
    int32_t start, end;      /* its samples in the columns */
    int32_t from, to;        /* the samples asked for that come to it, in the paths */
    int32_t depth;
} moe_batch_place_t;

/* What is known of a node while its members part. */
typedef struct {
    moe_split_t *splits; /* [members of the group] the splits that are taken */
    int32_t *taken;      /* [members of the group] which of them, -1 = none */
    int32_t *places;     /* [features of the group] of the features of a group below, -1 = not in it */
    uint8_t *varies;     /* [features of the group] */
    int32_t *counts;     /* [n_classes] */
    moe_split_t *tried;  /* [features of the group] best splits, at the top of the stack: only until all have chosen */
} moe_batch_node_t;

/* Where a thread grows batches. */
typedef struct {
    const moe_batch_t *batch;
    moe_workspace_t *work;    /* for the features of the largest member */
    moe_workspace_t alone;    /* its buffers */
    float *estimates;         /* [all features of a batch] */
    uint64_t *any;            /* [n_words] chromosome of all members together */
    int32_t *own;             /* features of a member that is alone */
    int32_t *list;            /* [all features of a batch] 0, 1, ... */
    moe_node_t *nodes;        /* of a tree */
    int32_t *counts;          /* [nodes, n_classes] where there are answers, of classes */
    double *means;            /* [nodes] of a target */
    moe_batch_answers_t answers; /* OUT where samples are asked for */
    int32_t *learnt;          /* [n_classes] samples that are learnt from */
    moe_batch_leaf_t leaf;
    moe_predictor_t paths;
    int32_t *hits;            /* OUT [n_members, n_classes] samples that are asked for and labelled correctly */
    uint8_t *stack;
    int64_t size, used;
} moe_batch_work_t;

/* Lay a group of n samples over the top of a stack and return the bytes that it takes; with NULL only these.
 * `n_listed` is the sum of the sizes of its members. */
static inline int64_t moe_batch_push(uint8_t *stack, const moe_data_t *data, int64_t n, int64_t n_features,
                                     int64_t n_members, int64_t n_listed, moe_batch_group_t *group /* OUT */)
{
    int64_t at = 0;
    group->columns = moe_buffers_next(stack, ((n_features + 1) * n + MOE_TREE_PAD) * data->entry_width, &at);
    group->features = moe_buffers_next(stack, n_features * 4, &at);
    group->members = moe_buffers_next(stack, n_members * 4, &at);
    group->starts = moe_buffers_next(stack, (n_members + 1) * 4, &at);
    group->lists = moe_buffers_next(stack, n_listed * 4, &at);
    return at;
}

/* The same for a node of a group; `kept` are the bytes that are needed after all have chosen. */
static inline int64_t moe_batch_enter(uint8_t *stack, const moe_data_t *data, int64_t n_features, int64_t n_members,
                                      moe_batch_node_t *node /* OUT */, int64_t *kept /* OUT */)
{
    int64_t at = 0;
    node->splits = moe_buffers_next(stack, n_members * (int64_t)sizeof(moe_split_t), &at);
    node->taken = moe_buffers_next(stack, n_members * 4, &at);
    node->places = moe_buffers_next(stack, n_features * 4, &at);
    node->varies = moe_buffers_next(stack, n_features, &at);
    node->counts = moe_buffers_next(stack, data->n_classes * 4, &at);
    *kept = at;
    node->tried = moe_buffers_next(stack, n_features * (int64_t)sizeof(moe_split_t), &at);
    return at;
}

/* Bytes of a stack that a root of so many features takes. */
static inline int64_t moe_batch_root(const moe_data_t *data, int64_t n_train, int64_t n_features, int64_t n_members,
                                     int64_t n_listed)
{
    moe_batch_group_t group;
    moe_batch_node_t node;
    int64_t kept;
    return moe_batch_push(NULL, data, n_train, n_features, n_members, n_listed, &group) +
           moe_batch_enter(NULL, data, n_features, n_members, &node, &kept);
}

/* The largest batch of a workspace. */
typedef struct {
    int64_t n_train;    /* samples that are learnt from */
    int64_t n_asked;    /* samples that are answered for; 0 = hits are counted */
    int64_t k;          /* features of a member */
    int64_t n_features; /* of all members together, at most */
    int64_t n_words;    /* of a chromosome */
    int64_t n_members;
    int64_t max_depth;
} moe_batch_sizes_t;

/* Lay the answers of a batch over `buffer` and return their size in bytes; with NULL only the size. */
static inline int64_t moe_batch_answers(uint8_t *buffer, const moe_data_t *data, int64_t n_asked, int64_t n_members,
                                        moe_batch_answers_t *answers /* OUT */)
{
    const int64_t n_rows = n_members * n_asked, n_said = data->target ? 0 : n_rows;
    int64_t at = 0;
    answers->shares = moe_buffers_next(buffer, n_rows * data->n_classes * (int64_t)sizeof(double), &at);
    answers->counts = moe_buffers_next(buffer, n_said * data->n_classes * 4, &at);
    answers->leaves = moe_buffers_next(buffer, n_said * 4, &at);
    answers->n_of = moe_buffers_next(buffer, n_members * 4, &at);
    answers->leaf_of = moe_buffers_next(buffer, n_said * 4, &at);
    answers->n_leaves = 0;
    return at;
}

/* Features of `n_members` together, at most. */
static inline int64_t moe_batch_features(const moe_batch_sizes_t *sizes, int64_t n_members)
{
    return n_members * sizes->k < sizes->n_features ? n_members * sizes->k : sizes->n_features;
}

/* Members of a batch, at most those of `sizes`, whose stack and answers are not too large. Fewer than 2: trees are
 * better grown one by one. */
static inline int64_t moe_batch_members(const moe_data_t *data, const moe_batch_sizes_t *sizes)
{
    int64_t n_members = sizes->n_members;
    moe_batch_answers_t answers;
    while (n_members > 1 && (moe_batch_answers(NULL, data, sizes->n_asked, n_members, &answers) > MOE_BATCH_MOST ||
                             moe_batch_root(data, sizes->n_train, moe_batch_features(sizes, n_members), n_members,
                                            n_members * sizes->k) > MOE_BATCH_MOST / 2))
        n_members /= 2;
    return n_members;
}

/* Lay a workspace for batches over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_batch_lay(uint8_t *buffer, const moe_data_t *data, const moe_batch_sizes_t *sizes,
                                    moe_batch_work_t *work /* OUT */)
{
    const int64_t n_train = sizes->n_train, k = sizes->k, n_members = sizes->n_members, n_classes = data->n_classes;
    const int64_t all = moe_batch_features(sizes, n_members), n_nodes = moe_workspace_max_nodes(n_train + 2);
    int64_t at = 0, n_alone = moe_workspace_lay(NULL, data, n_train, k, sizes->max_depth, &work->alone);
    uint8_t *alone = moe_buffers_next(buffer, n_alone, &at);
    moe_workspace_lay(alone, data, n_train, k, sizes->max_depth, &work->alone);
    work->estimates = moe_buffers_next(buffer, all * (int64_t)sizeof(float), &at);
    work->any = moe_buffers_next(buffer, sizes->n_words * (int64_t)sizeof(uint64_t), &at);
    work->own = moe_buffers_next(buffer, k * 4, &at);
    work->list = moe_buffers_next(buffer, all * 4, &at);
    work->nodes = moe_buffers_next(buffer, n_nodes * (int64_t)sizeof(moe_node_t), &at);
    work->counts = moe_buffers_next(buffer, sizes->n_asked && !data->target ? n_nodes * n_classes * 4 : 0, &at);
    work->means = moe_buffers_next(buffer, data->target ? n_nodes * 8 : 0, &at);
    work->learnt = moe_buffers_next(buffer, n_classes * 4, &at);
    const int64_t n_answers = moe_batch_answers(NULL, data, sizes->n_asked, n_members, &work->answers);
    uint8_t *answers = moe_buffers_next(buffer, n_answers, &at);
    moe_batch_answers(answers, data, sizes->n_asked, n_members, &work->answers);
    uint8_t *paths = moe_buffers_next(buffer, moe_predictor_size(data, n_train + 2), &at);
    moe_predictor_lay(paths, data, n_nodes, &work->paths);
    work->hits = moe_buffers_next(buffer, n_members * n_classes * 4, &at);
    work->size = MOE_BATCH_DEEP * moe_batch_root(data, n_train, all, n_members, n_members * k);
    if (work->size > MOE_BATCH_MOST) work->size = MOE_BATCH_MOST;
    work->stack = moe_buffers_next(buffer, work->size, &at);
    work->used = 0;
    return at;
}

#endif
