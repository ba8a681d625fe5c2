/* logistic: logistic regression (linear/logistic.h). A template: see base/levels.inc.h. */

/* Classes that have rows, were these of weight 0 (its penalty makes them part of the optimum), their logits (of two the
 * second one has it) and the weight of each row. */
static void MOE_L(moe_logistic_weigh)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                      moe_logistic_t *work)
{
    const int32_t n = task->n_learn, n_classes = task->n_classes;
    int32_t n_present = 0, next = 0;
    memset(work->counts, 0, sizeof(int32_t) * (size_t)n_classes);
    for (int32_t i = 0; i < n; i++) work->counts[task->labels[i]]++;
    for (int32_t c = 0; c < n_classes; c++) n_present += work->counts[c] > 0;
    for (int32_t c = 0; c < n_classes; c++) {
        const int has = work->counts[c] && (n_present > 2 || (n_present == 2 && next++));
        work->logit[c] = has ? (n_present > 2 ? next++ : 0) : -1;
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

/* work->chance = decision values of the rows of a tile, a row for each logit; behind the last row 0. */
static void MOE_L(moe_logistic_decide)(const moe_logistic_t *work, moe_matrix_t theta, int32_t begin, int32_t n_rows)
{
    const int64_t size = work->width * (int64_t)MOE_LOGISTIC_GROUP;
    for (int32_t i = 0; i < n_rows; i += MOE_LOGISTIC_GROUP) {
        const moe_matrix_t group = {work->groups.cells + (begin + i) / MOE_LOGISTIC_GROUP * size, MOE_LOGISTIC_GROUP};
        MOE_L(moe_product_plain)(theta, group, work->width, work->n_logits, MOE_LOGISTIC_GROUP, 0,
                                 (moe_matrix_t){work->chance.cells + i, work->chance.stride}, NULL);
    }
}

/* Decision values of a tile become probabilities; returns the loss of its rows. */
static double MOE_L(moe_logistic_shares)(const moe_judges_task_t *task, const moe_logistic_t *work, int32_t begin,
                                         int32_t n_rows)
{
    const int32_t n_logits = work->n_logits;
    const int32_t n = (int32_t)moe_base_round_up(n_rows, MOE_LOGISTIC_GROUP);
    const int64_t stride = work->chance.stride;
    double *own = work->own, *most = work->most, *total = work->total, *losses = work->losses;
    for (int32_t i = 0; i < n; i++) {
        const int32_t logit = i < n_rows ? work->logit[task->labels[begin + i]] : -1;
        own[i] = logit < 0 ? 0.0 : work->chance.cells[logit * stride + i];
        most[i] = n_logits == 1 ? 0.0 : work->chance.cells[i];
    }
    for (int32_t l = 0; l < n_logits; l++) {
        const double *row = work->chance.cells + l * stride;
        for (int32_t i = 0; i < n; i++) most[i] = row[i] > most[i] ? row[i] : most[i];
    }
    for (int32_t i = 0; i < n; i++) total[i] = n_logits == 1 ? moe_elementary_exp(-most[i]) : 0.0;
    for (int32_t l = 0; l < n_logits; l++) {
        double *row = work->chance.cells + l * stride;
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
        double *row = work->chance.cells + l * stride;
        for (int32_t i = 0; i < n; i++) row[i] *= total[i];
    }
    return MOE_L(moe_product_dot)(work->weights + begin, losses, n);
}

/* The loss of all rows with its penalty, and its gradient; with `fresh` also what is taken for the Hessian. `zero`: all
 * coefficients are 0. */
static double MOE_L(moe_logistic_loss)(const moe_judges_task_t *task, const moe_logistic_t *work, double strength,
                                       moe_matrix_t theta, int zero, int fresh, moe_matrix_t gradient /* OUT */)
{
    const int32_t n = task->n_learn, n_logits = work->n_logits;
    const int64_t stride = work->design.stride;
    double loss = 0.0, penalty = 0.0;
    memset(gradient.cells, 0, sizeof(double) * (size_t)(n_logits * stride));
    if (fresh) MOE_L(moe_hessian_begin)(work);
    for (int32_t begin = 0; begin < n; begin += MOE_LOGISTIC_TILE) {
        const int32_t n_rows = n - begin < MOE_LOGISTIC_TILE ? n - begin : MOE_LOGISTIC_TILE;
        if (moe_ear_stops(task->ear, n_rows * n_logits * stride * (fresh ? work->width : 1))) return loss;
        if (zero)
            memset(work->chance.cells, 0, sizeof(double) * (size_t)(n_logits * work->chance.stride));
        else
            MOE_L(moe_logistic_decide)(work, theta, begin, n_rows);
        loss += MOE_L(moe_logistic_shares)(task, work, begin, n_rows);
        if (fresh) MOE_L(moe_hessian_tile)(work, begin, n_rows, zero);
        for (int32_t i = 0; i < n_rows; i++) {
            const int32_t logit = work->logit[task->labels[begin + i]];
            if (logit >= 0) work->chance.cells[logit * work->chance.stride + i] -= 1.0;
        }
        for (int32_t l = 0; l < n_logits; l++)
            for (int32_t i = 0; i < n_rows; i++)
                work->chance.cells[l * work->chance.stride + i] *= work->weights[begin + i];
        MOE_L(moe_product_plain)(work->chance, (moe_matrix_t){work->design.cells + begin * stride, stride}, n_rows,
                                 n_logits, (int32_t)stride, MOE_PRODUCT_MORE, gradient, NULL);
    }
    if (fresh) MOE_L(moe_hessian_end)(work, strength);
    for (int32_t l = 0; l < n_logits; l++)
        for (int32_t f = 0; f < work->n_penalised; f++) {
            const double own = theta.cells[l * stride + f];
            gradient.cells[l * stride + f] += strength * own;
            penalty += own * own;
        }
    return loss + 0.5 * strength * penalty;
}

/* Largest entry of the gradient in the coefficients of the caller's features, or a bound of it: rows are centred here,
 * and where there are fewer of them than features, turned. */
static double MOE_L(moe_logistic_steepness)(const moe_rows_t *rows, const moe_logistic_t *work)
{
    const int intercept = work->width > work->n_penalised, turned = rows->width < rows->k;
    double most = 0.0, centre = 0.0;
    for (int32_t f = 0; intercept && turned && f < rows->k; f++)
        centre = fabs(rows->centre[f]) > centre ? fabs(rows->centre[f]) : centre;
    for (int32_t l = 0; l < work->n_logits; l++) {
        const double *gradient = work->gradient.cells + l * work->gradient.stride;
        const double level = intercept ? gradient[work->n_penalised] : 0.0;
        double square = 0.0;
        most = fabs(level) > most ? fabs(level) : most;
        for (int32_t f = 0; f < work->n_penalised; f++) {
            const double entry = fabs(gradient[f] + (intercept && !turned ? rows->centre[f] * level : 0.0));
            most = !turned && entry > most ? entry : most;
            square += entry * entry;
        }
        const double length = turned ? sqrt(square) + centre * fabs(level) : 0.0;
        most = length > most ? length : most;
    }
    return most;
}

/* work->step = -(inverse Hessian) gradient, by the pairs: J. Nocedal's two loops, in which what stands for the inverse
 * Hessian meets each gradient once, since it is linear. */
static void MOE_L(moe_logistic_direct)(const moe_logistic_t *work)
{
    const int64_t size = work->n_logits * work->theta.stride, stride = work->moves.stride;
    double *step = work->step.cells, *rest = work->rest.cells, past[MOE_LOGISTIC_PAIRS];
    for (int64_t c = 0; c < size; c++) {
        rest[c] = -work->gradient.cells[c];
        step[c] = -work->image.cells[c];
    }
    for (int32_t p = 0; p < work->n_pairs; p++) { /* from the newest */
        const int32_t at = (work->newest + MOE_LOGISTIC_PAIRS - p) % MOE_LOGISTIC_PAIRS;
        const double *change = work->changes.cells + at * stride, *image = work->images.cells + at * stride;
        const double part = MOE_L(moe_product_dot)(work->moves.cells + at * stride, rest, size) / work->products[at];
        for (int64_t c = 0; c < size; c++) {
            rest[c] -= part * change[c];
            step[c] -= part * image[c];
        }
        past[at] = part;
    }
    for (int64_t c = 0; c < size; c++) step[c] *= work->scale;
    for (int32_t p = work->n_pairs - 1; p >= 0; p--) {
        const int32_t at = (work->newest + MOE_LOGISTIC_PAIRS - p) % MOE_LOGISTIC_PAIRS;
        const double *move = work->moves.cells + at * stride;
        const double now = MOE_L(moe_product_dot)(work->changes.cells + at * stride, step, size) / work->products[at];
        for (int64_t c = 0; c < size; c++) step[c] += (past[at] - now) * move[c];
    }
}

/* Go on to the coefficients work->next, `length` steps away, where the gradient is work->slope; with `fresh` by another
 * matrix in the place of the inverse Hessian. */
static void MOE_L(moe_logistic_remember)(moe_logistic_t *work, double length, int fresh)
{
    const int64_t size = work->n_logits * work->theta.stride, stride = work->moves.stride;
    const int32_t at = work->n_pairs ? (work->newest + 1) % MOE_LOGISTIC_PAIRS : 0;
    double *move = work->moves.cells + at * stride, *change = work->changes.cells + at * stride;
    double *image = work->images.cells + at * stride, *next = work->rest.cells;
    MOE_L(moe_hessian_solve)(work, work->slope, work->rest);
    for (int64_t c = 0; c < size; c++) {
        move[c] = length * work->step.cells[c];
        change[c] = work->slope.cells[c] - work->gradient.cells[c];
        image[c] = next[c] - work->image.cells[c];
    }
    memcpy(work->theta.cells, work->next.cells, sizeof(double) * (size_t)size);
    memcpy(work->gradient.cells, work->slope.cells, sizeof(double) * (size_t)size);
    memcpy(work->image.cells, next, sizeof(double) * (size_t)size);
    const double product = MOE_L(moe_product_dot)(move, change, size);
    if (product > 2.220446049250313e-16 * MOE_L(moe_product_dot)(change, change, size)) {
        work->products[at] = product;
        work->newest = at;
        work->n_pairs += work->n_pairs < MOE_LOGISTIC_PAIRS;
    }
    for (int32_t p = 0; fresh && p < work->n_pairs; p++) {
        const moe_matrix_t from = {work->changes.cells + p * stride, work->theta.stride};
        MOE_L(moe_hessian_solve)(work, from, (moe_matrix_t){work->images.cells + p * stride, work->theta.stride});
    }
    if (!work->n_pairs) return;
    const double bent = MOE_L(moe_product_dot)(work->changes.cells + work->newest * stride,
                                               work->images.cells + work->newest * stride, size);
    if (bent > 0.0) work->scale = work->products[work->newest] / bent; /* that of the last pair */
}

/* The optimum, or what max_iter steps come to: work->theta. */
static void MOE_L(moe_logistic_descend)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                        const moe_rows_t *rows, moe_logistic_t *work)
{
    const int64_t size = work->n_logits * work->theta.stride;
    const double strength = 1.0 / plan->real[0];
    double total = 0.0;
    double flattest = HUGE_VAL; /* the least steepness so far */
    int32_t due = 4, idle = 0; /* the step before which the Hessian is looked at again; steps that led nowhere */
    for (int32_t i = 0; i < task->n_learn; i++) total += work->weights[i];
    memset(work->theta.cells, 0, sizeof(double) * (size_t)size);
    memset(work->next.cells, 0, sizeof(double) * (size_t)size);
    work->n_pairs = 0;
    work->newest = 0;
    work->by_blocks = 0;
    work->scale = 1.0;
    double value = MOE_L(moe_logistic_loss)(task, work, strength, work->theta, 1, 1, work->gradient);
    double lowest = value;
    MOE_L(moe_hessian_solve)(work, work->gradient, work->image);
    for (int32_t turn = 0; turn < plan->whole[2]; turn++) {
        const double steepness = MOE_L(moe_logistic_steepness)(rows, work);
        if (!(steepness > plan->real[1] * total)) break;
        idle = value < lowest - 1e-14 * fabs(lowest) || steepness < 0.9 * flattest ? 0 : idle + 1;
        if (idle == MOE_LOGISTIC_IDLE) break; /* rounding alone moves it */
        lowest = value < lowest ? value : lowest;
        flattest = steepness < flattest ? steepness : flattest;
        if (moe_ear_stops(task->ear, size)) return;
        MOE_L(moe_logistic_direct)(work);
        const double slope = MOE_L(moe_product_dot)(work->gradient.cells, work->step.cells, size);
        const int fresh = turn + 1 == due;
        if (fresh) {
            due *= 4;
            work->by_blocks = work->n_logits > 1 && work->width <= MOE_LOGISTIC_FEW + 1;
        }
        double length = 1.0, next = 0.0;
        int halving = 0;
        for (; halving < 40; halving++, length *= 0.5) {
            for (int64_t c = 0; c < size; c++)
                work->next.cells[c] = work->theta.cells[c] + length * work->step.cells[c];
            next = MOE_L(moe_logistic_loss)(task, work, strength, work->next, 0, fresh, work->slope);
            if (next <= value + 1e-4 * length * slope + 1e-14 * fabs(value)) break;
        }
        if (halving == 40) break; /* as near as rounding lets it come */
        MOE_L(moe_logistic_remember)(work, length, fresh);
        value = next;
    } /* end: for turn */
}

/* The design: centred features and the constant one, row by row and by groups of rows. */
static void MOE_L(moe_logistic_design)(const moe_rows_t *rows, moe_logistic_t *work, int32_t intercept)
{
    const int32_t n = rows->n, n_group = MOE_LOGISTIC_GROUP;
    work->n_penalised = rows->width;
    work->width = rows->width + intercept;
    memset(work->design.cells, 0, sizeof(double) * (size_t)(n * work->design.stride));
    for (int32_t i = 0; i < n; i++) {
        double *row = work->design.cells + i * work->design.stride;
        for (int32_t f = 0; f < rows->width; f++) row[f] = rows->solved.cells[i * rows->solved.stride + f];
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
    MOE_L(moe_logistic_weigh)(plan, task, &work);
    MOE_L(moe_rows_gather)(task, &rows);
    if (intercept) MOE_L(moe_rows_centre)(&rows, work.weights);
    MOE_L(moe_rows_reduce)(&rows);
    if (MOE_L(moe_rows_stop)(&rows)) return;
    MOE_L(moe_logistic_design)(&rows, &work, intercept);
    memset(work.solution.cells, 0, sizeof(double) * (size_t)(work.width * work.solution.stride));
    if (work.n_logits > 0) {
        MOE_L(moe_logistic_descend)(plan, task, &rows, &work);
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
