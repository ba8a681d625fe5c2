"""A disk that may lose power: records what `atomic_file` asks of a folder, and says what any moment may leave of it."""

import itertools
import os
from pathlib import Path

from moeliga.base import atomic_file


class File:
    """An open file that tells its disk what is written."""

    def __init__(self, disk, file, number):
        self.disk, self.file, self.number = disk, file, number

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content):
        self.disk.events.append(("write", self.number, bytes(content)))
        return self.file.write(content)


class Disk:
    """Records creations, writes, flushes and changes of names in a folder, while they happen.

    Attributes
    ----------
    events : list of tuples
        ("write", number, bytes), ("flush", number), ("names", dict from name to number, None = removed),
        ("flush names",); the number is that of a file
    names : dict from name to number, as they are now
    """

    def __init__(self, monkeypatch, folder, flushes=True):
        self.folder, self.events, self.flushes = Path(os.path.realpath(folder)), [], flushes
        self.names, self.start, self.numbers = {}, {}, {}  # inodes are used again
        for number, entry in enumerate(self.folder.iterdir()):
            self.numbers[os.stat(entry).st_ino] = self.names[entry.name] = number
            self.start[number] = entry.read_bytes()
        self.first = dict(self.names)
        usual = {name: getattr(os, name) for name in ("open", "fsync", "replace", "unlink", "link")}

        def opened(path, flags, *rest, **options):
            descriptor = usual["open"](path, flags, *rest, **options)
            self.noted(path, os.fstat(descriptor).st_ino)
            return descriptor

        def fsync(descriptor):
            usual["fsync"](descriptor)
            inode = os.fstat(descriptor).st_ino
            if self.flushes:
                self.events.append(
                    ("flush names",) if inode == os.stat(self.folder).st_ino else ("flush", self.numbers[inode]))

        def replace(source, target):
            usual["replace"](source, target)
            self.change({Path(source).name: None, Path(target).name: self.names[Path(source).name]})

        def link(source, target, **options):
            usual["link"](source, target, **options)
            self.change({Path(target).name: self.names[Path(source).name]})

        def unlink(path, **options):
            usual["unlink"](path, **options)
            self.change({Path(path).name: None})

        def file(path, mode, **options):
            found = open(path, mode, **options)
            inode = os.fstat(found.fileno()).st_ino
            self.noted(path, inode)
            return File(self, found, self.numbers.get(inode))

        for name, function in (("open", opened), ("fsync", fsync), ("replace", replace), ("link", link),
                               ("unlink", unlink)):
            monkeypatch.setattr(os, name, function)
        monkeypatch.setattr(atomic_file, "open", file, raising=False)

    def noted(self, path, inode):
        """Note a file that was opened, if it is new."""
        path = Path(path)
        if path.parent == self.folder and path.name not in self.names:
            self.numbers[inode] = len(self.events) + len(self.start)
            self.change({path.name: self.numbers[inode]})

    def change(self, names):
        self.events.append(("names", names))
        self.names = {name: number for name, number in {**self.names, **names}.items() if number is not None}

    def left(self, n_events):
        """Yield all that a loss of power after so many events may leave in the folder: dict from name to bytes.

        Of what was not flushed, any changes of names, in any order, and of a file none of its bytes, half of them, all,
        or zeros in their place.
        """
        written, flushed, names, pending = dict(self.start), dict(self.start), dict(self.first), []
        for kind, *what in self.events[:n_events]:
            if kind == "write":
                written[what[0]] = written.get(what[0], b"") + what[1]
            elif kind == "flush":
                flushed[what[0]] = written.get(what[0], b"")
            elif kind == "names":
                pending.append(what[0])
            else:
                for change in pending:
                    names |= change
                pending = []
        for kept in itertools.product((False, True), repeat=len(pending)):
            there = dict(names)
            for change in itertools.compress(pending, kept):
                there |= change
            there = {name: number for name, number in there.items() if number is not None}
            choices = []
            for number in there.values():
                new, old = written.get(number, b""), flushed.get(number, b"")
                choices.append({old} if new == old else {old, new[: (len(old) + len(new)) // 2], new, bytes(len(new))})
            for contents in itertools.product(*choices):
                yield dict(zip(there, contents, strict=True))
