"""Events become dirty paths: with events made by hand, then with those of a real file system."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog import events as happened

from hebbs_index.watch import events
from hebbs_index.watch.events import RESCAN, DirtyHandler, DirtyPaths, EventSource
from hebbs_index.watch.polling import PollingSource, WatchSource, file_system, why_deaf

SUFFIXES = {".md", ".txt"}
DEADLINE_S = 10.0


class Tape:
    """A handler for `/notes` and what came of the events played to it."""

    def __init__(self) -> None:
        self.dirty = DirtyPaths()
        self.handler = DirtyHandler("/notes", self.dirty, SUFFIXES)

    def play(self, *played: happened.FileSystemEvent) -> set[str]:
        for event in played:
            self.handler.dispatch(event)
        return set(self.dirty.take(0))


@pytest.fixture
def tape() -> Tape:
    return Tape()


# ------------------------------------------------------------------ what an event means


@pytest.mark.parametrize(
    "event",
    [
        happened.FileCreatedEvent("/notes/x/a.md"),
        happened.FileModifiedEvent("/notes/x/a.md"),
        happened.FileClosedEvent("/notes/x/a.md"),
        happened.FileDeletedEvent("/notes/x/a.md"),
        happened.FileAttribEvent("/notes/x/a.md"),
        happened.FileModifiedEvent(b"/notes/x/a.md"),
        happened.FileMovedEvent("/notes/x/a.md", "/notes/x/a.md~"),
        happened.FileMovedEvent("/notes/x/a.md.tmp.47", "/notes/x/a.md"),
        happened.FileMovedEvent("/elsewhere/a.md", "/notes/x/a.md"),
    ],
    ids=repr,
)
def test_an_event_makes_its_document_dirty_whichever_end_of_a_move_it_is(tape, event):
    assert tape.play(event) == {"x/a.md"}


def test_both_ends_of_a_move_are_dirty(tape):
    assert tape.play(happened.FileMovedEvent("/notes/a.md", "/notes/b.md")) == {"a.md", "b.md"}
    assert tape.play(happened.DirMovedEvent("/notes/x", "/notes/y")) == {"x", "y"}


@pytest.mark.parametrize(
    "event",
    [
        happened.FileOpenedEvent("/notes/a.md"),
        happened.FileClosedNoWriteEvent("/notes/a.md"),
        happened.DirModifiedEvent("/notes"),
        happened.DirModifiedEvent("/notes/x"),
        happened.FileModifiedEvent("/notes/a.png"),
        happened.FileModifiedEvent("/notes/.hebbs/x.md"),
        happened.FileModifiedEvent("/notes/x/.git/a.md"),
        happened.DirCreatedEvent("/notes/.hebbs"),
        happened.FileModifiedEvent("/notesother/a.md"),
    ],
    ids=repr,
)
def test_what_changes_no_document_makes_nothing_dirty(tape, event):
    assert tape.play(event) == set()


@pytest.mark.parametrize(
    "make", [happened.DirCreatedEvent, happened.DirDeletedEvent, happened.DirAttribEvent]
)
def test_a_folder_that_came_went_or_changed_its_rights_is_dirty_as_a_whole(tape, make):
    assert tape.play(make("/notes/x/y")) == {"x/y"}
    assert tape.play(make("/notes")) == {RESCAN}


def test_a_changed_ignore_file_makes_its_folder_dirty(tape):
    assert tape.play(happened.FileModifiedEvent("/notes/x/.gitignore")) == {"x"}
    assert tape.play(happened.FileMovedEvent("/notes/t", "/notes/.hebbsignore")) == {RESCAN}


def test_names_that_are_not_text_are_kept_as_they_are(tape):
    assert tape.play(happened.FileCreatedEvent(b"/notes/caf\xe9.md")) == {"caf\udce9.md"}


# ------------------------------------------------------------------ lost events


def test_so_many_events_that_the_queue_may_have_been_full_mean_a_rescan(tape, monkeypatch):
    event = happened.FileModifiedEvent("/notes/a.md")

    assert tape.play(*[event] * (events.STORM_EVENTS - 2)) == {"a.md"}
    assert tape.play(event, event) == {RESCAN}

    later = time.monotonic() + events.STORM_GAP_S + 1
    monkeypatch.setattr(events.time, "monotonic", lambda: later)
    assert tape.play(*[event] * (events.STORM_EVENTS - 2)) == {"a.md"}


def test_a_smaller_queue_of_the_kernel_makes_for_smaller_storms(monkeypatch, tmp_path):
    limit = tmp_path / "limit"
    limit.write_text("40\n")
    monkeypatch.setattr(events, "QUEUE_LIMIT", limit)
    tape = Tape()

    assert tape.play(*[happened.FileModifiedEvent("/notes/a.md")] * 10) == {RESCAN}


def test_an_overflow_that_watchdog_reports_means_a_rescan():
    dirty = DirtyPaths()
    listener = events._OverflowListener(dirty)
    logger = logging.Logger("test")
    logger.addHandler(listener)

    logger.warning("something else")
    assert dirty.take(0) == frozenset()

    logger.warning("Inotify queue overflowed; filesystem events were lost")
    assert dirty.take(0) == {RESCAN}


def test_dirty_paths_are_bounded_and_more_of_them_mean_everything():
    dirty = DirtyPaths()
    for number in range(events.MOST_PATHS + 2):
        dirty.add(f"{number}.md")

    assert dirty.take(0) == {RESCAN}
    assert dirty.take(0) == frozenset()


def test_a_wake_between_two_waits_is_not_lost():
    dirty = DirtyPaths()
    dirty.wake()

    assert dirty.take(None) == frozenset()


# ------------------------------------------------------------------ polling


def test_polling_says_at_its_pace_that_everything_is_dirty(tmp_path):
    now = [0.0]
    source = PollingSource(tmp_path, every_s=10, clock=lambda: now[0])
    source.start()

    assert source.take(0) == frozenset()
    now[0] = 10
    assert source.take(None) == {RESCAN}
    assert source.take(0) == frozenset()
    source.wake()
    assert source.take(None) == frozenset()


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/share rw - nfs4 server:/x rw
31 30 0:41 / /mnt/share/own rw master:2 - tmpfs none rw
32 22 0:42 / /mnt/my\\040disk rw - fuse.sshfs me@host: rw
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind", "deaf"),
    [
        ("/home/me", "ext4", False),
        ("/mnt/share/notes", "nfs4", True),
        ("/mnt/share/own/notes", "tmpfs", False),
        ("/mnt/sharex", "ext4", False),
        ("/mnt/my disk/notes", "fuse.sshfs", True),
    ],
)
def test_file_systems_that_tell_nothing_are_known_by_their_mount(tmp_path, folder, kind, deaf):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert file_system(Path(folder), mounts) == kind
    assert bool(why_deaf(Path(folder), mounts)) is deaf


def test_without_a_list_of_mounts_events_are_trusted(tmp_path):
    assert why_deaf(tmp_path, tmp_path / "missing") is None


@pytest.mark.parametrize(
    ("number", "setting"),
    [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances")],
)
def test_without_watches_left_the_folder_is_polled_and_the_limit_named(
    tmp_path, monkeypatch, number, setting
):
    def refuse(_self: EventSource) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(EventSource, "start", refuse)
    source = WatchSource(tmp_path, suffixes=SUFFIXES, every_s=7)

    note = source.start()

    assert note is not None and setting in note and "every 7 s" in note
    assert source.kind == "polling" and source.is_alive()


def test_polling_that_was_asked_for_needs_no_note(tmp_path):
    source = WatchSource(tmp_path, suffixes=SUFFIXES, poll=True)

    assert source.start() is None and source.kind == "polling"


# ------------------------------------------------------------------ a real file system


class Listener:
    """A running source, and a wait for paths with a deadline."""

    def __init__(self, root: Path) -> None:
        self.source = EventSource(root, suffixes=SUFFIXES)
        self.source.start()
        self.heard: set[str] = set()

    def expect(self, *paths: str) -> None:
        wait_until(lambda: self._hear() >= set(paths), lambda: f"{paths} not in {self.heard}")

    def settle(self) -> None:
        """Forget what was heard so far, once nothing more comes."""
        while self.source.take(0.3):
            pass
        self.heard.clear()

    def _hear(self) -> set[str]:
        self.heard |= self.source.take(0.05)
        return self.heard


def wait_until(condition: Callable[[], bool], explain: Callable[[], str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, explain()


@pytest.fixture
def listener(corpus) -> Iterator[Listener]:
    made = Listener(corpus.root.resolve())
    yield made
    made.source.stop()


@pytest.mark.watch
def test_saves_of_every_fashion_are_heard(corpus, listener):
    corpus.write("plain.md", "1")
    temporary = corpus.write(".goutputstream-AB12", "2")
    temporary.replace(corpus.path("replaced.md"))
    corpus.write("x/y/z/deep.md", "3")
    corpus.write("gone.md", "4").unlink()

    listener.expect("plain.md", "replaced.md", "gone.md")
    assert listener.heard & {"x", "x/y", "x/y/z", "x/y/z/deep.md"}

    listener.settle()
    corpus.write("x/y/z/deep.md", "5")
    listener.expect("x/y/z/deep.md")


@pytest.mark.watch
def test_edits_in_a_folder_moved_in_from_outside_are_heard(corpus, listener, tmp_path):
    outside = tmp_path / "outside"
    (outside / "a" / "b").mkdir(parents=True)
    (outside / "a" / "b" / "n.md").write_text("1")
    outside.rename(corpus.path("inside"))
    listener.expect("inside")
    listener.settle()

    corpus.write("inside/a/b/n.md", "2")
    corpus.write("inside/top.md", "2")

    listener.expect("inside/a/b/n.md", "inside/top.md")


@pytest.mark.watch
def test_edits_in_a_renamed_and_in_a_replaced_folder_are_heard(corpus, listener):
    corpus.write("old/f.md", "1")
    corpus.write("d/f.md", "1")
    listener.settle()

    corpus.rename("old", "new")
    shutil.rmtree(corpus.path("d"))
    corpus.write("d/n.md", "1")
    listener.expect("old", "new", "d")
    listener.settle()
    corpus.write("new/f.md", "2")
    corpus.write("d/n.md", "2")

    listener.expect("new/f.md", "d/n.md")


@pytest.mark.watch
def test_reading_files_makes_no_event(corpus, listener):
    corpus.write("a.md", "1")
    listener.settle()

    for _ in range(50):
        corpus.path("a.md").read_bytes()
        list(corpus.root.iterdir())
    corpus.write("b.md", "1")

    listener.expect("b.md")
    assert listener.heard == {"b.md"}


@pytest.mark.watch
def test_a_root_reached_by_a_link_is_heard(corpus, tmp_path):
    (tmp_path / "link").symlink_to(corpus.root)
    listener = Listener(tmp_path / "link")
    try:
        corpus.write("x/a.md", "1")
        listener.expect("x")
    finally:
        listener.source.stop()


@pytest.mark.watch
def test_a_root_that_was_replaced_or_is_gone_is_noticed_and_watched_anew(corpus, listener):
    assert listener.source.is_alive()
    corpus.root.rename(corpus.root.with_name("elsewhere"))
    assert not listener.source.is_alive()
    corpus.root.mkdir()
    assert not listener.source.is_alive()

    listener.source.stop()
    listener.source.start()
    corpus.write("n.md", "1")

    listener.expect("n.md")
    assert listener.source.is_alive()


@pytest.mark.watch
def test_a_dead_thread_of_the_observer_is_noticed(listener):
    next(iter(listener.source._observer.emitters)).stop()

    wait_until(lambda: not listener.source.is_alive(), lambda: "still alive")


@pytest.mark.watch
def test_stopping_leaves_neither_threads_nor_descriptors(corpus):
    def count() -> tuple[int, int]:
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    if not Path("/proc/self/fd").exists():
        pytest.skip("open descriptors cannot be counted here")
    before = count()
    for _ in range(5):
        source = EventSource(corpus.root, suffixes=SUFFIXES)
        source.start()
        source.stop()

    wait_until(lambda: count() <= before, lambda: f"{count()} is more than {before}")


@pytest.mark.watch
def test_a_missing_root_cannot_be_watched_and_leaves_nothing_behind(tmp_path):
    before = threading.active_count()
    source = EventSource(tmp_path / "missing", suffixes=SUFFIXES)

    with pytest.raises(FileNotFoundError):
        source.start()

    source.stop()
    wait_until(lambda: threading.active_count() <= before, lambda: "a thread is left")


def _comes_true(condition) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@pytest.mark.watch
def test_events_lost_by_a_full_queue_end_in_a_rescan(corpus, listener, caplog):
    """The reader of the kernel's queue is held back until that queue is full."""
    limit = int(events.QUEUE_LIMIT.read_text()) if events.QUEUE_LIMIT.exists() else 0
    if not 0 < limit <= 20_000:
        pytest.skip(f"the queue of the kernel is unknown or too long to fill: {limit}")
    reader = next(iter(listener.source._observer.emitters))._inotify_fd
    read, held, go_on = reader.read_events, threading.Event(), threading.Event()

    def hold_back() -> list[object]:
        held.set()
        go_on.wait(110)  # filling it takes some seconds, far more on a busy machine
        return read()

    reader.read_events = hold_back
    corpus.write("first.txt", "x")  # ends the wait that is under way
    assert held.wait(DEADLINE_S)
    names = [corpus.path(f"{n}.md") for n in range(2)]
    for _ in range(limit // 2 + 500):
        for name in names:  # in turn, so that the kernel merges no two events
            name.touch()
    go_on.set()

    listener.expect(RESCAN)
    if not _comes_true(lambda: "overflow" in caplog.text):
        pytest.skip("the kernel's queue was emptied faster than it could be filled here")

    def hears_a_new_file() -> bool:
        corpus.write("after.md", "x")
        return "after.md" in listener.source.take(0.1)

    wait_until(hears_a_new_file, lambda: "deaf since the queue was full")
