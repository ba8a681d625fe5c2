/* logistic: logistic regression (linear/logistic.h). A template: see base/levels.inc.h. */

/* Count the training rows of each class, give a logit to each class that has some (of two classes only to the second),
 * and set the weight of each row. Rows of weight 0 count too: the penalty makes their class part of the optimum. */
static void MOE_L(moe_logistic_weights)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                        moe_logistic_t *work)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    int32_t n_present = 0, next = 0;
    memset(work->counts, 0, sizeof(int32_t) * (size_t)n_classes);
    for (int32_t i = 0; i < n; i++) work->counts[task->labels[i]]++;
    for (int32_t c = 0; c < n_classes; c++) n_present += work->counts[c] > 0;
    for (int32_t c = 0; c < n_classes; c++) {
        const int has_logit = work->counts[c] && (n_present > 2 || (n_present == 2 && next++));
        work->logit[c] = has_logit ? (n_present > 2 ? next++ : 0) : -1;
        work->intercepts[c] = work->counts[c] ? 0.0 : -HUGE_VAL;
    }
    work->n_logits = n_present > 2 ? n_present : n_present - 1;
    memset(work->weights + n, 0, sizeof(double) * MOE_LOGISTIC_GROUP);
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = task->labels[i];
        const double balanced = plan->whole[1] ? n / ((double)n_present * (double)work->counts[c]) : 1.0;
        work->weights[i] = (plan->priors ? plan->priors[c] : balanced) * (task->weights ? task->weights[i] : 1.0);
    }
}

/* Compute the decision values of n_rows rows, work->prob [n_logits, n_rows], padded with 0. */
static void MOE_L(moe_logistic_decisions)(const moe_logistic_t *work, moe_matrix_t theta, int32_t begin, int32_t n_rows)
{
    const int64_t size = work->width * (int64_t)MOE_LOGISTIC_GROUP;
    for (int32_t i = 0; i < n_rows; i += MOE_LOGISTIC_GROUP) {
        const moe_matrix_t group = {work->groups.cells + (begin + i) / MOE_LOGISTIC_GROUP * size, MOE_LOGISTIC_GROUP};
        MOE_L(moe_product_plain)(theta, group, work->width, work->n_logits, MOE_LOGISTIC_GROUP, 0,
                                 (moe_matrix_t){work->prob.cells + i, work->prob.stride}, NULL);
    }
}

/* Turn the decision values of a tile into probabilities, exp(z_l - max) / sum; return the weighted loss of its rows. */
static double MOE_L(moe_logistic_softmax)(const moe_judges_task_t *task, const moe_logistic_t *work, int32_t begin,
                                          int32_t n_rows)
{
    const int32_t n_logits = work->n_logits;
    const int32_t n = (int32_t)moe_base_round_up(n_rows, MOE_LOGISTIC_GROUP);
    const int64_t stride = work->prob.stride;
    double *own = work->own, *most = work->most, *total = work->total, *losses = work->losses;
    for (int32_t i = 0; i < n; i++) {
        const int32_t logit = i < n_rows ? work->logit[task->labels[begin + i]] : -1;
        own[i] = logit < 0 ? 0.0 : work->prob.cells[logit * stride + i];
        most[i] = n_logits == 1 ? 0.0 : work->prob.cells[i];
    }
    for (int32_t l = 0; l < n_logits; l++) {
        const double *row = work->prob.cells + l * stride;
        for (int32_t i = 0; i < n; i++) most[i] = row[i] > most[i] ? row[i] : most[i];
    }
    for (int32_t i = 0; i < n; i++) total[i] = n_logits == 1 ? moe_elementary_exp(-most[i]) : 0.0;
    for (int32_t l = 0; l < n_logits; l++) {
        double *row = work->prob.cells + l * stride;
        for (int32_t i = 0; i < n; i++) {
            row[i] = moe_elementary_exp(row[i] - most[i]);
            total[i] += row[i];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        losses[i] = moe_elementary_log(total[i]) + (most[i] - own[i]);
        total[i] = 1.0 / total[i];
    }
    for (int32_t l = 0; l < n_logits; l++) {
        double *row = work->prob.cells + l * stride;
        for (int32_t i = 0; i < n; i++) row[i] *= total[i];
    }
    return MOE_L(moe_product_dot)(work->weights + begin, losses, n);
}

/* Return the loss of all rows with its penalty, and compute its gradient; with `refresh` also the factors of H0.
 * `is_zero`: all coefficients are 0. O(n width n_logits), with `refresh` up to width times as much. */
static double MOE_L(moe_logistic_loss)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength,
                                       moe_matrix_t theta, int is_zero, int refresh, moe_matrix_t gradient /* OUT */)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    const int64_t stride = work->design.stride;
    double loss = 0.0, penalty = 0.0;
    memset(gradient.cells, 0, sizeof(double) * (size_t)(n_logits * stride));
    if (refresh) MOE_L(moe_hessian_clear)(work);
    for (int32_t begin = 0; begin < n; begin += MOE_LOGISTIC_TILE) {
        const int32_t n_rows = n - begin < MOE_LOGISTIC_TILE ? n - begin : MOE_LOGISTIC_TILE;
        if (moe_poll_stops(task->poll, n_rows * n_logits * stride * (refresh ? work->width : 1))) return loss;
        if (is_zero)
            memset(work->prob.cells, 0, sizeof(double) * (size_t)(n_logits * work->prob.stride));
        else
            MOE_L(moe_logistic_decisions)(work, theta, begin, n_rows);
        loss += MOE_L(moe_logistic_softmax)(task, work, begin, n_rows);
        if (refresh) MOE_L(moe_hessian_add_tile)(work, begin, n_rows, is_zero);
        for (int32_t i = 0; i < n_rows; i++) {
            const int32_t logit = work->logit[task->labels[begin + i]];
            if (logit >= 0) work->prob.cells[logit * work->prob.stride + i] -= 1.0;
        }
        for (int32_t l = 0; l < n_logits; l++)
            for (int32_t i = 0; i < n_rows; i++)
                work->prob.cells[l * work->prob.stride + i] *= work->weights[begin + i];
        MOE_L(moe_product_plain)(work->prob, (moe_matrix_t){work->design.cells + begin * stride, stride}, n_rows,
                                 n_logits, (int32_t)stride, MOE_PRODUCT_ADD, gradient, NULL);
    }
    if (refresh) MOE_L(moe_hessian_factorise)(work, strength);
    for (int32_t l = 0; l < n_logits; l++)
        for (int32_t f = 0; f < work->n_penalised; f++) {
            const double own = theta.cells[l * stride + f];
            gradient.cells[l * stride + f] += strength * own;
            penalty += own * own;
        }
    return loss + 0.5 * strength * penalty;
}

/* Return the largest absolute entry of the gradient with respect to the coefficients of the caller's features, which
 * are not centred; where there are more features than rows, an upper bound of it, from the gradient's length. */
static double MOE_L(moe_logistic_gradient_max)(const moe_rows_t *rows, const moe_logistic_t *work)
{
    const int intercept = work->width > work->n_penalised, reduced = rows->width < rows->k;
    double largest = 0.0, centre = 0.0;
    for (int32_t f = 0; intercept && reduced && f < rows->k; f++)
        centre = fabs(rows->centre[f]) > centre ? fabs(rows->centre[f]) : centre;
    for (int32_t l = 0; l < work->n_logits; l++) {
        const double *gradient = work->gradient.cells + l * work->gradient.stride;
        const double intercept_entry = intercept ? gradient[work->n_penalised] : 0.0;
        double square = 0.0;
        largest = fabs(intercept_entry) > largest ? fabs(intercept_entry) : largest;
        for (int32_t f = 0; f < work->n_penalised; f++) {
            const double entry = fabs(gradient[f] + (intercept && !reduced ? rows->centre[f] * intercept_entry : 0.0));
            largest = !reduced && entry > largest ? entry : largest;
            square += entry * entry;
        }
        const double length = reduced ? sqrt(square) + centre * fabs(intercept_entry) : 0.0;
        largest = length > largest ? length : largest;
    }
    return largest;
}

/* Compute work->step = -H^-1 gradient from the pairs (Nocedal and Wright, algorithm 7.4). H0^-1 is linear, so the first
 * loop updates H0^-1 q from the stored H0^-1 gradient and H0^-1 y instead of solving with H0 anew. */
static void MOE_L(moe_logistic_direction)(const moe_logistic_t *work)
{
    const int64_t size = work->n_logits * work->theta.stride, stride = work->s.stride;
    double *step = work->step.cells, *q = work->q.cells, alphas[MOE_LOGISTIC_PAIRS];
    for (int64_t c = 0; c < size; c++) {
        q[c] = -work->gradient.cells[c];
        step[c] = -work->h0_gradient.cells[c];
    }
    for (int32_t p = 0; p < work->n_pairs; p++) { /* from the newest */
        const int32_t at = (work->newest + MOE_LOGISTIC_PAIRS - p) % MOE_LOGISTIC_PAIRS;
        const double *y = work->y.cells + at * stride, *h0_y = work->h0_y.cells + at * stride;
        const double alpha = MOE_L(moe_product_dot)(work->s.cells + at * stride, q, size) / work->s_dot_y[at];
        for (int64_t c = 0; c < size; c++) {
            q[c] -= alpha * y[c];
            step[c] -= alpha * h0_y[c];
        }
        alphas[at] = alpha;
    }
    for (int64_t c = 0; c < size; c++) step[c] *= work->gamma;
    for (int32_t p = work->n_pairs - 1; p >= 0; p--) {
        const int32_t at = (work->newest + MOE_LOGISTIC_PAIRS - p) % MOE_LOGISTIC_PAIRS;
        const double *s = work->s.cells + at * stride;
        const double beta = MOE_L(moe_product_dot)(work->y.cells + at * stride, step, size) / work->s_dot_y[at];
        for (int64_t c = 0; c < size; c++) step[c] += (alphas[at] - beta) * s[c];
    }
}

/* Move theta to work->next, which is `length` times work->step away, and store the pair (s, y), the changes
 * of theta and of the gradient, if s' y is large enough. If `refresh`, H0 is new: recompute H0^-1 y of all pairs. */
static void MOE_L(moe_logistic_update)(moe_logistic_t *work, double length, int refresh)
{
    const int64_t size = work->n_logits * work->theta.stride, stride = work->s.stride;
    const int32_t at = work->n_pairs ? (work->newest + 1) % MOE_LOGISTIC_PAIRS : 0;
    double *s = work->s.cells + at * stride, *y = work->y.cells + at * stride;
    double *h0_y = work->h0_y.cells + at * stride, *next_h0 = work->q.cells;
    MOE_L(moe_hessian_solve)(work, work->next_gradient, work->q);
    for (int64_t c = 0; c < size; c++) {
        s[c] = length * work->step.cells[c];
        y[c] = work->next_gradient.cells[c] - work->gradient.cells[c];
        h0_y[c] = next_h0[c] - work->h0_gradient.cells[c];
    }
    memcpy(work->theta.cells, work->next.cells, sizeof(double) * (size_t)size);
    memcpy(work->gradient.cells, work->next_gradient.cells, sizeof(double) * (size_t)size);
    memcpy(work->h0_gradient.cells, next_h0, sizeof(double) * (size_t)size);
    const double s_dot_y = MOE_L(moe_product_dot)(s, y, size);
    if (s_dot_y > DBL_EPSILON * MOE_L(moe_product_dot)(y, y, size)) {
        work->s_dot_y[at] = s_dot_y;
        work->newest = at;
        work->n_pairs += work->n_pairs < MOE_LOGISTIC_PAIRS;
    }
    for (int32_t p = 0; refresh && p < work->n_pairs; p++) {
        const moe_matrix_t from = {work->y.cells + p * stride, work->theta.stride};
        MOE_L(moe_hessian_solve)(work, from, (moe_matrix_t){work->h0_y.cells + p * stride, work->theta.stride});
    }
    if (!work->n_pairs) return;
    const double curvature = MOE_L(moe_product_dot)(work->y.cells + work->newest * stride,
                                                    work->h0_y.cells + work->newest * stride, size);
    if (curvature > 0.0) work->gamma = work->s_dot_y[work->newest] / curvature; /* as of the newest pair */
}

/* Minimise the loss over work->theta, in at most max_iter steps. Step lengths 1, 1/2, .. are tried until the loss falls
 * enough (Armijo's condition, with 1e-4). */
static void MOE_L(moe_logistic_minimise)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const moe_rows_t *rows, moe_logistic_t *work)
{
    const int64_t size = work->n_logits * work->theta.stride;
    const double strength = 1.0 / plan->real[0];
    double total = 0.0;
    double least_steepness = HUGE_VAL; /* smallest so far */
    int32_t next_refresh = 4, n_stalled = 0; /* step that recomputes H0 next; steps without progress */
    for (int32_t i = 0; i < task->n_learn; i++) total += work->weights[i];
    memset(work->theta.cells, 0, sizeof(double) * (size_t)size);
    memset(work->next.cells, 0, sizeof(double) * (size_t)size);
    work->n_pairs = 0;
    work->newest = 0;
    work->by_blocks = 0;
    work->gamma = 1.0;
    double value = MOE_L(moe_logistic_loss)(task, work, strength, work->theta, 1, 1, work->gradient);
    double lowest = value;
    MOE_L(moe_hessian_solve)(work, work->gradient, work->h0_gradient);
    for (int32_t iter = 0; iter < plan->whole[2]; iter++) {
        const double steepness = MOE_L(moe_logistic_gradient_max)(rows, work);
        if (!(steepness > plan->real[1] * total)) break;
        n_stalled = value < lowest - 1e-14 * fabs(lowest) || steepness < 0.9 * least_steepness ? 0 : n_stalled + 1;
        if (n_stalled == MOE_LOGISTIC_STALLED) break; /* only rounding moves theta */
        lowest = value < lowest ? value : lowest;
        least_steepness = steepness < least_steepness ? steepness : least_steepness;
        if (moe_poll_stops(task->poll, size)) return;
        MOE_L(moe_logistic_direction)(work);
        const double slope = MOE_L(moe_product_dot)(work->gradient.cells, work->step.cells, size);
        const int refresh = iter + 1 == next_refresh;
        if (refresh) {
            next_refresh *= 4;
            work->by_blocks = work->n_logits > 1 && work->width <= MOE_LOGISTIC_BLOCKED + 1;
        }
        double length = 1.0, next = 0.0;
        int halving = 0;
        for (; halving < 40; halving++, length *= 0.5) {
            for (int64_t c = 0; c < size; c++)
                work->next.cells[c] = work->theta.cells[c] + length * work->step.cells[c];
            next = MOE_L(moe_logistic_loss)(task, work, strength, work->next, 0, refresh, work->next_gradient);
            if (next <= value + 1e-4 * length * slope + 1e-14 * fabs(value)) break;
        }
        if (halving == 40) break; /* rounding prevents a lower loss */
        MOE_L(moe_logistic_update)(work, length, refresh);
        value = next;
    } /* end: for iter */
}

/* Fill the design matrix, centred features and the constant 1 of an intercept, and its transposed groups of rows. */
static void MOE_L(moe_logistic_design)(const moe_rows_t *rows, moe_logistic_t *work, int32_t intercept)
{
    const int32_t n = rows->n, n_group = MOE_LOGISTIC_GROUP;
    work->n_penalised = rows->width;
    work->width = rows->width + intercept;
    memset(work->design.cells, 0, sizeof(double) * (size_t)(n * work->design.stride));
    for (int32_t i = 0; i < n; i++) {
        double *row = work->design.cells + i * work->design.stride;
        for (int32_t f = 0; f < rows->width; f++) row[f] = rows->reduced.cells[i * rows->reduced.stride + f];
        if (intercept) row[rows->width] = 1.0;
    }
    for (int32_t i = 0; i < n; i += n_group) {
        const moe_matrix_t from = {work->design.cells + i * work->design.stride, work->design.stride};
        MOE_L(moe_product_transpose)(from, n - i < n_group ? n - i : n_group, work->width,
                                     (moe_matrix_t){work->groups.cells + (int64_t)i * work->width, n_group});
    }
}

static void MOE_L(moe_logistic_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task, uint8_t *buffer,
                                        double *answers)
{
    const int32_t intercept = plan->whole[0] != 0;
    moe_rows_t rows;
    moe_logistic_t work;
    moe_logistic_lay(buffer, task, &rows, &work);
    MOE_L(moe_logistic_weights)(plan, task, &work);
    MOE_L(moe_rows_gather)(task, &rows);
    if (intercept) MOE_L(moe_rows_centre)(&rows, work.weights);
    MOE_L(moe_rows_reduce)(&rows);
    if (MOE_L(moe_rows_stop)(&rows)) return;
    MOE_L(moe_logistic_design)(&rows, &work, intercept);
    memset(work.solution.cells, 0, sizeof(double) * (size_t)(work.width * work.solution.stride));
    if (work.n_logits > 0) {
        MOE_L(moe_logistic_minimise)(plan, task, &rows, &work);
        for (int32_t c = 0; c < task->n_classes; c++)
            for (int32_t f = 0; work.logit[c] >= 0 && f < work.width; f++)
                work.solution.cells[f * work.solution.stride + c] =
                    work.theta.cells[work.logit[c] * work.theta.stride + f];
    }
    for (int32_t c = 0; intercept && c < task->n_classes; c++)
        work.intercepts[c] += work.solution.cells[rows.width * work.solution.stride + c];
    MOE_L(moe_rows_expand)(&rows, work.solution);
    if (intercept) MOE_L(moe_rows_centre_asked)(task, &rows);
    MOE_L(moe_rows_answer)(task, &rows, work.intercepts, answers);
    MOE_L(moe_rows_conclude)(plan, task->n_ask, task->n_classes, answers);
}
