/* regress: the nodes of one regression tree (tree/variance.h). A template like tree/sorted.inc.h.
 *
 * Columns, slices, lists and partitions are those of tree/classifier.inc.h, but every feature is sorted and
 * entries are (code | sample): the target is looked up by the sample. In the column of the cut
 * feature the sides of a cut are ranges, the missing values at its end being a third one:
 *
 *     [ left ........ | right ........... | missing ]      [start, middle), [middle, tail), [tail, end)
 *
 * where tail = end unless missing values go left.
 */

/* Target of an entry. */
static MOE_INLINE int64_t MOE_T(moe_regress_target)(const moe_data_t *data, MOE_ENTRY entry)
{
    return data->target[(uint32_t)entry & (uint32_t)(((uint64_t)1 << data->id_bits) - 1)];
}

/* Whether an entry of [from, to) has another target than `target`. */
static MOE_INLINE int MOE_T(moe_regress_varies)(const moe_data_t *data, const MOE_ENTRY *entries, int32_t from,
                                                int32_t to, int64_t target)
{
    while (from < to && MOE_T(moe_regress_target)(data, entries[from]) == target) from++;
    return from < to;
}

/* The cuts between different codes of entries [0, end): the score of the best one, rounded, 0 =
 * none; or, with `best`, offer it those of a score of at least `least`, in ascending order. Missing
 * values, if they go left, come before the entries: n_left of them, with the sum z_left. O(end). */
static MOE_INLINE double MOE_T(moe_regress_scan)(const MOE_ENTRY *entries /* IN */, int32_t end, const moe_data_t *data,
                                                 int64_t whole /* that z is counted from */, int64_t z_node,
                                                 int32_t n_node, int32_t min_leaf, int32_t n_left, int64_t z_left,
                                                 double least, int32_t feature,
                                                 moe_cut_t *best /* IN and OUT, or NULL */)
{
    const int code_shift = data->id_bits;
    const double *rise = data->reciprocal + n_left + 1, *fall = data->reciprocal + n_node - n_left - 1;
    const int32_t first = min_leaf - 1 - n_left; /* cuts behind entries [first, last) leave enough on both sides */
    int32_t last = n_node - min_leaf - n_left, p = 0;
    int64_t top = 0; /* scores are not negative: they compare like their bits, without a branch */
    double value;
    if (last > end - 1) last = end - 1;
    for (; p < first && p < last; p++) z_left += MOE_T(moe_regress_target)(data, entries[p]) - whole;
    for (; p < last; p++) {
        const MOE_ENTRY entry = entries[p], next = entries[p + 1];
        z_left += MOE_T(moe_regress_target)(data, entry) - whole;
        const double left = (double)z_left, right = (double)(z_node - z_left);
        const double score = left * left * rise[p] + right * right * fall[-p];
        if (!best) {
            int64_t bits;
            memcpy(&bits, &score, sizeof bits);
            bits = (entry ^ next) >> code_shift ? bits : 0;
            top = bits > top ? bits : top;
        } else if (score >= least && (entry ^ next) >> code_shift) {
            const moe_cut_t cut = {score, (uint64_t)z_left, (uint64_t)(z_node - z_left), (uint64_t)(n_left + p + 1),
                                   (uint64_t)(n_node - n_left - p - 1), feature, (int32_t)(entry >> code_shift),
                                   (int32_t)(next >> code_shift), n_left > 0};
            moe_gain_offer(&cut, best);
        }
    }
    memcpy(&value, &top, sizeof value);
    return value;
}

/* Number of missing values among entries [0, n), which stand at their end, and the sum of their z. */
static MOE_INLINE int32_t MOE_T(moe_regress_missing)(const moe_data_t *data, const MOE_ENTRY *entries, int32_t n,
                                                     int32_t missing_code, int64_t whole, int64_t *z /* OUT */)
{
    int32_t known = n;
    *z = 0;
    for (; (int32_t)(entries[known - 1] >> data->id_bits) == missing_code; known--)
        *z += MOE_T(moe_regress_target)(data, entries[known - 1]) - whole;
    return n - known;
}

/* Best cut of a node, whose mean has the whole part `whole`. Writes the features that vary in it
 * behind its list and returns their number. First every feature is valued; then those whose value
 * may be the best are tried exactly, in ascending order: mostly one. */
static MOE_INLINE int32_t MOE_T(moe_regress_cut)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                                 const moe_rules_t *rules, const moe_frame_t *frame, int64_t whole,
                                                 moe_work_t *work, moe_cut_t *best /* OUT */)
{
    const int32_t n = frame->end - frame->start, min_leaf = rules->min_samples_leaf, *list = work->lists + frame->list;
    const int64_t z_node = (int64_t)frame->s_node - whole * n;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries + frame->start;
    int32_t *varying = work->lists + frame->list + frame->n_list, n_varying = 0;
    int64_t z_missing;
    float *values = work->values;
    double top = 0.0;
    for (int32_t j = 0; j < frame->n_list; j++) {
        const MOE_ENTRY *entries = all + list[j] * stride;
        if (!((entries[0] ^ entries[n - 1]) >> data->id_bits)) continue;
        double value = MOE_T(moe_regress_scan)(entries, n, data, whole, z_node, n, min_leaf, 0, 0, 0.0, 0, NULL);
        const int32_t n_missing = MOE_T(moe_regress_missing)(data, entries, n, moe_bin_missing(data, features[list[j]]),
                                                             whole, &z_missing);
        if (n_missing) {
            double other = MOE_T(moe_regress_scan)(entries, n - n_missing, data, whole, z_node, n, min_leaf, n_missing,
                                                   z_missing, 0.0, 0, NULL);
            value = other > value ? other : value;
        }
        varying[n_varying] = list[j];
        values[n_varying++] = (float)value;
        top = value > top ? value : top;
    }
    *best = moe_gain_none(z_node, n);
    const double least = top * (1.0 - MOE_CUT_CLOSE);
    const float bar = (float)top * (1.0f - MOE_SCAN_CLOSE); /* values have been rounded */
    for (int32_t j = 0; j < n_varying && top > 0.0; j++) {
        const MOE_ENTRY *entries = all + varying[j] * stride;
        if (values[j] < bar) continue;
        MOE_T(moe_regress_scan)(entries, n, data, whole, z_node, n, min_leaf, 0, 0, least, varying[j], best);
        const int32_t n_missing = MOE_T(moe_regress_missing)(data, entries, n,
                                                             moe_bin_missing(data, features[varying[j]]), whole,
                                                             &z_missing);
        if (n_missing)
            MOE_T(moe_regress_scan)(entries, n - n_missing, data, whole, z_node, n, min_leaf, n_missing, z_missing,
                                    least, varying[j], best);
    }
    return n_varying;
}

/* Mark the sides of a cut, write the rule of the node, and tell on which sides the target varies. */
static MOE_INLINE void MOE_T(moe_regress_mark)(const moe_data_t *data, int64_t feature,
                                               const MOE_ENTRY *entries /* IN, of the feature */,
                                               const moe_frame_t *frame, const moe_cut_t *cut, moe_node_t *node,
                                               double *threshold /* OUT */, uint8_t *side, int varies[2] /* OUT */)
{
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    const int32_t missing_code = moe_bin_missing(data, feature), end = frame->end;
    const int seen = (int32_t)(entries[end - 1] >> data->id_bits) == missing_code;
    int32_t tail = end;
    while (cut->missing_left && (int32_t)(entries[tail - 1] >> data->id_bits) == missing_code) tail--;
    const int32_t middle = frame->start + (int32_t)cut->n_left - (end - tail);
    for (int32_t p = frame->start; p < end; p++) side[(uint32_t)entries[p] & id_mask] = p < middle || p >= tail;
    const int64_t left = MOE_T(moe_regress_target)(data, entries[frame->start]);
    const int64_t right = MOE_T(moe_regress_target)(data, entries[middle]);
    varies[0] = MOE_T(moe_regress_varies)(data, entries, frame->start, middle, left) ||
                MOE_T(moe_regress_varies)(data, entries, tail, end, left);
    varies[1] = MOE_T(moe_regress_varies)(data, entries, middle, tail, right);
    moe_grow_rule(data, feature, cut, seen, node, threshold);
}

/* Write a leaf; returns 1 if the node may be split further. */
static MOE_INLINE int MOE_T(moe_regress_open)(const moe_frame_t *frame, int varies, const moe_rules_t *rules,
                                              moe_node_t *nodes, double *means, int32_t *sizes /* or NULL */)
{
    const int32_t n = frame->end - frame->start;
    double part;
    const int64_t whole = moe_gain_mean((int64_t)frame->s_node, n, &part);
    nodes[frame->node] = moe_grow_leaf();
    means[frame->node] = (double)whole + part;
    if (sizes) sizes[frame->node] = n;
    return varies && moe_grow_allows(rules, n, frame->depth);
}

/* See moe_grow_target. */
static inline int32_t MOE_T(moe_regress_all)(const moe_data_t *data, const uint8_t *marks, const int32_t *features,
                                             int32_t k, int32_t n_train, uint8_t wanted, const moe_rules_t *rules,
                                             moe_work_t *work, moe_node_t *nodes, double *thresholds, double *means,
                                             int32_t *sizes)
{
    const int64_t stride = n_train;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries, *samples = all + k * stride;
    int32_t n_nodes = 1, n_frames = 0;
    moe_frame_t root = {0, 0, n_train, 0, 0, 0, k, 0};
    MOE_T(moe_fill_stamps)(data, marks, wanted, (MOE_ENTRY *)work->stamps, samples);
    for (int32_t p = 0; p < n_train; p++) root.s_node += (uint64_t)MOE_T(moe_regress_target)(data, samples[p]);
    const int mixed = MOE_T(moe_regress_varies)(data, samples, 0, n_train, MOE_T(moe_regress_target)(data, samples[0]));
    if (!MOE_T(moe_regress_open)(&root, mixed, rules, nodes, means, sizes)) return 1;
    for (int32_t j = 0; j < k; j++) {
        work->lists[j] = j;
        MOE_T(moe_fill_column)(data, (const MOE_ENTRY *)work->stamps, features[j], n_train, all + j * stride);
    }
    work->stack[n_frames++] = root;
    while (n_frames) {
        const moe_frame_t frame = work->stack[--n_frames];
        moe_cut_t cut;
        double threshold, part;
        int varies[2];
        const int64_t whole = moe_gain_mean((int64_t)frame.s_node, frame.end - frame.start, &part);
        const int32_t n_varying = MOE_T(moe_regress_cut)(data, features, stride, rules, &frame, whole, work, &cut);
        if (cut.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_node_t *node = nodes + frame.node;
        MOE_T(moe_regress_mark)(data, features[cut.feature], all + cut.feature * stride, &frame, &cut, node, &threshold,
                                work->side, varies);
        node->feature = features[cut.feature];
        node->left = n_nodes;
        if (thresholds) thresholds[frame.node] = threshold;
        n_nodes += 2;

        const int32_t middle = frame.start + (int32_t)cut.n_left, depth = frame.depth + 1;
        const uint64_t s_left = cut.s_left + (uint64_t)whole * cut.n_left;
        moe_frame_t left = {node->left, frame.start, middle, depth, frame.list, s_left, frame.n_list, 0};
        moe_frame_t right = {node->left + 1, middle, frame.end, depth, frame.list, frame.s_node - s_left, frame.n_list,
                             0};
        if (n_varying < frame.n_list) { /* the children get the shorter list */
            left.list = right.list = frame.list + frame.n_list;
            left.n_list = right.n_list = n_varying;
        }
        const int keep_left = MOE_T(moe_regress_open)(&left, varies[0], rules, nodes, means, sizes);
        const int keep_right = MOE_T(moe_regress_open)(&right, varies[1], rules, nodes, means, sizes);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_split_divide)(data, features, &frame, keep_left, keep_right, stride, work->lists + left.list,
                                left.n_list, cut.missing_left ? -1 : cut.feature, NULL, work);
        if (keep_right) work->stack[n_frames++] = right;
        if (keep_left) work->stack[n_frames++] = left;
    } /* end: while n_frames */
    return n_nodes;
}
