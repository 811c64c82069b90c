"""Explain step by step why a pair of statements is, or is not, flagged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hebbs_index.checking import SLOT_LIMIT, pair_of
from hebbs_index.contradictions.judge import flagged, judge
from hebbs_index.errors import InputError
from hebbs_index.quantized import products, quantize, to_similarity
from hebbs_index.records import Claim, Judgement
from hebbs_index.reports import Explanation
from hebbs_index.store import Memory
from hebbs_index.workspace import Workspace

_PLACE = re.compile(r"(?P<path>.+):(?P<line>\d+)")


@dataclass(frozen=True, slots=True)
class _Side:
    text: str
    claims: tuple[Claim, ...]
    memory: Memory | None
    statement_id: int | None
    statement_key: str
    entity: str | None
    asserted: bool = True


def explain(workspace: Workspace, a: str, b: str) -> Explanation:
    """Judge two statements, each a memory id, `path:line` or plain text, and say how it came."""
    best: tuple[Judgement, _Side, _Side] | None = None
    for first in _sides(workspace, a):
        for second in _sides(workspace, b):
            judgement = judge(
                first.claims, second.claims, text_a=first.text, text_b=second.text, similarity=None
            )
            if best is None or judgement.score > best[0].score:
                best = judgement, first, second
    if best is None:
        raise InputError("there is no statement to compare")
    return _explanation(workspace, best[1], best[2])


def _sides(workspace: Workspace, given: str) -> Sequence[_Side]:
    """The statements that an argument may mean: several may stand on one line."""
    memories = find_memories(workspace, given)
    if memories:
        numbers = [m.statement_id for m in memories if m.statement_id is not None]
        statements = {s.id: s for s in workspace.store.statements(numbers)}
        return [
            _Side(
                s.text, s.claims, memory, s.id, s.statement_key, s.declared_entity, memory.asserted
            )
            for memory in memories
            if memory.statement_id is not None and (s := statements.get(memory.statement_id))
        ]
    from hebbs_index.layers.claims import claims_of_text

    claims = claims_of_text(given, workspace.models.language())
    return [_Side(given, tuple(claims), None, None, "", None)]


def find_memories(workspace: Workspace, given: str) -> Sequence[Memory]:
    """The propositions that a memory id, its beginning, or `path:line` names; else nothing.

    Raises InputError for a place in an indexed file where no statement stands.
    """
    store = workspace.store
    if re.fullmatch(r"[0-9a-f]{6,32}", given):
        named = store.memories(store.ids_starting_with(given))
        return [memory for memory in named.values() if memory.statement_id is not None]
    place = _PLACE.fullmatch(given)
    if place is None:
        return ()
    path, line = place["path"].removeprefix("./"), int(place["line"])
    found = [memory for memory in store.memories_at(path, line) if memory.statement_id is not None]
    if not found and store.memories_at(path):
        raise InputError(
            f"no statement stands at {path}:{line}",
            hint=f"`hebbs inspect {path}` lists the statements of that file.",
        )
    return found


def _explanation(workspace: Workspace, a: _Side, b: _Side) -> Explanation:
    config = workspace.config.contradiction
    similarity = _similarity(workspace, a, b)
    judgement = judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=similarity)
    roads = tuple(_roads(workspace, a, b, similarity))
    is_flagged = flagged(judgement, config.min_confidence)
    state = _state(workspace, a, b, roads, is_flagged)
    return Explanation(
        content_a=a.text,
        content_b=b.text,
        memory_id_a=a.memory.id if a.memory else None,
        memory_id_b=b.memory.id if b.memory else None,
        similarity=similarity,
        candidate_by=roads,
        judgement=judgement,
        flagged=is_flagged,
        state=state,
        steps=tuple(_steps(a, b, similarity, roads, judgement, state, config.min_confidence)),
    )


def _similarity(workspace: Workspace, a: _Side, b: _Side) -> float | None:
    """Cosine of the two texts, None without the embedding model."""
    embedder = workspace.models.embedder()
    if embedder is None:
        return None
    grid = quantize(embedder.embed([a.text, b.text]))
    return to_similarity(float(products(grid[:1], grid[1:])[0, 0]))


def _roads(workspace: Workspace, a: _Side, b: _Side, similarity: float | None) -> Iterator[str]:
    if similarity is not None and similarity >= workspace.config.contradiction.min_similarity:
        yield "vector"
    slots = [{slot for claim in side.claims for slot in claim.slots} for side in (a, b)]
    shared = sorted(slots[0] & slots[1])
    members = workspace.store.slot_members(shared)
    if any(len(members[slot]) <= SLOT_LIMIT for slot in shared):
        yield "slot"


def _state(workspace: Workspace, a: _Side, b: _Side, roads: Sequence[str], is_flagged: bool) -> str:
    if a.statement_id is None or b.statement_id is None:
        return "would be flagged" if is_flagged and roads else "would not be flagged"
    key = pair_of_keys(a, b)
    if any(ruling.pair_key == key for ruling in workspace.store.rulings()):
        return "ruled"
    if any(pair.pair_key == key for pair in workspace.store.pairs_of([a.statement_id])):
        return "pending"
    return "not flagged" if roads else "not a candidate"


def pair_of_keys(a: _Side, b: _Side) -> str:
    """The key under which a verdict about the two sides is kept."""
    from hebbs_index import ids

    return ids.pair_key(a.statement_key, a.entity, b.statement_key, b.entity)


def _steps(
    a: _Side,
    b: _Side,
    similarity: float | None,
    roads: Sequence[str],
    judgement: Judgement,
    state: str,
    min_confidence: float,
) -> Iterator[str]:
    for name, side in (("first", a), ("second", b)):
        if not side.claims or not side.asserted:
            yield f"the {name} text asserts nothing that could be contradicted"
    if similarity is None:
        yield "no similarity: the embedding model is off"
    else:
        yield f"similarity {similarity:.2f}"
    if roads:
        yield f"the two meet by {' and '.join(roads)}"
    else:
        yield "the two never meet: they are not near enough and name no common thing"
    for signal in judgement.signals:
        yield f"signal {signal.name}: {signal.detail}"
    if not judgement.signals:
        yield "no signal fires"
    for guard in judgement.guards:
        yield f"guard {guard.name}: {guard.detail}"
    yield f"label {judgement.label}, confidence {judgement.score:.2f} (queued from {min_confidence})"
    yield f"state: {state}"


__all__ = ["explain", "find_memories", "pair_of"]
