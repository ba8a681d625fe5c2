/* draws: draw the samples, features and thresholds of the trees of a forest. */
#ifndef MOE_FOREST_DRAWS_H
#define MOE_FOREST_DRAWS_H

#include "forest/types.h"

/* Compute sums[i] = cumulative weight of samples 0 .. i of those to learn from; returns the total. */
static inline int32_t moe_draws_cumulate(const moe_forest_plan_t *plan, int32_t *sums /* OUT [n_learn] */)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < plan->n_learn; i++) {
        sum += plan->weights[plan->learn ? plan->learn[i] : i];
        sums[i] = sum;
    }
    return sum;
}

/* Return the index of the first of n ascending sums that is > `number`; the caller ensures that the last one is. */
static inline int32_t moe_draws_upper_bound(const int32_t *sums, int32_t n, int32_t number)
{
    int32_t first = 0;
    for (; n > 1; n -= n / 2) first += sums[first + n / 2 - 1] <= number ? n / 2 : 0;
    return first;
}

/* Set work->weights and list the distinct samples of a tree in work->samples, ascending; returns their number. With
 * n_drawn samples are drawn with replacement, in proportion to plan->weights, and a weight is how often the sample was
 * drawn; otherwise a sample has its own weight. If all weights are 0, each sample counts once. */
static inline int32_t moe_draws_bag(const moe_forest_plan_t *plan, uint32_t number, moe_forest_work_t *work)
{
    const int32_t n_learn = plan->n_learn, *learn = plan->learn;
    const int32_t sum = plan->weights ? moe_draws_cumulate(plan, work->samples) : 0;
    int32_t n = 0, *weights = work->weights;
    for (int32_t s = 0; s < plan->data->n_samples; s++)
        weights[s] = plan->n_drawn ? 0 : sum ? plan->weights[s] : 1;
    if (plan->n_drawn) {
        moe_stream_t stream = moe_draw_open(plan->address, number, MOE_FOREST_BAG);
        for (int32_t i = 0; i < plan->n_drawn; i++) {
            int32_t place = (int32_t)moe_draw_below(&stream, (uint64_t)(sum ? sum : n_learn));
            if (sum) place = moe_draws_upper_bound(work->samples, n_learn, place);
            weights[learn ? learn[place] : place]++;
        }
    }
    for (int32_t i = 0; i < n_learn; i++) { /* no branch: it would be mispredicted */
        const int32_t s = learn ? learn[i] : i;
        work->samples[n] = s;
        n += weights[s] > 0;
    }
    return n;
}

/* Draw feature i of a node from those not drawn yet, by swapping it to features[i] (Fisher and Yates), and return it.
 * `rest` = the low 64 bits of the product that selects it, which are uniform too. */
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

/* Undo the swaps of n drawn features, so that every node starts from the same order. */
static inline void moe_draws_restore(int32_t n, moe_forest_work_t *work)
{
    int32_t *features = work->features;
    while (n--) {
        const int32_t j = work->swaps[n], feature = features[n];
        features[n] = features[j];
        features[j] = feature;
    }
}

/* Return a threshold in [low, high), uniform if `word` is; `low` itself if rounding would give `high`. */
static inline double moe_draws_threshold(uint64_t word, double low, double high)
{
    const double unit = (double)(word >> 11) * (1.0 / 9007199254740992.0);
    const double middle = (1.0 - unit) * low + unit * high; /* no high - low: it may overflow */
    return middle >= high || middle < low ? low : middle;
}

#endif
