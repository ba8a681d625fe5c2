/* split: the nodes of one tree, for one width of entries. A template like scan.h.
 *
 * Every feature keeps its samples in sorted order: the entries of a node are
 * one slice [start, end) of every feature, and a split is a stable partition of
 * each slice, so nothing is sorted after the first fill.
 *
 *     entries of a feature:  [ left ........ | right ............ ]
 *                            start           start + n_left       end
 *
 * A feature that is constant in a node is constant below it and is not looked
 * at again. Sides that will not be split are not partitioned.
 */

/* Entries of the samples with marks[s] == wanted, in order of code. The store is
 * unconditional and the index conditional: no branch to mispredict. */
#define MOE_SPLIT_FILL(code_t, order_t)                                                             \
    do {                                                                                            \
        const code_t *codes = (const code_t *)data->codes + feature * data->n_samples;              \
        const order_t *order = (const order_t *)data->order + feature * data->n_samples;            \
        for (int32_t p = 0; n_filled < n_train; p++) {                                              \
            uint32_t s = order[p];                                                                  \
            entries[n_filled] = (MOE_ENTRY)codes[s] << code_shift | (MOE_ENTRY)data->labels[s] << id_bits | s; \
            n_filled += marks[s] == wanted;                                                         \
        }                                                                                           \
    } while (0)

static inline void MOE_T(moe_split_fill)(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                         int64_t feature, int32_t n_train, uint8_t wanted,
                                         MOE_ENTRY *entries /* OUT [n_train] */)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    int32_t n_filled = 0;
    if (data->code_width == 1 && data->order_width == 2)
        MOE_SPLIT_FILL(uint8_t, uint16_t);
    else if (data->code_width == 1)
        MOE_SPLIT_FILL(uint8_t, uint32_t);
    else if (data->order_width == 2)
        MOE_SPLIT_FILL(uint16_t, uint16_t);
    else
        MOE_SPLIT_FILL(uint16_t, uint32_t);
}
#undef MOE_SPLIT_FILL

/* Count the classes of [start, end); returns the sum of the squared counts. */
static inline uint64_t MOE_T(moe_split_count)(const MOE_ENTRY *entries, int32_t start, int32_t end,
                                              const moe_data_t *data, int32_t *counts /* OUT [n_classes] */)
{
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    memset(counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = start; p < end; p++) counts[(uint32_t)(entries[p] >> data->id_bits) & mask]++;
    uint64_t sum = 0;
    for (int32_t c = 0; c < data->n_classes; c++) sum += (uint64_t)counts[c] * (uint64_t)counts[c];
    return sum;
}

/* Keep only the left entries of [start, end), in place, at the front. */
static inline void MOE_T(moe_split_keep_left)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                              MOE_ENTRY *entries)
{
    int32_t to = start;
    for (int32_t p = start; p < end; p++) {
        MOE_ENTRY entry = entries[p];
        entries[to] = entry;
        to += side[(uint32_t)entry & mask];
    }
}

/* Keep only the right entries of [start, end), in place, at the back. */
static inline void MOE_T(moe_split_keep_right)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                               MOE_ENTRY *entries)
{
    int32_t to = end - 1;
    for (int32_t p = end - 1; p >= start; p--) {
        MOE_ENTRY entry = entries[p];
        entries[to] = entry;
        to -= !side[(uint32_t)entry & mask];
    }
}

/* Stable partition of [start, end): left entries in place, right ones over `spare`. */
static inline void MOE_T(moe_split_partition)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                              MOE_ENTRY *spare /* workspace [end - start] */,
                                              MOE_ENTRY *entries)
{
    int32_t to = start, n_right = 0;
    for (int32_t p = start; p < end; p++) {
        MOE_ENTRY entry = entries[p];
        int left = side[(uint32_t)entry & mask];
        entries[to] = entry;
        spare[n_right] = entry;
        to += left;
        n_right += !left;
    }
    memcpy(entries + to, spare, (size_t)n_right * sizeof(MOE_ENTRY));
}

/* Best cut of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no cut". A perfect cut ends the search:
 * nothing can be better, ties go to the lower feature, and both sides are leaves,
 * so that nobody needs the list. */
static inline int32_t MOE_T(moe_split_search)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                              const moe_rules_t *rules, const moe_frame_t *frame,
                                              uint64_t s_node, moe_work_t *work, moe_cut_t *best /* OUT */)
{
    const int32_t *list = work->lists + frame->list;
    int32_t *varying = work->lists + frame->list + frame->n_list;
    int32_t *counts = work->counts, *left = counts + data->n_classes, *twice = left + data->n_classes;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t n_varying = 0;
    *best = moe_cut_none(s_node, (uint64_t)(frame->end - frame->start));
    for (int32_t c = 0; c < data->n_classes; c++) twice[c] = 2 * counts[c];
    for (int32_t j = 0; j < frame->n_list; j++) {
        const MOE_ENTRY *entries = (const MOE_ENTRY *)work->entries + list[j] * stride;
        if (!((entries[frame->start] ^ entries[frame->end - 1]) >> code_shift)) continue;
        varying[n_varying++] = list[j];
        MOE_T(moe_scan_feature)(entries, frame->start, frame->end, data, counts, twice, s_node,
                                rules->min_samples_leaf, list[j],
                                (uint32_t)moe_bin_missing(data, features[list[j]]), left, work->sums, best);
        if (best->feature >= 0 && moe_cut_is_perfect(best)) break;
    }
    return n_varying;
}

/* Mark the sides of a cut, count the classes of the left one, and write the rule
 * of the node. A missing value that the node has not seen goes to the larger side. */
static inline void MOE_T(moe_split_mark)(const moe_data_t *data, int64_t feature, const MOE_ENTRY *entries,
                                         const moe_frame_t *frame, const moe_cut_t *cut, moe_node_t *node,
                                         double *threshold /* OUT */, uint8_t *side, int32_t *left_counts)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    int32_t missing_code = moe_bin_missing(data, feature);
    int32_t a = (int32_t)(entries[cut->position - 1] >> code_shift);
    int32_t b = (int32_t)(entries[cut->position] >> code_shift);
    int seen = (int32_t)(entries[frame->end - 1] >> code_shift) == missing_code;
    memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = frame->start; p < frame->end; p++) {
        MOE_ENTRY entry = entries[p];
        int left = p < cut->position || (cut->missing_left && (int32_t)(entry >> code_shift) == missing_code);
        side[(uint32_t)entry & id_mask] = (uint8_t)left;
        left_counts[(uint32_t)(entry >> id_bits) & label_mask] += left;
    }
    if (b == missing_code) { /* all known values left, the missing ones right */
        node->code = missing_code - 1;
        *threshold = INFINITY;
    } else {
        node->code = moe_bin_threshold(data, feature, a, b, threshold);
    }
    if (seen ? cut->missing_left : cut->n_left >= cut->n_right) node->missing = missing_code;
}

/* Split the entries of a node where a child needs them. */
static inline void MOE_T(moe_split_divide)(const moe_data_t *data, const moe_frame_t *frame, int keep_left,
                                           int keep_right, int64_t stride, const int32_t *list, int32_t n_list,
                                           int32_t cut_feature, int cut_in_order, moe_work_t *work)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    for (int32_t j = 0; j < n_list; j++) {
        MOE_ENTRY *entries = (MOE_ENTRY *)work->entries + list[j] * stride;
        if (list[j] == cut_feature && cut_in_order) continue; /* already left | right */
        if (keep_left && keep_right)
            MOE_T(moe_split_partition)(work->side, mask, frame->start, frame->end, (MOE_ENTRY *)work->spare, entries);
        else if (keep_left)
            MOE_T(moe_split_keep_left)(work->side, mask, frame->start, frame->end, entries);
        else
            MOE_T(moe_split_keep_right)(work->side, mask, frame->start, frame->end, entries);
    }
}

/* See moe_grow. */
static inline int32_t MOE_T(moe_split_all)(const moe_data_t *data, const uint8_t *marks, const int32_t *features,
                                           int32_t k, int32_t n_train, uint8_t wanted, const moe_rules_t *rules,
                                           moe_work_t *work, moe_node_t *nodes, double *thresholds,
                                           int32_t *node_counts)
{
    int32_t n_classes = data->n_classes, n_nodes = 1, n_frames = 0;
    int32_t *counts = work->counts, *left_counts = counts + n_classes, *right_counts = counts + 3 * n_classes;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries;
    int64_t stride = n_train;
    for (int32_t j = 0; j < k; j++) {
        MOE_T(moe_split_fill)(data, marks, features[j], n_train, wanted, all + j * stride);
        work->lists[j] = j;
    }
    MOE_T(moe_split_count)(all, 0, n_train, data, counts);
    if (moe_grow_open(nodes, counts, n_classes, n_train, 0, rules, node_counts)) {
        moe_frame_t root = {0, 0, n_train, 0, 0, k};
        work->stack[n_frames++] = root;
    }
    while (n_frames) {
        moe_frame_t frame = work->stack[--n_frames];
        moe_cut_t cut;
        double threshold;
        uint64_t s_node = MOE_T(moe_split_count)(all + work->lists[frame.list] * stride, frame.start, frame.end,
                                                 data, counts);
        int32_t n_varying = MOE_T(moe_split_search)(data, features, stride, rules, &frame, s_node, work, &cut);
        if (cut.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_node_t *node = nodes + frame.node;
        MOE_T(moe_split_mark)(data, features[cut.feature], all + cut.feature * stride, &frame, &cut, node,
                              &threshold, work->side, left_counts);
        for (int32_t c = 0; c < n_classes; c++) right_counts[c] = counts[c] - left_counts[c];
        node->feature = features[cut.feature];
        node->left = n_nodes;
        if (thresholds) thresholds[frame.node] = threshold;
        n_nodes += 2;

        int32_t n_left = (int32_t)cut.n_left, depth = frame.depth + 1;
        moe_frame_t left = {node->left, frame.start, frame.start + n_left, depth, frame.list, frame.n_list};
        moe_frame_t right = {node->left + 1, frame.start + n_left, frame.end, depth, frame.list, frame.n_list};
        if (n_varying < frame.n_list) { /* the children get the shorter list */
            left.list = right.list = frame.list + frame.n_list;
            left.n_list = right.n_list = n_varying;
        }
        int keep_left = moe_grow_open(nodes + left.node, left_counts, n_classes, n_left, depth, rules,
                                      node_counts ? node_counts + (int64_t)left.node * n_classes : NULL);
        int keep_right = moe_grow_open(nodes + right.node, right_counts, n_classes, (int32_t)cut.n_right, depth,
                                       rules, node_counts ? node_counts + (int64_t)right.node * n_classes : NULL);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_split_divide)(data, &frame, keep_left, keep_right, stride, work->lists + left.list, left.n_list,
                                cut.feature, !cut.missing_left, work);
        if (keep_right) work->stack[n_frames++] = right;
        if (keep_left) work->stack[n_frames++] = left;
    } /* end: while n_frames */
    return n_nodes;
}
