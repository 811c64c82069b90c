"""What surrounds a claim: what its file is about, its time, modality and conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hebbs_index.ids import fold_entity
from hebbs_index.layers.claim_parts.attributes import (
    content_indexes,
)
from hebbs_index.layers.claim_parts.cells import RECORD
from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.phrases import plain_lower, time_cue
from hebbs_index.layers.claim_parts.polarity import Polarity
from hebbs_index.layers.claim_parts.reading import Reading
from hebbs_index.layers.claim_parts.slots import slots_of
from hebbs_index.layers.claim_parts.terms import (
    concept,
    phrase_term,
)
from hebbs_index.layers.drafts import PropositionDraft, Structure
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.records import BlockKind, Claim, Term
from hebbs_index.words import fold_phrase

UNTITLED = frozenset(("", "readme", "index", "overview", "introduction", "reference"))


# A title that makes a file one of many of a kind: "Module: aws/lb", "Runbook – search".
_MEMBER = re.compile(
    r"(?:\d+ )?(?P<kind>[A-Za-z][A-Za-z ]{1,30}?)\s*(?::| [-–—])\s+(?P<name>\S.*)$"
)


def speaking_heading(headings: Sequence[str]) -> str:
    for heading in reversed(headings):
        folds = [fold for fold in fold_phrase(re.sub(r"^[\d.\s)]+", "", heading)) if fold]
        if folds and not all(fold in lexicon().generic for fold in folds):
            return heading
    return ""


def context_term(
    draft: PropositionDraft, reading: Reading, clause: Clause, structure: Structure | None
) -> Term:
    """What the context names where the clause itself names nothing."""
    named = draft.declared_entity or ""
    if not named and structure is not None:
        named = structure.subject
    if not named and reading.lead_end:
        words = content_indexes(reading, lead_of(reading))
        return Term(tuple(concept(reading.words[i].fold) for i in words), "", -1, -1)
    if not named:
        named = speaking_heading(draft.heading_path) or draft.title
    return phrase_term(named)


_POINTING = frozenset(("this", "that", "these", "those", "such"))


def pointed_at(draft: PropositionDraft, reading: Reading, clause: Clause) -> list[tuple[str, str]]:
    """Where a subject such as "this process" points: to what the section it stands in is about."""
    subject = [reading.words[i] for i in sorted(clause.subject)]
    if not subject or subject[0].lower not in _POINTING or clause.inherited:
        return []
    place = speaking_heading(draft.heading_path) or draft.title
    return [("here", fold_entity(place))] if place else []


def modality_of(modal: Sequence[Any], reading: Reading, clause: Clause, polarity: Polarity) -> str:
    kinds = [cue.kind for cue in modal]
    for kind in ("optional", "must", "should", "may", "can", "would"):
        if kind in kinds:
            return kind
    if not clause.subject and reading.words[clause.root].tag == "VB":
        return "should"  # an imperative
    return ""


def time_of(lowered: str, reading: Reading, clause: Clause, changed: bool) -> str:
    kind = time_cue(lowered)
    if kind == "used_to":
        return kind
    if changed:
        return "changed"
    if kind:
        return kind
    root = reading.words[clause.root]
    tags = {
        root.tag,
        *(
            reading.words[c].tag
            for c in root.children
            if reading.words[c].dep in ("aux", "auxpass")
        ),
    }
    return "past" if "VBD" in tags else ""


def scope_of(
    draft: PropositionDraft, scopes: list[tuple[str, str]], subject: Term, reading: Reading
) -> tuple[tuple[str, str], ...]:
    """The conditions, and the thing a file is about where the claim itself names none."""
    found = set(scopes)
    named = any(w.is_name and w.is_content for w in reading.words)
    if draft.declared_entity and not named:
        found.add(("entity", fold_entity(draft.declared_entity)))
    member = _MEMBER.match(draft.title)
    if member and not named:
        kind = " ".join(fold_phrase(member["kind"]))
        found.add(("document", f"{kind}: {fold_entity(member['name'])}"))
    return tuple(sorted(found))


def row_of(draft: PropositionDraft, structure: Structure) -> list[tuple[str, str]]:
    """Which cell of which table a claim is: two cells of one table never speak of one thing."""
    place = " ".join(fold_entity(part) for part in (draft.title, *draft.heading_path[-1:]))
    if draft.kind is not BlockKind.TABLE_ROW or not place.strip():
        return []  # without title and heading, one file's table is not to be told from another's
    cell = f"{fold_entity(structure.subject)}, {fold_entity(structure.attribute)}"
    return [("cell", f"{place}: {cell}")]


def record_of(draft: PropositionDraft, structure: Structure) -> list[tuple[str, str]]:
    """The label of a field in its file: one that comes back is of another record each time."""
    label = fold_entity(structure.attribute or structure.subject)
    if draft.kind is BlockKind.TABLE_ROW or not label or not draft.title:
        return []
    return [(RECORD, f"{fold_entity(draft.title)}: {label}")]


def own_of(draft: PropositionDraft, structure: Structure) -> list[tuple[str, str]]:
    """Under which title a field speaks of its own file, or of its own section of it.

    "Effective date" and "Contact" are of the document they stand in; so is all front matter.
    """
    title = fold_entity(draft.title)
    title = fold_entity(draft.lead_in) if title in UNTITLED else title
    if draft.declared_entity or not title:
        return []
    if draft.kind is BlockKind.FIELD and not draft.heading_path:
        return [("own", title), ("cell", f"fields of {title}: {fold_entity(structure.attribute)}")]
    if not structure.attribute:
        structure = replace(structure, subject="", attribute=structure.subject)
    folds = tuple(fold_phrase(_LETTERS_MEET.sub(" ", structure.attribute)))
    known = any(folds[-size:] in lexicon().own for size in (1, 2, 3))
    if not (known or _COUNTED.match(structure.attribute)) or not is_of_file(draft, structure):
        return []
    # Above the first heading nothing but the words before a list tells whose fields they are.
    place = (title, *(draft.heading_path or (draft.lead_in,)))
    return [("own", " > ".join(fold_entity(part) for part in place))]


_LETTERS_MEET = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COUNTED = re.compile(r"(?:total|unique|number of|count of)\b", re.IGNORECASE)


_COMMA = re.compile(r"[,:]\s+| > ")


def is_of_file(draft: PropositionDraft, structure: Structure) -> bool:
    """Whether nothing but title, heading or the words before a table says what a field is about."""
    listed = draft.context if draft.kind is BlockKind.LIST_ITEM else ()
    known = (draft.title, *draft.heading_path, draft.lead_in, *listed)
    around = {part.strip(" :.") for name in known for part in (name, *_COMMA.split(name))}
    parts = [part.strip(" :.") for part in _COMMA.split(structure.subject)]
    return structure.subject.strip(" :.") in {"", *around} or all(
        part in around or tuple(fold_phrase(part)) in lexicon().own for part in parts
    )


def section_of(draft: PropositionDraft) -> list[tuple[str, str]]:
    """Where a table stands: the tables of two sections of one file are about two things."""
    if draft.kind is not BlockKind.TABLE_ROW or not draft.heading_path:
        return []
    return [("section", f"{fold_entity(draft.title)}: {fold_entity(draft.heading_path[-1])}")]


# A list of what may be the case, of which each item holds only in its own case.
_ALTERNATIVES = re.compile(
    r"\b(?:(?:the|following|these|potential|possible|several|two|three|four|many) (?:\w+ )?cases"
    r"|the following (?:\w+ ){0,3}(?:phases|stages|states|modes|levels|formats)"
    r"|alternatives|scenarios|possibilities)\b",
    re.IGNORECASE,
)


def is_asserted(draft: PropositionDraft, lowered: str) -> bool:
    openings = (plain_lower(draft.own_text), lowered, plain_lower(draft.lead_in))
    if _ALTERNATIVES.search(draft.lead_in):
        return False
    stated = not any(text.lstrip("(\"'“ ").startswith(lexicon().openings) for text in openings)
    return draft.asserted and stated


def lead_of(reading: Reading) -> range:
    return range(reading.lead_end)


_HISTORY = re.compile(
    r"(?:change ?log|release notes?|(?:release|version|revision) history|what(?:'|’)?s new)\b",
    re.IGNORECASE,
)


def tells_history(draft: PropositionDraft) -> bool:
    """Whether a statement stands in a changelog: it was true when it was written."""
    return any(_HISTORY.match(title.strip()) for title in (draft.title, *draft.heading_path))


def with_slots(claim: Claim, draft: PropositionDraft, *, of_its_own: bool) -> Claim:
    if tells_history(draft):
        claim = replace(claim, time="history")
    return replace(claim, slots=slots_of(claim, draft.declared_entity, of_its_own=of_its_own))
