"""Several processes share an index: they wait for each other, and none undoes another's work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from doubles import open_small

from hebbs_index import update as update_module
from hebbs_index.cli.main import main
from hebbs_index.errors import LockBusy
from hebbs_index.index import Hebbs
from hebbs_index.reports import ContradictionVerdictInput as Verdict
from hebbs_index.store.locks import WriteLock

OLD = "The tenant budget is $5,000.\n"
NEW = "The tenant budget is $2,000.\n"
BARE = ("--set", "language.enabled=false", "--set", "embedding.enabled=false")
HOLD = """
import sys
from pathlib import Path
from hebbs_index.store.locks import WriteLock
with WriteLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


class Holder:
    """Another process that holds the write lock until it is told to let go."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(root / ".hebbs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"
        self.pid = self._process.pid

    def let_go(self) -> None:
        self._process.communicate("\n", timeout=20)


@contextmanager
def held(root: Path) -> Iterator[Holder]:
    holder = Holder(root)
    try:
        yield holder
    finally:
        if holder._process.poll() is None:
            holder.let_go()


@pytest.fixture
def hebbs(corpus):
    corpus.write("a.md", OLD)
    corpus.write("b.md", NEW)
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


@pytest.fixture
def impatient(corpus, hebbs, monkeypatch):
    """The same index, and any opened later, with little patience for a busy lock."""
    monkeypatch.setitem(WriteLock.__init__.__kwdefaults__, "seconds", 0.2)
    with open_small(corpus.root) as opened:
        yield opened


# ---------------------------------------------------------------- waiting


def index_one_more(hebbs: Hebbs) -> None:
    (hebbs.root / "c.md").write_text("The archive closes at noon.\n")
    assert hebbs.index().plan.added == ("c.md",)


def rule(hebbs: Hebbs) -> None:
    (pair,) = hebbs.contradiction_prepare()
    assert hebbs.contradiction_commit([Verdict(pair.pending_id, "dismiss")]).dismissed == 1


@pytest.mark.parametrize("write", [index_one_more, rule])
def test_who_writes_waits_while_another_process_writes(hebbs, write):
    with held(hebbs.root) as holder, ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write, hebbs)
        assert not writing.done()
        holder.let_go()
        writing.result(timeout=20)


def test_who_reads_waits_for_nobody(hebbs):
    with held(hebbs.root):
        assert hebbs.status().pending == 1
        assert len(hebbs.contradiction_prepare()) == 1
        assert hebbs.recall("tenant budget")
        assert hebbs.inspect("a.md")
        assert hebbs.why("a.md:1", "b.md:1").state == "pending"


@pytest.mark.parametrize("write", [index_one_more, rule])
def test_who_waits_too_long_is_told_who_is_writing(corpus, hebbs, impatient, write):
    with held(corpus.root) as holder, pytest.raises(LockBusy, match=str(holder.pid)):
        write(impatient)
    write(hebbs)


def test_a_lock_that_stays_busy_is_exit_code_5(corpus, hebbs, impatient, capsys):
    (pair,) = hebbs.contradiction_prepare()
    verdicts = f'[{{"pending_id": "{pair.pending_id}", "verdict": "dismiss"}}]'
    root = ("--root", str(corpus.root))
    with held(corpus.root) as holder:
        for command in (("index",), ("contradiction-commit", "--verdicts", verdicts)):
            assert main([*BARE, *root, *command]) == 5
            assert str(holder.pid) in capsys.readouterr().err
    assert len(hebbs.contradiction_prepare()) == 1


def test_rulings_that_cannot_be_applied_now_keep_nobody_from_reading(corpus, hebbs, impatient):
    rule(hebbs)
    hebbs.close()
    for path in (corpus.root / ".hebbs").glob("index.sqlite3*"):
        path.unlink()
    with held(corpus.root), open_small(corpus.root) as reader:
        (note,) = reader.notes
        assert "do not count yet" in note
        assert reader.status().rulings == {}
    with open_small(corpus.root) as later:
        assert later.notes == ()
        assert len(later.contradictions()) == 1


def test_an_answer_is_of_one_moment_whoever_writes_meanwhile(corpus, hebbs, other, monkeypatch):
    before = hebbs.contradiction_prepare()
    store = hebbs._workspace.store
    occurrences, waiting = store.occurrences, [True]

    def write_then_read(numbers):
        if waiting:
            waiting.pop()
            corpus.delete("b.md")
            other.index()
        return occurrences(numbers)

    monkeypatch.setattr(store, "occurrences", write_then_read)
    assert hebbs.contradiction_prepare() == before
    assert hebbs.contradiction_prepare() == ()


# ---------------------------------------------------------------- crossing


def cross(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> None:
    """Between the plan of the next update and its deeds, something else happens, once."""
    waiting = [meanwhile]
    plan_changes = update_module.plan_changes

    def plan_then_wait(*arguments, **options):
        plan = plan_changes(*arguments, **options)
        if waiting:
            waiting.pop()()
        return plan

    monkeypatch.setattr(update_module, "plan_changes", plan_then_wait)


def assert_true_to_the_files(hebbs: Hebbs) -> None:
    """What is stored is what the files and the journals give from nothing."""
    plan = hebbs.index(dry_run=True).plan
    # A file written less than two seconds before it was read is looked at again: `touched`.
    assert (plan.added, plan.modified, plan.deleted, plan.unreadable) == ((), (), (), ())
    assert not plan.moved
    before = hebbs._workspace.store.dump_derived()
    hebbs.rebuild()
    assert hebbs._workspace.store.dump_derived() == before
    assert hebbs.verify().healthy


@pytest.fixture
def other(corpus, hebbs):
    """The same index as another process has it open."""
    with open_small(corpus.root) as opened:
        yield opened


def paths(hebbs: Hebbs) -> list[str]:
    return [row.path for row in hebbs.list_documents()]


def test_a_file_that_came_back_meanwhile_is_not_dropped(corpus, hebbs, other, monkeypatch):
    corpus.delete("b.md")

    def meanwhile() -> None:
        corpus.write("b.md", NEW.replace("2,000", "3,000"))
        other.index()

    cross(monkeypatch, meanwhile)
    hebbs.index()
    assert paths(hebbs) == ["a.md", "b.md"]
    assert [pair.source_b.path for pair in hebbs.contradiction_prepare()] in (["a.md"], ["b.md"])
    assert_true_to_the_files(hebbs)


def test_a_file_that_moved_on_meanwhile_keeps_its_id_after_a_rebuild(
    corpus, hebbs, other, monkeypatch
):
    ids = {row.path: row.document_id for row in hebbs.list_documents()}
    corpus.rename("b.md", "c.md")

    def meanwhile() -> None:
        other.index()
        corpus.rename("c.md", "d.md")
        other.index()

    cross(monkeypatch, meanwhile)
    hebbs.index()
    assert {row.path: row.document_id for row in hebbs.list_documents()} == {
        "a.md": ids["a.md"],
        "d.md": ids["b.md"],
    }
    assert_true_to_the_files(hebbs)


def test_an_edit_that_another_run_read_first_is_not_overwritten(corpus, hebbs, other, monkeypatch):
    corpus.write("b.md", "The archive closes at noon.\n")

    def meanwhile() -> None:
        corpus.write("b.md", "The archive closes at midnight.\n")
        other.index()

    cross(monkeypatch, meanwhile)
    hebbs.index()
    assert hebbs.recall("archive")[0].content == "The archive closes at midnight."
    assert_true_to_the_files(hebbs)


def test_a_file_that_vanishes_before_it_is_read_is_gone_at_once(corpus, hebbs, monkeypatch):
    corpus.write("b.md", "The archive closes at noon.\n")
    cross(monkeypatch, lambda: corpus.delete("b.md"))
    report = hebbs.index()
    assert report.problems == ()
    assert paths(hebbs) == ["a.md"]
    assert_true_to_the_files(hebbs)


def test_a_check_that_others_overtake_is_made_again_and_counts(corpus, hebbs, other, monkeypatch):
    from hebbs_index import checking

    judge_all, waiting = checking._judge_all, [True]

    def judge_then_wait(*arguments):
        yield from judge_all(*arguments)
        if waiting:
            waiting.pop()
            corpus.write("d.md", "The tenant budget is $9,000.\n")
            other.index()

    monkeypatch.setattr(checking, "_judge_all", judge_then_wait)
    corpus.write("c.md", "The tenant budget is $7,000.\n")
    hebbs.index()
    assert hebbs.status().unchecked == 0
    assert hebbs.status().pending == 6, "each of four budgets against each"
    assert_true_to_the_files(hebbs)


def test_two_processes_that_index_at_once_give_one_true_index(corpus):
    for number in range(40):
        corpus.write(f"n{number}.md", f"# Part {number}\n\n{OLD}")
    corpus.write("b.md", NEW)
    command = [sys.executable, "-m", "hebbs_index", *BARE, "index", str(corpus.root)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for run in runs:
        _out, err = run.communicate(timeout=100)
        assert run.returncode == 0, err
    with open_small(corpus.root, **{"embedding.enabled": False}) as hebbs:
        hebbs._workspace.models._embedder = None
        assert hebbs.status().documents == 41
        assert hebbs.status().pending == 1
        assert_true_to_the_files(hebbs)


def test_threads_of_one_process_may_index_and_ask_at_once(corpus, hebbs):
    corpus.write("c.md", "The archive closes at noon.\n")
    with ThreadPoolExecutor(6) as pool:
        runs = [pool.submit(hebbs.index) for _ in range(3)]
        asks = [pool.submit(hebbs.recall, "tenant budget") for _ in range(3)]
        assert all(run.result(timeout=60).documents == 3 for run in runs)
        assert all(ask.result(timeout=60) for ask in asks)
