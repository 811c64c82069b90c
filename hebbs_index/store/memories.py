"""Read documents, propositions, entities and counts back as records."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from hebbs_index.ids import fold_entity
from hebbs_index.records import Dated, MemoryKind, Source
from hebbs_index.store.database import Database, Row, as_json
from hebbs_index.store.edges import count_edges
from hebbs_index.store.rows import Counts, DocumentRow, EntityRow, Memory

_PROPOSITION = (
    "SELECT proposition.*, document.path AS path, statement.statement_key,"
    " statement.declared_entity, coalesce((SELECT max(mtime_ns) FROM file"
    "   WHERE file.document_id = document.id), 0) / 1000 AS created_us"
    " FROM proposition JOIN document ON document.id = proposition.document_id"
    " JOIN statement ON statement.id = proposition.statement_id"
)
_DOCUMENT = (
    "SELECT document.*, coalesce((SELECT max(mtime_ns) FROM file"
    "   WHERE file.document_id = document.id), 0) / 1000 AS created_us FROM document"
)


def _proposition(row: Row) -> Memory:
    heading = tuple(str(part) for part in json.loads(row["heading_path"]))
    return Memory(
        id=row["id"],
        kind=MemoryKind.PROPOSITION,
        content=row["text"],
        importance=row["importance"],
        entity=row["entity"],
        created_us=row["created_us"],
        source=Source(row["path"], row["line_start"], row["line_end"], heading, row["date"]),
        dated=Dated(row["date"], row["date_basis"]),
        document_id=row["document_id"],
        statement_id=row["statement_id"],
        statement_key=row["statement_key"],
        declared_entity=row["declared_entity"] or None,
        sentence_key=row["sentence_key"],
        own_text=row["own_text"],
        asserted=bool(row["asserted"]),
    )


def _document(row: Row) -> Memory:
    text: str = row["text"]
    lines = text.count("\n") + (not text.endswith("\n"))
    return Memory(
        id=row["id"],
        kind=MemoryKind.DOCUMENT,
        content=text,
        importance=row["importance"],
        entity=row["entity"],
        created_us=row["created_us"],
        source=Source(row["path"], 1, max(1, lines), (row["title"],), row["date"]),
        dated=Dated(row["date"], row["date_basis"]),
        document_id=row["id"],
    )


def memories(database: Database, ids: Collection[str]) -> dict[str, Memory]:
    """The documents and propositions among these ids."""
    wanted = (as_json(sorted(ids)),)
    where = "IN (SELECT value FROM json_each(?))"
    found = database.records(_proposition, f"{_PROPOSITION} WHERE proposition.id {where}", wanted)
    found += database.records(_document, f"{_DOCUMENT} WHERE document.id {where}", wanted)
    return {memory.id: memory for memory in found}


def ids_starting_with(database: Database, prefix: str, *, limit: int = 20) -> list[str]:
    """Ids of memories that start with some hex digits, ascending."""
    bounds = (prefix, prefix + "g", limit)  # g comes after every hex digit
    return database.column(
        "SELECT id FROM proposition WHERE id >= ?1 AND id < ?2"
        " UNION SELECT id FROM document WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
        bounds,
    )


def memories_like(database: Database, beginning: str) -> list[Memory]:
    """Memories whose id is, or starts with, some hex digits, ascending by id; at most 20."""
    found = memories(database, ids_starting_with(database, beginning))
    return [found[memory] for memory in sorted(found)]


def has_document(database: Database, path: str) -> bool:
    """Whether a document stands at a path."""
    return database.row("SELECT 1 FROM document WHERE path = ?", (path,)) is not None


def memories_at(database: Database, path: str, line: int | None = None) -> list[Memory]:
    """What stands in a file: its document, then its propositions; or only those on a line."""
    if line is not None:
        return database.records(
            _proposition,
            f"{_PROPOSITION} WHERE document.path = ? AND line_start <= ? AND line_end >= ?"
            " ORDER BY ordinal",
            (path, line, line),
        )
    return [
        *database.records(_document, f"{_DOCUMENT} WHERE path = ?", (path,)),
        *database.records(
            _proposition, f"{_PROPOSITION} WHERE document.path = ? ORDER BY ordinal", (path,)
        ),
    ]


def occurrences(database: Database, statement_ids: Collection[int]) -> dict[int, list[Memory]]:
    """Where each of these statements stands, by path and position."""
    found: dict[int, list[Memory]] = {int(number): [] for number in statement_ids}
    for memory in database.records(
        _proposition,
        f"{_PROPOSITION} WHERE statement_id IN (SELECT value FROM json_each(?))"
        " ORDER BY document.path, ordinal",
        (as_json(sorted(found)),),
    ):
        found[int(memory.statement_id or 0)].append(memory)
    return found


def statements_within(
    database: Database, *, paths: Sequence[str] = (), entity: str | None = None
) -> set[int]:
    """Statements that stand in one of these files or folders and belong to this entity."""
    return set(
        database.column(
            "SELECT DISTINCT statement_id FROM proposition"
            f" JOIN document ON document.id = document_id WHERE {WITHIN}",
            within(paths, entity),
        )
    )


# A filter on `document.path` and `proposition.entity_key`; its two parameters are ?1 and ?2.
WITHIN = (
    "(?1 = '[]' OR EXISTS (SELECT 1 FROM json_each(?1) AS place WHERE document.path = place.value"
    " OR substr(document.path, 1, length(place.value) + 1) = place.value || '/'))"
    " AND (?2 IS NULL OR proposition.entity_key = ?2 OR EXISTS (SELECT 1 FROM mention"
    " WHERE mention.proposition = proposition.rowid AND mention.entity = ?2))"
)


def within(paths: Sequence[str], entity: str | None) -> tuple[str, str | None]:
    """The parameters of `WITHIN`; a path of '.' or '' means everything."""
    places = [path.strip("/") for path in paths]
    everything = any(place in ("", ".") for place in places)
    return as_json([] if everything else places), fold_entity(entity) if entity else None


def documents(database: Database) -> list[DocumentRow]:
    """All documents by path."""
    return database.records(
        _document_row,
        "SELECT document.id, document.path, title, format, entity, date, date_basis,"
        " (SELECT count(*) FROM proposition WHERE document_id = document.id) AS propositions,"
        " (SELECT problems FROM file WHERE file.path = document.path) AS problems"
        " FROM document ORDER BY document.path",
    )


def _document_row(row: Row) -> DocumentRow:
    problems = [f"{stage}: {reason}" for stage, reason in json.loads(row["problems"] or "[]")]
    return DocumentRow(
        id=row["id"],
        path=row["path"],
        title=row["title"],
        format=row["format"],
        entity=row["entity"],
        dated=Dated(row["date"], row["date_basis"]),
        propositions=row["propositions"],
        problem="; ".join(problems) or None,
    )


def entities(database: Database, *, limit: int | None = None) -> list[EntityRow]:
    """Entities, most mentioned first, ties by key."""
    keys = database.rows(
        "SELECT entity, count(*) AS mentions, count(DISTINCT proposition) AS propositions"
        " FROM mention GROUP BY entity ORDER BY mentions DESC, entity LIMIT ?",
        (-1 if limit is None else limit,),
    )
    names: dict[str, list[str]] = {}
    labels: dict[str, str] = {}
    for row in database.rows(
        "SELECT entity, name, min(label) AS label, count(*) AS times FROM mention"
        " WHERE entity IN (SELECT value FROM json_each(?))"
        " GROUP BY entity, name ORDER BY entity, times DESC, name",
        (as_json([row["entity"] for row in keys]),),
    ):
        names.setdefault(row["entity"], []).append(row["name"])
        labels.setdefault(row["entity"], row["label"])
    return [
        EntityRow(
            row["entity"],
            tuple(names[row["entity"]]),
            labels[row["entity"]],
            row["mentions"],
            row["propositions"],
        )
        for row in keys
    ]


def entities_of(database: Database, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The entities that each of these propositions mentions, in order of appearance."""
    found: dict[str, dict[str, None]] = {memory: {} for memory in ids}
    for row in database.rows(
        "SELECT proposition.id, mention.entity FROM mention"
        " JOIN proposition ON proposition.rowid = mention.proposition"
        " WHERE proposition.id IN (SELECT value FROM json_each(?))"
        " ORDER BY proposition.id, mention.ordinal",
        (as_json(sorted(found)),),
    ):
        found[row[0]][row[1]] = None
    return {memory: tuple(keys) for memory, keys in found.items()}


def counts(database: Database) -> Counts:
    """How much the index holds."""
    states = dict(_ruling_states(database))
    return Counts(
        documents=database.number("SELECT count(*) FROM document"),
        propositions=database.number("SELECT count(*) FROM proposition"),
        statements=database.number("SELECT count(*) FROM statement"),
        vectors=database.number("SELECT count(*) FROM vector WHERE gone = 0"),
        entities=database.number("SELECT count(DISTINCT entity) FROM mention"),
        pending=database.number(
            "SELECT count(DISTINCT pair_key) FROM pending"
            " WHERE pair_key NOT IN (SELECT pair_key FROM ruling_place)"
        ),
        unchecked=database.number("SELECT count(*) FROM statement WHERE checked = 0"),
        edges=count_edges(database),
        rulings={
            str(row[0]): int(row[1])
            for row in database.rows(
                "SELECT verdict, count(*) FROM ruling"
                " JOIN ruling_place ON ruled_key = ruling.pair_key"
                " GROUP BY verdict ORDER BY verdict"
            )
        },
        unmatched_rulings=states.get("unmatched", 0),
        history_rulings=states.get("history", 0),
    )


def _ruling_states(database: Database) -> list[tuple[str, int]]:
    """How many rulings speak of no present pair, by whether their sentences still stand."""
    rows = database.rows(
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM proposition WHERE sentence_key = sentence_a)"
        " AND EXISTS (SELECT 1 FROM proposition WHERE sentence_key = sentence_b)"
        " THEN 'unmatched' ELSE 'history' END AS state, count(*) FROM ruling"
        " WHERE pair_key NOT IN (SELECT ruled_key FROM ruling_place) GROUP BY state"
    )
    return [(str(row[0]), int(row[1])) for row in rows]
