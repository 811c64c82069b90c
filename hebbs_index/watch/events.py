"""Turn file system events into dirty paths. The only module that knows watchdog.

An event is a hint: the handler reads no file, decides nothing and never fails; it puts
the path, or both ends of a move, into `DirtyPaths`. Where an event may stand for more than
it says (a folder that came, went or changed its rights, an ignore file, a lost event) the
folder or the whole root is dirty.

What the kernel drops when its queue is full leaves no event. watchdog then logs a
warning, which is listened for; and since other versions are silent, so many events in a row
that the queue may have been full count as lost ones too.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
import time
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from hebbs_index.watch.ignore import IGNORE_FILES

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

RESCAN = ""  # the dirty path that stands for everything below the root
MOST_PATHS = 20_000  # more dirty paths than this cost more than a scan of everything
STORM_EVENTS = 4096  # a quarter of what Linux queues by default (fs.inotify.max_queued_events)
STORM_GAP_S = 5.0  # events further apart than this do not belong to one storm
QUEUE_LIMIT = Path("/proc/sys/fs/inotify/max_queued_events")

# Opening and closing without a change is left out here, so that the kernel does not even
# queue what our own reading causes.
_WANTED: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    FileClosedEvent,
    FileAttribEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
    DirAttribEvent,
]
_SILENT = frozenset({".git", ".hebbs", ".hg", ".svn", ".bzr", ".jj"})
_IRRELEVANT = frozenset({"opened", "closed_no_write"})


class Source(Protocol):
    """Where dirty paths come from."""

    @property
    def kind(self) -> str:
        """A word for it: events or polling."""

    def start(self) -> str | None:
        """Begin to listen; gives a sentence if there is something to say about how.

        Raises OSError if the root cannot be watched.
        """

    def stop(self) -> None:
        """Stop listening and free everything; start may follow."""

    def take(self, timeout_s: float | None) -> frozenset[str]:
        """Wait for dirty paths and take them all; none after the timeout or `wake`."""

    def wake(self) -> None:
        """Make `take` return at once, now or the next time."""

    def is_alive(self) -> bool:
        """Whether events would still arrive."""


class DirtyPaths:
    """A set of paths that one thread fills and another empties, bounded in size."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[str] = set()
        self._woken = False

    def add(self, path: str) -> None:
        """Add a path below the root, or RESCAN."""
        with self._changed:
            if RESCAN in self._paths:
                return
            if path == RESCAN or len(self._paths) >= MOST_PATHS:
                self._paths = {RESCAN}
            else:
                self._paths.add(path)
            self._changed.notify()

    def wake(self) -> None:
        """Make the waiting thread go on without a path."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def take(self, timeout_s: float | None) -> frozenset[str]:
        """Wait until there are paths and take them; empty after the timeout or `wake`."""
        with self._changed:
            self._changed.wait_for(lambda: self._paths or self._woken, timeout_s)
            taken = frozenset(self._paths)
            self._paths = set()
            self._woken = False
            return taken


class DirtyHandler(FileSystemEventHandler):
    """Puts what happened below a root into `DirtyPaths`."""

    def __init__(self, root: str, dirty: DirtyPaths, suffixes: Collection[str]) -> None:
        self._root = root
        self._dirty = dirty
        self._suffixes = frozenset(suffixes)
        self._storm = _storm_size()
        self._in_storm = 0
        self._last = time.monotonic()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take note of an event of any kind."""
        self._count()
        if event.event_type in _IRRELEVANT or (
            event.is_directory and event.event_type == "modified"
        ):
            return
        for path in (event.src_path, event.dest_path):
            if path:
                self._note(os.fsdecode(path), is_folder=event.is_directory)

    def _note(self, path: str, *, is_folder: bool) -> None:
        inside = self._below(path)
        if inside is None:
            return
        parts = inside.split("/")
        if not _SILENT.isdisjoint(parts):
            return
        if is_folder:
            self._dirty.add(inside)
        elif parts[-1] in IGNORE_FILES:
            self._dirty.add("/".join(parts[:-1]))
        elif PurePosixPath(parts[-1]).suffix.lower() in self._suffixes:
            self._dirty.add(inside)

    def _below(self, path: str) -> str | None:
        if path == self._root:
            return RESCAN
        prefix = self._root.rstrip(os.sep) + os.sep
        inside = path.removeprefix(prefix)
        return None if inside == path else inside.replace(os.sep, "/")

    def _count(self) -> None:
        now = time.monotonic()
        self._in_storm = self._in_storm + 1 if now - self._last < STORM_GAP_S else 1
        self._last = now
        if self._in_storm >= self._storm:
            self._in_storm = 0
            self._dirty.add(RESCAN)


def _storm_size() -> int:
    try:
        return max(1, min(STORM_EVENTS, int(QUEUE_LIMIT.read_text()) // 4))
    except (OSError, ValueError):
        return STORM_EVENTS


class _OverflowListener(logging.Handler):
    """Hears watchdog say that events were lost."""

    def __init__(self, dirty: DirtyPaths) -> None:
        super().__init__(logging.WARNING)
        self._dirty = dirty

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in str(record.msg).lower():
            self._dirty.add(RESCAN)


class EventSource:
    """Dirty paths from the events of the operating system."""

    kind = "events"

    def __init__(self, root: Path, *, suffixes: Collection[str]) -> None:
        self._root = root
        self._suffixes = suffixes
        self._dirty = DirtyPaths()
        self._listener = _OverflowListener(self._dirty)
        self._observer: BaseObserver | None = None
        self._identity: tuple[int, int] | None = None

    def start(self) -> None:
        """Watch every folder below the root.

        Raises OSError: ENOSPC if the limit of watches is reached, EMFILE if that of
        watchers is, ENOENT and the like if the root cannot be watched.
        """
        path = os.path.realpath(self._root)  # a link itself has no events of what is behind it
        self._identity = _identity(self._root)
        self._observer = _observe(path, DirtyHandler(path, self._dirty, self._suffixes))
        logging.getLogger("watchdog.observers").addHandler(self._listener)
        if _is_exhausted(path):
            self.stop()
            # watchdog passes over folders it could not watch without a word.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    def stop(self) -> None:
        """Stop watching."""
        logging.getLogger("watchdog.observers").removeHandler(self._listener)
        observer, self._observer = self._observer, None
        if observer is not None:
            _end(observer)

    def take(self, timeout_s: float | None) -> frozenset[str]:
        """Wait for dirty paths and take them."""
        return self._dirty.take(timeout_s)

    def wake(self) -> None:
        """Make `take` return at once."""
        self._dirty.wake()

    def is_alive(self) -> bool:
        """Whether all threads live and the root is still the folder that is watched."""
        observer = self._observer
        if observer is None or not observer.is_alive() or not observer.emitters:
            return False
        try:
            same = _identity(self._root) == self._identity
        except OSError:
            return False
        readers = [getattr(emitter, "_inotify_fd", None) for emitter in observer.emitters]
        threads = [*observer.emitters, *(r for r in readers if isinstance(r, threading.Thread))]
        return same and all(thread.is_alive() for thread in threads)


def _identity(root: Path) -> tuple[int, int]:
    result = root.stat()
    return result.st_dev, result.st_ino


def _observe(path: str, handler: FileSystemEventHandler, *, recursive: bool = True) -> BaseObserver:
    observer = Observer()
    try:
        observer.schedule(handler, path, recursive=recursive, event_filter=_WANTED)
        observer.start()
    except OSError:
        observer.stop()
        raise
    return observer


def _end(observer: BaseObserver) -> None:
    observer.stop()
    if observer.is_alive():
        observer.join()


def _is_exhausted(path: str) -> bool:
    """Whether not one more folder could be watched, so that some may not be."""
    try:
        _end(_observe(path, FileSystemEventHandler(), recursive=False))
    except OSError as error:
        return error.errno == errno.ENOSPC
    return False
