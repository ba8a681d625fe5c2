# Rounds of tasks that threads take one by one. Meanwhile thread 0, the caller's, asks Python some times a second
# whether to go on, also after its last task.
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t

from kernels cimport POLL_SLICE, poll_t
cimport omp

# Busy looks at the open tasks of other threads, some hundredths of a millisecond, before thread 0 sleeps in between.
cdef enum:
    LOOKS = 1 << 14


cdef struct round_t:
    int64_t next, end  # the tasks that no thread has taken: next, ..., end - 1
    int64_t n_open     # tasks that threads are at
    int64_t stopped    # above 0: no task begins any more
    void *check        # a callable, or NULL: Python's handlers of signals
    void *raised       # a list of the errors raised meanwhile


cdef inline round_t new_round(check, list raised) noexcept:
    """Return a round without tasks; the caller keeps `check` and `raised` alive."""
    cdef void *asked = <void *>check
    if check is None:
        asked = NULL
    return round_t(0, 0, 0, 0, asked, <void *>raised)


cdef inline void set_tasks(round_t *round, int64_t first, int64_t end) noexcept nogil:
    """Set the tasks of a round: first, ..., end - 1."""
    round.next, round.end, round.n_open = first, end, 0


cdef inline int64_t next_task(round_t *round) noexcept nogil:
    """Take the next task and return its number, -1 = none; call `finish_task` after it."""
    cdef int64_t task
    omp.add(&round.n_open, 1)
    task = omp.add(&round.next, 1)
    if task < round.end and not omp.read(&round.stopped):
        return task
    finish_task(round)
    return -1


cdef inline void finish_task(round_t *round) noexcept nogil:
    """Count a task as finished."""
    omp.add(&round.n_open, -1)


cdef inline int ask_caller(void *caller) noexcept with gil:
    """Call `check`, or Python's handlers of signals; an error that they raise stops the round. Return 1 if stopped."""
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
    """Stop a round, with an error to raise."""
    (<list>round.raised).append(error)
    omp.add(&round.stopped, 1)


cdef inline raise_error(list raised):
    """Raise the error that has stopped a round, if there is one."""
    if raised:
        raise raised[0]


cdef inline int is_stopped(void *caller) noexcept nogil:
    """Return 1 if the round is stopped."""
    return omp.read(&(<round_t *>caller).stopped) != 0


cdef inline poll_t poll_of(round_t *round, int32_t thread) noexcept nogil:
    """Return how a thread learns that the round is stopped: thread 0 asks Python, the others read what it has found."""
    cdef poll_t poll
    poll.ask = ask_caller if thread == 0 else is_stopped
    poll.caller, poll.left, poll.stopped = round, POLL_SLICE, False
    return poll


cdef inline void wait_for_tasks(round_t *round) noexcept nogil:
    """Wait until the other threads have finished their tasks, and ask Python meanwhile."""
    cdef int32_t left = LOOKS
    while omp.read(&round.n_open) and left:
        left -= 1
    if left == 0:
        _sleep_until_done(round)


cdef inline void _sleep_until_done(round_t *round) noexcept with gil:
    """Wait asleep: at first for moments, later for some thousandths of a second at a time."""
    from time import sleep
    cdef double seconds = 2e-5
    while omp.read(&round.n_open):
        try:
            sleep(seconds)
        except BaseException as error:  # `sleep` runs the handlers of signals itself
            stop(round, error)
        if seconds > 5e-3:
            ask_caller(round)
        else:
            seconds *= 1.25
