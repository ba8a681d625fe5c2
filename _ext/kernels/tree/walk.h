/* walk: following a tree, the unweighted average recall (UAR) and the coefficient of determination (R2). */
#ifndef MOE_WALK_H
#define MOE_WALK_H

#include "tree/bin.h"
#include "tree/gain.h"

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

/* The workspace of a walk. */
typedef struct {
    int32_t *samples; /* [n_samples] leaf by leaf */
    int32_t *spare;   /* [n_samples] */
    int32_t *slices;  /* [n_nodes, 2] */
    int32_t *hits;    /* [n_classes] */
} moe_walk_room_t;

/* Lay it over `buffer` (aligned to 8) and return its size in bytes; with NULL only the size. */
static inline int64_t moe_walk_lay(uint8_t *buffer, const moe_data_t *data, int64_t n_nodes,
                                   moe_walk_room_t *room /* OUT */)
{
    const int64_t width = (int64_t)sizeof(int32_t);
    int64_t at = 0;
    room->samples = moe_parts_next(buffer, data->n_samples * width, &at);
    room->spare = moe_parts_next(buffer, data->n_samples * width, &at);
    room->slices = moe_parts_next(buffer, 2 * n_nodes * width, &at);
    room->hits = moe_parts_next(buffer, data->n_classes * width, &at);
    return at;
}

/* Bytes of the workspace for trees of at most n_train samples. */
static inline int64_t moe_walk_work(const moe_data_t *data, int64_t n_train)
{
    moe_walk_room_t room;
    return moe_walk_lay(NULL, data, moe_tree_max_nodes(n_train), &room);
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

/* Send the samples with marks[s] == wanted down a tree; returns their number. They go
 * together, divided at each node: one by one they would take longer, because nobody can
 * predict where each turns. Those of a node are samples[slices[2 i] .. slices[2 i + 1]). */
static inline int32_t moe_walk_together(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                        const uint8_t *marks /* IN [n_samples] */, uint8_t wanted,
                                        const moe_walk_room_t *room /* samples and slices are OUT */)
{
    int32_t *samples = room->samples, *spare = room->spare, *slices = room->slices, n = 0;
    for (int32_t s = 0; s < data->n_samples; s++) {
        samples[n] = s; /* n <= s */
        n += marks[s] == wanted;
    }
    slices[0] = 0;
    slices[1] = n;
    for (int64_t i = 0; i < n_nodes; i++) { /* parents come before their children */
        const moe_node_t *node = nodes + i;
        int32_t start = slices[2 * i], end = slices[2 * i + 1], to = start, n_right = 0;
        if (node->feature < 0) continue;
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
    return n;
}
#undef MOE_WALK_DIVIDE

/* UAR over the samples with marks[s] == wanted (Eq. `eq:uar`): the mean, over the
 * classes that occur among them, of the share of samples labelled correctly. */
static inline double moe_walk_uar(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                  const int32_t *class_start /* IN [n_classes + 1] */,
                                  const uint8_t *marks /* IN [n_samples] */, uint8_t wanted,
                                  uint8_t *work /* workspace [moe_walk_work()] aligned to 8 */)
{
    moe_walk_room_t room;
    double sum = 0.0;
    int32_t n_present = 0;
    moe_walk_lay(work, data, n_nodes, &room);
    moe_walk_together(data, nodes, n_nodes, marks, wanted, &room);
    memset(room.hits, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int64_t i = 0; i < n_nodes; i++) {
        const int32_t label = nodes[i].label, end = room.slices[2 * i + 1];
        if (nodes[i].feature >= 0) continue;
        for (int32_t p = room.slices[2 * i]; p < end; p++) room.hits[label] += data->labels[room.samples[p]] == label;
    }
    for (int32_t c = 0; c < data->n_classes; c++) {
        int32_t n_class = 0;
        for (int32_t s = class_start[c]; s < class_start[c + 1]; s++) n_class += marks[s] == wanted;
        if (!n_class) continue;
        sum += (double)room.hits[c] / (double)n_class;
        n_present++;
    }
    return n_present ? sum / (double)n_present : 0.0;
}

/* Coefficient of determination over the samples with marks[s] == wanted: 1 - (sum of squared
 * errors) / (sum of squared differences from their mean), both added in the order of the
 * samples. If they are all of one target, 1 without error and 0 else, as scikit-learn has it. */
static inline double moe_walk_r2(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                 const double *means /* IN [n_nodes] */, const uint8_t *marks /* IN [n_samples] */,
                                 uint8_t wanted, uint8_t *work /* workspace [moe_walk_work()] aligned to 8 */)
{
    moe_walk_room_t room;
    int64_t sum = 0, whole;
    double errors = 0.0, spread = 0.0, part;
    moe_walk_lay(work, data, n_nodes, &room);
    const int32_t n = moe_walk_together(data, nodes, n_nodes, marks, wanted, &room);
    int32_t *leaves = room.spare; /* of the samples */
    for (int64_t i = 0; i < n_nodes; i++) {
        if (nodes[i].feature >= 0) continue;
        for (int32_t p = room.slices[2 * i]; p < room.slices[2 * i + 1]; p++) {
            leaves[room.samples[p]] = (int32_t)i;
            sum += data->target[room.samples[p]];
        }
    }
    if (!n) return 0.0;
    whole = moe_gain_mean(sum, n, &part);
    for (int32_t s = 0; s < data->n_samples; s++) {
        if (marks[s] != wanted) continue;
        const double error = (double)data->target[s] - means[leaves[s]];
        const double difference = (double)(data->target[s] - whole) - part;
        errors += error * error;
        spread += difference * difference;
    }
    if (spread > 0.0) return 1.0 - errors / spread;
    return errors > 0.0 ? 0.0 : 1.0;
}

#endif
