/* buffers: cutting a workspace into its buffers.
 *
 * Parts begin at multiples of 64 bytes. Built with the address sanitizer, a gap that may not be
 * touched follows each of them: without it a buffer that is overrun runs into the next one of the
 * same workspace, which no tool can tell from what was meant. Laying a workspace out anew, also
 * otherwise than before, moves the gaps.
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

/* No NumPy array of less than a kilobyte has a gap in it: NumPy gives those away again without free. */
#ifdef MOE_BUFFERS_GUARDED
#include <sanitizer/asan_interface.h>
#define MOE_BUFFERS_GAP 1024
#else
#define MOE_BUFFERS_GAP 0
#endif

/* The part of `size` bytes that begins at byte *at, which moves on behind it. Without a buffer
 * NULL, and *at counts the bytes that are needed. */
static inline void *moe_buffers_next(uint8_t *buffer /* [*at + size, rounded up, and the gap], or NULL */, int64_t size,
                                     int64_t *at /* IN and OUT */)
{
    uint8_t *part = buffer ? buffer + *at : NULL;
    int64_t whole = moe_base_round_up(size, 64) + MOE_BUFFERS_GAP;
#ifdef MOE_BUFFERS_GUARDED
    if (part) {
        ASAN_UNPOISON_MEMORY_REGION(part, (size_t)size);
        ASAN_POISON_MEMORY_REGION(part + size, (size_t)(whole - size));
    }
#endif
    *at += whole;
    return part;
}

#endif
