/* poll: lets a kernel that may take long ask its caller, a few times a second, whether to stop.
 *
 * A kernel that is told to stop returns soon. Its outputs are then unusable, but it writes nowhere outside them.
 */
#ifndef MOE_BASE_POLL_H
#define MOE_BASE_POLL_H

#include <stddef.h>
#include <stdint.h>

/* Iterations of a loop between two calls of moe_poll_stops. */
#define MOE_POLL_BLOCK ((int32_t)1 << 18)

/* Steps, of a few nanoseconds each, between two questions to the caller: a few hundredths of a second. */
#define MOE_POLL_SLICE ((int64_t)1 << 22)

typedef struct {
    int (*ask)(void *caller); /* returns 1 to stop */
    void *caller;
    int64_t left; /* steps until the next question */
    int stopped;
} moe_poll_t;

/* Count `n` more steps and return 1 if the kernel must stop; without a poll (NULL) always return 0. */
static inline int moe_poll_stops(moe_poll_t *poll, int64_t n)
{
    if (poll == NULL) return 0;
    poll->left -= n;
    if (poll->left < 0 && !poll->stopped) {
        poll->left = MOE_POLL_SLICE;
        poll->stopped = poll->ask(poll->caller);
    }
    return poll->stopped;
}

/* Loop over i = 0 .. n - 1; each iteration counts as `steps` steps. The poll is asked before every block of
 * MOE_POLL_BLOCK iterations; once it says stop, no further block begins. */
#define MOE_POLL_EACH(i, n, steps, poll)                                                                             \
    for (int32_t i##_from = 0, i##_to = 0;                                                                           \
         i##_from < (n) && (i##_to = (n) - i##_from > MOE_POLL_BLOCK ? i##_from + MOE_POLL_BLOCK : (n),              \
                            !moe_poll_stops(poll, (int64_t)(steps) * (i##_to - i##_from)));                          \
         i##_from = i##_to)                                                                                          \
        for (int32_t i = i##_from; i < i##_to; i++)

#endif
