"""Locks name their holder, end with their process, and let readers alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hebbs_index.errors import HebbsError, LockBusy
from hebbs_index.store.locks import (
    Heartbeat,
    WatchLock,
    WriteLock,
    read_heartbeat,
    read_record,
)

HOLDER = """
import sys
from pathlib import Path
from hebbs_index.store.locks import Heartbeat, WatchLock, WriteLock
kind, folder = {"write": WriteLock, "watch": WatchLock}[sys.argv[1]], Path(sys.argv[2])
with kind(folder):
    Heartbeat(folder).beat(files=3)
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(kind: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a lock until it is told to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, kind, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_busy_write_lock_names_its_holder(tmp_path: Path) -> None:
    with (
        held_elsewhere("write", tmp_path) as holder,
        pytest.raises(LockBusy, match=f"process {holder.pid} on ") as caught,
        WriteLock(tmp_path, seconds=0.05),
    ):
        pytest.fail("it was held")
    assert caught.value.exit_code == 5


def test_a_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with held_elsewhere("watch", tmp_path) as holder:
        holder.kill()
        holder.wait()
        with WatchLock(tmp_path) as lock:
            owner = lock.owner()

    assert owner is not None
    assert owner["pid"] == os.getpid()


def test_the_write_lock_is_waited_for(tmp_path: Path) -> None:
    with held_elsewhere("write", tmp_path) as holder:
        assert holder.stdin is not None
        holder.stdin.write("\n")
        holder.stdin.flush()
        with WriteLock(tmp_path, seconds=20):
            pass


def test_a_second_watcher_is_refused(tmp_path: Path) -> None:
    with (
        held_elsewhere("watch", tmp_path) as holder,
        pytest.raises(LockBusy, match=f"already watched by process {holder.pid}"),
        WatchLock(tmp_path),
    ):
        pytest.fail("it was held")


def test_the_two_locks_do_not_meet(tmp_path: Path) -> None:
    with held_elsewhere("watch", tmp_path), WriteLock(tmp_path, seconds=0.05):
        pass


def test_the_holding_thread_may_take_the_lock_again(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    with lock:
        with lock:
            assert lock.held()
        assert lock.held()
    assert not lock.held()
    assert lock.owner() is None
    assert not lock.note.exists()


def test_another_thread_of_the_process_waits(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path, seconds=0.05)
    caught: list[BaseException] = []

    def attempt() -> None:
        try:
            with lock:
                pass
        except LockBusy as error:
            caught.append(error)

    with lock:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()

    assert len(caught) == 1
    attempt()
    assert len(caught) == 1


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    first = WriteLock(tmp_path)
    caught: list[BaseException] = []

    def attempt() -> None:
        try:
            with WriteLock(tmp_path, seconds=0.05):
                pass
        except LockBusy as error:
            caught.append(error)

    with first:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()

    assert len(caught) == 1


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    with pytest.raises(ValueError, match="inside"), lock:
        raise ValueError("inside")

    assert not lock.held()


def test_a_note_that_is_damaged_is_no_obstacle(tmp_path: Path) -> None:
    with held_elsewhere("write", tmp_path):
        (tmp_path / "write.owner.json").write_text("{half")
        with (
            pytest.raises(LockBusy, match="another process"),
            WriteLock(tmp_path, seconds=0.05),
        ):
            pytest.fail("it was held")


def test_a_folder_that_cannot_be_locked_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(HebbsError, match="cannot be locked"), WriteLock(tmp_path / "file" / "x"):
        pytest.fail("there is no such folder")


def test_a_heartbeat_shows_while_the_watcher_runs(tmp_path: Path) -> None:
    assert read_heartbeat(tmp_path) is None
    with held_elsewhere("watch", tmp_path) as holder:
        beat = read_heartbeat(tmp_path)
        assert beat is not None
        assert (beat["pid"], beat["files"]) == (holder.pid, 3)
        assert beat["beat"] >= beat["since"]

    assert read_heartbeat(tmp_path) is None  # its file is still there, its lock is not
    assert read_record(tmp_path / "watch.json") is not None


def test_a_heartbeat_tells_the_time_and_ends_in_order(tmp_path: Path) -> None:
    now = [100.0]
    heart = Heartbeat(tmp_path, clock=lambda: now[0])
    now[0] = 160.0
    heart.beat(state="idle")

    record = json.loads((tmp_path / "watch.json").read_text())
    assert (record["since"], record["beat"], record["state"]) == (100.0, 160.0, "idle")
    assert heart.read() == record
    heart.stop()
    heart.stop()
    assert heart.read() is None
