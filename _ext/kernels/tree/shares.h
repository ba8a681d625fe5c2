/* shares: the answers of a tree for samples, in the form of judges (judges/types.h). */
#ifndef MOE_TREE_SHARES_H
#define MOE_TREE_SHARES_H

#include <math.h>

#include "tree/predictor.h"

/* A tree, and the samples to answer for. */
typedef struct {
    const moe_data_t *data;
    const moe_tree_t *tree;
    const uint8_t *marks;  /* [n_samples] 1 = answer for this sample */
    const int32_t *places; /* [n_samples] row of each sample's answer */
    int32_t n_nodes;
} moe_shares_t;

/* The scale on which a target was coded as integers (`Target`): value = (centre + steps) 2^exponent, in [low, high]. */
typedef struct {
    double centre;
    double low;
    double high;
    int exponent;
} moe_shares_scale_t;

/* Return a mean of coded targets in the caller's units, clipped to [low, high]. */
static inline double moe_shares_value(const moe_shares_scale_t *scale, double mean)
{
    const double value = ldexp(scale->centre + mean, scale->exponent);
    return value < scale->low ? scale->low : value > scale->high ? scale->high : value;
}

/* Compute the class shares of a leaf, counts[c] / sum of counts, where counts are its training samples by class. With
 * `smooth` 1 is added to the count of each class that was learnt (Laplace's correction). */
static MOE_INLINE void moe_shares_of(const int32_t *counts /* IN [n_classes] */,
                                     const int32_t *learnt /* IN [n_classes] */, int64_t n_classes, int smooth,
                                     double *shares /* OUT [n_classes] */)
{
    int64_t size = 0;
    for (int64_t c = 0; c < n_classes; c++) size += counts[c] + (smooth && learnt[c]);
    for (int64_t c = 0; c < n_classes; c++) shares[c] = (double)(counts[c] + (smooth && learnt[c])) / (double)size;
}

/* Answer for each sample with the class shares of its leaf. */
static inline void moe_shares_classes(const moe_shares_t *shares, int smooth, double *answers /* OUT [n, n_classes] */,
                                      uint8_t *work /* workspace [moe_predictor_size()] aligned to 8 */)
{
    const moe_data_t *data = shares->data;
    const int64_t n_classes = data->n_classes;
    const int32_t *learnt = shares->tree->node_counts;
    moe_predictor_t paths;
    moe_predictor_lay(work, data, shares->n_nodes, &paths);
    moe_predictor_route(data, shares->tree->nodes, shares->n_nodes, shares->marks, 1, &paths);
    for (int64_t i = 0; i < shares->n_nodes; i++) {
        const int32_t start = paths.slices[2 * i], end = paths.slices[2 * i + 1];
        if (shares->tree->nodes[i].feature >= 0 || start == end) continue;
        double *first = answers + shares->places[paths.samples[start]] * n_classes;
        moe_shares_of(shares->tree->node_counts + i * n_classes, learnt, n_classes, smooth, first);
        for (int32_t p = start + 1; p < end; p++)
            memcpy(answers + shares->places[paths.samples[p]] * n_classes, first, (size_t)n_classes * sizeof(double));
    }
}

/* Answer for each sample with the mean target of its leaf, in the caller's units. */
static inline void moe_shares_means(const moe_shares_t *shares, const moe_shares_scale_t *scale,
                                    double *answers /* OUT [n] */,
                                    uint8_t *work /* workspace [moe_predictor_size()] aligned to 8 */)
{
    moe_predictor_t paths;
    moe_predictor_lay(work, shares->data, shares->n_nodes, &paths);
    moe_predictor_route(shares->data, shares->tree->nodes, shares->n_nodes, shares->marks, 1, &paths);
    for (int64_t i = 0; i < shares->n_nodes; i++) {
        if (shares->tree->nodes[i].feature >= 0) continue;
        const double mean = moe_shares_value(scale, shares->tree->means[i]);
        for (int32_t p = paths.slices[2 * i]; p < paths.slices[2 * i + 1]; p++)
            answers[shares->places[paths.samples[p]]] = mean;
    }
}

#endif
