/* without: linear discriminant analysis without one row at a time (linear/discriminant.h). A template: see
 * base/levels.inc.h.
 *
 * Without a row of a class of m rows, at d from its mean, the scatter within classes is less by m / (m - 1) d d', and
 * the mean moves by -d / (m - 1). Where the scatter is diagonal (whitened, or along its eigenvectors), Sherman and
 * Morrison's formula then takes O(k) for each class, also where shrinkage changes with the trace.
 */

/* Learn anew without row i. */
static void MOE_L(moe_without_anew)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, int32_t i,
                                    const moe_discriminant_rest_t *rest, double *answers /* OUT [n_classes] */)
{
    const int32_t n = task->n_learn;
    moe_judges_plan_t split = *plan;
    split.leave_one_out = 0;
    for (int32_t f = 0; f < task->n_features; f++) {
        const double *column = task->learn + (int64_t)f * n;
        double *to = rest->learn + (int64_t)f * (n - 1);
        for (int32_t s = 0; s < i; s++) to[s] = column[s];
        for (int32_t s = i + 1; s < n; s++) to[s - 1] = column[s];
        rest->ask[f] = column[i];
    }
    for (int32_t s = 0; s < n - 1; s++) rest->labels[s] = task->labels[s + (s >= i)];
    MOE_L(moe_discriminant_ask)(&split, &rest->task, rest->work, answers);
}

/* Rows along axes where the scatter is diagonal: work->joined [n, width], work->values its diagonal, work->means.
 * Returns 0 where it is singular. */
static int MOE_L(moe_without_turn)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, const moe_rows_t *rows,
                                   const moe_discriminant_t *work, double *trace)
{
    const int32_t n = task->n_learn, width = rows->width;
    const int64_t stride = rows->solved.stride;
    const int given = plan->whole[0] == MOE_DISCRIMINANT_LSQR && plan->real[0] > 0.0;
    const int factored = MOE_L(moe_discriminant_learn)(plan, task, rows, work);
    double largest = 0.0, smallest = HUGE_VAL;
    if (width < rows->k || (!given && !factored)) return 0;
    if (!given) {
        const moe_matrix_t turned = {rows->factor.cells, rows->factor.stride};
        MOE_L(moe_product_transpose)(rows->solved, n, width, turned);
        MOE_L(moe_factor_forward)(work->gram, width, turned, rows->ear);
        MOE_L(moe_product_transpose)(turned, width, n, work->joined);
        const double divisor = plan->whole[0] == MOE_DISCRIMINANT_SVD && plan->whole[1] ? n - *work->n_present : n;
        for (int32_t j = 0; j < width; j++) work->values[j] = divisor;
    } else {
        MOE_L(moe_discriminant_means)(task, rows->solved, work, work->joined);
        const int32_t n_values = MOE_L(moe_singular)(work->joined, n, width, work->vectors, work->values, work->chosen,
                                                     work->work, rows->ear);
        for (int32_t j = 0; j < n_values; j++) {
            largest = work->values[j] > largest ? work->values[j] : largest;
            smallest = work->values[j] < smallest ? work->values[j] : smallest;
            work->values[j] *= work->values[j];
            *trace += work->values[j];
        }
        if (!(smallest > 1e-7 * largest)) return 0;
        memset(work->joined.cells, 0, sizeof(double) * (size_t)(n * work->joined.stride));
        for (int32_t i = 0; i < n; i++) {
            if (moe_ear_stops(rows->ear, width * stride / 4)) return 0;
            for (int32_t j = 0; j < width; j++)
                work->joined.cells[i * work->joined.stride + j] =
                    MOE_L(moe_product_dot)(rows->solved.cells + i * stride,
                                           work->vectors.cells + j * work->vectors.stride, stride);
        }
    }
    MOE_L(moe_discriminant_means)(task, work->joined, work, rows->own);
    return 1;
}

static void MOE_L(moe_without_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                       double *answers)
{
    moe_rows_t rows;
    moe_discriminant_t work;
    moe_discriminant_rest_t rest;
    double trace = 0.0;
    if (!plan->leave_one_out) {
        MOE_L(moe_discriminant_ask)(plan, task, buffer, answers);
        return;
    }
    const int64_t at = moe_discriminant_lay(buffer, task, &rows, &work);
    moe_discriminant_lay_rest(buffer + at, task, &rest);
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    const int64_t stride = work.joined.stride;
    const int regular = MOE_L(moe_without_turn)(plan, task, &rows, &work, &trace);
    const double shrinkage = plan->whole[0] == MOE_DISCRIMINANT_LSQR ? plan->real[0] : 0.0;
    double *inverse = work.scale, *off = work.work, *scaled = off + stride;
    for (int32_t i = 0; i < n; i++) {
        const int32_t own = task->labels[i], count = work.counts[own];
        const double *row = work.joined.cells + i * stride, *mean = work.means.cells + own * stride;
        double *cells = answers + (int64_t)i * n_classes, size = 0.0;
        const double gone = count > 1 ? count / (count - 1.0) : 0.0;
        const double divisor = plan->whole[0] == MOE_DISCRIMINANT_SVD && plan->whole[1]
                                   ? n - 1.0 - (*work.n_present - (count == 1))
                                   : n - 1.0;
        const double factor = (1.0 - shrinkage) / divisor;
        if (moe_ear_stops(task->ear, n_classes * stride)) return;
        memset(inverse, 0, sizeof(double) * (size_t)stride);
        for (int64_t j = 0; j < stride; j++) off[j] = row[j] - mean[j];
        size = MOE_L(moe_product_dot)(off, off, stride);
        const double alpha = shrinkage * (trace - gone * size) / ((n - 1.0) * rows.k);
        for (int32_t j = 0; j < rows.width; j++) inverse[j] = 1.0 / (factor * work.values[j] + alpha);
        for (int64_t j = 0; j < stride; j++) scaled[j] = off[j] * inverse[j];
        const double left = 1.0 - factor * gone * MOE_L(moe_product_dot)(off, scaled, stride);
        if (!regular || !(left > 1e-6) || (shrinkage == 0.0 && !(left > *work.least)) || !(divisor > 0.0)) {
            MOE_L(moe_without_anew)(plan, task, i, &rest, cells);
            continue;
        }
        for (int32_t c = 0; c < n_classes; c++) {
            const int32_t others = work.counts[c] - (c == own);
            const double *centre = work.means.cells + c * stride;
            double *apart = work.diagonal, *weighed = work.apart;
            if (others < 1) {
                cells[c] = -HUGE_VAL;
                continue;
            }
            for (int64_t j = 0; j < stride; j++) {
                apart[j] = c == own ? off[j] * gone : row[j] - centre[j];
                weighed[j] = apart[j] * inverse[j];
            }
            const double square = MOE_L(moe_product_dot)(apart, weighed, stride);
            const double cross = MOE_L(moe_product_dot)(off, weighed, stride);
            cells[c] = moe_elementary_log(others / (n - 1.0)) -
                       0.5 * (square + factor * gone * (cross * cross) / left);
        }
        MOE_L(moe_rows_conclude)(plan, 1, n_classes, cells);
    }
}
