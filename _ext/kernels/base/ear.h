/* ear: how a kernel that may take long asks its caller, some times a second, whether to go on.
 *
 * A kernel that is told to stop returns soon. What it leaves behind is of no use; it writes nowhere else than before.
 */
#ifndef MOE_BASE_EAR_H
#define MOE_BASE_EAR_H

#include <stddef.h>
#include <stdint.h>

/* Rounds of a loop between two looks at the steps that are left. */
#define MOE_EAR_BLOCK ((int32_t)1 << 18)

/* Steps of some nanoseconds, together some hundredths of a second, between two questions. */
#define MOE_EAR_SLICE ((int64_t)1 << 22)

typedef struct {
    int (*asks)(void *caller); /* whether to stop */
    void *caller;
    int64_t left; /* steps until the next question */
    int stopped;
} moe_ear_t;

/* Whether to stop, before `n` more steps; never without an ear. */
static inline int moe_ear_stops(moe_ear_t *ear, int64_t n)
{
    if (ear == NULL) return 0;
    ear->left -= n;
    if (ear->left < 0 && !ear->stopped) {
        ear->left = MOE_EAR_SLICE;
        ear->stopped = ear->asks(ear->caller);
    }
    return ear->stopped;
}

/* for i = 0 .. n - 1, each of so many `steps`; ends between two blocks of rounds once the ear has stopped, and begins
 * none then. */
#define MOE_EAR_EACH(i, n, steps, ear)                                                                               \
    for (int32_t i##_from = 0, i##_to = 0;                                                                           \
         i##_from < (n) && (i##_to = (n) - i##_from > MOE_EAR_BLOCK ? i##_from + MOE_EAR_BLOCK : (n),                \
                            !moe_ear_stops(ear, (int64_t)(steps) * (i##_to - i##_from)));                            \
         i##_from = i##_to)                                                                                          \
        for (int32_t i = i##_from; i < i##_to; i++)

#endif
