"""Keys under which claims about the same attribute of the same thing meet.

A slot is `thing|attribute`. It is made only where both are specific enough: a slot that half of all
statements share would be no road to anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from hebbs_index.ids import fold_entity
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.records import Claim
from hebbs_index.words import fold_phrase

MAX_SLOTS = 4
COUNTED = "~"
"""Begins a slot that only counts: claims do not meet in it."""

_MAX_WORDS = 5
_UNNAMED = frozenset(("location", "license", "employer", "deadline", "birth", "capital"))


def slots_of(
    claim: Claim, declared_entity: str | None, *, of_its_own: bool = False
) -> tuple[str, ...]:
    """The slots of a claim, the most specific first.

    `of_its_own`: the claim names no thing, its document or heading does ("Slack: #storage").
    Such a claim also counts under its attribute alone: an attribute that many
    documents give for themselves is no disagreement between them.
    """
    if not claim.asserted:
        return ()
    found = dict.fromkeys(slot for slot in _slots(claim, declared_entity) if slot)
    counted = (f"{COUNTED}{' '.join(claim.attribute.words)}",) if claim.attribute.words else ()
    return (*tuple(found)[:MAX_SLOTS], *(counted if of_its_own and not declared_entity else ()))


def _slots(claim: Claim, declared_entity: str | None) -> Iterator[str]:
    things = [word for word in claim.subject.words if word not in lexicon().generic]
    attribute = " ".join(claim.attribute.words)
    if attribute:
        yield from _attribute_slots(claim, things, attribute, declared_entity)
    if claim.quantities:
        yield from _number_slots(claim, declared_entity)
    if not claim.quantities and things and claim.predicate and len(things) <= _MAX_WORDS:
        focus = _focus(claim, things)
        if focus and (len(things) > 1 or claim.names):
            yield f"{' '.join(sorted(set(things)))}|{focus}"


def _number_slots(claim: Claim, declared_entity: str | None) -> Iterator[str]:
    """What is measured, whatever the wording, with the unit it is measured in."""
    keys = sorted(_content_keys(claim))
    if not keys or len(keys) > _MAX_WORDS:
        return
    first = claim.quantities[0]
    unit = "number" if first.kind in ("amount", "rate") else first.unit.partition("/")[0]
    if len(keys) >= 2:
        yield f"{' '.join(keys)}|{unit or first.kind}"
    if declared_entity:
        yield f"{fold_entity(declared_entity)}|{' '.join(keys)}"


def _attribute_slots(
    claim: Claim, things: list[str], attribute: str, declared_entity: str | None
) -> Iterator[str]:
    if things and len(things) <= _MAX_WORDS:
        yield f"{' '.join(sorted(set(things)))}|{attribute}"
    named = [word for word in claim.subject.words if word in claim.names]
    if named and len(named) < len(things):
        yield f"{named[0]}|{attribute}"
    if declared_entity:
        folded = " ".join(fold_phrase(fold_entity(declared_entity)))
        yield f"{folded}|{attribute}"
    role = tuple(claim.attribute.words) in lexicon().role_nouns
    if (
        claim.single_valued
        and claim.subject.start < 0
        and (role or attribute in _UNNAMED or len(claim.attribute.words) > 1)
    ):
        yield f"|{attribute}"


def _content_keys(claim: Claim) -> list[str]:
    keys = []
    for term, kind in zip(claim.content, claim.kinds, strict=False):
        concept = len(term.words) > 1
        if kind.lower() in "npm" or (concept and kind.lower() in "lv"):
            keys.append(term.words[-1])
    return list(dict.fromkeys(keys))


def _focus(claim: Claim, things: list[str]) -> str:
    """What the claim says of its subject: its verb or complement."""
    for term, kind in zip(claim.content, claim.kinds, strict=False):
        if kind.lower() in "va" and term.words[-1] not in things:
            return term.words[-1]
    return ""
