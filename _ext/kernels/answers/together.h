/* together: the answers of a judge for many subsets of features on one split.
 *
 * What naive Bayes learns of a feature (its moments), and ridge of two features (their product), is the same in every
 * subset. So it is computed once, for the union of the subsets, and each subset copies its part. Every number comes
 * from the same sums in the same order as for that subset alone, so the bits are the same.
 */
#ifndef MOE_ANSWERS_TOGETHER_H
#define MOE_ANSWERS_TOGETHER_H

#include "answers/answers.h"

#define MOE_TOGETHER_MAX_BYTES (1 << 25) /* most bytes of what the subsets share */
#define MOE_TOGETHER_READ_COST 100 /* reading, scaling and centring a feature costs as much as this many products */

/* What the subsets share, and the workspace of one subset. */
typedef struct {
    const moe_answers_data_t *data;
    const moe_judges_plan_t *plan;
    const moe_answers_split_t *split;
    moe_judges_task_t all; /* task of all features in the union of the subsets */
    moe_bayes_shared_t bayes;
    moe_ridge_shared_t ridge;
    uint64_t *union_bits;  /* [n_words] chromosome of the union */
    int32_t *features;     /* [all.n_features] features of the union, ascending */
    int32_t *columns;      /* [k] positions of a subset's features in `features` */
    uint8_t *single;       /* [moe_answers_size] workspace of one subset */
    int is_shared;         /* 0: each subset learns by itself */
} moe_together_t;

/* Return whether subsets can share anything with this judge and data. */
static inline int moe_together_is_supported(const moe_answers_data_t *data, const moe_judges_plan_t *plan)
{
    if (plan->leave_one_out || data->weights) return 0;
    return plan->judge == MOE_JUDGES_BAYES || (plan->judge == MOE_JUDGES_RIDGE && plan->real[0] > 0.0);
}

/* Lay it over `buffer`, for subsets of at most k features each and n_all in their union, and return its size in bytes;
 * with NULL only the size. `size_made` bytes of it are what the subsets share. */
static inline int64_t moe_together_lay_out(uint8_t *buffer, const moe_answers_data_t *data,
                                           const moe_judges_plan_t *plan, const moe_answers_split_t *split,
                                           int64_t n_words, int32_t n_all, int32_t k, moe_together_t *work /* OUT */,
                                           int64_t *size_made /* OUT */)
{
    const int64_t n_learn = split->n_learn, n_ask = split->n_ask;
    moe_judges_task_t *all = &work->all;
    int64_t at = 0;
    work->data = data;
    work->plan = plan;
    work->split = split;
    *all = (moe_judges_task_t){0};
    all->n_features = n_all;
    all->n_learn = split->n_learn;
    all->n_ask = split->n_ask;
    all->n_classes = data->n_classes;
    work->union_bits = moe_buffers_next(buffer, n_words * 8, &at);
    work->features = moe_buffers_next(buffer, (int64_t)n_all * 4, &at);
    work->columns = moe_buffers_next(buffer, (int64_t)k * 4, &at);
    all->learn = moe_buffers_next(buffer, n_all * n_learn * 8, &at);
    all->ask = moe_buffers_next(buffer, n_all * n_ask * 8, &at);
    all->labels = moe_buffers_next(buffer, data->labels ? n_learn * 4 : 0, &at);
    all->target = moe_buffers_next(buffer, data->target ? n_learn * 8 : 0, &at);
    if (plan->judge == MOE_JUDGES_BAYES)
        at += moe_bayes_lay_shared(buffer ? buffer + at : NULL, plan, all, &work->bayes);
    else
        at += moe_ridge_lay_shared(buffer ? buffer + at : NULL, all, &work->ridge);
    *size_made = at;
    work->single = moe_buffers_next(buffer, moe_answers_size(data, plan, split, k), &at);
    return at;
}

/* Return the most features in the union of n_members subsets of k features. */
static inline int32_t moe_together_features(int64_t n_members, int64_t k, int64_t n_features)
{
    return (int32_t)(n_members * k < n_features ? n_members * k : n_features);
}

/* Return the number of subsets to answer together, at most n_members: what they share fits MOE_TOGETHER_MAX_BYTES. Less
 * than 2: each subset is better answered by itself. */
static inline int64_t moe_together_members(const moe_answers_data_t *data, const moe_judges_plan_t *plan,
                                           const moe_answers_split_t *split, int32_t k, int64_t n_features,
                                           int64_t n_members)
{
    moe_together_t work;
    int64_t size = 0;
    if (!moe_together_is_supported(data, plan)) return 0;
    for (; n_members > 1; n_members /= 2) {
        moe_together_lay_out(NULL, data, plan, split, 1, moe_together_features(n_members, k, n_features), k, &work,
                             &size);
        if (size <= MOE_TOGETHER_MAX_BYTES) break;
    }
    return n_members;
}

/* Return the relative cost of learning from k features. */
static inline double moe_together_cost(const moe_judges_plan_t *plan, double k)
{
    return plan->judge == MOE_JUDGES_RIDGE ? k * (k + MOE_TOGETHER_READ_COST) : k;
}

/* Compute what some subsets share, in a buffer that is laid out for at least as many rows, subsets and features, if
 * this costs less than learning from each subset by itself. O(n k) or O(n k^2) for the k features of the union. */
static inline void moe_together_learn(const moe_answers_data_t *data, const moe_judges_plan_t *plan,
                                      const moe_answers_split_t *split, const uint64_t *const *bits /* [n_members] */,
                                      int32_t n_members, int64_t n_words,
                                      const int32_t *features /* IN feature of each position */, uint8_t *buffer,
                                      moe_together_t *work /* OUT */)
{
    const int ridge = plan->judge == MOE_JUDGES_RIDGE;
    double cost_single = 0.0, cost_shared;
    int64_t size;
    int32_t n_all = 0, n = 0, k = 0;
    for (int64_t w = 0; w < n_words; w++) {
        uint64_t any = 0;
        for (int32_t m = 0; m < n_members; m++) any |= bits[m][w];
        n_all += moe_base_popcount(any);
    }
    for (int32_t m = 0; m < n_members; m++) {
        int32_t size_m = 0;
        for (int64_t w = 0; w < n_words; w++) size_m += moe_base_popcount(bits[m][w]);
        if (size_m > k) k = size_m;
        if (size_m <= split->n_learn || !ridge) cost_single += moe_together_cost(plan, size_m);
    }
    cost_shared = moe_together_cost(plan, n_all);
    moe_together_lay_out(buffer, data, plan, split, n_words, n_all, k, work, &size);
    work->is_shared = cost_single > cost_shared;
    if (!work->is_shared) return;
    for (int64_t w = 0; w < n_words; w++) {
        work->union_bits[w] = 0;
        for (int32_t m = 0; m < n_members; m++) work->union_bits[w] |= bits[m][w];
        for (uint64_t word = work->union_bits[w]; word; word &= word - 1)
            work->features[n++] = features[w * 64 + moe_base_lowest(word)];
    }
    moe_judges_task_t *all = &work->all;
    int32_t *labels = (int32_t *)all->labels;
    double *target = (double *)all->target;
    for (int32_t i = 0; data->labels && i < split->n_learn; i++) labels[i] = data->labels[split->learn[i]];
    for (int32_t i = 0; data->target && i < split->n_learn; i++) target[i] = data->target[split->learn[i]];
    if (!data->labels) all->labels = NULL;
    if (!data->target) all->target = NULL;
    moe_answers_gather(data, work->features, split, all, split->n_ask);
    moe_scaling_apply(plan, all);
    if (ridge)
        moe_ridge_learn_shared(plan, all, &work->ridge);
    else
        moe_bayes_learn_shared(plan, all, &work->bayes);
}

/* Write what moe_answers_fill would for one of the subsets, of k features. */
static inline void moe_together_fill(moe_together_t *work, const uint64_t *bits /* IN [n_words] */, int64_t n_words,
                                     const int32_t *selected /* IN [k] */, int32_t k, moe_poll_t *poll /* or NULL */,
                                     double *answers /* OUT [n_ask, n_classes] */)
{
    const moe_judges_plan_t *plan = work->plan;
    const moe_judges_task_t *all = &work->all;
    moe_judges_task_t task;
    uint8_t *own;
    int32_t before = 0, n = 0; /* features of the union in the words before */
    if (!work->is_shared || (plan->judge == MOE_JUDGES_RIDGE && k > all->n_learn)) {
        moe_answers_fill(work->data, plan, work->split, selected, k, work->single, poll, answers);
        return;
    }
    for (int64_t w = 0; w < n_words; w++) {
        for (uint64_t word = bits[w]; word; word &= word - 1)
            work->columns[n++] = before + moe_base_popcount(work->union_bits[w] & ((word & (0 - word)) - 1));
        before += moe_base_popcount(work->union_bits[w]);
    }
    moe_answers_lay_out(work->single, work->data, plan, work->split, k, &task, &own);
    task.labels = all->labels;
    task.target = all->target;
    task.weights = NULL;
    task.poll = poll;
    if (plan->judge == MOE_JUDGES_BAYES) {
        task.ask = all->ask;
        moe_bayes_answer_subset(plan, &task, &work->bayes, work->columns, own, answers);
    } else if (!moe_ridge_answer_subset(plan, &task, &work->ridge, all->ask, work->columns, own, answers))
        moe_answers_fill(work->data, plan, work->split, selected, k, work->single, poll, answers);
}

#endif
