/* solver: linear algebra of the linear judges: training rows, products, Cholesky's factor, singular values.
 *
 * No library of linear algebra is used, so that each sum has one order. Matrices are stored row after row, with rows
 * padded with zeros to a multiple of 8. Functions that pass over the rows more than once ask a poll; once it stops,
 * they return at once, and their results are undefined.
 */
#ifndef MOE_LINEAR_SOLVER_H
#define MOE_LINEAR_SOLVER_H

#include <float.h>
#include <math.h>

#include "base/buffers.h"
#include "base/poll.h"
#include "base/elementary.h"
#include "judges/types.h"

#define MOE_PRODUCT_UPPER 1    /* flag: only cells on and above the diagonal are needed */
#define MOE_PRODUCT_SUBTRACT 2 /* flag: c -= a' b */
#define MOE_PRODUCT_ADD 4      /* flag: c += a' b */
#define MOE_PRODUCT_ROWS 128   /* rows of a block: 16 columns of b and 4 of a stay in the nearest cache */

/* A matrix, row after row. */
typedef struct {
    double *cells;
    int64_t stride; /* cells from a row to the next, a multiple of 8 */
} moe_matrix_t;

/* Training rows X, and what is computed from them. */
typedef struct {
    int32_t n;           /* rows */
    int32_t k;           /* columns, with the constant one */
    int32_t width;       /* columns of the reduced rows: min(n, k) */
    double constant;     /* value of a column behind the features; 0: there is none */
    moe_matrix_t x;      /* [n, k] the rows, sample by sample */
    moe_matrix_t reduced; /* [n, width] x, or the triangle of moe_rows_reduce */
    moe_matrix_t factor; /* [width, n] the same triangle, transposed */
    moe_matrix_t transposed; /* [k, n] x transposed */
    moe_matrix_t coefs;  /* [k, n_classes] coefficients of the columns */
    double *centre;      /* [k] mean that is subtracted from each column */
    double *squares;     /* [k] workspace */
    double *sums;        /* [k + 16 n_classes] workspace */
    moe_poll_t *poll;      /* or NULL */
} moe_rows_t;

/* Lay a matrix over `buffer` behind byte *at; with NULL count its bytes only. */
static inline moe_matrix_t moe_solver_matrix(uint8_t *buffer, int64_t n_rows, int64_t n_columns, int64_t *at)
{
    const int64_t stride = moe_base_round_up(n_columns, 8);
    return (moe_matrix_t){moe_buffers_next(buffer, n_rows * stride * 8, at), stride};
}

/* Lay rows over `buffer` behind byte *at; with NULL only count bytes: 8 (4 n k + 3 k + (k + 16) n_classes), padded. */
static inline void moe_solver_lay(uint8_t *buffer, const moe_judges_task_t *task, double constant, int64_t *at,
                                  moe_rows_t *rows /* OUT */)
{
    const int64_t n = task->n_learn, k = (int64_t)task->n_features + (constant != 0.0), width = n < k ? n : k;
    rows->n = (int32_t)n;
    rows->k = (int32_t)k;
    rows->width = (int32_t)width;
    rows->constant = constant;
    rows->poll = task->poll;
    rows->x = moe_solver_matrix(buffer, n, k, at);
    rows->reduced = moe_solver_matrix(buffer, n, width, at);
    rows->factor = moe_solver_matrix(buffer, width, n, at);
    rows->transposed = moe_solver_matrix(buffer, moe_base_round_up(k, 8), n, at);
    rows->coefs = moe_solver_matrix(buffer, k, task->n_classes, at);
    rows->centre = moe_solver_matrix(buffer, 1, k, at).cells;
    rows->squares = moe_solver_matrix(buffer, 1, k, at).cells;
    rows->sums = moe_solver_matrix(buffer, 1, k + 16 * (int64_t)task->n_classes, at).cells;
    if (width == k) rows->reduced = rows->x;
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
