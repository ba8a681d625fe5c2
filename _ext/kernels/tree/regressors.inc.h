/* regressors: grow many regression trees together (tree/batch.h), as tree/batch.inc.h grows classification trees. A
 * template like tree/sorted.inc.h.
 */

/* Record the mean of a leaf as the answer of one member for the samples paths.samples[start .. end). */
static MOE_INLINE void MOE_T(moe_regressors_record)(moe_batch_work_t *state, int32_t member, int32_t start, int32_t end,
                                                    double mean)
{
    const int32_t *places = state->batch->places, *samples = state->paths.samples;
    double *means = state->answers.shares + member * (int64_t)state->batch->n_asked;
    for (int32_t p = start; p < end; p++) means[places[samples[p]]] = mean;
}

/* Choose for each member the best split among its features; returns the number of distinct splits chosen. The choice
 * equals that of moe_regressor_best for a single tree; a feature is tried once for all members, by its own cutoff. */
static MOE_INLINE int32_t MOE_T(moe_regressors_choose)(const MOE_REGRESSOR_SLICE *slice, const moe_batch_group_t *group,
                                                       float *estimates /* workspace [features of the group] */,
                                                       moe_batch_search_t *search /* IN and OUT */)
{
    const moe_split_t none = moe_variance_no_split(slice->z_node, slice->n);
    int32_t *taken_as = search->places, n_splits = 0; /* index in search->splits; -1 = not taken yet, -2 = not tried */
    for (int32_t j = 0; j < group->n_features; j++) {
        estimates[j] = (float)MOE_T(moe_regressor_estimate)(slice, slice->columns + j * slice->stride,
                                                            group->features[j]);
        search->varies[j] = estimates[j] >= 0.0f;
        taken_as[j] = -2;
    }
    for (int32_t m = 0; m < group->n_members; m++) {
        const int32_t *list = group->lists + group->starts[m], size = group->starts[m + 1] - group->starts[m];
        moe_split_t best = none;
        float top = 0.0f;
        for (int32_t i = 0; i < size; i++) top = estimates[list[i]] > top ? estimates[list[i]] : top;
        const float cutoff = top * (1.0f - MOE_SORTED_ERROR); /* estimates were rounded to float */
        for (int32_t i = 0; i < size && top > 0.0f; i++) {
            const int32_t j = list[i];
            if (estimates[j] < cutoff) continue;
            if (taken_as[j] == -2) {
                search->tried[j] = none;
                MOE_T(moe_regressor_try)(slice, slice->columns + j * slice->stride, group->features[j],
                                         (double)estimates[j] * (1.0 - MOE_SORTED_ERROR), j, search->tried + j);
                taken_as[j] = -1;
            }
            if (search->tried[j].feature >= 0) moe_variance_update_best(search->tried + j, &best);
        }
        search->taken[m] = -1;
        if (best.feature < 0) continue;
        if (taken_as[best.feature] < 0) {
            search->splits[n_splits] = best;
            taken_as[best.feature] = n_splits++;
        }
        search->taken[m] = taken_as[best.feature];
    }
    return n_splits;
}

/* Grow the rest of the tree of one member from a node, by its k features in the workspace, and record its answers. */
static void MOE_T(moe_regressors_finish)(moe_batch_work_t *state, int32_t k, int32_t stride,
                                         const moe_batch_node_t *node, int32_t member)
{
    const moe_batch_t *batch = state->batch;
    const moe_training_t training = {batch->data, batch->marks, state->member_features, batch->stopping, k, stride};
    const moe_queued_t root = {0, node->start, node->end, node->depth, 0, (uint64_t)node->sum, 0, 0};
    const moe_tree_t tree = {state->nodes, NULL, NULL, state->means, NULL};
    MOE_T(moe_regressor_open)(&training, &root, 1, &tree);
    const int32_t n_nodes = MOE_T(moe_regressor_subtree)(&training, &root, 1, state->work, &tree);
    moe_predictor_follow(batch->data, state->nodes, n_nodes, node->from, node->to, &state->paths);
    for (int32_t i = 0; i < n_nodes; i++)
        if (state->nodes[i].feature < 0)
            MOE_T(moe_regressors_record)(state, member, state->paths.slices[2 * (int64_t)i],
                                         state->paths.slices[2 * (int64_t)i + 1], state->means[i]);
}

/* Divide a node by split `s`: mark the sides of its samples, and make both children; open[i] = child i is no leaf. */
static MOE_INLINE void MOE_T(moe_regressors_divide)(moe_batch_work_t *state, const MOE_REGRESSOR_SLICE *slice,
                                                    int32_t feature, const moe_split_t *split,
                                                    const moe_batch_node_t *node,
                                                    moe_batch_node_t children[2] /* OUT */, int open[2] /* OUT */)
{
    const moe_data_t *data = slice->data;
    const moe_stopping_t *stopping = state->batch->stopping;
    const int32_t n_left = (int32_t)split->n_left, depth = node->depth + 1;
    const int64_t sum = (int64_t)split->s_left + slice->mean_floor * n_left;
    const int has_missing = MOE_T(moe_regressor_mark)(slice, moe_bins_missing(data, feature), split, state->work->side,
                                                      open);
    open[0] = open[0] && moe_node_allows(stopping, n_left, depth);
    open[1] = open[1] && moe_node_allows(stopping, slice->n - n_left, depth);
    for (int i = 0; i < 3; i++) state->nodes[i] = moe_node_leaf();
    moe_node_split(data, feature, split, has_missing, 1, state->nodes);
    moe_predictor_follow(data, state->nodes, 3, node->from, node->to, &state->paths);
    const int32_t middle = state->paths.slices[3];
    children[0] = (moe_batch_node_t){NULL, sum, 0, n_left, node->from, middle, depth};
    children[1] = (moe_batch_node_t){NULL, node->sum - sum, n_left, slice->n, middle, node->to, depth};
}

/* Make a node the leaf of all members that take split `s` (-1 = none). */
static MOE_INLINE void MOE_T(moe_regressors_end)(moe_batch_work_t *state, const moe_batch_group_t *group,
                                                 const moe_batch_search_t *search, int32_t s,
                                                 const moe_batch_node_t *node)
{
    double fraction;
    const int64_t mean_floor = moe_variance_mean(node->sum, node->end - node->start, &fraction);
    for (int32_t m = 0; m < group->n_members; m++)
        if (search->taken[m] == s)
            MOE_T(moe_regressors_record)(state, group->members[m], node->from, node->to, (double)mean_floor + fraction);
}

/* Grow the open children of split `s` for the members that take it, each alone. The sides of the samples are marked. */
static void MOE_T(moe_regressors_alone)(moe_batch_work_t *state, const MOE_REGRESSOR_SLICE *slice,
                                        const MOE_SLICE *entries, const moe_batch_group_t *group,
                                        const moe_batch_search_t *search, int32_t s,
                                        const moe_batch_node_t children[2], const int open[2])
{
    const moe_split_t *split = search->splits + s;
    const int32_t missing_code = moe_bins_missing(slice->data, group->features[split->feature]);
    int32_t n_grown = 0;
    int varies[2];
    for (int32_t m = 0; m < group->n_members; m++) {
        if (search->taken[m] != s) continue;
        if (n_grown++) /* the member before has overwritten the marks */
            MOE_T(moe_regressor_mark)(slice, missing_code, split, state->work->side, varies);
        const int32_t k = MOE_T(moe_batch_extract)(state, entries, group, search, s, m);
        for (int i = 0; i < 2; i++)
            if (open[i]) MOE_T(moe_regressors_finish)(state, k, slice->n, children + i, group->members[m]);
    }
}

/* Grow the trees of a group from one of its nodes on (see moe_batch_grow_node). */
static void MOE_T(moe_regressors_grow_node)(moe_batch_work_t *state, const moe_batch_group_t *group,
                                            const moe_batch_node_t *node)
{
    const moe_batch_t *batch = state->batch;
    const int32_t n = node->end - node->start, min_leaf = batch->stopping->min_samples_leaf;
    const int64_t used = state->used;
    const MOE_ENTRY *columns = (const MOE_ENTRY *)group->columns + node->start;
    moe_batch_search_t search;
    int64_t kept;
    double fraction;
    if (moe_poll_stops(batch->poll, (int64_t)n * group->n_features)) return;
    moe_batch_push_search(state->stack + used, batch->data, group->n_features, group->n_members, &search, &kept);
    const int64_t mean_floor = moe_variance_mean(node->sum, n, &fraction);
    const MOE_REGRESSOR_SLICE slice = {batch->data, columns, group->stride, mean_floor, node->sum - mean_floor * n, n,
                                       min_leaf};
    const MOE_SLICE entries = {batch->data, group->features, columns, NULL, group->stride, 0, n, 0, min_leaf};
    const int32_t n_splits = MOE_T(moe_regressors_choose)(&slice, group, state->estimates, &search);
    state->used = used + kept;
    MOE_T(moe_regressors_end)(state, group, &search, -1, node);
    for (int32_t s = 0; s < n_splits; s++) {
        const moe_split_t *split = search.splits + s;
        moe_batch_node_t children[2];
        moe_batch_group_t below = {0};
        int open[2];
        MOE_T(moe_regressors_divide)(state, &slice, group->features[split->feature], split, node, children, open);
        for (int i = 0; i < 2; i++)
            if (!open[i]) MOE_T(moe_regressors_end)(state, group, &search, s, children + i);
        if (!open[0] && !open[1]) continue;
        const int32_t n_members = MOE_T(moe_batch_takers)(group, &search, s);
        const int64_t n_bytes = MOE_T(moe_batch_child)(state, &entries, group, &search, s, n_members,
                                                       children[0].depth, &below);
        state->used += n_bytes;
        for (int i = 0; n_bytes && i < 2; i++)
            if (open[i]) MOE_T(moe_regressors_grow_node)(state, &below, children + i);
        state->used -= n_bytes;
        if (!n_bytes) MOE_T(moe_regressors_alone)(state, &slice, &entries, group, &search, s, children, open);
    }
    state->used = used;
}

/* Grow a batch of regression trees (see moe_grower_batch). */
static inline void MOE_T(moe_regressors_grow)(const moe_batch_t *batch, moe_batch_work_t *state)
{
    const moe_data_t *data = batch->data;
    const int32_t n_train = batch->n_train;
    moe_workspace_t work;
    moe_batch_group_t group;
    int32_t n_asked;
    double mean_fraction;
    const MOE_ENTRY *samples = MOE_T(moe_batch_root_group)(batch, state, &work, &group, &n_asked);
    moe_batch_node_t root = {NULL, 0, 0, n_train, 0, n_asked, 0};
    for (int32_t p = 0; p < n_train; p++) root.sum += MOE_T(moe_regressor_target)(data, samples[p]);
    const int64_t target = MOE_T(moe_regressor_target)(data, samples[0]);
    if (moe_node_allows(batch->stopping, n_train, 0) &&
        MOE_T(moe_regressor_varies)(data, samples, 0, n_train, target)) {
        MOE_T(moe_batch_root_columns)(state, &group);
        MOE_T(moe_regressors_grow_node)(state, &group, &root);
        return;
    }
    const int64_t mean_floor = moe_variance_mean(root.sum, n_train, &mean_fraction);
    for (int32_t m = 0; m < batch->n_members; m++)
        MOE_T(moe_regressors_record)(state, m, 0, n_asked, (double)mean_floor + mean_fraction);
}
