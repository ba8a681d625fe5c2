/* regressor: the nodes of one regression tree (tree/variance.h). A template like tree/sorted.inc.h.
 *
 * Columns, slices, lists and partitions are those of tree/classifier.inc.h, but every feature is sorted and
 * entries are (code | sample): the target is looked up by the sample. In the column of the split
 * feature the sides of a split are ranges, the missing values at its end being a third one:
 *
 *     [ left ........ | right ........... | missing ]      [start, middle), [middle, tail), [tail, end)
 *
 * where tail = end unless missing values go left.
 */

/* Target of an entry. */
static MOE_INLINE int64_t MOE_T(moe_regressor_target)(const moe_data_t *data, MOE_ENTRY entry)
{
    return data->target[(uint32_t)entry & (uint32_t)(((uint64_t)1 << data->id_bits) - 1)];
}

/* Whether an entry of [from, to) has another target than `target`. */
static MOE_INLINE int MOE_T(moe_regressor_varies)(const moe_data_t *data, const MOE_ENTRY *entries, int32_t from,
                                                  int32_t to, int64_t target)
{
    while (from < to && MOE_T(moe_regressor_target)(data, entries[from]) == target) from++;
    return from < to;
}

/* A node, and where its entries stand (see tree/slice.inc.h). */
#define MOE_REGRESSOR_SLICE MOE_T(moe_regressor_slice_t)
typedef struct {
    const moe_data_t *data;
    const MOE_ENTRY *columns; /* [k, stride] those of the node begin here */
    int64_t stride;
    int64_t whole;    /* of the mean: z is counted from it */
    int64_t z_node;   /* sum of z */
    int32_t n;        /* samples */
    int32_t min_leaf; /* fewest samples of a child */
} MOE_REGRESSOR_SLICE;

/* The splits between different codes of entries [0, end): the score of the best one, rounded, 0 =
 * none; or, with `best`, offer it those of a score of at least `least`, in ascending order. Missing
 * values, if they go left, come before the entries: n_left of them, with the sum z_left. O(end). */
static MOE_INLINE double MOE_T(moe_regressor_scan)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries /* IN */,
                                                   int32_t end, int32_t n_left, int64_t z_left, double least,
                                                   int32_t position, moe_split_t *best /* IN and OUT, or NULL */)
{
    const moe_data_t *data = slice->data;
    const int64_t whole = slice->whole, z_node = slice->z_node;
    const int32_t n_node = slice->n, min_leaf = slice->min_leaf;
    const int code_shift = data->id_bits;
    const double *rise = data->reciprocal + n_left + 1, *fall = data->reciprocal + n_node - n_left - 1;
    const int32_t first = min_leaf - 1 - n_left; /* splits behind entries [first, last) leave enough on both sides */
    int32_t last = n_node - min_leaf - n_left, p = 0;
    int64_t top = 0; /* scores are not negative: they compare like their bits, without a branch */
    double estimate;
    if (last > end - 1) last = end - 1;
    for (; p < first && p < last; p++) z_left += MOE_T(moe_regressor_target)(data, entries[p]) - whole;
    for (; p < last; p++) {
        const MOE_ENTRY entry = entries[p], next = entries[p + 1];
        z_left += MOE_T(moe_regressor_target)(data, entry) - whole;
        const double left = (double)z_left, right = (double)(z_node - z_left);
        const double score = left * left * rise[p] + right * right * fall[-p];
        if (!best) {
            int64_t bits;
            memcpy(&bits, &score, sizeof bits);
            bits = (entry ^ next) >> code_shift ? bits : 0;
            top = bits > top ? bits : top;
        } else if (score >= least && (entry ^ next) >> code_shift) {
            const moe_split_t split = {score, (uint64_t)z_left, (uint64_t)(z_node - z_left),
                                       (uint64_t)(n_left + p + 1), (uint64_t)(n_node - n_left - p - 1), position,
                                       (int32_t)(entry >> code_shift), (int32_t)(next >> code_shift), n_left > 0};
            moe_variance_offer(&split, best);
        }
    }
    memcpy(&estimate, &top, sizeof estimate);
    return estimate;
}

/* Number of missing values among the entries of a feature, which stand at their end, and the sum of
 * their z. */
static MOE_INLINE int32_t MOE_T(moe_regressor_missing)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries,
                                                       int32_t missing_code, int64_t *z /* OUT */)
{
    const moe_data_t *data = slice->data;
    int32_t known = slice->n;
    *z = 0;
    for (; (int32_t)(entries[known - 1] >> data->id_bits) == missing_code; known--)
        *z += MOE_T(moe_regressor_target)(data, entries[known - 1]) - slice->whole;
    return slice->n - known;
}

/* The score of the best split of a feature in a node, rounded, 0 = none; -1 if the feature does not vary. O(n). */
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

/* Offer the splits of a feature whose score is at least `least`; `position` is what they call it. O(n). */
static MOE_INLINE void MOE_T(moe_regressor_try)(const MOE_REGRESSOR_SLICE *slice, const MOE_ENTRY *entries,
                                                int32_t feature, double least, int32_t position,
                                                moe_split_t *best /* IN and OUT */)
{
    const int32_t n = slice->n;
    int64_t z_missing;
    MOE_T(moe_regressor_scan)(slice, entries, n, 0, 0, least, position, best);
    const int32_t missing_code = moe_bins_missing(slice->data, feature);
    const int32_t n_missing = MOE_T(moe_regressor_missing)(slice, entries, missing_code, &z_missing);
    if (n_missing) MOE_T(moe_regressor_scan)(slice, entries, n - n_missing, n_missing, z_missing, least, position, best);
}

/* Best split of a node. Writes the features that vary in it behind its list and returns their
 * number. First every feature is estimated; then those whose estimate may be the best are tried
 * exactly, in ascending order: mostly one. */
static MOE_INLINE int32_t MOE_T(moe_regressor_best)(const MOE_REGRESSOR_SLICE *slice, const int32_t *features,
                                                    const moe_queued_t *queued, moe_workspace_t *work,
                                                    moe_split_t *best /* OUT */)
{
    const int32_t n = slice->n, *list = work->lists + queued->list;
    int32_t *varying = work->lists + queued->list + queued->n_list, n_varying = 0;
    float *estimates = work->estimates;
    double top = 0.0;
    for (int32_t j = 0; j < queued->n_list && !moe_ear_stops(work->ear, n); j++) {
        const double estimate = MOE_T(moe_regressor_estimate)(slice, slice->columns + list[j] * slice->stride,
                                                              features[list[j]]);
        if (estimate < 0.0) continue;
        varying[n_varying] = list[j];
        estimates[n_varying++] = (float)estimate;
        top = estimate > top ? estimate : top;
    }
    *best = moe_variance_none(slice->z_node, n);
    const double least = top * (1.0 - MOE_SPLIT_CLOSE);
    const float bar = (float)top * (1.0f - MOE_SORTED_CLOSE); /* estimates have been rounded */
    for (int32_t j = 0; j < n_varying && top > 0.0; j++)
        if (estimates[j] >= bar)
            MOE_T(moe_regressor_try)(slice, slice->columns + varying[j] * slice->stride, features[varying[j]], least,
                                     varying[j], best);
    return n_varying;
}

/* Mark the sides of a split, and tell on which sides the target varies. Returns whether the node
 * has seen a missing value of the feature. */
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

/* Write a leaf; returns 1 if the node may be split further. */
static MOE_INLINE int MOE_T(moe_regressor_open)(const moe_training_t *training, const moe_queued_t *queued, int varies,
                                                const moe_tree_t *tree)
{
    const int32_t n = queued->end - queued->start;
    double part;
    const int64_t whole = moe_variance_mean((int64_t)queued->s_node, n, &part);
    tree->nodes[queued->node] = moe_node_leaf();
    tree->means[queued->node] = (double)whole + part;
    if (tree->sizes) tree->sizes[queued->node] = n;
    return varies && moe_node_allows(training->stopping, n, queued->depth);
}

/* Grow the subtree of `root`, which has been opened, whose sum is known and whose columns are in the workspace: its
 * nodes get the numbers from n_nodes on. Returns the number after the last. */
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
    while (n_queued && !moe_ear_stops(work->ear, 0)) {
        const moe_queued_t parent = work->queue[--n_queued];
        const int32_t n = parent.end - parent.start;
        moe_queued_t left, right;
        moe_split_t split;
        double part;
        int varies[2];
        const int64_t whole = moe_variance_mean((int64_t)parent.s_node, n, &part);
        const MOE_REGRESSOR_SLICE slice = {data, all + parent.start, stride, whole, (int64_t)parent.s_node - whole * n,
                                           n, training->stopping->min_samples_leaf};
        const int32_t n_varying = MOE_T(moe_regressor_best)(&slice, features, &parent, work, &split);
        if (split.feature < 0) continue; /* stays the leaf that it was opened as */

        const int32_t feature = features[split.feature];
        const int seen = MOE_T(moe_regressor_mark)(&slice, moe_bins_missing(data, feature), &split, work->side, varies);
        const double threshold = moe_node_split(data, feature, &split, seen, n_nodes, tree->nodes + parent.node);
        if (tree->thresholds) tree->thresholds[parent.node] = threshold;

        const uint64_t s_left = split.s_left + (uint64_t)whole * split.n_left;
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

/* See moe_grower_grow. */
static inline int32_t MOE_T(moe_regressor_grow)(const moe_training_t *training, moe_workspace_t *work,
                                                const moe_tree_t *tree)
{
    const moe_data_t *data = training->data;
    const int32_t n_train = training->n_train;
    MOE_ENTRY *samples = (MOE_ENTRY *)work->entries + training->k * (int64_t)n_train;
    moe_queued_t root = {0, 0, n_train, 0, 0, 0, 0, 0};
    MOE_T(moe_columns_stamps)(training, (MOE_ENTRY *)work->stamps, samples);
    for (int32_t p = 0; p < n_train; p++) root.s_node += (uint64_t)MOE_T(moe_regressor_target)(data, samples[p]);
    const int64_t target = MOE_T(moe_regressor_target)(data, samples[0]);
    if (!MOE_T(moe_regressor_open)(training, &root, MOE_T(moe_regressor_varies)(data, samples, 0, n_train, target),
                                   tree))
        return 1;
    MOE_T(moe_columns_all)(training, work);
    return MOE_T(moe_regressor_subtree)(training, &root, 1, work, tree);
}
