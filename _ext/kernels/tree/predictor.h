/* predictor: send samples down a tree. */
#ifndef MOE_TREE_PREDICTOR_H
#define MOE_TREE_PREDICTOR_H

#include "base/buffers.h"
#include "tree/bins.h"
#include "tree/workspace.h"

/* Return the label that a tree gives to one coded sample. */
static inline int32_t moe_predictor_label(const moe_data_t *data, const moe_node_t *nodes, int64_t sample)
{
    const moe_node_t *node = nodes;
    while (node->feature >= 0) {
        int32_t code = (int32_t)moe_bins_code(data, node->feature, sample);
        node = nodes + node->left + !(code <= node->code || code == node->missing);
    }
    return node->label;
}

/* Return the index of the leaf of one raw sample; missing values (NaN) go left if `missing` >= 0. */
static inline int32_t moe_predictor_leaf(const moe_node_t *nodes, const double *thresholds, const double *sample)
{
    int32_t n = 0;
    while (nodes[n].feature >= 0) {
        double value = sample[nodes[n].feature];
        int left = value != value ? nodes[n].missing >= 0 : value <= thresholds[n];
        n = nodes[n].left + !left;
    }
    return n;
}

/* The workspace of a prediction. */
typedef struct {
    int32_t *samples; /* [n_samples] samples, grouped by leaf */
    int32_t *spare;   /* [n_samples] */
    int32_t *slices;  /* [n_nodes, 2] range of the samples of each node in `samples` */
    int32_t *hits;    /* [n_classes] samples of each class that are labelled correctly */
} moe_predictor_t;

/* Lay out a prediction over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_predictor_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_nodes,
                                        moe_predictor_t *paths /* OUT */)
{
    const int64_t width = (int64_t)sizeof(int32_t);
    int64_t at = 0;
    paths->samples = moe_buffers_next(buffer, data->n_samples * width, &at);
    paths->spare = moe_buffers_next(buffer, data->n_samples * width, &at);
    paths->slices = moe_buffers_next(buffer, 2 * n_nodes * width, &at);
    paths->hits = moe_buffers_next(buffer, data->n_classes * width, &at);
    return at;
}

/* Return the bytes of the workspace for trees of at most n_train training samples. */
static inline int64_t moe_predictor_size(const moe_data_t *data, int64_t n_train)
{
    moe_predictor_t paths;
    return moe_predictor_lay(NULL, data, moe_workspace_max_nodes(n_train), &paths);
}

#define MOE_PREDICTOR_PARTITION(code_t)                                                                 \
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

/* Send paths->samples[start_all .. end_all) down a tree. They descend together and are partitioned at each node: one by
 * one would be slower, because the turns of a sample cannot be predicted. Afterwards the samples of node i are
 * samples[slices[2 i] .. slices[2 i + 1]). */
static inline void moe_predictor_follow(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                        int32_t start_all, int32_t end_all,
                                        const moe_predictor_t *paths /* samples IN and OUT, slices OUT */)
{
    int32_t *samples = paths->samples, *spare = paths->spare, *slices = paths->slices;
    slices[0] = start_all;
    slices[1] = end_all;
    for (int64_t i = 0; i < n_nodes; i++) { /* parents precede their children */
        const moe_node_t *node = nodes + i;
        int32_t start = slices[2 * i], end = slices[2 * i + 1], to = start, n_right = 0;
        if (node->feature < 0) continue;
        if (data->code_width == 1)
            MOE_PREDICTOR_PARTITION(uint8_t);
        else
            MOE_PREDICTOR_PARTITION(uint16_t);
        memcpy(samples + to, spare, (size_t)n_right * sizeof(int32_t));
        int32_t *children = slices + 2 * (int64_t)node->left;
        children[0] = start;
        children[1] = children[2] = to;
        children[3] = end;
    }
}

/* List in paths->samples the samples with marks[s] == wanted; returns their number. */
static inline int32_t moe_predictor_list(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                         uint8_t wanted, const moe_predictor_t *paths /* samples are OUT */)
{
    int32_t n = 0;
    for (int32_t s = 0; s < data->n_samples; s++) {
        paths->samples[n] = s; /* n <= s */
        n += marks[s] == wanted;
    }
    return n;
}

/* List the samples with marks[s] == wanted and send them down a tree (moe_predictor_follow); returns their number. */
static inline int32_t moe_predictor_route(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                          const uint8_t *marks /* IN [n_samples] */, uint8_t wanted,
                                          const moe_predictor_t *paths /* samples and slices are OUT */)
{
    const int32_t n = moe_predictor_list(data, marks, wanted, paths);
    moe_predictor_follow(data, nodes, n_nodes, 0, n, paths);
    return n;
}
#undef MOE_PREDICTOR_PARTITION

#endif
