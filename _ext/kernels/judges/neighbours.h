/* neighbours: k nearest neighbours, KNeighborsClassifier and KNeighborsRegressor of scikit-learn.
 *
 * whole[0] = number of neighbours, at most the training rows available to each prediction; whole[1] = 1: a neighbour
 * has the weight 1 / distance, and if any is at distance 0 only such neighbours count, with weight 1; 0: all have
 * weight 1. whole[2] = 1: Manhattan distances; 0: Euclidean ones.
 *
 * Ties in distance are decided as by scikit-learn's `brute` heap, which compares all rows in their order: this is the
 * same heap. (scikit-learn computes Euclidean distances as differences of squares, so they are rounded differently, and
 * rows that tie here may not tie there.)
 *
 * First rough distances of all rows are computed (judges/distances.h), and the smallest of them. They tell which rows
 * are certainly neighbours and which may be ("candidates"). Where this suffices to count classes, nothing else is done;
 * otherwise exact distances of the candidates are computed, and if ties remain undecided, a full search replays the
 * heap over all rows. Rough distances affect only the speed, not the answers. O(k n_learn n_ask).
 */
#ifndef MOE_JUDGES_NEIGHBOURS_H
#define MOE_JUDGES_NEIGHBOURS_H

#include "base/buffers.h"
#include "judges/distances.h"
#include "judges/scaling.h"

#define MOE_NEIGHBOURS_RANKED 32  /* the smallest rough distances are kept for at most this many neighbours, */
#define MOE_NEIGHBOURS_ROWS 2000  /* or at most this many training rows; otherwise all searches are full */
#define MOE_NEIGHBOURS_TIED 32    /* candidates kept beyond the number of neighbours; more of them need a full search */
#define MOE_NEIGHBOURS_CENTRE_ROWS 64 /* first training rows, whose means are the centres */
#define MOE_NEIGHBOURS_STEP 0.25f /* less than the difference of two unequal exact rough distances */
#define MOE_NEIGHBOURS_LANES 12000 /* from this (rows - 100) (features - 8) on, squares go over running sums */

/* Workspace of a task. Queries are the rows to predict; a group of them has rough distances together, one a lane. */
typedef struct {
    float *tiles;      /* [n_tiles, k + 1, TILE] -(training row - centre) scale; behind the features half squares */
    float *queries;    /* [k, TILE] (query - centre) scale */
    float *weights;    /* [k, TILE] leave-one-out: weights of the differences of each query */
    float *half;       /* [2, TILE] half squares of the queries; later lower and upper limits */
    float *rough;      /* [n_tiles, TILE, group] rough distances */
    float *nearest;    /* [neighbours, group] the smallest rough distances, ascending */
    double *factors;   /* leave-one-out, scaled: [k, n_learn] factors of exact differences */
    double *centres;   /* [k] centre of each feature */
    double *scales;    /* [k] scale of each feature; all 0: rough distances are not usable */
    double *spare;     /* [n_learn] scratch */
    double *distances; /* [TILE, 2, neighbours + TIED] for each query: heap, distances of candidates */
    int32_t *rows;     /* likewise: rows of the heap, candidates */
    int32_t *order;    /* [n_learn] training rows by class, ascending in each */
    int32_t *starts;   /* [n_classes + 1] position in `order` where each class begins */
    int32_t *counts;   /* [2, n_classes, TILE] rows of a class that are certainly neighbours, and candidates */
    float largest;     /* largest P (judges/distances.h) of a training row */
    double unit;       /* rough distance / exact distance */
    int whole;         /* 1: all values are integers, so small rough distances are exact */
} moe_neighbours_work_t;

/* A query: a row to predict, and its neighbours so far. */
typedef struct {
    int32_t row;           /* its index in task->ask; leave-one-out: in task->learn */
    int32_t lane;          /* its lane in its group */
    int32_t usable;        /* 1: rough distances are in range, so that their error bounds hold */
    int32_t exact;         /* 1: rough distances are exact */
    double square;         /* P of judges/distances.h */
    float lower;           /* rows with a rough distance < lower are neighbours; */
    float upper;           /* rows with a rough distance > upper are not */
    int32_t n_certain;     /* rows below `lower` that are not visited yet; < 0: unknown */
    int32_t n_candidates;  /* rows that may be neighbours */
    int32_t overflowed;    /* 1: there are too many of them */
    int32_t *candidates;   /* [neighbours + TIED] these rows, ascending */
    double *distances;     /* [neighbours + TIED] their exact distances */
    double *heap;          /* [neighbours] max-heap of exact distances, squared if Euclidean */
    int32_t *rows;         /* [neighbours] rows of the heap */
} moe_neighbours_query_t;

/* Return whether each query has its own scaling, so that its differences are weighted. */
static MOE_INLINE int moe_neighbours_weighted(const moe_judges_plan_t *plan)
{
    return plan->leave_one_out && plan->scaling;
}

/* Return whether exact squares go over MOE_DISTANCES_LANES running sums, which pays off for many rows and features. */
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

/* Replace the farthest row of a max-heap by a nearer one. O(log size). */
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

/* Sort neighbours by distance, then by row. Shell sort: O(size^1.5), as moe_groups_sort. */
static inline void moe_neighbours_sort(int32_t size, double *distances, int32_t *rows)
{
    int32_t gap = 1;
    while (gap < size / 9) gap = 3 * gap + 1; /* few neighbours: insertion sort */
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

/* Empty a query's heap and candidates, and point to their buffers. */
static inline void moe_neighbours_reset(const moe_judges_plan_t *plan, const moe_neighbours_work_t *work,
                                        moe_neighbours_query_t *query)
{
    const int64_t n_cells = (int64_t)plan->whole[0] + MOE_NEIGHBOURS_TIED;
    query->heap = work->distances + query->lane * 2 * n_cells;
    query->distances = query->heap + n_cells;
    query->rows = work->rows + query->lane * 2 * n_cells;
    query->candidates = query->rows + n_cells;
    query->n_candidates = query->overflowed = 0;
    for (int32_t j = 0; j < plan->whole[0]; j++) {
        query->heap[j] = HUGE_VAL;
        query->rows[j] = 0;
    }
}

/* Return whether the heap of the candidates holds the same rows as a heap over all rows, or rows that give the same
 * answer. Let `farthest` be the largest distance in the heap. Until `neighbours` rows within it have come, a heap holds
 * all of them; each later row that is nearer replaces one at distance `farthest`, so ties matter only then. */
static inline int moe_neighbours_settled(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const moe_neighbours_query_t *query)
{
    const double farthest = query->heap[0];
    int32_t count = 0, first = -1, same = 1, pushed = 0;
    for (int32_t j = 0; j < query->n_candidates; j++) {
        const int32_t row = query->candidates[j];
        if (query->distances[j] > farthest) continue;
        if (count++ >= plan->whole[0]) {
            pushed |= query->distances[j] < farthest;
        } else if (query->distances[j] == farthest) {
            if (first < 0) first = row;
            same &= task->target ? task->target[row] == task->target[first] : task->labels[row] == task->labels[first];
        }
    }
    return !query->overflowed && (same || !pushed);
}

/* Predict one query from its neighbours: weighted class frequencies, or the weighted mean of the target. */
static inline void moe_neighbours_answer(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         double *distances /* IN and scratch [neighbours] */,
                                         int32_t *rows /* IN and scratch [neighbours] */,
                                         double *answer /* OUT [n_classes] */)
{
    const int32_t size = plan->whole[0];
    double total = 0.0;
    if (plan->whole[1] || task->target) moe_neighbours_sort(size, distances, rows); /* sums of ones have no order */
    const int same = distances[0] == 0.0;
    for (int32_t i = 0; i < size; i++) { /* replace distances by weights */
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
