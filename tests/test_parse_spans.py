"""Every character of every block can be cut from its source, in every format.

`faults` is the check itself; other tests of parsing use it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hebbs_index.layers.parse import FORMATS, Unparsable, parse
from hebbs_index.layers.parse.blocks import CELL_SEPARATOR
from hebbs_index.records import Block, ParsedFile

MARKDOWN = """\
---
title: "A \\"small\\" test"
owner:
  name: Zoë  # the lead
  teams: [core, 'web site']
summary: >
  Folded over
  two lines.
---

# Title with `code` &amp; \\*stars\\*

First **bold *and* nested** text with [a link](some%20page.md#part "title") and
[[Wiki page#Section|an alias]], ``a ` tick``, <https://example.org/x>, caf&eacute;,
![picture](p.png) and a ~~struck~~ word.\\
After a hard break.

To deploy:

1. Build it
   - on *Linux*
   - on Windows

     with a second paragraph
2. [x] Ship it

> [!warning] Mind the gap
> It is wide.

> Somebody else said this.

| Name | Rule \\| note |
|:-----|-----:|
| `a`  | x \\| **y** |
|      | [z](z.md) |

~~~python
print("no statement")
~~~

Setext heading
--------------

Tab\tand  double space.[^1]

[^1]: A footnote.

<div>Some <b>html</b> &lt;here&gt;</div>
"""

TEXT = """\
MEETING NOTES

Owner: Zoë
Due:   2024-05-01

The service listens on
port 8080.

Rules:
 - First one,
   continued
    * nested

 - Second one

Overview
========
> quoted

2024-01-01 10:00:00 INFO started
2024-01-01 10:00:01 INFO stopped
"""

RST = """\
PEP: 9999
Title: A test
  of headers
Status: Draft

=====
Title
=====

:Author: Zoë

Text with *emphasis*, ``code  here``, `a link
<https://example.org/x>`_, a Name_, :pep:`8`, :func:`~a.b.run` and \\*stars\\* [1]_.

Steps:

* one
  more

  second paragraph

  - nested

Term
    Its definition.

As she wrote:

    We never do that.

.. note:: Mind this.

.. versionadded:: 2.0
   The option is new.

::

    literal block

+-------+---------+
| Name  | Value   |
+=======+=========+
| first | one and |
|       | more    |
+-------+---------+

===== =====
A     B
===== =====
left  right
===== =====

.. _Name: https://example.org/
.. [1] A footnote.
"""

HTML = """\
<!doctype html>
<html><head><title>Page &amp; more</title><meta name="author" content="Zoë"></head>
<body><nav><a href="/">Home</a></nav><main>
<h1>The <em>page</em></h1>
<p title="not > this">Caf&eacute;&nbsp;&lt;open&gt; <a href="x%20y.html#s">a link</a><br>
next <code>x  =  1</code> &notit; <!-- gone --> end.
<p>Steps:</p><ul><li>One<li>Two<ul><li>deep</ul></ul>
<table><tr><th>A<th>B<tr><td rowspan=2>r<td>1<tr><td>2</table>
<dl><dt>Term<dd>Definition</dl>
<blockquote>Not ours</blockquote><pre>
code
</pre></main></body></html>
"""

SAMPLES = {"a.md": MARKDOWN, "a.txt": TEXT, "a.rst": RST, "a.html": HTML}


def faults(parsed: ParsedFile, data: bytes) -> Iterator[str]:
    """What is wrong with the positions of a parsed file; nothing if all is well."""
    source = data.decode(parsed.encoding)
    if source != parsed.text:
        yield "the text is not the decoded source"
    for block in parsed.blocks:
        where = f"{block.kind} in line {block.span.line_start}: {block.text[:60]!r}"
        yield from (f"{fault} ({where})" for fault in _block_faults(block, source))


def _block_faults(block: Block, source: str) -> Iterator[str]:
    if not block.text or len(block.text) != len(block.offsets):
        yield "not one offset a character"
        return
    separators = _separators(block)
    yield from _text_faults(block.text, block.offsets, source, separators)
    if not block.cells and list(block.offsets) != sorted(block.offsets):
        yield "offsets fall"
    for cell in block.cells:
        yield from _text_faults(cell.text, cell.offsets, source, frozenset())
        if list(cell.offsets) != sorted(cell.offsets):
            yield "offsets of a cell fall"
    yield from _span_faults(block, source)
    if not block.cells and block.text != " ".join(block.text.split()):
        yield "white space is not folded"
    ranges = [*block.code, *block.strong, *((link.start, link.end) for link in block.links)]
    if any(not 0 <= start <= end <= len(block.text) for start, end in ranges):
        yield "a range lies outside of the text"


def _separators(block: Block) -> frozenset[int]:
    """The positions of a row's text that no cell holds."""
    found: list[int] = []
    at = 0
    for cell in block.cells[:-1]:
        at += len(cell.text)
        found.extend(range(at, at + len(CELL_SEPARATOR)))
        at += len(CELL_SEPARATOR)
    return frozenset(found)


def _text_faults(
    text: str, offsets: Sequence[int], source: str, ignored: frozenset[int]
) -> Iterator[str]:
    for at, (character, offset) in enumerate(zip(text, offsets, strict=True)):
        found = source[offset]
        # A reference stands at its "&", what a role writes itself at the role's colon.
        if at in ignored or found == character or found in "&:":
            continue
        if character == " " and (found.isspace() or found == "<"):
            continue
        near = text[max(0, at - 20) : at + 5]
        yield f"{character!r} is said to stand at {found!r}, near {near!r}"
        return


def _span_faults(block: Block, source: str) -> Iterator[str]:
    span = block.span
    if not span.start <= min(block.offsets) <= max(block.offsets) < span.end <= len(source):
        yield f"the span {span} does not hold the offsets"
    before = source[: span.start].replace("\r\n", "\n").replace("\r", "\n")
    if (
        source[span.start - 1 : span.start + 1] != "\r\n"
        and before.count("\n") != span.line_start - 1
    ):
        yield f"the span {span} does not begin in its line"


@pytest.mark.parametrize("path", SAMPLES)
def test_every_character_stands_where_it_is_said_to(path: str) -> None:
    data = SAMPLES[path].encode()
    assert list(faults(parse(path, data), data)) == []


@pytest.mark.parametrize("path", SAMPLES)
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_change_places_and_nothing_else(path: str, line_end: str) -> None:
    plain = parse(path, SAMPLES[path].encode())
    data = SAMPLES[path].replace("\n", line_end).encode()
    parsed = parse(path, data)
    assert list(faults(parsed, data)) == []
    assert [_without_places(b) for b in parsed.blocks] == [_without_places(b) for b in plain.blocks]
    assert parsed.front_matter == plain.front_matter


def _without_places(block: Block) -> tuple[object, ...]:
    cells = [(cell.header, cell.text) for cell in block.cells]
    lines = block.span.line_start, block.span.line_end
    ranges = block.code, block.strong, block.links
    return (
        block.kind,
        block.text,
        block.lead_in,
        block.key,
        block.heading_path,
        cells,
        lines,
        ranges,
    )


@pytest.mark.parametrize("path", SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_shifts_places_and_nothing_else(path: str, encoding: str) -> None:
    plain = parse(path, SAMPLES[path].encode())
    data = SAMPLES[path].encode(encoding)
    parsed = parse(path, data)
    assert list(faults(parsed, data)) == []
    assert [_without_places(b) for b in parsed.blocks] == [_without_places(b) for b in plain.blocks]


@pytest.mark.parametrize("suffix", [".md", ".rst"])
def test_real_documents_parse_with_every_character_in_its_place(
    corpora_folder: Path, suffix: str
) -> None:
    paths = [p for p in sorted(corpora_folder.rglob(f"*{suffix}")) if p.is_file()][::5]
    found: list[str] = []
    for path in paths:
        data = path.read_bytes()
        found.extend(f"{path.name}: {fault}" for fault in faults(parse(str(path), data), data))
    assert len(found) <= len(paths) // 20, found[:5]
    assert suffix != ".md" or not found


def test_the_same_markdown_as_text_loses_no_words(corpora_folder: Path) -> None:
    path = next(iter(sorted(corpora_folder.rglob("*.md"))))
    data = path.read_bytes()
    for name in ("a.txt", "a.rst", "a.html", "a.md"):
        assert list(faults(parse(name, data), data)) == []


def test_each_suffix_has_a_reader() -> None:
    for suffix, name in FORMATS.items():
        assert parse(f"a{suffix.upper()}", b"Some words.").format == name


def test_an_empty_file_has_no_blocks_and_its_name_as_title() -> None:
    for suffix in FORMATS:
        parsed = parse(f"notes/alpha{suffix}", b"")
        assert (parsed.blocks, parsed.title) == ((), "alpha")


def test_a_binary_file_is_refused_by_name() -> None:
    with pytest.raises(Unparsable) as caught:
        parse("a.md", b"\x00\x01\x02" * 50)
    assert caught.value.problem.path == "a.md"
