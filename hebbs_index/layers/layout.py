"""Table rows and fields cut into passages: what layout states without a sentence.

A row says one thing a column: `Acme, read cap: 3.3k ops/s`. The first cell names what the row is
about, unless it only counts rows. Front matter says something of the file; keys that steer a
site generator say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hebbs_index.ids import fold_entity
from hebbs_index.layers.drafts import Structure
from hebbs_index.layers.parse.blocks import CELL_SEPARATOR
from hebbs_index.layers.passages import Frame, Passage, ranges_within, sentences_of
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.layers.wording import is_question, names_no_subject, states_nothing
from hebbs_index.records import Block, BlockKind, Cell

_COUNTING_HEADERS = frozenset(
    {"#", "no", "no.", "nr", "number", "id", "index", "rank", "row", "s.no"}
)
_BARE_NUMBER = re.compile(r"#?\d{1,4}[.)]?$")
_VAGUE_LABEL = re.compile(
    r"^(?:[\W\d_]+|yes|no|true|false|none|all|any|other|total|sum|default|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|v?\d[\d.\-/:]*\w?)$",
    re.IGNORECASE,
)
_NO_VALUE = frozenset({"", "-", "–", "—", "--", "?", "n/a", "na", "tbd", "tba", "todo", "...", "…"})
_MAX_LABEL_WORDS = 12

_SILENT_KEYS = frozenset(
    fold_entity(key)
    for key in vocabulary(
        "title layout permalink redirect_from redirect_to nav navigation nav_order nav_title "
        "sidebar sidebar_label sidebar_position sidebar_title sidenav menu menus tags tag "
        "categories category keywords css class classes style styles js script scripts weight "
        "order position slug url uri link links path aliases alias template toc has_toc "
        "has_children parent grand_parent icon image images img cover thumbnail banner hero "
        "logo lang language locale id uid uuid entity_id anchor breadcrumb breadcrumbs "
        "published hidden search search_exclude exclude comments math mermaid draft collection "
        "type kind format header footer body_class page_class head hide render noindex robots "
        "canonical date updated last_updated last_update updated_at updated_on last_modified "
        "lastmod modified date_modified last_reviewed_on last_reviewed revised date_published "
        "published_at publish_date created created_at date_created post_history content_type "
        "version_control subtitle linktitle link_title short_title nav_text cards card tables "
        "trimmed show_comments featured pagination paginate theme markdown kramdown encoding "
        "charset pep discussions_to resolution"
    )
)


def field_passages(block: Block, frame: Frame) -> Iterator[Passage]:
    """The passages of one field: of front matter, of a definition list or a field list."""
    if not block.key:
        return
    top = block.key[0]
    is_matter = top in frame.document.front_matter and not block.heading_path
    if is_matter and any(fold_entity(key) in _SILENT_KEYS for key in block.key):
        return
    if is_matter:
        yield from _matter(block, frame)
        return
    label = ", ".join(block.key)
    subject = frame.subject_of(block.heading_path) if names_no_subject(label) else ""
    yield from _values(block, frame, subject=subject or label, attribute=label if subject else "")


def _matter(block: Block, frame: Frame) -> Iterator[Passage]:
    key = " ".join(part.replace("_", " ") for part in block.key)
    yield from _values(block, frame, subject=frame.title, attribute=key)


def _values(block: Block, frame: Frame, *, subject: str, attribute: str) -> Iterator[Passage]:
    cell = Cell(attribute, block.text, block.offsets)
    head = ", ".join(part for part in (subject, attribute) if part)
    context = tuple(part for part in (subject, attribute) if part)
    yield from _cell_passages(
        block, frame, cell, head=head, context=context, subject=subject, end=block.span.end
    )


def row_passages(block: Block, frame: Frame) -> Iterator[Passage]:
    """The passages of one table row: one a cell beside the label, in column order."""
    cells = block.cells
    label_at = _label_column(cells)
    label = cells[label_at].text if label_at >= 0 else ""
    if len(label.split()) > _MAX_LABEL_WORDS:
        label_at, label = -1, ""
    topic = ""
    if not label or _VAGUE_LABEL.match(label) or names_no_subject(label):
        topic = block.lead_in.rstrip(" :") or frame.subject_of(block.heading_path)
    for number, cell in enumerate(cells):
        if number == label_at or _says_nothing(cell) or _counts_rows(cell):
            continue
        parts = [part for part in (topic, label, cell.header) if part]
        subject = ", ".join(part for part in (topic, label) if part)
        yield from _cell_passages(
            block, frame, cell, head=", ".join(parts), context=tuple(parts), subject=subject, end=0
        )


def _label_column(cells: Sequence[Cell]) -> int:
    """Which cell names what the row is about: the first that does not only count rows."""
    if len(cells) < 2:
        return -1
    for number, cell in enumerate(cells):
        if cell.text.strip() and not _counts_rows(cell):
            return number if number < len(cells) - 1 else -1
        if number == 1:
            break
    return -1


def _counts_rows(cell: Cell) -> bool:
    header = cell.header.strip().casefold()
    return bool(_BARE_NUMBER.match(cell.text.strip())) and header in _COUNTING_HEADERS


def _says_nothing(cell: Cell) -> bool:
    return cell.text.strip().casefold() in _NO_VALUE or states_nothing(
        f"{cell.header} {cell.text}", joined=True
    )


def _cell_passages(
    block: Block,
    frame: Frame,
    cell: Cell,
    *,
    head: str,
    context: tuple[str, ...],
    subject: str,
    end: int,
) -> Iterator[Passage]:
    prefix = f"{head.rstrip(' :')}: " if head else ""
    shift = _place_in_row(block, cell)
    code = tuple((a - shift, b - shift) for a, b in block.code)
    strong = tuple((a - shift, b - shift) for a, b in block.strong)
    for first, last in sentences_of(cell.text, code):
        own = cell.text[first:last]
        stop = cell.offsets[last - 1] + 1
        stop = max(stop, end) if last == len(cell.text) else stop
        yield Passage(
            own=own,
            span=frame.source.span(cell.offsets[first], stop),
            offsets=cell.offsets[first:last],
            kind=block.kind,
            heading_path=block.heading_path,
            dated=frame.dated(block.heading_path),
            context=context,
            prefix=prefix,
            lead_in=block.lead_in,
            structure=Structure(subject, cell.header, own, len(prefix)),
            asserted=not is_question(own),
            divisible=False,
            code=ranges_within(code, first, last, len(prefix)),
            strong=ranges_within(strong, first, last, len(prefix)),
        )


def _place_in_row(block: Block, cell: Cell) -> int:
    """Where a cell's text begins in the text of its row."""
    if block.kind is not BlockKind.TABLE_ROW:
        return 0
    at = 0
    for other in block.cells:
        if other is cell:
            return at
        at += len(other.text) + len(CELL_SEPARATOR)
    return at
