/* ear: how a kernel that may take long asks its caller, some times a second, whether to go on.
 *
 * A kernel that is told to stop returns soon. What it leaves behind is of no use; it writes nowhere else than before.
 */
#ifndef MOE_BASE_EAR_H
#define MOE_BASE_EAR_H

#include <stddef.h>
#include <stdint.h>

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

#endif
