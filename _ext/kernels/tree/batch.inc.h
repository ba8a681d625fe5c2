/* batch: many trees grown together. A template like tree/sorted.inc.h. */
#include "tree/batch.h"

/* Divide the entries of a node into those of its children, [0, n_left) and the rest, where `divided` is. */
static MOE_INLINE void MOE_T(moe_batch_divide)(const MOE_ENTRY *entries, int32_t n, int32_t n_left,
                                               const uint8_t *side, uint32_t mask, MOE_ENTRY *divided /* OUT [n] */)
{
    int32_t to = 0, to_right = n_left, p = 0;
#if MOE_LEVEL == 4 && MOE_ENTRY_BITS == 32
    const __m512i ids = _mm512_set1_epi32((int32_t)mask), one = _mm512_set1_epi32(1);
    for (; p + MOE_LANES <= n; p += MOE_LANES) {
        const __m512i these = _mm512_loadu_si512(entries + p);
        const __m512i sides = _mm512_i32gather_epi32(_mm512_and_si512(these, ids), side, 1);
        const __mmask16 left = _mm512_test_epi32_mask(sides, one), right = (__mmask16)~left;
        const int32_t n_these = moe_base_popcount(left);
        _mm512_mask_storeu_epi32(divided + to, (__mmask16)((1u << n_these) - 1),
                                 _mm512_maskz_compress_epi32(left, these));
        _mm512_mask_storeu_epi32(divided + to_right, (__mmask16)((1u << (MOE_LANES - n_these)) - 1),
                                 _mm512_maskz_compress_epi32(right, these));
        to += n_these;
        to_right += MOE_LANES - n_these;
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

/* Come to a leaf with the samples asked for that are [start, end) of the paths: what it says of them all. */
static MOE_INLINE void MOE_T(moe_batch_come)(moe_batch_work_t *own, const int32_t *counts /* IN [n_classes] */,
                                             int32_t label, int32_t start, int32_t end)
{
    const moe_batch_t *batch = own->batch;
    const moe_data_t *data = batch->data;
    moe_batch_leaf_t *leaf = &own->leaf;
    leaf->start = start;
    leaf->end = end;
    leaf->label = label;
    leaf->n_correct = 0;
    if (start == end) return;
    if (!batch->n_asked) {
        for (int32_t p = start; p < end; p++) leaf->n_correct += data->labels[own->paths.samples[p]] == label;
        return;
    }
    moe_batch_answers_t *answers = &own->answers;
    const int64_t at = (int64_t)answers->n_leaves++ * data->n_classes;
    int32_t *of_classes = answers->counts + at;
    moe_shares_of(counts, own->learnt, data->n_classes, batch->smooth, answers->shares + at);
    for (int32_t c = 0; c < data->n_classes; c++) of_classes[c] = 0;
    for (int32_t p = start; p < end; p++) of_classes[data->labels[own->paths.samples[p]]]++;
}

/* Let it say so to a member. */
static MOE_INLINE void MOE_T(moe_batch_say)(moe_batch_work_t *own, int32_t member)
{
    const moe_batch_t *batch = own->batch;
    const moe_batch_leaf_t *leaf = &own->leaf;
    const int64_t n_classes = batch->data->n_classes;
    if (!batch->n_asked) {
        own->hits[member * n_classes + leaf->label] += leaf->n_correct;
        return;
    }
    if (leaf->start == leaf->end) return;
    moe_batch_answers_t *answers = &own->answers;
    const int64_t first = member * (int64_t)batch->n_asked;
    answers->leaves[first + answers->n_of[member]++] = answers->n_leaves - 1;
    if (!batch->places) return;
    int32_t *leaf_of = answers->leaf_of + first;
    for (int32_t p = leaf->start; p < leaf->end; p++)
        leaf_of[batch->places[own->paths.samples[p]]] = answers->n_leaves - 1;
}

/* Estimate the features of a node, and say which vary; the others get -1. */
static MOE_INLINE void MOE_T(moe_batch_estimate)(const MOE_SLICE *slice, int32_t n_features, const int32_t *list,
                                                 moe_workspace_t *work, uint8_t *varies /* OUT [n_features] */)
{
    const moe_data_t *data = slice->data;
    const int code_shift = data->id_bits + data->label_bits;
    int32_t waiting[2][MOE_TREE_MANY], n_waiting[2] = {0, 0};
    for (int32_t j = 0; j < n_features; j++) {
        const MOE_ENTRY *entries = slice->columns + j * slice->stride;
        const int counted = data->counted[slice->features[j]];
        work->estimates[j] = -1.0f;
        if (!counted && !((entries[0] ^ entries[slice->n - 1]) >> code_shift)) continue;
        work->estimates[j] = INFINITY; /* not estimated: will be tried exactly */
        if (!MOE_T(moe_splitter_estimates)(slice, slice->features[j], counted, entries, work->second)) continue;
        waiting[counted][n_waiting[counted]++] = j;
        if (n_waiting[counted] < MOE_TREE_MANY) continue;
        MOE_T(moe_splitter_estimate)(slice, list, waiting[counted], MOE_TREE_MANY, counted, work);
        n_waiting[counted] = 0;
    }
    for (int counted = 0; counted < 2; counted++)
        if (n_waiting[counted])
            MOE_T(moe_splitter_estimate)(slice, list, waiting[counted], n_waiting[counted], counted, work);
    for (int32_t j = 0; j < n_features; j++) varies[j] = work->estimates[j] >= 0.0f;
}

/* Let each member of a node take the best split of its features; returns how many different ones are taken. What
 * moe_splitter_best does for one tree; a feature is tried once for all, so by a bar of its own. */
static MOE_INLINE int32_t MOE_T(moe_batch_choose)(const MOE_SLICE *slice, const moe_batch_group_t *group,
                                                  moe_workspace_t *work, moe_batch_node_t *node /* IN and OUT */)
{
    const float *estimates = work->estimates;
    const moe_split_t none = moe_gini_none(slice->s_node, (uint64_t)slice->n);
    int32_t *which = node->places, n_splits = 0; /* which split a feature is that is taken; -1 = none, -2 = not tried */
    for (int32_t j = 0; j < group->n_features; j++) which[j] = -2;
    for (int32_t m = 0; m < group->n_members; m++) {
        const int32_t *list = group->lists + group->starts[m], size = group->starts[m + 1] - group->starts[m];
        const moe_split_t *best = &none;
        float bar = 0.0f;
        for (int32_t i = 0; i < size; i++) {
            const float estimate = estimates[list[i]];
            bar = estimate > bar && estimate < INFINITY ? estimate : bar;
        }
        bar *= 1.0f - 2.0f * MOE_SORTED_CLOSE;
        for (int32_t i = 0; i < size; i++) {
            const int32_t j = list[i];
            if (estimates[j] < bar || estimates[j] < 0.0f) continue;
            if (which[j] == -2) {
                node->tried[j] = none;
                MOE_T(moe_splitter_try)(slice, j, estimates[j], estimates[j] * (1.0f - 2.0f * MOE_SORTED_CLOSE), work,
                                        node->tried + j);
                which[j] = -1;
            }
            if (node->tried[j].feature >= 0 && moe_gini_replaces(node->tried + j, best)) best = node->tried + j;
        }
        node->taken[m] = -1;
        if (best->feature < 0) continue;
        if (which[best->feature] < 0) {
            node->splits[n_splits] = *best;
            which[best->feature] = n_splits++;
        }
        node->taken[m] = which[best->feature];
    }
    return n_splits;
}

/* Number the features that vary of those members that take a split, or of one of them; returns how many, and the sum
 * over the members. */
static MOE_INLINE int32_t MOE_T(moe_batch_number)(const moe_batch_group_t *group, const moe_batch_node_t *node,
                                                  int32_t split, int32_t only, int64_t *n_listed /* OUT */)
{
    int32_t *places = node->places, n_features = 0;
    *n_listed = 0;
    for (int32_t j = 0; j < group->n_features; j++) places[j] = -1;
    for (int32_t m = only < 0 ? 0 : only; m < (only < 0 ? group->n_members : only + 1); m++) {
        if (node->taken[m] != split) continue;
        for (int32_t i = group->starts[m]; i < group->starts[m + 1]; i++) {
            const int32_t j = group->lists[i];
            places[j] = node->varies[j] ? 0 : -1;
            *n_listed += node->varies[j];
        }
    }
    for (int32_t j = 0; j < group->n_features; j++)
        if (places[j] == 0) places[j] = n_features++;
    return n_features;
}

/* Fill the columns of the group below, whose features are numbered. */
static MOE_INLINE void MOE_T(moe_batch_fill)(const MOE_SLICE *slice, const moe_batch_group_t *group,
                                             const moe_batch_node_t *node, int32_t n_left, int32_t n_features,
                                             const uint8_t *side, int32_t *features /* OUT [n_features] */,
                                             MOE_ENTRY *columns /* OUT [n_features + 1, n] */)
{
    const uint32_t mask = (uint32_t)(((uint64_t)1 << slice->data->id_bits) - 1);
    for (int32_t j = 0; j < group->n_features; j++) {
        const int32_t place = node->places[j];
        if (place < 0) continue;
        features[place] = group->features[j];
        if (!slice->data->counted[features[place]])
            MOE_T(moe_batch_divide)(slice->columns + j * slice->stride, slice->n, n_left, side, mask,
                                    columns + place * (int64_t)slice->n);
    }
    if (slice->samples)
        MOE_T(moe_batch_divide)(slice->samples, slice->n, n_left, side, mask,
                                columns + n_features * (int64_t)slice->n);
}

/* The group of those members that take a split, n_members of them, at the top of the stack. Returns its bytes; 0: there
 * is one member, or no room. */
static MOE_INLINE int64_t MOE_T(moe_batch_below)(moe_batch_work_t *own, const MOE_SLICE *slice,
                                                 const moe_batch_group_t *group, const moe_batch_node_t *node,
                                                 int32_t split, int32_t n_members, int32_t depth,
                                                 moe_batch_group_t *below /* OUT */)
{
    const moe_data_t *data = slice->data;
    const int32_t n = slice->n;
    moe_batch_node_t next;
    int64_t n_listed, kept;
    if (n_members < 2) return 0;
    below->stride = n;
    below->n_members = n_members;
    below->n_features = MOE_T(moe_batch_number)(group, node, split, -1, &n_listed);
    const int64_t n_bytes = moe_batch_push(NULL, data, n, below->n_features, n_members, n_listed, below);
    if (depth > MOE_BATCH_LEVELS ||
        own->used + n_bytes + moe_batch_enter(NULL, data, below->n_features, n_members, &next, &kept) > own->size)
        return 0;
    int32_t at = 0, to = 0;
    moe_batch_push(own->stack + own->used, data, n, below->n_features, n_members, n_listed, below);
    MOE_T(moe_batch_fill)(slice, group, node, (int32_t)node->splits[split].n_left, below->n_features, own->work->side,
                          below->features, (MOE_ENTRY *)below->columns);
    for (int32_t m = 0; m < group->n_members; m++) {
        if (node->taken[m] != split) continue;
        below->members[to] = group->members[m];
        below->starts[to++] = at;
        for (int32_t i = group->starts[m]; i < group->starts[m + 1]; i++)
            if (node->varies[group->lists[i]]) below->lists[at++] = node->places[group->lists[i]];
    }
    below->starts[n_members] = at;
    return n_bytes;
}

/* The columns of one member below a split that it takes, in the workspace; returns how many. */
static MOE_INLINE int32_t MOE_T(moe_batch_leave)(moe_batch_work_t *own, const MOE_SLICE *slice,
                                                 const moe_batch_group_t *group, const moe_batch_node_t *node,
                                                 int32_t split, int32_t member)
{
    int64_t n_listed;
    const int32_t k = MOE_T(moe_batch_number)(group, node, split, member, &n_listed);
    MOE_T(moe_batch_fill)(slice, group, node, (int32_t)node->splits[split].n_left, k, own->work->side, own->own,
                          (MOE_ENTRY *)own->work->entries);
    return k;
}

/* Grow the rest of the tree of one member, of k features, at a node: its columns are in the workspace. */
static void MOE_T(moe_batch_alone)(moe_batch_work_t *own, int32_t k, int32_t stride, const moe_batch_place_t *place,
                                   int32_t member)
{
    const moe_batch_t *batch = own->batch;
    const int64_t n_classes = batch->data->n_classes;
    const moe_training_t training = {batch->data, batch->marks, own->own, batch->stopping, k, stride};
    const moe_queued_t root = {0, place->start, place->end, place->depth, 0, 0, 0, 0};
    const moe_tree_t tree = {own->nodes, NULL, batch->n_asked ? own->counts : NULL, NULL, NULL};
    memcpy(own->work->counts, place->counts, (size_t)n_classes * sizeof(int32_t));
    if (batch->n_asked) memcpy(own->counts, place->counts, (size_t)n_classes * sizeof(int32_t));
    own->nodes[0] = moe_node_leaf();
    own->nodes[0].label = moe_node_majority(place->counts, batch->data->n_classes);
    const int32_t n_nodes = MOE_T(moe_classifier_subtree)(&training, &root, 1, own->work, &tree);
    moe_predictor_follow(batch->data, own->nodes, n_nodes, place->from, place->to, &own->paths);
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t *ends = own->paths.slices + 2 * (int64_t)i;
        if (own->nodes[i].feature >= 0 || ends[0] == ends[1]) continue;
        MOE_T(moe_batch_come)(own, own->counts + i * n_classes, own->nodes[i].label, ends[0], ends[1]);
        MOE_T(moe_batch_say)(own, member);
    }
}

/* Grow the trees of a group from one of its nodes on, for which there is room on the stack. */
static void MOE_T(moe_batch_grow_node)(moe_batch_work_t *own, const moe_batch_group_t *group,
                                       const moe_batch_place_t *place, int counted)
{
    const moe_batch_t *batch = own->batch;
    const moe_data_t *data = batch->data;
    const int32_t start = place->start, n = place->end - start, from = place->from, to = place->to;
    const int32_t n_classes = data->n_classes, depth = place->depth + 1; /* of the children */
    const int64_t used = own->used;
    const MOE_ENTRY *columns = (const MOE_ENTRY *)group->columns;
    moe_workspace_t *work = own->work;
    moe_batch_node_t node;
    uint64_t s_node = 0;
    int64_t kept;
    if (moe_ear_stops(batch->ear, (int64_t)n * group->n_features)) return;
    moe_batch_enter(own->stack + used, data, group->n_features, group->n_members, &node, &kept);
    for (int32_t c = 0; c < n_classes; c++) {
        node.counts[c] = work->counts[c] = place->counts[c];
        s_node += (uint64_t)node.counts[c] * (uint64_t)node.counts[c];
    }
    const MOE_SLICE slice = {data, group->features, columns + start,
                             counted ? columns + group->n_features * group->stride + start : NULL, group->stride,
                             s_node, n, MOE_T(moe_splitter_present)(data, work), batch->stopping->min_samples_leaf};
    work->estimates = own->estimates;
    MOE_T(moe_batch_estimate)(&slice, group->n_features, own->list, work, node.varies);
    const int32_t n_splits = MOE_T(moe_batch_choose)(&slice, group, work, &node);
    own->used = used + kept;

    int32_t n_staying = 0;
    for (int32_t m = 0; m < group->n_members; m++) n_staying += node.taken[m] < 0;
    if (n_staying) MOE_T(moe_batch_come)(own, node.counts, moe_node_majority(node.counts, n_classes), from, to);
    for (int32_t m = 0; n_staying && m < group->n_members; m++)
        if (node.taken[m] < 0) MOE_T(moe_batch_say)(own, group->members[m]);

    for (int32_t s = 0; s < n_splits; s++) {
        const moe_split_t *split = node.splits + s;
        const int32_t n_left = (int32_t)split->n_left, n_right = n - n_left;
        int32_t sides[2 * MOE_SCOPE_MANY], *right = sides + n_classes; /* class counts */
        memcpy(work->counts, node.counts, (size_t)n_classes * sizeof(int32_t));
        const int seen = MOE_T(moe_classifier_mark)(&slice, split, work, sides);
        for (int32_t c = 0; c < n_classes; c++) right[c] = node.counts[c] - sides[c];
        own->nodes[0] = moe_node_leaf();
        moe_node_split(data, group->features[split->feature], split, seen, 1, own->nodes);
        const int open_left = moe_node_open(own->nodes + 1, sides, n_classes, n_left, depth, batch->stopping, NULL);
        const int open_right = moe_node_open(own->nodes + 2, right, n_classes, n_right, depth, batch->stopping, NULL);
        moe_predictor_follow(data, own->nodes, 3, from, to, &own->paths);
        const int32_t middle = own->paths.slices[3];
        int32_t n_members = 0;
        for (int32_t m = 0; m < group->n_members; m++) n_members += node.taken[m] == s;
        for (int side = 0; side < 2; side++) {
            if (side ? open_right : open_left) continue;
            MOE_T(moe_batch_come)(own, side ? right : sides, own->nodes[1 + side].label, side ? middle : from,
                                  side ? to : middle);
            for (int32_t m = 0; m < group->n_members; m++)
                if (node.taken[m] == s) MOE_T(moe_batch_say)(own, group->members[m]);
        }
        if (!open_left && !open_right) continue;

        const moe_batch_place_t left = {sides, 0, 0, n_left, from, middle, depth};
        const moe_batch_place_t rest = {right, 0, n_left, n, middle, to, depth};
        moe_batch_group_t below = {0};
        const int64_t n_bytes = MOE_T(moe_batch_below)(own, &slice, group, &node, s, n_members, depth, &below);
        if (n_bytes) {
            own->used += n_bytes;
            if (open_left) MOE_T(moe_batch_grow_node)(own, &below, &left, counted);
            if (open_right) MOE_T(moe_batch_grow_node)(own, &below, &rest, counted);
            own->used -= n_bytes;
            continue;
        }
        for (int32_t m = 0; m < group->n_members; m++) { /* each alone */
            if (node.taken[m] != s) continue;
            if (n_members > 1) { /* the one before has overwritten it */
                memcpy(work->counts, node.counts, (size_t)n_classes * sizeof(int32_t));
                MOE_T(moe_classifier_mark)(&slice, split, work, sides);
            }
            const int32_t k = MOE_T(moe_batch_leave)(own, &slice, group, &node, s, m);
            if (open_left) MOE_T(moe_batch_alone)(own, k, n, &left, group->members[m]);
            if (open_right) MOE_T(moe_batch_alone)(own, k, n, &rest, group->members[m]);
        }
    }
    own->used = used;
}

/* The group of all members at the root, at the bottom of the stack, without its columns. Returns the samples that are
 * learnt from; those that are asked for, so many, are in the paths. */
static MOE_INLINE MOE_ENTRY *MOE_T(moe_batch_begin)(const moe_batch_t *batch, moe_batch_work_t *own,
                                                    moe_workspace_t *work, moe_batch_group_t *group /* OUT */,
                                                    int32_t *n_asked /* OUT */)
{
    const moe_data_t *data = batch->data;
    int64_t n_listed = 0, n_features = 0;
    int32_t at = 0;
    own->batch = batch;
    own->work = work;
    *work = own->alone;
    work->ear = batch->ear;
    for (int64_t w = 0; w < batch->n_words; w++) {
        own->any[w] = 0;
        for (int32_t m = 0; m < batch->n_members; m++) {
            n_listed += moe_base_popcount(batch->bits[m][w]);
            own->any[w] |= batch->bits[m][w];
        }
        n_features += moe_base_popcount(own->any[w]);
    }
    own->used = moe_batch_push(own->stack, data, batch->n_train, n_features, batch->n_members, n_listed, group);
    group->stride = batch->n_train;
    group->n_members = batch->n_members;
    group->n_features = 0;
    for (int64_t w = 0; w < batch->n_words; w++)
        for (uint64_t word = own->any[w]; word; word &= word - 1)
            group->features[group->n_features++] = batch->features[w * 64 + moe_base_lowest(word)];
    for (int32_t m = 0; m < batch->n_members; m++) {
        int32_t before = 0; /* features in the words before */
        group->members[m] = m;
        group->starts[m] = at;
        for (int64_t w = 0; w < batch->n_words; w++) {
            for (uint64_t word = batch->bits[m][w]; word; word &= word - 1)
                group->lists[at++] = before + moe_base_popcount(own->any[w] & ((word & (0 - word)) - 1));
            before += moe_base_popcount(own->any[w]);
        }
    }
    group->starts[batch->n_members] = at;
    const moe_training_t training = {data, batch->marks, group->features, batch->stopping, group->n_features,
                                     batch->n_train};
    MOE_ENTRY *samples = (MOE_ENTRY *)group->columns + group->n_features * (int64_t)batch->n_train;
    MOE_T(moe_columns_stamps)(&training, (MOE_ENTRY *)work->stamps, samples);
    *n_asked = moe_predictor_list(data, batch->marks, batch->wanted, &own->paths);
    return samples;
}

/* Its columns; returns whether a feature is counted. */
static MOE_INLINE int MOE_T(moe_batch_columns)(moe_batch_work_t *own, const moe_batch_group_t *group)
{
    const moe_data_t *data = own->batch->data;
    const int32_t n_train = own->batch->n_train;
    int counted = 0;
    for (int32_t j = 0; j < group->n_features; j++) {
        own->list[j] = j;
        counted |= data->counted[group->features[j]];
        if (!data->counted[group->features[j]])
            MOE_T(moe_columns_fill)(data, (const MOE_ENTRY *)own->work->stamps, group->features[j], n_train,
                                    (MOE_ENTRY *)group->columns + j * (int64_t)n_train);
    }
    return counted;
}

/* See moe_grower_batch. */
static inline void MOE_T(moe_batch_grow)(const moe_batch_t *batch, moe_batch_work_t *own)
{
    const moe_data_t *data = batch->data;
    const int32_t n_train = batch->n_train, n_classes = data->n_classes;
    moe_workspace_t work;
    moe_batch_group_t group;
    int32_t n_asked, counts[MOE_SCOPE_MANY];
    const MOE_ENTRY *samples = MOE_T(moe_batch_begin)(batch, own, &work, &group, &n_asked);
    memset(own->hits, 0, (size_t)batch->n_members * (size_t)n_classes * sizeof(int32_t));
    memset(own->answers.n_of, 0, (size_t)batch->n_members * sizeof(int32_t));
    own->answers.n_leaves = 0;
    MOE_T(moe_partition_count)(samples, 0, n_train, data, counts);
    memcpy(own->learnt, counts, (size_t)n_classes * sizeof(int32_t));
    if (moe_node_open(own->nodes, counts, n_classes, n_train, 0, batch->stopping, NULL)) {
        const int counted = MOE_T(moe_batch_columns)(own, &group);
        const moe_batch_place_t root = {counts, 0, 0, n_train, 0, n_asked, 0};
        MOE_T(moe_batch_grow_node)(own, &group, &root, counted);
        return;
    }
    MOE_T(moe_batch_come)(own, counts, own->nodes[0].label, 0, n_asked);
    for (int32_t m = 0; m < batch->n_members; m++) MOE_T(moe_batch_say)(own, m);
}
