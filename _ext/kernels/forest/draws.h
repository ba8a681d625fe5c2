/* draws: what the trees of a forest draw: samples, features, thresholds. */
#ifndef MOE_FOREST_DRAWS_H
#define MOE_FOREST_DRAWS_H

#include "forest/types.h"

/* Sums of the weights of the samples to learn from, up to each of them; returns that of all. */
static inline int32_t moe_draws_sums(const moe_forest_plan_t *plan, int32_t *sums /* OUT [n_learn] */)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < plan->n_learn; i++) {
        sum += plan->weights[plan->learn ? plan->learn[i] : i];
        sums[i] = sum;
    }
    return sum;
}

/* The place of the first of some ascending sums that is above a number; the last one is. */
static inline int32_t moe_draws_place(const int32_t *sums, int32_t n, int32_t number)
{
    int32_t first = 0;
    for (; n > 1; n -= n / 2) first += sums[first + n / 2 - 1] <= number ? n / 2 : 0;
    return first;
}

/* Draw the samples of a tree, by their weights; without drawing each has its weight. Where all weights are 0 they
 * count once. Returns the number of distinct ones. */
static inline int32_t moe_draws_bag(const moe_forest_plan_t *plan, uint32_t number, moe_forest_work_t *work)
{
    const int32_t n_learn = plan->n_learn, *learn = plan->learn;
    const int32_t sum = plan->weights ? moe_draws_sums(plan, work->samples) : 0;
    int32_t n = 0, *weights = work->weights;
    for (int32_t s = 0; s < plan->data->n_samples; s++)
        weights[s] = plan->n_drawn ? 0 : sum ? plan->weights[s] : 1;
    if (plan->n_drawn) {
        moe_stream_t stream = moe_draw_open(plan->address, number, MOE_FOREST_BAG);
        for (int32_t i = 0; i < plan->n_drawn; i++) {
            int32_t place = (int32_t)moe_draw_below(&stream, (uint64_t)(sum ? sum : n_learn));
            if (sum) place = moe_draws_place(work->samples, n_learn, place);
            weights[learn ? learn[place] : place]++;
        }
    }
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
