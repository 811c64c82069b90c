"""The manifest: every file as it was when it was last looked at.

A row is written last in the transaction of its file, so a file whose row is
there is wholly indexed. A file with a problem may have kept the records it had.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from hebbs_index.records import FileProblem, FileStat, Indexed, Seen
from hebbs_index.store.database import Database, Row, as_json

_COLUMNS = (
    "path, size, mtime_ns, ctime_ns, inode, read_at_ns, content_hash, sketch, document_id, version"
)


def manifest(database: Database) -> dict[str, Indexed]:
    """All files by path. The content hash is '' for a file that was never read."""
    rows = database.records(_indexed, f"SELECT {_COLUMNS} FROM file ORDER BY path")
    return {indexed.path: indexed for indexed in rows}


def _indexed(row: Row) -> Indexed:
    stat = FileStat(row["size"], row["mtime_ns"], row["ctime_ns"], int(row["inode"]))
    return Indexed(
        path=row["path"],
        stat=stat,
        content_hash=row["content_hash"] or "",
        read_at_ns=row["read_at_ns"],
        sketch=tuple(int(part) for part in json.loads(row["sketch"])),
        document_id=row["document_id"],
        version=row["version"],
    )


def problems(database: Database) -> tuple[FileProblem, ...]:
    """What is wrong with which file, and what was left out of the scan, ordered by path."""
    several = database.records(
        _problems, "SELECT path, problems FROM file WHERE problems <> '[]' ORDER BY path"
    )
    found = [problem for some in several for problem in some]
    found += database.records(
        lambda row: FileProblem(row["path"], row["stage"], row["reason"]),
        "SELECT * FROM skipped ORDER BY path, stage, reason",
    )
    return tuple(sorted(found, key=lambda problem: problem.path))


def replace_skipped(
    database: Database, skipped: Iterable[FileProblem], *, within: Sequence[str]
) -> None:
    """Note what a scan left out; what an earlier one left out in the same places is forgotten.

    `within` are the files and folders that were scanned; empty or '' means everything.
    """
    places = [place.strip("/") for place in within]
    with database.write():
        database.run(
            "DELETE FROM skipped WHERE ?1 OR EXISTS (SELECT 1 FROM json_each(?2) AS place"
            " WHERE skipped.path = place.value"
            " OR substr(skipped.path, 1, length(place.value) + 1) = place.value || '/')",
            (int(not places or "" in places or "." in places), as_json(places)),
        )
        database.run_many(
            "INSERT OR IGNORE INTO skipped VALUES (?, ?, ?)",
            [(problem.path, problem.stage, problem.reason) for problem in skipped],
        )


def _problems(row: Row) -> list[FileProblem]:
    return [
        FileProblem(row["path"], stage, reason) for stage, reason in json.loads(row["problems"])
    ]


def _as_text(found: Iterable[FileProblem]) -> str:
    return as_json([[problem.stage, problem.reason] for problem in found])


def _stat_values(seen: Seen) -> tuple[int, int, int, str, int, str]:
    stat = seen.stat
    return (
        stat.size,
        stat.mtime_ns,
        stat.ctime_ns,
        str(stat.inode),
        seen.read_at_ns,
        as_json(list(seen.sketch)),
    )


def put_file(
    database: Database,
    seen: Seen,
    *,
    document_id: str | None,
    version: str,
    found: Sequence[FileProblem],
) -> None:
    """Write a file's row as it was just seen, whatever was there before."""
    database.run(
        "INSERT OR REPLACE INTO file (path, size, mtime_ns, ctime_ns, inode, read_at_ns, sketch,"
        " content_hash, document_id, version, problems) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seen.path,
            *_stat_values(seen),
            seen.content_hash,
            document_id,
            version,
            _as_text(found),
        ),
    )


def touch(database: Database, files: Sequence[Seen]) -> None:
    """Learn the new stat of files whose content is as before.

    They were read, so what was said about not being able to is forgotten.
    """
    with database.write():
        database.run_many(
            "UPDATE file SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, read_at_ns = ?,"
            " sketch = ? WHERE path = ?",
            ((*_stat_values(seen), seen.path) for seen in files),
        )
        for seen in files:
            _drop_read_problem(database, seen.path)
        database.step("touch:written")
    database.step("touch:committed")


def _drop_read_problem(database: Database, path: str) -> None:
    text = database.value("SELECT problems FROM file WHERE path = ?", (path,))
    if text is None or text == "[]":
        return
    kept = [item for item in database.decoded(json.loads, text) if item[0] != "read"]
    database.run("UPDATE file SET problems = ? WHERE path = ?", (as_json(kept), path))


def record_problem(
    database: Database, seen: Seen, found: Sequence[FileProblem], *, version: str
) -> None:
    """Note what is wrong with a file; its records stay as they are.

    A file that could not be read (no content hash) also keeps the stat and hash it
    had, so that it is compared with its last known content once it can be read again.
    """
    row = database.row("SELECT document_id FROM file WHERE path = ?", (seen.path,))
    if row is not None and seen.content_hash is None:
        database.run("UPDATE file SET problems = ? WHERE path = ?", (_as_text(found), seen.path))
        return
    document_id = row["document_id"] if row is not None else None
    put_file(database, seen, document_id=document_id, version=version, found=found)
