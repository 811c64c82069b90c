"""The parts that every format's parser shares: source positions, rich text, the growing file.

`Source` knows the lines of a text, `RichText` gathers the text of one block together with
the place of each character, `Draft` is a file while its parser walks it.

What holds for every block: `offsets` has one entry a character of `text`, never falls, and
points at the source character that gave it. A white space character of `text` stands for any
run of white space or markup of the same role (a line break tag) and points at its start. The
separators ` | ` in the text of a table row point at the last character before them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hebbs_index.records import Block, BlockKind, Cell, FileProblem, Link, Span

_NEWLINE = re.compile(r"\r\n?|\n")
_SPACE = re.compile(r"\s+")
_FOLD = re.compile(r"\s{2,}|[^\S ]|\A | \Z")  # white space that is no single space between words

MAX_BLOCK = 8_000  # characters of one block; longer ones are cut at white space
MAX_HEADING = 300  # characters of a title that are kept in a heading path
_MAX_WORD = 1_000  # a longer run without white space is data, not prose

_CLOSING = tuple(".,;:!?)")  # punctuation that no space goes before

CELL_SEPARATOR = " | "


class Source:
    """A decoded text and its lines (ended by LF, CRLF or CR, as editors count them)."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = [match.span() for match in _NEWLINE.finditer(text)]
        self.starts = [0, *(end for _, end in ends)]
        self.stops = [*(start for start, _ in ends), len(text)]

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> str:
        """The text of a line (counted from 0) without its line end."""
        return self.text[self.starts[number] : self.stops[number]]

    def lines(self) -> list[str]:
        """All lines without their line ends."""
        text = self.text
        return [text[a:b] for a, b in zip(self.starts, self.stops, strict=True)]

    def span(self, start: int, end: int) -> Span:
        """The span of a character range, with its 1-based lines."""
        first = bisect_right(self.starts, start)
        last = bisect_right(self.starts, max(start, end - 1))
        return Span(start, end, first, last)


@dataclass(frozen=True, slots=True)
class Inline:
    """The finished text of a block: folded white space, offsets, marked ranges."""

    text: str
    offsets: tuple[int, ...]
    end: int = 0  # source position behind the last character
    code: tuple[tuple[int, int], ...] = ()
    strong: tuple[tuple[int, int], ...] = ()
    links: tuple[Link, ...] = ()


class RichText:
    """Gathers the text of one block piece by piece; `finish` folds its white space."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._offsets: list[int] = []
        self._end = 0
        self._left_out: set[int] = set()
        self._code: list[tuple[int, int]] = []
        self._strong: list[tuple[int, int]] = []
        self._links: list[tuple[str, str, bool, int, int]] = []

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, text: str, offsets: Iterable[int], end: int | None = None) -> None:
        """Append text with one source position a character.

        `end` is the source position behind the text where its last character is
        written longer than itself (a character reference).
        """
        if not text:
            return
        self._parts.append(text)
        self._offsets.extend(offsets)
        self._end = end if end is not None else self._offsets[-1] + 1

    def add_at(self, text: str, start: int) -> None:
        """Append text that stands verbatim in the source at `start`."""
        self.add(text, range(start, start + len(text)))

    def leave_out(self) -> None:
        """A mark that is no text stood here; a space before it goes too if punctuation follows."""
        self._left_out.add(len(self))

    def mark_code(self, start: int) -> None:
        """Everything since text position `start` is inline code."""
        self._code.append((start, len(self)))

    def mark_strong(self, start: int) -> None:
        """Everything since text position `start` is bold or italic."""
        self._strong.append((start, len(self)))

    def mark_link(self, start: int, address: str, *, wiki: bool = False) -> None:
        """Everything since text position `start` links to `address` (`path#anchor`)."""
        target, _, anchor = address.partition("#")
        self._links.append((target.strip(), anchor.strip(), wiki, start, len(self)))

    def finish(self) -> Inline:
        """The text gathered so far, white space folded and ends trimmed."""
        text = "".join(self._parts)
        if not self._left_out and not _FOLD.search(text):
            return self._build(text, self._offsets, range(len(text) + 1), self._end)
        return self._fold(text)

    def _fold(self, text: str) -> Inline:
        parts: list[str] = []
        offsets: list[int] = []
        places: list[int] = []  # for every old position, the new one
        last = 0
        for match in (_SPACE if self._left_out else _FOLD).finditer(text):
            start, end = match.span()
            self._copy(text, last, start, parts, offsets, places)
            last = end
            dangling = end in self._left_out and text[end : end + 1] in _CLOSING
            if start == 0 or end == len(text) or dangling:
                places.extend([len(offsets)] * (end - start))
                continue
            places.extend([len(offsets)] + [len(offsets) + 1] * (end - start - 1))
            parts.append(" ")
            offsets.append(self._offsets[start])
        self._copy(text, last, len(text), parts, offsets, places)
        places.append(len(offsets))
        trimmed = bool(text) and text[-1].isspace()
        end_at = offsets[-1] + 1 if trimmed and offsets else self._end
        return self._build("".join(parts), offsets, places, end_at)

    def _copy(
        self,
        text: str,
        start: int,
        end: int,
        parts: list[str],
        offsets: list[int],
        places: list[int],
    ) -> None:
        if start < end:
            places.extend(range(len(offsets), len(offsets) + end - start))
            parts.append(text[start:end])
            offsets.extend(self._offsets[start:end])

    def _build(self, text: str, offsets: list[int], places: Sequence[int], end: int) -> Inline:
        return Inline(
            text,
            tuple(offsets),
            end,
            _moved(self._code, places),
            _moved(self._strong, places),
            tuple(
                Link(target, anchor, wiki, places[start], places[stop])
                for target, anchor, wiki, start, stop in sorted(self._links, key=_link_order)
            ),
        )


def _link_order(link: tuple[str, str, bool, int, int]) -> tuple[int, int]:
    return link[3], link[4]


def _moved(ranges: list[tuple[int, int]], places: Sequence[int]) -> tuple[tuple[int, int], ...]:
    if not ranges:
        return ()
    moved = ((places[start], places[end]) for start, end in ranges)
    return tuple(sorted((start, end) for start, end in moved if start < end))


def cut(inline: Inline, start: int, end: int) -> Inline:
    """The part of a finished text between two of its positions, ends trimmed."""
    while start < end and inline.text[start] == " ":
        start += 1
    while end > start and inline.text[end - 1] == " ":
        end -= 1
    if start == 0 and end == len(inline.text):
        return inline
    stop = inline.offsets[end - 1] + 1 if end > start else 0
    return Inline(
        inline.text[start:end],
        inline.offsets[start:end],
        inline.end if end == len(inline.text) else stop,
        _clipped(inline.code, start, end),
        _clipped(inline.strong, start, end),
        tuple(
            replace(link, start=max(link.start, start) - start, end=min(link.end, end) - start)
            for link in inline.links
            if start <= link.start < end
        ),
    )


def _clipped(
    ranges: tuple[tuple[int, int], ...], start: int, end: int
) -> tuple[tuple[int, int], ...]:
    clipped = ((max(a, start) - start, min(b, end) - start) for a, b in ranges)
    return tuple((a, b) for a, b in clipped if a < b)


def raw_inline(text: str, start: int, end: int) -> Inline:
    """A stretch of the source as it stands, white space folded."""
    rich = RichText()
    rich.add_at(text[start:end], start)
    return rich.finish()


@dataclass(slots=True)
class Draft:
    """A file while its parser walks it: the outline so far, the blocks, the problems."""

    path: str
    source: Source
    blocks: list[Block] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    front_matter: dict[str, Any] = field(default_factory=dict)
    title: str = ""  # what the format itself declares as the title
    _outline: list[tuple[int, str]] = field(default_factory=list)

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Titles of the sections that enclose the present place, outermost first."""
        return tuple(title for _, title in self._outline)

    def note(self, stage: str, reason: str) -> None:
        """Keep a problem, once."""
        problem = FileProblem(self.path, stage, reason)
        if problem not in self.problems:
            self.problems.append(problem)

    def add_heading(self, inline: Inline, level: int) -> None:
        """Add a heading. Its own heading path holds the headings above it, not itself."""
        if not inline.text:
            return
        while self._outline and self._outline[-1][0] >= level:
            self._outline.pop()
        self.add(BlockKind.HEADING, inline, heading_level=level)
        self._outline.append((level, inline.text[:MAX_HEADING]))

    def add(
        self,
        kind: BlockKind,
        inline: Inline,
        *,
        heading_level: int = 0,
        lead_in: str = "",
        key: tuple[str, ...] = (),
        task: bool | None = None,
    ) -> None:
        """Add a block, in several pieces if it is too long to be read as one."""
        for piece in _pieces(inline):
            self.blocks.append(
                Block(
                    kind if _is_prose(piece.text) else BlockKind.CODE,
                    piece.text,
                    piece.offsets,
                    self.source.span(piece.offsets[0], piece.end),
                    heading_path=self.heading_path,
                    heading_level=heading_level,
                    lead_in=lead_in,
                    key=key,
                    code=piece.code,
                    strong=piece.strong,
                    links=piece.links,
                    task=task,
                )
            )

    def add_row(self, cells: Sequence[tuple[str, Inline]], *, lead_in: str = "") -> None:
        """Add a table row made of (column header, cell text) pairs; an empty row is dropped."""
        row = join_cells([inline for _, inline in cells])
        filled = [inline for _, inline in cells if inline.text]
        if not filled or len(row.text) > MAX_BLOCK:
            if filled:
                self.note("parse", f"a table row of more than {MAX_BLOCK} characters is left out")
            return
        self.blocks.append(
            Block(
                BlockKind.TABLE_ROW,
                row.text,
                row.offsets,
                self.source.span(
                    min(cell.offsets[0] for cell in filled), max(cell.end for cell in filled)
                ),
                heading_path=self.heading_path,
                lead_in=lead_in,
                cells=tuple(Cell(head, cell.text, cell.offsets) for head, cell in cells),
                code=row.code,
                strong=row.strong,
                links=row.links,
            )
        )


def join_cells(cells: Sequence[Inline]) -> Inline:
    """The text of a row: its cells, empty ones too, joined by ` | `."""
    texts: list[str] = []
    offsets: list[int] = []
    code: list[tuple[int, int]] = []
    strong: list[tuple[int, int]] = []
    links: list[Link] = []
    first = next((cell.offsets[0] for cell in cells if cell.text), 0)
    place = end = first
    for number, cell in enumerate(cells):
        if number:
            texts.append(CELL_SEPARATOR)
            offsets.extend([place] * len(CELL_SEPARATOR))
        shift = len(offsets)
        texts.append(cell.text)
        offsets.extend(cell.offsets)
        code.extend((a + shift, b + shift) for a, b in cell.code)
        strong.extend((a + shift, b + shift) for a, b in cell.strong)
        links.extend(replace(x, start=x.start + shift, end=x.end + shift) for x in cell.links)
        if cell.text:
            place, end = max(place, cell.offsets[-1]), max(end, cell.end)
    return Inline("".join(texts), tuple(offsets), end, tuple(code), tuple(strong), tuple(links))


def _is_prose(text: str) -> bool:
    return len(text) <= _MAX_WORD or " " in text


def _pieces(inline: Inline) -> Iterable[Inline]:
    text, start = inline.text, 0
    if not text:
        return
    while len(text) - start > MAX_BLOCK:
        stop = text.rfind(". ", start, start + MAX_BLOCK) + 1
        if stop <= start:
            stop = text.rfind(" ", start, start + MAX_BLOCK)
        if stop <= start:
            stop = start + MAX_BLOCK
        piece = cut(inline, start, stop)
        if piece.text:
            yield piece
        start = stop
    last = cut(inline, start, len(text))
    if last.text:
        yield last
