"""Finding again in the source what a parser handed over without its place.

docutils gives lines for blocks only and PyYAML decodes escapes; both keep the order of the
text, and docutils its line ends too. So a forward scan finds each word after the one before
it, on the same line as far as lines are known. What the source spells in another way (an
escape, a role that writes its own text) stays at the place reached so far: a stray word never
breaks the rest.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"\r\n?|\n|[^\r\n]+")
_PIECE = re.compile(r"\s+|\S+")
_SPACE = re.compile(r"[^\sA-Za-z0-9]{0,12}(\s)[ \t]*")
_LINE_END = re.compile(r"\r\n?|\n|$")

_LOOK_AHEAD = 400  # source characters in which the next word of a text is looked for
_LOOK_AHEAD_ON_LINE = 120  # ... when its line is known
_LOOK_AHEAD_CHARACTER = 8  # ... and the next character of a word that is written otherwise


class Aligner:
    """A place in a source text that moves forward as text is found.

    With `by_line`, a line end in the text is a line end in the source, and a word is looked for
    on its line first.
    """

    def __init__(
        self, source: str, start: int = 0, end: int | None = None, *, by_line: bool = False
    ) -> None:
        self.source = source
        self.pos = start
        self._end = len(source) if end is None else end
        self._by_line = by_line
        self.margin = 0  # columns that are not looked at on the next lines (other cells)

    def take(self, text: str) -> list[int]:
        """The source position of every character of `text`, found from here on."""
        where: list[int] = []
        for line in _LINE.findall(text):
            if line[0] in "\r\n":
                place = self._take_line_end() if self._by_line else self._take_space()
                where.extend([place] * len(line))
            else:
                self._take_line(line, where)
        return where

    def _take_line(self, line: str, where: list[int]) -> None:
        """Text without line ends: in one piece if it stands so in the source, else by words."""
        found = self._find(line) if not line.isspace() else -1
        if found >= 0:
            where.extend(range(found, found + len(line)))
            self.pos = found + len(line)
            return
        for piece in _PIECE.findall(line):
            if piece.isspace():
                where.extend([self._take_space()] * len(piece))
            else:
                self._take_word(piece, where)

    def _here(self) -> int:
        return min(self.pos, max(self._end - 1, 0))

    def _line_end(self) -> re.Match[str] | None:
        return _LINE_END.search(self.source, self.pos, self._end)

    def _take_line_end(self) -> int:
        match = self._line_end()
        if match is None:
            return self._here()
        place = min(match.start(), max(self._end - 1, 0))
        self.pos = match.end()
        next_end = self._line_end()
        if next_end is not None:
            self.pos = min(self.pos + self.margin, next_end.start())
        return place

    def _take_space(self) -> int:
        match = _SPACE.match(self.source, self.pos, self._end)
        if match is None:
            return self._here()
        self.pos = match.end()
        return match.start(1)

    def _take_word(self, word: str, where: list[int]) -> None:
        found = self._find(word)
        if found >= 0:
            where.extend(range(found, found + len(word)))
            self.pos = found + len(word)
            return
        for character in word:
            limit = min(self._end, self.pos + _LOOK_AHEAD_CHARACTER)
            found = self.source.find(character, self.pos, limit)
            if found < 0:
                where.append(self._here())
            else:
                where.append(found)
                self.pos = found + 1

    def _find(self, word: str) -> int:
        if self.source.startswith(word, self.pos):
            return self.pos
        if self._by_line:
            line_end = self._line_end()
            limit = line_end.start() if line_end is not None else self._end
            limit = min(limit, self.pos + _LOOK_AHEAD_ON_LINE + len(word))
            return self.source.find(word, self.pos, limit)
        return self.source.find(word, self.pos, min(self._end, self.pos + _LOOK_AHEAD + len(word)))

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Move behind a match of the pattern that begins here."""
        match = pattern.match(self.source, self.pos, self._end)
        if match is not None:
            self.pos = match.end()

    def skip_to(self, word: str, limit: int) -> None:
        """Move to the next place of a word, if it is within `limit` characters."""
        found = self.source.find(word, self.pos, min(self._end, self.pos + limit))
        if found >= 0:
            self.pos = found
