"""Answers about what the index holds: its state, its documents, one memory with all around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hebbs_index.contradictions.review import below
from hebbs_index.errors import InputError
from hebbs_index.records import Claim, Edge, MemoryKind, Term
from hebbs_index.reports import EdgeView, Listing, MemoryView, Status
from hebbs_index.standing import standing_of
from hebbs_index.store import Memory, Store
from hebbs_index.store.locks import read_heartbeat
from hebbs_index.targets import memories_named
from hebbs_index.workspace import Workspace


def status(workspace: Workspace) -> Status:
    """The state of the index; reads counts only, loads no model."""
    with workspace.store.snapshot():
        return _status(workspace)


def _status(workspace: Workspace) -> Status:
    store = workspace.store
    counts = store.counts()
    return Status(
        root=str(workspace.root),
        documents=counts.documents,
        propositions=counts.propositions,
        statements=counts.statements,
        vectors=counts.vectors,
        entities=counts.entities,
        edges=counts.edges,
        pending=counts.pending,
        rulings=counts.rulings,
        unmatched_rulings=counts.unmatched_rulings,
        unchecked=counts.unchecked,
        problems=store.problems(),
        last_run=store.run_info(),
        watcher=read_heartbeat(workspace.state),
        models=_models(workspace),
        off=workspace.models.off(),
        schema_version=store.schema_version,
    )


def _models(workspace: Workspace) -> Mapping[str, str]:
    embedder = workspace.models.embedder()
    return {
        "language": workspace.models.language_version(),
        "embedding": embedder.fingerprint if embedder is not None else "off",
        "embedded_with": workspace.store.embedding_fingerprint() or "",
    }


def listing(workspace: Workspace, paths: Sequence[str]) -> tuple[Listing, ...]:
    """Every document below the paths (or all), and files that have none for a reason."""
    store = workspace.store
    with store.snapshot():
        documents, problems = store.documents(), store.problems()
    rows = [
        Listing(
            document_id=row.id,
            path=row.path,
            title=row.title,
            format=row.format,
            entity=row.entity,
            date=row.dated.date,
            propositions=row.propositions,
            problem=row.problem,
        )
        for row in documents
    ]
    known = {row.path for row in rows}
    for problem in problems:
        if problem.path not in known:
            known.add(problem.path)
            reason = f"{problem.stage}: {problem.reason}"
            rows.append(Listing("", problem.path, "", "", None, None, 0, reason))
    rows.sort(key=lambda row: row.path)
    return tuple(row for row in rows if not paths or below(row.path, paths))


def inspect(workspace: Workspace, target: str) -> tuple[MemoryView, ...]:
    """The memories that an id, its beginning, a path or `path:line` names.

    Raises InputError if there are none.
    """
    store = workspace.store
    with store.snapshot():
        memories = memories_named(workspace, target)
        if not memories:
            raise InputError(
                f"nothing in the index is called {target!r}",
                hint="Give a memory id, a path as `hebbs list` shows it, or path:line.",
            )
        return _views(store, memories)


def _views(store: Store, memories: Sequence[Memory]) -> tuple[MemoryView, ...]:
    """All around some memories, each kind of thing read once for all of them."""
    ids = [memory.id for memory in memories]
    standing = standing_of(store, ids)
    entities = store.entities_of(ids)
    numbers = {memory.statement_id for memory in memories if memory.statement_id is not None}
    claims = {statement.id: statement.claims for statement in store.statements(numbers)}
    edges = _edges(store, ids)
    return tuple(
        MemoryView(
            memory_id=memory.id,
            kind=str(memory.kind),
            content=memory.content,
            importance=memory.importance,
            entity_id=memory.entity,
            created_at=memory.created_us,
            source=memory.source,
            document_id=None if memory.kind is MemoryKind.DOCUMENT else memory.document_id,
            edges=tuple(edges[memory.id]),
            entities=entities.get(memory.id, ()),
            claims=tuple(_claim(claim) for claim in claims.get(memory.statement_id or 0, ())),
            contested_by=standing[memory.id][0],
            superseded_by=standing[memory.id][1],
        )
        for memory in memories
    )


def _edges(store: Store, memory_ids: Sequence[str]) -> Mapping[str, list[EdgeView]]:
    """The edges of each memory, seen from it."""
    edges = store.edges_of(memory_ids)
    ends = store.memories({end for edge in edges for end in (edge.source_id, edge.target_id)})
    views: dict[str, list[EdgeView]] = {memory_id: [] for memory_id in memory_ids}
    for edge in edges:
        for end in {edge.source_id, edge.target_id} & views.keys():
            if _other(edge, end) in ends:
                views[end].append(_edge_view(edge, end, ends))
    return views


def _other(edge: Edge, memory_id: str) -> str:
    return edge.target_id if edge.source_id == memory_id else edge.source_id


def _edge_view(edge: Edge, memory_id: str, others: Mapping[str, Memory]) -> EdgeView:
    other = others[_other(edge, memory_id)]
    direction = "out" if edge.source_id == memory_id else "in"
    return EdgeView(
        kind=str(edge.kind),
        direction="both" if edge.kind.symmetric else direction,
        memory_id=other.id,
        content=other.content if other.kind is not MemoryKind.DOCUMENT else other.source.path,
        source=other.source,
        confidence=edge.confidence,
        note=edge.note,
    )


def _claim(claim: Claim) -> Mapping[str, Any]:
    """A claim as people read it: only what says something."""
    fields = {
        "subject": _words(claim.subject),
        "attribute": _words(claim.attribute),
        "value": _words(claim.value),
        "predicate": claim.predicate,
        "polarity": "affirms" if claim.polarity else "denies",
        "modality": claim.modality,
        "quantifier": claim.quantifier,
        "quantities": [asdict(quantity) for quantity in claim.quantities],
        "time": claim.time,
        "scope": [list(pair) for pair in claim.scope],
        "single_valued": claim.single_valued,
        "slots": list(claim.slots),
    }
    return {name: value for name, value in fields.items() if value}


def _words(term: Term) -> str:
    return term.text or " ".join(term.words)
