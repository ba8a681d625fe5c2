/* draws: what the trees of a forest draw: samples, features, thresholds. */
#ifndef MOE_FOREST_DRAWS_H
#define MOE_FOREST_DRAWS_H

#include "forest/types.h"

/* Multiply what was drawn by the weights of samples. Where nothing is left a tree has what was drawn as it is. */
static inline void moe_draws_weigh(const moe_forest_plan_t *plan, int32_t *weights /* IN and OUT [n_samples] */)
{
    const int32_t n_learn = plan->n_learn, *learn = plan->learn;
    int any = 0;
    for (int32_t i = 0; i < n_learn; i++) {
        const int32_t s = learn ? learn[i] : i;
        any |= weights[s] && plan->weights[s];
    }
    for (int32_t i = 0; any && i < n_learn; i++) {
        const int32_t s = learn ? learn[i] : i;
        weights[s] *= plan->weights[s];
    }
}

/* Draw the samples of a tree; returns the number of distinct ones. */
static inline int32_t moe_draws_bag(const moe_forest_plan_t *plan, uint32_t number, moe_forest_work_t *work)
{
    const int32_t n_learn = plan->n_learn, *learn = plan->learn;
    int32_t n = 0, *weights = work->weights;
    for (int32_t s = 0; s < plan->data->n_samples; s++) weights[s] = plan->n_drawn == 0;
    if (plan->n_drawn) {
        moe_stream_t stream = moe_draw_open(plan->address, number, MOE_FOREST_BAG);
        for (int32_t i = 0; i < plan->n_drawn; i++) {
            const int32_t place = (int32_t)moe_draw_below(&stream, (uint64_t)n_learn);
            weights[learn ? learn[place] : place]++;
        }
    }
    if (plan->weights) moe_draws_weigh(plan, weights);
    for (int32_t i = 0; i < n_learn; i++) { /* without a branch: it would be mispredicted */
        const int32_t s = learn ? learn[i] : i;
        work->samples[n] = s;
        n += weights[s] > 0;
    }
    return n;
}

/* Draw the feature number i of a node, other than those before it: the features change places. What
 * the draw leaves of its word is uniform too. */
static inline int32_t moe_draws_feature(moe_stream_t *stream, int32_t i, int32_t n_features, moe_forest_work_t *work,
                                        uint64_t *rest /* OUT */)
{
    const uint64_t word = moe_draw_word(stream), n_left = (uint64_t)(n_features - i);
    int32_t *features = work->features;
    const int32_t j = i + (int32_t)moe_base_mulhi(word, n_left), feature = features[j];
    features[j] = features[i];
    features[i] = feature;
    work->swaps[i] = j;
    *rest = word * n_left;
    return feature;
}

/* Put n drawn features back: the next draw begins with the features in their order. */
static inline void moe_draws_return(int32_t n, moe_forest_work_t *work)
{
    int32_t *features = work->features;
    while (n--) {
        const int32_t j = work->swaps[n], feature = features[n];
        features[n] = features[j];
        features[j] = feature;
    }
}

/* A threshold in [low, high), uniform like `word`; low itself where rounding would give high. */
static inline double moe_draws_between(uint64_t word, double low, double high)
{
    const double unit = (double)(word >> 11) * (1.0 / 9007199254740992.0);
    const double middle = (1.0 - unit) * low + unit * high; /* high - low may overflow */
    return middle >= high || middle < low ? low : middle;
}

#endif
