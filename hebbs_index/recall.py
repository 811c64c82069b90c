"""Find what the index knows about a question, by words and by meaning, merged.

Both rankings are merged by reciprocal rank (Cormack, Clarke and Büttcher, 2009, with their
constant of 60), which needs no common scale. What a verdict has superseded is left
out unless asked for; what is contested is shown and says by whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hebbs_index import ids
from hebbs_index.contradictions.review import below
from hebbs_index.quantized import Grid, quantize
from hebbs_index.reports import RecallHit
from hebbs_index.standing import standing_of
from hebbs_index.store import Memory, Store
from hebbs_index.store.vectors import VectorCache
from hebbs_index.workspace import Workspace

RANK_CONSTANT = 60
DEPTH = 10  # each ranking is read this many times deeper than the answer


@dataclass(frozen=True, slots=True)
class Filters:
    """What an answer must be: below some paths, about an entity, superseded or not."""

    paths: Sequence[str] = ()
    entity: str | None = None
    include_superseded: bool = False

    @property
    def narrowing(self) -> bool:
        """Whether some memories are left out before anything is ranked."""
        return bool(self.paths or self.entity)


def recall(
    workspace: Workspace, cache: VectorCache, query: str, *, k: int, filters: Filters
) -> tuple[RecallHit, ...]:
    """The `k` best answers, best first; of equal texts only the best."""
    store = workspace.store
    depth = max(50, k * DEPTH)
    vector = _vector(workspace, query)
    with store.snapshot():
        words = store.search_text(query, limit=depth, paths=filters.paths, entity=filters.entity)
        meaning = _by_meaning(store, cache, vector, depth, filters) if vector is not None else {}
        scores = _merge([[memory_id for memory_id, _rank in words], list(meaning)])
        ranked = sorted(scores, key=lambda memory_id: (-scores[memory_id], memory_id))
        memories = store.memories(ranked)
        hits: dict[str, RecallHit] = {}
        for start in range(0, len(ranked), k):
            few = [memories[memory_id] for memory_id in ranked[start : start + k]]
            for hit in _hits(store, few, scores, meaning, filters):
                # Copies of a sentence in other files say nothing new.
                hits.setdefault(ids.fold_space(hit.content), hit)
            if len(hits) >= k:
                break
    return tuple(hits.values())[:k]


def _vector(workspace: Workspace, query: str) -> Grid | None:
    """The query on the grid; None without the embedding model that made the vectors."""
    embedder = workspace.models.embedder()
    if embedder is None or workspace.store.embedding_fingerprint() != embedder.fingerprint:
        return None
    vector: Grid = quantize(embedder.embed([query]))[0]
    return vector


def _by_meaning(
    store: Store, cache: VectorCache, vector: Grid, depth: int, filters: Filters
) -> dict[str, float]:
    """Memory ids with their similarity, nearest first."""
    reach = depth
    within = None
    if filters.narrowing:
        within = store.statements_within(paths=filters.paths, entity=filters.entity)
        reach = max(depth, len(cache))  # a rare entity may be far down the ranking
    found = cache.search(vector, reach)
    statements = store.statements_by_vector([number for number, _similarity in found])
    ranked = [
        (number, similarity)
        for vector_id, similarity in found
        for number in statements.get(vector_id, ())
        if within is None or number in within
    ][:depth]
    places = store.occurrences([number for number, _similarity in ranked])
    return {
        memory.id: similarity
        for number, similarity in ranked
        for memory in places[number]
        if not filters.paths or below(memory.source.path, filters.paths)
    }


def _merge(rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, memory_id in enumerate(ranking, start=1):
            scores[memory_id] = scores.get(memory_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return scores


def _hits(
    store: Store,
    memories: Sequence[Memory],
    scores: Mapping[str, float],
    similarities: Mapping[str, float],
    filters: Filters,
) -> list[RecallHit]:
    standing = standing_of(store, [memory.id for memory in memories])
    hits = []
    for memory in memories:
        contested, superseded = standing[memory.id]
        if superseded and not filters.include_superseded:
            continue
        similarity = similarities.get(memory.id)
        hits.append(
            RecallHit(
                memory_id=memory.id,
                kind=str(memory.kind),
                content=memory.content,
                score=round(scores[memory.id], 6),
                similarity=None if similarity is None else round(similarity, 4),
                source=memory.source,
                entity_id=memory.entity,
                importance=memory.importance,
                contested_by=contested,
                superseded_by=superseded,
            )
        )
    return hits
