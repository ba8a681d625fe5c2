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
 * Rough distances of all rows come first (judges/distances.h), and the smallest of them. They tell which rows are
 * neighbours for certain and which may be. Where that is enough to count classes, nothing else is done; else exact
 * distances of those that may be are summed, and if equal ones are left, the heap is gone through from its beginning.
 * What is answered does not depend on rough distances, only how fast. O(k n_learn n_ask).
 */
#ifndef MOE_JUDGES_NEIGHBOURS_H
#define MOE_JUDGES_NEIGHBOURS_H

#include "base/buffers.h"
#include "judges/distances.h"
#include "judges/scaling.h"

#define MOE_NEIGHBOURS_RANKED 32  /* of so many neighbours, or of so many rows to learn from, the smallest rough */
#define MOE_NEIGHBOURS_ROWS 2000  /* distances are ranked */
#define MOE_NEIGHBOURS_TIED 32    /* so many rows more than neighbours may be near; beyond, the heap is gone through */
#define MOE_NEIGHBOURS_SOME 64    /* rows that centres are the means of */
#define MOE_NEIGHBOURS_STEP 0.25f /* less than what exact rough distances differ by, if they do */
#define MOE_NEIGHBOURS_LANES 12000 /* from so many (rows - 100) (features - 8) on squares go over running sums */

/* The workspace of a task. A group are the rows to answer for whose rough distances are computed together. */
typedef struct {
    float *tiles;      /* [n_tiles, k + 1, TILE] rows to learn from, less the centres, times scales, negative */
    float *queries;    /* [k, TILE] rows to answer for, likewise */
    float *weights;    /* [k, TILE] leave-one-out: what their differences are multiplied by */
    float *half;       /* [2, TILE] their half squares; limits */
    float *rough;      /* [n_tiles, TILE, rows of a group] distances */
    float *nearest;    /* [neighbours, rows of a group] the smallest of them */
    double *factors;   /* leave-one-out, scaled: [k, n_learn] what exact differences are multiplied by */
    double *centres;   /* [k] */
    double *scales;    /* [k] 0: rough distances say nothing */
    double *spare;     /* [n_learn] */
    double *distances; /* [TILE, 2, neighbours + TIED] of each row of a group: heap and distances */
    int32_t *rows;     /* likewise: rows and near */
    int32_t *order;    /* [n_learn] rows by class, ascending in each */
    int32_t *starts;   /* [n_classes + 1] where a class begins in it */
    int32_t *counts;   /* [2, n_classes, TILE] rows of a class that are neighbours, and that may be */
    float largest;     /* P of judges/distances.h, the most of a row to learn from */
    double unit;       /* what a distance is multiplied by to be a rough one */
    int whole;         /* whether these are whole numbers: so are sums, and exact, as long as they are small */
} moe_neighbours_work_t;

/* A row to answer for. */
typedef struct {
    int32_t row;
    int32_t lane;      /* of its group */
    int32_t sound;     /* whether rough distances say anything */
    int32_t exact;     /* whether they are exact */
    double square;     /* P of judges/distances.h */
    float lower;       /* rows that are less than this away roughly are neighbours; */
    float upper;       /* those that are more than this away are not */
    int32_t n_nearer;  /* how many are left of the former ones, where known, else below 0 */
    int32_t n_near;    /* rows that may be neighbours, in their order */
    int32_t overrun;   /* whether there are too many of them */
    int32_t *near;     /* [neighbours + TIED] */
    double *distances; /* [neighbours + TIED] theirs */
    double *heap;      /* [neighbours] of neighbours: the largest first; squared if they are euclidean */
    int32_t *rows;     /* [neighbours] theirs */
} moe_neighbours_query_t;

/* Whether each row has a scaling of its own. */
static MOE_INLINE int moe_neighbours_weighted(const moe_judges_plan_t *plan)
{
    return plan->leave_one_out && plan->scaling;
}

/* Whether exact squares go over MOE_DISTANCES_LANES running sums: as sums of many features do. */
static MOE_INLINE int moe_neighbours_laned(const moe_judges_plan_t *plan, const moe_judges_task_t *task)
{
    const int64_t n = task->n_learn - 100, k = task->n_features - 8;
    return n > 0 && k > 0 && n * k >= MOE_NEIGHBOURS_LANES && !plan->whole[2] && !moe_neighbours_weighted(plan);
}

static inline int64_t moe_neighbours_lay_out(uint8_t *buffer, const moe_judges_plan_t *plan,
                                             const moe_judges_task_t *task, moe_neighbours_work_t *work)
{
    const int64_t n = task->n_learn, k = task->n_features, size = plan->whole[0], lanes = MOE_DISTANCES_TILE;
    const int64_t weighted = moe_neighbours_weighted(plan), n_rows = moe_base_round_up(n, lanes);
    int64_t at = 0;
    work->tiles = moe_buffers_next(buffer, n_rows * (k + 1) * 4, &at);
    work->queries = moe_buffers_next(buffer, k * lanes * 4, &at);
    work->weights = moe_buffers_next(buffer, weighted * k * lanes * 4, &at);
    work->half = moe_buffers_next(buffer, 2 * lanes * 4, &at);
    work->rough = moe_buffers_next(buffer, n_rows * lanes * 4, &at);
    work->nearest = moe_buffers_next(buffer, size * lanes * 4, &at);
    work->factors = moe_buffers_next(buffer, weighted * k * n * 8, &at);
    work->centres = moe_buffers_next(buffer, k * 8, &at);
    work->scales = moe_buffers_next(buffer, k * 8, &at);
    work->spare = moe_buffers_next(buffer, weighted * n * 8, &at);
    work->distances = moe_buffers_next(buffer, lanes * 2 * (size + MOE_NEIGHBOURS_TIED) * 8, &at);
    work->rows = moe_buffers_next(buffer, lanes * 2 * (size + MOE_NEIGHBOURS_TIED) * 4, &at);
    work->order = moe_buffers_next(buffer, n * 4, &at);
    work->starts = moe_buffers_next(buffer, ((int64_t)task->n_classes + 1) * 4, &at);
    work->counts = moe_buffers_next(buffer, 2 * task->n_classes * lanes * 4, &at);
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

/* Nearest first, and of those equally far the first row. O(size^1.5), as moe_groups_sort. */
static inline void moe_neighbours_sort(int32_t size, double *distances, int32_t *rows)
{
    int32_t gap = 1;
    while (gap < size / 9) gap = 3 * gap + 1; /* of few neighbours 1: they are sorted by insertion */
    for (; gap > 0; gap /= 3)
        for (int32_t i = gap; i < size; i++) {
            const double distance = distances[i];
            const int32_t row = rows[i];
            int32_t at = i;
            for (; at >= gap && (distances[at - gap] > distance ||
                                 (distances[at - gap] == distance && rows[at - gap] > row)); at -= gap) {
                distances[at] = distances[at - gap];
                rows[at] = rows[at - gap];
            }
            distances[at] = distance;
            rows[at] = row;
        }
}

/* No neighbours yet. */
static inline void moe_neighbours_begin(const moe_judges_plan_t *plan, const moe_neighbours_work_t *work,
                                        moe_neighbours_query_t *query)
{
    const int64_t n_cells = (int64_t)plan->whole[0] + MOE_NEIGHBOURS_TIED;
    query->heap = work->distances + query->lane * 2 * n_cells;
    query->distances = query->heap + n_cells;
    query->rows = work->rows + query->lane * 2 * n_cells;
    query->near = query->rows + n_cells;
    query->n_near = query->overrun = 0;
    for (int32_t j = 0; j < plan->whole[0]; j++) {
        query->heap[j] = HUGE_VAL;
        query->rows[j] = 0;
    }
}

/* Whether the heap of the rows that may be near has what that of all rows has, or rows that answer the same. Until so
 * many rows have come that are no farther than the farthest, a heap has all of these; then each one that is nearer
 * takes the place of one that is as far. */
static inline int moe_neighbours_settled(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const moe_neighbours_query_t *query)
{
    const double farthest = query->heap[0];
    int32_t count = 0, first = -1, same = 1, pushed = 0;
    for (int32_t j = 0; j < query->n_near; j++) {
        const int32_t row = query->near[j];
        if (query->distances[j] > farthest) continue;
        if (count++ >= plan->whole[0]) {
            pushed |= query->distances[j] < farthest;
        } else if (query->distances[j] == farthest) {
            if (first < 0) first = row;
            same &= task->target ? task->target[row] == task->target[first] : task->labels[row] == task->labels[first];
        }
    }
    return !query->overrun && (same || !pushed);
}

/* The answer for one row, from its neighbours. */
static inline void moe_neighbours_answer(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         double *distances /* IN and scratch [neighbours] */,
                                         int32_t *rows /* IN and scratch [neighbours] */,
                                         double *answer /* OUT [n_classes] */)
{
    const int32_t size = plan->whole[0];
    double total = 0.0;
    if (plan->whole[1] || task->target) moe_neighbours_sort(size, distances, rows); /* sums of ones have no order */
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
    MOE_AT(plan->level, moe_neighbours_answers)(plan, task, &work, answers);
}

#endif
