"""YAML front matter: the fenced block of fields at the head of a file.

It is read event by event, without recursion, and never follows an alias, so neither deep nesting
nor an alias bomb costs anything. Values become what JSON can hold: dates as ISO text, anything
unusual as it is written. Each scalar is also a `FIELD` block at the place of its value.

What cannot be read never costs the rest of the file: it is noted, and the fenced lines are
skipped if they are closed.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from hebbs_index.layers.parse.align import Aligner
from hebbs_index.layers.parse.blocks import Draft, Inline, RichText, raw_inline
from hebbs_index.records import BlockKind

MAX_SIZE = 100_000  # characters
MAX_DEPTH = 20
MAX_NODES = 5_000

_FENCE = re.compile(r"---[ \t]*$")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_LOOKS_LIKE_FIELD = re.compile(r"[\w\"'][^:#\n]{0,80}:(?:[ \t]|$)")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()
# What PyYAML raises for a value that does not fit its tag ("!!int ''", "!!timestamp x").
_UNFIT = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_SEXAGESIMAL = re.compile(r"[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?$")  # YAML 1.1 reads 12:30 as 750


class _Refused(Exception):
    """Front matter that is not read, with the reason."""


@dataclass(slots=True)
class _Node:
    """A mapping or sequence that is being filled."""

    value: dict[str, Any] | list[Any]
    path: tuple[str, ...]
    key: str | None = None
    seen: set[str] = field(default_factory=set)


def read(draft: Draft) -> int:
    """Read the front matter into `draft` and return the number of lines that it takes up."""
    lines = draft.source.lines()
    if not _FENCE.match(lines[0].removeprefix("\ufeff")):
        return 0
    end = next((i for i, line in enumerate(lines[1:], 1) if _CLOSE.match(line)), None)
    looks = [bool(_LOOKS_LIKE_FIELD.match(line)) for line in lines[1 : end or 20]]
    if end is None:
        if looks and looks[0]:
            draft.note("front matter", "the front matter is not closed")
        return 0
    start, stop = draft.source.starts[1], draft.source.starts[end]
    try:
        found = _Reader(draft, start, stop).read()
    except (yaml.YAMLError, _Refused) as error:
        if not any(looks):
            return 0
        draft.note("front matter", _reason(error, first_line=2))
        return end + 1
    return end + 1 if found else 0


def _reason(error: Exception, first_line: int) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line = error.problem_mark.line + first_line
        return f"not valid YAML in line {line}: {error.problem or error.context}"
    if isinstance(error, _Refused):
        return str(error)
    return f"not valid YAML: {str(error).splitlines()[0]}"


class _Reader:
    """Reads one YAML mapping, collecting values and blocks, and hands them over at the end."""

    def __init__(self, draft: Draft, start: int, stop: int) -> None:
        self._draft = draft
        self._start = start
        self._stop = stop
        self._stack: list[_Node] = []
        self._fields: list[tuple[tuple[str, ...], Inline]] = []
        self._notes: list[str] = []
        self._root: dict[str, Any] | None = None

    def read(self) -> bool:
        """Whether this is front matter at all (a mapping, or nothing)."""
        if self._stop - self._start > MAX_SIZE:
            raise _Refused(f"front matter of more than {MAX_SIZE} characters is not read")
        text = self._draft.source.text[self._start : self._stop]
        for number, event in enumerate(self._events(text)):
            if number > MAX_NODES:
                raise _Refused(f"front matter of more than {MAX_NODES} values is not read")
            if not self._take(event):
                return False
        self._hand_over()
        return True

    def _events(self, text: str) -> Iterator[Any]:
        yield from yaml.parse(text, Loader=_LOADER)

    def _hand_over(self) -> None:
        self._draft.front_matter.update(self._root or {})
        for key, inline in self._fields:
            self._draft.add(BlockKind.FIELD, inline, key=key)
        for note in self._notes:
            self._draft.note("front matter", note)

    def _take(self, event: Any) -> bool:
        """Take one event in; False if the whole is no mapping."""
        if isinstance(event, yaml.MappingStartEvent):
            return self._open({}, event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._open([], event) and bool(self._stack)
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._stack.pop()
        elif isinstance(event, yaml.AliasEvent):
            if not self._stack:
                return False
            self._notes.append(f"the alias *{event.anchor} is not followed")
            self._put(None, "")
        elif isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        return True

    def _open(self, value: dict[str, Any] | list[Any], event: Any) -> bool:
        if len(self._stack) >= MAX_DEPTH:
            raise _Refused(f"front matter nested more than {MAX_DEPTH} levels deep is not read")
        if not self._stack:
            if self._root is not None or isinstance(value, list):
                return False
            self._root = value
            self._stack.append(_Node(value, ()))
            return True
        parent = self._stack[-1]
        if isinstance(parent.value, dict) and parent.key is None:
            line = event.start_mark.line + 2
            raise _Refused(f"not valid front matter: a list or mapping as a key in line {line}")
        path = self._path(parent)
        self._put(value, "")
        self._stack.append(_Node(value, path))
        return True

    def _path(self, parent: _Node) -> tuple[str, ...]:
        return parent.path if parent.key is None else (*parent.path, parent.key)

    def _put(self, value: Any, as_key: str) -> None:
        node = self._stack[-1]
        if isinstance(node.value, list):
            node.value.append(value)
        elif node.key is None:
            if as_key in node.seen:
                name = ".".join((*node.path, as_key))
                self._notes.append(f"the key {name} is given twice; the last one counts")
            node.seen.add(as_key)
            node.key = as_key
        else:
            node.value[node.key] = value
            node.key = None

    def _scalar(self, event: Any) -> bool:
        if not self._stack:
            return self._root is None and event.value == ""
        node = self._stack[-1]
        if isinstance(node.value, dict) and node.key is None:
            self._put(None, event.value)
            return True
        path = self._path(node)
        inline = self._inline(event)
        if inline.text and (event.style or event.value not in ("~", "null", "Null", "NULL")):
            self._fields.append((path, inline))
        self._put(_value(event), "")
        return True

    def _inline(self, event: Any) -> Inline:
        """The text of a scalar at its place in the source."""
        text = self._draft.source.text
        start = self._start + event.start_mark.index
        end = min(self._start + event.end_mark.index, self._stop)
        if event.style in ("'", '"'):
            start, end = start + 1, end - 1
        elif event.style in ("|", ">"):
            start = min(max(text.find("\n", start, end), text.find("\r", start, end), start), end)
        if text[start:end] == event.value:
            return raw_inline(text, start, end)
        rich = RichText()
        rich.add(event.value, Aligner(text, start, end).take(event.value))
        return rich.finish()


def _value(event: Any) -> Any:
    """The JSON-able value of a scalar event."""
    if event.style or (event.tag and not event.tag.startswith("tag:yaml.org,2002:")):
        return event.value
    if _SEXAGESIMAL.match(event.value):
        return event.value
    constructor = yaml.constructor.SafeConstructor()
    tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)
    try:
        value = constructor.construct_object(yaml.ScalarNode(tag, event.value))
    except _UNFIT:
        return event.value
    return _json_able(value, event.value)


def _json_able(value: Any, written: str) -> Any:
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return written
    return value if isinstance(value, str | int | float | bool | type(None)) else written
