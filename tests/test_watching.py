"""A watcher follows real files: each kind of change reaches the index soon after it happened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading

import pytest
from doubles import open_small, until

from hebbs_index.errors import LockBusy
from hebbs_index.index import Hebbs
from hebbs_index.reports import ContradictionVerdictInput as Verdict
from hebbs_index.reports import UpdateReport

pytestmark = pytest.mark.watch

OLD = "The tenant budget is $5,000.\n"
NEW = "The tenant budget is $2,000.\n"
SOON = {
    "watch.quiet_ms": 20,
    "watch.settle_ms": 30,
    "watch.burst_quiet_ms": 100,
    "watch.ceiling_ms": 1000,
}


class Watcher:
    """A watcher on a thread of its own, and what it said."""

    def __init__(self, hebbs: Hebbs) -> None:
        self.hebbs = hebbs
        self.reports: list[UpdateReport] = []
        self.notes: list[str] = []
        self.stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        self.hebbs.watch(on_report=self.reports.append, on_note=self.notes.append, stop=self.stop)

    def end(self) -> None:
        self.stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def shows(self) -> set[str]:
        return {view.path for view in self.hebbs.list_documents()}


@pytest.fixture
def watcher(corpus):
    corpus.write("a.md", OLD)
    with open_small(corpus.root, **SOON) as hebbs:
        watching = Watcher(hebbs)
        until(lambda: watching.reports)
        yield watching
        watching.end()


def texts(hebbs: Hebbs) -> set[str]:
    return {hit.content for hit in hebbs.recall("tenant budget", k=20)}


def test_a_new_file_that_disagrees_is_told_of_with_both_places(corpus, watcher):
    corpus.write("notes/b.md", NEW)
    until(lambda: any(report.new_pending for report in watcher.reports))
    (pair,) = watcher.reports[-1].new_pending
    assert {(pair.source_a.path, pair.source_a.line_start)} | {
        (pair.source_b.path, pair.source_b.line_start)
    } == {("a.md", 1), ("notes/b.md", 1)}


def test_an_edit_a_rename_and_a_deletion_each_reach_the_index(corpus, watcher):
    corpus.write("b.md", "The archive closes at noon.\n")
    until(lambda: watcher.shows() == {"a.md", "b.md"})
    corpus.write("b.md", NEW)
    until(lambda: watcher.hebbs.status().pending == 1)
    (pair,) = watcher.hebbs.contradiction_prepare()
    watcher.hebbs.contradiction_commit([Verdict(pair.pending_id, "dismiss")])
    before = {row.document_id for row in watcher.hebbs.list_documents()}

    corpus.rename("b.md", "kept/c.md")
    until(lambda: watcher.shows() == {"a.md", "kept/c.md"})
    assert {row.document_id for row in watcher.hebbs.list_documents()} == before
    assert watcher.hebbs.contradiction_prepare() == ()

    corpus.delete("kept")
    until(lambda: watcher.shows() == {"a.md"})
    assert watcher.notes == []


def test_a_file_saved_by_replacing_it_is_the_same_document(corpus, watcher):
    (before,) = watcher.hebbs.list_documents()
    temporary = corpus.write("a.md.tmp", NEW)
    temporary.replace(corpus.path("a.md"))
    until(lambda: any(NEW.strip() == view.content for view in watcher.hebbs.inspect("a.md")))
    (after,) = watcher.hebbs.list_documents()
    assert after.document_id == before.document_id


def test_indexing_and_ruling_work_beside_a_watcher(corpus, watcher):
    with open_small(corpus.root) as other:
        corpus.write("b.md", NEW)
        other.index()
        (pair,) = other.contradiction_prepare()
        other.contradiction_commit([Verdict(pair.pending_id, "revision")])
        corpus.write("c.md", "The archive closes at noon.\n")
        until(lambda: watcher.shows() == {"a.md", "b.md", "c.md"})
        assert watcher.hebbs.contradiction_prepare() == ()
        assert len(texts(watcher.hebbs)) == 2, "the superseded one is left out"
        assert other.undo(last=True).pending_id == pair.pending_id
        corpus.delete("c.md")
        until(lambda: watcher.shows() == {"a.md", "b.md"})
        assert len(watcher.hebbs.contradiction_prepare()) == 1


def test_a_second_watcher_is_refused_and_named(corpus, watcher):
    with open_small(corpus.root) as other, pytest.raises(LockBusy, match="already watched"):
        other.watch(on_report=print, on_note=print, stop=threading.Event())


def test_status_shows_the_watcher_while_it_lives(corpus, watcher):
    until(lambda: (watcher.hebbs.status().watcher or {}).get("state") == "waiting")
    assert watcher.hebbs.status().watcher["source"] in ("events", "polling")
    watcher.end()
    assert watcher.hebbs.status().watcher is None


def test_files_that_all_vanish_at_once_are_kept_until_they_are_missed_on_purpose(corpus, watcher):
    corpus.write("b.md", NEW)
    until(lambda: watcher.shows() == {"a.md", "b.md"})
    corpus.path("a.md").rename(corpus.root.parent / "a.md")
    corpus.path("b.md").rename(corpus.root.parent / "b.md")
    until(lambda: watcher.notes or not watcher.shows())
    if watcher.notes:  # one batch had both; had each a batch of its own, each was one file
        assert "no document is left" in watcher.notes[0]
        assert watcher.shows() == {"a.md", "b.md"}


# ---------------------------------------------------------------- as a process


@pytest.fixture
def process(corpus):
    """`hebbs watch` as a process of its own, told as JSON what it finds."""
    corpus.write("a.md", OLD)
    settings = [f"{name}={value}" for name, value in SOON.items()]
    settings += ["language.enabled=false", "embedding.enabled=false"]
    sets = [part for setting in settings for part in ("--set", setting)]
    command = [sys.executable, "-m", "hebbs_index", *sets, "watch", str(corpus.root), "--json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield running
    running.kill()
    running.communicate(timeout=20)


def test_a_watch_command_prints_each_new_pair_and_ends_in_order_on_sigterm(corpus, process):
    with open_small(corpus.root) as hebbs:
        until(lambda: hebbs.list_documents())
        corpus.write("b.md", NEW)
        line = process.stdout.readline()
        pair = json.loads(line)
        assert {pair["source_a"]["path"], pair["source_b"]["path"]} == {"a.md", "b.md"}
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0, err
        assert out == ""
        assert "stopped" in err and "Traceback" not in err
        assert hebbs.status().watcher is None
        assert hebbs.verify().healthy


def test_a_watch_that_is_killed_leaves_an_index_that_the_next_run_brings_up_to_date(
    corpus, process
):
    with open_small(corpus.root) as hebbs:
        until(lambda: hebbs.list_documents())
        process.kill()
        process.communicate(timeout=20)
        corpus.write("b.md", NEW)
        assert hebbs.status().watcher is None
        assert hebbs.index().pending == 1
        assert hebbs.verify().healthy
