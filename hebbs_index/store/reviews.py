"""Events of the journals, and the rulings folded from them.

A ruling is kept by what the two statements say. Which pair it speaks of *now* is worked out
whenever it is read (the views `ruling_place` and `ruling_followed` of the schema): the
very pair while both statements stand somewhere, else the one flagged pair that was cut
from the same two sentences, if there is exactly one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from hebbs_index.ids import fold_entity
from hebbs_index.journal import UNDO, VERDICT, Event, Position, fold_rulings
from hebbs_index.records import VerdictKind
from hebbs_index.store.database import Database, Row, as_json
from hebbs_index.store.rows import RuledSide, Ruling


def journal_position(database: Database, name: str) -> Position:
    """How much of a journal has been applied."""
    rows = database.records(
        lambda row: Position(row["bytes"], row["hash"]),
        "SELECT bytes, hash FROM journal WHERE name = ?",
        (name,),
    )
    return rows[0] if rows else Position()


def apply_events(
    database: Database, events: Sequence[Event], name: str, position: Position, *, anew: bool
) -> int:
    """Take in events of a journal, whatever their order; how many were new.

    With `anew` the events are all there is: those that the journal no longer holds go.
    """
    with database.write():
        if anew:
            _forget_others(database, name, {event.id for event in events})
        added = sum(_put_event(database, event, name) for event in events)
        database.step("events:written")
        if added or anew:
            _fold(database)
        database.run(
            "INSERT OR REPLACE INTO journal (name, bytes, hash) VALUES (?, ?, ?)",
            (name, position.bytes, position.hash),
        )
        database.step("events:folded")
    database.step("events:committed")
    return added


def _forget_others(database: Database, name: str, kept: Iterable[str]) -> None:
    database.run(
        "DELETE FROM event WHERE journal = ? AND id NOT IN (SELECT value FROM json_each(?))",
        (name, as_json(sorted(kept))),
    )


def _put_event(database: Database, event: Event, name: str) -> int:
    return database.run(
        "INSERT OR IGNORE INTO event (id, journal, time_us, type, author, version, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            event.id,
            name,
            event.time_us,
            event.type,
            event.author,
            event.version,
            as_json(dict(event.body)),
        ),
    )


def events(
    database: Database, *, kinds: Collection[str] = (), journal: str | None = None
) -> list[Event]:
    """Applied events, of these types or of all, of one journal or of all, by time."""
    return database.records(
        _event,
        "SELECT * FROM event WHERE (?1 = '[]' OR type IN (SELECT value FROM json_each(?1)))"
        " AND (?2 IS NULL OR journal = ?2) ORDER BY time_us, id",
        (as_json(sorted(kinds)), journal),
    )


def _event(row: Row) -> Event:
    return Event(
        id=row["id"],
        time_us=row["time_us"],
        author=row["author"],
        type=row["type"],
        body=json.loads(row["body"]),
        version=row["version"],
    )


def _fold(database: Database) -> None:
    """Make the table of rulings what the events say."""
    rulings = fold_rulings(events(database, kinds=(VERDICT, UNDO)))
    database.run("DELETE FROM ruling")
    marks = ", ".join("?" * 15)
    database.run_many(
        f"INSERT INTO ruling VALUES ({marks})",
        [_ruling_values(pair_key, event) for pair_key, event in rulings.items()],
    )


def _ruling_values(pair_key: str, event: Event) -> tuple[Any, ...]:
    body = event.body
    sides: list[Any] = []
    for side in (body["a"], body["b"]):
        sides += [side["statement_key"], fold_entity(side["entity"]), side["sentence_key"]]
    return (
        pair_key,
        event.id,
        body["verdict"],
        float(body["confidence"]),
        str(body.get("reasoning") or ""),
        event.author,
        event.time_us,
        body.get("supersedes"),
        *sides,
        as_json(dict(body)),
    )


def rulings(database: Database) -> list[Ruling]:
    """Every ruling in force, by the pair it speaks of now, last decided first."""
    return database.records(
        _ruling,
        "SELECT ruling.*, place.pair_key AS present_key,"
        " place.key_a AS present_a, place.key_b AS present_b,"
        " EXISTS (SELECT 1 FROM proposition WHERE sentence_key = sentence_a)"
        " AND EXISTS (SELECT 1 FROM proposition WHERE sentence_key = sentence_b) AS has_sentences"
        " FROM ruling LEFT JOIN ruling_place AS place ON place.ruled_key = ruling.pair_key"
        " ORDER BY decided_us DESC, event_id DESC",
    )


def rulings_by_pair(database: Database) -> dict[str, Ruling]:
    """The ruling that settles each pair of present statements."""
    return {ruling.pair_key: ruling for ruling in rulings(database) if ruling.state == "ruled"}


def _ruling(row: Row) -> Ruling:
    body = json.loads(row["body"])
    present = row["present_key"]
    state = "ruled" if present else "unmatched" if row["has_sentences"] else "history"
    return Ruling(
        pair_key=present or row["pair_key"],
        ruled_key=row["pair_key"],
        event_id=row["event_id"],
        verdict=VerdictKind(row["verdict"]),
        confidence=row["confidence"],
        reasoning=row["reasoning"],
        author=row["author"],
        decided_us=row["decided_us"],
        supersedes=row["supersedes"],
        a=_side(row["key_a"], row["entity_a"], row["sentence_a"], body["a"]),
        b=_side(row["key_b"], row["entity_b"], row["sentence_b"], body["b"]),
        key_a=row["present_a"] or row["key_a"],
        key_b=row["present_b"] or row["key_b"],
        state=state,
        followed=bool(present) and present != row["pair_key"],
        body=body,
    )


def _side(key: str, entity: str, sentence: str, written: Mapping[str, Any]) -> RuledSide:
    known = ("statement_key", "entity", "sentence_key", "content")
    place = {name: value for name, value in written.items() if name not in known}
    return RuledSide(key, entity, sentence, str(written["content"]), place)
