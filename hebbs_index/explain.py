"""Explain step by step why a pair of statements is, or is not, flagged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hebbs_index.checking import (
    COUNTED,
    OWN_LIMIT,
    SLOT_LIMIT,
    crowded_slots,
    pair_of,
    shares_crowded,
)
from hebbs_index.contradictions.candidates import reaches
from hebbs_index.contradictions.judge import flagged, judge
from hebbs_index.errors import InputError
from hebbs_index.quantized import products, quantize, to_similarity
from hebbs_index.records import Claim, Guard, Judgement, MemoryKind, Statement
from hebbs_index.reports import Explanation
from hebbs_index.store import Memory, Ruling, Vectors
from hebbs_index.targets import memories_named
from hebbs_index.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Side:
    """A statement to explain; without memory and statement it is a text that was typed."""

    text: str
    claims: tuple[Claim, ...]
    memory: Memory | None = None
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class _Meeting:
    """How near two sides are and by which roads the check brings them together."""

    similarity: float | None
    roads: tuple[str, ...]


def explain(workspace: Workspace, a: str, b: str) -> Explanation:
    """Judge two statements, each a memory id, `path:line` or plain text, and say how it came.

    Of several statements on one line the two that disagree most are taken. Raises InputError
    for a name that names no statement.
    """
    with workspace.store.snapshot():
        sides = product(_sides(workspace, a), _sides(workspace, b))
        judged = [(_judge(first, second, None).score, first, second) for first, second in sides]
        _score, first, second = max(judged, key=lambda pair: pair[0])
        return _explanation(workspace, first, second)


def _sides(workspace: Workspace, given: str) -> Sequence[_Side]:
    """The statements that an argument may mean: several may stand on one line."""
    if not given.strip():
        raise InputError("one of the two statements is empty")
    memories = memories_named(workspace, given)
    if not memories:
        from hebbs_index.layers.claims import claims_of_text

        text = given.encode("utf-8", "replace").decode()  # bytes of a shell that are no text
        return [_Side(text, tuple(claims_of_text(text, workspace.models.language())))]
    if any(memory.kind is MemoryKind.DOCUMENT for memory in memories):
        path = memories[0].source.path
        raise InputError(
            f"{given} is a document, not a statement",
            hint=f"`hebbs inspect {path}` lists its statements; name one as {path}:LINE.",
        )
    numbers = [m.statement_id for m in memories if m.statement_id is not None]
    statements = {s.id: s for s in workspace.store.statements(numbers)}
    return [_indexed(memory, statements[memory.statement_id or 0]) for memory in memories]


def _indexed(memory: Memory, statement: Statement) -> _Side:
    return _Side(statement.text, statement.claims, memory, statement)


def _judge(a: _Side, b: _Side, similarity: float | None) -> Judgement:
    return judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=similarity)


def _explanation(workspace: Workspace, a: _Side, b: _Side) -> Explanation:
    config = workspace.config.contradiction
    meeting = _meeting(workspace, a, b)
    judgement = _judge(a, b, meeting.similarity)
    crowd = _crowd(workspace, a, b)
    if crowd is not None:
        judgement = replace(judgement, guards=(*judgement.guards, crowd))
    is_flagged = (
        flagged(judgement, config.min_confidence)
        and crowd is None
        and bool(meeting.roads)
        and config.enabled
        and not _same_words(a, b)
    )
    ruling = _ruling(workspace, a, b)
    state = _state(workspace, a, b, meeting, is_flagged, ruling)
    return Explanation(
        content_a=a.text,
        content_b=b.text,
        memory_id_a=a.memory.id if a.memory else None,
        memory_id_b=b.memory.id if b.memory else None,
        similarity=meeting.similarity,
        candidate_by=meeting.roads,
        judgement=judgement,
        flagged=is_flagged,
        state=state,
        steps=(
            *_steps_before(workspace, a, b, meeting),
            *_steps_judged(judgement, config.min_confidence),
            *_steps_after(ruling, state),
        ),
    )


# ---------------------------------------------------------------- how they meet


def _meeting(workspace: Workspace, a: _Side, b: _Side) -> _Meeting:
    near = _near(workspace, a, b)
    similarity, by_vector = near if near is not None else _similarity_of_texts(workspace, a, b)
    roads = [
        name
        for name, is_open in (("vector", by_vector), ("slot", _share_slot(workspace, a, b)))
        if is_open
    ]
    return _Meeting(similarity, tuple(roads))


def _near(workspace: Workspace, a: _Side, b: _Side) -> tuple[float, bool] | None:
    """Similarity of two indexed statements and whether either is among the other's nearest."""
    numbers = [side.statement.vector_id for side in (a, b) if side.statement is not None]
    wanted = [number for number in numbers if number is not None]
    if len(wanted) < 2:
        return None
    vectors = workspace.store.vectors_by_id(wanted)
    rows = {int(number): row for row, number in enumerate(vectors.ids)}
    if not rows.keys() >= set(wanted):
        return None
    one, other = rows[wanted[0]], rows[wanted[1]]
    dot = float(products(vectors.data[[one]], vectors.data[[other]])[0, 0])
    similarity = to_similarity(dot)
    is_near = similarity >= workspace.config.contradiction.min_similarity
    return similarity, is_near and (
        _reaches(vectors, dot, one, other) or _reaches(vectors, dot, other, one)
    )


def _reaches(vectors: Vectors, dot: float, row: int, other: int) -> bool:
    return reaches(dot, vectors.text_hashes[row], vectors.floors[other])


def _similarity_of_texts(workspace: Workspace, a: _Side, b: _Side) -> tuple[float | None, bool]:
    """Cosine of the two texts as they are; None without the embedding model."""
    embedder = workspace.models.embedder()
    if embedder is None:
        return None, False
    grid = quantize(embedder.embed([a.text, b.text]))
    similarity = to_similarity(float(products(grid[:1], grid[1:])[0, 0]))
    return similarity, similarity >= workspace.config.contradiction.min_similarity


def _share_slot(workspace: Workspace, a: _Side, b: _Side) -> bool:
    slots = [{slot for claim in side.claims for slot in claim.slots} for side in (a, b)]
    shared = {slot for slot in slots[0] & slots[1] if not slot.startswith(COUNTED)}
    members = workspace.store.slot_members(shared)
    return any(len(own) <= SLOT_LIMIT for own in members.values())


def _crowd(workspace: Workspace, a: _Side, b: _Side) -> Guard | None:
    """Whether both give a field for their own document that many documents give for theirs."""
    sides = [side.statement for side in (a, b) if side.statement is not None]
    if len(sides) < 2:
        return None
    crowded = crowded_slots(workspace.store, sides)
    if not shares_crowded(sides[0], sides[1], crowded):
        return None
    return Guard("field", f"more than {OWN_LIMIT} statements give this for their own document")


# ---------------------------------------------------------------- what has become of it


def _same_words(a: _Side, b: _Side) -> bool:
    if a.statement is None or b.statement is None:
        return a.text == b.text
    return a.statement.statement_key == b.statement.statement_key


def _ruling(workspace: Workspace, a: _Side, b: _Side) -> Ruling | None:
    if a.statement is None or b.statement is None:
        return None
    return workspace.store.rulings_by_pair().get(pair_of(a.statement, b.statement))


def _state(
    workspace: Workspace,
    a: _Side,
    b: _Side,
    meeting: _Meeting,
    is_flagged: bool,
    ruling: Ruling | None,
) -> str:
    if a.statement is None or b.statement is None:
        return "would be flagged" if is_flagged else "would not be flagged"
    if ruling is not None:
        return "ruled"
    store, key = workspace.store, pair_of(a.statement, b.statement)
    if any(pair.pair_key == key for pair in store.pairs_of([a.statement.id])):
        return "pending"
    if not {a.statement.id, b.statement.id}.isdisjoint(store.unchecked_statement_ids()):
        return "not checked yet"
    return "not flagged" if meeting.roads else "not a candidate"


# ---------------------------------------------------------------- in sentences


def _steps_before(workspace: Workspace, a: _Side, b: _Side, meeting: _Meeting) -> Iterator[str]:
    if not workspace.config.contradiction.enabled:
        yield "the check is switched off in the configuration"
    for name, side in (("first", a), ("second", b)):
        if not any(claim.asserted for claim in side.claims):
            yield f"the {name} text asserts nothing that could be contradicted"
    if _same_words(a, b):
        yield "both say the same words, so they are never compared"
    if meeting.similarity is None:
        yield "no similarity: the embedding model is off"
    else:
        yield f"similarity {meeting.similarity:.2f}"
    if meeting.roads:
        yield f"the two meet by {' and '.join(meeting.roads)}"
    else:
        yield "the two never meet: they are not near enough and name no common thing"


def _steps_judged(judgement: Judgement, min_confidence: float) -> Iterator[str]:
    for signal in judgement.signals:
        yield f"signal {signal.name}: {signal.detail}"
    if not judgement.signals:
        yield "no signal fires"
    for guard in judgement.guards:
        yield f"guard {guard.name}: {guard.detail}"
    score = f"confidence {judgement.score:.2f} (queued from {min_confidence})"
    yield f"label {judgement.label}, {score}"


def _steps_after(ruling: Ruling | None, state: str) -> Iterator[str]:
    if ruling is not None:
        because = f": {ruling.reasoning}" if ruling.reasoning else ""
        yield f"ruled a {ruling.verdict} by {ruling.author or 'somebody'}{because}"
    yield f"state: {state}"
