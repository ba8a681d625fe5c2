/* neighbours: the neighbours of a group of queries, and the answers (judges/neighbours.h). A template: see
 * base/levels.inc.h. It uses the registers of judges/distances.inc.h, so it includes that template at each level. */
#include "judges/distances.inc.h"

/* Choose centre and scale of each feature, so that integers stay integers, and set work->whole and work->unit. */
static MOE_INLINE void MOE_L(moe_neighbours_scale)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, n_asked = plan->leave_one_out ? 0 : task->n_ask;
    const int64_t n_some = n < MOE_NEIGHBOURS_CENTRE_ROWS ? n : MOE_NEIGHBOURS_CENTRE_ROWS;
    const int weighted = moe_neighbours_weighted(plan);
    const double size = MOE_L(moe_distances_abs_sum)(task->learn, n * k);
    int usable = moe_distances_slack((int32_t)k) < 0x1p-5;
    work->whole = usable && !weighted && size < 0x1p50 && MOE_L(moe_distances_all_whole)(task->learn, n * k) &&
                  MOE_L(moe_distances_all_whole)(task->ask, n_asked * k);
    usable &= work->whole || (size > 1e-100 && size < 1e100);
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        const double own = weighted ? MOE_L(moe_distances_abs_sum)(x, n) : 0.0;
        work->centres[f] = MOE_L(moe_distances_sum)(x, n_some) / (double)n_some;
        if (work->whole) work->centres[f] = floor(work->centres[f]);
        usable &= own == 0.0 || own > 1e-100;
        work->scales[f] = work->whole ? 1.0 : 1.0 / (own > 0.0 ? own : size);
    }
    if (!usable) memset(work->scales, 0, (size_t)k * 8);
    const double scale = work->scales[0];
    work->unit = weighted ? 1.0 : plan->whole[2] ? scale : 0.5 * scale * scale;
}

/* Prepare what does not depend on the queries: scales, factors, tiles, and training rows by class. O(n_learn k). */
static MOE_INLINE void MOE_L(moe_neighbours_learn)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features;
    MOE_L(moe_neighbours_scale)(plan, task, work);
    for (int64_t f = 0; moe_neighbours_weighted(plan) && f < k; f++)
        MOE_L(moe_scaling_factors)(plan->scaling, task->learn + f * n, task->n_learn, work->spare,
                                   work->factors + f * n);
    float *cell = work->tiles, largest = 0.0f;
    for (int64_t begin = 0; begin < n; begin += MOE_DISTANCES_TILE) {
        const int32_t count = (int32_t)(n - begin < MOE_DISTANCES_TILE ? n - begin : MOE_DISTANCES_TILE);
        float squares[MOE_DISTANCES_TILE] = {0};
        for (int64_t f = 0; f < k; f++, cell += MOE_DISTANCES_TILE) {
            MOE_L(moe_distances_to_single)(task->learn + f * n + begin, count, MOE_DISTANCES_TILE, work->centres[f],
                                           -work->scales[f], cell);
            for (int r = 0; r < MOE_DISTANCES_TILE; r++) squares[r] += cell[r] * cell[r];
        }
        for (int r = 0; r < MOE_DISTANCES_TILE; r++) {
            cell[r] = 0.5f * squares[r];
            largest = squares[r] > largest ? squares[r] : largest;
        }
        cell += MOE_DISTANCES_TILE;
    }
    work->largest = largest;
    if (!task->labels) return;
    memset(work->starts, 0, ((size_t)task->n_classes + 1) * 4);
    for (int64_t i = 0; i < n; i++) work->starts[task->labels[i]]++;
    for (int32_t c = 0, sum = 0; c <= task->n_classes; c++) {
        const int32_t count = work->starts[c];
        work->starts[c] = sum;
        sum += count;
    }
    for (int32_t i = 0; i < n; i++) work->order[work->starts[task->labels[i]]++] = i;
    for (int32_t c = task->n_classes; c > 0; c--) work->starts[c] = work->starts[c - 1];
    work->starts[0] = 0;
}

/* Load the group of queries begin .. begin + n_group - 1: their scaled features, weights and half squares. */
static MOE_INLINE void MOE_L(moe_neighbours_load)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                  const moe_neighbours_work_t *work, int32_t begin, int32_t n_group,
                                                  moe_neighbours_query_t *queries /* OUT [n_group] */)
{
    const int weighted = moe_neighbours_weighted(plan), manhattan = plan->whole[2];
    const double *asked = (plan->leave_one_out ? task->learn : task->ask) + begin;
    float squares[MOE_GROUP] = {0};
    for (int64_t f = 0; f < task->n_features; f++) {
        float *cell = work->queries + f * MOE_GROUP, *weights = work->weights + f * MOE_GROUP;
        MOE_L(moe_distances_to_single)(asked + f * task->n_ask, n_group, MOE_GROUP, work->centres[f], work->scales[f],
                                       cell);
        if (weighted) /* weights act on features that are scaled by work->scales */
            MOE_L(moe_distances_to_single)(work->factors + f * task->n_learn + begin, n_group, MOE_GROUP, 0.0,
                                           work->scales[f] > 0.0 ? 1.0 / work->scales[f] : 0.0, weights);
        for (int l = 0; l < MOE_GROUP; l++) {
            const float value = weighted ? cell[l] * weights[l] : cell[l];
            squares[l] += manhattan ? fabsf(value) : value * value;
        }
    }
    for (int l = 0; l < MOE_GROUP; l++) work->half[l] = 0.5f * squares[l];
    for (int32_t l = 0; l < n_group; l++)
        queries[l] = (moe_neighbours_query_t){
            .row = begin + l,
            .lane = l,
            .usable = work->scales[0] > 0.0 && squares[l] < (float)MOE_DISTANCES_HUGE,
            .exact = work->whole && squares[l] + work->largest < (float)MOE_DISTANCES_EXACT,
            .square = squares[l],
            .n_certain = -1,
        };
}

/* Compute rough distances of training rows to a group; if `ranked`, the smallest in work->nearest too. O(n_learn k). */
static MOE_INLINE void MOE_L(moe_neighbours_rough)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   const moe_neighbours_work_t *work, int32_t begin, int ranked)
{
    const int32_t n = task->n_learn, k = task->n_features, size = plan->whole[0];
    for (int64_t i = 0; i < (int64_t)size * MOE_GROUP; i++) work->nearest[i] = (float)HUGE_VAL;
    for (int32_t first = 0; first < n; first += MOE_DISTANCES_TILE) {
        const float *tile = work->tiles + (int64_t)first * (k + 1);
        float *rough = work->rough + (int64_t)first * MOE_GROUP;
        if (!moe_neighbours_weighted(plan) && !plan->whole[2])
            MOE_L(moe_distances_rough)(tile, work->queries, work->weights, work->half, k, MOE_DISTANCES_SQUARES, rough);
        else if (!moe_neighbours_weighted(plan))
            MOE_L(moe_distances_rough)(tile, work->queries, work->weights, work->half, k, MOE_DISTANCES_MANHATTAN,
                                       rough);
        else if (!plan->whole[2])
            MOE_L(moe_distances_rough)(tile, work->queries, work->weights, work->half, k, MOE_DISTANCES_WEIGHTED,
                                       rough);
        else
            MOE_L(moe_distances_rough)(tile, work->queries, work->weights, work->half, k, MOE_DISTANCES_BOTH, rough);
        for (int32_t r = n - first; r < MOE_DISTANCES_TILE; r++) /* padding rows are never neighbours */
            for (int l = 0; l < MOE_GROUP; l++) rough[r * MOE_GROUP + l] = (float)HUGE_VAL;
        for (int32_t l = 0; plan->leave_one_out && l < MOE_GROUP; l++)
            if (begin + l >= first && begin + l < first + MOE_DISTANCES_TILE)
                rough[(begin + l - first) * MOE_GROUP + l] = (float)HUGE_VAL;
        for (int32_t r = 0; ranked && r < MOE_DISTANCES_TILE; r += MOE_DISTANCES_MERGED)
            MOE_L(moe_distances_keep_nearest)(rough + r * MOE_GROUP, size, work->nearest);
    }
}

/* Predict by counting classes those pending queries whose counts do not depend on exact distances: all candidates are
 * neighbours, or the undecided ones are of one class. Return a bit for each query that is predicted. */
static MOE_INLINE uint32_t MOE_L(moe_neighbours_count_classes)(const moe_judges_plan_t *plan,
                                                               const moe_judges_task_t *task,
                                                               const moe_neighbours_work_t *work, uint32_t pending,
                                                               moe_neighbours_query_t *queries /* IN and OUT [GROUP] */,
                                                               double *answers /* OUT [n_group, n_classes] */)
{
    const int32_t n_classes = task->n_classes, size = plan->whole[0];
    MOE_SINGLE lower, upper;
    for (int l = 0; l < MOE_GROUP; l++) {
        work->half[l] = queries[l].lower;
        work->half[MOE_DISTANCES_TILE + l] = queries[l].upper;
    }
    lower = *(const MOE_SINGLE_AT *)work->half;
    upper = *(const MOE_SINGLE_AT *)(work->half + MOE_DISTANCES_TILE);
    int32_t *certain = work->counts, *possible = certain + (int64_t)n_classes * MOE_GROUP;
    int32_t n_certain[MOE_GROUP] = {0}, n_possible[MOE_GROUP] = {0}, n_undecided[MOE_GROUP] = {0};
    uint32_t answered = 0;
    for (int32_t c = 0; c < n_classes; c++, certain += MOE_GROUP, possible += MOE_GROUP) {
        MOE_SIGNS is_certain = {0}, is_possible = {0};
        for (int32_t i = work->starts[c]; i < work->starts[c + 1]; i++) {
            const MOE_SINGLE rough = ((const MOE_SINGLE_AT *)work->rough)[work->order[i]];
            is_certain += rough < lower; /* a comparison is -1 in vectors, 1 in scalars */
            is_possible += rough <= upper;
        }
        memcpy(certain, &is_certain, sizeof is_certain);
        memcpy(possible, &is_possible, sizeof is_possible);
        for (int l = 0; l < MOE_GROUP; l++) {
            certain[l] = certain[l] < 0 ? -certain[l] : certain[l];
            possible[l] = possible[l] < 0 ? -possible[l] : possible[l];
            n_certain[l] += certain[l];
            n_possible[l] += possible[l];
            n_undecided[l] += possible[l] > certain[l];
        }
    }
    for (; pending; pending &= pending - 1) {
        const int l = moe_base_lowest(pending);
        queries[l].n_certain = n_certain[l];
        if (n_possible[l] != size && n_undecided[l] > 1) continue;
        answered |= (uint32_t)1 << l;
        certain = work->counts + l;
        possible = certain + (int64_t)n_classes * MOE_GROUP;
        for (int32_t c = 0; c < n_classes; c++, certain += MOE_GROUP, possible += MOE_GROUP) {
            const int32_t rest = n_possible[l] == size  ? *possible - *certain
                                 : *possible > *certain ? size - n_certain[l]
                                                        : 0;
            answers[(int64_t)l * n_classes + c] = (double)(*certain + rest) / (double)size;
        }
    }
    return answered;
}

/* Return the exact distance of a training row to a query, squared if it is Euclidean. O(k). */
static MOE_INLINE double MOE_L(moe_neighbours_exact)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                     const moe_neighbours_work_t *work, int32_t row, int32_t query)
{
    const int64_t n = task->n_learn, m = task->n_ask, k = task->n_features;
    const double *a = task->learn + row, *b = (plan->leave_one_out ? task->learn : task->ask) + query;
    const double *factor = moe_neighbours_weighted(plan) ? work->factors + query : NULL;
    int64_t f = 0;
    if (moe_neighbours_laned(plan, task)) {
        double sums[MOE_DISTANCES_LANES] = {0};
        for (; f + MOE_DISTANCES_LANES <= k; f += MOE_DISTANCES_LANES)
            for (int l = 0; l < MOE_DISTANCES_LANES; l++, a += n, b += m) sums[l] += (*a - *b) * (*a - *b);
        for (int l = 0; f < k; f++, l++, a += n, b += m) sums[l] += (*a - *b) * (*a - *b);
        return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    }
    double sum = 0.0;
    for (; f < k; f++, a += n, b += m) {
        const double difference = factor ? (*a - *b) * factor[f * n] : *a - *b;
        sum += plan->whole[2] ? fabs(difference) : difference * difference;
    }
    return sum;
}

/* Visit a row that may be a neighbour; return whether no later row can change the neighbours. If `shrinking` (a full
 * search), lower *limit, the largest rough distance worth a visit, with the farthest neighbour so far. */
static MOE_INLINE int MOE_L(moe_neighbours_visit)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                  const moe_neighbours_work_t *work, moe_neighbours_query_t *query,
                                                  int32_t row, int shrinking, float *limit /* IN and OUT */)
{
    const int32_t size = plan->whole[0];
    const float rough = work->rough[(int64_t)row * MOE_GROUP + query->lane];
    if (plan->leave_one_out && row == query->row) return 0;
    const double distance =
        query->exact ? (double)rough / work->unit : MOE_L(moe_neighbours_exact)(plan, task, work, row, query->row);
    if (!shrinking) {
        if (query->n_candidates == size + MOE_NEIGHBOURS_TIED) {
            query->overflowed = 1;
            return 1;
        }
        query->candidates[query->n_candidates] = row;
        query->distances[query->n_candidates++] = distance;
    }
    if (distance < query->heap[0]) {
        moe_neighbours_push(distance, row, size, query->heap, query->rows);
        if (query->heap[0] == 0.0) return 1;
        if (shrinking && query->exact)
            *limit = (float)(query->heap[0] * work->unit) - MOE_NEIGHBOURS_STEP;
        else if (shrinking && query->usable && query->heap[0] < HUGE_VAL)
            *limit = moe_distances_upper(query->heap[0] * work->unit, query->square,
                                         moe_distances_slack(task->n_features));
    }
    if (shrinking || !query->exact) return 0;
    query->n_certain -= rough < query->upper;
    if (query->n_candidates == size) *limit = query->upper - MOE_NEIGHBOURS_STEP;
    return query->n_candidates >= size && query->n_certain == 0;
}

/* Find the neighbours of the pending queries as heaps: visit in order the rows with a rough distance within the limit
 * of each. The limit is queries[l].upper; if `shrinking`, it starts at infinity. */
static MOE_INLINE void MOE_L(moe_neighbours_search)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                    const moe_neighbours_work_t *work, uint32_t pending,
                                                    moe_neighbours_query_t *queries, int shrinking)
{
    float limits[MOE_GROUP];
    for (int l = 0; l < MOE_GROUP; l++)
        limits[l] = shrinking || !(pending >> l & 1) ? (float)HUGE_VAL : queries[l].upper;
    for (uint32_t remaining = pending; remaining; remaining &= remaining - 1)
        moe_neighbours_reset(plan, work, queries + moe_base_lowest(remaining));
    for (int32_t i = 0; i < task->n_learn && pending; i++) {
        const MOE_SINGLE rough = ((const MOE_SINGLE_AT *)work->rough)[i], limit = *(const MOE_SINGLE_AT *)limits;
        for (uint32_t visiting = pending & ~MOE_LESS(limit, rough); visiting; visiting &= visiting - 1) {
            const int l = moe_base_lowest(visiting);
            if (MOE_L(moe_neighbours_visit)(plan, task, work, queries + l, i, shrinking, limits + l))
                pending &= ~((uint32_t)1 << l);
        }
    }
}

/* Predict a group of queries: by counting classes, else by exact distances of candidates, else by a full search. */
static MOE_INLINE void MOE_L(moe_neighbours_group)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   const moe_neighbours_work_t *work, int32_t begin, int32_t n_group,
                                                   double *answers /* OUT [n_group, n_classes] */)
{
    const int32_t size = plan->whole[0];
    const int ranked = size <= MOE_NEIGHBOURS_RANKED || task->n_learn <= MOE_NEIGHBOURS_ROWS;
    const double slack = moe_distances_slack(task->n_features);
    moe_neighbours_query_t queries[MOE_GROUP] = {0};
    uint32_t pending = (uint32_t)(((uint64_t)1 << n_group) - 1), rescan = 0;
    MOE_L(moe_neighbours_load)(plan, task, work, begin, n_group, queries);
    MOE_L(moe_neighbours_rough)(plan, task, work, begin, ranked);
    for (int32_t l = 0; l < n_group; l++) {
        const float farthest = work->nearest[(int64_t)(size - 1) * MOE_GROUP + l];
        const double square = queries[l].square;
        queries[l].lower = -(float)HUGE_VAL;
        queries[l].upper = (float)HUGE_VAL;
        if (!ranked || !queries[l].usable || !(farthest < (float)MOE_DISTANCES_HUGE)) {
            rescan |= (uint32_t)1 << l;
        } else if (queries[l].exact) {
            queries[l].lower = queries[l].upper = farthest;
        } else {
            queries[l].lower = moe_distances_lower(farthest, square, slack);
            queries[l].upper = moe_distances_upper(moe_distances_farthest(farthest, square, slack), square, slack);
        }
    }
    if (task->labels && !plan->whole[1] && ranked)
        pending &= ~MOE_L(moe_neighbours_count_classes)(plan, task, work, pending & ~rescan, queries, answers);
    if (pending & ~rescan) MOE_L(moe_neighbours_search)(plan, task, work, pending & ~rescan, queries, 0);
    for (uint32_t left = pending & ~rescan; left; left &= left - 1)
        if (!moe_neighbours_settled(plan, task, queries + moe_base_lowest(left))) rescan |= left & (0 - left);
    if (pending & rescan) MOE_L(moe_neighbours_search)(plan, task, work, pending & rescan, queries, 1);
    for (; pending; pending &= pending - 1) {
        const int l = moe_base_lowest(pending);
        moe_neighbours_answer(plan, task, queries[l].heap, queries[l].rows, answers + (int64_t)l * task->n_classes);
    }
}

static inline void MOE_L(moe_neighbours_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 moe_neighbours_work_t *work, double *answers)
{
    MOE_L(moe_neighbours_learn)(plan, task, work);
    for (int32_t begin = 0; begin < task->n_ask; begin += MOE_GROUP) {
        if (moe_poll_stops(task->poll, (int64_t)MOE_GROUP * task->n_learn * task->n_features / 8)) return;
        const int32_t left = task->n_ask - begin, n_group = left < MOE_GROUP ? left : MOE_GROUP;
        MOE_L(moe_neighbours_group)(plan, task, work, begin, n_group, answers + (int64_t)begin * task->n_classes);
    }
}
