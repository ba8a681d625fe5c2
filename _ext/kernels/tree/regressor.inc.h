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

/* The splits between different codes of entries [0, end): the score of the best one, rounded, 0 =
 * none; or, with `best`, offer it those of a score of at least `least`, in ascending order. Missing
 * values, if they go left, come before the entries: n_left of them, with the sum z_left. O(end). */
static MOE_INLINE double MOE_T(moe_regressor_scan)(const MOE_ENTRY *entries /* IN */, int32_t end,
                                                   const moe_data_t *data, int64_t whole /* that z is counted from */,
                                                   int64_t z_node, int32_t n_node, int32_t min_leaf, int32_t n_left,
                                                   int64_t z_left, double least, int32_t feature,
                                                   moe_split_t *best /* IN and OUT, or NULL */)
{
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
            const moe_split_t split = {score, (uint64_t)z_left, (uint64_t)(z_node - z_left), (uint64_t)(n_left + p + 1),
                                   (uint64_t)(n_node - n_left - p - 1), feature, (int32_t)(entry >> code_shift),
                                   (int32_t)(next >> code_shift), n_left > 0};
            moe_variance_offer(&split, best);
        }
    }
    memcpy(&estimate, &top, sizeof estimate);
    return estimate;
}

/* Number of missing values among entries [0, n), which stand at their end, and the sum of their z. */
static MOE_INLINE int32_t MOE_T(moe_regressor_missing)(const moe_data_t *data, const MOE_ENTRY *entries, int32_t n,
                                                       int32_t missing_code, int64_t whole, int64_t *z /* OUT */)
{
    int32_t known = n;
    *z = 0;
    for (; (int32_t)(entries[known - 1] >> data->id_bits) == missing_code; known--)
        *z += MOE_T(moe_regressor_target)(data, entries[known - 1]) - whole;
    return n - known;
}

/* Best split of a node, whose mean has the whole part `whole`. Writes the features that vary in it
 * behind its list and returns their number. First every feature is estimated; then those whose estimate
 * may be the best are tried exactly, in ascending order: mostly one. */
static MOE_INLINE int32_t MOE_T(moe_regressor_best)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                                    const moe_stopping_t *stopping, const moe_queued_t *queued,
                                                    int64_t whole, moe_workspace_t *work, moe_split_t *best /* OUT */)
{
    const int32_t n = queued->end - queued->start, min_leaf = stopping->min_samples_leaf;
    const int32_t *list = work->lists + queued->list;
    const int64_t z_node = (int64_t)queued->s_node - whole * n;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries + queued->start;
    int32_t *varying = work->lists + queued->list + queued->n_list, n_varying = 0;
    int64_t z_missing;
    float *estimates = work->estimates;
    double top = 0.0;
    for (int32_t j = 0; j < queued->n_list; j++) {
        const MOE_ENTRY *entries = all + list[j] * stride;
        if (!((entries[0] ^ entries[n - 1]) >> data->id_bits)) continue;
        double estimate = MOE_T(moe_regressor_scan)(entries, n, data, whole, z_node, n, min_leaf, 0, 0, 0.0, 0, NULL);
        const int32_t n_missing = MOE_T(moe_regressor_missing)(data, entries, n,
                                                               moe_bins_missing(data, features[list[j]]), whole,
                                                               &z_missing);
        if (n_missing) {
            double other = MOE_T(moe_regressor_scan)(entries, n - n_missing, data, whole, z_node, n, min_leaf,
                                                     n_missing, z_missing, 0.0, 0, NULL);
            estimate = other > estimate ? other : estimate;
        }
        varying[n_varying] = list[j];
        estimates[n_varying++] = (float)estimate;
        top = estimate > top ? estimate : top;
    }
    *best = moe_variance_none(z_node, n);
    const double least = top * (1.0 - MOE_SPLIT_CLOSE);
    const float bar = (float)top * (1.0f - MOE_SORTED_CLOSE); /* estimates have been rounded */
    for (int32_t j = 0; j < n_varying && top > 0.0; j++) {
        const MOE_ENTRY *entries = all + varying[j] * stride;
        if (estimates[j] < bar) continue;
        MOE_T(moe_regressor_scan)(entries, n, data, whole, z_node, n, min_leaf, 0, 0, least, varying[j], best);
        const int32_t n_missing = MOE_T(moe_regressor_missing)(data, entries, n,
                                                               moe_bins_missing(data, features[varying[j]]), whole,
                                                               &z_missing);
        if (n_missing)
            MOE_T(moe_regressor_scan)(entries, n - n_missing, data, whole, z_node, n, min_leaf, n_missing, z_missing,
                                      least, varying[j], best);
    }
    return n_varying;
}

/* Mark the sides of a split, write the rule of the node, and tell on which sides the target varies. */
static MOE_INLINE void MOE_T(moe_regressor_mark)(const moe_data_t *data, int64_t feature,
                                                 const MOE_ENTRY *entries /* IN, of the feature */,
                                                 const moe_queued_t *queued, const moe_split_t *split, moe_node_t *node,
                                                 double *threshold /* OUT */, uint8_t *side, int varies[2] /* OUT */)
{
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    const int32_t missing_code = moe_bins_missing(data, feature), end = queued->end;
    const int seen = (int32_t)(entries[end - 1] >> data->id_bits) == missing_code;
    int32_t tail = end;
    while (split->missing_left && (int32_t)(entries[tail - 1] >> data->id_bits) == missing_code) tail--;
    const int32_t middle = queued->start + (int32_t)split->n_left - (end - tail);
    for (int32_t p = queued->start; p < end; p++) side[(uint32_t)entries[p] & id_mask] = p < middle || p >= tail;
    const int64_t left = MOE_T(moe_regressor_target)(data, entries[queued->start]);
    const int64_t right = MOE_T(moe_regressor_target)(data, entries[middle]);
    varies[0] = MOE_T(moe_regressor_varies)(data, entries, queued->start, middle, left) ||
                MOE_T(moe_regressor_varies)(data, entries, tail, end, left);
    varies[1] = MOE_T(moe_regressor_varies)(data, entries, middle, tail, right);
    moe_node_split(data, feature, split, seen, node, threshold);
}

/* Write a leaf; returns 1 if the node may be split further. */
static MOE_INLINE int MOE_T(moe_regressor_open)(const moe_queued_t *queued, int varies, const moe_stopping_t *stopping,
                                                moe_node_t *nodes, double *means, int32_t *sizes /* or NULL */)
{
    const int32_t n = queued->end - queued->start;
    double part;
    const int64_t whole = moe_variance_mean((int64_t)queued->s_node, n, &part);
    nodes[queued->node] = moe_node_leaf();
    means[queued->node] = (double)whole + part;
    if (sizes) sizes[queued->node] = n;
    return varies && moe_node_allows(stopping, n, queued->depth);
}

/* See moe_grower_regressor. */
static inline int32_t MOE_T(moe_regressor_grow)(const moe_data_t *data, const uint8_t *marks, const int32_t *features,
                                                int32_t k, int32_t n_train, uint8_t wanted,
                                                const moe_stopping_t *stopping, moe_workspace_t *work,
                                                moe_node_t *nodes, double *thresholds, double *means, int32_t *sizes)
{
    const int64_t stride = n_train;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries, *samples = all + k * stride;
    int32_t n_nodes = 1, n_queued = 0;
    moe_queued_t root = {0, 0, n_train, 0, 0, 0, k, 0};
    MOE_T(moe_columns_stamps)(data, marks, wanted, (MOE_ENTRY *)work->stamps, samples);
    for (int32_t p = 0; p < n_train; p++) root.s_node += (uint64_t)MOE_T(moe_regressor_target)(data, samples[p]);
    const int mixed = MOE_T(moe_regressor_varies)(data, samples, 0, n_train,
                                                  MOE_T(moe_regressor_target)(data, samples[0]));
    if (!MOE_T(moe_regressor_open)(&root, mixed, stopping, nodes, means, sizes)) return 1;
    for (int32_t j = 0; j < k; j++) {
        work->lists[j] = j;
        MOE_T(moe_columns_fill)(data, (const MOE_ENTRY *)work->stamps, features[j], n_train, all + j * stride);
    }
    work->queue[n_queued++] = root;
    while (n_queued) {
        const moe_queued_t parent = work->queue[--n_queued];
        moe_split_t split;
        double threshold, part;
        int varies[2];
        const int64_t whole = moe_variance_mean((int64_t)parent.s_node, parent.end - parent.start, &part);
        const int32_t n_varying = MOE_T(moe_regressor_best)(data, features, stride, stopping, &parent, whole, work,
                                                            &split);
        if (split.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_node_t *node = nodes + parent.node;
        MOE_T(moe_regressor_mark)(data, features[split.feature], all + split.feature * stride, &parent, &split, node,
                                  &threshold, work->side, varies);
        node->feature = features[split.feature];
        node->left = n_nodes;
        if (thresholds) thresholds[parent.node] = threshold;
        n_nodes += 2;

        const int32_t middle = parent.start + (int32_t)split.n_left, depth = parent.depth + 1;
        const uint64_t s_left = split.s_left + (uint64_t)whole * split.n_left;
        moe_queued_t left = {node->left, parent.start, middle, depth, parent.list, s_left, parent.n_list, 0};
        moe_queued_t right = {node->left + 1, middle, parent.end, depth, parent.list, parent.s_node - s_left,
                              parent.n_list, 0};
        if (n_varying < parent.n_list) { /* the children get the shorter list */
            left.list = right.list = parent.list + parent.n_list;
            left.n_list = right.n_list = n_varying;
        }
        const int keep_left = MOE_T(moe_regressor_open)(&left, varies[0], stopping, nodes, means, sizes);
        const int keep_right = MOE_T(moe_regressor_open)(&right, varies[1], stopping, nodes, means, sizes);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_partition_columns)(data, features, &parent, keep_left, keep_right, stride, work->lists + left.list,
                                     left.n_list, split.missing_left ? -1 : split.feature, NULL, work);
        if (keep_right) work->queue[n_queued++] = right;
        if (keep_left) work->queue[n_queued++] = left;
    } /* end: while n_queued */
    return n_nodes;
}
