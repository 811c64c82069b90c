"""Whatever the bytes, parsing ends soon and with a result, a problem or `Unparsable`."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_parse_spans import SAMPLES, faults

from hebbs_index.layers.parse import Unparsable, parse, restructuredtext

FORMAT_NAMES = ["a.md", "a.txt", "a.rst", "a.html"]

MARKDOWN_PIECES = (
    "# |## |- |* |1. |> |> [!note] |    |\t|\n|\n\n|  \n|```|~~~\n|`|``|**|*|_|~~|[|]|](|)|![|[[|"
    "]]|\\||[^1]|[^1]: |: |<br>|<!--|-->|<div>|</div>|&amp;|&|\\|\\*|---\n|===\n|| a | b |\n|"
    "|---|---|\n|{% x %}|{{ y }}|{: .z}|[a]: b\n|word|Zoë|$|http://x.y|\r\n|\r|\ufeff|\u2028"
)
RST_PIECES = (
    "====\n|----\n|- |* |1. |#. |    |  |\n|\n\n|::\n\n|.. |.. note::|.. foo:: bar\n   |"
    ".. image:: x\n|.. [1] |.. _a: b\n|.. |x| replace:: y\n|:f: |:pep:`8`|"
    ":func:`~a.b`|`|``|`a <b>`_|"
    "*|**|_|__|[1]_|||\\|+---+---+\n|| a | b |\n|===  ===\n|>>> |word|Zoë|PEP: 8\n|"
    "Title: x\n|\r\n|\x0b"
)
HTML_PIECES = (
    "<p>|</p>|<div class=nav>|</div>|<ul>|<li>|</ul>|<table>|<tr>|<td>|<th>|</table>|"
    "<b>|</b>|<a href='x>y'>|"
    "</a>|<pre>|</pre>|<code>|</code>|<h1>|</h1>|<dl>|<dt>|<dd>|<blockquote>|<br>|"
    "<!--|-->|<script>|"
    "</script>|<title>|</title>|<main>|</main>|"
    '<p title=">|&amp;|&eacute|&#65;|&notit;|&|<|>|word |Zoë|\n|'
    "\r\n|<td colspan=2 rowspan=3>|<input type=checkbox checked>|<template>|"
    "</template>|<svg>|<select>|\x0c"
)
YAML_PIECES = (
    "a: |b: |- |  |\n|'|\"|{|}|[|]|,|#|&x |*x|!!int |!t |>|\\|?|? |: |1|2024-01-01|"
    "yes|null|.nan|12:30:00|"
    "word|Zoë|\t|\\n|\r\n|---\n|...\n|%|@"
)


def _made_of(pieces: str) -> st.SearchStrategy[str]:
    parts = [piece for piece in pieces.split("|") if piece] + ["|", " "]
    return st.lists(st.sampled_from(parts), max_size=40).map("".join)


def _check(path: str, data: bytes) -> None:
    try:
        parsed = parse(path, data)
    except Unparsable as error:
        assert error.problem.reason
        return
    assert list(faults(parsed, data)) == []


@given(st.sampled_from(FORMAT_NAMES), st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_parsed_or_refused(path: str, data: bytes) -> None:
    _check(path, data)


@given(st.sampled_from(FORMAT_NAMES), st.text(max_size=120))
@settings(max_examples=150, deadline=None)
def test_any_text_keeps_its_places(path: str, text: str) -> None:
    _check(path, text.encode("utf-8", "surrogatepass"))


@given(_made_of(MARKDOWN_PIECES))
@settings(max_examples=300, deadline=None)
def test_any_markdown_keeps_its_places(text: str) -> None:
    _check("a.md", text.encode())


@given(_made_of(MARKDOWN_PIECES))
@settings(max_examples=150, deadline=None)
def test_any_plain_text_keeps_its_places(text: str) -> None:
    _check("a.txt", text.encode())


@given(_made_of(HTML_PIECES))
@settings(max_examples=300, deadline=None)
def test_any_html_keeps_its_places(text: str) -> None:
    _check("a.html", text.encode())


@given(_made_of(RST_PIECES))
@settings(max_examples=200, deadline=None)
def test_any_restructuredtext_gives_a_result_with_spans_in_the_file(text: str) -> None:
    parsed = parse("a.rst", text.encode())
    for block in parsed.blocks:
        assert len(block.text) == len(block.offsets) > 0
        assert 0 <= block.span.start < block.span.end <= len(text)
        assert all(0 <= offset < len(text) for offset in block.offsets)


@given(_made_of(YAML_PIECES))
@settings(max_examples=300, deadline=None)
def test_any_front_matter_is_read_or_noted(text: str) -> None:
    parsed = parse("a.md", f"---\n{text}\n---\nBody.\n".encode())
    for block in parsed.blocks:
        assert 0 <= block.span.start < block.span.end <= len(parsed.text)


HEAVY = {
    "brackets": "[" * 100_000,
    "backticks": "`a" * 50_000,
    "stars": "*a_ " * 25_000,
    "comments": "<!-- " * 20_000,
    "half tags": '<a b="' * 15_000,
    "open tags": "<div>" * 20_000,
    "references": "&amp" * 25_000,
    "tags of a template": "{% " * 30_000,
    "one line": "word " * 140_000,
    "one word": "x" * 700_000,
    "deep list": "".join("  " * level + "- a\n" for level in range(300)),
    "deep quote": "> " * 1_000 + "a",
    "deep indent": "".join(" " * level + "a\n\n" for level in range(300)),
    "many items": "- a\n" * 10_000,
    "many fields": "key: value\n" * 10_000,
    "wide table": "|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + "|b" * 3_000 + "|\n",
    "log": "2024-01-01 10:00:00 INFO started\n" * 10_000,
}


@pytest.mark.parametrize("path", FORMAT_NAMES)
@pytest.mark.parametrize("what", HEAVY)
def test_heavy_input_ends_soon(path: str, what: str) -> None:
    data = HEAVY[what].encode()
    started = time.perf_counter()
    try:
        parsed = parse(path, data)
        assert all(len(block.text) <= 8_000 for block in parsed.blocks)
    except Unparsable as error:
        assert "open within each other" in error.problem.reason
    assert time.perf_counter() - started < 20  # seconds, on a busy machine; most take far less


@pytest.mark.parametrize("levels", [50, 200])
def test_what_is_nested_too_deeply_is_noted(levels: int) -> None:
    text = "".join("  " * level + f"- item {level}\n" for level in range(levels))
    assert "nested" in parse("a.md", text.encode()).problems[0].reason


def test_a_document_docutils_cannot_read_is_read_as_plain_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_lines: list[str]) -> None:
        raise restructuredtext.DocutilsFailed("IndexError: no such state")

    monkeypatch.setattr(restructuredtext, "parse_tree", fail)
    parsed = parse("a.rst", b"Title: x\nDate: 2024\n\nSome words.\n")
    assert "plain text" in parsed.problems[0].reason
    assert [block.text for block in parsed.blocks] == ["x", "2024", "Some words."]


@pytest.mark.parametrize("path", SAMPLES)
def test_parsing_is_repeatable(path: str) -> None:
    data = SAMPLES[path].encode()
    assert parse(path, data) == parse(path, data)
