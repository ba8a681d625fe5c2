/* neighbours: who is near a group of rows, and what that says (judges/neighbours.h). A template: see
 * base/levels.inc.h. It goes by the registers of judges/distances.inc.h, which it has compiled anew. */
#include "judges/distances.inc.h"

/* Centre and scale of each feature: whole numbers stay whole ones. */
static MOE_INLINE void MOE_L(moe_neighbours_scale)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, n_asked = plan->leave_one_out ? 0 : task->n_ask;
    const int64_t n_some = n < MOE_NEIGHBOURS_SOME ? n : MOE_NEIGHBOURS_SOME;
    const int weighted = moe_neighbours_weighted(plan);
    const double size = MOE_L(moe_distances_total)(task->learn, n * k);
    int sound = moe_distances_slack((int32_t)k) < 0x1p-5;
    work->whole = sound && !weighted && size < 0x1p50 && MOE_L(moe_distances_whole)(task->learn, n * k) &&
                  MOE_L(moe_distances_whole)(task->ask, n_asked * k);
    sound &= work->whole || (size > 1e-100 && size < 1e100);
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        const double own = weighted ? MOE_L(moe_distances_total)(x, n) : 0.0;
        work->centres[f] = MOE_L(moe_distances_sum)(x, n_some) / (double)n_some;
        if (work->whole) work->centres[f] = floor(work->centres[f]);
        sound &= own == 0.0 || own > 1e-100;
        work->scales[f] = work->whole ? 1.0 : 1.0 / (own > 0.0 ? own : size);
    }
    if (!sound) memset(work->scales, 0, (size_t)k * 8);
    const double scale = work->scales[0];
    work->unit = weighted ? 1.0 : plan->whole[2] ? scale : 0.5 * scale * scale;
}

/* What does not depend on the rows to answer for. */
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
            MOE_L(moe_distances_round)(task->learn + f * n + begin, count, MOE_DISTANCES_TILE, work->centres[f],
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

/* Rows begin .. begin + n_group - 1 to answer for. */
static MOE_INLINE void MOE_L(moe_neighbours_ask)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 const moe_neighbours_work_t *work, int32_t begin, int32_t n_group,
                                                 moe_neighbours_query_t *queries /* OUT [n_group] */)
{
    const int weighted = moe_neighbours_weighted(plan), manhattan = plan->whole[2];
    const double *asked = (plan->leave_one_out ? task->learn : task->ask) + begin;
    float squares[MOE_SINGLES] = {0};
    for (int64_t f = 0; f < task->n_features; f++) {
        float *cell = work->queries + f * MOE_SINGLES, *weights = work->weights + f * MOE_SINGLES;
        MOE_L(moe_distances_round)(asked + f * task->n_ask, n_group, MOE_SINGLES, work->centres[f], work->scales[f],
                                   cell);
        if (weighted) /* as if they were scaled */
            MOE_L(moe_distances_round)(work->factors + f * task->n_learn + begin, n_group, MOE_SINGLES, 0.0,
                                       work->scales[f] > 0.0 ? 1.0 / work->scales[f] : 0.0, weights);
        for (int l = 0; l < MOE_SINGLES; l++) {
            const float value = weighted ? cell[l] * weights[l] : cell[l];
            squares[l] += manhattan ? fabsf(value) : value * value;
        }
    }
    for (int l = 0; l < MOE_SINGLES; l++) work->half[l] = 0.5f * squares[l];
    for (int32_t l = 0; l < n_group; l++)
        queries[l] = (moe_neighbours_query_t){
            .row = begin + l,
            .lane = l,
            .sound = work->scales[0] > 0.0 && squares[l] < (float)MOE_DISTANCES_HUGE,
            .exact = work->whole && squares[l] + work->largest < (float)MOE_DISTANCES_EXACT,
            .square = squares[l],
            .n_nearer = -1,
        };
}

/* Rough distances of all rows to learn from to a group, and the smallest of them. */
static MOE_INLINE void MOE_L(moe_neighbours_pass)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                  const moe_neighbours_work_t *work, int32_t begin, int ranked)
{
    const int32_t n = task->n_learn, k = task->n_features, size = plan->whole[0];
    for (int64_t i = 0; i < (int64_t)size * MOE_SINGLES; i++) work->nearest[i] = (float)HUGE_VAL;
    for (int32_t first = 0; first < n; first += MOE_DISTANCES_TILE) {
        const float *tile = work->tiles + (int64_t)first * (k + 1);
        float *rough = work->rough + (int64_t)first * MOE_SINGLES;
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
        for (int32_t r = n - first; r < MOE_DISTANCES_TILE; r++) /* behind the last row: nobody's neighbours */
            for (int l = 0; l < MOE_SINGLES; l++) rough[r * MOE_SINGLES + l] = (float)HUGE_VAL;
        for (int32_t l = 0; plan->leave_one_out && l < MOE_SINGLES; l++)
            if (begin + l >= first && begin + l < first + MOE_DISTANCES_TILE)
                rough[(begin + l - first) * MOE_SINGLES + l] = (float)HUGE_VAL;
        for (int32_t r = 0; ranked && r < MOE_DISTANCES_TILE; r += MOE_DISTANCES_RANKED)
            MOE_L(moe_distances_rank)(rough + r * MOE_SINGLES, size, work->nearest);
    }
}

/* Answer by counting, where it does not depend on exact distances which class the neighbours have; return a bit for
 * each row of the group that is answered for. */
static MOE_INLINE uint32_t MOE_L(moe_neighbours_count)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                       const moe_neighbours_work_t *work, uint32_t open,
                                                       moe_neighbours_query_t *queries /* IN and OUT [SINGLES] */,
                                                       double *answers /* OUT [n_group, n_classes] */)
{
    const int32_t n_classes = task->n_classes, size = plan->whole[0];
    MOE_SINGLE lower, upper;
    for (int l = 0; l < MOE_SINGLES; l++) {
        work->half[l] = queries[l].lower;
        work->half[MOE_DISTANCES_TILE + l] = queries[l].upper;
    }
    lower = *(const MOE_SINGLE_AT *)work->half;
    upper = *(const MOE_SINGLE_AT *)(work->half + MOE_DISTANCES_TILE);
    int32_t *sure = work->counts, *may = sure + (int64_t)n_classes * MOE_SINGLES;
    int32_t n_sure[MOE_SINGLES] = {0}, n_may[MOE_SINGLES] = {0}, n_open[MOE_SINGLES] = {0};
    uint32_t answered = 0;
    for (int32_t c = 0; c < n_classes; c++, sure += MOE_SINGLES, may += MOE_SINGLES) {
        MOE_SIGNS nearer = {0}, near = {0};
        for (int32_t i = work->starts[c]; i < work->starts[c + 1]; i++) {
            const MOE_SINGLE rough = ((const MOE_SINGLE_AT *)work->rough)[work->order[i]];
            nearer += rough < lower; /* -1 of a vector, 1 of a number */
            near += rough <= upper;
        }
        memcpy(sure, &nearer, sizeof nearer);
        memcpy(may, &near, sizeof near);
        for (int l = 0; l < MOE_SINGLES; l++) {
            sure[l] = sure[l] < 0 ? -sure[l] : sure[l];
            may[l] = may[l] < 0 ? -may[l] : may[l];
            n_sure[l] += sure[l];
            n_may[l] += may[l];
            n_open[l] += may[l] > sure[l];
        }
    }
    for (; open; open &= open - 1) {
        const int l = moe_base_lowest(open);
        queries[l].n_nearer = n_sure[l];
        if (n_may[l] != size && n_open[l] > 1) continue;
        answered |= (uint32_t)1 << l;
        sure = work->counts + l;
        may = sure + (int64_t)n_classes * MOE_SINGLES;
        for (int32_t c = 0; c < n_classes; c++, sure += MOE_SINGLES, may += MOE_SINGLES) {
            const int32_t rest = n_may[l] == size ? *may - *sure : *may > *sure ? size - n_sure[l] : 0;
            answers[(int64_t)l * n_classes + c] = (double)(*sure + rest) / (double)size;
        }
    }
    return answered;
}

/* Exact distance of a row to learn from to one to answer for, squared if it is euclidean. */
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

/* Take up a row that may be near; return whether no other one can change which are nearest. Where `falling`, the limit
 * of rough distances follows the farthest neighbour. */
static MOE_INLINE int MOE_L(moe_neighbours_take)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 const moe_neighbours_work_t *work, moe_neighbours_query_t *query,
                                                 int32_t row, int falling, float *limit /* IN and OUT */)
{
    const int32_t size = plan->whole[0];
    const float rough = work->rough[(int64_t)row * MOE_SINGLES + query->lane];
    if (plan->leave_one_out && row == query->row) return 0;
    const double distance =
        query->exact ? (double)rough / work->unit : MOE_L(moe_neighbours_exact)(plan, task, work, row, query->row);
    if (!falling) {
        if (query->n_near == size + MOE_NEIGHBOURS_TIED) {
            query->overrun = 1;
            return 1;
        }
        query->near[query->n_near] = row;
        query->distances[query->n_near++] = distance;
    }
    if (distance < query->heap[0]) {
        moe_neighbours_push(distance, row, size, query->heap, query->rows);
        if (query->heap[0] == 0.0) return 1;
        if (falling && query->exact)
            *limit = (float)(query->heap[0] * work->unit) - MOE_NEIGHBOURS_STEP;
        else if (falling && query->sound && query->heap[0] < HUGE_VAL)
            *limit = moe_distances_upper(query->heap[0] * work->unit, query->square,
                                         moe_distances_slack(task->n_features));
    }
    if (falling || !query->exact) return 0;
    query->n_nearer -= rough < query->upper;
    if (query->n_near == size) *limit = query->upper - MOE_NEIGHBOURS_STEP;
    return query->n_near >= size && query->n_nearer == 0;
}

/* The nearest rows of some of a group as heaps, out of those that are at most `limits` away roughly, in their order. */
static MOE_INLINE void MOE_L(moe_neighbours_choose)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                    const moe_neighbours_work_t *work, uint32_t open,
                                                    moe_neighbours_query_t *queries, int falling)
{
    float limits[MOE_SINGLES];
    for (int l = 0; l < MOE_SINGLES; l++) limits[l] = falling || !(open >> l & 1) ? (float)HUGE_VAL : queries[l].upper;
    for (uint32_t left = open; left; left &= left - 1)
        moe_neighbours_begin(plan, work, queries + moe_base_lowest(left));
    for (int32_t i = 0; i < task->n_learn && open; i++) {
        const MOE_SINGLE rough = ((const MOE_SINGLE_AT *)work->rough)[i], limit = *(const MOE_SINGLE_AT *)limits;
        for (uint32_t near = open & ~MOE_BELOW(limit, rough); near; near &= near - 1) {
            const int l = moe_base_lowest(near);
            if (MOE_L(moe_neighbours_take)(plan, task, work, queries + l, i, falling, limits + l))
                open &= ~((uint32_t)1 << l);
        }
    }
}

/* Answer for a group of rows. */
static MOE_INLINE void MOE_L(moe_neighbours_group)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   const moe_neighbours_work_t *work, int32_t begin, int32_t n_group,
                                                   double *answers /* OUT [n_group, n_classes] */)
{
    const int32_t size = plan->whole[0];
    const int ranked = size <= MOE_NEIGHBOURS_RANKED || task->n_learn <= MOE_NEIGHBOURS_ROWS;
    const double slack = moe_distances_slack(task->n_features);
    moe_neighbours_query_t queries[MOE_SINGLES] = {0};
    uint32_t open = (uint32_t)(((uint64_t)1 << n_group) - 1), again = 0;
    MOE_L(moe_neighbours_ask)(plan, task, work, begin, n_group, queries);
    MOE_L(moe_neighbours_pass)(plan, task, work, begin, ranked);
    for (int32_t l = 0; l < n_group; l++) {
        const float farthest = work->nearest[(int64_t)(size - 1) * MOE_SINGLES + l];
        const double square = queries[l].square;
        queries[l].lower = -(float)HUGE_VAL;
        queries[l].upper = (float)HUGE_VAL;
        if (!ranked || !queries[l].sound || !(farthest < (float)MOE_DISTANCES_HUGE)) {
            again |= (uint32_t)1 << l;
        } else if (queries[l].exact) {
            queries[l].lower = queries[l].upper = farthest;
        } else {
            queries[l].lower = moe_distances_lower(farthest, square, slack);
            queries[l].upper = moe_distances_upper(moe_distances_farthest(farthest, square, slack), square, slack);
        }
    }
    if (task->labels && !plan->whole[1] && ranked)
        open &= ~MOE_L(moe_neighbours_count)(plan, task, work, open & ~again, queries, answers);
    if (open & ~again) MOE_L(moe_neighbours_choose)(plan, task, work, open & ~again, queries, 0);
    for (uint32_t left = open & ~again; left; left &= left - 1)
        if (!moe_neighbours_settled(plan, task, queries + moe_base_lowest(left))) again |= left & (0 - left);
    if (open & again) MOE_L(moe_neighbours_choose)(plan, task, work, open & again, queries, 1);
    for (; open; open &= open - 1) {
        const int l = moe_base_lowest(open);
        moe_neighbours_answer(plan, task, queries[l].heap, queries[l].rows, answers + (int64_t)l * task->n_classes);
    }
}

static inline void MOE_L(moe_neighbours_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 moe_neighbours_work_t *work, double *answers)
{
    MOE_L(moe_neighbours_learn)(plan, task, work);
    for (int32_t begin = 0; begin < task->n_ask; begin += MOE_SINGLES) {
        if (moe_ear_stops(task->ear, (int64_t)MOE_SINGLES * task->n_learn * task->n_features / 8)) return;
        const int32_t left = task->n_ask - begin, n_group = left < MOE_SINGLES ? left : MOE_SINGLES;
        MOE_L(moe_neighbours_group)(plan, task, work, begin, n_group, answers + (int64_t)begin * task->n_classes);
    }
}
