"""Markdown blocks: kinds, context, inline text, links."""

from __future__ import annotations

import pytest

from hebbs_index.layers.parse import parse
from hebbs_index.records import Block, BlockKind


def blocks(text: str) -> list[Block]:
    return list(parse("a.md", text.encode()).blocks)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks(text)]


def test_inline_markup_is_removed_and_its_ranges_are_kept() -> None:
    (block,) = blocks("Use `a  b` and **bold *x* y** \\*now\\* &lt;here&gt;.")
    assert block.text == "Use a b and bold x y *now* <here>."
    assert [block.text[a:b] for a, b in block.code] == ["a b"]
    assert [block.text[a:b] for a, b in block.strong] == ["bold x y"]


@pytest.mark.parametrize(
    ("written", "text", "target", "anchor", "wiki"),
    [
        ("[the page](some%20page.md#part)", "the page", "some page.md", "part", False),
        ("[t](x.md 'title')", "t", "x.md", "", False),
        ("[t]\n\n[t]: <y z.md>", "t", "y z.md", "", False),
        ("[[Page]]", "Page", "Page", "", True),
        ("[[Page|shown]]", "shown", "Page", "", True),
        ("[[Page#Part|shown]]", "shown", "Page", "Part", True),
        ("[[#Part]]", "Part", "", "Part", True),
        ("<https://x.org/a>", "https://x.org/a", "https://x.org/a", "", False),
        ('[t]({% page "/x/y/#z" %})', "t", "/x/y/", "z", False),
        ("[t]({{ site.url }}/x)", "t", "/x", "", False),
    ],
)
def test_links_are_kept_as_written(
    written: str, text: str, target: str, anchor: str, wiki: bool
) -> None:
    block = blocks(f"See how {written}")[0]
    (link,) = block.links
    assert block.text[link.start : link.end] == text
    assert (link.target, link.anchor, link.wiki) == (target, anchor, wiki)


def test_images_struck_words_comments_and_tags_are_left_out() -> None:
    text = "One ![alt](i.png)two ~~not this~~ <!-- nor this -->three<br>four {% tag %}five{{ v }}."
    assert kinds(text) == [("paragraph", "One two three four five{{ v }}.")]


def test_a_tag_within_a_sentence_keeps_the_name_it_stands_for() -> None:
    assert kinds('Ask in {% channel "help" %} first.') == [("paragraph", "Ask in help first.")]


def test_a_nested_item_carries_what_introduces_it() -> None:
    found = blocks("We act. To deploy:\n\n- build\n  - on Linux\n\n    and more\n- ship\n")
    assert [(b.text, b.lead_in) for b in found[1:]] == [
        ("build", "To deploy:"),
        ("on Linux", "To deploy: > build"),
        ("and more", "To deploy: > build"),
        ("ship", "To deploy:"),
    ]


def test_a_paragraph_that_announces_nothing_introduces_nothing() -> None:
    assert blocks("The server is fine and runs on port 80.\n\n- item\n")[1].lead_in == ""


def test_a_later_paragraph_of_an_item_introduces_the_list_below_it() -> None:
    found = blocks("- Use a function.\n\n  Advantages:\n\n  - fast\n")
    assert found[2].lead_in == "Use a function. > Advantages:"


def test_task_boxes_become_a_state() -> None:
    found = blocks("- [ ] open\n- [x] done\n- plain\n")
    assert [(b.text, b.task) for b in found] == [("open", False), ("done", True), ("plain", None)]


def test_table_rows_have_cells_under_headers() -> None:
    (row,) = blocks("| A | B \\| C | D |\n|---|---|---|\n| 1 | x \\| `y` |\n")
    assert row.kind is BlockKind.TABLE_ROW
    assert [(c.header, c.text) for c in row.cells] == [("A", "1"), ("B | C", "x | y"), ("D", "")]
    assert row.text == "1 | x | y | "


def test_callouts_are_the_authors_words_and_quotes_are_not() -> None:
    assert kinds(
        "> [!note] Title\n> Ours.\n\n> **Warning:** ours\n\n> Theirs.\n> - and theirs\n"
    ) == [
        ("paragraph", "Title"),
        ("paragraph", "Ours."),
        ("paragraph", "Warning: ours"),
        ("quote", "Theirs."),
        ("quote", "and theirs"),
    ]


def test_headings_of_both_kinds_make_the_path() -> None:
    found = blocks("# A\n\nB\n-\n\nin b\n\n# C #\n\nin c\n\n> # Not one\n")
    assert [(b.text, b.heading_level, b.heading_path) for b in found[:5]] == [
        ("A", 1, ()),
        ("B", 2, ("A",)),
        ("in b", 0, ("A", "B")),
        ("C", 1, ()),
        ("in c", 0, ("C",)),
    ]
    assert found[5].kind is BlockKind.QUOTE


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_fenced_code_is_code_whatever_it_looks_like(fence: str) -> None:
    assert kinds(f"{fence}md\n# no heading\n- no item\n{fence}\n\nafter\n") == [
        ("code", "# no heading - no item"),
        ("paragraph", "after"),
    ]


def test_lists_of_links_are_navigation() -> None:
    found = kinds("- [Home](a)\n- [About us](b)\n- see [more](c)\n\n[Back to top](#top)\n")
    assert {kind for kind, _ in found} == {"navigation"}


def test_items_that_say_something_about_a_link_are_not_navigation() -> None:
    found = kinds("- [Guide](a) covers setup\n- [Rules](b) are binding\n- [Map](c)\n")
    assert [kind for kind, _ in found] == ["list_item"] * 3


def test_footnotes_are_read_where_they_stand_and_their_marks_are_not() -> None:
    assert kinds("A claim [^1].\n\n[^1]: The note.\n\nLast.\n") == [
        ("paragraph", "A claim."),
        ("paragraph", "The note."),
        ("paragraph", "Last."),
    ]


def test_a_definition_is_a_field_under_its_term() -> None:
    (block,) = blocks("Quota\n: 30 requests\n")
    assert (block.kind, block.key, block.text) == (BlockKind.FIELD, ("Quota",), "30 requests")


def test_html_blocks_are_read_as_html() -> None:
    text = "<h1>Name</h1>\n<p align=center>Some <b>words</b></p>\n\n<!-- not\n\nthis -->\n\nEnd.\n"
    assert kinds(text) == [("heading", "Name"), ("paragraph", "Some words"), ("paragraph", "End.")]


@pytest.mark.parametrize("space", ["\xa0", "\u2028", "\u3000 "])
def test_a_line_of_odd_white_space_is_blank(space: str) -> None:
    found = blocks(f"> {space}\n> one\n\n{space}\ntwo\n{space}\nthree{space}\n")
    assert [(b.text, b.span.line_start) for b in found] == [("one", 2), ("two", 5), ("three", 7)]


def test_heading_ids_and_attribute_lines_are_left_out() -> None:
    assert kinds("## Part {#part}\n\nWords.\n{: .note}\n") == [
        ("heading", "Part"),
        ("paragraph", "Words."),
    ]


def test_the_title_is_the_first_top_heading_else_the_first_one() -> None:
    assert parse("n.md", b"## Intro\n\n# Main\n").title == "Main"
    assert parse("n.md", b"## Intro\n\n### Sub\n").title == "Intro"
    assert parse("n.md", b"words\n").title == "n"


def test_a_very_long_paragraph_is_cut_between_sentences() -> None:
    found = blocks("This is a sentence of some words. " * 600)
    assert len(found) > 1
    assert all(block.text.endswith("words.") for block in found)
