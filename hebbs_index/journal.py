"""The journals: what no file of the corpus holds, one JSON event a line.

`verdicts.jsonl` keeps rulings, undos and moves and is meant for git; `memory.jsonl` is
private. A line is only ever added, and it is on the disk before the database
learns of it. Reading survives whatever happens to such a file: a torn last line waits
until it is completed or ended, a damaged one is reported with its number and
passed over, an event that occurs twice counts once, an unknown kind is kept as it is. Two
clones' journals are merged by joining their lines; the order of lines means nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from hebbs_index.durable import append_file, replace_file
from hebbs_index.ids import document_id

VERDICTS = "verdicts.jsonl"
MEMORY = "memory.jsonl"
EVENT_VERSION = 1
_UNDO_DEPTH = 100  # undos of undos of undos; deeper ones, and circles, are forgeries
_LARGEST = 2**63 - 1  # what SQLite can hold

VERDICT = "verdict"
UNDO = "undo"
MOVE = "move"

IGNORE_TEXT = """\
# All of this folder is derived or private, except the rulings.
*
!.gitignore
!.gitattributes
!verdicts.jsonl
"""
ATTRIBUTES_TEXT = """\
# Lines are only added, and their order means nothing: join both sides of a merge.
verdicts.jsonl merge=union text eol=lf
"""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a journal. `id` is a ULID, `time_us` microseconds since the epoch (UTC)."""

    id: str
    time_us: int
    author: str
    type: str
    body: Mapping[str, Any]
    version: int = EVENT_VERSION

    @property
    def order(self) -> tuple[int, str]:
        """Sorts events by time; equal times by id, the same way everywhere."""
        return self.time_us, self.id

    @property
    def understood(self) -> bool:
        """Whether this program knows what the event's body means."""
        return self.version == EVENT_VERSION


@dataclass(frozen=True, slots=True)
class Position:
    """How much of a journal has been applied: a number of bytes and their hash."""

    bytes: int = 0
    hash: str = hashlib.sha256().hexdigest()


class Fault(NamedTuple):
    """A line that cannot be used, by number from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a journal gave.

    `anew` says that the journal no longer starts with what was applied (a git merge, an
    edit): then `events` are all of it and whatever came from it before is to be forgotten.
    """

    events: tuple[Event, ...]
    position: Position
    faults: tuple[Fault, ...] = ()
    anew: bool = False


START = Position()


def new_event(kind: str, body: Mapping[str, Any], *, author: str, time_us: int) -> Event:
    """Mint an event with an id of its own."""
    from ulid import ULID  # slow to import, and only writers need it

    stamp = (time_us // 1000).to_bytes(6, "big")
    return Event(str(ULID(stamp + os.urandom(10))), time_us, author, kind, dict(body))


class Journal:
    """One journal file. Whoever appends holds the write lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        """The name by which the store knows the journal."""
        return self.path.stem

    def append(self, events: Sequence[Event]) -> None:
        """Add events, one a line, and wait until the disk has them.

        A torn last line is ended first, so that it can spoil no event but itself. The folder is
        made if need be.
        """
        if not events:
            return
        prepare_folder(self.path.parent)
        start = b"" if self._ends_in_newline() else b"\n"
        append_file(self.path, start + b"".join(_line(event) for event in events))

    def _ends_in_newline(self) -> bool:
        try:
            with self.path.open("rb") as stream:
                if stream.seek(0, os.SEEK_END) == 0:
                    return True
                stream.seek(-1, os.SEEK_END)
                return stream.read(1) == b"\n"
        except FileNotFoundError:
            return True

    def read(self, since: Position = START) -> Reading:
        """Read what came after a position, or everything if the beginning has changed."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            data = b""
        anew = _hash(data[: since.bytes]) != since.hash or len(data) < since.bytes
        start = 0 if anew else since.bytes
        events, faults, used = _parse(data[start:], data.count(b"\n", 0, start))
        end = start + used
        return Reading(tuple(events), Position(end, _hash(data[:end])), tuple(faults), anew)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _line(event: Event) -> bytes:
    fields = {
        "id": event.id,
        "time_us": event.time_us,
        "author": event.author,
        "version": event.version,
        "type": event.type,
        "body": event.body,
    }
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    # Half characters have no UTF-8; the escape that takes their place is the one JSON has too.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _parse(data: bytes, lines_before: int) -> tuple[list[Event], list[Fault], int]:
    """Events and faults of some whole lines, and how many bytes are settled."""
    events: dict[str, Event] = {}
    faults: list[Fault] = []
    used = 0
    for number, line in enumerate(_lines(data), lines_before + 1):
        event = _event(line)
        if isinstance(event, str):
            if not line.endswith(b"\n"):
                break  # torn: it may be completed, or ended by the next append
            faults.append(Fault(number, event))
        elif event is not None and events.setdefault(event.id, event) != event:
            faults.append(Fault(number, f"event {event.id} occurs with two contents"))
        used += len(line)
    return list(events.values()), faults, used


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines with their newline; nothing else ends one, so a stray byte spoils a line at most."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def _event(line: bytes) -> Event | str | None:
    """The event of a line, None for an empty one, or what is wrong with it."""
    if not line.strip():
        return None
    try:
        fields = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return "not a line of JSON"
    if not isinstance(fields, dict):
        return "not a JSON object"
    for name, kind in _FIELDS.items():
        if not isinstance(fields.get(name), kind) or isinstance(fields[name], bool):
            return f"no usable {name}"
    if not (0 <= fields["time_us"] <= _LARGEST and 0 < fields["version"] <= _LARGEST):
        return "a number out of range"
    event = Event(**{name: fields[name] for name in _FIELDS})
    return _body_fault(event) or event


_FIELDS = {"id": str, "time_us": int, "author": str, "version": int, "type": str, "body": dict}


# ---------------------------------------------------------------- what events mean


def _body_fault(event: Event) -> str | None:
    """What keeps a kind of event that we know from being applied."""
    if not event.understood:
        return None
    body = event.body
    if event.type == VERDICT:
        return _verdict_fault(body)
    if event.type == UNDO and not isinstance(body.get("undoes"), str):
        return "an undo without the event it undoes"
    if event.type == MOVE and not all(
        isinstance(body.get(name), str) for name in ("document_id", "from", "to")
    ):
        return "a move without document_id, from and to"
    return None


def _verdict_fault(body: Mapping[str, Any]) -> str | None:
    if not isinstance(body.get("pair_key"), str):
        return "a verdict without a pair_key"
    if body.get("verdict") not in ("contradiction", "revision", "dismiss"):
        return f"an unknown verdict: {body.get('verdict')!r}"
    if body.get("supersedes") not in (None, "a", "b"):
        return "a verdict whose supersedes is neither a nor b"
    if not isinstance(body.get("confidence"), int | float) or isinstance(body["confidence"], bool):
        return "a verdict without a confidence"
    for side in ("a", "b"):
        half = body.get(side)
        names = ("statement_key", "entity", "sentence_key", "content")
        if not isinstance(half, dict) or not all(isinstance(half.get(n), str) for n in names):
            return f"a verdict without the statement of side {side}"
    return None


def undone(events: Iterable[Event]) -> set[str]:
    """Ids of the events that an undo, not itself undone, takes back."""
    undos: dict[str, list[str]] = {}
    for event in events:
        if event.type == UNDO and event.understood:
            undos.setdefault(str(event.body["undoes"]), []).append(event.id)
    taken_back: set[str] = set()
    for _round in range(_UNDO_DEPTH):
        now = {target for target, by in undos.items() if any(u not in taken_back for u in by)}
        if now == taken_back:
            break
        taken_back = now
    return taken_back


def fold_rulings(events: Iterable[Event]) -> dict[str, Event]:
    """The ruling in force for each pair key: the last one, by time, that is not undone."""
    events = list(events)
    taken_back = undone(events)
    rulings: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: event.order):
        if event.type == VERDICT and event.understood and event.id not in taken_back:
            rulings[str(event.body["pair_key"])] = event
    return rulings


@dataclass(frozen=True, slots=True)
class Births:
    """Which document a path holds, as far as moves have changed that.

    `here` maps a path to the document that a move left there, `left` a path to all documents
    that ever moved away from it.
    """

    here: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def document_id_for(self, path: str) -> str:
        """The id of the document at a path, whether it came there by a move or was born there.

        No document born at a path can have the id of one that has moved away.
        """
        if path in self.here:
            return self.here[path]
        gone = self.left.get(path, frozenset())
        return next(born for n in count() if (born := document_id(path, n)) not in gone)


def fold_moves(events: Iterable[Event]) -> Births:
    """Follow all moves that are not undone, in the order of their times."""
    events = list(events)
    taken_back = undone(events)
    here: dict[str, str] = {}
    place: dict[str, str] = {}
    left: dict[str, set[str]] = {}
    for event in sorted(events, key=lambda event: event.order):
        if event.type != MOVE or not event.understood or event.id in taken_back:
            continue
        document = str(event.body["document_id"])
        before = place.get(document)
        if before is not None and here.get(before) == document:
            del here[before]
        left.setdefault(str(event.body["from"]), set()).add(document)
        here[str(event.body["to"])] = document
        place[document] = str(event.body["to"])
    return Births(here, {path: frozenset(documents) for path, documents in left.items()})


def prepare_folder(folder: Path) -> None:
    """Make the folder of the index, which keeps git away from all but the rulings."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((".gitignore", IGNORE_TEXT), (".gitattributes", ATTRIBUTES_TEXT)):
        if not (folder / name).exists():
            replace_file(folder / name, text.encode("utf-8"))
