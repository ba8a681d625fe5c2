/* ear: lets a kernel that may take long ask its caller, a few times a second, whether to stop.
 *
 * A kernel that is told to stop returns soon. Its outputs are then unusable, but it writes nowhere outside them.
 */
#ifndef MOE_BASE_EAR_H
#define MOE_BASE_EAR_H

#include <stddef.h>
#include <stdint.h>

/* Iterations of a loop between two calls of moe_ear_stops. */
#define MOE_EAR_BLOCK ((int32_t)1 << 18)

/* Steps, of a few nanoseconds each, between two questions to the caller: a few hundredths of a second. */
#define MOE_EAR_SLICE ((int64_t)1 << 22)

typedef struct {
    int (*asks)(void *caller); /* returns 1 to stop */
    void *caller;
    int64_t left; /* steps until the next question */
    int stopped;
} moe_ear_t;

/* Count `n` more steps and return 1 if the kernel must stop; with NULL instead of an ear always return 0. */
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

/* Loop over i = 0 .. n - 1; each iteration counts as `steps` steps. The ear is asked before every block of
 * MOE_EAR_BLOCK iterations; once it says stop, no further block begins. */
#define MOE_EAR_EACH(i, n, steps, ear)                                                                               \
    for (int32_t i##_from = 0, i##_to = 0;                                                                           \
         i##_from < (n) && (i##_to = (n) - i##_from > MOE_EAR_BLOCK ? i##_from + MOE_EAR_BLOCK : (n),                \
                            !moe_ear_stops(ear, (int64_t)(steps) * (i##_to - i##_from)));                            \
         i##_from = i##_to)                                                                                          \
        for (int32_t i = i##_from; i < i##_to; i++)

#endif
