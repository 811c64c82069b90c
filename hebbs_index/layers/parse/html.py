"""HTML: what a reader of the page would take as its text.

Choices made here:

- With a `main` element (or role), all else on the page is navigation; without one, `nav`, page
  headers and footers, menus, breadcrumbs and the like are. What a reader never sees (scripts,
  styles, hidden elements, form controls) is left out, and so is struck-out text.
- A table that holds headings, lists or another table is layout: its cells are read as they come.
- The title is the first `h1`, else the `title` element. `meta` elements give front matter.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from hebbs_index.layers.parse.blocks import Draft, Inline, RichText
from hebbs_index.layers.parse.decode import Unparsable
from hebbs_index.layers.parse.html_roles import (
    CODE,
    INLINE,
    LAYOUT,
    STRONG,
    is_main,
    is_navigation,
    is_unseen,
)
from hebbs_index.layers.parse.html_source import MAX_DEPTH, Stream, scan
from hebbs_index.layers.parse.html_table import Table
from hebbs_index.layers.parse.lists import (
    introduction,
    mark_navigation,
    mark_navigation_paragraphs,
    nested_lead_in,
)
from hebbs_index.layers.parse.templates import MASK, mask
from hebbs_index.records import BlockKind, FileProblem

_META = {
    "author": "author",
    "description": "description",
    "keywords": "keywords",
    "date": "date",
    "dc.date": "date",
    "dcterms.date": "date",
    "last-modified": "updated",
    "article:published_time": "date",
    "article:modified_time": "updated",
    "og:description": "description",
}


def read(draft: Draft, first_line: int) -> None:
    """Read an HTML page into `draft`; the lines before `first_line` are front matter."""
    start = draft.source.starts[first_line] if first_line < len(draft.source) else 0
    tree = _read_range(draft, start, len(draft.source.text))
    _read_head(draft, tree)
    mark_navigation_paragraphs(draft.blocks)


def read_fragment(draft: Draft, start: int, end: int) -> None:
    """Read a stretch of HTML within another format."""
    _read_range(draft, start, end)


def _read_range(draft: Draft, start: int, end: int) -> LexborHTMLParser:
    text = mask(draft.source.text[start:end])
    stream = scan(text, start)
    if stream.depth > MAX_DEPTH:
        reason = f"{stream.depth} elements open within each other are too many to be read"
        raise Unparsable(FileProblem(draft.path, "parse", reason))
    tree = LexborHTMLParser(text.removeprefix("\ufeff"))
    if tree.body is not None:
        title = tree.head.css_first("title") if tree.head is not None else None
        stream.pass_over(title.text() if title is not None else "")
        main = tree.css_first("main, [role=main]")
        _Walker(draft, stream, has_main=main is not None).walk(tree.body)
    return tree


def _read_head(draft: Draft, tree: LexborHTMLParser) -> None:
    for node in tree.css("meta"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        content = " ".join((attributes.get("content") or "").split())
        if name in _META and content:
            draft.front_matter.setdefault(_META[name], content)
    if any(block.heading_level == 1 for block in draft.blocks):
        return
    title = tree.css_first("title")
    if title is not None:
        draft.title = " ".join(title.text().split())


def _events(root: Any) -> Generator[tuple[str, Any], bool | None, None]:
    """The nodes below `root` in order: ("open", node), ("text", node), ("close", node).

    Sending True after an "open" leaves out what is within.
    """
    node = root.child
    end = root.mem_id
    while node is not None:
        if node.tag == "-text":
            yield "text", node
        elif node.tag[0] not in "-!":
            skipped = yield "open", node
            if not skipped and node.child is not None:
                node = node.child
                continue
            yield "close", node
        while node.next is None:
            node = node.parent
            if node is None or node.mem_id == end:
                return
            yield "close", node
        node = node.next


class _Walker:
    """Goes through the tree and adds its blocks."""

    def __init__(self, draft: Draft, stream: Stream, *, has_main: bool) -> None:
        self._draft = draft
        self._stream = stream
        self._has_main = has_main
        self._rich = RichText()
        self._open: list[str] = []  # names of the block elements around this place
        self._marks: list[tuple[int, Any]] = []  # inline elements: text position, node
        self._main = 0
        self._navigation = 0
        self._lists: list[tuple[str, int]] = []  # lead-in, index of the first block
        self._items: list[str] = []  # texts of the items around this place
        self._tasks: list[bool | None] = []
        self._terms: list[str] = []
        self._tables: list[Table | None] = []  # None for a layout table
        self._gathering = 0  # cells and terms being read: their blocks are one text
        self._before = ""
        self._after = 0  # stream position behind the last text
        self._last = -1  # source position of the last character added to the block

    def walk(self, body: Any) -> None:
        events = _events(body)
        for what, node in events:
            if what == "text":
                self._text(node.text_content or "")
            elif what == "close":
                self._close(node)
            elif is_unseen(node):
                self._stream.pass_over(node.text())
                events.send(True)
            else:
                self._start(node)
        self._flush()

    # -- text

    def _text(self, text: str) -> None:
        core = text.strip()
        stream = self._stream
        if not core:
            if text and len(self._rich):
                self._space(self._after)
            return
        found = stream.find(core)
        if found < 0 or stream.places[found] < self._last:
            self._draft.note("parse", "some text that could not be found again is left out")
            return
        self._after = found + len(core)
        if text[0].isspace() and found:
            self._space(found - 1)
        places = stream.places[found : found + len(core)]
        if MASK in core:
            kept = [(c, at) for c, at in zip(core, places, strict=True) if c != MASK]
            core, places = "".join(c for c, _ in kept), [at for _, at in kept]
        self._rich.add(core, places)
        self._last = places[-1] if places else self._last
        if text[-1].isspace():
            self._space(self._after)

    def _space(self, at: int) -> None:
        stream = self._stream
        if at < len(stream.text) and stream.text[at].isspace() and stream.places[at] > self._last:
            self._rich.add(" ", [stream.places[at]])

    def _break(self) -> None:
        """A space where the page breaks a line within a block."""
        if self._last >= 0:
            self._last = max(self._draft.source.text.find("<", self._last), self._last)
            self._rich.add(" ", [self._last])

    # -- elements

    def _start(self, node: Any) -> None:
        name = node.tag
        if name == "br":
            self._break()
        elif name == "input":
            self._input(node)
        elif name in INLINE:
            self._marks.append((len(self._rich), node))
        else:
            self._block_boundary()
            self._open.append(name)
            self._main += is_main(node)
            self._navigation += is_navigation(node, self._open)
            opening = _OPENING.get(name)
            if opening is not None:
                opening(self, node)

    def _close(self, node: Any) -> None:
        name = node.tag
        if name in INLINE:
            self._close_inline(node)
            return
        if not self._open or self._open[-1] != name:
            return
        self._block_boundary()
        closing = _CLOSING.get(name)
        if closing is not None:
            closing(self, node)
        self._open.pop()
        self._main -= is_main(node)
        self._navigation -= is_navigation(node, self._open)

    def _close_inline(self, node: Any) -> None:
        if not self._marks or self._marks[-1][1].mem_id != node.mem_id:
            return
        start, _ = self._marks.pop()
        start = min(start, len(self._rich))
        if node.tag in CODE:
            self._rich.mark_code(start)
        elif node.tag in STRONG and not any(mark[1].tag in STRONG for mark in self._marks):
            self._rich.mark_strong(start)
        elif node.tag == "a" and node.attributes.get("href"):
            self._rich.mark_link(start, unquote(node.attributes["href"].strip()))

    def _input(self, node: Any) -> None:
        if (node.attributes.get("type") or "").lower() == "checkbox" and self._tasks:
            self._tasks[-1] = "checked" in node.attributes

    # -- blocks

    def _block_boundary(self) -> None:
        if self._gathering:
            self._break()
        else:
            self._flush()

    def _flush(self) -> Inline:
        """Add the text gathered so far as a block."""
        inline = self._take()
        if inline.text:
            kind = self._kind()
            if kind is BlockKind.HEADING:
                self._draft.add_heading(inline, int(self._heading()[1]))
                self._before = ""
            else:
                self._add(kind, inline)
        return inline

    def _take(self) -> Inline:
        for number, (_, node) in enumerate(self._marks):
            self._marks[number] = (0, node)
        inline = self._rich.finish()
        self._rich = RichText()
        self._last = -1
        return inline

    def _add(self, kind: BlockKind, inline: Inline) -> None:
        lead_in = self._lists[-1][0] if self._lists else ""
        key = (self._terms[-1],) if kind is BlockKind.FIELD and self._terms else ()
        task = self._tasks[-1] if self._tasks else None
        self._draft.add(kind, inline, lead_in=lead_in, key=key, task=task)
        if self._items and not self._items[-1]:
            self._items[-1] = inline.text
        self._before = inline.text if kind is not BlockKind.CODE else ""

    def _heading(self) -> str:
        inner = self._open[-1] if self._open else ""
        return inner if len(inner) == 2 and inner[0] == "h" and inner[1] in "123456" else ""

    def _kind(self) -> BlockKind:
        if self._navigation and not (self._heading() == "h1" and "header" in self._open):
            return BlockKind.NAVIGATION
        if self._has_main and not self._main:
            return BlockKind.NAVIGATION
        if "blockquote" in self._open:
            return BlockKind.QUOTE
        if self._heading():
            return BlockKind.HEADING
        for name in reversed(self._open):
            if name in _KINDS:
                return _KINDS[name]
        return BlockKind.PARAGRAPH

    # -- lists

    def _open_list(self, _node: Any) -> None:
        outer = self._lists[-1][0] if self._lists else ""
        parent = self._items[-1] if self._items else ""
        lead_in = nested_lead_in(outer, parent, self._before)
        self._lists.append((lead_in, len(self._draft.blocks)))
        self._before = ""

    def _close_list(self, _node: Any) -> None:
        _, first = self._lists.pop()
        if not self._lists:
            mark_navigation(self._draft.blocks, first)
        self._before = ""

    def _open_item(self, _node: Any) -> None:
        self._items.append("")
        self._tasks.append(None)

    def _close_item(self, _node: Any) -> None:
        self._items.pop()
        self._tasks.pop()

    def _open_terms(self, _node: Any) -> None:
        self._terms.append("")

    def _close_terms(self, _node: Any) -> None:
        self._terms.pop()
        self._before = ""

    def _open_term(self, _node: Any) -> None:
        self._gathering += 1

    def _close_term(self, _node: Any) -> None:
        self._gathering -= 1
        term = self._take().text
        if self._terms:
            self._terms[-1] = term

    # -- tables

    def _open_table(self, node: Any) -> None:
        layout = any(found.mem_id != node.mem_id for found in node.css(LAYOUT))
        self._tables.append(None if layout else Table(introduction(self._before)))
        self._before = ""

    def _close_table(self, _node: Any) -> None:
        table = self._tables.pop()
        if table is not None and not self._is_boilerplate():
            for row in table.rows():
                self._draft.add_row(row, lead_in=table.lead_in)
        self._before = ""

    def _is_boilerplate(self) -> bool:
        return self._navigation > 0 or (self._has_main and not self._main)

    def _open_row(self, _node: Any) -> None:
        if self._tables and self._tables[-1] is not None:
            self._tables[-1].open_row()

    def _open_cell(self, _node: Any) -> None:
        if self._tables and self._tables[-1] is not None:
            self._gathering += 1
            self._tables[-1].open_cell()

    def _close_cell(self, node: Any) -> None:
        if self._tables and self._tables[-1] is not None:
            attributes = node.attributes
            self._gathering -= 1
            self._tables[-1].close_cell(
                self._take(),
                is_header=node.tag == "th",
                columns=_count(attributes.get("colspan")),
                rows=_count(attributes.get("rowspan")),
            )


def _count(written: str | None) -> int:
    """The value of a `colspan` or `rowspan`, within reason."""
    return min(int(written), 100) if written and written.strip().isdecimal() else 1


_KINDS = {
    "pre": BlockKind.CODE,
    "li": BlockKind.LIST_ITEM,
    "dd": BlockKind.FIELD,
}

_Step = Callable[[_Walker, Any], None]

_OPENING: dict[str, _Step] = {
    "ul": _Walker._open_list,
    "ol": _Walker._open_list,
    "menu": _Walker._open_list,
    "li": _Walker._open_item,
    "dl": _Walker._open_terms,
    "dt": _Walker._open_term,
    "table": _Walker._open_table,
    "tr": _Walker._open_row,
    "td": _Walker._open_cell,
    "th": _Walker._open_cell,
}
_CLOSING: dict[str, _Step] = {
    "ul": _Walker._close_list,
    "ol": _Walker._close_list,
    "menu": _Walker._close_list,
    "li": _Walker._close_item,
    "dl": _Walker._close_terms,
    "dt": _Walker._close_term,
    "table": _Walker._close_table,
    "td": _Walker._close_cell,
    "th": _Walker._close_cell,
}
