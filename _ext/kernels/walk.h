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

/* Bytes of the workspace of moe_walk_uar for trees of at most n_train samples. */
static inline int64_t moe_walk_work(const moe_data_t *data, int64_t n_train)
{
    return moe_base_round_up((2 * (int64_t)data->n_samples + 2 * moe_tree_max_nodes(n_train) + data->n_classes) *
                                 (int64_t)sizeof(int32_t), 64);
}

#define MOE_WALK_DIVIDE(code_t)                                                                 \
    do {                                                                                        \
        const code_t *codes = (const code_t *)data->codes + (int64_t)node->feature * data->n_samples; \
        for (int32_t p = start; p < end; p++) {                                                 \
            int32_t s = samples[p], code = codes[s];                                            \
            int left = (code <= node->code) | (code == node->missing);                          \
            samples[to] = s;                                                                    \
            spare[n_right] = s;                                                                 \
            to += left;                                                                         \
            n_right += !left;                                                                   \
        }                                                                                       \
    } while (0)

/* UAR over the samples with marks[s] == wanted (Eq. `eq:uar`): the mean, over the
 * classes that occur among them, of the share of samples labelled correctly.
 *
 * The samples go down the tree together, divided at each node: one by one they
 * would take longer, because nobody can predict where each turns. */
static inline double moe_walk_uar(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                  const int32_t *class_start /* IN [n_classes + 1] */,
                                  const uint8_t *marks /* IN [n_samples] */, uint8_t wanted,
                                  int32_t *work /* workspace [moe_walk_work(data, n_train) / 4] */)
{
    int32_t *samples = work, *spare = samples + data->n_samples, *hits = spare + data->n_samples;
    int32_t *slices = hits + data->n_classes; /* [n_nodes, 2] start and end of each node's samples */
    int32_t n = 0, n_present = 0;
    double sum = 0.0;
    for (int32_t s = 0; s < data->n_samples; s++) {
        samples[n] = s; /* n <= s */
        n += marks[s] == wanted;
    }
    memset(hits, 0, (size_t)data->n_classes * sizeof(int32_t));
    slices[0] = 0;
    slices[1] = n;
    for (int32_t i = 0; i < n_nodes; i++) { /* parents come before their children */
        const moe_node_t *node = nodes + i;
        int32_t start = slices[2 * i], end = slices[2 * i + 1], to = start, n_right = 0;
        if (node->feature < 0) {
            for (int32_t p = start; p < end; p++) hits[node->label] += data->labels[samples[p]] == node->label;
            continue;
        }
        if (data->code_width == 1)
            MOE_WALK_DIVIDE(uint8_t);
        else
            MOE_WALK_DIVIDE(uint16_t);
        memcpy(samples + to, spare, (size_t)n_right * sizeof(int32_t));
        int32_t *children = slices + 2 * (int64_t)node->left;
        children[0] = start;
        children[1] = children[2] = to;
        children[3] = end;
    }
    for (int32_t c = 0; c < data->n_classes; c++) {
        int32_t n_class = 0;
        for (int32_t s = class_start[c]; s < class_start[c + 1]; s++) n_class += marks[s] == wanted;
        if (!n_class) continue;
        sum += (double)hits[c] / (double)n_class;
        n_present++;
    }
    return n_present ? sum / (double)n_present : 0.0;
}
#undef MOE_WALK_DIVIDE

#endif
