"""The facade for asyncio: each call runs on a worker thread, nothing else differs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hebbs_index.index import Hebbs
from hebbs_index.records import PendingContradiction
from hebbs_index.reports import (
    CommitResult,
    ContradictionVerdictInput,
    Explanation,
    RecallHit,
    RulingView,
    Status,
    UpdateReport,
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

    async def index(self, paths: Sequence[Path | str] = (), **options: Any) -> UpdateReport:
        """See `Hebbs.index`."""
        return await asyncio.to_thread(self._hebbs.index, paths, **options)

    async def status(self) -> Status:
        """See `Hebbs.status`."""
        return await asyncio.to_thread(self._hebbs.status)

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

    async def undo(self, pending_id: str | None = None, **options: Any) -> RulingView:
        """See `Hebbs.undo`."""
        return await asyncio.to_thread(self._hebbs.undo, pending_id, **options)

    async def why(self, a: str, b: str) -> Explanation:
        """See `Hebbs.why`."""
        return await asyncio.to_thread(self._hebbs.why, a, b)
