/* parallel: what a thread does for a tree that many grow (tree/parallel.h). A template like tree/sorted.inc.h. */
#include "tree/bins.h"
#include "tree/histogram.h"
#include "tree/parallel.h"

/* The root: stamps, samples, and class counts into those of node 0. */
static inline void MOE_T(moe_trunk_plant)(moe_trunk_t *trunk, const uint8_t *marks, uint8_t wanted)
{
    MOE_ENTRY *samples = (MOE_ENTRY *)trunk->columns.entries + trunk->k * (int64_t)trunk->n_train;
    MOE_T(moe_fill_stamps)(trunk->data, marks, wanted, (MOE_ENTRY *)trunk->columns.stamps, samples);
    MOE_T(moe_split_count)(samples, 0, trunk->n_train, trunk->data, trunk->node_counts);
}

/* Fill the column of feature j. */
static inline void MOE_T(moe_trunk_fill)(moe_trunk_t *trunk, int32_t j, moe_work_t *work)
{
    (void)work;
    if (trunk->data->counted[trunk->features[j]]) return;
    MOE_T(moe_fill_column)(trunk->data, (const MOE_ENTRY *)trunk->columns.stamps, trunk->features[j], trunk->n_train,
                          (MOE_ENTRY *)trunk->columns.entries + j * (int64_t)trunk->n_train);
}

/* Sit down at a desk with a node; returns the number of classes that occur in it. */
static MOE_INLINE int32_t MOE_T(moe_trunk_sit)(const moe_trunk_t *trunk, const moe_limb_t *limb,
                                               moe_work_t *desk /* IN and OUT */)
{
    const int32_t n_classes = trunk->data->n_classes;
    memcpy(desk->counts, trunk->node_counts + (int64_t)limb->node * n_classes, (size_t)n_classes * sizeof(int32_t));
    return MOE_T(moe_best_present)(trunk->data, desk);
}

/* Value a group of the features of a node: -1 = constant, infinite = to be tried. */
static inline void MOE_T(moe_trunk_value)(moe_trunk_t *trunk, int32_t task, moe_work_t *work)
{
    const moe_data_t *data = trunk->data;
    const int32_t n_groups = (trunk->k + MOE_TRUNK_GROUP - 1) / MOE_TRUNK_GROUP;
    const moe_limb_t *limb = trunk->limbs + task / n_groups;
    const int32_t from = task % n_groups * MOE_TRUNK_GROUP, n = limb->end - limb->start;
    const int64_t stride = trunk->n_train;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_ENTRY *all = (const MOE_ENTRY *)trunk->columns.entries + limb->start;
    int32_t waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    moe_work_t desk = *work;
    const int32_t n_present = MOE_T(moe_trunk_sit)(trunk, limb, &desk);
    desk.values = trunk->values + task / n_groups * (int64_t)trunk->k;
    for (int32_t j = from; j < trunk->k && j < from + MOE_TRUNK_GROUP; j++) {
        const MOE_ENTRY *entries = all + j * stride;
        const int counted = data->counted[trunk->features[j]];
        const int varies = counted || (entries[0] ^ entries[n - 1]) >> code_shift;
        desk.values[j] = varies ? INFINITY : -1.0f;
        if (varies && MOE_T(moe_best_filters)(data, trunk->features[j], counted, entries, n, desk.second))
            waiting[counted][n_waiting[counted]++] = j;
    }
    for (int counted = 0; counted < 2; counted++)
        if (n_waiting[counted])
            MOE_T(moe_best_values)(data, trunk->features, trunk->places, waiting[counted], n_waiting[counted], counted,
                                   all, stride, all + trunk->k * stride, n_present, n, limb->s_node,
                                   trunk->rules->min_samples_leaf, &desk);
}

/* Find the best cut of a promising feature exactly. */
static inline void MOE_T(moe_trunk_try)(moe_trunk_t *trunk, int32_t task, moe_work_t *work)
{
    const moe_data_t *data = trunk->data;
    const int32_t place = trunk->promising[task], j = place % trunk->k, feature = trunk->features[j];
    const moe_limb_t *limb = trunk->limbs + place / trunk->k;
    const int32_t n = limb->end - limb->start;
    const int64_t stride = trunk->n_train;
    const MOE_ENTRY *all = (const MOE_ENTRY *)trunk->columns.entries + limb->start;
    moe_work_t desk = *work;
    const int32_t n_present = MOE_T(moe_trunk_sit)(trunk, limb, &desk);
    trunk->cuts[task] = moe_cut_none(limb->s_node, (uint64_t)n);
    MOE_T(moe_best_try)(data, feature, j, trunk->values[place], all + j * stride, all + trunk->k * stride, n_present,
                         n, limb->s_node, trunk->rules->min_samples_leaf, limb->bar, &desk, trunk->cuts + task);
}

/* Mark the sides of a piece of the samples of a node, and count the classes of the left one. */
static inline void MOE_T(moe_trunk_mark)(moe_trunk_t *trunk, int32_t task, moe_work_t *work)
{
    const moe_data_t *data = trunk->data;
    const moe_limb_t *limb = trunk->limbs + task / trunk->n_pieces;
    const int32_t n = limb->end - limb->start, piece = task % trunk->n_pieces, j = limb->best.feature;
    if (j < 0) return; /* no cut */
    const int32_t feature = trunk->features[j], below = limb->best.below;
    const int32_t from = limb->start + (int32_t)((int64_t)n * piece / trunk->n_pieces);
    const int32_t to = limb->start + (int32_t)((int64_t)n * (piece + 1) / trunk->n_pieces);
    const int32_t missing_code = limb->best.missing_left ? moe_bin_missing(data, feature) : -1;
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits, counted = data->counted[feature];
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    const int64_t column = (counted ? trunk->k : j) * (int64_t)trunk->n_train;
    const MOE_ENTRY *entries = (const MOE_ENTRY *)trunk->columns.entries + column;
    int32_t *left_counts = trunk->piece_counts + task * (int64_t)data->n_classes;
    uint8_t *side = trunk->columns.side;
    (void)work;
    memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = from; p < to; p++) {
        const uint32_t sample = (uint32_t)entries[p] & id_mask;
        const int32_t code = counted ? (int32_t)MOE_COUNT_CODE(feature, sample) : (int32_t)(entries[p] >> code_shift);
        const int left = (code <= below) | (code == missing_code);
        side[sample] = (uint8_t)left;
        left_counts[(uint32_t)(entries[p] >> id_bits) & label_mask] += left;
    }
}

/* Divide a column of a node; that of the samples is the last one. */
static inline void MOE_T(moe_trunk_divide)(moe_trunk_t *trunk, int32_t task, moe_work_t *work)
{
    const moe_data_t *data = trunk->data;
    const moe_limb_t *limb = trunk->limbs + task / trunk->n_columns;
    const int32_t j = task % trunk->n_columns, in_order = limb->best.missing_left ? -1 : limb->best.feature;
    if (!limb->keep_left && !limb->keep_right) return;
    if (j < trunk->k && (j == in_order || data->counted[trunk->features[j]])) return;
    MOE_T(moe_split_sides)(trunk->columns.side, (uint32_t)(((uint64_t)1 << data->id_bits) - 1), limb->start, limb->end,
                           limb->keep_left, limb->keep_right, (MOE_ENTRY *)work->spare,
                           (MOE_ENTRY *)trunk->columns.entries + j * (int64_t)trunk->n_train);
}

/* Grow the branch that is the i-th by size. */
static inline void MOE_T(moe_trunk_branch)(moe_trunk_t *trunk, int32_t i, moe_work_t *work)
{
    const int32_t n_classes = trunk->data->n_classes;
    moe_branch_t *branch = trunk->branches + trunk->by_size[i];
    const moe_frame_t root = {branch->node, branch->start, branch->end, branch->depth, 0, 0, 0, 0};
    moe_work_t desk = *work;
    desk.entries = trunk->columns.entries;
    memcpy(desk.counts, trunk->node_counts + (int64_t)branch->node * n_classes, (size_t)n_classes * sizeof(int32_t));
    const int32_t end = MOE_T(moe_split_branch)(trunk->data, trunk->features, trunk->k, trunk->n_train, trunk->rules,
                                                &root, branch->first, &desk, trunk->nodes, trunk->thresholds,
                                                trunk->node_counts);
    branch->n_nodes = end - branch->first;
}
