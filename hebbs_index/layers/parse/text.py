"""Plain text, by what people do to give it shape.

Paragraphs end at blank lines. Bullets and numbers make list items, with the line before them as
lead-in and deeper ones below shallower ones. `Key: value` lines are fields where they stand
alone or in a row. A heading is underlined, numbered like 1.2, marked with `#`, or a line of
its own in capitals. Indented text is a paragraph like any other; lines that begin with a time
stamp are a log, which is `CODE`: it says what happened to a machine, not how things are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hebbs_index.layers.parse.blocks import Draft, RichText
from hebbs_index.layers.parse.lists import introduction, join_lead_in
from hebbs_index.records import BlockKind

_BULLET = re.compile(r"([ \t]*)(?:[-*+•‣◦·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+(?=\S)")
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
_FIELD = re.compile(r"[ \t]*(?P<key>[^\W\d_][\w ./()&'-]{0,48}?)[ \t]*:[ \t]+(?P<value>\S.*)$")
_RULE = re.compile(r"[ \t]*([=\-~*_#.+^])\1{2,}[ \t]*$")
_UNDERLINE = re.compile(r"[ \t]*([=\-~^])\1{2,}[ \t]*$")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})+)\.?[ \t]+(?=[^\W\d_])")
_HASHES = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_LOG = re.compile(
    r"[ \t]*[\[(<]?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d/\w{3}/\d{4}:\d\d|"
    r"\w{3} [ \d]\d \d\d:\d\d:\d\d|"
    r"\d\d:\d\d:\d\d[.,\] ]|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[:\]|\t ])"
)
_QUOTED = re.compile(r"[ \t]*>[ \t]?")

_UNDERLINE_LEVELS = {"=": 1, "-": 2}
_CAPITALS_LEVEL = 2
_MAX_TITLE = 80  # characters of a line that can be a heading
_MAX_KEY_WORDS = 4
# Words before a colon that open a sentence instead of naming a field.
_NO_KEYS = frozenset(
    {"note", "notes", "warning", "tip", "important", "caution", "example", "hint", "ps", "p.s"}
    | {"todo", "update", "e.g", "i.e", "reminder", "fyi", "edit"}
)


def read(draft: Draft, first_line: int) -> None:
    """Read a plain text into `draft`, from line `first_line` (counted from 0) on."""
    reader = _Reader(draft)
    group: list[int] = []
    for number in range(first_line, len(draft.source)):
        if draft.source.line(number).strip(" \t\ufeff"):
            group.append(number)
        elif group:
            reader.group(group)
            group = []
    if group:
        reader.group(group)


@dataclass(slots=True)
class _Item:
    indent: int
    text: str
    lead_in: str


class _Reader:
    """Takes the groups of lines between blank lines and adds their blocks."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._source = draft.source
        self._before = ""  # the paragraph just before this place
        self._lead_in = ""  # of the list that is being read
        self._items: list[_Item] = []  # the item being read, below the ones that hold it

    def group(self, numbers: list[int]) -> None:
        lines = [self._source.line(number).removeprefix("\ufeff") for number in numbers]
        if self._is_log(lines):
            self._add(BlockKind.CODE, numbers)
            return
        if self._heading(numbers, lines):
            return
        while numbers:
            used = self._part(numbers, lines)
            numbers, lines = numbers[used:], lines[used:]

    def _is_log(self, lines: Sequence[str]) -> bool:
        logged = sum(1 for line in lines if _LOG.match(line))
        return len(lines) >= 2 and 2 * logged > len(lines)

    # -- headings

    def _heading(self, numbers: list[int], lines: list[str]) -> bool:
        """Take the lines of a heading off the front; True if nothing is left."""
        if len(lines) > 2 and _UNDERLINE.match(lines[0]) and _UNDERLINE.match(lines[2]):
            del numbers[0], lines[0]  # a line above the title as well
        if len(lines) > 1 and self._is_underlined(lines[0], lines[1]):
            level = _UNDERLINE_LEVELS.get(lines[1].strip()[0], 3)
            self._add_heading(numbers[0], 0, level)
            del numbers[:2], lines[:2]
        elif len(lines) == 1 and (found := _heading_line(lines[0])) is not None:
            self._add_heading(numbers[0], found[1], found[0])
            return True
        return not numbers

    def _is_underlined(self, line: str, below: str) -> bool:
        if not _UNDERLINE.match(below) or _RULE.match(line) or len(line.strip()) > _MAX_TITLE:
            return False
        return 0.6 < len(below.strip()) / max(len(line.strip()), 1) < 2.5

    def _add_heading(self, number: int, skip: int, level: int) -> None:
        rich = RichText()
        self._add_line(rich, number, skip)
        self._draft.add_heading(rich.finish(), level)
        self._end_list()
        self._before = ""

    # -- what is not a heading

    def _part(self, numbers: list[int], lines: list[str]) -> int:
        """Add the block that begins at the first line; return how many lines it took."""
        if _RULE.match(lines[0]):
            self._end_list()
            return 1
        if _QUOTED.match(lines[0]):
            return self._quote(numbers, lines)
        if _BULLET.match(lines[0]):
            return self._item(numbers, lines)
        if self._is_continuation(lines[0]):
            used = self._run(lines, stop_at_fields=False)
            self._add(BlockKind.LIST_ITEM, numbers[:used], lead_in=self._items[-1].lead_in)
            return used
        self._end_list()
        fields = self._fields(lines)
        if fields:
            self._add_fields(numbers, lines, fields)
            return fields
        used = self._run(lines, stop_at_fields=True)
        self._before = self._add(BlockKind.PARAGRAPH, numbers[:used])
        return used

    def _quote(self, numbers: list[int], lines: list[str]) -> int:
        used = next((i for i, line in enumerate(lines) if not _QUOTED.match(line)), len(lines))
        rich = RichText()
        for number, line in zip(numbers[:used], lines, strict=False):
            match = _QUOTED.match(line)
            self._add_line(rich, number, match.end() if match else 0)
        self._draft.add(BlockKind.QUOTE, rich.finish())
        self._before = ""
        return used

    def _run(self, lines: list[str], *, stop_at_fields: bool) -> int:
        """How many lines belong to the paragraph or item that begins with the first."""
        for i, line in enumerate(lines[1:], 1):
            if _BULLET.match(line) or _RULE.match(line) or _QUOTED.match(line):
                return i
            if stop_at_fields and self._fields(lines[i:]) > 1:
                return i
        return len(lines)

    # -- lists

    def _item(self, numbers: list[int], lines: list[str]) -> int:
        bullet = _BULLET.match(lines[0])
        mark = bullet.end() if bullet else 0
        indent = len(lines[0][:mark].expandtabs(4)) - len(lines[0][:mark].expandtabs(4).lstrip())
        used = self._run(lines, stop_at_fields=False)
        if not self._items:
            self._lead_in = introduction(self._before)
        while self._items and self._items[-1].indent >= indent:
            self._items.pop()
        lead_in = self._lead_in
        if self._items:
            lead_in = join_lead_in(self._items[-1].lead_in, self._items[-1].text)
        task = _TASK.match(lines[0], mark)
        done = task[1] != " " if task else None
        text = self._add(
            BlockKind.LIST_ITEM,
            numbers[:used],
            skip=task.end() if task else mark,
            lead_in=lead_in,
            task=done,
        )
        self._items.append(_Item(indent, text, lead_in))
        self._before = ""
        return used

    def _is_continuation(self, line: str) -> bool:
        """Whether a group goes on with the item before the blank line."""
        if not self._items:
            return False
        width = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        return width > self._items[-1].indent

    def _end_list(self) -> None:
        self._items = []
        self._lead_in = ""

    # -- fields

    def _fields(self, lines: list[str]) -> int:
        """How many lines from the first on are `key: value`; none if they are in prose."""
        count = 0
        while count < len(lines) and _is_field(lines[count]):
            count += 1
        if count == 0 or (count == 1 and len(lines) > 1):
            return 0
        return count

    def _add_fields(self, numbers: list[int], lines: list[str], count: int) -> None:
        for number, line in zip(numbers[:count], lines, strict=False):
            match = _FIELD.match(line)
            if match is not None:
                rich = RichText()
                self._add_line(rich, number, match.start("value"))
                self._draft.add(BlockKind.FIELD, rich.finish(), key=(match["key"].strip(),))
        self._before = ""

    # -- blocks

    def _add(
        self,
        kind: BlockKind,
        numbers: list[int],
        *,
        skip: int = 0,
        lead_in: str = "",
        task: bool | None = None,
    ) -> str:
        rich = RichText()
        for number in numbers:
            self._add_line(rich, number, skip if number == numbers[0] else 0)
        inline = rich.finish()
        self._draft.add(kind, inline, lead_in=lead_in, task=task)
        return inline.text

    def _add_line(self, rich: RichText, number: int, skip: int) -> None:
        """Append a line without its first `skip` characters (a byte order mark aside)."""
        line, start = self._source.line(number), self._source.starts[number]
        if line.startswith("\ufeff"):
            skip += 1
        if len(rich):
            rich.add(" ", [self._source.stops[number - 1]])
        rich.add_at(line[skip:], start + skip)


def _heading_line(line: str) -> tuple[int, int] | None:
    """The level of a heading that stands alone, and how many of its characters are marks."""
    bare = line.strip()
    if line[:1].isspace() or len(bare) > _MAX_TITLE or bare[-1] in ".,;!?":
        return None
    if hashes := _HASHES.match(line):
        return len(hashes[1]), hashes.end()
    if numbered := _NUMBERED.match(line):
        return numbered[1].count(".") + 1, 0
    letters = [character for character in bare if character.isalpha()]
    words = [word for word in bare.split() if any(map(str.isalpha, word))]
    if _BULLET.match(line) or ":" in bare[:-1] or len(letters) < 0.6 * len(bare.replace(" ", "")):
        return None
    if bare.upper() == bare and bare.lower() != bare and (len(words) > 1 or len(letters) > 4):
        return _CAPITALS_LEVEL, 0
    return None


def _is_field(line: str) -> bool:
    match = _FIELD.match(line)
    if match is None:
        return False
    key = match["key"].strip().lower()
    return key not in _NO_KEYS and len(key.split()) <= _MAX_KEY_WORDS
