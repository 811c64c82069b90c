"""The two locks that let many processes share an index, and a watcher's heartbeat.

`WriteLock` is held for one transaction and waited for. `WatchLock` is held by a watcher for
its life and never waited for. Both are locks of the operating system: they end with
the process that holds them, however it ends, so none is ever left behind. Beside each
stands a note of who holds it, which only serves to name the holder.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from hebbs_index.errors import HebbsError, LockBusy

WRITE_SECONDS = 10.0  # a transaction takes far less; who waits longer is told so
POLL_SECONDS = 0.01
PROBE_SECONDS = 0.5  # `held` takes a lock for a moment; that is no watcher
HEARTBEAT = "watch.json"


def owner_record(now: float) -> dict[str, Any]:
    """Who this process is, for the note beside a lock."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": round(now, 3),
        "command": " ".join([Path(sys.argv[0]).name or "python", *sys.argv[1:]])[:200],
    }


def read_record(path: Path) -> dict[str, Any] | None:
    """A small JSON object from a file; None if there is none or it is half written."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _describe(record: Mapping[str, Any] | None) -> str:
    if record is None:
        return "another process"
    described = f"process {record.get('pid')} on {record.get('host')}"
    command = record.get("command")
    return f"{described} ({command})" if command else described


class _HeldLock:
    """A lock file with a note of its holder beside it.

    The thread that holds it may take it again; other threads wait as other processes do.
    """

    def __init__(self, directory: Path, name: str, clock: Callable[[], float]) -> None:
        self.path = directory / f"{name}.lock"
        self.note = directory / f"{name}.owner.json"
        self._clock = clock
        self._lock = FileLock(self.path, thread_local=False)
        self._threads = threading.RLock()
        self._depth = 0

    def owner(self) -> dict[str, Any] | None:
        """The holder, as far as a note tells; None if nobody holds the lock."""
        return read_record(self.note) if self.held() else None

    def held(self) -> bool:
        """Whether any process holds the lock now."""
        if self._lock.is_locked:
            return True
        probe = FileLock(self.path, thread_local=False)
        try:
            probe.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:  # no folder yet, or not ours to lock: nobody we could meet
            return False
        probe.release()
        return False

    def _acquire(self, seconds: float, busy: str) -> None:
        if not self._threads.acquire(timeout=max(seconds, 0)):
            raise LockBusy(f"{busy} by another thread of this process")
        try:
            if self._depth == 0:
                self._lock_file(seconds, busy)
            self._depth += 1
        except BaseException:
            self._threads.release()
            raise

    def _lock_file(self, seconds: float, busy: str) -> None:
        try:
            self._lock.acquire(timeout=seconds, poll_interval=POLL_SECONDS)
        except Timeout:
            raise LockBusy(f"{busy} by {_describe(read_record(self.note))}") from None
        except OSError as error:
            raise HebbsError(f"{self.path} cannot be locked: {error}") from error
        with suppress(OSError):  # the note is a courtesy
            self.note.write_text(json.dumps(owner_record(self._clock())), encoding="utf-8")

    def _release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            with suppress(OSError):
                self.note.unlink(missing_ok=True)
            self._lock.release()
        self._threads.release()


class WriteLock(_HeldLock):
    """Held around every write to journals and database; usable as a context manager.

    A thread that holds it may take it again.
    """

    def __init__(
        self,
        directory: Path,
        *,
        seconds: float = WRITE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(directory, "write", clock)
        self._seconds = seconds

    def __enter__(self) -> Self:
        """Wait for the lock. Raises LockBusy, naming the holder, after `seconds`."""
        self._acquire(self._seconds, f"{self.path.parent} is being written")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()


class WatchLock(_HeldLock):
    """Held by the one watcher of an index for its life; usable as a context manager."""

    def __init__(self, directory: Path, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(directory, "watch", clock)

    def __enter__(self) -> Self:
        """Take the lock at once. Raises LockBusy, naming the watcher that lives."""
        self._acquire(PROBE_SECONDS, f"{self.path.parent} is already watched")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()


class Heartbeat:
    """A file in which a watcher says, now and then, that it lives and what it does."""

    def __init__(self, directory: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = directory / HEARTBEAT
        self._clock = clock
        self._started = clock()

    def beat(self, **facts: Any) -> None:
        """Write who watches since when, the time now, and some facts."""
        record = owner_record(self._started) | {"beat": round(self._clock(), 3)} | facts
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with suppress(OSError):  # a full disk must not end the watcher
            temporary.write_text(json.dumps(record), encoding="utf-8")
            temporary.replace(self.path)

    def read(self) -> dict[str, Any] | None:
        """The last beat of any watcher, None if there never was one."""
        return read_record(self.path)

    def stop(self) -> None:
        """Take the file away: the watcher ends in order."""
        self.path.unlink(missing_ok=True)


def read_heartbeat(directory: Path) -> dict[str, Any] | None:
    """The last heartbeat of the watcher that runs on this index; None if none runs."""
    lock = WatchLock(directory)
    if not lock.held():
        return None
    owner = read_record(lock.note) or {}
    beat = read_record(directory / HEARTBEAT) or {}
    return {**beat, **owner} if beat.get("pid") == owner.get("pid") else owner
