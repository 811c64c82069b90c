"""Plain text, by what people do to give it shape.

Paragraphs end at blank lines. Bullets and numbers make list items, with the line before them as
lead-in and deeper ones below shallower ones. `Key: value` lines are fields where they stand
alone or in a row. A heading is underlined, numbered like 1.2, marked with `#`, or a line of
its own in capitals. Indented text is a paragraph like any other. Lines that begin with a time
stamp are a log, which is `CODE` (it says what happened to a machine, not how things are), and
so are lines that begin with a prompt.
"""

from __future__ import annotations

import re
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
_COMMAND = re.compile(r"[ \t]*(?:\$ |>>> |\.\.\. )|[ \t]+[#%] ")
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
    first: int | None = None
    for number in range(first_line, len(draft.source)):
        blank = not draft.source.line(number).strip(" \t\ufeff\x0c\xa0")
        if blank and first is not None:
            reader.group(first, number)
        if blank or first is None:
            first = None if blank else number
    if first is not None:
        reader.group(first, len(draft.source))


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
        self._first = 0  # number of the first line of the present group
        self._lines: list[str] = []  # the present group
        self._before = ""  # the paragraph just before this place
        self._lead_in = ""  # of the list that is being read
        self._items: list[_Item] = []  # the item being read, below the ones that hold it

    def group(self, first: int, end: int) -> None:
        """Read the lines from `first` to before `end`."""
        self._first = first
        self._lines = [self._source.line(n).removeprefix("\ufeff") for n in range(first, end)]
        if self._is_log() or all(map(_COMMAND.match, self._lines)):
            self._add(BlockKind.CODE, 0, len(self._lines))
            return
        at = self._heading()
        while at < len(self._lines):
            at = self._part(at)

    def _is_log(self) -> bool:
        logged = sum(1 for line in self._lines if _LOG.match(line))
        return len(self._lines) >= 2 and 2 * logged > len(self._lines)

    # -- headings

    def _heading(self) -> int:
        """Take a heading at the beginning of the group; return how many lines it took."""
        lines = self._lines
        if len(lines) == 1:
            found = _heading_line(lines[0])
            if found is None:
                return 0
            self._add_heading(0, found[1], found[0])
            return 1
        over = 1 if len(lines) > 2 and _UNDERLINE.match(lines[0]) else 0
        if not _is_underlined(lines[over], lines[over + 1]):
            return 0
        self._add_heading(over, 0, _UNDERLINE_LEVELS.get(lines[over + 1].strip()[0], 3))
        return over + 2

    def _add_heading(self, at: int, skip: int, level: int) -> None:
        rich = RichText()
        self._add_line(rich, at, skip)
        self._draft.add_heading(rich.finish(), level)
        self._end_list()
        self._before = ""

    # -- what is not a heading

    def _part(self, at: int) -> int:
        """Add the block that begins at a line of the group; return where the next one begins."""
        line = self._lines[at]
        if _RULE.match(line):
            self._end_list()
            return at + 1
        if _QUOTED.match(line):
            return self._quote(at)
        if _BULLET.match(line):
            return self._item(at)
        if self._goes_on(line):
            end = self._run(at, stop_at_fields=False)
            self._add(BlockKind.LIST_ITEM, at, end, lead_in=self._items[-1].lead_in)
            return end
        self._end_list()
        end = self._fields(at)
        if end > at:
            return self._add_fields(at, end)
        end = self._run(at, stop_at_fields=True)
        self._before = self._add(BlockKind.PARAGRAPH, at, end)
        return end

    def _quote(self, at: int) -> int:
        rich = RichText()
        end = at
        while end < len(self._lines) and (match := _QUOTED.match(self._lines[end])):
            self._add_line(rich, end, match.end())
            end += 1
        self._draft.add(BlockKind.QUOTE, rich.finish())
        self._before = ""
        return end

    def _run(self, at: int, *, stop_at_fields: bool) -> int:
        """Where the paragraph or item that begins at a line ends."""
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end]
            if _BULLET.match(line) or _RULE.match(line) or _QUOTED.match(line):
                return end
            if stop_at_fields and _is_field(line) and self._fields(end) > end + 1:
                return end
        return len(self._lines)

    # -- lists

    def _item(self, at: int) -> int:
        line = self._lines[at]
        bullet = _BULLET.match(line)
        mark = bullet.end() if bullet else 0
        end = self._run(at, stop_at_fields=False)
        if not self._items:
            self._lead_in = introduction(self._before)
        while self._items and self._items[-1].indent >= _indent(line):
            self._items.pop()
        lead_in = self._lead_in
        if self._items:
            lead_in = join_lead_in(self._items[-1].lead_in, self._items[-1].text)
        task = _TASK.match(line, mark)
        done = task[1] != " " if task else None
        skip = task.end() if task else mark
        text = self._add(BlockKind.LIST_ITEM, at, end, skip=skip, lead_in=lead_in, task=done)
        self._items.append(_Item(_indent(line), text, lead_in))
        self._before = ""
        return end

    def _goes_on(self, line: str) -> bool:
        """Whether an item read before goes on here; the items within it have ended then."""
        holding = [item for item in self._items if item.indent < _indent(line)]
        if holding:
            self._items = holding
        return bool(holding)

    def _end_list(self) -> None:
        self._items = []
        self._lead_in = ""

    # -- fields

    def _fields(self, at: int) -> int:
        """Where the `key: value` lines from here on end; here, if they are within prose."""
        end = at
        while end < len(self._lines) and _is_field(self._lines[end]):
            end += 1
        return at if end == at + 1 and len(self._lines) - at > 1 else end

    def _add_fields(self, at: int, end: int) -> int:
        for number in range(at, end):
            match = _FIELD.match(self._lines[number])
            if match is not None:
                rich = RichText()
                self._add_line(rich, number, match.start("value"))
                self._draft.add(BlockKind.FIELD, rich.finish(), key=(match["key"].strip(),))
        self._before = ""
        return end

    # -- blocks

    def _add(
        self,
        kind: BlockKind,
        at: int,
        end: int,
        *,
        skip: int = 0,
        lead_in: str = "",
        task: bool | None = None,
    ) -> str:
        rich = RichText()
        for number in range(at, end):
            self._add_line(rich, number, skip if number == at else 0)
        inline = rich.finish()
        self._draft.add(kind, inline, lead_in=lead_in, task=task)
        return inline.text

    def _add_line(self, rich: RichText, at: int, skip: int) -> None:
        """Append a line of the group without its first characters."""
        number = self._first + at
        line = self._lines[at]
        if len(rich):
            rich.add(" ", [self._source.stops[number - 1]])
        rich.add_at(line[skip:], self._source.stops[number] - len(line) + skip)


def _indent(line: str) -> int:
    """The columns of white space before a line's text."""
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _is_underlined(line: str, below: str) -> bool:
    if not _UNDERLINE.match(below) or _RULE.match(line) or len(line.strip()) > _MAX_TITLE:
        return False
    return 0.6 < len(below.strip()) / max(len(line.strip()), 1) < 2.5


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
