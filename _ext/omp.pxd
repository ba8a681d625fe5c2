# Every call to the OpenMP runtime is cimported from here.
cdef extern from "base/openmp.h" nogil:
    int enabled "moe_omp_enabled"() noexcept
    int max_threads "moe_omp_max_threads"() noexcept
    int version "moe_omp_version"() noexcept
    int pause "moe_omp_pause"() noexcept
