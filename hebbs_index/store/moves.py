"""Files that moved, went, or could not be used: one transaction for each operation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hebbs_index.records import FileProblem, Link, Seen
from hebbs_index.store import manifest
from hebbs_index.store.database import Database
from hebbs_index.store.graph import document_names, link_end
from hebbs_index.store.statements import sweep


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
        sweep(database)
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
        (path, *document_names(path, str(title)), document_id),
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
        sweep(database)
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
            sweep(database)
        manifest.record_problem(database, seen, found, version=version)
        database.step("problem:written")
    database.step("problem:committed")
