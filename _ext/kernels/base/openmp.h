/* openmp: the OpenMP calls of this project, with a serial stand-in for each. */
#ifndef MOE_BASE_OPENMP_H
#define MOE_BASE_OPENMP_H

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
/* Add to a number that other threads read and change; returns what it was. */
static inline int64_t moe_openmp_add(int64_t *number, int64_t by)
{
    int64_t before;
#pragma omp atomic capture
    {
        before = *number;
        *number += by;
    }
    return before;
}
static inline int64_t moe_openmp_read(const int64_t *number)
{
    int64_t found;
#pragma omp atomic read
    found = *number;
    return found;
}
static inline int moe_openmp_enabled(void) { return 1; }
static inline int moe_openmp_max_threads(void) { return omp_get_max_threads(); }
static inline int moe_openmp_version(void) { return _OPENMP; }
/* Give the runtime's threads back, so that a forked child can start its own.
 * GNU OpenMP hangs in a child that was forked after a parallel region; it has had
 * this call since GCC 9, long before it claims the version of OpenMP that asks for it. */
static inline int moe_openmp_pause(void)
{
#if _OPENMP >= 201811 || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9)
    return omp_pause_resource_all(omp_pause_soft);
#else
    return 0;
#endif
}
#else
static inline int64_t moe_openmp_add(int64_t *number, int64_t by) { return (*number += by) - by; }
static inline int64_t moe_openmp_read(const int64_t *number) { return *number; }
static inline int moe_openmp_enabled(void) { return 0; }
static inline int moe_openmp_max_threads(void) { return 1; }
static inline int moe_openmp_version(void) { return 0; }
static inline int moe_openmp_pause(void) { return 0; }
#endif

#endif
