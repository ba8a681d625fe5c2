# Every call to the OpenMP runtime is cimported from here.
from libc.stdint cimport int64_t

cdef extern from "base/openmp.h" nogil:
    int enabled "moe_openmp_enabled"() noexcept
    int max_threads "moe_openmp_max_threads"() noexcept
    int version "moe_openmp_version"() noexcept
    int64_t add "moe_openmp_add"(int64_t *number, int64_t by) noexcept
    int64_t read "moe_openmp_read"(const int64_t *number) noexcept
    int pause "moe_openmp_pause"() noexcept
