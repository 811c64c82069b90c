"""Layer 2: the statements of a file.

`passages_of` cuts a parsed file by layout and rules, `drafts_of` cuts what the language model
has read into clauses. Between the two the model reads `Passage.read`; without a parser
every passage is one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hebbs_index.layers.clauses import Clause, split_clauses
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.layout import field_passages, row_passages
from hebbs_index.layers.passages import Frame, Passage, frame_of, ranges_within
from hebbs_index.layers.prose import prose_passages
from hebbs_index.records import BlockKind, Document, ParsedFile

_READERS = {
    BlockKind.PARAGRAPH: prose_passages,
    BlockKind.LIST_ITEM: prose_passages,
    BlockKind.QUOTE: prose_passages,
    BlockKind.TABLE_ROW: row_passages,
    BlockKind.FIELD: field_passages,
}
"""Kinds of block that state something; headings, code and navigation do not."""


def passages_of(parsed: ParsedFile, document: Document) -> tuple[Frame, list[Passage]]:
    """Cut a file into passages, in the order of the text."""
    frame = frame_of(parsed, document)
    passages = [
        passage
        for block in parsed.blocks
        if (read := _READERS.get(block.kind)) is not None
        for passage in read(block, frame)
    ]
    return frame, passages


def drafts_of(
    passage: Passage, doc: Any, frame: Frame, *, has_parser: bool, lead: Any = None
) -> Iterator[PropositionDraft]:
    """The statements of one passage, from the `Doc` of what it gives to read.

    `lead` is the `Doc` of the words that introduce it, where there are any.
    """
    clauses = split_clauses(doc) if has_parser and passage.divisible else [Clause(0, len(doc))]
    if len(clauses) == 1:
        yield _whole(passage, doc, frame, lead)
        return
    for clause in clauses:
        yield _part(passage, doc, clause, frame, lead)


def _whole(passage: Passage, doc: Any, frame: Frame, lead: Any) -> PropositionDraft:
    return PropositionDraft(
        text=passage.text,
        own_text=passage.own,
        sentence=passage.own,
        kind=passage.kind,
        span=passage.span,
        heading_path=passage.heading_path,
        context=passage.context,
        tokens=doc[:],
        token_offset=passage.read_from,
        structure=passage.structure,
        title=frame.title,
        declared_entity=frame.document.entity,
        dated=passage.dated,
        asserted=passage.asserted,
        lead_in=passage.lead_in,
        code=passage.code,
        strong=passage.strong,
        embed_text=passage.embed_prefix + passage.text,
        sentence_context=passage.context,
        lead=lead[:] if lead is not None else None,
    )


def _part(passage: Passage, doc: Any, clause: Clause, frame: Frame, lead: Any) -> PropositionDraft:
    """One clause of a passage; its subject, if it shares one, is written in."""
    start, end = _trimmed(doc, clause)
    tokens = doc[start:end]
    first, last = tokens.start_char, tokens.end_char
    own = passage.own[first:last]
    subject = f"{clause.subject.text} " if clause.subject is not None else ""
    prefix = passage.prefix + subject
    shared = (subject.strip(),) if subject else ()
    return PropositionDraft(
        text=prefix + own,
        own_text=own,
        sentence=passage.own,
        kind=passage.kind,
        span=_span(passage, frame, first, last),
        heading_path=passage.heading_path,
        context=(*passage.context, *shared),
        tokens=tokens,
        token_offset=len(prefix),
        structure=None,
        title=frame.title,
        declared_entity=frame.document.entity,
        dated=passage.dated,
        asserted=passage.asserted,
        lead_in=passage.lead_in,
        code=_moved(passage, passage.code, first, last, len(prefix)),
        strong=_moved(passage, passage.strong, first, last, len(prefix)),
        embed_text=passage.embed_prefix + prefix + own,
        sentence_context=passage.context,
        subject=clause.subject,
        subject_offset=len(passage.prefix),
        lead=lead[:] if lead is not None else None,
    )


def _trimmed(doc: Any, clause: Clause) -> tuple[int, int]:
    start, end = clause.start, clause.end
    while end - 1 > start and doc[end - 1].text in (",", ";", " ", "—", "–", "-"):
        end -= 1
    while start < end - 1 and (doc[start].is_space or doc[start].text in (",", ";")):
        start += 1
    return start, end


def _span(passage: Passage, frame: Frame, first: int, last: int) -> Any:
    if last == len(passage.own):
        return frame.source.span(passage.offsets[first], passage.span.end)
    return frame.source.span(passage.offsets[first], passage.offsets[last - 1] + 1)


def _moved(
    passage: Passage, ranges: tuple[tuple[int, int], ...], first: int, last: int, shift: int
) -> tuple[tuple[int, int], ...]:
    """Ranges of the passage's text as ranges of the clause's."""
    begin = len(passage.prefix)
    return ranges_within(ranges, begin + first, begin + last, shift)
