"""When to start working on what changed: a pure state machine with the clock passed in.

A path is quiet once nothing was heard of it for `quiet_ms`. When all paths of a batch are
quiet, the batch still settles for `settle_ms`, since saves come in flocks and the work
is heavy: it is due `quiet_ms + settle_ms` after the last event. More than `burst_events`
paths heard of within one such time make it a burst (a checkout, a copied folder), which is
due only `burst_quiet_ms` after its last event. However busy it stays, a batch is due
`ceiling_ms` after its first event.

Times are milliseconds of any clock that never goes back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class Debounce:
    """Collects paths and releases each batch once, when it is due."""

    def __init__(
        self,
        *,
        quiet_ms: int = 500,
        settle_ms: int = 3000,
        burst_events: int = 20,
        burst_quiet_ms: int = 10_000,
        ceiling_ms: int = 30_000,
    ) -> None:
        self._calm_ms = quiet_ms + settle_ms
        self._burst_events = burst_events
        self._burst_ms = max(burst_quiet_ms, self._calm_ms)
        self._ceiling_ms = ceiling_ms
        self._paths: set[str] = set()
        self._recent: deque[tuple[int, int]] = deque()  # when how many paths were heard of
        self._heard = 0  # the sum of these
        self._first = self._last = 0
        self._is_burst = False

    def __len__(self) -> int:
        return len(self._paths)

    def feed(self, paths: Iterable[str], now_ms: int) -> None:
        """Take note of paths that something happened to."""
        fresh = set(paths)
        if not fresh:
            return
        if not self._paths:
            self._first = now_ms
            self._is_burst = False
        self._paths |= fresh
        self._last = now_ms
        self._count(len(fresh), now_ms)

    def due(self, now_ms: int) -> frozenset[str] | None:
        """The batch, if it is time for it; nothing of it is given again."""
        if not self._paths or now_ms < self._due_at():
            return None
        batch = frozenset(self._paths)
        self._paths.clear()
        return batch

    def wait_ms(self, now_ms: int) -> int | None:
        """How long until the batch is due if nothing more happens; None without a batch."""
        return max(0, self._due_at() - now_ms) if self._paths else None

    def _due_at(self) -> int:
        calm = self._last + (self._burst_ms if self._is_burst else self._calm_ms)
        return min(calm, self._first + self._ceiling_ms)

    def _count(self, paths: int, now_ms: int) -> None:
        self._recent.append((now_ms, paths))
        self._heard += paths
        while self._recent[0][0] < now_ms - self._calm_ms:
            self._heard -= self._recent.popleft()[1]
        self._is_burst = self._is_burst or self._heard > self._burst_events
