# Every call to the OpenMP runtime is cimported from here.
cdef extern from "base/openmp.h" nogil:
    int enabled "moe_openmp_enabled"() noexcept
    int max_threads "moe_openmp_max_threads"() noexcept
    int version "moe_openmp_version"() noexcept
    int pause "moe_openmp_pause"() noexcept
