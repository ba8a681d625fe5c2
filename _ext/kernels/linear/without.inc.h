/* without: leave-one-out of linear discriminant analysis (linear/discriminant.h). A template: see base/levels.inc.h.
 *
 * Without a row at d from the mean of its class of m rows, the scatter within classes is smaller by m / (m - 1) d d',
 * and the mean moves by -d / (m - 1). In coordinates where the scatter is diagonal (whitened, or along its
 * eigenvectors), the Sherman-Morrison formula takes O(k) for each class, even where shrinkage changes with the trace.
 */

/* Predict row i by learning anew from all others. */
static void MOE_L(moe_without_refit)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, int32_t i,
                                     const moe_discriminant_refit_t *refit, double *answers /* OUT [n_classes] */)
{
    const int32_t n = task->n_learn;
    moe_judges_plan_t split = *plan;
    split.leave_one_out = 0;
    for (int32_t f = 0; f < task->n_features; f++) {
        const double *column = task->learn + (int64_t)f * n;
        double *to = refit->learn + (int64_t)f * (n - 1);
        for (int32_t s = 0; s < i; s++) to[s] = column[s];
        for (int32_t s = i + 1; s < n; s++) to[s - 1] = column[s];
        refit->ask[f] = column[i];
    }
    for (int32_t s = 0; s < n - 1; s++) refit->labels[s] = task->labels[s + (s >= i)];
    MOE_L(moe_discriminant_predict)(&split, &refit->task, refit->work, answers);
}

/* Rotate the rows to axes where the scatter is diagonal: work->rotated [n, width], diagonal work->values, class means
 * work->means. With a given shrinkage, *trace becomes that of the scatter. Return 0 if the scatter is singular. */
static int MOE_L(moe_without_diagonalise)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                          const moe_rows_t *rows, const moe_discriminant_t *work, double *trace)
{
    const int32_t n = task->n_learn, width = rows->width;
    const int64_t stride = rows->reduced.stride;
    const int given = plan->whole[0] == MOE_DISCRIMINANT_LSQR && plan->real[0] > 0.0;
    const int factored = MOE_L(moe_discriminant_learn)(plan, task, rows, work);
    double largest = 0.0, smallest = HUGE_VAL;
    if (width < rows->k || (!given && !factored)) return 0;
    if (!given) {
        const moe_matrix_t transposed = {rows->factor.cells, rows->factor.stride};
        MOE_L(moe_product_transpose)(rows->reduced, n, width, transposed);
        MOE_L(moe_factor_forward)(work->gram, width, transposed, rows->poll);
        MOE_L(moe_product_transpose)(transposed, width, n, work->rotated);
        const double divisor = plan->whole[0] == MOE_DISCRIMINANT_SVD && plan->whole[1] ? n - *work->n_present : n;
        for (int32_t j = 0; j < width; j++) work->values[j] = divisor;
    } else {
        MOE_L(moe_discriminant_means)(task, rows->reduced, work, work->rotated);
        const int32_t n_values = MOE_L(moe_singular)(work->rotated, n, width, work->vectors, work->values, work->pivots,
                                                     work->work, rows->poll);
        for (int32_t j = 0; j < n_values; j++) {
            largest = work->values[j] > largest ? work->values[j] : largest;
            smallest = work->values[j] < smallest ? work->values[j] : smallest;
            work->values[j] *= work->values[j];
            *trace += work->values[j];
        }
        if (!(smallest > 1e-7 * largest)) return 0;
        memset(work->rotated.cells, 0, sizeof(double) * (size_t)(n * work->rotated.stride));
        for (int32_t i = 0; i < n; i++) {
            if (moe_poll_stops(rows->poll, width * stride / 4)) return 0;
            for (int32_t j = 0; j < width; j++)
                work->rotated.cells[i * work->rotated.stride + j] =
                    MOE_L(moe_product_dot)(rows->reduced.cells + i * stride,
                                           work->vectors.cells + j * work->vectors.stride, stride);
        }
    }
    MOE_L(moe_discriminant_means)(task, work->rotated, work, rows->x);
    return 1;
}

/* Predict the rows of task->ask, or with leave-one-out each training row. With m_c, n_c and C, the mean and
 * count of class c and the shrunk covariance without row x: log(n_c / (n - 1)) - 1/2 (x - m_c)' C^-1 (x - m_c). */
static void MOE_L(moe_without_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                       double *answers)
{
    moe_rows_t rows;
    moe_discriminant_t work;
    moe_discriminant_refit_t refit;
    double trace = 0.0;
    if (!plan->leave_one_out) {
        MOE_L(moe_discriminant_predict)(plan, task, buffer, answers);
        return;
    }
    const int64_t at = moe_discriminant_lay(buffer, task, &rows, &work);
    moe_discriminant_lay_refit(buffer + at, task, &refit);
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    const int64_t stride = work.rotated.stride;
    const int regular = MOE_L(moe_without_diagonalise)(plan, task, &rows, &work, &trace);
    const double shrinkage = plan->whole[0] == MOE_DISCRIMINANT_LSQR ? plan->real[0] : 0.0;
    double *inverse = work.scale, *deviation = work.work, *scaled = deviation + stride;
    for (int32_t i = 0; i < n; i++) {
        const int32_t own = task->labels[i], count = work.counts[own];
        const double *row = work.rotated.cells + i * stride, *mean = work.means.cells + own * stride;
        double *cells = answers + (int64_t)i * n_classes, size = 0.0;
        const double removal = count > 1 ? count / (count - 1.0) : 0.0;
        const double divisor = plan->whole[0] == MOE_DISCRIMINANT_SVD && plan->whole[1]
                                   ? n - 1.0 - (*work.n_present - (count == 1))
                                   : n - 1.0;
        const double factor = (1.0 - shrinkage) / divisor;
        if (moe_poll_stops(task->poll, n_classes * stride)) return;
        memset(inverse, 0, sizeof(double) * (size_t)stride);
        for (int64_t j = 0; j < stride; j++) deviation[j] = row[j] - mean[j];
        size = MOE_L(moe_product_dot)(deviation, deviation, stride);
        const double alpha = shrinkage * (trace - removal * size) / ((n - 1.0) * rows.k);
        for (int32_t j = 0; j < rows.width; j++) inverse[j] = 1.0 / (factor * work.values[j] + alpha);
        for (int64_t j = 0; j < stride; j++) scaled[j] = deviation[j] * inverse[j];
        const double remaining = 1.0 - factor * removal * MOE_L(moe_product_dot)(deviation, scaled, stride);
        if (!regular || !(remaining > 1e-6) || (shrinkage == 0.0 && !(remaining > *work.margin)) || !(divisor > 0.0)) {
            MOE_L(moe_without_refit)(plan, task, i, &refit, cells);
            continue;
        }
        for (int32_t c = 0; c < n_classes; c++) {
            const int32_t others = work.counts[c] - (c == own);
            const double *centre = work.means.cells + c * stride;
            double *difference = work.diagonal, *weighed = work.weighed;
            if (others < 1) {
                cells[c] = -HUGE_VAL;
                continue;
            }
            for (int64_t j = 0; j < stride; j++) {
                difference[j] = c == own ? deviation[j] * removal : row[j] - centre[j];
                weighed[j] = difference[j] * inverse[j];
            }
            const double square = MOE_L(moe_product_dot)(difference, weighed, stride);
            const double cross = MOE_L(moe_product_dot)(deviation, weighed, stride);
            cells[c] = moe_elementary_log(others / (n - 1.0)) -
                       0.5 * (square + factor * removal * (cross * cross) / remaining);
        }
        MOE_L(moe_rows_conclude)(plan, 1, n_classes, cells);
    }
}
