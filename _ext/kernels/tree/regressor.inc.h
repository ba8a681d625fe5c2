/* regressor: grow the nodes of one regression tree (tree/variance.h). A template like tree/sorted.inc.h.
 *
 * Columns, slices, lists and partitions are those of tree/classifier.inc.h, but every feature is sorted and entries are
 * (code | sample): the target is looked up by the sample. In the column of the split feature the sides of a split are
 * ranges, with missing values at the end as a third one:
 *
 *     [ left ........ | right ........... | missing ]      [start, middle), [middle, tail), [tail, end)
 *
 * where tail = end unless missing values go left.
 */

/* Return the target of the sample of an entry. */
static MOE_INLINE int64_t MOE_T(moe_regressor_target)(const moe_data_t *data, MOE_ENTRY entry)
{
    return data->target[(uint32_t)entry & (uint32_t)(((uint64_t)1 << data->id_bits) - 1)];
}

/* Return whether an entry of [from, to) has a target other than `target`. */
static MOE_INLINE int MOE_T(moe_regressor_varies)(const moe_data_t *data, const MOE_ENTRY *entries, int32_t from,
                                                  int32_t to, int64_t target)
{
    while (from < to && MOE_T(moe_regressor_target)(data, entries[from]) == target) from++;
    return from < to;
}

/* A node and the slice of its entries (see tree/slice.inc.h). */
#define MOE_REGRESSOR_SLICE MOE_T(moe_regressor_slice_t)
typedef struct {
    const moe_data_t *data;
    const MOE_ENTRY *columns; /* [k, stride] columns, from the first entry of the node on */
    int64_t stride;
    int64_t mean_floor; /* floor of the node's mean; z = target - mean_floor */
    int64_t z_node;   /* sum of z */
    int32_t n;        /* samples */
    int32_t min_leaf; /* fewest samples of a child */
} MOE_REGRESSOR_SLICE;

/* Scan the splits between different codes of entries [0, end). With best = NULL return the score of the best one,
 * rounded, 0 if there is none. Otherwise update `best` by the splits with a score >= `least`, in ascending order of
 * threshold. If missing values go left, n_left of them with the sum z_left come before the entries. O(end). */
static MOE_INLINE double MOE_T(moe_regressor_scan)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries /* IN */,
                                                   int32_t end, int32_t n_left, int64_t z_left, double least,
                                                   int32_t position, moe_split_t *best /* IN and OUT, or NULL */)
{
    const moe_data_t *data = slice->data;
    const int64_t mean_floor = slice->mean_floor, z_node = slice->z_node;
    const int32_t n_node = slice->n, min_leaf = slice->min_leaf;
    const int code_shift = data->id_bits;
    const double *inv_left = data->reciprocal + n_left + 1, *inv_right = data->reciprocal + n_node - n_left - 1;
    const int32_t first = min_leaf - 1 - n_left; /* splits after entries [first, last) leave min_leaf samples */
    int32_t last = n_node - min_leaf - n_left, p = 0;
    int64_t top = 0; /* bits of the best score: non-negative doubles compare like their bits, without a branch */
    double estimate;
    if (last > end - 1) last = end - 1;
    for (; p < first && p < last; p++) z_left += MOE_T(moe_regressor_target)(data, entries[p]) - mean_floor;
    for (; p < last; p++) {
        const MOE_ENTRY entry = entries[p], next = entries[p + 1];
        z_left += MOE_T(moe_regressor_target)(data, entry) - mean_floor;
        const double left = (double)z_left, right = (double)(z_node - z_left);
        const double score = left * left * inv_left[p] + right * right * inv_right[-p];
        if (!best) {
            int64_t bits;
            memcpy(&bits, &score, sizeof bits);
            bits = (entry ^ next) >> code_shift ? bits : 0;
            top = bits > top ? bits : top;
        } else if (score >= least && (entry ^ next) >> code_shift) {
            const moe_split_t split = {score, (uint64_t)z_left, (uint64_t)(z_node - z_left),
                                       (uint64_t)(n_left + p + 1), (uint64_t)(n_node - n_left - p - 1), position,
                                       (int32_t)(entry >> code_shift), (int32_t)(next >> code_shift), n_left > 0};
            moe_variance_update_best(&split, best);
        }
    }
    memcpy(&estimate, &top, sizeof estimate);
    return estimate;
}

/* Return the number of missing values of a feature, which are at the end of its entries, and the sum of their z. */
static MOE_INLINE int32_t MOE_T(moe_regressor_missing)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries,
                                                       int32_t missing_code, int64_t *z /* OUT */)
{
    const moe_data_t *data = slice->data;
    int32_t known = slice->n;
    *z = 0;
    for (; (int32_t)(entries[known - 1] >> data->id_bits) == missing_code; known--)
        *z += MOE_T(moe_regressor_target)(data, entries[known - 1]) - slice->mean_floor;
    return slice->n - known;
}

/* Return the score of the best split by a feature in a node, rounded, 0 if there is none; -1 if it does not vary.
 * O(n). */
static MOE_INLINE double MOE_T(moe_regressor_estimate)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries,
                                                       int32_t feature)
{
    const int32_t n = slice->n;
    int64_t z_missing;
    if (!((entries[0] ^ entries[n - 1]) >> slice->data->id_bits)) return -1.0;
    const double estimate = MOE_T(moe_regressor_scan)(slice, entries, n, 0, 0, 0.0, 0, NULL);
    const int32_t missing_code = moe_bins_missing(slice->data, feature);
    const int32_t n_missing = MOE_T(moe_regressor_missing)(slice, entries, missing_code, &z_missing);
    if (!n_missing) return estimate;
    const double other = MOE_T(moe_regressor_scan)(slice, entries, n - n_missing, n_missing, z_missing, 0.0, 0, NULL);
    return other > estimate ? other : estimate;
}

/* Update `best` by the splits by a feature with a score >= `least`; they name the feature `position`. O(n). */
static MOE_INLINE void MOE_T(moe_regressor_try)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries,
                                                int32_t feature, double least, int32_t position,
                                                moe_split_t *best /* IN and OUT */)
{
    const int32_t n = slice->n;
    int64_t z_missing;
    MOE_T(moe_regressor_scan)(slice, entries, n, 0, 0, least, position, best);
    const int32_t missing_code = moe_bins_missing(slice->data, feature);
    const int32_t n_missing = MOE_T(moe_regressor_missing)(slice, entries, missing_code, &z_missing);
    if (n_missing)
        MOE_T(moe_regressor_scan)(slice, entries, n - n_missing, n_missing, z_missing, least, position, best);
}

/* Find the best split of a node. Writes the features that vary in it behind its list and returns their number. First
 * every feature is estimated; then those that may be the best are tried exactly, in ascending order: mostly one. */
static MOE_INLINE int32_t MOE_T(moe_regressor_best)(const MOE_REGRESSOR_SLICE *slice, const int32_t *features,
                                                    const moe_queued_t *queued, moe_workspace_t *work,
                                                    moe_split_t *best /* OUT */)
{
    const int32_t n = slice->n, *list = work->lists + queued->list;
    int32_t *varying = work->lists + queued->list + queued->n_list, n_varying = 0;
    float *estimates = work->estimates;
    double top = 0.0;
    for (int32_t j = 0; j < queued->n_list && !moe_poll_stops(work->poll, n); j++) {
        const double estimate = MOE_T(moe_regressor_estimate)(slice, slice->columns + list[j] * slice->stride,
                                                              features[list[j]]);
        if (estimate < 0.0) continue;
        varying[n_varying] = list[j];
        estimates[n_varying++] = (float)estimate;
        top = estimate > top ? estimate : top;
    }
    *best = moe_variance_no_split(slice->z_node, n);
    const double least = top * (1.0 - MOE_SPLIT_ERROR);
    const float cutoff = (float)top * (1.0f - MOE_SORTED_ERROR); /* estimates were rounded to float */
    for (int32_t j = 0; j < n_varying && top > 0.0; j++)
        if (estimates[j] >= cutoff)
            MOE_T(moe_regressor_try)(slice, slice->columns + varying[j] * slice->stride, features[varying[j]], least,
                                     varying[j], best);
    return n_varying;
}

/* Mark which samples of a split go left, and set varies[left, right] to whether the target varies on each side. Returns
 * whether a value of the feature is missing in the node. */
static MOE_INLINE int MOE_T(moe_regressor_mark)(const MOE_REGRESSOR_SLICE *slice, int32_t missing_code,
                                                const moe_split_t *split, uint8_t *side, int varies[2] /* OUT */)
{
    const moe_data_t *data = slice->data;
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    const MOE_ENTRY *entries = slice->columns + split->feature * slice->stride;
    const int32_t end = slice->n;
    int32_t tail = end;
    while (split->missing_left && (int32_t)(entries[tail - 1] >> data->id_bits) == missing_code) tail--;
    const int32_t middle = (int32_t)split->n_left - (end - tail);
    for (int32_t p = 0; p < end; p++) side[(uint32_t)entries[p] & id_mask] = p < middle || p >= tail;
    const int64_t left = MOE_T(moe_regressor_target)(data, entries[0]);
    const int64_t right = MOE_T(moe_regressor_target)(data, entries[middle]);
    varies[0] = MOE_T(moe_regressor_varies)(data, entries, 0, middle, left) ||
                MOE_T(moe_regressor_varies)(data, entries, tail, end, left);
    varies[1] = MOE_T(moe_regressor_varies)(data, entries, middle, tail, right);
    return (int32_t)(entries[end - 1] >> data->id_bits) == missing_code;
}

/* Write a node as a leaf; returns 1 if it may be split. */
static MOE_INLINE int MOE_T(moe_regressor_open)(const moe_training_t *training, const moe_queued_t *queued, int varies,
                                                const moe_tree_t *tree)
{
    const int32_t n = queued->end - queued->start;
    double mean_fraction;
    const int64_t mean_floor = moe_variance_mean((int64_t)queued->s_node, n, &mean_fraction);
    tree->nodes[queued->node] = moe_node_leaf();
    tree->means[queued->node] = (double)mean_floor + mean_fraction;
    if (tree->sizes) tree->sizes[queued->node] = n;
    return varies && moe_node_allows(training->stopping, n, queued->depth);
}

/* Grow the subtree of `root`, which has been opened, whose target sum is in root->s_node and whose columns are in the
 * workspace; its nodes get numbers from n_nodes on. Returns the number after the last one. */
static inline int32_t MOE_T(moe_regressor_subtree)(const moe_training_t *training, const moe_queued_t *root,
                                                   int32_t n_nodes, moe_workspace_t *work, const moe_tree_t *tree)
{
    const moe_data_t *data = training->data;
    const int32_t k = training->k, *features = training->features;
    const int64_t stride = training->n_train;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries;
    int32_t n_queued = 1;
    for (int32_t j = 0; j < k; j++) work->lists[j] = j;
    work->queue[0] = *root;
    work->queue[0].list = 0;
    work->queue[0].n_list = k;
    while (n_queued && !moe_poll_stops(work->poll, 0)) {
        const moe_queued_t parent = work->queue[--n_queued];
        const int32_t n = parent.end - parent.start;
        moe_queued_t left, right;
        moe_split_t split;
        double mean_fraction;
        int varies[2];
        const int64_t mean_floor = moe_variance_mean((int64_t)parent.s_node, n, &mean_fraction);
        const MOE_REGRESSOR_SLICE slice = {data, all + parent.start, stride, mean_floor,
                                           (int64_t)parent.s_node - mean_floor * n, n,
                                           training->stopping->min_samples_leaf};
        const int32_t n_varying = MOE_T(moe_regressor_best)(&slice, features, &parent, work, &split);
        if (split.feature < 0) continue; /* it stays the leaf as which it was opened */

        const int32_t feature = features[split.feature];
        const int has_missing = MOE_T(moe_regressor_mark)(&slice, moe_bins_missing(data, feature), &split, work->side,
                                                          varies);
        const double threshold = moe_node_split(data, feature, &split, has_missing, n_nodes, tree->nodes + parent.node);
        if (tree->thresholds) tree->thresholds[parent.node] = threshold;

        const uint64_t s_left = split.s_left + (uint64_t)mean_floor * split.n_left;
        moe_queue_children(&parent, &split, s_left, parent.s_node - s_left, n_nodes, n_varying, &left, &right);
        n_nodes += 2;
        const int keep_left = MOE_T(moe_regressor_open)(training, &left, varies[0], tree);
        const int keep_right = MOE_T(moe_regressor_open)(training, &right, varies[1], tree);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_partition_columns)(training, &parent, &left, &split, keep_left, keep_right, NULL, work);
        if (keep_right) work->queue[n_queued++] = right;
        if (keep_left) work->queue[n_queued++] = left;
    } /* end: while n_queued */
    return n_nodes;
}

/* Grow a regression tree (see moe_grower_grow). */
static inline int32_t MOE_T(moe_regressor_grow)(const moe_training_t *training, moe_workspace_t *work,
                                                const moe_tree_t *tree)
{
    const moe_data_t *data = training->data;
    const int32_t n_train = training->n_train;
    MOE_ENTRY *samples = (MOE_ENTRY *)work->entries + training->k * (int64_t)n_train;
    moe_queued_t root = {0, 0, n_train, 0, 0, 0, 0, 0};
    MOE_T(moe_columns_bases)(training, (MOE_ENTRY *)work->bases, samples);
    for (int32_t p = 0; p < n_train; p++) root.s_node += (uint64_t)MOE_T(moe_regressor_target)(data, samples[p]);
    const int64_t target = MOE_T(moe_regressor_target)(data, samples[0]);
    if (!MOE_T(moe_regressor_open)(training, &root, MOE_T(moe_regressor_varies)(data, samples, 0, n_train, target),
                                   tree))
        return 1;
    MOE_T(moe_columns_all)(training, work);
    return MOE_T(moe_regressor_subtree)(training, &root, 1, work, tree);
}
