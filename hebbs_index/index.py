"""`Hebbs`: the one facade that the command line, other surfaces and users call.

It opens an index, brings it up to date and answers. It may be used from any thread and
is closed once. Every command starts by applying what is new in the journals, so a ruling
that arrived by git counts from then on.
"""

from __future__ import annotations

import getpass
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hebbs_index.config import STATE_NAME, Config, load_config
from hebbs_index.contradictions.review import all_views, queue, resolve_id, ruling_view, show
from hebbs_index.contradictions.verdicts import Batch, plan_verdicts
from hebbs_index.errors import InputError, LockBusy, StoreDamaged, VerdictError
from hebbs_index.journal import MEMORY, UNDO, VERDICT, VERDICTS, Journal, new_event
from hebbs_index.models import Models
from hebbs_index.records import FileProblem, PendingContradiction, VerdictKind
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
from hebbs_index.roots import find_root
from hebbs_index.store import Ruling, Store
from hebbs_index.store.locks import WriteLock
from hebbs_index.synchronize import apply_journals
from hebbs_index.targets import place_of
from hebbs_index.workspace import Report, Workspace, now_us

if TYPE_CHECKING:
    from hebbs_index.store import VectorCache
    from hebbs_index.update import Request

RULING_STATES = ("open", "ruled", "history", "unmatched")


class Hebbs:
    """An open index of one folder of documents."""

    def __init__(self, workspace: Workspace, *, within: tuple[str, ...], notes: tuple[str, ...]):
        self._workspace = workspace
        self._within = within
        self.notes = notes
        self._updating = threading.Lock()

    # ------------------------------------------------------------ opening and closing

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        root: Path | str | None = None,
        create: bool = False,
        discard: bool = False,
        config: Config | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> Hebbs:
        """Open the index that `path` (else the current folder) belongs to.

        `create` makes one if there is none. `discard` deletes the database first, damaged or
        not; files and journals stay, and an index run brings the rest back. `overrides` are
        settings by dotted name, which win over variables and `hebbs.toml`. Raises NoIndex,
        InputError, ConfigError, StoreDamaged or StoreNewer.
        """
        found = find_root(path, root=root, create=create)
        config = config or load_config(found.root, flags=dict(overrides or {}))
        state = found.root / STATE_NAME
        if discard:
            with WriteLock(state):
                Store.remove(state)
        store = Store.open(state)
        try:
            workspace = Workspace(
                root=found.root,
                config=config,
                store=store,
                verdicts=Journal(state / VERDICTS),
                memory=Journal(state / MEMORY),
                lock=WriteLock(state),
                models=Models(config),
            )
            notes = [found.note] if found.note else []
            notes += _catch_up(workspace)
        except BaseException:
            store.close()
            raise
        return cls(workspace, within=found.within, notes=tuple(notes))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and let go of the models."""
        self._workspace.models.close()
        self._workspace.store.close()

    @property
    def root(self) -> Path:
        """The folder that is indexed."""
        return self._workspace.root

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._workspace.config

    @property
    def within(self) -> tuple[str, ...]:
        """The paths below the root that the path argument named; empty for the whole root."""
        return self._within

    @cached_property
    def _cache(self) -> VectorCache:
        from hebbs_index.store import VectorCache

        return VectorCache(self._workspace.state, self._workspace.store)

    # ------------------------------------------------------------ indexing

    def index(
        self,
        paths: Sequence[Path | str] = (),
        *,
        dry_run: bool = False,
        allow_empty: bool = False,
        progress: Report | None = None,
    ) -> UpdateReport:
        """Bring the index up to date with the files; `paths` narrow it to some of them.

        Raises CorpusVanished, LockBusy, StoreDamaged; trouble with single files is in
        the report's `problems`.
        """
        from hebbs_index.update import Request

        return self._update(Request(self._narrowing(paths), dry_run, allow_empty), progress)

    def _update(self, request: Request, progress: Report | None = None) -> UpdateReport:
        from hebbs_index.embedding import use_one_model
        from hebbs_index.update import update

        with self._updating:
            if not request.dry_run:
                use_one_model(self._workspace)
            report = update(self._workspace, request, progress)
            if not request.dry_run:
                self._cache.fold_in()
            return report

    def watch(
        self,
        *,
        on_report: Callable[[UpdateReport], None],
        on_note: Callable[[str], None],
        stop: threading.Event,
        allow_empty: bool = False,
    ) -> None:
        """Keep the index up to date until `stop` is set. Raises LockBusy if one already does."""

        from hebbs_index.update import Request
        from hebbs_index.watching import watch

        def run(paths: frozenset[str] | None) -> UpdateReport:
            return self._update(Request(tuple(sorted(paths or ())), allow_empty=allow_empty))

        watch(self._workspace, run, on_report=on_report, on_note=on_note, stop=stop)

    def rebuild(self, progress: Report | None = None) -> UpdateReport:
        """Delete what is derived and index anew; verdicts and ids come back from the journals."""
        with self._workspace.writing():
            self._clear()
        self._cache.drop()
        apply_journals(self._workspace)
        from hebbs_index.update import Request

        return self._update(Request(allow_empty=True), progress)

    def _clear(self) -> None:
        """Empty the database; one with a fault, which opening it may not meet, is thrown away."""
        store = self._workspace.store
        try:
            if store.is_sound():
                store.clear()
                return
        except StoreDamaged:
            pass
        Store.remove(self._workspace.state)

    # ------------------------------------------------------------ looking

    def status(self) -> Status:
        """Counts, problems, models and the last run."""
        from hebbs_index.describe import status

        return status(self._workspace)

    def list_documents(self, paths: Sequence[Path | str] = ()) -> tuple[Listing, ...]:
        """Every document, by path."""
        from hebbs_index.describe import listing

        return listing(self._workspace, self._narrowing(paths))

    def inspect(self, target: str) -> tuple[MemoryView, ...]:
        """Everything about a memory id (or its beginning), a path, or `path:line`."""
        from hebbs_index.describe import inspect

        return inspect(self._workspace, target)

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        paths: Sequence[Path | str] = (),
        entity: str | None = None,
        include_superseded: bool = False,
    ) -> tuple[RecallHit, ...]:
        """The best answers to a question, by words and by meaning.

        `k` of None means the number that is configured. Raises InputError for an empty question,
        a `k` below 1 or a path that names nothing.
        """
        from hebbs_index.recall import Filters, recall

        if not query.strip():
            raise InputError("the question is empty")
        wanted = self.config.recall.k if k is None else k
        if wanted < 1:
            raise InputError(f"k must be at least 1, not {wanted}")
        filters = Filters(self._narrowing(paths), entity, include_superseded)
        return recall(self._workspace, self._cache, query, k=wanted, filters=filters)

    def _narrowing(self, paths: Sequence[Path | str]) -> tuple[str, ...]:
        """The places below the root that the paths name; none for all of it."""
        places = tuple(place_of(self._workspace, path) for path in paths) or self._within
        return () if "" in places else places

    # ------------------------------------------------------------ contradictions

    def contradiction_prepare(
        self,
        *,
        limit: int | None = None,
        paths: Sequence[Path | str] = (),
        min_confidence: float | None = None,
    ) -> tuple[PendingContradiction, ...]:
        """Everything that waits for a verdict, best first. Nothing is changed.

        Raises InputError for a negative `limit` or a path that names nothing.
        """
        if limit is not None and limit < 0:
            raise InputError(f"limit must not be negative, as {limit} is")
        places = self._narrowing(paths)
        records = queue(self._workspace.store, paths=places, min_confidence=min_confidence)
        return tuple(records[:limit])

    def contradiction_commit(
        self,
        verdicts: Sequence[ContradictionVerdictInput],
        *,
        partial: bool = False,
        author: str | None = None,
    ) -> CommitResult:
        """Write verdicts to the journal and apply them, all or none unless `partial`.

        Raises VerdictError, naming every verdict at fault, when the batch is refused.
        """
        with self._workspace.writing():
            batch = self._plan_verdicts(verdicts)
            if batch.rejected and not partial:
                raise VerdictError([(item.pending_id, item.reason) for item in batch.rejected])
            self._append(VERDICT, batch.bodies, author)
        return CommitResult(
            contradictions_confirmed=batch.count(VerdictKind.CONTRADICTION),
            revisions_created=batch.count(VerdictKind.REVISION),
            dismissed=batch.count(VerdictKind.DISMISS),
            rejected=tuple(batch.rejected),
            already=batch.already,
        )

    def _plan_verdicts(self, verdicts: Sequence[ContradictionVerdictInput]) -> Batch:
        apply_journals(self._workspace)
        store = self._workspace.store
        pairs = {shown.pair.pair_key: shown for shown in show(store, store.flagged_pairs())}
        rulings = {ruling.pair_key: ruling for ruling in store.rulings()}
        return plan_verdicts(verdicts, pairs, rulings)

    def _append(self, kind: str, bodies: Sequence[Mapping[str, Any]], author: str | None) -> None:
        """Journal some decisions and apply them; the caller holds the write lock."""
        workspace, who = self._workspace, author or author_name()
        # The last ruling by time counts: each comes after all that were known when it was made,
        # whatever the clock says and wherever they came from.
        known = max((ruling.decided_us for ruling in workspace.store.rulings()), default=0)
        first = max(now_us(), known + 1)
        workspace.verdicts.append(
            [
                new_event(kind, body, author=who, time_us=first + number)
                for number, body in enumerate(bodies)
            ]
        )
        apply_journals(workspace)

    def contradictions(self, state: str = "all") -> tuple[RulingView, ...]:
        """Open pairs and rulings; `state` is all, open, ruled, history or unmatched."""
        if state not in ("all", *RULING_STATES):
            raise InputError(f"{state!r} is no state; it is all, {', '.join(RULING_STATES)}")
        views = all_views(self._workspace.store)
        return tuple(view for view in views if state in ("all", view.state))

    def undo(
        self, pending_id: str | None = None, *, last: bool = False, author: str | None = None
    ) -> RulingView:
        """Take back the ruling on a pair, or the last ruling of all; gives what was taken back.

        The pair is open again, or ruled as it was before it was ruled anew. Raises InputError
        unless exactly one ruling is meant.
        """
        if last == (pending_id is not None):
            raise InputError("name the ruling to undo by its pending id, or ask for the last one")
        with self._workspace.writing():
            apply_journals(self._workspace)
            ruling = self._ruling_to_undo(pending_id)
            self._append(UNDO, [{"undoes": ruling.event_id}], author)
        return ruling_view(ruling)

    def _ruling_to_undo(self, pending_id: str | None) -> Ruling:
        rulings = self._workspace.store.rulings()  # last decided first
        if not rulings:
            raise InputError("there is no ruling to undo")
        if pending_id is None:
            return rulings[0]
        # A ruling that follows its sentence is known by two ids: the pair's then and now.
        by_id = {r.ruled_key: r for r in rulings} | {r.pair_key: r for r in rulings}
        return by_id[resolve_id(pending_id, by_id)]

    def why(self, a: str, b: str) -> Explanation:
        """Why two statements are flagged or not; each a memory id, `path:line` or plain text."""
        from hebbs_index.explain import explain

        return explain(self._workspace, a, b)

    # ------------------------------------------------------------ health

    def verify(self, *, repair: bool = False) -> VerifyReport:
        """Check that everything derived agrees; `repair` mends what it can from the truth."""
        from hebbs_index.diagnose import verify

        return verify(self._workspace, repair=repair)

    def doctor(self) -> tuple[Finding, ...]:
        """What is missing on this machine or in this index, and what to do."""
        from hebbs_index.diagnose import doctor

        return doctor(self._workspace)


def _catch_up(workspace: Workspace) -> list[str]:
    """Apply what is new in the journals; gives what there is to say about that."""
    try:
        faults = apply_journals(workspace)
    except LockBusy as busy:  # who only reads need not wait for who writes
        return [f"rulings that came in by file do not count yet: {busy}"]
    return [_fault_note(fault) for fault in faults]


def _fault_note(fault: FileProblem) -> str:
    return f"{fault.path}.jsonl, {fault.reason}; that line is passed over"


def author_name() -> str:
    """Who rules: HEBBS_AUTHOR, else the name of the user."""
    named = os.environ.get("HEBBS_AUTHOR")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "unknown"
