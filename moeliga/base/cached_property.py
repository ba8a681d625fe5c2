"""A property that is computed once."""


class kept:
    """As `functools.cached_property`, without its lock.

    Until Python 3.12 that one holds a lock for all instances while it computes: a process that is forked meanwhile
    by another thread waits for it for ever.
    """

    def __init__(self, function):
        self.function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = vars(instance)[self.name] = self.function(instance)
        return value
