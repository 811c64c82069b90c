"""The text of an HTML source with the place of every character, tags left out.

The HTML parser gives text without positions. `scan` goes over the source once, as a browser's
tokenizer would (tags, quoted attributes, comments, raw text elements, character references),
and joins all text between tags into one stream. Text found in the tree is then looked up in the
stream, from the last place on.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

MAX_DEPTH = 512  # elements open at once

_MAX_FAILURES = 200  # texts looked for from the start, in one page
_SLACK = 200  # white space before text that is passed over

_TAG_NAME = re.compile(r"/?([a-zA-Z][^\s/>]*)")
_TAG_STEP = re.compile(r">|=\s*([\"'])")
_REFERENCE = re.compile(r"&(?:#[xX][0-9a-fA-F]+;?|#[0-9]+;?|[a-zA-Z][a-zA-Z0-9]*;?)|\r\n?")

_SILENT = frozenset({"script", "style", "iframe", "noembed", "noframes", "xmp"})
_RAW = _SILENT | {"title", "textarea"}
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"}
    | {"wbr", "param", "command", "keygen"}
)
# Elements that end by themselves when the next one begins: a page may leave them all open.
_SELF_ENDING = frozenset(
    {"p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup"}
    | {"colgroup", "rt", "rp", "html", "head", "body"}
)


@dataclass(slots=True)
class Stream:
    """All text of a source: `text[i]` stands at `places[i]`."""

    text: str = ""
    places: list[int] = field(default_factory=list)
    depth: int = 0  # the most elements that are open at once
    cursor: int = 0
    failures: int = 0

    def find(self, text: str) -> int:
        """The position in the stream of the next occurrence of `text`, -1 if there is none.

        Text that a parser moved (out of a table, say) is looked for from the start, but not
        often enough to make a broken page slow.
        """
        found = self.text.find(text, self.cursor)
        if found < 0 and self.failures < _MAX_FAILURES:
            self.failures += 1
            return self.text.find(text)
        if found >= 0:
            self.cursor = found + len(text)
        return found

    def pass_over(self, text: str) -> None:
        """Move behind text that is not read, if it comes next."""
        core = text.strip()
        found = self.text.find(core, self.cursor, self.cursor + len(core) + _SLACK)
        if core and found >= 0:
            self.cursor = found + len(core)


class _Scanner:
    def __init__(self, source: str) -> None:
        self._source = source
        self._pos = 0
        self._end = len(source)
        self._parts: list[str] = []
        self._places: list[int] = []
        self._depth = 0
        self._deepest = 0

    def run(self) -> Stream:
        source, end = self._source, self._end
        while self._pos < end:
            tag = source.find("<", self._pos, end)
            if tag < 0:
                self._text(self._pos, end)
                break
            after = source[tag + 1 : tag + 2]
            if not (after.isascii() and after.isalpha()) and after not in ("/", "!", "?"):
                self._text(self._pos, tag + 1)
                self._pos = tag + 1
                continue
            self._text(self._pos, tag)
            self._tag(tag, after)
        return Stream("".join(self._parts), self._places, self._deepest)

    def _tag(self, tag: int, after: str) -> None:
        source, end = self._source, self._end
        name = _TAG_NAME.match(source, tag + 1, end)
        if name is None:
            self._pos = self._comment_end(tag, after)
            return
        self._pos = self._tag_end(name.end())
        word = name[1].lower()
        if word in _VOID or word in _SELF_ENDING:
            return
        if after == "/":
            self._depth = max(0, self._depth - 1)
            return
        if word in _RAW:
            self._raw_text(word)
        elif source[self._pos - 2 : self._pos - 1] != "/":
            self._depth += 1
            self._deepest = max(self._deepest, self._depth)

    def _comment_end(self, tag: int, after: str) -> int:
        source, end = self._source, self._end
        if after == "!" and source.startswith("<!--", tag):
            if source.startswith((">", "->"), tag + 4):
                return source.index(">", tag) + 1
            close = re.compile(r"--!?>").search(source, tag + 4, end)
            return close.end() if close else end
        close_at = source.find(">", tag, end)
        return close_at + 1 if close_at >= 0 else end

    def _tag_end(self, at: int) -> int:
        source, end = self._source, self._end
        while True:
            step = _TAG_STEP.search(source, at, end)
            if step is None:
                return end
            if step[1] is None:
                return step.end()
            close = source.find(step[1], step.end(), end)
            if close < 0:
                return end
            at = close + 1

    def _raw_text(self, name: str) -> None:
        close = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(
            self._source, self._pos, self._end
        )
        stop = close.start() if close else self._end
        if name not in _SILENT:
            self._text(self._pos, stop)
        self._pos = stop

    def _text(self, start: int, end: int) -> None:
        """Add source characters, references resolved and line ends made one character."""
        source = self._source
        last = start
        for match in _REFERENCE.finditer(source, start, end):
            written = match[0]
            text = "\n" if written[0] == "\r" else html.unescape(written)
            if text == written:
                continue
            self._plain(last, match.start())
            last = match.end()
            self._parts.append(text)
            # "&notit;" may be "¬" and "it;": the tail stands where it is written.
            tail = 0
            while tail < len(text) - 1 and text[-1 - tail] == written[-1 - tail]:
                tail += 1
            self._places.extend([match.start()] * (len(text) - tail))
            self._places.extend(range(last - tail, last))
        self._plain(last, end)

    def _plain(self, start: int, end: int) -> None:
        if start < end:
            self._parts.append(self._source[start:end])
            self._places.extend(range(start, end))


def scan(source: str, base: int = 0) -> Stream:
    """The text stream of a source that itself begins at position `base` of the file."""
    stream = _Scanner(source).run()
    if base:
        stream.places = [place + base for place in stream.places]
    return stream
