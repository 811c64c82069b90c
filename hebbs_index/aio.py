"""The facade for asyncio: each call runs on a worker thread, nothing else differs.

A task that is cancelled stops waiting; the call it waited for goes on to its end.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hebbs_index.config import Config
from hebbs_index.index import Hebbs
from hebbs_index.records import PendingContradiction
from hebbs_index.reports import (
    CommitResult,
    ContradictionVerdictInput,
    Explanation,
    Finding,
    Listing,
    MemoryView,
    RecallHit,
    RulingView,
    Status,
    UpdateReport,
    VerifyReport,
)


class AsyncHebbs:
    """`Hebbs` with awaitable methods of the same names and arguments."""

    def __init__(self, hebbs: Hebbs) -> None:
        self._hebbs = hebbs

    @classmethod
    async def open(cls, path: Path | str | None = None, **options: Any) -> AsyncHebbs:
        """Open an index; see `Hebbs.open`."""
        return cls(await asyncio.to_thread(Hebbs.open, path, **options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the index."""
        await asyncio.to_thread(self._hebbs.close)

    @property
    def root(self) -> Path:
        """The folder that is indexed."""
        return self._hebbs.root

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._hebbs.config

    @property
    def notes(self) -> tuple[str, ...]:
        """What opening the index had to say."""
        return self._hebbs.notes

    async def index(self, paths: Sequence[Path | str] = (), **options: Any) -> UpdateReport:
        """See `Hebbs.index`."""
        return await asyncio.to_thread(self._hebbs.index, paths, **options)

    async def rebuild(self, **options: Any) -> UpdateReport:
        """See `Hebbs.rebuild`."""
        return await asyncio.to_thread(self._hebbs.rebuild, **options)

    async def watch(
        self,
        *,
        on_report: Callable[[UpdateReport], None],
        on_note: Callable[[str], None],
        **options: Any,
    ) -> None:
        """See `Hebbs.watch`; ends when the task is cancelled. The callbacks run on a thread."""
        stop = threading.Event()
        watching = asyncio.ensure_future(
            asyncio.to_thread(
                self._hebbs.watch, on_report=on_report, on_note=on_note, stop=stop, **options
            )
        )
        try:
            await asyncio.shield(watching)
        finally:
            stop.set()
            await asyncio.wait([watching])

    async def status(self) -> Status:
        """See `Hebbs.status`."""
        return await asyncio.to_thread(self._hebbs.status)

    async def list_documents(self, paths: Sequence[Path | str] = ()) -> tuple[Listing, ...]:
        """See `Hebbs.list_documents`."""
        return await asyncio.to_thread(self._hebbs.list_documents, paths)

    async def inspect(self, target: str) -> tuple[MemoryView, ...]:
        """See `Hebbs.inspect`."""
        return await asyncio.to_thread(self._hebbs.inspect, target)

    async def recall(self, query: str, **options: Any) -> tuple[RecallHit, ...]:
        """See `Hebbs.recall`."""
        return await asyncio.to_thread(self._hebbs.recall, query, **options)

    async def contradiction_prepare(self, **options: Any) -> tuple[PendingContradiction, ...]:
        """See `Hebbs.contradiction_prepare`."""
        return await asyncio.to_thread(self._hebbs.contradiction_prepare, **options)

    async def contradiction_commit(
        self, verdicts: Sequence[ContradictionVerdictInput], **options: Any
    ) -> CommitResult:
        """See `Hebbs.contradiction_commit`."""
        return await asyncio.to_thread(self._hebbs.contradiction_commit, verdicts, **options)

    async def contradictions(self, state: str = "all") -> tuple[RulingView, ...]:
        """See `Hebbs.contradictions`."""
        return await asyncio.to_thread(self._hebbs.contradictions, state)

    async def undo(self, pending_id: str | None = None, **options: Any) -> RulingView:
        """See `Hebbs.undo`."""
        return await asyncio.to_thread(self._hebbs.undo, pending_id, **options)

    async def why(self, a: str, b: str) -> Explanation:
        """See `Hebbs.why`."""
        return await asyncio.to_thread(self._hebbs.why, a, b)

    async def verify(self, *, repair: bool = False) -> VerifyReport:
        """See `Hebbs.verify`."""
        return await asyncio.to_thread(self._hebbs.verify, repair=repair)

    async def doctor(self) -> tuple[Finding, ...]:
        """See `Hebbs.doctor`."""
        return await asyncio.to_thread(self._hebbs.doctor)
