/* factor: Cholesky's factor, and solving with it (linear/solver.h). A template: see base/levels.inc.h.
 *
 * A row of the factor whose pivot is negligible is dropped: it is zero, and so is that row of a solution. The other
 * rows remain a factor of a matrix that is only semidefinite.
 */

/* Factorise a = u' u in place; cells below the diagonal are not read, and become 0. A pivot of at most `tolerance`
 * times its diagonal cell is dropped. Return how many are, not counting those with a diagonal cell of 0. O(n^3 / 6). */
static int32_t MOE_L(moe_factor)(moe_matrix_t a /* IN and OUT [n, a.stride], zero behind n */, int32_t n,
                                 double tolerance, moe_poll_t *poll)
{
    int32_t n_dropped = 0;
    for (int32_t j = 0; j < n; j += 4) {
        const int32_t n_block = n - j < 4 ? n - j : 4, from = j / 8 * 8;
        double diagonal[4];
        for (int32_t r = 0; r < n_block; r++) diagonal[r] = a.cells[(j + r) * a.stride + j + r];
        MOE_L(moe_product)((moe_matrix_t){a.cells + j, a.stride}, (moe_matrix_t){a.cells + from, a.stride}, j, n_block,
                           (int32_t)a.stride - from, MOE_PRODUCT_SUBTRACT,
                           (moe_matrix_t){a.cells + j * a.stride + from, a.stride}, poll);
        if (moe_poll_stops(poll, 0)) return n_dropped;
        for (int32_t r = 0; r < n_block; r++) {
            double *row = a.cells + (j + r) * a.stride;
            for (int32_t above = 0; above < r; above++) {
                const double *other = a.cells + (j + above) * a.stride, multiplier = other[j + r];
                for (int64_t c = from; c < a.stride; c++) row[c] -= multiplier * other[c];
            }
            const double pivot = row[j + r];
            const int dropped = !(pivot > tolerance * diagonal[r]);
            const double factor = dropped ? 0.0 : 1.0 / sqrt(pivot);
            n_dropped += dropped && diagonal[r] != 0.0;
            for (int64_t c = from; c < a.stride; c++) row[c] = row[c] * factor;
            if (dropped)
                for (int64_t c = from; c < a.stride; c++) row[c] = 0.0; /* clears NaN too */
        }
    } /* end: for j */
    for (int32_t j = 0; j < n; j++)
        for (int32_t c = 0; c < j; c++) a.cells[j * a.stride + c] = 0.0;
    return n_dropped;
}

/* Solve u' x = b in place. O(n^2 b.stride / 2). */
static void MOE_L(moe_factor_forward)(moe_matrix_t u /* IN [n, n] */, int32_t n, moe_matrix_t b /* [n, b.stride] */,
                                      moe_poll_t *poll)
{
    for (int32_t j = 0; j < n; j += 4) {
        const int32_t n_block = n - j < 4 ? n - j : 4;
        MOE_L(moe_product)((moe_matrix_t){u.cells + j, u.stride}, b, j, n_block, (int32_t)b.stride,
                           MOE_PRODUCT_SUBTRACT, (moe_matrix_t){b.cells + j * b.stride, b.stride}, poll);
        if (moe_poll_stops(poll, 0)) return;
        for (int32_t r = j; r < j + n_block; r++) {
            double *row = b.cells + r * b.stride;
            const double pivot = u.cells[r * u.stride + r], factor = pivot > 0.0 ? 1.0 / pivot : 0.0;
            for (int32_t above = j; above < r; above++) {
                const double *other = b.cells + above * b.stride, multiplier = u.cells[above * u.stride + r];
                for (int64_t c = 0; c < b.stride; c++) row[c] -= multiplier * other[c];
            }
            for (int64_t c = 0; c < b.stride; c++) row[c] *= factor;
        }
    }
}

/* Solve u x = b in place. O(n^2 b.stride / 2). */
static void MOE_L(moe_factor_backward)(moe_matrix_t u /* IN [n, n] */, int32_t n, moe_matrix_t b /* [n, b.stride] */,
                                      moe_poll_t *poll)
{
    for (int32_t j = (n - 1) / 4 * 4; j >= 0; j -= 4) {
        const int32_t end = n - j < 4 ? n : j + 4;
        MOE_L(moe_product_plain)((moe_matrix_t){u.cells + j * u.stride + end, u.stride},
                                 (moe_matrix_t){b.cells + end * b.stride, b.stride}, n - end, end - j,
                                 (int32_t)b.stride, MOE_PRODUCT_SUBTRACT,
                                 (moe_matrix_t){b.cells + j * b.stride, b.stride}, poll);
        if (moe_poll_stops(poll, 0)) return;
        for (int32_t r = end - 1; r >= j; r--) {
            double *row = b.cells + r * b.stride;
            const double pivot = u.cells[r * u.stride + r], factor = pivot > 0.0 ? 1.0 / pivot : 0.0;
            for (int32_t below = r + 1; below < end; below++) {
                const double *other = b.cells + below * b.stride, multiplier = u.cells[r * u.stride + below];
                for (int64_t c = 0; c < b.stride; c++) row[c] -= multiplier * other[c];
            }
            for (int64_t c = 0; c < b.stride; c++) row[c] *= factor;
        }
    }
}

/* Return the trace of (u' u)^-1; the smallest eigenvalue of u' u is at least its reciprocal. O(n^3 / 2). */
static double MOE_L(moe_factor_inverse_trace)(moe_matrix_t u /* IN [n, n] */, int32_t n,
                                              moe_matrix_t work /* OUT [n, work.stride], at least n */,
                                              moe_poll_t *poll)
{
    double trace = 0.0;
    memset(work.cells, 0, sizeof(double) * (size_t)(n * work.stride));
    for (int32_t j = 0; j < n; j++) work.cells[j * work.stride + j] = 1.0;
    MOE_L(moe_factor_forward)(u, n, work, poll);
    for (int32_t j = 0; j < n; j++)
        trace += MOE_L(moe_product_dot)(work.cells + j * work.stride, work.cells + j * work.stride, work.stride);
    return trace;
}
