"""reStructuredText blocks: headers, fields, quotes, tables, roles, directives."""

from __future__ import annotations

import pytest

from hebbs_index.layers.parse import parse
from hebbs_index.records import Block, BlockKind


def blocks(text: str) -> list[Block]:
    return list(parse("a.rst", text.encode()).blocks)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks(text)]


def test_a_header_gives_front_matter_fields_and_the_title() -> None:
    parsed = parse(
        "pep-0001.rst", b"PEP: 1\nTitle: Purpose\n  and more\nStatus: Active\n\nWords.\n"
    )
    assert parsed.front_matter == {"PEP": "1", "Title": "Purpose and more", "Status": "Active"}
    assert parsed.title == "Purpose and more"
    assert [(b.key, b.span.line_start, b.span.line_end) for b in parsed.blocks[1:3]] == [
        (("Title",), 2, 3),
        (("Status",), 4, 4),
    ]


def test_fields_at_the_top_are_front_matter_and_later_ones_are_not() -> None:
    parsed = parse("a.rst", b"Title\n=====\n\n:Owner: Zo\n\nWords.\n\n:Limit: 30\n")
    assert parsed.front_matter == {"Owner": "Zo"}
    assert [b.key for b in parsed.blocks if b.kind is BlockKind.FIELD] == [("Owner",), ("Limit",)]


def test_inline_markup_and_roles_give_their_text() -> None:
    (block,) = blocks(
        "A *b* ``c d`` `e <http://x.org>`_ :pep:`8` :func:`~m.run` :doc:`f </g>` [1]_."
    )
    assert block.text == "A b c d e PEP 8 run f."
    assert [block.text[a:b] for a, b in block.code] == ["c d", "run"]
    assert [link.target for link in block.links][:1] == ["http://x.org"]
    assert block.links[-1].target == "/g"


def test_named_targets_are_resolved() -> None:
    block = blocks("See Guide_ now.\n\n.. _Guide: guide%20a.html#part\n")[0]
    assert [(link.target, link.anchor) for link in block.links] == [("guide a.html", "part")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("As she wrote:\n\n    We never do.\n", "quote"),
        ("Words.\n\n    We never do.\n\n    -- Someone\n", "quote"),
        ("Words.\n\n    “We never do.”\n", "quote"),
        ("The rule follows.\n\n    We never do.\n", "paragraph"),
    ],
)
def test_an_indented_paragraph_is_a_quote_if_somebody_says_it(text: str, kind: str) -> None:
    assert blocks(text)[1].kind.value == kind


def test_known_and_unknown_directives_are_read() -> None:
    note = ".. note:: Mind it.\n\n"
    added = ".. versionadded:: 2\n   :x: y\n\n   It is *new*.\n\n"
    assert kinds(f"{note}{added}.. toctree::\n   a\n") == [
        ("paragraph", "Mind it."),
        ("paragraph", "It is new."),
        ("code", ".. toctree:: a"),
    ]


def test_nothing_is_included_or_run() -> None:
    text = ".. include:: /etc/hostname\n\n.. raw:: html\n\n   <b>x</b>\n\nWords.\n"
    assert [text for kind, text in kinds(text) if kind == "paragraph"] == ["Words."]


def test_cells_that_stand_side_by_side_are_told_apart() -> None:
    text = "==  ====\nA   B\n==  ====\na   a b\nc   a\n\n    c\n==  ====\n"
    rows = [b for b in blocks(text) if b.kind is BlockKind.TABLE_ROW]
    assert [[(c.header, c.text) for c in row.cells] for row in rows] == [
        [("A", "a"), ("B", "a b")],
        [("A", "c"), ("B", "a c")],
    ]
    assert rows[0].cells[1].offsets[0] > rows[0].cells[0].offsets[0]


def test_lists_have_lead_ins_and_definitions_are_fields() -> None:
    found = blocks("Steps:\n\n* one\n\n  * deep\n\nTerm\n    Its meaning.\n")
    assert [(b.kind.value, b.lead_in or b.key) for b in found[1:]] == [
        ("list_item", "Steps:"),
        ("list_item", "Steps: > one"),
        ("field", ("Term",)),
    ]


def test_a_role_defined_in_one_file_is_unknown_in_the_next() -> None:
    first = parse("b.rst", b"Use :custom:`x`.\n")
    parse("a.rst", b".. role:: custom\n\n.. default-role:: custom\n\nUse :custom:`x`.\n")
    assert parse("b.rst", b"Use :custom:`x`.\n") == first


def test_sections_nest_by_their_underlines() -> None:
    found = blocks("Top\n===\n\nSub\n---\n\nin sub\n\nNext\n====\n\nin next\n")
    assert [(b.text, b.heading_level, b.heading_path) for b in found] == [
        ("Top", 1, ()),
        ("Sub", 2, ("Top",)),
        ("in sub", 0, ("Top", "Sub")),
        ("Next", 1, ()),
        ("in next", 0, ("Next",)),
    ]
    assert [b.span.line_start for b in found] == [1, 4, 7, 9, 12]
