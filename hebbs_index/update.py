"""Bring an index up to date with its files: scan, plan, apply, embed, check.

Watcher, command line and API all end in `update`. It trusts no event: it looks at
the files, compares them with the manifest, and does what is left to do, whoever died
before it was done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from hebbs_index.checking import check
from hebbs_index.contradictions.review import open_pairs, present
from hebbs_index.embedding import embed_what_is_left
from hebbs_index.errors import CorpusVanished
from hebbs_index.ingest import Ingested, ingest
from hebbs_index.journal import MOVE, UNDO, fold_moves, new_event
from hebbs_index.layers.documents import path_facts
from hebbs_index.layers.parse import FORMATS
from hebbs_index.records import FileProblem, Indexed, Plan
from hebbs_index.reports import Counters, Progress, UpdateReport
from hebbs_index.synchronize import apply_journals
from hebbs_index.watch.ignore import Ignore
from hebbs_index.watch.plan import plan_changes
from hebbs_index.watch.scan import Snapshot, scan
from hebbs_index.workspace import Workspace, now_us

AUTHOR = "hebbs"  # of events that no person decided

Report = Callable[[Progress], None]


def _silent(_progress: Progress) -> None:
    return None


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
    started = time.monotonic()
    apply_journals(workspace)
    version = workspace.models.analysis_version()
    report(Progress("scan", 0, 0))
    manifest = workspace.store.manifest()
    snapshot = _scan(workspace, manifest, request)
    _refuse_sudden_emptiness(workspace, request, snapshot, manifest)
    plan = plan_changes(snapshot.files, manifest, version=version, within=request.within)
    if request.dry_run:
        return _dry_run(workspace, plan, snapshot, started)
    return _apply(workspace, plan, snapshot, manifest, version, report, started)


def _refuse_sudden_emptiness(
    workspace: Workspace, request: Request, snapshot: Snapshot, manifest: Mapping[str, Indexed]
) -> None:
    """An unmounted disk looks like an empty folder; a single document may well be deleted."""
    documents = sum(row.document_id is not None for row in manifest.values())
    if documents > 1 and not snapshot.files and not request.within and not request.allow_empty:
        raise CorpusVanished(
            workspace.root, f"no document is left, but {documents} were indexed from there"
        )


def _scan(workspace: Workspace, manifest: Mapping[str, Indexed], request: Request) -> Snapshot:
    corpus = workspace.config.corpus
    ignore = Ignore(workspace.root, include=corpus.include, exclude=corpus.exclude)
    return scan(
        workspace.root,
        ignore,
        manifest,
        suffixes=frozenset(FORMATS),
        max_file_bytes=workspace.max_file_bytes,
        within=request.within,
        now_ns=time.time_ns(),
    )


def _apply(
    workspace: Workspace,
    plan: Plan,
    snapshot: Snapshot,
    manifest: Mapping[str, Indexed],
    version: str,
    report: Report,
    started: float,
) -> UpdateReport:
    before = {pair.pair_key for pair in open_pairs(workspace.store)}
    language, embedded = workspace.models.counts()
    documents = _documents(workspace, plan, manifest)
    _move_and_delete(workspace, plan, snapshot, documents)
    outcome = ingest(workspace, documents, version, report)
    _note_stats_and_problems(workspace, plan, snapshot, outcome)
    embed_what_is_left(workspace, report)
    checked = check(workspace, report)
    pairs = open_pairs(workspace.store)
    fresh = [pair for pair in pairs if pair.pair_key not in before]
    now_language, now_embedded = workspace.models.counts()
    counters = Counters(
        files_seen=len(snapshot.files),
        files_read=outcome.files_read + sum(seen.read for seen in snapshot.files.values()),
        files_analyzed=outcome.files_analyzed,
        language_texts=now_language - language,
        embedded_texts=now_embedded - embedded,
        statements_checked=checked.statements,
        pairs_judged=checked.pairs,
    )
    totals = workspace.store.counts()
    seconds = time.monotonic() - started
    _remember_run(workspace, counters, seconds)
    return UpdateReport(
        plan=plan,
        dry_run=False,
        problems=_problems(workspace, outcome),
        documents=totals.documents,
        propositions=totals.propositions,
        propositions_added=outcome.added,
        propositions_removed=outcome.removed,
        new_pending=present(workspace.store, fresh),
        pending=len(pairs),
        counters=counters,
        seconds=seconds,
        off=workspace.models.off(),
    )


def _dry_run(workspace: Workspace, plan: Plan, snapshot: Snapshot, started: float) -> UpdateReport:
    totals = workspace.store.counts()
    problems = tuple(s.problem for s in snapshot.files.values() if s.problem is not None)
    return UpdateReport(
        plan=plan,
        dry_run=True,
        problems=problems + tuple(snapshot.skipped),
        documents=totals.documents,
        propositions=totals.propositions,
        propositions_added=0,
        propositions_removed=0,
        new_pending=(),
        pending=len(open_pairs(workspace.store)),
        counters=Counters(files_seen=len(snapshot.files)),
        seconds=time.monotonic() - started,
    )


def _documents(workspace: Workspace, plan: Plan, manifest: Mapping[str, Indexed]) -> dict[str, str]:
    """Journal the moves, and give every file that must be read the id of its document."""
    moves = [
        new_event(
            MOVE,
            {"from": old, "to": new, "document_id": manifest[old].document_id},
            author=AUTHOR,
            time_us=now_us(),
        )
        for new, old in plan.moved.items()
        if manifest[old].document_id is not None
    ]
    if moves:
        with workspace.writing():
            workspace.verdicts.append(moves)
        apply_journals(workspace)
    births = fold_moves(workspace.store.events(kinds=(MOVE, UNDO)))
    changed = [
        *plan.added,
        *plan.modified,
        *(
            new
            for new, old in plan.moved.items()
            if _must_read(workspace, plan, new, old, manifest)
        ),
    ]
    return {path: births.document_id_for(path) for path in sorted(changed)}


def _must_read(
    workspace: Workspace, plan: Plan, new: str, old: str, manifest: Mapping[str, Indexed]
) -> bool:
    """Whether a moved file has to be read again: its text or what its path says changed."""
    if new in plan.rewritten or manifest[old].document_id is None:
        return True
    folders = workspace.config.corpus.entity_folders
    return path_facts(new, folders) != path_facts(old, folders)


def _move_and_delete(
    workspace: Workspace, plan: Plan, snapshot: Snapshot, documents: Mapping[str, str]
) -> None:
    store = workspace.store
    # A file that is read again moves in the transaction that writes it: half a move would be lost.
    moved = {old: snapshot.files[new] for new, old in plan.moved.items() if new not in documents}
    with workspace.writing():
        store.move_files(moved)
    for path in plan.deleted:
        with workspace.writing():
            store.delete_file(path)


def _note_stats_and_problems(
    workspace: Workspace, plan: Plan, snapshot: Snapshot, outcome: Ingested
) -> None:
    store = workspace.store
    unreadable = [snapshot.files[path] for path in plan.unreadable if path in snapshot.files]
    with workspace.writing():
        store.touch([snapshot.files[path] for path in plan.touched])
        for seen in unreadable:
            if seen.problem is not None:
                store.record_problem(seen, [seen.problem])
        store.replace_skipped(snapshot.skipped, within=snapshot.within)
    outcome.problems.extend(snapshot.skipped)


def _problems(workspace: Workspace, outcome: Ingested) -> tuple[FileProblem, ...]:
    """Problems of this run and those that files still have, each once."""
    everything: Sequence[FileProblem] = [*workspace.store.problems(), *outcome.problems]
    return tuple(dict.fromkeys(everything))


def _remember_run(workspace: Workspace, counters: Counters, seconds: float) -> None:
    info = {"time": now_us(), "seconds": round(seconds, 3), **asdict(counters)}
    with workspace.writing():
        workspace.store.set_run(info)
