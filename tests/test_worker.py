"""The loop of a watcher, with a scripted source and a clock that only the script moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hebbs_index.errors import CorpusVanished, LockBusy
from hebbs_index.watch.debounce import Debounce
from hebbs_index.watch.events import RESCAN
from hebbs_index.watch.worker import run_watch

CALM_S = 3.5


class ScriptedSource:
    """Gives paths at set times; waiting moves the clock; stops the watch at the end."""

    kind = "script"

    def __init__(self, events: Iterable[tuple[float, str]] = (), *, until: float = 1000.0) -> None:
        self.now = 0.0
        self.until = until
        self.events = sorted(events)
        self.stop_event = threading.Event()
        self.log: list[str] = []
        self.waits = 0
        self.alive = True
        self.failures: list[OSError] = []

    def clock(self) -> float:
        return self.now

    def start(self) -> str | None:
        if self.failures:
            raise self.failures.pop(0)
        self.log.append("start")
        self.alive = True
        return None

    def stop(self) -> None:
        self.log.append("stop")

    def wake(self) -> None:
        pass

    def is_alive(self) -> bool:
        return self.alive

    def take(self, timeout_s: float | None) -> frozenset[str]:
        self.waits += 1
        assert timeout_s is not None and timeout_s > 0, "the loop must not spin"
        until = self.now + timeout_s
        if self.events and self.events[0][0] <= until:
            self.now = max(self.now, self.events[0][0])
            return frozenset({self.events.pop(0)[1]})
        self.now = until
        if self.now >= self.until:
            self.stop_event.set()
        return frozenset()


class Watched:
    """A run of the watcher with everything it did."""

    def __init__(self, source: ScriptedSource) -> None:
        self.source = source
        self.updates: list[tuple[float, frozenset[str] | None]] = []
        self.notes: list[str] = []
        self.reports: list[Any] = []
        self.beats: list[dict[str, Any]] = []
        self.faults: list[BaseException | None] = []
        self.during: Callable[[], None] = lambda: None

    def update(self, paths: frozenset[str] | None) -> Any:
        self.source.log.append("update")
        self.updates.append((self.source.now, paths))
        self.during()
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault
        return len(self.updates)

    def run(self, **options: Any) -> Watched:
        run_watch(
            self.source,
            Debounce(),
            self.update,
            on_report=self.reports.append,
            on_note=self.notes.append,
            heartbeat=lambda facts: self.beats.append({"at": self.source.now, **facts}),
            stop=self.source.stop_event,
            clock=self.source.clock,
            **{"rescan_every_s": 0, **options},
        )
        return self


def test_the_source_listens_before_the_first_full_update():
    watched = Watched(ScriptedSource(until=1)).run()

    assert watched.source.log == ["start", "update", "stop"]
    assert watched.updates == [(0.0, None)]
    assert watched.reports == [1]


def test_a_batch_is_updated_once_it_settled():
    watched = Watched(ScriptedSource([(5, "a.md"), (6, "b.md")], until=60)).run()

    assert watched.updates[1:] == [(6 + CALM_S, {"a.md", "b.md"})]


def test_what_happens_during_an_update_is_not_lost():
    source = ScriptedSource([(0.1, "a.md")], until=60)
    watched = Watched(source)
    watched.during = lambda: setattr(source, "now", source.now + 20)

    watched.run()

    assert watched.updates[1][1] == {"a.md"}


def test_a_token_for_everything_becomes_a_full_update():
    watched = Watched(ScriptedSource([(5, "a.md"), (6, RESCAN)], until=60)).run()

    assert [paths for _at, paths in watched.updates] == [None, None]


def test_everything_is_looked_at_now_and_then_without_any_event():
    watched = Watched(ScriptedSource(until=1000)).run(rescan_every_s=300)

    assert [at for at, _paths in watched.updates] == [0, 300, 600, 900]
    assert all(paths is None for _at, paths in watched.updates)


def test_idle_watching_wakes_for_the_heartbeat_alone():
    watched = Watched(ScriptedSource(until=600)).run()

    assert watched.source.waits <= 61
    assert len(watched.beats) <= 64


@pytest.mark.parametrize(
    "fault",
    [
        CorpusVanished(Path("/notes"), "the folder is missing"),
        LockBusy("busy"),
        RuntimeError("bug"),
    ],
)
def test_a_fault_is_told_once_and_the_work_is_owed_until_it_is_done(fault):
    watched = Watched(ScriptedSource([(5, "a.md")], until=120))
    watched.faults = [None, fault, fault, fault, None]

    watched.run()

    assert [paths for _at, paths in watched.updates[1:]] == [{"a.md"}] * 4
    assert [at - watched.updates[1][0] for at, _paths in watched.updates[1:]] == [0, 1, 3, 7]
    assert len(watched.notes) == 2
    assert str(fault) in watched.notes[0] and watched.notes[1] == "updating works again"


def test_a_bug_is_logged_with_its_traceback(caplog):
    watched = Watched(ScriptedSource(until=30))
    watched.faults = [RuntimeError("bug")]

    watched.run()

    assert "Traceback" in caplog.text and "RuntimeError: bug" in caplog.text


def test_paths_of_a_failed_update_are_joined_by_those_that_come_meanwhile():
    watched = Watched(ScriptedSource([(5, "a.md"), (12, "b.md")], until=200))
    watched.faults = [None, *[LockBusy("busy")] * 4, None]

    watched.run()

    assert watched.updates[-1][1] == {"a.md", "b.md"}


def test_attempts_are_ever_rarer_but_never_end():
    watched = Watched(ScriptedSource(until=600))
    watched.faults = [LockBusy("busy")] * 100

    watched.run(rescan_every_s=5)

    times = [at for at, _paths in watched.updates]
    assert [b - a for a, b in pairwise(times)][:7] == [1, 2, 4, 8, 16, 32, 60]
    assert len(watched.notes) == 1


def test_a_dead_source_is_started_anew_and_everything_looked_at():
    source = ScriptedSource([(5, "a.md")], until=60)
    watched = Watched(source)
    watched.during = lambda: setattr(source, "alive", len(watched.updates) != 2)

    watched.run()

    assert source.log == ["start", "update", "update", "stop", "start", "update", "stop"]
    assert watched.updates[-1][1] is None
    assert "starting anew" in watched.notes[0]


def test_a_folder_that_cannot_be_watched_is_told_once_and_tried_again():
    source = ScriptedSource(until=60)
    source.failures = [FileNotFoundError(2, "No such file or directory")] * 3
    watched = Watched(source).run()

    assert len(watched.notes) == 2
    assert "No such file or directory" in watched.notes[0]
    assert watched.notes[1] == "the folder is watched again"
    assert watched.updates[-1] == (7.0, None)


def test_paths_nobody_wants_cost_no_update():
    watched = Watched(ScriptedSource([(5, "target/a.md"), (6, "b.md")], until=60))

    watched.run(keep=lambda path: not path.startswith("target/"))

    assert [paths for _at, paths in watched.updates[1:]] == [{"b.md"}]


def test_the_heartbeat_tells_what_the_watcher_does():
    watched = Watched(ScriptedSource([(5, "a.md")], until=60))
    watched.faults = [None, LockBusy("busy")]
    watched.run()

    assert [beat["state"] for beat in watched.beats][:5] == [
        "starting", "updating", "waiting", "updating", "failing",
    ]  # fmt: skip
    assert watched.beats[-1]["state"] == "stopped"
    assert watched.beats[-1]["updates"] == 2 and watched.beats[-1]["fault"] is None
    failing = next(beat for beat in watched.beats if beat["state"] == "failing")
    assert failing["fault"] == "busy" and failing["waiting_paths"] == 1


def test_stopping_wakes_a_watcher_that_waits_for_events():
    class Sleeper(ScriptedSource):
        def __init__(self) -> None:
            super().__init__()
            self.woken = threading.Event()
            self.asleep = threading.Event()

        def take(self, timeout_s: float | None) -> frozenset[str]:
            self.asleep.set()
            assert self.woken.wait(10), "nobody woke the watcher"
            return frozenset()

        def wake(self) -> None:
            self.woken.set()

    source = Sleeper()
    watched = Watched(source)
    thread = threading.Thread(target=watched.run)
    thread.start()
    assert source.asleep.wait(10)

    source.stop_event.set()
    thread.join(10)

    assert not thread.is_alive() and source.log[-1] == "stop"
