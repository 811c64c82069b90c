"""Vectors as rows: the truth of which the usearch file is a cache.

There is one row for each distinct embedded text. A row whose text nobody has any more is
`gone`: the next check needs it once, to find whose neighbours it leaves behind, and
drops it then. If the text comes back first, the row is simply live again.

Every vector has a checksum, so `verify` can tell a flipped bit; loading refuses what
is no finite number or has the wrong length.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping

from hebbs_index.errors import StoreDamaged
from hebbs_index.store.database import Database, Row, as_json
from hebbs_index.store.rows import Floor, Unembedded, Vectors

_FINGERPRINT = "embedding"


def insert_vectors(database: Database, vectors: Mapping[str, bytes]) -> None:
    """Add vectors by text hash inside the open transaction; one that is there stays.

    Statements that were checked without a vector are to be checked again with it.
    """
    for text_hash, data in vectors.items():
        added = database.run(
            "INSERT OR IGNORE INTO vector (text_hash, data, checksum) VALUES (?, ?, ?)",
            (text_hash, data, zlib.crc32(data)),
        )
        if added:
            database.run(
                "UPDATE statement SET checked = 0 WHERE text_hash = ? AND checked = 1",
                (text_hash,),
            )


def mark_needed(database: Database, text_hash: str) -> None:
    """A text has come back: its vector is live again."""
    database.run("UPDATE vector SET gone = 0 WHERE text_hash = ? AND gone = 1", (text_hash,))


def mark_gone(database: Database, text_hashes: Iterable[str]) -> None:
    """Mark those vectors whose text no statement has any more."""
    database.run_many(
        "UPDATE vector SET gone = 1 WHERE text_hash = ? AND gone = 0 AND NOT EXISTS"
        " (SELECT 1 FROM statement WHERE statement.text_hash = vector.text_hash)",
        [(text_hash,) for text_hash in text_hashes],
    )


def missing_vectors(database: Database, text_hashes: Collection[str]) -> set[str]:
    """Those of the texts that have no vector, live or gone."""
    wanted = set(text_hashes)
    found = database.column(
        "SELECT text_hash FROM vector WHERE text_hash IN (SELECT value FROM json_each(?))",
        (as_json(sorted(wanted)),),
    )
    return wanted - set(found)


def unembedded(database: Database) -> list[Unembedded]:
    """Texts of statements that have no vector, each once, ordered by text hash."""
    return database.records(
        lambda row: Unembedded(row["text_hash"], row["embed_text"]),
        "SELECT DISTINCT text_hash, embed_text FROM statement WHERE NOT EXISTS"
        " (SELECT 1 FROM vector WHERE vector.text_hash = statement.text_hash)"
        " ORDER BY text_hash",
    )


def add_vectors(database: Database, vectors: Mapping[str, bytes]) -> None:
    """Give vectors to texts of statements; a text that nobody has any more is left out."""
    with database.write():
        wanted = set(
            database.column(
                "SELECT DISTINCT text_hash FROM statement WHERE text_hash IN"
                " (SELECT value FROM json_each(?))",
                (as_json(sorted(vectors)),),
            )
        )
        insert_vectors(database, {key: vectors[key] for key in vectors if key in wanted})
        database.step("vectors:written")
    database.step("vectors:committed")


def fingerprint(database: Database) -> str | None:
    """The embedding model that made the vectors, None before the first."""
    value = database.value("SELECT value FROM meta WHERE key = ?", (_FINGERPRINT,))
    return None if value is None else str(value)


def set_fingerprint(database: Database, value: str) -> bool:
    """Say which embedding model makes the vectors from now on; whether that is another one.

    Vectors of two models cannot be compared: those of the other one are dropped and all
    statements are to be checked again.
    """
    with database.write():
        before = fingerprint(database)
        if before == value:
            return False
        database.run("DELETE FROM vector")
        if before is not None:
            database.run("UPDATE statement SET checked = 0")
        database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_FINGERPRINT, value))
        database.step("fingerprint:written")
    database.step("fingerprint:committed")
    return before is not None


def load_vectors(database: Database, *, gone: bool = False, after: int = 0) -> Vectors:
    """Live (or gone) vectors with an id above `after`, ordered by text hash."""
    rows = database.rows(
        "SELECT id, text_hash, data, floor_product, floor_key FROM vector"
        " WHERE gone = ? AND id > ? ORDER BY text_hash",
        (int(gone), after),
    )
    return database.decoded(lambda found: _vectors(database, found), rows)


def vectors_by_id(database: Database, ids: Collection[int]) -> Vectors:
    """The live ones among these vectors, ordered by text hash."""
    rows = database.rows(
        "SELECT id, text_hash, data, floor_product, floor_key FROM vector"
        " WHERE gone = 0 AND id IN (SELECT value FROM json_each(?)) ORDER BY text_hash",
        (as_json([int(number) for number in ids]),),
    )
    return database.decoded(lambda found: _vectors(database, found), rows)


def _vectors(database: Database, rows: list[Row]) -> Vectors:
    import numpy as np

    from hebbs_index.quantized import DTYPE

    size = len(rows[0]["data"]) if rows else 0
    if any(len(row["data"]) != size for row in rows) or size % DTYPE.itemsize:
        raise StoreDamaged(f"{database.path} holds vectors of different lengths")
    data = np.frombuffer(b"".join(row["data"] for row in rows), dtype=DTYPE)
    data = data.reshape(len(rows), size // DTYPE.itemsize)
    # All exponent bits set: an infinity or no number at all, which would spoil every ranking.
    if ((data.view(np.uint16) & 0x7C00) == 0x7C00).any():
        raise StoreDamaged(f"{database.path} holds a vector that is no vector")
    return Vectors(
        ids=np.array([row["id"] for row in rows], dtype=np.int64),
        text_hashes=tuple(row["text_hash"] for row in rows),
        data=data,
        floors=tuple(_floor(row) for row in rows),
    )


def _floor(row: Row) -> Floor | None:
    if row["floor_key"] is None:
        return None
    return float(row["floor_product"]), str(row["floor_key"])


def count_live(database: Database, *, up_to: int | None = None) -> int:
    """How many vectors are live, of all or of those numbered up to `up_to`."""
    return database.number(
        "SELECT count(*) FROM vector WHERE gone = 0 AND (?1 IS NULL OR id <= ?1)", (up_to,)
    )
