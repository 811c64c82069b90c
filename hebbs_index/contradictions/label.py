"""The label of a pair: what signals, guards and wording make of it together."""

from __future__ import annotations

from collections.abc import Sequence

from hebbs_index.contradictions.guards import BLOCKING, SCOPING, turn_of
from hebbs_index.contradictions.overlap import Overlap
from hebbs_index.contradictions.profile import Profile
from hebbs_index.records import Guard, Label, Signal

SAME = 0.8  # share of words in common from which two agreeing claims are one


def label_of(
    a: Profile, b: Profile, overlap: Overlap, signals: Sequence[Signal], guards: Sequence[Guard]
) -> Label:
    """Name the relation of two claims."""
    names = {guard.name for guard in guards}
    if names & BLOCKING:
        return Label.NONE
    if not signals:
        return _agreement(a, b, overlap)
    if names & SCOPING:
        return Label.SCOPE
    return Label.UPDATE if direction(a, b, signals) else Label.CONFLICT


def direction(a: Profile, b: Profile, signals: Sequence[Signal]) -> str | None:
    """Which side supersedes the other by its wording: `a`, `b` or None."""
    turn = turn_of(a, b)
    if turn:
        return turn
    rank_a, rank_b = _rank(a, b, signals), _rank(b, a, signals)
    if rank_a == rank_b:
        return None
    return "a" if rank_a > rank_b else "b"


def _rank(side: Profile, other: Profile, signals: Sequence[Signal]) -> int:
    """How new a side's wording says it is."""
    time = side.claim.time
    if time == "used_to":
        # "Used to live" ends "lives"; beside another value it is the older side.
        return 2 if any(s.name == "status" for s in signals) and len(signals) == 1 else -1
    if time == "changed":
        return 2
    if time in ("now", "future") and other.claim.time not in ("now", "future"):
        return 1
    return 0


def _agreement(a: Profile, b: Profile, overlap: Overlap) -> Label:
    if not a.heavy or not b.heavy or not overlap.shared & a.heavy:
        return Label.NONE
    if overlap.rest_a and overlap.rest_b:
        return Label.NONE
    if not overlap.rest_a and not overlap.rest_b:
        return Label.DUPLICATE
    return Label.REFINEMENT if len(overlap.shared & a.heavy) >= 2 else Label.NONE
