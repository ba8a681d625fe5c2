# Tasks that threads take one after the other; the one that called listens to signals, also where it has no task left.
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t

from kernels cimport EAR_SLICE, ear_t
cimport omp

# Looks whether the others are done, some hundredths of a millisecond, before the thread that called sleeps in between.
cdef enum:
    LOOKS = 1 << 14


cdef struct round_t:
    # tasks next, next + 1, ..., end - 1; those that threads are at; who is asked, and what he has raised
    int64_t next, end, n_open, stopped
    void *check   # a callable, or NULL: Python's handlers of signals
    void *raised  # a list


cdef inline round_t round_of(check, list raised) noexcept:
    """A round without tasks; the caller keeps both alive."""
    cdef void *asked = <void *>check
    if check is None:
        asked = NULL
    return round_t(0, 0, 0, 0, asked, <void *>raised)


cdef inline void begin(round_t *round, int64_t first, int64_t end) noexcept nogil:
    """Lay tasks out: first, ..., end - 1."""
    round.next, round.end, round.n_open = first, end, 0


cdef inline int64_t take(round_t *round) noexcept nogil:
    """The next task, -1 = none; `done` follows it."""
    cdef int64_t task
    omp.add(&round.n_open, 1)
    task = omp.add(&round.next, 1)
    if task < round.end and not omp.read(&round.stopped):
        return task
    done(round)
    return -1


cdef inline void done(round_t *round) noexcept nogil:
    """A task is at its end."""
    omp.add(&round.n_open, -1)


cdef inline int listens(void *caller) noexcept with gil:
    """Ask `check`, or have Python's handlers of signals run; what is raised stops all tasks."""
    cdef round_t *round = <round_t *>caller
    try:
        if round.check != NULL:
            (<object>round.check)()
        else:
            PyErr_CheckSignals()
    except BaseException as error:
        stop(round, error)
    return round.stopped != 0


cdef inline void stop(round_t *round, error) noexcept:
    """Stop all tasks, with an error to raise."""
    (<list>round.raised).append(error)
    omp.add(&round.stopped, 1)


cdef inline heard(list raised):
    """Raise what has stopped the tasks, if something has."""
    if raised:
        raise raised[0]


cdef inline int follows(void *caller) noexcept nogil:
    """Whether the thread that called has stopped all tasks."""
    return omp.read(&(<round_t *>caller).stopped) != 0


cdef inline ear_t ear_of(round_t *round, int32_t thread) noexcept nogil:
    """The ear of a thread; 0 is the one that called."""
    cdef ear_t ear
    ear.asks = listens if thread == 0 else follows
    ear.caller, ear.left, ear.stopped = round, EAR_SLICE, False
    return ear


cdef inline void wait(round_t *round) noexcept nogil:
    """Listen until the tasks of the other threads are done."""
    cdef int32_t left = LOOKS
    while omp.read(&round.n_open) and left:
        left -= 1
    if left == 0:
        _sleep(round)


cdef inline void _sleep(round_t *round) noexcept with gil:
    """The same, with the processor left to others: at first for moments, later for some hundredths of a second."""
    from time import sleep
    cdef double seconds = 2e-5
    while omp.read(&round.n_open):
        try:
            sleep(seconds)
        except BaseException as error:  # it runs the handlers of signals itself
            stop(round, error)
        if seconds > 5e-3:
            listens(round)
        else:
            seconds *= 1.25
