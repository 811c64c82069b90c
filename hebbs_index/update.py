"""Bring an index up to date with its files: scan, plan, apply, embed, check.

Watcher, command line and API all end in `update`. It trusts no event: it looks at
the files, compares them with the manifest, and does what is left to do, whoever died
before it was done. Several processes may update at once: whichever ends last looks again, so
that what it did by an old plan does not stay.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from hebbs_index.checking import Checked, check
from hebbs_index.contradictions.review import open_pairs, present
from hebbs_index.embedding import embed_what_is_left
from hebbs_index.errors import CorpusVanished, ModelUnavailable
from hebbs_index.ingest import Ingested, ingest
from hebbs_index.journal import MOVE, UNDO, Births, Event, fold_moves, new_event
from hebbs_index.layers.documents import path_facts
from hebbs_index.layers.parse import FORMATS
from hebbs_index.records import FileProblem, Indexed, Plan
from hebbs_index.reports import Counters, Progress, UpdateReport
from hebbs_index.synchronize import apply_journals
from hebbs_index.watch.ignore import Ignore
from hebbs_index.watch.plan import plan_changes
from hebbs_index.watch.scan import Snapshot, scan
from hebbs_index.workspace import Report, Workspace, now_us

AUTHOR = "hebbs"  # of events that no person decided
MOST_PASSES = 5  # of one update over files that do not stand still; the next one goes on


@dataclass(frozen=True, slots=True)
class Request:
    """What to look at and how. `within` narrows the scan to some paths below the root."""

    within: tuple[str, ...] = ()
    dry_run: bool = False
    allow_empty: bool = False


def update(
    workspace: Workspace, request: Request | None = None, progress: Report | None = None
) -> UpdateReport:
    """Make the index say what the files say.

    Raises CorpusVanished if the root is missing or suddenly empty, LockBusy if another
    process keeps the write lock, StoreDamaged if the database cannot be used.
    """
    request = request or Request()
    report = progress or _silent
    apply_journals(workspace)
    if request.dry_run:
        return _dry_run(workspace, request, report)
    return _Update(workspace, request, report).run()


def _silent(_progress: Progress) -> None:
    return None


# ---------------------------------------------------------------- looking


@dataclass(frozen=True, slots=True)
class _Look:
    """The files and the manifest at one moment, and what follows from them."""

    manifest: Mapping[str, Indexed]
    snapshot: Snapshot
    plan: Plan
    version: str  # of the analysis


def _look(workspace: Workspace, request: Request, report: Report) -> _Look:
    report(Progress("scan", 0, 0))
    look = _look_within(workspace, request.within)
    sources = _left_for_here(workspace, look) if request.within else []
    if sources:
        look = _look_within(workspace, (*request.within, *sources))
    if not request.allow_empty:
        _refuse_sudden_emptiness(workspace, look)
    return look


def _look_within(workspace: Workspace, within: tuple[str, ...]) -> _Look:
    version = workspace.models.analysis_version()
    manifest = workspace.store.manifest()
    snapshot = _scan(workspace, manifest, within)
    plan = plan_changes(snapshot.files, manifest, version=version, within=within)
    return _Look(manifest, snapshot, plan, version)


def _left_for_here(workspace: Workspace, look: _Look) -> list[str]:
    """Indexed files outside of what was looked at that are gone and may be what was added.

    Without them a file that moved into a narrowed look would be a new document.
    """
    added = [look.snapshot.files[path] for path in look.plan.added]
    contents = {seen.content_hash for seen in added}
    inodes = {seen.stat.inode for seen in added} - {0}
    return [
        path
        for path, row in look.manifest.items()
        if (row.content_hash in contents or row.stat.inode in inodes)
        and path not in look.snapshot.files
        and not os.path.lexists(workspace.root / path)
    ]


def _scan(
    workspace: Workspace, manifest: Mapping[str, Indexed], within: tuple[str, ...]
) -> Snapshot:
    corpus = workspace.config.corpus
    ignore = Ignore(workspace.root, include=corpus.include, exclude=corpus.exclude)
    return scan(
        workspace.root,
        ignore,
        manifest,
        suffixes=frozenset(FORMATS),
        max_file_bytes=workspace.max_file_bytes,
        within=within,
        now_ns=time.time_ns(),
    )


def _refuse_sudden_emptiness(workspace: Workspace, look: _Look) -> None:
    """An unmounted disk looks like an empty folder; a single document may well be deleted."""
    documents = {path for path, row in look.manifest.items() if row.document_id is not None}
    if len(documents) > 1 and not look.snapshot.files and documents <= {*look.plan.deleted}:
        raise CorpusVanished(
            workspace.root, f"no document is left, but {len(documents)} were indexed from there"
        )


def _dry_run(workspace: Workspace, request: Request, report: Report) -> UpdateReport:
    started = time.monotonic()
    look = _look(workspace, request, report)
    totals = workspace.store.counts()
    problems = [s.problem for s in look.snapshot.files.values() if s.problem is not None]
    return UpdateReport(
        plan=look.plan,
        dry_run=True,
        problems=_each_once([*problems, *look.snapshot.skipped]),
        documents=totals.documents,
        propositions=totals.propositions,
        propositions_added=0,
        propositions_removed=0,
        new_pending=(),
        pending=totals.pending,
        counters=Counters(files_seen=len(look.snapshot.files)),
        seconds=time.monotonic() - started,
    )


# ---------------------------------------------------------------- doing


class _Update:
    """One update: as many passes over the files as it takes to end with a true one."""

    def __init__(self, workspace: Workspace, request: Request, report: Report) -> None:
        self._workspace = workspace
        self._store = workspace.store
        self._request = request
        self._report = report
        self._started = time.monotonic()
        self._plan: Plan | None = None  # of the first pass that was carried out
        self._counters = Counters()
        self._added = self._removed = 0
        self._problems: list[FileProblem] = []

    def run(self) -> UpdateReport:
        before = {pair.pair_key for pair in open_pairs(self._store)}
        language, embedded = self._workspace.models.counts()
        for _number in range(MOST_PASSES):
            if self._pass():
                break
        now_language, now_embedded = self._workspace.models.counts()
        self._counters = replace(
            self._counters,
            language_texts=now_language - language,
            embedded_texts=now_embedded - embedded,
        )
        seconds = time.monotonic() - self._started
        self._remember(seconds)
        return self._told(before, seconds)

    def _told(self, before: set[str], seconds: float) -> UpdateReport:
        with self._store.snapshot():
            totals = self._store.counts()
            pairs = open_pairs(self._store)
            fresh = present(self._store, [p for p in pairs if p.pair_key not in before])
            problems = self._store.problems()
        return UpdateReport(
            plan=self._plan or Plan(),
            dry_run=False,
            problems=_each_once([*problems, *self._problems]),
            documents=totals.documents,
            propositions=totals.propositions,
            propositions_added=self._added,
            propositions_removed=self._removed,
            new_pending=fresh,
            pending=len(pairs),
            counters=self._counters,
            seconds=seconds,
            off=self._workspace.models.off(),
        )

    def _pass(self) -> bool:
        """Look and do; False if files or other processes moved on meanwhile."""
        last_run = self._store.run_info()
        look = _look(self._workspace, self._request, self._report)
        documents = self._move(look)
        if documents is None:
            return False
        for path in look.plan.deleted:
            with self._workspace.writing():
                self._store.delete_file(path)
        outcome = ingest(self._workspace, documents, look.version, self._report)
        self._note_stats_and_problems(look)
        self._embed(outcome)
        checked = check(self._workspace, self._report)
        self._plan = self._plan or look.plan
        self._add_up(look.snapshot, outcome, checked)
        return outcome.vanished == 0 and self._store.run_info() == last_run

    def _add_up(self, snapshot: Snapshot, outcome: Ingested, checked: Checked) -> None:
        sums, read = self._counters, sum(seen.read for seen in snapshot.files.values())
        self._counters = Counters(
            files_seen=len(snapshot.files),
            files_read=sums.files_read + outcome.files_read + read,
            files_analyzed=sums.files_analyzed + outcome.files_analyzed,
            statements_checked=sums.statements_checked + checked.statements,
            pairs_judged=sums.pairs_judged + checked.pairs,
        )
        self._added += outcome.added
        self._removed += outcome.removed
        # What a file's problem was in an earlier pass, the store would know if it still were.
        self._problems = [*outcome.problems, *snapshot.skipped]

    def _move(self, look: _Look) -> dict[str, str] | None:
        """Journal and make the moves; gives each file to be read with the id of its document.

        None, and nothing is done, if another process changed one of the files that moved.
        """
        plan, workspace = look.plan, self._workspace
        changed = [
            *plan.added,
            *plan.modified,
            *(new for new in plan.moved if _must_read(workspace, look, new)),
        ]
        # A file that is read again moves in the transaction that writes it: no half moves.
        moved = {o: look.snapshot.files[n] for n, o in plan.moved.items() if n not in changed}
        if plan.moved:
            with workspace.writing():
                now = self._store.manifest()
                if any(now.get(old) != look.manifest[old] for old in plan.moved.values()):
                    return None
                workspace.verdicts.append(_move_events(look))
                apply_journals(workspace)
                self._store.move_files(moved)
        births: Births = fold_moves(self._store.events(kinds=(MOVE, UNDO)))
        return {path: births.document_id_for(path) for path in sorted(changed)}

    def _note_stats_and_problems(self, look: _Look) -> None:
        files = look.snapshot.files
        unreadable = [files[path] for path in look.plan.unreadable if path in files]
        with self._workspace.writing():
            self._store.touch([files[path] for path in look.plan.touched])
            for seen in unreadable:
                if seen.problem is not None:
                    self._store.record_problem(seen, [seen.problem])
            self._store.replace_skipped(look.snapshot.skipped, within=look.snapshot.within)

    def _embed(self, outcome: Ingested) -> None:
        try:
            embed_what_is_left(self._workspace, self._report)
        except ModelUnavailable as error:
            # What is there is checked without vectors; the next run embeds what is left.
            outcome.problems.append(FileProblem("", "embed", str(error)))

    def _remember(self, seconds: float) -> None:
        info = {"time": now_us(), "seconds": round(seconds, 3), **asdict(self._counters)}
        with self._workspace.writing():
            self._store.set_run(info)


def _move_events(look: _Look) -> list[Event]:
    documents = {new: look.manifest[old].document_id for new, old in look.plan.moved.items()}
    return [
        new_event(
            MOVE,
            {"from": old, "to": new, "document_id": documents[new]},
            author=AUTHOR,
            time_us=now_us(),
        )
        for new, old in look.plan.moved.items()
        if documents[new] is not None
    ]


def _must_read(workspace: Workspace, look: _Look, new: str) -> bool:
    """Whether a moved file has to be read again: its text or what its path says changed."""
    old = look.plan.moved[new]
    if new in look.plan.rewritten or look.manifest[old].document_id is None:
        return True
    folders = workspace.config.corpus.entity_folders
    return path_facts(new, folders) != path_facts(old, folders)


def _each_once(problems: Iterable[FileProblem]) -> tuple[FileProblem, ...]:
    return tuple(dict.fromkeys(problems))
