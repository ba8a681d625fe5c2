/* score: the unweighted average recall (UAR) and the coefficient of determination (R2) of a tree. */
#ifndef MOE_TREE_SCORE_H
#define MOE_TREE_SCORE_H

#include "tree/predictor.h"
#include "tree/variance.h"

/* Return the UAR over the samples with marks[s] == wanted (Eq. `eq:uar`): the mean, over the classes that occur among
 * them, of hits[c] / n_c, the fraction of samples of class c that are labelled correctly. */
static inline double moe_score_recall(const moe_data_t *data, const int32_t *hits /* IN [n_classes] */,
                                      const int32_t *class_start /* IN [n_classes + 1] */,
                                      const uint8_t *marks /* IN [n_samples] */, uint8_t wanted)
{
    double sum = 0.0;
    int32_t n_present = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        int32_t n_class = 0;
        for (int32_t s = class_start[c]; s < class_start[c + 1]; s++) n_class += marks[s] == wanted;
        if (!n_class) continue;
        sum += (double)hits[c] / (double)n_class;
        n_present++;
    }
    return n_present ? sum / (double)n_present : 0.0;
}

/* Return the UAR of a tree over the samples with marks[s] == wanted. */
static inline double moe_score_uar(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                   const int32_t *class_start /* IN [n_classes + 1] */,
                                   const uint8_t *marks /* IN [n_samples] */, uint8_t wanted,
                                   uint8_t *work /* workspace [moe_predictor_size()] aligned to 8 */)
{
    moe_predictor_t paths;
    moe_predictor_lay(work, data, n_nodes, &paths);
    moe_predictor_route(data, nodes, n_nodes, marks, wanted, &paths);
    memset(paths.hits, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int64_t i = 0; i < n_nodes; i++) {
        const int32_t label = nodes[i].label, end = paths.slices[2 * i + 1];
        if (nodes[i].feature >= 0) continue;
        for (int32_t p = paths.slices[2 * i]; p < end; p++)
            paths.hits[label] += data->labels[paths.samples[p]] == label;
    }
    return moe_score_recall(data, paths.hits, class_start, marks, wanted);
}

/* Return the coefficient of determination over the samples with marks[s] == wanted: 1 - (sum of squared errors) / (sum
 * of squared differences from their mean), both summed in the order of the samples. If all targets are equal, return 1
 * without error and 0 otherwise, as scikit-learn does. */
static inline double moe_score_r2_of(const moe_data_t *data, const double *means /* IN answers */,
                                     const int32_t *places /* IN [n_samples] index of each sample's answer */,
                                     const uint8_t *marks /* IN [n_samples] */, uint8_t wanted)
{
    int64_t sum = 0, whole;
    int32_t n = 0;
    double errors = 0.0, spread = 0.0, part;
    for (int32_t s = 0; s < data->n_samples; s++) {
        if (marks[s] != wanted) continue;
        sum += data->target[s];
        n++;
    }
    if (!n) return 0.0;
    whole = moe_variance_mean(sum, n, &part);
    for (int32_t s = 0; s < data->n_samples; s++) {
        if (marks[s] != wanted) continue;
        const double error = (double)data->target[s] - means[places[s]];
        const double difference = (double)(data->target[s] - whole) - part;
        errors += error * error;
        spread += difference * difference;
    }
    if (spread > 0.0) return 1.0 - errors / spread;
    return errors > 0.0 ? 0.0 : 1.0;
}

/* Return the coefficient of determination of a tree over the samples with marks[s] == wanted. */
static inline double moe_score_r2(const moe_data_t *data, const moe_node_t *nodes, int32_t n_nodes,
                                  const double *means /* IN [n_nodes] */, const uint8_t *marks /* IN [n_samples] */,
                                  uint8_t wanted, uint8_t *work /* workspace [moe_predictor_size()] aligned to 8 */)
{
    moe_predictor_t paths;
    moe_predictor_lay(work, data, n_nodes, &paths);
    moe_predictor_route(data, nodes, n_nodes, marks, wanted, &paths);
    int32_t *leaves = paths.spare; /* leaf of each sample */
    for (int64_t i = 0; i < n_nodes; i++) {
        if (nodes[i].feature >= 0) continue;
        for (int32_t p = paths.slices[2 * i]; p < paths.slices[2 * i + 1]; p++) leaves[paths.samples[p]] = (int32_t)i;
    }
    return moe_score_r2_of(data, means, leaves, marks, wanted);
}

#endif
