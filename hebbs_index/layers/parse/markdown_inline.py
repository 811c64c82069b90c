"""Inline Markdown to plain text, with the source position of every character.

The reader walks the inline tokens of one block beside the block's content: each token says
how many characters of content it used up, so nothing is searched for. `where` gives the
source position of every content character.

Left out of the text: images, struck-out words (their author took them back), footnote marks,
inline HTML and template tags. A line break tag counts as a space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from markdown_it.token import Token

from hebbs_index.layers.parse.blocks import Inline, RichText
from hebbs_index.layers.parse.templates import MASK, link_target

_BREAK = re.compile(r"[ \t]*\\?\n[ \t]*")
_BREAK_TAG = re.compile(r"<br\b", re.IGNORECASE)


class InlineReader:
    """Reads the children of one inline token."""

    def __init__(self, source: str, content: str, where: Sequence[int]) -> None:
        self._source = source
        self._content = content
        self._where = where
        self._pos = 0
        self._rich = RichText()
        self._struck = 0
        self._strong: list[int] = []
        self._links: list[tuple[int, int]] = []  # text position, content position
        self._autolink = False

    def read(self, tokens: Sequence[Token]) -> Inline:
        """The text of the tokens."""
        for token in tokens:
            step = _STEPS.get(token.type)
            if step is not None:
                step(self, token)
        return self._rich.finish()

    def _add(self, start: int, end: int) -> None:
        """Take over content characters as they stand."""
        if self._struck or start >= end:
            return
        text, where = self._content[start:end], self._where[start:end]
        if MASK in text:
            kept = [(c, w) for c, w in zip(text, where, strict=True) if c != MASK]
            text, where = "".join(c for c, _ in kept), [w for _, w in kept]
        self._rich.add(text, where)

    def _text(self, token: Token) -> None:
        if self._autolink:
            end = self._content.find(">", self._pos)
            end = end if end >= 0 else len(self._content)
        else:
            if not self._content.startswith(token.content, self._pos):
                found = self._content.find(token.content, self._pos)
                self._pos = found if found >= 0 else self._pos
            end = self._pos + len(token.content)
        self._add(self._pos, end)
        self._pos = end

    def _special(self, token: Token) -> None:
        """An escaped character or a character reference."""
        length = len(token.markup)
        if token.content == token.markup:  # a backslash that escapes nothing
            self._add(self._pos, self._pos + length)
            self._pos += length
            return
        at = self._pos + 1 if token.info == "escape" else self._pos
        if not self._struck:
            place, end = self._where[at], self._where[self._pos + length - 1] + 1
            self._rich.add(token.content, [place] * len(token.content), end)
        self._pos += length

    def _line_break(self, _token: Token) -> None:
        match = _BREAK.match(self._content, self._pos)
        if match is None:
            return
        newline = self._content.index("\n", self._pos)
        if not self._struck:
            self._rich.add(" ", [self._where[newline]])
        self._pos = match.end()

    def _code(self, token: Token) -> None:
        fence = len(token.markup)
        start = self._pos + fence
        closing = re.compile(rf"(?<!`){token.markup}(?!`)").search(self._content, start)
        end = closing.start() if closing else len(self._content)
        self._pos = closing.end() if closing else end
        if self._struck:
            return
        inner = self._content[start:end]
        if inner[:1] in (" ", "\n") and inner[-1:] in (" ", "\n") and inner.strip(" \n"):
            start, end = start + 1, end - 1
        places = self._where[start:end]
        before = len(self._rich)
        self._rich.add("".join(map(self._source.__getitem__, places)), places)
        self._rich.mark_code(before)

    def _html(self, token: Token) -> None:
        if _BREAK_TAG.match(token.content) and not self._struck:
            self._rich.add(" ", [self._where[self._pos]])
        self._pos += len(token.content)

    def _open_strong(self, token: Token) -> None:
        self._strong.append(len(self._rich))
        self._pos += len(token.markup)

    def _close_strong(self, token: Token) -> None:
        start = self._strong.pop()
        if not self._strong:  # nested emphasis counts once
            self._rich.mark_strong(start)
        self._pos += len(token.markup)

    def _open_struck(self, token: Token) -> None:
        self._struck += 1
        self._pos += len(token.markup)

    def _close_struck(self, token: Token) -> None:
        self._struck -= 1
        self._pos += len(token.markup)

    def _open_link(self, token: Token) -> None:
        self._autolink = token.markup == "autolink"
        self._pos += 1
        self._links.append((len(self._rich), self._pos))
        self._address = str(token.attrGet("href") or "")

    def _close_link(self, token: Token) -> None:
        start, _ = self._links.pop()
        written_from = self._pos
        self._pos = self._pos + 1 if self._autolink else int(token.meta["end"])
        self._autolink = False
        address = unquote(self._address)
        if MASK in address:
            written = self._where[written_from], self._where[self._pos - 1] + 1
            address = link_target(self._source[written[0] : written[1]])
        if not self._struck:
            self._rich.mark_link(start, address)

    def _wiki_link(self, token: Token) -> None:
        meta = token.meta
        self._pos = meta["end"]
        if self._struck or token.content.strip() == "_TOC_":
            return
        before = len(self._rich)
        if not meta["embed"]:
            self._add_wiki_name(token)
        self._rich.mark_link(before, token.content, wiki=True)

    def _add_wiki_name(self, token: Token) -> None:
        """The alias if there is one, else the page name, else the section name."""
        start, end = token.meta["alias"]
        if start < 0 or not self._content[start:end].strip():
            start = token.meta["target"]
            name, _, _ = token.content.partition("#")
            end = start + len(name)
            if not name.strip():
                start, end = end + 1, start + len(token.content)
        self._add(start, end)

    def _skip(self, token: Token) -> None:
        self._rich.leave_out()
        self._pos = int(token.meta["end"])


_STEPS: dict[str, Callable[[InlineReader, Token], None]] = {
    "text": InlineReader._text,
    "text_special": InlineReader._special,
    "softbreak": InlineReader._line_break,
    "hardbreak": InlineReader._line_break,
    "code_inline": InlineReader._code,
    "html_inline": InlineReader._html,
    "strong_open": InlineReader._open_strong,
    "strong_close": InlineReader._close_strong,
    "em_open": InlineReader._open_strong,
    "em_close": InlineReader._close_strong,
    "s_open": InlineReader._open_struck,
    "s_close": InlineReader._close_struck,
    "link_open": InlineReader._open_link,
    "link_close": InlineReader._close_link,
    "wiki_link": InlineReader._wiki_link,
    "image": InlineReader._skip,
    "footnote_ref": InlineReader._skip,
}
