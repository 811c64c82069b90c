"""How a flagged pair is shown: which side is older, what to cut, what to suggest.

`a` is the older statement and `b` the newer. A stated date decides, then the wording
("just moved to"), and last the statement key, which says nothing about time: then no
direction is suggested. File times never decide.
"""

from __future__ import annotations

from dataclasses import dataclass

from hebbs_index.contradictions.sides import exchanged
from hebbs_index.records import Dated, Judgement, Label, VerdictKind

SNIPPET = 300  # characters shown of a statement; a user's screen, not a limit of the check
MARGIN = 40  # characters kept before the first differing word
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Order:
    """Whether to swap the two sides so that the older comes first, and on what basis."""

    swap: bool
    basis: str | None


def order_of(first: Dated, second: Dated, judgement: Judgement, *, keys: tuple[str, str]) -> Order:
    """Order two statements by stated date, then wording, then key."""
    by_date = _compare_dates(first.date, second.date)
    if by_date:
        basis = " and ".join(dict.fromkeys(b for b in (first.basis, second.basis) if b))
        return Order(swap=by_date > 0, basis=basis)
    if judgement.supersedes in ("a", "b"):
        return Order(swap=judgement.supersedes == "a", basis="wording")
    return Order(swap=keys[0] > keys[1], basis=None)


def _compare_dates(first: str | None, second: str | None) -> int:
    """Compare two ISO dates as far as both are precise: a month holds all of its days."""
    if not first or not second:
        return 0
    precision = min(len(first), len(second))
    one, other = first[:precision], second[:precision]
    return (one > other) - (one < other)


def swapped(judgement: Judgement) -> Judgement:
    """The same judgement with its two sides exchanged."""
    return Judgement(
        label=judgement.label,
        score=judgement.score,
        signals=tuple(exchanged(signal) for signal in judgement.signals),
        guards=judgement.guards,
        supersedes={"a": "b", "b": "a"}.get(judgement.supersedes or ""),
    )


def suggest(label: Label) -> VerdictKind:
    """The verdict that a label makes likely."""
    return VerdictKind.REVISION if label is Label.UPDATE else VerdictKind.CONTRADICTION


def snippet(text: str, spans: tuple[tuple[int, int], ...], limit: int = SNIPPET) -> str:
    """Cut a text to `limit` characters around the words that differ."""
    if len(text) <= limit:
        return text
    first = min((start for start, _end in spans), default=0)
    last = max((end for _start, end in spans), default=0)
    start = max(0, min(first - MARGIN, len(text) - limit))
    if last - start > limit:
        start = max(0, first - MARGIN)
    end = min(len(text), start + limit)
    start, end = _at_words(text, start, end)
    cut = text[start:end].strip()
    room = limit - (start > 0) - (end < len(text))
    return f"{ELLIPSIS if start > 0 else ''}{cut[:room]}{ELLIPSIS if end < len(text) else ''}"


def _at_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Move both ends inward to a space, unless that would lose much."""
    if start > 0:
        space = text.find(" ", start, start + MARGIN // 2)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - MARGIN // 2, end)
        end = space if space >= 0 else end
    return start, end
