"""Markdown: CommonMark, GFM tables and strikethrough, wiki-links, callouts, footnotes.

Choices made here:

- A callout (`> [!note]`, and quotes that begin with "Note:" or "Warning:") is the author's own
  word, so its text is paragraphs; other quotes are `QUOTE`, whatever they hold.
- Later paragraphs of a loose list item are items too, with the same lead-in.
- A term and its definition (`Term` / `: definition`) are a `FIELD` with the term as key.
- Tables take the paragraph that introduces them as lead-in, as lists do.
- HTML blocks are read as HTML; comments, scripts and template tags are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from hebbs_index.layers.parse.blocks import Draft, Inline, cut, join_cells, raw_inline
from hebbs_index.layers.parse.html import read_fragment
from hebbs_index.layers.parse.lists import (
    introduction,
    mark_navigation,
    mark_navigation_paragraphs,
    nested_lead_in,
)
from hebbs_index.layers.parse.markdown_engine import MAX_NESTING, engine
from hebbs_index.layers.parse.markdown_inline import InlineReader
from hebbs_index.layers.parse.templates import mask
from hebbs_index.records import BlockKind

_CALLOUT = re.compile(r"\[!([\w-]{1,40})\][+-]?[ \t]*")
_OWN_WORD = re.compile(
    r"(?:\*\*|__|:\w+:\s*)*(?:note|notice|warning|tip|important|caution|info|hint|update|attention)\b",
    re.IGNORECASE,
)
_TASK = re.compile(r"\[([ xX])\](?: |$)")
# markdown-it strips any white space from a paragraph, but only spaces and tabs make a blank line:
# a line of one no-break space would be counted and then not be there.
_ODD_SPACE = re.compile(r"[^\S \t]")
_HAS_TEXT = re.compile(r"(?:^|>)[^<>]*\w")
_HASHES = re.compile(r"[^#]*#+")


def read(draft: Draft, first_line: int) -> None:
    """Read a Markdown text into `draft`; the lines before `first_line` are front matter."""
    lines = mask("\n".join(draft.source.lines())).split("\n")
    lines[:first_line] = [""] * first_line
    lines[0] = lines[0].removeprefix("\ufeff")
    if _ODD_SPACE.search("".join(lines)):
        lines = [line.rstrip().ljust(len(line)) for line in lines]
    tokens = engine().parse("\n".join(lines))
    _Walker(draft, lines).walk(tokens)
    mark_navigation_paragraphs(draft.blocks)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        draft.note(
            "parse", f"nested more than {MAX_NESTING} levels deep; the innermost is left out"
        )


@dataclass(slots=True)
class _List:
    lead_in: str
    first_block: int


@dataclass(slots=True)
class _Container:
    """What encloses a paragraph: a quote, callout, item, definition or footnote."""

    kind: str
    text: str = ""  # of an item: what it says, for the lists within
    task: bool | None = None
    begun: bool = False  # whether its first paragraph has been read


class _Walker:
    """Goes through the block tokens of one file and adds its blocks."""

    def __init__(self, draft: Draft, lines: list[str]) -> None:
        self._draft = draft
        self._lines = lines
        self._containers: list[_Container] = []
        self._lists: list[_List] = []
        self._before = ""  # the paragraph just before this place, if there is one
        self._term = ""
        self._headers: list[str] = []
        self._row: list[Inline] = []
        self._row_cursor = 0
        self._table_lead_in = ""
        self._opened = ""  # type of the token before an inline token
        self._level = 0

    def walk(self, tokens: Sequence[Token]) -> None:
        for number, token in enumerate(tokens):
            if token.type == "inline":
                self._inline(token)
            elif token.type == "blockquote_open":
                self._open_quote(tokens, number)
            else:
                step = _STEPS.get(token.type)
                if step is not None:
                    step(self, token)
            self._opened = token.type

    # -- containers

    def _open_quote(self, tokens: Sequence[Token], number: int) -> None:
        inline = tokens[number + 2] if number + 2 < len(tokens) else None
        content = inline.content if inline is not None and inline.type == "inline" else ""
        own = bool(_CALLOUT.match(content) or _OWN_WORD.match(content))
        self._containers.append(_Container("callout" if own else "quote"))
        self._before = ""

    def _close_container(self, _token: Token) -> None:
        if self._containers:
            self._containers.pop()
        self._before = ""

    def _open_list(self, _token: Token) -> None:
        outer = self._lists[-1].lead_in if self._lists and self._in("item") else ""
        parent = self._container("item")
        lead_in = nested_lead_in(outer, parent.text if parent is not None else "", self._before)
        self._lists.append(_List(lead_in, len(self._draft.blocks)))
        self._before = ""

    def _close_list(self, _token: Token) -> None:
        closed = self._lists.pop()
        if not self._lists:
            mark_navigation(self._draft.blocks, closed.first_block)
        self._before = ""

    def _open_item(self, _token: Token) -> None:
        self._containers.append(_Container("item"))

    def _open_definition(self, _token: Token) -> None:
        self._containers.append(_Container("definition"))

    def _open_footnote(self, _token: Token) -> None:
        self._containers.append(_Container("footnote"))
        self._before = ""

    def _in(self, kind: str) -> bool:
        return any(container.kind == kind for container in self._containers)

    def _container(self, kind: str) -> _Container | None:
        """The innermost container, if it is of this kind."""
        inner = self._containers[-1] if self._containers else None
        return inner if inner is not None and inner.kind == kind else None

    # -- text

    def _inline(self, token: Token) -> None:
        if not token.content or token.map is None:
            if self._opened in ("th_open", "td_open"):
                self._cell(Inline("", ()))
            return
        if self._opened in ("th_open", "td_open"):
            where = self._cell_places(token)
            self._cell(self._read(token, where))
            return
        inline = self._read(token, self._places(token))
        if self._opened == "heading_open":
            self._heading(inline)
        elif self._opened == "dt_open":
            self._term = inline.text
        else:
            self._paragraph(inline)

    def _read(self, token: Token, where: list[int]) -> Inline:
        if token.meta.get("plain"):
            self._draft.note("parse", "a paragraph with too much markup is read as plain text")
        return InlineReader(self._draft.source.text, token.content, where).read(
            token.children or ()
        )

    def _places(self, token: Token) -> list[int]:
        """The source position of every character of an inline token's content."""
        line = token.map[0] if token.map else 0
        where: list[int] = []
        for number, part in enumerate(token.content.split("\n"), line):
            hint = 0
            if self._opened == "heading_open" and (hashes := _HASHES.match(self._line(number))):
                hint = hashes.end()
            where.extend(self._line_places(number, part, hint))
        return where

    def _line(self, number: int) -> str:
        return self._lines[number] if number < len(self._lines) else ""

    def _line_places(self, number: int, part: str, hint: int) -> list[int]:
        """The places of one content line and its line end: it is the tail of a source line."""
        number = min(number, len(self._lines) - 1)
        raw = self._lines[number]
        start, stop = self._draft.source.starts[number], self._draft.source.stops[number]
        bare = part.strip()
        tail = len(raw.rstrip()) - len(bare)
        if tail < 0 or not raw.startswith(bare, tail):
            tail = max(raw.find(bare, hint), 0)
        if number == 0 and stop - start > len(raw):
            start += stop - start - len(raw)  # a byte order mark
        tail -= len(part) - len(part.lstrip())
        if tail >= 0 and start + tail + len(part) <= stop:
            return [*range(start + tail, start + tail + len(part)), stop]
        places = (min(max(start + tail + i, start), stop) for i in range(len(part)))
        return [*places, stop]

    def _heading(self, inline: Inline) -> None:
        if self._in("quote"):
            self._add(BlockKind.QUOTE, inline)
        elif self._in("callout") or self._in("footnote"):
            self._add(BlockKind.HEADING, inline)
        else:
            self._draft.add_heading(inline, self._level)
        self._before = ""

    def _paragraph(self, inline: Inline) -> None:
        inner = self._containers[-1] if self._containers else None
        if inner is not None and not inner.begun:
            inner.begun = True
            inline = self._begin(inner, inline)
        if not inline.text:
            return
        self._add(self._paragraph_kind(inner), inline)
        self._before = inline.text

    def _paragraph_kind(self, inner: _Container | None) -> BlockKind:
        if self._in("quote"):
            return BlockKind.QUOTE
        if inner is None:
            return BlockKind.PARAGRAPH
        kinds = {"item": BlockKind.LIST_ITEM, "definition": BlockKind.FIELD}
        return kinds.get(inner.kind, BlockKind.PARAGRAPH)

    def _begin(self, container: _Container, inline: Inline) -> Inline:
        """The first paragraph of a container, its task box or callout mark taken off."""
        if container.kind == "item":
            task = _TASK.match(inline.text)
            if task is not None:
                container.task = task[1] != " "
                inline = cut(inline, task.end(), len(inline.text))
            container.text = inline.text
        elif container.kind == "callout":
            inline = self._callout_title(inline)
        return inline

    def _callout_title(self, inline: Inline) -> Inline:
        """Take off `[!note]`; a title on its line becomes a paragraph of its own."""
        mark = _CALLOUT.match(inline.text)
        if mark is None:
            return inline
        source = self._draft.source.text
        end = len(inline.text)
        newline = (i for i, at in enumerate(inline.offsets) if source[at] in "\r\n")
        split = next(newline, end)
        title = cut(inline, min(mark.end(), split), split)
        if title.text:
            self._add(self._paragraph_kind(self._containers[-1]), title)
        return cut(inline, split, end)

    def _add(self, kind: BlockKind, inline: Inline) -> None:
        items = [container for container in self._containers if container.kind == "item"]
        lead_in = self._lists[-1].lead_in if self._lists and items else ""
        key = (self._term,) if kind is BlockKind.FIELD else ()
        task = items[-1].task if items else None
        self._draft.add(kind, inline, lead_in=lead_in, key=key, task=task)

    def _open_heading(self, token: Token) -> None:
        self._level = int(token.tag[1:])

    def _code(self, token: Token) -> None:
        """A fenced or indented code block, taken from the source as it stands."""
        first, end = token.map or (0, 0)
        if token.type == "fence":
            first += 1
            closed = end - 1 > first - 1 and self._line(end - 1).strip(" \t>").endswith(
                token.markup
            )
            end -= 1 if closed else 0
        if first < end:
            self._raw(BlockKind.CODE, first, end)
        self._before = ""

    def _raw(self, kind: BlockKind, first: int, end: int) -> None:
        source = self._draft.source
        start, stop = source.starts[first], source.stops[min(end, len(source)) - 1]
        inline = raw_inline(source.text, start, stop)
        self._draft.add(kind, inline)

    def _html(self, token: Token) -> None:
        self._before = ""
        if token.map is None or self._containers or not _HAS_TEXT.search(token.content):
            return
        source = self._draft.source
        end = min(token.map[1], len(source))
        read_fragment(self._draft, source.starts[token.map[0]], source.stops[end - 1])

    # -- tables

    def _open_table(self, _token: Token) -> None:
        self._table_lead_in = introduction(self._before)
        self._headers = []
        self._before = ""

    def _open_row(self, _token: Token) -> None:
        self._row = []
        self._row_cursor = 0

    def _cell(self, inline: Inline) -> None:
        if self._opened == "th_open":
            self._headers.append(inline.text)
        else:
            self._row.append(inline)

    def _close_row(self, _token: Token) -> None:
        if not self._row:
            return
        if self._in("quote"):
            self._add(BlockKind.QUOTE, join_cells(self._row))
            return
        cells = list(zip(self._headers, self._row, strict=False))
        self._draft.add_row(cells, lead_in=self._table_lead_in)

    def _cell_places(self, token: Token) -> list[int]:
        """The places of a cell: its content stands in its line, `\\|` for `|`."""
        number = token.map[0] if token.map else 0
        raw, start = self._line(number), self._draft.source.stops[number]
        start -= len(raw)
        found = raw.find(token.content, self._row_cursor)
        if found >= 0:
            self._row_cursor = found + len(token.content)
            return [*range(start + found, start + self._row_cursor + 1)]
        where: list[int] = []
        at = self._row_cursor
        for character in token.content:
            at = max(raw.find(character, at), at)
            where.append(start + min(at, len(raw)))
            at += 1
        self._row_cursor = at
        return [*where, start + min(at, len(raw))]


_STEPS: dict[str, Callable[[_Walker, Token], None]] = {
    "blockquote_close": _Walker._close_container,
    "list_item_open": _Walker._open_item,
    "list_item_close": _Walker._close_container,
    "dd_open": _Walker._open_definition,
    "dd_close": _Walker._close_container,
    "footnote_reference_open": _Walker._open_footnote,
    "footnote_reference_close": _Walker._close_container,
    "bullet_list_open": _Walker._open_list,
    "bullet_list_close": _Walker._close_list,
    "ordered_list_open": _Walker._open_list,
    "ordered_list_close": _Walker._close_list,
    "heading_open": _Walker._open_heading,
    "fence": _Walker._code,
    "code_block": _Walker._code,
    "html_block": _Walker._html,
    "table_open": _Walker._open_table,
    "tr_open": _Walker._open_row,
    "tr_close": _Walker._close_row,
}
