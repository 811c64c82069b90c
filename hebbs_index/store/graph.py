"""Write what was derived from a file: one transaction, the manifest row last.

Propositions are merged by id: those that stay keep their row, those whose words
moved are updated, the rest come and go. A statement goes with its last proposition,
and the vector of a text that nobody has any more is marked `gone` for the next check.

Every function here runs inside one transaction of its own; `database.step` is called
at each point where a process might die.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hebbs_index import ids
from hebbs_index.records import Document, FileAnalysis, FileProblem, Link, Proposition, Seen
from hebbs_index.store import manifest
from hebbs_index.store.claims_text import claims_to_text
from hebbs_index.store.database import Database, as_json
from hebbs_index.store.rows import FileChange
from hebbs_index.store.vector_rows import insert_vectors, mark_gone, mark_needed

Entry = tuple[int, str]  # a proposition's row number and id

_PROPOSITION = (
    "statement_id",
    "ordinal",
    "occurrence",
    "text",
    "own_text",
    "kind",
    "start",
    "end",
    "line_start",
    "line_end",
    "heading_path",
    "sentence_key",
    "entity",
    "entity_key",
    "date",
    "date_basis",
    "asserted",
    "importance",
)


def write_file(
    database: Database,
    seen: Seen,
    analysis: FileAnalysis,
    document_id: str,
    vectors: Mapping[str, bytes],
) -> FileChange:
    """Make the records of a file those of its analysis, all or nothing."""
    with database.write():
        database.step("file:begun")
        _make_room(database, seen.path, document_id)
        _put_document(database, document_id, analysis.document)
        database.step("file:document")
        statements = _put_statements(database, analysis.propositions, vectors)
        database.step("file:statements")
        change, entries = _merge(database, document_id, analysis.propositions, statements)
        database.step("file:propositions")
        _put_relations(database, document_id, analysis, entries)
        _put_links(database, document_id, analysis.document.path, analysis.links)
        database.step("file:links")
        _sweep(database)
        database.step("file:swept")
        manifest.put_file(
            database,
            seen,
            document_id=document_id,
            version=analysis.version,
            found=analysis.problems,
        )
        database.step("file:manifest")
    database.step("file:committed")
    return change


def _make_room(database: Database, path: str, document_id: str) -> None:
    """Let the document be at this path alone: another one there goes, its own old path is freed."""
    database.run("DELETE FROM document WHERE path = ? AND id <> ?", (path, document_id))
    database.run("DELETE FROM file WHERE document_id = ? AND path <> ?", (document_id, path))


# ---------------------------------------------------------------- documents


def _names(path: str, title: str) -> tuple[str, str, str]:
    bare_path = posixpath.splitext(path)[0]
    return bare_path, folded_name(posixpath.basename(bare_path)), folded_name(title)


def folded_name(name: str) -> str:
    """A wiki name as it is compared."""
    return ids.fold_space(name).casefold()


def _put_document(database: Database, document_id: str, document: Document) -> None:
    database.run(
        "INSERT INTO document (id, path, bare_path, bare_name, title_name, title, text, format,"
        " encoding, content_hash, entity, front_matter, date, date_basis, importance)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET path = excluded.path, bare_path = excluded.bare_path,"
        " bare_name = excluded.bare_name, title_name = excluded.title_name,"
        " title = excluded.title, text = excluded.text, format = excluded.format,"
        " encoding = excluded.encoding, content_hash = excluded.content_hash,"
        " entity = excluded.entity, front_matter = excluded.front_matter, date = excluded.date,"
        " date_basis = excluded.date_basis, importance = excluded.importance",
        (
            document_id,
            document.path,
            *_names(document.path, document.title),
            document.title,
            document.text,
            document.format,
            document.encoding,
            document.content_hash,
            document.entity,
            as_json(dict(document.front_matter)),
            document.dated.date,
            document.dated.basis,
            document.importance,
        ),
    )


def link_end(path: str, link: Link) -> tuple[str | None, str | None]:
    """Where a link of the document at `path` leads: a path seen from the root, or a wiki name.

    Both are None for what is no file of the corpus: another site, an anchor of the same file,
    a path that leaves the root.
    """
    target = link.target.strip()
    if not target or target.startswith("//") or _has_scheme(target):
        return None, None
    if link.wiki and "/" not in target:
        return None, folded_name(target)
    base = "" if link.wiki or target.startswith("/") else posixpath.dirname(path)
    place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
    return (None, None) if place.startswith("..") or place == "." else (place, None)


def _has_scheme(target: str) -> bool:
    scheme, colon, _rest = target.partition(":")
    return bool(colon) and scheme.replace("+", "").replace("-", "").isalnum() and len(scheme) > 1


def _put_links(database: Database, document_id: str, path: str, links: Sequence[Link]) -> None:
    database.run("DELETE FROM link WHERE document_id = ?", (document_id,))
    database.run_many(
        "INSERT INTO link (document_id, ordinal, target, anchor, wiki, place, name)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (document_id, n, link.target, link.anchor, int(link.wiki), *link_end(path, link))
            for n, link in enumerate(links)
        ),
    )


# ---------------------------------------------------------------- statements


def _put_statements(
    database: Database, propositions: Sequence[Proposition], vectors: Mapping[str, bytes]
) -> list[int]:
    """The numbers of the propositions' statements; new ones are made, with their vectors."""
    hashes = [ids.text_hash(item.embed_text) for item in propositions]
    numbers = [
        _put_statement(database, item, text_hash)
        for item, text_hash in zip(propositions, hashes, strict=True)
    ]
    insert_vectors(database, {key: vectors[key] for key in hashes if key in vectors})
    return numbers


def _put_statement(database: Database, proposition: Proposition, text_hash: str) -> int:
    claims = claims_to_text(proposition.claims)
    declared = ids.fold_entity(proposition.declared_entity or "")
    content = ids.digest("content", proposition.text, proposition.embed_text, claims)
    found = database.value(
        "SELECT id FROM statement WHERE statement_key = ? AND declared_entity = ?"
        " AND content_hash = ?",
        (proposition.statement_key, declared, content),
    )
    if found is not None:
        return int(found)
    number = database.insert(
        "INSERT INTO statement (statement_key, declared_entity, content_hash, text, embed_text,"
        " text_hash, claims) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            proposition.statement_key,
            declared,
            content,
            proposition.text,
            proposition.embed_text,
            text_hash,
            claims,
        ),
    )
    slots = sorted({slot for claim in proposition.claims for slot in claim.slots})
    database.run_many("INSERT INTO statement_slot VALUES (?, ?)", [(number, s) for s in slots])
    mark_needed(database, text_hash)
    return number


def _sweep(database: Database) -> None:
    """Drop statements without a proposition, and mark vectors without a statement."""
    orphans = database.rows(
        "SELECT id, text_hash FROM statement WHERE id IN (SELECT id FROM loose_statement)"
        " AND NOT EXISTS (SELECT 1 FROM proposition WHERE statement_id = statement.id)"
    )
    database.run_many("DELETE FROM statement WHERE id = ?", [(row["id"],) for row in orphans])
    mark_gone(database, {row["text_hash"] for row in orphans})
    database.run("DELETE FROM loose_statement")


# ---------------------------------------------------------------- propositions


def _values(proposition: Proposition, ordinal: int, statement: int) -> tuple[object, ...]:
    span = proposition.span
    return (
        statement,
        ordinal,
        proposition.occurrence,
        proposition.text,
        proposition.own_text,
        proposition.kind,
        span.start,
        span.end,
        span.line_start,
        span.line_end,
        as_json(list(proposition.heading_path)),
        proposition.sentence_key,
        proposition.entity,
        ids.fold_entity(proposition.entity or ""),
        proposition.dated.date,
        proposition.dated.basis,
        int(proposition.asserted),
        proposition.importance,
    )


def _merge(
    database: Database,
    document_id: str,
    propositions: Sequence[Proposition],
    statements: Sequence[int],
) -> tuple[FileChange, list[Entry]]:
    """Bring the document's propositions up to date by id."""
    columns = ", ".join(("rowid", "id", *_PROPOSITION))
    rows = database.rows(
        f"SELECT {columns} FROM proposition WHERE document_id = ? ORDER BY ordinal", (document_id,)
    )
    before = {row["id"]: tuple(row) for row in rows}
    entries: list[Entry] = []
    added: list[str] = []
    for ordinal, (item, statement) in enumerate(zip(propositions, statements, strict=True)):
        memory = ids.proposition_id(document_id, item.statement_key, item.occurrence)
        values = _values(item, ordinal, statement)
        old = before.get(memory)
        if old is None:
            entries.append((_insert(database, document_id, memory, values), memory))
            added.append(memory)
        else:
            entries.append((old[0], memory))
            _update(database, old, values)
    now = {memory for _row, memory in entries}
    removed = tuple(memory for memory in before if memory not in now)
    database.run_many("DELETE FROM proposition WHERE id = ?", ((memory,) for memory in removed))
    _put_mentions(database, document_id, propositions, entries)
    kept = tuple(memory for _row, memory in entries if memory in before)
    return FileChange(tuple(added), kept, removed), entries


def _insert(database: Database, document_id: str, memory: str, values: tuple[object, ...]) -> int:
    marks = ", ".join("?" * (len(_PROPOSITION) + 2))
    return database.insert(
        f"INSERT INTO proposition (document_id, id, {', '.join(_PROPOSITION)}) VALUES ({marks})",
        (document_id, memory, *values),
    )


def _update(database: Database, old: tuple[object, ...], values: tuple[object, ...]) -> None:
    if old[2:] != values:
        settings = ", ".join(f"{name} = ?" for name in _PROPOSITION)
        database.run(f"UPDATE proposition SET {settings} WHERE rowid = ?", (*values, old[0]))


def _put_mentions(
    database: Database,
    document_id: str,
    propositions: Sequence[Proposition],
    entries: Sequence[Entry],
) -> None:
    """Write the mentions of those propositions whose mentions changed."""
    before: dict[int, list[tuple[object, ...]]] = {}
    for row in database.rows(
        "SELECT proposition, mention.entity, name, label, mention.start, mention.end FROM mention"
        " JOIN proposition ON proposition.rowid = mention.proposition"
        " WHERE proposition.document_id = ? ORDER BY proposition, mention.ordinal",
        (document_id,),
    ):
        before.setdefault(row[0], []).append(tuple(row)[1:])
    for (number, _memory), item in zip(entries, propositions, strict=True):
        now: list[tuple[object, ...]] = [
            (m.entity, m.name, m.label, m.start, m.end) for m in item.mentions
        ]
        if now != before.get(number, []):
            database.run("DELETE FROM mention WHERE proposition = ?", (number,))
            database.run_many(
                "INSERT INTO mention VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((number, n, *values) for n, values in enumerate(now)),
            )


def _put_relations(
    database: Database, document_id: str, analysis: FileAnalysis, entries: Sequence[Entry]
) -> None:
    database.run("DELETE FROM relation WHERE document_id = ?", (document_id,))
    database.run_many(
        "INSERT INTO relation VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                document_id,
                n,
                relation.subject,
                relation.predicate,
                relation.object,
                entries[relation.source][0],
                entries[relation.target][0],
            )
            for n, relation in enumerate(analysis.relations)
        ),
    )


# ---------------------------------------------------------------- moves, deletions, problems


def move_files(database: Database, moves: Mapping[str, Seen]) -> None:
    """Give documents new paths, all at once, so that two files may swap.

    `moves` maps each old path to the file as seen at its new one. A document that stood at a
    new path and is not moved itself goes. A file whose content is no longer what was indexed
    keeps the old hash in its row, so that it is still to be read.
    """
    with database.write():
        rows = [_moved_row(database, old_path, seen) for old_path, seen in moves.items()]
        moving = [row.document_id for row in rows if row.document_id is not None]
        for old_path in moves:
            database.run("DELETE FROM file WHERE path = ?", (old_path,))
        for memory in moving:  # a path no file can have, until all old paths are free
            database.run("UPDATE document SET path = ? WHERE id = ?", (f"//{memory}", memory))
        database.step("move:freed")
        for row in rows:
            database.run("DELETE FROM document WHERE path = ?", (row.seen.path,))
            if row.document_id is not None:
                _set_path(database, row.document_id, row.seen.path)
            manifest.put_file(
                database,
                row.seen,
                document_id=row.document_id,
                version=row.version,
                found=row.problems,
            )
        _sweep(database)
        database.step("move:written")
    database.step("move:committed")


@dataclass(frozen=True, slots=True)
class _Moved:
    """What the manifest says of a file at its new path."""

    seen: Seen
    document_id: str | None = None
    version: str = ""
    problems: tuple[FileProblem, ...] = ()


def _moved_row(database: Database, old_path: str, seen: Seen) -> _Moved:
    row = database.row(
        "SELECT content_hash, document_id, version, problems FROM file WHERE path = ?", (old_path,)
    )
    if row is None:
        return _Moved(seen)
    found = database.decoded(json.loads, row["problems"])
    kept = tuple(FileProblem(seen.path, stage, why) for stage, why in found if stage != "read")
    indexed = replace(seen, content_hash=row["content_hash"])
    return _Moved(indexed, row["document_id"], row["version"], kept)


def _set_path(database: Database, document_id: str, path: str) -> None:
    title = database.value("SELECT title FROM document WHERE id = ?", (document_id,))
    database.run(
        "UPDATE document SET path = ?, bare_path = ?, bare_name = ?, title_name = ? WHERE id = ?",
        (path, *_names(path, str(title)), document_id),
    )
    rows = database.rows("SELECT * FROM link WHERE document_id = ?", (document_id,))
    for row in rows:  # a relative link starts from the new place
        link = Link(row["target"], row["anchor"], bool(row["wiki"]), 0, 0)
        database.run(
            "UPDATE link SET place = ?, name = ? WHERE document_id = ? AND ordinal = ?",
            (*link_end(path, link), document_id, row["ordinal"]),
        )


def delete_files(database: Database, paths: Iterable[str]) -> tuple[str, ...]:
    """Drop files and everything derived from them; the ids of the propositions that went."""
    removed: list[str] = []
    with database.write():
        for path in paths:
            removed += database.column(
                "SELECT proposition.id FROM proposition JOIN document"
                " ON document.id = proposition.document_id WHERE document.path = ?"
                " ORDER BY proposition.ordinal",
                (path,),
            )
            database.run("DELETE FROM document WHERE path = ?", (path,))
            database.step("delete:document")
            database.run("DELETE FROM file WHERE path = ?", (path,))
        _sweep(database)
        database.step("delete:written")
    database.step("delete:committed")
    return tuple(removed)


def record_problem(
    database: Database,
    seen: Seen,
    found: Sequence[FileProblem],
    *,
    version: str,
    keep_records: bool,
) -> None:
    """Note what is wrong with a file, which keeps its records unless told otherwise."""
    with database.write():
        if not keep_records:
            database.run("DELETE FROM document WHERE path = ?", (seen.path,))
            _sweep(database)
        manifest.record_problem(database, seen, found, version=version)
        database.step("problem:written")
    database.step("problem:committed")
