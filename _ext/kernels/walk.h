/* walk: following a tree, and the unweighted average recall (UAR). */
#ifndef MOE_WALK_H
#define MOE_WALK_H

#include "bin.h"

/* Label that a tree gives to one coded sample. */
static inline int32_t moe_walk_coded(const moe_data_t *data, const moe_node_t *nodes, int64_t sample)
{
    const moe_node_t *node = nodes;
    while (node->feature >= 0) {
        int32_t code = (int32_t)moe_bin_code(data, node->feature, sample);
        node = nodes + node->left + !(code <= node->code || code == node->missing);
    }
    return node->label;
}

/* Leaf that a tree puts one raw sample into; a missing value (NaN) follows `missing`. */
static inline int32_t moe_walk_raw(const moe_node_t *nodes, const double *thresholds, const double *sample)
{
    int32_t n = 0;
    while (nodes[n].feature >= 0) {
        double value = sample[nodes[n].feature];
        int left = value != value ? nodes[n].missing >= 0 : value <= thresholds[n];
        n = nodes[n].left + !left;
    }
    return n;
}

/* UAR over the samples with marks[s] == wanted (Eq. `eq:uar`): the mean, over the
 * classes that occur among them, of the share of samples labelled correctly. */
static inline double moe_walk_uar(const moe_data_t *data, const moe_node_t *nodes,
                                  const int32_t *class_start /* IN [n_classes + 1] */,
                                  const uint8_t *marks /* IN [n_samples] */, uint8_t wanted)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        int32_t n = 0, correct = 0;
        for (int32_t s = class_start[c]; s < class_start[c + 1]; s++) {
            if (marks[s] != wanted) continue;
            n++;
            correct += moe_walk_coded(data, nodes, s) == c;
        }
        if (!n) continue;
        sum += (double)correct / (double)n;
        n_present++;
    }
    return n_present ? sum / (double)n_present : 0.0;
}

#endif
