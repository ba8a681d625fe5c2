"""A property that is computed once."""


class cached_property:
    """A `functools.cached_property` without a lock.

    Before Python 3.12 `cached_property` has a lock for all instances: in a process that another thread forks while a
    value is computed, it is never released.
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
