/* buffers: cut a workspace into its buffers.
 *
 * Buffers begin at multiples of 64 bytes. With the address sanitizer a poisoned gap follows each buffer: without the
 * gap an overrun would land in the next buffer of the same workspace, which no tool can tell from a valid access.
 * Laying out the same workspace again, even with other sizes, moves the gaps.
 */
#ifndef MOE_BASE_BUFFERS_H
#define MOE_BASE_BUFFERS_H

#include "base/base.h"

#if defined(__SANITIZE_ADDRESS__)
#define MOE_BUFFERS_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOE_BUFFERS_GUARDED 1
#endif
#endif

/* The gap is 1024 bytes, so that no NumPy array below a kilobyte contains one: NumPy reuses such small blocks without
 * calling free, and a poisoned gap would stay in the reused block. */
#ifdef MOE_BUFFERS_GUARDED
#include <sanitizer/asan_interface.h>
#define MOE_BUFFERS_GAP 1024
#else
#define MOE_BUFFERS_GAP 0
#endif

/* Return the buffer of `size` bytes at byte *at of the workspace, and advance *at past it and its gap. If `buffer` is
 * NULL, return NULL and only advance *at, which so adds up the bytes that the workspace needs. */
static inline void *moe_buffers_next(uint8_t *buffer /* [*at + size, rounded up, and the gap], or NULL */, int64_t size,
                                     int64_t *at /* IN and OUT */)
{
    uint8_t *part = buffer ? buffer + *at : NULL;
    int64_t size_with_gap = moe_base_round_up(size, 64) + MOE_BUFFERS_GAP;
#ifdef MOE_BUFFERS_GUARDED
    if (part) {
        ASAN_UNPOISON_MEMORY_REGION(part, (size_t)size);
        ASAN_POISON_MEMORY_REGION(part + size, (size_t)(size_with_gap - size));
    }
#endif
    *at += size_with_gap;
    return part;
}

#endif
