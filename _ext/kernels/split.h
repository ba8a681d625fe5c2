/* split: the nodes of one tree. A template like scan.h.
 *
 * A sorted feature keeps its samples in order of code: the entries of a node are
 * one slice [start, end) of its column, and a split is a stable partition of each
 * slice, so nothing is sorted after the first fill.
 *
 *     a column:  [ left ........ | right ............ ]
 *                start           start + n_left       end
 *
 * One more column holds the samples themselves, class by class; counted features
 * (count.h) need only that one. A feature that is constant in a node is constant
 * below it and is not looked at again. Sides that will not be split are not
 * partitioned.
 */

/* Entries of the samples of the tree, in order of code. The store is unconditional
 * and the index conditional: no branch to mispredict. */
#define MOE_SPLIT_NONE ((MOE_ENTRY)~(MOE_ENTRY)0) /* no stamp: its code would not be 0 */
#define MOE_SPLIT_FILL(code_t, order_t)                                                    \
    do {                                                                                   \
        const code_t *codes = (const code_t *)data->codes + feature * data->n_samples;     \
        const order_t *order = (const order_t *)data->order + feature * data->n_samples;   \
        for (int32_t p = 0; n_filled < n_train; p++) {                                     \
            uint32_t s = order[p];                                                         \
            MOE_ENTRY stamp = stamps[s];                                                   \
            entries[n_filled] = (MOE_ENTRY)codes[s] << code_shift | stamp;                 \
            n_filled += stamp != MOE_SPLIT_NONE;                                           \
        }                                                                                  \
    } while (0)

static MOE_INLINE void MOE_T(moe_split_fill)(const moe_data_t *data, const MOE_ENTRY *stamps /* IN [n_samples] */,
                                             int64_t feature, int32_t n_train, MOE_ENTRY *entries /* OUT [n_train] */)
{
    const int code_shift = data->id_bits + data->label_bits;
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

/* Entry of code 0 of each sample of the tree, MOE_SPLIT_NONE of the others; and the
 * former alone, class by class. */
static MOE_INLINE void MOE_T(moe_split_stamp)(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                                              uint8_t wanted, MOE_ENTRY *stamps /* OUT [n_samples] */,
                                              MOE_ENTRY *samples /* OUT [n_train + 1] */)
{
    int32_t n_filled = 0;
    for (int32_t s = 0; s < data->n_samples; s++) {
        MOE_ENTRY entry = (MOE_ENTRY)data->labels[s] << data->id_bits | (MOE_ENTRY)s;
        stamps[s] = marks[s] == wanted ? entry : MOE_SPLIT_NONE;
        samples[n_filled] = entry;
        n_filled += marks[s] == wanted;
    }
}

/* Count the classes of [start, end). */
static MOE_INLINE void MOE_T(moe_split_count)(const MOE_ENTRY *entries, int32_t start, int32_t end,
                                              const moe_data_t *data, int32_t *counts /* OUT [n_classes] */)
{
    const uint32_t mask = ((uint32_t)1 << data->label_bits) - 1;
    memset(counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = start; p < end; p++) counts[(uint32_t)(entries[p] >> data->id_bits) & mask]++;
}

/* Stable partition of [start, end): left entries to the front, right ones behind
 * them; either may be left out. */
static MOE_INLINE void MOE_T(moe_split_partition)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                                  int keep_left, int keep_right,
                                                  MOE_ENTRY *spare /* workspace [end - start + lanes] */,
                                                  MOE_ENTRY *entries)
{
    int32_t to = start, n_right = 0, p = start;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    const __m512i ids = _mm512_set1_epi32((int32_t)mask), one = _mm512_set1_epi32(1);
    for (; p + MOE_LANES <= end; p += MOE_LANES) {
        __m512i these = _mm512_loadu_si512(entries + p);
        __m512i sides = _mm512_i32gather_epi32(_mm512_and_si512(these, ids), side, 1);
        __mmask16 left = _mm512_test_epi32_mask(sides, one), right = (__mmask16)~left;
        int32_t n_left = moe_base_popcount(left);
        /* to <= p: what is written has been read */
        if (keep_left) _mm512_storeu_si512(entries + to, _mm512_maskz_compress_epi32(left, these));
        if (keep_right) _mm512_storeu_si512(spare + n_right, _mm512_maskz_compress_epi32(right, these));
        to += n_left;
        n_right += MOE_LANES - n_left;
    }
#endif
    for (; p < end; p++) {
        MOE_ENTRY entry = entries[p];
        int left = side[(uint32_t)entry & mask];
        if (keep_left) entries[to] = entry;
        if (keep_right) spare[n_right] = entry;
        to += left;
        n_right += !left;
    }
    if (keep_right) memcpy(entries + to, spare, (size_t)n_right * sizeof(MOE_ENTRY));
}

/* The same, compiled for each side that is left out. */
static MOE_INLINE void MOE_T(moe_split_sides)(const uint8_t *side, uint32_t mask, int32_t start, int32_t end,
                                              int keep_left, int keep_right, MOE_ENTRY *spare, MOE_ENTRY *entries)
{
    if (keep_left && keep_right)
        MOE_T(moe_split_partition)(side, mask, start, end, 1, 1, spare, entries);
    else if (keep_left)
        MOE_T(moe_split_partition)(side, mask, start, end, 1, 0, spare, entries);
    else
        MOE_T(moe_split_partition)(side, mask, start, end, 0, 1, spare, entries);
}

/* The classes that occur in the node of class counts work->counts; returns how many. */
static MOE_INLINE int32_t MOE_T(moe_split_present)(const moe_data_t *data, moe_work_t *work)
{
    int32_t n_present = 0, last = 0;
    for (int32_t c = 0; c < data->n_classes; c++) {
        work->tally[c] = (uint64_t)work->counts[c] << 32;
        work->present[n_present] = work->counts[c];
        n_present += work->counts[c] > 0;
        if (work->counts[c]) last = c;
    }
    work->second = n_present == 2 ? last : -1;
    work->kept_value = 0.0f;
    work->kept_feature = -1;
    return n_present;
}

/* Whether a feature that varies is valued before it is tried. */
static MOE_INLINE int MOE_T(moe_split_filters)(const moe_data_t *data, int32_t feature, int counted,
                                               const MOE_ENTRY *entries, int32_t n, int32_t second)
{
    if (n > (second >= 0 && !counted ? MOE_SCAN_MAX_TWO : MOE_SCAN_MAX)) return 0;
    if (counted) return 1;
    return MOE_HAS_VECTORS && n >= MOE_SCAN_MIN &&
           (int32_t)(entries[n - 1] >> (data->id_bits + data->label_bits)) != moe_bin_missing(data, feature);
}

/* Value up to MOE_TREE_MANY features of one kind, those at the places `waiting` of
 * `varying`; returns the largest value. */
static MOE_INLINE float MOE_T(moe_split_value)(const moe_data_t *data, const int32_t *features, const int32_t *varying,
                                               const int32_t *waiting, int32_t n_waiting, int counted,
                                               const MOE_ENTRY *all, int64_t stride, const MOE_ENTRY *samples,
                                               int32_t n_present, int32_t n, uint64_t s_node, int32_t min_leaf,
                                               moe_work_t *work)
{
    float values[MOE_TREE_MANY], largest = 0.0f;
#if MOE_HAS_VECTORS
    if (!counted) {
        const MOE_ENTRY *entries[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) /* three are valued as four, the last one twice */
            entries[i] = all + varying[waiting[i < n_waiting ? i : n_waiting - 1]] * stride;
        if (n_waiting == 1)
            MOE_T(moe_scan_values)(entries, 1, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
        else if (n_waiting == 2)
            MOE_T(moe_scan_values)(entries, 2, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
        else
            MOE_T(moe_scan_values)(entries, MOE_TREE_MANY, n, data, s_node, min_leaf, work, values, 0.0f, 0, NULL);
    } else
#endif
    {
        int32_t several[MOE_TREE_MANY];
        for (int i = 0; i < MOE_TREE_MANY; i++) several[i] = features[varying[waiting[i < n_waiting ? i : n_waiting - 1]]];
        if (n_waiting == 1)
            MOE_T(moe_count_values)(data, samples, n_present, n, several, 1, s_node, min_leaf, work, values);
        else if (n_waiting == 2)
            MOE_T(moe_count_values)(data, samples, n_present, n, several, 2, s_node, min_leaf, work, values);
        else
            MOE_T(moe_count_values)(data, samples, n_present, n, several, MOE_TREE_MANY, s_node, min_leaf, work, values);
    }
    for (int i = 0; i < n_waiting; i++) {
        work->values[waiting[i]] = values[i];
        if (values[i] > largest) largest = values[i];
    }
    return largest;
}

/* Try exactly the cuts of one feature that vary, by the way that its value allows;
 * `position` is its place in the subset. */
static MOE_INLINE void MOE_T(moe_split_try)(const moe_data_t *data, int32_t feature, int32_t position, float value,
                                            const MOE_ENTRY *entries, const MOE_ENTRY *samples, int32_t n_present,
                                            int32_t n, uint64_t s_node, int32_t min_leaf, float bar,
                                            moe_work_t *work, moe_cut_t *best /* IN and OUT */)
{
    (void)value;
    (void)bar;
    if (data->counted[feature])
        MOE_T(moe_count_feature)(data, samples, n_present, n, s_node, min_leaf, feature, position, work, best);
#if MOE_HAS_VECTORS
    else if (value < INFINITY)
        MOE_T(moe_scan_values)(&entries, 1, n, data, s_node, min_leaf, work, NULL, bar, position, best);
#endif
    else
        MOE_T(moe_scan_feature)(entries, n, data, work->counts, s_node, min_leaf, position,
                                moe_bin_missing(data, feature), work->counts + data->n_classes, best);
}

/* Best cut of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no cut". A perfect cut ends the search:
 * nothing can be better, ties go to the lower feature, and both sides are leaves,
 * so that nobody needs the list. */
static MOE_INLINE int32_t MOE_T(moe_split_search)(const moe_data_t *data, const int32_t *features, int64_t stride,
                                                  const moe_rules_t *rules, const moe_frame_t *frame,
                                                  const MOE_ENTRY *samples, moe_work_t *work,
                                                  moe_cut_t *best /* OUT */)
{
    const uint64_t s_node = frame->s_node;
    const int32_t n = frame->end - frame->start, min_leaf = rules->min_samples_leaf;
    const int32_t *list = work->lists + frame->list;
    const int code_shift = data->id_bits + data->label_bits;
    const MOE_ENTRY *all = (const MOE_ENTRY *)work->entries + frame->start;
    int32_t *varying = work->lists + frame->list + frame->n_list;
    const int32_t n_present = MOE_T(moe_split_present)(data, work);
    int32_t n_varying = 0, n_kept = 0, waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    float *values = work->values, bar = 0.0f;
    *best = moe_cut_none(s_node, (uint64_t)n);
    for (int32_t j = 0; j < frame->n_list; j++) {
        const MOE_ENTRY *entries = all + list[j] * stride;
        const int counted = data->counted[features[list[j]]];
        if (!counted && !((entries[0] ^ entries[n - 1]) >> code_shift)) continue;
        varying[n_varying] = list[j];
        values[n_varying++] = INFINITY; /* not valued: will be tried exactly */
        if (!MOE_T(moe_split_filters)(data, features[list[j]], counted, entries, n, work->second)) continue;
        waiting[counted][n_waiting[counted]++] = n_varying - 1;
        if (n_waiting[counted] < MOE_TREE_MANY) continue;
        float value = MOE_T(moe_split_value)(data, features, varying, waiting[counted], MOE_TREE_MANY, counted, all,
                                             stride, samples, n_present, n, s_node, min_leaf, work);
        n_waiting[counted] = 0;
        if (value > bar) bar = value;
        if (bar > (float)n - 0.5f) break; /* perfect: any other cut is lower by more than 1/2 */
    }
    for (int counted = 0; counted < 2; counted++) {
        if (!n_waiting[counted] || bar > (float)n - 0.5f) continue;
        float value = MOE_T(moe_split_value)(data, features, varying, waiting[counted], n_waiting[counted], counted,
                                             all, stride, samples, n_present, n, s_node, min_leaf, work);
        if (value > bar) bar = value;
    }
    bar *= 1.0f - 2.0f * MOE_SCAN_CLOSE; /* two values may be off, one up and one down */
    for (int32_t j = 0; j < n_varying; j++) {
        const int32_t feature = varying[j];
        varying[n_kept] = feature;
        n_kept += values[j] >= 0.0f;
        if (values[j] < bar) continue;
        MOE_T(moe_split_try)(data, features[feature], feature, values[j], all + feature * stride, samples, n_present, n,
                             s_node, min_leaf, bar, work, best);
        if (best->feature >= 0 && moe_cut_is_perfect(best)) break;
    }
    return n_kept;
}

/* Mark the sides of a cut, count the classes of the left one, and write the rule
 * of the node. A missing value that the node has not seen goes to the larger side. */
static MOE_INLINE void MOE_T(moe_split_mark)(const moe_data_t *data, int64_t feature,
                                             const MOE_ENTRY *entries /* IN, of the feature or, if counted, the samples */,
                                             const moe_frame_t *frame, const moe_cut_t *cut, const int32_t *counts,
                                             moe_node_t *node, double *threshold /* OUT */, uint8_t *side,
                                             int32_t *running /* workspace [n] */, int32_t *left_counts)
{
    const int id_bits = data->id_bits, code_shift = id_bits + data->label_bits;
    const uint32_t id_mask = (uint32_t)(((uint64_t)1 << id_bits) - 1);
    const uint32_t label_mask = ((uint32_t)1 << data->label_bits) - 1;
    const int32_t missing_code = moe_bin_missing(data, feature);
    int seen = 0;
    if (data->counted[feature]) {
        const MOE_ENTRY *samples = entries + frame->start;
        const int32_t n = frame->end - frame->start;
        int32_t n_left = 0, before = 0;
        for (int32_t p = 0; p < n; p++) { /* one loop over all classes: each end of a loop is mispredicted */
            uint32_t s = (uint32_t)samples[p] & id_mask;
            int left = MOE_COUNT_CODE(feature, s) <= cut->below;
            side[s] = (uint8_t)left;
            running[p] = n_left += left;
        }
        for (int32_t c = 0, end = 0; c < data->n_classes; c++) {
            end += counts[c];
            n_left = end ? running[end - 1] : 0;
            left_counts[c] = n_left - before;
            before = n_left;
        }
    } else {
        memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
        seen = (int32_t)(entries[frame->end - 1] >> code_shift) == missing_code;
        /* the left ones stand first, unless missing values are among them */
        const int32_t middle = cut->missing_left ? frame->end : frame->start + (int32_t)cut->n_left;
        for (int32_t p = frame->start; p < middle; p++) {
            MOE_ENTRY entry = entries[p];
            int32_t code = (int32_t)(entry >> code_shift);
            int left = code <= cut->below || code == missing_code;
            side[(uint32_t)entry & id_mask] = (uint8_t)left;
            left_counts[(uint32_t)(entry >> id_bits) & label_mask] += left;
        }
        for (int32_t p = middle; p < frame->end; p++) side[(uint32_t)entries[p] & id_mask] = 0;
    }
    moe_grow_rule(data, feature, cut, seen, node, threshold);
}

/* Split the columns of a node where a child needs them. */
static MOE_INLINE void MOE_T(moe_split_divide)(const moe_data_t *data, const int32_t *features, const moe_frame_t *frame,
                                               int keep_left, int keep_right, int64_t stride, const int32_t *list,
                                               int32_t n_list, int32_t in_order /* feature that is left | right already */,
                                               MOE_ENTRY *samples, moe_work_t *work)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << data->id_bits) - 1);
    MOE_ENTRY *spare = (MOE_ENTRY *)work->spare;
    for (int32_t j = samples ? -1 : 0; j < n_list; j++) {
        if (j >= 0 && (list[j] == in_order || data->counted[features[list[j]]])) continue;
        MOE_ENTRY *entries = j < 0 ? samples : (MOE_ENTRY *)work->entries + list[j] * stride;
        MOE_T(moe_split_sides)(work->side, mask, frame->start, frame->end, keep_left, keep_right, spare, entries);
    }
}

/* See moe_grow_branch. */
static inline int32_t MOE_T(moe_split_branch)(const moe_data_t *data, const int32_t *features, int32_t k,
                                              int32_t n_train, const moe_rules_t *rules, const moe_frame_t *root,
                                              int32_t n_nodes, moe_work_t *work, moe_node_t *nodes,
                                              double *thresholds, int32_t *node_counts)
{
    int32_t n_classes = data->n_classes, n_frames = 1, n_counted = 0, counted_node = root->node;
    int32_t *counts = work->counts, *left_counts = counts + n_classes, *right_counts = left_counts + n_classes;
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries;
    int64_t stride = n_train;
    for (int32_t j = 0; j < k; j++) {
        work->lists[j] = j;
        n_counted += data->counted[features[j]];
    }
    MOE_ENTRY *samples = n_counted ? all + k * stride : NULL; /* sorted features can do without */
    work->stack[0] = *root;
    work->stack[0].list = 0;
    work->stack[0].n_list = k;
    work->stack[0].s_node = 0;
    for (int32_t c = 0; c < n_classes; c++) work->stack[0].s_node += (uint64_t)counts[c] * (uint64_t)counts[c];
    while (n_frames) {
        moe_frame_t frame = work->stack[--n_frames];
        moe_cut_t cut;
        double threshold;
        if (frame.node != counted_node)
            MOE_T(moe_split_count)(samples ? samples : all + work->lists[frame.list] * stride, frame.start, frame.end,
                                   data, counts);
        int32_t n_varying = MOE_T(moe_split_search)(data, features, stride, rules, &frame,
                                                    samples ? samples + frame.start : NULL, work, &cut);
        if (cut.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_node_t *node = nodes + frame.node;
        int counted = data->counted[features[cut.feature]];
        MOE_T(moe_split_mark)(data, features[cut.feature], counted ? samples : all + cut.feature * stride, &frame,
                              &cut, counts, node, &threshold, work->side, (int32_t *)work->spare, left_counts);
        for (int32_t c = 0; c < n_classes; c++) right_counts[c] = counts[c] - left_counts[c];
        node->feature = features[cut.feature];
        node->left = n_nodes;
        if (thresholds) thresholds[frame.node] = threshold;
        n_nodes += 2;

        int32_t n_left = (int32_t)cut.n_left, depth = frame.depth + 1;
        moe_frame_t left = {node->left, frame.start, frame.start + n_left, depth, frame.list, cut.s_left, frame.n_list};
        moe_frame_t right = {node->left + 1, frame.start + n_left, frame.end, depth, frame.list, cut.s_right,
                             frame.n_list};
        if (n_varying < frame.n_list) { /* the children get the shorter list */
            left.list = right.list = frame.list + frame.n_list;
            left.n_list = right.n_list = n_varying;
        }
        int keep_left = moe_grow_open(nodes + left.node, left_counts, n_classes, n_left, depth, rules,
                                      node_counts ? node_counts + (int64_t)left.node * n_classes : NULL);
        int keep_right = moe_grow_open(nodes + right.node, right_counts, n_classes, (int32_t)cut.n_right, depth,
                                       rules, node_counts ? node_counts + (int64_t)right.node * n_classes : NULL);
        if (!keep_left && !keep_right) continue;
        MOE_T(moe_split_divide)(data, features, &frame, keep_left, keep_right, stride, work->lists + left.list,
                                left.n_list, cut.missing_left ? -1 : cut.feature, samples, work);
        if (keep_right) work->stack[n_frames++] = right;
        if (keep_left) work->stack[n_frames++] = left;
        counted_node = (keep_left ? left : right).node; /* the next one */
        memcpy(counts, keep_left ? left_counts : right_counts, (size_t)n_classes * sizeof(int32_t));
    } /* end: while n_frames */
    return n_nodes;
}

/* See moe_grow. */
static inline int32_t MOE_T(moe_split_all)(const moe_data_t *data, const uint8_t *marks, const int32_t *features,
                                           int32_t k, int32_t n_train, uint8_t wanted, const moe_rules_t *rules,
                                           moe_work_t *work, moe_node_t *nodes, double *thresholds,
                                           int32_t *node_counts)
{
    MOE_ENTRY *all = (MOE_ENTRY *)work->entries, *stamps = (MOE_ENTRY *)work->stamps;
    MOE_ENTRY *samples = all + k * (int64_t)n_train;
    const moe_frame_t root = {0, 0, n_train, 0, 0, 0, 0};
    MOE_T(moe_split_stamp)(data, marks, wanted, stamps, samples);
    MOE_T(moe_split_count)(samples, 0, n_train, data, work->counts);
    if (!moe_grow_open(nodes, work->counts, data->n_classes, n_train, 0, rules, node_counts)) return 1;
    for (int32_t j = 0; j < k; j++)
        if (!data->counted[features[j]])
            MOE_T(moe_split_fill)(data, stamps, features[j], n_train, all + j * (int64_t)n_train);
    return MOE_T(moe_split_branch)(data, features, k, n_train, rules, &root, 1, work, nodes, thresholds, node_counts);
}
