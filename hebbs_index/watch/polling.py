"""Watch by looking again and again, where events do not come or cannot be had.

Network and user space file systems deliver no events for what others change; and the
system may have no watches left to give. `WatchSource` decides when it starts, and says so.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path

from hebbs_index.watch.events import RESCAN, EventSource, Source

POLL_S = 10.0
MOUNTS = Path("/proc/self/mountinfo")
_DEAF = frozenset(
    {"9p", "afs", "ceph", "cifs", "drvfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf", "virtiofs"}
)
_LIMITS = {
    errno.ENOSPC: "no more folders can be watched (raise fs.inotify.max_user_watches)",
    errno.EMFILE: "no more watchers are allowed (raise fs.inotify.max_user_instances)",
}


class PollingSource:
    """Says that everything is dirty at a fixed pace; the scan finds what really is."""

    kind = "polling"

    def __init__(
        self, root: Path, *, every_s: float = POLL_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._root = root
        self._every_s = every_s
        self._clock = clock
        self._woken = threading.Event()
        self._next = clock() + every_s

    def start(self) -> None:
        """Begin to count. Raises OSError if there is no root to look at."""
        self._root.stat()
        self._next = self._clock() + self._every_s

    def stop(self) -> None:
        """Nothing is held, so nothing is freed."""

    def take(self, timeout_s: float | None) -> frozenset[str]:
        """Wait until it is time to look again."""
        left = max(0.0, self._next - self._clock())
        self._woken.wait(left if timeout_s is None else min(left, timeout_s))
        self._woken.clear()
        if self._clock() < self._next:
            return frozenset()
        self._next = self._clock() + self._every_s
        return frozenset({RESCAN})

    def wake(self) -> None:
        """Make `take` return at once."""
        self._woken.set()

    def is_alive(self) -> bool:
        """Always: there is nothing that could die."""
        return True


class WatchSource:
    """Events if the file system has them and the system grants them, else polling."""

    def __init__(
        self,
        root: Path,
        *,
        suffixes: Collection[str],
        poll: bool = False,
        every_s: float = POLL_S,
    ) -> None:
        self._events = EventSource(root, suffixes=suffixes)
        self._polling = PollingSource(root, every_s=every_s)
        self._root = root
        self._poll = poll
        self._every_s = every_s
        self._chosen: EventSource | PollingSource = self._events

    @property
    def kind(self) -> str:
        """Which of the two it is now."""
        return self._chosen.kind

    def start(self) -> str | None:
        """Start one of the two; the sentence given says why it is polling, unless asked for."""
        why = None if self._poll else why_deaf(self._root)
        if not (self._poll or why):
            self._chosen = self._events
            try:
                self._events.start()
            except OSError as error:
                why = _LIMITS.get(error.errno or 0)
                if why is None:
                    raise
            else:
                return None
        self._chosen = self._polling
        self._polling.start()
        return f"{why}; looking every {self._every_s:g} s instead" if why else None

    def stop(self) -> None:
        """Stop whichever was started."""
        self._chosen.stop()

    def take(self, timeout_s: float | None) -> frozenset[str]:
        """Wait for dirty paths and take them."""
        return self._chosen.take(timeout_s)

    def wake(self) -> None:
        """Make `take` return at once."""
        self._events.wake()
        self._polling.wake()

    def is_alive(self) -> bool:
        """Whether changes would still be noticed."""
        return self._chosen.is_alive()


def why_deaf(root: Path, mounts: Path = MOUNTS) -> str | None:
    """Why no events are to be expected from the file system of a root, if that is known."""
    kind = file_system(root, mounts)
    if kind is not None and (kind in _DEAF or kind.startswith("fuse")):
        return f"the file system ({kind}) does not tell of all changes"
    return None


def file_system(root: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the file system a folder is on; None where the system does not list them."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    best: tuple[str, str | None] = ("", None)
    for line in lines:
        head, _, tail = line.partition(" - ")
        fields, kinds = head.split(" "), tail.split(" ")
        if len(fields) < 5 or not kinds[0]:
            continue
        point = _unescape(fields[4])
        if root.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kinds[0])
    return best[1]


def _unescape(text: str) -> str:
    for octal, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(octal, char)
    return text


__all__ = ["POLL_S", "PollingSource", "Source", "WatchSource", "file_system", "why_deaf"]
