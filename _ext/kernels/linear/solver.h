/* solver: what linear judges share: the rows that they learn from, products, factors, singular values.
 *
 * No library of linear algebra: each sum has one order. Matrices are stored row after row, rows padded with zeros to a
 * multiple of 8. What is more than once over the rows asks an ear; once it is told to stop, all that asks returns at
 * once, and numbers may be any.
 */
#ifndef MOE_LINEAR_SOLVER_H
#define MOE_LINEAR_SOLVER_H

#include <math.h>

#include "base/buffers.h"
#include "base/ear.h"
#include "base/elementary.h"
#include "judges/types.h"

#define MOE_PRODUCT_UPPER 1
#define MOE_PRODUCT_SUBTRACT 2
#define MOE_PRODUCT_MORE 4   /* c += a' b */
#define MOE_PRODUCT_ROWS 128 /* of them 16 columns and 4 more stay in the nearest cache */

typedef struct {
    double *cells;
    int64_t stride;
} moe_matrix_t;

/* Rows to learn from, and what comes of them. */
typedef struct {
    int32_t n;           /* rows */
    int32_t k;           /* columns, with the constant one */
    int32_t width;       /* columns to solve for: min(n, k) */
    double constant;     /* value of a column behind the features; 0: there is none */
    moe_matrix_t own;    /* [n, k] */
    moe_matrix_t solved; /* [n, width]: own, or the triangle of rows_reduce */
    moe_matrix_t factor; /* [width, n] */
    moe_matrix_t columns; /* [k, n] */
    moe_matrix_t coefs;  /* [k, n_classes] */
    double *centre;      /* [k] */
    double *squares;     /* [k] workspace */
    double *sums;        /* workspace [k], [16 n_classes] */
    moe_ear_t *ear;      /* or NULL */
} moe_rows_t;

static inline moe_matrix_t moe_solver_matrix(uint8_t *buffer, int64_t n_rows, int64_t n_columns, int64_t *at)
{
    const int64_t stride = moe_base_round_up(n_columns, 8);
    return (moe_matrix_t){moe_buffers_next(buffer, n_rows * stride * 8, at), stride};
}

/* Lay rows over `buffer` behind byte *at; with NULL count the bytes only: 8 (4 n k + 3 k + (k + 16) n_classes), and
 * padding. */
static inline void moe_solver_lay(uint8_t *buffer, const moe_judges_task_t *task, double constant, int64_t *at,
                                  moe_rows_t *rows /* OUT */)
{
    const int64_t n = task->n_learn, k = (int64_t)task->n_features + (constant != 0.0), width = n < k ? n : k;
    rows->n = (int32_t)n;
    rows->k = (int32_t)k;
    rows->width = (int32_t)width;
    rows->constant = constant;
    rows->ear = task->ear;
    rows->own = moe_solver_matrix(buffer, n, k, at);
    rows->solved = moe_solver_matrix(buffer, n, width, at);
    rows->factor = moe_solver_matrix(buffer, width, n, at);
    rows->columns = moe_solver_matrix(buffer, moe_base_round_up(k, 8), n, at);
    rows->coefs = moe_solver_matrix(buffer, k, task->n_classes, at);
    rows->centre = moe_solver_matrix(buffer, 1, k, at).cells;
    rows->squares = moe_solver_matrix(buffer, 1, k, at).cells;
    rows->sums = moe_solver_matrix(buffer, 1, k + 16 * (int64_t)task->n_classes, at).cells;
    if (width == k) rows->solved = rows->own;
}

#define MOE_TEMPLATE "linear/product.inc.h"
#include "base/levels.inc.h"
#define MOE_TEMPLATE "linear/factor.inc.h"
#include "base/levels.inc.h"
#define MOE_TEMPLATE "linear/singular.inc.h"
#include "base/levels.inc.h"
#define MOE_TEMPLATE "linear/rows.inc.h"
#include "base/levels.inc.h"

#endif
