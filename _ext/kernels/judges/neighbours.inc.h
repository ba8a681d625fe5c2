/* neighbours: rows in tiles, and what passes over them (judges/neighbours.h). A template: see base/levels.inc.h. It
 * goes by the registers of judges/distances.inc.h, which it has compiled anew. */
#include "judges/distances.inc.h"

#undef MOE_ROWS_BOUND
#undef MOE_ROWS_SUM
#define MOE_ROWS_BOUND (2 * MOE_SINGLES) /* of a tile */
#define MOE_ROWS_SUM (2 * MOE_DOUBLES)

/* What does not depend on the rows to answer for. */
static MOE_INLINE void MOE_L(moe_neighbours_learn)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                   moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features;
    if (!moe_neighbours_bounded(plan, task)) {
        const int64_t n_rows = moe_base_round_up(n, MOE_ROWS_SUM);
        for (int64_t f = 0; f < k; f++)
            for (int64_t i = 0; i < n_rows; i++) /* rows beyond the last are nobody's neighbours */
                work->tiles[(i / MOE_ROWS_SUM * k + f) * MOE_ROWS_SUM + i % MOE_ROWS_SUM] =
                    i < n ? task->learn[f * n + i] : HUGE_VAL;
        for (int64_t f = 0; plan->leave_one_out && f < k; f++)
            MOE_L(moe_scaling_factors)(plan->scaling, task->learn + f * n, task->n_learn, work->spare,
                                       work->factors + f * n);
        return;
    }
    float *tiles = (float *)work->tiles;
    double largest = 0.0;
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        double square = 0.0, centre = MOE_L(moe_scaling_sum)(x, (int32_t)n, 0.0, &square) / (double)n;
        work->centres[f] = centre;
        for (int64_t i = 0; i < n; i++) {
            double size = fabs(x[i] - centre);
            largest = size > largest ? size : largest;
            work->learn[i * k + f] = x[i];
        }
    }
    work->scale = largest > 1e-100 && largest < 1e100 ? 1.0 / largest : 0.0; /* 0: no bounds */
    memset(work->spare, 0, (size_t)n * 8);
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        for (int64_t i = 0; i < moe_base_round_up(n, MOE_ROWS_BOUND); i++) {
            float *cell = tiles + (i / MOE_ROWS_BOUND * (k + 1) + 1 + f) * MOE_ROWS_BOUND + i % MOE_ROWS_BOUND;
            *cell = i < n ? (float)((x[i] - work->centres[f]) * work->scale) : 0.0f;
            if (i < n) work->spare[i] += (double)*cell * (double)*cell;
        }
    }
    const double share = 0.5 - moe_distances_slack((int32_t)k);
    for (int64_t i = 0; i < moe_base_round_up(n, MOE_ROWS_BOUND); i++)
        tiles[i / MOE_ROWS_BOUND * (k + 1) * MOE_ROWS_BOUND + i % MOE_ROWS_BOUND] =
            i < n ? (float)(work->spare[i] * share) : (float)HUGE_VAL;
}

/* Rows begin .. begin + n_ask - 1 to answer for, group by group, the last one filled up. */
static MOE_INLINE void MOE_L(moe_neighbours_ask)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 const moe_neighbours_work_t *work, int32_t begin, int32_t n_ask)
{
    const int64_t k = task->n_features;
    const int bounds = moe_neighbours_bounded(plan, task);
    const double *asked = plan->leave_one_out ? task->learn : task->ask;
    float *singles = (float *)work->queries;
    for (int32_t q = 0; q < moe_base_round_up(n_ask, MOE_DISTANCES_GROUP); q++) {
        const int32_t row = begin + (q < n_ask ? q : 0);
        double square = 0.0;
        for (int64_t f = 0; f < k; f++) {
            const int64_t place = (q / MOE_DISTANCES_GROUP * k + f) * MOE_DISTANCES_GROUP + q % MOE_DISTANCES_GROUP;
            const double x = asked[f * task->n_ask + row];
            if (bounds) {
                double b = (x - work->centres[f]) * work->scale;
                singles[place] = (float)b;
                square += b * b;
                work->ask[q * k + f] = x;
            } else {
                work->queries[place] = x;
                if (plan->leave_one_out) work->weights[place] = work->factors[f * task->n_learn + row];
            }
        }
        work->squares[q] = square;
    }
}

/* Pass them over all rows to learn from. */
static MOE_INLINE void MOE_L(moe_neighbours_pass)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                  const moe_neighbours_work_t *work, int32_t begin, int32_t n_ask)
{
    const int32_t n = task->n_learn, k = task->n_features, size = plan->whole[0], manhattan = plan->whole[2];
    const int bounds = moe_neighbours_bounded(plan, task), weighted = plan->leave_one_out && plan->scaling;
    const int32_t n_rows = bounds ? MOE_ROWS_BOUND : MOE_ROWS_SUM, n_tiles = (n + n_rows - 1) / n_rows;
    const double slack = moe_distances_slack(k), unit = work->scale * work->scale;
    double distances[MOE_DISTANCES_GROUP * MOE_ROWS_SUM], limits[MOE_NEIGHBOURS_ASK];
    float bound_limits[MOE_NEIGHBOURS_ASK];
    uint64_t masks[MOE_DISTANCES_GROUP];
    for (int32_t i = 0; i < n_ask * size; i++) {
        work->distances[i] = HUGE_VAL;
        work->rows[i] = 0;
    }
    for (int32_t q = 0; q < MOE_NEIGHBOURS_ASK; q++) { /* of a row that only fills up the group: no neighbours */
        limits[q] = q < n_ask ? HUGE_VAL : -HUGE_VAL;
        bound_limits[q] = (float)limits[q];
    }
    for (int32_t first = 0; first < n_tiles; first += MOE_NEIGHBOURS_TILES) {
        const int32_t last = first + MOE_NEIGHBOURS_TILES < n_tiles ? first + MOE_NEIGHBOURS_TILES : n_tiles;
        for (int32_t group = 0; group < n_ask; group += MOE_DISTANCES_GROUP)
            for (int32_t tile = first; tile < last; tile++) {
                const int64_t queries = (int64_t)group * k;
                const double *x = work->tiles + (int64_t)tile * k * n_rows;
                if (bounds)
                    MOE_L(moe_distances_bound)((const float *)work->tiles + (int64_t)tile * (k + 1) * n_rows,
                                               (const float *)work->queries + queries, k, bound_limits + group, masks);
                else if (weighted)
                    MOE_L(moe_distances_sum)(x, work->queries + queries, work->weights + queries, k, manhattan,
                                             limits + group, distances, masks);
                else
                    MOE_L(moe_distances_sum)(x, work->queries + queries, NULL, k, manhattan, limits + group, distances,
                                             masks);
                for (int q = 0; q < MOE_DISTANCES_GROUP; q++)
                    for (uint64_t mask = masks[q]; mask; mask &= mask - 1) {
                        const int r = moe_base_lowest(mask);
                        const int32_t row = tile * n_rows + r, asked = group + q;
                        double *heap = work->distances + (int64_t)asked * size;
                        if (row >= n || (plan->leave_one_out && row == begin + asked)) continue;
                        const double distance =
                            bounds ? MOE_L(moe_distances_square)(work->learn + (int64_t)row * k,
                                                                 work->ask + (int64_t)asked * k, k)
                                   : distances[q * MOE_ROWS_SUM + r];
                        if (!(distance < heap[0])) continue;
                        moe_neighbours_push(distance, row, size, heap, work->rows + (int64_t)asked * size);
                        limits[asked] = heap[0];
                        if (bounds && work->scale > 0.0)
                            bound_limits[asked] = moe_distances_limit(heap[0] * unit, work->squares[asked], slack);
                    }
            }
    }
}

static inline void MOE_L(moe_neighbours_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                 moe_neighbours_work_t *work, double *answers)
{
    const int64_t size = plan->whole[0];
    MOE_L(moe_neighbours_learn)(plan, task, work);
    for (int32_t begin = 0; begin < task->n_ask; begin += MOE_NEIGHBOURS_ASK) {
        if (moe_ear_stops(task->ear, (int64_t)MOE_NEIGHBOURS_ASK * task->n_learn * task->n_features / 8)) return;
        const int32_t left = task->n_ask - begin, n_ask = left < MOE_NEIGHBOURS_ASK ? left : MOE_NEIGHBOURS_ASK;
        MOE_L(moe_neighbours_ask)(plan, task, work, begin, n_ask);
        MOE_L(moe_neighbours_pass)(plan, task, work, begin, n_ask);
        for (int64_t q = 0; q < n_ask; q++)
            moe_neighbours_answer(plan, task, work->distances + q * size, work->rows + q * size,
                                  answers + (begin + q) * task->n_classes);
    }
}
