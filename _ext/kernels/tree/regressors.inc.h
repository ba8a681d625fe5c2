/* regressors: many regression trees grown together (tree/batch.h), as tree/batch.inc.h grows trees of classes. A
 * template like tree/sorted.inc.h.
 */

/* Let the samples asked for that come to a leaf, [start, end) of the paths, have its mean from a member. */
static MOE_INLINE void MOE_T(moe_regressors_say)(moe_batch_work_t *own, int32_t member, int32_t start, int32_t end,
                                                 double mean)
{
    const int32_t *places = own->batch->places, *samples = own->paths.samples;
    double *means = own->answers.shares + member * (int64_t)own->batch->n_asked;
    for (int32_t p = start; p < end; p++) means[places[samples[p]]] = mean;
}

/* Let each member of a node take the best split of its features; returns how many different ones are taken. What
 * moe_regressor_best does for one tree; a feature is tried once for all, so by a bar of its own. */
static MOE_INLINE int32_t MOE_T(moe_regressors_choose)(const MOE_REGRESSOR_SLICE *slice, const moe_batch_group_t *group,
                                                       float *estimates /* workspace [features of the group] */,
                                                       moe_batch_node_t *node /* IN and OUT */)
{
    const moe_split_t none = moe_variance_none(slice->z_node, slice->n);
    int32_t *which = node->places, n_splits = 0; /* which split a feature is that is taken; -1 = none, -2 = not tried */
    for (int32_t j = 0; j < group->n_features; j++) {
        estimates[j] = (float)MOE_T(moe_regressor_estimate)(slice, slice->columns + j * slice->stride,
                                                            group->features[j]);
        node->varies[j] = estimates[j] >= 0.0f;
        which[j] = -2;
    }
    for (int32_t m = 0; m < group->n_members; m++) {
        const int32_t *list = group->lists + group->starts[m], size = group->starts[m + 1] - group->starts[m];
        moe_split_t best = none;
        float top = 0.0f;
        for (int32_t i = 0; i < size; i++) top = estimates[list[i]] > top ? estimates[list[i]] : top;
        const float bar = top * (1.0f - MOE_SORTED_CLOSE); /* estimates have been rounded */
        for (int32_t i = 0; i < size && top > 0.0f; i++) {
            const int32_t j = list[i];
            if (estimates[j] < bar) continue;
            if (which[j] == -2) {
                node->tried[j] = none;
                MOE_T(moe_regressor_try)(slice, slice->columns + j * slice->stride, group->features[j],
                                         (double)estimates[j] * (1.0 - MOE_SORTED_CLOSE), j, node->tried + j);
                which[j] = -1;
            }
            if (node->tried[j].feature >= 0) moe_variance_offer(node->tried + j, &best);
        }
        node->taken[m] = -1;
        if (best.feature < 0) continue;
        if (which[best.feature] < 0) {
            node->splits[n_splits] = best;
            which[best.feature] = n_splits++;
        }
        node->taken[m] = which[best.feature];
    }
    return n_splits;
}

/* Grow the rest of the tree of one member, of k features, at a node: its columns are in the workspace. */
static void MOE_T(moe_regressors_alone)(moe_batch_work_t *own, int32_t k, int32_t stride,
                                        const moe_batch_place_t *place, int32_t member)
{
    const moe_batch_t *batch = own->batch;
    const moe_training_t training = {batch->data, batch->marks, own->own, batch->stopping, k, stride};
    const moe_queued_t root = {0, place->start, place->end, place->depth, 0, (uint64_t)place->sum, 0, 0};
    const moe_tree_t tree = {own->nodes, NULL, NULL, own->means, NULL};
    MOE_T(moe_regressor_open)(&training, &root, 1, &tree);
    const int32_t n_nodes = MOE_T(moe_regressor_subtree)(&training, &root, 1, own->work, &tree);
    moe_predictor_follow(batch->data, own->nodes, n_nodes, place->from, place->to, &own->paths);
    for (int32_t i = 0; i < n_nodes; i++)
        if (own->nodes[i].feature < 0)
            MOE_T(moe_regressors_say)(own, member, own->paths.slices[2 * (int64_t)i],
                                      own->paths.slices[2 * (int64_t)i + 1], own->means[i]);
}

/* Grow the trees of a group from one of its nodes on, for which there is room on the stack. */
static void MOE_T(moe_regressors_grow_node)(moe_batch_work_t *own, const moe_batch_group_t *group,
                                            const moe_batch_place_t *place)
{
    const moe_batch_t *batch = own->batch;
    const moe_data_t *data = batch->data;
    const int32_t n = place->end - place->start, from = place->from, to = place->to;
    const int32_t depth = place->depth + 1, min_leaf = batch->stopping->min_samples_leaf; /* depth of the children */
    const int64_t used = own->used;
    const MOE_ENTRY *columns = (const MOE_ENTRY *)group->columns + place->start;
    moe_workspace_t *work = own->work;
    moe_batch_node_t node;
    int64_t kept;
    double part;
    if (moe_ear_stops(batch->ear, (int64_t)n * group->n_features)) return;
    moe_batch_enter(own->stack + used, data, group->n_features, group->n_members, &node, &kept);
    const int64_t whole = moe_variance_mean(place->sum, n, &part);
    const MOE_REGRESSOR_SLICE slice = {data, columns, group->stride, whole, place->sum - whole * n, n, min_leaf};
    const MOE_SLICE entries = {data, group->features, columns, NULL, group->stride, 0, n, 0, min_leaf};
    const int32_t n_splits = MOE_T(moe_regressors_choose)(&slice, group, own->estimates, &node);
    own->used = used + kept;
    for (int32_t m = 0; m < group->n_members; m++)
        if (node.taken[m] < 0) MOE_T(moe_regressors_say)(own, group->members[m], from, to, (double)whole + part);

    for (int32_t s = 0; s < n_splits; s++) {
        const moe_split_t *split = node.splits + s;
        const int32_t feature = group->features[split->feature], missing_code = moe_bins_missing(data, feature);
        const int32_t sizes[2] = {(int32_t)split->n_left, n - (int32_t)split->n_left};
        int64_t sums[2] = {(int64_t)split->s_left + whole * sizes[0], 0};
        int open[2], n_members = 0;
        sums[1] = place->sum - sums[0];
        const int seen = MOE_T(moe_regressor_mark)(&slice, missing_code, split, work->side, open);
        for (int i = 0; i < 3; i++) own->nodes[i] = moe_node_leaf();
        moe_node_split(data, feature, split, seen, 1, own->nodes);
        moe_predictor_follow(data, own->nodes, 3, from, to, &own->paths);
        const int32_t middle = own->paths.slices[3];
        for (int32_t m = 0; m < group->n_members; m++) n_members += node.taken[m] == s;
        for (int side = 0; side < 2; side++) {
            open[side] = open[side] && moe_node_allows(batch->stopping, sizes[side], depth);
            if (open[side]) continue;
            const int64_t below = moe_variance_mean(sums[side], sizes[side], &part);
            for (int32_t m = 0; m < group->n_members; m++)
                if (node.taken[m] == s)
                    MOE_T(moe_regressors_say)(own, group->members[m], side ? middle : from, side ? to : middle,
                                              (double)below + part);
        }
        if (!open[0] && !open[1]) continue;

        const moe_batch_place_t left = {NULL, sums[0], 0, sizes[0], from, middle, depth};
        const moe_batch_place_t rest = {NULL, sums[1], sizes[0], n, middle, to, depth};
        moe_batch_group_t below = {0};
        const int64_t n_bytes = MOE_T(moe_batch_below)(own, &entries, group, &node, s, n_members, depth, &below);
        if (n_bytes) {
            own->used += n_bytes;
            if (open[0]) MOE_T(moe_regressors_grow_node)(own, &below, &left);
            if (open[1]) MOE_T(moe_regressors_grow_node)(own, &below, &rest);
            own->used -= n_bytes;
            continue;
        }
        for (int32_t m = 0; m < group->n_members; m++) { /* each alone */
            int varies[2];
            if (node.taken[m] != s) continue;
            if (n_members > 1) /* the one before has overwritten it */
                MOE_T(moe_regressor_mark)(&slice, missing_code, split, work->side, varies);
            const int32_t k = MOE_T(moe_batch_leave)(own, &entries, group, &node, s, m);
            if (open[0]) MOE_T(moe_regressors_alone)(own, k, n, &left, group->members[m]);
            if (open[1]) MOE_T(moe_regressors_alone)(own, k, n, &rest, group->members[m]);
        }
    }
    own->used = used;
}

/* See moe_grower_batch. */
static inline void MOE_T(moe_regressors_grow)(const moe_batch_t *batch, moe_batch_work_t *own)
{
    const moe_data_t *data = batch->data;
    const int32_t n_train = batch->n_train;
    moe_workspace_t work;
    moe_batch_group_t group;
    int32_t n_asked;
    double part;
    const MOE_ENTRY *samples = MOE_T(moe_batch_begin)(batch, own, &work, &group, &n_asked);
    moe_batch_place_t root = {NULL, 0, 0, n_train, 0, n_asked, 0};
    for (int32_t p = 0; p < n_train; p++) root.sum += MOE_T(moe_regressor_target)(data, samples[p]);
    const int64_t target = MOE_T(moe_regressor_target)(data, samples[0]);
    if (moe_node_allows(batch->stopping, n_train, 0) &&
        MOE_T(moe_regressor_varies)(data, samples, 0, n_train, target)) {
        MOE_T(moe_batch_columns)(own, &group);
        MOE_T(moe_regressors_grow_node)(own, &group, &root);
        return;
    }
    const int64_t whole = moe_variance_mean(root.sum, n_train, &part);
    for (int32_t m = 0; m < batch->n_members; m++)
        MOE_T(moe_regressors_say)(own, m, 0, n_asked, (double)whole + part);
}
