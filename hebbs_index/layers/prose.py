"""Paragraphs, list items and quotes cut into passages.

A sentence stands on its own as far as it names its subject. A list item gets the
words that introduce its list, a fragment or a "Defaults to 30." its nearest heading. Lines of
the form `label: value` are statements of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from hebbs_index.layers.drafts import Structure
from hebbs_index.layers.passages import (
    Frame,
    Passage,
    iter_covering,
    lead_parts,
    lines_of,
    ranges_within,
    sentences_of,
    span_of,
)
from hebbs_index.layers.wording import (
    aside_kind,
    is_fragment,
    is_question,
    is_quoted,
    label_end,
    lacks_verb,
    names_no_subject,
    states_nothing,
)
from hebbs_index.records import Block, BlockKind

_MAX_VALUE_WORDS = 12
_MAX_LEAD_WORDS = 30
_LEADING_MARKS = ("- ", "– ", "— ", "| ", "* ", "• ", "> ")
_INTRODUCES = (":", "：", "–", "—")


def prose_passages(block: Block, frame: Frame) -> Iterator[Passage]:
    """The passages of a paragraph, list item or quote, in order."""
    if _is_one_link(block):
        return
    for start, end in _pieces(block, frame):
        yield from _line_passages(block, frame, start, end)


def _pieces(block: Block, frame: Frame) -> list[tuple[int, int]]:
    """The block, or its lines where they are labels with values ("Owner: ...", "Team: ...")."""
    if block.text.count(": ") > 1:
        lines = lines_of(block, frame.source.text)
        if len(lines) > 1 and all(_label_of_line(block, *line) for line in lines):
            return lines
    return [(0, len(block.text))]


def _label_of_line(block: Block, start: int, end: int) -> int:
    return label_end(block.text[start:end], ranges_within(block.strong, start, end, 0))


def _line_passages(block: Block, frame: Frame, start: int, end: int) -> Iterator[Passage]:
    text = block.text[start:end]
    marked = ranges_within((*block.strong, *block.code), start, end, 0)
    label = label_end(text, marked)
    asserted = True
    if label and (kind := aside_kind(text[:label])):
        asserted = kind != "example"
        start, text, label = start + label, text[label:], 0
    code = ranges_within(block.code, start, end, 0)
    sentences = [(start + a, start + b) for a, b in sentences_of(text, code)]
    if label and len(sentences) == 1 and _is_value(text[label:], block):
        yield from _label_and_value(block, frame, sentences[0], start + label, asserted=asserted)
        return
    topic = _topic(text, label, marked)
    for number, sentence in enumerate(sentences):
        passage = _sentence(block, frame, sentence, number=number, topic=topic, asserted=asserted)
        if passage is not None:
            yield passage


def _topic(text: str, label: int, marked: tuple[tuple[int, int], ...]) -> str:
    """A label in bold or code that a description follows: what all its sentences are about."""
    if not label or not any(True for _ in iter_covering(marked, 0, 1)):
        return ""
    return text[:label].rstrip(" :：-–—")


def _is_value(text: str, block: Block) -> bool:
    """Whether what follows a label is a value, not a text of its own."""
    return (
        len(text.split()) <= _MAX_VALUE_WORDS
        and not text.rstrip().endswith((".", "!", "?", *_INTRODUCES))
        and (block.kind is not BlockKind.PARAGRAPH or len(block.text) < 200)
    )


def _label_and_value(
    block: Block, frame: Frame, sentence: tuple[int, int], value: int, *, asserted: bool
) -> Iterator[Passage]:
    start, end = sentence
    own = block.text[start:end]
    if states_nothing(block.text[value:end], joined=True):
        return
    lead = _lead(block.lead_in)
    subject = (lead or frame.subject_of(block.heading_path)).rstrip(" :：-–—.")
    prefix = f"{subject}, " if subject else ""
    label = block.text[start:value].strip().rstrip(" :：-–—")
    shift = len(prefix)
    yield Passage(
        own=own,
        span=span_of(frame, block, start, end),
        offsets=block.offsets[start:end],
        kind=block.kind,
        heading_path=block.heading_path,
        dated=frame.dated(block.heading_path),
        context=(subject,) if subject else (),
        prefix=prefix,
        lead_in=block.lead_in,
        structure=Structure(subject, label, block.text[value:end], shift + value - start),
        asserted=asserted and block.kind is not BlockKind.QUOTE and block.task is not False,
        divisible=False,
        code=ranges_within(block.code, start, end, shift),
        strong=ranges_within(block.strong, start, end, shift),
    )


def _sentence(
    block: Block,
    frame: Frame,
    sentence: tuple[int, int],
    *,
    number: int,
    topic: str,
    asserted: bool,
) -> Passage | None:
    start, end = sentence
    while block.text[start:end].startswith(_LEADING_MARKS):
        start += 2
    own = block.text[start:end]
    if any(True for _ in iter_covering(block.code, start, end)) or _introduces(own, frame):
        return None
    lead = _lead(block.lead_in) if number == 0 else ""
    heading = ""
    if number and topic and (names_no_subject(own) or lacks_verb(own)):
        lead = f"{topic}:"
    elif not lead and (names_no_subject(topic) if topic else _hangs(own)):
        heading = frame.subject_of(block.heading_path)
    if states_nothing(own, joined=bool(lead or (heading and block.kind is BlockKind.LIST_ITEM))):
        return None
    prefix = f"{lead} " if lead else ""
    if heading and block.kind is BlockKind.LIST_ITEM and is_fragment(own):
        prefix, heading_used = f"{heading}: ", ""
    else:
        heading_used = heading
    context = tuple(part for part in (lead, heading) if part)
    return Passage(
        own=own,
        span=span_of(frame, block, start, end),
        offsets=block.offsets[start:end],
        kind=block.kind,
        heading_path=block.heading_path,
        dated=frame.dated(block.heading_path),
        context=context,
        prefix=prefix,
        read_from=len(prefix),
        heading=heading_used,
        lead=lead,
        lead_in=block.lead_in,
        asserted=asserted and _asserts(own, block),
        divisible=not topic,
        code=ranges_within(block.code, start, end, len(prefix)),
        strong=ranges_within(block.strong, start, end, len(prefix)),
    )


def _hangs(own: str) -> bool:
    """Whether a text cannot be read alone."""
    return names_no_subject(own) or is_fragment(own)


def _asserts(own: str, block: Block) -> bool:
    return not (
        block.kind is BlockKind.QUOTE
        or block.task is False
        or is_question(own)
        or is_quoted(own)
        or own.endswith(_INTRODUCES)
    )


def _introduces(own: str, frame: Frame) -> bool:
    """Whether a sentence only opens a list: its words come back with every item."""
    return own[-200:] in frame.lead_ins and (own.endswith(_INTRODUCES) or is_fragment(own))


def _lead(lead_in: str) -> str:
    """The words that introduce an item: the innermost phrase, and outer ones that lead to it."""
    if not lead_in:
        return ""
    parts = lead_parts(lead_in)
    kept = [part for part in parts[:-1] if part.endswith(_INTRODUCES) or is_fragment(part)]
    phrases = [part.rstrip(" .:：-–—") + ":" for part in (*kept, parts[-1]) if part]
    while len(phrases) > 1 and len(" ".join(phrases).split()) > _MAX_LEAD_WORDS:
        phrases.pop(0)
    return " ".join(phrases)


def _is_one_link(block: Block) -> bool:
    return any(link.start == 0 and link.end == len(block.text) for link in block.links)
