/* product: products of matrices (linear/solver.h). A template: see base/levels.inc.h.
 *
 * Each cell is a sum over ascending rows, in blocks of MOE_PRODUCT_ROWS, for any width of the registers, since lanes
 * are cells of the product.
 */
#undef MOE_DOUBLES
#undef MOE_WIDTH
#if MOE_HAS_VECTORS
#define MOE_DOUBLES MOE_L(moe_doubles_t)
#define MOE_WIDTH (MOE_BYTES / 8)
typedef double MOE_DOUBLES __attribute__((vector_size(MOE_BYTES), aligned(8), may_alias));
#else
#define MOE_DOUBLES double
#define MOE_WIDTH 1
#endif

/* The left factor: steps from a cell to the next row of the sum, and to the next row of the product. */
typedef struct {
    const double *cells;
    int64_t row_step, column_step;
} MOE_L(moe_product_strided_t);

/* Compute a block of n_a rows and n_registers * MOE_WIDTH columns of the product, with its sums in registers. */
static MOE_INLINE void MOE_L(moe_product_block)(MOE_L(moe_product_strided_t) a, moe_matrix_t b, int32_t n_rows, int n_a,
                                                int n_registers, int flags, moe_matrix_t c)
{
    MOE_DOUBLES sums[4][2];
    const double *left = a.cells, *right = b.cells;
    memset(sums, 0, sizeof sums);
    for (int32_t i = 0; i < n_rows; i++, left += a.row_step, right += b.stride)
        for (int r = 0; r < n_a; r++)
            for (int part = 0; part < n_registers; part++)
                sums[r][part] += left[r * a.column_step] * *(const MOE_DOUBLES *)(right + part * MOE_WIDTH);
    for (int r = 0; r < n_a; r++)
        for (int part = 0; part < n_registers; part++) {
            MOE_DOUBLES *cell = (MOE_DOUBLES *)(c.cells + r * c.stride + part * MOE_WIDTH);
            if (flags & MOE_PRODUCT_SUBTRACT)
                *cell -= sums[r][part];
            else if (flags & MOE_PRODUCT_ADD)
                *cell += sums[r][part];
            else
                *cell = sums[r][part];
        }
}

/* Compute n_registers * MOE_WIDTH columns of the product, in blocks of 4 rows. */
static MOE_INLINE void MOE_L(moe_product_columns)(MOE_L(moe_product_strided_t) a, moe_matrix_t b, int32_t n_rows,
                                                  int32_t n_a, int n_registers, int flags, moe_matrix_t c)
{
    for (int32_t r = 0; r < n_a; r += 4) {
        const MOE_L(moe_product_strided_t) left = {a.cells + r * a.column_step, a.row_step, a.column_step};
        const moe_matrix_t cells = {c.cells + r * c.stride, c.stride};
        if (n_a - r >= 4)
            MOE_L(moe_product_block)(left, b, n_rows, 4, n_registers, flags, cells);
        else if (n_a - r == 3)
            MOE_L(moe_product_block)(left, b, n_rows, 3, n_registers, flags, cells);
        else if (n_a - r == 2)
            MOE_L(moe_product_block)(left, b, n_rows, 2, n_registers, flags, cells);
        else
            MOE_L(moe_product_block)(left, b, n_rows, 1, n_registers, flags, cells);
    }
}

/* Compute the product for either layout of `a`; only a part of it once the poll stops. */
static MOE_INLINE void MOE_L(moe_product_any)(MOE_L(moe_product_strided_t) a, moe_matrix_t b, int32_t n_rows,
                                              int32_t n_a, int32_t n_b, int flags, moe_matrix_t c, moe_poll_t *poll)
{
    for (int32_t i = 0; i == 0 || i < n_rows; i += MOE_PRODUCT_ROWS) {
        const int32_t n_part = n_rows - i < MOE_PRODUCT_ROWS ? n_rows - i : MOE_PRODUCT_ROWS;
        const MOE_L(moe_product_strided_t) left = {a.cells + i * a.row_step, a.row_step, a.column_step};
        const int now = i ? flags | MOE_PRODUCT_ADD : flags;
        for (int32_t at = 0; at < n_b;) {
            const int n_registers = n_b - at >= 2 * MOE_WIDTH ? 2 : 1;
            const int32_t end = at + n_registers * MOE_WIDTH;
            const int32_t n_above = (flags & MOE_PRODUCT_UPPER) && end < n_a ? end : n_a;
            const moe_matrix_t right = {b.cells + i * b.stride + at, b.stride}, cells = {c.cells + at, c.stride};
            if (moe_poll_stops(poll, (int64_t)n_part * n_above / 4)) return;
            if (n_registers == 2)
                MOE_L(moe_product_columns)(left, right, n_part, n_above, 2, now, cells);
            else
                MOE_L(moe_product_columns)(left, right, n_part, n_above, 1, now, cells);
            at = end;
        }
    }
}

/* Compute c = a' b, c += a' b or c -= a' b, with (a' b)[r, s] = sum over i of a[i, r] b[i, s]. MOE_PRODUCT_UPPER may
 * leave cells below the diagonal unchanged. Asks `poll`, if not NULL, between blocks. O(n_rows n_a n_b). */
static void MOE_L(moe_product)(moe_matrix_t a /* IN [n_rows, n_a] */, moe_matrix_t b /* IN [n_rows, n_b] */,
                               int32_t n_rows, int32_t n_a, int32_t n_b /* multiple of 8 */, int flags,
                               moe_matrix_t c /* [n_a, n_b] */, moe_poll_t *poll)
{
    MOE_L(moe_product_any)((MOE_L(moe_product_strided_t)){a.cells, a.stride, 1}, b, n_rows, n_a, n_b, flags, c, poll);
}

/* Compute the same with a b in place of a' b. */
static void MOE_L(moe_product_plain)(moe_matrix_t a /* IN [n_a, n_rows] */, moe_matrix_t b /* IN [n_rows, n_b] */,
                                     int32_t n_rows, int32_t n_a, int32_t n_b /* multiple of 8 */, int flags,
                                     moe_matrix_t c /* [n_a, n_b] */, moe_poll_t *poll)
{
    MOE_L(moe_product_any)((MOE_L(moe_product_strided_t)){a.cells, 1, a.stride}, b, n_rows, n_a, n_b, flags, c, poll);
}

/* Compute to = from', with zeros up to the stride of `to`. */
static void MOE_L(moe_product_transpose)(moe_matrix_t from /* IN [n_rows, n_columns] */, int32_t n_rows,
                                         int32_t n_columns, moe_matrix_t to /* OUT [n_columns, to.stride] */)
{
    for (int32_t r = 0; r < to.stride; r += 8)
        for (int32_t c = 0; c < n_columns; c++) {
            double *cells = to.cells + c * to.stride + r;
            const double *own = from.cells + r * from.stride + c;
            if (r + 8 <= n_rows)
                for (int l = 0; l < 8; l++) cells[l] = own[l * from.stride];
            else
                for (int l = 0; l < 8; l++) cells[l] = r + l < n_rows ? own[l * from.stride] : 0.0;
        }
}

/* Return the sum of x[i] y[i], in 8 lanes that are added as a tree. */
static MOE_INLINE double MOE_L(moe_product_dot)(const double *x, const double *y, int64_t n /* multiple of 8 */)
{
    double lanes[8];
    MOE_DOUBLES sums[8 / MOE_WIDTH];
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < n; i += 8)
        for (int part = 0; part < 8 / MOE_WIDTH; part++)
            sums[part] += *(const MOE_DOUBLES *)(x + i + part * MOE_WIDTH) *
                          *(const MOE_DOUBLES *)(y + i + part * MOE_WIDTH);
    memcpy(lanes, sums, sizeof lanes);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}
#undef MOE_DOUBLES
#undef MOE_WIDTH
