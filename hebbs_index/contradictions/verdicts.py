"""Turn a batch of verdicts into journal events, or say what is wrong with each.

Nothing is written here: `plan_verdicts` looks at the whole batch against the present
queue and gives the events to append, so a batch is applied whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbs_index.contradictions.review import ShownPair, resolve_id
from hebbs_index.errors import InputError
from hebbs_index.records import VerdictKind
from hebbs_index.reports import ContradictionVerdictInput, Rejected
from hebbs_index.store import Memory, Ruling

SIDES = ("a", "b")


@dataclass(slots=True)
class Batch:
    """What a batch of verdicts comes to."""

    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    already: int = 0

    def count(self, verdict: VerdictKind) -> int:
        """How many of the events to write rule this."""
        return sum(body["verdict"] == str(verdict) for body in self.bodies)


@dataclass(frozen=True, slots=True)
class _Decision:
    verdict: str
    supersedes: str | None


def plan_verdicts(
    verdicts: Sequence[ContradictionVerdictInput],
    pairs: Mapping[str, ShownPair],
    rulings: Mapping[str, Ruling],
) -> Batch:
    """Check each verdict; `pairs` are all flagged pairs, `rulings` those in force, by pair key."""
    batch = Batch()
    decided: dict[str, _Decision] = {}
    for item in verdicts:
        reason = _plan_one(item, pairs, rulings, decided, batch)
        if reason:
            batch.rejected.append(Rejected(item.pending_id, reason))
    return batch


def _plan_one(
    item: ContradictionVerdictInput,
    pairs: Mapping[str, ShownPair],
    rulings: Mapping[str, Ruling],
    decided: dict[str, _Decision],
    batch: Batch,
) -> str | None:
    """Add the event of a verdict to the batch, or give the reason why not."""
    fault = _fault_of(item)
    if fault:
        return fault
    try:
        key = resolve_id(item.pending_id, {*pairs, *rulings})
    except InputError as error:
        return str(error)
    decision = _Decision(item.verdict, _supersedes(item))
    if key in decided:
        return None if decided[key] == decision else "ruled twice in this batch, differently"
    ruling = rulings.get(key)
    if ruling is not None and not item.overrule:
        if _Decision(str(ruling.verdict), _told(ruling, pairs.get(key))) == decision:
            batch.already += 1
            return None
        return (
            f"already ruled a {ruling.verdict} by {ruling.author or 'somebody'};"
            ' send "overrule": true to rule it anew'
        )
    if key not in pairs:
        return _why_closed(rulings[key])
    decided[key] = decision
    batch.bodies.append(_body(item, pairs[key], decision))
    return None


def _why_closed(ruling: Ruling) -> str:
    """Why a pair that was ruled on cannot be ruled on anew."""
    if ruling.state == "ruled":
        return "the check no longer flags this pair; undo its ruling if it is wrong"
    return "a text of this pair has changed since; its ruling is history"


def _fault_of(item: ContradictionVerdictInput) -> str | None:
    words = [str(kind) for kind in VerdictKind]
    if not isinstance(item.pending_id, str):
        return f"pending_id {item.pending_id!r} is not a text"
    if item.verdict not in words:
        return f"{item.verdict!r} is no verdict; it is one of {', '.join(words)}"
    if isinstance(item.confidence, bool) or not isinstance(item.confidence, int | float):
        return f"confidence {item.confidence!r} is not a number"
    if not 0 <= item.confidence <= 1:
        return f"confidence {item.confidence} is not between 0 and 1"
    if item.supersedes not in (None, *SIDES):
        return f"supersedes {item.supersedes!r} is neither a nor b"
    if item.supersedes and item.verdict != VerdictKind.REVISION:
        return "only a revision supersedes"
    if item.apply_to not in ("pair", "cluster"):
        return f"apply_to {item.apply_to!r} is neither pair nor cluster"
    if item.content is not None:
        return "a merged wording (content) cannot be stored yet; rule without it"
    return None


def _supersedes(item: ContradictionVerdictInput) -> str | None:
    """The side that stays: b, the newer one, unless the reviewer says otherwise."""
    return (item.supersedes or "b") if item.verdict == VerdictKind.REVISION else None


def _told(ruling: Ruling, shown: ShownPair | None) -> str | None:
    """A ruling's direction in terms of the sides as they are shown now."""
    if ruling.supersedes is None or shown is None:
        return ruling.supersedes
    same = ruling.key_a == shown.a.statement_key
    return ruling.supersedes if same else {"a": "b", "b": "a"}[ruling.supersedes]


def _body(
    item: ContradictionVerdictInput, shown: ShownPair, decision: _Decision
) -> Mapping[str, Any]:
    judgement = shown.pair.judgement
    return {
        "pair_key": shown.pair.pair_key,
        "verdict": decision.verdict,
        "confidence": item.confidence,
        "reasoning": item.reasoning,
        "supersedes": decision.supersedes,
        "method": "agent",
        "label": str(judgement.label),
        "signals": [signal.name for signal in judgement.signals],
        "a": _side(shown.a),
        "b": _side(shown.b),
    }


def _side(memory: Memory) -> Mapping[str, Any]:
    source = memory.source
    return {
        "statement_key": memory.statement_key,
        "entity": memory.declared_entity or "",
        "sentence_key": memory.sentence_key,
        "content": memory.content,
        "path": source.path,
        "line_start": source.line_start,
        "line_end": source.line_end,
        "heading": list(source.heading),
        "date": source.date,
    }
