/* judge: a forest that answers for samples, as judges do (judges/types.h): the mean answer of its trees. */
#ifndef MOE_FOREST_JUDGE_H
#define MOE_FOREST_JUDGE_H

#include "forest/grower.h"
#include "tree/shares.h"

/* The samples that the forest answers for. */
typedef struct {
    const uint8_t *marks;  /* [n_samples] 1 = answer for this sample; not read if `votes` is not NULL */
    int32_t *votes;        /* OUT [n_ask] trees that answered. Not NULL = out of bag: all samples are answered for,
                              by the trees that have not drawn them; without any such tree the answer is 0 */
    const int32_t *places; /* [n_samples] the row of the answer */
    const moe_shares_scale_t *scale; /* scale of the target; regression only */
    int32_t n_trees;
    int32_t n_ask;
    moe_poll_t *poll; /* NULL: all trees are grown */
} moe_forest_asked_t;

/* Lay out the workspace and the arrays of one tree over `buffer` (aligned to 8) and return their size in bytes; with
 * NULL only the size. The size does not fall if plan->n_learn or n_features rises while n_drawn is 0 or n_learn. */
static inline int64_t moe_forest_judge_lay(uint8_t *buffer, const moe_forest_plan_t *plan,
                                           moe_forest_work_t *work /* OUT */, moe_forest_tree_t *tree /* OUT */)
{
    const int64_t n_most = moe_forest_max_samples(plan);
    int64_t at = 0;
    tree->nodes = moe_buffers_next(buffer, (2 * n_most - 1) * (int64_t)sizeof(moe_forest_node_t), &at);
    tree->gains = moe_buffers_next(buffer, (2 * n_most - 1) * (int64_t)sizeof(double), &at);
    tree->shares = moe_buffers_next(buffer, n_most * (int64_t)sizeof(moe_forest_share_t), &at);
    tree->drawn = NULL;
    uint8_t *rest = moe_buffers_next(buffer, moe_forest_lay(NULL, plan, work), &at);
    if (plan->data->target) tree->shares = NULL;
    moe_forest_lay(rest, plan, work);
    return at;
}

/* Return the leaf that a coded sample falls into. */
static inline const moe_forest_node_t *moe_forest_leaf(const moe_data_t *data, const moe_forest_node_t *nodes,
                                                       int64_t s)
{
    const moe_forest_node_t *node = nodes;
    while (node->feature >= 0) {
        const int32_t code = (int32_t)moe_bins_code(data, node->feature, s);
        const int left = code == moe_bins_missing(data, node->feature)
                       ? node->other
                       : moe_bins_edge(data, data->upper, data->offset[node->feature] + code) <= node->threshold;
        node = nodes + node->left + !left;
    }
    return node;
}

/* Grow the trees of a forest one after the other, and write the mean of their answers for the samples asked for: shares
 * of the classes, or the mean target in the caller's units. */
static inline void moe_forest_judge(const moe_forest_plan_t *plan, const moe_forest_asked_t *asked,
                                    uint8_t *buffer /* moe_forest_judge_lay */,
                                    double *answers /* OUT [n_ask, n_classes] */)
{
    const moe_data_t *data = plan->data;
    const int64_t n_classes = data->n_classes, n_answers = asked->n_ask * n_classes;
    moe_forest_work_t work;
    moe_forest_tree_t tree;
    moe_forest_judge_lay(buffer, plan, &work, &tree);
    moe_forest_clear(plan, &work);
    for (int64_t i = 0; i < n_answers; i++) answers[i] = 0.0;
    for (int32_t i = 0; asked->votes && i < asked->n_ask; i++) asked->votes[i] = 0;
    for (int32_t t = 0; t < asked->n_trees; t++) {
        moe_forest_grow(plan, (uint32_t)t, asked->poll, &work, &tree);
        if (moe_poll_stops(asked->poll, data->n_samples)) return;
        for (int64_t s = 0; s < data->n_samples; s++) {
            if (asked->votes ? work.weights[s] != 0 : asked->marks[s] != 1) continue;
            if (asked->votes) asked->votes[asked->places[s]]++;
            const moe_forest_node_t *leaf = moe_forest_leaf(data, tree.nodes, s);
            double *answer = answers + asked->places[s] * n_classes;
            if (data->target) *answer += leaf->threshold;
            for (int32_t j = 0; !data->target && j < leaf->other; j++)
                answer[tree.shares[leaf->left + j].label] += tree.shares[leaf->left + j].share;
        }
    }
    for (int64_t i = 0; i < n_answers; i++) {
        const int32_t n_trees = asked->votes ? asked->votes[i / n_classes] : asked->n_trees;
        const double mean = answers[i] / (n_trees ? n_trees : 1);
        answers[i] = data->target ? moe_shares_value(asked->scale, mean) : mean;
    }
}

#endif
