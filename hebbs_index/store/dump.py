"""Everything derived, as plain sorted data, to compare two indexes.

No row numbers, times or order of arrival are in it: two indexes of the same files with the same
journals give equal dumps, whatever happened on the way.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hebbs_index.store.database import Database, Row
from hebbs_index.store.edges import edges_of
from hebbs_index.store.reviews import rulings

_PROPOSITIONS = (
    "SELECT proposition.*, statement.statement_key, statement.declared_entity,"
    " statement.content_hash FROM proposition JOIN statement ON statement.id = statement_id"
)
_PENDING = (
    "SELECT pending.*, a.statement_key AS key_a, a.declared_entity AS entity_a,"
    " a.content_hash AS content_a, b.statement_key AS key_b, b.declared_entity AS entity_b,"
    " b.content_hash AS content_b FROM pending"
    " JOIN statement AS a ON a.id = statement_a JOIN statement AS b ON b.id = statement_b"
)


_VECTORS = "SELECT text_hash, data, floor_product, floor_key, gone FROM vector"


def dump_derived(database: Database) -> dict[str, Any]:
    """Plain data by name; equal for equal indexes."""
    with database.snapshot():
        return {
            "documents": _table(database, "SELECT * FROM document", ()),
            "propositions": _table(database, _PROPOSITIONS, ("rowid", "statement_id")),
            "statements": _table(database, "SELECT * FROM statement", ("id",)),
            "vectors": sorted(database.records(_vector, _VECTORS)),
            "slots": _table(database, _SLOTS, ()),
            "mentions": _table(database, _MENTIONS, ()),
            "relations": _table(database, _RELATIONS, ()),
            "links": _table(database, "SELECT * FROM link", ()),
            "edges": [
                [str(e.kind), e.source_id, e.target_id, e.confidence, e.origin, e.note]
                for e in edges_of(database)
            ],
            "pending": sorted(database.records(_pair, _PENDING)),
            "rulings": sorted(
                [r.ruled_key, r.pair_key, r.event_id, str(r.verdict), r.state]
                for r in rulings(database)
            ),
            "problems": _table(
                database, "SELECT path, problems FROM file WHERE problems <> '[]'", ()
            ),
            "full_text_rows": database.number("SELECT count(*) FROM proposition_text"),
        }


_MENTIONS = (
    "SELECT proposition.id, mention.ordinal, mention.entity, mention.name, mention.label,"
    " mention.start, mention.end FROM mention"
    " JOIN proposition ON proposition.rowid = mention.proposition"
)
_RELATIONS = (
    "SELECT relation.document_id, relation.ordinal, subject, predicate, object,"
    " source.id AS source_id, target.id AS target_id FROM relation"
    " JOIN proposition AS source ON source.rowid = relation.source"
    " JOIN proposition AS target ON target.rowid = relation.target"
)
_SLOTS = (
    "SELECT statement_slot.slot, statement.statement_key, statement.declared_entity,"
    " statement.content_hash, slot.checked_size, slot.dirty FROM statement_slot"
    " JOIN statement ON statement.id = statement_slot.statement_id"
    " JOIN slot ON slot.name = statement_slot.slot"
)


def _table(database: Database, sql: str, without: tuple[str, ...]) -> list[list[Any]]:
    """All columns of all rows but those named, in an order of their own."""
    rows = [
        [value for name, value in dict(row).items() if name not in without]
        for row in database.rows(sql)
    ]
    return sorted(rows, key=repr)


def _vector(row: Row) -> list[Any]:
    data = hashlib.sha256(row["data"]).hexdigest()
    floor = [row["floor_product"], row["floor_key"]] if row["floor_key"] is not None else []
    return [row["text_hash"], data, repr(floor), row["gone"]]


def _pair(row: Row) -> list[Any]:
    """A flagged pair with its sides in an order that does not depend on row numbers."""
    sides = [
        [row["key_a"], row["entity_a"], row["content_a"]],
        [row["key_b"], row["entity_b"], row["content_b"]],
    ]
    signals = json.loads(row["signals"])
    supersedes = {"a": sides[0], "b": sides[1]}.get(row["supersedes"], [])
    if sides[1] < sides[0]:
        sides.reverse()
        signals = [[name, span_b, span_a, detail] for name, span_a, span_b, detail in signals]
    return [
        row["pair_key"],
        sides,
        row["label"],
        row["score"],
        repr(row["similarity"]),
        json.dumps(signals),
        row["guards"],
        supersedes,
    ]
