"""A small stand-in for the facade, and a way to run the command line against it in-process."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hebbs_index.cli.main import main
from hebbs_index.cli.session import Session
from hebbs_index.config import Config
from hebbs_index.records import (
    FileProblem,
    Judgement,
    Label,
    PendingContradiction,
    Plan,
    Signal,
    Source,
    VerdictKind,
)
from hebbs_index.reports import (
    CommitResult,
    Counters,
    Explanation,
    Finding,
    Listing,
    Progress,
    RulingView,
    Status,
    UpdateReport,
    VerifyReport,
)

PENDING = PendingContradiction(
    pending_id="abc123" + "0" * 26,
    memory_id_a="aa" * 16,
    memory_id_b="bb" * 16,
    content_a_snippet="Budget is $5,000 per tenant",
    content_b_snippet="Budget is $2,000 per tenant",
    classifier_score=0.65,
    classifier_method="heuristic",
    similarity=0.82,
    label=Label.CONFLICT,
    suggested_verdict=VerdictKind.CONTRADICTION,
    signals=(Signal("numeric", (10, 16), (10, 16), "$2,000 / $5,000"),),
    source_a=Source("docs/budget.md", 3, 3, ("Budget",), "2026-01-10"),
    source_b=Source("notes/march.md", 7, 8, (), "2026-03-02"),
    date_basis="front matter",
    cluster_id="abc123" + "0" * 26,
    members=("abc123" + "0" * 26,),
    created_at=1_720_000_000_000_000,
)

RULING = RulingView(
    pending_id=PENDING.pending_id,
    state="ruled",
    verdict="dismiss",
    confidence=0.9,
    reasoning="two tenants",
    author="ada",
    decided_at=1_720_000_000_000_000,
    supersedes=None,
    content_a=PENDING.content_a_snippet,
    content_b=PENDING.content_b_snippet,
    source_a=PENDING.source_a,
    source_b=PENDING.source_b,
)

STATUS = Status(
    root="/notes",
    documents=2,
    propositions=5,
    statements=4,
    vectors=4,
    entities=1,
    edges={"proposition_of": 5},
    pending=1,
    rulings={"dismiss": 1},
    unmatched_rulings=0,
    unchecked=0,
    problems=(),
    last_run={"time": 1_720_000_000_000_000, "seconds": 1.5, "files_read": 2},
    watcher=None,
    models={"language": "blank", "embedding": "off"},
    off=("the embedding model is not installed",),
    schema_version=1,
)


def report(**changes: Any) -> UpdateReport:
    """An update report of a run that added two files, with some fields changed."""
    fields: dict[str, Any] = {
        "plan": Plan(added=("a.md", "b.md"), unchanged=("c.md",), moved={"new.md": "old.md"}),
        "dry_run": False,
        "problems": (),
        "documents": 4,
        "propositions": 1200,
        "propositions_added": 12,
        "propositions_removed": 3,
        "new_pending": (PENDING,),
        "pending": 1,
        "counters": Counters(files_read=2),
        "seconds": 1.25,
    }
    return UpdateReport(**fields | changes)


PROBLEM = FileProblem("bad.md", "decode", "not a text")


@dataclass
class FakeHebbs:
    """Answers what it is told to, and remembers how it was called."""

    root: Path = Path("/notes")
    config: Config = field(default_factory=Config)
    notes: tuple[str, ...] = ()
    pending: Sequence[PendingContradiction] = (PENDING,)
    answers: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, tuple[Any, ...], Mapping[str, Any]]] = field(default_factory=list)
    closed: bool = False

    def __enter__(self) -> FakeHebbs:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True

    def _answer(self, name: str, default: Any, *args: Any, **options: Any) -> Any:
        self.calls.append((name, args, options))
        answer = self.answers.get(name, default)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def index(self, paths: Any, **options: Any) -> Any:
        progress = options.pop("progress")
        if progress is not None:
            progress(Progress("scan", 1, 2))
            progress(Progress("scan", 2, 2))
        return self._answer("index", report(), paths, **options)

    def rebuild(self, progress: Any) -> Any:
        return self._answer("rebuild", report())

    def status(self) -> Any:
        return self._answer("status", STATUS)

    def list_documents(self, paths: Any) -> Any:
        row = Listing("d" * 32, "docs/budget.md", "Budget", "markdown", None, None, 3, None)
        return self._answer("list_documents", (row,), paths)

    def inspect(self, target: str) -> Any:
        return self._answer("inspect", (), target)

    def recall(self, query: str, **options: Any) -> Any:
        return self._answer("recall", (), query, **options)

    def contradiction_prepare(self, **options: Any) -> Any:
        return self._answer("contradiction_prepare", tuple(self.pending), **options)

    def contradiction_commit(self, verdicts: Any, **options: Any) -> Any:
        return self._answer("contradiction_commit", CommitResult(dismissed=1), verdicts, **options)

    def contradictions(self, state: str) -> Any:
        return self._answer("contradictions", (RULING,), state)

    def undo(self, pending_id: Any, **options: Any) -> Any:
        return self._answer("undo", RULING, pending_id, **options)

    def why(self, a: str, b: str) -> Any:
        answer = Explanation(
            a, b, None, None, 0.8, ("vector",), Judgement(Label.CONFLICT, 0.6), True, "pending"
        )
        return self._answer("why", answer, a, b)

    def verify(self, **options: Any) -> Any:
        healthy = VerifyReport((Finding("database", "ok", "intact"),))
        return self._answer("verify", healthy, **options)

    def doctor(self) -> Any:
        return self._answer("doctor", (Finding("python", "ok", "3.11"),))

    def watch(self, *, on_report: Any, on_note: Any, stop: Any, allow_empty: bool) -> None:
        on_note("rescanning")
        on_report(report())
        self._answer("watch", None, stop, allow_empty=allow_empty)


@dataclass(frozen=True)
class Result:
    """What a run printed and how it ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs `hebbs ...` in this process against a fake facade."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.hebbs = FakeHebbs()
        self.opened: list[tuple[Path | None, dict[str, Any]]] = []
        self.refuse_first: BaseException | None = None  # what the first opening raises
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Result:
        code = main(arguments, session=Session(opener=self._open))
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def _open(self, path: Path | None, **options: Any) -> Any:
        self.opened.append((path, options))
        opening, self.refuse_first = self.refuse_first or self.hebbs.answers.get("open"), None
        if isinstance(opening, BaseException):
            raise opening
        return self.hebbs


def process_environ(**changes: str) -> dict[str, str]:
    """An environment for a child process that finds this package, installed or not."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("HEBBS_")}
    return {**inherited, "PYTHONPATH": str(Path(__file__).parents[1]), **changes}
