"""What a passage is: one sentence, one table cell or one field, before any model has seen it.

A `Passage` knows what the author wrote and where, the context that parsing gives it, and what
the language model is to read. Statement keys are made from passages, so nothing in
here may depend on a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from hebbs_index.layers.dates import date_of_headings
from hebbs_index.layers.drafts import Structure
from hebbs_index.layers.parse.blocks import Source
from hebbs_index.layers.sentences import sentence_ranges
from hebbs_index.layers.wording import speaking_heading
from hebbs_index.records import Block, BlockKind, Dated, Document, ParsedFile, Span

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """What the passages of one file share: its document, title and lines."""

    document: Document
    title: str  # as the file states it, else empty: its name is no part of what it says
    source: Source
    lead_ins: frozenset[str]  # the innermost parts of all lead-ins of the file
    dates: dict[tuple[str, ...], str | None]

    def dated(self, heading_path: tuple[str, ...]) -> Dated:
        """The date of the nearest dated heading, else that of the file."""
        if heading_path not in self.dates:
            self.dates[heading_path] = date_of_headings(heading_path)
        date = self.dates[heading_path]
        return self.document.dated if date is None else Dated(date, "heading")

    def subject_of(self, heading_path: tuple[str, ...]) -> str:
        """What a text without a subject speaks of: its heading, else the file's title."""
        return speaking_heading((self.title, *heading_path))


@dataclass(frozen=True, slots=True)
class Passage:
    """One statement as written, with the context that makes it readable alone.

    The statement's text is `prefix + own`; the model reads it from `read_from` on.
    `heading` stands before the text only where it is embedded.
    """

    own: str
    span: Span
    offsets: tuple[int, ...]  # source positions of the characters of `own`
    kind: BlockKind
    heading_path: tuple[str, ...]
    dated: Dated
    context: tuple[str, ...] = ()
    prefix: str = ""
    read_from: int = 0
    heading: str = ""
    lead: str = ""  # the part of `prefix` that is a phrase of its own, at its start
    lead_in: str = ""
    structure: Structure | None = None
    asserted: bool = True
    divisible: bool = True  # whether clauses may be cut out of it
    code: Ranges = ()  # of the whole text
    strong: Ranges = ()

    @property
    def text(self) -> str:
        """The statement with its context."""
        return self.prefix + self.own

    @property
    def read(self) -> str:
        """What the language model reads."""
        return self.text[self.read_from :]

    @property
    def embed_prefix(self) -> str:
        """What the embedding model reads before the text."""
        return f"{self.heading}: " if self.heading else ""


def frame_of(parsed: ParsedFile, document: Document) -> Frame:
    """Gather what the passages of a file share."""
    lead_ins = frozenset(lead_parts(block.lead_in)[-1] for block in parsed.blocks if block.lead_in)
    return Frame(document, stated_title(parsed), Source(parsed.text), lead_ins, {})


def lead_parts(lead_in: str) -> list[str]:
    """The phrases that introduce a list, outermost first."""
    from hebbs_index.layers.parse.lists import LEAD_IN_SEPARATOR

    return [part.strip() for part in lead_in.split(LEAD_IN_SEPARATOR)]


def sentences_of(text: str, code: Ranges = ()) -> list[tuple[int, int]]:
    """The sentences of a block; a full stop within inline code ends none."""
    merged: list[tuple[int, int]] = []
    for start, end in sentence_ranges(text):
        if merged and any(first < start < last for first, last in code):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def lines_of(block: Block, source: str) -> list[tuple[int, int]]:
    """The ranges of a block's text that stand on lines of their own in the source."""
    text, offsets = block.text, block.offsets
    breaks = [
        place
        for place, character in enumerate(text)
        if character == " " and 0 < place < len(text) - 1 and "\n" in _gap(source, offsets, place)
    ]
    starts = [0, *(place + 1 for place in breaks)]
    return list(zip(starts, [*breaks, len(text)], strict=True))


def _gap(source: str, offsets: Sequence[int], place: int) -> str:
    return source[offsets[place] : offsets[place + 1]].replace("\r", "\n")


def span_of(frame: Frame, block: Block, start: int, end: int) -> Span:
    """The source range of `block.text[start:end]`."""
    if end == len(block.text):
        return frame.source.span(
            block.offsets[start], max(block.span.end, block.offsets[end - 1] + 1)
        )
    return frame.source.span(block.offsets[start], block.offsets[end - 1] + 1)


def ranges_within(ranges: Ranges, start: int, end: int, shift: int) -> Ranges:
    """Ranges of a block's text as ranges of a statement's: clipped and moved."""
    clipped = ((max(a, start), min(b, end)) for a, b in ranges if a < end and b > start)
    return tuple((a - start + shift, b - start + shift) for a, b in clipped)


def iter_covering(ranges: Ranges, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges that cover all of `start:end`."""
    return ((a, b) for a, b in ranges if a <= start and end <= b)


def stated_title(parsed: ParsedFile) -> str:
    """The title that a file's content gives it; empty if it is only called after its name.

    Statement keys may hold it, and those must outlive a rename.
    """
    title = parsed.title.strip()
    if title != PurePosixPath(parsed.path).stem:
        return title
    named = [str(v).strip() for k, v in parsed.front_matter.items() if str(k).lower() == "title"]
    headings = [block.text for block in parsed.blocks if block.kind is BlockKind.HEADING]
    return title if title in (*named, *headings) else ""
