/* batch: grow many trees together, from the same samples but each from its own subset of features.
 *
 * The trees of a generation meet the same nodes again and again: all of them the root, those that split it by the same
 * feature its children, and so on. So a node is searched once for all trees that reach it, the members of its group,
 * over the union of their features. Then each member takes the best split among its own features, and the members that
 * take the same split form the group of its children. A member that is alone grows the rest of its tree by itself. The
 * samples to answer for descend with the groups; a leaf counts those of its label, or answers with class shares or with
 * the mean of the target, which is the same answer for all samples in it.
 *
 * The columns of a group stay on a stack while its children are grown; when the stack is full, members go on alone.
 */
#ifndef MOE_TREE_BATCH_H
#define MOE_TREE_BATCH_H

#include "tree/predictor.h"
#include "tree/shares.h"
#include "tree/split.h"
#include "tree/workspace.h"

/* Limits: bytes of the stack, and of the answers; size of the stack, in multiples of what the root takes. */
#define MOE_BATCH_MAX_BYTES ((int64_t)1 << 25)
#define MOE_BATCH_STACK_ROOTS 4
#define MOE_BATCH_MAX_DEPTH 64 /* largest depth of a group: each level is a recursive call */

/* Input of a batch. */
typedef struct {
    const moe_data_t *data; /* with a target, or with at most MOE_SCOPE_MANY classes */
    const moe_stopping_t *stopping;
    const uint8_t *marks;      /* [n_samples] 0 = training sample, `wanted` = sample to answer for */
    const uint64_t *const *bits; /* [n_members] chromosomes */
    const int32_t *features;   /* [positions of a chromosome] feature of each position */
    int64_t n_words;
    int32_t n_members;
    int32_t n_train; /* training samples */
    uint8_t wanted;
    int32_t n_asked;       /* samples to answer for; 0 = count hits instead (classification only) */
    const int32_t *places; /* [n_samples] row of each one's answer; NULL = in any order (classification only) */
    int smooth;            /* 1 = Laplace's correction (tree/shares.h) */
    moe_poll_t *poll;        /* NULL = the trees are grown to their end */
} moe_batch_t;

/* Answers of the leaves that samples to answer for reach; for a target only the means. */
typedef struct {
    double *shares;   /* [n_leaves, n_classes] class shares (tree/shares.h); for a target [n_members, n_asked] means */
    int32_t *counts;  /* [n_leaves, n_classes] samples to answer for in each leaf, by class */
    int32_t *leaves;  /* [n_members, n_asked] leaves of each member that are reached, in any order */
    int32_t *n_leaves_of;    /* [n_members] number of these leaves */
    int32_t *leaf_of; /* [n_members, n_asked] leaf of each row, if `places` is given */
    int32_t n_leaves; /* of all members together, shared leaves counted once: at most n_members n_asked */
} moe_batch_answers_t;

/* A leaf, and the samples to answer for that reach it: paths.samples[start .. end). */
typedef struct {
    int32_t start, end, label;
    int32_t n_correct;
} moe_batch_leaf_t;

/* Members that reach the same nodes, their features, and the columns of these. */
typedef struct {
    void *columns;     /* [n_features + 1, stride] sorted columns, then the column of the samples */
    int32_t *features; /* [n_features] features of the data set, ascending */
    int32_t *members;  /* [n_members] numbers of the members in the batch */
    int32_t *starts;   /* [n_members + 1] offsets into `lists` */
    int32_t *lists;    /* features of member m: lists[starts[m] .. starts[m + 1]), ascending indices into `features` */
    int64_t stride;
    int32_t n_features, n_members;
} moe_batch_group_t;

/* An open node of a group. */
typedef struct {
    const int32_t *counts;   /* [n_classes] class counts; NULL in regression */
    int64_t sum;             /* sum of the target; regression only */
    int32_t start, end;      /* range of its samples in the columns */
    int32_t from, to;        /* range of its samples to answer for, in paths.samples */
    int32_t depth;
} moe_batch_node_t;

/* Results of the search of a node, on the stack. */
typedef struct {
    moe_split_t *splits; /* [members of the group] distinct splits that members take */
    int32_t *taken;      /* [members of the group] index of the member's split in `splits`, -1 = none */
    int32_t *places;     /* [features of the group] index of each feature in the child group, -1 = not in it */
    uint8_t *varies;     /* [features of the group] 1 = the feature varies in the node */
    int32_t *counts;     /* [n_classes] class counts of the node */
    moe_split_t *tried;  /* [features of the group] best split by each feature; dropped once all members have chosen */
} moe_batch_search_t;

/* The workspace of a thread that grows batches. */
typedef struct {
    const moe_batch_t *batch;
    moe_workspace_t *work;    /* of one tree, for the features of the largest member */
    moe_workspace_t member_workspace; /* the buffers of *work */
    float *estimates;         /* [features of the batch] */
    uint64_t *union_bits;     /* [n_words] union of the chromosomes of all members */
    int32_t *member_features; /* [k] features of a member that is alone */
    int32_t *identity;        /* [features of the batch] 0, 1, ... */
    moe_node_t *nodes;        /* nodes of one tree, or of one split */
    int32_t *counts;          /* [nodes, n_classes] class counts, if the leaves answer */
    double *means;            /* [nodes] means of the target; regression only */
    moe_batch_answers_t answers; /* OUT if there are samples to answer for */
    int32_t *learnt;          /* [n_classes] training samples of each class */
    moe_batch_leaf_t leaf;
    moe_predictor_t paths;
    int32_t *hits;            /* OUT [n_members, n_classes] samples that are labelled correctly, if hits are counted */
    uint8_t *stack;
    int64_t size, used;
} moe_batch_work_t;

/* Lay out a group of n samples at the top of the stack and return its size in bytes; with NULL only the size.
 * `n_listed` = number of (member, feature) pairs. */
static inline int64_t moe_batch_push_group(uint8_t *stack, const moe_data_t *data, int64_t n, int64_t n_features,
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

/* Lay out the search of a node at the top of the stack and return its size in bytes; with NULL only the size. `kept` =
 * the bytes that are needed after all members have chosen. */
static inline int64_t moe_batch_push_search(uint8_t *stack, const moe_data_t *data, int64_t n_features,
                                            int64_t n_members,
                                            moe_batch_search_t *search /* OUT */, int64_t *kept /* OUT */)
{
    int64_t at = 0;
    search->splits = moe_buffers_next(stack, n_members * (int64_t)sizeof(moe_split_t), &at);
    search->taken = moe_buffers_next(stack, n_members * 4, &at);
    search->places = moe_buffers_next(stack, n_features * 4, &at);
    search->varies = moe_buffers_next(stack, n_features, &at);
    search->counts = moe_buffers_next(stack, data->n_classes * 4, &at);
    *kept = at;
    search->tried = moe_buffers_next(stack, n_features * (int64_t)sizeof(moe_split_t), &at);
    return at;
}

/* Return the bytes of the stack that a root of n_features features takes, its search included. */
static inline int64_t moe_batch_root_bytes(const moe_data_t *data, int64_t n_train, int64_t n_features,
                                           int64_t n_members, int64_t n_listed)
{
    moe_batch_group_t group;
    moe_batch_search_t search;
    int64_t kept;
    return moe_batch_push_group(NULL, data, n_train, n_features, n_members, n_listed, &group) +
           moe_batch_push_search(NULL, data, n_features, n_members, &search, &kept);
}

/* The largest batch that a workspace is laid out for. */
typedef struct {
    int64_t n_train;    /* training samples */
    int64_t n_asked;    /* samples to answer for; 0 = count hits instead */
    int64_t k;          /* features of a member, at most */
    int64_t n_features; /* features of all members together, at most */
    int64_t n_words;    /* words of a chromosome */
    int64_t n_members;
    int64_t max_depth;
} moe_batch_sizes_t;

/* Lay out the answers of a batch over `buffer` and return their size in bytes; with NULL only the size. */
static inline int64_t moe_batch_answers(uint8_t *buffer, const moe_data_t *data, int64_t n_asked, int64_t n_members,
                                        moe_batch_answers_t *answers /* OUT */)
{
    const int64_t n_rows = n_members * n_asked, n_said = data->target ? 0 : n_rows;
    int64_t at = 0;
    answers->shares = moe_buffers_next(buffer, n_rows * data->n_classes * (int64_t)sizeof(double), &at);
    answers->counts = moe_buffers_next(buffer, n_said * data->n_classes * 4, &at);
    answers->leaves = moe_buffers_next(buffer, n_said * 4, &at);
    answers->n_leaves_of = moe_buffers_next(buffer, n_members * 4, &at);
    answers->leaf_of = moe_buffers_next(buffer, n_said * 4, &at);
    answers->n_leaves = 0;
    return at;
}

/* Return the largest number of distinct features of `n_members` members together. */
static inline int64_t moe_batch_max_features(const moe_batch_sizes_t *sizes, int64_t n_members)
{
    return n_members * sizes->k < sizes->n_features ? n_members * sizes->k : sizes->n_features;
}

/* Return the number of members of a batch, at most sizes->n_members, for which stack and answers fit into their limits.
 * If it is < 2, trees are better grown one by one. */
static inline int64_t moe_batch_members(const moe_data_t *data, const moe_batch_sizes_t *sizes)
{
    int64_t n_members = sizes->n_members;
    moe_batch_answers_t answers;
    while (n_members > 1 && (moe_batch_answers(NULL, data, sizes->n_asked, n_members, &answers) > MOE_BATCH_MAX_BYTES ||
                             moe_batch_root_bytes(data, sizes->n_train, moe_batch_max_features(sizes, n_members),
                                                  n_members, n_members * sizes->k) > MOE_BATCH_MAX_BYTES / 2))
        n_members /= 2;
    return n_members;
}

/* Lay out a workspace for batches over `buffer` (aligned to 8); return its size in bytes, with NULL only the size. */
static inline int64_t moe_batch_lay(uint8_t *buffer, const moe_data_t *data, const moe_batch_sizes_t *sizes,
                                    moe_batch_work_t *work /* OUT */)
{
    const int64_t n_train = sizes->n_train, k = sizes->k, n_members = sizes->n_members, n_classes = data->n_classes;
    const int64_t all = moe_batch_max_features(sizes, n_members), n_nodes = moe_workspace_max_nodes(n_train + 2);
    int64_t at = 0, n_alone = moe_workspace_lay(NULL, data, n_train, k, sizes->max_depth, &work->member_workspace);
    uint8_t *alone = moe_buffers_next(buffer, n_alone, &at);
    moe_workspace_lay(alone, data, n_train, k, sizes->max_depth, &work->member_workspace);
    work->estimates = moe_buffers_next(buffer, all * (int64_t)sizeof(float), &at);
    work->union_bits = moe_buffers_next(buffer, sizes->n_words * (int64_t)sizeof(uint64_t), &at);
    work->member_features = moe_buffers_next(buffer, k * 4, &at);
    work->identity = moe_buffers_next(buffer, all * 4, &at);
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
    work->size = MOE_BATCH_STACK_ROOTS * moe_batch_root_bytes(data, n_train, all, n_members, n_members * k);
    if (work->size > MOE_BATCH_MAX_BYTES) work->size = MOE_BATCH_MAX_BYTES;
    work->stack = moe_buffers_next(buffer, work->size, &at);
    work->used = 0;
    return at;
}

#endif
