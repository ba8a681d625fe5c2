/* scaling: moments of a feature, and how it is scaled by them (judges/scaling.h). A template: see base/levels.inc.h. */

/* Return the sum of x[i] - centre, and add the sum of its squares to *square. */
static MOE_INLINE double MOE_L(moe_scaling_sum)(const double *x, int32_t n, double centre, double *square)
{
    double sums[MOE_SCALING_LANES] = {0}, squares[MOE_SCALING_LANES] = {0};
    int32_t i = 0;
    for (; i + MOE_SCALING_LANES <= n; i += MOE_SCALING_LANES)
        for (int l = 0; l < MOE_SCALING_LANES; l++) {
            double d = x[i + l] - centre;
            sums[l] += d;
            squares[l] += d * d;
        }
    for (int l = 0; i < n; i++, l++) {
        double d = x[i] - centre;
        sums[l] += d;
        squares[l] += d * d;
    }
    *square += ((squares[0] + squares[4]) + (squares[2] + squares[6])) +
               ((squares[1] + squares[5]) + (squares[3] + squares[7]));
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/* Return the moments of all n numbers but x[without], or of all of them if without >= n, in two passes. */
static MOE_INLINE moe_scaling_moments_t MOE_L(moe_scaling_moments)(const double *x, int32_t n, int32_t without)
{
    const int32_t first = without < n ? without : n, rest = without < n ? n - without - 1 : 0, count = first + rest;
    moe_scaling_moments_t moments;
    double square = 0.0, remainder;
    remainder = MOE_L(moe_scaling_sum)(x, first, 0.0, &square);
    if (rest > 0) remainder += MOE_L(moe_scaling_sum)(x + first + 1, rest, 0.0, &square);
    moments.mean = remainder / count;
    square = 0.0;
    remainder = MOE_L(moe_scaling_sum)(x, first, moments.mean, &square);
    if (rest > 0) remainder += MOE_L(moe_scaling_sum)(x + first + 1, rest, moments.mean, &square);
    square -= remainder * remainder / count;
    moments.square = square > 0.0 ? square : 0.0;
    return moments;
}

/* Compute the moments without each x[i] = mean + d: mean - d / (n - 1) and square - d^2 n / (n - 1). n >= 2. */
static MOE_INLINE void MOE_L(moe_scaling_leave_one_out)(const double *x, int32_t n, const moe_scaling_moments_t *all,
                                                        double *means /* OUT [n] */, double *squares /* OUT [n] */)
{
    const double others = n - 1, ratio = n / others, mean = all->mean, square = all->square;
    const double threshold = MOE_SCALING_CANCELLED * square;
    for (int32_t i = 0; i < n; i++) {
        double d = x[i] - mean;
        means[i] = mean - d / others;
        squares[i] = square - d * d * ratio;
    }
    for (int32_t i = 0; i < n; i++)
        if (squares[i] < threshold) {
            moe_scaling_moments_t moments = MOE_L(moe_scaling_moments)(x, n, i);
            means[i] = moments.mean;
            squares[i] = moments.square;
        }
}

/* Return StandardScaler's divisor: the standard deviation, or 1 if the variance may come from rounding a constant. */
static MOE_INLINE double MOE_L(moe_scaling_deviation)(double mean, double square, double n)
{
    double variance = square / n, rounded = n * mean * MOE_SCALING_EPSILON;
    return variance <= n * MOE_SCALING_EPSILON * variance + rounded * rounded ? 1.0 : sqrt(variance);
}

/* Return MinMaxScaler's divisor: the range of a feature, or 1 if it is below 10 epsilon. */
static MOE_INLINE double MOE_L(moe_scaling_range)(double low, double high)
{
    return high - low < 10.0 * MOE_SCALING_EPSILON ? 1.0 : high - low;
}

/* Compute for each row the factor that scales differences of the feature, learnt from all other rows. */
static MOE_INLINE void MOE_L(moe_scaling_factors)(int32_t scaling, const double *x, int32_t n,
                                                  double *scratch /* [n] */, double *factors /* OUT [n] */)
{
    if (scaling == MOE_SCALING_STANDARD) {
        moe_scaling_moments_t all = MOE_L(moe_scaling_moments)(x, n, n);
        MOE_L(moe_scaling_leave_one_out)(x, n, &all, scratch, factors);
        for (int32_t i = 0; i < n; i++)
            factors[i] = 1.0 / MOE_L(moe_scaling_deviation)(scratch[i], factors[i], n - 1);
    } else if (scaling == MOE_SCALING_RANGE) {
        double low = HUGE_VAL, second_low = HUGE_VAL, high = -HUGE_VAL, second_high = -HUGE_VAL;
        for (int32_t i = 0; i < n; i++) {
            if (x[i] < low) {
                second_low = low;
                low = x[i];
            } else if (x[i] < second_low)
                second_low = x[i];
            if (x[i] > high) {
                second_high = high;
                high = x[i];
            } else if (x[i] > second_high)
                second_high = x[i];
        }
        for (int32_t i = 0; i < n; i++)
            factors[i] = 1.0 / MOE_L(moe_scaling_range)(x[i] == low ? second_low : low,
                                                         x[i] == high ? second_high : high);
    } else
        for (int32_t i = 0; i < n; i++) factors[i] = 1.0;
}

static inline void MOE_L(moe_scaling_apply)(int32_t scaling, const moe_judges_task_t *task)
{
    const int32_t n = task->n_learn, n_ask = task->n_ask;
    if (scaling == MOE_SCALING_NONE) return;
    for (int64_t f = 0; f < task->n_features; f++) {
        double *learn = task->learn + f * n, *ask = task->ask + f * n_ask;
        if (moe_poll_stops(task->poll, n)) return;
        if (scaling == MOE_SCALING_STANDARD) {
            moe_scaling_moments_t all = MOE_L(moe_scaling_moments)(learn, n, n);
            double mean = all.mean, scale = MOE_L(moe_scaling_deviation)(mean, all.square, n);
            for (int32_t i = 0; i < n; i++) learn[i] = (learn[i] - mean) / scale;
            for (int32_t i = 0; i < n_ask; i++) ask[i] = (ask[i] - mean) / scale;
        } else {
            double low = learn[0], high = learn[0];
            for (int32_t i = 1; i < n; i++) {
                low = learn[i] < low ? learn[i] : low;
                high = learn[i] > high ? learn[i] : high;
            }
            double factor = 1.0 / MOE_L(moe_scaling_range)(low, high), shift = 0.0 - low * factor;
            for (int32_t i = 0; i < n; i++) learn[i] = learn[i] * factor + shift;
            for (int32_t i = 0; i < n_ask; i++) ask[i] = ask[i] * factor + shift;
        }
    }
}
