"""The loop of a watcher: wait for a batch, update, report, survive.

The source is started before the first full update, so that nothing falls between the two.
What an update did not get done stays owed and is tried again, after ever longer pauses. A
fault is told once, not at every attempt, and its end too. Only `stop` ends the loop.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from hebbs_index.errors import HebbsError
from hebbs_index.reports import UpdateReport
from hebbs_index.watch.debounce import Debounce
from hebbs_index.watch.events import RESCAN, Source
from hebbs_index.watch.reading import reason

HEARTBEAT_S = 10.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0

log = logging.getLogger(__name__)

Update = Callable[[frozenset[str] | None], UpdateReport]


def run_watch(
    source: Source,
    debounce: Debounce,
    update: Update,
    *,
    on_report: Callable[[UpdateReport], None],
    on_note: Callable[[str], None],
    heartbeat: Callable[[Mapping[str, Any]], None],
    stop: threading.Event,
    clock: Callable[[], float] = time.monotonic,
    rescan_every_s: float = 300.0,
    keep: Callable[[str], bool] | None = None,
) -> None:
    """Keep updating until `stop` is set; an update of None looks at everything.

    `heartbeat` gets a few facts at every change of state and every ten seconds. `clock`
    gives seconds and never goes back. Without events everything is looked at every
    `rescan_every_s` (0: never). A dirty path that `keep` turns down is dropped.
    """
    watch = _Watch(source, debounce, update, on_report, on_note, heartbeat, clock)
    watch.rescan_every_s = rescan_every_s
    watch.keep = keep or (lambda _path: True)
    # Waiting for two things at once is not possible; a thread turns the one into the other.
    waker = threading.Thread(target=_wake_on, args=(stop, source), daemon=True, name="stop")
    waker.start()
    try:
        watch.run(stop)
    finally:
        source.stop()


def _wake_on(stop: threading.Event, source: Source) -> None:
    stop.wait()
    source.wake()


class _Faults:
    """Tells of a fault once, and of its end."""

    def __init__(self, on_note: Callable[[str], None]) -> None:
        self._on_note = on_note
        self._told: str | None = None

    def tell(self, message: str) -> None:
        if message != self._told:
            self._told = message
            self._on_note(message)

    def clear(self, message: str) -> None:
        if self._told is not None:
            self._told = None
            self._on_note(message)

    @property
    def current(self) -> str | None:
        return self._told


class _Pause:
    """When to try again: each failure doubles the wait."""

    def __init__(self) -> None:
        self.until = 0.0
        self._next_s = FIRST_PAUSE_S

    def begin(self, now: float) -> None:
        self.until = now + self._next_s
        self._next_s = min(2 * self._next_s, LONGEST_PAUSE_S)

    def end(self) -> None:
        self.until = 0.0
        self._next_s = FIRST_PAUSE_S


class _Watch:
    """The state of the loop."""

    def __init__(
        self,
        source: Source,
        debounce: Debounce,
        update: Update,
        on_report: Callable[[UpdateReport], None],
        on_note: Callable[[str], None],
        heartbeat: Callable[[Mapping[str, Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self._source = source
        self._debounce = debounce
        self._update = update
        self._on_report = on_report
        self._on_note = on_note
        self._heartbeat = heartbeat
        self._clock = clock
        self._watching = _Faults(on_note)
        self._updating = _Faults(on_note)
        self._listens = False
        self._owed: set[str] = {RESCAN}
        self._start_pause = _Pause()
        self._update_pause = _Pause()
        self._last_scan = self._last_beat = clock()
        self._facts: dict[str, Any] = {"updates": 0, "last_event": None, "last_update": None}
        self.rescan_every_s = 0.0
        self.keep: Callable[[str], bool] = lambda _path: True

    def run(self, stop: threading.Event) -> None:
        self._beat("starting")
        while not stop.is_set():
            self._listen()
            self._collect_due()
            if self._owed and self._clock() >= self._update_pause.until:
                self._work()
            elif not stop.is_set():
                self._wait()
        self._beat("stopped")

    # ------------------------------------------------------------------ listening

    def _listen(self) -> None:
        """See to it that the source is alive; whatever it missed meanwhile is owed."""
        if self._listens and self._source.is_alive():
            return
        now = self._clock()
        if now < self._start_pause.until:
            return
        if self._listens:
            self._source.stop()
            self._listens = False
            self._on_note("the watcher of the file system died or lost the folder; starting anew")
        try:
            note = self._source.start()
        except OSError as error:
            self._start_pause.begin(now)
            self._watching.tell(f"the folder cannot be watched: {reason(error)}; trying again")
            return
        self._listens = True
        self._start_pause.end()
        self._watching.clear("the folder is watched again")
        self._owed.add(RESCAN)
        if note:
            self._on_note(note)

    def _wait(self) -> None:
        now = self._clock()
        if now - self._last_beat >= HEARTBEAT_S:
            self._beat("waiting" if self._updating.current is None else "failing")
        dirty = {path for path in self._source.take(self._timeout(now)) if self.keep(path)}
        if dirty:
            self._facts["last_event"] = time.time()
            self._debounce.feed(dirty, round(self._clock() * 1000))

    def _timeout(self, now: float) -> float:
        """Seconds until something is to be done without any event."""
        moments = [self._last_beat + HEARTBEAT_S]
        if self._owed:
            moments.append(self._update_pause.until)
        if not self._listens:
            moments.append(self._start_pause.until)
        if self.rescan_every_s and RESCAN not in self._owed:
            moments.append(self._last_scan + self.rescan_every_s)
        settling = self._debounce.wait_ms(round(now * 1000))
        if settling is not None:
            moments.append(now + settling / 1000)
        return max(0.0, min(moments) - now)

    # ------------------------------------------------------------------ working

    def _collect_due(self) -> None:
        now = self._clock()
        self._owed |= self._debounce.due(round(now * 1000)) or frozenset()
        if self.rescan_every_s and now - self._last_scan >= self.rescan_every_s:
            self._owed.add(RESCAN)

    def _work(self) -> None:
        paths = None if RESCAN in self._owed else frozenset(self._owed)
        self._beat("updating")
        try:
            report = self._update(paths)
            self._on_report(report)
        except HebbsError as error:
            self._failed(f"{error}. {error.hint}" if error.hint else str(error))
        except Exception as error:  # whatever one file or one bug does, watching goes on
            log.exception("update failed")
            self._failed(f"update failed: {type(error).__name__}: {error}")
        else:
            self._done(paths)

    def _failed(self, message: str) -> None:
        self._update_pause.begin(self._clock())
        self._updating.tell(message)
        self._beat("failing")

    def _done(self, paths: frozenset[str] | None) -> None:
        self._owed.clear()
        self._update_pause.end()
        if paths is None:
            self._last_scan = self._clock()
        self._updating.clear("updating works again")
        self._facts["updates"] += 1
        self._facts["last_update"] = time.time()
        self._beat("waiting")

    def _beat(self, state: str) -> None:
        self._last_beat = self._clock()
        self._heartbeat(
            {
                **self._facts,
                "state": state,
                "source": self._source.kind,
                "listening": self._listens,
                "waiting_paths": len(self._debounce) + len(self._owed),
                "fault": self._watching.current or self._updating.current,
            }
        )
