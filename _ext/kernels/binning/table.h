/* table: copy features of the caller's table into columns of doubles.
 *
 * Features come in tiles, one cache line of a row of the table at a time. All numbers become doubles, which is exact,
 * and -0.0 becomes 0.0. NaN = missing.
 */
#ifndef MOE_BINNING_TABLE_H
#define MOE_BINNING_TABLE_H

#include "base/base.h"
#include "base/poll.h"

#define MOE_TABLE_TILE 16   /* most features of a tile: one cache line of float32 */

/* The caller's table; sample s is row rows[s] of it. */
typedef struct {
    const uint8_t *cells;
    const int64_t *rows; /* [n_samples] */
    int64_t row_step;    /* bytes from a row to the next, of either sign */
    int64_t column_step;
    int32_t n_samples;
    int32_t width; /* 4 = float, 8 = double */
} moe_table_t;

static MOE_INLINE double moe_table_load(const uint8_t *cell, int32_t width)
{
    if (width == 4) {
        float value;
        memcpy(&value, cell, sizeof value);
        return (double)value + 0.0; /* -0.0 + 0.0 = 0.0 */
    }
    double value;
    memcpy(&value, cell, sizeof value);
    return value + 0.0;
}

static MOE_INLINE void moe_table_gather_as(const moe_table_t *table, int64_t first, int32_t n_columns, int64_t stride,
                                           int32_t width, double *columns, moe_poll_t *poll)
{
    const uint8_t *first_cell = table->cells + first * table->column_step;
    int64_t row_distance = table->row_step < 0 ? -table->row_step : table->row_step;
    int64_t column_distance = table->column_step < 0 ? -table->column_step : table->column_step;
    if (row_distance < column_distance) /* column by column */
        for (int32_t c = 0; c < n_columns; c++)
            MOE_POLL_EACH(s, table->n_samples, 1, poll)
                columns[c * stride + s] =
                    moe_table_load(first_cell + c * table->column_step + table->rows[s] * table->row_step, width);
    else
        MOE_POLL_EACH(s, table->n_samples, n_columns, poll) {
            const uint8_t *row = first_cell + table->rows[s] * table->row_step;
            for (int32_t c = 0; c < n_columns; c++)
                columns[c * stride + s] = moe_table_load(row + c * table->column_step, width);
        }
}

/* Copy features first .. first + n_columns - 1 of the table, samples in the order of `rows`; feature first + c begins
 * at columns[c * stride]. O(n_columns n_samples). */
static inline void moe_table_gather(const moe_table_t *table, int64_t first, int32_t n_columns, int64_t stride,
                                    double *columns /* OUT [n_columns, stride >= n_samples] */, moe_poll_t *poll)
{
    if (table->width == 4)
        moe_table_gather_as(table, first, n_columns, stride, 4, columns, poll);
    else
        moe_table_gather_as(table, first, n_columns, stride, 8, columns, poll);
}

#endif
