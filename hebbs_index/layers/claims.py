"""From a draft to claims: what a statement says, in a form that needs no model to compare.

`extract_claims` is a pure function of a draft, robust to any text, and works with a full parse as
well as with bare tokens. A statement gives one claim a clause. A table cell or field gives
the claim "attribute of subject is value".
"""

from __future__ import annotations

from typing import Any

from hebbs_index.layers.claim_parts.attributes import (
    content_indexes,
)
from hebbs_index.layers.claim_parts.clauses import Clause, split_clauses
from hebbs_index.layers.claim_parts.fields import is_sentence, label_of, structure_claim
from hebbs_index.layers.claim_parts.reading import Reading, read_draft
from hebbs_index.layers.claim_parts.sentences import clause_claim
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.records import BlockKind, Claim, Dated, Span

CLAIMS_VERSION = "2"
"""Changes when the same draft would give other claims."""


MAX_CLAIMS = 8
"""A longer sentence is a list of data; more clauses of it are not compared."""


def extract_claims(draft: PropositionDraft) -> tuple[Claim, ...]:
    """The claims of one statement: at least one if it has any word, never an error."""
    reading = read_draft(draft)
    structure = draft.structure or label_of(draft, reading)
    if structure is not None and not is_sentence(reading, structure):
        return (structure_claim(draft, structure),)
    clauses = _with_antecedents(reading, split_clauses(reading)[:MAX_CLAIMS])
    return tuple(clause_claim(draft, reading, clause, structure) for clause in clauses)


def claims_of_text(
    text: str,
    language: Any,
    *,
    declared_entity: str | None = None,
    heading_path: tuple[str, ...] = (),
) -> tuple[Claim, ...]:
    """The claims of a free text, sentence by sentence; for tests and for `why`."""
    doc = next(iter(language.pipe([text])))
    return claims_of_doc(doc, declared_entity=declared_entity, heading_path=heading_path)


def claims_of_doc(
    doc: Any, *, declared_entity: str | None = None, heading_path: tuple[str, ...] = ()
) -> tuple[Claim, ...]:
    """The claims of a text that the language model has read."""
    from hebbs_index.layers.nlp import sentence_spans

    text = doc.text
    found: list[Claim] = []
    for sentence in sentence_spans(doc):
        part = text[sentence.start_char : sentence.end_char]
        draft = PropositionDraft(
            text=text,
            own_text=part,
            sentence=part,
            kind=BlockKind.PARAGRAPH,
            span=Span(0, len(text), 1, 1),
            heading_path=heading_path,
            context=(),
            tokens=sentence,
            token_offset=sentence.start_char,
            structure=None,
            title="",
            declared_entity=declared_entity,
            dated=Dated(),
            asserted=not part.rstrip(" \"'”)").endswith("?"),
        )
        found.extend(extract_claims(draft))
    return tuple(found)


def _with_antecedents(reading: Reading, clauses: list[Clause]) -> list[Clause]:
    """Let "it" and "they" in a later clause stand for the subject of the clause before."""
    named: list[int] = []
    for clause in clauses:
        words = [reading.words[i].lower for i in clause.subject]
        if named and words and all(word in ("it", "they", "this", "these") for word in words):
            clause.subject, clause.inherited = named, True
        elif content_indexes(reading, clause.subject):
            named = clause.subject
    return clauses
