/* scan: evaluate the splits of a node by one feature. A template: see base/levels.inc.h.
 *
 * A node has two classes, more classes, or a target; the loops are compiled for each kind. The entry of a sample is
 * weight << 32 | low half: for two classes the weight again if the sample is of the second class, else 0; for more
 * classes the class; for a target 0.
 */

#define MOE_SCAN_TWO 0
#define MOE_SCAN_CLASSES 1
#define MOE_SCAN_TARGET 2

/* A node whose best split is searched. */
#define MOE_SCAN_SLICE MOE_L(moe_scan_slice_t)
typedef struct {
    const moe_data_t *data;
    moe_forest_work_t *work;
    const int32_t *samples;  /* [n] */
    const uint64_t *entries; /* [n] */
    int32_t kind;
    int32_t n;         /* distinct samples */
    int32_t size;      /* sum of the weights of the samples */
    int32_t min_leaf;  /* fewest distinct samples of a child */
    int32_t min_weight; /* smallest sum of weights of a child */
    int32_t n_present; /* number of classes that occur */
    int32_t n_second;  /* sum of the weights of the second of two classes */
    uint64_t s_node;   /* sum of the squared class counts */
    int64_t z_node;    /* sum of z (tree/variance.h) */
} MOE_SCAN_SLICE;

/* Running sums of the left side of a threshold. */
#define MOE_SCAN_SIDE MOE_L(moe_scan_side_t)
typedef struct {
    uint64_t packed; /* sum of the entries, for two classes */
    uint64_t s_left, s_right;
    int64_t z;
    int32_t size;
} MOE_SCAN_SIDE;

/* Return the sums of an empty left side, and zero its class counts. */
static MOE_INLINE MOE_SCAN_SIDE MOE_L(moe_scan_empty)(const MOE_SCAN_SLICE *slice, int kind)
{
    const MOE_SCAN_SIDE side = {0, 0, slice->s_node, 0, 0};
    if (kind == MOE_SCAN_CLASSES)
        for (int32_t i = 0; i < slice->n_present; i++) slice->work->left[slice->work->present[i]] = 0;
    return side;
}

/* Move the sample at index `place` of the node to the left side. */
static MOE_INLINE void MOE_L(moe_scan_add)(const MOE_SCAN_SLICE *slice, int kind, uint32_t place,
                                           MOE_SCAN_SIDE *side /* IN and OUT */)
{
    const moe_forest_work_t *work = slice->work;
    const uint64_t entry = slice->entries[place];
    if (kind == MOE_SCAN_TWO) {
        side->packed += entry;
        return;
    }
    const uint64_t weight = entry >> 32;
    side->size += (int32_t)weight;
    if (kind == MOE_SCAN_TARGET) {
        side->z += work->z[place];
        return;
    }
    const uint32_t c = (uint32_t)entry;
    const uint64_t left = (uint64_t)(uint32_t)work->left[c], right = (uint64_t)(uint32_t)work->counts[c] - left;
    side->s_left += weight * (2 * left + weight);
    side->s_right -= weight * (2 * right - weight);
    work->left[c] = (int32_t)(left + weight);
}

/* Complete the split after the samples in `side` and update `best` if it is better. Splits with a score below *cutoff
 * are skipped; *cutoff is raised when the best improves. `differs` = the codes beside the split differ. */
static MOE_INLINE void MOE_L(moe_scan_update_best)(const MOE_SCAN_SLICE *slice, int kind, const MOE_SCAN_SIDE *side,
                                                   int differs, moe_split_t *split /* feature, codes IN; rest OUT */,
                                                   moe_split_t *best /* IN and OUT */, double *cutoff /* IN and OUT */)
{
    const double *reciprocal = slice->data->reciprocal;
    uint64_t n_left = (uint64_t)(uint32_t)side->size, s_left = side->s_left, s_right = side->s_right;
    double left = (double)side->z, right = (double)(slice->z_node - side->z);
    if (kind == MOE_SCAN_TWO) {
        n_left = side->packed >> 32;
        const uint64_t second = (uint32_t)side->packed, first = n_left - second;
        const uint64_t second_right = (uint64_t)slice->n_second - second;
        const uint64_t first_right = (uint64_t)(slice->size - slice->n_second) - first;
        s_left = first * first + second * second;
        s_right = first_right * first_right + second_right * second_right;
    }
    const uint64_t n_right = (uint64_t)slice->size - n_left;
    left = kind == MOE_SCAN_TARGET ? left * left : (double)(int64_t)s_left;
    right = kind == MOE_SCAN_TARGET ? right * right : (double)(int64_t)s_right;
    const double score = left * reciprocal[n_left] + right * reciprocal[n_right];
    if (!(differs & (score >= *cutoff))) return;
    if ((n_left < n_right ? n_left : n_right) < (uint64_t)(uint32_t)slice->min_weight) return;
    split->score = score;
    split->n_left = n_left;
    split->n_right = n_right;
    if (kind == MOE_SCAN_TARGET) {
        split->s_left = (uint64_t)side->z;
        split->s_right = (uint64_t)(slice->z_node - side->z);
        moe_variance_update_best(split, best);
        *cutoff = best->score * (1.0 - MOE_SPLIT_ERROR);
        return;
    }
    split->s_left = s_left;
    split->s_right = s_right;
    moe_gini_update_best(split, best, cutoff);
}

/* Evaluate all splits between different codes of sorted keys [0, end). The n_before missing values after them all count
 * to the left side. Returns whether one leaves min_leaf samples on both sides. */
static MOE_INLINE int MOE_L(moe_scan_sorted)(const MOE_SCAN_SLICE *slice, int kind, int32_t end, int32_t n_before,
                                              int32_t feature, moe_split_t *best /* IN and OUT */,
                                              double *cutoff /* IN and OUT */)
{
    const uint64_t *keys = slice->work->keys;
    const int32_t first = slice->min_leaf - 1 - n_before; /* splits after keys [first, last) leave min_leaf samples */
    int32_t last = slice->n - slice->min_leaf - n_before, p = 0;
    double least = *cutoff;
    MOE_SCAN_SIDE side = MOE_L(moe_scan_empty)(slice, kind);
    if (last > end - 1) last = end - 1;
    for (int32_t q = 0; q < n_before; q++) MOE_L(moe_scan_add)(slice, kind, (uint32_t)keys[end + q], &side);
    for (; p < first && p < last; p++) MOE_L(moe_scan_add)(slice, kind, (uint32_t)keys[p], &side);
    for (; p < last; p++) {
        const uint64_t key = keys[p], next = keys[p + 1];
        MOE_L(moe_scan_add)(slice, kind, (uint32_t)key, &side);
        moe_split_t split = {0.0, 0, 0, 0, 0, feature, (int32_t)(key >> 32), (int32_t)(next >> 32), n_before > 0};
        MOE_L(moe_scan_update_best)(slice, kind, &side, key >> 32 != next >> 32, &split, best, &least);
    }
    *cutoff = least;
    p = first > 0 ? first : 0;
    return p < last && keys[p] >> 32 != keys[last] >> 32;
}

/* Evaluate all splits of a feature whose codes differ, with missing values right and then left; returns whether one
 * leaves min_leaf samples on both sides. */
static MOE_INLINE int MOE_L(moe_scan_best)(const MOE_SCAN_SLICE *slice, int kind, int32_t feature,
                                            moe_split_t *best /* IN and OUT */, double *cutoff /* IN and OUT */)
{
    const int32_t missing_code = moe_bins_missing(slice->data, feature), n = slice->n;
    const uint64_t *keys = slice->work->keys;
    int32_t known = n;
    MOE_L(moe_sort_keys)(slice->work->codes, n, missing_code, slice->work);
    int allowed = MOE_L(moe_scan_sorted)(slice, kind, n, 0, feature, best, cutoff);
    while ((int32_t)(keys[known - 1] >> 32) == missing_code) known--;
    if (known < n) allowed |= MOE_L(moe_scan_sorted)(slice, kind, known, n - known, feature, best, cutoff);
    return allowed;
}

/* Return whether a value goes left at threshold `middle`; a missing value goes by `missing_left`. */
static MOE_INLINE int MOE_L(moe_scan_left)(double value, double middle, int missing_left)
{
    return (value <= middle) | (missing_left & (value != value));
}

/* Evaluate the split at threshold `middle`; missing values go by split->missing_left. */
static MOE_INLINE void MOE_L(moe_scan_threshold)(const MOE_SCAN_SLICE *slice, int kind, double middle,
                                                 moe_split_t *split, moe_split_t *best /* IN and OUT */,
                                                 double *cutoff /* IN and OUT */)
{
    const int32_t n = slice->n;
    const int missing_left = split->missing_left;
    const uint64_t *entries = slice->entries;
    const double *values = slice->work->values;
    const int64_t *z = slice->work->z;
    int32_t n_left = 0;
    MOE_SCAN_SIDE side = MOE_L(moe_scan_empty)(slice, kind);
    for (int32_t i = 0; i < n; i++) {
        const int left = MOE_L(moe_scan_left)(values[i], middle, missing_left);
        const uint64_t mask = 0 - (uint64_t)left, weight = (entries[i] & mask) >> 32;
        n_left += left;
        if (kind == MOE_SCAN_TWO) side.packed += entries[i] & mask;
        if (kind != MOE_SCAN_TWO) side.size += (int32_t)weight;
        if (kind == MOE_SCAN_CLASSES) slice->work->left[(uint32_t)entries[i]] += (int32_t)weight;
        if (kind == MOE_SCAN_TARGET) side.z += z[i] & (int64_t)mask;
    }
    if (n_left < slice->min_leaf || n - n_left < slice->min_leaf) return;
    if (kind == MOE_SCAN_CLASSES) {
        side.s_right = 0;
        for (int32_t i = 0; i < slice->n_present; i++) {
            const int32_t c = slice->work->present[i];
            const uint64_t n_c = (uint64_t)(uint32_t)slice->work->left[c];
            const uint64_t others = (uint64_t)(uint32_t)slice->work->counts[c] - n_c;
            side.s_left += n_c * n_c;
            side.s_right += others * others;
        }
    }
    MOE_L(moe_scan_update_best)(slice, kind, &side, 1, split, best, cutoff);
}

/* Evaluate the split of a feature at a random threshold, derived from `word`; if it is the best so far, *middle becomes
 * the threshold. Returns whether the feature varies in the node; a missing value differs from every known one. */
static MOE_INLINE int MOE_L(moe_scan_random)(const moe_forest_plan_t *plan, const MOE_SCAN_SLICE *slice, int kind,
                                              int32_t feature, uint64_t word, double *middle /* IN and OUT */,
                                              moe_split_t *best /* IN and OUT */, double *cutoff /* IN and OUT */)
{
    double range[2], threshold = INFINITY; /* known values left, missing ones right */
    const int has_missing = MOE_L(moe_sort_values)(plan, feature, slice->samples, slice->n, slice->work->values, range);
    const int varies = range[0] < range[1];
    if (!varies && !(has_missing && range[0] == range[1])) return 0; /* all values are equal, or all are missing */
    if (varies) threshold = moe_draws_threshold(word, range[0], range[1]);
    for (int missing_left = 0; missing_left <= (has_missing && varies); missing_left++) {
        moe_split_t split = {0.0, 0, 0, 0, 0, feature, 0, moe_bins_missing(slice->data, feature), missing_left};
        MOE_L(moe_scan_threshold)(slice, kind, threshold, &split, best, cutoff);
    }
    if (best->feature != feature) return 1;
    double *const values = slice->work->values;
    slice->work->values = slice->work->best_values;
    slice->work->best_values = values;
    *middle = threshold;
    return 1;
}
