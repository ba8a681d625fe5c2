/* neighbours: k nearest neighbours, KNeighborsClassifier and KNeighborsRegressor of scikit-learn.
 *
 * whole[0] = neighbours, at most the rows that a row is answered for by; whole[1] = 1: a neighbour counts 1 / distance,
 * and if any is at distance 0 only those are counted, once each; 0: each once. whole[2] = 1: manhattan distances; 0:
 * euclidean ones.
 *
 * Of rows equally far those that scikit-learn's heap keeps where it compares all rows in their order (its `brute`): it
 * is the same heap. (Its euclidean distances are differences of squares, so they are rounded otherwise, and what is
 * equally far here may not be there.)
 *
 * Rows to learn from are in tiles of two registers, feature after feature. All pass over the same tiles together, a
 * group of rows to answer for after the other: O(k n_learn n_ask). Euclidean distances go by bounds first
 * (judges/distances.h), where there are features enough and not each row has a scaling of its own.
 */
#ifndef MOE_JUDGES_NEIGHBOURS_H
#define MOE_JUDGES_NEIGHBOURS_H

#include "base/buffers.h"
#include "judges/distances.h"
#include "judges/scaling.h"

#define MOE_NEIGHBOURS_ASK 64   /* rows that are answered for together, a multiple of the group */
#define MOE_NEIGHBOURS_MOST 32  /* at most so many rows to learn from are in a tile */
#define MOE_NEIGHBOURS_TILES 16 /* that all of them pass over together */
#define MOE_NEIGHBOURS_BOUNDS 12000 /* so many (rows - 100) (features - 8) and bounds are faster */

/* The workspace of a task. */
typedef struct {
    double *tiles;     /* [n_tiles, k, rows of a tile] rows to learn from, or bounds: float, k + 1 */
    double *queries;   /* [ASK / GROUP, k, GROUP] rows to answer for, or bounds: float */
    double *weights;   /* likewise, leave-one-out: what differences are multiplied by */
    double *factors;   /* leave-one-out: [k, n_learn] the same as they are computed */
    double *spare;     /* [n_learn] */
    double *learn;     /* bounds: [n_learn, k] */
    double *ask;       /* bounds: [ASK, k] */
    double *centres;   /* bounds: [k] */
    double *squares;   /* bounds: [ASK] of rows to answer for, around the centres */
    double *distances; /* [ASK, neighbours] heaps: the largest first; squared if they are euclidean */
    int32_t *rows;     /* [ASK, neighbours] of those to learn from */
    double scale;      /* bounds: what differences from centres are multiplied by */
} moe_neighbours_work_t;

static MOE_INLINE int moe_neighbours_bounded(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    const int64_t n = task->n_learn - 100, k = task->n_features - 8;
    return n > 0 && k > 0 && n * k >= MOE_NEIGHBOURS_BOUNDS && !plan->whole[2] &&
           !(plan->leave_one_out && plan->scaling);
}

static inline int64_t moe_neighbours_lay_out(uint8_t *buffer, const moe_judges_plan_t *plan,
                                             const moe_judges_task_t *task, moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, heaps = (int64_t)MOE_NEIGHBOURS_ASK * plan->whole[0];
    int64_t at = 0; /* whatever k is: a subset of more features never needs less */
    work->tiles = moe_buffers_next(buffer, moe_base_round_up(n, MOE_NEIGHBOURS_MOST) * k * 8, &at);
    work->queries = moe_buffers_next(buffer, MOE_NEIGHBOURS_ASK * k * 8, &at);
    work->weights = moe_buffers_next(buffer, MOE_NEIGHBOURS_ASK * k * 8, &at);
    work->factors = moe_buffers_next(buffer, n * k * 8, &at);
    work->spare = moe_buffers_next(buffer, n * 8, &at);
    work->centres = moe_buffers_next(buffer, k * 8, &at);
    work->squares = moe_buffers_next(buffer, MOE_NEIGHBOURS_ASK * 8, &at);
    work->learn = work->factors; /* either the ones or the others */
    work->ask = work->weights;
    work->distances = moe_buffers_next(buffer, heaps * 8, &at);
    work->rows = moe_buffers_next(buffer, heaps * 4, &at);
    return at;
}

static inline int64_t moe_neighbours_size(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    moe_neighbours_work_t work;
    return moe_neighbours_lay_out(NULL, plan, task, &work);
}

/* Put a row that is nearer than the farthest of a heap in its place. O(log size). */
static MOE_INLINE void moe_neighbours_push(double distance, int32_t row, int32_t size,
                                           double *distances /* IN and OUT [size], distance < distances[0] */,
                                           int32_t *rows /* IN and OUT [size] */)
{
    int32_t at = 0;
    for (;;) {
        int32_t left = 2 * at + 1, right = left + 1, below = left;
        if (left >= size) break;
        if (right < size && distances[right] > distances[left]) below = right;
        if (!(distance < distances[below])) break;
        distances[at] = distances[below];
        rows[at] = rows[below];
        at = below;
    }
    distances[at] = distance;
    rows[at] = row;
}

/* Nearest first, and of those equally far the first row. O(size^2) at most. */
static inline void moe_neighbours_sort(int32_t size, double *distances, int32_t *rows)
{
    for (int32_t i = 1; i < size; i++) {
        const double distance = distances[i];
        const int32_t row = rows[i];
        int32_t at = i;
        for (; at && (distances[at - 1] > distance || (distances[at - 1] == distance && rows[at - 1] > row)); at--) {
            distances[at] = distances[at - 1];
            rows[at] = rows[at - 1];
        }
        distances[at] = distance;
        rows[at] = row;
    }
}

/* The answer for one row, from its neighbours. */
static inline void moe_neighbours_answer(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         double *distances /* IN and scratch [neighbours] */,
                                         int32_t *rows /* IN and scratch [neighbours] */,
                                         double *answer /* OUT [n_classes] */)
{
    const int32_t size = plan->whole[0];
    double total = 0.0;
    moe_neighbours_sort(size, distances, rows);
    const int same = distances[0] == 0.0;
    for (int32_t i = 0; i < size; i++) { /* weights in place of distances */
        if (!plan->whole[1])
            distances[i] = 1.0;
        else if (same)
            distances[i] = distances[i] == 0.0;
        else
            distances[i] = 1.0 / (plan->whole[2] ? distances[i] : sqrt(distances[i]));
        total += distances[i];
    }
    if (!(total > 0.0 && total < HUGE_VAL)) { /* a square or its inverse has overflowed */
        for (int32_t i = 0; i < size; i++) distances[i] = 1.0;
        total = size;
    }
    memset(answer, 0, (size_t)task->n_classes * 8);
    for (int32_t i = 0; i < size; i++)
        if (task->target)
            answer[0] += distances[i] * task->target[rows[i]];
        else
            answer[task->labels[rows[i]]] += distances[i];
    for (int32_t c = 0; c < task->n_classes; c++) answer[c] /= total;
}

#define MOE_TEMPLATE "judges/neighbours.inc.h"
#include "base/levels.inc.h"

static inline void moe_neighbours_answers(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          uint8_t *buffer, double *answers)
{
    moe_neighbours_work_t work;
    moe_neighbours_lay_out(buffer, plan, task, &work);
#if MOE_HAS_LEVELS
    if (plan->level == 4) {
        moe_neighbours_answers_v4(plan, task, &work, answers);
        return;
    }
    if (plan->level == 3) {
        moe_neighbours_answers_v3(plan, task, &work, answers);
        return;
    }
#endif
    moe_neighbours_answers_v0(plan, task, &work, answers);
}

#endif
