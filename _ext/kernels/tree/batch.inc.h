/* batch: grow many classification trees together. A template like tree/sorted.inc.h. */
#include "tree/batch.h"

/* Partition the entries of a node stably into `divided`: left ones to [0, n_left), right ones behind them. */
static MOE_INLINE void MOE_T(moe_batch_partition)(const MOE_ENTRY *entries, int32_t n, int32_t n_left,
                                                  const uint8_t *side, uint32_t mask, MOE_ENTRY *divided /* OUT [n] */)
{
    int32_t to = 0, to_right = n_left, p = 0;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    const __m512i ids = _mm512_set1_epi32((int32_t)mask), one = _mm512_set1_epi32(1);
    for (; p + MOE_LANES <= n; p += MOE_LANES) {
        const __m512i block = _mm512_loadu_si512(entries + p);
        const __m512i sides = _mm512_i32gather_epi32(_mm512_and_si512(block, ids), side, 1);
        const __mmask16 left = _mm512_test_epi32_mask(sides, one), right = (__mmask16)~left;
        const int32_t n_block_left = moe_base_popcount(left);
        _mm512_mask_storeu_epi32(divided + to, (__mmask16)((1u << n_block_left) - 1),
                                 _mm512_maskz_compress_epi32(left, block));
        _mm512_mask_storeu_epi32(divided + to_right, (__mmask16)((1u << (MOE_LANES - n_block_left)) - 1),
                                 _mm512_maskz_compress_epi32(right, block));
        to += n_block_left;
        to_right += MOE_LANES - n_block_left;
    }
#endif
    for (; p < n; p++) {
        const MOE_ENTRY entry = entries[p];
        const int left = side[(uint32_t)entry & mask];
        divided[left ? to : to_right] = entry;
        to += left;
        to_right += !left;
    }
}

/* Open a leaf that the samples paths.samples[start .. end) reach, and compute its answer for all of them. */
static MOE_INLINE void MOE_T(moe_batch_leaf)(moe_batch_work_t *state, const int32_t *counts /* IN [n_classes] */,
                                             int32_t label, int32_t start, int32_t end)
{
    const moe_batch_t *batch = state->batch;
    const moe_data_t *data = batch->data;
    moe_batch_leaf_t *leaf = &state->leaf;
    leaf->start = start;
    leaf->end = end;
    leaf->label = label;
    leaf->n_correct = 0;
    if (start == end) return;
    if (!batch->n_asked) {
        for (int32_t p = start; p < end; p++) leaf->n_correct += data->labels[state->paths.samples[p]] == label;
        return;
    }
    moe_batch_answers_t *answers = &state->answers;
    const int64_t at = (int64_t)answers->n_leaves++ * data->n_classes;
    int32_t *of_classes = answers->counts + at;
    moe_shares_of(counts, state->learnt, data->n_classes, batch->smooth, answers->shares + at);
    for (int32_t c = 0; c < data->n_classes; c++) of_classes[c] = 0;
    for (int32_t p = start; p < end; p++) of_classes[data->labels[state->paths.samples[p]]]++;
}

/* Record the answer of the open leaf for one member. */
static MOE_INLINE void MOE_T(moe_batch_record)(moe_batch_work_t *state, int32_t member)
{
    const moe_batch_t *batch = state->batch;
    const moe_batch_leaf_t *leaf = &state->leaf;
    const int64_t n_classes = batch->data->n_classes;
    if (!batch->n_asked) {
        state->hits[member * n_classes + leaf->label] += leaf->n_correct;
        return;
    }
    if (leaf->start == leaf->end) return;
    moe_batch_answers_t *answers = &state->answers;
    const int64_t first = member * (int64_t)batch->n_asked;
    answers->leaves[first + answers->n_leaves_of[member]++] = answers->n_leaves - 1;
    if (!batch->places) return;
    int32_t *leaf_of = answers->leaf_of + first;
    for (int32_t p = leaf->start; p < leaf->end; p++)
        leaf_of[batch->places[state->paths.samples[p]]] = answers->n_leaves - 1;
}

/* Estimate the best split of each feature of a node; -1 for constant ones. varies[j] = feature j varies. */
static MOE_INLINE void MOE_T(moe_batch_estimate)(const MOE_SLICE *slice, int32_t n_features, const int32_t *list,
                                                 moe_workspace_t *work, uint8_t *varies /* OUT [n_features] */)
{
    const moe_data_t *data = slice->data;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t pending[2][MOE_TREE_UNROLL], n_pending[2] = {0, 0};
    for (int32_t j = 0; j < n_features; j++) {
        const MOE_ENTRY *entries = slice->columns + j * slice->stride;
        const int counted = data->counted[slice->features[j]];
        work->estimates[j] = -1.0f;
        if (!counted && !((entries[0] ^ entries[slice->n - 1]) >> code_shift)) continue;
        work->estimates[j] = INFINITY; /* not estimated: it will be tried exactly */
        if (!MOE_T(moe_splitter_estimable)(slice, slice->features[j], counted, entries, work->second_class)) continue;
        pending[counted][n_pending[counted]++] = j;
        if (n_pending[counted] < MOE_TREE_UNROLL) continue;
        MOE_T(moe_splitter_estimate)(slice, list, pending[counted], MOE_TREE_UNROLL, counted, work);
        n_pending[counted] = 0;
    }
    for (int counted = 0; counted < 2; counted++)
        if (n_pending[counted])
            MOE_T(moe_splitter_estimate)(slice, list, pending[counted], n_pending[counted], counted, work);
    for (int32_t j = 0; j < n_features; j++) varies[j] = work->estimates[j] >= 0.0f;
}

/* Choose for each member the best split among its features; returns the number of distinct splits chosen. The choice
 * equals that of moe_splitter_best for a single tree; a feature is tried once for all members, by its own cutoff. */
static MOE_INLINE int32_t MOE_T(moe_batch_choose)(const MOE_SLICE *slice, const moe_batch_group_t *group,
                                                  moe_workspace_t *work, moe_batch_search_t *search /* IN and OUT */)
{
    const float *estimates = work->estimates;
    const moe_split_t none = moe_gini_no_split(slice->s_node, (uint64_t)slice->n);
    int32_t *taken_as = search->places, n_splits = 0; /* index in search->splits; -1 = not taken yet, -2 = not tried */
    for (int32_t j = 0; j < group->n_features; j++) taken_as[j] = -2;
    for (int32_t m = 0; m < group->n_members; m++) {
        const int32_t *list = group->lists + group->starts[m], size = group->starts[m + 1] - group->starts[m];
        const moe_split_t *best = &none;
        float cutoff = 0.0f;
        for (int32_t i = 0; i < size; i++) {
            const float estimate = estimates[list[i]];
            cutoff = estimate > cutoff && estimate < INFINITY ? estimate : cutoff;
        }
        cutoff *= 1.0f - 2.0f * MOE_SORTED_ERROR;
        for (int32_t i = 0; i < size; i++) {
            const int32_t j = list[i];
            if (estimates[j] < cutoff || estimates[j] < 0.0f) continue;
            if (taken_as[j] == -2) {
                search->tried[j] = none;
                MOE_T(moe_splitter_try)(slice, j, estimates[j], estimates[j] * (1.0f - 2.0f * MOE_SORTED_ERROR), work,
                                        search->tried + j);
                taken_as[j] = -1;
            }
            if (search->tried[j].feature >= 0 && moe_gini_replaces(search->tried + j, best)) best = search->tried + j;
        }
        search->taken[m] = -1;
        if (best->feature < 0) continue;
        if (taken_as[best->feature] < 0) {
            search->splits[n_splits] = *best;
            taken_as[best->feature] = n_splits++;
        }
        search->taken[m] = taken_as[best->feature];
    }
    return n_splits;
}

/* Number the varying features of the members that take a split (or of member `only`, if >= 0), in search->places;
 * returns their number. `n_listed` = number of (member, feature) pairs. */
static MOE_INLINE int32_t MOE_T(moe_batch_number)(const moe_batch_group_t *group, const moe_batch_search_t *search,
                                                  int32_t split, int32_t only, int64_t *n_listed /* OUT */)
{
    int32_t *places = search->places, n_features = 0;
    *n_listed = 0;
    for (int32_t j = 0; j < group->n_features; j++) places[j] = -1;
    for (int32_t m = only < 0 ? 0 : only; m < (only < 0 ? group->n_members : only + 1); m++) {
        if (search->taken[m] != split) continue;
        for (int32_t i = group->starts[m]; i < group->starts[m + 1]; i++) {
            const int32_t j = group->lists[i];
            places[j] = search->varies[j] ? 0 : -1;
            *n_listed += search->varies[j];
        }
    }
    for (int32_t j = 0; j < group->n_features; j++)
        if (places[j] == 0) places[j] = n_features++;
    return n_features;
}

/* Partition the columns of the numbered features, and of the samples, into the columns of a child group. */
static MOE_INLINE void MOE_T(moe_batch_fill)(const MOE_SLICE *slice, const moe_batch_group_t *group,
                                             const moe_batch_search_t *search, int32_t n_left, int32_t n_features,
                                             const uint8_t *side, int32_t *features /* OUT [n_features] */,
                                             MOE_ENTRY *columns /* OUT [n_features + 1, n] */)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << slice->data->id_bits) - 1);
    for (int32_t j = 0; j < group->n_features; j++) {
        const int32_t position = search->places[j];
        if (position < 0) continue;
        features[position] = group->features[j];
        if (!slice->data->counted[features[position]])
            MOE_T(moe_batch_partition)(slice->columns + j * slice->stride, slice->n, n_left, side, mask,
                                       columns + position * (int64_t)slice->n);
    }
    if (slice->samples)
        MOE_T(moe_batch_partition)(slice->samples, slice->n, n_left, side, mask,
                                   columns + n_features * (int64_t)slice->n);
}

/* Make the group of the n_members members that take a split, at the top of the stack. Returns its size in bytes; 0 if
 * there is only one member, or no room on the stack. */
static MOE_INLINE int64_t MOE_T(moe_batch_child)(moe_batch_work_t *state, const MOE_SLICE *slice,
                                                 const moe_batch_group_t *group, const moe_batch_search_t *search,
                                                 int32_t split, int32_t n_members, int32_t depth,
                                                 moe_batch_group_t *below /* OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n;
    moe_batch_search_t next;
    int64_t n_listed, kept;
    if (n_members < 2) return 0;
    below->stride = n;
    below->n_members = n_members;
    below->n_features = MOE_T(moe_batch_number)(group, search, split, -1, &n_listed);
    const int64_t n_bytes = moe_batch_push_group(NULL, data, n, below->n_features, n_members, n_listed, below);
    if (depth > MOE_BATCH_MAX_DEPTH ||
        state->used + n_bytes + moe_batch_push_search(NULL, data, below->n_features, n_members, &next, &kept) >
            state->size)
        return 0;
    int32_t at = 0, to = 0;
    moe_batch_push_group(state->stack + state->used, data, n, below->n_features, n_members, n_listed, below);
    MOE_T(moe_batch_fill)(slice, group, search, (int32_t)search->splits[split].n_left, below->n_features,
                          state->work->side, below->features, (MOE_ENTRY *)below->columns);
    for (int32_t m = 0; m < group->n_members; m++) {
        if (search->taken[m] != split) continue;
        below->members[to] = group->members[m];
        below->starts[to++] = at;
        for (int32_t i = group->starts[m]; i < group->starts[m + 1]; i++)
            if (search->varies[group->lists[i]]) below->lists[at++] = search->places[group->lists[i]];
    }
    below->starts[n_members] = at;
    return n_bytes;
}

/* Copy the columns of one member, partitioned by its split, into the workspace; returns how many still vary. */
static MOE_INLINE int32_t MOE_T(moe_batch_extract)(moe_batch_work_t *state, const MOE_SLICE *slice,
                                                   const moe_batch_group_t *group, const moe_batch_search_t *search,
                                                   int32_t split, int32_t member)
{
    int64_t n_listed;
    const int32_t k = MOE_T(moe_batch_number)(group, search, split, member, &n_listed);
    MOE_T(moe_batch_fill)(slice, group, search, (int32_t)search->splits[split].n_left, k, state->work->side,
                          state->member_features, (MOE_ENTRY *)state->work->entries);
    return k;
}

/* Grow the rest of the tree of one member from a node, by its k features in the workspace, and record its answers. */
static void MOE_T(moe_batch_finish)(moe_batch_work_t *state, int32_t k, int32_t stride, const moe_batch_node_t *node,
                                    int32_t member)
{
    const moe_batch_t *batch = state->batch;
    const int64_t n_classes = batch->data->n_classes;
    const moe_training_t training = {batch->data, batch->marks, state->member_features, batch->stopping, k, stride};
    const moe_queued_t root = {0, node->start, node->end, node->depth, 0, 0, 0, 0};
    const moe_tree_t tree = {state->nodes, NULL, batch->n_asked ? state->counts : NULL, NULL, NULL};
    memcpy(state->work->counts, node->counts, (size_t)n_classes * sizeof(int32_t));
    if (batch->n_asked) memcpy(state->counts, node->counts, (size_t)n_classes * sizeof(int32_t));
    state->nodes[0] = moe_node_leaf();
    state->nodes[0].label = moe_node_majority(node->counts, batch->data->n_classes);
    const int32_t n_nodes = MOE_T(moe_classifier_subtree)(&training, &root, 1, state->work, &tree);
    moe_predictor_follow(batch->data, state->nodes, n_nodes, node->from, node->to, &state->paths);
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t *ends = state->paths.slices + 2 * (int64_t)i;
        if (state->nodes[i].feature >= 0 || ends[0] == ends[1]) continue;
        MOE_T(moe_batch_leaf)(state, state->counts + i * n_classes, state->nodes[i].label, ends[0], ends[1]);
        MOE_T(moe_batch_record)(state, member);
    }
}

/* Return the number of members of a group that take split `s`; of those that take none, if s = -1. */
static MOE_INLINE int32_t MOE_T(moe_batch_takers)(const moe_batch_group_t *group, const moe_batch_search_t *search,
                                                  int32_t s)
{
    int32_t n = 0;
    for (int32_t m = 0; m < group->n_members; m++) n += search->taken[m] == s;
    return n;
}

/* Lay out the search of a node at the top of the stack, with its class counts, which become those of the workspace.
 * Returns the entries of the node. */
static MOE_INLINE MOE_SLICE MOE_T(moe_batch_open)(moe_batch_work_t *state, const moe_batch_group_t *group,
                                                  const moe_batch_node_t *node, int counted,
                                                  moe_batch_search_t *search /* OUT */, int64_t *kept /* OUT */)
{
    const moe_data_t *data = state->batch->data;
    const MOE_ENTRY *columns = (const MOE_ENTRY *)group->columns + node->start;
    moe_workspace_t *work = state->work;
    uint64_t s_node = 0;
    moe_batch_push_search(state->stack + state->used, data, group->n_features, group->n_members, search, kept);
    for (int32_t c = 0; c < data->n_classes; c++) {
        search->counts[c] = work->counts[c] = node->counts[c];
        s_node += (uint64_t)search->counts[c] * (uint64_t)search->counts[c];
    }
    work->estimates = state->estimates;
    return (MOE_SLICE){data, group->features, columns, counted ? columns + group->n_features * group->stride : NULL,
                       group->stride, s_node, node->end - node->start, MOE_T(moe_splitter_present)(data, work),
                       state->batch->stopping->min_samples_leaf};
}

/* Divide a node by split `s`: mark the sides of its samples, and make both children, their class counts in `counts`;
 * open[i] = child i is no leaf. The children are state->nodes[1] and [2]. */
static MOE_INLINE void MOE_T(moe_batch_divide)(moe_batch_work_t *state, const MOE_SLICE *slice,
                                               const moe_batch_search_t *search, int32_t s,
                                               const moe_batch_node_t *node, int32_t *counts /* OUT [2, n_classes] */,
                                               moe_batch_node_t children[2] /* OUT */, int open[2] /* OUT */)
{
    const moe_data_t *data = slice->data;
    const moe_stopping_t *stopping = state->batch->stopping;
    const moe_split_t *split = search->splits + s;
    const int32_t n_classes = data->n_classes, n_left = (int32_t)split->n_left, depth = node->depth + 1;
    int32_t *left = counts, *right = counts + n_classes;
    memcpy(state->work->counts, search->counts, (size_t)n_classes * sizeof(int32_t));
    const int has_missing = MOE_T(moe_classifier_mark)(slice, split, state->work, left);
    for (int32_t c = 0; c < n_classes; c++) right[c] = search->counts[c] - left[c];
    state->nodes[0] = moe_node_leaf();
    moe_node_split(data, slice->features[split->feature], split, has_missing, 1, state->nodes);
    open[0] = moe_node_open(state->nodes + 1, left, n_classes, n_left, depth, stopping, NULL);
    open[1] = moe_node_open(state->nodes + 2, right, n_classes, slice->n - n_left, depth, stopping, NULL);
    moe_predictor_follow(data, state->nodes, 3, node->from, node->to, &state->paths);
    const int32_t middle = state->paths.slices[3];
    children[0] = (moe_batch_node_t){left, 0, 0, n_left, node->from, middle, depth};
    children[1] = (moe_batch_node_t){right, 0, n_left, slice->n, middle, node->to, depth};
}

/* Make a node the leaf of all members that take split `s` (-1 = none). */
static MOE_INLINE void MOE_T(moe_batch_end)(moe_batch_work_t *state, const moe_batch_group_t *group,
                                            const moe_batch_search_t *search, int32_t s, const moe_batch_node_t *node,
                                            int32_t label)
{
    MOE_T(moe_batch_leaf)(state, node->counts, label, node->from, node->to);
    for (int32_t m = 0; m < group->n_members; m++)
        if (search->taken[m] == s) MOE_T(moe_batch_record)(state, group->members[m]);
}

/* Grow the open children of split `s` for the members that take it, each alone. The sides of the samples are marked. */
static void MOE_T(moe_batch_alone)(moe_batch_work_t *state, const MOE_SLICE *slice, const moe_batch_group_t *group,
                                   const moe_batch_search_t *search, int32_t s, const moe_batch_node_t children[2],
                                   const int open[2])
{
    const int32_t n_classes = slice->data->n_classes;
    int32_t left[MOE_SCOPE_MANY], n_grown = 0;
    for (int32_t m = 0; m < group->n_members; m++) {
        if (search->taken[m] != s) continue;
        if (n_grown++) { /* the member before has overwritten the marks */
            memcpy(state->work->counts, search->counts, (size_t)n_classes * sizeof(int32_t));
            MOE_T(moe_classifier_mark)(slice, search->splits + s, state->work, left);
        }
        const int32_t k = MOE_T(moe_batch_extract)(state, slice, group, search, s, m);
        for (int i = 0; i < 2; i++)
            if (open[i]) MOE_T(moe_batch_finish)(state, k, slice->n, children + i, group->members[m]);
    }
}

/* Grow the trees of a group from one of its nodes on; the stack has room for the search of the node. Members that take
 * the same split recurse as a child group if the stack has room for it, else each grows alone. */
static void MOE_T(moe_batch_grow_node)(moe_batch_work_t *state, const moe_batch_group_t *group,
                                       const moe_batch_node_t *node, int counted)
{
    const int32_t n_classes = state->batch->data->n_classes;
    const int64_t used = state->used;
    moe_batch_search_t search;
    int64_t kept;
    if (moe_poll_stops(state->batch->poll, (int64_t)(node->end - node->start) * group->n_features)) return;
    const MOE_SLICE slice = MOE_T(moe_batch_open)(state, group, node, counted, &search, &kept);
    MOE_T(moe_batch_estimate)(&slice, group->n_features, state->identity, state->work, search.varies);
    const int32_t n_splits = MOE_T(moe_batch_choose)(&slice, group, state->work, &search);
    state->used = used + kept;
    if (MOE_T(moe_batch_takers)(group, &search, -1))
        MOE_T(moe_batch_end)(state, group, &search, -1, node, moe_node_majority(node->counts, n_classes));
    for (int32_t s = 0; s < n_splits; s++) {
        int32_t counts[2 * MOE_SCOPE_MANY];
        moe_batch_node_t children[2];
        moe_batch_group_t below = {0};
        int open[2];
        MOE_T(moe_batch_divide)(state, &slice, &search, s, node, counts, children, open);
        for (int i = 0; i < 2; i++)
            if (!open[i]) MOE_T(moe_batch_end)(state, group, &search, s, children + i, state->nodes[1 + i].label);
        if (!open[0] && !open[1]) continue;
        const int32_t n_members = MOE_T(moe_batch_takers)(group, &search, s);
        const int64_t n_bytes = MOE_T(moe_batch_child)(state, &slice, group, &search, s, n_members,
                                                       children[0].depth, &below);
        state->used += n_bytes;
        for (int i = 0; n_bytes && i < 2; i++)
            if (open[i]) MOE_T(moe_batch_grow_node)(state, &below, children + i, counted);
        state->used -= n_bytes;
        if (!n_bytes) MOE_T(moe_batch_alone)(state, &slice, group, &search, s, children, open);
    }
    state->used = used;
}

/* Make the group of all members at the root, at the bottom of the stack, without its columns. Returns the column of the
 * training samples; the n_asked samples to answer for are listed in paths.samples. */
static MOE_INLINE MOE_ENTRY *MOE_T(moe_batch_root_group)(const moe_batch_t *batch, moe_batch_work_t *state,
                                                         moe_workspace_t *work, moe_batch_group_t *group /* OUT */,
                                                         int32_t *n_asked /* OUT */)
{
    const moe_data_t *data = batch->data;
    int64_t n_listed = 0, n_features = 0;
    int32_t at = 0;
    state->batch = batch;
    state->work = work;
    *work = state->member_workspace;
    work->poll = batch->poll;
    for (int64_t w = 0; w < batch->n_words; w++) {
        state->union_bits[w] = 0;
        for (int32_t m = 0; m < batch->n_members; m++) {
            n_listed += moe_base_popcount(batch->bits[m][w]);
            state->union_bits[w] |= batch->bits[m][w];
        }
        n_features += moe_base_popcount(state->union_bits[w]);
    }
    state->used = moe_batch_push_group(state->stack, data, batch->n_train, n_features, batch->n_members, n_listed,
                                       group);
    group->stride = batch->n_train;
    group->n_members = batch->n_members;
    group->n_features = 0;
    for (int64_t w = 0; w < batch->n_words; w++)
        for (uint64_t word = state->union_bits[w]; word; word &= word - 1)
            group->features[group->n_features++] = batch->features[w * 64 + moe_base_lowest(word)];
    for (int32_t m = 0; m < batch->n_members; m++) {
        int32_t before = 0; /* features of the union in the words before word w */
        group->members[m] = m;
        group->starts[m] = at;
        for (int64_t w = 0; w < batch->n_words; w++) {
            for (uint64_t word = batch->bits[m][w]; word; word &= word - 1)
                group->lists[at++] = before + moe_base_popcount(state->union_bits[w] & ((word & (0 - word)) - 1));
            before += moe_base_popcount(state->union_bits[w]);
        }
    }
    group->starts[batch->n_members] = at;
    const moe_training_t training = {data, batch->marks, group->features, batch->stopping, group->n_features,
                                     batch->n_train};
    MOE_ENTRY *samples = (MOE_ENTRY *)group->columns + group->n_features * (int64_t)batch->n_train;
    MOE_T(moe_columns_bases)(&training, (MOE_ENTRY *)work->bases, samples);
    *n_asked = moe_predictor_list(data, batch->marks, batch->wanted, &state->paths);
    return samples;
}

/* Fill the columns of the root group; returns whether a feature is counted (tree/histogram.inc.h). */
static MOE_INLINE int MOE_T(moe_batch_root_columns)(moe_batch_work_t *state, const moe_batch_group_t *group)
{
    const moe_data_t *data = state->batch->data;
    const int32_t n_train = state->batch->n_train;
    int counted = 0;
    for (int32_t j = 0; j < group->n_features; j++) {
        state->identity[j] = j;
        counted |= data->counted[group->features[j]];
        if (!data->counted[group->features[j]])
            MOE_T(moe_columns_fill)(data, (const MOE_ENTRY *)state->work->bases, group->features[j], n_train,
                                    (MOE_ENTRY *)group->columns + j * (int64_t)n_train);
    }
    return counted;
}

/* Grow a batch of classification trees (see moe_grower_batch). */
static inline void MOE_T(moe_batch_grow)(const moe_batch_t *batch, moe_batch_work_t *state)
{
    const moe_data_t *data = batch->data;
    const int32_t n_train = batch->n_train, n_classes = data->n_classes;
    moe_workspace_t work;
    moe_batch_group_t group;
    int32_t n_asked, counts[MOE_SCOPE_MANY];
    const MOE_ENTRY *samples = MOE_T(moe_batch_root_group)(batch, state, &work, &group, &n_asked);
    memset(state->hits, 0, (size_t)batch->n_members * (size_t)n_classes * sizeof(int32_t));
    memset(state->answers.n_leaves_of, 0, (size_t)batch->n_members * sizeof(int32_t));
    state->answers.n_leaves = 0;
    MOE_T(moe_partition_count)(samples, 0, n_train, data, counts);
    memcpy(state->learnt, counts, (size_t)n_classes * sizeof(int32_t));
    if (moe_node_open(state->nodes, counts, n_classes, n_train, 0, batch->stopping, NULL)) {
        const int counted = MOE_T(moe_batch_root_columns)(state, &group);
        const moe_batch_node_t root = {counts, 0, 0, n_train, 0, n_asked, 0};
        MOE_T(moe_batch_grow_node)(state, &group, &root, counted);
        return;
    }
    MOE_T(moe_batch_leaf)(state, counts, state->nodes[0].label, 0, n_asked);
    for (int32_t m = 0; m < batch->n_members; m++) MOE_T(moe_batch_record)(state, m);
}
