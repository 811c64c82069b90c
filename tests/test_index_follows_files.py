"""However files change, whoever dies, and whatever is ruled: the index equals a fresh one."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from doubles import open_small
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from hebbs_index.errors import CorpusVanished
from hebbs_index.reports import ContradictionVerdictInput

PATHS = ["a.md", "b.md", "notes/c.md", "notes/d.txt", "entities/acme/e.md", "entities/zeta/e.md"]
SENTENCES = [
    "The tenant budget is $5,000.",
    "The tenant budget is $2,000.",
    "The read cap is 300 requests per second.",
    "The read cap is 900 requests per second.",
    "The CEO of Acme is Alice Moor.",
    "The CEO of Acme is Bob Lind.",
    "The gateway is reliable and stable.",
    "The gateway is unreliable and unstable.",
    "The report was delivered on schedule.",
    "The report was not delivered on schedule.",
    "See [the other file](b.md) for more.",
    "- one item\n- another item",
]
texts = st.lists(st.sampled_from(SENTENCES), min_size=0, max_size=5).map("\n\n".join)
VERDICTS = ["contradiction", "revision", "dismiss"]


class Died(Exception):
    """The process is gone."""


class IndexFollowsFiles(RuleBasedStateMachine):
    """Random histories of a small folder, each compared with an index made from nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="follows-"))
        self.root = self.base / "corpus"
        self.root.mkdir()
        self.hebbs = open_small(self.root)

    def teardown(self) -> None:
        self.hebbs.close()
        shutil.rmtree(self.base)

    @initialize(text=texts)
    def start(self, text: str) -> None:
        self.write("a.md", text)
        self.update()

    def files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.root.rglob("*")
            if path.is_file() and ".hebbs" not in path.parts
        }

    def update(self) -> None:
        before = self.files()
        self.hebbs.index(allow_empty=True)
        assert self.files() == before, "the watched tree was touched"

    @rule(path=st.sampled_from(PATHS), text=texts)
    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    @rule(path=st.sampled_from(PATHS), extra=st.sampled_from(SENTENCES))
    def edit(self, path: str, extra: str) -> None:
        target = self.root / path
        if target.exists():
            target.write_text(f"{target.read_text()}\n\n{extra}")

    @rule(path=st.sampled_from(PATHS), other=st.sampled_from(PATHS))
    def move(self, path: str, other: str) -> None:
        source, target = self.root / path, self.root / other
        if source.exists() and path != other:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)

    @rule(path=st.sampled_from(PATHS))
    def delete(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)

    @rule()
    def run(self) -> None:
        self.update()

    @rule(step=st.integers(0, 60))
    def die_during_update(self, step: int) -> None:
        left = [step]

        def maybe_die(_name: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Died

        database = self.hebbs._workspace.store.database
        database.on_step = maybe_die
        try:
            with suppress(Died, CorpusVanished):
                self.hebbs.index(allow_empty=True)
        finally:
            database.on_step = None

    @rule(number=st.integers(0, 5), verdict=st.sampled_from(VERDICTS))
    def judge(self, number: int, verdict: str) -> None:
        pending = self.hebbs.contradiction_prepare()
        if pending:
            chosen = pending[number % len(pending)]
            self.hebbs.contradiction_commit(
                [ContradictionVerdictInput(chosen.pending_id, verdict, 0.9, "because")]
            )
            left = {p.pending_id for p in self.hebbs.contradiction_prepare()}
            assert chosen.pending_id not in left

    @rule()
    def undo(self) -> None:
        if self.hebbs.contradictions("ruled"):
            self.hebbs.undo(last=True)

    @rule()
    def reopen(self) -> None:
        self.hebbs.close()
        self.hebbs = open_small(self.root)

    @rule()
    def rebuild(self) -> None:
        self.update()
        before = self.hebbs._workspace.store.dump_derived()
        self.hebbs.rebuild()
        assert self.hebbs._workspace.store.dump_derived() == before

    @rule()
    def equals_a_fresh_index(self) -> None:
        self.update()
        fresh_root = Path(tempfile.mkdtemp(dir=self.base)) / "corpus"
        shutil.copytree(self.root, fresh_root, ignore=shutil.ignore_patterns(".hebbs"))
        state = fresh_root / ".hebbs"
        state.mkdir()
        for name in ("verdicts.jsonl", "memory.jsonl"):
            if (self.root / ".hebbs" / name).exists():
                shutil.copy(self.root / ".hebbs" / name, state / name)
        with open_small(fresh_root) as fresh:
            fresh.index(allow_empty=True)
            assert self.hebbs._workspace.store.dump_derived() == (
                fresh._workspace.store.dump_derived()
            )
            assert [p.pending_id for p in self.hebbs.contradiction_prepare()] == [
                p.pending_id for p in fresh.contradiction_prepare()
            ]
        assert self.hebbs.verify().healthy, self.hebbs.verify().findings


IndexFollowsFiles.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=14,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestIndexFollowsFiles = pytest.mark.timeout(280)(IndexFollowsFiles.TestCase)
