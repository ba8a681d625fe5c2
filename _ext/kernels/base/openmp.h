/* openmp: the OpenMP calls of this project; without OpenMP, serial substitutes. */
#ifndef MOE_BASE_OPENMP_H
#define MOE_BASE_OPENMP_H

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
static inline int moe_openmp_enabled(void) { return 1; }
static inline int moe_openmp_max_threads(void) { return omp_get_max_threads(); }
static inline int moe_openmp_version(void) { return _OPENMP; }
/* Release the threads of the OpenMP runtime, so that a forked child can start its own; returns 0 on success. GNU OpenMP
 * hangs in a child that was forked after a parallel region. It has this call since GCC 9, long before it claims the
 * version of OpenMP that requires it. */
static inline int moe_openmp_pause(void)
{
#if _OPENMP >= 201811 || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9)
    return omp_pause_resource_all(omp_pause_soft);
#else
    return 0;
#endif
}
#else
static inline int moe_openmp_enabled(void) { return 0; }
static inline int moe_openmp_max_threads(void) { return 1; }
static inline int moe_openmp_version(void) { return 0; }
static inline int moe_openmp_pause(void) { return 0; }
#endif

/* Atomic access to numbers that several threads share. MSVC has OpenMP 2.0, whose `atomic` cannot return the old value,
 * so its own intrinsics are used there. */
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* Add `by` to a shared number and return its value before the addition. */
static inline int64_t moe_openmp_add(int64_t *number, int64_t by)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return _InterlockedExchangeAdd64(number, by);
#else
    int64_t before;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
    {
        before = *number;
        *number += by;
    }
    return before;
#endif
}

/* Return the current value of a shared number. */
static inline int64_t moe_openmp_read(const int64_t *number)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return __iso_volatile_load64(number);
#else
    int64_t found;
#ifdef _OPENMP
#pragma omp atomic read
#endif
    found = *number;
    return found;
#endif
}

#endif
