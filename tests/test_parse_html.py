"""HTML: what a reader sees, and what is only around it."""

from __future__ import annotations

import pytest

from hebbs_index.layers.parse import Unparsable, parse
from hebbs_index.layers.parse.html_source import scan
from hebbs_index.records import Block, BlockKind


def blocks(text: str) -> list[Block]:
    return list(parse("a.html", text.encode()).blocks)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks(text)]


def test_text_is_read_as_a_browser_shows_it() -> None:
    assert kinds("<p>A&nbsp;b &lt;c&gt; caf&eacute; &notit;<br>d <i>e</i>\n f<p>g") == [
        ("paragraph", "A b <c> café ¬it; d e f"),
        ("paragraph", "g"),
    ]


def test_what_nobody_sees_is_left_out() -> None:
    text = (
        "<script>if (a<b) {}</script><style>p{}</style><p hidden>x</p><p style='display:none'>y</p>"
        "<p>Seen <del>not</del> <button>no</button>so.<template><p>t</p></template>"
    )
    assert kinds(text) == [("paragraph", "Seen so.")]


@pytest.mark.parametrize(
    "around",
    [
        "<nav>{}</nav>",
        "<footer>{}</footer>",
        "<div class='left sidebar'>{}</div>",
        "<div role=navigation>{}</div>",
        "<header>{}</header>",
    ],
)
def test_what_is_around_the_page_is_navigation(around: str) -> None:
    text = around.format("<p>Menu words</p>") + "<p>The text.</p>"
    assert kinds(text) == [("navigation", "Menu words"), ("paragraph", "The text.")]


def test_with_a_main_element_all_else_is_navigation() -> None:
    assert kinds("<p>Site</p><main><h1>T</h1><p>Text</p></main><p>Foot</p>") == [
        ("navigation", "Site"),
        ("heading", "T"),
        ("paragraph", "Text"),
        ("navigation", "Foot"),
    ]


def test_data_tables_give_rows_and_layout_tables_their_content() -> None:
    data = "<table><tr><th>A<th>B<tr><td rowspan=2>r<td>1<tr><td>2<tr><td colspan=2>w</table>"
    rows = [[(c.header, c.text) for c in b.cells] for b in blocks(data)]
    assert rows == [
        [("A", "r"), ("B", "1")],
        [("A", "r"), ("B", "2")],
        [("A", "w"), ("B", "")],
    ]
    assert kinds("<table><tr><td><h2>H</h2>words</table>") == [
        ("heading", "H"),
        ("paragraph", "words"),
    ]


def test_lists_quotes_code_and_definitions_have_their_kinds() -> None:
    text = (
        "<p>Steps:<ul><li>a<ul><li>b</ul><li><input type=checkbox checked>c</ul>"
        "<blockquote>q</blockquote><pre>x  =\n 1</pre><dl><dt>T<dd>d</dl>"
    )
    found = blocks(text)
    assert [(b.kind.value, b.text, b.lead_in) for b in found[1:4]] == [
        ("list_item", "a", "Steps:"),
        ("list_item", "b", "Steps: > a"),
        ("list_item", "c", "Steps:"),
    ]
    assert found[3].task is True
    assert [b.kind.value for b in found[4:]] == ["quote", "code", "field"]
    assert found[-1].key == ("T",)


def test_the_title_and_meta_elements_are_front_matter() -> None:
    title = "<title>Page &amp; Site</title>"
    head = f"{title}<meta name=Author content='Z  B'><meta name=date content=2024>"
    parsed = parse("a.html", f"<head>{head}</head><p>x".encode())
    assert parsed.title == "Page & Site"
    assert parsed.front_matter == {"author": "Z B", "date": "2024"}
    assert parse("a.html", f"{head}<h1>Own</h1>".encode()).title == "Own"


def test_links_and_permalinks() -> None:
    (heading, block) = blocks("<h2>Part<a href=#p>¶</a></h2><p>See <a href='a%20b.html#c'>it</a>.")
    assert heading.text == "Part"
    (link,) = block.links
    assert (link.target, link.anchor, block.text[link.start : link.end]) == ("a b.html", "c", "it")


def test_words_in_attributes_and_skipped_parts_are_not_taken_for_the_text() -> None:
    text = "<button>word</button><p title='word > word'><!-- word -->word"
    (block,) = blocks(text)
    assert block.span.start == text.rindex("word")


def test_text_that_a_parser_moves_keeps_its_place() -> None:
    text = "<table>moved<tr><td>cell</table>"
    found = blocks(text)
    assert {b.text: b.span.start for b in found} == {
        "moved": text.index("moved"),
        "cell": text.index("cell"),
    }


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a<b c='>'>d", "ad"),
        ("a < b", "a < b"),
        ("a<!--x-->b<!>c", "abc"),
        ("a</b >b<?x?>c", "abc"),
        ("<script>a<b</script>c", "c"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a&amp;b&#65;&#x42;&nope;", "a&bAB&nope;"),
        ("a<b", "a"),
    ],
)
def test_the_stream_holds_the_text_between_tags(source: str, text: str) -> None:
    stream = scan(source)
    assert stream.text == text
    assert len(stream.places) == len(text)
    assert stream.places == sorted(stream.places)


def test_a_title_within_the_page_does_not_upset_the_places() -> None:
    text = "<p>word <br>x</p><svg><title>word</title></svg><title>y</title><p>x &amp; y"
    assert [(b.text, b.span.start) for b in blocks(text)] == [
        ("word x", text.index("word")),
        ("x & y", text.index("x &amp;")),
    ]


def test_a_page_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(Unparsable, match="open within each other"):
        parse("a.html", b"<div>" * 5_000)


def test_front_matter_before_html_is_read() -> None:
    parsed = parse("a.html", b"---\ntitle: T\n---\n<p>Words.")
    assert (parsed.title, parsed.blocks[-1].text, parsed.blocks[-1].kind) == (
        "T",
        "Words.",
        BlockKind.PARAGRAPH,
    )
