/* grow: the node loop of the decision tree.
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
#ifndef MOE_GROW_H
#define MOE_GROW_H

#include "bin.h"
#include "cut.h"

/* Count the classes of [start, end); returns the sum of the squared counts. */
static inline uint64_t moe_grow_count(const moe_entry_t *entries, int32_t start, int32_t end,
                                      int32_t n_classes, int32_t *counts /* OUT [n_classes] */)
{
    memset(counts, 0, (size_t)n_classes * sizeof(int32_t));
    for (int32_t p = start; p < end; p++) counts[moe_entry_label(entries[p])]++;
    uint64_t sum = 0;
    for (int32_t c = 0; c < n_classes; c++) sum += (uint64_t)counts[c] * (uint64_t)counts[c];
    return sum;
}

/* Most frequent class, ties to the lowest. */
static inline int32_t moe_grow_majority(const int32_t *counts, int32_t n_classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < n_classes; c++)
        if (counts[c] > counts[best]) best = c;
    return best;
}

/* Write a leaf; returns 1 if the node may be split further. */
static inline int moe_grow_open(moe_node_t *node, const int32_t *counts, int32_t n_classes, int32_t n,
                                int32_t depth, const moe_rules_t *rules,
                                int32_t *node_counts /* OUT [n_classes] or NULL */)
{
    node->feature = -1;
    node->left = node->code = node->missing = -1;
    node->label = moe_grow_majority(counts, n_classes);
    if (node_counts) memcpy(node_counts, counts, (size_t)n_classes * sizeof(int32_t));
    return counts[node->label] < n && depth < rules->max_depth && n >= rules->min_samples_split &&
           n / 2 >= rules->min_samples_leaf;
}

/* Keep only the left entries of [start, end), in place, at the front. */
static inline void moe_grow_keep_left(const uint8_t *side, int32_t start, int32_t end, moe_entry_t *entries)
{
    int32_t to = start;
    for (int32_t p = start; p < end; p++) {
        moe_entry_t entry = entries[p];
        entries[to] = entry;
        to += side[moe_entry_sample(entry)];
    }
}

/* Keep only the right entries of [start, end), in place, at the back. */
static inline void moe_grow_keep_right(const uint8_t *side, int32_t start, int32_t end, moe_entry_t *entries)
{
    int32_t to = end - 1;
    for (int32_t p = end - 1; p >= start; p--) {
        moe_entry_t entry = entries[p];
        entries[to] = entry;
        to -= !side[moe_entry_sample(entry)];
    }
}

/* Stable partition of [start, end): left entries in place, right ones over `spare`. */
static inline void moe_grow_partition(const uint8_t *side, int32_t start, int32_t end,
                                      moe_entry_t *spare /* workspace [end - start] */,
                                      moe_entry_t *entries)
{
    int32_t to = start, n_right = 0;
    for (int32_t p = start; p < end; p++) {
        moe_entry_t entry = entries[p];
        int left = side[moe_entry_sample(entry)];
        entries[to] = entry;
        spare[n_right] = entry;
        to += left;
        n_right += !left;
    }
    memcpy(entries + to, spare, (size_t)n_right * sizeof(moe_entry_t));
}

/* Best cut of a node. Writes the features that vary in it behind its list and
 * returns their number; `best` starts as "no cut". */
static inline int32_t moe_grow_search(const moe_data_t *data, const int32_t *features, int32_t stride,
                                      const moe_rules_t *rules, const moe_frame_t *frame, uint64_t s_node,
                                      moe_work_t *work, moe_cut_t *best /* OUT */)
{
    const int32_t *list = work->lists + frame->list;
    int32_t *varying = work->lists + frame->list + frame->n_list;
    int32_t *counts = work->counts, *left = counts + data->n_classes, *twice = left + data->n_classes;
    int32_t n_varying = 0, searched = 1;
    *best = moe_cut_none(s_node, (uint64_t)(frame->end - frame->start));
    for (int32_t c = 0; c < data->n_classes; c++) twice[c] = 2 * counts[c];
    for (int32_t j = 0; j < frame->n_list; j++) {
        const moe_entry_t *entries = work->entries + (int64_t)list[j] * stride;
        if (moe_entry_code(entries[frame->start]) == moe_entry_code(entries[frame->end - 1])) continue;
        varying[n_varying++] = list[j];
        if (!searched) continue;
        moe_cut_feature(entries, frame->start, frame->end, data->reciprocal, data->n_classes, counts, twice,
                        s_node, rules->min_samples_leaf, list[j],
                        (uint32_t)moe_bin_missing(data, features[list[j]]), left, best);
        /* nothing can be better than a perfect cut, and ties go to the lower feature */
        searched = best->feature < 0 || !moe_cut_is_perfect(best);
    }
    return n_varying;
}

/* Mark the sides of a cut, count the classes of the left one, and write the rule
 * of the node. A missing value that the node has not seen goes to the larger side. */
static inline void moe_grow_mark(const moe_data_t *data, int64_t feature, const moe_entry_t *entries,
                                 const moe_frame_t *frame, const moe_cut_t *cut, moe_node_t *node,
                                 double *threshold /* OUT */, uint8_t *side, int32_t *left_counts)
{
    int32_t missing_code = moe_bin_missing(data, feature);
    int32_t a = (int32_t)moe_entry_code(entries[cut->position - 1]);
    int32_t b = (int32_t)moe_entry_code(entries[cut->position]);
    int seen = (int32_t)moe_entry_code(entries[frame->end - 1]) == missing_code;
    memset(left_counts, 0, (size_t)data->n_classes * sizeof(int32_t));
    for (int32_t p = frame->start; p < frame->end; p++) {
        moe_entry_t entry = entries[p];
        int left = p < cut->position ||
                   (cut->missing_left && (int32_t)moe_entry_code(entry) == missing_code);
        side[moe_entry_sample(entry)] = (uint8_t)left;
        left_counts[moe_entry_label(entry)] += left;
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
static inline void moe_grow_divide(const moe_frame_t *frame, int keep_left, int keep_right, int64_t stride,
                                   const int32_t *list, int32_t n_list, int32_t cut_feature,
                                   int cut_in_order, moe_work_t *work)
{
    for (int32_t j = 0; j < n_list; j++) {
        moe_entry_t *entries = work->entries + list[j] * stride;
        if (list[j] == cut_feature && cut_in_order) continue; /* already left | right */
        if (keep_left && keep_right)
            moe_grow_partition(work->side, frame->start, frame->end, work->spare, entries);
        else if (keep_left)
            moe_grow_keep_left(work->side, frame->start, frame->end, entries);
        else
            moe_grow_keep_right(work->side, frame->start, frame->end, entries);
    }
}

/* Grow a tree on the samples with marks[s] == wanted, over `features` (ascending).
 * Returns the number of nodes; node 0 is the root. Depth-first, left first; the
 * children of a node get neighbouring numbers. O(k n_train depth). */
static inline int32_t moe_grow(const moe_data_t *data, const uint8_t *marks /* IN [n_samples] */,
                               const int32_t *features /* IN [k], ascending */, int32_t k, int32_t n_train,
                               uint8_t wanted, const moe_rules_t *rules, moe_work_t *work,
                               moe_node_t *nodes /* OUT [2 n_train - 1] */,
                               double *thresholds /* OUT [2 n_train - 1] or NULL */,
                               int32_t *node_counts /* OUT [2 n_train - 1, n_classes] or NULL */)
{
    int32_t n_classes = data->n_classes, n_nodes = 1, n_frames = 0;
    int32_t *counts = work->counts, *left_counts = work->counts + n_classes;
    int32_t *right_counts = work->counts + 3 * n_classes;
    int64_t stride = n_train;
    for (int32_t j = 0; j < k; j++) {
        moe_bin_fill(data, marks, features[j], n_train, wanted, work->entries + j * stride);
        work->lists[j] = j;
    }
    moe_grow_count(work->entries, 0, n_train, n_classes, counts);
    if (moe_grow_open(nodes, counts, n_classes, n_train, 0, rules, node_counts)) {
        moe_frame_t root = {0, 0, n_train, 0, 0, k};
        work->stack[n_frames++] = root;
    }
    while (n_frames) {
        moe_frame_t frame = work->stack[--n_frames];
        moe_cut_t cut;
        double threshold;
        uint64_t s_node = moe_grow_count(work->entries + work->lists[frame.list] * stride, frame.start,
                                         frame.end, n_classes, counts);
        int32_t n_varying = moe_grow_search(data, features, (int32_t)stride, rules, &frame, s_node, work, &cut);
        if (cut.feature < 0) continue; /* stays the leaf that it was opened as */

        moe_entry_t *column = work->entries + cut.feature * stride;
        moe_node_t *node = nodes + frame.node;
        moe_grow_mark(data, features[cut.feature], column, &frame, &cut, node, &threshold, work->side,
                      left_counts);
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
        moe_grow_divide(&frame, keep_left, keep_right, stride, work->lists + left.list, left.n_list,
                        cut.feature, !cut.missing_left, work);
        if (keep_right) work->stack[n_frames++] = right;
        if (keep_left) work->stack[n_frames++] = left;
    } /* end: while n_frames */
    return n_nodes;
}

#endif
