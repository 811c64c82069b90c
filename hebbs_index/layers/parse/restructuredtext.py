"""reStructuredText, read with docutils.

Choices made here:

- A header of `Key: value` lines (as PEPs have) and the field list at the top give front matter and
  `FIELD` blocks; so do definition lists, option lists and field lists elsewhere, as blocks only.
- An indented paragraph is a quote to docutils. Here it is one if it has an attribution, begins
  with a quotation mark, or follows a sentence that says that somebody says something. Else
  it is read like any paragraph: most authors indent to set something off.
- Directives that docutils does not know (Sphinx has many) are read for their text, unless they
  are known to hold code or a list of pages.
- A text that docutils cannot parse is read as plain text, with a problem that says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from docutils import nodes

from hebbs_index.layers.parse import text as plain_text
from hebbs_index.layers.parse.align import Aligner
from hebbs_index.layers.parse.blocks import Draft, Inline, join_cells, raw_inline
from hebbs_index.layers.parse.lists import (
    introduction,
    mark_navigation,
    mark_navigation_paragraphs,
    nested_lead_in,
)
from hebbs_index.layers.parse.restructuredtext_engine import (
    MAX_INDENT,
    MAX_LINE,
    DocutilsFailed,
    parse_tree,
)
from hebbs_index.layers.parse.restructuredtext_header import read_header
from hebbs_index.layers.parse.restructuredtext_inline import InlineWriter, text_elements
from hebbs_index.records import BlockKind

_SAYS = re.compile(r"\b(?:says?|said|writes?|wrote|quot\w+|according to|stat(?:es?|ed))\b", re.I)
_DIRECTIVE = re.compile(r"\.\.[ \t]+([\w:.+-]+?)::[ \t]*(.*)$")
_OPTION = re.compile(r"[ \t]*:[\w-]+:(?:[ \t]|$)")
_CODE_DIRECTIVES = re.compile(
    r"(?:py:|c:|cpp:|js:)?(?:auto\w+|\w*code\w*|literalinclude|mermaid|graphviz|plantuml|digraph|"
    r"test\w+|doctest|ipython|productionlist|prompt|highlight|math|plot|toctree|tabularcolumns|"
    r"index|currentmodule|module|function|class|method|data|attribute|include|raw|image|figure)$"
)
_MAX_SKIP = 400  # source characters before the text of a block: a bullet, a directive's name
_MAX_LINES_OFF = 200  # lines that docutils may be off in placing a literal block
_MAX_UNKNOWN = 3  # directives within directives that docutils does not know


def read(draft: Draft, _first_line: int) -> None:
    """Read a reStructuredText into `draft`."""
    lines = draft.source.lines()
    lines[0] = lines[0].replace("\ufeff", " ", 1) if lines[0] == "\ufeff" else lines[0]
    skipped = read_header(draft, lines)
    lines[:skipped] = [""] * skipped
    _blank_extremes(draft, lines)
    kept = len(draft.blocks)
    try:
        walker = Walker(draft, lines)
        walker.walk_tree(0, len(lines))
    except (DocutilsFailed, RecursionError) as error:
        del draft.blocks[kept:]
        reason = str(error) if isinstance(error, DocutilsFailed) else "nested too deeply"
        draft.note("parse", f"read as plain text, since docutils failed on it ({reason})")
        plain_text.read(draft, skipped)
    mark_navigation_paragraphs(draft.blocks)


def _blank_extremes(draft: Draft, lines: list[str]) -> None:
    for number, line in enumerate(lines):
        width = len(line) - len(line.lstrip())
        if len(line) >= MAX_LINE or width > MAX_INDENT:
            lines[number] = ""
            what = "too long" if len(line) >= MAX_LINE else "indented too far"
            draft.note("parse", f"line {number + 1} is {what} and left out")


class Walker:
    """Goes through a docutils tree in document order and adds its blocks."""

    def __init__(self, draft: Draft, lines: list[str]) -> None:
        self._draft = draft
        self._lines = lines
        self._aligner = Aligner(draft.source.text, by_line=True)
        self._first_line = 0  # of the tree being walked, within the file
        self._documents: list[nodes.document] = []  # the tree being walked, those around it
        self._depth = 0  # of sections
        self._unknown = 0  # nested directives that docutils does not know
        self._before = ""
        self._lead_ins: list[str] = []
        self._item_texts: list[str] = []
        self._key: tuple[str, ...] = ()
        self._kind = BlockKind.PARAGRAPH

    def walk_tree(self, first: int, end: int, indent: int = 0) -> None:
        """Parse some lines of the file and add their blocks."""
        outer, self._first_line = self._first_line, first
        self._documents.insert(0, parse_tree([line[indent:] for line in self._lines[first:end]]))
        self._children(self._documents[0])
        del self._documents[0]
        self._first_line = outer

    def _children(self, node: nodes.Element) -> None:
        for child in node.children:
            if isinstance(child, nodes.Element):
                self._visit(child)

    def _visit(self, node: nodes.Element) -> None:
        step = _STEPS.get(node.tagname)
        if step is not None:
            step(self, node)
        elif not isinstance(node, nodes.Invisible | nodes.TextElement):
            self._children(node)

    # -- text

    def inline(self, node: nodes.Element) -> Inline:
        """The text of a text element, found in the source."""
        self._approach(node)
        return InlineWriter(self._documents, self._aligner).write(node)

    def _approach(self, node: nodes.Element, cursor: int = 0) -> None:
        """Move to where the text of a node begins: its line if that is known, else further on.

        `cursor` is the place before which it cannot be.
        """
        line = self._line_of(node)
        if line is not None:
            self._aligner.pos = max(self._draft.source.starts[line], cursor)
        words = node.astext().split(maxsplit=1)
        if words and words[0] not in ("PEP", "RFC"):  # those may come from a role
            self._aligner.skip_to(words[0], _MAX_SKIP)

    def _line_of(self, node: nodes.Element) -> int | None:
        """The line of a node in the file, counted from 0."""
        if node.line is None:
            return None
        above = 2 if node.tagname == "title" else 1  # for a title, docutils names the underline
        return min(max(self._first_line + node.line - above, 0), len(self._draft.source) - 1)

    def _add(self, kind: BlockKind, inline: Inline) -> None:
        lead_in = self._lead_ins[-1] if self._lead_ins else ""
        key = self._key if kind is BlockKind.FIELD else ()
        self._draft.add(kind, inline, lead_in=lead_in, key=key)

    def _paragraph(self, node: nodes.Element) -> None:
        inline = self.inline(node)
        if not inline.text:
            return
        self._add(self._kind, inline)
        if self._kind is BlockKind.LIST_ITEM and self._item_texts and not self._item_texts[-1]:
            self._item_texts[-1] = inline.text
        self._before = inline.text

    def _title(self, node: nodes.Element) -> None:
        self._draft.add_heading(self.inline(node), max(self._depth, 1))
        self._before = ""

    def _section(self, node: nodes.Element) -> None:
        self._depth += 1
        self._children(node)
        self._depth -= 1

    def _side_title(self, node: nodes.Element) -> None:
        self._add(BlockKind.HEADING, self.inline(node))

    def _code(self, node: nodes.Element) -> None:
        """A literal block. The line that docutils names for it is one near its beginning."""
        self._before = ""
        written = node.astext().strip("\n").split("\n")
        if not written[0].strip():
            return
        line = self._line_of(node)
        first = self._find_line(written[0].strip(), line if line is not None else 0)
        end = min(first + len(written), len(self._lines))
        source = self._draft.source
        inline = raw_inline(source.text, source.starts[first], source.stops[end - 1])
        self._draft.add(BlockKind.CODE, inline)

    def _find_line(self, text: str, near: int) -> int:
        """The line that holds `text`, nearest to line `near`."""
        for distance in range(_MAX_LINES_OFF):
            for number in (near - distance, near + distance):
                if 0 <= number < len(self._lines) and self._lines[number].strip() == text:
                    return number
        return min(near, len(self._lines) - 1)

    # -- containers

    def _within(self, node: nodes.Element, kind: BlockKind) -> None:
        """Read the children of a node as blocks of one kind."""
        outer, self._kind = self._kind, kind
        self._children(node)
        self._kind = outer

    def _list(self, node: nodes.Element) -> None:
        outer = self._lead_ins[-1] if self._lead_ins else ""
        parent = self._item_texts[-1] if self._item_texts else ""
        self._lead_ins.append(nested_lead_in(outer, parent, self._before))
        first = len(self._draft.blocks)
        self._before = ""
        self._children(node)
        self._lead_ins.pop()
        if not self._lead_ins:
            mark_navigation(self._draft.blocks, first)
        self._before = ""

    def _item(self, node: nodes.Element) -> None:
        self._item_texts.append("")
        kind = BlockKind.QUOTE if self._kind is BlockKind.QUOTE else BlockKind.LIST_ITEM
        self._within(node, kind)
        self._item_texts.pop()

    def _block_quote(self, node: nodes.Element) -> None:
        self._within(node, BlockKind.QUOTE if self._is_quote(node) else self._kind)

    def _is_quote(self, node: nodes.Element) -> bool:
        if any(isinstance(child, nodes.attribution) for child in node.children):
            return True
        text = node.astext().lstrip()
        if text[:1] in ('"', "“", "‘", "«"):
            return True
        last = re.split(r"(?<=[.!?])\s+", self._before)[-1]
        return last.rstrip().endswith(":") and bool(_SAYS.search(last))

    def _entry(self, node: nodes.Element) -> None:
        """A term with its definition, a field with its body, an option with its description."""
        outer = self._key
        for child in node.children:
            if not isinstance(child, nodes.Element):
                continue
            if isinstance(child, nodes.term | nodes.field_name | nodes.option_group):
                self._approach(child)
                self._aligner.take(child.astext())
                self._key = (" ".join(child.astext().split()),)
            elif not isinstance(child, nodes.classifier):
                self._within(child, BlockKind.FIELD)
        self._key = outer
        self._before = ""

    def _field_list(self, node: nodes.Element) -> None:
        first = len(self._draft.blocks)
        self._children(node)
        if any(b.kind is not BlockKind.HEADING for b in self._draft.blocks[:first]):
            return
        for block in self._draft.blocks[first:]:
            if len(block.key) == 1:
                self._draft.front_matter.setdefault(block.key[0], block.text)

    def _line_block(self, node: nodes.Element) -> None:
        for line in node.findall(nodes.line):
            inline = self.inline(line)
            if inline.text:
                self._add(self._kind, inline)

    def _skip(self, _node: nodes.Element) -> None:
        """Nothing that a reader of the page would read as its text."""

    # -- tables

    def _table(self, node: nodes.Element) -> None:
        lead_in = introduction(self._before)
        headers: list[str] = []
        for row in node.findall(nodes.row):
            cells = self._cells(row)
            if isinstance(row.parent, nodes.thead):
                headers = _merged(headers, [cell.text for cell in cells])
                continue
            named = [(headers[i] if i < len(headers) else "", c) for i, c in enumerate(cells)]
            if self._kind is BlockKind.QUOTE:
                self._add(BlockKind.QUOTE, join_cells(cells))
            else:
                self._draft.add_row(named, lead_in=lead_in)
        self._before = ""

    def _cells(self, row: nodes.row) -> list[Inline]:
        """The cells of a row, an empty one for each further column that a cell spans."""
        cells: list[Inline] = []
        for entry in row.children:
            if isinstance(entry, nodes.entry):
                cells.append(self._cell(entry, cells))
                cells += [Inline("", ())] * int(entry.get("morecols", 0))
        self._aligner.margin = 0
        return cells

    def _cell(self, entry: nodes.entry, before: list[Inline]) -> Inline:
        """The text of a cell: on each of its lines it stands behind the cells before it."""
        writer = InlineWriter(self._documents, self._aligner)
        starts, stops = self._draft.source.starts, self._draft.source.stops
        self._aligner.margin = 0
        for child in text_elements(entry):
            writer.space()
            line = self._line_of(child)
            if line is None:
                self._approach(child)
            else:
                reached = _reached(before, starts[line], stops[line])
                margin = min(starts[line] + self._aligner.margin, stops[line])
                self._approach(child, max(reached, margin))
                if reached:  # other cells stand beside this one
                    self._aligner.margin = self._aligner.pos - starts[line]
            writer.append(child)
        return writer.finish()

    # -- what docutils does not know

    def _system_message(self, node: nodes.Element) -> None:
        literal = next(iter(node.findall(nodes.literal_block)), None)
        line = node.get("line")
        if literal is None or line is None:
            return
        first = self._first_line + int(line) - 1
        written = literal.astext().split("\n")
        match = _DIRECTIVE.match(written[0].strip())
        if match is None or self._unknown >= _MAX_UNKNOWN:
            return
        if _CODE_DIRECTIVES.match(match[1]):
            self._code(literal)
            return
        self._directive_body(first, written)

    def _directive_body(self, first: int, written: Sequence[str]) -> None:
        skip = 1
        while skip < len(written) and _OPTION.match(written[skip]):
            skip += 1
        body = [line for line in written[skip:] if line.strip()]
        end = min(first + len(written), len(self._lines))
        if not body or first < 0 or first + skip >= end:
            return
        indents = [
            len(line) - len(line.lstrip())
            for line in self._lines[first + skip : end]
            if line.strip()
        ]
        self._unknown += 1
        self.walk_tree(first + skip, end, min(indents, default=0))
        self._unknown -= 1


def _reached(cells: Sequence[Inline], start: int, stop: int) -> int:
    """The place behind what these cells take up of a line, 0 if they leave it alone."""
    return max((at + 1 for cell in cells for at in cell.offsets if start <= at < stop), default=0)


def _merged(above: list[str], below: list[str]) -> list[str]:
    """Column headers of two header rows, one over the other."""
    if not above:
        return below
    pairs = zip(above, below, strict=False)
    return [f"{a} {b}".strip() if a != b else a for a, b in pairs]


_Step = Callable[[Walker, nodes.Element], None]

_STEPS: dict[str, _Step] = {
    "section": Walker._section,
    "title": Walker._title,
    "subtitle": Walker._side_title,
    "rubric": Walker._side_title,
    "paragraph": Walker._paragraph,
    "caption": Walker._paragraph,
    "attribution": Walker._skip,
    "literal_block": Walker._code,
    "doctest_block": Walker._code,
    "math_block": Walker._code,
    "bullet_list": Walker._list,
    "enumerated_list": Walker._list,
    "list_item": Walker._item,
    "block_quote": Walker._block_quote,
    "definition_list_item": Walker._entry,
    "field": Walker._entry,
    "option_list_item": Walker._entry,
    "field_list": Walker._field_list,
    "line_block": Walker._line_block,
    "table": Walker._table,
    "system_message": Walker._system_message,
    "comment": Walker._skip,
    "raw": Walker._skip,
    "target": Walker._skip,
    "substitution_definition": Walker._skip,
    "pending": Walker._skip,
    "label": Walker._skip,
}
