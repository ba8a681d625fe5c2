/* bayes: log likelihoods and probabilities (judges/bayes.h). A template: see base/levels.inc.h. */

/* Log likelihoods of some rows, which tell the class as probabilities do; 0 for all classes where one is no number, as
 * squares have overflowed. */
static MOE_INLINE void MOE_L(moe_bayes_logs_of_rows)(const double *joint /* IN [C, stride] */, int32_t stride,
                                                     int32_t n_rows, int32_t C, const int32_t *rows /* see below */,
                                                     double *answers /* OUT [.., C] */)
{
    for (int64_t t = 0; t < n_rows; t++) {
        double *row = answers + (int64_t)(rows ? rows[t] : t) * C;
        int known = 1;
        for (int64_t c = 0; c < C; c++) {
            row[c] = joint[c * stride + t];
            known &= row[c] == row[c];
        }
        for (int64_t c = 0; !known && c < C; c++) row[c] = 0.0;
    }
}

/* Log likelihoods of some rows become probabilities. */
static MOE_INLINE void MOE_L(moe_bayes_shares)(double *joint /* IN and scratch [C, stride] */, int32_t stride,
                                               int32_t n_rows, int32_t C,
                                               const int32_t *rows /* [n_rows] of the answers, or NULL: 0, 1, ... */,
                                               double *answers /* OUT [.., C] */)
{
    for (int32_t begin = 0; begin < n_rows; begin += MOE_BAYES_TILE) {
        const int32_t n = n_rows - begin < MOE_BAYES_TILE ? n_rows - begin : MOE_BAYES_TILE;
        double largest[MOE_BAYES_TILE], sums[MOE_BAYES_TILE];
        for (int32_t t = 0; t < n; t++) {
            largest[t] = -HUGE_VAL;
            sums[t] = 0.0;
        }
        for (int64_t c = 0; c < C; c++) {
            const double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) largest[t] = part[t] > largest[t] ? part[t] : largest[t];
        }
        for (int64_t c = 0; c < C; c++) {
            double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) {
                part[t] = moe_elementary_exp(part[t] - largest[t]);
                sums[t] += part[t];
            }
        }
        for (int64_t c = 0; c < C; c++) {
            double *part = joint + c * stride + begin;
            for (int32_t t = 0; t < n; t++) /* nothing is known where squares have overflowed */
                part[t] = moe_elementary_choose(sums[t] > 0.0, part[t] / sums[t], 1.0 / C);
        }
        for (int32_t t = 0; t < n; t++) {
            double *row = answers + (int64_t)(rows ? rows[begin + t] : begin + t) * C;
            for (int64_t c = 0; c < C; c++) row[c] = joint[c * stride + begin + t];
        }
    }
}

/* The same probability for all classes that there are without row `without` of their order (-1 = with all). */
static MOE_INLINE void MOE_L(moe_bayes_level)(const int32_t *starts, int32_t C, int32_t without,
                                              double *answer /* OUT [C] */)
{
    double present = 0.0;
    for (int32_t c = 0; c < C; c++) {
        int32_t count = starts[c + 1] - starts[c] - (without >= starts[c] && without < starts[c + 1]);
        answer[c] = count > 0;
        present += answer[c];
    }
    for (int32_t c = 0; c < C; c++) answer[c] /= present;
}

static MOE_INLINE double MOE_L(moe_bayes_logs)(const double *x, int32_t n)
{
    double sums[MOE_SCALING_LANES] = {0}, sum = 0.0;
    int32_t i = 0;
    for (; i + MOE_SCALING_LANES <= n; i += MOE_SCALING_LANES)
        for (int l = 0; l < MOE_SCALING_LANES; l++) sums[l] += moe_elementary_log(MOE_BAYES_TWO_PI * x[i + l]);
    for (int l = 0; i < n; i++, l++) sums[l] += moe_elementary_log(MOE_BAYES_TWO_PI * x[i]);
    for (int l = 0; l < MOE_SCALING_LANES; l++) sum += sums[l];
    return sum;
}

#undef MOE_DOUBLES
#undef MOE_WIDTH
#if MOE_HAS_VECTORS
#define MOE_DOUBLES MOE_L(moe_bayes_doubles_t)
#define MOE_WIDTH (MOE_BYTES / 8)
typedef double MOE_DOUBLES __attribute__((vector_size(MOE_BYTES), aligned(8), may_alias));
#else
#define MOE_DOUBLES double
#define MOE_WIDTH 1
#endif

/* Means, and sums of squared distances from them, of the features of a register: those are the lanes, so that a class
 * of few rows costs little. Rows go to four running sums in turn. */
static MOE_INLINE void MOE_L(moe_bayes_moments)(const double *rows /* IN [count, LANES] */, int32_t count,
                                                double *means /* OUT [WIDTH] */, double *squares /* OUT [WIDTH] */)
{
    MOE_DOUBLES mean, sums[4], parts[4], square;
    memset(&mean, 0, sizeof mean);
    for (int pass = 0; pass < 2; pass++) {
        int32_t i = 0;
        memset(sums, 0, sizeof sums);
        memset(parts, 0, sizeof parts);
        for (; i + 4 <= count; i += 4)
            for (int r = 0; r < 4; r++) {
                const MOE_DOUBLES d = *(const MOE_DOUBLES *)(rows + (i + r) * (int64_t)MOE_BAYES_LANES) - mean;
                sums[r] += d;
                if (pass) parts[r] += d * d;
            }
        for (int r = 0; r < 3; r++)
            if (i + r < count) {
                const MOE_DOUBLES d = *(const MOE_DOUBLES *)(rows + (i + r) * (int64_t)MOE_BAYES_LANES) - mean;
                sums[r] += d;
                if (pass) parts[r] += d * d;
            }
        const MOE_DOUBLES left = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        square = (parts[0] + parts[2]) + (parts[1] + parts[3]) - left * left / (double)count;
        mean += left / (double)count; /* the second pass adds what rounding took */
    }
    memcpy(means, &mean, sizeof mean);
    memcpy(squares, &square, sizeof square);
}

/* Moments of each class; returns the largest sum of squared distances of a feature from its mean over all rows. */
static MOE_INLINE double MOE_L(moe_bayes_learn)(const moe_judges_task_t *task, const moe_bayes_work_t *work,
                                                double *spreads /* OUT [k] that sum of each, or NULL */)
{
    const int32_t n = task->n_learn, C = task->n_classes, k = task->n_features;
    double largest = 0.0, means[MOE_BAYES_LANES], squares[MOE_BAYES_LANES];
    for (int32_t f = 0; f < k; f += MOE_BAYES_LANES) {
        const int32_t n_lanes = k - f < MOE_BAYES_LANES ? k - f : MOE_BAYES_LANES;
        if (moe_ear_stops(task->ear, (int64_t)n * MOE_BAYES_LANES)) return largest;
        double mean[MOE_BAYES_LANES] = {0}, between[MOE_BAYES_LANES] = {0}, totals[MOE_BAYES_LANES] = {0};
        int32_t n_before = 0; /* rows of the classes so far */
        const double *column[MOE_BAYES_LANES];
        for (int l = 0; l < MOE_BAYES_LANES; l++)
            column[l] = task->learn + (int64_t)(f + (l < n_lanes ? l : 0)) * n;
        for (int32_t i = 0; i < n; i++)
            for (int l = 0; l < MOE_BAYES_LANES; l++)
                work->column[(int64_t)i * MOE_BAYES_LANES + l] = column[l][work->rows[i]];
        for (int64_t c = 0; c < C; c++) {
            const int32_t begin = work->starts[c], count = work->starts[c + 1] - begin;
            if (!count) continue;
            const double *own = work->column + (int64_t)begin * MOE_BAYES_LANES;
            for (int l = 0; l < MOE_BAYES_LANES; l += MOE_WIDTH)
                MOE_L(moe_bayes_moments)(own + l, count, means + l, squares + l);
            for (int l = 0; l < MOE_BAYES_LANES; l++) squares[l] = squares[l] > 0.0 ? squares[l] : 0.0;
            for (int l = 0; l < n_lanes; l++) {
                work->means[c * k + f + l] = means[l];
                work->variances[c * k + f + l] = squares[l] / count;
            }
            for (int l = 0; l < MOE_BAYES_LANES; l++) { /* `mean` is that of all rows so far */
                const double d = means[l] - mean[l], share = (double)count / (n_before + count);
                mean[l] += d * share;
                between[l] += n_before ? d * d * share * n_before : 0.0; /* squares may have overflowed */
                totals[l] += squares[l];
            }
            n_before += count;
        }
        for (int l = 0; l < n_lanes; l++) largest = totals[l] + between[l] > largest ? totals[l] + between[l] : largest;
        for (int l = 0; spreads && l < n_lanes; l++) spreads[f + l] = totals[l] + between[l];
    }
    return largest;
}

/* What the features take from the log likelihoods of WIDTH * n_registers rows, for one class. */
static MOE_INLINE void MOE_L(moe_bayes_rows)(const double *x, const int32_t *places, int64_t stride, int32_t k,
                                             const double *means, const double *inverses, double constant,
                                             int n_registers, double *joint /* OUT */)
{
    MOE_DOUBLES sums[MOE_BAYES_REGISTERS];
    memset(sums, 0, sizeof sums);
    for (int32_t f = 0; f < k; f++) {
        const double *column = x + places[f] * stride;
        for (int r = 0; r < n_registers; r++) {
            const MOE_DOUBLES d = *(const MOE_DOUBLES *)(column + r * MOE_WIDTH) - means[f];
            sums[r] += d * d * inverses[f];
        }
    }
    for (int r = 0; r < n_registers; r++) *(MOE_DOUBLES *)(joint + r * MOE_WIDTH) = constant - 0.5 * sums[r];
}

/* The same of any n rows; the last ones are summed with some before them, which come to the same again. */
static MOE_INLINE void MOE_L(moe_bayes_joint)(const double *x, const int32_t *places, int64_t stride, int32_t n,
                                              int32_t k, const double *means, const double *inverses, double constant,
                                              double *joint /* OUT [n] */)
{
    const int32_t most = MOE_BAYES_REGISTERS * MOE_WIDTH;
    int32_t t = 0;
    for (; t + most <= n; t += most)
        MOE_L(moe_bayes_rows)(x + t, places, stride, k, means, inverses, constant, MOE_BAYES_REGISTERS, joint + t);
    for (; t + MOE_WIDTH <= n; t += MOE_WIDTH)
        MOE_L(moe_bayes_rows)(x + t, places, stride, k, means, inverses, constant, 1, joint + t);
    if (t < n && n > MOE_WIDTH) {
        t = n - MOE_WIDTH;
        MOE_L(moe_bayes_rows)(x + t, places, stride, k, means, inverses, constant, 1, joint + t);
        return;
    }
    for (; t < n; t++) {
        double sum = 0.0;
        for (int32_t f = 0; f < k; f++) {
            const double d = x[places[f] * stride + t] - means[f];
            sum += d * d * inverses[f];
        }
        joint[t] = constant - 0.5 * sum;
    }
}

#undef MOE_DOUBLES
#undef MOE_WIDTH

/* The same by variances that may be too small to have an inverse. */
static MOE_INLINE void MOE_L(moe_bayes_tiny)(const double *x, const int32_t *places, int64_t stride, int32_t n,
                                             int32_t k, const double *means, const double *variances, double constant,
                                             double *joint /* OUT [n] */)
{
    for (int32_t t = 0; t < n; t++) {
        double sum = 0.0;
        for (int32_t f = 0; f < k; f++) {
            const double d = x[places[f] * stride + t] - means[f];
            sum += d * d / variances[f];
        }
        joint[t] = constant - 0.5 * sum;
    }
}

/* The same where rows have weights; also the share of each class in these, in work->constants. The distances from the
 * mean over all rows count each row once: scikit-learn smooths by them. */
static MOE_INLINE double MOE_L(moe_bayes_weigh)(const moe_judges_task_t *task, const moe_bayes_work_t *work)
{
    const int32_t n = task->n_learn, C = task->n_classes, *labels = task->labels;
    const int64_t k = task->n_features;
    const double *weights = task->weights;
    double largest = 0.0, total = 0.0, *sums = work->constants;
    memset(sums, 0, sizeof(double) * (size_t)C);
    memset(work->means, 0, sizeof(double) * (size_t)C * (size_t)k);
    memset(work->variances, 0, sizeof(double) * (size_t)C * (size_t)k);
    for (int32_t i = 0; i < n; i++) {
        sums[labels[i]] += weights[i];
        total += weights[i];
    }
    for (int64_t f = 0; f < k; f++) {
        const double *x = task->learn + f * n;
        if (moe_ear_stops(task->ear, n)) return largest;
        const double square = MOE_L(moe_scaling_moments)(x, n, n).square;
        largest = square > largest ? square : largest;
        for (int32_t i = 0; i < n; i++) work->means[labels[i] * k + f] += weights[i] * x[i];
        for (int64_t c = 0; c < C; c++)
            if (sums[c] > 0.0) work->means[c * k + f] /= sums[c];
        for (int32_t i = 0; i < n; i++) {
            const double d = x[i] - work->means[labels[i] * k + f];
            work->variances[labels[i] * k + f] += weights[i] * (d * d);
        }
        for (int64_t c = 0; c < C; c++)
            if (sums[c] > 0.0) work->variances[c * k + f] /= sums[c];
    }
    for (int64_t c = 0; c < C; c++) sums[c] /= total;
    return largest;
}

/* Answer from the moments, for rows that are others than those to learn from; the columns of the features are at their
 * `places`. */
static MOE_INLINE void MOE_L(moe_bayes_ask)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                            const moe_bayes_work_t *work, double largest, const int32_t *places,
                                            double *answers)
{
    const int32_t n = task->n_learn, n_ask = task->n_ask, C = task->n_classes, k = task->n_features;
    const double epsilon = plan->real[0] * (largest / n);
    int tiny = 0;
    for (int64_t c = 0; c < C; c++) {
        double *variances = work->variances + c * k;
        const int32_t count = work->starts[c + 1] - work->starts[c];
        const double share = task->weights ? work->constants[c] : (double)count / n;
        work->constants[c] = -HUGE_VAL;
        if (!(share > 0.0)) continue;
        for (int32_t f = 0; f < k; f++) variances[f] += epsilon;
        work->constants[c] = moe_elementary_log(plan->priors ? plan->priors[c] : share);
        if (!(largest > 0.0)) continue;
        work->constants[c] -= 0.5 * MOE_L(moe_bayes_logs)(variances, k);
        for (int32_t f = 0; f < k; f++) tiny |= variances[f] < MOE_BAYES_TINY;
    }
    for (int64_t c = 0; !tiny && c < C; c++)
        for (int64_t f = 0; work->constants[c] > -HUGE_VAL && f < k; f++)
            work->variances[c * k + f] = 1.0 / work->variances[c * k + f];
    for (int32_t begin = 0; begin < n_ask; begin += MOE_BAYES_TILE) {
        const int32_t n_rows = n_ask - begin < MOE_BAYES_TILE ? n_ask - begin : MOE_BAYES_TILE;
        double *out = answers + (int64_t)begin * C;
        if (moe_ear_stops(task->ear, (int64_t)n_rows * C * k / 4)) return;
        if (!(largest > 0.0)) {
            for (int64_t t = 0; t < n_rows; t++) MOE_L(moe_bayes_level)(work->starts, C, -1, out + t * C);
            continue;
        }
        for (int64_t c = 0; c < C; c++) {
            double *joint = work->joint + c * MOE_BAYES_TILE;
            const double constant = work->constants[c], *means = work->means + c * k, *own = work->variances + c * k;
            const double *x = task->ask + begin;
            const int32_t n_used = constant > -HUGE_VAL ? k : 0;
            if (tiny)
                MOE_L(moe_bayes_tiny)(x, places, n_ask, n_rows, n_used, means, own, constant, joint);
            else
                MOE_L(moe_bayes_joint)(x, places, n_ask, n_rows, n_used, means, own, constant, joint);
        }
        if (plan->largest)
            MOE_L(moe_bayes_logs_of_rows)(work->joint, MOE_BAYES_TILE, n_rows, C, NULL, out);
        else
            MOE_L(moe_bayes_shares)(work->joint, MOE_BAYES_TILE, n_rows, C, NULL, out);
    }
}

/* See judges/bayes.h. */
static inline void MOE_L(moe_bayes_make)(const moe_judges_task_t *task, const moe_bayes_all_t *all)
{
    MOE_L(moe_bayes_learn)(task, &all->work, all->spreads);
}

/* Answer for some of the features whose moments are in `all`: work->means and work->variances are scratch. */
static inline void MOE_L(moe_bayes_some)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                         const moe_bayes_all_t *all, const int32_t *places,
                                         const moe_bayes_work_t *work, double *answers)
{
    const int64_t C = task->n_classes, k = task->n_features, n_all = all->n_features;
    double largest = 0.0;
    for (int64_t f = 0; f < k; f++) largest = all->spreads[places[f]] > largest ? all->spreads[places[f]] : largest;
    for (int64_t c = 0; c < C; c++)
        for (int64_t f = 0; f < k; f++) {
            work->means[c * k + f] = all->work.means[c * n_all + places[f]];
            work->variances[c * k + f] = all->work.variances[c * n_all + places[f]];
        }
    memcpy(work->starts, all->work.starts, sizeof(int32_t) * (size_t)(C + 1));
    MOE_L(moe_bayes_ask)(plan, task, work, largest, places, answers);
}

/* joint[i] -= what a feature takes from the log likelihood. */
static MOE_INLINE void MOE_L(moe_bayes_take)(double d, double variance, double factor, double epsilon, double *joint)
{
    double smooth = variance * factor * factor + epsilon;
    d *= factor;
    *joint -= 0.5 * (moe_elementary_log(MOE_BAYES_TWO_PI * smooth) + d * d / smooth);
}

static MOE_INLINE void MOE_L(moe_bayes_one_out)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                                const moe_bayes_work_t *work, double *answers)
{
    const int32_t n = task->n_learn, C = task->n_classes, k = task->n_features;
    const double others = n - 1;
    double *column = work->column, *means = work->means, *squares = work->variances;
    double *factors = work->factors, *epsilons = work->epsilons;
    for (int32_t i = 0; i < n; i++) epsilons[i] = -1.0; /* no feature varies */
    for (int32_t f = 0; f < k; f++) {
        if (moe_ear_stops(task->ear, n)) return;
        for (int32_t i = 0; i < n; i++) column[i] = task->learn[(int64_t)f * n + work->rows[i]];
        MOE_L(moe_scaling_factors)(plan->scaling, column, n, means, factors);
        moe_scaling_moments_t all = MOE_L(moe_scaling_moments)(column, n, n);
        MOE_L(moe_scaling_each)(column, n, &all, means, squares);
        for (int32_t i = 0; i < n; i++) {
            double epsilon = plan->real[0] * (squares[i] / others) * factors[i] * factors[i];
            epsilons[i] = squares[i] > 0.0 && epsilon > epsilons[i] ? epsilon : epsilons[i];
        }
    }
    for (int64_t c = 0; c < C; c++) {
        double count = work->starts[c + 1] - work->starts[c], *joint = work->joint + c * n;
        double other = moe_elementary_log(plan->priors ? plan->priors[c] : count / others);
        double own = moe_elementary_log(plan->priors && count > 1 ? plan->priors[c] : (count - 1) / others);
        if (count == 0) other = -HUGE_VAL;
        for (int32_t i = 0; i < n; i++) joint[i] = i >= work->starts[c] && i < work->starts[c + 1] ? own : other;
    }
    for (int32_t f = 0; f < k; f++) {
        if (moe_ear_stops(task->ear, n)) return;
        for (int32_t i = 0; i < n; i++) column[i] = task->learn[(int64_t)f * n + work->rows[i]];
        MOE_L(moe_scaling_factors)(plan->scaling, column, n, means, factors);
        for (int64_t c = 0; c < C; c++) {
            const int32_t begin = work->starts[c], end = work->starts[c + 1], count = end - begin;
            double *joint = work->joint + c * n;
            if (!count) continue;
            if (moe_ear_stops(task->ear, n)) return;
            moe_scaling_moments_t moments = MOE_L(moe_scaling_moments)(column + begin, count, count);
            const double mean = moments.mean, variance = moments.square / count;
            for (int32_t i = 0; i < begin; i++)
                MOE_L(moe_bayes_take)(column[i] - mean, variance, factors[i], epsilons[i], joint + i);
            for (int32_t i = end; i < n; i++)
                MOE_L(moe_bayes_take)(column[i] - mean, variance, factors[i], epsilons[i], joint + i);
            if (count == 1) continue;
            MOE_L(moe_scaling_each)(column + begin, count, &moments, means, squares);
            for (int32_t i = begin; i < end; i++)
                MOE_L(moe_bayes_take)(column[i] - means[i - begin], squares[i - begin] / (count - 1), factors[i],
                                      epsilons[i], joint + i);
        }
    }
    if (plan->largest)
        MOE_L(moe_bayes_logs_of_rows)(work->joint, n, n, C, work->rows, answers);
    else
        MOE_L(moe_bayes_shares)(work->joint, n, n, C, work->rows, answers);
    for (int32_t i = 0; i < n; i++)
        if (epsilons[i] < 0.0) MOE_L(moe_bayes_level)(work->starts, C, i, answers + (int64_t)work->rows[i] * C);
}

static inline void MOE_L(moe_bayes_answers)(const moe_judges_plan_t *plan, const moe_judges_task_t *task,
                                            const moe_bayes_work_t *work, double *answers)
{
    if (plan->leave_one_out) {
        MOE_L(moe_bayes_one_out)(plan, task, work, answers);
        return;
    }
    const double largest = task->weights ? MOE_L(moe_bayes_weigh)(task, work)
                                         : MOE_L(moe_bayes_learn)(task, work, NULL);
    for (int32_t f = 0; f < task->n_features; f++) work->places[f] = f;
    MOE_L(moe_bayes_ask)(plan, task, work, largest, work->places, answers);
}
