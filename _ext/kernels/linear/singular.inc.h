/* singular: singular values (linear/solver.h). A template: see base/levels.inc.h.
 *
 * Householder's QR with column pivoting, then Jacobi's rotations between rows of R: slower than Cholesky's factor of
 * a' a, but accurate down to the smallest singular value.
 * Z. Drmac and K. Veselic, New fast and accurate Jacobi SVD algorithm I, SIAM J. Matrix Anal. Appl. 29 (2008).
 */

/* Reduce a = Q R in place to R, whose columns are in the order `pivots`; columns behind n_columns, such as targets, are
 * multiplied by Q'. O(n_rows n_columns a.stride). */
static void MOE_L(moe_singular_reduce)(moe_matrix_t a /* IN and OUT [n_rows, a.stride] */, int32_t n_rows,
                                       int32_t n_columns, int32_t *pivots /* OUT [n_columns] */,
                                       double *sums /* workspace [2 * a.stride] */, moe_poll_t *poll)
{
    double *times = sums + a.stride;
    for (int32_t f = 0; f < n_columns; f++) pivots[f] = f;
    for (int32_t j = 0; j < n_rows && j < n_columns; j++) {
        double *head = a.cells + j * a.stride;
        int32_t best = j;
        if (moe_poll_stops(poll, (n_rows - j) * a.stride / 2)) return;
        memset(sums, 0, sizeof(double) * (size_t)a.stride);
        for (int32_t i = j; i < n_rows; i++) {
            const double *row = a.cells + i * a.stride;
            for (int64_t c = 0; c < a.stride; c++) sums[c] += row[c] * row[c];
        }
        for (int32_t f = j + 1; f < n_columns; f++)
            if (sums[f] > sums[best]) best = f;
        if (!(sums[best] > 0.0)) return; /* the remaining rows are zero */
        for (int32_t i = 0; i < n_rows; i++) {
            double *row = a.cells + i * a.stride, kept = row[j];
            row[j] = row[best];
            row[best] = kept;
        }
        const int32_t kept = pivots[j];
        pivots[j] = pivots[best];
        pivots[best] = kept;
        const double norm = sqrt(sums[best]), value = head[j] > 0.0 ? -norm : norm, first = head[j] - value;
        const double factor = -1.0 / (value * first); /* 2 / v'v of the reflection's v */
        head[j] = first;
        memset(times, 0, sizeof(double) * (size_t)a.stride);
        for (int32_t i = j; i < n_rows; i++) {
            const double *row = a.cells + i * a.stride, own = row[j];
            for (int64_t c = 0; c < a.stride; c++) times[c] += own * row[c];
        }
        for (int64_t c = 0; c < a.stride; c++) times[c] = c <= j ? 0.0 : times[c] * factor;
        for (int32_t i = j; i < n_rows; i++) {
            double *row = a.cells + i * a.stride;
            const double own = row[j];
            for (int64_t c = 0; c < a.stride; c++) row[c] -= times[c] * own;
            row[j] = 0.0;
        }
        head[j] = value;
    } /* end: for j */
}

/* Compute the singular values and right singular vectors of the first n_columns of a = U diag(values) vectors. In the
 * first n = min(n_rows, n_columns) rows of `a`, the columns behind them are multiplied by U'; the others are lost.
 * Values have no order; the vector of a value 0 is 0. Return n. O((n_rows + 40 n_columns) n_columns a.stride). */
static int32_t MOE_L(moe_singular)(moe_matrix_t a /* IN and OUT [n_rows, a.stride] */, int32_t n_rows,
                                   int32_t n_columns, moe_matrix_t vectors /* OUT [n, n_columns] */,
                                   double *values /* OUT [n] */, int32_t *pivots /* workspace [n_columns] */,
                                   double *work /* workspace [2 * a.stride] */, moe_poll_t *poll)
{
    const int32_t n = n_rows < n_columns ? n_rows : n_columns;
    int rotated = 1;
    MOE_L(moe_singular_reduce)(a, n_rows, n_columns, pivots, work, poll);
    /* rows of R in the original order of columns; the columns behind n_columns stay in `a` and are rotated likewise */
    memset(vectors.cells, 0, sizeof(double) * (size_t)(n * vectors.stride));
    for (int32_t j = 0; j < n; j++)
        for (int32_t f = 0; f < n_columns; f++)
            vectors.cells[j * vectors.stride + pivots[f]] = a.cells[j * a.stride + f];
    for (int sweep = 0; rotated && sweep < 40; sweep++) {
        rotated = 0;
        for (int32_t p = 0; p < n; p++) {
            if (moe_poll_stops(poll, (n - p) * vectors.stride / 4)) return n;
            for (int32_t q = p + 1; q < n; q++) {
                double *x = vectors.cells + p * vectors.stride, *y = vectors.cells + q * vectors.stride;
                const double xx = MOE_L(moe_product_dot)(x, x, vectors.stride);
                const double yy = MOE_L(moe_product_dot)(y, y, vectors.stride);
                const double xy = MOE_L(moe_product_dot)(x, y, vectors.stride);
                if (!(fabs(xy) > 1e-14 * sqrt(xx) * sqrt(yy))) continue;
                rotated = 1;
                const double zeta = (yy - xx) / (2.0 * xy);
                const double tangent = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                const double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = cosine * tangent;
                for (int64_t c = 0; c < vectors.stride; c++) {
                    const double left = x[c], right = y[c];
                    x[c] = cosine * left - sine * right;
                    y[c] = sine * left + cosine * right;
                }
                x = a.cells + p * a.stride;
                y = a.cells + q * a.stride;
                for (int64_t c = n_columns; c < a.stride; c++) {
                    const double left = x[c], right = y[c];
                    x[c] = cosine * left - sine * right;
                    y[c] = sine * left + cosine * right;
                }
            }
        } /* end: for p */
    } /* end: for sweep */
    for (int32_t j = 0; j < n; j++) {
        double *row = vectors.cells + j * vectors.stride;
        values[j] = sqrt(MOE_L(moe_product_dot)(row, row, vectors.stride));
        for (int64_t c = 0; c < vectors.stride; c++) row[c] = values[j] > 0.0 ? row[c] / values[j] : 0.0;
    }
    return n;
}
