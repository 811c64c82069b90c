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
from hebbs_index.contradictions.review import (
    all_views,
    narrow,
    open_pairs,
    present,
    resolve_id,
    ruling_view,
    show,
)
from hebbs_index.contradictions.verdicts import plan_verdicts
from hebbs_index.errors import InputError, VerdictError
from hebbs_index.journal import MEMORY, UNDO, VERDICT, VERDICTS, Journal, new_event
from hebbs_index.models import Models
from hebbs_index.records import PendingContradiction, VerdictKind
from hebbs_index.reports import (
    CommitResult,
    ContradictionVerdictInput,
    Explanation,
    Finding,
    Listing,
    MemoryView,
    Progress,
    RecallHit,
    RulingView,
    Status,
    UpdateReport,
    VerifyReport,
)
from hebbs_index.roots import find_root
from hebbs_index.store import Store
from hebbs_index.store.locks import WriteLock
from hebbs_index.synchronize import apply_journals
from hebbs_index.workspace import Workspace, now_us

if TYPE_CHECKING:
    from hebbs_index.store import VectorCache
    from hebbs_index.update import Request

ProgressReport = Callable[[Progress], None]


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
        workspace = Workspace(
            root=found.root,
            config=config,
            store=store,
            verdicts=Journal(state / VERDICTS),
            memory=Journal(state / MEMORY),
            lock=WriteLock(state),
            models=Models(config),
        )
        apply_journals(workspace)
        notes = (found.note,) if found.note else ()
        return cls(workspace, within=found.within, notes=notes)

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
        progress: ProgressReport | None = None,
    ) -> UpdateReport:
        """Bring the index up to date with the files; `paths` narrow it to some of them.

        Raises CorpusVanished, LockBusy, StoreDamaged; trouble with single files is in
        the report's `problems`.
        """
        from hebbs_index.update import Request

        within = tuple(self._relative(path) for path in paths) or self._within
        if "" in within:  # the root itself: all of it, with the guard against an empty one
            within = ()
        return self._update(Request(within, dry_run, allow_empty), progress)

    def _update(self, request: Request, progress: ProgressReport | None = None) -> UpdateReport:
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

    def rebuild(self, progress: ProgressReport | None = None) -> UpdateReport:
        """Delete what is derived and index anew; verdicts and ids come back from the journals."""
        with self._workspace.writing():
            self._workspace.store.clear()
        self._cache.drop()
        apply_journals(self._workspace)
        from hebbs_index.update import Request

        return self._update(Request(allow_empty=True), progress)

    def _relative(self, path: Path | str) -> str:
        """A path the user typed, as a POSIX path below the root ('' for the root itself)."""
        full = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
        if full == self.root:
            return ""
        if not full.is_relative_to(self.root):
            raise InputError(f"{path} is not inside the indexed folder {self.root}")
        return full.relative_to(self.root).as_posix()

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
        """The best answers to a question, by words and by meaning. Raises InputError if empty."""
        from hebbs_index.recall import Filters, recall

        if not query.strip():
            raise InputError("the question is empty")
        filters = Filters(self._narrowing(paths), entity, include_superseded)
        wanted = k or self.config.recall.k
        return recall(self._workspace, self._cache, query, k=wanted, filters=filters)

    def _narrowing(self, paths: Sequence[Path | str]) -> tuple[str, ...]:
        return tuple(self._relative(path) for path in paths) or self._within

    # ------------------------------------------------------------ contradictions

    def contradiction_prepare(
        self,
        *,
        limit: int | None = None,
        paths: Sequence[Path | str] = (),
        min_confidence: float | None = None,
    ) -> tuple[PendingContradiction, ...]:
        """Everything that waits for a verdict, best first. Nothing is changed."""
        store = self._workspace.store
        records = narrow(
            present(store, open_pairs(store)),
            paths=self._narrowing(paths),
            min_confidence=min_confidence,
        )
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
        workspace = self._workspace
        with workspace.writing():
            apply_journals(workspace)
            store = workspace.store
            shown = {pair.pair.pair_key: pair for pair in show(store, store.flagged_pairs())}
            rulings = {ruling.pair_key: ruling for ruling in store.rulings()}
            batch = plan_verdicts(verdicts, shown, rulings)
            if batch.rejected and not partial:
                raise VerdictError([(item.pending_id, item.reason) for item in batch.rejected])
            who = author or author_name()
            start = now_us()  # one apart each: of equal times the later would be left to chance
            workspace.verdicts.append(
                [
                    new_event(VERDICT, body, author=who, time_us=start + number)
                    for number, body in enumerate(batch.bodies)
                ]
            )
            apply_journals(workspace)
        return CommitResult(
            contradictions_confirmed=batch.count(VerdictKind.CONTRADICTION),
            revisions_created=batch.count(VerdictKind.REVISION),
            dismissed=batch.count(VerdictKind.DISMISS),
            rejected=tuple(batch.rejected),
            already=batch.already,
        )

    def contradictions(self, state: str = "all") -> tuple[RulingView, ...]:
        """Open pairs and rulings; `state` is all, open, ruled, history or unmatched."""
        views = all_views(self._workspace.store)
        return tuple(view for view in views if state in ("all", view.state))

    def undo(
        self, pending_id: str | None = None, *, last: bool = False, author: str | None = None
    ) -> RulingView:
        """Take back the ruling on a pair, or the last ruling of all; the pair is open again."""
        workspace = self._workspace
        with workspace.writing():
            apply_journals(workspace)
            rulings = {ruling.pair_key: ruling for ruling in workspace.store.rulings()}
            if not rulings:
                raise InputError("there is no ruling to undo")
            if last:
                ruling = max(rulings.values(), key=lambda r: (r.decided_us, r.event_id))
            elif pending_id:
                ruling = rulings[resolve_id(pending_id, rulings)]
            else:
                raise InputError("name the ruling to undo by its pending id, or pass --last")
            body = {"undoes": ruling.event_id}
            event = new_event(UNDO, body, author=author or author_name(), time_us=now_us())
            workspace.verdicts.append([event])
            apply_journals(workspace)
        return ruling_view(ruling)

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


def author_name() -> str:
    """Who rules: HEBBS_AUTHOR, else the name of the user."""
    named = os.environ.get("HEBBS_AUTHOR")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "unknown"
